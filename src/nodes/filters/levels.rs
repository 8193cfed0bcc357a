//! Levels.

use crate::field::Terrain;
use crate::nodes::{Cancelled, Context, Filter};

crate::params! {
    /// Levels.
    Levels "Levels" in "Filters" {
        /// Exponent.
        gamma: f32 [""] = 1.0, 0.1..=10.0;
    }
}

impl Filter for Levels {
    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.rows(&mut terrain.height, |_, row| row.iter_mut().for_each(|h| *h *= self.gamma))
    }
}
