//! Continents and ocean floors: fractal noise modulated by the cells of a Voronoi diagram.
//!
//! Law (Petitprez 2007): h = P · V, where P is the fractal noise and V = Σ aₖ·dₖ sums the distances dₖ to the k-th
//! nearest centre with up to 40 coefficients, a = (-1, -2, 1.5) by default. Distances are chords through the unit
//! sphere times the square root of the number of centres, so that the range of V does not depend on that number. The
//! centres are uniform on the sphere. Plates are where V exceeds its value at the coast; elsewhere is ocean floor. A
//! smooth step raises the plates and lowers the floors, which gives the two peaks of Earth's hypsometric curve; the
//! paper's plain product is the form `Product`. The coast is where V is equal to the value that the fraction `land` of
//! the globe exceeds. With [`CoastLevel::Zero`] V is used as the paper writes it, and the coast is at V = 0. Noise
//! displaces each point before its nearest centres are found (`roughness`), so that coasts are not straight. Broad
//! noise is added to V (`drift`), so that some cells join into larger continents and others are under water. Where two
//! plates meet on land, d₁ and d₂ are nearly equal; there ridged noise raises mountain ranges (`mountains`). In thin
//! air continents fade (`follow_air`), and craters dominate the relief.
//! Sphere: all values are computed from the sample's direction, so duplicate samples on face borders are identical.
//! Source: Petitprez 2007, part 1, figures 2 to 5; Olsen 2004 for the diagram.

use std::f32::consts::FRAC_2_PI;
use std::ops::Range;

use crate::generators::octaves::{self, NoiseFade, Octaves, RowReader};
use crate::generators::solid::{Solid, SolidField, SolidNoise, SpacePoints};
use crate::generators::warp::DomainWarp;
use crate::{Context, Generator, NodeParts, OnPlanet, Traits};
use talweg_ground::field::globe::{face_direction, face_tangents};
use talweg_ground::field::vector::{dot, squared_distance};
use talweg_ground::field::{Cancelled, Globe, smooth_step};
use talweg_ground::param::NumberList;

talweg_ground::choices! {
    /// Combination of the noise with the cells of the plates.
    ReliefJoin {
        Plates "Continents and ocean floors": "Continents above deep ocean floors, with shelves, lowlands and mountain ranges.",
        Product "Product": "The noise multiplied by the values of the cells, as in Petitprez 2007: rolling terrain that sinks between the plates.",
        Cells "Cells only": "The cells without noise, which shows the positions of the plates.",
    }
}

talweg_ground::choices! {
    /// The value of the cells at the coast.
    CoastLevel {
        Land "By land": "Continents cover the given fraction of the globe, whatever the weights are.",
        Zero "As published": "The values of the cells are used as they are, as in Petitprez 2007: the coast is where their sum is 0.",
    }
}

