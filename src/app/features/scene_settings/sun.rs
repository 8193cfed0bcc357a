//! A compass on which the user drags the sun. The direction from the centre is the azimuth of the sun, and the distance
//! from the rim is its elevation.

use bevy_egui::egui;
use egui::{Align2, FontId, Pos2, Sense, Stroke, Ui, Vec2, vec2};
use egui_phosphor::regular as icon;

use crate::frame::document::Document;
use crate::frame::theme::colour;
use talweg::scene::{Gesture, LOWEST_SUN, SunPlacement};

const SIZE: f32 = 116.0;

/// Shows the compass and applies a drag to the scene.
pub fn dial(ui: &mut Ui, document: &mut Document) {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(SIZE), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "Sun compass"));
    let (centre, radius) = (rect.center(), SIZE / 2.0 - 14.0);
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
        let (azimuth, elevation) = from_offset((at - centre) / radius);
        document.edit("Move the sun", Some(Gesture(response.id.value())), |scene| {
            scene.settings.sun = SunPlacement::Angles;
            (scene.settings.sun_azimuth, scene.settings.sun_elevation) = (azimuth, elevation);
        });
    }
    let source = document.scene().settings.light_source();
    let sun = centre + to_offset(source.azimuth_degrees, source.elevation_degrees) * radius;
    paint(ui, centre, radius, sun, response.hovered() || response.dragged());
    response.on_hover_text(
        "Drag the sun around the rim to set its direction, inwards to raise it. It then ignores the time of day.",
    );
}

fn paint(ui: &Ui, centre: Pos2, radius: f32, sun: Pos2, hot: bool) {
    let painter = ui.painter();
    painter.circle(centre, radius, colour::deep(), Stroke::new(1.0, colour::line()));
    for share in [1.0 / 3.0, 2.0 / 3.0] {
        painter.circle_stroke(centre, radius * share, Stroke::new(1.0, colour::raised()));
    }
    for (letter, direction) in
        [("N", vec2(0.0, -1.0)), ("E", vec2(1.0, 0.0)), ("S", vec2(0.0, 1.0)), ("W", vec2(-1.0, 0.0))]
    {
        let at = centre + direction * (radius + 8.0);
        painter.text(at, Align2::CENTER_CENTER, letter, FontId::proportional(11.0), colour::text_weak());
    }
    painter.line_segment([centre, sun], Stroke::new(1.0, colour::warning().gamma_multiply(0.5)));
    let size = if hot { 20.0 } else { 17.0 };
    painter.circle_filled(sun, size / 2.0, colour::deep());
    painter.text(sun, Align2::CENTER_CENTER, icon::SUN, FontId::proportional(size), colour::warning());
}

/// Azimuth and elevation in degrees for an offset from the centre, given as a multiple of the compass radius.
fn from_offset(offset: Vec2) -> (f32, f32) {
    let azimuth = offset.x.atan2(-offset.y).to_degrees().rem_euclid(360.0);
    let elevation = 90.0 * (1.0 - offset.length().min(1.0));
    (azimuth.round(), elevation.round().max(LOWEST_SUN))
}

fn to_offset(azimuth: f32, elevation: f32) -> Vec2 {
    let (sin, cos) = azimuth.to_radians().sin_cos();
    vec2(sin, -cos) * (1.0 - elevation / 90.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sun_offset_and_sun_angles_agree() {
        for (azimuth, elevation) in [(0.0, 10.0), (45.0, 40.0), (180.0, 60.0), (315.0, 33.0)] {
            assert_eq!(from_offset(to_offset(azimuth, elevation)), (azimuth, elevation));
        }
        assert_eq!(from_offset(vec2(5.0, 0.0)), (90.0, LOWEST_SUN));
    }
}
