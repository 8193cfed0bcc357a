//! TIFF of 8, 16 or 32 bits, packed by Deflate. Where the sheet lies on a map it is a GeoTIFF (OGC 19-008): pixel
//! scale, tie point, coordinate system, no-data as GDAL writes it. Texts are items of GDAL's metadata, which `gdalinfo`
//! and rasterio show. Crates `tiff-writer` and `geotiff-writer` write, `tiff` reads; [`TextTagWriter`] adds the texts to
//! what the latter writes.

use std::fs::File;
use std::io::{BufReader, Error, Seek, SeekFrom, Write};
use std::path::Path;

use geotiff_core::geokeys::{self, GeoKeyDirectory, GeoKeyValue};
use geotiff_core::tags as geo_tags;
use geotiff_core::{ModelType, RasterType};
use geotiff_writer::{CogBuilder, GeoTiffBuilder, NumericSample, Resampling};
use ndarray::ArrayView3;
use tiff_core::{ColorMap, Compression, PhotometricInterpretation, Predictor, Tag, TagValue};
use tiff_writer::{ImageBuilder, TiffWriter, WriteOptions};

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::png::brightness;
use super::reader::{
    DecodedRaster, RasterReader, RasterSource, SampleMeaning, heights_or_shares, looks_like_degrees, range_of,
};
use super::{GeoReference, RasterFormat, RasterOut, RasterSheet, SampleAt, SampleType, Samples, Texts};
use crate::io::RasterError;
use crate::io::raster::MAX_SAMPLES;

pub(super) static TIFF: RasterFormat = RasterFormat {
    id: "tiff",
    extensions: &["tif", "tiff"],
    name: "GeoTIFF",
    help: "32-bit floats with extent, coordinate system and no-data",
    kinds: &[SampleType::U8, SampleType::U16, SampleType::F32],
    channels: 4,
    has_placement: true,
    has_texts: true,
    write: |sheet, out| match sheet.samples {
        Samples::U8(at) => write_strips(sheet, at, out),
        Samples::U16(at) => write_strips(sheet, at, out),
        Samples::F32(at) => write_strips(sheet, at, out),
    },
    read_texts: Some(read_texts),
};

pub(super) static CLOUD_OPTIMISED: RasterFormat = RasterFormat {
    id: "cog",
    extensions: &["cog.tif", "cog.tiff"],
    name: "Cloud-optimised GeoTIFF",
    help: "in tiles with overviews, read in parts over a network",
    kinds: &[SampleType::U8, SampleType::U16, SampleType::F32],
    channels: 4,
    has_placement: true,
    has_texts: true,
    write: |sheet, out| match sheet.samples {
        Samples::U8(at) => write_tiles(sheet, at, out),
        Samples::U16(at) => write_tiles(sheet, at, out),
        Samples::F32(at) => write_tiles(sheet, at, out),
    },
    read_texts: Some(read_texts),
};

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["tif", "tiff"], name: "TIFF or GeoTIFF", is_raw: false, read };

/// Bytes of a strip before it is packed.
const STRIP_BYTES: usize = 1 << 18;
/// Side of the tiles of a cloud-optimised file.
const TILE: usize = 512;
/// Metres and degrees, as GeoTIFF numbers units.
const METRE: u16 = 9001;
const DEGREE: u16 = 9102;
/// A coordinate system that has no number.
const USER_DEFINED: u16 = 32767;
const SOFTWARE: u16 = 305;
const GDAL_METADATA: u16 = 42112;
/// Text, as TIFF numbers kinds of values.
const ASCII: u16 = 2;

