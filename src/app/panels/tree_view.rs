//! Pieces in the view: picked by a click, outlined on the ground, moved, turned, scaled and raised by handles, point by point.
//!
//! What is dragged is compared with the ground as it was when the drag began, so that a hill that follows the pointer does not lift
//! the place under it. The whole drag is one undo step; Escape takes it back.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Color32, CursorIcon, PointerButton, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

use super::tree::{TreeState, title_of};
use crate::app::document::Document;
use crate::app::theme::colour;
use crate::app::view::{Place, Stage};
use crate::construction::edit::chain::Chain;
use crate::construction::edit::library::{self, Item};
use crate::construction::edit::outlook::{self, Outline, Outlook};
use crate::construction::edit::reshape::{Reshape, raised, tidy, wrapped};
use crate::construction::edit::snap::{Below, lay};
use crate::construction::edit::{Refusal, Way, points};
use crate::construction::plane::{Point, add, length, sub};
use crate::construction::{Form, Piece, Tree};
use crate::scene::Gesture;

/// Points of the screen within which something is taken hold of.
const GRAB: f32 = 9.0;
/// Radius of the ring, on the screen.
const RING: f32 = 62.0;
/// Length of the stick for raising, on the screen.
const STICK: f32 = 46.0;
/// A click that is no farther from the last one goes on to the next piece below.
const SAME_CLICK: f32 = 5.0;

/// What a hand can take hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grip {
    Move,
    Turn,
    Scale,
    Raise,
    Point(usize),
}

/// A drag under way.
struct Held {
    grip: Grip,
    way: Way,
    layer: usize,
    /// The tree and the view as they were.
    tree: Arc<Tree>,
    stage: Stage,
    chain: Chain,
    /// Its middle, in the metres around it and in those of the tree.
    centre: Point,
    pivot: Point,
    /// Where it was taken hold of.
    from: Point,
    from_screen: Pos2,
    below: Option<Below>,
    /// The pointer has moved.
    moved: bool,
    /// Angle turned so far, in degrees, over any number of turns.
    turned: f64,
    last_angle: f64,
}

/// A line on the screen: its points, and whether they are seen.
type Drawn = Vec<(Pos2, bool)>;

/// Lines on the screen with whether they are inner ones, and what they were made of.
struct Lines {
    tree: Arc<Tree>,
    way: Way,
    stage: Stage,
    lines: Vec<(Drawn, bool)>,
}

/// What the view remembers between frames.
#[derive(Default)]
pub struct ViewHands {
    outlook: Option<Outlook>,
    held: Option<Held>,
    selected: Option<Lines>,
    hovered: Option<Lines>,
    /// Middle of the selected piece, in the metres around it.
    centre: Option<(Arc<Tree>, Way, Option<Point>)>,
    last_click: Option<Pos2>,
    /// Where the pointer was when pieces were looked for under it, and the one found.
    under: Option<(Pos2, u64, Arc<Tree>, Option<Way>)>,
}

/// What came of a frame.
#[derive(Default)]
pub struct Done {
    /// The pointer is at work here: the camera shall not take it.
    pub takes_pointer: bool,
    /// A box of the world to be brought into view.
    pub look: Option<[[f32; 3]; 2]>,
}

impl ViewHands {
    /// Takes back the drag under way; returns whether there was one.
    pub fn let_go(&mut self, document: &mut Document) -> bool {
        let Some(held) = self.held.take() else { return false };
        document.edit_tree(held.layer, "Move piece", Some(gesture()), (*held.tree).clone());
        true
    }

    /// The trees made ready to be asked; newly where they have changed.
    pub fn outlook(&mut self, document: &Document) -> Option<&Outlook> {
        let (layer, tree) = document.tree()?;
        let seed = document.tree_seed(layer);
        let is_known = self.outlook.as_ref().is_some_and(|o| Arc::ptr_eq(&o.tree, tree) && o.seed == seed);
        if !is_known {
            self.outlook = Some(Outlook::new(tree, seed, self.outlook.as_ref()));
        }
        self.outlook.as_ref()
    }
}

