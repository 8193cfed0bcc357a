//! Envelopes of paraboloids: grey-scale dilation and erosion whose cost does not depend on the radius.
//!
//! Law: out(x) = max over y of h(y) - c·|x - y|², with h the heights and c the fall of the paraboloid over one cell.
//! The squared distance is a sum over the axes, so a pass over columns and then a pass over rows give the exact result.
//! Scheme: on a line, only some samples y can give the maximum: those where (y, h(y) - c·y²) is a corner of the upper
//! convex hull. One sweep builds the hull, and a second sweep walks along it, with a constant number of steps per
//! sample. Erosion is the dilation of the inverted terrain.
//! Boundary: there are no samples beyond an open edge. On wrapping grids the line continues for half a side. On a globe
//! |x - y| is the angle between both points, which is not a sum over axes. Instead, every sample adopts the paraboloid
//! of a neighbour if that paraboloid is higher at the sample, measured with the actual angle. This repeats until no
//! height rises. The scheme misses a paraboloid that is the highest at a sample, but at none of its neighbours; the
//! resulting error is below one cell.
//! Source: van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012, *Distance transforms of sampled functions*;
//! Danielsson 1980 (on globes).

use rayon::prelude::*;

use super::lines::{EightLines, LANES, index_beyond, separable};
use crate::Context;
use talweg_ground::field::topology::Adjacency;
use talweg_ground::field::{Cancelled, Edges, Globe};

/// Returns `field` dilated with paraboloids that fall by `fall` at a distance of 1 cell. With `sign` -1 it is eroded
/// instead.
pub fn dilated(cx: &Context, field: &[f32], fall: f64, sign: f64) -> Result<Vec<f32>, Cancelled> {
    if cx.grid.is_globe() {
        return dilated_globe(cx, field, fall, sign as f32);
    }
    separable(cx, field, |lines| {
        let mut hull = Hull::default();
        (0..LANES).for_each(|lane| hull.line(lines, lane, fall, sign));
    })
}

/// The highest paraboloid found so far at a sample of a globe.
#[derive(Clone, Copy)]
struct Winner {
    /// The sample at the apex of the paraboloid.
    by: u32,
    height: f32,
    /// Whether the last round of the search replaced the paraboloid.
    is_new: bool,
}

fn dilated_globe(cx: &Context, field: &[f32], fall: f64, sign: f32) -> Result<Vec<f32>, Cancelled> {
    let (grid, n) = (cx.grid, cx.grid.samples);
    let (globe, adjacency) = (Globe::new(n), Adjacency::new(grid));
    let directions: Vec<[f32; 3]> = (0..grid.len()).into_par_iter().map(|k| globe.direction_of(k)).collect();
    let cells_per_radian = (n - 1) as f64 / std::f64::consts::FRAC_PI_2;
    let fall = (fall * cells_per_radian * cells_per_radian) as f32;
    let reached = |k: usize, by: u32| {
        let ([a, b, c], [x, y, z]) = (directions[k], directions[by as usize]);
        let (dx, dy, dz) = (a - x, b - y, c - z);
        sign * field[by as usize] - fall * angle_square(dx * dx + dy * dy + dz * dz)
    };
    let alone = |k: usize| Winner { by: k as u32, height: sign * field[k], is_new: true };
    let mut winners: Vec<Winner> = (0..grid.len()).map(alone).collect();
    let mut next = winners.clone();
    while winners.iter().any(|winner| winner.is_new) {
        next.par_chunks_mut(n).enumerate().try_for_each(|(row, next)| {
            cx.control.check()?;
            for (column, next) in next.iter_mut().enumerate() {
                let k = row * n + column;
                *next = Winner { is_new: false, ..winners[k] };
                // duplicate samples on face borders appear in no neighbour list
                for there in adjacency.existing_neighbours(k) {
                    let Winner { by, is_new, .. } = winners[there];
                    if is_new && by != next.by {
                        let height = reached(k, by);
                        if height > next.height {
                            *next = Winner { by, height, is_new: true };
                        }
                    }
                }
            }
            Ok(())
        })?;
        std::mem::swap(&mut winners, &mut next);
    }
    let mut out: Vec<f32> = winners.iter().map(|winner| sign * winner.height).collect();
    grid.close(&mut out);
    Ok(out)
}

/// Square of an angle, given the square of its chord. For a chord c this is (2 asin(c/2))². The truncated series is
/// accurate to 0.3 % up to a right angle.
fn angle_square(chord: f32) -> f32 {
    chord * (1.0 + chord * (1.0 / 12.0 + chord * (1.0 / 90.0 + chord * (1.0 / 560.0 + chord * (1.0 / 3150.0)))))
}

#[derive(Default)]
struct Hull {
    height: Vec<f64>,
    /// Position and height of each corner of the upper convex hull.
    corners: Vec<(f64, f64)>,
}

impl Hull {
    fn line(&mut self, lines: &mut EightLines, lane: usize, fall: f64, sign: f64) {
        let n = lines.values.len() as i64;
        let more = if lines.grid.edges == Edges::Wrap { n / 2 } else { 0 };
        self.height.clear();
        self.height.extend((-more..0).map(|k| sign * lines.values[index_beyond(lines.grid, k)][lane]));
        self.height.extend(lines.values.iter().map(|values| sign * values[lane]));
        self.height.extend((n..n + more).map(|k| sign * lines.values[index_beyond(lines.grid, k)][lane]));
        let corners = corners_of(&self.height, fall, &mut self.corners);

        let mut here = 0;
        let (mut y, mut h) = corners[0];
        for (x, (values, &own)) in lines.values.iter_mut().zip(&self.height[more as usize..]).enumerate() {
            let x = (x as i64 + more) as f64;
            let mut best = h - fall * (x - y) * (x - y);
            while let Some(&(next, height)) = corners.get(here + 1) {
                let reached = height - fall * (x - next) * (x - next);
                if reached < best {
                    break;
                }
                (y, h, best, here) = (next, height, reached, here + 1);
            }
            values[lane] = sign * if best > own { best } else { own };
        }
    }
}

/// Writes the corners of the upper convex hull of (y, h(y) - fall·y²) to `corners` and returns them.
fn corners_of<'a>(height: &[f64], fall: f64, corners: &'a mut Vec<(f64, f64)>) -> &'a [(f64, f64)] {
    corners.resize(height.len(), (0.0, 0.0));
    let mut count = 0;
    for (q, &h) in height.iter().enumerate() {
        let q = q as i32 as f64;
        while let [.., (a, ha), (b, hb)] = corners[..count] {
            let (ab, bq) = (b - a, q - b);
            if (hb - ha) * bq - (h - hb) * ab + fall * (ab + bq) * ab * bq > 0.0 {
                break;
            }
            count -= 1;
        }
        corners[count] = (q, h);
        count += 1;
    }
    &corners[..count]
}
