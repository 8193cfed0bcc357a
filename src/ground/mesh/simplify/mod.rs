//! Simplified triangulation whose surface stays within a given error of every sample.
//!
//! Algorithm: greedy insertion into a Delaunay triangulation (Garland and Heckbert 1995, *Fast polygonal approximation
//! of terrains and height fields*). The algorithm makes the sample farthest from the triangles a vertex, until no
//! sample is farther away than the error limit. Every sample is tested against the triangle that covers it.
//!
//! Scheme: the face is divided into square [tiles](TILE), which are processed in parallel. The lines between tiles are
//! simplified first, each separately (Douglas and Peucker 1973, by vertical distance), and both adjacent tiles use the
//! vertices of the simplified line. The surface therefore has no cracks, and the triangles are the same on any number
//! of threads. The orientation test is exact, because coordinates are whole numbers. Over a flat triangle, the values
//! of a [`FaceSurface`] are linear in its coordinates. On a globe the values are proportional to the inverse radius,
//! and the coordinates belong to the gnomonic projection, which keeps straight edges straight.
//!
//! Available crates do not suffice. `delatin` 0.2 has no tiles and no mandatory samples, and uses a single thread.
//! `martini` 0.2 requires sides of 2^k + 1 and does not meet its error limit: `martini` compares samples with the
//! middle of the longest edge of each level instead of with the final triangle. The benchmark `benches/mesh.rs`
//! contains the measurements.

mod delaunay;
mod line;

use std::ops::Range;

use rayon::prelude::*;

use super::region::GroundRegion;
use crate::field::{Cancelled, Control};

use delaunay::{TileSamples, Triangulator};

/// Maximum side length of a tile, in cells.
const TILE: usize = 256;

/// A face of a grid, with the values and limits for its simplification.
pub(super) struct FaceSurface<'a> {
    /// Number of samples per side of the face.
    pub samples: usize,
    /// Index of the face in the grid, for [`GroundRegion::contains_point`].
    pub face: usize,
    /// Coordinates of the rows and columns: ascending whole numbers below 2^26 in magnitude.
    pub coordinates: &'a [f64],
    /// Returns the value of a sample, given its index within the face. Values are linear over a flat triangle.
    pub value: &'a (dyn Fn(usize) -> f64 + Sync),
    /// The number that, divided by the value of a sample, gives the height of the sample. On a globe, the number is the
    /// length of (x, y, 1). `None` if values are heights.
    pub dividend: Option<&'a (dyn Fn(usize) -> f64 + Sync)>,
    /// The region of samples with data; `None` if all samples have data.
    pub region: Option<&'a GroundRegion>,
    /// Returns whether a sample must become a vertex, given its index within the face.
    pub needed: &'a (dyn Fn(usize) -> bool + Sync),
    /// Maximum error, in the unit of the heights.
    pub limit: f64,
}

/// The triangles of a face as sample indices within the face. The corners of a triangle are clockwise in image
/// coordinates (row, column), which is anticlockwise seen from outside.
pub(super) fn simplify(surface: &FaceSurface, control: &Control) -> Result<Vec<[u32; 3]>, Cancelled> {
    let tiles = surface.tiles();
    let done: Result<Vec<Vec<[u32; 3]>>, Cancelled> = tiles
        .into_par_iter()
        .map_init(Triangulator::default, |triangulator, (rows, columns)| {
            control.check()?;
            Ok(surface.tile(triangulator, rows, columns))
        })
        .collect();
    let done = done?;
    let mut triangles = Vec::with_capacity(done.iter().map(Vec::len).sum());
    for tile in done {
        triangles.extend_from_slice(&tile);
    }
    Ok(triangles)
}

