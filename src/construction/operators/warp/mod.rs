//! The warp operator: pieces are displaced by noise, twisted about a centre, displaced by an image, or dragged along a
//! curve.
//!
//! Formula: f = f_A ∘ ω⁻¹, α = α_A ∘ ω⁻¹, where A is the blend of the pieces and ω the warp.
//! - Noise: ω⁻¹(p) = p + strength · (η₁, η₂)(p / size) with two noises η. The strength is capped at 0.24 size,
//!   just below size/(√2 λ_η), so that the map cannot fold. Here λ_η bounds |∇η|.
//! - Twist: ω⁻¹(p) = c + R(angle · g(d)) (p - c) with a rotation R, the centre c, d = |p - c| and Wyvill's falloff g. A
//!   twist is always one-to-one.
//! - Image: ω⁻¹(p) = p - strength · e · φ(p) with a direction e and φ = g(d) (2 I(p) - 1). I is the
//!   [spline](crate::primitives::image_sampler) through the samples of an image, which fills the square of half side r
//!   around c. The core of g is half the radius.
//! - Curve: ω⁻¹(p) = p - strength · Σ tₖ g(|p - cₖ|/r) h/(32/35 r). This is the mean of the curve's directions tₖ at
//!   points cₖ near p, weighted by Wyvill's g. The points are h ≤ r/4 apart, where r is the radius. On a straight line,
//!   the mean is the direction of the line.
//!
//! For an image and a curve, the strength is capped so that the slope of the displacement is at most 0.9. The map then
//! cannot fold.
//! Gradient: ∇f = ∇f_A J with the Jacobian of ω⁻¹.
//! Lipschitz: λ_A times the greatest factor by which J stretches a vector, where λ_A bounds |∇f_A|.
//! Source: Génevaux et al. 2014, §5.4 and fig. 14.

use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::path::{CurveFit, Path};
use crate::geometry::plane::{Affine, Area, Capsule, Interval, Point, add, higher, length, lower, scaled, sub};
use crate::gpu_buffer::{Encoder, op};
use crate::materials::shares::MaterialFractions;
use crate::piece::{CopyGroup, PieceForm, piece_form, piece_points};
use crate::primitives::curve::CurvePoint;
use crate::primitives::falloff::{Falloff, row_of_weights};
use crate::primitives::image_sampler::ImageSampler;
use crate::primitives::noise::{ReliefNoise, STEEPEST};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};
use talweg_ground::param::ImageFile;

talweg_ground::choices! {
    /// Kind of warp: noise, a twist, an image or a curve.
    Bend {
        Noise "Noise": "Displaced by noise: straight lines wander, repeated features vary.",
        Twist "Twist": "Rotated about a centre; the rotation decreases with the distance from the centre.",
        Picture "By an image": "Displaced in one direction where an image is bright, and in the opposite direction where the image is dark.",
        Curve "Along a curve": "Dragged along a curve, from its first point towards its last.",
    }
}

talweg_ground::params! {
    /// Bends features sideways, so that they look less regular.
    WarpSettings "Warp" in "Operator", from "Génevaux et al. 2014, fig. 14", also "deform distort twist swirl noise bend drag push image" {
        /// Kind of warp: noise, a twist, an image or a curve.
        bend: Bend = Bend::Noise;
        /// Maximum displacement by noise, an image or a curve. The displacement is capped so that the ground does not
        /// fold: at 0.24 of the size for noise, at about a third of the radius for a curve.
        strength: f32 ["m"] = 120.0, 0.0..=1.0e6, slider 0.0..=1000.0;
        /// Wavelength of the noise: the distance over which the displacement changes.
        size: f32 ["m"] = 900.0, 0.1..=1.0e6, slider 20.0..=4000.0;
        /// Rotation of the ground at the centre of a twist, clockwise.
        turn_angle: f32 ["°"] = 90.0, -720.0..=720.0, slider -180.0..=180.0;
        /// Distance of the centre of the twist or the image from the west edge.
        x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance of the centre of the twist or the image from the north edge.
        y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance from the centre or the curve at which the warp ends.
        radius: f32 ["m"] = 2000.0, 0.1..=1.0e6, slider 50.0..=8000.0;
        /// Seed of the noise: another seed gives another random displacement.
        seed: u32 = 1, 0..=1_000_000, slider 0..=100;
        /// Image that displaces the ground: a file or a built-in stamp; mid-grey does not displace.
        picture: ImageFile = ImageFile("stamp:dune".into()) => |warp| warp.bend == Bend::Picture;
        /// Direction in which bright parts of the image displace the ground: 0 is east, 90 is south.
        direction_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0 => |warp| warp.bend == Bend::Picture;
        /// Shape of the curve between its points.
        run: CurveFit = CurveFit::Through => |warp| warp.bend == Bend::Curve;
    }
}

