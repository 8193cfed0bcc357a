//! Water supply: rain, weighted by the rain map, and springs at high places.

use std::sync::Arc;

use super::ShallowWater;
use super::law;
use crate::Context;
use talweg_ground::field::{Edges, Grid, MapKind, Terrain, Voids, bilinear};

/// Number of random places drawn for each spring; the highest of them becomes the spring.
const DRAWS: i32 = 8;
/// Radius of a spring as a fraction of the terrain's side length; [`LEAST_CELLS`] is the minimum radius in cells.
const RADIUS: f32 = 0.008;
const LEAST_CELLS: f32 = 1.5;

/// Depth of water that each cell receives in an iteration.
#[derive(Clone)]
pub struct Supply {
    samples: usize,
    /// Depth of water for each cell; a single row if all cells receive the same depth.
    depth: Arc<Vec<f32>>,
    mean: f32,
}

impl Supply {
    pub fn new(of: &ShallowWater, cx: &Context, terrain: &Terrain) -> Self {
        let (grid, n) = (cx.grid, cx.grid.samples);
        let per_step = 1e-3 * law::time(cx) / cx.relief_metres;
        let rain = of.rain * per_step;
        let map = terrain.map(MapKind::Rain);
        if map.is_none() && of.springs == 0 {
            return Self { samples: n, depth: Arc::new(vec![rain; n]), mean: rain };
        }
        let mut depth = vec![rain; n * n];
        if let Some(map) = map {
            for (depth, factor) in depth.iter_mut().zip(map.iter()) {
                *depth *= if *factor > 0.0 { *factor } else { 0.0 };
            }
        }
        let cells = (grid.distinct_side() * grid.distinct_side()) as f32;
        let each = of.spring_flow * per_step * cells / of.springs.max(1) as f32;
        for spring in 0..of.springs {
            let (u, v) = high_place(cx, terrain, spring as i32);
            add_spring(grid, u, v, each, &mut depth);
        }
        // no spring flows in a void at which the land ends
        let voids = cx.land_ends(terrain);
        voids.iter().for_each(|&k| depth[k as usize] = 0.0);
        if grid.edges == Edges::Wrap {
            for row in depth.chunks_exact_mut(n) {
                row[n - 1] = row[0];
            }
            depth.copy_within(0..n, (n - 1) * n);
        }
        let land = f64::from(cells) - voids.iter().filter(|&&k| grid.owns(k as usize)).count() as f64;
        let mean = if land > 0.0 { (grid.sum(&depth) / land) as f32 } else { rain };
        Self { samples: n, depth: Arc::new(depth), mean }
    }

    pub fn row(&self, row: usize) -> &[f32] {
        if self.depth.len() == self.samples { &self.depth } else { &self.depth[row * self.samples..][..self.samples] }
    }

    /// Mean depth of water that a cell receives.
    pub fn mean(&self) -> f32 {
        self.mean
    }

    /// Memory of the supply in bytes.
    pub fn bytes(&self) -> usize {
        4 * self.depth.len()
    }
}

/// Returns the highest of [`DRAWS`] random places, as a position on the terrain from 0 to 1.
fn high_place(cx: &Context, terrain: &Terrain, spring: i32) -> (f32, f32) {
    let random = cx.random;
    let place = |draw: i32| (random.unit(2 * draw, spring), random.unit(2 * draw + 1, spring));
    let ends = cx.voids == Voids::LandEnds && terrain.void_samples() > 0;
    let ground = |row: usize, column: usize| f32::from(u8::from(terrain.has_ground(row * terrain.samples() + column)));
    // a place counts as a void if any of the samples around it is void
    let height_at = |u: f32, v: f32| match ends && bilinear(terrain.samples(), ground, [u, v]) < 1.0 {
        true => f32::NEG_INFINITY,
        false => terrain.height_at(u, v),
    };
    let mut best = place(0);
    let mut height = height_at(best.0, best.1);
    for draw in 1..DRAWS {
        let (u, v) = place(draw);
        let there = height_at(u, v);
        if there > height {
            (best, height) = ((u, v), there);
        }
    }
    best
}

/// Adds a spring of `volume` (a sum of depths) at the position (u, v). The depth fades smoothly to 0 at the radius.
fn add_spring(grid: Grid, u: f32, v: f32, volume: f32, depth: &mut [f32]) {
    let last = (grid.samples - 1) as f32;
    let (x, y) = (u * last, v * last);
    let radius = if RADIUS * last > LEAST_CELLS { RADIUS * last } else { LEAST_CELLS };
    let reach = radius as isize + 1;
    let span = |centre: f32| centre as isize - reach..=centre as isize + 1 + reach;
    let at = |index: isize| match grid.edges {
        Edges::Wrap => Some(index.rem_euclid(grid.samples as isize - 1) as usize),
        Edges::Open => usize::try_from(index).ok().filter(|&k| k < grid.samples),
    };
    let mut cells = Vec::new();
    let mut sum = 0.0f32;
    for i in span(y) {
        for j in span(x) {
            let (dx, dy) = (j as f32 - x, i as f32 - y);
            let near = 1.0 - (dx * dx + dy * dy) / (radius * radius);
            if let (true, Some(row), Some(column)) = (near > 0.0, at(i), at(j)) {
                cells.push((row * grid.samples + column, near * near));
                sum += near * near;
            }
        }
    }
    for (k, weight) in cells {
        depth[k] += volume * weight / sum;
    }
}
