//! A dialog that lists scenes with thumbnails and buttons.

use std::path::PathBuf;

use bevy_egui::egui;
use egui::{Align, Layout, RichText, ScrollArea, Ui, vec2};

use super::RecoveryAction;
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, main_button, modal, scroll_by_keys};
use crate::frame::theme::colour;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use talweg::preferences::MOST_VERSIONS;

/// Side length of a thumbnail, in points.
const SIDE: f32 = 72.0;
/// Width of the button column of a scene, in points.
const BUTTONS: f32 = 130.0;

/// A button for a scene of the list, and the command that it issues.
pub struct SceneChoice {
    label: &'static str,
    command: Command,
    is_main: bool,
    /// Whether the button must be pressed twice, because it discards data.
    asks_again: bool,
    was_pressed: bool,
}

impl SceneChoice {
    pub fn once(label: &'static str, command: Command) -> Self {
        Self { label, command, is_main: false, asks_again: false, was_pressed: false }
    }

    pub fn main(label: &'static str, command: Command) -> Self {
        Self { is_main: true, ..Self::once(label, command) }
    }

    /// Creates a button that discards data. The first press asks for confirmation.
    pub fn twice(label: &'static str, command: Command) -> Self {
        Self { asks_again: true, ..Self::once(label, command) }
    }

    /// Shows the button. Returns whether the user has clicked it and, if required, confirmed the click.
    fn show(&mut self, ui: &mut Ui) -> bool {
        let text = if self.was_pressed { "Discard for good?" } else { self.label };
        let pressed = ui.add(if self.is_main { main_button(text) } else { button(text) }).clicked();
        if pressed && self.asks_again && !self.was_pressed {
            self.was_pressed = true;
            return false;
        }
        pressed
    }
}

/// A scene of the list, with its thumbnail and buttons.
pub struct ListedScene {
    pub heading: String,
    pub lines: Vec<String>,
    pub picture: Option<SceneThumbnail>,
    pub choices: Vec<SceneChoice>,
}

/// The dialog that lists scenes.
pub struct SceneList {
    pub id: &'static str,
    pub title: String,
    pub text: String,
    pub scenes: Vec<ListedScene>,
    /// The button that closes the dialog.
    pub foot: SceneChoice,
    /// Number of earlier versions to keep; `None` if the list does not show versions.
    pub kept: Option<usize>,
    /// The folder of crash reports, if the list offers to open it.
    pub reports: Option<PathBuf>,
}

impl Dialog for SceneList {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let before = self.kept;
        let modal = modal(ctx, self.id).show(ctx, |ui| {
            ui.set_width(560.0);
            ui.heading(&self.title);
            ui.add_space(4.0);
            ui.label(&self.text);
            ui.add_space(10.0);
            let height = (ctx.viewport_rect().height() - 260.0).max(120.0);
            ScrollArea::vertical().max_height(height).show(ui, |ui| {
                scroll_by_keys(ui);
                for scene in &mut self.scenes {
                    answer = show_scene(ui, scene).or(answer.take());
                }
            });
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                if let Some(kept) = &mut self.kept {
                    ui.label("Versions to keep per file");
                    ui.add(egui::DragValue::new(kept).range(0..=MOST_VERSIONS))
                        .on_hover_text("Each save deletes the oldest versions beyond this number. 0 keeps none.");
                }
                if let Some(reports) = &self.reports
                    && ui.add(button("Open crash reports")).on_hover_text(reports.display().to_string()).clicked()
                    && let Err(error) = open::that_detached(reports)
                {
                    self.text = format!("The folder {} was not opened: {error}.", reports.display());
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if self.foot.show(ui) {
                        answer = Some(vec![self.foot.command.clone()]);
                    }
                });
            });
        });
        let mut answer = answer.or_else(|| dismissed(ctx, &modal));
        if let (Some(answer), Some(kept)) = (&mut answer, self.kept) {
            answer.insert(0, RecoveryAction::KeepVersions(kept).into());
        }
        if before != self.kept {
            ctx.request_repaint();
        }
        answer
    }
}

fn show_scene(ui: &mut Ui, scene: &mut ListedScene) -> Option<Vec<Command>> {
    let mut answer = None;
    egui::Frame::new().fill(colour::panel()).corner_radius(6).inner_margin(8).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            match &scene.picture {
                Some(picture) => picture.show(ui, SIDE),
                None => ui.add_space(SIDE),
            }
            let about = vec2(ui.available_width() - BUTTONS, SIDE);
            ui.allocate_ui_with_layout(about, Layout::top_down(Align::Min), |ui| {
                ui.set_min_size(about);
                ui.label(RichText::new(&scene.heading).color(colour::text_strong()));
                for line in &scene.lines {
                    let text = RichText::new(line).color(colour::text_weak()).size(12.0);
                    ui.add(egui::Label::new(text).truncate()).on_hover_text(line);
                }
            });
            // make all buttons as wide as the column
            ui.with_layout(Layout::top_down_justified(Align::Center), |ui| {
                for choice in &mut scene.choices {
                    if choice.show(ui) {
                        answer = Some(vec![choice.command.clone()]);
                    }
                }
            });
        });
    });
    ui.add_space(6.0);
    answer
}
