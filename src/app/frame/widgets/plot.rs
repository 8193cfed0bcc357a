//! Plots in panels: they show all they have, and do not take the wheel or the mouse from the panel they stand in.

use bevy_egui::egui;
use egui::{Vec2, Vec2b};
use egui_plot::Plot;

use crate::frame::theme::colour;

/// A plot of that size that cannot be moved.
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
