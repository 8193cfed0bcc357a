//! Values, positions, names and texts of exported files, read back by external programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use talweg::eval::{Store, evaluate, thread_pool};
use talweg::export::maps::ExportMap;
use talweg::export::origin::{may_carry_scene, read_origin};
use talweg::export::targets::{READ_ME, TARGETS};
use talweg::export::{ExportError, ExportFolder, ExportReport, ExportRequest, check, export, holds, samples};
use talweg::field::{Control, MapKind, Terrain};
use talweg::io::formats::RASTER_FORMATS;
use talweg::scene::{BuildPlacement, BuildPreset, BuildProduct, BuildTiles, Scene, example};

use crate::kits::outside::python;

pub const SIZE: usize = 65;

pub fn scene(name: &str) -> Scene {
    example(name).unwrap_or_else(|| panic!("there is an example {name}")).scene.clone()
}

pub fn terrain(scene: &Scene, samples: usize) -> Arc<Terrain> {
    evaluate(scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain
}

pub fn export_folder(folder: &Path) -> ExportFolder {
    ExportFolder { folder: folder.into(), force: false, ..ExportFolder::default() }
}

pub fn product(what: &str, file: &str) -> BuildProduct {
    let path = Path::new(file);
    let mesh = talweg::mesh::formats::MeshFormat::for_path(path);
    let format = mesh.map_or_else(|| talweg::io::formats::RasterFormat::for_path(path).unwrap().id, |format| format.id);
    BuildProduct { map: what.into(), format: format.into(), file: Some(file.into()) }
}

pub fn products(list: &[(&str, &str)]) -> BuildPreset {
    let products = list.iter().map(|(what, file)| product(what, file)).collect();
    BuildPreset { products, ..BuildPreset::default() }
}

pub fn write(preset: &BuildPreset, scene: &Scene, terrain: &Terrain, folder: &Path) -> ExportReport {
    let (request, place) = (request(preset), export_folder(folder));
    check(&request, scene, &place).unwrap();
    export(&request, scene, terrain, &place, &Control::default(), &|_| ()).unwrap()
}

pub fn request(preset: &BuildPreset) -> ExportRequest {
    ExportRequest::from_preset(preset).unwrap()
}

/// The error with which the export refuses a preset.
fn refused(preset: &BuildPreset, scene: &Scene, place: &ExportFolder) -> ExportError {
    ExportRequest::from_preset(preset).and_then(|request| check(&request, scene, place)).unwrap_err()
}

#[test]
fn other_programs_read_the_exact_heights() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("island"));
    let made = terrain(&scene, SIZE);
    let names = ["h.r32", "h.tif", "h.cog.tif", "h.exr", "h.asc", "h.png", "h.r16"];
    let preset = BuildPreset {
        placement: Some(BuildPlacement { epsg: 2056, west: 2_600_000.0, south: 1_200_000.0 }),
        ..products(&names.map(|name| ("heights", name)))
    };
    let report = write(&preset, &scene, &made, folder.path());
    assert_eq!(report.rasters.len(), names.len());
    let metres: Vec<u8> = made.height.iter().flat_map(|h| (h * scene.settings.relief_metres).to_le_bytes()).collect();
    assert_eq!(std::fs::read(folder.path().join("h.r32")).unwrap(), metres);
    let script = "
import sys, os, numpy as np, rasterio, tifffile, OpenEXR
from PIL import Image
folder, n, side = sys.argv[1], 65, float(sys.argv[2])
at = lambda name: os.path.join(folder, name)
h = np.fromfile(at('h.r32'), '<f4').reshape(n, n)
for name in ['h.tif', 'h.cog.tif', 'h.asc']:
    with rasterio.open(at(name)) as f:
        assert (f.read(1) == h).all(), name
        t = f.transform
        cell = side / (n - 1)
        # samples are points: rasterio gives the corner of the cell around the first
        x, y = f.xy(0, 0)
        assert abs(x - 2600000) < 0.01 and abs(y - (1200000 + side)) < 0.01, (name, x, y)
        assert abs(t.a - cell) < 1e-6 * cell and abs(t.e + cell) < 1e-6 * cell, (name, t)
        if name != 'h.asc': assert f.crs.to_epsg() == 2056, (name, f.crs)
        if name != 'h.asc': assert 'talweg scene' in f.tags(), f.tags()
        if name == 'h.cog.tif': assert f.profile['tiled'] and f.tags(ns='IMAGE_STRUCTURE').get('LAYOUT') == 'COG', f.profile
