//! Ground windows: the range of heights and slopes of the ground within which an operator acts, with soft ends.
//!
//! Formula: fraction = H(f_A) · S(|∇f_A|). H and S are 1 between two values and fall to 0 over a flank on both sides,
//! by 3t² - 2t³. The slope is measured across ±`base` metres by central differences, as in §3 of the paper. It is
//! therefore Lipschitz wherever f_A is, and features smaller than the base do not count as steep.
//! Gradient: exact, by the chain rule through the four points around.
//! Lipschitz: |∇H| ≤ H' λ_A, |∇S| ≤ S' √2 λ_A / base.
//! Source: Génevaux et al. 2014, §5.3 and fig. 13.

use super::replace::{held, held_bounds};
use crate::compiled_program::NodeFrame;
use crate::geometry::plane::{Interval, Point, add, higher, length, lower, scaled, smooth, sub};
use crate::sample::{GroundBounds, GroundSample};

/// The parameters of a ground window, shared by several operators; [`params!`](talweg_ground::params) includes them as
/// `window_params!();`.
macro_rules! window_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Limits the operator to a range of heights of the ground below.
            by_height: bool = false;
            /// Lowest height at which the operator acts fully.
            height_from: f32 ["m"] = -10_000.0, -1.0e5..=1.0e5, slider -500.0..=2000.0 => |window| window.by_height;
            /// Greatest height at which the operator acts fully.
            height_to: f32 ["m"] = 300.0, -1.0e5..=1.0e5, slider -500.0..=2000.0 => |window| window.by_height;
            /// Height over which the effect fades out beyond both limits.
            height_feather: f32 ["m"] = 100.0, 0.1..=1.0e5, slider 1.0..=500.0 => |window| window.by_height;
            /// Limits the operator to a range of slopes of the ground below.
            by_slope: bool = false;
            /// Gentlest slope at which the operator acts fully.
            slope_from: f32 ["°"] = 0.0, 0.0..=80.0 => |window| window.by_slope;
            /// Steepest slope at which the operator acts fully.
            slope_to: f32 ["°"] = 12.0, 0.0..=80.0 => |window| window.by_slope;
            /// Angle over which the effect fades out beyond both limits.
            slope_feather: f32 ["°"] = 10.0, 1.0..=80.0 => |window| window.by_slope;
            /// Distance to each side over which the slope is measured; smaller features do not count as steep.
            base: f32 ["m"] = 40.0, 0.1..=1.0e5, slider 1.0..=500.0 => |window| window.by_slope;
            $($rest)*
        ] }
    };
}
pub(super) use window_params;

/// Prepares the ground window of a parameter group that includes `window_params!`.
macro_rules! ground_window {
    ($settings:expr, $frame:expr) => {
        $crate::operators::ground_window::WindowRanges {
            height: ($settings.by_height, [$settings.height_from, $settings.height_to, $settings.height_feather]),
            slope: ($settings.by_slope, [$settings.slope_from, $settings.slope_to, $settings.slope_feather]),
            base: $settings.base,
        }
        .prepare($frame)
    };
}
pub(super) use ground_window;

/// A smooth band: 1 between two values, falling smoothly to 0 on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothBand {
    /// Smallest value at which it is 1.
    pub from: f64,
    /// Greatest value at which it is 1.
    pub to: f64,
    /// Width of the flank below `from`.
    pub below: f64,
    /// Width of the flank above `to`.
    pub above: f64,
}

impl SmoothBand {
    /// A band that is 1 everywhere.
    pub const OPEN: Self = Self { from: f64::NEG_INFINITY, to: f64::INFINITY, below: 1.0, above: 1.0 };

    pub(crate) fn sample(&self, x: f64) -> (f64, f64) {
        if x < self.from {
            let (s, ds) = smooth(1.0 - (self.from - x) / self.below);
            (s, ds / self.below)
        } else if x > self.to {
            let (s, ds) = smooth(1.0 - (x - self.to) / self.above);
            (s, -ds / self.above)
        } else {
            (1.0, 0.0)
        }
    }

