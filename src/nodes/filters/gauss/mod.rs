//! Gaussian smoothing at the same cost for any radius.
//!
//! Law: convolution with g(d) = exp(-d²/2σ²), approximated for d ≥ 0 by Re Σ αₖ·exp(-λₖ·d/σ) with the two complex pairs
//! (αₖ, λₖ) of Deriche. The kernel is divided by its own sum, so level terrain stays level. The kernel differs from the
//! Gaussian by at most 0.1 % of the peak.
//! Scheme: a running sum for each pair, z ← x + p·z with p = exp(-λ/σ), forwards and backwards along columns and rows
//! in f64. The two pairs run separately, because a single fourth-order filter would lose precision for large σ.
//! Boundary: beyond an open edge the field is reflected, on wrapping grids it repeats (see `lines`); in both cases the
//! field is periodic. A narrow kernel starts 8σ before the edge. A wide kernel runs through one period from z = 0 and
//! divides by 1 - pᴾ, with P the period in samples, which gives the sum over all periods. At σ of 2 sides or more the
//! result is the mean of the terrain, so σ is limited to 2 sides.
//! Source: Deriche 1993, *Recursively implementing the Gaussian and its derivatives*; Getreuer 2013 compares it with
//! other methods.

mod globe;

pub use globe::mean_of_copies;

use super::lines::{EightLanes, EightLines, LANES, along_lines, index_beyond, separable};
use crate::{Context, NodeMemory, NodeParts, NodeSmoothing, OnPlanet, SmoothedFilter, StencilRadius, Traits};
use talweg_ground::field::{Cancelled, Edges};

/// The coefficients α and λ of Deriche's two complex pairs, as (real, imaginary).
const PAIRS: [(Complex, Complex); 2] =
    [(Complex(1.68, -3.735), Complex(1.783, -0.6318)), (Complex(-0.6803, 0.2598), Complex(1.723, -1.997))];
/// Maximum standard deviation, as a multiple of the side length. Above it only the mean of the terrain remains.
const WIDEST: f32 = 2.0;
/// Distance in standard deviations beyond which samples do not contribute.
const KERNEL_REACH: f64 = 8.0;

/// Traits of a filter that smooths the terrain and then processes one field at a time.
pub const TRAITS: Traits = Traits {
    previews_exactly: false,
    version: 2,
    on_planet: Some(OnPlanet { version: 1, ..OnPlanet::DEFAULT }),
    memory: NodeMemory::constant(2.1),
    ..Traits::FILTER
};

/// Returns the way in which `filter` can be computed in parts. The filter reads heights smoothed with a standard
/// deviation of `metres`, within a stencil radius of `cells`. If `metres` is 0, the filter changes nothing, so each
/// sample is independent.
pub fn parts(filter: &dyn SmoothedFilter, metres: f32, cells: usize) -> NodeParts<'_> {
    match metres > 0.0 {
        true => NodeParts::Smoothed(NodeSmoothing { metres, reach: StencilRadius::of_cells(cells) }, filter),
        false => NodeParts::Points,
    }
}

/// Returns `field` smoothed by a Gaussian with a standard deviation of `sigma_metres`.
pub fn smoothed(cx: &Context, field: &[f32], sigma_metres: f32) -> Result<Vec<f32>, Cancelled> {
    let sigma = sigma_samples(cx, sigma_metres);
    if cx.grid.is_globe() {
        return globe::smoothed(cx, field, sigma);
    }
    let kernel = Kernel::new(sigma);
    separable(cx, field, |lines| kernel.run(lines))
}

/// Smooths the columns of a square, or its rows after the columns, with exactly the result of [`smoothed`]. `lines`
/// holds complete lines one after another, each as long as a side of the square.
pub fn smooth_lines(cx: &Context, lines: &mut [f32], sigma_metres: f32) -> Result<(), Cancelled> {
    let kernel = Kernel::new(sigma_samples(cx, sigma_metres));
    along_lines(cx, lines, |lines| kernel.run(lines))
}

/// Converts a standard deviation from metres to samples, limited to [`WIDEST`] sides.
fn sigma_samples(cx: &Context, metres: f32) -> f64 {
    f64::from((metres / cx.size_metres).min(WIDEST)) * (cx.grid.samples - 1) as f64
}

#[derive(Clone, Copy)]
struct Complex(f64, f64);

impl Complex {
    fn times(self, other: Self) -> Self {
        Self(self.0 * other.0 - self.1 * other.1, self.0 * other.1 + self.1 * other.0)
    }

    fn inverse(self) -> Self {
        let square = self.0 * self.0 + self.1 * self.1;
        Self(self.0 / square, -self.1 / square)
    }

    fn one_minus(self) -> Self {
        Self(1.0 - self.0, -self.1)
    }

