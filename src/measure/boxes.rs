//! Fractal dimension by box counting.
//!
//! Equation: N(s) boxes of side s, stacked in columns on a square lattice, cover the surface. On a self-affine surface,
//! N is proportional to s^-D, where D is the fractal dimension. The heights are scaled so that the relief equals the
//! side length, and D therefore does not depend on the vertical scale. A column counts its height range divided by s,
//! including fractions, so that N does not jump where the surface crosses a box boundary.
//!
//! Every column is sampled at 5 × 5 points, whatever its size, because the height range over more points is wider. If
//! all samples were used, large columns of a rough surface would count more boxes than small columns only because they
//! contain more samples. The computed D would then be too low, by 0.2 at D = 2.7.
//!
//! Scheme: box sizes are 4, 8, 12, 16, 24, 32 … cells up to an eighth of the side length. Incomplete columns at the far
//! edges are skipped.
//!
//! Source: Clarke 1986; Dubuc et al. 1989 (ranges for boxes); Sarkar & Chaudhuri 1994.

use super::ground::DistinctSamples;
use super::line::Fitted;
use super::variogram::{LEAST_POINTS, sizes};
use crate::field::{Cancelled, Control};

/// Number of steps along each side of a column between the sampled points: 5 × 5 points per column.
const STEPS: usize = 4;

/// Returns points of log₁₀ of the number of boxes over log₁₀ of the box side in metres, with the fitted line. The
/// terrain must not be level, and `normalised` holds its heights from 0 to 1. Returns `None` if the terrain has too few
/// samples.
pub fn box_counting(
    ground: &DistinctSamples,
    normalised: &[f32],
    control: &Control,
) -> Result<Option<Fitted>, Cancelled> {
    let cells = ground.cells;
    // Number of sample intervals along a side. A wrapping terrain has one more interval, from its last sample back to
    // its first.
    let side = if cells.wraps { cells.side } else { cells.side - 1 };
    let mut points = Vec::new();
    for step in sizes(side / STEPS, side / STEPS) {
        let size = step * STEPS;
        let across = side / size;
        let mut sum = 0.0;
        for i in 0..across {
            control.check()?;
            let rows: [&[f32]; STEPS + 1] = std::array::from_fn(|k| {
                let row = (i * size + k * step) % cells.side;
                &normalised[row * cells.side..][..cells.side]
            });
            for j in 0..across {
                let at: [usize; STEPS + 1] = std::array::from_fn(|k| {
                    let column = j * size + k * step;
                    if column == cells.side { 0 } else { column }
                });
                let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
                for row in rows {
                    for h in at.map(|column| row[column]) {
                        low = if h < low { h } else { low };
                        high = if h > high { h } else { high };
                    }
                }
                // A column without any data contains no box.
                sum += if high >= low { f64::from(high - low) } else { 0.0 };
            }
        }
        let per_side = side as f64 / size as f64;
        let boxes = per_side * per_side * per_side * sum / (across * across) as f64;
        if boxes > 0.0 {
            points.push([libm::log10(size as f64 * ground.cell_metres()), libm::log10(boxes)]);
        }
    }
    Ok(Fitted::new(points, LEAST_POINTS))
}