talweg_ground::params! {
    /// Continents with shelves, broken coasts and deep ocean floors between them.
    Continents "Continents" in "Planet", from "Petitprez 2007", also "plates tectonic ocean land voronoi earth" {
        /// Combination of the noise with the cells of the plates.
        form: ReliefJoin = ReliefJoin::Plates;
        /// Number of plates. Few plates make one or two large continents, many make archipelagos.
        plates: u32 = 24, 4..=2000, slider 6..=200;
        /// Weight of the distance to the nearest centre.
        first as "Nearest centre": f32 = -1.0, -10.0..=10.0, slider -3.0..=3.0;
        /// Weight of the distance to the second nearest centre.
        second as "Second nearest": f32 = -2.0, -10.0..=10.0, slider -3.0..=3.0;
        /// Weight of the distance to the third nearest centre.
        third as "Third nearest": f32 = 1.5, -10.0..=10.0, slider -3.0..=3.0;
        /// Weight of the distance to the fourth nearest centre.
        fourth as "Fourth nearest": f32 = 0.0, -10.0..=10.0, slider -3.0..=3.0;
        /// Weight of the distance to the fifth nearest centre. Farther centres contribute rounder shapes.
        fifth as "Fifth nearest": f32 = 0.0, -10.0..=10.0, slider -3.0..=3.0 => |c| c.plates >= 5;
        /// Weight of the distance to the sixth nearest centre.
        sixth as "Sixth nearest": f32 = 0.0, -10.0..=10.0, slider -3.0..=3.0 => |c| c.plates >= 6;
        /// Weight of the distance to the seventh nearest centre.
        seventh as "Seventh nearest": f32 = 0.0, -10.0..=10.0, slider -3.0..=3.0 => |c| c.plates >= 7;
        /// Weight of the distance to the eighth nearest centre.
        eighth as "Eighth nearest": f32 = 0.0, -10.0..=10.0, slider -3.0..=3.0 => |c| c.plates >= 8;
        /// Weights of the distances to the ninth nearest centre, the tenth, and so on.
        farther as "Farther centres": NumberList<-10, 10> = NumberList::default() => |c| c.plates >= 9;
        /// Value of the cells at the coast.
        coast: CoastLevel = CoastLevel::Land;
        /// Fraction of the globe that continents cover.
        land: f32 ["share"] = 0.35, 0.0..=1.0 => |c| c.coast == CoastLevel::Land;
        /// Roughness of the coasts: larger values break them up.
        roughness: f32 = 0.7, 0.0..=2.0, slider 0.0..=1.0;
        /// Strength of the noise that joins continents across plate boundaries: 0 leaves one round continent on every
        /// plate.
        drift: f32 = 0.6, 0.0..=4.0, slider 0.0..=1.5;
        /// Height of the mountain ranges where plates meet on land, as a fraction of the scene's relief.
        mountains: f32 = 0.35, 0.0..=10.0, slider 0.0..=1.0 => |c| c.form == ReliefJoin::Plates;
        /// Number of large relief features along a quarter of the circumference.
        frequency: f32 = 3.0, 0.1..=256.0, slider 0.5..=32.0 => |c| c.form != ReliefJoin::Cells;
        /// Number of octaves: more octaves add finer relief. Each octave takes the same time.
        octaves: u32 = 8, 1..=16 => |c| c.form != ReliefJoin::Cells;
        /// Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values
        /// jagged terrain.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8 => |c| c.form != ReliefJoin::Cells;
        /// Amplitude of the relief on the continents, as a fraction of the scene's relief.
        amplitude: f32 = 0.17, -10.0..=10.0, slider 0.0..=1.0;
        /// Depth of the ocean floor below the continents, as a fraction of the scene's relief.
        depth: f32 = 0.35, 0.0..=10.0, slider 0.0..=1.0 => |c| c.form == ReliefJoin::Plates;
        /// Height of the coast, as a fraction of the scene's relief.
        base: f32 = 0.0, -10.0..=10.0, slider -1.0..=1.0;
        /// Fades the continents where the planet's air is thin, so that craters dominate.
        follow_air: bool = true;
        presets {
            Earth "Earth": "A few large continents on a third of the planet." {}
            Pangaea "One continent": "A single continent in a single ocean." { plates = 5, land = 0.3 }
            Archipelago "Archipelago": "Many islands." { plates = 160, land = 0.25, roughness = 0.7 }
            Dry "Highlands and basins": "Much land with shallow basins." { plates = 14, land = 0.65, depth = 0.2 }
Document "As published": "Unmodified product of noise and cells." { form = ReliefJoin::Product, octaves = 7, roughness = 0.0, drift = 0.0, amplitude = 1.0, follow_air = false }
        }
    }
}

/// Keys of the layer's random streams.
const CENTRES: u64 = 0x706c_6174;
const COAST: u64 = 0x636f_6173;
const DRIFT: u64 = 0x6472_6966;
const RANGES: u64 = 0x7261_6e67;
/// Number of octaves of the coast noise. The next two constants are the numbers of octaves of the noise that joins
/// continents and of the mountain ranges.
const COAST_OCTAVES: u32 = 5;
const DRIFT_OCTAVES: u32 = 4;
const RANGE_OCTAVES: u32 = 6;
/// Width of the mountain ranges, as a difference of the scaled distances to the two nearest plate centres.
const RANGE_WIDTH: f32 = 0.36;

