//! Reads the tags of a TIFF file: map position, scale, unit, no-data value, metadata.

use std::path::Path;

use geotiff_core::tags as geo_tags;
use tiff_reader::Ifd;

use super::GDAL_METADATA;
use super::decode::open_path;
use super::geo_keys::GeoKeys;
use crate::io::formats::colours::ColourReading;
use crate::io::formats::notes::RasterNote;
use crate::io::formats::numbers::{NumberStatement, NumberType};
use crate::io::formats::place::{CoordinateSystem, MapTransform, Position, position};
use crate::io::formats::reader::{RasterSource, cell_of, range_of};
use crate::io::formats::units::length_named;
use crate::io::formats::{MAX_TEXT, Texts, texts_too_long};

/// Information from the GeoTIFF tags and GDAL's tags of a TIFF file, and from its side files.
#[derive(Default)]
pub(super) struct FileTags {
    affine: Option<MapTransform>,
    system: CoordinateSystem,
    keys: GeoKeys,
    is_area: bool,
    /// Whether the file states any position, even an unusable one.
    is_placed: bool,
    pub no_data: Option<f64>,
    texts: Texts,
    scale: Option<f64>,
    offset: Option<f64>,
    unit_metres: Option<f64>,
    /// Indices and names of the channels that the file names.
    descriptions: Vec<(usize, String)>,
}

impl FileTags {
    pub fn read(ifd: &Ifd, source: &RasterSource, notes: &mut Vec<RasterNote>) -> Self {
        let text = |tag: u16| ifd.tag(tag).and_then(|tag| tag.value.as_str()).unwrap_or_default();
        let keys = GeoKeys::read(ifd);
        let mut found = Self { is_area: keys.is_area(), ..Self::default() };
        found.no_data = parsed_number(text(geo_tags::TAG_GDAL_NODATA));
        let mut unit = None;
        for item in gdal_items(text(GDAL_METADATA)) {
            let number = || item.text.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            match item.role.as_str() {
                "description" => found.descriptions.push((item.channel, item.text)),
                _ if item.channel != 0 => {}
                "scale" => found.scale = found.scale.or(number()),
                "offset" => found.offset = found.offset.or(number()),
                "unittype" => unit = Some(item.text.trim().to_string()),
                _ => found.texts.push((item.name, item.text)),
            }
        }
        let metadata = source.sides.auxiliary_metadata();
        let stated = keys.height_unit(notes);
        let named = unit.filter(|unit| !unit.is_empty()).map(|unit| (length_named(&unit).map(|(_, m)| m), unit));
        let named = named.or(metadata.unit.map(|(name, metres)| (metres, name)));
        if let Some((None, name)) = &named {
            notes.push(RasterNote::new(
                "unknown-unit",
                format!("its unit of height is `{name}`, which is unknown; its heights are read as metres. Set Unit"),
            ));
        }
        found.unit_metres = named.and_then(|(metres, _)| metres).or(stated);
        found.no_data = found.no_data.or(metadata.no_data);
        found.scale = found.scale.or(metadata.scale);
        found.offset = found.offset.or(metadata.offset);
        found.read_place(ifd, keys, source, notes);
        found
    }

