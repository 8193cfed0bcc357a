//! Flow directions: the one receiver of every cell, and the facets of the ground that lead there.
//!
//! D8 (O'Callaghan & Mark 1984): the neighbour with the greatest fall per distance. Courses are multiples of 45°.
//!
//! Rho8 (Fairfield & Leymarie 1991) on facets: the steepest of the eight triangular facets around the cell gives the
//! direction (Tarboton 1997). With f the part of the facet's far side, from the straight neighbour to the diagonal one,
//! where the way down meets it, the water takes the diagonal with chance f and the straight neighbour otherwise, so
//! that its mean course is the true direction. The draw belongs to the cell and never changes.
//!
//! Facets: on a square with falls s₁ along the straight side and s₂ across it, f = s₂/s₁. On a globe the triangle has
//! the true lengths of its sides: a to the straight neighbour, b to the diagonal one, c between them. The way down is
//! the direction of greatest fall per distance among all that meet the far side.
//!
//! Level ground goes to the neighbour of lowest index below its own; a cell that has none lower in (height, index) is a
//! pit.

use std::ops::Range;

use rayon::prelude::*;

use super::mesh::{FlowMesh, Outlets};
use crate::field::metric::Links;
use crate::field::topology::{DIRECTIONS, EAST, NONE, NORTH, SOUTH, WEST};
use crate::field::{Cancelled, Control, Grid, Stream};

/// How a cell chooses its receiver.
#[derive(Clone, Copy, Debug)]
pub enum FlowRouting {
    /// The steepest neighbour.
    D8,
    /// One of the two neighbours beside the true direction, drawn from this stream.
    Rho8(Stream),
}

/// The receivers of `height` as the ground lies; outlets and pits are their own.
///
/// # Errors
/// When it was cancelled.
pub fn flow_directions(
    mesh: &FlowMesh,
    height: &[f32],
    outlets: &Outlets,
    routing: FlowRouting,
    control: &Control,
) -> Result<Vec<u32>, Cancelled> {
    let mut receivers = Vec::new();
    route(mesh, height, outlets, routing, &mut receivers, control)?;
    Ok(receivers)
}

/// [`flow_directions`] in the memory of `receivers`.
pub(super) fn route(
    mesh: &FlowMesh,
    height: &[f32],
    outlets: &Outlets,
    routing: FlowRouting,
    receivers: &mut Vec<u32>,
    control: &Control,
) -> Result<(), Cancelled> {
    let n = mesh.grid().samples;
    receivers.resize(mesh.len(), 0);
    let beyond = vec![f32::INFINITY; n];
    receivers.par_chunks_mut(n).enumerate().try_for_each(|(row, receivers)| {
        control.check()?;
        let window = RowWindow::new(mesh, height, &beyond, row);
        match routing {
            FlowRouting::D8 => window.steepest(receivers),
            FlowRouting::Rho8(stream) => window.drawn(stream, receivers),
        }
        window.mend(outlets, receivers);
        Ok(())
    })
}

/// The steepest way down from a cell, between a straight neighbour and a diagonal one beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facet {
    /// Directions of the two neighbours.
    pub straight: usize,
    pub diagonal: usize,
    /// Their quotient, second by first, is where the way down passes between the two: 0 at the straight one, 1 at the
    /// diagonal one. Both are 0 where nothing goes down.
    pub fall: [f32; 2],
    /// Length of the way to the far side in cells; 0 on a square, where it is √(1 + f²).
    pub distance: f32,
}

impl Facet {
    const LEVEL: Self = Self { straight: 0, diagonal: 1, fall: [0.0; 2], distance: 0.0 };
}

