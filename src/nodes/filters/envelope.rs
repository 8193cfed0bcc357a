//! Envelopes of paraboloids: grey dilation and erosion at the same cost for any radius.
//!
//! Law: out(x) = max over y of h(y) - c·|x - y|². The square of the distance is a sum over the axes, so columns and then rows
//! give the exact result. Scheme: on a line, sample y can only win where (y, h(y) - c·y²) is a corner of the upper convex
//! hull; one sweep builds the hull, one more walks along it, a constant number of steps per sample. Erosion is the
//! dilation of the terrain upside down.
//! Boundary: beyond an open edge there is nothing; on wrapping grids the line goes on for half a side.
//! Source: van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012, *Distance transforms of sampled functions*.

use super::lines::{LANES, Lines, beyond, separable};
use crate::field::Edges;
use crate::nodes::{Cancelled, Context};

/// `field` dilated with paraboloids that fall by `fall` at distance 1 cell, or eroded if `sign` is -1.
pub fn dilated(cx: &Context, field: &[f32], fall: f64, sign: f64) -> Result<Vec<f32>, Cancelled> {
    separable(cx, field, |lines| {
        let mut hull = Hull::default();
        (0..LANES).for_each(|lane| hull.line(lines, lane, fall, sign));
    })
}

#[derive(Default)]
struct Hull {
    height: Vec<f64>,
    corners: Vec<(i32, f64)>,
}

impl Hull {
    fn line(&mut self, lines: &mut Lines, lane: usize, fall: f64, sign: f64) {
        let n = lines.values.len() as i64;
        let more = if lines.grid.edges == Edges::Wrap { n / 2 } else { 0 };
        self.height.clear();
        self.height.extend((-more..n + more).map(|k| sign * lines.values[beyond(lines.grid, k)][lane]));
        self.corners.clear();
        for (q, &h) in self.height.iter().enumerate() {
            let q = q as i32;
            while let [.., (a, ha), (b, hb)] = self.corners[..] {
                let (ab, bq) = (f64::from(b - a), f64::from(q - b));
                if (hb - ha) * bq - (h - hb) * ab + fall * (ab + bq) * ab * bq > 0.0 {
                    break;
                }
                self.corners.pop();
            }
            self.corners.push((q, h));
        }
        let mut corner = 0;
        for (x, values) in lines.values.iter_mut().enumerate() {
            let own = more as usize + x;
            let reached = |(y, h): (i32, f64)| {
                let distance = f64::from(own as i32 - y);
                h - fall * distance * distance
            };
            let mut best = reached(self.corners[corner]);
            while let Some(&next) = self.corners.get(corner + 1) {
                let height = reached(next);
                if height < best {
                    break;
                }
                (best, corner) = (height, corner + 1);
            }
            let kept = self.height[own];
            values[lane] = sign * if best > kept { best } else { kept };
        }
    }
}
