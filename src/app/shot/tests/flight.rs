//! Slow flights: the image must not jump between two frames when levels of detail change or plants appear.

use super::*;

const WIDTH: u32 = 192;
const HEIGHT: u32 = 120;
/// Limit of the largest change between two frames, relative to the median change.
const MOST_JUMP: f32 = 1.5;
/// The same limit for single blocks of the image: it applies to the block that changes most.
const MOST_BLOCK_JUMP: f32 = 2.5;

/// Hills, ridges and valleys, with forests and meadows on them.
fn hills() -> (Arc<SquareTerrain>, Arc<PaletteTable>) {
    let terrain = Terrain::from_fn(513, Edges::Open, |u, v| {
        let ridges = (u * 17.0 + (v * 5.0).sin()).sin().abs() * 0.25 + (v * 11.0).cos() * 0.12;
        0.35 + ridges + 0.01 * (u * 160.0).sin() * (v * 140.0).cos()
    });
    let (size_metres, relief_metres) = (6000.0, 1400.0);
    let settings = Settings { size_metres, relief_metres, sea_level: -9000.0, ..Settings::default() };
    let scene = talweg::scene::Scene { settings: settings.clone(), palette: "alpine".into(), ..Default::default() };
    let palette = Arc::new(PaletteTable::for_scene(&scene));
    assert!(!palette.scatter.0.is_empty(), "plants are drawn");
    (prepared(&Arc::new(terrain), &settings, Overlay::None), palette)
}

/// Two changes from one frame to the next: the mean difference of the channels, and the greatest mean difference in any
/// block of 24 × 24 pixels. The block shows the jump of a single plant or patch.
#[derive(Debug)]
struct FlightSteps {
    whole: Vec<f32>,
    block: Vec<f32>,
}

const BLOCK: usize = 24;

impl FlightSteps {
    fn of_pictures(pictures: &[Vec<u8>]) -> Self {
        let differ = |pair: &[Vec<u8>]| {
            let columns = WIDTH as usize / BLOCK;
            let mut sums = vec![0u64; columns * (HEIGHT as usize / BLOCK)];
            for (k, (a, b)) in pair[0].iter().zip(&pair[1]).enumerate() {
                let (row, column) = (k / 4 / WIDTH as usize / BLOCK, k / 4 % WIDTH as usize / BLOCK);
                sums[row * columns + column] += u64::from(a.abs_diff(*b));
            }
            let mean = |sum: u64, blocks: usize| sum as f32 / (4 * BLOCK * BLOCK * blocks) as f32;
            (mean(sums.iter().sum(), sums.len()), mean(sums.iter().copied().max().unwrap_or(0), 1))
        };
        let (whole, block) = pictures.windows(2).map(differ).unzip();
        Self { whole, block }
    }
}

/// The images of a flight over the hills, one for each pose.
fn pictures_of_hills(engine: &SharedEngine, poses: &[Pose], quality: RenderQuality) -> Vec<Vec<u8>> {
    let (terrain, palette) = hills();
    let subject = ShotSubject::Terrain(terrain, palette, None);
    let draw = |pose: &Pose| {
        let view = ShotView::Pose(*pose);
        engine.draw(&subject, &ShotOptions { width: WIDTH, height: HEIGHT, view, ..ShotOptions::default() }, quality)
    };
    poses.iter().map(draw).collect()
}

/// The largest change between two frames, relative to the median change.
fn largest_jump(steps: &[f32]) -> f32 {
    let mut sorted = steps.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted[sorted.len() - 1] / sorted[sorted.len() / 2]
}

/// A descent from far above the peaks, in steps proportional to the remaining height above the terrain.
fn descent(frames: usize) -> Vec<Pose> {
    let at = |k: usize| {
        let left = 0.985_f32.powi(k as i32);
        let eye_world = Vec3::new(-40.0 * left, 210.0 + 300.0 * left, 700.0 * left);
        Pose { eye_world, yaw: 0.15, pitch: -0.55 }
    };
    (0..frames).map(at).collect()
}

