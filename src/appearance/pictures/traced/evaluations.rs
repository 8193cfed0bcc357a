//! The debug picture of sphere tracing: the number of evaluations of the construction tree per pixel.
//!
//! The colour ramp becomes steadily lighter from near black over blue and green to pale yellow. It follows the colour
//! map viridis of van der Walt and Smith 2015, with our own numbers. The scale is logarithmic from 1 to the maximum,
//! and the legend is at the bottom of the picture.

use super::super::image::RgbImage;
use super::super::text::Type;
use super::EvaluationCounts;

/// Colours of the ramp at equal steps.
const RAMP: [[u8; 3]; 7] =
    [[20, 10, 38], [52, 32, 92], [48, 80, 128], [34, 122, 132], [58, 162, 108], [154, 196, 66], [250, 236, 146]];
const PAPER: [u8; 3] = [24, 26, 29];
const INK: [u8; 3] = [232, 234, 236];

/// Evaluation counts of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationTotals {
    /// Evaluations of all pixels together.
    pub counts: EvaluationCounts,
    /// Number of pixels.
    pub pixels: usize,
    /// Maximum number of evaluations for one pixel.
    pub most: u64,
}

impl EvaluationTotals {
    /// Computes the sum and the maximum of `pixels`.
    pub fn total(pixels: &[EvaluationCounts]) -> Self {
        let asked = pixels.iter().fold(EvaluationCounts::default(), |sum, one| sum.plus(*one));
        Self { counts: asked, pixels: pixels.len(), most: pixels.iter().map(EvaluationCounts::all).max().unwrap_or(0) }
    }

    /// Mean number of evaluations per pixel.
    pub fn mean(&self) -> f64 {
        self.counts.all() as f64 / self.pixels.max(1) as f64
    }
}

/// The colour at a position of the ramp from 0 to 1.
fn ramp(t: f32) -> [u8; 3] {
    let x = t.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let k = (x as usize).min(RAMP.len() - 2);
    let t = x - k as f32;
    std::array::from_fn(|c| (f32::from(RAMP[k][c]) * (1.0 - t) + f32::from(RAMP[k + 1][c]) * t + 0.5) as u8)
}

/// Draws the counts of `width` × `height` pixels, with the legend below if there is room for it.
pub fn evaluations_image(pixels: &[EvaluationCounts], width: usize, height: usize, heading: &str) -> RgbImage {
    let counts = EvaluationTotals::total(pixels);
    let scale = 1.0 / libm::log(counts.most.max(2) as f64);
    let place = |count: u64| (libm::log(count.max(1) as f64) * scale) as f32;
    let letters = (height as f32 * 0.026).clamp(12.0, 28.0);
    let has_legend = width >= 200 && height >= 60;
    let foot = if has_legend { (letters * 4.0) as usize } else { 0 };
    let (gap, bar) = (letters as usize, letters as usize);
    let span = width.saturating_sub(2 * gap).max(1);
    let mut made = RgbImage::from_fn(width, height + foot, |x, y| {
        if y < height {
            return ramp(place(pixels[y * width + x].all()));
        }
        let (row, column) = (y - height, x.wrapping_sub(gap));
        let in_bar = row >= gap / 2 && row < gap / 2 + bar && column < span;
        if in_bar { ramp(column as f32 / span as f32) } else { PAPER }
    });
    if !has_legend {
        return made;
    }
    let text = Type::new(letters);
    let top = height as f32 + 0.5 * letters + bar as f32 + 0.1 * letters;
    let mut end = f32::NEG_INFINITY;
    for mark in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000].into_iter().filter(|&m| m <= counts.most)
    {
        let label = mark.to_string();
        let wide = text.width(&label);
        let x = (gap as f32 + place(mark) * span as f32 - 0.5 * wide).clamp(0.0, width as f32 - wide);
        if x > end {
            text.draw(&mut made, x, top, INK, &label);
            end = x + wide + letters;
        }
    }
    let line = text.fitted(&format!("{heading}: {:.1} per pixel, at most {}", counts.mean(), counts.most), span as f32);
    text.draw(&mut made, gap as f32, top + 1.15 * letters, INK, &line);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_grows_lighter_and_the_legend_fits() {
        let light = |[r, g, b]: [u8; 3]| 2 * u32::from(r) + 7 * u32::from(g) + u32::from(b);
        let steps: Vec<u32> = (0..=100).map(|k| light(ramp(k as f32 / 100.0))).collect();
        assert!(steps.windows(2).all(|w| w[1] >= w[0]) && steps[100] > 5 * steps[0]);
        let pixels = vec![EvaluationCounts { heights: 3, bounds: 4 }; 300 * 100];
        let drawn = evaluations_image(&pixels, 300, 100, "local bounds");
        // Letters are anti-aliased, so the test accepts dark grey.
        let foot = &drawn.rgb[100 * 300 * 3..];
        assert!(drawn.height > 100 && foot.chunks(3).any(|p| p.iter().all(|&c| c < 100)), "no text");
        assert_eq!(EvaluationTotals::total(&pixels).mean(), 7.0);
        assert_eq!(evaluations_image(&pixels[..10], 5, 2, "small").height, 2);
    }
}
