//! The contact sheet: thumbnails side by side, each with its changed values and its key figures.

use super::scene_variant::{KeyFigures, SceneVariant, Thumbnail};
use crate::appearance::RgbImage;
use crate::appearance::pictures::text::Type;

const PAPER: [u8; 3] = [24, 26, 29];
const INK: [u8; 3] = [232, 234, 236];
const FAINT: [u8; 3] = [158, 164, 170];

/// Gap around a thumbnail. `LINE` is the height of a text line, and `HEADING` the height of the heading. All three are
/// fractions of the thumbnail's side length.
const GAP: f32 = 0.07;
const LINE: f32 = 0.092;
const HEADING: f32 = 0.13;
/// Minimum height of text lines in pixels, for legibility; `LEAST_HEADING` is the minimum height of the heading.
const LEAST_LINE: f32 = 13.0;
const LEAST_HEADING: f32 = 17.0;

/// A suitable number of columns for `count` thumbnails: about as many columns as rows.
pub fn columns(count: usize) -> usize {
    let root = (count as f64).sqrt().ceil() as usize;
    // use one more column if the last row is then full
    (root..=root + 1).find(|c| count.is_multiple_of(*c)).unwrap_or(root).max(1)
}

/// Legend for the key figures that [`summary`] formats.
const LEGEND: &str = "below: erosion score, mean slope, lowest to highest";

/// Draws the sheet, row by row. All thumbnails must have the same size as the first thumbnail.
pub fn sheet(heading: &str, thumbnails: &[(&SceneVariant, Thumbnail)], columns: usize) -> RgbImage {
    let side = thumbnails.first().map_or(1, |(_, thumbnail)| thumbnail.image.width);
    let scaled = |share: f32, least: f32| (side as f32 * share).max(least);
    let (gap, line, head) = (scaled(GAP, 8.0) as usize, scaled(LINE, LEAST_LINE), scaled(HEADING, LEAST_HEADING));
    let (caption, glance, title) = (Type::new(line), Type::new(line * 0.86), Type::new(head));
    let columns = columns.clamp(1, thumbnails.len().max(1));
    let rows = thumbnails.len().div_ceil(columns);
    let (across, down) = (side + gap, side + gap + (2.2 * line) as usize);
    let top = gap + (1.3 * head + 1.9 * line) as usize;
    let mut image = RgbImage::from_fn(gap + columns * across, top + rows * down, |_, _| PAPER);
    let left = gap as f32;
    let room = (image.width - 2 * gap) as f32;
    title.draw(&mut image, left, 0.8 * left, INK, &title.fitted(heading, room));
    glance.draw(&mut image, left, 0.8 * left + 1.15 * head, FAINT, &glance.fitted(LEGEND, room));
    for (k, (variant, thumbnail)) in thumbnails.iter().enumerate() {
        let (x, y) = (gap + k % columns * across, top + k / columns * down);
        paste(&mut image, &thumbnail.image, x, y);
        let (x, below, width) = (x as f32, (y + side) as f32 + 0.15 * line, side as f32);
        let text = if caption.width(&variant.caption) <= width { &variant.caption } else { &variant.short };
        caption.draw(&mut image, x, below, INK, &caption.fitted(text, width));
        glance.draw(&mut image, x, below + 1.08 * line, FAINT, &glance.fitted(&summary(&thumbnail.key_figures), width));
    }
    image
}

/// The key figures of a thumbnail in one line.
fn summary(glance: &KeyFigures) -> String {
    format!(
        "{:.2}, {:.0}°, {:.0} to {:.0} m",
        glance.erosion_score, glance.mean_slope_degrees, glance.min_metres, glance.max_metres
    )
}

fn paste(image: &mut RgbImage, part: &RgbImage, x: usize, y: usize) {
    for (row, pixels) in part.rgb.chunks_exact(part.width * 3).enumerate() {
        let at = ((y + row) * image.width + x) * 3;
        image.rgb[at..at + pixels.len()].copy_from_slice(pixels);
    }
}
