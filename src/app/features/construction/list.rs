//! The list of the pieces of a construction, in the order of the construction tree, and the selection of pieces.
//!
//! The user can drag rows. Between two rows, a line shows where the dragged piece will be inserted. Over an operator, a
//! frame shows that the piece will become a member of the operator. An invalid target is red, and the status line shows
//! the reason.

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Align, CursorIcon, Key, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::construction::PieceAction;
use crate::features::construction::commands::operator_label;
use crate::features::construction::viewport::ViewportState;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::tasks::Tasks;
use crate::frame::theme::{colour, icon_button, paint_text};
use talweg::construction::edit::library::Item;
use talweg::construction::edit::{self, PiecePath, Root, Spot, Wrap, may_relocate};
use talweg::construction::{MaterialLayer, Piece, PieceKind, Tree};

const HEIGHT: f32 = 24.0;
const INDENT: f32 = 14.0;

/// The piece whose name the user edits.
#[derive(Debug)]
struct PieceRename {
    path: PiecePath,
    text: String,
    begun: bool,
}

/// State of the construction panels.
#[derive(Resource, Default)]
pub struct TreeState {
    pub(super) selected: Option<PiecePath>,
    /// Further selected pieces, in the order of their selection.
    pub(super) others: Vec<PiecePath>,
    /// Index of the selected point of a line or contour, or of the selected corner of an image.
    pub point: Option<usize>,
    /// Whether lines that are moved follow the height of the terrain.
    pub follows: bool,
    /// Whether the library is closed.
    pub library_folded: bool,
    /// The library item that is being dragged.
    pub carried: Option<Item>,
    /// Text of the status line about the effect of a click or drag.
    pub hint: Option<String>,
    /// Message about an action that failed or had an unexpected effect.
    pub(crate) notice: Option<String>,
    pub(crate) hovered: Option<PiecePath>,
    pub(crate) view: ViewportState,
    /// Index of the contour direction whose profile is being edited.
    pub(crate) ray: usize,
    /// Whether the list must still scroll to the selected piece.
    is_sought: bool,
    folded: Vec<PiecePath>,
    renaming: Option<PieceRename>,
    dragged: Option<PiecePath>,
    layer: Option<usize>,
}

impl TreeState {
    /// The piece that was selected last.
    pub fn selected(&self) -> Option<&PiecePath> {
        self.selected.as_ref()
    }

    /// Selects only this piece, or clears the selection.
    pub fn select(&mut self, path: Option<PiecePath>) {
        self.others.clear();
        if self.selected != path {
            (self.point, self.ray) = (None, 0);
            self.is_sought = path.is_some();
        }
        if let Some(path) = &path {
            // unfold the operators around the selected piece
            self.folded.retain(|folded| folded == path || !folded.holds(path));
        }
        self.selected = path;
    }

    /// Sets `tasks` as the object that starts background work.
    pub fn work_with(&mut self, tasks: &Tasks) {
        self.view.work_with(tasks);
    }

    /// Whether keyboard shortcuts apply to a piece.
    pub fn is_at_work(&self) -> bool {
        self.selected.is_some()
    }

    /// Deselects pieces that no longer exist, and stops renaming them. Called after another layer was selected or the
    /// construction tree was changed.
    pub fn follow(&mut self, document: &Document) {
        let Some((layer, tree)) = document.tree() else {
            let view = self.view.emptied();
            *self = Self { follows: self.follows, library_folded: self.library_folded, view, ..Self::default() };
            return;
        };
        if self.layer != Some(layer) {
            (self.selected, self.renaming, self.dragged) = (None, None, None);
            self.others.clear();
            self.folded.clear();
            self.layer = Some(layer);
        }
        let is_there =
            |path: &PiecePath| path.piece(tree).is_some() || matches!(path.root, Root::Material(_)) && path.is_root();
        self.others.retain(|path| path.piece(tree).is_some());
        if self.selected.as_ref().is_some_and(|path| !is_there(path)) {
            self.selected = self.others.pop();
        }
        let points =
            self.selected.as_ref().and_then(|path| path.piece(tree)).map_or(0, |p| edit::points::handles(p).len());
        self.point = self.point.filter(|&k| k < points);
        self.hovered = None;
    }

