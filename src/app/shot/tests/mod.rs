//! Images without a window: every part of the view must be drawn in its place, and no part may be missing.

#![allow(clippy::disallowed_methods, reason = "drawing does not affect heights")]

mod asked;
mod exposure;
mod flight;
mod golden;
mod image_textures;
mod land_around;
mod rays;
mod whole;

use std::cell::RefCell;

use super::*;
use crate::view::{Overlay, OverlayChoice, TreeRecipe};
use talweg::appearance_files::{DEFAULT_MATERIALS, MaterialRules, ScatterRules};
use talweg::field::{Control, Edges, MapKind, Stream, Terrain};
use talweg::scene::Settings;

/// A palette that colours the terrain red, so that any bluish pixel is a hole.
fn red() -> Arc<PaletteTable> {
    Arc::new(PaletteTable {
        lut: vec![[255, 0, 0, 255]; 512],
        rock: [255, 0, 0, 255],
        rock_degrees: (30.0, 40.0),
        biomes: None,
        scatter: ScatterRules::named("none").expect("a built-in").clone(),
        materials: MaterialRules::named(DEFAULT_MATERIALS).expect("a built-in").clone(),
    })
}

/// An engine that successive images of a test share while their size and quality stay the same.
#[derive(Default)]
struct SharedEngine(RefCell<Option<OffscreenRenderer>>);

impl SharedEngine {
    /// Draws an image. Without a graphics driver, the test fails with a message that says what to install.
    fn draw(&self, subject: &ShotSubject, options: &ShotOptions, quality: RenderQuality) -> Vec<u8> {
        let mut shared = self.0.borrow_mut();
        let draw = || {
            let kind = (options.width, options.height, quality);
            let mut renderer = shared
                .take()
                .filter(|renderer| (renderer.options.width, renderer.options.height, renderer.quality) == kind)
                .unwrap_or_else(|| OffscreenRenderer::new(options, quality).unwrap_or_else(|e| panic!("{e}")));
            renderer.options = *options;
            let picture = renderer.draw_image(subject);
            *shared = Some(renderer);
            picture
        };
        guarded(draw).unwrap_or_else(|e| panic!("{e}")).unwrap()
    }
}

fn prepared(terrain: &Arc<Terrain>, settings: &Settings, overlay: Overlay) -> Arc<SquareTerrain> {
    let choice = OverlayChoice { overlay, ..OverlayChoice::default() };
    Arc::new(SquareTerrain::new(terrain, settings, &choice, &Control::default()).expect("never cancelled"))
}

/// Number of pixels that show something other than the red terrain.
fn holes(engine: &SharedEngine, samples: usize, eye: [f32; 3], pitch: f32, quality: RenderQuality) -> usize {
    let draw = Stream::new(1, 2);
    let terrain = Arc::new(Terrain::from_fn(samples, Edges::Open, |u, v| {
        let at = |position: f32| (position * (samples - 1) as f32).round() as i32;
        0.3 * (u * 40.0).sin() * (v * 36.0).cos() + 0.12 * draw.signed(at(u), at(v))
    }));
    // use a small terrain, because the blue of many kilometres of air would look like holes in dark places
    let (size_metres, relief_metres) = (80.0, 18.0);
    let settings =
        Settings { sea_level: -9000.0, sun_elevation: 80.0, size_metres, relief_metres, ..Settings::default() };
    let prepared = prepared(&terrain, &settings, Overlay::None);
    let pose = Pose { eye_world: eye.into(), yaw: 0.7, pitch };
    let options = ShotOptions { width: 480, height: 360, view: ShotView::Pose(pose), ..ShotOptions::default() };
    let subject = ShotSubject::Terrain(prepared, red(), None);
    let image = engine.draw(&subject, &options, quality);
    image.as_chunks::<4>().0.iter().filter(|[r, _, b, _]| b >= r).count()
}

