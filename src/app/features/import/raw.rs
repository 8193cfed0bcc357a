//! Asks for the layout of a raw file: its width, byte order and row order.

use std::path::{Path, PathBuf};

use bevy_egui::egui;
use egui::{Align, Layout, RichText};

use super::{ImportAction, ImportedFile};
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::editor::file_name;
use crate::frame::theme::colour;
use talweg::io::formats::{RasterReader, ReadOptions};

/// The dialog that asks for the layout of a raw file.
pub(super) struct RawDialog {
    path: PathBuf,
    /// Number of samples in the file, if its length is a multiple of the sample size.
    count: Option<usize>,
    /// Bytes per sample.
    bytes: usize,
    width: u32,
    big_endian: bool,
    first_row_is_south: bool,
}

/// Maximum number of samples per row.
const WIDEST: u32 = 65_536;

impl RawDialog {
    /// The dialog for a raw file. `None` if the file format describes its own layout or if the file cannot be read.
    pub fn for_file(path: &Path) -> Option<Self> {
        RasterReader::for_path(path).filter(|reader| reader.is_raw)?;
        let bytes = if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("r32")) { 4 } else { 2 };
        let length = std::fs::metadata(path).ok()?.len() as usize;
        let count = length.is_multiple_of(bytes).then_some(length / bytes).filter(|count| *count > 0);
        let width = count.map_or(2, usual_width);
        Some(Self { path: path.into(), count, bytes, width, big_endian: false, first_row_is_south: false })
    }

    /// The number of rows for the chosen width; `None` if the last row would be incomplete.
    fn height(&self) -> Option<usize> {
        let width = self.width as usize;
        self.count.filter(|count| count.is_multiple_of(width) && count / width >= 2).map(|count| count / width)
    }

    fn file(&self) -> ImportedFile {
        let options = ReadOptions {
            raw_width: self.width,
            big_endian: self.big_endian,
            first_row_is_south: self.first_row_is_south,
            ..ReadOptions::default()
        };
        ImportedFile { path: self.path.clone(), options }
    }
}

/// The default width for a number of samples. It makes the layout as square as possible.
fn usual_width(count: usize) -> u32 {
    let side = count.isqrt().max(2);
    let width = (side..=count / 2).find(|width| count.is_multiple_of(*width)).unwrap_or(side);
    width.min(WIDEST as usize) as u32
}

impl Dialog for RawDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let modal = modal(ctx, "raw import").show(ctx, |ui| {
            ui.set_width(420.0);
            ui.heading("Import raw heights");
            ui.add_space(6.0);
            ui.label(format!("{} has no header. Enter its layout.", file_name(&self.path)));
            ui.add_space(8.0);
            egui::Grid::new("raw import").num_columns(2).spacing(egui::vec2(16.0, 6.0)).show(ui, |ui| {
                let label = ui.label("Width").on_hover_text("Number of samples in a row.");
                let field = egui::DragValue::new(&mut self.width).range(2..=WIDEST).suffix(" samples");
                ui.add_sized([120.0, 22.0], field).labelled_by(label.id);
                ui.end_row();
                ui.label("Byte order").on_hover_text("Order of the bytes of each number.");
                ui.horizontal(|ui| {
                    ui.selectable_value(&mut self.big_endian, false, "Little-endian")
                        .on_hover_text("Low byte first, as written by nearly all programs on PCs.");
                    ui.selectable_value(&mut self.big_endian, true, "Big-endian")
                        .on_hover_text("High byte first, as on old Macintoshes and in some measured data.");
                });
                ui.end_row();
                ui.label("First row").on_hover_text("Which edge of the terrain the first row is.");
                ui.horizontal(|ui| {
                    ui.selectable_value(&mut self.first_row_is_south, false, "North")
                        .on_hover_text("Rows run from north to south, as in images.");
                    ui.selectable_value(&mut self.first_row_is_south, true, "South")
                        .on_hover_text("Rows run from south to north, as several engines expect.");
                });
                ui.end_row();
            });
            ui.add_space(8.0);
            let height = self.height();
            let text = match (height, self.count) {
                (Some(height), _) => format!("{} × {height} samples.", self.width),
                (None, Some(count)) => format!("Its {count} samples do not fill whole rows of {}.", self.width),
                (None, None) => format!("Its length is not a multiple of {} bytes.", self.bytes),
            };
            let shade = if height.is_some() { colour::text_weak() } else { colour::warning() };
            ui.label(RichText::new(text).color(shade));
            ui.add_space(8.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let import = ui.add_enabled(height.is_some(), main_button("Import"));
                if (import.clicked() || has_entered) && height.is_some() {
                    answer = Some(vec![Command::from(ImportAction::Confirmed(self.file()))]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_proposed_and_others_that_fit_are_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, bytes: usize| {
            let path = folder.path().join(name);
            std::fs::write(&path, vec![0; bytes]).unwrap();
            RawDialog::for_file(&path)
        };
        let mut square = at("a.r16", 2 * 33 * 33).unwrap();
        assert_eq!((square.width, square.height()), (33, Some(33)));
        square.width = 99;
        assert_eq!(square.height(), Some(11));
        square.width = 34;
        assert_eq!(square.height(), None);
        assert_eq!(at("b.raw", 2 * 60 * 30).unwrap().height(), Some(40), "45 × 40 is the most nearly square");
        assert_eq!(at("c.r32", 4 * 16 * 16).unwrap().width, 16);
        assert_eq!(at("d.r32", 15).unwrap().height(), None);
        assert!(at("e.png", 15).is_none());
    }
}
