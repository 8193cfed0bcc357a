//! A small curve editor: click to add a point, drag to move it, double-click or right-click to remove it.

use bevy_egui::egui;
use egui::{Pos2, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::frame::theme::colour;
use talweg::param::ToneCurve;
use talweg::scene::Gesture;

const HEIGHT: f32 = 150.0;
const GRAB: f32 = 8.0;
/// Minimum distance in x between two points of the curve; x runs from 0 to 1.
const APART: f32 = 0.005;

/// The edited curve and the mouse gesture that edits it.
pub struct Edited {
    pub curve: ToneCurve,
    pub gesture: Option<Gesture>,
}

/// Shows `curve`; returns the new curve if it was changed.
pub fn editor(ui: &mut Ui, label: &str, curve: &ToneCurve) -> Option<Edited> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, format!("{label} curve")));
    let response =
        response.on_hover_text("Click to add a point, drag to move it, double-click or right-click to remove it.");
    let area = rect.shrink(GRAB);
    let points = curve.sanitised().0;
    let under = response.interact_pointer_pos().or(response.hover_pos()).and_then(|at| nearest(&points, area, at));

    let held = response.id.with("held");
    if response.drag_started() {
        let from = ui.input(|i| i.pointer.press_origin()).and_then(|at| nearest(&points, area, at));
        ui.data_mut(|data| data.insert_temp(held, from));
    }
    let grabbed: Option<usize> = ui.data(|data| data.get_temp(held)).flatten().filter(|_| response.dragged());
    paint(ui, rect, area, &points, curve, grabbed.or(under));

    let removes = response.double_clicked() || response.secondary_clicked();
    if let (true, Some(index)) = (removes, under) {
        // the first and the last point of the curve cannot be removed
        return (index > 0 && index + 1 < points.len()).then(|| {
            let mut points = points;
            points.remove(index);
            Edited { curve: ToneCurve(points), gesture: None }
        });
    }
    if let (Some(index), Some(at)) = (grabbed, response.interact_pointer_pos()) {
        let mut points = points;
        points[index] = moved(&points, index, to_unit(area, at));
        let curve = ToneCurve(points);
        return Some(Edited { curve, gesture: Some(Gesture(response.id.value())) });
    }
    if response.clicked() && under.is_none() && points.len() < ToneCurve::MAX_POINTS {
        let at = to_unit(area, response.interact_pointer_pos()?);
        let mut points = points;
        if points.iter().all(|p| (p.0 - at.0).abs() > APART) {
            points.push(at);
            return Some(Edited { curve: ToneCurve(points).sanitised(), gesture: None });
        }
    }
    None
}

/// Returns the allowed position of point `index` that is closest to `to`. A point cannot pass its neighbours. An end
/// point at x = 0 or x = 1 keeps its x.
fn moved(points: &[(f32, f32)], index: usize, to: (f32, f32)) -> (f32, f32) {
    let low = if index == 0 { 0.0 } else { points[index - 1].0 + APART };
    let high = if index + 1 == points.len() { 1.0 } else { points[index + 1].0 - APART };
    let x = if low > high { points[index].0 } else { to.0.clamp(low, high) };
    (x, to.1)
}

fn nearest(points: &[(f32, f32)], area: Rect, at: Pos2) -> Option<usize> {
    let distance = |k: &usize| to_screen(area, points[*k]).distance(at);
    let best = (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    (distance(&best) <= GRAB).then_some(best)
}

fn to_screen(area: Rect, (x, y): (f32, f32)) -> Pos2 {
    pos2(egui::lerp(area.x_range(), x), egui::lerp(area.bottom()..=area.top(), y))
}

fn to_unit(area: Rect, at: Pos2) -> (f32, f32) {
    let x = (at.x - area.left()) / area.width();
    let y = (area.bottom() - at.y) / area.height();
    (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0))
}

fn paint(ui: &Ui, rect: Rect, area: Rect, points: &[(f32, f32)], curve: &ToneCurve, hot: Option<usize>) {
    let painter = ui.painter_at(rect);
    painter.rect(rect, 4.0, colour::deep(), Stroke::new(1.0, colour::line()), StrokeKind::Inside);
    let grid = Stroke::new(1.0, colour::line());
    for k in 0..=4 {
        let t = k as f32 / 4.0;
        painter.vline(egui::lerp(area.x_range(), t), area.y_range(), grid);
        painter.hline(area.x_range(), egui::lerp(area.y_range(), t), grid);
    }
    let prepared = curve.prepare();
    let steps = 64;
    let line = (0..=steps).map(|k| k as f32 / steps as f32).map(|x| to_screen(area, (x, prepared.value(x)))).collect();
    painter.line(line, Stroke::new(2.0, colour::accent()));
    for (k, &point) in points.iter().enumerate() {
        let radius = if hot == Some(k) { 5.5 } else { 4.0 };
        painter.circle(to_screen(area, point), radius, colour::panel(), Stroke::new(2.0, colour::text_strong()));
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Modifiers, PointerButton};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    fn press(harness: &mut Harness<ToneCurve>, at: Pos2, button: PointerButton, to: Pos2) {
        let event = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
        harness.event(Event::PointerMoved(at));
        harness.event(event(at, true));
        harness.event(Event::PointerMoved(at.lerp(to, 0.5)));
        harness.event(Event::PointerMoved(to));
        harness.event(event(to, false));
        harness.run();
    }

    #[test]
    fn curve_points_are_added_moved_and_removed_and_ends_stay() {
        let show = |ui: &mut Ui, curve: &mut ToneCurve| {
            if let Some(edited) = editor(ui, "Levels", curve) {
                assert_eq!(edited.curve, edited.curve.sanitised(), "always a curve");
                *curve = edited.curve;
            }
        };
        let mut harness = Harness::builder().with_size(vec2(300.0, 200.0)).build_ui_state(show, ToneCurve::identity());
        let area = harness.get_by_label("Levels curve").rect().shrink(GRAB);
        let place = |x: f32, y: f32| to_screen(area, (x, y));
        let left = PointerButton::Primary;
        press(&mut harness, place(0.5, 0.8), left, place(0.5, 0.8));
        assert_eq!(harness.state().0.len(), 3);
        press(&mut harness, place(0.5, 0.8), left, place(5.0, 0.25));
        let moved = harness.state().0[1];
        assert!((moved.0 - (1.0 - APART)).abs() < 1e-4 && (moved.1 - 0.25).abs() < 0.01, "{moved:?}");
        for end in [(0.0, 0.0), (1.0, 1.0)] {
            press(&mut harness, place(end.0, end.1), PointerButton::Secondary, place(end.0, end.1));
        }
        assert_eq!(harness.state().0.len(), 3);
        press(&mut harness, place(moved.0, moved.1), PointerButton::Secondary, place(moved.0, moved.1));
        assert_eq!(harness.state().0.len(), 2);
    }
}