fn write_strips<T: NumericSample>(
    sheet: &RasterSheet,
    at: SampleAt<T>,
    out: &mut dyn RasterOut,
) -> std::io::Result<()> {
    let row_bytes = sheet.width * sheet.channels * sheet.samples.kind().bytes();
    let rows = (STRIP_BYTES / row_bytes).clamp(1, sheet.height);
    let mut image = ImageBuilder::new(sheet.width as u32, sheet.height as u32)
        .samples_per_pixel(sheet.channels as u16)
        .sample_type::<T>()
        .photometric(photometric(sheet))
        .compression(Compression::Deflate)
        .predictor(predictor(sheet))
        .strips(rows as u32)
        .tag(Tag::new(SOFTWARE, TagValue::Ascii(concat!("Talweg ", env!("CARGO_PKG_VERSION")).into())));
    if sheet.channels == 4 {
        image = image.extra_samples(vec![tiff_core::ExtraSample::Unspecified]);
    }
    if let Some(colours) = sheet.palette {
        image = image.color_map(colour_map(colours)?);
    }
    if let Some(place) = sheet.placement {
        for tag in geo_reference_tags(&place)? {
            image = image.tag(tag);
        }
    }
    if let Some(nodata) = sheet.nodata {
        image = image.tag(Tag::new(geo_tags::TAG_GDAL_NODATA, TagValue::Ascii(nodata.to_string())));
    }
    if !sheet.texts.is_empty() {
        image = image.tag(Tag::new(GDAL_METADATA, TagValue::Ascii(gdal_metadata(sheet.texts))));
    }
    let mut writer = TiffWriter::new(out, WriteOptions::auto()).map_err(Error::other)?;
    let handle = writer.add_image(image).map_err(Error::other)?;
    let mut strip = Vec::with_capacity(rows * sheet.width * sheet.channels);
    for (number, first) in (0..sheet.height).step_by(rows).enumerate() {
        strip.clear();
        read_part(sheet, at, [first, 0], [rows.min(sheet.height - first), sheet.width], &mut strip);
        writer.write_block(&handle, number, &strip).map_err(Error::other)?;
    }
    writer.finish().map_err(Error::other)?;
    Ok(())
}

fn write_tiles<T: NumericSample>(sheet: &RasterSheet, at: SampleAt<T>, out: &mut dyn RasterOut) -> std::io::Result<()> {
    let mut base = GeoTiffBuilder::new(sheet.width as u32, sheet.height as u32)
        .bands(sheet.channels as u32)
        .tile_size(TILE as u32, TILE as u32)
        .photometric(photometric(sheet))
        .compression(Compression::Deflate)
        .predictor(predictor(sheet));
    if sheet.channels == 4 {
        base = base.extra_samples(vec![tiff_core::ExtraSample::Unspecified]);
    }
    if let Some(colours) = sheet.palette {
        base = base.color_map(colour_map(colours)?);
    }
    if let Some(place) = sheet.placement {
        for (key, value) in geo_keys(&place) {
            base = base.geokey(key, value);
        }
        let [east, south] = place.step;
        base = base.pixel_scale(east, south).tiepoint(tie_point(&place));
    }
    if let Some(nodata) = sheet.nodata {
        base = base.nodata(&nodata.to_string());
    }
    // halved until one tile holds all
    let longest = sheet.width.max(sheet.height);
    let levels = (1..16).map(|k| 1u32 << k).take_while(|level| longest.div_ceil(*level as usize / 2) > TILE).collect();
    // means of numbers of ground types, or of colours of a palette, are other types
    let is_number = sheet.palette.is_some() || sheet.samples.kind() == SampleType::U8 && sheet.channels == 1;
    let resampling = if is_number { Resampling::NearestNeighbor } else { Resampling::Average };
    let builder = CogBuilder::new(base).overview_levels(levels).resampling(resampling);
    let text = if sheet.texts.is_empty() { String::new() } else { gdal_metadata(sheet.texts) };
    let sink = TextTagWriter::new(out, &text)?;
    let mut writer = builder.tile_writer::<T, _>(sink).map_err(Error::other)?;
    let mut tile = Vec::with_capacity(TILE * TILE * sheet.channels);
    for row in (0..sheet.height).step_by(TILE) {
        for column in (0..sheet.width).step_by(TILE) {
            let [rows, columns] = [TILE.min(sheet.height - row), TILE.min(sheet.width - column)];
            tile.clear();
            read_part(sheet, at, [row, column], [rows, columns], &mut tile);
            let view = ArrayView3::from_shape((rows, columns, sheet.channels), &tile).map_err(Error::other)?;
            writer.write_tile_3d(column, row, &view).map_err(Error::other)?;
        }
    }
    writer.finish().map_err(Error::other)?.finish(&text)
}

/// Adds a tag of GDAL's metadata to the first directory of a TIFF file that a package writes which knows no such tag.
/// The package begins as many bytes behind the beginning as the tag takes, and all its offsets are right for that.
/// At the end header and directory move to the front, one entry longer; the text fills what is then between the directory
/// and its values. So directories still stand before all data, the first of them where COG readers look for it.
struct TextTagWriter<'a> {
    out: &'a mut dyn RasterOut,
    /// Where the package begins.
    begin: u64,
    at: u64,
    /// What stands from there on: header, GDAL's notes on the layout, the first directory.
    head: Vec<u8>,
}

