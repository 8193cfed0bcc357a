//! Measures of a planet. Each sample is weighted by its area, so that the results do not depend on the orientation of
//! the grid.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::drainage::{DrainageGround, drainage};
use super::{ClimateMeasures, Drainage, Limits, Slopes, TerrainScale, climate_measures, slopes_by};
use crate::field::metric::{GridMetric, Metric, Spherical};
use crate::field::topology::FACES;
use crate::field::{Cancelled, Control, Globe, Terrain, globe_gradient};
use crate::planet::Planet;
use crate::scene::Scene;

/// Number of height bands between the lowest and the highest height in the hypsometry of a planet.
pub const BANDS: usize = 64;

/// Result of [`measure_planet`]. Heights are relative to height 0, and depths are relative to the sea level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanetMeasures {
    /// Radius of the planet.
    pub radius_metres: f32,
    /// Number of samples per side of a face.
    pub face_samples: usize,
    /// Area of the planet at height 0.
    pub area_km2: f64,
    /// Fraction of the planet above the sea, from 0 to 1.
    pub land_share: f64,
    /// Area of the planet above the sea.
    pub land_km2: f64,
    /// Lowest height on the planet.
    pub lowest_metres: f64,
    /// Highest height on the planet.
    pub highest_metres: f64,
    /// Area-weighted mean height.
    pub mean_metres: f64,
    /// Mean height of the land above the sea, or above height 0 without a sea; `None` without land.
    pub mean_land_metres: Option<f64>,
    /// Mean depth of the sea; `None` without a sea.
    pub mean_depth_metres: Option<f64>,
    /// Volume of the sea.
    pub sea_km3: f64,
    /// Mean slope of the land at the planet's resolution; `None` without land.
    pub mean_land_slope_degrees: Option<f64>,
    /// Fraction of the planet in each of 64 equal height bands from the lowest to the highest height. The fractions add
    /// up to 1.
    pub hypsometry: Vec<f64>,
    /// Slopes of the whole planet: height differences in metres between samples whose distance is the side of a mean
    /// cell.
    pub slopes: Slopes,
    /// Streams and basins; `None` if there is no land, or if the land is level.
    pub drainage: Option<Drainage>,
    /// Measures of temperature and moisture.
    pub climate: ClimateMeasures,
    /// Content hash of the heights and data maps.
    pub hash: String,
}

/// Measures the terrain of a planet on the threads of the current pool. The results have the same bits for any number
/// of threads.
///
/// # Errors
/// When the caller cancels the computation.
pub fn measure_planet(
    terrain: &Terrain,
    scene: &Scene,
    limits: &Limits,
    control: &Control,
) -> Result<PlanetMeasures, Cancelled> {
    let Planet { radius_metres, .. } = scene.planet;
    let n = terrain.samples();
    control.advance(0.0);
    let metric = Arc::new(Spherical::of_grid(terrain.grid));
    let globe = metric.globe();
    control.check()?;
    let radius_km = f64::from(radius_metres) / 1000.0;
    let area_km2 = 4.0 * std::f64::consts::PI * radius_km * radius_km;
    let unit_km2 = area_km2 / globe.grid().distinct_len() as f64;
    let ground = PlanetGround {
        globe,
        height: &terrain.height,
        areas: metric.all_owned_areas(),
        range: terrain.range(),
        relief: f64::from(scene.settings.relief_metres),
        sea: f64::from(scene.settings.sea_level),
        steepness: scene.settings.relief_metres / radius_metres,
    };
    let done = AtomicUsize::new(0);
    let rows: Vec<AreaSums> = (0..FACES * n)
        .into_par_iter()
        .map(|row| {
            control.check()?;
            let sums = ground.row(row);
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            control.advance(0.5 * count as f32 / (FACES * n) as f32);
            Ok(sums)
        })
        .collect::<Result<_, Cancelled>>()?;
    // The sums are added in row order, whichever thread computed a row.
    let mut all = AreaSums::default();
    rows.iter().for_each(|row| all.add(row));
    control.advance(0.5);
    let slopes = slopes_by(&GridMetric::Spherical(metric.clone()), terrain);
    control.check()?;
    let drainage = drainage(&DrainageGround::of_globe(terrain, TerrainScale::for_scene(scene)), limits, control)?;
    control.advance(0.7);
    let climate = climate_measures(scene, terrain, control)?;
    control.advance(1.0);
    let AreaSums { whole, mean, land, above, depth, degrees, mut hypsometry } = all;
    hypsometry.iter_mut().for_each(|share| *share /= whole);
    let water = whole - land;
    let mean_of = |sum: f64, share: f64| (share > 0.0).then(|| sum / share);
    Ok(PlanetMeasures {
        radius_metres,
        face_samples: n,
        area_km2,
        land_share: land / whole,
        land_km2: land * unit_km2,
        lowest_metres: ground.lowest(),
        highest_metres: ground.highest(),
        mean_metres: mean / whole,
        mean_land_metres: mean_of(above, land),
        mean_depth_metres: mean_of(depth, water),
        sea_km3: depth * unit_km2 / 1000.0,
        mean_land_slope_degrees: mean_of(degrees, land),
        hypsometry: hypsometry.into(),
        slopes: Slopes { mean: slopes.mean * ground.relief, deviation: slopes.deviation * ground.relief },
        drainage,
        climate,
        hash: format!("{:032x}", terrain.hash()),
    })
}