#[test]
fn nothing_jumps_in_a_slow_flight() {
    let engine = SharedEngine::default();
    for (quality, frames) in [(RenderQuality::Moving, 60), (RenderQuality::Still, 24)] {
        let pictures = pictures_of_hills(&engine, &descent(frames), quality);
        let FlightSteps { whole, block } = FlightSteps::of_pictures(&pictures);
        assert!(largest_jump(&whole) < MOST_JUMP, "{quality:?}: {} in {whole:?}", largest_jump(&whole));
        assert!(largest_jump(&block) < MOST_BLOCK_JUMP, "{quality:?}: {} in {block:?}", largest_jump(&block));
        // check that the test notices a jump: here four frames are left out
        let skipped = FlightSteps::of_pictures(&[&pictures[..10], &pictures[14..]].concat());
        let seen = largest_jump(&skipped.whole);
        assert!(seen > MOST_JUMP, "{quality:?}: {seen}");
    }
}

/// The greatest ratio of a change to the larger of its two neighbours. This ratio exposes a jump even while all changes
/// grow or shrink.
fn largest_spike(steps: &[f32]) -> f32 {
    let beside = |k: usize| steps[k - 1].max(steps[k + 1]);
    (1..steps.len() - 1).map(|k| steps[k] / beside(k)).fold(0.0, f32::max)
}

/// Near the surface of a planet, the sunlight below clouds and in mountain shadows is computed per vertex, not per
/// pixel.
#[test]
fn nothing_jumps_where_vertices_take_over_the_sun_of_a_planet() {
    use talweg::preferences::{AirModel, GlobeView};

    let engine = SharedEngine::default();
    let planet = globe(257, 0.0);
    let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
    let (air, stars, cloud_cover) = (AirModel::None, false, 0.4);
    let view = GlobeView { exaggeration: 1.0, true_nearby: false, air, stars, cloud_cover, ..GlobeView::default() };
    let planet_view = PlanetView { view, ..PlanetView::default() };
    let flight = |frames: std::ops::Range<i32>| -> Vec<Vec<u8>> {
        let draw = |k: i32| {
            // the eye descends from 70 km to 20 km, where the horizon is near enough to compute sunlight per vertex
            let place = [24.0, 38.0, 2_000.0 + 3.0e6 * 0.975_f64.powi(k), 30.0, -65.0];
            let camera = GlobeCamera::framing(&planet, &planet_view, size).placed_over(&planet, &planet_view, place);
            let subject = ShotSubject::Planet(planet.clone(), Box::new(planet_view.clone()), Box::new(camera));
            let options = ShotOptions { width: WIDTH, height: HEIGHT, ..ShotOptions::default() };
            engine.draw(&subject, &options, RenderQuality::Still)
        };
        frames.map(draw).collect()
    };
    let pictures = flight(150..200);
    let FlightSteps { whole, block } = FlightSteps::of_pictures(&pictures);
    assert!(largest_spike(&whole) < MOST_JUMP, "{} in {whole:?}", largest_spike(&whole));
    assert!(largest_spike(&block) < MOST_BLOCK_JUMP, "{} in {block:?}", largest_spike(&block));
    let skipped = FlightSteps::of_pictures(&[&pictures[..10], &pictures[14..24]].concat());
    let seen = largest_spike(&skipped.whole);
    assert!(seen > MOST_JUMP, "{seen}");
}

