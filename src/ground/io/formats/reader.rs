//! Code that all raster readers share: the list of readers, their input and output types, and checks of the size. These
//! checks run before any memory is allocated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{GeoReference, ascii_grid, exr, hgt, png, raw, tiff};
use crate::io::RasterError;
use crate::io::memory::shortage;
use crate::io::raster::MAX_SAMPLES;

/// Limits against decompression bombs. An image is refused if it decompresses to more bytes than the first number and
/// the compression ratio exceeds the second number.
const BOMB_LIMITS: (u64, u64) = (64 << 20, 500);

/// Layout of a raw file, which has no header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RawLayout {
    /// Number of samples per row; 0 for a square, or for a planet map that is twice as wide as high.
    pub width: u32,
    /// Whether the most significant byte of each number comes first.
    pub big_endian: bool,
}

/// The input of a raster reader.
pub struct RasterSource<'a> {
    /// Path of the file, for messages and for information in the file name.
    pub path: &'a Path,
    /// The complete contents of the file.
    pub bytes: &'a [u8],
    /// Layout of the numbers, for raw files only.
    pub layout: RawLayout,
}

/// The meaning of the numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleMeaning {
    /// Fractions from 0 (black) to 1 (white).
    Fractions {
        /// Heights in metres that black and white stand for, if the file states them.
        range_metres: Option<(f32, f32)>,
    },
    /// Heights in metres.
    Metres,
}

/// The output of a raster reader.
#[derive(Debug)]
pub struct DecodedRaster {
    /// Number of samples per row, at least 2.
    pub width: usize,
    /// Number of rows, at least 2.
    pub height: usize,
    /// The numbers, row by row from the north-west corner; NaN or infinite for samples without data.
    pub values: Vec<f32>,
    /// The meaning of the numbers.
    pub meaning: SampleMeaning,
    /// Position of the samples on a map, if the file states it.
    pub placement: Option<GeoReference>,
}

/// A reader of one file format.
#[derive(Debug)]
pub struct RasterReader {
    /// File extensions of the format, without the dot.
    pub extensions: &'static [&'static str],
    /// Name of the format in the window and in messages.
    pub name: &'static str,
    /// Whether files of the format lack a header, so that their width and byte order are unknown.
    pub is_raw: bool,
    pub(super) read: fn(&RasterSource) -> Result<DecodedRaster, RasterError>,
}

/// All formats that Talweg can read, in the order of messages and dialogs.
pub static RASTER_READERS: [&RasterReader; 7] =
    [&png::READER, &tiff::READER, &exr::READER, &raw::READER_16, &raw::READER_32, &hgt::READER, &ascii_grid::READER];

impl RasterReader {
    /// The reader for the extension of `path`.
    pub fn for_path(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_str()?;
        let knows = |reader: &&Self| reader.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known));
        RASTER_READERS.into_iter().find(knows)
    }

    /// Decodes the bytes of a file to numbers.
    ///
    /// # Errors
    /// When the file is broken, or needs more memory than is free.
    pub fn decode(&self, source: &RasterSource) -> Result<DecodedRaster, RasterError> {
        // Third-party decoders parse untrusted bytes, so this call turns their panics into errors.
        let read = catch_unwind(AssertUnwindSafe(|| (self.read)(source)));
        read.unwrap_or_else(|_| Err(source.unreadable(self.name, "its contents contradict each other")))
    }
}

/// Whether `path` has the extension of a readable heightmap.
pub fn is_heightmap(path: &Path) -> bool {
    RasterReader::for_path(path).is_some()
}

/// Extensions and names of all readable formats, for messages.
pub fn reader_list() -> String {
    let named = |reader: &&RasterReader| format!(".{} ({})", reader.extensions.join(", ."), reader.name);
    RASTER_READERS.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// Extensions of all readable files, for dialogs.
pub fn readable_extensions() -> Vec<&'static str> {
    RASTER_READERS.iter().flat_map(|reader| reader.extensions).copied().collect()
}

/// Refuses a file whose decoding needs at least `bytes` of memory, if less memory is free.
pub(in crate::io) fn check_room(path: &Path, bytes: u64) -> Result<(), RasterError> {
    shortage(bytes).map_or(Ok(()), |shortage| Err(RasterError::Memory { path: path.into(), shortage }))
}

