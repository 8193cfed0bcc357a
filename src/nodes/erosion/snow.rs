//! Snow: falls above the snow line, melts where it is warm, and slides down in avalanches.
//!
//! Law, per iteration: snow of depth s covers the ground; H is the height of the snow surface.
//! - Fall: F · m(H) · k(H) · d(H), until `total_metres` have fallen on open ground. m is the fraction of the
//!   precipitation that falls as snow: 0 at and below the snow line, 1 where the air is 2 °C colder. k is the fraction
//!   of the snow that sticks: 1 on gentle slopes, falling to 0 at `hold_angle` over the last 15° before it. d is the
//!   drift, d = 1 - drift · ∂H/∂w / (|∂H/∂w| + tan 10°), with ∂H/∂w the slope along the wind. So lee sides get more
//!   snow, windward sides less.
//! - Melt: M · (T(H) + S · n(H))⁺, at most s, where x⁺ means max(x, 0). T is the temperature, 0 °C at the snow line and
//!   colder above by the lapse rate. n is the cosine of the angle between the normal of the surface and the noon sun,
//!   minus the same cosine for level ground. S is `sun_warmth`.
//! - Slides (`CoverSlide`): snow steeper than the angle of repose slides down, through all faces in proportion to their
//!   slope. Wind and creep level the surface over a length ℓ. Each iteration makes several passes (`passes`), so that
//!   on grids of up to 2049 samples an avalanche is equally fast in metres.
//!
//! Symbols: F `snowfall_metres`, M `melt_metres` per °C, S `sun_warmth`, ℓ `smoothing_metres`.
//! Scheme: depths are whole slabs (`Slabs`), so that snow is conserved exactly. Old states are read, new states are
//! written; a cancelled step leaves the run unchanged.
//! Boundary: nothing slides over an open edge; a wrapping terrain continues on the other side. Snow that slides into a
//! void is lost.
//! Squares only: whole slabs are exact only if all cells have the same area, and wind and sun have a single direction.
//! Stability: see [`super::cover`]. Once no snow falls or melts and nothing is levelled, the slopes stop completely.
//! Maps: [`MapKind::Snow`], the depth of the snow. Snow below this layer counts as ground unless it is in that map.
//! From coarse to fine: all snow falls on the coarsest grid. On finer grids it slides over the finer terrain, with as
//! many passes per iteration as on the coarsest grid. There it also melts, and is levelled over the same length. So
//! drifts and the pattern of sticking snow have the detail of the coarsest grid. Snow in couloirs and below cliffs has
//! the detail of the finest grid. Each finer grid has a few per cent more snow at the edges of the cover, where
//! interpolation of the coarser depths would fall below 0.
//! Source: Cordonnier et al. 2018; degree days: Hock 2003; snow and rain: Auer 1974.

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{WorkingMemory, exchange_maps};
use super::cover::{CoverSlide, Layers, Slabs, exchange, surface};
use super::run::ErosionRun;
use super::wind::wind_direction;
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{Context, MassBalance, MultiScale, NodeMemory, NodeParts, Pace, Process, Run, Traits, VoidBorder};
use talweg_ground::field::{Cancelled, Grid, MapKind, Terrain};

