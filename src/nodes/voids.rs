//! Voids in processes: samples without ground at which the land ends, if the scene says so ([`Voids::LandEnds`]).
//!
//! Rule: a void is like the outside of an open edge. Water that flows into a void leaves, and nothing comes out of a
//! void: no rain, no rock, no sediment. A void keeps its heights and its water, sand, snow and ice. The result on land
//! does not depend on the heights of voids.
//!
//! [`Process::start`](super::Process::start) prepares the terrain of every process with [`started`], as the
//! [`VoidBorder`] of the process says, and gives the void its values back in every terrain that the run returns. So no
//! process can forget the rule. Nodes that route water take their outlets from [`Context::outlets`].

use std::sync::{Arc, OnceLock};

use super::{Context, MassBalance, Run};
use talweg_ground::field::{Cancelled, Grid, HAS_GROUND, MapKind, Terrain, Voids};
use talweg_ground::hydrology::{LandBorder, Outlets};
use talweg_ground::io::filled_gaps;

/// Height of a void that is a wall, as a fraction of the relief. It is far above any terrain, and the squares of its
/// differences are finite.
const WALL: f32 = 1.0e12;

/// Behaviour of a process at voids if the land ends there, and the heights of the void during the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoidBorder {
    /// Nothing leaves an open edge, so nothing enters a void: voids are walls.
    Wall,
    /// Material leaves: voids continue the land smoothly, and the material that they gain is lost.
    Leaving,
    /// The process takes care of the material that moves into voids. Voids beside land continue the land at the mean
    /// height of the land around them. Unlike the heights of [`Leaving`](Self::Leaving), these heights follow from the
    /// neighbours alone, so tiled builds find the same heights.
    Margin,
    /// The process takes care of voids itself. Voids have the hardest rock, no rain and no loose material.
    Own,
    /// The process routes water. Its outlets are [`Context::outlets`], which never change.
    Outlets,
}

impl Context<'_> {
    /// The outlets of `terrain` for water that flows over the heights `height`, with the sea at the height `sea`.
    /// Includes the border of the land if the land ends at voids.
    pub fn outlets(&self, terrain: &Terrain, height: &[f32], sea: f32) -> Outlets {
        let border = if self.voids == Voids::LandEnds { LandBorder::new(terrain) } else { None };
        Outlets::new(terrain.grid, height, sea).with_land_border(border)
    }

    /// Indices of the void samples of `terrain`, in order, if the land ends there; otherwise none.
    pub fn land_ends(&self, terrain: &Terrain) -> Vec<u32> {
        let ground = terrain.map(MapKind::Ground).filter(|_| self.voids == Voids::LandEnds);
        let samples = ground.into_iter().flat_map(|ground| ground.iter().enumerate());
        samples.filter(|(_, ground)| **ground < HAS_GROUND).map(|(k, _)| k as u32).collect()
    }
}

/// Gives the voids of `made`, the result of a process on several grids, the heights of `beneath` back, if the land ends
/// there. The change on a coarse grid, interpolated, reaches into voids.
pub fn restore_heights(cx: &Context, beneath: &Terrain, made: &mut Terrain) {
    cx.land_ends(beneath).into_iter().for_each(|k| made.height[k as usize] = beneath.height[k as usize]);
}

/// Maps of material that a void holds and that does not move during a run.
const LOOSE: [MapKind; 6] =
    [MapKind::Water, MapKind::Sediment, MapKind::Film, MapKind::Sand, MapKind::Snow, MapKind::Ice];
/// Maps that a run reads and does not change, each with its value in a void during the run.
const CONDITIONS: [(MapKind, f32); 2] = [(MapKind::Hardness, 1.0), (MapKind::Rain, 0.0)];

/// The values of the void samples that a run does not change.
struct KeptVoid {
    grid: Grid,
    samples: Vec<u32>,
    heights: Vec<f32>,
    /// Heights of the samples during the run.
    run_heights: Vec<f32>,
    /// Values of the maps [`LOOSE`]; `None` if the terrain had no such map.
    loose: [Option<Vec<f32>>; LOOSE.len()],
    conditions: [Option<Arc<Vec<f32>>>; CONDITIONS.len()],
}

impl KeptVoid {
    /// Prepares `terrain` for a run.
    fn hide(terrain: &mut Terrain, border: VoidBorder, samples: Vec<u32>) -> Self {
        let values = |field: &[f32]| samples.iter().map(|&k| field[k as usize]).collect::<Vec<f32>>();
        let heights = values(&terrain.height);
        let run_heights = match border {
            VoidBorder::Own | VoidBorder::Outlets => heights.clone(),
            VoidBorder::Wall => vec![WALL; samples.len()],
            VoidBorder::Margin => samples.iter().map(|&k| mean_around(terrain, k as usize)).collect(),
            VoidBorder::Leaving => {
                let is_void: Vec<bool> = (0..terrain.grid.len()).map(|k| !terrain.has_ground(k)).collect();
                values(&filled_gaps(&terrain.height, &is_void, terrain.samples()))
            }
        };
        let loose = LOOSE.map(|kind| terrain.map(kind).map(|map| values(map)));
        let conditions = CONDITIONS.map(|(kind, _)| terrain.map(kind).cloned());
        let kept = Self { grid: terrain.grid, samples, heights, run_heights, loose, conditions };
        kept.write(&mut terrain.height, &kept.run_heights);
        for (kind, _) in LOOSE.into_iter().zip(&kept.loose).filter(|(_, values)| values.is_some()) {
            kept.fill(terrain.map_mut(kind), 0.0);
        }
        CONDITIONS.iter().for_each(|&(kind, value)| kept.fill(terrain.map_mut(kind), value));
        kept
    }

