//! Slow flights: from one picture to the next nothing jumps, where details take over from each other and plants come.

use super::*;

const WIDTH: u32 = 192;
const HEIGHT: u32 = 120;
/// So many times as large as the step in the middle may the largest be.
const MOST_JUMP: f32 = 1.5;

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

/// Means of the differences of the channels from each picture to the next.
fn steps(engine: &SharedEngine, poses: &[Pose], quality: RenderQuality) -> Vec<f32> {
    let (terrain, palette) = hills();
    let subject = ShotSubject::Terrain(terrain, palette, None);
    let draw = |pose: &Pose| {
        let view = ShotView::Pose(*pose);
        engine.draw(&subject, &ShotOptions { width: WIDTH, height: HEIGHT, view, ..ShotOptions::default() }, quality)
    };
    let pictures: Vec<Vec<u8>> = poses.iter().map(draw).collect();
    let differ = |pair: &[Vec<u8>]| {
        let sum: u64 = pair[0].iter().zip(&pair[1]).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f32 / pair[0].len() as f32
    };
    pictures.windows(2).map(differ).collect()
}

/// How many times the largest step is as large as the one in the middle.
fn largest_jump(steps: &[f32]) -> f32 {
    let mut sorted = steps.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted[sorted.len() - 1] / sorted[sorted.len() / 2]
}

/// From far above the peaks down to them, each step as long in proportion to what is left.
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
        let poses = descent(frames);
        let steady = steps(&engine, &poses, quality);
        assert!(largest_jump(&steady) < MOST_JUMP, "{quality:?}: {} in {steady:?}", largest_jump(&steady));
        // it would be seen: here four pictures are missing
        let skipped: Vec<Pose> = [&poses[..10], &poses[14..]].concat();
        let seen = largest_jump(&steps(&engine, &skipped, quality));
        assert!(seen > MOST_JUMP, "{quality:?}: {seen}");
    }
}
