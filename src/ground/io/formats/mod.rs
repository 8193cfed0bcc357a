//! Raster formats: the list of formats, and one source file per format with its writer and its reader. The command
//! line, the editor and the library all use [`RASTER_FORMATS`].
//!
//! | file | format |
//! |---|---|
//! | `png` | PNG of 8 or 16 bits; `png_rows` compresses its rows |
//! | `raw` | raw 16-bit whole numbers, raw 32-bit floats |
//! | `tiff` | TIFF and GeoTIFF of 8, 16 or 32 bits, cloud-optimised GeoTIFF |
//! | `exr` | OpenEXR of 32-bit floats |
//! | `ascii_grid` | ESRI ASCII grid |
//! | `hgt` | SRTM heights, read only |
//! | `gridded` | Esri's BIL, BIP, BSQ and FLT, GTOPO30, read only |
//! | `packed` | a raster in a ZIP archive, or compressed with gzip, read only |
//!
//! | file | code that all readers share |
//! |---|---|
//! | `reader` | the list of readers, their input and output, size checks |
//! | `options` | settings for reading a file |
//! | `notes` | notes about data in a file that Talweg changes, ignores or has to guess |
//! | `numbers` | which numbers are heights, fractions or missing data |
//! | `colours` | channels, transparency, heights encoded in colours |
//! | `place` | position and orientation on a map |
//! | `side_files` | files that describe a raster and have its name and folder |
//! | `coordinate_text` | coordinate systems as text |
//! | `ground_scale` | lengths on the ground in projections that change lengths |
//! | `units` | units of length and angle |
//! | `epsg` | projected coordinate systems whose unit is not the metre |

mod ascii_grid;
mod colours;
mod coordinate_text;
pub mod epsg;
mod exr;
mod gridded;
mod ground_scale;
mod hgt;
mod notes;
mod numbers;
mod options;
mod packed;
mod place;
mod png;
pub mod png_rows;
mod raw;
mod reader;
mod side_files;
mod tiff;
mod units;

use std::io::{Seek, Write};
use std::ops::Range;
use std::path::Path;

pub use self::exr::EXR;
pub use self::png::PNG;
pub use self::raw::{R16, R32};
pub use ground_scale::map_scale;
pub use notes::RasterNote;
pub(super) use numbers::short_number;
pub use options::{HeightUnit, NoDataRule, NumberMeaning, ReadOptions};
pub use reader::{
    DecodedRaster, RASTER_READERS, RasterReader, RasterSource, SampleMeaning, is_heightmap, readable_extensions,
    reader_list,
};
pub(super) use reader::{check_picture_size, check_room};
pub(super) use side_files::side_stamps;
pub use side_files::{SideFiles, side_files};

use super::FileError;
use crate::field::Control;

/// Position of the samples of a raster on a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoReference {
    /// EPSG code of the coordinate system; `None` for metres without a known location.
    pub epsg: Option<u16>,
    /// Whether coordinates are degrees rather than metres.
    pub in_degrees: bool,
    /// Radius in metres of the planet that the degrees refer to; `None` for Earth.
    pub radius_metres: Option<f64>,
    /// Easting (in metres) or longitude (in degrees) of the first column of samples.
    pub west: f64,
    /// Northing (in metres) or latitude (in degrees) of the first row of samples.
    pub north: f64,
    /// Distances between neighbouring samples to the east and to the south, in metres or degrees; both are positive.
    pub step: [f64; 2],
    /// Whether samples represent areas rather than points. If they do, [`west`](Self::west) and [`north`](Self::north)
    /// belong to the centre of the first area.
    pub is_area: bool,
}

/// The type of the numbers in a raster file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleType {
    /// Whole numbers from 0 to 255.
    U8,
    /// Whole numbers from 0 to 65535.
    U16,
    /// 32-bit floats.
    F32,
}

impl SampleType {
    /// Number of bytes per number.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::F32 => 4,
        }
    }
}

/// A function that computes the numbers in some columns of a row, with all channels of a sample side by side.
pub type SampleRow<'a, T> = &'a (dyn Fn(usize, Range<usize>, &mut [T]) + Sync);

