//! How strongly the sea attacks a place on the shore: the open water it sees.
//!
//! Law: E = Σ w_k √(f_k / F) / 6 over 16 directions, f_k the open water in direction k (at most the fetch F), with
//! w_k = 1 - p + 2 p cos² of the angle to the strongest waves, 0 for the side turned away. A straight coast that faces an open sea and these waves
//! has E = 1: of the 8 directions on its side, the two that graze it meet its own rock. Wave height grows with the root of the fetch (Sverdrup & Munk 1947). No direction lies on a row, a column or a diagonal, so that these
//! see no more sea than others. A ray looks ever farther apart, and what lies beyond an open edge is as the edge.

use super::coastal::Coastal;
use super::coastal_shore::Ring;
use crate::nodes::Context;

const DIRECTIONS: usize = 16;
/// Directions in which a straight coast sees the sea.
const FACING: f32 = 6.0;
/// A ray's first look, in cells: beyond the cell itself and what it stands on.
const FIRST: f32 = 1.5;
/// How much farther each look is than the one before, and at least a cell.
const STRETCH: f32 = 1.3;

/// The waves of a coast.
pub struct Waves {
    ring: Ring,
    sea: f32,
    /// The fetch in cells.
    fetch: f32,
    /// East, south, and weight.
    rays: [[f32; 3]; DIRECTIONS],
}

impl Waves {
    pub fn new(cx: &Context, params: &Coastal) -> Self {
        let radians = |degrees: f32| degrees * (std::f32::consts::PI / 180.0);
        let rays = std::array::from_fn(|k| {
            let azimuth = (k as f32 + 0.5) * (360.0 / DIRECTIONS as f32);
            let towards = libm::cosf(radians(azimuth - params.wave_azimuth));
            let facing = if towards > 0.0 { 2.0 * towards * towards } else { 0.0 };
            let weight = 1.0 - params.prevailing + params.prevailing * facing;
            [libm::sinf(radians(azimuth)), -libm::cosf(radians(azimuth)), weight / FACING]
        });
        let fetch = params.fetch / cx.cell_metres();
        // beyond twice the side there is nothing new to see
        let most = 2.0 * cx.grid.samples as f32;
        let fetch = if fetch < FIRST {
            FIRST
        } else if fetch > most {
            most
        } else {
            fetch
        };
        Self { ring: Ring::new(cx.grid), sea: cx.sea_level, fetch, rays }
    }

    /// The exposure of the cell in row `i` and column `j`.
    pub fn exposure(&self, height: &[f32], i: usize, j: usize) -> f32 {
        let mut sum = 0.0;
        for [east, south, weight] in self.rays {
            let mut distance = FIRST;
            while distance < self.fetch {
                let (x, y) = (j as f32 + east * distance, i as f32 + south * distance);
                if height[self.ring.near(x, y)] >= self.sea {
                    break;
                }
                distance = if distance * STRETCH > distance + 1.0 { distance * STRETCH } else { distance + 1.0 };
            }
            if distance > FIRST {
                let open = if distance > self.fetch { 1.0 } else { distance / self.fetch };
                sum += weight * open.sqrt();
            }
        }
        sum
    }
}
