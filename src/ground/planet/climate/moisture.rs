//! Moisture of the air: the wind carries it from the sea, and mountains remove it.
//!
//! Equation: M is the moisture of the air, and ds is the distance along the wind. Over the sea the moisture grows
//! towards 1: dM = (1 - M)·e·ds/L_sea, where e is the evaporation of warm or cold water. Over land the moisture relaxes
//! towards the moisture M_land that the land returns: dM = (M_land - M)·ds/L. Air that climbs by dz loses dM = -M·dz/H.
//! L_sea, L and H are constants and settings. A position receives M·(0.2 + 0.8·a) with the ascent a of its latitude
//! ([`ascent`]), and more where air climbs.
//!
//! Scheme: on a planet, the scheme takes a fixed number of semi-Lagrangian steps. The wind depends on latitude only.
//! Each row is therefore interpolated from two shifted rows, with slight mixing between rows. On a flat terrain, the
//! scheme sweeps once along the wind, line by line, and is exact over each step. A flat terrain with a moisture map
//! uses that map, so that a patch keeps the climate of its planet.
//!
//! Boundary: longitudes wrap around. Over open edges, air of a fixed moisture flows in. On terrains with wrapping edges
//! the sweep runs three times.
//!
//! Source: Smith & Barstad 2004, simplified to one moisture value; Roe 2005 for the rain shadow; textbook circulation
//! belts.

use std::f32::consts::{FRAC_PI_2, PI};
use std::ops::Range;

use rayon::prelude::*;

use super::approx::exp_of_minus;
use super::belts::{ascent, wind};
use super::grid::ClimateGrid;
use super::{Climate, ClimateTerrain, Warmth};
use crate::field::globe::locate_fast;
use crate::field::{Cancelled, Edges, Globe, MapKind, SquareReader, bilinear, cell_and_fraction};
use crate::planet::projection::{Equirectangular, Registration};

/// Number of cells of the climate grid around a planet; `DOWN` is the number from pole to pole.
const AROUND: usize = 320;
const DOWN: usize = 160;
/// Distance that the strongest wind travels per step, in cells of the climate grid. `STEPS` is the number of steps,
/// which together span 100° of longitude.
const STEP_CELLS: f32 = 1.5;
const STEPS: usize = 60;
/// Fraction of a cell's moisture that is exchanged with its northern and southern neighbours per step.
const MIXED: f32 = 0.10;
/// Distance over the sea in which air becomes moist. It is a fraction of the side length of a flat terrain or, on a
/// planet, of a quarter of its circumference.
const SEA_REACH: f32 = 0.08;
/// Moisture that the land of a flat terrain returns to the air. `LAND_OF_PLANET` is the same moisture for sinking air
/// on a planet. `FOREST_MOISTURE` is added in rising air on a planet, where forests evaporate water.
const LAND_OF_TERRAIN: f32 = 0.55;
const LAND_OF_PLANET: f32 = 0.12;
const FOREST_MOISTURE: f32 = 0.5;
/// Factor for the height that air must climb to become dry on a planet. On planets, whole mountain ranges matter rather
/// than single slopes, because air flows around and between mountains.
const CLIMB_FACTOR_ON_PLANETS: f32 = 3.0;
/// Moisture of the air that flows in over open edges.
const INFLOW: f32 = 0.75;
/// Maximum number of samples per side of the climate grid over a flat terrain.
const SIDE: usize = 129;
const ROUNDS: usize = 3;
/// Extra rain where air climbs, as a fraction of the moisture that the air loses in the climb.
const WINDWARD: f32 = 1.3;

/// Moisture and distance from the sea over a whole terrain, each on a climate grid.
pub struct MoistAir {
    /// Moisture from 0 in a desert to 1 in a rain forest.
    pub moisture: ClimateGrid,
    /// Fraction of land around each cell, as a measure of the distance from the sea: 0 in the middle of a sea, 1 in the
    /// middle of a continent.
    pub inland: ClimateGrid,
}

