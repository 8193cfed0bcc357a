//! Blends a layer with the terrain below: first the blend mode, then out = below + (layer - below) · opacity · mask.

use std::sync::Arc;

use super::StrokedFields;
use super::mask::{self, MaskFields};
use crate::field::{Cancelled, HAS_GROUND, MapKind, Terrain};
use crate::nodes::{Context, ReadTerrain};
use crate::scene::{Blend, Layer, Mix};

/// Heights are limited to ± this value, as fractions of the relief, so that no stack can reach infinity.
const LIMIT: f32 = 1.0e6;

/// Combines what a generator `made` with the terrain below, in place.
///
/// The blend mode combines the heights. The water surface is blended like the terrain: depth = mode(surface) -
/// mode(terrain). This rule applies to the water below and to the generator's water. Where both kinds of water exist,
/// the greater depth counts. Hence Replace and Add keep the depth of the generator's water, and Multiply scales that
/// depth.
///
/// With Max and Min, water keeps its full depth where the blend keeps the terrain under the water. Elsewhere the
/// terrain that the blend keeps can reduce the depth. Other maps of the generator replace the same maps below; maps
/// that the generator does not make stay unchanged. Where the generator has no terrain, the terrain below stays. Where
/// the terrain below is void, the result is the generator's terrain. With Replace, only the generator's terrain
/// remains.
pub fn blend_generator(cx: &Context, mix: &Mix, beneath: &Terrain, made: &mut Terrain) -> Result<(), Cancelled> {
    let water = blend_water(cx, mix, beneath, made)?;
    let ground = if mix.blend == Blend::Replace { None } else { made.map(MapKind::Ground).cloned() };
    if let Some(over) = &ground {
        let under = beneath.map(MapKind::Ground);
        let both = |(&a, &b): (&f32, &f32)| if a < b { b } else { a };
        let joined = under.map(|under| Arc::new(under.iter().zip(over.iter()).map(both).collect()));
        made.set_map(MapKind::Ground, joined);
    }
    for &kind in MapKind::ALL {
        if made.map(kind).is_none() {
            made.set_map(kind, beneath.map(kind).cloned());
        }
    }
    if let Some(water) = water {
        made.set_map(MapKind::Water, Some(Arc::new(water)));
    }
    blend(cx, mix, beneath, ground.as_ref(), &mut made.height)
}

/// Finds the samples at which only one of the two terrains exists, if a generator made its own ground map `over`.
struct Grounds<'a> {
    under: Option<&'a Arc<Vec<f32>>>,
    over: Option<&'a Arc<Vec<f32>>>,
}

impl Grounds<'_> {
    /// Whether only the terrain below exists at sample `k`, and whether only the generator's terrain exists there.
    #[inline]
    fn only(&self, k: usize) -> (bool, bool) {
        let Some(over) = self.over else { return (false, false) };
        let (beneath, made) = (self.under.is_none_or(|under| under[k] >= HAS_GROUND), over[k] >= HAS_GROUND);
        (!made, made && !beneath)
    }
}

/// Computes the blended height from the height below, the generator's height and a smoothness.
type Combine = fn(f32, f32, f32) -> f32;

fn combine(mode: Blend) -> Combine {
    match mode {
        Blend::Replace => |_, b, _| b,
        Blend::Add => |a, b, _| a + b,
        Blend::Subtract => |a, b, _| a - b,
        Blend::Multiply => |a, b, _| a * b,
        // `f32::min` and `f32::max` are not used, because their result for -0 and +0 depends on the processor.
        Blend::Min => |a, b, _| if b < a { b } else { a },
        Blend::Max => |a, b, _| if b > a { b } else { a },
        Blend::SmoothMin => |a, b, k| (if b < a { b } else { a }) - smooth_min_correction(a, b, k),
        Blend::SmoothMax => |a, b, k| (if b > a { b } else { a }) + smooth_min_correction(a, b, k),
    }
}

fn blend(
    cx: &Context,
    mix: &Mix,
    beneath: &Terrain,
    over: Option<&Arc<Vec<f32>>>,
    out: &mut [f32],
) -> Result<(), Cancelled> {
    if mix.blend == Blend::Replace {
        return Ok(());
    }
    let (combine, grid) = (combine(mix.blend), cx.grid);
    let grounds = Grounds { under: beneath.map(MapKind::Ground), over };
    cx.rows(out, |i, row| {
        for (j, (b, &a)) in row.iter_mut().zip(grid.row(&beneath.height, i)).enumerate() {
            *b = match grounds.only(i * grid.samples + j) {
                (true, _) => a,
                (_, true) => *b,
                _ => combine(a, *b, mix.smoothness),
            };
        }
    })
}

