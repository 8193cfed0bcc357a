//! The grid a field lives on; `topology.rs` knows the neighbours of its samples.

use super::Globe;
use super::topology::FACES;

crate::choices! {
    /// What lies beyond the edges of the terrain.
    Edges {
        Open "Open": "The terrain ends at its edges.",
        Wrap "Wrapping": "The terrain continues on the other side, so that copies tile without a seam.",
    }
}

/// Samples per side at the least.
pub const MIN_SAMPLES: usize = 2;
/// Samples per side at the most.
pub const MAX_SAMPLES: usize = 16_384;

/// A square grid of `samples` × `samples` heights; sample (row i, column j) lies at (i, j) / (samples - 1).
///
/// On a wrapping grid the last row repeats row 0 and the last column repeats column 0; the neighbour beyond
/// an edge is therefore the sample one step inside the opposite edge.
///
/// A globe is six such squares, the faces of a cube blown up to a sphere, one after the other: `rows` is then
/// 6 · `samples`, and faces repeat the samples of the borders they share.
///
/// A [window](Self::window) is a square cut out of an open square: its samples have the positions and spacing of the
/// whole, and beyond its sides there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Samples per side of what is held: of a globe per side of a face, of a window per side of the window.
    pub samples: usize,
    /// What lies beyond the edges of a square.
    pub edges: Edges,
    /// Squares that it consists of: 1, or the [`FACES`] of a globe, whose edges are none.
    faces: usize,
    /// Row and column of the first sample in the whole.
    first: [usize; 2],
    /// Samples per side of the whole.
    whole: usize,
}

impl Grid {
    /// A square of `samples` per side, clamped to [`MIN_SAMPLES`] and [`MAX_SAMPLES`].
    pub fn new(samples: usize, edges: Edges) -> Self {
        Self::working(samples.clamp(MIN_SAMPLES, MAX_SAMPLES), edges)
    }

    /// A working grid inside a node, which may be a little larger than a terrain can be.
    pub fn working(samples: usize, edges: Edges) -> Self {
        Self { samples, edges, faces: 1, first: [0; 2], whole: samples }
    }

    /// The grid of a globe, with `samples` along the side of a face.
    pub fn globe(samples: usize) -> Self {
        Self { faces: FACES, ..Self::new(samples, Edges::Open) }
    }

    /// The whole grid of so many samples a side with the same edges and faces.
    pub fn with_samples(self, samples: usize) -> Self {
        Self { samples, first: [0; 2], whole: samples, ..self }
    }

    /// The square of `samples` per side whose first sample stands in a row and column of this one, a square with open
    /// edges; `first` + `samples` is no more than its samples.
    pub fn window(self, first: [usize; 2], samples: usize) -> Self {
        debug_assert!(self.has_edge() && first.iter().all(|first| first + samples <= self.samples));
        let first = [first[0] + self.first[0], first[1] + self.first[1]];
        Self { samples, first, ..self }
    }

    /// Row and column, in the whole, of the first sample: 0 except of a window.
    pub fn first(self) -> [usize; 2] {
        self.first
    }

    /// Samples per side of the whole, of which this may be a window.
    pub fn whole_samples(self) -> usize {
        self.whole
    }

    /// Number of samples in the field.
    #[allow(clippy::len_without_is_empty, reason = "a grid has at least four samples")]
    pub fn len(self) -> usize {
        self.samples * self.rows()
    }

    /// Number of rows in the field: those of all faces.
    pub fn rows(self) -> usize {
        self.samples * self.faces
    }

    /// Squares that the grid consists of: 1, or the [`FACES`] of a globe.
    pub fn faces(self) -> usize {
        self.faces
    }

    /// Whether the grid goes around a globe.
    pub fn is_globe(self) -> bool {
        self.faces == FACES
    }

    /// Distance between neighbouring samples, as a fraction of the side.
    pub fn cell(self) -> f32 {
        1.0 / (self.whole - 1) as f32
    }

    /// Position of row or column `index` of the whole, from 0 to 1; on a globe of a row or column of its face.
    pub fn position(self, index: usize) -> f32 {
        index as f32 / (self.whole - 1) as f32
    }

    /// Position of row `row`, from 0 in the north to 1 in the south.
    pub fn row_position(self, row: usize) -> f32 {
        self.position(self.first[0] + row)
    }

    /// Position of column `column`, from 0 in the west to 1 in the east.
    pub fn column_position(self, column: usize) -> f32 {
        self.position(self.first[1] + column)
    }

    /// The row or column before `index`, if there is one. On a globe there is one on the neighbouring face:
    /// [`neighbour`](Self::neighbour).
    pub fn previous(self, index: usize) -> Option<usize> {
        match (index, self.edges) {
            (0, Edges::Open) => None,
            (0, Edges::Wrap) => Some(self.samples - 2),
            _ => Some(index - 1),
        }
    }

    /// The row or column after `index`, if there is one.
    pub fn next(self, index: usize) -> Option<usize> {
        match (index + 1 == self.samples, self.edges) {
            (true, Edges::Open) => None,
            (true, Edges::Wrap) => Some(1),
            _ => Some(index + 1),
        }
    }

    /// The row of a square that stands for `row`, which may lie a few beyond the edges; none beyond an open edge.
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

    /// Row `row` of `field`.
    pub fn row<T>(self, field: &[T], row: usize) -> &[T] {
        &field[row * self.samples..(row + 1) * self.samples]
    }

    /// How many rows (and columns) of a square count once when something is summed: a wrapping grid repeats its first.
    pub fn distinct(self) -> usize {
        match self.edges {
            Edges::Open => self.samples,
            Edges::Wrap => self.samples - 1,
        }
    }

    /// How many of all rows count once when something is summed.
    pub fn distinct_rows(self) -> usize {
        if self.is_globe() { self.rows() } else { self.distinct() }
    }

    /// Whether the ground ends somewhere: it does on an open square alone.
    pub fn has_edge(self) -> bool {
        !self.is_globe() && self.edges == Edges::Open
    }

    /// The shape of a globe; a square has none.
    pub fn shape(self) -> Option<Globe> {
        self.is_globe().then(|| Globe::new(self.samples))
    }

    /// Sum over the distinct samples, in f64 and in row order, so that it is the same for any thread count. On a globe
    /// each counts by the area it stands for, in cells of the mean area.
    pub fn sum(self, field: &[f32]) -> f64 {
        if let Some(globe) = self.shape() {
            return globe.sum(field);
        }
        let distinct = self.distinct();
        (0..distinct).map(|i| self.row(field, i)[..distinct].iter().map(|&h| f64::from(h)).sum::<f64>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_edges_have_no_neighbour_and_wrapping_ones_skip_the_repeated_row() {
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
