//! Reads the tags of a TIFF file: map position, scale, unit, no-data value, metadata.

use std::fs::File;
use std::io::{BufReader, Error};
use std::path::Path;

use geotiff_core::tags as geo_tags;
use geotiff_core::{ModelType, RasterType, geokeys};
use tiff::decoder::{Decoder, Limits};

use super::decode::{NumberKind, broken};
use super::{GDAL_METADATA, USER_DEFINED};
use crate::io::RasterError;
use crate::io::formats::epsg::unit_of_system;
use crate::io::formats::reader::{RasterSource, SampleMeaning, heights_or_fractions, looks_like_degrees, range_of};
use crate::io::formats::{GeoReference, MAX_TEXT, Texts, texts_too_long};

/// Contents of the GeoTIFF tags and of GDAL's tags.
#[derive(Default)]
pub(super) struct GeoTags {
    scale: Option<[f64; 2]>,
    /// Tie point: column and row of a sample, then the two map coordinates of this sample.
    tie: Option<[f64; 4]>,
    keys: Vec<[u16; 4]>,
    /// Floating-point values that the GeoTIFF keys refer to.
    doubles: Vec<f64>,
    nodata: Option<f64>,
    texts: Vec<(String, String)>,
    factor: Option<f64>,
    offset: Option<f64>,
    unit: Option<String>,
}

/// The following constants are GeoTIFF keys for which the crate `tiff` has no names, and the number of the
/// equirectangular projection.
pub(super) const GEOG_ELLIPSOID: u16 = 2056;
pub(super) const GEOG_SEMI_MAJOR_AXIS: u16 = 2057;
pub(super) const GEOG_SEMI_MINOR_AXIS: u16 = 2058;
const GEOG_INV_FLATTENING: u16 = 2059;
const PROJ_STD_PARALLEL_1: u16 = 3078;
const PROJ_NAT_ORIGIN_LONG: u16 = 3080;
const PROJ_FALSE_EASTING: u16 = 3082;
const PROJ_FALSE_NORTHING: u16 = 3083;
const PROJ_CENTER_LONG: u16 = 3088;
const EQUIRECTANGULAR: u16 = 17;
/// Semi-major axis of WGS 84, in metres.
const EARTH_AXIS: f64 = 6_378_137.0;
/// Pairs of a GeoTIFF number of a length unit and the length of this unit in metres.
const LENGTHS: [(u16, f64); 4] = [(9001, 1.0), (9002, 0.3048), (9003, 1200.0 / 3937.0), (9036, 1000.0)];
/// Pairs of an EPSG number of a vertical coordinate system in international or US survey feet, and the foot in metres.
const HEIGHTS_IN_FEET: [(u16, f64); 4] =
    [(8228, 0.3048), (6360, 1200.0 / 3937.0), (5702, 1200.0 / 3937.0), (8051, 0.3048)];

impl GeoTags {
    pub fn read(decoder: &mut Decoder<std::io::Cursor<&[u8]>>, source: &RasterSource) -> Result<Self, RasterError> {
        use tiff::tags::Tag;
        let failed = |error: tiff::TiffError| broken(source, &error);
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
        // Instead of the pixel scale and the tie point, a file can hold a transformation matrix. Only matrices without
        // rotation are supported.
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

    /// The value of a GeoTIFF key that holds a floating-point number.
    fn double(&self, number: u16) -> Option<f64> {
        let is_here = |key: &&[u16; 4]| key[0] == number && key[1] == geo_tags::TAG_GEO_DOUBLE_PARAMS;
        let key = self.keys.iter().find(is_here)?;
        self.doubles.get(usize::from(key[3])).copied().filter(|v| v.is_finite())
    }

    /// Semi-major axis of the planet that the coordinates refer to, if the file states it.
    fn planet_axis(&self) -> Option<f64> {
        self.double(GEOG_SEMI_MAJOR_AXIS).filter(|metres| (1.0e3..=1.0e9).contains(metres))
    }

    /// Converts a map position in metres to degrees: longitude, latitude and steps. The metres belong to an
    /// equirectangular projection of a sphere, which is common for maps of other planets.
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

    /// Length of the unit of height, in metres.
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

    /// Whether `number` is the no-data value of the file, or a usual no-data value that the file does not declare.
    pub fn is_void(&self, number: f32, kind: NumberKind) -> bool {
        // Some files use no-data values without declaring them: old SRTM tiles use -32768, and several programs use
        // large negative floats.
        let is_unsaid = kind == NumberKind::Signed16 && number == -32768.0 || number < -1.0e30;
        !number.is_finite() || Some(number) == self.nodata.map(|v| v as f32) || is_unsaid
    }

    /// Applies scale, offset, unit and no-data value to the raw numbers, and returns the meaning of the results.
    pub fn apply(&self, values: &mut [f32], kind: NumberKind, is_colour: bool) -> SampleMeaning {
        let range_metres = range_of(&self.texts);
        let is_placed = self.scale.is_some() && self.tie.is_some();
        let is_height = is_placed || self.factor.is_some() || self.offset.is_some();
        if let NumberKind::Unsigned(white) = kind
            && (is_colour || white == 255.0 || range_metres.is_some() || !is_height)
        {
            let nodata = self.nodata.map(|v| v as f32);
            values.iter_mut().for_each(|v| *v = if Some(*v) == nodata { f32::NAN } else { *v / white });
            return SampleMeaning::Fractions { range_metres };
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
            NumberKind::Float => heights_or_fractions(values, is_placed, &self.texts),
            _ => SampleMeaning::Metres,
        }
    }

    /// Position of the first sample and the steps between samples, in metres or degrees; `None` if the file states
    /// none.
    pub fn placement(&self, columns: usize) -> Option<GeoReference> {
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
        let of_system = || epsg.and_then(unit_of_system).map(|(_, metres)| metres);
        let named = || self.length(geokeys::PROJ_LINEAR_UNITS);
        let metres = if in_degrees { 1.0 } else { named().or_else(of_system).unwrap_or(1.0) };
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

/// Name, role and text of each of GDAL's metadata items. Items of bands after the first are skipped.
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

/// XML text with its character references replaced; unknown references stay.
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
    let mut limits = Limits::default();
    limits.ifd_value_size = MAX_TEXT;
    let mut decoder = Decoder::new(BufReader::new(File::open(path)?)).map_err(Error::other)?.with_limits(limits);
    let metadata = match decoder.get_tag_ascii_string(tiff::tags::Tag::from_u16_exhaustive(GDAL_METADATA)) {
        Err(tiff::TiffError::LimitsExceeded) => return Err(texts_too_long()),
        other => other.unwrap_or_default(),
    };
    Ok(gdal_items(&metadata).into_iter().map(|(name, _, text)| (name, text)).collect())
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
        assert_eq!(gdal_items(&xml), [("talweg scene".to_string(), String::new(), text.to_string())]);
    }
}
