//! The curve: ground along a line, with interpolated cross profiles. It forms rivers, roads, ridges and canyons.
//!
//! Formula: f(p) = z(s) + depth(s) · c_s(o / width(s)), where s is the arc length and o the offset of p relative to the
//! [`path`](crate::geometry::path). z, depth and width are monotone cubics through the points; the z of a road is
//! [`graded`](crate::geometry::grade). The profile c_s is interpolated between the profiles of the two adjacent
//! points. The weight is α(p) = g((d - w(s)) / fade) with Wyvill's g of [`falloff`](super::falloff). Here d is the
//! distance of p from the curve. The weight is 1 up to the local width w(s). A curve that narrows thus leaves the
//! ground outside its width unchanged.
//! Gradient: by the chain rule from ∇s and ∇o.
//! Lipschitz: the bound of |∇f| is the sum of the same terms, each at its maximum.
//! Source: Génevaux et al. 2014, §4.1 and fig. 6.

use serde::{Deserialize, Serialize};

use super::falloff::Falloff;
use super::leaf::{PreparedPrimitive, Primitive};
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::grade::graded;
use crate::geometry::path::{CurveFit, Path, PathGeometry};
use crate::geometry::plane::{Area, Capsule, Interval, Point, higher, lower, scaled, smooth, sub};
use crate::geometry::profile::{MonotoneCubic, Profile};
use crate::gpu_buffer::{ImageSamples, Words, line_points, rounded_outward};
use crate::piece::{PieceForm, piece_form, piece_points};
use crate::sample::{Detail, GroundBounds, GroundSample};

talweg_ground::choices! {
    /// Cross sections of a curve.
    Cross {
        River "River": "A bed with gentle banks, deepest at the centreline.",
        Levee "River with levees": "A steep-sided bed between low natural levees, which slope down to the surrounding ground.",
        Road "Road": "A cambered carriageway between ditches; beyond the ditches, the ground is cut or filled to meet the road.",
        Ridge "Ridge": "Ground that is highest at the centreline and falls to both sides.",
        Canyon "Canyon": "A flat floor between steep, stepped walls.",
        Bank "Level": "Ground that is level across the line, for a causeway, a terrace or a valley floor.",
    }
}

impl Cross {
    /// The cross profile: heights as multiples of the depth, distances as multiples of the width.
    pub fn profile(self) -> Profile {
        Profile(match self {
            Self::River => vec![(0.0, -1.0), (0.22, -0.86), (0.42, -0.2), (0.55, 0.02), (1.0, 0.12)],
            Self::Levee => vec![
                (0.0, -1.0),
                (0.2, -0.96),
                (0.36, -0.62),
                (0.46, -0.04),
                (0.54, 0.12),
                (0.62, 0.13),
                (0.8, 0.04),
                (1.0, 0.0),
            ],
            Self::Road => vec![(0.0, 0.0), (0.5, -0.03), (0.62, -0.2), (0.7, -0.2), (0.84, -0.02), (1.0, 0.0)],
            Self::Ridge => vec![(0.0, 1.0), (0.12, 0.86), (0.45, 0.36), (1.0, 0.0)],
            Self::Canyon => vec![(0.0, -1.0), (0.22, -0.96), (0.34, -0.58), (0.46, -0.52), (0.58, -0.1), (0.72, 0.0)],
            Self::Bank => vec![(0.0, 0.0)],
        })
    }
}

/// A point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Distances from the west and the north edge, in metres.
    pub at: (f32, f32),
    /// Height above the datum, in metres.
    #[serde(default)]
    pub height: f32,
    /// Width at this point, as a multiple of the curve's width.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub width: f32,
    /// Depth at this point, as a multiple of the curve's depth.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub depth: f32,
    /// Cross section at this point; `None` for the cross section of the curve. Negative distances are to the left of
    /// the line. A profile without negative distances applies to both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

fn one() -> f32 {
    1.0
}
fn is_one(value: &f32) -> bool {
    *value == 1.0
}

impl CurvePoint {
    /// A point with width and depth factors of 1 and without a profile of its own.
    pub fn new(x: f32, y: f32, height: f32) -> Self {
        Self { at: (x, y), height, width: 1.0, depth: 1.0, profile: None }
    }
}

