//! References between layers: the terrain, a data map or the mask of another layer, used once more.

use std::sync::Arc;

use talweg::eval::{BaseTerrain, Cache, Store, Timeline, evaluate as evaluate_in, evaluate_on, terrain_key};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::Node;
use talweg::planet::World;
use talweg::scene::{EditHistory, Layer, LayerReader, Scene, Severity};

use crate::kits::common::evaluate;

/// A scene of layers, from the lowest: node, name and depth.
fn scene(layers: &[(&str, &str, u32)]) -> Scene {
    let layer = |(k, &(node, name, depth)): (usize, &(&str, &str, u32))| Layer {
        name: name.into(),
        depth,
        ..Layer::new(Node::named(node).unwrap(), k as u32 + 1)
    };
    let mut scene = Scene { layers: layers.iter().enumerate().map(layer).collect(), ..Scene::default() };
    scene.settings.resolution = 65;
    scene.settings.size_metres = 4000.0;
    scene
}

fn with(mut scene: Scene, edits: &[&str]) -> Scene {
    edits.iter().for_each(|edit| scene.set(edit).unwrap_or_else(|error| panic!("{edit}: {error}")));
    scene
}

fn made(scene: &Scene) -> Terrain {
    evaluate(scene, scene.samples(), 2)
}

/// The scene without the layers from `index` on.
fn cut_off(scene: &Scene, index: usize) -> Scene {
    let mut lower = scene.clone();
    lower.layers.truncate(index);
    lower
}

/// Messages about references that cannot be read.
fn refusals(scene: &Scene) -> Vec<String> {
    let broken = scene.problems().into_iter().filter(|problem| problem.severity == Severity::Broken);
    broken.map(|problem| problem.message).collect()
}

#[test]
fn reference_to_a_generator_has_its_heights() {
    let scene = with(
        scene(&[("Perlin", "Hills", 0), ("Thermal", "Scree", 0), ("Reference", "Again", 0)]),
        &["Hills.opacity=0.5", "Hills.by_slope=true", "Again.source=Hills"],
    );
    assert!(refusals(&scene).is_empty());
    let hills = made(&with(self::scene(&[("Perlin", "Hills", 0)]), &[]));
    assert_eq!(made(&scene).height, hills.height, "a generator is read alone");
    let added = made(&with(scene.clone(), &["Again.blend=Add", "Again.scale=0.5", "Again.offset=100"]));
    let below = made(&cut_off(&scene, 2));
    for k in 0..added.height.len() {
        let expected = below.height[k] + 0.5 * hills.height[k] + 100.0 / scene.settings.relief_metres;
        assert!((added.height[k] - expected).abs() < 1e-6, "{k}");
    }
}

#[test]
fn reference_to_a_process_has_the_ground_up_to_it() {
    let layers = [("Perlin", "Hills", 0), ("Thermal", "Scree", 0), ("Terrace", "Steps", 0), ("Reference", "Again", 0)];
    let scene = with(scene(&layers), &["Again.source=Scree", "Scree.talus_angle=10"]);
    assert_eq!(made(&scene).height, made(&cut_off(&scene, 2)).height);
    // A hidden layer is read as if it were shown.
    let hidden = with(scene.clone(), &["Scree.enabled=false"]);
    assert_eq!(made(&hidden).height, made(&cut_off(&scene, 2)).height);
    assert_ne!(made(&cut_off(&hidden, 3)).height, made(&cut_off(&scene, 3)).height);
}

/// Flow as hardness gives the erosion that a map written by hand gives.
#[test]
fn data_map_as_hardness_slows_the_erosion() {
    let layers =
        [("Perlin", "Hills", 0), ("FlowAccumulation", "Water", 0), ("Reference", "Rock", 0), ("Hydraulic", "Rain", 0)];
    let edits = [
        "Water.enabled=false",
        "Rock.source=Water",
        "Rock.source_reads=Data",
        "Rock.source_data=Flow",
        "Rock.use_as=Data",
        "Rock.map=Hardness",
        "Rock.scale=0.05",
        "Rain.iterations=20",
    ];
    let scene = with(scene(&layers), &edits);
    assert!(scene.problems().is_empty(), "{:?}", scene.problems());
    let rock = made(&cut_off(&scene, 3));
    let flow = made(&with(cut_off(&scene, 2), &["Water.enabled=true"]));
    let flow = flow.map(MapKind::Flow).unwrap();
    let hardness = rock.map(MapKind::Hardness).unwrap();
    assert_eq!(hardness[..], flow.iter().map(|flow| (flow * 0.05).clamp(0.0, 1.0)).collect::<Vec<_>>()[..]);
    assert!(hardness.iter().any(|h| *h > 0.5) && hardness.iter().any(|h| *h < 0.2));
    assert_eq!(rock.height, made(&cut_off(&scene, 1)).height, "the heights do not change");
    // The same map as a base terrain, below the erosion alone.
    let mut ground = Terrain::clone(&rock);
    ground.set_map(MapKind::Hardness, Some(hardness.clone()));
    let mut alone = scene.clone();
    alone.layers.drain(..3);
    let base = BaseTerrain::new(ground);
    let store = &mut Store::forgetful();
    let direct = evaluate_on(Some(&base), &alone, 65, None, store, &Control::default()).unwrap().terrain;
    assert_eq!(made(&scene).height, direct.height);
    assert_ne!(made(&scene).height, made(&with(scene.clone(), &["Rock.enabled=false"])).height);
}

