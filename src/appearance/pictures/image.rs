//! A finished picture and its PNG file.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::field::{Cancelled, Control, Terrain};
use crate::io::formats::png_rows::{PngSize, write_png_rows};
use crate::io::{FileError, SaveTarget, StagedFile};
use crate::terrain_attributes::raster::PixelGrid;

/// An sRGB picture, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbImage {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

impl RgbImage {
    /// A picture whose pixel (x, y) has the colour `colour(x, y)`.
    pub fn from_fn(width: usize, height: usize, colour: impl Fn(usize, usize) -> [u8; 3] + Sync) -> Self {
        let mut rgb = vec![0; width * height * 3];
        rgb.par_chunks_mut(width * 3).enumerate().for_each(|(y, row)| {
            row.chunks_mut(3).enumerate().for_each(|(x, pixel)| pixel.copy_from_slice(&colour(x, y)));
        });
        Self { width, height, rgb }
    }

    /// Like [`from_fn`](Self::from_fn), but checks `control` for cancellation once per row.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn drawn(
        width: usize,
        height: usize,
        control: &Control,
        colour: impl Fn(usize, usize) -> [u8; 3] + Sync,
    ) -> Result<Self, Cancelled> {
        Self::drawn_by_rows(width, height, control, |y, row| {
            row.iter_mut().enumerate().for_each(|(x, pixel)| *pixel = colour(x, y));
        })
    }

    /// A picture whose rows `draw` draws; checks `control` for cancellation once per row.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn drawn_by_rows(
        width: usize,
        height: usize,
        control: &Control,
        draw: impl Fn(usize, &mut [[u8; 3]]) + Sync,
    ) -> Result<Self, Cancelled> {
        let mut rgb = vec![0; width * height * 3];
        rgb.par_chunks_mut(width * 3).enumerate().try_for_each(|(y, row)| {
            control.check()?;
            draw(y, row.as_chunks_mut().0);
            Ok(())
        })?;
        Ok(Self { width, height, rgb })
    }

    /// Writes the picture as PNG, a few rows at a time.
    pub fn write_png(&self, out: impl Write) -> std::io::Result<()> {
        let mut encoder = png::Encoder::new(BufWriter::new(out), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        let row_bytes = self.width * 3;
        let size = PngSize { rows: self.height, row_bytes, sample_bytes: 3 };
        write_png_rows(&mut writer, size, |row, out| {
            out.copy_from_slice(&self.rgb[row * row_bytes..][..row_bytes]);
            Ok(())
        })?;
        Ok(writer.finish()?)
    }

    /// Reads a square picture of `side` pixels that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or the picture has another size or colour type.
    pub fn load_png(path: &Path, side: usize) -> std::io::Result<Self> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
        let info = reader.info();
        let is_square = (info.width as usize, info.height as usize) == (side, side);
        if !is_square || reader.output_color_type() != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(std::io::Error::other(format!("it is not a colour picture of {side} × {side} pixels")));
        }
        let mut rgb = vec![0; side * side * 3];
        reader.next_frame(&mut rgb)?;
        Ok(Self { width: side, height: side, rgb })
    }

    /// Writes a PNG file; the old file stays until the new one is safely on disk.
    pub fn save(&self, to: impl Into<SaveTarget>) -> Result<(), FileError> {
        self.stage(to)?.commit()
    }

    /// Like [`save`](Self::save), but leaves the last step to the caller: the new file is complete on the disk and has
    /// not yet replaced the old file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn stage(&self, to: impl Into<SaveTarget>) -> Result<StagedFile, FileError> {
        StagedFile::new(to, |file| self.write_png(file))
    }

    /// Like [`stage`](Self::stage), but stops when `control` is cancelled.
    ///
    /// # Errors
    /// If the file cannot be written, or writing was cancelled ([`FileError::is_cancelled`]).
    pub fn stage_while(&self, to: impl Into<SaveTarget>, control: &Control) -> Result<StagedFile, FileError> {
        StagedFile::new_while(to, control, |file| self.write_png(file))
    }
}

/// The heights as a greyscale picture, black at the lowest and white at the highest sample.
///
/// # Errors
/// If the computation was cancelled.
pub fn heightmap(terrain: &Terrain, width: usize, height: usize, control: &Control) -> Result<RgbImage, Cancelled> {
    let (low, high) = terrain.range();
    let scale = if high > low { 255.0 / (high - low) } else { 0.0 };
    let raster = PixelGrid::of_heights(terrain, width, height, control)?;
    RgbImage::drawn(width, height, control, |x, y| [((raster.values[y * width + x] - low) * scale + 0.5) as u8; 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    #[test]
    fn a_cancelled_picture_stops_drawing_and_is_not_written() {
        use crate::field::Cancelled;
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (control, drawn) = (Control::default(), AtomicUsize::new(0));
        let made = RgbImage::drawn(64, 4096, &control, |_, y| {
            drawn.fetch_add(1, Ordering::Relaxed);
            if y % 100 == 50 {
                control.cancel();
            }
            [0; 3]
        });
        assert_eq!(made, Err(Cancelled));
        assert!(drawn.load(Ordering::Relaxed) < 64 * 4096 / 4, "{drawn:?}");
        let terrain = Terrain::from_fn(33, Edges::Open, |u, _| u);
        let settings = crate::scene::Settings::default();
        let scene = crate::scene::Scene { settings, ..crate::scene::Scene::default() };
        let table = crate::appearance::PaletteTable::for_scene(&scene);
        assert_eq!(crate::appearance::scene_image(&scene, &terrain, &table, [20; 2], &control), Err(Cancelled));
        assert_eq!(crate::appearance::ground_colours(&scene, &terrain, &control), Err(Cancelled));
        let folder = tempfile::tempdir().unwrap();
        let image = RgbImage::from_fn(600, 600, |x, y| [x as u8, y as u8, (x * y) as u8]);
        let staged = image.stage_while(folder.path().join("a.png"), &control);
        assert!(staged.unwrap_err().is_cancelled());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn png_reads_back() {
        let image = heightmap(&Terrain::from_fn(33, Edges::Open, |u, _| u), 20, 20, &Control::default()).unwrap();
        let mut bytes = Vec::new();
        image.write_png(&mut bytes).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!((info.width, info.height), (20, 20));
        assert_eq!(rgb, image.rgb);
        assert!(rgb[0] < 10 && rgb[57] > 245, "dark in the west, bright in the east");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        image.save(&path).unwrap();
        assert_eq!(RgbImage::load_png(&path, 20).unwrap(), image);
        assert!(RgbImage::load_png(&path, 21).unwrap_err().to_string().contains("21 × 21"));
    }
}
