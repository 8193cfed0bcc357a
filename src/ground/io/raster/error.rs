//! The reasons why a file cannot be used as a raster.

use std::path::PathBuf;

use super::{MAX_METRES, MAX_SAMPLES};
use crate::io::formats::reader_list;

/// The reason why a file could not be read as heights.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RasterError {
    /// The system could not read the file.
    #[error("cannot read {path}: {message}. Choose the file again, or compute again (F5) once it is back")]
    Read {
        /// Path of the file to read.
        path: PathBuf,
        /// Cause of the error, in words.
        message: String,
    },
    /// No heightmap format has the extension of the file.
    #[error("{path} is not a heightmap; supported formats: {}", reader_list())]
    Extension {
        /// Path of the file to read.
        path: PathBuf,
    },
    /// The file is broken, or uses an unsupported variant of the format.
    #[error("{path} cannot be read as {format}: {message}")]
    Unreadable {
        /// Path of the file to read.
        path: PathBuf,
        /// Name of the format as which the file was read.
        format: &'static str,
        /// Cause of the error, in words.
        message: String,
    },
    /// The end of the file is missing.
    #[error(
        "{path} ends too early: it has {bytes} bytes, fewer than this {format} file needs. It was cut off while it was written, copied or downloaded; download or copy it again, or export it again from its source"
    )]
    CutOff {
        /// Path of the file that ends too early.
        path: PathBuf,
        /// Name of the format as which the file was read.
        format: &'static str,
        /// Actual length of the file, in bytes.
        bytes: u64,
    },
    /// The length of a raw file matches neither a square nor a planet map.
    #[error(
        "{path} has {bytes} bytes, which is not a square of {width}-byte values; raw heightmaps must be square, or twice as wide as high (maps of planets). Set Raw width in the layer, or save it as PNG or TIFF"
    )]
    NotSquare {
        /// Path of the file to read.
        path: PathBuf,
        /// Length of the file, in bytes.
        bytes: u64,
        /// Number of bytes per value.
        width: u64,
    },
    /// The length of a raw file is not a whole number of rows of the given width.
    #[error(
        "{path} has {bytes} bytes, which is not a whole number of rows of {columns} values of {width} bytes; set Raw width to the samples per row, or to 0 if the file is square"
    )]
    NoWholeRows {
        /// Path of the file to read.
        path: PathBuf,
        /// Length of the file, in bytes.
        bytes: u64,
        /// Number of values per row that the caller gave.
        columns: u32,
        /// Number of bytes per value.
        width: u64,
    },
    /// The file has more samples than the program accepts.
    #[error(
        "{path} has more than {MAX_SAMPLES} samples; scale it down first, or save it as TIFF, which is averaged to fewer samples when it is read"
    )]
    TooLarge {
        /// Path of the file to read.
        path: PathBuf,
    },
    /// The file has fewer than 2 × 2 samples.
    #[error("{path} is smaller than 2 × 2 samples")]
    TooSmall {
        /// Path of the file to read.
        path: PathBuf,
    },
    /// A value in a raw file of floats is not a number.
    #[error("{path}: the value in row {row}, column {column} is not a number")]
    NotANumber {
        /// Path of the file to read.
        path: PathBuf,
        /// Row of the value, counted from 0 at the top.
        row: usize,
        /// Column of the value, counted from 0 at the left.
        column: usize,
    },
    /// No sample of the file has data.
    #[error("{path} has no data: every sample has the no-data value. Choose another tile or band")]
    Empty {
        /// Path of the file to read.
        path: PathBuf,
    },
    /// The heights exceed the heights on any planet.
    #[error(
        "{path}: its heights range from {low} to {high} m; the limit is {MAX_METRES} m up or down. If one of these numbers marks samples without data, set it as the no-data value"
    )]
    TooHigh {
        /// Path of the file to read.
        path: PathBuf,
        /// Lowest height in the file, in metres.
        low: f32,
        /// Highest height in the file, in metres.
        high: f32,
    },
    /// The file is small but decompresses to an excessive size.
    #[error(
        "{path}: {packed} bytes would unpack to {unpacked} bytes, so the image has a single colour or is malicious; scale it down first"
    )]
    Packed {
        /// Path of the file to read.
        path: PathBuf,
        /// Size of the file in bytes.
        packed: u64,
        /// Size of the decompressed image in bytes.
        unpacked: u64,
    },
    /// The image does not fit into memory.
    #[error("{path} {shortage}; scale it down first, or close other programs")]
    Memory {
        /// Path of the file to read.
        path: PathBuf,
        /// Required and free memory, in words.
        shortage: String,
    },
    /// No built-in stamp or elevation model has this name.
    #[error("there is no built-in stamp or elevation model `{name}`; available are {known}")]
    NotShipped {
        /// The name that the caller gave.
        name: String,
        /// The names of the built-in stamps and elevation models.
        known: String,
    },
}

impl RasterError {
    /// The same error about another file, such as the archive that contains the file.
    pub(in crate::io) fn with_path(mut self, other: &std::path::Path) -> Self {
        match &mut self {
            Self::Read { path, .. }
            | Self::Extension { path }
            | Self::Unreadable { path, .. }
            | Self::CutOff { path, .. }
            | Self::NotSquare { path, .. }
            | Self::NoWholeRows { path, .. }
            | Self::TooLarge { path }
            | Self::TooSmall { path }
            | Self::NotANumber { path, .. }
            | Self::Empty { path }
            | Self::TooHigh { path, .. }
            | Self::Packed { path, .. }
            | Self::Memory { path, .. } => *path = other.into(),
            Self::NotShipped { .. } => {}
        }
        self
    }
}
