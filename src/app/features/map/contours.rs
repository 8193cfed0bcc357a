//! Contour lines on a map of the terrain, and the positions of their height labels.
//!
//! Law: a pixel is darker the nearer its centre is to a contour level. The distance in pixels is |h mod i| / |∇h|, with
//! the height h, the contour interval i and the height gradient ∇h per pixel. Every fifth line is thicker. Lines below
//! the sea have another colour.

use rayon::prelude::*;

use talweg::appearance::RgbImage;
use talweg::field::{Cancelled, Control, Terrain};
use talweg::scene::Settings;

/// Every fifth line is thick, and its height is labelled.
pub(super) const INDEX_EVERY: f32 = 5.0;
/// Approximate distance between two labels, in pixels.
const LABEL_CELL: usize = 150;
/// Minimum distance between two lines, in pixels. Denser lines are not drawn, because they would hide the terrain.
const LEAST_PIXELS: f32 = 2.5;

/// A height label on a contour line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContourLabel {
    /// Position as fractions of the side length from the west and the north edge.
    pub place: [f32; 2],
    /// Height in metres.
    pub height: f32,
    /// Direction of the line at the label, in radians from the east to the south, between -π/2 and π/2.
    pub angle: f32,
}

/// The terrain, sampled at the pixels of the map.
struct PixelGround<'a> {
    terrain: &'a Terrain,
    relief: f32,
    side: usize,
}

impl PixelGround<'_> {
    fn height(&self, x: f32, y: f32) -> f32 {
        let side = self.side as f32;
        self.terrain.height_at(x / side, y / side) * self.relief
    }

    /// Height in metres, and its gradient to the east and to the south in metres per pixel.
    fn height_and_slope(&self, x: usize, y: usize) -> (f32, [f32; 2]) {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let east = 0.5 * (self.height(x + 1.0, y) - self.height(x - 1.0, y));
        let south = 0.5 * (self.height(x, y + 1.0) - self.height(x, y - 1.0));
        (self.height(x, y), [east, south])
    }
}

/// Draws contour lines at every multiple of `interval` metres into a square image that shows the whole terrain.
pub(super) fn draw_contours(
    image: &mut RgbImage,
    terrain: &Terrain,
    settings: &Settings,
    interval: f32,
    control: &Control,
) -> Result<(), Cancelled> {
    let (side, sea) = (image.width, settings.sea_level);
    let ground = PixelGround { terrain, relief: settings.relief_metres, side };
    image.rgb.par_chunks_mut(side * 3).enumerate().try_for_each(|(y, row)| {
        control.check()?;
        for (x, pixel) in row.chunks_mut(3).enumerate() {
            let (height, [east, south]) = ground.height_and_slope(x, y);
            let steep = (east * east + south * south).sqrt();
            let share = |interval: f32, half_width: f32| {
                if steep * LEAST_PIXELS > interval || steep <= 0.0 {
                    return 0.0;
                }
                let level = (height / interval).round() * interval;
                (half_width + 0.5 - (height - level).abs() / steep).clamp(0.0, 1.0)
            };
            let strength = (0.45 * share(interval, 0.3)).max(0.75 * share(interval * INDEX_EVERY, 0.6));
            let ink = if height < sea { [24.0, 70.0, 120.0] } else { [70.0, 44.0, 24.0] };
            for (channel, ink) in pixel.iter_mut().zip(ink) {
                *channel = (f32::from(*channel) * (1.0 - strength) + ink * strength + 0.5) as u8;
            }
        }
        Ok(())
    })
}

/// Positions of the labels on the thick lines. The image is divided into squares, and each square has at most one
/// label, where its terrain is gentle. A square without thick lines has no label, and neither has a square so steep
/// that its lines nearly touch.
pub(super) fn labels(terrain: &Terrain, settings: &Settings, interval: f32, side: usize) -> Vec<ContourLabel> {
    let ground = PixelGround { terrain, relief: settings.relief_metres, side };
    let index = interval * INDEX_EVERY;
    let parts = (side / LABEL_CELL).max(1);
    let margin = 20;
    let best = |part: usize| {
        let corner = [part % parts, part / parts].map(|k| k * side / parts);
        let mut best: Option<(f32, ContourLabel)> = None;
        for dy in (margin..side / parts - margin).step_by(2) {
            for dx in (margin..side / parts - margin).step_by(2) {
                let (x, y) = (corner[0] + dx, corner[1] + dy);
                let (height, [east, south]) = ground.height_and_slope(x, y);
                let steep = (east * east + south * south).sqrt();
                let level = (height / index).round() * index;
                let away = (height - level).abs() / steep.max(1e-6);
                if steep * 4.0 > interval || away > 1.0 {
                    continue;
                }
                // prefer gentle terrain, where a label is easy to read
                let cost = away + 40.0 * steep / interval;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let mut angle = (-east).atan2(south);
                    if angle.abs() > std::f32::consts::FRAC_PI_2 {
                        angle -= std::f32::consts::PI.copysign(angle);
                    }
                    let place = [x, y].map(|pixel| (pixel as f32 + 0.5) / side as f32);
                    // adding 0 turns -0 into 0
                    best = Some((cost, ContourLabel { place, height: level + 0.0, angle }));
                }
            }
        }
        best.map(|(_, label)| label)
    };
    (0..parts * parts).into_par_iter().filter_map(best).collect()
}

/// The default contour interval for a height range. It is 1, 2 or 5 times a power of ten and gives about twenty lines.
pub(super) fn usual_interval(range: f32) -> f32 {
    let rough = (range / 20.0).max(0.01);
    let power = 10.0f32.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::Edges;

    #[test]
    fn contours_lie_at_their_height() {
        let ramp = Terrain::from_fn(129, Edges::Open, |u, _| u);
        let settings = Settings { relief_metres: 100.0, ..Settings::default() };
        let mut image = RgbImage::from_fn(400, 400, |_, _| [255; 3]);
        draw_contours(&mut image, &ramp, &settings, 10.0, &Control::default()).unwrap();
        let row = &image.rgb[200 * 1200..201 * 1200];
        let dark: Vec<usize> = (0..400).filter(|&x| row[3 * x] < 240).collect();
        assert!(dark.iter().all(|x| (x % 40).min(40 - x % 40) <= 1), "{dark:?}");
        assert!((9..=30).contains(&dark.len()), "{dark:?}");
        // the thick line passes through the middle of one of the squares that can have a label
        let labels = labels(&ramp, &settings, 10.0, 450);
        assert!(!labels.is_empty());
        for label in labels {
            assert!((label.place[0] * 100.0 - label.height).abs() < 0.6 && label.height % 50.0 == 0.0, "{label:?}");
            assert!((label.angle.abs() - std::f32::consts::FRAC_PI_2).abs() < 1e-3, "along the line: {label:?}");
        }
    }

    #[test]
    fn the_default_interval_is_a_round_number() {
        assert_eq!([usual_interval(1000.0), usual_interval(900.0), usual_interval(3100.0)], [50.0, 50.0, 200.0]);
        assert!((usual_interval(0.4) - 0.02).abs() < 1e-6);
    }
}
