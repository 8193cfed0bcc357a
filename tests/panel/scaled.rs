//! The export window and the help pages at 150 and 200 % interface scale: all of their widgets are reachable.

use crate::kit::*;
use bevy_egui::egui;
use egui::{Key, LayerId, Modifiers, Rect, Vec2, WidgetRect, vec2};
use talweg_app::features::export::ExportAction;
use talweg_app::features::help::HelpAction;
use talweg_app::features::preferences::scale_in;
use talweg_app::frame::commands::Command;

/// Sizes in points of windows of 1280 × 720 and 1920 × 1080 pixels at 150 and 200 %.
fn sizes() -> Vec<Vec2> {
    let pixels = [vec2(1280.0, 720.0), vec2(1920.0, 1080.0)];
    let scaled = |size: Vec2| [150.0, 200.0].map(|percent| size / scale_in(percent, bevy::math::vec2(size.x, size.y)));
    pixels.into_iter().flat_map(scaled).collect()
}

/// Height that no row of a dialog exceeds, in points.
const MOST_ROW: f32 = 44.0;

/// The visible widgets and rows of the open dialog, and the rectangle of the dialog.
fn dialog(panels: &Panels) -> (Vec<WidgetRect>, Rect) {
    let layer = panels.ctx.memory(|memory| memory.top_modal_layer()).expect("a dialog is open");
    let of_layer = |layer: LayerId| {
        panels.ctx.viewport(|viewport| viewport.prev_pass.widgets.get_layer(layer).copied().collect::<Vec<_>>())
    };
    let rect = panels.ctx.memory(|memory| memory.area_rect(layer.id)).unwrap();
    let widgets = of_layer(layer).into_iter().filter(|w| w.interact_rect.is_positive() && w.rect.height() < MOST_ROW);
    (widgets.collect(), rect)
}

/// Checks that no widget of the dialog is cut off at a side, and that the dialog does not waste its height.
fn check_dialog(panels: &Panels, size: Vec2, name: &str) {
    let (widgets, rect) = dialog(panels);
    assert!(Rect::from_min_size(egui::Pos2::ZERO, size).contains_rect(rect), "{name} at {size}: {rect} is cut off");
    assert!(widgets.len() > 4, "{name} at {size} has {} widgets", widgets.len());
    for widget in widgets.iter().filter(|widget| widget.sense.is_focusable()) {
        let (whole, seen) = (widget.rect, widget.interact_rect);
        assert!(whole.width() - seen.width() < 1.0, "{name} at {size}: {whole} is cut off at {seen}");
        assert!(rect.expand(1.0).contains_rect(seen), "{name} at {size}: {seen} is outside {rect}");
    }
    // rows of widgets from top to bottom: no gap is higher than a few lines
    let mut rows: Vec<(f32, f32)> = widgets.iter().map(|w| (w.interact_rect.top(), w.interact_rect.bottom())).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut end = rows[0].1;
    for (top, bottom) in rows {
        assert!(top - end < 90.0, "{name} at {size}: nothing between {end} and {top}");
        end = end.max(bottom);
    }
    // long content uses the height of the window before it scrolls
    let is_scrolled = panels.ctx.viewport(|viewport| {
        let all = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
        all.filter(|w| w.sense.is_focusable() && w.layer_id.order == egui::Order::Foreground)
            .any(|w| w.rect.top() > rect.bottom())
    });
    let is_high = rect.height() > 0.7 * size.y || rect.height() > 480.0;
    assert!(!is_scrolled || is_high, "{name} at {size} is only {} high", rect.height());
}

fn check_at_all_sizes(name: &str, open: impl Fn() -> Command) {
    for size in sizes() {
        let mut panels = panels(size, &["Perlin", "Hydraulic"]);
        panels.state_mut().issue(open());
        panels.run();
        check_dialog(&panels, size, name);
        press(&mut panels, Modifiers::NONE, Key::Escape);
        assert!(!panels.state().editor().dialogs.is_open(), "{name}");
    }
}

#[test]
fn the_sizes_are_those_of_large_interfaces() {
    assert_eq!(sizes()[0], vec2(1280.0 / 1.5, 480.0));
    assert_eq!(sizes()[1], vec2(1280.0 / 1.8, 400.0), "a low window limits the scale");
    assert_eq!(sizes()[2..], [vec2(1280.0, 720.0), vec2(960.0, 540.0)]);
}

#[test]
fn the_export_window_fits_large_interfaces() {
    check_at_all_sizes("export", || ExportAction::Open.into());
}

#[test]
fn the_shortcuts_fit_large_interfaces() {
    check_at_all_sizes("shortcuts", || HelpAction::Shortcuts.into());
}
