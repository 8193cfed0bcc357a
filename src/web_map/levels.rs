//! Levels of detail: heights with half, a quarter, an eighth … of the samples per side. Each sample of a coarser level
//! is computed by a tent filter over two coarse cells on each side. This prevents aliasing at low zooms. Samples
//! without data do not count.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::WebMapError;
use crate::field::{Control, Terrain};
use crate::io::{FileError, TemporaryFolder};

/// Minimum number of samples per side of a level.
const FEWEST: usize = 3;

/// Number of rows of a coarser level that are computed at a time, for levels that are not held in memory.
const ROWS: usize = 64;

/// Returns the heights in metres for ranges of rows and columns, row by row; NaN where the terrain has no data.
pub type HeightSource<'a> = &'a (dyn Fn(Range<usize>, Range<usize>) -> Result<Vec<f32>, BoxedError> + Sync);

/// Error that a height source can return.
pub type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// A window of a level of detail. The outermost samples of the whole level are on the edges of the terrain.
pub(super) struct LevelWindow<'a> {
    /// Number of samples per side of the level.
    n: usize,
    rows: Range<usize>,
    columns: Range<usize>,
    /// Heights in metres; NaN where the terrain has no data.
    metres: Cow<'a, [f32]>,
}

/// Access to a terrain at all levels of detail.
pub(super) trait LevelSource: Sync {
    /// Number of samples per side of each level, finest level first.
    fn sides(&self) -> &[usize];

    /// Returns a window of a level that contains at least the given rows and columns.
    ///
    /// # Errors
    /// When the heights cannot be read.
    fn window(&self, level: usize, rows: Range<usize>, columns: Range<usize>) -> Result<LevelWindow<'_>, WebMapError>;

    /// Cell size of the finest level, as a fraction of the terrain's side length.
    fn finest_cell(&self) -> f64 {
        1.0 / (self.sides()[0] - 1) as f64
    }

    /// The coarsest level whose cells are at most `step` long. `step` is a fraction of the terrain's side length.
    fn level(&self, step: f64) -> usize {
        let fits = self.sides().iter().rposition(|n| 1.0 / (n - 1) as f64 <= step * (1.0 + 1e-9));
        fits.unwrap_or(0)
    }

    /// The window of a level that [`LevelWindow::sample`] needs for positions between two corners.
    ///
    /// # Errors
    /// When the heights cannot be read.
    fn part_between(&self, level: usize, low: [f64; 2], high: [f64; 2]) -> Result<LevelWindow<'_>, WebMapError> {
        let n = self.sides()[level];
        let first = |share: f64| ((share.clamp(0.0, 1.0) * (n - 1) as f64) as usize).min(n - 2);
        self.window(level, first(low[1])..first(high[1]) + 2, first(low[0])..first(high[0]) + 2)
    }
}

/// Number of samples per side of all levels, down to a few samples.
fn sides(finest: usize) -> Vec<usize> {
    std::iter::successors(Some(finest), |n| (*n > 2 * FEWEST).then(|| n.div_ceil(2))).collect()
}

/// A terrain at all levels of detail, held in memory.
pub(super) struct TerrainLevels {
    sides: Vec<usize>,
    levels: Vec<Vec<f32>>,
}

impl TerrainLevels {
    /// Computes the levels of a square terrain, down to a few samples.
    pub fn new(terrain: &Terrain, relief_metres: f32) -> Self {
        let metres = terrain.height.iter().enumerate();
        let metres = metres.map(|(k, h)| if terrain.has_ground(k) { h * relief_metres } else { f32::NAN });
        let mut made = Self { sides: sides(terrain.samples()), levels: vec![metres.collect()] };
        for k in 1..made.sides.len() {
            let (n, metres) = (made.sides[k - 1], Cow::from(&made.levels[k - 1]));
            made.levels.push(LevelWindow { n, rows: 0..n, columns: 0..n, metres }.halved(0..made.sides[k]));
        }
        made
    }
}

impl LevelSource for TerrainLevels {
    fn sides(&self) -> &[usize] {
        &self.sides
    }

    fn window(&self, level: usize, _: Range<usize>, _: Range<usize>) -> Result<LevelWindow<'_>, WebMapError> {
        let n = self.sides[level];
        Ok(LevelWindow { n, rows: 0..n, columns: 0..n, metres: Cow::from(&self.levels[level]) })
    }
}

/// A terrain at all levels of detail, without holding a level in memory. The finest level is read on demand; the other
/// levels are temporary files.
pub(super) struct SpooledLevels<'a> {
    sides: Vec<usize>,
    finest: HeightSource<'a>,
    files: Vec<Mutex<File>>,
    folder: TemporaryFolder,
}

