//! Pieces in the view. A click selects a piece, and outlines are drawn on the terrain. Handles move, rotate, scale and
//! raise a piece.
//!
//! A drag uses the terrain from its start. Otherwise a hill that follows the pointer would raise the terrain under the
//! pointer, and thus move the target point. The whole drag is one undo step; Escape cancels it.

mod draw;
mod hold;
mod pen;
mod pick;
mod put;

use crate::features::construction::viewport::draw::{drape, draw_handles, draw_outlines, stroke};
pub use crate::features::construction::viewport::hold::{Grab, grab, locked_among};
use crate::features::construction::viewport::hold::{PieceDrag, drag, take_hold};
pub use crate::features::construction::viewport::pen::toggle_pen;
use crate::features::construction::viewport::put::show_carried;
pub use crate::features::construction::viewport::put::{place_piece, push_metres, pushed, transform_of};

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Color32, CursorIcon, PointerButton, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

use crate::features::construction::list::{TreeState, title_of};
use crate::features::construction::viewport::pick::PickTask;
use crate::frame::document::Document;
use crate::frame::tasks::Tasks;
use crate::frame::theme::colour;
use crate::view::{GroundPosition, TerrainView};
use talweg::construction::edit::dimensions::{PieceDimension, dimension_text, dimensions, set_dimension};
use talweg::construction::edit::library::{self, Item};
use talweg::construction::edit::pick_index::{self, PickIndex, PickOutline};
use talweg::construction::edit::reshape::{Similarity, rounded_to_six_digits, wrapped};
use talweg::construction::edit::snap::{GroundBelow, drape_points};
use talweg::construction::edit::transform_path::TransformPath;
use talweg::construction::edit::{EditError, PiecePath, link_group, points, several};
use talweg::construction::geometry::plane::{Point, add, length, sub};
use talweg::construction::{Piece, PieceKind, Tree};
use talweg::scene::Gesture;

/// Distance from a handle, in screen points, within which the user can grab the handle.
const GRAB: f32 = 9.0;
/// Radius of the rotation ring, in screen points.
const RING: f32 = 62.0;
/// Length of the handle that raises a piece, in screen points.
const STICK: f32 = 46.0;
/// Maximum distance of two clicks, in screen points, at which the second click selects the next piece below.
const SAME_CLICK: f32 = 5.0;

/// The handles by which a piece can be dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grip {
    Move,
    Turn,
    Scale,
    Raise,
    Point(usize),
    Dimension(PieceDimension),
}

/// A line on the screen: its points, and whether each point is visible.
type Polyline = Vec<(Pos2, bool)>;

/// Cached lines on the screen with the inputs from which they were computed. Each line is marked as outer or inner.
struct Lines {
    tree: Arc<Tree>,
    path: PiecePath,
    terrain_view: TerrainView,
    lines: Vec<(Polyline, bool)>,
}

/// State of the pieces in the view that is kept between frames.
#[derive(Default)]
pub struct ViewportState {
    pick: PickTask,
    drag: Option<PieceDrag>,
    /// The pen; `None` unless the user is drawing a line with the pointer.
    pen: Option<pen::Pen>,
    /// The last pointer position.
    pointer: Option<Pos2>,
    /// A request that is executed as soon as the pick index is computed.
    waiting: Option<Waiting>,
    selected: Option<Lines>,
    /// The outlines of the selected pieces, except the piece that was selected last.
    others: Vec<Lines>,
    hovered: Option<Lines>,
    /// Centre of the selected piece, in metres in the coordinates of its parent.
    centre: Option<(Arc<Tree>, PiecePath, Option<Point>)>,
    last_click: Option<Pos2>,
    /// The last search for a piece under the pointer, with its result.
    hover_search: Option<Under>,
}

/// The result of a search for the piece under the pointer.
struct Under {
    at: Pos2,
    /// Serial numbers of the drawn terrain at the time of the search.
    serial: (u64, u64),
    tree: Arc<Tree>,
    found: Option<PiecePath>,
}

/// Requests that are executed as soon as the pick index is computed.
enum Waiting {
    /// A click that selects a piece. With Shift, the piece is added to the selection.
    Click {
        at: Pos2,
        place: GroundPosition,
        adds: bool,
    },
    Put(Item, Option<Pos2>),
}

/// The effects that one frame has on the camera and the pointer.
#[derive(Default)]
pub struct FrameResult {
    /// Whether the pointer is in use, so that the camera must ignore it.
    pub takes_pointer: bool,
    /// Whether the left button is in use. The camera can use the other buttons.
    pub takes_primary: bool,
    /// A box in world coordinates that the camera must frame.
    pub look: Option<[[f32; 3]; 2]>,
}

