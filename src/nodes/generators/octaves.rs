//! Common parts of fractal sums: their parameters, the lattice of each octave on the grid, and the sum itself.

use crate::Context;
use talweg_ground::field::{Cancelled, Edges, Grid, Stream, smooth_step};

talweg_ground::choices! {
    /// The interpolation between lattice points.
    NoiseFade {
        Linear "Linear": "Linear interpolation: creases show the lattice, which the other options hide.",
        Classic "Classic": "Perlin's curve 3t² - 2t³ of 1985: a little cheaper, with faint creases along the lattice.",
        Improved "Improved": "Perlin's curve 6t⁵ - 15t⁴ + 10t³ of 2002: no creases, and the curvature is continuous.",
    }
}

/// [`NoiseFade::Linear`] as a constant for const generics.
pub const LINEAR: u8 = NoiseFade::Linear as u8;
/// [`NoiseFade::Classic`] as a constant for const generics.
pub const CLASSIC: u8 = NoiseFade::Classic as u8;
/// [`NoiseFade::Improved`] as a constant for const generics.
pub const IMPROVED: u8 = NoiseFade::Improved as u8;

/// The fade weight at `t`, from 0 to 1, for a fade that is known at compile time.
#[inline(always)]
pub fn fade_weight<const FADE: u8>(t: f32) -> f32 {
    match FADE {
        LINEAR => t,
        CLASSIC => smooth_step(t),
        _ => t * t * t * (t * (t * 6.0 - 15.0) + 10.0),
    }
}

impl NoiseFade {
    /// The weight of the second of two lattice points at `t`, from 0 to 1.
    pub fn weight(self, t: f32) -> f32 {
        match self {
            Self::Linear => fade_weight::<LINEAR>(t),
            Self::Classic => fade_weight::<CLASSIC>(t),
            Self::Improved => fade_weight::<IMPROVED>(t),
        }
    }
}

/// Declares the parameters of a noise that is summed in octaves. [`params!`](talweg_ground::params) includes them with
/// `octave_params!(frequency = …, octaves = …, persistence = …);`, and [`Octaves::new`] takes their values.
macro_rules! octave_params {
    (
        @into $head:tt $done:tt [$($rest:tt)*]
        frequency = $frequency:expr, octaves = $octaves:expr, persistence = $persistence:expr
    ) => {
        talweg_ground::params! { @each $head $done [
            /// Number of large features along a side: larger values make hills narrower and therefore steeper.
            frequency: f32 = $frequency, 0.1..=256.0, slider 0.5..=32.0;
            /// Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same
            /// time.
            octaves: u32 = $octaves, 1..=16;
            /// Frequency of each octave relative to the previous octave.
            lacunarity: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0 => |noise| noise.octaves > 1 && noise.persistence > 0.0;
            /// Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values
            /// jagged terrain.
            persistence: f32 = $persistence, 0.0..=1.0, slider 0.2..=0.8 => |noise| noise.octaves > 1;
            $($rest)*
        ] }
    };
}

/// Declares the parameters of a pattern that the user can move: `offset_params!();`.
macro_rules! offset_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Moves the pattern to the west, as a multiple of the terrain's side length.
            offset_x: f32 = 0.0, -1000.0..=1000.0, slider -2.0..=2.0;
            /// Moves the pattern to the north, as a multiple of the terrain's side length.
            offset_y: f32 = 0.0, -1000.0..=1000.0, slider -2.0..=2.0;
            $($rest)*
        ] }
    };
}

pub(crate) use {octave_params, offset_params};

/// The sequence of octaves in a fractal sum.
#[derive(Clone, Copy, Debug)]
pub struct Octaves {
    /// Number of octaves.
    pub count: u32,
    /// Lattice cells per side of the first octave.
    pub frequency: f32,
    /// Frequency of each octave divided by the frequency of the previous octave.
    pub lacunarity: f32,
    /// Displacement of the whole field, as a multiple of the side length.
    pub offset: [f32; 2],
}

impl Octaves {
    /// Creates the octaves from the values of a noise's parameters.
    pub fn new(frequency: f32, count: u32, lacunarity: f32, offset: [f32; 2]) -> Self {
        Self { count, frequency, lacunarity, offset }
    }

    /// Number of lattice cells per side of every octave. On wrapping grids it is a whole multiple of `multiple`.
    pub fn cells(&self, grid: Grid, multiple: f64) -> Vec<f64> {
        let mut frequency = f64::from(self.frequency);
        let mut all = Vec::new();
        for _ in 0..self.count {
            all.push(match grid.edges {
                Edges::Open => frequency,
                Edges::Wrap => libm::round(frequency / multiple).max(1.0) * multiple,
            });
            frequency *= f64::from(self.lacunarity);
        }
        all
    }

    /// The lattice of every octave, shifted by a random fraction of a cell. Each axis extends `reach` lattice lines
    /// beyond those that enclose a sample, on both sides. On wrapping grids the number of cells per side is a whole
    /// multiple of `multiple`.
    pub fn lattices(&self, grid: Grid, random: Stream, reach: usize, multiple: f64) -> Vec<Lattice> {
        let lattice = |(k, cells): (usize, f64)| {
            let stream = random.fork(k as u64);
            let axis = |along: usize, first: usize| {
                LatticeAxis::new(grid, first, cells, f64::from(self.offset[along]), lattice_shift(stream, along), reach)
            };
            let [first_row, first_column] = grid.first();
            Lattice { stream, columns: axis(0, first_column), rows: axis(1, first_row) }
        };
        self.cells(grid, multiple).into_iter().enumerate().map(lattice).collect()
    }

