//! Tests droplet erosion against independent references: planes and cones with known results, the mass balance, and a
//! flow map computed by brute force.

use crate::kits::nodes::{TestScene, node, on_threads};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{Node, Run};

/// Runs `node` for `count` iterations.
fn run(place: &TestScene, node: &Node, input: &Terrain, count: u32) -> Box<dyn Run> {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = node.as_process().unwrap().start(&cx, input.clone());
    (0..count).for_each(|_| run.step(&cx).unwrap());
    run
}

fn droplets(params: &[(&str, &str)]) -> Node {
    node("Droplets", params)
}

/// A droplet must follow the steepest descent at any azimuth: on a plane where all rain falls on one spot, the centre
/// of the water is straight downslope from it.
#[test]
fn droplets_follow_the_steepest_line_of_a_plane() {
    let place = TestScene { size_metres: 1280.0, relief_metres: 100.0, ..TestScene::new(129, Edges::Open) };
    // Without sediment load the plane stays a plane.
    let node = droplets(&[
        ("inertia", "0"),
        ("lifetime", "400"),
        ("radius", "10"),
        ("sediment_capacity", "0"),
        ("droplets", "1"),
    ]);
    for degrees in [0.0f32, 22.5, 45.0, 67.5, 100.0, 180.0, 211.0, 300.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut plane = Terrain::from_fn(129, Edges::Open, |u, v| 5.0 - 2.0 * (u * cos + v * sin));
        let spot = |k: usize| ((k % 129) as f32 - 64.0).hypot((k / 129) as f32 - 64.0) < 1.6;
        plane
            .map_mut(MapKind::Rain)
            .iter_mut()
            .enumerate()
            .for_each(|(k, rain)| *rain = if spot(k) { 1.0 } else { 0.0 });
        let made = run(&place, &node, &plane, 8);
        assert!(made.terrain().height == plane.height, "the plane has changed");
        let flow = made.terrain().map(MapKind::Flow).unwrap();
        let mut farthest: f32 = 0.0;
        for (k, &water) in flow.iter().enumerate() {
            let (x, y) = ((k % 129) as f32 - 64.0, (k / 129) as f32 - 64.0);
            let (along, across) = (x * cos + y * sin, y * cos - x * sin);
            assert!(
                water == 0.0 || (across.abs() < 4.0 && along > -4.0),
                "{degrees}°: water {along} along, {across} across"
            );
            farthest = if water > 0.0 && along > farthest { along } else { farthest };
        }
        // 400 m are 40 cells.
        assert!((36.0..=44.0).contains(&farthest), "{degrees}°: {farthest} cells");
    }
}

#[test]
fn mass_is_conserved() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(129, edges);
        let ground = place.noise();
        let before = place.grid().sum(&ground.height);
        for preset in ["Natural", "Strong", "Wash"] {
            let mut node = droplets(&[]);
            let preset = node.about().preset(preset).unwrap();
            node.adopt(preset);
            let made = run(&place, &node, &ground, 60);
            let mass_balance = made.mass_balance();
            let after = place.grid().sum(&made.terrain().height);
            assert!(mass_balance.eroded > 10.0, "{mass_balance:?}");
            assert!(mass_balance.residual().abs() < 1e-6 * before, "{mass_balance:?}");
            assert!(
                (before - after - mass_balance.eroded + mass_balance.deposited).abs() < 1e-6 * before,
                "{before} {after} {mass_balance:?}"
            );
            // When droplets end, all their sediment is deposited, except for rounding.
            assert!(mass_balance.carried.abs() < 1e-6 * before, "{mass_balance:?}");
            match edges {
                Edges::Open => assert!(mass_balance.lost > 0.0),
                Edges::Wrap => {
                    assert!(mass_balance.lost == 0.0 && (before - after).abs() < 1e-6 * before, "{before} {after}")
                }
            }
        }
    }
}

#[test]
fn level_ground_keeps_its_bits() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(65, edges);
        let flat = Terrain::from_fn(65, edges, |_, _| 0.3);
        assert!(run(&place, &droplets(&[]), &flat, 20).terrain().height == flat.height);
    }
}

