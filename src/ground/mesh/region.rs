//! The region of a terrain that becomes triangles. A *ground sample* is a sample with terrain data.
//!
//! A cell between four ground samples is completely in the region. Of a cell with three ground samples, only the
//! triangle between these samples is in the region. Where two parts of the region touch at a single sample, that sample
//! is removed to separate the parts. Otherwise four walls would meet in one line, and a printer could not distinguish
//! inside from outside.

use super::sample_set::SampleSet;
use crate::field::Grid;

/// The four cells around a sample, anticlockwise from the north-east. Each entry holds the other three corners of a
/// cell as (row, column) steps from the sample: along the first axis, to the far corner, and along the second axis.
const QUARTERS: [[(isize, isize); 3]; 4] =
    [[(0, 1), (-1, 1), (-1, 0)], [(-1, 0), (-1, -1), (0, -1)], [(0, -1), (1, -1), (1, 0)], [(1, 0), (1, 1), (0, 1)]];

/// The samples of a grid's faces that become triangles.
#[derive(Clone, Debug)]
pub(super) struct GroundRegion {
    grid: Grid,
    samples: SampleSet,
}

impl GroundRegion {
    /// The region of all samples for which `belongs` is true; `None` if it is true for all samples. With `parted`, the
    /// region excludes samples at which two parts of the region touch in a point.
    pub fn new(grid: Grid, belongs: impl Fn(usize) -> bool, parted: bool) -> Option<Self> {
        if (0..grid.len()).all(&belongs) {
            return None;
        }
        let mut region = Self { grid, samples: SampleSet::from_fn(grid.len(), belongs) };
        // Removing a sample can isolate a neighbour of it, or leave two parts that touch only at the neighbour.
        let mut left: Vec<usize> = region.samples.iter().collect();
        while let Some(k) = left.pop() {
            if !region.samples.contains(k) {
                continue;
            }
            let around = region.sectors(k);
            if around == 0 || parted && pieces(around) > 1 {
                region.samples.remove(k);
                left.extend(region.neighbours(k));
            }
        }
        Some(region)
    }

    /// The region of all samples.
    pub fn whole(grid: Grid) -> Self {
        Self { grid, samples: SampleSet::from_fn(grid.len(), |_| true) }
    }

    /// Whether triangles may use sample `k` as a corner.
    #[inline]
    pub fn contains(&self, k: usize) -> bool {
        self.samples.contains(k)
    }

    /// The neighbours of a sample on the same face.
    fn neighbours(&self, k: usize) -> impl Iterator<Item = usize> + use<> {
        let n = self.grid.samples;
        let (face, row, column) = (k / (n * n), k / n % n, k % n);
        let steps = (-1..=1isize).flat_map(|down| (-1..=1isize).map(move |right| (down, right)));
        steps.filter(|&step| step != (0, 0)).filter_map(move |(down, right)| {
            let (row, column) = (row.checked_add_signed(down)?, column.checked_add_signed(right)?);
            (row < n && column < n).then_some((face * n + row) * n + column)
        })
    }

    /// Bit mask of the eight 45° sectors around a sample that belong to the region, anticlockwise from the east.
    /// Sectors beyond the face do not belong to the region.
    fn sectors(&self, k: usize) -> u8 {
        let n = self.grid.samples;
        let (row, column) = (k / n % n, k % n);
        let base = k - row * n - column;
        let has = |(down, right): (isize, isize)| {
            let (Some(row), Some(column)) = (row.checked_add_signed(down), column.checked_add_signed(right)) else {
                return false;
            };
            row < n && column < n && self.samples.contains(base + row * n + column)
        };
        let mut sectors = 0;
        for (quarter, corners) in QUARTERS.iter().enumerate() {
            let halves = match corners.map(has) {
                [true, _, true] => 0b11,
                [true, true, false] => 0b01,
                [false, true, true] => 0b10,
                _ => 0,
            };
            sectors |= halves << (2 * quarter);
        }
        sectors
    }

