//! Ground windows: the range of heights and slopes of the ground within which an operator acts, with soft ends.
//!
//! Formula: fraction = H(f_A) · S(|∇f_A|), where f_A is the height of the ground. H and S are 1 between two limits and
//! fall to 0 over a flank on both sides, along the smoothstep 3t² - 2t³. The slope is measured by central differences
//! between points `base` metres to each side, as in §3 of the paper. The slope is therefore Lipschitz-continuous
//! wherever f_A is. Features smaller than `base` do not count as steep.
//! Gradient: exact, by the chain rule through the four sample points of the central differences.
//! Lipschitz: |∇H| ≤ H' λ_A and |∇S| ≤ S' √2 λ_A / base, where λ_A bounds |∇f_A|, and H' and S' bound the derivatives
//! of H and S.
//! Source: Génevaux et al. 2014, §5.3 and fig. 13.

use super::replace::{capped_weight, capped_weight_bounds};
use crate::compiled_program::{NodeFrame, NodeView, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, higher, length, lower, scaled, smooth, sub};
use crate::gpu_buffer::{Encoder, rounded_outward};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// The parameters of a ground window, shared by several operators. [`params!`](talweg_ground::params) includes these
/// parameters as `window_params!();`.
macro_rules! window_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Limits the operator to a range of heights of the ground below.
            by_height: bool = false;
            /// Lowest height at which the operator acts fully.
            height_from: f32 ["m"] = -10_000.0, -1.0e5..=1.0e5, slider -500.0..=2000.0 => |window| window.by_height;
            /// Greatest height at which the operator acts fully.
            height_to: f32 ["m"] = 300.0, -1.0e5..=1.0e5, slider -500.0..=2000.0 => |window| window.by_height;
            /// Height difference over which the effect fades out beyond both limits.
            height_feather: f32 ["m"] = 100.0, 0.1..=1.0e5, slider 1.0..=500.0 => |window| window.by_height;
            /// Limits the operator to a range of slopes of the ground below.
            by_slope: bool = false;
            /// Gentlest slope at which the operator acts fully.
            slope_from: f32 ["°"] = 0.0, 0.0..=80.0 => |window| window.by_slope;
            /// Steepest slope at which the operator acts fully.
            slope_to: f32 ["°"] = 12.0, 0.0..=80.0 => |window| window.by_slope;
            /// Slope difference over which the effect fades out beyond both limits.
            slope_feather: f32 ["°"] = 10.0, 1.0..=80.0 => |window| window.by_slope;
            /// Distance to each side over which the slope is measured; features smaller than this distance do not count
            /// as steep.
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

/// A function that is 1 between two values and falls smoothly to 0 on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothBand {
    /// Smallest value at which the band is 1.
    pub from: f64,
    /// Greatest value at which the band is 1.
    pub to: f64,
    /// Width of the flank below `from`.
    pub below: f64,
    /// Width of the flank above `to`.
    pub above: f64,
}

impl SmoothBand {
    /// A band that is 1 everywhere.
    pub const OPEN: Self = Self { from: f64::NEG_INFINITY, to: f64::INFINITY, below: 1.0, above: 1.0 };

