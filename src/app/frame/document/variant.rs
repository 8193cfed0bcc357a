//! Another state of the same scene for a comparison. In this state, one layer is hidden or shown, or another branch is
//! shown.
//!
//! A comparison is not an edit: it does not change the scene and cannot be undone. The user can apply a variant of the
//! contact sheet as an edit.

use std::sync::Arc;

use crate::frame::document::Document;
use talweg::eval::Playhead;
use talweg::scene::Scene;
use talweg::variants::SceneVariant;

/// The scene with one layer hidden, or shown if it is hidden now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    pub layer: usize,
    pub shown: bool,
}

impl Document {
    /// The variant that the terrain on screen is compared with. Every edit of the scene also applies to the variant.
    pub fn variant(&self) -> Option<Variant> {
        self.variant
    }

    /// Starts a comparison with the scene in which layer `index` is hidden, or shown if it is hidden now.
    pub fn compare_with_layer_toggled(&mut self, index: usize) {
        self.variant = self.scene.layers.get(index).map(|layer| Variant { layer: index, shown: !layer.enabled });
    }

    pub fn forget_variant(&mut self) {
        self.variant = None;
    }

    /// The name of the variant, with the name of the layer that is hidden or shown.
    pub fn variant_name(&self) -> Option<String> {
        let Variant { layer, shown } = self.variant?;
        let name = &self.scene.layers.get(layer)?.name;
        Some(format!("{} {name}", if shown { "with" } else { "without" }))
    }

    /// The scene of the variant, with a playhead at the iteration of the current playhead.
    pub fn variant_scene(&self) -> Option<(Arc<Scene>, Option<Playhead>)> {
        let Variant { layer, shown } = self.variant.filter(|variant| variant.layer < self.scene.layers.len())?;
        let (mut shared, playhead) = self.shown_scene();
        let scene = Arc::make_mut(&mut shared);
        if shown {
            // layers above the layer on solo must stay hidden
            if self.solo.is_none_or(|solo| layer <= solo) {
                scene.show_layer(layer);
            }
        } else {
            scene.layers[layer].enabled = false;
        }
        let playhead = playhead.filter(|playhead| scene.layers[playhead.layer].enabled);
        Some((shared, playhead))
    }

    /// Returns a variant of the scene with the same solo and end of the evaluation as the scene on screen.
    pub fn variant_as_shown(&self, variant: SceneVariant) -> SceneVariant {
        let (scene, _) = self.as_shown(Arc::new(variant.scene));
        SceneVariant { scene: Arc::unwrap_or_clone(scene), ..variant }
    }

    /// Replaces the scene by one of its variants, as an edit.
    pub fn apply_variant(&mut self, variant: &SceneVariant) {
        self.offer = None;
        self.edit("Apply variant", None, |scene| scene.clone_from(&variant.scene));
    }

    /// The scene with branch `index` shown and the other branches hidden, at the current iteration.
    pub fn branch_scene(&self, index: usize) -> Option<(Arc<Scene>, Option<Playhead>)> {
        let branches = self.branches();
        if !branches.contains(&index) {
            return None;
        }
        let (mut scene, playhead) = self.shown_scene();
        Arc::make_mut(&mut scene).show_layer(index);
        let playhead = playhead.map(|playhead| match branches.contains(&playhead.layer) {
            true => Playhead { layer: index, ..playhead },
            false => playhead,
        });
        Some((scene, playhead))
    }