#[test]
fn height_as_uplift_drives_the_mountains() {
    let layers = [("Perlin", "Hills", 0), ("Shape", "Plain", 0), ("Reference", "Rise", 0), ("StreamPower", "Range", 0)];
    let edits = [
        "Hills.enabled=false",
        "Rise.source=Hills",
        "Rise.use_as=Data",
        "Rise.map=Uplift",
        "Rise.scale=0.001",
        "Range.iterations=4",
    ];
    let scene = with(scene(&layers), &edits);
    let uplift = made(&cut_off(&scene, 3));
    let hills = made(&with(self::scene(&[("Perlin", "Hills", 0)]), &[]));
    let relief = scene.settings.relief_metres;
    for (uplift, height) in uplift.map(MapKind::Uplift).unwrap().iter().zip(&hills.height) {
        assert!((uplift - (height * relief * 0.001).clamp(0.0, 1.0)).abs() < 1e-6);
    }
    assert_ne!(made(&scene).height, made(&with(scene.clone(), &["Rise.scale=0"])).height);
}

#[test]
fn reference_to_a_mask_has_its_weights() {
    let layers = [("Perlin", "Hills", 0), ("Terrace", "Steps", 0), ("Reference", "Again", 0)];
    let edits = ["Steps.by_noise=true", "Again.source=Steps", "Again.source_reads=Mask", "Again.scale=500"];
    let scene = with(scene(&layers), &edits);
    let store = &mut Store::forgetful();
    let weights = talweg::eval::layer_mask(&scene, 1, 65, store, &Control::default()).unwrap().weights;
    let relief = scene.settings.relief_metres;
    for (height, weight) in made(&scene).height.iter().zip(&weights) {
        assert!((height * relief - 500.0 * weight).abs() < 1e-3);
    }
    assert!(weights.iter().any(|w| *w > 0.9) && weights.iter().any(|w| *w < 0.1));
    // The mask of another layer can read the same weights.
    let mut masked = with(self::scene(&layers[..2]), &["Steps.by_noise=true"]);
    masked.layers.push(Layer { name: "Shift".into(), ..Layer::new(Node::named("Invert").unwrap(), 9) });
    let masked = with(
        masked,
        &[
            "Shift.by_layer=true",
            "Shift.layer=Steps",
            "Shift.layer_reads=Mask",
            "Shift.layer_from=0.5",
            "Shift.layer_feather=0",
        ],
    );
    let (below, shifted) = (made(&cut_off(&masked, 2)), made(&masked));
    for (k, weight) in weights.iter().enumerate() {
        assert_eq!(below.height[k] == shifted.height[k], *weight < 0.5, "{k}");
    }
    let plain = with(masked, &["Steps.by_noise=false"]);
    let notes: Vec<String> = plain.problems().into_iter().map(|problem| problem.message).collect();
    assert_eq!(notes, ["the mask reads the mask of layer `Steps`, which has no mask, so the value is 1 everywhere"]);
}

