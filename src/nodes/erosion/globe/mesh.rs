//! The cells of a globe as a simulation passes over them: faces with a rim, distances, areas.
//!
//! A padded face has n + 2 rows of n + 2, so that a row finds all eight neighbours of its cells beside it. What stands on
//! the rim and in the copies along the borders comes from the owners: every face computes all its cells, owners decide,
//! and [`close`](Mesh::close) hands on what they found before the next pass reads it.

use rayon::prelude::*;

use crate::field::metric::Links;
use crate::field::topology::{EAST, FACES, NORTH, SOUTH, WEST};
use crate::field::{Cancelled, Globe};
use crate::nodes::Context;

pub struct Mesh {
    globe: Globe,
    /// Distances between neighbours, in radii of the globe.
    pub distances: Links,
    /// Areas of a face in cells of the mean area.
    areas: Vec<f32>,
    /// Areas of all cells that are no copies; 0 for copies.
    weights: Vec<f32>,
    /// What follows what in padded faces, and in the plain grid.
    rims: Vec<[u32; 2]>,
    copies: Vec<[u32; 2]>,
}

/// Rows that a thread takes at once at the least.
pub const ROWS: usize = 8;

impl Mesh {
    /// The mesh of a globe with `samples` along the side of a face.
    pub fn new(samples: usize) -> Self {
        let globe = Globe::new(samples);
        let n = globe.samples();
        let areas = globe.areas();
        let mut weights: Vec<f32> = areas.iter().copied().cycle().take(globe.len()).collect();
        let (mut rims, mut copies) = (Vec::new(), Vec::new());
        let padded = |face: usize, row: usize, column: usize| (face * (n + 2) + row) * (n + 2) + column;
        let owner = |k: usize| padded(k / (n * n), k / n % n + 1, k % n + 1) as u32;
        for face in 0..FACES {
            for row in 0..n + 2 {
                let edge = row < 2 || row >= n;
                for column in (0..n + 2).filter(|&column| edge || column < 2 || column >= n) {
                    let inner = |k: usize| k.clamp(1, n);
                    let here = (face * n + inner(row) - 1) * n + inner(column) - 1;
                    let step = match (inner(row) != row, inner(column) != column) {
                        (false, false) => None,
                        // beside the corner of a face lies the sample that also lies above or below it
                        (false, true) if row == 1 => Some(NORTH),
                        (false, true) if row == n => Some(SOUTH),
                        (false, true) => Some(if column == 0 { WEST } else { EAST }),
                        (true, false) => Some(if row == 0 { NORTH } else { SOUTH }),
                        // nobody's neighbour
                        (true, true) => None,
                    };
                    let from = step
                        .and_then(|step| globe.grid().neighbour(here, step))
                        .unwrap_or_else(|| globe.grid().owner(here));
                    let to = padded(face, row, column) as u32;
                    if owner(from) != to {
                        rims.push([to, owner(from)]);
                    }
                    if step.is_none() && inner(row) == row && inner(column) == column && from != here {
                        copies.push([here as u32, from as u32]);
                        weights[here] = 0.0;
                    }
                }
            }
        }
        Self { distances: Links::distances(&globe), globe, areas, weights, rims, copies }
    }

    /// Samples per side of a face.
    pub fn samples(&self) -> usize {
        self.globe.samples()
    }

    pub fn globe(&self) -> &Globe {
        &self.globe
    }

    /// Areas of the cells of row `row` of a face, in cells of the mean area.
    pub fn areas(&self, row: usize) -> &[f32] {
        let n = self.samples();
        &self.areas[row * n..][..n]
    }

    /// Side of a square cell of the mean area, in radii of the globe.
    pub fn mean_cell(&self) -> f64 {
        (4.0 * std::f64::consts::PI / self.globe.grid().distinct_len() as f64).sqrt()
    }

    /// Cells of padded faces.
    pub fn padded_len(&self) -> usize {
        let stride = self.samples() + 2;
        FACES * stride * stride
    }