impl ViewportState {
    /// Discards the unfinished line of the pen and stops the pen, or cancels the running drag. Returns whether a pen or
    /// a drag was active.
    pub fn cancel(&mut self, document: &mut Document) -> bool {
        if self.pen.take().is_some() {
            return true;
        }
        let Some(held) = self.drag.take() else { return false };
        document.edit_tree(held.layer, "Move feature", Some(gesture()), (*held.tree).clone());
        true
    }

    /// Sets `tasks` as the object that starts background work.
    pub fn work_with(&mut self, tasks: &Tasks) {
        self.pick.tasks = tasks.clone();
    }

    /// A new state without pieces. It keeps only the object that starts background work.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self { pick: self.pick.emptied(), ..Self::default() }
    }

    /// Whether a piece follows the pointer without a mouse button, so that keys apply to the piece.
    pub fn is_grabbing(&self) -> bool {
        self.drag.as_ref().is_some_and(PieceDrag::is_grabbed)
    }

    /// Whether the pointer draws a line.
    pub fn is_drawing(&self) -> bool {
        self.pen.is_some()
    }

    /// Applies key presses to the piece that follows the pointer.
    pub fn take_keys(&mut self, ctx: &egui::Context) {
        if let Some(held) = self.drag.as_mut().filter(|held| held.is_grabbed()) {
            held.take_keys(ctx);
        }
    }

    /// The pick index of the current construction tree, if it is already computed.
    pub fn pick_index(&mut self, document: &Document) -> Option<&PickIndex> {
        let (layer, tree) = document.tree()?;
        self.pick.index(tree, document.tree_seed(layer))
    }

    /// The newest pick index. It can belong to an older construction tree.
    pub fn latest(&self) -> Option<&Arc<PickIndex>> {
        self.pick.latest()
    }
}

fn gesture() -> Gesture {
    Gesture(egui::Id::new("piece in the view").value())
}

/// Side length in metres. Converts between fractions of the side length and metres of the construction tree.
#[derive(Clone, Copy)]
struct TreeScale(f64);

impl TreeScale {
    fn position(self, p: Point) -> GroundPosition {
        [p[0] / self.0, p[1] / self.0]
    }

    fn metres(self, place: GroundPosition) -> Point {
        [place[0] * self.0, place[1] * self.0]
    }
}

/// Distance of the stretch and shear handles of a transform from its pivot, in metres.
fn arm_length(tree: &Tree) -> f64 {
    f64::from(tree.frame.side) / 8.0
}

fn metres(tree: &Tree) -> TreeScale {
    TreeScale(f64::from(tree.frame.side))
}

fn screen(stage: &TerrainView, place: GroundPosition) -> Option<Pos2> {
    stage.screen(place, 0.0).map(|[x, y]| pos2(x, y))
}

/// Draws the pieces over the view and handles the pointer in the view.
pub fn show(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    stage: Option<&TerrainView>,
    free: Rect,
) -> FrameResult {
    let mut done = FrameResult::default();
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return done };
    let Some(stage) = stage else { return done };
    let ctx = ui.ctx().clone();
    let painter = ui.painter().with_clip_rect(free);
    let pointer = ctx.pointer_latest_pos();
    let over_view = pointer.is_some_and(|at| {
        let layer = ctx.layer_id_at(at);
        free.contains(at) && layer.is_none_or(|layer| layer.order == egui::Order::Background)
    });

    state.view.pointer = pointer;
    // the release of the button at the end of a drag is not a click
    let was_held = state.view.drag.is_some();
    if was_held {
        drag(&ctx, document, state, stage, pointer);
        done.takes_pointer = true;
        hold::end(&ctx, document, state);
    }
    done.takes_primary = pen::follow(&ctx, document, state, stage, over_view && !was_held);
    // start to compute the index before it is needed
    state.view.pick_index(document);
    run_waiting(document, state, stage, free);
    // reload the construction tree, because the drag may have changed it
    let tree = document.tree_of(layer).cloned().unwrap_or(tree);
    show_carried(ui, document, state, stage, free);

    let selected = state.selected().cloned().filter(|path| path.piece(&tree).is_some());
    let seed = document.tree_seed(layer);
    let handles = selected.as_ref().map(|path| handles(state, stage, &tree, path, seed)).unwrap_or_default();
    let is_busy = state.view.drag.is_some() || state.carried.is_some() || done.takes_primary;
    let is_free = over_view && !is_busy && !ctx.input(|i| i.pointer.any_down() && !i.pointer.any_pressed());
    let grip = pointer.filter(|_| is_free).and_then(|at| nearest(&handles, at));
    if is_free && grip.is_none() && state.hovered.is_none() {
        state.hovered = pointer.and_then(|at| under_pointer(state, document, stage, &tree, at));
    }

    draw_outlines(&painter, state, stage, &tree, selected.as_ref(), seed);
    let held = state.view.drag.as_ref().map(|held| held.grip);
    hold::draw_axis(&painter, state, stage);
    pen::draw(&painter, state, stage);
    if !done.takes_primary {
        draw_handles(&painter, &handles, held.or(grip), state.point);
    }

    if let Some(grip) = grip {
        done.takes_pointer = true;
        ctx.set_cursor_icon(match grip {
            Grip::Move | Grip::Point(_) => CursorIcon::Grab,
            Grip::Dimension(_) => CursorIcon::AllScroll,
            Grip::Turn => CursorIcon::Alias,
            Grip::Scale => CursorIcon::ResizeNeSw,
            Grip::Raise => CursorIcon::ResizeVertical,
        });
        state.hint = Some(words(grip, &tree, selected.as_ref(), state.follows));
    }
    let is_click = over_view && state.carried.is_none() && !was_held && !done.takes_primary;
    if let (true, Some(at)) = (is_click, pointer) {
        clicks(&ctx, document, state, stage, &tree, &handles, grip, at, &mut done);
    }
    if grip.is_none() && state.hint.is_none() && over_view {
        state.hint = hovering(state, &tree);
    }
    done
}

