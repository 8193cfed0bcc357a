//! Uploads thumbnails as textures to the graphics card, a few per frame.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align2, Color32, ColorImage, FontId, Rect, TextureHandle, TextureOptions, Ui, pos2};
use egui_phosphor::regular as icon;

use crate::features::variants::thumbnails::{ThumbnailSet, ThumbnailState};
use crate::frame::theme::colour;
use talweg::variants::Thumbnail;

/// Number of textures created per frame. Creating a texture takes about a tenth of a millisecond.
const A_FRAME: usize = 2;

struct Print {
    of: Arc<Thumbnail>,
    texture: TextureHandle,
    /// Frame in which the texture was created.
    frame: u64,
}

/// Number of frames after which a new texture is available on the graphics card.
const UPLOAD_FRAMES: u64 = 2;

/// The texture of a thumbnail, and the newer texture that will replace it.
#[derive(Default)]
struct Cell {
    shown: Option<Print>,
    next: Option<Print>,
}

/// The textures of a contact sheet.
#[derive(Default)]
pub struct ThumbnailTextures {
    cells: Vec<Cell>,
}

impl ThumbnailTextures {
    /// Drops all textures of the sheet.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    /// Creates textures for finished thumbnails. An old texture stays on screen until its replacement is ready.
    pub fn develop(&mut self, ctx: &egui::Context, thumbnails: &ThumbnailSet) {
        self.cells.resize_with(thumbnails.of.len(), Cell::default);
        let frame = ctx.cumulative_frame_nr();
        let mut left = A_FRAME;
        for (k, cell) in self.cells.iter_mut().enumerate() {
            if let Some(next) = cell.next.take_if(|next| next.frame + UPLOAD_FRAMES <= frame) {
                cell.shown = Some(next);
            }
            if cell.next.is_some() {
                ctx.request_repaint();
            }
            let ThumbnailState::Drawn(thumbnail) = thumbnails.get(k) else { continue };
            let is_of = |print: &Option<Print>| print.as_ref().is_some_and(|p| Arc::ptr_eq(&p.of, thumbnail));
            if is_of(&cell.shown) || is_of(&cell.next) {
                continue;
            }
            ctx.request_repaint();
            if left == 0 {
                continue;
            }
            left -= 1;
            let picture = &thumbnail.image;
            let image = ColorImage::from_rgb([picture.width, picture.height], &picture.rgb);
            let texture = ctx.load_texture("thumbnail", image, TextureOptions::LINEAR);
            cell.next = Some(Print { of: thumbnail.clone(), texture, frame });
        }
    }

    /// Paints the thumbnail at `index`, or a placeholder if it has no texture yet.
    pub fn paint(&self, ui: &Ui, rect: Rect, index: usize, thumbnail: &ThumbnailState) {
        let painter = ui.painter();
        painter.rect_filled(rect, 2.0, colour::deep());
        let sign = |text: &str, tint: Color32| {
            painter.text(rect.center(), Align2::CENTER_CENTER, text, FontId::proportional(18.0), tint);
        };
        let print = self.cells.get(index).and_then(|cell| cell.shown.as_ref());
        match (thumbnail, print) {
            (ThumbnailState::Broken, _) => sign(icon::WARNING, colour::warning()),
            (_, None) => sign(icon::HOURGLASS, colour::text_weak()),
            (thumbnail, Some(print)) => {
                let is_current =
                    matches!(thumbnail, ThumbnailState::Drawn(thumbnail) if Arc::ptr_eq(thumbnail, &print.of));
                // keep an outdated thumbnail on screen, but darken it
                let tint = if is_current { Color32::WHITE } else { Color32::from_gray(110) };
                let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                painter.image(print.texture.id(), rect, whole, tint);
            }
        }
    }
}
