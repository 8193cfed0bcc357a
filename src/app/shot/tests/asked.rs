//! The conditions of material rules must have the same effect in the image as in the processor's computation.

use super::*;
use talweg::appearance::GroundConditions;
use talweg::appearance_files::{CONDITIONS, EVERYWHERE, Material, MaterialRule};

const SIDE: u32 = 200;
/// Height of the eye above the centre of the terrain, in world units.
const UP: f32 = 1200.0;

/// Hills with water and beds of hard rock.
fn hills() -> Terrain {
    let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| 0.5 + 0.25 * ((u * 30.0).sin() + (v * 26.0).cos()));
    let along = |k: usize| (k % 129) as f32 / 128.0;
    let cell_area = (2000.0f32 / 128.0).powi(2);
    let flow = |k: usize| 10f32.powf(2.0 + 6.0 * along(k)) / cell_area;
    terrain.map_mut(MapKind::Flow).iter_mut().enumerate().for_each(|(k, value)| *value = flow(k));
    let beds = |k: usize| 0.5 + 0.5 * (along(k) * 40.0).sin();
    terrain.map_mut(MapKind::Hardness).iter_mut().enumerate().for_each(|(k, value)| *value = beds(k));
    terrain
}

#[test]
fn curvature_wetness_and_hardness_match_the_cpu() {
    let terrain = Arc::new(hills());
    let settings = Settings {
        size_metres: 2000.0,
        relief_metres: 60.0,
        sea_level: -9000.0,
        sun_elevation: 80.0,
        auto_exposure: false,
        ..Settings::default()
    };
    let prepared = prepared(&terrain, &settings, Overlay::None);
    let engine = SharedEngine::default();
    let pose = Pose { eye_world: Vec3::new(0.0, UP, 0.0), yaw: 0.0, pitch: -0.5 * std::f32::consts::PI };
    let options = ShotOptions { width: SIDE, height: SIDE, view: ShotView::Pose(pose), ..ShotOptions::default() };
    // each condition has a threshold between the two materials, and a margin around it within which roughness may
    // change the result
    for (condition, middle, near) in [("curvature", 0.0, 0.8), ("wetness", 0.5, 0.12), ("hardness", 0.5, 0.1)] {
        let at = CONDITIONS.iter().position(|name| *name == condition).unwrap();
        let mut bands = [EVERYWHERE; CONDITIONS.len()];
        bands[at] = [middle - 0.1 * near, middle + 0.1 * near, 1e9, 1e9];
        let rule = |material, bands| MaterialRule {
            name: String::new(),
            material,
            max_fraction: 1.0,
            tint: 1.0,
            textures: None,
            bands,
        };
        let rules = vec![rule(Material::Mud, [EVERYWHERE; CONDITIONS.len()]), rule(Material::Snow, bands)];
        let palette = Arc::new(PaletteTable { materials: Arc::new(MaterialRules(rules)), ..(*red()).clone() });
        let subject = ShotSubject::Terrain(prepared.clone(), palette.clone(), None);
        let drawn = averaged(&engine.draw(&subject, &options, RenderQuality::Still), SIDE as usize, 1);
        let green = |x: usize, y: usize| drawn.rgb[3 * (y * SIDE as usize + x) + 1];
        let mut all: Vec<u8> = drawn.rgb.iter().skip(1).step_by(3).copied().collect();
        all.sort_unstable();
        let (dark, bright) = (all[all.len() / 20], all[all.len() * 19 / 20]);
        assert!(bright > dark + 60, "{condition}: both materials are seen, {dark} and {bright}");
        let control = Control::default();
        let asked = [&bands].into_iter();
        let ground = GroundConditions::new(&terrain, &settings, &palette, asked, &control).unwrap();
        let seen = UP * (0.5 * crate::view::ViewProjection::Perspective.field_of_view()).tan();
        let (mut clear, mut alike) = (0, 0);
        for (x, y) in (4..SIDE - 4).flat_map(|y| (4..SIDE - 4).map(move |x| (x, y))) {
            // correct for perspective: the terrain is about 15 units high
            let place = [x, y]
                .map(|at| 0.5 + ((at as f32 + 0.5) / SIDE as f32 * 2.0 - 1.0) * seen * (1.0 - 15.0 / UP) / 1000.0);
            let value = ground.values(place)[at];
            if (value - middle).abs() < near {
                continue;
            }
            clear += 1;
            let is_snow = u16::from(green(x as usize, y as usize)) * 2 > u16::from(dark) + u16::from(bright);
            alike += u32::from(is_snow == (value > middle));
        }
        assert!(clear > 8000, "{condition}: {clear} places are clear");
        assert!(alike * 100 > clear * 96, "{condition}: {alike} of {clear} places are alike");
    }
}
