//! Gullies by point: branching ravines without a simulation.
//!
//! Law: octave k draws stripes of wavelength λ_k = size / 2^k whose crests run down the slope. With g the slope, uphill
//! (that of the smoothed ground, and of the octaves before), e the unit vector across it on the ground and c_i the
//! centres of the cells of a jittered lattice of side λ_k about a place p:
//! s = Σ w_i cos φ_i / Σ w_i, φ_i = 2π (p - c_i)·e / λ_k, w_i = (1 - d_i²/1.44)² up to a distance d_i of 1.2 cells.
//! The ground rises by ½ a_k m s, with a_k = depth · persistence^k, and keeps its mean height. Its slope ½ a_k m s' e,
//! s' = -2π/λ_k Σ w_i sin φ_i / Σ w_i, is added to g for the next octave, `branching` times, so that finer gullies run
//! into the larger ones at an angle.
//! m fades where the ground is gentle, and from octave to octave by 1 - `crest_fade` · s² on crests and in creases:
//! gullies begin below a crest and do not cross it.
//!
//! The result depends on the slope at a place and on nothing that happens elsewhere: any size costs the same a sample,
//! and larger sizes add nothing but samples. The map *Ridge* is the mean of s over the octaves, by depth: 1 on crests,
//! -1 in creases.
//! Boundary: on wrapping ground the lattice repeats; on a globe it is one of space.
//! Source: Johansen 2026, after Clay John 2018 and Nick Fenwick; Gabor noise by Lagae et al. 2009. Fading by slope in
//! degrees, and depths in metres, are ours.

use std::f32::consts::TAU;

use rayon::prelude::*;

use super::super::filters::gauss;
use crate::field::{Cancelled, MapKind, Stream, Terrain, globe_gradient, gradient};
use crate::nodes::{Context, Filter, Traits};

crate::params! {
    /// Draws branching gullies down the slopes, at once and at any size: no water runs, so nothing is carried away or
    /// laid down. Good ground for an erosion to go on from.
    Gullies "Gullies" in "Erosion", from "Johansen 2026; Clay John 2018", also "erosion filter ravines branching directional noise gabor fast ridges" {
        /// Width of the largest gullies, from crest to crest.
        size: f32 ["m"] = 800.0, 1.0..=1_000_000.0, slider 50.0..=4000.0;
        /// How often finer gullies are added, each half as wide.
        octaves: u32 = 5, 1..=12;
        /// Depth of the largest gullies on steep ground.
        depth: f32 ["m"] = 180.0, 0.0..=100_000.0, slider 0.0..=500.0;
        /// How deep each octave is beside the one before. Small is smooth, large is ragged.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8;
        /// How much finer gullies turn towards the larger ones. At 0 all run straight down the slope.
        branching: f32 = 1.0, 0.0..=10.0, slider 0.0..=3.0;
        /// How far gullies stay away from crests and from the bottoms of larger ones.
        crest_fade: f32 = 0.7, 0.0..=1.0;
        /// Slope below which there are no gullies.
        slope_from: f32 ["°"] = 3.0, 0.0..=90.0, slider 0.0..=30.0;
        /// Slope from which on they have their full depth.
        slope_to: f32 ["°"] = 20.0, 0.0..=90.0, slider 5.0..=60.0;
        presets {
            Light "Light": "Shallow rills." { size = 400.0, depth = 30.0 }
            Natural "Natural": "Branching gullies below every crest." {}
            Ranges "Ranges": "Large valleys with branches of every width." { size = 3000.0, octaves = 7, depth = 400.0 }
            Badlands "Badlands": "Narrow ravines close together, on gentle slopes too." { size = 250.0, depth = 60.0, persistence = 0.6, slope_from = 1.0, slope_to = 10.0 }
        }
    }
}

/// The data map of this filter.
const WRITTEN: [MapKind; 1] = [MapKind::Ridge];
/// Radius of the kernel in cells, squared: no farther than a centre outside the 3 × 3 cells can lie.
const REACH_SQUARED: f32 = 1.44;
/// How far centres lie off the middle of their cells, in cells along each axis.
const JITTER: f32 = 0.3;
/// As much in space, where the corners of a cell lie farther from its middle.
const SOLID_JITTER: f32 = 0.15;
/// Standard deviation of the smoothing of the ground whose slope is followed, in sizes.
const SMOOTHING: f32 = 0.2;
/// Turns, in radians, of which no few come to a whole.
const GOLDEN_ANGLE: f32 = 2.399_963_2;
/// Slope (rise over run) below which no direction is told.
const LEVEL: f32 = 1.0e-6;