    /// Starts editing the name of the selected piece.
    pub fn rename(&mut self, tree: &Tree) {
        let Some((path, piece)) = self.selected.as_ref().and_then(|path| Some((path, path.piece(tree)?))) else {
            return;
        };
        let text = match path.root {
            Root::Definition(k) if path.is_root() => tree.definitions[k].name.clone(),
            _ => piece.name.clone(),
        };
        self.renaming = Some(PieceRename { path: path.clone(), text, begun: false });
    }

    /// The newest compiled construction tree. It can belong to an older version of the tree, but shares most parts with
    /// the tree of the selected layer.
    pub(crate) fn program(&self) -> Option<&talweg::construction::Program> {
        self.view.latest().map(|pick_index| &*pick_index.program)
    }

    /// Does the first of these that applies: cancels the current action, deselects the point, deselects all pieces
    /// except the last, deselects the last piece. Returns whether one of them applied.
    pub fn step_back(&mut self) -> bool {
        if self.renaming.take().is_some() || self.carried.take().is_some() || self.dragged.take().is_some() {
            return true;
        }
        if self.point.take().is_some() {
            return true;
        }
        if !self.others.is_empty() {
            self.others.clear();
            return true;
        }
        let had = self.selected.is_some();
        self.select(None);
        had
    }
}

pub fn piece_icon(piece: &Piece) -> &'static str {
    match &piece.form {
        PieceKind::Disc(_) => icon::CIRCLE,
        PieceKind::Curve(_) => icon::PATH,
        PieceKind::Contour(_) => icon::POLYGON,
        PieceKind::Image(_) => icon::IMAGE,
        PieceKind::Ribbon(_) => icon::FILM_STRIP,
        PieceKind::Instance(_) => icon::LINK,
        PieceKind::Blend(_) => icon::UNITE,
        PieceKind::Replace(_) => icon::EXCLUDE,
        PieceKind::Add(_) => icon::PLUS_CIRCLE,
        PieceKind::Warp(_) => icon::WAVES,
        PieceKind::Place(_) => icon::ARROWS_OUT_CARDINAL,
        PieceKind::Detail(_) => icon::MAGNIFYING_GLASS,
        PieceKind::Gullies(_) => icon::TREE_STRUCTURE,
        PieceKind::Array(_) => icon::GRID_NINE,
        PieceKind::Scatter(_) => icon::DOTS_NINE,
    }
}

/// Name, icon and description of a material layer.
pub fn material_words(material: MaterialLayer) -> (&'static str, &'static str, &'static str) {
    match material {
        MaterialLayer::Terrain => ("Relief", icon::MOUNTAINS, "Surface of the terrain."),
        MaterialLayer::Water => {
            ("Water", icon::DROP, "Heights of water surfaces. Water is visible where it lies above the terrain.")
        }
        MaterialLayer::Sand => ("Sand", icon::GRAINS, "Thickness of sand on the terrain."),
        MaterialLayer::Snow => ("Snow", icon::SNOWFLAKE, "Thickness of snow on the terrain."),
        MaterialLayer::Vegetation => ("Plants", icon::PLANT, "Plant density, from 0 to 1."),
    }
}

/// A row of the list of pieces.
struct PieceRow<'a> {
    path: PiecePath,
    depth: usize,
    piece: Option<&'a Piece>,
    title: String,
    icon: &'static str,
    help: &'static str,
}

fn list<'a>(tree: &'a Tree, state: &TreeState) -> Vec<PieceRow<'a>> {
    let mut rows = Vec::new();
    for material in MaterialLayer::ALL {
        let (title, icon, help) = material_words(material);
        let (path, piece) = (PiecePath::material(material), tree.root(material));
        rows.push(PieceRow { path: path.clone(), depth: 0, piece, title: title.into(), icon, help });
        if let Some(piece) = piece {
            add_children(piece, &path, 1, state, &mut rows);
        }
    }
    for (k, definition) in tree.definitions.iter().enumerate() {
        let (path, piece) = (PiecePath::definition(k), &definition.piece);
        let help = "Original: editing it changes all of its instances.";
        let title = definition.name.clone();
        rows.push(PieceRow { path: path.clone(), depth: 0, piece: Some(piece), title, icon: icon::STACK_PLUS, help });
        add_children(piece, &path, 1, state, &mut rows);
    }
    rows
}

