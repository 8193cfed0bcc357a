//! Triangular midpoint displacement: triangles split in four again and again.
//!
//! Law: the square is two triangles of 2ᵏ + 1 rows that share the diagonal from north-west to south-east. Level l = 1 … k splits every triangle in
//! four: the middle of each of its edges becomes the mean of its three corners plus u·dₗ. An edge between two triangles is computed once,
//! from the mean over both: (a + b)/3 + (c + d)/6 with a, b the ends and c, d the corners opposite. d₁ = amplitude·r, and
//! dₗ₊₁ = dₗ·2⁻ʳ (`Smoothness`, r the smoothness) or dₗ/2 (`Halving`); u is uniform in [-1, 1) or bell-shaped.
//! The mean of three corners pulls every edge towards the corner opposite, so edges show less than with squares.
//!
//! Scheme: all triangles of a level are halves of squares, so a level is three kinds of middles (of rows, columns and diagonals) on
//! a square table; see [`midpoint`](super::midpoint). A small result is exactly the subsample of a large one.
//! Boundary: an edge on the rim of an open terrain has one triangle; a wrapping terrain continues on the other side.
//! Source: document 000, §1.1.1; Fournier, Fussell & Carpenter 1982.

use super::midpoint::{self, Distribution, Law, Level, Schedule, interleave};
use crate::nodes::{Cancelled, Context, Generator};

crate::params! {
    /// Rough terrain from triangles that are split in four again and again, each midpoint moved at random.
    Triangular "Triangular midpoints" in "Fractal", from "Fournier, Fussell & Carpenter 1982; document 000, §1.1.1", also "midpoint displacement triangle plasma fractal" {
        /// How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.2..=1.0;
        /// How the displacement falls from level to level.
        schedule: Schedule = Schedule::Smoothness;
        /// How the random displacement is distributed.
        distribution: Distribution = Distribution::Uniform;
        /// Largest displacement of the first midpoints at smoothness 1, as a fraction of the relief.
        amplitude: f32 = 0.5, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height of the four corners to begin with, as a fraction of the relief.
        corners: f32 = 0.4, -10.0..=10.0, slider 0.0..=1.0;
        /// How far each corner may lie above or below that, as a fraction of the relief.
        corner_spread: f32 = 0.25, 0.0..=10.0, slider 0.0..=1.0;
    }
}

impl Generator for Triangular {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = Law {
            displacement: self.amplitude * self.smoothness,
            smoothness: self.smoothness,
            schedule: self.schedule,
            distribution: self.distribution,
        };
        let corners = midpoint::corners(cx, self.corners, self.corner_spread);
        midpoint::subdivide(cx, &law, 0, corners, split, out)
    }
}

/// One level: `fine` from the corners in `coarse`.
pub fn split(level: &Level, coarse: &[f32], fine: &mut [f32]) -> Result<(), Cancelled> {
    let (half, corners) = (level.half, level.half + 1);
    // the row or column of corners before and after another; beyond a wrapping edge, that of the other side
    let before = |k: usize| if k > 0 { Some(k - 1) } else { level.wraps().then_some(half - 1) };
    let after = |k: usize| if k < half { Some(k + 1) } else { level.wraps().then_some(1) };
    let line = |i: usize| &coarse[i * corners..][..corners];
    level.rows(fine, 2 * half + 1, |row, cells| {
        let i = row / 2;
        let top = line(i);
        let mut middles = vec![0.0f32; corners];
        if row % 2 == 0 {
            // corners, and middles of edges along the row, between the triangles above and below
            let (above, below) = (before(i).map(line), after(i).map(line));
            level.each(
                &mut middles[..half],
                |j| (row, 2 * j + 1),
                |j, u| middle(top[j] + top[j + 1], above.map(|a| a[j]), below.map(|b| b[j + 1])) + u,
            );
            interleave(cells, top, &middles[..half]);
        } else {
            // middles of edges down a column, between the triangles to the left and right, and of diagonals
            let bottom = line(i + 1);
            let mut diagonals = vec![0.0f32; half];
            level.each(
                &mut middles,
                |j| (row, 2 * j),
                |j, u| middle(top[j] + bottom[j], before(j).map(|k| top[k]), after(j).map(|k| bottom[k])) + u,
            );
            level.each(
                &mut diagonals,
                |j| (row, 2 * j + 1),
                |j, u| middle(top[j] + bottom[j + 1], Some(top[j + 1]), Some(bottom[j])) + u,
            );
            interleave(cells, &middles, &diagonals);
        }
    })
}

/// Middle of an edge: the mean of the corners of its triangles, from the sum of its ends and the corners opposite.
#[inline(always)]
fn middle(ends: f32, one: Option<f32>, other: Option<f32>) -> f32 {
    match (one, other) {
        (Some(c), Some(d)) => ends * (1.0 / 3.0) + (c + d) * (1.0 / 6.0),
        (Some(c), None) | (None, Some(c)) => (ends + c) * (1.0 / 3.0),
        (None, None) => ends * 0.5,
    }
}