#[test]
fn reference_reads_a_group_and_a_layer_above() {
    // The group on level terrain is above the reference, and it is read without the layers below it.
    let layers = [
        ("Reference", "Early", 0),
        ("Billow", "Clouds", 0),
        ("Ridged", "Peaks", 1),
        ("Terrace", "Steps", 1),
        ("LayerGroup", "Range", 0),
    ];
    let scene = with(scene(&layers), &["Range.ground=Level", "Range.blend=Add", "Early.source=Range"]);
    assert!(refusals(&scene).is_empty(), "{:?}", refusals(&scene));
    let mut inside = scene.clone();
    inside.layers = scene.layers[2..4].iter().map(|layer| Layer { depth: 0, ..layer.clone() }).collect();
    assert_eq!(made(&cut_off_hidden(&scene, 1)).height, made(&inside).height);
    let member = with(scene.clone(), &["Early.source=Peaks"]);
    assert_eq!(made(&cut_off_hidden(&member, 1)).height, made(&cut_off(&inside, 1)).height);
    let part = with(scene.clone(), &["Early.source=Steps"]);
    assert_eq!(made(&cut_off_hidden(&part, 1)).height, made(&inside).height);
    // A group below is read with the layers under it.
    let mut above = scene.clone();
    let early = above.layers.remove(0);
    above.layers.push(early);
    assert_eq!(made(&above).height, made(&cut_off(&above, 4)).height);
    // A hidden group is read with its members.
    let hidden = with(scene.clone(), &["Range.enabled=false"]);
    assert_eq!(made(&cut_off_hidden(&hidden, 1)).height, made(&inside).height);
}

/// The scene with the layers from `index` on hidden, as an evaluation hides them.
fn cut_off_hidden(scene: &Scene, index: usize) -> Scene {
    let mut lower = scene.clone();
    lower.hide_above(index - 1);
    lower
}

#[test]
fn reference_reads_a_branch_that_is_hidden() {
    let layers = [("Perlin", "Hills", 0), ("Thermal", "One", 0), ("Thermal", "Two", 0), ("Reference", "Again", 0)];
    let mut scene =
        with(scene(&layers), &["One.talus_angle=10", "Two.talus_angle=25", "Two.enabled=false", "Again.source=Two"]);
    (scene.layers[1].branch, scene.layers[2].branch) = (1, 1);
    let mut second = scene.clone();
    second.layers.remove(1);
    second.layers[1].enabled = true;
    assert_eq!(made(&scene).height, made(&cut_off(&second, 2)).height, "the other branch does not run below it");
}

#[test]
fn circles_are_refused_in_words() {
    let two = with(
        scene(&[("Reference", "A", 0), ("Reference", "B", 0), ("Perlin", "Top", 0)]),
        &["A.source=B", "B.source=A", "Top.blend=Add"],
    );
    assert_eq!(
        refusals(&two),
        ["A", "B"]
            .map(|_| "the layer reads layer `X`, which reads this layer; this is a circle, so it has no effect; \
                            choose another layer")
            .iter()
            .zip(["B", "A"])
            .map(|(text, name)| text.replace('X', name))
            .collect::<Vec<_>>()
    );
    let alone = made(&scene(&[("Perlin", "Top", 0)]));
    assert_eq!(made(&with(two.clone(), &["Top.seed=1"])).height, alone.height, "both layers have no effect");
    let three = with(
        scene(&[("Reference", "A", 0), ("Reference", "B", 0), ("Reference", "C", 0)]),
        &["A.source=B", "B.source=C", "C.source=A"],
    );
    let told = refusals(&three);
    assert_eq!(told.len(), 3);
    assert!(told[0].contains("reads layer `B`, which reads layer `C`, which reads this layer;"), "{told:?}");
    // A process needs all layers under it, also the one that reads it.
    let stack = with(scene(&[("Reference", "Low", 0), ("Thermal", "Scree", 0)]), &["Low.source=Scree"]);
    assert!(refusals(&stack)[0].contains("reads layer `Scree`, which needs this layer;"), "{:?}", refusals(&stack));
    let mask = with(
        scene(&[("Perlin", "Low", 0), ("Thermal", "Scree", 0)]),
        &["Low.by_layer=true", "Low.layer=Scree", "Low.layer_from=100"],
    );
    assert!(refusals(&mask)[0].starts_with("the mask reads layer `Scree`, which needs this layer;"));
    assert!(refusals(&mask)[0].contains("so this condition has no effect"));
    // The list of the panel leaves out layers that would make a circle.
    assert_eq!(mask.readable_layers(LayerReader::Mask(0)), Vec::<String>::new());
    assert_eq!(mask.readable_layers(LayerReader::Mask(1)), ["Low"]);
    assert_eq!(two.readable_layers(LayerReader::Node(0)), ["Top"]);
    // A layer that reads a circle is itself no part of it.
    let mut outside = two.clone();
    outside.layers.push(Layer { name: "Out".into(), ..Layer::new(Node::named("Reference").unwrap(), 8) });
    let outside = with(outside, &["Out.source=A"]);
    assert_eq!(refusals(&outside).len(), 2, "{:?}", refusals(&outside));
}

