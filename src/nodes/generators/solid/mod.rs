//! Solid noise: gradient noise and value noise in space, read on the surface of a globe.
//!
//! Law: three-dimensional Perlin noise (2002), with the twelve gradients towards the midpoints of a cube's edges,
//! scaled to a standard deviation of ¼ like the noise of [`lattice`](super::lattice). Alternatively, random heights at
//! the corners of the cubes, with the same standard deviation. On a globe the frequency is the number of features along
//! a side of a face, a quarter of the circumference: the lattice has 2·frequency/π cells per radius. Space has no seams
//! and no poles, so the result has no seams and no poles either.
//! Scheme: samples of a row that are in the same cell share its eight gradients. If cells are small, each sample draws
//! its own gradients, in SIMD lanes. Every value depends only on the sample's own direction, which is the same on every
//! face that repeats the sample.
//! Source: Perlin 2002, *Improving Noise*; solid texturing after Perlin 1985.

pub(super) mod cells;
pub(super) mod simplex;

use std::cell::RefCell;
use std::f32::consts::FRAC_2_PI;
use std::rc::Rc;

use super::octaves::{CLASSIC, IMPROVED, LINEAR, NoiseFade, Octaves, RowReader, fade_weight};
use super::warp::DomainWarp;
use talweg_ground::field::{Globe, Grid, Stream};

/// Standard deviations of the unscaled noises, measured by tests. Both noises are scaled to ¼. The constant for random
/// heights is between the deviations measured with the two fades.
const GRADIENT_DEVIATION: f32 = 0.2602;
const VALUE_DEVIATION: f32 = 0.3855;

/// Key that separates the random values of the displacement from those of the noise.
const WARP_SALT: u64 = 0x7761_7270;

