//! Brush strokes of layers and of their masks.

use std::sync::Arc;

use crate::frame::document::Document;
use talweg::brush::Strokes;
use talweg::eval::StrokeTarget;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg::scene::{Gesture, Scene};

/// The strokes of the layer or mask that `target` names; `None` if the target cannot have strokes.
pub fn strokes_of(scene: &Scene, target: StrokeTarget) -> Option<&Arc<Strokes>> {
    let layer = scene.layers.get(target.layer())?;
    match (target, &layer.node) {
        (StrokeTarget::Mask(_), _) => layer.mask.by_paint.then_some(&layer.mask.painted),
        (StrokeTarget::Layer(_), Node::Sculpt(node)) => Some(&node.strokes),
        (StrokeTarget::Layer(_), Node::PaintedMap(node)) => Some(&node.strokes),
        _ => None,
    }
}

fn strokes_mut(scene: &mut Scene, target: StrokeTarget) -> Option<&mut Arc<Strokes>> {
    let layer = scene.layers.get_mut(target.layer())?;
    match (target, &mut layer.node) {
        (StrokeTarget::Mask(_), _) => Some(&mut layer.mask.painted),
        (StrokeTarget::Layer(_), Node::Sculpt(node)) => Some(&mut node.strokes),
        (StrokeTarget::Layer(_), Node::PaintedMap(node)) => Some(&mut node.strokes),
        _ => None,
    }
}

impl Document {
    /// The strokes of the layer or mask that `target` names; `None` if the target cannot have strokes.
    pub fn strokes(&self, target: StrokeTarget) -> Option<&Arc<Strokes>> {
        strokes_of(self.scene(), target)
    }

    /// Changes the strokes of a layer or mask, and requests the terrain at full resolution.
    pub fn edit_strokes(
        &mut self,
        target: StrokeTarget,
        label: &str,
        gesture: Option<Gesture>,
        change: impl FnOnce(&mut Strokes),
    ) {
        if self.is_locked(target.layer()) {
            return;
        }
        // do not stop a playing process, so that mountains grow under the brush
        let was_playing = self.transport.playing;
        self.edit(label, gesture, |scene| {
            if let Some(strokes) = strokes_mut(scene, target) {
                change(Arc::make_mut(strokes));
            }
        });
        self.transport.playing = was_playing && self.transport.playhead.is_some();
        self.last_stroke_edit = Some((self.revision, target));
    }

    /// The data map that the terrain shows instead of the selected overlay; `None` if it shows the overlay.
    pub fn shown_map(&self) -> Option<MapKind> {
        self.shown_map
    }

    /// Shows a data map on the terrain; `None` shows the selected overlay.
    pub fn show_map(&mut self, map: Option<MapKind>) {
        self.shown_map = map;
    }

    /// The layer whose mask is shown on the terrain.
    pub fn shown_mask(&self) -> Option<usize> {
        self.shown_mask
    }

    /// Shows the mask of a layer on the terrain; `None` hides it.
    pub fn show_mask(&mut self, layer: Option<usize>) {
        if self.shown_mask != layer {
            self.shown_mask = layer;
            if layer.is_some() {
                self.request_again();
            }
        }
    }
}
