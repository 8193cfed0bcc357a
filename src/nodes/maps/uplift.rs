//! Uplift: where mountains rise, painted with the heights of the layers below.
//!
//! Law: uplift = (z - low)/(high - low), held to [0, 1], with z the height in metres; what is left of the ground is
//! level + kept·(z - level).
//! Source: Schott, Paris, Fournier, Guérin & Galin 2023, *Large-scale Terrain Authoring through Interactive Erosion
//! Simulation* (uplift as what an author paints, whatever it comes from).

use std::sync::Arc;

use crate::{Context, Filter, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::params! {
    /// Says where mountains rise, for uplift and stream power above: the higher the layers below, the faster. A
    /// picture, a construction or any noise becomes a map of the uplift, and the ground is levelled for the mountains
    /// to grow.
    UpliftMap "Uplift" in "Maps", from "Schott et al. 2023", also "tectonics rise orogeny author paint" {
        /// Height that does not rise.
        low: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        /// Height that rises fastest.
        high: f32 ["m"] = 1000.0, -100_000.0..=100_000.0, slider 0.0..=4000.0;
        /// How much of the ground below stays, from a plain to all of it.
        kept: f32 ["share"] = 0.05, 0.0..=1.0;
        /// Height of the plain.
        level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

impl Filter for UpliftMap {
    fn traits(&self) -> Traits {
        Traits { writes: &[MapKind::Uplift], on_globe: true, ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let relief = cx.relief_metres;
        let (low, span) = (self.low / relief, (self.high - self.low) / relief);
        let level = self.level / relief;
        let mut map = vec![0.0; terrain.grid.len()];
        cx.rows(&mut map, |row, cells| {
            for (uplift, &h) in cells.iter_mut().zip(cx.grid.row(&terrain.height, row)) {
                // without a span it is a step at that height
                let share = if span == 0.0 { f32::from(u8::from(h > low)) } else { (h - low) / span };
                *uplift = share.clamp(0.0, 1.0);
            }
        })?;
        let kept = self.kept;
        cx.rows(&mut terrain.height, |_, cells| {
            cells.iter_mut().for_each(|h| *h = level + kept * (*h - level));
        })?;
        terrain.set_map(MapKind::Uplift, Some(Arc::new(map)));
        Ok(())
    }
}
