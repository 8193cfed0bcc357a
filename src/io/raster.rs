//! Heights and brightness out of files: PNG of 8 or 16 bits, raw 16-bit, raw 32-bit float; and the shipped stamps.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use include_dir::{Dir, include_dir};
use xxhash_rust::xxh3::xxh3_128;

use super::memory::shortage;

/// Most samples a file may have: a little more than 16 384².
const MAX_SAMPLES: u64 = 1 << 28;
/// Beyond any planet: relief, measures and exports stay finite with heights up to this.
const MAX_METRES: f32 = 1.0e7;
/// A picture of more bytes than this that is packed into less than one byte for so many holds no terrain.
const PACKED: (u64, u64) = (64 << 20, 500);
/// Rasters kept between evaluations, and the memory they may take.
const MAX_KEPT: usize = 16;
const MAX_KEPT_BYTES: usize = 1 << 30;

/// What stands before the name of a shipped stamp.
pub const STAMP_PREFIX: &str = "stamp:";

static STAMPS: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/stamps");

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
    #[error(
        "{path} is not a heightmap: give .png (8 or 16 bits), .r16 (raw 16-bit) or .r32 (raw 32-bit float, metres)"
    )]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The PNG is broken, or of a kind that is not read.
    #[error("{path} is no PNG that can be read: {message}")]
    Png {
        /// The file.
        path: PathBuf,
        /// What is wrong, in words.
        message: String,
    },
    /// A raw file whose length fits no square and no map of a planet.
    #[error(
        "{path} has {bytes} bytes, which is no square of {width}-byte values; raw heightmaps must be square, or twice as \
         wide as high (maps of planets), or save it as PNG"
    )]
    NotSquare {
        /// The file.
        path: PathBuf,
        /// Length of the file.
        bytes: u64,
        /// Bytes of a value.
        width: u64,
    },
    /// More samples than a program should take into memory.
    #[error("{path} has more than {MAX_SAMPLES} samples; scale it down first")]
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
    /// No stamp of this name is shipped.
    #[error("there is no shipped stamp `{name}`; there are {known}")]
    NoStamp {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
}

/// A rectangle of values from 0 to 1, row by row from the north-west corner.
#[derive(Debug, PartialEq)]
pub struct Raster {
    /// Samples of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// The values, row by row from the north-west.
    pub values: Vec<f32>,
    /// Heights that 0 and 1 stand for, where the file says so: raw floats, and PNGs that Talweg wrote.
    pub range_metres: Option<(f32, f32)>,
    /// Hash of the file.
    pub hash: u128,
}

impl Raster {
    /// Value at u to the east and v to the south, each from 0 (first sample) to 1 (last sample), bilinear; positions
    /// outside are clamped.
    pub fn bilinear(&self, u: f32, v: f32) -> f32 {
        let (j, fx) = place(u, self.width);
        let (i, fy) = place(v, self.height);
        let at = |i: usize, j: usize| self.values[i * self.width + j];
        let a = at(i, j) * (1.0 - fx) + at(i, j + 1) * fx;
        let b = at(i + 1, j) * (1.0 - fx) + at(i + 1, j + 1) * fx;
        a * (1.0 - fy) + b * fy
    }

    /// Like [`bilinear`](Self::bilinear), through 4 × 4 samples (Catmull & Rom 1974): no creases where samples are
    /// few, and a little overshoot beside cliffs.
    pub fn bicubic(&self, u: f32, v: f32) -> f32 {
        let (j, fx) = place(u, self.width);
        let (i, fy) = place(v, self.height);
        let at = |i: usize, j: usize| self.values[i.min(self.height - 1) * self.width + j.min(self.width - 1)];
        let columns = [j.saturating_sub(1), j, j + 1, j + 2];
        let row = |i: usize| catmull_rom(columns.map(|j| at(i, j)), fx);
        catmull_rom([i.saturating_sub(1), i, i + 1, i + 2].map(row), fy)
    }

    fn bytes(&self) -> usize {
        4 * self.values.len()
    }
}

/// Sample before a position, and how far beyond it the position lies.
fn place(t: f32, count: usize) -> (usize, f32) {
    let x = t.clamp(0.0, 1.0) * (count - 1) as f32;
    let cell = (x as usize).min(count - 2);
    (cell, x - cell as f32)
}

/// Value at t from 0 to 1 between b and c (Catmull & Rom 1974).
pub(crate) fn catmull_rom([a, b, c, d]: [f32; 4], t: f32) -> f32 {
    b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
}

/// Names of the shipped stamps, as files and parameters give them.
pub fn stamp_names() -> Vec<String> {
    let stem = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let mut names: Vec<String> =
        STAMPS.files().filter_map(|file| Some(format!("{STAMP_PREFIX}{}", stem(file.path())?))).collect();
    names.sort();
    names
}

