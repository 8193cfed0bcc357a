//! TIFF of 8, 16 or 32 bits, compressed by Deflate. A raster with a map position becomes a GeoTIFF (OGC 19-008), which
//! stores the pixel scale, the tie point, the coordinate system and the no-data value in GDAL's form. Metadata become
//! GDAL metadata items, which `gdalinfo` and rasterio show. Writing uses the crates `tiff-writer` and `geotiff-writer`;
//! reading uses the crate `tiff-reader`.
//!
//! | file | contents |
//! |---|---|
//! | `text_tag` | adds metadata to cloud-optimised files, because `geotiff-writer` cannot do so |
//! | `decode` | reads the numbers in a file |
//! | `file_tags` | reads the tags of a file: position, scale, unit, no-data value, metadata |
//! | `geo_keys` | reads the GeoTIFF keys of a file: coordinate system and units |

mod decode;
mod file_tags;
mod geo_keys;
mod text_tag;

use std::io::Error;

use geotiff_core::geokeys::{self, GeoKeyDirectory, GeoKeyValue};
use geotiff_core::tags as geo_tags;
use geotiff_core::{ModelType, RasterType};
use geotiff_writer::{CogBuilder, GeoTiffBuilder, NumericSample, Resampling};
use ndarray::ArrayView3;
use tiff_core::{ColorMap, Compression, PhotometricInterpretation, Predictor, Tag, TagValue};
use tiff_writer::{ImageBuilder, TiffWriter, WriteOptions};

use self::file_tags::read_texts;
use self::geo_keys::{GEOG_ELLIPSOID, GEOG_SEMI_MAJOR_AXIS, GEOG_SEMI_MINOR_AXIS};
use self::text_tag::TextTagWriter;
use super::reader::RasterReader;
use super::{GeoReference, RasterFormat, RasterOut, RasterSheet, SampleRow, SampleType, Samples};

pub(super) static TIFF: RasterFormat = RasterFormat {
    id: "tiff",
    extensions: &["tif", "tiff"],
    name: "GeoTIFF",
    help: "32-bit floats with extent, coordinate system and no-data value",
    kinds: &[SampleType::U8, SampleType::U16, SampleType::F32],
    channels: 4,
    has_placement: true,
    has_texts: true,
    write: |sheet, out| match sheet.samples {
        Samples::U8(of_row) => write_strips(sheet, of_row, out),
        Samples::U16(of_row) => write_strips(sheet, of_row, out),
        Samples::F32(of_row) => write_strips(sheet, of_row, out),
    },
    read_texts: Some(read_texts),
};

pub(super) static CLOUD_OPTIMISED: RasterFormat = RasterFormat {
    id: "cog",
    extensions: &["cog.tif", "cog.tiff"],
    name: "Cloud-optimised GeoTIFF",
    help: "tiles with overviews, so that programs can read parts over a network",
    kinds: &[SampleType::U8, SampleType::U16, SampleType::F32],
    channels: 4,
    has_placement: true,
    has_texts: true,
    write: |sheet, out| match sheet.samples {
        Samples::U8(of_row) => write_tiles(sheet, of_row, out),
        Samples::U16(of_row) => write_tiles(sheet, of_row, out),
        Samples::F32(of_row) => write_tiles(sheet, of_row, out),
    },
    read_texts: Some(read_texts),
};

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["tif", "tiff"], name: "TIFF or GeoTIFF", is_raw: false, read: decode::read };

/// Uncompressed size of a strip, in bytes.
const STRIP_BYTES: usize = 1 << 18;
/// Side length of the tiles of a cloud-optimised file, in samples, if the raster is not too wide.
const TILE: usize = 512;
/// Maximum number of tiles side by side. `geotiff-writer` 0.10 keeps 16 tiles while it reads the rows of a raster for
/// the overviews. With 17 tiles, each row would read all tiles of the row from the temporary file again: 146 GB for
/// 8193 × 8193 heights. A cache as large as a row of tiles would mend this in the crate.
const MOST_TILES: usize = 16;
/// GeoTIFF numbers of two units: the metre and the degree.
const METRE: u16 = 9001;
const DEGREE: u16 = 9102;
/// GeoTIFF number that stands for a user-defined coordinate system.
const USER_DEFINED: u16 = 32767;
const SOFTWARE: u16 = 305;
const GDAL_METADATA: u16 = 42112;

