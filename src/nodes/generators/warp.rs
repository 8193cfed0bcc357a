//! Domain warp of a noise: gradient noise read at displaced positions.
//!
//! Law (Quílez): noise(p + s·(f(p), g(p))). s is the strength as a multiple of the side length, and f and g are
//! gradient noise of three octaves, scaled to about ±1. This makes folds and eddies. All octaves are read at the same
//! displaced position.
//!
//! Scheme: f and g are summed along rows like any [`lattice`](super::lattice) noise, once for all octaves; the octaves
//! are read at [`scattered`](super::scattered) positions. At strength 0 the plain readers run, with exactly their
//! result and speed. Boundary and sampling as in the lattice: a preview is exactly a subsample of the full size.
//! Source: Quílez 2002, *Domain warping*; Musgrave in Ebert et al. 2003, ch. 17.

use std::cell::RefCell;
use std::rc::Rc;

use super::lattice::{GradientOctave, GradientReader};
use super::octaves::{NoiseFade, Octaves, RowReader};
use super::scattered::Scattered;
use talweg_ground::field::{Edges, Grid, Stream};

/// Declares the parameters of a noise that can be warped: `warp_params!();`.
macro_rules! warp_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Displacement of the pattern by noise, as a fraction of the terrain's side length: larger values fold
            /// hills into eddies.
            warp: f32 = 0.0, 0.0..=1.0, slider 0.0..=0.2;
            /// Number of large eddies of the displacement along a side.
            warp_frequency: f32 = 3.0, 0.1..=64.0, slider 0.5..=16.0 => |noise| noise.warp != 0.0;
            $($rest)*
        ] }
    };
}

pub(crate) use warp_params;

/// Strength and frequency of the displacement that warps a noise.
#[derive(Clone, Copy, Debug)]
pub struct DomainWarp {
    /// Approximate maximum displacement, as a fraction of the side length.
    pub strength: f32,
    /// Number of large eddies of the displacement along a side.
    pub frequency: f32,
}

impl DomainWarp {
    /// No displacement.
    pub const NONE: Self = Self { strength: 0.0, frequency: 1.0 };
}

/// Upper bound of the working memory of a noise warped by `strength`
/// ([`NodeMemory::fields`](crate::NodeMemory::fields)). The tables of gradients depend on the positions of the octaves
/// on the grid.
pub fn warped_fields(strength: f32) -> f32 {
    if strength == 0.0 { 0.1 } else { 8.0 }
}

/// Keys of the random streams for the two displacements; octaves use lower numbers.
const STREAMS: [u64; 2] = [1000, 1001];
const WEIGHTS: [f32; 3] = [1.2, 0.6, 0.3];

/// The octaves of a gradient noise, with or without a warp.
pub struct NoiseField {
    octaves: Vec<GradientOctave>,
    warp: Option<Warped>,
}

struct Warped {
    strength: f32,
    fade: NoiseFade,
    samples: usize,
    displacements: [Vec<GradientOctave>; 2],
    scattered: Vec<Scattered>,
}

impl NoiseField {
    /// Creates the octaves of `law`, read at positions displaced by `warp`.
    pub fn new(grid: Grid, random: Stream, law: &Octaves, fade: NoiseFade, warp: DomainWarp) -> Self {
        let octaves = GradientOctave::all(grid, random, law, fade);
        if warp.strength == 0.0 {
            return Self { octaves, warp: None };
        }
        let gentle =
            Octaves { count: WEIGHTS.len() as u32, frequency: warp.frequency, lacunarity: 2.0, offset: law.offset };
        let displacements =
            STREAMS.map(|salt| GradientOctave::all(grid, random.fork(salt), &gentle, NoiseFade::Improved));
        let wraps = grid.edges == Edges::Wrap;
        let mut frequency = f64::from(law.frequency);
        // The displacement is at most √½ times the sum of the weights.
        let farthest = WEIGHTS.iter().sum::<f32>() * warp.strength.abs() * 0.75;
        let mut scattered = Vec::new();
        for octave in &octaves {
            // The frequency is rounded in the same way as in `Octaves::lattices`.
            let cells = if wraps { libm::round(frequency).max(1.0) } else { frequency };
            scattered.push(Scattered::new(octave, cells as f32, farthest, grid.samples, wraps));
            frequency *= f64::from(law.lacunarity);
        }
        let warped = Warped { strength: warp.strength, fade, samples: grid.samples, displacements, scattered };
        Self { octaves, warp: Some(warped) }
    }

    /// Creates a reader for every octave, for a band of rows.
    pub fn readers(&self) -> Vec<WarpReader<'_>> {
        let Some(warp) = &self.warp else {
            return self.octaves.iter().map(|octave| WarpReader::Plain(octave.reader())).collect();
        };
        let row = Rc::new(RefCell::new(WarpRow {
            warp,
            readers: [0, 1].map(|k| warp.displacements[k].iter().map(GradientOctave::reader).collect()),
            at: None,
            moved: [vec![0.0; warp.samples], vec![0.0; warp.samples]],
        }));
        let read = |(octave, places)| WarpReader::Warped(WarpedReader { octave, places, warp, row: Rc::clone(&row) });
        self.octaves.iter().zip(&warp.scattered).map(read).collect()
    }
}

/// Displacements of the samples of one row, shared by the readers of a band.
struct WarpRow<'a> {
    warp: &'a Warped,
    readers: [Vec<GradientReader<'a>>; 2],
    at: Option<usize>,
    moved: [Vec<f32>; 2],
}

impl WarpRow<'_> {
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

/// Reads one octave of the noise row by row.
pub enum WarpReader<'a> {
    /// Reads the noise at the positions of the samples.
    Plain(GradientReader<'a>),
    /// Reads the noise at displaced positions.
    Warped(WarpedReader<'a>),
}

/// Reads one octave of the noise row by row, at displaced positions.
pub struct WarpedReader<'a> {
    octave: &'a GradientOctave,
    places: &'a Scattered,
    warp: &'a Warped,
    row: Rc<RefCell<WarpRow<'a>>>,
}

impl RowReader for WarpReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        match self {
            Self::Plain(reader) => reader.add(row, amplitude, out),
            Self::Warped(reader) => reader.add(row, amplitude, out),
        }
    }
}

impl WarpedReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let mut moves = self.row.borrow_mut();
        moves.prepare(row);
        let [east, south] = &moves.moved;
        self.places.add(self.octave, row, self.warp.fade, amplitude, [east, south], out);
    }
}
