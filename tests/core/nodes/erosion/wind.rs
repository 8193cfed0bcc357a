//! Dunes against known facts: they lie across the wind, travel with it, and keep their sand.

use crate::kits::nodes::{TestScene, node};
use talweg::appearance::{PaletteTable, relief};
use talweg::appearance_files::Palette;
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{MassBalance, Node};
use talweg::scene::Settings;

/// A terrain 4 km wide with a relief of 600 m.
fn desert(samples: usize, edges: Edges) -> TestScene {
    TestScene { size_metres: 4000.0, relief_metres: 600.0, ..TestScene::new(samples, edges) }
}

fn run(place: &TestScene, dunes: &Node, ground: Terrain, iterations: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let mut run = dunes.as_process().unwrap().start(&cx, ground);
    (0..iterations).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

fn sand(terrain: &Terrain) -> &[f32] {
    terrain.map(MapKind::Sand).unwrap()
}

/// Direction across the ridges of a field from its structure tensor, in degrees clockwise from east, from 0 to 180. The
/// second value, from 0 to 1, says how much more the field varies in that direction than along the ridges.
fn across_ridges(samples: usize, field: &[f32]) -> (f64, f64) {
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for i in 1..samples - 1 {
        for j in 1..samples - 1 {
            let k = i * samples + j;
            let gx = f64::from(field[k + 1] - field[k - 1]);
            let gy = f64::from(field[k + samples] - field[k - samples]);
            (xx, yy, xy) = (xx + gx * gx, yy + gy * gy, xy + gx * gy);
        }
    }
    let coherence = ((xx - yy).powi(2) + 4.0 * xy * xy).sqrt() / (xx + yy);
    ((0.5 * (2.0 * xy).atan2(xx - yy)).to_degrees().rem_euclid(180.0), coherence)
}

/// Smallest angle between two axes.
fn apart(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(180.0);
    d.min(180.0 - d)
}

/// Axis of a wind from `from`, clockwise from east.
fn axis(from: f64) -> f64 {
    (from - 90.0).rem_euclid(180.0)
}

#[test]
fn every_slab_of_sand_is_conserved() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = desert(65, edges);
        let dunes = node("Dunes", &[("wind_angle", "213"), ("winds", "3"), ("season", "5")]);
        let (made, mass_balance) = run(&place, &dunes, place.noise(), 60);
        let lies = place.grid().sum(sand(&made));
        assert_eq!(mass_balance.residual(), 0.0, "{mass_balance:?}");
        assert_eq!(lies + mass_balance.carried + mass_balance.lost, mass_balance.added, "{mass_balance:?}");
        assert_eq!(mass_balance.lost == 0.0, edges == Edges::Wrap, "{mass_balance:?}");
        assert!(mass_balance.carried > 0.0 && sand(&made).iter().all(|&s| s >= 0.0));
    }
}

#[test]
fn crests_stand_across_the_wind_whatever_the_grid() {
    let place = desert(257, Edges::Wrap);
    for from in [0.0, 22.5, 30.0, 45.0, 250.0] {
        let dunes = node("Dunes", &[("wind_angle", &from.to_string()), ("sand_metres", "12")]);
        let (made, _) = run(&place, &dunes, Terrain::flat(place.grid()), 500);
        let (across, coherence) = across_ridges(257, sand(&made));
        println!("wind from {from}: ridges {:.1}° off, coherence {coherence:.2}", apart(across, axis(from)));
        assert!(apart(across, axis(from)) < 8.0, "wind from {from}: {across} is across the ridges");
        assert!(coherence > 0.4, "no ridges: {coherence}");
    }
}

#[test]
fn lee_sides_are_as_steep_as_sand_can_be() {
    let place = desert(257, Edges::Wrap);
    let dunes = node("Dunes", &[("wind_angle", "270"), ("sand_metres", "12")]);
    let (made, _) = run(&place, &dunes, Terrain::flat(place.grid()), 400);
    let tangent = |rise: f32| rise * 600.0 / (4000.0 / 256.0);
    let (mut lee, mut windward, mut steepest_lee) = (0, 0, 0.0f32);
    for row in made.height.chunks(257) {
        for pair in row.windows(2) {
            let t = tangent(pair[1] - pair[0]);
            steepest_lee = steepest_lee.max(-t);
            lee += usize::from(t < -0.5);
            windward += usize::from(t > 0.5);
        }
    }
    println!("steep on lee sides {lee}, on windward sides {windward}, steepest {steepest_lee}");
    assert!(lee > 3 * windward && lee > 100, "{lee} {windward}");
    let repose = 34.0f32.to_radians().tan();
    assert!((0.8 * repose..1.1 * repose).contains(&steepest_lee), "{steepest_lee} where {repose} rests");
}

