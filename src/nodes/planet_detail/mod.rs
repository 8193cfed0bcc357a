//! The ground of a planet at any resolution, down to a metre: one function of the place on the sphere.
//!
//! A planet has a sample every few kilometres. Between them [`PlanetDetail`] gives the ground that goes with them, by
//! position alone: the same place has the same height in any square, in any order, on any number of threads.
//! [`take_patch`](crate::scene::take_patch) asks it, and so patches and what is exported from them.
//!
//! Law, for a point p with samples `spacing` apart:
//! 1. Noise (`octaves`) of cubes of side ℓ_k = ℓ_0/2^k, from ℓ_0 = two cells of the planet down to 2 m, each octave by
//!    [`PERSISTENCE`] lower than the one before, or by [`BROAD_PERSISTENCE`] where cubes are broad. An octave fades in
//!    between ℓ = 2 and 4 spacings: a coarse square lacks what it could not show, and nothing else.
//! 2. The place is moved along the level lines of the larger octaves, p' = p + Σ b_k·ℓ_k·(up × ∇n_k), by a flow without
//!    divergence that keeps areas. The coarse ground is read at p' (`coarse`), so that its coasts, valleys and rivers
//!    get the bends that its own samples cannot show, all of them the same.
//! 3. Rivers (`courses`) lie at p' too. In a river the ground is its bed, which never climbs; beside it the ground
//!    begins at the banks and goes over to the coarse ground within 0.45 cells: g = bank + t·(coarse - bank) + v, where
//!    v are the sides of the valley, as high as the relief around.
//! 4. Gullies by point, from half a cell down to [`GULLY_METRES`]: stripes across the slope of the ground, of the
//!    larger octaves and of the gullies before, so that they branch (as [`gullies`](crate::erosion::gullies) has
//!    them). Where the slope turns within a cell of theirs, as around summits, there are none: stripes across it would
//!    crowd into spikes.
//! 5. The relief F of noise and gullies stays below its room R, the height of g above (below) the sea, a lake and the
//!    banks of rivers: an octave of height a counts a·R/(R + 2a), and h = g + F·R/(R + |F|). It ends in channels and at
//!    shores, and never crosses a water level.
//! 6. Craters (`pits`), where the stack has some, go on below the smallest that the planet shows, by its size law.
//!
//! Conditions: the noise is as high as the coarse relief around (rise over a cell), so that plains stay plain, or as
//! rivers have cut into ground so high above the sea, where there is rain; a quarter of that where the stack has
//! craters; fine octaves are lower on gentle slopes; gullies need air, are fewer in deserts and in rain forests, and
//! few below the sea.
//! Accuracy: places are found to 3·10⁻¹¹ of a face (0.3 mm on Earth), heights are singles in metres.
//! Source: the sum of fractals after Musgrave in Ebert et al. 2003; flows without divergence after Bridson et al. 2007;
//! gullies after Johansen 2026 with the phasor noise of Tricard et al. 2019; what bounds the relief at water is ours.

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
use talweg_ground::field::globe::nearly_located;
use talweg_ground::field::{Cancelled, Control, Edges, Globe, Grid, MapKind, Stream, Terrain};
use talweg_ground::hydrology::FlowMesh;
use talweg_ground::planet::Planet;
use talweg_ground::planet::climate::{Climate, ClimateTerrain, TerrainClimate};
use talweg_ground::planet::square::{Square, SquareAxes};

/// How much lower each octave of noise is than the one before: 2^-H for a Hurst exponent H of 0.74, so that spectra
/// fall with the power 2H + 1 ≈ 2.5. Whole states have 0.41 (Oregon) to 0.91 (Arizona; Huang & Turcotte 1989, 1990).
pub const PERSISTENCE: f32 = 0.6;
/// The same where cubes are wider than [`BROAD_METRES`]: continents have H = 0.5 (Bell 1975; Turcotte 1987), valleys
/// lie in between.
pub const BROAD_PERSISTENCE: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Cubes from which on octaves fall by [`BROAD_PERSISTENCE`].
pub const BROAD_METRES: f64 = 10_000.0;
/// Rise over [`WINDOW_METRES`] where rivers have cut into high ground, as a share of its height above the sea: the
/// higher a range stands over the sea the deeper are its valleys (Ahnert 1970). The samples of a planet are the means
/// of peaks and valleys, and know nothing of them.
const DISSECTED: f32 = 0.3;
/// Distance of the rise; over a shorter one it is less, as the octaves are.
const WINDOW_METRES: f64 = 20_000.0;
/// Shortest gullies, from crest to crest.
pub const GULLY_METRES: f64 = 100.0;
/// Height of the noise where the stack has craters, beside that elsewhere.
const RUBBLE: f32 = 0.25;
/// Finest octave.
const FINEST_METRES: f64 = 2.0;
/// Octaves that move the place, and slope the ground that gullies follow.
const BROAD: usize = 9;
/// Samples along the side of a block of a square.
const TILE: usize = 8;

/// What the detail of a planet is made from, beside its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailSource {
    /// Its size and air.
    pub planet: Planet,
    /// Height that 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the sea; below minus the relief there is none.
    pub sea_metres: f32,
    /// What makes it warm and wet.
    pub climate: Climate,
    /// The layers that let craters fall.
    pub craters: Vec<Craters>,
    /// Seed of the scene.
    pub seed: u32,
}

