//! Heights exported to a file and imported again.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Control, Edges, Terrain};
use talweg::io::{export_heightmap, raster};
use talweg::measure::{Limits, TerrainScale, difference, measure};
use talweg::scene::import::scene_from_file;
use talweg::scene::{Layer, Scene, Settings};

#[test]
fn an_exported_heightmap_is_imported_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let place = TestScene::new(129, Edges::Open);
    let (made, settings) = (place.noise(), Settings::default());
    for (name, tolerance) in [("h.r32", 2e-7), ("h.png", 1.0 / 65535.0)] {
        let path = folder.path().join(name);
        export_heightmap(&made, settings.relief_metres, settings.size_metres, &path).unwrap();
        for sampling in ["Bicubic", "Bilinear"] {
            let import = node("Import", &[("file", path.to_str().unwrap()), ("sampling", sampling)]);
            let read = place.finish(&import, &Terrain::flat(place.grid()), 1);
            for (k, (a, b)) in made.height.iter().zip(&read.height).enumerate() {
                assert!((a - b).abs() <= tolerance, "{name} {sampling}: {a} and {b} at {k}");
            }
        }
    }
}

#[test]
fn given_heights_apply_and_non_square_images_are_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.png");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = png::Encoder::new(file, 5, 3);
    encoder.set_color(png::ColorType::Grayscale);
    // The grey value grows to the east by a quarter of the range per sample.
    let rows: Vec<u8> = [0u8, 64, 128, 191, 255].repeat(3);
    encoder.write_header().unwrap().write_image_data(&rows).unwrap();
    let place = TestScene { relief_metres: 1000.0, ..TestScene::new(9, Edges::Open) };
    let read = |fit: &str| {
        let params = [
            ("file", path.to_str().unwrap()),
            ("fit", fit),
            ("low_metres", "100"),
            ("high_metres", "300"),
            ("sampling", "Bilinear"),
        ];
        let heights = place.finish(&node("Import", &params), &Terrain::flat(place.grid()), 1).height;
        [heights[0], heights[4], heights[8]].map(|h| (h * 1000.0).round())
    };
    assert_eq!(read("Stretch"), [100.0, 200.0, 300.0]);
    // The crop keeps the middle half of the width.
    assert_eq!(read("Crop"), [150.0, 200.0, 250.0]);
    assert_eq!(read("Whole"), [100.0, 200.0, 300.0]);
}

/// Writes a georeferenced ESRI ASCII grid in metres without external programs. Samples for which `metres` returns
/// `None` are `NODATA`.
fn grid_file(
    folder: &tempfile::TempDir,
    name: &str,
    [columns, rows]: [usize; 2],
    metres: impl Fn(usize, usize) -> Option<f32>,
) -> String {
    let mut text = format!(
        "ncols {columns}\nnrows {rows}\nxllcenter 500000\nyllcenter 4000000\ncellsize 10\nNODATA_value -9999\n"
    );
    for i in 0..rows {
        let row = (0..columns).map(|j| metres(i, j).unwrap_or(-9999.0).to_string());
        text += &(row.collect::<Vec<_>>().join(" ") + "\n");
    }
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

#[test]
fn no_data_samples_are_filled_or_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let is_hole = |i: usize, j: usize| (3..6).contains(&i) && (2..7).contains(&j);
    // A slope that rises to the east, from 100 m at its foot.
    let file = grid_file(&folder, "holed.asc", [9, 9], |i, j| (!is_hole(i, j)).then_some(100.0 + 10.0 * j as f32));
    let place = TestScene { relief_metres: 1000.0, sea_level: 0.15, ..TestScene::new(9, Edges::Open) };
    let read = |voids: &str| {
        place.finish(&node("Import", &[("file", &file), ("voids", voids)]), &Terrain::flat(place.grid()), 1)
    };
    let metres = |terrain: &Terrain, i: usize, j: usize| terrain.height[i * 9 + j] * 1000.0;
    for voids in ["Smooth", "Lowest", "Sea", "Void"] {
        let made = read(voids);
        for (i, j) in (0..81).map(|k| (k / 9, k % 9)).filter(|&(i, j)| !is_hole(i, j)) {
            assert!((metres(&made, i, j) - (100.0 + 10.0 * j as f32)).abs() < 0.01, "{voids}: {i} {j}");
            assert!(made.has_ground(i * 9 + j), "{voids}");
        }
        let middle = metres(&made, 4, 4);
        let meant = match voids {
            "Lowest" => 100.0,
            "Sea" => 150.0,
            _ => 140.0,
        };
        assert!((middle - meant).abs() < 1.0, "{voids}: {middle} and not {meant}");
        assert_eq!(made.void_samples(), if voids == "Void" { 15 } else { 0 }, "{voids}");
    }
}

