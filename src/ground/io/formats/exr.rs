//! OpenEXR: lossless 32-bit floats in the channels `Y`, `R G B` or `R G B A`. The writer stores all metadata in one
//! attribute, `talweg`, as a JSON list of pairs, because the order of several attributes would vary from file to file.
//! Reading and writing use the crate `exr`.

use std::fs::File;
use std::io::{BufReader, Error, ErrorKind};
use std::path::Path;

use exr::image::write::WritableImage;
use exr::meta::MetaData;
use exr::prelude::{
    AttributeValue, Blocks, Compression, Encoding, Image, Layer, LayerAttributes, LineOrder, ReadChannels, ReadLayers,
    ReadSpecificChannel, SpecificChannels, Text, Vec2,
};

use super::notes::RasterNote;
use super::numbers::{NumberRule, NumberStatement, NumberType};
use super::reader::{DecodedRaster, RasterReader, RasterSource, SideInfo, cell_of, range_of};
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
    // The package reads sample by sample.
    let at = |place: Vec2<usize>| {
        let mut numbers = [0.0; 4];
        sheet.floats(place.y(), place.x()..place.x() + 1, &mut numbers[..sheet.channels]);
        numbers
    };
    let size = (sheet.width, sheet.height);
    let encoding =
        Encoding { compression: Compression::ZIP16, blocks: Blocks::ScanLines, line_order: LineOrder::Increasing };
    let attributes = attributes(sheet)?;
    let written = match sheet.channels {
        1 => {
            let grey = SpecificChannels::build().with_channel::<f32>("Y").with_pixel_fn(|p: Vec2<usize>| (at(p)[0],));
            Image::from_layer(Layer::new(size, attributes, encoding, grey)).write().to_unbuffered(out)
        }
        3 => {
            let colours = SpecificChannels::rgb(|p: Vec2<usize>| {
                let [r, g, b, _] = at(p);
                (r, g, b)
            });
            Image::from_layer(Layer::new(size, attributes, encoding, colours)).write().to_unbuffered(out)
        }
        _ => {
            let weights = SpecificChannels::rgba(|p: Vec2<usize>| <(f32, f32, f32, f32)>::from(at(p)));
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

/// A channel of flat pixels in a layer of a file. A file can have several layers.
struct FlatChannel {
    /// Index of the header of the layer.
    layer: usize,
    /// Name of the channel in the layer.
    name: String,
    /// Name of the channel for users. It includes the name of the layer if the file has several layers.
    full_name: String,
}

/// Names of channels that usually contain heights, in order of precedence. The comparison ignores case.
const HEIGHT_NAMES: [&str; 9] = ["y", "height", "heightmap", "elevation", "displacement", "disp", "z", "h", "r"];

impl FlatChannel {
    fn is_opacity(&self) -> bool {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        last.eq_ignore_ascii_case("a") || last.eq_ignore_ascii_case("alpha")
    }

    /// Rank of the channel among possible height channels. The reader chooses the channel with the lowest rank.
    fn rank(&self) -> usize {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        let known = HEIGHT_NAMES.iter().position(|name| last.eq_ignore_ascii_case(name));
        known.unwrap_or(HEIGHT_NAMES.len() + usize::from(self.is_opacity()))
    }
}

fn flat_channels(meta: &MetaData) -> Vec<FlatChannel> {
    let flat = meta.headers.iter().enumerate().filter(|(_, header)| !header.deep);
    let several = flat.clone().count() > 1;
    flat.flat_map(|(layer, header)| {
        let title =
            header.own_attributes.layer_name.as_ref().map_or_else(|| format!("{}", layer + 1), ToString::to_string);
        header.channels.list.iter().map(move |channel| {
            let name = channel.name.to_string();
            let full_name = if several { format!("{title}.{name}") } else { name.clone() };
            FlatChannel { layer, name, full_name }
        })
    })
    .collect()
}

/// Reads one channel of flat pixels: the channel that the options name, or the channel whose name suggests heights, or
/// else the first channel that is not an opacity. The values count as metres, as in displacement maps and heightmaps,
/// unless all are between about 0 and 1.
fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |error: exr::error::Error| match &error {
        // The crate reports a read beyond the end of the file with this message.
        exr::error::Error::Invalid(text) if text.contains("missing bytes") => source.cut_off(READER.name),
        exr::error::Error::Io(error) if error.kind() == ErrorKind::UnexpectedEof => source.cut_off(READER.name),
        _ if MAGIC.starts_with(source.bytes) => source.cut_off(READER.name),
        exr::error::Error::NotSupported(what) => source.unreadable(
            READER.name,
            format!("it uses {what}, which is not supported; save it with ZIP compression and flat pixels"),
        ),
        _ => source.unreadable(READER.name, error),
    };
    let meta = MetaData::read_from_buffered(&source.bytes[..], false).map_err(failed)?;
    let channels = flat_channels(&meta);
    let wanted = usize::from(source.options.channel);
    let names = || channels.iter().enumerate().map(|(k, channel)| format!("{} {}", k + 1, channel.full_name));
    let list = || names().collect::<Vec<_>>().join(", ");
    let read_channel = match wanted {
        0 => channels.iter().min_by_key(|channel| channel.rank()),
        wanted => channels.get(wanted - 1),
    };
    let Some(channel) = read_channel else {
        let message = if channels.is_empty() {
            "it has only deep data; save it with a layer of flat pixels".to_string()
        } else {
            format!("channel {wanted} does not exist; its {} channels are {}", channels.len(), list())
        };
        return Err(source.unreadable(READER.name, message));
    };
    let header = &meta.headers[channel.layer];
    let [width, height] = [header.layer_size.x(), header.layer_size.y()];
    let bytes = (width as u64).saturating_mul(height as u64).saturating_mul(header.channels.bytes_per_pixel as u64);
    source.check_size(width as u64, height as u64, bytes, bytes)?;
    let mut notes = Vec::new();
    let others = channels.iter().filter(|other| !other.is_opacity() || wanted == 0 && channel.is_opacity()).count();
    if others > 1 || channel.is_opacity() {
        notes.push(RasterNote::new(
            "further-channels",
            format!(
                "it has {} channels ({}); only {} is read. Set Channel to read another one",
                channels.len(),
                list(),
                channel.full_name
            ),
        ));
    }
    if header.shared_attributes.display_window.size != header.layer_size {
        notes.push(RasterNote::new(
            "window",
            "its stored pixels (data window) and its frame (display window) have different sizes; only the stored pixels are read",
        ));
    }
    let texts = texts(&header.own_attributes);
    let bits = header.channels.list.iter().find(|c| c.name == *channel.name.as_str()).map(|c| c.sample_type);
    let number_type = match bits {
        Some(exr::prelude::SampleType::F16) => NumberType::Float(16),
        Some(exr::prelude::SampleType::U32) => NumberType::Unsigned(32),
        _ => NumberType::Float(32),
    };
    let stored = pixels(source, channel, meta.headers.len()).map_err(failed)?;
    let side_info = SideInfo::read(source, &mut notes);
    let statement = NumberStatement {
        is_placed: side_info.is_placed(),
        range_metres: range_of(&texts),
        ..NumberStatement::of_type(number_type)
    };
    let statement = side_info.complete(statement);
    let no_data = statement.no_data;
    let rule = NumberRule::new(statement, source.options);
    let mut values: Vec<f32> = stored.into_iter().map(|number| rule.value(f64::from(number))).collect();
    if width < 2 || values.len() / width.max(1) < 2 {
        return Err(RasterError::TooSmall { path: source.path.into() });
    }
    let height = values.len() / width;
    let meaning = rule.finish(&mut values, &mut notes);
    let decoded = DecodedRaster {
        width,
        height,
        values,
        meaning,
        numbers: number_type.name(),
        no_data,
        channel: (channels.len() > 1).then(|| channel.full_name.clone()),
        channels: channels.iter().map(|channel| channel.full_name.clone()).collect(),
        ..DecodedRaster::default()
    };
    Ok(side_info.finish(decoded, None, cell_of(&texts), &source.options, notes))
}

/// The numbers in a channel, row by row.
fn pixels(source: &RasterSource, channel: &FlatChannel, layers: usize) -> Result<Vec<f32>, exr::error::Error> {
    let bytes = || std::io::Cursor::new(&source.bytes[..]);
    if layers == 1 {
        let image = exr::prelude::read()
            .no_deep_data()
            .largest_resolution_level()
            .specific_channels()
            .required(channel.name.as_str())
            .collect_pixels(
                |size: Vec2<usize>, _: &_| (size.width(), vec![f32::NAN; size.area()]),
                |(width, values): &mut (usize, Vec<f32>), at: Vec2<usize>, (number,): (f32,)| {
                    values[at.y() * *width + at.x()] = number;
                },
            )
            .first_valid_layer()
            .all_attributes()
            .from_buffered(bytes())?;
        return Ok(image.layer_data.channel_data.pixels.1);
    }
    let image = exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .all_layers()
        .all_attributes()
        .from_buffered(bytes())?;
    let layer = image.layer_data.into_iter().nth(channel.layer);
    let found =
        layer.and_then(|layer| layer.channel_data.list.into_iter().find(|found| found.name == *channel.name.as_str()));
    let found = found.ok_or_else(|| exr::error::Error::Invalid("a layer of its header is missing".into()))?;
    Ok(found.sample_data.values_as_f32().collect())
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
