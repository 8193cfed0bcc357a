//! Diamond-square: random midpoint displacement on squares.
//!
//! Law: on a grid of 2ᵏ + 1 samples, level l = 1 … k halves the squares. Diamond: the centre of each square becomes the
//! mean of its 4 corners plus u·dₗ. Square: the middle of each side becomes the mean of the 2 corners and 2 centres
//! beside it, plus u·dₗ. d₁ = amplitude·r, and dₗ₊₁ = dₗ·2⁻ʳ (`Smoothness`, r the smoothness in (0, 1]: a surface of Hurst
//! exponent r) or dₗ/2 (`Halving`). u is uniform in [-1, 1), or bell-shaped with the same variance
//! (the sum of four uniform values).
//!
//! Scheme: level by level from a compact table to the next, rows in parallel. u comes from (level, place in the
//! level), so a small result is exactly the subsample of a large one. Other sizes than 2ᵏ + 1 are computed on the next
//! larger one and read from it bilinearly at the same fractions of the side; a window would show another part of
//! the terrain at every size, and a preview would not look like the result.
//! Boundary: on an open edge the middle of a side is the mean of its 2 corners; a wrapping terrain continues on
//! the other side.
//! Source: Fournier, Fussell & Carpenter 1982; document 000, §1.1.1; document 001 (halving).

use crate::field::{Edges, Grid, Stream};
use crate::nodes::{Cancelled, Context, Generator};

crate::choices! {
    /// How the displacement falls from level to level.
    Schedule {
        Smoothness "By smoothness": "Times 2^-smoothness at each level: the smoothness sets how rough small features are.",
        Halving "Halving": "Half at each level: small features are always smooth; the smoothness only scales the heights.",
    }
}

crate::choices! {
    /// How the random displacement is distributed.
    Distribution {
        Uniform "Uniform": "All displacements up to the limit are equally likely.",
        Gaussian "Gaussian": "Small displacements are likely, large ones rare: calm ground with a few high peaks.",
    }
}

crate::params! {
    /// Rough terrain from squares that are halved again and again, each midpoint moved at random.
    DiamondSquare "Diamond-square" in "Fractal", from "Fournier, Fussell & Carpenter 1982", also "midpoint displacement plasma fractal cloud" {
        /// How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.2..=1.0;
        /// How the displacement falls from level to level.
        schedule: Schedule = Schedule::Smoothness;
        /// How the random displacement is distributed.
        distribution: Distribution = Distribution::Uniform;
        /// Largest displacement of the first midpoint at smoothness 1, as a fraction of the relief.
        amplitude: f32 = 0.5, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height of the four corners to begin with, as a fraction of the relief.
        corners: f32 = 0.35, -10.0..=10.0, slider 0.0..=1.0;
        /// How far each corner may lie above or below that, as a fraction of the relief.
        corner_spread: f32 = 0.2, 0.0..=10.0, slider 0.0..=1.0;
        /// Lifts the first centre, as a fraction of the relief: above 0 makes a mountain in the middle, below 0 a basin.
        centre_lift: f32 = 0.15, -10.0..=10.0, slider -1.0..=1.0;
    }
}

impl Generator for DiamondSquare {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let levels = (cx.grid.samples - 1).next_power_of_two().trailing_zeros();
        let full = Grid::working((1 << levels) + 1, cx.grid.edges);
        if full.samples == cx.grid.samples {
            return self.midpoints(cx, levels, out);
        }
        let mut table = vec![0.0; full.len()];
        self.midpoints(cx, levels, &mut table)?;
        resample(cx, full, &table, out)
    }
}

impl DiamondSquare {
    /// Fills `out`, of 2^`levels` + 1 samples per side.
    fn midpoints(&self, cx: &Context, levels: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let edges = cx.grid.edges;
        let mut coarse = self.first_corners(cx.random, edges);
        if levels == 0 {
            out.copy_from_slice(&coarse);
            return Ok(());
        }
        let mut displacement = self.amplitude * self.smoothness;
        let factor = match self.schedule {
            Schedule::Smoothness => libm::exp2f(-self.smoothness),
            Schedule::Halving => 0.5,
        };
        for level in 1..=levels {
            let noise = Noise {
                stream: cx.random.fork(u64::from(level)),
                scale: displacement,
                distribution: self.distribution,
                mask: if edges == Edges::Wrap { (1 << level) - 1 } else { i32::MAX },
            };
            let step = Level { cx, half: 1 << (level - 1), noise };
            let mut centres = step.centres(&coarse)?;
            if level == 1 {
                centres[0] += self.centre_lift;
            }
            if level == levels {
                return step.sides(&coarse, &centres, out);
            }
            let side = (1usize << level) + 1;
            let mut fine = vec![0.0; side * side];
            step.sides(&coarse, &centres, &mut fine)?;
            coarse = fine;
            displacement *= factor;
        }
        Ok(())
    }

    fn first_corners(&self, random: Stream, edges: Edges) -> Vec<f32> {
        let random = random.fork(0);
        let corner = |x: i32, y: i32| self.corners + random.signed(x, y) * self.corner_spread;
        match edges {
            Edges::Open => vec![corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)],
            Edges::Wrap => vec![corner(0, 0); 4],
        }
    }
}

/// Random displacement at a place of a level.
struct Noise {
    stream: Stream,
    scale: f32,
    distribution: Distribution,
    /// Wraps places; of the level's side.
    mask: i32,
}

