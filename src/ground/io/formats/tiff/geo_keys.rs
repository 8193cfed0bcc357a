//! The coordinate system in the GeoTIFF keys of a file.
//!
//! Source: OGC 19-008r4, *OGC GeoTIFF Standard*.

use geotiff_core::tags as geo_tags;
use geotiff_core::{ModelType, RasterType, geokeys};
use tiff_reader::Ifd;

use super::USER_DEFINED;
use crate::io::formats::coordinate_text::{system_of_text, wkt_height_unit};
use crate::io::formats::epsg::unit_of_system;
use crate::io::formats::notes::RasterNote;
use crate::io::formats::place::CoordinateSystem;
use crate::io::formats::units::{angle_unit, counts_depths, degrees_of_system, height_unit_of_system, length_unit};

/// The following constants are GeoTIFF keys for which the crate `geotiff-core` has no names.
pub(super) const GEOG_ELLIPSOID: u16 = 2056;
pub(super) const GEOG_SEMI_MAJOR_AXIS: u16 = 2057;
pub(super) const GEOG_SEMI_MINOR_AXIS: u16 = 2058;
const GEOG_INV_FLATTENING: u16 = 2059;
const GT_CITATION: u16 = 1026;
const GEOG_ANGULAR_UNIT_SIZE: u16 = 2055;
const PROJ_CITATION: u16 = 3073;
const PROJ_LINEAR_UNIT_SIZE: u16 = 3077;
const PROJ_STD_PARALLEL_1: u16 = 3078;
const PROJ_STD_PARALLEL_2: u16 = 3079;
const PROJ_NAT_ORIGIN_LONG: u16 = 3080;
const PROJ_NAT_ORIGIN_LAT: u16 = 3081;
const PROJ_FALSE_EASTING: u16 = 3082;
const PROJ_FALSE_NORTHING: u16 = 3083;
const PROJ_CENTER_LONG: u16 = 3088;
const PROJ_CENTER_LAT: u16 = 3089;
const PROJ_STRAIGHT_VERTICAL_POLE_LONG: u16 = 3095;
const PROJ_SCALE_AT_NAT_ORIGIN: u16 = 3092;
/// Values of the key `ProjCoordTrans`, with the names of these projections in PROJ.
const PROJECTIONS: [(u16, &str); 9] = [
    (7, "merc"),
    (8, "lcc"),
    (9, "lcc"),
    (10, "laea"),
    (11, "aea"),
    (15, "stere"),
    (17, "eqc"),
    (24, "sinu"),
    (28, "cea"),
];
const EQUIRECTANGULAR: u16 = 17;
/// Semi-major axis of WGS 84, in metres.
const EARTH_AXIS: f64 = 6_378_137.0;

/// The GeoTIFF keys of a file.
#[derive(Default)]
pub(super) struct GeoKeys {
    keys: Vec<[u16; 4]>,
    /// Floating-point values that keys refer to.
    doubles: Vec<f64>,
    /// Text that keys refer to.
    text: String,
}

impl GeoKeys {
    pub fn read(ifd: &Ifd) -> Self {
        let keys = ifd.tag(geo_tags::TAG_GEO_KEY_DIRECTORY).and_then(|tag| tag.value.as_u16_slice());
        let doubles = ifd.tag(geo_tags::TAG_GEO_DOUBLE_PARAMS).and_then(|tag| tag.value.as_f64_vec());
        let text = ifd.tag(geo_tags::TAG_GEO_ASCII_PARAMS).and_then(|tag| tag.value.as_str());
        Self {
            keys: keys.unwrap_or_default().as_chunks::<4>().0.iter().skip(1).copied().collect(),
            doubles: doubles.unwrap_or_default(),
            text: text.unwrap_or_default().to_string(),
        }
    }

    pub fn key(&self, number: u16) -> Option<u16> {
        self.keys.iter().find(|key| key[0] == number && key[1] == 0).map(|key| key[3])
    }

    /// The value of a key that holds a floating-point number.
    fn double(&self, number: u16) -> Option<f64> {
        let is_here = |key: &&[u16; 4]| key[0] == number && key[1] == geo_tags::TAG_GEO_DOUBLE_PARAMS;
        let key = self.keys.iter().find(is_here)?;
        self.doubles.get(usize::from(key[3])).copied().filter(|v| v.is_finite())
    }

