//! The contour: a closed curve around a centre, with height profiles from the centre outwards. It forms lakes, mesas,
//! craters and islands.
//!
//! If the points are sorted by direction, let (ρ, θ) be polar coordinates around the centre. R(θ) is the radius of the
//! contour, a monotone cubic through the points in the order of their angles. Let x = ρ/R(θ). Then the elevation is f =
//! height + depth · c_θ(x), and the weight is α = falloff(x). The profile c_θ is interpolated between the profiles of
//! the two adjacent directions. All profiles have the same value at the centre, so that f has no jump there.
//!
//! If the points form an [`outline`](crate::geometry::outline) in their given order, the outline can have any shape
//! that does not cross itself, and x = 1 + d/D. Here d is the signed distance from the line, negative inside. D is the
//! radius of the largest circle inside. Thus x is 0 at the point farthest inside, 1 on the line, and larger outside.
//! Within the distance D of the centre, where all directions meet, several profiles blend into the first profile.
//!
//! Gradient: ∇x = r̂/R - R'/R² θ̂ with the unit vectors r̂ and θ̂ of the polar coordinates, plus the change of the
//! profile with the angle divided by ρ.
//! Lipschitz: the bound of |∇f| is the sum of the same terms, each at its maximum.
//! Source: Génevaux et al. 2014, §4.1 and fig. 7.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use serde::{Deserialize, Serialize};

use super::falloff::Falloff;
use super::leaf::{PreparedPrimitive, Primitive};
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::outline::{ClosedOutline, OutlineError};
use crate::geometry::path::CurveFit;
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, dot, higher, length, lower, scaled, smooth, sub};
use crate::geometry::profile::{MonotoneCubic, Profile};
use crate::gpu_buffer::{ImageSamples, Words};
use crate::piece::{PieceForm, piece_form};
use crate::sample::{Detail, GroundBounds, GroundSample};

talweg_ground::choices! {
    /// The landform inside a contour.
    Landform {
        Lake "Lake": "A basin with a flat floor and a shore.",
        Mesa "Mesa": "A table mountain with a flat top and steep walls.",
        Crater "Crater": "A bowl with a raised rim and a blanket of ejecta.",
        Island "Island": "Land that rises from the shore and falls off under water.",
        Cone "Volcano": "A cone whose slopes steepen towards the top, with a crater at the summit.",
    }
}

impl Landform {
    /// The cross profile of this landform: heights as multiples of the depth, distances as multiples of the contour's
    /// radius.
    pub fn profile(self) -> Profile {
        Profile(match self {
            Self::Lake => vec![(0.0, -1.0), (0.55, -0.9), (0.85, -0.35), (1.0, 0.0), (1.2, 0.1), (1.6, 0.12)],
            Self::Mesa => vec![(0.0, 1.0), (0.72, 0.98), (0.86, 0.9), (1.0, 0.3), (1.12, 0.18), (1.6, 0.0)],
            Self::Crater => {
                vec![
                    (0.0, -1.0),
                    (0.3, -0.97),
                    (0.6, -0.72),
                    (0.9, 0.1),
                    (1.0, 0.22),
                    (1.15, 0.12),
                    (1.4, 0.03),
                    (1.8, 0.0),
                ]
            }
            Self::Island => {
                vec![(0.0, 1.0), (0.35, 0.7), (0.7, 0.3), (0.92, 0.06), (1.0, 0.0), (1.25, -0.15), (1.6, -0.5)]
            }
            Self::Cone => vec![
                (0.0, 0.74),
                (0.05, 0.75),
                (0.1, 0.93),
                (0.13, 0.97),
                (0.17, 0.93),
                (0.3, 0.66),
                (0.5, 0.36),
                (0.75, 0.13),
                (1.0, 0.03),
                (1.3, 0.0),
            ],
        })
    }
}