/// Maximum displacement by noise, as a fraction of the size.
pub const FARTHEST: f64 = 0.24;

/// Maximum slope of the displacement by an image or a curve, in metres per metre.
const STEEPEST_PUSH: f64 = 0.9;
/// Maximum number of points on the curve of a warp. `PLACES_PER_RADIUS` is the number of these points per length of one
/// radius along the curve.
const MOST_PLACES: usize = 512;
const PLACES_PER_RADIUS: f64 = 4.0;
/// Integral of the falloff g along a line through its centre, as a multiple of the radius.
const MEAN_FALLOFF: f64 = 32.0 / 35.0;

/// A warp by an image.
#[derive(Clone)]
pub struct PicturePush {
    /// Centre of the image, in metres.
    pub centre: Point,
    /// Falloff with the distance from the centre; its radius is half the side of the image.
    pub falloff: Falloff,
    /// Displacement in metres where φ is 1: the strength multiplied by the direction.
    pub push: Point,
    /// Upper bound of the factor by which the warp stretches lengths.
    pub stretching: f64,
    /// The image, prepared for sampling.
    pub picture: ImageSampler,
}

/// The debug text omits the samples of the image. The node's key is the hash of this text, for which the hash of the
/// raster suffices.
impl std::fmt::Debug for PicturePush {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { centre, falloff, push, .. } = self;
        f.debug_tuple("PicturePush")
            .field(centre)
            .field(falloff)
            .field(push)
            .field(&self.picture.raster().hash)
            .finish()
    }
}

impl PicturePush {
    fn new(settings: &WarpSettings, picture: ImageSampler) -> Self {
        let radius = f64::from(settings.radius);
        let falloff = Falloff { core: 0.5 * radius, radius };
        let (_, steps) = picture.bounds(Interval::new(0.0, 1.0), Interval::new(0.0, 1.0));
        let steepest = falloff.bounds(Interval::new(0.0, radius)).1 + length(steps) / radius;
        let strength = lower(f64::from(settings.strength), STEEPEST_PUSH / steepest);
        let angle = f64::from(settings.direction_angle) * (std::f64::consts::PI / 180.0);
        let (sin, cos) =
            if settings.direction_angle == 0.0 { (0.0, 1.0) } else { (libm::sin(angle), libm::cos(angle)) };
        Self {
            centre: [f64::from(settings.x), f64::from(settings.y)],
            falloff,
            push: [strength * cos, strength * sin],
            stretching: 1.0 + strength * steepest,
            picture,
        }
    }

    /// The displacement factor φ at `p` (see the module docs), and the gradient of φ.
    fn sample(&self, p: Point) -> (f64, Point) {
        let offset = sub(p, self.centre);
        let d = length(offset);
        let (g, dg) = self.falloff.sample(d);
        if g <= 0.0 {
            return (0.0, [0.0; 2]);
        }
        let per_side = 0.5 / self.falloff.radius;
        let (value, dvalue) = self.picture.sample(0.5 + offset[0] * per_side, 0.5 + offset[1] * per_side);
        let value = 2.0 * value - 1.0;
        let turn = if d > 0.0 { dg / d * value } else { 0.0 };
        (g * value, [0, 1].map(|k| turn * offset[k] + g * 2.0 * dvalue[k] * per_side))
    }

