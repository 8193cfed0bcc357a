//! Circles: many overlapping round bumps of different sizes at random positions.
//!
//! Law: h = base + amplitude · Σ wₖ·½(1 + cos(π·d/rₖ)) over the circles with d < rₖ, d the distance to centre k. Radii
//! rₖ are uniform between `smallest` · `radius` and `radius`. The weight wₖ is proportional to the radius, so all bumps
//! are equally steep. It is negative for a fraction `pits` of the circles. The weights are scaled so that six standard
//! deviations of the sum are 1. Centres are uniform over the square enlarged by one radius on each side, so the edges
//! of the terrain look like its middle.
//!
//! Scheme: the cosine is a power series in the square of d/r, so a sample costs a dozen multiplications and no square
//! root. Each band of rows adds the circles that touch it, always in the same order: a preview is exactly a subsample.
//! Boundary: on wrapping terrains circles continue on the opposite side.
//! Squares only: distances are measured in the plane.
//! Source: Le Martelot 2005, §1 (which only names the method).

use std::ops::Range;

use crate::steps::{circle_lines, metres};
use crate::{Context, Generator, GeneratorStep, SteppedGenerator};
use talweg_ground::field::{Cancelled, Edges, Grid, Stream, Terrain};

talweg_ground::params! {
    /// Soft, rolling terrain made of many round bumps.
    Circles "Circles" in "Fractal", from "Le Martelot 2005, §1", also "discs bumps cosine hills dunes rolling" {
        /// Number of bumps.
        circles: u32 = 400, 1..=5000, slider 1..=1000;
        /// Radius of the largest bumps, as a fraction of the terrain's side length.
        radius: f32 = 0.15, 0.001..=1.0, slider 0.02..=0.5;
        /// Radius of the smallest bumps, as a fraction of the radius of the largest bumps.
        smallest: f32 ["share"] = 0.2, 0.0..=1.0;
        /// Fraction of the bumps that are pits instead.
        pits: f32 ["share"] = 0.5, 0.0..=1.0;
        /// Approximate height from the deepest to the highest point, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Height of the level terrain to which the bumps are added, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
    }
}

