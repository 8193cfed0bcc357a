//! Tests the five erosions of document 000 against their equations, against each other and against the document's
//! claims.

use crate::kits::nodes::{TestScene, node, on_threads};
use talweg::field::{Control, Edges, Grid, MapKind, Terrain};
use talweg::nodes::{MassBalance, Node};

const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

/// A fractal terrain like that of figure 13: Voronoi ridges with midpoint displacement.
fn rough(place: TestScene) -> Terrain {
    place.finish(&node("VoronoiMidpoint", &[]), &Terrain::flat(place.grid()), 0)
}

/// Runs `iterations` and returns the terrain and the mass balance.
fn run(place: TestScene, node: &Node, start: &Terrain, iterations: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = node.as_process().unwrap().start(&cx, start.clone());
    (0..iterations).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

/// Greatest height difference to the four orthogonal neighbours, for every cell.
fn slopes(terrain: &Terrain) -> Vec<f64> {
    let (n, grid) = (terrain.samples(), terrain.grid);
    let at = |i: usize, j: usize| f64::from(terrain.height[i * n + j]);
    let mut slopes = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            let rows = [grid.previous(i), grid.next(i)].into_iter().flatten().map(|k| at(k, j));
            let columns = [grid.previous(j), grid.next(j)].into_iter().flatten().map(|k| at(i, k));
            slopes.push(rows.chain(columns).map(|h| (at(i, j) - h).abs()).fold(0.0, f64::max));
        }
    }
    slopes
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation of the slopes divided by their mean.
fn erosion_score(terrain: &Terrain) -> f64 {
    let slopes = slopes(terrain);
    let mean = mean(&slopes);
    let variance = slopes.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / slopes.len() as f64;
    variance.sqrt() / mean
}

fn rms(a: &Terrain, b: &Terrain) -> f64 {
    let squares = a.height.iter().zip(&b.height).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    (squares / a.height.len() as f64).sqrt()
}

/// A terrain in a naive implementation: it stores each distinct row and column once, and computes neighbours by hand.
struct Naive {
    grid: Grid,
    side: usize,
    h: Vec<f32>,
}

