//! Edits of the layer stack: add, duplicate, delete, reorder, rename, show, hide and solo layers.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::frame::document::{Document, Group, Selection, StackPosition, Variant};
use talweg::nodes::Node;
use talweg::param::{Preset, Value};
use talweg::scene::{Blend, Gesture, Layer, Scene, SceneError, Warning};
use talweg::user_state::{OutsideError, PathUse, check_paths};

/// The text of the layers that this program has copied last. Other texts in the clipboard come from elsewhere.
static COPIED: Mutex<Option<String>> = Mutex::new(None);

impl Document {
    /// Adds a layer above the selected layer and selects it. While the scene is selected, the layer is added on top. A
    /// generator above other layers adds its heights to theirs, so that it does not hide them. A node with default
    /// parameters gets its preset Natural, if it has one. The defaults themselves are part of the file format, so they
    /// must never change.
    pub fn add_layer(&mut self, mut node: Node) {
        let about = node.about();
        let as_it_comes = Node::named(about.name).is_some_and(|plain| plain == node);
        if let Some(natural) = about.preset("Natural").filter(|_| as_it_comes) {
            node.adopt(natural);
        }
        let at = self.position_for_new();
        let mut layer = Layer { depth: at.depth, ..Layer::new(node, self.scene().unused_seed()) };
        if at.index > 0 && layer.node.makes_heights() {
            layer.mix.blend = Blend::Add;
        }
        layer.name = self.scene().unused_name(&layer.name);
        self.insert(&format!("Add {}", layer.node.about().label), at.index, layer);
    }