    fn text(&self, number: u16) -> Option<&str> {
        let is_here = |key: &&[u16; 4]| key[0] == number && key[1] == geo_tags::TAG_GEO_ASCII_PARAMS;
        let [_, _, length, start] = *self.keys.iter().find(is_here)?;
        self.text.get(usize::from(start)..usize::from(start) + usize::from(length))
    }

    /// Whether samples represent areas rather than points.
    pub fn is_area(&self) -> bool {
        self.key(geokeys::GT_RASTER_TYPE) != Some(RasterType::PixelIsPoint.code())
    }

    /// Whether the file has any key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Semi-major axis of the planet that the coordinates refer to, if the file states it.
    fn planet_axis(&self) -> Option<f64> {
        self.double(GEOG_SEMI_MAJOR_AXIS).filter(|metres| (1.0e3..=1.0e9).contains(metres))
    }

    /// The coordinate system from the WKT text that Esri's programs write into a citation key.
    fn citation_system(&self) -> Option<CoordinateSystem> {
        [GT_CITATION, PROJ_CITATION].into_iter().find_map(|key| {
            let (_, wkt) = self.text(key)?.split_once("ESRI PE String = ")?;
            system_of_text(wkt.trim_end_matches(['|', '\0']))
        })
    }

    /// The coordinate system of the file. Adds a note for an unknown unit.
    pub fn system(&self, notes: &mut Vec<RasterNote>) -> CoordinateSystem {
        let is_geographic = self.key(geokeys::GT_MODEL_TYPE).map(|model| model == ModelType::Geographic.code());
        let key = if is_geographic == Some(true) { geokeys::GEODETIC_CRS_TYPE } else { geokeys::PROJECTED_CRS_TYPE };
        let epsg = self.key(key).filter(|code| ![0, USER_DEFINED].contains(code));
        let is_earth = |axis: &f64| (axis / EARTH_AXIS - 1.0).abs() < 0.01;
        let radius_metres = self.planet_axis().filter(|axis| !is_earth(axis));
        let unit = match is_geographic {
            Some(true) => self.angle(epsg, notes),
            _ => self.length(epsg, notes),
        };
        let described = if epsg.is_none() { self.citation_system() } else { None };
        let proj = if epsg.is_none() { self.projection() } else { None };
        let described = described.unwrap_or_default();
        CoordinateSystem {
            epsg: epsg.or(described.epsg),
            is_geographic: is_geographic.or(described.is_geographic),
            unit: unit.or(described.unit),
            radius_metres,
            proj: described.proj.or(proj),
        }
    }

    /// Size of the unit of angle in degrees, if it is not the degree.
    fn angle(&self, epsg: Option<u16>, notes: &mut Vec<RasterNote>) -> Option<f64> {
        let stated = match self.key(geokeys::GEOG_ANGULAR_UNITS) {
            None | Some(0) => None,
            Some(USER_DEFINED) => self.double(GEOG_ANGULAR_UNIT_SIZE).map(f64::to_degrees),
            Some(number) => {
                let unit = angle_unit(number).map(|unit| unit.size.to_degrees());
                note_unknown_unit(number, unit, "degrees", notes);
                unit
            }
        };
        let size = stated.or_else(|| epsg.map(degrees_of_system)).filter(|size| *size > 0.0)?;
        ((size - 1.0).abs() > 1.0e-9).then_some(size)
    }

    /// Length of the unit of the map in metres, if the file states it.
    fn length(&self, epsg: Option<u16>, notes: &mut Vec<RasterNote>) -> Option<f64> {
        let of_system = || epsg.and_then(unit_of_system).map(|unit| unit.size);
        let stated = match self.key(geokeys::PROJ_LINEAR_UNITS) {
            None | Some(0) => None,
            Some(USER_DEFINED) => self.double(PROJ_LINEAR_UNIT_SIZE),
            Some(number) => {
                let unit = length_unit(number).map(|unit| unit.size);
                note_unknown_unit(number, unit, "metres", notes);
                unit
            }
        };
        stated.or_else(of_system).filter(|metres| *metres > 0.0)
    }

