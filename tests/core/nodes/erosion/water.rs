//! River erosion against known facts: water at rest, wave speed, dam breaks, the balance of water and material, and no
//! preferred direction of the grid.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{MassBalance, Node};

/// Water depth in metres at which a virtual pipe is full in these tests, and the Courant number: the number of cells
/// that a wave travels per iteration in full pipes.
const FULL_METRES: f32 = 10.0;
const COURANT: f64 = 0.5;
/// No rain, evaporation, friction or erosion.
const STILL: [(&str, &str); 6] = [
    ("rain", "0"),
    ("evaporation", "0"),
    ("friction", "0"),
    ("sediment_capacity", "0"),
    ("talus_angle", "89"),
    ("border", "Walls"),
];

fn erosion(params: &[(&str, &str)]) -> Node {
    node("ShallowWater", params)
}

fn run(place: &TestScene, node: &Node, input: Terrain, steps: usize) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = node.as_process().unwrap().start(&cx, input);
    (0..steps).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

fn water(terrain: &Terrain) -> &[f32] {
    terrain.map(MapKind::Water).unwrap()
}

/// Level terrain under water of `depth_metres(u, v)`.
fn pool(place: &TestScene, depth_metres: impl Fn(f32, f32) -> f32) -> Terrain {
    let n = place.samples;
    let mut terrain = Terrain::flat(place.grid());
    for (k, d) in terrain.map_mut(MapKind::Water).iter_mut().enumerate() {
        *d = depth_metres((k % n) as f32 / (n - 1) as f32, (k / n) as f32 / (n - 1) as f32) / place.relief_metres;
    }
    terrain
}

/// A cone with the height 1 in the middle and 0 from the inscribed circle outwards.
fn cone(place: &TestScene) -> Terrain {
    let height = |u: f32, v: f32| 1.0 - 2.0 * ((u - 0.5).powi(2) + (v - 0.5).powi(2)).sqrt();
    Terrain::from_fn(place.samples, place.edges, |u, v| height(u, v).max(0.0))
}

#[test]
fn a_lake_at_rest_stays_at_rest_over_uneven_ground() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(129, edges);
        let mut terrain = place.noise();
        let (low, high) = terrain.range();
        let level = low + 0.5 * (high - low);
        let ground = terrain.height.clone();
        for (d, h) in terrain.map_mut(MapKind::Water).iter_mut().zip(&ground) {
            *d = (level - h).max(0.0);
        }
        let before = water(&terrain).to_vec();
        let rest = [("rain", "0"), ("evaporation", "0"), ("talus_angle", "89"), ("border", "Walls")];
        let (after, _) = run(&place, &erosion(&rest), terrain, 500);
        let most = water(&after).iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
        assert!(most <= 1e-7, "{most} of the relief");
        assert!(after.height == ground);
    }
}

#[test]
fn level_dry_terrain_and_hard_rock_keep_their_bits() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(65, edges);
        let mut level = Terrain::flat(place.grid());
        level.height.fill(0.3);
        let (made, mass_balance) = run(&place, &erosion(&[("rain", "0")]), level.clone(), 50);
        assert!(made.height == level.height && mass_balance == MassBalance::default());
        let hard = place.noise();
        let (made, _) = run(&place, &erosion(&[("hardness", "1")]), hard.clone(), 50);
        assert!(made.height == hard.height);
        let mut arid = place.noise();
        arid.map_mut(MapKind::Rain).fill(0.0);
        let (made, _) = run(&place, &erosion(&[("talus_angle", "89")]), arid.clone(), 50);
        assert!(made.height == arid.height && water(&made).iter().all(|&d| d == 0.0));
    }
}

/// Position of a wave crest in a row of depths to the right of `from`, by a parabola through the three highest cells.
fn crest(depth: &[f32], from: usize) -> f64 {
    let k = (from + 1..depth.len() - 1).max_by(|&a, &b| depth[a].total_cmp(&depth[b])).unwrap();
    let [a, b, c] = [depth[k - 1], depth[k], depth[k + 1]].map(f64::from);
    k as f64 + 0.5 * (a - c) / (a - 2.0 * b + c)
}

