//! Two versions of a layer, A and B. The user can try changes in one version and keep the other. The versions last
//! until the document is closed.

use crate::frame::document::Document;
use talweg::nodes::Node;
use talweg::scene::{Layer, Mask, Mix, ParamEpoch};

/// The data of one version of a layer.
#[derive(Clone, Debug, PartialEq)]
struct LayerVersion {
    node: Node,
    epochs: Vec<ParamEpoch>,
    mix: Mix,
    mask: Mask,
}

impl LayerVersion {
    fn of_layer(layer: &Layer) -> Self {
        let Layer { node, epochs, mix, mask, .. } = layer.clone();
        Self { node, epochs, mix, mask }
    }
}

/// Both versions of a layer, A and B.
#[derive(Clone, Debug)]
pub struct LayerVersions {
    sides: [LayerVersion; 2],
    /// The version that the layer showed last. Undo can have changed the layer since then.
    shown: usize,
}

impl Document {
    /// Returns the version that a layer shows: 0 is A, 1 is B. Returns `None` if the layer has only one version.
    pub fn shown_side(&self, index: usize) -> Option<usize> {
        let (kept, layer) = (self.sides.get(&index)?, self.scene().layers.get(index)?);
        let present = LayerVersion::of_layer(layer);
        // undo can have restored the other version
        let is_other = present == kept.sides[1 - kept.shown] && present != kept.sides[kept.shown];
        Some(if is_other { 1 - kept.shown } else { kept.shown })
    }

    /// Shows a version of a layer, as an undo step. Version B begins as a copy of version A.
    pub fn show_version(&mut self, index: usize, side: usize) {
        let Some(layer) = self.scene().layers.get(index).filter(|layer| !layer.locked) else { return };
        let present = LayerVersion::of_layer(layer);
        let Some(shown) = self.shown_side(index) else {
            self.sides.insert(index, LayerVersions { sides: [present.clone(), present], shown: side });
            return;
        };
        if shown == side {
            return;
        }
        let Some(kept) = self.sides.get_mut(&index) else { return };
        kept.sides[shown] = present;
        kept.shown = side;
        let LayerVersion { node, epochs, mix, mask } = kept.sides[side].clone();
        self.edit(if side == 0 { "Show version A of layer" } else { "Show version B of layer" }, None, |scene| {
            let layer = &mut scene.layers[index];
            (layer.node, layer.epochs, layer.mix, layer.mask) = (node, epochs, mix, mask);
        });
    }

    /// Deletes the version of a layer that is not on screen.
    pub fn forget_side(&mut self, index: usize) {
        self.sides.remove(&index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::document::Group;
    use talweg::param::Value;

    #[test]
    fn both_sides_keep_their_edits_after_undo() {
        let mut document = Document::default();
        document.add_layer(Node::named("Perlin").unwrap());
        let opacity = |document: &Document| document.scene().layers[0].mix.opacity;
        let param = Mix::default();
        let find = talweg::param::Params::about(&param).find("opacity").unwrap();
        document.show_version(0, 1);
        assert_eq!((document.shown_side(0), opacity(&document)), (Some(1), 1.0));
        document.set(Group::Mix(0), find, &Value::Float(0.25), None);
        document.show_version(0, 0);
        assert_eq!((document.shown_side(0), opacity(&document)), (Some(0), 1.0));
        document.set(Group::Mix(0), find, &Value::Float(0.75), None);
        document.show_version(0, 1);
        assert_eq!(opacity(&document), 0.25);
        document.undo();
        assert_eq!((document.shown_side(0), opacity(&document)), (Some(0), 0.75));
        document.show_version(0, 1);
        assert_eq!(opacity(&document), 0.25);
        document.forget_side(0);
        assert_eq!((document.shown_side(0), opacity(&document)), (None, 0.25));
    }
}
