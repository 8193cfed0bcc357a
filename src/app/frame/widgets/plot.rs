//! Plots in panels. A plot always shows all of its data. The surrounding panel receives mouse wheel and drag events.

use bevy_egui::egui;
use egui::{Vec2, Vec2b};
use egui_plot::Plot;

use crate::frame::theme::colour;

/// A plot of the given size that cannot be panned or zoomed.
pub fn still(id: &str, size: Vec2) -> Plot<'static> {
    Plot::new(id)
        .width(size.x)
        .height(size.y)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .auto_bounds(Vec2b::TRUE)
        .show_background(false)
        .grid_color(colour::line())
        .set_margin_fraction(egui::vec2(0.05, 0.06))
}