impl Generator for Continents {
    fn traits(&self) -> Traits {
        Traits { runs_on_square: false, on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::PLANET
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let plates = PlateCells::new(self, cx);
        let level = match self.coast {
            CoastLevel::Land => plates.level(self.land),
            CoastLevel::Zero => 0.0,
        };
        let law = Octaves { count: self.octaves, frequency: self.frequency, lacunarity: 2.0, offset: [0.0; 2] };
        let relief = SolidField::new(cx.grid, cx.random, &law, NoiseFade::Improved, DomainWarp::NONE);
        let weights = octaves::weights(self.octaves, self.persistence, 1.0);
        let globe = Globe::new(cx.grid.samples);
        let weight = match cx.planet {
            Some(planet) if self.follow_air => {
                planet.air_shielding() / talweg_ground::planet::Planet::default().air_shielding()
            }
            _ => 1.0,
        };
        let n = cx.grid.samples;
        cx.bands(out, |first, cells| {
            let mut readers = relief.readers();
            let mut working = Working::default();
            let mut points: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; n]);
            let (mut noise, mut rise, mut ranges) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            for (k, row) in cells.chunks_mut(n).enumerate() {
                let [x, y, z] = &mut points;
                globe.row_directions(first + k, [x, y, z]);
                plates.rise(&points, &mut rise, &mut working);
                plates.ranges(&points, &mut ranges, &mut working);
                noise.fill(0.5);
                for (reader, &weight) in readers.iter_mut().zip(&weights) {
                    reader.add(first + k, weight, &mut noise);
                }
                for (((h, &p), &v), &range) in row.iter_mut().zip(&noise).zip(&rise).zip(&ranges) {
                    *h = self.base + (self.height(p, v - level, range) - self.base) * weight;
                }
            }
        })
    }
}

/// Number of nearest centres that a point needs at least.
const LEAST_CENTRES: usize = 3;
/// Number of points that are processed at once.
const LANES: usize = 16;

impl Continents {
    /// The coefficients of V for the nearest centres, starting with the nearest.
    fn coefficients(&self) -> Vec<f32> {
        let all = [self.first, self.second, self.third, self.fourth, self.fifth, self.sixth, self.seventh, self.eighth];
        let mut all: Vec<f32> = all.iter().chain(&self.farther.0).copied().take(self.plates as usize).collect();
        let last = all.iter().rposition(|&a| a != 0.0).unwrap_or(0);
        all.truncate((last + 1).max(LEAST_CENTRES));
        all
    }

    /// Height at a point, from three values: the fractal noise `p` (about 0 to 1), the value `v` of the Voronoi cells
    /// relative to the coast, and the height `range` of the mountain ranges (about 0 to 1).
    fn height(&self, p: f32, v: f32, range: f32) -> f32 {
        match self.form {
            ReliefJoin::Plates => {}
            ReliefJoin::Product => return self.base + self.amplitude * p * v,
            ReliefJoin::Cells => return self.base + self.amplitude * 0.5 * v,
        }
        // The step is 0 on the plates and -1 on the ocean floor. Coasts are near its upper end, on a shelf.
        let rim = |v: f32| {
            let t = (v * 1.9 + 0.82).clamp(0.0, 1.0);
            smooth_step(t)
        };
        let plate = rim(v) - rim(0.0);
        // The relief grows inland; the ocean floor has a small fraction of it.
        let inland = (v * 1.2).clamp(0.0, 1.0);
        let relief = (p - 0.5) * (0.12 + 0.88 * inland) + 0.2 * inland;
        // Mountain ranges start at the coast, and continue below the sea as ridges.
        let ground = self.depth * plate + self.amplitude * relief;
        let folded = self.mountains * range * (0.15 + 0.85 * (v * 3.0 + 0.35).clamp(0.0, 1.0));
        self.base + ground + folded
    }
}