talweg_ground::params! {
    /// Ground along a line: a river, a road, a ridge or a canyon.
    CurveSettings "Curve" in "Primitive", from "Génevaux et al. 2014, fig. 6", also "river road ridge canyon line spline valley path" {
        /// Cross section of the line; a point can have a cross section of its own.
        cross: Cross = Cross::River;
        /// Distance from the centreline to the end of the cross section.
        width: f32 ["m"] = 150.0, 0.1..=1.0e5, slider 5.0..=1500.0;
        /// Depth of the bed or canyon, or height of the ridge.
        depth: f32 ["m"] = 30.0, -1.0e5..=1.0e5, slider 0.0..=500.0;
        /// Distance beyond the width over which the curve blends into the surrounding ground.
        fade: f32 ["m"] = 150.0, 0.1..=1.0e5, slider 5.0..=1500.0;
        /// Shape of the line between its points.
        run: CurveFit = CurveFit::Through;
        /// Length along the line over which the curvature of bends changes gradually, as on roads.
        easing: f32 ["m"] = 0.0, 0.0..=1.0e5, slider 0.0..=500.0;
        /// Lowers points that are higher than the previous point, so that water never flows uphill.
        downhill: bool = false;
        /// Greatest grade along a road: rise per horizontal distance. Where the points are steeper, the road is cut
        /// into the ground or raised above it. Both ends keep their height. 0 sets no limit.
        grade: f32 ["%"] = 12.0, 0.0..=100.0, slider 0.0..=25.0 => |s| s.cross == Cross::Road;
        /// Length along a road over which its grade changes gradually.
        vertical_easing: f32 ["m"] = 60.0, 0.0..=1.0e5, slider 0.0..=500.0 => |s| s.has_graded_profile();
    }
}

impl CurveSettings {
    /// Whether the grade along the curve is limited.
    pub fn has_graded_profile(&self) -> bool {
        self.cross == Cross::Road && self.grade > 0.0
    }
}

/// Ground along a line.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Points of the line, at least two.
    pub points: Vec<CurvePoint>,
    /// Cross section, width, depth and line shape.
    #[serde(default, skip_serializing_if = "crate::piece::is_default")]
    pub settings: CurveSettings,
}

/// A path with the heights, widths and depths that vary along the path.
#[derive(Clone, Debug)]
pub struct CurveCentreline {
    /// The path in the plane.
    pub path: Path,
    /// Height in metres, as a function of arc length.
    pub height: MonotoneCubic,
    /// Heights of the points by arc length, before the grade is limited.
    pub wanted_heights: Vec<(f64, f64)>,
    /// Local width in metres, as a function of arc length.
    pub width: MonotoneCubic,
    /// Local depth in metres, as a function of arc length.
    pub depth: MonotoneCubic,
    /// Distance up to which the weight is 1, and distance from which the weight is 0, at the widest point.
    pub falloff: Falloff,
    /// Distance up to which the weight is 1, as a fraction of the local width; `None` if the width is constant.
    pub core_share: Option<f64>,
}

impl CurveCentreline {
    /// The path through `points` with the heights, widths and depths that vary along the path.
    pub fn new(points: &[CurvePoint], settings: &CurveSettings) -> Self {
        let places: Vec<Point> = points.iter().map(|p| [f64::from(p.at.0), f64::from(p.at.1)]).collect();
        let (width, fade) = (f64::from(settings.width), f64::from(settings.fade));
        let widest = points.iter().fold(LEAST_WIDTH, |w, p| higher(w, f64::from(p.width))) * width;
        let path = Path::new(&places, settings.run, f64::from(settings.easing), widest + fade);
        let line = |value: &dyn Fn(&CurvePoint) -> f64, falls: bool| {
            let mut knots: Vec<(f64, f64)> = Vec::with_capacity(points.len());
            for (&s, point) in path.stations.iter().zip(points) {
                let y = value(point);
                match knots.last() {
                    // skip a point at the same arc length as the previous point
                    Some(last) if s - last.0 < 1e-6 => {}
                    Some(last) if falls => knots.push((s, lower(y, last.1))),
                    _ => knots.push((s, y)),
                }
            }
            knots
        };
        let heights = line(&|p| f64::from(p.height), settings.downhill);
        let is_even = points.iter().all(|p| p.width == points[0].width);
        Self {
            core_share: (!is_even).then_some(1.0),
            height: if settings.has_graded_profile() {
                graded(&heights, 0.01 * f64::from(settings.grade), f64::from(settings.vertical_easing))
            } else {
                // a straight line keeps its grade up to its ends
                MonotoneCubic::with_sloping_ends(&heights)
            },
            width: MonotoneCubic::from_points(&line(&|p| width * higher(f64::from(p.width), LEAST_WIDTH), false)),
            depth: MonotoneCubic::from_points(&line(&|p| f64::from(settings.depth) * f64::from(p.depth), false)),
            wanted_heights: heights,
            falloff: Falloff { core: widest, radius: widest + fade },
            path,
        }
    }

