//! Noise library: functions of the package [`noise`](https://docs.rs/noise/0.9) for which Talweg has no separate node.
//!
//! Law: h = base + amplitude · Σ pⁱ·nᵢ / (√2 · √Σ p²ⁱ), where p is the persistence and nᵢ the function at frequency ·
//! lacunarityⁱ, alone or combined with a second function. Noises are scaled to a standard deviation of ¼. Rings and
//! checks are scaled to ±√½, so that a single octave of rings or checks fills [0, 1] at amplitude 1 and base 0.5. With
//! `turbulence` the sum is read at positions displaced by the package's `Turbulence`: three octaves of its Perlin noise
//! per coordinate.
//! Scheme: every sample is computed independently, in `f64`; a preview is exactly a subsample of the full size.
//! Boundary: open terrains need no rule. The functions do not repeat. On wrapping terrains, four values one side length
//! apart are therefore blended, as in the package's seamless maps, with weights whose squares sum to 1. The relief is
//! thus as high in the middle as at the edges. On a globe the same functions are read in space on the sphere; rings and
//! the checkerboard surround the globe's axis.
//!
//! Portability: the functions offered here use only + - × ÷ √, comparisons and integers, so results are identical on
//! every platform. Their fourth powers are two multiplications, and their sums of powers of ½ are exact. Excluded are
//! `Power`, `Exponent` and `Worley` (`powf`), `RotatePoint` (sine and cosine), `ScaleBias` (`mul_add`, which differs
//! between targets in that package), and the package's fractals (`powi` of any number). `Perlin`, `Simplex` and `Value`
//! have nodes of their own, `Terrace`, `Clamp` and `Curve` are filters, and blend modes and masks replace `Blend` and
//! `Select`.
//! Source: the package `noise` 0.9; Spencer 2014, *OpenSimplex noise*; Spencer 2017, *SuperSimplex noise*; Perlin 1985,
//! 2002.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, SQRT_2};

use noise::{Checkerboard, Cylinders, NoiseFn, OpenSimplex, Perlin, PerlinSurflet, Seedable, SuperSimplex, Turbulence};

