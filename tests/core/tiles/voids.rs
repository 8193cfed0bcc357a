//! Tiled builds of terrain whose land ends at voids.

use super::builds::{check_tiles, layer, scene};
use crate::kits::common::path;
use crate::kits::nodes::on_threads;
use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::scene::{Blend, Scene};

/// Mountains with a band of voids from a file, and a layer on them. Where the land ends at voids, water and rock do not
/// cross the band.
fn with_band(samples: u32, name: &str, changes: &[&str]) -> Scene {
    let mut scene = scene(samples, vec![layer("Import", 1), layer("Perlin", 2), layer(name, 3)]);
    scene.layers[1].mix.blend = Blend::Add;
    let file = format!("1.file={}", path("tests/core/ground/foreign/cases/23-band.tif").display());
    for change in [&file, "1.voids=Void", "1.sampling=Bilinear", "scene.voids=LandEnds"]
        .into_iter()
        .chain(changes.iter().copied())
    {
        scene.set(change).unwrap_or_else(|error| panic!("{change}: {error}"));
    }
    scene
}

#[test]
fn land_that_ends_at_voids_is_the_same_in_tiles() {
    let laws: [(&str, &[&str]); 12] = [
        ("FlowAccumulation", &["3.sea_level=-10000"]),
        ("FlowAccumulation", &["3.sea_level=-10000", "3.courses=Steepest"]),
        ("FlowAccumulation", &["3.sea_level=-10000", "3.courses=Scattered"]),
        ("FillDepressions", &["3.sea_level=-10000"]),
        ("FillDepressions", &["3.sea_level=-10000", "3.fill_with=Water"]),
        ("StreamPower", &["3.sea_level=-10000", "3.iterations=3"]),
        ("Thermal", &["3.iterations=20", "3.talus_angle=10"]),
        ("Hydraulic", &["3.iterations=20"]),
        ("Creep", &["3.iterations=5"]),
        ("ShallowWater", &["3.iterations=30"]),
        ("ShallowWater", &["3.iterations=30", "3.border=Walls"]),
        ("Snow", &["3.iterations=20", "3.snow_line=-500", "3.repose_angle=10"]),
    ];
    on_threads(2, || {
        for (name, changes) in laws {
            let scene = with_band(200, name, changes);
            let terrain = evaluate(&scene, 200, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
            assert!((500..4000).contains(&terrain.void_samples()), "{}", terrain.void_samples());
            check_tiles(&format!("{name} {changes:?}"), &scene, 200, &[64, 100]);
        }
    });
}

#[test]
fn multiscale_erosions_keep_voids_in_tiles() {
    on_threads(2, || {
        for name in ["Thermal", "ShallowWater", "Snow"] {
            let changes = ["3.largest_scale=Samples33", "3.iterations=10"];
            let scene = with_band(385, name, &changes);
            let made = |scene: &Scene| {
                evaluate(scene, 385, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain
            };
            let mut below = scene.clone();
            below.layers.truncate(2);
            let (below, eroded) = (made(&below), made(&scene));
            let kept = (0..below.height.len()).all(|k| below.has_ground(k) || below.height[k] == eroded.height[k]);
            assert!(kept && below.height != eroded.height, "{name}: the heights of voids change");
            check_tiles(name, &scene, 385, &[100]);
        }
    });
}
