//! The question about a file that is not overwritten just so.

use std::path::{Path, PathBuf};

use bevy_egui::egui;
use egui::{Align, Layout};

use super::Dialog;
use super::modals::{button, dismissed, main_button, modal};
use crate::app::frame::commands::{Command, FileAction, Proceed};
use crate::app::frame::editor::file_name;

/// Why it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteReason {
    /// Another program has changed the file since it was opened or saved here.
    Changed,
    /// The file is write-protected.
    ReadOnly,
}

/// See the module. Escape cancels; nothing is chosen by Enter.
pub struct Overwrite {
    path: PathBuf,
    reason: OverwriteReason,
    /// What is done when the scene is saved.
    then: Option<Command>,
}

impl Overwrite {
    pub fn new(path: &Path, reason: OverwriteReason, then: Option<&Command>) -> Self {
        Self { path: path.into(), reason, then: then.cloned() }
    }
}

impl Dialog for Overwrite {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let name = file_name(&self.path);
        let modal = modal(ctx, "overwrite").show(ctx, |ui| {
            ui.set_width(460.0);
            let (heading, text) = match self.reason {
                OverwriteReason::Changed => (
                    format!("“{name}” has changed on the disk"),
                    "Another program, or another window, has written the file since it was opened here. Overwriting \
                     loses what that wrote; reloading loses the edits made here.",
                ),
                OverwriteReason::ReadOnly => (
                    format!("“{name}” is write-protected"),
                    "Somebody has marked the file as not to be changed. Overwriting replaces it all the same, and it \
                     stays protected.",
                ),
            };
            ui.heading(heading);
            ui.add_space(6.0);
            ui.label(text);
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Save as…")).clicked() {
                    answer = Some(vec![FileAction::SaveElsewhere(self.then.clone()).into()]);
                }
                if ui.add(button("Overwrite")).clicked() {
                    answer = Some(vec![FileAction::SaveOver(self.path.clone(), self.then.clone()).into()]);
                }
                if self.reason == OverwriteReason::Changed && ui.add(button("Reload")).clicked() {
                    answer = Some(vec![Proceed::Open(self.path.clone()).into()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
