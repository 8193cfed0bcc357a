//! The built-in stamps whose scenes are in `assets/stamps`.

use rayon::prelude::*;
use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::io::{built_in_stamps, raster};
use talweg::scene::Scene;

use crate::kits::common::path;

#[test]
fn each_stamp_has_the_heights_of_its_scene() {
    let files: Vec<_> = std::fs::read_dir(path("assets/stamps")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 36, "{files:?}");
    files.par_iter().for_each(|file| {
        let name = format!("stamp:{}", file.file_stem().unwrap().to_string_lossy());
        let (scene, warnings) = Scene::load(file).unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let stamp = built_in_stamps().iter().find(|stamp| stamp.name == name).unwrap();
        assert_eq!(scene.name.replace('-', " "), stamp.title);
        assert!(scene.files().is_empty(), "{name} reads no file");
        let evaluation = evaluate(&scene, 129, None, &mut Store::forgetful(), &Control::default()).unwrap();
        let heights = &evaluation.terrain.height;
        let (low, high) = heights.iter().fold((f32::MAX, f32::MIN), |(low, high), z| (low.min(*z), high.max(*z)));
        let picture = raster(&name).unwrap();
        let values: Vec<f32> = heights.iter().map(|z| (z - low) / (high - low)).collect();
        let differs = values.iter().zip(&picture.values).position(|(z, grey)| (z - grey).abs() > 1.0 / 65_535.0);
        assert_eq!(differs, None, "{name}: tools/stamps makes it again from its scene");
    });
}
