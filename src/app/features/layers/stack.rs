//! The layer list. The topmost layer comes first, and a row for the scene is at the bottom.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Align, CursorIcon, Key, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::layers::LayerAction;
use crate::features::layers::add_menu;
use crate::features::layers::add_menu::AddMenu;
use crate::features::layers::parameters::shows_mix;
use crate::frame::commands::Command;
use crate::frame::document::{Document, Selection, StackPosition};
use crate::frame::status::StatusInfo;
use crate::frame::theme::{ROW, colour, icon_button, icon_toggle, paint_text};
use crate::frame::user_library::OwnPreset;
use talweg::nodes::{Node, NodeKind, Reads};
use talweg::scene::{Blend, Layer, LayerReader, Problem};

/// The layer whose name the user edits.
#[derive(Debug)]
struct LayerRename {
    index: usize,
    /// The text in the name field.
    text: String,
    /// Whether the text field has received the focus.
    begun: bool,
}

/// State of the layer list.
#[derive(Resource, Debug, Default)]
pub struct StackState {
    renaming: Option<LayerRename>,
    pub add_menu: AddMenu,
    /// Names of the folded groups.
    folded: HashSet<String>,
    /// Whether to show the cost of each layer.
    shows_costs: bool,
    /// Last computation time of each layer, by name.
    costs: HashMap<String, Duration>,
    /// Height of the title and all rows in the last frame, in points.
    height: f32,
}

impl StackState {
    /// Starts editing the name of a layer.
    pub fn rename(&mut self, document: &Document, index: usize) {
        let layer = document.scene().layers.get(index);
        self.renaming = layer.map(|layer| LayerRename { index, text: layer.name.clone(), begun: false });
    }
}

impl StackState {
    /// Stores computation times. A layer whose result came from the cache keeps its previous time.
    fn note_costs(&mut self, document: &Document, costs: &[(usize, Duration)]) {
        for (index, spent) in costs {
            if let Some(layer) = document.scene().layers.get(*index) {
                self.costs.insert(layer.name.clone(), *spent);
            }
        }
    }

    /// Height of the title and all rows, in points.
    pub fn height(&self) -> f32 {
        self.height
    }

    /// Cancels the editing of a name; returns whether a name was being edited.
    pub fn stop_renaming(&mut self) -> bool {
        self.renaming.take().is_some()
    }
}

/// Indentation of a row, in points, for each group that contains the layer.
const INDENT: f32 = 14.0;

/// The icon of a node, which depends on its kind and category.
pub fn node_icon(node: &Node) -> &'static str {
    match (node.work(), node.about().category) {
        (_, "Layers") => icon::FOLDER,
        (NodeKind::Process(_), _) => icon::DROP_HALF,
        (NodeKind::Filter(_), _) => icon::SLIDERS,
        (NodeKind::Generator(_), "Noise") => icon::WAVE_SINE,
        (NodeKind::Generator(_), "Planet") => icon::PLANET,
        (NodeKind::Generator(_), "Construction") => icon::SHAPES,
        (NodeKind::Generator(_), _) => icon::MOUNTAINS,
        (NodeKind::Reference(_), _) => icon::LINK,
    }
}

/// Shows the list. Returns the command that the menu of a row issued, if any.
pub fn show(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut StackState,
    offered: (&[String], &[OwnPreset]),
    info: &StatusInfo,
) -> Option<Command> {
    let mut command = None;
    state.note_costs(document, &info.insight.costs);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Layers").strong().size(14.0));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let world = document.scene().settings.world;
            command = add_menu::button(ui, &mut state.add_menu, offered, world).map(Command::from);
            let costs = icon_toggle(ui, true, state.shows_costs, icon::TIMER, "Layer costs");
            let tip = "Shows how long each layer took in its last computation, and its approximate memory use.";
            if costs.on_hover_text(tip).clicked() {
                state.shows_costs = !state.shows_costs;
            }
        });
    });
    ui.add_space(2.0);
    let top = ui.max_rect().top();
    let area = egui::ScrollArea::vertical().id_salt("stack").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        if document.scene().layers.is_empty() {
            empty_hint(ui);
        }
        command = layers(ui, document, state, &info.problems).or(command.take());
        scene_row(ui, document);
    });
    let height = (area.inner_rect.top() - top + area.content_size.y).ceil();
    if state.height != height {
        state.height = height;
        ui.ctx().request_repaint();
    }
    command
}

fn empty_hint(ui: &mut Ui) {
    ui.vertical_centered(|ui| {
        ui.add_space(18.0);
        ui.label(RichText::new(icon::MOUNTAINS).size(34.0).color(colour::text_weak()));
        ui.label(RichText::new("Add a generator to begin").color(colour::text_strong()));
        ui.weak("Layers act from bottom to top.");
        ui.add_space(12.0);
    });
}

