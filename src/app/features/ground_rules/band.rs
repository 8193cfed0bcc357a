//! The band of a condition: a diagram that shows to what degree each value fulfils the condition. The user can drag its
//! corners.

use bevy_egui::egui;
use egui::{CursorIcon, DragValue, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::frame::theme::colour;
use talweg::appearance_files::{Band, EVERYWHERE, fulfilled};
use talweg::scene::Gesture;

const HEIGHT: f32 = 34.0;
/// Distance from a corner, in points, within which the pointer grabs the corner.
const GRAB: f32 = 12.0;

/// The format in which the values of a condition are displayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandScale {
    pub unit: &'static str,
    /// Factor that converts stored values to shown values.
    pub times: f64,
    /// The stored values at both ends of the diagram.
    pub ends: [f32; 2],
    /// Number of decimals shown.
    pub decimals: usize,
}

impl BandScale {
    /// Makes a number field that shows a stored value in this format.
    pub fn field<'a>(&self, field: DragValue<'a>) -> DragValue<'a> {
        let (times, decimals) = (self.times, self.decimals);
        let most = 10.0 * f64::from(self.ends[1] - self.ends[0]);
        let suffix =
            if self.unit == "%" || self.unit == "°" { self.unit.to_string() } else { format!(" {}", self.unit) };
        field
            .range(f64::from(self.ends[0]) - most..=f64::from(self.ends[1]) + most)
            .suffix(suffix)
            .custom_formatter(move |value, _| format!("{:.decimals$}", value * times))
            .custom_parser(move |text| {
                let text = text.trim().trim_end_matches(['%', '°']).trim().replace(',', ".").replace('−', "-");
                Some(text.parse::<f64>().ok()? / times)
            })
    }

    /// Rounds a value to the decimals that are shown.
    pub fn rounded(&self, value: f32) -> f32 {
        let steps = self.times * 10f64.powi(self.decimals as i32);
        ((f64::from(value) * steps).round() / steps) as f32
    }
}

/// The band after a drag, and the gesture of the drag.
pub struct DraggedBand {
    pub band: Band,
    pub gesture: Gesture,
}

/// Indices of the numbers that limit a band: two for a limit on one side, four for limits on both sides.
pub fn points(band: Band) -> impl Iterator<Item = usize> + Clone {
    let (begins, ends) = (band[1] > EVERYWHERE[1], band[2] < EVERYWHERE[2]);
    (0..4).filter(move |index| if *index < 2 { begins } else { ends })
}

/// Returns the band with number `index` set to `value`. The other numbers are moved so that all numbers stay in order.
pub fn with_point(mut band: Band, index: usize, value: f32) -> Band {
    band[index] = value;
    for k in points(band).collect::<Vec<_>>() {
        if k < index {
            band[k] = band[k].min(value);
        } else {
            band[k] = band[k].max(value);
        }
    }
    band
}

/// Shows the diagram; returns the new band if it was dragged.
pub fn editor(ui: &mut Ui, label: &str, band: Band, scale: &BandScale) -> Option<DraggedBand> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, format!("{label} band")));
    let area = rect.shrink2(vec2(5.0, 4.0));
    let to_x = |value: f32| egui::remap_clamp(value, scale.ends[0]..=scale.ends[1], area.left()..=area.right());
    let nearest = |x: f32, y: f32| {
        let is_upper = y < area.center().y;
        // if two corners have the same position, choose the corner on the pointer's side
        let distance = |k: &usize| {
            let away = (to_x(band[*k]) - x).abs();
            let is_top = *k == 1 || *k == 2;
            away + if is_top == is_upper { 0.0 } else { 0.5 * GRAB }
        };
        points(band).min_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|k| distance(k) <= 2.0 * GRAB)
    };
    let kept = response.id.with("held");
    if response.drag_started() {
        let held = ui.input(|i| i.pointer.press_origin()).and_then(|at| nearest(at.x, at.y));
        ui.data_mut(|data| data.insert_temp(kept, held));
    }
    let held: Option<usize> = ui.data(|data| data.get_temp(kept)).flatten().filter(|_| response.dragged());
    let hot = held.or(response.hover_pos().and_then(|at| nearest(at.x, at.y)));
    paint(ui, rect, area, band, scale, hot);
    let at = response.interact_pointer_pos();
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    let gesture = Gesture(response.id.value());
    response.on_hover_text("Drag the corners. The rule has no effect at the bottom and full effect at the top.");
    let (index, at) = (held?, at?);
    let value = egui::remap_clamp(at.x, area.left()..=area.right(), scale.ends[0]..=scale.ends[1]);
    Some(DraggedBand { band: with_point(band, index, scale.rounded(value)), gesture })
}

fn paint(ui: &Ui, rect: Rect, area: Rect, band: Band, scale: &BandScale, hot: Option<usize>) {
    let painter = ui.painter_at(rect);
    painter.rect(rect, 3.0, colour::deep(), Stroke::new(1.0, colour::line()), StrokeKind::Inside);
    let [low, high] = scale.ends;
    let steps = area.width().max(1.0) as usize;
    let spot = |value: f32, share: f32| {
        pos2(egui::remap(value, low..=high, area.left()..=area.right()), egui::lerp(area.bottom()..=area.top(), share))
    };
    let mut mesh = egui::Mesh::default();
    let fill = colour::accent_deep();
    let value = |k: usize| low + (high - low) * k as f32 / steps as f32;
    for k in 0..steps {
        let share = fulfilled(band, value(k));
        if share > 0.0 {
            let column = Rect::from_min_max(spot(value(k), share), spot(value(k + 1), 0.0));
            mesh.add_colored_rect(column, fill);
        }
    }
    painter.add(mesh);
    let line = (0..=steps).map(|k| spot(value(k), fulfilled(band, value(k)))).collect();
    painter.line(line, Stroke::new(1.6, colour::accent()));
    for index in points(band) {
        let share = if index == 1 || index == 2 { 1.0 } else { 0.0 };
        let at = spot(band[index].clamp(low, high), share);
        let radius = if hot == Some(index) { 5.0 } else { 3.6 };
        painter.circle(at, radius, colour::panel(), Stroke::new(1.6, colour::text_strong()));
    }
}
