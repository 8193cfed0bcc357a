//! Maps that every terrain has, exported with and without a layer that writes them, as a whole and by tiles.

use std::path::Path;

use super::by_tiles::{check_bytes, products};
use super::files::{products as named_products, terrain, write};
use crate::tiles::builds::{layer, scene, whole};
use talweg::eval::{LayerMask, Store, evaluate, layer_mask};
use talweg::export::maps::ExportMap;
use talweg::export::{ExportFolder, ExportRequest};
use talweg::field::{Control, MapKind};
use talweg::nodes::Node;
use talweg::planet::World;
use talweg::scene::{BuildPreset, BuildTiles, Layer, Mask, Scene, TerrainAttribute};
use talweg::terrain_attributes::{attribute_field, drainage};
use talweg::tiles::LargeExport;

/// The floats of a raw file.
fn floats(file: &Path) -> Vec<f32> {
    let bytes = std::fs::read(file).unwrap();
    bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn every_attribute_is_exported_without_an_erosion() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene(65, vec![layer("Perlin", 1)]));
    let (made, control) = (terrain(&scene, 65), Control::default());
    let mut names: Vec<String> = TerrainAttribute::ALL.iter().map(|attribute| attribute.id().to_string()).collect();
    names.push("flow".into());
    let files: Vec<String> = names.iter().map(|name| format!("{name}.r32")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(files.iter().map(String::as_str)).collect();
    let report = write(&named_products(&list), &scene, &made, folder.path());
    assert_eq!(report.rasters.len(), names.len());
    for &attribute in TerrainAttribute::ALL {
        let expected = attribute_field(&scene, &made, attribute, &control).unwrap();
        assert!(floats(&folder.path().join(format!("{}.r32", attribute.id()))) == expected, "{attribute:?}");
        let raster = report.rasters.iter().find(|raster| raster.map == attribute.id()).unwrap();
        assert_eq!(raster.unit, attribute.unit());
        // A map that is the same everywhere would show nothing.
        assert!(expected.iter().any(|value| *value != expected[0]), "{attribute:?}");
    }
    let flow = floats(&folder.path().join("flow.r32"));
    assert!(flow == *drainage::flow(&scene, &made, &control).unwrap());
}

#[test]
fn a_layer_that_writes_the_flow_keeps_precedence() {
    let control = Control::default();
    let bare = scene(65, vec![layer("Perlin", 1)]);
    let mut with_layer = bare.clone();
    with_layer.layers.push(layer("FlowAccumulation", 2));
    let eroded = scene(65, vec![layer("Perlin", 1), layer("Droplets", 2)]);
    for map in ["flow", "wetness", "drainage"] {
        let exported = |scene: &Scene| {
            let folder = tempfile::tempdir().unwrap();
            write(&named_products(&[(map, "a.r32")]), scene, &terrain(scene, 65), folder.path());
            floats(&folder.path().join("a.r32"))
        };
        assert!(exported(&bare) == exported(&with_layer), "the layer computes the same {map}");
        let made = terrain(&eroded, 65);
        let expected = match map {
            "flow" => made.map(MapKind::Flow).unwrap().to_vec(),
            "wetness" => attribute_field(&eroded, &made, TerrainAttribute::Wetness, &control).unwrap(),
            _ => attribute_field(&eroded, &made, TerrainAttribute::DrainageArea, &control).unwrap(),
        };
        assert!(exported(&eroded) == expected, "{map}");
    }
}

