//! Climate: temperature and moisture on a planet and on a flat terrain.
//!
//! Temperature: t = T_pole + f(latitude)·(T_equator - T_pole) - cooling·(height above the sea). The function f is cos
//! |latitude| as in Petitprez 2007, or follows from the sunlight of the season (module `insolation`).
//!
//! Moisture: the wind carries moisture from the sea (module `moisture`).
//!
//! The program computes temperature and moisture once per terrain, on a grid that does not depend on the terrain's
//! resolution, and interpolates them. A preview therefore has the same climate as the final result.
//!
//! Source: Petitprez 2007, part 2; seasons, winds and rain are additions to that paper.

mod approx;
mod belts;
mod currents;
mod fields;
mod grid;
mod insolation;
mod moisture;

use std::f32::consts::{FRAC_PI_2, PI};

use crate::field::{Cancelled, SquareReader, Terrain};

pub use approx::{angle, exp_of_minus};
pub use belts::{ascent, wind};
use currents::currents;
pub use fields::{ClimateFields, climate_fields};
use grid::ClimateGrid;
pub use insolation::{daily_mean, yearly_mean};
use moisture::{GroundSheets, MoistAir};

crate::choices! {
    /// Whether the temperature at a latitude follows the mean of the year or the season.
    Warmth {
        Latitude "Latitude": "The annual mean decides the temperature: warm at the equator, cold at the poles.",
        Season "Season": "The sunlight of the season decides the temperature: summer on one hemisphere, winter on the other.",
    }
}

crate::choices! {
    /// Height difference that the cooling rate of the air refers to.
    CoolingPer {
        Kilometre "Kilometre": "The cooling applies per kilometre above the sea, as on Earth.",
        Relief "Relief": "The cooling applies once over the whole relief, whatever its height.",
    }
}

crate::params! {
    /// Temperature and moisture. They determine which ground types of a biome table appear at each place.
    Climate "Climate" in "Climate", from "Petitprez 2007", also "temperature rain moisture wind season biome" {
        /// Temperature at the equator, at sea level.
        equator_temperature: f32 ["°C"] = 27.0, -270.0..=2000.0, slider -100.0..=100.0;
        /// Temperature at the poles, at sea level.
        pole_temperature: f32 ["°C"] = -20.0, -270.0..=2000.0, slider -150.0..=60.0;
        /// Drop in temperature with height. A greater drop brings the snow further down the mountains.
        cooling: f32 ["°C"] = 6.5, -100.0..=1000.0, slider 0.0..=40.0;
        /// Height difference that the cooling refers to: a kilometre, or the whole relief.
        cooling_per: CoolingPer = CoolingPer::Kilometre;
        /// Latitude of the centre of a flat terrain: 0 is the equator, 90 the north pole. A planet has all latitudes.
        latitude: f32 ["°"] = 45.0, -90.0..=90.0;
        /// Degrees of latitude from the north edge of a flat terrain to its south edge. 180 shows all climates from
        /// pole to pole; at 0 the whole terrain has one latitude.
        latitude_span: f32 ["°"] = 0.0, 0.0..=180.0;
        /// Whether the temperature follows the mean of the year or the sunlight of a season.
        warmth: Warmth = Warmth::Latitude;
        /// Time of the year: 0 is spring in the north, 90 its summer, 180 autumn, 270 winter. A planet uses the season
        /// of its own settings.
        season: f32 ["°"] = 90.0, 0.0..=360.0 => |c| c.warmth == Warmth::Season;
        /// Tilt of the axis, which causes the seasons. A planet uses the tilt of its own settings.
        axial_tilt: f32 ["°"] = 23.4, 0.0..=180.0, slider 0.0..=90.0 => |c| c.warmth == Warmth::Season;
        /// Temperature difference between the sea off the west and off the east coasts of cold lands, caused by ocean
        /// currents. Anomalies of about a third of this difference are added everywhere. At 0 all seas of a latitude
        /// are equally warm, and their ice ends along a parallel. Planets only.
        currents: f32 ["°C"] = 0.0, 0.0..=50.0, slider 0.0..=15.0;
        /// Amount of rain: 0 gives deserts everywhere, 2 gives forests.
        rain: f32 = 1.0, 0.0..=10.0, slider 0.0..=3.0;
        /// Direction that the wind comes from on a flat terrain, clockwise from north. Planets have trade winds and
        /// westerlies.
        wind_from: f32 ["°"] = 270.0, 0.0..=360.0;
        /// Distance that the wind carries rain inland, as a fraction of the terrain's side length (on a planet, of a
        /// quarter of its circumference).
        rain_reach: f32 = 0.25, 0.01..=10.0, slider 0.02..=1.0;
        /// Height that air must climb to lose most of its moisture. With lower values, even low hills cast a rain
        /// shadow.
        rain_height: f32 ["m"] = 1200.0, 1.0..=100_000.0, slider 100.0..=4000.0;
        /// Raggedness of the borders between ground types. At 0 the borders are as smooth as the climate.
        patchiness: f32 ["share"] = 0.5, 0.0..=1.0;
    }
}

