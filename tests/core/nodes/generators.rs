//! Generators are compared with their own equations, evaluated in another way.

use crate::kits::nodes::{TestScene, node, on_squares};
use talweg::field::{Control, Edges, MapKind, Stream, Terrain};
use talweg::nodes::generators::triangular::{TriangleLayout, Triangular, triangle};
use talweg::nodes::generators::voronoi::{Regions, Scatter, Voronoi};
use talweg::nodes::{Node, NodeKind};

fn fill(samples: usize, edges: Edges, generator: &Node) -> Vec<f32> {
    let place = TestScene::new(samples, edges);
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
    for generator in on_squares().filter(|n| matches!(n.work(), NodeKind::Generator(_))) {
        let began = std::time::Instant::now();
        let mut generator = generator;
        if generator.about().name == "Import" {
            // Without a file the stamp leaves the terrain level.
            crate::kits::nodes::set(&mut generator, "file", "stamp:mountain");
        }
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
    for name in ["Perlin", "ValueNoise", "Simplex"] {
        for octaves in ["1", "8"] {
            let (mean, deviation) =
                spread(&fill(513, Edges::Open, &node(name, &[("octaves", octaves), ("frequency", "40")])));
            assert!((mean - 0.5).abs() < 0.02 && (0.15..0.2).contains(&deviation), "{name}: {mean} ± {deviation}");
        }
    }
}

#[test]
fn spectral_layers_have_their_frequency_and_amplitude() {
    let layers = |count: &str| {
        let params = [("layers", count), ("frequency", "16"), ("interpolation", "Linear"), ("persistence", "0.5")];
        let weights: f64 = (0..count.parse().unwrap()).map(|k| 0.25f64.powi(k)).sum();
        let heights = fill(513, Edges::Wrap, &node("Spectral", &params));
        // the sum Σ pⁱ·vᵢ without its scaling
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
        // The displacement is a uniform random value in ±1, times 0.58 and the factor of its level.
        let expected = 0.58 / 3f64.sqrt() * 0.5f64.powi(k as i32 + 1);
        let (_, deviation) = spread(&points);
        assert!((deviation / expected - 1.0).abs() < 0.05, "layer {}: {deviation} is not {expected}", k + 1);
    }
}

/// The recursion of document 002: applies the stamp of a sector, then recurses into its quarters.
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
fn stamps_match_the_recursion() {
    for (profile, levels, n) in [("Cone", "1", 33), ("Cone", "5", 60), ("Bell", "7", 33)] {
        let params = [("profile", profile), ("levels_shown", levels), ("depth", "Metres"), ("smallest_metres", "1")];
        let made = fill(n, Edges::Open, &node("Stamp", &params));
        let mut expected = vec![0.5; n * n];
        naive_stamps(&mut expected, n, 0, (0, 0), levels.parse().unwrap(), profile == "Bell");
        for (k, (a, b)) in made.iter().zip(&expected).enumerate() {
            assert!((f64::from(*a) - b).abs() < 1e-5, "{profile} {levels} at {k}: {a} is not {b}");
        }
    }
}

#[test]
fn worley_noise_matches_a_search_through_all_points() {
    const N: usize = 97;
    const CELLS: i32 = 6;
    let random = stream().fork(0);
    let shift = [random.fork(0).unit(0, 0), random.fork(0).unit(1, 0)].map(f64::from);
    let part = |bits: u64| 0.5 + 0.8 * ((bits & 0xff_ffff) as f64 / 16_777_216.0 - 0.5);
    for feature in ["Nearest", "Second", "Difference"] {
        for edges in [Edges::Open, Edges::Wrap] {
            let params = [("octaves", "1"), ("frequency", "6"), ("jitter", "0.8"), ("feature", feature)];
            let made = fill(N, edges, &node("Cellular", &params));
            for (k, &h) in made.iter().enumerate() {
                let place = |index: usize, shift: f64| {
                    let index = if edges == Edges::Wrap { index % (N - 1) } else { index };
                    index as f64 / (N - 1) as f64 * f64::from(CELLS) + shift
                };
                let (x, y) = (place(k % N, shift[0]), place(k / N, shift[1]));
                let mut distances = Vec::new();
                for row in -4..CELLS + 5 {
                    for column in -4..CELLS + 5 {
                        let bits = match edges {
                            Edges::Open => random.bits(column, row),
                            Edges::Wrap => random.bits(column.rem_euclid(CELLS), row.rem_euclid(CELLS)),
                        };
                        let point = [f64::from(column) + part(bits), f64::from(row) + part(bits >> 24)];
                        distances.push((point[0] - x).hypot(point[1] - y));
                    }
                }
                distances.sort_by(f64::total_cmp);
                let expected = match feature {
                    "Nearest" => distances[0],
                    "Second" => distances[1],
                    _ => distances[1] - distances[0],
                };
                assert!((f64::from(h) - expected).abs() < 1e-5, "{feature} {edges:?} {k}: {h} is not {expected}");
            }
        }
    }
}

#[test]
fn simplex_noise_is_the_sum_over_all_lattice_points_near() {
    const N: usize = 97;
    let random = stream().fork(0);
    let shift = [random.fork(0).unit(0, 0), random.fork(0).unit(1, 0)].map(f64::from);
    let made = fill(N, Edges::Open, &node("Simplex", &[("octaves", "1"), ("frequency", "6"), ("base", "0")]));
    for (k, &h) in made.iter().enumerate() {
        let place = |index: usize, shift: f64| index as f64 / (N - 1) as f64 * 6.0 + shift;
        let (x, y) = (place(k % N, shift[0]), place(k / N, shift[1]));
        let mut sum = 0.0;
        for row in -2..10i32 {
            for column in -2..10i32 {
                let dx = x - (f64::from(column) - 0.5 * f64::from(row & 1));
                let dy = y - f64::from(row);
                let angle = ((random.bits(column, row) >> 56) as f64 + 0.5) * (std::f64::consts::TAU / 256.0);
                let fall = (0.8 - dx * dx - dy * dy).max(0.0);
                sum += fall.powi(4) * (angle.cos() * dx + angle.sin() * dy);
            }
        }
        let expected = 5.8 * sum / 2f64.sqrt();
        assert!((f64::from(h) - expected).abs() < 1e-5, "{k}: {h} is not {expected}");
    }
}

#[test]
fn folded_and_hybrid_noise_follow_perlin_noise() {
    // One octave of Perlin noise is half of the noise value that is scaled to ±1.
    let one = |name: &str, more: &[(&str, &str)]| {
        let params = [&[("octaves", "1"), ("frequency", "5"), ("base", "0"), ("amplitude", "1")], more].concat();
        fill(129, Edges::Open, &node(name, &params))
    };
    let perlin = one("Perlin", &[]);
    let (billow, hybrid) = (one("Billow", &[]), one("Hybrid", &[("offset", "0.5")]));
    for ((p, b), h) in perlin.iter().zip(&billow).zip(&hybrid) {
        assert!((2.0 * p.abs() - b).abs() < 1e-6, "{p} {b}");
        assert!(((2.0 * p + 0.5) / 1.5 - h).abs() < 1e-6, "{p} {h}");
    }
}

#[test]
fn hybrid_noise_omits_octaves_over_low_terrain() {
    let made = |octaves: &str| {
        fill(257, Edges::Open, &node("Hybrid", &[("octaves", octaves), ("offset", "0"), ("persistence", "0.5")]))
    };
    // At offset 0, finer octaves add nothing where the first octave is below 0.
    let (one, two) = (made("1"), made("2"));
    let mut plains = 0;
    for (a, b) in one.iter().zip(&two) {
        if *a < 0.0 {
            plains += 1;
            assert!((a / 1.5 - b).abs() < 1e-6, "{a} {b}");
        }
    }
    assert!(plains > 1000);
}

#[test]
fn shapes_have_their_formulas() {
    let at = |form: &str, more: &[(&str, &str)], x: f32, y: f32| {
        let params = [&[("form", form), ("radius", "0.25"), ("height", "1")], more].concat();
        fill(65, Edges::Open, &node("Shape", &params))[(y * 64.0) as usize * 65 + (x * 64.0) as usize]
    };
    let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} is not {b}");
    close(at("Plane", &[], 0.125, 0.25), 1.0);
    close(at("Ramp", &[], 0.625, 0.0), 0.75);
    close(at("Ramp", &[("rotation_angle", "90")], 0.0, 0.375), 0.25);
    close(at("Cone", &[], 0.5, 0.5), 1.0);
    close(at("Cone", &[], 0.625, 0.5), 0.5);
    close(at("Cone", &[("centre_x", "0.25")], 0.25, 0.75), 0.0);
    close(at("Dome", &[], 0.5, 0.625), 0.75f32.sqrt());
    close(at("Crater", &[], 0.5, 0.5), -1.0);
    close(at("Crater", &[], 0.75, 0.5), 0.225);
    close(at("Crater", &[], 1.0, 0.5), 0.225 / 8.0);
    close(at("Ridge", &[("length", "0.5")], 0.75, 0.625), 0.5);
    close(at("Ridge", &[("length", "0.5")], 0.875, 0.5), 0.5);
    close(at("Ridge", &[("length", "0.5"), ("rotation_angle", "90")], 0.5, 0.25), 1.0);
    close(at("Island", &[], 0.5, 0.5625), 1.0);
    close(at("Island", &[], 0.5, 0.6875), 0.5);
}

