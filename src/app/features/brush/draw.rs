//! Drawing with the brush: the ring on the terrain, and the stroke that follows the pointer.
//!
//! A stroke is drawn on the terrain as it was when the stroke began. Redundant points of its path are removed.
//! Each stroke is one undo step. Shift smooths, and Ctrl inverts the effect of the tool.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{
    Color32, Event, Modifiers, Painter, PointerButton, Pos2, Rect, Shape, Stroke as Line, TouchPhase, Ui, pos2,
};

use super::state::{BentStroke, BrushState, DrawnStroke};
use crate::frame::document::Document;
use crate::frame::theme::colour;
use crate::view::{GroundPosition, TerrainView};
use talweg::brush::{BendablePath, Brush, BrushTool, Stroke, StrokePoint, moved, simplified};
use talweg::eval::StrokeTarget;
use talweg::scene::Gesture;

/// Text of the status line while painting.
pub(super) const HINT: &str = "Drag to paint · Shift: smooth · Ctrl: invert · [ ]: size · Alt-drag: orbit";

/// Text of the status line while a stroke is selected.
pub(super) const HANDLE_HINT: &str =
    "Drag a handle: bend the stroke · Shift-drag: move it · Esc: deselect · Drag elsewhere: paint";

/// Distance from a handle, in points, at which a press takes it.
const HANDLE_REACH: f32 = 12.0;
/// Distance from the last point after which a new point is added, as a fraction of the brush radius.
const STEP: f32 = 0.04;
/// Maximum deviation of the thinned path from the drawn path, as a fraction of the brush radius.
const TOLERANCE: f32 = 0.01;
/// Length of the part of a path that is thinned at a time, as a fraction of the brush radius.
const THINNED: f32 = 0.5;
/// Number of corners of the polygon that is drawn as the ring.
const CORNERS: usize = 72;

/// Shows the brush and draws with it. Returns whether the brush uses the left mouse button.
pub(super) fn show(ui: &mut Ui, document: &mut Document, state: &mut BrushState, free: Rect) -> bool {
    let Some(target) = state.target(document) else {
        (state.drawn, state.bent) = (None, None);
        return false;
    };
    let Some(stage) = state.terrain_view.clone() else { return false };
    let ctx = ui.ctx().clone();
    let painter = ui.painter().with_clip_rect(free);
    let pointer = ctx.pointer_latest_pos();
    let is_over = pointer.is_some_and(|at| {
        let layer = ctx.layer_id_at(at);
        free.contains(at) && layer.is_none_or(|layer| layer.order == egui::Order::Background)
    });
    let (modifiers, pressed, is_down) = ctx.input(|i| {
        let primary = PointerButton::Primary;
        (i.modifiers, i.pointer.button_pressed(primary), i.pointer.button_down(primary))
    });
    let handles = state.selected_stroke(document).map(|(on, index, stroke)| {
        path(&painter, &stage, &stroke);
        let bendable = BendablePath::new(&stroke.path, stroke.brush.radius);
        (on, index, shown_handles(&painter, &stage, &bendable, pointer.filter(|_| is_over)), bendable)
    });
    if pressed && is_over && !modifiers.alt && state.drawn.is_none() && state.bent.is_none() {
        match (handles, pointer) {
            (Some((on, index, Some(handle), path)), Some(at)) => {
                start_bending(state, &stage, at, (on, index), (path, handle, modifiers.shift));
            }
            _ => start_stroke(document, state, target, &stage, modifiers),
        }
    }
    if state.bent.is_some() {
        if let Some(at) = pointer {
            bend(document, state, at);
        }
        if !is_down {
            state.bent = None;
        }
        return true;
    }
    if state.drawn.is_some() {
        extend_stroke(&ctx, document, state);
        if !is_down {
            state.drawn = None;
        }
    }
    let brush = state.drawn.as_ref().map_or_else(|| state.brush(document, Some(target)), |drawn| drawn.brush.clone());
    if let Some(at) = pointer.filter(|_| is_over || state.drawn.is_some()) {
        ring(&painter, &stage, at, &brush);
    }
    true
}