/// The status hint for the piece or handle under the pointer.
fn hovering(state: &TreeState, tree: &Tree) -> Option<String> {
    let path = state.hovered.as_ref()?;
    let title = title_of(tree, path, path.piece(tree)?);
    let count = state.selected_pieces().len();
    Some(if state.selected() == Some(path) && count == 1 {
        format!("{title}: click again to select the feature below, double-click to frame it, Esc to deselect")
    } else if state.is_selected(path) {
        format!(
            "{title} is one of {count} selected features: Shift-click to deselect it, Esc to keep only the last one"
        )
    } else if count > 0 {
        format!("Click to select {title}, Shift-click to add it to the selection")
    } else {
        format!("Click to select {title}")
    })
}

fn words(grip: Grip, tree: &Tree, path: Option<&PiecePath>, follows: bool) -> String {
    let piece = path.and_then(|path| Some(title_of(tree, path, path.piece(tree)?))).unwrap_or_default();
    match grip {
        Grip::Move if follows => format!("Drag to move {piece}; its line keeps conforming to the terrain"),
        Grip::Move => format!("Drag to move {piece} over the terrain"),
        Grip::Turn => format!("Drag to rotate {piece}; hold Ctrl for steps of 15°"),
        Grip::Scale => format!("Drag to make {piece} wider or narrower; its heights do not change"),
        Grip::Raise => format!("Drag up or down to raise or lower {piece}"),
        Grip::Point(k) => format!("Drag to move point {}; Delete removes it", k + 1),
        Grip::Dimension(dimension) => {
            let piece = path.and_then(|path| path.piece(tree));
            let now = piece.map(|piece| dimension_text(piece, dimension)).unwrap_or_default();
            format!("{now}; drag to change it")
        }
    }
}

/// The handles and the rotation ring, with their positions on the screen.
#[derive(Default)]
struct Handles {
    grips: Vec<(Grip, Pos2)>,
    ring: Vec<Pos2>,
    is_image: bool,
}

fn middle(state: &mut TreeState, tree: &Arc<Tree>, path: &PiecePath) -> Option<Point> {
    if let Some((known, of, centre)) = &state.view.centre
        && Arc::ptr_eq(known, tree)
        && of == path
    {
        return *centre;
    }
    let centre = match &state.view.drag {
        // the displayed centre moves with the piece, but stays in place while a point or a dimension is dragged
        Some(held) if !matches!(held.grip, Grip::Point(_) | Grip::Dimension(_)) => Some(held.middle()),
        _ => pick_index::centre(tree, path),
    };
    state.view.centre = Some((tree.clone(), path.clone(), centre));
    centre
}

