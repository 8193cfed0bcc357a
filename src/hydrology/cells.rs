//! The distinct samples of a grid, and where water leaves them.

use std::borrow::Cow;

use crate::field::{Edges, Grid};

/// Row and column steps to the eight neighbours, anticlockwise from the east; even ones are straight, odd ones diagonal.
pub const AROUND: [(isize, isize); 8] = [(0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1)];

/// A square of `side` × `side` cells: the samples of a grid, each once.
///
/// A wrapping grid repeats its first row and column; here it is a torus without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    pub side: usize,
    pub wraps: bool,
}

impl Cells {
    pub fn of(grid: Grid) -> Self {
        Self { side: grid.distinct(), wraps: grid.edges == Edges::Wrap }
    }

    #[allow(clippy::len_without_is_empty, reason = "there is at least one cell")]
    pub fn len(self) -> usize {
        self.side * self.side
    }

    /// The distinct samples of `field`, which covers the whole grid.
    pub fn gather(self, field: &[f32]) -> Cow<'_, [f32]> {
        if !self.wraps {
            return Cow::Borrowed(field);
        }
        Cow::Owned(field.chunks(self.side + 1).take(self.side).flat_map(|row| &row[..self.side]).copied().collect())
    }

    /// Writes `values` of the cells to `field`, which covers the whole grid.
    pub fn scatter(self, values: &[f32], field: &mut [f32]) {
        if !self.wraps {
            field.copy_from_slice(values);
            return;
        }
        let n = self.side + 1;
        for (row, values) in field.chunks_mut(n).zip(values.chunks(self.side)) {
            row[..self.side].copy_from_slice(values);
            row[self.side] = values[0];
        }
        field.copy_within(0..n, self.side * n);
    }

    /// The index one `step` (-1, 0 or 1) from row or column `index`, if there is one.
    #[inline]
    pub fn along(self, index: usize, step: isize) -> Option<usize> {
        let at = index as isize + step;
        let side = self.side as isize;
        if (0..side).contains(&at) {
            Some(at as usize)
        } else if self.wraps {
            Some(at.rem_euclid(side) as usize)
        } else {
            None
        }
    }

    /// The cells around cell `k`, in the order of [`AROUND`].
    #[inline]
    pub fn around(self, k: usize) -> [Option<usize>; 8] {
        let (row, column) = (k / self.side, k % self.side);
        let side = self.side as isize;
        if row > 0 && column > 0 && row + 1 < self.side && column + 1 < self.side {
            return AROUND.map(|(dr, dc)| Some((k as isize + dr * side + dc) as usize));
        }
        AROUND.map(|(dr, dc)| Some(self.along(row, dr)? * self.side + self.along(column, dc)?))
    }

    /// Distance in cells between cell `a` and a cell beside it.
    #[inline]
    pub fn distance(self, a: usize, b: usize) -> f32 {
        if a / self.side != b / self.side && a % self.side != b % self.side { std::f32::consts::SQRT_2 } else { 1.0 }
    }
}

/// Where water leaves the terrain: open edges, cells at or below the sea, and on a wrapping terrain that is all above
/// the sea its lowest cell.
#[derive(Clone, Copy, Debug)]
pub struct Outlets {
    cells: Cells,
    sea: f32,
    lowest: usize,
}

impl Outlets {
    /// The outlets of `height`, with the sea at height `sea` (negative infinity for none).
    pub fn new(cells: Cells, height: &[f32], sea: f32) -> Self {
        let mut lowest = usize::MAX;
        if cells.wraps && !height.iter().any(|&h| h <= sea) {
            lowest = (0..height.len()).fold(0, |low, k| if height[k] < height[low] { k } else { low });
        }
        Self { cells, sea, lowest }
    }

    /// No outlet at all: all water stays in the hollows.
    pub fn none(cells: Cells) -> Self {
        Self { cells: Cells { wraps: true, ..cells }, sea: f32::NEG_INFINITY, lowest: usize::MAX }
    }

    /// Whether water leaves at cell `k` of height `h`.
    #[inline]
    pub fn contain(&self, k: usize, h: f32) -> bool {
        h <= self.sea || k == self.lowest || (!self.cells.wraps && self.on_edge(k))
    }

    #[inline]
    fn on_edge(&self, k: usize) -> bool {
        let (row, column, last) = (k / self.cells.side, k % self.cells.side, self.cells.side - 1);
        row == 0 || column == 0 || row == last || column == last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torus_has_no_edge_and_no_cell_twice() {
        let grid = Grid::new(5, Edges::Wrap);
        let cells = Cells::of(grid);
        let field: Vec<f32> = (0..25).map(|k| ((k / 5) % 4 * 4 + k % 5 % 4) as f32).collect();
        let values = cells.gather(&field).into_owned();
        assert_eq!(values, (0..16).map(|k| k as f32).collect::<Vec<_>>());
        let mut back = vec![0.0; 25];
        cells.scatter(&values, &mut back);
        assert_eq!(back, field);
        assert_eq!(cells.around(0), [1, 13, 12, 15, 3, 7, 4, 5].map(Some));
        assert_eq!(cells.distance(0, 15), std::f32::consts::SQRT_2);
        assert_eq!(Cells::of(Grid::new(5, Edges::Open)).around(0).into_iter().flatten().count(), 3);
    }

    #[test]
    fn water_leaves_at_edges_at_the_sea_or_at_the_lowest_cell() {
        let height: Vec<f32> = (0..16).map(|k| ((k * 7 + 3) % 16) as f32).collect();
        let count = |wraps: bool, sea: f32| {
            let outlets = Outlets::new(Cells { side: 4, wraps }, &height, sea);
            (0..16).filter(|&k| outlets.contain(k, height[k])).count()
        };
        assert_eq!((count(false, -1.0), count(true, -1.0), count(true, 2.0)), (12, 1, 3));
    }
}
