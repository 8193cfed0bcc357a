//! Surface water: rivers, lakes and the flowing water of erosion processes, drawn from the water map.
//!
//! The map has a depth at every sample, and the shore is between a wet and a dry sample. A dry sample next to a wet
//! sample gets a negative depth. Its magnitude is the height of the sample over the water, but at most half of the
//! greatest adjacent depth. So the contour of depth 0 is smooth within the cells, and a diagonal stream one sample wide
//! stays connected. A slight smoothing along the shores rounds the corners of streams that run from sample to sample.

use std::sync::Arc;

use rayon::prelude::*;

use super::mips::{Mips, half_bytes, packed};
use talweg::field::{Cancelled, Control, MapKind, Terrain};

/// Depths below this fraction of the relief count as dry. Such depths remain where a thin water film dries up.
const DRY: f32 = 2e-5;

/// The surface water of a terrain, ready to be drawn.
#[derive(Clone, Debug)]
pub struct SurfaceWater {
    /// Depth as a fraction of the relief in half precision, negative on the dry side of shores. Mip levels hold the
    /// mean depth.
    pub depths: Arc<Mips>,
    /// Greatest depth, as a fraction of the relief.
    pub deepest: f32,
}

/// Water depths at the samples of a terrain, negative on shores.
pub struct SignedDepths {
    /// Fractions of the relief: negative on the dry side of shores, 0 far from water.
    pub signed: Vec<[f32; 1]>,
    /// The depths without the negative shore values: 0 at every dry sample.
    wet: Vec<[f32; 1]>,
    deepest: f32,
}

/// The surface water of a terrain, if there is any.
pub fn surface_water(terrain: &Terrain, control: &Control) -> Result<Option<SurfaceWater>, Cancelled> {
    let Some(SignedDepths { signed, wet, deepest }) = signed_depths(terrain, control)? else { return Ok(None) };
    let n = terrain.samples();
    let mut depths = Mips::new(n, wet, half_bytes, control)?;
    depths.levels[0].bytes = packed(n, &signed, half_bytes, control)?;
    Ok(Some(SurfaceWater { depths: Arc::new(depths), deepest }))
}

/// The signed water depths of a terrain, if it has any water.
pub fn signed_depths(terrain: &Terrain, control: &Control) -> Result<Option<SignedDepths>, Cancelled> {
    let Some(map) = terrain.map(MapKind::Water) else { return Ok(None) };
    let n = terrain.samples();
    // NaN counts as dry
    let deepest = map.par_iter().fold(|| 0.0f32, |a, &d| a.max(d)).reduce(|| 0.0, f32::max);
    control.check()?;
    if deepest <= DRY || !deepest.is_finite() {
        return Ok(None);
    }
    let depth_at = |k: usize| if map[k] > DRY { map[k] } else { 0.0 };
    let wet: Vec<[f32; 1]> = (0..n * n).into_par_iter().with_min_len(n).map(|k| [depth_at(k)]).collect();
    control.check()?;
    let mut signed = wet.clone();
    signed.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        let rows = i.saturating_sub(1)..=(i + 1).min(n - 1);
        let any_wet = rows.clone().any(|r| map[r * n..(r + 1) * n].iter().any(|d| *d > DRY));
        if !any_wet {
            return Ok(());
        }
        for (j, here) in row.iter_mut().enumerate() {
            if here[0] > 0.0 {
                continue;
            }
            let (mut deepest, mut level) = (0.0f32, f32::NEG_INFINITY);
            for r in rows.clone() {
                for k in r * n + j.saturating_sub(1)..=r * n + (j + 1).min(n - 1) {
                    let depth = depth_at(k);
                    if depth > 0.0 {
                        deepest = deepest.max(depth);
                        level = level.max(terrain.height[k] + depth);
                    }
                }
            }
            if deepest > 0.0 {
                let over = terrain.height[i * n + j] - level;
                *here = [-over.clamp(0.1 * deepest, 0.5 * deepest)];
            }
        }
        Ok(())
    })?;
    let signed = rounded(n, map, &signed, control)?;
    Ok(Some(SignedDepths { signed, wet, deepest }))
}

