//! The disc: round ground about a centre, level or made of noise.
//!
//! Formula: f(p) = height + ground(p - c), α(p) = falloff(|p - c|), see [`ground`](super::ground) and
//! [`falloff`](super::falloff). The noise moves when the centre moves.
//! Source: Génevaux et al. 2014, §4.1 and fig. 5.

use super::falloff::{Falloff, row_of_weights};
use super::ground::{OctaveLists, ReliefField, ReliefParams, ReliefStyle};
use super::leaf::{PreparedPrimitive, Primitive};
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::plane::{Area, Capsule, Interval, Point, length, scaled, sub};
use crate::gpu_buffer::{ImageSamples, Words};
use crate::piece::PieceForm;
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};
use talweg_ground::param::{NumberList, Params};

talweg_ground::params! {
    /// Round ground: a plain, hills, mountains or dunes.
    Disc "Disc" in "Primitive", from "Génevaux et al. 2014, fig. 5", also "circle hills mountains plain dunes patch" {
        /// Distance of the centre from the west edge.
        x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance of the centre from the north edge.
        y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance from the centre at which the disc ends. The disc forms terrain up to about half of this distance,
        /// and farther out where it overlaps other features.
        radius: f32 ["m"] = 2000.0, 0.1..=1.0e6, slider 50.0..=8000.0;
        /// Fraction of the radius within which the disc has full weight.
        core: f32 ["share"] = 0.0, 0.0..=0.95;
        /// Height of the ground above the datum.
        height: f32 ["m"] = 200.0, -1.0e5..=1.0e5, slider -500.0..=2000.0;
        /// Form of the ground within the disc: level, hills, ridged mountains or dunes.
        surface: ReliefStyle = ReliefStyle::Hills;
        /// Height of the largest hills, crests or dunes above the disc's height.
        amplitude: f32 ["m"] = 150.0, -1.0e5..=1.0e5, slider 0.0..=1500.0;
        /// Distance between the largest hills.
        size: f32 ["m"] = 900.0, 0.1..=1.0e6, slider 20.0..=4000.0;
        /// Number of hill sizes; each size is half as wide as the previous one.
        octaves: u32 = 6, 1..=16, slider 1..=10;
        /// Height of each hill size relative to the next larger one: low values are smooth, high values rugged.
        roughness: f32 = 0.45, 0.0..=0.95, slider 0.2..=0.7;
        /// Heights of the hill sizes, beginning with the largest size. They replace the height and the roughness; sizes
        /// beyond the end of the list continue with the roughness.
        octave_heights as "Size heights": NumberList<-100_000, 100_000> ["m"] = NumberList::default()
            => |disc| disc.surface.has_octaves();
        /// Distances between the hills of each size, beginning with the largest. They replace the size; sizes beyond
        /// the end of the list are half as wide as the size before.
        octave_sizes as "Size widths": NumberList<1, 1_000_000> ["m"] = NumberList::default()
            => |disc| disc.surface.has_octaves();
        /// Levels of detail, from 0 to 1, up to which each hill size is invisible, beginning with the largest size.
        /// Each number must be less than the number of the other list at the same place.
        fade_from as "Fade-in from": NumberList<0, 1> = NumberList::default() => |disc| disc.surface.has_octaves();
        /// Levels of detail from which each hill size has its full height. A size without numbers in both lists fades
        /// in after the size before, and the largest is always visible.
        fade_to as "Fade-in to": NumberList<0, 1> = NumberList::default() => |disc| disc.surface.has_octaves();
        /// Direction towards which the wind blows, for dunes: 0 is east, 90 is south.
        wind_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider 0.0..=360.0;
        /// Seed of the random values. Another seed changes the positions of the hills, but not their form.
        seed: u32 = 1, 0..=1_000_000, slider 0..=100;
    }
}

fn exact(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().copied().map(f64::from).collect()
}

/// A disc prepared for evaluation.
#[derive(Clone, Debug)]
pub struct PreparedDisc {
    centre: Point,
    height: f64,
    falloff: Falloff,
    ground: ReliefField,
    /// Whether the ground is evaluated even where the disc has no weight. This setting is only for measuring the time
    /// that skipping the evaluation saves.
    evaluates_everywhere: bool,
}

impl Disc {
    /// The intervals of the level of detail over which the first hill sizes fade in.
    pub fn fade_intervals(&self) -> impl Iterator<Item = [f64; 2]> {
        let ends = self.fade_from.0.iter().zip(&self.fade_to.0);
        ends.map(|(from, to)| [f64::from(*from), f64::from(*to)])
    }

