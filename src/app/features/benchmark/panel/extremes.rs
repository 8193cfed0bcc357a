//! The tab that shows how each node behaves at the minimum and at the maximum of each parameter.

use bevy_egui::egui;
use egui::{Align2, Label, RichText, ScrollArea, Sense, TextStyle, Ui, WidgetInfo, WidgetType, vec2};

use crate::features::benchmark::panel::{BenchState, cell, chip};
use crate::frame::theme::{colour, paint_text};
use talweg::benchmark::summary::{ExtremeLine, ExtremeOutcome, Report, SLOW, three};

const ROW: f32 = 21.0;

pub fn show(ui: &mut Ui, state: &mut BenchState, report: &Report) {
    if report.extremes.is_empty() {
        let text = "Extreme parameters were not tested. Tick Extremes and run again.";
        ui.add(Label::new(RichText::new(text).color(colour::text_weak())).wrap());
        return;
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (remarkable, text, tip) in [
            (false, "All", "All parameters, each at its minimum and at its maximum."),
            (
                true,
                "Remarkable",
                "Only values with flat or non-finite terrain, more than three times the run time, or a stopped run.",
            ),
        ] {
            if chip(ui, 84.0, state.only_remarkable == remarkable, text, &format!("Show {text}"), tip) {
                state.only_remarkable = remarkable;
            }
        }
    });
    let mut lines: Vec<&ExtremeLine> = Vec::new();
    for line in report.extremes.iter().filter(|line| !state.only_remarkable || line.is_remarkable()) {
        // skip the heading of a node without visible lines
        if matches!((line, lines.last()), (ExtremeLine::Head(_), Some(ExtremeLine::Head(_)))) {
            lines.pop();
        }
        lines.push(line);
    }
    if matches!(lines.last(), Some(ExtremeLine::Head(_))) {
        lines.pop();
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let scroll = ScrollArea::vertical().id_salt("extremes").auto_shrink(false);
    scroll.show_rows(ui, ROW, lines.len(), |ui, range| lines[range].iter().for_each(|line| show_line(ui, line)));
}

fn show_line(ui: &mut Ui, line: &ExtremeLine) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let (parameter, value, fate, times) = match line {
        ExtremeLine::Head(name) => {
            response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, name));
            return paint_text(ui, rect, name, colour::accent(), false);
        }
        ExtremeLine::Value { parameter, value, fate, times } => (parameter, value, *fate, *times),
    };
    let slow = times.map_or_else(|| "–".into(), |times| format!("{} ×", three(times)));
    let told = format!("{parameter} = {value}: {}, {slow}", fate.word());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, &told));
    if response.hovered() {
        ui.painter().rect_filled(rect, 3.0, colour::control());
    }
    let at = |share: f32| rect.left() + share * (rect.width() - 12.0);
    let tint = match fate {
        ExtremeOutcome::Finite => colour::text(),
        ExtremeOutcome::Level | ExtremeOutcome::Stopped => colour::warning(),
        ExtremeOutcome::NotFinite => colour::error(),
    };
    paint_text(ui, cell(rect, at(0.0) + 12.0, at(0.36)), parameter, colour::text(), false);
    paint_text(ui, cell(rect, at(0.37), at(0.57)), value, colour::text_strong(), false);
    paint_text(ui, cell(rect, at(0.58), at(0.86)), fate.word(), tint, false);
    let is_slow = times.is_some_and(|times| times > SLOW);
    let (right, font) = (cell(rect, at(0.86), at(1.0)), TextStyle::Body.resolve(ui.style()));
    let tint = if is_slow { colour::warning() } else { colour::text() };
    ui.painter().text(right.right_center(), Align2::RIGHT_CENTER, &slow, font, tint);
    response.on_hover_ui_at_pointer(|ui| {
        ui.set_max_width(320.0);
        ui.label(RichText::new(format!("{parameter} = {value}")).strong());
        ui.label(fate.help());
        ui.label(match times {
            Some(times) => {
                format!("Takes {} times as long as with all parameters unchanged, at 129² samples.", three(times))
            }
            None => "No time to compare: the run was stopped, or the unchanged parameters have no effect.".into(),
        });
    });
}