talweg_ground::params! {
    /// Covers high and gentle slopes with snow. The snow slides off steep slopes and melts where it is warm. Cliffs
    /// stay bare, couloirs fill, and cones grow at their feet.
    Snow "Snow" in "Erosion", from "Cordonnier et al. 2018; Hock 2003", also "winter avalanche glacier ice alpine white drift" {
        /// Number of iterations. More iterations let the snow pile up and then slide to rest.
        iterations: u32 = 60, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Height at which the temperature is 0 °C. No snow falls below this height. Snowfall reaches its full amount
        /// where the air is 2 °C colder.
        snow_line: f32 ["m"] = 1000.0, -10_000.0..=50_000.0, slider 0.0..=2000.0;
        /// Decrease of the temperature per kilometre of height. Higher values make the edge of the snow sharper.
        lapse_rate: f32 ["°C/km"] = 6.5, 0.1..=50.0, slider 3.0..=10.0;
        /// Depth of snow that falls in one iteration on open ground high above the snow line.
        snowfall_metres: f32 ["m"] = 0.3, 0.0..=20.0, slider 0.0..=2.0;
        /// Total depth of snow that falls; after that the snow only slides and melts.
        total_metres: f32 ["m"] = 10.0, 0.0..=1000.0, slider 0.0..=50.0;
        /// Steepest slope on which falling snow sticks.
        hold_angle: f32 ["°"] = 55.0, 16.0..=89.0, slider 30.0..=80.0;
        /// Steepest slope on which snow is at rest; from steeper slopes it slides in avalanches.
        repose_angle: f32 ["°"] = 40.0, 5.0..=60.0, slider 25.0..=50.0;
        /// Distance over which wind levels the snow in one iteration. Higher values make the snow fields smoother.
        smoothing_metres: f32 ["m"] = 5.0, 0.0..=100.0, slider 0.0..=20.0;
        /// Fraction of the snow that the wind carries from windward sides to lee sides. At 0 wind carries no snow.
        drift: f32 ["share"] = 0.4, 0.0..=1.0;
        /// Direction that the wind comes from, clockwise from north: 270 is a west wind.
        wind_angle: f32 ["°"] = 290.0, 0.0..=360.0 => |snow| snow.drift > 0.0;
        /// Depth of snow that melts in one iteration for each degree above 0 °C.
        melt_metres: f32 ["m"] = 0.02, 0.0..=5.0, slider 0.0..=0.2;
        /// Warming of a slope that faces the sun, compared with level ground. Higher values clear the sunny sides
        /// first.
        sun_warmth: f32 ["°C"] = 0.0, 0.0..=60.0, slider 0.0..=20.0 => |snow| snow.melt_metres > 0.0;
        /// Direction of the noon sun, clockwise from north: 180 is south.
        sun_angle: f32 ["°"] = 180.0, 0.0..=360.0 => |snow| snow.melt_metres > 0.0 && snow.sun_warmth > 0.0;
        presets {
            Light "First snow": "A thin cover high up; every rib of rock shows." { snowfall_metres = 0.1, total_metres = 2.0 }
            Natural "Winter": "Snow fields between the cliffs." {}
            Strong "Deep winter": "Snow down to the valleys, and few bare rocks." {
                iterations = 150, snow_line = 200.0, snowfall_metres = 0.4, total_metres = 40.0, smoothing_metres = 12.0
            }
            Spring "Spring": "Sunny sides are clear; snow stays in the shade and in couloirs." {
                iterations = 120, snow_line = 900.0, sun_warmth = 12.0, melt_metres = 0.05
            }
            AllScales "All scales": "Snow falls on a coarse grid and slides into place on ever finer grids; takes seconds at any resolution." { largest_scale = LargestScale::Samples513, fine_weight = 0.5 }
            Storm "Wind-packed": "A storm strips the windward sides and loads the lee sides." {
                iterations = 80, drift = 1.0, smoothing_metres = 10.0, total_metres = 15.0
            }
        }
    }
}

impl Process for Snow {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Snow],
            // Since version 2 snow slides equally fast in all directions of the grid.
            version: 2,
            memory: NodeMemory { state_fields: STATE_FIELDS, ..NodeMemory::constant(4.0) },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        // one cell more than its passes read: the height of a void follows from the cells around it
        NodeParts::iterations(2 + self.most_passes())
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn void_border(&self) -> VoidBorder {
        VoidBorder::Margin
    }

    fn start_run(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        terrain.close_seam();
        let slabs = Slabs::for_depth(self.total_metres.max(self.snowfall_metres) / cx.relief_metres);
        let voids = Arc::new(cx.land_ends(&terrain));
        let run = |bed: Vec<f32>, fallen_metres: f32, terrain: Terrain| SnowRun {
            params: Arc::new(self.clone()),
            slabs,
            bed: Arc::new(bed),
            voids: voids.clone(),
            fallen_metres,
            terrain,
            mass_balance: MassBalance::default(),
            next: WorkingMemory::default(),
        };
        if terrain.process_state.len() == STATE_FIELDS
            && let (Some(fallen), Some(bed)) = (terrain.process_state.pop(), terrain.process_state.pop())
        {
            voids.iter().for_each(|&k| terrain.height[k as usize] = bed[k as usize]);
            return Box::new(run(bed, fallen[0], terrain));
        }
        let mut bed = terrain.height.clone();
        let snow: Vec<f32> = match terrain.map(MapKind::Snow) {
            None => vec![0.0; bed.len()],
            // snow of the layers below can also slide and melt
            Some(map) => map.iter().map(|&depth| slabs.at_most(depth)).collect(),
        };
        bed.iter_mut().zip(&snow).for_each(|(b, s)| *b -= s);
        for ((h, &b), &s) in terrain.height.iter_mut().zip(&bed).zip(&snow) {
            *h = surface(b, s, 0.0);
        }
        terrain.set_map(MapKind::Snow, Some(Arc::new(snow)));
        // on a finer grid no more snow falls, because all of it fell on the coarsest grid
        let fallen_metres = if cx.cell_ratio > 1.0 { self.total_metres } else { 0.0 };
        Box::new(run(bed, fallen_metres, terrain))
    }
}