/// Perlin's twelve gradients. Four of them are listed twice, so that four bits select one.
const GRADIENTS: [[f32; 3]; 16] = [
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [-1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [-1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [-1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, -1.0, 1.0],
    [0.0, 1.0, -1.0],
    [0.0, -1.0, -1.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 1.0],
    [0.0, -1.0, -1.0],
];

/// A single octave of noise in space.
pub trait SolidNoise: Sync {
    /// Adds `amplitude` · noise at the points to `out`.
    fn add(&self, points: [&[f32]; 3], amplitude: f32, out: &mut [f32], places: &mut SpacePoints);
}

/// A single octave of gradient or value noise in space.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    seed: u32,
    /// Whether the lattice holds random heights instead of random slopes.
    values: bool,
    /// Number of lattice cells per unit of length.
    frequency: f32,
    shift: [f32; 3],
    fade: NoiseFade,
}

impl Solid {
    /// Creates an octave of gradient noise with `frequency` lattice cells per unit of length.
    pub fn new(random: Stream, frequency: f32, fade: NoiseFade) -> Self {
        let shift = random.fork(0);
        Self {
            seed: random.bits(0, 0) as u32,
            values: false,
            frequency,
            shift: std::array::from_fn(|k| shift.unit(k as i32, 0)),
            fade,
        }
    }

    /// Creates an octave of value noise: uniform random heights on the lattice, like [`values`](super::values) in the
    /// plane.
    pub fn values(random: Stream, frequency: f32, fade: NoiseFade) -> Self {
        Self { values: true, ..Self::new(random, frequency, fade) }
    }

    /// Noise at a point: mean 0, standard deviation about ¼.
    pub fn value_at(&self, point: [f32; 3]) -> f32 {
        let mut out = [0.0];
        let [x, y, z] = point;
        self.add([&[x], &[y], &[z]], 1.0, &mut out, &mut SpacePoints::default());
        out[0]
    }
}

impl SolidNoise for Solid {
    fn add(&self, points: [&[f32]; 3], amplitude: f32, out: &mut [f32], places: &mut SpacePoints) {
        let scale = 0.25 / if self.values { VALUE_DEVIATION } else { GRADIENT_DEVIATION };
        let amplitude = amplitude * scale;
        match (self.fade, self.values) {
            (NoiseFade::Improved, false) => self.sum::<IMPROVED, false>(points, amplitude, out, places),
            (NoiseFade::Classic, false) => self.sum::<CLASSIC, false>(points, amplitude, out, places),
            (NoiseFade::Linear, false) => self.sum::<LINEAR, false>(points, amplitude, out, places),
            (NoiseFade::Improved, true) => self.sum::<IMPROVED, true>(points, amplitude, out, places),
            (NoiseFade::Classic, true) => self.sum::<CLASSIC, true>(points, amplitude, out, places),
            (NoiseFade::Linear, true) => self.sum::<LINEAR, true>(points, amplitude, out, places),
        }
    }
}

impl Solid {
    /// Adds the noise run by run or point by point; both methods give the same result.
    fn sum<const FADE: u8, const VALUES: bool>(
        &self,
        points: [&[f32]; 3],
        amplitude: f32,
        out: &mut [f32],
        places: &mut SpacePoints,
    ) {
        let n = out.len();
        if n == 0 {
            return;
        }
        let passed = |p: &[f32]| (p[n / 2] - p[0]).abs() + (p[n - 1] - p[n / 2]).abs();
        if points.map(passed).iter().sum::<f32>() * self.frequency * LONG_RUN < n as f32 {
            by_runs::<FADE, VALUES>(self, points, amplitude, out, places);
        } else {
            by_points::<FADE, VALUES>(self, points, amplitude, out);
        }
    }
}

/// Minimum number of points in the same cell for which it is faster to look up the cell's gradients once.
const LONG_RUN: f32 = 32.0;
/// Factors by which the hash multiplies the coordinates of a lattice corner.
pub const PRIMES: [u32; 3] = [0x8da6_b343, 0xd816_3841, 0xcb1a_b31f];
/// Maximum lattice position. Beyond it, `f32` numbers are too far apart to distinguish cells.
const FARTHEST: f32 = 4.0e6;

/// Returns the lattice line below a position, and the distance of the position from this line. The function uses
/// neither `f32::floor` nor a cast, because both would keep loops from vectorising.
#[inline(always)]
pub fn floor(place: f32) -> (i32, f32) {
    /// Adding this number (1.5 · 2²³) to a `f32` rounds that number to an integer.
    const ROUNDS: f32 = 12_582_912.0;
    let place = if place < FARTHEST { place } else { FARTHEST };
    let place = if place > -FARTHEST { place } else { -FARTHEST };
    let rounded = place + ROUNDS;
    let nearest = rounded - ROUNDS;
    let above = nearest > place;
    let whole = (rounded.to_bits() as i32).wrapping_sub(ROUNDS.to_bits() as i32);
    (whole - i32::from(above), place - if above { nearest - 1.0 } else { nearest })
}

/// Returns the random bits of a lattice corner. The argument is the number that [`mixed`] makes from the coordinates of
/// the corner and the seed.
#[inline(always)]
pub fn drawn(mixed: u32) -> u32 {
    let h = (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d);
    (h ^ (h >> 12)).wrapping_mul(0x297a_2d39)
}

/// Combines the coordinates of a lattice corner and the seed into one number, which [`drawn`] hashes.
#[inline(always)]
pub fn mixed(seed: u32, corner: [i32; 3]) -> u32 {
    let [x, y, z] = corner;
    seed ^ (x as u32).wrapping_mul(PRIMES[0]) ^ (y as u32).wrapping_mul(PRIMES[1]) ^ (z as u32).wrapping_mul(PRIMES[2])
}

/// Packs one component of all gradients into a number, with two bits for each: the component plus 1. A look-up in a
/// table would not vectorise.
const fn packed(axis: usize) -> u32 {
    let (mut bits, mut k) = (0, 0);
    while k < GRADIENTS.len() {
        bits |= ((GRADIENTS[k][axis] + 1.0) as u32) << (2 * k);
        k += 1;
    }
    bits
}

const PACKED: [u32; 3] = [packed(0), packed(1), packed(2)];

/// Returns a component of the gradient that the random bits of a corner select.
#[inline(always)]
pub fn component(axis: usize, drawn: u32) -> f32 {
    (PACKED[axis] >> (drawn >> 28 << 1) & 3) as i32 as f32 - 1.0
}

/// The contribution of a corner with the random bits `drawn`, at the vector `away` from the corner.
#[inline(always)]
fn corner<const VALUES: bool>(drawn: u32, away: [f32; 3]) -> f32 {
    if VALUES {
        return (drawn >> 8) as i32 as f32 * (1.0 / 8_388_608.0) - 1.0;
    }
    component(0, drawn) * away[0] + component(1, drawn) * away[1] + component(2, drawn) * away[2]
}

/// Interpolates between the values at the corners of a cell. The lowest bit of a corner's number says at which end of
/// the cell along the x axis the corner is.
#[inline(always)]
pub fn blend([u, v, w]: [f32; 3], corner: impl Fn(usize) -> f32) -> f32 {
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let near = mix(mix(corner(0), corner(1), u), mix(corner(2), corner(3), u), v);
    let far = mix(mix(corner(4), corner(5), u), mix(corner(6), corner(7), u), v);
    mix(near, far, w)
}

/// Adds the noise of a sequence of points that passes through few cells: points in the same cell share its corners.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn by_runs<const FADE: u8, const VALUES: bool>(
    law: &Solid,
    points: [&[f32]; 3],
    amplitude: f32,
    out: &mut [f32],
    places: &mut SpacePoints,
) {
    let n = out.len();
    places.find(points, law.frequency, law.shift, n);
    let mut first = 0;
    while first < n {
        let (here, end) = places.run(first, n);
        // Each entry holds a gradient, or a height and two zeros.
        let corners: [[f32; 3]; 8] = std::array::from_fn(|c| {
            let step = |axis: usize| here[axis].wrapping_add((c >> axis & 1) as i32);
            let drawn = drawn(mixed(law.seed, [step(0), step(1), step(2)]));
            if VALUES { [corner::<true>(drawn, [0.0; 3]); 3] } else { [0, 1, 2].map(|axis| component(axis, drawn)) }
        });
        let [xs, ys, zs] = places.fractions(first..end);
        for (((out, &x), &y), &z) in out[first..end].iter_mut().zip(xs).zip(ys).zip(zs) {
            let weights = [x, y, z].map(fade_weight::<FADE>);
            *out += amplitude
                * blend(weights, |c| {
                    let [gx, gy, gz] = corners[c];
                    if VALUES {
                        return gx;
                    }
                    gx * (x - (c & 1) as f32) + gy * (y - (c >> 1 & 1) as f32) + gz * (z - (c >> 2) as f32)
                });
        }
        first = end;
    }
}

