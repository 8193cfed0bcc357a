//! Craters too small for the samples of their planet, by the size-frequency distribution of the planet's crater layers.
//!
//! Law: the craters fill every octave of diameters below the smallest diameter that the planet shows (two cells). Space
//! is divided into a lattice of cubes, each five minimum diameters wide. Each cube gets enough craters to reach the
//! coverage of the layer's distribution N(>D) ∝ D^-b, the number of craters above the diameter D. Positions and ages
//! are random. Each crater erodes as in its layer, so most small craters vanish. Shapes are those of
//! [`shape`](crate::planet::craters::shape). Heights add up: small craters can be inside large craters.
//! Scheme: the surface of the planet intersects cubes in space, so the craters have no seams and no poles. Each
//! position evaluates all cubes within reach in the order of their coordinates, so that sums are the same in any block.

use super::octaves::{BlockLane, BlockPoints, PART};
use crate::generators::solid::mixed;
use crate::planet::craters::Craters;
use crate::planet::craters::shape::{CraterShape, smooth};
use talweg_ground::field::Stream;
use talweg_ground::field::vector::dot;
use talweg_ground::planet::Planet;

/// Side of a lattice cube, as a multiple of the minimum diameter of its octave.
const CUBE: f64 = 5.0;
/// Distance from a crater's centre within which the crater changes the terrain, in crater radii.
const REACH: f64 = 2.5;
/// Maximum number of craters in a cube.
const MOST: f64 = 24.0;
/// Minimum diameter of craters in metres.
const SMALLEST_METRES: f64 = 2.0;

/// The craters of one layer in one octave of diameters.
struct PitOctave {
    random: Stream,
    seed: u32,
    least_metres: f64,
    /// Mean number of craters in a cube. The fractional part is the probability of one more crater.
    in_a_cube: f64,
    layer: usize,
}

/// The craters of a planet that are too small for its samples.
pub struct SmallCraters {
    layers: Vec<Craters>,
    octaves: Vec<PitOctave>,
    radius_metres: f64,
    side_metres: f32,
    air: Vec<f32>,
}

impl SmallCraters {
    /// Prepares the craters of `layers` whose diameters are below `shown_metres`.
    pub fn new(layers: &[Craters], planet: &Planet, shown_metres: f64, random: Stream) -> Self {
        let side_metres = planet.side_metres();
        let mut octaves = Vec::new();
        for (layer, craters) in layers.iter().enumerate() {
            // no small crater is larger than the largest crater of the layer
            let top = f64::from(craters.largest * side_metres).min(shown_metres);
            let sizes = std::iter::successors(Some(0.5 * top), |size| Some(0.5 * size));
            for (k, least) in sizes.take_while(|&size| size >= SMALLEST_METRES).enumerate() {
                let of_side = |metres: f64| (metres / f64::from(side_metres)) as f32;
                let cover = craters.cover_between(of_side(least), of_side(2.0 * least));
                // For diameters that are uniform in their logarithm between D and 2D, the mean square is 3 D²/(2 ln 2).
                let area = std::f64::consts::FRAC_PI_4 * 1.5 / std::f64::consts::LN_2;
                let random = random.fork(layer as u64).fork(k as u64);
                octaves.push(PitOctave {
                    seed: random.bits(0, 0) as u32,
                    random,
                    least_metres: least,
                    in_a_cube: (cover * CUBE * CUBE / area).min(MOST),
                    layer,
                });
            }
        }
        Self {
            air: layers.iter().map(|craters| craters.air(Some(planet))).collect(),
            layers: layers.to_vec(),
            octaves,
            radius_metres: f64::from(planet.radius_metres),
            side_metres,
        }
    }

    /// Adds the craters to `heights` in metres, for samples `spacing` metres apart.
    pub fn add(&self, points: &BlockPoints, spacing: f64, heights: &mut BlockLane) {
        for octave in &self.octaves {
            let fade = smooth(2.0, 4.0, (octave.least_metres / spacing) as f32);
            if fade > 0.0 {
                self.add_octave(octave, points, fade, heights);
            }
        }
    }