fn write_strips<T: NumericSample>(
    sheet: &RasterSheet,
    of_row: SampleRow<T>,
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
        sheet.check()?;
        read_part(sheet, of_row, [first, 0], [rows.min(sheet.height - first), sheet.width], &mut strip);
        writer.write_block(&handle, number, &strip).map_err(Error::other)?;
    }
    writer.finish().map_err(Error::other)?;
    Ok(())
}

/// Side length of the tiles of a raster whose longer side has `longest` samples; TIFF requires a multiple of 16.
fn tile_side(longest: usize) -> usize {
    longest.div_ceil(MOST_TILES).next_multiple_of(16).max(TILE)
}

fn write_tiles<T: NumericSample>(
    sheet: &RasterSheet,
    of_row: SampleRow<T>,
    out: &mut dyn RasterOut,
) -> std::io::Result<()> {
    let longest = sheet.width.max(sheet.height);
    let side = tile_side(longest);
    let mut base = GeoTiffBuilder::new(sheet.width as u32, sheet.height as u32)
        .bands(sheet.channels as u32)
        .tile_size(side as u32, side as u32)
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
    // Each overview has half the width and height of the previous image, until one tile holds the whole image.
    let levels = (1..16).map(|k| 1u32 << k).take_while(|level| longest.div_ceil(*level as usize / 2) > side).collect();
    // Type numbers and palette indices must not be averaged: the average of two types would be an unrelated type.
    let is_number = sheet.palette.is_some() || sheet.samples.kind() == SampleType::U8 && sheet.channels == 1;
    let resampling = if is_number { Resampling::NearestNeighbor } else { Resampling::Average };
    let builder = CogBuilder::new(base).overview_levels(levels).resampling(resampling);
    let text = if sheet.texts.is_empty() { String::new() } else { gdal_metadata(sheet.texts) };
    let sink = TextTagWriter::new(out, &text)?;
    let mut writer = builder.tile_writer::<T, _>(sink).map_err(Error::other)?;
    let mut tile = Vec::with_capacity(side * side * sheet.channels);
    for row in (0..sheet.height).step_by(side) {
        for column in (0..sheet.width).step_by(side) {
            let [rows, columns] = [side.min(sheet.height - row), side.min(sheet.width - column)];
            sheet.check()?;
            read_part(sheet, of_row, [row, column], [rows, columns], &mut tile);
            let view = ArrayView3::from_shape((rows, columns, sheet.channels), &tile).map_err(Error::other)?;
            writer.write_tile_3d(column, row, &view).map_err(Error::other)?;
        }
    }
    writer.finish().map_err(Error::other)?.finish(&text)
}

/// Replaces the content of `out` by the numbers in a rectangle of the raster, row by row.
fn read_part<T: NumericSample>(
    sheet: &RasterSheet,
    of_row: SampleRow<T>,
    [first, left]: [usize; 2],
    [rows, columns]: [usize; 2],
    out: &mut Vec<T>,
) {
    out.resize(rows * columns * sheet.channels, T::zero());
    for (row, out) in (first..).zip(out.chunks_exact_mut(columns * sheet.channels)) {
        of_row(row, left..left + columns, out);
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

/// The TIFF colour map of a palette. It has 256 entries; entries after the last colour of the palette are black.
fn colour_map(colours: &[[u8; 3]]) -> std::io::Result<ColorMap> {
    let channel = |c: usize| (0..256).map(|k| colours.get(k).map_or(0, |colour| u16::from(colour[c]) * 257)).collect();
    ColorMap::new(channel(0), channel(1), channel(2)).map_err(Error::other)
}

/// Raster coordinates and map coordinates of the tie point. The tie point is the first sample or, if samples are areas,
/// the north-western corner of the first area.
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

/// The metadata in GDAL's format: XML with escaped markup and with character references for non-ASCII letters.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloud_optimised_rasters_have_at_most_sixteen_tiles_a_row() {
        assert_eq!([1, 513, 8192, 8193, 16_385].map(tile_side), [512, 512, 512, 528, 1040]);
        for longest in (1..70_000).step_by(37) {
            let side = tile_side(longest);
            assert!(longest.div_ceil(side) <= MOST_TILES && side.is_multiple_of(16), "{longest}: {side}");
        }
    }
}
