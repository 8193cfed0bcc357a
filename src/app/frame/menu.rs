//! The menu bar. It only lists commands; what they do is decided in [`crate::app::frame::editor::Editor`].

use bevy_egui::egui;
use egui::{Button, RichText, Ui};
use egui_phosphor::regular as icon;

use crate::app::features::compare::panel::NO_COMPARING;
use crate::app::features::layers::add_menu::misfit;
use crate::app::frame::commands::{Command, CompareAction, GlobeWay, PieceAction, ViewAction, ViewMode};
use crate::app::frame::editor::Editor;
use crate::app::frame::theme::colour;
use crate::construction::Form;
use crate::construction::edit::{Wrap, points};
use crate::nodes::Node;

/// Shows the bar; returns the command that was chosen.
pub fn bar(ui: &mut Ui, editor: &mut Editor) -> Option<Command> {
    let mut chosen = None;
    egui::MenuBar::new().ui(ui, |ui| {
        ui.spacing_mut().button_padding = egui::vec2(8.0, 4.0);
        ui.menu_button("File", |ui| file(ui, editor, &mut chosen));
        ui.menu_button("Edit", |ui| {
            for (command, label) in [(Command::Undo, editor.doc.undo_label()), (Command::Redo, editor.doc.redo_label())]
            {
                let text = label.map(|label| format!("{} {label}", command.info().label));
                pick(ui, &mut chosen, command, text.as_deref(), label.is_some());
            }
        });
        ui.menu_button("Layer", |ui| layer(ui, editor, &mut chosen));
        ui.menu_button("Piece", |ui| piece(ui, editor, &mut chosen));
        ui.menu_button("Erosion", |ui| erosion(ui, editor, &mut chosen));
        ui.menu_button("View", |ui| view(ui, editor, &mut chosen));
        ui.menu_button("Compare", |ui| compare(ui, editor, &mut chosen));
        ui.menu_button("Help", |ui| {
            pick(ui, &mut chosen, Command::Benchmark, None, true);
            ui.separator();
            pick(ui, &mut chosen, Command::Shortcuts, None, true);
            pick(ui, &mut chosen, Command::About, None, true);
        });
        let (name, unsaved) = (editor.doc.name(), editor.doc.is_dirty());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(6.0);
            let text = if unsaved { format!("{name} •") } else { name };
            let label = egui::Label::new(RichText::new(text).color(colour::TEXT_WEAK)).truncate();
            ui.add(label).on_hover_text(if unsaved { "There are unsaved changes." } else { "Everything is saved." });
        });
    });
    chosen
}

fn file(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>) {
    pick(ui, chosen, Command::New, None, true);
    pick(ui, chosen, Command::NewPlanet, None, true);
    pick(ui, chosen, Command::Open, None, true);
    let recent = editor.recent.paths();
    ui.add_enabled_ui(!recent.is_empty(), |ui| {
        ui.menu_button(format!("{}  Open recent", icon::CLOCK_COUNTER_CLOCKWISE), |ui| {
            for path in recent {
                pick(ui, chosen, Command::OpenRecent(path.clone()), None, true);
            }
        });
    });
    ui.add_enabled_ui(!editor.examples.is_empty(), |ui| {
        ui.menu_button(format!("{}  Examples", icon::MOUNTAINS), |ui| {
            egui::ScrollArea::vertical().max_height(ui.ctx().viewport_rect().height() - 160.0).show(ui, |ui| {
                for example in &editor.examples {
                    pick(ui, chosen, Command::Example(example.name.clone()), None, true);
                }
            });
        });
    });
    ui.separator();
    pick(ui, chosen, Command::Save, None, true);
    pick(ui, chosen, Command::SaveAs, None, true);
    pick(ui, chosen, Command::ExportHeightmap, None, true);
    pick(ui, chosen, Command::ExportTimelapse, None, true);
    ui.separator();
    pick(ui, chosen, Command::OpenBiomes, None, true);
    pick(ui, chosen, Command::SaveBiomes, None, editor.doc.scene().biome_table().is_some());
    ui.separator();
    let is_planet = editor.doc.scene().as_planet().is_some();
    pick(ui, chosen, Command::Compare(CompareAction::WithScene), None, !is_planet);
    ui.separator();
    pick(ui, chosen, Command::Quit, None, true);
}

