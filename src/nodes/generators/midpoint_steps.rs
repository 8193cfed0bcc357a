//! The steps in which midpoint displacement is played: the phases of each level, and what follows the last level.

use super::diamond_square::{self, RimMidpoints, SideMidpoints};
use super::midpoint::{self, ALL_LEVELS, Distribution, MidpointLaw, MidpointLevel, Schedule, interleave};
use crate::Context;
use crate::steps::{GeneratorStep, falling_diagonals, grid_lines, metres, rising_diagonals};
use talweg_ground::field::{Cancelled, Edges};

/// A step of midpoint displacement on squares. Levels are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MidpointPhase {
    /// The points before the first level.
    Start,
    /// The centres of the squares of a level.
    Diamond(u32),
    /// The midpoints of the sides of a level.
    Square(u32),
    /// The smoothing of a level.
    Smoothing(u32),
    /// The displacement of the samples between the points of the last level.
    Between,
    /// The smoothing of the finished terrain.
    Finish,
}

/// Midpoint displacement on squares, with its phases.
pub struct SquarePhases {
    /// The displacements.
    pub law: MidpointLaw,
    /// Number of halvings of the first table.
    pub first: u32,
    /// The points that the midpoint of a side is computed from.
    pub sides: (SideMidpoints, RimMidpoints),
    /// Rise of the first centre, as a fraction of the relief.
    pub centre_lift: f32,
    /// Smoothing of every level, from 0 to 1.
    pub level_smoothing: f32,
    /// Whether the finished terrain is smoothed.
    pub is_finished_smoothed: bool,
}

impl SquarePhases {
    /// All phases in a scene of `samples` samples per side, in order.
    pub fn all(&self, samples: usize) -> Vec<MidpointPhase> {
        let levels = midpoint::levels_of(samples).min(self.law.levels_shown).max(self.first);
        let mut phases = vec![MidpointPhase::Start];
        for level in self.first + 1..=levels {
            phases.extend([MidpointPhase::Diamond(level), MidpointPhase::Square(level)]);
            if self.level_smoothing > 0.0 {
                phases.push(MidpointPhase::Smoothing(level));
            }
        }
        if is_displaced_between(samples, self.first, &self.law) {
            phases.push(MidpointPhase::Between);
        }
        if self.is_finished_smoothed {
            phases.push(MidpointPhase::Finish);
        }
        phases
    }

    /// The phase number `step` in a scene of `samples` samples per side; the last phase for higher numbers.
    pub fn phase_of(&self, samples: usize, step: u32) -> MidpointPhase {
        let phases = self.all(samples);
        phases[(step as usize).min(phases.len() - 1)]
    }

    /// Fills `out` from `table` up to `last`, without the smoothing of the finished terrain.
    pub fn fill(self, cx: &Context, table: Vec<f32>, last: MidpointPhase, out: &mut [f32]) -> Result<(), Cancelled> {
        let lift = |level: &MidpointLevel| if level.number == 1 { self.centre_lift } else { 0.0 };
        let split = |level: &MidpointLevel, coarse: &[f32], fine: &mut [f32]| {
            // The levels that measure the roughness between the points are complete.
            let reached = if level.number > ALL_LEVELS { MidpointPhase::Finish } else { last };
            if reached == MidpointPhase::Diamond(level.number) {
                return diamond_square::split_centres(level, lift(level), coarse, fine);
            }
            diamond_square::split(level, self.sides, lift(level), coarse, fine)?;
            let is_softened = self.level_smoothing > 0.0 && reached != MidpointPhase::Square(level.number);
            if is_softened { level.soften(self.level_smoothing, fine) } else { Ok(()) }
        };
        let shown = match last {
            MidpointPhase::Start => self.first,
            MidpointPhase::Diamond(level) | MidpointPhase::Square(level) | MidpointPhase::Smoothing(level) => level,
            MidpointPhase::Between | MidpointPhase::Finish => self.law.levels_shown,
        };
        let law = MidpointLaw {
            levels_shown: shown.min(self.law.levels_shown),
            is_rough_between: last >= MidpointPhase::Between,
            ..self.law
        };
        midpoint::subdivide(cx, &law, self.first, table, split, midpoint::in_square, out)
    }

