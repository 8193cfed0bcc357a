//! Textures from image files lie on the ground at their size and in their direction, and turn the light.

use super::*;
use talweg::appearance_files::{CONDITIONS, EVERYWHERE, Material, MaterialRule, TextureMap, TextureSet};
use talweg::field::Grid;

const SIDE: u32 = 200;
/// Height of the eye above the centre of the terrain, in world units.
const UP: f32 = 800.0;
/// Side of the terrain and of an image on the ground, in metres.
const TERRAIN: f32 = 64.0;
const METRES: f32 = 16.0;

/// The folder of the images of a test, and the sets that use them.
struct Images(tempfile::TempDir);

impl Images {
    fn file(&self, name: &str, colour: impl Fn(usize, usize) -> [u8; 3] + Sync) -> String {
        let path = self.0.path().join(name);
        RgbImage::from_fn(64, 64, colour).save(&path).unwrap();
        path.display().to_string()
    }

    fn set(albedo: String, normal: Option<String>, is_directx: bool) -> TextureSet {
        let mut files: [Option<String>; TextureMap::ALL.len()] = Default::default();
        (files[TextureMap::Albedo as usize], files[TextureMap::Normal as usize]) = (Some(albedo), normal);
        TextureSet { files, is_directx, metres: METRES }
    }
}

/// Level ground with a texture set, drawn from above with the sun at this azimuth.
fn drawn(engine: &SharedEngine, set: TextureSet, sun_azimuth: f32) -> RgbImage {
    let terrain = Arc::new(Terrain::flat(Grid::new(33, Edges::Open)));
    let settings = Settings {
        size_metres: TERRAIN,
        relief_metres: 10.0,
        sea_level: -9000.0,
        sun_azimuth,
        sun_elevation: 35.0,
        auto_exposure: false,
        ..Settings::default()
    };
    let bands = [EVERYWHERE; CONDITIONS.len()];
    let (name, material) = (String::new(), Material::Soil);
    let rule = MaterialRule { name, material, max_fraction: 1.0, tint: 1.0, textures: Some(set), bands };
    let palette = PaletteTable { rock: [0; 4], materials: Arc::new(MaterialRules(vec![rule])), ..(*red()).clone() };
    let subject = ShotSubject::Terrain(prepared(&terrain, &settings, Overlay::None), Arc::new(palette), None);
    let pose = Pose { eye_world: Vec3::new(0.0, UP, 0.0), yaw: 0.0, pitch: -0.5 * std::f32::consts::PI };
    let options = ShotOptions { width: SIDE, height: SIDE, view: ShotView::Pose(pose), ..ShotOptions::default() };
    averaged(&engine.draw(&subject, &options, RenderQuality::Still), SIDE as usize, 1)
}

#[test]
fn images_lie_on_the_ground_at_their_size_and_direction() {
    let images = Images(tempfile::tempdir().unwrap());
    // red in the west half and blue in the east half; green in the north half only
    let albedo = images.file("quarters_albedo.png", |x, y| {
        let green = if y < 32 { 180 } else { 20 };
        if x < 32 { [200, green, 20] } else { [20, green, 200] }
    });
    let picture = drawn(&SharedEngine::default(), Images::set(albedo, None, false), 180.0);
    let seen = UP * (0.5 * crate::view::ViewProjection::Perspective.field_of_view()).tan() * TERRAIN / 1000.0;
    let (mut clear, mut alike) = (0, 0);
    for (x, y) in (4..SIDE - 4).flat_map(|y| (4..SIDE - 4).map(move |x| (x, y))) {
        let metres = [x, y].map(|at| ((at as f32 + 0.5) / SIDE as f32 * 2.0 - 1.0) * seen);
        let [u, v] = metres.map(|metres| (metres / METRES).rem_euclid(1.0));
        // leave out the ground beside the terrain, and places near the edges of the quarters
        let is_clear = |t: f32| [0.0, 0.5, 1.0].iter().all(|edge| (t - edge).abs() > 0.06);
        if metres.iter().any(|metres| metres.abs() > 0.45 * TERRAIN) || !is_clear(u) || !is_clear(v) {
            continue;
        }
        let [red, green, blue] = [0, 1, 2].map(|c| picture.rgb[3 * (y * SIDE + x) as usize + c]);
        clear += 1;
        alike += u32::from((red > blue) == (u < 0.5) && (green > red.min(blue).saturating_add(30)) == (v < 0.5));
    }
    assert!(clear > 10_000, "{clear} places are clear");
    assert!(alike * 100 > clear * 98, "{alike} of {clear} places have the colour of the image");
}

#[test]
fn normals_turn_the_light_in_both_conventions() {
    let images = Images(tempfile::tempdir().unwrap());
    let albedo = images.file("grey_albedo.png", |_, _| [128; 3]);
    let engine = SharedEngine::default();
    let brightness = |name: &str, normal: [u8; 3], is_directx: bool, sun_azimuth: f32| {
        let normal = images.file(name, |_, _| normal);
        let picture = drawn(&engine, Images::set(albedo.clone(), Some(normal), is_directx), sun_azimuth);
        let middle = 3 * (SIDE * SIDE / 2 + SIDE / 2) as usize;
        picture.rgb[middle]
    };
    // (name, colour of the normal, convention, azimuth that it faces)
    let cases = [
        ("east.png", [204, 128, 230], false, 90.0),
        ("west.png", [51, 128, 230], false, 270.0),
        ("north.png", [128, 204, 230], false, 0.0),
        ("south.png", [128, 51, 230], false, 180.0),
        ("north-directx.png", [128, 51, 230], true, 0.0),
        ("south-directx.png", [128, 204, 230], true, 180.0),
    ];
    for (name, normal, is_directx, faces) in cases {
        let towards = brightness(name, normal, is_directx, faces);
        let away = brightness(name, normal, is_directx, faces + 180.0);
        assert!(towards > away.saturating_add(30), "{name}: {towards} in the sun, {away} away from it");
    }
}