    fn write(&self, field: &mut [f32], values: &[f32]) {
        self.samples.iter().zip(values).for_each(|(&k, &value)| field[k as usize] = value);
    }

    fn fill(&self, field: &mut [f32], value: f32) {
        self.samples.iter().for_each(|&k| field[k as usize] = value);
    }

    /// Gives the void samples of a terrain of the run their own values back.
    fn restore(&self, terrain: &mut Terrain) {
        self.write(&mut terrain.height, &self.heights);
        for (kind, values) in LOOSE.into_iter().zip(&self.loose) {
            match values {
                _ if terrain.map(kind).is_none() => {}
                Some(values) => self.write(terrain.map_mut(kind), values),
                None => self.fill(terrain.map_mut(kind), 0.0),
            }
        }
        for ((kind, _), map) in CONDITIONS.into_iter().zip(&self.conditions) {
            terrain.set_map(kind, map.clone());
        }
    }

    /// Sum of the heights that the void samples gained in the run.
    fn gained(&self, terrain: &Terrain) -> f64 {
        let owned = self.samples.iter().zip(&self.run_heights).filter(|(k, _)| self.grid.owns(**k as usize));
        owned.map(|(&k, &before)| f64::from(terrain.height[k as usize]) - f64::from(before)).sum()
    }
}

/// Mean height of the land around void sample `k`; 0 without land beside it.
fn mean_around(terrain: &Terrain, k: usize) -> f32 {
    let around = terrain.grid.neighbours(k).into_iter().flatten().filter(|&there| terrain.has_ground(there));
    let (sum, count) = around.fold((0.0, 0.0f32), |(sum, count), there| (sum + terrain.height[there], count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Starts a process on `terrain` with `start`. If the land ends at voids, the process runs on prepared voids.
pub fn started(
    cx: &Context,
    mut terrain: Terrain,
    border: VoidBorder,
    start: &dyn Fn(Terrain) -> Box<dyn Run>,
) -> Box<dyn Run> {
    let samples = if border == VoidBorder::Outlets { Vec::new() } else { cx.land_ends(&terrain) };
    if samples.is_empty() {
        return start(terrain);
    }
    terrain.close_seam();
    let kept = Arc::new(KeptVoid::hide(&mut terrain, border, samples));
    Box::new(LandRun { run: start(terrain), border, kept, shown: OnceLock::new() })
}

/// A run on terrain whose land ends at voids.
struct LandRun {
    run: Box<dyn Run>,
    border: VoidBorder,
    kept: Arc<KeptVoid>,
    /// The terrain of the current state with the values of the void, made when it is first read.
    shown: OnceLock<Terrain>,
}

impl LandRun {
    fn with_void(&self, mut terrain: Terrain) -> Terrain {
        self.kept.restore(&mut terrain);
        terrain
    }
}

impl Run for LandRun {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.run.step(cx)?;
        self.shown = OnceLock::new();
        Ok(())
    }

    fn step_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.shown = OnceLock::new();
        self.run.step_in_place(cx)
    }

    fn drop_records(&mut self, records: &[MapKind]) {
        self.shown = OnceLock::new();
        self.run.drop_records(records);
    }

    fn jump(&mut self, iterations: u32) -> bool {
        self.shown = OnceLock::new();
        self.run.jump(iterations)
    }

    fn terrain(&self) -> &Terrain {
        self.shown.get_or_init(|| self.with_void(self.run.terrain().clone()))
    }

    fn mass_balance(&self) -> MassBalance {
        let mut balance = self.run.mass_balance();
        if self.border == VoidBorder::Leaving {
            let gained = self.kept.gained(self.run.terrain());
            balance.deposited -= gained;
            balance.lost += gained;
        }
        balance
    }

    fn snapshot(&self) -> Box<dyn Run> {
        let (run, kept) = (self.run.snapshot(), self.kept.clone());
        Box::new(Self { run, border: self.border, kept, shown: OnceLock::new() })
    }

    fn bytes(&self) -> usize {
        self.run.bytes()
    }

    fn into_terrain(self: Box<Self>) -> Terrain {
        let Self { run, kept, .. } = *self;
        let mut terrain = run.into_terrain();
        kept.restore(&mut terrain);
        terrain
    }

    fn into_resumable_state(self: Box<Self>) -> Terrain {
        let Self { run, kept, .. } = *self;
        let mut terrain = run.into_resumable_state();
        kept.restore(&mut terrain);
        terrain
    }
}