    /// Describes a phase. `start` describes the points before the first level.
    pub fn describe(&self, cx: &Context, phase: MidpointPhase, start: GeneratorStep) -> GeneratorStep {
        let half = |level: u32| 1usize << (level - 1);
        let (unit, range) = (|level: u32| metres(cx, self.law.finest(self.first, level)), random_range(&self.law));
        match phase {
            MidpointPhase::Start => {
                let side = 1usize << self.first;
                start.with_marks(table_points(side), grid_lines(side))
            }
            MidpointPhase::Diamond(level) => {
                let (half, unit) = (half(level), unit(level));
                let lift = match level == 1 && self.centre_lift != 0.0 {
                    true => format!(" + {}", metres(cx, self.centre_lift)),
                    false => String::new(),
                };
                GeneratorStep::new(
                    format!(
                        "Level {level}, diamond phase: {}",
                        count(half * half, "centre of a square", "centres of squares")
                    ),
                    format!("h = (h₁ + h₂ + h₃ + h₄) / 4{lift} + u · {unit}, the mean of the four corners, u {range}"),
                )
                .with_marks(centres(half), grid_lines(half))
            }
            MidpointPhase::Square(level) => {
                let (half, unit) = (half(level), unit(level));
                let mean = match self.sides {
                    (SideMidpoints::Corners, _) => "h = (h₁ + h₂) / 2",
                    (SideMidpoints::Diamond, _) => "h = (h₁ + h₂ + h₃ + h₄) / 4",
                };
                let from = match (self.sides, cx.grid.edges) {
                    ((SideMidpoints::Corners, _), _) => "the two ends of the side",
                    (_, Edges::Wrap) => "the four corners of the diamond",
                    ((_, RimMidpoints::Ends), _) => "the four corners of the diamond; two at the rim",
                    ((_, RimMidpoints::Three), _) => "the four corners of the diamond; three at the rim",
                };
                let step = GeneratorStep::new(
                    format!("Level {level}, square phase: {} midpoints of sides", 2 * half * (half + 1)),
                    format!("{mean} + u · {unit}, the mean of {from}, u {range}"),
                );
                match self.sides.0 {
                    SideMidpoints::Corners => step.with_marks(side_midpoints(half), grid_lines(half)),
                    SideMidpoints::Diamond => {
                        step.with_marks(side_midpoints(half), falling_diagonals(half).chain(rising_diagonals(half)))
                    }
                }
            }
            MidpointPhase::Smoothing(level) => GeneratorStep::new(
                format!("Level {level}, smoothing: all points of the level"),
                format!(
                    "h = h + {} · (mean of the neighbours - h), after older points moved by u · {}",
                    0.5 * self.level_smoothing,
                    metres(cx, self.level_smoothing * self.law.finest(self.first, level))
                ),
            )
            .with_marks(table_points(2 * half(level)), []),
            MidpointPhase::Between => between_step(cx),
            MidpointPhase::Finish => GeneratorStep::new(
                "Smoothing of the finished terrain",
                "h = h + smoothing · (mean of the sample and its eight neighbours - h)",
            ),
        }
    }
}

/// Whether the samples between the points of the last table are displaced, in a scene of `samples` samples per side.
pub fn is_displaced_between(samples: usize, first: u32, law: &MidpointLaw) -> bool {
    let levels = midpoint::levels_of(samples);
    !(samples - 1).is_power_of_two() && levels > first && law.levels_shown >= levels
}

/// Describes the displacement of the samples between the points of the last table.
pub fn between_step(cx: &Context) -> GeneratorStep {
    GeneratorStep::new(
        "Samples between the points",
        format!(
            "h = h + u · s: {} samples per side do not coincide with the points, so each is displaced as well",
            cx.grid.samples
        ),
    )
}

/// The range of the random number u, as text after "u".
pub fn random_range(law: &MidpointLaw) -> &'static str {
    match law.distribution {
        Distribution::Uniform => "in [-1, 1)",
        Distribution::Upwards => "in [0, 1)",
        Distribution::Gaussian => "bell-shaped with variance 1/3",
    }
}

/// The rule by which the displacement decreases, as text.
pub fn schedule_rule(law: &MidpointLaw) -> String {
    match law.schedule {
        Schedule::Smoothness => format!("each level displaces 2^-{} times as far", law.smoothness),
        Schedule::Halving => "each level displaces half as far".into(),
    }
}

/// A number of things as text.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The points of a table with `cells` cells per side.
fn table_points(cells: usize) -> impl Iterator<Item = [f32; 2]> {
    (0..=cells).flat_map(move |i| (0..=cells).map(move |j| [j, i].map(|k| k as f32 / cells as f32)))
}

/// The centres of `half` squares per side, which are also the midpoints of their diagonals.
pub fn centres(half: usize) -> impl Iterator<Item = [f32; 2]> {
    (0..half).flat_map(move |i| (0..half).map(move |j| [j, i].map(|k| (k as f32 + 0.5) / half as f32)))
}

/// The midpoints of the sides of `half` squares per side.
pub fn side_midpoints(half: usize) -> impl Iterator<Item = [f32; 2]> {
    row_midpoints(half).chain(row_midpoints(half).map(|[x, y]| [y, x]))
}

/// The midpoints of the horizontal sides of `half` squares per side.
fn row_midpoints(half: usize) -> impl Iterator<Item = [f32; 2]> {
    let scale = half as f32;
    (0..=half).flat_map(move |i| (0..half).map(move |j| [(j as f32 + 0.5) / scale, i as f32 / scale]))
}

/// Writes a level whose centres are known and whose sides are still straight: the midpoint of a side is the mean of its
/// two ends.
pub fn with_straight_sides(
    level: &MidpointLevel,
    coarse: &[f32],
    centres: &[f32],
    out: &mut [f32],
) -> Result<(), Cancelled> {
    let (half, corners) = (level.half, level.half + 1);
    level.rows(out, 2 * half + 1, |row, cells| {
        let i = row / 2;
        let top = &coarse[i * corners..][..corners];
        if row % 2 == 0 {
            let middles: Vec<f32> = top.windows(2).map(|ends| (ends[0] + ends[1]) * 0.5).collect();
            interleave(cells, top, &middles);
        } else {
            let bottom = &coarse[(i + 1) * corners..][..corners];
            let middles: Vec<f32> = top.iter().zip(bottom).map(|(a, b)| (a + b) * 0.5).collect();
            interleave(cells, &middles, &centres[i * half..][..half]);
        }
    })
}