/// The blended water depth, if the terrain below or the generator has water.
fn blend_water(cx: &Context, mix: &Mix, beneath: &Terrain, made: &Terrain) -> Result<Option<Vec<f32>>, Cancelled> {
    let (under, over) = (beneath.map(MapKind::Water), made.map(MapKind::Water));
    if under.is_none() && over.is_none() {
        return Ok(None);
    }
    let depth = |map: Option<&Arc<Vec<f32>>>, k: usize| map.map_or(0.0, |m| m[k]);
    let (combine, n) = (combine(mix.blend), cx.grid.samples);
    let over_ground = if mix.blend == Blend::Replace { None } else { made.map(MapKind::Ground) };
    let grounds = Grounds { under: beneath.map(MapKind::Ground), over: over_ground };
    let mut water = vec![0.0; cx.grid.len()];
    cx.rows(&mut water, |i, row| {
        for (j, out) in row.iter_mut().enumerate() {
            let k = i * n + j;
            let (a, b) = (beneath.height[k], made.height[k]);
            let (wa, wb) = (depth(under, k), depth(over, k));
            // Where the mode shifts terrain and water surface by the same amount, the depth itself is kept. A
            // difference of the two heights would round the depth.
            let kept = |surface: f32, w: f32, ground: f32| {
                if w <= 0.0 { 0.0 } else { (surface - ground).clamp(0.0, LIMIT) }
            };
            let (only_below, only_made) = grounds.only(k);
            *out = match mix.blend {
                _ if only_below => wa,
                _ if only_made => wb,
                Blend::Replace => wb,
                Blend::Add => wa.max(wb),
                Blend::Subtract => wa,
                _ => {
                    let ground = combine(a, b, mix.smoothness);
                    let from_below = kept(combine(a + wa, b, mix.smoothness), wa, ground);
                    kept(combine(a, b + wb, mix.smoothness), wb, ground).max(from_below)
                }
            };
        }
    })?;
    Ok(Some(water))
}

/// Correction of the quadratic polynomial smooth minimum (Quílez), for heights that differ by less than `k`.
fn smooth_min_correction(a: f32, b: f32, k: f32) -> f32 {
    if k <= 0.0 {
        return 0.0;
    }
    let h = (k - (a - b).abs()).max(0.0) / k;
    h * h * k * 0.25
}

/// Whether a layer is a process without a mask and with full opacity, so that the process's terrain is the layer's
/// result.
pub fn is_opaque_process(layer: &Layer) -> bool {
    layer.node.as_process().is_some() && layer.mix.opacity >= 1.0 && !layer.mask.is_active()
}

/// Blends `out` back towards `below` by opacity and mask, together with the data maps that the layer wrote.
/// Not-a-number values are replaced by the value below, or by 0 for an [opaque process](is_opaque_process). `source` is
/// the terrain that the mask reads; `known` holds the fields of the mask that are already known.
pub fn apply_opacity_and_mask(
    cx: &Context,
    layer: &Layer,
    beneath: &Arc<Terrain>,
    source: Option<ReadTerrain>,
    strokes: &mut StrokedFields,
    known: MaskFields,
    out: &mut Terrain,
) -> Result<(), Cancelled> {
    if is_opaque_process(layer) {
        return cx.rows(&mut out.height, |_, row| row.iter_mut().for_each(|height| *height = bounded(*height, 0.0)));
    }
    let grid = cx.grid;
    let opacity = layer.mix.opacity;
    let weights = match layer.mask.is_active() {
        true => Some(mask::weights(cx, &layer.mask, beneath, source, strokes, known)?),
        false => None,
    };
    if opacity >= 1.0 && weights.is_none() {
        return cx.rows(&mut out.height, |i, row| {
            let from = grid.row(&beneath.height, i);
            row.iter_mut().zip(from).for_each(|(h, &b)| *h = bounded(*h, b));
        });
    }
    let weight = |i: usize, j: usize| weights.as_ref().map_or(opacity, |w| opacity * w[i * grid.samples + j]);
    cx.rows(&mut out.height, |i, row| {
        let from = grid.row(&beneath.height, i);
        for (j, h) in row.iter_mut().enumerate() {
            *h = bounded(from[j] + (*h - from[j]) * weight(i, j), from[j]);
        }
    })?;
    for &kind in MapKind::ALL {
        let (old, new) = (beneath.map(kind).cloned(), out.map(kind).cloned());
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

/// `height` clamped to ±[`LIMIT`]; not-a-number becomes the height below.
fn bounded(height: f32, beneath: f32) -> f32 {
    if height.is_nan() { beneath } else { height.clamp(-LIMIT, LIMIT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smooth_seam_is_continuous_and_vanishes_away_from_it() {
        assert_eq!(smooth_min_correction(0.0, 1.0, 0.5), 0.0);
        assert_eq!(smooth_min_correction(0.3, 0.3, 0.4), 0.1);
        assert_eq!(smooth_min_correction(0.3, 0.4, 0.0), 0.0);
    }
}
