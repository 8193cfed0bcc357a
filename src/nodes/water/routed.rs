//! A terrain with its water routed.

use std::borrow::Cow;

use crate::field::{Cancelled, Terrain};
use crate::hydrology::{Basins, Cells, Descent, Outlets, Steering};
use crate::nodes::Context;

/// Heights, receivers without pits, and hollows of a terrain, in cells.
pub struct Routed<'a> {
    pub cells: Cells,
    pub height: Cow<'a, [f32]>,
    pub outlets: Outlets,
    pub descent: Descent,
    pub basins: Basins,
}

impl<'a> Routed<'a> {
    pub fn new(cx: &Context, terrain: &'a Terrain, sea_metres: f32, steering: Steering) -> Result<Self, Cancelled> {
        let cells = Cells::of(terrain.grid);
        let height = cells.gather(&terrain.height);
        let outlets = Outlets::new(cells, &height, sea_metres / cx.relief_metres);
        let mut descent = Descent::new(cells, &height, &outlets, steering, cx.control)?;
        let basins = Basins::new(cells, &height, &outlets, &descent, cx.control)?;
        basins.drain(cells, &mut descent, cx.control)?;
        Ok(Self { cells, height, outlets, descent, basins })
    }

    /// The ground with its hollows full.
    pub fn filled(&self) -> Vec<f32> {
        self.basins.filled(&self.height)
    }

    /// `values` of the cells on the whole grid.
    pub fn spread(&self, values: &[f32], terrain: &Terrain) -> Vec<f32> {
        let mut field = vec![0.0; terrain.grid.len()];
        self.cells.scatter(values, &mut field);
        field
    }
}