    /// Returns the layers at `indices` and their members as the text of a scene that contains only these layers.
    ///
    /// # Errors
    /// If the scene text is nested too deeply to be read again.
    pub fn layer_text(&self, indices: &[usize]) -> Result<String, SceneError> {
        let copied = self.with_members(indices);
        let shifts = self.shifts(&copied, 0);
        let layer = |(&index, shift): (&usize, i64)| {
            let layer = &self.scene().layers[index];
            Layer { depth: (i64::from(layer.depth) + shift) as u32, ..layer.clone() }
        };
        let layers = copied.iter().zip(shifts).map(layer).collect();
        let settings = self.scene().settings.clone();
        let text = Scene { name: self.scene().name.clone(), settings, layers, ..Scene::default() }.to_ron()?;
        *COPIED.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.clone());
        Ok(text)
    }

    /// Inserts the layers of a scene text above the selected layer, as one undo step. The layers keep their seeds.
    ///
    /// # Errors
    /// If the text is not a scene. The document then does not change.
    pub fn paste_layers(&mut self, text: &str) -> Result<Vec<Warning>, SceneError> {
        let (pasted, warnings) = Scene::from_ron(text)?;
        self.check_pasted_files(text, &pasted)?;
        let StackPosition { index: at, depth } = self.position_for_new();
        let count = pasted.layers.len();
        if count == 0 {
            return Ok(warnings);
        }
        self.renumber(|index| Some(if index >= at { index + count } else { index }));
        self.edit("Paste layers", None, |scene| {
            for (k, mut layer) in pasted.layers.into_iter().enumerate() {
                layer.name = scene.unused_name(&layer.name);
                layer.branch = 0;
                layer.depth += depth;
                scene.layers.insert(at + k, layer);
            }
            scene.clamp_depths();
        });
        self.select(Selection::Layer(at + count - 1));
        Ok(warnings)
    }

    /// Rejects pasted layers that were not copied by this program if they read files outside the folder of this scene.
    fn check_pasted_files(&self, text: &str, pasted: &Scene) -> Result<(), SceneError> {
        let is_own = COPIED.lock().unwrap_or_else(PoisonError::into_inner).as_deref() == Some(text);
        let known = self.scene().files();
        let paths: Vec<PathBuf> = pasted.files().into_iter().filter(|file| !known.contains(file)).collect();
        if is_own || paths.is_empty() {
            return Ok(());
        }
        match self.path() {
            Some(file) => Ok(check_paths(file, &paths, PathUse::Read)?),
            None => Err(OutsideError { scene: "the clipboard".into(), paths, usage: PathUse::Read }.into()),
        }
    }

    /// Adds layers above the selected layer, as one undo step. Each added layer gets a new seed and an unused name.
    /// `selected` is the index in `layers` of the layer to select.
    pub fn add_layers(&mut self, label: &str, layers: Vec<Layer>, selected: usize) {
        let StackPosition { index: at, depth } = self.position_for_new();
        let count = layers.len();
        self.renumber(|index| Some(if index >= at { index + count } else { index }));
        self.edit(label, None, |scene| {
            for (k, layer) in layers.into_iter().enumerate() {
                let (name, seed) = (scene.unused_name(&layer.name), scene.unused_seed());
                scene.layers.insert(at + k, Layer { name, seed, depth: layer.depth + depth, ..layer });
            }
            scene.clamp_depths();
        });
        self.select(Selection::Layer(at + selected));
    }

    pub(crate) fn insert(&mut self, label: &str, at: usize, layer: Layer) {
        self.renumber(|index| Some(if index >= at { index + 1 } else { index }));
        self.edit(label, None, |scene| scene.layers.insert(at, layer));
        self.select(Selection::Layer(at));
    }

    /// Renames a layer. An empty name is ignored.
    pub fn rename_layer(&mut self, index: usize, name: &str) {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        self.edit("Rename layer", None, |scene| {
            let Some(layer) = scene.layers.get_mut(index) else { return };
            let old = std::mem::replace(&mut layer.name, name.into());
            // if another layer still has the old name, references keep reading that layer
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

    /// Shows only this layer, or all layers again. Solo is not an undo step, because the scene does not change.
    pub fn toggle_solo(&mut self, index: usize) {
        self.solo = if self.solo == Some(index) { None } else { Some(index) };
        self.transport.pause();
        self.bump(false);
    }

    /// Sets parameter `param` of `group` to `value`. Changes of the same gesture become one undo step.
    pub fn set(&mut self, group: Group, param: usize, value: &Value, gesture: Option<Gesture>) {
        let Some(spec) = group.params(&self.scene).and_then(|params| params.about().params.get(param)) else { return };
        if group.layer().is_some_and(|index| self.is_locked(index)) {
            return;
        }
        let label = format!("Change {}", spec.label.to_lowercase());
        let offer = self.offer_before(group);
        self.edit(&label, gesture, |scene| {
            if let Some(params) = group.of_mut(scene) {
                // a value of the wrong type is ignored
                let _ = params.set(param, value);
            }
        });
        self.offer = offer;
    }

    /// Sets all parameters of a layer's node to those of `preset`.
    pub fn apply_preset(&mut self, index: usize, preset: &Preset) {
        if self.is_locked(index) {
            return;
        }
        let offer = self.offer_before(Group::Node(index));
        self.edit(&format!("Preset {}", preset.label), None, |scene| {
            if let Some(layer) = scene.layers.get_mut(index) {
                layer.node.adopt(preset);
            }
        });
        self.offer = offer;
    }

    /// Gives a layer the parameters, blending and mask of a stored layer that has the same node type.
    pub fn apply_own_preset(&mut self, index: usize, name: &str, kept: &Layer) {
        if self.is_locked(index) {
            return;
        }
        let offer = self.offer_before(Group::Node(index));
        self.edit(&format!("Preset {name}"), None, |scene| {
            if let Some(layer) = scene.layers.get_mut(index)
                && layer.node.about().name == kept.node.about().name
            {
                (layer.node, layer.mix, layer.mask) = (kept.node.clone(), kept.mix.clone(), kept.mask.clone());
            }
        });
        self.offer = offer;
    }

    /// Adds a stored layer above the selected layer and selects it. It keeps its seed.
    pub fn add_own_preset(&mut self, kept: &Layer) {
        let at = self.position_for_new();
        let mut layer = kept.clone();
        layer.name = self.scene().unused_name(&layer.name);
        (layer.branch, layer.locked, layer.depth) = (0, false, at.depth);
        self.insert(&format!("Add {}", kept.name), at.index, layer);
    }

    /// Updates all stored layer indices after the layers were renumbered. `number` maps an old index to the new index.
    pub(crate) fn renumber(&mut self, number: impl Fn(usize) -> Option<usize>) {
        if let Selection::Layer(index) = self.selection {
            self.selection = number(index).map_or(Selection::Scene, Selection::Layer);
        }
        self.others = self.others.iter().filter_map(|&index| number(index)).collect();
        self.solo = self.solo.and_then(&number);
        self.last_evaluated = self.last_evaluated.and_then(&number);
        let sides = std::mem::take(&mut self.sides);
        self.sides = sides.into_iter().filter_map(|(index, sides)| Some((number(index)?, sides))).collect();
        self.variant = self.variant.and_then(|variant| Some(Variant { layer: number(variant.layer)?, ..variant }));
        self.transport.renumber(number);
    }
}