    /// The same centreline, `by` times as wide; the weight ends at the same distance as before.
    pub fn widened(self, by: f64) -> Self {
        Self { width: self.width.scaled(by), core_share: self.core_share.map(|share| share / by), ..self }
    }

    /// The weight, and its gradient, at a point whose position relative to the line is `near`.
    #[inline]
    pub fn weight(&self, near: &crate::geometry::path::NearestPoint) -> (f64, Point) {
        let Some(share) = self.core_share else {
            let (weight, turn) = self.falloff.sample(near.distance);
            return (weight, scaled(near.ddistance, turn));
        };
        let (width, dwidth) = self.width.sample(near.along);
        let core = share * width;
        let (weight, turn) = Falloff { core, radius: core + self.fade() }.sample(near.distance);
        (weight, sub(scaled(near.ddistance, turn), scaled(near.dalong, turn * share * dwidth)))
    }

    /// Range of the weight and bound of its gradient, for the ranges in `near`.
    pub fn weight_bounds(&self, near: &crate::geometry::path::NearestBounds) -> (Interval, f64) {
        let Some(share) = self.core_share else { return self.falloff.bounds(near.distance) };
        let (width, dwidth) = self.width.bounds(near.along);
        let beside = Interval::new(near.distance.low - share * width.high, near.distance.high - share * width.low);
        let (weight, turn) = Falloff { core: 0.0, radius: self.fade() }.bounds(beside.widened_for_rounding());
        (weight, turn * near.slope(share * dwidth * near.dalong, 1.0) * (1.0 + 1e-9))
    }

    fn fade(&self) -> f64 {
        self.falloff.radius - self.falloff.core
    }

    /// Encodes the centreline of a primitive in these words:
    /// - distance within which the primitive has weight;
    /// - distances up to which the weight is 1 and from which the weight is 0;
    /// - distance up to which the weight is 1, as a fraction of the local width, or 0 if the width is constant;
    /// - a list of vertices (2), of which two consecutive vertices bound a segment. Each has three words of two 16-bit
    ///   floats: the segment's slopes at its start and end; the radii ρ of [`path`](crate::geometry::path) there on the
    ///   right, and on the left, as multiples of the first word and rounded down;
    /// - a list of boxes (4) of [`RUN`] segments each, with the arc length at the start of each box;
    /// - the lines of height, width and depth by arc length.
    pub(crate) fn encode(&self, out: &mut Words) {
        let PathGeometry { reach, vertices, slopes, rooms, runs } = self.path.outline();
        out.reals([reach, self.falloff.core, self.falloff.radius, self.core_share.unwrap_or(0.0)]);
        let numbers: Vec<usize> = (0..vertices.len()).collect();
        out.list(&numbers, |out, &k| {
            out.reals(vertices[k]);
            out.halves(slopes.get(k).copied().unwrap_or_default(), false);
            let [a, b, c, d] = rooms.get(k).copied().unwrap_or_default().map(|room| room / reach);
            out.halves([a, b], true);
            out.halves([c, d], true);
        });
        out.list(&runs, |out, (area, start)| {
            out.reals(rounded_outward(area));
            out.reals([*start]);
        });
        [&self.height, &self.width, &self.depth].into_iter().for_each(|line| out.line(line));
    }
}

/// Minimum width factor of a curve.
const LEAST_WIDTH: f64 = 0.01;

/// A curve prepared for evaluation.
#[derive(Clone, Debug)]
pub struct PreparedCurve {
    centreline: CurveCentreline,
    /// Profiles with the arc lengths at which they apply; a single profile applies everywhere.
    profiles: Vec<(f64, CrossSection)>,
}