#[test]
fn wrapping_shapes_and_faults_have_no_jump_at_the_edge() {
    let smooth_fault = node("Fault", &[("faults", "50"), ("width", "0.25")]);
    let forms = ["Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"];
    let shapes = forms.map(|form| {
        let params = [("form", form), ("centre_x", "0.2"), ("rotation_angle", "30"), ("length", "0.9")];
        node("Shape", &params)
    });
    for generator in shapes.into_iter().chain([smooth_fault, node("Circles", &[])]) {
        const N: usize = 513;
        let made = fill(N, Edges::Wrap, &generator);
        let jump = |a: usize, b: usize| (made[a] - made[b]).abs();
        let inside = (0..N * (N - 2)).map(|k| jump(k, k + N).max(jump(k, k + 1))).fold(0.0, f32::max);
        for k in 0..N {
            let seam = jump((N - 2) * N + k, k).max(jump(k * N + N - 2, k * N));
            assert!(seam <= inside * 1.5, "{seam} at the seam, {inside} inside: {generator:?}");
        }
    }
}

#[test]
fn faults_are_steps_across_lines() {
    const N: usize = 65;
    // A single fault without a slope gives two heights, and most rows contain both sides of it.
    let made = fill(N, Edges::Open, &node("Fault", &[("faults", "1"), ("width", "0")]));
    let step = 1.0 / 3.0;
    assert!(made.iter().all(|h| ((h - 0.5).abs() - step / 2.0).abs() < 1e-6));
    // Every row and column crosses the fault at most once.
    for k in 0..N {
        let changes = |at: &dyn Fn(usize) -> f32| (1..N).filter(|&j| at(j) != at(j - 1)).count();
        assert!(changes(&|j| made[k * N + j]) <= 1 && changes(&|j| made[j * N + k]) <= 1);
    }
    let (mean, deviation) = spread(&fill(257, Edges::Wrap, &node("Fault", &[])));
    assert!((mean - 0.5).abs() < 0.05 && (0.1..0.22).contains(&deviation), "{mean} ± {deviation}");
}

