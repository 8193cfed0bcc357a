//! Formulas of the source documents, number by number.

use crate::measure_kit::{assert_near, of, rough, value};
use crate::node_kit::{Place, node};
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, Terrain};
use talweg::scene::Scene;

/// Document 001: the middle of a side is the mean of its two ends and a random height of at most A, its centre that of
/// the four corners; A is halved from level to level.
#[test]
fn midpoints_are_within_the_documents_limits_of_what_they_lie_between() {
    let place = Place::new(65, Edges::Open);
    let params = [
        ("schedule", "Halving"),
        ("sides", "Corners"),
        ("smoothness", "1"),
        ("amplitude", "0.5"),
        ("corners", "0"),
        ("corner_spread", "0.5"),
        ("centre_lift", "0"),
    ];
    let made = place.finish(&node("DiamondSquare", &params), &Terrain::flat(place.grid()), 0);
    let h = |i: usize, j: usize| made.height[i * 65 + j];
    let (mut step, mut limit) = (64usize, 0.5f32);
    while step > 1 {
        let half = step / 2;
        let mut largest = 0.0f32;
        let mut look = |there: f32, mean: f32| {
            let off = (there - mean).abs();
            assert!(off <= limit * 1.00001, "{off} of {limit}");
            largest = largest.max(off);
        };
        for i in (0..64).step_by(step) {
            for j in (0..64).step_by(step) {
                let [a, b, c, d] = [h(i, j), h(i, j + step), h(i + step, j), h(i + step, j + step)];
                look(h(i + half, j + half), (a + b + c + d) / 4.0);
                look(h(i, j + half), (a + b) / 2.0);
                look(h(i + half, j), (a + c) / 2.0);
                look(h(i + step, j + half), (c + d) / 2.0);
                look(h(i + half, j + step), (b + d) / 2.0);
            }
        }
        assert!(step > 16 || largest > 0.8 * limit, "level of {step}: {largest} of {limit}");
        (step, limit) = (half, limit / 2.0);
    }
}

/// Document 000, §1.1.1: a real random number from 0 to 1 times the limit is added, so that no centre of a square lies
/// below the mean of its corners.
#[test]
fn upward_displacements_are_those_of_document_000() {
    let place = Place::new(65, Edges::Open);
    let off = |distribution: &str| {
        let params = [
            ("schedule", "Halving"),
            ("sides", "Corners"),
            ("smoothness", "1"),
            ("amplitude", "0.5"),
            ("corners", "0"),
            ("corner_spread", "0.5"),
            ("centre_lift", "0"),
            ("distribution", distribution),
        ];
        let made = place.finish(&node("DiamondSquare", &params), &Terrain::flat(place.grid()), 0);
        let h = |i: usize, j: usize| made.height[i * 65 + j];
        let (mut step, mut limit, mut all) = (64usize, 0.5f32, Vec::new());
        while step > 1 {
            let half = step / 2;
            for (i, j) in (0..64 / step).flat_map(|i| (0..64 / step).map(move |j| (i * step, j * step))) {
                let mean = (h(i, j) + h(i + step, j) + h(i, j + step) + h(i + step, j + step)) / 4.0;
                all.push((h(i + half, j + half) - mean) / limit);
            }
            (step, limit) = (half, 0.5 * limit);
        }
        all
    };
    let (signed, upwards) = (off("Uniform"), off("Upwards"));
    assert!(signed.iter().any(|off| *off < -0.5));
    assert!(upwards.iter().all(|off| (-1e-5..1.0 + 1e-5).contains(off)));
    // the same random numbers, from another interval
    assert!(signed.iter().zip(&upwards).all(|(s, u)| (0.5 * (s + 1.0) - u).abs() < 1e-4));
}

#[test]
fn stamps_of_the_document_go_down_to_two_samples_of_the_scene() {
    let cost =
        |place: &Place, params: &[(&str, &str)]| place.finish(&node("Stamp", params), &Terrain::flat(place.grid()), 0);
    let place = Place::new(129, Edges::Wrap);
    // 129 >> 6 = 2: seven levels, 0 to 6
    let by_samples = cost(&place, &[("depth", "Samples")]);
    assert_eq!(by_samples.hash(), cost(&place, &[("depth", "Samples"), ("levels_shown", "7")]).hash());
    assert_ne!(by_samples.hash(), cost(&place, &[("depth", "Samples"), ("levels_shown", "6")]).hash());
    // and a preview has those of its scene
    let preview = Place { scene_samples: 129, ..Place::new(65, Edges::Wrap) };
    let coarse = cost(&preview, &[("depth", "Samples")]);
    assert!((0..65 * 65).all(|k| coarse.height[k] == by_samples.height[k / 65 * 2 * 129 + k % 65 * 2]));
}

