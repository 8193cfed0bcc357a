//! Terrain cut out as an image primitive. The primitive keeps the heights, has weight 0 where there is no terrain, and
//! reports errors.

use talweg::construction::geometry::plane::Area;
use talweg::eval::{Store, evaluate};
use talweg::export::image_piece::{CutOut, CutOutError};
use talweg::field::{Control, MapKind, Terrain};
use talweg::io::SaveTarget;
use talweg::scene::{Scene, example};

use crate::kits::common::example_terrain;

const N: usize = 129;

fn evaluated(scene: &Scene) -> Terrain {
    evaluate(scene, N, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain.as_ref().clone()
}

/// The cut-out as a scene, saved and read again.
fn saved(cut: &CutOut, scene: &Scene, border: f32) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("piece.ron");
    cut.save(scene, border, &SaveTarget::new(&file)).unwrap();
    let pictures = cut.pictures(&file);
    assert_eq!(pictures.len(), 1 + usize::from(cut.has_weights()));
    assert!(pictures.iter().all(|path| path.is_file()), "{pictures:?}");
    let (read, warnings) = Scene::load(&file).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    // The picture is read only when the scene is evaluated.
    let made = evaluated(&read);
    assert!(made.height.iter().any(|h| *h != made.height[0]));
    std::mem::forget(folder);
    read
}

#[test]
fn a_cut_out_piece_keeps_its_heights() {
    let scene = example("alpine-range").unwrap().scene.clone();
    let terrain = example_terrain("alpine-range", N);
    let (side, relief) = (f64::from(scene.settings.size_metres), f64::from(scene.settings.relief_metres));
    let cell = side / (N - 1) as f64;
    let asked = Area { low: [20.3 * cell, 31.0 * cell], high: [90.0 * cell, 77.6 * cell] };
    let cut = CutOut::new(&scene, &terrain, &asked).unwrap();
    assert_eq!(cut.size, [71, 48], "from sample 20 to 90, from 31 to 78");
    assert!(cut.area.low[0] <= asked.low[0] && cut.area.high[1] >= asked.high[1] && !cut.has_weights());
    let made = evaluated(&saved(&cut, &scene, 0.001));
    let step = (cut.range[1] - cut.range[0]) / 65535.0;
    let mut farthest = 0.0f64;
    for i in 32..78 {
        for j in 21..90 {
            let (was, is) = (f64::from(terrain.height[i * N + j]), f64::from(made.height[i * N + j]));
            farthest = farthest.max((was - is).abs() * relief);
        }
    }
    assert!(farthest < 2.0 * step + 0.02, "{farthest} m, and a step is {step} m");
    // This sample is on the level terrain around the cut-out.
    assert!((f64::from(made.height[5 * N + 5]) * relief - cut.range[0]).abs() < 0.01);
}

#[test]
fn a_cut_out_piece_has_no_weight_over_voids() {
    let scene = example("alpine-range").unwrap().scene.clone();
    let mut terrain = example_terrain("alpine-range", N).as_ref().clone();
    let hole = |k: usize| k % N > 60 && k / N > 50;
    terrain.map_mut(MapKind::Ground).iter_mut().enumerate().for_each(|(k, ground)| *ground = f32::from(!hole(k)));
    let cell = f64::from(scene.settings.size_metres) / (N - 1) as f64;
    let area = Area { low: [40.0 * cell, 30.0 * cell], high: [80.0 * cell, 70.0 * cell] };
    let cut = CutOut::new(&scene, &terrain, &area).unwrap();
    assert!(cut.has_weights());
    let made = evaluated(&saved(&cut, &scene, 0.001));
    let relief = f64::from(scene.settings.relief_metres);
    let at = |i: usize, j: usize| f64::from(made.height[i * N + j]) * relief;
    assert!((at(60, 70) - cut.range[0]).abs() < 0.5, "the hole is level: {}", at(60, 70));
    assert!((at(40, 50) - f64::from(terrain.height[40 * N + 50]) * relief).abs() < 0.1);
}

#[test]
fn an_impossible_cut_out_is_refused_with_a_reason() {
    let scene = example("alpine-range").unwrap().scene.clone();
    let mut terrain = example_terrain("alpine-range", N).as_ref().clone();
    let area = |low: f64, high: f64| Area { low: [low; 2], high: [high; 2] };
    let error = |terrain: &Terrain, area: &Area| CutOut::new(&scene, terrain, area).unwrap_err();
    assert!(matches!(error(&terrain, &area(-500.0, -100.0)), CutOutError::Outside(_)));
    assert!(error(&terrain, &area(100.0, 100.0)).to_string().contains("width"));
    terrain.map_mut(MapKind::Ground).fill(0.0);
    assert!(matches!(error(&terrain, &area(100.0, 2000.0)), CutOutError::Void));
}
