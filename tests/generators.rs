//! Generators against their own laws, computed another way.
#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

mod node_kit;

use std::time::Instant;

use node_kit::{Place, node};
use talweg::field::{Edges, Stream, Terrain};
use talweg::nodes::{Node, Work};

fn fill(samples: usize, edges: Edges, generator: &Node) -> Vec<f32> {
    let place = Place::new(samples, edges);
    place.finish(generator, &Terrain::flat(place.grid()), 0).height
}

/// Mean and standard deviation.
fn spread(values: &[f32]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
    let square = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / count;
    (mean, square.sqrt())
}

/// The random stream of a [`Place`].
fn stream() -> Stream {
    Stream::new(1, 7)
}

#[test]
fn generators_fill_about_the_unit_range() {
    for generator in Node::catalogue().into_iter().filter(|n| matches!(n.work(), Work::Generator(_))) {
        let began = Instant::now();
        let heights = fill(1025, Edges::Open, &generator);
        let (low, high) = heights.iter().fold((f32::MAX, f32::MIN), |(lo, hi), &h| (lo.min(h), hi.max(h)));
        let (mean, deviation) = spread(&heights);
        let name = generator.about().name;
        println!("{name}: {low:.2} to {high:.2}, {mean:.2} ± {deviation:.3}, {:?}", began.elapsed());
        assert!(low > -1.5 && high < 2.0 && high - low > 0.2, "{name}: {low} to {high}");
    }
}

#[test]
fn fbm_has_the_same_spread_on_every_lattice() {
    for name in ["Perlin", "ValueNoise"] {
        for octaves in ["1", "8"] {
            let (mean, deviation) =
                spread(&fill(513, Edges::Open, &node(name, &[("octaves", octaves), ("frequency", "40")])));
            assert!((mean - 0.5).abs() < 0.02 && (0.15..0.2).contains(&deviation), "{name}: {mean} ± {deviation}");
        }
    }
}

#[test]
fn each_layer_of_spectral_synthesis_has_its_frequency_and_its_amplitude() {
    let layers = |count: &str| {
        let params = [("layers", count), ("frequency", "16"), ("interpolation", "Linear"), ("persistence", "0.5")];
        let weights: f64 = (0..count.parse().unwrap()).map(|k| 0.25f64.powi(k)).sum();
        let heights = fill(513, Edges::Wrap, &node("Spectral", &params));
        // the sum Σ pⁱ·vᵢ itself
        heights.into_iter().map(|h| (f64::from(h) - 0.5) * (2.0 * weights).sqrt()).collect::<Vec<f64>>()
    };
    let sums: Vec<Vec<f64>> = ["1", "2", "3"].map(layers).into();
    for (k, pair) in sums.windows(2).enumerate() {
        let layer: Vec<f32> = pair[1].iter().zip(&pair[0]).map(|(a, b)| (a - b) as f32).collect();
        let cell = 512 / (16 << (k + 1));
        let at = |i: usize, j: usize| layer[i * 513 + j];
        for i in (0..512).step_by(cell) {
            for j in 0..512 {
                let (left, t) = (j / cell * cell, (j % cell) as f32 / cell as f32);
                let straight = at(i, left) * (1.0 - t) + at(i, left + cell) * t;
                assert!((at(i, j) - straight).abs() < 1e-5, "layer {} is not straight at {i}, {j}", k + 1);
            }
        }
        let points: Vec<f32> = (0..512 * 512)
            .filter(|p| p / 512 % cell == 0 && p % 512 % cell == 0)
            .map(|p| at(p / 512, p % 512))
            .collect();
        // values uniform in ±1, times 0.58
        let expected = 0.58 / 3f64.sqrt() * 0.5f64.powi(k as i32 + 1);
        let (_, deviation) = spread(&points);
        assert!((deviation / expected - 1.0).abs() < 0.05, "layer {}: {deviation} is not {expected}", k + 1);
    }
}

/// The recursion of document 002: presses the stamp of a sector, then goes into its quarters.
fn naive_stamps(out: &mut [f64], n: usize, level: u32, sector: (i32, i32), levels: u32, bell: bool) {
    if level == levels {
        return;
    }
    let side = 1.0 / f64::from(1 << level);
    let bits = stream().fork(u64::from(level)).bits(sector.0, sector.1);
    let part = |bits: u64| (bits & 0xff_ffff) as f64 / 16_777_216.0;
    let centre = [(f64::from(sector.0) + part(bits)) * side, (f64::from(sector.1) + part(bits >> 24)) * side];
    let sign = if bits >> 63 == 0 { 1.0 } else { -1.0 };
    for (k, h) in out.iter_mut().enumerate() {
        let along = |at: usize, centre: f64| {
            let d = (at as f64 / (n - 1) as f64 - centre).rem_euclid(1.0);
            d.min(1.0 - d)
        };
        let distance = along(k % n, centre[0]).hypot(along(k / n, centre[1]));
        let t = (1.0 - distance / (side / 2.0)).max(0.0);
        *h += sign * 0.45 * side * if bell { t * t * t * (t * (t * 6.0 - 15.0) + 10.0) } else { t };
    }
    for quarter in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let sector = (2 * sector.0 + quarter.0, 2 * sector.1 + quarter.1);
        naive_stamps(out, n, level + 1, sector, levels, bell);
    }
}

#[test]
fn stamps_are_those_of_the_recursion() {
    for (profile, levels, n) in [("Cone", "1", 33), ("Cone", "5", 60), ("Bell", "7", 33)] {
        let params = [("profile", profile), ("levels_shown", levels), ("smallest_metres", "1")];
        let made = fill(n, Edges::Open, &node("Stamp", &params));
        let mut expected = vec![0.5; n * n];
        naive_stamps(&mut expected, n, 0, (0, 0), levels.parse().unwrap(), profile == "Bell");
        for (k, (a, b)) in made.iter().zip(&expected).enumerate() {
            assert!((f64::from(*a) - b).abs() < 1e-5, "{profile} {levels} at {k}: {a} is not {b}");
        }
    }
}