/// Linear theory: waves travel at √(g·d) in water of depth d. In the model that is C·√(d/D) cells per iteration, with
/// the Courant number C and the depth D of a full pipe, and C cells where the pipes are full.
#[test]
fn small_waves_travel_at_the_speed_of_the_theory() {
    let place = TestScene::new(257, Edges::Open);
    for (depth, share) in [(2.5f32, 0.25f64), (5.0, 0.5), (40.0, 1.0)] {
        let steps = (90.0 / (COURANT * share.sqrt())) as usize;
        let bump = |u: f32| (-((u - 0.5) * 256.0 / 12.0).powi(2)).exp();
        let (made, _) = run(&place, &erosion(&STILL), pool(&place, |u, _| depth * (1.0 + 1e-3 * bump(u))), steps);
        let speed = (crest(&water(&made)[100 * 257..][..257], 128) - 128.0) / steps as f64;
        let theory = COURANT * share.sqrt();
        assert!((speed / theory - 1.0).abs() < 0.01, "{depth} m: {speed} cells an iteration, theory {theory}");
    }
}

#[test]
fn a_wave_from_a_point_is_round() {
    let place = TestScene::new(257, Edges::Open);
    let round = |u: f32, v: f32| (-(((u - 0.5).powi(2) + (v - 0.5).powi(2)) * (256.0f32 / 6.0).powi(2))).exp();
    let (made, _) = run(&place, &erosion(&STILL), pool(&place, |u, v| 20.0 * (1.0 + 0.01 * round(u, v))), 160);
    let mut field = Terrain::flat(place.grid());
    field.height.copy_from_slice(water(&made));
    let radius = |degrees: f32| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let ray: Vec<f32> =
            (0..115).map(|r| field.height_at(0.5 + r as f32 * cos / 256.0, 0.5 + r as f32 * sin / 256.0)).collect();
        crest(&ray, 40)
    };
    let [axis, between, diagonal] = [0.0, 22.5, 45.0].map(radius);
    println!("crest at {axis:.2} {between:.2} {diagonal:.2} cells");
    assert!((axis / diagonal - 1.0).abs() < 0.01 && (between / axis - 1.0).abs() < 0.01, "{axis} {between} {diagonal}");
}

/// Water depths in metres along a channel, `steps` iterations after a dam in its middle breaks. `left` and `right` are
/// the depths beside the dam.
fn dam_break(left: f32, right: f32, steps: usize, params: &[(&str, &str)]) -> Vec<f64> {
    let place = TestScene::new(513, Edges::Open);
    let params: Vec<_> = STILL.into_iter().chain(params.iter().copied()).collect();
    let (made, _) = run(&place, &erosion(&params), pool(&place, |u, _| if u < 0.5 { left } else { right }), steps);
    let rows = water(&made);
    for row in 1..513 {
        let across = rows[row * 513..][..513].iter().zip(rows).map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
        // Where water advances over dry terrain, rounding grows to a few centimetres at a depth of 10 m.
        assert!(across < 5e-5, "a channel has no cross flow: {across}");
    }
    let before = 256.0 * f64::from(left) + 257.0 * f64::from(right);
    let profile: Vec<f64> = rows[..513].iter().map(|&d| f64::from(d) * f64::from(place.relief_metres)).collect();
    let after: f64 = profile.iter().sum();
    assert!((after / before - 1.0).abs() < 3e-5, "{before} {after}");
    profile
}

/// Without momentum transport, depth h and discharge q follow h_t + q_x = 0, q_t + g·h·h_x = 0. The solution is a fan q
/// = ⅔√g·(h_l^1.5 - h^1.5) that meets a shock of speed √(g·(h + h_r)/2); h_l and h_r are the depths on the left and
/// right. Returns the depth between fan and shock, the shock's speed, and g, in cells, iterations and metres.
fn exact(left: f64, right: f64) -> (f64, f64, f64) {
    let g = COURANT * COURANT / f64::from(FULL_METRES);
    let shock = |h: f64| (g * (h + right) / 2.0).sqrt();
    let (mut low, mut high) = (right, left);
    for _ in 0..100 {
        let h = 0.5 * (low + high);
        let fan = 2.0 / 3.0 * g.sqrt() * (left.powf(1.5) - h.powf(1.5));
        if fan > shock(h) * (h - right) { low = h } else { high = h }
    }
    (low, shock(low), g)
}

