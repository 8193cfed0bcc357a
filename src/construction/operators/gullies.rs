//! Gullies on what pieces make: erosion by point, inside the tree.
//!
//! Law: f = f_A + G(p, g) with the [law of gullies](super::gully_law) G, α = α_A. The slope g is that of A's surface,
//! taken across ± half the size by central differences as in the document's §3, from A without octaves shorter than
//! that: gullies follow the form and not the stones on it. The surface is that of A alone on the level ground of the
//! tree. An octave fades with the distance between samples and with κ as those of the noises do.
//! Gradient: exact, by dual numbers through the law and the four places around. Lipschitz: λ ≤ λ_A + λ_G with |∇g| ≤
//! |(λ_E + λ_W, λ_S + λ_N)| / size, the bounds of A about the four places.
//! Source: the gully filter of the stack by point; the document leaves erosion in the tree to others (004, §9:
//! procedural methods on trees in place of grids).

use super::gully_law::{Dual, GOLDEN_ANGLE, GullyLattice, GullyLaw, GullyOctave};
use crate::geometry::plane::{Interval, Point, higher};
use crate::sample::Detail;

talweg_ground::params! {
    /// Draws branching gullies down the slopes of the features in it, at once and at any size: no water runs, so
    /// nothing is carried away or laid down.
    GullySettings "Gullies" in "Operator", from "Johansen 2026; Clay John 2018; Génevaux et al. 2014, §9", also "erosion ravines erode valleys rills branching ridges" {
        /// Width of the largest gullies, from crest to crest.
        size: f32 ["m"] = 500.0, 1.0..=1_000_000.0, slider 50.0..=4000.0;
        /// How often finer gullies are added, each half as wide.
        octaves: u32 = 4, 1..=12;
        /// Depth of the largest gullies on steep ground.
        depth: f32 ["m"] = 60.0, 0.0..=100_000.0, slider 0.0..=500.0;
        /// How deep each octave is beside the one before. Small is smooth, large is ragged.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8;
        /// How much finer gullies turn towards the larger ones. At 0 all run straight down the slope.
        branching: f32 = 0.7, 0.0..=10.0, slider 0.0..=3.0;
        /// How far gullies stay away from crests and from the bottoms of larger ones.
        crest_fade: f32 ["share"] = 0.7, 0.0..=1.0;
        /// Slope below which there are no gullies.
        slope_from: f32 ["°"] = 3.0, 0.0..=85.0, slider 0.0..=30.0;
        /// Slope from which on they have their full depth.
        slope_to: f32 ["°"] = 20.0, 0.0..=85.0, slider 5.0..=60.0;
        /// Chooses where they run.
        seed: u32 = 1, 0..=1_000_000, slider 0..=100;
    }
}

/// Half the distance over which the slope is taken, in sizes.
const BASE: f64 = 0.5;
/// Distance between the samples that would show the ground whose slope is taken, in sizes: octaves of less than half
/// a size are not in it, and the largest gullies are there in full wherever they are shown.
const SMOOTHING: f64 = 0.25;
/// Least difference of the slopes between which gullies fade in, as tangents.
const LEAST_FADE: f64 = 0.02;

/// Gullies ready to be drawn.
#[derive(Clone, Debug)]
pub struct PreparedGullies {
    /// In metres, on the plane.
    pub law: GullyLaw,
    /// Half the distance over which the slope is taken, in metres.
    pub base: f64,
    /// The ground whose slope is taken is asked as samples so far apart would show it, in metres.
    pub spacing: f64,
}

impl GullySettings {
    /// The gullies with the random values of `seed`.
    pub fn prepare(&self, seed: u32) -> PreparedGullies {
        let tangent = |degrees: f32| libm::tan(f64::from(degrees) * (std::f64::consts::PI / 180.0));
        let (size, from) = (f64::from(self.size), tangent(self.slope_from));
        let seed = seed ^ self.seed.wrapping_mul(0x85eb_ca77);
        let mut depth = f64::from(self.depth);
        let octave = |k: u32| {
            let angle = GOLDEN_ANGLE * f64::from(k + 1);
            let octave = GullyOctave {
                cell: size / f64::from(1u32 << k),
                around: None,
                depth,
                turn: [libm::cos(angle), libm::sin(angle)],
                is_solid: false,
                lattice: GullyLattice::Hash(seed.wrapping_add(0x9e37_79b9u32.wrapping_mul(k + 1))),
            };
            depth *= f64::from(self.persistence);
            octave
        };
        PreparedGullies {
            law: GullyLaw {
                octaves: (0..self.octaves).map(octave).collect(),
                branching: f64::from(self.branching),
                crest_fade: f64::from(self.crest_fade),
                fade: [from, higher(tangent(self.slope_to), from + LEAST_FADE)],
            },
            base: BASE * size,
            spacing: SMOOTHING * size,
        }
    }
}

impl PreparedGullies {
    /// Whether any are shown.
    pub fn are_shown(&self, detail: &Detail) -> bool {
        self.share(detail, 0, self.law.octaves[0].cell) > 0.0
    }

    fn share(&self, detail: &Detail, octave: usize, wavelength: f64) -> f64 {
        detail.share(octave, self.law.octaves.len(), wavelength)
    }

    /// How the ground whose slope is taken is asked.
    pub fn smooth_detail(&self, detail: &Detail) -> Detail {
        Detail { spacing: higher(detail.spacing, self.spacing), ..*detail }
    }

    /// The places around `p` whose heights make the slope: to the east, west, south and north.
    pub fn places_around(&self, [x, y]: Point) -> [Point; 4] {
        let e = self.base;
        [[x + e, y], [x - e, y], [x, y + e], [x, y - e]]
    }

    /// The slope of heights around a place, of ground whose heights are `rise` times its own.
    pub fn slope(&self, [east, west, south, north]: [f64; 4], rise: f64) -> Point {
        let per = 0.5 / self.base / rise;
        [(east - west) * per, (south - north) * per]
    }

    /// By how many metres the ground rises at `p`.
    pub fn raised(&self, p: Point, slope: Point, detail: &Detail) -> f64 {
        let share = |octave, wavelength| self.share(detail, octave, wavelength);
        self.law.sample([p[0], p[1], 0.0], [0.0, 0.0, 1.0], [slope[0], slope[1], 0.0], share).0
    }

    /// The same with its gradient, on a slope whose parts have the gradients `turns`.
    pub fn raised_with_gradient(&self, p: Point, slope: Point, turns: [Point; 2], detail: &Detail) -> Dual {
        let share = |octave, wavelength| self.share(detail, octave, wavelength);
        let constant = |value| Dual { value, gradient: [0.0; 2] };
        let place = [Dual { value: p[0], gradient: [1.0, 0.0] }, Dual { value: p[1], gradient: [0.0, 1.0] }];
        let [x, y] = [0, 1].map(|k: usize| Dual { value: slope[k], gradient: turns[k] });
        let zero = constant(0.0);
        self.law.sample([place[0], place[1], zero], [zero, zero, constant(1.0)], [x, y, zero], share).0
    }

    /// By how much the ground of a disc can rise, and a Lipschitz bound of that, with the slope in its middle and a
    /// bound of how that changes with each metre.
    pub fn bounds(&self, disc: (Point, f64), slope: Point, change: f64, detail: &Detail) -> (Interval, f64) {
        self.law.bounds(disc, slope, change, |octave, wavelength| self.share(detail, octave, wavelength))
    }
}