#[test]
fn pixels_are_averaged_in_linear_light() {
    // 2 × 2 black and white pixels average to half the light, not to half of the encoded value
    let [black, white] = [[0, 0, 0, 255], [255, 255, 255, 255]];
    let image: Vec<u8> = [black, white, white, black].concat();
    let RgbImage { width, height, rgb } = averaged(&image, 2, 2);
    assert_eq!((width, height), (1, 1));
    assert!(rgb.iter().all(|c| (186..=189).contains(c)), "{rgb:?}");
    assert_eq!(averaged(&image, 2, 1).rgb, [[0; 3], [255; 3], [255; 3], [0; 3]].concat());
}

#[test]
fn frames_are_timed_and_their_passes_named() {
    use frame_times::FrameTimes;

    let terrain = Arc::new(Terrain::from_fn(65, Edges::Open, |u, v| 0.3 * (u * 9.0).sin() * (v * 7.0).cos()));
    let subject = ShotSubject::Terrain(prepared(&terrain, &Settings::default(), Overlay::None), red(), None);
    let options = ShotOptions { width: 160, height: 90, ..ShotOptions::default() };
    let times = FrameTimes::measure(&subject, &options, 5).unwrap();
    assert_eq!((times.waited.len(), times.processor.len(), times.width), (5, 5, 160));
    assert!(times.waited.is_sorted() && times.waited[0] > 0.0 && times.overlapped > 0.0);
    // the time of a frame includes its processor time
    assert!(times.waited[4] >= times.processor[4]);
    let text = times.to_string();
    assert!(text.contains("160 × 90 pixels, 5 frames") && text.contains("frames per second"), "{text}");
    assert!(times.passes.is_empty() || times.passes.iter().any(|(name, _)| name == "Ground"), "{text}");
}

#[test]
fn the_gpu_work_of_a_frame_is_counted() {
    use frame_costs::FrameCosts;

    let terrain = Arc::new(Terrain::from_fn(257, Edges::Open, |u, v| 0.3 * (u * 9.0).sin() * (v * 7.0).cos()));
    let subject = ShotSubject::Terrain(prepared(&terrain, &Settings::default(), Overlay::None), red(), None);
    let options = ShotOptions { width: 160, height: 90, ..ShotOptions::default() };
    let costs = FrameCosts::count(&subject, &options).unwrap();
    let part = |name: &str| costs.parts.iter().find(|part| part.name == name).unwrap();
    let (ground, sky) = (part("Ground"), part("Sky"));
    // the sky counts each block of 4 × 4 pixels at most once; terrain and sky together count every block at least once
    let pixels = f64::from(160 * 90);
    assert!(sky.fragments <= 1.2 * pixels && sky.fragments + ground.fragments > 0.5 * pixels, "{costs}");
    assert!(ground.triangles > 1_000.0 && ground.vertices > 1_000.0, "{costs}");
    // each pixel blends two materials, each read at three scales and projected from three sides
    assert!((18.0..80.0).contains(&ground.per_fragment.texture_reads), "{costs}");
    assert!(ground.per_fragment.operations > sky.per_fragment.operations && ground.covers, "{costs}");
    assert!(0.0 < costs.least_milliseconds() && costs.least_milliseconds() < costs.most_milliseconds(), "{costs}");
    assert!(costs.to_string().contains("estimated, not measured"));
}

#[test]
fn levels_of_detail_meet_without_cracks() {
    let engine = SharedEngine::default();
    let views = [
        (1025, [10.0, 180.0, 20.0], -0.9, RenderQuality::Moving),
        (1000, [-120.0, 260.0, 60.0], -1.2, RenderQuality::Moving),
        (1025, [0.0, 220.0, 0.0], -1.0, RenderQuality::Still),
    ];
    for (samples, eye, pitch, quality) in views {
        assert_eq!(holes(&engine, samples, eye, pitch, quality), 0, "{samples} samples, from {eye:?}");
    }
}

/// Number of pixels that do not show a red planet, in an image from above a place on the planet.
fn globe_holes(
    engine: &SharedEngine,
    samples: usize,
    place: [f64; 5],
    exaggeration: f32,
    quality: RenderQuality,
) -> usize {
    let prepared = globe(samples, 0.1);
    let size = Vec2::new(480.0, 360.0);
    let options = ShotOptions { width: 480, height: 360, ..ShotOptions::default() };
    let image = engine.draw(&over_globe(&prepared, place, exaggeration, size), &options, quality);
    image.as_chunks::<4>().0.iter().filter(|[r, _, b, _]| b >= r).count()
}