/// A hill of sand on bare rock travels with the wind, equally far in every direction; the sand has not yet reached the
/// edges.
#[test]
fn a_dune_travels_equally_in_all_wind_directions() {
    let place = desert(257, Edges::Open);
    let mut ground = Terrain::flat(place.grid());
    let depth = Terrain::from_fn(257, Edges::Open, |u, v| {
        let r2 = ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5)) / (0.06 * 0.06);
        if r2 < 1.0 { 0.03 * (1.0 - r2) * (1.0 - r2) } else { 0.0 }
    });
    ground.height.copy_from_slice(&depth.height);
    ground.map_mut(MapKind::Sand).copy_from_slice(&depth.height);
    let mut far = Vec::new();
    for from in [0.0f64, 22.5, 45.0, 90.0, 200.0] {
        let bare = [("sand_metres", "0"), ("inflow", "0"), ("iterations", "100")];
        let mut dunes = node("Dunes", &bare);
        crate::kits::nodes::set(&mut dunes, "wind_angle", &from.to_string());
        let (made, _) = run(&place, &dunes, ground.clone(), 24);
        let (mut mass, mut x, mut y) = (0.0f64, 0.0f64, 0.0f64);
        for (k, &s) in sand(&made).iter().enumerate() {
            mass += f64::from(s);
            x += f64::from(s) * ((k % 257) as f64 - 128.0);
            y += f64::from(s) * ((k / 257) as f64 - 128.0);
        }
        let (x, y) = (x / mass, y / mass);
        let off = (y.atan2(x).to_degrees() - (from + 90.0) + 180.0).rem_euclid(360.0) - 180.0;
        far.push((x * x + y * y).sqrt());
        println!("wind from {from}: {:.2} cells, {off:.2}° off", far[far.len() - 1]);
        assert!(off.abs() < 3.0, "wind from {from} drives the dune {off}° to the right");
    }
    let (least, most) = far.iter().fold((f64::MAX, 0.0f64), |(a, b), &d| (a.min(d), b.max(d)));
    println!("anisotropy {:.3}", most / least - 1.0);
    assert!(least > 2.0 && most / least < 1.06, "{far:?}");
}

#[test]
fn without_sand_nothing_moves() {
    let place = desert(65, Edges::Open);
    let dunes = node("Dunes", &[("sand_metres", "0"), ("inflow", "0")]);
    let ground = place.noise();
    let (made, mass_balance) = run(&place, &dunes, ground.clone(), 20);
    assert!(made.height == ground.height && mass_balance == MassBalance::default());
}

#[test]
fn abrasion_carves_ribs_along_the_wind_and_spares_hard_rock() {
    let place = desert(257, Edges::Wrap);
    let sandblast = [("sand_metres", "0.5"), ("rock_grip", "0"), ("abrasion", "1"), ("unevenness", "0.6")];
    let mut dunes = node("Dunes", &sandblast);
    crate::kits::nodes::set(&mut dunes, "wind_angle", "300");
    let (made, mass_balance) = run(&place, &dunes, Terrain::flat(place.grid()), 250);
    let wear = made.map(MapKind::Wear).unwrap();
    assert!(wear.iter().all(|&w| w >= 0.0) && mass_balance.residual() == 0.0 && mass_balance.lost > 0.0);
    let (across, coherence) = across_ridges(257, wear);
    println!("ribs {:.1}° off the wind, coherence {coherence:.2}", apart(across, axis(300.0) + 90.0));
    assert!(apart(across, axis(300.0) + 90.0) < 15.0, "{across} is across the ribs");
    crate::kits::nodes::set(&mut dunes, "hardness", "1");
    let (made, _) = run(&place, &dunes, Terrain::flat(place.grid()), 20);
    assert!(made.map(MapKind::Wear).unwrap().iter().all(|&w| w == 0.0));
}

#[test]
fn the_picture_shows_where_sand_lies() {
    let mut ground = Terrain::flat(desert(33, Edges::Open).grid());
    let settings = Settings { relief_metres: 600.0, sea_level: -10.0, ..Settings::default() };
    let table = PaletteTable::new(Palette::named("alpine").unwrap(), &settings);
    let bare = relief(&ground, &settings, &table, [32; 2], &Control::default()).unwrap();
    ground.map_mut(MapKind::Sand);
    assert_eq!(relief(&ground, &settings, &table, [32; 2], &Control::default()).unwrap(), bare, "no depth, no colour");
    for (k, depth) in ground.map_mut(MapKind::Sand).iter_mut().enumerate() {
        *depth = if k % 33 > 16 { 0.05 } else { 0.0 };
    }
    let drawn = relief(&ground, &settings, &table, [32; 2], &Control::default()).unwrap();
    let pixel = |x: usize| &drawn.rgb[(16 * 32 + x) * 3..][..3];
    assert_eq!(pixel(4), &bare.rgb[(16 * 32 + 4) * 3..][..3]);
    let sandy = pixel(28);
    assert!(sandy[0] > sandy[1] && sandy[1] > sandy[2] && sandy[0] - sandy[2] > 30, "{sandy:?}");
}