#[test]
fn a_circle_is_a_cosine_bump() {
    const N: usize = 129;
    let params = [("circles", "1"), ("radius", "0.5"), ("smallest", "1"), ("pits", "0"), ("base", "0")];
    let made = fill(N, Edges::Open, &node("Circles", &params));
    let centre = [1, 2].map(|what| f64::from(stream().unit(0, what)) * 2.0 - 0.5);
    let bump = |k: usize| {
        let place = |index: usize| index as f64 / (N - 1) as f64;
        let d = (place(k % N) - centre[0]).hypot(place(k / N) - centre[1]) / 0.5;
        if d < 1.0 { 0.5 * (1.0 + (std::f64::consts::PI * d).cos()) } else { 0.0 }
    };
    let highest = (0..N * N).max_by(|&a, &b| bump(a).total_cmp(&bump(b))).unwrap();
    let scale = f64::from(made[highest]) / bump(highest);
    assert!(scale > 0.3 && scale <= 1.0, "{scale}");
    for (k, &h) in made.iter().enumerate() {
        assert!((f64::from(h) - scale * bump(k)).abs() < 1e-5, "{k}");
    }
}

#[test]
fn triangles_take_the_mean_of_their_corners() {
    // Without random displacement, the subdivision rule computes the terrain from its corners, level by level.
    for edges in [Edges::Open, Edges::Wrap] {
        let made = |n: usize| fill(n, edges, &node("Triangular", &[("amplitude", "0")]));
        let (coarse, fine) = (made(17), made(33));
        let at = |i: i32, j: i32| {
            let inside = |k: i32| if edges == Edges::Wrap { k.rem_euclid(16) } else { k };
            let (i, j) = (inside(i), inside(j));
            ((0..17).contains(&i) && (0..17).contains(&j)).then(|| f64::from(coarse[(i * 17 + j) as usize]))
        };
        for i in 0..33i32 {
            for j in 0..33i32 {
                let (y, x) = (i / 2, j / 2);
                // The ends of the edge, and the third corners of the two triangles that share the edge.
                let (a, b, others) = match (i % 2, j % 2) {
                    (0, 0) => continue,
                    (0, _) => ((y, x), (y, x + 1), [(y - 1, x), (y + 1, x + 1)]),
                    (_, 0) => ((y, x), (y + 1, x), [(y, x - 1), (y + 1, x + 1)]),
                    _ => ((y, x), (y + 1, x + 1), [(y, x + 1), (y + 1, x)]),
                };
                let ends = at(a.0, a.1).unwrap() + at(b.0, b.1).unwrap();
                let means: Vec<f64> = others.iter().filter_map(|c| at(c.0, c.1)).map(|c| (ends + c) / 3.0).collect();
                let expected = means.iter().sum::<f64>() / means.len() as f64;
                let h = f64::from(fine[(i * 33 + j) as usize]);
                assert!((h - expected).abs() < 1e-6, "{edges:?} {i} {j}: {h} is not {expected}");
            }
        }
    }
}

