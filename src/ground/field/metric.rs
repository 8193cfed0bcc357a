//! Distances between the samples of a grid, and the area of each cell.
//!
//! A process written over a [`Metric`] works on squares and globes. [`Uniform`] is the metric of a square with
//! identical cells: its values are constants that the compiler inlines into the loops. [`Spherical`] is the metric of a
//! globe: its values come from tables that all faces share.
//!
//! Units: distances are in sample spacings on a square and in radii on a globe ([`Metric::spacing`] converts between
//! the two units). Areas are in units of the mean cell area. Conductances have no unit.
//!
//! Links: a link is the value of a pair of neighbours. It is stored once, at the northern or western cell of the pair.
//! All faces share one table of links, because a cube-sphere is symmetric about the borders, centre lines and diagonals
//! of its faces. Links are computed for one eighth of a face and mirrored to the rest. Both cells of a pair therefore
//! read the same bits on any face. At a corner of the cube three faces meet, and two of the eight directions have no
//! neighbour. Links in these two directions get a special value.
//!
//! Conductance: diffusion between neighbouring cells i and j transports w·(h_j - h_i), where h is the height. The
//! conductance is w = ½·(cot α + cot β). Here α and β are the angles opposite the line from i to j in the two triangles
//! that share this line. Each grid quadrangle is cut along its shorter diagonal, which keeps every w above 0.
//!
//! Source: Pinkall & Polthier 1993, *Computing discrete minimal surfaces and their conjugates*.

use crate::field::vector::{dot, minus};
use std::sync::Arc;

use rayon::prelude::*;

use super::topology::{EAST, FACES, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST};
use super::{Globe, Grid};

/// Distances between the samples of a grid, and the areas of its cells.
pub trait Metric: Clone + Send + Sync + 'static {
    /// The distances and areas of a single row.
    type Row<'a>: RowMetric
    where
        Self: 'a;

    /// The distances and areas of `grid`.
    fn of_grid(grid: Grid) -> Self;

    /// The distances and areas of row `row`, counted over all faces.
    fn row(&self, row: usize) -> Self::Row<'_>;

    /// Side length of a square whose area is the mean cell area, in the metric's unit of distance.
    fn spacing(&self) -> f64;

    /// Area of every cell of row `row` (counted over all faces), in units of the mean cell area. Samples that another
    /// face owns have the area 0. `None` if all cells of the grid have the same area.
    fn owned_areas(&self, row: usize) -> Option<&[f32]>;
}

/// Distances and areas of the cells of a row. A direction is an index of [`DIRECTIONS`](super::DIRECTIONS).
pub trait RowMetric: Copy {
    /// The same metric limited to `n` cells, so that a loop over them needs no bounds checks.
    #[must_use]
    fn limited_to(self, n: usize) -> Self;

    /// Distance from a cell to its neighbour in a direction; infinite if a globe has no neighbour there.
    fn distance(self, direction: usize, column: usize) -> f32;

    /// Area of a cell, in units of the mean cell area.
    fn area(self, column: usize) -> f32;

    /// Converts `share`, a fraction of the depth of material in a cell of the mean area, to the fraction of the depth
    /// in this cell that has the same volume. The result is at most 1.
    fn equal_volume_fraction(self, share: f32, column: usize) -> f32;
}

/// The metric of a square: orthogonal neighbours are at distance 1, diagonal neighbours at distance √2.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl Metric for Uniform {
    type Row<'a> = Self;

    fn of_grid(_: Grid) -> Self {
        Self
    }

    fn row(&self, _: usize) -> Self {
        Self
    }

    fn spacing(&self) -> f64 {
        1.0
    }

    fn owned_areas(&self, _: usize) -> Option<&[f32]> {
        None
    }
}