    /// Bound of the gradient of the displacement factor φ over a capsule.
    fn slope(&self, capsule: &Capsule) -> f64 {
        let (g, dg) = self.falloff.bounds(capsule.distances(self.centre));
        if g.high <= 0.0 {
            return 0.0;
        }
        let (area, per_side) = (capsule.area_of(), 0.5 / self.falloff.radius);
        let span = |k: usize| {
            let at = |x: f64| 0.5 + (x - self.centre[k]) * per_side;
            Interval::new(at(area.low[k]), at(area.high[k])).widened_for_rounding()
        };
        let (range, steps) = self.picture.bounds(span(0), span(1));
        let value = higher((2.0 * range.high - 1.0).abs(), (2.0 * range.low - 1.0).abs());
        dg * value + g.high * length(steps) / self.falloff.radius
    }
}

/// A warp along a curve.
#[derive(Clone, Debug)]
pub struct CurveDrag {
    /// Points on the curve, each with its drag: x, y, drag to the east, drag to the south, in metres.
    pub places: Vec<[f64; 4]>,
    /// Falloff of the drag with the distance from each point.
    pub falloff: Falloff,
    /// Upper bound of the factor by which the warp stretches lengths.
    pub stretching: f64,
    /// Upper bound of the displacement, in metres.
    reach: f64,
    /// Area outside which the displacement is 0.
    area: Area,
}

impl CurveDrag {
    fn new(settings: &WarpSettings, points: &[CurvePoint]) -> Self {
        let radius = f64::from(settings.radius);
        let falloff = Falloff { core: 0.0, radius };
        let line: Vec<Point> = points.iter().map(|p| [f64::from(p.at.0), f64::from(p.at.1)]).collect();
        let mut drag = Self { places: Vec::new(), falloff, stretching: 1.0, reach: 0.0, area: Area::EMPTY };
        if line.len() < 2 {
            return drag;
        }
        let path = Path::new(&line, settings.run, 0.0, radius);
        let long = path.stations.last().copied().unwrap_or(0.0);
        let count = (libm::ceil(PLACES_PER_RADIUS * long / radius) as usize).clamp(4, MOST_PLACES);
        let step = long / count as f64;
        let share = step / (MEAN_FALLOFF * radius);
        drag.places = (0..count)
            .map(|k| {
                let (at, along) = path.point_at((k as f64 + 0.5) * step);
                [at[0], at[1], along[0] * share, along[1] * share]
            })
            .collect();
        // the discs cover all displaced ground: their centres are on a grid around each point, a quarter of the radius
        // apart
        let (mut farthest, mut steepest) = (0.0, 0.0);
        let cell = 0.25 * radius;
        for place in &drag.places {
            for k in 0..81 {
                let by = [f64::from(k % 9 - 4) * cell, f64::from(k / 9 - 4) * cell];
                let disc = Capsule::disc(add([place[0], place[1]], by), 0.75 * cell);
                let (way, slope) = drag.bounds(&disc);
                (farthest, steepest) = (higher(farthest, way), higher(steepest, slope));
            }
        }
        let strength = lower(f64::from(settings.strength), STEEPEST_PUSH / higher(steepest, 1e-12));
        drag.places.iter_mut().for_each(|place| (place[2], place[3]) = (place[2] * strength, place[3] * strength));
        drag.area = Area::enclosing(drag.places.iter().map(|place| [place[0], place[1]])).grown(radius);
        (drag.reach, drag.stretching) = (farthest * strength, 1.0 + steepest * strength);
        drag
    }