fn layers(ui: &mut Ui, document: &mut Document, state: &mut StackState, problems: &[Problem]) -> Option<Command> {
    let mut command = None;
    let mut rows = Vec::new();
    let mut carried = None;
    for index in shown_rows(document, state) {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW + 2.0), Sense::click_and_drag());
        rows.push((index, rect));
        if response.clicked() {
            let modifiers = ui.input(|i| i.modifiers);
            match (modifiers.shift, modifiers.command) {
                (true, _) => document.select_range(index),
                (false, true) => document.toggle_selected(index),
                _ => document.select(Selection::Layer(index)),
            }
        }
        if (response.dragged() || response.drag_stopped()) && response.interact_pointer_pos().is_some() {
            carried = Some((index, response.clone()));
        }
        let troubled = problems.iter().find(|problem| problem.layer == index);
        command = command.or(row(ui, document, state, index, rect, &response, troubled));
    }
    if let Some((from, response)) = carried
        && let Some(at) = response.interact_pointer_pos()
    {
        ui.set_cursor_icon(CursorIcon::Grabbing);
        let gap = rows.iter().take_while(|(_, row)| row.center().y < at.y).count();
        let place = place_of_gap(document, state, &rows, gap, at.x);
        mark_gap(ui, &rows, gap, place.depth);
        if response.drag_stopped() {
            document.move_layers(from, place);
        }
    }
    command
}

/// The layers that have rows, from the topmost to the lowest. Layers in folded groups have no rows.
fn shown_rows(document: &Document, state: &StackState) -> Vec<usize> {
    let scene = document.scene();
    let mut rows = Vec::with_capacity(scene.layers.len());
    let mut next = scene.layers.len();
    while let Some(index) = next.checked_sub(1) {
        rows.push(index);
        next = if state.folded.contains(&scene.layers[index].name) { scene.block(index).start } else { index };
    }
    rows
}

/// The target of a drop between two rows. The layer is inserted below the upper row. If several nesting depths are
/// possible between the rows, the horizontal position of the pointer selects one of them.
fn place_of_gap(document: &Document, state: &StackState, rows: &[(usize, Rect)], gap: usize, x: f32) -> StackPosition {
    let scene = document.scene();
    let (index, most) = match gap.checked_sub(1).map(|above| rows[above].0) {
        None => (scene.layers.len(), 0),
        Some(above) => {
            let (layer, is_group) = (&scene.layers[above], scene.group(above).is_some());
            let is_folded = is_group && state.folded.contains(&layer.name);
            let index = if is_folded { scene.block(above).start } else { above };
            (index, layer.depth + u32::from(is_group && !is_folded))
        }
    };
    let least = rows.get(gap).map_or(0, |(below, _)| scene.layers[*below].depth).min(most);
    let from_left = rows.first().map_or(0.0, |(_, row)| x - row.left() - 2.0 * INDENT);
    StackPosition { index, depth: ((from_left / INDENT).max(0.0) as u32).clamp(least, most) }
}

fn mark_gap(ui: &Ui, rows: &[(usize, Rect)], gap: usize, depth: u32) {
    let Some((_, last)) = rows.last() else { return };
    let (row, y) = rows.get(gap).map_or((last, last.bottom() + 1.0), |(_, row)| (row, row.top() - 1.0));
    let line = egui::Rangef::new(row.left() + depth as f32 * INDENT, row.right());
    ui.painter().hline(line, y, Stroke::new(2.0, colour::accent()));
}

