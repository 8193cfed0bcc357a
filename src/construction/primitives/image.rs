//! The image: a heightmap stretched over a convex quadrangle.
//!
//! Formula: (u, v) is p under the inverse of the bilinear map from the unit square to the corners. The elevation is f =
//! height + depth · picture(u, v), and the weight is α = m(u, v) s(u) s(1 - u) s(v) s(1 - v). Here picture is the
//! image's brightness, s the smoothstep over the border and m the brightness of the weight image. Without a weight
//! image, m = 1.
//! Gradient: by the chain rule; ∇(u, v) is the inverse of the map's Jacobian.
//! Lipschitz: over any part of the unit square, the Jacobian's determinant is smallest at a corner of this part. The
//! Jacobian's columns are also longest at corners of this part.
//! Source: Génevaux et al. 2014, §4.2 and fig. 8.

use serde::{Deserialize, Serialize};

use super::image_sampler::ImageSampler;
use super::leaf::{PreparedPrimitive, Primitive};
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, cross, higher, length, lower, scaled, smooth, sub};
use crate::gpu_buffer::{ImageSamples, Words};
use crate::piece::{PieceForm, piece_form};
use crate::sample::{Detail, GroundBounds, GroundSample};
use talweg_ground::param::ImageFile;

talweg_ground::params! {
    /// A height image stretched over four corners: real or painted mountains.
    ImageSettings "Image" in "Primitive", from "Génevaux et al. 2014, fig. 8", also "picture heightmap stamp quadrangle dem" {
        /// Height image: a file or a built-in stamp.
        picture: ImageFile = ImageFile("stamp:mountain".into());
        /// Height of black pixels above the datum.
        height: f32 ["m"] = 200.0, -1.0e5..=1.0e5, slider -500.0..=2000.0;
        /// Height difference between white and black pixels.
        depth: f32 ["m"] = 800.0, -1.0e5..=1.0e5, slider 0.0..=2000.0;
        /// Width of the border that blends into the surrounding ground, as a fraction of the image.
        border: f32 ["share"] = 0.2, 0.001..=0.5;
        /// Weight image over the same corners: white gives the height image full weight, black no weight. Without a
        /// weight image, only the border fades.
        weights: ImageFile = ImageFile(String::new());
    }
}

/// A height image stretched over four corners, which are in order around the quadrangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// Positions of the image's north-west, north-east, south-east and south-west corners.
    pub corners: [(f32, f32); 4],
    /// Parameters of the image: image files, heights and border.
    #[serde(default, skip_serializing_if = "crate::piece::is_default")]
    pub settings: ImageSettings,
}

impl Default for Image {
    fn default() -> Self {
        let corners = [(2500.0, 2500.0), (5500.0, 2500.0), (5500.0, 5500.0), (2500.0, 5500.0)];
        Self { corners, settings: ImageSettings::default() }
    }
}

impl Image {
    /// Whether the corners, in order, form a convex quadrangle of non-zero area.
    pub fn is_convex(&self) -> bool {
        let p = self.corners.map(|(x, y)| [f64::from(x), f64::from(y)]);
        let turn = |k: usize| cross(sub(p[(k + 1) % 4], p[k]), sub(p[(k + 2) % 4], p[(k + 1) % 4]));
        let turns = [0, 1, 2, 3].map(turn);
        turns.iter().all(|&t| t > 0.0) || turns.iter().all(|&t| t < 0.0)
    }

    /// The image of the weights, if there is one.
    pub(crate) fn weight_file(&self) -> Option<&ImageFile> {
        Some(&self.settings.weights).filter(|file| !file.0.is_empty())
    }

    /// Prepares the image for evaluation; `None` if the corners do not form a convex quadrangle.
    pub fn prepare(&self, picture: ImageSampler, weights: Option<ImageSampler>) -> Option<PreparedImage> {
        if !self.is_convex() {
            return None;
        }
        let [a, b, c, d] = self.corners.map(|(x, y)| [f64::from(x), f64::from(y)]);
        Some(PreparedImage {
            corner: a,
            e: sub(b, a),
            f: sub(d, a),
            g: add(sub(a, b), sub(c, d)),
            area: Area::enclosing([a, b, c, d]),
            picture,
            weights,
            height: f64::from(self.settings.height),
            depth: f64::from(self.settings.depth),
            border: f64::from(self.settings.border),
        })
    }
}

