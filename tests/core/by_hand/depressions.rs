//! Depressions: a bowl, a pit on a plane, and terrain under a void.

use std::sync::Arc;

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Edges, MapKind, Terrain, Voids};

/// A place where heights are in metres, and samples are 1 m apart.
fn place(samples: usize) -> TestScene {
    TestScene { size_metres: (samples - 1) as f32, relief_metres: 1.0, ..TestScene::new(samples, Edges::Open) }
}

/// Heights of a square, from a function of the column and the row.
fn terrain(samples: usize, height: impl Fn(usize, usize) -> f32) -> Terrain {
    let mut made = Terrain::flat(place(samples).grid());
    made.height.iter_mut().enumerate().for_each(|(k, h)| *h = height(k % samples, k / samples));
    made
}

const NO_SEA: (&str, &str) = ("sea_level", "-10000");

/// A bowl h = r² / 400 in a plain of height 9 m, with a gap of height 4 m in its rim. Below the height s, the bowl
/// holds 200·π·s² cubic metres of water.
#[test]
fn a_bowl_fills_to_the_gap_in_its_rim() {
    let height = |x: usize, y: usize| {
        let (dx, dy) = (x as f32 - 64.0, y as f32 - 64.0);
        let bowl = ((dx * dx + dy * dy) / 400.0).min(9.0);
        // a channel of constant height from the bowl to the eastern edge
        if dy == 0.0 && dx > 0.0 { bowl.min(4.0) } else { bowl }
    };
    let start = terrain(129, height);
    let fill = node("FillDepressions", &[NO_SEA]);
    let made = place(129).finish(&fill, &start, 0);
    let mut volume = 0.0f64;
    for (new, old) in made.height.iter().zip(&start.height) {
        assert_eq!(*new, old.max(4.0), "the bowl fills to 4 m, and nothing else rises");
        volume += f64::from(new - old);
    }
    assert_eq!(made.height[64 * 129 + 64], 4.0);
    let by_hand = 200.0 * std::f64::consts::PI * 16.0;
    assert!((volume / by_hand - 1.0).abs() < 0.01, "{volume} m³, by hand {by_hand} m³");
    let lakes = place(129).finish(&node("Lakes", &[NO_SEA, ("smallest_area", "0")]), &start, 0);
    let water: f64 = lakes.map(MapKind::Water).unwrap().iter().copied().map(f64::from).sum();
    assert!((water - volume).abs() < 1.0e-3 * volume, "the lake holds {water} m³, the fill {volume} m³");
}

/// A plane that falls by 1 m per sample to the east, with one sample 5 m lower than the plane.
#[test]
fn a_pit_is_filled_to_its_lowest_neighbour_or_drained() {
    let start = terrain(33, |x, y| 100.0 - x as f32 - if (x, y) == (16, 16) { 5.0 } else { 0.0 });
    let pit = 16 * 33 + 16;
    let changed = |made: &Terrain| -> Vec<(usize, f32)> {
        let cells = made.height.iter().zip(&start.height).enumerate();
        cells.filter(|(_, (new, old))| new != old).map(|(k, (new, _))| (k, *new)).collect()
    };
    let filled = place(33).finish(&node("FillDepressions", &[NO_SEA]), &start, 0);
    assert_eq!(changed(&filled), [(pit, 83.0)]);
    // The channel ends where the plane is as low as the pit, five samples farther.
    let cut = place(33).finish(&node("FillDepressions", &[NO_SEA, ("fill_with", "Channels")]), &start, 0);
    assert_eq!(changed(&cut), [1, 2, 3, 4].map(|further| (pit + further, 79.0)));
}

/// After the channels are cut, nothing is left to fill, and no sample is higher than before.
#[test]
fn channels_drain_every_depression() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(65, edges);
        let mut start = place.noise();
        start.close_seam();
        let cut = place.finish(&node("FillDepressions", &[NO_SEA, ("fill_with", "Channels")]), &start, 0);
        let filled = place.finish(&node("FillDepressions", &[NO_SEA]), &cut, 0);
        assert_eq!(filled.height, cut.height, "{edges:?}");
        let lower = cut.height.iter().zip(&start.height).filter(|(new, old)| new < old).count();
        assert!(cut.height.iter().zip(&start.height).all(|(new, old)| new <= old));
        assert!((20..1000).contains(&lower), "{edges:?}: {lower} samples are cut");
    }
}

/// A plane that falls by 1 m per sample to the south, with a band of voids in the rows 30 to 32. Where the land ends,
/// water leaves at row 29, as at an open edge, and the land beyond drains its own rain only.
#[test]
fn water_leaves_at_a_void_where_the_land_ends() {
    let mut plane = terrain(65, |x, y| 100.0 - y as f32 + 0.001 * (x as f32 - 32.0).abs());
    plane.map_mut(MapKind::Ground)[30 * 65..33 * 65].fill(0.0);
    let flow = node("FlowAccumulation", &[NO_SEA, ("courses", "Steepest")]);
    let sums = |voids: Voids| {
        let made = TestScene { voids, ..place(65) }.finish(&flow, &plane, 0);
        let flow = made.map(MapKind::Flow).unwrap();
        [29, 33, 34, 63].map(|row: usize| flow[row * 65 + 1..(row + 1) * 65 - 1].iter().sum::<f32>() / 63.0)
    };
    // The columns beside the open edges drain to the edges, and so does a little water of others.
    let near = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.05 * b);
    let [ends, crosses] = [Voids::LandEnds, Voids::Cross].map(sums);
    println!("flow in rows 29, 33, 34, 63: {ends:?} where the land ends, {crosses:?} where water crosses");
    assert!(near(ends, [29.0, 1.0, 1.0, 30.0]), "{ends:?}");
    assert!(near(crosses, [29.0, 33.0, 34.0, 63.0]), "{crosses:?}");
}

/// Water and rock cross a void over the surface that fills it, as the help of *Heightmap from a file* says.
#[test]
fn water_and_rock_cross_a_void() {
    let whole = terrain(65, |x, y| 100.0 - y as f32 + 0.001 * (x as f32 - 32.0).abs());
    let mut with_void = whole.clone();
    let ground = (0..65 * 65).map(|k| if (30..=32).contains(&(k / 65)) { 0.0 } else { 1.0 }).collect();
    with_void.set_map(MapKind::Ground, Some(Arc::new(ground)));
    for (name, params) in [
        ("FlowAccumulation", &[("sea_level", "-10000")][..]),
        ("StreamPower", &[("iterations", "3"), ("sea_level", "-10000")]),
        ("Thermal", &[("iterations", "5"), ("talus_angle", "10")]),
        ("Hydraulic", &[("iterations", "5")]),
        ("Droplets", &[]),
    ] {
        let [one, other] = [&whole, &with_void].map(|start| place(65).finish(&node(name, params), start, 5));
        assert_eq!(one.height, other.height, "{name}");
        assert_eq!(one.map(MapKind::Flow), other.map(MapKind::Flow), "{name}");
    }
}
