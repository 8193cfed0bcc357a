//! Compressed rasters: a ZIP archive with one raster, such as `N46E007.hgt.zip`, or a raster compressed with gzip.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::reader::{DecodedRaster, RasterReader, RasterSource, check_room};
use crate::io::RasterError;
use crate::io::raster::MAX_SAMPLES;

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["zip", "gz"], name: "packed raster", is_raw: false, read };

/// Maximum size in bytes of an unpacked file.
const MOST_BYTES: u64 = 8 * MAX_SAMPLES;
/// Maximum number of files in an archive.
const MOST_FILES: usize = 10_000;

/// Number of bytes that are unpacked before the free memory is checked again.
const STEP_BYTES: u64 = 32 << 20;

fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |message: String| source.unreadable(READER.name, message);
    let damaged = |error: &dyn std::fmt::Display| failed(format!("it is damaged ({error}). Download or copy it again"));
    let (name, bytes) = if source.bytes.starts_with(&[0x1f, 0x8b]) {
        let inner = source.path.with_extension("");
        (inner, unpacked(flate2::read::GzDecoder::new(&source.bytes[..]), source)?)
    } else {
        let mut archive = zip::ZipArchive::new(Cursor::new(&source.bytes[..])).map_err(|error| damaged(&error))?;
        let at = only_raster(&mut archive).map_err(failed)?;
        let file = archive.by_index(at).map_err(|error| damaged(&error))?;
        let name = Path::new(&*file.name().map_err(|error| damaged(&error))?)
            .file_name()
            .map(PathBuf::from)
            .unwrap_or_default();
        source.check_packed(file.size())?;
        (name, unpacked(file, source)?)
    };
    let Some(reader) = RasterReader::for_path(&name).filter(|reader| reader.name != READER.name) else {
        return Err(failed(format!(
            "it contains {}, which is not a heightmap; unpack it and choose a heightmap",
            name.display()
        )));
    };
    let bytes = Arc::new(bytes);
    let inner = RasterSource { path: &name, bytes: &bytes, options: source.options, sides: source.sides };
    // An error names the archive, which is the file that the user chose.
    reader.decode(&inner).map_err(|error| error.with_path(source.path))
}

/// Unpacks a file. A small file can unpack to any size, so this function checks the size as the data grow.
fn unpacked(mut packed: impl Read, source: &RasterSource) -> Result<Vec<u8>, RasterError> {
    let mut bytes = Vec::new();
    loop {
        let done = bytes.len() as u64;
        let read = packed.by_ref().take(STEP_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| {
            source.unreadable(READER.name, format!("it is damaged ({error}). Download or copy it again"))
        })?;
        let length = bytes.len() as u64;
        if length > MOST_BYTES {
            return Err(RasterError::TooLarge { path: source.path.into() });
        }
        source.check_packed(length)?;
        if length == done {
            return Ok(bytes);
        }
        // When the vector grows, its contents are copied to a vector of twice the size.
        check_room(source.path, 2 * length + STEP_BYTES)?;
    }
}

/// Index of the only raster in an archive.
fn only_raster(archive: &mut zip::ZipArchive<Cursor<&[u8]>>) -> Result<usize, String> {
    if archive.len() > MOST_FILES {
        return Err(format!("it contains more than {MOST_FILES} files; unpack it and choose one of them"));
    }
    let is_raster = |name: &str| {
        RasterReader::for_path(Path::new(name)).is_some_and(|reader| reader.name != READER.name)
            && !name.starts_with("__MACOSX")
    };
    // Names that are not valid text are skipped: their format is unknown.
    let names: Vec<String> = archive.file_names().flatten().map(String::from).filter(|name| is_raster(name)).collect();
    match &names[..] {
        [name] => {
            archive.index_for_name(name).ok_or_else(|| format!("its list of files has {name}, but the file is missing"))
        }
        [] => Err("it contains no heightmap; unpack it, or choose another archive".into()),
        [first, second, ..] => Err(format!(
            "it contains {} heightmaps, such as {first} and {second}; unpack it and choose one of them",
            names.len()
        )),
    }
}
