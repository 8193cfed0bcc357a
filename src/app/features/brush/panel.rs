//! The brush settings and the list of strokes, shown among the parameters of a layer.

use std::borrow::Cow;
use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align, Layout, RichText, ScrollArea, Ui, vec2};
use egui_phosphor::regular as icon;

use super::commands::{BrushAction, StampAction, tool_icon};
use super::state::{BrushState, StrokeEdit, tools};
use crate::frame::commands::{Action, Command};
use crate::frame::document::Document;
use crate::frame::theme::{ICON_BUTTON, colour, icon_button, icon_toggle};
use crate::frame::units;
use crate::frame::widgets::params::piece_row;
use talweg::brush::{Brush, Stroke};
use talweg::eval::StrokeTarget;
use talweg::nodes::Node;
use talweg::nodes::maps::painted::PaintedKind;
use talweg::param::{ParamSpec, Params};

/// Number of visible rows of the list of strokes.
const ROWS: usize = 7;

/// Shows the brush and the strokes of a layer or of its mask. Returns the command that a row issued, if any.
pub fn show(ui: &mut Ui, document: &mut Document, state: &mut BrushState, target: StrokeTarget) -> Option<Command> {
    document.strokes(target)?;
    let mut command = None;
    ui.add_space(4.0);
    let is_up = state.target(document) == Some(target);
    ui.horizontal(|ui| {
        let text = if is_up { "Stop painting" } else { "Start painting" };
        let button = egui::Button::new(format!("{}  {text}", icon::PAINT_BRUSH)).selected(is_up);
        if ui.add(button).on_hover_text(BrushAction::Paint.tooltip(ui.ctx())).clicked() {
            if is_up { state.stop_painting() } else { state.paint(document, target) }
        }
    });
    if document.scene().is_planet() {
        ui.weak("You can paint on terrains only. Extract a region of the planet first.");
        return None;
    }
    let selected = state.selected_stroke(document).filter(|(on, ..)| *on == target);
    let brush = edited_brush(document, state, target);
    if let Some((_, index, _)) = &selected {
        ui.label(RichText::new(format!("Brush of stroke {}", index + 1)).color(colour::accent()));
    }
    if is_up || selected.is_some() {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(3.0, 3.0);
            for tool in tools(document, target) {
                let toggle = icon_toggle(ui, true, tool == brush.tool, tool_icon(tool), tool.label());
                let tip = format!("{}. {}", tool.label(), tool.help());
                if toggle.on_hover_text(tip).clicked() {
                    state.change_brush(document, None, |brush| brush.tool = tool);
                }
            }
        });
        ui.label(RichText::new(brush.tool.help()).small().color(colour::text_weak()));
        command = rows(ui, document, state, target, &brush);
    }
    strokes(ui, document, state, target);
    command
}

/// Rows for the brush parameters that affect the current tool.
fn rows(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut BrushState,
    target: StrokeTarget,
    brush: &Brush,
) -> Option<Command> {
    let about = brush.about();
    let mut choose = None;
    // skip the tool parameter, because the tools have buttons of their own
    for (k, spec) in about.params.iter().enumerate().skip(1).filter(|(k, _)| brush.matters(*k)) {
        let value = brush.get(k);
        let spec = canvas_spec(document, target, spec);
        let change = ui.push_id(("brush", spec.name), |ui| piece_row(ui, about, &spec, &value, &mut choose)).inner;
        if let Some(change) = change {
            // the value cannot be rejected, because it comes from the row of the same parameter
            state.change_brush(document, change.gesture, |brush| drop(brush.set(k, &change.value)));
        }
    }
    choose.map(|_| Command::from(StampAction::Choose))
}

/// The brush of the selected stroke of `target` or, if none is selected, of new strokes.
pub(super) fn edited_brush(document: &Document, state: &BrushState, target: StrokeTarget) -> Brush {
    let selected = state.selected_stroke(document).filter(|(on, ..)| *on == target);
    selected.map_or_else(|| state.brush(document, Some(target)), |(.., stroke)| stroke.brush.clone())
}

/// A parameter of the brush, with the unit of the values that strokes change on `target`.
pub(super) fn canvas_spec<'a>(document: &Document, target: StrokeTarget, spec: &'a ParamSpec) -> Cow<'a, ParamSpec> {
    if !["amount", "level", "end_level"].contains(&spec.name) {
        return Cow::Borrowed(spec);
    }
    let (unit, is_fraction) = canvas_unit(document, target);
    Cow::Owned(ParamSpec { unit, is_fraction, ..spec.clone() })
}

