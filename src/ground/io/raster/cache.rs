//! Cache of the rasters that were read from files and built-in stamps. A file is read again only after it has changed.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use include_dir::{Dir, include_dir};

use super::{MAX_SAMPLES, Raster, RasterError};
use crate::io::formats::{DecodedRaster, RasterReader, RasterSource, ReadOptions, SideFiles, check_room, side_stamps};

/// Maximum number of rasters kept between evaluations; `MAX_KEPT_BYTES` limits their memory in bytes.
const MAX_KEPT: usize = 16;
const MAX_KEPT_BYTES: usize = 1 << 30;

/// Prefix of the names of all built-in stamps.
const STAMP_PREFIX: &str = "stamp:";

/// Prefix of the names of all built-in elevation models.
const ELEVATION_PREFIX: &str = "elevation:";

static STAMPS: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/stamps");
static ELEVATION: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/elevation");

/// Whether `name` refers to a built-in raster rather than a file.
pub fn is_built_in(name: &str) -> bool {
    name.starts_with(STAMP_PREFIX) || name.starts_with(ELEVATION_PREFIX)
}

/// A stamp: a heightmap that brushes, nodes and pieces of constructions press into terrain. It comes with the
/// program or from a file of the user.
#[derive(Debug, PartialEq, Eq)]
pub struct HeightStamp {
    /// Its name in files and parameters: `stamp:alpine-peak` for a built-in stamp, the path for a file.
    pub name: String,
    /// Its name in the user interface, such as "Alpine peak".
    pub title: String,
}

impl HeightStamp {
    fn built_in(stem: &str) -> Self {
        let words = stem.replace('-', " ");
        let mut letters = words.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        Self { name: format!("{STAMP_PREFIX}{stem}"), title: first + letters.as_str() }
    }

    /// The stamp of a user's file, titled after the file name. It stays in memory until the program ends.
    pub fn in_file(path: &Path) -> &'static Self {
        static KNOWN: Mutex<BTreeMap<String, &'static HeightStamp>> = Mutex::new(BTreeMap::new());
        let name = path.to_string_lossy().into_owned();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(name).or_insert_with_key(|name| {
            let title = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Box::leak(Box::new(Self { name: name.clone(), title }))
        })
    }

    /// Whether the stamp is terrain along a line, for images along curves. All other stamps are square.
    pub fn is_strip(&self) -> bool {
        self.name.ends_with("-strip")
    }
}

/// All built-in stamps, sorted by name.
pub fn built_in_stamps() -> &'static [HeightStamp] {
    static NAMED: LazyLock<Vec<HeightStamp>> = LazyLock::new(|| {
        let stems = STAMPS.files().filter_map(|file| file.path().file_stem()?.to_str());
        let mut stamps: Vec<HeightStamp> = stems.map(HeightStamp::built_in).collect();
        stamps.sort_by(|a, b| a.name.cmp(&b.name));
        stamps
    });
    &NAMED
}

/// Modification times and lengths of a file and of its side files; empty for a built-in raster.
type FileStamps = Vec<(SystemTime, u64)>;

struct CachedRaster {
    name: String,
    options: ReadOptions,
    stamp: FileStamps,
    /// The raster, or the error if it could not be read. The error is cached until the file changes.
    raster: Result<Arc<Raster>, RasterError>,
}

impl CachedRaster {
    fn bytes(&self) -> usize {
        self.raster.as_ref().map_or(0, |raster| raster.bytes())
    }
}

