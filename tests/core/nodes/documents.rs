//! Formulas of the source documents, tested with the numbers in the documents.

use crate::kits::measure::{assert_near, measures_of, rough, value};
use crate::kits::nodes::{TestScene, node};
use talweg::appearance_files::{Palette, PaletteColours};
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, Terrain};
use talweg::scene::Scene;

/// Document 001: the midpoint of a side is the mean of its two ends plus a random height of at most A. The centre is
/// the mean of the four corners plus such a random height. A is halved at each level.
#[test]
fn midpoints_stay_within_the_limits_of_the_document() {
    let place = TestScene::new(65, Edges::Open);
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

/// Document 000, §1.1.1: the displacement is a random real number from 0 to 1, multiplied by the limit. No centre of a
/// square is therefore below the mean of its corners.
#[test]
fn upward_displacements_match_document_000() {
    let place = TestScene::new(65, Edges::Open);
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
    // Both variants use the same random numbers, mapped to different intervals.
    assert!(signed.iter().zip(&upwards).all(|(s, u)| (0.5 * (s + 1.0) - u).abs() < 1e-4));
}

#[test]
fn document_stamps_go_down_to_two_samples() {
    let cost = |place: &TestScene, params: &[(&str, &str)]| {
        place.finish(&node("Stamp", params), &Terrain::flat(place.grid()), 0)
    };
    let place = TestScene::new(129, Edges::Wrap);
    // For 129 samples, 129 >> 6 = 2, so there are seven levels, 0 to 6.
    let by_samples = cost(&place, &[("depth", "Samples")]);
    assert_eq!(by_samples.hash(), cost(&place, &[("depth", "Samples"), ("levels_shown", "7")]).hash());
    assert_ne!(by_samples.hash(), cost(&place, &[("depth", "Samples"), ("levels_shown", "6")]).hash());
    // A preview has as many levels as its scene.
    let preview = TestScene { scene_samples: 129, ..TestScene::new(65, Edges::Wrap) };
    let coarse = cost(&preview, &[("depth", "Samples")]);
    assert!((0..65 * 65).all(|k| coarse.height[k] == by_samples.height[k / 65 * 2 * 129 + k % 65 * 2]));
}

/// Document 000, §3.3.1: the talus threshold is T = k/N for every Moore neighbour on N samples per side. The moved
/// height m = c·(d_max - T) is distributed in proportion to d_n/d_total, where d_n is the drop to neighbour n.
#[test]
fn the_documents_threshold_is_the_same_for_all_neighbours() {
    let place = TestScene::new(5, Edges::Open);
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
        TestScene { size_metres: 1000.0, relief_metres: 250.0, ..place }.finish(&node(name, &params), &spike, 1)
    };
    // On 5 samples per side the threshold T is 0.2. The spike is 0.25 high, so 0.05 of its drop exceeds T.
    let document = made("Document", "Thermal");
    let moved = 0.5 * (0.25 - 0.2);
    assert!((document.height[12] - (0.25 - moved)).abs() < 1e-6, "{}", document.height[12]);
    for k in [6, 7, 8, 11, 13, 16, 17, 18] {
        assert!((document.height[k] - moved / 8.0).abs() < 1e-7, "{k}: {}", document.height[k]);
    }
    // With the talus angle whose drop over one cell is 0.2, a diagonal neighbour receives nothing, because it is
    // farther away.
    let angle = made("Angle", "Thermal");
    assert!(angle.height[6] == 0.0 && angle.height[7] > 0.0, "{:?}", &angle.height[6..8]);
    // The fast form moves half of the drop if the drop exceeds T, also to a diagonal neighbour.
    let fast = made("Document", "ThermalFast");
    assert!((fast.height[12] - 0.125).abs() < 1e-6, "{:?}", fast.height);
}

