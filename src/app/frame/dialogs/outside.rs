//! The question whether a scene may use files outside its folder.

use bevy_egui::egui;
use egui::{Align, Layout};

use super::Dialog;
use super::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::commands::{Command, Proceed};
use crate::frame::editor::file_name;
use talweg::user_state::OutsideError;

/// Maximum number of paths that the question lists.
const MOST_LISTED: usize = 10;

/// Asks, once for each scene file, whether the scene may read files outside its folder. Escape and Enter cancel, so
/// that nothing is permitted by accident.
pub struct OutsideQuestion(pub OutsideError);

impl Dialog for OutsideQuestion {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let OutsideError { scene, paths, .. } = &self.0;
        let mut answer = None;
        let modal = modal(ctx, "outside").show(ctx, |ui| {
            ui.set_width(460.0);
            ui.heading(format!("Let “{}” read files outside its folder?", file_name(scene)));
            ui.add_space(6.0);
            ui.label("You have not saved this scene on this computer. Allow this only if you trust its author.");
            ui.add_space(6.0);
            for path in paths.iter().take(MOST_LISTED) {
                ui.monospace(path.display().to_string());
            }
            if paths.len() > MOST_LISTED {
                ui.label(format!("and {} more", paths.len() - MOST_LISTED));
            }
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
                if ui.add(button("Allow and open")).clicked() {
                    answer = Some(vec![Proceed::OpenPermitted(self.0.clone()).into()]);
                }
            });
        });
        if answer.is_none() && is_confirmed(ctx) {
            answer = Some(Vec::new());
        }
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
