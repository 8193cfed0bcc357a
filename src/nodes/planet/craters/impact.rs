//! The effect of a single impact on the terrain at one position.
//!
//! Law: an impact first levels the old terrain to a plane, a linear fit to that terrain. It then adds its profile to
//! the plane: h → h + w(x)·(plane - h) + z(x). x is the distance in radii and z the profile. The weight w is 1 inside
//! the crest and 0 beyond [`BURIED`] radii. Lava raises the floor of an old basin to the lava level ([`Mare`]).

use super::mare::{FloodedGround, Mare};
use super::rough::CraterNoise;
use super::shape::{CraterShape, REACH, smooth};
use super::surface::CraterSurface;

/// Distance in radii within which the full profile with its irregularities is used.
pub const NEAR: f32 = 2.5;
/// Distance in radii beyond which the ejecta blanket does not level the old terrain, but only lies on top of it.
const BURIED: f32 = 1.6;
/// Length of the rays in radii.
pub const RAY_REACH: f32 = 12.0;

/// A crater to stamp into the terrain.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    pub centre: [f32; 3],
    pub frame: [[f32; 3]; 2],
    /// Radius as a fraction of the terrain's side length.
    pub radius: f32,
    /// Square of the surface's curvature.
    pub curvature_squared: f32,
    pub shape: CraterShape,
    /// Strength from 0 to 1: below 1 if the grid barely resolves the crater.
    pub strength: f32,
    /// Irregularity of the crater from 0 to 1. `turn` selects the noise table of the crater and its rotation.
    pub irregularity: f32,
    pub turn: CraterNoise,
    /// Brightness of the rays, from 0 to 1.
    pub ray: f32,
    /// Fraction of the bowl that lava later fills.
    pub lava: f32,
    pub mare: Mare,
    /// Whether the impact is a copy of the previous impact in the list, shifted beyond an edge of the terrain.
    pub image: bool,
    /// Plane of the terrain before the impact: height, and rise per radius to the east and to the north.
    pub plane: [f32; 3],
}

/// An event in the history of the terrain: an impact, or the flooding of an impact's basin by lava.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Impact(u32),
    Flood(u32),
}

impl Impact {
    /// Creates a fresh round crater without rays.
    pub fn new(surface: &CraterSurface, centre: [f32; 3], radius: f32, shape: CraterShape) -> Self {
        Self {
            centre,
            frame: surface.frame(centre),
            radius,
            curvature_squared: surface.curvature_squared(),
            shape,
            strength: 1.0,
            irregularity: 0.0,
            turn: CraterNoise::default(),
            ray: 0.0,
            lava: 0.0,
            mare: Mare::default(),
            image: false,
            plane: [0.0; 3],
        }
    }

    pub fn with_appearance(self, strength: f32, (uneven, turn): (f32, CraterNoise), ray: f32, lava: f32) -> Self {
        Self { strength, irregularity: uneven, turn, ray, lava, ..self }
    }

    /// Returns a copy of this impact at another position on a flat terrain. `image` is true for a copy beyond an edge
    /// of the terrain.
    pub fn moved_to(self, centre: [f32; 3], image: bool) -> Self {
        Self { centre, image, ..self }
    }

    /// Distance within which the impact changes the terrain, as a fraction of the terrain's side length.
    pub fn reach(&self) -> f32 {
        self.radius * if self.ray > 0.0 { RAY_REACH } else { REACH }
    }

    /// Squared distance of `place` from the crater's centre along the surface, in crater radii.
    #[inline(always)]
    pub fn square(&self, place: [f32; 3]) -> f32 {
        let [x, y, z] = [place[0] - self.centre[0], place[1] - self.centre[1], place[2] - self.centre[2]];
        let chord = x * x + y * y + z * z;
        let b = chord * self.curvature_squared;
        let arc = chord * (1.0 + b * (1.0 / 12.0 + b * (1.0 / 90.0 + b * (1.0 / 560.0))));
        arc * (1.0 / (self.radius * self.radius))
    }

    /// Vector from the crater's centre to `place`, in crater radii to the east and to the north.
    #[inline(always)]
    fn offset(&self, place: [f32; 3]) -> [f32; 2] {
        let [x, y, z] = [place[0] - self.centre[0], place[1] - self.centre[1], place[2] - self.centre[2]];
        let inverse = 1.0 / self.radius;
        self.frame.map(|axis| (x * axis[0] + y * axis[1] + z * axis[2]) * inverse)
    }

    /// Height of a point after the impact; `h` is the height before it.
    #[inline]
    pub fn strike(&self, square: f32, place: [f32; 3], h: f32) -> f32 {
        if square >= NEAR * NEAR {
            return if square < REACH * REACH { self.strike_far(square, h) } else { h };
        }
        let mut x = square.sqrt();
        let [east, north] = self.offset(place);
        let mut ragged = 0.0;
        if self.irregularity > 0.0 {
            let direction = self.turn.direction(east, north);
            let fade = (NEAR - x) * (1.0 / (NEAR - 1.5));
            let fade = if fade < 1.0 { fade } else { 1.0 };
            ragged = self.turn.lobe(direction) * self.irregularity * fade;
            // a different part of the same noise shifts the rim
            x *= 1.0 + 0.16 * self.irregularity * fade * self.turn.lobe(direction + 387.0);
        }
        let mut height = self.shape.height_near(x, ragged);
        if self.lava > 0.0 {
            height += self.shape.depth * self.mare.unevenness(self.in_radii(place), x);
        }
        let levelled = 1.0 - smooth(1.0, BURIED, x);
        let [level, to_east, to_north] = self.plane;
        let plane = level + to_east * east + to_north * north;
        h + self.strength * (levelled * (plane - h) + height)
    }

    #[inline(always)]
    pub fn strike_far(&self, square: f32, h: f32) -> f32 {
        h + self.strength * self.shape.far(square)
    }

    /// Terrain at a point after lava floods this basin; `h` is the height before the flood.
    #[inline]
    pub fn flooded(&self, square: f32, place: [f32; 3], h: f32) -> FloodedGround {
        let level = self.plane[0] + self.shape.bottom() * (1.0 - self.lava);
        self.mare.flooded(self.in_radii(place), square.sqrt(), (level, self.shape.depth), h)
    }

    fn in_radii(&self, place: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|k| (place[k] - self.centre[k]) * (1.0 / self.radius))
    }

    /// Brightness that the rays and the fresh ejecta add at a point.
    #[inline]
    pub fn brightness(&self, square: f32, place: [f32; 3]) -> f32 {
        let x = square.sqrt();
        let [east, north] = self.offset(place);
        let direction = self.turn.direction(east, north);
        let end = 1.0 - x * (1.0 / RAY_REACH);
        let inner = 0.7 - 0.7 * smooth(0.8, 1.9, x * (1.0 - 0.5 * self.turn.lobe(direction)));
        // The ray is as wide as the range of directions in which it extends farther than the distance `x`.
        let longer = self.turn.ray(direction) - x * (1.0 / RAY_REACH);
        // Rays are patchy: along a ray the brightness follows the same noise that makes the rim irregular.
        let patchy = 0.6 + 0.7 * self.turn.lobe(x * 41.0 + direction * 0.25);
        let ray = smooth(0.0, 0.3, longer) * end * patchy.clamp(0.0, 1.0);
        let light = if inner > ray { inner } else { ray };
        self.ray * light
    }
}

impl Event {
    pub fn index(self) -> usize {
        match self {
            Self::Impact(k) | Self::Flood(k) => k as usize,
        }
    }
}
