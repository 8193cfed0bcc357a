//! Uplift: a map of tectonic uplift made from the heights of the layers below.
//!
//! Law: uplift = (z - low)/(high - low), limited to [0, 1], with z the height in metres. The new height is level +
//! kept·(z - level).
//! Source: Schott, Paris, Fournier, Guérin & Galin 2023, *Large-scale Terrain Authoring through Interactive Erosion
//! Simulation* (uplift as authored input, whatever its origin).

use std::sync::Arc;

use crate::{Context, Filter, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::params! {
    /// Turns the heights of the layers below into an uplift map for *Uplift and stream power* above: higher terrain
    /// rises faster. The terrain is flattened, so that the mountains can grow from an image, a construction or any
    /// noise.
    UpliftMap "Uplift" in "Maps", from "Schott et al. 2023", also "tectonics rise orogeny author paint" {
        /// Height up to which there is no uplift.
        low: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        /// Height above which the uplift is at its maximum.
        high: f32 ["m"] = 1000.0, -100_000.0..=100_000.0, slider 0.0..=4000.0;
        /// Fraction of the relief of the layers below that remains: 0 leaves a plain, 1 leaves the whole relief.
        kept: f32 ["share"] = 0.05, 0.0..=1.0;
        /// Height of the plain to which the terrain is flattened.
        level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

impl Filter for UpliftMap {
    fn traits(&self) -> Traits {
        Traits { writes: &[MapKind::Uplift], on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let relief = cx.relief_metres;
        let (low, span) = (self.low / relief, (self.high - self.low) / relief);
        let level = self.level / relief;
        let mut map = vec![0.0; terrain.grid.len()];
        cx.rows(&mut map, |row, cells| {
            for (uplift, &h) in cells.iter_mut().zip(cx.grid.row(&terrain.height, row)) {
                // if low and high are equal, the map is a step at that height
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