impl MoistAir {
    /// Computes the grids of moisture and of the distance from the sea. `sea_warmth` returns the temperature of the sea
    /// in °C at a latitude in radians. `shift` is the shift of the rain belts towards the sun, in radians.
    pub fn new(climate: &Climate, ground: GroundSheets, sea_warmth: &(dyn Fn(f32) -> f32 + Sync), shift: f32) -> Self {
        let GroundSheets { height, moisture_map: given, edges, sea_metres: sea } = ground;
        // This grid is needed only for seasons, which depend on the distance from the sea.
        let land = |i: usize, j: usize| if height.row(i)[j] > sea { 1.0 } else { 0.0 };
        let radius = (height.width / 40).max(1);
        let inland = match climate.warmth {
            Warmth::Season => height.map(land).blurred(radius),
            Warmth::Latitude => ClimateGrid::from_fn(2, 2, height.round, |_, _| 0.0),
        };
        let moisture = match (given, edges) {
            (Some(given), _) => given,
            (None, None) => over_planet(climate, sea, &height, sea_warmth, shift),
            (None, Some(edges)) => over_terrain(climate, sea, edges, &height),
        };
        Self { inland, moisture }
    }
}

/// The terrain data that the moisture computation needs, on the climate grid.
pub struct GroundSheets {
    /// Heights in metres.
    height: ClimateGrid,
    /// The moisture map of a flat terrain, for example of a patch of a planet.
    moisture_map: Option<ClimateGrid>,
    /// Edges of a square terrain; `None` for a globe.
    edges: Option<Edges>,
    sea_metres: f32,
}

impl GroundSheets {
    /// Builds the inputs from a terrain in memory.
    pub fn new(ground: &ClimateTerrain) -> Self {
        let &ClimateTerrain { terrain, relief_metres, sea_metres, .. } = ground;
        if terrain.grid.is_globe() {
            return Self { height: heights_around(ground), moisture_map: None, edges: None, sea_metres };
        }
        let n = terrain.samples();
        let sheet = SquareSheet::new(n);
        let metres = |i: usize, j: usize| sheet.mean(i, j, |row, column| terrain.height[row * n + column]);
        let height = ClimateGrid::from_fn(sheet.side, sheet.side, false, |i, j| metres(i, j) * relief_metres);
        let given = terrain.map(MapKind::Humidity).map(|map| {
            ClimateGrid::from_fn(sheet.side, sheet.side, false, |i, j| {
                map[sheet.terrain_sample(i) * n + sheet.terrain_sample(j)]
            })
        });
        Self { height, moisture_map: given, edges: Some(terrain.grid.edges), sea_metres }
    }

    /// Builds the inputs from a square terrain that is read a few rows at a time.
    ///
    /// # Errors
    /// The errors of [`SquareReader::rows`].
    pub fn of_square(square: &dyn SquareReader, relief_metres: f32, sea_metres: f32) -> Result<Self, Cancelled> {
        let n = square.grid().samples;
        let sheet = SquareSheet::new(n);
        let mut height = ClimateGrid::from_fn(sheet.side, sheet.side, false, |_, _| 0.0);
        let mut given = square.has_map(MapKind::Humidity).then(|| height.clone());
        for (i, metres) in height.values.chunks_mut(sheet.side).enumerate() {
            let rows = sheet.rows(i);
            let first = rows.start;
            let held = square.rows(None, rows)?;
            for (j, metres) in metres.iter_mut().enumerate() {
                *metres = sheet.mean(i, j, |row, column| held[(row - first) * n + column]) * relief_metres;
            }
            if let Some(given) = &mut given {
                let row = sheet.terrain_sample(i);
                let held = square.rows(Some(MapKind::Humidity), row..row + 1)?;
                let out = &mut given.values[i * sheet.side..][..sheet.side];
                out.iter_mut().enumerate().for_each(|(j, out)| *out = held[sheet.terrain_sample(j)]);
            }
        }
        Ok(Self { height, moisture_map: given, edges: Some(square.grid().edges), sea_metres })
    }
}