impl RasterSource<'_> {
    /// The error for a broken file or an unsupported variant of the format.
    pub(super) fn unreadable(&self, format: &'static str, message: impl ToString) -> RasterError {
        RasterError::Unreadable { path: self.path.into(), format, message: message.to_string() }
    }

    /// The error for a file whose end is missing.
    pub(super) fn cut_off(&self, format: &'static str) -> RasterError {
        RasterError::CutOff { path: self.path.into(), format, bytes: self.bytes.len() as u64 }
    }

    /// Refuses an implausible size, or a size that does not fit into memory. `bytes` is the uncompressed size of the
    /// numbers. `beside` is the memory that the reader needs in addition to the decoded values.
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
        if bytes > BOMB_LIMITS.0 && bytes / BOMB_LIMITS.1 > packed {
            return Err(RasterError::Packed { path: path(), packed, unpacked: bytes });
        }
        // A decoded number takes 4 bytes. Twice as much is checked, because the vector can reserve up to twice its
        // length.
        check_room(self.path, 8 * samples + beside)
    }
}

/// Guesses the meaning of floats in a format that does not state it. The floats count as fractions if all are between 0
/// and 1 and neither a map position nor Talweg's metadata suggests metres.
pub(super) fn heights_or_fractions(values: &[f32], is_placed: bool, texts: &[(String, String)]) -> SampleMeaning {
    let known = || values.iter().filter(|v| v.is_finite());
    let range = range_of(texts);
    let is_share = known().all(|v| (0.0..=1.0).contains(v));
    let says_the_same = |(low, high): (f32, f32)| {
        let (a, b) = known().fold((f32::MAX, f32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        let near = |a: f32, b: f32| (a - b).abs() <= 1.0e-3 * (high - low).abs();
        near(a, low) && near(b, high)
    };
    match range {
        Some(range) if is_share && !says_the_same(range) => SampleMeaning::Fractions { range_metres: Some(range) },
        None if is_share && !is_placed => SampleMeaning::Fractions { range_metres: None },
        _ => SampleMeaning::Metres,
    }
}

/// Heights in metres that black and white stand for, from the metadata that Talweg writes.
pub(super) fn range_of(texts: &[(String, String)]) -> Option<(f32, f32)> {
    let metres = |key: &str| {
        let (_, text) = texts.iter().find(|(k, _)| k == key)?;
        text.trim().parse::<f32>().ok().filter(|m| m.is_finite())
    };
    metres("talweg min_metres").zip(metres("talweg max_metres"))
}

/// Whether a position and steps without a stated unit are longitude and latitude. Surveys in metres never have a step
/// below 0.1 near the origin of their coordinates, and their width is never 360.
pub(super) fn looks_like_degrees(west: f64, north: f64, step: [f64; 2], columns: usize) -> bool {
    let is_on_globe = west.abs() <= 360.0 && north.abs() <= 90.5;
    let around = step[0] * columns as f64;
    is_on_globe && (step.iter().all(|s| *s < 0.1) || (359.0..=361.0).contains(&around))
}

/// Largest plausible step and largest plausible coordinate, in metres or degrees. A file with larger numbers is broken.
const LONGEST_STEP: f64 = 1.0e8;
const FARTHEST: f64 = 1.0e12;

impl GeoReference {
    /// The map position after the samples were averaged over squares of `samples` × `samples`.
    pub(super) fn of_means(self, samples: usize) -> Self {
        let middle = 0.5 * (samples as f64 - 1.0);
        let [east, south] = self.step;
        let step = self.step.map(|step| step * samples as f64);
        Self { west: self.west + middle * east, north: self.north - middle * south, step, ..self }
    }

    /// Whether the steps and positions are plausible for a map.
    pub(in crate::io) fn is_valid(&self) -> bool {
        let is_step = |step: &f64| *step > 0.0 && *step <= LONGEST_STEP;
        let is_place = |place: f64| place.abs() <= FARTHEST;
        self.step.iter().all(is_step) && is_place(self.west) && is_place(self.north)
    }

    /// Distance between neighbouring samples in metres, to the east and to the south. If the steps are degrees,
    /// `latitude` (in degrees) selects the length of a degree. For Earth, that length comes from the series of the WGS
    /// 84 ellipsoid (NGA.STND.0036), which is accurate to a centimetre per degree. For other planets, the length is
    /// computed on a sphere.
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
        // The test compares with published lengths of a degree on the WGS 84 ellipsoid.
        for (latitude, east, south) in
            [(0.0, 111_319.49, 110_574.31), (45.0, 78_846.81, 111_131.78), (60.0, 55_800.0, 111_412.27)]
        {
            let [a, b] = degree.step_metres(latitude);
            assert!((a - east).abs() < 1.0 && (b - south).abs() < 1.0, "{latitude}: {a} {b}");
        }
        assert_eq!(GeoReference { in_degrees: false, ..degree }.step_metres(45.0), [1.0, 1.0]);
        // Atlases give 59.3 km as the length of a degree of latitude on Mars.
        let [a, b] = GeoReference { radius_metres: Some(3_396_190.0), ..degree }.step_metres(60.0);
        assert!((a - 29_637.4).abs() < 0.1 && (b - 59_274.7).abs() < 0.1, "{a} {b}");
    }
}
