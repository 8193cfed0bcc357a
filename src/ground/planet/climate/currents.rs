//! Ocean currents: how the gyres warm one coast of an ocean and cool the other.
//!
//! Equation: the water of a sea cell is warmer by A·(2s - 1)·g(latitude). Here s is the position of the cell on its
//! parallel, as a fraction of the way from the land in the west to the land in the east. A is the strength of the
//! currents. The factor g is sin(3(|latitude| - 35°)) between 5° and 80°, and 0 elsewhere. Poleward of 35°, westerlies
//! drive warm water against the west coasts of the lands (the North Atlantic Drift), and cold water flows down their
//! east coasts (Labrador, Oyashio). Nearer to the equator the contrast is reversed (Gulf Stream, Benguela).
//!
//! Anomalies of the sea surface temperature, 500 to 2000 km wide, are added. They are noise in three octaves, warped by
//! itself into meanders and shifted by the gyres. The standard deviation of the anomalies is about A/5 poleward of 35°.
//! On Earth the temperature deviates by one or two degrees from the mean of a parallel. The deviation is smaller near
//! the equator, where the sea is more uniform. A parallel without land has only the anomalies.
//!
//! Source: the gyres of Sverdrup 1947 and Stommel 1948, as in any atlas. This form of the equation is not taken from a
//! paper.

use std::f32::consts::PI;

use super::grid::ClimateGrid;
use super::moisture::heights_around;
use super::{Climate, ClimateTerrain};
use crate::field::globe::from_angles;
use crate::planet::space_noise::noises;

/// Radius over which the warming by the gyres is smoothed, in cells of the climate grid.
const SMOOTHING: usize = 3;
/// Absolute latitude at which the currents change sign, and the two absolute latitudes where they end, in degrees.
const TURN: f32 = 35.0;
const ENDS: [f32; 2] = [5.0, 80.0];

/// Frequency of the widest anomalies, in bumps per planet radius: 2000 km on Earth. Each further octave has twice the
/// frequency, and its amplitude is multiplied by `ANOMALY_SHARE`.
const ANOMALY_HUMPS: f32 = 3.2;
const ANOMALY_OCTAVES: usize = 3;
const ANOMALY_SHARE: f32 = 0.8;
/// Strength of the anomalies as a fraction of the strength of the currents. `ANOMALY_AT_EQUATOR` is the fraction of
/// this strength that remains at the equator.
const ANOMALY: f32 = 0.85;
const ANOMALY_AT_EQUATOR: f32 = 0.3;
/// Two lengths, in bumps of the anomaly noise: the strength of the warp, and the greatest poleward shift by the gyres.
const MEANDERS: f32 = 1.5;
const DRAWN: f32 = 0.8;

/// Warming of the sea by currents, in °C; `None` if the climate has no currents.
pub fn currents(climate: &Climate, ground: &ClimateTerrain) -> Option<ClimateGrid> {
    if climate.currents <= 0.0 || !ground.terrain.grid.is_globe() {
        return None;
    }
    let height = heights_around(ground);
    let rows: Vec<Vec<f32>> = (0..height.height).map(|i| along_parallel(height.row(i), ground.sea_metres)).collect();
    let warmed = height.map(|i, j| {
        let degrees = height.latitude(i).abs() * (180.0 / PI);
        if degrees <= ENDS[0] || degrees >= ENDS[1] {
            return 0.0;
        }
        climate.currents * rows[i][j] * libm::sinf(3.0 * (degrees - TURN) * (PI / 180.0))
    });
    let gyres = warmed.blurred(SMOOTHING);
    Some(gyres.map(|i, j| {
        let gyre = gyres.row(i)[j];
        gyre + climate.currents * ANOMALY * anomaly(&gyres, [i, j], gyre / climate.currents)
    }))
}

/// The temperature anomaly of a grid cell, mostly between -0.6 and 0.6. `gyre` is the warming by the gyre, from -1 to
/// 1.
fn anomaly(sheet: &ClimateGrid, [i, j]: [usize; 2], gyre: f32) -> f32 {
    let latitude = sheet.latitude(i);
    let longitude = (j as f32 + 0.5) * (2.0 * PI / sheet.width as f32) - PI;
    let mut place = from_angles(f64::from(latitude), f64::from(longitude)).map(|x| x as f32 * ANOMALY_HUMPS);
    place[2] += if latitude < 0.0 { gyre * DRAWN } else { -gyre * DRAWN };
    let bend = noises(place.map(|x| x * 0.8 + 5.3));
    place = std::array::from_fn(|k| place[k] + (bend[k] - 0.5) * MEANDERS);
    let (mut sum, mut share, mut scale, mut whole) = (0.0, 1.0, 1.0, 0.0);
    for octave in 0..ANOMALY_OCTAVES {
        sum += share * (2.0 * noises(place.map(|x| x * scale + 17.1 * octave as f32))[0] - 1.0);
        whole += share;
        share *= ANOMALY_SHARE;
        scale *= 2.0;
    }
    let poleward = (latitude.abs() * (180.0 / PI) / TURN).min(1.0);
    sum / whole * (ANOMALY_AT_EQUATOR + (1.0 - ANOMALY_AT_EQUATOR) * poleward)
}

