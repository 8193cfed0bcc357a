//! Tests stream power against its analytic solutions, and rivers, lakes, rock layers and rain against their
//! documentation.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::hydrology::{
    DInfinity, FlowGraph, FlowMesh, FlowRouting, Outlets, Receivers, UpstreamOrder, priority_flood,
};
use talweg::nodes::Node;
use talweg::nodes::erosion::stream_power::power_root::{PowerRoot, exp2, log2};

const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

fn routed(mesh: &FlowMesh, height: &[f32], outlets: &Outlets) -> FlowGraph {
    FlowGraph::new(mesh, height, outlets, FlowRouting::D8, &Control::default()).unwrap()
}

/// The flow directions, and the downstream slope (a tangent) of every cell, which is 0 at outlets.
fn slopes(place: &TestScene, terrain: &Terrain) -> (DInfinity, Vec<f64>) {
    let mesh = FlowMesh::new(place.grid());
    let outlets = Outlets::new(place.grid(), &terrain.height, 0.0);
    let graph = routed(&mesh, &terrain.height, &outlets);
    let control = Control::default();
    let flow = DInfinity::new(&mesh, &graph.surface, &outlets, &graph.receivers, &control).unwrap();
    let steep = f64::from(place.relief_metres / place.context(&control).cell_metres());
    let slope = |k: usize| {
        let ([a, b], f) = (flow.receivers.receivers(k), f64::from(flow.fraction[k]));
        let [h, a, b] = [k, a as usize, b as usize].map(|k| f64::from(terrain.height[k]));
        (h - (a + (b - a) * f)) / (1.0 + f * f).sqrt() * steep
    };
    let slopes = (0..mesh.len()).map(slope).collect();
    (flow, slopes)
}

fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>();
    (slope, y - slope * x)
}

/// Stream power without other processes.
fn bare(more: &[(&str, &str)]) -> Node {
    let mut params = vec![
        ("uplift_variation", "0"),
        ("source_area", "0"),
        ("diffusivity", "0"),
        ("talus_angle", "90"),
        ("uplift_rate", "1"),
        ("erodibility", "5"),
        ("time_step", "50000"),
        ("iterations", "400"),
    ];
    params.extend_from_slice(more);
    node("StreamPower", &params)
}

#[test]
fn steady_slopes_and_areas_obey_the_law() {
    let place = TestScene { size_metres: 20_000.0, relief_metres: 2000.0, ..TestScene::new(65, Edges::Open) };
    let mut start = place.noise();
    start.height.iter_mut().for_each(|h| *h = *h * 0.02 + 0.01);
    for (m, n, g) in [("0.5", "1", "0"), ("0.4", "1", "0"), ("0.8", "2", "0"), ("0.5", "1.3", "0"), ("0.5", "1", "0.5")]
    {
        let law = bare(&[("area_exponent", m), ("slope_exponent", n), ("deposition", g)]);
        let made = place.finish(&law, &start, u32::MAX);
        let (_, slopes) = slopes(&place, &made);
        let flow = made.map(MapKind::Flow).unwrap();
        let cell = (20_000.0f64 / 64.0).powi(2);
        let points: Vec<(f64, f64)> = (0..slopes.len())
            .filter(|&k| slopes[k] > 0.0)
            .map(|k| ((f64::from(flow[k]) * cell).ln(), slopes[k].ln()))
            .collect();
        assert!(points.len() > 3500, "{}", points.len());
        let (theta, steepness) = fit(&points);
        let [m, n, g] = [m, n, g].map(|v| v.parse::<f64>().unwrap());
        let k = 5.0e-3 / 1.0e6f64.powf(m);
        let ksn = ((1.0 + g) * 1.0e-3 / k).powf(1.0 / n);
        assert!((-theta / (m / n) - 1.0).abs() < 0.02, "theta {theta} for m {m} n {n} g {g}");
        let made = steepness.exp();
        // The slopes are compared at the mean logarithm of the area, where errors in slope and intercept of the fit are
        // independent.
        let middle = points.iter().map(|p| p.0).sum::<f64>() / points.len() as f64;
        let (made, expected) = (made * (theta * middle).exp(), ksn * (-(m / n) * middle).exp());
        assert!((made / expected - 1.0).abs() < 0.03, "slope {made} is not {expected} for m {m} n {n} g {g}");
    }
}

