//! What reading a raster file has in common: the list of readers, what they are given, what they make of it, and the
//! checks that come before any memory is taken.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{GeoReference, ascii_grid, exr, hgt, png, raw, tiff};
use crate::io::RasterError;
use crate::io::memory::shortage;
use crate::io::raster::MAX_SAMPLES;

/// A picture of more bytes than this that is packed into less than one byte for so many holds no terrain.
const PACKED: (u64, u64) = (64 << 20, 500);

/// What a raw file does not say itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RawLayout {
    /// Samples of a row; 0 for a square, or a map of a planet that is twice as wide as high.
    pub width: u32,
    /// Whether the highest byte of a number comes first.
    pub big_endian: bool,
}

/// A file as readers get it.
pub struct RasterSource<'a> {
    /// Its name, for messages and for what the name says.
    pub path: &'a Path,
    /// All of it.
    pub bytes: &'a [u8],
    /// Of raw files.
    pub layout: RawLayout,
}

/// What the numbers of a file stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleMeaning {
    /// Shares from 0, black, to 1, white.
    Shares {
        /// Heights of black and white, where the file says so.
        range_metres: Option<(f32, f32)>,
    },
    /// Heights in metres.
    Metres,
}

/// What a reader makes of a file.
#[derive(Debug)]
pub struct DecodedRaster {
    /// Samples of a row, 2 at the least.
    pub width: usize,
    /// Number of rows, 2 at the least.
    pub height: usize,
    /// The numbers, row by row from the north-west; not finite where there is no data.
    pub values: Vec<f32>,
    /// What they stand for.
    pub meaning: SampleMeaning,
    /// Where they lie on a map.
    pub placement: Option<GeoReference>,
}

/// How files of a format are read.
#[derive(Debug)]
pub struct RasterReader {
    /// Endings of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// What people call it.
    pub name: &'static str,
    /// Whether files do not say how wide they are and in which order their bytes come.
    pub is_raw: bool,
    pub(super) read: fn(&RasterSource) -> Result<DecodedRaster, RasterError>,
}

/// Every format that is read, in the order of messages and dialogs.
pub static RASTER_READERS: [&RasterReader; 7] =
    [&png::READER, &tiff::READER, &exr::READER, &raw::READER_16, &raw::READER_32, &hgt::READER, &ascii_grid::READER];

impl RasterReader {
    /// What reads files with the ending of `path`.
    pub fn for_path(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_str()?;
        let knows = |reader: &&Self| reader.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known));
        RASTER_READERS.into_iter().find(knows)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is broken, or would take more memory than there is.
    pub fn decode(&self, source: &RasterSource) -> Result<DecodedRaster, RasterError> {
        // packages of others read the bytes of anybody: what they did not think of is an error too
        let read = catch_unwind(AssertUnwindSafe(|| (self.read)(source)));
        read.unwrap_or_else(|_| Err(source.unreadable(self.name, "what it says of itself makes no sense")))
    }
}

/// Whether the ending of `path` is that of a heightmap that can be read.
pub fn is_heightmap(path: &Path) -> bool {
    RasterReader::for_path(path).is_some()
}

/// Endings and names of all formats that are read, for messages.
pub fn reader_list() -> String {
    let named = |reader: &&RasterReader| format!(".{} ({})", reader.extensions.join(", ."), reader.name);
    RASTER_READERS.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// Endings of all files that are read, for dialogs.
pub fn readable_extensions() -> Vec<&'static str> {
    RASTER_READERS.iter().flat_map(|reader| reader.extensions).copied().collect()
}

/// Refuses a file that would not fit into memory: `bytes` of them at the least.
pub(in crate::io) fn check_room(path: &Path, bytes: u64) -> Result<(), RasterError> {
    shortage(bytes).map_or(Ok(()), |shortage| Err(RasterError::Memory { path: path.into(), shortage }))
}

impl RasterSource<'_> {
    /// An error of a broken file, or of one of a kind that is not read.
    pub(super) fn unreadable(&self, format: &'static str, message: impl ToString) -> RasterError {
        RasterError::Unreadable { path: self.path.into(), format, message: message.to_string() }
    }

    /// An error of a file whose end is not there.
    pub(super) fn cut_off(&self, format: &'static str) -> RasterError {
        RasterError::CutOff { path: self.path.into(), format, bytes: self.bytes.len() as u64 }
    }

    /// Refuses a size that no raster has, or that there is no memory for: `bytes` are those of the numbers before they
    /// are packed, `beside` what is held of them besides their values.
    pub(super) fn check_size(&self, width: u64, height: u64, bytes: u64, beside: u64) -> Result<(), RasterError> {
        let path = || self.path.into();
        let samples = width.saturating_mul(height);
        if samples > MAX_SAMPLES {
            return Err(RasterError::TooLarge { path: path() });
        }
        if width < 2 || height < 2 {
            return Err(RasterError::TooSmall { path: path() });
        }
        let packed = self.bytes.len() as u64;
        if bytes > PACKED.0 && bytes / PACKED.1 > packed {
            return Err(RasterError::Packed { path: path(), packed, unpacked: bytes });
        }
        // a number of 4 bytes for each, and as much while they grow
        check_room(self.path, 8 * samples + beside)
    }
}

