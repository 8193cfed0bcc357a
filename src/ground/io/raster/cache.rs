//! Files and shipped stamps as rasters, each read once for as long as it does not change.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use include_dir::{Dir, include_dir};

use super::{MAX_SAMPLES, Raster, RasterError};
use crate::io::formats::{DecodedRaster, RasterReader, RasterSource, RawLayout, check_room};

/// Rasters kept between evaluations, and the memory they may take.
const MAX_KEPT: usize = 16;
const MAX_KEPT_BYTES: usize = 1 << 30;

/// What stands before the name of a shipped stamp.
pub const STAMP_PREFIX: &str = "stamp:";

/// What stands before the name of a shipped elevation model.
const ELEVATION_PREFIX: &str = "elevation:";

static STAMPS: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../assets/stamps");
static ELEVATION: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../assets/elevation");

/// Whether `name` is that of something that comes with the program, and not of a file.
pub fn is_shipped(name: &str) -> bool {
    name.starts_with(STAMP_PREFIX) || name.starts_with(ELEVATION_PREFIX)
}

/// Names of the shipped stamps, as files and parameters give them.
pub fn stamp_names() -> Vec<String> {
    let stem = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let mut names: Vec<String> =
        STAMPS.files().filter_map(|file| Some(format!("{STAMP_PREFIX}{}", stem(file.path())?))).collect();
    names.sort();
    names
}

struct CachedRaster {
    name: String,
    layout: RawLayout,
    stamp: Option<(SystemTime, u64)>,
    /// What could not be read once is not read again until the file changes.
    raster: Result<Arc<Raster>, RasterError>,
}

impl CachedRaster {
    fn bytes(&self) -> usize {
        self.raster.as_ref().map_or(0, |raster| raster.bytes())
    }
}

/// Forgets all that was read, so that files are looked at anew.
pub fn forget_rasters() {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// The latest used last.
static KEPT: Mutex<VecDeque<CachedRaster>> = Mutex::new(VecDeque::new());

/// The raster called `name`: a file, or a shipped stamp as `stamp:crater`. What was read before is kept for as long as
/// the file does not change.
///
/// # Errors
/// When there is no such file, or it cannot be understood.
pub fn raster(name: &str) -> Result<Arc<Raster>, RasterError> {
    raster_as(name, RawLayout::default())
}

/// [`raster`], of a raw file with the width and the order of bytes that it does not say itself; for others they do not
/// matter.
///
/// # Errors
/// As [`raster`], or when the file has no whole rows of that width.
pub fn raster_as(name: &str, layout: RawLayout) -> Result<Arc<Raster>, RasterError> {
    if is_shipped(name) {
        return kept(name, RawLayout::default(), None, || shipped(name));
    }
    let path = Path::new(name);
    let failed = |error: std::io::Error| RasterError::Read { path: path.into(), message: error.to_string() };
    let (modified, length) = stamp_of(path)?;
    let reader = RasterReader::for_path(path).ok_or_else(|| RasterError::Extension { path: path.into() })?;
    // text takes more bytes for a number than any other format
    if length > 16 * MAX_SAMPLES {
        return Err(RasterError::TooLarge { path: path.into() });
    }
    let layout = if reader.is_raw { layout } else { RawLayout::default() };
    kept(name, layout, Some((modified, length)), || {
        check_room(path, length)?;
        let bytes = std::fs::read(path).map_err(failed)?;
        Raster::decoded(reader, &RasterSource { path, bytes: &bytes, layout })
    })
}

/// The raster that `read` makes of a file of another kind, kept like one that was read.
///
/// # Errors
/// What `read` says, or that there is no such file.
pub fn raster_by(
    name: &str,
    read: impl FnOnce(&Path) -> Result<DecodedRaster, RasterError>,
) -> Result<Arc<Raster>, RasterError> {
    let path = Path::new(name);
    let stamp = stamp_of(path)?;
    kept(name, RawLayout::default(), Some(stamp), || Raster::made(path, read(path)?))
}

/// Time and length of a file.
fn stamp_of(path: &Path) -> Result<(SystemTime, u64), RasterError> {
    let failed = |error: std::io::Error| RasterError::Read { path: path.into(), message: error.to_string() };
    let meta = std::fs::metadata(path).map_err(failed)?;
    // a pipe or a device could keep us waiting for ever
    if !meta.is_file() {
        return Err(RasterError::Read { path: path.into(), message: "it is not a file".into() });
    }
    Ok((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len()))
}

fn kept(
    name: &str,
    layout: RawLayout,
    stamp: Option<(SystemTime, u64)>,
    read: impl FnOnce() -> Result<Raster, RasterError>,
) -> Result<Arc<Raster>, RasterError> {
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut kept = lock();
        if let Some(at) = kept.iter().position(|k| k.name == name && k.layout == layout && k.stamp == stamp)
            && let Some(found) = kept.remove(at)
        {
            let raster = found.raster.clone();
            kept.push_back(found);
            return raster;
        }
    }
    let raster = read().map(Arc::new);
    let mut kept = lock();
    kept.retain(|k| k.name != name || k.layout != layout);
    kept.push_back(CachedRaster { name: name.into(), layout, stamp, raster: raster.clone() });
    while kept.len() > MAX_KEPT
        || kept.len() > 1 && kept.iter().map(CachedRaster::bytes).sum::<usize>() > MAX_KEPT_BYTES
    {
        kept.pop_front();
    }
    raster
}

fn shipped(name: &str) -> Result<Raster, RasterError> {
    let (files, file) = match (name.strip_prefix(STAMP_PREFIX), name.strip_prefix(ELEVATION_PREFIX)) {
        (Some(stamp), _) => (&STAMPS, format!("{stamp}.png")),
        (_, elevation) => (&ELEVATION, format!("{}.tif", elevation.unwrap_or_default())),
    };
    let path = Path::new(&file);
    match (files.get_file(path), RasterReader::for_path(path)) {
        (Some(found), Some(reader)) => {
            Raster::decoded(reader, &RasterSource { path, bytes: found.contents(), layout: RawLayout::default() })
        }
        _ => Err(RasterError::NotShipped { name: name.into(), known: shipped_names().join(", ") }),
    }
}

/// Names of everything that is shipped.
fn shipped_names() -> Vec<String> {
    let models = ELEVATION.files().filter(|file| file.path().extension().is_some_and(|end| end == "tif"));
    let stems = models.filter_map(|file| Some(format!("{ELEVATION_PREFIX}{}", file.path().file_stem()?.to_str()?)));
    stamp_names().into_iter().chain(stems).collect()
}
