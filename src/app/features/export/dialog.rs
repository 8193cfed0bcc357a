//! The dialog with the settings of a time-lapse. After it, a file dialog asks for the file.

use bevy_egui::egui;
use egui::{Align, Layout, Ui};

use super::ExportAction;
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use talweg::timelapse::{Film, MOST_FRAMES_A_SECOND};

/// The dialog with the settings of a time-lapse.
pub struct FilmDialog {
    pub film: Film,
    /// Whether the filmed layer is a generator.
    pub is_generator: bool,
}

impl Dialog for FilmDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let (film, is_generator) = (&mut self.film, self.is_generator);
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let modal = modal(ctx, "film").show(ctx, |ui| {
            ui.set_width(400.0);
            ui.heading("Export time-lapse");
            ui.add_space(6.0);
            ui.label(match is_generator {
                true => "Films the generator step by step, seen from above, in the palette of the scene.",
                false => "Films the erosion from start to end, seen from above, in the palette of the scene.",
            });
            ui.add_space(8.0);
            egui::Grid::new("film").num_columns(2).spacing(egui::vec2(16.0, 6.0)).show(ui, |ui| {
                let row = |ui: &mut Ui, name: &str, tip: &str, field: egui::DragValue| {
                    let label = ui.label(name).on_hover_text(tip);
                    ui.add_sized([120.0, 22.0], field.update_while_editing(false))
                        .labelled_by(label.id)
                        .on_hover_text(tip);
                    ui.end_row();
                };
                let frames = egui::DragValue::new(&mut film.frames).range(2..=10_000);
                row(ui, "Frames", "Number of frames of the film, at most one per iteration or step.", frames);
                let speed =
                    egui::DragValue::new(&mut film.frames_a_second).range(1..=MOST_FRAMES_A_SECOND).suffix(" fps");
                row(ui, "Frame rate", "Frames per second of the GIF.", speed);
                let pixels = egui::DragValue::new(&mut film.pixels).range(16..=8192).suffix(" px");
                row(ui, "Size", "Side length of each frame in pixels.", pixels);
            });
            if is_generator {
                ui.add_space(4.0);
                ui.checkbox(&mut film.shows_steps, "Points, cells and formula of each step")
                    .on_hover_text("Draws the marks of the step over the terrain, and writes its formula below.");
            }
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Choose a file…")).clicked() || has_entered {
                    answer = Some(vec![Command::from(ExportAction::FilmAs(film.clone()))]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