#[test]
fn a_dam_break_onto_shallow_water_follows_its_fan_and_shock() {
    let (left, right, steps) = (8.0, 4.0, 360);
    let profile = dam_break(left as f32, right as f32, steps, &[]);
    let (between, speed, g) = exact(left, right);
    let t = steps as f64;
    let mut error = 0.0;
    for (j, d) in profile.iter().enumerate() {
        let x = j as f64 - 255.5;
        let depth = if x < -(g * left).sqrt() * t {
            left
        } else if x < -(g * between).sqrt() * t {
            (x / t).powi(2) / g
        } else if x < speed * t {
            between
        } else {
            right
        };
        error += (d - depth).abs() / 513.0;
    }
    let front = profile.iter().rposition(|&d| d > 0.5 * (between + right)).unwrap() as f64 - 255.5;
    println!("mean error {error:.4} m, front {front} cells, theory {:.1}, between {between:.3} m", speed * t);
    assert!(error < 0.003 * left, "{error} m on average");
    assert!((front / (speed * t) - 1.0).abs() < 0.02, "front at {front}, theory {}", speed * t);
    // Stoker's bore, with momentum transport: u, h and the speed follow from the two jump conditions and the Riemann
    // invariant.
    let (mut low, mut high) = (right, left);
    for _ in 0..100 {
        let h = 0.5 * (low + high);
        let fan = 2.0 * ((g * left).sqrt() - (g * h).sqrt());
        let jump = (h - right) * (g * (h + right) / (2.0 * h * right)).sqrt();
        if fan > jump { low = h } else { high = h }
    }
    let stoker = low * 2.0 * ((g * left).sqrt() - (g * low).sqrt()) / (low - right);
    let ratio = front / t / stoker;
    println!("front at {ratio:.3} of Stoker's speed");
    assert!((0.8..1.0).contains(&ratio), "{ratio} of Stoker's speed");
}

#[test]
fn a_dry_dam_break_front_is_slower_than_ritters() {
    let (depth, steps) = (10.0f32, 300);
    let profile = dam_break(depth, 0.0, steps, &[("friction", "0.02")]);
    // Cells behind the front ripple slightly; means of eight cells fall steadily.
    let means: Vec<f64> = profile.as_chunks::<8>().0.iter().map(|cells| cells.iter().sum::<f64>() / 8.0).collect();
    let rise = means.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0f64, f64::max);
    let ripple = profile.windows(3).map(|w| (w[1] - 0.5 * (w[0] + w[2])).abs()).fold(0.0f64, f64::max);
    println!("largest rise of the means {rise:.3} m, ripple {ripple:.2} m");
    assert!(ripple < 0.1 * f64::from(depth), "{ripple} m");
    assert!(rise < 1e-3 * f64::from(depth), "the profile rises by {rise} m");
    let front = profile.iter().rposition(|&d| d > 0.01 * f64::from(depth)).unwrap() as f64 - 255.5;
    let ratio = front / steps as f64 / (2.0 * COURANT);
    println!("front at {ratio:.3} of Ritter's speed");
    assert!((0.2..=0.5).contains(&ratio), "{ratio} of Ritter's speed");
    // The terrain is symmetric, so water falling to the left must equal water falling to the right.
    let place = TestScene::new(257, Edges::Open);
    let (made, _) =
        run(&place, &erosion(&STILL), pool(&place, |u, _| if (u - 0.5).abs() < 0.1 { 10.0 } else { 0.0 }), 150);
    let row = &water(&made)[..257];
    for j in 0..128 {
        assert!((row[j] - row[256 - j]).abs() <= 1e-8, "column {j}: {} and {}", row[j], row[256 - j]);
    }
}

#[test]
fn rain_minus_evaporation_is_the_water_between_walls() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(129, edges);
        let cells = (place.grid().distinct_side() as f64).powi(2);
        // One iteration at 129 samples is as long as four at 513.
        let rain = 4.0 * 3e-3 / f64::from(place.relief_metres) * cells;
        for evaporation in [0.0f64, 0.01] {
            let mut stock = 0.0;
            (0..200).for_each(|_| stock = (stock + rain) / (1.0 + 4.0 * evaporation));
            let params = [("rain", "3"), ("evaporation", &*evaporation.to_string()), ("border", "Walls")];
            let (made, _) = run(&place, &erosion(&params), place.noise(), 200);
            let there = place.grid().sum(water(&made));
            assert!((there / stock - 1.0).abs() < 1e-4, "{there} of {stock}, {edges:?} {evaporation}");
        }
        let springs =
            [("rain", "0"), ("springs", "5"), ("spring_flow", "3"), ("evaporation", "0"), ("border", "Walls")];
        let (made, _) = run(&place, &erosion(&springs), place.noise(), 200);
        let there = place.grid().sum(water(&made));
        assert!((there / (200.0 * rain) - 1.0).abs() < 1e-4, "springs: {there} of {}", 200.0 * rain);
    }
}