fn handles(state: &mut TreeState, stage: &TerrainView, tree: &Arc<Tree>, path: &PiecePath, seed: u32) -> Handles {
    let mut handles = Handles::default();
    if path.is_locked(tree) {
        return handles;
    }
    let (Some(piece), Some(centre)) = (path.piece(tree), middle(state, tree, path)) else { return handles };
    let (transform, metres) = (TransformPath::for_piece(tree, path, seed), metres(tree));
    handles.is_image = matches!(piece.kind, PieceKind::Image(_));
    for (k, q) in points::handles(piece).into_iter().enumerate() {
        if let Some(at) = screen(stage, metres.position(transform.outward(q))) {
            handles.grips.push((Grip::Point(k), at));
        }
    }
    let pivot = metres.position(transform.outward(centre));
    let Some(at) = screen(stage, pivot) else { return handles };
    let radius = f64::from(RING) * stage.side_fraction_per_point(pivot);
    let on_ring = |angle: f64| {
        let place = [pivot[0] + radius * angle.cos(), pivot[1] + radius * angle.sin()];
        screen(stage, place)
    };
    handles.ring = (0..=48).filter_map(|k| on_ring(f64::from(k) / 48.0 * std::f64::consts::TAU)).collect();
    let right = f64::from(stage.pose.yaw);
    if let Some(at) = on_ring(right) {
        handles.grips.push((Grip::Scale, at));
    }
    if let Some(at) = on_ring(right + std::f64::consts::PI) {
        handles.grips.push((Grip::Turn, at));
    }
    handles.grips.push((Grip::Raise, at - vec2(0.0, STICK)));
    handles.grips.push((Grip::Move, at));
    // skip a handle that would overlap another handle; it appears when the camera is closer
    for (dimension, q) in dimensions(piece, arm_length(tree)) {
        if let Some(at) = screen(stage, metres.position(transform.outward(q)))
            && handles.grips.iter().all(|(_, other)| other.distance(at) > 1.5 * GRAB)
        {
            handles.grips.push((Grip::Dimension(dimension), at));
        }
    }
    handles
}

fn nearest(handles: &Handles, at: Pos2) -> Option<Grip> {
    // points take precedence over other handles at the same position
    let close =
        |(grip, place): &&(Grip, Pos2)| place.distance(at) <= if *grip == Grip::Move { GRAB + 2.0 } else { GRAB };
    let is_point = |grip: &Grip| matches!(grip, Grip::Point(_) | Grip::Dimension(_));
    let rank = |(grip, place): &(Grip, Pos2)| place.distance(at) + if is_point(grip) { 0.0 } else { 3.0 };
    handles.grips.iter().filter(close).min_by(|a, b| rank(a).total_cmp(&rank(b))).map(|(grip, _)| *grip)
}

#[allow(clippy::too_many_arguments, reason = "one function handles all clicks")]
fn clicks(
    ctx: &egui::Context,
    document: &mut Document,
    state: &mut TreeState,
    stage: &TerrainView,
    tree: &Arc<Tree>,
    handles: &Handles,
    grip: Option<Grip>,
    at: Pos2,
    done: &mut FrameResult,
) {
    let (pressed, clicked, double, ctrl, adds) = ctx.input(|i| {
        let double = i.pointer.button_double_clicked(PointerButton::Primary);
        (i.pointer.primary_pressed(), i.pointer.primary_clicked(), double, i.modifiers.command, i.modifiers.shift)
    });
    if pressed && let (Some(grip), Some(path)) = (grip, state.selected().cloned()) {
        take_hold(document, state, stage, tree, grip, path, Some(at));
        return;
    }
    if grip.is_some() || state.view.drag.is_some() {
        return;
    }
    let ground = stage.ground([at.x, at.y]);
    if (double || clicked && ctrl)
        && on_line(state, at)
        && let Some(place) = ground
    {
        add_point(document, state, tree, place);
        return;
    }
    if double && !adds {
        if let Some(path) = state.selected().cloned() {
            done.look = look_at(stage, tree, &path, document.tree().map_or(0, |(layer, _)| document.tree_seed(layer)));
        }
        return;
    }
    if !clicked || handles.is_image && on_line(state, at) {
        return;
    }
    match ground {
        None if adds => {}
        None => state.select(None),
        Some(place) => {
            state.view.waiting = Some(Waiting::Click { at, place, adds });
            run_waiting(document, state, stage, Rect::EVERYTHING);
        }
    }
}

/// Executes the request that waits for the pick index, if the index is ready.
fn run_waiting(document: &mut Document, state: &mut TreeState, stage: &TerrainView, free: Rect) {
    if state.view.waiting.is_none() || state.view.pick_index(document).is_none() {
        return;
    }
    match state.view.waiting.take() {
        Some(Waiting::Click { at, place, adds }) => choose(document, state, at, place, adds),
        Some(Waiting::Put(item, at)) => place_piece(document, state, Some(stage), free, item, at),
        None => {}
    }
}

