//! Erosion of a cone: nothing rises by more than the uplift, and the erosion does not depend on the grid's directions.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Edges, MapKind, Terrain};
use talweg::nodes::Node;

/// Height of the cone's tip, in metres; also the relief of the scene.
const TIP: f32 = 1000.0;

fn test_scene(seed: u32) -> TestScene {
    TestScene { size_metres: 7680.0, relief_metres: TIP, seed, ..TestScene::new(129, Edges::Open) }
}

/// A cone with its tip in the middle. Its height is 0 at the fraction `foot` of the way from the middle to the edge.
fn cone(place: &TestScene, foot: f32) -> Terrain {
    let mut made = Terrain::flat(place.grid());
    let middle = (place.samples / 2) as f32;
    for (k, h) in made.height.iter_mut().enumerate() {
        let distance = ((k % place.samples) as f32 - middle).hypot((k / place.samples) as f32 - middle);
        *h = 1.0 - distance / (middle * foot);
    }
    made
}

/// A process without variation of the uplift.
fn even(name: &str, params: &[(&str, &str)]) -> Node {
    node(name, &[&[("uplift_variation", "0")], params].concat())
}

/// Amplitudes of the fourth and the eighth harmonic of `map` around the middle, as fractions of its mean absolute
/// value. Both are 0 if the map does not depend on the directions of the grid.
pub fn harmonics(map: &[f32], samples: usize, radii: std::ops::Range<f32>) -> [f64; 2] {
    let middle = (samples / 2) as f32;
    let (mut sum, mut waves) = (0.0f64, [[0.0f64; 2]; 2]);
    for (k, &value) in map.iter().enumerate() {
        let (x, y) = ((k % samples) as f32 - middle, (k / samples) as f32 - middle);
        if !radii.contains(&x.hypot(y)) {
            continue;
        }
        let angle = f64::from(y).atan2(f64::from(x));
        sum += f64::from(value.abs());
        for (wave, order) in waves.iter_mut().zip([4.0, 8.0]) {
            wave[0] += f64::from(value) * (order * angle).cos();
            wave[1] += f64::from(value) * (order * angle).sin();
        }
    }
    waves.map(|[a, b]| 2.0 * a.hypot(b) / sum)
}

#[test]
fn without_uplift_nothing_rises() {
    for (name, params) in [
        ("AnalyticStreamPower", &[("iterations", "2")][..]),
        ("AnalyticStreamPower", &[("iterations", "100"), ("network_scale", "OneGrid")]),
        ("AnalyticStreamPower", &[("iterations", "2"), ("network_age", "0")]),
        ("StreamPower", &[("iterations", "10"), ("diffusivity", "0")]),
    ] {
        let place = test_scene(3);
        let start = cone(&place, 1.3);
        let made = place.finish(
            &even(name, &[&[("uplift_rate", "0"), ("sea_level", "-10000")], params].concat()),
            &start,
            u32::MAX,
        );
        let risen = made.height.iter().zip(&start.height).map(|(new, old)| new - old).fold(f32::MIN, f32::max);
        let lowered = made.height.iter().zip(&start.height).map(|(new, old)| old - new).fold(f32::MIN, f32::max);
        assert!(risen <= 0.0, "{name} {params:?}: rises by {} m", risen * TIP);
        assert!(lowered * TIP > 5.0, "{name} {params:?}: lowers by {} m at most", lowered * TIP);
    }
}

#[test]
fn nothing_rises_by_more_than_the_uplift() {
    // Uplift in mm/year, number of iterations, and years per iteration.
    for (rate, iterations, time_step) in [(1.0f32, 2u32, 50_000.0f32), (0.2, 40, 50_000.0), (5.0, 1, 1000.0)] {
        let place = test_scene(5);
        let start = cone(&place, 1.3);
        let [rates, counts, steps] = [rate.to_string(), iterations.to_string(), time_step.to_string()];
        let params =
            [("uplift_rate", &*rates), ("iterations", &counts), ("time_step", &steps), ("sea_level", "-10000")];
        let made = place.finish(&even("AnalyticStreamPower", &params), &start, u32::MAX);
        let uplift = rate * 1.0e-3 * time_step * iterations as f32 / TIP;
        let risen = made.height.iter().zip(&start.height).map(|(new, old)| new - old).fold(f32::MIN, f32::max);
        assert!(risen <= uplift * (1.0 + 1.0e-5), "{rate} mm/year: {risen} above {uplift}");
        assert!(risen > 0.2 * uplift, "{rate} mm/year: {risen} of {uplift}");
    }
}

/// Without uplift, the streams of two cones flow as on the initial terrain. So the pass between the cones stays a pass.
#[test]
fn without_uplift_a_pass_stays_where_it_is() {
    let place = test_scene(1);
    let n = place.samples;
    let mut start = Terrain::flat(place.grid());
    let height = |x: f32, y: f32| {
        let cone = |at: f32| 0.8 - (x - at).hypot(y) * 1.6;
        cone(-0.25).max(cone(0.25)).max(-0.2 - 0.2 * x.hypot(y))
    };
    for (k, h) in start.height.iter_mut().enumerate() {
        let at = |k: usize| k as f32 / (n - 1) as f32 * 2.0 - 1.0;
        *h = height(at(k % n), at(k / n));
    }
    let law = even(
        "AnalyticStreamPower",
        &[("uplift_rate", "0"), ("iterations", "1"), ("time_step", "20000"), ("sea_level", "-10000")],
    );
    let made = place.finish(&law, &start, u32::MAX);
    // The profile between the tips rises on both sides of the pass, and it is nearly symmetric about the pass.
    let row = &made.height[(n / 2) * n..][..n];
    let (pass, tip) = (n / 2, n / 8);
    let [west, east]: [Vec<f32>; 2] =
        [(0..=tip).map(|k| row[pass - k]).collect(), (0..=tip).map(|k| row[pass + k]).collect()];
    for side in [&west, &east] {
        assert!(side.windows(2).all(|pair| pair[1] > pair[0]), "{side:?}");
    }
    assert!(west.iter().zip(&east).all(|(a, b)| (a - b).abs() < 0.1 * a), "{west:?} {east:?}");
}

#[test]
fn erosion_of_a_cone_has_no_grid_directions() {
    for (name, params) in [
        ("AnalyticStreamPower", &[("iterations", "2"), ("time_step", "50000")][..]),
        ("AnalyticStreamPower", &[("iterations", "1"), ("time_step", "20000"), ("network_scale", "OneGrid")]),
        ("StreamPower", &[("iterations", "5"), ("time_step", "20000"), ("diffusivity", "0")]),
    ] {
        let mut eroded = vec![0.0f32; 129 * 129];
        for seed in 0..8 {
            let place = test_scene(seed);
            let law = even(name, &[&[("uplift_rate", "0"), ("sea_level", "0")], params].concat());
            let made = place.finish(&law, &cone(&place, 0.9), u32::MAX);
            eroded.iter_mut().zip(made.map(MapKind::Wear).unwrap().iter()).for_each(|(sum, wear)| *sum += wear);
        }
        let found = harmonics(&eroded, 129, 12.0..50.0);
        println!("{name} {params:?}: harmonics {found:.4?}");
        assert!(found.iter().all(|share| *share < 0.05), "{name} {params:?}: {found:.3?}");
    }
}