    /// Reads the position. The order of precedence is GDAL's `.aux.xml`, the file itself, a world file.
    fn read_place(&mut self, ifd: &Ifd, keys: GeoKeys, source: &RasterSource, notes: &mut Vec<RasterNote>) {
        let doubles = |tag: u16| ifd.tag(tag).and_then(|tag| tag.value.as_f64_vec()).unwrap_or_default();
        let scale = doubles(geo_tags::TAG_MODEL_PIXEL_SCALE);
        let ties = doubles(geo_tags::TAG_MODEL_TIEPOINT);
        let matrix = doubles(geo_tags::TAG_MODEL_TRANSFORMATION);
        // Column and row of the first sample's centre in the raster space of the file.
        let first = if self.is_area { 0.5 } else { 0.0 };
        let own = match (&matrix[..], &scale[..], &ties[..]) {
            (&[a, b, _, x, d, e, _, y, ..], ..) => {
                // GDAL treats the identity as no position in both raster spaces. The shift by half a sample makes
                // `position` recognise the identity.
                let shift = if [a, b, x, d, e, y] == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0] { 0.5 } else { first };
                Some(MapTransform { x: x + (a + b) * shift, a, b, y: y + (d + e) * shift, d, e })
            }
            (_, &[east, south, ..], &[column, row, _, x, y, ..]) if east != 0.0 && south != 0.0 => {
                if south < 0.0 {
                    notes.push(RasterNote::new(
                        "negative-step",
                        "its step to the south is negative, which is usually a mistake of the program that wrote it; its first row is read as the northern edge. Set First row to South if the terrain is mirrored",
                    ));
                }
                let south = south.abs();
                let (x, y) = (x + (first - column) * east, y - (first - row) * south);
                Some(MapTransform { x, a: east, b: 0.0, y, d: 0.0, e: -south })
            }
            _ => None,
        };
        let metadata = source.sides.auxiliary_metadata();
        let has_points = own.is_none() && ties.len() >= 12 || metadata.has_control_points;
        if has_points && metadata.affine.is_none() {
            notes.push(RasterNote::new(
                "control-points",
                "it has only ground control points, so its position and size are unknown; `gdalwarp -tps IN.tif OUT.tif` makes a regular grid",
            ));
        }
        self.is_placed = own.is_some() || has_points || !keys.is_empty();
        self.system = keys.system(notes);
        self.keys = keys;
        let by_metadata = metadata.affine.map(|affine| (affine, String::new()));
        self.affine = by_metadata.as_ref().map(|(affine, _)| *affine).or(own);
        if self.affine.is_none()
            && let Some((affine, name)) = source.sides.world_affine()
        {
            notes.push(RasterNote::new("side-file", format!("its position is read from {name}")));
            self.affine = Some(affine);
        }
        if by_metadata.is_some() {
            notes.push(RasterNote::new("side-file", "its position is read from its .aux.xml file"));
            self.is_area |= !metadata.is_point;
        }
        if let Some(system) = metadata.system {
            self.system = CoordinateSystem { radius_metres: self.system.radius_metres, ..system };
        } else if self.keys.is_empty()
            && let Some((system, name)) = source.sides.system()
        {
            notes.push(RasterNote::new("side-file", format!("its coordinate system is read from {name}")));
            self.system = system;
        }
        self.is_placed |= self.affine.is_some();
    }

    /// Names of all channels of the image.
    pub fn channel_names(&self, ifd: &Ifd) -> Vec<String> {
        let count = usize::from(ifd.samples_per_pixel().max(1));
        let colours =
            if ifd.photometric_interpretation() == Some(2) { ["red", "green", "blue"].as_slice() } else { &[] };
        let extra = ifd.extra_samples().unwrap_or_default();
        let is_alpha = |k: usize| {
            let index = (k + extra.len()).checked_sub(count).and_then(|at| extra.get(at));
            matches!(
                index,
                Some(tiff_reader::ExtraSample::AssociatedAlpha | tiff_reader::ExtraSample::UnassociatedAlpha)
            )
        };
        let name = |k: usize| {
            let described = self.descriptions.iter().find(|(channel, _)| *channel == k).map(|(_, name)| name.clone());
            let usual = || match colours.get(k) {
                Some(colour) => (*colour).to_string(),
                None if is_alpha(k) => "alpha".into(),
                None => format!("band {}", k + 1),
            };
            described.unwrap_or_else(usual)
        };
        (0..count).map(name).collect()
    }

    /// All information in the file about its numbers.
    pub fn statement(&self, number_type: NumberType, reading: &ColourReading) -> NumberStatement {
        NumberStatement {
            is_colour: reading.is_colour(),
            is_placed: self.is_placed,
            no_data: self.no_data,
            scale: self.scale,
            offset: self.offset,
            unit_metres: self.unit_metres,
            range_metres: range_of(&self.texts),
            ..NumberStatement::of_type(number_type)
        }
    }

    /// Position of the samples on the map.
    pub fn position(&self, size: [usize; 2], notes: &mut Vec<RasterNote>) -> Position {
        let Some(affine) = self.affine else {
            return Position { cell_metres: cell_of(&self.texts), ..Position::default() };
        };
        let mut found = position(affine, size, &self.system, self.is_area, notes);
        let Some(place) = found.placement.filter(|place| !place.in_degrees) else { return found };
        if let Some([west, north, east, south]) = self.keys.equirectangular_degrees(place.west, place.north, place.step)
        {
            found.placement = Some(crate::io::formats::GeoReference {
                epsg: None,
                in_degrees: true,
                west,
                north,
                step: [east, south],
                ..place
            });
            found.cell_metres = None;
            notes.retain(|note| note.kind != "map-scale");
        }
        found
    }
}

/// The number in a GDAL tag. Spaces and zero bytes around it are ignored.
fn parsed_number(text: &str) -> Option<f64> {
    let text = text.trim_matches(['\0', ' ', '\n', '\r', '\t']);
    text.parse().ok().or_else(|| text.replace(',', ".").parse().ok())
}

/// An item in GDAL's metadata, which is XML.
struct GdalItem {
    name: String,
    role: String,
    /// Index of the channel that the item describes.
    channel: usize,
    text: String,
}

/// Parses the items in GDAL's metadata.
fn gdal_items(text: &str) -> Vec<GdalItem> {
    let attribute = |head: &str, name: &str| {
        let (_, rest) = head.split_once(&format!("{name}=\""))?;
        Some(unescaped(rest.split_once('"')?.0))
    };
    let mut items = Vec::new();
    for part in text.split("<Item ").skip(1) {
        let Some((head, rest)) = part.split_once('>') else { continue };
        let Some((value, _)) = rest.split_once("</Item>") else { continue };
        items.push(GdalItem {
            name: attribute(head, "name").unwrap_or_default(),
            role: attribute(head, "role").unwrap_or_default(),
            channel: attribute(head, "sample").and_then(|sample| sample.parse().ok()).unwrap_or(0),
            text: unescaped(value),
        });
    }
    items
}

/// Replaces the character references in XML text by their characters. Unknown references stay.
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

/// Reads the items of GDAL's metadata as pairs of keyword and text.
pub(super) fn read_texts(path: &Path) -> std::io::Result<Texts> {
    let file = open_path(path).map_err(std::io::Error::other)?;
    let metadata = file.ifd(0).ok().and_then(|ifd| ifd.tag(GDAL_METADATA)).and_then(|tag| tag.value.as_str());
    let metadata = metadata.unwrap_or_default();
    if metadata.len() > MAX_TEXT {
        return Err(texts_too_long());
    }
    let items = gdal_items(metadata).into_iter().filter(|item| item.channel == 0);
    Ok(items.map(|item| (item.name, item.text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::formats::tiff::gdal_metadata;

    #[test]
    fn tags_keep_markup_and_letters() {
        let text = "a<b>&\"c\" Ä &amp; \n 測";
        let xml = gdal_metadata(&[("talweg scene".into(), text.into())]);
        assert!(xml.is_ascii());
        let items = gdal_items(&xml);
        assert_eq!((items[0].name.as_str(), items[0].text.as_str(), items.len()), ("talweg scene", text, 1));
    }
}