assert (tifffile.imread(at('h.tif')) == h).all()
exr = OpenEXR.File(at('h.exr'))
assert (exr.channels()['Y'].pixels == h).all()
step = (h.max() - h.min()) / 65535
png = np.array(Image.open(at('h.png'))).astype(float)
assert png.shape == (n, n) and png.min() == 0 and png.max() == 65535
assert abs(h.min() + png * step - h).max() <= step, 'png'
raw = np.fromfile(at('h.r16'), '<u2').reshape(n, n)
assert (raw == png).all()
";
    python(script, &[folder.path(), Path::new(&scene.settings.size_metres.to_string())]);
}

#[test]
fn a_cloud_optimised_file_keeps_its_layout_with_the_scene_in_it() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("island"));
    let made = terrain(&scene, 1300);
    write(&products(&[("heights", "h.cog.tif"), ("normals", "n.cog.tif")]), &scene, &made, folder.path());
    let script = "
import sys, os, numpy as np, rasterio
for name in ['h.cog.tif', 'n.cog.tif']:
    path = os.path.join(sys.argv[1], name)
    head = open(path, 'rb').read(100)
    with rasterio.open(path) as f:
        assert f.tags(ns='IMAGE_STRUCTURE')['LAYOUT'] == 'COG'
        assert f.tags()['talweg samples'] == '1300' and 'talweg scene' in f.tags()
        levels = f.overviews(1)
        assert levels == [2, 4], levels
        # as in GDAL's validate_cloud_optimized_geotiff: the first directory follows the layout notes, all directories come
        # before all data, and data of coarser levels before data of finer levels
        item = lambda name, level: int(f.get_tag_item(name, 'TIFF', bidx=1, **({} if level < 0 else {'ovr': level})))
        directories = [item('IFD_OFFSET', level) for level in range(-1, len(levels))]
        data = [item('BLOCK_OFFSET_0_0', level) for level in range(-1, len(levels))]
        begin = b'GDAL_STRUCTURAL_METADATA_SIZE='
        assert head[8:8 + len(begin)] == begin, head
        first = 8 + len(begin) + 13 + int(head[8 + len(begin):14 + len(begin)])
        assert directories[0] == first + first % 2, (directories, first)
        assert directories == sorted(directories) and directories[-1] < min(data), (directories, data)
        assert data == sorted(data, reverse=True), data
        whole = f.read(1).astype(float)
        half = f.read(1, out_shape=(650, 650)).astype(float)
        means = whole.reshape(650, 2, 650, 2).mean(axis=(1, 3))
        assert abs(half - means).max() <= (1e-3 if name == 'h.cog.tif' else 1), name
";
    python(script, &[folder.path()]);
}

#[test]
fn other_programs_read_maps_and_weights_that_add_up() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("droplet-gullies"));
    let made = terrain(&scene, SIZE);
    let list = [
        ("heights", "h.r32"),
        ("slope", "slope.exr"),
        ("normals", "normals.exr"),
        ("normals", "normals.png"),
        ("curvature", "curvature.r32"),
        ("occlusion", "occlusion.exr"),
        ("wear", "wear.tif"),
        ("flow", "flow.png"),
        ("colours", "colours.png"),
        ("colours", "colours.exr"),
        ("types", "types.png"),
        ("bands", "bands.png"),
        ("splat", "splat.png"),
        ("weights", "weights.png"),
        ("control", "control.r32"),
    ];
    let report = write(&products(&list), &scene, &made, folder.path());
    let wear = made.map(MapKind::Wear).unwrap();
    let relief = scene.settings.relief_metres;
    let greatest = wear.iter().fold(0.0f32, |most, &w| most.max(w)) * relief;
    let found = report.rasters.iter().find(|raster| raster.map == "wear").unwrap();
    assert_eq!((found.max, found.unit, found.samples), (greatest, "m", SIZE));
    let script = "
