//! The ribbon: a heightmap repeated along a curve.
//!
//! Formula: f = z(s) + depth · (picture(u, v) - level). Here s is the arc length of the point along the curve, o its
//! offset and d its distance from the curve, and z(s) is the height of the curve. The image coordinate u is s / length,
//! mirrored at every repetition so that the height never jumps. The image coordinate v is ½ + ½ o / width. The weight
//! is α = falloff(d), see [`path`](crate::geometry::path) and [`curve`](super::curve).
//! Source: Génevaux et al. 2014, §4.2 and fig. 9.

use serde::{Deserialize, Serialize};

use super::curve::{Cross, CurveCentreline, CurvePoint, CurveSettings};
use super::image_sampler::ImageSampler;
use super::leaf::{PreparedPrimitive, Primitive};
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::path::CurveFit;
use crate::geometry::plane::{Area, Capsule, Interval, Point, higher, lower};
use crate::gpu_buffer::{ImageSamples, Words};
use crate::piece::{PieceForm, piece_form, piece_points};
use crate::sample::{Detail, GroundBounds, GroundSample};
use talweg_ground::param::ImageFile;

talweg_ground::params! {
    /// A height image repeated along a line and mirrored at each repetition, for detailed river beds or rugged ridges.
    RibbonSettings "Image along a curve" in "Primitive", from "Génevaux et al. 2014, fig. 9", also "picture river ridge ribbon texture line" {
        /// Height image: a file or a built-in stamp; its left-to-right direction follows the line. The built-in strips
        /// fill the whole line; the other stamps make one hill for each repetition.
        picture: ImageFile = ImageFile("stamp:ridge-strip".into());
        /// Length of the line that one repetition of the image covers.
        length: f32 ["m"] = 2000.0, 1.0..=1.0e6, slider 50.0..=8000.0;
        /// Height difference between white and black pixels.
        depth: f32 ["m"] = 300.0, -1.0e5..=1.0e5, slider -500.0..=1000.0;
        /// Brightness of the pixels that are at the height of the line, from black (0) to white (1).
        level: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Distance from the centreline to the edge of the image.
        width: f32 ["m"] = 500.0, 0.1..=1.0e5, slider 5.0..=2000.0;
        /// Width of the strip inside the image's edge over which the image blends into the surrounding ground.
        fade: f32 ["m"] = 200.0, 0.1..=1.0e5, slider 5.0..=1000.0;
        /// Shape of the line between its points.
        run: CurveFit = CurveFit::Through;
    }
}

/// An image along a line.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ribbon {
    /// Points of the line, at least two.
    pub points: Vec<CurvePoint>,
    /// Image, size, depth and line shape.
    #[serde(default, skip_serializing_if = "crate::piece::is_default")]
    pub settings: RibbonSettings,
}

/// A ribbon prepared for evaluation.
#[derive(Clone, Debug)]
pub struct PreparedRibbon {
    centreline: CurveCentreline,
    picture: ImageSampler,
    per_length: f64,
    level: f64,
}

impl Ribbon {
    /// Prepares the ribbon for evaluation.
    pub fn prepare(&self, picture: ImageSampler) -> PreparedRibbon {
        let RibbonSettings { width, fade, run, depth, .. } = self.settings;
        // the weight ends at the edge of the image
        let settings = CurveSettings {
            cross: Cross::Bank,
            width: (width - fade).max(0.05 * width),
            depth,
            fade: fade.min(0.95 * width),
            run,
            ..CurveSettings::default()
        };
        PreparedRibbon {
            centreline: CurveCentreline::new(&self.points, &settings)
                .widened(f64::from(width) / f64::from(settings.width)),
            picture,
            per_length: 1.0 / f64::from(self.settings.length),
            level: f64::from(self.settings.level),
        }
    }
}

/// A triangle wave with the values 0, 1, 0, … at the integers, and its derivative.
fn mirrored(t: f64) -> (f64, f64) {
    let t = t - 2.0 * libm::floor(0.5 * t);
    if t <= 1.0 { (t, 1.0) } else { (2.0 - t, -1.0) }
}