#[test]
fn a_steady_river_is_straight_over_chi() {
    let place = TestScene { size_metres: 20_000.0, relief_metres: 2000.0, ..TestScene::new(65, Edges::Open) };
    let mut start = place.noise();
    start.height.iter_mut().for_each(|h| *h = *h * 0.02 + 0.01);
    let made = place.finish(&bare(&[]), &start, u32::MAX);
    let (routes, _) = slopes(&place, &made);
    let flow = made.map(MapKind::Flow).unwrap();
    let cell = 20_000.0f64 / 64.0;
    // Chi of every cell, integrated upstream: ∫ (1 km² / A)^½ dx along the stream.
    let mut chi = vec![0.0f64; flow.len()];
    for k in UpstreamOrder::new(&routes.receivers, &Control::default()).unwrap().iter().rev() {
        let (k, t) = (k as usize, f64::from(routes.fraction[k as usize]));
        let [a, b] = routes.receivers.receivers(k).map(|to| to as usize);
        if a != k {
            let area = f64::from(flow[k]) * cell * cell / 1.0e6;
            chi[k] = chi[a] + (chi[b] - chi[a]) * t + cell * (1.0 + t * t).sqrt() / area.sqrt();
        }
    }
    // The base level at the edges is uneven; heights above it grow as 1/5 of chi (U/K = 1/5 at 1 km²).
    let points: Vec<(f64, f64)> =
        (0..flow.len()).filter(|&k| chi[k] > 0.0).map(|k| (chi[k], f64::from(made.height[k]) * 2000.0)).collect();
    let (slope, base) = fit(&points);
    let spread_out = points.iter().map(|p| (p.1 - base - slope * p.0).powi(2)).sum::<f64>() / points.len() as f64;
    assert!((slope / 0.2 - 1.0).abs() < 0.02, "{slope}");
    // The deviation from the line is no larger than the spread of the heights at the edges.
    assert!(spread_out.sqrt() < 15.0, "{}", spread_out.sqrt());
}

/// The root x of x + c·xⁿ = `fall`, by bisection in the logarithm of x / `fall`.
fn bisected(fall: f64, c: f64, n: f64) -> f64 {
    let (mut low, mut high) = (-1000.0f64, 0.0f64);
    for _ in 0..100 {
        let mid = 0.5 * (low + high);
        let x = fall * mid.exp2();
        if x + c * x.powf(n) > fall { high = mid } else { low = mid }
    }
    fall * low.exp2()
}

#[test]
fn the_table_of_roots_agrees_with_bisection() {
    for n in [0.25, 0.4, 0.7, 1.01, 1.3, 1.5, 3.0, 4.0] {
        let root = PowerRoot::new(n);
        for fall in [1.0e-38, 1.0e-9, 1.0e-4, 0.3, 50.0, 1.0e5] {
            assert_eq!(root.root(fall, 0.0), fall);
            for k in -600..1000 {
                let c = (f64::from(k) * 0.1).exp2();
                let (x, exact) = (root.root(fall, c), bisected(fall, c, n));
                assert!((0.0..=fall).contains(&x), "n {n} fall {fall} c {c}: {x}");
                assert!((x - exact).abs() <= 1.0e-7 * exact, "n {n} fall {fall} c {c}: {x}, not {exact}");
            }
        }
    }
}

#[test]
fn logarithms_and_powers_of_two_match_libm() {
    for k in -5000..5000 {
        let x = f64::from(k) * 0.1013;
        assert!((exp2(x) / x.exp2() - 1.0).abs() < 1.0e-11, "{x}: {}", exp2(x));
        let y = x.exp2();
        assert!((log2(y) - y.log2()).abs() < 1.0e-12 * (1.0 + x.abs()), "{y}: {}", log2(y));
    }
}

#[test]
fn turned_ground_gives_the_turned_result() {
    let place = TestScene::new(129, Edges::Open);
    let mut start = place.noise();
    // A tilt leaves few depressions, because one more or less spill point changes a whole catchment.
    (0..129 * 129)
        .for_each(|k| start.height[k] = 0.1 * start.height[k] + 0.003 * (k % 129) as f32 + 0.005 * (k / 129) as f32);
    let turn = |h: &[f32]| -> Vec<f32> { (0..129 * 129).map(|k| h[(k % 129) * 129 + 128 - k / 129]).collect() };
    let mut turned = start.clone();
    turned.height = turn(&start.height);
    let law = node("StreamPower", &[("uplift_variation", "0")]);
    let [one, two] = [&start, &turned].map(|ground| place.finish(&law, ground, 1));
    // Ties between f32 heights are broken by index, which diverts a stream here and there.
    let apart = turn(&one.height).iter().zip(&two.height).filter(|(a, b)| (*a - *b).abs() > 1.0e-5).count();
    assert!(apart < two.height.len() / 200, "{apart} cells differ");
}