import sys, os, glob, numpy as np, rasterio, OpenEXR
from PIL import Image
folder, n, side = sys.argv[1], 65, float(sys.argv[2])
at = lambda name: os.path.join(folder, name)
exr = lambda name: OpenEXR.File(at(name)).channels()
h = np.fromfile(at('h.r32'), '<f4').reshape(n, n).astype(float)
cell = side / (n - 1)
south, east = np.gradient(h, cell)
slope = np.degrees(np.arctan(np.hypot(south, east)))
inside = np.s_[1:-1, 1:-1]
assert abs(exr('slope.exr')['Y'].pixels - slope)[inside].max() < 0.01
rgb = exr('normals.exr')['RGB'].pixels
length = np.sqrt(1 + east**2 + south**2)
for channel, meant in enumerate([-east / length, south / length, 1 / length]):
    assert abs(rgb[..., channel] - meant)[inside].max() < 1e-4, channel
bytes = np.array(Image.open(at('normals.png'))).astype(float) / 127.5 - 1
assert abs(bytes - rgb).max() < 0.0045
z, p, q = h, east, south
r = (z[1:-1, 2:] - 2 * z[1:-1, 1:-1] + z[1:-1, :-2]) / cell**2
t = (z[2:, 1:-1] - 2 * z[1:-1, 1:-1] + z[:-2, 1:-1]) / cell**2
s = (z[2:, 2:] - z[2:, :-2] - z[:-2, 2:] + z[:-2, :-2]) / (4 * cell**2)
p, q = p[inside], q[inside]
mean = -((1 + q**2) * r - 2 * p * q * s + (1 + p**2) * t) / (2 * (1 + p**2 + q**2)**1.5)
ours = np.fromfile(at('curvature.r32'), '<f4').reshape(n, n)[inside]
assert abs(ours - mean).max() < 1e-5 + 1e-3 * abs(mean).max(), abs(ours - mean).max()
sky = exr('occlusion.exr')['Y'].pixels
assert 0 < sky.min() and sky.max() <= 1.0001 and sky.std() > 0.001
with rasterio.open(at('wear.tif')) as f: assert f.read(1).min() >= 0
srgb = np.array(Image.open(at('colours.png'))).astype(float) / 255
linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055)**2.4)
assert abs(exr('colours.exr')['RGB'].pixels - linear).max() < 1e-5
types = Image.open(at('types.png'))
assert types.mode == 'P'
sheets = [np.array(Image.open(name)).astype(int) for name in sorted(glob.glob(at('splat*.png')))]
assert sheets and all(sheet.shape == (n, n, 4) for sheet in sheets)
whole = np.concatenate(sheets, axis=2)
assert (whole.sum(axis=2) == 255).all()
single = [np.array(Image.open(name)).astype(int) for name in sorted(glob.glob(at('weights-*.png')))]
assert len(single) >= 2, single
for k, one in enumerate(single): assert (one == whole[..., k]).all(), k
control = np.fromfile(at('control.r32'), '<u4').reshape(n, n)
base, over, blend = control >> 27, control >> 22 & 31, control >> 14 & 255
assert (base == whole.argmax(axis=2)).all()
assert (blend <= 128).all() and ((base != over) | (blend == 0)).all()
bands = np.array(Image.open(at('bands.png'))).astype(int)
step = float(sys.argv[3]) / 16
assert (bands == np.floor(h / step).astype(int) - int(np.floor(h.min() / step))).mean() > 0.999
";
    let numbers = [scene.settings.size_metres, relief].map(|number| number.to_string());
    python(script, &[folder.path(), Path::new(&numbers[0]), Path::new(&numbers[1])]);
}

