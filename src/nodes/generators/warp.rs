//! Domain distortion: gradient noise read at displaced places.
//!
//! Law (Quílez): noise(p + s·(f(p), g(p))), s the strength in sides and f, g gradient noise of three octaves scaled to about ±1. Folds and
//! eddies come of it, as in ground that was pushed about. All octaves read at the same displaced place.
//!
//! Scheme: f and g are summed along rows like any [`lattice`](super::lattice) noise. The noise itself is read sample by sample; its gradients
//! come from a table of the octave's lattice where that is smaller than the grid, else each is drawn anew. Without
//! strength the plain readers run, to the bit and at their speed.
//! Boundary and sampling as in the lattice: a preview is exactly the subsample of the full size.
//! Source: Quílez 2002, *Domain warping*; Musgrave in Ebert et al. 2003, ch. 17.

use std::cell::RefCell;
use std::rc::Rc;

use super::lattice::{Octave, Reader as Plain, directions};
use super::octaves::{Fade, Octaves, Reader as RowReader};
use crate::field::{Edges, Grid, Stream};

/// Strength and grain of the distortion.
#[derive(Clone, Copy, Debug)]
pub struct Warp {
    /// Greatest displacement, about, in sides.
    pub strength: f32,
    pub frequency: f32,
}

/// Random streams of the two displacements; octaves have the lower ones.
const STREAMS: [u64; 2] = [1000, 1001];
const WEIGHTS: [f32; 3] = [1.2, 0.6, 0.3];

/// The octaves of a noise, warped or not.
pub struct Field {
    octaves: Vec<Octave>,
    warp: Option<Warped>,
}

struct Warped {
    strength: f32,
    fade: Fade,
    samples: usize,
    displacements: [Vec<Octave>; 2],
    tables: Vec<Table>,
}

impl Field {
    pub fn new(grid: Grid, random: Stream, law: &Octaves, fade: Fade, warp: Warp) -> Self {
        let octaves = Octave::all(grid, random, law, fade);
        if warp.strength == 0.0 {
            return Self { octaves, warp: None };
        }
        let gentle =
            Octaves { count: WEIGHTS.len() as u32, frequency: warp.frequency, lacunarity: 2.0, offset: law.offset };
        let displacements = STREAMS.map(|salt| Octave::all(grid, random.fork(salt), &gentle, Fade::Improved));
        let wraps = grid.edges == Edges::Wrap;
        let mut frequency = f64::from(law.frequency);
        let mut tables = Vec::new();
        for octave in &octaves {
            // as in Octaves::lattices
            let cells = if wraps { libm::round(frequency).max(1.0) } else { frequency };
            tables.push(Table::new(octave, cells as f32, warp.strength, grid.samples, wraps));
            frequency *= f64::from(law.lacunarity);
        }
        let warped = Warped { strength: warp.strength, fade, samples: grid.samples, displacements, tables };
        Self { octaves, warp: Some(warped) }
    }

    /// A reader of every octave, for a band of rows.
    pub fn readers(&self) -> Vec<Reader<'_>> {
        let Some(warp) = &self.warp else {
            return self.octaves.iter().map(|octave| Reader::Plain(octave.reader())).collect();
        };
        let row = Rc::new(RefCell::new(Row {
            warp,
            readers: [0, 1].map(|k| warp.displacements[k].iter().map(Octave::reader).collect()),
            at: None,
            moved: [vec![0.0; warp.samples], vec![0.0; warp.samples]],
        }));
        let read = |(octave, table)| Reader::Warped(WarpedReader { octave, table, warp, row: Rc::clone(&row) });
        self.octaves.iter().zip(&warp.tables).map(read).collect()
    }
}

/// Displacements of one row, shared by the readers of a band.
struct Row<'a> {
    warp: &'a Warped,
    readers: [Vec<Plain<'a>>; 2],
    at: Option<usize>,
    moved: [Vec<f32>; 2],
}

impl Row<'_> {
    fn prepare(&mut self, row: usize) {
        if self.at == Some(row) {
            return;
        }
        self.at = Some(row);
        for (readers, moved) in self.readers.iter_mut().zip(&mut self.moved) {
            moved.fill(0.0);
            for (reader, weight) in readers.iter_mut().zip(WEIGHTS) {
                reader.add(row, weight * self.warp.strength, moved);
            }
        }
    }
}

/// Gradients of the lattice an octave may be read at.
struct Table {
    /// Cells per side.
    cells: f32,
    period: Option<i32>,
    /// Row and column of the first gradient, and gradients a row.
    first: [i32; 2],
    width: i32,
    /// Empty where drawing is cheaper.
    directions: Vec<u8>,
}

