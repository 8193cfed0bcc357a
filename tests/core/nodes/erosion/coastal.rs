//! Tests coastal erosion against independent references: coasts with known retreat, the limits of the waves, and the
//! mass balance.

use crate::kits::nodes::{TestScene, node, on_threads};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{Node, Run};

fn run(place: &TestScene, node: &Node, input: &Terrain, count: u32) -> Box<dyn Run> {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = node.as_process().unwrap().start(&cx, input.clone());
    (0..count).for_each(|_| run.step(&cx).unwrap());
    run
}

fn coastal(params: &[(&str, &str)]) -> Node {
    node("Coastal", params)
}

/// A terrain 2 km wide with cells of 10 m and a relief of 200 m; the sea level is 100 m.
fn test_scene() -> TestScene {
    TestScene { size_metres: 2000.0, relief_metres: 200.0, sea_level: 0.5, ..TestScene::new(201, Edges::Open) }
}

/// A cliff of 40 m above a sea floor 10 m deep, along a straight line through the middle; the sea is at azimuth
/// `degrees`.
fn cliff(degrees: f32) -> Terrain {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Terrain::from_fn(201, Edges::Open, |u, v| {
        let seaward = ((u - 0.5) * sin - (v - 0.5) * cos) * 2000.0;
        // One cell of transition, so that the shore is between the samples.
        0.575 - 0.125 * (seaward / 10.0).clamp(-1.0, 1.0)
    })
}

/// Retreat of the cliff edge in metres, in strips across the shore, far from the edges of the terrain. It is the area
/// of former land that is now below half the cliff height, divided by the width of the strip.
fn retreats(made: &Terrain, before: &Terrain, degrees: f32) -> Vec<f64> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut strips = [0.0f64; 5];
    for k in 0..before.height.len() {
        let (x, y) = ((k % 201) as f32 - 100.0, (k / 201) as f32 - 100.0);
        let (seaward, along) = (x * sin - y * cos, x * cos + y * sin);
        if seaward < 40.0 && seaward > -60.0 && along.abs() < 50.0 {
            let standing = |h: f32| f64::from(u8::from(h > 0.6));
            strips[((along + 50.0) / 20.0).min(4.0) as usize] += standing(before.height[k]) - standing(made.height[k]);
        }
    }
    // A strip is 20 cells of 10 m wide.
    strips.iter().map(|s| s * 100.0 / 200.0).collect()
}

const OPEN_SEA: [(&str, &str); 5] =
    [("prevailing", "0"), ("fetch", "300"), ("retreat", "4"), ("drift", "0"), ("cliff_angle", "85")];

/// A cliff retreats by rate × time in any direction, whether or not the debris stays as a beach.
#[test]
fn a_straight_cliff_retreats_as_fast_as_asked_at_any_angle() {
    for (beach, drift) in [("0", "0"), ("0.3", "0"), ("0.3", "40")] {
        let mut means = Vec::new();
        for degrees in [0.0, 45.0, 22.5, 180.0] {
            let before = cliff(degrees);
            let params = OPEN_SEA.into_iter().chain([("beach_share", beach), ("drift", drift)]);
            let made = run(&test_scene(), &coastal(&params.collect::<Vec<_>>()), &before, 50);
            let strips = retreats(made.terrain(), &before, degrees);
            let mean = strips.iter().sum::<f64>() / 5.0;
            println!("{degrees}°, beach {beach}, drift {drift}: {mean:.1} m of 200 m, {strips:.1?}");
            for strip in &strips {
                assert!((strip / mean - 1.0).abs() < 0.06, "{degrees}°: {strips:?}");
            }
            means.push(mean);
        }
        for mean in &means {
            assert!((mean / means[0] - 1.0).abs() < 0.12, "{means:?}");
            assert!((160.0..=240.0).contains(mean), "{means:?}");
        }
    }
}

#[test]
fn a_cliff_retreats_half_as_far_on_a_grid_twice_as_fine() {
    let (place, before, control) = (test_scene(), cliff(0.0), Control::default());
    let [coarse, fine] = [1.0, 2.0].map(|level| {
        let mut cx = place.context(&control);
        cx.cell_ratio = level;
        let mut run = coastal(&OPEN_SEA).as_process().unwrap().start(&cx, before.clone());
        (0..50).for_each(|_| run.step(&cx).unwrap());
        retreats(run.terrain(), &before, 0.0).iter().sum::<f64>()
    });
    assert!((fine / coarse - 0.5).abs() < 0.06, "{fine} of {coarse}");
}

#[test]
fn mass_is_conserved() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene { sea_level: 0.45, ..TestScene::new(129, edges) };
        let ground = place.noise();
        let before = place.grid().sum(&ground.height);
        let made = run(&place, &coastal(&[("wave_base", "60")]), &ground, 100);
        let (mass_balance, after) = (made.mass_balance(), place.grid().sum(&made.terrain().height));
        assert!(mass_balance.eroded > 1.0 && mass_balance.deposited > 0.1, "{mass_balance:?}");
        assert!(mass_balance.residual().abs() < 1e-6 * before, "{} {mass_balance:?}", mass_balance.residual());
        assert!((before - after - mass_balance.eroded + mass_balance.deposited).abs() < 1e-6 * before);
        let debris = place.grid().sum(made.terrain().map(MapKind::Sediment).unwrap());
        assert!((debris - mass_balance.carried).abs() < 1e-6 * before && debris >= 0.0);
    }
}