/// A planet with hills. Each sample is raised or lowered by up to the fraction `rough` of the relief.
fn globe(samples: usize, rough: f32) -> Arc<GlobeTerrain> {
    use talweg::field::{Globe, Grid};

    let draw = Stream::new(1, 2);
    let mut terrain = Terrain::flat(Grid::globe(samples));
    let globe = Globe::new(samples);
    for (k, h) in terrain.height.iter_mut().enumerate() {
        let [x, y, z] = globe.direction_of(k);
        // a sample has the same offset on every face that shares it
        let off = rough * draw.signed(globe.grid().owner(k) as i32, 0);
        *h = 0.3 * (x * 20.0).sin() * (y * 18.0 + z * 9.0).cos() + off;
    }
    let settings = Settings { sea_level: -90_000.0, relief_metres: 9000.0, ..Settings::default() };
    let (choice, control) = (OverlayChoice::default(), Control::default());
    let prepared = GlobeTerrain::new(&Arc::new(terrain), &settings, (6.371e6, None), &red(), &choice, &control);
    Arc::new(prepared.expect("never cancelled"))
}

/// A planet without air, as seen from above a place on it.
fn over_globe(prepared: &Arc<GlobeTerrain>, place: [f64; 5], exaggeration: f32, size: Vec2) -> ShotSubject {
    use talweg::preferences::{AirModel, GlobeView};

    let view = GlobeView {
        exaggeration,
        true_nearby: false,
        night_side: false,
        air: AirModel::None,
        cloud_cover: 0.0,
        stars: false,
        ..GlobeView::default()
    };
    let planet_view = PlanetView { view, ..PlanetView::default() };
    let camera = GlobeCamera::framing(prepared, &planet_view, size).placed_over(prepared, &planet_view, place);
    ShotSubject::Planet(prepared.clone(), Box::new(planet_view), Box::new(camera))
}

#[test]
fn a_globe_has_no_cracks_within_or_between_faces() {
    let engine = SharedEngine::default();
    // places above a corner, an edge and the centre of a cube face, each from space and from near the surface
    let places = [
        ([35.26, 45.0, 400_000.0, 0.0, -90.0], 30.0, RenderQuality::Moving),
        ([10.0, 45.0, 2_000_000.0, 20.0, -90.0], 10.0, RenderQuality::Still),
        ([44.0, 2.0, 30_000.0, 70.0, -70.0], 1.0, RenderQuality::Moving),
        ([-45.0, -90.0, 900.0, 70.0, -75.0], 1.0, RenderQuality::Moving),
    ];
    for (place, exaggeration, quality) in places {
        assert_eq!(globe_holes(&engine, 257, place, exaggeration, quality), 0, "{place:?} × {exaggeration}");
    }
}

/// C_out = C_atm (1 - n·v)(n·l): the rim grows brighter with C_atm, and the middle of the globe keeps its colour.
#[test]
fn the_rim_of_a_planet_follows_its_setting() {
    use talweg::preferences::{AirModel, GlobeView};

    let engine = SharedEngine::default();
    let prepared = globe(65, 0.0);
    let size = Vec2::splat(240.0);
    let options = ShotOptions { width: 240, height: 240, ..ShotOptions::default() };
    let brightness = |rim_light: f32| {
        let (air, night_side, stars, cloud_cover) = (AirModel::Formula, false, false, 0.0);
        let view = GlobeView { rim_light, air, night_side, stars, cloud_cover, ..GlobeView::default() };
        let planet_view = PlanetView { view, ..PlanetView::default() };
        let camera = GlobeCamera::framing(&prepared, &planet_view, size);
        let subject = ShotSubject::Planet(prepared.clone(), Box::new(planet_view), Box::new(camera));
        let image = engine.draw(&subject, &options, RenderQuality::Still);
        let blue = |row: usize, column: usize| u32::from(image[(row * 240 + column) * 4 + 2]);
        let middle: u32 =
            (110..130).flat_map(|row| (110..130).map(move |column| (row, column))).map(|(r, c)| blue(r, c)).sum();
        let whole: u32 =
            (0..240).flat_map(|row| (0..240).map(move |column| (row, column))).map(|(r, c)| blue(r, c)).sum();
        [f64::from(middle) / 400.0, f64::from(whole) / 57_600.0]
    };
    let [none, once, twice] = [0.0, 1.0, 2.0].map(brightness);
    assert!(once[1] > none[1] + 2.0 && twice[1] > once[1] + 1.0, "{none:?} {once:?} {twice:?}");
    assert!(twice[0] - none[0] < 0.5 * (twice[1] - none[1]), "{none:?} {once:?} {twice:?}");
}

