//! Noises that are played octave by octave.

use super::octaves::Octaves;
use crate::steps::metres;
use crate::{Context, Generator, GeneratorStep, SteppedGenerator};
use talweg_ground::field::{Cancelled, Terrain};

/// Maximum number of lattice cells per side whose lines are drawn over the terrain.
const MOST_CELLS: f64 = 63.0;

/// The pattern of an octave that is drawn over the terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OctavePattern {
    /// Squares of the lattice with random values, or slopes, at their corners.
    Squares,
    /// Rows of triangles; every second row is shifted by half a cell. They have slopes at their corners.
    Triangles,
    /// The noise has no lattice in the plane of the terrain, or is read at displaced positions.
    Nothing,
}

/// A noise that is a sum of octaves. It is played octave by octave.
pub trait OctaveNoise: Generator {
    /// The octaves of the whole noise.
    fn octave_law(&self) -> Octaves;
    /// The pattern of an octave.
    fn pattern(&self) -> OctavePattern {
        OctavePattern::Squares
    }
    /// Height without any octave, as a fraction of the relief.
    fn base_height(&self) -> f32;
    /// The formula of octave `k`, which counts from 0. The weight of the octave in the sum is part of it.
    fn octave_formula(&self, cx: &Context, k: u32) -> String;
    /// Like [`fill`](Generator::fill), but with the first `shown` octaves only.
    ///
    /// # Errors
    /// If the evaluation was cancelled.
    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled>;
}

impl<N: OctaveNoise> SteppedGenerator for N {
    fn steps(&self, _samples: usize, _size_metres: f32) -> u32 {
        self.octave_law().count
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_octaves(cx, step.min(self.octave_law().count), &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let law = self.octave_law();
        let Some(k) = step.min(law.count).checked_sub(1) else {
            let base = metres(cx, self.base_height());
            return GeneratorStep::new("Start: no octave yet", format!("h = {base}"));
        };
        let pattern = self.pattern();
        let cells = law.cells(cx.grid, multiple_of(pattern))[k as usize];
        let title = format!("Octave {step} of {}: {} cells per side", law.count, libm::round(cells * 100.0) / 100.0);
        let step = GeneratorStep::new(title, self.octave_formula(cx, k));
        if cells > MOST_CELLS || cx.grid.is_globe() {
            return step;
        }
        let [columns, rows] = [0, 1].map(|axis| law.lines(cx.grid, cx.random, k, multiple_of(pattern), axis));
        match pattern {
            OctavePattern::Nothing => step,
            OctavePattern::Squares => {
                let [columns, rows] = [columns, rows].map(|lines| lines.iter().map(|line| line.1).collect::<Vec<_>>());
                with_square_lattice(step, &columns, &rows)
            }
            OctavePattern::Triangles => {
                let cell = (1.0 / cells) as f32;
                let corners = rows.iter().flat_map(|&(row, y)| {
                    let west = if row.rem_euclid(2) == 1 { 0.5 * cell } else { 0.0 };
                    columns.iter().map(move |&(_, x)| [x - west, y])
                });
                let down = |[x, y]: [f32; 2]| [-0.5, 0.5].map(|side| [[x, y], [x + side * cell, y + cell]]);
                let across = rows.iter().map(|&(_, y)| [[0.0, y], [1.0, y]]);
                step.with_marks(corners.clone(), across.chain(corners.flat_map(down)))
            }
        }
    }
}

/// The number of which the cells per side of a wrapping lattice are a whole multiple.
fn multiple_of(pattern: OctavePattern) -> f64 {
    if pattern == OctavePattern::Triangles { 2.0 } else { 1.0 }
}

/// Adds the lines at `columns` and `rows`, and the points where they cross, to the marks of a step.
pub fn with_square_lattice(step: GeneratorStep, columns: &[f32], rows: &[f32]) -> GeneratorStep {
    let points = rows.iter().flat_map(|&y| columns.iter().map(move |&x| [x, y]));
    let across = rows.iter().map(|&y| [[0.0, y], [1.0, y]]);
    step.with_marks(points, across.chain(columns.iter().map(|&x| [[x, 0.0], [x, 1.0]])))
}

/// The formula of an octave that is added with `weight`, a fraction of the relief. `what` describes the noise.
pub fn sum_formula(cx: &Context, weight: f32, what: &str) -> String {
    format!("h = h + {} · n, n {what}", metres(cx, weight))
}
