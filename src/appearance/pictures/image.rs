//! A finished picture and its PNG file.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use rayon::prelude::*;

use super::raster::PixelGrid;
use crate::field::Terrain;
use crate::io::{FileError, SaveTarget, StagedFile};

/// An sRGB picture, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbImage {
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

impl RgbImage {
    /// A picture from a function of the pixel.
    pub fn from_fn(width: usize, height: usize, colour: impl Fn(usize, usize) -> [u8; 3] + Sync) -> Self {
        let mut rgb = vec![0; width * height * 3];
        rgb.par_chunks_mut(width * 3).enumerate().for_each(|(y, row)| {
            row.chunks_mut(3).enumerate().for_each(|(x, pixel)| pixel.copy_from_slice(&colour(x, y)));
        });
        Self { width, height, rgb }
    }

    /// Writes the picture as PNG.
    pub fn write_png(&self, out: impl Write) -> std::io::Result<()> {
        let mut encoder = png::Encoder::new(BufWriter::new(out), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        Ok(writer.finish()?)
    }

    /// Reads a square picture of `side` pixels that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// When it cannot be read, or is another kind of picture.
    pub fn load_png(path: &Path, side: usize) -> std::io::Result<Self> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
        let info = reader.info();
        let is_square = (info.width as usize, info.height as usize) == (side, side);
        if !is_square || reader.output_color_type() != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(std::io::Error::other(format!("it is no picture of {side} × {side} pixels in colour")));
        }
        let mut rgb = vec![0; side * side * 3];
        reader.next_frame(&mut rgb)?;
        Ok(Self { width: side, height: side, rgb })
    }

    /// Writes a PNG file; until it is safely on disk an old one stays.
    pub fn save(&self, to: impl Into<SaveTarget>) -> Result<(), FileError> {
        self.stage(to)?.commit()
    }

    /// [`save`](Self::save) up to where the new file takes the place of the old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn stage(&self, to: impl Into<SaveTarget>) -> Result<StagedFile, FileError> {
        StagedFile::new(to, |file| self.write_png(file))
    }
}

/// The heights as a greyscale picture, black at the lowest and white at the highest sample.
pub fn heightmap(terrain: &Terrain, width: usize, height: usize) -> RgbImage {
    let (low, high) = terrain.range();
    let scale = if high > low { 255.0 / (high - low) } else { 0.0 };
    let raster = PixelGrid::of_heights(terrain, width, height);
    RgbImage::from_fn(width, height, |x, y| [((raster.values[y * width + x] - low) * scale + 0.5) as u8; 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    #[test]
    fn png_reads_back() {
        let image = heightmap(&Terrain::from_fn(33, Edges::Open, |u, _| u), 20, 20);
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
