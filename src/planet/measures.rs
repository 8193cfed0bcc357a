//! A planet in numbers, each sample weighed by the area it stands for, so that no number depends on how the planet is turned.

use serde::Serialize;

use super::Planet;
use crate::field::{Globe, Terrain, globe_gradient};
use crate::scene::Scene;

/// Bands of height of the hypsometric curve.
pub const BANDS: usize = 64;

/// What [`measure_planet`] finds. Heights count from height 0, depths from the sea.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanetMeasures {
    pub radius_metres: f32,
    /// Samples per side of a face.
    pub face_samples: usize,
    pub area_km2: f64,
    /// Share of the planet above the sea, from 0 to 1.
    pub land_share: f64,
    pub land_km2: f64,
    pub lowest_metres: f64,
    pub highest_metres: f64,
    pub mean_metres: f64,
    /// Mean height of the land above the sea; nothing without land.
    pub mean_land_metres: Option<f64>,
    /// Mean depth of the sea; nothing without sea.
    pub mean_depth_metres: Option<f64>,
    /// Water in the sea.
    pub sea_km3: f64,
    /// Mean slope of the land at the planet's resolution; nothing without land.
    pub mean_land_slope_degrees: Option<f64>,
    /// Share of the planet in each of 64 equal bands of height from the lowest to the highest; their sum is 1.
    pub hypsometry: Vec<f64>,
    /// Content hash of the heights.
    pub hash: String,
}

/// The numbers of a planet, with what they are called, their unit and what they mean.
pub const PLANET_MEASURES: &[(&str, &str, &str, fn(&PlanetMeasures) -> Option<f64>)] = &[
    ("radius_metres", "m", "Radius at height 0.", |m| Some(f64::from(m.radius_metres))),
    ("area_km2", "km²", "Area of the whole planet at height 0.", |m| Some(m.area_km2)),
    ("land_share", "", "Share of the planet above the sea.", |m| Some(m.land_share)),
    ("land_km2", "km²", "Area above the sea.", |m| Some(m.land_km2)),
    ("lowest_metres", "m", "Height of the deepest place.", |m| Some(m.lowest_metres)),
    ("highest_metres", "m", "Height of the highest place.", |m| Some(m.highest_metres)),
    ("mean_metres", "m", "Mean height of all ground.", |m| Some(m.mean_metres)),
    ("mean_land_metres", "m", "Mean height of the land above the sea.", |m| m.mean_land_metres),
    ("mean_depth_metres", "m", "Mean depth of the sea.", |m| m.mean_depth_metres),
    ("sea_km3", "km³", "Water in the sea.", |m| Some(m.sea_km3)),
    ("mean_land_slope_degrees", "°", "Mean slope of the land between samples.", |m| m.mean_land_slope_degrees),
];

