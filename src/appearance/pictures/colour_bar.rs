//! Plain colours without light and shadow, and a colour bar with the heights beside the picture, as the figures of the
//! lecture on terrain in games have them.

use super::image::RgbImage;
use super::text::Type;
use crate::appearance::PaletteTable;
use crate::field::{Cancelled, Control, HAS_GROUND, MapKind, Terrain};
use crate::scene::Settings;
use crate::terrain_attributes::raster::PixelGrid;

const PAPER: [u8; 3] = [255; 3];
const INK: [u8; 3] = [20; 3];
/// Sizes of the parts of the colour bar, as fractions of the picture's height: the gap beside the picture, the width of
/// the bar, the space for the numbers, and the height of the letters.
const GAP: f32 = 0.04;
const BAR: f32 = 0.05;
const NUMBERS: f32 = 0.14;
const LETTERS: f32 = 0.032;
/// Approximate number of intervals between the numbers beside the bar.
const INTERVALS: f32 = 7.0;

/// Draws every pixel in the palette's colour of its height, without light, shadow and slopes. Voids are white.
///
/// # Errors
/// If the computation was cancelled.
pub fn plain_colours(
    terrain: &Terrain,
    settings: &Settings,
    palette: &PaletteTable,
    [width, height]: [usize; 2],
    control: &Control,
) -> Result<RgbImage, Cancelled> {
    let heights = PixelGrid::of_heights(terrain, width, height, control)?;
    let ground = terrain.map(MapKind::Ground).filter(|_| terrain.void_samples() > 0);
    let void = ground.map(|map| {
        let mut shape = Terrain::flat(terrain.grid);
        shape.height = map.to_vec();
        PixelGrid::of_heights(&shape, width, height, control)
    });
    let void = void.transpose()?;
    RgbImage::drawn(width, height, control, |x, y| {
        let k = y * width + x;
        match &void {
            Some(void) if void.values[k] < HAS_GROUND => PAPER,
            _ => colour(palette, settings, heights.values[k] * settings.relief_metres),
        }
    })
}

fn colour(palette: &PaletteTable, settings: &Settings, metres: f32) -> [u8; 3] {
    let index = (PaletteTable::lut_index(settings, metres) + 0.5) as usize;
    let [r, g, b, _] = palette.lut[index.min(palette.lut.len() - 1)];
    [r, g, b]
}

/// Colours along the bar: those of the palette, or grey levels.
pub enum BarColours<'a> {
    /// The palette's colours of the heights.
    Palette(&'a PaletteTable),
    /// Black for the lowest height, white for the highest.
    Grey,
}

/// The picture with a colour bar on its right side. The bar goes from the lowest to the highest height of the terrain.
pub fn with_colour_bar(picture: &RgbImage, terrain: &Terrain, settings: &Settings, colours: &BarColours) -> RgbImage {
    let (low, high) = terrain.range();
    let (low, high) = (low * settings.relief_metres, high * settings.relief_metres);
    let side = picture.height as f32;
    let letters = Type::new((LETTERS * side).max(9.0));
    let line = (LETTERS * side).max(9.0);
    let [left, bar, numbers] = [GAP * side, BAR * side, (NUMBERS * side).max(letters.width("-10000.0 "))];
    let right = left + bar;
    let width = picture.width + (right + numbers) as usize;
    let (top, bottom) = (2.0 * line, side - line);
    let mut image = RgbImage::from_fn(width, picture.height, |x, y| {
        if x < picture.width {
            let at = (y * picture.width + x) * 3;
            return [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]];
        }
        let (x, y) = ((x - picture.width) as f32, y as f32);
        if !(left..right).contains(&x) || !(top..bottom).contains(&y) {
            return PAPER;
        }
        let share = (bottom - y - 0.5) / (bottom - top);
        match colours {
            BarColours::Palette(palette) => colour(palette, settings, low + (high - low) * share),
            BarColours::Grey => [(share * 255.0 + 0.5) as u8; 3],
        }
    });
    let text_left = picture.width as f32 + right + 0.4 * line;
    letters.draw(&mut image, picture.width as f32 + left, 0.4 * line, INK, "Height (m)");
    for metres in numbers_between(low, high) {
        let share = if high > low { (metres - low) / (high - low) } else { 0.0 };
        let y = bottom - (bottom - top) * share;
        letters.draw(&mut image, text_left, y - 0.5 * line, INK, &format!("{metres}"));
    }
    image
}

