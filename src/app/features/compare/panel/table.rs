//! The table with the differences between A and B.

use bevy_egui::egui;
use egui::{Align, Color32, Label, Layout as Flow, Rect, RichText, Sense, Ui, UiBuilder, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::compare::differences::{Table, Values};
use crate::features::compare::panel::CompareInfo;
use crate::frame::theme::{colour, ink};
use crate::frame::units::ShownUnit;

/// Shows the table in as many columns as fit.
pub fn table(ui: &mut Ui, info: &CompareInfo) {
    const COLUMN: f32 = 368.0;
    let Some(table) = &info.table else {
        let text = if info.b.is_some() { "Measuring…" } else { "The differences appear when B is computed." };
        ui.centered_and_justified(|ui| ui.label(RichText::new(text).color(colour::text_weak())));
        return;
    };
    let scroll = egui::ScrollArea::vertical().id_salt("measures").auto_shrink(false);
    scroll.show(ui, |ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
        ui.spacing_mut().item_spacing.y = 1.0;
        let area = ui.available_rect_before_wrap();
        let columns = ((area.width() / COLUMN) as usize).max(1);
        let lines = table.rows.len().div_ceil(columns);
        // limit the width, because numbers far away from their labels are hard to read
        let width = (area.width() / columns as f32).min(460.0);
        let mut bottom = area.top();
        for (k, rows) in table.rows.chunks(lines.max(1)).enumerate() {
            let left = area.left() + k as f32 * width;
            let rect = Rect::from_x_y_ranges(left..=left + width - 22.0, area.y_range());
            let mut column = ui.new_child(UiBuilder::new().id_salt(k).max_rect(rect));
            let has_both = rows.iter().any(|row| matches!(row.values, Values::Each { .. }));
            let heads = ["", if has_both { "A" } else { "" }, if has_both { "B" } else { "" }, "A − B"];
            line_of(&mut column, heads, [colour::text(), ink::blue(), ink::orange(), colour::text_strong()], "");
            for row in rows {
                let unit = ShownUnit::of_stored(row.unit);
                let label = unit.heading(&row.label);
                let (a, b, difference) = cells(row.values, unit);
                let tint = if info.stale { colour::text_weak() } else { colour::text_strong() };
                let tints = [if info.stale { colour::text_weak() } else { colour::text() }, tint, tint, tint];
                line_of(&mut column, [&label, &a, &b, &difference], tints, &row.help);
            }
            bottom = bottom.max(column.min_rect().bottom());
        }
        ui.allocate_rect(Rect::from_min_max(area.min, pos2(area.right(), bottom)), Sense::hover());
        for note in &table.notes {
            ui.add(Label::new(RichText::new(note).color(colour::text_weak())).wrap());
        }
        ui.add_space(5.0);
        let copy = ui.small_button(format!("{}  Copy as CSV", icon::COPY));
        if copy.on_hover_text("Copies the table in full precision and in metres, for a spreadsheet.").clicked() {
            ui.ctx().copy_text(csv(table));
        }
    });
}

/// A label followed by three right-aligned numbers.
fn line_of(ui: &mut Ui, texts: [&str; 4], tints: [Color32; 4], help: &str) {
    // width for areas of planets, which have nine digits, and volumes of seas, which have ten digits
    const NUMBER: f32 = 68.0;
    const HEIGHT: f32 = 18.0;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    for (k, (text, tint)) in texts.into_iter().zip(tints).enumerate().filter(|(_, (text, _))| !text.is_empty()) {
        let right = rect.right() - (3.0 - k as f32) * NUMBER;
        let left = if k == 0 { rect.left() } else { right - NUMBER };
        let cell = Rect::from_x_y_ranges(left..=right - 4.0, rect.y_range());
        let align = if k == 0 { Flow::left_to_right(Align::Center) } else { Flow::right_to_left(Align::Center) };
        let mut inside = ui.new_child(UiBuilder::new().id_salt((rect.top() as i32, k)).max_rect(cell).layout(align));
        let response = inside.add(Label::new(RichText::new(text).color(tint)).truncate());
        if !help.is_empty() {
            response.on_hover_text(help);
        }
    }
}

/// The values of A, B and A − B as texts with the same number of decimals.
fn cells(values: Values, unit: ShownUnit) -> (String, String, String) {
    match values {
        Values::Each { a, b } => {
            let (a, b) = (unit.shown(a), unit.shown(b));
            let decimals = decimals(a.abs().max(b.abs()));
            (number(a, decimals, false), number(b, decimals, false), number(a - b, decimals, true))
        }
        Values::Between(value) => {
            let value = unit.shown(value);
            (String::new(), String::new(), number(value, decimals(value.abs()), true))
        }
    }
}

/// Number of useful decimals for values up to `size`.
fn decimals(size: f64) -> usize {
    match size {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    }
}

fn number(value: f64, decimals: usize, signed: bool) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_nothing = text.chars().all(|c| c == '0' || c == '.');
    let sign = match () {
        () if is_nothing => "",
        () if value < 0.0 => "−",
        () if signed => "+",
        () => "",
    };
    format!("{sign}{text}")
}

/// Returns the table as CSV.
fn csv(table: &Table) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows = table.rows.iter().map(|row| {
        let (label, unit) = (quoted(&row.label), quoted(row.unit));
        // undefined values become empty fields
        let bare = |value: f64| if value.is_nan() { String::new() } else { value.to_string() };
        match row.values {
            Values::Each { a, b } => format!("{label},{unit},{},{},{}\n", bare(a), bare(b), bare(a - b)),
            Values::Between(value) => format!("{label},{unit},,,{}\n", bare(value)),
        }
    });
    format!("measure,unit,A,B,A-B\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::compare::differences::DifferenceRow;

    #[test]
    fn numbers_have_only_significant_digits() {
        let shown = |a, b| cells(Values::Each { a, b }, ShownUnit::of_stored("m"));
        let texts = |a: &str, b: &str, c: &str| (a.to_string(), b.to_string(), c.to_string());
        assert_eq!(shown(1234.5, 1200.2), texts("1234", "1200", "+34"));
        assert_eq!(shown(12.345, -2.0), texts("12.35", "−2.00", "+14.35"));
        assert_eq!(shown(0.5, 0.75), texts("0.500", "0.750", "−0.250"));
        assert_eq!(shown(5.0, 5.0001), texts("5.00", "5.00", "0.00"));
        assert_eq!(cells(Values::Between(-0.01), ShownUnit::of_stored("")).2, "−0.010");
        assert_eq!(number(f64::NAN, 2, true), "–");
    }

    #[test]
    fn the_table_is_copied_with_all_digits() {
        let row = |label: &str, values| DifferenceRow { label: label.into(), unit: "m", help: String::new(), values };
        let rows = vec![row("Low \"x\"", Values::Each { a: 1.25, b: 0.5 }), row("Most", Values::Between(-3.0))];
        let text = csv(&Table { rows, notes: Vec::new() });
        assert_eq!(text, "measure,unit,A,B,A-B\n\"Low \"\"x\"\"\",\"m\",1.25,0.5,0.75\n\"Most\",\"m\",,,-3\n");
    }
}
