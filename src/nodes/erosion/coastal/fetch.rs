//! How strongly the sea attacks a place on the shore: the open water it sees.
//!
//! Law: E = Σ w_k √(f_k / F) / 6 over 16 directions, f_k the open water in direction k (at most the fetch F), with
//! w_k = 1 - p + 2 p cos² of the angle to the strongest waves, 0 for the side turned away. A straight coast that faces
//! an open sea and these waves has E = 1: of the 8 directions on its side, the two that graze it meet its own rock.
//! Wave height grows with the root of the fetch (Sverdrup & Munk 1947). No direction lies on a row, a column or a
//! diagonal, so that these see no more sea than others. A ray looks ever farther apart, and what lies beyond an open
//! edge is as the edge. Storms run over the beaches: only ground above them stands in a ray's way.
//!
//! Scheme: the looks of a ray are whole steps of the grid, the same for every cell, over a table of what stands in the
//! way.

use super::shore::CoastalNeighbours;
use super::{Coastal, CoastalLaw};
use crate::Context;
use talweg_ground::field::Cancelled;

const DIRECTIONS: usize = 16;
/// Directions in which a straight coast sees the sea.
const FACING: f32 = 6.0;
/// A ray's first look, in cells: beyond the cell itself and what it stands on.
const FIRST: f32 = 1.5;
/// How much farther each look is than the one before, and at least a cell.
const STRETCH: f32 = 1.3;

/// The waves of a coast.
#[derive(Default)]
pub struct Fetch {
    /// Steps to the south and to the east of every look of every direction.
    looks: Vec<[i32; 2]>,
    weights: [f32; DIRECTIONS],
    /// √(f / F) of a ray that ends at its nth look, and after the last.
    openness: Vec<f32>,
    /// Whether the ground of a cell stands in the way of waves.
    stands: Vec<bool>,
}

impl Fetch {
    /// Makes ready for the waves of `params`.
    pub fn prepare(&mut self, cx: &Context, params: &Coastal) {
        let radians = |degrees: f32| degrees * (std::f32::consts::PI / 180.0);
        let fetch = params.fetch / cx.cell_metres();
        // beyond twice the side there is nothing new to see
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
        self.looks.clear();
        for (k, weight) in self.weights.iter_mut().enumerate() {
            let azimuth = (k as f32 + 0.5) * (360.0 / DIRECTIONS as f32);
            let towards = libm::cosf(radians(azimuth - params.wave_azimuth));
            let facing = if towards > 0.0 { 2.0 * towards * towards } else { 0.0 };
            *weight = (1.0 - params.prevailing + params.prevailing * facing) / FACING;
            let (east, south) = (libm::sinf(radians(azimuth)), -libm::cosf(radians(azimuth)));
            let step = |part: f32| (part + 0.5).floor() as i32;
            self.looks.extend(distances.iter().map(|d| [step(south * d), step(east * d)]));
        }
    }

    /// Finds what stands in the way of the waves.
    pub fn look_around(&mut self, cx: &Context, law: &CoastalLaw, height: &[f32]) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        self.stands.resize(height.len(), false);
        cx.rows(&mut self.stands, |i, row| {
            row.iter_mut().zip(&height[i * n..]).for_each(|(stands, &h)| *stands = h >= law.flooded);
        })
    }

    /// The exposure of the cell in row `i` and column `j`.
    pub fn exposure(&self, ring: CoastalNeighbours, i: usize, j: usize) -> f32 {
        let count = self.openness.len() - 1;
        if count == 0 {
            return 0.0;
        }
        let here = i * ring.samples + j;
        let mut sum = 0.0;
        for (looks, weight) in self.looks.chunks_exact(count).zip(self.weights) {
            let [south, east] = looks[count - 1];
            let inside = ring.holds(i as isize + south as isize, j as isize + east as isize);
            let stands = |&[south, east]: &[i32; 2]| {
                let (south, east) = (south as isize, east as isize);
                let place = if inside {
                    here.wrapping_add_signed(south * ring.samples as isize + east)
                } else {
                    ring.clamped_cell(i as isize + south, j as isize + east)
                };
                self.stands[place]
            };
            let end = looks.iter().position(stands).unwrap_or(count);
            sum += weight * self.openness[end];
        }
        sum
    }
}
