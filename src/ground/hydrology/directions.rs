//! Flow directions: the single receiver of every cell, and the facets of the terrain on which the water flows there.
//!
//! D8 (O'Callaghan & Mark 1984): water flows to the neighbour with the greatest fall per distance. Flow paths therefore
//! run at multiples of 45°.
//!
//! Rho8 (Fairfield & Leymarie 1991) on facets: the steepest of the eight triangular facets around the cell gives the
//! flow direction (Tarboton 1997). The far side of a facet is the line between its orthogonal and its diagonal
//! neighbour. The flow direction meets this line at the fraction f of the way from the orthogonal to the diagonal
//! neighbour. The water flows to the diagonal neighbour with probability f and to the orthogonal neighbour otherwise,
//! so that its mean path follows the flow direction. The random draw belongs to the cell and never changes.
//!
//! Facets: on a square with falls s₁ towards the orthogonal neighbour and s₂ at right angles to it, f = s₂/s₁. On a
//! globe the triangle has the actual lengths of its sides: a to the orthogonal neighbour, b to the diagonal neighbour,
//! c between the two neighbours. The flow direction is the direction of the steepest downward slope among all
//! directions that meet the far side.
//!
//! On a filled surface, the cells without a lower neighbour are the flats, whose water takes the nearest way out
//! ([`flats`](super::flats)). To find the basins of a terrain that is not filled, a level cell instead flows to its
//! neighbour of lowest index, if the neighbour's index is below its own. A cell with no neighbour that is lower in
//! (height, index) is then a pit.

use std::ops::Range;

use rayon::prelude::*;

use super::facets::{BLOCK, Facet, FacetBlock, steepest_facet, steepest_spherical_facet};
use super::mesh::{FlowMesh, Outlets};
use crate::field::metric::Links;
use crate::field::topology::{DIRECTIONS, EAST, NONE, NORTH, RIM, SOUTH, WEST};
use crate::field::{Cancelled, Control, Grid, Stream};

/// The rule by which each cell chooses its receiver.
#[derive(Clone, Copy, Debug)]
pub enum FlowRouting {
    /// Always the neighbour with the steepest descent.
    D8,
    /// One of the two neighbours on either side of the actual flow direction, drawn at random from this stream.
    Rho8(Stream),
}

/// Writes the D8 receivers of the terrain `height` to `receivers`, reusing its memory. Depressions are not drained:
/// outlets and pits are their own receivers.
///
/// # Errors
/// Fails if the run is cancelled.
pub(super) fn route_to_pits(
    mesh: &FlowMesh,
    height: &[f32],
    outlets: &Outlets,
    receivers: &mut Vec<u32>,
    control: &Control,
) -> Result<(), Cancelled> {
    route_rows(mesh, height, receivers, control, |window, receivers| {
        window.steepest(outlets, receivers);
        window.route_level_cells(outlets, receivers);
    })
}

/// Writes the receivers on a filled `surface` to `receivers`, reusing its memory. Outlets and flat cells are their own
/// receivers.
///
/// # Errors
/// Fails if the run is cancelled.
pub(super) fn route_downhill(
    mesh: &FlowMesh,
    surface: &[f32],
    outlets: &Outlets,
    routing: FlowRouting,
    receivers: &mut Vec<u32>,
    control: &Control,
) -> Result<(), Cancelled> {
    route_rows(mesh, surface, receivers, control, |window, receivers| {
        match routing {
            FlowRouting::D8 => window.steepest(outlets, receivers),
            FlowRouting::Rho8(stream) => window.write_rho8(stream, outlets, receivers),
        }
        window.end_at_outlets(outlets, receivers);
    })
}

/// Calls `route(window, receivers)` for each row of the grid, in parallel.
fn route_rows(
    mesh: &FlowMesh,
    height: &[f32],
    receivers: &mut Vec<u32>,
    control: &Control,
    route: impl Fn(RowWindow, &mut [u32]) + Sync,
) -> Result<(), Cancelled> {
    let n = mesh.grid().samples;
    receivers.resize(mesh.len(), 0);
    let beyond = vec![f32::INFINITY; n];
    receivers.par_chunks_mut(n).enumerate().try_for_each(|(row, receivers)| {
        control.check()?;
        route(RowWindow::new(mesh, height, &beyond, row), receivers);
        Ok(())
    })
}

