//! Climate: how warm and how wet it is where, on a planet and on a flat terrain.
//!
//! Temperature: t = T_pole + f(latitude)·(T_equator - T_pole) - cooling·(height above the sea), f = cos |latitude| as
//! in Petitprez 2007, or from the sunlight of the season (`insolation`). Moisture comes from the sea with the wind
//! (`moisture`). Both are worked out once for a terrain, on a grid that does not depend on its resolution, and read
//! between its samples: a preview has the climate of the result.
//!
//! Source: Petitprez 2007, part 2; seasons, winds and rain are beyond it.

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
    /// What decides how warm a latitude is.
    Warmth {
        Latitude "Latitude": "The mean of the year: warm at the equator, cold at the poles.",
        Season "Season": "The sunlight of the season: summer on one half of the planet, winter on the other.",
    }
}

crate::choices! {
    /// Over which rise the air cools.
    CoolingPer {
        Kilometre "Kilometre": "So many degrees for each kilometre above the sea, as on Earth.",
        Relief "Relief": "So many degrees over the whole relief, however high that is.",
    }
}

crate::params! {
    /// How warm and how wet it is where: decides which ground types of a biome table grow.
    Climate "Climate" in "Climate", from "Petitprez 2007", also "temperature rain moisture wind season biome" {
        /// Temperature at the equator, at the height of the sea.
        equator_temperature: f32 ["°C"] = 27.0, -270.0..=2000.0, slider -100.0..=100.0;
        /// Temperature at the poles, at the height of the sea.
        pole_temperature: f32 ["°C"] = -20.0, -270.0..=2000.0, slider -150.0..=60.0;
        /// How much colder it gets with height. More brings the snow further down the mountains.
        cooling: f32 ["°C"] = 6.5, -100.0..=1000.0, slider 0.0..=40.0;
        /// What the cooling counts for: a kilometre, or the whole relief whatever its height.
        cooling_per: CoolingPer = CoolingPer::Kilometre;
        /// Latitude of the middle of a flat terrain: 0 is the equator, 90 the north pole. A planet has all of them.
        latitude: f32 ["°"] = 45.0, -90.0..=90.0;
        /// Degrees of latitude from the north edge of a flat terrain to its south edge: 180 shows all climates from
        /// pole to pole, 0 one.
        latitude_span: f32 ["°"] = 0.0, 0.0..=180.0;
        /// Whether the mean of the year or the sunlight of a season decides how warm it is.
        warmth: Warmth = Warmth::Latitude;
        /// Time of the year: 0 is spring in the north, 90 its summer, 180 autumn, 270 winter. A planet has its own.
        season: f32 ["°"] = 90.0, 0.0..=360.0 => |c| c.warmth == Warmth::Season;
        /// Tilt of the axis, which makes the seasons. A planet has its own.
        axial_tilt: f32 ["°"] = 23.4, 0.0..=180.0, slider 0.0..=90.0 => |c| c.warmth == Warmth::Season;
        /// How much warmer the sea is off the west coasts of cold lands than off their east coasts, as currents make
        /// it, with anomalies of about a third as much anywhere. At 0 all seas of a latitude are alike, and their ice
        /// ends on a parallel. Planets only.
        currents: f32 ["°C"] = 0.0, 0.0..=50.0, slider 0.0..=15.0;
        /// How much rain there is: 0 makes deserts of everything, 2 forests.
        rain: f32 = 1.0, 0.0..=10.0, slider 0.0..=3.0;
        /// Where the wind comes from on a flat terrain, clockwise from north. Planets have trade winds and westerlies.
        wind_from: f32 ["°"] = 270.0, 0.0..=360.0;
        /// How far the wind carries rain inland, as a part of the side (of a quarter of the way round a planet).
        rain_reach: f32 = 0.25, 0.01..=10.0, slider 0.02..=1.0;
        /// Climb that takes most of the moisture out of the air. Small makes low hills cast a rain shadow.
        rain_height: f32 ["m"] = 1200.0, 1.0..=100_000.0, slider 100.0..=4000.0;
        /// How ragged the borders between ground types are: 0 draws them as smooth as the climate is.
        patchiness: f32 ["share"] = 0.5, 0.0..=1.0;
    }
}

/// Steps of the table of warmth, pole to pole.
const LATITUDES: usize = 360;
/// How much of the sunlight's season the middle of an ocean feels, and of a continent.
const SEASON_AT_SEA: f32 = 0.2;
const SEASON_INLAND: f32 = 0.75;
/// How far the belts of rain follow the sun.
const BELTS_FOLLOW: f32 = 0.4;
/// Tilt that the temperatures of equator and pole are given for.
const EARTH_TILT: f32 = 23.44;

