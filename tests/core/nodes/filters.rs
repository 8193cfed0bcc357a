//! Filters are compared with closed forms, brute-force neighbour searches and neutral settings.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Edges, MapKind, Terrain};

const N: usize = 65;
const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

fn run(edges: Edges, name: &str, params: &[(&str, &str)], start: &Terrain) -> Vec<f32> {
    TestScene::new(N, edges).finish(&node(name, params), start, 0).height
}

fn assert_close(made: &[f32], expected: impl Fn(usize) -> f32, within: f32, what: &str) {
    for (k, &h) in made.iter().enumerate() {
        let e = expected(k);
        assert!((h - e).abs() <= within, "{what} at {k}: {h} is not {e}");
    }
}

fn range(heights: &[f32]) -> (f32, f32) {
    heights.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)))
}

#[test]
fn neutral_settings_change_no_bit() {
    let at_rest: [(&str, &[(&str, &str)]); 12] = [
        ("Blur", &[("radius", "0")]),
        ("Sharpen", &[("amount", "0")]),
        ("Sharpen", &[("radius", "0")]),
        ("SpectralRetouch", &[("amount", "0")]),
        ("Perturbation", &[("magnitude", "0")]),
        ("Median", &[("radius", "0")]),
        ("Warp", &[("amount", "0")]),
        ("Transform", &[]),
        ("Transform", &[("angle", "360"), ("outside", "Flat")]),
        ("Ridges", &[("ridges", "0"), ("valleys", "0")]),
        ("Expander", &[("amount", "0")]),
        ("Clamp", &[("floor", "-90000"), ("ceiling", "90000")]),
    ];
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        for (name, params) in at_rest {
            assert_eq!(run(edges, name, params, &start), start.height, "{name} {params:?}");
        }
    }
}

/// Index of sample `k` of a line. The line is reflected at open edges and repeats on wrapping grids.
fn folded(edges: Edges, k: i64) -> usize {
    let side = N as i64 - 1;
    let k = k.rem_euclid(if edges == Edges::Wrap { side } else { 2 * side });
    k.min(2 * side - k) as usize
}

/// Blur by definition: the convolution with a Gaussian out to 6 σ.
fn convolved(edges: Edges, field: &[f32], sigma: f64) -> Vec<f32> {
    let reach = (6.0 * sigma).ceil() as i64;
    let gauss = |d: i64| (-((d * d) as f64) / (2.0 * sigma * sigma)).exp();
    let whole: f64 = (-reach..=reach).map(gauss).sum();
    let pass = |field: &[f64], stride: usize, line: usize| -> Vec<f64> {
        (0..N * N)
            .map(|k| {
                let (along, first) = (k / stride % N, k / line % N * line);
                let value = |d| field[first + folded(edges, along as i64 + d) * stride] * gauss(d);
                (-reach..=reach).map(value).sum::<f64>() / whole
            })
            .collect()
    };
    let start: Vec<f64> = field.iter().map(|&h| f64::from(h)).collect();
    let rows = pass(&start, 1, N);
    pass(&rows, N, 1).iter().map(|&h| h as f32).collect()
}

#[test]
fn a_blurred_impulse_is_a_gaussian_and_keeps_its_volume() {
    let cell = 8000.0 / 64.0;
    for edges in BOTH {
        let mut impulse = Terrain::flat(TestScene::new(N, edges).grid());
        impulse.height[32 * N + 32] = 1.0;
        for sigma in [0.5f32, 1.0, 1.5, 3.0, 6.0] {
            let made = run(edges, "Blur", &[("radius", &(sigma * cell).to_string())], &impulse);
            let law = convolved(edges, &impulse.height, f64::from(sigma));
            assert_close(&made, |k| law[k], 0.004 * law[32 * N + 32], "blur");
            let volume = TestScene::new(N, edges).grid().sum(&made);
            // The edges cut off the tails of the Gaussian, so the volume deviates slightly.
            assert!((volume - 1.0).abs() < 1e-4, "{edges:?} {sigma}: {volume}");
        }
    }
}

