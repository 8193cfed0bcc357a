//! Compares analytic stream power with its closed form, with the stepping process, and with its own results at other
//! sizes.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::Node;

/// Stream power without other processes, on one grid.
fn bare(name: &str, more: &[(&str, &str)]) -> Node {
    let mut params = vec![
        ("uplift_variation", "0"),
        ("source_area", "50000"),
        ("talus_angle", "90"),
        ("uplift_rate", "1"),
        ("erodibility", "5"),
        ("time_step", "50000"),
        ("iterations", "400"),
    ];
    params.push(match name {
        "StreamPower" => ("diffusivity", "0"),
        _ => ("network_scale", "OneGrid"),
    });
    params.extend_from_slice(more);
    node(name, &params)
}

fn test_scene() -> TestScene {
    TestScene { size_metres: 20_000.0, relief_metres: 2000.0, ..TestScene::new(129, Edges::Open) }
}

/// Low noise.
fn plain(place: &TestScene) -> Terrain {
    let mut start = place.noise();
    start.height.iter_mut().for_each(|h| *h = *h * 0.02 + 0.01);
    start
}

/// The terrain after `iterations`, computed with a direct jump over all earlier iterations.
fn skipped(place: &TestScene, node: &Node, ground: &Terrain, iterations: u32) -> Terrain {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = node.as_process().unwrap().start(&cx, ground.clone());
    assert!(run.jump(iterations - 1));
    run.step(&cx).unwrap();
    run.terrain().clone()
}

fn relief(terrain: &Terrain) -> f32 {
    terrain.height.iter().fold(0.0, |most, &h| h.max(most))
}

/// Maximum and root mean square of the height differences.
fn differences(one: &Terrain, other: &Terrain) -> (f32, f32) {
    let apart = one.height.iter().zip(&other.height).map(|(a, b)| (a - b).abs());
    let squares: f32 = apart.clone().map(|d| d * d).sum();
    (apart.fold(0.0, f32::max), (squares / one.height.len() as f32).sqrt())
}

#[test]
fn an_old_range_equals_the_steady_state_of_the_stepper() {
    let place = test_scene();
    let rest = place.finish(&bare("StreamPower", &[]), &plain(&place), u32::MAX);
    // With network age 0, the channel network is that of the input terrain. After 20 million years everything is in
    // equilibrium.
    let solved = skipped(&place, &bare("AnalyticStreamPower", &[("network_age", "0")]), &rest, 400);
    let (most, rms) = differences(&rest, &solved);
    let relief = relief(&rest);
    println!("{most} of {relief}, rms {rms}");
    assert!(relief > 0.1, "{relief}");
    assert!(rms < 0.01 * relief, "{most} of {relief}, rms {rms}");
}

#[test]
fn an_erosion_wave_travels_as_far_as_in_the_stepper() {
    let place = test_scene();
    let rest = place.finish(&bare("StreamPower", &[]), &plain(&place), u32::MAX);
    let last = relief(&rest);
    for (age, steps) in [(200_000, 400), (600_000, 400), (1_500_000, 400)] {
        let step = (age / steps).to_string();
        let count = steps.to_string();
        let faster = [("uplift_rate", "2"), ("time_step", step.as_str()), ("iterations", count.as_str())];
        let stepped = place.finish(&bare("StreamPower", &faster), &rest, u32::MAX);
        let solved = skipped(
            &place,
            &bare("AnalyticStreamPower", &[&faster[..], &[("network_age", "0")]].concat()),
            &rest,
            steps,
        );
        let (most, rms) = differences(&stepped, &solved);
        let (moved, _) = differences(&stepped, &rest);
        println!("{age} years: relief {last}, moved {moved}, most {most}, rms {rms}");
        assert!(moved > 0.1 * last, "{age}: {moved} of {last}");
        assert!(rms < 0.02 * relief(&stepped), "{age}: rms {rms} of {}", relief(&stepped));
    }
}

#[test]
fn slope_and_area_in_balance_obey_the_law() {
    let place = test_scene();
    for m in ["0.4", "0.5", "0.6"] {
        let node = bare("AnalyticStreamPower", &[("area_exponent", m), ("network_scale", "Samples33")]);
        let made = skipped(&place, &node, &plain(&place), 400);
        let flow = made.map(MapKind::Flow).unwrap();
        let n = place.samples;
        let cell = 20_000.0f64 / (n - 1) as f64;
        let m: f64 = m.parse().unwrap();
        let strength = 5.0e-3 / 1.0e6f64.powf(m);
        // Only large streams are compared: they follow single cells, whose receiver is the steepest neighbour.
        let mut off = Vec::new();
        for k in (0..n * n).filter(|&k| flow[k] > 50.0) {
            let (i, j) = (k / n, k % n);
            if i == 0 || j == 0 || i + 1 == n || j + 1 == n {
                continue;
            }
            let mut steepest = 0.0f64;
            for (di, dj) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)] {
                let there = ((i as i32 + di) as usize) * n + (j as i32 + dj) as usize;
                let distance = cell * f64::from(di * di + dj * dj).sqrt();
                steepest = steepest.max(f64::from(made.height[k] - made.height[there]) * 2000.0 / distance);
            }
            let expected = 1.0e-3 / (strength * (f64::from(flow[k]) * cell * cell).powf(m));
            off.push((steepest / expected).ln().abs());
        }
        off.sort_by(f64::total_cmp);
        assert!(off.len() > 200, "{}", off.len());
        let (median, most) = (off[off.len() / 2], off[off.len() * 9 / 10]);
        assert!(median < 0.02 && most < 0.1, "m {m}: median {median}, nine of ten {most}");
    }
}

#[test]
fn any_age_is_reached_directly_with_the_same_bits() {
    let place = TestScene { size_metres: 20_000.0, relief_metres: 2000.0, ..TestScene::new(65, Edges::Wrap) };
    let ground = plain(&place);
    let node = node("AnalyticStreamPower", &[("iterations", "12"), ("uplift_rate", "1")]);
    let stepped = place.finish(&node, &ground, u32::MAX);
    assert_eq!(skipped(&place, &node, &ground, 12).hash(), stepped.hash());
    // Almost nothing changes in one year.
    let mut young = node.clone();
    let params = young.params_mut();
    let index = params.about().params.iter().position(|spec| spec.name == "time_step").unwrap();
    params.set(index, &talweg::param::Value::Float(1.0)).unwrap();
    let (most, _) = differences(&skipped(&place, &young, &ground, 1), &ground);
    assert!(most < 1.0e-4, "{most}");
}

#[test]
fn both_stream_power_nodes_read_the_uplift_map() {
    let place = test_scene();
    let mut ground = plain(&place);
    let n = place.samples;
    ground
        .map_mut(MapKind::Uplift)
        .iter_mut()
        .enumerate()
        .for_each(|(k, share)| *share = f32::from(u8::from(k % n < n / 2)));
    for name in ["StreamPower", "AnalyticStreamPower"] {
        let node = bare(name, &[("iterations", "20"), ("time_step", "20000"), ("erodibility", "1")]);
        let made = place.finish(&node, &ground, u32::MAX);
        let mean = |east: bool| {
            let cells = (0..n * n).filter(|k| (k % n > n / 2) == east);
            cells.clone().map(|k| made.height[k] - ground.height[k]).sum::<f32>() / cells.count() as f32
        };
        assert!(mean(false) > 0.05 && mean(true) < 0.01, "{name}: {} and {}", mean(false), mean(true));
    }
}
