//! The playback controls: play, step through and scrub the selected process or generator.

use bevy_egui::egui;
use egui::{Align, DragValue, Layout, RichText, Slider, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::features::charts::ChartsAction;
use crate::features::charts::panel::pace_word;
use crate::features::compare::CompareAction;
use crate::features::erosion::ErosionAction;
use crate::frame::commands::Command;
use crate::frame::document::{Document, SPEED_RANGE, STEP_SPEED_RANGE};
use crate::frame::status::StatusInfo;
use crate::frame::theme::{colour, icon_button, icon_toggle, slider};

/// Minimum width to the right of the buttons, in points, at which the pace and the layer name are shown.
const ROOM_FOR_PACE: f32 = 570.0;
/// Minimum width to the right of the buttons, in points, at which the speed is shown.
const ROOM_FOR_SPEED: f32 = 310.0;
/// Minimum width of the whole bar, in points, at which all of its buttons are shown.
const ROOM_FOR_BUTTONS: f32 = 360.0;

/// Shows the bar with the playback controls; returns the command of a clicked button.
pub fn show(ui: &mut Ui, document: &mut Document, info: &StatusInfo) -> Option<Command> {
    let Some((layer, total)) = document.played() else {
        ui.horizontal_centered(|ui| {
            let hint = "Select a visible erosion layer or a generator with steps to play it";
            ui.label(RichText::new(hint).color(colour::text_weak()));
        });
        return None;
    };
    let here = document.iteration();
    let playing = document.transport().is_playing();
    let is_generator = document.played_step().is_some();
    let mut command = None;
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let play = if playing { icon::PAUSE } else { icon::PLAY };
        let buttons = [
            (Command::from(ErosionAction::ToStart), icon::SKIP_BACK, "Jump to start", here > 0),
            (Command::from(ErosionAction::StepBack), icon::CARET_LEFT, "Step back", here > 0),
            (Command::from(ErosionAction::PlayPause), play, if playing { "Pause" } else { "Play" }, total > 0),
            (Command::from(ErosionAction::StepForward), icon::CARET_RIGHT, "Step forward", here < total),
            (Command::from(ErosionAction::ToEnd), icon::SKIP_FORWARD, "Jump to end", here < total),
        ];
        // in a narrow bar, hide the buttons whose commands also have keys and menu entries
        let is_tight = ui.available_width() < ROOM_FOR_BUTTONS;
        for (what, symbol, label, enabled) in buttons {
            if is_tight && what != Command::from(ErosionAction::PlayPause) {
                continue;
            }
            if icon_button(ui, enabled, symbol, label).on_hover_text(what.tooltip(ui.ctx())).clicked() {
                command = Some(what);
            }
        }
        if !is_tight && !is_generator {
            let branch = icon_button(ui, total > 0, icon::GIT_BRANCH, "Branch from here");
            if branch.on_hover_text(Command::from(ErosionAction::Branch).tooltip(ui.ctx())).clicked() {
                command = Some(Command::from(ErosionAction::Branch));
            }
            let charts = icon_toggle(ui, true, document.is_watching(), icon::CHART_LINE, "Charts");
            if charts.on_hover_text(Command::from(ChartsAction::Toggle).tooltip(ui.ctx())).clicked() {
                command = Some(Command::from(ChartsAction::Toggle));
            }
        }
        ui.add_space(4.0);
        // If the bar is too narrow, hide the pace first, because another panel shows it too. Then hide the speed.
        let room = ui.available_width();
        if room > ROOM_FOR_PACE && !is_generator {
            pace(ui, info, layer);
        }
        if room > ROOM_FOR_PACE && document.selected_layer() != Some(layer) {
            let name = RichText::new(&document.scene().layers[layer].name).color(colour::text_weak());
            ui.add_sized(vec2(90.0, 20.0), egui::Label::new(name).truncate());
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if room > ROOM_FOR_SPEED {
                speed(ui, document);
                ui.add_space(8.0);
            }
            scrub(ui, document, here, total);
        });
    });
    command
}

/// Shows how fast the process still changes, and the erosion score of the terrain.
fn pace(ui: &mut Ui, info: &StatusInfo, layer: usize) {
    let history = info.insight.history.as_ref().filter(|history| history.layer == layer);
    if let Some((word, help)) = history.and_then(pace_word) {
        let tint = if word == "settled" { colour::accent() } else { colour::text() };
        ui.label(RichText::new(word).color(tint)).on_hover_text(help);
        ui.add_space(6.0);
    }
    if let Some(slopes) = info.insight.slopes {
        let text = RichText::new(format!("score {:.2}", slopes.erosion_score())).color(colour::text_weak());
        ui.label(text).on_hover_text(
            "Erosion score of the terrain on screen: standard deviation of the slopes divided by their mean. Higher \
             means flatter areas between steeper relief.",
        );
        ui.add_space(6.0);
    }
}

