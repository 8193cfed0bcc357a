//! Edits of the stack as a whole: add, duplicate, delete, reorder, rename, show and hide, solo.

use crate::app::frame::document::{Document, Group, Selection, Variant};
use crate::nodes::{Node, Work};
use crate::param::{Preset, Value};
use crate::scene::{Blend, Gesture, Layer, Scene, SceneError, Warning};

impl Document {
    /// Adds a layer above the selected one (on top while the scene is selected) and selects it. A generator that has
    /// something below it adds to it, so that it hides nothing. A node as it comes starts with its preset Natural, if
    /// it has one: defaults are what files leave out, and cannot follow taste.
    pub fn add_layer(&mut self, mut node: Node) {
        let about = node.about();
        let as_it_comes = Node::named(about.name).is_some_and(|plain| plain == node);
        if let Some(natural) = about.preset("Natural").filter(|_| as_it_comes) {
            node.adopt(natural);
        }
        let at = self.selected_layer().map_or(self.scene().layers.len(), |index| index + 1);
        let mut layer = Layer::new(node, self.scene().unused_seed());
        if at > 0 && matches!(layer.node.work(), Work::Generator(_)) {
            layer.mix.blend = Blend::Add;
        }
        layer.name = self.scene().unused_name(&layer.name);
        self.insert(&format!("Add {}", layer.node.about().label), at, layer);
    }

    /// A layer as the text of a scene that has no other.
    ///
    /// # Errors
    /// When it is nested too deeply to be read again.
    pub fn layer_text(&self, index: usize) -> Result<String, SceneError> {
        let layers = self.scene().layers.get(index).cloned().into_iter().collect();
        let settings = self.scene().settings.clone();
        Scene { name: self.scene().name.clone(), settings, layers, ..Scene::default() }.to_ron()
    }

    /// Puts the layers of the text of a scene above the selected one, as one step; they keep their seeds.
    ///
    /// # Errors
    /// When it is no scene; nothing changes.
    pub fn paste_layers(&mut self, text: &str) -> Result<Vec<Warning>, SceneError> {
        let (pasted, warnings) = Scene::from_ron(text)?;
        let at = self.selected_layer().map_or(self.scene().layers.len(), |index| index + 1);
        let count = pasted.layers.len();
        if count == 0 {
            return Ok(warnings);
        }
        self.renumber(|index| Some(if index >= at { index + count } else { index }));
        self.edit("Paste layers", None, |scene| {
            for (k, mut layer) in pasted.layers.into_iter().enumerate() {
                layer.name = scene.unused_name(&layer.name);
                layer.branch = 0;
                scene.layers.insert(at + k, layer);
            }
        });
        self.select(Selection::Layer(at + count - 1));
        Ok(warnings)
    }

    /// Puts a copy of a layer above it; the copy keeps the seed, so it gives the same heights.
    pub fn duplicate_layer(&mut self, index: usize) {
        let Some(layer) = self.scene().layers.get(index) else { return };
        let mut copy = layer.clone();
        copy.name = self.scene().unused_name(&format!("{} copy", layer.name));
        copy.branch = 0;
        self.insert("Duplicate layer", index + 1, copy);
    }

    pub(crate) fn insert(&mut self, label: &str, at: usize, layer: Layer) {
        self.renumber(|index| Some(if index >= at { index + 1 } else { index }));
        self.edit(label, None, |scene| scene.layers.insert(at, layer));
        self.select(Selection::Layer(at));
    }

    pub fn delete_layer(&mut self, index: usize) {
        if index >= self.scene().layers.len() {
            return;
        }
        let selected = self.selected_layer();
        self.renumber(|k| match k.cmp(&index) {
            std::cmp::Ordering::Less => Some(k),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(k - 1),
        });
        self.edit("Delete layer", None, |scene| {
            scene.layers.remove(index);
        });
        if selected == Some(index) {
            let last = self.scene().layers.len().checked_sub(1);
            self.selection = last.map_or(Selection::Scene, |last| Selection::Layer(index.saturating_sub(1).min(last)));
        }
    }

    /// Moves a layer so that it ends at index `to`.
    pub fn move_layer(&mut self, from: usize, to: usize) {
        let count = self.scene().layers.len();
        if from >= count || to >= count || from == to {
            return;
        }
        self.renumber(|k| {
            Some(if k == from {
                to
            } else if from < k && k <= to {
                k - 1
            } else if to <= k && k < from {
                k + 1
            } else {
                k
            })
        });
        self.edit("Reorder layers", None, |scene| {
            let layer = scene.layers.remove(from);
            scene.layers.insert(to, layer);
        });
    }

    /// An empty name is not taken.
    pub fn rename_layer(&mut self, index: usize, name: &str) {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        self.edit("Rename layer", None, |scene| {
            let Some(layer) = scene.layers.get_mut(index) else { return };
            let old = std::mem::replace(&mut layer.name, name.into());
            // where two layers share a name, masks go on reading the other one
            if !scene.layers.iter().any(|layer| layer.name == old) {
                scene.follow_rename(&old, name);
            }
        });
    }

    /// Shows or hides a layer.
    pub fn toggle_layer(&mut self, index: usize) {
        let Some(layer) = self.scene().layers.get(index) else { return };
        let label = if layer.enabled { "Hide layer" } else { "Show layer" };
        self.edit(label, None, |scene| match scene.layers[index].enabled {
            true => scene.layers[index].enabled = false,
            false => scene.show_layer(index),
        });
    }

    /// Shows a layer alone, or everything again; no undo step, the scene stays as it is.
    pub fn toggle_solo(&mut self, index: usize) {
        self.solo = if self.solo == Some(index) { None } else { Some(index) };
        self.transport.pause();
        self.bump(false);
    }

    /// Sets a parameter.
    pub fn set(&mut self, group: Group, param: usize, value: &Value, gesture: Option<Gesture>) {
        let Some(spec) = group.params(&self.scene).and_then(|params| params.about().params.get(param)) else { return };
        let label = format!("Change {}", spec.label.to_lowercase());
        let offer = self.offer_before(group);
        self.edit(&label, gesture, |scene| {
            if let Some(params) = group.of_mut(scene) {
                // a value of another type is not taken
                let _ = params.set(param, value);
            }
        });
        self.offer = offer;
    }

    /// Sets every parameter of a layer's node as `preset` says.
    pub fn adopt(&mut self, index: usize, preset: &Preset) {
        let offer = self.offer_before(Group::Node(index));
        self.edit(&format!("Preset {}", preset.label), None, |scene| {
            if let Some(layer) = scene.layers.get_mut(index) {
                layer.node.adopt(preset);
            }
        });
        self.offer = offer;
    }

    /// Follows the layers when their numbers change.
    pub(crate) fn renumber(&mut self, number: impl Fn(usize) -> Option<usize>) {
        if let Selection::Layer(index) = self.selection {
            self.selection = number(index).map_or(Selection::Scene, Selection::Layer);
        }
        self.solo = self.solo.and_then(&number);
        self.variant = self.variant.and_then(|variant| Some(Variant { layer: number(variant.layer)?, ..variant }));
        self.transport.renumber(number);
    }
}