#[test]
fn other_programs_read_voids_as_no_data() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("paper-000-fig-04-triangular"));
    let made = terrain(&scene, SIZE);
    let report = write(&products(&[("heights", "h.tif"), ("heights", "h.asc")]), &scene, &made, folder.path());
    let void = made.void_samples();
    assert!(void > 100 && report.rasters.iter().all(|raster| raster.void_samples == void));
    let script = "
import sys, os, rasterio
for name in ['h.tif', 'h.asc']:
    with rasterio.open(os.path.join(sys.argv[1], name)) as f:
        assert f.nodata == -9999, f.nodata
        print((f.read_masks(1) == 0).sum())
";
    if let Some(said) = python(script, &[folder.path()]) {
        assert_eq!(said.lines().collect::<Vec<_>>(), [void.to_string(), void.to_string()]);
    }
}

#[test]
fn files_carry_the_scene_that_made_them() {
    let (folder, mut scene) = (tempfile::tempdir().unwrap(), scene("eroded-hills"));
    scene.name = "Hügel & <mehr> \"測\"".into();
    let made = terrain(&scene, SIZE);
    let names = ["a.png", "a.tif", "b.cog.tif", "a.exr", "a.glb", "a.obj", "a.ply"];
    let is_mesh = |name: &str| ["glb", "obj", "ply"].iter().any(|end| name.ends_with(end));
    let list = names.map(|name| (if is_mesh(name) { "mesh" } else { "heights" }, name));
    let kept = Scene { builds: vec![products(&list)], ..scene.clone() };
    write(&products(&list), &kept, &made, folder.path());
    for name in names {
        let path = folder.path().join(name);
        assert!(may_carry_scene(&path));
        let origin = read_origin(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(origin.scene, scene, "{name}: the scene is unchanged, without presets");
        assert_eq!((origin.samples, origin.hash), (SIZE, format!("{:032x}", made.hash())), "{name}");
    }
    std::fs::write(folder.path().join("no.png"), "no picture").unwrap();
    let said = read_origin(&folder.path().join("no.png")).unwrap_err().to_string();
    assert!(said.contains("no.png"), "{said}");
}

/// All files of a folder with their bytes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path))
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()))
        }
    }
    found.sort();
    found
}

#[test]
fn exports_have_the_same_bytes_twice_and_on_any_threads() {
    let scene = scene("droplet-gullies");
    let made = terrain(&scene, SIZE);
    let maps = ExportMap::of_scene(&scene);
    let mut list = Vec::new();
    for map in &maps {
        for format in RASTER_FORMATS.into_iter().filter(|format| holds(format, map)) {
            let file = Some(format!("{}-{}.{}", map.to_string().replace(':', "-"), format.id, format.extension()));
            list.push(BuildProduct { map: map.to_string(), format: format.id.into(), file });
        }
    }
    for end in ["glb", "obj", "ply", "stl"] {
        list.push(product("mesh", &format!("mesh.{end}")));
    }
    assert!(list.len() > 60, "{}", list.len());
    let preset = BuildPreset { products: list, ..BuildPreset::default() };
    let made = [1, 2, 2].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        thread_pool(threads).unwrap().install(|| write(&preset, &scene, &made, folder.path()));
        let files = contents(folder.path());
        files.into_iter().map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes)).collect::<Vec<_>>()
    });
    for other in &made[1..] {
        assert_eq!(made[0].len(), other.len());
        for ((name, one), (other_name, two)) in made[0].iter().zip(other) {
            assert!(name == other_name && one == two, "{name:?}");
        }
    }
}