fn row(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut StackState,
    index: usize,
    rect: Rect,
    response: &egui::Response,
    troubled: Option<&Problem>,
) -> Option<Command> {
    let layer = document.scene().layers[index].clone();
    let selected = document.selected_layers().contains(&index);
    let solo = document.solo() == Some(index);
    background(ui, rect, selected, response.hovered());
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, selected, layer.name.as_str())
    });
    if response.double_clicked() {
        state.rename(document, index);
    }
    let mut command = None;
    response.context_menu(|ui| {
        // a context menu on one of several selected layers applies to all of them
        if !document.selected_layers().contains(&index) {
            document.select(Selection::Layer(index));
        }
        command = menu(ui, document, index);
    });

    let inner = rect.shrink2(vec2(4.0, 0.0));
    let inner = inner.with_min_x(inner.left() + layer.depth as f32 * INDENT);
    let mut inside = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::left_to_right(Align::Center)));
    let ui = &mut inside;
    ui.spacing_mut().item_spacing.x = 4.0;
    let grip = if selected { colour::text() } else { colour::text_weak() };
    ui.label(RichText::new(icon::DOTS_SIX_VERTICAL).color(grip));
    let (eye, what) = if layer.enabled { (icon::EYE, "Hide") } else { (icon::EYE_SLASH, "Show") };
    let eye = icon_button(ui, true, eye, &format!("{what} {}", layer.name));
    let tip = format!("{}. Alt-click shows the layer alone.", Command::from(LayerAction::Toggle).tooltip(ui.ctx()));
    if eye.on_hover_text(tip).clicked() {
        match ui.input(|input| input.modifiers.alt) {
            true => document.toggle_solo(index),
            false => document.toggle_layer(index),
        }
    }
    let is_left_out = document.last_evaluated().is_some_and(|end| index > end);
    let dim = is_left_out
        || !document.scene().is_shown(index)
        || document.solo().is_some_and(|s| s != index && hidden_by_solo(document, s, index));
    let tint = match (dim, selected) {
        (true, _) => colour::text_weak(),
        (false, true) => colour::text_strong(),
        (false, false) => colour::text(),
    };
    if document.scene().group(index).is_some() {
        fold_button(ui, state, &layer, tint);
    } else {
        ui.label(RichText::new(node_icon(&layer.node)).size(16.0).color(tint));
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let button = icon_toggle(ui, true, solo, icon::STAR, &format!("Solo {}", layer.name));
        if button.on_hover_text(Command::from(LayerAction::Solo).tooltip(ui.ctx())).clicked() {
            document.toggle_solo(index);
        }
        if let Some(problem) = troubled {
            ui.label(RichText::new(icon::WARNING).color(colour::warning())).on_hover_text(&problem.message);
        }
        if let Some(tip) = reading_text(&layer, index) {
            let mark = ui.label(RichText::new(icon::LINK).color(colour::text_weak()));
            let name = format!("{} reads other layers", layer.name);
            mark.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, &name));
            mark.on_hover_text(tip);
        }
        if layer.locked {
            let tip = "Locked: unlock the layer to edit it.";
            ui.label(RichText::new(icon::LOCK_SIMPLE).color(colour::text_weak())).on_hover_text(tip);
        }
        if !layer.note.is_empty() {
            ui.label(RichText::new(icon::NOTE).color(colour::text_weak())).on_hover_text(&layer.note);
        }
        if document.last_evaluated() == Some(index) {
            let tip = "The layers above are not evaluated.";
            ui.label(RichText::new(icon::ARROW_LINE_UP).color(colour::accent())).on_hover_text(tip);
        }
        let text = match state.shows_costs {
            true => cost(document, &layer, state.costs.get(&layer.name)),
            false => hint(document, &layer, index),
        };
        ui.label(RichText::new(text).small().color(colour::text_weak()));
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| name(ui, document, state, index, &layer, tint));
    });
    command
}

fn name(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut StackState,
    index: usize,
    layer: &Layer,
    tint: egui::Color32,
) {
    let Some(LayerRename { text, begun, .. }) = state.renaming.as_mut().filter(|renaming| renaming.index == index)
    else {
        // only paint the text, because the row itself has the accessible name
        paint_text(ui, ui.available_rect_before_wrap(), &layer.name, tint, !layer.enabled);
        return;
    };
    // use an id that does not depend on the rest of the row
    let id = egui::Id::new(("rename layer", index));
    let response = ui.add(egui::TextEdit::singleline(text).id(id).desired_width(f32::INFINITY).margin(vec2(4.0, 2.0)));
    response.widget_info(|| egui::WidgetInfo {
        label: Some("Layer name".into()),
        ..egui::WidgetInfo::text_edit(true, &layer.name, text.as_str(), "")
    });
    if response.lost_focus() {
        if !ui.input(|i| i.key_pressed(Key::Escape)) {
            document.rename_layer(index, text);
        }
        state.renaming = None;
    } else if !response.has_focus() {
        response.request_focus();
        // select the text only once; otherwise each typed character would replace the previous one
        if !std::mem::replace(begun, true) {
            crate::frame::widgets::row::select_all(ui, id, text);
        }
    }
}

/// The icon of a group; a click folds or unfolds it.
fn fold_button(ui: &mut Ui, state: &mut StackState, layer: &Layer, tint: egui::Color32) {
    let is_folded = state.folded.contains(&layer.name);
    let (symbol, what) = if is_folded { (icon::FOLDER, "Unfold") } else { (icon::FOLDER_OPEN, "Fold") };
    let label = egui::Label::new(RichText::new(symbol).size(16.0).color(tint)).sense(Sense::click());
    let response = ui.add(label).on_hover_text(format!("{what} the layers of the group."));
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("{what} {}", layer.name)));
    if response.clicked() {
        let _ = match is_folded {
            true => state.folded.remove(&layer.name),
            false => state.folded.insert(layer.name.clone()),
        };
    }
}

fn hidden_by_solo(document: &Document, solo: usize, index: usize) -> bool {
    let scene = document.scene();
    if scene.block(solo).contains(&index) || scene.groups_around(solo).contains(&index) {
        return false;
    }
    index > solo || scene.layers[solo].node.makes_heights()
}