/// Area-weighted sums over some cells of a planet.
#[derive(Clone)]
struct AreaSums {
    whole: f64,
    mean: f64,
    land: f64,
    above: f64,
    depth: f64,
    degrees: f64,
    hypsometry: [f64; BANDS],
}

impl Default for AreaSums {
    fn default() -> Self {
        Self { whole: 0.0, mean: 0.0, land: 0.0, above: 0.0, depth: 0.0, degrees: 0.0, hypsometry: [0.0; BANDS] }
    }
}

impl AreaSums {
    fn add(&mut self, other: &Self) {
        self.whole += other.whole;
        self.mean += other.mean;
        self.land += other.land;
        self.above += other.above;
        self.depth += other.depth;
        self.degrees += other.degrees;
        self.hypsometry.iter_mut().zip(other.hypsometry).for_each(|(sum, other)| *sum += other);
    }
}

/// The terrain of a planet, with the areas of its cells and its scale.
struct PlanetGround<'a> {
    globe: &'a Globe,
    height: &'a [f32],
    /// Areas of all cells; 0 for cells that repeat a cell of another face.
    areas: &'a [f32],
    range: (f32, f32),
    relief: f64,
    sea: f64,
    /// The relief divided by the planet's radius.
    steepness: f32,
}

impl PlanetGround<'_> {
    fn lowest(&self) -> f64 {
        f64::from(self.range.0) * self.relief
    }

    fn highest(&self) -> f64 {
        f64::from(self.range.1) * self.relief
    }

    /// Height that the land's heights are relative to: the sea level, or height 0 if the planet has no sea. A sea level
    /// means "no sea" if it is further below height 0 than one relief.
    fn datum(&self) -> f64 {
        if self.sea >= -self.relief { self.sea } else { 0.0 }
    }

    fn band(&self, metres: f64) -> usize {
        let (lowest, highest) = (self.lowest(), self.highest());
        let place = if highest > lowest { (metres - lowest) / (highest - lowest) } else { 0.0 };
        ((place * BANDS as f64) as usize).min(BANDS - 1)
    }

    /// The sums over the cells of one row. Row numbers run through all faces of the globe.
    fn row(&self, row: usize) -> AreaSums {
        let n = self.globe.samples();
        let mut sums = AreaSums::default();
        for k in (row * n..(row + 1) * n).filter(|&k| self.areas[k] > 0.0) {
            let (metres, area) = (f64::from(self.height[k]) * self.relief, f64::from(self.areas[k]));
            sums.hypsometry[self.band(metres)] += area;
            sums.whole += area;
            sums.mean += area * metres;
            if metres > self.sea {
                sums.land += area;
                sums.above += area * (metres - self.datum());
                let slope = globe_gradient(self.globe, self.height, k);
                let [x, y, z] = slope.map(|s| f64::from(s * self.steepness));
                sums.degrees += area * libm::atan((x * x + y * y + z * z).sqrt()).to_degrees();
            } else {
                sums.depth += area * (self.sea - metres);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "test results do not affect heights")]

    use super::*;
    use crate::field::Grid;
    use crate::planet::World;
    use crate::scene::Settings;

    fn measured(height: impl Fn([f64; 3]) -> f64) -> PlanetMeasures {
        let settings = Settings { world: World::Planet, relief_metres: 10_000.0, ..Settings::default() };
        let scene = Scene { settings, ..Scene::default() };
        let mut terrain = Terrain::flat(Grid::globe(65));
        let globe = Globe::new(65);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            *h = height(globe.direction_of(k).map(f64::from)) as f32;
        }
        measure_planet(&terrain, &scene, &Limits::default(), &Control::default()).unwrap()
    }

    /// By Archimedes' theorem, the coordinate along an axis is uniformly distributed over a sphere.
    #[test]
    fn a_planet_whose_height_is_its_latitude_has_even_bands() {
        let m = measured(|[_, _, z]| z);
        assert!((m.land_share - 0.5).abs() < 0.01 && m.mean_metres.abs() < 1.0, "{m:?}");
        assert!((m.mean_land_metres.unwrap() - 5000.0).abs() < 60.0);
        // The samples form rows of equal latitude, so a single band can contain one row too few or too many.
        for four in m.hypsometry.chunks(4) {
            assert!((four.iter().sum::<f64>() * BANDS as f64 / 4.0 - 1.0).abs() < 0.15, "{:?}", m.hypsometry);
        }
        assert!((m.area_km2 / 5.1e8 - 1.0).abs() < 0.01, "Earth has 510 million km²");
    }

    /// A planet without a sea has a sea level far below all terrain.
    #[test]
    fn without_a_sea_the_land_counts_from_height_0() {
        let settings = Settings { world: World::Planet, sea_level: -100_000.0, ..Settings::default() };
        let scene = Scene { settings, ..Scene::default() };
        let mut terrain = Terrain::flat(Grid::globe(9));
        terrain.height.fill(0.5);
        let m = measure_planet(&terrain, &scene, &Limits::default(), &Control::default()).unwrap();
        let expected = 0.5 * f64::from(scene.settings.relief_metres);
        assert!((m.mean_land_metres.unwrap() - expected).abs() < 1e-3 && m.mean_depth_metres.is_none(), "{m:?}");
    }

    #[test]
    fn measuring_stops_reports_progress_and_ignores_threads() {
        let settings = Settings { world: World::Planet, ..Settings::default() };
        let scene = Scene { settings, palette: "biome:earth".into(), ..Scene::default() };
        let mut terrain = Terrain::flat(Grid::globe(33));
        let globe = Globe::new(33);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            let [x, y, z] = globe.direction_of(k);
            *h = 0.3 * x * y + 0.2 * z;
        }
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let control = Control::default();
            let measures = pool.install(|| measure_planet(&terrain, &scene, &Limits::default(), &control)).unwrap();
            assert_eq!(control.progress().1, 1.0);
            measures
        };
        let one = with(1);
        assert_eq!(one, with(3));
        assert!((one.climate.types.iter().map(|kind| kind.fraction).sum::<f64>() - 1.0).abs() < 1e-9);
        let stopped = Control::default();
        stopped.cancel();
        assert_eq!(measure_planet(&terrain, &scene, &Limits::default(), &stopped), Err(Cancelled));
    }

    #[test]
    fn planet_measures_do_not_depend_on_rotation() {
        let height = |[x, y, z]: [f64; 3]| 0.3 * (3.0 * x).sin() + 0.2 * (5.0 * y).cos() * z;
        // The terrain is rotated by 1 radian about y, then by 2 radians about z.
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

    /// The planet has a bowl at each pole and no sea. All water ends in the lower bowl. The water of the other bowl
    /// must fill that bowl before it flows on.
    #[test]
    fn streams_and_basins_are_measured_by_area() {
        let bowls = measured(|[_, _, z]| 1.1 - z * z - 0.01 * z);
        let drainage = bowls.drainage.unwrap();
        assert!((drainage.largest_basin_km2 / bowls.area_km2 - 1.0).abs() < 1e-5, "{drainage:?}");
        assert!((drainage.largest_basin_fraction - bowls.land_share).abs() < 1e-5 && bowls.land_share > 0.999);
        assert!((drainage.drained_fraction - 0.5).abs() < 0.02, "one hemisphere is a single basin: {drainage:?}");
        assert!((drainage.source_km2 / bowls.area_km2 - 1e-3).abs() < 1e-6);
        // Half of the planet is land, and all land slopes to the sea.
        let dome = measured(|[_, _, z]| z).drainage.unwrap();
        assert!(dome.drained_fraction > 0.9999 && dome.largest_basin_fraction < 0.1, "{dome:?}");
        assert_eq!(measured(|_| 0.3).drainage, None);
    }

    /// Water flows down eight valleys of known length, which follow meridians.
    #[test]
    fn streams_are_as_long_as_their_valleys() {
        // Eight valleys, each 120° long, run from the north pole to a sea in the south.
        let valleys = measured(|[x, y, z]| 0.5 + z + 0.3 * (1.0 - z * z) * (8.0 * y.atan2(x)).cos().abs());
        let drainage = valleys.drainage.unwrap();
        let highest = drainage.streams.last().unwrap();
        assert!(highest.count >= 4, "{drainage:?}");
        let length: f64 = drainage.streams.iter().map(|s| s.count as f64 * s.mean_km).sum();
        let land = drainage.density * valleys.land_km2;
        // The tolerance allows for the cell areas, which have single precision.
        assert!((length / land - 1.0).abs() < 1e-6, "density is length over land: {length}, {land}");
    }
}
