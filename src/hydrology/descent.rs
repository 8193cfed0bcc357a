//! One receiver for every cell.
//!
//! Steepest (O'Callaghan & Mark 1984, D8): the neighbour with the greatest fall per distance. Courses are multiples of 45°.
//!
//! Scattered: the steepest of the eight triangular facets around the cell gives direction and slope (Tarboton 1997); with falls
//! s₁ along its straight side and s₂ across it the water takes the diagonal with chance s₂/s₁ and the straight neighbour
//! otherwise, so that its mean course is the true direction (Fairfield & Leymarie 1991). The draw belongs to the cell and
//! never changes. The distance is the step projected on the direction of the facet: fall over distance is then
//! the facet's slope, whichever neighbour is drawn.
//!
//! Level ground goes to the neighbour of lowest index below its own; a cell that has none lower in (height, index) is a pit.

use rayon::prelude::*;

use super::cells::{AROUND, Cells, Outlets};
use crate::field::{Cancelled, Control, Stream};

/// How a cell chooses its receiver.
#[derive(Clone, Copy, Debug)]
pub enum Steering {
    Steepest,
    Scattered(Stream),
}

/// Receivers of all cells; outlets and pits are their own.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    pub receiver: Vec<u32>,
    /// Distance to the receiver in cells, projected on the direction of the flow; empty for the steepest.
    pub distance: Vec<f32>,
}

const STRAIGHT: f32 = 1.0;
const DIAGONAL: f32 = std::f32::consts::SQRT_2;

impl Descent {
    /// Receivers on `height`, in the memory of `self`.
    pub fn route(
        &mut self,
        cells: Cells,
        height: &[f32],
        outlets: &Outlets,
        steering: Steering,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let side = cells.side;
        self.receiver.resize(cells.len(), 0);
        let beyond = vec![f32::INFINITY; side];
        let window = |row: usize| Window::new(cells, height, &beyond, row);
        match steering {
            Steering::Steepest => {
                self.distance.clear();
                self.receiver.par_chunks_mut(side).enumerate().try_for_each(|(row, receivers)| {
                    control.check()?;
                    window(row).steepest(outlets, receivers);
                    Ok(())
                })
            }
            Steering::Scattered(stream) => {
                self.distance.resize(cells.len(), STRAIGHT);
                let rows = self.receiver.par_chunks_mut(side).zip(self.distance.par_chunks_mut(side));
                rows.enumerate().try_for_each(|(row, (receivers, distances))| {
                    control.check()?;
                    window(row).scattered(outlets, stream, receivers, distances);
                    Ok(())
                })
            }
        }
    }

    /// The receivers of `height`.
    pub fn new(
        cells: Cells,
        height: &[f32],
        outlets: &Outlets,
        steering: Steering,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut descent = Self::default();
        descent.route(cells, height, outlets, steering, control)?;
        Ok(descent)
    }
}

/// The steepest way down from a cell, in heights per cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Index in [`AROUND`] of the straight and the diagonal neighbour.
    pub straight: usize,
    pub diagonal: usize,
    /// Fall to the straight neighbour and from there to the diagonal one; both 0 or more.
    pub fall: [f32; 2],
    pub slope: f32,
}

/// The steepest facet of a cell of height `h` among neighbours `around` (infinite where there is none), if it goes down.
#[inline]
pub fn steepest_facet(h: f32, around: &[f32; 8]) -> Option<Facet> {
    let mut best = 0.0f32;
    let mut found = None;
    for straight in [0, 2, 4, 6] {
        let (a, edge) = (around[straight], h - around[straight]);
        for diagonal in [straight + 1, (straight + 7) % 8] {
            let across = a - around[diagonal];
            // the direction is held between the two sides of the facet
            let (s1, s2) = if edge > 0.0 && across <= 0.0 {
                (edge, 0.0)
            } else if edge > 0.0 && across <= edge {
                (edge, across)
            } else {
                let half = (h - around[diagonal]) * 0.5;
                (half, half)
            };
            let squared = s1 * s1 + s2 * s2;
            if s1 > 0.0 && squared > best {
                best = squared;
                found = Some((straight, diagonal, [s1, s2]));
            }
        }
    }
    found.map(|(straight, diagonal, fall)| Facet { straight, diagonal, fall, slope: best.sqrt() })
}

/// Three rows around a row of cells.
pub struct Window<'a> {
    cells: Cells,
    row: usize,
    rows: [&'a [f32]; 3],
    /// Index of the first cell of each of the three.
    starts: [usize; 3],
}

