//! Tests thermal erosion against its equations: the talus slope, the conserved volume, and a single iteration.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Control, Edges, Terrain};

const NEIGHBOURS: [&str; 3] = ["Moore", "VonNeumann", "Rotated"];

/// The pairs of cells that the neighbourhood compares, each once: offset in rows and columns, and length in cells.
fn pairs(neighbours: &str) -> Vec<(usize, isize, f32)> {
    let straight = [(0, 1, 1.0), (1, 0, 1.0)];
    let diagonal = [(1, 1, 2.0f32.sqrt()), (1, -1, 2.0f32.sqrt())];
    match neighbours {
        "VonNeumann" => straight.to_vec(),
        "Rotated" => diagonal.to_vec(),
        _ => [straight, diagonal].concat(),
    }
}

/// Slopes between neighbours, as multiples of the talus slope.
fn slopes(terrain: &Terrain, neighbours: &str, rise: f32) -> Vec<f32> {
    let n = terrain.samples();
    let at = |i: usize, j: usize| terrain.height[i * n + j];
    let mut slopes = Vec::new();
    for (down, right, length) in pairs(neighbours) {
        for i in 0..n - down {
            for j in 0..n {
                let Some(other) = j.checked_add_signed(right).filter(|&j| j < n) else { continue };
                slopes.push((at(i, j) - at(i + down, other)).abs() / (rise * length));
            }
        }
    }
    slopes
}

fn relax(place: TestScene, start: &Terrain, neighbours: &str, iterations: u32) -> (Terrain, f32) {
    let thermal = node("Thermal", &[("neighbours", neighbours), ("iterations", "10000")]);
    let rise = place.context(&Control::default()).rise_per_cell(34.0);
    (place.finish(&thermal, start, iterations), rise)
}

fn cone(samples: usize, steepness: f32) -> Terrain {
    Terrain::from_fn(samples, Edges::Open, |u, v| {
        let (x, y) = (u - 0.5, v - 0.5);
        (0.9 - steepness * (x * x + y * y).sqrt()).max(0.0)
    })
}

#[test]
fn thermal_brings_cone_and_step_to_the_talus_slope() {
    let place = TestScene::new(65, Edges::Open);
    let step = Terrain::from_fn(65, Edges::Open, |u, _| if u < 0.5 { 1.0 } else { 0.0 });
    for neighbours in NEIGHBOURS {
        for (name, start) in [("cone", cone(65, 12.0)), ("step", step.clone())] {
            let (end, rise) = relax(place, &start, neighbours, 4000);
            let steepest = slopes(&end, neighbours, rise).into_iter().fold(0.0, f32::max);
            assert!((0.99..1.01).contains(&steepest), "{name} {neighbours}: {steepest}");
        }
        // A step becomes a uniform slope: in every row, from crest to foot, each drop matches the talus angle.
        let (end, rise) = relax(place, &step, neighbours, 4000);
        let row = &end.height[32 * 65..33 * 65];
        let drop_per_cell = if neighbours == "Rotated" { rise * 2.0f32.sqrt() } else { rise };
        let (crest, foot) = (row[0], row[64]);
        let flank: Vec<f32> = row
            .windows(2)
            .filter(|h| h[0] < crest - 2.0 * rise && h[1] > foot + 2.0 * rise)
            .map(|h| (h[0] - h[1]) / drop_per_cell)
            .collect();
        assert!(flank.len() >= 3, "{neighbours}: {row:?}");
        assert!(flank.iter().all(|d| (0.95..1.01).contains(d)), "{neighbours}: {flank:?}");
    }
}

#[test]
fn fast_thermal_leaves_nothing_above_the_talus_slope() {
    let place = TestScene::new(65, Edges::Open);
    let step = Terrain::from_fn(65, Edges::Open, |u, _| if u < 0.5 { 1.0 } else { 0.0 });
    let rise = place.context(&Control::default()).rise_per_cell(34.0);
    for neighbours in NEIGHBOURS {
        for (name, start) in [("cone", cone(65, 12.0)), ("step", step.clone())] {
            let thermal = node("ThermalFast", &[("neighbours", neighbours), ("iterations", "10000")]);
            let end = place.finish(&thermal, &start, 4000);
            let steepest = slopes(&end, neighbours, rise).into_iter().fold(0.0, f32::max);
            // Fast thermal erosion halves each drop, so it stops at a slope below the talus angle.
            assert!((0.5..1.0001).contains(&steepest), "{name} {neighbours}: {steepest}");
        }
    }
}

#[test]
fn thermal_erosion_keeps_the_volume() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(129, edges);
        for neighbours in NEIGHBOURS {
            for rate in ["0.3", "0.5", "1"] {
                let start = place.noise();
                let before = place.grid().sum(&start.height);
                let thermal = node(
                    "Thermal",
                    &[("neighbours", neighbours), ("iterations", "1000"), ("rate", rate), ("talus_angle", "20")],
                );
                let after = place.grid().sum(&place.finish(&thermal, &start, 1000).height);
                let error = ((after - before) / before).abs();
                assert!(error < 1e-6, "{edges:?} {neighbours} {rate}: {error:e}");
            }
        }
    }
}

#[test]
fn thermal_lowers_steep_slopes_and_leaves_gentle_ones() {
    let place = TestScene::new(129, Edges::Open);
    let start = place.noise();
    for neighbours in NEIGHBOURS {
        let (end, rise) = relax(place, &start, neighbours, 100);
        let mean = |t: &Terrain| slopes(t, neighbours, rise).iter().sum::<f32>();
        assert!(mean(&end) < mean(&start) * 0.98, "{neighbours}");
    }
    for height in [0.0, -0.0, 0.3, -7.25, 1.0e5] {
        let flat = Terrain::from_fn(33, Edges::Open, |_, _| height);
        let (end, _) = relax(TestScene::new(33, Edges::Open), &flat, "Moore", 10);
        assert!(end.height.iter().all(|h| h.to_bits() == height.to_bits()), "{height}");
    }
    // On a plane of half the talus slope, nothing moves.
    let plane = Terrain::from_fn(33, Edges::Open, |u, _| u * 1.5);
    let (end, _) = relax(TestScene::new(33, Edges::Open), &plane, "Moore", 10);
    assert_eq!(end.height, plane.height);
}

#[test]
fn one_thermal_step_follows_its_law() {
    let place = TestScene { relief_metres: 18_000.0, ..TestScene::new(5, Edges::Open) };
    let mut start = Terrain::flat(place.grid());
    start.height[12] = 1.0;
    let (end, rise) = relax(place, &start, "Moore", 1);
    let moved = 0.3 * (1.0 - rise);
    let expected = |k: usize| match k {
        12 => 1.0 - moved,
        6 | 7 | 8 | 11 | 13 | 16 | 17 | 18 => moved / 8.0,
        _ => 0.0,
    };
    for (k, h) in end.height.iter().enumerate() {
        assert!((h - expected(k)).abs() < 1e-6, "{k}: {h} is not {}", expected(k));
    }
}