#[test]
fn exported_tiles_make_up_the_whole() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("island"));
    let made = terrain(&scene, SIZE);
    for (side, shared_edges, samples) in [(33, true, 65), (13, false, 65)] {
        let preset = BuildPreset {
            samples: Some(samples),
            tiles: Some(BuildTiles { samples: side, shared_edges }),
            ..products(&[("heights", "t.r32")])
        };
        write(&preset, &scene, &made, folder.path());
        let step = if shared_edges { side - 1 } else { side } as usize;
        for (k, _) in
            (0..(SIZE - usize::from(shared_edges)) / step).flat_map(|y| (0..64 / step).map(move |x| ((x, y), ())))
        {
            let (x, y) = k;
            let bytes = std::fs::read(folder.path().join(format!("t_x{x}_y{y}.r32"))).unwrap();
            let read: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
            assert_eq!(read.len(), (side * side) as usize);
            for (at, metres) in read.into_iter().enumerate() {
                let (row, column) = (y * step + at / side as usize, x * step + at % side as usize);
                assert_eq!(metres, made.height[row * SIZE + column] * scene.settings.relief_metres);
            }
        }
    }
    let odd = BuildPreset {
        samples: Some(65),
        tiles: Some(BuildTiles { samples: 30, shared_edges: true }),
        ..products(&[("heights", "t.r32")])
    };
    let said = refused(&odd, &scene, &export_folder(folder.path())).to_string();
    assert!(said.contains("59") && said.contains("88"), "{said}");
}

#[test]
fn every_program_gets_a_folder_with_the_numbers_to_type() {
    let (folder, mut scene) = (tempfile::tempdir().unwrap(), scene("island"));
    scene.settings.resolution = 129;
    for target in TARGETS {
        let preset = target.preset();
        let n = samples(&request(&preset), &scene).unwrap();
        let made = terrain(&scene, n);
        let report = write(&preset, &scene, &made, folder.path());
        let files = contents(&folder.path().join(target.id));
        assert_eq!(files.len(), report.rasters.len() + report.meshes.len() + report.others.len(), "{}", target.id);
        let text = std::fs::read_to_string(folder.path().join(target.id).join(READ_ME)).unwrap();
        for (path, _) in files.iter().filter(|(path, _)| !path.ends_with(READ_ME)) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let has_size = name
                .split(|c: char| !c.is_ascii_digit() && c != 'x')
                .any(|part| part.split_once('x').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()));
            assert!(!has_size, "Unreal takes such names for tiles: {name}");
        }
        let heights = report.rasters.iter().find(|raster| raster.map == "heights");
        let first = heights.map_or_else(|| &report.meshes[0].path, |raster| &raster.path);
        assert!(text.contains(first.file_name().unwrap().to_str().unwrap()), "{text}");
        assert!(text.contains(&n.to_string()) || text.contains(&(n - 1).to_string()), "{text}");
        if let Some(heights) = heights.filter(|_| target.id == "unreal") {
            let range = f64::from(heights.max) - f64::from(heights.min);
            let z_scale = (range * 128.0 / 65_535.0 * 100.0) as f32;
            assert!(n == 127 && text.contains(&format!("Z {z_scale}")), "{text}");
        }
    }
    // Users can give scenes any name.
    scene.name = "Isle 1024x1024 mk2X3".into();
    let report = write(&TARGETS[0].preset(), &scene, &terrain(&scene, 127), &folder.path().join(TARGETS[1].id));
    let named = |raster: &talweg::export::RasterReport| raster.path.file_name().unwrap().to_str().unwrap().to_string();
    let names: Vec<String> = report.rasters.iter().map(named).collect();
    assert!(names.iter().all(|name| name.starts_with("isle-1024-1024-mk2-3-")), "{names:?}");
    let wrong = BuildPreset { samples: Some(128), ..TARGETS[0].preset() };
    let said = samples(&request(&wrong), &scene).unwrap_err().to_string();
    assert!(said.contains("127") && said.contains("8129"), "{said}");
}

#[test]
fn presets_are_saved_in_the_scene_without_invalid_ones() {
    let mut scene = scene("island");
    scene.builds = TARGETS.iter().map(|target| target.preset()).collect();
    scene.builds.push(products(&[("heights", "a.tif"), ("mask:Peaks", "b.png")]));
    let (read, warnings) = Scene::from_ron(&scene.to_ron().unwrap()).unwrap();
    assert!(warnings.is_empty() && read == scene, "{warnings:?}");
    scene.builds[0].band_metres = Some(0.0);
    let (read, warnings) = Scene::from_ron(&scene.to_ron().unwrap()).unwrap();
    assert_eq!((read.builds.len(), warnings.len()), (scene.builds.len() - 1, 1));
}

