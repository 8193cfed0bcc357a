//! Code that all raster readers share: the list of readers, their input and output types, and size checks. Readers
//! check the size before they allocate memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::notes::RasterNote;
use super::numbers::NumberStatement;
use super::options::ReadOptions;
use super::place::{CoordinateSystem, MapTransform, Position, position};
use super::side_files::{AuxiliaryMetadata, SideFiles};
use super::{GeoReference, ascii_grid, exr, gridded, hgt, packed, png, raw, tiff};
use crate::io::RasterError;
use crate::io::memory::shortage;
use crate::io::raster::MAX_SAMPLES;

/// Limits against decompression bombs. An image is refused if it decompresses to more bytes than the first number and
/// the compression ratio exceeds the second number.
const BOMB_LIMITS: (u64, u64) = (64 << 20, 500);

/// The input of a raster reader.
pub struct RasterSource<'a> {
    /// Path of the file, for messages and for information in the file name.
    pub path: &'a Path,
    /// The complete contents of the file.
    pub bytes: &'a Arc<Vec<u8>>,
    /// Settings for reading the file.
    pub options: ReadOptions,
    /// The side files that describe the file.
    pub sides: &'a SideFiles,
}

/// No side files, for sources in memory.
static NO_SIDE_FILES: LazyLock<SideFiles> = LazyLock::new(SideFiles::default);

/// The meaning of the numbers in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SampleMeaning {
    /// Fractions from 0 (black) to 1 (white).
    Fractions {
        /// Heights in metres that black and white stand for, if the file states them.
        range_metres: Option<(f32, f32)>,
    },
    /// Heights in metres.
    #[default]
    Metres,
}

/// The output of a raster reader.
#[derive(Debug, Default)]
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
    /// Distances between neighbouring samples on the ground in metres, to the east and to the south, if they do not
    /// follow from the position.
    pub cell_metres: Option<[f64; 2]>,
    /// Name of the format that the contents have.
    pub format: &'static str,
    /// Type of the numbers in the file, in words.
    pub numbers: String,
    /// The no-data value that the file states.
    pub no_data: Option<f64>,
    /// Names of all channels of the file; empty if the format has a single channel.
    pub channels: Vec<String>,
    /// Name of the channel that was read, if the file has several.
    pub channel: Option<String>,
    /// Notes about data in the file that the reader changed, ignored or had to guess.
    pub notes: Vec<RasterNote>,
}

impl DecodedRaster {
    /// Reverses the order of the rows.
    pub(super) fn reverse_rows(&mut self) {
        let width = self.width;
        for row in 0..self.height / 2 {
            let (upper, lower) = self.values.split_at_mut((self.height - 1 - row) * width);
            upper[row * width..][..width].swap_with_slice(&mut lower[..width]);
        }
    }

    /// Reverses the order of the columns.
    fn reverse_columns(&mut self) {
        self.values.chunks_exact_mut(self.width).for_each(<[f32]>::reverse);
    }
}

/// Sets the position of a raster, and reverses its rows and columns where they do not run as on a map. The raster holds
/// averages over squares of `mean` × `mean` samples.
pub(super) fn apply_position(decoded: &mut DecodedRaster, position: Position, mean: usize, options: &ReadOptions) {
    if position.reverses_rows != options.first_row_is_south {
        decoded.reverse_rows();
    }
    if position.reverses_columns {
        decoded.reverse_columns();
    }
    decoded.placement = position.placement.map(|place| place.of_means(mean));
    decoded.cell_metres = position.cell_metres.map(|cell| cell.map(|metres| metres * mean as f64));
}

/// The position and the metadata of a raster in its side files, for formats that cannot store a position.
pub(super) struct SideInfo {
    affine: Option<MapTransform>,
    system: CoordinateSystem,
    metadata: AuxiliaryMetadata,
}

impl SideInfo {
    pub fn read(source: &RasterSource, notes: &mut Vec<RasterNote>) -> Self {
        let metadata = source.sides.auxiliary_metadata();
        let mut affine = metadata.affine;
        if affine.is_some() {
            notes.push(RasterNote::new("side-file", "its position is read from its .aux.xml file"));
        } else if let Some((world, name)) = source.sides.world_affine() {
            notes.push(RasterNote::new("side-file", format!("its position is read from {name}")));
            affine = Some(world);
        }
        if affine.is_none() && metadata.has_control_points {
            notes.push(RasterNote::new(
                "control-points",
                "it has only ground control points, so its position and size are unknown; `gdalwarp -tps IN OUT.tif` makes a regular grid",
            ));
        }
        if let Some((name, None)) = &metadata.unit {
            notes.push(RasterNote::new(
                "unknown-unit",
                format!("its unit of height is `{name}`, which is unknown; its heights are read as metres. Set Unit"),
            ));
        }
        let system = match (&metadata.system, source.sides.system()) {
            (Some(system), _) => system.clone(),
            (None, Some((system, name))) => {
                notes.push(RasterNote::new("side-file", format!("its coordinate system is read from {name}")));
                system
            }
            (None, None) => CoordinateSystem::default(),
        };
        Self { affine, system, metadata }
    }

