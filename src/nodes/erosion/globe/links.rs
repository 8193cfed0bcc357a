//! What holds for pairs of neighbouring cells of a globe: how far apart they are, and how readily soil passes between them.
//!
//! A link stands once, with the north or west of its two cells, in a table that all faces share: a cube-sphere looks the
//! same in the mirrors of its faces' borders, middles and diagonals. Links are worked out in an eighth of a face and copied to
//! all of it, so both cells of a pair read the same bits, on whatever faces they are computed.
//! At a corner of the cube three faces meet, and two of the eight ways lead nowhere: there a link has a value of its own.
//! Conductance: diffusion between cells i and j passes w·(h_j - h_i), w = ½·(cot α + cot β) with α and β the
//! angles that look at the pair in the two triangles beside it. The quadrangles of the grid are cut along their shorter
//! diagonal, which keeps every w above 0; on a square grid it is the stencil of the four straight neighbours.
//! Source: Pinkall & Polthier 1993, *Computing discrete minimal surfaces and their conjugates*.

use rayon::prelude::*;

use crate::field::Globe;

/// A value for every pair of neighbours, on padded faces: n + 2 rows of n + 2.
#[derive(Clone, Debug)]
pub struct Links {
    n: usize,
    /// Of the cell to the west or north of the pair.
    east: Vec<f32>,
    south: Vec<f32>,
    south_east: Vec<f32>,
    south_west: Vec<f32>,
}

impl Links {
    /// Distances in radii of the globe; infinite where there is no neighbour.
    pub fn distances(globe: &Globe) -> Self {
        let distance = |a: [usize; 2], b: [usize; 2]| {
            let d = minus(globe.exact_direction(0, b[0], b[1]), globe.exact_direction(0, a[0], a[1]));
            2.0 * libm::asin((0.5 * dot(d, d).sqrt()).min(1.0))
        };
        Eighth {
            n: globe.samples(),
            straight: &|i, j| distance([i, j], [i, j + 1]),
            diagonal: &|i, j| [distance([i, j], [i + 1, j + 1]), distance([i, j + 1], [i + 1, j])],
        }
        .unfold(f32::INFINITY)
    }

    /// Conductances; nothing passes where there is no neighbour.
    pub fn conductances(globe: &Globe) -> Self {
        let quadrangle = |i: usize, j: usize| Quadrangle::new(globe, i, j);
        Eighth {
            n: globe.samples(),
            straight: &|i, j| {
                let south = quadrangle(i, j).north;
                // beyond the border there is as much
                south + if i == 0 { south } else { quadrangle(i - 1, j).south }
            },
            diagonal: &|i, j| quadrangle(i, j).diagonals,
        }
        .unfold(0.0)
    }

    /// Links of the cells of row `row` of a face to their neighbours, in the order of
    /// [`STEPS`](crate::field::globe::STEPS).
    pub fn around(&self, row: usize) -> [&[f32]; 8] {
        let stride = self.n + 2;
        let at = (row + 1) * stride + 1;
        let Self { east, south, south_east, south_west, n } = self;
        [
            &south[at - stride..][..*n],
            &south_west[at - stride + 1..][..*n],
            &east[at..][..*n],
            &south_east[at..][..*n],
            &south[at..][..*n],
            &south_west[at..][..*n],
            &east[at - 1..][..*n],
            &south_east[at - stride - 1..][..*n],
        ]
    }
}

/// What the links of a face are made of: those of an eighth of it.
struct Eighth<'a> {
    n: usize,
    /// Of (row, column) and (row, column + 1).
    straight: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    /// Of the quadrangle south-east of (row, column): from its north-west corner, and from its north-east corner.
    diagonal: &'a (dyn Fn(usize, usize) -> [f64; 2] + Sync),
}

impl Eighth<'_> {
    /// Links of a face and its rim; `none` where there is no neighbour.
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
            // over its two borders the corner of a face leads to the same sample: one way counts
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

    /// The step from `k` to `k + 1` in the first half of a face, and whether it is turned around there.
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
        // the two diagonals of a quadrangle in the middle of a face are each other's mirror images
        let middle = |k: usize| 2 * k + 2 == self.n;
        if middle(i) || middle(j) { 0.5 * (pair[0] + pair[1]) } else { pair[which ^ usize::from(down != right)] }
    }
}

/// Conductances within a quadrangle.
struct Quadrangle {
    north: f64,
    south: f64,
    diagonals: [f64; 2],
}

/// Diagonals of lengths closer than this, as squares on the unit sphere, are alike.
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

/// Half the cotangent of the angle at `top` towards `a` and `b`.
fn half_cotangent(top: [f64; 3], a: [f64; 3], b: [f64; 3]) -> f64 {
    let (u, v) = (minus(a, top), minus(b, top));
    let inner = dot(u, v);
    0.5 * inner / (dot(u, u) * dot(v, v) - inner * inner).sqrt()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