/// Bytes that are remembered of the head: more than any directory that is written here has.
const MOST_HEAD: usize = 4096;
/// Bytes of an entry of a directory, at the most.
const MOST_ENTRY: u64 = 20;

impl<'a> TextTagWriter<'a> {
    /// Without a text nothing is added.
    fn new(out: &'a mut dyn RasterOut, text: &str) -> std::io::Result<Self> {
        let begin = if text.is_empty() { 0 } else { (text.len() as u64 + 1 + MOST_ENTRY).next_multiple_of(16) };
        out.seek(SeekFrom::Start(begin))?;
        Ok(Self { out, begin, at: begin, head: Vec::new() })
    }

    fn finish(self, text: &str) -> std::io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let broken = || Error::other("the directory of a cloud-optimised GeoTIFF is not where it should be");
        let is_big = self.head.get(2) == Some(&43);
        let (word, count_bytes, entry_bytes, pointer) = if is_big { (8, 8, 20, 8) } else { (4, 2, 12, 4) };
        let bytes = |at: usize, length: usize| self.head.get(at..at + length).ok_or_else(broken);
        let number = |at: usize, length: usize| -> std::io::Result<u64> {
            Ok(bytes(at, length)?.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
        };
        let first = number(pointer, word)?.checked_sub(self.begin).ok_or_else(broken)? as usize;
        let count = number(first, count_bytes)? as usize;
        let entries = bytes(first + count_bytes, count * entry_bytes)?.chunks(entry_bytes);
        let end = first + count_bytes + count * entry_bytes + word;
        let is_before = |entry: &&[u8]| u16::from_le_bytes([entry[0], entry[1]]) < GDAL_METADATA;
        let mut front = bytes(0, first)?.to_vec();
        front[pointer..pointer + word].copy_from_slice(&(first as u64).to_le_bytes()[..word]);
        front.extend(&(count as u64 + 1).to_le_bytes()[..count_bytes]);
        front.extend(entries.clone().take_while(is_before).flatten());
        front.extend(GDAL_METADATA.to_le_bytes());
        front.extend(ASCII.to_le_bytes());
        // with the 0 that ends it
        front.extend(&(text.len() as u64 + 1).to_le_bytes()[..word]);
        front.extend(&((end + entry_bytes) as u64).to_le_bytes()[..word]);
        front.extend(entries.skip_while(is_before).flatten());
        front.extend(bytes(end - word, word)?);
        front.extend(text.as_bytes());
        front.resize(self.begin as usize + end, 0);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&front)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

impl Write for TextTagWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        let first = self.at.saturating_sub(self.begin) as usize;
        let room = written.min(MOST_HEAD.saturating_sub(first));
        if room > 0 {
            self.head.resize(self.head.len().max(first + room), 0);
            self.head[first..first + room].copy_from_slice(&bytes[..room]);
        }
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl Seek for TextTagWriter<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.at = self.out.seek(to)?;
        Ok(self.at)
    }
}

/// Adds the numbers of a rectangle, row by row.
fn read_part<T>(
    sheet: &RasterSheet,
    at: SampleAt<T>,
    [first, left]: [usize; 2],
    [rows, columns]: [usize; 2],
    out: &mut Vec<T>,
) {
    for row in first..first + rows {
        for column in left..left + columns {
            out.extend((0..sheet.channels).map(|channel| at(row, column, channel)));
        }
    }
}

fn photometric(sheet: &RasterSheet) -> PhotometricInterpretation {
    match (sheet.channels, sheet.palette) {
        (1, Some(_)) => PhotometricInterpretation::Palette,
        (3 | 4, _) => PhotometricInterpretation::Rgb,
        _ => PhotometricInterpretation::MinIsBlack,
    }
}

fn predictor(sheet: &RasterSheet) -> Predictor {
    match (sheet.samples.kind(), sheet.palette) {
        (_, Some(_)) => Predictor::None,
        (SampleType::F32, None) => Predictor::FloatingPoint,
        _ => Predictor::Horizontal,
    }
}

/// The 256 colours of a palette, black behind its last.
fn colour_map(colours: &[[u8; 3]]) -> std::io::Result<ColorMap> {
    let channel = |c: usize| (0..256).map(|k| colours.get(k).map_or(0, |colour| u16::from(colour[c]) * 257)).collect();
    ColorMap::new(channel(0), channel(1), channel(2)).map_err(Error::other)
}