    /// The projection in PROJ's notation, from the keys of a user-defined system.
    fn projection(&self) -> Option<String> {
        let number = self.key(geokeys::PROJ_COORD_TRANS)?;
        let (_, name) = PROJECTIONS.into_iter().find(|(known, _)| *known == number)?;
        let first = |keys: &[u16]| keys.iter().find_map(|key| self.double(*key));
        let mut text = format!("+proj={name}");
        let mut add = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                text += &format!(" +{key}={value}");
            }
        };
        add("lon_0", first(&[PROJ_STRAIGHT_VERTICAL_POLE_LONG, PROJ_CENTER_LONG, PROJ_NAT_ORIGIN_LONG]));
        add("x_0", first(&[PROJ_FALSE_EASTING]));
        add("y_0", first(&[PROJ_FALSE_NORTHING]));
        let origin = first(&[PROJ_NAT_ORIGIN_LAT, PROJ_CENTER_LAT]);
        let parallel = first(&[PROJ_STD_PARALLEL_1]);
        match name {
            "merc" | "eqc" | "cea" => add("lat_ts", parallel),
            "stere" => {
                let pole = if origin.or(parallel).unwrap_or(90.0) < 0.0 { -90.0 } else { 90.0 };
                add("lat_0", Some(pole));
                add("lat_ts", parallel.or(origin).filter(|latitude| latitude.abs() < 90.0));
            }
            _ => {
                add("lat_0", origin);
                add("lat_1", parallel.or(origin));
                add("lat_2", first(&[PROJ_STD_PARALLEL_2]));
            }
        }
        add("k_0", first(&[PROJ_SCALE_AT_NAT_ORIGIN]).filter(|scale| *scale != 1.0));
        add("a", self.planet_axis().or(Some(EARTH_AXIS)));
        add("rf", self.double(GEOG_INV_FLATTENING).filter(|flattening| *flattening > 0.0));
        match self.double(GEOG_SEMI_MINOR_AXIS) {
            Some(minor) => add("b", Some(minor)),
            None if self.double(GEOG_INV_FLATTENING).is_none() => add("rf", Some(298.257_223_563)),
            None => {}
        }
        Some(text)
    }

    /// Length in metres of the unit of heights, if the keys state it. Adds a note if the coordinate system counts
    /// depths instead of heights.
    pub fn height_unit(&self, notes: &mut Vec<RasterNote>) -> Option<f64> {
        let systems = [geokeys::VERTICAL_CS_TYPE, geokeys::PROJECTED_CRS_TYPE, geokeys::GEODETIC_CRS_TYPE];
        let systems: Vec<u16> = systems.into_iter().filter_map(|key| self.key(key)).collect();
        if systems.iter().any(|epsg| counts_depths(*epsg)) {
            notes.push(RasterNote::new(
                "depths",
                "its vertical coordinate system counts depths downwards, but its numbers are read as heights; add the filter Invert if deep water appears as mountains",
            ));
        }
        let stated = match self.key(geokeys::VERTICAL_UNITS) {
            None | Some(0 | USER_DEFINED) => None,
            Some(number) => {
                let unit = length_unit(number).map(|unit| unit.size);
                note_unknown_unit(number, unit, "metres", notes);
                unit
            }
        };
        let of_citation = || {
            let (_, wkt) = self.text(GT_CITATION)?.split_once("ESRI PE String = ")?;
            wkt_height_unit(wkt).map(|(_, metres)| metres)
        };
        let of_system = || systems.iter().find_map(|epsg| height_unit_of_system(*epsg)).map(|unit| unit.size);
        stated.or_else(of_citation).or_else(of_system)
    }

    /// Converts a map position in metres to degrees: longitude, latitude and steps. The metres belong to an
    /// equirectangular projection of a sphere, which is common for maps of other planets.
    pub fn equirectangular_degrees(&self, west: f64, north: f64, step: [f64; 2]) -> Option<[f64; 4]> {
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
}

fn note_unknown_unit(number: u16, size: Option<f64>, instead: &str, notes: &mut Vec<RasterNote>) {
    if size.is_none() {
        notes.push(RasterNote::new(
            "unknown-unit",
            format!("its unit has the EPSG code {number}, which is unknown; its numbers are read as {instead}"),
        ));
    }
}