/// The climate grid over a square terrain of `samples` samples per side.
#[derive(Clone, Copy)]
struct SquareSheet {
    samples: usize,
    side: usize,
    /// Number of terrain samples along each axis that are averaged for a climate grid cell. A cell can span more
    /// samples.
    fine: usize,
}

impl SquareSheet {
    fn new(samples: usize) -> Self {
        let side = samples.clamp(2, SIDE);
        Self { samples, side, fine: ((samples - 1) / (side - 1)).clamp(1, 8) }
    }

    /// The row or column of the terrain at row or column `k` of the climate grid.
    fn terrain_sample(&self, k: usize) -> usize {
        (k * (self.samples - 1) + (self.side - 1) / 2) / (self.side - 1)
    }

    /// Position, from 0 to 1, of averaging point number `fine` in row or column `k` of the climate grid.
    fn position(&self, k: usize, fine: usize) -> f32 {
        let cell = 1.0 / (self.side - 1) as f32;
        k as f32 * cell + ((fine as f32 + 0.5) / self.fine as f32 - 0.5) * cell
    }

    /// The terrain rows that a row of the climate grid reads.
    fn rows(&self, i: usize) -> Range<usize> {
        let row = |fine: usize| cell_and_fraction(self.samples, self.position(i, fine)).0;
        row(0)..row(self.fine - 1) + 2
    }

    fn mean(&self, i: usize, j: usize, at: impl Fn(usize, usize) -> f32) -> f32 {
        let mut sum = 0.0;
        for k in 0..self.fine * self.fine {
            sum += bilinear(self.samples, &at, [self.position(j, k % self.fine), self.position(i, k / self.fine)]);
        }
        sum / (self.fine * self.fine) as f32
    }
}

/// Heights in metres on the climate grid around a planet, each averaged over a few points of its cell.
pub fn heights_around(ground: &ClimateTerrain) -> ClimateGrid {
    let globe = Globe::new(ground.terrain.samples());
    // Number of points along each axis that are averaged for a cell of the climate grid.
    let fine = (4 * (globe.samples() - 1) / AROUND).clamp(1, 3);
    let map =
        Equirectangular { width: AROUND * fine, height: DOWN * fine, registration: Registration::Pixel }.directions();
    ClimateGrid::from_fn(AROUND, DOWN, true, |i, j| {
        let mut sum = 0.0;
        for k in 0..fine * fine {
            let direction = map.direction(j * fine + k % fine, i * fine + k / fine);
            sum += globe.sample_at(&ground.terrain.height, locate_fast(direction));
        }
        sum / (fine * fine) as f32 * ground.relief_metres
    })
}

/// The wind in a row of the climate grid, and the effects of one step along this wind.
struct Belt {
    /// The air of a step comes from a position between two grid rows. `top` is the index of the upper row, and `down`
    /// is the interpolation weight of the lower row.
    top: usize,
    down: f32,
    /// Number of whole columns to the position that the air comes from; `right` is the remaining fraction of a column.
    shift: usize,
    right: f32,
    /// Fraction by which the moisture approaches its limit per step over the sea. `land` is the same fraction over
    /// land.
    sea: f32,
    land: f32,
    /// Moisture that land returns to the air.
    of_land: f32,
    /// Fraction of the moisture that falls as rain.
    rain_fraction: f32,
}