impl Table {
    fn new(octave: &Octave, cells: f32, strength: f32, samples: usize, wraps: bool) -> Self {
        let mut table =
            Self { cells, period: wraps.then_some(cells as i32), first: [0; 2], width: 0, directions: Vec::new() };
        // the displacement stays within √½ of the summed weights
        let reach = WEIGHTS.iter().sum::<f32>() * strength.abs() * 0.75 * cells + 2.0;
        let side = cells + 2.0 * reach + 4.0;
        if side <= 2.0 * samples as f32 && !wraps {
            let start = |lines: &[i32]| lines[0] - reach as i32 - 1;
            table.first = [start(octave.row_lines()), start(octave.column_lines())];
            table.width = side as i32 + 2;
            let place = |k: i32| (table.first[1] + k % table.width, table.first[0] + k / table.width);
            table.directions =
                (0..table.width * table.width).map(place).map(|(x, y)| octave.direction_bits(x, y)).collect();
        }
        table
    }

    /// Gradients at the four corners of a cell, as indices: two of its first row, two of its second.
    #[inline(always)]
    fn corners(&self, octave: &Octave, row: i32, column: i32) -> [u8; 4] {
        let (i, j) = (row.wrapping_sub(self.first[0]) as u32, column.wrapping_sub(self.first[1]) as u32);
        let last = (self.width - 1).max(0) as u32;
        if i < last && j < last {
            let at = (i * self.width as u32 + j) as usize;
            let (top, bottom) = (&self.directions[at..at + 2], &self.directions[at + self.width as usize..][..2]);
            return [top[0], top[1], bottom[0], bottom[1]];
        }
        let wrapped = |line: i32| self.period.map_or(line, |p| line.rem_euclid(p));
        [(0, 0), (1, 0), (0, 1), (1, 1)]
            .map(|(dx, dy)| octave.direction_bits(wrapped(column.wrapping_add(dx)), wrapped(row.wrapping_add(dy))))
    }
}

/// Reads rows of an octave.
pub enum Reader<'a> {
    Plain(Plain<'a>),
    Warped(WarpedReader<'a>),
}

pub struct WarpedReader<'a> {
    octave: &'a Octave,
    table: &'a Table,
    warp: &'a Warped,
    row: Rc<RefCell<Row<'a>>>,
}

impl RowReader for Reader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        match self {
            Self::Plain(reader) => reader.add(row, amplitude, out),
            Self::Warped(reader) => reader.add(row, amplitude, out),
        }
    }
}

/// Cells that a place is moved by at the most.
const FARTHEST: f32 = 8_388_608.0;

#[inline(always)]
fn floor(x: f32) -> i32 {
    let whole = x as i32;
    whole - i32::from(x < whole as f32)
}

impl WarpedReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let mut moves = self.row.borrow_mut();
        moves.prepare(row);
        let [east, south] = &moves.moved;
        let (table, octave) = (self.table, self.octave);
        let (line, part) = octave.row_place(row);
        let (directions, fade) = (directions(), self.warp.fade);
        // in parts, so that places and sums are computed several at a time around the scattered reads
        const PART: usize = 64;
        let (mut cells, mut places) = ([[0i32; 2]; PART], [[0.0f32; 2]; PART]);
        let mut corners = [[[0.0f32; 2]; 4]; PART];
        for start in (0..out.len()).step_by(PART) {
            let part_of_row = &mut out[start..(start + PART).min(east.len())];
            let count = part_of_row.len();
            for k in 0..count {
                let (column, along) = octave.column_place(start + k);
                // beyond the limit single precision knows no parts of a cell
                let moved = |by: f32| (by * table.cells).clamp(-FARTHEST, FARTHEST);
                let (x, y) = (along + moved(east[start + k]), part + moved(south[start + k]));
                let (cx, cy) = (floor(x), floor(y));
                cells[k] = [column.wrapping_add(cx), line.wrapping_add(cy)];
                places[k] = [x - cx as f32, y - cy as f32];
            }
            for (corners, &[column, row]) in corners[..count].iter_mut().zip(&cells) {
                *corners = table.corners(octave, row, column).map(|k| directions[usize::from(k)]);
            }
            for ((h, corners), &[x, y]) in part_of_row.iter_mut().zip(&corners).zip(&places) {
                let dot = |g: [f32; 2], dx: f32, dy: f32| g[0] * (x - dx) + g[1] * (y - dy);
                let (u, v) = (fade.weight(x), fade.weight(y));
                let (a, b) = (dot(corners[0], 0.0, 0.0), dot(corners[1], 1.0, 0.0));
                let (c, d) = (dot(corners[2], 0.0, 1.0), dot(corners[3], 1.0, 1.0));
                let (top, bottom) = (a + (b - a) * u, c + (d - c) * u);
                *h += (top + (bottom - top) * v) * amplitude;
            }
        }
    }
}
