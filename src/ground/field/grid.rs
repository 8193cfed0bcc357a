//! The grid of samples that holds a field; `topology.rs` finds the neighbours of its samples.

use super::Globe;
use super::topology::FACES;

crate::choices! {
    /// Whether the terrain ends at its edges or continues at the opposite edge.
    Edges {
        Open "Open": "The terrain ends at its edges.",
        Wrap "Wrapping": "The terrain continues at the opposite edge, so copies of it fit together without a seam.",
    }
}

/// Minimum number of samples per side.
pub const MIN_SAMPLES: usize = 2;
/// Maximum number of samples per side.
pub const MAX_SAMPLES: usize = 16_384;

/// A square grid of `samples` × `samples` heights; sample (row i, column j) is at the position (i, j) / (samples - 1).
///
/// On a wrapping grid the last row repeats row 0 and the last column repeats column 0. The neighbour beyond an edge is
/// therefore the sample one step inside the opposite edge.
///
/// A globe consists of six square faces, the faces of a cube projected onto a sphere. The faces are stored one after
/// the other, so that `rows` is 6 · `samples`. Adjacent faces both store the samples on their shared border.
///
/// A [window](Self::window) is a square part of a larger grid with open edges. Its samples keep the positions and the
/// spacing of the whole grid, and have no neighbours beyond the window's sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Stored samples per side. On a globe this counts the samples of one face; for a window, the samples of the
    /// window.
    pub samples: usize,
    /// Whether a square ends at its edges or continues at the opposite edge.
    pub edges: Edges,
    /// Number of square faces: 1, or [`FACES`] on a globe, which has no outer edges.
    faces: usize,
    /// Row and column of the first sample within the whole grid.
    first: [usize; 2],
    /// Samples per side of the whole grid.
    whole: usize,
}

impl Grid {
    /// A square of `samples` per side, clamped to [`MIN_SAMPLES`] and [`MAX_SAMPLES`].
    pub fn new(samples: usize, edges: Edges) -> Self {
        Self::working(samples.clamp(MIN_SAMPLES, MAX_SAMPLES), edges)
    }

    /// A square grid for intermediate results of a node. It can be slightly larger than a terrain is allowed to be.
    pub fn working(samples: usize, edges: Edges) -> Self {
        Self { samples, edges, faces: 1, first: [0; 2], whole: samples }
    }

    /// The grid of a globe with `samples` along each side of a face.
    pub fn globe(samples: usize) -> Self {
        Self { faces: FACES, ..Self::new(samples, Edges::Open) }
    }

    /// The whole grid, but with `samples` samples per side; edges and faces stay the same.
    pub fn with_samples(self, samples: usize) -> Self {
        Self { samples, first: [0; 2], whole: samples, ..self }
    }

    /// A window of `samples` per side whose first sample is at row and column `first` of this grid. This grid must be a
    /// square with open edges, and `first` + `samples` must not exceed the samples per side of this grid.
    pub fn window(self, first: [usize; 2], samples: usize) -> Self {
        debug_assert!(self.has_edge() && first.iter().all(|first| first + samples <= self.samples));
        let first = [first[0] + self.first[0], first[1] + self.first[1]];
        Self { samples, first, ..self }
    }

    /// Row and column that the first sample of this grid has within the whole grid; 0 unless this grid is a window.
    pub fn first(self) -> [usize; 2] {
        self.first
    }

    /// Samples per side of the whole grid, even if this grid is a window cut out of it.
    pub fn whole_samples(self) -> usize {
        self.whole
    }

    /// Number of samples in the field.
    #[allow(clippy::len_without_is_empty, reason = "a grid has at least four samples")]
    #[inline]
    pub fn len(self) -> usize {
        self.samples * self.rows()
    }

    /// Number of rows in the field, counting all faces.
    #[inline]
    pub fn rows(self) -> usize {
        self.samples * self.faces
    }

    /// Number of square faces: 1, or [`FACES`] on a globe.
    pub fn faces(self) -> usize {
        self.faces
    }

    /// Whether the grid covers a globe.
    #[inline]
    pub fn is_globe(self) -> bool {
        self.faces == FACES
    }

    /// Distance between neighbouring samples, as a fraction of the terrain's side length.
    #[inline]
    pub fn cell(self) -> f32 {
        1.0 / (self.whole - 1) as f32
    }

