//! The strength of the sea's attack at each point of the shore, from the open water around the point.
//!
//! Law: E = Σ w_k √(f_k / F) / 6 over 16 directions, with E the exposure. f_k is the length of open water in direction
//! k, at most the fetch F. The weight is w_k = 1 - p + 2 p cos² α, with p `prevailing`. α is the angle between
//! direction k and the strongest waves, and the cos² term is 0 on the side turned away from these waves. A straight
//! coast that faces an open sea and these waves has E = 1. Of the 8 directions on its sea side, the two directions that
//! graze the coast hit its own rock. Wave height grows with the square root of the fetch (Sverdrup & Munk 1947). No
//! direction runs along a row, a column or a diagonal, so that coasts in these directions get no more waves than other
//! coasts. The distance between the samples of a ray increases with the distance from the coast. Beyond an open edge
//! samples read the edge cells. Storm waves run over the beaches, so only terrain above the beaches blocks a ray.
//!
//! Scheme: the samples of a ray are at whole grid steps, the same for every cell. They are read from a table that tells
//! which cells block waves.

use super::shore::CoastalNeighbours;
use super::{Coastal, CoastalLaw};
use crate::Context;
use talweg_ground::field::Cancelled;

const DIRECTIONS: usize = 16;
/// Number of directions in which a straight coast faces open sea.
const FACING: f32 = 6.0;
/// Distance of a ray's first sample, in cells. The sample is outside the cell itself and the foot of its slope.
const FIRST: f32 = 1.5;
/// Ratio of the distances of consecutive samples of a ray. Consecutive samples are at least one cell apart.
const STRETCH: f32 = 1.3;

/// The open water around each cell of a coast.
#[derive(Default)]
pub struct Fetch {
    /// Grid steps to the south and to the east from the cell to every sample, direction by direction.
    ray_steps: Vec<[i32; 2]>,
    weights: [f32; DIRECTIONS],
    /// Values of √(f / F) for a ray that is blocked at the nth sample, indexed by n. The last entry is for a ray that
    /// is never blocked.
    openness: Vec<f32>,
    /// Whether the terrain of a cell blocks waves.
    blocks: Vec<bool>,
}

impl Fetch {
    /// Computes the samples and the openness of the rays for the waves of `params`.
    pub fn prepare(&mut self, cx: &Context, params: &Coastal) {
        let radians = |degrees: f32| degrees * (std::f32::consts::PI / 180.0);
        let fetch = params.fetch / cx.cell_metres();
        // at distances of more than twice the side length a ray meets no new cells
        let most = 2.0 * cx.grid.samples as f32;
        let fetch = if fetch < most { fetch } else { most };
        let fetch = if fetch > FIRST { fetch } else { FIRST };
        let mut distances = Vec::new();
        let mut distance = FIRST;
        while distance < fetch {
            distances.push(distance);
            distance = if distance * STRETCH > distance + 1.0 { distance * STRETCH } else { distance + 1.0 };
        }
        self.openness.clear();
        self.openness.extend(distances.iter().map(|d| (d / fetch).sqrt()));
        if let Some(first) = self.openness.first_mut() {
            *first = 0.0;
        }
        self.openness.push(if distances.is_empty() { 0.0 } else { 1.0 });
        self.ray_steps.clear();
        for (k, weight) in self.weights.iter_mut().enumerate() {
            let azimuth = (k as f32 + 0.5) * (360.0 / DIRECTIONS as f32);
            let towards = libm::cosf(radians(azimuth - params.wave_azimuth));
            let facing = if towards > 0.0 { 2.0 * towards * towards } else { 0.0 };
            *weight = (1.0 - params.prevailing + params.prevailing * facing) / FACING;
            let (east, south) = (libm::sinf(radians(azimuth)), -libm::cosf(radians(azimuth)));
            let step = |part: f32| (part + 0.5).floor() as i32;
            self.ray_steps.extend(distances.iter().map(|d| [step(south * d), step(east * d)]));
        }
    }

    /// Finds the cells whose terrain is high enough to block waves.
    pub fn find_blocking_cells(&mut self, cx: &Context, law: &CoastalLaw, height: &[f32]) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        self.blocks.resize(height.len(), false);
        cx.rows(&mut self.blocks, |i, row| {
            row.iter_mut().zip(&height[i * n..]).for_each(|(stands, &h)| *stands = h >= law.flooded);
        })
    }

    /// Returns the exposure E of the cell in row `i` and column `j`.
    pub fn exposure(&self, ring: CoastalNeighbours, i: usize, j: usize) -> f32 {
        let count = self.openness.len() - 1;
        if count == 0 {
            return 0.0;
        }
        let here = i * ring.samples + j;
        let mut sum = 0.0;
        for (looks, weight) in self.ray_steps.chunks_exact(count).zip(self.weights) {
            let [south, east] = looks[count - 1];
            let inside = ring.holds(i as isize + south as isize, j as isize + east as isize);
            let stands = |&[south, east]: &[i32; 2]| {
                let (south, east) = (south as isize, east as isize);
                let place = if inside {
                    here.wrapping_add_signed(south * ring.samples as isize + east)
                } else {
                    ring.clamped_cell(i as isize + south, j as isize + east)
                };
                self.blocks[place]
            };
            let end = looks.iter().position(stands).unwrap_or(count);
            sum += weight * self.openness[end];
        }
        sum
    }
}