    /// The lattice lines of octave `k` that cross the terrain, and one line beyond each edge. `along` is 0 for columns
    /// and 1 for rows. Each line is given by its number and its position as a fraction of the side length.
    pub fn lines(&self, grid: Grid, random: Stream, k: u32, multiple: f64, along: usize) -> Vec<(i64, f32)> {
        let cells = self.cells(grid, multiple)[k as usize];
        let (shift, offset) = (lattice_shift(random.fork(u64::from(k)), along), f64::from(self.offset[along]));
        let place = |position: f64| libm::floor((position + offset) * cells + shift) as i64;
        (place(0.0)..=place(1.0) + 1).map(|line| (line, ((line as f64 - shift) / cells - offset) as f32)).collect()
    }
}

/// Random shift of an octave's lattice along an axis, in cells.
fn lattice_shift(stream: Stream, along: usize) -> f64 {
    f64::from(stream.fork(0).unit(along as i32, 0))
}

/// The positions of a grid's samples in the randomly shifted lattice of one octave.
pub struct Lattice {
    /// Random stream from which the values of the octave are drawn.
    pub stream: Stream,
    /// Positions of the columns of samples.
    pub columns: LatticeAxis,
    /// Positions of the rows of samples.
    pub rows: LatticeAxis,
}

/// Positions of the samples along one axis of the grid, in a lattice.
pub struct LatticeAxis {
    /// Lattice lines that the samples need, without duplicates, in ascending order.
    pub lines: Vec<i32>,
    /// Index in `lines` of the first line that each sample needs: `reach` lines before the line that precedes the
    /// sample. The other lines follow.
    pub cell: Vec<u32>,
    /// Distance of each sample from the previous lattice line, in cells.
    pub fraction: Vec<f32>,
}

impl LatticeAxis {
    /// Creates an axis on which sample k has the lattice coordinate (position + offset) · frequency + shift.
    pub fn new(grid: Grid, first: usize, frequency: f64, offset: f64, shift: f64, reach: usize) -> Self {
        let n = grid.samples;
        let period = (grid.edges == Edges::Wrap).then_some(frequency as i64);
        let (mut lines, mut cell, mut fraction) = (Vec::new(), Vec::with_capacity(n), Vec::with_capacity(n));
        let mut newest: Option<i64> = None;
        let wrapped = |line: i64| period.map_or(line, |p| line.rem_euclid(p)) as i32;
        for k in 0..n {
            let place = ((first + k) as f64 / (grid.whole_samples() - 1) as f64 + offset) * frequency + shift;
            let line = libm::floor(place);
            fraction.push((place - line) as f32);
            let line = line as i64;
            for needed in line - reach as i64..=line + 1 + reach as i64 {
                if newest.is_none_or(|l| l < needed) {
                    lines.push(wrapped(needed));
                    newest = Some(needed);
                }
            }
            // The last line in the list is the last line that the sample needs.
            cell.push((lines.len() - 2 - 2 * reach) as u32);
        }
        if period.is_some() {
            // On a wrapping grid the last sample is exactly equal to the first.
            (cell[n - 1], fraction[n - 1]) = (cell[0], fraction[0]);
        }
        Self { lines, cell, fraction }
    }
}

/// Reads one octave of a noise row by row. Neighbouring rows share intermediate results.
pub trait RowReader {
    /// Adds `amplitude` · noise of row `row` to `out`. The noise has mean 0 and standard deviation about ¼.
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]);
}

/// Fills `out` with base + Σ weight · noise, summed over the octaves. `readers` creates the readers of all octaves for
/// a band of rows.
pub fn sum<R: RowReader>(
    cx: &Context,
    base: f32,
    weights: &[f32],
    readers: impl Fn() -> Vec<R> + Sync,
    out: &mut [f32],
) -> Result<(), Cancelled> {
    cx.bands(out, |first, cells| {
        let mut readers = readers();
        for (k, row) in cells.chunks_mut(cx.grid.samples).enumerate() {
            row.fill(base);
            for (reader, &weight) in readers.iter_mut().zip(weights) {
                reader.add(first + k, weight, row);
            }
        }
    })
}

/// The powers 1, persistence, persistence² …, one for each octave.
pub fn powers(octaves: u32, persistence: f32) -> Vec<f32> {
    std::iter::successors(Some(1.0f32), |w| Some(w * persistence)).take(octaves as usize).collect()
}

/// Weights of the octaves. They are scaled so that the standard deviation of the sum is about ⅙ of `amplitude` for any
/// number of octaves.
pub fn weights(octaves: u32, persistence: f32, amplitude: f32) -> Vec<f32> {
    let mut weights = powers(octaves, persistence);
    let squares: f32 = weights.iter().map(|w| w * w).sum();
    let scale = amplitude / (squares * 2.0).sqrt();
    weights.iter_mut().for_each(|w| *w *= scale);
    weights
}