fn add_children<'a>(piece: &'a Piece, path: &PiecePath, depth: usize, state: &TreeState, rows: &mut Vec<PieceRow<'a>>) {
    if state.folded.contains(path) {
        return;
    }
    for (k, child) in piece.children().iter().enumerate() {
        let (path, icon) = (path.child(k), piece_icon(child));
        let help = child.params().about().help;
        rows.push(PieceRow { path: path.clone(), depth, piece: Some(child), title: child.title(), icon, help });
        add_children(child, &path, depth + 1, state, rows);
    }
}

/// The place in the list where the dragged piece would be inserted.
enum DropTarget {
    /// Insertion above the row with this index, at the nesting depth of the pieces there.
    Between(Spot, usize, usize),
    Into(Spot, usize),
}

/// Shows the list; returns the command that a row issued.
pub fn show(ui: &mut Ui, document: &mut Document, state: &mut TreeState) -> Option<Command> {
    let (layer, tree) = document.tree().map(|(layer, tree)| (layer, tree.clone()))?;
    let mut command = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Features").strong().size(14.0));
        let pieces = tree.count();
        ui.label(RichText::new(if pieces == 1 { "1".into() } else { pieces.to_string() }).color(colour::text_weak()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let selected = state.selected.as_ref().is_some_and(|path| path.piece(&tree).is_some());
            for action in [PieceAction::Delete, PieceAction::Instance, PieceAction::Duplicate] {
                let ask = Command::from(action);
                let button = icon_button(ui, selected, ask.info().icon, &ask.info().label);
                if button.on_hover_text(ask.tooltip(ui.ctx())).clicked() {
                    command = Some(ask);
                }
            }
            ui.add_enabled_ui(selected, |ui| {
                let menu = ui.menu_button(RichText::new(icon::UNITE).size(16.0), |ui| {
                    command = operator_entries(ui).or(command.take());
                });
                menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Group as"));
                menu.response.on_hover_text("Wraps the feature in an operator.");
            });
        });
    });
    ui.add_space(2.0);
    let rows = list(&tree, state);
    ui.spacing_mut().item_spacing.y = 0.0;
    let scroll = egui::ScrollArea::vertical().id_salt("pieces").auto_shrink(false);
    scroll.show_rows(ui, HEIGHT, rows.len(), |ui, shown| {
        let top = ui.cursor().top() - shown.start as f32 * HEIGHT;
        let across = ui.available_rect_before_wrap().x_range();
        if state.is_sought
            && let Some(k) = rows.iter().position(|row| Some(&row.path) == state.selected.as_ref())
        {
            state.is_sought = false;
            let from = top + k as f32 * HEIGHT;
            ui.scroll_to_rect(Rect::from_x_y_ranges(across, from..=from + HEIGHT), None);
        }
        for k in shown {
            let asked = row(ui, document, state, &tree, layer, &rows[k]);
            command = command.take().or(asked);
        }
        if let Some(from) = state.dragged.clone() {
            drag(ui, document, state, &tree, layer, &rows, &from, top, across);
        }
    });
    command
}

