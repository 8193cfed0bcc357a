//! The scenes shipped with the program: every file of `saves/`, embedded in the program, and the hashes of their
//! terrains.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};

use super::Scene;
use crate::field::Terrain;

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/saves");

/// A scene shipped with the program.
#[derive(Debug)]
pub struct ShippedScene {
    /// Name of the scene on the command line: the file name without `.ron`.
    pub name: &'static str,
    /// The scene; the menu shows its [`Scene::name`].
    pub scene: Scene,
}

static EXAMPLES: LazyLock<Vec<ShippedScene>> = LazyLock::new(|| {
    let mut examples: Vec<ShippedScene> = FILES
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .map(|(name, text)| match Scene::from_ron(text) {
            Ok((scene, _)) => ShippedScene { name, scene },
            Err(error) => panic!("shipped with the program: saves/{name}.ron: {error}"),
        })
        .collect();
    examples.sort_by_key(|e| e.name);
    examples
});

/// The shipped scenes, in the order of the menu.
pub fn examples() -> &'static [ShippedScene] {
    &EXAMPLES
}

/// The shipped scene that `path` names, unless a file with this path exists.
pub fn example_for(path: &Path) -> Option<&'static ShippedScene> {
    if path.exists() {
        return None;
    }
    example(path.to_str()?.trim_end_matches(".ron"))
}

/// The shipped scene called `name`.
pub fn example(name: &str) -> Option<&'static ShippedScene> {
    examples().iter().find(|e| e.name == name)
}

/// Samples per side for the hashes of the shipped scenes; for a planet, per side of a face.
pub const HASHED_SAMPLES: usize = 129;

static HASHES: LazyLock<BTreeMap<String, ExampleHash>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hashes/examples.ron"));
    ron::from_str(text).unwrap_or_else(|error| panic!("shipped with the program: hashes/examples.ron: {error}"))
});

/// Hashes of a shipped scene, evaluated with [`HASHED_SAMPLES`] samples per side. The hashes are the same on every
/// computer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleHash {
    /// Hash of the heights.
    pub heights: String,
    /// Hash of size, heights and data maps.
    pub terrain: String,
}

impl ExampleHash {
    /// The hashes of an evaluated scene.
    pub fn new(terrain: &Terrain) -> Self {
        Self { heights: format!("{:032x}", terrain.height_hash()), terrain: format!("{:032x}", terrain.hash()) }
    }
}

/// The hashes of all shipped scenes by the names of the scenes, as published with this version.
pub fn example_hashes() -> &'static BTreeMap<String, ExampleHash> {
    &HASHES
}
