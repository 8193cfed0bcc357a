//! Light and colour at the point that a ray hits, as in the relief image, with shadows traced towards the sun.

use super::super::relief::{CLEAR_WATER, COVER, FILM, HAZE, RIVER_TINT, SHADOW, SHORE, SKY, SKY_SHARE, SUN};
use super::TracedScene;
use crate::appearance::PaletteTable;
use crate::appearance::colours::snow_sand::{COVERS, covered_with_plants, hidden_fraction};
use crate::appearance::colours::srgb::{Light, decode, mix};
use crate::appearance::materials::piece_materials::{CoverFractions, combined_cover};
use crate::construction::geometry::plane::{Area, Point, higher};
use crate::construction::sample::{Detail, THRESHOLD};
use crate::construction::trace::{TraceRay, Tracer};
use crate::construction::{MaterialLayer, NodeSelection};
use crate::field::vector::dot;

/// Colour of the sky at the horizon. `ZENITH` is the sky's colour overhead.
const HORIZON: Light = [0.60, 0.70, 0.80];
const ZENITH: Light = [0.16, 0.31, 0.58];
/// Colour of the air. At the distance `CLEAR_SIDES`, a third of the terrain's own colour is left; the distance is a
/// multiple of the scene's side.
const AIR: Light = [0.52, 0.62, 0.74];
const CLEAR_SIDES: f64 = 12.0;
/// Maximum fraction of the terrain's colour that the air replaces.
const MOST_AIR: f32 = 0.85;
/// Colour of the soil and rock on the cut sides of the square.
const EARTH: Light = [0.16, 0.125, 0.10];
/// Distances, as fractions of the side, at which the sky visibility is tested. `SKY_WAYS` holds the directions in which
/// it is tested.
const SKY_STEPS: [f64; 3] = [0.006, 0.02, 0.06];
const SKY_WAYS: [(f64, f64); 4] = [(0.8, 0.6), (-0.6, 0.8), (-0.8, -0.6), (0.6, -0.8)];
/// Number of positions at which the sky visibility is tested.
const SKY_PLACES: usize = SKY_STEPS.len() * SKY_WAYS.len();
/// Fraction of the sunlight that reaches terrain in shadow.
pub const SHADED: f32 = 1.0 - SHADOW;

/// A point of the terrain that a ray has hit.
pub struct GroundPoint {
    /// Position in the construction's coordinates, in metres: east, south, up.
    pub place: [f64; 3],
    /// Slope to the east and to the south, in the construction's coordinates.
    pub slope: Point,
    /// Slope to the east and to the south, in the scene's coordinates.
    lean: [f32; 2],
    albedo: Light,
    /// The level of detail at which the point was evaluated.
    pub detail: Detail,
}

/// Computes light and colours in one traced scene.
pub struct Shade<'a> {
    subject: TracedScene<'a>,
    whole_selection: NodeSelection,
    per_metre: [f64; 2],
    colours: Vec<Light>,
    rock: Light,
    /// Direction to the sun: east, up, south.
    sun: [f32; 3],
    /// Direction to the sun in the construction's coordinates: east, south, up.
    to_sun: [f64; 3],
    /// Sea level in the construction's coordinates, in metres.
    sea: f64,
    is_island: bool,
}

impl<'a> Shade<'a> {
    /// Prepares the shading of `subject`. `per_metre` holds the factors that convert distances in the scene to
    /// distances in the construction, horizontally and vertically.
    pub fn new(subject: TracedScene<'a>, per_metre: [f64; 2]) -> Self {
        let sun = subject.settings.sun_direction();
        let [k, up] = per_metre;
        let way = [f64::from(sun[0]) * k, f64::from(sun[2]) * k, f64::from(sun[1]) * up];
        let long = dot(way, way).sqrt();
        let [r, g, b, _] = subject.palette.rock;
        let sea = f64::from(subject.settings.sea_level) * up;
        let side = subject.program.side;
        Self {
            whole_selection: subject.program.selection(&Area { low: [0.0; 2], high: [side; 2] }),
            colours: subject.palette.lut.iter().map(|&[r, g, b, _]| decode([r, g, b])).collect(),
            rock: decode([r, g, b]),
            sun,
            to_sun: way.map(|c| c / long),
            sea,
            is_island: subject.program.ground < sea,
            subject,
            per_metre,
        }
    }

    /// Sea level in the construction's coordinates, in metres.
    pub fn sea(&self) -> f64 {
        self.sea
    }

    /// Whether the sea continues outside the square.
    pub fn is_island(&self) -> bool {
        self.is_island
    }

    /// Whether the construction has water at `p`.
    pub fn is_wet(&self, p: Point, detail: &Detail) -> bool {
        self.subject.program.sample_in::<false>(&self.whole_selection, MaterialLayer::Water, p, detail).weight
            >= THRESHOLD
    }

    /// Whether the sea covers the terrain at `p`, as seen from a distance of `t` along the ray.
    pub fn is_below_sea(&self, tracer: &Tracer, p: Point, t: f64) -> bool {
        tracer.height(p, &tracer.detail(t)) < self.sea
    }