/// Document 000, §3.3.1: T = k/N for every neighbour of Moore's neighbourhood, and m = c·(d_max - T) is shared by
/// d_n/d_total.
#[test]
fn the_documents_threshold_is_the_same_for_all_neighbours() {
    let place = Place::new(5, Edges::Open);
    let mut spike = Terrain::flat(place.grid());
    spike.height[12] = 0.25;
    let made = |threshold: &str, name: &str| {
        let params = [
            ("threshold", threshold),
            ("k", "1"),
            ("rate", "0.5"),
            ("talus_angle", "11.3099"),
            ("neighbours", "Moore"),
        ];
        let params: Vec<_> = params.into_iter().filter(|(key, _)| name == "Thermal" || *key != "rate").collect();
        Place { size_metres: 1000.0, relief_metres: 250.0, ..place }.finish(&node(name, &params), &spike, 1)
    };
    // N = 5: T = 0.2, and 0.05 is above it
    let document = made("Document", "Thermal");
    let moved = 0.5 * (0.25 - 0.2);
    assert!((document.height[12] - (0.25 - moved)).abs() < 1e-6, "{}", document.height[12]);
    for k in [6, 7, 8, 11, 13, 16, 17, 18] {
        assert!((document.height[k] - moved / 8.0).abs() < 1e-7, "{k}: {}", document.height[k]);
    }
    // by the angle whose drop over a cell is 0.2 a diagonal neighbour, farther away, gets nothing
    let angle = made("Angle", "Thermal");
    assert!(angle.height[6] == 0.0 && angle.height[7] > 0.0, "{:?}", &angle.height[6..8]);
    // the fast form moves half of the drop where it is above T, also to a diagonal
    let fast = made("Document", "ThermalFast");
    assert!((fast.height[12] - 0.125).abs() < 1e-6, "{:?}", fast.height);
}

/// Document 000, §3.3.3: the slopes are the differences of all pairs of neighbours.
#[test]
fn the_score_of_all_pairs_is_that_of_every_difference_once() {
    for edges in [Edges::Open, Edges::Wrap] {
        let terrain = rough(18, edges, 2, 1000.0);
        let grid = terrain.grid;
        let mut all = Vec::new();
        for i in 0..grid.distinct() {
            for j in 0..grid.distinct() {
                let h = |row: usize, column: usize| f64::from(terrain.height[row * 18 + column]);
                all.extend(grid.next(i).map(|below| (h(i, j) - h(below, j)).abs()));
                all.extend(grid.next(j).map(|right| (h(i, j) - h(i, right)).abs()));
            }
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let deviation = (all.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt();
        assert_near(value(&of(&terrain), "pair_score").unwrap(), deviation / mean, 1e-6, "score");
    }
}

/// Document 000, §3.3.2, and Olsen 2004: hydraulic erosion raises the score, the fast form is ahead of the reference
/// after 100 iterations and wins most quickly in the first 25. It takes the surface that the document gives.
#[test]
fn the_fast_hydraulic_form_is_ahead_as_the_document_says() {
    let scene = |name: &str, iterations: u32| {
        let path = format!("{}/saves/{name}.ron", env!("CARGO_MANIFEST_DIR"));
        let (mut scene, _) = Scene::load(std::path::Path::new(&path)).unwrap();
        scene.set(&format!("3.iterations={iterations}")).unwrap();
        let made = evaluate(&scene, 257, None, &mut Store::forgetful(), &Control::default()).unwrap();
        value(&of(&made.terrain), "erosion_score").unwrap()
    };
    let before = scene("paper-000-fig-17-hydraulic", 0);
    let reference = scene("paper-000-fig-17-hydraulic", 100);
    let [soon, fast] = [25, 100].map(|iterations| scene("paper-000-fig-18-hydraulic-fast", iterations));
    let olsen = scene("paper-000-fig-19-olsen", 100);
    assert_near(before, 0.559, 0.002, "start");
    assert_near(reference, 0.622, 0.005, "reference");
    assert_near(fast, 0.910, 0.01, "fast form");
    assert_near(olsen, 0.893, 0.01, "Olsen's erosion");
    assert!(fast > reference && soon - before > (fast - before) / 4.0, "{before} {soon} {fast} {reference}");
}