/// Number of points processed together.
pub const PART: usize = 64;

/// Adds the noise of points in many cells: each point draws its own corners.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn by_points<const FADE: u8, const VALUES: bool>(law: &Solid, points: [&[f32]; 3], amplitude: f32, out: &mut [f32]) {
    let done = out.len() / PART * PART;
    in_parts::<PART>(points, out, |points, out| part::<FADE, VALUES, PART>(law, points, amplitude, out));
    let rest = points.map(|p| &p[done..]);
    in_parts::<1>(rest, &mut out[done..], |points, out| part::<FADE, VALUES, 1>(law, points, amplitude, out));
}

/// Calls `part` for N points at a time until fewer than N points remain.
#[inline(always)]
pub fn in_parts<const N: usize>(points: [&[f32]; 3], out: &mut [f32], part: impl Fn([&[f32; N]; 3], &mut [f32; N])) {
    let [x, y, z] = points.map(|p| p.as_chunks::<N>().0);
    for (((out, x), y), z) in out.as_chunks_mut::<N>().0.iter_mut().zip(x).zip(y).zip(z) {
        part([x, y, z], out);
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "loops over arrays of equal length vectorise")]
fn part<const FADE: u8, const VALUES: bool, const N: usize>(
    law: &Solid,
    points: [&[f32; N]; 3],
    amplitude: f32,
    out: &mut [f32; N],
) {
    let (mut low, mut inside) = ([[0u32; N]; 3], [[0.0f32; N]; 3]);
    for axis in 0..3 {
        for k in 0..N {
            let (cell, fraction) = floor(points[axis][k] * law.frequency + law.shift[axis]);
            inside[axis][k] = fraction;
            low[axis][k] = (cell as u32).wrapping_mul(PRIMES[axis]);
        }
    }
    let mut at = [[0.0f32; N]; 8];
    for c in 0..8 {
        let step: [u32; 3] = [c & 1, c >> 1 & 1, c >> 2];
        for k in 0..N {
            let along = |axis: usize| low[axis][k].wrapping_add(PRIMES[axis] * step[axis]);
            let away = |axis: usize| inside[axis][k] - step[axis] as f32;
            let drawn = drawn(law.seed ^ along(0) ^ along(1) ^ along(2));
            at[c as usize][k] = corner::<VALUES>(drawn, [away(0), away(1), away(2)]);
        }
    }
    for k in 0..N {
        let weights = [inside[0][k], inside[1][k], inside[2][k]].map(fade_weight::<FADE>);
        out[k] += amplitude * blend(weights, |c| at[c][k]);
    }
}

