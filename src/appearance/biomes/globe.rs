//! The conditions at the samples of a planet that the biome model needs, computed row by row.

use super::model::RowBand;
use super::paint::{Paint, RAGGED_CELSIUS, RAGGED_MOISTURE, RAGGED_OCTAVES};
use crate::field::topology::{EAST, NORTH, SOUTH, WEST};
use crate::field::{Globe, Stream, Terrain, smooth_step};
use crate::nodes::generators::solid::{SpacePoints, blend};

/// Number of noise waves along the radius of a planet. Waves this wide shift whole climate belts, as currents and air
/// masses do.
const SWELL_HUMPS: f32 = 2.3;
/// Distance in metres over which the slopes in degrees of the biome tables are measured. The slope over a longer
/// distance is smaller: it is proportional to the distance to the power of -[`FALL`], because the Hurst exponent of
/// real relief is about 0.7.
const NEAR_METRES: f32 = 50.0;
const FALL: f32 = 0.3;

/// The surface of a planet whose colours are computed.
pub(super) struct GlobeGround<'a> {
    paint: &'a Paint,
    height: &'a [f32],
    globe: Globe,
    /// Tangents of the angles from the centre of a face to its rows and columns.
    tangents: Vec<f32>,
    /// Distance in metres between neighbouring samples at the centre of a face.
    step_metres: f32,
    /// Factor that converts slopes between samples of this globe to slopes over [`NEAR_METRES`], the distance of the
    /// biome tables.
    slope_factor: f32,
}

/// Work buffers for one row.
pub(super) struct GlobeRow {
    points: [Vec<f32>; 3],
    metres: Vec<f32>,
    /// Greatest slope to a neighbour, as a tangent, for each sample. The next buffer holds the slope of the terrain.
    steepest: Vec<f32>,
    tangent: Vec<f32>,
    /// Random deviation from the climate at each sample.
    climate_deviation: Vec<f32>,
    places: SpacePoints,
}

impl GlobeRow {
    /// Buffers for `n` samples.
    pub fn new(n: usize) -> Self {
        let row = || vec![0.0; n];
        Self {
            points: [row(), row(), row()],
            metres: row(),
            steepest: row(),
            tangent: row(),
            climate_deviation: row(),
            places: SpacePoints::default(),
        }
    }
}

/// Positions between the samples of a planet, for which colours are requested. All slices have the same length.
#[derive(Clone, Copy, Debug)]
pub struct GlobeSites<'a> {
    /// Unit vectors to the positions: x, y and z.
    pub directions: [&'a [f32]; 3],
    /// Heights of the positions in metres.
    pub metres: &'a [f32],
    /// Slopes at the positions as tangents.
    pub slopes: &'a [f32],
    /// Distance over which the slopes were measured, in metres.
    pub spacing_metres: f32,
}

impl Paint {
    /// The sRGB colours of the surface of a planet at the positions `ground`.
    pub fn colours_of(&self, ground: &GlobeSites) -> Vec<[u8; 3]> {
        let n = ground.metres.len();
        let (mut band, mut off, mut places) = (RowBand::new(n, self.law()), vec![0.0; n], SpacePoints::default());
        if self.ragged > 0.0 {
            ragged(self.noise, ground.directions, &mut places, &mut off);
        }
        let nearer = self.slopes_nearer(ground.spacing_metres);
        let [celsius, height, slope, moisture] = &mut band.axes;
        self.weather.sample_row(ground.directions, ground.metres, celsius, moisture);
        for k in 0..n {
            let off = self.ragged * off[k];
            celsius[k] += off * RAGGED_CELSIUS;
            moisture[k] -= off * RAGGED_MOISTURE;
            height[k] = self.units.height(ground.metres[k]);
            slope[k] = self.units.slope(ground.slopes[k], ground.slopes[k] * nearer);
        }
        self.law().colours(&mut band);
        (0..n).map(|k| std::array::from_fn(|c| (band.rgb[c][k] + 0.5) as u8)).collect()
    }

    /// Factor that converts slopes over `step_metres` to slopes over [`NEAR_METRES`], the distance of the biome tables.
    fn slopes_nearer(&self, step_metres: f32) -> f32 {
        let ratio = step_metres / NEAR_METRES;
        if self.units.in_degrees() && ratio > 1.0 { libm::powf(ratio, FALL) } else { 1.0 }
    }
}

impl<'a> GlobeGround<'a> {
    /// The surface of the globe `terrain`, to be coloured by `paint`.
    pub fn new(paint: &'a Paint, terrain: &'a Terrain) -> Self {
        let n = terrain.samples();
        let angle = |k: usize| (k as f32 / (n - 1) as f32 - 0.5) * std::f32::consts::FRAC_PI_2;
        let step_metres = paint.side_metres / (n - 1) as f32;
        let nearer = paint.slopes_nearer(step_metres);
        let tangents = (0..n).map(|k| libm::tanf(angle(k))).collect();
        Self { paint, height: &terrain.height, globe: Globe::new(n), tangents, step_metres, slope_factor: nearer }
    }

    /// Computes the conditions at the samples of row `number`; row numbers run through all faces.
    pub fn site_conditions(&self, number: usize, row: &mut GlobeRow, band: &mut RowBand) {
        let (n, paint) = (self.globe.samples(), self.paint);
        let GlobeRow { points, metres, steepest, tangent, climate_deviation, places } = row;
        let [x, y, z] = points;
        self.globe.row_directions(number, [&mut *x, &mut *y, &mut *z]);
        let heights = &self.height[number * n..][..n];
        metres.iter_mut().zip(heights).for_each(|(metres, h)| *metres = h * paint.relief_metres);
        self.slopes(number, steepest, tangent);
        climate_deviation.fill(0.0);
        if paint.ragged > 0.0 {
            ragged(paint.noise, [x, y, z], places, climate_deviation);
        }
        let [celsius, height, slope, moisture] = &mut band.axes;
        paint.weather.sample_row([x, y, z], metres, celsius, moisture);
        for k in 0..n {
            let off = paint.ragged * climate_deviation[k];
            celsius[k] += off * RAGGED_CELSIUS;
            moisture[k] -= off * RAGGED_MOISTURE;
            height[k] = paint.units.height(metres[k]);
            slope[k] = paint.units.slope(steepest[k], tangent[k] * self.slope_factor);
        }
    }