impl RowMetric for Uniform {
    #[inline(always)]
    fn limited_to(self, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn distance(self, direction: usize, _: usize) -> f32 {
        if direction.is_multiple_of(2) { 1.0 } else { std::f32::consts::SQRT_2 }
    }

    #[inline(always)]
    fn area(self, _: usize) -> f32 {
        1.0
    }

    #[inline(always)]
    fn equal_volume_fraction(self, share: f32, _: usize) -> f32 {
        share
    }
}

/// The metric of a globe of radius 1.
#[derive(Clone, Debug)]
pub struct Spherical {
    globe: Globe,
    distances: Links,
    /// Areas of the cells of one face.
    areas: Vec<f32>,
    /// Areas of the cells of all faces; 0 for samples that another face owns.
    owned_areas: Vec<f32>,
}

impl Spherical {
    /// The globe that this metric describes.
    pub fn globe(&self) -> &Globe {
        &self.globe
    }

    /// Distances between neighbours.
    pub fn distances(&self) -> &Links {
        &self.distances
    }

    /// Areas of the cells of row `row` of a face, in units of the mean cell area.
    #[inline]
    pub fn face_areas(&self, row: usize) -> &[f32] {
        let n = self.globe.samples();
        &self.areas[row * n..][..n]
    }

    /// Areas of the cells of all faces, in units of the mean cell area; 0 for samples that another face owns.
    pub fn all_owned_areas(&self) -> &[f32] {
        &self.owned_areas
    }
}

impl Metric for Spherical {
    type Row<'a> = SphericalRow<'a>;

    fn of_grid(grid: Grid) -> Self {
        let n = grid.samples;
        let globe = Globe::new(n);
        let areas = globe.areas();
        let mut owned_areas = vec![0.0; FACES * n * n];
        owned_areas.par_chunks_mut(n).enumerate().for_each(|(row, out)| {
            let whole = row % n == 0 || row % n == n - 1;
            for (column, (out, &area)) in out.iter_mut().zip(&areas[row % n * n..]).enumerate() {
                let is_border = whole || column == 0 || column == n - 1;
                *out = if !is_border || grid.owns(row * n + column) { area } else { 0.0 };
            }
        });
        Self { distances: Links::distances(&globe), globe, areas, owned_areas }
    }

    fn row(&self, row: usize) -> SphericalRow<'_> {
        let n = self.globe.samples();
        SphericalRow { distances: self.distances.around_row(row), areas: self.face_areas(row % n) }
    }

    fn spacing(&self) -> f64 {
        (4.0 * std::f64::consts::PI / self.globe.grid().distinct_len() as f64).sqrt()
    }

    fn owned_areas(&self, row: usize) -> Option<&[f32]> {
        let n = self.globe.samples();
        Some(&self.owned_areas[row * n..][..n])
    }
}

/// The metric of one row of a globe.
#[derive(Clone, Copy, Debug)]
pub struct SphericalRow<'a> {
    distances: [&'a [f32]; 8],
    areas: &'a [f32],
}

impl RowMetric for SphericalRow<'_> {
    #[inline(always)]
    fn limited_to(self, n: usize) -> Self {
        Self { distances: self.distances.map(|row| &row[..n]), areas: &self.areas[..n] }
    }

    #[inline(always)]
    fn distance(self, direction: usize, column: usize) -> f32 {
        self.distances[direction][column]
    }

    #[inline(always)]
    fn area(self, column: usize) -> f32 {
        self.areas[column]
    }

    #[inline(always)]
    fn equal_volume_fraction(self, share: f32, column: usize) -> f32 {
        let share = share / self.areas[column];
        if share < 1.0 { share } else { 1.0 }
    }
}

/// The metric of a grid whose kind is known only at run time.
#[derive(Clone, Debug)]
pub enum GridMetric {
    /// Distances and areas of a square, whose cells are all squares of the same size.
    Uniform,
    /// Distances and areas of a globe.
    Spherical(Arc<Spherical>),
}

impl GridMetric {
    /// The distances and areas of `grid`.
    pub fn new(grid: Grid) -> Self {
        if grid.is_globe() { Self::Spherical(Arc::new(Spherical::of_grid(grid))) } else { Self::Uniform }
    }