/// Clears the cache, so that all files are read again when they are needed.
pub fn clear_raster_cache() {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// The cached rasters, from the least to the most recently used.
static CACHE: Mutex<VecDeque<CachedRaster>> = Mutex::new(VecDeque::new());

/// The raster called `name`: a file, or a built-in stamp such as `stamp:crater`. Returns the cached raster if the file
/// is unchanged.
///
/// # Errors
/// When the file does not exist, or cannot be parsed.
pub fn raster(name: &str) -> Result<Arc<Raster>, RasterError> {
    raster_as(name, ReadOptions::default())
}

/// The raster called `name` as from [`raster`], read with `options`. The width and byte order in the options apply to
/// raw files only, which lack a header. Built-in rasters are read as they are.
///
/// # Errors
/// The errors of [`raster`]. Also when the file size is not a whole number of rows of the given width, or the file does
/// not have the channel of the options.
pub fn raster_as(name: &str, options: ReadOptions) -> Result<Arc<Raster>, RasterError> {
    if is_built_in(name) {
        return kept(name, ReadOptions::default(), FileStamps::new(), || shipped(name));
    }
    let path = Path::new(name);
    let failed = |error: std::io::Error| RasterError::Read { path: path.into(), message: error.to_string() };
    let (modified, length) = stamp_of(path)?;
    let reader = RasterReader::for_path(path).ok_or_else(|| RasterError::Extension { path: path.into() })?;
    // The factor of 16 allows for text, which needs more bytes per number than any other format.
    if length > 16 * MAX_SAMPLES {
        return Err(RasterError::TooLarge { path: path.into() });
    }
    let options = if reader.is_raw { options } else { ReadOptions { raw_width: 0, big_endian: false, ..options } };
    let mut stamps = side_stamps(path);
    stamps.push((modified, length));
    kept(name, options, stamps, || {
        check_room(path, length)?;
        let bytes = Arc::new(std::fs::read(path).map_err(failed)?);
        let sides = SideFiles::read_beside(path);
        Raster::decoded(reader, &RasterSource { path, bytes: &bytes, options, sides: &sides })
    })
}

/// Like [`raster`], for a file that is not a raster, such as a mesh. `read` converts the file to a raster.
///
/// # Errors
/// The error of `read`. Also when the file does not exist.
pub fn raster_from_reader(
    name: &str,
    read: impl FnOnce(&Path) -> Result<DecodedRaster, RasterError>,
) -> Result<Arc<Raster>, RasterError> {
    let path = Path::new(name);
    let stamp = stamp_of(path)?;
    kept(name, ReadOptions::default(), vec![stamp], || Raster::from_decoded(path, read(path)?))
}

/// Modification time and length of a file.
fn stamp_of(path: &Path) -> Result<(SystemTime, u64), RasterError> {
    let failed = |error: std::io::Error| RasterError::Read { path: path.into(), message: error.to_string() };
    let meta = std::fs::metadata(path).map_err(failed)?;
    // Reading from a pipe or a device could block forever.
    if !meta.is_file() {
        return Err(RasterError::Read { path: path.into(), message: "it is not a file".into() });
    }
    Ok((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len()))
}

fn kept(
    name: &str,
    options: ReadOptions,
    stamp: FileStamps,
    read: impl FnOnce() -> Result<Raster, RasterError>,
) -> Result<Arc<Raster>, RasterError> {
    let lock = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut kept = lock();
        if let Some(at) = kept.iter().position(|k| k.name == name && k.options == options && k.stamp == stamp)
            && let Some(found) = kept.remove(at)
        {
            let raster = found.raster.clone();
            kept.push_back(found);
            return raster;
        }
    }
    let raster = read().map(Arc::new);
    let mut kept = lock();
    kept.retain(|k| k.name != name || k.options != options);
    kept.push_back(CachedRaster { name: name.into(), options, stamp, raster: raster.clone() });
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
            Raster::decoded(reader, &RasterSource::new(path, &Arc::new(found.contents().to_vec())))
        }
        _ => Err(RasterError::NotShipped { name: name.into(), known: shipped_names().join(", ") }),
    }
}

/// Names of all built-in rasters.
fn shipped_names() -> Vec<String> {
    let models = ELEVATION.files().filter(|file| file.path().extension().is_some_and(|end| end == "tif"));
    let stems = models.filter_map(|file| Some(format!("{ELEVATION_PREFIX}{}", file.path().file_stem()?.to_str()?)));
    built_in_stamps().iter().map(|stamp| stamp.name.clone()).chain(stems).collect()
}