#[test]
fn raw_files_have_width_byte_order_and_first_row_settings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.r16");
    // A grid of 6 × 3 samples: the values grow to the east and, more slowly, to the south.
    let number = |i: usize, j: usize| (10_000 * j + 1000 * i) as u16;
    let numbers = (0..18).map(|k| number(k / 6, k % 6));
    std::fs::write(&path, numbers.flat_map(u16::to_be_bytes).collect::<Vec<u8>>()).unwrap();
    let place = TestScene { relief_metres: 65535.0, ..TestScene::new(16, Edges::Open) };
    let file = path.to_str().unwrap();
    let read = |rows: &str| {
        let params = [
            ("file", file),
            ("raw_width", "6"),
            ("raw_bytes", "Big"),
            ("raw_rows", rows),
            ("low_metres", "0"),
            ("high_metres", "65535"),
            ("sampling", "Bilinear"),
        ];
        place.finish(&node("Import", &params), &Terrain::flat(place.grid()), 1).height
    };
    let near = |h: f32, meant: usize| assert!((h * 65535.0 - meant as f32).abs() < 1.0, "{} and {meant}", h * 65535.0);
    let (north, south) = (read("North"), read("South"));
    near(north[0], 0);
    near(north[15], 50_000);
    near(north[15 * 16], 2000);
    near(south[0], 2000);
    near(south[15 * 16 + 15], 50_000);
    // The scene reports that it cannot be read while the width is wrong.
    let mut scene = Scene { layers: vec![Layer::new(node("Import", &[("file", file)]), 1)], ..Scene::default() };
    std::fs::write(&path, [0; 14]).unwrap();
    let said = |scene: &Scene| scene.problems().into_iter().map(|p| p.message).collect::<Vec<_>>().join("\n");
    assert!(said(&scene).contains("Raw width"), "{}", said(&scene));
    scene.set("1.raw_width=3").unwrap();
    assert!(said(&scene).contains("not a whole number of rows of 3"), "{}", said(&scene));
    std::fs::write(&path, [0; 12]).unwrap();
    assert_eq!(said(&scene), "");
}

#[test]
fn a_scene_reports_a_width_that_differs_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = grid_file(&folder, "slope.asc", [33, 17], |i, j| Some((i * i + 3 * j) as f32));
    let mut scene = Scene { layers: vec![Layer::new(node("Import", &[("file", &file)]), 1)], ..Scene::default() };
    let mut said = |change: &str| {
        scene.set(change).unwrap();
        scene.problems().into_iter().map(|p| p.message).collect::<Vec<_>>().join("\n")
    };
    assert!(said("1.fit=Stretch").contains("320 m × 160 m") && said("1.fit=Stretch").contains("Crop"));
    let crop = said("1.fit=Crop");
    assert!(
        crop.contains("8.00 km wide") && crop.contains("0.02 times") && crop.contains("Set the size to 160 m"),
        "{crop}"
    );
    assert!(said("1.fit=Whole").contains("Set the size to 320 m"));
    said("1.fit=Crop");
    assert_eq!(said("scene.size_metres=160"), "");
}

#[test]
fn a_scene_from_a_file_has_its_size_and_heights() {
    let folder = tempfile::tempdir().unwrap();
    let metres = |i: usize, j: usize| 200.0 + (i * i) as f32 + 3.0 * j as f32;
    let file = grid_file(&folder, "slope.asc", [33, 17], |i, j| Some(metres(i, j)));
    let scene = scene_from_file(std::path::Path::new(&file)).unwrap();
    let settings = &scene.settings;
    assert_eq!((scene.name.as_str(), settings.resolution, settings.size_metres), ("slope", 17, 160.0));
    assert_eq!(settings.relief_metres, metres(16, 32) - metres(0, 0));
    assert!(scene.problems().is_empty(), "{:?}", scene.problems());
    let made = crate::kits::common::evaluate(&scene, 17, 1);
    for (k, h) in made.height.iter().enumerate() {
        // The terrain keeps the middle 17 of the 33 columns.
        let meant = metres(k / 17, 8 + k % 17);
        assert!((h * settings.relief_metres - meant).abs() < 0.01, "{} and {meant}", h * settings.relief_metres);
    }
    let error = scene_from_file(&folder.path().join("no.tif")).unwrap_err().to_string();
    assert!(error.contains("no.tif"), "{error}");
    // A map of the whole world in degrees becomes a planet.
    let world = folder.path().join("world.asc");
    let rows = "5 6 7 8 9 10 11 12\n".repeat(4);
    std::fs::write(&world, format!("ncols 8\nnrows 4\nxllcorner -180\nyllcorner -90\ncellsize 45\n{rows}")).unwrap();
    let planet = scene_from_file(&world).unwrap();
    assert!(planet.is_planet() && planet.settings.relief_metres == 7.0 && planet.problems().is_empty());
}

