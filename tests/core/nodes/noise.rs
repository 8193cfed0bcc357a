//! Noise, fractals and cells are compared with independent references: spectra, variograms, distributions and searches.

use crate::kits::nodes::{TestScene, node, set};
use noise::NoiseFn;
use talweg::field::{Control, Edges, Stream, Terrain};
use talweg::nodes::Node;

fn fill(samples: usize, edges: Edges, node: &Node) -> Vec<f32> {
    let place = TestScene::new(samples, edges);
    place.finish(node, &Terrain::flat(place.grid()), 0).height
}

/// Layers of amplitude pⁱ at frequencies 2ⁱ give a variogram that rises with the distance to the power -2·log₂ p.
#[test]
fn the_variogram_of_fbm_rises_with_twice_its_hurst_exponent() {
    const N: usize = 1025;
    for name in ["Perlin", "Simplex", "ValueNoise"] {
        for (persistence, hurst) in [("0.81225", 0.3), ("0.70711", 0.5), ("0.57435", 0.8)] {
            let params = [("octaves", "10"), ("frequency", "1"), ("persistence", persistence)];
            let h = fill(N, Edges::Wrap, &node(name, &params));
            let gamma = |lag: usize| {
                let differences = h.chunks(N).flat_map(|row| (0..N - lag).map(move |j| row[j] - row[j + lag]));
                differences.map(|d| f64::from(d).powi(2)).sum::<f64>() / (N * (N - lag)) as f64
            };
            let slope = (gamma(32) / gamma(4)).ln() / 8f64.ln();
            println!("{name}, Hurst exponent {hurst}: the variogram rises with {slope:.2}");
            assert!((slope - 2.0 * hurst).abs() < 0.25, "{name} {hurst}: {slope}");
        }
    }
}

/// The greatest difference between the distribution functions of two samples (Kolmogorov and Smirnov). Each sample is
/// first scaled to mean 0 and standard deviation 1.
fn kolmogorov_smirnov(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    for values in [&mut a, &mut b] {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
        values.iter_mut().for_each(|v| *v = (*v - mean) / deviation);
        values.sort_unstable_by(f64::total_cmp);
    }
    let below = |values: &[f64], x: f64| values.partition_point(|&v| v <= x) as f64 / values.len() as f64;
    a.iter().step_by(97).map(|&x| (below(&a, x) - below(&b, x)).abs()).fold(0.0, f64::max)
}

#[test]
fn perlin_noise_has_the_distribution_of_the_noise_crates() {
    const N: usize = 1025;
    let one = node("Perlin", &[("octaves", "1"), ("frequency", "170.7")]);
    let ours: Vec<f64> = fill(N, Edges::Open, &one).into_iter().map(f64::from).collect();
    let peer = noise::Perlin::new(3);
    let at = |k: usize| k as f64 / (N - 1) as f64 * 170.7 + 0.371;
    let theirs: Vec<f64> = (0..N * N).map(|k| peer.get([at(k % N), at(k / N)])).collect();
    let even: Vec<f64> = (0..N * N).map(|k| k as f64).collect();
    let (apart, from_even) = (kolmogorov_smirnov(ours.clone(), theirs), kolmogorov_smirnov(ours, even));
    println!("{apart:.4}; from even spread {from_even:.4}");
    assert!(apart < 0.03 && from_even > 1.5 * apart, "{apart} {from_even}");
}

/// Each of the four distances is tested alone, in both metrics, on open and wrapping terrain.
#[test]
fn voronoi_distances_match_a_search_through_all_points() {
    const N: usize = 61;
    for edges in [Edges::Open, Edges::Wrap] {
        for metric in ["Euclidean", "Squared"] {
            for order in 0..4 {
                let mut generator = node("Voronoi", &[("points", "90"), ("metric", metric), ("amplitude", "1")]);
                for c in 0..4 {
                    let weight = if c == order { "1" } else { "0" };
                    set(&mut generator, ["c1", "c2", "c3", "c4"][c], weight);
                }
                let made = fill(N, edges, &generator);
                let Node::Voronoi(voronoi) = &generator else { unreachable!("it is called Voronoi") };
                let points = voronoi.feature_points(Stream::new(1, 7));
                let scale = (points.len() as f64).sqrt();
                for (k, &h) in made.iter().enumerate() {
                    let at = [(k % N) as f64 / (N - 1) as f64, (k / N) as f64 / (N - 1) as f64];
                    let mut distances: Vec<f64> = points
                        .iter()
                        .map(|p| {
                            let [x, y] = [0, 1].map(|axis| {
                                let d = (at[axis] - f64::from(p[axis])).abs();
                                if edges == Edges::Wrap { d.min(1.0 - d) } else { d }
                            });
                            let d = x.hypot(y) * scale;
                            if metric == "Squared" { d * d } else { d }
                        })
                        .collect();
                    distances.sort_by(f64::total_cmp);
                    let expected = distances[order];
                    assert!(
                        (f64::from(h) - expected).abs() < 1e-3 * (1.0 + expected),
                        "{edges:?} {metric} D{}: {h} is not {expected}",
                        order + 1
                    );
                }
            }
        }
    }
}