talweg_ground::choices! {
    /// Rule by which the points of a contour form the closed line.
    OutlineFit {
        Drawn "As drawn": "The closed line through the points in their order: straight sides if a corner turns by 60° or more, otherwise a smooth line.",
        Direction "By direction": "The contour has one distance from the centre in each direction; points are sorted by direction.",
        Smooth "Smooth": "A smooth closed line through the points in their order, of any shape.",
        Straight "Straight": "Connects the points with straight sides, in their order.",
    }
}

/// The cross profile of a contour in one direction from the centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContourRay {
    /// Angle in degrees: 0 is east, 90 is south.
    pub angle: f32,
    /// Heights as a function of the distance from the centre, in this direction.
    pub profile: Profile,
}

talweg_ground::params! {
    /// A landform inside a closed line: a lake, a mesa, a crater, an island or a volcano.
    ContourSettings "Contour" in "Primitive", from "Génevaux et al. 2014, fig. 7", also "lake mesa crater island volcano closed shore polygon" {
        /// Landform inside the contour. It has no effect if the contour has profiles of its own.
        landform: Landform = Landform::Lake;
        /// Distance of the centre from the west edge.
        x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance of the centre from the north edge.
        y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Height of the ground at the contour, above the datum.
        height: f32 ["m"] = 200.0, -1.0e5..=1.0e5, slider -500.0..=2000.0;
        /// Depth of the basin, or height of the mountain.
        depth: f32 ["m"] = 80.0, -1.0e5..=1.0e5, slider 0.0..=1500.0;
        /// Radius of the contour if it has no points.
        radius: f32 ["m"] = 800.0, 0.1..=1.0e6, slider 20.0..=4000.0;
        /// Distance up to which the feature has full weight, as a multiple of the contour's radius.
        core: f32 = 1.0, 0.0..=7.9, slider 0.0..=2.0;
        /// Distance at which the feature ends, as a multiple of the contour's radius.
        reach: f32 = 1.6, 0.1..=8.0, slider 1.0..=3.0;
        /// Rule by which the points form a line. A line in the order of its points must not cross itself. The radius of
        /// this line is the radius of the largest circle inside.
        outline: OutlineFit = OutlineFit::Drawn;
    }
}

/// A landform inside a closed line.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contour {
    /// Points of the line, in metres to the east and south of the centre.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<(f32, f32)>,
    /// Profiles in some directions. Heights in the directions between two profiles are interpolated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ContourRay>,
    /// Landform, size and heights.
    #[serde(default, skip_serializing_if = "crate::piece::is_default")]
    pub settings: ContourSettings,
}

/// A contour prepared for evaluation.
#[derive(Clone, Debug)]
pub struct PreparedContour {
    centre: Point,
    height: f64,
    depth: f64,
    falloff: Falloff,
    /// Radius R of the contour by angle, from -2π to 2π.
    radius: MonotoneCubic,
    farthest: f64,
    /// The line relative to the centre, if the points form a line in their given order. The field `radius` is then not
    /// used.
    outline: Option<ClosedOutline>,
    /// Profiles with their angles in radians, in ascending order from -π.
    rays: Vec<(f64, MonotoneCubic)>,
}

/// The angle wrapped to the range from -π to π.
fn turned(angle: f64) -> f64 {
    let whole = libm::floor((angle + PI) / TAU);
    angle - whole * TAU
}

/// Whether a closed line through `points` turns by 60° or more at one of them.
fn has_corner(points: &[Point]) -> bool {
    let n = points.len();
    (0..n).any(|k| {
        let (before, after) = (sub(points[k], points[(k + n - 1) % n]), sub(points[(k + 1) % n], points[k]));
        dot(before, after) <= 0.5 * length(before) * length(after) * (1.0 + 1e-6)
    })
}

