//! The thumbnail of a scene. The image can still be in preparation when the thumbnail is shown.

use std::sync::{Arc, OnceLock};

use bevy_egui::egui;
use egui::{Color32, ColorImage, Rect, TextureHandle, TextureOptions, Ui, pos2, vec2};

use crate::frame::theme::colour;
use talweg::appearance::RgbImage;

/// A thumbnail, which shows a plain background until its image is ready.
#[derive(Clone, Default)]
pub struct SceneThumbnail {
    image: Arc<OnceLock<RgbImage>>,
    texture: Arc<OnceLock<TextureHandle>>,
}

impl SceneThumbnail {
    /// Sets the finished image.
    pub fn set(&self, image: RgbImage) {
        // the image is set only once
        let _ = self.image.set(image);
    }

    /// Whether the image is finished.
    pub fn is_ready(&self) -> bool {
        self.image.get().is_some()
    }

    /// Shows the thumbnail with a side length of `side` points.
    pub fn show(&self, ui: &mut Ui, side: f32) {
        let (rect, _) = ui.allocate_exact_size(vec2(side, side), egui::Sense::hover());
        self.paint(ui, rect);
    }

    /// Paints the thumbnail into a rectangle, or a plain background until it is ready.
    pub fn paint(&self, ui: &Ui, rect: Rect) {
        let Some(image) = self.image.get() else {
            ui.painter().rect_filled(rect, 4, colour::deep());
            return;
        };
        if self.texture.get().is_none() && !has_room(ui.ctx()) {
            ui.painter().rect_filled(rect, 4, colour::deep());
            ui.ctx().request_repaint();
            return;
        }
        let texture = self.texture.get_or_init(|| {
            let image = ColorImage::from_rgb([image.width, image.height], &image.rgb);
            ui.ctx().load_texture("scene", image, TextureOptions::LINEAR)
        });
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let shape = egui::epaint::RectShape::filled(rect, 4, Color32::WHITE).with_texture(texture.id(), whole);
        ui.painter().add(shape);
    }
}

/// Whether another image can be uploaded as a texture in this frame. Uploading a whole gallery in one frame would take
/// too long.
fn has_room(ctx: &egui::Context) -> bool {
    const A_FRAME: usize = 2;
    let now = ctx.cumulative_frame_nr();
    ctx.data_mut(|data| {
        let made = data.get_temp_mut_or_default::<(u64, usize)>(egui::Id::new("pictures made textures"));
        if made.0 != now {
            *made = (now, 0);
        }
        made.1 += 1;
        made.1 <= A_FRAME
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gallery_loads_two_textures_per_frame() {
        let pictures: Vec<SceneThumbnail> = (0..5).map(|_| SceneThumbnail::default()).collect();
        for picture in &pictures {
            picture.set(RgbImage { width: 1, height: 1, rgb: vec![7; 3] });
        }
        let ctx = egui::Context::default();
        let made: Vec<usize> = (0..4)
            .map(|_| {
                let _ = ctx.run_ui(egui::RawInput::default(), |ui| {
                    pictures.iter().for_each(|picture| picture.show(ui, 8.0));
                });
                pictures.iter().filter(|picture| picture.texture.get().is_some()).count()
            })
            .collect();
        assert_eq!(made, [2, 4, 5, 5]);
    }
}
