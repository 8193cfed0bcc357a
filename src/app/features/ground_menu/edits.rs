//! The edits that the context menu of the terrain makes. Each edit is one undo step.

use std::sync::Arc;

use super::point::PickedPoint;
use crate::frame::document::Document;
use talweg::brush::{Brush, BrushTool, Stroke, StrokePoint, Strokes};
use talweg::eval::StrokeTarget;
use talweg::nodes::Node;
use talweg::nodes::sculpt::ground::Sculpt;
use talweg::scene::{Layer, Mask};

/// Half of the height range of the mask that *Mask by this height* sets, as a fraction of the relief.
const HEIGHT_BAND: f32 = 0.05;
/// Half of the slope range of a mask by slope, in degrees.
const SLOPE_BAND: f32 = 6.0;
/// Radius of the brush stroke that *Flatten here* adds, as a fraction of the side length.
const FLAT_RADIUS: f32 = 0.04;

/// Restricts the mask to heights near the height of a point.
pub(super) fn mask_height(mask: &mut Mask, point: &PickedPoint, relief_metres: f32) {
    let band = tidy(relief_metres * HEIGHT_BAND);
    mask.by_height = true;
    mask.height_from = tidy(point.height_metres) - band;
    mask.height_to = tidy(point.height_metres) + band;
    mask.height_feather = band;
}

/// Restricts the mask to slopes near the slope of a point.
pub(super) fn mask_slope(mask: &mut Mask, point: &PickedPoint) {
    let slope = point.slope_degrees.round();
    mask.by_slope = true;
    mask.slope_from = (slope - SLOPE_BAND).max(0.0);
    mask.slope_to = (slope + SLOPE_BAND).min(90.0);
    mask.slope_feather = SLOPE_BAND;
}

/// Flattens the terrain around a point. The selected layer gets the stroke if it has terrain strokes; otherwise a new
/// layer on top gets it. Returns the index of the layer and of the stroke.
pub(super) fn flatten(document: &mut Document, point: &PickedPoint) -> (usize, usize) {
    const LABEL: &str = "Flatten here";
    let settings = &document.scene().settings;
    let level = (point.height_metres * 10.0).round() / 10.0;
    let brush = Brush {
        tool: BrushTool::Flatten,
        radius: tidy(settings.size_metres * FLAT_RADIUS),
        hardness: 0.5,
        strength: 1.0,
        level,
        end_level: level,
        ..Brush::default()
    };
    let [x, y] = point.metres;
    let stroke = Stroke::new(brush, vec![StrokePoint::new(x, y)]);
    let selected = document.selected_layer();
    let is_sculpted =
        |index: &usize| !document.is_locked(*index) && matches!(document.scene().layers[*index].node, Node::Sculpt(_));
    if let Some(index) = selected.filter(is_sculpted) {
        let target = StrokeTarget::Layer(index);
        document.edit_strokes(target, LABEL, None, |strokes| strokes.list_mut().push(Arc::new(stroke)));
        return (index, document.strokes(target).map_or(0, |strokes| strokes.list().len() - 1));
    }
    let scene = document.scene();
    let sculpt = Sculpt { strokes: Arc::new([stroke].into_iter().collect::<Strokes>()) };
    let mut layer = Layer::new(Node::Sculpt(sculpt), scene.unused_seed());
    layer.name = scene.unused_name(&layer.name);
    let top = scene.layers.len();
    document.insert(LABEL, top, layer);
    (top, 0)
}

/// Rounds to three significant digits; large values get no decimals.
fn tidy(value: f32) -> f32 {
    let step = 10.0f32.powf((value.abs().max(1e-3).log10().floor() - 2.0).min(0.0));
    (value / step).round() * step
}
