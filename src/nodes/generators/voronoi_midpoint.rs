//! Voronoi relief with midpoint displacement: mountains from cells, roughness from squares.
//!
//! Law: a table of 2ᵍ + 1 samples a side, g the `coarse_levels`, holds base + relief · (c₁·D₁ + c₂·D₂) as in
//! [`voronoi`](super::voronoi); its squares are then filled by [diamond-square](super::diamond_square), whose first
//! displacement is `roughness` · smoothness. The document's `step` between Voronoi points is 2⁻ᵍ of a side. The fewer
//! coarse levels, the more the cells dissolve in the fractal.
//! Boundary and scheme as in the two; a preview is exactly the subsample of the full size. On terrains coarser than the
//! table the Voronoi relief alone is left.
//! Squares only, as the midpoints.
//! Source: Le Martelot 2005, §2.2; Olsen 2004.

use super::diamond_square::{self, SideMidpoints};
use super::midpoint::{self, Distribution, MidpointLaw, Schedule};
use super::voronoi::{DistanceMetric, Regions, Scatter, Voronoi, VoronoiRim};
use crate::{Context, Generator};
use talweg_ground::field::{Cancelled, Grid};

talweg_ground::params! {
    /// Mountain ranges between scattered points, with rough fractal slopes.
    VoronoiMidpoint "Voronoi with midpoints" in "Cells", from "Le Martelot 2005, §2.2; Olsen 2004", also "cells midpoint displacement mountains ranges fractal olsen" {
        /// Number of feature points. Each makes one mountain; more make them smaller.
        points: u32 = 24, 1..=65_536, slider 4..=400;
        /// How the points are scattered.
        scatter: Scatter = Scatter::Random;
        /// How far points of the lattice stand from the centres of their cells: 0 is a regular pattern.
        jitter: f32 ["share"] = 0.85, 0.0..=1.0 => |voronoi| voronoi.scatter == Scatter::Lattice;
        /// How distance is measured.
        metric: DistanceMetric = DistanceMetric::Euclidean;
        /// Weight of the distance to the nearest point. Below 0 the points are peaks, above 0 they are pits.
        c1: f32 = -1.0, -10.0..=10.0, slider -2.0..=2.0;
        /// Weight of the distance to the second nearest point. Opposite to the first it makes edged ridges.
        c2: f32 = 1.0, -10.0..=10.0, slider -2.0..=2.0;
        /// What points there are beyond open edges. Wrapping terrains have no edges.
        rim: VoronoiRim = VoronoiRim::Ends;
        /// What each region around a point is multiplied by. Sunk regions leave wide passages between the others.
        regions: Regions = Regions::Alike;
        /// Share of the regions that are kept, where some are sunk.
        kept: f32 ["share"] = 0.6, 0.0..=1.0 => |voronoi| voronoi.regions == Regions::TwoValued;
        /// Height of the cells, as a fraction of the relief.
        relief: f32 = 0.6, -10.0..=10.0, slider 0.0..=2.0;
        /// Height where the weighted sum is 0, as a fraction of the relief.
        base: f32 = 0.1, -10.0..=10.0, slider -0.5..=1.5;
        /// How often the terrain is halved before fractal squares take over. Few leave little of the cells.
        coarse_levels: u32 = 4, 0..=8;
        /// How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.2..=1.0;
        /// How the displacement falls from level to level.
        schedule: Schedule = Schedule::Smoothness;
        /// How the random displacement is distributed.
        distribution: Distribution = Distribution::Uniform;
        /// Largest displacement of the first fractal midpoint at smoothness 1, as a fraction of the relief.
        roughness: f32 = 0.06, 0.0..=10.0, slider 0.0..=0.5;
    }
}

impl Generator for VoronoiMidpoint {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
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
        let law = MidpointLaw {
            displacement: self.roughness * self.smoothness,
            smoothness: self.smoothness,
            schedule: self.schedule,
            distribution: self.distribution,
            levels_shown: midpoint::ALL_LEVELS,
        };
        let split = |level: &midpoint::MidpointLevel, coarse: &[f32], fine: &mut [f32]| {
            diamond_square::split(level, SideMidpoints::Diamond, 0.0, coarse, fine)
        };
        midpoint::subdivide(cx, &law, self.coarse_levels, table, split, midpoint::in_square, out)
    }
}