    fn add_octave(&self, octave: &PitOctave, points: &BlockPoints, fade: f32, heights: &mut BlockLane) {
        let cube = CUBE * octave.least_metres;
        let reach = REACH * octave.least_metres;
        let shell = 0.5 * cube;
        let ends = points.map(|lane| {
            lane.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)))
        });
        // if a block spans more than a few cubes, each of its points is evaluated separately
        if ends.iter().any(|(low, high)| high - low > 4.0 * cube) {
            for k in 0..PART {
                let here = points.map(|lane| (lane[k], lane[k]));
                self.add_cubes(octave, &here, [cube, reach, shell], points, k..k + 1, fade, heights);
            }
        } else {
            self.add_cubes(octave, &ends, [cube, reach, shell], points, 0..PART, fade, heights);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the body of a single loop")]
    fn add_cubes(
        &self,
        octave: &PitOctave,
        ends: &[(f64, f64); 3],
        [cube, reach, shell]: [f64; 3],
        points: &BlockPoints,
        run: std::ops::Range<usize>,
        fade: f32,
        heights: &mut BlockLane,
    ) {
        // The centre of a crater is at most `shell` above or below the surface before it is projected onto the surface.
        let far = (reach * reach + shell * shell).sqrt();
        let range = |axis: usize| {
            let (low, high) = ends[axis];
            ((low - far) / cube).floor() as i32..=((high + far) / cube).floor() as i32
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    self.add_cube(octave, [x, y, z], ends, [cube, reach, shell], points, run.clone(), fade, heights);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the body of a single loop")]
    fn add_cube(
        &self,
        octave: &PitOctave,
        corner: [i32; 3],
        ends: &[(f64, f64); 3],
        [cube, reach, shell]: [f64; 3],
        points: &BlockPoints,
        run: std::ops::Range<usize>,
        fade: f32,
        heights: &mut BlockLane,
    ) {
        let radius = self.radius_metres;
        let middle = corner.map(|c| (f64::from(c) + 0.5) * cube);
        let height = dot(middle, middle).sqrt() - radius;
        if height.abs() > shell + cube {
            return;
        }
        let named = mixed(octave.seed, corner) as i32;
        let draw = |k: u32, what: i32| octave.random.fork(u64::from(k)).unit(named, what);
        let count = octave.in_a_cube + f64::from(draw(u32::MAX, 0));
        for k in 0..count as u32 {
            let place: [f64; 3] =
                std::array::from_fn(|axis| (f64::from(corner[axis]) + f64::from(draw(k, axis as i32))) * cube);
            let length = dot(place, place).sqrt();
            if (length - radius).abs() > shell {
                continue;
            }
            let centre = place.map(|x| x * radius / length);
            let is_near =
                (0..3).all(|axis| ends[axis].0 - reach <= centre[axis] && centre[axis] <= ends[axis].1 + reach);
            if !is_near {
                continue;
            }
            let diameter = octave.least_metres as f32 * libm::exp2f(draw(k, 3));
            let craters = &self.layers[octave.layer];
            let air = self.air[octave.layer];
            let wear = craters.wear_of(diameter / self.side_metres, draw(k, 4), air);
            // in air, small meteorites burn up
            let least = air * 5000.0 * (0.5 + draw(k, 5));
            let falls = if air > 0.0 { smooth(least, 1.3 * least, diameter) } else { 1.0 };
            let strength = fade * Craters::visible_fraction(wear) * falls;
            if strength <= 0.0 {
                continue;
            }
            let shape = CraterShape::new(diameter * 1.0e-3, &craters.law(), wear, 1000.0);
            let per_radius = 2.0 / diameter;
            for point in run.clone() {
                let [x, y, z] = [0, 1, 2].map(|axis| (points[axis][point] - centre[axis]) as f32 * per_radius);
                let square = x * x + y * y + z * z;
                if square < (REACH * REACH) as f32 {
                    let away = square.sqrt();
                    let tail = 1.0 - smooth(1.5, REACH as f32, away);
                    heights[point] += strength * tail * shape.height_near(away, 0.0);
                }
            }
        }
    }
}
