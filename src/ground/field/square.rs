//! Reads rows or windows of a square terrain, which need not be in memory as a whole.

use std::ops::Range;
use std::sync::Arc;

use super::{Cancelled, Grid, MapKind, Terrain};

/// Reads parts of a square terrain.
pub trait SquareReader: Sync {
    /// The grid of the whole terrain.
    fn grid(&self) -> Grid;

    /// Whether the terrain has this data map.
    fn has_map(&self, kind: MapKind) -> bool;

    /// Returns complete rows of a data map, or of the heights if `kind` is `None`.
    ///
    /// # Errors
    /// Fails if the evaluation was cancelled or the rows cannot be read; the reader then reports the reason.
    fn rows(&self, kind: Option<MapKind>, rows: Range<usize>) -> Result<Vec<f32>, Cancelled>;

    /// Heights and all data maps in a [window](Grid::window) of the whole terrain.
    ///
    /// # Errors
    /// Fails if the evaluation was cancelled or the window cannot be read; the reader then reports the reason.
    fn window(&self, grid: Grid) -> Result<Terrain, Cancelled>;
}

impl SquareReader for Terrain {
    fn grid(&self) -> Grid {
        self.grid
    }

    fn has_map(&self, kind: MapKind) -> bool {
        self.map(kind).is_some()
    }

    fn rows(&self, kind: Option<MapKind>, rows: Range<usize>) -> Result<Vec<f32>, Cancelled> {
        let field = kind.map_or(Some(&self.height), |kind| self.map(kind).map(Arc::as_ref));
        let n = self.grid.samples;
        Ok(field.map_or_else(Vec::new, |field| field[rows.start * n..rows.end * n].to_vec()))
    }

    fn window(&self, grid: Grid) -> Result<Terrain, Cancelled> {
        let [top, left] = grid.first();
        let part = |field: &[f32]| -> Vec<f32> {
            let rows = top..top + grid.samples;
            rows.flat_map(|row| &self.grid.row(field, row)[left..left + grid.samples]).copied().collect()
        };
        let mut window = Self::flat(grid);
        window.height = part(&self.height);
        for (kind, map) in self.maps() {
            window.set_map(kind, Some(Arc::new(part(map))));
        }
        Ok(window)
    }
}
