//! Nodes against analytic laws, conserved sums and other programs.

use crate::node_kit::{Place, node};
use noise::NoiseFn;
use talweg::field::{Control, Edges, Terrain};
use talweg::nodes::Node;

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

fn relax(place: Place, start: &Terrain, neighbours: &str, iterations: u32) -> (Terrain, f32) {
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
    let place = Place::new(65, Edges::Open);
    let step = Terrain::from_fn(65, Edges::Open, |u, _| if u < 0.5 { 1.0 } else { 0.0 });
    for neighbours in NEIGHBOURS {
        for (name, start) in [("cone", cone(65, 12.0)), ("step", step.clone())] {
            let (end, rise) = relax(place, &start, neighbours, 4000);
            let steepest = slopes(&end, neighbours, rise).into_iter().fold(0.0, f32::max);
            assert!((0.99..1.01).contains(&steepest), "{name} {neighbours}: {steepest}");
        }
        // A step becomes one even slope: in every row, from crest to foot, each drop matches the talus angle.
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
    let place = Place::new(65, Edges::Open);
    let step = Terrain::from_fn(65, Edges::Open, |u, _| if u < 0.5 { 1.0 } else { 0.0 });
    let rise = place.context(&Control::default()).rise_per_cell(34.0);
    for neighbours in NEIGHBOURS {
        for (name, start) in [("cone", cone(65, 12.0)), ("step", step.clone())] {
            let thermal = node("ThermalFast", &[("neighbours", neighbours), ("iterations", "10000")]);
            let end = place.finish(&thermal, &start, 4000);
            let steepest = slopes(&end, neighbours, rise).into_iter().fold(0.0, f32::max);
            // It halves each drop, so it stops somewhere below the angle.
            assert!((0.5..1.0001).contains(&steepest), "{name} {neighbours}: {steepest}");
        }
    }
}

#[test]
fn thermal_keeps_the_volume_over_a_thousand_iterations() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = Place::new(129, edges);
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
    let place = Place::new(129, Edges::Open);
    let start = place.noise();
    for neighbours in NEIGHBOURS {
        let (end, rise) = relax(place, &start, neighbours, 100);
        let mean = |t: &Terrain| slopes(t, neighbours, rise).iter().sum::<f32>();
        assert!(mean(&end) < mean(&start) * 0.98, "{neighbours}");
    }
    for height in [0.0, -0.0, 0.3, -7.25, 1.0e5] {
        let flat = Terrain::from_fn(33, Edges::Open, |_, _| height);
        let (end, _) = relax(Place::new(33, Edges::Open), &flat, "Moore", 10);
        assert!(end.height.iter().all(|h| h.to_bits() == height.to_bits()), "{height}");
    }
    // On a plane of half the talus slope, nothing moves.
    let plane = Terrain::from_fn(33, Edges::Open, |u, _| u * 1.5);
    let (end, _) = relax(Place::new(33, Edges::Open), &plane, "Moore", 10);
    assert_eq!(end.height, plane.height);
}