const STRAIGHT: [(isize, isize); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];
const DIAGONAL: [(isize, isize); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

impl Naive {
    fn new(terrain: &Terrain) -> Self {
        let (n, side) = (terrain.samples(), terrain.grid.distinct_side());
        let h = (0..side * side).map(|k| terrain.height[k / side * n + k % side]).collect();
        Self { grid: terrain.grid, side, h }
    }

    fn neighbour(&self, i: usize, j: usize, (di, dj): (isize, isize)) -> Option<usize> {
        let side = self.side as isize;
        let (mut r, mut c) = (i as isize + di, j as isize + dj);
        if self.grid.edges == Edges::Wrap {
            (r, c) = (r.rem_euclid(side), c.rem_euclid(side));
        }
        ((0..side).contains(&r) && (0..side).contains(&c)).then_some((r * side + c) as usize)
    }

    /// Cells in scan order.
    fn order(&self) -> Vec<(usize, usize)> {
        let start = |i: usize| if self.grid.edges == Edges::Wrap { 2 * i } else { 0 };
        (0..self.side).flat_map(|i| (0..self.side).map(move |j| (i, (start(i) + j) % self.side))).collect()
    }

    /// Offsets and lengths of a neighbourhood.
    fn neighbourhood(neighbours: &str) -> Vec<((isize, isize), f32)> {
        let straight = STRAIGHT.map(|step| (step, 1.0));
        let diagonal = DIAGONAL.map(|step| (step, std::f32::consts::SQRT_2));
        match neighbours {
            "VonNeumann" => straight.to_vec(),
            "Rotated" => diagonal.to_vec(),
            _ => [straight, diagonal].concat(),
        }
    }

    /// One scan of the fast thermal step, on steep or on gentle terrain.
    fn scan(&mut self, neighbours: &str, rise: f32, steep: bool) {
        for (i, j) in self.order() {
            let k = i * self.side + j;
            // The lowest neighbour that can receive material; of several equally low neighbours, the first.
            let mut best: Option<(f32, f32, usize)> = None;
            for (step, length) in Self::neighbourhood(neighbours) {
                let Some(other) = self.neighbour(i, j, step) else { continue };
                let (d, limit) = (self.h[k] - self.h[other], rise * length);
                let lower = |b: (f32, f32, usize)| self.h[other] < self.h[b.2];
                if (d > limit || !steep) && best.is_none_or(lower) {
                    best = Some((d, limit, other));
                }
            }
            if let Some((d, _, other)) = best.filter(|&(d, limit, _)| d > 0.0 && (steep || d <= limit)) {
                let left = self.h[k] - d / 2.0;
                self.h[other] += self.h[k] - left;
                self.h[k] = left;
            }
        }
    }

    fn same(&self, terrain: &Terrain) -> bool {
        let made = Self::new(terrain);
        made.h.iter().zip(&self.h).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

#[test]
fn fast_steps_equal_a_plain_scan_on_any_number_of_threads() {
    for samples in [2, 3, 4, 7, 64, 201] {
        for edges in BOTH {
            let place = TestScene::new(samples, edges);
            let start = rough(place);
            let rise = place.context(&Control::default()).rise_per_cell(25.0);
            for neighbours in ["Rotated", "VonNeumann", "Moore"] {
                for (name, angle, steep) in [("ThermalFast", "talus_angle", true), ("Olsen", "flat_angle", false)] {
                    let erosion = node(name, &[(angle, "25"), ("neighbours", neighbours)]);
                    let mut naive = Naive::new(&start);
                    (0..5).for_each(|_| naive.scan(neighbours, rise, steep));
                    for threads in [1, 2, 5] {
                        let made = on_threads(threads, || place.finish(&erosion, &start, 5));
                        assert!(naive.same(&made), "{name} {neighbours} {samples} {edges:?} on {threads}");
                    }
                }
            }
        }
    }
}

/// The fast hydraulic law on plain arrays in f64; sediment is proportional to water.
fn naive_fast_hydraulic(start: &Terrain, iterations: usize, k: f64) -> Vec<f64> {
    let naive = Naive::new(start);
    let mut h: Vec<f64> = naive.h.iter().map(|&h| f64::from(h)).collect();
    let mut w = vec![0.0; h.len()];
    for _ in 0..iterations {
        for c in 0..h.len() {
            w[c] += 0.01;
            h[c] -= k * 0.01;
        }
        for (i, j) in naive.order() {
            let c = i * naive.side + j;
            let others = STRAIGHT.iter().filter_map(|&step| naive.neighbour(i, j, step));
            let level = |c: usize| h[c] + w[c];
            let Some(lowest) = others.min_by(|&a, &b| level(a).total_cmp(&level(b))) else { continue };
            let d = level(c) - level(lowest);
            if d > 0.0 {
                let moved = w[c].min(d / 2.0);
                w[c] -= moved;
                w[lowest] += moved;
            }
        }
        for c in 0..h.len() {
            h[c] += k * w[c] * 0.5;
            w[c] *= 0.5;
        }
    }
    h
}

#[test]
fn the_fast_hydraulic_step_equals_a_plain_scan() {
    for edges in BOTH {
        let place = TestScene::new(60, edges);
        let start = rough(place);
        let erosion = node("HydraulicFast", &[("solubility", "0.02")]);
        let expected = naive_fast_hydraulic(&start, 3, 0.02);
        let one = on_threads(1, || place.finish(&erosion, &start, 3));
        assert_eq!(one, on_threads(5, || place.finish(&erosion, &start, 3)));
        let made = Naive::new(&one);
        let error = made.h.iter().zip(&expected).map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max);
        // In f64 the choice between two nearly equal neighbours may differ; it moves little material.
        assert!(error < 2e-5, "{edges:?}: {error:e}");
        let moved = made.h.iter().zip(&Naive::new(&start).h).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(moved > 2e-4, "{edges:?}: {moved:e}");
    }
}

/// The reference hydraulic law on plain arrays in f64.
fn naive_hydraulic(start: &Terrain, iterations: usize, neighbours: &str, [ks, kc]: [f64; 2]) -> Vec<f64> {
    let naive = Naive::new(start);
    let mut h: Vec<f64> = naive.h.iter().map(|&h| f64::from(h)).collect();
    let (mut w, mut m) = (vec![0.0; h.len()], vec![0.0; h.len()]);
    for _ in 0..iterations {
        for c in 0..h.len() {
            w[c] += 0.01;
            h[c] -= ks * w[c];
            m[c] += ks * w[c];
        }
        let a: Vec<f64> = h.iter().zip(&w).map(|(h, w)| h + w).collect();
        let (old_w, old_m) = (w.clone(), m.clone());
        for c in 0..h.len() {
            let steps = Naive::neighbourhood(neighbours);
            let all = steps.iter().filter_map(|&(s, _)| naive.neighbour(c / naive.side, c % naive.side, s));
            let lower: Vec<usize> = all.filter(|&o| a[o] < a[c]).collect();
            if lower.is_empty() {
                continue;
            }
            let level = (a[c] + lower.iter().map(|&o| a[o]).sum::<f64>()) / (1.0 + lower.len() as f64);
            let moved = old_w[c].min(a[c] - level);
            let falls: f64 = lower.iter().map(|&o| a[c] - a[o]).sum();
            for o in lower {
                let part = moved * (a[c] - a[o]) / falls;
                let silt = old_m[c] * part / old_w[c];
                w[c] -= part;
                w[o] += part;
                m[c] -= silt;
                m[o] += silt;
            }
        }
        for c in 0..h.len() {
            w[c] *= 0.5;
            let laid = (m[c] - kc * w[c]).max(0.0);
            m[c] -= laid;
            h[c] += laid;
        }
    }
    h
}

#[test]
fn the_reference_hydraulic_step_follows_its_law() {
    for edges in BOTH {
        let place = TestScene::new(60, edges);
        let start = rough(place);
        for neighbours in ["Moore", "VonNeumann", "Rotated"] {
            let params = [("neighbours", neighbours), ("solubility", "0.02"), ("sediment_capacity", "0.03")];
            let made = Naive::new(&place.finish(&node("Hydraulic", &params), &start, 6));
            let expected = naive_hydraulic(&start, 6, neighbours, [0.02, 0.03]);
            let error = made.h.iter().zip(&expected).map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max);
            assert!(error < 2e-6, "{edges:?} {neighbours}: {error:e}");
            let moved = made.h.iter().zip(&Naive::new(&start).h).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(moved > 2e-4, "{edges:?} {neighbours}: {moved:e}");
        }
    }
}

#[test]
fn terrain_and_sediment_are_conserved_over_1000_iterations() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        let start = rough(place);
        let before = place.grid().sum(&start.height);
        let slow = [("solubility", "0.01"), ("iterations", "1000")];
        for erosion in [
            node("Thermal", &[("rate", "0.5"), ("talus_angle", "20")]),
            node("ThermalFast", &[("talus_angle", "20")]),
            node("Olsen", &[]),
            node("Hydraulic", &slow),
            node("HydraulicFast", &slow),
        ] {
            let (end, mass_balance) = run(place, &erosion, &start, 1000);
            let name = erosion.about().name;
            let in_water = end.map(MapKind::Sediment).map_or(0.0, |m| place.grid().sum(m));
            let after = place.grid().sum(&end.height);
            let error = ((after + in_water - before) / before).abs();
            assert!(error < 1e-6, "{edges:?} {name}: {error:e}");
            assert!((mass_balance.carried - in_water).abs() < 1e-9 * before, "{edges:?} {name}: {mass_balance:?}");
            assert!(mass_balance.residual().abs() < 1e-6 * before, "{edges:?} {name}: {mass_balance:?}");
            assert!(mass_balance.eroded > 1e-3 * before, "{edges:?} {name}: {mass_balance:?}");
        }
    }
}

