//! Generators that can be played step by step on the timeline, as a process is played iteration by iteration.
//!
//! A step is a part of the method that its source describes: a diamond phase, a split of all triangles, an octave, a
//! level of stamps. The terrain after a step is computed from the start, so any step can be shown directly. Where the
//! method has not set a height yet, the terrain is interpolated from the points that are known so far.
//! [`GeneratorStep`] describes a step with its formula and its geometry, for people who watch.

use crate::{Context, Generator};
use talweg_ground::field::{Cancelled, Terrain};

/// Maximum number of points, and of lines, that a [`GeneratorStep`] holds. More marks could not be told apart on
/// screen.
pub const MAX_STEP_MARKS: usize = 4096;

/// A generator that can be played step by step.
pub trait SteppedGenerator: Generator {
    /// Number of steps of the whole generator in a scene of `samples` samples and `size_metres` per side. 0 if there is
    /// nothing to play with these parameters.
    fn steps(&self, samples: usize, size_metres: f32) -> u32;
    /// Like [`generate`](Generator::generate), but stops after `step` steps of [`Context::scene_samples`]. Step 0 is
    /// the terrain before the first step. The last step, and any number beyond it, gives the same bits as `generate`.
    ///
    /// # Errors
    /// If the evaluation was cancelled.
    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled>;
    /// Describes step number `step` of a square terrain; 0 describes the start.
    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep;
}

/// The description of one step of a generator, with the marks to draw over the terrain.
///
/// Positions are fractions of the side length, towards the east and towards the south.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeneratorStep {
    /// The step in a few words, such as "Level 3, diamond phase: 16 centres".
    pub title: String,
    /// The formula of the new heights, with the numbers of this step.
    pub formula: String,
    /// The points whose heights the step sets. Empty if there are more than [`MAX_STEP_MARKS`].
    pub points: Vec<[f32; 2]>,
    /// The outlines of the cells, or other lines, from which the step computes the heights. Empty if there are more
    /// than [`MAX_STEP_MARKS`] points or lines.
    pub lines: Vec<[[f32; 2]; 2]>,
}

impl GeneratorStep {
    /// A step without marks.
    pub fn new(title: impl Into<String>, formula: impl Into<String>) -> Self {
        Self { title: title.into(), formula: formula.into(), points: Vec::new(), lines: Vec::new() }
    }

    /// The step with the marks that lie on the terrain. Lines are cut at its edges.
    #[must_use]
    pub fn with_marks(
        mut self,
        points: impl IntoIterator<Item = [f32; 2]>,
        lines: impl IntoIterator<Item = [[f32; 2]; 2]>,
    ) -> Self {
        let is_inside = |point: &[f32; 2]| point.iter().all(|share| (0.0..=1.0).contains(share));
        let points = few(points.into_iter().filter(is_inside));
        let lines = points.as_ref().and_then(|_| few(lines.into_iter().filter_map(|[from, to]| cut(from, to))));
        (self.points, self.lines) = (points.unwrap_or_default(), lines.unwrap_or_default());
        self
    }
}

/// All items, if there are at most [`MAX_STEP_MARKS`].
fn few<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let some: Vec<T> = items.take(MAX_STEP_MARKS + 1).collect();
    (some.len() <= MAX_STEP_MARKS).then_some(some)
}