impl Contour {
    /// The line relative to the centre, if the points form a line in their given order; `None` if the points are sorted
    /// by direction.
    ///
    /// # Errors
    /// When the line crosses or touches itself, or encloses no area.
    pub fn outline(&self) -> Result<Option<ClosedOutline>, OutlineError> {
        let points: Vec<Point> = self.points.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
        let fit = match self.settings.outline {
            OutlineFit::Direction => return Ok(None),
            _ if points.is_empty() => return Ok(None),
            OutlineFit::Drawn if has_corner(&points) => CurveFit::Straight,
            OutlineFit::Drawn | OutlineFit::Smooth => CurveFit::Through,
            OutlineFit::Straight => CurveFit::Straight,
        };
        ClosedOutline::new(&points, fit).map(Some)
    }

    /// Whether the points go once around the centre, so that sorting them by direction does not change the line.
    pub fn goes_around(&self) -> bool {
        let angle = |p: &(f32, f32)| libm::atan2(f64::from(p.1), f64::from(p.0));
        let turns =
            self.points.iter().zip(self.points.iter().cycle().skip(1)).map(|(a, b)| turned(angle(b) - angle(a)));
        let (left, right) =
            turns.fold((0, 0), |(left, right), turn| (left + usize::from(turn < 0.0), right + usize::from(turn > 0.0)));
        left == 0 || right == 0
    }

    /// Prepares the contour for evaluation. Points that do not form a valid outline are sorted by direction.
    pub fn prepare(&self) -> PreparedContour {
        let settings = &self.settings;
        let mut corners: Vec<(f64, f64)> = self
            .points
            .iter()
            .map(|&(x, y)| [f64::from(x), f64::from(y)])
            .filter(|&p| length(p) > 0.0)
            .map(|p| (libm::atan2(p[1], p[0]), length(p)))
            .collect();
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        corners.dedup_by(|a, b| a.0 - b.0 < 1e-3);
        if corners.len() < 3 {
            let radius = f64::from(settings.radius);
            corners = vec![(-2.0, radius), (0.0, radius), (2.0, radius)];
        }
        // repeat the points one full turn before and after, so that the curve closes smoothly; the minimum radius
        // avoids divisions by almost 0
        let farthest = corners.iter().fold(0.0, |r, c| higher(r, c.1));
        let around = |k: f64| corners.iter().map(move |c| (c.0 + k * TAU, c.1));
        let knots: Vec<(f64, f64)> =
            around(-1.0).chain(around(0.0)).chain(around(1.0)).map(|(a, r)| (a, higher(r, 0.02 * farthest))).collect();
        let first = self.profiles.first().map_or_else(|| settings.landform.profile(), |ray| ray.profile.clone());
        let centre = first.prepare().first();
        let mut rays: Vec<(f64, MonotoneCubic)> = self
            .profiles
            .iter()
            .map(|ray| {
                let angle = turned(f64::from(ray.angle) * (PI / 180.0));
                (angle, ray.profile.prepare().starting_at(centre))
            })
            .collect();
        if rays.is_empty() {
            rays.push((0.0, first.prepare().starting_at(centre)));
        }
        rays.sort_by(|a, b| a.0.total_cmp(&b.0));
        rays.dedup_by(|a, b| a.0 - b.0 < 1e-3);
        let core = f64::from(settings.core);
        let outline = self.outline().ok().flatten();
        PreparedContour {
            centre: [f64::from(settings.x), f64::from(settings.y)],
            height: f64::from(settings.height),
            depth: f64::from(settings.depth),
            falloff: Falloff { core, radius: higher(f64::from(settings.reach), core + 0.05) },
            radius: MonotoneCubic::from_points(&knots),
            farthest,
            outline,
            rays,
        }
    }
}

impl PieceForm for Contour {
    piece_form!("contour", settings);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        builder.leaf(site, &[], |builder, _| {
            match self.outline() {
                Err(error) => {
                    builder.problem(
                        site,
                        format!("{error}; until this is fixed, the points of the contour are sorted by direction"),
                    );
                }
                Ok(None) if !self.goes_around() => builder.problem(
                    site,
                    "the points do not go once around the centre, so the line differs from the drawn line; set the \
                     outline to Smooth or Straight",
                ),
                Ok(_) => {}
            }
            Some(PreparedPrimitive::Contour(Box::new(self.prepare())))
        })
    }
}