#[test]
fn a_blurred_terrain_is_the_convolution_up_to_its_edges() {
    let cell = 8000.0 / 64.0;
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        for sigma in [0.7f32, 2.0, 7.0, 20.0, 60.0] {
            let made = run(edges, "Blur", &[("radius", &(sigma * cell).to_string())], &start);
            let law = convolved(edges, &start.height, f64::from(sigma));
            assert_close(&made, |k| law[k], 1.5e-3, &format!("blur {sigma} {edges:?}"));
        }
    }
}

#[test]
fn an_endless_blur_gives_the_mean_and_keeps_level_terrain() {
    for edges in BOTH {
        let place = TestScene::new(N, edges);
        let start = place.noise();
        let made = run(edges, "Blur", &[("radius", "1000000")], &start);
        let (low, high) = range(&made);
        assert!(high - low < 1e-3, "{edges:?}: {low} {high}");
        let level = Terrain::from_fn(N, edges, |_, _| 0.3);
        assert_eq!(run(edges, "Blur", &[], &level), level.height);
    }
}

#[test]
fn sharpening_adds_what_blurring_removes() {
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        let soft = run(edges, "Blur", &[("radius", "300")], &start);
        let sharp = run(edges, "Sharpen", &[("radius", "300"), ("amount", "1")], &start);
        assert_close(&sharp, |k| 2.0 * start.height[k] - soft[k], 1e-6, "sharpen");
    }
}

#[test]
fn normalise_reaches_both_ends() {
    let start = TestScene::new(N, Edges::Open).noise();
    let made = run(Edges::Open, "Normalise", &[("low", "0.2"), ("high", "0.7")], &start);
    let (low, high) = range(&made);
    assert!((low - 0.2).abs() < 1e-6 && (high - 0.7).abs() < 1e-6, "{low} {high}");
}

#[test]
fn clamp_is_the_limit_without_a_knee_and_close_to_it_with_one() {
    let start = TestScene::new(N, Edges::Open).noise();
    let limits = [("floor", "720"), ("ceiling", "1080")];
    let law = |k: usize| start.height[k].clamp(0.4, 0.6);
    let made = |knee| run(Edges::Open, "Clamp", &[limits[0], limits[1], ("knee", knee)], &start);
    assert_close(&made("0"), law, 1e-6, "clamp");
    // The soft bend is farthest from the hard limit where the height equals the limit: a quarter of the knee.
    assert_close(&made("90"), law, 0.05 / 4.0 + 1e-6, "soft clamp");
}

#[test]
fn inverting_twice_changes_nothing() {
    let start = TestScene::new(N, Edges::Open).noise();
    let once = run(Edges::Open, "Invert", &[], &start);
    assert_close(&once, |k| 1.0 - start.height[k], 1e-6, "invert");
    let mut turned = start.clone();
    turned.height = once;
    let twice = run(Edges::Open, "Invert", &[], &turned);
    assert_close(&twice, |k| start.height[k], 1e-6, "invert twice");
}

#[test]
fn normalise_works_in_metres_and_beyond_the_extremes() {
    for edges in BOTH {
        let mut start = TestScene::new(N, edges).noise();
        start.height[20 * N + 20] = 40.0;
        let params = [("target", "Metres"), ("low_metres", "180"), ("high_metres", "900"), ("ignore", "10")];
        let made = run(edges, "Normalise", &params, &start);
        let distinct = TestScene::new(N, edges).grid().distinct_side();
        let mut sorted: Vec<f32> = (0..distinct).flat_map(|i| made[i * N..i * N + distinct].to_vec()).collect();
        sorted.sort_by(f32::total_cmp);
        let ignored = ((sorted.len() - 1) as f64 * 0.1) as usize;
        let (low, high) = (sorted[ignored], sorted[sorted.len() - 1 - ignored]);
        assert!((low - 0.1).abs() < 1e-6 && (high - 0.5).abs() < 1e-6, "{low} {high}");
        assert!(sorted[sorted.len() - 1] > 10.0, "the spike stays");
    }
}

