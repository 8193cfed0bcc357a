//! A rectangle of samples in a square grid.

use std::ops::Range as Span;

use super::Grid;

/// A range of rows and a range of columns of a square grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Range of rows, counted from the north; the end is excluded.
    pub rows: Span<usize>,
    /// Range of columns, counted from the west; the end is excluded.
    pub columns: Span<usize>,
}

impl Region {
    /// The region of all samples of `grid`.
    pub fn whole(grid: Grid) -> Self {
        Self { rows: 0..grid.samples, columns: 0..grid.samples }
    }

    /// The empty region.
    pub fn none() -> Self {
        Self { rows: 0..0, columns: 0..0 }
    }

    /// Whether the region contains no sample.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.columns.is_empty()
    }

    /// Whether the two regions have at least one sample in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let meet = |a: &Span<usize>, b: &Span<usize>| a.start < b.end && b.start < a.end;
        meet(&self.rows, &other.rows) && meet(&self.columns, &other.columns)
    }

    /// Number of samples in the region.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// The smallest region that contains both regions.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other.clone() } else { self.clone() };
        }
        let both = |a: &Span<usize>, b: &Span<usize>| a.start.min(b.start)..a.end.max(b.end);
        Self { rows: both(&self.rows, &other.rows), columns: both(&self.columns, &other.columns) }
    }

    /// The region extended by `samples` on every side, clipped to a grid with `side` samples per side.
    #[must_use]
    pub fn grown(&self, samples: usize, side: usize) -> Self {
        let grown = |span: &Span<usize>| span.start.saturating_sub(samples)..(span.end + samples).min(side);
        if self.is_empty() { Self::none() } else { Self { rows: grown(&self.rows), columns: grown(&self.columns) } }
    }
}
