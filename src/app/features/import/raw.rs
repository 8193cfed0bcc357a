//! What a raw file does not say itself: how wide it is, in which order its bytes come, and where its first row lies.

use std::path::{Path, PathBuf};

use bevy_egui::egui;
use egui::{Align, Layout, RichText};

use super::{ImportAction, ImportedFile};
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::editor::file_name;
use crate::frame::theme::colour;
use talweg::io::formats::{RasterReader, RawLayout};
use talweg::nodes::generators::import::RowOrder;

/// See the module.
pub(super) struct RawDialog {
    path: PathBuf,
    /// Numbers in the file, if its length is that of whole ones.
    count: Option<usize>,
    /// Bytes of a number.
    bytes: usize,
    width: u32,
    big_endian: bool,
    rows: RowOrder,
}

/// Widest row that can be asked for.
const WIDEST: u32 = 65_536;

impl RawDialog {
    /// The questions about a file; none where it says itself how it is to be read, or cannot be looked at.
    pub fn for_file(path: &Path) -> Option<Self> {
        RasterReader::for_path(path).filter(|reader| reader.is_raw)?;
        let bytes = if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("r32")) { 4 } else { 2 };
        let length = std::fs::metadata(path).ok()?.len() as usize;
        let count = length.is_multiple_of(bytes).then_some(length / bytes).filter(|count| *count > 0);
        let width = count.map_or(2, usual_width);
        Some(Self { path: path.into(), count, bytes, width, big_endian: false, rows: RowOrder::North })
    }

    /// Rows of the width that is given, if they are whole.
    fn height(&self) -> Option<usize> {
        let width = self.width as usize;
        self.count.filter(|count| count.is_multiple_of(width) && count / width >= 2).map(|count| count / width)
    }

    fn file(&self) -> ImportedFile {
        let layout = RawLayout { width: self.width, big_endian: self.big_endian };
        ImportedFile { path: self.path.clone(), layout, rows: self.rows }
    }
}

/// The width of a square, or of rows of which there are about as many as they have numbers.
fn usual_width(count: usize) -> u32 {
    let side = count.isqrt().max(2);
    let width = (side..=count / 2).find(|width| count.is_multiple_of(*width)).unwrap_or(side);
    width.min(WIDEST as usize) as u32
}

impl Dialog for RawDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // before a field gives the keyboard away
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let modal = modal(ctx, "raw import").show(ctx, |ui| {
            ui.set_width(420.0);
            ui.heading("Import raw heights");
            ui.add_space(6.0);
            ui.label(format!("{} does not say how it is to be read.", file_name(&self.path)));
            ui.add_space(8.0);
            egui::Grid::new("raw import").num_columns(2).spacing(egui::vec2(16.0, 6.0)).show(ui, |ui| {
                let label = ui.label("Width").on_hover_text("Samples of a row.");
                let field = egui::DragValue::new(&mut self.width).range(2..=WIDEST).suffix(" samples");
                ui.add_sized([120.0, 22.0], field).labelled_by(label.id);
                ui.end_row();
                ui.label("Bytes").on_hover_text("The order of the bytes of a number.");
                ui.horizontal(|ui| {
                    ui.selectable_value(&mut self.big_endian, false, "Lowest first")
                        .on_hover_text("Little-endian, as nearly all programs on PCs write it.");
                    ui.selectable_value(&mut self.big_endian, true, "Highest first")
                        .on_hover_text("Big-endian, as on old Macintoshes and in some measurements.");
                });
                ui.end_row();
                ui.label("First row").on_hover_text("Where the first row of the file lies.");
                ui.horizontal(|ui| {
                    ui.selectable_value(&mut self.rows, RowOrder::North, "North")
                        .on_hover_text("Rows go from north to south, as in pictures.");
                    ui.selectable_value(&mut self.rows, RowOrder::South, "South")
                        .on_hover_text("Rows go from south to north, as several engines want them.");
                });
                ui.end_row();
            });
            ui.add_space(8.0);
            let height = self.height();
            let text = match (height, self.count) {
                (Some(height), _) => format!("{} × {height} samples.", self.width),
                (None, Some(count)) => format!("Its {count} numbers are no whole rows of {}.", self.width),
                (None, None) => format!("Its length is not that of numbers of {} bytes.", self.bytes),
            };
            let shade = if height.is_some() { colour::text_weak() } else { colour::warning() };
            ui.label(RichText::new(text).color(shade));
            ui.add_space(8.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let import = ui.add_enabled(height.is_some(), main_button("Import"));
                if (import.clicked() || has_entered) && height.is_some() {
                    answer = Some(vec![Command::from(ImportAction::Raw(self.file()))]);
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
        assert_eq!(at("b.raw", 2 * 60 * 30).unwrap().height(), Some(40), "45 × 40 lies nearest to a square");
        assert_eq!(at("c.r32", 4 * 16 * 16).unwrap().width, 16);
        assert_eq!(at("d.r32", 15).unwrap().height(), None);
        assert!(at("e.png", 15).is_none());
    }
}