/// Samples of the grid within `radius` cells of sample `k`. On wrapping grids each sample occurs only once.
fn samples_around(edges: Edges, k: usize, radius: f64) -> Vec<usize> {
    let reach = radius as i64;
    let distinct = TestScene::new(N, edges).grid().distinct_side() as i64;
    let (row, column) = (k as i64 / N as i64, k as i64 % N as i64);
    let place = |a: i64| match edges {
        Edges::Open => (0..distinct).contains(&a).then_some(a as usize),
        Edges::Wrap => Some(a.rem_euclid(distinct) as usize),
    };
    let mut found = Vec::new();
    for (di, dj) in (-reach..=reach).flat_map(|di| (-reach..=reach).map(move |dj| (di, dj))) {
        let (Some(i), Some(j)) = (place(row + di), place(column + dj)) else { continue };
        if (di * di + dj * dj) as f64 <= radius * radius {
            found.push(i * N + j);
        }
    }
    found
}

#[test]
fn the_median_is_the_middle_of_the_sorted_disc_to_the_bit() {
    let cell = 8000.0 / 64.0;
    for edges in BOTH {
        // The input has steps and repeated heights in addition to noise.
        let mut start = TestScene::new(N, edges).noise();
        start.height.iter_mut().enumerate().for_each(|(k, h)| {
            if k % N < 20 {
                *h = (*h * 12.0).floor() / 12.0 - 0.5;
            }
        });
        start.close_seam();
        for radius in [1.0f32, 2.5, 4.0] {
            let made = run(edges, "Median", &[("radius", &(radius * cell).to_string())], &start);
            for (k, h) in made.iter().enumerate() {
                let mut disc: Vec<f32> =
                    samples_around(edges, k, f64::from(radius)).iter().map(|&k| start.height[k]).collect();
                disc.sort_by(f32::total_cmp);
                assert_eq!(*h, disc[(disc.len() - 1) / 2], "{edges:?} {radius} at {k}");
            }
        }
    }
}

#[test]
fn the_median_removes_spikes_and_keeps_cliffs() {
    let cliff = Terrain::from_fn(N, Edges::Open, |u, _| if u < 0.5 { 0.2 } else { 0.8 });
    let mut spiky = cliff.clone();
    (0..N * N).step_by(37).for_each(|k| spiky.height[k] = 5.0);
    assert_eq!(run(Edges::Open, "Median", &[("radius", "250")], &spiky), cliff.height);
}

#[test]
fn the_spectral_retouch_is_a_layer_of_spectral_synthesis() {
    for edges in BOTH {
        let place = TestScene::new(N, edges);
        let start = place.noise();
        let tables = [("frequency", "5"), ("layers", "4"), ("step", "1.7"), ("persistence", "0.6")];
        let generator = [&tables[..], &[("amplitude", "0.3"), ("base", "0")]].concat();
        let added = run(edges, "Spectral", &generator, &start);
        let made = run(edges, "SpectralRetouch", &[&tables[..], &[("amount", "0.3")]].concat(), &start);
        assert_close(&made, |k| start.height[k] + added[k], 0.0, "everywhere");
        let by_height = [&tables[..], &[("amount", "0.3"), ("share", "Height")]].concat();
        let mut sunk = start.clone();
        sunk.height.iter_mut().for_each(|h| *h -= 0.4);
        let made = run(edges, "SpectralRetouch", &by_height, &sunk);
        let law = |k: usize| sunk.height[k] + sunk.height[k].max(0.0) * added[k];
        assert_close(&made, law, 1e-6, "by height");
    }
}