#[test]
fn the_variogram_of_triangles_rises_with_twice_their_smoothness() {
    const N: usize = 513;
    for smoothness in ["0.3", "0.5", "0.8"] {
        let hurst: f64 = smoothness.parse().unwrap();
        let heights = fill(N, Edges::Wrap, &node("Triangular", &[("smoothness", smoothness)]));
        let gamma = |lag: usize| {
            let differences = heights.chunks(N).flat_map(|row| (0..N - lag).map(move |j| row[j] - row[j + lag]));
            differences.map(|d| f64::from(d).powi(2)).sum::<f64>() / (N * (N - lag)) as f64
        };
        let slope = (gamma(32) / gamma(2)).ln() / 16f64.ln();
        println!("triangles of smoothness {hurst}: the variogram rises with {slope:.2}");
        assert!((slope - 2.0 * hurst).abs() < 0.3, "smoothness {hurst}: the variogram rises with {slope}");
    }
}

#[test]
fn voronoi_with_midpoints_keeps_the_cells_on_the_coarse_lattice() {
    let cells = [("points", "30"), ("scatter", "Random"), ("c1", "-1"), ("c2", "1"), ("base", "0.1")];
    let voronoi = node("Voronoi", &[&cells[..], &[("amplitude", "0.6")]].concat());
    let mixed = node("VoronoiMidpoint", &[&cells[..], &[("relief", "0.6"), ("coarse_levels", "4")]].concat());
    let (coarse, fine) = (fill(17, Edges::Open, &voronoi), fill(257, Edges::Open, &mixed));
    let mut between = 0.0f32;
    for i in 0..17 {
        for j in 0..17 {
            assert_eq!(coarse[i * 17 + j], fine[i * 16 * 257 + j * 16]);
            if i < 16 && j < 16 {
                let corners = [0, 1, 17, 18].map(|k| coarse[i * 17 + j + k]);
                let centre = fine[(i * 16 + 8) * 257 + j * 16 + 8];
                between = between.max((centre - corners.iter().sum::<f32>() / 4.0).abs());
            }
        }
    }
    // The first midpoints move by at most roughness · smoothness.
    assert!(between > 0.02 && between <= 0.06 * 0.85 + 1e-6, "{between}");
}