    /// Whether the side files state a position, even an unusable one.
    pub fn is_placed(&self) -> bool {
        self.affine.is_some() || self.metadata.has_control_points
    }

    /// Adds information from the side file `.aux.xml` to the file's own statement about its numbers.
    pub fn complete(&self, statement: NumberStatement) -> NumberStatement {
        let metadata = &self.metadata;
        NumberStatement {
            no_data: statement.no_data.or(metadata.no_data),
            scale: statement.scale.or(metadata.scale),
            offset: statement.offset.or(metadata.offset),
            unit_metres: statement.unit_metres.or(metadata.unit.as_ref().and_then(|(_, metres)| *metres)),
            ..statement
        }
    }

    /// Adds the position and the notes to a raster. `own` is the position that the file itself states; the order of
    /// precedence is `.aux.xml`, `own`, a world file. If there is no position, `cell` is the distance between samples
    /// that the file states.
    pub fn finish(
        self,
        mut decoded: DecodedRaster,
        own: Option<MapTransform>,
        cell: Option<[f64; 2]>,
        options: &ReadOptions,
        mut notes: Vec<RasterNote>,
    ) -> DecodedRaster {
        let is_area = !self.metadata.is_point;
        let affine = self.metadata.affine.or(own).or(self.affine);
        let size = [decoded.width, decoded.height];
        let found = match affine {
            Some(affine) => position(affine, size, &self.system, is_area, &mut notes),
            None => Position { cell_metres: cell, ..Position::default() },
        };
        apply_position(&mut decoded, found, 1, options);
        DecodedRaster { notes, ..decoded }
    }
}

