//! Text in pictures: the typeface of the editor's panels (Ubuntu Light, Ubuntu font licence), drawn with anti-aliasing.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use epaint_default_fonts::UBUNTU_LIGHT;

use crate::appearance::RgbImage;

/// A typeface at one size.
pub struct Type {
    font: FontRef<'static>,
    scale: PxScale,
}

impl Type {
    /// A typeface whose letters are `pixels` high, from the lowest descent to the highest ascent.
    pub fn new(pixels: f32) -> Self {
        let font = FontRef::try_from_slice(UBUNTU_LIGHT).expect("the typeface is embedded in the program");
        Self { font, scale: PxScale::from(pixels) }
    }

    /// Width of `text` in pixels.
    pub fn width(&self, text: &str) -> f32 {
        self.glyphs(text).1
    }

    /// The glyphs of one line that begins at (0, 0), and the width of the line in pixels.
    fn glyphs(&self, text: &str) -> (Vec<Glyph>, f32) {
        let font = self.font.as_scaled(self.scale);
        let mut glyphs: Vec<Glyph> = Vec::new();
        let mut x = 0.0;
        for letter in text.chars() {
            let id = font.glyph_id(letter);
            if let Some(last) = glyphs.last() {
                x += font.kern(last.id, id);
            }
            glyphs.push(id.with_scale_and_position(self.scale, point(x, font.ascent())));
            x += font.h_advance(id);
        }
        (glyphs, x)
    }

    /// `text`, shortened with an ellipsis if it does not fit into `width`.
    pub fn fitted(&self, text: &str, width: f32) -> String {
        if self.width(text) <= width {
            return text.into();
        }
        let letters: Vec<char> = text.chars().collect();
        let shortened = |count: usize| letters[..count].iter().collect::<String>().trim_end().to_string() + "…";
        let fits = (0..letters.len()).rev().map(shortened).find(|text| self.width(text) <= width);
        fits.unwrap_or_default()
    }

    /// Draws one line with its upper left corner at (x, y), clipped to the picture.
    pub fn draw(&self, image: &mut RgbImage, x: f32, y: f32, colour: [u8; 3], text: &str) {
        for glyph in self.glyphs(text).0 {
            let Some(outline) = self.font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            let (left, top) = ((corner.x + x).round() as i64, (corner.y + y).round() as i64);
            outline.draw(|column, row, coverage| {
                let (px, py) = (left + i64::from(column), top + i64::from(row));
                if (0..image.width as i64).contains(&px) && (0..image.height as i64).contains(&py) {
                    let at = (py as usize * image.width + px as usize) * 3;
                    for (channel, ink) in image.rgb[at..at + 3].iter_mut().zip(colour) {
                        let paper = f32::from(*channel);
                        *channel = (paper + (f32::from(ink) - paper) * coverage.clamp(0.0, 1.0) + 0.5) as u8;
                    }
                }
            });
        }
    }
}