/// Number of latitude intervals in the temperature table, from pole to pole.
const LATITUDES: usize = 360;
/// Fraction of the seasonal temperature change that applies in the middle of an ocean. `SEASON_INLAND` is the fraction
/// in the middle of a continent.
const SEASON_AT_SEA: f32 = 0.2;
const SEASON_INLAND: f32 = 0.75;
/// Fraction of the sun's declination by which the rain belts shift.
const BELT_SHIFT_FRACTION: f32 = 0.4;
/// Axial tilt, in degrees, for which the temperatures at the equator and the poles are set.
const EARTH_TILT: f32 = 23.44;

impl Climate {
    /// Annual mean temperature in °C at the centre of a flat terrain, `above_metres` above its sea.
    pub fn celsius(&self, above_metres: f32, relief_metres: f32) -> f32 {
        let span = self.equator_temperature - self.pole_temperature;
        let above = if above_metres > 0.0 { above_metres } else { 0.0 };
        let level = self.pole_temperature + span * libm::cosf(self.latitude.to_radians());
        level - self.cooling_per_metre(relief_metres) * above
    }

    /// Latitudes of the north and the south edge of a flat terrain, in radians.
    fn flat_latitudes(&self) -> [f32; 2] {
        let (middle, half) = (self.latitude, 0.5 * self.latitude_span);
        [middle + half, middle - half].map(|degrees| degrees.clamp(-90.0, 90.0).to_radians())
    }

    fn cooling_per_metre(&self, relief_metres: f32) -> f32 {
        match self.cooling_per {
            CoolingPer::Kilometre => self.cooling * 1.0e-3,
            CoolingPer::Relief => self.cooling / relief_metres,
        }
    }
}

/// A terrain, with the lengths and heights in metres that its climate depends on.
#[derive(Clone, Copy)]
pub struct ClimateTerrain<'a> {
    /// Heights as fractions of the relief.
    pub terrain: &'a Terrain,
    /// Relief in metres: the height that one unit of terrain height means.
    pub relief_metres: f32,
    /// Height of the sea in metres.
    pub sea_metres: f32,
    /// Side length of a flat terrain in metres; for a planet, a quarter of its circumference.
    pub side_metres: f32,
}

/// The climate of a single terrain, which can be evaluated at any position.
pub struct TerrainClimate {
    air: MoistAir,
    /// Table by latitude from south to north: the annual mean temperature at sea level, and the seasonal change to add.
    by_latitude: Vec<[f32; 2]>,
    /// Height in metres above which the air cools.
    base_metres: f32,
    cooling_per_metre: f32,
    flat_latitudes: [f32; 2],
    /// Warming of a planet's sea by ocean currents, in °C; `None` if there are no currents.
    currents: Option<ClimateGrid>,
}

