//! The picture of a scene, which may still be on its way.

use std::sync::{Arc, OnceLock};

use bevy_egui::egui;
use egui::{Color32, ColorImage, Rect, TextureHandle, TextureOptions, Ui, pos2, vec2};

use crate::frame::theme::colour;
use talweg::appearance::RgbImage;

/// See the module.
#[derive(Clone, Default)]
pub struct ScenePicture {
    image: Arc<OnceLock<RgbImage>>,
    texture: Arc<OnceLock<TextureHandle>>,
}

impl ScenePicture {
    /// The picture has been drawn.
    pub fn set(&self, image: RgbImage) {
        // it is drawn once
        let _ = self.image.set(image);
    }

    /// Shows it with a side of so many points.
    pub fn show(&self, ui: &mut Ui, side: f32) {
        let (rect, _) = ui.allocate_exact_size(vec2(side, side), egui::Sense::hover());
        self.paint(ui, rect);
    }

    /// Paints it into a rectangle: an even ground as long as it is not there.
    pub fn paint(&self, ui: &Ui, rect: Rect) {
        let Some(image) = self.image.get() else {
            ui.painter().rect_filled(rect, 4, colour::deep());
            return;
        };
        let texture = self.texture.get_or_init(|| {
            let image = ColorImage::from_rgb([image.width, image.height], &image.rgb);
            ui.ctx().load_texture("scene", image, TextureOptions::LINEAR)
        });
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let shape = egui::epaint::RectShape::filled(rect, 4, Color32::WHITE).with_texture(texture.id(), whole);
        ui.painter().add(shape);
    }
}