/// An image of a terrain from straight above, with the position of the square in the image.
fn from_above(engine: &SharedEngine, prepared: Arc<SquareTerrain>, palette: Arc<PaletteTable>) -> Above {
    let pose = Pose { eye_world: [0.0, 1700.0, 0.0].into(), yaw: 0.0, pitch: -std::f32::consts::FRAC_PI_2 };
    let options = ShotOptions { width: 300, height: 300, view: ShotView::Pose(pose), ..ShotOptions::default() };
    let ground_world = prepared.scale.highest_world;
    let subject = ShotSubject::Terrain(prepared, palette, None);
    let rgba = engine.draw(&subject, &options, RenderQuality::Still);
    Above { rgba, pose, ground_world }
}

struct Above {
    rgba: Vec<u8>,
    pose: Pose,
    ground_world: f32,
}

impl Above {
    fn colour(&self, u: f32, v: f32) -> [u8; 3] {
        let world = Vec3::new((u - 0.5) * 1000.0, self.ground_world, (v - 0.5) * 1000.0);
        let pixel = self
            .pose
            .project(&CompareLayout::One.lens(Vec2::splat(300.0), ViewProjection::Perspective), world)
            .expect("it is below the eye");
        let at = (pixel.y as usize * 300 + pixel.x as usize) * 4;
        [self.rgba[at], self.rgba[at + 1], self.rgba[at + 2]]
    }

    /// Mean colour of a small area of the image around a position on the square.
    fn mean(&self, u: f32, v: f32) -> [f32; 3] {
        let mut sum = [0.0; 3];
        for k in 0..81 {
            let colour = self.colour(u + 0.02 * ((k % 9) as f32 - 4.0), v + 0.02 * ((k / 9) as f32 - 4.0));
            (0..3).for_each(|c| sum[c] += f32::from(colour[c]) / 81.0);
        }
        sum
    }
}

#[test]
fn snow_and_sand_hide_the_ground_where_they_lie() {
    let engine = SharedEngine::default();
    let bare = Terrain::from_fn(129, Edges::Open, |_, _| 0.2);
    let settings = Settings { sea_level: -9000.0, ..Settings::default() };
    let metres = |depth: f32| depth / settings.relief_metres;
    let draw = |terrain: Terrain| from_above(&engine, prepared(&Arc::new(terrain), &settings, Overlay::None), red());
    for (kind, is_sand) in [(MapKind::Snow, false), (MapKind::Sand, true)] {
        let mut laid = bare.clone();
        // the layer is thick in the west and a thin dusting in the east
        for (k, depth) in laid.map_mut(kind).iter_mut().enumerate() {
            *depth = metres(if k % 129 < 64 { 3.0 } else { 0.01 });
        }
        let (before, after) = (draw(bare.clone()), draw(laid));
        for k in 0..20 {
            let v = 0.1 + 0.04 * k as f32;
            let ([r, g, b], [red, green, _]) =
                (after.colour(0.25, v).map(i32::from), before.colour(0.25, v).map(i32::from));
            assert!(g > green + 60 && b > 40, "{kind:?} at {v}: {r} {g} {b}");
            assert_eq!(is_sand, r > b + 60, "{kind:?} at {v}: {r} {g} {b}");
            let east = after.colour(0.75, v).map(i32::from);
            assert!(east[0].abs_diff(red) < 12 && east[1].abs_diff(green) < 12, "{kind:?} at {v}: {east:?}");
        }
    }
}

