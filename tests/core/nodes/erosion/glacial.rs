//! Tests glacial erosion: the ice follows exact solutions, keeps its volume, and leaves the expected landforms.

use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::MassBalance;

use crate::kits::nodes::{TestScene, node};

/// The factor ⅖A(ρg)³ of temperate ice in 1/(m³ year), with the rate factor A, the ice density ρ and gravity g.
const DEFORMATION: f64 = 0.4 * 2.4e-24 * 31_556_926.0 * (917.0 * 9.81) * (917.0 * 9.81) * (917.0 * 9.81);

/// Ice that neither slides nor erodes, without snowfall.
const STILL: [(&str, &str); 3] = [("sliding", "0"), ("balance_gradient", "0"), ("erosion_rate", "0")];

fn run(place: &TestScene, params: &[(&str, &str)], input: &Terrain, iterations: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let node = node("Glacial", params);
    let mut run = node.as_process().unwrap().start(&cx, input.clone());
    (0..iterations).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

/// Terrain and ice in metres, as functions of the distances from the middle to the east and to the south in metres.
fn ground(place: &TestScene, height: impl Fn(f64, f64) -> f64, ice: impl Fn(f64, f64) -> f64) -> Terrain {
    let (side, relief) = (f64::from(place.size_metres), f64::from(place.relief_metres));
    let metres = |t: f32| (f64::from(t) - 0.5) * side;
    let field = |value: &dyn Fn(f64, f64) -> f64| {
        Terrain::from_fn(place.samples, place.edges, |u, v| (value(metres(u), metres(v)) / relief) as f32)
    };
    let mut terrain = field(&height);
    terrain.map_mut(MapKind::Ice).copy_from_slice(&field(&ice).height);
    terrain
}

fn thickness(place: &TestScene, terrain: &Terrain) -> Vec<f64> {
    let relief = f64::from(place.relief_metres);
    terrain.map(MapKind::Ice).unwrap().iter().map(|&ice| f64::from(ice) * relief).collect()
}

/// Halfar 1983: a dome on level terrain that spreads and keeps its shape.
#[test]
fn a_dome_spreads_as_halfar_found() {
    let (centre, radius) = (600.0f64, 20_000.0f64);
    let begin = (7.0f64 / 4.0).powi(3) * radius.powi(4) / (18.0 * DEFORMATION * centre.powi(7));
    let dome = |years: f64, r: f64| {
        let aged = begin / years;
        let part = 1.0 - (aged.powf(1.0 / 18.0) * r / radius).powf(4.0 / 3.0);
        centre * aged.powf(1.0 / 9.0) * part.max(0.0).powf(3.0 / 7.0)
    };
    for (samples, step) in [(129, 2.0), (129, 16.0), (257, 4.0)] {
        let place = TestScene { size_metres: 60_000.0, ..TestScene::new(samples, Edges::Open) };
        let start = ground(&place, |_, _| 0.0, |x, y| dome(begin, x.hypot(y)));
        let text = step.to_string();
        let iterations = (9.0 * begin / step).round();
        let params = [STILL.as_slice(), &[("time_step", &text), ("ice_years", &text)]].concat();
        let (made, _) = run(&place, &params, &start, iterations as u32);
        let end = begin + iterations * step;
        let (ice, before) = (thickness(&place, &made), thickness(&place, &start));
        let [volume, old_volume] = [&ice, &before].map(|ice| ice.iter().sum::<f64>());
        assert!((volume / old_volume - 1.0).abs() < 1e-6, "{old_volume} {volume}");
        let middle = (samples - 1) / 2;
        let cell = 60_000.0 / (samples - 1) as f64;
        let along: [Vec<f64>; 2] = [
            (0..=middle).map(|k| ice[middle * samples + middle + k]).collect(),
            (0..=middle).map(|k| ice[(middle + k) * samples + middle + k]).collect(),
        ];
        let exact_radius = radius * (end / begin).powf(1.0 / 18.0);
        println!("{samples} {step}: centre {} of {}", along[0][0], dome(end, 0.0));
        assert!((along[0][0] / dome(end, 0.0) - 1.0).abs() < 0.02);
        // Along a row and along a diagonal.
        for (profile, step) in along.iter().zip([cell, cell * 2f64.sqrt()]) {
            let reached = profile.iter().take_while(|&&h| h > 1.0).count() as f64 * step;
            println!("    radius {reached:.0} of {exact_radius:.0}");
            assert!((reached - exact_radius).abs() < 2.0 * cell + 0.01 * exact_radius);
            for (k, h) in profile.iter().enumerate().filter(|(k, _)| (*k as f64) * step < 0.8 * exact_radius) {
                let exact = dome(end, k as f64 * step);
                assert!((h - exact).abs() < 0.03 * centre, "{k}: {h} {exact}");
            }
        }
    }
}

/// Nye 1952: on a plane of slope S below a divide, the flux of a glacier in equilibrium equals all snow that falls
/// upslope: ⅖A(ρg)³ S³ H⁵ = M x. H is the ice thickness, M the snowfall rate, and x the distance from the divide.
#[test]
fn a_steady_glacier_carries_all_snow_from_upslope() {
    let place = TestScene { size_metres: 10_000.0, relief_metres: 4000.0, ..TestScene::new(129, Edges::Open) };
    let start = ground(&place, |_, y| 3000.0 - 0.3 * y, |_, _| 0.0);
    let params = [
        ("sliding", "0"),
        ("erosion_rate", "0"),
        ("equilibrium_line", "-10000"),
        ("most_snow", "1"),
        ("time_step", "20"),
        ("ice_years", "20"),
    ];
    let (made, _) = run(&place, &params, &start, 60);
    let ice = thickness(&place, &made);
    let cell = 10_000.0 / 128.0;
    for row in [40, 64, 100] {
        let flux = (row as f64 + 0.5) * cell;
        let found = ice[row * 129 + 64];
        // The surface is less steep than the bed, because the ice thickens downslope.
        let slope = 0.3 - (ice[(row + 1) * 129 + 64] - ice[(row - 1) * 129 + 64]) / (2.0 * cell);
        let exact = (flux / (DEFORMATION * slope.powi(3))).powf(0.2);
        println!("row {row}: {found} of {exact}");
        assert!((found / exact - 1.0).abs() < 0.02, "{row}: {found} {exact}");
    }
}

/// Ice on rough and steep terrain without snowfall flows downhill; no ice is created or lost.
#[test]
fn ice_keeps_its_volume_on_any_bed() {
    for (time, years, relief) in [("1", "1", 1800.0f32), ("100", "100", 1800.0), ("10000", "10000", 20_000.0)] {
        let place = TestScene { relief_metres: relief, ..TestScene::new(65, Edges::Wrap) };
        let mut start = place.noise();
        start.map_mut(MapKind::Ice).iter_mut().enumerate().for_each(|(k, ice)| *ice = 0.01 * (k % 3) as f32);
        place.grid().close(start.map_mut(MapKind::Ice));
        let params = [STILL.as_slice(), &[("time_step", time), ("ice_years", years), ("wall_angle", "89")]].concat();
        let (made, _) = run(&place, &params, &start, 20);
        let [before, after] = [&start, &made].map(|t| place.grid().sum(t.map(MapKind::Ice).unwrap()));
        assert!((after / before - 1.0).abs() < 1e-6, "{before} {after}");
        assert!(made.map(MapKind::Ice).unwrap().iter().all(|&ice| ice >= 0.0));
        assert!(made.map(MapKind::Ice) != start.map(MapKind::Ice));
    }
}

/// Exponent b of y = a·x^b (Svensson 1959) for a valley profile, where y is the height above the valley floor and x the
/// distance from it: 1 for a V shape, 2 for a U shape.
fn trough_exponent(profile: &[f64], cell: f64, depth: f64) -> f64 {
    let floor = profile.iter().copied().fold(f64::INFINITY, f64::min);
    let centre = profile.iter().position(|&h| h == floor).unwrap() as f64;
    let points = profile.iter().enumerate().map(|(k, h)| ((k as f64 - centre).abs() * cell, h - floor));
    let logs: Vec<(f64, f64)> =
        points.filter(|(x, y)| *x > 0.0 && *y > 0.02 * depth && *y < depth).map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / logs.iter().map(|(x, _)| (x - mx).powi(2)).sum::<f64>()
}

/// A V-shaped valley that runs to the south from a broad basin, and a side valley that joins it half-way from the east.
fn river_valleys(place: &TestScene) -> Terrain {
    let height = |x: f64, y: f64| {
        let down = 1500.0 - 0.08 * (y + 5000.0);
        let trunk = down + 0.5 * x.abs();
        // The floor of the side valley meets the floor of the main valley.
        let joins = 1500.0 - 0.08 * 5000.0;
        let side = joins + 0.1 * x.abs() + 0.5 * y.abs() + if x < 0.0 { 1e4 } else { 0.0 };
        trunk.min(side).min(2400.0)
    };
    ground(place, height, |_, _| 0.0)
}

#[test]
fn a_river_valley_becomes_a_trough_and_its_side_valley_hangs() {
    let place = TestScene { size_metres: 10_000.0, relief_metres: 3000.0, ..TestScene::new(129, Edges::Open) };
    let start = river_valleys(&place);
    let (made, _) = run(&place, &[("equilibrium_line", "1200")], &start, 120);
    let relief = f64::from(place.relief_metres);
    let cell = 10_000.0 / 128.0;
    let row = |terrain: &Terrain, i: usize| -> Vec<f64> {
        terrain.height[i * 129..][..129].iter().map(|&h| f64::from(h) * relief).collect()
    };
    for i in [30, 40, 50] {
        let part = |terrain: &Terrain| trough_exponent(&row(terrain, i)[44..85], cell, 300.0);
        let (before, after) = (part(&start), part(&made));
        println!("row {i}: {before:.2} {after:.2}");
        assert!((before - 1.0).abs() < 0.1 && after > 1.4 && after < 3.0, "{i}: {before} {after}");
    }
    // Floor heights of the side valley, 2 km from the main valley, and of the main valley.
    let floors = |terrain: &Terrain| {
        let floor = |j: usize| (54..75).map(|i| row(terrain, i)[j]).fold(f64::INFINITY, f64::min);
        [floor(90), row(terrain, 64)[60..69].iter().copied().fold(f64::INFINITY, f64::min)]
    };
    let ([side, main], [side_after, main_after]) = (floors(&start), floors(&made));
    println!("worn: side valley {:.0}, main valley {:.0}", side - side_after, main - main_after);
    assert!(side > side_after + 5.0 && side_after - main_after > side - main + 50.0);
}

#[test]
fn hard_rock_and_terrain_below_the_ice_keep_their_bits() {
    let place = TestScene::new(65, Edges::Open);
    let noise = place.noise();
    let steep = ("wall_angle", "89");
    assert!(run(&place, &[("hardness", "1"), steep], &noise, 5).0.height == noise.height);
    let (made, mass_balance) = run(&place, &[("equilibrium_line", "3000"), steep], &noise, 5);
    assert!(made.height == noise.height && mass_balance == MassBalance::default());
    // Ice that is left at the end is part of the height, and the mass balance counts it as added.
    let (bed, _) = run(&place, &[("equilibrium_line", "500")], &noise, 10);
    let (left, books) = run(&place, &[("equilibrium_line", "500"), ("leave_ice", "true")], &noise, 10);
    let ice = left.map(MapKind::Ice).unwrap();
    assert!(bed.map(MapKind::Ice) == Some(ice) && ice.iter().any(|&ice| ice > 0.01));
    let cells = left.height.iter().zip(&bed.height).zip(ice.iter());
    assert!(cells.into_iter().all(|((left, bed), ice)| (left - bed - ice).abs() < 1e-6));
    let total = place.grid().sum(ice);
    assert!((books.added - total).abs() < 1e-4 * total, "{} {total}", books.added);
}

/// A cone under ice is eroded equally along rows and diagonals.
#[test]
fn a_cone_erodes_equally_in_all_directions() {
    let place = TestScene { size_metres: 12_000.0, relief_metres: 3000.0, ..TestScene::new(129, Edges::Open) };
    let start = ground(&place, |x, y| (2500.0 - 0.4 * x.hypot(y)).max(300.0), |_, _| 0.0);
    let (made, _) = run(&place, &[("equilibrium_line", "1300")], &start, 60);
    let along = [0.0f64, 22.5, 45.0].map(|degrees| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let worn = |k: i32| {
            let [u, v] = [cos, sin].map(|part| (0.5 + 0.005 * f64::from(k) * part) as f32);
            f64::from(start.height_at(u, v) - made.height_at(u, v))
        };
        (4..50).map(worn).sum::<f64>()
    });
    let mean = along.iter().sum::<f64>() / 3.0;
    println!("{along:?}");
    assert!(mean > 0.0 && along.iter().all(|a| (a / mean - 1.0).abs() < 0.1), "{along:?}");
}