/// A function that computes the numbers of rows one by one; `at` returns the number at a row, a column and a channel.
pub fn each_number<T>(at: impl Fn(usize, usize, usize) -> T + Sync) -> impl Fn(usize, Range<usize>, &mut [T]) + Sync {
    move |row, columns, out| {
        let channels = out.len() / columns.len().max(1);
        for (sample, column) in out.chunks_exact_mut(channels.max(1)).zip(columns) {
            sample.iter_mut().enumerate().for_each(|(channel, out)| *out = at(row, column, channel));
        }
    }
}

/// The numbers of a raster. The writer computes them on demand, so that no copy is needed.
#[derive(Clone, Copy)]
pub enum Samples<'a> {
    /// Numbers of [`SampleType::U8`].
    U8(SampleRow<'a, u8>),
    /// Numbers of [`SampleType::U16`].
    U16(SampleRow<'a, u16>),
    /// Numbers of [`SampleType::F32`].
    F32(SampleRow<'a, f32>),
}

impl Samples<'_> {
    /// The type of the numbers.
    pub fn kind(&self) -> SampleType {
        match self {
            Self::U8(_) => SampleType::U8,
            Self::U16(_) => SampleType::U16,
            Self::F32(_) => SampleType::F32,
        }
    }
}

/// The data of a raster file to be written.
#[derive(Clone, Copy)]
pub struct RasterSheet<'a> {
    /// Number of samples per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Number of channels: 1 (grey), 3 (red, green, blue) or 4 (four weights, or red, green, blue, alpha).
    pub channels: usize,
    /// The numbers of all channels, computed row by row.
    pub samples: Samples<'a>,
    /// Whether the numbers are sRGB colours and not data; only for three channels of 8 bits.
    pub is_srgb: bool,
    /// Colours of the values 0, 1, 2, …, for an 8-bit raster with one channel.
    pub palette: Option<&'a [[u8; 3]]>,
    /// Position of the samples on a map, if it is known.
    pub placement: Option<GeoReference>,
    /// The number that marks samples without data, if there is one.
    pub nodata: Option<f32>,
    /// Metadata as pairs of keyword and text, for formats that support it.
    pub texts: &'a [(String, String)],
    /// Whether the most significant byte of each number comes first; only for raw formats.
    pub big_endian: bool,
    /// Control that can cancel the writing, if there is one.
    pub control: Option<&'a Control>,
}

impl RasterSheet<'_> {
    /// A raster of one channel filled with 0. The caller then sets the other fields.
    pub fn grey(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            channels: 1,
            samples: Samples::U8(&|_, _, out| out.fill(0)),
            is_srgb: false,
            palette: None,
            placement: None,
            nodata: None,
            texts: &[],
            big_endian: false,
            control: None,
        }
    }

    /// Fails if writing was cancelled. The formats call this function between rows, strips or tiles.
    pub(super) fn check(&self) -> std::io::Result<()> {
        self.control.map_or(Ok(()), |control| control.check().map_err(std::io::Error::other))
    }

    /// The numbers in some columns of a row, converted to floats.
    pub(super) fn floats(&self, row: usize, columns: Range<usize>, out: &mut [f32]) {
        match self.samples {
            Samples::U8(of_row) => {
                let mut numbers = vec![0; out.len()];
                of_row(row, columns, &mut numbers);
                out.iter_mut().zip(numbers).for_each(|(out, number)| *out = f32::from(number));
            }
            Samples::U16(of_row) => {
                let mut numbers = vec![0; out.len()];
                of_row(row, columns, &mut numbers);
                out.iter_mut().zip(numbers).for_each(|(out, number)| *out = f32::from(number));
            }
            Samples::F32(of_row) => of_row(row, columns, out),
        }
    }

    /// Uncompressed size of all numbers, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.width * self.height * self.channels * self.samples.kind().bytes()) as u64
    }

    /// Calls a function with the bytes of each row, from the north to the south.
    pub(super) fn each_row(
        &self,
        big_endian: bool,
        mut write: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut bytes = vec![0; self.width * self.channels * self.samples.kind().bytes()];
        let mut of_row = self.row_bytes(big_endian);
        for row in 0..self.height {
            self.check()?;
            of_row(row, &mut bytes);
            write(&bytes)?;
        }
        Ok(())
    }

    /// A function that computes the bytes of a row.
    pub(super) fn row_bytes(&self, big_endian: bool) -> RowBytes<'_> {
        fn bytes_by<'a, T: Copy + Default + 'a, const N: usize>(
            (width, channels): (usize, usize),
            of_row: SampleRow<'a, T>,
            to_bytes: impl Fn(T) -> [u8; N] + 'a,
        ) -> RowBytes<'a> {
            let mut numbers = vec![T::default(); width * channels];
            Box::new(move |row, out| {
                of_row(row, 0..width, &mut numbers);
                out.as_chunks_mut().0.iter_mut().zip(&numbers).for_each(|(out, &number)| *out = to_bytes(number));
            })
        }
        let size = (self.width, self.channels);
        match (self.samples, big_endian) {
            (Samples::U8(of_row), _) => Box::new(move |row, out| of_row(row, 0..size.0, out)),
            (Samples::U16(of_row), true) => bytes_by(size, of_row, u16::to_be_bytes),
            (Samples::U16(of_row), false) => bytes_by(size, of_row, u16::to_le_bytes),
            (Samples::F32(of_row), true) => bytes_by(size, of_row, f32::to_be_bytes),
            (Samples::F32(of_row), false) => bytes_by(size, of_row, f32::to_le_bytes),
        }
    }
}