/// Heights stay within the original range, and no droplet leaves a sample far above or below its neighbours.
#[test]
fn droplets_leave_no_spikes_and_no_pits() {
    let place = TestScene::new(257, Edges::Open);
    let ground = place.noise();
    // Greatest height of a raised sample above all its eight neighbours, or depth of a lowered sample below them.
    let worst = |terrain: &Terrain| {
        let h = |i: usize, j: usize| terrain.height[i * 257 + j];
        let mut worst = [0.0f32; 2];
        for (i, j) in (1..256).flat_map(|i| (1..256).map(move |j| (i, j))) {
            let around = (0..9).filter(|&k| k != 4).map(|k| h(i + k / 3 - 1, j + k % 3 - 1));
            let (low, high) = around.fold((f32::MAX, f32::MIN), |(low, high), h| (low.min(h), high.max(h)));
            // Peaks and hollows that existed before do not count.
            let (h, old) = (h(i, j), ground.height[i * 257 + j]);
            worst[0] = worst[0].max((h - high).min(h - old));
            worst[1] = worst[1].max((low - h).min(old - h));
        }
        worst
    };
    for preset in ["Light", "Natural", "Strong", "Ravines", "Canyon", "Wash"] {
        let mut node = droplets(&[]);
        let preset = node.about().preset(preset).unwrap();
        node.adopt(preset);
        let made = run(&place, &node, &ground, 40);
        let ((low, high), (least, most)) = (ground.range(), made.terrain().range());
        assert!(
            least >= low - 1e-3 && most <= high + 1e-6,
            "{}: {least} to {most} out of {low} to {high}",
            preset.name
        );
        let [spike, pit] = worst(made.terrain()).map(|h| h * 1800.0);
        println!("{}: highest spike {spike:.2} m, deepest pit {pit:.2} m", preset.name);
        // Samples are 31 m apart: 6 m is a slope of 11°.
        assert!(spike < 6.0 && pit < 6.0, "{}: spike of {spike} m, pit of {pit} m", preset.name);
        for kind in [MapKind::Wear, MapKind::Deposits, MapKind::Flow, MapKind::Sediment] {
            assert!(made.terrain().map(kind).unwrap().iter().all(|&v| v >= 0.0), "{kind:?} is negative");
        }
    }
}

/// A cone loses the same height along its axes, along its diagonals and between them.
#[test]
fn a_cone_erodes_equally_in_all_directions() {
    let place = TestScene { size_metres: 4000.0, relief_metres: 1000.0, ..TestScene::new(257, Edges::Open) };
    let cone = Terrain::from_fn(257, Edges::Open, |u, v| 1.0 - (u - 0.5).hypot(v - 0.5));
    // The radius is 3.2 cells; with half the radius, axes and diagonals differ by 7 %.
    let made = run(&place, &droplets(&[("droplets", "0.2"), ("lifetime", "600"), ("radius", "50")]), &cone, 40);
    let fall: Vec<f32> = cone.height.iter().zip(&made.terrain().height).map(|(old, new)| old - new).collect();
    // The lowering is averaged in sectors of 22.5°, within a ring away from the edges.
    let mut sectors = [(0.0f64, 0u32); 16];
    for (k, &fall) in fall.iter().enumerate() {
        let (x, y) = ((k % 257) as f32 - 128.0, (k / 257) as f32 - 128.0);
        if (20.0..60.0).contains(&x.hypot(y)) {
            let sector = (y.atan2(x).to_degrees() / 22.5 + 16.5) as usize % 16;
            sectors[sector].0 += f64::from(fall);
            sectors[sector].1 += 1;
        }
    }
    let mean = |first: usize, step: usize| {
        let (sum, count) = sectors.iter().skip(first).step_by(step).fold((0.0, 0), |(s, c), x| (s + x.0, c + x.1));
        sum / f64::from(count)
    };
    let (axes, diagonals, between) = (mean(0, 4), mean(2, 4), mean(1, 2));
    println!("wear along 45°: {:.4}, along 22.5°: {:.4} of that along 0°", diagonals / axes, between / axes);
    for ratio in [diagonals / axes, between / axes] {
        assert!((ratio - 1.0).abs() < 0.05, "{axes} along axes, {diagonals} along diagonals, {between} between");
    }
}

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    for (edges, radius) in [(Edges::Open, "25"), (Edges::Wrap, "60")] {
        let place = TestScene::new(513, edges);
        let ground = place.noise();
        let node = droplets(&[("lifetime", "400"), ("radius", radius)]);
        let [one, two, three] = [1, 2, 3].map(|threads| {
            on_threads(threads, || {
                let made = run(&place, &node, &ground, 4);
                (made.terrain().clone(), made.mass_balance())
            })
        });
        assert!(one == two && one == three);
    }
}

/// ε = σ(s) / mean(s), where s is the greatest difference to the four straight neighbours (Olsen 2004).
fn erosion_score(terrain: &Terrain) -> f64 {
    let n = terrain.samples();
    let h = |i: usize, j: usize| f64::from(terrain.height[i * n + j]);
    let s: Vec<f64> = (1..n - 1)
        .flat_map(|i| (1..n - 1).map(move |j| (i, j)))
        .map(|(i, j)| {
            let around = [h(i - 1, j), h(i + 1, j), h(i, j - 1), h(i, j + 1)];
            around.into_iter().map(|other| (h(i, j) - other).abs()).fold(0.0, f64::max)
        })
        .collect();
    let mean = s.iter().sum::<f64>() / s.len() as f64;
    (s.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / s.len() as f64).sqrt() / mean
}

#[test]
fn the_erosion_score_rises() {
    let place = TestScene::new(257, Edges::Open);
    let ground = place.noise();
    let before = erosion_score(&ground);
    let after = erosion_score(run(&place, &droplets(&[]), &ground, 40).terrain());
    println!("erosion score {before:.3} → {after:.3}");
    assert!(after > 1.1 * before, "{before} → {after}");
}

