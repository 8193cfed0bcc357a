//! Reads the numbers of a TIFF file. Very large images are averaged to fewer numbers.

use std::io::ErrorKind;

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::READER;
use super::file_tags::GeoTags;
use crate::io::RasterError;
use crate::io::formats::png::brightness;
use crate::io::formats::reader::{DecodedRaster, RasterSource};
use crate::io::raster::MAX_SAMPLES;

/// Reads the first image of a file, in strips or tiles. Numbers can be integers of 8 to 64 bits or floats, in one
/// channel or as colours, of which the reader takes the brightness. Signed numbers, floats and all images with a map
/// position are heights. The reader applies GDAL's scale, offset and no-data value to heights, and the unit that the
/// GeoTIFF keys state: metres or feet. Other integers are fractions between black and white. An image that exceeds the
/// maximum number of samples, such as a published planet map, is averaged over squares of samples.
pub(super) fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    read_within(source, MAX_SAMPLES)
}

/// Describes why a file is broken. If a read, a strip or a tile extends beyond the end of the file, the file is
/// truncated.
pub(super) fn broken(source: &RasterSource, error: &tiff::TiffError) -> RasterError {
    let is_end = matches!(error, tiff::TiffError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof);
    if is_end || source.bytes.len() < HEAD_BYTES || lacks_part(source.bytes).unwrap_or(false) {
        return source.cut_off(READER.name);
    }
    source.unreadable(READER.name, error)
}

/// Size of the TIFF header in bytes.
const HEAD_BYTES: usize = 8;

/// Whether a strip, a tile or the table of strips or tiles extends beyond the end of the file; `None` if the file has
/// no such table.
fn lacks_part(bytes: &[u8]) -> Option<bool> {
    use tiff::tags::Tag;
    let is_beyond = |error: &tiff::TiffError| matches!(error, tiff::TiffError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof);
    let mut decoder = match Decoder::new(std::io::Cursor::new(bytes)) {
        Ok(decoder) => decoder,
        Err(error) => return Some(is_beyond(&error)),
    };
    for [offsets, lengths] in [[Tag::StripOffsets, Tag::StripByteCounts], [Tag::TileOffsets, Tag::TileByteCounts]] {
        if let (Ok(Some(offsets)), Ok(Some(lengths))) =
            (decoder.find_tag_unsigned_vec::<u64>(offsets), decoder.find_tag_unsigned_vec::<u64>(lengths))
        {
            let end = |(offset, length): (&u64, &u64)| offset.saturating_add(*length);
            return Some(offsets.iter().zip(&lengths).map(end).any(|end| end > bytes.len() as u64));
        }
    }
    None
}

/// Side length, in samples, of the squares over which an image of `width` × `height` samples is averaged. The side
/// length is the smallest for which at most `most` averages remain.
fn samples_of_mean(width: u64, height: u64, most: u64) -> u64 {
    (1..=MOST_OF_MEAN).find(|side| width.div_ceil(*side).saturating_mul(height.div_ceil(*side)) <= most).unwrap_or(1)
}

