//! State of the brush: its settings, its target, and the unfinished stroke.

use std::sync::Arc;

use bevy::prelude::Resource;

use crate::frame::document::Document;
use crate::view::{GroundPosition, TerrainView};
use talweg::brush::{BendablePath, Brush, BrushTool, MirrorAxis, Stroke, StrokePoint, mirrored, offset};
use talweg::eval::StrokeTarget;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg::nodes::maps::painted::PaintedKind;
use talweg::scene::{Gesture, Mask};

/// Default brush radius, as a fraction of the side length.
const FIRST_RADIUS: f32 = 0.05;
/// Default brush radius for uplift, as a fraction of the side length. It is large because mountain ranges are wide.
const FIRST_RADIUS_OF_UPLIFT: f32 = 0.12;
/// Default amount of a stroke, as a fraction of the relief.
const FIRST_AMOUNT: f32 = 0.1;

/// A stroke that is still being drawn, because the mouse button is down.
pub(super) struct DrawnStroke {
    /// The layer or mask that is painted.
    pub target: StrokeTarget,
    /// The view and its terrain at the start of the stroke. It is used during the whole stroke, so that terrain that
    /// the stroke raises does not move the point under the pointer.
    pub terrain_view: TerrainView,
    pub brush: Brush,
    /// The part of the path that is already thinned and no longer changes. It ends at the first of `points`.
    pub thinned: Vec<StrokePoint>,
    /// All pointer positions after the thinned part of the path.
    pub points: Vec<StrokePoint>,
    pub gesture: Gesture,
}

/// A stroke whose path follows the pointer, because one of its handles is being dragged.
pub(super) struct BentStroke {
    pub target: StrokeTarget,
    pub index: usize,
    /// The path at the start of the drag.
    pub path: BendablePath,
    /// Index of the dragged handle.
    pub handle: usize,
    /// Whether the whole stroke moves with the handle.
    pub is_whole: bool,
    /// The view at the start of the drag, as for a drawn stroke.
    pub terrain_view: TerrainView,
    /// Position on the terrain at the start of the drag.
    pub start: GroundPosition,
    pub gesture: Gesture,
}

impl BentStroke {
    /// Name of the edit in the list of edits.
    pub fn label(&self) -> &'static str {
        if self.is_whole { "Move stroke" } else { "Bend stroke" }
    }
}

/// A change of the whole path of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrokeEdit {
    /// Adds a copy that is applied after the stroke.
    Duplicate,
    Mirror(MirrorAxis),
    /// Moves the path sideways by the radius of the brush, to its right side or to its left side.
    Offset {
        is_right: bool,
    },
}

impl StrokeEdit {
    pub const ALL: [Self; 5] = [
        Self::Duplicate,
        Self::Mirror(MirrorAxis::WestEast),
        Self::Mirror(MirrorAxis::NorthSouth),
        Self::Offset { is_right: false },
        Self::Offset { is_right: true },
    ];
}

/// State of the brush: settings, target, selected stroke, and the unfinished stroke.
#[derive(Resource, Default)]
pub struct BrushState {
    /// The terrain in the view; `None` if there is no terrain.
    pub(super) terrain_view: Option<TerrainView>,
    /// The layer or mask being painted; `None` while painting is off.
    on: Option<StrokeTarget>,
    /// Brush settings: `ground` for terrain, and `paint` for masks and maps.
    ground: Option<Brush>,
    paint: Option<Brush>,
    pub(super) drawn: Option<DrawnStroke>,
    pub(super) bent: Option<BentStroke>,
    /// Number of strokes so far. A new number starts a new undo step.
    pub(super) count: u64,
    /// The selected stroke. Its brush is edited instead of the brush of new strokes.
    pub(super) selected: Option<(StrokeTarget, usize)>,
    /// The selected layer and its mask in the last frame.
    seen: Option<(usize, usize, Mask)>,
}

impl BrushState {
    /// The target that the user can paint: the selected layer if it stores strokes, or its mask if the mask stores
    /// strokes.
    pub fn paintable(&self, document: &Document) -> Option<StrokeTarget> {
        let index = document.selected_layer().filter(|&index| !document.is_locked(index))?;
        [StrokeTarget::Layer(index), StrokeTarget::Mask(index)].into_iter().find(|&on| document.strokes(on).is_some())
    }