impl<'a> Window<'a> {
    pub fn new(cells: Cells, height: &'a [f32], beyond: &'a [f32], row: usize) -> Self {
        let side = cells.side;
        let at = [-1, 0, 1].map(|step| cells.along(row, step));
        Self {
            cells,
            row,
            rows: at.map(|r| r.map_or(beyond, |r| &height[r * side..][..side])),
            starts: at.map(|r| r.unwrap_or(row) * side),
        }
    }

    /// Heights around column `j`.
    #[inline]
    pub fn heights(&self, j: usize) -> [f32; 8] {
        let [n, m, s] = self.rows;
        let last = self.cells.side - 1;
        if j > 0 && j < last {
            return [m[j + 1], n[j + 1], n[j], n[j - 1], m[j - 1], s[j - 1], s[j], s[j + 1]];
        }
        AROUND.map(|(dr, dc)| {
            self.cells.along(j, dc).map_or(f32::INFINITY, |column| self.rows[(dr + 1) as usize][column])
        })
    }

    /// Index of neighbour `d` of column `j`, which there must be.
    #[inline]
    pub fn index(&self, j: usize, d: usize) -> usize {
        let (dr, dc) = AROUND[d];
        let start = self.starts[(dr + 1) as usize];
        if j > 0 && j + 1 < self.cells.side {
            return start + (j as isize + dc) as usize;
        }
        start + self.cells.along(j, dc).unwrap_or(j)
    }

    /// The receiver of column `j` on ground without a strictly lower neighbour.
    pub fn level_receiver(&self, j: usize, h: f32, around: &[f32; 8]) -> usize {
        let k = self.starts[1] + j;
        (0..8).filter(|&d| around[d] == h).map(|d| self.index(j, d)).fold(k, usize::min)
    }

    fn steepest(&self, outlets: &Outlets, receivers: &mut [u32]) {
        let side = self.cells.side;
        let [n, m, s] = self.rows.map(|row| &row[..side]);
        let start = self.starts[1];
        let receivers = &mut receivers[..side];
        let up = start as i32 - self.starts[0] as i32;
        let down = self.starts[2] as i32 - start as i32;
        for j in 1..side.max(2) - 1 {
            let h = m[j];
            let (mut best, mut to) = (0.0f32, 0i32);
            let mut look = |height: f32, weight: f32, step: i32| {
                let fall = (h - height) * weight;
                to = if fall > best { step } else { to };
                best = if fall > best { fall } else { best };
            };
            const SHORT: f32 = std::f32::consts::FRAC_1_SQRT_2;
            look(m[j + 1], 1.0, 1);
            look(n[j + 1], SHORT, 1 - up);
            look(n[j], 1.0, -up);
            look(n[j - 1], SHORT, -up - 1);
            look(m[j - 1], 1.0, -1);
            look(s[j - 1], SHORT, down - 1);
            look(s[j], 1.0, down);
            look(s[j + 1], SHORT, down + 1);
            receivers[j] = (start as i32 + j as i32 + to) as u32;
        }
        for j in [0, side - 1] {
            let (h, around) = (m[j], self.heights(j));
            let (mut best, mut to) = (0.0, start + j);
            for (d, &height) in around.iter().enumerate() {
                let fall = (h - height) / if d % 2 == 0 { STRAIGHT } else { DIAGONAL };
                if fall > best {
                    (best, to) = (fall, self.index(j, d));
                }
            }
            receivers[j] = to as u32;
        }
        self.mend(outlets, receivers);
    }

    /// Calls `put(column, straight, diagonal, [s₁, s₂])` for the steepest facet of every column; both falls are 0 where
    /// nothing goes down.
    pub fn each_facet(&self, mut put: impl FnMut(usize, usize, usize, [f32; 2])) {
        let mut block = FacetBlock::default();
        let inner = 1..self.cells.side.max(2) - 1;
        for first in inner.clone().step_by(BLOCK) {
            let columns = first..(first + BLOCK).min(inner.end);
            block.look(self.rows, columns.clone());
            for (lane, j) in columns.enumerate() {
                let (straight, diagonal) = STEPS[block.facet[lane] as usize];
                put(j, straight, diagonal, [block.s1[lane], block.s2[lane]]);
            }
        }
        for j in [0, self.cells.side - 1] {
            let facet = steepest_facet(self.rows[1][j], &self.heights(j));
            let (straight, diagonal, fall) = facet.map_or((0, 1, [0.0; 2]), |f| (f.straight, f.diagonal, f.fall));
            put(j, straight, diagonal, fall);
        }
    }

