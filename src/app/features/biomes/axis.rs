//! One axis of a biome table. It has a draggable curve for each ground type. A strip shows the dominant type at each
//! value.

use bevy_egui::egui;
use egui::{Color32, CursorIcon, Mesh, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::frame::theme::colour;
use talweg::scene::Gesture;

const CURVES: f32 = 54.0;
const BAND: f32 = 9.0;
/// Distance from a handle, in points, within which the pointer grabs the handle.
const GRAB: f32 = 9.0;

/// The curve of a ground type on the axis of one condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToleranceCurve {
    pub rgb: [u8; 3],
    /// Optimum and tolerance; `None` if this condition of the environment does not affect the ground type.
    pub bell: Option<[f32; 2]>,
}

/// The data of one axis of the biome table.
pub struct BiomeAxis<'a> {
    pub label: &'a str,
    pub range: [f32; 2],
    pub curves: &'a [ToleranceCurve],
    pub selected: usize,
    /// Returns the colour of the dominant type at a value of this axis. The values of the other axes are fixed.
    pub wins: &'a dyn Fn(f32) -> [u8; 3],
    /// Value of the condition at the point that the user clicked in the view.
    pub mark: Option<f32>,
    pub least_tolerance: f32,
}

/// The optimum and tolerance of the selected type after a drag.
pub struct Dragged {
    pub bell: [f32; 2],
    pub gesture: Gesture,
}

#[derive(Clone, Copy, PartialEq)]
enum BellHandle {
    Optimum,
    Tolerance,
}

/// The handle being dragged, and the axis at the start of the drag.
#[derive(Clone, Copy)]
struct Drag {
    handle: BellHandle,
    bell: [f32; 2],
    from: f32,
    range: [f32; 2],
}

/// Shows the axis; returns the result of a drag.
pub fn show(ui: &mut Ui, axis: &BiomeAxis) -> Option<Dragged> {
    let size = vec2(ui.available_width(), CURVES + BAND + 3.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, format!("{} axis", axis.label)));
    let kept = response.id.with("drag");
    let drag: Option<Drag> = ui.data(|data| data.get_temp(kept)).filter(|_| response.dragged());
    let range = drag.map_or(axis.range, |drag| drag.range);
    let area = Rect::from_min_size(rect.min, vec2(rect.width(), CURVES));
    let to_x = |value: f32| egui::remap(value, range[0]..=range[1], area.left() + 2.0..=area.right() - 2.0);
    let per_point = (range[1] - range[0]) / (area.width() - 4.0).max(1.0);
    let bell = axis.curves.get(axis.selected).and_then(|curve| curve.bell);

    let grabbed = |x: f32, y: f32| {
        let [optimum, tolerance] = bell?;
        let shoulder = area.bottom() - area.height() * SHOULDER;
        let sides = [optimum - tolerance, optimum + tolerance].map(|value| (to_x(value) - x).abs());
        let side = sides[0].min(sides[1]);
        let top = (to_x(optimum) - x).abs();
        let by_side = side <= GRAB && ((y - shoulder).abs() < (y - area.top()).abs() || top > GRAB);
        Some(if by_side { BellHandle::Tolerance } else { BellHandle::Optimum })
    };
    let hover = response.hover_pos().and_then(|at| grabbed(at.x, at.y));
    if response.drag_started()
        && let Some(at) = ui.input(|i| i.pointer.press_origin())
        && let (Some(held), Some(bell)) = (grabbed(at.x, at.y), bell)
    {
        ui.data_mut(|data| data.insert_temp(kept, Drag { handle: held, bell, from: at.x, range: axis.range }));
    }
    let hot = drag.map(|drag| drag.handle).or(hover);
    paint(ui, rect, area, axis, range, hot);
    if bell.is_none() {
        response.on_hover_text("The selected type ignores this condition. Tick the condition to set an optimum.");
        return None;
    }
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    let response = response.on_hover_text(
        "Drag the peak to move the optimum, a shoulder to change the tolerance. The strip below shows the dominant \
         type.",
    );
    let (drag, at) = (drag?, response.interact_pointer_pos()?);
    let moved = (at.x - drag.from) * per_point;
    let [optimum, tolerance] = drag.bell;
    let bell = match drag.handle {
        BellHandle::Optimum => [(optimum + moved).clamp(range[0].min(optimum), range[1].max(optimum)), tolerance],
        BellHandle::Tolerance => {
            let right = drag.from >= to_x(optimum);
            let tolerance = tolerance + if right { moved } else { -moved };
            [optimum, tolerance.clamp(axis.least_tolerance, range[1] - range[0])]
        }
    };
    Some(Dragged { bell, gesture: Gesture(response.id.value()) })
}