/// Position of each cell of a parallel between the land in the west (-1) and the land in the east (1). The position is
/// 0 on land, and on a parallel without land.
fn along_parallel(heights: &[f32], sea: f32) -> Vec<f32> {
    let n = heights.len();
    let is_land = |k: usize| heights[k % n] > sea;
    let mut out = vec![0.0; n];
    let Some(first) = (0..n).find(|&k| is_land(k)) else { return out };
    let mut west = first;
    for k in first + 1..=first + n {
        if !is_land(k) {
            continue;
        }
        let width = (k - west) as f32;
        (west + 1..k).for_each(|cell| out[cell % n] = 2.0 * (cell - west) as f32 / width - 1.0);
        west = k;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Globe, Grid, Terrain};
    use crate::planet::climate::TerrainClimate;

    /// The test planet has one land along a meridian. The sea off its west coast must be warmer than off its east
    /// coast.
    #[test]
    fn the_west_coasts_of_cold_lands_have_the_warmer_sea() {
        let mut terrain = Terrain::flat(Grid::globe(65));
        let globe = Globe::new(65);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            let [x, y, _] = globe.direction_of(k);
            *h = if x > 0.0 && y.abs() < 0.2 { 0.1 } else { -0.1 };
        }
        let ground = ClimateTerrain { terrain: &terrain, relief_metres: 1000.0, sea_metres: 0.0, side_metres: 1.0e7 };
        let at = |currents: f32, latitude: f64, longitude: f64| {
            let weather = TerrainClimate::new(&Climate { currents, ..Climate::default() }, &ground);
            let [latitude, longitude] = [latitude, longitude].map(f64::to_radians);
            weather
                .at_direction(crate::field::globe::from_angles(latitude, longitude).map(|x| x as f32), -100.0)
                .celsius
        };
        assert!(at(10.0, 60.0, -60.0) > at(10.0, 60.0, 60.0) + 5.0);
        assert!(at(10.0, -60.0, -60.0) > at(10.0, -60.0, 60.0) + 5.0);
        assert!(at(10.0, 20.0, -60.0) < at(10.0, 20.0, 60.0) - 3.0);
        assert_eq!(at(0.0, 60.0, -60.0), at(0.0, 60.0, 60.0));
        assert_eq!(along_parallel(&[-1.0; 4], 0.0), [0.0; 4]);
        assert_eq!(along_parallel(&[-1.0, -1.0, 1.0, -1.0], 0.0), [0.0, 0.5, 0.0, -0.5]);
    }
    /// On a planet covered by water, the temperature deviates from the mean of a parallel with a standard deviation of
    /// one or two degrees. The anomalies must be as wide as anomalies of Earth's sea surface temperature: 500 to 2000
    /// km.
    #[test]
    fn ocean_anomalies_without_land_are_like_those_of_earth() {
        const EARTH_KM: f32 = 6371.0;
        let mut terrain = Terrain::flat(Grid::globe(17));
        terrain.height.fill(-0.1);
        let ground = ClimateTerrain { terrain: &terrain, relief_metres: 1000.0, sea_metres: 0.0, side_metres: 1.0e7 };
        let climate = Climate { currents: 8.0, ..Climate::default() };
        let warmed = currents(&climate, &ground).unwrap();
        let is_middle = |&i: &usize| (35.0..65.0).contains(&warmed.latitude(i).abs().to_degrees());
        let rows: Vec<usize> = (0..warmed.height).filter(is_middle).collect();
        // The sums run over pairs of cells on the same parallel. They hold the square of the anomaly, and its products
        // with the anomalies 100 km and 2000 km away.
        let (mut squares, mut near, mut far, mut greatest) = (0.0, 0.0, 0.0, 0.0f32);
        for &i in &rows {
            let (row, latitude) = (warmed.row(i), warmed.latitude(i));
            let at = |km: f32, j: usize| {
                let longitude =
                    (j as f32 + 0.5) / row.len() as f32 * 2.0 * PI - PI + km / (EARTH_KM * libm::cosf(latitude));
                warmed.at_angles(if longitude > PI { longitude - 2.0 * PI } else { longitude }, latitude)
            };
            for (j, &here) in row.iter().enumerate() {
                squares += f64::from(here * here);
                near += f64::from(here * at(100.0, j));
                far += f64::from(here * at(2000.0, j));
                greatest = greatest.max(here.abs());
            }
        }
        let deviation = (squares / (rows.len() * warmed.width) as f64).sqrt();
        println!(
            "± {deviation:.2} °C, at most {greatest:.1}; at 100 km {:.2}, at 2000 km {:.2}",
            near / squares,
            far / squares
        );
        assert!((1.0..2.2).contains(&deviation) && (2.0..7.0).contains(&greatest), "{deviation} {greatest}");
        assert!(near > 0.75 * squares && far < 0.4 * squares, "{squares} {near} {far}");
    }
}
