//! PNG: grey of 8 or 16 bits, colours, palettes. The writer stores metadata, such as the scale and unit of the numbers,
//! in text chunks.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Write};
use std::path::Path;

use super::reader::{DecodedRaster, RasterReader, RasterSource, SampleMeaning};
use super::{MAX_TEXT, RasterFormat, RasterOut, RasterSheet, SampleType, Texts, texts_too_long};
use crate::io::RasterError;

/// The PNG format with 8 or 16 bits.
pub static PNG: RasterFormat = RasterFormat {
    id: "png",
    extensions: &["png"],
    name: "PNG",
    help: "16-bit greyscale for heights and data, 8 bits for colours",
    kinds: &[SampleType::U8, SampleType::U16],
    channels: 4,
    has_placement: false,
    has_texts: true,
    write,
    read_texts: Some(read_texts),
};

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["png"], name: "PNG of 8 or 16 bits", is_raw: false, read };

fn write(sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
    let mut encoder = png::Encoder::new(out, sheet.width as u32, sheet.height as u32);
    encoder.set_color(match (sheet.channels, sheet.palette) {
        (1, Some(_)) => png::ColorType::Indexed,
        (1, None) => png::ColorType::Grayscale,
        (3, _) => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    let is_wide = sheet.samples.kind() == SampleType::U16;
    encoder.set_depth(if is_wide { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
    if let Some(colours) = sheet.palette {
        encoder.set_palette(colours.as_flattened().to_vec());
    }
    if sheet.is_srgb {
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    }
    for (keyword, text) in sheet.texts {
        if text.is_ascii() && text.len() < 100 {
            encoder.add_text_chunk(keyword.clone(), text.clone())?;
        } else {
            encoder.add_itxt_chunk(keyword.clone(), text.clone())?;
        }
    }
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    sheet.each_row(true, |row| stream.write_all(row))?;
    stream.finish()?;
    Ok(writer.finish()?)
}

/// Reads grey values, or the brightness of colours. The values count as metres only if Talweg wrote the height range
/// into the text chunks.
fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |error: png::DecodingError| match error {
        png::DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => source.cut_off("PNG"),
        // The decoder reports a stream that is truncated mid-row by a different error.
        _ if lacks_end(source.bytes) => source.cut_off("PNG"),
        error => source.unreadable("PNG", error),
    };
    let mut decoder = png::Decoder::new(std::io::Cursor::new(source.bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    let info = reader.info();
    let (width, height) = (info.width as usize, info.height as usize);
    let metres = |key: &str| {
        let text = info.uncompressed_latin1_text.iter().find(|t| t.keyword == key)?;
        text.text.parse::<f32>().ok().filter(|m| m.is_finite())
    };
    let range_metres = metres("talweg min_metres").zip(metres("talweg max_metres"));
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    // The decoder holds a whole interlaced image in memory.
    let whole = if info.interlaced { size as u64 } else { 0 };
    source.check_size(width as u64, height as u64, size as u64, whole)?;
    let (colour, depth) = reader.output_color_type();
    let channels = colour.samples();
    let wide = depth == png::BitDepth::Sixteen;
    let row_values = |row: &[u8]| -> Vec<f32> {
        if wide {
            row.as_chunks::<2>().0.iter().map(|&b| f32::from(u16::from_be_bytes(b)) / 65535.0).collect()
        } else {
            row.iter().map(|&b| f32::from(b) / 255.0).collect()
        }
    };
    // The vector grows as rows are decoded, because the header may claim more rows than the file contains.
    let mut values = Vec::new();
    let mut add_row = |row: &[u8]| values.extend(row_values(row).chunks(channels).take(width).map(brightness));
    if reader.info().interlaced {
        let mut pixels = vec![0; size];
        let frame = reader.next_frame(&mut pixels).map_err(failed)?;
        pixels[..frame.buffer_size()].chunks(frame.line_size).for_each(add_row);
    } else {
        while let Some(row) = reader.next_row().map_err(failed)? {
            add_row(row.data());
        }
    }
    if values.len() != width * height {
        return Err(source.cut_off("PNG"));
    }
    Ok(DecodedRaster { width, height, values, meaning: SampleMeaning::Fractions { range_metres }, placement: None })
}

/// Whether a file starts like a PNG file but lacks the final chunk, `IEND`.
fn lacks_end(bytes: &[u8]) -> bool {
    const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
    if bytes.len() < SIGNATURE.len() {
        return SIGNATURE.starts_with(bytes);
    }
    let mut at = SIGNATURE.len();
    while let Some(&[a, b, c, d, ref kind @ ..]) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        at = at.saturating_add(length).saturating_add(12);
        if *kind == *b"IEND" {
            return at > bytes.len();
        }
    }
    bytes.starts_with(&SIGNATURE)
}

/// Brightness of a colour (Rec. 709), from its channels; the transparency of a pixel has no effect.
pub(super) fn brightness(channels: &[f32]) -> f32 {
    match *channels {
        [r, g, b] | [r, g, b, _] => 0.2126 * r + 0.7152 * g + 0.0722 * b,
        _ => channels[0],
    }
}

fn read_texts(path: &Path) -> std::io::Result<Texts> {
    let limits = png::Limits { bytes: MAX_TEXT };
    let reader = png::Decoder::new_with_limits(BufReader::new(File::open(path)?), limits).read_info()?;
    let info = reader.info();
    let plain = info.uncompressed_latin1_text.iter().map(|chunk| (chunk.keyword.clone(), chunk.text.clone()));
    let mut texts: Texts = plain.collect();
    let mut left = MAX_TEXT;
    for chunk in &info.utf8_text {
        let mut chunk = chunk.clone();
        // A kilobyte can unpack to a gigabyte, so the limit applies while a text is unpacked.
        chunk.decompress_text_with_limit(left).map_err(|error| {
            // The decoder reports its limit as an error of the format, known only by its text.
            let is_limit = matches!(error, png::DecodingError::LimitsExceeded);
            let is_full = is_limit || error.to_string().contains("Out of decompression space");
            if is_full { texts_too_long() } else { error.into() }
        })?;
        let text = chunk.get_text()?;
        left = left.checked_sub(text.len()).ok_or_else(texts_too_long)?;
        texts.push((chunk.keyword, text));
    }
    Ok(texts)
}