/// One stop doubles the light, except that the tone curve compresses bright values.
#[test]
fn exposure_doubles_the_light() {
    let engine = SharedEngine::default();
    let linear = |c: i32| {
        let c = c as f32 / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let red_of = |exposure: f32| {
        let settings = Settings { sea_level: -9000.0, exposure, ..Settings::default() };
        let ground = Arc::new(Terrain::from_fn(33, Edges::Open, |_, _| 0.2));
        linear(
            from_above(&engine, prepared(&ground, &settings, Overlay::None), red()).colour(0.5, 0.5).map(i32::from)[0],
        )
    };
    let [dark, plain, bright] = [-2.0, -1.0, 3.0].map(red_of);
    assert!((1.8..2.2).contains(&(plain / dark)), "{plain} beside {dark}");
    assert!(bright > plain, "{bright} beside {plain}");
}

#[test]
fn inland_water_is_drawn_only_where_the_map_has_it() {
    let engine = SharedEngine::default();
    let dry = Terrain::from_fn(129, Edges::Open, |_, _| 0.2);
    let settings = Settings { sea_level: -9000.0, ..Settings::default() };
    // there is a lake, and a stream one sample wide that crosses the square
    let (mut wet, film) = (dry.clone(), 1e-4);
    let is_lake = |u: f32, v: f32| (u - 0.3).hypot(v - 0.35) - 0.15;
    for k in 0..129 * 129 {
        let (i, j) = (k / 129, k % 129);
        let lake = is_lake(j as f32 / 128.0, i as f32 / 128.0) < 0.0;
        wet.map_mut(MapKind::Water)[k] = if lake || i == 96 { 0.03 } else { film };
    }
    let draw = |terrain: &Terrain, overlay| {
        from_above(&engine, prepared(&Arc::new(terrain.clone()), &settings, overlay), red())
    };
    let (before, after) = (draw(&dry, Overlay::None), draw(&wet, Overlay::None));
    let (mut drawn, cell) = (0, 1.0 / 128.0);
    for k in 0..90 * 90 {
        let (u, v) = (0.05 + 0.01 * (k % 90) as f32, 0.05 + 0.01 * (k / 90) as f32);
        let nearest = is_lake(u, v).min((v - 0.75).abs() - 0.5 * cell);
        let (old, new) = (before.colour(u, v), after.colour(u, v));
        if nearest < -1.5 * cell {
            assert!(new[2] > new[0], "no water at {u}, {v}: {new:?}");
            drawn += 1;
        } else if nearest > 2.5 * cell {
            assert_eq!(old, new, "water at {u}, {v}");
        }
    }
    assert!(drawn > 400, "{drawn}");
    for k in 0..50 {
        let (u, v) = (0.1 + 0.016 * k as f32, 0.75);
        assert!(after.colour(u, v)[2] > after.colour(u, v)[0], "the stream is broken at {u}");
    }
    let plain = draw(&dry, Overlay::Slope);
    let slope = draw(&wet, Overlay::Slope);
    assert_eq!(plain.colour(0.3, 0.35), slope.colour(0.3, 0.35), "water must not hide an overlay");
}

#[test]
fn an_overlay_has_the_colours_of_its_ramp() {
    let engine = SharedEngine::default();
    let mut terrain = Terrain::from_fn(65, Edges::Open, |_, _| 0.2);
    // the flow is 1, 10, 100 and 1000 in the four quarters of the square
    let quarter = |k: usize| 2 * usize::from(k / 65 > 32) + usize::from(k % 65 > 32);
    for (k, flow) in terrain.map_mut(MapKind::Flow).iter_mut().enumerate() {
        *flow = [1.0, 10.0, 100.0, 1000.0][quarter(k)];
    }
    let settings = Settings { sea_level: -9000.0, ..Settings::default() };
    let flow = prepared(&Arc::new(terrain.clone()), &settings, Overlay::Map(MapKind::Flow));
    let ramp = flow.ramp().expect("there is a flow map");
    let tinted = from_above(&engine, flow, red());
    let places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)];
    // a flow of 1 has no overlay colour, so the first quarter stays red; the other quarters have the ramp's colours
    let grounds = [None, Some(1.0 / 3.0), Some(2.0 / 3.0), Some(1.0)];
    for ((u, v), place) in places.into_iter().zip(grounds) {
        let [r, g, b] = place.map_or([255, 0, 0], |place| ramp.colour(place));
        let painted = PaletteTable { lut: vec![[r, g, b, 255]; 512], ..(*red()).clone() };
        let dry = Arc::new(Terrain::from_fn(65, Edges::Open, |_, _| 0.2));
        let bare = from_above(&engine, prepared(&dry, &settings, Overlay::None), painted.into());
        let (seen, expected) = (tinted.mean(u, v), bare.mean(u, v));
        let away = (0..3).map(|c| (seen[c] - expected[c]).abs()).fold(0.0, f32::max);
        assert!(away < 8.0, "{seen:?} instead of {expected:?} at {u}, {v}");
    }
}