    /// Position of row or column `index`, from 0 to 1 across the whole square or, on a globe, across its face.
    #[inline]
    pub fn position(self, index: usize) -> f32 {
        index as f32 / (self.whole - 1) as f32
    }

    /// Position of row `row`, from 0 in the north to 1 in the south.
    #[inline]
    pub fn row_position(self, row: usize) -> f32 {
        self.position(self.first[0] + row)
    }

    /// Position of column `column`, from 0 in the west to 1 in the east.
    #[inline]
    pub fn column_position(self, column: usize) -> f32 {
        self.position(self.first[1] + column)
    }

    /// The index before row or column `index`, or `None` at an edge. A globe needs [`neighbour`](Self::neighbour)
    /// instead, because the neighbour can be on another face.
    #[inline]
    pub fn previous(self, index: usize) -> Option<usize> {
        match (index, self.edges) {
            (0, Edges::Open) => None,
            (0, Edges::Wrap) => Some(self.samples - 2),
            _ => Some(index - 1),
        }
    }

    /// The index after row or column `index`, or `None` at an edge.
    #[inline]
    pub fn next(self, index: usize) -> Option<usize> {
        match (index + 1 == self.samples, self.edges) {
            (true, Edges::Open) => None,
            (true, Edges::Wrap) => Some(1),
            _ => Some(index + 1),
        }
    }

    /// Maps `row`, which can be slightly beyond the edges of a square, to a row of the square. Returns `None` beyond an
    /// open edge.
    #[inline]
    pub fn row_beyond(self, row: isize) -> Option<usize> {
        let last = self.samples as isize - 1;
        let mut found = row.clamp(0, last) as usize;
        for _ in row..0 {
            found = self.previous(found)?;
        }
        for _ in last..row {
            found = self.next(found)?;
        }
        Some(found)
    }

    /// The values of `field` in row `row`.
    pub fn row<T>(self, field: &[T], row: usize) -> &[T] {
        &field[row * self.samples..(row + 1) * self.samples]
    }

    /// Number of distinct rows (and columns) of a square: the last row of a wrapping grid repeats the first.
    #[inline]
    pub fn distinct_side(self) -> usize {
        match self.edges {
            Edges::Open => self.samples,
            Edges::Wrap => self.samples - 1,
        }
    }

    /// Number of distinct rows over all faces.
    #[inline]
    pub fn distinct_rows(self) -> usize {
        if self.is_globe() { self.rows() } else { self.distinct_side() }
    }

    /// Whether the terrain has an outer edge. Only a square with open edges has one.
    pub fn has_edge(self) -> bool {
        !self.is_globe() && self.edges == Edges::Open
    }

    /// The shape of the globe, or `None` for a square.
    pub fn shape(self) -> Option<Globe> {
        self.is_globe().then(|| Globe::new(self.samples))
    }

    /// Sum over the distinct samples, in f64 and in row order, so that the sum is the same for any thread count. On a
    /// globe each sample is weighted by its area in units of the mean cell area.
    pub fn sum(self, field: &[f32]) -> f64 {
        if let Some(globe) = self.shape() {
            return globe.sum(field);
        }
        let distinct = self.distinct_side();
        (0..distinct).map(|i| self.row(field, i)[..distinct].iter().map(|&h| f64::from(h)).sum::<f64>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_edges_end_and_wrapping_ones_skip_the_repeated_row() {
        let open = Grid::new(5, Edges::Open);
        assert_eq!((open.previous(0), open.next(4), open.previous(4), open.next(0)), (None, None, Some(3), Some(1)));
        let wrap = Grid::new(5, Edges::Wrap);
        assert_eq!((wrap.previous(0), wrap.next(4)), (Some(3), Some(1)));
        assert_eq!(wrap.sum(&[1.0; 25]), 16.0);
    }

    #[test]
    fn a_window_has_the_positions_and_the_spacing_of_the_whole() {
        let whole = Grid::new(101, Edges::Open);
        let window = whole.window([20, 40], 11);
        assert_eq!((window.samples, window.len(), window.whole_samples()), (11, 121, 101));
        assert_eq!((window.cell(), window.row_position(5), window.column_position(10)), (0.01, 0.25, 0.5));
        assert_eq!(window.window([1, 2], 3).first(), [21, 42]);
        assert_eq!(window.with_samples(101), whole);
        assert_eq!((window.previous(0), window.next(10)), (None, None));
    }
}
