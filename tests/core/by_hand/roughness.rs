//! Midpoint displacement is equally rough everywhere, also at sizes that are not 2ᵏ + 1.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Edges, Terrain};

/// The nodes that displace midpoints, each with parameters.
const MIDPOINTS: [(&str, &[(&str, &str)]); 8] = [
    ("DiamondSquare", &[]),
    ("DiamondSquare", &[("smoothness", "0.1")]),
    ("DiamondSquare", &[("smoothness", "0.5"), ("distribution", "Gaussian"), ("sides", "Corners")]),
    ("DiamondSquare", &[("smoothness", "0.3"), ("distribution", "Upwards"), ("smoothing", "0.5")]),
    ("DiamondSquare", &[("smoothness", "0.6"), ("smoothing", "1")]),
    ("Triangular", &[("smoothness", "0.8")]),
    ("Triangular", &[("smoothness", "0.3"), ("distribution", "Upwards")]),
    ("VoronoiMidpoint", &[("smoothness", "0.5"), ("relief", "0"), ("roughness", "0.3")]),
];

/// The heights of a node at one size.
fn heights((name, params): (&str, &[(&str, &str)]), samples: usize, edges: Edges, seed: u32) -> Vec<f32> {
    let place = TestScene { seed, ..TestScene::new(samples, edges) };
    place.finish(&node(name, params), &Terrain::flat(place.grid()), 0).height
}

/// Sum of the squared height differences between neighbours in a square part of the terrain, and their number.
fn steps(height: &[f32], samples: usize, first: [usize; 2], side: usize) -> (f64, f64) {
    let (mut sum, mut count) = (0.0f64, 0.0f64);
    for row in first[0]..first[0] + side - 1 {
        for column in first[1]..first[1] + side - 1 {
            let k = row * samples + column;
            sum += f64::from(height[k + 1] - height[k]).powi(2) + f64::from(height[k + samples] - height[k]).powi(2);
            count += 2.0;
        }
    }
    (sum, count)
}

/// Roughness in the middle of the terrain divided by the roughness at its four corners, over several seeds.
fn middle_to_corners(kind: (&str, &[(&str, &str)]), samples: usize, edges: Edges, seeds: u32) -> f64 {
    let (mut corners, mut middle) = ((0.0, 0.0), (0.0, 0.0));
    let part = samples / 8;
    let last = samples - part;
    for seed in 0..seeds {
        let height = heights(kind, samples, edges, seed);
        let add = |to: &mut (f64, f64), first| {
            let (sum, count) = steps(&height, samples, first, part);
            *to = (to.0 + sum, to.1 + count);
        };
        for first in [[0, 0], [0, last], [last, 0], [last, last]] {
            add(&mut corners, first);
        }
        // Squares beside the middle, so that as many samples are compared.
        let (near, far) = ((samples - 2 * part) / 2, (samples - 2 * part) / 2 + part);
        for first in [[near, near], [near, far], [far, near], [far, far]] {
            add(&mut middle, first);
        }
    }
    ((middle.0 / middle.1) / (corners.0 / corners.1)).sqrt()
}

#[test]
fn midpoints_of_any_size_are_equally_rough_everywhere() {
    for kind in MIDPOINTS {
        for (samples, edges, seeds) in [
            (256, Edges::Open, 32),
            (256, Edges::Wrap, 32),
            (300, Edges::Open, 32),
            (384, Edges::Open, 24),
            (1000, Edges::Open, 6),
        ] {
            let ratio = middle_to_corners(kind, samples, edges, seeds);
            // The table itself, without interpolation, shows how equal the parts of a random terrain are.
            let table = samples.next_power_of_two() + 1;
            let of_table = middle_to_corners(kind, table, edges, seeds);
            let shown = format!("{kind:?}, {samples}², {edges:?}: {ratio:.3}; {of_table:.3} at {table}²");
            println!("{shown}");
            // Displacements upwards make a pattern: points of the last level are higher than the others. Samples meet
            // this pattern at different phases in the middle and at the corners.
            let near = if kind.1.contains(&("distribution", "Upwards")) { 0.13 } else { 0.05 };
            assert!((ratio / of_table - 1.0).abs() < near, "{shown}");
        }
    }
}

/// The mean square step to the next column, for each column.
fn steps_of_columns(kind: (&str, &[(&str, &str)]), samples: usize, seeds: u32) -> Vec<f64> {
    let mut sums = vec![0.0f64; samples - 1];
    for seed in 0..seeds {
        let height = heights(kind, samples, Edges::Open, seed);
        for row in height.chunks(samples) {
            for (sum, pair) in sums.iter_mut().zip(row.windows(2)) {
                *sum += f64::from(pair[1] - pair[0]).powi(2);
            }
        }
    }
    sums
}

/// Interpolation would draw lines: where samples meet the points of the table, the terrain would be rougher.
#[test]
fn midpoints_of_any_size_show_no_lines_of_their_table() {
    for kind in MIDPOINTS {
        for samples in [256, 300] {
            let columns = steps_of_columns(kind, samples, 24);
            let width = columns.len() / 16;
            let bands: Vec<f64> =
                columns.chunks_exact(width).map(|band| band.iter().sum::<f64>() / width as f64).collect();
            let mean = bands.iter().sum::<f64>() / bands.len() as f64;
            let most = bands.iter().map(|band| (band / mean).sqrt()).fold(0.0, f64::max);
            let least = bands.iter().map(|band| (band / mean).sqrt()).fold(f64::MAX, f64::min);
            println!("{kind:?}, {samples}²: bands of columns from {least:.3} to {most:.3} of the mean roughness");
            assert!(least > 0.88 && most < 1.12, "{kind:?}, {samples}²: from {least} to {most}");
        }
    }
}

/// All sizes show the same land: they differ by less than the roughness between neighbours.
#[test]
fn midpoints_of_neighbouring_sizes_are_the_same_land() {
    for kind in MIDPOINTS {
        let (small, large) = (256, 257);
        let (of_small, of_large) = (heights(kind, small, Edges::Open, 3), heights(kind, large, Edges::Open, 3));
        let (mut apart, mut count) = (0.0f64, 0.0f64);
        for i in 0..small {
            for j in 0..small {
                // The nearest sample of the larger terrain at the same fraction of the side.
                let near = |k: usize| (k as f64 * 256.0 / 255.0).round() as usize;
                apart += f64::from(of_small[i * small + j] - of_large[near(i) * large + near(j)]).powi(2);
                count += 1.0;
            }
        }
        let (sum, steps) = steps(&of_large, large, [0, 0], large);
        let (apart, roughness) = ((apart / count).sqrt(), (sum / steps).sqrt());
        println!("{kind:?}: {apart:.5} apart, neighbours differ by {roughness:.5}");
        assert!(apart < roughness, "{kind:?}: {apart} apart, neighbours differ by {roughness}");
    }
}
