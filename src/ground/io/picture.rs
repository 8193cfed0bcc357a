//! Images in colours, for textures: PNG, JPEG, TIFF and OpenEXR. Heightmaps are read as a [`Raster`](super::Raster).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::RasterError;
use super::formats::{
    NoDataRule, NumberMeaning, RasterReader, RasterSource, ReadOptions, SideFiles, check_picture_size, check_room,
};

/// Extensions of the image files that [`picture`] reads.
pub const PICTURE_EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "tif", "tiff", "exr"];

/// Maximum size of an image file in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Maximum width and height of a JPEG image, as in the format itself.
const MAX_JPEG_SIDE: usize = 65_535;

/// An image with one channel (grey) or three channels (red, green, blue).
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Number of pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// The channels, each row by row from the upper left corner. Files of whole numbers give values from 0 to 1.
    pub channels: Vec<Vec<f32>>,
    /// Whether the file holds floats, whose colours are proportional to light. Other files hold colours in sRGB.
    pub is_float: bool,
}

impl Picture {
    /// The channel with index `k`; a grey image has the same values in all channels.
    pub fn channel(&self, k: usize) -> &[f32] {
        &self.channels[k.min(self.channels.len() - 1)]
    }
}

/// Reads an image file. The contents decide about the format, not the extension. Opacity is ignored.
///
/// # Errors
/// When the file cannot be read, is damaged, is not an image of a known format, or needs more memory than is free.
pub fn picture(path: &Path) -> Result<Picture, RasterError> {
    let failed = |error: std::io::Error| RasterError::Read { path: path.into(), message: error.to_string() };
    let known = |name: &std::ffi::OsStr| PICTURE_EXTENSIONS.iter().any(|known| name.eq_ignore_ascii_case(known));
    if !path.extension().is_some_and(known) {
        let message = format!("textures are images with the extension {}", PICTURE_EXTENSIONS.join(", "));
        return Err(RasterError::Unreadable { path: path.into(), format: "a texture", message });
    }
    let meta = std::fs::metadata(path).map_err(failed)?;
    if !meta.is_file() {
        return Err(RasterError::Read { path: path.into(), message: "it is not a file".into() });
    }
    if meta.len() > MAX_BYTES {
        return Err(RasterError::TooLarge { path: path.into() });
    }
    check_room(path, meta.len())?;
    let bytes = Arc::new(std::fs::read(path).map_err(failed)?);
    if bytes.starts_with(b"\xff\xd8\xff") {
        return jpeg(&RasterSource::new(path, &bytes));
    }
    let reader = RasterReader::for_path(path).or_else(|| RasterReader::for_path(Path::new("image.png")));
    let reader = reader.ok_or_else(|| RasterError::Extension { path: path.into() })?;
    let sides = SideFiles::default();
    let channel = |number: usize| {
        let options = ReadOptions {
            meaning: NumberMeaning::Fractions,
            no_data: NoDataRule::Never,
            channel: number as u16,
            ..ReadOptions::default()
        };
        reader.decode(&RasterSource { path, bytes: &bytes, options, sides: &sides })
    };
    let first = channel(1)?;
    let (width, height, is_float) = (first.width, first.height, first.numbers.contains("float"));
    let order = colour_order(&first.channels);
    let mut channels = Vec::new();
    for number in order {
        channels.push(if number == 1 { first.values.clone() } else { channel(number)?.values });
    }
    Ok(Picture { width, height, channels, is_float })
}

/// The numbers of the channels red, green and blue among channels with these names, counted from 1. An image with fewer
/// than three channels is grey.
fn colour_order(names: &[String]) -> Vec<usize> {
    if names.len() < 3 {
        return vec![1];
    }
    let named = |wanted: &str| {
        let is_it = |name: &String| {
            let last = name.rsplit('.').next().unwrap_or_default();
            last.eq_ignore_ascii_case(wanted) || last.eq_ignore_ascii_case(&wanted[..1])
        };
        names.iter().position(is_it).map(|k| k + 1)
    };
    match ["red", "green", "blue"].map(named) {
        [Some(red), Some(green), Some(blue)] => vec![red, green, blue],
        _ => vec![1, 2, 3],
    }
}

