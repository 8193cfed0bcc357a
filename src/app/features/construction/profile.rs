//! The profile editor: height as a function of the distance from a line or a centre. Click to add a point, drag to move
//! it, double-click or right-click to remove it.

use bevy_egui::egui;
use egui::{Pos2, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::frame::theme::colour;
use talweg::construction::geometry::profile::{FARTHEST, HIGHEST, Profile};
use talweg::scene::Gesture;

const HEIGHT: f32 = 130.0;
const GRAB: f32 = 8.0;
const APART: f32 = 0.004;
const MOST_POINTS: usize = 64;

/// The visible range of the plot. The horizontal axis is the distance, and the vertical axis is the height.
#[derive(Clone, Copy, Debug)]
struct PlotRange {
    x: (f32, f32),
    y: (f32, f32),
    area: Rect,
}

impl PlotRange {
    fn of_profile(profile: &Profile, reach: f32, area: Rect) -> Self {
        let fold =
            |f: fn(f32, f32) -> f32, start: f32, of: fn(&(f32, f32)) -> f32| profile.0.iter().map(of).fold(start, f);
        let (low, high) = (fold(f32::min, -0.2, |p| p.1), fold(f32::max, 0.2, |p| p.1));
        // round the range, so that the plot does not move while the user drags a point
        let step = |v: f32| (v.abs() * 2.0 + 0.2).ceil() * 0.5 * v.signum();
        let left = fold(f32::min, 0.0, |p| p.0);
        let right = fold(f32::max, reach, |p| p.0);
        Self { x: (step(left).min(0.0), step(right - 0.1).max(0.5)), y: (step(low), step(high)), area }
    }

    fn to_screen(self, (x, y): (f32, f32)) -> Pos2 {
        let share = |v: f32, (low, high): (f32, f32)| (v - low) / (high - low);
        pos2(
            egui::lerp(self.area.x_range(), share(x, self.x)),
            egui::lerp(self.area.bottom()..=self.area.top(), share(y, self.y)),
        )
    }

    fn to_profile(self, at: Pos2) -> (f32, f32) {
        let x = (at.x - self.area.left()) / self.area.width();
        let y = (self.area.bottom() - at.y) / self.area.height();
        let x = egui::lerp(self.x.0..=self.x.1, x).clamp(-FARTHEST, FARTHEST);
        (x, egui::lerp(self.y.0..=self.y.1, y).clamp(-HIGHEST, HIGHEST))
    }
}

/// Shows a profile that ends at the distance `reach`. Returns the new profile if the user has changed it.
pub fn editor(ui: &mut Ui, label: &str, profile: &Profile, reach: f32) -> Option<(Profile, Option<Gesture>)> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, label));
    let tip = "Distance runs to the right, height upwards. Click to add a point, drag to move it, double-click or \
               right-click to remove it.";
    let response = response.on_hover_text(tip);
    let area = rect.shrink(GRAB);
    let points = profile.sanitised().0;
    let held = response.id.with("held");
    let kept: Option<(usize, PlotRange)> = ui.data(|data| data.get_temp(held)).flatten();
    // keep the range of the plot while the user drags a point
    let window = match kept.filter(|_| response.dragged()) {
        Some((_, window)) => PlotRange { area, ..window },
        None => PlotRange::of_profile(profile, reach, area),
    };
    let nearest = |at: Pos2| {
        let distance = |k: &usize| window.to_screen(points[*k]).distance(at);
        let best = (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        (distance(&best) <= GRAB).then_some(best)
    };
    let under = response.interact_pointer_pos().or(response.hover_pos()).and_then(nearest);
    if response.drag_started() {
        let from = ui.input(|i| i.pointer.press_origin()).and_then(nearest).map(|k| (k, window));
        ui.data_mut(|data| data.insert_temp(held, from));
    }
    let grabbed = kept.map(|(k, _)| k).filter(|&k| response.dragged() && k < points.len());
    paint(ui, rect, window, &points, profile, grabbed.or(under), reach);

    if let (true, Some(index)) = (response.double_clicked() || response.secondary_clicked(), under) {
        return (points.len() > 1).then(|| {
            let mut points = points;
            points.remove(index);
            (Profile(points), None)
        });
    }
    if let (Some(index), Some(at)) = (grabbed, response.interact_pointer_pos()) {
        let mut points = points;
        let (x, y) = window.to_profile(at);
        let low = if index == 0 { -FARTHEST } else { points[index - 1].0 + APART };
        let high = if index + 1 == points.len() { FARTHEST } else { points[index + 1].0 - APART };
        // if a profile starts at distance 0, its first point stays at this distance
        let x = if points[index].0 == 0.0 && index == 0 { 0.0 } else { x.clamp(low.min(high), high.max(low)) };
        points[index] = (x, y);
        return Some((Profile(points), Some(Gesture(response.id.value()))));
    }
    if response.clicked() && under.is_none() && points.len() < MOST_POINTS {
        let at = window.to_profile(response.interact_pointer_pos()?);
        let mut points = points;
        if points.iter().all(|p| (p.0 - at.0).abs() > APART) {
            points.push(at);
            return Some((Profile(points).sanitised(), None));
        }
    }
    None
}

fn paint(
    ui: &Ui,
    rect: Rect,
    window: PlotRange,
    points: &[(f32, f32)],
    profile: &Profile,
    hot: Option<usize>,
    reach: f32,
) {
    let painter = ui.painter_at(rect);
    painter.rect(rect, 4.0, colour::deep(), Stroke::new(1.0, colour::line()), StrokeKind::Inside);
    let grid = Stroke::new(1.0, colour::raised());
    let steps = |(low, high): (f32, f32)| {
        let (from, to) = ((low * 2.0).ceil() as i32, (high * 2.0).floor() as i32);
        (from..=to).map(|k| k as f32 * 0.5)
    };
    for x in steps(window.x) {
        painter.vline(window.to_screen((x, 0.0)).x, window.area.y_range(), grid);
    }
    for y in steps(window.y) {
        let stroke = if y == 0.0 { Stroke::new(1.0, colour::control_hovered()) } else { grid };
        painter.hline(window.area.x_range(), window.to_screen((0.0, y)).y, stroke);
    }
    let end = window.to_screen((reach, 0.0)).x;
    if window.area.x_range().contains(end) {
        painter.vline(end, window.area.y_range(), Stroke::new(1.0, colour::text_weak()));
    }
    let line = profile.prepare();
    let at = |k: usize| egui::lerp(window.x.0..=window.x.1, k as f32 / 96.0);
    let curve = (0..=96).map(|k| window.to_screen((at(k), line.sample(f64::from(at(k))).0 as f32))).collect();
    painter.line(curve, Stroke::new(2.0, colour::accent()));
    for (k, &point) in points.iter().enumerate() {
        let radius = if hot == Some(k) { 5.5 } else { 4.0 };
        painter.circle(window.to_screen(point), radius, colour::panel(), Stroke::new(2.0, colour::text_strong()));
    }
    if let Some(k) = hot {
        let text = format!("{:.2} · {:.2}", points[k].0, points[k].1);
        let corner = rect.right_top() + vec2(-6.0, 4.0);
        let font = egui::FontId::proportional(11.0);
        painter.text(corner, egui::Align2::RIGHT_TOP, text, font, colour::text());
    }
}
