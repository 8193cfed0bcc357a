//! Solid noise: gradient noise of space, read on the surface of a globe.
//!
//! Law: Perlin's noise of three dimensions (2002), with the twelve gradients to the middles of a cube's edges, scaled to a
//! standard deviation of ¼ as the noise of [`lattice`](super::lattice). On a globe a frequency counts features along a side of a
//! face, a quarter of the way around: the lattice has 2·frequency/π cells per radius. Space has no seams and no poles,
//! so neither has what is read from it.
//! Scheme: samples of a row that lie in the same cell share its eight gradients. Every value comes from the sample's own
//! direction alone, which is the same on every face that repeats the sample.
//! Source: Perlin 2002, *Improving Noise*; solid texturing after Perlin 1985.

use std::cell::RefCell;
use std::f32::consts::FRAC_2_PI;
use std::rc::Rc;

use super::octaves::{Fade, Octaves, Reader};
use super::warp::Warp;
use crate::field::{Globe, Grid, Stream};

/// Makes the standard deviation ¼ (measured by a test).
const SCALE: f32 = 0.25 / DEVIATION;
const DEVIATION: f32 = 0.2602;

/// Keeps the displacement apart from what it displaces.
const WARP_SALT: u64 = 0x7761_7270;

/// Perlin's gradients; four stand twice, so that four bits choose one.
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

/// Gradient noise of space, one octave.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    seed: u32,
    /// Lattice cells per unit of length.
    frequency: f32,
    shift: [f32; 3],
    fade: Fade,
}

impl Solid {
    /// `frequency` lattice cells per unit of length.
    pub fn new(random: Stream, frequency: f32, fade: Fade) -> Self {
        let shift = random.fork(0);
        Self {
            seed: random.bits(0, 0) as u32,
            frequency,
            shift: std::array::from_fn(|k| shift.unit(k as i32, 0)),
            fade,
        }
    }

    /// Noise at a point: mean 0, standard deviation about ¼.
    pub fn at(&self, point: [f32; 3]) -> f32 {
        let mut out = [0.0];
        let [x, y, z] = point;
        self.add([&[x], &[y], &[z]], 1.0, &mut out, &mut Places::default());
        out[0]
    }

    /// The gradient at a corner of the lattice.
    fn gradient(&self, [x, y, z]: [i32; 3]) -> [f32; 3] {
        let mut h = self.seed
            ^ (x as u32).wrapping_mul(0x8da6_b343)
            ^ (y as u32).wrapping_mul(0xd816_3841)
            ^ (z as u32).wrapping_mul(0xcb1a_b31f);
        h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
        h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
        GRADIENTS[(h >> 28) as usize]
    }

    /// Adds `amplitude` · noise at the points to `out`.
    pub fn add(&self, points: [&[f32]; 3], amplitude: f32, out: &mut [f32], places: &mut Places) {
        let n = out.len();
        places.fit(n);
        for (axis, coordinates) in points.into_iter().enumerate() {
            let shift = self.shift[axis];
            let (cell, fraction) = (&mut places.cell[axis][..n], &mut places.fraction[axis][..n]);
            for ((x, cell), fraction) in coordinates[..n].iter().zip(cell).zip(fraction) {
                let place = x * self.frequency + shift;
                // truncated and put right: a call of floor would keep the loop from running in lanes
                let whole = place as i32;
                let whole = whole.wrapping_sub(i32::from(place < whole as f32));
                (*cell, *fraction) = (whole, place - whole as f32);
            }
        }
        let [cx, cy, cz] = &places.cell;
        let mut first = 0;
        while first < n {
            let here = [cx[first], cy[first], cz[first]];
            let same = |k: usize| [cx[k], cy[k], cz[k]] == here;
            let end = (first + 1..n).find(|&k| !same(k)).unwrap_or(n);
            let corners: [[f32; 3]; 8] = std::array::from_fn(|k| {
                self.gradient([
                    here[0].wrapping_add((k & 1) as i32),
                    here[1].wrapping_add((k >> 1 & 1) as i32),
                    here[2].wrapping_add((k >> 2) as i32),
                ])
            });
            let inside = places.fraction.each_ref().map(|f| &f[first..end]);
            match self.fade {
                Fade::Improved => cell(
                    &corners,
                    inside,
                    |t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0),
                    amplitude * SCALE,
                    &mut out[first..end],
                ),
                Fade::Classic => {
                    cell(&corners, inside, |t| t * t * (3.0 - 2.0 * t), amplitude * SCALE, &mut out[first..end])
                }
            }
            first = end;
        }
    }
}

