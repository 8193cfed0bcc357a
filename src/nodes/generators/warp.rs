//! Domain distortion: gradient noise read at displaced places.
//!
//! Law (Quílez): noise(p + s·(f(p), g(p))), s the strength in sides and f, g gradient noise of three octaves scaled to about ±1. Folds and
//! eddies come of it, as in ground that was pushed about. All octaves read at the same displaced place.
//!
//! Scheme: f and g are summed along rows like any [`lattice`](super::lattice) noise. The noise itself is read sample by sample: with the
//! fade in y folded into the gradients, as in the lattice, the two gradients of a cell's upper line and the two of its lower
//! line are weighted four numbers at a time. They come from a table of the octave's lattice where that is not much larger
//! than the grid, else each is drawn anew. Without strength the plain readers run, to the bit and at their speed.
//! Boundary and sampling as in the lattice: a preview is exactly the subsample of the full size.
//! Source: Quílez 2002, *Domain warping*; Musgrave in Ebert et al. 2003, ch. 17.

use std::cell::RefCell;
use std::rc::Rc;

use glam::Vec4;

use super::lattice::{Octave, Reader as Plain};
use super::octaves::{Fade, Octaves, Reader as RowReader};
use crate::field::{Edges, Grid, Stream};

/// Strength and grain of the distortion.
#[derive(Clone, Copy, Debug)]
pub struct Warp {
    /// Greatest displacement, about, in sides.
    pub strength: f32,
    pub frequency: f32,
}

impl Warp {
    pub const NONE: Self = Self { strength: 0.0, frequency: 1.0 };
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
    /// Lattice column before each sample, and the distance from it in cells.
    columns: Vec<(i32, f32)>,
    /// Row and column of the first gradient, and gradients a row.
    first: [i32; 2],
    width: i32,
    /// Both parts of each gradient; empty where drawing is cheaper.
    gradients: Vec<f32>,
}

impl Table {
    fn new(octave: &Octave, cells: f32, strength: f32, samples: usize, wraps: bool) -> Self {
        let mut table = Self {
            cells,
            period: wraps.then_some(cells as i32),
            columns: (0..samples).map(|column| octave.column_place(column)).collect(),
            first: [0; 2],
            width: 0,
            gradients: Vec::new(),
        };
        // the displacement stays within √½ of the summed weights
        let reach = WEIGHTS.iter().sum::<f32>() * strength.abs() * 0.75 * cells + 2.0;
        let side = cells + 2.0 * reach + 4.0;
        if side <= 2.0 * samples as f32 {
            let start = |lines: &[i32]| if wraps { 0 } else { lines[0] } - reach as i32 - 1;
            table.first = [start(octave.row_lines()), start(octave.column_lines())];
            table.width = side as i32 + 2;
            let places = 0..table.width * table.width;
            table.gradients = places
                .flat_map(|k| table.drawn(octave, table.first[0] + k / table.width, table.first[1] + k % table.width))
                .collect();
        }
        table
    }

    /// The gradient of a lattice point, which may lie beyond an edge.
    fn drawn(&self, octave: &Octave, row: i32, column: i32) -> [f32; 2] {
        let wrapped = |line: i32| self.period.map_or(line, |p| line.rem_euclid(p));
        octave.gradient(wrapped(column), wrapped(row))
    }

    /// Gradients at the corners of a cell, drawn: both of its upper line, both of its lower line.
    fn corners(&self, octave: &Octave, [row, column]: [i32; 2]) -> [Vec4; 2] {
        [0, 1].map(|below| {
            let gradient = |right: i32| self.drawn(octave, row.wrapping_add(below), column.wrapping_add(right));
            let ([a, b], [c, d]) = (gradient(0), gradient(1));
            Vec4::new(a, b, c, d)
        })
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

/// Cells that a place is moved by at the most: beyond, single precision knows too few parts of a cell.
const FARTHEST: f32 = 2_097_152.0;

/// The whole number below x, as both kinds of number; |x| < 2²².
#[inline(always)]
fn floor(x: f32) -> (i32, f32) {
    // the bits of 1.5·2²³ + x hold the whole number nearest to x: no cast, which would not vectorise
    const SHIFT: f32 = 12_582_912.0;
    let shifted = x + SHIFT;
    let nearest = shifted - SHIFT;
    let above = nearest > x;
    let whole = (shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32);
    (whole - i32::from(above), if above { nearest - 1.0 } else { nearest })
}

impl WarpedReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let mut moves = self.row.borrow_mut();
        moves.prepare(row);
        let [east, south] = &moves.moved;
        let (table, octave) = (self.table, self.octave);
        let (line, part) = octave.row_place(row);
        let fade = self.warp.fade;
        let last = (table.width - 1).max(0) as u32;
        let (above, below) = (&table.gradients[..], table.gradients.get(2 * table.width as usize..).unwrap_or(&[]));
        // in parts, so that places and sums are computed several at a time around the scattered reads
        const PART: usize = 64;
        let (mut cells, mut across) = ([[0i32; 2]; PART], [0.0f32; PART]);
        let mut at = [0u32; PART];
        let (mut upper, mut lower) = ([[0.0f32; 2]; PART], [[0.0f32; 2]; PART]);
        let mut crossed = [[0.0f32; 4]; PART];
        for start in (0..out.len()).step_by(PART) {
            let end = (start + PART).min(out.len());
            let count = end - start;
            let mut tabulated = true;
            let moved = east[start..end].iter().zip(&south[start..end]).zip(&table.columns[start..end]);
            for (k, ((&east, &south), &(column, along))) in moved.enumerate() {
                let moved = |by: f32| (by * table.cells).clamp(-FARTHEST, FARTHEST);
                let (x, y) = (along + moved(east), part + moved(south));
                let ((cx, x_below), (cy, y_below)) = (floor(x), floor(y));
                cells[k] = [line.wrapping_add(cy), column.wrapping_add(cx)];
                let [i, j] = [0, 1].map(|axis| cells[k][axis].wrapping_sub(table.first[axis]) as u32);
                tabulated &= (i < last) & (j < last);
                at[k] = i.wrapping_mul(table.width as u32).wrapping_add(j).wrapping_mul(2);
                let (x, y) = (x - x_below, y - y_below);
                let v = fade.weight(y);
                across[k] = x;
                upper[k] = [1.0 - v, (1.0 - v) * y];
                lower[k] = [v, v * (y - 1.0)];
            }
            // slope and height of both lattice columns where the sample's row crosses them
            let weighted = |above: Vec4, below: Vec4, [a, b]: [f32; 2], [c, d]: [f32; 2]| {
                (above * Vec4::new(a, b, a, b) + below * Vec4::new(c, d, c, d)).to_array()
            };
            if tabulated {
                for (k, crossed) in crossed[..count].iter_mut().enumerate() {
                    let at = at[k] as usize;
                    let (above, below) = (Vec4::from_slice(&above[at..at + 4]), Vec4::from_slice(&below[at..at + 4]));
                    *crossed = weighted(above, below, upper[k], lower[k]);
                }
            } else {
                for (k, crossed) in crossed[..count].iter_mut().enumerate() {
                    let [above, below] = table.corners(octave, cells[k]);
                    *crossed = weighted(above, below, upper[k], lower[k]);
                }
            }
            for ((h, &x), &[slope, height, next_slope, next_height]) in
                out[start..end].iter_mut().zip(&across).zip(&crossed)
            {
                let (left, right) = (slope * x + height, next_slope * (x - 1.0) + next_height);
                *h += (left + (right - left) * fade.weight(x)) * amplitude;
            }
        }
    }
}