impl Snow {
    /// Returns the greatest number of slides in one iteration, on any grid.
    fn most_passes(&self) -> usize {
        self.largest_scale.samples().map_or(MOST_PASSES, |coarsest| passes(coarsest, 1.0))
    }
}

const BAND_CELLS: usize = 16 * 1024;
const BAND_ROWS: usize = 8;
/// Fraction of the excess slope (above the angle of repose) that slides in one pass. [`MOST_CREEP`] is the largest
/// fraction of a gentle slope that is levelled in one pass.
const SLIDE_SHARE: f32 = 0.2;
const MOST_CREEP: f32 = 0.04;
/// Range of slope angles below `hold_angle` over which the fraction of snow that sticks falls from 1 to 0.
const HOLD_FADE_DEGREES: f32 = 15.0;
/// Range of temperatures, below the temperature at the snow line, over which rain turns to snow (Auer 1974).
const SNOW_CELSIUS: f32 = 2.0;
/// Elevation of the noon sun above the horizon.
const SUN_ELEVATION_DEGREES: f32 = 40.0;
/// Slope along the wind, as rise over run, at which the drift has half of its full effect.
const HALF_DRIFT: f32 = 0.176;

/// Returns the number of slides in one iteration on a grid of `samples` a side. If `level` is above 1, the result is
/// the number of slides on the coarsest grid, whose cells are `level` times larger.
fn passes(samples: usize, level: f32) -> usize {
    let coarsest = if level > 1.0 { (samples as f32 / level) as usize } else { samples };
    ((coarsest + 128) / 256).clamp(1, MOST_PASSES)
}

const MOST_PASSES: usize = 8;
/// Number of extra fields in the saved state of a run. One is the ground without snow, the other is the depth of snow
/// that has fallen, which is repeated in every sample.
const STATE_FIELDS: usize = 2;

#[derive(Clone)]
struct SnowRun {
    params: Arc<Snow>,
    slabs: Slabs,
    /// The ground without the snow.
    bed: Arc<Vec<f32>>,
    /// Samples of voids at which the land ends.
    voids: Arc<Vec<u32>>,
    /// Depth of snow that has fallen so far on open ground.
    fallen_metres: f32,
    terrain: Terrain,
    mass_balance: MassBalance,
    next: WorkingMemory<SnowBuffers>,
}

/// Output of a step, and working memory. Empty until the first step.
#[derive(Default)]
struct SnowBuffers {
    height: Vec<f32>,
    snow: Vec<f32>,
    spare: Vec<f32>,
    /// For each row, the total depth of snow that fell and that melted. `slides` holds the loss and the gain by slides.
    weather: Vec<[f64; 2]>,
    slides: Vec<[f64; 2]>,
}