    /// Returns the complex number exp(-self · t).
    fn decay(self, t: f64) -> Self {
        let size = libm::exp(-self.0 * t);
        let angle = -self.1 * t;
        Self(size * libm::cos(angle), size * libm::sin(angle))
    }
}

/// A Gaussian kernel with a fixed standard deviation in samples.
pub struct Kernel {
    sigma: f64,
    poles: [Complex; 2],
    gains: [Complex; 2],
}

/// The running sums of both pairs for eight lines, as real and imaginary parts.
type RecursiveSums = [[EightLanes; 2]; 2];

impl Kernel {
    /// The kernel for a standard deviation of `sigma` samples.
    pub fn new(sigma: f64) -> Self {
        let poles = PAIRS.map(|(_, lambda)| lambda.decay(1.0 / sigma));
        let mut gains = PAIRS.map(|(alpha, _)| alpha);
        let mut whole = 0.0;
        for (gain, pole) in gains.iter().zip(poles) {
            whole += gain.times(Complex(1.0 + pole.0, pole.1)).times(pole.one_minus().inverse()).0;
        }
        gains.iter_mut().for_each(|gain| *gain = Complex(gain.0 / whole, gain.1 / whole));
        Self { sigma, poles, gains }
    }

    /// Smooths `lines` in place.
    pub fn run(&self, lines: &mut EightLines) {
        let n = lines.values.len() as i64;
        let mut sums = self.sums_before(lines, 0, -1);
        let EightLines { values, scratch, .. } = &mut *lines;
        scratch.clear();
        for x in values.iter() {
            self.advance(&mut sums, x);
            scratch.push(self.read(&sums));
        }
        let mut sums = self.sums_before(lines, n - 1, 1);
        let EightLines { values, scratch, .. } = lines;
        for (x, forwards) in values.iter_mut().zip(scratch.iter()).rev() {
            self.rotate(&mut sums);
            let backwards = self.read(&sums);
            for k in 0..LANES {
                sums[0][0][k] += x[k];
                sums[1][0][k] += x[k];
                x[k] = forwards[k] + backwards[k];
            }
        }
    }

    /// Returns the sums over all samples beyond sample `edge`: z = Σ pᵐ⁻¹·xₘ, with xₘ the sample at the distance m from
    /// `edge`. Sample `edge` itself has distance 0 and is excluded.
    fn sums_before(&self, lines: &EightLines, edge: i64, direction: i64) -> RecursiveSums {
        let side = lines.values.len() as i64 - 1;
        let period = if lines.grid.edges == Edges::Wrap { side } else { 2 * side };
        let heard = libm::ceil(KERNEL_REACH * self.sigma) as i64;
        let at = |distance: i64| &lines.values[index_beyond(lines.grid, edge + direction * distance)];
        let mut sums = [[[0.0; LANES]; 2]; 2];
        if heard < period {
            let far = at(heard + 1);
            for (sum, pole) in sums.iter_mut().zip(self.poles) {
                let Complex(re, im) = pole.one_minus().inverse();
                *sum = [far.map(|x| re * x), far.map(|x| im * x)];
            }
            (1..=heard).rev().for_each(|distance| self.advance(&mut sums, at(distance)));
            return sums;
        }
        (1..=period).rev().for_each(|distance| self.advance(&mut sums, at(distance)));
        for (sum, (_, lambda)) in sums.iter_mut().zip(PAIRS) {
            let all = lambda.decay(period as f64 / self.sigma).one_minus().inverse();
            let [real, imaginary] = sum;
            for (re, im) in real.iter_mut().zip(imaginary) {
                let Complex(a, b) = all.times(Complex(*re, *im));
                (*re, *im) = (a, b);
            }
        }
        sums
    }

    #[inline(always)]
    fn rotate(&self, sums: &mut RecursiveSums) {
        for (sum, &Complex(a, b)) in sums.iter_mut().zip(&self.poles) {
            let [re, im] = *sum;
            for k in 0..LANES {
                sum[0][k] = a * re[k] - b * im[k];
                sum[1][k] = a * im[k] + b * re[k];
            }
        }
    }

    #[inline(always)]
    fn advance(&self, sums: &mut RecursiveSums, x: &EightLanes) {
        self.rotate(sums);
        for k in 0..LANES {
            sums[0][0][k] += x[k];
            sums[1][0][k] += x[k];
        }
    }

    #[inline(always)]
    fn read(&self, sums: &RecursiveSums) -> EightLanes {
        let [p, q] = self.gains;
        let mut out = [0.0; LANES];
        for (k, out) in out.iter_mut().enumerate() {
            *out = (p.0 * sums[0][0][k] - p.1 * sums[0][1][k]) + (q.0 * sums[1][0][k] - q.1 * sums[1][1][k]);
        }
        out
    }
}