    /// The metric of the globe, or `None` for a square.
    #[inline]
    pub fn spherical(&self) -> Option<&Spherical> {
        match self {
            Self::Uniform => None,
            Self::Spherical(metric) => Some(metric),
        }
    }

    /// Cell areas of a row; see [`Metric::owned_areas`].
    #[inline]
    pub fn owned_areas(&self, row: usize) -> Option<&[f32]> {
        self.spherical().and_then(|metric| metric.owned_areas(row))
    }

    /// Metres per unit of distance (a cell on a square, a radius on a globe), for a terrain with sides of
    /// `size_metres`.
    pub fn unit_metres(&self, grid: Grid, size_metres: f32) -> f32 {
        size_metres * if grid.is_globe() { std::f32::consts::FRAC_2_PI } else { grid.cell() }
    }
}

/// The diffusion stencil of a row: it sums the flow between a cell and each of its neighbours.
pub trait Stencil: Copy {
    /// The same stencil limited to `n` cells, so that a loop over them needs no bounds checks.
    #[must_use]
    fn limited_to(self, n: usize) -> Self;

    /// Sum of conductance · `flow(direction)` over all neighbours of a cell, divided by the area of the cell.
    fn divergence(self, column: usize, flow: impl Fn(usize) -> f64) -> f64;
}

/// The Mehrstellen stencil: weight ⅔ for the orthogonal neighbours and ⅙ for the diagonal neighbours. These weights
/// make the second-order error the same in all directions.
impl Stencil for Uniform {
    #[inline(always)]
    fn limited_to(self, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn divergence(self, _: usize, flow: impl Fn(usize) -> f64) -> f64 {
        let straight = flow(NORTH) + flow(SOUTH) + (flow(WEST) + flow(EAST));
        let diagonal = flow(NORTH_WEST) + flow(SOUTH_EAST) + (flow(NORTH_EAST) + flow(SOUTH_WEST));
        2.0 / 3.0 * straight + 1.0 / 6.0 * diagonal
    }
}

/// Conductances and areas of one row of a globe.
#[derive(Clone, Copy, Debug)]
pub struct Conductances<'a> {
    links: [&'a [f32]; 8],
    areas: &'a [f32],
}

impl Spherical {
    /// Conductances of row `row`, counted over all faces; `links` must come from [`Links::conductances`].
    #[inline]
    pub fn conductances<'a>(&'a self, links: &'a Links, row: usize) -> Conductances<'a> {
        Conductances { links: links.around_row(row), areas: self.row(row).areas }
    }
}

impl Stencil for Conductances<'_> {
    #[inline(always)]
    fn limited_to(self, n: usize) -> Self {
        Self { links: self.links.map(|links| &links[..n]), areas: &self.areas[..n] }
    }

    #[inline(always)]
    fn divergence(self, column: usize, flow: impl Fn(usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for direction in 0..8 {
            sum += f64::from(self.links[direction][column]) * flow(direction);
        }
        sum / f64::from(self.areas[column])
    }
}

/// One value for every pair of neighbours on a globe. The table covers a face and a margin of one sample: n + 2 rows
/// and columns.
#[derive(Clone, Debug)]
pub struct Links {
    n: usize,
    /// Values of pairs of neighbours, each stored at the western or northern cell of its pair.
    east: Vec<f32>,
    south: Vec<f32>,
    south_east: Vec<f32>,
    south_west: Vec<f32>,
}

impl Links {
    /// Distances between neighbours, in radii of the globe; infinite where a neighbour is missing.
    pub fn distances(globe: &Globe) -> Self {
        Self::of_pairs(globe, f32::INFINITY, |angle| angle)
    }

    /// Reciprocals of the [`distances`](Self::distances); 0 where a neighbour is missing.
    pub fn inverse_distances(globe: &Globe) -> Self {
        Self::of_pairs(globe, 0.0, |angle| 1.0 / angle)
    }