#[test]
fn impossible_exports_are_refused_before_any_work() {
    let (folder, island) = (tempfile::tempdir().unwrap(), scene("island"));
    let said = |preset: &BuildPreset, scene: &Scene| refused(preset, scene, &export_folder(folder.path())).to_string();
    assert!(said(&products(&[("ice", "a.png")]), &island).contains("no shown layer"));
    assert!(said(&products(&[("colours", "a.r16")]), &island).contains("cannot hold"));
    assert!(said(&products(&[("nothing", "a.png")]), &island).contains("there is no map"));
    assert!(said(&products(&[("control", "a.exr")]), &scene("earthlike")).contains("a planet"));
    assert!(said(&BuildPreset::default(), &island).contains("nothing to export"));
    assert!(said(&products(&[("heights", "a.png"), ("slope", "a.png")]), &island).contains("two products"));
    let one_name = BuildPreset {
        file_names: "{scene}".into(),
        products: [("heights", "png"), ("slope", "png")]
            .map(|(what, format)| BuildProduct { map: what.into(), format: format.into(), file: None })
            .to_vec(),
        ..BuildPreset::default()
    };
    assert!(said(&one_name, &island).contains("{map}"));
    let crumbs = BuildPreset {
        samples: Some(65),
        tiles: Some(BuildTiles { samples: 2, shared_edges: true }),
        ..products(&[("heights", "a.png")])
    };
    assert!(said(&crumbs, &island).contains("4096 files, more than the maximum of 4000"));
    assert!(said(&products(&[("heights", "no/a.png")]), &island).contains("there is no folder"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_cancelled_export_leaves_nothing_and_endings_match_formats() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("island"));
    let made = terrain(&scene, 33);
    let odd = BuildProduct { map: "heights".into(), format: "png".into(), file: Some(".profile".into()) };
    let preset = BuildPreset { folder: "new".into(), products: vec![odd], ..BuildPreset::default() };
    let stopped = Control::default();
    stopped.cancel();
    export(&request(&preset), &scene, &made, &export_folder(folder.path()), &stopped, &|_| ()).unwrap_err();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "not even the folder");
    let plain = BuildPreset { folder: String::new(), ..preset };
    let report = write(&plain, &scene, &made, folder.path());
    assert_eq!(report.rasters[0].path, folder.path().join(".profile.png"));
    assert_eq!(contents(folder.path()).len(), 1);
}

#[test]
fn plants_and_stones_agree_as_table_and_as_instances() {
    let (folder, mut scene) = (tempfile::tempdir().unwrap(), scene("alpine-range"));
    // The square is so small that it contains only a part of the forests.
    scene.settings.size_metres = 3000.0;
    scene.settings.relief_metres = 1000.0;
    let made = terrain(&scene, SIZE);
    let product = |format: &str, file: &str| BuildProduct {
        map: talweg::export::PLANTS.into(),
        format: format.into(),
        file: Some(file.into()),
    };
    let products = vec![product("csv", "p.csv"), product("instances-glb", "p.plants.glb")];
    let preset = BuildPreset { products, ..BuildPreset::default() };
    let report = write(&preset, &scene, &made, folder.path());
    let [table, instances] = &report.plants[..] else { panic!("two files: {report:?}") };
    assert_eq!(table.counts, instances.counts);
    let count: usize = table.counts.iter().map(|(_, count)| count).sum();
    println!("{:?}", table.counts);
    assert!(count > 1000, "{:?}", table.counts);
    let text = std::fs::read_to_string(folder.path().join("p.csv")).unwrap();
    assert_eq!(text.lines().count(), count + 1);
    let side = scene.settings.size_metres;
    for line in text.lines().skip(1).step_by(97) {
        let fields: Vec<&str> = line.split(',').collect();
        let [east, north, height, size] = [1, 2, 3, 4].map(|k| fields[k].parse::<f32>().unwrap());
        assert!((0.0..=side).contains(&east) && (0.0..=side).contains(&north) && size > 0.0, "{line}");
        // Numbers in the table are rounded to millimetres.
        let ground = made.height_at(east / side, 1.0 - north / side) * scene.settings.relief_metres;
        assert!((ground - height).abs() < 0.1, "{line}: the ground lies at {ground}");
    }
    // A separate glTF file: JSON of all parts, one instance per line of the table, inside the square.
    let bytes = std::fs::read(folder.path().join("p.plants.glb")).unwrap();
    assert_eq!((&bytes[..4], bytes.len() % 4), (&b"glTF"[..], 0));
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let root: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let places = |node: &serde_json::Value| {
        let number = &node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"];
        root["accessors"][number.as_u64().unwrap() as usize]["count"].as_u64().unwrap() as usize
    };
    assert_eq!(root["nodes"].as_array().unwrap().iter().map(places).sum::<usize>(), count);
    let refused = refused(&preset, &example("earthlike").unwrap().scene, &export_folder(folder.path()));
    assert!(refused.to_string().contains("a planet is too large"), "{refused}");
}

