//! Domain warp: noise displaces the terrain horizontally.
//!
//! Law: out(p) = h(p + d(p)). The components of d are fractal noise (`displacement`) with `octaves` octaves. The
//! features of the first octave are `size` wide, and d is within about ± `amount`. Heights are read bicubically, data
//! maps bilinearly ([`sampling`](super::sampling)). Amount 0 changes nothing.
//! Boundary: beyond an open edge the edge sample is read; wrapping terrains stay seamless. On a globe d is tangential
//! to the surface.
//! Source: Perlin 1985; Ebert et al. 2003, ch. 2; Quílez 2002.

use super::displacement::{DisplacementField, DisplacementNoise, displacement_limit};
use super::sampling::{OutsideFill, Resampling, resample_globe, resample_terrain};
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, StencilRadius, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Distorts the terrain with noise: straight ridges become winding, round hills and coasts ragged. Data maps such
    /// as water and wear move as well.
    Warp "Warp" in "Filter", from "Perlin 1985; Quílez 2002", also "domain distortion turbulence displace swirl bend twist" {
        /// Approximate maximum displacement. Values above the size fold the terrain over itself.
        amount: f32 ["m"] = 250.0, 0.0..=1_000_000.0, slider 0.0..=1000.0;
        /// Width of the largest bends.
        size: f32 ["m"] = 1500.0, 1.0..=1_000_000.0, slider 100.0..=8000.0;
        /// Number of octaves: 1 makes sweeping curves, many octaves make ragged outlines.
        octaves: u32 = 3, 1..=16, slider 1..=8;
        /// Strength of each octave relative to the previous one: larger values make outlines more ragged.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8 => |warp| warp.octaves > 1;
    }
}

impl Filter for Warp {
    fn traits(&self) -> Traits {
        Traits {
            is_random: true,
            previews_exactly: false,
            on_planet: Some(OnPlanet { more_fields: 2.1, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(3.0),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::Within(StencilRadius::of_metres(displacement_limit(self.amount, self.octaves, self.persistence), 4))
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.amount == 0.0 {
            return Ok(());
        }
        let drift = DisplacementField::new(
            cx,
            &DisplacementNoise {
                reach_metres: self.amount,
                size_metres: self.size,
                octaves: self.octaves,
                persistence: self.persistence,
            },
        )?;
        if cx.grid.is_globe() {
            return resample_globe(cx, terrain, Resampling::Cubic, |k, here| {
                let push = drift.along_ground(k, here);
                std::array::from_fn(|axis| here[axis] + push[axis])
            });
        }
        let [rows, columns] = cx.grid.first();
        resample_terrain(cx, terrain, OutsideFill::for_edges(cx.grid), Resampling::Cubic, |i, j| {
            let [south, east] = drift.displacement_at(i, j);
            [(rows + i) as f64 + south, (columns + j) as f64 + east]
        })
    }
}