#[test]
fn voronoi_agrees_with_a_search_through_all_points() {
    let place = TestScene::new(100, Edges::Open);
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

/// Mean, standard deviation, and kurtosis (3 for a normal distribution).
fn moments(values: &[f64]) -> (f64, f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let power = |p: i32| values.iter().map(|v| (v - mean).powi(p)).sum::<f64>() / values.len() as f64;
    (mean, power(2).sqrt(), power(4) / (power(2) * power(2)))
}

#[test]
fn perlin_noise_is_distributed_like_the_noise_crates() {
    const N: usize = 513;
    let place = TestScene::new(N, Edges::Open);
    let one = node("Perlin", &[("octaves", "1"), ("frequency", "60"), ("base", "0")]);
    let ours = place.finish(&one, &Terrain::flat(place.grid()), 0).height;
    // Our noise has gradients of length 1 and is scaled to ±½. The reference has gradients of length √2, and its values
    // are clipped to ±1.
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
    let place = TestScene::new(257, Edges::Open);
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
        let made = |n: usize| fill(n, edges, &generator);
        let (small, large) = (made(33), made(513));
        for k in 0..33 * 33 {
            assert_eq!(small[k], large[(k / 33) * 16 * 513 + (k % 33) * 16]);
        }
    }
}

#[test]
fn diamond_square_variogram_rises_with_twice_its_smoothness() {
    const N: usize = 513;
    for smoothness in ["0.3", "0.5", "0.8"] {
        let hurst: f64 = smoothness.parse().unwrap();
        let generator = node("DiamondSquare", &[("smoothness", smoothness), ("centre_lift", "0")]);
        let heights = fill(N, Edges::Wrap, &generator);
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

/// Mean power spectrum of the rows of a wrapping field with `n` samples per row, for the frequencies 1 to n / 2 - 1.
/// Computed by the discrete Fourier transform.
fn row_power(field: &[f32], n: usize, every: usize) -> Vec<f64> {
    let turn = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
    let waves: Vec<[f64; 2]> = (0..n).map(|k| [turn(k).cos(), turn(k).sin()]).collect();
    let mut power = vec![0.0; n / 2 - 1];
    for row in (0..n).step_by(every).map(|i| &field[i * (n + 1)..][..n]) {
        for (f, power) in power.iter_mut().enumerate() {
            let mut sum = [0.0f64; 2];
            for (j, &h) in row.iter().enumerate() {
                let wave = waves[(f + 1) * j % n];
                sum = [sum[0] + f64::from(h) * wave[0], sum[1] + f64::from(h) * wave[1]];
            }
            *power += sum[0] * sum[0] + sum[1] * sum[1];
        }
    }
    power
}

/// The spectrum of the sum shows the amplitude of each layer. A table of independent values, interpolated linearly over
/// m samples, has the power of a triangle of width m: (sin(πkm/n) / (m·sin(πk/n)))⁴, where k is the frequency and n the
/// number of samples.
#[test]
fn the_spectrum_shows_the_spectral_layers_and_amplitudes() {
    const N: usize = 1024;
    const LAYERS: usize = 4;
    let place = TestScene::new(N + 1, Edges::Wrap);
    for persistence in [0.5f64, 0.7] {
        let text = persistence.to_string();
        let params =
            [("layers", "4"), ("frequency", "32"), ("interpolation", "Linear"), ("persistence", text.as_str())];
        // The noise is sampled between two table rows as often as exactly on a table row.
        let power = row_power(&place.finish(&node("Spectral", &params), &Terrain::flat(place.grid()), 0).height, N, 3);
        let shape = |layer: usize, f: usize| {
            let m = (N / (32 << layer)) as f64;
            let x = std::f64::consts::PI * (f + 1) as f64 / N as f64;
            // A finer table has more values, so each value has less of the total power.
            m * ((m * x).sin() / (m * x.sin())).powi(4)
        };
        // Least squares fit of power = Σ aᵢ² · shapeᵢ. Each frequency is weighted by its expected power.
        let law = |f: usize| (0..LAYERS).map(|i| persistence.powi(2 * i as i32) * shape(i, f)).sum::<f64>();
        let mut system = [[0.0f64; LAYERS + 1]; LAYERS];
        // Above the first zero of the finest table's spectrum, the power is too small to measure.
        for (f, &measured) in power.iter().enumerate().take(200) {
            for (i, equation) in system.iter_mut().enumerate() {
                let column = shape(i, f) / (law(f) * law(f));
                (0..LAYERS).for_each(|j| equation[j] += column * shape(j, f));
                equation[LAYERS] += column * measured;
            }
        }
        for i in 0..LAYERS {
            for j in i + 1..LAYERS {
                let factor = system[j][i] / system[i][i];
                (i..=LAYERS).for_each(|k| system[j][k] -= factor * system[i][k]);
            }
        }
        let mut squares = [0.0f64; LAYERS];
        for i in (0..LAYERS).rev() {
            let known: f64 = (i + 1..LAYERS).map(|j| system[i][j] * squares[j]).sum();
            squares[i] = (system[i][LAYERS] - known) / system[i][i];
        }
        for i in 1..LAYERS {
            let ratio = (squares[i] / squares[i - 1]).sqrt();
            println!("layer {i} over layer {}: {ratio:.3}, persistence {persistence}", i - 1);
            assert!((ratio / persistence - 1.0).abs() < 0.1, "layer {i}: {ratio} at persistence {persistence}");
        }
    }
}

/// The frequency is so high that the numbers of lattice lines overflow and wrap around. A warped octave once had a
/// table too small for its samples.
#[test]
fn octaves_beyond_the_lattice_range_stay_finite() {
    let params = [
        ("frequency", "252.32869"),
        ("octaves", "13"),
        ("lacunarity", "3.8795185"),
        ("warp", "0.038599774"),
        ("warp_frequency", "0.1"),
    ];
    for offset in ["-1000", "0", "1000"] {
        let moved = [&params[..], &[("offset_x", offset), ("offset_y", offset)]].concat();
        for samples in [2, 33] {
            let place = TestScene::new(samples, Edges::Open);
            let made = place.finish(&node("Perlin", &moved), &Terrain::flat(place.grid()), 0);
            assert!(made.height.iter().all(|h| h.is_finite()));
        }
    }
}
