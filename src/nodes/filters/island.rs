//! Island falloff: the terrain sinks towards the edges.
//!
//! Law: out = w·h + (1 - w)·(-depth), w = 3t² - 2t³, t = (d - coast·n) / width limited to [0, 1]. d is the distance
//! from the outline: a square that touches the edges, with corners rounded by `roundness` (0 a square, 1 a circle). d
//! is a fraction of the terrain's side length and positive inside the outline. n in [0, 1] is fractal gradient noise
//! with `bays` features along a side. Bays only reach inwards, so the edges are at exactly -depth.
//! Boundary: on wrapping grids the noise repeats; the edges are level in any case. A preview is exactly a subsample of
//! the full size.
//! Squares only: a planet has no edges.
//! Source: distance to a rounded box, Quílez 2008; noise of Perlin 2002.

use crate::generators::gradient_noise::GradientNoise;
use crate::generators::octaves::{self, NoiseFade, Octaves};
use crate::generators::warp::DomainWarp;
use crate::{Context, Filter, NodeMemory, Traits};
use talweg_ground::field::{Cancelled, Terrain, smooth_step};

talweg_ground::params! {
    /// Makes an island: the terrain sinks below the sea towards the edges, along a coast with bays and headlands.
    Island "Island falloff" in "Filter", from "Quílez 2008; Perlin 2002", also "coast falloff vignette edge sea mask continent border" {
        /// Depth of the sea floor at the edges, below height 0.
        depth: f32 ["m"] = 200.0, 0.0..=100_000.0, slider 0.0..=2000.0;
        /// Width of the slope from land to sea floor, as a fraction of the side: small values give cliffs, large values
        /// long shores.
        width: f32 ["share"] = 0.3, 0.001..=1.0, slider 0.02..=0.5;
        /// Roundness of the outline: 0 is a square, 1 a circle.
        roundness: f32 ["share"] = 0.8, 0.0..=1.0;
        /// Length of the bays, as a fraction of the side: 0 gives a coast without bays.
        coast: f32 ["share"] = 0.2, 0.0..=1.0, slider 0.0..=0.5;
        /// Approximate number of bays and headlands along a side.
        bays: f32 = 4.0, 0.1..=256.0, slider 1.0..=16.0 => |island| island.coast > 0.0;
        /// Number of octaves of the coast: 1 gives a smooth coast, many octaves give a ragged coast.
        octaves: u32 = 6, 1..=16, slider 1..=10 => |island| island.coast > 0.0;
    }
}

impl Filter for Island {
    fn traits(&self) -> Traits {
        Traits { is_random: true, memory: NodeMemory::constant(1.1), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let law = Octaves { count: self.octaves, frequency: self.bays, lacunarity: 2.0, offset: [0.0; 2] };
        let weights = octaves::weights(self.octaves, 0.5, 1.0);
        let mut noise = vec![0.0; cx.grid.len()];
        GradientNoise::new(cx.grid, cx.random, &law, NoiseFade::Improved, DomainWarp::NONE)
            .sum(cx, 0.5, &weights, &mut noise)?;
        let floor = -self.depth / cx.relief_metres;
        cx.rows(&mut terrain.height, |i, row| {
            let v = cx.grid.row_position(i);
            for (j, (h, &n)) in row.iter_mut().zip(cx.grid.row(&noise, i)).enumerate() {
                let inland =
                    distance_inside(cx.grid.column_position(j), v, self.roundness) - self.coast * n.clamp(0.0, 1.0);
                let t = (inland / self.width).clamp(0.0, 1.0);
                let w = smooth_step(t);
                *h = floor + (*h - floor) * w;
            }
        })
    }
}

/// Distance inside the outline as a fraction of the side; negative outside the outline.
fn distance_inside(u: f32, v: f32, roundness: f32) -> f32 {
    let corner = 0.5 * roundness;
    let (x, y) = ((u - 0.5).abs() - (0.5 - corner), (v - 0.5).abs() - (0.5 - corner));
    if x > 0.0 && y > 0.0 { corner - (x * x + y * y).sqrt() } else { corner - if x > y { x } else { y } }
}