/// What floats stand for in a format that does not say it: shares where all of them are from 0 to 1 and nothing else
/// speaks for metres, as a place on a map or the texts of Talweg do.
pub(super) fn heights_or_shares(values: &[f32], is_placed: bool, texts: &[(String, String)]) -> SampleMeaning {
    let known = || values.iter().filter(|v| v.is_finite());
    let range = range_of(texts);
    let is_share = known().all(|v| (0.0..=1.0).contains(v));
    let says_the_same = |(low, high): (f32, f32)| {
        let (a, b) = known().fold((f32::MAX, f32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        let near = |a: f32, b: f32| (a - b).abs() <= 1.0e-3 * (high - low).abs();
        near(a, low) && near(b, high)
    };
    match range {
        Some(range) if is_share && !says_the_same(range) => SampleMeaning::Shares { range_metres: Some(range) },
        None if is_share && !is_placed => SampleMeaning::Shares { range_metres: None },
        _ => SampleMeaning::Metres,
    }
}

/// Heights of black and white out of the texts that Talweg writes.
pub(super) fn range_of(texts: &[(String, String)]) -> Option<(f32, f32)> {
    let metres = |key: &str| {
        let (_, text) = texts.iter().find(|(k, _)| k == key)?;
        text.trim().parse::<f32>().ok().filter(|m| m.is_finite())
    };
    metres("talweg min_metres").zip(metres("talweg max_metres"))
}

/// Whether a place and steps whose unit nobody names are longitude and latitude: no survey has steps of less than a
/// decimetre around the origin of its coordinates, nor one that is 360 wide.
pub(super) fn looks_like_degrees(west: f64, north: f64, step: [f64; 2], columns: usize) -> bool {
    let is_on_globe = west.abs() <= 360.0 && north.abs() <= 90.5;
    let around = step[0] * columns as f64;
    is_on_globe && (step.iter().all(|s| *s < 0.1) || (359.0..=361.0).contains(&around))
}

/// The longest step and the farthest place, in metres or degrees, that count: beyond them files are broken.
const LONGEST_STEP: f64 = 1.0e8;
const FARTHEST: f64 = 1.0e12;

impl GeoReference {
    /// Where the means of squares of `samples` a side lie.
    pub(super) fn of_means(self, samples: usize) -> Self {
        let middle = 0.5 * (samples as f64 - 1.0);
        let [east, south] = self.step;
        let step = self.step.map(|step| step * samples as f64);
        Self { west: self.west + middle * east, north: self.north - middle * south, step, ..self }
    }

    /// Whether its steps and places are those of a map.
    pub(in crate::io) fn is_sound(&self) -> bool {
        let is_step = |step: &f64| *step > 0.0 && *step <= LONGEST_STEP;
        let is_place = |place: f64| place.abs() <= FARTHEST;
        self.step.iter().all(is_step) && is_place(self.west) && is_place(self.north)
    }

    /// Way from a sample to the next one in metres, to the east and to the south, at a latitude in degrees where the
    /// steps are degrees: of a sphere, or of Earth by the series of the WGS 84 ellipsoid (NGA.STND.0036), good to a
    /// centimetre in a degree.
    pub fn step_metres(&self, latitude: f64) -> [f64; 2] {
        if !self.in_degrees {
            return self.step;
        }
        let cos = |times: f64| libm::cos((times * latitude.clamp(-90.0, 90.0)).to_radians());
        if let Some(radius) = self.radius_metres {
            let [east, south] = self.step.map(|degrees| degrees.to_radians() * radius);
            return [east * cos(1.0), south];
        }
        let east = 111_412.84 * cos(1.0) - 93.5 * cos(3.0) + 0.118 * cos(5.0);
        let south = 111_132.954 - 559.822 * cos(2.0) + 1.175 * cos(4.0);
        [self.step[0] * east, self.step[1] * south]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_one_reader() {
        let endings = readable_extensions();
        for (k, ending) in endings.iter().enumerate() {
            assert!(!endings[..k].contains(ending), "{ending}");
            assert!(is_heightmap(Path::new(&format!("a.{}", ending.to_uppercase()))), "{ending}");
            assert!(reader_list().contains(&format!(".{ending}")), "{ending}");
        }
        assert!(!is_heightmap(Path::new("png")) && !is_heightmap(Path::new("a.bmp")));
    }

    #[test]
    fn degrees_are_metres_at_their_latitude() {
        let degree = GeoReference {
            epsg: Some(4326),
            in_degrees: true,
            radius_metres: None,
            west: 0.0,
            north: 0.0,
            step: [1.0, 1.0],
            is_area: false,
        };
        // lengths of a degree of WGS 84 as geodesists print them
        for (latitude, east, south) in
            [(0.0, 111_319.49, 110_574.31), (45.0, 78_846.81, 111_131.78), (60.0, 55_800.0, 111_412.27)]
        {
            let [a, b] = degree.step_metres(latitude);
            assert!((a - east).abs() < 1.0 && (b - south).abs() < 1.0, "{latitude}: {a} {b}");
        }
        assert_eq!(GeoReference { in_degrees: false, ..degree }.step_metres(45.0), [1.0, 1.0]);
        // 59.3 km, as atlases of Mars have it
        let [a, b] = GeoReference { radius_metres: Some(3_396_190.0), ..degree }.step_metres(60.0);
        assert!((a - 29_637.4).abs() < 0.1 && (b - 59_274.7).abs() < 0.1, "{a} {b}");
    }
}
