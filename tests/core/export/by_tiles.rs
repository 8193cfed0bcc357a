//! Exports larger than memory are written by tiles, with the same bytes as the whole export.

use std::path::Path;

use crate::tiles::builds::{layer, scene, whole};
use talweg::export::maps::ExportMap;
use talweg::export::{ExportFolder, ExportRequest, export};
use talweg::field::{Control, Edges, SquareReader};
use talweg::param::LayerName;
use talweg::planet::climate::{Climate, Warmth};
use talweg::scene::{BuildPlacement, BuildPreset, BuildProduct, BuildTiles, Mask, Reads, Scene};
use talweg::tiles::{LargeExport, TileError};

/// All files below a folder with their bytes.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        match path.is_dir() {
            true => found.extend(contents(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes))),
            false => found.push((name, std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn a_tiled_export_has_the_bytes_of_the_whole_export() {
    let scene = scene(257, vec![layer("Perlin", 1), layer("Thermal", 2), layer("Normalise", 3)]);
    let product = |what: &str, format: &str| BuildProduct { map: what.into(), format: format.into(), file: None };
    let all = [
        "heights:cog",
        "heights:exr",
        "wear:tiff",
        "wear:asc",
        "slope:exr",
        "normals:png",
        "bands:png",
        "curvature:tiff",
        "curvature:png",
    ];
    let plain = BuildPreset {
        products: all.iter().map(|text| text.split_once(':').unwrap()).map(|(a, b)| product(a, b)).collect(),
        directx_normals: true,
        band_metres: Some(20.0),
        placement: Some(BuildPlacement { epsg: 2056, west: 2_600_000.0, south: 1_200_000.0 }),
        ..BuildPreset::default()
    };
    let raw = BuildPreset {
        products: vec![
            product("heights", "r16"),
            product("slope", "r32"),
            product("heights", "png"),
            product("curvature", "r16"),
        ],
        tiles: Some(BuildTiles { samples: 65, shared_edges: true }),
        height_range: Some((-100.0, 2500.0)),
        south_first: true,
        big_endian: true,
        normalised: true,
        folder: "tiles".into(),
        ..BuildPreset::default()
    };
    for preset in [plain, raw] {
        check_bytes(&preset, &scene, 257, 100);
    }
}

/// Exports a preset by tiles and as a whole, and compares all files.
pub fn check_bytes(preset: &BuildPreset, scene: &Scene, samples: usize, tile: usize) -> Vec<String> {
    let (terrain, control) = (whole(scene, samples), Control::default());
    let [ours, theirs] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let place = |folder: &tempfile::TempDir| ExportFolder {
        folder: folder.path().into(),
        force: false,
        ..ExportFolder::default()
    };
    let (request, by_tiles) = (ExportRequest::from_preset(preset).unwrap(), place(&ours));
    let large = LargeExport::with_tile(&request, scene, &by_tiles, tile).unwrap();
    let report = large.write(&control, &|share| assert!((0.0..=1.001).contains(&share))).unwrap();
    export(&request, scene, &terrain, &place(&theirs), &control, &|_| ()).unwrap();
    let [ours, theirs] = [&ours, &theirs].map(|folder| contents(folder.path()));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&theirs));
    for ((name, ours), (_, theirs)) in ours.iter().zip(&theirs) {
        assert!(ours == theirs, "{name}");
    }
    assert_eq!(report.rasters.len() + report.others.len(), ours.len());
    let mut paths = report.rasters.iter().map(|raster| &raster.path).chain(&report.others);
    assert!(paths.all(|path| path.starts_with(&by_tiles.folder)), "{report:?}");
    names(&ours)
}

/// Products from texts such as `heights@png`.
pub fn products(all: &[&str]) -> Vec<BuildProduct> {
    let product = |(what, format): (&str, &str)| BuildProduct { map: what.into(), format: format.into(), file: None };
    all.iter().map(|text| product(text.rsplit_once('@').unwrap())).collect()
}

