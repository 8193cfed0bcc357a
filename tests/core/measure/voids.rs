//! Measures of terrain with no-data gaps.

use crate::kits::measure::{assert_near, measures_of, rough, value};
use talweg::field::{Edges, Grid, MapKind, Terrain};
use talweg::measure::MEASURES;

#[test]
fn void_heights_change_no_measure() {
    for edges in [Edges::Open, Edges::Wrap] {
        let mut terrain = rough(65, edges, 4, 40.0);
        let lies_in_void = |k: usize| (k / 65 % 64 + k % 65 % 64) % 64 < 20 || k % 65 % 64 == 40;
        terrain
            .map_mut(MapKind::Ground)
            .iter_mut()
            .enumerate()
            .for_each(|(k, g)| *g = f32::from(u8::from(!lies_in_void(k))));
        let with = |height: f32| {
            let mut terrain = terrain.clone();
            terrain.height.iter_mut().enumerate().filter(|(k, _)| lies_in_void(*k)).for_each(|(_, h)| *h = height);
            terrain
        };
        let all: Vec<_> = [-3.0, 0.5, 40.0].map(|height| measures_of(&with(height))).into_iter().collect();
        for m in MEASURES.iter().filter(|m| m.key != "hash") {
            let values: Vec<_> = all.iter().map(|measures| (m.read)(measures).number()).collect();
            assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{} {edges:?}: {values:?}", m.key);
            if m.key.ends_with("_fraction") {
                assert!((0.0..=1.0).contains(&values[0].unwrap()), "{}: {values:?}", m.key);
            }
        }
    }
}

#[test]
fn slopes_beside_a_void_use_only_terrain() {
    // A plane with the slope 1 : 10 to the east. Its western half is a gap.
    let mut plane = Terrain::flat(Grid::new(33, Edges::Open));
    plane
        .height
        .iter_mut()
        .enumerate()
        .for_each(|(k, h)| *h = if k % 33 < 16 { -9.0 } else { (k % 33) as f32 * 0.03125 });
    plane.map_mut(MapKind::Ground).iter_mut().enumerate().for_each(|(k, g)| *g = f32::from(u8::from(k % 33 >= 16)));
    let measures = measures_of(&plane);
    assert_near(value(&measures, "mean_slope").unwrap(), 3.125, 1e-4, "mean slope in metres");
    assert_near(value(&measures, "slope_deviation").unwrap(), 0.0, 1e-4, "deviation");
    assert_near(value(&measures, "erosion_score").unwrap(), 0.0, 1e-4, "score");
    assert_near(value(&measures, "mean_steepness").unwrap(), 0.1f64.atan().to_degrees(), 1e-3, "steepness");
    assert_near(value(&measures, "playable_fraction").unwrap(), 1.0, 1e-9, "playable");
    assert_near(value(&measures, "drained_fraction").unwrap(), 1.0, 1e-9, "drained");
}
