//! The list of edits: what was done, what was undone, and a click to go there.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use egui::{Button, RichText, ScrollArea, vec2};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::tick;
use crate::frame::theme::colour;

pub struct HistoryPlugin;

impl Plugin for HistoryPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<HistoryWindow>()
            .add_actions([HistoryAction::Toggle], run)
            .add_closing(|mut window: ResMut<HistoryWindow>| std::mem::replace(&mut window.is_open, false))
            .add_menu_part("Edit", 10, menu)
            .add_part(Slot::Window, window);
    }
}

/// What can be done about the list of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryAction {
    /// Opens the list, or closes it.
    Toggle,
    /// Undoes or redoes until so many edits are done.
    GoTo(usize),
}

impl Action for HistoryAction {
    fn section(&self) -> &'static str {
        "Edit"
    }

    fn info(&self) -> Info {
        Info::new(
            "History",
            "Lists the edits of this scene; a click undoes or redoes up to there.",
            icon::LIST,
            keys![COMMAND + H],
        )
    }
}

/// Whether the list is shown.
#[derive(Resource, Default)]
struct HistoryWindow {
    is_open: bool,
}

fn run(In(action): In<HistoryAction>, mut editor: ResMut<Editor>, mut window: ResMut<HistoryWindow>) {
    match action {
        HistoryAction::Toggle => window.is_open = !window.is_open,
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

fn menu(InMut(ui): InMut<Ui>, window: Res<HistoryWindow>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, HistoryAction::Toggle, true, window.is_open);
}

fn window(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    frame: Res<InterfaceFrame>,
    mut window: ResMut<HistoryWindow>,
    mut queue: ResMut<CommandQueue>,
) {
    if !window.is_open {
        return;
    }
    let ctx = ui.ctx().clone();
    let free = frame.free_rect;
    let shown = egui::Window::new("History").open(&mut window.is_open).collapsible(false).resizable(false);
    let shown = shown.default_pos(free.right_top() + vec2(-260.0, 12.0)).constrain_to(ctx.viewport_rect());
    shown.show(&ctx, |ui| {
        ui.set_width(230.0);
        let height = (ctx.viewport_rect().height() - 180.0).clamp(120.0, 420.0);
        let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height).stick_to_bottom(true);
        area.show(ui, |ui| queue.extend(list(ui, &editor.doc).map(Into::into)));
    });
}

/// Shows the edits, the oldest first; returns where somebody wants to go.
fn list(ui: &mut Ui, doc: &Document) -> Option<HistoryAction> {
    let (done, undone) = (doc.edits_done(), doc.edits_undone());
    let mut chosen = None;
    let labels = std::iter::once("Beginning").chain(done.iter().copied()).chain(undone.iter().copied());
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
