//! Exports of planets, and files whose samples are compared with those of their scenes.

use std::path::Path;

use talweg::export::origin::read_origin;
use talweg::field::{Control, Globe, Grid, Terrain};
use talweg::planet::projection::{Equirectangular, Registration};
use talweg::scene::{BuildPreset, BuildProduct, BuildTiles};

use crate::export::files::{SIZE, products, scene, terrain, write};
use crate::kits::outside::python;

#[test]
fn an_exported_planet_is_in_degrees_and_carries_its_scene() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("earthlike"));
    let made = terrain(&scene, 33);
    write(&products(&[("heights", "p.tif"), ("slope", "s.exr"), ("colours", "c.png")]), &scene, &made, folder.path());
    let script = "
import sys, os, rasterio
with rasterio.open(os.path.join(sys.argv[1], 'p.tif')) as f:
    assert f.crs.to_epsg() == 4326 and (f.width, f.height) == (128, 64), f.crs
    b = f.bounds
    assert [round(v, 6) for v in b] == [-180, -90, 180, 90], b
";
    python(script, &[folder.path()]);
    let origin = read_origin(&folder.path().join("c.png")).unwrap();
    assert_eq!((origin.samples, origin.hash), (33, format!("{:032x}", made.hash())));
}

#[test]
fn splat_maps_and_relief_of_planets_are_exported() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("earthlike"));
    let list =
        [("splat", "s.png"), ("weights", "w.png"), ("relief", "r.png"), ("colours", "c.png"), ("heights", "h.r32")];
    let planet = terrain(&scene, 65);
    write(&products(&list), &scene, &planet, folder.path());
    let script = "
import sys, os, glob, numpy as np
from PIL import Image
read = lambda name: np.array(Image.open(name)).astype(int)
at = lambda name: os.path.join(sys.argv[1], name)
sheets = [read(name) for name in sorted(glob.glob(at('s[0-9].png')) or glob.glob(at('s-splat*.png')))]
assert sheets, os.listdir(sys.argv[1])
whole = np.concatenate(sheets, axis=2)
assert whole.shape[:2] == (128, 256) and (whole.sum(axis=2) == 255).all()
single = [read(name) for name in sorted(glob.glob(at('w-*.png')))]
assert len(single) >= 3
for k, one in enumerate(single): assert (one == whole[..., k]).all(), k
relief, colours = read(at('r.png')), read(at('c.png'))
assert relief.shape == (128, 256, 3)
# light and shadow on the colours of the ground
alike = [np.corrcoef(relief[..., c].ravel(), colours[..., c].ravel())[0, 1] for c in range(3)]
assert min(alike) > 0.8 and abs(relief - colours).mean() > 2, alike
";
    python(script, &[folder.path()]);
}

#[test]
fn curvature_and_occlusion_of_a_planet_have_no_seams() {
    let (folder, mut scene) = (tempfile::tempdir().unwrap(), scene("earthlike"));
    (scene.settings.relief_metres, scene.planet.radius_metres) = (1000.0, 1.0e6);
    let grid = Grid::globe(65);
    let globe = Globe::new(65);
    let mut planet = Terrain::flat(grid);
    // The heights are a spherical harmonic of degree 2. Its Laplacian is -6 times its height h, so the mean curvature
    // is 3 h / R² on a planet of radius R.
    for (k, height) in planet.height.iter_mut().enumerate() {
        let [x, y, _] = globe.direction_of(k);
        *height = x * y;
    }
    let list = [("curvature", "c.r32"), ("occlusion", "o.r32"), ("heights", "h.r32")];
    write(&products(&list), &scene, &planet, folder.path());
    let read = |name: &str| -> Vec<f64> {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|four| f64::from(f32::from_le_bytes(*four))).collect()
    };
    let (curvature, seen, heights) = (read("c.r32"), read("o.r32"), read("h.r32"));
    let worst = curvature.iter().zip(&heights).map(|(c, h)| (c - 3.0 * h / 1.0e12).abs()).fold(0.0, f64::max);
    assert!(worst < 0.04 * 3.0 * 500.0 / 1.0e12, "{worst}");
    // The terrain is so gentle that it hides almost no sky, also at borders and corners of the faces.
    assert!(seen.iter().all(|share| (0.98..=1.0).contains(share)), "{:?}", seen.iter().copied().fold(1.0, f64::min));
    // A wall around a corner of the cube, where three faces meet, hides the same fraction of the sky as a wall at any
    // other position.
    let corner = [1.0f32, 1.0, 1.0].map(|v| v / 3.0f32.sqrt());
    let middle = [1.0f32, 0.0, 0.0];
    let hidden_at = |at: [f32; 3]| {
        let mut planet = Terrain::flat(grid);
        for (k, height) in planet.height.iter_mut().enumerate() {
            let direction = globe.direction_of(k);
            let away = (0..3).map(|a| direction[a] * at[a]).sum::<f32>().clamp(-1.0, 1.0);
            let away = libm::acosf(away);
            *height = libm::expf(-((away - 0.15) / 0.05).powi(2)) * 120.0;
        }
        write(&products(&list), &scene, &planet, folder.path());
        let (seen, heights) = (read("o.r32"), read("h.r32"));
        let map = Equirectangular { width: 256, height: 128, registration: Registration::Pixel }.directions();
        let inside = (0..seen.len()).filter(|&k| {
            let direction = map.direction(k % 256, k / 256);
            (0..3).map(|a| direction[a] * f64::from(at[a])).sum::<f64>() > libm::cos(0.05)
        });
        assert!(heights.len() == seen.len());
        let shares: Vec<f64> = inside.map(|k| seen[k]).collect();
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    let (at_corner, at_middle) = (hidden_at(corner), hidden_at(middle));
    // Cells at cube corners are narrower than cells in the middle of a face, and the sky fraction uses their actual
    // width.
    assert!(at_middle < 0.7 && at_corner < 0.8 && (at_corner - at_middle).abs() < 0.15, "{at_corner} {at_middle}");
}