#[test]
fn nothing_jumps_in_a_slow_flight_to_a_planet() {
    let engine = SharedEngine::default();
    let planet = globe(257, 0.0);
    let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
    // the eye descends from an orbit to the surface, in steps of a fortieth of the remaining height
    let height = |k: i32| 2_000.0 + 3.0e6 * 0.975_f64.powi(k);
    let flight = |frames: std::ops::Range<i32>| -> Vec<Vec<u8>> {
        let draw = |k: i32| {
            let subject = over_globe(&planet, [24.0, 38.0, height(k), 30.0, -65.0], 1.0, size);
            engine.draw(
                &subject,
                &ShotOptions { width: WIDTH, height: HEIGHT, ..ShotOptions::default() },
                RenderQuality::Still,
            )
        };
        frames.map(draw).collect()
    };
    // compare the frames in three groups, because the change per step depends on the height above the surface
    for start in [0, 80, 160] {
        let pictures = flight(start..start + 24);
        let FlightSteps { whole, block } = FlightSteps::of_pictures(&pictures);
        assert!(largest_spike(&whole) < MOST_JUMP, "{start}: {} in {whole:?}", largest_spike(&whole));
        assert!(largest_spike(&block) < MOST_BLOCK_JUMP, "{start}: {} in {block:?}", largest_spike(&block));
        let skipped = FlightSteps::of_pictures(&[&pictures[..10], &pictures[14..]].concat());
        let seen = largest_spike(&skipped.whole);
        assert!(seen > MOST_JUMP, "{start}: {seen}");
    }
}

/// An example planet, with its forests or without them.
fn forested(rules: &str) -> Arc<GlobeTerrain> {
    let scene = talweg::scene::example("earthlike").expect("a built-in").scene.clone();
    let mut store = talweg::eval::Store::forgetful();
    let evaluation = talweg::eval::evaluate(&scene, 65, None, &mut store, &Control::default());
    let terrain = evaluation.expect("it can be evaluated").terrain;
    let scatter = ScatterRules::named(rules).expect("a built-in").clone();
    let table = PaletteTable { scatter, ..PaletteTable::for_scene(&scene) };
    let source = (f64::from(scene.planet.radius_metres), Some(scene.detail_source()));
    let choice = OverlayChoice { biomes: table.biomes.clone(), ..OverlayChoice::default() };
    let globe = GlobeTerrain::new(&terrain, &scene.settings, source, &table.into(), &choice, &Control::default());
    Arc::new(globe.expect("never cancelled"))
}

#[test]
fn nothing_jumps_in_a_slow_flight_over_the_forests_of_a_planet() {
    let engine = SharedEngine::default();
    let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
    let options = ShotOptions { width: WIDTH, height: HEIGHT, ..ShotOptions::default() };
    let picture = |planet: &Arc<GlobeTerrain>, latitude: f64| {
        let subject = over_globe(planet, [latitude, 52.0, 150.0, 0.0, -20.0], 1.0, size);
        engine.draw(&subject, &options, RenderQuality::Still)
    };
    let forest = forested("earth");
    // the camera moves one and a half metres to the north per frame
    let pictures: Vec<Vec<u8>> = (0..14).map(|k| picture(&forest, 2.0 + 1.4e-5 * f64::from(k))).collect();
    let FlightSteps { whole, block } = FlightSteps::of_pictures(&pictures);
    assert!(largest_spike(&whole) < MOST_JUMP, "{} in {whole:?}", largest_spike(&whole));
    assert!(largest_spike(&block) < MOST_BLOCK_JUMP, "{} in {block:?}", largest_spike(&block));
    // check that trees are visible, because trees, their shadows and the canopy darken the surface
    let bare = picture(&forested("none"), 2.0);
    let light = |picture: &[u8]| picture.iter().map(|c| f64::from(*c)).sum::<f64>() / picture.len() as f64;
    let steps = FlightSteps::of_pictures(&[bare.clone(), pictures[0].clone()]);
    assert!(light(&pictures[0]) < 0.85 * light(&bare) && steps.whole[0] > 5.0 * whole[0], "{steps:?} after {whole:?}");
    let skipped = FlightSteps::of_pictures(&[&pictures[..5], &pictures[11..]].concat());
    assert!(largest_spike(&skipped.whole) > MOST_JUMP, "{skipped:?}");
}