/// Selects the piece at the clicked position.
fn choose(document: &Document, state: &mut TreeState, at: Pos2, place: GroundPosition, adds: bool) {
    let Some((_, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return };
    let Some(pick_index) = state.view.pick_index(document) else { return };
    let found: Vec<PiecePath> =
        pick_index.pieces_at(metres(&tree).metres(place)).into_iter().map(|(path, _)| path).collect();
    if adds {
        state.view.last_click = None;
        found.first().into_iter().for_each(|path| state.toggle_selected(path));
        return;
    }
    let again = state.view.last_click.is_some_and(|last| last.distance(at) < SAME_CLICK);
    let place_of = |path: &PiecePath| found.iter().position(|other| other == path);
    let next = match state.selected().and_then(place_of) {
        Some(k) if again => (k + 1) % found.len().max(1),
        _ => 0,
    };
    state.view.last_click = Some(at);
    let chosen = found.get(next).cloned();
    state.select(chosen);
}

/// The bounding box of a piece, in world coordinates.
pub fn look_at(stage: &TerrainView, tree: &Tree, path: &PiecePath, seed: u32) -> Option<[[f32; 3]; 2]> {
    let metres = metres(tree);
    let places =
        pick_index::outlines(tree, path, seed).into_iter().flat_map(|line| line.places).map(|p| metres.position(p));
    let (mut low, mut high) = ([1.0f64; 2], [0.0f64; 2]);
    for place in places {
        for k in 0..2 {
            (low[k], high[k]) = (low[k].min(place[k].clamp(0.0, 1.0)), high[k].max(place[k].clamp(0.0, 1.0)));
        }
    }
    (low[0] < high[0] && low[1] < high[1]).then(|| stage.box_world(low, high))
}

/// Whether a screen position is on the line of the selected piece.
fn on_line(state: &TreeState, at: Pos2) -> bool {
    let lines = state.view.selected.iter().flat_map(|lines| &lines.lines).filter(|(_, inner)| *inner);
    let near = |a: Pos2, b: Pos2| {
        let (path, along) = (at - a, b - a);
        let t = (path.dot(along) / along.length_sq().max(1e-6)).clamp(0.0, 1.0);
        (path - along * t).length() <= GRAB
    };
    lines.into_iter().any(|(line, _)| line.windows(2).any(|pair| near(pair[0].0, pair[1].0)))
}

fn add_point(document: &mut Document, state: &mut TreeState, tree: &Arc<Tree>, place: GroundPosition) {
    let (Some((layer, _)), Some(path)) = (document.tree(), state.selected().cloned()) else { return };
    if path.is_locked(tree) {
        state.notice = Some("The feature is locked; unlock it to add a point.".into());
        return;
    }
    let seed = document.tree_seed(layer);
    let transform = TransformPath::for_piece(tree, &path, seed);
    let q = transform.inward(metres(tree).metres(place));
    let below = state.follows.then(|| GroundBelow::new(tree, &path, seed, state.view.latest().map(|o| &*o.program)));
    let mut new = (**tree).clone();
    let Some(piece) = path.piece_mut(&mut new) else { return };
    let before = piece.clone();
    match points::add_point(piece, q) {
        Ok(index) => {
            if let (Some(below), Some(point)) = (below, points::line_mut(piece).and_then(|p| p.get_mut(index))) {
                point.height = rounded_to_six_digits(below.height(q));
            }
            link_group::update_linked(&mut new, &before, &path, seed);
            document.edit_tree(layer, "Add point", None, new);
            state.point = Some(index);
        }
        Err(why) => state.notice = Some(format!("No point was added: {why}.")),
    }
}

/// The piece that a click would select.
fn under_pointer(
    state: &mut TreeState,
    document: &Document,
    stage: &TerrainView,
    tree: &Arc<Tree>,
    at: Pos2,
) -> Option<PiecePath> {
    let serial = stage.serial();
    if let Some(known) = &state.view.hover_search
        && known.at == at
        && known.serial == serial
        && Arc::ptr_eq(&known.tree, tree)
    {
        return known.found.clone();
    }
    let pick_index = state.view.pick_index(document)?;
    let place = stage.ground([at.x, at.y]);
    let found = place
        .and_then(|place| pick_index.pieces_at(metres(tree).metres(place)).into_iter().next().map(|(path, _)| path));
    state.view.hover_search = Some(Under { at, serial, tree: tree.clone(), found: found.clone() });
    found
}