/// Samples of the paper's single triangle are computed triangle by triangle and edge by edge.
#[test]
fn a_single_triangle_is_that_of_the_paper() {
    let control = Control::default();
    let place = TestScene::new(5, Edges::Open);
    let cx = place.context(&control);
    let flat = Triangular { amplitude: 0.0, layout: TriangleLayout::Triangle, ..Triangular::default() };
    let rough = Triangular { layout: TriangleLayout::Triangle, ..Triangular::default() };
    let made = |node: &Triangular, detail: u32| triangle(node, &cx, detail).unwrap();
    for detail in 1..=4u32 {
        let side = 1usize << detail;
        let rows = made(&flat, detail);
        assert!(rows.len() == side + 1 && rows.iter().enumerate().all(|(i, row)| row.len() == i + 1));
        // By brute force, every triangle of every level contributes the mean of its corners to its three midpoints.
        let corners = made(&flat, 0);
        let mut known: Vec<Vec<Option<f64>>> = (0..=side).map(|i| vec![None; i + 1]).collect();
        for (i, j) in [(0, 0), (1, 0), (1, 1)] {
            known[i * side][j * side] = Some(f64::from(corners[i][j]));
        }
        let mut step = side;
        while step > 1 {
            let mut offers = std::collections::BTreeMap::<(usize, usize), Vec<f64>>::new();
            for i in (0..side).step_by(step) {
                for j in (0..=i).step_by(step) {
                    let upright = [(i, j), (i + step, j), (i + step, j + step)];
                    let inverted = [(i, j), (i, j + step), (i + step, j + step)];
                    for corners in [upright, inverted].into_iter().take(if j < i { 2 } else { 1 }) {
                        let mean = corners.iter().map(|&(r, c)| known[r][c].unwrap()).sum::<f64>() / 3.0;
                        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                            let middle = |k: usize, l: usize| (k + l) / 2;
                            let at = (middle(corners[a].0, corners[b].0), middle(corners[a].1, corners[b].1));
                            offers.entry(at).or_default().push(mean);
                        }
                    }
                }
            }
            for ((r, c), means) in offers {
                assert!(known[r][c].is_none() && means.len() <= 2);
                known[r][c] = Some(means.iter().sum::<f64>() / means.len() as f64);
            }
            step /= 2;
        }
        for (row, expected) in rows.iter().zip(&known) {
            for (h, e) in row.iter().zip(expected) {
                assert!((f64::from(*h) - e.unwrap()).abs() < 1e-6, "detail {detail}: {h} is not {e:?}");
            }
        }
        // One more level of detail keeps the samples of the coarser triangle. A new sample differs from the mean of its
        // neighbours by at most the displacement.
        let (coarse, fine) = (made(&rough, detail), made(&rough, detail + 1));
        for (i, row) in coarse.iter().enumerate() {
            for (j, h) in row.iter().enumerate() {
                assert_eq!(*h, fine[2 * i][2 * j]);
            }
        }
    }
}

#[test]
fn the_triangle_stands_on_the_south_edge_in_level_terrain() {
    let heights = fill(129, Edges::Open, &node("Triangular", &[("layout", "Triangle")]));
    let lowest = heights.iter().copied().fold(f32::MAX, f32::min);
    let control = Control::default();
    let place = TestScene::new(129, Edges::Open);
    let table = triangle(&Triangular::default(), &place.context(&control), 7).unwrap();
    for i in 0..129usize {
        for j in 0..129usize {
            // x is twice the column of the sheared row.
            let x = 2 * j as i64 - 128 + i as i64;
            let h = heights[i * 129 + j];
            if x < 0 || x > 2 * i as i64 {
                assert_eq!(h, lowest);
            } else {
                let (a, b) = (table[i][x as usize / 2], table[i][(x as usize).div_ceil(2)]);
                assert!((h - (a + b) / 2.0).abs() < 1e-6, "{i} {j}: {h} is not between {a} and {b}");
            }
        }
    }
}

