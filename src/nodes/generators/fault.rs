//! Faults: many straight lines across the terrain, each of which raises the terrain on one side.
//!
//! Law: h = base + amplitude · Σ wₖ·(g(dₖ) - ½), k = 0 … faults - 1, with dₖ the signed distance to line k. g is a step
//! from 0 to 1. It rises smoothly (3t² - 2t³, with t from 0 to 1) over the distance `width` on either side of the line.
//! wₖ decreases linearly from the first fault to the last, which has `last` times the weight of the first. All weights
//! are divided by 3·√Σ wₖ², so that three standard deviations reach ±½ · amplitude. On an open terrain each line has a
//! random direction and passes through a random point.
//! Boundary: a single step cannot close on itself, so on a wrapping terrain faults come in pairs with suitable
//! directions. The lines are p·x + q·y = c + m/2, with c random, m any whole number, and p and q whole numbers up to 3;
//! the terrain alternates between high and low from line to line.
//!
//! Scheme: along a row of samples the step of a fault is 0, then a slope of a few samples, then constant. Only the
//! slope is computed sample by sample. All faults add their differences between neighbouring samples to the row, and a
//! running sum of these differences gives the heights. Sums are whole multiples of 2⁻³², which add up to the same value
//! in any order: a preview is exactly a subsample of the full size.
//! Squares only: the lines are straight and the sums run along rows.
//! Source: Le Martelot 2005, §1 (which only names the method); Mandelbrot 1982, *The Fractal Geometry of Nature*, ch.
//! 28 (Poisson faults).

use std::ops::Range;

use super::octaves::NoiseFade;
use crate::steps::metres;
use crate::{Context, Generator, GeneratorStep, SteppedGenerator};
use talweg_ground::field::{Cancelled, Edges, Grid, Stream, Terrain};

talweg_ground::params! {
    /// Rough terrain broken along many straight lines, each with one raised side.
    Fault "Faults" in "Fractal", from "Mandelbrot 1982; Le Martelot 2005, §1", also "poisson faulting cracks lines steps cliffs random" {
        /// Number of faults. More faults make finer terrain; each fault takes the same time.
        faults: u32 = 400, 1..=5000, slider 1..=1000;
        /// Step height of the last fault, as a fraction of the step height of the first fault.
        last: f32 ["share"] = 0.15, 0.0..=1.0 => |fault| fault.faults > 1;
        /// Width of the slope on either side of a fault, as a fraction of the terrain's side length: 0 makes cliffs.
        width: f32 = 0.02, 0.0..=0.25, slider 0.0..=0.1;
        /// Approximate height from the deepest to the highest point, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
    }
}

/// The number that represents 1 in the sums of a row. Half a step is at most a sixth, so it fits 32 bits.
const ONE: f32 = (1u64 << 32) as f32;

