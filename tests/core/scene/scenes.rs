//! Every shipped scene, and scenes that nobody would write by hand.

use std::collections::BTreeMap;

use proptest::prelude::*;
use talweg::nodes::Node;
use talweg::nodes::generators::stamp::{Stamp, StampDepth};
use talweg::param::Params;
use talweg::scene::{ExampleHash, HASHED_SAMPLES, Layer, Scene, example_hashes, examples};

use crate::kits::common::{blessing, evaluate, example_terrain, path};
use crate::kits::random_edits::value_in_range;

/// Name, text and scene of every file in `saves/`.
fn saves() -> Vec<(String, String, Scene)> {
    let mut files: Vec<_> = std::fs::read_dir(path("saves")).unwrap().map(|f| f.unwrap().path()).collect();
    // Sorted by name, as in the menu: with extensions, `a-b.ron` would come before `a.ron`.
    files.sort_by_key(|file| file.file_stem().map(ToOwned::to_owned));
    let read = |file: &std::path::PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        let (scene, warnings) = Scene::load(file).unwrap_or_else(|e| panic!("{e}"));
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        (name, std::fs::read_to_string(file).unwrap(), scene)
    };
    files.iter().map(read).collect()
}

#[test]
fn shipped_scenes_load_without_warnings_in_their_written_form() {
    assert!(saves().len() >= 5);
    for (name, text, scene) in saves() {
        if blessing() {
            scene.save(path(&format!("saves/{name}.ron"))).unwrap();
            continue;
        }
        assert_eq!(
            scene.to_ron().unwrap(),
            text,
            "saves/{name}.ron is not canonical; TALWEG_BLESS=1 cargo test rewrites it"
        );
        assert_eq!(Scene::from_ron(&scene.to_ron().unwrap()).unwrap().0, scene, "{name}");
    }
}

#[test]
fn the_embedded_examples_are_the_files() {
    let embedded: Vec<(&str, &Scene)> = examples().iter().map(|e| (e.name, &e.scene)).collect();
    let saves = saves();
    let files: Vec<(&str, &Scene)> = saves.iter().map(|(name, _, scene)| (name.as_str(), scene)).collect();
    assert_eq!(embedded, files);
}

#[test]
fn shipped_scenes_keep_their_bits_on_any_number_of_threads() {
    let file = path("assets/hashes/examples.ron");
    let mut hashes = BTreeMap::new();
    for (name, _, scene) in saves() {
        let terrain = evaluate(&scene, HASHED_SAMPLES, 1);
        assert!(terrain.height.iter().all(|h| h.is_finite()), "{name}");
        let (low, high) = terrain.range();
        assert!(high - low > 0.1, "{name} is flat: {low} to {high}");
        let again = example_terrain(&name, HASHED_SAMPLES);
        assert_eq!(again.hash(), terrain.hash(), "{name} depends on the number of threads");
        hashes.insert(name, ExampleHash::new(&terrain));
    }
    if blessing() {
        let text = ron::ser::to_string_pretty(&hashes, ron::ser::PrettyConfig::new()).unwrap();
        return std::fs::write(&file, text + "\n").unwrap();
    }
    let kept = example_hashes();
    let changed: Vec<String> = hashes
        .keys()
        .chain(kept.keys().filter(|name| !hashes.contains_key(*name)))
        .filter(|name| hashes.get(*name) != kept.get(*name))
        .map(|name| format!("{name}: {:?} was {:?}", hashes.get(name), kept.get(name)))
        .collect();
    assert!(
        changed.is_empty(),
        "heights or data maps have changed: raise the version of the node whose law changed, then bless\n{}",
        changed.join("\n")
    );
}