impl PreparedContour {
    /// Distance of the contour from the centre in a direction.
    pub fn edge(&self, angle: f64) -> f64 {
        self.radius.sample(turned(angle)).0
    }

    /// Returns points around the centre, at `radii` times the contour's radius. For an outline in the order of its
    /// points, the returned points are on the outline.
    pub fn ring(&self, radii: f64, places: usize) -> Vec<Point> {
        if let Some(outline) = &self.outline {
            return outline.corners().iter().map(|&p| add(p, self.centre)).collect();
        }
        let place = |k: usize| {
            let angle = k as f64 / places as f64 * TAU;
            let away = self.edge(angle) * radii;
            add(self.centre, [away * libm::cos(angle), away * libm::sin(angle)])
        };
        (0..places).map(place).collect()
    }

    /// Distance at which the feature ends, as a multiple of the contour's radius.
    pub fn reach(&self) -> f64 {
        self.falloff.radius
    }

    /// The two profiles (rays) whose directions enclose the angle `a`: their indices, the interpolation factor between
    /// them, and the derivative of this factor.
    fn locate_rays(&self, a: f64) -> (usize, usize, f64, f64) {
        let n = self.rays.len();
        if n == 1 {
            return (0, 0, 0.0, 0.0);
        }
        let k = (self.rays.partition_point(|ray| ray.0 <= a) + n - 1) % n;
        let next = (k + 1) % n;
        let ahead = |from: f64, to: f64| if to >= from { to - from } else { to - from + TAU };
        let wide = ahead(self.rays[k].0, self.rays[next].0);
        let (t, dt) = smooth(ahead(self.rays[k].0, a) / wide);
        (k, next, t, dt / wide)
    }

    fn sample_outline<const G: bool>(&self, outline: &ClosedOutline, way: Point) -> GroundSample {
        let per_depth = 1.0 / outline.depth();
        let (distance, away) = outline.distance(way);
        let x = higher(1.0 + distance * per_depth, 0.0);
        let (weight, turn) = self.falloff.sample(x);
        if weight <= 0.0 {
            return GroundSample::default();
        }
        let (mut rise, mut steep) = self.rays[0].1.sample(x);
        let mut by_direction = [0.0; 2];
        if self.rays.len() > 1 {
            let rho = length(way);
            let (share, dshare) = smooth(rho * per_depth);
            let (k, next, t, dt) = self.locate_rays(libm::atan2(way[1], way[0]));
            let ((a, da), (b, db)) = (self.rays[k].1.sample(x), self.rays[next].1.sample(x));
            let (there, dthere) = (a + t * (b - a), da + t * (db - da));
            if rho > 0.0 {
                let out = scaled(way, 1.0 / rho);
                by_direction = add(
                    scaled(out, dshare * per_depth * (there - rise)),
                    scaled([-out[1], out[0]], share * dt * (b - a) / rho),
                );
            }
            rise += share * (there - rise);
            steep += share * (dthere - steep);
        }
        let height = self.height + self.depth * rise;
        if !G {
            return GroundSample { height, weight, ..GroundSample::default() };
        }
        let dx = scaled(away, per_depth);
        let slope = [0, 1].map(|k| self.depth * (steep * dx[k] + by_direction[k]));
        GroundSample { height, weight, slope, weight_gradient: scaled(dx, turn) }
    }