impl Noise {
    #[inline(always)]
    fn at<const GAUSSIAN: bool>(&self, row: usize, column: usize) -> f32 {
        let bits = self.stream.bits(column as i32 & self.mask, row as i32 & self.mask);
        let unit = if GAUSSIAN {
            // four 16-bit parts: mean 0, variance 1/3 like the uniform one, within ±2
            let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
            (sum as i64 - 2 * 65_535) as f32 * (1.0 / 65_536.0)
        } else {
            ((bits >> 40) as i64 - (1 << 23)) as f32 * (1.0 / 8_388_608.0)
        };
        unit * self.scale
    }
}

/// One halving: from squares with `half` + 1 corners a side to twice as many.
struct Level<'a> {
    cx: &'a Context<'a>,
    half: usize,
    noise: Noise,
}

impl Level<'_> {
    /// The diamond step: centres of the squares.
    fn centres(&self, coarse: &[f32]) -> Result<Vec<f32>, Cancelled> {
        let (half, corners) = (self.half, self.half + 1);
        let mut centres = vec![0.0; half * half];
        self.rows(&mut centres, half, |i, row| {
            let (top, bottom) = (&coarse[i * corners..][..corners], &coarse[(i + 1) * corners..][..corners]);
            let displaced = |j: usize, u: f32| ((top[j] + top[j + 1]) + (bottom[j] + bottom[j + 1])) * 0.25 + u;
            self.each(row, |j| (2 * i + 1, 2 * j + 1), displaced);
        })?;
        Ok(centres)
    }

    /// The square step: `out` from corners, centres and the middles of the sides between them.
    fn sides(&self, coarse: &[f32], centres: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
        let (half, corners) = (self.half, self.half + 1);
        let wraps = self.cx.grid.edges == Edges::Wrap;
        self.rows(out, 2 * half + 1, |row, cells| {
            let i = row / 2;
            let top = &coarse[i * corners..][..corners];
            let mut middles = vec![0.0f32; corners];
            if row % 2 == 0 {
                // corners, and middles of the horizontal sides between the centres above and below
                let above = if i > 0 { Some(i - 1) } else { wraps.then_some(half - 1) };
                let below = if i < half { Some(i) } else { wraps.then_some(0) };
                let place = |j: usize| (row, 2 * j + 1);
                if let (Some(a), Some(b)) = (above, below) {
                    let (a, b) = (&centres[a * half..][..half], &centres[b * half..][..half]);
                    self.each(&mut middles[..half], place, |j, u| ((top[j] + top[j + 1]) + (a[j] + b[j])) * 0.25 + u);
                } else {
                    self.each(&mut middles[..half], place, |j, u| (top[j] + top[j + 1]) * 0.5 + u);
                }
                interleave(cells, top, &middles[..half]);
            } else {
                // middles of the vertical sides between the centres to the left and right, and the centres
                let bottom = &coarse[(i + 1) * corners..][..corners];
                let centres = &centres[i * half..][..half];
                let place = |j: usize| (row, 2 * j);
                self.each(&mut middles, place, |j, u| {
                    let ends = top[j] + bottom[j];
                    match (j, wraps) {
                        (0, true) => (ends + (centres[half - 1] + centres[0])) * 0.25 + u,
                        (0, false) => ends * 0.5 + u,
                        _ if j < half => (ends + (centres[j - 1] + centres[j])) * 0.25 + u,
                        (_, true) => (ends + (centres[half - 1] + centres[0])) * 0.25 + u,
                        (_, false) => ends * 0.5 + u,
                    }
                });
                interleave(cells, &middles, centres);
            }
        })
    }

    /// Writes `value(j, displacement at place(j))` to every cell.
    #[inline(always)]
    fn each(&self, cells: &mut [f32], place: impl Fn(usize) -> (usize, usize), value: impl Fn(usize, f32) -> f32) {
        match self.noise.distribution {
            Distribution::Uniform => {
                for (j, h) in cells.iter_mut().enumerate() {
                    let (row, column) = place(j);
                    *h = value(j, self.noise.at::<false>(row, column));
                }
            }
            Distribution::Gaussian => {
                for (j, h) in cells.iter_mut().enumerate() {
                    let (row, column) = place(j);
                    *h = value(j, self.noise.at::<true>(row, column));
                }
            }
        }
    }

    fn rows(&self, out: &mut [f32], side: usize, row: impl Fn(usize, &mut [f32]) + Sync) -> Result<(), Cancelled> {
        Context { grid: Grid::working(side, Edges::Open), ..*self.cx }.rows(out, row)
    }
}

/// Even cells from `even`, odd cells from `odd`.
fn interleave(cells: &mut [f32], even: &[f32], odd: &[f32]) {
    for ((pair, &e), &o) in cells.chunks_exact_mut(2).zip(even).zip(odd) {
        (pair[0], pair[1]) = (e, o);
    }
    cells[even.len() * 2 - 2] = even[even.len() - 1];
}

/// Reads `table` (grid `full`) bilinearly at the positions of the context's grid.
fn resample(cx: &Context, full: Grid, table: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
    let n = cx.grid.samples;
    let scale = (full.samples - 1) as f64 / (n - 1) as f64;
    let place = |k: usize| {
        let at = k as f64 * scale;
        let cell = (at as usize).min(full.samples - 2);
        (cell, (at - cell as f64) as f32)
    };
    let columns: Vec<(usize, f32)> = (0..n).map(place).collect();
    cx.rows(out, |i, row| {
        let (r, fy) = place(i);
        let (top, bottom) = (full.row(table, r), full.row(table, r + 1));
        for (h, &(c, fx)) in row.iter_mut().zip(&columns) {
            let a = top[c] * (1.0 - fx) + top[c + 1] * fx;
            let b = bottom[c] * (1.0 - fx) + bottom[c + 1] * fx;
            *h = a * (1.0 - fy) + b * fy;
        }
    })
}