    /// Bounds of the displacement over a capsule, and of the slope of the displacement.
    fn bounds(&self, capsule: &Capsule) -> (f64, f64) {
        let near = capsule.area_of().grown(self.falloff.radius);
        self.places.iter().filter(|place| near.contains([place[0], place[1]])).fold(
            (0.0, 0.0),
            |(way, slope), place| {
                let (g, dg) = self.falloff.bounds(capsule.distances([place[0], place[1]]));
                let long = length([place[2], place[3]]);
                (way + long * g.high, slope + long * dg)
            },
        )
    }

    /// The drag at `p`, and the derivatives of the drag by x and y, row by row.
    fn sample<const G: bool>(&self, p: Point) -> (Point, [Point; 2]) {
        let (mut way, mut rows) = ([0.0; 2], [[0.0; 2]; 2]);
        if !self.area.contains(p) {
            return (way, rows);
        }
        for place in &self.places {
            let offset = [p[0] - place[0], p[1] - place[1]];
            let square = offset[0] * offset[0] + offset[1] * offset[1];
            if square >= self.falloff.radius * self.falloff.radius {
                continue;
            }
            let d = square.sqrt();
            let (g, dg) = self.falloff.sample(d);
            let turn = if d > 0.0 { dg / d } else { 0.0 };
            for k in 0..2 {
                way[k] += place[2 + k] * g;
                if G {
                    rows[k] = [0, 1].map(|axis| rows[k][axis] + place[2 + k] * turn * offset[axis]);
                }
            }
        }
        (way, rows)
    }
}

/// A warp prepared for evaluation: the inverse map ω⁻¹.
#[derive(Clone, Debug)]
pub enum PreparedWarp {
    /// Displaces points by noise.
    Noise {
        /// Approximate maximum displacement, in metres.
        strength: f64,
        /// Noise waves per metre.
        per_size: f64,
        /// Noise of the displacement to the east and of the displacement to the south.
        noises: [ReliefNoise; 2],
    },
    /// Rotates points around a centre, less with growing distance.
    Twist {
        /// Centre of the rotation.
        centre: Point,
        /// Angle at the centre, in radians.
        angle: f64,
        /// Falloff of the angle with the distance.
        falloff: Falloff,
    },
    /// Displaces points by an image.
    Picture(Box<PicturePush>),
    /// Drags points along a curve.
    Curve(Box<CurveDrag>),
}

impl CopyGroup<WarpSettings> {
    /// Prepares the warp, with random values from `seed`. An unreadable image displaces nothing.
    pub fn prepare(&self, seed: u32) -> PreparedWarp {
        let settings = &self.settings;
        let still = || PreparedWarp::Curve(Box::new(CurveDrag::new(settings, &[])));
        match settings.bend {
            Bend::Picture => match talweg_ground::io::raster(&settings.picture.0) {
                Ok(raster) => PreparedWarp::Picture(Box::new(PicturePush::new(settings, ImageSampler::new(raster)))),
                Err(_) => still(),
            },
            Bend::Curve => PreparedWarp::Curve(Box::new(CurveDrag::new(settings, &self.points))),
            Bend::Noise | Bend::Twist => settings.prepare(seed),
        }
    }
}

impl WarpSettings {
    /// Prepares noise or a twist.
    fn prepare(&self, seed: u32) -> PreparedWarp {
        match self.bend {
            Bend::Noise => {
                let size = f64::from(self.size);
                let seed = seed ^ self.seed.wrapping_mul(0x85eb_ca77);
                PreparedWarp::Noise {
                    strength: lower(f64::from(self.strength), FARTHEST * size),
                    per_size: 1.0 / size,
                    noises: [
                        ReliefNoise::new(seed.wrapping_add(0x1234_5678)),
                        ReliefNoise::new(seed.wrapping_add(0x8765_4321)),
                    ],
                }
            }
            _ => PreparedWarp::Twist {
                centre: [f64::from(self.x), f64::from(self.y)],
                angle: f64::from(self.turn_angle) * (std::f64::consts::PI / 180.0),
                falloff: Falloff { core: 0.0, radius: f64::from(self.radius) },
            },
        }
    }
}