/// The first sample's place on the sheet and on the map: of areas their north-western corner.
fn tie_point(place: &GeoReference) -> [f64; 6] {
    let half = if place.is_area { 0.5 } else { 0.0 };
    [0.0, 0.0, 0.0, place.west - half * place.step[0], place.north + half * place.step[1], 0.0]
}

fn geo_keys(place: &GeoReference) -> Vec<(u16, GeoKeyValue)> {
    let model = if place.in_degrees { ModelType::Geographic } else { ModelType::Projected };
    let raster = if place.is_area { RasterType::PixelIsArea } else { RasterType::PixelIsPoint };
    let mut keys = vec![
        (geokeys::GT_MODEL_TYPE, GeoKeyValue::Short(model.code())),
        (geokeys::GT_RASTER_TYPE, GeoKeyValue::Short(raster.code())),
    ];
    let system = if place.in_degrees { geokeys::GEODETIC_CRS_TYPE } else { geokeys::PROJECTED_CRS_TYPE };
    keys.push((system, GeoKeyValue::Short(place.epsg.unwrap_or(USER_DEFINED))));
    if place.epsg.is_none() && !place.in_degrees {
        keys.push((geokeys::PROJ_LINEAR_UNITS, GeoKeyValue::Short(METRE)));
    }
    if let Some(radius) = place.radius_metres.filter(|_| place.epsg.is_none() && place.in_degrees) {
        keys.extend([geokeys::GEODETIC_DATUM, GEOG_ELLIPSOID].map(|key| (key, GeoKeyValue::Short(USER_DEFINED))));
        keys.push((geokeys::GEOG_ANGULAR_UNITS, GeoKeyValue::Short(DEGREE)));
        keys.extend([GEOG_SEMI_MAJOR_AXIS, GEOG_SEMI_MINOR_AXIS].map(|key| (key, GeoKeyValue::Double(vec![radius]))));
    }
    keys
}

fn geo_reference_tags(place: &GeoReference) -> std::io::Result<Vec<Tag>> {
    let mut directory = GeoKeyDirectory::new();
    for (key, value) in geo_keys(place) {
        directory.set(key, value);
    }
    let (shorts, doubles, ascii) = directory.serialize().map_err(Error::other)?;
    let [east, south] = place.step;
    let mut tags = vec![
        Tag::new(geo_tags::TAG_MODEL_PIXEL_SCALE, TagValue::Double(vec![east, south, 0.0])),
        Tag::new(geo_tags::TAG_MODEL_TIEPOINT, TagValue::Double(tie_point(place).to_vec())),
        Tag::new(geo_tags::TAG_GEO_KEY_DIRECTORY, TagValue::Short(shorts)),
    ];
    if !doubles.is_empty() {
        tags.push(Tag::new(geo_tags::TAG_GEO_DOUBLE_PARAMS, TagValue::Double(doubles)));
    }
    if !ascii.is_empty() {
        tags.push(Tag::new(geo_tags::TAG_GEO_ASCII_PARAMS, TagValue::Ascii(ascii)));
    }
    Ok(tags)
}

/// Texts as GDAL keeps them: XML whose markup is escaped, other letters than ASCII as references.
fn gdal_metadata(texts: &[(String, String)]) -> String {
    let escaped = |text: &str| -> String {
        let letter = |c: char| match c {
            '&' => "&amp;".into(),
            '<' => "&lt;".into(),
            '>' => "&gt;".into(),
            '"' => "&quot;".into(),
            c if c.is_ascii() => c.to_string(),
            c => format!("&#{};", u32::from(c)),
        };
        text.chars().map(letter).collect()
    };
    let item = |(key, text): &(String, String)| format!("  <Item name=\"{}\">{}</Item>\n", escaped(key), escaped(text));
    format!("<GDALMetadata>\n{}</GDALMetadata>\n", texts.iter().map(item).collect::<String>())
}

/// The first picture of a file, in strips or tiles: whole numbers of 8 to 64 bits or floats, one channel or the
/// brightness of colours. Signed numbers, floats and everything that has a place on a map are heights, with GDAL's
/// scale, offset and no-data, in metres or in the feet that its keys name; other whole numbers go from black to white.
/// Of a picture with more samples than a raster may have, as maps of planets are published, the means of squares of
/// samples are read.
fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    read_within(source, MAX_SAMPLES)
}

