//! PNG: grey of 8 or 16 bits, colours, palettes; texts in text chunks. Scale and unit of the numbers are texts.

use std::io::Write;

use super::{RasterFormat, RasterOut, RasterSheet, SampleType};

pub(super) static PNG: RasterFormat = RasterFormat {
    id: "png",
    extensions: &["png"],
    name: "PNG",
    help: "16-bit greyscale for heights and data, 8 bits for colours",
    kinds: &[SampleType::U8, SampleType::U16],
    channels: 4,
    has_placement: false,
    has_texts: true,
    write,
};

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