    fn metres(&self, height: f64) -> f32 {
        (height / self.per_metre[1]) as f32
    }

    fn colour(&self, place: f32) -> Light {
        let k = place as usize;
        let next = if k + 1 == SHORE { k } else { (k + 1).min(self.colours.len() - 1) };
        mix(self.colours[k], self.colours[next], place - k as f32)
    }

    fn lut_index(&self, height_metres: f32) -> f32 {
        PaletteTable::lut_index(self.subject.settings, height_metres)
    }

    /// Colour of the sky in a direction. Below the horizon it is the colour of distant haze.
    pub fn sky(&self, direction: [f64; 3]) -> Light {
        let up = direction[2] as f32;
        let base =
            if up >= 0.0 { mix(HORIZON, ZENITH, up.sqrt().min(1.0)) } else { mix(HORIZON, HAZE, (-up * 4.0).min(1.0)) };
        let [east, high, south] = self.sun;
        let facing = (direction[0] as f32 * east + direction[1] as f32 * south + up * high).max(0.0);
        let (glow, disc) = (facing * facing, facing * facing * facing * facing);
        let near = disc * disc * disc * disc;
        std::array::from_fn(|k| base[k] + SUN[k] * (0.05 * glow + 0.22 * near * near))
    }

    /// `light` seen through `metres` of air.
    pub fn through_air(&self, light: Light, direction: [f64; 3], metres: f64) -> Light {
        let far = metres / (CLEAR_SIDES * f64::from(self.subject.settings.size_metres));
        let share = (1.0 - libm::exp(-far) as f32).min(MOST_AIR);
        let [east, high, south] = self.sun;
        let facing = direction[0] as f32 * east + direction[1] as f32 * south + direction[2] as f32 * high;
        let air = mix(AIR, SUN, 0.18 * facing.max(0.0));
        mix(light, air, share)
    }

    /// The colour of the cut side of the square.
    pub fn cut(&self, p: [f64; 3]) -> Light {
        // The drawn rock layers on the cut side are a tenth of the relief thick.
        let layer = p[2] / self.subject.program.relief * 10.0;
        let tone = 0.9 + 0.1 * (layer - libm::floor(layer)) as f32;
        EARTH.map(|c| c * tone)
    }

    /// The terrain at `p`, before lighting. `near` must hold every piece that has weight at `p`.
    pub fn ground(&self, near: &NodeSelection, p: Point, detail: Detail) -> GroundPoint {
        let program = self.subject.program;
        let terrain = program.sample_in::<true>(near, MaterialLayer::Terrain, p, &detail);
        let (mut height, mut slope) = terrain.surface(program.ground);
        let mut depths = [0.0f32; 2];
        for (depth, material) in depths.iter_mut().zip(MaterialLayer::RAISING) {
            if program.has(material) {
                let (thick, lean) = program.sample_in::<true>(near, material, p, &detail).surface(0.0);
                if thick > 0.0 {
                    *depth = self.metres(thick);
                    height += thick;
                    slope = [slope[0] + lean[0], slope[1] + lean[1]];
                }
            }
        }
        let [k, up] = self.per_metre;
        let (gx, gy) = ((slope[0] * k / up) as f32, (slope[1] * k / up) as f32);
        let albedo = self.albedo(near, p, &detail, self.metres(height), (gx * gx + gy * gy).sqrt(), depths);
        GroundPoint { place: [p[0], p[1], height], slope, lean: [gx, gy], albedo, detail }
    }

    /// The colour of a point of the terrain; `lit` and `sky` are the fractions of sunlight and sky light that reach it.
    pub fn lit_ground(&self, ground: &GroundPoint, lit: f32, sky: f32) -> Light {
        self.light(ground.albedo, ground.lean[0], ground.lean[1], lit, sky)
    }

    /// Colour of the terrain at `p`: by height and slope, with the materials of its primitives, under sand, plants and
    /// snow.
    fn albedo(
        &self,
        near: &NodeSelection,
        p: Point,
        detail: &Detail,
        height_metres: f32,
        steep: f32,
        depths: [f32; 2],
    ) -> Light {
        let program = self.subject.program;
        let slope_degrees = libm::atanf(steep) * (180.0 / std::f32::consts::PI);
        let colour = self.colour(self.lut_index(height_metres).max(SHORE as f32));
        let ground = mix(colour, self.rock, self.subject.palette.rock_opacity(slope_degrees));
        let made = if program.has_materials() {
            let shares = program.material_fractions_in(near, p, detail);
            CoverFractions(shares.cover_fractions().map(|share| share as f32))
        } else {
            CoverFractions::default()
        };
        let plants = if program.has(MaterialLayer::Vegetation) {
            let plants = program.sample_in::<false>(near, MaterialLayer::Vegetation, p, detail);
            plants.surface(0.0).0.clamp(0.0, 1.0) as f32
        } else {
            0.0
        };
        let mut shares = made.hidden();
        for ((share, (_, _, half_metres)), depth) in shares.iter_mut().zip(COVERS).zip(depths) {
            *share = combined_cover(*share, hidden_fraction(depth / half_metres));
        }
        covered_with_plants(made.tinted(ground), plants, shares)
    }