/// Shows the bar above the playback controls. It lists the branches of the process. After the user has changed a
/// parameter in the middle of a run, it also offers to continue or to branch from that iteration. If there is nothing
/// to show, the bar is hidden.
pub fn branches(ui: &mut Ui, document: &mut Document) -> Option<Command> {
    let mut command = None;
    let branches = document.branches();
    let offer = document.offer().map(|offer| offer.iteration);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        if let Some(iteration) = offer {
            let text = format!("Changed at iteration {iteration}: erosion replayed from the start.");
            ui.label(RichText::new(text).color(colour::text_strong()));
            for what in [Command::from(ErosionAction::ContinueFromHere), Command::from(ErosionAction::Branch)] {
                let label =
                    if what == Command::from(ErosionAction::Branch) { "Create branch" } else { "Continue from here" };
                if ui.button(label).on_hover_text(what.tooltip(ui.ctx())).clicked() {
                    command = Some(what);
                }
            }
            if icon_button(ui, true, icon::X, "Keep replay")
                .on_hover_text("Keeps the replayed erosion and closes this offer.")
                .clicked()
            {
                document.decline_offer();
            }
            ui.separator();
        }
        if !branches.is_empty() {
            ui.label(RichText::new(icon::GIT_BRANCH).color(colour::text_weak()));
            for index in branches {
                let layer = &document.scene().layers[index];
                let (shown, name) = (layer.enabled, layer.name.clone());
                let chip = ui.selectable_label(shown, &name);
                chip.widget_info(|| {
                    egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, shown, format!("Branch {name}"))
                });
                if chip.on_hover_text("Shows this branch and hides the others.").clicked() && !shown {
                    command = Some(Command::from(ErosionAction::ShowBranch(index)));
                }
            }
            let compare = Command::from(CompareAction::NextBranch);
            let button = ui.button("Compare");
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Compare branches"));
            if button.on_hover_text(compare.tooltip(ui.ctx())).clicked() {
                command = Some(compare);
            }
        }
    });
    command
}

fn scrub(ui: &mut Ui, document: &mut Document, here: u32, total: u32) {
    let mut at = here;
    ui.add_sized(
        vec2(52.0, 20.0),
        egui::Label::new(RichText::new(format!("/ {total}")).color(colour::text_weak())).halign(Align::Min),
    );
    let field = DragValue::new(&mut at).range(0..=total).update_while_editing(false);
    let (what, field_help, rail_help) = match document.played_step() {
        Some(_) => ("Step", "Step on screen.", "Drag to show the terrain after another number of steps."),
        None => ("Iteration", "Iteration on screen.", "Drag to show the terrain after another number of iterations."),
    };
    let field = ui.add_enabled(total > 0, field).on_hover_text(field_help);
    field.widget_info(|| egui::WidgetInfo::drag_value(true, f64::from(here)));
    let width = (ui.available_width() - 6.0).max(60.0);
    let rail = slider(ui, total > 0, width, Slider::new(&mut at, 0..=total.max(1)));
    let rail = rail.on_hover_text(rail_help);
    rail.widget_info(|| egui::WidgetInfo::slider(total > 0, f64::from(here), what));
    if at != here {
        document.seek(at);
    }
}

/// Shows the speed controls from right to left. Only a process can play as fast as possible.
fn speed(ui: &mut Ui, document: &mut Document) {
    let is_generator = document.played_step().is_some();
    let (mut speed, mut unlimited) = (document.speed(), document.transport().unlimited && !is_generator);
    if !is_generator {
        let fastest = icon_toggle(ui, true, unlimited, icon::FAST_FORWARD, "As fast as possible");
        unlimited ^= fastest.on_hover_text("Plays at the highest possible speed.").clicked();
    }
    let text = match (unlimited, speed < 10.0 && is_generator) {
        (true, _) => "max".to_string(),
        (false, true) => format!("{speed:.1}/s"),
        (false, false) => format!("{speed:.0}/s"),
    };
    ui.add_sized(vec2(38.0, 20.0), egui::Label::new(RichText::new(text).color(colour::text_weak())).halign(Align::Min));
    let (range, help) = match is_generator {
        true => (STEP_SPEED_RANGE, "Playback speed in steps per second."),
        false => (SPEED_RANGE, "Playback speed in iterations per second."),
    };
    let rail = slider(ui, !unlimited, 70.0, Slider::new(&mut speed, range.0..=range.1).logarithmic(true));
    let rail = rail.on_hover_text(help);
    rail.widget_info(|| egui::WidgetInfo::slider(!unlimited, f64::from(speed), "Speed"));
    match is_generator {
        true => document.set_speed(speed, document.transport().unlimited),
        false => document.set_speed(speed, unlimited),
    }
}