/// Whether the ending of `path` is that of a heightmap that [`raster`] reads.
pub fn is_heightmap(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["png", "r16", "r32"].iter().any(|known| e.eq_ignore_ascii_case(known)))
}

struct CachedRaster {
    name: String,
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
    if let Some(stamp) = name.strip_prefix(STAMP_PREFIX) {
        return kept(name, None, || shipped(stamp));
    }
    let path = Path::new(name);
    let failed = |error: std::io::Error| RasterError::Read { path: path.into(), message: error.to_string() };
    let meta = std::fs::metadata(path).map_err(failed)?;
    // a pipe or a device could keep us waiting for ever
    if !meta.is_file() {
        return Err(RasterError::Read { path: path.into(), message: "it is not a file".into() });
    }
    if meta.len() > 8 * MAX_SAMPLES {
        return Err(RasterError::TooLarge { path: path.into() });
    }
    let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    kept(name, Some((modified, meta.len())), || {
        check_room(path, meta.len())?;
        decode(path, &std::fs::read(path).map_err(failed)?)
    })
}

/// Refuses a file that would not fit into memory: `bytes` of them at the least.
fn check_room(path: &Path, bytes: u64) -> Result<(), RasterError> {
    shortage(bytes).map_or(Ok(()), |shortage| Err(RasterError::Memory { path: path.into(), shortage }))
}

fn kept(
    name: &str,
    stamp: Option<(SystemTime, u64)>,
    read: impl FnOnce() -> Result<Raster, RasterError>,
) -> Result<Arc<Raster>, RasterError> {
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut kept = lock();
        if let Some(at) = kept.iter().position(|k| k.name == name && k.stamp == stamp)
            && let Some(found) = kept.remove(at)
        {
            let raster = found.raster.clone();
            kept.push_back(found);
            return raster;
        }
    }
    let raster = read().map(Arc::new);
    let mut kept = lock();
    kept.retain(|k| k.name != name);
    kept.push_back(CachedRaster { name: name.into(), stamp, raster: raster.clone() });
    while kept.len() > MAX_KEPT
        || kept.len() > 1 && kept.iter().map(CachedRaster::bytes).sum::<usize>() > MAX_KEPT_BYTES
    {
        kept.pop_front();
    }
    raster
}

fn shipped(name: &str) -> Result<Raster, RasterError> {
    let file = format!("{name}.png");
    match STAMPS.get_file(&file) {
        Some(found) => decode(Path::new(&file), found.contents()),
        None => Err(RasterError::NoStamp { name: name.into(), known: stamp_names().join(", ") }),
    }
}

fn decode(path: &Path, bytes: &[u8]) -> Result<Raster, RasterError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let mut raster = match extension.as_str() {
        "png" => decode_png(path, bytes)?,
        "r16" => decode_raw(path, bytes, |[a, b]: [u8; 2]| f32::from(u16::from_le_bytes([a, b])) / 65535.0)?,
        "r32" => over_own_range(path, decode_raw(path, bytes, f32::from_le_bytes)?)?,
        _ => return Err(RasterError::Extension { path: path.into() }),
    };
    if let Some((low, high)) = raster.range_metres.filter(|(low, high)| low.abs().max(high.abs()) > MAX_METRES) {
        return Err(RasterError::TooHigh { path: path.into(), low, high });
    }
    raster.hash = xxh3_128(bytes);
    Ok(raster)
}

fn decode_raw<const N: usize>(
    path: &Path,
    bytes: &[u8],
    value: impl Fn([u8; N]) -> f32,
) -> Result<Raster, RasterError> {
    let count = bytes.len() / N;
    let square = count.isqrt();
    let half = (count / 2).isqrt();
    // no number is a square and twice a square
    let (width, height) = if 2 * half * half == count { (2 * half, half) } else { (square, square) };
    if count * N != bytes.len() || width * height != count {
        return Err(RasterError::NotSquare { path: path.into(), bytes: bytes.len() as u64, width: N as u64 });
    }
    if height < 2 {
        return Err(RasterError::TooSmall { path: path.into() });
    }
    if count as u64 > MAX_SAMPLES {
        return Err(RasterError::TooLarge { path: path.into() });
    }
    check_room(path, 4 * count as u64)?;
    let values = bytes.as_chunks::<N>().0.iter().map(|&chunk| value(chunk)).collect();
    Ok(Raster { width, height, values, range_metres: None, hash: 0 })
}