#[test]
fn attributes_by_tiles_have_the_bytes_of_the_whole() {
    let plain = scene(257, vec![layer("Perlin", 1), layer("Thermal", 2)]);
    let mut drained = plain.clone();
    drained.layers.push(layer("FlowAccumulation", 3));
    // A sea and a tilted coast: water leaves at the sea.
    let mut island = scene(257, vec![layer("Perlin", 4), layer("Island", 5)]);
    island.settings.sea_level = 200.0;
    let all = products(&[
        "flow@tiff",
        "drainage@r32",
        "wetness@exr",
        "wetness@png",
        "aspect@cog",
        "profile-curvature@tiff",
        "plan-curvature@png",
        "tangential-curvature@r16",
        "curvature@tiff",
        "slope@png",
        // The flow that is added for the export does not change other products.
        "types@png",
        "splat@png",
        "heights@cog",
    ]);
    let preset = BuildPreset { products: all.clone(), ..BuildPreset::default() };
    for scene in [&plain, &drained, &island] {
        check_bytes(&preset, scene, 257, 100);
    }
    let cut = BuildPreset {
        products: products(&["wetness@r32", "flow@png", "aspect@r32"]),
        tiles: Some(BuildTiles { samples: 65, shared_edges: true }),
        ..BuildPreset::default()
    };
    check_bytes(&cut, &plain, 257, 100);
}

#[test]
fn maps_of_the_horizon_are_refused_by_tiles_with_the_reason() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), scene(129, vec![layer("Perlin", 1)]));
    let place = ExportFolder { folder: folder.path().into(), ..ExportFolder::default() };
    for what in ["occlusion", "sunshine-day", "sunshine-year"] {
        let request = ExportRequest::for_files(&["a.tif".into()], &what.parse().unwrap(), &[], None).unwrap();
        let said = LargeExport::new(&request, &scene, &place).unwrap_err().to_string();
        assert!(said.contains("the horizon may lie anywhere on the terrain") && said.contains("--size"), "{said}");
    }
}

#[test]
fn a_planet_has_all_attributes_but_sunshine() {
    let planet = Scene::new_planet();
    assert_eq!(planet.settings.world, World::Planet);
    let maps = ExportMap::of_scene(&planet);
    for &attribute in TerrainAttribute::ALL {
        assert_eq!(maps.contains(&ExportMap::Attribute(attribute)), attribute.fits(World::Planet), "{attribute:?}");
    }
    let mut small = planet.clone();
    small.settings.resolution = 17;
    let folder = tempfile::tempdir().unwrap();
    let list = [("wetness", "w.tif"), ("aspect", "a.tif"), ("flow", "f.tif"), ("plan-curvature", "p.tif")];
    let report = write(&named_products(&list), &small, &terrain(&small, 17), folder.path());
    assert_eq!(report.rasters.len(), list.len());
    let place = ExportFolder { folder: folder.path().into(), ..ExportFolder::default() };
    let sun = ExportRequest::for_files(&["s.tif".into()], &"sunshine-day".parse().unwrap(), &[], None).unwrap();
    let said = talweg::export::check(&sun, &small, &place).unwrap_err().to_string();
    assert!(said.contains("this scene is a planet"), "{said}");
}

/// A scene with a Terrace layer, limited by an attribute.
fn limited(attribute: TerrainAttribute, from: f32, to: f32) -> Scene {
    let mut scene = scene(129, vec![layer("Perlin", 1), layer("Terrace", 2)]);
    scene.layers[1].mask = Mask {
        by_attribute: true,
        attribute,
        attribute_from: from,
        attribute_to: to,
        attribute_feather: 0.1 * (to - from),
        ..Mask::default()
    };
    scene
}

fn mask_of(scene: &Scene, index: usize) -> LayerMask {
    layer_mask(scene, index, scene.samples(), &mut Store::forgetful(), &Control::default()).unwrap()
}

/// Each attribute as the condition of a mask, between its lower and upper quartile.
fn limited_by_each() -> Vec<(TerrainAttribute, Scene)> {
    let bare = scene(129, vec![layer("Perlin", 1)]);
    let made = terrain(&bare, 129);
    let limited = |&attribute: &TerrainAttribute| {
        let mut values = attribute_field(&bare, &made, attribute, &Control::default()).unwrap();
        values.sort_by(f32::total_cmp);
        let (_, unit) = attribute.shown_unit();
        let [from, to] = [values.len() / 4, values.len() * 3 / 4].map(|k| values[k] * unit);
        (attribute, limited(attribute, from, to))
    };
    TerrainAttribute::ALL.iter().map(limited).collect()
}