/// The Voronoi cells of the plates.
struct PlateCells<'a> {
    law: &'a Continents,
    centres: Vec<[f32; 3]>,
    /// Coefficients of the distances to the nearest centres.
    coefficients: Vec<f32>,
    /// For each bucket, the centres that can be among these nearest centres of a point of that bucket.
    buckets: Vec<Vec<u16>>,
    coast: [Vec<Solid>; 3],
    weights: Vec<f32>,
    drift: Vec<(Solid, f32)>,
    folds: Vec<(Solid, f32)>,
    scale: f32,
}

/// Working memory of a thread.
#[derive(Default)]
struct Working {
    moved: [Vec<f32>; 3],
    /// Difference between the distances to the two nearest centres, for each point.
    apart: Vec<f32>,
    /// Bucket of each point. `squares` holds the squared distances from each point to its nearest centres.
    bucket: Vec<usize>,
    squares: Vec<Vec<f32>>,
    /// Samples of the row that are near a plate boundary.
    near: Vec<usize>,
    noise: Vec<f32>,
    places: SpacePoints,
}

/// Number of buckets along a side of a cube face. All buckets have the same width on the cube.
const BUCKETS: usize = 12;

impl<'a> PlateCells<'a> {
    fn new(law: &'a Continents, cx: &Context) -> Self {
        let random = cx.random.fork(CENTRES);
        let centres: Vec<[f32; 3]> = (0..law.plates as i32)
            .map(|k| {
                // The points are uniform on the sphere, by Archimedes' theorem on the sphere and the cylinder.
                let z = random.signed(k, 0);
                let around = random.unit(k, 1) * std::f32::consts::TAU;
                let level = (1.0 - z * z).max(0.0).sqrt();
                [level * libm::cosf(around), level * libm::sinf(around), z]
            })
            .collect();
        let scale = (law.plates as f32).sqrt() * 0.5;
        let weights = octaves::weights(COAST_OCTAVES, 0.6, 2.4 * law.roughness / (2.0 * scale));
        let octave = |axis: u64, k: u32| {
            let frequency = 2.0 * scale * FRAC_2_PI * (1 << k) as f32;
            Solid::new(cx.random.fork(COAST).fork(axis).fork(u64::from(k)), frequency, NoiseFade::Improved)
        };
        let own = |salt: u64, count: u32, persistence: f32, amplitude: f32, first: f32| {
            let weights = octaves::weights(count, persistence, amplitude);
            let octave = |(k, weight)| {
                let stream = cx.random.fork(salt).fork(k as u64);
                (Solid::new(stream, first * scale * (1 << k) as f32, NoiseFade::Improved), weight)
            };
            weights.into_iter().enumerate().map(octave).collect::<Vec<_>>()
        };
        let drift = if law.drift > 0.0 { own(DRIFT, DRIFT_OCTAVES, 0.55, 3.2 * law.drift, 0.5) } else { Vec::new() };
        let folds = if law.mountains > 0.0 { own(RANGES, RANGE_OCTAVES, 0.5, 1.0, 2.6) } else { Vec::new() };
        let coast = [0, 1, 2].map(|axis| (0..COAST_OCTAVES).map(|k| octave(axis, k)).collect());
        let coefficients = law.coefficients();
        let mut plates = Self { law, centres, coefficients, buckets: Vec::new(), coast, weights, drift, folds, scale };
        plates.buckets = plates.sorted();
        plates
    }