#[test]
fn missing_layers_and_unset_references_are_reported() {
    let scene = with(scene(&[("Perlin", "Hills", 0), ("Reference", "Again", 0)]), &[]);
    let notes = |scene: &Scene| scene.problems().into_iter().map(|problem| problem.message).collect::<Vec<_>>();
    let unset = "no layer to read is chosen yet, so the layer has no effect; choose a layer or a scene file";
    assert_eq!(notes(&scene), [unset]);
    assert_eq!(made(&scene).height, made(&cut_off(&scene, 1)).height);
    let missing = with(scene.clone(), &["Again.source=Nowhere"]);
    assert!(notes(&missing)[0].contains("layer `Nowhere`, which does not exist, so it has no effect"));
    assert_eq!(made(&missing).height, made(&cut_off(&scene, 1)).height);
    let no_map = with(scene.clone(), &["Again.source=Hills", "Again.source_reads=Data", "Again.source_data=Wear"]);
    assert_eq!(notes(&no_map), ["the layer reads the wear map of layer `Hills`, which has no such map"]);
    assert!(made(&no_map).height.iter().all(|height| *height == 0.0));
    let lost = with(scene, &["Again.source_file=/nowhere/other.ron"]);
    assert!(notes(&lost)[0].starts_with("the layer cannot read a scene: /nowhere/other.ron: "), "{:?}", notes(&lost));
}

#[test]
fn reference_reads_another_scene_file() {
    let folder = tempfile::tempdir().unwrap();
    let other = with(scene(&[("Ridged", "Peaks", 0), ("Thermal", "Scree", 0)]), &["Scree.talus_angle=15"]);
    let mut other = with(other, &["scene.relief_metres=1000", "scene.resolution=129"]);
    let file = folder.path().join("parts/other.ron");
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    other.save(&file).unwrap();
    let mut scene = scene(&[("Perlin", "Hills", 0), ("Reference", "Again", 0)]);
    scene.settings.relief_metres = 2000.0;
    let scene = with(scene, &[&format!("Again.source_file={}", file.display())]);
    assert!(scene.problems().is_empty(), "{:?}", scene.problems());
    assert_eq!(scene.files(), std::slice::from_ref(&file));
    assert_eq!(scene.readable_layers(LayerReader::Node(1)), ["Peaks", "Scree"]);
    let (whole, alone) = (evaluate(&other, 65, 2), evaluate(&cut_off(&other, 1), 65, 2));
    let halved = |terrain: &Terrain| terrain.height.iter().map(|height| height * 0.5).collect::<Vec<_>>();
    assert_eq!(made(&scene).height, halved(&whole), "heights are read in metres");
    let peaks = with(scene.clone(), &["Again.source=Peaks"]);
    assert_eq!(made(&peaks).height, halved(&alone));
    // The scene file stores the path relative to its folder, and reads back as the same scene.
    let own = folder.path().join("own.ron");
    peaks.save(&own).unwrap();
    assert!(std::fs::read_to_string(&own).unwrap().contains("\"parts/other.ron\""));
    assert_eq!(Scene::load(&own).unwrap().0, peaks);
    // A change of the other scene changes the key of the terrain and the terrain.
    let key = terrain_key(&scene, 65);
    other.set("Peaks.octaves=2").unwrap();
    other.name = "A longer name, so that the file has another length".into();
    other.save(&file).unwrap();
    assert_ne!(terrain_key(&scene, 65), key);
    assert_eq!(made(&scene).height, halved(&evaluate(&other, 65, 2)));
    // A circle through files is refused in the file that closes it, and reported here.
    let mut back = self::scene(&[("Reference", "Back", 0)]);
    back.set(&format!("Back.source_file={}", own.display())).unwrap();
    back.save(&file).unwrap();
    let told = refusals(&Scene::load(&own).unwrap().0);
    assert!(told[0].contains("layer `Peaks` of `other.ron`, which does not exist"), "{told:?}");
    let whole = with(peaks.clone(), &["Again.source="]);
    whole.save(&own).unwrap();
    let told = refusals(&whole);
    assert!(told.len() == 1 && told[0].contains("which needs this layer; this is a circle"), "{told:?}");
    // Another kind of world cannot be read.
    let mut wrapping = other.clone();
    wrapping.settings.edges = Edges::Wrap;
    wrapping.save(&file).unwrap();
    assert!(refusals(&scene)[0].contains("whose scene has another setting of `edges`"), "{:?}", refusals(&scene));
}