    /// A short name of the state on screen: the layer on solo, the shown branches, or the scene. If a process is shown
    /// before its end, the name includes the iteration.
    pub fn state_name(&self) -> String {
        let layer = |index: usize| self.scene.layers.get(index).map(|layer| layer.name.clone());
        let solo = self.solo.and_then(layer).map(|name| format!("{name} alone"));
        let what = solo.unwrap_or_else(|| {
            let has_branches =
                |number: u32| number != 0 && self.scene.layers.iter().filter(|l| l.branch == number).count() > 1;
            let shown = self.scene.layers.iter().filter(|layer| layer.enabled && has_branches(layer.branch));
            let names: Vec<&str> = shown.map(|layer| layer.name.as_str()).collect();
            if names.is_empty() { self.name() } else { names.join(", ") }
        });
        match self.transport.playhead {
            Some(playhead) if self.shown_step().is_some() => format!("{what}, step {}", playhead.iteration),
            Some(playhead) => format!("{what}, iteration {}", playhead.iteration),
            None => what,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::document::{Group, Selection};
    use talweg::nodes::Node;
    use talweg::param::Value;

    fn stack() -> Document {
        let mut document = Document::default();
        for name in ["Perlin", "Terrace", "Thermal"] {
            document.add_layer(Node::named(name).unwrap());
        }
        document
    }

    fn enabled(scene: &Scene) -> Vec<bool> {
        scene.layers.iter().map(|layer| layer.enabled).collect()
    }

    #[test]
    fn a_variant_hides_its_layer_and_follows_it_through_the_stack() {
        let mut document = stack();
        let revision = document.revision();
        document.compare_with_layer_toggled(1);
        assert_eq!((document.revision(), document.undo_label()), (revision, Some("Add Thermal erosion")), "no edit");
        assert_eq!(enabled(&document.variant_scene().unwrap().0), [true, false, true]);
        assert_eq!(document.variant_name().unwrap(), format!("without {}", document.scene().layers[1].name));
        document.move_up(1);
        assert_eq!(enabled(&document.variant_scene().unwrap().0), [true, true, false]);
        document.delete_layers(&[0]);
        assert_eq!(document.variant(), Some(Variant { layer: 1, shown: false }));
        document.delete_layers(&[1]);
        assert_eq!((document.variant(), document.variant_scene()), (None, None));
    }

    #[test]
    fn a_hidden_layer_is_compared_with_itself_shown() {
        let mut document = stack();
        document.toggle_layer(1);
        document.compare_with_layer_toggled(1);
        assert_eq!(enabled(document.scene()), [true, false, true]);
        assert_eq!(enabled(&document.variant_scene().unwrap().0), [true, true, true]);
        assert!(document.variant_name().unwrap().starts_with("with "));
        document.toggle_solo(0);
        assert_eq!(enabled(&document.variant_scene().unwrap().0), [true, false, false], "above the layer on solo");
    }

    #[test]
    fn a_variant_without_a_process_has_no_playhead() {
        let mut document = stack();
        document.seek(3);
        document.compare_with_layer_toggled(2);
        assert_eq!(document.variant_scene().unwrap().1, None);
        document.compare_with_layer_toggled(1);
        assert_eq!(document.variant_scene().unwrap().1, Some(Playhead { layer: 2, iteration: 3 }));
        document.replace(Scene::default(), None);
        assert_eq!(document.variant(), None);
    }

    #[test]
    fn the_other_branch_is_shown_at_the_same_iteration() {
        let mut document = stack();
        document.seek(15);
        let angle = document.scene().layers[2].node.about().find("talus_angle").unwrap();
        document.set(Group::Node(2), angle, &Value::Float(20.0), None);
        document.branch_from_here();
        assert_eq!(document.state_name(), "Thermal erosion B, iteration 15");
        let (scene, playhead) = document.branch_scene(2).unwrap();
        assert_eq!(enabled(&scene), [true, true, true, false]);
        assert_eq!(playhead, Some(Playhead { layer: 2, iteration: 15 }));
        assert_eq!(document.branch_scene(0), None, "no branch");
        document.seek(u32::MAX);
        document.select(Selection::Scene);
        assert_eq!(document.state_name(), "Thermal erosion B", "independent of the selection");
        document.toggle_layer(3);
        assert_eq!(document.state_name(), document.name());
    }
}
