//! The question that the editor asks before it overwrites a changed, protected or linked file.

use std::path::PathBuf;

use bevy_egui::egui;
use egui::{Align, Layout};

use super::Dialog;
use super::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::commands::{Command, Proceed};
use crate::frame::editor::file_name;
use talweg::io::{FileError, SaveTarget};

/// Why the user must confirm before the file is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteReason {
    /// Another program has changed the file since this editor opened or saved it.
    Changed,
    /// The file exists, and the user has not chosen it by name.
    Exists,
    /// The file is write-protected.
    ReadOnly,
    /// The file has this number of names (hard links).
    Linked(u64),
}

impl OverwriteReason {
    /// Returns the reason to ask the user; `None` if the user cannot resolve this error by confirming.
    fn from_error(error: &FileError) -> Option<Self> {
        match error {
            FileError::Changed { .. } => Some(Self::Changed),
            FileError::Exists { .. } => Some(Self::Exists),
            FileError::ReadOnly { .. } => Some(Self::ReadOnly),
            FileError::Linked { names, .. } => Some(Self::Linked(*names)),
            _ => None,
        }
    }

    /// Heading and text of the question about the file `name`.
    fn question(self, name: &str) -> (String, String) {
        match self {
            Self::Changed => (
                format!("“{name}” has changed on the disk"),
                "Another program or window has changed the file since you opened it. Overwrite discards those \
                 changes; Reload discards your edits."
                    .into(),
            ),
            Self::Exists => (
                format!("“{name}” exists already"),
                "Overwrite replaces it. If the export writes more files, it also replaces those that exist.".into(),
            ),
            Self::ReadOnly => (
                format!("“{name}” is write-protected"),
                "The file is marked as read-only. Overwrite replaces it anyway; it stays write-protected.".into(),
            ),
            Self::Linked(names) => (
                format!("“{name}” has {names} hard links"),
                "Other paths lead to the same file through hard links. Overwrite puts the new file at this path; the \
                 other paths keep the old file."
                    .into(),
            ),
        }
    }
}

/// The question whether to overwrite a file. Escape cancels. Enter chooses another file, so that nothing is lost.
pub struct Overwrite {
    pub path: PathBuf,
    pub reason: OverwriteReason,
    /// Label and command of the button that chooses another file.
    pub elsewhere: (&'static str, Command),
    /// The command that overwrites the file after the user has confirmed.
    pub over: Command,
}

impl Overwrite {
    /// Creates the question for an error; `None` if the user cannot resolve this error by confirming. `elsewhere`
    /// chooses another file. `over` makes the command that overwrites the file `to`.
    pub fn from_error(
        error: &FileError,
        to: &SaveTarget,
        elsewhere: (&'static str, Command),
        over: impl FnOnce(SaveTarget) -> Command,
    ) -> Option<Self> {
        let reason = OverwriteReason::from_error(error)?;
        let all_the_same = to.with_path(to.path()).over_read_only(true).over_links(true).only_new(false);
        Some(Self { path: to.path().into(), reason, elsewhere, over: over(all_the_same) })
    }

    /// The command that reloads the file, if another program has changed it.
    fn reload(&self) -> Option<Command> {
        (self.reason == OverwriteReason::Changed).then(|| Proceed::Open(self.path.clone()).into())
    }
}

impl Dialog for Overwrite {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let (heading, text) = self.reason.question(&file_name(&self.path));
        let modal = modal(ctx, "overwrite").show(ctx, |ui| {
            ui.set_width(460.0);
            ui.heading(heading);
            ui.add_space(6.0);
            ui.label(text);
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button(self.elsewhere.0)).clicked() {
                    answer = Some(vec![self.elsewhere.1.clone()]);
                }
                if ui.add(button("Overwrite")).clicked() {
                    answer = Some(vec![self.over.clone()]);
                }
                if let Some(reload) = self.reload()
                    && ui.add(button("Reload")).clicked()
                {
                    answer = Some(vec![reload]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        if answer.is_none() && is_confirmed(ctx) {
            answer = Some(vec![self.elsewhere.1.clone()]);
        }
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
