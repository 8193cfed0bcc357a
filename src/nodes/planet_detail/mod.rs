//! The terrain of a planet at any resolution, down to a metre: a single function of the position on the sphere.
//!
//! A planet has a sample every few kilometres. Between these samples [`PlanetDetail`] adds matching terrain by position
//! alone: the same position has the same height in any square, in any order, on any number of threads.
//! `talweg::scene::take_patch` samples this terrain, and so do patches and the exports of patches.
//!
//! Law, for a point p with samples `spacing` apart:
//! 1. Noise n_k (`octaves`) in cubes of side ℓ_k = ℓ_0/2^k, from ℓ_0 = two cells of the planet down to 2 m. The height
//!    of each octave is the height of the previous octave times [`PERSISTENCE`], or times [`BROAD_PERSISTENCE`] for
//!    large cubes. An octave fades in as ℓ_k rises from 2 to 4 spacings: a coarse square lacks only the detail that it
//!    cannot show.
//! 2. The position is moved along the contour lines of the larger octaves, p' = p + Σ b_k·ℓ_k·(up × ∇n_k), by a
//!    divergence-free flow that preserves areas. The factors b_k set the distance. The coarse terrain is read at p'
//!    (`coarse`). Its coasts, valleys and rivers therefore share bends that are finer than the planet's samples.
//! 3. Rivers (`courses`) are also evaluated at p'. In a river the terrain is the river bed, which never rises
//!    downstream. Outside the river the terrain starts at the banks and blends into the coarse terrain within 0.45
//!    cells: g = bank + t·(coarse - bank) + v. Here t rises from 0 to 1, and v is the height of the valley sides, which
//!    is at most the surrounding relief.
//! 4. Gullies, from half a cell down to [`GULLY_METRES`]: stripes that run down the slope of the terrain. This slope
//!    includes the larger octaves and the previous gullies, so that the gullies branch (as in
//!    [`gullies`](crate::erosion::gullies)). There are no gullies where the slope turns within one cell of the stripes,
//!    as around summits: stripes would crowd into spikes there.
//! 5. The relief F of noise and gullies is limited by the room R: the height of g above (or below) the sea, a lake and
//!    the banks of rivers. An octave of height a is multiplied by R/(R + 2a). The final height is
//!    h = g + F·R/(R + |F|). The relief vanishes in channels and at shores, and never crosses a water level.
//! 6. Craters (`pits`), if the stack has any, continue below the smallest crater that the planet shows. They follow the
//!    size-frequency distribution of the crater layers.
//!
//! Conditions: the noise is as high as the surrounding coarse relief (rise over a cell), so that plains stay flat.
//! Where it rains, the noise is at least as high as the relief that rivers cut into terrain of this height above the
//! sea. If the stack has craters, the noise has a quarter of this height. Fine octaves are lower on gentle slopes.
//! Gullies need air. There are fewer gullies in deserts and in rain forests, and few below the sea.
//! Accuracy: positions are accurate to 3·10⁻¹¹ of a face's side length (0.3 mm on Earth). Heights are in metres, in
//! single precision.
//! Source: the sum of fractals after Musgrave in Ebert et al. 2003; divergence-free flows after Bridson et al. 2007;
//! gullies after Johansen 2026 with the phasor noise of Tricard et al. 2019; the limit of the relief at water is our
//! own.

mod coarse;
mod courses;
mod octaves;
mod pits;
mod sample;

use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;

use crate::planet::craters::Craters;
use coarse::local_relief;
use courses::{RiverCourses, RiverGround};
use octaves::{BlockPoints, PART, SpaceLattice};
use pits::SmallCraters;
use sample::{BlockGround, BlockWork};
use talweg_ground::field::globe::locate_fast;
use talweg_ground::field::{Cancelled, Control, Edges, Globe, Grid, MapKind, Stream, Terrain};
use talweg_ground::hydrology::FlowMesh;
use talweg_ground::planet::Planet;
use talweg_ground::planet::climate::{Climate, ClimateTerrain, TerrainClimate};
use talweg_ground::planet::square::{Square, SquareAxes};