fn row(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    tree: &Tree,
    layer: usize,
    row: &PieceRow,
) -> Option<Command> {
    let id = ui.id().with(("piece", format!("{:?}", row.path)));
    let (_, rect) = ui.allocate_space(vec2(ui.available_width(), HEIGHT));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let selected = state.is_selected(&row.path);
    let (hidden, locked) = row.piece.map_or((false, false), |piece| (piece.hidden, piece.locked));
    if selected {
        let edge = Stroke::new(1.0, colour::accent().gamma_multiply(0.5));
        ui.painter().rect(rect, 4.0, colour::accent_deep(), edge, StrokeKind::Inside);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, colour::raised());
    }
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, selected, row.title.as_str())
    });
    let mut command = None;
    if response.hovered() {
        state.hovered = Some(row.path.clone());
    }
    if response.clicked() {
        let adds = ui.input(|i| i.modifiers.shift || i.modifiers.command) && row.piece.is_some();
        if adds { state.toggle_selected(&row.path) } else { state.select(Some(row.path.clone())) }
    }
    if response.double_clicked() && row.piece.is_some() {
        command = Some(Command::from(PieceAction::Rename));
    }
    if response.drag_started() && !row.path.is_root() {
        state.dragged = Some(row.path.clone());
    }
    if let Some(piece) = row.piece {
        response.context_menu(|ui| {
            // a context menu on one of several selected pieces applies to all of them
            if !state.is_selected(&row.path) {
                state.select(Some(row.path.clone()));
            }
            command = menu(ui, piece).or(command.take());
        });
    }
    let tint = match (hidden || row.piece.is_none(), selected) {
        (true, _) => colour::text_weak(),
        (false, true) => colour::text_strong(),
        (false, false) => colour::text(),
    };
    let left = rect.left() + 2.0 + row.depth as f32 * INDENT;
    let caret = Rect::from_min_size(pos2(left, rect.top()), vec2(16.0, HEIGHT));
    if row.piece.is_some_and(|piece| !piece.children().is_empty()) {
        let is_folded = state.folded.contains(&row.path);
        let fold = ui.interact(caret, id.with("fold"), Sense::click());
        fold.widget_info(|| {
            let what = if is_folded { "Unfold" } else { "Fold" };
            egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("{what} {}", row.title))
        });
        let symbol = if is_folded { icon::CARET_RIGHT } else { icon::CARET_DOWN };
        let tint = if fold.hovered() { colour::text_strong() } else { colour::text_weak() };
        let font = egui::FontId::proportional(12.0);
        ui.painter().text(caret.center(), egui::Align2::CENTER_CENTER, symbol, font, tint);
        if fold.clicked() {
            match state.folded.iter().position(|folded| *folded == row.path) {
                Some(k) => drop(state.folded.remove(k)),
                None => state.folded.push(row.path.clone()),
            }
        }
    }
    let symbol = egui::FontId::proportional(15.0);
    ui.painter().text(pos2(left + 26.0, rect.center().y), egui::Align2::CENTER_CENTER, row.icon, symbol, tint);

    let inside = rect.with_min_x(left + 38.0).with_max_x(rect.right() - 4.0);
    let mut inside = ui.new_child(UiBuilder::new().max_rect(inside).layout(Layout::right_to_left(Align::Center)));
    let ui = &mut inside;
    ui.spacing_mut().item_spacing.x = 2.0;
    if let Some(piece) = row.piece {
        let eye = if hidden { icon::EYE_SLASH } else { icon::EYE };
        let what = if hidden { "Show" } else { "Hide" };
        let tip = Command::from(PieceAction::Hide).tooltip(ui.ctx());
        if small_toggle(ui, eye, hidden, &format!("{what} {}", row.title)).on_hover_text(tip).clicked() {
            let mut tree = tree.clone();
            edit::link_group::hide(&mut tree, &row.path);
            document.edit_tree(layer, if hidden { "Show feature" } else { "Hide feature" }, None, tree);
        }
        let lock = if locked { icon::LOCK } else { icon::LOCK_OPEN };
        let what = if locked { "Unlock" } else { "Lock" };
        let tip = Command::from(PieceAction::Lock).tooltip(ui.ctx());
        if small_toggle(ui, lock, locked, &format!("{what} {}", row.title)).on_hover_text(tip).clicked() {
            let label = if locked { "Unlock feature" } else { "Lock feature" };
            set(document, layer, tree, &row.path, label, |p| p.locked ^= true);
        }
        let kind = match row.path.is_root() {
            true => piece.kind(),
            false if piece.name.is_empty() => "",
            false => piece.kind(),
        };
        ui.label(RichText::new(kind).small().color(colour::text_weak()));
        if !piece.link_group.is_empty() {
            let link = RichText::new(icon::LINK_SIMPLE).size(13.0).color(colour::text_weak());
            ui.label(link)
                .on_hover_text("Linked with a feature of another material layer, such as a lake with its water.");
        }
    } else {
        ui.label(RichText::new("none").small().color(colour::text_weak()));
    }
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| name(ui, document, state, tree, layer, row, tint));
    response.on_hover_text(row.help);
    command
}

