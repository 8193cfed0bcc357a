//! Filters that run along columns and then along rows, eight lines at a time.
//!
//! Scheme: eight columns at a time are gathered, processed in f64 and written as eight rows of the transposed field. A
//! second pass transposes the field back. Lines are independent, so the result does not depend on how they are grouped.
//! Boundary: beyond an open edge a line is reflected about its end sample. On wrapping grids it continues with the
//! sample one step inside the opposite edge, and its last sample repeats the first.

use crate::Context;
use talweg_ground::field::{Cancelled, Edges, Grid};

pub const LANES: usize = 8;
/// The samples at the same position of eight neighbouring lines.
pub type EightLanes = [f64; LANES];

/// Eight lines of a field.
pub struct EightLines {
    pub grid: Grid,
    pub values: Vec<EightLanes>,
    /// Working memory of the filter, in addition to the lines.
    pub scratch: Vec<EightLanes>,
}

impl EightLines {
    pub fn new(grid: Grid, values: Vec<EightLanes>) -> Self {
        Self { grid, values, scratch: Vec::new() }
    }

    /// Writes as many of the lines as fit into `rows`.
    fn write(&mut self, rows: &mut [f32]) {
        let n = self.values.len();
        if self.grid.edges == Edges::Wrap {
            self.values[n - 1] = self.values[0];
        }
        for (lane, row) in rows.chunks_mut(n).enumerate() {
            row.iter_mut().zip(&self.values).for_each(|(h, values)| *h = values[lane] as f32);
        }
    }
}

/// Returns the index inside the grid that replaces `index`. `index` can be beyond the edges.
pub fn index_beyond(grid: Grid, index: i64) -> usize {
    let side = grid.samples as i64 - 1;
    match grid.edges {
        Edges::Wrap => index.rem_euclid(side) as usize,
        Edges::Open => {
            let folded = index.rem_euclid(2 * side);
            folded.min(2 * side - folded) as usize
        }
    }
}

/// Filters `field` with `work` along its columns and then along its rows, and returns the result.
pub fn separable(cx: &Context, field: &[f32], work: impl Fn(&mut EightLines) + Sync) -> Result<Vec<f32>, Cancelled> {
    let mut turned = vec![0.0; field.len()];
    columns_to_rows(cx, field, &mut turned, &work)?;
    let mut out = vec![0.0; field.len()];
    columns_to_rows(cx, &turned, &mut out, &work)?;
    Ok(out)
}

fn columns_to_rows(
    cx: &Context,
    field: &[f32],
    out: &mut [f32],
    work: &(impl Fn(&mut EightLines) + Sync),
) -> Result<(), Cancelled> {
    let n = cx.grid.samples;
    cx.bands_of(LANES, out, |first, rows| {
        let lanes = rows.len() / n;
        let gather = |row: &[f32]| {
            let mut values = [0.0; LANES];
            values.iter_mut().zip(&row[first..first + lanes]).for_each(|(v, &h)| *v = f64::from(h));
            values
        };
        let mut lines = EightLines::new(cx.grid, field.chunks(n).map(gather).collect());
        work(&mut lines);
        lines.write(rows);
    })
}

/// Filters `lines` with `work`. `lines` holds complete lines one after another, each as long as a side of the grid.
/// [`separable`] calls this function for the columns and then for the rows.
pub fn along_lines(cx: &Context, lines: &mut [f32], work: impl Fn(&mut EightLines) + Sync) -> Result<(), Cancelled> {
    let n = cx.grid.samples;
    cx.bands_of(LANES, lines, |_, rows| {
        let gather = |k: usize| {
            let mut values = [0.0; LANES];
            values.iter_mut().zip(rows.chunks(n)).for_each(|(v, row)| *v = f64::from(row[k]));
            values
        };
        let mut lines = EightLines::new(cx.grid, (0..n).map(gather).collect());
        work(&mut lines);
        lines.write(rows);
    })
}