/// Measures the terrain of a planet.
pub fn measure_planet(terrain: &Terrain, scene: &Scene) -> PlanetMeasures {
    let Planet { radius_metres, .. } = scene.planet;
    let (relief, sea) = (f64::from(scene.settings.relief_metres), f64::from(scene.settings.sea_level));
    let globe = Globe::new(terrain.samples());
    let areas = globe.areas();
    let face = areas.len();
    let radius_km = f64::from(radius_metres) / 1000.0;
    let area_km2 = 4.0 * std::f64::consts::PI * radius_km * radius_km;
    let unit_km2 = area_km2 / globe.distinct() as f64;
    let steepness = scene.settings.relief_metres / radius_metres;
    let (low, high) = terrain.range();
    let (lowest, highest) = (f64::from(low) * relief, f64::from(high) * relief);
    let band = |metres: f64| {
        let place = if highest > lowest { (metres - lowest) / (highest - lowest) } else { 0.0 };
        ((place * BANDS as f64) as usize).min(BANDS - 1)
    };
    let mut hypsometry = vec![0.0; BANDS];
    let (mut whole, mut mean, mut land, mut above, mut depth, mut slopes) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (k, &h) in terrain.height.iter().enumerate() {
        if !globe.owns(k) {
            continue;
        }
        let (metres, area) = (f64::from(h) * relief, f64::from(areas[k % face]));
        hypsometry[band(metres)] += area;
        whole += area;
        mean += area * metres;
        if metres > sea {
            land += area;
            above += area * (metres - sea);
            let [x, y, z] = globe_gradient(&globe, &terrain.height, k).map(|s| f64::from(s * steepness));
            slopes += area * libm::atan((x * x + y * y + z * z).sqrt()).to_degrees();
        } else {
            depth += area * (sea - metres);
        }
    }
    hypsometry.iter_mut().for_each(|share| *share /= whole);
    let water = whole - land;
    let mean_of = |sum: f64, share: f64| (share > 0.0).then(|| sum / share);
    PlanetMeasures {
        radius_metres,
        face_samples: terrain.samples(),
        area_km2,
        land_share: land / whole,
        land_km2: land * unit_km2,
        lowest_metres: lowest,
        highest_metres: highest,
        mean_metres: mean / whole,
        mean_land_metres: mean_of(above, land),
        mean_depth_metres: mean_of(depth, water),
        sea_km3: depth * unit_km2 / 1000.0,
        mean_land_slope_degrees: mean_of(slopes, land),
        hypsometry,
        hash: format!("{:032x}", terrain.hash()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Grid;
    use crate::scene::{Settings, World};

    fn measured(height: impl Fn([f64; 3]) -> f64) -> PlanetMeasures {
        let settings = Settings { world: World::Planet, relief_metres: 10_000.0, ..Settings::default() };
        let scene = Scene { settings, ..Scene::default() };
        let mut terrain = Terrain::flat(Grid::globe(65));
        let globe = Globe::new(65);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            *h = height(globe.direction_of(k).map(f64::from)) as f32;
        }
        measure_planet(&terrain, &scene)
    }

    /// Archimedes: the height along an axis is spread evenly over a sphere.
    #[test]
    fn a_planet_whose_height_is_its_latitude_has_even_bands() {
        let m = measured(|[_, _, z]| z);
        assert!((m.land_share - 0.5).abs() < 0.01 && m.mean_metres.abs() < 1.0, "{m:?}");
        assert!((m.mean_land_metres.unwrap() - 5000.0).abs() < 60.0);
        assert!(m.hypsometry.iter().all(|share| (share * BANDS as f64 - 1.0).abs() < 0.25), "{:?}", m.hypsometry);
        assert!((m.area_km2 / 5.1e8 - 1.0).abs() < 0.01, "Earth has 510 million km²");
    }

    #[test]
    fn nothing_depends_on_how_the_planet_is_turned() {
        let height = |[x, y, z]: [f64; 3]| 0.3 * (3.0 * x).sin() + 0.2 * (5.0 * y).cos() * z;
        // a turn of 1 radian about y, then of 2 about z
        let turned = |[x, y, z]: [f64; 3]| {
            let [a, c] = [1f64.cos() * x + 1f64.sin() * z, 1f64.cos() * z - 1f64.sin() * x];
            height([2f64.cos() * a + 2f64.sin() * y, 2f64.cos() * y - 2f64.sin() * a, c])
        };
        let (a, b) = (measured(height), measured(turned));
        assert!((a.land_share - b.land_share).abs() < 0.004, "{} and {}", a.land_share, b.land_share);
        let apart: f64 = a.hypsometry.iter().zip(&b.hypsometry).map(|(a, b)| (a - b).abs()).sum();
        assert!(apart < 0.06, "histograms differ by {apart}");
        let (a, b) = (a.mean_land_slope_degrees.unwrap(), b.mean_land_slope_degrees.unwrap());
        assert!((a / b - 1.0).abs() < 0.01, "{a} and {b}");
    }
}