impl<'a> SpooledLevels<'a> {
    /// Computes the coarser levels of a terrain with `samples` per side, in a temporary folder inside the parent folder
    /// of `target`.
    ///
    /// # Errors
    /// When heights cannot be read, files cannot be written, or `control` is cancelled.
    pub fn new(
        samples: usize,
        finest: HeightSource<'a>,
        target: &Path,
        control: &Control,
    ) -> Result<Self, WebMapError> {
        let beside = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = |source| FileError::Write { path: beside.into(), source };
        let folder = TemporaryFolder::new(beside).map_err(failed)?;
        let mut made = Self { sides: sides(samples), finest, files: Vec::new(), folder };
        for level in 1..made.sides.len() {
            let path = made.folder.path().join(format!("level-{level}"));
            let failed = |source| FileError::Write { path: path.clone(), source };
            let mut options = File::options();
            let mut file = options.read(true).write(true).create_new(true).open(&path).map_err(failed)?;
            let (from, n) = (made.sides[level - 1], made.sides[level]);
            let mut out = BufWriter::new(&mut file);
            for first in (0..n).step_by(ROWS) {
                control.check()?;
                let rows = first..(first + ROWS).min(n);
                let taps = [rows.start, rows.end - 1].map(|row| taps_of(from, n, row));
                let ends = [taps[0].first(), taps[1].last()].map(|tap| tap.map_or(0, |tap| tap.0));
                let halved = made.window(level - 1, ends[0]..ends[1] + 1, 0..from)?.halved(rows);
                let bytes: Vec<u8> = halved.iter().flat_map(|metres| metres.to_le_bytes()).collect();
                out.write_all(&bytes).map_err(failed)?;
            }
            out.flush().map_err(failed)?;
            drop(out);
            made.files.push(Mutex::new(file));
        }
        Ok(made)
    }
}

impl LevelSource for SpooledLevels<'_> {
    fn sides(&self) -> &[usize] {
        &self.sides
    }

    fn window(&self, level: usize, rows: Range<usize>, columns: Range<usize>) -> Result<LevelWindow<'_>, WebMapError> {
        let n = self.sides[level];
        let Some(level) = level.checked_sub(1) else {
            let metres = (self.finest)(rows.clone(), columns.clone()).map_err(WebMapError::Source)?;
            return Ok(LevelWindow { n, rows, columns, metres: Cow::from(metres) });
        };
        let failed = |source| FileError::Write { path: self.folder.path().into(), source };
        let mut bytes = vec![0; 4 * rows.len() * columns.len()];
        {
            let mut file = self.files[level].lock().unwrap_or_else(PoisonError::into_inner);
            for (line, row) in bytes.chunks_mut(4 * columns.len()).zip(rows.clone()) {
                let at = 4 * (row * n + columns.start) as u64;
                file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(line)).map_err(failed)?;
            }
        }
        let metres: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok(LevelWindow { n, rows, columns, metres: Cow::from(metres) })
    }
}

/// Weights for resampling an axis from `from` to `to` samples. Returns the samples of the fine axis whose weighted mean
/// is sample `index` of the coarse axis, with their weights.
fn taps_of(from: usize, to: usize, index: usize) -> Vec<(usize, f64)> {
    let step = (from - 1) as f64 / (to - 1) as f64;
    let middle = index as f64 * step;
    let (low, high) = ((middle - step).max(0.0).ceil() as usize, (middle + step).min((from - 1) as f64));
    let weight = |k: usize| 1.0 - (k as f64 - middle).abs() / step;
    (low..=high as usize).map(|k| (k, weight(k))).filter(|(_, weight)| *weight > 0.0).collect()
}