impl PreparedWarp {
    /// The point ω⁻¹(p), and the Jacobian of ω⁻¹ as the matrix of an affine map.
    #[inline]
    pub fn displace<const G: bool>(&self, p: Point) -> (Point, Affine) {
        match self {
            Self::Noise { strength, per_size, noises } => {
                let q = scaled(p, *per_size);
                let (x, dx) = noises[0].sample::<G>(q);
                let (y, dy) = noises[1].sample::<G>([q[0] + 0.5, q[1] + 0.5]);
                let k = strength * per_size;
                let rows = [[1.0 + k * dx[0], k * dx[1]], [k * dy[0], 1.0 + k * dy[1]]];
                (add(p, [strength * x, strength * y]), Affine { rows, offset: [0.0; 2] })
            }
            Self::Twist { centre, angle, falloff } => {
                let offset = sub(p, *centre);
                let d = length(offset);
                let (g, dg) = falloff.sample(d);
                if g <= 0.0 {
                    return (p, Affine::IDENTITY);
                }
                let (sin, cos) = (libm::sin(angle * g), libm::cos(angle * g));
                let turned = [cos * offset[0] - sin * offset[1], sin * offset[0] + cos * offset[1]];
                let side = [-turned[1], turned[0]];
                let k = if d > 0.0 { angle * dg / d } else { 0.0 };
                let rows = [
                    [cos + side[0] * k * offset[0], -sin + side[0] * k * offset[1]],
                    [sin + side[1] * k * offset[0], cos + side[1] * k * offset[1]],
                ];
                (add(*centre, turned), Affine { rows, offset: [0.0; 2] })
            }
            Self::Picture(push) => {
                let (far, slope) = push.sample(p);
                let [x, y] = push.push;
                let rows = [[1.0 - x * slope[0], -x * slope[1]], [-y * slope[0], 1.0 - y * slope[1]]];
                (sub(p, scaled(push.push, far)), Affine { rows, offset: [0.0; 2] })
            }
            Self::Curve(drag) => {
                let (way, [x, y]) = drag.sample::<G>(p);
                let rows = [[1.0 - x[0], -x[1]], [-y[0], 1.0 - y[1]]];
                (sub(p, way), Affine { rows, offset: [0.0; 2] })
            }
        }
    }

    /// Maps a row of points by ω⁻¹, in place. The results equal those of [`displace`](Self::displace) bit for bit.
    pub fn displace_row(&self, xs: &mut [f64], ys: &mut [f64]) {
        let n = xs.len();
        let (mut east, mut south) = ([0.0; LANES], [0.0; LANES]);
        match self {
            Self::Noise { strength, per_size, noises } => {
                let rows = [[*per_size, 0.0], [0.0, *per_size]];
                noises[0].row(&Affine { rows, offset: [0.0; 2] }, xs, ys, &mut east[..n]);
                noises[1].row(&Affine { rows, offset: [0.5; 2] }, xs, ys, &mut south[..n]);
                xs.iter_mut().zip(&east).for_each(|(x, by)| *x += strength * by);
                ys.iter_mut().zip(&south).for_each(|(y, by)| *y += strength * by);
            }
            Self::Twist { centre, angle, falloff } => {
                let mut shares = [0.0; LANES];
                let ways = (&mut east[..n], &mut south[..n]);
                row_of_weights(falloff, *centre, PointRow { xs, ys }, ways, &mut shares[..n]);
                for k in (0..n).filter(|&k| shares[k] > 0.0) {
                    let (sin, cos) = (libm::sin(angle * shares[k]), libm::cos(angle * shares[k]));
                    let turned = [cos * east[k] - sin * south[k], sin * east[k] + cos * south[k]];
                    [xs[k], ys[k]] = add(*centre, turned);
                }
            }
            Self::Picture(_) | Self::Curve(_) => {
                for (x, y) in xs.iter_mut().zip(ys) {
                    [*x, *y] = self.displace::<false>([*x, *y]).0;
                }
            }
        }
    }

