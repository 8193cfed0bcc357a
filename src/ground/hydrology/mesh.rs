//! The mesh for drainage computations: the samples of a grid as cells, and the outlets where water leaves.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::drained_area::DrainedArea;
use crate::field::metric::{GridMetric, Links, Metric, Spherical};
use crate::field::topology::{Adjacency, NONE};
use crate::field::{Edges, Grid, HAS_GROUND, MapKind, Terrain};

/// Distances of a cell of a square to its eight neighbours, in cells.
const UNIFORM: [f32; 8] = {
    const DIAGONAL: f32 = std::f32::consts::SQRT_2;
    [1.0, DIAGONAL, 1.0, DIAGONAL, 1.0, DIAGONAL, 1.0, DIAGONAL]
};

/// The cells of a grid: their neighbours, distances and areas. One mesh serves any heights on the grid.
///
/// Cells are the samples of the grid, copies included, identified by their index. A copy is never listed as a neighbour
/// and has no area: results belong to the owners, and [`Grid::close`] writes the results to the copies.
/// Units: distances are in side lengths of a cell of the mean area, and areas are in cells of the mean area.
#[derive(Clone, Debug)]
pub struct FlowMesh {
    grid: Grid,
    adjacency: Adjacency,
    metric: GridMetric,
    /// Radius of the globe in side lengths of a cell of the mean area.
    cells_per_radius: f32,
}

impl FlowMesh {
    /// The mesh of all cells of `grid`.
    pub fn new(grid: Grid) -> Self {
        let metric = GridMetric::new(grid);
        let cells_per_radius = metric.spherical().map_or(1.0, |sphere| (1.0 / sphere.spacing()) as f32);
        Self { grid, adjacency: Adjacency::new(grid), metric, cells_per_radius }
    }

    /// The grid whose samples the cells are.
    #[inline]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Distances between the cells of the grid, and areas of the cells.
    pub fn metric(&self) -> &GridMetric {
        &self.metric
    }

    /// Number of cells, copies included.
    #[allow(clippy::len_without_is_empty, reason = "a grid has at least four samples")]
    #[inline]
    pub fn len(&self) -> usize {
        self.grid.len()
    }

    /// Neighbours of a cell in the order of [`DIRECTIONS`](crate::field::topology::DIRECTIONS), as indices of owners;
    /// [`NONE`] where a neighbour is missing.
    #[inline]
    pub fn neighbours(&self, k: usize) -> [u32; 8] {
        self.adjacency.neighbours(k)
    }

    /// The existing neighbours of a cell, as indices of owners.
    #[inline]
    pub fn existing_neighbours(&self, k: usize) -> impl Iterator<Item = usize> + use<> {
        self.adjacency.existing_neighbours(k)
    }

    /// Whether index arithmetic finds the neighbours of cell `k`: the cell is two or more cells from the borders of its
    /// face.
    #[inline]
    pub(super) fn is_inner(&self, k: usize) -> bool {
        self.adjacency.is_inner(k)
    }

    /// Distances of cell `k` to its eight neighbours, in cells.
    #[inline]
    pub fn distances(&self, k: usize) -> [f32; 8] {
        match &self.metric {
            GridMetric::Uniform => UNIFORM,
            GridMetric::Spherical(sphere) => {
                sphere.distances().to_neighbours(k).map(|radii| radii * self.cells_per_radius)
            }
        }
    }

    /// Distance in cells between two neighbours; 0 between a cell and itself.
    #[inline]
    pub fn distance(&self, a: usize, b: usize) -> f32 {
        if a == b {
            return 0.0;
        }
        let direction = self.neighbours(a).iter().position(|&there| there as usize == b);
        direction.map_or(f32::INFINITY, |direction| self.distances(a)[direction])
    }