    fn slopes(&self, number: usize, steepest: &mut [f32], tangent: &mut [f32]) {
        let n = self.globe.samples();
        let y = self.tangents[number % n];
        let frame = FaceMetric { y, relief_metres: self.paint.relief_metres, per_metre: 1.0 / self.step_metres };
        let row = |number: usize| &self.height[number * n..][..n];
        let inner = (1..n - 1).contains(&(number % n));
        if inner {
            let [north, here, south] = [number - 1, number, number + 1].map(row);
            frame.row([north, here, south], &self.tangents, [steepest, tangent]);
        }
        for column in (0..n).filter(|&column| !inner || column == 0 || column == n - 1) {
            let index = number * n + column;
            let at = |k: usize| self.height[k];
            let sides =
                [NORTH, EAST, SOUTH, WEST].map(|step| at(self.globe.grid().neighbour(index, step).unwrap_or(index)));
            (steepest[column], tangent[column]) = frame.slopes(at(index), sides, self.tangents[column]);
        }
    }
}

/// Computes slopes in a row of a face. The steps between neighbouring samples have different lengths and are not at
/// right angles; both depend on the tangents x and y of a position's angles from the face's centre.
#[derive(Clone, Copy)]
struct FaceMetric {
    y: f32,
    relief_metres: f32,
    /// 1 divided by the length, in metres, of a step at the centre of a face.
    per_metre: f32,
}

impl FaceMetric {
    /// Slopes at the inner samples of a row, from the heights of the previous row, this row and the next.
    fn row(self, rows: [&[f32]; 3], tangents: &[f32], out: [&mut [f32]; 2]) {
        row_slopes(self, rows, tangents, out);
    }

    /// The greatest slope to one of the neighbours in the north, east, south and west, and the slope of the terrain,
    /// both as tangents.
    #[inline(always)]
    fn slopes(self, here: f32, sides: [f32; 4], x: f32) -> (f32, f32) {
        let (here, y) = (here * self.relief_metres, self.y);
        let [north, east, south, west] = sides.map(|side| side * self.relief_metres);
        let (a, b, d) = (1.0 + x * x, 1.0 + y * y, 1.0 + x * x + y * y);
        let over = 1.0 / (d * d);
        let (along, across, mixed) = (a * a * b * over, b * b * a * over, -x * y * a * b * over);
        let (dx, dy) = (0.5 * (east - west) * self.per_metre, 0.5 * (south - north) * self.per_metre);
        let area = along * across - mixed * mixed;
        let square = (across * dx * dx - 2.0 * mixed * dx * dy + along * dy * dy) / area;
        let greater = |a: f32, b: f32| if a > b { a } else { b };
        let beside = greater((east - here).abs(), (west - here).abs()) / along.sqrt();
        let below = greater((north - here).abs(), (south - here).abs()) / across.sqrt();
        (greater(beside, below) * self.per_metre, greater(square, 0.0).sqrt())
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn row_slopes(
    frame: FaceMetric,
    [north, here, south]: [&[f32]; 3],
    tangents: &[f32],
    [steepest, tangent]: [&mut [f32]; 2],
) {
    let n = here.len();
    let inside = 1..n - 1;
    let (steepest, tangent) = (&mut steepest[inside.clone()], &mut tangent[inside.clone()]);
    let sides = north[inside.clone()].iter().zip(&here[2..]).zip(&south[inside.clone()]).zip(&here[..n - 2]);
    let places = here[inside.clone()].iter().zip(&tangents[inside]);
    for (((steepest, tangent), (&here, &x)), (((&north, &east), &south), &west)) in
        steepest.iter_mut().zip(tangent).zip(places).zip(sides)
    {
        (*steepest, *tangent) = frame.slopes(here, [north, east, south, west], x);
    }
}

/// Noise of several octaves at the given `points` on the unit sphere, without seams between faces.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn ragged(noise: Stream, points: [&[f32]; 3], places: &mut SpacePoints, out: &mut [f32]) {
    let n = out.len();
    let (mut weight, mut humps) = (1.5, SWELL_HUMPS);
    for octave in 0..RAGGED_OCTAVES {
        places.find(points, humps, [1.5 * humps; 3], n);
        let shift = octave as i32 * 7919;
        let mut first = 0;
        while first < n {
            let ([x, y, z], end) = places.run(first, n);
            // The 3D lattice of random values is stored in a 2D plane: each layer of the lattice is a part of the
            // plane.
            let corners: [f32; 8] = std::array::from_fn(|c| {
                let [dx, dy, dz] = [c & 1, c >> 1 & 1, c >> 2].map(|step| step as i32);
                noise.signed(x + dx + shift, (y + dy) * 4096 + z + dz)
            });
            let [xs, ys, zs] = places.fractions(first..end);
            for (((out, &x), &y), &z) in out[first..end].iter_mut().zip(xs).zip(ys).zip(zs) {
                *out += weight * blend([x, y, z].map(smooth_step), |c| corners[c]);
            }
            first = end;
        }
        weight *= 0.62;
        humps *= 2.9;
    }
}