    /// The layer or mask being painted; `None` while painting is off.
    pub fn target(&self, document: &Document) -> Option<StrokeTarget> {
        let is_square = !document.scene().is_planet();
        let is_at_hand = |on: StrokeTarget| {
            document.selected_layer() == Some(on.layer()) && !document.is_locked(on.layer()) && is_square
        };
        self.on.filter(|&on| is_at_hand(on) && document.strokes(on).is_some())
    }

    /// Starts painting on `target`, or stops painting if it is already the target.
    pub fn paint(&mut self, document: &mut Document, target: StrokeTarget) {
        self.selected = None;
        self.on = Some(target);
        self.show_mask(document);
    }

    /// Stops painting.
    pub fn stop_painting(&mut self) {
        (self.on, self.selected) = (None, None);
    }

    pub(super) fn toggle(&mut self, document: &mut Document) {
        match (self.target(document), self.paintable(document)) {
            (None, Some(target)) => self.paint(document, target),
            _ => self.stop_painting(),
        }
    }

    /// Makes the view show the mask that is being painted.
    fn show_mask(&self, document: &mut Document) {
        if let Some(StrokeTarget::Mask(layer)) = self.target(document) {
            document.show_mask(Some(layer));
        }
    }

    /// The data map that is being painted.
    fn painted_map(&self, document: &Document) -> Option<MapKind> {
        painted_kind(document, self.target(document)).map(PaintedKind::map)
    }

    /// Updates the state after a frame. Starts painting if a stroke layer was added, and shows a mask that is being
    /// edited.
    pub(super) fn follow(&mut self, document: &mut Document) {
        let now = document.selected_layer().map(|index| {
            let layers = &document.scene().layers;
            (index, layers.len(), layers[index].mask.clone())
        });
        match (&self.seen, &now) {
            (Some((before, layers, mask)), Some((index, count, new))) if before == index && layers == count => {
                if mask != new {
                    document.show_mask(new.is_active().then_some(*index));
                }
            }
            (before, Some((index, count, _))) => {
                let is_new = before.as_ref().is_none_or(|(_, layers, _)| layers < count);
                document.show_mask(None);
                self.stop_painting();
                let is_empty = document.strokes(StrokeTarget::Layer(*index)).is_some_and(|s| s.list().is_empty());
                if is_new && is_empty {
                    self.paint(document, StrokeTarget::Layer(*index));
                }
            }
            (Some(_), None) => {
                document.show_mask(None);
                self.stop_painting();
            }
            (None, None) => {}
        }
        self.seen = now;
        // during playback, show the growing terrain instead of the mask
        let is_playing = document.transport().is_playing();
        document.show_map(self.painted_map(document).filter(|_| !is_playing));
    }

    fn is_ground(document: &Document, target: Option<StrokeTarget>) -> bool {
        let Some(StrokeTarget::Layer(index)) = target else { return target.is_none() };
        matches!(document.scene().layers.get(index).map(|layer| &layer.node), Some(Node::Sculpt(_)))
    }

    /// The brush of new strokes on a target.
    pub fn brush(&self, document: &Document, target: Option<StrokeTarget>) -> Brush {
        let kept = if Self::is_ground(document, target) { &self.ground } else { &self.paint };
        kept.clone().unwrap_or_else(|| {
            let settings = &document.scene().settings;
            let is_uplift = painted_kind(document, target) == Some(PaintedKind::Uplift);
            let radius = settings.size_metres * if is_uplift { FIRST_RADIUS_OF_UPLIFT } else { FIRST_RADIUS };
            let amount = if Self::is_ground(document, target) { settings.relief_metres * FIRST_AMOUNT } else { 1.0 };
            Brush { radius, amount, detail: radius * 0.25, ..Brush::default() }
        })
    }

    /// Mutable access to the brush with which new strokes are drawn.
    pub(super) fn brush_mut(&mut self, document: &Document) -> &mut Brush {
        let target = self.target(document).or_else(|| self.paintable(document));
        let brush = self.brush(document, target);
        let kept = if Self::is_ground(document, target) { &mut self.ground } else { &mut self.paint };
        kept.get_or_insert(brush)
    }

    /// Changes the brush of the selected stroke, or of new strokes if none is selected.
    pub(super) fn change_brush(
        &mut self,
        document: &mut Document,
        gesture: Option<Gesture>,
        change: impl FnOnce(&mut Brush),
    ) {
        match self.selected_stroke(document) {
            Some((target, index, stroke)) => {
                let mut brush = stroke.brush.clone();
                change(&mut brush);
                document.edit_strokes(target, "Change stroke", gesture, |strokes| {
                    strokes.list_mut()[index] = Arc::new(stroke.with_brush(brush));
                });
            }
            None => change(self.brush_mut(document)),
        }
    }