/// Moves the shores half-way towards a smoothed map. The smoothing weights are 1 2 1 along both axes. Samples whose
/// neighbours are all wet or all dry stay unchanged.
fn rounded(n: usize, map: &[f32], signed: &[[f32; 1]], control: &Control) -> Result<Vec<[f32; 1]>, Cancelled> {
    let mut out = signed.to_vec();
    out.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        let rows = [i.saturating_sub(1), i, (i + 1).min(n - 1)];
        for j in 0..n {
            let here = signed[i * n + j][0];
            let columns = [j.saturating_sub(1), j, (j + 1).min(n - 1)];
            let is_shore = || rows.iter().any(|r| columns.iter().any(|c| map[r * n + c] <= DRY));
            if here == 0.0 || (here > 0.0 && !is_shore()) {
                continue;
            }
            let line = |r: usize| {
                let [west, middle, east] = columns.map(|c| signed[r * n + c][0]);
                0.25 * (west + east) + 0.5 * middle
            };
            let mean = 0.25 * (line(rows[0]) + line(rows[2])) + 0.5 * line(rows[1]);
            row[j] = [0.5 * (here + mean)];
        }
        Ok(())
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::Edges;

    /// Signed depth of sample `k`.
    fn depth(water: &SurfaceWater, k: usize) -> f32 {
        let bytes = &water.depths.levels[0].bytes;
        let bits = u32::from(u16::from_le_bytes([bytes[2 * k], bytes[2 * k + 1]]));
        let size = if bits & 0x7fff == 0 { 0.0 } else { f32::from_bits(((bits & 0x7fff) << 13) + (112 << 23)) };
        if bits & 0x8000 == 0 { size } else { -size }
    }

    #[test]
    fn a_missing_or_dry_map_gives_no_water() {
        let mut terrain = Terrain::from_fn(9, Edges::Open, |u, _| u);
        assert!(surface_water(&terrain, &Control::default()).unwrap().is_none());
        terrain.map_mut(MapKind::Water).fill(1e-7);
        assert!(surface_water(&terrain, &Control::default()).unwrap().is_none());
        terrain.map_mut(MapKind::Water).fill(f32::NAN);
        assert!(surface_water(&terrain, &Control::default()).unwrap().is_none());
    }

    #[test]
    fn a_lake_shore_lies_where_the_surface_meets_the_ground() {
        // a slope with a lake up to the height 0.505, so that the shore crosses the middle of a cell
        let mut terrain = Terrain::from_fn(101, Edges::Open, |u, _| u);
        let wet: Vec<f32> = terrain.height.iter().map(|h| (0.505 - h).max(0.0)).collect();
        terrain.map_mut(MapKind::Water).copy_from_slice(&wet);
        let water = surface_water(&terrain, &Control::default()).unwrap().unwrap();
        let row = 50 * 101;
        let (last_wet, first_dry) = (depth(&water, row + 50), depth(&water, row + 51));
        let shore = 50.0 + last_wet / (last_wet - first_dry);
        assert!((shore - 50.5).abs() < 0.35, "{last_wet} {first_dry}");
        assert!((depth(&water, row + 40) - 0.105).abs() < 1e-4, "the open lake has its depth");
        assert_eq!(depth(&water, row + 53), 0.0);
        assert!((water.deepest - 0.505).abs() < 1e-6);
    }

    #[test]
    fn a_diagonal_stream_one_sample_wide_is_connected() {
        let mut terrain = Terrain::from_fn(65, Edges::Open, |u, v| (u - v).abs() + 0.2 * v);
        for k in 0..65 {
            terrain.map_mut(MapKind::Water)[k * 65 + k] = 0.01;
        }
        let water = surface_water(&terrain, &Control::default()).unwrap().unwrap();
        for k in 5..60 {
            let corners = [(k, k), (k, k + 1), (k + 1, k), (k + 1, k + 1)].map(|(i, j)| depth(&water, i * 65 + j));
            assert!(corners.iter().sum::<f32>() > 0.0, "{corners:?}");
        }
    }
}
