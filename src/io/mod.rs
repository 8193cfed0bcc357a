//! Files in and out. Whatever is written is never half-written: temporary file in the same folder, flush, sync, rename.

mod field;
mod heightmap;
pub mod memory;
mod raster;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub use field::{FieldReport, FieldSheet, export_field};
pub use heightmap::{ExportReport, HeightSheet, HeightmapFormat, export_heightmap, export_sheet};
pub(crate) use raster::catmull_rom;
pub use raster::{Raster, RasterError, STAMP_PREFIX, forget_rasters, is_heightmap, raster, stamp_names};

/// The RON that scenes, biome tables and construction trees are written in.
pub(crate) fn ron_dialect() -> ron::Options {
    ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The folder that the file shall be in does not exist.
    #[error("cannot write {path}: there is no folder {folder}. Make it first, or choose another one")]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// There is a folder of that name.
    #[error("cannot write {path}: it is a folder. Give the name of a file")]
    IsFolder {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot write {path}: {source}. A file that was there before is untouched")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The ending is that of no known format.
    #[error("cannot write {path}: `{extension}` is not a heightmap format; known are {}", HeightmapFormat::LIST)]
    Extension {
        /// The file.
        path: PathBuf,
        /// The ending, with its dot.
        extension: String,
    },
    /// The name has no ending.
    #[error("cannot write {path}: the name has no ending, which says the format; known are {}", HeightmapFormat::LIST)]
    NoExtension {
        /// The file.
        path: PathBuf,
    },
}

/// Replaces `path` in one step by what `write` writes. If anything fails the old file stays.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<(), FileError> {
    let failed = |source| FileError::Write { path: path.into(), source };
    check_place(path)?;
    let mut file = atomic_write_file::AtomicWriteFile::open(path).map_err(failed)?;
    {
        let mut buffer = BufWriter::with_capacity(1 << 16, file.as_file_mut());
        write(&mut buffer).and_then(|()| buffer.flush()).map_err(failed)?;
    }
    file.commit().map_err(failed)
}

/// Says early what would keep `path` from being written: before a long computation, not after it.
pub fn check_place(path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Err(FileError::IsFolder { path: path.into() });
    }
    match path.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        Some(folder) => Err(FileError::NoFolder { path: path.into(), folder: folder.into() }),
        None => Ok(()),
    }
}