/// The steepest facet of a cell of height `h` of a square among neighbours of heights `around` (infinite where there is
/// none).
#[inline]
fn steepest_facet(h: f32, around: &[f32; 8]) -> Facet {
    let mut best = 0.0f32;
    let mut found = Facet::LEVEL;
    for straight in [0, 2, 4, 6] {
        let (a, edge) = (around[straight], h - around[straight]);
        for diagonal in [straight + 1, (straight + 7) % 8] {
            let across = a - around[diagonal];
            // the direction is held between the two sides of the facet
            let (s1, s2) = if edge > 0.0 && across <= 0.0 {
                (edge, 0.0)
            } else if edge > 0.0 && across <= edge {
                (edge, across)
            } else {
                let half = (h - around[diagonal]) * 0.5;
                (half, half)
            };
            let squared = s1 * s1 + s2 * s2;
            if s1 > 0.0 && squared > best {
                best = squared;
                found = Facet { straight, diagonal, fall: [s1, s2], distance: 0.0 };
            }
        }
    }
    found
}

/// The same on a globe, with the `distances` of the neighbours; `between[d]` is that of the neighbours d and d + 1.
#[inline]
fn steepest_spherical_facet(h: f32, around: &[f32; 8], distances: &[f32; 8], between: &[f32; 8]) -> Facet {
    let mut best = 0.0f32;
    let mut found = Facet::LEVEL;
    for straight in [0, 2, 4, 6] {
        for (diagonal, side) in [(straight + 1, straight), ((straight + 7) % 8, (straight + 7) % 8)] {
            let (near, far) = (h - around[straight], h - around[diagonal]);
            let (a, b, c) = (distances[straight], distances[diagonal], between[side]);
            // squared distance of the place f of the far side: a² + 2·inner·f + c²·f²
            let inner = 0.5 * (b * b - a * a - c * c);
            let along = far - near;
            let f = (along * (a * a) - near * inner) / (near * (c * c) - along * inner);
            let (f, fall, distance) = if near > 0.0 && far > 0.0 && f > 0.0 && f < 1.0 {
                (f, near + along * f, (a * a + f * (2.0 * inner + f * (c * c))).sqrt())
            } else if near * b >= far * a {
                (0.0, near, a)
            } else {
                (1.0, far, b)
            };
            let slope = fall / distance;
            if slope > best {
                best = slope;
                found = Facet { straight, diagonal, fall: [1.0, f], distance };
            }
        }
    }
    found
}

/// A row of cells with what lies beside them.
pub(super) struct RowWindow<'a> {
    mesh: &'a FlowMesh,
    height: &'a [f32],
    row: usize,
    /// The rows to the north, here and to the south, on a square.
    rows: [&'a [f32]; 3],
    /// Index of the first cell of each of the three.
    starts: [usize; 3],
    /// Columns that find their neighbours in the three rows; none on a globe and in the copies of a wrapping square.
    counted: Range<usize>,
}

impl<'a> RowWindow<'a> {
    /// Row `row` of all rows; `beyond` is what stands north and south of an open square.
    pub fn new(mesh: &'a FlowMesh, height: &'a [f32], beyond: &'a [f32], row: usize) -> Self {
        let grid = mesh.grid();
        let (n, side) = (grid.samples, grid.distinct());
        if grid.is_globe() || row >= side {
            return Self { mesh, height, row, rows: [beyond; 3], starts: [row * n; 3], counted: 0..0 };
        }
        let beside = [grid.previous(row), Some(row), grid.next(row)].map(|row| row.map(|row| grid.original(row)));
        Self {
            mesh,
            height,
            row,
            rows: beside.map(|r| r.map_or(beyond, |r| grid.row(height, r))),
            starts: beside.map(|r| r.unwrap_or(row) * n),
            counted: 1..side.max(2) - 1,
        }
    }

    /// Columns whose neighbours are listed.
    fn listed(&self) -> impl Iterator<Item = usize> + use<> {
        let n = self.mesh.grid().samples;
        (0..self.counted.start).chain(self.counted.end..n)
    }

