//! How a layer joins what is below: blend mode, then out = below + (layer - below) · opacity · mask.

use std::sync::Arc;

use super::mask;
use crate::field::{MapKind, Terrain};
use crate::nodes::{Cancelled, Context};
use crate::scene::{Blend, Layer};

/// Heights stay inside ± this, so that no stack can reach infinity.
const LIMIT: f32 = 1.0e6;

/// Combines the generator's heights `out` with those below, in place.
pub fn blend(cx: &Context, mode: Blend, smoothness: f32, below: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
    let combine: fn(f32, f32, f32) -> f32 = match mode {
        Blend::Replace => return Ok(()),
        Blend::Add => |a, b, _| a + b,
        Blend::Subtract => |a, b, _| a - b,
        Blend::Multiply => |a, b, _| a * b,
        // not f32::min and f32::max: which of -0 and +0 they give depends on the processor
        Blend::Min => |a, b, _| if b < a { b } else { a },
        Blend::Max => |a, b, _| if b > a { b } else { a },
        Blend::SmoothMin => |a, b, k| (if b < a { b } else { a }) - seam(a, b, k),
        Blend::SmoothMax => |a, b, k| (if b > a { b } else { a }) + seam(a, b, k),
    };
    let grid = cx.grid;
    cx.rows(out, |i, row| {
        for (b, &a) in row.iter_mut().zip(grid.row(below, i)) {
            *b = combine(a, *b, smoothness);
        }
    })
}

/// Quadratic polynomial smooth minimum (Quílez): the correction within `k` of the seam.
fn seam(a: f32, b: f32, k: f32) -> f32 {
    if k <= 0.0 {
        return 0.0;
    }
    let h = (k - (a - b).abs()).max(0.0) / k;
    h * h * k * 0.25
}

/// Brings `out` back towards `below` by opacity and mask; data maps that the layer wrote follow. `source` is the result
/// of the layer that the mask reads.
pub fn weigh(
    cx: &Context,
    layer: &Layer,
    below: &Arc<Terrain>,
    source: Option<&Terrain>,
    out: &mut Terrain,
) -> Result<(), Cancelled> {
    let grid = cx.grid;
    let opacity = layer.mix.opacity;
    let weights = if layer.mask.is_active() { Some(mask::weights(cx, &layer.mask, below, source)?) } else { None };
    if opacity >= 1.0 && weights.is_none() {
        return cx.rows(&mut out.height, |i, row| {
            let from = grid.row(&below.height, i);
            row.iter_mut().zip(from).for_each(|(h, &b)| *h = bounded(*h, b));
        });
    }
    let weight = |i: usize, j: usize| weights.as_ref().map_or(opacity, |w| opacity * w[i * grid.samples + j]);
    cx.rows(&mut out.height, |i, row| {
        let from = grid.row(&below.height, i);
        for (j, h) in row.iter_mut().enumerate() {
            *h = bounded(from[j] + (*h - from[j]) * weight(i, j), from[j]);
        }
    })?;
    for &kind in MapKind::ALL {
        let (old, new) = (below.map(kind).cloned(), out.map(kind).cloned());
        let unchanged = match (&old, &new) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        if unchanged || new.is_none() {
            continue;
        }
        cx.rows(out.map_mut(kind), |i, row| {
            for (j, value) in row.iter_mut().enumerate() {
                let from = old.as_ref().map_or(kind.neutral(), |o| o[i * grid.samples + j]);
                *value = from + (*value - from) * weight(i, j);
            }
        })?;
    }
    Ok(())
}

/// `height` inside the limits; what is not a number gives way to what is below.
fn bounded(height: f32, below: f32) -> f32 {
    if height.is_nan() { below } else { height.clamp(-LIMIT, LIMIT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smooth_seam_is_continuous_and_vanishes_away_from_it() {
        assert_eq!(seam(0.0, 1.0, 0.5), 0.0);
        assert_eq!(seam(0.3, 0.3, 0.4), 0.1);
        assert_eq!(seam(0.3, 0.4, 0.0), 0.0);
    }
}