#[test]
fn the_surroundings_of_the_triangle_are_void() {
    let generator = node("Triangular", &[("layout", "Triangle")]);
    for edges in [Edges::Open, Edges::Wrap] {
        for samples in [9, 100, 129, 333] {
            let place = TestScene::new(samples, edges);
            let made = place.finish(&generator, &Terrain::flat(place.grid()), 0);
            let ground = made.map(MapKind::Ground).expect("the triangle marks its samples in a map");
            // Void samples have the lowest height of the whole triangle. It can occur between samples, so the test
            // takes it from the whole map.
            let lowest = made.height.iter().copied().fold(f32::MAX, f32::min);
            // Side length of the square around the triangle, in samples.
            let side = if edges == Edges::Wrap { (samples - 1) as f64 * 31.0 / 32.0 } else { (samples - 1) as f64 };
            let inset = ((samples - 1) as f64 - side) / 2.0;
            for (k, &share) in ground.iter().enumerate() {
                let (x, y) = ((k % samples) as f64, (k / samples) as f64 - inset);
                let aside = (x - 0.5 * (samples - 1) as f64).abs();
                let slanted = (y - 2.0 * aside) / 5.0f64.sqrt();
                let within = if edges == Edges::Wrap { slanted.min(side - y) } else { slanted };
                let expected = (within + 0.5).clamp(0.0, 1.0);
                assert!((f64::from(share) - expected).abs() < 1e-3, "{edges:?} {samples} {k}: {share} {expected}");
                // Samples inside the triangle have its heights. All samples outside have its lowest height.
                assert!(share >= 0.5 || slanted > -0.02 || made.height[k] == lowest, "{edges:?} {samples} {k}");
            }
            let missing = made.void_samples() as f64 / ground.len() as f64;
            assert!((missing - (1.0 - 0.5 * (side / (samples - 1) as f64).powi(2))).abs() < 4.0 / samples as f64);
        }
    }
    let square = TestScene::new(33, Edges::Open);
    let made = square.finish(&node("Triangular", &[]), &Terrain::flat(square.grid()), 0);
    assert!(made.map(MapKind::Ground).is_none() && made.void_samples() == 0);
}

fn variogram_slope(heights: &[f32], n: usize) -> f64 {
    let gamma = |lag: usize| {
        let differences = heights.chunks(n).flat_map(|row| (0..n - lag).map(move |j| row[j] - row[j + lag]));
        differences.map(|d| f64::from(d).powi(2)).sum::<f64>() / (n * (n - lag)) as f64
    };
    (gamma(64) / gamma(4)).ln() / 16f64.ln()
}

#[test]
fn smoothing_keeps_the_hurst_exponent_and_removes_creases() {
    const N: usize = 513;
    for (smoothness, distribution) in [("0.3", "Uniform"), ("0.5", "Gaussian"), ("0.8", "Uniform")] {
        let hurst: f64 = smoothness.parse().unwrap();
        let made = |smoothing: &str| {
            let params = [("smoothness", smoothness), ("smoothing", smoothing), ("distribution", distribution)];
            fill(N, Edges::Wrap, &node("DiamondSquare", &params))
        };
        // Curvature on the lines of the coarse squares, relative to the curvature elsewhere.
        let creases = |heights: &[f32]| {
            let bend = |i: usize, j: usize| {
                let k = i * N + j;
                f64::from(heights[k - 1] + heights[k + 1] - 2.0 * heights[k]).powi(2)
            };
            let mean = |on: &dyn Fn(usize) -> bool| {
                let places: Vec<f64> =
                    (1..N - 1).flat_map(|i| (1..N - 1).filter(|&j| on(j)).map(move |j| bend(i, j))).collect();
                places.iter().sum::<f64>() / places.len() as f64
            };
            mean(&|j| j % 64 == 0) / mean(&|j| j % 2 == 1)
        };
        let (plain, smooth) = (made("0"), made("1"));
        let slope = variogram_slope(&smooth, N);
        let (before, after) = (creases(&plain), creases(&smooth));
        println!("smoothness {hurst}: the variogram rises with {slope:.2}; creases {before:.2}, smoothed {after:.2}");
        assert!((slope - 2.0 * hurst).abs() < 0.3, "smoothness {hurst}: the variogram rises with {slope}");
        assert!((after - 1.0).abs() < (before - 1.0).abs() + 0.1, "{before} {after}");
    }
}