/// For each direction, the cell index of the neighbour minus the index of the cell. `starts` holds the first index of
/// the row to the north, of the current row and of the row to the south.
fn steps_from(starts: [usize; 3]) -> [u32; 8] {
    DIRECTIONS
        .map(|(down, right)| starts[(down + 1) as usize].wrapping_sub(starts[1]).wrapping_add_signed(right) as u32)
}

/// The heights of a row of cells and of its two neighbouring rows.
pub(super) struct RowWindow<'a> {
    mesh: &'a FlowMesh,
    height: &'a [f32],
    row: usize,
    /// Heights of the row to the north, the current row and the row to the south.
    rows: [&'a [f32]; 3],
    /// Index of the first cell of each of the three rows.
    starts: [usize; 3],
    /// For each direction, the cell index of the neighbour minus the index of the cell; valid in the `counted` columns.
    steps: [u32; 8],
    /// Columns whose neighbours are all in the three rows. The range is empty in the copies of a wrapping square and
    /// near the borders of the faces of a globe.
    counted: Range<usize>,
}

impl<'a> RowWindow<'a> {
    /// The window of row `row` of the grid. `beyond` replaces a missing row north or south of an open square.
    pub fn new(mesh: &'a FlowMesh, height: &'a [f32], beyond: &'a [f32], row: usize) -> Self {
        let grid = mesh.grid();
        let (n, side) = (grid.samples, grid.distinct_side());
        if grid.is_globe() {
            // Cells near a border of their face have neighbours on another face.
            let is_inner = (RIM..n.max(RIM) - RIM).contains(&(row % n));
            let (rows, counted) = if is_inner { ([row - 1, row, row + 1], RIM..n - RIM) } else { ([row; 3], 0..0) };
            let starts = rows.map(|row| row * n);
            let (rows, steps) = (starts.map(|start| &height[start..start + n]), steps_from(starts));
            return Self { mesh, height, row, rows, starts, steps, counted };
        }
        if row >= side {
            return Self { mesh, height, row, rows: [beyond; 3], starts: [row * n; 3], steps: [0; 8], counted: 0..0 };
        }
        let beside = [grid.previous(row), Some(row), grid.next(row)].map(|row| row.map(|row| grid.original(row)));
        let starts = beside.map(|r| r.unwrap_or(row) * n);
        Self {
            mesh,
            height,
            row,
            rows: beside.map(|r| r.map_or(beyond, |r| grid.row(height, r))),
            starts,
            steps: steps_from(starts),
            counted: 1..side.max(2) - 1,
        }
    }

    /// Columns whose neighbours are looked up in the mesh instead of the three rows.
    fn listed(&self) -> impl Iterator<Item = usize> + use<> {
        let n = self.mesh.grid().samples;
        (0..self.counted.start).chain(self.counted.end..n)
    }

    /// Cell index of the neighbour of column `j` in a direction; the neighbour must exist.
    #[inline]
    pub fn index(&self, j: usize, direction: usize) -> u32 {
        if self.counted.contains(&j) {
            return ((self.starts[1] + j) as u32).wrapping_add(self.steps[direction]);
        }
        self.mesh.neighbours(self.starts[1] + j)[direction]
    }