fn small_toggle(ui: &mut Ui, symbol: &str, on: bool, label: &str) -> egui::Response {
    let tint = if on { colour::text_strong() } else { colour::text_weak() };
    let text = RichText::new(symbol).size(14.0).color(tint);
    let button = egui::Button::new(text).frame(false).min_size(vec2(20.0, 20.0));
    let response = ui.add(button);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label));
    response
}

/// Changes one piece.
pub fn set(
    document: &mut Document,
    layer: usize,
    tree: &Tree,
    path: &PiecePath,
    label: &str,
    change: impl FnOnce(&mut Piece),
) {
    let mut tree = tree.clone();
    if let Some(piece) = path.piece_mut(&mut tree) {
        let before = piece.clone();
        change(piece);
        edit::link_group::follow(&mut tree, &before, path, document.tree_seed(layer));
        document.edit_tree(layer, label, None, tree);
    }
}

fn name(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    tree: &Tree,
    layer: usize,
    row: &PieceRow,
    tint: egui::Color32,
) {
    let Some(renaming) = state.renaming.as_mut().filter(|renaming| renaming.path == row.path) else {
        // only paint the text, because the row itself has the accessible name
        let hidden = row.piece.is_none_or(|piece| piece.hidden);
        paint_text(ui, ui.available_rect_before_wrap(), &row.title, tint, hidden);
        return;
    };
    let id = egui::Id::new("rename piece");
    let field = egui::TextEdit::singleline(&mut renaming.text).id(id).desired_width(f32::INFINITY);
    let response = ui.add(field.margin(vec2(4.0, 1.0)));
    response.widget_info(|| egui::WidgetInfo {
        label: Some("Feature name".into()),
        ..egui::WidgetInfo::text_edit(true, &row.title, renaming.text.as_str(), "")
    });
    if response.lost_focus() {
        if !ui.input(|i| i.key_pressed(Key::Escape)) {
            let mut tree = tree.clone();
            edit::rename(&mut tree, &row.path, &renaming.text);
            document.edit_tree(layer, "Rename feature", None, tree);
        }
        state.renaming = None;
    } else if !response.has_focus() {
        response.request_focus();
        if !std::mem::replace(&mut renaming.begun, true) {
            crate::frame::widgets::row::select_all(ui, id, &renaming.text);
        }
    }
}

fn menu(ui: &mut Ui, piece: &Piece) -> Option<Command> {
    let mut chosen = None;
    let mut entries = vec![
        (PieceAction::Look, true),
        (PieceAction::Rename, true),
        (PieceAction::Duplicate, true),
        (PieceAction::Instance, true),
        (PieceAction::Hide, true),
        (PieceAction::Lock, true),
        (PieceAction::Tie, true),
        (PieceAction::Delete, true),
    ];
    if piece.takes_pieces() {
        entries.push((PieceAction::Dissolve, !piece.children().is_empty()));
    }
    for (action, enabled) in entries {
        let command = Command::from(action);
        if crate::frame::menu::entry(ui, &command, None, enabled, None) {
            chosen = Some(command);
        }
    }
    ui.separator();
    ui.menu_button(group_text(), |ui| chosen = operator_entries(ui).or(chosen.take()));
    chosen
}

/// Label of the menu of operators.
pub fn group_text() -> String {
    format!("{}  Group as", icon::UNITE)
}