fn gesture() -> Gesture {
    Gesture(egui::Id::new("piece in the view").value())
}

/// Shares of the square and metres of the tree.
#[derive(Clone, Copy)]
struct Metres(f64);

impl Metres {
    fn place(self, p: Point) -> Place {
        [p[0] / self.0, p[1] / self.0]
    }

    fn metres(self, place: Place) -> Point {
        [place[0] * self.0, place[1] * self.0]
    }
}

fn metres(tree: &Tree) -> Metres {
    Metres(f64::from(tree.frame.side))
}

fn screen(stage: &Stage, place: Place) -> Option<Pos2> {
    stage.screen(place, 0.0).map(|[x, y]| pos2(x, y))
}

/// Draws over the view and follows the pointer in it.
pub fn show(ui: &mut Ui, document: &mut Document, state: &mut TreeState, stage: Option<&Stage>, free: Rect) -> Done {
    let mut done = Done::default();
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return done };
    let Some(stage) = stage else { return done };
    let ctx = ui.ctx().clone();
    let painter = ui.painter().with_clip_rect(free);
    let pointer = ctx.pointer_latest_pos();
    let over_view = pointer.is_some_and(|at| {
        let layer = ctx.layer_id_at(at);
        free.contains(at) && layer.is_none_or(|layer| layer.order == egui::Order::Background)
    });

    if state.view.held.is_some() {
        if let Some(at) = pointer {
            drag(&ctx, document, state, at);
        }
        done.takes_pointer = true;
        if ctx.input(|i| !i.pointer.primary_down()) {
            state.view.held = None;
        }
    }
    // the drag may have changed it
    let tree = document.tree_of(layer).cloned().unwrap_or(tree);
    carried(ui, document, state, stage, free);

    let selected = state.selected().cloned().filter(|way| way.of(&tree).is_some());
    let seed = document.tree_seed(layer);
    let handles = selected.as_ref().map(|way| handles(state, stage, &tree, way, seed)).unwrap_or_default();
    let is_busy = state.view.held.is_some() || state.carried.is_some();
    let is_free = over_view && !is_busy && !ctx.input(|i| i.pointer.any_down() && !i.pointer.any_pressed());
    let grip = pointer.filter(|_| is_free).and_then(|at| nearest(&handles, at));
    if is_free && grip.is_none() && state.hovered.is_none() {
        state.hovered = pointer.and_then(|at| under_pointer(state, document, stage, &tree, at));
    }

    draw_outlines(&painter, state, stage, &tree, selected.as_ref(), seed);
    let held = state.view.held.as_ref().map(|held| held.grip);
    draw_handles(&painter, &handles, held.or(grip), state.point);

    if let Some(grip) = grip {
        done.takes_pointer = true;
        ctx.set_cursor_icon(match grip {
            Grip::Move | Grip::Point(_) => CursorIcon::Grab,
            Grip::Turn => CursorIcon::Alias,
            Grip::Scale => CursorIcon::ResizeNeSw,
            Grip::Raise => CursorIcon::ResizeVertical,
        });
        state.hint = Some(words(grip, &tree, selected.as_ref(), state.follows));
    }
    if let (true, Some(at)) = (over_view && state.carried.is_none(), pointer) {
        clicks(&ctx, document, state, stage, &tree, &handles, grip, at, &mut done);
    }
    if grip.is_none() && state.hint.is_none() && over_view {
        state.hint = hovering(state, &tree);
    }
    done
}

/// What can be done with what is under the pointer.
fn hovering(state: &TreeState, tree: &Tree) -> Option<String> {
    let way = state.hovered.as_ref()?;
    let title = title_of(tree, way, way.of(tree)?);
    Some(if state.selected() == Some(way) {
        format!("{title}: click again for the piece below, double-click to frame it, Esc for none")
    } else {
        format!("Click to select {title}")
    })
}