#[test]
fn water_is_never_negative_and_dry_terrain_keeps_its_bits() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        for name in ["Hydraulic", "HydraulicFast"] {
            let (end, _) = run(place, &node(name, &[("evaporation", "0.1")]), &rough(place), 100);
            for kind in [MapKind::Film, MapKind::Sediment, MapKind::Flow] {
                let least = end.map(kind).unwrap().iter().copied().fold(f32::INFINITY, f32::min);
                assert!(least >= 0.0, "{name} {edges:?} {kind:?}: {least:e}");
            }
            assert!(place.grid().sum(end.map(MapKind::Flow).unwrap()) > 1.0);
            let dry = node(name, &[("rain", "0")]);
            assert_eq!(run(place, &dry, &rough(place), 10).0.height, rough(place).height, "{name} {edges:?}");
        }
        for name in ["Thermal", "ThermalFast", "Hydraulic", "HydraulicFast", "Olsen"] {
            let mut erosion = node(name, &[]);
            if erosion.about().find("rain").is_some() {
                crate::kits::nodes::set(&mut erosion, "rain", "0");
            }
            for height in [0.0, -0.0, 0.3, -7.25] {
                let flat = Terrain::from_fn(33, edges, |_, _| height);
                let (end, _) = run(TestScene::new(33, edges), &erosion, &flat, 10);
                assert!(end.height.iter().all(|h| h.to_bits() == f32::to_bits(height)), "{name} {edges:?} {height}");
            }
        }
    }
}