impl PieceForm for Ribbon {
    piece_form!("ribbon", settings);
    piece_points!();

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        if self.settings.picture.0.is_empty() {
            return None;
        }
        builder.leaf(site, &[&self.settings.picture], |_, images| {
            let picture = images.into_iter().next().filter(|_| !self.points.is_empty())?;
            Some(PreparedPrimitive::Ribbon(Box::new(self.prepare(picture))))
        })
    }

    fn image_file(&self) -> Option<&ImageFile> {
        Some(&self.settings.picture)
    }

    fn image_files_mut(&mut self) -> Vec<&mut ImageFile> {
        vec![&mut self.settings.picture]
    }
}

impl Primitive for PreparedRibbon {
    fn area(&self) -> Area {
        self.centreline.path.area
    }

    fn sample<const G: bool>(&self, p: Point, _: &Detail) -> GroundSample {
        let Some(near) = self.centreline.path.nearest_point::<G>(p) else { return GroundSample::default() };
        let (weight, fade) = self.centreline.weight(&near);
        let (z, dz) = self.centreline.height.sample(near.along);
        let (width, dwidth) = self.centreline.width.sample(near.along);
        let (depth, ddepth) = self.centreline.depth.sample(near.along);
        let (u, way) = mirrored(near.along * self.per_length);
        let x = near.offset / width;
        let (value, by) = self.picture.sample(u, 0.5 + 0.5 * x);
        let over = value - self.level;
        let height = z + depth * over;
        if !G {
            return GroundSample { height, weight, ..GroundSample::default() };
        }
        let by_x = 0.5 * depth * by[1];
        let by_s = dz + ddepth * over + depth * by[0] * way * self.per_length - by_x * x * dwidth / width;
        let slope = [0, 1].map(|k| by_s * near.dalong[k] + by_x / width * near.doffset[k]);
        GroundSample { height, weight, slope, weight_gradient: fade }
    }

    fn bounds(&self, capsule: &Capsule, _: &Detail) -> GroundBounds {
        let Some(near) = self.centreline.path.nearest_bounds(capsule) else { return GroundBounds::NOTHING };
        let (weight, fade) = self.centreline.weight_bounds(&near);
        let (z, dz) = self.centreline.height.bounds(near.along);
        let (width, dwidth) = self.centreline.width.bounds(near.along);
        let (depth, ddepth) = self.centreline.depth.bounds(near.along);
        let ends = Interval::new(near.along.low * self.per_length, near.along.high * self.per_length);
        let (a, b) = (mirrored(ends.low).0, mirrored(ends.high).0);
        let turns = libm::floor(ends.low) != libm::floor(ends.high);
        let u = if turns { Interval::new(0.0, 1.0) } else { Interval::new(lower(a, b), higher(a, b)) };
        let x = near.offset.product(Interval::new(1.0 / width.high, 1.0 / width.low));
        let (value, by) = self.picture.bounds(u, Interval::new(0.5 + 0.5 * x.low, 0.5 + 0.5 * x.high));
        let over = value.plus(Interval::one(-self.level));
        let by_x = 0.5 * depth.max_abs() * by[1];
        let by_s = dz
            + ddepth * over.max_abs()
            + depth.max_abs() * by[0] * self.per_length
            + by_x * x.max_abs() * dwidth / width.low;
        let slope = near.slope(by_s * near.dalong, by_x / width.low * near.doffset);
        GroundBounds::lipschitz(z.plus(depth.product(over)).widened_for_rounding(), weight, slope * (1.0 + 1e-9), fade)
    }

    /// Writes these words: the [centreline](CurveCentreline::encode); picture (3); number of images per metre of the
    /// line; brightness of pixels that are at the height of the line.
    fn encode(&self, out: &mut Words, image_samples: &mut ImageSamples) {
        self.centreline.encode(out);
        out.words(image_samples.add(&self.picture));
        out.reals([self.per_length, self.level]);
    }
}
