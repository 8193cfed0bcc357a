//! Tests snow against known facts: none is lost, it comes to rest at its angle of repose, cliffs stay bare, and cones
//! are covered equally in all directions.

use crate::kits::nodes::{TestScene, node, set};
use talweg::appearance::{PaletteTable, relief};
use talweg::appearance_files::Palette;
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{MassBalance, Node};
use talweg::scene::{Layer, Scene, Settings};

const RELIEF: f32 = 1000.0;
const SIZE: f32 = 2000.0;

fn slopes(samples: usize, edges: Edges) -> TestScene {
    TestScene { size_metres: SIZE, relief_metres: RELIEF, ..TestScene::new(samples, edges) }
}

/// Snow at any height, without wind, sun or smoothing.
fn plain(params: &[(&str, &str)]) -> Node {
    let still = [("snow_line", "-2000"), ("drift", "0"), ("smoothing_metres", "0"), ("melt_metres", "0")];
    let mut snow = node("Snow", &still);
    params.iter().for_each(|(name, text)| set(&mut snow, name, text));
    snow
}

fn run(place: &TestScene, snow: &Node, ground: &Terrain, iterations: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = snow.as_process().unwrap().start(&cx, ground.clone());
    (0..iterations).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

fn depth(terrain: &Terrain) -> &[f32] {
    terrain.map(MapKind::Snow).unwrap()
}

/// A cone of `degrees` on level ground, `metres` high.
fn cone(samples: usize, degrees: f32, metres: f32) -> Terrain {
    let tangent = degrees.to_radians().tan();
    Terrain::from_fn(samples, Edges::Open, |u, v| {
        let r = ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5)).sqrt() * SIZE;
        (metres - r * tangent).max(0.0) / RELIEF
    })
}

#[test]
fn every_slab_of_snow_is_conserved() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = slopes(65, edges);
        let snow = node("Snow", &[("snow_line", "450"), ("melt_metres", "0.05"), ("sun_warmth", "15")]);
        let (made, mass_balance) = run(&place, &snow, &place.noise(), 60);
        assert_eq!(mass_balance.residual(), 0.0, "{mass_balance:?}");
        assert_eq!(place.grid().sum(depth(&made)), mass_balance.added - mass_balance.lost, "{mass_balance:?}");
        assert!(mass_balance.lost > 0.0 && mass_balance.deposited > 0.0 && depth(&made).iter().all(|&s| s >= 0.0));
    }
}

#[test]
fn nothing_falls_below_the_snow_line() {
    let place = slopes(129, Edges::Open);
    let ground = Terrain::from_fn(129, Edges::Open, |u, _| 0.5 * u);
    let (made, _) = run(&place, &plain(&[("snow_line", "250")]), &ground, 60);
    for (s, h) in depth(&made).iter().zip(&ground.height) {
        // Within a cell of the snow line, the depth may be less than a slab.
        assert!(if *h <= 0.25 { *s == 0.0 } else { *s > 0.0 || *h < 0.26 }, "{s} at {h}");
    }
    let deep = |k: usize| depth(&made)[64 * 129 + k] * RELIEF;
    assert!(deep(128) > deep(90) && deep(90) > deep(70), "thins out towards the line");
}

#[test]
fn snow_stops_at_its_angle_of_repose() {
    let place = slopes(33, Edges::Open);
    let snow = plain(&[("total_metres", "12"), ("snowfall_metres", "0.5"), ("repose_angle", "38")]);
    let control = Control::default();
    let cx = place.context(&control);
    let ground = place.noise();
    let mut run = snow.as_process().unwrap().start(&cx, ground.clone());
    let (mut before, mut iterations) = (Vec::new(), 0);
    while before != run.terrain().height {
        before.clone_from(&run.terrain().height);
        run.step(&cx).unwrap();
        iterations += 1;
        assert!(iterations < 40_000, "still sliding");
    }
    println!("at rest after {iterations} iterations");
    let made = run.terrain();
    let rise = cx.rise_per_cell(38.0);
    for i in 1..32 {
        for j in 1..32 {
            let k = i * 33 + j;
            if depth(made)[k] * RELIEF < 0.01 {
                continue;
            }
            for other in [k - 1, k + 1, k - 33, k + 33] {
                let fall = made.height[k] - made.height[other];
                assert!(fall <= rise * 1.01, "{i} {j}: {} of {rise}", fall);
            }
        }
    }
}

#[test]
fn cliffs_stay_bare_and_their_foot_is_loaded() {
    let place = slopes(129, Edges::Open);
    let ground = cone(129, 62.0, 600.0);
    let (made, _) = run(&place, &plain(&[]), &ground, 200);
    let (mut cliff, mut foot) = (0.0f32, 0.0f32);
    for k in 0..129 * 129 {
        let (h, s) = (ground.height[k] * RELIEF, depth(&made)[k] * RELIEF);
        // Samples on the flank of the cone, away from its top and its foot.
        if (150.0..560.0).contains(&h) {
            cliff = cliff.max(s);
        }
        foot = foot.max(s);
    }
    println!("at most {cliff} m on the cliff, {foot} m at its foot");
    assert!(cliff < 0.01, "{cliff}");
    let (flat, _) = run(&place, &plain(&[]), &Terrain::flat(place.grid()), 200);
    assert!(foot >= depth(&flat)[0] * RELIEF, "{foot}");
}