    /// Copies `field` into padded faces.
    pub fn pad(&self, cx: &Context, field: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
        let n = self.samples();
        self.rows(cx, [out], |row, _, [cells]| cells.copy_from_slice(&field[row * n..][..n]))
    }

    /// Computes the rows of padded faces in parallel, `row(row of all rows, row of its face, cells)`, and closes them.
    pub fn rows<T: Copy + Send, const FIELDS: usize>(
        &self,
        cx: &Context,
        mut fields: [&mut [T]; FIELDS],
        row: impl Fn(usize, usize, [&mut [T]; FIELDS]) + Sync,
    ) -> Result<(), Cancelled> {
        let n = self.samples();
        let mut chunks = fields.each_mut().map(|field| field.chunks_mut(n + 2));
        let mut rows = Vec::with_capacity(FACES * n);
        for at in 0..FACES * (n + 2) {
            let cells = chunks.each_mut().map(|chunks| chunks.next().expect("padded"));
            if (1..=n).contains(&(at % (n + 2))) {
                rows.push(cells.map(|cells| &mut cells[1..=n]));
            }
        }
        rows.into_par_iter().with_min_len(ROWS).enumerate().try_for_each(|(at, cells)| {
            cx.control.check()?;
            row(at, at % n, cells);
            Ok(())
        })?;
        fields.iter_mut().for_each(|field| self.close(field));
        Ok(())
    }

    /// Fills rims and copies of padded faces from the owners.
    pub fn close<T: Copy>(&self, padded: &mut [T]) {
        for &[to, from] in &self.rims {
            padded[to as usize] = padded[from as usize];
        }
    }

    /// Fills copies of a plain field from the owners.
    pub fn close_plain<T: Copy>(&self, field: &mut [T]) {
        for &[to, from] in &self.copies {
            field[to as usize] = field[from as usize];
        }
    }

    /// Row `row` of all rows of padded faces.
    pub fn row<'a, T>(&self, padded: &'a [T], row: usize) -> &'a [T] {
        let n = self.samples();
        &padded[self.start(row)..][..n]
    }

    /// The neighbours of the cells of row `row` of all rows, in the order of [`DIRECTIONS`](crate::field::DIRECTIONS).
    pub fn around<'a, T>(&self, padded: &'a [T], row: usize) -> [&'a [T]; 8] {
        let n = self.samples();
        let (at, stride) = (self.start(row), n + 2);
        let starts = [
            at + 1,
            at - stride + 1,
            at - stride,
            at - stride - 1,
            at - 1,
            at + stride - 1,
            at + stride,
            at + stride + 1,
        ];
        starts.map(|start| &padded[start..][..n])
    }

    /// Where the cells of a row of all rows begin in padded faces.
    fn start(&self, row: usize) -> usize {
        let n = self.samples();
        let (face, row) = (row / n, row % n);
        (face * (n + 2) + row + 1) * (n + 2) + 1
    }

    /// What row `row` of all rows lost and what it gained, by area.
    pub fn balance(&self, row: usize, old: &[f32], new: &[f32]) -> [f64; 2] {
        let n = self.samples();
        let (mut lost, mut gained) = (0.0, 0.0);
        for ((&old, &new), &weight) in old.iter().zip(new).zip(&self.weights[row * n..][..n]) {
            let fall = (f64::from(old) - f64::from(new)) * f64::from(weight);
            lost += if fall > 0.0 { fall } else { 0.0 };
            gained -= if fall < 0.0 { fall } else { 0.0 };
        }
        [lost, gained]
    }

    /// Sum over a row of all rows, by area.
    pub fn total(&self, row: usize, values: &[f32]) -> f64 {
        let n = self.samples();
        values.iter().zip(&self.weights[row * n..][..n]).map(|(&v, &weight)| f64::from(v) * f64::from(weight)).sum()
    }
}
