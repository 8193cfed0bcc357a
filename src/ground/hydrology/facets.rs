//! The facets of the terrain around a cell; the steepest facet gives the flow direction.
//!
//! Law: the module [`directions`](super::directions) defines facets and flow directions. Two versions of the
//! computation return the same bits: one for a single cell, and one without branches for a block of cells of a row.

use std::ops::Range;

use super::directions::LinkRows;

/// The steepest descent direction of a cell, between an orthogonal neighbour and an adjacent diagonal neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Index of the direction towards the orthogonal neighbour; `diagonal` is the index towards the diagonal neighbour.
    pub straight: usize,
    pub diagonal: usize,
    /// Fall towards the orthogonal neighbour, and fall at right angles to it. The second divided by the first is the
    /// fraction f at which the flow direction passes between the two neighbours. It is 0 at the orthogonal neighbour
    /// and 1 at the diagonal neighbour. Both falls are 0 if no facet leads down.
    pub fall: [f32; 2],
    /// Distance along the flow direction to the line between the two neighbours, in cells. The value is 0 on a square,
    /// where the distance is √(1 + f²) with f the quotient of the falls.
    pub distance: f32,
}

impl Facet {
    /// The value for a cell from which no facet leads down.
    pub const LEVEL: Self = Self { straight: 0, diagonal: 1, fall: [0.0; 2], distance: 0.0 };
}