/// Adds the noise of points inside one cell.
#[inline(always)]
fn cell(
    corners: &[[f32; 3]; 8],
    [xs, ys, zs]: [&[f32]; 3],
    fade: impl Fn(f32) -> f32,
    amplitude: f32,
    out: &mut [f32],
) {
    let n = out.len();
    let (xs, ys, zs) = (&xs[..n], &ys[..n], &zs[..n]);
    for k in 0..n {
        let (x, y, z) = (xs[k], ys[k], zs[k]);
        let (u, v, w) = (fade(x), fade(y), fade(z));
        let dot = |c: usize| {
            let [gx, gy, gz] = corners[c];
            gx * (x - (c & 1) as f32) + gy * (y - (c >> 1 & 1) as f32) + gz * (z - (c >> 2) as f32)
        };
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let near = mix(mix(dot(0), dot(1), u), mix(dot(2), dot(3), u), v);
        let far = mix(mix(dot(4), dot(5), u), mix(dot(6), dot(7), u), v);
        out[k] += amplitude * mix(near, far, w);
    }
}

/// Working memory of [`Solid::add`].
#[derive(Default)]
pub struct Places {
    cell: [Vec<i32>; 3],
    fraction: [Vec<f32>; 3],
}

impl Places {
    fn fit(&mut self, n: usize) {
        if self.cell[0].len() < n {
            self.cell.iter_mut().for_each(|c| c.resize(n, 0));
            self.fraction.iter_mut().for_each(|f| f.resize(n, 0.0));
        }
    }
}

/// A fractal sum on a globe.
pub struct SolidField {
    globe: Globe,
    octaves: Vec<Solid>,
    warp: Option<(f32, [Solid; 3])>,
    offset: [f32; 2],
}

impl SolidField {
    pub fn new(grid: Grid, random: Stream, law: &Octaves, fade: Fade, warp: Warp) -> Self {
        let mut frequency = f64::from(law.frequency) * f64::from(FRAC_2_PI);
        let octaves = (0..law.count).map(|k| {
            let octave = Solid::new(random.fork(u64::from(k)), frequency.min(1.0e8) as f32, fade);
            frequency *= f64::from(law.lacunarity);
            octave
        });
        let eddies = |axis: u64| Solid::new(random.fork(WARP_SALT).fork(axis), warp.frequency * FRAC_2_PI, fade);
        // sides of a face are π/2 long
        let push = warp.strength / FRAC_2_PI;
        Self {
            globe: Globe::new(grid.samples),
            octaves: octaves.collect(),
            warp: (push != 0.0).then(|| (push, [eddies(0), eddies(1), eddies(2)])),
            offset: law.offset.map(|side| side / FRAC_2_PI),
        }
    }

    /// A reader of every octave, for one thread.
    pub fn readers(&self) -> Vec<SolidReader<'_>> {
        let row = Rc::new(RefCell::new(Row { row: usize::MAX, points: Default::default(), places: Places::default() }));
        self.octaves.iter().map(|octave| SolidReader { field: self, octave, row: row.clone() }).collect()
    }

    /// The points of a row where the noise is read.
    fn read_row(&self, number: usize, row: &mut Row) {
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

/// The points of the row that is being read; the octaves share it.
struct Row {
    row: usize,
    points: [Vec<f32>; 3],
    places: Places,
}

/// Reads rows of one octave.
pub struct SolidReader<'a> {
    field: &'a SolidField,
    octave: &'a Solid,
    row: Rc<RefCell<Row>>,
}

impl Reader for SolidReader<'_> {
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
        Solid::new(Stream::new(3, 4), frequency, Fade::Improved)
    }

    #[test]
    fn the_spread_is_a_quarter_and_the_mean_nothing() {
        let noise = octave(9.7);
        let globe = Globe::new(65);
        let values: Vec<f64> = (0..globe.len()).map(|k| f64::from(noise.at(globe.direction_of(k)))).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64).sqrt();
        assert!(mean.abs() < 0.02 && (deviation - 0.25).abs() < 0.015, "mean {mean}, deviation {deviation}");
    }

    /// The `noise` crate has Perlin's three-dimensional noise too, of other gradients: as spread out as ours.
    #[test]
    fn its_distribution_is_that_of_the_noise_crate() {
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
        let ours = spread(&|p| f64::from(noise.at(p)));
        let theirs = spread(&|p| theirs.get(p.map(f64::from)));
        let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).skip(400).take(39_200).fold(0.0, f64::max);
        assert!(apart < 0.35, "quantiles differ by {apart} deviations");
    }

    #[test]
    fn it_vanishes_at_lattice_points_and_is_smooth_between() {
        let noise = Solid { shift: [0.0; 3], ..octave(1.0) };
        assert_eq!([noise.at([3.0, -2.0, 5.0]), noise.at([0.0; 3])], [0.0, 0.0]);
        let step = (noise.at([0.999_99, 0.3, 0.4]) - noise.at([1.000_01, 0.3, 0.4])).abs();
        assert!(step < 1e-3, "{step} over a border of cells");
    }
}
