//! The dialog with the settings of a time-lapse. After it, a file dialog asks for the file.

use bevy_egui::egui;
use egui::{Align, Layout, Ui};

use super::ExportAction;
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use talweg::timelapse::{Film, MOST_FRAMES_A_SECOND};

/// Shows the choice of the kind of a film: an animated GIF, or a folder of PNG images.
pub fn film_kind(ui: &mut Ui, as_images: &mut bool) {
    let tip = "A GIF is one file that browsers and chats play. PNG images keep all colours, for a video editor.";
    ui.label("Format").on_hover_text(tip);
    ui.horizontal(|ui| {
        for (images, name) in [(false, "Animated GIF"), (true, "PNG images")] {
            ui.selectable_value(as_images, images, name).on_hover_text(tip);
        }
    });
    ui.end_row();
}

/// The kinds of file that the dialog for saving a film offers: only the chosen kind.
pub fn film_files(as_images: bool) -> [(&'static str, &'static str); 1] {
    [if as_images { ("Folder of PNG images", "frames") } else { ("Animated GIF", "gif") }]
}

/// The dialog with the settings of a time-lapse.
pub struct FilmDialog {
    pub film: Film,
    /// Whether the film is a folder of PNG images instead of an animated GIF.
    pub as_images: bool,
    /// Whether the filmed layer is a generator.
    pub is_generator: bool,
}

impl Dialog for FilmDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let Self { film, as_images, is_generator } = self;
        let is_generator = *is_generator;
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
                film_kind(ui, as_images);
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
                    answer = Some(vec![Command::from(ExportAction::FilmAs(film.clone(), *as_images))]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
