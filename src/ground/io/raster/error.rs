//! Why a file is no raster that can be used.

use std::path::PathBuf;

use super::{MAX_METRES, MAX_SAMPLES};
use crate::io::formats::reader_list;

/// Why a file could not be read as heights.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RasterError {
    /// The system refused.
    #[error("cannot read {path}: {message}. Choose the file again, or compute again (F5) once it is back")]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong, in words.
        message: String,
    },
    /// The ending is that of no heightmap.
    #[error("{path} is not a heightmap: give {}", reader_list())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The file is broken, or of a kind that is not read.
    #[error("{path} is no {format} that can be read: {message}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Name of the format that its ending stands for.
        format: &'static str,
        /// What is wrong, in words.
        message: String,
    },
    /// The end of the file is not there.
    #[error(
        "{path} ends too early: it has {bytes} bytes, and there should be more of this {format} file. It was cut off while it \
         was written, copied or fetched; fetch or copy it again, or export it again where it comes from"
    )]
    CutOff {
        /// The file.
        path: PathBuf,
        /// Name of the format that its ending stands for.
        format: &'static str,
        /// Bytes that are there.
        bytes: u64,
    },
    /// A raw file whose length fits no square and no map of a planet.
    #[error(
        "{path} has {bytes} bytes, which is no square of {width}-byte values; raw heightmaps must be square, or twice as \
         wide as high (maps of planets), unless the layer says how wide they are (Raw width), or save it as PNG or TIFF"
    )]
    NotSquare {
        /// The file.
        path: PathBuf,
        /// Length of the file.
        bytes: u64,
        /// Bytes of a value.
        width: u64,
    },
    /// A raw file that has no whole number of rows of the width that was given.
    #[error(
        "{path} has {bytes} bytes, which are no whole rows of {columns} values of {width} bytes; set Raw width to the \
         samples of a row, or to 0 where the file is square"
    )]
    NoWholeRows {
        /// The file.
        path: PathBuf,
        /// Length of the file.
        bytes: u64,
        /// Values of a row, as they were given.
        columns: u32,
        /// Bytes of a value.
        width: u64,
    },
    /// More samples than a program should take into memory.
    #[error(
        "{path} has more than {MAX_SAMPLES} samples; scale it down first, or save it as TIFF, of which means of several \
         samples are read then"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Fewer than 2 × 2 samples.
    #[error("{path} is smaller than 2 × 2 samples")]
    TooSmall {
        /// The file.
        path: PathBuf,
    },
    /// A raw float is not a number.
    #[error("{path}: the value in row {row}, column {column} is not a number")]
    NotANumber {
        /// The file.
        path: PathBuf,
        /// From 0, from the top.
        row: usize,
        /// From 0, from the left.
        column: usize,
    },
    /// All samples are without data.
    #[error("{path} has no data: every sample has the number that stands for none. Choose another tile or band")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Heights of no planet.
    #[error("{path}: its heights go from {low} to {high} m; {MAX_METRES} m up or down is the most")]
    TooHigh {
        /// The file.
        path: PathBuf,
        /// Lowest height.
        low: f32,
        /// Highest height.
        high: f32,
    },
    /// A small file that would fill the memory.
    #[error(
        "{path}: {packed} bytes would unpack to {unpacked}, which is one colour or a trap; scale the picture down first"
    )]
    Packed {
        /// The file.
        path: PathBuf,
        /// Bytes of the file.
        packed: u64,
        /// Bytes of its picture.
        unpacked: u64,
    },
    /// It would not fit into memory.
    #[error("{path} {shortage}; scale it down first, or end other programs")]
    Memory {
        /// The file.
        path: PathBuf,
        /// What it needs and what is free.
        shortage: String,
    },
    /// No stamp or elevation model of this name is shipped.
    #[error("there is no shipped stamp or elevation model `{name}`; there are {known}")]
    NotShipped {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
}
