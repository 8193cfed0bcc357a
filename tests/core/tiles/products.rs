//! Products of tiles: files of the whole terrain and tile pyramids for maps in browsers, and the disk space that they
//! need.

use std::path::Path;

use crate::tiles::builds::{layer, planned, run_all, scene, whole};
use talweg::export::maps::ExportMap;
use talweg::field::{Control, MapKind};
use talweg::tiles::TileBuild;

#[test]
fn merged_tiles_have_the_bytes_of_an_export() {
    use talweg::export::{ExportFolder, ExportRequest, export};
    use talweg::io::SaveTarget;
    use talweg::scene::BuildTiles;
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(257, vec![layer("Perlin", 1), layer("Thermal", 2)]);
    let terrain = whole(&scene, 257);
    let build = planned(&folder.path().join("plan"), &scene, 257, 100);
    run_all(&build);
    let control = Control::default();
    let merged = build.merged(&control).unwrap();
    let tiling = BuildTiles { samples: 129, shared_edges: true };
    let maps = [("heights", None), ("wear", Some(tiling)), ("slope", None)];
    for ending in ["r32", "r16", "png", "tif", "cog.tif", "exr", "asc"] {
        for (what, tiles) in maps {
            let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
            for folder in [&ours, &theirs] {
                std::fs::create_dir_all(folder).unwrap();
            }
            let name = format!("{what}.{ending}");
            let target = SaveTarget::new(ours.join(&name));
            let map = what.parse().unwrap();
            let reports = build.write_merged(&merged, &map, &target, tiles, &control).unwrap();
            let request = ExportRequest::for_files(&[name.clone().into()], &map, &[], None).unwrap();
            let request = ExportRequest { tiles, samples: Some(257), ..request };
            let place = ExportFolder { folder: theirs.clone(), force: false, ..ExportFolder::default() };
            let report = export(&request, &scene, &terrain, &place, &control, &|_| ()).unwrap();
            assert_eq!(reports.rasters.len(), report.rasters.len(), "{name}");
            for (ours, theirs) in reports.rasters.iter().zip(&report.rasters) {
                assert_eq!(ours.path.file_name(), theirs.path.file_name());
                assert!(std::fs::read(&ours.path).unwrap() == std::fs::read(&theirs.path).unwrap(), "{:?}", ours.path);
            }
        }
    }
    let to = folder.path().join("flow.r32").into();
    let flow = build.write_merged(&merged, &ExportMap::Data(MapKind::Flow), &to, None, &control);
    assert!(flow.unwrap_err().to_string().contains("Flow"));
}

#[test]
fn a_pyramid_from_tiles_equals_that_of_the_whole() {
    use talweg::web_map::{MapPosition, RasterPyramid, TilePixels};
    let folder = tempfile::tempdir().unwrap();
    let terrace = layer("Perlin", 1);
    let mut scene = scene(600, vec![terrace, layer("Thermal", 2)]);
    scene.settings.size_metres = 9000.0;
    let terrain = whole(&scene, 600);
    let build = planned(&folder.path().join("plan"), &scene, 600, 128);
    run_all(&build);
    let control = Control::default();
    let merged = build.merged(&control).unwrap();
    for (name, pixels) in [
        ("terrarium", TilePixels::Terrarium),
        ("mapbox", TilePixels::MapboxRgb),
        ("hillshade", TilePixels::Hillshade(scene.settings.sun_direction())),
    ] {
        let pyramid = RasterPyramid {
            pixels,
            position: MapPosition { longitude: 7.7, latitude: 46.0 },
            side_metres: scene.settings.size_metres,
            relief_metres: scene.settings.relief_metres,
            closest_zoom: None,
        };
        let [ours, theirs] = ["ours", "theirs"].map(|whose| folder.path().join(format!("{name}-{whose}")));
        let report = build.write_pyramid(&merged, &pyramid, &ours, &control).unwrap();
        assert_eq!(report, pyramid.write(&terrain, &theirs, &control).unwrap());
        assert!(report.tiles > 10, "{report:?}");
        let (ours, theirs) = (all_files(&ours), all_files(&theirs));
        assert_eq!(ours.len() as u64, report.tiles + 1);
        assert!(ours == theirs, "{name}");
    }
    // No level files are left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 7);
    control.cancel();
    let place = MapPosition { longitude: 7.7, latitude: 46.0 };
    let pyramid = RasterPyramid {
        pixels: TilePixels::Terrarium,
        position: place,
        side_metres: 9000.0,
        relief_metres: 1.0,
        closest_zoom: Some(8),
    };
    let stopped = build.write_pyramid(&merged, &pyramid, &folder.path().join("stopped"), &control);
    assert!(stopped.is_err() && !folder.path().join("stopped").exists());
}

/// The contents of a folder, by file name.
fn all_files(folder: &Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let bytes = std::fs::read(&path).unwrap();
                    found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), bytes);
                }
            }
        }
    }
    found
}

#[test]
fn unread_tiles_are_removed_and_not_recomputed() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = scene(300, ["Perlin", "Thermal", "Blur", "Thermal", "Normalise"].map(|name| layer(name, 1)).into());
    scene.set("2.iterations=40").unwrap();
    let hash = whole(&scene, 300).hash();
    let kept = planned(&folder.path().join("kept"), &scene, 300, 100);
    run_all(&kept);
    let pruned = planned(&folder.path().join("pruned"), &scene, 300, 100);
    let stages = pruned.plan.stages.len();
    let bytes_of = |build: &TileBuild| -> u64 {
        let tiles = all_files(build.store.folder()).into_iter().filter(|(path, _)| path.iter().count() > 1);
        tiles.map(|(_, bytes)| bytes.len() as u64).sum()
    };
    let control = Control::default();
    let (mut open, mut most) = (pruned.open_stages().unwrap(), 0);
    assert!(open.iter().all(|open| *open));
    for number in 0..stages {
        if number == stages / 2 {
            // As after an interruption: finished tasks are known although their tiles are gone.
            open = TileBuild::open(pruned.store.folder()).unwrap().open_stages().unwrap();
            assert!(!open[0] && open[number..].iter().all(|open| *open), "{open:?}");
        }
        for task in 0..pruned.plan.stages[number].tasks {
            pruned.run_task(number, task, &control).unwrap();
        }
        most = most.max(bytes_of(&pruned));
        pruned.remove_unread_tiles(number, &open);
    }
    assert_eq!(pruned.merged(&control).unwrap().hash, hash);
    assert!(pruned.open_stages().unwrap().iter().all(|open| !open));
    // The disk use that the plan reports is close to the actual use.
    let said = pruned.plan.disk_use(&scene);
    let fits = |said: u64, is: u64| said.abs_diff(is) < is / 20;
    assert!(fits(said.kept, bytes_of(&kept)), "{said:?}, it is {}", bytes_of(&kept));
    assert!(fits(said.pruned, most), "{said:?}, it was {most}");
    assert!(bytes_of(&pruned) < most && 2 * most < said.kept, "{said:?}");
    // A lost tile of the result requires all tiles from which it was made.
    std::fs::remove_file(&pruned.files_written(stages - 1, 0).unwrap()[0]).unwrap();
    assert!(pruned.open_stages().unwrap().iter().all(|open| *open));
}
