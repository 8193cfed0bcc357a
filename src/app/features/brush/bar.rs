//! The bar over the view while a brush is used. It shows radius, hardness and strength of every brush: of terrain, of
//! masks and of maps.

use bevy_egui::egui;
use egui::{Align2, Area, Id, Margin, Order, RichText, Slider, SliderClamping, Ui, WidgetInfo, vec2};

use super::commands::tool_icon;
use super::panel::{canvas_spec, edited_brush};
use super::state::BrushState;
use crate::frame::document::Document;
use crate::frame::interface::InterfaceFrame;
use crate::frame::theme::{self, colour};
use crate::frame::units;
use talweg::param::{ParamKind, ParamSpec, Params, Value};
use talweg::scene::Gesture;

/// Width of a slider of the bar, in points.
const SLIDER: f32 = 84.0;
/// Distance between the bar and the edge of the view, in points.
const GAP: f32 = 6.0;

/// Shows the bar at the upper edge of the view while the user paints.
pub(super) fn show(root: &Ui, document: &mut Document, state: &mut BrushState, frame: &mut InterfaceFrame) {
    let Some(target) = state.target(document) else { return };
    let brush = edited_brush(document, state, target);
    let about = brush.about();
    let at = frame.free_rect.center_top() + vec2(0.0, frame.top_margin + GAP);
    let area = Area::new(Id::new("brush bar")).order(Order::Middle).pivot(Align2::CENTER_TOP).fixed_pos(at);
    let bar = area.constrain_to(frame.free_rect).show(root.ctx(), |ui| {
        egui::Frame::popup(ui.style()).inner_margin(Margin::symmetric(8, 4)).show(ui, |ui| {
            ui.horizontal(|ui| {
                let tool = RichText::new(tool_icon(brush.tool)).size(16.0).color(colour::accent());
                ui.label(tool).on_hover_text(format!("{}. {}", brush.tool.label(), brush.tool.help()));
                // the amount and the strength are the strength of different tools
                for name in ["radius", "hardness", "amount", "strength"] {
                    let Some(index) = about.find(name).filter(|&index| brush.matters(index)) else { continue };
                    let spec = canvas_spec(document, target, &about.params[index]);
                    if let Some((value, gesture)) = setting(ui, &spec, &brush.get(index)) {
                        // the value cannot be rejected, because it lies on the slider of the parameter
                        state.change_brush(document, Some(gesture), |brush| drop(brush.set(index, &value)));
                    }
                }
            });
        });
    });
    frame.top_margin += bar.response.rect.height() + GAP;
}

/// Shows name, value and slider of one setting. Returns a changed value.
fn setting(ui: &mut Ui, spec: &ParamSpec, value: &Value) -> Option<(Value, Gesture)> {
    let (ParamKind::Float { slider, .. }, Value::Float(now)) = (&spec.kind, value) else { return None };
    let (least, most) = if spec.is_fraction { (0.0, 1.0) } else { *slider };
    let text = format!("{} {}", spec.label, units::param_with_unit(spec, value));
    ui.label(RichText::new(text).color(colour::text_weak())).on_hover_text(spec.help);
    let mut moved = *now;
    let widget = Slider::new(&mut moved, least..=most)
        .logarithmic(least > 0.0 && most / least >= 50.0)
        .clamping(SliderClamping::Edits);
    let rail = theme::slider(ui, true, SLIDER, widget);
    rail.widget_info(|| WidgetInfo::slider(true, f64::from(*now), format!("Brush {}", spec.label.to_lowercase())));
    let rail = rail.on_hover_text(spec.help);
    (moved != *now).then(|| (Value::Float(moved), Gesture(rail.id.value())))
}
