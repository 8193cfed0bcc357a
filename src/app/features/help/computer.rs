//! The report about this computer, as `talweg doctor` prints it.

use std::sync::{Arc, OnceLock};

use bevy_egui::egui;
use egui::{Button, RichText, ScrollArea, Spinner};
use egui_phosphor::regular as icon;

use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{close_button, dismissed, modal, scroll_by_keys};
use crate::frame::graphics;
use crate::frame::tasks::{Outcome, Task, Tasks};
use talweg::field::Control;
use talweg_cli::doctor;

/// A dialog with the report. A background task makes it, because opening the cards of a computer can take a second.
pub struct ComputerDialog {
    report: Arc<OnceLock<String>>,
    task: Option<Task<()>>,
}

impl ComputerDialog {
    pub fn new(tasks: &Tasks) -> Self {
        let report: Arc<OnceLock<String>> = Arc::default();
        let made = report.clone();
        let make = move |_: &Control| _ = made.set(doctor::report(Some(&graphics::report())));
        let task = tasks.start("computer", make);
        if let Err(error) = &task {
            // the lock is empty, because the task did not start
            let _ = report.set(error.to_string());
        }
        Self { report, task: task.ok() }
    }
}

impl Dialog for ComputerDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        if self.task.as_mut().is_some_and(|task| !matches!(task.outcome(), Outcome::Running)) {
            self.task = None;
        }
        let mut answer = None;
        let modal = modal(ctx, "computer").show(ctx, |ui| {
            ui.set_width(680.0);
            ui.heading("About this computer");
            ui.add_space(6.0);
            match self.report.get() {
                None => {
                    ui.add(Spinner::new());
                    ui.weak("Opening the graphics cards…");
                }
                Some(report) => {
                    ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
                        scroll_by_keys(ui);
                        ui.label(RichText::new(report).monospace());
                    });
                    ui.add_space(6.0);
                    let copy = ui.add(Button::new(format!("{}  Copy", icon::COPY)));
                    if copy.on_hover_text("Copies the report, to paste it into a description of a problem.").clicked() {
                        ctx.copy_text(report.clone());
                    }
                }
            }
            ui.add_space(12.0);
            answer = close_button(ui);
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
