//! Spectral retouch: tables of random values, finer and lower each time, added to what is below.
//!
//! Law: out = h + w·s, where s is [spectral synthesis](crate::generators::spectral) of amplitude `amount` about
//! 0, and w is 1 everywhere or, in proportion to height, h itself: 0 at height 0 and below, 1 where h reaches the
//! relief. Everywhere, it is to the bit what a layer of spectral synthesis with base 0 adds. Amount 0 changes no bit.
//! Boundary and previews: as in the generator.
//! Squares only, as the generator.
//! Source: Le Martelot 2005, §3.1 (figure 11); Saupe 1988.

use crate::generators::spectral::{Interpolation, Spectral};
use crate::{Context, Filter, Generator, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// Where the tables are added.
    RetouchShare {
        Everywhere "Everywhere": "The same at all heights, as in Le Martelot 2005.",
        Height "By height": "In proportion to height: peaks become rough, lowlands and the sea floor stay as they are.",
    }
}

talweg_ground::params! {
    /// Roughens the ground: tables of random heights, finer and lower each time, are added to what is below.
    SpectralRetouch "Spectral retouch" in "Filter", from "Le Martelot 2005, §3.1; Saupe 1988", also "roughen detail layers spectral synthesis noise add" {
        /// Height added from the deepest to the highest, about, as a fraction of the relief.
        amount: f32 = 0.12, -10.0..=10.0, slider 0.0..=0.5;
        /// Where the tables are added.
        share: RetouchShare = RetouchShare::Everywhere;
        /// Random values along a side of the first table. More makes the roughness finer.
        frequency: u32 = 16, 1..=256, slider 1..=64;
        /// Number of tables. Each costs the same time.
        layers: u32 = 6, 1..=16;
        /// How many times finer each table is than the one before.
        step: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0;
        /// How high each table is beside the one before. Small is smooth, large is jagged.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8;
        /// How the values of a table are joined.
        interpolation: Interpolation = Interpolation::Cubic;
    }
}

impl Filter for SpectralRetouch {
    fn traits(&self) -> Traits {
        Traits { is_random: true, working_fields: 1.2, ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.amount == 0.0 {
            return Ok(());
        }
        let tables = Spectral {
            frequency: self.frequency,
            layers: self.layers,
            step: self.step,
            persistence: self.persistence,
            interpolation: self.interpolation,
            amplitude: self.amount,
            base: 0.0,
        };
        let mut added = vec![0.0; cx.grid.len()];
        tables.fill(cx, &mut added)?;
        cx.rows(&mut terrain.height, |i, row| {
            for (h, &s) in row.iter_mut().zip(cx.grid.row(&added, i)) {
                *h += match self.share {
                    RetouchShare::Everywhere => s,
                    RetouchShare::Height if *h > 0.0 => *h * s,
                    RetouchShare::Height => 0.0,
                };
            }
        })
    }
}