/// Metres become values from 0 to 1.
fn over_own_range(path: &Path, mut raster: Raster) -> Result<Raster, RasterError> {
    if let Some(at) = raster.values.iter().position(|v| !v.is_finite()) {
        let (row, column) = (at / raster.width, at % raster.width);
        return Err(RasterError::NotANumber { path: path.into(), row, column });
    }
    let (low, high) = raster.values.iter().fold((f32::MAX, f32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    // in f64: the range of f32 metres may be wider than f32
    let range = f64::from(high) - f64::from(low);
    for v in &mut raster.values {
        *v = if range > 0.0 { ((f64::from(*v) - f64::from(low)) / range) as f32 } else { 0.0 };
    }
    raster.range_metres = Some((low, high));
    Ok(raster)
}

fn decode_png(path: &Path, bytes: &[u8]) -> Result<Raster, RasterError> {
    let failed = |error: png::DecodingError| RasterError::Png { path: path.into(), message: error.to_string() };
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    let info = reader.info();
    let (width, height) = (info.width as usize, info.height as usize);
    if u64::from(info.width) * u64::from(info.height) > MAX_SAMPLES {
        return Err(RasterError::TooLarge { path: path.into() });
    }
    if width < 2 || height < 2 {
        return Err(RasterError::TooSmall { path: path.into() });
    }
    let metres = |key: &str| {
        let text = info.uncompressed_latin1_text.iter().find(|t| t.keyword == key)?;
        text.text.parse::<f32>().ok().filter(|m| m.is_finite())
    };
    let range_metres = metres("talweg min_metres").zip(metres("talweg max_metres"));
    let size = reader.output_buffer_size().ok_or_else(|| RasterError::TooLarge { path: path.into() })?;
    let (packed, unpacked) = (bytes.len() as u64, size as u64);
    if unpacked > PACKED.0 && unpacked / PACKED.1 > packed {
        return Err(RasterError::Packed { path: path.into(), packed, unpacked });
    }
    // a number of 4 bytes for each, and as much while they grow; with interlaced rows the whole picture
    let whole = if reader.info().interlaced { unpacked } else { 0 };
    check_room(path, 8 * (width * height) as u64 + whole)?;
    let (colour, depth) = reader.output_color_type();
    let channels = colour.samples();
    let wide = depth == png::BitDepth::Sixteen;
    let row_values = |row: &[u8]| -> Vec<f32> {
        if wide {
            row.as_chunks::<2>().0.iter().map(|&b| f32::from(u16::from_be_bytes(b)) / 65535.0).collect()
        } else {
            row.iter().map(|&b| f32::from(b) / 255.0).collect()
        }
    };
    // grows as rows arrive: a file may claim more of them than it has
    let mut values = Vec::new();
    let mut add_row = |row: &[u8]| {
        let row = row_values(row);
        // colours count by their brightness (Rec. 709); what is transparent counts as it is painted
        values.extend(row.chunks(channels).take(width).map(|c| match *c {
            [r, g, b] | [r, g, b, _] => 0.2126 * r + 0.7152 * g + 0.0722 * b,
            _ => c[0],
        }));
    };
    if reader.info().interlaced {
        let mut pixels = vec![0; size];
        let frame = reader.next_frame(&mut pixels).map_err(failed)?;
        pixels[..frame.buffer_size()].chunks(frame.line_size).for_each(add_row);
    } else {
        while let Some(row) = reader.next_row().map_err(failed)? {
            add_row(row.data());
        }
    }
    if values.len() != width * height {
        let message = format!("it ends after {} of {height} rows", values.len() / width);
        return Err(RasterError::Png { path: path.into(), message });
    }
    Ok(Raster { width, height, values, range_metres, hash: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_file(path: &Path, side: (u32, u32), colour: png::ColorType, depth: png::BitDepth, data: &[u8]) {
        let file = std::fs::File::create(path).unwrap();
        let mut encoder = png::Encoder::new(file, side.0, side.1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
    }

    fn read(path: &Path) -> Result<Arc<Raster>, RasterError> {
        raster(path.to_str().unwrap())
    }

    #[test]
    fn pngs_of_every_kind_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grey.png");
        png_file(&path, (2, 2), png::ColorType::Grayscale, png::BitDepth::Eight, &[0, 51, 255, 102]);
        assert_eq!(read(&path).unwrap().values, [0.0, 0.2, 1.0, 0.4]);
        let path = folder.path().join("deep.png");
        png_file(
            &path,
            (3, 2),
            png::ColorType::Grayscale,
            png::BitDepth::Sixteen,
            &[0, 0, 0, 1, 255, 255, 0, 0, 0, 0, 0, 0],
        );
        let deep = read(&path).unwrap();
        assert_eq!((deep.width, deep.height, deep.values[1], deep.values[2]), (3, 2, 1.0 / 65535.0, 1.0));
        let path = folder.path().join("colour.png");
        let pixels = [255, 255, 255, 255, 255, 0, 0, 255, 0, 0, 0, 255, 0, 255, 0, 0];
        png_file(&path, (2, 2), png::ColorType::Rgba, png::BitDepth::Eight, &pixels);
        let colour = read(&path).unwrap();
        assert!((colour.values[0] - 1.0).abs() < 1e-6 && colour.values[2] == 0.0);
        assert_eq!((colour.values[1], colour.values[3]), (0.2126, 0.7152));
    }

    #[test]
    fn raw_floats_keep_their_metres() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.r32");
        let metres = [-10.0f32, 0.0, 30.0, 10.0];
        std::fs::write(&path, metres.map(f32::to_le_bytes).concat()).unwrap();
        let read = read(&path).unwrap();
        assert_eq!((read.range_metres, &read.values[..]), (Some((-10.0, 30.0)), &[0.0, 0.25, 1.0, 0.5][..]));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let message = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            read(&path).unwrap_err().to_string()
        };
        assert!(message("a.r16", &[0; 12]).contains("12 bytes"));
        let map = folder.path().join("map.r16");
        std::fs::write(&map, [0; 36]).unwrap();
        assert_eq!(read(&map).map(|raster| (raster.width, raster.height)).unwrap(), (6, 3));
        assert!(message("a.r32", &f32::NAN.to_le_bytes().repeat(4)).contains("row 0, column 0"));
        assert!(message("a.png", b"not a picture").contains("no PNG"));
        assert!(message("a.tif", b"II").contains(".r16"));
        assert!(message("b.r16", &[0; 2]).contains("2 × 2"));
        assert!(raster("/no/such/file.png").unwrap_err().to_string().contains("/no/such/file.png"));
        assert!(raster("stamp:no").unwrap_err().to_string().contains("stamp:crater"));
    }

    #[test]
    fn traps_and_heights_of_no_planet_are_refused_before_they_take_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trap.png");
        let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 16384, 16384);
        encoder.set_depth(png::BitDepth::Sixteen);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_chunk(png::chunk::IDAT, &[0x78, 0x9c]).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < 100);
        assert!(matches!(read(&path), Err(RasterError::Packed { unpacked: 2_147_483_648, .. })));
        // less than a trap, and still fewer rows than it claims
        let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 512, 512);
        encoder.set_depth(png::BitDepth::Eight);
        drop(encoder.write_header().unwrap());
        assert!(matches!(read(&path), Err(RasterError::Png { .. })));
        let path = folder.path().join("far.r32");
        let metres = [-3.4e38_f32, 0.0, 1.0, 3.4e38];
        std::fs::write(&path, metres.map(f32::to_le_bytes).concat()).unwrap();
        assert!(matches!(read(&path), Err(RasterError::TooHigh { .. })));
    }

    #[test]
    fn a_file_that_changes_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.r16");
        std::fs::write(&path, [0u8; 8]).unwrap();
        let first = read(&path).unwrap();
        assert!(Arc::ptr_eq(&first, &read(&path).unwrap()));
        std::fs::write(&path, [255u8; 18]).unwrap();
        assert_eq!(read(&path).unwrap().values, [1.0; 9]);
    }

    #[test]
    fn sampling_meets_the_samples_and_stays_between_them() {
        let values: Vec<f32> = (0..12).map(|k| (k * 7 % 12) as f32 / 11.0).collect();
        let raster = Raster { width: 4, height: 3, values: values.clone(), range_metres: None, hash: 0 };
        for (k, v) in values.iter().enumerate() {
            let (u, w) = ((k % 4) as f32 / 3.0, (k / 4) as f32 / 2.0);
            assert!((raster.bilinear(u, w) - v).abs() < 1e-6 && (raster.bicubic(u, w) - v).abs() < 1e-6);
        }
        // a plane is met exactly by both, away from the rim also by the cubic
        let plane = Raster {
            width: 5,
            height: 5,
            values: (0..25).map(|k| (k % 5) as f32 + (k / 5) as f32 * 2.0).collect(),
            range_metres: None,
            hash: 0,
        };
        assert!((plane.bilinear(0.4, 0.6) - (1.6 + 4.8)).abs() < 1e-5);
        assert!((plane.bicubic(0.4, 0.6) - (1.6 + 4.8)).abs() < 1e-5);
    }

    #[test]
    fn the_shipped_stamps_can_be_read_and_reach_from_0_to_1() {
        let names = stamp_names();
        assert!(names.len() >= 4, "{names:?}");
        for name in names {
            let stamp = raster(&name).unwrap();
            let (low, high) = stamp.values.iter().fold((1.0f32, 0.0f32), |(lo, hi), &v| (lo.min(v), hi.max(v)));
            assert!(low == 0.0 && high == 1.0, "{name}: {low} to {high}");
            assert_eq!(stamp.width, stamp.height, "{name}");
        }
    }
}