/// Temperature and moisture at one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClimateSample {
    /// Temperature in °C: the annual mean, or the temperature of the season.
    pub celsius: f32,
    /// Moisture: 0 in a desert, 1 in a rain forest. Heavy rain at mountains gives values above 1.
    pub moisture: f32,
}

impl TerrainClimate {
    /// Computes the climate of the terrain `ground` with the settings `climate`.
    pub fn new(climate: &Climate, ground: &ClimateTerrain) -> Self {
        let currents = currents(climate, ground);
        Self::of_sheets(climate, GroundSheets::new(ground), currents, ground.relief_metres, ground.sea_metres)
    }

    /// The climate of a square terrain, which is read a few rows at a time. Heights have the units of
    /// [`ClimateTerrain`].
    ///
    /// # Errors
    /// The errors of [`SquareReader::rows`].
    pub fn of_square(
        climate: &Climate,
        square: &dyn SquareReader,
        relief_metres: f32,
        sea_metres: f32,
    ) -> Result<Self, Cancelled> {
        let sheets = GroundSheets::of_square(square, relief_metres, sea_metres)?;
        Ok(Self::of_sheets(climate, sheets, None, relief_metres, sea_metres))
    }

    fn of_sheets(
        climate: &Climate,
        sheets: GroundSheets,
        currents: Option<ClimateGrid>,
        relief_metres: f32,
        sea_metres: f32,
    ) -> Self {
        let tilt = climate.axial_tilt.to_radians();
        let seasonal = climate.warmth == Warmth::Season;
        let declination = if seasonal { insolation::declination(tilt, climate.season.to_radians()) } else { 0.0 };
        let by_latitude = warmth_by_latitude(climate, seasonal.then_some((tilt, declination)));
        let sea_warmth = |latitude: f32| {
            let [mean, season] = at_latitude(&by_latitude, latitude);
            mean + season * SEASON_AT_SEA
        };
        let air = MoistAir::new(climate, sheets, &sea_warmth, BELT_SHIFT_FRACTION * declination);
        // There is no sea if its level is below the datum by more than the relief. Heights then count from the datum.
        let has_sea = sea_metres >= -relief_metres;
        Self {
            air,
            by_latitude,
            base_metres: if has_sea { sea_metres } else { 0.0 },
            cooling_per_metre: climate.cooling_per_metre(relief_metres),
            flat_latitudes: climate.flat_latitudes(),
            currents,
        }
    }

    /// The climate at a position on a flat terrain, both coordinates from 0 to 1.
    #[inline]
    pub fn at_place(&self, u: f32, v: f32, height_metres: f32) -> ClimateSample {
        let [north, south] = self.flat_latitudes;
        let latitude = north + (south - north) * v;
        let moisture = self.air.moisture.at_place(u, v);
        self.sample(latitude, || self.air.inland.at_place(u, v), moisture, height_metres)
    }

    /// Computes temperature and moisture for a row of directions, given as unit vectors from the centre of a planet.
    pub fn sample_row(&self, points: [&[f32]; 3], height_metres: &[f32], celsius: &mut [f32], moisture: &mut [f32]) {
        const PART: usize = 64;
        let (mut latitudes, mut longitudes) = ([0.0; PART], [0.0; PART]);
        for first in (0..height_metres.len()).step_by(PART) {
            let part = first..(first + PART).min(height_metres.len());
            let n = part.len();
            angles(points.map(|p| &p[part.clone()]), &mut latitudes[..n], &mut longitudes[..n]);
            for (k, at) in part.enumerate() {
                let (latitude, longitude) = (latitudes[k], longitudes[k]);
                let wet = self.air.moisture.at_angles(longitude, latitude);
                let feel =
                    self.sample(latitude, || self.air.inland.at_angles(longitude, latitude), wet, height_metres[at]);
                let drift = self.drift(longitude, latitude, height_metres[at]);
                (celsius[at], moisture[at]) = (feel.celsius + drift, feel.moisture);
            }
        }
    }

