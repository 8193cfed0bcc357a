//! Planets from files: heights from a map or six faces are at the right positions, also at edges and poles.

use std::path::Path;

use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Globe, Terrain};
use talweg::io::{HeightSheet, export_sheet};
use talweg::nodes::Node;
use talweg::planet::World;
use talweg::planet::projection::{Equirectangular, FACE_NAMES, Registration};
use talweg::scene::{Layer, Scene};

use crate::kits::nodes::node;

const RELIEF: f32 = 20_000.0;

fn scene(node: Node, samples: usize) -> Scene {
    let mut scene = Scene { layers: vec![Layer::new(node, 1)], ..Scene::default() };
    scene.settings.world = World::Planet;
    scene.settings.resolution = samples as u32;
    scene.settings.relief_metres = RELIEF;
    scene
}

fn import(file: &Path, layout: &str, more: &[(&str, &str)], samples: usize) -> Terrain {
    let file = file.to_string_lossy();
    let values = [&[("file", &*file), ("layout", layout)], more].concat();
    crate::kits::common::evaluate(&scene(node("PlanetImport", &values), samples), samples, 2)
}

/// A smooth function on the sphere, from -0.6 to 0.6, without symmetry.
fn law([x, y, z]: [f64; 3]) -> f64 {
    0.25 * x * y + 0.3 * z * z * z - 0.2 * y + 0.15 * x * z * z
}

fn write(map: Equirectangular, path: &Path) {
    let heights = map.map(|direction| law(direction) as f32);
    let range = heights.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)));
    let sheet = HeightSheet { width: map.width, heights: &heights, range, relief_metres: RELIEF, cell_metres: 1.0 };
    export_sheet(&sheet, path).unwrap();
}

/// Maximum deviation from the function, turned by `turn` degrees to the east.
fn error(terrain: &Terrain, turn: f64) -> f64 {
    let globe = Globe::new(terrain.samples());
    let (sin, cos) = libm::sincos(-turn.to_radians());
    let mut most = 0.0_f64;
    for (k, &h) in terrain.height.iter().enumerate() {
        assert_eq!(h.to_bits(), terrain.height[globe.grid().owner(k)].to_bits(), "faces differ at {k}");
        let [x, y, z] = globe.direction_of(k).map(f64::from);
        most = most.max((f64::from(h) - law([x * cos - y * sin, x * sin + y * cos, z])).abs());
    }
    most
}

#[test]
fn imported_maps_have_no_seams_and_no_torn_poles() {
    let folder = tempfile::tempdir().unwrap();
    for (registration, layout, width, height) in
        [(Registration::Pixel, "Map", 256, 128), (Registration::Grid, "Points", 257, 129)]
    {
        let path = folder.path().join(format!("{layout}.png"));
        write(Equirectangular { width, height, registration }, &path);
        // 65 has samples on the poles and on longitude 180°.
        for samples in [65, 100] {
            let straight = error(&import(&path, layout, &[("sampling", "Bilinear")], samples), 0.0);
            let smooth = error(&import(&path, layout, &[], samples), 0.0);
            assert!(straight < 3e-4, "{layout} {samples}: {straight} straight");
            assert!(smooth < 2.5e-5, "{layout} {samples}: {smooth} smooth");
        }
        // A map with 90° E in its middle is the planet after a quarter turn.
        let turned = error(&import(&path, layout, &[("middle", "90")], 65), 90.0);
        assert!(turned < 2.5e-5, "{layout}: {turned} turned");
    }
}

#[test]
fn raw_maps_are_twice_as_wide_as_high() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("earth.r32");
    write(Equirectangular { width: 256, height: 128, registration: Registration::Pixel }, &path);
    assert!(error(&import(&path, "Map", &[], 33), 0.0) < 2.5e-5);
    // Raw 16-bit files contain no metres; the heights of black and white are given.
    let path = folder.path().join("level.r16");
    std::fs::write(&path, u16::MAX.to_le_bytes().repeat(32 * 16)).unwrap();
    let level = import(&path, "Map", &[("high_metres", "5000")], 9);
    assert!(level.height.iter().all(|h| (h - 0.25).abs() < 1e-6));
}

#[test]
fn exported_planets_are_imported_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let noise = scene(node("Perlin", &[("octaves", "4"), ("frequency", "2")]), 65);
    let before = crate::kits::common::evaluate(&noise, 65, 2);
    let (range, n) = (before.range(), 65);
    for (face, name) in FACE_NAMES.iter().enumerate() {
        let heights = &before.height[face * n * n..][..n * n];
        let sheet = HeightSheet { width: n, heights, range, relief_metres: RELIEF, cell_metres: 1.0 };
        export_sheet(&sheet, folder.path().join(format!("p-{name}.r32"))).unwrap();
    }
    let after = import(&folder.path().join("p-py.r32"), "Faces", &[], 65);
    let apart =
        |other: &Terrain| before.height.iter().zip(&other.height).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart(&after) < 1e-6, "{}", apart(&after));
    let map = Equirectangular { width: 1024, height: 512, registration: Registration::Pixel };
    let path = folder.path().join("map.png");
    let heights = map.field(&Globe::new(before.samples()), &before.height);
    let relief_metres = noise.settings.relief_metres;
    let range = before.range();
    export_sheet(&HeightSheet { width: map.width, heights: &heights, range, relief_metres, cell_metres: 1.0 }, &path)
        .unwrap();
    let after = import(&path, "Map", &[], 65);
    assert!(apart(&after) < 0.01 * (range.1 - range.0), "{}", apart(&after));
}

