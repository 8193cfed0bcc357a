//! A scene can have its own rules for materials, plants and stones. They are saved, reported as changes, and used by
//! exports.

use std::sync::Arc;

use talweg::appearance::materials::texture_files::write_material_textures;
use talweg::appearance::{PaletteTable, TypeWeights};
use talweg::appearance_files::{Material, MaterialRules, RuleList, ScatterKind, ScatterRules, TextureMap};
use talweg::field::Control;
use talweg::io::SaveTarget;
use talweg::scene::{Scene, scene_changes};

use crate::export::files::{products, scene, terrain, write};

fn materials(text: &str) -> Option<Arc<MaterialRules>> {
    Some(Arc::new(MaterialRules::from_ron("mine", text).unwrap()))
}

fn plants(text: &str) -> Option<Arc<ScatterRules>> {
    Some(Arc::new(ScatterRules::from_ron("mine", text).unwrap()))
}

#[test]
fn a_scene_saves_its_rules_and_reports_their_changes() {
    let plain = Scene::default();
    assert!(!plain.to_ron().unwrap().contains("material"), "the palette's rules are not written");
    let own = Scene {
        materials: materials("[(material: Soil), (material: Rock, share: 0.9, tint: 0.25, slope: [10, 20, 30, 40.5])]"),
        scatter: plants("[(kind: Palm, density: 12.5, size: (3, 9), groves: (200, 0.4), flow: [0.5, 0.2])]"),
        ..Scene::default()
    };
    let text = own.to_ron().unwrap();
    let (again, warnings) = Scene::from_ron(&text).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(again, own);
    assert_eq!(again.to_ron().unwrap(), text);
    let table = PaletteTable::for_scene(&again);
    assert_eq!((Some(&table.materials), Some(&table.scatter)), (own.materials.as_ref(), own.scatter.as_ref()));
    // An empty list is a valid rule list: the scene has no plants and no stones.
    let bare = Scene { scatter: plants("[]"), ..Scene::default() };
    assert_eq!(Scene::from_ron(&bare.to_ron().unwrap()).unwrap().0, bare);

    let told: Vec<String> = scene_changes(&plain, &own).iter().map(|change| change.text()).collect();
    assert_eq!(told, ["materials: rules from the palette → 2 custom", "scatter: rules from the palette → 1 custom"]);
    let other = Scene { materials: materials("[(material: Soil), (material: Mud)]"), ..own.clone() };
    let told: Vec<String> = scene_changes(&own, &other).iter().map(|change| change.text()).collect();
    assert_eq!(told, ["materials: rules 2 custom (other contents) → 2 custom"]);
}

#[test]
fn faulty_rules_of_a_scene_are_refused_with_their_line() {
    let error = |list: &str| Scene::from_ron(&format!("(\n  version: 1,\n  {list},\n)")).unwrap_err().to_string();
    for (list, parts) in [
        ("materials: [(material: Moss)]", ["line 3", "Moss"]),
        ("materials: []", ["line 3", "there are 0 rules; 1 to"]),
        (
            "materials: [(material: Rock), (material: Ice, slope: [1, 2, 3])]",
            ["line 3", "rule 2: `slope` takes 2 numbers"],
        ),
        ("materials: [(material: Rock, steep: [1, 2])]", ["line 3", "steep"]),
        ("scatter: [(kind: Palm, density: 0, size: (1, 2))]", ["line 3", "rule 1: density must be from 0.01"]),
    ] {
        let told = error(list);
        assert!(parts.iter().all(|part| told.contains(part)), "{list}: {told}");
    }
    let missing = MaterialRules::load(std::path::Path::new("no/such/list.ron")).unwrap_err().to_string();
    assert!(missing.contains("cannot read the material rules") && missing.contains("list.ron"), "{missing}");
}

#[test]
fn exports_follow_the_rules_of_the_scene() {
    let mut scene = scene("island");
    let terrain = terrain(&scene, 65);
    scene.materials = materials("[(material: Mud), (material: Ice, height: [0.0, 0.001])]");
    let weights = TypeWeights::of_materials(&scene, &terrain, &Control::default()).unwrap();
    let names: Vec<&str> = weights.legend.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, [Material::Mud.label(), Material::Ice.label()]);
    for (k, height) in terrain.height.iter().enumerate() {
        let above = height * scene.settings.relief_metres - scene.settings.sea_level;
        let [mud, ice] = weights.of_sample(k) else { panic!("two materials") };
        assert!(above.abs() < 5.0 || (above > 0.0) == (ice > mud), "{above} m: {mud} {ice}");
    }
    scene.scatter = plants("[(kind: Boulder, density: 3, size: (1, 2), height: [0.0, 0.01])]");
    let folder = tempfile::tempdir().unwrap();
    let mut preset = products(&[]);
    preset.products.push(talweg::scene::BuildProduct {
        map: talweg::export::PLANTS.into(),
        format: talweg::export::ScatterFormat::Csv.id().into(),
        file: Some("plants.csv".into()),
    });
    write(&preset, &scene, &terrain, folder.path());
    let text = std::fs::read_to_string(folder.path().join("plants.csv")).unwrap();
    let kinds: std::collections::BTreeSet<&str> =
        text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let boulder = format!("{:?}", ScatterKind::Boulder).to_lowercase();
    assert!(text.lines().count() > 10, "{text}");
    assert!(kinds.iter().all(|kind| kind.to_lowercase().contains(&boulder)), "{kinds:?}");
}

#[test]
fn textures_are_exported_beside_a_table_of_the_rules() {
    let (from, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let own = write_material_textures(Material::Grass, 64, from.path(), |path| SaveTarget::new(path)).unwrap();
    let mut scene = scene("island");
    let mut rules = MaterialRules::from_ron("t", "[(material: Mud), (material: Grass, share: 0.5)]").unwrap();
    rules.0[1].textures = Some(own.clone());
    scene.materials = Some(Arc::new(rules));
    let terrain = terrain(&scene, 33);
    let mut preset = products(&[]);
    preset.products.push(talweg::scene::BuildProduct {
        map: talweg::export::TEXTURES.into(),
        format: talweg::export::TEXTURES_FORMAT.into(),
        file: Some("island.textures.json".into()),
    });
    let report = write(&preset, &scene, &terrain, folder.path());
    assert_eq!(report.others.len(), 1 + 5 + 5, "the table, the built-in mud, the images of the grass");
    let text = std::fs::read_to_string(folder.path().join("island.textures.json")).unwrap();
    let table: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(table["rules"][1]["material"], "Grass");
    let grass = &table["textures"][table["rules"][1]["textures"].as_u64().unwrap() as usize];
    assert_eq!(grass["metres"].as_f64().unwrap() as f32, own.metres);
    for map in TextureMap::ALL.iter().copied() {
        let name = grass["files"][map.label().to_lowercase()].as_str().unwrap();
        let [copy, source] =
            [folder.path().join(name), own.file(map).unwrap().into()].map(|path| std::fs::read(path).unwrap());
        assert_eq!(copy, source, "{name} is a copy");
    }
    let mud = &table["textures"][table["rules"][0]["textures"].as_u64().unwrap() as usize];
    let albedo = talweg::io::picture(&folder.path().join(mud["files"]["albedo"].as_str().unwrap())).unwrap();
    assert_eq!((albedo.width, albedo.height, albedo.channels.len()), (1024, 1024, 3));
}