    /// Straight-line distance in cells of any two cells: the shorter way around on a wrapping square, the chord on a
    /// globe.
    pub fn straight_distance(&self, a: usize, b: usize) -> f32 {
        if let Some(sphere) = self.sphere() {
            let [a, b] = [a, b].map(|k| sphere.globe().direction_of(k));
            let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            return (x * x + y * y + z * z).sqrt() * self.cells_per_radius;
        }
        let (n, side) = (self.grid.samples, self.grid.distinct_side());
        let apart = |x: usize, y: usize| {
            let d = x.abs_diff(y);
            if side < n { d.min(side - d) as f32 } else { d as f32 }
        };
        let (x, y) = (apart(a % n, b % n), apart(a / n, b / n));
        (x * x + y * y).sqrt()
    }

    /// Area of every cell in cells of the mean area, 0 for copies; `None` on a square, where every owner has the area
    /// 1.
    #[inline]
    pub fn owned_areas(&self) -> Option<&[f32]> {
        self.sphere().map(Spherical::all_owned_areas)
    }

    /// Area of every cell, 0 for copies.
    pub fn areas(&self) -> Vec<f32> {
        let mut areas = Vec::new();
        self.write_areas(&mut areas);
        areas
    }

    /// Writes [`areas`](Self::areas) into `areas`, reusing its memory.
    pub fn write_areas(&self, areas: &mut Vec<f32>) {
        areas.clear();
        if let Some(owned) = self.owned_areas() {
            areas.extend_from_slice(owned);
            return;
        }
        areas.resize(self.len(), 1.0);
        if self.grid.edges == Edges::Wrap {
            let n = self.grid.samples;
            areas[n * (n - 1)..].fill(0.0);
            areas.chunks_mut(n).for_each(|row| row[n - 1] = 0.0);
        }
    }

    /// Writes into `areas`, reusing its memory, the area of every cell weighted by its `rain`; 0 for copies.
    pub fn write_rained_areas(&self, rain: Option<&[f32]>, areas: &mut Vec<DrainedArea>) {
        let (grid, n, owned) = (self.grid, self.grid.samples, self.owned_areas());
        let last = |at: usize| grid.edges == Edges::Wrap && at + 1 == n;
        areas.resize(self.len(), DrainedArea::default());
        if rain.is_none() && owned.is_none() && grid.edges == Edges::Open {
            let cell = DrainedArea::of_cells(1.0);
            return areas.par_chunks_mut(n).for_each(|areas| areas.fill(cell));
        }
        areas.par_chunks_mut(n).enumerate().for_each(|(row, areas)| {
            for (j, area) in areas.iter_mut().enumerate() {
                let k = row * n + j;
                let cell = match owned {
                    Some(owned) => owned[k],
                    None if last(j) || last(row) => 0.0,
                    None => 1.0,
                };
                *area = rain.map_or_else(|| DrainedArea::of_cells(cell), |rain| DrainedArea::under_rain(cell, rain[k]));
            }
        });
    }

    /// Side length in metres of a cell of the mean area. `size_metres` is the side length of the terrain, or on a globe
    /// a quarter of the circumference.
    #[inline]
    pub fn cell_metres(&self, size_metres: f32) -> f32 {
        match self.sphere() {
            None => size_metres * self.grid.cell(),
            Some(sphere) => (sphere.spacing() * f64::from(size_metres) * std::f64::consts::FRAC_2_PI) as f32,
        }
    }

    /// Shape of the globe and distances on it; `None` on a square.
    pub(super) fn sphere(&self) -> Option<&Spherical> {
        self.metric.spherical()
    }

    /// Distances between the cells of the globe in radii, and the length of a radius in cells; `None` on a square.
    pub(super) fn links(&self) -> Option<(&Links, f32)> {
        self.sphere().map(|sphere| (sphere.distances(), self.cells_per_radius))
    }

    /// Heights of the neighbours `around` a cell; infinite where a neighbour is missing.
    #[inline]
    pub(super) fn heights(around: &[u32; 8], height: &[f32]) -> [f32; 8] {
        around.map(|there| if there == NONE { f32::INFINITY } else { height[there as usize] })
    }
}