    /// The climate in a direction from the centre of a planet, given as a unit vector.
    #[inline]
    pub fn at_direction(&self, [x, y, z]: [f32; 3], height_metres: f32) -> ClimateSample {
        let latitude = angle(z, (x * x + y * y).sqrt());
        let longitude = angle(y, x);
        let moisture = self.air.moisture.at_angles(longitude, latitude);
        let feel = self.sample(latitude, || self.air.inland.at_angles(longitude, latitude), moisture, height_metres);
        ClimateSample { celsius: feel.celsius + self.drift(longitude, latitude, height_metres), ..feel }
    }

    /// Warming of the sea by ocean currents at a position, in °C; 0 on land.
    #[inline]
    fn drift(&self, longitude: f32, latitude: f32, height_metres: f32) -> f32 {
        match &self.currents {
            Some(currents) if height_metres <= self.base_metres => currents.at_angles(longitude, latitude),
            _ => 0.0,
        }
    }

    #[inline]
    fn sample(&self, latitude: f32, inland: impl Fn() -> f32, moisture: f32, height_metres: f32) -> ClimateSample {
        let [mean, season] = at_latitude(&self.by_latitude, latitude);
        let felt =
            if season == 0.0 { 0.0 } else { season * (SEASON_AT_SEA + (SEASON_INLAND - SEASON_AT_SEA) * inland()) };
        let above = height_metres - self.base_metres;
        let above = if above > 0.0 { above } else { 0.0 };
        ClimateSample { celsius: mean + felt - self.cooling_per_metre * above, moisture }
    }
}

/// Computes the latitudes and longitudes, in radians, of directions given as unit vectors.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn angles([x, y, z]: [&[f32]; 3], latitudes: &mut [f32], longitudes: &mut [f32]) {
    for ((((x, y), z), latitude), longitude) in x.iter().zip(y).zip(z).zip(latitudes).zip(longitudes) {
        (*latitude, *longitude) = (angle(*z, (x * x + y * y).sqrt()), angle(*y, *x));
    }
}

/// Table of the sea-level temperature by latitude, and its seasonal change. `sky` holds the axial tilt and the
/// declination of the sun, in radians; without `sky` there are no seasons.
fn warmth_by_latitude(climate: &Climate, sky: Option<(f32, f32)>) -> Vec<[f32; 2]> {
    let span = climate.equator_temperature - climate.pole_temperature;
    // The set temperatures apply to a planet with Earth's sunlight, which calibrates the table.
    let earth = EARTH_TILT.to_radians();
    let (equator, pole) = (yearly_mean(0.0, earth), yearly_mean(FRAC_PI_2, earth));
    let warm = |sunlight: f32| climate.pole_temperature + span * (sunlight - pole) / (equator - pole);
    let at = |k: usize| {
        let latitude = (k as f32 / LATITUDES as f32 - 0.5) * PI;
        match sky {
            None => [climate.pole_temperature + span * libm::cosf(latitude), 0.0],
            Some((tilt, declination)) => {
                let mean = warm(yearly_mean(latitude, tilt));
                [mean, warm(daily_mean(latitude, declination)) - mean]
            }
        }
    };
    (0..=LATITUDES).map(at).collect()
}

/// Interpolates the table of [`warmth_by_latitude`].
#[inline]
fn at_latitude(rows: &[[f32; 2]], latitude: f32) -> [f32; 2] {
    let place = (latitude + FRAC_PI_2) * (LATITUDES as f32 / PI);
    let k = (place as usize).min(LATITUDES - 1);
    let part = place - k as f32;
    let (a, b) = (rows[k], rows[k + 1]);
    [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part]
}