/// A layer without an algorithm means the current node. Talweg names the algorithm of every layer that it saves. Before
/// it marked its files, it left out the first version.
#[test]
fn only_layers_that_talweg_saved_can_be_outdated() {
    let warned = |text: &str| {
        let (_, warnings) = Scene::from_ron(text).unwrap();
        warnings.iter().any(|warning| warning.0.contains("has changed since"))
    };
    let file = |scene: &str, layer: &str| {
        format!(
            "(\n    version: 1, {scene}layers: [\
             (name: \"Hills\", seed: 1, algorithm: 1, node: Perlin()), ({layer}node: Blur(radius: 50.0))])"
        )
    };
    let (of_talweg, layer) = ("name: \"Hills\", settings: (), ", "name: \"Soft\", seed: 2, ");
    let marked = format!("saved: true, {of_talweg}");
    for (scene, layer) in [
        ("", ""),
        (of_talweg, ""),
        (of_talweg, "name: \"Soft\", "),
        (of_talweg, "seed: 2, "),
        ("name: \"Hills\", ", layer),
        ("settings: (), ", layer),
        (of_talweg, "name: \"Soft\", seed: 2, algorithm: 2, "),
        // Somebody added the layer to a file that Talweg saved.
        (&marked, layer),
    ] {
        assert!(!warned(&file(scene, layer)), "{scene} {layer}");
    }
    assert!(warned(&file(of_talweg, layer)), "Talweg wrote it before the second algorithm");
    assert!(warned(&file(&marked, "name: \"Soft\", seed: 2, algorithm: 1, ")), "Talweg saved it with the first");
    assert!(warned(&file("", "algorithm: 1, ")), "the file names the algorithm");
    let changed = [
        file(of_talweg, layer).replace("\n    ", ""),
        // Nobody can tell a file without mark and algorithm from one written by hand.
        file(of_talweg, layer).replace("algorithm: 1, ", ""),
    ];
    for text in changed {
        assert!(!warned(&text), "{text}");
    }
    // A written scene is marked, and names the algorithm of every layer.
    let layers = Node::catalogue().into_iter().zip(0..).map(|(node, seed)| Layer::new(node, seed)).collect();
    let scene = Scene { layers, ..Scene::default() };
    let text = scene.to_ron().unwrap();
    assert!(text.starts_with("(\n    version: 1,\n    saved: true,\n"), "{text}");
    assert_eq!(text.matches(" algorithm: ").count(), scene.layers.len());
    assert!(!warned(&text));
}

/// A scene as in the README: written by hand, on one line or formatted as Talweg formats, with names and seeds.
#[test]
fn scenes_written_by_hand_are_read_without_warnings() {
    for node in Node::catalogue() {
        let name = node.about().name;
        for text in [
            format!("(version: 1, layers: [(node: {name}())])"),
            format!(
                "(\n    version: 1,\n    name: \"h\",\n    settings: (\n        resolution: 65,\n    ),\n    \
                 layers: [\n        (\n            name: \"F\",\n            node: {name}(),\n            \
                 seed: 1,\n        ),\n    ],\n)\n"
            ),
        ] {
            let (scene, warnings) = Scene::from_ron(&text).unwrap();
            assert_eq!(warnings, [], "{text}");
            assert_eq!(scene.layers[0].node, node, "{name}() is the node of today");
        }
    }
}

/// A file older than a change of a default uses the old default; a current file, or one written by hand, the new one.
#[test]
fn files_keep_the_defaults_of_their_version() {
    let read = |scene: &str, layer: &str, node: &str| {
        let text =
            format!("(\n    version: 1, {scene}layers: [(node: Perlin(), algorithm: 1), ({layer}node: {node})])");
        let (scene, warnings) = Scene::from_ron(&text).unwrap();
        assert!(!warnings.iter().any(|warning| warning.0.contains("has changed since")), "{warnings:?}");
        scene.layers[1].clone()
    };
    let (of_talweg, layer) = ("name: \"Hills\", settings: (), ", "name: \"Stamps\", seed: 2, ");
    let depth = |layer: &Layer| match &layer.node {
        Node::Stamp(stamp) => (stamp.depth, stamp.amplitude),
        _ => panic!("it is stamp noise"),
    };
    let (metres, samples) = (StampDepth::Metres, StampDepth::Samples);
    for node in ["Stamp()", "Stamp(amplitude: 0.5)", "Stamp(amplitude: 0.5, profile: Bell)"] {
        let amplitude = if node.contains("0.5") { 0.5 } else { Stamp::default().amplitude };
        assert_eq!(depth(&read(of_talweg, layer, node)), (metres, amplitude), "{node}");
        assert_eq!(depth(&read("", "", node)).0, samples, "{node} by hand");
        assert_eq!(depth(&read(of_talweg, &format!("{layer}algorithm: 2, "), node)).0, samples, "{node} of today");
    }
    assert_eq!(
        depth(&read(of_talweg, layer, "Stamp(depth: Samples)")).0,
        samples,
        "named parameters keep their values"
    );
    // A layer with old defaults stays the same when it is saved and read again.
    let old = read(of_talweg, layer, "Stamp()");
    let text = Scene { layers: vec![old.clone()], ..Scene::default() }.to_ron().unwrap();
    assert_eq!(Scene::from_ron(&text).unwrap().0.layers, [old]);
    // Every old default is a valid value of its parameter, differs from the current default, and belongs to an earlier
    // version.
    for node in Node::catalogue() {
        for old in node.traits().old_defaults {
            let about = node.about();
            let index = about.find(old.parameter).expect("it is a parameter");
            let was = about.params[index].parse(old.old_value).expect("it is a value");
            assert_ne!(was, about.params[index].default);
            assert!(old.until < node.traits().version);
        }
    }
}

