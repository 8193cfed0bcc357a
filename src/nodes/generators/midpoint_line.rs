//! Midpoint displacement of a line: the method in one dimension, drawn across the terrain.
//!
//! Law: the line begins with its two ends, at random heights. Level l = 1 … k halves every piece: its midpoint becomes
//! the mean of its two ends plus u·dₗ, with u random in [-1, 1). d₁ = amplitude·r, and dₗ₊₁ = dₗ/2 (`Halving`, as in
//! the lecture) or dₗ·2⁻ʳ (`Smoothness`, r the smoothness). After k levels the line has 2ᵏ + 1 points. The terrain has
//! the height of the line at every place across its direction, so that a section of the terrain is the line itself.
//! Scheme: random values depend on (level, position in the level). The line always has 2¹⁷ + 1 points, many more than
//! samples along a side, so every size is equally rough, and a small result is exactly a subsample of a large result.
//! With fewer levels shown, the line is straight between its points.
//! Boundary: on a wrapping terrain both ends have the same height.
//! Squares only: the line goes from edge to edge.
//! Source: Fournier, Fussell & Carpenter 1982; the lecture on terrain in games (intuition in one dimension).

use super::midpoint::{self, Distribution, MidpointLaw, Schedule};
use super::midpoint_steps;
use crate::steps::metres;
use crate::{Context, Generator, GeneratorStep, NodeMemory, SteppedGenerator, Traits};
use talweg_ground::field::{Cancelled, Edges, Terrain};

talweg_ground::choices! {
    /// The direction in which the line runs.
    MidpointLineDirection {
        East "West to east": "The line runs from the western to the eastern edge.",
        South "North to south": "The line runs from the northern to the southern edge.",
    }
}

talweg_ground::params! {
    /// A fractal line across the terrain: midpoint displacement in one dimension, for sections and for teaching.
    MidpointLine "Midpoint line" in "Fractal", from "Fournier, Fussell & Carpenter 1982", also "one-dimensional 1D profile section lecture midpoint displacement fractal" {
        /// Direction in which the line runs. Across this direction the terrain is level.
        direction: MidpointLineDirection = MidpointLineDirection::East;
        /// Smoothness of small features: near 0 every point is independent, at 1 the line rolls gently.
        smoothness: f32 = 0.9, 0.01..=1.0 => |line| line.amplitude != 0.0;
        /// Decrease of the displacement from level to level.
        schedule: Schedule = Schedule::Halving => |line| line.amplitude != 0.0;
        /// Distribution of the random displacement.
        distribution: Distribution = Distribution::Uniform => |line| line.amplitude != 0.0;
        /// Maximum number of halvings. Small values show the first steps of the method: 0 shows the two ends only.
        levels_shown: u32 = midpoint::ALL_LEVELS, 0..=midpoint::ALL_LEVELS;
        /// Maximum displacement of the first midpoint at smoothness 1, as a fraction of the relief.
        amplitude: f32 = 0.4, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height of the two ends, as a fraction of the relief.
        ends: f32 = 0.4, -10.0..=10.0, slider 0.0..=1.0;
        /// Maximum random deviation of each end from the mean height of the ends, as a fraction of the relief.
        end_spread: f32 = 0.3, 0.0..=10.0, slider 0.0..=1.0;
    }
}

/// Number of halvings of the complete line.
const LINE_LEVELS: u32 = 17;
/// Last level whose pieces are drawn over the terrain.
const MOST_STRIP_LEVELS: u32 = 7;

impl Generator for MidpointLine {
    fn traits(&self) -> Traits {
        // In the last halving, the line, its midpoints and the finer line exist at the same time.
        let fixed_bytes = 8 << self.halvings();
        Traits { memory: NodeMemory { fixed_bytes, ..NodeMemory::constant(0.1) }, ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_across(cx, &self.line(cx), out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for MidpointLine {
    fn steps(&self, _samples: usize, _size_metres: f32) -> u32 {
        self.halvings()
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        let line = self.line_after(cx, step.min(self.halvings()));
        self.fill_across(cx, &line, &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let turned = |[along, across]: [f32; 2]| match self.direction {
            MidpointLineDirection::East => [along, across],
            MidpointLineDirection::South => [across, along],
        };
        let law = self.law();
        let step = step.min(self.halvings());
        let (title, formula, points) = if step == 0 {
            let [mean, spread] = [self.ends, self.end_spread].map(|share| metres(cx, share));
            let formula = format!("h = {mean} + u · {spread}; {}", midpoint_steps::schedule_rule(&law));
            ("Start: the two ends of the line".into(), formula, vec![0.0, 1.0])
        } else {
            let pieces = 1usize << (step - 1);
            let (unit, range) = (metres(cx, law.finest(0, step)), midpoint_steps::random_range(&law));
            let middle = |k: usize| (k as f32 + 0.5) / pieces as f32;
            (
                format!("Level {step}: {}", midpoint_steps::count(pieces, "midpoint", "midpoints")),
                format!("h = (h₁ + h₂) / 2 + u · {unit}, the mean of the two ends of a piece, u {range}"),
                (0..pieces).map(middle).collect(),
            )
        };
        // The terrain is level across the line, so the pieces are strips from edge to edge.
        let pieces = 1usize << step.saturating_sub(1);
        let ends = (0..=pieces).map(|k| k as f32 / pieces as f32);
        let strips =
            ends.filter(|_| step <= MOST_STRIP_LEVELS).map(|along| [turned([along, 0.0]), turned([along, 1.0])]);
        GeneratorStep::new(title, formula).with_marks(points.into_iter().map(|along: f32| turned([along, 0.5])), strips)
    }
}

impl MidpointLine {
    /// The heights of all points of the line, from its first end to its last.
    pub fn line(&self, cx: &Context) -> Vec<f32> {
        self.line_after(cx, self.halvings())
    }

    fn law(&self) -> MidpointLaw {
        MidpointLaw {
            displacement: self.amplitude * self.smoothness,
            smoothness: self.smoothness,
            schedule: self.schedule,
            distribution: self.distribution,
            levels_shown: self.levels_shown,
            is_rough_between: true,
        }
    }

    /// The heights of the points after `halvings` halvings.
    fn line_after(&self, cx: &Context, halvings: u32) -> Vec<f32> {
        let end = |k: i32| self.ends + self.end_spread * cx.random.fork(0).signed(k, 0);
        let ends = [end(0), end(if cx.grid.edges == Edges::Wrap { 0 } else { 1 })];
        midpoint::line(cx, &self.law(), ends, halvings)
    }

    /// Fills the terrain with the heights of `line` at every place across its direction.
    fn fill_across(&self, cx: &Context, line: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
        let pieces = line.len() - 1;
        let height = |position: f32| {
            let at = position * pieces as f32;
            let piece = (at as usize).min(pieces - 1);
            let t = at - piece as f32;
            line[piece] * (1.0 - t) + line[piece + 1] * t
        };
        let [first_row, first_column] = cx.grid.first();
        let place = |first: usize, k: usize| cx.grid.position(first + k % cx.grid.distinct_side());
        let across: Vec<f32> = (0..cx.grid.samples).map(|j| height(place(first_column, j))).collect();
        cx.rows(out, |i, row| match self.direction {
            MidpointLineDirection::East => row.copy_from_slice(&across),
            MidpointLineDirection::South => row.fill(height(place(first_row, i))),
        })
    }

    /// Number of halvings of the line.
    fn halvings(&self) -> u32 {
        if self.levels_shown < midpoint::ALL_LEVELS { self.levels_shown } else { LINE_LEVELS }
    }
}