    fn scattered(&self, outlets: &Outlets, stream: Stream, receivers: &mut [u32], distances: &mut [f32]) {
        self.each_facet(|j, straight, diagonal, [s1, s2]| {
            (receivers[j], distances[j]) = ((self.starts[1] + j) as u32, STRAIGHT);
            if s1 > 0.0 {
                let drawn = stream.unit(j as i32, self.row as i32);
                let d = if drawn * s1 < s2 { diagonal } else { straight };
                let fall = if d == straight { s1 } else { s1 + s2 };
                (receivers[j], distances[j]) = (self.index(j, d) as u32, fall / (s1 * s1 + s2 * s2).sqrt());
            }
        });
        self.mend(outlets, receivers);
    }

    /// Makes outlets their own receivers, and routes level ground.
    fn mend(&self, outlets: &Outlets, receivers: &mut [u32]) {
        for (j, to) in receivers.iter_mut().enumerate() {
            let (k, h) = (self.starts[1] + j, self.rows[1][j]);
            if outlets.contain(k, h) {
                *to = k as u32;
            } else if *to as usize == k {
                *to = self.level_receiver(j, h, &self.heights(j)) as u32;
            }
        }
    }
}

/// Columns whose facets are compared side by side.
const BLOCK: usize = 64;

/// Straight and diagonal neighbour of the eight facets, in the order of [`steepest_facet`].
const STEPS: [(usize, usize); 8] = [(0, 1), (0, 7), (2, 3), (2, 1), (4, 5), (4, 3), (6, 7), (6, 5)];

/// The steepest facets of some columns: the law of [`steepest_facet`] without branches.
struct FacetBlock {
    s1: [f32; BLOCK],
    s2: [f32; BLOCK],
    facet: [u32; BLOCK],
}

impl Default for FacetBlock {
    fn default() -> Self {
        Self { s1: [0.0; BLOCK], s2: [0.0; BLOCK], facet: [0; BLOCK] }
    }
}

impl FacetBlock {
    fn look(&mut self, [n, m, s]: [&[f32]; 3], columns: std::ops::Range<usize>) {
        let count = columns.len();
        let wide = |row: &'_ [f32]| -> [f32; BLOCK + 2] {
            let mut wide = [0.0; BLOCK + 2];
            wide[..count + 2].copy_from_slice(&row[columns.start - 1..columns.end + 1]);
            wide
        };
        let (n, m, s) = (wide(n), wide(m), wide(s));
        *self = Self::default();
        for k in 0..BLOCK {
            let h = m[k + 1];
            let (mut best, mut s1, mut s2, mut facet) = (0.0f32, 0.0f32, 0.0f32, 0u32);
            let mut look = |a: f32, diagonal: f32, index: u32| {
                let (edge, across) = (h - a, a - diagonal);
                let half = (h - diagonal) * 0.5;
                let beyond = across > edge;
                let one = if beyond { half } else { edge };
                let level = if across > 0.0 { across } else { 0.0 };
                let two = if beyond { half } else { level };
                let one = if one > 0.0 { one } else { 0.0 };
                let squared = if one > 0.0 { one * one + two * two } else { 0.0 };
                let better = squared > best;
                best = if better { squared } else { best };
                s1 = if better { one } else { s1 };
                s2 = if better { two } else { s2 };
                facet = if better { index } else { facet };
            };
            look(m[k + 2], n[k + 2], 0);
            look(m[k + 2], s[k + 2], 1);
            look(n[k + 1], n[k], 2);
            look(n[k + 1], n[k + 2], 3);
            look(m[k], s[k], 4);
            look(m[k], n[k], 5);
            look(s[k + 1], s[k + 2], 6);
            look(s[k + 1], s[k], 7);
            self.s1[k] = s1;
            self.s2[k] = s2;
            self.facet[k] = facet;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_side_by_side_are_those_of_one_cell() {
        let cells = Cells { side: 70, wraps: false };
        let random = Stream::new(4, 4);
        let height: Vec<f32> = (0..cells.len()).map(|k| (random.unit(k as i32, 0) * 9.0) as u8 as f32).collect();
        let beyond = vec![f32::INFINITY; cells.side];
        let mut block = FacetBlock::default();
        for row in 1..69 {
            let window = Window::new(cells, &height, &beyond, row);
            for columns in [1..65, 65..69] {
                block.look(window.rows, columns.clone());
                for (lane, j) in columns.enumerate() {
                    let facet = steepest_facet(window.rows[1][j], &window.heights(j));
                    let expected = facet.map_or([0.0; 2], |f| f.fall);
                    assert_eq!([block.s1[lane], block.s2[lane]], expected);
                    assert!(facet.is_none_or(|f| (f.straight, f.diagonal) == STEPS[block.facet[lane] as usize]));
                }
            }
        }
    }
}
