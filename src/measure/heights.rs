//! Distribution of area over height: histogram, hypsometric curve and integral.
//!
//! Hypsometric curve: a point with the height h has the relative height y = (h - h_min) / (h_max - h_min). The curve
//! gives the fraction a of the land at or above y. The integral ∫ a dy of the curve equals the elevation-relief ratio
//! of the heights, (h_mean - h_min) / (h_max - h_min). This module computes the ratio, because it is exact. With a sea,
//! the curve covers only the land above the sea; the histogram covers the whole terrain.
//!
//! Source: Strahler 1952; Pike & Wilson 1971 (proof that the integral and the ratio are equal).

use super::ground::{DistinctSamples, HeightSpan, rows};
use crate::field::{Cancelled, Control};

/// Number of histogram bins.
const BINS: usize = 64;
/// Number of steps of the hypsometric curve.
const STEPS: usize = 100;

/// Distribution of area over height.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMeasures {
    /// Lowest height.
    pub min_metres: f64,
    /// Highest height.
    pub max_metres: f64,
    /// Mean height.
    pub mean_metres: f64,
    /// Fraction of the terrain's area that is above the sea.
    pub land_fraction: f64,
    /// Centre of each bin in metres, and the fraction of the terrain's area in the bin. Level terrain has one bin.
    pub histogram: Vec<[f64; 2]>,
    /// Hypsometric curve of the land; `None` if there is no land, or if the land is level.
    pub hypsometry: Option<Hypsometry>,
}

/// The hypsometric curve of the land.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypsometry {
    /// Pairs of two values: the fraction of the land at or above a relative height, and that relative height. The first
    /// pair is (1, 0) at the lowest point, the last pair is at the highest point.
    pub curve: Vec<[f64; 2]>,
    /// Area under the curve, from 0 to 1: the area is large for young plateaus, small for eroded land (Strahler 1952).
    pub integral: f64,
}

/// Range, mean and histogram of the whole terrain, and hypsometry of the land.
pub fn heights(ground: &DistinctSamples, control: &Control) -> Result<HeightMeasures, Cancelled> {
    let all = &ground.all;
    let metres = |h: f64| h * f64::from(ground.scale.relief_metres);
    let histogram = if all.is_level() {
        vec![[ground.metres(all.low), 1.0]]
    } else {
        let counts = bins(ground, all, BINS, f32::NEG_INFINITY, control)?;
        let (low, step) = (f64::from(all.low), (f64::from(all.high) - f64::from(all.low)) / BINS as f64);
        let bin =
            |(k, &count): (usize, &usize)| [metres(low + (k as f64 + 0.5) * step), count as f64 / all.cells as f64];
        counts.iter().enumerate().map(bin).collect()
    };
    let hypsometry = match &ground.land {
        Some(land) if !land.is_level() => {
            let counts = bins(ground, land, STEPS, ground.sea, control)?;
            let mut above = land.cells;
            let mut curve = Vec::with_capacity(STEPS + 1);
            for (k, count) in counts.iter().enumerate() {
                curve.push([above as f64 / land.cells as f64, k as f64 / STEPS as f64]);
                above -= count;
            }
            curve.push([0.0, 1.0]);
            let (low, high) = (f64::from(land.low), f64::from(land.high));
            Some(Hypsometry { curve, integral: (land.mean - low) / (high - low) })
        }
        _ => None,
    };
    Ok(HeightMeasures {
        min_metres: ground.metres(all.low),
        max_metres: ground.metres(all.high),
        mean_metres: metres(all.mean),
        land_fraction: ground.land.map_or(0.0, |land| land.cells as f64 / all.cells as f64),
        histogram,
        hypsometry,
    })
}

/// Counts the cells above `sea` in `bins` equal height bins over `range`; the highest cell belongs to the last bin.
fn bins(
    ground: &DistinctSamples,
    range: &HeightSpan,
    bins: usize,
    sea: f32,
    control: &Control,
) -> Result<Vec<usize>, Cancelled> {
    let low = f64::from(range.low);
    let scale = bins as f64 / (f64::from(range.high) - low);
    let parts = rows(ground.cells, control, |row| {
        let mut counts = vec![0u32; bins];
        let first = row * ground.cells.side;
        for (k, &h) in ground.row(row).iter().enumerate() {
            if h > sea && ground.present.get(first + k).is_none_or(|present| *present) {
                counts[(((f64::from(h) - low) * scale) as usize).min(bins - 1)] += 1;
            }
        }
        counts
    })?;
    let mut total = vec![0usize; bins];
    for part in &parts {
        total.iter_mut().zip(part).for_each(|(sum, &count)| *sum += count as usize);
    }
    Ok(total)
}
