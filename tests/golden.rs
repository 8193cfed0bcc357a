//! Golden hashes: the same scene gives the same bits, on every machine and in every later version.
//!
//! Each node of the catalogue runs at 65², those of planets at 6 × 33², with its defaults and with every parameter at another value; filters and
//! processes stand on Perlin noise. When a hash differs, old scenes would look different. If that is meant,
//! let the node's `version()` grow, then bless the new bits and commit them:
//!
//! ```text
//! TALWEG_BLESS=1 cargo test --no-default-features --test golden
//! ```

mod node_kit;

use std::collections::BTreeMap;
use std::path::Path;

use node_kit::{EARTH, Place, altered};
use talweg::field::Edges;
use talweg::nodes::Node;
use talweg::planet::World;

fn hashes() -> BTreeMap<String, String> {
    let places = [Place::new(65, Edges::Open), Place::globe(33, &EARTH)];
    let inputs = places.map(|place| place.noise());
    let mut table = BTreeMap::new();
    for node in Node::catalogue() {
        // what does not run on square ground runs on a planet
        let at = usize::from(!node.fits(World::Terrain));
        let (place, input) = (places[at], &inputs[at]);
        for (setting, node) in [("defaults", node.clone()), ("other values", altered(node))] {
            let made = place.finish(&node, input, 20);
            let name = format!("{} v{}, {setting}", node.about().name, node.version());
            table.insert(name, format!("{:032x}", made.hash()));
        }
    }
    table
}

#[test]
fn nodes_give_the_bits_they_always_gave() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/nodes.ron");
    let now = hashes();
    if std::env::var_os("TALWEG_BLESS").is_some() {
        let text = ron::ser::to_string_pretty(&now, ron::ser::PrettyConfig::new()).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
        return;
    }
    let known: BTreeMap<String, String> = ron::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let differing: Vec<&String> =
        now.keys().chain(known.keys()).filter(|&name| now.get(name) != known.get(name)).collect();
    assert!(differing.is_empty(), "other bits than before; see the head of tests/golden.rs: {differing:#?}");
}