#[test]
fn faulty_faces_are_reported_and_repaired_files_read() {
    let folder = tempfile::tempdir().unwrap();
    let face = |name: &str| folder.path().join(format!("p-{name}.r16"));
    let level = |value: u16, side: usize| value.to_le_bytes().repeat(side * side);
    FACE_NAMES.iter().for_each(|name| std::fs::write(face(name), level(0, 5)).unwrap());
    let file = |name: &str| face(name).to_string_lossy().into_owned();
    let mut scene = scene(
        node(
            "PlanetImport",
            &[("file", &file("px")), ("layout", "Faces"), ("low_metres", "0"), ("high_metres", "20000")],
        ),
        9,
    );
    let mut store = Store::default();
    let mut heights =
        |scene: &Scene| evaluate(scene, 9, None, &mut store, &Control::default()).unwrap().terrain.height.clone();
    assert!(scene.problems().is_empty() && heights(&scene).iter().all(|h| *h == 0.0));
    // The scene names only the file of the first face; an error in the file of another face is also reported.
    std::fs::write(face("nz"), level(u16::MAX, 7)).unwrap();
    let said = |scene: &Scene| scene.problems().into_iter().map(|p| p.message).collect::<Vec<_>>();
    assert!(matches!(&said(&scene)[..], [one] if one.contains("7 × 7") && one.contains("5 × 5")), "{:?}", said(&scene));
    std::fs::write(face("nz"), level(u16::MAX, 5)).unwrap();
    assert!(scene.problems().is_empty() && heights(&scene)[5 * 81 + 40] == 1.0, "the south pole rose");
    std::fs::remove_file(face("ny")).unwrap();
    assert!(matches!(&said(&scene)[..], [one] if one.contains("p-ny.r16")), "{:?}", said(&scene));
    std::fs::write(folder.path().join("one.r16"), level(0, 5)).unwrap();
    scene.set(&format!("1.file={}", folder.path().join("one.r16").display())).unwrap();
    assert!(matches!(&said(&scene)[..], [one] if one.contains("-px") && one.contains("one.r16")), "{:?}", said(&scene));
}

/// A map in degrees: an ESRI grid whose value at each cell centre is a function of longitude and latitude.
fn degree_map(path: &Path, [columns, rows]: [usize; 2], [west, south, step]: [f64; 3], law: impl Fn(f64, f64) -> f64) {
    let mut text = format!("ncols {columns}\nnrows {rows}\nxllcorner {west}\nyllcorner {south}\ncellsize {step}\n");
    for row in 0..rows {
        let latitude = south + (rows as f64 - 0.5 - row as f64) * step;
        let numbers = (0..columns).map(|column| law(west + (column as f64 + 0.5) * step, latitude).to_string());
        text += &(numbers.collect::<Vec<_>>().join(" ") + "\n");
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_georeferenced_map_is_placed_at_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let metres = |longitude: f64, latitude: f64| {
        let (longitude, latitude) = (longitude.to_radians(), latitude.to_radians());
        1000.0 * (2.0 + latitude.sin() + latitude.cos() * longitude.cos())
    };
    let degrees = |globe: &Globe, k: usize| {
        let [x, y, z] = globe.direction_of(k).map(f64::from);
        (y.atan2(x).to_degrees(), z.clamp(-1.0, 1.0).asin().to_degrees())
    };
    // The whole planet with 180° in its middle, as stored in the file.
    let whole = folder.path().join("whole.asc");
    degree_map(&whole, [180, 90], [0.0, -90.0, 2.0], metres);
    let made = import(&whole, "Map", &[], 33);
    let globe = Globe::new(33);
    for k in 0..made.height.len() {
        let (longitude, latitude) = degrees(&globe, k);
        let read = f64::from(made.height[k] * RELIEF);
        assert!((read - metres(longitude, latitude)).abs() < 1.0, "{read} at {longitude}, {latitude}");
    }
    // A part of the planet that crosses longitude 180°.
    let part = folder.path().join("part.asc");
    degree_map(&part, [800, 400], [160.0, 10.0, 0.05], metres);
    for voids in ["Smooth", "Lowest", "Sea"] {
        let made = import(&part, "Map", &[("voids", voids)], 65);
        let globe = Globe::new(65);
        let lowest = metres(180.0, 10.0);
        let mut inside = 0;
        for k in 0..made.height.len() {
            let (longitude, latitude) = degrees(&globe, k);
            let east = (longitude - 160.0).rem_euclid(360.0);
            let read = f64::from(made.height[k] * RELIEF);
            if east > 0.1 && east < 39.9 && latitude > 10.1 && latitude < 29.9 {
                inside += 1;
                assert!((read - metres(longitude, latitude)).abs() < 1.0, "{voids}: {read} at {longitude}, {latitude}");
            } else if east > 41.0 && east < 359.0 || !(9.0..=31.0).contains(&latitude) {
                let (low, high) = match voids {
                    "Sea" => (0.0, 0.0),
                    "Lowest" => (lowest, lowest),
                    _ => (lowest - 1.0, metres(160.0, 30.0) + 60.0),
                };
                assert!(read >= low - 5.0 && read <= high + 5.0, "{voids}: {read} at {longitude}, {latitude}");
            }
        }
        assert!(inside > 100, "{inside}");
    }
}