/// Distance between samples in metres, from the metadata that Talweg writes.
pub(super) fn cell_of(texts: &[(String, String)]) -> Option<[f64; 2]> {
    let (_, text) = texts.iter().find(|(key, _)| key == "talweg cell_metres")?;
    // Talweg writes the number as a 32-bit float.
    let metres = text.trim().parse::<f32>().ok().filter(|metres| (1.0e-6..=1.0e8).contains(metres))?;
    Some([f64::from(metres); 2])
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
pub static RASTER_READERS: [&RasterReader; 9] = [
    &png::READER,
    &tiff::READER,
    &exr::READER,
    &raw::READER_16,
    &raw::READER_32,
    &hgt::READER,
    &ascii_grid::READER,
    &gridded::READER,
    &packed::READER,
];

/// First bytes of formats that Talweg reads, with their readers.
static SIGNATURES: [(&[u8], &RasterReader); 8] = [
    (b"\x89PNG\r\n\x1a\n", &png::READER),
    (b"II*\0", &tiff::READER),
    (b"MM\0*", &tiff::READER),
    (b"II+\0", &tiff::READER),
    (b"MM\0+", &tiff::READER),
    (b"\x76\x2f\x31\x01", &exr::READER),
    (b"PK\x03\x04", &packed::READER),
    (b"\x1f\x8b\x08", &packed::READER),
];

/// First bytes of formats that Talweg does not read, with their names and the advice for the user.
const UNSUPPORTED_SIGNATURES: [(&[u8], &str); 12] = [
    (b"\xff\xd8\xff", "a JPEG picture; save the heights as TIFF, or as PNG of 16 bits"),
    (b"GIF8", "a GIF picture; save the heights as TIFF, or as PNG of 16 bits"),
    (b"BM", "a BMP picture; save the heights as TIFF, or as PNG of 16 bits"),
    (b"RIFF", "a WebP picture; save the heights as TIFF, or as PNG of 16 bits"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 picture; save the heights as TIFF, or as PNG of 16 bits"),
    (b"CDF\x01", "a NetCDF file; `gdal_translate IN OUT.tif` converts it"),
    (b"CDF\x02", "a NetCDF file; `gdal_translate IN OUT.tif` converts it"),
    (b"\x89HDF", "an HDF5 or NetCDF file; `gdal_translate IN OUT.tif` converts it"),
    (b"GRIB", "a GRIB file; `gdal_translate IN OUT.tif` converts it"),
    (b"glTF", "a glTF mesh; give it the extension .glb"),
    (b"%PDF", "a PDF document; download or export the heights again"),
    (b"<!DOCTYPE", "a web page, perhaps the answer of a server that refused the download; download the file again"),
];

impl RasterReader {
    /// The reader for the extension of `path`.
    pub fn for_path(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_str()?;
        let knows = |reader: &&Self| reader.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known));
        RASTER_READERS.into_iter().find(knows)
    }

    /// Decodes the bytes of a file to numbers. If the contents have another format than the extension says, the reader
    /// for that format decodes them.
    ///
    /// # Errors
    /// When the file is broken, or needs more memory than is free.
    pub fn decode(&self, source: &RasterSource) -> Result<DecodedRaster, RasterError> {
        let begins = |signature: &[u8]| source.bytes.starts_with(signature);
        let actual = SIGNATURES.iter().find(|(signature, _)| begins(signature)).map(|(_, reader)| *reader);
        // Raw numbers can begin like any other file.
        let actual = actual.filter(|_| !self.is_raw).unwrap_or(self);
        if !self.is_raw
            && let Some((_, name)) = UNSUPPORTED_SIGNATURES.iter().find(|(signature, _)| begins(signature))
        {
            return Err(source.unreadable(self.name, format!("it is {name}")));
        }
        // Third-party decoders parse untrusted bytes, so this call turns their panics into errors.
        let read = catch_unwind(AssertUnwindSafe(|| (actual.read)(source)));
        let mut decoded = read.unwrap_or_else(|_| {
            Err(source.unreadable(
                actual.name,
                "its contents contradict each other, so it is probably damaged. Download or copy it again",
            ))
        })?;
        // A raster inside an archive keeps its own format.
        if decoded.format.is_empty() {
            decoded.format = actual.name;
        }
        if actual.name != self.name {
            decoded.notes.push(RasterNote::new(
                "wrong-extension",
                format!("its extension is wrong: its contents are {} and are read as this format", actual.name),
            ));
        }
        Ok(decoded)
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

/// Refuses the file at `path` if less than `bytes` of memory is free.
pub(in crate::io) fn check_room(path: &Path, bytes: u64) -> Result<(), RasterError> {
    shortage(bytes).map_or(Ok(()), |shortage| Err(RasterError::Memory { path: path.into(), shortage }))
}

impl<'a> RasterSource<'a> {
    /// A source with default settings and without side files.
    pub fn new(path: &'a Path, bytes: &'a Arc<Vec<u8>>) -> Self {
        Self { path, bytes, options: ReadOptions::default(), sides: &NO_SIDE_FILES }
    }

    /// The error for a broken file or an unsupported variant of the format.
    pub(super) fn unreadable(&self, format: &'static str, message: impl ToString) -> RasterError {
        RasterError::Unreadable { path: self.path.into(), format, message: message.to_string() }
    }

    /// The error for a file whose end is missing.
    pub(super) fn cut_off(&self, format: &'static str) -> RasterError {
        RasterError::CutOff { path: self.path.into(), format, bytes: self.bytes.len() as u64 }
    }

    /// Refuses an implausible size, or a size that does not fit into memory. `bytes` is the uncompressed size of the
    /// numbers. `beside` is the memory in bytes that the reader needs in addition to the decoded values.
    pub(super) fn check_size(&self, width: u64, height: u64, bytes: u64, beside: u64) -> Result<(), RasterError> {
        let path = || self.path.into();
        let samples = width.saturating_mul(height);
        if samples > MAX_SAMPLES {
            return Err(RasterError::TooLarge { path: path() });
        }
        if width < 2 || height < 2 {
            return Err(RasterError::TooSmall { path: path() });
        }
        self.check_packed(bytes)?;
        // A decoded number takes 4 bytes. The check asks for 8, because the vector can reserve up to twice its length.
        check_room(self.path, (8 * samples).saturating_add(beside))
    }

    /// Refuses a file that unpacks to an implausible number of bytes.
    pub(super) fn check_packed(&self, unpacked: u64) -> Result<(), RasterError> {
        let packed = self.bytes.len() as u64;
        if unpacked > BOMB_LIMITS.0 && unpacked / BOMB_LIMITS.1 > packed {
            return Err(RasterError::Packed { path: self.path.into(), packed, unpacked });
        }
        Ok(())
    }
}

/// Refuses an image with an implausible number of pixels, or one that does not fit into memory with `channels` numbers
/// and bytes per pixel.
pub(in crate::io) fn check_picture_size(
    source: &RasterSource,
    width: usize,
    height: usize,
    channels: usize,
) -> Result<(), RasterError> {
    let bytes = (width * height * channels) as u64;
    source.check_size(width as u64, height as u64, bytes, 4 * bytes)
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
    pub(super) fn is_valid(&self) -> bool {
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