fn layer(ui: &mut Ui, editor: &mut Editor, chosen: &mut Option<Command>) {
    let world = editor.doc.scene().settings.world;
    ui.menu_button(format!("{}  Add", icon::PLUS), |ui| {
        let mut category = "";
        let catalogue = Node::catalogue();
        for about in catalogue.iter().map(Node::about) {
            if about.category == category {
                continue;
            }
            category = about.category;
            ui.menu_button(category, |ui| {
                for node in catalogue.iter().filter(|node| node.about().category == category) {
                    let about = node.about();
                    let button = ui.add_enabled(node.fits(world), egui::Button::new(about.label));
                    if button.on_hover_text(about.help).on_disabled_hover_text(misfit(world)).clicked() {
                        *chosen = Some(Command::Add(Box::new(node.clone())));
                    }
                }
            });
        }
    });
    ui.separator();
    let selected = editor.doc.selected_layer();
    let top = editor.doc.scene().layers.len().saturating_sub(1);
    for command in [Command::RenameLayer, Command::DuplicateLayer, Command::SoloLayer, Command::ToggleLayer] {
        pick(ui, chosen, command, None, selected.is_some());
    }
    pick(ui, chosen, Command::MoveLayerUp, None, selected.is_some_and(|index| index < top));
    pick(ui, chosen, Command::MoveLayerDown, None, selected.is_some_and(|index| index > 0));
    pick(ui, chosen, Command::DeleteLayer, None, selected.is_some());
    ui.separator();
    if entry(ui, &Command::Variants, None, true, Some(editor.variants.is_open())) {
        *chosen = Some(Command::Variants);
    }
    ui.separator();
    let is_planet = editor.doc.scene().as_planet().is_some();
    pick(ui, chosen, Command::TakePatch, None, is_planet);
    pick(ui, chosen, Command::PutPatchBack, None, !is_planet && editor.doc.scene().patch.is_some());
    ui.separator();
    pick(ui, chosen, Command::Recompute, None, true);
}

/// What can be done with the pieces of a construction.
fn piece(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>) {
    let tree = editor.doc.tree().map(|(_, tree)| tree);
    let selected = tree.zip(editor.pieces.selected()).and_then(|(tree, way)| way.of(tree));
    let (construction, is_there) = (tree.is_some(), selected.is_some());
    let is_line = selected.is_some_and(|piece| points::line(piece).is_some());
    if !construction {
        ui.weak("Select a layer of the kind Construction.");
        ui.separator();
    }
    let on = |action: PieceAction| match action {
        PieceAction::Library => Some(construction && !editor.pieces.library_folded),
        PieceAction::Follow => Some(editor.pieces.follows),
        _ => None,
    };
    for action in PieceAction::all() {
        let enabled = match action {
            // keys are enough for these
            PieceAction::Push(_) | PieceAction::PushFar(_) => continue,
            PieceAction::Library | PieceAction::Follow => construction,
            PieceAction::Lay | PieceAction::Fall => is_line,
            PieceAction::Dissolve => selected.is_some_and(|piece| !piece.of().is_empty()),
            PieceAction::Bend => {
                selected.is_some_and(|p| matches!(&p.form, Form::Contour(contour) if contour.points.is_empty()))
            }
            _ => is_there,
        };
        if matches!(action, PieceAction::Rename | PieceAction::Group(Wrap::Blend) | PieceAction::Lay) {
            ui.separator();
        }
        let command = Command::Piece(action);
        if entry(ui, &command, None, enabled, on(action)) {
            *chosen = Some(command);
        }
    }
}

fn erosion(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>) {
    let process = editor.doc.process().is_some();
    for command in [Command::PlayPause, Command::StepForward, Command::StepBack, Command::ToStart, Command::ToEnd] {
        pick(ui, chosen, command, None, process);
    }
    ui.separator();
    pick(ui, chosen, Command::ContinueFromHere, None, editor.doc.offer().is_some());
    pick(ui, chosen, Command::Branch, None, process);
    pick(ui, chosen, Command::CompareBranch, None, !editor.doc.branches().is_empty());
    ui.separator();
    let charts = Command::ToggleCharts;
    if entry(ui, &charts, None, true, Some(editor.doc.is_watching())) {
        *chosen = Some(charts);
    }
}

