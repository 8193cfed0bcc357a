//! The bar that explains why the view cannot draw a construction tree directly. Its buttons solve the problem.

use bevy_egui::egui;
use egui::{Align, Label, Layout, RichText, Ui};
use egui_phosphor::regular as icon;

use crate::features::construction::TreeAction;
use crate::features::view_settings::ViewAction;
use crate::frame::commands::Command;
use crate::frame::theme::colour;
use crate::view::Unsupported;
use crate::view::ViewMode;

/// Shows the bar. `instead` is the view mode that shows the grid.
pub fn bar(ui: &mut Ui, unsupported: Unsupported, instead: ViewMode) -> Option<Command> {
    let mut chosen = None;
    ui.horizontal_centered(|ui| {
        ui.label(RichText::new(icon::INFO).color(colour::text_weak()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let grid = Command::from(ViewAction::Mode(instead));
            if ui.button("Show the grid").on_hover_text(grid.tooltip(ui.ctx())).clicked() {
                chosen = Some(grid);
            }
            if matches!(unsupported, Unsupported::OtherLayers(_) | Unsupported::Eroded(_)) {
                let alone = Command::from(TreeAction::ShowAlone);
                if ui.button(alone.info().label).on_hover_text(alone.tooltip(ui.ctx())).clicked() {
                    chosen = Some(alone);
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(RichText::new(unsupported.text()).color(colour::text())).truncate());
            });
        });
    });
    chosen
}