use super::octave_steps::{self, OctaveNoise, OctavePattern};
use super::octaves::{self, Octaves, octave_params, offset_params};
use crate::{Context, Generator, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::{Cancelled, Edges, Globe, Stream};

talweg_ground::choices! {
    /// A function of the package `noise`.
    LibraryFunction {
        SuperSimplex "Super simplex": "The smoothest gradient noise: round hills without a preferred direction.",
        OpenSimplex "Open simplex": "Gradient noise on triangles with wide, overlapping hills.",
        Surflets "Perlin surflets": "Gradient noise of single bumps that end within their cell: knobbly, with flat terrain between them.",
        Cylinders "Cylinders": "Rings around the middle, as in a tree trunk.",
        Checkerboard "Checkerboard": "Alternating high and low squares.",
    }
}

talweg_ground::choices! {
    /// The way in which two functions are combined.
    Combination {
        Single "One function": "The first function alone.",
        Sum "Sum": "The sum of both functions.",
        Product "Product": "The product of both functions: one inverts the other where it is negative.",
        Lowest "Lowest": "The lower of both functions: basins cut into basins.",
        Highest "Highest": "The higher of both functions: hills in front of hills.",
    }
}

talweg_ground::params! {
    /// Super simplex and open simplex noise, surflets, rings and checks from the package `noise`, alone or combined,
    /// and distorted by turbulence.
    NoiseLibrary "Noise library" in "Noise", from "package noise 0.9; Spencer 2014, 2017", also "super open simplex surflet cylinders rings wood checkerboard tiles turbulence combine fbm noise-rs" {
        /// Function that is summed in octaves.
        function: LibraryFunction = LibraryFunction::SuperSimplex;
        octave_params!(frequency = 4.0, octaves = 6, persistence = 0.45);
        /// Combination of a second function with the first in every octave.
        combine: Combination = Combination::Single;
        /// The function that is combined with the first.
        second: LibraryFunction = LibraryFunction::Cylinders => |noise| noise.combine != Combination::Single;
        /// Number of features of the second function for each feature of the first function.
        second_ratio: f32 = 1.0, 0.1..=10.0, slider 0.25..=4.0 => |noise| noise.combine != Combination::Single;
        /// Displacement of the pattern by turbulence, as a fraction of the terrain's side length: larger values distort
        /// the pattern more.
        turbulence: f32 = 0.0, 0.0..=1.0, slider 0.0..=0.2;
        /// Number of large eddies of the turbulence along a side.
        turbulence_frequency: f32 = 3.0, 0.1..=64.0, slider 0.5..=16.0 => |noise| noise.turbulence != 0.0;
        /// Approximate height from the deepest valley to the highest peak, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
        offset_params!();
        presets {
            Rings "Warped rings": "Concentric ridges bent by eddies, like the grain of wood." { function = LibraryFunction::Cylinders, octaves = 1, turbulence = 0.08 }
            Blocks "Broken blocks": "Blocks of two heights with ragged borders and rough tops." { function = LibraryFunction::Checkerboard, frequency = 6.0, octaves = 4, persistence = 0.3, turbulence = 0.04, turbulence_frequency = 8.0 }
            Peaks "Hills before hills": "The higher of two noises: dense round summits with narrow valleys." { combine = Combination::Highest, second = LibraryFunction::OpenSimplex, second_ratio = 1.7 }
        }
    }
}

/// Maximum frequency of an octave, so that cell numbers fit into 32 bits.
const MAX_FREQUENCY: f64 = 1.0e6;
/// Keys of the random streams for the second function and for the turbulence; octaves use lower numbers.
const SECOND: u64 = 1000;
const TURBULENCE: u64 = 2000;

/// A function that can be read both in the plane and in space.
trait LibraryNoise: NoiseFn<f64, 2> + NoiseFn<f64, 3> + Send + Sync {}
impl<F: NoiseFn<f64, 2> + NoiseFn<f64, 3> + Send + Sync> LibraryNoise for F {}

/// Returns a seed for the package `noise`. It is well below 2³², because the package also uses the numbers after it.
fn seed(random: Stream) -> u32 {
    random.bits(0, 0) as u32 >> 8
}

/// A function of the package with its frequency, offset and scale.
struct Term {
    function: Box<dyn LibraryNoise>,
    /// Number of features per side.
    frequency: f64,
    shift: [f64; 3],
    /// Scale factors of the function in the plane and in space.
    scale: [f64; 2],
}

impl Term {
    fn new(function: LibraryFunction, frequency: f64, random: Stream) -> Self {
        // The scale factors follow from standard deviations that tests measure.
        let quarter_of = |deviations: [f64; 2]| deviations.map(|deviation| 0.25 / deviation);
        let (boxed, scale): (Box<dyn LibraryNoise>, _) = match function {
            LibraryFunction::SuperSimplex => (Box::new(SuperSimplex::new(seed(random))), quarter_of([0.42, 0.341])),
            LibraryFunction::OpenSimplex => (Box::new(OpenSimplex::new(seed(random))), quarter_of([0.2286, 0.187])),
            LibraryFunction::Surflets => (Box::new(PerlinSurflet::new(seed(random))), quarter_of([0.417, 0.379])),
            LibraryFunction::Cylinders => (Box::new(Cylinders::new()), [FRAC_1_SQRT_2; 2]),
            LibraryFunction::Checkerboard => (Box::new(Checkerboard::new(0)), [FRAC_1_SQRT_2; 2]),
        };
        let is_centred = matches!(function, LibraryFunction::Cylinders | LibraryFunction::Checkerboard);
        let place = random.fork(0);
        let shift = std::array::from_fn(|k| if is_centred { 0.0 } else { f64::from(place.unit(k as i32, 0)) });
        Self { function: boxed, frequency: frequency.min(MAX_FREQUENCY), shift, scale }
    }

    /// Returns the scaled value of the function at a position, which is a multiple of the side length.
    fn sample<const D: usize>(&self, place: [f64; D]) -> f64
    where
        dyn LibraryNoise: NoiseFn<f64, D>,
    {
        let point = std::array::from_fn(|k| place[k] * self.frequency + self.shift[k]);
        self.function.get(point) * self.scale[D - 2]
    }
}

/// The sum of all octaves.
struct OctaveSum {
    combine: Combination,
    /// Weight, first function and second function of each octave.
    octaves: Vec<(f64, Term, Option<Term>)>,
}

impl OctaveSum {
    /// The sum of the first `shown` octaves.
    fn new(law: &NoiseLibrary, random: Stream, shown: u32) -> Self {
        let mut frequency = f64::from(law.frequency);
        let weights = octaves::weights(law.octaves, law.persistence, law.amplitude);
        let octave = |(k, weight): (usize, f32)| {
            let k = k as u64;
            let first = Term::new(law.function, frequency, random.fork(k));
            let second = (law.combine != Combination::Single)
                .then(|| Term::new(law.second, frequency * f64::from(law.second_ratio), random.fork(SECOND + k)));
            frequency *= f64::from(law.lacunarity);
            (f64::from(weight), first, second)
        };
        Self {
            combine: law.combine,
            octaves: weights.into_iter().take(shown as usize).enumerate().map(octave).collect(),
        }
    }
}

impl<const D: usize> NoiseFn<f64, D> for OctaveSum
where
    dyn LibraryNoise: NoiseFn<f64, D>,
{
    fn get(&self, place: [f64; D]) -> f64 {
        let mut sum = 0.0;
        for (weight, first, second) in &self.octaves {
            let a = first.sample(place);
            let b = second.as_ref().map_or(0.0, |term| term.sample(place));
            sum += weight
                * match self.combine {
                    Combination::Single => a,
                    Combination::Sum => (a + b) * FRAC_1_SQRT_2,
                    Combination::Product => a * b * SQRT_2,
                    Combination::Lowest => a.min(b),
                    Combination::Highest => a.max(b),
                };
        }
        sum
    }
}

/// Weights of a position and of the position one side length before it. From 0 to 1 the first weight and the second
/// weight swap their values; their squares sum to 1.
fn fade_weights(t: f64) -> [f64; 2] {
    let s = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let length = (s * s + (1.0 - s) * (1.0 - s)).sqrt();
    [(1.0 - s) / length, s / length]
}

impl NoiseLibrary {
    /// Writes base + `noise`. The positions are measured from the middle of the terrain, as multiples of its side
    /// length.
    fn write(&self, cx: &Context, noise: &impl LibraryNoise, out: &mut [f32]) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        let (base, offset) = (f64::from(self.base), [f64::from(self.offset_x), f64::from(self.offset_y)]);
        if cx.grid.is_globe() {
            let globe = Globe::new(n);
            return cx.bands(out, |first, cells| {
                let [mut x, mut y, mut z] = [0; 3].map(|_| vec![0.0; n]);
                for (k, row) in cells.chunks_mut(n).enumerate() {
                    globe.row_directions(first + k, [&mut x, &mut y, &mut z]);
                    for (((h, &x), &y), &z) in row.iter_mut().zip(&x).zip(&y).zip(&z) {
                        // A side is a quarter of the globe's circumference, which scales the position by 2/π.
                        let [x, y, z] = [x, y, z].map(|c| f64::from(c) * FRAC_2_PI);
                        *h = (base + noise.get([x + offset[0], y + offset[1], z])) as f32;
                    }
                }
            });
        }
        let [first_row, first_column] = cx.grid.first();
        let position = |first: usize, k: usize| {
            (first + k % cx.grid.distinct_side()) as f64 / (cx.grid.whole_samples() - 1) as f64
        };
        let read = |x: f64, y: f64| noise.get([x - 0.5 + offset[0], y - 0.5 + offset[1]]);
        let seamless = |x: f64, y: f64| {
            let (across, down) = (fade_weights(x), fade_weights(y));
            let row = |y: f64| across[0] * read(x, y) + across[1] * read(x - 1.0, y);
            down[0] * row(y) + down[1] * row(y - 1.0)
        };
        cx.rows(out, |i, row| {
            for (k, h) in row.iter_mut().enumerate() {
                let (x, y) = (position(first_column, k), position(first_row, i));
                *h = (base + if cx.grid.edges == Edges::Wrap { seamless(x, y) } else { read(x, y) }) as f32;
            }
        })
    }
}