    /// A capsule that contains the image of `capsule` under ω⁻¹, and the greatest factor by which ω⁻¹ stretches lengths
    /// in `capsule`.
    pub fn displaced(&self, capsule: &Capsule) -> (Capsule, f64) {
        let r = capsule.radius();
        let stretching = match self {
            Self::Noise { strength, per_size, noises } => {
                let waves = |by: f64| Capsule::disc(add(scaled(capsule.middle(), *per_size), [by, by]), r * per_size);
                let (x, y) = (noises[0].bounds(&waves(0.0)).1, noises[1].bounds(&waves(0.5)).1);
                1.0 + strength * per_size * (x * x + y * y).sqrt()
            }
            Self::Twist { centre, angle, falloff } => {
                let d = capsule.distances(*centre);
                let slope = falloff.bounds(d).1;
                // a twist is locally a shear; the spectral norm of a shear by k is k/2 + √(1 + k²/4)
                let k = angle.abs() * slope * lower(d.high, falloff.radius);
                0.5 * k + (1.0 + 0.25 * k * k).sqrt()
            }
            Self::Picture(push) => 1.0 + length(push.push) * push.slope(capsule),
            Self::Curve(drag) => 1.0 + drag.bounds(capsule).1,
        };
        (
            Capsule::disc(self.displace::<false>(capsule.middle()).0, r * stretching * (1.0 + 1e-9)),
            stretching * (1.0 + 1e-9),
        )
    }

    /// An area that contains the images of `area` under both the warp ω and its inverse.
    pub fn cover(&self, area: Area) -> Area {
        match self {
            Self::Noise { strength, .. } => area.grown(*strength),
            Self::Twist { centre, falloff, .. } => {
                if area.is_empty() || area.distance(*centre) >= falloff.radius {
                    return area;
                }
                let farthest = area.corners().into_iter().fold(0.0, |far, p| higher(far, length(sub(p, *centre))));
                area.union(Area::centred(*centre, lower(farthest, falloff.radius)))
            }
            Self::Picture(push) => {
                let is_near = area.distance(push.centre) < push.falloff.radius + length(push.push);
                if is_near { area.grown(length(push.push)) } else { area }
            }
            Self::Curve(drag) => {
                if area.grown(drag.reach).meets(&drag.area) {
                    area.grown(drag.reach)
                } else {
                    area
                }
            }
        }
    }
}

impl PieceForm for CopyGroup<WarpSettings> {
    piece_form!("warp", settings, children);
    piece_points!();

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        if let Some(file) = self.image_file()
            && let Err(error) = talweg_ground::io::raster(&file.0)
        {
            builder.problem(site, error);
        }
        if self.settings.bend == Bend::Curve && self.points.len() < 2 {
            builder.problem(site, "a warp along a curve needs at least two points");
        }
        let inner = site.frame.without_map();
        let children = builder.children(site, inner, inner);
        let operator = || Operator::Warp(WarpNode { warp: self.prepare(site.frame.seed), frame: site.frame });
        (!children.is_empty()).then(|| builder.node(operator(), children))
    }

    fn image_file(&self) -> Option<&ImageFile> {
        (self.settings.bend == Bend::Picture).then_some(&self.settings.picture)
    }

    fn image_files_mut(&mut self) -> Vec<&mut ImageFile> {
        vec![&mut self.settings.picture]
    }
}

/// The prepared warp operator, which warps the blend of its children.
#[derive(Debug)]
pub(crate) struct WarpNode {
    pub warp: PreparedWarp,
    pub frame: NodeFrame,
}

