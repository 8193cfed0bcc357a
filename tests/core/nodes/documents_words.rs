//! Laws in the exact words of the documents, where Talweg's defaults differ from the words.

use crate::kits::common::path;
use crate::kits::nodes::{TestScene, node, set};
use talweg::field::{Control, Edges, Terrain};
use talweg::nodes::Node;
use talweg::nodes::generators::triangular;
use talweg::scene::{Scene, example};

fn heights(node: &Node, samples: usize, edges: Edges) -> Vec<f32> {
    let place = TestScene::new(samples, edges);
    place.finish(node, &Terrain::flat(place.grid()), 0).height
}

fn assert_close(made: f32, wanted: f32, what: &str) {
    assert!((made - wanted).abs() < 1e-5, "{what}: {made}, not {wanted}");
}

/// Document 000, §1.1.1: h(p) = (h(p₁) + h(p₂) + h(p₃)) / 3 for the three midpoints of a triangle. Without displacement
/// the formula alone makes the terrain.
#[test]
fn triangle_midpoints_are_the_mean_of_three_corners() {
    let made = node("Triangular", &[("layout", "Triangle"), ("edges", "Three"), ("amplitude", "0")]);
    let Node::Triangular(of) = &made else { panic!("it is triangular") };
    let control = Control::default();
    let cx = TestScene::new(65, Edges::Open).context(&control);
    for detail in 1..=5 {
        let coarse = triangular::triangle(of, &cx, detail - 1).unwrap();
        let fine = triangular::triangle(of, &cx, detail).unwrap();
        for i in 0..coarse.len() - 1 {
            for j in 0..=i {
                // The triangle with its apex at (i, j) and its base below.
                let mean = (coarse[i][j] + coarse[i + 1][j] + coarse[i + 1][j + 1]) / 3.0;
                let (row, column) = (2 * i, 2 * j);
                for (i, j) in [(row + 1, column), (row + 1, column + 1), (row + 2, column + 1)] {
                    assert_close(fine[i][j], mean, &format!("detail {detail}, row {i}, {j}"));
                }
            }
        }
    }
    // On the square, the triangle above the diagonal counts only where no other triangle has the edge.
    let square = node("Triangular", &[("edges", "Three"), ("amplitude", "0")]);
    let (coarse, fine) = (heights(&square, 3, Edges::Open), heights(&square, 5, Edges::Open));
    let mean = (coarse[0] + coarse[3] + coarse[4]) / 3.0;
    for k in [5, 6, 11] {
        assert_close(fine[k], mean, &format!("sample {k}"));
    }
    assert_close(fine[1], (coarse[0] + coarse[1] + coarse[4]) / 3.0, "the northern edge has one triangle");
    assert!(heights(&square, 33, Edges::Wrap) != heights(&node("Triangular", &[("amplitude", "0")]), 33, Edges::Wrap));
}

/// Document 000, §1.1.1: the square step takes the mean of the points of the diamond. On the rim three of them exist.
#[test]
fn rim_midpoints_are_the_mean_of_three_points() {
    let with = |rim: &str| node("DiamondSquare", &[("rim", rim), ("amplitude", "0"), ("centre_lift", "0.3")]);
    let made = heights(&with("Three"), 3, Edges::Open);
    let centre = made[4];
    assert_close(centre, (made[0] + made[2] + made[6] + made[8]) / 4.0 + 0.3, "centre");
    for (middle, [a, b]) in [(1, [0, 2]), (3, [0, 6]), (5, [2, 8]), (7, [6, 8])] {
        assert_close(made[middle], (made[a] + made[b] + centre) / 3.0, &format!("middle {middle}"));
    }
    // The default keeps the two ends, and a wrapping terrain has no rim.
    let ends = heights(&with("Ends"), 3, Edges::Open);
    assert_close(ends[1], (ends[0] + ends[2]) / 2.0, "two ends");
    assert_eq!(heights(&with("Three"), 65, Edges::Wrap), heights(&with("Ends"), 65, Edges::Wrap));
    // A small size is exactly a subsample of a large one.
    let rough = node("DiamondSquare", &[("rim", "Three")]);
    let (small, large) = (heights(&rough, 33, Edges::Open), heights(&rough, 65, Edges::Open));
    assert!(small.iter().enumerate().all(|(k, h)| *h == large[(k / 33) * 2 * 65 + (k % 33) * 2]));
}