impl Filter for Gullies {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            on_globe: true,
            is_random: true,
            previews_exactly: false,
            working_fields: 2.1,
            parts: gauss::parts(SMOOTHING * self.size, 1),
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let smooth = gauss::smoothed(cx, &terrain.height, SMOOTHING * self.size)?;
        self.apply_smoothed(cx, smooth, terrain)
    }

    fn apply_smoothed(&self, cx: &Context, smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let (grid, n) = (cx.grid, cx.grid.samples);
        let law = GullyLaw::new(self, cx);
        let globe = grid.shape();
        let mut ridge = vec![0.0f32; grid.len()];
        let rows = terrain.height.par_chunks_mut(n).zip(ridge.par_chunks_mut(n)).enumerate();
        rows.try_for_each(|(i, (heights, ridges))| {
            cx.control.check()?;
            for (j, (height, ridge)) in heights.iter_mut().zip(ridges).enumerate() {
                let (raised, crest) = match (&globe, cx.planet) {
                    (Some(globe), Some(planet)) => {
                        let radius = planet.radius_metres;
                        let up = globe.direction_of(grid.owner(i * n + j));
                        let slope = globe_gradient(globe, &smooth, i * n + j).map(|g| g * cx.relief_metres / radius);
                        law.sample(up.map(|x| x * radius), up, slope)
                    }
                    _ => {
                        let (x, y) = gradient(grid, &smooth, i, j);
                        let place = [grid.column_position(j), grid.row_position(i), 0.0].map(|x| x * cx.size_metres);
                        let steep = cx.relief_metres / cx.size_metres;
                        law.sample(place, [0.0, 0.0, 1.0], [x * steep, y * steep, 0.0])
                    }
                };
                *height += raised;
                *ridge = crest;
            }
            Ok(())
        })?;
        grid.close(&mut ridge);
        terrain.map_mut(MapKind::Ridge).copy_from_slice(&ridge);
        terrain.close_seam();
        Ok(())
    }
}

/// Stripes of one wavelength.
struct GullyOctave {
    /// Metres of a cell.
    cell: f32,
    /// Cells along a side after which the lattice repeats, on a square.
    around: Option<i32>,
    /// Metres.
    depth: f32,
    /// Cosine and sine by which the lattice is turned, so that its rows do not lie on those of another octave.
    turn: [f32; 2],
    /// Whether the lattice fills space, as it does on a globe.
    is_solid: bool,
    random: Stream,
}

/// The law in metres.
struct GullyLaw {
    octaves: Vec<GullyOctave>,
    branching: f32,
    crest_fade: f32,
    /// Tangents of the slopes between which gullies fade in.
    fade: [f32; 2],
    relief_metres: f32,
    /// The depths of all octaves together.
    whole: f32,
}

impl GullyLaw {
    fn new(params: &Gullies, cx: &Context) -> Self {
        let tangent = |degrees: f32| libm::tanf(if degrees < 89.9 { degrees } else { 89.9 } * (TAU / 360.0));
        let octave = |k: u32| {
            let wanted = params.size / (1u32 << k) as f32;
            // whole cells along a side, so that wrapping ground has no seam
            let cells = (cx.size_metres / wanted).round();
            let cells = if cells > 1.0 { cells } else { 1.0 };
            let is_globe = cx.grid.is_globe();
            let around = if is_globe || cx.grid.has_edge() { None } else { Some(cells as i32) };
            let angle = GOLDEN_ANGLE * (k + 1) as f32;
            GullyOctave {
                cell: if is_globe { wanted } else { cx.size_metres / cells },
                around,
                depth: params.depth * libm::powf(params.persistence, k as f32),
                turn: if around.is_some() { [1.0, 0.0] } else { [libm::cosf(angle), libm::sinf(angle)] },
                is_solid: is_globe,
                random: cx.random.fork(u64::from(k)),
            }
        };
        let octaves: Vec<GullyOctave> = (0..params.octaves).map(octave).collect();
        let whole: f32 = octaves.iter().map(|octave| octave.depth).sum();
        Self {
            whole: if whole > 0.0 { whole } else { 1.0 },
            octaves,
            branching: params.branching,
            crest_fade: params.crest_fade,
            fade: [tangent(params.slope_from), tangent(params.slope_to)],
            relief_metres: cx.relief_metres,
        }
    }

    /// By how much the ground rises at `place`, as a fraction of the relief, and how much of a crest it is; `up` is
    /// away from the ground, `slope` uphill, rise over run.
    fn sample(&self, place: [f32; 3], up: [f32; 3], slope: [f32; 3]) -> (f32, f32) {
        let steepness = dot(slope, slope).sqrt();
        if steepness < LEVEL {
            return (0.0, 0.0);
        }
        let [from, to] = self.fade;
        let mut mask = if to > from {
            let t = (steepness - from) / (to - from);
            let t = t.clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        } else if steepness < from {
            0.0
        } else {
            1.0
        };
        let (mut slope, mut raised, mut crest) = (slope, 0.0, 0.0);
        for octave in &self.octaves {
            let steep = dot(slope, slope).sqrt();
            if mask <= 0.0 || steep < LEVEL {
                break;
            }
            let across = cross(up, slope).map(|x| x / steep);
            let (wave, rise) = octave.stripes(place, across);
            let depth = 0.5 * octave.depth * mask;
            raised += depth * wave;
            crest += octave.depth * mask * wave;
            let turn = self.branching * depth * rise;
            slope = [0, 1, 2].map(|k| slope[k] + turn * across[k]);
            mask *= 1.0 - self.crest_fade * wave * wave;
        }
        (raised / self.relief_metres, crest / self.whole)
    }
}