/// Height of a bell curve at a distance of one tolerance from its optimum: 1/e.
const SHOULDER: f32 = 0.367_88;

fn paint(ui: &Ui, rect: Rect, area: Rect, axis: &BiomeAxis, range: [f32; 2], hot: Option<BellHandle>) {
    let painter = ui.painter_at(rect);
    painter.rect(area, 3.0, colour::deep(), Stroke::new(1.0, colour::line()), StrokeKind::Inside);
    let points = area.width() as usize;
    let value_at = |k: usize| range[0] + (range[1] - range[0]) * k as f32 / points.max(1) as f32;
    let height = |bell: [f32; 2], value: f32| (-(value - bell[0]).abs() / bell[1]).exp();
    let spot = |k: usize, y: f32| pos2(area.left() + k as f32, area.bottom() - 1.0 - (area.height() - 5.0) * y);
    let line = |bell: [f32; 2]| (0..=points).map(|k| spot(k, height(bell, value_at(k)))).collect::<Vec<_>>();
    let [others, own]: [Vec<_>; 2] = [false, true].map(|own| {
        let all = axis.curves.iter().enumerate().filter(|(k, _)| (*k == axis.selected) == own);
        all.filter_map(|(_, curve)| curve.bell.map(|bell| (curve.rgb, bell))).collect()
    });
    for ([r, g, b], bell) in others {
        painter.line(line(bell), Stroke::new(1.2, seen(Color32::from_rgb(r, g, b)).gamma_multiply(0.75)));
    }
    for ([r, g, b], bell) in own {
        let tint = seen(Color32::from_rgb(r, g, b));
        painter.line(line(bell), Stroke::new(4.0, colour::deep()));
        painter.line(line(bell), Stroke::new(2.4, tint));
        let x = |value: f32| egui::remap_clamp(value, range[0]..=range[1], area.left() + 5.0..=area.right() - 5.0);
        let handle = |value: f32, y: f32, held: BellHandle| {
            let at = pos2(x(value), area.bottom() - 1.0 - (area.height() - 5.0) * y);
            let radius = if hot == Some(held) { 5.0 } else { 3.8 };
            painter.circle(at, radius, colour::panel(), Stroke::new(1.8, colour::text_strong()));
        };
        handle(bell[0], 1.0, BellHandle::Optimum);
        handle(bell[0] - bell[1], SHOULDER, BellHandle::Tolerance);
        handle(bell[0] + bell[1], SHOULDER, BellHandle::Tolerance);
    }
    let band = Rect::from_min_max(pos2(rect.left(), area.bottom() + 3.0), rect.max);
    let mut mesh = Mesh::default();
    let steps = (points / 2).max(1);
    for k in 0..steps {
        let [r, g, b] = (axis.wins)(range[0] + (range[1] - range[0]) * (k as f32 + 0.5) / steps as f32);
        let edge = |k: usize| egui::lerp(band.x_range(), k as f32 / steps as f32);
        mesh.add_colored_rect(Rect::from_x_y_ranges(edge(k)..=edge(k + 1), band.y_range()), Color32::from_rgb(r, g, b));
    }
    painter.add(mesh);
    if let Some(value) = axis.mark.filter(|value| (range[0]..=range[1]).contains(value)) {
        let x = egui::remap(value, range[0]..=range[1], area.left() + 2.0..=area.right() - 2.0);
        painter.vline(x, rect.y_range(), Stroke::new(1.2, colour::accent()));
    }
}

/// Makes a colour visible against the dark background of the plot.
fn seen(tint: Color32) -> Color32 {
    let brightest = tint.r().max(tint.g()).max(tint.b());
    if brightest >= 90 { tint } else { tint.lerp_to_gamma(Color32::WHITE, 0.45) }
}
