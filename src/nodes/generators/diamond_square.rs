//! Diamond-square: random midpoint displacement on squares.
//!
//! Law: on a grid of 2ᵏ + 1 samples, level l = 1 … k halves the squares. In the diamond step, the centre of each square
//! becomes the mean of its 4 corners plus u·dₗ. In the square step, the midpoint of each side becomes the mean of its 2
//! corners and the 2 adjacent centres, plus u·dₗ. The displacement is d₁ = amplitude·r, with r the smoothness in (0,
//! 1]. Then dₗ₊₁ = dₗ·2⁻ʳ (`Smoothness`: a surface of Hurst exponent r) or dₗ/2 (`Halving`). u is uniform in [-1, 1),
//! or bell-shaped with the same variance (the sum of four uniform values).
//!
//! With [`SideMidpoints::Corners`] the midpoint of a side is the mean of its 2 corners alone, plus u·dₗ. This is the
//! midpoint displacement of the lecture on terrain in games, whose queue of squares computes the same points in the
//! same order of levels. The lecture's maximum random height A is `corner_spread` for the corners, and `amplitude` at
//! smoothness 1 for the first level.
//!
//! Smoothing s (successive random additions, after Olsen's smoothed variant; the details are ours): at each level the
//! points of the previous levels are displaced as well, by s·u·dₗ. Then every point moves half of s of the way to the
//! mean of its neighbours. All points are thus treated alike, so the creases and peaks of the coarse squares vanish.
//! The Hurst exponent is preserved, and the erosion score hardly changes. With [`SmoothedPart::Finished`] only the
//! finished terrain is smoothed: every point moves s of the way to the mean of itself and the eight samples of the
//! scene around it. This is the last step of the program by Olsen's company that demonstrates his paper's method
//! (Procedurality 0.1, radius 1). Only the edges differ: here the mean at an edge includes only existing samples, while
//! the program leaves edges unsmoothed. At a smoothness of 0.5 and 65² samples the erosion score is 0.35 without
//! smoothing, 0.36 with smoothed levels and 0.42 with a smoothed finished terrain (tests/core/nodes/documents.rs).
//!
//! Scheme: levels one after another, rows in parallel; see [midpoints](super::midpoint). A small result is exactly a
//! subsample of a large result, except with smoothing, where finer levels move all points a little. Levels that are not
//! shown are interpolated bilinearly from the last level shown.
//! Boundary: on an open edge the midpoint of a side is the mean of its 2 corners, or with [`RimMidpoints::Three`] of
//! its 2 corners and the centre beside it. A wrapping terrain continues on the opposite side.
//! Squares only: midpoints need a grid of 2ᵏ + 1 samples that is halved at every level, with an edge around it.
//! Source: Fournier, Fussell & Carpenter 1982; Olsen 2004; Le Martelot 2005, §1.1.1; the lecture on terrain in games
//! (halving).

use super::midpoint::{self, Distribution, MidpointLaw, MidpointLevel, Schedule, interleave};
use super::midpoint_steps::{self, MidpointPhase, SquarePhases};
use crate::steps::metres;
use crate::{Context, Generator, GeneratorStep, NodeMemory, NodeParts, SteppedGenerator, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// The points whose mean height a midpoint of a side takes before its displacement.
    SideMidpoints {
        Corners "Two ends": "The two ends of the side, as in the lecture on terrain in games: squares ignore each other's centres, so creases stay along their sides.",
        Diamond "Ends and centres": "The two ends and the centres on both sides, as in the square step of diamond-square.",
    }
}

talweg_ground::choices! {
    /// The points whose mean height a midpoint on an open edge of the terrain takes.
    RimMidpoints {
        Ends "Two ends": "The two ends of the side: the edges of the terrain are one-dimensional fractals.",
        Three "Ends and centre": "The two ends and the one centre beside the side: the three known points of its diamond.",
    }
}

talweg_ground::choices! {
    /// The part of the computation that is smoothed.
    SmoothedPart {
        Levels "Every level": "Smooths every level: the creases along the coarse squares vanish, and the terrain stays equally rough.",
        Finished "Finished terrain": "Averages each sample with its eight neighbours, as in Olsen's program: the finest roughness vanishes, the creases stay.",
    }
}

