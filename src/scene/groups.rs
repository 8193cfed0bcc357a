//! Groups of layers. A layer whose node is a [`LayerGroup`] is a group. The group contains the layers directly below it
//! that have a greater depth than the group.
//!
//! The list of layers stays flat, in stack order from the lowest. [`Layer::depth`](super::Layer) is the nesting depth
//! of each layer. A layer can be one level deeper than the layer above it if that layer is a group. Otherwise it cannot
//! be deeper than the layer above it.

use std::ops::Range;

use super::{Mask, Mix, Scene};
use crate::nodes::Node;
use crate::nodes::filters::group::{GroupGround, LayerGroup};

impl Scene {
    /// The group node of a layer, if the layer is a group.
    pub fn group(&self, index: usize) -> Option<&LayerGroup> {
        match &self.layers.get(index)?.node {
            Node::LayerGroup(group) => Some(group),
            _ => None,
        }
    }

    /// Indices of the layers in a group, including the layers of nested groups; empty if the layer is not a group.
    pub fn members(&self, index: usize) -> Range<usize> {
        let Some(depth) = self.group(index).map(|_| self.layers[index].depth) else { return index..index };
        let count = self.layers[..index].iter().rev().take_while(|layer| layer.depth > depth).count();
        index - count..index
    }

    /// Indices of a layer and of all layers that it contains.
    pub fn block(&self, index: usize) -> Range<usize> {
        self.members(index).start..index + 1
    }

    /// The groups that contain a layer, innermost first.
    pub fn groups_around(&self, index: usize) -> Vec<usize> {
        let mut around = Vec::new();
        let mut depth = self.layers.get(index).map_or(0, |layer| layer.depth);
        for (above, layer) in self.layers.iter().enumerate().skip(index + 1) {
            if depth == 0 {
                break;
            }
            if layer.depth < depth {
                depth = layer.depth;
                around.push(above);
            }
        }
        around
    }

    /// Whether a layer takes part in the evaluation: the layer and all groups that contain it are shown.
    pub fn is_shown(&self, index: usize) -> bool {
        let is_on = |index: usize| self.layers[index].enabled && self.layers[index].mix.opacity > 0.0;
        is_on(index) && self.groups_around(index).into_iter().all(is_on)
    }

    /// Whether a layer is a shown group that does more than collect layers. Such a group combines the result of its
    /// layers with the terrain below the group.
    pub fn blends_with_below(&self, index: usize) -> bool {
        self.group(index).is_some_and(|group| {
            let layer = &self.layers[index];
            let is_plain = layer.mix == Mix::default() && !layer.mask.is_active();
            self.is_shown(index) && (group.ground == GroupGround::Level || !is_plain)
        })
    }

    /// The first group that [blends with the terrain below](Self::blends_with_below), if any.
    pub fn blending_group(&self) -> Option<usize> {
        (0..self.layers.len()).find(|&index| self.blends_with_below(index))
    }

    /// The groups that [blend with the terrain below](Self::blends_with_below) and whose lowest layer is this layer,
    /// outermost first. The lowest layer of a group without layers is the group itself.
    pub fn groups_beginning_at(&self, index: usize) -> Vec<usize> {
        let begins = |&group: &usize| self.block(group).start == index && self.blends_with_below(group);
        self.groups_around(index).into_iter().rev().chain([index]).filter(begins).collect()
    }

    /// Reduces the depth of every layer that is deeper than the layer above it allows.
    pub fn clamp_depths(&mut self) {
        let mut most = 0;
        for layer in self.layers.iter_mut().rev() {
            layer.depth = layer.depth.min(most);
            most = layer.depth + u32::from(matches!(layer.node, Node::LayerGroup(_)));
        }
    }

    /// Hides the layers above a layer without removing them, because a lower layer may read a layer above. The groups
    /// that contain the layer are opened, so that the result includes only the layers up to this layer.
    pub fn hide_above(&mut self, index: usize) {
        self.hide_but(index, |_| false);
    }

