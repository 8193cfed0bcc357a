//! Fills grids from a construction, tile by tile: each tile evaluates only the pieces that touch the tile.

use rayon::prelude::*;

use super::Program;
use crate::geometry::plane::{Area, higher, lower};
use crate::materials::{MaterialLayer, PieceMaterial};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundSample};
use talweg_ground::field::{Cancelled, Control, Grid, Region};

/// Number of rows of a tile. The width of a tile is the length of a row of points, [`LANES`].
const TILE: usize = 32;

/// The region of grid samples inside `area`. The grid spans a square with sides of `side` metres.
pub fn region_of_area(area: &Area, grid: Grid, side: f64) -> Region {
    let last = (grid.samples - 1) as f64;
    let span = |k: usize| {
        let from = higher(area.low[k] / side * last - 1e-6, 0.0);
        let to = lower(area.high[k] / side * last + 1e-6, last);
        if to < from { 0..0 } else { (libm::ceil(from) as usize)..(to as usize + 1) }
    };
    let (columns, rows) = (span(0), span(1));
    if columns.is_empty() || rows.is_empty() { Region::none() } else { Region { rows, columns } }
}

/// Positions of a grid's samples, in metres. A grid that is a window of a larger grid keeps the positions of the larger
/// grid.
#[derive(Clone, Copy)]
struct SamplePositions {
    first: [usize; 2],
    last: f64,
    side: f64,
}

impl SamplePositions {
    fn new(grid: Grid, side: f64) -> Self {
        Self { first: grid.first(), last: (grid.whole_samples() - 1) as f64, side }
    }

    /// Sample spacing in metres.
    fn step(&self) -> f64 {
        self.side / self.last
    }

    fn x(&self, column: usize) -> f64 {
        (self.first[1] + column) as f64 / self.last * self.side
    }

    fn y(&self, row: usize) -> f64 {
        (self.first[0] + row) as f64 / self.last * self.side
    }
}

/// Options for filling a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillOptions {
    /// Material layer whose surface, thickness or density is sampled.
    pub material: MaterialLayer,
    /// Level of detail κ.
    pub level: f64,
    /// Whether to sample the weight α instead of the elevation.
    pub weight: bool,
    /// Whether to skip pieces that do not touch a tile. The result is the same, bit for bit.
    pub pruned: bool,
}

impl FillOptions {
    /// Options that sample `material` at full detail.
    pub fn for_material(material: MaterialLayer) -> Self {
        Self { material, level: 1.0, weight: false, pruned: true }
    }
}

impl Program {
    /// Computes the samples in `region` of the field `out` on `grid`. Values of the terrain and the water are surface
    /// heights as fractions of the relief; the water is -∞ where there is no water. Values of sand and snow are
    /// thicknesses as fractions of the relief. Values of vegetation are densities from 0 to 1.
    ///
    /// # Errors
    /// When the caller cancelled the computation. The region is then only partly computed.
    pub fn fill_region(
        &self,
        grid: Grid,
        region: &Region,
        sampling: FillOptions,
        control: &Control,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        if region.is_empty() {
            return Ok(());
        }
        let n = grid.samples;
        let places = SamplePositions::new(grid, self.side);
        let detail = Detail { level: sampling.level, spacing: places.step() };
        let rows = &mut out[region.rows.start * n..region.rows.end * n];
        rows.par_chunks_mut(TILE * n).enumerate().try_for_each(|(band, cells)| {
            let first = region.rows.start + band * TILE;
            let count = cells.len() / n;
            for left in region.columns.clone().step_by(LANES) {
                control.check()?;
                let right = (left + LANES).min(region.columns.end);
                let tile = Area {
                    low: [places.x(left), places.y(first)],
                    high: [places.x(right - 1), places.y(first + count - 1)],
                };
                let selection = if sampling.pruned { self.selection(&tile) } else { self.selection(&Area::ALL) };
                let (width, mut xs) = (right - left, [0.0; LANES]);
                xs[..width].iter_mut().enumerate().for_each(|(j, x)| *x = places.x(left + j));
                let mut lanes = RowSamples::NOTHING;
                for i in 0..count {
                    control.check()?;
                    let ys = [places.y(first + i); LANES];
                    let row = PointRow { xs: &xs[..width], ys: &ys[..width] };
                    self.row_in(&selection, sampling.material, row, &detail, &mut lanes);
                    for (j, cell) in cells[i * n + left..i * n + right].iter_mut().enumerate() {
                        *cell = self.value(sampling, &lanes.sample(j));
                    }
                }
            }
            Ok(())
        })
    }

    /// Fractions of the materials of [`PieceMaterial::COVERING`], from 0 to 1, at the samples of `region`, row by row.
    ///
    /// # Errors
    /// When the caller cancelled the computation.
    pub fn material_shares(
        &self,
        grid: Grid,
        region: &Region,
        level: f64,
        control: &Control,
    ) -> Result<Vec<[f32; PieceMaterial::COVERING.len()]>, Cancelled> {
        let places = SamplePositions::new(grid, self.side);
        let detail = Detail { level, spacing: places.step() };
        let width = region.columns.len();
        let mut shares = vec![[0.0; PieceMaterial::COVERING.len()]; region.len()];
        if width == 0 {
            return Ok(shares);
        }
        shares.par_chunks_mut(TILE * width).enumerate().try_for_each(|(band, cells)| {
            let first = region.rows.start + band * TILE;
            for left in region.columns.clone().step_by(LANES) {
                let right = (left + LANES).min(region.columns.end);
                let last = first + cells.len() / width - 1;
                let low = [places.x(left), places.y(first)];
                let selection = self.selection(&Area { low, high: [places.x(right - 1), places.y(last)] });
                for (i, row) in cells.chunks_mut(width).enumerate() {
                    control.check()?;
                    for column in left..right {
                        let place = [places.x(column), places.y(first + i)];
                        let found = self.material_fractions_in(&selection, place, &detail);
                        row[column - region.columns.start] = found.cover_fractions().map(|share| share as f32);
                    }
                }
            }
            Ok(())
        })?;
        Ok(shares)
    }

    /// The value that a sample of a material layer gets on the grid.
    fn value(&self, sampling: FillOptions, sample: &GroundSample) -> f32 {
        if sampling.weight {
            return sample.weight.clamp(0.0, 1.0) as f32;
        }
        let per_relief = 1.0 / self.relief;
        (match sampling.material {
            MaterialLayer::Terrain => sample.surface(self.ground).0 * per_relief,
            MaterialLayer::Water => {
                if sample.weight >= crate::THRESHOLD {
                    sample.height * per_relief
                } else {
                    f64::NEG_INFINITY
                }
            }
            // the thickness of sand and snow tapers to 0 at the edge of a piece
            MaterialLayer::Sand | MaterialLayer::Snow => higher(sample.surface(0.0).0, 0.0) * per_relief,
            MaterialLayer::Vegetation => sample.surface(0.0).0.clamp(0.0, 1.0),
        }) as f32
    }
}