#[test]
fn the_samples_of_a_file_are_compared_with_those_of_its_scene() {
    use talweg::export::sample_check::{SampleCheck, check_samples};
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("droplet-gullies"));
    let made = terrain(&scene, SIZE);
    let list = [
        ("heights", "h.png"),
        ("heights", "h.tif"),
        ("heights", "h.cog.tif"),
        ("heights", "h.exr"),
        ("slope", "slope.png"),
        ("wear", "wear.tif"),
        ("normals", "n.png"),
        ("normals", "n.exr"),
        ("colours", "c.png"),
        ("types", "t.png"),
        ("splat", "s.png"),
        ("weights", "w.png"),
        ("curvature", "k.exr"),
        ("bands", "b.png"),
        ("control", "x.tif"),
    ];
    let usual = products(&list);
    let other = BuildPreset {
        height_range: Some((-100.0, 3000.0)),
        normalised: true,
        directx_normals: true,
        folder: "other".into(),
        ..products(&list.map(|(what, file)| (what, file)))
    };
    let other = BuildPreset {
        products: other.products.into_iter().map(|p| BuildProduct { file: None, ..p }).collect(),
        ..other
    };
    let tiles = BuildPreset {
        samples: Some(65),
        tiles: Some(BuildTiles { samples: 33, shared_edges: true }),
        folder: "tiles".into(),
        ..products(&[("heights", "tiles/h.png")])
    };
    let check = |path: &Path| check_samples(path, &scene, &made, &Control::default()).unwrap();
    let mut checked = 0;
    for preset in [&usual, &other, &tiles] {
        for raster in write(preset, &scene, &made, folder.path()).rasters {
            let said = check(&raster.path);
            assert!(matches!(said, SampleCheck::Same { .. }), "{}: {said}", raster.path.display());
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
    // The script changes one sample of the file and keeps its header.
    let script = "
import sys, os, tifffile, numpy as np
from PIL import Image, PngImagePlugin
at = lambda name: os.path.join(sys.argv[1], name)
old = Image.open(at('h.png'))
texts = PngImagePlugin.PngInfo()
for key, value in old.text.items(): texts.add_itxt(key, value) if len(value) > 99 else texts.add_text(key, value)
numbers = np.array(old).astype('uint16')
numbers[20, 30] ^= 0x1000
Image.fromarray(numbers).save(at('changed.png'), pnginfo=texts)
";
    if python(script, &[folder.path()]).is_some() {
        let said = check(&folder.path().join("changed.png"));
        assert!(matches!(said, SampleCheck::Differs { count: 1, place: [20, 30], .. }), "{said}");
        assert!(said.to_string().starts_with("1 of its 4225 samples of heights"), "{said}");
    }
    // This terrain differs from the exported one in one sample.
    let mut moved = made.as_ref().clone();
    moved.height[7] += 0.1;
    let said = check_samples(&folder.path().join("h.exr"), &scene, &moved, &Control::default()).unwrap();
    assert!(matches!(said, SampleCheck::Differs { count: 1, place: [0, 7], .. }), "{said}");
    let mesh = folder.path().join("m.glb");
    write(&products(&[("mesh", "m.glb")]), &scene, &made, folder.path());
    assert!(matches!(check(&mesh), SampleCheck::NotCompared(_)));
}

#[test]
fn samples_of_planets_are_compared_too() {
    use talweg::export::sample_check::{SampleCheck, check_samples};
    use talweg::scene::BuildPlanet;
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene("earthlike"));
    let made = terrain(&scene, 33);
    let list = [("heights", "p.tif"), ("heights", "p.png"), ("slope", "s.exr"), ("colours", "c.png")];
    for planet in [
        BuildPlanet::default(),
        BuildPlanet { points: true, ..BuildPlanet::default() },
        BuildPlanet { cube: true, ..BuildPlanet::default() },
    ] {
        for raster in write(&BuildPreset { planet, ..products(&list) }, &scene, &made, folder.path()).rasters {
            let said = check_samples(&raster.path, &scene, &made, &Control::default()).unwrap();
            assert!(matches!(said, SampleCheck::Same { .. }), "{}: {said}", raster.path.display());
        }
    }
}