#[test]
fn mass_is_conserved_and_water_is_never_negative() {
    for (edges, border) in [(Edges::Open, "Outflow"), (Edges::Open, "Walls"), (Edges::Wrap, "Outflow")] {
        let place = TestScene::new(129, edges);
        let input = place.noise();
        let before = place.grid().sum(&input.height);
        let (made, mass_balance) = run(&place, &erosion(&[("border", border)]), input, 1000);
        let change = place.grid().sum(&made.height) - before;
        println!("{edges:?} {border}: {mass_balance:?} residual {:e}", mass_balance.residual() / before);
        assert!(mass_balance.residual().abs() <= 1e-6 * before, "{mass_balance:?}");
        assert!((change - mass_balance.deposited + mass_balance.eroded).abs() <= 1e-6 * before);
        assert!(
            mass_balance.eroded > 1e-3 * before && mass_balance.deposited > 0.2 * mass_balance.eroded,
            "{mass_balance:?}"
        );
        assert_eq!(mass_balance.lost > 0.0, edges == Edges::Open && border == "Outflow");
        assert!(water(&made).iter().all(|&d| d >= 0.0));
        let worn = place.grid().sum(made.map(MapKind::Wear).unwrap());
        assert!((worn / mass_balance.eroded - 1.0).abs() < 1e-4, "the wear map agrees with the mass balance");
    }
}

#[test]
fn wrapping_terrain_has_no_preferred_position() {
    let place = TestScene::new(65, Edges::Wrap);
    let input = place.noise();
    let shift = |terrain: &Terrain| {
        let n = place.samples;
        let mut out = terrain.clone();
        for i in 0..n {
            for j in 0..n {
                out.height[i * n + j] = terrain.height[(i + 20) % (n - 1) * n + (j + 37) % (n - 1)];
            }
        }
        out
    };
    let (there, _) = run(&place, &erosion(&[]), shift(&input), 60);
    let (here, _) = run(&place, &erosion(&[]), input, 60);
    assert!(shift(&here).height == there.height);
}

/// Mean of `map` by azimuth on a ring of the cone, in sectors of 7.5° folded to 0…45°.
fn by_azimuth(map: &[f32], n: usize) -> [f64; 6] {
    let (mut sums, mut counts) = ([0.0; 6], [0.0; 6]);
    let centre = (n - 1) as f64 / 2.0;
    for (k, &v) in map.iter().enumerate() {
        let (x, y) = ((k % n) as f64 - centre, (k / n) as f64 - centre);
        let r = (x * x + y * y).sqrt() / centre;
        if (0.2..0.8).contains(&r) {
            let angle = y.abs().atan2(x.abs()).to_degrees();
            let folded = if angle > 45.0 { 90.0 - angle } else { angle };
            let at = ((folded / 7.5) as usize).min(5);
            sums[at] += f64::from(v);
            counts[at] += 1.0;
        }
    }
    std::array::from_fn(|k| sums[k] / counts[k])
}

/// Deviation of the sectors from their mean, for the field and for its square; the square shows whether material
/// collects in gullies.
fn anisotropy(map: &[f32], n: usize) -> [f64; 2] {
    let squares: Vec<f32> = map.iter().map(|v| v * v).collect();
    [map, &squares].map(|map| {
        let means = by_azimuth(map, n);
        let mean = means.iter().sum::<f64>() / 6.0;
        println!("  by azimuth {:.3?}", means.map(|m| m / mean));
        means.into_iter().fold(0.0, |most, m| f64::max(most, (m / mean - 1.0).abs()))
    })
}

#[test]
fn a_cone_erodes_equally_in_all_directions() {
    let place = TestScene::new(257, Edges::Open);
    let (made, _) = run(&place, &erosion(&[]), cone(&place), 120);
    for kind in [MapKind::Water, MapKind::Wear] {
        let [mean, square] = anisotropy(made.map(kind).unwrap(), 257);
        println!("smooth cone, {kind:?}: anisotropy {mean:.4}, of the square {square:.4}");
        assert!(mean < 0.01 && square < 0.02, "{kind:?}: {mean} {square}");
    }
    // Roughness starts gullies; over several cones, no direction has more of them.
    let mut wear = vec![0.0f32; 257 * 257];
    for seed in 0..6 {
        let random = talweg::field::Stream::new(9, seed);
        let mut rough = cone(&place);
        for (k, h) in rough.height.iter_mut().enumerate() {
            *h += random.signed((k % 257) as i32, (k / 257) as i32) * 1e-3;
        }
        let (made, _) = run(&place, &erosion(&[]), rough, 200);
        for (sum, w) in wear.iter_mut().zip(made.map(MapKind::Wear).unwrap().iter()) {
            *sum += w;
        }
    }
    let [mean, square] = anisotropy(&wear, 257);
    println!("rough cones: anisotropy of the wear {mean:.4}, of its square {square:.4}");
    assert!(mean < 0.1, "{mean}");
}

