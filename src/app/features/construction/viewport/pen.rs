//! Drawing with the pointer: a line that the user draws over the terrain replaces the line of the selected piece.
//!
//! The pen stays active until the user presses Escape or the pen's key, or selects another piece. A line is drawn on
//! the terrain as it was when the line began. When the user releases the button, a curve with few points is fitted to
//! the line. The farther away the camera is, the fewer points the curve has.

use crate::features::construction::viewport::*;
use egui::Event;
use talweg::construction::edit::freehand::{DrawnLine, line_form, redraw};

/// Maximum deviation of the fitted line from the drawn line, in screen points.
const TOLERANCE: f64 = 3.0;
/// Minimum distance between two recorded positions, in screen points.
const STEP: f32 = 2.0;
/// Maximum movement of the pointer during a click, in screen points. A longer movement draws a line.
const CLICK: f32 = 8.0;

pub(crate) struct Pen {
    path: PiecePath,
    stroke: Option<PenStroke>,
}

/// The line that the user is drawing.
struct PenStroke {
    /// The view and its terrain at the start of the line.
    terrain_view: TerrainView,
    last: Pos2,
    from: Pos2,
    /// Greatest distance of the pointer from the start of the line, in screen points.
    farthest: f32,
    places: Vec<GroundPosition>,
}

impl PenStroke {
    fn go_to(&mut self, at: Pos2) {
        if !self.places.is_empty() && at.distance(self.last) < STEP {
            return;
        }
        // add no points where there is no terrain, so that the line crosses such gaps in a straight segment
        if let Some(place) = self.terrain_view.ground([at.x, at.y]) {
            self.places.push(place);
            self.last = at;
            self.farthest = self.farthest.max(at.distance(self.from));
        }
    }
}

/// Starts or stops drawing the line of the selected piece.
pub fn toggle_pen(document: &Document, state: &mut TreeState) {
    if state.view.pen.take().is_some() {
        return;
    }
    let (Some((layer, tree)), Some(path)) = (document.tree(), state.selected().cloned()) else { return };
    let Some(piece) = path.piece(tree) else { return };
    let refusal = match document.first_locked(&[layer]) {
        Some(name) => Some(format!("Layer “{name}” is locked; unlock it first.")),
        None if path.is_locked(tree) => Some("The feature is locked; unlock it to redraw its line.".into()),
        None if line_form(piece).is_none() => {
            Some("The feature has no line. Only curves, ribbons, contours and copies along a curve have one.".into())
        }
        None => None,
    };
    match refusal {
        Some(refusal) => state.notice = Some(refusal),
        None => state.view.pen = Some(Pen { path, stroke: None }),
    }
}

/// Draws with the pen; returns whether it is active.
pub(crate) fn follow(
    ctx: &egui::Context,
    document: &mut Document,
    state: &mut TreeState,
    stage: &TerrainView,
    over_view: bool,
) -> bool {
    let selected = state.selected().cloned();
    let Some(pen) = &mut state.view.pen else { return false };
    let Some((_, tree)) = document.tree() else { return false };
    let piece = pen.path.piece(tree).filter(|piece| line_form(piece).is_some() && selected.as_ref() == Some(&pen.path));
    let Some(piece) = piece.filter(|_| !pen.path.is_locked(tree)) else {
        state.view.pen = None;
        return false;
    };
    let title = title_of(tree, &pen.path, piece);
    let (pressed, is_down, alt, latest, passed) = ctx.input(|i| {
        let passed = |event: &Event| if let Event::PointerMoved(at) = event { Some(*at) } else { None };
        let passed: Vec<Pos2> = i.events.iter().filter_map(passed).collect();
        let pointer = &i.pointer;
        (pointer.primary_pressed(), pointer.primary_down(), i.modifiers.alt, pointer.latest_pos(), passed)
    });
    if pen.stroke.is_none()
        && pressed
        && over_view
        && !alt
        && let Some(at) = latest
    {
        let stroke = PenStroke { terrain_view: stage.clone(), last: at, from: at, farthest: 0.0, places: Vec::new() };
        pen.stroke = Some(stroke);
        state.hint = None;
    }
    if let Some(stroke) = &mut pen.stroke {
        if !pressed {
            passed.into_iter().for_each(|at| stroke.go_to(at));
        }
        latest.into_iter().for_each(|at| stroke.go_to(at));
    }
    state.hint = Some(match &pen.stroke {
        Some(_) => format!("Release to apply the line to {title}, Esc to cancel"),
        None => format!("Press and drag to draw the line of {title}; Alt-drag orbits, Esc stops drawing"),
    });
    if over_view {
        ctx.set_cursor_icon(CursorIcon::Crosshair);
    }
    if !is_down && let Some(stroke) = pen.stroke.take() {
        let path = pen.path.clone();
        finish(document, state, &path, &stroke);
    }
    true
}

/// Replaces the line of the piece by the drawn line.
fn finish(document: &mut Document, state: &mut TreeState, path: &PiecePath, stroke: &PenStroke) {
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return };
    if stroke.farthest < CLICK || stroke.places.len() < 2 {
        return;
    }
    let metres = metres(&tree);
    let share: f64 = stroke.places.iter().map(|place| stroke.terrain_view.side_fraction_per_point(*place)).sum();
    let tolerance = TOLERANCE * share / stroke.places.len() as f64 * f64::from(tree.frame.side);
    let line = DrawnLine { places: stroke.places.iter().map(|place| metres.metres(*place)).collect(), tolerance };
    let seed = document.tree_seed(layer);
    let below = state.follows.then(|| GroundBelow::new(&tree, path, seed, state.program()));
    let mut new = (*tree).clone();
    match redraw(&mut new, path, &line, seed, below.as_ref()) {
        Ok(_) => {
            document.edit_tree(layer, "Draw line", None, new);
            state.point = None;
        }
        Err(why) => state.notice = Some(format!("The line was not changed: {why}.")),
    }
}

/// Draws the unfinished line on the screen.
pub(crate) fn draw(painter: &egui::Painter, state: &TreeState, stage: &TerrainView) {
    let Some(stroke_of) = state.view.pen.as_ref().and_then(|pen| pen.stroke.as_ref()) else { return };
    let line: Polyline =
        stroke_of.places.iter().filter_map(|place| screen(stage, *place)).map(|at| (at, true)).collect();
    if line.len() > 1 {
        stroke(painter, &line, 2.4, colour::text_strong());
    }
}