    /// Determines the receivers by D8. Outlets in the sea, and cells without a lower neighbour, are their own
    /// receivers.
    fn steepest(&self, outlets: &Outlets, receivers: &mut [u32]) {
        let start = self.starts[1];
        let distances = self.mesh.links().map(|(links, per_radius)| (links.around_row(self.row), per_radius));
        for first in self.counted.clone().step_by(BLOCK) {
            let columns = first..(first + BLOCK).min(self.counted.end);
            let receivers = &mut receivers[columns.clone()];
            let here = &self.rows[1][columns.clone()];
            if outlets.are_sea(here) {
                receivers.iter_mut().zip(start + first..).for_each(|(to, k)| *to = k as u32);
                continue;
            }
            let beside = DIRECTIONS.map(|(down, right)| {
                &self.rows[(down + 1) as usize][columns.start.strict_add_signed(right)..][..columns.len()]
            });
            let mut steepest = ([0.0; BLOCK], [0; BLOCK]);
            match &distances {
                None => steepest_on_square(here, beside, self.steps, &mut steepest),
                Some((links, per_radius)) => {
                    let links = links.each_ref().map(|row| &row[columns.clone()]);
                    steepest_on_globe(here, beside, links, *per_radius, self.steps, &mut steepest);
                }
            }
            for ((to, step), k) in receivers.iter_mut().zip(steepest.1).zip(start + first..) {
                *to = (k as u32).wrapping_add(step);
            }
        }
        for j in self.listed() {
            let k = start + j;
            let (h, around) = (self.height[k], self.mesh.neighbours(k));
            let distances = self.mesh.distances(k);
            let (mut best, mut to) = (0.0, k as u32);
            for ((&there, height), distance) in
                around.iter().zip(FlowMesh::heights(&around, self.height)).zip(distances)
            {
                let fall = (h - height) / distance;
                if fall > best {
                    (best, to) = (fall, there);
                }
            }
            receivers[j] = to;
        }
    }

    /// Determines the receivers by Rho8. A cell without a lower neighbour is its own receiver.
    fn write_rho8(&self, stream: Stream, outlets: &Outlets, receivers: &mut [u32]) {
        let [top, left] = self.mesh.grid().first();
        receivers.iter_mut().enumerate().for_each(|(j, to)| *to = (self.starts[1] + j) as u32);
        self.each_facet(outlets, |j, Facet { straight, diagonal, fall: [s1, s2], .. }| {
            if s1 > 0.0 {
                let drawn = stream.unit((left + j) as i32, (top + self.row) as i32);
                receivers[j] = self.index(j, if drawn * s1 < s2 { diagonal } else { straight });
            }
        });
    }

    /// Calls `put(column, facet)` with the steepest facet of every column. Some columns in the sea are skipped.
    pub fn each_facet(&self, outlets: &Outlets, mut put: impl FnMut(usize, Facet)) {
        let links = self.link_rows();
        let mut block = FacetBlock::default();
        for first in self.counted.clone().step_by(BLOCK) {
            let columns = first..(first + BLOCK).min(self.counted.end);
            if outlets.are_sea(&self.rows[1][columns.clone()]) {
                continue;
            }
            match &links {
                None => block.compare(self.rows, columns.clone()),
                Some((links, per_radius)) => block.compare_on_globe(self.rows, links, *per_radius, columns.clone()),
            }
            columns.enumerate().for_each(|(lane, j)| put(j, block.facet(lane)));
        }
        self.each_listed_facet(links.as_ref(), put);
    }

    /// Divides the water of a row of a square between the two neighbours on either side of the flow direction. Writes
    /// their indices to `receivers` and the point where the direction passes between them to `fractions`. Columns that
    /// this function cannot divide are passed to `put` with their facet. This facet is level if the cell is an outlet
    /// or has no lower neighbour. Some columns in the sea keep their values.
    pub fn divide_on_square(
        &self,
        outlets: &Outlets,
        receivers: &mut [[u32; 2]],
        fractions: &mut [f32],
        mut put: impl FnMut(&mut [[u32; 2]], &mut [f32], usize, Facet),
    ) {
        let in_row = outlets.in_row(self.row);
        let mut block = FacetBlock::default();
        for first in self.counted.clone().step_by(BLOCK) {
            let columns = first..(first + BLOCK).min(self.counted.end);
            let here = &self.rows[1][columns.clone()];
            if outlets.are_sea(here) {
                continue;
            }
            block.compare(self.rows, columns.clone());
            let (to, fraction) = (&mut receivers[columns.clone()], &mut fractions[columns.clone()]);
            block.divide((self.starts[1] + first) as u32, self.steps, to, fraction);
            for (lane, (j, &h)) in columns.zip(here).enumerate() {
                if !block.falls(lane) || in_row.contain(j, h) {
                    put(receivers, fractions, j, Facet::LEVEL);
                }
            }
        }
        self.each_listed_facet(None, |j, facet| put(receivers, fractions, j, facet));
    }