    fn bounds_outline(&self, outline: &ClosedOutline, capsule: &Capsule) -> GroundBounds {
        let per_depth = 1.0 / outline.depth();
        let (distance, _) = outline.distance(sub(capsule.middle(), self.centre));
        let near = Interval::centred(1.0 + distance * per_depth, capsule.radius() * per_depth).widened_for_rounding();
        let x = Interval::new(higher(near.low, 0.0), higher(near.high, 0.0));
        let (weight, turn) = self.falloff.bounds(x);
        if weight.high <= 0.0 {
            return GroundBounds::NOTHING;
        }
        let lines: Vec<(Interval, f64)> = self.rays.iter().map(|ray| ray.1.bounds(x)).collect();
        let (rise, steep) = lines
            .iter()
            .fold((Interval::EMPTY, 0.0), |(rise, steep), line| (rise.union(line.0), higher(steep, line.1)));
        let n = self.rays.len();
        let mut by_direction = 0.0;
        for k in 0..if n > 1 { n } else { 0 } {
            let next = (k + 1) % n;
            let ahead = self.rays[next].0 - self.rays[k].0;
            let wide = if ahead > 0.0 { ahead } else { ahead + TAU };
            // smooth(t)/t is at most 9/8; the derivative of smooth(t) is at most 3/2
            by_direction = higher(by_direction, 1.5 / wide * lines[k].0.spread(&lines[next].0) * 1.125);
        }
        if n > 1 {
            by_direction += 1.5 * (rise.high - rise.low);
        }
        let slope = self.depth.abs() * (steep + by_direction) * per_depth * (1.0 + 1e-9);
        let height = rise.times(self.depth).plus(Interval::one(self.height)).widened_for_rounding();
        GroundBounds::lipschitz(height, weight, slope, turn * per_depth * (1.0 + 1e-9))
    }

    /// Whether the sector from ray `k` to the next overlaps a range of angles, which may extend beyond ±π.
    fn sector_meets(&self, k: usize, angles: Interval) -> bool {
        let from = self.rays[k].0;
        let to = if k + 1 < self.rays.len() { self.rays[k + 1].0 } else { self.rays[0].0 + TAU };
        [-TAU, 0.0, TAU].iter().any(|turn| from + turn <= angles.high && angles.low <= to + turn)
    }
}

impl Primitive for PreparedContour {
    fn area(&self) -> Area {
        if let Some(outline) = &self.outline {
            let area = outline.area().grown(higher(self.falloff.radius - 1.0, 0.0) * outline.depth());
            return Area { low: add(area.low, self.centre), high: add(area.high, self.centre) };
        }
        // the radius is a monotone cubic, which never exceeds the largest radius of its points
        Area::centred(self.centre, self.farthest * self.falloff.radius)
    }

    #[inline]
    fn sample<const G: bool>(&self, p: Point, _: &Detail) -> GroundSample {
        let way = sub(p, self.centre);
        if let Some(outline) = &self.outline {
            return self.sample_outline::<G>(outline, way);
        }
        let rho = length(way);
        if rho >= self.farthest * self.falloff.radius {
            return GroundSample::default();
        }
        let angle = libm::atan2(way[1], way[0]);
        let (radius, dradius) = self.radius.sample(angle);
        let x = rho / radius;
        let (weight, turn) = self.falloff.sample(x);
        if weight <= 0.0 {
            return GroundSample::default();
        }
        let (k, next, t, dt) = self.locate_rays(angle);
        let (mut rise, mut steep) = self.rays[k].1.sample(x);
        let mut swing = 0.0;
        if t > 0.0 {
            let (other, dother) = self.rays[next].1.sample(x);
            swing = dt * (other - rise);
            rise += t * (other - rise);
            steep += t * (dother - steep);
        }
        let height = self.height + self.depth * rise;
        if !G || rho == 0.0 {
            return GroundSample { height, weight, ..GroundSample::default() };
        }
        let out = scaled(way, 1.0 / rho);
        let around = [-out[1], out[0]];
        let dx = add(scaled(out, 1.0 / radius), scaled(around, -dradius / (radius * radius)));
        let slope = [0, 1].map(|k| self.depth * (steep * dx[k] + swing / rho * around[k]));
        GroundSample { height, weight, slope, weight_gradient: scaled(dx, turn) }
    }

