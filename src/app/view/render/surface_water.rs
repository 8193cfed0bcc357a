//! Surface water: rivers, lakes and the flowing water of erosion processes, drawn from the water map.
//!
//! The map has a depth at every sample, and the shore is between a wet and a dry sample. A dry sample next to a wet
//! sample gets a negative depth. Its magnitude is the height of the sample over the water, but at most half of the
//! greatest adjacent depth. So the contour of depth 0 is smooth within the cells, and a diagonal stream one sample wide
//! stays connected. A slight smoothing along the shores rounds the corners of streams that run from sample to sample.
//!
//! Still water is level, so its shore is where its level meets the terrain. Dry samples around a lake therefore get the
//! full height over the lake as their negative depth, and the drawn surface of the lake continues level into the
//! terrain. Otherwise it would climb steep shores in spikes.

use std::sync::Arc;

use rayon::prelude::*;

use super::mips::{Mips, halves, packed};
use talweg::field::{Cancelled, Control, MapKind, Terrain};

/// Depths below this fraction of the relief count as dry. Such depths remain where a thin water film dries up.
const DRY: f32 = 2e-5;

/// Greatest difference between the levels of two neighbours in still water, as a fraction of the relief. It allows for
/// rounding; even a slow river falls more from sample to sample.
const LEVEL: f32 = 4e-6;
/// Number of dry samples around a lake into which its level continues. Distant quads are this many cells wide.
const RINGS: usize = 8;
/// Least height of a dry sample over a lake, as a fraction of the relief.
const LEAST_OVER: f32 = 1e-4;

/// The surface water of a terrain, ready to be drawn.
#[derive(Clone, Debug)]
pub struct SurfaceWater {
    /// Two values in half precision. The first is the depth as a fraction of the relief, negative on the dry side of
    /// shores. The second is 1 in still water and around it, otherwise 0. Mip levels hold the mean depth.
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
    let level = leveled(&terrain.height, &signed, &wet, n, control)?;
    let wet = wet.iter().zip(&level).map(|([depth], [_, still])| [*depth, *still]).collect();
    let mut depths = Mips::new(n, wet, halves, control)?;
    depths.levels[0].bytes = packed(n, &level, halves, control)?;
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

/// The eight neighbours of sample `k`, or fewer at an edge.
fn neighbours(n: usize, k: usize) -> impl Iterator<Item = usize> {
    let (i, j) = (k / n, k % n);
    let around = move |at: usize| at.saturating_sub(1)..=(at + 1).min(n - 1);
    around(i).flat_map(move |r| around(j).map(move |c| r * n + c)).filter(move |&other| other != k)
}

/// Depths whose still water is level, each with 1 in still water and around it, otherwise 0. `signed` and `wet` are the
/// depths of [`SignedDepths`].
fn leveled(
    height: &[f32],
    signed: &[[f32; 1]],
    wet: &[[f32; 1]],
    n: usize,
    control: &Control,
) -> Result<Vec<[f32; 2]>, Cancelled> {
    let level = |k: usize| height[k] + wet[k][0];
    let is_wet = |k: usize| wet[k][0] > 0.0;
    let is_beside = |k: usize, other: usize| is_wet(other) && (level(k) - level(other)).abs() <= LEVEL;
    // inside a lake, at least five neighbours have the same level, and no wet neighbour has another level
    let is_inside: Vec<bool> = (0..n * n)
        .into_par_iter()
        .with_min_len(n)
        .map(|k| {
            let beside = || neighbours(n, k).filter(|&other| is_wet(other));
            is_wet(k) && beside().count() >= 5 && beside().all(|other| is_beside(k, other))
        })
        .collect();
    control.check()?;
    let is_still =
        |k: usize| is_inside[k] || is_wet(k) && neighbours(n, k).any(|other| is_inside[other] && is_beside(k, other));
    let mut out: Vec<[f32; 2]> = (0..n * n)
        .into_par_iter()
        .with_min_len(n)
        .map(|k| if is_still(k) { [wet[k][0], 1.0] } else { [signed[k][0], 0.0] })
        .collect();
    control.check()?;
    // continue the level of each lake into the dry samples around it; the first ring replaces the depths of shores
    let mut ring: Vec<usize> = (0..n * n).filter(|&k| out[k][1] > 0.0).collect();
    let mut levels: Vec<f32> = ring.iter().map(|&k| level(k)).collect();
    for number in 0..RINGS {
        control.check()?;
        let mut next = (Vec::new(), Vec::new());
        for (&k, &lake) in ring.iter().zip(&levels) {
            for other in neighbours(n, k) {
                let is_free = out[other][1] == 0.0 && !is_wet(other) && (number == 0 || out[other][0] == 0.0);
                if is_free && lake.is_finite() && height[other].is_finite() {
                    out[other] = [(lake - height[other]).min(-LEAST_OVER), 1.0];
                    next.0.push(other);
                    next.1.push(lake);
                }
            }
        }
        (ring, levels) = next;
    }
    Ok(out)
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
        let bits = u32::from(u16::from_le_bytes([bytes[4 * k], bytes[4 * k + 1]]));
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
        let over = -depth(&water, row + 53);
        assert!((over - 0.025).abs() < 1e-4, "the level continues into the slope: {over}");
        assert_eq!(depth(&water, row + 62), 0.0, "the level ends some samples from the shore");
        assert!((water.deepest - 0.505).abs() < 1e-6);
    }

    /// Around a lake between steep walls, depth and height add up to the level of the lake, so that the drawn surface
    /// does not climb the walls.
    #[test]
    fn a_crater_lake_stays_level_at_its_steep_shores() {
        let away = |u: f32, v: f32| (u - 0.5).hypot(v - 0.5);
        let mut terrain = Terrain::from_fn(65, Edges::Open, |u, v| (4.0 * away(u, v)).powi(3).min(0.9));
        let wet: Vec<f32> = terrain.height.iter().map(|h| (0.25 - h).max(0.0)).collect();
        terrain.map_mut(MapKind::Water).copy_from_slice(&wet);
        let water = surface_water(&terrain, &Control::default()).unwrap().unwrap();
        let mut walls = 0;
        for k in 0..65 * 65 {
            let found = depth(&water, k);
            if found != 0.0 {
                let level = terrain.height[k] + found;
                assert!((level - 0.25).abs() < 5e-4, "sample {k} has the level {level}");
                walls += usize::from(found < -0.2);
            }
        }
        assert!(walls > 100, "{walls} samples on the walls");
        // a stream that falls along its bed is not still
        let mut terrain = Terrain::from_fn(65, Edges::Open, |u, v| 0.3 * (u - 0.5).abs() + 0.2 * v);
        (0..65).for_each(|i| terrain.map_mut(MapKind::Water)[i * 65 + 32] = 0.01);
        let water = surface_water(&terrain, &Control::default()).unwrap().unwrap();
        let bytes = &water.depths.levels[0].bytes;
        assert!(bytes.chunks_exact(4).all(|texel| texel[2..] == [0, 0]), "no sample of the stream is still");
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