/// Amplitude of each octave of noise relative to the previous octave. It is 2^-H for a Hurst exponent H of 0.74, so
/// that spectra fall with the power 2H + 1 ≈ 2.5. Measured values for whole US states range from 0.41 (Oregon) to 0.91
/// (Arizona; Huang & Turcotte 1989, 1990).
pub const PERSISTENCE: f32 = 0.6;
/// The same ratio as [`PERSISTENCE`], for cubes wider than [`BROAD_METRES`]: continents have a Hurst exponent H of 0.5
/// (Bell 1975; Turcotte 1987), and valleys have values between 0.5 and 0.74.
pub const BROAD_PERSISTENCE: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Side length of the cubes, in metres, above which octaves decrease by the factor [`BROAD_PERSISTENCE`].
pub const BROAD_METRES: f64 = 10_000.0;
/// Relief that rivers cut into high terrain within a distance of [`WINDOW_METRES`], as a fraction of the terrain's
/// height above the sea. The higher a mountain range, the deeper its valleys (Ahnert 1970). The samples of a planet are
/// means of peaks and valleys and do not contain these valleys.
const DISSECTED: f32 = 0.3;
/// Distance in metres to which [`DISSECTED`] refers. Over a shorter distance the relief decreases at the rate at which
/// the octaves of noise decrease.
const WINDOW_METRES: f64 = 20_000.0;
/// Minimum distance between two gully crests, in metres.
pub const GULLY_METRES: f64 = 100.0;
/// Height of the noise if the stack has craters, relative to the height in a stack without craters.
const CRATERED_NOISE_FACTOR: f32 = 0.25;
/// Cube side of the finest octave of noise, in metres.
const FINEST_METRES: f64 = 2.0;
/// Number of octaves that displace the position and contribute to the slope that gullies follow.
const BROAD: usize = 9;
/// Samples along the side of the blocks into which a square is divided.
const TILE: usize = 8;

/// The input from which a planet's detail is computed, in addition to the planet's samples.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailSource {
    /// The planet's size and air.
    pub planet: Planet,
    /// Height in metres that the field value 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the sea in metres. A value below minus the relief means that there is no sea.
    pub sea_metres: f32,
    /// The climate of the planet.
    pub climate: Climate,
    /// The layers that add craters.
    pub craters: Vec<Craters>,
    /// Seed of the scene.
    pub seed: u32,
}

/// The terrain of a planet at any resolution. `T` holds the evaluated planet: a reference or an [`Arc`].
pub struct PlanetDetail<T> {
    terrain: T,
    globe: Globe,
    radius_metres: f64,
    relief_metres: f32,
    sea_metres: Option<f32>,
    /// Cells under standing water; `None` without standing water.
    lakes: Option<Vec<bool>>,
    /// Rise of the terrain over a cell, in metres.
    relief: Vec<f32>,
    /// Density of gullies according to the climate, from 0 to 1.
    gullying: Vec<f32>,
    octaves: Vec<SpaceLattice>,
    gullies: Vec<SpaceLattice>,
    rivers: RiverCourses,
    craters: SmallCraters,
    weather: TerrainClimate,
}

/// Properties of the detailed terrain at one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DetailSample {
    /// Height in metres.
    pub height_metres: f32,
    /// Depth of river or lake water in metres; the sea is not included.
    pub water_metres: f32,
    /// Fraction of the area around the point that is under river or lake water, from 0 to 1. The area is as wide as the
    /// sample spacing. In a river the fraction is at least 0.4 even if the river is narrow.
    pub water_share: f32,
}

