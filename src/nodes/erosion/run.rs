//! The common interface of runs of all erosion processes.

use crate::{Context, MassBalance, Run};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

/// A [`Run`] that owns its terrain and its mass balance. A clone of the run is a snapshot.
pub trait ErosionRun: Clone + Send + Sync + 'static {
    /// Runs one iteration, as [`Run::step`] does.
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled>;
    /// Runs one iteration, as [`Run::step_in_place`] does.
    fn advance_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.advance(cx)
    }
    /// Removes the maps of `_records` from the run's terrain, as [`Run::drop_records`] does.
    fn drop_records(&mut self, _records: &[MapKind]) {}
    /// Moves the run by `_iterations`, forwards or backwards, without computing them, as [`Run::jump`] does.
    fn jump(&mut self, _iterations: u32) -> bool {
        false
    }
    /// The terrain after the last completed iteration, and the mass balance of all completed iterations.
    fn state(&self) -> (&Terrain, MassBalance);
    /// The terrain after the last completed iteration; all other memory is freed. Runs whose state has more than
    /// heights and data maps implement this method, to drop the rest.
    fn into_terrain(self) -> Terrain {
        self.into_resumable_state()
    }
    /// The complete state from which the next iteration follows, as [`Run::into_resumable_state`] returns it.
    fn into_resumable_state(self) -> Terrain;
    /// Memory of a snapshot in bytes, without its terrain and without the data that all snapshots of a run share.
    fn own_bytes(&self) -> usize {
        0
    }
}

impl<R: ErosionRun> Run for R {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.advance(cx)
    }

    fn step_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.advance_in_place(cx)
    }

    fn drop_records(&mut self, records: &[MapKind]) {
        ErosionRun::drop_records(self, records);
    }

    fn jump(&mut self, iterations: u32) -> bool {
        ErosionRun::jump(self, iterations)
    }

    fn terrain(&self) -> &Terrain {
        self.state().0
    }

    fn mass_balance(&self) -> MassBalance {
        self.state().1
    }

    fn into_terrain(self: Box<Self>) -> Terrain {
        ErosionRun::into_terrain(*self)
    }

    fn into_resumable_state(self: Box<Self>) -> Terrain {
        ErosionRun::into_resumable_state(*self)
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(self.clone())
    }

    fn bytes(&self) -> usize {
        self.terrain().bytes() + self.own_bytes()
    }
}
