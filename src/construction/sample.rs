//! Queries to a construction tree and their results.

use super::geometry::plane::{Interval, Point, higher, lower};

/// Minimum weight at which there is terrain.
pub const THRESHOLD: f64 = 0.5;

/// Requested level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Level of detail κ, from 0 (plain forms) to 1 (full detail). Bounds also accept
    /// [`EVERY_LEVEL`](Self::EVERY_LEVEL).
    pub level: f64,
    /// Spacing of the samples that the caller evaluates, in metres. Noise octaves too fine for this spacing are
    /// skipped; 0 keeps all octaves.
    pub spacing: f64,
}

impl Detail {
    /// Full detail, without a limit on the finest noise octave.
    pub const FULL: Self = Self { level: 1.0, spacing: 0.0 };

    /// All levels of detail from 0 to 1 at once, for bounds: they hold at each of these levels.
    pub const EVERY_LEVEL: Self = Self { level: f64::INFINITY, spacing: 0.0 };

    /// Whether bounds must hold at all levels of detail.
    pub fn is_every_level(&self) -> bool {
        self.level == f64::INFINITY
    }

    /// Full detail, limited to the noise octaves that samples `spacing` metres apart can resolve.
    pub fn every(spacing: f64) -> Self {
        Self { level: 1.0, spacing }
    }

    /// Factor from 0 to 1 that multiplies the amplitude of a noise octave. The octave fades in from 2 to 4 samples per
    /// wavelength, and with the level of detail.
    #[inline]
    pub fn octave_factor(&self, fade: &OctaveFade, wavelength: f64) -> f64 {
        let mut share = 1.0;
        if wavelength < 4.0 * self.spacing {
            share = super::geometry::plane::smooth(wavelength / (2.0 * self.spacing) - 1.0).0;
        }
        if self.level < 1.0 && fade.rate > 0.0 {
            share *= super::geometry::plane::smooth(self.level * fade.rate - fade.start).0;
        }
        share
    }
}

/// How a noise octave fades in while the level of detail κ rises: the smoothstep of κ·rate - start, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OctaveFade {
    /// The inverse of the length of the interval over which the octave fades in; 0 if the octave does not fade.
    pub rate: f64,
    /// The beginning of the interval, multiplied by `rate`.
    pub start: f64,
}

impl OctaveFade {
    /// An octave that does not fade with the level of detail.
    pub const NONE: Self = Self { rate: 0.0, start: 0.0 };

    /// An octave that fades in while the level of detail rises from `begin` to `end`.
    pub fn from_interval([begin, end]: [f64; 2]) -> Self {
        let rate = 1.0 / (end - begin);
        Self { rate, start: begin * rate }
    }

    /// Octave i of n, counted from 0, without an interval of its own. It fades in from (i - 1)/(n - 1) to i/(n - 1).
    /// The first octave does not fade.
    pub fn of_octave(octave: usize, octaves: usize) -> Self {
        let over = |octave: usize| Self { rate: (octaves - 1) as f64, start: (octave - 1) as f64 };
        if octave == 0 { Self::NONE } else { over(octave) }
    }
}

/// Elevation, weight and gradients of the ground at one point. Where the weight is 0, the elevation is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundSample {
    /// Elevation f, in metres.
    pub height: f64,
    /// Weight α, from 0 (the piece is absent) to 1 (the piece is fully present).
    pub weight: f64,
    /// ∇f to the east and south, in metres of height per metre.
    pub slope: Point,
    /// ∇α to the east and south, per metre.
    pub weight_gradient: Point,
}

impl GroundSample {
    /// Elevation and gradient of the terrain: f where α ≥ [`THRESHOLD`], easing to `base` as α falls to 0.
    #[inline]
    pub fn surface(&self, base: f64) -> (f64, Point) {
        let (s, ds) = super::geometry::plane::smooth(self.weight / THRESHOLD);
        let over = self.height - base;
        let turn = over * ds / THRESHOLD;
        let slope =
            [self.slope[0] * s + self.weight_gradient[0] * turn, self.slope[1] * s + self.weight_gradient[1] * turn];
        if s == 1.0 { (self.height, self.slope) } else { (base + over * s, slope) }
    }
}

/// Bounds that hold at every point of a capsule: ranges of f and α, and bounds of their gradients.
///
/// A blend divides by the sum of the weights. Where this sum tends to 0, the elevation can be infinitely steep. The
/// product α·|∇f| stays finite, so it has a bound of its own: [`weighted_slope`](Self::weighted_slope). Parent
/// operators, and the surface of the terrain, need no other bound of the slope there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundBounds {
    /// Range of the elevation f, in metres.
    pub height: Interval,
    /// Range of the weight α.
    pub weight: Interval,
    /// Bound of the slope |∇f|; it can be infinite.
    pub slope: f64,
    /// Bound of |∇α|, per metre.
    pub weight_gradient: f64,
    /// Bound of α·|∇f|, the weight times the slope.
    pub weighted_slope: f64,
}

impl GroundBounds {
    /// No ground anywhere: the weight is 0 at every point.
    pub const NOTHING: Self = Self {
        height: Interval { low: 0.0, high: 0.0 },
        weight: Interval { low: 0.0, high: 0.0 },
        slope: 0.0,
        weight_gradient: 0.0,
        weighted_slope: 0.0,
    };

    /// Bounds of a piece whose elevation is Lipschitz everywhere: α·|∇f| is at most the greatest weight times `slope`.
    pub fn lipschitz(height: Interval, weight: Interval, slope: f64, fade: f64) -> Self {
        Self { height, weight, slope, weight_gradient: fade, weighted_slope: slope * weight.high }
    }

    /// Whether the weight is 0 everywhere.
    pub fn is_nothing(&self) -> bool {
        self.weight.high <= 0.0
    }

    /// Range and Lipschitz bound of the elevation that [`GroundSample::surface`] returns.
    pub fn surface(&self, base: f64) -> (Interval, f64) {
        if self.is_nothing() {
            return (Interval::one(base), 0.0);
        }
        if self.weight.low >= THRESHOLD {
            return (self.height, self.slope);
        }
        let x = Interval::new(self.weight.low / THRESHOLD, lower(self.weight.high / THRESHOLD, 1.0));
        let s = Interval::new(super::geometry::plane::smooth(x.low).0, super::geometry::plane::smooth(x.high).0);
        // for the smoothstep s = 3x² - 2x³, the derivative s' = 6x(1-x) has its maximum at x = ½; s/x = 3x - 2x² has
        // its maximum at x = ¾
        let peak = lower(higher(0.5, x.low), x.high);
        let turn = 6.0 * peak * (1.0 - peak) / THRESHOLD;
        let crest = lower(higher(0.75, x.low), x.high);
        let per_weight = (3.0 * crest - 2.0 * crest * crest) / THRESHOLD;
        let over = Interval::new(self.height.low - base, self.height.high - base);
        let steep = lower(self.slope * s.high, per_weight * self.weighted_slope);
        let range = over.product(s);
        (Interval::new(base + range.low, base + range.high), steep + turn * self.weight_gradient * over.max_abs())
    }
}

impl Interval {
    /// The interval widened by a margin for rounding.
    pub fn widened_for_rounding(self) -> Self {
        let by = 1e-9 * (1.0 + self.max_abs());
        Self { low: self.low - by, high: self.high + by }
    }
}
