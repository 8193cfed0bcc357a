//! Images of every light and every material, compared with stored images in `tests/golden/view`.

use std::path::PathBuf;

use super::*;
use talweg::appearance_files::{CONDITIONS, EVERYWHERE, Material, MaterialRule, Palette};
use talweg::scene::{LightPreset, SunPlacement};

const WIDTH: u32 = 160;
const HEIGHT: u32 = 100;
/// `NEAR` is the largest accepted difference of a channel. The second constant is the number of channels per thousand
/// that may differ more. Drivers round differently and move edges by a pixel. A wrong light or material, by contrast,
/// changes the whole image.
const NEAR: u8 = 12;
const FAR_PER_MILLE: usize = 30;

/// Number of channels per thousand that differ from the stored image by more than `NEAR`.
fn far_per_mille(drawn: &RgbImage, kept: &RgbImage) -> usize {
    assert_eq!((drawn.width, drawn.height), (kept.width, kept.height));
    drawn.rgb.iter().zip(&kept.rgb).filter(|(a, b)| a.abs_diff(**b) > NEAR).count() * 1000 / drawn.rgb.len()
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/view").join(format!("{name}.png"))
}

fn read(name: &str) -> RgbImage {
    let open = std::fs::File::open(file(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut reader = png::Decoder::new(std::io::BufReader::new(open)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    RgbImage { width: info.width as usize, height: info.height as usize, rgb }
}

/// Draws all subjects and compares each image with the stored image of the same name. Also checks that no two images
/// look alike.
fn compare(pose: Pose, subjects: Vec<(String, ShotSubject)>) {
    let options = ShotOptions { width: WIDTH, height: HEIGHT, view: ShotView::Pose(pose), ..ShotOptions::default() };
    let engine = SharedEngine::default();
    let draw = |engine: &SharedEngine, subject: &ShotSubject| {
        averaged(&engine.draw(subject, &options, RenderQuality::Still), WIDTH as usize, 1)
    };
    let drawn = |(name, subject): &(String, ShotSubject)| (name.clone(), draw(&engine, subject));
    let pictures: Vec<(String, RgbImage)> = subjects.iter().map(drawn).collect();
    // a separate engine must draw the same image
    let (name, subject) = &subjects[0];
    assert!(draw(&SharedEngine::default(), subject).rgb == pictures[0].1.rgb, "{name} differs between two runs");
    let mut wrong = Vec::new();
    for (name, drawn) in &pictures {
        if std::env::var_os("TALWEG_BLESS").is_some() {
            drawn.save(file(name)).unwrap();
        }
        let far = far_per_mille(drawn, &read(name));
        if far > FAR_PER_MILLE {
            drawn.save(file(&format!("{name}.new"))).unwrap();
            wrong.push(format!("{name}: {far} ‰"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{wrong:?} of the channels differ; compare NAME.new.png with NAME.png in tests/golden/view, then accept the new images with TALWEG_BLESS=1"
    );
    for (k, (name, one)) in pictures.iter().enumerate() {
        for (other_name, other) in &pictures[k + 1..] {
            assert!(far_per_mille(one, other) > 2 * FAR_PER_MILLE, "{name} looks like {other_name}");
        }
    }
}

/// A bay with a cliff, hills and a peak with snow.
fn coast() -> Terrain {
    let mut terrain = Terrain::from_fn(97, Edges::Open, |u, v| {
        let hills = 0.06 * (u * 9.0).sin() * (v * 7.0 + 1.0).cos();
        let peak = 0.8 * (-((u - 0.6).powi(2) + (v - 0.35).powi(2)) / 0.03).exp();
        let shore = ((0.75 - v + 0.1 * (u * 8.0).sin()) * 14.0).clamp(-1.0, 1.0);
        0.1 + 0.1 * shore + hills.max(0.0) + peak
    });
    let heights = terrain.height.clone();
    terrain.map_mut(MapKind::Snow).iter_mut().zip(heights).for_each(|(snow, h)| *snow = (h - 0.6).max(0.0) * 0.01);
    terrain
}

/// The name of a light, and the change of the settings that creates the light.
type NamedLight<'a> = (&'a str, &'a dyn Fn(&mut Settings));

#[test]
fn every_light_matches_its_stored_picture() {
    let terrain = Arc::new(coast());
    let subject = |(name, change): NamedLight| {
        let mut settings = Settings {
            size_metres: 2000.0,
            relief_metres: 700.0,
            sea_level: 60.0,
            sun_azimuth: 250.0,
            ..Settings::default()
        };
        change(&mut settings);
        let palette = PaletteTable::new(Palette::named_or_default("temperate"), &settings);
        let palette = PaletteTable { scatter: red().scatter.clone(), ..palette };
        let subject = ShotSubject::Terrain(prepared(&terrain, &settings, Overlay::None), Arc::new(palette), None);
        (format!("light-{name}"), subject)
    };
    let presets = LightPreset::ALL.map(|preset| (preset.name(), move |settings: &mut Settings| preset.apply(settings)));
    let mut lights: Vec<NamedLight> = Vec::new();
    lights.extend(presets.iter().map(|(name, apply)| -> NamedLight { (name, apply) }));
    lights.push(("fog", &|settings| (settings.fog, settings.fog_height) = (4.0, 60.0)));
    lights.push(("early", &|settings| (settings.sun, settings.hour, settings.day) = (SunPlacement::Time, 7.0, 80)));
    // the eye is over the sea and looks towards the peak
    let pose = Pose { eye_world: Vec3::new(0.0, 150.0, 800.0), yaw: 0.0, pitch: -0.1 };
    compare(pose, lights.into_iter().map(subject).collect());
}

#[test]
fn every_material_matches_its_stored_picture() {
    // the eye is at the height of a standing person over a terrain a few metres wide
    let terrain = Arc::new(Terrain::from_fn(33, Edges::Open, |u, v| 0.5 + 0.3 * (u * 5.0).sin() * (v * 4.0).cos()));
    let subject = |material: Material| {
        let settings = Settings { size_metres: 40.0, relief_metres: 2.0, sea_level: -9000.0, ..Settings::default() };
        let bands = [EVERYWHERE; CONDITIONS.len()];
        let rule = MaterialRule { name: String::new(), material, max_fraction: 1.0, tint: 1.0, textures: None, bands };
        let palette = PaletteTable {
            lut: vec![[140, 140, 140, 255]; 512],
            rock: [0; 4],
            materials: Arc::new(MaterialRules(vec![rule])),
            ..(*red()).clone()
        };
        let subject = ShotSubject::Terrain(prepared(&terrain, &settings, Overlay::None), Arc::new(palette), None);
        (format!("material-{}", format!("{material:?}").to_lowercase()), subject)
    };
    let pose = Pose { eye_world: Vec3::new(0.0, 60.0, 320.0), yaw: 0.3, pitch: -0.45 };
    compare(pose, Material::ALL.iter().copied().map(subject).collect());
}

#[test]
fn rules_as_text_and_as_numbers_give_the_same_materials() {
    let terrain = Arc::new(coast());
    let settings = Settings { size_metres: 900.0, relief_metres: 400.0, sea_level: 0.2, ..Settings::default() };
    let engine = SharedEngine::default();
    let pose = Pose { eye_world: Vec3::new(0.0, 260.0, 300.0), yaw: 0.0, pitch: -0.6 };
    let options = ShotOptions { width: WIDTH, height: HEIGHT, view: ShotView::Pose(pose), ..ShotOptions::default() };
    let palette = PaletteTable::for_scene(&talweg::scene::Scene { settings: settings.clone(), ..Default::default() });
    let draw = |materials: Arc<MaterialRules>| {
        let palette = Arc::new(PaletteTable { materials, ..palette.clone() });
        let subject = ShotSubject::Terrain(prepared(&terrain, &settings, Overlay::None), palette, None);
        averaged(&engine.draw(&subject, &options, RenderQuality::Still), WIDTH as usize, 1)
    };
    let [shipped, bare] = [DEFAULT_MATERIALS, "bare"].map(|name| MaterialRules::named(name).unwrap().clone());
    let written_out = draw(shipped.clone());
    // draw with a copy of the list, which has the same rules but is not the built-in list
    let numbers = draw(Arc::new((*shipped).clone()));
    let differing =
        |other: &RgbImage| written_out.rgb.iter().zip(&other.rgb).filter(|(a, b)| a.abs_diff(**b) > 3).count();
    let (same, other) = (differing(&numbers), differing(&draw(bare)));
    assert!(same * 1000 <= written_out.rgb.len(), "{same} of {}", written_out.rgb.len());
    assert!(other * 50 > written_out.rgb.len(), "other rules are seen: {other}");
}