impl GullyOctave {
    /// The wave at `place`, from -1 to 1, and how it rises along `across`, for each metre.
    fn stripes(&self, place: [f32; 3], across: [f32; 3]) -> (f32, f32) {
        let [cosine, sine] = self.turn;
        let turned = |[x, y, z]: [f32; 3]| [cosine * x - sine * y, sine * x + cosine * y, z];
        let (at, across) = (turned(place).map(|x| x / self.cell), turned(across));
        let first = at.map(|x| x.floor());
        let (layers, jitter) = if self.is_solid { (-1..=1, SOLID_JITTER) } else { (0..=0, JITTER) };
        let (mut weights, mut cosines, mut sines) = (0.0f32, 0.0f32, 0.0f32);
        for z in layers {
            let layer = if self.is_solid { self.random.fork((first[2] as i32 + z) as u32 as u64) } else { self.random };
            for y in -1..=1 {
                for x in -1..=1 {
                    let cell = [first[0] as i32 + x, first[1] as i32 + y];
                    let named = match self.around {
                        Some(around) => cell.map(|k| k.rem_euclid(around)),
                        None => cell,
                    };
                    let bits = layer.bits(named[0], named[1]);
                    let offset =
                        |shift: u32| 0.5 + jitter * (((bits >> shift) & 0xffff) as f32 * (1.0 / 32_768.0) - 1.0);
                    let dz = if self.is_solid { at[2] - (first[2] + z as f32 + offset(32)) } else { 0.0 };
                    let off = [at[0] - (cell[0] as f32 + offset(0)), at[1] - (cell[1] as f32 + offset(16)), dz];
                    let near = 1.0 - dot(off, off) / REACH_SQUARED;
                    if near > 0.0 {
                        let (sine, cosine) = libm::sincosf(TAU * dot(off, across));
                        let weight = near * near;
                        weights += weight;
                        cosines += weight * cosine;
                        sines += weight * sine;
                    }
                }
            }
        }
        if weights > 0.0 { (cosines / weights, -TAU / self.cell * sines / weights) } else { (0.0, 0.0) }
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Control, Edges};

    /// Ridges on a plane that rises by `degrees` to the east.
    fn on_a_plane(gullies: &Gullies, degrees: f32) -> Terrain {
        let control = Control::default();
        let grid = crate::field::Grid::new(129, Edges::Open);
        let cx = Context {
            grid,
            size_metres: 4000.0,
            relief_metres: 1000.0,
            sea_level: 0.0,
            planet: None,
            scene_samples: 129,
            level: 1.0,
            random: Stream::new(3, 1),
            control: &control,
        };
        let rise = libm::tanf(degrees.to_radians()) * 4.0;
        let mut terrain = Terrain::from_fn(129, Edges::Open, |u, _| u * rise);
        gullies.apply(&cx, &mut terrain).unwrap();
        terrain
    }

    #[test]
    fn gullies_run_down_the_slope_and_stay_off_gentle_ground() {
        let gullies = Gullies { octaves: 1, ..Gullies::default() };
        let terrain = on_a_plane(&gullies, 30.0);
        let ridge = terrain.map(MapKind::Ridge).unwrap();
        let change = |step: usize| {
            let inner = (20..109).flat_map(|i| (20..109).map(move |j| i * 129 + j));
            inner.map(|k| f64::from((ridge[k + step] - ridge[k]).abs())).sum::<f64>()
        };
        assert!(change(129) > 3.0 * change(1), "across {} along {}", change(129), change(1));
        let (low, high) = ridge.iter().fold((0.0f32, 0.0f32), |(low, high), &r| (low.min(r), high.max(r)));
        assert!(low < -0.9 && high > 0.9, "{low} {high}");
        let gentle = on_a_plane(&gullies, 2.0);
        assert!(gentle.map(MapKind::Ridge).unwrap().iter().all(|&ridge| ridge == 0.0));
    }

    #[test]
    fn the_ground_keeps_its_mean_height() {
        let terrain = on_a_plane(&Gullies::default(), 30.0);
        let grid = terrain.grid;
        let plane = f64::from(libm::tanf(30f32.to_radians()) * 4.0) * 0.5;
        let mean = grid.sum(&terrain.height) / grid.distinct_len() as f64;
        assert!((mean - plane).abs() < 0.005, "{mean} {plane}");
    }
}
