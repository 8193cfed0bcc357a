//! Everything that comes up in front of the panels and waits for an answer. What is answered is a list of commands.

pub mod files;
pub mod modals;
pub mod overwrite;

use bevy_egui::egui;

use super::commands::Command;

/// Something that waits for an answer.
pub trait Dialog: Send + Sync {
    /// Shows it; returns what shall be done once it is answered, and is closed then.
    fn show(&mut self, ctx: &egui::Context, scene_name: &str) -> Option<Vec<Command>>;

    /// Whether another may take its place unasked, as nothing is lost with it.
    fn gives_way(&self) -> bool {
        false
    }
}

/// See the module. One dialog is open at a time.
#[derive(Default)]
pub struct Dialogs {
    open: Option<Box<dyn Dialog>>,
}

impl Dialogs {
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether one is open that must be answered first.
    pub fn is_waiting(&self) -> bool {
        self.open.as_ref().is_some_and(|dialog| !dialog.gives_way())
    }

    /// Opens a dialog in place of the one that is open.
    pub fn open(&mut self, dialog: impl Dialog + 'static) {
        self.open = Some(Box::new(dialog));
    }

    /// Asks what shall become of unsaved changes before `then` is done.
    pub fn ask_about_changes(&mut self, then: Command) {
        self.open(modals::Unsaved { then });
    }

    /// Shows the open dialog; returns its answer when it has one, and closes it then.
    pub fn show(&mut self, ctx: &egui::Context, scene_name: &str) -> Vec<Command> {
        // a list that is open in the dialog is closed before the dialog is
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