/// Cells where water leaves the terrain: open edges, cells at or below the sea, and the [`LandBorder`] if the land ends
/// at voids. If the terrain has none of these, its lowest cell is the outlet. Copies of border samples also count as
/// outlets, because no water may flow from them.
#[derive(Clone, Debug)]
pub struct Outlets {
    grid: Grid,
    /// Whether water leaves across the edges of the terrain, which then is a square with open edges.
    over_edges: bool,
    sea: f32,
    lowest: usize,
    land_border: Option<LandBorder>,
}

/// The cells at which land ends: void cells, and the cells of the land beside them. The latter are like the cells along
/// an open edge, so water never reads the heights of voids.
#[derive(Clone, Debug)]
pub struct LandBorder {
    /// One bit per cell.
    cells: Arc<Vec<u64>>,
}

impl LandBorder {
    /// The border of the land of `terrain`; `None` without voids. In a window, voids outside the window do not count.
    pub fn new(terrain: &Terrain) -> Option<Self> {
        let (grid, ground) = (terrain.grid, terrain.map(MapKind::Ground)?);
        let mut cells = Vec::new();
        for k in (0..grid.len()).filter(|&k| ground[k] < HAS_GROUND) {
            cells.resize(grid.len().div_ceil(64), 0);
            for there in grid.neighbours(k).into_iter().flatten().chain([k]) {
                cells[there / 64] |= 1u64 << (there % 64);
            }
        }
        (!cells.is_empty()).then(|| Self { cells: Arc::new(cells) })
    }

    #[inline]
    fn contains(&self, k: usize) -> bool {
        self.cells[k / 64] >> (k % 64) & 1 == 1
    }
}

impl Outlets {
    /// The outlets of the terrain `height`, with the sea at height `sea`; negative infinity means that there is no sea.
    pub fn new(grid: Grid, height: &[f32], sea: f32) -> Self {
        let over_edges = grid.has_edge();
        let mut lowest = usize::MAX;
        if !over_edges && !height.iter().any(|&h| h <= sea) {
            lowest = (0..height.len()).fold(0, |low, k| if height[k] < height[low] { k } else { low });
            lowest = grid.owner(lowest);
        }
        Self { grid, over_edges, sea, lowest, land_border: None }
    }

    /// The same outlets and, if there is one, the border of the land.
    #[must_use]
    pub fn with_land_border(self, border: Option<LandBorder>) -> Self {
        let lowest = if border.is_some() { usize::MAX } else { self.lowest };
        Self { lowest, land_border: border, ..self }
    }

    /// No outlets: all water stays in the depressions.
    pub fn none(grid: Grid) -> Self {
        Self { grid, over_edges: false, sea: f32::NEG_INFINITY, lowest: usize::MAX, land_border: None }
    }

    /// Whether water leaves the terrain at cell `k`, whose height is `h`.
    #[inline]
    pub fn contain(&self, k: usize, h: f32) -> bool {
        h <= self.sea || k == self.lowest || self.contain_border(k) || self.ends_land(k)
    }

    /// The outlets of row `row` of the grid.
    pub(super) fn in_row(&self, row: usize) -> RowOutlets<'_> {
        let n = self.grid.samples;
        let is_inner = (1..n - 1).contains(&(row % n));
        RowOutlets { outlets: self, start: row * n, inner: if is_inner { 1..n - 1 } else { 0..0 } }
    }

    /// Whether all of the given heights are at or below the sea.
    #[inline]
    pub(super) fn are_sea(&self, heights: &[f32]) -> bool {
        heights.iter().all(|&h| h <= self.sea)
    }

    /// Returns `h` if it is above the sea, otherwise the smallest number above the sea level.
    #[inline]
    pub fn above_sea(&self, h: f32) -> f32 {
        if h > self.sea { h } else { self.sea.next_up() }
    }

    #[inline]
    fn ends_land(&self, k: usize) -> bool {
        self.land_border.as_ref().is_some_and(|border| border.contains(k))
    }

    #[inline]
    fn contain_border(&self, k: usize) -> bool {
        let (n, k) = (self.grid.samples as u32, k as u32);
        let (row, column, last) = (k / n, k % n, n - 1);
        if self.grid.is_globe() {
            let row = row % n;
            return (row == 0 || column == 0 || row == last || column == last) && !self.grid.owns(k as usize);
        }
        if self.grid.edges == Edges::Wrap {
            return row == last || column == last;
        }
        // In a window, only the edges of the whole terrain count as edges.
        let [top, left] = self.grid.first().map(|first| first as u32);
        let (row, column, last) = (top + row, left + column, self.grid.whole_samples() as u32 - 1);
        self.over_edges && (row == 0 || column == 0 || row == last || column == last)
    }
}

