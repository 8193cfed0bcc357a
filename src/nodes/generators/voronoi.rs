//! Voronoi.

use crate::nodes::{Cancelled, Context, Generator};

crate::params! {
    /// Voronoi.
    Voronoi "Voronoi" in "Noise", from "Perlin 1985" {
        /// Features along a side.
        frequency: f32 [""] = 4.0, 0.1..=256.0, slider 0.5..=32.0;
        /// Layers of noise.
        octaves: u32 = 8, 1..=16;
    }
}

impl Generator for Voronoi {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let f = self.frequency;
        cx.rows(out, |i, row| {
            for (j, h) in row.iter_mut().enumerate() {
                let (x, y) = (cx.grid.position(j) * f, cx.grid.position(i) * f);
                *h = cx.random.unit(x as i32, y as i32);
            }
        })
    }
}
