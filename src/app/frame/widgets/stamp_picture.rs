//! The pictures of stamps in lists: of built-in stamps and of stamps of the user's library.

use std::time::Duration;

use bevy_egui::egui;
use egui::{Align2, FontId, Rect, Response, Sense, Ui, Vec2, pos2, vec2};
use egui_phosphor::regular as icon;

use super::shipped_pictures::{PictureSubject, ShippedPicture};
use crate::frame::theme::{colour, paint_text};
use crate::frame::user_library::LibraryContents;
use talweg::construction::edit::library::Item;
use talweg::io::HeightStamp;

/// Side length of a picture in points.
const PICTURE: f32 = 56.0;
/// Height of a cell in points.
const CELL_HEIGHT: f32 = 78.0;

/// A cell of a list: the picture of a stamp, and its title below.
pub fn cell(ui: &mut Ui, stamp: &'static HeightStamp, width: f32, sense: Sense, is_selected: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(width, CELL_HEIGHT), sense);
    let fill = match (is_selected, response.hovered()) {
        (true, _) => colour::accent_deep(),
        (false, true) => colour::control_hovered(),
        (false, false) => colour::control(),
    };
    ui.painter().rect_filled(rect, 4.0, fill);
    let middle = pos2(rect.center().x, rect.top() + 4.0 + 0.5 * PICTURE);
    paint(ui, stamp, Rect::from_center_size(middle, Vec2::splat(PICTURE)));
    let text_rect = Rect::from_min_max(pos2(rect.left() + 3.0, rect.bottom() - 17.0), rect.max);
    paint_text(ui, text_rect, &stamp.title, colour::text(), false);
    response
}

/// Paints the picture into a square rectangle. The picture of a stamp of the user is a plain square until it is drawn.
fn paint(ui: &Ui, stamp: &'static HeightStamp, rect: Rect) {
    if let Some(picture) = ShippedPicture::find(PictureSubject::Feature(Item::Stamp(stamp))) {
        picture.paint(ui, rect, 1.0);
    } else if let Some((picture, is_being_drawn)) = LibraryContents::shown_in(ui.ctx()).picture(stamp) {
        picture.paint(ui, rect);
        if is_being_drawn {
            ui.ctx().request_repaint_after(Duration::from_millis(200));
        }
    } else {
        let font = FontId::proportional(0.5 * rect.height());
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon::STAMP, font, colour::text_weak());
    }
}
