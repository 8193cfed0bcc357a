//! The legend of an overlay: a colour bar with ticks in the lower left corner of the 3D view.

use bevy_egui::egui;
use egui::{Align2, Color32, FontId, Id, Mesh, Rect, Sense, Stroke, Ui, pos2, vec2};

use crate::frame::theme::colour;
use crate::frame::units::ShownUnit;
use crate::view::Legend;

const WIDTH: f32 = 268.0;
const HEIGHT: f32 = 62.0;
const BAR: f32 = 12.0;
const MARGIN: f32 = 12.0;

/// Maximum size of the legend in the view, including its margins, in points.
pub const PLACE: egui::Vec2 = vec2(WIDTH + 2.0 * MARGIN, HEIGHT + MARGIN);

/// Paints the legend into the lower left corner of `area`. The legend ignores clicks, so that the camera receives them.
/// If there is more than one legend, `whose` names the terrain and precedes the title.
pub fn show(ui: &mut Ui, area: Rect, legend: &Legend, whose: &str) {
    let (unit, ticks) = in_units(legend);
    let title =
        if unit.is_empty() || ticks.is_empty() { legend.title.clone() } else { format!("{}, {unit}", legend.title) };
    let title = if whose.is_empty() { title } else { format!("{whose}: {title}") };
    let painter = ui.painter().with_clip_rect(area);
    let title_text = painter.layout_no_wrap(title.clone(), FontId::proportional(12.5), colour::text_strong());
    let height = if legend.ticks.is_empty() { 30.0 } else { HEIGHT };
    let width = if legend.ticks.is_empty() { title_text.size().x + 24.0 } else { WIDTH };
    let rect = Rect::from_min_size(
        area.left_bottom() + vec2(MARGIN, -MARGIN - height),
        vec2(width.min(area.width() - 2.0 * MARGIN), height),
    );
    painter.rect_filled(rect, 6.0, colour::panel().gamma_multiply(0.86));
    painter.galley(rect.min + vec2(12.0, 7.0), title_text, colour::text_strong());
    // keep a gap at both ends of the bar, because the outermost numbers are centred on its ends and extend beyond it
    let bar = Rect::from_min_max(
        pos2(rect.left() + 24.0, rect.top() + 28.0),
        pos2(rect.right() - 24.0, rect.top() + 28.0 + BAR),
    );
    if !legend.ticks.is_empty() {
        painter.add(colours(bar, legend));
        painter.rect_stroke(bar, 0.0, Stroke::new(1.0, colour::line()), egui::StrokeKind::Outside);
    }
    for (tick, text) in legend.ticks.iter().zip(&ticks) {
        let x = bar.left() + tick.at * bar.width();
        painter.vline(x, bar.bottom()..=bar.bottom() + 3.0, Stroke::new(1.0, colour::text_weak()));
        let at = pos2(x, bar.bottom() + 4.0);
        painter.text(at, Align2::CENTER_TOP, text, FontId::proportional(11.5), colour::text());
    }
    let response = ui.interact(rect, Id::new(("legend", whose)), Sense::hover());
    let ticks = ticks.join(", ");
    let told = if ticks.is_empty() { format!("Legend: {title}") } else { format!("Legend: {title}: {ticks}") };
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, &told));
}

/// The unit and the tick labels in the preferred units. Text before a number in a label is kept.
fn in_units(legend: &Legend) -> (String, Vec<String>) {
    let unit = ShownUnit::of_stored("m");
    let kept = || legend.ticks.iter().map(|tick| tick.text.clone());
    if legend.unit != "m" || unit.name == "m" {
        return (legend.unit.clone(), kept().collect());
    }
    let shown = |text: String| {
        let at = text.find(|c: char| c.is_ascii_digit() || c == '−').unwrap_or(text.len());
        let Ok(metres) = text[at..].replace('−', "-").parse::<f64>() else { return text };
        let shown = unit.shown(metres);
        let decimals = match shown.abs() {
            small if small > 0.0 && small < 10.0 => 2,
            size => usize::from(size > 0.0 && size < 100.0),
        };
        let number = format!("{shown:.decimals$}").replace('-', "−");
        format!("{}{number}", &text[..at])
    };
    (unit.name.into(), kept().map(shown).collect())
}

/// The colour ramp of the bar, from left to right.
fn colours(bar: Rect, legend: &Legend) -> Mesh {
    const STEPS: usize = 48;
    let mut mesh = Mesh::default();
    for (k, [r, g, b]) in legend.ramp.table(STEPS + 1).enumerate() {
        let x = bar.left() + bar.width() * k as f32 / STEPS as f32;
        for y in [bar.top(), bar.bottom()] {
            mesh.colored_vertex(pos2(x, y), Color32::from_rgb(r, g, b));
        }
        if k > 0 {
            let last = 2 * k as u32;
            mesh.add_triangle(last - 2, last - 1, last);
            mesh.add_triangle(last - 1, last + 1, last);
        }
    }
    mesh
}