/// The positions of points in a lattice: their cells, and their positions within the cells.
#[derive(Default)]
pub struct SpacePoints {
    cell: [Vec<i32>; 3],
    fraction: [Vec<f32>; 3],
}

impl SpacePoints {
    /// Computes the positions of `n` points, with `frequency` cells per unit of length.
    #[inline(always)]
    pub fn find(&mut self, points: [&[f32]; 3], frequency: f32, shift: [f32; 3], n: usize) {
        for axis in 0..3 {
            if self.cell[axis].len() < n {
                self.cell[axis].resize(n, 0);
                self.fraction[axis].resize(n, 0.0);
            }
            let (cell, fraction) = (&mut self.cell[axis][..n], &mut self.fraction[axis][..n]);
            for ((x, cell), fraction) in points[axis][..n].iter().zip(cell).zip(fraction) {
                (*cell, *fraction) = floor(x * frequency + shift[axis]);
            }
        }
    }

    /// Returns the cell of point `first`, and the index of the first later point that is in another cell.
    #[inline(always)]
    pub fn run(&self, first: usize, n: usize) -> ([i32; 3], usize) {
        let [x, y, z] = &self.cell;
        let here = [x[first], y[first], z[first]];
        let same = |k: usize| [x[k], y[k], z[k]] == here;
        (here, (first + 1..n).find(|&k| !same(k)).unwrap_or(n))
    }

    /// The positions of the points within their cells, as fractions of a cell.
    #[inline(always)]
    pub fn fractions(&self, points: std::ops::Range<usize>) -> [&[f32]; 3] {
        self.fraction.each_ref().map(|fraction| &fraction[points.clone()])
    }
}

/// A fractal sum on a globe.
pub struct SolidField<N = Solid> {
    globe: Globe,
    octaves: Vec<N>,
    warp: Option<(f32, [Solid; 3])>,
    offset: [f32; 2],
}

impl SolidField {
    /// Creates a sum of gradient noise.
    pub fn new(grid: Grid, random: Stream, law: &Octaves, fade: NoiseFade, warp: DomainWarp) -> Self {
        let eddies = |axis: u64| Solid::new(random.fork(WARP_SALT).fork(axis), warp.frequency * FRAC_2_PI, fade);
        // Converts the strength from side lengths to radii: a side of a face has length π/2.
        let push = warp.strength / FRAC_2_PI;
        Self {
            warp: (push != 0.0).then(|| (push, [eddies(0), eddies(1), eddies(2)])),
            ..Self::from_octaves(grid, random, law, |random, frequency| Solid::new(random, frequency, fade))
        }
    }
}

impl<N: SolidNoise> SolidField<N> {
    /// Creates a sum of octaves. `octave` makes each octave from a random stream and a frequency in cells per radius.
    pub fn from_octaves(grid: Grid, random: Stream, law: &Octaves, octave: impl Fn(Stream, f32) -> N) -> Self {
        let mut frequency = f64::from(law.frequency) * f64::from(FRAC_2_PI);
        let octaves = (0..law.count).map(|k| {
            let octave = octave(random.fork(u64::from(k)), frequency.min(1.0e6) as f32);
            frequency *= f64::from(law.lacunarity);
            octave
        });
        Self {
            globe: Globe::new(grid.samples),
            octaves: octaves.collect(),
            warp: None,
            offset: law.offset.map(|side| side / FRAC_2_PI),
        }
    }

    /// Creates a reader for every octave, for one thread.
    pub fn readers(&self) -> Vec<SolidReader<'_, N>> {
        let row = Rc::new(RefCell::new(SolidRow {
            row: usize::MAX,
            points: Default::default(),
            places: SpacePoints::default(),
        }));
        self.octaves.iter().map(|octave| SolidReader { field: self, octave, row: row.clone() }).collect()
    }

    /// Computes the points at which the noise of a row is read.
    fn read_row(&self, number: usize, row: &mut SolidRow) {
        if row.row == number {
            return;
        }
        let n = self.globe.samples();
        row.points.iter_mut().for_each(|p| p.resize(n, 0.0));
        let [x, y, z] = &mut row.points;
        self.globe.row_directions(number, [x, y, z]);
        if let Some((push, eddies)) = &self.warp {
            let mut moved: [Vec<f32>; 3] = row.points.clone();
            for (to, eddy) in moved.iter_mut().zip(eddies) {
                eddy.add([&row.points[0], &row.points[1], &row.points[2]], *push, to, &mut row.places);
            }
            row.points = moved;
        }
        for (coordinates, offset) in row.points.iter_mut().zip(self.offset) {
            if offset != 0.0 {
                coordinates.iter_mut().for_each(|x| *x += offset);
            }
        }
        row.row = number;
    }
}

