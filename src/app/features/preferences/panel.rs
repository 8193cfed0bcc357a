//! The preferences window.

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Button, DragValue, RichText, ScrollArea, Ui, vec2};

use super::keys_page;
use crate::frame::commands::{Command, CommandRegistry};
use crate::frame::dialogs::modals::scroll_by_keys;
use crate::frame::editor::Editor;
use crate::frame::theme::colour;
use crate::frame::widgets::params::own_rows;
use talweg::preferences::{InterfacePreferences, MOST_VERSIONS};

/// A page of the preferences window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreferencesPage {
    /// Theme, size, motion and storage settings.
    #[default]
    Interface,
    /// The keys of all commands.
    Keys,
}

/// State of the preferences window.
#[derive(Resource, Default)]
pub struct PreferencesState {
    pub is_open: bool,
    pub page: PreferencesPage,
    /// Search text for the commands.
    pub search: String,
    /// The command to which the next key press will be assigned.
    pub listening: Option<Command>,
    /// The current interface size in percent; `None` without a window.
    pub drawn_percent: Option<f32>,
}

impl PreferencesState {
    /// Closes the window; returns whether it was open.
    pub fn close(&mut self) -> bool {
        self.listening = None;
        std::mem::replace(&mut self.is_open, false)
    }
}

/// Shows the window if it is open.
pub fn window(
    ctx: &egui::Context,
    state: &mut PreferencesState,
    editor: &mut Editor,
    registry: &CommandRegistry,
    free: egui::Rect,
) {
    if !state.is_open {
        return;
    }
    let screen = ctx.viewport_rect().shrink(10.0);
    let most = screen.size() - vec2(26.0, 60.0);
    let mut is_open = true;
    egui::Window::new("Preferences")
        .open(&mut is_open)
        .collapsible(false)
        .resizable(false)
        .default_pos(free.left_top() + vec2(24.0, 24.0))
        .constrain_to(screen)
        .show(ctx, |ui| {
            ui.set_width(480.0_f32.min(most.x));
            ui.horizontal(|ui| {
                for (page, title) in
                    [(PreferencesPage::Interface, "Interface"), (PreferencesPage::Keys, "Keyboard shortcuts")]
                {
                    if ui.add(Button::selectable(state.page == page, title)).clicked() {
                        state.page = page;
                        state.listening = None;
                    }
                }
            });
            ui.separator();
            let height = 460.0_f32.min(most.y - 80.0);
            match state.page {
                PreferencesPage::Interface => interface_page(ui, editor, state.drawn_percent, height),
                PreferencesPage::Keys => keys_page::show(ui, state, &mut editor.keymap, registry, height),
            }
        });
    if !is_open {
        state.close();
    }
}

fn interface_page(ui: &mut Ui, editor: &mut Editor, drawn_percent: Option<f32>, height: f32) {
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        scroll_by_keys(ui);
        ui.set_width(ui.available_width() - 10.0);
        own_rows(ui, &mut editor.interface);
        let style = editor.interface.mouse_style;
        ui.label(RichText::new(format!("{} Scroll to zoom.", style.help())).small().color(colour::text_weak()));
        if let Some(shown) = drawn_percent.filter(|shown| *shown < editor.interface.scale - 0.5) {
            let wanted = editor.interface.scale;
            let text = format!("The window is too small for {wanted:.0} %; it is shown at {shown:.0} %.");
            ui.label(RichText::new(text).small().color(colour::warning()));
        }
        ui.separator();
        ui.horizontal(|ui| {
            let label = ui.label("Earlier versions to keep per file");
            ui.add(DragValue::new(&mut editor.versions_kept).range(0..=MOST_VERSIONS))
                .labelled_by(label.id)
                .on_hover_text("Each save deletes the oldest versions beyond this number. 0 keeps none.");
        });
        let safe = "Unsaved edits are always recorded and offered again after a crash, with or without autosave.";
        ui.label(RichText::new(safe).small().color(colour::text_weak()));
    });
    ui.add_space(6.0);
    let is_usual = editor.interface == InterfacePreferences::default();
    if ui.add_enabled(!is_usual, Button::new("Reset interface")).clicked() {
        editor.interface = InterfacePreferences::default();
    }
}