    /// Index of neighbour `direction` of column `j`, which there must be.
    #[inline]
    pub fn index(&self, j: usize, direction: usize) -> u32 {
        if self.counted.contains(&j) {
            let (down, right) = DIRECTIONS[direction];
            return (self.starts[(down + 1) as usize] + j).wrapping_add_signed(right) as u32;
        }
        self.mesh.neighbours(self.starts[1] + j)[direction]
    }

    /// Receivers by D8; a cell without a lower neighbour is its own.
    fn steepest(&self, receivers: &mut [u32]) {
        let n = self.mesh.grid().samples;
        let [north, here, south] = self.rows.map(|row| &row[..n]);
        let start = self.starts[1];
        let receivers = &mut receivers[..n];
        let up = start as i32 - self.starts[0] as i32;
        let down = self.starts[2] as i32 - start as i32;
        for j in self.counted.clone() {
            let h = here[j];
            let (mut best, mut to) = (0.0f32, 0i32);
            let mut look = |height: f32, weight: f32, step: i32| {
                let fall = (h - height) * weight;
                to = if fall > best { step } else { to };
                best = if fall > best { fall } else { best };
            };
            const SHORT: f32 = std::f32::consts::FRAC_1_SQRT_2;
            look(here[j + 1], 1.0, 1);
            look(north[j + 1], SHORT, 1 - up);
            look(north[j], 1.0, -up);
            look(north[j - 1], SHORT, -up - 1);
            look(here[j - 1], 1.0, -1);
            look(south[j - 1], SHORT, down - 1);
            look(south[j], 1.0, down);
            look(south[j + 1], SHORT, down + 1);
            receivers[j] = (start as i32 + j as i32 + to) as u32;
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

    /// Receivers by Rho8; a cell without a lower neighbour is its own.
    fn drawn(&self, stream: Stream, receivers: &mut [u32]) {
        self.each_facet(|j, Facet { straight, diagonal, fall: [s1, s2], .. }| {
            receivers[j] = (self.starts[1] + j) as u32;
            if s1 > 0.0 {
                let drawn = stream.unit(j as i32, self.row as i32);
                receivers[j] = self.index(j, if drawn * s1 < s2 { diagonal } else { straight });
            }
        });
    }

    /// Calls `put(column, facet)` for the steepest facet of every column.
    pub fn each_facet(&self, mut put: impl FnMut(usize, Facet)) {
        let mut block = FacetBlock::default();
        for first in self.counted.clone().step_by(BLOCK) {
            let columns = first..(first + BLOCK).min(self.counted.end);
            block.look(self.rows, columns.clone());
            for (lane, j) in columns.enumerate() {
                let (straight, diagonal) = STEPS[block.facet[lane] as usize];
                put(j, Facet { straight, diagonal, fall: [block.s1[lane], block.s2[lane]], distance: 0.0 });
            }
        }
        let links =
            self.mesh.links().map(|(links, per_radius)| (LinkRows::new(links, self.mesh.grid(), self.row), per_radius));
        for j in self.listed() {
            let k = self.starts[1] + j;
            let around = self.mesh.neighbours(k);
            let mut heights = FlowMesh::heights(&around, self.height);
            let Some((links, per_radius)) = &links else {
                put(j, steepest_facet(self.height[k], &heights));
                continue;
            };
            let mut distances = links.distances(j);
            // at a corner of the cube the way over one border is that over the other, and has facets on both sides
            let other = if self.row.is_multiple_of(self.mesh.grid().samples) { NORTH } else { SOUTH };
            for lost in [EAST, WEST].into_iter().filter(|&lost| around[lost] == NONE) {
                (heights[lost], distances[lost]) = (heights[other], distances[other]);
            }
            let facet = steepest_spherical_facet(self.height[k], &heights, &distances, &links.side_distances(j));
            let straight = if around[facet.straight] == NONE { other } else { facet.straight };
            put(j, Facet { straight, distance: facet.distance * per_radius, ..facet });
        }
    }

    /// Makes outlets their own receivers, and routes level ground.
    fn mend(&self, outlets: &Outlets, receivers: &mut [u32]) {
        for (j, to) in receivers.iter_mut().enumerate() {
            let k = self.starts[1] + j;
            let h = self.height[k];
            if outlets.contain(k, h) {
                *to = k as u32;
            } else if *to as usize == k {
                let beside = self.mesh.existing_neighbours(k).filter(|&there| self.height[there] == h);
                *to = beside.fold(k, usize::min) as u32;
            }
        }
    }
}

/// Distances around the cells of a row of a globe.
struct LinkRows<'a> {
    /// Of the rows to the north, here and to the south; beyond a border those of its mirror image, which are the same.
    rows: [[&'a [f32]; 8]; 3],
}

impl<'a> LinkRows<'a> {
    /// Row `row` of all rows.
    fn new(links: &'a Links, grid: Grid, row: usize) -> Self {
        let n = grid.samples;
        let [before, after] = mirrored(row % n, n);
        Self { rows: [before, row % n, after].map(|row| links.around_row(row)) }
    }

    /// Distances of the cell of column `j` to its neighbours.
    fn distances(&self, j: usize) -> [f32; 8] {
        self.rows[1].map(|row| row[j])
    }

    /// Distances between the neighbours in each direction and the next.
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

/// The rows or columns before and after `index` of `n`, mirrored at the borders.
fn mirrored(index: usize, n: usize) -> [usize; 2] {
    [if index == 0 { 1 } else { index - 1 }, if index + 1 == n { n - 2 } else { index + 1 }]
}

/// Columns whose facets are compared side by side.
const BLOCK: usize = 64;

/// Straight and diagonal neighbour of the eight facets, in the order of [`steepest_facet`].
const STEPS: [(usize, usize); 8] = [(0, 1), (0, 7), (2, 3), (2, 1), (4, 5), (4, 3), (6, 7), (6, 5)];

/// The steepest facets of some columns: the law of [`steepest_facet`] without branches.
struct FacetBlock {
    s1: [f32; BLOCK],
    s2: [f32; BLOCK],
    facet: [u32; BLOCK],
}

impl Default for FacetBlock {
    fn default() -> Self {
        Self { s1: [0.0; BLOCK], s2: [0.0; BLOCK], facet: [0; BLOCK] }
    }
}

impl FacetBlock {
    fn look(&mut self, [n, m, s]: [&[f32]; 3], columns: std::ops::Range<usize>) {
        let count = columns.len();
        let wide = |row: &'_ [f32]| -> [f32; BLOCK + 2] {
            let mut wide = [0.0; BLOCK + 2];
            wide[..count + 2].copy_from_slice(&row[columns.start - 1..columns.end + 1]);
            wide
        };
        let (n, m, s) = (wide(n), wide(m), wide(s));
        *self = Self::default();
        for k in 0..BLOCK {
            let h = m[k + 1];
            let (mut best, mut s1, mut s2, mut facet) = (0.0f32, 0.0f32, 0.0f32, 0u32);
            let mut look = |a: f32, diagonal: f32, index: u32| {
                let (edge, across) = (h - a, a - diagonal);
                let half = (h - diagonal) * 0.5;
                let beyond = across > edge;
                let one = if beyond { half } else { edge };
                let level = if across > 0.0 { across } else { 0.0 };
                let two = if beyond { half } else { level };
                let one = if one > 0.0 { one } else { 0.0 };
                let squared = if one > 0.0 { one * one + two * two } else { 0.0 };
                let better = squared > best;
                best = if better { squared } else { best };
                s1 = if better { one } else { s1 };
                s2 = if better { two } else { s2 };
                facet = if better { index } else { facet };
            };
            look(m[k + 2], n[k + 2], 0);
            look(m[k + 2], s[k + 2], 1);
            look(n[k + 1], n[k], 2);
            look(n[k + 1], n[k + 2], 3);
            look(m[k], s[k], 4);
            look(m[k], n[k], 5);
            look(s[k + 1], s[k + 2], 6);
            look(s[k + 1], s[k], 7);
            self.s1[k] = s1;
            self.s2[k] = s2;
            self.facet[k] = facet;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, Globe};

    #[test]
    fn facets_side_by_side_are_those_of_one_cell() {
        let mesh = FlowMesh::new(Grid::new(70, Edges::Open));
        let random = Stream::new(4, 4);
        let height: Vec<f32> = (0..mesh.len()).map(|k| (random.unit(k as i32, 0) * 9.0) as u8 as f32).collect();
        let beyond = vec![f32::INFINITY; 70];
        let mut block = FacetBlock::default();
        for row in 1..69 {
            let window = RowWindow::new(&mesh, &height, &beyond, row);
            for columns in [1..65, 65..69] {
                block.look(window.rows, columns.clone());
                for (lane, j) in columns.enumerate() {
                    let k = row * 70 + j;
                    let facet = steepest_facet(height[k], &FlowMesh::heights(&mesh.neighbours(k), &height));
                    assert_eq!([block.s1[lane], block.s2[lane]], facet.fall);
                    assert!(
                        facet == Facet::LEVEL || (facet.straight, facet.diagonal) == STEPS[block.facet[lane] as usize]
                    );
                }
            }
        }
    }

    /// On a lattice of squares the facets of a globe are those of a square.
    #[test]
    fn the_facets_of_a_globe_are_those_of_a_square_where_its_cells_are() {
        let random = Stream::new(4, 5);
        let distances = std::array::from_fn(|d| if d % 2 == 0 { 1.0 } else { std::f32::consts::SQRT_2 });
        for k in 0..1000 {
            let around = std::array::from_fn(|d| random.unit(k, d as i32));
            let h = random.unit(k, 8);
            let (square, globe) =
                (steepest_facet(h, &around), steepest_spherical_facet(h, &around, &distances, &[1.0; 8]));
            if square == Facet::LEVEL || globe == Facet::LEVEL {
                assert_eq!(square, globe);
                continue;
            }
            let (f, g) = (square.fall[1] / square.fall[0], globe.fall[1]);
            assert!(
                (f - g).abs() < 1e-4 && (globe.distance - (1.0 + g * g).sqrt()).abs() < 1e-6,
                "{square:?} {globe:?}"
            );
            // a way along a side of two facets may be given to either of them
            assert!(f == 0.0 || f == 1.0 || (square.straight, square.diagonal) == (globe.straight, globe.diagonal));
        }
    }

    /// Where heights fall evenly in one direction of space, the way down of every cell but those at the foot leads
    /// there.
    #[test]
    fn facets_of_a_globe_lead_down_everywhere() {
        let grid = Grid::globe(24);
        let mesh = FlowMesh::new(grid);
        let globe = Globe::new(24);
        let foot = [0.48f32, -0.6, 0.64];
        let at = |k: usize| globe.direction_of(k);
        let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let height: Vec<f32> = (0..mesh.len()).map(|k| 1.0 - dot(at(k), foot)).collect();
        let beyond = vec![f32::INFINITY; 24];
        // facets are taken for right-angled; where three faces meet their lines cross at 60°, and the way is 12° off
        let (mut worst, mut worst_at_corners) = (1.0f32, 1.0f32);
        for row in 0..grid.rows() {
            let window = RowWindow::new(&mesh, &height, &beyond, row);
            window.each_facet(|j, facet| {
                let k = row * 24 + j;
                if !grid.owns(k) || mesh.neighbours(k).contains(&NONE) || dot(at(k), foot).abs() > 0.98 {
                    return;
                }
                let [a, b] = [facet.straight, facet.diagonal].map(|d| at(window.index(j, d) as usize));
                let f = facet.fall[1] / facet.fall[0];
                let way: [f32; 3] = std::array::from_fn(|i| a[i] + (b[i] - a[i]) * f - at(k)[i]);
                // the part of `foot` that is tangent to the sphere
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
