//! What repetitions tell: a median with an interval that assumes no distribution, and a power law through sizes.
//!
//! Interval: between the k-th smallest and the k-th largest of n observations the median of the distribution lies with
//! probability 1 - 2·P(B ≤ k - 1), B binomial with n and ½. k is the largest for which that is [`CONFIDENCE`] or more;
//! fewer than six observations cannot reach it, and the interval is then from the least to the greatest, with the
//! probability that it has. Source: David & Nagaraja 2003, *Order Statistics*, §7.1.
//!
//! Power law: ln t = ln c + e·ln n by least squares; the standard error of e comes from the residuals, so two sizes
//! have none.

use serde::Serialize;

/// Probability that an interval is chosen for.
pub const CONFIDENCE: f64 = 0.95;

/// A median with the interval it lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Median of the sample, in the unit of what was measured.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Probability that the interval covers the true median.
    pub confidence: f64,
}

/// The median of `values` with its interval; nothing if there are none.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    let (k, confidence) = ranks(n);
    Some(Estimate {
        median: 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]),
        low: sorted[k - 1],
        high: sorted[n - k],
        confidence,
    })
}

/// The rank k, from 1, of the interval of `n` observations, and its probability.
fn ranks(n: usize) -> (usize, f64) {
    // chance of exactly j of n below the median, for n so large that 2⁻ⁿ is 0 too: begun in logarithms
    let log_chance = |j: usize| {
        let choose = libm::lgamma(n as f64 + 1.0) - libm::lgamma(j as f64 + 1.0) - libm::lgamma((n - j) as f64 + 1.0);
        choose - n as f64 * std::f64::consts::LN_2
    };
    let mut tail = 0.0;
    let mut best = (1, 0.0);
    for k in 1..=n.div_ceil(2) {
        tail += libm::exp(log_chance(k - 1));
        let confidence = (1.0 - 2.0 * tail).max(0.0);
        if k == 1 || confidence >= CONFIDENCE {
            best = (k, confidence);
        }
    }
    best
}

/// How a cost grows: cost ∝ sizeᵉ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PowerLaw {
    /// Exponent e: 1 grows as the size, 2 as its square.
    pub exponent: f64,
    /// Of the exponent; `None` for two sizes, which every power law fits.
    pub standard_error: Option<f64>,
    /// Sizes it was fitted to.
    pub sizes: usize,
}

/// The power law through (size, cost); nothing below two different sizes. What is not above 0 is left out.
pub fn power_law(points: &[(f64, f64)]) -> Option<PowerLaw> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(size, cost)| *size > 0.0 && *cost > 0.0)
        .map(|&(size, cost)| (libm::log(size), libm::log(cost)))
        .collect();
    let n = logs.len() as f64;
    let (mx, my) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let sxx: f64 = logs.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum();
    if logs.len() < 2 || sxx <= 0.0 {
        return None;
    }
    let exponent = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / sxx;
    let left = |p: &(f64, f64)| p.1 - my - exponent * (p.0 - mx);
    let residual: f64 = logs.iter().map(|p| left(p) * left(p)).sum();
    let standard_error = (logs.len() > 2).then(|| (residual / (n - 2.0) / sxx).sqrt());
    Some(PowerLaw { exponent, standard_error, sizes: logs.len() })
}