/// Document 000, §1.1.2: a table of f × f values of the greatest amplitude pⁱ.
#[test]
fn spectral_tables_have_f_values_of_amplitude_p() {
    let tables = |layers: &str| {
        node(
            "Spectral",
            &[
                ("tables", "Values"),
                ("weights", "Powers"),
                ("interpolation", "Linear"),
                ("layers", layers),
                ("persistence", "0.5"),
                ("base", "0"),
            ],
        )
    };
    // Four values along a side are three squares: 48 / 3 = 16 steps each.
    let samples = 49;
    let one = heights(&tables("1"), samples, Edges::Open);
    for row in one.chunks(samples) {
        for k in (1..samples - 1).filter(|k| k % 16 != 0) {
            assert_close(row[k - 1] + row[k + 1], 2.0 * row[k], &format!("linear at {k}"));
        }
    }
    // Each layer lies within its amplitude, and comes near it.
    let (mut amplitude, mut below) = (1.0f32, vec![0.0; samples * samples]);
    for layers in 1..=4 {
        let made = heights(&tables(&layers.to_string()), samples, Edges::Open);
        let most = made.iter().zip(&below).map(|(h, below)| (h - below).abs()).fold(0.0, f32::max);
        assert!(most <= amplitude * 1.0001 && most > 0.7 * amplitude, "layer {layers}: {most} of {amplitude}");
        (amplitude, below) = (amplitude * 0.5, made);
    }
    // A table of one value is level.
    let mut single = tables("1");
    set(&mut single, "frequency", "1");
    let level = heights(&single, 17, Edges::Open);
    assert!(level.iter().all(|h| *h == level[0]) && level[0] != 0.0, "{}", level[0]);
}

/// Document 001 begins with a line: the midpoint has the mean height of its two ends, plus a limited random offset. The
/// limit is halved at each step.
#[test]
fn line_midpoints_stay_within_half_the_last_limit() {
    for levels in 1..=8u32 {
        let shown = |levels: u32| node("MidpointLine", &[("levels_shown", &levels.to_string())]);
        let samples = (1 << levels) + 1;
        let (before, after) =
            (heights(&shown(levels - 1), samples, Edges::Open), heights(&shown(levels), samples, Edges::Open));
        let limit = 0.4 * 0.9 * 0.5f32.powi(levels as i32 - 1);
        let mut most = 0.0f32;
        for k in 0..samples {
            let moved = (after[k] - before[k]).abs();
            assert!(moved <= limit && (k % 2 == 1 || moved < 1e-6), "level {levels}, point {k}: {moved}");
            most = most.max(moved);
        }
        assert!(levels < 4 || most > 0.7 * limit, "level {levels}: at most {most} of {limit}");
    }
    // Every size shows the same line, and all rows are the line.
    let line = node("MidpointLine", &[]);
    let (small, large) = (heights(&line, 65, Edges::Open), heights(&line, 257, Edges::Open));
    assert!((0..65).all(|k| small[k] == large[4 * k]));
    assert!(large.chunks(257).all(|row| row == &large[..257]));
    let south = heights(&node("MidpointLine", &[("direction", "South")]), 65, Edges::Open);
    assert!((0..65).all(|k| south[k * 65 + 7] == small[k]));
    // Sizes between the powers of two are as rough as the others: there is no smooth stretch in the middle.
    let odd = heights(&line, 300, Edges::Open);
    let rough = |part: std::ops::Range<usize>| part.map(|k| (odd[k + 1] - odd[k]).abs()).sum::<f32>();
    assert!((0.3..3.0).contains(&(rough(120..180) / rough(0..60))), "{} {}", rough(120..180), rough(0..60));
}

/// The presets have the parameters of the figures.
#[test]
fn published_presets_are_those_of_the_figures() {
    for (name, layer) in [
        ("paper-000-fig-15-thermal", "Thermal"),
        ("paper-000-fig-16-thermal-fast", "ThermalFast"),
        ("paper-000-fig-17-hydraulic", "Hydraulic"),
        ("paper-000-fig-18-hydraulic-fast", "HydraulicFast"),
        ("paper-000-fig-19-olsen", "Olsen"),
    ] {
        let scene = &example(name).unwrap().scene;
        let of_figure = scene.layers.iter().find(|of| of.node.about().name == layer).unwrap();
        let mut adopted = Node::named(layer).unwrap();
        adopted.adopt(adopted.about().preset("Document").unwrap());
        assert_eq!(adopted, of_figure.node, "{name}");
    }
}

/// Figures 10 to 19 show one terrain, so that they can be compared: same size, relief and sea level, same base.
#[test]
fn figures_10_to_19_share_size_relief_and_level() {
    let mut scenes: Vec<(String, Scene)> = Vec::new();
    for file in std::fs::read_dir(path("saves")).unwrap().map(|file| file.unwrap().path()) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if name.starts_with("paper-000-fig-1") {
            scenes.push((name, Scene::load(&file).unwrap().0));
        }
    }
    assert_eq!(scenes.len(), 9);
    for (name, scene) in &scenes {
        assert_eq!(scene.settings, scenes[0].1.settings, "{name}");
        assert_eq!(scene.layers[0].node, scenes[0].1.layers[0].node, "{name}");
        assert_eq!(scene.layers[0].seed, scenes[0].1.layers[0].seed, "{name}");
    }
}