    /// For every bucket of directions, the centres that can be among the needed nearest centres of a point in that
    /// bucket.
    fn sorted(&self) -> Vec<Vec<u16>> {
        let corner = |face: usize, i: usize, j: usize| {
            let tangent = |k: usize| 2.0 * k as f64 / BUCKETS as f64 - 1.0;
            face_direction(face, tangent(j), tangent(i)).map(|x| x as f32)
        };
        let mut buckets = Vec::with_capacity(6 * BUCKETS * BUCKETS);
        for face in 0..6 {
            for i in 0..BUCKETS {
                for j in 0..BUCKETS {
                    let corners = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)].map(|(i, j)| corner(face, i, j));
                    let middle = unit(std::array::from_fn(|k| corners.iter().map(|c| c[k]).sum()));
                    let radius = corners.iter().map(|&c| squared_distance(c, middle).sqrt()).fold(0.0, f32::max) * 1.01;
                    let mut order: Vec<(f32, u16)> = self
                        .centres
                        .iter()
                        .enumerate()
                        .map(|(k, &c)| (squared_distance(c, middle).sqrt(), k as u16))
                        .collect();
                    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    // The distances of two points to the same centre differ by at most the distance between the two
                    // points.
                    let reach = order[(self.coefficients.len() - 1).min(order.len() - 1)].0 + 2.0 * radius;
                    buckets.push(order.into_iter().take_while(|&(d, _)| d <= reach).map(|(_, k)| k).collect());
                }
            }
        }
        buckets
    }

    /// Writes the value of the Voronoi cells, Σ aₖ·dₖ, at `points`, plus the drift noise.
    fn rise(&self, points: &[Vec<f32>; 3], out: &mut [f32], working: &mut Working) {
        for (moved, from) in working.moved.iter_mut().zip(points) {
            moved.clone_from(from);
        }
        if self.law.roughness > 0.0 {
            for (moved, octaves) in working.moved.iter_mut().zip(&self.coast) {
                for (octave, &weight) in octaves.iter().zip(&self.weights) {
                    octave.add([&points[0], &points[1], &points[2]], weight, moved, &mut working.places);
                }
            }
        }
        self.nearest(out, working);
        for (octave, weight) in &self.drift {
            octave.add([&points[0], &points[1], &points[2]], *weight, out, &mut working.places);
        }
    }

    /// Writes the mountain ranges along plate boundaries, from 0 to about 1. Needs a previous [`rise`](Self::rise) of
    /// the same points.
    fn ranges(&self, points: &[Vec<f32>; 3], out: &mut [f32], working: &mut Working) {
        out.fill(0.0);
        if self.folds.is_empty() {
            return;
        }
        // Only points near a plate boundary need the ridged noise.
        let Working { apart, near, noise, places, moved, .. } = working;
        near.clear();
        near.extend((0..out.len()).filter(|&k| apart[k] < RANGE_WIDTH));
        for (to, from) in moved.iter_mut().zip(points) {
            to.clear();
            to.extend(near.iter().map(|&k| from[k]));
        }
        let whole: f32 = self.folds.iter().map(|(_, weight)| weight).sum();
        for (octave, weight) in &self.folds {
            noise.clear();
            noise.resize(near.len(), 0.0);
            octave.add([&moved[0], &moved[1], &moved[2]], 2.0, noise, places);
            let share = weight / whole;
            for (&k, &n) in near.iter().zip(&*noise) {
                let crest = (1.0 - n.abs()).max(0.0);
                out[k] += share * crest * crest;
            }
        }
        for &k in &*near {
            let t = 1.0 - apart[k] / RANGE_WIDTH;
            out[k] *= smooth_step(t);
        }
    }

    /// Projects the displaced points back onto the sphere. Then writes Σ aₖ·dₖ at these points, and the difference
    /// between the distances to the two nearest centres.
    fn nearest(&self, out: &mut [f32], working: &mut Working) {
        let n = out.len();
        let Working { moved: [x, y, z], apart, bucket, squares, .. } = working;
        apart.resize(n, 0.0);
        bucket.resize(n, 0);
        for (((x, y), z), bucket) in x.iter_mut().zip(&mut *y).zip(&mut *z).zip(&mut *bucket) {
            [*x, *y, *z] = unit([*x, *y, *z]);
            let (face, place) = face_tangents([*x, *y, *z].map(f64::from));
            let [column, row] = place.map(|t| (((t + 1.0) * (0.5 * BUCKETS as f64)) as usize).min(BUCKETS - 1));
            *bucket = (face * BUCKETS + row) * BUCKETS + column;
        }
        let (count, nearest): (usize, NearestWriter) = match self.coefficients.len() {
            3 => (3, write_nearest::<3>),
            4 => (4, write_nearest::<4>),
            5..=6 => (6, write_nearest::<6>),
            7..=8 => (8, write_nearest::<8>),
            9..=16 => (16, write_nearest::<16>),
            _ => (40, write_nearest::<40>),
        };
        squares.resize_with(count, Vec::new);
        squares.iter_mut().for_each(|square| square.resize(n, 0.0));
        let mut start = 0;
        while start < n {
            let here = bucket[start];
            let end = (start + 1..n).find(|&k| bucket[k] != here).unwrap_or(n);
            nearest(&self.centres, &self.buckets[here], [x, y, z], start..end, squares);
            start = end;
        }
        for (k, (out, apart)) in out.iter_mut().zip(apart).enumerate() {
            let distance = |nth: usize| squares[nth][k].sqrt() * self.scale;
            let sum = |sum: f32, (nth, &a): (usize, &f32)| sum + a * distance(nth);
            let (first, rest) = (self.coefficients[0] * distance(0), self.coefficients.iter().enumerate().skip(1));
            (*out, *apart) = (rest.fold(first, sum), distance(1) - distance(0));
        }
    }

    /// Returns the threshold that [`rise`](Self::rise) exceeds on the fraction `land` of the sphere.
    fn level(&self, land: f32) -> f32 {
        let globe = Globe::new(33);
        let mut all = Vec::with_capacity(globe.len());
        let mut working = Working::default();
        let (mut points, mut rise) = ([vec![0.0; 33], vec![0.0; 33], vec![0.0; 33]], vec![0.0; 33]);
        for row in 0..6 * 33 {
            let [x, y, z] = &mut points;
            globe.row_directions(row, [x, y, z]);
            self.rise(&points, &mut rise, &mut working);
            all.extend(rise.iter().enumerate().map(|(column, &v)| (v, globe.area(row % 33, column))));
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whole: f64 = all.iter().map(|(_, area)| area).sum();
        let mut below = whole * f64::from(1.0 - land);
        all.iter()
            .find(|(_, area)| {
                below -= area;
                below <= 0.0
            })
            .or(all.last())
            .map_or(0.0, |(v, _)| *v)
    }
}

