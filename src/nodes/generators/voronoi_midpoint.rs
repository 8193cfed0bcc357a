//! Voronoi relief with midpoint displacement: mountains from Voronoi cells, roughness from fractal squares.
//!
//! Law: a table of 2ᵍ + 1 samples per side, with g the `coarse_levels`, holds base + relief · (c₁·D₁ + c₂·D₂). D₁ and
//! D₂ are the distances to the two nearest points as in [`voronoi`](super::voronoi). The squares of the table are then
//! filled by [diamond-square](super::diamond_square), whose first displacement is `roughness` · smoothness. The paper's
//! `step` between Voronoi points is 2⁻ᵍ of a side. With fewer coarse levels the fractal squares hide more of the cells.
//! Terrains coarser than the table show the Voronoi relief alone. Boundary and scheme as in the two other nodes; a
//! preview is exactly a subsample of the full size. Squares only, like the midpoints.
//! Source: Le Martelot 2005, §2.2; Olsen 2004.

use super::diamond_square::{RimMidpoints, SideMidpoints};
use super::midpoint::{self, Distribution, MidpointLaw, Schedule};
use super::midpoint_steps::{MidpointPhase, SquarePhases};
use super::voronoi::{DistanceMetric, Regions, Scatter, Voronoi, VoronoiRim};
use crate::steps::metres;
use crate::{Context, Generator, GeneratorStep, SteppedGenerator, Traits};
use talweg_ground::field::{Cancelled, Grid, Terrain};

talweg_ground::params! {
    /// Mountain ranges between scattered points, with rough fractal slopes.
    VoronoiMidpoint "Voronoi with midpoints" in "Cells", from "Le Martelot 2005, §2.2; Olsen 2004", also "cells midpoint displacement mountains ranges fractal olsen" {
        /// Number of feature points. Each point makes one mountain; more points make smaller mountains.
        points: u32 = 24, 1..=65_536, slider 4..=400;
        /// Distribution of the feature points.
        scatter: Scatter = Scatter::Random;
        /// Distance of the points from the centres of their lattice cells: 0 gives a regular pattern.
        jitter: f32 ["share"] = 0.85, 0.0..=1.0 => |voronoi| voronoi.scatter == Scatter::Lattice;
        /// Measure of distance: the plain distance or its square.
        metric: DistanceMetric = DistanceMetric::Euclidean;
        /// Weight of the distance to the nearest point. With values below 0 the points are peaks, with values above 0
        /// pits.
        c1: f32 = -1.0, -10.0..=10.0, slider -2.0..=2.0;
        /// Weight of the distance to the second nearest point. With the opposite sign of the first weight, it makes
        /// sharp ridges.
        c2: f32 = 1.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| {
            voronoi.points > 1 || voronoi.rim == VoronoiRim::GoesOn
        };
        /// Points beyond open edges. Wrapping terrains have no edges.
        rim: VoronoiRim = VoronoiRim::Ends;
        /// Factor by which the region around each point is multiplied. Lowered regions leave wide passages between the
        /// other regions.
        regions: Regions = Regions::Alike;
        /// Fraction of the regions that keep their height.
        kept: f32 ["share"] = 0.6, 0.0..=1.0 => |voronoi| voronoi.regions == Regions::TwoValued;
        /// Height of the cells, as a fraction of the relief.
        relief: f32 = 0.6, -10.0..=10.0, slider 0.0..=2.0;
        /// Height where the weighted sum is 0, as a fraction of the relief.
        base: f32 = 0.1, -10.0..=10.0, slider -0.5..=1.5;
        /// Number of halvings before fractal squares replace the cells. With small values little of the cells remains.
        coarse_levels: u32 = 4, 0..=8;
        /// Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.01..=1.0 => |voronoi| voronoi.roughness > 0.0;
        /// Decrease of the displacement from level to level.
        schedule: Schedule = Schedule::Smoothness => |voronoi| voronoi.roughness > 0.0;
        /// Distribution of the random displacement.
        distribution: Distribution = Distribution::Uniform => |voronoi| voronoi.roughness > 0.0;
        /// Maximum displacement of the first fractal midpoint at smoothness 1, as a fraction of the relief.
        roughness: f32 = 0.06, 0.0..=10.0, slider 0.0..=0.5;
    }
}

impl Generator for VoronoiMidpoint {
    fn traits(&self) -> Traits {
        Traits { version: 2, ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_until(cx, MidpointPhase::Finish, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for VoronoiMidpoint {
    fn steps(&self, samples: usize, _size_metres: f32) -> u32 {
        self.phases().all(samples).len() as u32 - 1
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_until(cx, self.phases().phase_of(cx.scene_samples, step), &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let phases = self.phases();
        let side = (1 << self.coarse_levels) + 1;
        let [base, relief] = [self.base, self.relief].map(|share| metres(cx, share));
        let start = GeneratorStep::new(
            format!("Start: Voronoi relief at {side} × {side} points"),
            format!(
                "h = {base} + {relief} · ({} · D₁ + {} · D₂), D₁ and D₂ the distances to the nearest points",
                self.c1, self.c2
            ),
        );
        phases.describe(cx, phases.phase_of(cx.scene_samples, step), start)
    }
}

impl VoronoiMidpoint {
    fn phases(&self) -> SquarePhases {
        SquarePhases {
            law: MidpointLaw {
                displacement: self.roughness * self.smoothness,
                smoothness: self.smoothness,
                schedule: self.schedule,
                distribution: self.distribution,
                levels_shown: midpoint::ALL_LEVELS,
                is_rough_between: true,
            },
            first: self.coarse_levels,
            sides: (SideMidpoints::Diamond, RimMidpoints::Ends),
            centre_lift: 0.0,
            level_smoothing: 0.0,
            is_finished_smoothed: false,
        }
    }

    fn fill_until(&self, cx: &Context, last: MidpointPhase, out: &mut [f32]) -> Result<(), Cancelled> {
        let cells = Voronoi {
            points: self.points,
            scatter: self.scatter,
            jitter: self.jitter,
            metric: self.metric,
            c1: self.c1,
            c2: self.c2,
            c3: 0.0,
            c4: 0.0,
            rim: self.rim,
            regions: self.regions,
            kept: self.kept,
            amplitude: self.relief,
            base: self.base,
            ..Voronoi::default()
        };
        let coarse = Grid::working((1 << self.coarse_levels) + 1, cx.grid.edges);
        let mut table = vec![0.0; coarse.len()];
        cells.fill(&Context { grid: coarse, ..*cx }, &mut table)?;
        self.phases().fill(cx, table, last, out)
    }
}