impl FaceSurface<'_> {
    /// The rows and columns of every tile. Neighbouring tiles share a border: the last row or column of one tile is the
    /// first row or column of the next.
    fn tiles(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let last = self.samples - 1;
        // An odd number of tiles gives the same tile borders from either end. This symmetry is required, because the
        // faces of a globe can meet in reverse direction.
        let count = last.div_ceil(TILE) | 1;
        let border = |k: usize| if 2 * k < count { k * last / count } else { last - (count - k) * last / count };
        let ranges: Vec<Range<usize>> =
            (0..count).map(|k| border(k)..border(k + 1) + 1).filter(|range| range.len() > 1).collect();
        ranges.iter().flat_map(|rows| ranges.iter().map(|columns| (rows.clone(), columns.clone()))).collect()
    }

    fn has_sample(&self, k: usize) -> bool {
        let offset = self.face * self.samples * self.samples;
        self.region.is_none_or(|region| region.contains(offset + k))
    }

    fn is_needed(&self, k: usize) -> bool {
        let offset = self.face * self.samples * self.samples;
        (self.needed)(k) || self.region.is_some_and(|region| region.is_border(offset + k))
    }

    fn tile(&self, triangulator: &mut Triangulator, rows: Range<usize>, columns: Range<usize>) -> Vec<[u32; 3]> {
        let n = self.samples;
        let (width, height) = (columns.len(), rows.len());
        let index = |k: usize| (rows.start + k / width) * n + columns.start + k % width;
        let mut tile = TileSamples {
            xs: &self.coordinates[columns.clone()],
            ys: &self.coordinates[rows.clone()],
            values: (0..width * height).map(|k| (self.value)(index(k))).collect(),
            dividends: self.dividend.map(|of| (0..width * height).map(|k| of(index(k))).collect()),
            roles: (0..width * height).map(|k| self.role(index(k))).collect(),
            limit: self.limit,
        };
        let (right, bottom) = (width - 1, (height - 1) * width);
        let across: [Vec<usize>; 2] = [(0..width).collect(), (0..width).map(|k| bottom + k).collect()];
        let down: [Vec<usize>; 2] =
            [(0..height).map(|k| k * width).collect(), (0..height).map(|k| k * width + right).collect()];
        for (lines, coordinates) in [(across, tile.xs), (down, tile.ys)] {
            for line in lines {
                tile.mark_needed_on_line(&line, coordinates);
            }
        }
        let inside = |&[a, b, c]: &[u32; 3]| {
            let Some(region) = self.region else { return true };
            let sum =
                |part: fn(usize, usize) -> usize| [a, b, c].map(|k| part(k as usize, width)).iter().sum::<usize>();
            let middle = |first: usize, sum: usize| first as f64 + sum as f64 / 3.0;
            let row = middle(rows.start, sum(|k, width| k / width));
            region.contains_point(self.face, row, middle(columns.start, sum(|k, width| k % width)))
        };
        let found = triangulator.run(&mut tile);
        found.filter(inside).map(|triangle| triangle.map(|k| index(k as usize) as u32)).collect()
    }

    fn role(&self, k: usize) -> SampleRole {
        match (self.has_sample(k), self.is_needed(k)) {
            (false, _) => SampleRole::Out,
            (true, false) => SampleRole::Measured,
            (true, true) => SampleRole::Needed,
        }
    }
}