impl Belt {
    fn for_row(
        height: &ClimateGrid,
        row: usize,
        climate: &Climate,
        sea_warmth: &dyn Fn(f32) -> f32,
        shift: f32,
    ) -> Self {
        let latitude = height.latitude(row);
        let moved = (latitude - shift).clamp(-FRAC_PI_2, FRAC_PI_2);
        let [east, north] = wind(moved);
        let cell = PI / height.height as f32;
        // Distances such as the rain reach are fractions of a quarter of the circumference.
        let way = STEP_CELLS * cell / FRAC_PI_2 * (east * east + north * north).sqrt();
        let falls = ascent(moved);
        let warm = (0.3 + (sea_warmth(latitude) + 5.0) * (0.7 / 30.0)).clamp(0.15, 1.0);
        let y = (row as f32 + north * STEP_CELLS).clamp(0.0, (height.height - 1) as f32);
        let top = (y as usize).min(height.height - 2);
        let most = height.width as f32 / 16.0;
        let x = height.width as f32 + (-east * STEP_CELLS / libm::cosf(latitude)).clamp(-most, most);
        Self {
            top,
            down: y - top as f32,
            shift: x as usize % height.width,
            right: x - libm::floorf(x),
            sea: (1.0 - exp_of_minus(way / SEA_REACH + 0.04)) * warm,
            // Rain forests return most of the rain to the air, so that rising air carries moisture further inland.
            land: 1.0 - exp_of_minus(way / (climate.rain_reach * (0.7 + 0.8 * falls)) + 0.004),
            of_land: LAND_OF_PLANET + FOREST_MOISTURE * falls,
            rain_fraction: falls,
        }
    }

    /// Interpolates the values of a grid at the upwind positions of this row; `line` is scratch memory.
    fn upwind(&self, sheet: &ClimateGrid, line: &mut Vec<f32>, out: &mut [f32]) {
        let (top, bottom) = (sheet.row(self.top), sheet.row(self.top + 1));
        line.clear();
        line.extend(top.iter().zip(bottom).map(|(a, b)| a + (b - a) * self.down));
        // Repeat the row once, so that the shifted window can wrap around.
        line.extend_from_within(..);
        let pairs = line[self.shift..].iter().zip(&line[self.shift + 1..]);
        out.iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a + (b - a) * self.right);
    }
}

/// Moves the values of a grid downwind by one step.
fn upwind(belts: &[Belt], sheet: &ClimateGrid) -> ClimateGrid {
    let mut out = sheet.clone();
    let rows = out.values.par_chunks_mut(sheet.width).zip(belts);
    rows.for_each_init(Vec::new, |line, (row, belt)| belt.upwind(sheet, line, row));
    out
}

/// Moisture that the winds of a planet carry, on a grid over longitude and latitude.
fn over_planet(
    climate: &Climate,
    sea_metres: f32,
    height: &ClimateGrid,
    sea_warmth: &(dyn Fn(f32) -> f32 + Sync),
    shift: f32,
) -> ClimateGrid {
    let belts: Vec<Belt> = (0..height.height).map(|i| Belt::for_row(height, i, climate, sea_warmth, shift)).collect();
    let surface = height.map(|i, j| height.row(i)[j].max(sea_metres));
    let before = upwind(&belts, &surface);
    let kept = height.map(|i, j| {
        let climb = surface.row(i)[j] - before.row(i)[j];
        if climb > 0.0 { exp_of_minus(climb / (climate.rain_height * CLIMB_FACTOR_ON_PLANETS)) } else { 1.0 }
    });
    let is_sea = |i: usize, j: usize| height.row(i)[j] <= sea_metres;
    let towards = height.map(|i, j| if is_sea(i, j) { 1.0 } else { belts[i].of_land });
    let share = height.map(|i, j| if is_sea(i, j) { belts[i].sea } else { belts[i].land });
    let (mut air, mut next) = (height.map(|_, _| 0.5), height.clone());
    for _ in 0..STEPS {
        next.values.par_chunks_mut(air.width).enumerate().for_each_init(Vec::new, |line, (i, row)| {
            belts[i].upwind(&air, line, row);
            let (above, below) = (air.row(i.max(1) - 1), air.row((i + 1).min(air.height - 1)));
            let (kept, towards, share) = (kept.row(i), towards.row(i), share.row(i));
            for (j, out) in row.iter_mut().enumerate() {
                let beside = 0.5 * (above[j] + below[j]);
                let came = (*out + (beside - *out) * MIXED) * kept[j];
                *out = came + (towards[j] - came) * share[j];
            }
        });
        std::mem::swap(&mut air, &mut next);
    }
    let before = upwind(&belts, &air);
    let got = air.map(|i, j| air.row(i)[j] + before.row(i)[j] * (1.0 - kept.row(i)[j]) * WINDWARD).blurred(1);
    got.map(|i, j| climate.rain * got.row(i)[j] * (0.2 + 0.8 * belts[i].rain_fraction))
}