fn start_stroke(
    document: &Document,
    state: &mut BrushState,
    target: StrokeTarget,
    stage: &TerrainView,
    modifiers: Modifiers,
) {
    let mut brush = state.brush(document, Some(target));
    if modifiers.shift {
        brush.tool = BrushTool::Smooth;
    } else if modifiers.command {
        match brush.tool {
            BrushTool::Raise => brush.tool = BrushTool::Lower,
            BrushTool::Lower => brush.tool = BrushTool::Raise,
            _ => brush.amount = -brush.amount,
        }
    }
    if brush.tool == BrushTool::Erode {
        brush.seed = rand::random_range(0..1_000_000);
    }
    state.count += 1;
    state.selected = None;
    let gesture = Gesture(egui::Id::new(("stroke", state.count)).value());
    state.drawn = Some(DrawnStroke {
        target,
        terrain_view: stage.clone(),
        brush,
        thinned: Vec::new(),
        points: Vec::new(),
        gesture,
    });
}

/// Draws the handles of a path and returns the handle under the pointer.
fn shown_handles(painter: &Painter, stage: &TerrainView, path: &BendablePath, pointer: Option<Pos2>) -> Option<usize> {
    let at = path.handles.iter().map(|&k| screen(stage, path.points[k])).collect::<Vec<_>>();
    let away = |handle: &(usize, Pos2)| pointer.map_or(f32::MAX, |pointer| handle.1.distance(pointer));
    let shown = at.iter().enumerate().filter_map(|(k, at)| Some((k, (*at)?)));
    let near = shown.clone().min_by(|a, b| away(a).total_cmp(&away(b))).filter(|handle| away(handle) <= HANDLE_REACH);
    let near = near.map(|(k, _)| k);
    for (k, at) in shown {
        let (radius, fill) = if near == Some(k) { (6.0, colour::accent()) } else { (4.0, Color32::WHITE) };
        painter.circle(at, radius, fill, Line::new(1.5, Color32::from_black_alpha(200)));
    }
    near
}

/// Takes a handle of a stroke. With `is_whole`, the whole stroke moves with the handle.
fn start_bending(
    state: &mut BrushState,
    stage: &TerrainView,
    at: Pos2,
    (target, index): (StrokeTarget, usize),
    (path, handle, is_whole): (BendablePath, usize, bool),
) {
    let Some(start) = stage.ground([at.x, at.y]) else { return };
    state.count += 1;
    let gesture = Gesture(egui::Id::new(("bent stroke", state.count)).value());
    let terrain_view = stage.clone();
    state.bent = Some(BentStroke { target, index, path, handle, is_whole, terrain_view, start, gesture });
}

/// Moves the dragged handle, or the whole stroke, with the pointer.
fn bend(document: &mut Document, state: &BrushState, at: Pos2) {
    let Some(bent) = &state.bent else { return };
    let Some(place) = bent.terrain_view.ground([at.x, at.y]) else { return };
    if place == bent.start {
        return;
    }
    let side = f64::from(document.scene().settings.size_metres);
    let by = [0, 1].map(|k| ((place[k] - bent.start[k]) * side) as f32);
    let path = if bent.is_whole { moved(&bent.path.points, by) } else { bent.path.bent(bent.handle, by) };
    state.set_path(document, (bent.target, bent.index), bent.label(), Some(bent.gesture), path);
}

