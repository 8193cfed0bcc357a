//! The land around a terrain, drawn as mirrored copies of the terrain beyond its edges.

use super::*;
use talweg::scene::Surroundings;

const WIDTH: u32 = 192;
const HEIGHT: u32 = 120;

/// Mean brightness of the pixels between two fractions of the image's width, over its middle rows.
fn mean_between(picture: &[u8], from: f32, to: f32) -> f32 {
    let columns = (from * WIDTH as f32) as usize..(to * WIDTH as f32) as usize;
    let rows = 40..80;
    let values = rows.flat_map(|row| columns.clone().map(move |column| picture[(row * WIDTH as usize + column) * 4]));
    let values: Vec<f32> = values.map(f32::from).collect();
    values.iter().sum::<f32>() / values.len() as f32
}

/// A slope that rises to the east edge continues to rise beyond this edge. Farther out, it turns into the mirrored
/// terrain, which falls.
#[test]
fn a_slope_continues_beyond_the_edge_of_the_terrain() {
    let engine = SharedEngine::default();
    let terrain = Arc::new(Terrain::from_fn(257, Edges::Open, |u, _| 0.2 + 0.5 * u));
    let (size_metres, relief_metres, surroundings) = (4000.0, 1000.0, Surroundings::Land);
    let settings = Settings {
        size_metres,
        relief_metres,
        surroundings,
        sea_level: -9000.0,
        sun_azimuth: 270.0,
        sun_elevation: 20.0,
        // the image is so dark that no pixel saturates
        exposure: -2.0,
        auto_exposure: false,
        ..Settings::default()
    };
    let subject = ShotSubject::Terrain(prepared(&terrain, &settings, Overlay::None), red(), None);
    // the eye looks straight down on the east edge, with east to the right in the image
    let view = ShotView::Pose(Pose { eye_world: Vec3::new(500.0, 650.0, 0.0), yaw: 0.0, pitch: -1.57 });
    for quality in [RenderQuality::Still, RenderQuality::Moving] {
        let options = ShotOptions { width: WIDTH, height: HEIGHT, view, ..ShotOptions::default() };
        let picture = engine.draw(&subject, &options, quality);
        let [inside, outside, far] =
            [(0.42, 0.48), (0.52, 0.56), (0.88, 0.98)].map(|(a, b)| mean_between(&picture, a, b));
        assert!((inside - far).abs() > 25.0, "{quality:?}: a slope that falls away is darker: {inside} {far}");
        assert!((inside - outside).abs() < 0.25 * (inside - far).abs(), "{quality:?}: {inside} {outside} {far}");
    }
}
