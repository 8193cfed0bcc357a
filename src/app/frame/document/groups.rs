//! Groups of layers: create, dissolve and move groups. Moving or deleting a group also affects its members.

use crate::frame::document::{Document, Selection};
use talweg::nodes::Node;
use talweg::nodes::filters::group::LayerGroup;
use talweg::scene::{Layer, Scene};

/// Target position for moved or new layers, at the nesting depth `depth`. The layers are inserted before the layer that
/// now has the index `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackPosition {
    pub index: usize,
    pub depth: u32,
}

impl Document {
    /// Indices of the given layers and of their members, from the bottom up.
    pub fn with_members(&self, indices: &[usize]) -> Vec<usize> {
        let count = self.scene().layers.len();
        let mut all: Vec<usize> =
            indices.iter().filter(|&&index| index < count).flat_map(|&index| self.scene().block(index)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The position of a new layer: above the selected layer, or inside the selected group. While the scene is
    /// selected, it is on top of the stack.
    pub fn position_for_new(&self) -> StackPosition {
        let layers = &self.scene().layers;
        match self.selected_layer().filter(|&index| index < layers.len()) {
            None => StackPosition { index: layers.len(), depth: 0 },
            Some(index) if self.scene().group(index).is_some() => {
                StackPosition { index, depth: layers[index].depth + 1 }
            }
            Some(index) => StackPosition { index: index + 1, depth: layers[index].depth },
        }
    }

    /// Puts layers into a new group at the position of the topmost of these layers. Does nothing if one of the layers
    /// is locked.
    pub fn group_layers(&mut self, indices: &[usize]) {
        let gathered = self.with_members(indices);
        let (Some(&top), None) = (gathered.last(), self.first_locked(&gathered)) else { return };
        let depth = self.root_depth(&gathered, top);
        let order: Vec<usize> = (0..=top).filter(|k| !gathered.contains(k)).chain(gathered.iter().copied()).collect();
        let (shifts, mut group) = (self.shifts(&gathered, depth + 1), Node::LayerGroup(LayerGroup::default()));
        let name = self.scene().unused_name("Group");
        self.renumber(|k| Some(order.iter().position(|&old| old == k).unwrap_or(k + 1)));
        self.edit("Group layers", None, |scene| {
            let mut layers: Vec<Layer> = order.iter().map(|&k| scene.layers[k].clone()).collect();
            for (layer, shift) in layers.iter_mut().rev().zip(shifts.iter().rev()) {
                layer.depth = (i64::from(layer.depth) + shift) as u32;
            }
            let node = std::mem::replace(&mut group, Node::LayerGroup(LayerGroup::default()));
            layers.push(Layer { name, depth, ..Layer::new(node, scene.unused_seed()) });
            scene.layers.splice(0..=top, layers);
        });
        self.select(Selection::Layer(top + 1));
    }

    /// Removes groups and leaves their members in place.
    pub fn ungroup(&mut self, indices: &[usize]) {
        let is_group = |index: &usize| self.scene().group(*index).is_some();
        let groups: Vec<usize> = indices.iter().copied().filter(is_group).collect();
        if groups.is_empty() || self.first_locked(&groups).is_some() {
            return;
        }
        let left: Vec<usize> = groups.iter().flat_map(|&index| self.scene().members(index)).collect();
        let lowest = groups.iter().map(|&index| self.scene().block(index).start).min().unwrap_or(0);
        self.renumber(|k| (!groups.contains(&k)).then(|| k - groups.iter().filter(|&&group| group < k).count()));
        self.edit("Ungroup layers", None, |scene| {
            left.iter().for_each(|&index| scene.layers[index].depth -= 1);
            let mut index = 0;
            scene.layers.retain(|_| {
                index += 1;
                !groups.contains(&(index - 1))
            });
            scene.clamp_depths();
        });
        let last = self.scene().layers.len().checked_sub(1);
        self.select(last.map_or(Selection::Scene, |last| Selection::Layer(lowest.min(last))));
    }

    /// Moves a layer and its members to another position. A locked layer does not move, and neither does a group that
    /// would end up inside itself.
    pub fn move_layers(&mut self, from: usize, to: StackPosition) {
        let count = self.scene().layers.len();
        if from >= count || to.index > count || self.is_locked(from) {
            return;
        }
        let block = self.scene().block(from);
        let is_inside = block.start < to.index && to.index <= from && block.len() > 1;
        let (size, own) = (block.len(), self.scene().layers[from].depth);
        // a target inside the moved block is its current position
        let at = if block.contains(&to.index) { block.start } else { to.index };
        if is_inside && to.depth > own {
            return;
        }
        let start = if at > from { at - size } else { at };
        self.renumber(|k| {
            Some(match k {
                k if block.contains(&k) => start + (k - block.start),
                k if k > from && k < at => k - size,
                k if k >= at && k < block.start => k + size,
                k => k,
            })
        });
        self.edit("Reorder layers", None, |scene| {
            let mut moved: Vec<Layer> = scene.layers.drain(block.clone()).collect();
            moved.iter_mut().for_each(|layer| layer.depth = layer.depth - own + to.depth);
            scene.layers.splice(start..start, moved);
            scene.clamp_depths();
        });
    }

    /// Moves a layer one step up: over the next layer, into a group that starts above it, or out of its own group.
    pub fn move_up(&mut self, index: usize) {
        if let Some(place) = place_above(self.scene(), index) {
            self.move_layers(index, place);
        }
    }

    /// Moves a layer one step down: below the next layer, into a group that ends below it, or out of its own group.
    pub fn move_down(&mut self, index: usize) {
        if let Some(place) = place_below(self.scene(), index) {
            self.move_layers(index, place);
        }
    }

    /// Nesting depth of the outermost of `layers` that contains the layer at `index`. It is the layer itself or a group
    /// around the layer.
    pub(crate) fn root_depth(&self, layers: &[usize], index: usize) -> u32 {
        let around = self.scene().groups_around(index);
        let root = around.into_iter().rev().find(|group| layers.contains(group)).unwrap_or(index);
        self.scene().layers[root].depth
    }

    /// Changes of the nesting depth, one for each layer, that bring the outermost of these layers to `depth`.
    pub(crate) fn shifts(&self, layers: &[usize], depth: u32) -> Vec<i64> {
        layers.iter().map(|&index| i64::from(depth) - i64::from(self.root_depth(layers, index))).collect()
    }
}

/// The position one step above a layer; `None` if the layer is at the top.
fn place_above(scene: &Scene, index: usize) -> Option<StackPosition> {
    let (own, above) = (scene.layers.get(index)?.depth, scene.layers.get(index + 1)?);
    Some(match above.depth {
        // the layer is the topmost layer of its group, so it leaves the group
        depth if depth < own => StackPosition { index: index + 2, depth },
        // a group starts above the layer, so the layer enters it
        depth if depth > own => StackPosition { index: scene.block(index).start, depth: own + 1 },
        _ if scene.group(index + 1).is_some() => StackPosition { index: scene.block(index).start, depth: own + 1 },
        depth => StackPosition { index: index + 2, depth },
    })
}

/// The position one step below a layer; `None` if the layer is at the bottom.
fn place_below(scene: &Scene, index: usize) -> Option<StackPosition> {
    let (own, start) = (scene.layers.get(index)?.depth, scene.block(index).start);
    let below = start.checked_sub(1).map(|below| (below, scene.layers[below].depth));
    Some(match below {
        // the layer is the lowest layer of its group, so it leaves the group
        None if own > 0 => StackPosition { index: start, depth: own - 1 },
        None => return None,
        Some((_, depth)) if depth < own => StackPosition { index: start, depth: own - 1 },
        Some((below, depth)) if scene.group(below).is_some() => StackPosition { index: below, depth: depth + 1 },
        Some((below, depth)) => StackPosition { index: below, depth },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document with layers of these names and nesting depths, from the bottom up. Names that start with G are
    /// groups.
    fn document(layers: &[(&str, u32)]) -> Document {
        let layer = |&(name, depth): &(&str, u32)| {
            let node = if name.starts_with('G') { "LayerGroup" } else { "Perlin" };
            Layer { name: name.into(), depth, ..Layer::new(Node::named(node).unwrap(), 1) }
        };
        let mut document = Document::default();
        document.edit("Layers", None, |scene| scene.layers = layers.iter().map(layer).collect());
        document
    }

    fn stack(document: &Document) -> String {
        let layers = document.scene().layers.iter();
        layers.map(|layer| format!("{}{}", layer.name, layer.depth)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_group_takes_the_topmost_place_and_ungrouping_keeps_order() {
        let mut plain = document(&[("a", 0), ("b", 0), ("c", 0), ("d", 0)]);
        plain.select(Selection::Layer(1));
        plain.group_layers(&[0, 2]);
        assert_eq!(stack(&plain), "b0 a1 c1 Group0 d0");
        assert_eq!(plain.selection(), Selection::Layer(3));
        plain.group_layers(&[3, 0]);
        assert_eq!(stack(&plain), "b1 a2 c2 Group1 Group 20 d0");
        plain.ungroup(&[3]);
        assert_eq!(stack(&plain), "b1 a1 c1 Group 20 d0");
        plain.ungroup(&[3, 4]);
        assert_eq!(stack(&plain), "b0 a0 c0 d0");
        (0..4).for_each(|_| plain.undo());
        assert_eq!(stack(&plain), "a0 b0 c0 d0");
    }

    #[test]
    fn a_group_moves_with_its_layers_and_never_into_itself() {
        let mut document = document(&[("a", 0), ("b", 1), ("c", 1), ("G", 0), ("d", 0)]);
        document.select(Selection::Layer(2));
        document.move_layers(3, StackPosition { index: 5, depth: 0 });
        assert_eq!((stack(&document), document.selection()), ("a0 d0 b1 c1 G0".into(), Selection::Layer(3)));
        document.move_layers(4, StackPosition { index: 0, depth: 0 });
        assert_eq!(stack(&document), "b1 c1 G0 a0 d0");
        document.move_layers(2, StackPosition { index: 1, depth: 1 });
        assert_eq!(stack(&document), "b1 c1 G0 a0 d0", "not into itself");
        document.move_layers(4, StackPosition { index: 2, depth: 1 });
        assert_eq!(stack(&document), "b1 c1 d1 G0 a0");
        document.toggle_locks(&[3]);
        document.move_layers(3, StackPosition { index: 5, depth: 0 });
        assert_eq!(stack(&document), "b1 c1 d1 G0 a0", "it is locked");
    }

    #[test]
    fn steps_lead_through_groups_and_back() {
        let mut document = document(&[("x", 0), ("b", 1), ("c", 1), ("G", 0), ("d", 0)]);
        let up = ["x1 b1 c1 G0 d0", "b1 x1 c1 G0 d0", "b1 c1 x1 G0 d0", "b1 c1 G0 x0 d0", "b1 c1 G0 d0 x0"];
        let at = |document: &Document| document.scene().layers.iter().position(|layer| layer.name == "x").unwrap();
        for expected in up {
            document.move_up(at(&document));
            assert_eq!(stack(&document), expected);
        }
        document.move_up(at(&document));
        assert_eq!(stack(&document), up[4], "it is on top");
        for expected in up.iter().rev().skip(1) {
            document.move_down(at(&document));
            assert_eq!(stack(&document), *expected);
        }
        document.move_down(at(&document));
        assert_eq!(stack(&document), "x0 b1 c1 G0 d0");
    }
}
