//! The table with one row per node, size and thread count, sorted by the clicked heading.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align2, Color32, FontId, Rect, RichText, ScrollArea, Sense, TextStyle, Ui, WidgetInfo, WidgetType, vec2};
use egui_phosphor::regular as icon;

use crate::features::benchmark::panel::{BenchState, cell};
use crate::frame::theme::{colour, paint_text};
use talweg::benchmark::findings::is_wide;
use talweg::benchmark::summary::{BenchRow, Column, Report};

const ROW: f32 = 21.0;

fn width(column: Column) -> f32 {
    match column {
        Column::Node => 0.0, // the node column takes the width that the other columns leave
        Column::Size => 44.0,
        Column::Bits => 40.0,
        Column::Threads => 52.0,
        Column::Time => 124.0,
        Column::PerSample => 62.0,
        Column::Loading => 66.0,
        Column::Memory => 50.0,
        Column::Exponent => 80.0,
        Column::SpeedUp => 108.0,
    }
}

/// The columns of a table line and the rectangles of their cells.
fn cells(line: Rect) -> [(Column, Rect); 10] {
    let others: f32 = Column::ALL.into_iter().map(width).sum();
    let mut left = line.left();
    Column::ALL.map(|column| {
        let wide = if column == Column::Node { (line.width() - others).max(70.0) } else { width(column) };
        left += wide;
        (column, cell(line, left - wide + 4.0, left - 4.0))
    })
}

pub fn show(ui: &mut Ui, state: &mut BenchState, report: &Arc<Report>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let (line, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW + 2.0), Sense::hover());
    for (column, rect) in cells(line) {
        head(ui, state, column, rect);
    }
    ui.painter().hline(line.x_range(), line.bottom(), egui::Stroke::new(1.0, colour::line()));
    let order = state.order(report);
    let is_grouped = state.column == Column::Node;
    let scroll = ScrollArea::vertical().id_salt("benchmark table").auto_shrink(false);
    scroll.show_rows(ui, ROW, order.len(), |ui, range| {
        for at in range.clone() {
            let row = &report.rows[order[at]];
            // show the name of a group only in its first row and in the first visible row
            let goes_on = is_grouped && at > range.start && report.rows[order[at - 1]].subject == row.subject;
            show_row(ui, report, row, goes_on);
        }
    });
}

fn head(ui: &mut Ui, state: &mut BenchState, column: Column, rect: Rect) {
    let response = ui.interact(rect, ui.id().with(column.title()), Sense::click());
    let name = format!("Sort by {}", column.title());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    let is_on = state.column == column;
    let tint = match () {
        () if response.hovered() => colour::text_strong(),
        () if is_on => colour::accent(),
        () => colour::text_weak(),
    };
    let mark = match (is_on, state.is_descending) {
        (false, _) => String::new(),
        (true, false) => format!("{} ", icon::CARET_UP),
        (true, true) => format!("{} ", icon::CARET_DOWN),
    };
    let font = FontId::new(11.5, egui::FontFamily::Proportional);
    if column == Column::Node {
        ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, format!("{} {mark}", column.title()), font, tint);
    } else {
        ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, format!("{mark}{}", column.title()), font, tint);
    }
    if response.on_hover_text(column.help()).clicked() {
        state.is_descending = is_on && !state.is_descending;
        state.column = column;
    }
}

fn show_row(ui: &mut Ui, report: &Report, row: &BenchRow, goes_on: bool) {
    let (line, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, &row.sentence));
    let pointer = response.hover_pos();
    if response.hovered() {
        ui.painter().rect_filled(line, 3.0, colour::control());
    } else if row.subject % 2 == 1 {
        ui.painter().rect_filled(line, 0.0, colour::panel());
    }
    let font = TextStyle::Body.resolve(ui.style());
    let mut meant = None;
    for ((column, rect), text) in cells(line).into_iter().zip(&row.texts) {
        if pointer.is_some_and(|at| rect.expand2(vec2(4.0, 0.0)).x_range().contains(at.x)) {
            meant = Some(column);
        }
        if column == Column::Node {
            let tint = if goes_on { Color32::TRANSPARENT } else { colour::text_strong() };
            paint_text(ui, rect, text, tint, false);
        } else {
            ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, text, font.clone(), tint(report, row, column));
        }
    }
    if let Some(column) = meant {
        response.on_hover_ui_at_pointer(|ui| {
            ui.set_max_width(320.0);
            ui.label(RichText::new(column.title()).strong());
            ui.label(report.meaning(row, column));
        });
    }
}

fn tint(report: &Report, row: &BenchRow, column: Column) -> Color32 {
    let cell = report.cell(row);
    match column {
        Column::Bits if row.texts[column as usize] != "yes" => colour::error(),
        Column::Time | Column::PerSample if cell.changes_nothing => colour::text_weak(),
        Column::Time if is_wide(&cell.milliseconds) => colour::warning(),
        Column::SpeedUp if is_wide(&cell.speed_up) => colour::warning(),
        Column::Time => colour::text_strong(),
        _ => colour::text(),
    }
}
