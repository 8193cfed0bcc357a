//! The result of a build in tiles, read some rows or a window at a time.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::{MergedTerrain, StageProduct, TileBuild, TileError};
use crate::field::{Cancelled, Grid, HAS_GROUND, MapKind, Region, SquareReader, Terrain};

/// Rows held in memory at a time; equal to the rows of a tile in a cloud-optimised file.
pub const ROWS: usize = 512;

/// A field of a stage's product, given by its index.
#[derive(Clone, Copy)]
pub struct FieldSource {
    pub product: StageProduct,
    pub field: usize,
}

/// Some columns of a field of a stage's product; one band of rows is held in memory.
pub struct ResultRows<'a> {
    build: &'a TileBuild,
    pub source: FieldSource,
    /// Index of the result's field that marks samples with ground.
    ground: Option<usize>,
    columns: Range<usize>,
    cached: Mutex<CachedRows>,
}

#[derive(Default)]
struct CachedRows {
    rows: Range<usize>,
    values: Vec<f32>,
    ground: Vec<f32>,
    failed: Option<TileError>,
}

impl<'a> ResultRows<'a> {
    pub fn new(build: &'a TileBuild, source: FieldSource, ground: Option<usize>, columns: Range<usize>) -> Self {
        Self { build, source, ground, columns, cached: Mutex::default() }
    }

    fn read(&self, rows: &Range<usize>) -> Result<[Vec<f32>; 2], TileError> {
        let (plan, store, FieldSource { product, field }) = (&self.build.plan, &self.build.store, self.source);
        let wanted = Region { rows: rows.clone(), columns: self.columns.clone() };
        let of = |product, number: usize| {
            let (_, mut fields) = store.some_fields(plan, product, &wanted, &|k, _| k == number)?;
            Ok::<_, TileError>(if number < fields.len() { fields.swap_remove(number) } else { Vec::new() })
        };
        let ground = self.ground.map_or_else(|| Ok(Vec::new()), |ground| of(plan.result, ground))?;
        Ok([of(product, field)?, ground])
    }

    fn number(&self, row: usize, column: usize, of: impl Fn(&CachedRows) -> &[f32]) -> f32 {
        let mut held = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.rows.contains(&row) {
            let first = row / ROWS * ROWS;
            // The band includes the neighbouring rows, because slopes read them.
            held.rows = first.saturating_sub(1)..(first + ROWS + 1).min(self.build.plan.samples);
            match self.read(&held.rows) {
                Ok([values, ground]) => (held.values, held.ground) = (values, ground),
                Err(error) => {
                    held.failed = Some(error);
                    (held.values, held.ground) = Default::default();
                }
            }
        }
        let index = (row - held.rows.start) * self.columns.len() + column - self.columns.start;
        // A read error is reported by `check` afterwards, before any file is replaced.
        of(&held).get(index).copied().unwrap_or(0.0)
    }

    pub fn value(&self, row: usize, column: usize) -> f32 {
        self.number(row, column, |held| &held.values)
    }

    pub fn has_ground(&self, row: usize, column: usize) -> bool {
        self.ground.is_none() || self.number(row, column, |held| &held.ground) >= HAS_GROUND
    }

    /// Checks that all rows could be read.
    ///
    /// # Errors
    /// The first read error.
    pub fn check(&self) -> Result<(), TileError> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner).failed.take().map_or(Ok(()), Err)
    }
}

/// The result of a build, read in parts.
pub struct ResultSquare<'a> {
    build: &'a TileBuild,
    merged: &'a MergedTerrain,
    /// A data map of the result that the scene does not have.
    hidden: Option<MapKind>,
    failed: Mutex<Option<TileError>>,
}

impl<'a> ResultSquare<'a> {
    pub fn new(build: &'a TileBuild, merged: &'a MergedTerrain) -> Self {
        Self { build, merged, hidden: None, failed: Mutex::default() }
    }

    /// The result without a data map.
    pub fn without(self, hidden: Option<MapKind>) -> Self {
        Self { hidden, ..self }
    }

    fn field(&self, kind: MapKind) -> Option<usize> {
        self.merged.field(kind).filter(|_| self.hidden != Some(kind))
    }

    /// Checks that all parts could be read.
    ///
    /// # Errors
    /// The first read error.
    pub fn check(&self) -> Result<(), TileError> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// The reason why reading ended early: a read error, or the cancellation.
    pub fn error(&self, cancelled: Cancelled) -> TileError {
        self.check().err().unwrap_or(cancelled.into())
    }

    fn record_error<T>(&self, read: Result<T, TileError>) -> Result<T, Cancelled> {
        read.map_err(|error| {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Cancelled
        })
    }
}

impl SquareReader for ResultSquare<'_> {
    fn grid(&self) -> Grid {
        Grid::working(self.build.plan.samples, self.build.scene.settings.edges)
    }

    fn has_map(&self, kind: MapKind) -> bool {
        self.field(kind).is_some()
    }

    fn rows(&self, kind: Option<MapKind>, rows: Range<usize>) -> Result<Vec<f32>, Cancelled> {
        let plan = &self.build.plan;
        let number = kind.map_or(Some(0), |kind| self.field(kind));
        let wanted = Region { rows, columns: 0..plan.samples };
        let (_, mut fields) =
            self.record_error(
                self.build.store.some_fields(plan, plan.result, &wanted, &|field, _| Some(field) == number),
            )?;
        let number = number.filter(|number| *number < fields.len());
        Ok(number.map_or_else(Vec::new, |number| fields.swap_remove(number)))
    }

    fn window(&self, grid: Grid) -> Result<Terrain, Cancelled> {
        let mut window = self.record_error(self.build.store.window(&self.build.plan, self.build.plan.result, grid))?;
        if let Some(hidden) = self.hidden {
            window.set_map(hidden, None);
        }
        Ok(window)
    }
}
