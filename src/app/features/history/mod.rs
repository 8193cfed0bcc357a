//! The list of applied and undone edits. A click on an edit undoes or redoes all edits up to it.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use egui::{Button, RichText, ScrollArea, vec2};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::theme::{colour, icon_button};

pub struct HistoryPlugin;

impl Plugin for HistoryPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<HistoryPanel>()
            .add_actions([HistoryAction::Toggle], run)
            .add_menu_part("Edit", 10, menu)
            .add_panel(
                DockedPanel {
                    size: [240.0, 320.0],
                    least: [180.0, 100.0],
                    ..DockedPanel::new("history", "History", DockEdge::Right)
                },
                Some(HistoryAction::Toggle.into()),
                |panel: Res<HistoryPanel>| PanelShown::from(panel.is_open),
                show,
            );
    }
}

/// Commands of the list of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryAction {
    /// Opens or closes the list of edits.
    Toggle,
    /// Undoes or redoes edits until the given number of edits is applied.
    GoTo(usize),
}

impl Action for HistoryAction {
    fn section(&self) -> &'static str {
        "Edit"
    }

    fn info(&self) -> Info {
        Info::new(
            "History",
            "Lists the edits of this scene. Click an edit to undo or redo up to it.",
            icon::LIST,
            keys![COMMAND + H],
        )
    }
}

/// Whether the list of edits is open.
#[derive(Resource, Default)]
struct HistoryPanel {
    is_open: bool,
}

fn run(In(action): In<HistoryAction>, mut editor: ResMut<Editor>, mut panel: ResMut<HistoryPanel>) {
    match action {
        HistoryAction::Toggle => panel.is_open = !panel.is_open,
        HistoryAction::GoTo(done) => {
            let doc = &mut editor.doc;
            while doc.edits_done().len() > done {
                doc.undo();
            }
            while doc.edits_done().len() < done && doc.redo_label().is_some() {
                doc.redo();
            }
        }
    }
}

fn menu(InMut(ui): InMut<Ui>, panel: Res<HistoryPanel>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, HistoryAction::Toggle, true, panel.is_open);
}

fn show(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("History").color(colour::text_strong()).strong());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let close = icon_button(ui, true, icon::X, "Close the history");
            if close.on_hover_text(HistoryAction::Toggle.tooltip(ui.ctx())).clicked() {
                queue.push(HistoryAction::Toggle);
            }
        });
    });
    let area = ScrollArea::vertical().id_salt("edits").auto_shrink(false).stick_to_bottom(true);
    area.show(ui, |ui| queue.extend(list(ui, &editor.doc).map(Into::into)));
}

/// Shows the edits, the oldest first; returns the command for a clicked edit.
fn list(ui: &mut Ui, doc: &Document) -> Option<HistoryAction> {
    let (done, undone) = (doc.edits_done(), doc.edits_undone());
    let mut chosen = None;
    let labels = std::iter::once("Original").chain(done.iter().copied()).chain(undone.iter().copied());
    for (k, label) in labels.enumerate() {
        let is_undone = k > done.len();
        let tint = if is_undone { colour::text_weak() } else { colour::text() };
        let text = if is_undone { RichText::new(label).italics() } else { RichText::new(label) };
        let button = Button::selectable(k == done.len(), text.color(tint)).min_size(vec2(ui.available_width(), 22.0));
        let response = ui.add(button.truncate());
        response.widget_info(|| {
            let name = format!("Edit {k}: {label}");
            egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, k == done.len(), name)
        });
        if response.clicked() {
            chosen = Some(HistoryAction::GoTo(k));
        }
    }
    chosen
}