    /// Distances around the cells of a globe's row, in radii of the globe, and the length of a radius in cells.
    fn link_rows(&self) -> Option<(LinkRows<'a>, f32)> {
        self.mesh.links().map(|(links, per_radius)| (LinkRows::new(links, self.mesh.grid(), self.row), per_radius))
    }

    /// Calls `put(column, facet)` with the steepest facet of each column whose neighbours are looked up in the mesh.
    fn each_listed_facet(&self, links: Option<&(LinkRows, f32)>, mut put: impl FnMut(usize, Facet)) {
        for j in self.listed() {
            let k = self.starts[1] + j;
            let around = self.mesh.neighbours(k);
            let mut heights = FlowMesh::heights(&around, self.height);
            let Some((links, per_radius)) = links else {
                put(j, steepest_facet(self.height[k], &heights));
                continue;
            };
            let mut distances = links.distances(j);
            // At a corner of the cube, two steps lead to the same neighbour, one over each border. This neighbour has
            // facets on both of its sides.
            let other = if self.row.is_multiple_of(self.mesh.grid().samples) { NORTH } else { SOUTH };
            for lost in [EAST, WEST].into_iter().filter(|&lost| around[lost] == NONE) {
                (heights[lost], distances[lost]) = (heights[other], distances[other]);
            }
            let facet = steepest_spherical_facet(self.height[k], &heights, &distances, &links.side_distances(j));
            let straight = if around[facet.straight] == NONE { other } else { facet.straight };
            put(j, Facet { straight, distance: facet.distance * per_radius, ..facet });
        }
    }

    /// Makes outlets their own receivers.
    fn end_at_outlets(&self, outlets: &Outlets, receivers: &mut [u32]) {
        let outlets = outlets.in_row(self.row);
        for (j, to) in receivers.iter_mut().enumerate() {
            let k = self.starts[1] + j;
            if outlets.contain(j, self.height[k]) {
                *to = k as u32;
            }
        }
    }

    /// Makes outlets their own receivers, and finds the receivers of cells on level terrain.
    fn route_level_cells(&self, outlets: &Outlets, receivers: &mut [u32]) {
        let outlets = outlets.in_row(self.row);
        for (j, to) in receivers.iter_mut().enumerate() {
            let k = self.starts[1] + j;
            let h = self.height[k];
            if outlets.contain(j, h) {
                *to = k as u32;
            } else if *to as usize == k {
                let beside = self.mesh.existing_neighbours(k).filter(|&there| self.height[there] == h);
                *to = beside.fold(k, usize::min) as u32;
            }
        }
    }
}

/// The steepest downward slope from each cell of a block, and the index offset of the neighbour in that direction.
type SteepestFalls = ([f32; BLOCK], [u32; BLOCK]);

/// Writes to `steepest` the steepest downward slope from each cell of a row to a neighbour, and the index offset of
/// that neighbour. `beside` holds the heights of the neighbours in each direction.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn steepest_on_square(here: &[f32], beside: [&[f32]; 8], steps: [u32; 8], steepest: &mut SteepestFalls) {
    const SHORT: f32 = std::f32::consts::FRAC_1_SQRT_2;
    for (direction, (there, step)) in beside.into_iter().zip(steps).enumerate() {
        let per_cell = if direction % 2 == 0 { 1.0 } else { SHORT };
        keep_steeper(step, here.iter().zip(there).map(|(h, there)| (h - there) * per_cell), steepest);
    }
}