/// Debris that spreads this far is nearly uniform. The differences between neighbours are smaller than a rounding step,
/// and every pass rounds them in the same direction.
#[test]
fn debris_that_spreads_far_is_conserved() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place =
            TestScene { size_metres: 1000.0, relief_metres: 100.0, sea_level: 0.01, ..TestScene::new(33, edges) };
        let (_, ramp) = place.inputs().into_iter().find(|(name, _)| *name == "ramp").unwrap();
        let made = run(&place, &coastal(&[("retreat", "1000"), ("drift", "10000")]), &ramp, 60);
        let mass_balance = made.mass_balance();
        assert!(mass_balance.carried > 100.0, "{mass_balance:?}");
        let open = mass_balance.residual().abs() / mass_balance.carried;
        assert!(open < 1e-6, "{open:e} {mass_balance:?}");
        let debris = made.terrain().map(MapKind::Sediment).unwrap();
        assert!((place.grid().sum(debris) - mass_balance.carried).abs() < 1e-9 * mass_balance.carried);
    }
}

#[test]
fn terrain_beyond_the_reach_of_waves_keeps_its_bits() {
    let place = TestScene { sea_level: 0.45, ..TestScene::new(257, Edges::Open) };
    let ground = place.noise();
    let made = run(&place, &coastal(&[]), &ground, 60);
    let (top, base) = (0.45 + 155.1 / 1800.0, 0.45 - 15.1 / 1800.0);
    let mut changed = 0;
    for (old, new) in ground.height.iter().zip(&made.terrain().height) {
        if *old > top || *old < base {
            assert_eq!(old.to_bits(), new.to_bits());
        }
        assert!(*new >= base || old == new);
        changed += usize::from(old != new);
    }
    assert!(changed > 500, "{changed}");
}

#[test]
fn ground_away_from_the_sea_keeps_its_bits() {
    for (height, sea) in [(0.5, 0.2), (0.2, 0.5), (0.5, 0.5)] {
        let place = TestScene { sea_level: sea, ..TestScene::new(65, Edges::Open) };
        let flat = Terrain::from_fn(65, Edges::Open, |_, _| height);
        assert!(run(&place, &coastal(&[]), &flat, 20).terrain().height == flat.height);
    }
    // Steep land that the sea never reaches, within the range of cliffs.
    let place = TestScene { sea_level: 0.0, ..test_scene() };
    let hills = Terrain::from_fn(201, Edges::Open, |u, _| 0.05 + 0.4 * (u * 40.0).sin().abs());
    assert!(run(&place, &coastal(&[]), &hills, 20).terrain().height == hills.height);
}

#[test]
fn hard_rock_makes_headlands() {
    let mut before = cliff(90.0);
    let hard = |k: usize| (80..120).contains(&(k / 201));
    before.map_mut(MapKind::Hardness).iter_mut().enumerate().for_each(|(k, h)| *h = if hard(k) { 0.8 } else { 0.0 });
    let made = run(&test_scene(), &coastal(&OPEN_SEA), &before, 40);
    // The westernmost water of a row.
    let shore = |row: usize| (0..201).find(|&j| made.terrain().height[row * 201 + j] < 0.5).unwrap();
    let (headland, bays) = (shore(100), [shore(50), shore(150)]);
    println!("shore at column {headland} on hard rock, {bays:?} beside it");
    assert!(bays.iter().all(|&bay| headland > bay + 5), "{headland} {bays:?}");
}

#[test]
fn the_lee_is_spared() {
    let island = Terrain::from_fn(201, Edges::Open, |u, v| if (u - 0.5).hypot(v - 0.5) < 0.25 { 0.65 } else { 0.45 });
    let west = coastal(&[("prevailing", "1"), ("wave_azimuth", "270"), ("fetch", "300")]);
    let made = run(&test_scene(), &west, &island, 30);
    let wear = made.terrain().map(MapKind::Wear).unwrap();
    let side = |columns: std::ops::Range<usize>| -> f32 {
        (80..120).flat_map(|i| columns.clone().map(move |j| wear[i * 201 + j])).sum()
    };
    // The few waves that reach around the flanks only remove terrain that was too steep.
    assert!(side(140..201) < 0.15 * side(0..60), "{} {}", side(0..60), side(140..201));
}

/// The platform is below the sea level and not below the wave base, and beaches are no steeper than their angle.
#[test]
fn cliffs_leave_a_platform_and_debris_becomes_a_beach() {
    let before = cliff(90.0);
    let made = run(&test_scene(), &coastal(&[("prevailing", "0"), ("fetch", "300")]), &before, 40);
    let row: Vec<f32> = (0..201).map(|j| (made.terrain().height[100 * 201 + j] - 0.5) * 200.0).collect();
    println!("metres above sea level from column 78: {:.1?}", &row[78..104]);
    let cut = (0..201).filter(|&j| before.height[100 * 201 + j] > 0.5 && row[j] < 5.0).count();
    assert!(cut >= 8, "{cut} samples of platform: {row:?}");
    assert!(row.iter().all(|h| *h >= -15.01));
    let deposits = made.terrain().map(MapKind::Deposits).unwrap();
    let (mut beach, mut high) = (0, 0);
    for (k, _) in deposits.iter().enumerate().filter(|(_, d)| **d > 0.5 / 200.0) {
        beach += 1;
        high += usize::from(made.terrain().height[k] > 0.5 + 2.6 / 200.0);
    }
    assert!(beach > 100 && high == 0, "{beach} samples of beach, {high} above the waves");
}

#[test]
fn threads_and_snapshots_change_no_bit() {
    let place = TestScene { sea_level: 0.45, ..TestScene::new(257, Edges::Wrap) };
    let ground = place.noise();
    let [one, three] =
        [1, 3].map(|threads| on_threads(threads, || run(&place, &coastal(&[]), &ground, 10).terrain().clone()));
    assert!(one == three);
}