#[test]
fn no_checkerboard_and_no_spikes() {
    let place = TestScene::new(257, Edges::Open);
    let input = place.noise();
    let (made, _) = run(&place, &erosion(&[]), input.clone(), 400);
    let (mut checks, mut all, mut spikes, mut spike) = (0.0f64, 0.0f64, 0, 0.0f32);
    let n = 257;
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let change = |i: usize, j: usize| f64::from(made.height[i * n + j] - input.height[i * n + j]);
            let (straight, corners) = (
                change(i - 1, j) + change(i + 1, j) + change(i, j - 1) + change(i, j + 1),
                change(i - 1, j - 1) + change(i + 1, j + 1) + change(i - 1, j + 1) + change(i + 1, j - 1),
            );
            // The sum of this term, divided by `all`, is 1 for a pure checkerboard and 0 for a smooth field.
            checks += ((4.0 * change(i, j) - 2.0 * straight + corners) / 16.0).powi(2);
            all += change(i, j).powi(2);
            let around = |t: &Terrain| {
                let h = &t.height;
                let neighbours = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)].map(|(i, j)| h[i * n + j]);
                h[i * n + j] - neighbours.into_iter().fold(f32::MIN, f32::max)
            };
            let new = around(&made) - around(&input).max(0.0);
            // Count only cells that were raised by deposits, not ridges left between two gullies.
            if change(i, j) > 0.0 {
                let raised = new.min(change(i, j) as f32) * 1800.0;
                spike = spike.max(raised);
                spikes += u32::from(raised > 3.0);
            }
        }
    }
    let share = (checks / all).sqrt();
    println!("checkerboard {share:.4} of the change; {spikes} cells raised 3 m above all around, most {spike:.1} m");
    // White noise would have 0.375.
    assert!(share < 0.1, "{share}");
    assert!(spikes < 66 && spike < 31.25, "{spikes} cells, {spike} m");
}

/// Fraction of isolated grooves among the cells with at least 0.2 m of water per iteration. In a groove, the terrain
/// rises more steeply than `degrees` on both sides, across one direction of the grid.
fn lone_grooves(made: &Terrain, place: &TestScene, rain_metres: f32, degrees: f32) -> f64 {
    let n = place.samples;
    let (cell, relief) = (place.size_metres / (n - 1) as f32, place.relief_metres);
    let supply = rain_metres * 512.0 / (n - 1) as f32;
    let flow = made.map(MapKind::Flow).unwrap();
    let (mut rivers, mut lone) = (0u32, 0u32);
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let k = i * n + j;
            if flow[k] * supply < 0.2 {
                continue;
            }
            let groove =
                [(1, 1.0), (n, 1.0), (n + 1, 2.0f32.sqrt()), (n - 1, 2.0f32.sqrt())].iter().any(|&(by, long)| {
                    let rise = made.height[k - by].min(made.height[k + by]) - made.height[k];
                    rise * relief > degrees.to_radians().tan() * cell * long
                });
            rivers += 1;
            lone += u32::from(groove);
        }
    }
    println!("{n}: {lone} lone grooves of {rivers} river cells");
    f64::from(lone) / f64::from(rivers)
}

#[test]
fn rivers_have_banks_and_are_wider_than_a_cell() {
    for (samples, steps) in [(129, 100), (257, 200)] {
        let place = TestScene::new(samples, Edges::Open);
        let share = |bank: &str| {
            let (made, _) = run(&place, &erosion(&[("bank_angle", bank)]), place.noise(), steps);
            lone_grooves(&made, &place, 2e-3, 30.0)
        };
        let (with, without) = (share("25"), share("89"));
        println!("{samples}: {with:.4} with banks, {without:.4} without");
        assert!(without > 0.05, "too few grooves for this test: {without}");
        assert!(with < 0.25 * without, "{with} of the river cells are lone grooves, {without} without banks");
    }
}
