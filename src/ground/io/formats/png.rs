//! PNG: greyscale of 8 or 16 bits, colours, palettes. The writer stores metadata, such as the scale and unit of the
//! numbers, in text chunks.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Write};
use std::path::Path;

use super::colours::{ColourReading, probable_encoding};
use super::notes::RasterNote;
use super::numbers::{NumberRule, NumberStatement, NumberType};
use super::options::NumberMeaning;
use super::png_rows::{PngSize, write_png_rows};
use super::reader::{DecodedRaster, RasterReader, RasterSource, SideInfo, cell_of, range_of};
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
    if is_wide || sheet.channels > 1 {
        let channel_bytes = sheet.samples.kind().bytes();
        let size = PngSize {
            rows: sheet.height,
            row_bytes: sheet.width * sheet.channels * channel_bytes,
            sample_bytes: sheet.channels * channel_bytes,
        };
        let mut of_row = sheet.row_bytes(true);
        write_png_rows(&mut writer, size, |row, out| {
            sheet.check()?;
            of_row(row, out);
            Ok(())
        })?;
    } else {
        // Indices repeat in patterns, which ordinary Deflate finds.
        let mut stream = writer.stream_writer()?;
        sheet.each_row(true, |row| stream.write_all(row))?;
        stream.finish()?;
    }
    Ok(writer.finish()?)
}

/// Reads grey values, the brightness of colours, or heights that colours encode. Transparent pixels have no data. The
/// values count as metres only if a text chunk of Talweg states the height range, if a side file states a position, a
/// unit or a scale, or if the options say so.
fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |error: png::DecodingError| match error {
        png::DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => source.cut_off("PNG"),
        // The decoder reports a stream that is truncated mid-row by a different error.
        _ if lacks_end(source.bytes) => source.cut_off("PNG"),
        error => source.unreadable(
            "PNG",
            format!("it is damaged ({error}). Download or copy it again, or export it again from its source"),
        ),
    };
    let limits = png::Limits { bytes: MAX_TEXT };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(&source.bytes[..]), limits);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    let info = reader.info();
    let (width, height) = (info.width as usize, info.height as usize);
    let texts: Texts = info.uncompressed_latin1_text.iter().map(|t| (t.keyword.clone(), t.text.clone())).collect();
    let (is_palette, interlaced) = (info.color_type == png::ColorType::Indexed, info.interlaced);
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    // The decoder holds a whole interlaced image in memory.
    let whole = if interlaced { size as u64 } else { 0 };
    source.check_size(width as u64, height as u64, size as u64, whole)?;
    let (colour, depth) = reader.output_color_type();
    let channels = colour.samples();
    let is_wide = depth == png::BitDepth::Sixteen;
    let mut notes = Vec::new();
    if is_palette {
        notes.push(RasterNote::new("palette", "the colours of its palette are read as brightness"));
    }
    let names = ["red", "green", "blue"].map(String::from);
    let names = if channels >= 3 { names.to_vec() } else { vec!["grey".into()] };
    let alpha = [2, 4].contains(&channels).then_some(channels - 1);
    let names = names.into_iter().chain(alpha.map(|_| "alpha".to_string())).collect();
    let reading = ColourReading::of_channels(names, channels >= 3, alpha, source, "PNG", &mut notes)?;
    let side_info = SideInfo::read(source, &mut notes);
    let statement = NumberStatement {
        is_colour: reading.is_colour(),
        is_placed: side_info.is_placed(),
        range_metres: range_of(&texts),
        ..NumberStatement::of_type(NumberType::Unsigned(if is_wide { 16 } else { 8 }))
    };
    let statement = side_info.complete(statement);
    let no_data = statement.no_data;
    let rule = NumberRule::new(statement, source.options);
    let single = reading.single_channel();
    let mut samples_of_picture = Vec::new();
    // The vector grows as rows are decoded, because the header may claim more rows than the file contains.
    let mut values: Vec<f32> = Vec::new();
    let mut numbers: Vec<f64> = Vec::new();
    let mut add_row = |row: &[u8]| {
        numbers.clear();
        if is_wide {
            numbers.extend(row.as_chunks::<2>().0.iter().map(|&b| f64::from(u16::from_be_bytes(b))));
        } else {
            numbers.extend(row.iter().map(|&b| f64::from(b)));
        }
        numbers.truncate(width * channels);
        if !is_wide && reading.is_colour() && samples_of_picture.len() < ROWS_FOR_GUESS {
            samples_of_picture
                .push(numbers.chunks_exact(channels).map(|p| [p[0] as u8, p[1] as u8, p[2] as u8]).collect());
        }
        if let Some(channel) = single.filter(|_| channels > 1) {
            values.extend(numbers.chunks_exact(channels).map(|pixel| rule.value(pixel[channel])));
        } else {
            values.extend(reading.numbers_of_row(&numbers, channels, &source.options).map(|number| rule.value(number)));
        }
    };
    if interlaced {
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
    if source.options.meaning == NumberMeaning::File
        && let Some(encoding) = probable_encoding(&samples_of_picture)
    {
        notes.push(RasterNote::new(
            "encoded-heights",
            format!("its colours look like encoded heights; set Numbers to {} to read them", encoding.label()),
        ));
    }
    let meaning = rule.finish(&mut values, &mut notes);
    let number_type = NumberType::Unsigned(if is_wide { 16 } else { 8 });
    let decoded = DecodedRaster {
        width,
        height,
        values,
        meaning,
        numbers: number_type.name(),
        no_data,
        channel: reading.read_name(),
        channels: reading.names,
        ..DecodedRaster::default()
    };
    Ok(side_info.finish(decoded, None, cell_of(&texts), &source.options, notes))
}

/// Number of rows that the reader examines to guess whether colours encode heights.
const ROWS_FOR_GUESS: usize = 256;

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

fn read_texts(path: &Path) -> std::io::Result<Texts> {
    let limits = png::Limits { bytes: MAX_TEXT };
    let reader = png::Decoder::new_with_limits(BufReader::new(File::open(path)?), limits).read_info()?;
    let info = reader.info();
    let plain = info.uncompressed_latin1_text.iter().map(|chunk| (chunk.keyword.clone(), chunk.text.clone()));
    let mut texts: Texts = plain.collect();
    let mut left = MAX_TEXT;
    for chunk in &info.utf8_text {
        let mut chunk = chunk.clone();
        // A few kilobytes can unpack to gigabytes, so the limit applies while a text is unpacked.
        chunk.decompress_text_with_limit(left).map_err(|error| {
            // The decoder reports an exceeded limit as a format error; only the text of the error tells the two apart.
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