/// A cross profile, symmetric or not.
#[derive(Clone, Debug)]
struct CrossSection {
    line: MonotoneCubic,
    is_even: bool,
}

impl CrossSection {
    fn new(profile: &Profile) -> Self {
        Self { line: profile.prepare(), is_even: profile.0.iter().all(|p| p.0 >= 0.0) }
    }

    /// Height of the profile at `offset`, and the derivative of this height.
    #[inline]
    fn sample(&self, offset: &SectionOffset) -> SectionSample {
        let (y, dy) = self.line.sample(if self.is_even { offset.beside } else { offset.signed });
        if self.is_even {
            SectionSample { y, signed: 0.0, beside: dy }
        } else {
            SectionSample { y, signed: dy, beside: 0.0 }
        }
    }

    fn bounds(&self, offset: Interval, beside: Interval) -> (Interval, f64) {
        self.line.bounds(if self.is_even { beside } else { offset })
    }
}

/// Position across a curve, as multiples of its width.
struct SectionOffset {
    /// Offset to the right; negative to the left.
    signed: f64,
    /// Distance beside the curve.
    beside: f64,
}

/// Height of a profile, and its derivatives with respect to the signed offset and to the distance beside the curve.
#[derive(Clone, Copy)]
struct SectionSample {
    y: f64,
    signed: f64,
    beside: f64,
}

impl Curve {
    /// Prepares the curve for evaluation.
    pub fn prepare(&self) -> PreparedCurve {
        let centreline = CurveCentreline::new(&self.points, &self.settings);
        let plain = self.settings.cross.profile();
        let own = |point: &CurvePoint| CrossSection::new(point.profile.as_ref().unwrap_or(&plain));
        let profiles = if self.points.iter().all(|p| p.profile.is_none()) {
            vec![(0.0, CrossSection::new(&plain))]
        } else {
            centreline.path.stations.iter().zip(&self.points).map(|(&s, p)| (s, own(p))).collect()
        };
        PreparedCurve { centreline, profiles }
    }
}

impl PieceForm for Curve {
    piece_form!("curve", settings);
    piece_points!();

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        let prepared = || PreparedPrimitive::Curve(Box::new(self.prepare()));
        builder.leaf(site, &[], |_, _| (!self.points.is_empty()).then(prepared))
    }
}

impl PreparedCurve {
    /// The profiles around arc length `s`: the index of the first profile, the interpolation factor to the next
    /// profile, and the derivative of this factor.
    fn locate_profile(&self, s: f64) -> (usize, f64, f64) {
        let last = self.profiles.len() - 1;
        let k = self.profiles.partition_point(|p| p.0 <= s).clamp(1, last.max(1)) - 1;
        if last == 0 {
            return (0, 0.0, 0.0);
        }
        let long = self.profiles[k + 1].0 - self.profiles[k].0;
        if long <= 0.0 {
            return (k, 0.0, 0.0);
        }
        let (t, dt) = smooth((s - self.profiles[k].0) / long);
        (k, t, dt / long)
    }

    /// Height at arc length `s` and offset `x`, with its derivatives with respect to the offset; and its derivative
    /// with respect to `s`.
    #[inline]
    fn rise(&self, s: f64, x: &SectionOffset) -> (SectionSample, f64) {
        let (k, t, dt) = self.locate_profile(s);
        let a = self.profiles[k].1.sample(x);
        if t == 0.0 {
            return (a, 0.0);
        }
        let b = self.profiles[k + 1].1.sample(x);
        let mix = |a: f64, b: f64| a + t * (b - a);
        let mixed =
            SectionSample { y: mix(a.y, b.y), signed: mix(a.signed, b.signed), beside: mix(a.beside, b.beside) };
        (mixed, dt * (b.y - a.y))
    }
}

impl Primitive for PreparedCurve {
    fn area(&self) -> Area {
        self.centreline.path.area
    }