    fn sample(&self, x: f64) -> (f64, f64) {
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

/// Ranges of heights and slopes as the user enters them. Each range consists of a flag that says whether it applies,
/// and its start, end and feather in metres or degrees.
pub struct WindowRanges {
    pub(crate) height: (bool, [f32; 3]),
    pub(crate) slope: (bool, [f32; 3]),
    pub(crate) base: f32,
}

/// Ranges of heights and slopes of the ground within which an operator acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundWindow {
    /// Heights of the ground at which the operator acts; `None` for all heights.
    pub height: Option<SmoothBand>,
    /// Slopes of the ground, as tangents, at which the operator acts; `None` for all slopes.
    pub slope: Option<SmoothBand>,
    /// Half the distance over which slopes are measured, in metres.
    pub base: f64,
}

impl WindowRanges {
    /// Converts the ranges to the coordinates of the parent of `frame`.
    pub(crate) fn prepare(&self, frame: &NodeFrame) -> GroundWindow {
        let (rise, lift, scale) = (frame.height_scale, frame.lift, frame.size());
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
    /// Whether the window has no limits, so that the operator acts fully everywhere.
    pub fn is_open(&self) -> bool {
        self.height.is_none() && self.slope.is_none()
    }

    /// The capped weight of `b` ([`capped_weight`]) multiplied by a fraction, and the gradient of this product. `share`
    /// holds the fraction and its gradient.
    pub fn scaled_weight(b: &GroundSample, share: (f64, Point)) -> GroundSample {
        let (w, dw) = capped_weight(b);
        let fade = [0, 1].map(|k| dw[k] * share.0 + w * share.1[k]);
        GroundSample { weight: w * share.0, weight_gradient: fade, ..*b }
    }

    /// Bounds of `b` with the weight of `b` capped at 1 and multiplied by a fraction. `share` holds the range of the
    /// fraction and the bound of its gradient.
    pub fn scaled_weight_bounds(b: &GroundBounds, share: (Interval, f64)) -> GroundBounds {
        let (w, dw, laid) = capped_weight_bounds(b);
        let fade = (dw * share.0.high + w.high * share.1) * (1.0 + 1e-9);
        GroundBounds { weight: w.product(share.0), weight_gradient: fade, weighted_slope: laid * share.0.high, ..*b }
    }

    /// The same window, converted to the coordinates of the parent of `frame`.
    pub(crate) fn placed(&self, frame: &NodeFrame) -> Self {
        if frame.is_plain {
            return *self;
        }
        let (rise, lift, size) = (frame.height_scale, frame.lift, frame.size());
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

    /// Stencil radius in metres: the greatest distance from a point at which the window samples the ground.
    pub fn sight(&self) -> f64 {
        if self.slope.is_some() { self.base } else { 0.0 }
    }

    /// Fraction of the operator's full effect at `p`.
    pub(crate) fn fraction(&self, view: NodeView, p: Point, detail: &Detail) -> f64 {
        if self.is_open() {
            return 1.0;
        }
        self.fraction_at::<false>(view, p, detail, &view.ground::<false>(p, detail)).0
    }

    /// Fraction of the operator's full effect at `p`, and the gradient of this fraction. `ground` is the sample at `p`
    /// of the ground, which is the first child of the node.
    pub(crate) fn fraction_at<const G: bool>(
        &self,
        view: NodeView,
        p: Point,
        detail: &Detail,
        ground: &GroundSample,
    ) -> (f64, Point) {
        let (mut share, mut dshare) = (1.0, [0.0; 2]);
        if let Some(window) = self.height {
            let (height, slope) = ground.surface(view.base());
            let (h, dh) = window.sample(height);
            (share, dshare) = (h, scaled(slope, dh));
        }
        if let Some(window) = self.slope
            && share > 0.0
        {
            let (per, e) = (0.5 / self.base, self.base);
            let around = [add(p, [e, 0.0]), sub(p, [e, 0.0]), add(p, [0.0, e]), sub(p, [0.0, e])];
            let [east, west, south, north] = around.map(|p| view.ground::<false>(p, detail).surface(view.base()).0);
            let across = [(east - west) * per, (south - north) * per];
            let steep = length(across);
            let (s, ds) = window.sample(steep);
            if G {
                dshare = dshare.map(|d| d * s);
                // the gradients matter only on the flanks of the range of slopes
                if ds != 0.0 && steep > 0.0 {
                    let [east, west, south, north] =
                        around.map(|p| view.ground::<true>(p, detail).surface(view.base()).1);
                    let turn = ds / steep * per;
                    for (k, dshare) in dshare.iter_mut().enumerate() {
                        *dshare +=
                            share * (turn * (across[0] * (east[k] - west[k]) + across[1] * (south[k] - north[k])));
                    }
                }
            }
            share *= s;
        }
        (share, dshare)
    }

    /// Fractions of the operator's full effect along a row of points; `ground` holds the samples of the ground at these
    /// points.
    pub(crate) fn fraction_row(
        &self,
        view: NodeView,
        row: PointRow,
        detail: &Detail,
        ground: &RowSamples,
    ) -> [f64; LANES] {
        let surface = |lanes: &RowSamples, k: usize| lanes.sample(k).surface(view.base()).0;
        let mut shares = [1.0; LANES];
        if let Some(window) = self.height {
            for (k, share) in shares[..row.len()].iter_mut().enumerate() {
                *share = window.sample(surface(ground, k)).0;
            }
        }
        let Some(window) = self.slope else { return shares };
        // measure the slope only where the range of heights allows the operator to act
        let (mut there, mut count) = ([0; LANES], 0);
        for (k, _) in shares[..row.len()].iter().enumerate().filter(|(_, share)| **share > 0.0) {
            (there[count], count) = (k, count + 1);
        }
        if count == 0 {
            return shares;
        }
        let (per, e) = (0.5 / self.base, self.base);
        let mut around = [RowSamples::NOTHING; 4];
        for (lanes, step) in around.iter_mut().zip([[e, 0.0], [-e, 0.0], [0.0, e], [0.0, -e]]) {
            let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
            for (place, &k) in there[..count].iter().enumerate() {
                (xs[place], ys[place]) = (row.xs[k] + step[0], row.ys[k] + step[1]);
            }
            view.ground_row(PointRow { xs: &xs[..count], ys: &ys[..count] }, detail, lanes);
        }
        for (place, &k) in there[..count].iter().enumerate() {
            let [east, west, south, north] = [0, 1, 2, 3].map(|side: usize| surface(&around[side], place));
            shares[k] *= window.sample(length([(east - west) * per, (south - north) * per])).0;
        }
        shares
    }

    /// Range of the fraction over a capsule, and bound of the fraction's gradient. The ground is the first child of the
    /// node.
    pub(crate) fn fraction_bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        let ground = view.ground_bound(&capsule.padded(self.sight()), detail).surface(view.base());
        let (mut share, mut dshare) = (Interval::one(1.0), 0.0);
        if let Some(window) = self.height {
            let (h, dh) = window.bounds(ground.0);
            (share, dshare) = (h, dh * ground.1);
        }
        if let Some(window) = self.slope {
            let (p, e) = (capsule.middle(), self.base);
            let height = |p: Point| view.ground::<false>(p, detail).surface(view.base()).0;
            let difference = |step: Point| (height(add(p, step)) - height(sub(p, step))) * 0.5 / e;
            let steep = length([difference([e, 0.0]), difference([0.0, e])]);
            let turn = std::f64::consts::SQRT_2 * ground.1 / self.base;
            let most = lower(steep + turn * capsule.radius(), std::f64::consts::SQRT_2 * ground.1);
            let least = higher(steep - turn * capsule.radius(), 0.0);
            let (s, ds) = window.bounds(Interval::new(least, higher(most, steep)));
            dshare = dshare * s.high + share.high * ds * turn;
            share = share.product(s);
        }
        (share, dshare * (1.0 + 1e-9))
    }

    /// Encodes the window of a node. Returns the box in which a probe must measure the slope of the ground; `None` if
    /// the window does not limit slopes.
    ///
    /// The 32-bit words are: whether the height limits the operator (0 or 1); `from`, `to`, `below`, `above` of the
    /// height band; the same five words for the slope; half the distance over which slopes are measured.
    pub(crate) fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) -> Option<[f32; 4]> {
        let Self { height, slope, base } = self.placed(around);
        for band in [height, slope] {
            let SmoothBand { from, to, below, above } = band.unwrap_or(SmoothBand::OPEN);
            out.code.word(u32::from(band.is_some()));
            out.code.reals([from, to, below, above]);
        }
        out.code.reals([base]);
        let laid = node.children[1..].iter().map(|&child| around.area_outward(&out.program.nodes[child as usize].area));
        slope.map(|_| rounded_outward(&laid.fold(Area::EMPTY, Area::union)))
    }
}
