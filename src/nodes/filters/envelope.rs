//! Envelopes of paraboloids: grey dilation and erosion at the same cost for any radius.
//!
//! Law: out(x) = max over y of h(y) - c·|x - y|². The square of the distance is a sum over the axes, so columns and
//! then rows give the exact result. Scheme: on a line, sample y can only win where (y, h(y) - c·y²) is a corner of the
//! upper convex hull; one sweep builds the hull, one more walks along it, a constant number of steps per sample.
//! Erosion is the dilation of the terrain upside down.
//! Boundary: beyond an open edge there is nothing; on wrapping grids the line goes on for half a side. The rows and
//! columns of a globe's face go on over its borders as far as a paraboloid can reach, at most a side.
//! Source: van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012, *Distance transforms of sampled functions*.

use super::lines::{EightLines, LANES, index_beyond, separable};
use crate::field::topology::Beyond;
use crate::field::{Cancelled, Edges, Grid};
use crate::nodes::Context;

/// `field` dilated with paraboloids that fall by `fall` at distance 1 cell, or eroded if `sign` is -1.
pub fn dilated(cx: &Context, field: &[f32], fall: f64, sign: f64) -> Result<Vec<f32>, Cancelled> {
    let grid = cx.grid;
    if !grid.is_globe() {
        return dilated_square(cx, field, fall, sign);
    }
    let n = grid.samples;
    let (low, high) = field.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), &h| (lo.min(h), hi.max(h)));
    let reach = ((f64::from(high) - f64::from(low)) / fall).sqrt();
    let margin = (libm::ceil(reach) as usize).clamp(1, n - 1);
    let square = Context { grid: Grid::working(n + 2 * margin, Edges::Open), ..*cx };
    let mut out = vec![0.0; field.len()];
    for (face, out) in out.chunks_mut(n * n).enumerate() {
        let wide = grid.face_with_margin(field, face, margin, Beyond::Nearest);
        let wide = dilated_square(&square, &wide, fall, sign)?;
        let rows = wide.chunks(n + 2 * margin).skip(margin);
        out.chunks_mut(n).zip(rows).for_each(|(out, row)| out.copy_from_slice(&row[margin..margin + n]));
    }
    grid.close(&mut out);
    Ok(out)
}

fn dilated_square(cx: &Context, field: &[f32], fall: f64, sign: f64) -> Result<Vec<f32>, Cancelled> {
    separable(cx, field, |lines| {
        let mut hull = Hull::default();
        (0..LANES).for_each(|lane| hull.line(lines, lane, fall, sign));
    })
}

#[derive(Default)]
struct Hull {
    height: Vec<f64>,
    /// Place and height.
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

/// The corners of the upper convex hull of (y, h(y) - fall·y²), in `corners`.
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