/// An image prepared for evaluation.
#[derive(Clone, Debug)]
pub struct PreparedImage {
    corner: Point,
    /// Coefficient of u in the bilinear map p = corner + e u + f v + g u v; the fields `f` and `g` are the other
    /// coefficients.
    e: Point,
    f: Point,
    g: Point,
    area: Area,
    picture: ImageSampler,
    weights: Option<ImageSampler>,
    height: f64,
    depth: f64,
    border: f64,
}

impl PieceForm for Image {
    piece_form!("image", settings);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        if self.settings.picture.0.is_empty() {
            return None;
        }
        let files: Vec<&ImageFile> = std::iter::once(&self.settings.picture).chain(self.weight_file()).collect();
        builder.leaf(site, &files, |builder, images| {
            let mut images = images.into_iter();
            let prepared = self.prepare(images.next()?, images.next());
            if prepared.is_none() {
                builder.problem(site, "the corners must form a convex quadrangle, in order around the quadrangle");
            }
            Some(PreparedPrimitive::Image(Box::new(prepared?)))
        })
    }

    fn image_file(&self) -> Option<&ImageFile> {
        Some(&self.settings.picture)
    }

    fn image_files_mut(&mut self) -> Vec<&mut ImageFile> {
        vec![&mut self.settings.picture, &mut self.settings.weights]
    }
}

impl PreparedImage {
    /// Coordinates of `p` in the unit square; `None` if `p` is outside the quadrangle.
    fn uv(&self, p: Point) -> Option<(f64, f64)> {
        let h = sub(p, self.corner);
        // the condition cross(h - f v, e + g v) = 0 is the quadratic equation a v² + b v + c = 0
        let (a, b, c) = (cross(self.g, self.f), cross(self.e, self.f) + cross(h, self.g), cross(h, self.e));
        let root = higher(b * b - 4.0 * a * c, 0.0).sqrt();
        // this form of the root avoids cancellation and stays finite if the quadrangle is a parallelogram
        let q = -0.5 * (b + if b < 0.0 { -root } else { root });
        for v in [c / q, q / a] {
            let edge = add(self.e, scaled(self.g, v));
            let rest = sub(h, scaled(self.f, v));
            let k = usize::from(edge[1].abs() > edge[0].abs());
            let u = rest[k] / edge[k];
            // NaN and ∞ fail both tests
            if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
                return Some((u, v));
            }
        }
        None
    }

    /// The gradients ∇u and ∇v at (u, v), per metre.
    fn jacobian(&self, u: f64, v: f64) -> (Point, Point) {
        let (by_u, by_v) = (add(self.e, scaled(self.g, v)), add(self.f, scaled(self.g, u)));
        let det = cross(by_u, by_v);
        ([by_v[1] / det, -by_v[0] / det], [-by_u[1] / det, by_u[0] / det])
    }

    /// The border factor s(t) s(1 - t) for one coordinate `t`, and its derivative.
    fn edge(&self, t: f64) -> (f64, f64) {
        let ((a, da), (b, db)) = (smooth(t / self.border), smooth((1.0 - t) / self.border));
        (a * b, (da * b - a * db) / self.border)
    }

    /// Maximum |∇u| and |∇v| over a part of the unit square.
    fn steepest(&self, u: Interval, v: Interval) -> (f64, f64) {
        let (mut det, mut by_u, mut by_v) = (f64::INFINITY, 0.0, 0.0);
        for (u, v) in [(u.low, v.low), (u.high, v.low), (u.low, v.high), (u.high, v.high)] {
            let (a, b) = (add(self.e, scaled(self.g, v)), add(self.f, scaled(self.g, u)));
            det = lower(det, cross(a, b).abs());
            (by_u, by_v) = (higher(by_u, length(a)), higher(by_v, length(b)));
        }
        (by_v / det, by_u / det)
    }

    /// Whether the whole capsule is inside the quadrangle.
    fn area_inside(&self, capsule: &Capsule) -> bool {
        capsule.area_of().corners().into_iter().all(|p| self.uv(p).is_some())
    }
}

impl Primitive for PreparedImage {
    fn area(&self) -> Area {
        self.area
    }

