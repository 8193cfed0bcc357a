//! Rasters: heights and brightness from files, with height range, map position and samples without data. Also the
//! built-in stamps. [`formats`](super::formats) contains the reader of each format.
//!
//! | file | contents |
//! |---|---|
//! | `cache` | cache of files and stamps by name |
//! | `fill` | filling of samples without data |
//! | `summary` | a description of a raster for users |
//! | `error` | the reasons why a file cannot be used as a raster |

mod cache;
mod error;
mod fill;
mod summary;

use std::path::Path;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_128;

pub use cache::{HeightStamp, built_in_stamps, clear_raster_cache, is_built_in, raster, raster_as, raster_from_reader};
pub use error::RasterError;
pub use fill::filled_gaps;

use super::formats::{
    DecodedRaster, GeoReference, RasterNote, RasterReader, RasterSource, SampleMeaning, check_room, short_number,
};

/// Maximum number of samples in a file: slightly more than 16 384².
pub(super) const MAX_SAMPLES: u64 = 1 << 28;
/// Maximum absolute height in metres, beyond the heights of any planet. Up to this limit, relief, measures and exports
/// stay finite.
const MAX_METRES: f32 = 1.0e7;

/// Information from a file about its numbers, as shown to users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RasterFacts {
    /// Name of the format of the file.
    pub format: &'static str,
    /// Type of the numbers, in words.
    pub numbers: String,
    /// The no-data value that the file states.
    pub no_data: Option<f64>,
    /// Names of all channels; empty if the format has a single channel.
    pub channels: Vec<String>,
    /// Name of the channel that was read, if the file has several.
    pub channel: Option<String>,
}

/// A rectangle of values, row by row from the north-west corner. The values go from 0 to 1. If the file holds fractions
/// as floats, some values can lie slightly outside.
#[derive(Debug, Default, PartialEq)]
pub struct Raster {
    /// Number of samples per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// The values, row by row from the north-west corner; 0 for samples without data.
    pub values: Vec<f32>,
    /// Whether each sample lacks data; empty if all samples have data.
    pub is_void: Vec<bool>,
    /// Heights in metres of the values 0 and 1, if the file states them. Files of floats, heights with a map position,
    /// and files that Talweg wrote can state these heights.
    pub range_metres: Option<(f32, f32)>,
    /// Position of the samples on a map, in metres or degrees, if the file states it.
    pub placement: Option<GeoReference>,
    /// Distances between neighbouring samples on the ground in metres, to the east and to the south, if the file states
    /// them and they do not follow from [`placement`](Self::placement).
    pub stated_cell: Option<[f64; 2]>,
    /// Information from the file about its numbers.
    pub facts: RasterFacts,
    /// Notes about data in the file that the reader changed, ignored or had to guess.
    pub notes: Vec<RasterNote>,
    /// Hash of the contents of the file and of its side files.
    pub hash: u128,
    filled: OnceLock<Vec<f32>>,
}

impl Raster {
    /// A raster of values from 0 to 1 without further information.
    pub fn new(width: usize, height: usize, values: Vec<f32>) -> Self {
        Self { width, height, values, ..Self::default() }
    }

    /// Reads a file and converts its numbers to values from 0 to 1.
    fn decoded(reader: &RasterReader, source: &RasterSource) -> Result<Self, RasterError> {
        let raster = Self::with_range(source.path, reader.decode(source)?)?;
        let sides = source.sides.contents().fold(0, |hash: u128, bytes| hash.rotate_left(1) ^ xxh3_128(bytes));
        Ok(Self { hash: xxh3_128(source.bytes) ^ sides, ..raster })
    }

    /// A raster from other data than a raster file, such as a mesh. The hash covers the values and the height range.
    fn from_decoded(path: &Path, decoded: DecodedRaster) -> Result<Self, RasterError> {
        let raster = Self::with_range(path, decoded)?;
        let range = raster.range_metres.map_or([0; 8], |(low, high)| {
            let [low, high] = [low, high].map(f32::to_le_bytes);
            std::array::from_fn(|k| if k < 4 { low[k] } else { high[k - 4] })
        });
        let hash = xxh3_128(bytemuck::cast_slice(&raster.values)) ^ xxh3_128(&range);
        Ok(Self { hash, ..raster })
    }

