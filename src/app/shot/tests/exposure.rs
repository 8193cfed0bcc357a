//! Tests on whole images: auto exposure, clouds, and plants on construction trees.

use super::*;

const SIDE: u32 = 160;

fn mean(image: &[u8]) -> f32 {
    let sum: u64 =
        image.as_chunks::<4>().0.iter().map(|[r, g, b, _]| u64::from(*r) + u64::from(*g) + u64::from(*b)).sum();
    sum as f32 / (image.len() / 4 * 3) as f32
}

fn options(eye_world: [f32; 3], pitch: f32, mode: ViewMode) -> ShotOptions {
    let view = ShotView::Pose(Pose { eye_world: eye_world.into(), yaw: 0.0, pitch });
    ShotOptions { width: SIDE, height: SIDE, view, mode, ..ShotOptions::default() }
}

/// A deep valley that runs from north to south between plateaus.
fn valley(settings: &Settings) -> ShotSubject {
    let ground = Terrain::from_fn(129, Edges::Open, |u, _| if (0.42..0.58).contains(&u) { 0.0 } else { 0.9 });
    ShotSubject::Terrain(prepared(&Arc::new(ground), settings, Overlay::None), red(), None)
}

fn valley_settings(auto_exposure: bool) -> Settings {
    Settings {
        size_metres: 4000.0,
        relief_metres: 1500.0,
        sun_azimuth: 270.0,
        sun_elevation: 25.0,
        sea_level: -9000.0,
        auto_exposure,
        ..Settings::default()
    }
}

#[test]
fn shade_is_brightened_and_sunlit_ground_is_not() {
    let engine = SharedEngine::default();
    let draw = |eye, auto_exposure, mode| {
        let subject = valley(&valley_settings(auto_exposure));
        engine.draw(&subject, &options(eye, -0.5, mode), RenderQuality::Still)
    };
    let (floor, plateau) = ([0.0, 30.0, 400.0], [300.0, 420.0, 400.0]);
    let [dark, bright] = [false, true].map(|auto| draw(floor, auto, ViewMode::Shaded));
    assert!(mean(&bright) > 1.2 * mean(&dark), "{} beside {}", mean(&bright), mean(&dark));
    assert!(bright == draw(floor, true, ViewMode::Shaded), "the same picture twice");
    assert!(
        draw(plateau, true, ViewMode::Shaded) == draw(plateau, false, ViewMode::Shaded),
        "sunlit terrain is not brightened"
    );
    // the grey hillshade shows data, so auto exposure does not apply
    let [dark, bright] = [false, true].map(|auto| draw(floor, auto, ViewMode::Hillshade));
    assert!(dark == bright);
}

#[test]
fn clouds_darken_a_part_of_the_ground_and_stand_in_the_sky() {
    let engine = SharedEngine::default();
    let ground = Arc::new(Terrain::from_fn(65, Edges::Open, |_, _| 0.2));
    let draw = |clouds: f32, eye, pitch| {
        // the image is so dark that the tone curve compresses no brightness
        let (size_metres, exposure) = (20_000.0, -1.5);
        let settings = Settings { size_metres, exposure, sea_level: -9000.0, clouds, ..Settings::default() };
        let subject = ShotSubject::Terrain(prepared(&ground, &settings, Overlay::None), red(), None);
        engine.draw(&subject, &options(eye, pitch, ViewMode::Shaded), RenderQuality::Still)
    };
    let down = |clouds| draw(clouds, [0.0, 900.0, 0.0], -1.5);
    let [clear, half, all] = [0.0, 0.5, 1.0].map(down);
    let darker = |image: &[u8]| {
        let pairs = clear.as_chunks::<4>().0.iter().zip(image.as_chunks::<4>().0);
        pairs.filter(|(before, after)| before[0] > after[0].saturating_add(12)).count() as f32 / (SIDE * SIDE) as f32
    };
    assert!((0.15..0.85).contains(&darker(&half)), "{}", darker(&half));
    assert!(darker(&all) > darker(&half) + 0.1, "{}", darker(&all));
    let [clear, cloudy] = [0.0, 0.7].map(|clouds| draw(clouds, [0.0, 30.0, 0.0], 0.7));
    assert!(mean(&cloudy) != mean(&clear));
    assert!(cloudy == draw(0.7, [0.0, 30.0, 0.0], 0.7), "clouds do not move");
}

/// The construction has sand and grass, and its palette places palms by the vegetation map.
#[test]
fn plants_stand_on_the_ground_of_a_tree() {
    let scene = talweg::scene::example("paper-004-fig-22-oasis").expect("shipped").scene.clone();
    let (terrain, tree_surface) = tree_of(&scene);
    let palette = Arc::new(PaletteTable::for_scene(&scene));
    assert!(!palette.scatter.0.is_empty());
    let none = ScatterRules::named("none").expect("a built-in").clone();
    let bare = Arc::new(PaletteTable { scatter: none, ..(*palette).clone() });
    let engine = SharedEngine::default();
    let draw = |palette: &Arc<PaletteTable>| {
        let subject = ShotSubject::Terrain(terrain.clone(), palette.clone(), Some(tree_surface.clone()));
        let (low, high) = terrain.scale.bounds_world();
        let eye = [0.0, high.y + 0.12 * (high.x - low.x), 0.25 * (high.z - low.z)];
        engine.draw(&subject, &options(eye, -0.7, ViewMode::Adaptive), RenderQuality::Still)
    };
    let (grown, without) = (draw(&palette), draw(&bare));
    let differ = grown.as_chunks::<4>().0.iter().zip(without.as_chunks::<4>().0).filter(|(a, b)| a != b).count();
    assert!(differ > 50, "{differ} pixels");
}