/// The steepest facet of a cell of height `h` on a square. `around` holds the heights of the cell's neighbours, which
/// are infinite where a neighbour is missing.
#[inline]
pub fn steepest_facet(h: f32, around: &[f32; 8]) -> Facet {
    let mut best = 0.0f32;
    let mut found = Facet::LEVEL;
    for straight in [0, 2, 4, 6] {
        let (a, edge) = (around[straight], h - around[straight]);
        for diagonal in [straight + 1, (straight + 7) % 8] {
            let across = a - around[diagonal];
            // Clamp the direction to the two sides of the facet.
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

/// The steepest facet of a cell on a globe, like [`steepest_facet`]. `distances` are the distances of the neighbours;
/// `between[d]` is the distance between the neighbours in the directions d and d + 1.
#[inline]
pub fn steepest_spherical_facet(h: f32, around: &[f32; 8], distances: &[f32; 8], between: &[f32; 8]) -> Facet {
    let mut best = 0.0f32;
    let mut found = Facet::LEVEL;
    for straight in [0, 2, 4, 6] {
        for (diagonal, side) in [(straight + 1, straight), ((straight + 7) % 8, (straight + 7) % 8)] {
            let (near, far) = (h - around[straight], h - around[diagonal]);
            let (a, b, c) = (distances[straight], distances[diagonal], between[side]);
            // The squared distance to the point at the fraction f of the far side is a² + 2·inner·f + c²·f².
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

/// Number of columns whose facets are compared together.
pub const BLOCK: usize = 64;

/// Directions of the orthogonal and the diagonal neighbour of each of the eight facets, in the order of
/// [`steepest_facet`].
const STEPS: [(usize, usize); 8] = [(0, 1), (0, 7), (2, 3), (2, 1), (4, 5), (4, 3), (6, 7), (6, 5)];

/// The steepest facets of a block of columns of a row.
pub struct FacetBlock {
    fall: [[f32; BLOCK]; 2],
    distance: [f32; BLOCK],
    facet: [u32; BLOCK],
}

impl Default for FacetBlock {
    fn default() -> Self {
        Self { fall: [[0.0; BLOCK]; 2], distance: [0.0; BLOCK], facet: [0; BLOCK] }
    }
}

/// Values of the `len` cells of a row from index `start`, followed by zeros.
#[inline(always)]
fn lanes<const N: usize>(row: &[f32], start: usize, len: usize) -> [f32; N] {
    let mut lanes = [0.0; N];
    lanes[..len].copy_from_slice(&row[start..start + len]);
    lanes
}

impl FacetBlock {
    /// The facet of column `lane` in the block that was last compared.
    #[inline]
    pub fn facet(&self, lane: usize) -> Facet {
        let (straight, diagonal) = STEPS[self.facet[lane] as usize];
        // Read the array elements one by one, because `map` would copy the whole array.
        let fall = [self.fall[0][lane], self.fall[1][lane]];
        Facet { straight, diagonal, fall, distance: self.distance[lane] }
    }

    /// Divides the water of consecutive cells of a square, starting at index `first`, by the facets that were last
    /// compared. For each cell, writes its two receivers to `receivers`. Writes to `fractions` the point where the flow
    /// direction passes between them. `steps` holds the index offsets of the neighbours. Receivers of cells from which
    /// no facet leads down are meaningless.
    pub fn divide(&self, first: u32, steps: [u32; 8], receivers: &mut [[u32; 2]], fractions: &mut [f32]) {
        divide_on_square(
            self,
            first,
            STEPS.map(|(straight, diagonal)| [steps[straight], steps[diagonal]]),
            receivers,
            fractions,
        );
    }

    /// Whether a facet leads down from column `lane`.
    #[inline]
    pub fn falls(&self, lane: usize) -> bool {
        self.fall[0][lane] > 0.0
    }

    /// Compares the facets of `columns` of a square, given the heights of the row to the north, the current row and the
    /// row to the south. [`steepest_facet`] defines the result of each column.
    pub fn compare(&mut self, rows: [&[f32]; 3], columns: Range<usize>) {
        let wide = |row: usize| lanes::<{ BLOCK + 2 }>(rows[row], columns.start - 1, columns.len() + 2);
        compare_on_square(self, &wide(0), &wide(1), &wide(2));
    }

    /// Compares the facets of inner `columns` of a face of a globe. The distances in `links` are in radii, and a radius
    /// is `per_radius` cells long. [`steepest_spherical_facet`] defines the result of each column.
    pub fn compare_on_globe(&mut self, rows: [&[f32]; 3], links: &LinkRows, per_radius: f32, columns: Range<usize>) {
        let beside = |row: usize, by: usize| &rows[row][columns.start + by - 1..][..columns.len()];
        let around = [(1, 2), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0), (2, 1), (2, 2)].map(|(row, by)| beside(row, by));
        let (here, [distances, between]) = (beside(1, 1), links.inner(columns.clone()));
        if columns.len() == BLOCK {
            fn whole(list: &[f32]) -> &[f32; BLOCK] {
                list.first_chunk().expect("as many as columns")
            }
            let [around, distances, between] = [around, distances, between].map(|lists| lists.map(whole));
            compare_on_sphere(self, whole(here), around, distances, between);
        } else {
            let copied = |list: &[f32]| lanes(list, 0, columns.len());
            let lists = [around, distances, between].map(|lists| lists.map(copied));
            let [around, distances, between] = lists.each_ref().map(|lists| lists.each_ref());
            compare_on_sphere(self, &copied(here), around, distances, between);
        }
        self.distance.iter_mut().for_each(|distance| *distance *= per_radius);
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn compare_on_square(block: &mut FacetBlock, n: &[f32; BLOCK + 2], m: &[f32; BLOCK + 2], s: &[f32; BLOCK + 2]) {
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
        block.fall[0][k] = s1;
        block.fall[1][k] = s2;
        block.facet[k] = facet;
    }
}

/// Does the work of [`FacetBlock::divide`], given the index offsets of each facet's orthogonal and diagonal neighbour.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn divide_on_square(
    block: &FacetBlock,
    first: u32,
    steps: [[u32; 2]; 8],
    receivers: &mut [[u32; 2]],
    fractions: &mut [f32],
) {
    let [s1, s2] = &block.fall;
    let lanes = s1.iter().zip(s2).zip(&block.facet).zip(first..);
    for ((to, fraction), (((&s1, &s2), &facet), k)) in receivers.iter_mut().zip(fractions).zip(lanes) {
        let [straight, diagonal] = steps[facet as usize % 8];
        let one = if s2 < s1 { straight } else { diagonal };
        let two = if s2 > 0.0 { diagonal } else { one };
        *fraction = s2 / s1;
        *to = [k.wrapping_add(one), k.wrapping_add(two)];
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn compare_on_sphere(
    block: &mut FacetBlock,
    here: &[f32; BLOCK],
    around: [&[f32; BLOCK]; 8],
    distances: [&[f32; BLOCK]; 8],
    between: [&[f32; BLOCK]; 8],
) {
    *block = FacetBlock::default();
    let mut best = [0.0f32; BLOCK];
    for (index, (straight, diagonal)) in STEPS.into_iter().enumerate() {
        let side = if diagonal == straight + 1 { straight } else { diagonal };
        for k in 0..BLOCK {
            let (near, far) = (here[k] - around[straight][k], here[k] - around[diagonal][k]);
            let (a, b, c) = (distances[straight][k], distances[diagonal][k], between[side][k]);
            let inner = 0.5 * (b * b - a * a - c * c);
            let along = far - near;
            let f = (along * (a * a) - near * inner) / (near * (c * c) - along * inner);
            let is_within = (near > 0.0) & (far > 0.0) & (f > 0.0) & (f < 1.0);
            let is_straight = near * b >= far * a;
            let (fall_within, way_within) = (near + along * f, (a * a + f * (2.0 * inner + f * (c * c))).sqrt());
            let (at_end, fall_at_end, way_to_end) = (
                if is_straight { 0.0 } else { 1.0 },
                if is_straight { near } else { far },
                if is_straight { a } else { b },
            );
            let (f, fall, distance) = (
                if is_within { f } else { at_end },
                if is_within { fall_within } else { fall_at_end },
                if is_within { way_within } else { way_to_end },
            );
            let slope = fall / distance;
            let better = slope > best[k];
            best[k] = if better { slope } else { best[k] };
            block.fall[0][k] = if better { 1.0 } else { block.fall[0][k] };
            block.fall[1][k] = if better { f } else { block.fall[1][k] };
            block.distance[k] = if better { distance } else { block.distance[k] };
            block.facet[k] = if better { index as u32 } else { block.facet[k] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, Grid, Stream};
    use crate::hydrology::FlowMesh;

    #[test]
    fn vectorised_facets_equal_those_of_single_cells() {
        let mesh = FlowMesh::new(Grid::new(70, Edges::Open));
        let random = Stream::new(4, 4);
        let height: Vec<f32> = (0..mesh.len()).map(|k| (random.unit(k as i32, 0) * 9.0) as u8 as f32).collect();
        let mut block = FacetBlock::default();
        for row in 1..69 {
            let rows = [row - 1, row, row + 1].map(|row| &height[row * 70..][..70]);
            for columns in [1..65, 65..69] {
                block.compare(rows, columns.clone());
                for (lane, j) in columns.enumerate() {
                    let k = row * 70 + j;
                    let facet = steepest_facet(height[k], &FlowMesh::heights(&mesh.neighbours(k), &height));
                    assert_eq!(block.facet(lane), facet);
                }
            }
        }
    }

    /// On a lattice of square cells, the facets of a globe equal the facets of a square grid.
    #[test]
    fn globe_facets_equal_square_facets_on_square_cells() {
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
            // A flow direction along the common side of two facets can be assigned to either facet.
            assert!(f == 0.0 || f == 1.0 || (square.straight, square.diagonal) == (globe.straight, globe.diagonal));
        }
    }
}