/// Computes the bytes of a row.
type RowBytes<'a> = Box<dyn FnMut(usize, &mut [u8]) + 'a>;

/// An output file. It is seekable because formats with a table of contents write that table last.
pub trait RasterOut: Write + Seek {}

impl<T: Write + Seek> RasterOut for T {}

/// A raster format that Talweg can write, with its abilities and its writer.
#[derive(Debug)]
pub struct RasterFormat {
    /// Name of the format on the command line and in scenes.
    pub id: &'static str,
    /// File extensions of the format, without the leading dot; the usual extension is first.
    pub extensions: &'static [&'static str],
    /// Name of the format in the window.
    pub name: &'static str,
    /// Short description of the format.
    pub help: &'static str,
    /// Number types that the format supports.
    pub kinds: &'static [SampleType],
    /// Maximum number of channels that the format supports.
    pub channels: usize,
    /// Whether the format can store a position on a map.
    pub has_placement: bool,
    /// Whether the format can store metadata, such as the scene.
    pub has_texts: bool,
    write: fn(&RasterSheet, &mut dyn RasterOut) -> std::io::Result<()>,
    read_texts: Option<fn(&Path) -> std::io::Result<Texts>>,
}

/// Metadata as pairs of keyword and text.
pub type Texts = Vec<(String, String)>;

/// Maximum total length in bytes of the texts that are read from a file, after decompression. Scenes are shorter.
pub const MAX_TEXT: usize = 32 << 20;

/// The error for a file whose texts are longer than [`MAX_TEXT`].
pub fn texts_too_long() -> std::io::Error {
    let told = format!("its texts unpack to more than {} MiB, which is more than any scene needs", MAX_TEXT >> 20);
    std::io::Error::new(std::io::ErrorKind::FileTooLarge, told)
}

/// All formats that Talweg can write, in menu order.
pub static RASTER_FORMATS: [&RasterFormat; 7] =
    [&PNG, &R16, &R32, &tiff::TIFF, &tiff::CLOUD_OPTIMISED, &EXR, &ascii_grid::ASCII_GRID];

