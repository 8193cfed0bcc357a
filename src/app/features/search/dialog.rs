//! The search field over the view, and its results.

use bevy_egui::egui;
use egui::{Align, Align2, Button, Key, Layout, Modal, Modifiers, RichText, ScrollArea, Ui, vec2};
use egui_phosphor::regular as icon;

use super::items::{SearchItem, found_items};
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{dismissed, scroll_by_keys};
use crate::frame::theme::{ROW, colour, paint_text};

/// The search dialog. Arrow keys select a result, Enter chooses it, Escape closes the dialog.
pub struct SearchDialog {
    items: Vec<SearchItem>,
    text: String,
    chosen: usize,
}

impl SearchDialog {
    pub fn new(items: Vec<SearchItem>) -> Self {
        Self { items, text: String::new(), chosen: 0 }
    }
}

impl Dialog for SearchDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // read the keys before the text field consumes them
        let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let (up, down, enter) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter));
        let mut answer = None;
        let screen = ctx.viewport_rect().size();
        let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(12).corner_radius(8);
        let area = Modal::default_area("search everything".into()).anchor(Align2::CENTER_TOP, vec2(0.0, 56.0));
        let modal = Modal::new("search everything".into()).area(area).frame(frame).show(ctx, |ui| {
            ui.set_width(560.0_f32.min(screen.x - 60.0));
            let field = egui::TextEdit::singleline(&mut self.text)
                .hint_text(format!("{} Command, node, parameter, scene, help", icon::MAGNIFYING_GLASS))
                .desired_width(f32::INFINITY)
                .margin(vec2(8.0, 6.0));
            let field = ui.add(field);
            field.widget_info(|| egui::WidgetInfo {
                label: Some("Search everything".into()),
                ..egui::WidgetInfo::text_edit(true, "", &self.text, "")
            });
            if !field.has_focus() {
                field.request_focus();
            }
            if field.changed() {
                self.chosen = 0;
            }
            let found = found_items(&self.items, &self.text);
            let last = found.len().saturating_sub(1);
            if down {
                self.chosen += 1;
            }
            self.chosen = self.chosen.min(last);
            if up {
                self.chosen = self.chosen.saturating_sub(1);
            }
            if enter && let Some(item) = found.get(self.chosen) {
                answer = Some(vec![item.command.clone()]);
            }
            ui.add_space(4.0);
            if found.is_empty() {
                ui.weak("No matches. Try another word.");
            }
            let height = (screen.y - 190.0).clamp(120.0, 420.0);
            ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
                scroll_by_keys(ui);
                ui.set_width(ui.available_width());
                ui.spacing_mut().item_spacing.y = 1.0;
                for (k, item) in found.iter().enumerate() {
                    if row(ui, item, k == self.chosen, up || down) {
                        answer = Some(vec![item.command.clone()]);
                    }
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

/// Shows a result; returns whether it was clicked.
fn row(ui: &mut Ui, item: &SearchItem, is_chosen: bool, follows: bool) -> bool {
    let size = vec2(ui.available_width(), ROW);
    let button = Button::new("").selected(is_chosen).frame_when_inactive(is_chosen).min_size(size);
    let response = ui.add(button);
    let rect = response.rect.shrink2(vec2(8.0, 0.0));
    let (label, kind) = rect.split_left_right_at_fraction(0.5);
    paint_text(ui, label.with_max_x(label.left() + 22.0), item.icon, colour::accent(), false);
    paint_text(ui, label.with_min_x(label.left() + 24.0), &item.label, colour::text_strong(), false);
    let (kind, note) = kind.split_left_right_at_fraction(0.58);
    paint_text(ui, kind.with_max_x(kind.right() - 8.0), &item.kind, colour::text_weak(), false);
    ui.scope_builder(egui::UiBuilder::new().max_rect(note).layout(Layout::right_to_left(Align::Center)), |ui| {
        ui.add(egui::Label::new(RichText::new(&item.note).color(colour::text_weak())).truncate().selectable(false));
    });
    if is_chosen && follows {
        response.scroll_to_me(None);
    }
    response.widget_info(|| {
        let name = format!("{} ({})", item.label, item.kind);
        egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_chosen, name)
    });
    response.clicked()
}