/// The menu entries of the operators; returns the chosen command.
pub fn operator_entries(ui: &mut Ui) -> Option<Command> {
    let mut chosen = None;
    for wrap in Wrap::ALL {
        let command = Command::from(PieceAction::Group(wrap));
        if crate::frame::menu::entry(ui, &command, Some(operator_label(wrap)), true, None) {
            chosen = Some(command);
        }
    }
    chosen
}

#[allow(clippy::too_many_arguments, reason = "one function handles all drags")]
fn drag(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    tree: &Tree,
    layer: usize,
    rows: &[PieceRow],
    from: &PiecePath,
    top: f32,
    across: egui::Rangef,
) {
    let Some(at) = ui.ctx().pointer_latest_pos() else { return };
    ui.set_cursor_icon(CursorIcon::Grabbing);
    let landing = landing(rows, (at.y - top) / HEIGHT);
    let line = |k: usize, depth: usize, tint| {
        let (y, left) = (top + k as f32 * HEIGHT, across.min + 18.0 + depth as f32 * INDENT);
        ui.painter().hline(left..=across.max, y, Stroke::new(2.0, tint));
    };
    let spot = landing.map(|landing| {
        let (DropTarget::Between(spot, ..) | DropTarget::Into(spot, _)) = &landing;
        let allowed = may_relocate(tree, from, spot);
        let tint = if allowed.is_ok() { colour::accent() } else { colour::error() };
        match &landing {
            DropTarget::Between(_, k, depth) => line(*k, *depth, tint),
            DropTarget::Into(_, k) => {
                let rect = Rect::from_x_y_ranges(across, top + *k as f32 * HEIGHT..=top + (*k + 1) as f32 * HEIGHT);
                ui.painter().rect_stroke(rect, 4.0, Stroke::new(2.0, tint), StrokeKind::Inside);
            }
        }
        let parent = spot.parent.piece(tree).map_or_else(String::new, |piece| title_of(tree, &spot.parent, piece));
        state.hint = Some(match &allowed {
            Ok(()) => format!("Release to move it into {parent}, position {}", spot.at + 1),
            Err(why) => format!("Cannot move there: {why}"),
        });
        (spot.clone(), allowed.is_ok())
    });
    if ui.input(|i| !i.pointer.any_down()) {
        state.dragged = None;
        if let Some((spot, true)) = spot {
            let mut tree = tree.clone();
            if let Ok(there) = edit::relocate(&mut tree, from, &spot) {
                document.edit_tree(layer, "Move feature in the tree", None, tree);
                state.select(Some(there));
            }
        }
    }
}

/// The display name of a piece. A root is named after its material layer, or its name says that it is an original.
pub fn title_of(tree: &Tree, path: &PiecePath, piece: &Piece) -> String {
    match path.root {
        Root::Material(material) if path.is_root() => material_words(material).0.into(),
        Root::Definition(k) if path.is_root() => tree.definitions[k].name.clone(),
        _ => piece.title(),
    }
}

/// The target of a drop at a height of `y` rows below the top of the list.
fn landing(rows: &[PieceRow], y: f32) -> Option<DropTarget> {
    let k = (y.max(0.0) as usize).min(rows.len().checked_sub(1)?);
    let part = y - k as f32;
    let row = &rows[k];
    let takes = row.piece.is_some_and(Piece::takes_pieces);
    let into = || {
        let at = row.piece.map_or(0, |piece| piece.children().len());
        DropTarget::Into(Spot { parent: row.path.clone(), at }, k)
    };
    if row.path.is_root() || takes && (0.3..0.7).contains(&part) {
        return Some(into());
    }
    let parent = row.path.parent()?;
    if part < 0.5 {
        return Some(DropTarget::Between(Spot { parent, at: row.path.index() }, k, row.depth));
    }
    // the first member of an unfolded operator is in the next row
    let next = rows.get(k + 1).filter(|next| row.path.holds(&next.path));
    if next.is_some() {
        return Some(DropTarget::Between(Spot { parent: row.path.clone(), at: 0 }, k + 1, row.depth + 1));
    }
    Some(DropTarget::Between(Spot { parent, at: row.path.index() + 1 }, k + 1, row.depth))
}