    fn bounds(&self, x: Interval) -> (Interval, f64) {
        let (a, b) = (self.sample(x.low).0, self.sample(x.high).0);
        let whole = x.high >= self.from && x.low <= self.to;
        let range = Interval::new(lower(a, b), if whole { 1.0 } else { higher(a, b) });
        let lower_flank = x.low < self.from && x.high > self.from - self.below;
        let upper_flank = x.high > self.to && x.low < self.to + self.above;
        let slope =
            higher(if lower_flank { 1.5 / self.below } else { 0.0 }, if upper_flank { 1.5 / self.above } else { 0.0 });
        (range, slope)
    }
}

/// Ranges as entered by the user: whether they apply; from, to and feather, in metres or degrees.
pub struct WindowRanges {
    pub(crate) height: (bool, [f32; 3]),
    pub(crate) slope: (bool, [f32; 3]),
    pub(crate) base: f32,
}

/// Ranges of heights and slopes of the ground within which an operator acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundWindow {
    /// Heights of the ground at which it acts; `None` for all heights.
    pub height: Option<SmoothBand>,
    /// Slopes of the ground, as tangents, at which it acts; `None` for all slopes.
    pub slope: Option<SmoothBand>,
    /// Half the distance over which slopes are measured.
    pub base: f64,
}

impl WindowRanges {
    /// Converts the ranges to the parent's coordinates.
    pub(crate) fn prepare(&self, frame: &NodeFrame) -> GroundWindow {
        let (rise, lift, scale) = (frame.rise, frame.lift, frame.size());
        let (by_height, [height_from, height_to, height_feather]) = self.height;
        let height = by_height.then(|| {
            let ends = [height_from, height_to].map(|z| f64::from(z) * rise + lift);
            let feather = f64::from(height_feather) * rise.abs();
            let (from, to) = (lower(ends[0], ends[1]), higher(ends[0], ends[1]));
            SmoothBand { from, to, below: feather, above: feather }
        });
        let steep = |degrees: f32| libm::tan(f64::from(degrees.clamp(0.0, 89.0)) * (std::f64::consts::PI / 180.0));
        let (by_slope, [slope_from, slope_to, slope_feather]) = self.slope;
        let slope = by_slope.then(|| {
            let by = rise.abs() / scale;
            let (from, to) = (steep(slope_from), steep(slope_to.max(slope_from)));
            let (least, most) = (steep((slope_from - slope_feather).max(0.0)), steep(slope_to + slope_feather));
            SmoothBand {
                from: from * by,
                to: to * by,
                below: higher(from - least, 1e-3) * by,
                above: higher(most - to, 1e-3) * by,
            }
        });
        GroundWindow { height, slope, base: f64::from(self.base) * scale }
    }
}

impl GroundWindow {
    /// Whether it acts everywhere alike.
    pub fn is_open(&self) -> bool {
        self.height.is_none() && self.slope.is_none()
    }

    /// `b` with its weight scaled by the fraction `share`, given with its gradient.
    pub fn held(b: &GroundSample, share: (f64, Point)) -> GroundSample {
        let (w, dw) = held(b);
        let fade = [0, 1].map(|k| dw[k] * share.0 + w * share.1[k]);
        GroundSample { weight: w * share.0, fade, ..*b }
    }

    /// Bounds of `b` with its weight scaled; `share` holds the range of the fraction and the bound of its gradient.
    pub fn held_bounds(b: &GroundBounds, share: (Interval, f64)) -> GroundBounds {
        let (w, dw, laid) = held_bounds(b);
        let fade = (dw * share.0.high + w.high * share.1) * (1.0 + 1e-9);
        GroundBounds { weight: w.product(share.0), fade, laid: laid * share.0.high, ..*b }
    }

    /// The same window in the coordinates around `frame`.
    pub(crate) fn placed(&self, frame: &NodeFrame) -> Self {
        if frame.is_plain {
            return *self;
        }
        let (rise, lift, size) = (frame.rise, frame.lift, frame.size());
        let height = self.height.map(|band| {
            let ends = [band.from, band.to].map(|z| z * rise + lift);
            let (below, above) = (band.below * rise.abs(), band.above * rise.abs());
            let (below, above) = if rise < 0.0 { (above, below) } else { (below, above) };
            SmoothBand { from: lower(ends[0], ends[1]), to: higher(ends[0], ends[1]), below, above }
        });
        let by = rise.abs() / size;
        let slope = self.slope.map(|band| SmoothBand {
            from: band.from * by,
            to: band.to * by,
            below: band.below * by,
            above: band.above * by,
        });
        Self { height, slope, base: self.base * size }
    }