/// Samples along the side of the squares whose means are read, so that there are `most` at the most.
fn samples_of_mean(width: u64, height: u64, most: u64) -> u64 {
    (1..=MOST_OF_MEAN).find(|side| width.div_ceil(*side).saturating_mul(height.div_ceil(*side)) <= most).unwrap_or(1)
}

fn read_within(source: &RasterSource, most_samples: u64) -> Result<DecodedRaster, RasterError> {
    let failed = |error: tiff::TiffError| source.unreadable(READER.name, error);
    let refused = |message: String| source.unreadable(READER.name, message);
    let mut decoder = Decoder::new(std::io::Cursor::new(source.bytes)).map_err(failed)?;
    let (width, height) = decoder.dimensions().map_err(failed)?;
    let packing = decoder.find_tag_unsigned::<u16>(tiff::tags::Tag::Compression).map_err(failed)?.unwrap_or(1);
    if let Some((_, name)) = NOT_READ.iter().find(|(number, _)| *number == packing) {
        return Err(refused(format!(
            "it is packed by {name}, which is not read; pack it by Deflate, as `gdal_translate -co COMPRESS=DEFLATE \
             IN.tif OUT.tif` does, by LZW, or not at all"
        )));
    }
    let colour = decoder.colortype().map_err(failed)?;
    let (depth, colours) = match colour {
        ColorType::Gray(depth) | ColorType::GrayA(depth) | ColorType::Multiband { bit_depth: depth, .. } => (depth, 1),
        ColorType::RGB(depth) | ColorType::RGBA(depth) => (depth, 3),
        other => return Err(refused(format!("its colours are {other:?}; save it as grey, or as RGB"))),
    };
    if ![8, 16, 32, 64].contains(&depth) {
        return Err(refused(format!("its numbers have {depth} bits; save it with 8, 16 or 32")));
    }
    let is_planar = decoder.find_tag_unsigned::<u16>(tiff::tags::Tag::PlanarConfiguration).map_err(failed)? == Some(2);
    let channels = if is_planar { 1 } else { usize::from(colour.num_samples()) };
    let samples = u64::from(width) * u64::from(height);
    let bytes = samples.saturating_mul(channels as u64 * u64::from(depth / 8));
    let mean = samples_of_mean(u64::from(width), u64::from(height), most_samples);
    let [columns, rows] = [width, height].map(|side| u64::from(side).div_ceil(mean));
    source.check_size(columns, rows, bytes, if mean > 1 { 2 * columns * rows } else { 0 })?;
    // a part may be larger than a small picture, as tiles are, but not by much
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
    // how many samples of each mean have data
    let mut counts = vec![0u16; if mean > 1 { values.len() } else { 0 }];
    let mut kind = NumberKind::Float;
    for part in 0..parts {
        // GDAL leaves out tiles that have no data
        if lengths.get(part) == Some(&0) {
            continue;
        }
        let (columns, rows) = decoder.chunk_data_dimensions(part as u32);
        let (columns, rows) = (columns as usize, rows as usize);
        let (numbers, found) = numbers(decoder.read_chunk(part as u32).map_err(failed)?);
        kind = found;
        if numbers.len() < columns * rows * channels {
            return Err(refused(format!("part {part} of {parts} has too few numbers")));
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

/// Packings of TIFF that no reader here knows.
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
/// Bytes of a tag: the places of all tiles of the largest picture fit in.
const MOST_TAG_BYTES: usize = 16 << 20;
/// Samples along the side of a mean at the most: their sums are exact, and they can be counted.
const MOST_OF_MEAN: u64 = 64;
/// Bytes of a strip or tile that is larger than its picture.
const PART_BYTES: usize = 16 << 20;

/// What the numbers of a file are.
#[derive(Clone, Copy, PartialEq)]
enum NumberKind {
    /// From 0 to the number that is named.
    Unsigned(f32),
    /// Whole numbers of 16 bits with a sign.
    Signed16,
    /// Other whole numbers with a sign.
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

/// What tags of GeoTIFF and GDAL say.
#[derive(Default)]
struct GeoTags {
    scale: Option<[f64; 2]>,
    /// Column and row of a sample, and its place on the map.
    tie: Option<[f64; 4]>,
    keys: Vec<[u16; 4]>,
    /// Numbers that do not fit into a key.
    doubles: Vec<f64>,
    nodata: Option<f64>,
    texts: Vec<(String, String)>,
    factor: Option<f64>,
    offset: Option<f64>,
    unit: Option<String>,
}

/// Keys of GeoTIFF that its package does not name, and the number of the equirectangular projection.
const GEOG_ELLIPSOID: u16 = 2056;
const GEOG_SEMI_MAJOR_AXIS: u16 = 2057;
const GEOG_SEMI_MINOR_AXIS: u16 = 2058;
const GEOG_INV_FLATTENING: u16 = 2059;
const PROJ_STD_PARALLEL_1: u16 = 3078;
const PROJ_NAT_ORIGIN_LONG: u16 = 3080;
const PROJ_FALSE_EASTING: u16 = 3082;
const PROJ_FALSE_NORTHING: u16 = 3083;
const PROJ_CENTER_LONG: u16 = 3088;
const EQUIRECTANGULAR: u16 = 17;
/// The longer half axis of WGS 84.
const EARTH_AXIS: f64 = 6_378_137.0;
/// Numbers of units of length, and how many metres they are.
const LENGTHS: [(u16, f64); 4] = [(9001, 1.0), (9002, 0.3048), (9003, 1200.0 / 3937.0), (9036, 1000.0)];
/// Systems of heights that are in feet: international and those of US surveys.
const HEIGHTS_IN_FEET: [(u16, f64); 4] =
    [(8228, 0.3048), (6360, 1200.0 / 3937.0), (5702, 1200.0 / 3937.0), (8051, 0.3048)];

impl GeoTags {
    fn read(decoder: &mut Decoder<std::io::Cursor<&[u8]>>, source: &RasterSource) -> Result<Self, RasterError> {
        use tiff::tags::Tag;
        let failed = |error: tiff::TiffError| source.unreadable(READER.name, error);
        let mut found = Self::default();
        let mut doubles = |tag: Tag| -> Result<Vec<f64>, RasterError> {
            let value = decoder.find_tag(tag).map_err(failed)?;
            Ok(value.and_then(|value| value.into_f64_vec().ok()).unwrap_or_default())
        };
        if let [east, south, ..] = doubles(Tag::ModelPixelScaleTag)?[..] {
            found.scale = Some([east.abs(), south.abs()]);
        }
        if let [column, row, _, x, y, ..] = doubles(Tag::ModelTiepointTag)?[..] {
            found.tie = Some([column, row, x, y]);
        }
        // a matrix in place of both, if it does not turn the picture
        if let [a, b, _, x, c, d, _, y, ..] = doubles(Tag::ModelTransformationTag)?[..]
            && b == 0.0
            && c == 0.0
        {
            (found.scale, found.tie) = (Some([a.abs(), d.abs()]), Some([0.0, 0.0, x, y]));
        }
        found.doubles = doubles(Tag::GeoDoubleParamsTag)?;
        let keys = decoder.find_tag(Tag::GeoKeyDirectoryTag).map_err(failed)?;
        let keys = keys.and_then(|value| value.into_u16_vec().ok()).unwrap_or_default();
        found.keys = keys.as_chunks::<4>().0.iter().skip(1).copied().collect();
        let mut text = |tag: Tag| -> Option<String> { decoder.get_tag_ascii_string(tag).ok() };
        found.nodata = text(Tag::GdalNodata).and_then(|text| text.trim_matches(['\0', ' ', '\n']).parse().ok());
        let metadata = text(Tag::from_u16_exhaustive(GDAL_METADATA)).unwrap_or_default();
        for (name, role, value) in gdal_items(&metadata) {
            let number = || value.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            match role.as_str() {
                "scale" => found.factor = found.factor.or(number()),
                "offset" => found.offset = found.offset.or(number()),
                "unittype" => found.unit = Some(value.trim().to_string()),
                _ => found.texts.push((name, value)),
            }
        }
        Ok(found)
    }

    fn key(&self, number: u16) -> Option<u16> {
        let is_here = |key: &&[u16; 4]| key[0] == number && key[1] == 0;
        self.keys.iter().find(is_here).map(|key| key[3])
    }

    /// The number of a key that is no whole one.
    fn double(&self, number: u16) -> Option<f64> {
        let is_here = |key: &&[u16; 4]| key[0] == number && key[1] == geo_tags::TAG_GEO_DOUBLE_PARAMS;
        let key = self.keys.iter().find(is_here)?;
        self.doubles.get(usize::from(key[3])).copied().filter(|v| v.is_finite())
    }

    /// The longer half axis of the planet that the coordinates are those of, where the file names it.
    fn planet_axis(&self) -> Option<f64> {
        self.double(GEOG_SEMI_MAJOR_AXIS).filter(|metres| (1.0e3..=1.0e9).contains(metres))
    }

    /// Degrees from the metres of an equirectangular projection of a sphere, in which maps of other planets are
    /// published: longitude, latitude and steps.
    fn degrees_of_cylinder(&self, west: f64, north: f64, step: [f64; 2]) -> Option<[f64; 4]> {
        let axis = self.planet_axis()?;
        let is_sphere = self.double(GEOG_SEMI_MINOR_AXIS).is_none_or(|minor| minor == axis)
            && self.double(GEOG_INV_FLATTENING).is_none_or(|flattening| flattening == 0.0);
        if self.key(geokeys::PROJ_COORD_TRANS) != Some(EQUIRECTANGULAR) || !is_sphere {
            return None;
        }
        let first = |keys: &[u16]| keys.iter().find_map(|key| self.double(*key)).unwrap_or(0.0);
        let (parallel, middle) = (first(&[PROJ_STD_PARALLEL_1]), first(&[PROJ_CENTER_LONG, PROJ_NAT_ORIGIN_LONG]));
        let (east, south) = (first(&[PROJ_FALSE_EASTING]), first(&[PROJ_FALSE_NORTHING]));
        let degree = axis.to_radians();
        let across = degree * libm::cos(parallel.to_radians());
        (across > 0.0)
            .then(|| [middle + (west - east) / across, (north - south) / degree, step[0] / across, step[1] / degree])
    }

    fn length(&self, key: u16) -> Option<f64> {
        let unit = self.key(key)?;
        LENGTHS.iter().find(|(number, _)| *number == unit).map(|(_, metres)| *metres)
    }

    /// Metres of a unit of height.
    fn height_unit(&self) -> f64 {
        let named = || {
            let unit = self.unit.as_ref()?.to_ascii_lowercase();
            let is_survey = unit.contains("survey");
            let is_feet = unit.starts_with("ft") || unit.contains("foot") || unit.contains("feet");
            is_feet.then_some(if is_survey { 1200.0 / 3937.0 } else { 0.3048 })
        };
        let system = || {
            let system = self.key(geokeys::VERTICAL_CS_TYPE)?;
            HEIGHTS_IN_FEET.iter().find(|(number, _)| *number == system).map(|(_, metres)| *metres)
        };
        self.length(geokeys::VERTICAL_UNITS).or_else(named).or_else(system).unwrap_or(1.0)
    }

    /// Whether a number stands for none.
    fn is_void(&self, number: f32, kind: NumberKind) -> bool {
        // what old tiles of SRTM and floats of several programs have where there is nothing
        let is_unsaid = kind == NumberKind::Signed16 && number == -32768.0 || number < -1.0e30;
        !number.is_finite() || Some(number) == self.nodata.map(|v| v as f32) || is_unsaid
    }

    /// Lets the numbers become what they stand for.
    fn apply(&self, values: &mut [f32], kind: NumberKind, is_colour: bool) -> SampleMeaning {
        let range_metres = range_of(&self.texts);
        let is_placed = self.scale.is_some() && self.tie.is_some();
        let is_height = is_placed || self.factor.is_some() || self.offset.is_some();
        if let NumberKind::Unsigned(white) = kind
            && (is_colour || white == 255.0 || range_metres.is_some() || !is_height)
        {
            let nodata = self.nodata.map(|v| v as f32);
            values.iter_mut().for_each(|v| *v = if Some(*v) == nodata { f32::NAN } else { *v / white });
            return SampleMeaning::Shares { range_metres };
        }
        let (factor, offset) = (self.factor.unwrap_or(1.0), self.offset.unwrap_or(0.0));
        let metres = self.height_unit();
        for v in values.iter_mut() {
            if self.is_void(*v, kind) {
                *v = f32::NAN;
            } else if factor != 1.0 || offset != 0.0 || metres != 1.0 {
                *v = ((f64::from(*v) * factor + offset) * metres) as f32;
            }
        }
        match kind {
            NumberKind::Float => heights_or_shares(values, is_placed, &self.texts),
            _ => SampleMeaning::Metres,
        }
    }

    /// Where the first sample lies, and the steps between them, in metres or degrees.
    fn placement(&self, columns: usize) -> Option<GeoReference> {
        let ([east, south], [column, row, x, y]) = (self.scale?, self.tie?);
        let is_area = self.key(geokeys::GT_RASTER_TYPE) != Some(RasterType::PixelIsPoint.code());
        let half = if is_area { 0.5 } else { 0.0 };
        let (west, north) = (x + (half - column) * east, y - (half - row) * south);
        let in_degrees = match self.key(geokeys::GT_MODEL_TYPE) {
            Some(model) => model == ModelType::Geographic.code(),
            None => looks_like_degrees(west, north, [east, south], columns),
        };
        let system = if in_degrees { geokeys::GEODETIC_CRS_TYPE } else { geokeys::PROJECTED_CRS_TYPE };
        let epsg = self.key(system).filter(|code| ![0, USER_DEFINED].contains(code));
        let metres = if in_degrees { 1.0 } else { self.length(geokeys::PROJ_LINEAR_UNITS).unwrap_or(1.0) };
        let (west, north, step) = (west * metres, north * metres, [east * metres, south * metres]);
        let is_earth = |axis: &f64| (axis / EARTH_AXIS - 1.0).abs() < 0.01;
        let radius_metres = self.planet_axis().filter(|axis| !is_earth(axis));
        if !in_degrees && let Some([west, north, east, south]) = self.degrees_of_cylinder(west, north, step) {
            let step = [east, south];
            return Some(GeoReference { epsg: None, in_degrees: true, radius_metres, west, north, step, is_area });
        }
        Some(GeoReference { epsg, in_degrees, radius_metres, west, north, step, is_area })
    }
}

/// Name, role and text of the items of GDAL's metadata, those of the first band alone.
fn gdal_items(text: &str) -> Vec<(String, String, String)> {
    let attribute = |head: &str, name: &str| {
        let (_, rest) = head.split_once(&format!("{name}=\""))?;
        Some(unescaped(rest.split_once('"')?.0))
    };
    let mut items = Vec::new();
    for part in text.split("<Item ").skip(1) {
        let Some((head, rest)) = part.split_once('>') else { continue };
        let Some((value, _)) = rest.split_once("</Item>") else { continue };
        if attribute(head, "sample").is_none_or(|sample| sample == "0") {
            let name = attribute(head, "name").unwrap_or_default();
            items.push((name, attribute(head, "role").unwrap_or_default(), unescaped(value)));
        }
    }
    items
}

/// Text of XML without its references; those that are none stay.
fn unescaped(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        made += before;
        let named = behind.split_once(';').and_then(|(name, after)| {
            let letter = match name {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                _ => char::from_u32(name.strip_prefix('#')?.parse().ok()?)?,
            };
            Some((letter, after))
        });
        match named {
            Some((letter, after)) => {
                made.push(letter);
                rest = after;
            }
            None => {
                made.push('&');
                rest = behind;
            }
        }
    }
    made + rest
}

/// The items of GDAL's metadata.
fn read_texts(path: &Path) -> std::io::Result<Texts> {
    let mut decoder = Decoder::new(BufReader::new(File::open(path)?)).map_err(Error::other)?;
    let metadata = decoder.get_tag_ascii_string(tiff::tags::Tag::from_u16_exhaustive(GDAL_METADATA));
    Ok(gdal_items(&metadata.unwrap_or_default()).into_iter().map(|(name, _, text)| (name, text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_samples_the_means_are_read_where_they_lie() {
        let place = GeoReference {
            epsg: Some(4326),
            in_degrees: true,
            radius_metres: None,
            west: -179.5,
            north: 44.5,
            step: [1.0; 2],
            is_area: true,
        };
        // the first sample of every square of three has no data, and one square none at all
        let is_void = |row: usize, column: usize| row % 3 == 0 && column % 3 == 0 || row / 3 == 2 && column / 3 == 5;
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
        let source = RasterSource {
            path: Path::new("a.tif"),
            bytes: bytes.get_ref(),
            layout: super::super::RawLayout::default(),
        };
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
                assert!((value - mean).abs() < 1e-3, "{k}: {value} and not {mean}");
            }
        }
        assert_eq!([samples_of_mean(46_080, 23_040, 1 << 28), samples_of_mean(92_160, 46_080, 1 << 28)], [2, 4]);
        assert_eq!(samples_of_mean(u64::MAX, u64::MAX, 1 << 28), 1, "what no mean helps is refused by its size");
    }

    #[test]
    fn markup_and_letters_survive() {
        let text = "a<b>&\"c\" Ä &amp; \n 測";
        let xml = gdal_metadata(&[("talweg scene".into(), text.into())]);
        assert!(xml.is_ascii());
        assert_eq!(gdal_items(&xml), [("talweg scene".to_string(), String::new(), text.to_string())]);
    }
}
