//! What happens to the ground where a crater falls: the law of one impact at one place.
//!
//! Law: an impact levels the old ground to a plane, the ground before it in the mean, and stands its profile on that:
//! h → h + w(x)·(plane - h) + z(x) with w = 1 inside the crest and 0 from [`BURIED`] radii on. Lava lifts what lies
//! inside an old basin to its level ([`Mare`]).

use super::mare::{FloodedGround, Mare};
use super::rough::CraterTurn;
use super::shape::{CraterShape, REACH, smooth};
use super::surface::CraterSurface;

/// Radii within which profiles are drawn in full, with what makes them uneven.
pub const NEAR: f32 = 2.5;
/// Radii at which the old ground is untouched but for the blanket on it.
const BURIED: f32 = 1.6;
/// Radii out to which rays go.
pub const RAY_REACH: f32 = 12.0;

/// A crater to be pressed into the ground.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    pub centre: [f32; 3],
    pub frame: [[f32; 3]; 2],
    /// In sides of the terrain.
    pub radius: f32,
    /// Square of the surface's curvature.
    pub bend: f32,
    pub shape: CraterShape,
    /// From 0 to 1: smaller where the grid can hardly show it.
    pub strength: f32,
    /// How uneven it is, from 0 to 1, and which way.
    pub uneven: f32,
    pub turn: CraterTurn,
    /// Brightness of its rays.
    pub ray: f32,
    /// Share of the bowl that lava fills, later.
    pub lava: f32,
    pub mare: Mare,
    /// Whether it is the one before once more, beyond an edge.
    pub image: bool,
    /// Height, and rise per radius to the east and north, of the ground before.
    pub plane: [f32; 3],
}

/// An impact, or the flood of its basin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Impact(u32),
    Flood(u32),
}

impl Impact {
    /// A fresh crater, round and without rays.
    pub fn new(surface: &CraterSurface, centre: [f32; 3], radius: f32, shape: CraterShape) -> Self {
        Self {
            centre,
            frame: surface.frame(centre),
            radius,
            bend: surface.bend(),
            shape,
            strength: 1.0,
            uneven: 0.0,
            turn: CraterTurn::default(),
            ray: 0.0,
            lava: 0.0,
            mare: Mare::default(),
            image: false,
            plane: [0.0; 3],
        }
    }

    pub fn with_look(self, strength: f32, (uneven, turn): (f32, CraterTurn), ray: f32, lava: f32) -> Self {
        Self { strength, uneven, turn, ray, lava, ..self }
    }

    /// The same on flat ground at another place, once more where it is an `image`.
    pub fn moved_to(self, centre: [f32; 3], image: bool) -> Self {
        Self { centre, image, ..self }
    }

    /// How far it changes anything, in sides.
    pub fn reach(&self) -> f32 {
        self.radius * if self.ray > 0.0 { RAY_REACH } else { REACH }
    }

    /// Square of the distance in radii, along the ground.
    #[inline(always)]
    pub fn square(&self, place: [f32; 3]) -> f32 {
        let [x, y, z] = [place[0] - self.centre[0], place[1] - self.centre[1], place[2] - self.centre[2]];
        let chord = x * x + y * y + z * z;
        let b = chord * self.bend;
        let arc = chord * (1.0 + b * (1.0 / 12.0 + b * (1.0 / 90.0 + b * (1.0 / 560.0))));
        arc * (1.0 / (self.radius * self.radius))
    }

    /// The way from the centre in radii, to the east and north.
    #[inline(always)]
    fn offset(&self, place: [f32; 3]) -> [f32; 2] {
        let [x, y, z] = [place[0] - self.centre[0], place[1] - self.centre[1], place[2] - self.centre[2]];
        let inverse = 1.0 / self.radius;
        self.frame.map(|axis| (x * axis[0] + y * axis[1] + z * axis[2]) * inverse)
    }

    /// Height after the impact of ground of height `h`.
    #[inline]
    pub fn strike(&self, square: f32, place: [f32; 3], h: f32) -> f32 {
        if square >= NEAR * NEAR {
            return if square < REACH * REACH { self.strike_far(square, h) } else { h };
        }
        let mut x = square.sqrt();
        let [east, north] = self.offset(place);
        let mut ragged = 0.0;
        if self.uneven > 0.0 {
            let direction = self.turn.direction(east, north);
            let fade = (NEAR - x) * (1.0 / (NEAR - 1.5));
            let fade = if fade < 1.0 { fade } else { 1.0 };
            ragged = self.turn.lobe(direction) * self.uneven * fade;
            // another stretch of the same noise shifts the rim
            x *= 1.0 + 0.16 * self.uneven * fade * self.turn.lobe(direction + 387.0);
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

    /// What its lava leaves of ground of height `h`.
    #[inline]
    pub fn flooded(&self, square: f32, place: [f32; 3], h: f32) -> FloodedGround {
        let level = self.plane[0] + self.shape.bottom() * (1.0 - self.lava);
        self.mare.flooded(self.in_radii(place), square.sqrt(), (level, self.shape.depth), h)
    }

    fn in_radii(&self, place: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|k| (place[k] - self.centre[k]) * (1.0 / self.radius))
    }

    /// Brightness of rays and fresh rubble.
    #[inline]
    pub fn brightness(&self, square: f32, place: [f32; 3]) -> f32 {
        let x = square.sqrt();
        let [east, north] = self.offset(place);
        let direction = self.turn.direction(east, north);
        let end = 1.0 - x * (1.0 / RAY_REACH);
        let inner = 0.7 - 0.7 * smooth(0.8, 1.9, x * (1.0 - 0.5 * self.turn.lobe(direction)));
        // a ray is as wide at a distance as the part of its direction that is longer than that
        let longer = self.turn.ray(direction) - x * (1.0 / RAY_REACH);
        // rays come in patches: the noise around the crater read along the ray
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
