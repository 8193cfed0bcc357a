//! A steady wind over the grid: field values at a given distance upwind, and material that hops downwind.
//!
//! The displacement is the same everywhere. So both operations shift the whole field by a whole number of cells plus a
//! fraction, which is divided between two rows and two columns (bilinear). The giving cell divides its material, in
//! whole slabs. So all the material that cells give arrives, to the bit, and no grid direction is preferred.

use super::cover::Slabs;
use talweg_ground::field::{Edges, Grid};

/// Returns the direction in which a wind blows, as a unit vector to the east and to the south. `from_degrees` is the
/// direction from which the wind comes, clockwise from north.
pub fn wind_direction(from_degrees: f32) -> [f64; 2] {
    let angle = f64::from(from_degrees) * (std::f64::consts::PI / 180.0);
    // a wind along a grid axis has exactly the direction of that axis
    let clean = |v: f64| if v.abs() < 1e-6 { 0.0 } else { v };
    [clean(-libm::sin(angle)), clean(libm::cos(angle))]
}

/// A displacement of values or material downwind.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    grid: Grid,
    /// Whole cells to the south; `columns` are whole cells to the east.
    rows: isize,
    columns: isize,
    /// Fraction of the material that moves one row farther; `part_column` is the fraction that moves one column
    /// farther.
    part_row: f32,
    part_column: f32,
}

impl Hop {
    /// A hop of `cells` cells in the direction `toward`.
    pub fn new(grid: Grid, toward: [f64; 2], cells: f64) -> Self {
        let period = (grid.samples - 1) as f64;
        let split = |distance: f64| {
            let distance = match grid.edges {
                // distances beyond the size of the terrain all have the same effect
                Edges::Open => distance.clamp(-period - 2.0, period + 2.0),
                Edges::Wrap => distance % period,
            };
            let whole = distance.floor();
            (whole as isize, (distance - whole) as f32)
        };
        let ((columns, part_column), (rows, part_row)) = (split(toward[0] * cells), split(toward[1] * cells));
        Self { grid, rows, columns, part_row, part_column }
    }

    /// Returns the row or column at `index`, wrapped where the terrain wraps; `None` if it is outside the terrain.
    fn index_inside(&self, index: isize) -> Option<usize> {
        let n = self.grid.samples as isize;
        match self.grid.edges {
            Edges::Open => (0..n).contains(&index).then_some(index as usize),
            Edges::Wrap => Some(index.rem_euclid(n - 1) as usize),
        }
    }

    /// Writes the values of `field` one hop upwind of row `row`. Beyond an open edge the values at the edge repeat.
    pub fn upwind(&self, field: &[f32], row: usize, line: &mut WindLine, out: &mut [f32]) {
        let n = self.grid.samples;
        let near = row as isize - self.rows;
        let at = |index: isize| {
            let row = self.index_inside(index).unwrap_or(index.clamp(0, n as isize - 1) as usize);
            &self.grid.row(field, row)[..n]
        };
        let (near, far) = (at(near), at(near - 1));
        let mixed = &mut line.row[..n];
        for j in 0..n {
            mixed[j] = near[j] + (far[j] - near[j]) * self.part_row;
        }
        let (first, last) = (mixed[0], mixed[n - 1]);
        self.unroll(line, first, last);
        let from = &line.unrolled[..n + 1];
        for j in 0..n {
            out[j] = from[j + 1] + (from[j] - from[j + 1]) * self.part_column;
        }
    }

    /// Writes the material that arrives in row `row` when the material of every cell of `field` hops. Each cell beyond
    /// an open edge sends the amount `outside`. Returns the amount that entered over the edge.
    pub fn carry(
        &self,
        slabs: Slabs,
        field: &[f32],
        outside: f32,
        row: usize,
        line: &mut WindLine,
        out: &mut [f32],
    ) -> f64 {
        let n = self.grid.samples;
        let beyond = |part: f32| slabs.nearest(outside * part);
        let (far_row, far_column) = (beyond(self.part_row), beyond(self.part_column));
        let mut entered = 0.0;
        let near = row as isize - self.rows;
        let mixed = &mut line.row[..n];
        match self.index_inside(near) {
            Some(near) => {
                let near = &self.grid.row(field, near)[..n];
                for j in 0..n {
                    mixed[j] = near[j] - slabs.nearest(near[j] * self.part_row);
                }
            }
            None => {
                mixed.fill(outside - far_row);
                entered += n as f64 * f64::from(outside - far_row);
            }
        }
        match self.index_inside(near - 1) {
            Some(far) => {
                let far = &self.grid.row(field, far)[..n];
                for j in 0..n {
                    mixed[j] += slabs.nearest(far[j] * self.part_row);
                }
            }
            None => {
                mixed.iter_mut().for_each(|v| *v += far_row);
                entered += n as f64 * f64::from(far_row);
            }
        }
        self.unroll(line, outside, outside);
        let from = &line.unrolled[..n + 1];
        for j in 0..n {
            let (near, far) = (from[j + 1], from[j]);
            out[j] = (near - slabs.nearest(near * self.part_column)) + slabs.nearest(far * self.part_column);
        }
        if self.grid.edges == Edges::Open {
            let over = |columns: isize| columns.unsigned_abs().min(n) as f64;
            entered += over(self.columns) * f64::from(outside - far_column);
            entered += over(self.columns + 1) * f64::from(far_column);
        }
        entered
    }