fn words(grip: Grip, tree: &Tree, way: Option<&Way>, follows: bool) -> String {
    let piece = way.and_then(|way| Some(title_of(tree, way, way.of(tree)?))).unwrap_or_default();
    match grip {
        Grip::Move if follows => format!("Drag to move {piece}; a line goes on following the ground"),
        Grip::Move => format!("Drag to move {piece} over the ground"),
        Grip::Turn => format!("Drag to turn {piece}; with Ctrl in steps of 15°"),
        Grip::Scale => format!("Drag to make {piece} wider or narrower; heights stay"),
        Grip::Raise => format!("Drag up or down to raise or lower {piece}"),
        Grip::Point(k) => format!("Drag to move point {}; Delete removes it", k + 1),
    }
}

/// Handles with where they are on the screen, and the ring.
#[derive(Default)]
struct Handles {
    grips: Vec<(Grip, Pos2)>,
    ring: Vec<Pos2>,
    is_image: bool,
}

fn middle(state: &mut TreeState, tree: &Arc<Tree>, way: &Way) -> Option<Point> {
    if let Some((known, of, centre)) = &state.view.centre
        && Arc::ptr_eq(known, tree)
        && of == way
    {
        return *centre;
    }
    let centre = match &state.view.held {
        // the middle goes along with what is moved, and stays for the rest
        Some(held) if matches!(held.grip, Grip::Turn | Grip::Scale | Grip::Raise) => Some(held.centre),
        _ => outlook::centre(tree, way),
    };
    state.view.centre = Some((tree.clone(), way.clone(), centre));
    centre
}

fn handles(state: &mut TreeState, stage: &Stage, tree: &Arc<Tree>, way: &Way, seed: u32) -> Handles {
    let mut handles = Handles::default();
    if way.is_locked(tree) {
        return handles;
    }
    let (Some(piece), Some(centre)) = (way.of(tree), middle(state, tree, way)) else { return handles };
    let (chain, metres) = (Chain::of(tree, way, seed), metres(tree));
    handles.is_image = matches!(piece.form, Form::Image(_));
    for (k, q) in points::handles(piece).into_iter().enumerate() {
        if let Some(at) = screen(stage, metres.place(chain.outward(q))) {
            handles.grips.push((Grip::Point(k), at));
        }
    }
    let pivot = metres.place(chain.outward(centre));
    let Some(at) = screen(stage, pivot) else { return handles };
    let radius = f64::from(RING) * stage.share_per_point(pivot);
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
    handles
}

fn nearest(handles: &Handles, at: Pos2) -> Option<Grip> {
    // points first: they are what is meant where they lie under another handle
    let close =
        |(grip, place): &&(Grip, Pos2)| place.distance(at) <= if *grip == Grip::Move { GRAB + 2.0 } else { GRAB };
    let rank =
        |(grip, place): &(Grip, Pos2)| place.distance(at) + if matches!(grip, Grip::Point(_)) { 0.0 } else { 3.0 };
    handles.grips.iter().filter(close).min_by(|a, b| rank(a).total_cmp(&rank(b))).map(|(grip, _)| *grip)
}