#[test]
fn other_scenes_outside_the_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ron");
    for text in [
        "(version: 1, layers: [(node: Reference(source_file: \"../b.ron\"))])",
        "(version: 1, layers: [(node: Perlin(), mask: (by_layer: true, layer_file: \"/etc/b.ron\"))])",
    ] {
        std::fs::write(&path, text).unwrap();
        assert!(matches!(Scene::load(&path), Err(talweg::scene::SceneError::Outside(_))), "{text}");
    }
}

#[test]
fn references_follow_a_renamed_layer() {
    let mut scene = with(scene(&[("Perlin", "Old", 0), ("Reference", "Again", 0)]), &["Again.source=Old"]);
    let before = made(&scene);
    scene.layers[0].name = "New".into();
    scene.follow_rename("Old", "New");
    assert!(refusals(&scene).is_empty());
    assert_eq!(made(&scene).height, before.height);
    assert_eq!(scene.readable_layers(LayerReader::Node(1)), ["New"]);
    // A layer with that name in another file is not renamed.
    let mut other = with(scene, &["Again.source=Old", "Again.source_file=/other.ron"]);
    other.follow_rename("Old", "Newer");
    assert_eq!(other.reference(LayerReader::Node(1)).unwrap().layer, "Old");
}

#[test]
fn references_are_kept_in_text_and_by_undo() {
    let edits = [
        "Again.source=Hills",
        "Again.source_reads=Data",
        "Again.source_data=Rain",
        "Again.use_as=Data",
        "Again.scale=2",
    ];
    let plain = scene(&[("Perlin", "Hills", 0), ("Reference", "Again", 0)]);
    let scene = with(plain.clone(), &edits);
    let text = scene.to_ron().unwrap();
    assert!(text.contains("node: Reference("), "{text}");
    let (read, warnings) = Scene::from_ron(&text).unwrap();
    assert!(read == scene && warnings.is_empty(), "{warnings:?}");
    let (before, after) = (Arc::new(plain), Arc::new(scene));
    let mut history = EditHistory::default();
    assert!(history.record("Choose a layer", None, &before, &after));
    assert_eq!(history.undo(&after).as_deref(), Some(&*before));
    assert_eq!(history.redo(&before).as_deref(), Some(&*after));
}

/// Any state of the cache gives the same bits, and an edit of the layer that is read changes the reader.
#[test]
fn cached_references_equal_fresh_ones() {
    let layers =
        [("Reference", "Early", 0), ("Perlin", "Hills", 0), ("Thermal", "Scree", 0), ("Reference", "Again", 0)];
    let mut scene = with(
        scene(&layers),
        &["Early.source=Hills", "Hills.blend=Add", "Again.source=Scree", "Again.by_layer=true", "4.blend=Max"],
    );
    scene.layers[3].mask.layer.0 = "Early".into();
    let mut store = Store::new(Cache::new(1 << 24), Timeline::new(1 << 20));
    let edits = [
        "Hills.octaves=3",
        "Scree.talus_angle=12",
        "Early.scale=0.5",
        "Early.source_reads=Mask",
        "Hills.by_slope=true",
        "Hills.slope_to=3",
        "Again.use_as=Data",
        "Scree.enabled=false",
        "Early.enabled=false",
        "Again.source=Hills",
    ];
    for edit in edits {
        scene.set(edit).unwrap();
        let kept = evaluate_in(&scene, 65, None, &mut store, &Control::default()).unwrap().terrain;
        assert_eq!(*kept, made(&scene), "{edit}");
        let preview = evaluate_in(&scene, 33, None, &mut store, &Control::default()).unwrap().terrain;
        assert_eq!(*preview, evaluate(&scene, 33, 1), "{edit}");
    }
}

#[test]
fn references_work_on_a_planet() {
    let mut scene = Scene::new_planet();
    scene.settings.resolution = 33;
    let layers = ["Perlin", "Reference", "Reference"].map(|name| Layer::new(Node::named(name).unwrap(), 5));
    scene.layers.extend(layers);
    let names = ["Land", "Noise", "Again", "Rock"];
    scene.layers.iter_mut().zip(names).for_each(|(layer, name)| layer.name = name.into());
    let scene = with(
        scene,
        &["Again.source=Land", "Rock.source=Noise", "Rock.use_as=Data", "Rock.map=Rain", "Rock.scale=0.001"],
    );
    assert_eq!(scene.settings.world, World::Planet);
    assert!(refusals(&scene).is_empty(), "{:?}", refusals(&scene));
    let land = evaluate(&cut_off(&scene, 1), 33, 2);
    let all = evaluate(&scene, 33, 2);
    assert_eq!(all.height, land.height);
    assert!(all.map(MapKind::Rain).unwrap().iter().any(|rain| *rain > 0.1));
}
