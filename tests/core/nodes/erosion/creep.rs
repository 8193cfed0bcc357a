//! Tests hillslope creep: it follows the Gaussian solution, conserves volume, spares hard rock, and has no preferred
//! direction or position.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{MassBalance, Node};

fn creep(params: &[(&str, &str)]) -> Node {
    node("Creep", params)
}

fn run(place: &TestScene, node: &Node, input: &Terrain, iterations: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = node.as_process().unwrap().start(&cx, input.clone());
    (0..iterations).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

/// A Gaussian hill of `height` with `sigma` metres around the middle.
fn hill(place: &TestScene, height: f64, sigma: f64) -> Terrain {
    let side = f64::from(place.size_metres);
    Terrain::from_fn(place.samples, place.edges, |u, v| {
        let [x, y] = [u, v].map(|t| (f64::from(t) - 0.5) * side);
        (height * libm::exp(-(x * x + y * y) / (2.0 * sigma * sigma))) as f32
    })
}

fn rms(a: &[f32], b: &[f32]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

/// ∂h/∂t = κ∇²h turns a Gaussian of variance σ² into one of variance σ² + 2κt with the same volume.
#[test]
fn a_gaussian_hill_follows_the_solution_of_the_heat_equation() {
    // All cases have the same physical time, in short iterations or in long ones with many substeps.
    for (samples, time_step, iterations) in [(129, "10000", 50), (257, "10000", 50), (257, "125000", 4)] {
        let place = TestScene::new(samples, Edges::Open);
        let node = creep(&[("diffusivity", "0.02"), ("time_step", time_step)]);
        let (made, _) = run(&place, &node, &hill(&place, 0.5, 300.0), iterations);
        let sigma = (300.0f64 * 300.0 + 2.0 * 0.02 * 500_000.0).sqrt();
        let exact = hill(&place, 0.5 * 300.0 * 300.0 / (sigma * sigma), sigma);
        let error = made.height.iter().zip(&exact.height).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        println!("{samples} {time_step}: {error}");
        let start = hill(&place, 0.5, 300.0);
        let change = start.height.iter().zip(&exact.height).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error < 0.02 * change, "{error} of {change}");
    }
}

#[test]
fn the_volume_is_conserved_without_overshoot() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(100, edges);
        let start = place.noise();
        for (time_step, hard) in [("1", false), ("5000", true), ("1000000", true)] {
            let mut start = start.clone();
            if hard {
                start.map_mut(MapKind::Hardness).iter_mut().enumerate().for_each(|(k, h)| *h = (k % 7) as f32 / 6.0);
            }
            let (made, mass_balance) = run(&place, &creep(&[("time_step", time_step)]), &start, 1000);
            let [before, after] = [&start, &made].map(|t| place.grid().sum(&t.height));
            assert!((after - before).abs() < 1e-6 * before, "{edges:?} {time_step}: {before} {after}");
            assert!(mass_balance.residual().abs() < 1e-6 * before && mass_balance.eroded > 0.0, "{mass_balance:?}");
            let (low, high) = start.range();
            assert!(made.height.iter().all(|h| (low..=high).contains(h)));
        }
    }
}

/// Slow creep changes heights by less than their last digit per iteration, and still adds up.
#[test]
fn many_short_iterations_are_one_long_one() {
    let place = TestScene::new(65, Edges::Wrap);
    let start = place.noise();
    let (short, _) = run(&place, &creep(&[("time_step", "1")]), &start, 2000);
    let (long, _) = run(&place, &creep(&[("time_step", "2000")]), &start, 1);
    let (apart, moved) = (rms(&short.height, &long.height), rms(&start.height, &long.height));
    // The single precision of the two results alone causes a difference of 2e-3 of the height change.
    assert!(apart < 5e-3 * moved, "{apart} of {moved}");
}

#[test]
fn level_ground_and_the_hardest_rock_keep_their_bits() {
    let place = TestScene::new(65, Edges::Open);
    for level in [0.0f32, -0.0, 0.7] {
        let flat = Terrain::from_fn(65, Edges::Open, |_, _| level);
        let (made, mass_balance) = run(&place, &creep(&[]), &flat, 3);
        assert!(made.height.iter().all(|h| h.to_bits() == level.to_bits()) && mass_balance == MassBalance::default());
    }
    let noise = place.noise();
    assert!(run(&place, &creep(&[("hardness", "1")]), &noise, 3).0.height == noise.height);
    // Hard rock in the middle produces no soil, and is buried where its surroundings are higher.
    let mut bowl = Terrain::from_fn(65, Edges::Open, |u, v| (u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5));
    bowl.map_mut(MapKind::Hardness)[32 * 65 + 32] = 1.0;
    let (made, _) = run(&place, &creep(&[]), &bowl, 20);
    assert!(made.height[32 * 65 + 32] > 0.0);
    let mut dome = Terrain::from_fn(65, Edges::Open, |u, v| 1.0 - (u - 0.5) * (u - 0.5) - (v - 0.5) * (v - 0.5));
    dome.map_mut(MapKind::Hardness)[32 * 65 + 32] = 1.0;
    let (made, _) = run(&place, &creep(&[]), &dome, 20);
    assert_eq!(made.height[32 * 65 + 32], 1.0);
    assert!(made.height[32 * 65 + 33] < dome.height[32 * 65 + 33]);
}

/// A cone loses the same height near its top along 0°, 22.5° and 45°.
#[test]
fn a_cone_erodes_equally_in_all_directions() {
    let place = TestScene::new(257, Edges::Open);
    let cone = Terrain::from_fn(257, Edges::Open, |u, v| {
        let r = ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5)).sqrt();
        if r < 0.3 { 1.0 - r / 0.3 } else { 0.0 }
    });
    let (made, _) = run(&place, &creep(&[("diffusivity", "0.03")]), &cone, 100);
    let along = [0.0f64, 22.5, 45.0].map(|degrees| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let at = |r: f64| [0.5 + r * cos, 0.5 + r * sin].map(|t| t as f32);
        // The foot, where soil accumulates.
        (0..40)
            .map(|k| 0.28 + 0.001 * f64::from(k))
            .map(|r| {
                let [u, v] = at(r);
                f64::from(made.height_at(u, v) - cone.height_at(u, v))
            })
            .sum::<f64>()
    });
    let mean = along.iter().sum::<f64>() / 3.0;
    println!("{along:?}");
    assert!(mean > 0.0 && along.iter().all(|a| (a / mean - 1.0).abs() < 0.01), "{along:?}");
}

#[test]
fn wrapping_terrain_has_no_preferred_position() {
    let place = TestScene::new(65, Edges::Wrap);
    let rolled = |t: &Terrain| {
        let mut out = t.clone();
        for k in 0..65 * 65 {
            out.height[k] = t.height[(k / 65 + 32) % 64 * 65 + (k % 65 + 32) % 64];
        }
        out
    };
    let start = place.noise();
    let (made, _) = run(&place, &creep(&[]), &start, 20);
    let (other, _) = run(&place, &creep(&[]), &rolled(&start), 20);
    assert!(rolled(&made).height == other.height);
}

#[test]
fn hills_do_not_depend_on_the_resolution() {
    let [coarse, fine] = [129, 257].map(|samples| {
        let place = TestScene::new(samples, Edges::Open);
        run(&place, &creep(&[]), &place.noise(), 50).0
    });
    let shared: Vec<f32> = (0..129 * 129).map(|k| fine.height[k / 129 * 2 * 257 + k % 129 * 2]).collect();
    let apart = rms(&coarse.height, &shared);
    println!("{apart}");
    assert!(apart < 0.002, "{apart}");
}