    /// The selected stroke, with its target and its index.
    pub(super) fn selected_stroke(&self, document: &Document) -> Option<(StrokeTarget, usize, Arc<Stroke>)> {
        let (target, index) = self.selected.filter(|(on, _)| document.selected_layer() == Some(on.layer()))?;
        let stroke = document.strokes(target)?.list().get(index)?.clone();
        Some((target, index, stroke))
    }

    /// Selects a stroke of the selected layer, so that its brush can be edited.
    pub fn select_stroke(&mut self, document: &mut Document, target: StrokeTarget, index: usize) {
        self.follow(document);
        self.selected = Some((target, index));
    }

    /// Changes the path of the selected stroke. A copy is selected in its place.
    pub(super) fn edit_selected(&mut self, document: &mut Document, edit: StrokeEdit) {
        let Some((target, index, stroke)) = self.selected_stroke(document) else { return };
        let side = document.scene().settings.size_metres;
        let (label, path) = match edit {
            StrokeEdit::Duplicate => {
                let copy = stroke.clone();
                document.edit_strokes(target, "Duplicate stroke", None, |strokes| {
                    strokes.list_mut().insert(index + 1, copy);
                });
                self.selected = Some((target, index + 1));
                return;
            }
            StrokeEdit::Mirror(axis) => ("Mirror stroke", mirrored(&stroke.path, axis, side)),
            StrokeEdit::Offset { is_right } => {
                let metres = if is_right { stroke.brush.radius } else { -stroke.brush.radius };
                ("Offset stroke", offset(&stroke.path, metres))
            }
        };
        self.set_path(document, (target, index), label, None, path);
    }

    /// Gives the stroke `place` another path.
    pub(super) fn set_path(
        &self,
        document: &mut Document,
        (target, index): (StrokeTarget, usize),
        label: &str,
        gesture: Option<Gesture>,
        path: Vec<StrokePoint>,
    ) {
        document.edit_strokes(target, label, gesture, |strokes| {
            if let Some(stroke) = strokes.list_mut().get_mut(index) {
                let path = path.into_iter().map(|point| point.rounded(stroke.brush.radius)).collect();
                *stroke = Arc::new(stroke.with_path(path));
            }
        });
    }

    pub(super) fn delete_selected(&mut self, document: &mut Document) {
        if let Some((target, index, _)) = self.selected_stroke(document) {
            document.edit_strokes(target, "Delete stroke", None, |strokes| drop(strokes.list_mut().remove(index)));
            self.selected = None;
        }
    }

    pub(super) fn resize(&mut self, document: &mut Document, factor: f32) {
        self.change_brush(document, None, |brush| brush.radius = tidy(brush.radius * factor).clamp(0.01, 1.0e6));
    }

    /// Does the first of these that applies: cancels the unfinished stroke, clears the selection, stops painting.
    /// Returns whether one of them applied.
    pub(super) fn cancel_one(&mut self, document: &mut Document) -> bool {
        if let Some(bent) = self.bent.take() {
            let place = (bent.target, bent.index);
            self.set_path(document, place, bent.label(), Some(bent.gesture), bent.path.points);
            return true;
        }
        if let Some(drawn) = self.drawn.take() {
            document.edit_strokes(drawn.target, "Draw stroke", Some(drawn.gesture), |strokes| {
                strokes.list_mut().pop();
            });
            return true;
        }
        let had = self.target(document).is_some() || self.selected.is_some();
        if self.selected.take().is_none() {
            self.stop_painting();
        }
        had
    }
}

/// The kind of map that strokes on `target` paint; `None` if they do not paint a map.
fn painted_kind(document: &Document, target: Option<StrokeTarget>) -> Option<PaintedKind> {
    let Some(StrokeTarget::Layer(index)) = target else { return None };
    match &document.scene().layers.get(index)?.node {
        Node::PaintedMap(painted) => Some(painted.kind),
        _ => None,
    }
}

/// The tools available for a target.
pub(super) fn tools(document: &Document, target: StrokeTarget) -> Vec<BrushTool> {
    let is_ground = BrushState::is_ground(document, Some(target));
    BrushTool::ALL.iter().copied().filter(|&tool| is_ground || tool != BrushTool::Erode).collect()
}

/// Rounds a number to two significant digits.
fn tidy(value: f32) -> f32 {
    let step = 10.0f32.powf(value.log10().floor() - 1.0);
    (value / step).round() * step
}