/// The part of a line that lies on the terrain, if it is longer than a point.
fn cut(from: [f32; 2], to: [f32; 2]) -> Option<[[f32; 2]; 2]> {
    let (mut first, mut last) = (0.0f32, 1.0f32);
    let run = [to[0] - from[0], to[1] - from[1]];
    for axis in 0..2 {
        if run[axis] == 0.0 {
            if !(0.0..=1.0).contains(&from[axis]) {
                return None;
            }
            continue;
        }
        let (a, b) = (-from[axis] / run[axis], (1.0 - from[axis]) / run[axis]);
        (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
    }
    let at = |t: f32| [0, 1].map(|axis| (from[axis] + t * run[axis]).clamp(0.0, 1.0));
    (first < last).then(|| [at(first), at(last)])
}

/// The lines of a grid with `cells` cells per side, without cells if `cells` is 0.
pub(crate) fn grid_lines(cells: usize) -> impl Iterator<Item = [[f32; 2]; 2]> {
    let lines = if cells == 0 { 0 } else { cells + 1 };
    (0..lines).map(move |k| k as f32 / cells as f32).flat_map(|at| [[[at, 0.0], [at, 1.0]], [[0.0, at], [1.0, at]]])
}

/// The diagonals of a grid with `cells` cells per side that run from north-west to south-east.
pub(crate) fn falling_diagonals(cells: usize) -> impl Iterator<Item = [[f32; 2]; 2]> {
    let shift = move |k: usize| k as f32 / cells as f32 - 1.0;
    (1..2 * cells).map(move |k| [[shift(k), 0.0], [shift(k) + 1.0, 1.0]])
}

/// The diagonals of a grid with `cells` cells per side that run from north-east to south-west.
pub(crate) fn rising_diagonals(cells: usize) -> impl Iterator<Item = [[f32; 2]; 2]> {
    (1..2 * cells).map(move |k| k as f32 / cells as f32).map(|sum| [[sum, 0.0], [sum - 1.0, 1.0]])
}

/// An outline of 32 lines around a circle.
pub(crate) fn circle_lines([x, y]: [f32; 2], radius: f32) -> impl Iterator<Item = [[f32; 2]; 2]> {
    const SIDES: usize = 32;
    let corner = move |k: usize| {
        let turn = (k % SIDES) as f32 * (std::f32::consts::TAU / SIDES as f32);
        [x + radius * libm::cosf(turn), y + radius * libm::sinf(turn)]
    };
    (0..SIDES).map(move |k| [corner(k), corner(k + 1)])
}

/// A height difference in metres as text, with about three digits.
pub(crate) fn metres(cx: &Context, share: f32) -> String {
    let metres = share * cx.relief_metres;
    match metres.abs() {
        size if size >= 100.0 => format!("{metres:.0} m"),
        size if size >= 10.0 => format!("{metres:.1} m"),
        size if size >= 0.01 || size == 0.0 => format!("{metres:.2} m"),
        _ => format!("{metres:.1e} m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_edges_of_the_terrain() {
        assert_eq!(cut([-0.5, 0.25], [1.5, 0.25]), Some([[0.0, 0.25], [1.0, 0.25]]));
        assert_eq!(cut([0.5, -0.5], [1.5, 0.5]), None, "it only touches the corner");
        assert_eq!(cut([0.25, 2.0], [0.25, 0.5]), Some([[0.25, 1.0], [0.25, 0.5]]));
        assert_eq!(cut([2.0, 0.0], [2.0, 1.0]), None);
    }

    #[test]
    fn diagonals_run_through_the_corners_of_all_cells() {
        let step = GeneratorStep::new("", "").with_marks([], falling_diagonals(2).chain(rising_diagonals(2)));
        let expected = [
            [[0.0, 0.5], [0.5, 1.0]],
            [[0.0, 0.0], [1.0, 1.0]],
            [[0.5, 0.0], [1.0, 0.5]],
            [[0.5, 0.0], [0.0, 0.5]],
            [[1.0, 0.0], [0.0, 1.0]],
            [[1.0, 0.5], [0.5, 1.0]],
        ];
        assert_eq!(step.lines, expected);
    }

    #[test]
    fn too_many_marks_are_left_out() {
        let point = |k: usize| [k as f32 / 10_000.0, 0.5];
        let marks = |count: usize| GeneratorStep::new("", "").with_marks((0..count).map(point), []).points.len();
        assert_eq!((marks(MAX_STEP_MARKS), marks(MAX_STEP_MARKS + 1)), (MAX_STEP_MARKS, 0));
    }
}