impl<T: Deref<Target = Terrain> + Sync> PlanetDetail<T> {
    /// Prepares the detail of the evaluated planet `terrain`: finds its rivers and its local roughness. This takes a
    /// few seconds on large planets, and memory for about 3 numbers per sample. The cost of a later query does not
    /// depend on the size of the planet.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn new(source: &DetailSource, terrain: T, control: &Control) -> Result<Self, Cancelled> {
        let DetailSource { planet, climate, craters, .. } = source;
        let (relief_metres, sea_metres, seed) = (source.relief_metres, source.sea_metres, source.seed);
        let radius_metres = f64::from(planet.radius_metres);
        let sea = (sea_metres >= -relief_metres).then_some(sea_metres);
        let mesh = FlowMesh::new(terrain.grid);
        control.check()?;
        let side = planet.side_metres();
        let cell_metres = f64::from(mesh.cell_metres(side));
        let mut relief = local_relief(&mesh, &terrain.height, control)?;
        let ground = RiverGround { terrain: &terrain, mesh: &mesh, radius_metres, relief_metres, sea_metres: sea };
        let has_rivers = planet.atmosphere > 0.0 && sea.is_some();
        let mut rivers = if has_rivers { RiverCourses::new(&ground, control)? } else { RiverCourses::none() };
        let weather = TerrainClimate::new(
            climate,
            &ClimateTerrain { terrain: &terrain, relief_metres, sea_metres, side_metres: side },
        );
        control.check()?;
        let air = planet.air_shielding() / Planet::default().air_shielding();
        let air = if air < 1.0 { air } else { 1.0 };
        let globe = Globe::new(terrain.samples());
        let gullying: Vec<f32> = (0..terrain.grid.len())
            .into_par_iter()
            .map(|k| {
                let wet = weather.at_direction(globe.direction_of(k), 0.0).moisture;
                air * gullies_by_moisture(wet)
            })
            .collect();
        control.check()?;
        // In a stack with craters the craters create the relief, and the rubble between them is smooth.
        let share = if craters.is_empty() { 1.0 } else { CRATERED_NOISE_FACTOR };
        let shorter = (cell_metres / WINDOW_METRES).min(1.0);
        let dissected = if has_rivers { DISSECTED * libm::pow(shorter, 0.74) as f32 } else { 0.0 };
        relief.par_iter_mut().enumerate().for_each(|(k, rise)| {
            let above = terrain.height[k] * relief_metres - sea_metres;
            let cut = if above > 0.0 { dissected * gullying[k] * above } else { 0.0 };
            let own = *rise * relief_metres * share;
            *rise = (own * own + cut * cut).sqrt();
        });
        let random = Stream::new(seed, 0x6465_7461);
        let lattices = |salt: u64, first: f64, last: f64| {
            let sides = std::iter::successors(Some(first), |side| Some(0.5 * side)).take_while(|&side| side >= last);
            let made = sides.enumerate().map(|(k, side)| SpaceLattice::new(random.fork(salt).fork(k as u64), side));
            made.collect::<Vec<_>>()
        };
        let smallest_shown = 2.0 * cell_metres;
        Ok(Self {
            octaves: lattices(0, 2.0 * cell_metres, FINEST_METRES),
            gullies: lattices(1, 0.5 * cell_metres, GULLY_METRES),
            craters: SmallCraters::new(craters, planet, smallest_shown, random.fork(2)),
            lakes: rivers.take_lakes(),
            terrain,
            globe,
            radius_metres,
            relief_metres,
            sea_metres: sea,
            relief,
            gullying,
            rivers,
            weather,
        })
    }

    /// The evaluated planet.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Computes the terrain in the given directions from the planet's centre (unit vectors), for samples that are
    /// `spacing_metres` apart. Relief finer than two sample spacings is skipped. The result of a direction does not
    /// depend on the other directions or on their order.
    pub fn samples_at(&self, directions: &[[f64; 3]], spacing_metres: f64) -> Vec<DetailSample> {
        let mut out = vec![DetailSample::default(); directions.len()];
        out.par_chunks_mut(PART)
            .zip(directions.par_chunks(PART))
            .for_each_init(BlockWork::default, |work, (out, part)| self.part(part, spacing_metres, work, out));
        out
    }

    /// Does the same as [`samples_at`](Self::samples_at), but on the calling thread only. `stop` is called every few
    /// hundredths of a millisecond; if it returns true, the result is `None`.
    pub fn samples_on_this_thread(
        &self,
        directions: &[[f64; 3]],
        spacing_metres: f64,
        stop: impl Fn() -> bool,
    ) -> Option<Vec<DetailSample>> {
        let mut out = vec![DetailSample::default(); directions.len()];
        let mut work = BlockWork::default();
        for (out, part) in out.chunks_mut(PART).zip(directions.chunks(PART)) {
            if stop() {
                return None;
            }
            self.part(part, spacing_metres, &mut work, out);
        }
        Some(out)
    }

    /// Computes the terrain in at most [`PART`] directions.
    fn part(&self, part: &[[f64; 3]], spacing_metres: f64, work: &mut BlockWork, out: &mut [DetailSample]) {
        let mut ground = BlockGround::default();
        // An incomplete block is filled up with copies of its last point.
        let points: BlockPoints =
            std::array::from_fn(|axis| std::array::from_fn(|k| part[k.min(part.len() - 1)][axis] * self.radius_metres));
        self.block(&points, spacing_metres, work, &mut ground);
        for (k, out) in out.iter_mut().enumerate() {
            *out = DetailSample {
                height_metres: ground.height[k],
                water_metres: ground.water[k],
                water_share: ground.water_share[k],
            };
        }
    }

    /// Computes the terrain of a square with `samples` (at least 2) per side, from edge to edge. Heights and data maps
    /// are fractions of the planet's relief. A sample depends only on its position and on the sample spacing. The
    /// square has the map `Water` if the planet has rivers or lakes, and `Humidity` (of the climate) if the planet has
    /// a sea. The planet's other maps are interpolated between the planet's samples.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn square(&self, square: &Square, samples: usize, control: &Control) -> Result<Terrain, Cancelled> {
        let n = samples.max(2);
        let frame = square.frame(self.radius_metres);
        let spacing = square.side_metres / (n - 1) as f64;
        let mut out = Terrain::flat(Grid::new(n, Edges::Open));
        let mut water = vec![0.0f32; out.grid.len()];
        let bands = out.height.par_chunks_mut(TILE * n).zip(water.par_chunks_mut(TILE * n)).enumerate();
        bands.try_for_each_init(BlockWork::default, |work, (band, (heights, waters))| {
            control.check()?;
            self.band(&frame, [n, band * TILE], spacing, work, [heights, waters]);
            Ok(())
        })?;
        if water.iter().any(|&depth| depth > 0.0) || self.terrain.map(MapKind::Water).is_some() {
            out.set_map(MapKind::Water, Some(Arc::new(water)));
        }
        self.other_maps(&frame, &mut out, control)?;
        Ok(out)
    }

    /// Computes the rows of a square in tiles, starting at row `first`.
    #[allow(clippy::needless_range_loop, reason = "indices are positions in a tile")]
    fn band(
        &self,
        frame: &SquareAxes,
        [n, first]: [usize; 2],
        spacing: f64,
        work: &mut BlockWork,
        [heights, waters]: [&mut [f32]; 2],
    ) {
        let rows = heights.len() / n;
        let mut ground = BlockGround::default();
        for left in (0..n).step_by(TILE) {
            let columns = TILE.min(n - left);
            let mut points: BlockPoints = [[0.0; PART]; 3];
            for k in 0..PART {
                // Beyond the edge of the square its last sample is repeated.
                let (i, j) = ((k / TILE).min(rows - 1), (k % TILE).min(columns - 1));
                let direction = frame.direction(frame.position(left + j, n), frame.position(first + i, n));
                (0..3).for_each(|axis| points[axis][k] = direction[axis] * self.radius_metres);
            }
            self.block(&points, spacing, work, &mut ground);
            for i in 0..rows {
                for j in 0..columns {
                    let at = i * n + left + j;
                    heights[at] = ground.height[i * TILE + j] / self.relief_metres;
                    waters[at] = ground.water[i * TILE + j] / self.relief_metres;
                }
            }
        }
    }

    /// Adds the maps that are interpolated between the planet's samples, and the moisture.
    fn other_maps(&self, frame: &SquareAxes, out: &mut Terrain, control: &Control) -> Result<(), Cancelled> {
        let n = out.samples();
        for (kind, map) in self.terrain.maps() {
            // Rivers and lakes are computed separately. Flow is measured in cells of the planet and has no meaning on a
            // finer grid.
            if matches!(kind, MapKind::Water | MapKind::Flow | MapKind::Film) {
                continue;
            }
            let mut read = vec![0.0f32; out.grid.len()];
            read.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
                control.check()?;
                for (j, out) in row.iter_mut().enumerate() {
                    let direction = frame.direction(frame.position(j, n), frame.position(i, n));
                    *out = self.globe.sample_at(map, locate_fast(direction));
                }
                Ok(())
            })?;
            out.set_map(kind, Some(Arc::new(read)));
        }
        if self.sea_metres.is_some() {
            let moisture = self.moisture(frame);
            let mut map = vec![0.0f32; out.grid.len()];
            map.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
                let v = frame.position(i, n) as f32;
                row.iter_mut()
                    .enumerate()
                    .for_each(|(j, out)| *out = moisture.height_at(frame.position(j, n) as f32, v));
            });
            out.set_map(MapKind::Humidity, Some(Arc::new(map)));
        }
        Ok(())
    }

    /// Computes the moisture of the climate on a coarse grid, which is fine enough to show all variation of the
    /// climate.
    fn moisture(&self, frame: &SquareAxes) -> Terrain {
        Terrain::from_fn(65, Edges::Open, |u, v| {
            let direction = frame.direction(f64::from(u), f64::from(v));
            self.weather.at_direction(direction.map(|x| x as f32), 0.0).moisture
        })
    }
}

/// Amplitude of the next octave relative to an octave whose cubes have this side length.
fn persistence(cube_metres: f64) -> f32 {
    if cube_metres > BROAD_METRES { BROAD_PERSISTENCE } else { PERSISTENCE }
}

/// Density of gullies at a given moisture: highest in semi-arid climates, lower in deserts and under forests (Langbein
/// & Schumm 1958).
fn gullies_by_moisture(moisture: f32) -> f32 {
    let off = (moisture - 0.35) / if moisture < 0.35 { 0.35 } else { 0.9 };
    let off = if off * off < 1.0 { off * off } else { 1.0 };
    1.0 - 0.5 * off
}