/// The same as [`steepest_on_square`], for a globe. Distances are in radii, and a radius is `per_radius` cells long.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn steepest_on_globe(
    here: &[f32],
    beside: [&[f32]; 8],
    distances: [&[f32]; 8],
    per_radius: f32,
    steps: [u32; 8],
    steepest: &mut SteepestFalls,
) {
    for ((there, distances), step) in beside.into_iter().zip(distances).zip(steps) {
        let falls = here.iter().zip(there).zip(distances);
        let falls = falls.map(|((h, there), distance)| (h - there) / (distance * per_radius));
        keep_steeper(step, falls, steepest);
    }
}

/// Updates the steepest slopes of a block where the slopes `falls` to the neighbours at index offset `step` are
/// steeper.
#[inline(always)]
fn keep_steeper(step: u32, falls: impl Iterator<Item = f32>, (best, to): &mut SteepestFalls) {
    for ((best, to), fall) in best.iter_mut().zip(to).zip(falls) {
        *to = if fall > *best { step } else { *to };
        *best = if fall > *best { fall } else { *best };
    }
}

/// Distances between the cells around a row of a globe.
pub(super) struct LinkRows<'a> {
    /// Distances of the cells to their neighbours in the row to the north, the current row and the row to the south. A
    /// row beyond a border is replaced by its mirror image, which has the same distances.
    rows: [[&'a [f32]; 8]; 3],
}

impl<'a> LinkRows<'a> {
    /// The distances around row `row` of the grid.
    fn new(links: &'a Links, grid: Grid, row: usize) -> Self {
        let n = grid.samples;
        let [before, after] = mirrored(row % n, n);
        Self { rows: [before, row % n, after].map(|row| links.around_row(row)) }
    }

    /// Returns two tables for the inner `columns`. The first holds the distance of each cell to its neighbour in each
    /// direction. The second holds the distance between that neighbour and the neighbour in the next direction.
    pub fn inner(&self, columns: Range<usize>) -> [[&'a [f32]; 8]; 2] {
        let [north, here, south] = &self.rows;
        let [west, middle, east] = [columns.start - 1, columns.start, columns.start + 1];
        let beside = [
            (here[NORTH], east),
            (north[EAST], middle),
            (north[WEST], middle),
            (here[NORTH], west),
            (here[SOUTH], west),
            (south[WEST], middle),
            (south[EAST], middle),
            (here[SOUTH], east),
        ];
        let len = columns.len();
        [here.map(|row| &row[columns.clone()]), beside.map(|(row, from)| &row[from..from + len])]
    }

    /// Distances from the cell of column `j` to its neighbours, in the order of the directions.
    fn distances(&self, j: usize) -> [f32; 8] {
        self.rows[1].map(|row| row[j])
    }

    /// For each direction, the distance between the neighbour in that direction and the neighbour in the next
    /// direction.
    fn side_distances(&self, j: usize) -> [f32; 8] {
        let [north, here, south] = &self.rows;
        let [west, east] = mirrored(j, here[EAST].len());
        [
            here[NORTH][east],
            north[EAST][j],
            north[WEST][j],
            here[NORTH][west],
            here[SOUTH][west],
            south[WEST][j],
            south[EAST][j],
            here[SOUTH][east],
        ]
    }
}

/// Of `n` rows or columns, the one before `index` and the one after it; beyond a border, the mirrored one.
fn mirrored(index: usize, n: usize) -> [usize; 2] {
    [if index == 0 { 1 } else { index - 1 }, if index + 1 == n { n - 2 } else { index + 1 }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Globe;
    use crate::field::vector::dot;

    /// Columns inside the faces of a globe are routed in blocks. The results have the same bits as when each column is
    /// routed alone.
    #[test]
    fn vectorised_globe_columns_are_routed_like_single_ones() {
        let grid = Grid::globe(75);
        let mesh = FlowMesh::new(grid);
        let random = Stream::new(4, 6);
        for steps in [9.0, 1.0e5] {
            let mut height: Vec<f32> =
                (0..mesh.len()).map(|k| (random.unit(k as i32, 0) * steps).floor() / steps).collect();
            // The test terrain has a sea without islands on two faces.
            (height.chunks_mut(75).take(120)).for_each(|row| row[..70].iter_mut().for_each(|h| *h *= 0.4));
            grid.close(&mut height);
            let no_sea = Outlets::none(grid);
            for row in 0..grid.rows() {
                let inner = RowWindow::new(&mesh, &height, &[], row);
                let listed = RowWindow { counted: 0..0, ..RowWindow::new(&mesh, &height, &[], row) };
                assert_eq!(inner.counted.len(), if (2..73).contains(&(row % 75)) { 71 } else { 0 });
                let mut receivers = [vec![0; 75], vec![0; 75]];
                inner.steepest(&no_sea, &mut receivers[0]);
                listed.steepest(&no_sea, &mut receivers[1]);
                assert_eq!(receivers[0], receivers[1], "row {row}");
                let mut facets = [vec![None; 75], vec![None; 75]];
                inner.each_facet(&no_sea, |j, facet| facets[0][j] = Some(facet));
                listed.each_facet(&no_sea, |j, facet| facets[1][j] = Some(facet));
                assert_eq!(facets[0], facets[1], "row {row}");
                // Above the sea both results are equal, and every cell that was skipped is in the sea.
                let outlets = Outlets::new(grid, &height, 0.5);
                let mut in_sea = vec![0; 75];
                inner.steepest(&outlets, &mut in_sea);
                let mut with_sea = vec![None; 75];
                inner.each_facet(&outlets, |j, facet| with_sea[j] = Some(facet));
                for j in 0..75 {
                    let is_sea = height[row * 75 + j] <= 0.5;
                    assert!(is_sea || in_sea[j] == receivers[0][j]);
                    assert!(with_sea[j] == facets[0][j] || is_sea && with_sea[j].is_none());
                }
            }
        }
    }

    /// The heights fall at a constant rate in one direction of space. The flow direction of every cell, except at the
    /// lowest cells, must agree with this direction.
    #[test]
    fn facets_of_a_globe_lead_down_everywhere() {
        let grid = Grid::globe(24);
        let mesh = FlowMesh::new(grid);
        let globe = Globe::new(24);
        let foot = [0.48f32, -0.6, 0.64];
        let at = |k: usize| globe.direction_of(k);
        let height: Vec<f32> = (0..mesh.len()).map(|k| 1.0 - dot(at(k), foot)).collect();
        let beyond = vec![f32::INFINITY; 24];
        // The facets are treated as right-angled triangles. Where three faces meet, the grid lines cross at 60° and the
        // flow direction is wrong by 12°.
        let (mut worst, mut worst_at_corners) = (1.0f32, 1.0f32);
        for row in 0..grid.rows() {
            let window = RowWindow::new(&mesh, &height, &beyond, row);
            window.each_facet(&Outlets::none(grid), |j, facet| {
                let k = row * 24 + j;
                if !grid.owns(k) || mesh.neighbours(k).contains(&NONE) || dot(at(k), foot).abs() > 0.98 {
                    return;
                }
                let [a, b] = [facet.straight, facet.diagonal].map(|d| at(window.index(j, d) as usize));
                let f = facet.fall[1] / facet.fall[0];
                let way: [f32; 3] = std::array::from_fn(|i| a[i] + (b[i] - a[i]) * f - at(k)[i]);
                // This vector is the part of `foot` that is tangent to the sphere.
                let down: [f32; 3] = std::array::from_fn(|i| foot[i] - dot(at(k), foot) * at(k)[i]);
                let cosine = dot(way, down) / (dot(way, way) * dot(down, down)).sqrt();
                let is_corner = at(k).iter().all(|x| x.abs() < 0.75);
                let worst = if is_corner { &mut worst_at_corners } else { &mut worst };
                *worst = worst.min(cosine);
                let length = dot(way, way).sqrt() * mesh.links().unwrap().1;
                assert!((length / facet.distance - 1.0).abs() < 0.01, "{length} and {}", facet.distance);
            });
        }
        assert!(worst > 0.99 && worst_at_corners > 0.97, "{worst}, at corners {worst_at_corners}");
    }
}
