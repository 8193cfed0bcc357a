//! OpenEXR: lossless 32-bit floats in the channels `Y`, `R G B` or `R G B A`. The writer stores all metadata in one
//! attribute, `talweg`, as a JSON list of pairs. The order of several attributes would vary from file to file. Reading
//! and writing use the crate `exr`.

use std::fs::File;
use std::io::{BufReader, Error, ErrorKind};
use std::path::Path;

use exr::image::write::WritableImage;
use exr::meta::MetaData;
use exr::meta::header::Header;
use exr::prelude::{
    AttributeValue, Blocks, Compression, Encoding, Image, Layer, LayerAttributes, LineOrder, ReadChannels, ReadLayers,
    ReadSpecificChannel, SpecificChannels, Text, Vec2,
};

use super::reader::{DecodedRaster, RasterReader, RasterSource, heights_or_fractions};
use super::{MAX_TEXT, RasterFormat, RasterOut, RasterSheet, SampleType, Texts, texts_too_long};
use crate::io::RasterError;

/// The OpenEXR format with 32-bit floats.
pub static EXR: RasterFormat = RasterFormat {
    id: "exr",
    extensions: &["exr"],
    name: "OpenEXR",
    help: "32-bit floats, losslessly compressed",
    kinds: &[SampleType::F32],
    channels: 4,
    has_placement: false,
    has_texts: true,
    write,
    read_texts: Some(read_texts),
};

pub(super) static READER: RasterReader = RasterReader { extensions: &["exr"], name: "OpenEXR", is_raw: false, read };

/// The first bytes of every OpenEXR file.
const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];
/// Name of the attribute that holds the metadata.
const TEXTS: &str = "talweg";

fn write(sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
    let at = |place: Vec2<usize>, channel| sheet.number(place.y(), place.x(), channel);
    let size = (sheet.width, sheet.height);
    let encoding =
        Encoding { compression: Compression::ZIP16, blocks: Blocks::ScanLines, line_order: LineOrder::Increasing };
    let attributes = attributes(sheet)?;
    let written = match sheet.channels {
        1 => {
            let grey = SpecificChannels::build().with_channel::<f32>("Y").with_pixel_fn(|p: Vec2<usize>| (at(p, 0),));
            Image::from_layer(Layer::new(size, attributes, encoding, grey)).write().to_unbuffered(out)
        }
        3 => {
            let colours = SpecificChannels::rgb(|p: Vec2<usize>| (at(p, 0), at(p, 1), at(p, 2)));
            Image::from_layer(Layer::new(size, attributes, encoding, colours)).write().to_unbuffered(out)
        }
        _ => {
            let weights = SpecificChannels::rgba(|p: Vec2<usize>| (at(p, 0), at(p, 1), at(p, 2), at(p, 3)));
            Image::from_layer(Layer::new(size, attributes, encoding, weights)).write().to_unbuffered(out)
        }
    };
    written.map_err(Error::other)
}

fn attributes(sheet: &RasterSheet) -> std::io::Result<LayerAttributes> {
    let software_name = Some(Text::from(concat!("Talweg ", env!("CARGO_PKG_VERSION"))));
    let mut attributes = LayerAttributes { software_name, ..LayerAttributes::default() };
    if !sheet.texts.is_empty() {
        let texts = serde_json::to_vec(sheet.texts).map_err(Error::other)?;
        let texts = Text::from_bytes_unchecked(texts.into_iter().collect());
        attributes.other.insert(Text::from(TEXTS), AttributeValue::Text(texts));
    }
    Ok(attributes)
}

/// Reads the first layer of flat pixels: its channel `Y`, or else `R`, or else its first channel. The values count as
/// metres, as in displacement maps and heightmaps, unless all are between 0 and 1.
fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |error: exr::error::Error| match &error {
        // The crate reports a read beyond the end of the file with this message.
        exr::error::Error::Invalid(text) if text.contains("missing bytes") => source.cut_off(READER.name),
        exr::error::Error::Io(error) if error.kind() == ErrorKind::UnexpectedEof => source.cut_off(READER.name),
        _ if MAGIC.starts_with(source.bytes) => source.cut_off(READER.name),
        _ => source.unreadable(READER.name, error),
    };
    let meta = MetaData::read_from_buffered(source.bytes, false).map_err(failed)?;
    let usable = |header: &&Header| !header.deep && !header.channels.list.is_empty();
    let header =
        meta.headers.iter().find(usable).ok_or_else(|| {
            source.unreadable(READER.name, "it has only deep data; save it with a layer of flat pixels")
        })?;
    let [width, height] = [header.layer_size.x(), header.layer_size.y()];
    let bytes = (width as u64).saturating_mul(height as u64).saturating_mul(header.channels.bytes_per_pixel as u64);
    source.check_size(width as u64, height as u64, bytes, bytes)?;
    let named = |name: &str| header.channels.list.iter().map(|channel| &channel.name).find(|n| **n == *name);
    let first = || header.channels.list.iter().map(|channel| &channel.name).next();
    let Some(channel) = named("Y").or_else(|| named("R")).or_else(first).map(ToString::to_string) else {
        return Err(source.unreadable(READER.name, "it has no channels"));
    };
    let texts = texts(&header.own_attributes);
    let image = exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .specific_channels()
        .required(channel.as_str())
        .collect_pixels(
            |size: Vec2<usize>, _: &_| (size.width(), vec![f32::NAN; size.area()]),
            |(width, values): &mut (usize, Vec<f32>), at: Vec2<usize>, (number,): (f32,)| {
                values[at.y() * *width + at.x()] = number;
            },
        )
        .first_valid_layer()
        .all_attributes()
        .from_buffered(std::io::Cursor::new(source.bytes))
        .map_err(failed)?;
    let (width, values) = image.layer_data.channel_data.pixels;
    let height = values.len() / width.max(1);
    if width < 2 || height < 2 {
        return Err(RasterError::TooSmall { path: source.path.into() });
    }
    let meaning = heights_or_fractions(&values, false, &texts);
    Ok(DecodedRaster { width, height, values, meaning, placement: None })
}

/// The metadata that Talweg wrote into the file; empty if another program wrote the file.
fn texts(attributes: &LayerAttributes) -> Vec<(String, String)> {
    let Some(AttributeValue::Text(text)) = attributes.other.get(&Text::from(TEXTS)) else { return Vec::new() };
    serde_json::from_slice(text.as_slice()).unwrap_or_default()
}

fn read_texts(path: &Path) -> std::io::Result<Texts> {
    let meta = MetaData::read_from_buffered(BufReader::new(File::open(path)?), false).map_err(Error::other)?;
    let Some(header) = meta.headers.first() else { return Ok(Texts::new()) };
    match header.own_attributes.other.get(&Text::from(TEXTS)) {
        Some(AttributeValue::Text(text)) if text.as_slice().len() > MAX_TEXT => Err(texts_too_long()),
        _ => Ok(texts(&header.own_attributes)),
    }
}