    /// Marks the samples without data, and scales metres to values from 0 to 1.
    fn with_range(path: &Path, decoded: DecodedRaster) -> Result<Self, RasterError> {
        let DecodedRaster { width, height, mut values, meaning, placement, cell_metres, notes, .. } = decoded;
        let (numbers, no_data) = (decoded.numbers, decoded.no_data);
        let (channels, channel) = (decoded.channels, decoded.channel);
        let facts = RasterFacts { format: decoded.format, numbers, no_data, channels, channel };
        let mut is_void = Vec::new();
        if values.iter().any(|v| !v.is_finite()) {
            check_room(path, values.len() as u64)?;
            is_void = values.iter().map(|v| !v.is_finite()).collect();
        }
        let known = |k: usize| is_void.is_empty() || !is_void[k];
        let numbers = values.iter().enumerate().filter(|(k, _)| known(*k)).map(|(_, v)| *v);
        let (low, high) = numbers.fold((f32::MAX, f32::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if low > high {
            return Err(RasterError::Empty { path: path.into() });
        }
        let range_metres = match meaning {
            SampleMeaning::Fractions { range_metres } => {
                values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
                range_metres
            }
            SampleMeaning::Metres => {
                // The difference is computed in f64, because it can exceed the range of f32.
                let range = f64::from(high) - f64::from(low);
                for v in &mut values {
                    let is_above = range > 0.0 && v.is_finite();
                    *v = if is_above { ((f64::from(*v) - f64::from(low)) / range) as f32 } else { 0.0 };
                }
                Some((low, high))
            }
        };
        if let Some((low, high)) = range_metres.filter(|(low, high)| low.abs().max(high.abs()) > MAX_METRES) {
            return Err(RasterError::TooHigh { path: path.into(), low, high });
        }
        let stated_cell = cell_metres;
        Ok(Self {
            width,
            height,
            values,
            is_void,
            range_metres,
            placement,
            stated_cell,
            facts,
            notes,
            ..Self::default()
        })
    }

    /// Number of samples without data.
    pub fn void_samples(&self) -> usize {
        self.is_void.iter().filter(|is_void| **is_void).count()
    }

    /// Whether sample number `index` has data.
    pub fn has_data(&self, index: usize) -> bool {
        self.is_void.get(index).is_none_or(|is_void| !is_void)
    }

    /// The values, with interpolated values for the samples without data; see `fill`. The result is computed once and
    /// cached.
    pub fn filled(&self) -> &[f32] {
        if self.is_void.is_empty() {
            return &self.values;
        }
        self.filled.get_or_init(|| fill::filled_gaps(&self.values, &self.is_void, self.width))
    }

    /// Distance on the ground in metres between neighbouring samples, to the east and to the south, if the file states
    /// it or states a map position. Degrees are converted at the latitude of the raster's centre.
    pub fn cell_metres(&self) -> Option<[f64; 2]> {
        if self.stated_cell.is_some() {
            return self.stated_cell;
        }
        let placement = self.placement.as_ref()?;
        let middle = placement.north - 0.5 * placement.step[1] * (self.height - 1) as f64;
        Some(placement.step_metres(middle))
    }

    /// Distance in metres from the first sample to the last, to the east and to the south, if
    /// [`cell_metres`](Self::cell_metres) is known.
    pub fn extent_metres(&self) -> Option<[f64; 2]> {
        let [east, south] = self.cell_metres()?;
        Some([east * (self.width - 1) as f64, south * (self.height - 1) as f64])
    }

    /// Value at the position u to the east and v to the south, by bilinear interpolation. Each is from 0 (first sample)
    /// to 1 (last sample); positions outside are clamped.
    pub fn bilinear(&self, u: f32, v: f32) -> f32 {
        self.bilinear_by(u, v, |k| self.values[k])
    }

    /// The level ground of an image that is used as a stamp: the mean value along the rim of the inscribed disc.
    pub fn rim_value(&self) -> f32 {
        let around = 256;
        let on_rim = |k: usize| {
            let angle = k as f64 * (std::f64::consts::TAU / around as f64);
            self.bilinear(0.5 + 0.5 * libm::cos(angle) as f32, 0.5 + 0.5 * libm::sin(angle) as f32)
        };
        (0..around).map(on_rim).sum::<f32>() / around as f32
    }

    /// Like [`bilinear`](Self::bilinear), but interpolates the values that `value` returns for each sample index.
    #[inline]
    pub fn bilinear_by(&self, u: f32, v: f32, value: impl Fn(usize) -> f32) -> f32 {
        let (j, fx) = sample_before(u, self.width);
        let (i, fy) = sample_before(v, self.height);
        let at = |i: usize, j: usize| value(i * self.width + j);
        let a = at(i, j) * (1.0 - fx) + at(i, j + 1) * fx;
        let b = at(i + 1, j) * (1.0 - fx) + at(i + 1, j + 1) * fx;
        a * (1.0 - fy) + b * fy
    }

    /// Like [`bilinear`](Self::bilinear), but over 4 × 4 samples (Catmull & Rom 1974). The result has no creases where
    /// samples are far apart, but overshoots slightly at cliffs.
    pub fn bicubic(&self, u: f32, v: f32) -> f32 {
        self.bicubic_by(u, v, |k| self.values[k])
    }

    /// Like [`bicubic`](Self::bicubic), but interpolates the values that `value` returns for each sample index.
    #[inline]
    pub fn bicubic_by(&self, u: f32, v: f32, value: impl Fn(usize) -> f32) -> f32 {
        let (j, fx) = sample_before(u, self.width);
        let (i, fy) = sample_before(v, self.height);
        let at = |i: usize, j: usize| value(i.min(self.height - 1) * self.width + j.min(self.width - 1));
        let columns = [j.saturating_sub(1), j, j + 1, j + 2];
        let row = |i: usize| catmull_rom(columns.map(|j| at(i, j)), fx);
        catmull_rom([i.saturating_sub(1), i, i + 1, i + 2].map(row), fy)
    }

    fn bytes(&self) -> usize {
        // If there are samples without data, a filled copy of the values can double the memory.
        let copies = if self.is_void.is_empty() { 4 } else { 9 };
        copies * self.values.len()
    }
}

/// The last sample at or before position `t` (0 to 1), and the distance from this sample to the position in samples.
fn sample_before(t: f32, count: usize) -> (usize, f32) {
    let x = t.clamp(0.0, 1.0) * (count - 1) as f32;
    let cell = (x as usize).min(count - 2);
    (cell, x - cell as f32)
}

/// Interpolated value at the fraction `t` of the way from `b` to `c`; `a` and `d` are the samples before and after
/// (Catmull & Rom 1974).
pub fn catmull_rom([a, b, c, d]: [f32; 4], t: f32) -> f32 {
    b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
        let pixels = [255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 255, 0, 0];
        png_file(&path, (2, 2), png::ColorType::Rgba, png::BitDepth::Eight, &pixels);
        let colour = read(&path).unwrap();
        assert!((colour.values[0] - 1.0).abs() < 1e-6);
        assert_eq!((colour.values[1], colour.values[2]), (0.2126, 0.7152));
        assert_eq!(colour.is_void, [false, false, false, true]);
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
    fn unreadable_files_are_refused_with_a_reason() {
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
        assert!(message("a.png", b"not a picture").contains("cannot be read as PNG"));
        assert!(message("a.bmp", b"BM").contains(".r16"));
        assert!(message("b.r16", &[0; 2]).contains("2 × 2"));
        assert!(raster("/no/such/file.png").unwrap_err().to_string().contains("/no/such/file.png"));
        assert!(raster("stamp:no").unwrap_err().to_string().contains("stamp:crater"));
    }

    #[test]
    fn bombs_and_absurd_heights_are_refused_before_allocation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trap.png");
        let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 16384, 16384);
        encoder.set_depth(png::BitDepth::Sixteen);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_chunk(png::chunk::IDAT, &[0x78, 0x9c]).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < 100);
        assert!(matches!(read(&path), Err(RasterError::Packed { unpacked: 2_147_483_648, .. })));
        // The size is below the limit for decompression bombs, but the file has fewer rows than the header claims.
        let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 512, 512);
        encoder.set_depth(png::BitDepth::Eight);
        drop(encoder.write_header().unwrap());
        assert!(matches!(read(&path), Err(RasterError::Unreadable { .. })));
        let path = folder.path().join("far.r32");
        let metres = [-1.0e12_f32, 0.0, 1.0, 1.0e12];
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
    fn interpolation_meets_the_samples_and_stays_between_them() {
        let values: Vec<f32> = (0..12).map(|k| (k * 7 % 12) as f32 / 11.0).collect();
        let raster = Raster::new(4, 3, values.clone());
        for (k, v) in values.iter().enumerate() {
            let (u, w) = ((k % 4) as f32 / 3.0, (k / 4) as f32 / 2.0);
            assert!((raster.bilinear(u, w) - v).abs() < 1e-6 && (raster.bicubic(u, w) - v).abs() < 1e-6);
        }
        // Both interpolations reproduce a plane exactly; the bicubic interpolation does so only away from the rim.
        let plane = Raster::new(5, 5, (0..25).map(|k| (k % 5) as f32 + (k / 5) as f32 * 2.0).collect());
        assert!((plane.bilinear(0.4, 0.6) - (1.6 + 4.8)).abs() < 1e-5);
        assert!((plane.bicubic(0.4, 0.6) - (1.6 + 4.8)).abs() < 1e-5);
    }

    #[test]
    fn the_shipped_stamps_can_be_read_and_reach_from_0_to_1() {
        assert!(built_in_stamps().len() >= 40);
        for stamp in built_in_stamps() {
            let (name, pixels) = (&stamp.name, raster(&stamp.name).unwrap());
            let (low, high) = pixels.values.iter().fold((1.0f32, 0.0f32), |(lo, hi), &v| (lo.min(v), hi.max(v)));
            assert!(low == 0.0 && high == 1.0, "{name}: {low} to {high}");
            assert_eq!(pixels.width != pixels.height, stamp.is_strip(), "{name}");
        }
    }
}