/// The other layers that the node and the mask of the layer read, in a sentence. `None` if they read none.
fn reading_text(layer: &Layer, index: usize) -> Option<String> {
    let read = |reader: LayerReader| {
        let (who, reference) = match reader {
            LayerReader::Node(_) => ("The layer", layer.node.reference()?),
            LayerReader::Mask(_) => ("The mask", layer.mask.reference()),
        };
        let value = match reference.reads {
            Reads::Height => "the height".to_string(),
            Reads::Mask => "the mask".to_string(),
            Reads::Data => format!("the map {}", reference.data.label()),
        };
        reference.is_set().then(|| format!("{who} reads {value} of {}.", reference.in_words()))
    };
    let told: Vec<String> = layer.readers(index).filter_map(read).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Short text about the layer: its blending mode, or the position of its playhead.
fn hint(document: &Document, layer: &Layer, index: usize) -> String {
    if let (Some(playhead), Some(total)) = (document.transport().playhead(), document.scene().timeline_end(index))
        && playhead.layer == index
    {
        return format!("{} / {total}", playhead.iteration);
    }
    let mut parts = Vec::new();
    if layer.mask.is_active() {
        parts.push("masked".to_string());
    }
    if layer.mix.opacity < 1.0 {
        parts.push(format!("{:.0} %", layer.mix.opacity * 100.0));
    }
    if shows_mix(layer, "blend") && layer.mix.blend != Blend::Replace {
        parts.push(layer.mix.blend.label().to_lowercase());
    }
    parts.join(", ")
}

/// Text with the layer's last computation time and the approximate memory of its fields and maps.
fn cost(document: &Document, layer: &Layer, spent: Option<&Duration>) -> String {
    let traits = layer.node.traits();
    let fields = f64::from(traits.memory.fields) + 2.0 + traits.writes.len() as f64;
    let scene = document.scene();
    let megabytes = fields * 4.0 * scene.grid(scene.samples()).len() as f64 / f64::from(1 << 20);
    let time = match spent {
        Some(spent) if spent.as_secs_f64() >= 1.0 => format!("{:.1} s", spent.as_secs_f64()),
        Some(spent) => format!("{:.0} ms", spent.as_secs_f64() * 1e3),
        None => "–".into(),
    };
    format!("{time}, {megabytes:.0} MB")
}

fn menu(ui: &mut Ui, document: &Document, index: usize) -> Option<Command> {
    let top = document.scene().layers.len() - 1;
    let entries = [
        (Command::from(LayerAction::Rename), true),
        (Command::from(LayerAction::Duplicate), true),
        (Command::from(LayerAction::Solo), true),
        (Command::from(LayerAction::Toggle), true),
        (Command::from(LayerAction::EvaluateToHere), true),
        (Command::from(LayerAction::Lock), true),
        (Command::from(LayerAction::Note), true),
        (Command::from(LayerAction::SavePreset), true),
        (Command::from(LayerAction::GroupLayers), true),
        (Command::from(LayerAction::Ungroup), document.scene().group(index).is_some()),
        (Command::from(LayerAction::MoveUp), index < top),
        (Command::from(LayerAction::MoveDown), index > 0),
        (Command::from(LayerAction::Delete), true),
    ];
    let mut chosen = None;
    for (command, enabled) in entries {
        if crate::frame::menu::entry(ui, &command, None, enabled, None) {
            chosen = Some(command);
        }
    }
    chosen
}

fn scene_row(ui: &mut Ui, document: &mut Document) {
    ui.add_space(2.0);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW + 2.0), Sense::click());
    let selected = document.selection() == Selection::Scene;
    background(ui, rect, selected, response.hovered());
    let tint = if selected { colour::text_strong() } else { colour::text() };
    let symbol = egui::FontId::proportional(16.0);
    let at = pos2(rect.left() + 21.0, rect.center().y);
    ui.painter().text(at, egui::Align2::LEFT_CENTER, icon::GEAR_SIX, symbol, tint);
    paint_text(ui, rect.with_min_x(rect.left() + 46.0), "Scene settings", tint, false);
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, selected, "Scene settings")
    });
    let response = response.on_hover_text("Size, resolution, sea, sun and colours of the whole scene.");
    if response.clicked() {
        document.select(Selection::Scene);
    }
}

fn background(ui: &Ui, rect: Rect, selected: bool, hovered: bool) {
    if selected {
        ui.painter().rect(
            rect,
            4.0,
            colour::accent_deep(),
            Stroke::new(1.0, colour::accent().gamma_multiply(0.5)),
            StrokeKind::Inside,
        );
    } else if hovered {
        ui.painter().rect_filled(rect, 4.0, colour::raised());
    }
}