    /// Hides the layers below and above a layer, so that this layer is evaluated alone, whatever groups contain it.
    pub fn hide_others(&mut self, index: usize) {
        self.keep_whole();
        let own = self.block(index);
        self.layers[..own.start].iter_mut().for_each(|layer| layer.enabled = false);
        self.hide_above(index);
    }

    /// Hides a layer, all layers that it contains, and all layers above it. Groups are treated as in
    /// [`hide_above`](Self::hide_above).
    pub fn hide_from(&mut self, index: usize) {
        let own = self.block(index);
        self.hide_but(index, |k| own.contains(&k));
    }

    fn hide_but(&mut self, index: usize, is_hidden: impl Fn(usize) -> bool) {
        self.keep_whole();
        let around = self.groups_around(index);
        for (k, layer) in self.layers.iter_mut().enumerate() {
            if around.contains(&k) {
                (layer.enabled, layer.mix, layer.mask) = (true, Mix::default(), Mask::default());
            } else if k > index || is_hidden(k) {
                layer.enabled = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Layer;

    /// Layers by name and depth, from the lowest; names that begin with G are groups.
    fn scene(layers: &[(&str, u32)]) -> Scene {
        let layer = |&(name, depth): &(&str, u32)| {
            let node = if name.starts_with('G') { "LayerGroup" } else { "Perlin" };
            Layer { name: name.into(), depth, ..Layer::new(Node::named(node).unwrap(), 1) }
        };
        Scene { layers: layers.iter().map(layer).collect(), ..Scene::default() }
    }

    #[test]
    fn a_group_holds_the_deeper_layers_right_below_it() {
        let scene = scene(&[("a", 0), ("b", 1), ("c", 2), ("d", 2), ("G2", 1), ("e", 1), ("G1", 0), ("f", 0)]);
        assert_eq!((scene.members(6), scene.members(4), scene.members(7)), (1..6, 2..4, 7..7));
        assert_eq!((scene.groups_around(2), scene.groups_around(5)), (vec![4, 6], vec![6]));
        assert!(scene.groups_around(7).is_empty() && scene.groups_around(0).is_empty());
        assert_eq!(scene.block(4), 2..5);
        let mut mended = scene.clone();
        mended.clamp_depths();
        assert_eq!(mended, scene, "no depth needed mending");
    }

    #[test]
    fn invalid_group_depths_are_corrected() {
        let mut scene = scene(&[("a", 3), ("G2", 1), ("b", 2), ("G1", 0), ("c", 4)]);
        scene.clamp_depths();
        let depths: Vec<u32> = scene.layers.iter().map(|layer| layer.depth).collect();
        assert_eq!(depths, [2, 1, 1, 0, 0]);
    }

    #[test]
    fn a_layer_is_shown_with_its_groups_and_hide_above_opens_them() {
        let mut scene = scene(&[("a", 0), ("b", 2), ("c", 2), ("G2", 1), ("G1", 0), ("d", 0)]);
        scene.layers[4].mix.opacity = 0.5;
        let mut hidden = scene.clone();
        hidden.layers[4].enabled = false;
        let shown = |scene: &Scene| (0..6).filter(|&k| scene.is_shown(k)).collect::<Vec<_>>();
        assert_eq!((shown(&scene), shown(&hidden)), (vec![0, 1, 2, 3, 4, 5], vec![0, 5]));
        for (with, expected) in
            [(&scene, vec![0, 1, 3, 4]), (&hidden, vec![0, 1, 3, 4])].map(|(scene, shown)| (scene.clone(), shown))
        {
            let mut below = with.clone();
            below.hide_above(1);
            assert_eq!((shown(&below), below.layers[4].mix.opacity), (expected, 1.0));
        }
        let mut alone = scene.clone();
        alone.hide_others(2);
        assert_eq!(shown(&alone), [2, 3, 4]);
        let mut below = scene.clone();
        below.hide_from(3);
        assert_eq!(shown(&below), [0, 4], "hiding from a group also hides its layers");
    }
}