fn jpeg(source: &RasterSource) -> Result<Picture, RasterError> {
    let refused = |message: String| RasterError::Unreadable { path: source.path.into(), format: "JPEG", message };
    let damaged = |error: String| refused(format!("it is damaged ({error}). Download or copy it again"));
    let decode = || {
        let limits = DecoderOptions::default().set_max_width(MAX_JPEG_SIDE).set_max_height(MAX_JPEG_SIDE);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&source.bytes[..]), limits);
        decoder.decode_headers().map_err(|error| damaged(error.to_string()))?;
        let info = decoder.info().ok_or_else(|| damaged("it has no header".into()))?;
        let (width, height) = (usize::from(info.width), usize::from(info.height));
        let is_grey = decoder.input_colorspace() == Some(ColorSpace::Luma);
        let count = if is_grey { 1 } else { 3 };
        check_picture_size(source, width, height, count)?;
        let colours = if is_grey { ColorSpace::Luma } else { ColorSpace::RGB };
        decoder.set_options(limits.jpeg_set_out_colorspace(colours));
        let pixels = decoder.decode().map_err(|error| damaged(error.to_string()))?;
        if pixels.len() != width * height * count {
            return Err(damaged("it has fewer pixels than its header says".into()));
        }
        let channel = |k: usize| pixels.iter().skip(k).step_by(count).map(|byte| f32::from(*byte) / 255.0).collect();
        Ok(Picture { width, height, channels: (0..count).map(channel).collect(), is_float: false })
    };
    // The decoder parses untrusted bytes, so a panic becomes an error.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| Err(damaged("its contents contradict each other".into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_found_by_the_names_of_channels() {
        let order = |names: &[&str]| colour_order(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(order(&[]), [1]);
        assert_eq!(order(&["grey", "alpha"]), [1]);
        assert_eq!(order(&["red", "green", "blue", "alpha"]), [1, 2, 3]);
        assert_eq!(order(&["A", "B", "G", "R"]), [4, 3, 2]);
        assert_eq!(order(&["layer.B", "layer.G", "layer.R"]), [3, 2, 1]);
        assert_eq!(order(&["1", "2", "3"]), [1, 2, 3]);
    }

    #[test]
    fn pictures_keep_their_colours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("four.png");
        let file = std::fs::File::create(&path).unwrap();
        let mut encoder = png::Encoder::new(file, 2, 2);
        encoder.set_color(png::ColorType::Rgb);
        let pixels = [255, 0, 0, 0, 255, 0, 0, 0, 255, 51, 102, 204];
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        let read = picture(&path).unwrap();
        assert_eq!((read.width, read.height, read.is_float), (2, 2, false));
        let expected = [[1.0, 0.0, 0.0, 0.2], [0.0, 1.0, 0.0, 0.4], [0.0, 0.0, 1.0, 0.8]];
        for (k, expected) in expected.iter().enumerate() {
            let off = read.channel(k).iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 1e-6, "channel {k}: {:?}", read.channel(k));
        }
    }

    #[test]
    fn faulty_pictures_are_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let said = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            picture(&path).unwrap_err().to_string()
        };
        assert!(said("a.txt", b"hello").contains("textures are images"));
        assert!(said("a.jpg", b"\xff\xd8\xff\xe0 this is no JPEG").contains("it is damaged"));
        assert!(said("a.png", b"\x89PNG\r\n\x1a\n").contains("PNG"));
        assert!(picture(&folder.path().join("missing.png")).unwrap_err().to_string().contains("cannot read"));
        assert!(picture(folder.path()).is_err());
    }
}
