//! Exports that are larger than memory go by tiles, with the bytes of those of the whole.

use std::path::Path;

use crate::tiles::{layer, scene, whole};
use talweg::field::Control;
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
fn an_export_by_tiles_is_byte_for_byte_that_of_the_whole() {
    use talweg::export::{ExportPlace, export};
    use talweg::scene::{BuildPlacement, BuildPreset, BuildProduct, BuildTiles};
    let scene = scene(257, vec![layer("Perlin", 1), layer("Thermal", 2), layer("Normalise", 3)]);
    let terrain = whole(&scene, 257);
    let control = Control::default();
    let product = |what: &str, format: &str| BuildProduct { what: what.into(), format: format.into(), file: None };
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
        let [ours, theirs] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let place = |folder: &tempfile::TempDir| ExportPlace { folder: folder.path().into(), force: false };
        let by_tiles = place(&ours);
        let large = LargeExport::with_tile(&preset, &scene, &by_tiles, 100).unwrap();
        assert!(large.plan.stages.len() > 3, "{:?}", large.plan.stages);
        let report = large.write(&control, &|share| assert!((0.0..=1.001).contains(&share))).unwrap();
        export(&preset, &scene, &terrain, &place(&theirs), &control, &|_| ()).unwrap();
        let [ours, theirs] = [&ours, &theirs].map(|folder| contents(folder.path()));
        assert_eq!(
            ours.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            theirs.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
        for ((name, ours), (_, theirs)) in ours.iter().zip(&theirs) {
            assert!(ours == theirs, "{name}");
        }
        assert_eq!(report.rasters.len(), ours.len());
        assert!(report.rasters.iter().all(|raster| raster.path.starts_with(&by_tiles.folder)), "{report:?}");
    }
}

#[test]
fn an_export_by_tiles_that_ends_early_leaves_nothing() {
    use talweg::export::ExportPlace;
    use talweg::scene::{BuildPreset, BuildProduct};
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(129, vec![layer("Perlin", 1), layer("Thermal", 2)]);
    let product = |what: &str| BuildProduct { what: what.into(), format: "png".into(), file: Some("a.png".into()) };
    let place = ExportPlace { folder: folder.path().into(), force: false };
    let preset = BuildPreset { products: vec![product("heights")], ..BuildPreset::default() };
    let large = LargeExport::with_tile(&preset, &scene, &place, 64).unwrap();
    let control = Control::default();
    let stopped = large.write(&control, &|share| {
        if share > 0.5 {
            control.cancel()
        }
    });
    assert!(matches!(stopped, Err(TileError::Cancelled(_))), "{stopped:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // what needs the whole is refused before any work, with what would do
    for what in ["colours", "relief", "occlusion", "splat"] {
        let preset = BuildPreset { products: vec![product(what)], ..BuildPreset::default() };
        let said = LargeExport::new(&preset, &scene, &place).unwrap_err().to_string();
        assert!(said.contains(&format!("`{what}` is made of the terrain as a whole")), "{said}");
        assert!(said.contains("heights, data maps, slope"), "{said}");
    }
}
