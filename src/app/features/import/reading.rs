//! The import dialog: shows the contents of a heightmap, and settings for information that the file lacks.

use bevy_egui::egui;
use egui::{Align, Layout, RichText, Ui};

use super::{ImportAction, ImportedFile};
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal, scroll_by_keys};
use crate::frame::editor::{capitalised, file_name};
use crate::frame::theme::colour;
use talweg::io::Raster;
use talweg::io::formats::{HeightUnit, NoDataRule, NumberMeaning, ReadOptions};

/// The dialog that shows a heightmap before the import.
pub(super) struct ReadingDialog {
    file: ImportedFile,
    /// The settings that the user is choosing. The facts and notes below still belong to the settings in `file`.
    options: ReadOptions,
    facts: Vec<(&'static str, String)>,
    notes: Vec<String>,
    channels: Vec<String>,
}

impl ReadingDialog {
    /// The dialog for a file that was read as `raster`.
    pub fn new(file: ImportedFile, raster: &Raster) -> Self {
        Self {
            options: file.options,
            file,
            facts: raster.summary(),
            notes: raster.notes.iter().map(|note| note.text.clone()).collect(),
            channels: raster.facts.channels.clone(),
        }
    }

    /// The file with the settings that the user has chosen.
    fn chosen(&self) -> ImportedFile {
        ImportedFile { options: self.options, ..self.file.clone() }
    }

    /// Draws a row with a list of choices.
    fn choose<T: Copy + PartialEq + 'static>(
        ui: &mut Ui,
        label: &str,
        value: &mut T,
        all: &[T],
        text: impl Fn(T) -> (&'static str, &'static str),
    ) {
        let label_id = ui.label(label).id;
        let shown = egui::ComboBox::from_id_salt(label).selected_text(text(*value).0).width(200.0).show_ui(ui, |ui| {
            for option in all {
                let (name, help) = text(*option);
                ui.selectable_value(value, *option, name).on_hover_text(help);
            }
        });
        shown.response.labelled_by(label_id);
        ui.end_row();
    }

    fn settings(&mut self, ui: &mut Ui) {
        let options = &mut self.options;
        Self::choose(ui, "Numbers", &mut options.meaning, NumberMeaning::ALL, |v| (v.label(), v.help()));
        Self::choose(ui, "Unit", &mut options.unit, HeightUnit::ALL, |v| (v.label(), v.help()));
        Self::choose(ui, "No data", &mut options.no_data, NoDataRule::ALL, |v| (v.label(), v.help()));
        if options.no_data == NoDataRule::Given {
            let label = ui.label("No-data value");
            ui.add(egui::DragValue::new(&mut options.no_data_value).speed(1.0)).labelled_by(label.id);
            ui.end_row();
        }
        ui.label("First row").on_hover_text("Which edge of the terrain the first row of the file is.");
        ui.horizontal(|ui| {
            ui.selectable_value(&mut options.first_row_is_south, false, "North");
            ui.selectable_value(&mut options.first_row_is_south, true, "South");
        });
        ui.end_row();
        if self.channels.len() > 1 {
            let channels = &self.channels;
            let name = |k: u16| match k {
                0 => "Automatic".to_string(),
                k => channels.get(usize::from(k) - 1).cloned().unwrap_or_else(|| k.to_string()),
            };
            let label = ui.label("Channel");
            let list = egui::ComboBox::from_id_salt("channel").selected_text(name(options.channel)).width(200.0);
            let shown = list.show_ui(ui, |ui| {
                for k in 0..=channels.len() as u16 {
                    ui.selectable_value(&mut options.channel, k, name(k));
                }
            });
            shown.response.labelled_by(label.id);
            ui.end_row();
        }
    }
}

impl Dialog for ReadingDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let modal = modal(ctx, "import").show(ctx, |ui| {
            ui.set_width(520.0);
            ui.heading("Import heights");
            ui.add_space(6.0);
            ui.label(RichText::new(file_name(&self.file.path)).strong());
            ui.add_space(6.0);
            egui::Grid::new("facts").num_columns(2).spacing(egui::vec2(16.0, 4.0)).show(ui, |ui| {
                for (name, fact) in &self.facts {
                    ui.label(RichText::new(capitalised(name)).color(colour::text_weak()));
                    ui.label(fact);
                    ui.end_row();
                }
            });
            ui.add_space(6.0);
            egui::ScrollArea::vertical().max_height(160.0).show(ui, |ui| {
                scroll_by_keys(ui);
                for note in &self.notes {
                    ui.add(egui::Label::new(RichText::new(note).color(colour::warning())).wrap());
                }
            });
            ui.add_space(8.0);
            egui::Grid::new("settings").num_columns(2).spacing(egui::vec2(16.0, 6.0)).show(ui, |ui| self.settings(ui));
            ui.add_space(8.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Import")).clicked() || has_entered {
                    answer = Some(vec![Command::from(ImportAction::Confirmed(self.chosen()))]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        // When a setting changes, the file is read again, and the dialog opens with the new facts. While the user still
        // types or drags a number, the file is not read.
        let is_busy = ctx.egui_wants_keyboard_input() || ctx.egui_is_using_pointer();
        if answer.is_none() && self.options != self.file.options && !is_busy {
            answer = Some(vec![Command::from(ImportAction::Inspect(self.chosen()))]);
        }
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
