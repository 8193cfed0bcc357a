//! Names, divider and legends that are drawn over the view during a comparison.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align2, Color32, FontId, Id, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::compare::commands::CompareMode;
use crate::features::compare::panel::{CompareInfo, CompareState, letter};
use crate::frame::document::Document;
use crate::frame::theme::colour;
use crate::frame::widgets::legend;
use crate::view::{CompareLayout, CompareSide, Legend};

/// Height of the projection buttons of a planet, in points.
const PROJECTION_HEIGHT: f32 = 36.0;

/// Shows the names of the two parts of the view, the divider between the parts, and the legends.
pub fn view_overlay(
    ui: &mut Ui,
    area: Rect,
    state: &mut CompareState,
    document: &Document,
    legend: Option<&Arc<Legend>>,
    info: &CompareInfo,
) {
    legends(ui, area, state, legend, info);
    state.holds_pointer = false;
    let Some(b) = &info.b else { return };
    let at = |share: f32| area.left() + share * area.width();
    let panes = state.layout().panes(state.swapped);
    for pane in panes.iter().flatten() {
        let rect = Rect::from_min_max(pos2(at(pane.from), area.top()), pos2(at(pane.to), area.bottom()));
        let name = if pane.side == CompareSide::A { document.state_name() } else { b.clone() };
        // leave room for the projection buttons of a planet, which are in the upper right corner
        let is_planet = document.scene().is_planet();
        let rect = if is_planet { rect.with_min_y(rect.top() + PROJECTION_HEIGHT) } else { rect };
        tag(ui, rect, pane.side, &name, state.mode == CompareMode::Difference && pane.side == CompareSide::A);
    }
    match state.layout() {
        CompareLayout::Split(_) => handle(ui, area, state),
        CompareLayout::Halves => line(ui, area, at(0.5), colour::panel()),
        CompareLayout::One => {}
    }
}

fn line(ui: &Ui, area: Rect, x: f32, tint: Color32) {
    ui.painter().with_clip_rect(area).vline(x, area.y_range(), Stroke::new(2.0, tint));
}

/// Shows the name of a terrain in the upper left corner of its part of the view.
fn tag(ui: &mut Ui, part: Rect, side: CompareSide, name: &str, is_difference: bool) {
    const MARGIN: f32 = 8.0;
    let (letter, tint) = letter(side);
    let room = part.width() - 2.0 * MARGIN;
    if room < 28.0 {
        return;
    }
    let mut job = egui::text::LayoutJob::default();
    let format = |color| egui::TextFormat { font_id: FontId::proportional(13.0), color, ..Default::default() };
    job.append(if is_difference { "A − B" } else { letter }, 0.0, format(tint));
    if !is_difference {
        job.append(name, 7.0, format(colour::text_strong()));
    }
    job.wrap = egui::text::TextWrapping::truncate_at_width(room - 16.0);
    let painter = ui.painter().with_clip_rect(part);
    let galley = painter.layout_job(job);
    let rect = Rect::from_min_size(part.min + vec2(MARGIN, MARGIN), galley.size() + vec2(16.0, 8.0));
    painter.rect(rect, 5.0, colour::panel().gamma_multiply(0.86), Stroke::new(1.0, colour::line()), StrokeKind::Inside);
    painter.galley(rect.min + vec2(8.0, 4.0), galley, colour::text_strong());
    let told = if is_difference { "View of A − B".to_string() } else { format!("View of {letter}: {name}") };
    let response = ui.interact(rect, Id::new(("tag", letter)), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, &told));
}

/// The divider of the split view.
fn handle(ui: &mut Ui, area: Rect, state: &mut CompareState) {
    const REACH: f32 = 7.0;
    const ROUND: f32 = 13.0;
    let x = (area.left() + state.split * area.width()).clamp(area.left() + ROUND, area.right() - ROUND);
    let rail = Rect::from_min_max(pos2(x - REACH, area.top()), pos2(x + REACH, area.bottom()));
    let handle = Rect::from_center_size(pos2(x, area.center().y), vec2(2.0 * ROUND, 2.0 * ROUND));
    let response = ui.interact(rail.union(handle).intersect(area), Id::new("split"), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(state.split), "Split"));
    let is_held = response.hovered() || response.dragged();
    state.holds_pointer = is_held;
    if let (true, Some(at)) = (response.dragged(), response.interact_pointer_pos()) {
        state.split = ((at.x - area.left()) / area.width()).clamp(0.0, 1.0);
    }
    if response.double_clicked() {
        state.split = 0.5;
    }
    let tint = if is_held { colour::text_strong() } else { colour::text() };
    line(ui, area, area.left() + state.split * area.width(), tint);
    let painter = ui.painter().with_clip_rect(area);
    painter.circle(handle.center(), ROUND, colour::panel(), Stroke::new(1.5, tint));
    let symbol = FontId::proportional(15.0);
    painter.text(handle.center(), Align2::CENTER_CENTER, icon::ARROWS_HORIZONTAL, symbol, tint);
    let tip = "Drag to show more of A or B. Double-click to centre.";
    response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal).on_hover_text_at_pointer(tip);
}

/// Shows the legend of the overlay. If the legends of A and B differ, shows both.
fn legends(ui: &mut Ui, area: Rect, state: &CompareState, a: Option<&Arc<Legend>>, info: &CompareInfo) {
    let b = info.legend.as_ref().filter(|_| info.b.is_some());
    let panes = state.layout().panes(state.swapped);
    let shown: Vec<CompareSide> = panes.iter().flatten().map(|pane| pane.side).collect();
    if !info.is_on() || (shown.len() == 2 && (a == b || b.is_none())) {
        if let Some(legend) = a {
            legend::show(ui, area, legend, "");
        }
        return;
    }
    // place the legends side by side, or stacked if the view is too narrow
    let beside = area.width() >= 2.0 * legend::PLACE.x;
    for (k, side) in shown.iter().enumerate() {
        let shift = if beside { vec2(area.width() - legend::PLACE.x, 0.0) } else { vec2(0.0, -legend::PLACE.y) };
        let place = if k == 0 { area } else { area.translate(shift).intersect(area) };
        if let Some(legend) = if *side == CompareSide::A { a } else { b } {
            legend::show(ui, place, legend, if shown.len() == 2 { letter(*side).0 } else { "" });
        }
    }
}
