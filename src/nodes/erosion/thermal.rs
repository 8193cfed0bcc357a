//! Thermal erosion, reference form.

use crate::field::Terrain;
use crate::nodes::{Cancelled, Context, Ledger, Process, Run};

crate::choices! {
    /// Which cells count as neighbours.
    Neighbours {
        Moore "Moore (8)": "All eight cells around.",
        VonNeumann "Von Neumann (4)": "North, east, south and west.",
        Rotated "Rotated (4)": "The four diagonals.",
    }
}

crate::params! {
    /// Lets loose rock slide until no slope is steeper than the talus angle.
    Thermal "Thermal erosion" in "Erosion", from "Olsen 2004; Musgrave et al. 1989" {
        /// Iterations, counted at the scene's resolution.
        iterations: u32 [""] = 50, 0..=10_000, slider 1..=500;
        /// Steepest slope that stays where it is.
        talus_angle: f32 ["°"] = 34.0, 0.0..=89.0, slider 15.0..=60.0;
        /// Share of the excess height moved in one iteration.
        rate: f32 [""] = 0.5, 0.0..=1.0, slider 0.05..=1.0;
        /// Which cells count as neighbours.
        neighbours: Neighbours = Neighbours::Moore;
    }
}

#[derive(Clone)]
struct Slide {
    terrain: Terrain,
}

impl Process for Thermal {
    fn iterations(&self) -> u32 {
        self.iterations
    }
    fn start(&self, _cx: &Context, terrain: Terrain) -> Box<dyn Run> {
        Box::new(Slide { terrain })
    }
}

impl Run for Slide {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        cx.rows(&mut self.terrain.height, |_, row| row.iter_mut().for_each(|h| *h *= 0.99))
    }
    fn terrain(&self) -> &Terrain {
        &self.terrain
    }
    fn ledger(&self) -> Ledger {
        Ledger::default()
    }
    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(self.clone())
    }
    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}
