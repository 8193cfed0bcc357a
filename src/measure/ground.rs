//! Common input of all measures: each distinct sample of the terrain once, with scale and height range.

use std::borrow::Cow;

use rayon::prelude::*;

use super::TerrainScale;
use crate::field::{Cancelled, Control, Edges, Grid, HAS_GROUND, MapKind, Terrain};

/// Lowest, highest and mean height of a set of cells, as fractions of the relief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightSpan {
    /// Number of cells.
    pub cells: usize,
    /// Lowest height.
    pub low: f32,
    /// Highest height.
    pub high: f32,
    /// Mean height.
    pub mean: f64,
}

impl HeightSpan {
    /// Whether all heights are equal.
    pub fn is_level(&self) -> bool {
        self.high <= self.low
    }
}

/// The distinct samples of a square grid, row by row. A wrapping grid repeats its first row and column at the far
/// edges; these repeats are left out.
#[derive(Clone, Copy, Debug)]
pub struct DistinctCells {
    /// Number of samples along a side.
    pub side: usize,
    /// Whether the terrain wraps around its edges.
    pub wraps: bool,
}

impl DistinctCells {
    /// The distinct samples of `grid`.
    pub fn new(grid: Grid) -> Self {
        Self { side: grid.distinct_side(), wraps: grid.edges == Edges::Wrap }
    }

    /// Number of distinct samples.
    pub fn len(self) -> usize {
        self.side * self.side
    }

    /// The distinct samples of `field`, which covers the whole grid.
    fn gather(self, field: &[f32]) -> Cow<'_, [f32]> {
        if !self.wraps {
            return Cow::Borrowed(field);
        }
        Cow::Owned(field.chunks(self.side + 1).take(self.side).flat_map(|row| &row[..self.side]).copied().collect())
    }

    /// The row or column that is one `step` (-1, 0 or 1) away from row or column `index`; `None` beyond an edge.
    pub fn neighbour(self, index: usize, step: isize) -> Option<usize> {
        let there = index as isize + step;
        let side = self.side as isize;
        (self.wraps || (0..side).contains(&there)).then(|| there.rem_euclid(side) as usize)
    }
}

/// The distinct samples of a terrain, with their scale and height range.
pub struct DistinctSamples<'a> {
    /// The terrain to measure.
    pub terrain: &'a Terrain,
    /// Scale of heights and distances.
    pub scale: TerrainScale,
    /// The distinct samples of the terrain's grid.
    pub cells: DistinctCells,
    /// Heights of the distinct samples, as fractions of the relief, row by row.
    pub height: Cow<'a, [f32]>,
    /// Height of the sea as a fraction of the relief; terrain at or below the sea is under water.
    pub sea: f32,
    /// Height range of all cells.
    pub all: HeightSpan,
    /// Height range of the cells above the sea, if any cell is above the sea.
    pub land: Option<HeightSpan>,
    /// Whether each cell has data; empty if all cells have data. Height ranges and height distributions skip cells
    /// without data.
    pub present: Vec<bool>,
}

impl<'a> DistinctSamples<'a> {
    /// Collects the samples of `terrain` and their ranges in one pass.
    pub fn new(terrain: &'a Terrain, scale: TerrainScale, control: &Control) -> Result<Self, Cancelled> {
        let cells = DistinctCells::new(terrain.grid);
        let height = cells.gather(&terrain.height);
        let sea = scale.sea();
        let mut present = Vec::new();
        if let Some(map) = terrain.map(MapKind::Ground).filter(|_| terrain.void_samples() > 0) {
            present = cells.gather(map).iter().map(|&ground| ground >= HAS_GROUND).collect();
        }
        let there = present.iter().filter(|&&ground| ground).count();
        if there == 0 {
            // A terrain without any data is measured as if all samples had data.
            present.clear();
        }
        let parts = rows(cells, control, |row| {
            let span = row * cells.side..(row + 1) * cells.side;
            if present.is_empty() {
                return PartSums::sum(&height[span], sea);
            }
            let ground = height[span.clone()].iter().zip(&present[span]).filter(|(_, present)| **present);
            PartSums::sum(&ground.map(|(h, _)| *h).collect::<Vec<f32>>(), sea)
        })?;
        let part = parts.iter().fold(PartSums::NOTHING, PartSums::joined);
        let count = if present.is_empty() { cells.len() } else { there };
        let all = HeightSpan { cells: count, low: part.low, high: part.high, mean: part.sum / count as f64 };
        let land = (part.land > 0).then(|| HeightSpan {
            cells: part.land,
            low: part.land_low,
            high: part.high,
            mean: part.land_sum / part.land as f64,
        });
        Ok(Self { terrain, scale, cells, height, sea, all, land, present })
    }

