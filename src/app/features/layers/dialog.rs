//! Dialogs that ask for a text about a layer: a note, or the name of a preset.

use std::path::PathBuf;

use bevy::ecs::system::In;
use bevy::prelude::*;
use bevy_egui::egui::{self, Align, Key, Layout, RichText, TextEdit};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Command, Info};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, main_button, modal};
use crate::frame::editor::{Editor, with_reason};
use talweg::scene::Layer;

/// Commands that apply a text from a dialog, or delete a preset.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerTextAction {
    /// Sets the note of a layer.
    Note(usize, String),
    /// Saves a layer as a preset with this name.
    Preset(usize, String),
    /// Deletes the preset in this file.
    ForgetPreset(PathBuf),
}

impl Action for LayerTextAction {
    fn section(&self) -> &'static str {
        "Layer"
    }

    fn info(&self) -> Info {
        match self {
            Self::Note(..) => Info::new("Note", "Saves the note about the layer.", icon::NOTE_PENCIL, &[]),
            Self::Preset(..) => {
                Info::new("Save preset", "Saves the layer to your presets.", icon::BOOKMARK_SIMPLE, &[])
            }
            Self::ForgetPreset(_) => Info::new("Delete preset", "Deletes one of your presets.", icon::TRASH, &[]),
        }
    }
}

pub(super) fn run(In(action): In<LayerTextAction>, mut editor: ResMut<Editor>) {
    let editor = &mut *editor;
    match action {
        LayerTextAction::Note(index, note) => editor.doc.set_note(index, &note),
        LayerTextAction::Preset(index, name) => {
            let kept = match editor.doc.layer_text(&[index]) {
                Ok(text) => editor.library.save_preset(&name, &text).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match kept {
                Ok(()) => editor.toasts.info(format!("Saved preset “{name}”.")),
                Err(error) => editor.toasts.error(with_reason("The preset was not saved", &error)),
            }
        }
        LayerTextAction::ForgetPreset(path) => {
            if let Err(error) = editor.library.delete(&path) {
                editor.toasts.error(with_reason("The preset was not deleted", &error));
            }
        }
    }
}

/// A dialog that asks for a text.
pub(super) struct TextDialog {
    heading: String,
    hint: &'static str,
    text: String,
    is_long: bool,
    /// Turns the layer index and the entered text into the command that runs.
    then: fn(usize, String) -> LayerTextAction,
    layer: usize,
}

impl TextDialog {
    /// The dialog for the note of a layer.
    pub fn note(index: usize, layer: &Layer) -> Self {
        Self {
            heading: format!("Note about “{}”", layer.name),
            hint: "Purpose, ideas to try…",
            text: layer.note.clone(),
            is_long: true,
            then: LayerTextAction::Note,
            layer: index,
        }
    }

    /// The dialog for the name of a preset.
    pub fn preset(index: usize, layer: &Layer) -> Self {
        Self {
            heading: format!("Save “{}” as a preset", layer.name),
            hint: "Preset name",
            text: layer.name.clone(),
            is_long: false,
            then: LayerTextAction::Preset,
            layer: index,
        }
    }
}

impl Dialog for TextDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let is_usable = self.is_long || !self.text.trim().is_empty();
        let entered = ctx.input(|i| i.key_pressed(Key::Enter) && (!self.is_long || i.modifiers.command));
        let modal = modal(ctx, "text of a layer").show(ctx, |ui| {
            ui.set_width(420.0);
            ui.heading(&self.heading);
            ui.add_space(8.0);
            let field = match self.is_long {
                true => TextEdit::multiline(&mut self.text).desired_rows(6),
                false => TextEdit::singleline(&mut self.text).char_limit(60),
            };
            let field = ui.add(field.hint_text(self.hint).desired_width(f32::INFINITY).margin(egui::vec2(8.0, 6.0)));
            field.widget_info(|| egui::WidgetInfo {
                label: Some(self.hint.into()),
                ..egui::WidgetInfo::text_edit(true, "", &self.text, "")
            });
            if !field.has_focus() && !field.lost_focus() {
                field.request_focus();
            }
            if !self.is_long {
                ui.label(RichText::new("Saves the node, its parameters, blending and mask.").weak());
            }
            ui.add_space(12.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add_enabled(is_usable, main_button("Save")).clicked() || (entered && is_usable) {
                    answer = Some(vec![(self.then)(self.layer, self.text.trim().to_string()).into()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
