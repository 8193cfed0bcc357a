//! Currents: how the gyres of the oceans warm one coast and cool the other.
//!
//! Law: at a place of the sea that lies the share s of the way from the land in the west to the land in the east, along
//! its parallel, the water is by A·(2s - 1)·g(latitude) warmer, with g = sin(3(|latitude| - 35°)) between 5° and 80°, 0
//! beyond: poleward of 35° the west winds drive warm water against the west coasts of the lands (the North Atlantic
//! Drift) and cold water comes down their east coasts (Labrador, Oyashio); nearer to the equator it is the other way
//! round (Gulf Stream, Benguela). On a parallel without land the sea is as its latitude.
//! Source: the gyres of Sverdrup 1947 and Stommel 1948 as every atlas has them; the law in this form is ours.

use std::f32::consts::PI;

use super::grid::ClimateGrid;
use super::moisture::heights_around;
use super::{Climate, ClimateTerrain};

/// Radius of the smoothing, in cells of the sheet.
const SMOOTHING: usize = 3;
/// Where the currents turn, and where they end, in degrees.
const TURN: f32 = 35.0;
const ENDS: [f32; 2] = [5.0, 80.0];

/// By how much currents warm the sea, in °C; nothing where there are none.
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
    Some(warmed.blurred(SMOOTHING))
}

/// How far the cells of a parallel lie towards the land in the east, from -1 to 1; 0 on land, and where all is sea.
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

    /// One land along a meridian: off its west coast the cold sea is warmer than off its east coast.
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
}