#[test]
fn hard_rock_never_erodes_and_soft_rock_changes_no_bit() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        let start = rough(place);
        for name in ["Thermal", "ThermalFast", "Hydraulic", "HydraulicFast", "Olsen"] {
            let erosion = node(name, &[]);
            let (bare, _) = run(place, &erosion, &start, 30);
            let with_map = |hardness: f32| {
                let mut ground = start.clone();
                ground.map_mut(MapKind::Hardness).fill(hardness);
                run(place, &erosion, &ground, 30)
            };
            let difference = rms(&with_map(0.0).0, &bare);
            // The fast hydraulic form records the sediment differently if there is a hardness map.
            let allowed = if name == "HydraulicFast" { 1e-6 } else { 0.0 };
            assert!(difference <= allowed, "{name} {edges:?}: {difference:e}");
            assert_eq!(with_map(1.0).0.height, start.height, "{name} {edges:?}");
            let (_, mass_balance) = run(place, &node(name, &[("hardness", "1")]), &start, 30);
            assert_eq!(mass_balance.eroded, 0.0, "{name} {edges:?}");

            // Half of the terrain is hard: it may be buried but never eroded.
            let mut half = start.clone();
            let n = place.samples;
            half.map_mut(MapKind::Hardness).iter_mut().enumerate().for_each(|(k, hard)| {
                *hard = if (k / n / 8 + k % n / 8).is_multiple_of(2) { 1.0 } else { 0.0 };
            });
            let (end, mass_balance) = run(place, &erosion, &half, 30);
            let hard = half.map(MapKind::Hardness).unwrap();
            for (k, (now, then)) in end.height.iter().zip(&start.height).enumerate() {
                let worn = hard[k] == 1.0 && end.map(MapKind::Wear).unwrap()[k] > 3e-6;
                assert!(!worn, "{name} {edges:?}: {now} of {then} at {k}");
            }
            assert!(
                mass_balance.eroded > 0.0 && mass_balance.residual().abs() < 1e-6 * place.grid().sum(&start.height),
                "{name}"
            );
        }
    }
}

#[test]
fn rain_falls_where_the_map_says() {
    let place = TestScene::new(65, Edges::Open);
    let mut start = rough(place);
    start.map_mut(MapKind::Rain).iter_mut().enumerate().for_each(|(k, rain)| {
        *rain = if k % 65 < 32 { 2.0 } else { 0.0 };
    });
    for name in ["Hydraulic", "HydraulicFast"] {
        let (end, _) = run(place, &node(name, &[]), &start, 1);
        let fell = place.grid().sum(end.map(MapKind::Film).unwrap());
        let expected = 65.0 * 32.0 * 2.0 * 0.01 * 0.5;
        assert!((fell - expected).abs() < 1e-3 * expected, "{name}: {fell} {expected}");
        let east = (0..65).map(|i| end.map(MapKind::Film).unwrap()[i * 65 + 60]).sum::<f32>();
        assert_eq!(east, 0.0, "{name}");
    }
}

/// The document's claims about its erosions, on its own kind of terrain.
#[test]
fn the_claims_of_the_document_hold() {
    let place = TestScene { size_metres: 10_000.0, relief_metres: 10_000.0, ..TestScene::new(257, Edges::Open) };
    let start = rough(place);
    // The talus threshold is T = k/N with k = 4, on terrain whose relief equals its width.
    let angle = f64::atan(4.0).to_degrees().to_string();
    let made = |name: &str, params: &[(&str, &str)], count: u32| run(place, &node(name, params), &start, count).0;
    let score = erosion_score(&start);
    let slope = mean(&slopes(&start));
    println!("start: mean slope {slope:.6}, score {score:.3}");
    let show = |name: &str, terrain: &Terrain| {
        let (now, score) = (mean(&slopes(terrain)), erosion_score(terrain));
        println!("{name}: mean slope {:+.1} %, score {score:.3}", (now / slope - 1.0) * 100.0);
        (now, score)
    };
    for name in ["Thermal", "ThermalFast"] {
        let terrain = made(name, &[("talus_angle", "45")], 100);
        let (now, _) = show(name, &terrain);
        assert!(now < 0.9 * slope, "{name}: thermal erosion lowers the mean slope");
    }
    let params = [("solubility", "0.01")];
    let reference = made("Hydraulic", &params, 100);
    let fast = made("HydraulicFast", &params, 100);
    let olsen = made("Olsen", &[("flat_angle", &angle)], 100);
    for (name, terrain) in [("Hydraulic", &reference), ("HydraulicFast", &fast), ("Olsen", &olsen)] {
        let (_, now) = show(name, terrain);
        assert!(now > score, "{name} raises the erosion score: {score} to {now}");
    }
    let (change, difference) = (rms(&reference, &start), rms(&reference, &fast));
    println!("hydraulic: change {change:.2e} rms, fast form {difference:.2e} rms from the reference");
    assert!(difference < change, "the two forms are nearer to each other than to the start: {difference} {change}");
}