#[test]
fn a_mask_is_limited_by_each_attribute_without_an_erosion() {
    let made = terrain(&scene(129, vec![layer("Perlin", 1)]), 129);
    for (attribute, scene) in limited_by_each() {
        let weights = mask_of(&scene, 1).weights;
        let values = attribute_field(&scene, &made, attribute, &Control::default()).unwrap();
        let (mask, (_, unit)) = (&scene.layers[1].mask, attribute.shown_unit());
        let full = weights.iter().filter(|&&weight| weight == 1.0).count() as f32 / weights.len() as f32;
        assert!((0.4..0.95).contains(&full), "{attribute:?} {full}");
        assert!(weights.iter().any(|&weight| weight < 1.0), "{attribute:?}");
        for (weight, value) in weights.iter().zip(values) {
            let is_inside = (mask.attribute_from..=mask.attribute_to).contains(&(value * unit));
            assert!(!is_inside || *weight == 1.0, "{attribute:?}: {value} has the weight {weight}");
        }
    }
}

#[test]
fn a_masked_layer_is_the_same_by_tiles() {
    for (attribute, scene) in limited_by_each() {
        crate::tiles::builds::check_tiles(&format!("{attribute:?}"), &scene, 129, &[50]);
    }
}

#[test]
fn a_mask_by_flow_needs_no_flow_map() {
    let mut bare = scene(129, vec![layer("Perlin", 1), layer("Terrace", 2)]);
    bare.layers[1].mask = Mask { by_data: true, data: MapKind::Flow, data_from: 30.0, ..Mask::default() };
    let mut with_layer = bare.clone();
    with_layer.layers.insert(1, layer("FlowAccumulation", 5));
    let (computed, written) = (mask_of(&bare, 1).weights, mask_of(&with_layer, 2).weights);
    assert!(computed == written && computed.contains(&0.0) && computed.contains(&1.0));
    assert_eq!(whole(&bare, 129).height, whole(&with_layer, 129).height);
    assert!(bare.problems().is_empty(), "{:?}", bare.problems());
    crate::tiles::builds::check_tiles("computed flow", &bare, 129, &[50]);
    crate::tiles::builds::check_tiles("flow of a layer", &with_layer, 129, &[50]);
}

/// The result is cached under a key that contains the settings which the mask reads.
#[test]
fn masks_follow_the_latitude_and_the_sea() {
    let mut store = Store::default();
    let mut heights =
        |scene: &Scene| evaluate(scene, 129, None, &mut store, &Control::default()).unwrap().terrain.height.clone();
    let mut sunny = limited(TerrainAttribute::YearSunshine, 0.0, 11.0);
    let here = heights(&sunny);
    sunny.settings.latitude = -70.0;
    assert!(here != heights(&sunny));
    let mut day = limited(TerrainAttribute::DaySunshine, 0.0, 14.0);
    let summer = heights(&day);
    day.settings.day = 355;
    assert!(summer != heights(&day));
    let mut wet = limited(TerrainAttribute::DrainageArea, 0.05, 10.0);
    let dry = heights(&wet);
    wet.settings.sea_level = 900.0;
    assert!(dry != heights(&wet));
}

#[test]
fn a_planet_says_that_it_has_no_sunshine() {
    let mut planet = Scene::new_planet();
    planet.settings.resolution = 17;
    let mask = Mask { by_attribute: true, attribute: TerrainAttribute::DaySunshine, ..Mask::default() };
    planet.layers.push(Layer { mask, ..Layer::new(Node::named("Terrace").unwrap(), 1) });
    let said: Vec<String> = planet.problems().iter().map(|problem| problem.message.clone()).collect();
    assert!(said.iter().any(|text| text.contains("which only a square terrain has")), "{said:?}");
    assert!(mask_of(&planet, 1).weights.iter().all(|&weight| weight == 1.0), "the condition has no effect");
    (planet.layers[1].mask.attribute, planet.layers[1].mask.attribute_from) = (TerrainAttribute::Aspect, 0.0);
    planet.layers[1].mask.attribute_to = 180.0;
    assert!(planet.problems().is_empty());
    let weights = mask_of(&planet, 1).weights;
    assert!(weights.contains(&1.0) && weights.iter().any(|&weight| weight < 1.0));
}
