//! Shared helpers of the tests of measures.

mod brownian;

pub use brownian::brownian;
use talweg::field::{Control, Edges, Grid, Stream, Terrain};
use talweg::measure::{Limits, Measures, TerrainScale, measure, measure_named};

pub const SCALE: TerrainScale = TerrainScale { size_metres: 1000.0, relief_metres: 100.0, sea_metres: None };

pub fn measured(terrain: &Terrain, scale: TerrainScale, limits: &Limits) -> Measures {
    measure(terrain, scale, limits, &Control::default()).expect("not cancelled")
}

pub fn measures_of(terrain: &Terrain) -> Measures {
    measured(terrain, SCALE, &Limits::default())
}

pub fn value(measures: &Measures, key: &str) -> Option<f64> {
    (measure_named(key).unwrap_or_else(|| panic!("there is no {key}")).read)(measures).number()
}

pub fn assert_near(a: f64, b: f64, within: f64, what: &str) {
    assert!((a - b).abs() <= within, "{what}: {a}, expected {b} within {within}");
}

pub fn metres(size_metres: f32) -> TerrainScale {
    TerrainScale { size_metres, relief_metres: 1.0, sea_metres: None }
}

/// Rough terrain. With `steps` height levels it has many ties.
pub fn rough(samples: usize, edges: Edges, seed: u32, steps: f32) -> Terrain {
    let stream = Stream::new(seed, 3);
    let mut terrain = Terrain::flat(Grid::new(samples, edges));
    for (k, h) in terrain.height.iter_mut().enumerate() {
        let (i, j) = ((k / samples) as i32, (k % samples) as i32);
        let sum = 0.6 * stream.unit(i / 5, j / 5) + 0.4 * stream.fork(1).unit(i, j);
        *h = (sum * steps).floor() / steps;
    }
    terrain.close_seam();
    terrain
}