talweg_ground::params! {
    /// Rough terrain from repeatedly halved squares, with randomly displaced midpoints.
    DiamondSquare "Diamond-square" in "Fractal", from "Fournier, Fussell & Carpenter 1982; Olsen 2004", also "midpoint displacement plasma fractal cloud" {
        /// Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.01..=1.0 => |squares| squares.amplitude != 0.0;
        /// Decrease of the displacement from level to level.
        schedule: Schedule = Schedule::Smoothness => |squares| squares.amplitude != 0.0;
        /// Points whose mean height the midpoint of a side takes before its displacement.
        sides: SideMidpoints = SideMidpoints::Diamond;
        /// Points whose mean height a midpoint on an open edge of the terrain takes. Wrapping terrains have no edges.
        rim: RimMidpoints = RimMidpoints::Ends => |squares| squares.sides == SideMidpoints::Diamond;
        /// Distribution of the random displacement.
        distribution: Distribution = Distribution::Uniform => |squares| squares.amplitude != 0.0;
        /// Additional displacement and averaging of all points at each level. Above 0 the creases along the squares
        /// vanish.
        smoothing: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Part of the computation that is smoothed.
        smoothed: SmoothedPart = SmoothedPart::Levels => |squares| squares.smoothing > 0.0;
        /// Maximum number of halvings. Small values show the first steps of the method: 0 shows the four corners only.
        levels_shown: u32 = midpoint::ALL_LEVELS, 0..=midpoint::ALL_LEVELS;
        /// Maximum displacement of the first midpoint at smoothness 1, as a fraction of the relief.
        amplitude: f32 = 0.5, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean initial height of the four corners, as a fraction of the relief.
        corners: f32 = 0.35, -10.0..=10.0, slider 0.0..=1.0;
        /// Maximum random deviation of each corner from the mean height of the corners, as a fraction of the relief.
        corner_spread: f32 = 0.2, 0.0..=10.0, slider 0.0..=1.0;
        /// Rise of the first centre, as a fraction of the relief: values above 0 make a mountain in the middle, values
        /// below 0 a basin.
        centre_lift: f32 = 0.15, -10.0..=10.0, slider -1.0..=1.0;
    }
}

const THIRD: f32 = 1.0 / 3.0;