    fn bounds(&self, capsule: &Capsule, _: &Detail) -> GroundBounds {
        if let Some(outline) = &self.outline {
            return self.bounds_outline(outline, capsule);
        }
        let rho = capsule.distances(self.centre);
        if rho.low >= self.farthest * self.falloff.radius {
            return GroundBounds::NOTHING;
        }
        let (way, r) = (sub(capsule.middle(), self.centre), capsule.radius());
        let far = length(way);
        // the angle uses the inequality asin t ≤ π/2 t
        let angles = if r < far {
            Interval::centred(libm::atan2(way[1], way[0]), FRAC_PI_2 * r / far).widened_for_rounding()
        } else {
            Interval::new(-PI, PI)
        };
        let angles = if angles.high - angles.low >= TAU { Interval::new(-PI, PI) } else { angles };
        let (radius, dradius) = self.radius.bounds(angles);
        let x = Interval::new(rho.low / radius.high, rho.high / radius.low).widened_for_rounding();
        let x = Interval::new(higher(x.low, 0.0), x.high);
        let (weight, turn) = self.falloff.bounds(x);
        if weight.high <= 0.0 {
            return GroundBounds::NOTHING;
        }
        let (mut rise, mut steep, mut swing) = (Interval::EMPTY, 0.0f64, 0.0f64);
        let n = self.rays.len();
        let lines: Vec<(Interval, f64)> = self.rays.iter().map(|ray| ray.1.bounds(x)).collect();
        for k in 0..n {
            let next = (k + 1) % n;
            if n > 1 && !self.sector_meets(k, angles) {
                continue;
            }
            for line in [&lines[k], &lines[next]] {
                (rise, steep) = (rise.union(line.0), higher(steep, line.1));
            }
            if n > 1 {
                let ahead = self.rays[next].0 - self.rays[k].0;
                let wide = if ahead > 0.0 { ahead } else { ahead + TAU };
                // both profiles have the same value at the centre, so their slopes limit the difference between their
                // heights
                let by_spread = if rho.low > 0.0 { lines[k].0.spread(&lines[next].0) / rho.low } else { f64::INFINITY };
                let steepest = |ray: usize| self.rays[ray].1.bounds(Interval::new(0.0, x.high)).1;
                let by_slope = (steepest(k) + steepest(next)) / radius.low;
                swing = higher(swing, 1.5 / wide * lower(by_spread, by_slope));
            }
        }
        let bend = dradius / radius.low;
        let dx = (1.0 + bend * bend).sqrt() / radius.low;
        let depth = self.depth.abs();
        let slope = depth * (steep * dx + swing) * (1.0 + 1e-9);
        let height = rise.times(self.depth).plus(Interval::one(self.height)).widened_for_rounding();
        GroundBounds::lipschitz(height, weight, slope, turn * dx * (1.0 + 1e-9))
    }

    /// Writes these words:
    /// - centre (2), height, depth;
    /// - distances up to which the weight is 1 and from which the weight is 0, as multiples of the radius;
    /// - greatest radius;
    /// - radius of the largest circle inside an outline whose points form a line in their given order; 0 for other
    ///   contours;
    /// - a list of the corners of this outline relative to the centre (2);
    /// - line of the radius by angle, whose points extend by one turn before -π and after π;
    /// - a list of rays in ascending order from -π: angle, line of the rise by distance / radius.
    fn encode(&self, out: &mut Words, _: &mut ImageSamples) {
        out.reals([self.centre[0], self.centre[1], self.height, self.depth, self.falloff.core, self.falloff.radius]);
        out.reals([self.farthest, self.outline.as_ref().map_or(0.0, ClosedOutline::depth)]);
        let corners = self.outline.as_ref().map_or(&[] as &[Point], |outline| outline.corners());
        out.list(corners, |out, corner| out.reals(*corner));
        out.line(&self.radius);
        out.list(&self.rays, |out, (angle, line)| {
            out.reals([*angle]);
            out.line(line);
        });
    }
}