    /// Shifts the row so that entry j + 1 is one hop upwind of cell j. `before` and `after` fill the entries beyond
    /// open edges.
    fn unroll(&self, line: &mut WindLine, before: f32, after: f32) {
        let n = self.grid.samples;
        let WindLine { row, unrolled } = line;
        let start = -1 - self.columns;
        match self.grid.edges {
            Edges::Open => {
                // number of entries before the row; the numbers on the row and after the row follow
                let ahead = (-start).clamp(0, n as isize + 1) as usize;
                let end = (n as isize - start).clamp(0, n as isize + 1) as usize;
                unrolled[..ahead].fill(before);
                if ahead < end {
                    let from = (ahead as isize + start) as usize;
                    unrolled[ahead..end].copy_from_slice(&row[from..from + end - ahead]);
                }
                unrolled[end..].fill(after);
            }
            Edges::Wrap => {
                let mut from = start.rem_euclid(n as isize - 1) as usize;
                let mut done = 0;
                while done < n + 1 {
                    let count = (n - 1 - from).min(n + 1 - done);
                    unrolled[done..done + count].copy_from_slice(&row[from..from + count]);
                    done += count;
                    from = 0;
                }
            }
        }
    }
}

/// Working memory for the shift of one row.
pub struct WindLine {
    row: Vec<f32>,
    unrolled: Vec<f32>,
}

impl WindLine {
    /// Working memory for rows of `samples` samples.
    pub fn new(samples: usize) -> Self {
        Self { row: vec![0.0; samples], unrolled: vec![0.0; samples + 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Stream;

    fn field(n: usize) -> Vec<f32> {
        let random = Stream::new(1, 2);
        (0..n * n).map(|k| (random.unit(k as i32, 0) * 1024.0).floor()).collect()
    }

    #[test]
    fn winds_have_their_names() {
        assert_eq!(wind_direction(270.0), [1.0, 0.0]);
        assert_eq!(wind_direction(0.0), [0.0, 1.0]);
        assert_eq!(wind_direction(90.0)[0], -1.0);
    }

    /// Compares a hop with the plain definition, cell by cell.
    #[test]
    fn a_hop_of_whole_cells_is_a_shift() {
        let n = 9;
        let field = field(n);
        let slabs = Slabs::for_depth(131_072.0);
        for edges in [Edges::Open, Edges::Wrap] {
            let grid = Grid::new(n, edges);
            for (rows, columns) in [(0isize, 0isize), (2, 3), (-4, 1), (0, -20), (11, 9), (-9, -8)] {
                let hop = Hop { grid, rows, columns, part_row: 0.0, part_column: 0.0 };
                let (mut line, mut out) = (WindLine::new(n), vec![0.0; n]);
                for i in 0..n {
                    hop.carry(slabs, &field, 7.0, i, &mut line, &mut out);
                    for (j, &arrived) in out.iter().enumerate() {
                        let source = (hop.index_inside(i as isize - rows), hop.index_inside(j as isize - columns));
                        let expected = if let (Some(a), Some(b)) = source { field[a * n + b] } else { 7.0 };
                        assert_eq!(arrived, expected, "{i} {j} {rows} {columns} {edges:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_sent_slab_arrives() {
        let n = 17;
        let mut sent = field(n);
        let slabs = Slabs::for_depth(131_072.0);
        let grid = Grid::new(n, Edges::Wrap);
        for k in 0..n {
            sent[k * n + n - 1] = sent[k * n];
        }
        sent.copy_within(0..n, (n - 1) * n);
        for degrees in [0.0, 13.0, 45.0, 300.0] {
            let hop = Hop::new(grid, wind_direction(degrees), 3.7);
            let mut got = vec![0.0; n * n];
            let mut line = WindLine::new(n);
            for (i, row) in got.chunks_mut(n).enumerate() {
                hop.carry(slabs, &sent, 0.0, i, &mut line, row);
            }
            assert_eq!(grid.sum(&got), grid.sum(&sent), "{degrees}");
        }
    }

    #[test]
    fn sand_that_enters_over_an_edge_is_counted() {
        let n = 12;
        let slabs = Slabs::for_depth(131_072.0);
        let grid = Grid::new(n, Edges::Open);
        for degrees in [0.0, 77.0, 225.0] {
            for cells in [0.4, 3.3, 40.0] {
                let hop = Hop::new(grid, wind_direction(degrees), cells);
                let (mut line, mut out) = (WindLine::new(n), vec![0.0; n]);
                for i in 0..n {
                    let entered = hop.carry(slabs, &vec![0.0; n * n], 100.0, i, &mut line, &mut out);
                    let arrived: f64 = out.iter().map(|&v| f64::from(v)).sum();
                    // at a corner, sand can enter over one edge and leave over the other in the same hop
                    assert!(entered >= arrived && (degrees != 0.0 || entered == arrived), "{entered} {arrived}");
                }
            }
        }
    }
}