#[test]
fn perturbed_heights_all_occur_within_the_magnitude() {
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        for cells in [0.9f64, 1.0, 3.5, 6.0] {
            let metres = (cells * 125.0).to_string();
            let made = run(edges, "Perturbation", &[("magnitude", &metres)], &start);
            let counted = run(edges, "Perturbation", &[("magnitude", &cells.to_string()), ("unit", "Cells")], &start);
            assert_eq!(made, counted, "a cell is 125 m");
            let mut moved = 0;
            for (k, h) in made.iter().enumerate() {
                assert!(
                    samples_around(edges, k, cells).iter().any(|&k| start.height[k] == *h),
                    "{edges:?} {cells} at {k}"
                );
                moved += usize::from(start.height[k] != *h);
            }
            assert_eq!(moved > N * N / 2, cells >= 1.0, "{moved} of {} moved by {cells}", N * N);
            let noise = [("magnitude", metres.as_str()), ("displacement", "Noise")];
            for (k, h) in run(edges, "Perturbation", &noise, &start).iter().enumerate() {
                let near = samples_around(edges, k, cells + 1.5);
                let (low, high) = range(&near.iter().map(|&k| start.height[k]).collect::<Vec<_>>());
                assert!((low..=high).contains(h), "{edges:?} {cells} at {k}: {h} is not in {low} to {high}");
            }
        }
    }
}

#[test]
fn random_displacements_fill_the_disc_evenly() {
    // On a ramp, the height of a moved sample shows its original position.
    let n = 257;
    let place = TestScene::new(n, Edges::Open);
    let ramp = Terrain::from_fn(n, Edges::Open, |u, _| u * 256.0);
    let made = place.finish(&node("Perturbation", &[("magnitude", "20"), ("unit", "Cells")]), &ramp, 0).height;
    let shifts: Vec<f64> =
        (0..n * n).filter(|k| (30..226).contains(&(k % n))).map(|k| f64::from(made[k]) - (k % n) as f64).collect();
    let count = shifts.len() as f64;
    let mean = shifts.iter().sum::<f64>() / count;
    let square = shifts.iter().map(|s| s * s).sum::<f64>() / count;
    // A uniform disc of radius R has the variance R²/4 along an axis. Rounding to samples adds a twelfth of a squared
    // cell.
    assert!(mean.abs() < 0.2 && (square - 100.0).abs() < 2.0, "{mean} {square}");
}

#[test]
fn turning_and_mirroring_return_to_the_start() {
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        for (params, times) in
            [(("angle", "90"), 4), (("angle", "-90"), 4), (("angle", "180"), 2), (("mirror_x", "true"), 2)]
        {
            let mut terrain = start.clone();
            for time in 1..=times {
                terrain.height = run(edges, "Transform", &[params], &terrain);
                assert_eq!(terrain.height == start.height, time == times, "{params:?} {time} times");
            }
        }
        let both = run(edges, "Transform", &[("mirror_x", "true"), ("mirror_y", "true")], &start);
        assert_eq!(both, run(edges, "Transform", &[("angle", "180")], &start));
    }
}

