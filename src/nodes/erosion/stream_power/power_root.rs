//! The fall that remains after erosion, where the erosion is proportional to the power n of the remaining fall. It is
//! the root x in [0, y] of x + c·x^n = y, for one n and many values of c and y.
//!
//! Scheme: with x = t·y the root depends on one number, b = c·y^(n-1): t + b·t^n = 1. So log t is tabulated over s =
//! log b and read by cubic Hermite interpolation. The slopes that this interpolation needs are known:
//! d log t / d log b = -(1 - t) / (t + n (1 - t)). The lower end of the table is where b is so small that t is rounded
//! to one. The upper end is where t is negligible relative to 1; beyond it log t continues as a straight line.
//! Logarithms are to base 2, computed with + - × ÷ and the bits of the numbers, so the results are the same on every
//! machine.
//! Error: t is accurate to 1e-7, as `tests/core/nodes/erosion/streams.rs` shows by comparison with bisection.

/// Number of table entries per doubling of b.
const PER_DOUBLING: f64 = 32.0;
/// Numbers below 2 to the power of this exponent are negligible relative to 1.
const NOTHING: f64 = -28.0;
/// Number of Newton steps for an entry, starting from the entry before.
const STEPS: usize = 6;

/// The table of roots for one slope exponent n.
pub struct PowerRoot {
    n: f64,
    /// log t and its slope over one entry; the first entry is at s = [`NOTHING`].
    entries: Vec<[f64; 2]>,
}

impl PowerRoot {
    /// Computes the table for the slope exponent `n`.
    pub fn new(n: f64) -> Self {
        // for large s, t is 2^(-s/n); after this number of doublings t is negligible relative to 1
        let doublings = -NOTHING * if n > 1.0 { n } else { 1.0 } - NOTHING;
        let count = (doublings * PER_DOUBLING) as usize + 2;
        let mut r = 0.0;
        let entries = (0..count).map(|k| {
            let s = NOTHING + k as f64 / PER_DOUBLING;
            let parts = |r: f64| (exp2(r), exp2(s + n * r));
            // Newton's method solves log(t + b·t^n) = 0, whose left side is almost linear in r = log t
            for _ in 0..STEPS {
                let (one, two) = parts(r);
                r -= log2(one + two) * (one + two) / (one + n * two);
            }
            let (one, two) = parts(r);
            [r, -two / (one + n * two) / PER_DOUBLING]
        });
        let entries = entries.collect();
        Self { n, entries }
    }

    /// Returns the root x for a fall `y` above 0 and an erosion coefficient `c`.
    #[inline]
    pub fn root(&self, y: f64, c: f64) -> f64 {
        if c <= 0.0 {
            return y;
        }
        let s = log2(c) + (self.n - 1.0) * log2(y);
        let place = (s - NOTHING) * PER_DOUBLING;
        if place <= 0.0 {
            return y;
        }
        let at = place as usize;
        let log_t = match self.entries.get(at..at + 2) {
            None => -s / self.n,
            Some(pair) => {
                let ([a, slope_a], [b, slope_b], f) = (pair[0], pair[1], place - at as f64);
                let rise = b - a;
                let bend = slope_a - rise;
                a + f * (rise + (1.0 - f) * (bend * (1.0 - f) + (rise - slope_b) * f))
            }
        };
        let x = y * exp2(log_t);
        if x < y { x } else { y }
    }
}

/// Returns the logarithm to base 2 of a normal number above 0, with an error of 1e-12.
#[inline]
pub fn log2(x: f64) -> f64 {
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    // the exponent for which the mantissa is between √½ and √2
    let exponent = ((x.to_bits() as i64) - HALF_ROOT as i64) >> 52;
    let mantissa = f64::from_bits((x.to_bits() as i64 - (exponent << 52)) as u64);
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let q = z * z;
    let far = 1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0 + q * (1.0 / 15.0)));
    let series = 1.0 + q * (1.0 / 3.0 + q * (1.0 / 5.0 + q * (1.0 / 7.0 + q * far)));
    exponent as f64 + z * series * (2.0 * std::f64::consts::LOG2_E)
}

/// Returns 2 to the power of x, with a relative error of 1e-11. The result is 0 if it is below the normal numbers.
#[inline]
pub fn exp2(x: f64) -> f64 {
    if x < -1021.0 {
        return 0.0;
    }
    let x = if x < 1023.0 { x } else { 1023.0 };
    // adding this large number rounds to the nearest whole number
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let whole = (x + ROUND) - ROUND;
    let p = (x - whole) * std::f64::consts::LN_2;
    let high = 1.0 / 120.0 + p * (1.0 / 720.0 + p * (1.0 / 5040.0 + p * (1.0 / 40320.0 + p * (1.0 / 362_880.0))));
    let part = 1.0 + p * (1.0 + p * (0.5 + p * (1.0 / 6.0 + p * (1.0 / 24.0 + p * high))));
    part * f64::from_bits(((whole as i64 + 1023) << 52) as u64)
}