    fn of_pairs(globe: &Globe, none: f32, value: impl Fn(f64) -> f64 + Sync) -> Self {
        let of_pair = |a: [usize; 2], b: [usize; 2]| {
            let d = minus(globe.exact_direction(0, b[0], b[1]), globe.exact_direction(0, a[0], a[1]));
            value(2.0 * libm::asin((0.5 * dot(d, d).sqrt()).min(1.0)))
        };
        Eighth {
            n: globe.samples(),
            straight: &|i, j| of_pair([i, j], [i, j + 1]),
            diagonal: &|i, j| [of_pair([i, j], [i + 1, j + 1]), of_pair([i, j + 1], [i + 1, j])],
        }
        .unfold(none)
    }

    /// Conductances between neighbours; 0 where a neighbour is missing, so that nothing flows there.
    pub fn conductances(globe: &Globe) -> Self {
        let quadrangle = |i: usize, j: usize| Quadrangle::new(globe, i, j);
        Eighth {
            n: globe.samples(),
            straight: &|i, j| {
                let south = quadrangle(i, j).north;
                // The quadrangle beyond the border is the mirror image of the quadrangle inside the border. Both
                // therefore contribute the same amount.
                south + if i == 0 { south } else { quadrangle(i - 1, j).south }
            },
            diagonal: &|i, j| quadrangle(i, j).diagonals,
        }
        .unfold(0.0)
    }

    /// Links between the cells of row `row` (counted over all faces) and their neighbours, in the order of
    /// [`DIRECTIONS`](super::DIRECTIONS).
    #[inline]
    pub fn around_row(&self, row: usize) -> [&[f32]; 8] {
        let (n, at) = (self.n, self.start(row, 0));
        self.tables(at).map(|(table, start)| &table[start..][..n])
    }

    /// Links between sample `k` and its neighbours, in the order of [`DIRECTIONS`](super::DIRECTIONS).
    #[inline(always)]
    pub fn to_neighbours(&self, k: usize) -> [f32; 8] {
        self.tables(self.start(k / self.n, k % self.n)).map(|(table, at)| table[at])
    }

    /// Index of the first link of a cell in the tables of the padded face.
    #[inline(always)]
    fn start(&self, row: usize, column: usize) -> usize {
        (row % self.n + 1) * (self.n + 2) + 1 + column
    }