impl RasterFormat {
    /// The format called `id`.
    pub fn named(id: &str) -> Option<&'static Self> {
        RASTER_FORMATS.into_iter().find(|format| format.id == id)
    }

    /// The format for the extension of `path`.
    ///
    /// # Errors
    /// When no format has this extension; the error lists all known ones.
    pub fn for_path(path: &Path) -> Result<&'static Self, FileError> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("").to_ascii_lowercase();
        let ending = |format: &&Self| {
            let fits = |end: &&&str| name.strip_suffix(**end).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'));
            format.extensions.iter().filter(fits).map(|end| end.len()).max()
        };
        // The longest matching extension decides: `.cog.tif` has precedence over `.tif`.
        let found = RASTER_FORMATS.into_iter().filter(|format| ending(format).is_some()).max_by_key(ending);
        found.ok_or_else(|| match path.extension().and_then(|e| e.to_str()) {
            None | Some("") => FileError::NoExtension { path: path.into() },
            Some(extension) => FileError::Extension { path: path.into(), extension: format!(".{extension}") },
        })
    }

    /// The usual file extension of the format.
    pub fn extension(&self) -> &'static str {
        self.extensions[0]
    }

    /// Whether the format supports a number type.
    pub fn holds(&self, kind: SampleType) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether Talweg can read the metadata of files in this format.
    pub fn reads_texts(&self) -> bool {
        self.read_texts.is_some()
    }

    /// Reads the metadata of a file as pairs of keyword and text.
    ///
    /// # Errors
    /// When the file cannot be read, or has another format.
    pub fn read_texts(&self, path: &Path) -> std::io::Result<Texts> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a file"));
        }
        self.read_texts.map_or(Ok(Texts::new()), |read| read(path))
    }

    /// Writes a raster whose number type and channel count the format [supports](Self::holds).
    ///
    /// # Errors
    /// When the file cannot be written, or the format cannot store the raster.
    pub fn write(&self, sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
        if !self.holds(sheet.samples.kind()) || sheet.channels > self.channels {
            let message =
                format!("{} cannot store {} channels of {:?}", self.name, sheet.channels, sheet.samples.kind());
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
        }
        (self.write)(sheet, out)
    }
}

/// Extensions and names of all formats that Talweg can write, for messages.
pub fn format_list() -> String {
    let named = |format: &&RasterFormat| format!(".{} ({})", format.extension(), format.name);
    RASTER_FORMATS.iter().map(named).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_ending_decides() {
        let id = |name: &str| RasterFormat::for_path(Path::new(name)).map(|format| format.id);
        assert_eq!(id("a.cog.tif").unwrap(), "cog");
        assert_eq!(id("a.b.TIF").unwrap(), "tiff");
        assert_eq!(id("a.raw").unwrap(), "r16");
        assert!(id(".png").is_err() && id("png").is_err() && id("a.bmp").is_err());
    }

    #[test]
    fn a_cancelled_write_leaves_nothing_and_reads_only_a_part() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (n, last) = (1400, 300);
        for format in RASTER_FORMATS {
            let (control, asked) = (Control::default(), AtomicUsize::new(0));
            // The values are random, so that compression takes a while.
            let number = |row: usize, column: usize| {
                if row == last {
                    control.cancel();
                }
                asked.fetch_add(1, Ordering::Relaxed);
                ((row * 7919 + column * 104_729) as u32).wrapping_mul(2_654_435_761)
            };
            let floats = each_number(|row, column, _| number(row, column) as f32);
            let words = each_number(|row, column, _| number(row, column) as u16);
            let is_float = format.holds(SampleType::F32);
            let samples = if is_float { Samples::F32(&floats) } else { Samples::U16(&words) };
            let sheet = RasterSheet { samples, control: Some(&control), ..RasterSheet::grey(n, n) };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("a.{}", format.extension()));
            let staged = crate::io::StagedFile::new_while(&path, &control, |file| format.write(&sheet, file));
            assert!(staged.unwrap_err().is_cancelled(), "{}", format.id);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{}", format.id);
            // OpenEXR reads all values before it compresses the first row, and compresses them on all threads.
            let most = if format.id == "exr" { n * n } else { (last + 520) * n };
            assert!(asked.load(Ordering::Relaxed) <= most, "{}: {asked:?}", format.id);
        }
    }

    #[test]
    fn identifiers_and_endings_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for format in RASTER_FORMATS {
            assert!(seen.insert(format.id), "{}", format.id);
            assert!(format.extensions.iter().all(|end| seen.insert(end) || *end == format.id), "{}", format.id);
            assert!(std::ptr::eq(RasterFormat::named(format.id).unwrap(), format));
        }
    }
}