#[test]
fn a_transform_moves_by_metres_and_turns_clockwise() {
    let start = TestScene::new(N, Edges::Open).noise();
    let at = |field: &[f32], i: usize, j: usize| field[i * N + j];
    // 8000 m are 64 cells.
    let moved = run(Edges::Open, "Transform", &[("move_x", "1000"), ("move_y", "-500")], &start);
    assert_eq!(at(&moved, 10, 30), at(&start.height, 14, 22));
    assert_eq!(at(&moved, 10, 3), at(&start.height, 14, 0), "the edge goes on");
    let turned = run(Edges::Open, "Transform", &[("angle", "90")], &start);
    assert_eq!(at(&turned, 0, 64), at(&start.height, 0, 0), "the north-west corner goes to the north-east");
    let wide = run(Edges::Open, "Transform", &[("scale", "2")], &start);
    assert_eq!(at(&wide, 32 + 8, 32 - 6), at(&start.height, 32 + 4, 32 - 3));
    let outside = |outside| run(Edges::Open, "Transform", &[("move_x", "1000"), ("outside", outside)], &start);
    assert_eq!(at(&outside("Flat"), 9, 7), 0.0);
    assert_eq!(at(&outside("Mirror"), 9, 6), at(&start.height, 9, 2));
    assert_eq!(at(&outside("Wrap"), 9, 6), at(&start.height, 9, 62));
    let tile = TestScene::new(N, Edges::Wrap).noise();
    assert_eq!(at(&run(Edges::Wrap, "Transform", &[("move_x", "1000")], &tile), 9, 6), at(&tile.height, 9, 62));
    // A plane stays a plane when rotated, and cubic interpolation reproduces it exactly.
    let plane = Terrain::from_fn(N, Edges::Open, |u, v| 0.5 * u - 0.3 * v);
    let made = run(Edges::Open, "Transform", &[("angle", "30"), ("scale", "2")], &plane);
    let (sin, cos) = 30f32.to_radians().sin_cos();
    for (i, j) in (2..63).flat_map(|i| (2..63).map(move |j| (i, j))) {
        let (x, y) = ((j as f32 - 32.0) / 128.0, (i as f32 - 32.0) / 128.0);
        let law = 0.5 * (0.5 + x * cos + y * sin) - 0.3 * (0.5 + y * cos - x * sin);
        assert!((at(&made, i, j) - law).abs() < 1e-5, "{i} {j}");
    }
}

/// Filters that move terrain also move its maps; filters that change heights do not change the maps.
#[test]
fn data_maps_move_with_the_terrain() {
    for edges in BOTH {
        let place = TestScene::new(N, edges);
        let mut start = place.noise();
        *start.map_mut(MapKind::Wear) = start.height.clone();
        let same = |terrain: &Terrain| **terrain.map(MapKind::Wear).unwrap() == start.height;
        // Random displacements and quarter turns map samples to samples. Heights and map therefore stay equal bit for
        // bit.
        for moving in [node("Perturbation", &[("magnitude", "400")]), node("Transform", &[("angle", "90")])] {
            let made = place.finish(&moving, &start, 0);
            assert!(!same(&made) && **made.map(MapKind::Wear).unwrap() == made.height, "{moving:?}");
        }
        for moving in [node("Warp", &[]), node("Perturbation", &[("displacement", "Noise")])] {
            let made = place.finish(&moving, &start, 0);
            assert!(!same(&made), "{moving:?}");
            let map = made.map(MapKind::Wear).unwrap();
            assert_close(&made.height, |k| map[k], 0.05, "linear beside cubic");
        }
        for name in ["Blur", "Median", "Expander", "Ridges", "SpectralRetouch", "Island", "Seamless", "Normalise"] {
            assert!(same(&place.finish(&node(name, &[]), &start, 0)), "{name}");
        }
    }
}

#[test]
fn a_warp_moves_by_about_its_strength_and_never_beyond() {
    let n = 257;
    let place = TestScene::new(n, Edges::Open);
    // 8000 m are 256 cells. On a ramp, the height of a moved sample shows its original position.
    let ramp = Terrain::from_fn(n, Edges::Open, |u, _| u * 8000.0);
    let made = place.finish(&node("Warp", &[("amount", "300"), ("size", "500")]), &ramp, 0).height;
    let shifts: Vec<f32> =
        (0..n * n).filter(|k| (40..216).contains(&(k % n))).map(|k| made[k] - ramp.height[k]).collect();
    let (low, high) = range(&shifts);
    assert!((-500.0..-200.0).contains(&low) && (200.0..500.0).contains(&high), "{low} {high}");
    let rms = (shifts.iter().map(|s| s * s).sum::<f32>() / shifts.len() as f32).sqrt();
    assert!((70.0..140.0).contains(&rms), "three standard deviations are the amount: {rms}");
}