/// Fraction of all water in the wettest one percent of the cells, by steepest descent from the highest cell down.
fn concentration(terrain: &Terrain) -> f64 {
    let n = terrain.samples();
    let mut order: Vec<usize> = (0..n * n).collect();
    order.sort_by(|&a, &b| terrain.height[b].total_cmp(&terrain.height[a]));
    let mut water = vec![1.0f64; n * n];
    for k in order {
        let (i, j) = (k / n, k % n);
        let mut best = (0.0f32, k);
        for (a, b) in (0..9).map(|c| (i + c / 3, j + c % 3)).filter(|&(a, b)| a > 0 && b > 0 && a <= n && b <= n) {
            let other = (a - 1) * n + b - 1;
            let distance = if a != i + 1 && b != j + 1 { std::f32::consts::SQRT_2 } else { 1.0 };
            let slope = (terrain.height[k] - terrain.height[other]) / distance;
            if slope > best.0 {
                best = (slope, other);
            }
        }
        if best.1 != k {
            water[best.1] += water[k];
        }
    }
    water.sort_by(|a, b| b.total_cmp(a));
    water[..n * n / 100].iter().sum::<f64>() / water.iter().sum::<f64>()
}

#[test]
fn water_gathers_in_channels() {
    let place = TestScene::new(257, Edges::Open);
    // A smooth slope with slight roughness and without channels.
    let mut slope = Terrain::from_fn(257, Edges::Open, |_, v| 1.0 - 0.8 * v);
    for (h, noise) in slope.height.iter_mut().zip(&place.noise().height) {
        *h += 0.01 * noise;
    }
    let node = droplets(&[("inertia", "0.05")]);
    // Fraction of the droplets' water in the wettest one percent of the cells, in ten iterations.
    let share = |flow: Vec<f32>| {
        let sum: f64 = flow.iter().map(|&f| f64::from(f)).sum();
        let mut sorted = flow;
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted[..sorted.len() / 100].iter().map(|&f| f64::from(f)).sum::<f64>() / sum
    };
    let flow = |count: u32| run(&place, &node, &slope, count).terrain().map(MapKind::Flow).unwrap().to_vec();
    let late: Vec<f32> = flow(60).iter().zip(flow(50)).map(|(all, before)| all - before).collect();
    let (first, last) = (share(flow(10)), share(late));
    let (before, after) = (concentration(&slope), concentration(run(&place, &node, &slope, 60).terrain()));
    println!("the wettest 1 % carry {before:.3} → {after:.3} of all water, {first:.3} → {last:.3} of the droplets'");
    assert!(after > 1.5 * before && last > 1.2 * first, "{before} → {after}, {first} → {last}");
}

#[test]
fn hard_rock_resists_and_dry_ground_is_left_alone() {
    let place = TestScene::new(129, Edges::Open);
    let mut ground = place.noise();
    assert!(run(&place, &droplets(&[("hardness", "1")]), &ground, 10).terrain().height == ground.height);
    ground
        .map_mut(MapKind::Hardness)
        .iter_mut()
        .enumerate()
        .for_each(|(k, h)| *h = if k % 129 < 64 { 0.8 } else { 0.0 });
    ground.map_mut(MapKind::Rain).iter_mut().enumerate().for_each(|(k, r)| *r = if k / 129 < 40 { 0.0 } else { 1.0 });
    let made = run(&place, &droplets(&[("lifetime", "300")]), &ground, 10);
    let wear = made.terrain().map(MapKind::Wear).unwrap();
    let sum = |columns: std::ops::Range<usize>| -> f32 {
        wear.iter().enumerate().filter(|(k, _)| columns.contains(&(k % 129))).map(|(_, w)| w).sum()
    };
    assert!(sum(0..64) < 0.5 * sum(65..129), "{} {}", sum(0..64), sum(65..129));
    // 300 m are 5 cells.
    assert!(made.terrain().height[..129 * 30] == ground.height[..129 * 30]);
}

/// Half and full resolution give the same landscape: the heights averaged over 500 m agree.
#[test]
fn the_landscape_does_not_depend_on_the_resolution() {
    let heights = |samples: usize| {
        let place = TestScene { scene_samples: samples, ..TestScene::new(samples, Edges::Open) };
        let ground = place.noise();
        let made = run(&place, &droplets(&[]), &ground, 40);
        // Mean change in each of 16 × 16 squares.
        let mut change = vec![0.0f64; 256];
        for (k, (new, old)) in made.terrain().height.iter().zip(&ground.height).enumerate() {
            let square = |at: usize| (at * 16 / samples).min(15);
            change[square(k / samples) * 16 + square(k % samples)] +=
                f64::from(new - old) * (256.0 / (samples * samples) as f64);
        }
        change
    };
    let (coarse, fine) = (heights(129), heights(257));
    let rms = |values: &mut dyn Iterator<Item = f64>| (values.map(|v| v * v).sum::<f64>() / 256.0).sqrt();
    let change = rms(&mut fine.iter().copied());
    let differs = rms(&mut coarse.iter().zip(&fine).map(|(a, b)| a - b));
    println!("changes of {change:.5} rms differ by {differs:.5}");
    assert!(differs < 0.4 * change, "{differs} of {change}");
}
