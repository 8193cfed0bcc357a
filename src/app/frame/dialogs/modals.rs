//! The question about unsaved changes, and the parts that all modal dialogs share.

use bevy_egui::egui;
use egui::style::ScrollAnimation;
use egui::{Align, Button, Key, Layout, Modal, Modifiers, RichText, Ui, vec2};

use super::Dialog;
use crate::frame::commands::{Command, FileAction};
use crate::frame::theme::colour;

/// Asks whether to save unsaved changes. Escape cancels, Enter saves.
pub struct Unsaved {
    /// The command to run after the question is answered.
    pub then: Command,
}

impl Dialog for Unsaved {
    fn show(&mut self, ctx: &egui::Context, scene_name: &str) -> Option<Vec<Command>> {
        let save = || vec![Command::from(FileAction::SaveThen(self.then.clone()))];
        let mut answer = None;
        let modal = modal(ctx, "unsaved").show(ctx, |ui| {
            ui.set_width(400.0);
            ui.heading(format!("Save the changes to “{scene_name}”?"));
            ui.add_space(6.0);
            ui.label("Unsaved changes will be lost.");
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Save")).clicked() {
                    answer = Some(save());
                }
                if ui.add(button("Don't save")).clicked() {
                    answer = Some(vec![self.then.clone()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        if answer.is_none() && is_confirmed(ctx) {
            answer = Some(save());
        }
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

/// Whether Enter was pressed while no widget has the focus. Call it before fields are drawn, because a field gives up
/// the focus when Enter is pressed in it.
pub fn is_confirmed(ctx: &egui::Context) -> bool {
    ctx.input(|input| input.key_pressed(Key::Enter)) && ctx.memory(|memory| memory.focused().is_none())
}

/// Returns an answer without commands if Escape was pressed or the user clicked outside the modal dialog.
pub fn dismissed<T>(ctx: &egui::Context, modal: &egui::ModalResponse<T>) -> Option<Vec<Command>> {
    (ctx.input(|i| i.key_pressed(Key::Escape)) || modal.should_close()).then(Vec::new)
}

/// Height that no scrolled contents reach, in points.
const LONGEST: f32 = 1e6;

/// Makes Page Up, Page Down, Home and End scroll the area in which `ui` lies. In a text field, Home and End move the
/// cursor.
pub fn scroll_by_keys(ui: &Ui) {
    let is_typing = ui.text_edit_focused();
    let page = 0.9 * ui.clip_rect().height();
    let keys = [(Key::PageUp, page), (Key::PageDown, -page), (Key::Home, LONGEST), (Key::End, -LONGEST)];
    for (key, way) in keys {
        let is_to_end = way.abs() == LONGEST;
        if is_to_end && is_typing || !ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            continue;
        }
        let animation = if is_to_end { ScrollAnimation::none() } else { ui.style().scroll_animation };
        ui.scroll_with_delta_animation(vec2(0.0, way), animation);
    }
}

/// The button of the default action.
pub fn main_button<'a>(text: &str) -> Button<'a> {
    button(RichText::new(text).color(colour::text_strong())).fill(colour::accent_deep())
}

/// A dialog in the centre of the window.
pub fn modal(ctx: &egui::Context, id: &'static str) -> Modal {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(18).corner_radius(8);
    Modal::new(id.into()).frame(frame)
}

/// A Close button, which Enter also triggers. A click returns an answer without commands.
pub fn close_button(ui: &mut Ui) -> Option<Vec<Command>> {
    let clicked = ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(button("Close")).clicked()).inner;
    (clicked || is_confirmed(ui.ctx())).then(Vec::new)
}

/// A button at the bottom of a dialog.
pub fn button<'a>(text: impl Into<RichText>) -> Button<'a> {
    Button::new(text.into()).min_size(egui::vec2(92.0, 28.0))
}