/// The ground of one planet at any resolution. `T` holds the evaluated planet: a reference or an [`Arc`].
pub struct PlanetDetail<T> {
    terrain: T,
    globe: Globe,
    radius_metres: f64,
    relief_metres: f32,
    sea_metres: Option<f32>,
    /// Cells under standing water, if there are any.
    lakes: Option<Vec<bool>>,
    /// Rise over a cell, in metres.
    relief: Vec<f32>,
    /// How many gullies the climate makes, from 0 to 1.
    gullying: Vec<f32>,
    octaves: Vec<SpaceLattice>,
    gullies: Vec<SpaceLattice>,
    rivers: RiverCourses,
    craters: SmallCraters,
    weather: TerrainClimate,
}

/// The ground of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DetailSample {
    /// Height in metres.
    pub height_metres: f32,
    /// Depth of river or lake water on it in metres; the sea is not counted.
    pub water_metres: f32,
    /// Share of the surroundings, as wide as the spacing, that lies under river or lake water, 0 to 1; a narrow river
    /// fills 0.4 at the least.
    pub water_share: f32,
}

impl<T: Deref<Target = Terrain> + Sync> PlanetDetail<T> {
    /// Prepares the detail of a planet that was evaluated as `terrain`: finds its rivers and how rough it is where. It
    /// takes some seconds on large planets, and about 3 numbers a sample; asking it afterwards costs the same on any
    /// planet.
    ///
    /// # Errors
    /// When it was cancelled.
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
        let air = planet.shelter() / Planet::default().shelter();
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
        // where craters fall they make the relief, and their rubble is smooth
        let share = if craters.is_empty() { 1.0 } else { RUBBLE };
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

    /// The planet as it was evaluated.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// The ground in the given directions from the middle of the planet, unit vectors, for samples that stand
    /// `spacing_metres` apart: relief of less than two such spacings is left out. Each has the same bits beside any
    /// others and in any order.
    pub fn samples_at(&self, directions: &[[f64; 3]], spacing_metres: f64) -> Vec<DetailSample> {
        let mut out = vec![DetailSample::default(); directions.len()];
        out.par_chunks_mut(PART)
            .zip(directions.par_chunks(PART))
            .for_each_init(BlockWork::default, |work, (out, part)| self.part(part, spacing_metres, work, out));
        out
    }

    /// The same on the thread that asks, for those who share out the work themselves; `None` when `stop` says so, which
    /// is asked every few hundredths of a millisecond.
    pub fn samples_alone(
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

    /// The ground in up to [`PART`] directions.
    fn part(&self, part: &[[f64; 3]], spacing_metres: f64, work: &mut BlockWork, out: &mut [DetailSample]) {
        let mut ground = BlockGround::default();
        // what the block lacks repeats the last
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

    /// The ground of a square of `samples` (at least 2) per side, from edge to edge: heights, and the maps that come
    /// with them, as fractions of the planet's relief. A sample depends on its place and on the spacing of the samples
    /// alone. Maps: `Water` where the planet has rivers or lakes, `Humidity` (of the climate) where it has a sea, and
    /// what other maps the planet has, read between its samples.
    ///
    /// # Errors
    /// When it was cancelled.
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

    /// Rows of a square from `first` on, in tiles.
    #[allow(clippy::needless_range_loop, reason = "points stand in a tile")]
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
                // beyond the square the last sample is repeated
                let (i, j) = ((k / TILE).min(rows - 1), (k % TILE).min(columns - 1));
                let direction = frame.direction(frame.place(left + j, n), frame.place(first + i, n));
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

    /// Maps that are read between the planet's samples, and its moisture.
    fn other_maps(&self, frame: &SquareAxes, out: &mut Terrain, control: &Control) -> Result<(), Cancelled> {
        let n = out.samples();
        for (kind, map) in self.terrain.maps() {
            // water has its own law, and flow is counted in the planet's cells
            if matches!(kind, MapKind::Water | MapKind::Flow | MapKind::Film) {
                continue;
            }
            let mut read = vec![0.0f32; out.grid.len()];
            read.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
                control.check()?;
                for (j, out) in row.iter_mut().enumerate() {
                    let direction = frame.direction(frame.place(j, n), frame.place(i, n));
                    *out = self.globe.sample_at(map, nearly_located(direction));
                }
                Ok(())
            })?;
            out.set_map(kind, Some(Arc::new(read)));
        }
        if self.sea_metres.is_some() {
            let moisture = self.moisture(frame);
            let mut map = vec![0.0f32; out.grid.len()];
            map.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
                let v = frame.place(i, n) as f32;
                row.iter_mut().enumerate().for_each(|(j, out)| *out = moisture.height_at(frame.place(j, n) as f32, v));
            });
            out.set_map(MapKind::Humidity, Some(Arc::new(map)));
        }
        Ok(())
    }

    /// The climate is worked out on a coarse grid: so many samples show all of it.
    fn moisture(&self, frame: &SquareAxes) -> Terrain {
        Terrain::from_fn(65, Edges::Open, |u, v| {
            let direction = frame.direction(f64::from(u), f64::from(v));
            self.weather.at_direction(direction.map(|x| x as f32), 0.0).moisture
        })
    }
}

/// How much lower the octave after one of cubes of a side is.
fn persistence(cube_metres: f64) -> f32 {
    if cube_metres > BROAD_METRES { BROAD_PERSISTENCE } else { PERSISTENCE }
}

/// How many gullies there are at a moisture: most where it is half dry, fewer in deserts and under forests (Langbein &
/// Schumm 1958).
fn gullies_by_moisture(moisture: f32) -> f32 {
    let off = (moisture - 0.35) / if moisture < 0.35 { 0.35 } else { 0.9 };
    let off = if off * off < 1.0 { off * off } else { 1.0 };
    1.0 - 0.5 * off
}