impl NodeOperator for WarpNode {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let (q, jacobian) = self.warp.displace::<G>(self.frame.inward.apply(p));
        let own = view.sum::<G>(q, &self.frame.detail(detail));
        if !G {
            return own;
        }
        let pull = |g: Point| self.frame.inward.pull_back(jacobian.pull_back(g));
        GroundSample { slope: pull(own.slope), weight_gradient: pull(own.weight_gradient), ..own }
    }

    fn weight(&self, view: NodeView, p: Point, detail: &Detail) -> f64 {
        let (q, _) = self.warp.displace::<false>(self.frame.inward.apply(p));
        view.sum_weight(q, &self.frame.detail(detail))
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let (inner, stretching) = self.warp.displaced(&self.frame.inward.map_capsule(capsule));
        let own = view.sum_bounds(&inner, &self.frame.detail(detail));
        let by = stretching * self.frame.stretching;
        GroundBounds {
            slope: own.slope * by,
            weight_gradient: own.weight_gradient * by,
            weighted_slope: own.weighted_slope * by,
            ..own
        }
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let (mut xs, mut ys) = self.frame.row_inward(row);
        let (xs, ys) = (&mut xs[..row.len()], &mut ys[..row.len()]);
        self.warp.displace_row(xs, ys);
        view.sum_row(PointRow { xs, ys }, &self.frame.detail(detail), out);
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        view.sum_materials(self.warp.displace::<false>(self.frame.inward.apply(p)).0, &self.frame.detail(detail))
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let frame = around.composed(&self.frame);
        let (mut seeds, mut stretching, mut push, mut picture) = ([0; 2], 0.0, [0.0; 2], [0; 3]);
        let mut places: &[[f64; 4]] = &[];
        let (bend, numbers) = match &self.warp {
            PreparedWarp::Noise { strength, per_size, noises } => {
                seeds = [noises[0].seed(), noises[1].seed()];
                (Bend::Noise, [0.0, 0.0, *strength, *per_size])
            }
            PreparedWarp::Twist { centre, angle, falloff } => {
                (Bend::Twist, [centre[0], centre[1], *angle, falloff.radius])
            }
            PreparedWarp::Picture(warp) => {
                (stretching, push, picture) = (warp.stretching, warp.push, out.image_samples.add(&warp.picture));
                (Bend::Picture, [warp.centre[0], warp.centre[1], 0.0, warp.falloff.radius])
            }
            PreparedWarp::Curve(warp) => {
                (stretching, places) = (warp.stretching, &warp.places);
                (Bend::Curve, [0.0, 0.0, 0.0, warp.falloff.radius])
            }
        };
        let start = out.open(op::WARP, node, around);
        out.code.map(&frame.inward);
        out.code.reals([frame.stretching]);
        out.code.word(bend as u32);
        out.code.reals(numbers);
        out.code.words(seeds);
        out.code.reals([stretching, push[0], push[1]]);
        out.code.words(picture);
        out.code.list(places, |out, place| out.reals(*place));
        out.grouped(node, &around.without_map());
        out.give(start);
    }

    fn searched(&self, children: &[Area]) -> Vec<Area> {
        children.to_vec()
    }

    fn inward(&self, area: Area) -> Area {
        self.warp.cover(self.frame.inward.area(&area))
    }

    fn outward(&self, area: Area) -> Area {
        self.frame.inward.inverse().area(&self.warp.cover(area))
    }

    fn is_mapped(&self) -> bool {
        true
    }
}

/// The 32-bit words for the graphics card store the kinds of warp as these numbers.
const _: () = assert!(Bend::Noise as u32 == 0 && Bend::Twist as u32 == 1 && Bend::Picture as u32 == 2);

/// The map never folds, because the combined slope of both displacements stays below 1.
const _: () = assert!(FARTHEST * STEEPEST * std::f64::consts::SQRT_2 < 1.0);

#[cfg(test)]
mod tests;
