//! The bar above the view: the name of A, the display modes, and the name of B.

use bevy_egui::egui;
use egui::containers::menu::MenuButton;
use egui::{Align, Button, Label, Layout as Flow, ProgressBar, RichText, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::features::compare::commands::{CompareAction, CompareMode};
use crate::features::compare::panel::{CompareInfo, CompareState, letter};
use crate::frame::commands::Command;
use crate::frame::commands::ComputeAction;
use crate::frame::document::Document;
use crate::frame::menu::entry;
use crate::frame::theme::{colour, icon_button, icon_toggle};
use crate::view::CompareSide;

fn badge(ui: &mut Ui, side: CompareSide) {
    let (text, tint) = letter(side);
    ui.label(RichText::new(text).strong().color(tint));
}

/// Shows the bar; returns the command of a clicked button.
pub fn bar(ui: &mut Ui, state: &CompareState, document: &Document, info: &CompareInfo) -> Option<Command> {
    let mut command = None;
    // divide the width that the buttons leave between the two names
    let name_width = ((ui.available_width() - 340.0) / 2.0).clamp(60.0, 260.0);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        badge(ui, CompareSide::A);
        let name = document.state_name();
        ui.allocate_ui_with_layout(vec2(name_width, 22.0), Flow::left_to_right(Align::Center), |ui| {
            ui.set_min_width(name_width);
            let label = Label::new(RichText::new(&name).color(colour::text())).truncate();
            ui.add(label).on_hover_text(format!("A is the scene you are editing: {name}."));
        });
        for mode in CompareMode::ALL {
            let what = Command::from(CompareAction::Show(mode));
            let about = what.info();
            let button = icon_toggle(ui, true, state.mode == mode, about.icon, &about.label);
            if button.on_hover_text(what.tooltip(ui.ctx())).clicked() {
                command = Some(what);
            }
        }
        let ready = info.b.is_some();
        for (action, on) in [(CompareAction::Swap, state.swapped), (CompareAction::Table, state.table)] {
            let what = Command::from(action);
            let about = what.info();
            let button = icon_toggle(ui, ready, on, about.icon, &about.label);
            if button.on_hover_text(what.tooltip(ui.ctx())).clicked() {
                command = Some(what);
            }
        }
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let end = Command::from(CompareAction::Toggle);
            if icon_button(ui, true, icon::X, "End comparison").on_hover_text("Ends the comparison (C).").clicked() {
                command = Some(end);
            }
            match &info.making {
                Some((name, done)) => {
                    if icon_button(ui, true, icon::STOP, "Stop computing B")
                        .on_hover_text("Stops computing B and keeps the previous B.")
                        .clicked()
                    {
                        command = Some(Command::from(ComputeAction::Cancel));
                    }
                    let text = RichText::new(format!("{:.0} %", done * 100.0)).small();
                    let bar = ProgressBar::new(*done).desired_width(name_width - 34.0).desired_height(16.0);
                    let bar = ui.add(bar.text(text).fill(colour::accent_middle()));
                    bar.widget_info(|| {
                        egui::WidgetInfo::labeled(
                            egui::WidgetType::ProgressIndicator,
                            true,
                            format!("Computing {name}"),
                        )
                    });
                    bar.on_hover_text(format!("Computing {name}."));
                }
                None => {
                    let name = info.b.as_deref().unwrap_or("nothing");
                    let button = Button::new(format!("{name} {}", icon::CARET_DOWN)).truncate();
                    let size = vec2(name_width, 22.0);
                    ui.allocate_ui_with_layout(size, Flow::left_to_right(Align::Center), |ui| {
                        ui.set_max_width(name_width);
                        let (response, _) = MenuButton::from_button(button).ui(ui, |ui| {
                            command = choose(ui, document).or(command.take());
                        });
                        response.widget_info(|| {
                            egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("B is {name}"))
                        });
                        response.on_hover_text(format!("B is {name}. Click to choose another B."));
                    });
                }
            }
            badge(ui, CompareSide::B);
        });
    });
    command
}

/// The menu entries that choose B.
pub fn choose(ui: &mut Ui, document: &Document) -> Option<Command> {
    let mut chosen = None;
    let mut offer = |ui: &mut Ui, action, text: Option<&str>, enabled| {
        let command = Command::from(action);
        if entry(ui, &command, text, enabled, None) {
            chosen = Some(command);
        }
    };
    offer(ui, CompareAction::Keep, None, true);
    offer(ui, CompareAction::WithScene, None, true);
    let selected = document.selected_layer().map(|index| &document.scene().layers[index]);
    let text = selected.map(|layer| {
        let how = if layer.enabled { "without" } else { "with" };
        format!("Compare {how} “{}”", shortened(&layer.name))
    });
    offer(ui, CompareAction::WithoutLayer, text.as_deref(), selected.is_some());
    let shown = document.shown_branch();
    for index in document.branches().into_iter().filter(|&index| Some(index) != shown) {
        let text = format!("Compare with “{}”", shortened(&document.scene().layers[index].name));
        offer(ui, CompareAction::WithBranch(index), Some(&text), true);
    }
    chosen
}

/// Shortens a scene name, because menus do not shorten their entries.
fn shortened(name: &str) -> String {
    const MOST: usize = 32;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened_between_letters() {
        assert_eq!(shortened("Täler"), "Täler");
        assert_eq!(shortened(&"ä".repeat(40)).chars().count(), 33);
    }
}