    /// Stencil radius in metres: how far from a point it samples the ground.
    pub fn sight(&self) -> f64 {
        if self.slope.is_some() { self.base } else { 0.0 }
    }

    /// Fraction at `p` and its gradient, on a ground of `surface(p) → (height, gradient)`.
    pub fn share<const G: bool>(&self, p: Point, surface: impl Fn(Point) -> (f64, Point)) -> (f64, Point) {
        let (mut share, mut dshare) = (1.0, [0.0; 2]);
        if let Some(window) = self.height {
            let (height, slope) = surface(p);
            let (h, dh) = window.sample(height);
            (share, dshare) = (h, scaled(slope, dh));
        }
        if let Some(window) = self.slope
            && share > 0.0
        {
            let (per, e) = (0.5 / self.base, self.base);
            let (east, west) = (surface(add(p, [e, 0.0])), surface(sub(p, [e, 0.0])));
            let (south, north) = (surface(add(p, [0.0, e])), surface(sub(p, [0.0, e])));
            let across = [(east.0 - west.0) * per, (south.0 - north.0) * per];
            let steep = length(across);
            let (s, ds) = window.sample(steep);
            if G {
                let turn = if steep > 0.0 { ds / steep * per } else { 0.0 };
                let of =
                    |k: usize| turn * (across[0] * (east.1[k] - west.1[k]) + across[1] * (south.1[k] - north.1[k]));
                dshare = [0, 1].map(|k| dshare[k] * s + share * of(k));
            }
            share *= s;
        }
        (share, dshare)
    }

    /// Fraction by height alone, without the slope.
    pub fn share_by_height(&self, height: f64) -> f64 {
        self.height.map_or(1.0, |window| window.sample(height).0)
    }

    /// Fraction on ground of this height; the four heights lie `base` to the east, west, south and north.
    pub fn share_of_heights(&self, height: f64, [east, west, south, north]: [f64; 4]) -> f64 {
        let share = self.share_by_height(height);
        let Some(window) = self.slope.filter(|_| share > 0.0) else { return share };
        let per = 0.5 / self.base;
        share * window.sample(length([(east - west) * per, (south - north) * per])).0
    }

    /// Range of the fraction and bound of its gradient over a capsule. `ground` is the range and the Lipschitz bound of
    /// the ground within the stencil radius. `steep` is the slope at the capsule's middle, `radius` the distance from
    /// there to its ends.
    pub fn share_over(&self, ground: (Interval, f64), steep: f64, radius: f64) -> (Interval, f64) {
        let (mut share, mut dshare) = (Interval::one(1.0), 0.0);
        if let Some(window) = self.height {
            let (h, dh) = window.bounds(ground.0);
            (share, dshare) = (h, dh * ground.1);
        }
        if let Some(window) = self.slope {
            let turn = std::f64::consts::SQRT_2 * ground.1 / self.base;
            let most = lower(steep + turn * radius, std::f64::consts::SQRT_2 * ground.1);
            let (s, ds) = window.bounds(Interval::new(higher(steep - turn * radius, 0.0), higher(most, steep)));
            dshare = dshare * s.high + share.high * ds * turn;
            share = share.product(s);
        }
        (share, dshare * (1.0 + 1e-9))
    }

    /// Slope of the ground at `p`, as measured by [`share`](Self::share).
    pub fn steepness(&self, p: Point, height: impl Fn(Point) -> f64) -> f64 {
        if self.slope.is_none() {
            return 0.0;
        }
        let e = self.base;
        let difference = |step: Point| (height(add(p, step)) - height(sub(p, step))) * 0.5 / e;
        length([difference([e, 0.0]), difference([0.0, e])])
    }
}