#[allow(clippy::too_many_arguments, reason = "one place where clicks are understood")]
fn clicks(
    ctx: &egui::Context,
    document: &mut Document,
    state: &mut TreeState,
    stage: &Stage,
    tree: &Arc<Tree>,
    handles: &Handles,
    grip: Option<Grip>,
    at: Pos2,
    done: &mut Done,
) {
    let (pressed, clicked, double, ctrl) = ctx.input(|i| {
        let double = i.pointer.button_double_clicked(PointerButton::Primary);
        (i.pointer.primary_pressed(), i.pointer.primary_clicked(), double, i.modifiers.command)
    });
    if pressed && let (Some(grip), Some(way)) = (grip, state.selected().cloned()) {
        take_hold(document, state, stage, tree, grip, way, at);
        return;
    }
    if grip.is_some() || state.view.held.is_some() {
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
    if double {
        if let Some(way) = state.selected().cloned() {
            done.look = look_at(stage, tree, &way, document.tree().map_or(0, |(layer, _)| document.tree_seed(layer)));
        }
        return;
    }
    if !clicked || handles.is_image && on_line(state, at) {
        return;
    }
    let found: Vec<Way> = match (ground, state.view.outlook(document)) {
        (Some(place), Some(outlook)) => {
            outlook.at(metres(tree).metres(place)).into_iter().map(|(way, _)| way).collect()
        }
        _ => Vec::new(),
    };
    let again = state.view.last_click.is_some_and(|last| last.distance(at) < SAME_CLICK);
    let place_of = |way: &Way| found.iter().position(|other| other == way);
    let next = match state.selected().and_then(place_of) {
        Some(k) if again => (k + 1) % found.len().max(1),
        _ => 0,
    };
    state.view.last_click = Some(at);
    let chosen = found.get(next).cloned();
    state.select(chosen);
}

/// The box of the world around a piece.
pub fn look_at(stage: &Stage, tree: &Tree, way: &Way, seed: u32) -> Option<[[f32; 3]; 2]> {
    let metres = metres(tree);
    let places = outlook::outlines(tree, way, seed).into_iter().flat_map(|line| line.places).map(|p| metres.place(p));
    let (mut low, mut high) = ([1.0f64; 2], [0.0f64; 2]);
    for place in places {
        for k in 0..2 {
            (low[k], high[k]) = (low[k].min(place[k].clamp(0.0, 1.0)), high[k].max(place[k].clamp(0.0, 1.0)));
        }
    }
    (low[0] < high[0] && low[1] < high[1]).then(|| stage.box_world(low, high))
}

/// Whether a point of the screen lies on a line that points lie on.
fn on_line(state: &TreeState, at: Pos2) -> bool {
    let lines = state.view.selected.iter().flat_map(|lines| &lines.lines).filter(|(_, inner)| *inner);
    let near = |a: Pos2, b: Pos2| {
        let (way, along) = (at - a, b - a);
        let t = (way.dot(along) / along.length_sq().max(1e-6)).clamp(0.0, 1.0);
        (way - along * t).length() <= GRAB
    };
    lines.into_iter().any(|(line, _)| line.windows(2).any(|pair| near(pair[0].0, pair[1].0)))
}

fn add_point(document: &mut Document, state: &mut TreeState, tree: &Arc<Tree>, place: Place) {
    let (Some((layer, _)), Some(way)) = (document.tree(), state.selected().cloned()) else { return };
    if way.is_locked(tree) {
        state.notice = Some("The piece is locked: no point was added.".into());
        return;
    }
    let seed = document.tree_seed(layer);
    let chain = Chain::of(tree, &way, seed);
    let q = chain.inward(metres(tree).metres(place));
    let below = state.follows.then(|| Below::new(tree, &way, seed, state.view.outlook.as_ref().map(|o| &o.program)));
    let mut new = (**tree).clone();
    let Some(piece) = way.of_mut(&mut new) else { return };
    match points::add_point(piece, q) {
        Ok(index) => {
            if let (Some(below), Some(point)) = (below, points::line_mut(piece).and_then(|p| p.get_mut(index))) {
                point.height = tidy(below.height(q));
            }
            document.edit_tree(layer, "Add point", None, new);
            state.point = Some(index);
        }
        Err(why) => state.notice = Some(format!("No point was added: {why}.")),
    }
}

fn take_hold(
    document: &Document,
    state: &mut TreeState,
    stage: &Stage,
    tree: &Arc<Tree>,
    grip: Grip,
    way: Way,
    at: Pos2,
) {
    let Some((layer, _)) = document.tree() else { return };
    state.point = match grip {
        Grip::Point(k) => Some(k),
        _ => state.point,
    };
    let Some(centre) = middle(state, tree, &way) else { return };
    let seed = document.tree_seed(layer);
    let (chain, metres) = (Chain::of(tree, &way, seed), metres(tree));
    let pivot = chain.outward(centre);
    // what is dragged keeps its distance from the pointer: it does not jump to it
    let place = stage.ground_or_level([at.x, at.y], metres.place(pivot)).unwrap_or(metres.place(pivot));
    let from = metres.metres(place);
    let has_line = way.of(tree).is_some_and(|piece| points::line(piece).is_some());
    let needs_ground =
        state.follows && has_line && matches!(grip, Grip::Move | Grip::Point(_) | Grip::Turn | Grip::Scale);
    let before = state.view.outlook(document).map(|outlook| &outlook.program);
    let below = needs_ground.then(|| Below::new(tree, &way, seed, before));
    let arm = sub(from, pivot);
    state.view.held = Some(Held {
        grip,
        way,
        layer,
        tree: tree.clone(),
        stage: stage.clone(),
        chain,
        centre,
        pivot,
        from,
        from_screen: at,
        below,
        moved: false,
        turned: 0.0,
        last_angle: arm[1].atan2(arm[0]),
    });
}

fn drag(ctx: &egui::Context, document: &mut Document, state: &mut TreeState, at: Pos2) {
    let Some(held) = &mut state.view.held else { return };
    if !held.moved && at.distance(held.from_screen) < 2.0 {
        return;
    }
    held.moved = true;
    let ctrl = ctx.input(|i| i.modifiers.command);
    let metres = metres(&held.tree);
    let near = metres.place(held.pivot);
    let Some(place) = held.stage.ground_or_level([at.x, at.y], near) else { return };
    let (to, chain) = (metres.metres(place), &held.chain);
    let Some(piece) = held.way.of(&held.tree) else { return };
    let (label, hint, changed) = match held.grip {
        Grip::Move => {
            let there = add(held.pivot, sub(to, held.from));
            let shift = sub(chain.inward(there), held.centre);
            let [east, south] = sub(there, held.pivot);
            let hint =
                format!("Moved {east:.0} m east, {south:.0} m south; release to leave it there, Esc takes it back");
            ("Move piece", hint, Ok(Reshape::shift(shift).of(piece)))
        }
        Grip::Turn => {
            let arm = sub(to, held.pivot);
            let angle = arm[1].atan2(arm[0]);
            held.turned += wrapped((angle - held.last_angle).to_degrees());
            held.last_angle = angle;
            let turn = if ctrl { (held.turned / 15.0).round() * 15.0 } else { held.turned };
            let own = if chain.is_mirrored() { -turn } else { turn };
            let hint = format!("Turned by {turn:.0}°; release to leave it so, Esc takes it back");
            ("Turn piece", hint, Ok(Reshape::turn(held.centre, own).of(piece)))
        }
        Grip::Scale => {
            let before = length(sub(held.from, held.pivot)).max(1e-6);
            let by = (length(sub(to, held.pivot)) / before).clamp(0.05, 20.0);
            let by = if ctrl { (by * 10.0).round().max(1.0) / 10.0 } else { by };
            let hint = format!("{:.0} % as wide; release to leave it so, Esc takes it back", by * 100.0);
            ("Scale piece", hint, Ok(Reshape::scale(held.centre, by).of(piece)))
        }
        Grip::Raise => {
            let relief = f64::from(held.tree.frame.relief);
            let shown = f64::from(held.stage.prepared.scale.relief_metres());
            let per_point = held.stage.share_per_point(near)
                * f64::from(held.stage.prepared.scale.metres_per_world)
                * f64::from(crate::app::view::SIDE_WORLD)
                * relief
                / shown.max(1e-6);
            let by = f64::from(held.from_screen.y - at.y) * per_point;
            let by = if ctrl { (by / 10.0).round() * 10.0 } else { by };
            let hint = format!("{by:+.0} m; release to leave it so, Esc takes it back");
            ("Raise piece", hint, Ok(raised(piece, chain.rise_inward(by))))
        }
        Grip::Point(k) => {
            let start = points::handles(piece).get(k).copied().unwrap_or(held.centre);
            let q = chain.inward(add(chain.outward(start), sub(to, held.from)));
            let mut piece = piece.clone();
            let moved = points::move_handle(&mut piece, k, q);
            if let (Some(below), Some(point)) = (&held.below, points::line_mut(&mut piece).and_then(|p| p.get_mut(k))) {
                point.height = tidy(below.height(q));
            }
            let hint = match held.below {
                Some(_) => "The point takes the height of the ground; release to leave it there".to_string(),
                None => "Release to leave the point there, Esc takes it back".to_string(),
            };
            ("Move point", hint, moved.map(|()| piece))
        }
    };
    match changed {
        Ok(mut piece) => {
            if let (Some(below), true) = (&held.below, !matches!(held.grip, Grip::Point(_)))
                && let Some(points) = points::line_mut(&mut piece)
            {
                lay(points, |q| below.height(q));
            }
            state.hint = Some(hint);
            let mut tree = (*held.tree).clone();
            if let Some(place) = held.way.of_mut(&mut tree) {
                *place = piece;
            }
            document.edit_tree(held.layer, label, Some(gesture()), tree);
        }
        Err(Refusal::NotConvex) => {
            state.hint = Some("Not farther: the four corners must stay convex, or the picture would fold".into());
        }
        Err(why) => state.hint = Some(format!("Not there: {why}")),
    }
}

/// The piece that a click would select.
fn under_pointer(state: &mut TreeState, document: &Document, stage: &Stage, tree: &Arc<Tree>, at: Pos2) -> Option<Way> {
    let serial = stage.prepared.serial;
    if let Some((known, of, before, way)) = &state.view.under
        && *known == at
        && *of == serial
        && Arc::ptr_eq(before, tree)
    {
        return way.clone();
    }
    let place = stage.ground([at.x, at.y]);
    let found = place.and_then(|place| {
        let outlook = state.view.outlook(document)?;
        outlook.at(metres(tree).metres(place)).into_iter().next().map(|(way, _)| way)
    });
    state.view.under = Some((at, serial, tree.clone(), found.clone()));
    found
}

/// Lines of the ground plan as they lie on the ground that is seen.
fn drape(stage: &Stage, tree: &Tree, outlines: Vec<Outline>) -> Vec<(Drawn, bool)> {
    let metres = metres(tree);
    let longest = metres.0 / 96.0;
    let mut lines = Vec::new();
    for Outline { mut places, closed, inner } in outlines {
        if closed && let Some(&first) = places.first() {
            places.push(first);
        }
        let mut line: Drawn = Vec::new();
        let mut seen = true;
        let mut k = 0usize;
        for pair in places.windows(2) {
            let way = sub(pair[1], pair[0]);
            let parts = ((length(way) / longest).ceil() as usize).clamp(1, 64);
            for i in 0..=parts {
                let t = i as f64 / parts as f64;
                let place = metres.place(add(pair[0], [way[0] * t, way[1] * t]));
                let on_square = place.iter().all(|c| (0.0..=1.0).contains(c));
                match screen(stage, place).filter(|_| on_square) {
                    Some(at) => {
                        // what lies behind a mountain is asked for a part of the places: neighbours share it
                        if k.is_multiple_of(4) {
                            seen = stage.is_seen(place);
                        }
                        k += 1;
                        line.push((at, seen));
                    }
                    None if line.len() > 1 => lines.push((std::mem::take(&mut line), inner)),
                    None => line.clear(),
                }
            }
        }
        if line.len() > 1 {
            lines.push((line, inner));
        }
    }
    lines
}

impl Lines {
    /// The lines of a piece, from `kept` where nothing has changed.
    fn of(kept: Option<Self>, stage: &Stage, tree: &Arc<Tree>, way: &Way, seed: u32) -> Self {
        if let Some(kept) = kept
            && Arc::ptr_eq(&kept.tree, tree)
            && kept.way == *way
            && kept.stage == *stage
        {
            return kept;
        }
        let lines = drape(stage, tree, outlook::outlines(tree, way, seed));
        Self { tree: tree.clone(), way: way.clone(), stage: stage.clone(), lines }
    }
}

fn draw_outlines(
    painter: &egui::Painter,
    state: &mut TreeState,
    stage: &Stage,
    tree: &Arc<Tree>,
    selected: Option<&Way>,
    seed: u32,
) {
    let hovered = state.hovered.clone().filter(|way| Some(way) != selected && way.of(tree).is_some());
    let kept = state.view.hovered.take();
    state.view.hovered = hovered.map(|way| Lines::of(kept, stage, tree, &way, seed));
    let kept = state.view.selected.take();
    state.view.selected = selected.map(|way| Lines::of(kept, stage, tree, way, seed));
    for (lines, tint) in [(&state.view.hovered, colour::TEXT_STRONG), (&state.view.selected, colour::ACCENT)] {
        for (line, inner) in lines.iter().flat_map(|lines| &lines.lines) {
            let width = if *inner { 1.2 } else { 1.8 };
            stroke(painter, line, width, tint);
        }
    }
}

/// A line with a dark edge, so that it is seen on snow and on rock; fainter where it lies behind something.
fn stroke(painter: &egui::Painter, line: &Drawn, width: f32, tint: Color32) {
    for part in line.chunk_by(|a, b| a.1 == b.1) {
        let points: Vec<Pos2> = part.iter().map(|p| p.0).collect();
        let seen = part[0].1;
        if seen {
            painter.add(Shape::line(points.clone(), Stroke::new(width + 2.0, Color32::from_black_alpha(110))));
        }
        let tint = if seen { tint } else { tint.gamma_multiply(0.35) };
        painter.add(Shape::line(points, Stroke::new(width, tint)));
    }
}

fn draw_handles(painter: &egui::Painter, handles: &Handles, hot: Option<Grip>, point: Option<usize>) {
    let dark = Color32::from_black_alpha(150);
    if handles.ring.len() > 2 {
        painter.add(Shape::line(handles.ring.clone(), Stroke::new(3.0, dark)));
        painter.add(Shape::line(handles.ring.clone(), Stroke::new(1.2, colour::TEXT_STRONG.gamma_multiply(0.7))));
    }
    let middle = handles.grips.iter().find(|(grip, _)| *grip == Grip::Move).map(|(_, at)| *at);
    for (grip, at) in &handles.grips {
        let is_hot = hot == Some(*grip);
        let fill = if is_hot { colour::ACCENT } else { colour::PANEL };
        let edge = Stroke::new(1.6, if is_hot { colour::TEXT_STRONG } else { colour::ACCENT });
        match grip {
            Grip::Point(k) => {
                let chosen = point == Some(*k);
                let fill = if chosen { colour::ACCENT } else { fill };
                let edge = Stroke::new(1.6, colour::TEXT_STRONG);
                painter.circle(*at, if chosen || is_hot { 6.0 } else { 4.5 }, fill, edge);
            }
            Grip::Move => {
                painter.circle(*at, if is_hot { 9.0 } else { 7.5 }, fill, edge);
                let arm = 4.0;
                let cross = Stroke::new(1.4, colour::TEXT_STRONG);
                painter.line_segment([*at - vec2(arm, 0.0), *at + vec2(arm, 0.0)], cross);
                painter.line_segment([*at - vec2(0.0, arm), *at + vec2(0.0, arm)], cross);
            }
            Grip::Turn => knob(painter, *at, egui_phosphor::regular::ARROWS_CLOCKWISE, fill, edge, is_hot),
            Grip::Scale => knob(painter, *at, egui_phosphor::regular::ARROWS_OUT, fill, edge, is_hot),
            Grip::Raise => {
                if let Some(foot) = middle {
                    painter.line_segment([foot - vec2(0.0, 9.0), *at], Stroke::new(3.0, dark));
                    painter.line_segment([foot - vec2(0.0, 9.0), *at], Stroke::new(1.2, colour::TEXT_STRONG));
                }
                knob(painter, *at, egui_phosphor::regular::ARROWS_DOWN_UP, fill, edge, is_hot);
            }
        }
    }
}

fn knob(painter: &egui::Painter, at: Pos2, symbol: &str, fill: Color32, edge: Stroke, hot: bool) {
    painter.circle(at, if hot { 10.0 } else { 8.5 }, fill, edge);
    let font = egui::FontId::proportional(11.0);
    painter.text(at, egui::Align2::CENTER_CENTER, symbol, font, colour::TEXT_STRONG);
}

/// An entry of the library on its way: where it would come to lie.
fn carried(ui: &Ui, document: &Document, state: &mut TreeState, stage: &Stage, free: Rect) {
    let (Some(item), Some(at)) = (state.carried, ui.ctx().pointer_latest_pos()) else { return };
    let Some((_, tree)) = document.tree() else { return };
    let place = stage.ground([at.x, at.y]).filter(|_| free.contains(at));
    let Some(place) = place else {
        state.hint = Some(format!("Drag the {} onto the ground", item.label().to_lowercase()));
        return;
    };
    let (metres, radius) = (metres(tree), item.radius(tree.frame.side));
    let centre = metres.metres(place);
    let ring = (0..64).map(|k| {
        let angle = f64::from(k) / 64.0 * std::f64::consts::TAU;
        [centre[0] + radius * angle.cos(), centre[1] + radius * angle.sin()]
    });
    let outline = Outline { places: ring.collect(), closed: true, inner: false };
    let painter = ui.painter().with_clip_rect(free);
    for (line, _) in drape(stage, tree, vec![outline]) {
        stroke(&painter, &line, 1.8, colour::ACCENT);
    }
    state.hint = Some(format!("Release to put {} here; Esc leaves it", item.label().to_lowercase()));
}

/// Puts an entry of the library on the ground; `None` is the middle of the view.
pub fn put(
    document: &mut Document,
    state: &mut TreeState,
    stage: Option<&Stage>,
    free: Rect,
    item: Item,
    at: Option<Pos2>,
) {
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return };
    if at.is_some_and(|at| !free.contains(at)) {
        return;
    }
    let middle = free.center();
    let target = at.unwrap_or(middle);
    let place = stage.and_then(|stage| stage.ground([target.x, target.y]));
    let place = match (place, at) {
        (Some(place), _) => place,
        (None, None) => [0.5, 0.5],
        // over the sky
        (None, Some(_)) => return,
    };
    let seed = document.tree_seed(layer);
    let near = state.selected().cloned();
    let mut new = (*tree).clone();
    let p = metres(&tree).metres(place);
    let Some(outlook) = state.view.outlook(document) else { return };
    match library::place(&mut new, item, p, near.as_ref(), &outlook.program, seed) {
        Ok(way) => {
            document.edit_tree(layer, &format!("Place {}", item.label().to_lowercase()), None, new);
            state.select(Some(way));
        }
        Err(why) => state.notice = Some(format!("Nothing was placed: {why}.")),
    }
}