fn read_within(source: &RasterSource, most_samples: u64) -> Result<DecodedRaster, RasterError> {
    let failed = |error: tiff::TiffError| broken(source, &error);
    let refused = |message: String| source.unreadable(READER.name, message);
    let mut decoder = Decoder::new(std::io::Cursor::new(source.bytes)).map_err(failed)?;
    let (width, height) = decoder.dimensions().map_err(failed)?;
    let packing = decoder.find_tag_unsigned::<u16>(tiff::tags::Tag::Compression).map_err(failed)?.unwrap_or(1);
    if let Some((_, name)) = NOT_READ.iter().find(|(number, _)| *number == packing) {
        return Err(refused(format!(
            "its compression {name} is not supported; save it with Deflate, as `gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif` does, with LZW, or uncompressed"
        )));
    }
    let colour = decoder.colortype().map_err(failed)?;
    let (depth, colours) = match colour {
        ColorType::Gray(depth) | ColorType::GrayA(depth) | ColorType::Multiband { bit_depth: depth, .. } => (depth, 1),
        ColorType::RGB(depth) | ColorType::RGBA(depth) => (depth, 3),
        other => return Err(refused(format!("its colours are {other:?}; save it as grey, or as RGB"))),
    };
    if ![8, 16, 32, 64].contains(&depth) {
        return Err(refused(format!("its numbers have {depth} bits; save it with 8, 16 or 32 bits")));
    }
    let is_planar = decoder.find_tag_unsigned::<u16>(tiff::tags::Tag::PlanarConfiguration).map_err(failed)? == Some(2);
    let channels = if is_planar { 1 } else { usize::from(colour.num_samples()) };
    let samples = u64::from(width) * u64::from(height);
    let bytes = samples.saturating_mul(channels as u64 * u64::from(depth / 8));
    let mean = samples_of_mean(u64::from(width), u64::from(height), most_samples);
    let [columns, rows] = [width, height].map(|side| u64::from(side).div_ceil(mean));
    source.check_size(columns, rows, bytes, if mean > 1 { 2 * columns * rows } else { 0 })?;
    // A strip or tile can be larger than a small image. The limits therefore allow more than the size of the image, but
    // not much more.
    let mut limits = Limits::default();
    limits.decoding_buffer_size = bytes as usize + PART_BYTES;
    limits.intermediate_buffer_size = bytes as usize + PART_BYTES;
    limits.ifd_value_size = MOST_TAG_BYTES;
    let mut decoder = decoder.with_limits(limits);

    let keys = GeoTags::read(&mut decoder, source)?;
    let (width, height) = (width as usize, height as usize);
    let (part_width, part_height) = decoder.chunk_dimensions();
    let across = width.div_ceil(part_width.max(1) as usize);
    let parts = across * height.div_ceil(part_height.max(1) as usize);
    let tag = match decoder.get_chunk_type() {
        tiff::decoder::ChunkType::Strip => tiff::tags::Tag::StripByteCounts,
        tiff::decoder::ChunkType::Tile => tiff::tags::Tag::TileByteCounts,
    };
    let lengths = decoder.get_tag_u64_vec(tag).map_err(failed)?;
    let (across_means, down_means, mean) = (columns as usize, rows as usize, mean as usize);
    let mut values = vec![f32::NAN; across_means * down_means];
    // Number of valid samples that each average includes.
    let mut counts = vec![0u16; if mean > 1 { values.len() } else { 0 }];
    let mut kind = NumberKind::Float;
    for part in 0..parts {
        // A length of 0 marks a tile without data, which GDAL omits.
        if lengths.get(part) == Some(&0) {
            continue;
        }
        let (columns, rows) = decoder.chunk_data_dimensions(part as u32);
        let (columns, rows) = (columns as usize, rows as usize);
        let (numbers, found) = numbers(decoder.read_chunk(part as u32).map_err(failed)?);
        kind = found;
        if numbers.len() < columns * rows * channels {
            return Err(match lacks_part(source.bytes) {
                Some(true) => source.cut_off(READER.name),
                _ => refused(format!("part {part} of {parts} has too few numbers")),
            });
        }
        let (top, left) = (part / across * part_height as usize, part % across * part_width as usize);
        for (row, line) in numbers.chunks_exact(columns * channels).take(rows).enumerate() {
            let numbers = line
                .chunks_exact(channels)
                .map(|pixel| if colours == 3 && channels >= 3 { brightness(&pixel[..3]) } else { pixel[0] });
            if mean == 1 {
                let to = &mut values[(top + row) * width + left..][..columns];
                to.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
                continue;
            }
            let first = (top + row) / mean * across_means;
            for (column, number) in numbers.enumerate().filter(|(_, number)| !keys.is_void(*number, kind)) {
                let at = first + (left + column) / mean;
                values[at] = if counts[at] == 0 { number } else { values[at] + number };
                counts[at] += 1;
            }
        }
    }
    for (value, count) in values.iter_mut().zip(&counts).filter(|(_, count)| **count > 1) {
        *value /= f32::from(*count);
    }
    let meaning = keys.apply(&mut values, kind, colours == 3);
    let placement = keys.placement(width).map(|place| place.of_means(mean));
    Ok(DecodedRaster { width: across_means, height: down_means, values, meaning, placement })
}

/// Numbers and names of the TIFF compression methods that are not supported.
const NOT_READ: [(u16, &str); 9] = [
    (3, "CCITT fax"),
    (4, "CCITT fax"),
    (6, "JPEG"),
    (7, "JPEG"),
    (34712, "JPEG 2000"),
    (34887, "LERC"),
    (34925, "LZMA"),
    (50000, "Zstd"),
    (50001, "WebP"),
];
/// Maximum size in bytes of a TIFF tag that the reader accepts. The tile table of the largest image needs less.
const MOST_TAG_BYTES: usize = 16 << 20;
/// Maximum side length, in samples, of the squares that are averaged. Up to this size, sums are exact and counts fit
/// their type.
const MOST_OF_MEAN: u64 = 64;
/// Maximum size in bytes of a strip or tile that is larger than its image.
const PART_BYTES: usize = 16 << 20;