#[test]
fn the_readme_of_a_preset_names_only_the_files_of_its_folder() {
    let (folder, mut scene) = (tempfile::tempdir().unwrap(), scene("droplet-gullies"));
    scene.settings.resolution = 65;
    let made = terrain(&scene, SIZE);
    let beside = products(&[("heights", "a.png"), ("heights", "b.exr"), ("mesh", "c.glb"), ("normals", "facing.png")]);
    for target in TARGETS.into_iter().filter(|target| target.nearest_size(SIZE) == SIZE || target.id == "unreal") {
        for is_there in [false, true] {
            let place = folder.path().join(format!("{}-{is_there}", target.id));
            std::fs::create_dir_all(if is_there { place.join(target.id) } else { place.clone() }).unwrap();
            let preset = BuildPreset { products: beside.products.clone(), ..target.preset() };
            export(&request(&preset), &scene, &made, &self::export_folder(&place), &Control::default(), &|_| ())
                .unwrap();
            let text = std::fs::read_to_string(place.join(target.id).join(READ_ME)).unwrap();
            for product in &beside.products {
                let name = product.file.as_deref().unwrap();
                assert!(place.join(name).is_file() && !text.contains(name), "{name}: {text}");
            }
            let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '('));
            let files: Vec<&str> = words.filter(|word| word.contains("droplet-gullies-")).collect();
            assert!(files.len() > 1, "{text}");
            for file in files {
                assert!(place.join(target.id).join(file).is_file(), "{file} of {text}");
            }
        }
    }
}

#[test]
fn a_terrain_is_not_placed_in_degrees() {
    let (folder, island) = (tempfile::tempdir().unwrap(), scene("island"));
    let placed = |epsg, west, south| BuildPreset {
        placement: Some(BuildPlacement { epsg, west, south }),
        ..products(&[("heights", "a.tif")])
    };
    let said = refused(&placed(4326, 7.0, 46.0), &island, &export_folder(folder.path())).to_string();
    assert!(said.contains("EPSG:4326 counts in degrees") && said.contains("32632"), "{said}");
    assert!(check(&request(&placed(32632, 400_000.0, 5_100_000.0)), &island, &export_folder(folder.path())).is_ok());
    // A planet has its own coordinates in degrees.
    assert!(check(&request(&placed(4326, 7.0, 46.0)), &scene("earthlike"), &export_folder(folder.path())).is_ok());
}

#[test]
fn a_map_that_no_node_writes_is_refused_with_alternatives() {
    let folder = tempfile::tempdir().unwrap();
    let said = |what: &str, file: &str, name: &str| {
        refused(&products(&[(what, file)]), &scene(name), &export_folder(folder.path())).to_string()
    };
    let text = said("ice", "a.png", "droplet-gullies");
    assert!(text.contains("its layers write") && text.contains("wear") && text.contains("flow"), "{text}");
    assert!(said("ice", "a.png", "island").contains("its layers write"));
    let text = said("control", "a.png", "island");
    assert!(text.contains(".exr") && text.contains(".tif") && !text.contains(".png"), "{text}");
}
