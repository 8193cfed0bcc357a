//! The picture of a stamp: of a built-in stamp or of a stamp of the user's library.

use std::time::Duration;

use bevy_egui::egui;
use egui::{Align2, FontId, Rect, Ui};
use egui_phosphor::regular as icon;

use super::shipped_pictures::{PictureSubject, ShippedPicture};
use crate::frame::theme::colour;
use crate::frame::user_library::LibraryContents;
use talweg::construction::edit::library::Item;
use talweg::io::HeightStamp;

/// Paints the picture into a square rectangle. The picture of a stamp of the user is a plain square until it is drawn.
pub fn paint(ui: &Ui, stamp: &'static HeightStamp, rect: Rect) {
    if let Some(picture) = ShippedPicture::find(PictureSubject::Feature(Item::Stamp(stamp))) {
        picture.paint(ui, rect, 1.0);
    } else if let Some(picture) = LibraryContents::shown_in(ui.ctx()).picture(stamp) {
        picture.paint(ui, rect);
        if !picture.is_ready() {
            ui.ctx().request_repaint_after(Duration::from_millis(200));
        }
    } else {
        let font = FontId::proportional(0.5 * rect.height());
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon::STAMP, font, colour::text_weak());
    }
}