/// Colours, ground types and climate are exported from windows of the result, even if they need data about the whole
/// terrain.
#[test]
fn colours_and_ground_types_are_exported_by_tiles() {
    let layers = |lowest| [lowest, "Thermal", "Island", "FlowAccumulation", "Snow"].map(|name| layer(name, 3)).to_vec();
    let all = products(&[
        "colours@png",
        "types@png",
        "splat@png",
        "weights@tiff",
        "control@exr",
        "temperature@cog",
        "moisture@r16",
        "heights@png",
    ]);
    let samples = 269;
    // A triangular terrain leaves corners of the square empty.
    let grounds = [
        ("alpine", Warmth::Latitude, "Perlin"),
        ("biome:earth", Warmth::Season, "Perlin"),
        ("alpine", Warmth::Latitude, "Triangular"),
    ];
    for (palette, warmth, lowest) in grounds {
        let mut scene = scene(samples, layers(lowest));
        if lowest == "Triangular" {
            scene.set("1.layout=Triangle").unwrap();
        }
        scene.set("2.iterations=20").unwrap();
        scene.set("5.iterations=5").unwrap();
        scene.palette = palette.into();
        scene.climate = Some(Climate { warmth, latitude_span: 30.0, rain_height: 200.0, ..Climate::default() });
        let preset = BuildPreset { products: all.clone(), ..BuildPreset::default() };
        let names = check_bytes(&preset, &scene, samples as usize, 90);
        let count = |start: &str| names.iter().filter(|name| name.contains(start)).count();
        assert!(count("splat") >= 3 && count("weight-") >= 3 && count("legend") >= 2, "{palette}: {names:?}");
        if lowest == "Triangular" {
            continue;
        }
        // The exported tiles do not divide evenly into the windows of the computation.
        let cut = BuildPreset {
            products: products(&[
                "colours@tiff",
                "types@png",
                "splat@png",
                "control@exr",
                "temperature@r32",
                "moisture@r16",
            ]),
            tiles: Some(BuildTiles { samples: 68, shared_edges: true }),
            folder: "cut".into(),
            ..BuildPreset::default()
        };
        assert!(check_bytes(&cut, &scene, samples as usize, 157).len() > 60, "{palette}");
    }
}

/// Different code computes the whole terrain; this test compares its samples with those of the windows.
#[test]
fn windows_have_the_samples_of_the_whole() {
    use talweg::appearance::{SampledGround, TypeMap, TypeWeights, ground_colours};
    let (n, control, halo) = (301, Control::default(), SampledGround::HALO);
    for palette in ["alpine", "biome:earth"] {
        let mut scene = scene(n as u32, vec![layer("Perlin", 7), layer("FlowAccumulation", 1)]);
        scene.palette = palette.into();
        let terrain = whole(&scene, n);
        let ground = SampledGround::new(&scene, &terrain, &control).unwrap();
        let colours = ground_colours(&scene, &terrain, &control).unwrap();
        let is_biome = palette.starts_with("biome");
        let (types, weights) = match is_biome {
            true => (
                TypeMap::for_scene(&scene, &terrain, &control).unwrap().unwrap(),
                TypeWeights::for_scene(&scene, &terrain, &control).unwrap(),
            ),
            false => (
                TypeMap::of_materials(&scene, &terrain, &control).unwrap(),
                TypeWeights::of_materials(&scene, &terrain, &control).unwrap(),
            ),
        };
        assert_eq!(ground.legend(), types.legend);
        let mut counts = vec![0; types.legend.len()];
        types.types.iter().for_each(|kind| counts[usize::from(*kind)] += 1);
        let (kept, legend) = ground.kept(&counts, n * n);
        assert_eq!(legend, weights.legend);
        assert!(kept.len() > 2, "{palette}: {legend:?}");
        for (first, side) in [([0, 0], n), ([0, 0], 100), ([117, 40], 90), ([n - 77, n - 77], 77), ([200, 0], 101)] {
            let window = terrain.window(terrain.grid.window(first, side)).unwrap();
            let ours = ground.colours(&window, &control).unwrap();
            let our_types = ground.types(&window, &control).unwrap();
            let our_weights = ground.weights(&window, &kept, &control).unwrap();
            // The comparison skips the halo, which a window has on every side that is not an edge of the terrain.
            let counts = |k: usize, first: usize| (first == 0 || k >= halo) && (first + side == n || k < side - halo);
            for k in (0..side * side).filter(|k| counts(k / side, first[0]) && counts(k % side, first[1])) {
                let there = (first[0] + k / side) * n + first[1] + k % side;
                assert_eq!(ours[k], colours[there], "{palette}, {first:?}, {k}");
                assert_eq!(our_types[k], types.types[there], "{palette}, {first:?}, {k}");
                assert_eq!(&our_weights[k * kept.len()..][..kept.len()], weights.of_sample(there), "{palette}, {k}");
            }
        }
    }
}