/// Unit of the values that strokes change, and whether the values are fractions. Heights are in metres, mask values are
/// fractions, and each data map has a unit of its own.
fn canvas_unit(document: &Document, target: StrokeTarget) -> (&'static str, bool) {
    let StrokeTarget::Layer(index) = target else { return ("", true) };
    match document.scene().layers.get(index).map(|layer| &layer.node) {
        Some(Node::PaintedMap(painted)) => match painted.kind {
            PaintedKind::Sand | PaintedKind::Snow => ("m", false),
            PaintedKind::Rain => ("×", false),
            PaintedKind::Uplift
            | PaintedKind::Hardness
            | PaintedKind::Vegetation
            | PaintedKind::Trees
            | PaintedKind::Undergrowth
            | PaintedKind::Stones => ("", true),
        },
        _ => ("m", false),
    }
}

/// Short description of a stroke.
fn stroke_label(index: usize, stroke: &Stroke) -> String {
    let brush = &stroke.brush;
    format!("{}  {}  {}, {}", index + 1, tool_icon(brush.tool), brush.tool.label(), units::metres(brush.radius, 0))
}

fn strokes(ui: &mut Ui, document: &mut Document, state: &mut BrushState, target: StrokeTarget) {
    let Some(list) = document.strokes(target).cloned() else { return };
    let count = list.list().len();
    ui.add_space(4.0);
    let title = match count {
        0 => "none yet: drag over the terrain".into(),
        many => many.to_string(),
    };
    let heading = match target {
        StrokeTarget::Layer(_) => "Strokes",
        StrokeTarget::Mask(_) => "Painted",
    };
    let selected = state.selected_stroke(document).filter(|(on, ..)| *on == target).map(|(_, index, _)| index);
    ui.horizontal(|ui| {
        ui.label(RichText::new(heading).strong());
        ui.label(RichText::new(title).color(colour::text_weak()));
        if let Some(index) = selected {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                arrange(ui, document, state, target, index, count);
            });
        }
    });
    if count == 0 {
        return;
    }
    let row_height = ICON_BUTTON.max(ui.spacing().interact_size.y);
    let height = (row_height + ui.spacing().item_spacing.y) * count.min(ROWS) as f32;
    let area =
        ScrollArea::vertical().id_salt(("strokes", target.layer())).max_height(height).auto_shrink([false, true]);
    area.stick_to_bottom(true).show_rows(ui, row_height, count, |ui, shown| {
        for index in shown {
            let stroke = &list.list()[index];
            ui.horizontal(|ui| {
                let symbol = if stroke.hidden { icon::EYE_SLASH } else { icon::EYE };
                let name = if stroke.hidden { "Show stroke" } else { "Hide stroke" };
                if icon_button(ui, true, symbol, &format!("{name} {}", index + 1)).clicked() {
                    let shown = Arc::new(stroke.shown(stroke.hidden));
                    document.edit_strokes(target, name, None, |strokes| strokes.list_mut()[index] = shown);
                }
                let text = RichText::new(stroke_label(index, stroke));
                let text = if stroke.hidden { text.weak() } else { text };
                let row = ui.selectable_label(selected == Some(index), text);
                row.widget_info(|| {
                    let name = format!("Stroke {}: {}", index + 1, stroke.brush.tool.label());
                    egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, selected == Some(index), name)
                });
                if row.clicked() {
                    state.selected = (selected != Some(index)).then_some((target, index));
                }
            });
        }
    });
}

/// Buttons that delete the selected stroke and move it in the list.
fn arrange(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut BrushState,
    target: StrokeTarget,
    index: usize,
    count: usize,
) {
    ui.menu_button(icon::DOTS_THREE, |ui| {
        for edit in StrokeEdit::ALL {
            let info = BrushAction::Edit(edit).info();
            let entry = ui.button(format!("{}  {}", info.icon, info.label)).on_hover_text(info.tooltip);
            entry.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &info.label));
            if entry.clicked() {
                state.edit_selected(document, edit);
                ui.close();
            }
        }
    })
    .response
    .widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Change the path of the stroke"));
    if icon_button(ui, true, icon::TRASH, "Delete stroke").on_hover_text("Deletes this stroke.").clicked() {
        state.delete_selected(document);
        return;
    }
    let moves = [
        (icon::ARROW_DOWN, "Later", "Applies this stroke after the next one.", (index + 1 < count).then(|| index + 1)),
        (icon::ARROW_UP, "Earlier", "Applies this stroke before the previous one.", index.checked_sub(1)),
    ];
    for (symbol, label, tip, to) in moves {
        if icon_button(ui, to.is_some(), symbol, label).on_hover_text(tip).clicked()
            && let Some(to) = to
        {
            document.edit_strokes(target, "Move stroke", None, |strokes| strokes.list_mut().swap(index, to));
            state.selected = Some((target, to));
        }
    }
}

/// A checkbox that shows the mask of a layer on the terrain.
pub fn mask_row(ui: &mut Ui, document: &mut Document, layer: usize) {
    let mut is_shown = document.shown_mask() == Some(layer);
    let tip = "Tints the terrain where the mask lets the layer act.";
    if ui.checkbox(&mut is_shown, "Show on terrain").on_hover_text(tip).changed() {
        document.show_mask(is_shown.then_some(layer));
    }
}
