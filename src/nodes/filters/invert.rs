//! Invert: turns the terrain upside down.
//!
//! Law: out = 2 · level - h. Applied twice, it restores the terrain, up to rounding.
//! Boundary: no effect, because each sample is independent.
//! Source: the negative of image editors; Gonzalez & Woods 2018, §3.2.

use crate::{Context, Filter, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Turns the terrain upside down: peaks become pits, ridges become valleys.
    Invert "Invert" in "Filter", from "Gonzalez & Woods 2018", also "negative flip upside down reverse" {
        /// Height that stays unchanged, as a fraction of the relief: larger values raise the whole result.
        level: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
    }
}

impl Filter for Invert {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.rows(&mut terrain.height, |_, row| row.iter_mut().for_each(|h| *h = 2.0 * self.level - *h))
    }
}
