//! Planets out of files: what a map or six faces say is where they say it, over their edges and poles too.

use std::path::Path;

use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Globe, Terrain};
use talweg::io::{HeightSheet, export_sheet};
use talweg::nodes::Node;
use talweg::planet::World;
use talweg::planet::projection::{Equirectangular, FACE_NAMES, Registration};
use talweg::scene::{Layer, Scene};

use crate::node_kit::node;

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
    crate::common::evaluate(&scene(node("PlanetImport", &values), samples), samples, 2)
}

/// A smooth law of the sphere, from -0.6 to 0.6, that has no symmetry.
fn law([x, y, z]: [f64; 3]) -> f64 {
    0.25 * x * y + 0.3 * z * z * z - 0.2 * y + 0.15 * x * z * z
}

fn write(map: Equirectangular, path: &Path) {
    let heights = map.map(|direction| law(direction) as f32);
    let range = heights.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)));
    let sheet = HeightSheet { width: map.width, heights: &heights, range, relief_metres: RELIEF, cell_metres: 1.0 };
    export_sheet(&sheet, path).unwrap();
}

/// Greatest distance to the law, turned by `turn` degrees to the east.
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
fn maps_are_read_without_seams_and_without_torn_poles() {
    let folder = tempfile::tempdir().unwrap();
    for (registration, layout, width, height) in
        [(Registration::Pixel, "Map", 256, 128), (Registration::Grid, "Points", 257, 129)]
    {
        let path = folder.path().join(format!("{layout}.png"));
        write(Equirectangular { width, height, registration }, &path);
        // 65 has samples on the poles and on longitude 180°
        for samples in [65, 100] {
            let straight = error(&import(&path, layout, &[("sampling", "Bilinear")], samples), 0.0);
            let smooth = error(&import(&path, layout, &[], samples), 0.0);
            assert!(straight < 3e-4, "{layout} {samples}: {straight} straight");
            assert!(smooth < 2.5e-5, "{layout} {samples}: {smooth} smooth");
        }
        // a map with 90° E in its middle is the planet turned by a quarter
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
    // raw 16 bits say nothing of metres: black and white are what is given
    let path = folder.path().join("level.r16");
    std::fs::write(&path, u16::MAX.to_le_bytes().repeat(32 * 16)).unwrap();
    let level = import(&path, "Map", &[("high_metres", "5000")], 9);
    assert!(level.height.iter().all(|h| (h - 0.25).abs() < 1e-6));
}

#[test]
fn what_is_exported_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let noise = scene(node("Perlin", &[("octaves", "4"), ("frequency", "2")]), 65);
    let before = crate::common::evaluate(&noise, 65, 2);
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
fn what_is_wrong_with_six_faces_is_said_and_mended_files_count() {
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
    // another face than the one that is named
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