/// An engine preset can be exported in tiles if each of its products can.
#[test]
fn an_engine_folder_is_exported_by_tiles() {
    let scene = scene(505, vec![layer("Perlin", 1)]);
    let preset = talweg::export::targets::ExportTarget::named("unreal").unwrap().preset();
    let preset = BuildPreset { folder: "unreal".into(), samples: Some(505), ..preset };
    let names = check_bytes(&preset, &scene, 505, 128);
    assert!(names.iter().any(|name| name.ends_with(talweg::export::targets::READ_ME)), "{names:?}");
}

#[test]
fn masks_export_by_tiles_as_from_the_whole() {
    let mut layers = vec![layer("Perlin", 1), layer("Billow", 2), layer("Thermal", 3), layer("Terrace", 4)];
    layers.push(layer("Perlin", 5));
    let names = ["Ground", "Sloping", "Softened", "Read", "Hidden"];
    for (layer, name) in layers.iter_mut().zip(names) {
        layer.name = name.into();
    }
    layers[1].mask = Mask { by_slope: true, slope_to: 30.0, by_noise: true, noise_metres: 300.0, ..Mask::default() };
    layers[2].mask = Mask {
        by_height: true,
        height_to: 900.0,
        by_curvature: true,
        curvature_metres: 100.0,
        soften_metres: 60.0,
        invert: true,
        ..Mask::default()
    };
    layers[3].mask = Mask {
        by_layer: true,
        layer: LayerName("Softened".into()),
        layer_reads: Reads::Height,
        layer_to: 700.0,
        layer_feather: 200.0,
        ..Mask::default()
    };
    layers[4].mask = Mask { by_height: true, height_to: 500.0, by_slope: true, ..Mask::default() };
    layers[4].enabled = false;
    let mut scene = scene(301, layers);
    scene.set("3.iterations=30").unwrap();
    let wanted = ["mask:Hidden@png", "mask:Sloping@tiff", "heights@png", "mask:Softened@r32", "mask:Read@exr"];
    let preset = BuildPreset { products: products(&wanted), ..BuildPreset::default() };
    check_bytes(&preset, &scene, 301, 100);
    // Export the mask of a single layer, and the mask of the lowest layer. A mask has no effect on the lowest layer.
    for what in ["mask:Read@png", "mask:Ground@r32"] {
        check_bytes(&BuildPreset { products: products(&[what]), ..BuildPreset::default() }, &scene, 301, 64);
    }
    // With wrapping edges and for a brush, the scene is computed on the whole terrain at once.
    scene.settings.edges = Edges::Wrap;
    let large = BuildPreset { products: products(&["mask:Softened@r32", "heights@r32"]), ..BuildPreset::default() };
    check_bytes(&large, &scene, 301, 100);
    // The export refuses the mask of a layer that does not exist.
    let place = ExportFolder { folder: "".into(), force: false, ..ExportFolder::default() };
    let nothing = ExportMap::Mask("Nothing".into());
    let none = ExportRequest::for_files(&["a.png".into()], &nothing, &[], None).unwrap();
    let said = LargeExport::new(&none, &scene, &place).unwrap_err().to_string();
    assert!(said.contains("`Nothing`") && said.contains("Softened"), "{said}");
}

#[test]
fn a_cancelled_tiled_export_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(129, vec![layer("Perlin", 1), layer("Thermal", 2)]);
    let request = |what: &str| ExportRequest::for_files(&["a.png".into()], &what.parse().unwrap(), &[], None).unwrap();
    let place = ExportFolder { folder: folder.path().into(), force: false, ..ExportFolder::default() };
    let heights = request("heights");
    let large = LargeExport::with_tile(&heights, &scene, &place, 64).unwrap();
    let control = Control::default();
    let stopped = large.write(&control, &|share| {
        if share > 0.5 {
            control.cancel()
        }
    });
    assert!(matches!(stopped, Err(TileError::Cancelled(_))), "{stopped:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // Exports that need the whole terrain are refused before any work, with the reason and an alternative.
    let refused = |scene: &Scene, what: &str, why: &str| {
        let said = LargeExport::new(&request(what), scene, &place).unwrap_err().to_string();
        assert!(said.contains(&format!("`{what}` needs the whole terrain, because {why}")), "{said}");
        assert!(said.contains("heights, data maps, slope"), "{said}");
    };
    refused(&scene, "relief", "its shadows may come from anywhere");
    refused(&scene, "occlusion", "the horizon may lie anywhere");
    let mut wrapping = scene.clone();
    wrapping.settings.edges = Edges::Wrap;
    for what in ["colours", "types", "splat", "weights"] {
        refused(&wrapping, what, "the terrain wraps");
    }
}