/// Adds the pointer positions of this frame to the stroke.
fn extend_stroke(ctx: &egui::Context, document: &mut Document, state: &mut BrushState) {
    let Some(drawn) = &mut state.drawn else { return };
    let side = f64::from(document.scene().settings.size_metres);
    let (passed, latest, force) = ctx.input(|i| {
        let passed: Vec<Pos2> = i
            .events
            .iter()
            .filter_map(|event| if let Event::PointerMoved(at) = event { Some(*at) } else { None })
            .collect();
        let touch = |event: &Event| match event {
            Event::Touch { phase: TouchPhase::Start | TouchPhase::Move, force, .. } => *force,
            _ => None,
        };
        (passed, i.pointer.latest_pos(), i.events.iter().rev().find_map(touch))
    });
    // a mouse reports no pressure, so use full pressure
    let pressure = force.unwrap_or(1.0).clamp(0.0, 1.0);
    let is_first = drawn.points.is_empty();
    let before = drawn.points.len();
    for at in passed.into_iter().chain(latest) {
        let Some(place) = drawn.terrain_view.ground([at.x, at.y]) else { continue };
        let [x, y] = place.map(|share| (share * side) as f32);
        let point = StrokePoint { x, y, pressure }.rounded(drawn.brush.radius);
        if drawn.points.is_empty() {
            let level = level_at(drawn.target, &drawn.terrain_view, place, &drawn.brush);
            (drawn.brush.level, drawn.brush.end_level) = (level, level);
        }
        let step = STEP * drawn.brush.radius;
        match drawn.points.last_mut() {
            Some(last) if drawn.brush.tool == BrushTool::Stamp => *last = point,
            Some(last) if (point.x - last.x).hypot(point.y - last.y) < step => continue,
            _ => drawn.points.push(point),
        }
        if drawn.brush.tool == BrushTool::Slope {
            drawn.brush.end_level = level_at(drawn.target, &drawn.terrain_view, place, &drawn.brush);
        }
    }
    let has_moved = drawn.points.len() != before || drawn.brush.tool == BrushTool::Stamp;
    if drawn.points.is_empty() || !has_moved {
        return;
    }
    let radius = drawn.brush.radius;
    let mut end = simplified(&drawn.points, radius, TOLERANCE * radius);
    let path = [drawn.thinned.as_slice(), &end].concat();
    // keep the older part of the path unchanged, so that only the end of a stroke is thinned again
    let gone = drawn.points.windows(2).map(|pair| (pair[1].x - pair[0].x).hypot(pair[1].y - pair[0].y)).sum::<f32>();
    if gone > THINNED * radius
        && let Some(last) = end.pop()
    {
        drawn.thinned.append(&mut end);
        drawn.points = vec![last];
    }
    let stroke = Arc::new(Stroke::new(drawn.brush.clone(), path));
    let label = format!("{} with the brush", drawn.brush.tool.label());
    document.edit_strokes(drawn.target, &label, Some(drawn.gesture), |strokes| {
        if !is_first {
            strokes.list_mut().pop();
        }
        strokes.list_mut().push(stroke);
    });
}

/// The target level of the Flatten tool: the height of the terrain, or 1 for masks.
fn level_at(target: StrokeTarget, stage: &TerrainView, place: GroundPosition, brush: &Brush) -> f32 {
    match target {
        StrokeTarget::Mask(_) => brush.level,
        StrokeTarget::Layer(_) => stage.height_metres(place),
    }
}

/// Draws the brush as a circle on the terrain, with an inner circle where the brush has its full effect.
fn ring(painter: &Painter, stage: &TerrainView, at: Pos2, brush: &Brush) {
    let Some(centre) = stage.ground([at.x, at.y]) else { return };
    let side = f64::from(stage.square.scale.metres_per_world) * f64::from(crate::view::SIDE_WORLD);
    let circle = |metres: f64| -> Vec<Pos2> {
        let share = metres / side;
        (0..=CORNERS)
            .filter_map(|k| {
                let angle = k as f64 / CORNERS as f64 * std::f64::consts::TAU;
                let place = [centre[0] + share * angle.cos(), centre[1] + share * angle.sin()];
                stage.screen(place.map(|v| v.clamp(0.0, 1.0)), 0.0).map(|[x, y]| pos2(x, y))
            })
            .collect()
    };
    let radius = f64::from(brush.radius);
    let mut shapes = Vec::new();
    let outer = circle(radius);
    shapes.push(Shape::line(outer.clone(), Line::new(3.0, Color32::from_black_alpha(130))));
    shapes.push(Shape::line(outer, Line::new(1.5, Color32::WHITE)));
    if brush.hardness > 0.02 && brush.hardness < 0.98 {
        let inner = circle(radius * f64::from(brush.hardness));
        shapes.push(Shape::line(inner, Line::new(1.0, Color32::WHITE.gamma_multiply(0.5))));
    }
    painter.extend(shapes);
}

/// Position on the screen of a point of a stroke; `None` if the point is behind the camera.
fn screen(stage: &TerrainView, point: StrokePoint) -> Option<Pos2> {
    let side = stage.square.scale.metres_per_world * crate::view::SIDE_WORLD;
    let place = [point.x, point.y].map(|metres| f64::from(metres / side).clamp(0.0, 1.0));
    stage.screen(place, 0.0).map(|[x, y]| pos2(x, y))
}

/// Draws the path of a stroke on the terrain.
fn path(painter: &Painter, stage: &TerrainView, stroke: &Stroke) {
    let points: Vec<Pos2> = stroke.path.iter().filter_map(|point| screen(stage, *point)).collect();
    if let [only] = points.as_slice() {
        painter.circle_filled(*only, 4.0, colour::accent());
    }
    painter.add(Shape::line(points.clone(), Line::new(4.0, Color32::from_black_alpha(130))));
    painter.add(Shape::line(points, Line::new(2.0, colour::accent())));
}

