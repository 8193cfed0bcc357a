//! Ready-made construction trees to start from. The trees are stored as readable RON in `src/construction/presets/`.

use std::sync::{Arc, LazyLock};

use super::piece::Tree;

macro_rules! presets {
    ($($name:ident),+) => {
        $(
            /// The construction tree in the file of this name in `presets/`.
            pub fn $name() -> Arc<Tree> {
                static TREE: LazyLock<Arc<Tree>> =
                    LazyLock::new(|| read(include_str!(concat!(stringify!($name), ".ron"))));
                TREE.clone()
            }
        )+
        /// All ready-made construction trees with their names.
        pub fn all() -> Vec<(&'static str, Arc<Tree>)> {
            vec![$( (stringify!($name), $name()) ),+]
        }
    };
}

presets!(volcano, valley, oasis, moon, uplift);

fn read(text: &str) -> Arc<Tree> {
    match Tree::from_ron(text) {
        Ok(tree) => Arc::new(tree),
        Err(error) => panic!("shipped with the program: {error}"),
    }
}