/// The built-in example `name`, whose only layer is a construction, ready to be drawn.
fn tree(name: &str) -> (Arc<SquareTerrain>, Arc<TreeSurface>) {
    tree_of(&talweg::scene::example(name).expect("a built-in example").scene)
}

fn tree_of(scene: &talweg::scene::Scene) -> (Arc<SquareTerrain>, Arc<TreeSurface>) {
    let mut store = talweg::eval::Store::forgetful();
    let terrain =
        talweg::eval::evaluate(scene, 129, None, &mut store, &Control::default()).expect("not stopped").terrain;
    // lower the sea, which would otherwise hide the terrain
    let settings = Settings { sea_level: -9000.0, ..scene.settings.clone() };
    let tree_surface = TreeSurface::without_layers(scene);
    (prepared(&terrain, &settings, Overlay::None), Arc::new(tree_surface))
}

fn draw_tree(
    engine: &SharedEngine,
    prepared: &Arc<SquareTerrain>,
    tree_surface: &Arc<TreeSurface>,
    options: &ShotOptions,
) -> Vec<u8> {
    let subject = ShotSubject::Terrain(prepared.clone(), red(), Some(tree_surface.clone()));
    engine.draw(&subject, options, RenderQuality::Still)
}

#[test]
fn tree_patches_have_no_cracks_at_any_distance() {
    let engine = SharedEngine::default();
    let (prepared, tree_surface) = tree("paper-004-fig-12-craters");
    for (above_metres, pitch) in [(3000.0, -1.2), (200.0, -0.9), (1.0, -1.0)] {
        let at = Vec3::new(40.0, 0.0, 30.0);
        let height = above_metres / prepared.scale.metres_per_world;
        let eye_world = at.with_y(tree_surface.floor_world(at, 1e-3) + height);
        let pose = Pose { eye_world, yaw: 0.7, pitch };
        let view = ShotView::Pose(pose);
        let options = ShotOptions { width: 160, height: 120, view, mode: ViewMode::Adaptive, ..ShotOptions::default() };
        let image = draw_tree(&engine, &prepared, &tree_surface, &options);
        let holes = image.as_chunks::<4>().0.iter().filter(|[r, _, b, _]| b >= r).count();
        assert_eq!(holes, 0, "from {above_metres} m");
    }
}

#[test]
fn a_size_out_of_range_is_refused() {
    let terrain = Arc::new(Terrain::from_fn(3, Edges::Open, |u, _| u));
    let prepared = prepared(&terrain, &Settings::default(), Overlay::None);
    let options = ShotOptions { width: 9000, ..ShotOptions::default() };
    let subject = ShotSubject::Terrain(prepared, red(), None);
    let refused = shot(&subject, &options, SaveTarget::new("/nowhere/view.png"));
    assert!(matches!(refused, Err(ShotError::Size { width: 9000, .. })));
}