    /// Prepares the disc for evaluation, with random values from `seed`.
    pub fn prepare(&self, seed: u32) -> PreparedDisc {
        let wind = f64::from(self.wind_angle) * (std::f64::consts::PI / 180.0);
        let form = ReliefParams {
            surface: self.surface,
            amplitude: f64::from(self.amplitude),
            size: f64::from(self.size),
            octaves: self.octaves as usize,
            roughness: f64::from(self.roughness),
            wind: [libm::cos(wind), libm::sin(wind)],
            lists: OctaveLists {
                amplitudes: exact(&self.octave_heights.0),
                wavelengths: exact(&self.octave_sizes.0),
                intervals: self.fade_intervals().collect(),
            },
        };
        let radius = f64::from(self.radius);
        PreparedDisc {
            centre: [f64::from(self.x), f64::from(self.y)],
            height: f64::from(self.height),
            falloff: Falloff { core: f64::from(self.core) * radius, radius },
            ground: ReliefField::new(form, seed ^ self.seed.wrapping_mul(0x9e37_79b1)),
            evaluates_everywhere: false,
        }
    }
}

impl PieceForm for Disc {
    fn kind(&self) -> &'static str {
        "disc"
    }

    fn params(&self) -> &dyn Params {
        self
    }

    fn params_mut(&mut self) -> &mut dyn Params {
        self
    }

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        builder.leaf(site, &[], |_, _| Some(PreparedPrimitive::Disc(self.prepare(site.frame.seed))))
    }
}

impl PreparedDisc {
    /// The same disc, but its ground is evaluated even where the disc has no weight.
    pub fn evaluated_everywhere(&self) -> Self {
        Self { evaluates_everywhere: true, ..self.clone() }
    }
}

impl Primitive for PreparedDisc {
    fn area(&self) -> Area {
        Area::centred(self.centre, self.falloff.radius)
    }

    #[inline]
    fn sample<const G: bool>(&self, p: Point, detail: &Detail) -> GroundSample {
        let offset = sub(p, self.centre);
        let distance = length(offset);
        let (weight, turn) = self.falloff.sample(distance);
        if weight <= 0.0 {
            return GroundSample::default();
        }
        let (over, slope) = self.ground.sample::<G>(offset, detail);
        let fade = if distance > 0.0 { scaled(offset, turn / distance) } else { [0.0; 2] };
        GroundSample { height: self.height + over, weight, slope, weight_gradient: fade }
    }

    fn weight(&self, p: Point, _: &Detail) -> f64 {
        self.falloff.sample(length(sub(p, self.centre))).0
    }

    fn row(&self, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let n = row.len();
        let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
        row_of_weights(&self.falloff, self.centre, row, (&mut xs[..n], &mut ys[..n]), &mut out.weight[..n]);
        let span = if self.evaluates_everywhere { Some((0, n)) } else { out.span(n) };
        let Some((from, to)) = span else { return };
        let mut over = [0.0; LANES];
        self.ground.row(&xs[from..to], &ys[from..to], detail, &mut over[from..to]);
        for (height, over) in out.height[from..to].iter_mut().zip(&over[from..to]) {
            *height = self.height + over;
        }
    }

    fn bounds(&self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let distance = capsule.distances(self.centre);
        if distance.low >= self.falloff.radius {
            return GroundBounds::NOTHING;
        }
        let (weight, fade) = self.falloff.bounds(distance);
        let from = |p: Point| sub(p, self.centre);
        let local = Capsule { from: from(capsule.from), to: from(capsule.to), pad: capsule.pad };
        let (over, slope) = self.ground.bounds(&local, detail);
        GroundBounds::lipschitz(over.plus(Interval::one(self.height)), weight, slope, fade)
    }

    /// Writes these words:
    /// - centre (2), height;
    /// - distances up to which the weight is 1 and from which the weight is 0;
    /// - ground form (0 level, 1 hills, 2 ridged, 3 dunes), number of octaves;
    /// - amplitude, wavelength in metres, roughness, wind (2);
    /// - seed;
    /// - if a list of the disc gives values of octaves, a list of all octaves: amplitude, wavelength, and the
    ///   rate and start of its [fade](crate::sample::OctaveFade); otherwise an empty list.
    ///
    /// With an empty list, octave i of n, counted from 0, has the frequency 2ⁱ/wavelength. Its amplitude is amplitude ·
    /// roughnessⁱ, and its seed is seed + 0x9e3779b9 (i + 1). The octave's lattice is rotated by i times the smaller
    /// angle of the 3-4-5 triangle. The lattice is then moved by (½ + r, ¼ - r) with r = (seed >> 8) / 2²⁴. Dunes have
    /// two octaves, with wavelengths of 2.6 and 4 times the dunes' wavelength.
    fn encode(&self, out: &mut Words, _: &mut ImageSamples) {
        let form = self.ground.form();
        out.reals([self.centre[0], self.centre[1], self.height, self.falloff.core, self.falloff.radius]);
        out.words([form.surface as u32, form.octaves as u32]);
        out.reals([form.amplitude, form.size, form.roughness, form.wind[0], form.wind[1]]);
        out.word(self.ground.seed());
        let listed: Vec<[f64; 4]> = self.ground.listed_octaves().collect();
        out.word(listed.len() as u32);
        listed.into_iter().for_each(|octave| out.reals(octave));
    }
}