impl ErosionRun for SnowRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let (n, len) = (grid.samples, grid.len());
        let left = self.params.total_metres - self.fallen_metres;
        let fall_metres = if self.params.snowfall_metres < left { self.params.snowfall_metres } else { left };
        let weather = SnowWeather::new(&self.params, self.slabs, cx, if fall_metres > 0.0 { fall_metres } else { 0.0 });
        let count = passes(grid.whole_samples(), cx.cell_ratio);
        let cell = cx.cell_metres();
        let creep = 0.25 * self.params.smoothing_metres * self.params.smoothing_metres / (cell * cell * count as f32);
        let repose = CoverSlide {
            grid,
            slabs: self.slabs,
            rise: cx.rise_per_cell(self.params.repose_angle),
            slide_fraction: SLIDE_SHARE,
            creep: if creep < MOST_CREEP { creep } else { MOST_CREEP },
        };
        let SnowBuffers { height, snow, spare, weather: sky, slides } = &mut *self.next;
        for buffer in [&mut *height, &mut *snow, &mut *spare] {
            buffer.resize(len, 0.0);
        }
        sky.resize(n, [0.0; 2]);
        slides.resize(n, [0.0; 2]);
        let old = self.terrain.map(MapKind::Snow).expect("made at the start");
        let surface_height = &self.terrain.height;
        let band = (BAND_CELLS / n).max(BAND_ROWS);
        let cells = band * n;
        let distinct = grid.distinct_side();

        (spare.par_chunks_mut(cells), sky.par_chunks_mut(band)).into_par_iter().enumerate().try_for_each(
            |(b, (snow, sky))| {
                cx.control.check()?;
                for (k, (snow, account)) in snow.chunks_mut(n).zip(sky).enumerate() {
                    let i = b * band + k;
                    *account = weather.row(grid, surface_height, grid.row(old, i), i, snow, distinct);
                }
                Ok(())
            },
        )?;
        for k in self.voids.iter().map(|&k| k as usize) {
            // the void had no snow, so all its snow has just fallen
            sky[k / n][0] -= if grid.owns(k) { f64::from(spare[k]) } else { 0.0 };
            spare[k] = 0.0;
        }
        let mut slid_out = 0.0;
        for pass in 0..count {
            let last = pass + 1 == count;
            let layers = Layers { bed: &self.bed, eroded: None, cover: spare };
            let outs = (snow.par_chunks_mut(cells), height.par_chunks_mut(cells), slides.par_chunks_mut(band));
            outs.into_par_iter().enumerate().try_for_each(|(b, (snow, height, slides))| {
                cx.control.check()?;
                repose.slide(layers, b * band, snow);
                let rows = snow.chunks(n).zip(height.chunks_mut(n)).zip(slides).enumerate();
                for (k, ((snow, height), account)) in rows {
                    let i = b * band + k;
                    let before = grid.row(layers.cover, i)[..distinct].iter().copied();
                    let [mut taken, mut brought] = exchange(before, snow[..distinct].iter().copied());
                    if pass > 0 {
                        (taken, brought) = (taken + account[0], brought + account[1]);
                    }
                    *account = [taken, brought];
                    if last {
                        let parts = grid.row(&self.bed, i).iter().zip(snow);
                        height.iter_mut().zip(parts).for_each(|(h, (&b, &s))| *h = surface(b, s, 0.0));
                    }
                }
                Ok(())
            })?;
            for k in self.voids.iter().map(|&k| k as usize) {
                slid_out += if grid.owns(k) { f64::from(snow[k]) } else { 0.0 };
                snow[k] = 0.0;
                if last {
                    height[k] = surface(self.bed[k], 0.0, 0.0);
                }
            }
            std::mem::swap(snow, spare);
        }

        // from this line on the step cannot fail; all sums consist of whole slabs and are exact
        let mass_balance = &mut self.mass_balance;
        for [fallen, melted] in &sky[..distinct] {
            mass_balance.added += fallen;
            mass_balance.eroded += melted;
            mass_balance.lost += melted;
        }
        let (mut taken, mut brought) = (0.0, 0.0);
        for row in &slides[..distinct] {
            taken += row[0];
            brought += row[1];
        }
        mass_balance.eroded += taken;
        mass_balance.deposited += brought - slid_out;
        mass_balance.lost += slid_out;
        std::mem::swap(&mut self.terrain.height, height);
        exchange_maps(&mut self.terrain, [MapKind::Snow], [spare]);
        self.fallen_metres += weather.fall_metres;
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_terrain(self) -> Terrain {
        self.terrain
    }

    fn into_resumable_state(mut self) -> Terrain {
        let fallen = vec![self.fallen_metres; self.terrain.grid.len()];
        self.terrain.process_state = vec![Arc::unwrap_or_clone(self.bed), fallen];
        self.terrain
    }
}

/// Snowfall and melting as functions of height and slope.
struct SnowWeather {
    slabs: Slabs,
    fall_metres: f32,
    /// One metre, as a fraction of the relief.
    metre: f32,
    relief_metres: f32,
    /// Factor that converts a height difference over two cells to a slope as rise over run.
    steepness: f32,
    snow_line: f32,
    celsius_per_metre: f32,
    /// Slope above which no snow sticks. `hold_fade` is 1 / (`hold` - the slope below which all snow sticks).
    hold: f32,
    hold_fade: f32,
    drift: f32,
    wind: [f32; 2],
    melt: f32,
    sun_warmth: f32,
    /// Direction towards the sun: east, up, south.
    sun: [f32; 3],
}

