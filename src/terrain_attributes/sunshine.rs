//! Sunshine: the hours of direct sunlight that each sample gets under a clear sky, between 0 and 24.
//!
//! Law: the sun moves over the sky as for the scene's light (Cooper 1969), in steps of 1 minute on one day, or of 4
//! minutes on each of 365 days. A step counts where the centre of the sun is above the astronomical horizon and above
//! the terrain. The terrain's horizon is traced towards the centres of sectors of 5° of azimuth; all steps in a sector
//! use that horizon. Refraction and the width of the sun are neglected. Each of these simplifications changes the hours
//! by a few minutes.
//! Boundary: nothing beyond the terrain hides the sun.
//! Source: Dubayah & Rich 1995, *Topographic solar radiation models for GIS* (horizon by sectors of azimuth).

use super::TerrainAttribute;
use super::horizon::{HorizonRay, LANES, raise_horizons};
use super::raster::{PixelGrid, Pyramid};
use crate::field::{Cancelled, Control, Terrain};
use crate::scene::{Settings, direction_to_sun};

/// Number of sectors of azimuth.
const SECTORS: usize = 72;
/// Days of a year.
const DAYS: u32 = 365;
/// Minutes in a day.
const MINUTES: u32 = 24 * 60;
/// Minutes between positions of the sun on one day.
const DAY_STEP: u32 = 1;
/// Minutes between positions of the sun on each day of the year.
const YEAR_STEP: u32 = 4;

/// The positions of the sun in a sector of azimuth.
struct SunSector {
    ray: HorizonRay,
    /// Tangent of the sun's elevation at each step with the sun in the sector, in ascending order.
    tangents: Vec<f32>,
}

impl SunSector {
    /// Number of steps with the sun above a horizon, whose slope is given as a tangent.
    fn steps_above(&self, horizon: f32) -> u32 {
        (self.tangents.len() - self.tangents.partition_point(|&tangent| tangent <= horizon)) as u32
    }
}

/// The positions of the sun on one day, or on all days of a year.
struct SunPaths {
    sectors: Vec<SunSector>,
    /// Minutes between two positions.
    step: u32,
    /// Number of days.
    days: u32,
}

impl SunPaths {
    fn new(settings: &Settings, attribute: TerrainAttribute) -> Self {
        let is_year = attribute == TerrainAttribute::YearSunshine;
        let (days, step) = if is_year { (1..=DAYS, YEAR_STEP) } else { (settings.day..=settings.day, DAY_STEP) };
        let count = days.end() - days.start() + 1;
        let mut tangents = vec![Vec::new(); SECTORS];
        for day in days {
            for k in 0..MINUTES / step {
                let hour = (k as f32 + 0.5) * step as f32 / 60.0;
                let [east, north, up] = direction_to_sun(hour, day, settings.latitude);
                if up > 0.0 {
                    let turns = libm::atan2f(east, north) / std::f32::consts::TAU;
                    let sector = libm::roundf((turns + 1.0) * SECTORS as f32) as usize % SECTORS;
                    tangents[sector].push(up / (east * east + north * north).sqrt());
                }
            }
        }
        let sector = |(number, mut tangents): (usize, Vec<f32>)| {
            tangents.sort_by(f32::total_cmp);
            let azimuth = number as f32 * (std::f32::consts::TAU / SECTORS as f32);
            let direction = [libm::sinf(azimuth), -libm::cosf(azimuth)];
            let ray = HorizonRay { direction, growth: 1.16, width: 0.08, least: f32::NEG_INFINITY };
            SunSector { ray, tangents }
        };
        let sectors = tangents.into_iter().enumerate().filter(|(_, tangents)| !tangents.is_empty());
        Self { sectors: sectors.map(sector).collect(), step, days: count }
    }

    /// Mean hours of sunshine per day, for a number of steps with sunshine.
    fn mean_hours(&self, steps: u32) -> f32 {
        (steps * self.step) as f32 / (60 * self.days) as f32
    }
}

/// Hours of direct sunlight at every sample of a square terrain: on the scene's day, or the mean per day over the year.
///
/// # Errors
/// If the computation was cancelled.
pub fn hours(
    terrain: &Terrain,
    settings: &Settings,
    attribute: TerrainAttribute,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let n = terrain.samples();
    let (surface, peak) = Pyramid::of_cell_heights(terrain, settings, control)?;
    let paths = SunPaths::new(settings, attribute);
    let made = PixelGrid::of_rows(n, n, control, |row, out| {
        for (k, out) in out.chunks_mut(LANES).enumerate() {
            // Whole numbers of steps, whose sum does not depend on any order.
            let mut steps = [0; LANES];
            for sector in &paths.sectors {
                let mut horizon = [0.0; LANES];
                raise_horizons(&surface, peak, [k * LANES, row], &sector.ray, &mut horizon);
                let here = steps.iter_mut().zip(horizon).take(out.len());
                here.for_each(|(steps, horizon)| *steps += sector.steps_above(horizon));
            }
            out.iter_mut().zip(steps).for_each(|(out, steps)| *out = paths.mean_hours(steps));
        }
    })?;
    Ok(made.values)
}