/// Role of a sample in the triangulation of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SampleRole {
    /// The sample is ignored, because it has no data or is a vertex already.
    Out,
    /// The error must stay within the limit at this sample.
    Measured,
    /// The sample must become a vertex.
    Needed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, Grid};

    fn height(row: usize, column: usize) -> f64 {
        let (x, y) = (column as f64 / 40.0, row as f64 / 40.0);
        30.0 * libm::sin(x * 2.1) * libm::cos(y * 1.7)
            + 8.0 * libm::sin(x * y * 0.9)
            + (row * 31 + column * 17 % 7) as f64 * 0.02
    }

    fn surface<'a>(
        n: usize,
        coordinates: &'a [f64],
        value: &'a (dyn Fn(usize) -> f64 + Sync),
        region: Option<&'a GroundRegion>,
        limit: f64,
    ) -> FaceSurface<'a> {
        FaceSurface { samples: n, face: 0, coordinates, value, dividend: None, region, needed: &|_| false, limit }
    }

    /// Returns the largest distance between samples and triangles. Also returns how many triangles cover each sample in
    /// their interior.
    fn measured(n: usize, triangles: &[[u32; 3]], value: &dyn Fn(usize) -> f64) -> (f64, Vec<u32>) {
        let mut worst = 0.0f64;
        let mut covered = vec![0; n * n];
        for triangle in triangles {
            let [a, b, c] = triangle.map(|k| (k as i64 % n as i64, k as i64 / n as i64));
            let cross =
                |p: (i64, i64), q: (i64, i64), r: (i64, i64)| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
            let area = -cross(a, b, c);
            assert!(area > 0, "a triangle is upside down or flat");
            let values = triangle.map(|k| value(k as usize));
            for y in a.1.min(b.1).min(c.1)..=a.1.max(b.1).max(c.1) {
                for x in a.0.min(b.0).min(c.0)..=a.0.max(b.0).max(c.0) {
                    let weights = [-cross(b, c, (x, y)), -cross(c, a, (x, y)), -cross(a, b, (x, y))];
                    if weights.iter().any(|&w| w < 0) {
                        continue;
                    }
                    let k = (y as usize) * n + x as usize;
                    covered[k] += 1;
                    let sum: f64 = (0..3).map(|k| weights[k] as f64 * values[k]).sum();
                    worst = worst.max((sum / area as f64 - value(k)).abs());
                }
            }
        }
        (worst, covered)
    }

    #[test]
    fn the_error_bound_holds_and_a_larger_one_takes_fewer_triangles() {
        for n in [2, 3, 100, 257, 300, 515] {
            let coordinates: Vec<f64> = (0..n).map(|k| k as f64).collect();
            let value = |k: usize| height(k / n, k % n);
            let mut before = usize::MAX;
            for limit in [0.25, 0.5, 1.0, 4.0] {
                let triangles = simplify(&surface(n, &coordinates, &value, None, limit), &Control::default()).unwrap();
                let (worst, covered) = measured(n, &triangles, &value);
                assert!(worst <= limit * (1.0 + 1e-12), "{n}: {worst} and {limit}");
                assert!(covered.iter().all(|&times| times > 0), "{n}: a sample is not covered");
                assert!(triangles.len() <= before);
                before = triangles.len();
            }
        }
    }

    #[test]
    fn triangles_of_tiles_fit_together() {
        let n = 515;
        let coordinates: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let value = |k: usize| height(k / n, k % n);
        let triangles = simplify(&surface(n, &coordinates, &value, None, 1.0), &Control::default()).unwrap();
        let mut edges = std::collections::HashSet::new();
        for [a, b, c] in &triangles {
            for edge in [(a, b), (b, c), (c, a)] {
                assert!(edges.insert(edge), "an edge occurs twice");
            }
        }
        let on_rim = |k: u32| {
            let (row, column) = (k as usize / n, k as usize % n);
            row == 0 || column == 0 || row == n - 1 || column == n - 1
        };
        let open: Vec<_> = edges.iter().filter(|(a, b)| !edges.contains(&(b, a))).collect();
        assert!(open.iter().all(|(a, b)| on_rim(**a) && on_rim(**b)), "a crack");
    }

    #[test]
    fn holes_stay_holes_and_their_border_is_kept() {
        let n = 300;
        let grid = Grid::new(n, Edges::Open);
        let is_ground = |k: usize| {
            let (row, column) = (k / n, k % n);
            let (y, x) = (row as f64 - 140.0, column as f64 - 255.0);
            x * x + y * y > 900.0 && (row * 7 + column * 3) % 97 != 0
        };
        let region = GroundRegion::new(grid, is_ground, true).unwrap();
        let coordinates: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let value = |k: usize| height(k / n, k % n);
        let triangles = simplify(&surface(n, &coordinates, &value, Some(&region), 2.0), &Control::default()).unwrap();
        let (worst, covered) = measured(n, &triangles, &value);
        assert!(worst <= 2.0 * (1.0 + 1e-12), "{worst}");
        for (k, &times) in covered.iter().enumerate() {
            assert_eq!(times > 0, region.contains(k), "sample {k}");
        }
        // The area of the triangles equals the area of the region's cells and triangles, to half a cell.
        let doubled: i64 = triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|k| (k as i64 % n as i64, k as i64 / n as i64));
                -((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0))
            })
            .sum();
        let cells = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| i * n + j));
        let expected: i64 = cells
            .map(|k| match region.corners(k).iter().filter(|&&has| has).count() {
                4 => 2,
                3 => 1,
                _ => 0,
            })
            .sum();
        assert_eq!(doubled, expected);
    }
}