/// The type of the numbers in a TIFF file.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum NumberKind {
    /// Unsigned integers, from 0 to the given maximum.
    Unsigned(f32),
    /// Signed 16-bit integers.
    Signed16,
    /// Other signed integers.
    Signed,
    Float,
}

fn numbers(part: DecodingResult) -> (Vec<f32>, NumberKind) {
    use NumberKind::{Float, Signed, Signed16, Unsigned};
    match part {
        DecodingResult::U8(n) => (n.into_iter().map(f32::from).collect(), Unsigned(255.0)),
        DecodingResult::U16(n) => (n.into_iter().map(f32::from).collect(), Unsigned(65535.0)),
        DecodingResult::U32(n) => (n.into_iter().map(|v| v as f32).collect(), Unsigned(u32::MAX as f32)),
        DecodingResult::U64(n) => (n.into_iter().map(|v| v as f32).collect(), Unsigned(u64::MAX as f32)),
        DecodingResult::I8(n) => (n.into_iter().map(f32::from).collect(), Signed),
        DecodingResult::I16(n) => (n.into_iter().map(f32::from).collect(), Signed16),
        DecodingResult::I32(n) => (n.into_iter().map(|v| v as f32).collect(), Signed),
        DecodingResult::I64(n) => (n.into_iter().map(|v| v as f32).collect(), Signed),
        DecodingResult::F16(n) => (n.into_iter().map(f32::from).collect(), Float),
        DecodingResult::F32(n) => (n, Float),
        DecodingResult::F64(n) => (n.into_iter().map(|v| v as f32).collect(), Float),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::io::formats::tiff::TIFF;
    use crate::io::formats::{GeoReference, RasterSheet, RawLayout, Samples};

    #[test]
    fn oversized_images_are_read_as_means_at_their_position() {
        let place = GeoReference {
            epsg: Some(4326),
            in_degrees: true,
            radius_metres: None,
            west: -179.5,
            north: 44.5,
            step: [1.0; 2],
            is_area: true,
        };
        // The first sample of every 3 × 3 square has no data, and one square has no data at all.
        let is_void = |row: usize, column: usize| {
            row.is_multiple_of(3) && column.is_multiple_of(3) || row / 3 == 2 && column / 3 == 5
        };
        let law = |row: usize, column: usize| (10 * row + column) as f32;
        let at = |row: usize, column: usize, _: usize| if is_void(row, column) { -9999.0 } else { law(row, column) };
        let sheet = RasterSheet {
            samples: Samples::F32(&at),
            placement: Some(place),
            nodata: Some(-9999.0),
            ..RasterSheet::grey(361, 91)
        };
        let mut bytes = std::io::Cursor::new(Vec::new());
        TIFF.write(&sheet, &mut bytes).unwrap();
        let source = RasterSource { path: Path::new("a.tif"), bytes: bytes.get_ref(), layout: RawLayout::default() };
        let whole = read_within(&source, 361 * 91).unwrap();
        assert_eq!((whole.width, whole.height, whole.placement), (361, 91, Some(place)));
        let made = read_within(&source, 4000).unwrap();
        assert_eq!((made.width, made.height), (121, 31));
        let found = made.placement.unwrap();
        assert_eq!((found.west, found.north, found.step), (-178.5, 43.5, [3.0; 2]));
        for (k, value) in made.values.iter().enumerate() {
            let (row, column) = (k / 121 * 3, k % 121 * 3);
            let there = (row..row + 3).flat_map(|i| (column..column + 3).map(move |j| (i, j)));
            let there: Vec<f32> =
                there.filter(|(i, j)| *i < 91 && *j < 361 && !is_void(*i, *j)).map(|(i, j)| law(i, j)).collect();
            if there.is_empty() {
                assert!(value.is_nan(), "{k}");
            } else {
                let mean = there.iter().sum::<f32>() / there.len() as f32;
                assert!((value - mean).abs() < 1e-3, "{k}: {value} instead of {mean}");
            }
        }
        assert_eq!([samples_of_mean(46_080, 23_040, 1 << 28), samples_of_mean(92_160, 46_080, 1 << 28)], [2, 4]);
        assert_eq!(
            samples_of_mean(u64::MAX, u64::MAX, 1 << 28),
            1,
            "a file too large even for averaging must be refused"
        );
    }
}