/// Document 000, §3.3.3: the slopes are the differences of all pairs of neighbours.
#[test]
fn the_all_pairs_score_counts_every_difference_once() {
    for edges in [Edges::Open, Edges::Wrap] {
        let terrain = rough(18, edges, 2, 1000.0);
        let grid = terrain.grid;
        let mut all = Vec::new();
        for i in 0..grid.distinct_side() {
            for j in 0..grid.distinct_side() {
                let h = |row: usize, column: usize| f64::from(terrain.height[row * 18 + column]);
                all.extend(grid.next(i).map(|below| (h(i, j) - h(below, j)).abs()));
                all.extend(grid.next(j).map(|right| (h(i, j) - h(i, right)).abs()));
            }
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let deviation = (all.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt();
        let measures = measures_of(&terrain);
        assert_near(value(&measures, "pair_score").unwrap(), deviation / mean, 1e-6, "score");
        // σ as the text words it: the mean of the deviations from the mean.
        let worded = all.iter().map(|d| (d - mean).abs()).sum::<f64>() / all.len() as f64;
        assert_near(value(&measures, "worded_score").unwrap(), worded / mean, 1e-6, "score as worded");
    }
}

/// Document 000, §3.3.2, and Olsen 2004: hydraulic erosion raises the erosion score. After 100 iterations the fast form
/// has a higher score than the reference, and it gains most in the first 25. The terrain is the one given in the
/// document.
#[test]
fn fast_hydraulic_erosion_has_the_higher_score() {
    let scene = |name: &str, iterations: u32| {
        let path = format!("{}/saves/{name}.ron", env!("CARGO_MANIFEST_DIR"));
        let (mut scene, _) = Scene::load(std::path::Path::new(&path)).unwrap();
        scene.set(&format!("3.iterations={iterations}")).unwrap();
        let made = evaluate(&scene, 257, None, &mut Store::forgetful(), &Control::default()).unwrap();
        value(&measures_of(&made.terrain), "erosion_score").unwrap()
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
    // Over thousands of iterations, sediment fills the valleys to level steps.
    assert_near(scene("paper-000-fig-18-hydraulic-fast", 1000), 1.50, 0.02, "after 1000 iterations");
}

/// Heights of the generator `name` with these parameters, on a grid of `samples` per side.
fn made(samples: usize, edges: Edges, seed: u32, name: &str, params: &[(&str, &str)]) -> Vec<f32> {
    let place = TestScene { seed, ..TestScene::new(samples, edges) };
    place.finish(&node(name, params), &Terrain::flat(place.grid()), 0).height
}

/// The last step of Olsen's 2004 program replaces each sample by the mean of the 3 × 3 samples around it. This step
/// removes the finest roughness and so changes the erosion score. Smoothing at each level left the score unchanged.
#[test]
fn finished_terrain_is_smoothed_as_in_olsens_program() {
    for edges in [Edges::Open, Edges::Wrap] {
        const N: usize = 65;
        let squares = |smoothing: &str, smoothed: &str| {
            let params = [("smoothness", "0.5"), ("smoothing", smoothing), ("smoothed", smoothed)];
            made(N, edges, 3, "DiamondSquare", &params)
        };
        let (plain, finished, levels) = (squares("0", "Finished"), squares("1", "Finished"), squares("1", "Levels"));
        let half = squares("0.5", "Finished");
        for k in 0..N * N {
            let near = |at: usize| -> Vec<usize> {
                let beside = [at as i64 - 1, at as i64, at as i64 + 1].into_iter();
                match edges {
                    Edges::Open => beside.filter(|k| (0..N as i64).contains(k)).map(|k| k as usize).collect(),
                    Edges::Wrap => beside.map(|k| k.rem_euclid(N as i64 - 1) as usize).collect(),
                }
            };
            let (rows, columns) = (near(k / N), near(k % N));
            let plain = &plain;
            let around = rows.iter().flat_map(|i| columns.iter().map(move |j| f64::from(plain[i * N + j])));
            let mean = around.sum::<f64>() / (rows.len() * columns.len()) as f64;
            assert!((f64::from(finished[k]) - mean).abs() < 1e-6, "{edges:?} {k}: {} is not {mean}", finished[k]);
            assert!((half[k] - 0.5 * (plain[k] + finished[k])).abs() < 1e-6);
        }
        let slopes = |heights: &[f32]| {
            let mut terrain = Terrain::flat(TestScene::new(N, edges).grid());
            terrain.height.copy_from_slice(heights);
            talweg::measure::slopes(&terrain)
        };
        let [plain, finished, levels] = [&plain, &finished, &levels].map(|heights| slopes(heights));
        println!(
            "{edges:?}: score {:.3}, finished ground smoothed {:.3}, levels smoothed {:.3}; mean slope {:.4} {:.4} {:.4}",
            plain.erosion_score(),
            finished.erosion_score(),
            levels.erosion_score(),
            plain.mean,
            finished.mean,
            levels.mean
        );
        assert!(finished.mean < 0.6 * plain.mean, "{finished:?} {plain:?}");
        let off = |one: f64| (one - plain.erosion_score()).abs();
        assert!(off(finished.erosion_score()) > off(levels.erosion_score()), "{plain:?} {finished:?} {levels:?}");
    }
}

/// Document 000, figures 1 and 3: with fewer levels the same points have the same heights. Squares and triangles fill
/// the space between them.
#[test]
fn shown_levels_equal_the_whole_and_the_rest_is_interpolated() {
    const N: usize = 65;
    for edges in [Edges::Open, Edges::Wrap] {
        for name in ["DiamondSquare", "Triangular"] {
            let whole = made(N, edges, 5, name, &[]);
            for shown in 0..=7usize {
                let step = 64usize >> shown.min(6);
                let few = made(N, edges, 5, name, &[("levels_shown", &shown.to_string())]);
                for (k, shown_height) in few.iter().enumerate() {
                    let (i, j) = (k / N, k % N);
                    let (top, left) = ((i / step * step).min(64 - step), (j / step * step).min(64 - step));
                    let (south, east) = ((i - top) as f32 / step as f32, (j - left) as f32 / step as f32);
                    let h = |down: usize, right: usize| whole[(top + down * step) * N + left + right * step];
                    let (a, b, c, d) = (h(0, 0), h(0, 1), h(1, 0), h(1, 1));
                    let between = match name {
                        "Triangular" if east > south => a + (b - a) * east + (d - b) * south,
                        "Triangular" => a + (c - a) * south + (d - c) * east,
                        _ => (a * (1.0 - east) + b * east) * (1.0 - south) + (c * (1.0 - east) + d * east) * south,
                    };
                    assert!(
                        (shown_height - between).abs() < 1e-6,
                        "{name} {edges:?} {shown} {k}: {shown_height} {between}"
                    );
                }
            }
        }
    }
    // Figure 3 is one triangle. A river of figure 9 has the channels of the shown level.
    let triangle =
        |shown: &str| made(N, Edges::Open, 5, "Triangular", &[("layout", "Triangle"), ("levels_shown", shown)]);
    let (first, all) = (triangle("1"), triangle("14"));
    assert!(first[32] == all[32] && first[64 * N] == all[64 * N] && first[64 * N + 32] == all[64 * N + 32]);
    assert!((first[64 * N + 16] - 0.5 * (first[64 * N] + first[64 * N + 32])).abs() < 1e-6 && first != all);
    let river = |samples: usize, shown: &str| {
        made(samples, Edges::Open, 4, "SquigRiver", &[("banks", "AsInPaper"), ("levels_shown", shown)])
    };
    let (small, shown) = (river(9, "14"), river(N, "3"));
    assert!((0..81).all(|k| small[k] == shown[k / 9 * 8 * N + k % 9 * 8]));
}

/// The mean distance from any position to the nearest of randomly scattered points is 1/(2√density) (Clark & Evans
/// 1954). At an edge without points beyond, it is √2 times as large.
#[test]
fn a_continued_voronoi_rim_looks_like_the_inside() {
    const N: usize = 65;
    // Lattice cells are 8 samples wide, so samples on the rim are on a cell border. They are compared with inner
    // samples on cell borders.
    let distance = |rim: &str, scatter: &str| {
        let is_lattice = scatter == "Lattice";
        let params = [
            ("points", if is_lattice { "64" } else { "100" }),
            ("scatter", scatter),
            ("rim", rim),
            ("c1", "1"),
            ("c2", "0"),
            ("amplitude", "1"),
            ("base", "0"),
        ];
        let (mut on_rim, mut inside) = (Vec::new(), Vec::new());
        for seed in 0..40 {
            for (k, h) in made(N, Edges::Open, seed, "Voronoi", &params).into_iter().enumerate() {
                let from_edge = [k / N, k % N].map(|at| at.min(N - 1 - at)).into_iter().min().unwrap();
                let counts = !is_lattice || (k / N).is_multiple_of(8) || (k % N).is_multiple_of(8);
                if from_edge == 0 {
                    on_rim.push(f64::from(h));
                } else if from_edge > 12 && counts {
                    inside.push(f64::from(h));
                }
            }
        }
        [on_rim, inside].map(|all| all.iter().sum::<f64>() / all.len() as f64)
    };
    let [ends, within] = distance("Ends", "Random");
    let [goes_on, still_within] = distance("GoesOn", "Random");
    println!(
        "nearest point by chance: {within:.3} inside, {ends:.3} on a rim that ends, {goes_on:.3} on one that goes on"
    );
    assert_near(within, 0.5, 0.02, "inside");
    assert_near(still_within, within, 1e-9, "inside, if the points continue beyond the rim");
    assert!(ends > 0.5 * 1.3, "{ends}");
    assert_near(goes_on, 0.5, 0.02, "rim");
    let [goes_on, within] = distance("GoesOn", "Lattice");
    assert_near(goes_on, within, 0.02, "lattice");
    assert!(distance("Ends", "Lattice")[0] > 1.1 * within);
}

/// Document 000, §1.2: the height is h = c₁·d₁ + c₂·d₂ + … + cₙ·dₙ with any number n of weights. This test goes up to
/// the eighth.
#[test]
fn every_nearest_point_has_its_weight() {
    let params = |c: &str| -> Vec<(String, String)> {
        let mut all = vec![("points".to_string(), "30".to_string()), ("metric".into(), "Squared".into())];
        all.extend((1..=8).map(|n| (format!("c{n}"), if format!("c{n}") == c { "1".into() } else { "0".to_string() })));
        all
    };
    let alone = |c: &str| {
        let params = params(c);
        let params: Vec<(&str, &str)> = params.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        made(33, Edges::Open, 2, "Voronoi", &[&params[..], &[("amplitude", "1"), ("base", "0")]].concat())
    };
    let each: Vec<Vec<f32>> = (1..=8).map(|n| alone(&format!("c{n}"))).collect();
    // Each distance is at least as large as the previous one.
    assert!(each.windows(2).all(|pair| pair[0].iter().zip(&pair[1]).all(|(near, far)| near <= far)));
    let weights = [-1.0f32, 0.5, 0.25, -0.75, 2.0, -0.5, 1.5, -1.25];
    let texts: Vec<(String, String)> = (1..=8).map(|n| (format!("c{n}"), weights[n - 1].to_string())).collect();
    let mut all: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    all.extend([("points", "30"), ("metric", "Squared"), ("amplitude", "1"), ("base", "0")]);
    for (k, h) in made(33, Edges::Open, 2, "Voronoi", &all).into_iter().enumerate() {
        let sum: f32 = (0..8).map(|n| weights[n] * each[n][k]).sum();
        assert!((h - sum).abs() < 1e-4 * (1.0 + sum.abs()), "{k}: {h} is not {sum}");
    }
}

/// Document 002, several stamps: each stamp of a mixture has one of the shapes, chosen in proportion to its weight. A
/// level of raised cones of height A has the mean height A·π/12, a level of bells A·π/14.
#[test]
fn a_mixed_stamp_is_a_cone_a_bell_or_an_image() {
    let one = |seed: u32, profile: &str, weights: [&str; 3]| {
        let params = [
            ("profile", profile),
            ("levels_shown", "1"),
            ("cones", weights[0]),
            ("bells", weights[1]),
            ("images", weights[2]),
        ];
        made(33, Edges::Wrap, seed, "Stamp", &params)
    };
    let (mut counts, mut seldom) = ([0; 3], 0);
    for seed in 0..300 {
        let forms = ["Cone", "Bell", "Pictures"].map(|profile| one(seed, profile, ["1", "1", "1"]));
        let which = |made: Vec<f32>| {
            forms.iter().position(|form| *form == made).expect("it is neither a cone, a bell nor an image")
        };
        counts[which(one(seed, "Mixed", ["1", "1", "1"]))] += 1;
        seldom += usize::from(which(one(seed, "Mixed", ["0.1", "0", "0.9"])) == 0);
        assert_eq!(which(one(seed, "Mixed", ["0", "0.3", "0"])), 1);
    }
    println!("of 300 stamps {counts:?} are cones, bells and images; {seldom} cones with a weight of 0.1");
    // The tolerances are three standard deviations, which are 8.2 and 5.2 stamps.
    assert!(
        counts.iter().all(|count| (75..=125).contains(count)) && (14..=46).contains(&seldom),
        "{counts:?} {seldom}"
    );
    assert!(one(1, "Mixed", ["0", "0", "0"]).iter().all(|h| *h == 0.5), "nothing is stamped");
    for (profile, mean) in [("Cone", std::f64::consts::PI / 12.0), ("Bell", std::f64::consts::PI / 14.0)] {
        let level = |shown: &str| {
            let params =
                [("profile", profile), ("levels_shown", shown), ("sunk", "0"), ("falloff", "1"), ("amplitude", "1")];
            let heights = made(257, Edges::Wrap, 1, "Stamp", &params);
            let distinct = (0..256 * 256).map(|k| f64::from(heights[k / 256 * 257 + k % 256]));
            distinct.sum::<f64>() / 65536.0
        };
        for (shown, before, height) in [("3", "2", 0.25), ("5", "4", 0.0625)] {
            assert_near((level(shown) - level(before)) / height, mean, 0.004, profile);
        }
    }
}

/// Figures 7, 15 and 16 of document 000. Their flanks are planes, because the difference of two squared distances is
/// linear. A flank that faces away from the sun would be one uniform dark area, so every flank must be sunlit. (The
/// rubble of figure 13, before erosion, has steps in shadow.)
#[test]
fn every_flank_of_the_voronoi_figures_is_sunlit() {
    for (name, dark) in [("07-voronoi", 0.1), ("15-thermal", 0.05), ("16-thermal-fast", 0.05)] {
        let path = format!("{}/saves/paper-000-fig-{name}.ron", env!("CARGO_MANIFEST_DIR"));
        let (mut scene, _) = Scene::load(std::path::Path::new(&path)).unwrap();
        let made = evaluate(&scene, 257, None, &mut Store::forgetful(), &Control::default()).unwrap();
        let height = &made.terrain.height;
        let mut turned_away = |elevation: f32| {
            scene.settings.sun_elevation = elevation;
            let ([east, up, south], slope) =
                (scene.settings.sun_direction(), 128.0 * scene.settings.relief_over_size());
            let faces = |i: usize, j: usize| {
                let k = i * 257 + j;
                let (gx, gy) = (height[k + 1] - height[k - 1], height[k + 257] - height[k - 257]);
                up - (gx * east + gy * south) * slope
            };
            let inside = (1..256).flat_map(|i| (1..256).map(move |j| (i, j)));
            inside.filter(|&(i, j)| faces(i, j) <= 0.0).count() as f64 / (255.0 * 255.0)
        };
        let own = turned_away(Scene::load(std::path::Path::new(&path)).unwrap().0.settings.sun_elevation);
        let usual = turned_away(40.0);
        println!("figure {name}: {usual:.4} turned away from a sun at 40 degrees, {own:.4} from its own");
        assert!(own < 1e-3 && usual > dark, "{name}: {own} {usual}");
    }
}

/// Document 001: with the fractions λ = x - ⌊x⌋ and μ = y - ⌊y⌋, the noise in a cell is the mean of its four corners
/// weighted by λ and μ. It is linear along rows and columns and bends only at cell borders. This is the "problem" that
/// the smooth λ solves.
#[test]
fn a_linear_cell_is_the_weighted_mean_of_its_corners() {
    // A noise cell has eight samples; the offset of the cells is arbitrary.
    const N: usize = 33;
    const CELL: usize = 8;
    let bent = |fade: &str, along: usize, across: usize| -> Vec<usize> {
        let params = [("fade", fade), ("octaves", "1"), ("frequency", "4")];
        let heights = made(N, Edges::Open, 9, "ValueNoise", &params);
        let value = |k: usize, line: usize| heights[k * along + line * across];
        let bend = |k: usize, line: usize| (value(k - 1, line) - 2.0 * value(k, line) + value(k + 1, line)).abs();
        (1..N - 1).filter(|&k| (0..N).any(|line| bend(k, line) > 1e-5)).collect()
    };
    for (along, across) in [(1, N), (N, 1)] {
        let straight = bent("Linear", along, across);
        // Each bend is at a sample or between two samples.
        let places: std::collections::BTreeSet<usize> = straight.iter().map(|k| k % CELL).collect();
        assert!(!straight.is_empty() && places.len() <= 2, "{straight:?}");
        assert!(bent("Improved", along, across).len() > 24, "the smooth noise bends everywhere");
    }
}

/// Document 001: a palette of N colours, with N = 15 or 25, shows N bands of uniform colour.
#[test]
fn banded_palettes_have_the_colour_counts_of_the_document() {
    for bands in [15, 25] {
        let palette = Palette::named(&format!("document-001-bands-{bands}")).expect("shipped");
        let PaletteColours::Relief(stops) = &palette.colours else { panic!("{palette:?}") };
        let levels: Vec<[u8; 3]> = stops.chunks(2).map(|ends| ends[0].1).collect();
        assert!(stops.chunks(2).all(|ends| ends[0].1 == ends[1].1), "a level has one colour");
        assert!(levels.windows(2).all(|pair| pair[0] != pair[1]), "{levels:?}");
        assert_eq!(levels.len(), bands);
    }
}

/// Strength of creases along the sides of coarse squares: the mean curvature across these sides, divided by the mean
/// curvature across lines of the finest samples that are not sides of coarser squares. Terrain without creases has the
/// ratio 1. The second difference at a side of level l is a sum of two displacements of every later level. If the
/// maximum displacement A is halved per level, these displacements have the same size. The second difference grows
/// with the square root of their number, and correlations between squares reduce it.
fn crease_ratio(heights: &[f32], n: usize, square: usize) -> f64 {
    let bend = |a: f32, b: f32, c: f32| f64::from((a + c - 2.0 * b).abs());
    let (mut on, mut last) = ((0.0, 0.0), (0.0, 0.0));
    for i in 1..n - 1 {
        for j in (1..n - 1).filter(|j| j % square == 0 || j % 2 == 1) {
            let across = [(i * n + j, 1), (j * n + i, n)];
            let sum = if j % square == 0 { &mut on } else { &mut last };
            for (k, step) in across {
                *sum = (sum.0 + bend(heights[k - step], heights[k], heights[k + step]), sum.1 + 1.0);
            }
        }
    }
    (on.0 / on.1) / (last.0 / last.1)
}

/// Document 001's own midpoint displacement leaves visible blocks: its crease ratio is 1.91, and that of diamond-square
/// is 1.43. The source of these numbers gives no definition. Our definition gives both numbers on a 257² terrain
/// with squares 32 samples wide.
#[test]
fn lecture_midpoints_crease_more_than_diamond_square() {
    const N: usize = 257;
    let ratio = |sides: &str, schedule: &str| {
        let params = [
            ("smoothness", "1"),
            ("schedule", schedule),
            ("sides", sides),
            ("corners", "0"),
            ("corner_spread", "0.5"),
            ("centre_lift", "0"),
        ];
        let of_seed = |seed: u32| crease_ratio(&made(N, Edges::Open, seed, "DiamondSquare", &params), N, 32);
        (1..=8).map(of_seed).sum::<f64>() / 8.0
    };
    let (corners, diamond) = (ratio("Corners", "Halving"), ratio("Diamond", "Halving"));
    println!("crease ratio: {corners:.3} with the two ends, {diamond:.3} with ends and centres");
    assert!((corners - 1.91).abs() < 0.08, "the document's is 1.91, not {corners}");
    assert!((diamond - 1.43).abs() < 0.08, "diamond-square's was 1.43, not {diamond}");
    // White noise has no creases.
    let random = talweg::field::Stream::new(5, 3);
    let noise: Vec<f32> = (0..N * N).map(|k| random.unit(k as i32, 0)).collect();
    assert!((crease_ratio(&noise, N, 64) - 1.0).abs() < 0.05);
}