#[test]
fn an_island_ends_at_its_depth_and_keeps_its_middle() {
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        for roundness in ["0", "0.5", "1"] {
            let params =
                [("depth", "360"), ("width", "0.1"), ("coast", "0.15"), ("roundness", roundness), ("bays", "6")];
            let made = run(edges, "Island", &params, &start);
            for k in 0..N {
                for edge in [k, (N - 1) * N + k, k * N, k * N + N - 1] {
                    assert_eq!(made[edge], -0.2, "{edges:?} {roundness}");
                }
            }
            // Beyond the coast's width plus its bays, counted from the edge inwards, no terrain is lowered.
            for (i, j) in (26..39).flat_map(|i| (26..39).map(move |j| (i, j))) {
                assert!((made[i * N + j] - start.height[i * N + j]).abs() < 1e-6, "{roundness} {i} {j}");
            }
        }
        // Without noise, a circular island has a circular coast.
        let plain = [("width", "0.2"), ("coast", "0"), ("roundness", "1"), ("depth", "360")];
        let level = Terrain::from_fn(N, edges, |_, _| 0.8);
        let made = run(edges, "Island", &plain, &level);
        let law = |k: usize| {
            let (x, y) = ((k % N) as f32 / 64.0 - 0.5, (k / N) as f32 / 64.0 - 0.5);
            let t = ((0.5 - (x * x + y * y).sqrt()) / 0.2).clamp(0.0, 1.0);
            -0.2 + t * t * (3.0 - 2.0 * t)
        };
        assert_close(&made, law, 1e-5, "circle");
    }
}

#[test]
fn a_ridge_rises_by_its_curvature_and_a_valley_sinks_by_it() {
    // A long Gaussian ridge of width s, smoothed with σ, has the negative curvature -λ = s/(s² + σ²)^1.5 at its crest.
    let (n, s, sigma) = (257, 12.0f32, 9.0f32);
    let place = TestScene::new(n, Edges::Open);
    let ridge = |sign: f32| {
        Terrain::from_fn(n, Edges::Open, |u, _| {
            let x = (u - 0.5) * 256.0;
            sign * (-x * x / (2.0 * s * s)).exp()
        })
    };
    let law = sigma * sigma * s / (s * s + sigma * sigma).powf(1.5);
    for (sign, name, other) in [(1.0, "ridges", "valleys"), (-1.0, "valleys", "ridges")] {
        let start = ridge(sign);
        let scale = (sigma * 8000.0 / 256.0).to_string();
        let made = place.finish(&node("Ridges", &[(name, "0.5"), (other, "0"), ("scale", &scale)]), &start, 0).height;
        let (before, after) = (start.height[128 * n + 128], made[128 * n + 128]);
        assert!((after - before - sign * 0.5 * law).abs() < 0.01 * law, "{name}: {} {law}", after - before);
        for (after, before) in made.iter().zip(&start.height) {
            assert!(sign * (after - before) >= 0.0, "{name}: heights change in one direction only");
        }
    }
}

#[test]
fn expansion_is_the_highest_paraboloid_around() {
    for edges in BOTH {
        let start = TestScene::new(N, edges).noise();
        for (amount, drop) in [(300.0f64, 150.0f64), (2000.0, 40.0), (-500.0, 300.0)] {
            let params = [("amount", amount.to_string()), ("drop", drop.to_string())];
            let made = run(edges, "Expander", &[("amount", &params[0].1), ("drop", &params[1].1)], &start);
            let fall = drop / 1800.0 / (amount / 125.0).powi(2);
            let sign = amount.signum();
            let far = |a: usize, b: usize| {
                let d = a.abs_diff(b);
                if edges == Edges::Wrap { d.min(N - 1 - d) } else { d }
            };
            for (k, h) in made.iter().enumerate() {
                let reached = |from: usize| {
                    let (y, x) = (far(k / N, from / N), far(k % N, from % N));
                    sign * f64::from(start.height[from]) - fall * (x * x + y * y) as f64
                };
                let best = sign * (0..N * N).map(reached).fold(f64::NEG_INFINITY, f64::max);
                assert!((f64::from(*h) - best).abs() < 1e-6, "{edges:?} {amount} at {k}: {h} is not {best}");
                assert!(sign * f64::from(*h - start.height[k]) >= 0.0, "{amount}");
            }
        }
    }
}