fn view(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>) {
    let (over, plain): (Vec<_>, Vec<_>) =
        Command::view().into_iter().partition(|action| matches!(action, ViewAction::Overlay(_)));
    let is_planet = editor.doc.scene().as_planet().is_some();
    for action in plain {
        if matches!(action, ViewAction::Way(_)) && !is_planet {
            continue;
        }
        if matches!(action, ViewAction::Way(GlobeWay::Globe)) {
            ui.separator();
        }
        if matches!(action, ViewAction::Mode(ViewMode::Shaded)) {
            ui.separator();
        }
        if matches!(action, ViewAction::ToggleWater) {
            ui.separator();
            let menu = ui.menu_button(format!("{}  Overlay", icon::STACK), |ui| {
                for action in &over {
                    view_entry(ui, editor, chosen, *action);
                }
            });
            menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Overlay"));
        }
        view_entry(ui, editor, chosen, action);
    }
    if entry(ui, &Command::SliderGhosts, None, true, Some(editor.variants.ghosts.is_on)) {
        *chosen = Some(Command::SliderGhosts);
    }
    measures(ui, editor, chosen);
}

fn measures(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>) {
    ui.separator();
    let measures = Command::ToggleMeasures;
    if entry(ui, &measures, None, true, Some(editor.measures.open)) {
        *chosen = Some(measures);
    }
    let biomes = Command::ToggleBiomes;
    if entry(ui, &biomes, None, true, Some(editor.biomes.open)) {
        *chosen = Some(biomes);
    }
}

fn compare(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>) {
    let is_on = editor.compare.is_on();
    if editor.doc.scene().as_planet().is_some() && !is_on {
        ui.label(RichText::new(NO_COMPARING).color(colour::TEXT_WEAK));
        return;
    }
    if let Some(command) = crate::app::features::compare::panel::choose(ui, &editor.doc) {
        *chosen = Some(command);
    }
    ui.separator();
    for action in CompareAction::all() {
        let on = match action {
            CompareAction::Show(way) => is_on && editor.compare.way == way,
            CompareAction::Swap => editor.compare.swapped,
            CompareAction::Table => is_on && editor.compare.table,
            _ => continue,
        };
        let command = Command::Compare(action);
        if entry(ui, &command, None, is_on || matches!(action, CompareAction::Show(_)), Some(on)) {
            *chosen = Some(command);
        }
    }
    ui.separator();
    pick(ui, chosen, Command::Compare(CompareAction::Toggle), is_on.then_some("End comparing"), true);
}

fn view_entry(ui: &mut Ui, editor: &Editor, chosen: &mut Option<Command>, action: ViewAction) {
    let on = match action {
        ViewAction::Mode(mode) => Some(editor.view.mode == mode),
        ViewAction::Overlay(overlay) => Some(editor.view.overlay == overlay),
        ViewAction::ToggleWater => Some(editor.view.water),
        ViewAction::Way(way) => Some(editor.view.way == way),
        _ => None,
    };
    let command = Command::View(action);
    if entry(ui, &command, None, true, on) {
        *chosen = Some(command);
    }
}

fn pick(ui: &mut Ui, chosen: &mut Option<Command>, command: Command, text: Option<&str>, enabled: bool) {
    if entry(ui, &command, text, enabled, None) {
        *chosen = Some(command);
    }
}

/// One line of a menu: icon (or a tick when `on` is told), label, shortcut. Returns whether it was chosen.
pub fn entry(ui: &mut Ui, command: &Command, text: Option<&str>, enabled: bool, on: Option<bool>) -> bool {
    let info = command.info();
    let label = text.unwrap_or(&info.label).to_string();
    let symbol = match on {
        Some(true) => icon::CHECK,
        Some(false) => "    ",
        None => info.icon,
    };
    let mut button = Button::new(format!("{symbol}  {label}")).min_size(egui::vec2(190.0, 24.0));
    if let Some(shortcut) = info.shortcuts.first() {
        button = button.shortcut_text(ui.ctx().format_shortcut(shortcut));
    }
    let response = ui.add_enabled(enabled, button).on_hover_text(&info.tooltip);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, &label));
    if response.clicked() {
        ui.close();
    }
    response.clicked()
}