/// The shipped elevation model matches its description, and its scene fills the gaps and drains the hollows.
#[test]
fn the_shipped_elevation_model_is_filled_and_drains() {
    let model = raster("elevation:made-range").unwrap();
    assert_eq!((model.width, model.height, model.range_metres), (257, 257, Some((75.0, 1901.0))));
    let extent = model.extent_metres().unwrap();
    assert!(extent.iter().all(|side| (side - 24_000.0).abs() < 1e-6), "{extent:?}");
    let gaps = model.is_void.iter().filter(|is_void| **is_void).count();
    assert!((300..800).contains(&gaps), "{gaps}");
    let scene = talweg::scene::example("elevation-model").expect("the scene is shipped").scene.clone();
    assert!(scene.problems().is_empty(), "{:?}", scene.problems());
    let mut bare = scene.clone();
    bare.layers.truncate(1);
    let measured = |scene: &Scene| {
        let terrain = crate::kits::common::evaluate(scene, 257, 2);
        let scale = TerrainScale::for_scene(scene);
        let measures = measure(&terrain, scale, &Limits::default(), &Control::default()).unwrap();
        (terrain, scale, measures)
    };
    let (before, after) = (measured(&bare), measured(&scene));
    assert_eq!(before.0.void_samples(), 0);
    let drained = |m: &talweg::measure::Measures| m.drainage.as_ref().unwrap().drained_fraction;
    assert!(drained(&after.2) > drained(&before.2) + 0.3, "{} and {}", drained(&before.2), drained(&after.2));
    let apart =
        difference((&before.0, before.1), (&after.0, after.1), &Limits::default(), &Control::default()).unwrap();
    assert!((1.0..150.0).contains(&apart.rms_metres), "the land changed too much or too little: {apart:?}");
    assert!(raster("elevation:no").unwrap_err().to_string().contains("elevation:made-range"));
}

#[test]
fn an_imported_mesh_gives_its_surface_from_above() {
    let folder = tempfile::tempdir().unwrap();
    // A roof 200 m long and 100 m wide. Its ridge runs from east to west, 20 m above the eaves. In the file y is up and
    // z is south.
    let roof = "v 0 10 0\nv 200 10 0\nv 200 30 50\nv 0 30 50\nv 200 10 100\nv 0 10 100\nf 1 4 3 2\nf 4 6 5 3\n";
    let file = folder.path().join("roof.obj");
    std::fs::write(&file, roof).unwrap();
    let scene = scene_from_file(&file).unwrap();
    assert_eq!((scene.settings.size_metres, scene.settings.relief_metres), (100.0, 20.0));
    assert!(scene.problems().is_empty(), "{:?}", scene.problems());
    let made = crate::kits::common::evaluate(&scene, 65, 1);
    for (k, h) in made.height.iter().enumerate() {
        let south = (k / 65) as f32 / 64.0;
        let meant = 30.0 - 40.0 * (south - 0.5).abs();
        assert!((h * 20.0 - meant).abs() < 0.2, "{} and {meant} at {k}", h * 20.0);
    }
    // A different mesh under the same file name gives different heights.
    std::fs::write(&file, roof.replace("30 50", "50 50")).unwrap();
    assert!(crate::kits::common::evaluate(&scene, 65, 1).hash() != made.hash());
    std::fs::write(&file, "f 1 2 3\n").unwrap();
    let said = scene.problems();
    assert!(said.len() == 1 && said[0].message.contains("roof.obj"), "{said:?}");
}