/// An instance of [`write_nearest`].
type NearestWriter = fn(&[[f32; 3]], &[u16], [&[f32]; 3], Range<usize>, &mut [Vec<f32>]);

/// Writes the squared chord lengths from each point of `run` to the `N` nearest centres of the points' bucket, into the
/// `N` vectors of `squares`. Where the bucket has fewer centres, the missing lengths are infinite.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn write_nearest<const N: usize>(
    centres: &[[f32; 3]],
    bucket: &[u16],
    [x, y, z]: [&[f32]; 3],
    run: Range<usize>,
    squares: &mut [Vec<f32>],
) {
    let least = |a: f32, b: f32| if a < b { a } else { b };
    let most = |a: f32, b: f32| if a < b { b } else { a };
    for start in run.clone().step_by(LANES) {
        let here = start..run.end.min(start + LANES);
        let [x, y, z] = [x, y, z].map(|from| {
            let mut lanes = [0.0; LANES];
            lanes[..here.len()].copy_from_slice(&from[here.clone()]);
            lanes
        });
        let mut found = [[f32::INFINITY; LANES]; N];
        for &centre in bucket {
            let [cx, cy, cz] = centres[usize::from(centre)];
            for k in 0..LANES {
                let (dx, dy, dz) = (cx - x[k], cy - y[k], cz - z[k]);
                let d = dx * dx + dy * dy + dz * dz;
                for nth in (1..N).rev() {
                    found[nth][k] = most(found[nth - 1][k], least(found[nth][k], d));
                }
                found[0][k] = least(found[0][k], d);
            }
        }
        for (square, found) in squares.iter_mut().zip(found) {
            square[here.clone()].copy_from_slice(&found[..here.len()]);
        }
    }
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt().max(f32::MIN_POSITIVE);
    v.map(|x| x / length)
}