    /// Whether cell `k` has data.
    #[inline]
    pub fn has_ground(&self, k: usize) -> bool {
        self.present.is_empty() || self.present[k]
    }

    /// Whether cell `k` has data and is above the sea.
    #[inline]
    pub fn is_land(&self, k: usize) -> bool {
        self.height[k] > self.sea && self.has_ground(k)
    }

    /// Heights of all samples of the grid, including repeated samples. Void samples get the height `height`.
    pub fn with_void_at(&self, height: f32) -> Cow<'a, [f32]> {
        let terrain = self.terrain;
        let map = terrain.map(MapKind::Ground).filter(|_| !self.present.is_empty());
        map.map_or(Cow::Borrowed(&terrain.height[..]), |map| {
            let filled = |(&h, &ground): (&f32, &f32)| if ground >= HAS_GROUND { h } else { height };
            Cow::Owned(terrain.height.iter().zip(map.iter()).map(filled).collect())
        })
    }

    /// The heights of the cells in row `row`.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.height[row * self.cells.side..][..self.cells.side]
    }

    /// Distance between neighbouring cells, in metres.
    pub fn cell_metres(&self) -> f64 {
        f64::from(self.scale.size_metres) / (self.terrain.samples() - 1) as f64
    }

    /// Area of a cell in km²; all cells have the same area.
    pub fn cell_km2(&self) -> f64 {
        let side = f64::from(self.scale.size_metres) * 1.0e-3;
        side * side / self.cells.len() as f64
    }

    /// Converts a height from a fraction of the relief to metres.
    pub fn metres(&self, height: f32) -> f64 {
        f64::from(height) * f64::from(self.scale.relief_metres)
    }

    /// Heights of the cells, scaled so that the lowest cell is 0 and the highest cell is 1; NaN for void cells.
    pub fn normalised(&self, control: &Control) -> Result<Vec<f32>, Cancelled> {
        let low = f64::from(self.all.low);
        let scale = 1.0 / (f64::from(self.all.high) - low);
        let mut out = vec![0.0; self.cells.len()];
        let rows = out.par_chunks_mut(self.cells.side).zip(self.height.par_chunks(self.cells.side));
        rows.try_for_each(|(out, row)| {
            control.check()?;
            out.iter_mut().zip(row).for_each(|(n, &h)| *n = ((f64::from(h) - low) * scale) as f32);
            Ok(())
        })?;
        out.iter_mut().zip(&self.present).filter(|(_, present)| !**present).for_each(|(n, _)| *n = f32::NAN);
        Ok(out)
    }
}

/// Calls `row` for every row of cells and returns the results in row order.
pub fn rows<T: Send>(
    cells: DistinctCells,
    control: &Control,
    row: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Cancelled> {
    let one = |i: usize| {
        control.check()?;
        Ok(row(i))
    };
    (0..cells.side).into_par_iter().with_min_len(8).map(one).collect()
}

/// Height range and sums over some of the cells.
#[derive(Clone, Copy)]
struct PartSums {
    low: f32,
    high: f32,
    sum: f64,
    land: usize,
    land_low: f32,
    land_sum: f64,
}

impl PartSums {
    const NOTHING: Self =
        Self { low: f32::INFINITY, high: f32::NEG_INFINITY, sum: 0.0, land: 0, land_low: f32::INFINITY, land_sum: 0.0 };

    /// Sums the heights of a row. Eight partial sums are always combined in the same order, so that the bits do not
    /// depend on the processor.
    fn sum(row: &[f32], sea: f32) -> Self {
        const LANES: usize = 8;
        let mut lanes = [Self::NOTHING; LANES];
        let mut add = |lane: usize, h: f32| {
            let part = &mut lanes[lane];
            let above = h > sea;
            part.low = if h < part.low { h } else { part.low };
            part.high = if h > part.high { h } else { part.high };
            part.sum += f64::from(h);
            part.land += usize::from(above);
            part.land_low = if above && h < part.land_low { h } else { part.land_low };
            part.land_sum += if above { f64::from(h) } else { 0.0 };
        };
        row.chunks(LANES).for_each(|chunk| chunk.iter().enumerate().for_each(|(lane, &h)| add(lane, h)));
        lanes.iter().fold(Self::NOTHING, Self::joined)
    }

    fn joined(self, other: &Self) -> Self {
        Self {
            low: if other.low < self.low { other.low } else { self.low },
            high: if other.high > self.high { other.high } else { self.high },
            sum: self.sum + other.sum,
            land: self.land + other.land,
            land_low: if other.land_low < self.land_low { other.land_low } else { self.land_low },
            land_sum: self.land_sum + other.land_sum,
        }
    }
}