#[test]
fn a_simplified_mesh_is_imported_within_its_error() {
    use talweg::export::{ExportFolder, ExportRequest, export};
    use talweg::scene::{BuildMesh, BuildPreset, BuildProduct, example};
    let folder = tempfile::tempdir().unwrap();
    let scene = example("alpine-range").unwrap().scene.clone();
    let side = 513;
    let made = crate::kits::common::evaluate(&scene, side, 2);
    let error_metres = 2.0;
    let mesh = BuildProduct { map: "mesh".into(), format: "glb".into(), file: Some("range.glb".into()) };
    let preset = BuildPreset {
        products: vec![mesh],
        mesh: BuildMesh { error_metres, water: false, ..BuildMesh::default() },
        ..BuildPreset::default()
    };
    let place = ExportFolder { folder: folder.path().into(), force: false, ..ExportFolder::default() };
    let request = ExportRequest::from_preset(&preset).unwrap();
    export(&request, &scene, &made, &place, &Control::default(), &|_| ()).unwrap();
    let read = scene_from_file(&folder.path().join("range.glb")).unwrap();
    assert_eq!(read.settings.resolution as usize % (side - 1), 1, "the vertices lie on samples");
    let again = crate::kits::common::evaluate(&read, side, 2);
    // Both scenes measure heights from the base of their relief.
    let metres = |terrain: &Terrain, scene: &Scene| -> Vec<f32> {
        terrain.height.iter().map(|h| h * scene.settings.relief_metres).collect()
    };
    let (meant, found) = (metres(&made, &scene), metres(&again, &read));
    let worst = meant.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst <= error_metres + 0.01, "{worst} m off");
}

/// For each format that Talweg writes, a truncated file is reported as incomplete, with advice.
#[test]
fn truncated_exports_are_reported_as_truncated() {
    use talweg::export::{ExportFolder, ExportRequest, export};
    use talweg::scene::{BuildPreset, BuildProduct};
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::default();
    let mut made = Terrain::flat(scene.grid(65));
    made.height = TestScene::new(65, Edges::Open).noise().height;
    let products = ["png", "tif", "cog.tif", "exr", "asc", "glb", "ply", "stl"].map(|end| {
        let format = match end {
            "tif" => "tiff",
            "cog.tif" => "cog",
            other => other,
        };
        let what = if ["glb", "ply", "stl"].contains(&end) { "mesh" } else { "heights" };
        BuildProduct { map: what.into(), format: format.into(), file: Some(format!("a.{end}")) }
    });
    let preset = BuildPreset { products: products.to_vec(), ..BuildPreset::default() };
    let place = ExportFolder { folder: folder.path().into(), force: false, ..ExportFolder::default() };
    let request = ExportRequest::from_preset(&preset).unwrap();
    export(&request, &scene, &made, &place, &Control::default(), &|_| ()).unwrap();
    for product in products {
        let name = product.file.unwrap();
        let path = folder.path().join(&name);
        let whole = std::fs::read(&path).unwrap();
        scene_from_file(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        for keep in [4, whole.len() / 10, whole.len() / 3, whole.len() / 2, whole.len() * 9 / 10] {
            let cut = folder.path().join(format!("cut-{keep}-{name}"));
            std::fs::write(&cut, &whole[..keep]).unwrap();
            let said = scene_from_file(&cut).map(|_| ()).unwrap_err().to_string();
            let is_told = said.contains("ends too early") && said.contains("again") && said.contains(&name);
            // For a text grid, the error names the first missing word.
            let is_header = keep == 4 && name == "a.asc";
            assert!(is_told || is_header && said.contains(&name), "{name}, {keep} of {}: {said}", whole.len());
        }
    }
}

#[test]
fn a_scene_from_a_raw_file_has_the_requested_settings() {
    use talweg::io::formats::ReadOptions;
    use talweg::scene::import::scene_from_file_as;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.r32");
    let number = |i: usize, j: usize| (100 * i + j) as f32;
    let numbers = (0..32 * 16).map(|k| number(k / 32, k % 32));
    std::fs::write(&path, numbers.flat_map(f32::to_be_bytes).collect::<Vec<u8>>()).unwrap();
    let layout = ReadOptions { raw_width: 32, big_endian: true, ..ReadOptions::default() };
    let said = scene_from_file_as(&path, ReadOptions { raw_width: 33, ..layout }).unwrap_err().to_string();
    assert!(said.contains("not a whole number of rows of 33") && said.contains("Raw width"), "{said}");
    for (first_row_is_south, north) in [(false, 0), (true, 15)] {
        let scene = scene_from_file_as(&path, ReadOptions { first_row_is_south, ..layout }).unwrap();
        assert!(scene.problems().is_empty(), "{:?}", scene.problems());
        assert_eq!(scene.settings.resolution, 16);
        let made = crate::kits::common::evaluate(&scene, 16, 1);
        let first = made.height[0] * scene.settings.relief_metres;
        // The terrain keeps the middle 16 of the 32 columns.
        assert!((first - number(north, 8)).abs() < 0.6, "{first}");
    }
}