impl Generator for DiamondSquare {
    fn traits(&self) -> Traits {
        // With smoothing, finer levels move the points of earlier levels.
        Traits {
            version: 2,
            previews_exactly: self.smoothing == 0.0,
            memory: NodeMemory::constant(if self.smoothing > 0.0 { 1.3 } else { 0.5 }),
            ..Traits::GENERATOR
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.smoothed == SmoothedPart::Finished && self.smoothing > 0.0 {
            true => NodeParts::WholeTerrain("it smooths cells of the scene's own resolution"),
            false => NodeParts::Points,
        }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_until(cx, MidpointPhase::Finish, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for DiamondSquare {
    fn steps(&self, samples: usize, _size_metres: f32) -> u32 {
        self.phases().all(samples).len() as u32 - 1
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_until(cx, self.phases().phase_of(cx.scene_samples, step), &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let phases = self.phases();
        let [mean, spread] = [self.corners, self.corner_spread].map(|share| metres(cx, share));
        let rule = midpoint_steps::schedule_rule(&phases.law);
        let start = GeneratorStep::new("Start: the four corners", format!("h = {mean} + u · {spread}; {rule}"));
        phases.describe(cx, phases.phase_of(cx.scene_samples, step), start)
    }
}

impl DiamondSquare {
    fn phases(&self) -> SquarePhases {
        let (is_smoothed, smooths_levels) = (self.smoothing > 0.0, self.smoothed == SmoothedPart::Levels);
        SquarePhases {
            law: MidpointLaw {
                displacement: self.amplitude * self.smoothness,
                smoothness: self.smoothness,
                schedule: self.schedule,
                distribution: self.distribution,
                levels_shown: self.levels_shown,
                is_rough_between: true,
            },
            first: 0,
            sides: (self.sides, self.rim),
            centre_lift: self.centre_lift,
            level_smoothing: if smooths_levels { self.smoothing } else { 0.0 },
            is_finished_smoothed: is_smoothed && !smooths_levels,
        }
    }

    fn fill_until(&self, cx: &Context, last: MidpointPhase, out: &mut [f32]) -> Result<(), Cancelled> {
        let phases = self.phases();
        let smooths = phases.is_finished_smoothed && last == MidpointPhase::Finish;
        phases.fill(cx, midpoint::corners(cx, self.corners, self.corner_spread), last, out)?;
        if smooths { midpoint::blend_with_neighbours(cx, self.smoothing, out) } else { Ok(()) }
    }
}

/// Computes one level: first the diamond step, then the square step. `lift` raises the first centre.
pub fn split(
    level: &MidpointLevel,
    (of_sides, rim): (SideMidpoints, RimMidpoints),
    lift: f32,
    coarse: &[f32],
    fine: &mut [f32],
) -> Result<(), Cancelled> {
    let mut centres = centres(level, coarse)?;
    centres[0] += lift;
    sides(level, of_sides == SideMidpoints::Diamond, rim == RimMidpoints::Three, coarse, &centres, fine)
}

/// Computes the diamond step of a level alone: the sides of the squares stay straight.
pub fn split_centres(level: &MidpointLevel, lift: f32, coarse: &[f32], fine: &mut [f32]) -> Result<(), Cancelled> {
    let mut centres = centres(level, coarse)?;
    centres[0] += lift;
    midpoint_steps::with_straight_sides(level, coarse, &centres, fine)
}

/// The diamond step: returns the heights of the squares' centres.
fn centres(level: &MidpointLevel, coarse: &[f32]) -> Result<Vec<f32>, Cancelled> {
    let (half, corners) = (level.half, level.half + 1);
    let mut centres = vec![0.0; half * half];
    level.rows(&mut centres, half, |i, row| {
        let (top, bottom) = (&coarse[i * corners..][..corners], &coarse[(i + 1) * corners..][..corners]);
        let displaced = |j: usize, u: f32| ((top[j] + top[j + 1]) + (bottom[j] + bottom[j + 1])) * 0.25 + u;
        level.each(row, |j| (2 * i + 1, 2 * j + 1), displaced);
    })?;
    Ok(centres)
}

/// The square step: writes corners, centres and the midpoints of sides to `out`. A midpoint is the mean of the side's
/// two corners, and with `beside` also of the centres on both sides. On an open edge there is one centre beside a side,
/// which counts with `three`.
fn sides(
    level: &MidpointLevel,
    beside: bool,
    three: bool,
    coarse: &[f32],
    centres: &[f32],
    out: &mut [f32],
) -> Result<(), Cancelled> {
    let (half, corners) = (level.half, level.half + 1);
    let wraps = level.wraps();
    level.rows(out, 2 * half + 1, |row, cells| {
        let i = row / 2;
        let top = &coarse[i * corners..][..corners];
        let mut middles = vec![0.0f32; corners];
        if row % 2 == 0 {
            // Write the corners, and the midpoints of horizontal sides between the centres above and below.
            let above = if i > 0 { Some(i - 1) } else { wraps.then_some(half - 1) };
            let below = if i < half { Some(i) } else { wraps.then_some(0) };
            let place = |j: usize| (row, 2 * j + 1);
            if let (true, Some(a), Some(b)) = (beside, above, below) {
                let (a, b) = (&centres[a * half..][..half], &centres[b * half..][..half]);
                level.each(&mut middles[..half], place, |j, u| ((top[j] + top[j + 1]) + (a[j] + b[j])) * 0.25 + u);
            } else if let (true, Some(i)) = (beside && three, above.or(below)) {
                let centres = &centres[i * half..][..half];
                level.each(&mut middles[..half], place, |j, u| (top[j] + top[j + 1] + centres[j]) * THIRD + u);
            } else {
                level.each(&mut middles[..half], place, |j, u| (top[j] + top[j + 1]) * 0.5 + u);
            }
            interleave(cells, top, &middles[..half]);
        } else {
            // Write the centres, and the midpoints of vertical sides between the centres to the left and right.
            let bottom = &coarse[(i + 1) * corners..][..corners];
            let centres = &centres[i * half..][..half];
            let place = |j: usize| (row, 2 * j);
            let ends = |j: usize| top[j] + bottom[j];
            if !beside {
                level.each(&mut middles, place, |j, u| ends(j) * 0.5 + u);
                return interleave(cells, &middles, centres);
            }
            level.each(&mut middles, place, |j, u| {
                let ends = ends(j);
                match (j, wraps) {
                    (0, true) => (ends + (centres[half - 1] + centres[0])) * 0.25 + u,
                    (0, false) if three => (ends + centres[0]) * THIRD + u,
                    (0, false) => ends * 0.5 + u,
                    _ if j < half => (ends + (centres[j - 1] + centres[j])) * 0.25 + u,
                    (_, true) => (ends + (centres[half - 1] + centres[0])) * 0.25 + u,
                    (_, false) if three => (ends + centres[half - 1]) * THIRD + u,
                    (_, false) => ends * 0.5 + u,
                }
            });
            interleave(cells, &middles, centres);
        }
    })
}