impl Generator for NoiseLibrary {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_octaves(cx, self.octaves, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl OctaveNoise for NoiseLibrary {
    fn octave_law(&self) -> Octaves {
        Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y])
    }

    fn pattern(&self) -> OctavePattern {
        OctavePattern::Nothing
    }

    fn base_height(&self) -> f32 {
        self.base
    }

    fn octave_formula(&self, cx: &Context, k: u32) -> String {
        let weight = octaves::weights(self.octaves, self.persistence, self.amplitude)[k as usize];
        octave_steps::sum_formula(cx, weight, "the function, or the combination of the two functions")
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let sum = OctaveSum::new(self, cx.random, shown);
        if self.turbulence == 0.0 {
            return self.write(cx, &sum, out);
        }
        let moved = Turbulence::<_, Perlin>::new(sum)
            .set_seed(seed(cx.random.fork(TURBULENCE)))
            .set_frequency(f64::from(self.turbulence_frequency))
            .set_power(f64::from(self.turbulence));
        self.write(cx, &moved, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(values: impl Iterator<Item = f64>) -> (f64, f64) {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for value in values {
            (count, sum, squares) = (count + 1.0, sum + value, squares + value * value);
        }
        (sum / count, (squares / count - sum / count * (sum / count)).sqrt())
    }

    #[test]
    fn noises_have_deviation_a_quarter_in_the_plane_and_in_space() {
        for function in [LibraryFunction::SuperSimplex, LibraryFunction::OpenSimplex, LibraryFunction::Surflets] {
            for salt in 0..3 {
                let term = Term::new(function, 1.0, Stream::new(salt, 1));
                let place = |k: i32| [f64::from(k % 200) * 0.7137, f64::from(k / 200) * 1.577, f64::from(k) * 0.00371];
                let plane = deviation((0..40_000).map(place).map(|[x, y, _]| term.sample([x, y])));
                let space = deviation((0..40_000).map(place).map(|p| term.sample(p)));
                for (mean, deviation) in [plane, space] {
                    assert!(mean.abs() < 0.005 && (deviation - 0.25).abs() < 0.01, "{function:?}: {mean} {deviation}");
                }
            }
        }
    }

    #[test]
    fn copy_weights_swap_over_a_side_and_keep_the_spread() {
        assert_eq!((fade_weights(0.0), fade_weights(1.0)), ([1.0, 0.0], [0.0, 1.0]));
        for t in [0.1, 0.5, 0.7] {
            let [a, b] = fade_weights(t);
            assert!((a * a + b * b - 1.0).abs() < 1e-12);
        }
    }

    /// If the package changed the values for a seed, existing scenes would look different.
    #[test]
    fn the_noise_package_keeps_its_values() {
        let noise = SuperSimplex::new(7);
        let sum: f64 = (0..100).map(|k| noise.get([f64::from(k) * 0.37, f64::from(k) * 0.91])).sum();
        assert_eq!(sum.to_bits(), 0x4009_93f2_9c6b_37fa, "{sum}");
    }
}
