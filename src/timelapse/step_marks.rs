//! Draws the marks, the title and the formula of a generator step over a picture of the terrain from above.

use crate::appearance::RgbImage;
use crate::appearance::pictures::text::Type;
use crate::nodes::GeneratorStep;

const LINE: [u8; 3] = [255, 255, 255];
const POINT: [u8; 3] = [255, 92, 40];
const RIM: [u8; 3] = [30, 20, 16];
const INK: [u8; 3] = [255, 255, 255];
const BAND: [u8; 3] = [16, 18, 22];
/// Height of the letters as a fraction of the picture's height, and in pixels at least.
const LETTERS: (f32, f32) = (0.032, 9.0);

/// Draws `step` over `image`, which shows the whole terrain from above, with north at the top. The title and the
/// formula are written on a dark band at the lower edge, if the picture is large enough for a line of text.
pub fn draw_step(image: &mut RgbImage, step: &GeneratorStep) {
    let (width, height) = (image.width as f32, image.height as f32);
    let pixel = |[x, y]: [f32; 2]| [x * (width - 1.0), y * (height - 1.0)];
    for [from, to] in &step.lines {
        draw_line(image, pixel(*from), pixel(*to));
    }
    // Many points are drawn smaller, so that the terrain between them stays visible.
    let radius = (0.006 * height).max(1.2) * if step.points.len() > 1000 { 0.6 } else { 1.0 };
    for &point in &step.points {
        draw_disc(image, pixel(point), radius + 1.0, RIM, 0.5);
        draw_disc(image, pixel(point), radius, POINT, 1.0);
    }
    write_text(image, step);
}

/// Mixes `colour` into a pixel; `share` is from 0 to 1. Pixels outside the picture are ignored.
fn blend(image: &mut RgbImage, x: i64, y: i64, colour: [u8; 3], share: f32) {
    if (0..image.width as i64).contains(&x) && (0..image.height as i64).contains(&y) {
        let at = (y as usize * image.width + x as usize) * 3;
        for (channel, ink) in image.rgb[at..at + 3].iter_mut().zip(colour) {
            let paper = f32::from(*channel);
            *channel = (paper + (f32::from(ink) - paper) * share + 0.5) as u8;
        }
    }
}

/// Draws a line one pixel wide. Every pixel column, or row if the line is steep, has the line once.
fn draw_line(image: &mut RgbImage, from: [f32; 2], to: [f32; 2]) {
    let run = [to[0] - from[0], to[1] - from[1]];
    let steps = run[0].abs().max(run[1].abs()).max(1.0) as usize;
    for k in 0..=steps {
        let [x, y] = [0, 1].map(|axis| (from[axis] + run[axis] * k as f32 / steps as f32 + 0.5) as i64);
        blend(image, x, y, LINE, 0.45);
    }
}

fn draw_disc(image: &mut RgbImage, [x, y]: [f32; 2], radius: f32, colour: [u8; 3], share: f32) {
    let reach = radius as i64 + 1;
    for row in y as i64 - reach..=y as i64 + reach {
        for column in x as i64 - reach..=x as i64 + reach {
            let (dx, dy) = (column as f32 - x, row as f32 - y);
            let inside = (radius + 0.5 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
            blend(image, column, row, colour, share * inside);
        }
    }
}

/// Breaks `text` into lines that are at most `width` pixels wide.
fn wrapped(letters: &Type, text: &str, width: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if letters.width(&format!("{line} {word}")) <= width => *line = format!("{line} {word}"),
            _ => lines.push(word.into()),
        }
    }
    lines
}

fn write_text(image: &mut RgbImage, step: &GeneratorStep) {
    let size = (LETTERS.0 * image.height as f32).max(LETTERS.1);
    let (letters, margin) = (Type::new(size), 0.5 * size);
    let width = image.width as f32 - 2.0 * margin;
    let lines = [wrapped(&letters, &step.title, width), wrapped(&letters, &step.formula, width)].concat();
    let band = (lines.len() as f32 + 0.8) * size;
    // In a small picture the text would cover the terrain.
    if band > 0.35 * image.height as f32 {
        return;
    }
    let top = image.height as f32 - band;
    for y in top as i64..image.height as i64 {
        for x in 0..image.width as i64 {
            blend(image, x, y, BAND, 0.72);
        }
    }
    for (k, line) in lines.iter().enumerate() {
        letters.draw(image, margin, top + (k as f32 + 0.4) * size, INK, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_drawn_where_its_marks_lie() {
        let grey = |side: usize| RgbImage::from_fn(side, side, |_, _| [90; 3]);
        let step = GeneratorStep::new("T", "F").with_marks([[0.25, 0.5]], [[[0.0, 0.0], [1.0, 0.0]]]);
        let mut image = grey(41);
        draw_step(&mut image, &step);
        let at = |x: usize, y: usize| [0, 1, 2].map(|k| image.rgb[(y * 41 + x) * 3 + k]);
        assert_eq!(at(10, 20), POINT);
        assert!((0..41).all(|x| at(x, 0) == [164; 3]), "the line runs along the northern edge");
        assert_eq!((at(30, 20), at(0, 30)), ([90; 3], [90; 3]));
    }

    #[test]
    fn the_text_stands_on_a_band_at_the_lower_edge() {
        let mut image = RgbImage::from_fn(300, 300, |_, _| [200; 3]);
        draw_step(&mut image, &GeneratorStep::new("Level 1, diamond phase", "h = (h₁ + h₂ + h₃ + h₄) / 4 + u · 50 m"));
        let row = |y: usize| image.rgb[y * 900..][..900].to_vec();
        assert!(row(200).iter().all(|&channel| channel == 200));
        assert!(row(299).iter().all(|&channel| channel < 100));
        assert!((270..299).any(|y| row(y).iter().any(|&channel| channel > 150)), "there are letters");
    }
}
