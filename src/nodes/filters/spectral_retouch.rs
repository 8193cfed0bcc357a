//! Spectral retouch: adds tables of random values to the input terrain, each finer and lower than the previous table.
//!
//! Law: out = h + w·s, where s is [spectral synthesis](crate::generators::spectral) of amplitude `amount` around zero.
//! The weight w is 1 everywhere, or h itself: 0 at height 0 and below, 1 where h reaches the relief. With w = 1, the
//! result is exactly that of an added layer of spectral synthesis with base 0. Amount 0 changes nothing.
//! Boundary and previews: as in the generator.
//! Squares only: the generator needs a square as well.
//! Source: Le Martelot 2005, §3.1 (figure 11); Saupe 1988.

use crate::generators::spectral::{Interpolation, Spectral};
use crate::{Context, Filter, Generator, NodeMemory, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// The heights at which the random detail is added.
    RetouchShare {
        Everywhere "Everywhere": "The same amount at all heights, as in Le Martelot 2005.",
        Height "By height": "In proportion to height: peaks become rough, lowlands and the sea floor stay unchanged.",
    }
}

talweg_ground::params! {
    /// Roughens the terrain by adding tables of random heights, each finer and lower than the previous one.
    SpectralRetouch "Spectral retouch" in "Filter", from "Le Martelot 2005, §3.1; Saupe 1988", also "roughen detail layers spectral synthesis noise add" {
        /// Approximate height range of the added detail, as a fraction of the relief.
        amount: f32 = 0.12, -10.0..=10.0, slider 0.0..=0.5;
        /// Heights at which the random detail is added: the same amount at all heights, or more on higher ground.
        share: RetouchShare = RetouchShare::Everywhere;
        /// Number of random values along a side of the first table: larger values make the roughness finer.
        frequency: u32 = 16, 1..=256, slider 1..=64;
        /// Number of tables: more tables add finer detail. Each table takes the same time.
        layers: u32 = 6, 1..=16;
        /// Frequency of each table relative to the previous one.
        step: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0 => |spectral| spectral.layers > 1 && spectral.persistence > 0.0;
        /// Amplitude of each table relative to the previous table: small values give smooth terrain, large values
        /// jagged terrain.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8 => |spectral| spectral.layers > 1;
        /// Interpolation between the values of a table.
        interpolation: Interpolation = Interpolation::Cubic;
    }
}

impl Filter for SpectralRetouch {
    fn traits(&self) -> Traits {
        Traits { is_random: true, memory: NodeMemory::constant(1.2), ..Traits::FILTER }
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
            ..Spectral::default()
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