/// Snow that slides off a cone accumulates at its foot equally in every direction.
#[test]
fn avalanches_have_no_preferred_direction() {
    let place = slopes(257, Edges::Open);
    let ground = cone(257, 48.0, 500.0);
    let (made, _) = run(&place, &plain(&[]), &ground, 200);
    let mut depths = Terrain::flat(place.grid());
    depths.height.copy_from_slice(depth(&made));
    let foot = 500.0 / 48.0f32.to_radians().tan();
    // Snow volume along a ray across the foot of the cone, per metre of the foot's circumference.
    let load = |degrees: f32| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let at = |r: f32| depths.height_at(0.5 + r * cos / SIZE, 0.5 + r * sin / SIZE) * RELIEF * r;
        (0..240).map(|k| at(foot - 120.0 + k as f32)).sum::<f32>() / foot
    };
    let around: Vec<f32> = (0..16).map(|k| load(k as f32 * 22.5)).collect();
    let (least, most) = around.iter().fold((f32::MAX, 0.0f32), |(a, b), &d| (a.min(d), b.max(d)));
    println!("anisotropy {:.3}: {around:?}", most / least - 1.0);
    assert!(least > 0.0 && most / least < 1.05, "{around:?}");
}

#[test]
fn without_snowfall_nothing_changes() {
    let place = slopes(65, Edges::Open);
    let ground = place.noise();
    for snow in [plain(&[("snowfall_metres", "0")]), node("Snow", &[("snow_line", "5000")])] {
        let (made, mass_balance) = run(&place, &snow, &ground, 20);
        assert!(made.height == ground.height && mass_balance == MassBalance::default());
    }
}

#[test]
fn lee_sides_get_more_and_sunny_sides_keep_less() {
    let place = slopes(129, Edges::Open);
    let ground = cone(129, 25.0, 300.0);
    // Samples half-way up the western, eastern, northern and southern flanks.
    let (west, east) = (64 * 129 + 44, 64 * 129 + 84);
    let (north, south) = (44 * 129 + 64, 84 * 129 + 64);
    let (windy, _) = run(&place, &plain(&[("drift", "1"), ("wind_angle", "270")]), &ground, 40);
    assert!(depth(&windy)[east] > 1.5 * depth(&windy)[west]);
    assert_eq!(depth(&windy)[north], depth(&windy)[south]);
    let sunny = plain(&[("snow_line", "-10"), ("melt_metres", "0.02"), ("sun_warmth", "20")]);
    let (sunny, _) = run(&place, &sunny, &ground, 60);
    assert!(depth(&sunny)[north] > depth(&sunny)[south] + 0.0005, "{} {}", depth(&sunny)[north], depth(&sunny)[south]);
}

#[test]
fn the_picture_shows_snow_white() {
    let mut ground = Terrain::flat(slopes(33, Edges::Open).grid());
    let settings = Settings { relief_metres: RELIEF, sea_level: -10.0, ..Settings::default() };
    let table = PaletteTable::new(Palette::named("alpine").unwrap(), &settings);
    let bare = relief(&ground, &settings, &table, [32; 2], &Control::default()).unwrap();
    for (k, depth) in ground.map_mut(MapKind::Snow).iter_mut().enumerate() {
        *depth = if k % 33 > 16 { 0.005 } else { 0.0 };
    }
    let drawn = relief(&ground, &settings, &table, [32; 2], &Control::default()).unwrap();
    let pixel = |x: usize| &drawn.rgb[(16 * 32 + x) * 3..][..3];
    assert_eq!(pixel(4), &bare.rgb[(16 * 32 + 4) * 3..][..3]);
    assert!(pixel(28).iter().all(|&channel| channel > 195), "{:?}", pixel(28));
}

/// The scene of hills under snow that runs from coarse to fine, starting at 65 samples.
fn winter() -> Scene {
    let mut scene = Scene {
        layers: ["Perlin", "Snow"].map(|name| Layer::new(Node::named(name).unwrap(), 1)).into(),
        ..Scene::default()
    };
    (scene.settings.size_metres, scene.settings.resolution) = (SIZE, 257);
    for value in ["snow_line=-2000", "melt_metres=0", "drift=0", "total_metres=6", "largest_scale=Samples65"] {
        scene.set(&format!("2.{value}")).unwrap();
    }
    scene
}

#[test]
fn finer_grids_get_no_more_snow_and_it_slides_off_cliffs() {
    let scene = winter();
    let made = |samples| evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
    let mean = |terrain: &Terrain| {
        let snow = depth(terrain);
        snow.iter().map(|&depth| f64::from(depth * scene.settings.relief_metres)).sum::<f64>() / snow.len() as f64
    };
    let (coarse, fine) = (made(65), made(257));
    let (before, after) = (mean(&coarse), mean(&fine));
    // Interpolation undershoots below zero at the edges of the snow, and negative depths are discarded.
    assert!(before > 1.0 && (1.0..1.15).contains(&(after / before)), "{before} and {after} m");
    // Select slopes that are too steep for snow and that only the fine grid resolves.
    let mut bare = scene.clone();
    bare.layers.pop();
    let ground = evaluate(&bare, 257, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
    let cell = scene.settings.size_metres / 256.0;
    let (mut steep, mut all) = ([0.0f64; 2], [0.0f64; 2]);
    for k in (1..256usize).flat_map(|i| (1..256).map(move |j| i * 257 + j)) {
        let slope = |step: usize| {
            (ground.height[k + step] - ground.height[k - step]) * scene.settings.relief_metres / (2.0 * cell)
        };
        let (south, east) = (slope(257), slope(1));
        let lies = f64::from(depth(&fine)[k] * scene.settings.relief_metres);
        let sum = if (south * south + east * east).sqrt() > 50.0f32.to_radians().tan() { &mut steep } else { &mut all };
        *sum = [sum[0] + lies, sum[1] + 1.0];
    }
    assert!(steep[1] > 100.0, "{steep:?}");
    let [steep, all] = [steep, all].map(|[sum, count]| sum / count);
    assert!(steep < 0.5 * all, "{steep} m on cliffs, {all} m elsewhere");
}