    fn sample<const G: bool>(&self, p: Point, _: &Detail) -> GroundSample {
        let Some((u, v)) = self.uv(p) else { return GroundSample::default() };
        let ((along, dalong), (across, dacross)) = (self.edge(u), self.edge(v));
        let border = along * across;
        // files may hold values below black or above white: clamp them
        let (share, dshare) = self.weights.as_ref().map_or((1.0, [0.0; 2]), |weights| {
            let (value, by) = weights.sample(u, v);
            if (0.0..=1.0).contains(&value) { (value, by) } else { (value.clamp(0.0, 1.0), [0.0; 2]) }
        });
        let weight = border * share;
        if weight <= 0.0 {
            return GroundSample::default();
        }
        let (value, by) = self.picture.sample(u, v);
        let height = self.height + self.depth * value;
        if !G {
            return GroundSample { height, weight, ..GroundSample::default() };
        }
        let (du, dv) = self.jacobian(u, v);
        let mix = |a: f64, b: f64| add(scaled(du, a), scaled(dv, b));
        let slope = mix(self.depth * by[0], self.depth * by[1]);
        let fade = mix(dalong * across * share + border * dshare[0], along * dacross * share + border * dshare[1]);
        GroundSample { height, weight, slope, weight_gradient: fade }
    }

    fn bounds(&self, capsule: &Capsule, _: &Detail) -> GroundBounds {
        if !self.area.meets(&capsule.area_of()) {
            return GroundBounds::NOTHING;
        }
        let unit = Interval::new(0.0, 1.0);
        let (du, dv) = self.steepest(unit, unit);
        let (mut u, mut v) = (unit, unit);
        let mut steep = (du, dv);
        if let Some((mu, mv)) = self.uv(capsule.middle()) {
            // the quadrangle is convex, so a segment from the capsule's centre to a point inside stays inside; its
            // length is at most the capsule's radius
            let r = capsule.radius();
            u = Interval::centred(mu, du * r).intersection(unit);
            v = Interval::centred(mv, dv * r).intersection(unit);
            steep = self.steepest(u, v);
        }
        let over = |t: Interval| {
            // the product s(t) s(1 - t) rises to the middle of the image and then falls
            let middle = lower(higher(0.5, t.low), t.high);
            let range = Interval::new(lower(self.edge(t.low).0, self.edge(t.high).0), self.edge(middle).0);
            let near = lower(t.low, 1.0 - t.high);
            let slope = if near < self.border { 1.5 / self.border } else { 0.0 };
            (range, slope)
        };
        let ((along, dalong), (across, dacross)) = (over(u), over(v));
        let (value, by) = self.picture.bounds(u, v);
        let depth = self.depth.abs();
        let slope = depth * (by[0] * steep.0 + by[1] * steep.1) * (1.0 + 1e-9);
        let (share, by_share) = match &self.weights {
            Some(weights) => {
                let (range, by) = weights.bounds(u, v);
                (Interval::new(range.low.clamp(0.0, 1.0), range.high.clamp(0.0, 1.0)), by)
            }
            None => (Interval::one(1.0), [0.0; 2]),
        };
        let border = along.high * across.high;
        let fade = ((dalong * across.high * share.high + border * by_share[0]) * steep.0
            + (along.high * dacross * share.high + border * by_share[1]) * steep.1)
            * (1.0 + 1e-9);
        // parts of the capsule outside the corners have weight 0
        let inside = self.area_inside(capsule);
        let least = if inside { along.low * across.low * share.low } else { 0.0 };
        let height = value.times(self.depth).plus(Interval::one(self.height)).widened_for_rounding();
        GroundBounds::lipschitz(height, Interval::new(least, border * share.high), slope, fade)
    }

    /// Writes these words:
    /// - north-west corner and the coefficients e, f, g of the bilinear map (2 each), height, depth;
    /// - width of the border, as a fraction of the image;
    /// - picture (3) of the heights;
    /// - picture (3) of the weights, with width and height 0 if there is no weight image.
    fn encode(&self, out: &mut Words, image_samples: &mut ImageSamples) {
        out.reals([self.corner, self.e, self.f, self.g, [self.height, self.depth]].into_iter().flatten());
        out.reals([self.border]);
        out.words(image_samples.add(&self.picture));
        out.words(self.weights.as_ref().map_or([0; 3], |weights| image_samples.add(weights)));
    }
}