    /// Height of the bed below the water at `p`, evaluated at the level of detail `detail`.
    pub fn bed(&self, tracer: &Tracer, p: [f64; 3], detail: &Detail) -> f64 {
        let side = self.subject.program.side;
        let is_inside = (0.0..=side).contains(&p[0]) && (0.0..=side).contains(&p[1]);
        if is_inside { tracer.height([p[0], p[1]], detail) } else { self.subject.program.ground }
    }

    /// The colour of a lake, a river or the sea at `p`, which receives a fraction of the sunlight. The bed below is
    /// visible near the shore, and the water reflects the sky.
    pub fn water(
        &self,
        p: [f64; 3],
        (bed, detail): (f64, Detail),
        direction: [f64; 3],
        is_sea: bool,
        lit: f32,
    ) -> Light {
        let settings = self.subject.settings;
        let depth_metres = self.metres(p[2] - bed).max(0.0);
        let (colour, cover) = if is_sea {
            let deep = depth_metres / (settings.size_metres * CLEAR_WATER);
            (self.lut_index(self.metres(bed)), 1.0 - 0.45 / (1.0 + 60.0 * deep))
        } else {
            let shown = settings.sea_level - depth_metres * RIVER_TINT;
            (self.lut_index(shown), ((depth_metres / settings.relief_metres - FILM) / (COVER - FILM)).clamp(0.0, 1.0))
        };
        let below = self.light(self.colour(colour.min((SHORE - 1) as f32)), 0.0, 0.0, lit, 1.0);
        let down = -direction[2] as f32;
        // Reflection after Schlick 1994, weakened by ripples, so that distant water does not become a mirror.
        let away = 1.0 - down.clamp(0.0, 1.0);
        let mirror = 0.02 + 0.5 * away * away * away * away * away;
        let seen = mix(below, self.sky([direction[0], direction[1], -direction[2]]), mirror);
        if cover >= 1.0 {
            return seen;
        }
        let bed_metres = self.metres(bed);
        let bottom = self.light(
            self.albedo(&self.whole_selection, [p[0], p[1]], &detail, bed_metres, 0.0, [0.0; 2]),
            0.0,
            0.0,
            lit,
            1.0,
        );
        mix(bottom, seen, cover)
    }

    /// The colour `albedo` under sun and sky, on terrain with the slope (gx, gy). Open level terrain keeps its colour.
    fn light(&self, albedo: Light, gx: f32, gy: f32, lit: f32, sky: f32) -> Light {
        let [east, up, south] = self.sun;
        let facing = ((up - gx * east - gy * south) / (1.0 + gx * gx + gy * gy).sqrt()).max(0.0) / up;
        let gain = facing / (1.0 + 0.28 * (facing - 1.0).max(0.0));
        let sun = (1.0 - SKY_SHARE) * gain * lit;
        std::array::from_fn(|k| albedo[k] * (SUN[k] * sun + SKY[k] * SKY_SHARE * sky))
    }

    /// The ray to the sun from a point of the terrain with a slope; `None` if the terrain faces away from the sun.
    pub fn sun_ray(&self, p: [f64; 3], slope: Point) -> Option<TraceRay> {
        let facing = self.to_sun[2] - slope[0] * self.to_sun[0] - slope[1] * self.to_sun[1];
        // The ray starts above the terrain by more than the tracer's tolerance, so that it does not hit its own origin.
        let lift = 2e-5 * self.subject.program.side;
        (facing > 0.0).then_some(TraceRay { origin: [p[0], p[1], p[2] + lift], direction: self.to_sun })
    }

    /// Positions around a point at which the sky visibility is tested. The second value of each entry is the sample
    /// spacing at which the terrain is evaluated at this position.
    pub fn sky_places(&self, ground: &GroundPoint) -> [(Point, f64); SKY_PLACES] {
        std::array::from_fn(|k| {
            let distance = SKY_STEPS[k % SKY_STEPS.len()] * self.subject.program.side;
            let (east, south) = SKY_WAYS[k / SKY_STEPS.len()];
            let [x, y, _] = ground.place;
            // Distant terrain is evaluated more coarsely.
            ([x + east * distance, y + south * distance], ground.detail.spacing + 0.15 * distance)
        })
    }

    /// Fraction of the sky that is visible from a point of the terrain above the heights `around` it: 1 in the open.
    pub fn skylight(&self, ground: &GroundPoint, around: &[f64]) -> f32 {
        let mut sum = 0.0f32;
        for way in around.chunks(SKY_STEPS.len()) {
            let horizon = way.iter().zip(SKY_STEPS).fold(0.0f64, |horizon, (there, step)| {
                let rise = (there - ground.place[2]) / (step * self.subject.program.side);
                higher(horizon, rise * self.per_metre[0] / self.per_metre[1])
            });
            sum += 0.25 / (1.0 + horizon * horizon) as f32;
        }
        sum
    }
}