/// The points of the current row. All octaves read them.
struct SolidRow {
    row: usize,
    points: [Vec<f32>; 3],
    places: SpacePoints,
}

/// Reads one octave of the noise row by row.
pub struct SolidReader<'a, N = Solid> {
    field: &'a SolidField<N>,
    octave: &'a N,
    row: Rc<RefCell<SolidRow>>,
}

impl<N: SolidNoise> RowReader for SolidReader<'_, N> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let shared = &mut *self.row.borrow_mut();
        self.field.read_row(row, shared);
        let [x, y, z] = &shared.points;
        self.octave.add([x, y, z], amplitude, out, &mut shared.places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octave(frequency: f32) -> Solid {
        Solid::new(Stream::new(3, 4), frequency, NoiseFade::Improved)
    }

    #[test]
    fn the_noise_has_mean_zero_and_deviation_a_quarter() {
        for noise in [octave(9.7), Solid { values: true, ..octave(9.7) }] {
            let globe = Globe::new(65);
            let values: Vec<f64> = (0..globe.len()).map(|k| f64::from(noise.value_at(globe.direction_of(k)))).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64).sqrt();
            assert!(mean.abs() < 0.02 && (deviation - 0.25).abs() < 0.015, "mean {mean}, deviation {deviation}");
        }
    }

    /// The `noise` crate has three-dimensional Perlin noise with other gradients. It has the same distribution as this
    /// noise.
    #[test]
    fn the_distribution_matches_the_noise_crate() {
        use noise::NoiseFn;
        let theirs = noise::Perlin::new(7);
        let noise = octave(1.0);
        let spread = |value: &dyn Fn([f32; 3]) -> f64| {
            let mut values: Vec<f64> = (0..40_000u32)
                .map(|k| value([(k % 97) as f32 * 0.713, (k / 97 % 89) as f32 * 0.577, k as f32 * 0.0041]))
                .collect();
            let deviation = (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
            values.iter_mut().for_each(|v| *v /= deviation);
            values.sort_by(f64::total_cmp);
            values
        };
        let ours = spread(&|p| f64::from(noise.value_at(p)));
        let theirs = spread(&|p| theirs.get(p.map(f64::from)));
        let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).skip(400).take(39_200).fold(0.0, f64::max);
        assert!(apart < 0.35, "quantiles differ by {apart} deviations");
    }

    /// Runs and single points give the same result.
    #[test]
    fn runs_and_single_points_agree() {
        let globe = Globe::new(200);
        let mut points: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; 200]);
        for (row, frequency) in [(0, 0.7), (77, 5.0), (300, 40.0), (1100, 3.0e6), (650, 1.0e9)] {
            let noise = octave(frequency);
            let [x, y, z] = &mut points;
            globe.row_directions(row, [x, y, z]);
            let points = points.each_ref().map(Vec::as_slice);
            let (mut runs, mut singly) = (vec![0.0; 200], vec![0.0; 200]);
            by_runs::<IMPROVED, false>(&noise, points, 1.0, &mut runs, &mut SpacePoints::default());
            by_points::<IMPROVED, false>(&noise, points, 1.0, &mut singly);
            assert_eq!(runs, singly, "{frequency}");
            assert!(runs.iter().all(|h| h.abs() < 1.5), "{frequency}");
            by_runs::<CLASSIC, true>(&noise, points, 1.0, &mut runs, &mut SpacePoints::default());
            by_points::<CLASSIC, true>(&noise, points, 1.0, &mut singly);
            assert_eq!(runs, singly, "values, {frequency}");
        }
    }

    #[test]
    fn the_noise_vanishes_at_lattice_points_and_is_smooth() {
        let noise = Solid { shift: [0.0; 3], ..octave(1.0) };
        assert_eq!([noise.value_at([3.0, -2.0, 5.0]), noise.value_at([0.0; 3])], [0.0, 0.0]);
        let step = (noise.value_at([0.999_99, 0.3, 0.4]) - noise.value_at([1.000_01, 0.3, 0.4])).abs();
        assert!(step < 1e-3, "{step} over a border of cells");
    }
}
