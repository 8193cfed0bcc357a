//! Edits of the construction tree of a layer.

use std::sync::Arc;

use crate::frame::document::Document;
use talweg::construction::Tree;
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::param::{Params, Value};
use talweg::scene::Gesture;

impl Document {
    /// The construction tree of the selected layer, and the index of the layer.
    pub fn tree(&self) -> Option<(usize, &Arc<Tree>)> {
        let index = self.selected_layer()?;
        Some((index, self.tree_of(index)?))
    }

    pub fn tree_of(&self, index: usize) -> Option<&Arc<Tree>> {
        match &self.scene().layers.get(index)?.node {
            Node::Construction(construction) => Some(&construction.tree),
            _ => None,
        }
    }

    /// The seed for the pieces of the construction in layer `index`, derived from the seed of the layer.
    pub fn tree_seed(&self, index: usize) -> u32 {
        let layer = self.scene().layers.get(index);
        layer.map_or(0, |layer| Construction::seed(self.scene().random(layer)))
    }

    /// Replaces the construction tree of layer `index` by `tree`. Numbers in `tree` are clamped to their ranges.
    pub fn edit_tree(&mut self, index: usize, label: &str, gesture: Option<Gesture>, tree: Tree) {
        if self.is_locked(index) {
            return;
        }
        self.edit(label, gesture, |scene| {
            if let Some(Node::Construction(construction)) = scene.layers.get_mut(index).map(|layer| &mut layer.node)
                && let Some(param) = construction.about().find("tree")
            {
                // setting the parameter cannot fail, because it accepts a construction tree
                let _ = construction.set(param, &Value::Structured(Arc::new(tree)));
            }
        });
    }
}