    #[inline]
    fn sample<const G: bool>(&self, p: Point, _: &Detail) -> GroundSample {
        let Some(near) = self.centreline.path.nearest_point::<G>(p) else { return GroundSample::default() };
        let (weight, fade) = self.centreline.weight(&near);
        let (z, dz) = self.centreline.height.sample(near.along);
        let (width, dwidth) = self.centreline.width.sample(near.along);
        let (depth, ddepth) = self.centreline.depth.sample(near.along);
        let x = SectionOffset { signed: near.offset / width, beside: near.beside / width };
        let (SectionSample { y: rise, signed, beside }, rise_s) = self.rise(near.along, &x);
        let height = z + depth * rise;
        if !G {
            return GroundSample { height, weight, ..GroundSample::default() };
        }
        let stretched = (signed * x.signed + beside * x.beside) * dwidth / width;
        let by_s = dz + ddepth * rise + depth * (rise_s - stretched);
        let (by_o, by_b) = (depth * signed / width, depth * beside / width);
        let slope = [0, 1].map(|k| by_s * near.dalong[k] + by_o * near.doffset[k] + by_b * near.dbeside[k]);
        GroundSample { height, weight, slope, weight_gradient: fade }
    }

    fn bounds(&self, capsule: &Capsule, _: &Detail) -> GroundBounds {
        let Some(near) = self.centreline.path.nearest_bounds(capsule) else { return GroundBounds::NOTHING };
        let (weight, fade) = self.centreline.weight_bounds(&near);
        let (z, dz) = self.centreline.height.bounds(near.along);
        let (width, dwidth) = self.centreline.width.bounds(near.along);
        let (depth, ddepth) = self.centreline.depth.bounds(near.along);
        let per_width = Interval::new(1.0 / width.high, 1.0 / width.low);
        let (x, beside) = (near.offset.product(per_width), near.beside.product(per_width));
        // bounds of the rise, of its derivatives with respect to s and x, and of x times the derivative with respect to
        // x, which is 0 beyond the profile
        let (mut rise, mut rise_s, mut rise_x, mut x_rise_x) = (Interval::EMPTY, 0.0f64, 0.0f64, 0.0f64);
        let slopes =
            |shape: &CrossSection, dy: f64| dy * lower(higher(x.max_abs(), beside.max_abs()), shape.line.end());
        let (first, last) = (self.locate_profile(near.along.low).0, self.locate_profile(near.along.high).0);
        for k in first..=last {
            let (y, dy) = self.profiles[k].1.bounds(x, beside);
            (rise, rise_x) = (rise.union(y), higher(rise_x, dy));
            x_rise_x = higher(x_rise_x, slopes(&self.profiles[k].1, dy));
            if let Some((to, shape)) = self.profiles.get(k + 1) {
                let (next, dnext) = shape.bounds(x, beside);
                let long = to - self.profiles[k].0;
                if long > 0.0 {
                    rise_s = higher(rise_s, 1.5 / long * y.spread(&next));
                }
                (rise, rise_x) = (rise.union(next), higher(rise_x, dnext));
                x_rise_x = higher(x_rise_x, slopes(shape, dnext));
            }
        }
        let by_s = dz + ddepth * rise.max_abs() + depth.max_abs() * (rise_s + x_rise_x * dwidth / width.low);
        let by_o = depth.max_abs() * rise_x / width.low;
        let slope = near.slope(by_s * near.dalong, by_o * near.doffset);
        GroundBounds::lipschitz(z.plus(depth.product(rise)).widened_for_rounding(), weight, slope * (1.0 + 1e-9), fade)
    }

    /// Writes these words: the [centreline](CurveCentreline::encode); a list of profiles: arc length, whether both
    /// sides are equal (0 or 1), line of the rise by offset / width.
    fn encode(&self, out: &mut Words, _: &mut ImageSamples) {
        self.centreline.encode(out);
        let profiles: Vec<_> = self.profiles.iter().map(|(s, of)| (*s, of.is_even, line_points(&of.line))).collect();
        // drop profiles that equal both neighbours. The first profile also applies before its own arc length, and the
        // last profile after its own
        let is_same = |a: usize, b: usize| (profiles[a].1, &profiles[a].2) == (profiles[b].1, &profiles[b].2);
        let ends = |&k: &usize| k > 0 && !is_same(k - 1, k) || k + 1 < profiles.len() && !is_same(k, k + 1);
        let mut kept: Vec<usize> = (0..profiles.len()).filter(ends).collect();
        if kept.is_empty() {
            kept.extend((!profiles.is_empty()).then_some(0));
        }
        out.list(&kept, |out, &k| {
            let (s, is_even, line) = &profiles[k];
            out.reals([*s]);
            out.word(u32::from(*is_even));
            out.points(line);
        });
    }
}