/// The outlets in a single row of the grid.
pub(super) struct RowOutlets<'a> {
    outlets: &'a Outlets,
    /// Index of the first cell of the row.
    start: usize,
    /// Columns that are on no border of the grid.
    inner: Range<usize>,
}

impl RowOutlets<'_> {
    /// Whether water leaves at column `j` with height `h`; see [`Outlets::contain`].
    #[inline(always)]
    pub fn contain(&self, j: usize, h: f32) -> bool {
        let (outlets, k) = (self.outlets, self.start + j);
        h <= outlets.sea
            || k == outlets.lowest
            || !self.inner.contains(&j) && outlets.contain_border(k)
            || outlets.ends_land(k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlets_of_a_row_are_those_of_its_cells() {
        let whole = Grid::new(9, Edges::Open);
        let windows = [[0, 0], [2, 3], [4, 4]].map(|first| whole.window(first, 5));
        let others = [whole, Grid::new(2, Edges::Open), Grid::new(6, Edges::Wrap), Grid::globe(5)];
        for grid in windows.into_iter().chain(others) {
            let height: Vec<f32> = (0..grid.len()).map(|k| ((k * 37) % 11) as f32).collect();
            for outlets in [Outlets::new(grid, &height, 2.0), Outlets::new(grid, &height, -1.0), Outlets::none(grid)] {
                for (k, &h) in height.iter().enumerate() {
                    let (row, column) = (k / grid.samples, k % grid.samples);
                    assert_eq!(outlets.in_row(row).contain(column, h), outlets.contain(k, h), "{grid:?}: {k}");
                }
            }
        }
    }

    #[test]
    fn copies_have_no_area_and_neighbour_distances_are_true() {
        for grid in [Grid::new(7, Edges::Open), Grid::new(7, Edges::Wrap), Grid::globe(12)] {
            let mesh = FlowMesh::new(grid);
            let areas = mesh.areas();
            assert!((0..mesh.len()).all(|k| (areas[k] > 0.0) == grid.owns(k)), "{grid:?}");
            let sum: f64 = areas.iter().map(|&area| f64::from(area)).sum();
            assert!((sum / grid.distinct_len() as f64 - 1.0).abs() < 1e-5, "{grid:?}: {sum}");
            for k in (0..mesh.len()).filter(|&k| grid.owns(k)) {
                for there in mesh.existing_neighbours(k) {
                    let (one, other) = (mesh.distance(k, there), mesh.distance(there, k));
                    assert!(one == other && (0.6..2.1).contains(&one), "{grid:?}: {one} and {other}");
                }
                assert_eq!(mesh.distance(k, k), 0.0);
            }
        }
    }

    #[test]
    fn water_leaves_at_edges_at_the_sea_or_at_the_lowest_cell() {
        let count = |edges: Edges, sea: f32| {
            let grid = Grid::new(5, edges);
            let side = grid.distinct_side();
            let mut height: Vec<f32> =
                (0..25).map(|k| (((k / 5 % side * side + k % 5 % side) * 7 + 3) % 16) as f32).collect();
            grid.close(&mut height);
            let outlets = Outlets::new(grid, &height, sea);
            (0..25).filter(|&k| grid.owns(k) && outlets.contain(k, height[k])).count()
        };
        assert_eq!(count(Edges::Wrap, -1.0), 1);
        assert_eq!(count(Edges::Wrap, 2.0), 3);
        assert_eq!(count(Edges::Open, -1.0), 16);
    }
}