/// The terrain mirrored from north to south, or from east to west.
fn mirrored(terrain: &Terrain, rows: bool) -> Terrain {
    let n = terrain.samples();
    let mut out = terrain.clone();
    for (k, h) in out.height.iter_mut().enumerate() {
        let (i, j) = (k / n, k % n);
        *h = terrain.height[if rows { (n - 1 - i) * n + j } else { i * n + n - 1 - j }];
    }
    out
}

/// Slopes of a cone's flank along 0°, 22.5° and 45°: height as a fraction of the relief, over distance as a fraction of
/// the side.
fn flanks(terrain: &Terrain, from: f64, to: f64) -> [f64; 3] {
    [0.0f64, 22.5, 45.0].map(|degrees| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        // The mean of the four quarters hides the bias of the scan, so that only the effect of the neighbourhood shows.
        let height = |r: f64| -> f64 {
            let quarters = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
            quarters
                .map(|(a, b)| f64::from(terrain.height_at((0.5 + a * r * cos) as f32, (0.5 + b * r * sin) as f32)))
                .iter()
                .sum::<f64>()
                / 4.0
        };
        (height(from) - height(to)) / (to - from)
    })
}

/// The numbers in the module docs: how much the directions of a round cone differ, and how much a mirrored terrain
/// differs.
#[test]
fn each_form_has_the_bias_in_its_docs() {
    let place = TestScene { size_metres: 1000.0, relief_metres: 1000.0, ..TestScene::new(129, Edges::Open) };
    let cone = Terrain::from_fn(129, Edges::Open, |u, v| {
        let (x, y) = (u - 0.5, v - 0.5);
        (0.9 - 2.4 * (x * x + y * y).sqrt()).max(0.0)
    });
    // Each case: name, neighbourhood, minimum and maximum ratio of the slopes along 45° and 0°, maximum change by
    // mirroring.
    let cases = [
        ("Thermal", "Moore", 0.95, 1.05, 0.01),
        ("Thermal", "VonNeumann", 1.25, 1.4, 0.01),
        ("Thermal", "Rotated", 0.7, 0.8, 0.01),
        ("ThermalFast", "Rotated", 0.75, 0.85, 0.15),
        ("ThermalFast", "VonNeumann", 1.3, 1.45, 0.25),
        ("ThermalFast", "Moore", 0.8, 0.9, 0.25),
        ("Hydraulic", "Moore", 0.99, 1.01, 0.05),
        ("HydraulicFast", "", 0.98, 1.02, 0.9),
        ("Olsen", "VonNeumann", 0.97, 1.05, 0.6),
        ("Olsen", "Rotated", 0.8, 0.92, 0.5),
    ];
    for (name, neighbours, least, most, mirror) in cases {
        let (angle, count) = match name {
            "Thermal" => (Some(("talus_angle", "45")), 4000),
            "ThermalFast" => (Some(("talus_angle", "45")), 500),
            "Olsen" => (Some(("flat_angle", "80")), 50),
            _ => (None, 50),
        };
        let around = Some(("neighbours", neighbours)).filter(|_| !neighbours.is_empty());
        let erosion = node(name, &angle.into_iter().chain(around).collect::<Vec<_>>());
        let (end, _) = run(place, &erosion, &cone, count);
        let change = rms(&end, &cone);
        let mirrors = [true, false]
            .map(|rows| rms(&mirrored(&run(place, &erosion, &mirrored(&cone, rows), count).0, rows), &end) / change);
        let flank = flanks(&end, 0.12, 0.26);
        println!(
            "{name} {neighbours}: slopes {flank:.3?}, mirrored rows and columns {mirrors:.4?} of the change {change:.1e}"
        );
        let ratio = flank[2] / flank[0];
        assert!((least..=most).contains(&ratio), "{name} {neighbours}: {ratio} of {flank:?}");
        assert!(mirrors.iter().all(|&m| m <= mirror), "{name} {neighbours}: {mirrors:?}");
    }
}