impl SnowWeather {
    fn new(params: &Snow, slabs: Slabs, cx: &Context, fall_metres: f32) -> Self {
        let radians = |degrees: f32| degrees * (std::f32::consts::PI / 180.0);
        let tangent = |degrees: f32| libm::tanf(radians(degrees));
        let (hold, gentle) = (tangent(params.hold_angle), tangent(params.hold_angle - HOLD_FADE_DEGREES));
        let wind = wind_direction(params.wind_angle);
        // `wind_direction` points away from the given azimuth, so its negative points towards the sun
        let sun = wind_direction(params.sun_angle).map(|part| -part as f32);
        let level = libm::cosf(radians(SUN_ELEVATION_DEGREES));
        Self {
            slabs,
            fall_metres,
            metre: 1.0 / cx.relief_metres,
            relief_metres: cx.relief_metres,
            steepness: 0.5 * cx.relief_metres / cx.cell_metres(),
            snow_line: params.snow_line,
            celsius_per_metre: params.lapse_rate * 0.001,
            hold,
            hold_fade: 1.0 / (hold - gentle),
            drift: params.drift,
            wind: wind.map(|part| part as f32),
            melt: params.melt_metres,
            sun_warmth: params.sun_warmth,
            sun: [sun[0] * level, libm::sinf(radians(SUN_ELEVATION_DEGREES)), sun[1] * level],
        }
    }

    /// Writes the snow depths of a row after fall and melt. Returns the total fall and the total melt over the row's
    /// first `distinct` samples.
    fn row(&self, grid: Grid, surface: &[f32], old: &[f32], i: usize, out: &mut [f32], distinct: usize) -> [f64; 2] {
        let n = grid.samples;
        let spans = |a: Option<usize>, b: Option<usize>| if a.is_some() & b.is_some() { 1.0 } else { 2.0f32 };
        let (above, below) = (grid.previous(i), grid.next(i));
        let row = |index: usize| &grid.row(surface, index)[..n];
        let (north, mid, south) = (row(above.unwrap_or(i)), row(i), row(below.unwrap_or(i)));
        let span_south = spans(above, below) * self.steepness;
        let (old, out) = (&old[..n], &mut out[..n]);
        for j in 1..n - 1 {
            let east = (mid[j + 1] - mid[j - 1]) * self.steepness;
            out[j] = self.cell(mid[j], old[j], east, (south[j] - north[j]) * span_south);
        }
        for j in [0, n - 1] {
            let (west, east) = (grid.previous(j), grid.next(j));
            let rise = mid[east.unwrap_or(j)] - mid[west.unwrap_or(j)];
            let east = rise * (spans(west, east) * self.steepness);
            out[j] = self.cell(mid[j], old[j], east, (south[j] - north[j]) * span_south);
        }
        let [melted, fallen] = exchange(old[..distinct].iter().copied(), out[..distinct].iter().copied());
        [fallen, melted]
    }

    /// Returns the snow depth of a sample after fall and melt. `east` and `south` are the surface slopes in these
    /// directions.
    #[inline(always)]
    fn cell(&self, height: f32, snow: f32, east: f32, south: f32) -> f32 {
        let clamp = |v: f32| {
            let v = if v > 0.0 { v } else { 0.0 };
            if v < 1.0 { v } else { 1.0 }
        };
        let cold = (height * self.relief_metres - self.snow_line) * self.celsius_per_metre;
        let as_snow = clamp(cold * (1.0 / SNOW_CELSIUS));
        let slope2 = east * east + south * south;
        let sticks = clamp((self.hold - slope2.sqrt()) * self.hold_fade);
        let along = east * self.wind[0] + south * self.wind[1];
        let steep = if along < 0.0 { -along } else { along };
        let drift = 1.0 - self.drift * (along / (steep + HALF_DRIFT));
        let fall = self.slabs.at_most(self.fall_metres * self.metre * as_snow * sticks * drift);
        let facing = (self.sun[1] - east * self.sun[0] - south * self.sun[2]) / (1.0 + slope2).sqrt();
        let warm = self.sun_warmth * (facing - self.sun[1]) - cold;
        let warm = if warm > 0.0 { warm } else { 0.0 };
        let lies = snow + fall;
        let melt = self.slabs.at_most(self.melt * self.metre * warm);
        if melt < lies { lies - melt } else { 0.0 }
    }
}