impl LevelWindow<'_> {
    fn metres(&self, row: usize, column: usize) -> f32 {
        self.metres[(row - self.rows.start) * self.columns.len() + column - self.columns.start]
    }

    /// Complete rows of the next coarser level, computed from this window, which must contain all rows that the result
    /// depends on.
    fn halved(&self, rows: Range<usize>) -> Vec<f32> {
        let n = self.n.div_ceil(2);
        let across: Vec<_> = (0..n).map(|index| taps_of(self.n, n, index)).collect();
        let mut metres = vec![f32::NAN; rows.len() * n];
        metres.par_chunks_mut(n).zip(rows).for_each(|(cells, row)| {
            let down = taps_of(self.n, n, row);
            for (cell, across) in cells.iter_mut().zip(&across) {
                let (mut sum, mut weights) = (0.0, 0.0);
                for &(i, down) in &down {
                    for &(j, right) in across {
                        let here = self.metres(i, j);
                        if !here.is_nan() {
                            sum += f64::from(here) * down * right;
                            weights += down * right;
                        }
                    }
                }
                // A sample of the coarser level has data if at least half of the weight belongs to samples with data.
                let all: f64 = down.iter().map(|tap| tap.1).sum::<f64>() * across.iter().map(|tap| tap.1).sum::<f64>();
                *cell = if weights * 2.0 >= all { (sum / weights) as f32 } else { f32::NAN };
            }
        });
        metres
    }

    /// Bilinearly interpolated height in metres at a position on the terrain. `None` outside the terrain, and if the
    /// nearest sample has no data.
    pub fn sample(&self, [u, v]: [f64; 2]) -> Option<f32> {
        // Tolerance for rounding at the edges of the terrain.
        const NEAR: f64 = 1e-9;
        if !((-NEAR..=1.0 + NEAR).contains(&u) && (-NEAR..=1.0 + NEAR).contains(&v)) {
            return None;
        }
        let last = (self.n - 1) as f64;
        let (x, y) = (u.clamp(0.0, 1.0) * last, v.clamp(0.0, 1.0) * last);
        let (j, i) = ((x as usize).min(self.n - 2), (y as usize).min(self.n - 2));
        let (right, down) = (x - j as f64, y - i as f64);
        let corners = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| {
            let weight = (if a == 1 { down } else { 1.0 - down }) * (if b == 1 { right } else { 1.0 - right });
            (self.metres(i + a, j + b), weight)
        });
        if self.metres(i + usize::from(down >= 0.5), j + usize::from(right >= 0.5)).is_nan() {
            return None;
        }
        let there = corners.iter().filter(|(metres, _)| !metres.is_nan());
        let (sum, weights) = there
            .fold((0.0, 0.0), |(sum, weights), (metres, weight)| (sum + f64::from(*metres) * weight, weights + weight));
        Some((sum / weights) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, MapKind};

    #[test]
    fn a_slope_is_the_same_at_all_levels_but_for_its_rim() {
        for n in [9, 64, 100, 129] {
            let terrain = Terrain::from_fn(n, Edges::Open, |u, v| 2.0 * u + 5.0 * v);
            let levels = TerrainLevels::new(&terrain, 10.0);
            assert!(levels.sides().len() >= 2);
            for level in all_of(&levels) {
                let metres = level.sample([0.5, 0.5]).unwrap();
                assert!((metres - 35.0).abs() < 1e-3, "{n}, {}: {metres}", level.n);
                assert_eq!(level.sample([1.1, 0.5]), None);
            }
            assert_eq!(levels.level(1.0 / (n - 1) as f64), 0);
            assert!(levels.sides()[levels.level(0.5)] <= 2 * FEWEST);
        }
    }

    fn all_of(levels: &dyn LevelSource) -> Vec<LevelWindow<'_>> {
        let whole = |(level, &n): (usize, &usize)| levels.window(level, 0..n, 0..n).unwrap();
        levels.sides().iter().enumerate().map(whole).collect()
    }

    #[test]
    fn levels_read_in_parts_equal_those_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        for n in [9, 200, 257] {
            let mut terrain = Terrain::from_fn(n, Edges::Open, |u, v| (u - 0.3) * (u - 0.7) * v);
            terrain.map_mut(MapKind::Ground).iter_mut().enumerate().for_each(|(k, value)| {
                *value = f32::from(u8::from(k % 5 != 0 && k > 3 * n));
            });
            let whole = TerrainLevels::new(&terrain, 100.0);
            let finest = |rows: Range<usize>, columns: Range<usize>| {
                let line = |row: usize| whole.levels[0][row * n..][columns.clone()].to_vec();
                Ok(rows.flat_map(line).collect())
            };
            let control = Control::default();
            let spooled = SpooledLevels::new(n, &finest, &folder.path().join("web"), &control).unwrap();
            assert_eq!(whole.sides(), spooled.sides());
            let bits = |window: LevelWindow| window.metres.iter().map(|m| m.to_bits()).collect::<Vec<_>>();
            for (ours, theirs) in all_of(&spooled).into_iter().zip(all_of(&whole)) {
                assert!(bits(ours) == bits(theirs), "{n}");
            }
            for level in 0..whole.sides().len() {
                for (low, high) in [([0.0; 2], [1.0; 2]), ([0.3, 0.6], [0.35, 0.61]), ([-0.5, 0.9], [0.0, 1.5])] {
                    let part = spooled.part_between(level, low, high).unwrap();
                    let [u, v] = [0, 1].map(|axis| 0.5 * (low[axis].max(0.0) + high[axis].min(1.0)));
                    let of_all = whole.part_between(level, low, high).unwrap();
                    assert_eq!(part.sample([u, v]).map(f32::to_bits), of_all.sample([u, v]).map(f32::to_bits));
                }
            }
            drop(spooled);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn voids_stay_voids() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |_, _| 1.0);
        let ground = terrain.map_mut(MapKind::Ground);
        ground.iter_mut().enumerate().filter(|(k, _)| k % 33 < 16).for_each(|(_, value)| *value = 0.0);
        for level in all_of(&TerrainLevels::new(&terrain, 7.0)) {
            assert_eq!(level.sample([0.1, 0.5]), None);
            assert_eq!(level.sample([0.9, 0.5]), Some(7.0));
        }
    }
}