#[test]
fn smooth_expansion_lies_above_and_has_no_creases() {
    let start = TestScene::new(N, Edges::Open).noise();
    let sharp = run(Edges::Open, "Expander", &[("amount", "600")], &start);
    let smooth = run(Edges::Open, "Expander", &[("amount", "600"), ("smooth", "true")], &start);
    let fall = 150.0 / 1800.0 / (600.0f32 / 125.0).powi(2);
    let bend = |field: &[f32], k: usize| field[k - 1] - 2.0 * field[k] + field[k + 1];
    let rows = (0..N * N).filter(|k| (1..N - 1).contains(&(k % N)));
    let sharpest = rows.clone().map(|k| bend(&sharp, k)).fold(0.0, f32::max);
    let smoothest = rows.map(|k| bend(&smooth, k)).fold(0.0, f32::max);
    assert!(smoothest <= 2.0 * fall + 1e-5, "no valley bends more than the paraboloid: {smoothest} {fall}");
    assert!(sharpest > 4.0 * fall, "there were creases: {sharpest}");
    for (smooth, sharp) in smooth.iter().zip(&sharp) {
        assert!(*smooth >= sharp - 1e-6, "{smooth} {sharp}");
    }
}

#[test]
fn seamless_edges_match_in_height_and_slope() {
    for n in [33, 100, 257] {
        let place = TestScene::new(n, Edges::Open);
        let start = place.noise();
        let made = place.finish(&node("Seamless", &[("width", "0.2")]), &start, 0).height;
        let at = |i: usize, j: usize| made[i * n + j];
        let band = (0.2 * (n - 1) as f64).ceil() as usize;
        let mut worst = [0.0f32; 2];
        for k in 0..n {
            assert_eq!(at(0, k).to_bits(), at(n - 1, k).to_bits());
            assert_eq!(at(k, 0).to_bits(), at(k, n - 1).to_bits());
            let across = (at(k, 1) - at(k, 0)) - (at(k, n - 1) - at(k, n - 2));
            let along = (at(1, k) - at(0, k)) - (at(n - 1, k) - at(n - 2, k));
            worst[0] = worst[0].max(across.abs()).max(along.abs());
            for j in 1..n - 1 {
                worst[1] = worst[1].max(
                    (start.height[k * n + j - 1] - 2.0 * start.height[k * n + j] + start.height[k * n + j + 1]).abs(),
                );
            }
        }
        assert!(worst[0] < 0.2 * worst[1], "greatest bend at the seam and elsewhere: {worst:?}");
        for (i, j) in (band..n - band).flat_map(|i| (band..n - band).map(move |j| (i, j))) {
            assert_eq!(at(i, j).to_bits(), start.height[i * n + j].to_bits(), "{i} {j}");
        }
        let tile = TestScene::new(n, Edges::Wrap);
        assert_eq!(
            tile.finish(&node("Seamless", &[]), &tile.noise(), 0),
            tile.noise(),
            "wrapping noise already tiles without a seam"
        );
    }
}

#[test]
fn neutral_levels_change_no_bit_and_others_follow_the_law() {
    let place = TestScene::new(65, Edges::Open);
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
fn terraces_keep_the_order_and_zero_sharpness_the_heights() {
    let place = TestScene::new(257, Edges::Open);
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
            // The tallest step is 1.98 · 300 m, in a relief of 1800 m.
            _ => assert!(change > 0.01 && change < 0.33, "{change}"),
        }
    }
}
