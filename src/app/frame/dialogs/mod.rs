//! Dialogs in front of the panels that wait for an answer. An answer is a list of commands.

pub mod files;
pub mod modals;
pub mod outside;
pub mod overwrite;
pub(in crate::frame) mod preview;

use bevy_egui::egui;

use super::commands::Command;

/// A dialog that waits for an answer.
pub trait Dialog: Send + Sync {
    /// Shows the dialog. When the user has answered, returns the commands to run; the dialog is then closed.
    fn show(&mut self, ctx: &egui::Context, scene_name: &str) -> Option<Vec<Command>>;

    /// Whether another dialog can replace this dialog without a question, because nothing would be lost.
    fn gives_way(&self) -> bool {
        false
    }
}

/// The open dialog. Only one dialog is open at a time.
#[derive(Default)]
pub struct Dialogs {
    open: Option<Box<dyn Dialog>>,
}

impl Dialogs {
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a dialog is open that the user must answer first.
    pub fn is_waiting(&self) -> bool {
        self.open.as_ref().is_some_and(|dialog| !dialog.gives_way())
    }

    /// Opens a dialog. It replaces a dialog that is already open.
    pub fn open(&mut self, dialog: impl Dialog + 'static) {
        self.open = Some(Box::new(dialog));
    }

    /// Asks whether to save unsaved changes before `then` runs.
    pub fn ask_about_changes(&mut self, then: Command) {
        self.open(modals::Unsaved { then });
    }

    /// Shows the open dialog. If the user has answered it, closes it and returns the commands of the answer.
    pub fn show(&mut self, ctx: &egui::Context, scene_name: &str) -> Vec<Command> {
        // Escape closes an open drop-down list before it closes the dialog
        let is_list_open = self.open.is_some() && egui::Popup::is_any_open(ctx);
        if is_list_open && ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape)) {
            egui::Popup::close_all(ctx);
        }
        let Some(answer) = self.open.as_mut().and_then(|dialog| dialog.show(ctx, scene_name)) else {
            return Vec::new();
        };
        self.open = None;
        answer
    }
}