#[cfg(test)]
mod tests {
    use bevy::math::{Vec2, Vec3};
    use egui::{RawInput, vec2};
    use talweg::field::{Control, Edges, Terrain};
    use talweg::nodes::Node;

    use super::*;
    use crate::view::{OverlayChoice, Pose, RenderTerrain, SquareTerrain, ViewCommand, ViewProjection, ViewState};

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    /// A view of level ground.
    fn level_view(document: &Document) -> TerrainView {
        let terrain = Arc::new(Terrain::from_fn(65, Edges::Open, |_, _| 0.0));
        let settings = &document.scene().settings;
        let square = SquareTerrain::new(&terrain, settings, &OverlayChoice::default(), &Control::default()).unwrap();
        let square = Arc::new(square);
        let view = ViewState { terrain: Some(RenderTerrain::Square(square.clone())), ..ViewState::default() };
        let lens = view.lens(SIZE);
        let from = Pose { eye_world: Vec3::new(0.0, 1000.0, 2000.0), yaw: 0.0, pitch: -0.5 };
        let bounds = square.scale.bounds_world();
        let pose = ViewCommand::Perspective.pose(&from, bounds, &lens, ViewProjection::Perspective);
        TerrainView { pose, lens, origin: Vec2::ZERO, square, tree_surface: None }
    }

    /// Draws a frame with these events over the view.
    fn frame(ctx: &egui::Context, document: &mut Document, state: &mut BrushState, events: Vec<Event>) {
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(SIZE.x, SIZE.y));
        let input = RawInput { screen_rect: Some(rect), events, ..RawInput::default() };
        let _ = ctx.run_ui(input, |ui| {
            show(ui, document, state, rect);
        });
    }

    /// Drags from one point of the view to another.
    fn drag(document: &mut Document, state: &mut BrushState, [from, to]: [Pos2; 2]) {
        let (ctx, modifiers) = (egui::Context::default(), Modifiers::NONE);
        let press = |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers };
        for events in [
            vec![Event::PointerMoved(from)],
            vec![press(from, true)],
            vec![Event::PointerMoved(to)],
            vec![press(to, false)],
        ] {
            frame(&ctx, document, state, events);
        }
    }

    #[test]
    fn a_dragged_handle_bends_its_stroke() {
        let mut document = Document::default();
        document.add_layer(Node::named("Sculpt").unwrap());
        let target = StrokeTarget::Layer(document.selected_layer().unwrap());
        let side = document.scene().settings.size_metres;
        let line = [0.3, 0.5, 0.7].map(|x| StrokePoint::new(x * side, 0.5 * side)).to_vec();
        let brush = Brush { radius: 0.04 * side, ..Brush::default() };
        let stroke = Arc::new(Stroke::new(brush, vec![line[0], line[2]]));
        document.edit_strokes(target, "Draw stroke", None, |strokes| strokes.list_mut().push(stroke));
        let mut state = BrushState::default();
        state.follow(&mut document);
        state.paint(&mut document, target);
        state.select_stroke(&mut document, target, 0);
        let stage = level_view(&document);
        state.terrain_view = Some(stage.clone());
        let path = |document: &Document| document.strokes(target).unwrap().list()[0].path.clone();
        // the handle in the middle of the straight line
        let grip = BendablePath::new(&path(&document), 0.04 * side);
        let middle = grip.points[grip.handles[grip.handles.len() / 2]];
        let from = screen(&stage, middle).unwrap();
        drag(&mut document, &mut state, [from, from + vec2(0.0, 60.0)]);
        let bent = path(&document);
        let [_, south] = stage.ground([from.x, from.y + 60.0]).unwrap().map(|share| share as f32 * side);
        let lowest = bent.iter().map(|point| point.y).fold(0.0, f32::max);
        assert!((lowest - south).abs() < 0.01 * side && south > 0.55 * side, "{lowest} {south}");
        assert_eq!((bent[0], bent[bent.len() - 1]), (line[0], line[2]), "the ends stay");
        assert_eq!(document.undo_label(), Some("Bend stroke"));
        assert_eq!(document.strokes(target).unwrap().list().len(), 1, "nothing was painted");
        document.undo();
        assert_eq!(path(&document), [line[0], line[2]], "the drag is one step");
    }
}
