//! Statistics of repetitions: a median with a distribution-free confidence interval, and a power law over sizes.
//!
//! Interval: the median of the distribution is between the k-th smallest and the k-th largest of n observations with
//! probability 1 - 2·P(B ≤ k - 1). B is a binomial variable with n trials of probability ½, and k is the largest value
//! for which this probability is [`CONFIDENCE`] or more. Fewer than six observations cannot reach [`CONFIDENCE`]. In
//! this case the interval is from the smallest to the largest observation, and its lower probability is reported.
//! Source: David & Nagaraja 2003, *Order Statistics*, §7.1.
//!
//! Mean: with it comes its standard uncertainty of type A, s/√n, with s the standard deviation of the observations
//! (divisor n - 1), as the lecture on terrain in games names it. Disturbances of the machine are never negative, so the
//! median is the better estimate.
//! Source: JCGM 100:2008, *Guide to the expression of uncertainty in measurement*, §4.2.
//!
//! Power law: t = c·nᵉ is fitted to the times t at the sizes n, as ln t = ln c + e·ln n by least squares. The standard
//! error of e is computed from the residuals, so two sizes have no standard error.

use serde::Serialize;

/// Target probability that an interval covers the median.
pub const CONFIDENCE: f64 = 0.95;

/// A median of observations with its confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Median of the sample, in the unit of the measurement.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Probability that the interval covers the true median.
    pub confidence: f64,
    /// Mean of the sample.
    pub mean: f64,
    /// Standard uncertainty of the mean, evaluated by type A; `None` for a single observation.
    pub uncertainty: Option<f64>,
}

/// The median of `values` with its confidence interval; `None` if there are no values.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    let (k, confidence) = ranks(n);
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|value| (value - mean) * (value - mean)).sum();
    let uncertainty = (n > 1).then(|| (squares / (n - 1) as f64 / n as f64).sqrt());
    Some(Estimate {
        median: 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]),
        low: sorted[k - 1],
        high: sorted[n - k],
        confidence,
        mean,
        uncertainty,
    })
}

/// Rank k, counted from 1, of the observations that are the ends of the interval, and the probability of this interval.
/// `n` is the number of observations.
fn ranks(n: usize) -> (usize, f64) {
    // Logarithm of the probability that j of n observations are below the median. For large n, 2⁻ⁿ itself rounds to 0.
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

/// Growth of a cost as a power law: cost ∝ sizeᵉ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PowerLaw {
    /// Exponent e: 1 is linear in the size, 2 quadratic.
    pub exponent: f64,
    /// Standard error of the exponent; `None` if there are only two sizes, because a power law can fit any two sizes
    /// exactly.
    pub standard_error: Option<f64>,
    /// Number of sizes to which the power law is fitted.
    pub sizes: usize,
}

/// Fits a power law to pairs of size and cost; `None` for fewer than two different sizes. Values that are not positive
/// are skipped.
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