/// The erosion of a cone must not depend on the directions of the grid.
#[test]
fn a_cone_erodes_equally_in_all_directions() {
    let n = 257;
    let place = TestScene { size_metres: 16_000.0, relief_metres: 2000.0, ..TestScene::new(n, Edges::Open) };
    let middle = (n / 2) as f32;
    let distance = |k: usize| ((k % n) as f32 - middle).hypot((k / n) as f32 - middle);
    let mut cone = Terrain::flat(place.grid());
    (0..n * n).for_each(|k| cone.height[k] = 1.0 - distance(k) / 200.0);
    let made = place.finish(&bare(&[("uplift_rate", "0"), ("time_step", "10")]), &cone, 1);
    let wear = made.map(MapKind::Wear).unwrap();
    let flow = made.map(MapKind::Flow).unwrap();
    // The greatest sector mean divided by the least, in a ring. Sectors of 7.5° are folded to one eighth of the circle.
    let anisotropy = |value: &dyn Fn(usize) -> f64| {
        let mut sectors = [(0.0f64, 0u32); 6];
        for k in (0..n * n).filter(|&k| (60.0..100.0).contains(&distance(k))) {
            let (x, y) = (((k % n) as f32 - middle).abs(), ((k / n) as f32 - middle).abs());
            let angle = y.min(x).atan2(y.max(x)).to_degrees();
            let sector = &mut sectors[((angle / 7.5) as usize).min(5)];
            *sector = (sector.0 + value(k), sector.1 + 1);
        }
        let means = sectors.map(|(sum, count)| sum / f64::from(count));
        means.iter().fold(0.0f64, |a, &m| a.max(m)) / means.iter().fold(f64::MAX, |a, &m| a.min(m))
    };
    let law = anisotropy(&|k| f64::from(wear[k]) / f64::from(flow[k]).sqrt());
    let whole = anisotropy(&|k| f64::from(wear[k]));
    println!("greatest over least wear: {whole}; at equal areas: {law}");
    assert!(law < 1.02, "{law}");
    // The width of sheet flow is the projected width of the cell across the flow, at least cos 45° of its side. Erosion
    // depends on the square root of this width.
    assert!(whole < std::f64::consts::SQRT_2.sqrt(), "{whole}");
}

#[test]
fn ranges_end_at_open_edges_and_continue_over_wrapping_ones() {
    for (shape, end) in [("EastWest", (32, 2)), ("NorthSouth", (2, 32)), ("Diagonal", (62, 2))] {
        for edges in BOTH {
            let place = TestScene::new(65, edges);
            let mut start = Terrain::flat(place.grid());
            start.height.fill(0.1);
            let law = bare(&[("uplift_shape", shape), ("erodibility", "0"), ("iterations", "1")]);
            let made = place.finish(&law, &start, u32::MAX);
            let risen = |(i, j): (usize, usize)| made.height[i * 65 + j] - 0.1;
            let share = risen(end) / risen((32, 32));
            let expected = if edges == Edges::Open { 0.0..0.05 } else { 0.95..1.05 };
            assert!(risen((32, 32)) > 0.01 && expected.contains(&share), "{shape} {edges:?}: {share}");
        }
    }
}

#[test]
fn level_terrain_and_hard_rock_keep_their_bits() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        let mut flat = Terrain::flat(place.grid());
        flat.height.fill(0.3);
        let still = node("StreamPower", &[("uplift_rate", "0"), ("deposition", "1")]);
        assert_eq!(place.finish(&still, &flat, 5).height, flat.height);
        let hard = node("StreamPower", &[("uplift_rate", "0"), ("hardness", "1"), ("diffusivity", "5")]);
        assert_eq!(place.finish(&hard, &place.noise(), 5).height, place.noise().height);
    }
}