impl Generator for Fault {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_faults(cx, self.faults, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for Fault {
    fn steps(&self, _samples: usize, _size_metres: f32) -> u32 {
        self.faults
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_faults(cx, step.min(self.faults), &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let Some(k) = step.min(self.faults).checked_sub(1) else {
            return GeneratorStep::new("Start: level terrain", format!("h = {}", metres(cx, self.base)));
        };
        let lines = self.lines_of(cx.random, cx.grid.edges, k..k + 1);
        let height = metres(cx, lines.first().map_or(0.0, |line| self.amplitude * line.step.abs()));
        GeneratorStep::new(
            format!("Fault {} of {}", k + 1, self.faults),
            format!("h = h + {height} · (g(d) - ½), g rises from 0 to 1 across the line at distance d"),
        )
        .with_marks([], lines.iter().map(FaultLine::drawn_line))
    }
}

impl Fault {
    /// Fills `out` with the first `shown` faults.
    fn fill_faults(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let lines = self.lines_of(cx.random, cx.grid.edges, 0..shown);
        let n = cx.grid.samples;
        let distinct = cx.grid.distinct_side();
        let xs: Vec<f32> = (0..distinct).map(|k| cx.grid.column_position(k)).collect();
        cx.bands(out, |first, cells| {
            let (mut steps, mut slope) = (vec![0i64; distinct + 1], vec![0i32; distinct]);
            for (k, row) in cells.chunks_mut(n).enumerate() {
                let y = cx.grid.row_position((first + k) % distinct);
                steps.fill(0);
                for line in &lines {
                    line.add(cx.grid, &xs, y, self.width, &mut slope, &mut steps);
                }
                let mut sum = 0;
                for (h, step) in row.iter_mut().zip(&steps) {
                    sum += step;
                    *h = self.base + self.amplitude * (sum as f32 / ONE);
                }
                if distinct < n {
                    row[distinct] = row[0];
                }
            }
        })
    }
}

/// A fault line that raises the terrain on the side ahead of it.
struct FaultLine {
    /// Unit normal of the line, towards the raised side.
    ahead: [f32; 2],
    /// Distance of the line from the north-west corner.
    start: f32,
    /// Height of the step. If it is negative, the side ahead of the line sinks.
    step: f32,
}

impl FaultLine {
    /// A part of the line that is longer than the terrain.
    fn drawn_line(&self) -> [[f32; 2]; 2] {
        let [x, y] = self.ahead;
        [-2.0, 2.0].map(|along| [x * self.start - y * along, y * self.start + x * along])
    }

    /// Adds this line's contribution to the row at `y`, as differences between neighbouring samples. `slope` is working
    /// memory.
    fn add(&self, grid: Grid, xs: &[f32], y: f32, width: f32, slope: &mut [i32], steps: &mut [i64]) {
        let past = self.ahead[1] * y - self.start;
        let height = |x: f32| {
            let distance = self.ahead[0] * x + past;
            let g = if width > 0.0 {
                NoiseFade::Classic.weight((0.5 + distance * (0.5 / width)).clamp(0.0, 1.0))
            } else if distance < 0.0 {
                0.0
            } else {
                1.0
            };
            ((g - 0.5) * self.step * ONE) as i32
        };
        // The start and the end of the slope along the row, with one extra sample on either side.
        let (count, before) = (grid.whole_samples() as f32, grid.first()[1] as f32);
        let (from, to) = if self.ahead[0] == 0.0 {
            (0.0, 0.0)
        } else {
            let (a, b) = ((-width - past) / self.ahead[0], (width - past) / self.ahead[0]);
            (a.min(b) * count - before - 2.0, a.max(b) * count - before + 3.0)
        };
        // The casts saturate, so the range stays in the row.
        let (from, to) = ((from as usize).min(xs.len() - 1), (to as usize).min(xs.len() - 1));
        let slope = &mut slope[from..=to];
        slope.iter_mut().zip(&xs[from..=to]).for_each(|(s, &x)| *s = height(x));
        // The terrain is level before the slope.
        steps[0] += i64::from(slope[0]);
        for (step, pair) in steps[from + 1..].iter_mut().zip(slope.windows(2)) {
            *step += i64::from(pair[1] - pair[0]);
        }
    }
}

impl Fault {
    /// The lines of some of the faults. On a wrapping terrain each fault has several lines.
    fn lines_of(&self, random: Stream, edges: Edges, some: Range<u32>) -> Vec<FaultLine> {
        let weight = |k: u32| 1.0 + (self.last - 1.0) * k as f32 / self.faults as f32;
        let squares: f32 = (0..self.faults).map(|k| weight(k) * weight(k)).sum();
        let scale = 1.0 / (3.0 * squares.sqrt());
        let mut lines = Vec::new();
        for k in some {
            let draw = |what: i32| random.unit(k as i32, what);
            let step = weight(k) * scale;
            match edges {
                Edges::Open => {
                    let turn = f64::from(draw(0)) * std::f64::consts::TAU;
                    let ahead = [libm::cos(turn) as f32, libm::sin(turn) as f32];
                    lines.push(FaultLine { ahead, start: ahead[0] * draw(1) + ahead[1] * draw(2), step });
                }
                Edges::Wrap => {
                    let whole = |what: i32| (draw(what) * 7.0) as i32 - 3;
                    let (p, q) = match (whole(0), whole(1)) {
                        (0, 0) => (1, 0),
                        other => other,
                    };
                    let length = ((p * p + q * q) as f32).sqrt();
                    // The range of lines includes the last line before the unit square and the first line after it.
                    let (reach, at) = (self.width * length, draw(2));
                    let first = 2 * libm::floorf((p.min(0) + q.min(0)) as f32 - reach - at) as i32;
                    let last = 2 * libm::ceilf((p.max(0) + q.max(0)) as f32 + reach - at) as i32;
                    for m in first..=last {
                        let start = (at + 0.5 * m as f32) / length;
                        let step = if m % 2 == 0 { step } else { -step };
                        lines.push(FaultLine { ahead: [p as f32 / length, q as f32 / length], start, step });
                    }
                }
            }
        }
        lines
    }
}