impl Generator for Circles {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_circles(cx, self.circles, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for Circles {
    fn steps(&self, _samples: usize, _size_metres: f32) -> u32 {
        self.circles
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_circles(cx, step.min(self.circles), &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let Some(k) = step.min(self.circles).checked_sub(1) else {
            return GeneratorStep::new("Start: level terrain", format!("h = {}", metres(cx, self.base)));
        };
        // A circle has several copies on a wrapping terrain, and none if it does not touch the terrain.
        let copies = self.circles_of(cx.random, cx.grid.edges, k..k + 1);
        let formula = copies.first().map_or("h = h, because this circle does not touch the terrain".into(), |circle| {
            let (height, radius) = (metres(cx, circle.height), circle.radius * cx.size_metres);
            format!("h = h + {height} · ½(1 + cos(π · d/r)) at distance d < r = {radius:.0} m")
        });
        let outlines = copies.iter().flat_map(|circle| circle_lines([circle.x, circle.y], circle.radius));
        GeneratorStep::new(format!("Circle {} of {}", k + 1, self.circles), formula)
            .with_marks(copies.iter().map(|circle| [circle.x, circle.y]), outlines)
    }
}

impl Circles {
    /// Fills `out` with the first `shown` circles.
    fn fill_circles(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let (n, distinct) = (cx.grid.samples, cx.grid.distinct_side());
        let xs: Vec<f32> = (0..distinct).map(|k| cx.grid.column_position(k)).collect();
        let circles = self.circles_of(cx.random, cx.grid.edges, 0..shown);
        cx.bands(out, |first, cells| {
            for (k, row) in cells.chunks_mut(n).enumerate() {
                row.fill(self.base);
                for circle in &circles {
                    circle.add(cx.grid, &xs, cx.grid.row_position((first + k) % distinct), row);
                }
                if distinct < n {
                    row[distinct] = row[0];
                }
            }
        })
    }
}

struct Circle {
    x: f32,
    y: f32,
    radius: f32,
    height: f32,
}

impl Circle {
    /// Adds this bump to the row of samples at `y`; `xs` holds the positions of the row's samples.
    fn add(&self, grid: Grid, xs: &[f32], y: f32, row: &mut [f32]) {
        let dy = y - self.y;
        let square = self.radius * self.radius - dy * dy;
        if square <= 0.0 {
            return;
        }
        let half = square.sqrt();
        // The range has one extra sample on either side. The casts saturate, so the range stays in the row.
        let (count, before) = (grid.whole_samples() as f32, grid.first()[1] as f32);
        let last = (((self.x + half) * count - before) as usize + 2).min(xs.len());
        let first = (((self.x - half) * count - before - 2.0) as usize).min(last);
        let per_square = 1.0 / (self.radius * self.radius);
        for (h, &x) in row[first..last].iter_mut().zip(&xs[first..last]) {
            let dx = x - self.x;
            let u = (dx * dx + dy * dy) * per_square;
            *h += self.height * bump(if u < 1.0 { u } else { 1.0 });
        }
    }
}

/// Returns ½(1 + cos(π·√u)) for u in [0, 1], computed as (1 - u)² times a power series; exactly 0 at 1.
#[inline(always)]
fn bump(u: f32) -> f32 {
    let [a, b, c, d, e, f] = SERIES;
    let series = a + u * (b + u * (c + u * (d + u * (e + u * f))));
    (1.0 - u) * (1.0 - u) * series
}

/// The power series of [`bump`]: the series of the cosine divided by (1 - u)².
const SERIES: [f32; 6] = [1.0, -0.467_401_1, 0.094_553_86, -0.011_122_559, 0.000_866_334_9, -0.000_048_217_146];
/// Mean of the squared bump over the area of its circle: ¼(1 - 8/π² + ½).
const MEAN_SQUARE: f32 = 0.172_36;

impl Circles {
    /// Some of the circles that touch the terrain, with their copies beyond the edges of a wrapping terrain.
    fn circles_of(&self, random: Stream, edges: Edges, some: Range<u32>) -> Vec<Circle> {
        let size = |k: u32| self.smallest + (1.0 - self.smallest) * random.unit(k as i32, 0);
        // The centres are in [-margin, 1 + margin).
        let margin = if edges == Edges::Open { self.radius } else { 0.0 };
        let span = 1.0 + 2.0 * margin;
        let mut variance = 0.0f32;
        for k in 0..self.circles {
            let radius = self.radius * size(k);
            variance += size(k) * size(k) * std::f32::consts::PI * radius * radius * MEAN_SQUARE / (span * span);
        }
        // If a few small circles do not overlap, this limit keeps each bump at a height of at most 1.
        let scale = (1.0 / (6.0 * variance.sqrt())).min(1.0);
        let mut circles = Vec::new();
        for k in some {
            let draw = |what: i32| random.unit(k as i32, what);
            let (x, y) = (draw(1) * span - margin, draw(2) * span - margin);
            let height = self.amplitude * scale * size(k) * if draw(3) < self.pits { -1.0 } else { 1.0 };
            let radius = (self.radius * size(k)).max(f32::MIN_POSITIVE.sqrt());
            let images: &[f32] = if edges == Edges::Wrap { &[-1.0, 0.0, 1.0] } else { &[0.0] };
            for dy in images {
                for dx in images {
                    let (x, y) = (x + dx, y + dy);
                    if x + radius > 0.0 && x - radius < 1.0 && y + radius > 0.0 && y - radius < 1.0 {
                        circles.push(Circle { x, y, radius, height });
                    }
                }
            }
        }
        circles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_the_cosine() {
        for k in 0..=1000 {
            let u = k as f32 / 1000.0;
            let cosine = 0.5 * (1.0 + libm::cos(std::f64::consts::PI * f64::from(u).sqrt()));
            assert!((f64::from(bump(u)) - cosine).abs() < 1e-6, "{u}");
        }
    }
}