/// A file of 16 MB is refused at its first error, not after reading all of it twice.
#[test]
fn too_large_files_are_refused_at_the_first_sign() {
    const LAYERS: usize = 100_000;
    let many = format!("(version: 1, layers: [\n{}])", "(node: Perlin(octaves: 3), seed: 1),\n".repeat(LAYERS));
    let said = Scene::from_ron(&many).unwrap_err().to_string();
    // The first line has the version, and a thousand layers follow.
    assert!(said.starts_with("line 1002, ") && said.contains("more than 1000 layers"), "{said}");
    assert!(said.contains("split it"), "what to do: {said}");
    // Nothing after the version is read.
    let newer = Scene::from_ron("(version: 2, what: Nobody(knows), %%%").unwrap_err().to_string();
    assert!(newer.contains("version 2") && newer.contains("newer Talweg"), "{newer}");
    let late = Scene::from_ron("(name: \"a\", version: 3)").unwrap_err().to_string();
    assert!(late.contains("version 3"), "{late}");
    for (text, what) in
        [("(name: \"a\")", "version"), ("(version: 1, layers: [", "not a complete"), ("", "not a complete")]
    {
        let said = Scene::from_ron(text).unwrap_err().to_string();
        assert!(said.contains(what) && said.contains("line 1, column"), "{said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.ron");
    std::fs::write(&path, vec![b' '; (16 << 20) + 1]).unwrap();
    let said = Scene::load(&path).unwrap_err().to_string();
    assert!(said.contains("large.ron") && said.contains("16 MB") && said.contains("heightmap"), "{said}");
}

fn scramble(group: &mut dyn Params, random: &[u64]) {
    for index in 0..group.about().params.len() {
        let number = random[index % random.len()].rotate_left(7 * index as u32);
        if !number.is_multiple_of(4) {
            group.set(index, &value_in_range(&group.about().params[index], number)).unwrap();
        }
    }
}

fn any_layer() -> impl Strategy<Value = Layer> {
    let count = Node::catalogue().len();
    (0..count, "[^\u{0}]{1,12}", any::<u32>(), any::<bool>(), prop::collection::vec(any::<u64>(), 8)).prop_map(
        |(kind, name, seed, enabled, random)| {
            let mut layer =
                Layer { name, enabled, ..Layer::new(Node::catalogue().into_iter().nth(kind).unwrap(), seed) };
            scramble(layer.node.params_mut(), &random);
            scramble(&mut layer.mix, &random[1..]);
            scramble(&mut layer.mask, &random[2..]);
            layer
        },
    )
}

fn any_scene() -> impl Strategy<Value = Scene> {
    (".{1,20}", prop::collection::vec(any::<u64>(), 8), prop::collection::vec(any_layer(), 0..6)).prop_map(
        |(name, random, layers)| {
            let mut scene = Scene { name, layers, ..Scene::default() };
            scramble(&mut scene.settings, &random);
            let palettes = talweg::appearance_files::palette_names();
            scene.palette.clone_from(&palettes[random[0] as usize % palettes.len()]);
            scene
        },
    )
}

proptest! {
    #[test]
    fn any_scene_survives_its_file_exactly(scene in any_scene()) {
        let text = scene.to_ron().unwrap();
        let (read, warnings) = Scene::from_ron(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert!(warnings.is_empty(), "{warnings:?}\n{text}");
        prop_assert_eq!(read, scene);
    }

    #[test]
    fn damaged_scenes_are_errors_or_scenes_but_never_panics(
        scene in any_scene(),
        cut in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<char>()), 0..6),
    ) {
        let mut text: Vec<char> = scene.to_ron().unwrap().chars().collect();
        for (place, character) in edits {
            let k = place.index(text.len());
            text[k] = character;
        }
        let text: String = text.into_iter().collect();
        let end = text.char_indices().map(|(k, _)| k).nth(cut.index(text.chars().count())).unwrap_or(0);
        for damaged in [&text[..end], &text[end..], &text] {
            match Scene::from_ron(damaged) {
                Err(error) => prop_assert!(!error.to_string().is_empty()),
                Ok((scene, _)) => prop_assert!(Scene::from_ron(&scene.to_ron().unwrap()).is_ok()),
            }
        }
    }

    #[test]
    fn any_number_is_clamped_to_its_range(azimuth in any::<f32>(), size in any::<f32>(), frequency in any::<f32>()) {
        let number = |v: f32| ron::to_string(&v).unwrap();
        let text = format!(
            "(version: 1, settings: (sun_azimuth: {}, size_metres: {}), layers: [(node: Perlin(frequency: {}))])",
            number(azimuth), number(size), number(frequency),
        );
        let (mut scene, _) = Scene::from_ron(&text).map_err(|e| TestCaseError::fail(format!("{e}: {text}")))?;
        prop_assert!(scene.settings.sanitise().is_empty());
        prop_assert!(scene.layers[0].node.params_mut().sanitise().is_empty());
    }
}