    /// Whether the sample is on the outer border of the region or on the border of a hole. The edge of the face does
    /// not count as a border.
    pub fn is_border(&self, k: usize) -> bool {
        let n = self.grid.samples;
        let (row, column) = (k / n % n, k % n);
        let mut beyond = 0;
        for (quarter, [first, _, second]) in QUARTERS.iter().enumerate() {
            let is_off = |(down, right): &(isize, isize)| {
                !(0..n as isize).contains(&(row as isize + down))
                    || !(0..n as isize).contains(&(column as isize + right))
            };
            if is_off(first) || is_off(second) {
                beyond |= 0b11 << (2 * quarter);
            }
        }
        self.contains(k) && self.sectors(k) | beyond != 0xff
    }

    /// Whether each corner of the cell to the south-east of sample `k` belongs to the region. The order is north-west,
    /// north-east, south-west, south-east.
    #[inline]
    pub fn corners(&self, k: usize) -> [bool; 4] {
        let n = self.grid.samples;
        [k, k + 1, k + n, k + n + 1].map(|k| self.samples.contains(k))
    }

    /// Whether a position on a face, given as fractional row and column, is inside the region. Positions on triangle
    /// edges do not count as inside.
    pub fn contains_point(&self, face: usize, row: f64, column: f64) -> bool {
        let n = self.grid.samples;
        let (i, j) = ((row as usize).min(n - 2), (column as usize).min(n - 2));
        let (down, right) = (row - i as f64, column - j as f64);
        match self.corners((face * n + i) * n + j) {
            [true, true, true, true] => true,
            [false, true, true, true] => down + right > 1.0,
            [true, false, true, true] => down > right,
            [true, true, false, true] => right > down,
            [true, true, true, false] => down + right < 1.0,
            _ => false,
        }
    }
}

/// Number of connected groups that the sectors around a sample form.
fn pieces(sectors: u8) -> u32 {
    if sectors == 0xff { 1 } else { (sectors & !sectors.rotate_left(1)).count_ones() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    fn region(rows: &[&str]) -> (GroundRegion, Vec<String>) {
        let n = rows.len();
        let text: Vec<u8> = rows.concat().into_bytes();
        let region = GroundRegion::new(Grid::new(n, Edges::Open), |k| text[k] == b'#', true).unwrap();
        let kept = |row: usize| (0..n).map(|j| if region.contains(row * n + j) { '#' } else { '.' }).collect();
        let rows = (0..n).map(kept).collect();
        (region, rows)
    }

    #[test]
    fn ground_without_a_cell_is_left_out() {
        let (_, kept) = region(&["#....", "..##.", "..##.", ".....", "####."]);
        assert_eq!(kept, [".....", "..##.", "..##.", ".....", "....."]);
    }

    #[test]
    fn parts_that_touch_at_a_point_are_separated() {
        let (region, kept) = region(&["##...", "###..", ".####", "..###", "..###"]);
        assert_eq!(kept[4], "..###");
        let touching = (0..25).filter(|&k| region.contains(k) && pieces(region.sectors(k)) > 1).count();
        assert_eq!(touching, 0, "{kept:?}");
    }

    #[test]
    fn the_border_goes_around_holes_and_not_along_the_edge() {
        let (region, _) = region(&["######", "######", "##.###", "######", "######", "######"]);
        assert!(!region.is_border(0) && !region.is_border(3 * 6 + 5));
        for (row, column) in [(1, 2), (2, 1), (2, 3), (3, 2)] {
            assert!(region.is_border(row * 6 + column), "{row}, {column}");
        }
        // Each of the four cells around the hole keeps a triangle, at the corner opposite the hole.
        assert!(!region.is_border(6 + 1));
        assert!(region.contains_point(0, 1.2, 1.2) && !region.contains_point(0, 1.8, 1.8));
    }
}