#[test]
fn filled_terrain_has_no_depression_and_refills_unchanged() {
    for edges in BOTH {
        let place = TestScene::new(100, edges);
        let start = place.noise();
        for gradient in ["0", "2"] {
            let fill = node("FillDepressions", &[("gradient", gradient)]);
            let made = place.finish(&fill, &start, 0);
            let mesh = FlowMesh::new(place.grid());
            let outlets = Outlets::new(place.grid(), &made.height, 0.0);
            let mut filled = priority_flood(&mesh, &made.height, &outlets, 0.0, &Control::default()).unwrap();
            place.grid().close(&mut filled);
            assert!(filled == made.height);
            assert_eq!(place.finish(&fill, &made, 0).height, made.height);
        }
        let water = place.finish(&node("FillDepressions", &[("fill_with", "Water")]), &start, 0);
        let lakes = place.finish(&node("Lakes", &[("smallest_area", "0"), ("least_depth", "0")]), &start, 0);
        assert_eq!(water.map(MapKind::Water), lakes.map(MapKind::Water));
        let some = place.finish(&node("Lakes", &[("smallest_area", "100000"), ("least_depth", "5")]), &start, 0);
        let sum = |t: &Terrain| t.map(MapKind::Water).unwrap().iter().map(|&d| f64::from(d)).sum::<f64>();
        assert!(sum(&some) < sum(&lakes) && lakes.height == start.height);
    }
}

#[test]
fn rivers_run_downhill_and_cut_nothing_without_depth() {
    for edges in BOTH {
        let place = TestScene::new(129, edges);
        let start = place.noise();
        let still = place.finish(&node("Rivers", &[("depth", "0")]), &start, 0);
        assert_eq!(still.height, start.height);
        let made = place.finish(&node("Rivers", &[("source_area", "0.2")]), &start, 0);
        assert!(made.height.iter().zip(&start.height).all(|(new, old)| new <= old) && made.height != start.height);
        let mesh = FlowMesh::new(place.grid());
        let (old, new) = (&start.height, &made.height);
        let (water, flow) = (made.map(MapKind::Water).unwrap(), made.map(MapKind::Flow).unwrap());
        let outlets = Outlets::new(place.grid(), old, 0.0);
        let graph = routed(&mesh, old, &outlets);
        let (filled, cell) = (&graph.surface, 8000.0f32 / 128.0);
        let mut rivers = 0;
        for k in (0..mesh.len()).filter(|&k| flow[k] * cell * cell > 0.2e6) {
            let to = graph.receivers[k] as usize;
            let lake = |k: usize| filled[k] > old[k];
            if to != k && !outlets.contain(to, old[to]) && !lake(k) && !lake(to) {
                assert!(new[to] <= new[k] + 1.0e-6 && water[k] > 0.0, "{k} to {to}");
                rivers += 1;
            }
        }
        assert!(rivers > 200, "{rivers}");
    }
}

#[test]
fn level_rock_layers_follow_heights_and_rain_falls_upwind() {
    let place = TestScene::new(129, Edges::Open);
    let ramp = Terrain::from_fn(129, Edges::Open, |u, _| u);
    let params = [("dip_angle", "0"), ("irregularity", "0"), ("variation", "0"), ("thickness", "450")];
    let made = place.finish(&node("Hardness", &params), &ramp, 0);
    let hard = made.map(MapKind::Hardness).unwrap();
    // A ramp 1800 m high cuts layers of 450 m: soft, hard, soft, hard. The middle of each layer is at an odd eighth of
    // the width.
    let middles: Vec<f32> = [16, 48, 80, 112].iter().map(|&j| hard[64 * 129 + j]).collect();
    assert_eq!(middles, [0.1, 0.85, 0.1, 0.85]);
    assert!((hard[64 * 129 + 32] - 0.475).abs() < 1e-3 && made.height == ramp.height);

    for edges in BOTH {
        let place = TestScene { edges, ..place };
        let ridge = Terrain::from_fn(129, edges, |u, _| (1.0 - (u - 0.5).abs() * 6.0).max(0.0));
        for (from, sign) in [("270", 1.0), ("90", -1.0)] {
            let params = [("wind_from", from), ("shadow_reach", "2000"), ("growth_with_height", "0")];
            let made = place.finish(&node("Rain", &params), &ridge, 0);
            let rain = made.map(MapKind::Rain).unwrap();
            let (west, east) = (rain[64 * 129 + 56], rain[64 * 129 + 76]);
            assert!((west - east) * sign > 0.3, "{edges:?} {from}: {west} and {east}");
            assert!((0..129).all(|i| (rain[i * 129 + 40] - rain[40]).abs() < 1e-5), "the same along the ridge");
        }
        let flat = place.finish(&node("Rain", &[("amount", "0.5")]), &Terrain::flat(place.grid()), 0);
        assert!(flat.map(MapKind::Rain).unwrap().iter().all(|&r| (r - 0.5).abs() < 1e-6));
    }
}
