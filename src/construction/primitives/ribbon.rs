//! The ribbon: a heightmap laid along a curve, again and again.
//!
//! Law: f = z(s) + depth · (picture(u, v) - level), u = s / length mirrored at every end so that it never jumps, v =
//! ½ + ½ o / width; α = falloff(d), see [`path`](crate::geometry::path) and [`curve`](super::curve).
//! Source: Génevaux et al. 2014, §4.2 and fig. 9.

use serde::{Deserialize, Serialize};

use super::curve::{Cross, CurveCentreline, CurvePoint, CurveSettings};
use super::image_sampler::ImageSampler;
use crate::geometry::path::CurveFit;
use crate::geometry::plane::{Area, Capsule, Interval, Point, higher, lower};
use crate::sample::{GroundBounds, GroundSample};
use talweg_ground::param::ImageFile;

talweg_ground::params! {
    /// A picture of heights laid along a line, mirrored each time it begins again: detailed river beds, broken ridges.
    RibbonSettings "Image along a curve" in "Primitive", from "Génevaux et al. 2014, fig. 9", also "picture river ridge ribbon texture line" {
        /// The picture: a file, or a shipped stamp. It runs from left to right along the line.
        picture: ImageFile = ImageFile("stamp:ridge".into());
        /// Length of line that the picture covers.
        length: f32 ["m"] = 2000.0, 1.0..=1.0e6, slider 50.0..=8000.0;
        /// How much higher white is than black.
        depth: f32 ["m"] = 300.0, -1.0e5..=1.0e5, slider -500.0..=1000.0;
        /// Brightness that lies at the height of the line: from black to white.
        level: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Distance from the middle line to the edge of the picture.
        width: f32 ["m"] = 500.0, 0.1..=1.0e5, slider 5.0..=2000.0;
        /// Distance over which it gives way to the ground around, before that edge.
        fade: f32 ["m"] = 200.0, 0.1..=1.0e5, slider 5.0..=1000.0;
        /// How the line runs between its points.
        run: CurveFit = CurveFit::Through;
    }
}

/// A picture along a line.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ribbon {
    /// What it runs along, two points at the least.
    pub points: Vec<CurvePoint>,
    /// Width, height and how the picture is read.
    #[serde(default, skip_serializing_if = "crate::piece::is_default")]
    pub settings: RibbonSettings,
}

/// A ribbon ready to be asked.
#[derive(Clone, Debug)]
pub struct PreparedRibbon {
    pub(crate) centreline: CurveCentreline,
    pub(crate) picture: ImageSampler,
    pub(crate) per_length: f64,
    pub(crate) level: f64,
}

impl Ribbon {
    /// The ribbon ready to be evaluated.
    pub fn prepare(&self, picture: ImageSampler) -> PreparedRibbon {
        let RibbonSettings { width, fade, run, depth, .. } = self.settings;
        // the weight ends at the picture's edge
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

/// The way there and back again: 0, 1, 0 … and its direction.
fn mirrored(t: f64) -> (f64, f64) {
    let t = t - 2.0 * libm::floor(0.5 * t);
    if t <= 1.0 { (t, 1.0) } else { (2.0 - t, -1.0) }
}

impl PreparedRibbon {
    /// Where its weight is more than 0.
    pub fn area(&self) -> Area {
        self.centreline.path.area
    }

    /// Height and weight at `p`; without G the gradients are left out.
    pub fn sample<const G: bool>(&self, p: Point) -> GroundSample {
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
        GroundSample { height, weight, slope, fade }
    }

    /// What holds for all places of `capsule`.
    pub fn bounds(&self, capsule: &Capsule) -> GroundBounds {
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
        let by_x = 0.5 * depth.reach() * by[1];
        let by_s = dz
            + ddepth * over.reach()
            + depth.reach() * by[0] * self.per_length
            + by_x * x.reach() * dwidth / width.low;
        let slope = near.slope(by_s * near.dalong, by_x / width.low * near.doffset);
        GroundBounds::plain(z.plus(depth.product(over)).loosened(), weight, slope * (1.0 + 1e-9), fade)
    }
}