/// Moisture that a single wind carries over a flat terrain.
fn over_terrain(climate: &Climate, sea_metres: f32, edges: Edges, height: &ClimateGrid) -> ClimateGrid {
    let n = height.width;
    let wraps = edges == Edges::Wrap;
    let from = climate.wind_from.to_radians();
    let (east, south) = (-libm::sinf(from), libm::cosf(from));
    let by_columns = east.abs() >= south.abs();
    let (main, side) = if by_columns { (east, south) } else { (south, east) };
    let last = n - 1;
    // Returns the index of a sample from its position along the wind's main axis and its position across this axis.
    let index = |along: usize, across: usize| {
        let along = if main > 0.0 { along } else { last - along };
        if by_columns { across * n + along } else { along * n + across }
    };
    let drift = side / main.abs();
    let step = (1.0 + drift * drift).sqrt() / last as f32;
    let land = 1.0 - exp_of_minus(step / climate.rain_reach);
    let sea = 1.0 - exp_of_minus(step / SEA_REACH);
    // The upwind position is between two samples across the wind. `part` is the interpolation weight of the second
    // sample.
    let whole = libm::floorf(-drift);
    let part = -drift - whole;
    let upwind = |across: usize, add: isize| {
        let at = across as isize + whole as isize + add;
        if wraps { at.rem_euclid(last as isize) as usize } else { at.clamp(0, last as isize) as usize }
    };
    let mut out = height.clone();
    let (mut air, mut before) = (vec![INFLOW; n], vec![INFLOW; n]);
    let mut got = vec![0.0; n];
    for round in 0..if wraps { ROUNDS } else { 1 } {
        for along in usize::from(round > 0)..n {
            std::mem::swap(&mut air, &mut before);
            for across in 0..n {
                let (a, b) = (upwind(across, 0), upwind(across, 1));
                let came = before[a] + (before[b] - before[a]) * part;
                let here = height.values[index(along, across)];
                let (x, y) = (height.values[index(along.max(1) - 1, a)], height.values[index(along.max(1) - 1, b)]);
                let upwind_metres = x + (y - x) * part;
                let over = |h: f32| if h > sea_metres { h } else { sea_metres };
                let climb = over(here) - over(upwind_metres);
                let caught =
                    if climb > 0.0 && along > 0 { 1.0 - exp_of_minus(climb / climate.rain_height) } else { 0.0 };
                let kept = came * (1.0 - caught);
                air[across] =
                    if here <= sea_metres { kept + (1.0 - kept) * sea } else { kept + (LAND_OF_TERRAIN - kept) * land };
                got[across] = air[across] + came * caught * WINDWARD;
            }
            // Eddies mix the air across the wind. Without mixing, single rocks would cause long dry streaks downwind.
            let mixed = |across: usize| {
                let (left, right) = (across.max(1) - 1, (across + 1).min(last));
                0.5 * air[across] + 0.25 * (air[left] + air[right])
            };
            for across in 0..n {
                before[across] = mixed(across);
                out.values[index(along, across)] = got[across];
            }
            std::mem::swap(&mut air, &mut before);
        }
    }
    if wraps {
        (0..n).for_each(|across| out.values[index(0, across)] = out.values[index(last, across)]);
        (0..n).for_each(|along| out.values[index(along, last)] = out.values[index(along, 0)]);
    }
    let out = out.blurred(1);
    let latitudes = climate.flat_latitudes();
    out.map(|i, j| {
        let latitude = latitudes[0] + (latitudes[1] - latitudes[0]) * i as f32 / last as f32;
        climate.rain * out.row(i)[j] * (0.2 + 0.8 * ascent(latitude))
    })
}