#[test]
fn one_thermal_step_does_what_the_law_says() {
    let place = Place { relief_metres: 18_000.0, ..Place::new(5, Edges::Open) };
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

#[test]
fn voronoi_agrees_with_a_search_through_all_points() {
    let place = Place::new(100, Edges::Open);
    let control = Control::default();
    let generator = node("Voronoi", &[("points", "300"), ("scatter", "Random"), ("c3", "0.5"), ("base", "0.1")]);
    let made = place.finish(&generator, &Terrain::flat(place.grid()), 0);
    let Node::Voronoi(voronoi) = &generator else { unreachable!("it is called Voronoi") };
    let points = voronoi.feature_points(place.context(&control).random);
    assert_eq!(points.len(), 300);
    for (k, &h) in made.height.iter().enumerate() {
        let (x, y) = ((k % 100) as f64 / 99.0, (k / 100) as f64 / 99.0);
        let mut distances: Vec<f64> =
            points.iter().map(|p| (x - f64::from(p[0])).hypot(y - f64::from(p[1])) * 300f64.sqrt()).collect();
        distances.sort_by(f64::total_cmp);
        let sum = -distances[0] + distances[1] + 0.5 * distances[2];
        let expected = 0.1 + f64::from(voronoi.amplitude) * sum;
        assert!((f64::from(h) - expected).abs() < 1e-4, "{k}: {h} is not {expected}");
    }
}

#[test]
fn levels_at_rest_change_no_bit_and_at_work_follow_the_law() {
    let place = Place::new(65, Edges::Open);
    let start = place.noise();
    let run = |params: &[(&str, &str)]| place.finish(&node("Levels", params), &start, 0).height;
    assert_eq!(run(&[]), start.height);
    let close = |made: Vec<f32>, law: &dyn Fn(f32) -> f32| {
        for (a, &b) in made.into_iter().zip(&start.height) {
            assert!((a - law(b)).abs() < 1e-5, "{b} became {a}, not {}", law(b));
        }
    };
    close(run(&[("output_low", "1"), ("output_high", "0")]), &|h| 1.0 - h);
    close(run(&[("input_low", "0.4"), ("input_high", "0.6"), ("clamp", "true")]), &|h| {
        ((h - 0.4) / 0.2).clamp(0.0, 1.0)
    });
    close(run(&[("gamma", "2")]), &f32::sqrt);
    close(run(&[("input_low", "0.5"), ("input_high", "0.5")]), &|h| if h >= 0.5 { 1.0 } else { 0.0 });
}

#[test]
fn terraces_keep_the_order_of_heights_and_at_zero_sharpness_the_heights() {
    let place = Place::new(257, Edges::Open);
    let ramp = Terrain::from_fn(257, Edges::Open, |u, v| (u + v / 256.0) * 6.0 - 3.0);
    for sharpness in ["0", "0.5", "1"] {
        let terrace = node("Terrace", &[("sharpness", sharpness), ("variation", "1"), ("step_height", "300")]);
        let made = place.finish(&terrace, &ramp, 0).height;
        let mut order: Vec<usize> = (0..made.len()).collect();
        order.sort_by(|&a, &b| ramp.height[a].total_cmp(&ramp.height[b]));
        assert!(order.windows(2).all(|w| made[w[0]] <= made[w[1]] + 1e-6), "{sharpness}");
        let change = made.iter().zip(&ramp.height).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        match sharpness {
            "0" => assert!(change < 1e-6, "{change}"),
            // The tallest step is 1.98 · 300 m of 1800 m.
            _ => assert!(change > 0.01 && change < 0.33, "{change}"),
        }
    }
}

/// Mean, standard deviation, and kurtosis (3 for a normal distribution).
fn moments(values: &[f64]) -> (f64, f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let power = |p: i32| values.iter().map(|v| (v - mean).powi(p)).sum::<f64>() / values.len() as f64;
    (mean, power(2).sqrt(), power(4) / (power(2) * power(2)))
}

#[test]
fn perlin_noise_is_distributed_like_the_noise_crates() {
    const N: usize = 513;
    let place = Place::new(N, Edges::Open);
    let one = node("Perlin", &[("octaves", "1"), ("frequency", "60"), ("base", "0")]);
    let ours = place.finish(&one, &Terrain::flat(place.grid()), 0).height;
    // Our noise is scaled to ±½ with gradients of length 1; theirs to ±1 with gradients of length √2, and clipped.
    let ours: Vec<f64> = ours.iter().map(|&h| 2.0 * 2f64.sqrt() * f64::from(h)).collect();
    let peer = noise::Perlin::new(3);
    let at = |k: usize| k as f64 / (N - 1) as f64 * 60.0 + 0.371;
    let theirs: Vec<f64> = (0..N * N).map(|k| peer.get([at(k % N), at(k / N)])).collect();
    let ((mean, spread, kurtosis), (their_mean, their_spread, their_kurtosis)) = (moments(&ours), moments(&theirs));
    assert!(mean.abs() < 0.02 && their_mean.abs() < 0.02);
    assert!((spread / their_spread - 1.0).abs() < 0.03, "{spread} {their_spread}");
    assert!((kurtosis - their_kurtosis).abs() < 0.15, "{kurtosis} {their_kurtosis}");
}

#[test]
fn fractal_sums_fill_the_relief() {
    let place = Place::new(257, Edges::Open);
    for octaves in ["1", "4", "9", "16"] {
        for persistence in ["0.3", "0.5", "0.7"] {
            let params = [("octaves", octaves), ("persistence", persistence), ("frequency", "16")];
            let heights = place.finish(&node("Perlin", &params), &Terrain::flat(place.grid()), 0).height;
            let heights: Vec<f64> = heights.into_iter().map(f64::from).collect();
            let (mean, spread, _) = moments(&heights);
            assert!((mean - 0.5).abs() < 0.03 && (0.14..0.2).contains(&spread), "{params:?}: {mean} {spread}");
        }
    }
}

#[test]
fn a_small_diamond_square_is_the_subsample_of_a_large_one() {
    for edges in [Edges::Open, Edges::Wrap] {
        let generator = node("DiamondSquare", &[("distribution", "Gaussian")]);
        let made = |n: usize| place_and_fill(n, edges, &generator);
        let (small, large) = (made(33), made(513));
        for k in 0..33 * 33 {
            assert_eq!(small[k], large[(k / 33) * 16 * 513 + (k % 33) * 16]);
        }
    }
}

fn place_and_fill(n: usize, edges: Edges, generator: &Node) -> Vec<f32> {
    let place = Place::new(n, edges);
    place.finish(generator, &Terrain::flat(place.grid()), 0).height
}

#[test]
fn the_variogram_of_diamond_square_rises_with_twice_its_smoothness() {
    const N: usize = 513;
    for smoothness in ["0.3", "0.5", "0.8"] {
        let hurst: f64 = smoothness.parse().unwrap();
        let generator = node("DiamondSquare", &[("smoothness", smoothness), ("centre_lift", "0")]);
        let heights = place_and_fill(N, Edges::Wrap, &generator);
        let gamma = |lag: usize| {
            let mut sum = 0.0;
            for row in heights.chunks(N) {
                sum += (0..N - lag).map(|j| f64::from(row[j] - row[j + lag]).powi(2)).sum::<f64>();
            }
            sum / (N * (N - lag)) as f64
        };
        let slope = (gamma(32) / gamma(2)).ln() / 16f64.ln();
        assert!((slope - 2.0 * hurst).abs() < 0.25, "smoothness {hurst}: the variogram rises with {slope}");
    }
}