impl Climate {
    /// Temperature in the middle of a flat terrain, so much above its sea; of the mean of the year.
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

/// A terrain with what its climate depends on.
#[derive(Clone, Copy)]
pub struct ClimateTerrain<'a> {
    /// Heights as fractions of the relief.
    pub terrain: &'a Terrain,
    /// Height that 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the sea.
    pub sea_metres: f32,
    /// Side of a flat terrain; a quarter of the way round a planet.
    pub side_metres: f32,
}

/// The climate of one terrain, to be asked anywhere on it.
pub struct TerrainClimate {
    air: MoistAir,
    /// By latitude from south to north: temperature at the height of the sea, and what the season adds to it.
    by_latitude: Vec<[f32; 2]>,
    /// Cooling begins at this height.
    base_metres: f32,
    cooling_per_metre: f32,
    flat_latitudes: [f32; 2],
    /// By how much currents warm the sea of a planet.
    currents: Option<ClimateGrid>,
}

/// How warm and wet a place is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClimateSample {
    /// Mean temperature of the year.
    pub celsius: f32,
    /// 0 in a desert, 1 in a rain forest; storms at mountains give more.
    pub moisture: f32,
}

impl TerrainClimate {
    /// The weather that `climate` makes over `ground`.
    pub fn new(climate: &Climate, ground: &ClimateTerrain) -> Self {
        let currents = currents(climate, ground);
        Self::of_sheets(climate, GroundSheets::new(ground), currents, ground.relief_metres, ground.sea_metres)
    }

    /// The same of a square that is read in parts; heights as [`ClimateTerrain`] has them.
    ///
    /// # Errors
    /// As [`SquareReader::rows`].
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
        let air = MoistAir::new(climate, sheets, &sea_warmth, BELTS_FOLLOW * declination);
        // a sea that lies deeper than the relief is high is there to be out of the way: heights count from the datum
        // then
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

    /// At a place of a flat terrain, both from 0 to 1.
    #[inline]
    pub fn at_place(&self, u: f32, v: f32, height_metres: f32) -> ClimateSample {
        let [north, south] = self.flat_latitudes;
        let latitude = north + (south - north) * v;
        let moisture = self.air.moisture.at_place(u, v);
        self.sample(latitude, || self.air.inland.at_place(u, v), moisture, height_metres)
    }

    /// Along a row of directions from the middle of a planet, unit vectors: temperature and moisture.
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

    /// In a direction from the middle of a planet, a unit vector.
    #[inline]
    pub fn at_direction(&self, [x, y, z]: [f32; 3], height_metres: f32) -> ClimateSample {
        let latitude = angle(z, (x * x + y * y).sqrt());
        let longitude = angle(y, x);
        let moisture = self.air.moisture.at_angles(longitude, latitude);
        let feel = self.sample(latitude, || self.air.inland.at_angles(longitude, latitude), moisture, height_metres);
        ClimateSample { celsius: feel.celsius + self.drift(longitude, latitude, height_metres), ..feel }
    }

    /// By how much currents warm the sea at a place; nothing on land.
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

/// Latitudes and longitudes of directions.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn angles([x, y, z]: [&[f32]; 3], latitudes: &mut [f32], longitudes: &mut [f32]) {
    for ((((x, y), z), latitude), longitude) in x.iter().zip(y).zip(z).zip(latitudes).zip(longitudes) {
        (*latitude, *longitude) = (angle(*z, (x * x + y * y).sqrt()), angle(*y, *x));
    }
}

/// Temperature at the height of the sea by latitude, and what the season adds. `sky` is tilt and declination.
fn warmth_by_latitude(climate: &Climate, sky: Option<(f32, f32)>) -> Vec<[f32; 2]> {
    let span = climate.equator_temperature - climate.pole_temperature;
    // Earth's sunlight stands for the temperatures that were given
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

/// Between the rows of [`warmth_by_latitude`].
#[inline]
fn at_latitude(rows: &[[f32; 2]], latitude: f32) -> [f32; 2] {
    let place = (latitude + FRAC_PI_2) * (LATITUDES as f32 / PI);
    let k = (place as usize).min(LATITUDES - 1);
    let part = place - k as f32;
    let (a, b) = (rows[k], rows[k + 1]);
    [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part]
}
