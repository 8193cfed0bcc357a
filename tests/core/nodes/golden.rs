//! Golden hashes: the same scene gives the same bits on every machine and in every later version.
//!
//! Each node of the catalogue runs with its defaults and with every parameter altered. The grids are a square of 65², a
//! wrapping square of 33², and a planet of 6 × 33², if the node supports them. Filters and processes run on Perlin
//! noise, and on the square of 65² also on noise with hardness and rain maps. The heights and every resulting data map
//! are hashed. A different hash means that old scenes would look different. If that is intended, increase the node's
//! `version()`, then bless the new hashes and commit them:
//!
//! ```text
//! TALWEG_BLESS=1 cargo test -p talweg --test core golden
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::kits::nodes::{EARTH, TestScene, altered};
use talweg::field::{Edges, Terrain};
use talweg::nodes::{Node, NodeKind};
use talweg::planet::World;

/// Noise with varying rock hardness and rain.
fn with_maps(place: TestScene, noise: &Terrain) -> Terrain {
    let steps = ["Hardness", "Rain"].map(|name| Node::named(name).unwrap());
    steps.iter().fold(noise.clone(), |below, node| place.finish(node, &below, 0))
}

static HASHES: LazyLock<BTreeMap<String, String>> = LazyLock::new(hashes);

fn hashes() -> BTreeMap<String, String> {
    let square = TestScene::new(65, Edges::Open);
    let places =
        [("", square), (", wrapping", TestScene::new(33, Edges::Wrap)), (", planet", TestScene::globe(33, &EARTH))];
    let mut stages: Vec<(&str, TestScene, Terrain)> = Vec::new();
    for (name, place) in places {
        stages.push((name, place, place.noise()));
    }
    stages.push((", on rock and rain", square, with_maps(square, &stages[0].2)));
    let mut table = BTreeMap::new();
    for node in Node::catalogue() {
        for (stage, place, input) in &stages {
            let world = if place.planet.is_some() { World::Planet } else { World::Terrain };
            let is_generator = matches!(node.work(), NodeKind::Generator(_));
            if !node.fits(world) || (is_generator && input.maps().next().is_some()) {
                continue;
            }
            for (setting, node) in [("defaults", node.clone()), ("other values", altered(node.clone()))] {
                let made = place.finish(&node, input, 20);
                let name = format!("{} v{}, {setting}{stage}", node.about().name, node.traits().version_in(world));
                for (kind, map) in made.maps().filter(|(kind, map)| input.map(*kind) != Some(map)) {
                    table.insert(format!("{name}: {kind:?}"), format!("{:032x}", made.map_hash(kind).unwrap()));
                    assert_eq!(map.len(), made.grid.len(), "{name}: {kind:?}");
                }
                table.insert(name, format!("{:032x}", made.height_hash()));
            }
        }
    }
    table
}

#[test]
fn every_declared_map_has_a_golden_hash() {
    for node in Node::catalogue() {
        for kind in node.traits().writes {
            let prefix = format!("{} v", node.about().name);
            let suffix = format!(": {kind:?}");
            assert!(
                HASHES.keys().any(|name| name.starts_with(&prefix) && name.ends_with(&suffix)),
                "{prefix}…{suffix} is not among the golden hashes"
            );
        }
    }
}

#[test]
fn nodes_match_their_golden_hashes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/nodes.ron");
    let now = &*HASHES;
    if std::env::var_os("TALWEG_BLESS").is_some() {
        let text = ron::ser::to_string_pretty(now, ron::ser::PrettyConfig::new()).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
        return;
    }
    let known: BTreeMap<String, String> = ron::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let differing: Vec<&String> =
        now.keys().chain(known.keys()).filter(|&name| now.get(name) != known.get(name)).collect();
    assert!(differing.is_empty(), "the bits have changed; see the top of tests/core/nodes/golden.rs: {differing:#?}");
}