/// Round heights from `low` to `high`: multiples of 1, 2 or 5 times a power of ten.
fn numbers_between(low: f32, high: f32) -> Vec<f32> {
    let span = f64::from(high - low);
    if !(span > 0.0 && span.is_finite()) {
        return vec![low];
    }
    let least = span / f64::from(INTERVALS);
    let decade = libm::pow(10.0, libm::floor(libm::log10(least)));
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * decade).find(|&step| step >= least).unwrap_or(least);
    let first = libm::ceil(f64::from(low) / step) as i64;
    let last = libm::floor(f64::from(high) / step) as i64;
    (first..=last).map(|k| (k as f64 * step) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance_files::Palette;
    use crate::field::Edges;

    #[test]
    fn plain_colours_depend_on_the_height_alone() {
        let settings = Settings { relief_metres: 1000.0, sea_level: -1000.0, ..Settings::default() };
        let palette = PaletteTable::new(Palette::named_or_default("document-001-bands-25"), &settings);
        let ramp = Terrain::from_fn(65, Edges::Open, |u, _| u);
        let made = plain_colours(&ramp, &settings, &palette, [64, 64], &Control::default()).unwrap();
        for x in 0..64 {
            let wanted = colour(&palette, &settings, (x as f32 + 0.5) / 64.0 * 1000.0);
            for y in 0..64 {
                assert_eq!(made.rgb[(y * 64 + x) * 3..][..3], wanted, "{x} {y}");
            }
        }
    }

    #[test]
    fn the_colour_bar_has_the_colours_of_the_heights() {
        let settings = Settings { relief_metres: 1000.0, sea_level: -1000.0, ..Settings::default() };
        let palette = PaletteTable::new(Palette::named_or_default("document-001-bands-15"), &settings);
        let ramp = Terrain::from_fn(257, Edges::Open, |u, _| u);
        let picture = plain_colours(&ramp, &settings, &palette, [400, 400], &Control::default()).unwrap();
        let made = with_colour_bar(&picture, &ramp, &settings, &BarColours::Palette(&palette));
        assert!(made.width > 460 && made.height == 400, "{}", made.width);
        let at = |x: usize, y: usize| [0, 1, 2].map(|k| made.rgb[(y * made.width + x) * 3 + k]);
        assert_eq!(at(399, 7), [0, 1, 2].map(|k| picture.rgb[(7 * 400 + 399) * 3 + k]), "the picture is unchanged");
        let (top, bottom) = (2.0 * LETTERS * 400.0, 400.0 - LETTERS * 400.0);
        for y in [40usize, 120, 200, 300, 370] {
            let share = (bottom - y as f32 - 0.5) / (bottom - top);
            assert_eq!(at(400 + 24, y), colour(&palette, &settings, 1000.0 * share), "{y}");
        }
        // The numbers beside the bar are drawn.
        let inked = (0..400).filter(|&y| (440..made.width).any(|x| at(x, y)[0] < 128)).count();
        assert!(inked > 30, "{inked} rows with ink");
    }

    #[test]
    fn numbers_beside_the_bar_are_round() {
        assert_eq!(numbers_between(0.0, 1000.0), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        assert_eq!(numbers_between(-130.0, 140.0), [-100.0, -50.0, 0.0, 50.0, 100.0]);
        assert_eq!(numbers_between(5.0, 5.0), [5.0]);
    }
}
