//! Dragging pieces: by a handle while the mouse button is down, or with the pointer after the key G, R or S.
//!
//! After one of these keys, the piece follows the pointer. A click or Enter confirms the drag; Escape or the right
//! button cancels it. X and Y lock an axis, and Z changes the height. Typed numbers are metres (or feet), degrees or
//! scale factors.

use crate::features::construction::viewport::*;
use crate::frame::tasks::{Outcome, Task};
use crate::frame::units::{self, ShownUnit};
use egui::{Event, Key};
use talweg::construction::edit::link_group::{self, Motion};

/// How a piece follows the pointer after the key G, R or S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grab {
    Move,
    Turn,
    Scale,
}

impl Grab {
    fn grip(self) -> Grip {
        match self {
            Self::Move => Grip::Move,
            Self::Turn => Grip::Turn,
            Self::Scale => Grip::Scale,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DragAxis {
    East,
    South,
}

/// Keyboard input during a drag without a mouse button.
#[derive(Default)]
struct Keys {
    axis: Option<DragAxis>,
    typed: String,
    is_confirmed: bool,
    is_cancelled: bool,
}

impl Keys {
    fn number(&self) -> Option<f64> {
        self.typed.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// The terrain without the dragged pieces, which another thread computes.
#[derive(Default)]
enum Ground {
    /// The drag does not need the terrain without the pieces.
    #[default]
    No,
    Coming(Task<Vec<GroundBelow>>),
    /// The terrain below each of the dragged pieces.
    There(Vec<GroundBelow>),
}

impl Ground {
    fn there(&mut self) -> Option<&[GroundBelow]> {
        if let Self::Coming(task) = self {
            match task.outcome() {
                Outcome::Running => {}
                Outcome::Done(beneath) => *self = Self::There(beneath),
                Outcome::Panicked => *self = Self::No,
            }
        }
        match self {
            Self::There(beneath) => Some(beneath),
            _ => None,
        }
    }
}

/// The state of a drag in progress.
pub(crate) struct PieceDrag {
    pub(crate) grip: Grip,
    pub(crate) path: PiecePath,
    /// The dragged pieces: either the piece under the pointer or all selected pieces.
    all: Vec<PiecePath>,
    pub(crate) layer: usize,
    /// The construction tree at the start of the drag.
    pub(crate) tree: Arc<Tree>,
    terrain_view: TerrainView,
    transform: TransformPath,
    seed: u32,
    /// Centre of the piece in metres: `centre` in the coordinates of its parent, and `pivot` in the coordinates of the
    /// construction tree.
    pub(crate) centre: Point,
    pivot: Point,
    /// The point at which the user grabbed the piece; `None` until the pointer is over the view.
    from: Option<(Point, Pos2)>,
    ground: Ground,
    /// Whether the pointer has moved since the drag started.
    moved: bool,
    /// Total displacement, in metres of the construction tree.
    shifted: Point,
    /// Total rotation in degrees. It can exceed a full turn.
    turned: f64,
    last_angle: f64,
    /// Keyboard input; present while the piece follows the pointer without a mouse button.
    keys: Option<Keys>,
}

impl PieceDrag {
    pub(crate) fn is_grabbed(&self) -> bool {
        self.keys.is_some()
    }

    /// The current centre of the piece, in metres in the coordinates of its parent.
    pub(crate) fn middle(&self) -> Point {
        match self.grip {
            Grip::Move => self.transform.inward(add(self.pivot, self.shifted)),
            _ => self.centre,
        }
    }

    /// Restarts the drag with another handle, from the current pointer position.
    fn restart(&mut self, grip: Grip) {
        (self.grip, self.from, self.turned, self.moved, self.shifted) = (grip, None, 0.0, false, [0.0; 2]);
        self.keys = Some(Keys::default());
    }

    /// Removes all key presses from the egui input and applies them to the drag.
    pub(crate) fn take_keys(&mut self, ctx: &egui::Context) {
        let events = ctx.input_mut(|input| {
            let is_key = |event: &Event| matches!(event, Event::Key { .. } | Event::Text(_));
            let (keys, others) = std::mem::take(&mut input.events).into_iter().partition(is_key);
            input.events = others;
            let keys: Vec<Event> = keys;
            keys
        });
        for event in events {
            let Some(keys) = &mut self.keys else { return };
            let toggled = |axis: DragAxis, now: Option<DragAxis>| (now != Some(axis)).then_some(axis);
            match event {
                Event::Key { key, pressed: true, .. } => match key {
                    Key::Enter => keys.is_confirmed = true,
                    Key::Escape => keys.is_cancelled = true,
                    Key::Backspace => drop(keys.typed.pop()),
                    Key::X => keys.axis = toggled(DragAxis::East, keys.axis),
                    Key::Y => keys.axis = toggled(DragAxis::South, keys.axis),
                    Key::Z => self.restart(Grip::Raise),
                    Key::G => self.restart(Grip::Move),
                    Key::R => self.restart(Grip::Turn),
                    Key::S => self.restart(Grip::Scale),
                    _ => {}
                },
                Event::Text(text) => {
                    for c in text.chars() {
                        match c {
                            '0'..='9' => keys.typed.push(c),
                            '.' | ',' if !keys.typed.contains('.') => keys.typed.push('.'),
                            // the user can type a sign at any position
                            '-' if keys.typed.starts_with('-') => drop(keys.typed.remove(0)),
                            '-' => keys.typed.insert(0, '-'),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the point from which the drag measures the displacement. Sets this point if it is not set yet.
    fn anchor(&mut self, stage: &TerrainView, at: Pos2, metres: TreeScale) -> Point {
        if let Some((from, _)) = self.from {
            return from;
        }
        self.terrain_view = stage.clone();
        let near = metres.position(self.pivot);
        let from = metres.metres(self.terrain_view.ground_or_level([at.x, at.y], near).unwrap_or(near));
        let arm = sub(from, self.pivot);
        self.last_angle = arm[1].atan2(arm[0]);
        self.from = Some((from, at));
        from
    }
}

/// Makes the selected piece follow the pointer without a mouse button.
pub fn grab(document: &Document, state: &mut TreeState, stage: Option<&TerrainView>, grab: Grab) {
    let Some(stage) = stage else { return };
    let (Some((_, tree)), Some(path)) = (document.tree(), state.selected().cloned()) else { return };
    let tree = tree.clone();
    if path.is_locked(&tree) && state.selected_pieces().len() == 1 {
        state.notice = Some("The feature is locked; unlock it to move it.".into());
        return;
    }
    take_hold(document, state, stage, &tree, grab.grip(), path, None);
    if let Some(held) = &mut state.view.drag {
        held.restart(grab.grip());
    }
}

/// Starts a drag. `at` is the screen position at which the button was pressed. If it is `None`, the drag starts at the
/// next pointer position.
pub(crate) fn take_hold(
    document: &Document,
    state: &mut TreeState,
    stage: &TerrainView,
    tree: &Arc<Tree>,
    grip: Grip,
    path: PiecePath,
    at: Option<Pos2>,
) {
    let Some((layer, _)) = document.tree() else { return };
    let all = match grip {
        Grip::Point(_) | Grip::Dimension(_) => vec![path.clone()],
        _ => several::outermost(tree, &state.selected_pieces()),
    };
    if let Some(refusal) = locked_among(tree, &all) {
        state.notice = Some(refusal);
        return;
    }
    state.point = match grip {
        Grip::Point(k) => Some(k),
        _ => state.point,
    };
    let Some(centre) = middle(state, tree, &path) else { return };
    let seed = document.tree_seed(layer);
    let (transform, metres) = (TransformPath::for_piece(tree, &path, seed), metres(tree));
    let pivot = transform.outward(centre);
    let has_line = all.iter().any(|path| path.piece(tree).is_some_and(|piece| points::line(piece).is_some()));
    let needs_ground = state.follows && has_line && grip != Grip::Raise;
    let ground = if needs_ground { ground_beneath(&state.view, tree, &all, seed) } else { Ground::No };
    let mut held = PieceDrag {
        grip,
        path,
        all,
        layer,
        tree: tree.clone(),
        terrain_view: stage.clone(),
        transform,
        seed,
        centre,
        pivot,
        from: None,
        ground,
        moved: false,
        shifted: [0.0; 2],
        turned: 0.0,
        last_angle: 0.0,
        keys: None,
    };
    if let Some(at) = at {
        // keep the offset between piece and pointer, so that the piece does not jump to the pointer
        held.anchor(stage, at, metres);
    }
    state.view.drag = Some(held);
}

/// Returns a message if one of the pieces is locked. The pieces cannot be moved then.
pub fn locked_among(tree: &Tree, paths: &[PiecePath]) -> Option<String> {
    let locked = paths.iter().find(|path| path.is_locked(tree))?;
    let title = title_of(tree, locked, locked.piece(tree)?);
    Some(format!("Feature “{title}” is locked; unlock it first."))
}

/// Starts to compute the terrain without the pieces at `paths`.
fn ground_beneath(view: &ViewportState, tree: &Arc<Tree>, paths: &[PiecePath], seed: u32) -> Ground {
    let (tree, paths, before) = (tree.clone(), paths.to_vec(), view.latest().cloned());
    let work =
        move || GroundBelow::of_each(&tree, &paths, seed, before.as_ref().map(|pick_index| &*pick_index.program));
    let aside = work.clone();
    match view.pick.tasks.start("ground", move |_| aside()) {
        Ok(task) => Ground::Coming(task),
        Err(_) => Ground::There(work()),
    }
}

/// The change that a drag makes. It affects the whole piece, one of its points, or one of its dimensions.
enum DragResult {
    Moved(Motion),
    Point(usize, Point),
    Dimension(PieceDimension, Point),
}

pub(crate) fn drag(
    ctx: &egui::Context,
    document: &mut Document,
    state: &mut TreeState,
    stage: &TerrainView,
    pointer: Option<Pos2>,
) {
    let Some(held) = &mut state.view.drag else { return };
    let metres = metres(&held.tree);
    let typed = held.keys.as_ref().and_then(Keys::number);
    let Some(at) = pointer.or_else(|| screen(&held.terrain_view, metres.position(held.pivot))) else { return };
    let from = held.anchor(stage, at, metres);
    let from_screen = held.from.map_or(at, |(_, at)| at);
    if !held.moved && typed.is_none() && !held.is_grabbed() && at.distance(from_screen) < 2.0 {
        return;
    }
    held.moved = true;
    let near = metres.position(held.pivot);
    let Some(place) = held.terrain_view.ground_or_level([at.x, at.y], near) else { return };
    let to = metres.metres(place);
    let ctrl = ctx.input(|i| i.modifiers.command);
    let old = held.tree.clone();
    let Some(piece) = held.path.piece(&old) else { return };
    let (label, said, made) = made(held, piece, (from, to), (from_screen, at), typed, ctrl);
    let mut tree = (*held.tree).clone();
    let (path, seed) = (held.path.clone(), held.seed);
    if let DragResult::Moved(motion) = &made
        && held.all != [path.clone()]
    {
        several::move_all(&mut tree, &held.all, seed, motion, held.ground.there().unwrap_or_default());
        state.hint = Some(drag_hint(held, &format!("{} features: {said}", held.all.len())));
        document.edit_tree(held.layer, &format!("{label}s"), Some(gesture()), tree);
        return;
    }
    let changed = match &made {
        DragResult::Moved(motion) => Ok(motion.applied(piece, path.root, &held.transform)),
        DragResult::Point(k, q) => {
            let mut piece = piece.clone();
            points::move_handle(&mut piece, *k, *q).map(|()| piece)
        }
        DragResult::Dimension(dimension, q) => {
            let mut piece = piece.clone();
            set_dimension(&mut piece, *dimension, *q, arm_length(&old)).map(|()| piece)
        }
    };
    let mut piece = match changed {
        Ok(piece) => piece,
        Err(EditError::NotConvex) => {
            state.hint = Some("Cannot move further: the four corners must stay convex, or the image would fold".into());
            return;
        }
        Err(why) => {
            state.hint = Some(format!("Cannot move there: {why}"));
            return;
        }
    };
    let set = |tree: &mut Tree, piece: &Piece| {
        if let Some(place) = path.piece_mut(tree) {
            place.clone_from(piece);
        }
    };
    // move linked pieces first, and then adapt them to the reshaped line
    let before = match &made {
        DragResult::Moved(motion) => {
            set(&mut tree, &piece);
            link_group::move_linked(&mut tree, &path, seed, motion);
            piece.clone()
        }
        _ => held.path.piece(&held.tree).cloned().unwrap_or_default(),
    };
    let said = match &made {
        DragResult::Dimension(dimension, _) => dimension_text(&piece, *dimension),
        _ => said,
    };
    if let Some([beneath]) = held.ground.there()
        && let Some(points) = points::line_mut(&mut piece)
    {
        match &made {
            DragResult::Moved(_) => drape_points(points, |q| beneath.height(q)),
            DragResult::Point(k, q) => {
                if let Some(point) = points.get_mut(*k) {
                    point.height = rounded_to_six_digits(beneath.height(*q));
                }
            }
            DragResult::Dimension(..) => {}
        }
    }
    set(&mut tree, &piece);
    link_group::update_linked(&mut tree, &before, &path, seed);
    state.hint = Some(match (&held.keys, &held.ground) {
        (None, Ground::There(_)) if matches!(made, DragResult::Point(..)) => {
            "The point snaps to the terrain; release to confirm".into()
        }
        _ => drag_hint(held, &said),
    });
    document.edit_tree(held.layer, label, Some(gesture()), tree);
}

/// Text of the status line during a drag: the effect of the drag, and how to end it.
fn drag_hint(held: &PieceDrag, said: &str) -> String {
    let Some(keys) = &held.keys else {
        return format!("{said}; release to confirm, Esc to cancel");
    };
    let typed = if keys.typed.is_empty() { String::new() } else { format!(" [{}]", keys.typed) };
    let axes = if held.grip == Grip::Move { "X or Y: lock axis, Z: height; " } else { "" };
    format!("{said}{typed}; {axes}type a number; click or Enter to confirm, Esc to cancel")
}

/// Rounds a length to a multiple of ten in the shown unit.
fn in_tens(metres: f64) -> f64 {
    let unit = ShownUnit::of_stored("m");
    unit.kept((unit.shown(metres) / 10.0).round() * 10.0)
}

/// Returns the label of the undo step, the status text, and the result of the drag.
fn made(
    held: &mut PieceDrag,
    piece: &Piece,
    (from, to): (Point, Point),
    (from_screen, at): (Pos2, Pos2),
    typed: Option<f64>,
    ctrl: bool,
) -> (&'static str, String, DragResult) {
    let axis = held.keys.as_ref().and_then(|keys| keys.axis);
    match held.grip {
        Grip::Move => {
            let pushed = sub(to, from);
            let typed = typed.map(|number| ShownUnit::of_stored("m").kept(number));
            let [east, south] = match (axis, typed) {
                (None, None) => pushed,
                (Some(DragAxis::East), None) => [pushed[0], 0.0],
                (Some(DragAxis::South), None) => [0.0, pushed[1]],
                (Some(DragAxis::South), Some(number)) => [0.0, number],
                (_, Some(number)) => [number, 0.0],
            };
            let step = |metres: f64| if ctrl { in_tens(metres) } else { metres };
            let shift = [step(east), step(south)];
            held.shifted = shift;
            let said = format!("Moved {} east, {} south", units::metres(shift[0], 0), units::metres(shift[1], 0));
            let motion = Motion::Shift { from: held.pivot, to: add(held.pivot, shift) };
            ("Move feature", said, DragResult::Moved(motion))
        }
        Grip::Turn => {
            let arm = sub(to, held.pivot);
            let angle = arm[1].atan2(arm[0]);
            held.turned += wrapped((angle - held.last_angle).to_degrees());
            held.last_angle = angle;
            let turn = if ctrl { (held.turned / 15.0).round() * 15.0 } else { held.turned };
            let degrees = typed.unwrap_or(turn);
            let motion = Motion::Turn { about: held.pivot, degrees };
            ("Rotate feature", format!("Rotated by {degrees:.0}°"), DragResult::Moved(motion))
        }
        Grip::Scale => {
            let before = length(sub(from, held.pivot)).max(1e-6);
            let by = (length(sub(to, held.pivot)) / before).clamp(0.05, 20.0);
            let by = if ctrl { (by * 10.0).round().max(1.0) / 10.0 } else { by };
            let by = typed.filter(|by| *by > 0.0).map_or(by, |by| by.clamp(1e-3, 1e3));
            let motion = Motion::Scale { about: held.pivot, by };
            ("Scale feature", format!("Scaled to {:.0} %", by * 100.0), DragResult::Moved(motion))
        }
        Grip::Raise => {
            let near = metres(&held.tree).position(held.pivot);
            let relief = f64::from(held.tree.frame.relief);
            let shown = f64::from(held.terrain_view.square.scale.relief_metres());
            let per_point = held.terrain_view.side_fraction_per_point(near)
                * f64::from(held.terrain_view.square.scale.metres_per_world)
                * f64::from(crate::view::SIDE_WORLD)
                * relief
                / shown.max(1e-6);
            let by = f64::from(from_screen.y - at.y) * per_point;
            let by = if ctrl { in_tens(by) } else { by };
            let by = typed.map_or(by, |number| ShownUnit::of_stored("m").kept(number));
            ("Raise feature", units::signed(by, "m", 0), DragResult::Moved(Motion::Raise(by)))
        }
        Grip::Point(k) => {
            let start = points::handles(piece).get(k).copied().unwrap_or(held.centre);
            let q = held.transform.inward(add(held.transform.outward(start), sub(to, from)));
            ("Move point", "Moving the point".into(), DragResult::Point(k, q))
        }
        Grip::Dimension(dimension) => {
            let places = dimensions(piece, arm_length(&held.tree));
            let start = places.into_iter().find(|(other, _)| *other == dimension).map_or(held.centre, |(_, at)| at);
            let q = held.transform.inward(add(held.transform.outward(start), sub(to, from)));
            ("Change size", String::new(), DragResult::Dimension(dimension, q))
        }
    }
}

/// Ends the drag when the user releases the button, clicks, or presses a key that ends the drag.
pub(crate) fn end(ctx: &egui::Context, document: &mut Document, state: &mut TreeState) {
    let Some(held) = &state.view.drag else { return };
    let Some(keys) = &held.keys else {
        if ctx.input(|i| !i.pointer.primary_down()) {
            state.view.drag = None;
        }
        return;
    };
    // cover the widgets below the pointer, so that they do not receive the click
    let screen = ctx.content_rect();
    let id = egui::Id::new("a piece follows the pointer");
    egui::Area::new(id).order(egui::Order::Foreground).fixed_pos(screen.min).show(ctx, |ui| {
        ui.allocate_rect(screen, egui::Sense::click_and_drag());
    });
    ctx.set_cursor_icon(CursorIcon::Grabbing);
    let (left, right) = ctx.input(|i| {
        let released = |button| i.pointer.button_released(button);
        (released(PointerButton::Primary), released(PointerButton::Secondary))
    });
    if keys.is_cancelled || right {
        state.view.cancel(document);
        ctx.request_repaint();
    } else if keys.is_confirmed || left {
        state.view.drag = None;
        ctx.request_repaint();
    }
}

/// Draws the axis that the movement of the piece is locked to.
pub(crate) fn draw_axis(painter: &egui::Painter, state: &TreeState, stage: &TerrainView) {
    let Some(held) = &state.view.drag else { return };
    let Some(axis) = held.keys.as_ref().and_then(|keys| keys.axis).filter(|_| held.grip == Grip::Move) else { return };
    let [u, v] = metres(&held.tree).position(held.pivot);
    let line: Polyline = (0..=64)
        .filter_map(|k| {
            let t = f64::from(k) / 64.0;
            screen(stage, if axis == DragAxis::East { [t, v] } else { [u, t] })
        })
        .map(|at| (at, true))
        .collect();
    if line.len() > 1 {
        stroke(painter, &line, 1.2, colour::text_strong());
    }
}
