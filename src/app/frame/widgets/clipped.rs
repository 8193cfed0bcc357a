//! Parts of a window with a fixed place.

use bevy_egui::egui;
use egui::{Rect, Ui, UiBuilder};

/// A child `Ui` in `rect`. It clips content that is too wide, because such content would widen the window.
pub fn clipped(ui: &mut Ui, id: &str, rect: Rect) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect));
    child.shrink_clip_rect(rect);
    child
}