    /// Finds the links between the cell at `at` and its eight neighbours. Returns for each direction the table that
    /// holds the link, and the index of the link in this table.
    #[inline(always)]
    fn tables(&self, at: usize) -> [(&[f32], usize); 8] {
        let stride = self.n + 2;
        let Self { east, south, south_east, south_west, .. } = self;
        [
            (east, at),
            (south_west, at - stride + 1),
            (south, at - stride),
            (south_east, at - stride - 1),
            (east, at - 1),
            (south_west, at),
            (south, at),
            (south_east, at),
        ]
    }
}

/// The links of one eighth of a face. The links of the whole face follow by symmetry.
struct Eighth<'a> {
    n: usize,
    /// Link between the samples (row, column) and (row, column + 1).
    straight: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    /// Links along the two diagonals of the quadrangle south-east of (row, column). The first starts at the
    /// quadrangle's north-west corner, the second at its north-east corner.
    diagonal: &'a (dyn Fn(usize, usize) -> [f64; 2] + Sync),
}
impl Eighth<'_> {
    /// Computes the links of a whole face and its margin. Links to missing neighbours get the value `none`.
    fn unfold(&self, none: f32) -> Links {
        let (n, last) = (self.n, self.n as isize - 1);
        let inside = |k: isize| (0..=last).contains(&k);
        let at_corner = |k: isize| k == 0 || k == last;
        let table = |link: &(dyn Fn(isize, isize) -> Option<f64> + Sync)| {
            let mut table = vec![none; (n + 2) * (n + 2)];
            table.par_chunks_mut(n + 2).enumerate().for_each(|(i, row)| {
                for (j, to) in row.iter_mut().enumerate() {
                    *to = link(i as isize - 1, j as isize - 1).map_or(none, |value| value as f32);
                }
            });
            table
        };
        Links {
            n,
            // At a corner of a face, two directions lead to the same sample, one over each border: count only one of
            // them.
            east: table(&|i, j| {
                let twice = (j == -1 || j == last) && at_corner(i);
                (inside(i) && j <= last && !twice).then(|| self.straight(i, j))
            }),
            south: table(&|i, j| (inside(j) && i <= last).then(|| self.straight(j, i))),
            south_east: table(&|i, j| {
                let lost = (i == -1 && j == -1) || (i == last && j == last);
                (i <= last && j <= last && !lost).then(|| self.diagonal(i, j, 0))
            }),
            south_west: table(&|i, j| {
                let lost = (i == -1 && j == last + 1) || (i == last && j == 0);
                (i <= last && j >= 0 && !lost).then(|| self.diagonal(i, j - 1, 1))
            }),
        }
    }

    /// Maps the step from `k` to `k + 1` into the first half of a face. Returns the mapped index, and whether the step
    /// is mirrored there.
    fn fold(&self, k: isize) -> (usize, bool) {
        let last = self.n as isize - 1;
        let (low, turned) = match k {
            -1 => (0, true),
            k if k == last => (last - 1, true),
            k => (k, false),
        };
        if 2 * low > last - 1 { ((last - 1 - low) as usize, !turned) } else { (low as usize, turned) }
    }

    fn straight(&self, row: isize, column: isize) -> f64 {
        let row = row.min(self.n as isize - 1 - row) as usize;
        (self.straight)(row, self.fold(column).0)
    }

    fn diagonal(&self, row: isize, column: isize, which: usize) -> f64 {
        let ((i, down), (j, right)) = (self.fold(row), self.fold(column));
        let pair = (self.diagonal)(i.min(j), i.max(j));
        // In a quadrangle on a centre line of the face, the two diagonals are mirror images of each other.
        let middle = |k: usize| 2 * k + 2 == self.n;
        if middle(i) || middle(j) { 0.5 * (pair[0] + pair[1]) } else { pair[which ^ usize::from(down != right)] }
    }
}

/// Conductances along the north side, the south side and the two diagonals of a quadrangle.
struct Quadrangle {
    north: f64,
    south: f64,
    diagonals: [f64; 2],
}

/// Two squared diagonal lengths on the unit sphere count as equal if they differ by less than this value.
const ALIKE: f64 = 1.0e-12;

impl Quadrangle {
    fn new(globe: &Globe, i: usize, j: usize) -> Self {
        let corner = |down: usize, right: usize| globe.exact_direction(0, i + down, j + right);
        let [nw, ne, se, sw] = [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)];
        let square = |a, b| {
            let d = minus(a, b);
            dot(d, d)
        };
        let falling = Self {
            north: half_cotangent(se, nw, ne),
            south: half_cotangent(nw, sw, se),
            diagonals: [half_cotangent(ne, nw, se) + half_cotangent(sw, nw, se), 0.0],
        };
        let rising = Self {
            north: half_cotangent(sw, nw, ne),
            south: half_cotangent(ne, sw, se),
            diagonals: [0.0, half_cotangent(nw, ne, sw) + half_cotangent(se, ne, sw)],
        };
        let longer = square(nw, se) - square(ne, sw);
        if longer.abs() < ALIKE {
            let mean = |a: f64, b: f64| 0.5 * (a + b);
            return Self {
                north: mean(falling.north, rising.north),
                south: mean(falling.south, rising.south),
                diagonals: [0, 1].map(|k| mean(falling.diagonals[k], rising.diagonals[k])),
            };
        }
        if longer < 0.0 { falling } else { rising }
    }
}