#[test]
fn regions_multiply_the_relief_of_their_nearest_point() {
    const N: usize = 97;
    for edges in [Edges::Open, Edges::Wrap] {
        for (regions, choice) in [("Uniform", Regions::Uniform), ("TwoValued", Regions::TwoValued)] {
            let params = [("points", "40"), ("scatter", "Random"), ("base", "0.1")];
            let plain = fill(N, edges, &node("Voronoi", &params));
            let made = fill(N, edges, &node("Voronoi", &[&params[..], &[("regions", regions)]].concat()));
            let voronoi = Voronoi { points: 40, scatter: Scatter::Random, regions: choice, ..Voronoi::default() };
            let points = voronoi.feature_points(stream());
            let factors: Vec<f32> = points.iter().map(|&p| voronoi.region(stream().fork(2), p)).collect();
            let sunk = factors.iter().filter(|&&f| f == 0.0).count();
            assert!(if regions == "TwoValued" { (8..25).contains(&sunk) } else { sunk == 0 });
            for k in 0..N * N {
                let place = |at: usize| {
                    let at = if edges == Edges::Wrap { at % (N - 1) } else { at };
                    at as f32 / (N - 1) as f32
                };
                let apart = |a: f32, b: f32| {
                    let d = (a - b).abs();
                    if edges == Edges::Wrap { d.min(1.0 - d) } else { d }
                };
                let distance = |p: &[f32; 2]| apart(place(k % N), p[0]).hypot(apart(place(k / N), p[1]));
                let mut order: Vec<usize> = (0..points.len()).collect();
                order.sort_by(|&a, &b| distance(&points[a]).total_cmp(&distance(&points[b])));
                if distance(&points[order[1]]) - distance(&points[order[0]]) > 1e-5 {
                    let expected = 0.1 + (plain[k] - 0.1) * factors[order[0]];
                    assert!((made[k] - expected).abs() < 1e-6, "{k}: {} is not {expected}", made[k]);
                }
            }
        }
    }
}

#[test]
fn warped_noise_is_the_noise_at_displaced_places() {
    const N: usize = 65;
    let random = stream().fork(0);
    let gradient_noise = |random: Stream, frequency: f64, x: f64, y: f64| {
        let shift = [random.fork(0).unit(0, 0), random.fork(0).unit(1, 0)].map(f64::from);
        let (x, y) = (x * frequency + shift[0], y * frequency + shift[1]);
        let (column, row) = (x.floor(), y.floor());
        let (x, y) = (x - column, y - row);
        let dot = |dx: i32, dy: i32| {
            let bits = random.bits(column as i32 + dx, row as i32 + dy);
            let angle = ((bits >> 56) as f64 + 0.5) * (std::f64::consts::TAU / 256.0);
            angle.cos() * (x - f64::from(dx)) + angle.sin() * (y - f64::from(dy))
        };
        let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let lerp = |t: f64, a: f64, b: f64| a + (b - a) * t;
        lerp(fade(y), lerp(fade(x), dot(0, 0), dot(1, 0)), lerp(fade(x), dot(0, 1), dot(1, 1)))
    };
    // At frequency 5 the cells are wide enough for a table; at frequency 100 they are too narrow for it.
    for frequency in [5.0, 100.0] {
        let text = frequency.to_string();
        let params = [("octaves", "1"), ("frequency", &*text), ("warp", "0.1"), ("warp_frequency", "2"), ("base", "0")];
        let made = fill(N, Edges::Open, &node("Perlin", &params));
        for (k, &h) in made.iter().enumerate() {
            let (x, y) = ((k % N) as f64 / (N - 1) as f64, (k / N) as f64 / (N - 1) as f64);
            let push = |salt: u64| -> f64 {
                let octave = |o: u32| {
                    let noise = gradient_noise(stream().fork(salt).fork(u64::from(o)), 2.0 * f64::from(1 << o), x, y);
                    0.1 * 1.2 * 0.5f64.powi(o as i32) * noise
                };
                (0..3).map(octave).sum()
            };
            let expected = gradient_noise(random, frequency, x + push(1000), y + push(1001)) / 2f64.sqrt();
            assert!((f64::from(h) - expected).abs() < 1e-4, "{frequency} {k}: {h} is not {expected}");
        }
    }
    for name in ["Perlin", "Ridged", "Billow"] {
        let made = |warp: &str, frequency: &str| {
            fill(N, Edges::Open, &node(name, &[("warp", warp), ("warp_frequency", frequency)]))
        };
        assert_eq!(made("0", "3"), made("0", "9"), "with strength 0 it has no effect");
        assert_ne!(made("0.1", "3"), made("0", "3"));
    }
}