/// The selected piece of a tree, for edits that are no drags.
pub fn chain_of(document: &Document, tree: &Tree, way: &Way) -> Option<(usize, u32, Chain)> {
    let (layer, _) = document.tree()?;
    let seed = document.tree_seed(layer);
    Some((layer, seed, Chain::of(tree, way, seed)))
}

/// How far and to where an arrow key pushes, in metres of the tree: along the compass, as it is seen.
pub fn push_metres(stage: Option<&Stage>, tree: &Tree, right: i32, away: i32, share: f64) -> Point {
    let yaw = stage.map_or(0.0, |stage| f64::from(stage.pose.yaw));
    let quarter = (yaw / std::f64::consts::FRAC_PI_2).round() as i64;
    // right and away on the screen as east and south, a quarter turn at a time
    let (mut east, mut south) = (f64::from(right), f64::from(-away));
    for _ in 0..quarter.rem_euclid(4) {
        (east, south) = (-south, east);
    }
    let by = f64::from(tree.frame.side) * share;
    [east * by, south * by]
}

/// The piece with a change that moves it.
pub fn pushed(piece: &Piece, point: Option<usize>, chain: &Chain, centre: Point, by: Point) -> Result<Piece, Refusal> {
    if let Some((k, start)) = point.and_then(|k| Some((k, points::handles(piece).get(k).copied()?))) {
        let mut piece = piece.clone();
        let there = chain.inward(add(chain.outward(start), by));
        return points::move_handle(&mut piece, k, there).map(|()| piece);
    }
    let there = chain.inward(add(chain.outward(centre), by));
    Ok(Reshape::shift(sub(there, centre)).of(piece))
}