/// Half the cotangent of the angle at `top` in the triangle with the corners `top`, `a` and `b`.
fn half_cotangent(top: [f64; 3], a: [f64; 3], b: [f64; 3]) -> f64 {
    let (u, v) = (minus(a, top), minus(b, top));
    let inner = dot(u, v);
    0.5 * inner / (dot(u, u) * dot(v, v) - inner * inner).sqrt()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "test results do not affect heights")]

    use super::*;
    use std::collections::HashMap;

    fn exact(globe: &Globe, k: usize) -> [f64; 3] {
        let n = globe.samples();
        globe.exact_direction(k / (n * n), k / n % n, k % n)
    }

    /// Both cells of a pair of neighbours read the same value, and the value is correct.
    #[test]
    fn pairs_have_one_link() {
        for n in [2, 3, 4, 5, 12, 17] {
            let grid = Grid::globe(n);
            let metric = Spherical::of_grid(grid);
            let conductances = Links::conductances(&metric.globe);
            let inverse = Links::inverse_distances(&metric.globe);
            let mut pairs = HashMap::new();
            let mut seen = 0;
            for k in (0..grid.len()).filter(|&k| grid.owns(k)) {
                let (links, flows, inverse) =
                    (metric.distances.to_neighbours(k), conductances.to_neighbours(k), inverse.to_neighbours(k));
                assert_eq!(metric.distances.around_row(k / n).map(|links| links[k % n]), links);
                for (direction, there) in grid.neighbours(k).into_iter().enumerate() {
                    let Some(there) = there else {
                        assert_eq!((links[direction], flows[direction], inverse[direction]), (f32::INFINITY, 0.0, 0.0));
                        continue;
                    };
                    seen += 1;
                    let angle = dot(exact(&metric.globe, k), exact(&metric.globe, there)).clamp(-1.0, 1.0).acos();
                    assert!((f64::from(links[direction]) - angle).abs() < 1e-6, "{n}: {k}, {direction}");
                    // Near the corners of the cube, rows and columns meet at angles of up to 120°. A diagonal step is
                    // then √3 times as long as a step along a row.
                    assert!(n < 3 || angle < 1.74 * std::f64::consts::FRAC_PI_2 / (n - 1) as f64 + 1e-6);
                    assert!((inverse[direction] * links[direction] - 1.0).abs() < 1e-6);
                    assert!(flows[direction] >= -1e-6, "{n}: {k}, {direction}: {}", flows[direction]);
                    let bits = (links[direction].to_bits(), flows[direction].to_bits());
                    let pair = pairs.entry((k.min(there), k.max(there))).or_insert(bits);
                    assert_eq!(*pair, bits, "{n}: {k} and {there}");
                }
            }
            assert_eq!(seen, 2 * pairs.len(), "each cell of a pair must list the other");
        }
    }

    /// On the unit sphere, a height proportional to x, y or z is an eigenfunction of the Laplacian: Δh = -2h.
    #[test]
    fn conductances_make_the_laplacian_of_the_sphere() {
        let grid = Grid::globe(33);
        let metric = Spherical::of_grid(grid);
        let conductances = Links::conductances(&metric.globe);
        let steradians = (metric.spacing() * metric.spacing()) as f32;
        for axis in 0..3 {
            let field: Vec<f32> = (0..grid.len()).map(|k| metric.globe.direction_of(k)[axis]).collect();
            let (mut worst, mut worst_corner) = (0.0f32, 0.0f32);
            for k in (0..grid.len()).filter(|&k| grid.owns(k)) {
                let around = grid.neighbours(k);
                let differences = around.map(|there| there.map_or(0.0, |there| field[there] - field[k]));
                let sum: f32 = conductances.to_neighbours(k).iter().zip(differences).map(|(link, d)| link * d).sum();
                let laplacian = sum / (metric.owned_areas[k] * steradians);
                let off = (laplacian + 2.0 * field[k]).abs();
                // Where three faces meet, the cells do not form a regular lattice and the scheme is only first-order.
                let worst = if around.contains(&None) { &mut worst_corner } else { &mut worst };
                *worst = worst.max(off);
            }
            assert!(worst < 0.06 && worst_corner < 0.5, "axis {axis}: {worst}, at corners {worst_corner}");
        }
    }
}
