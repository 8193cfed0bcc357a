//! Greedy insertion into a Delaunay triangulation of the samples of one tile.
//!
//! Triangles store their neighbours. The algorithm inserts a sample into the triangle that contains the sample, or on
//! the edge of a triangle. It then flips edges until all edges are Delaunay again (Lawson 1977). Each triangle stores
//! its candidate: the sample inside the triangle that must become a vertex before the triangle's other samples. A heap
//! returns the most urgent candidate of all triangles.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::SampleRole;

/// Marks a missing neighbour.
const NONE: u32 = u32::MAX;

/// The samples of a tile, row by row, with their values and roles.
pub(super) struct TileSamples<'a> {
    pub xs: &'a [f64],
    pub ys: &'a [f64],
    /// One value per sample. The values are linear over a flat triangle.
    pub values: Vec<f64>,
    /// Dividends of the samples; see [`FaceSurface::dividend`](super::FaceSurface::dividend).
    pub dividends: Option<Vec<f64>>,
    pub roles: Vec<SampleRole>,
    pub limit: f64,
}

impl TileSamples<'_> {
    /// Height difference between sample `k` and a surface that has the value `value` at the sample.
    #[inline]
    pub fn error(&self, k: usize, value: f64) -> f64 {
        match &self.dividends {
            None => (value - self.values[k]).abs(),
            Some(dividends) => (dividends[k] / value - dividends[k] / self.values[k]).abs(),
        }
    }

    fn point(&self, k: u32) -> [f64; 2] {
        let (row, column) = (k as usize / self.xs.len(), k as usize % self.xs.len());
        [self.xs[column], self.ys[row]]
    }
}

/// A triangle with corners in anticlockwise order if y points up. The neighbour with index `k` shares the edge from
/// corner `k` to the next corner.
#[derive(Clone, Copy)]
struct TileTriangle {
    corners: [u32; 3],
    neighbours: [u32; 3],
    /// Number of changes to the triangle so far. The heap compares it to detect outdated entries.
    version: u32,
}

/// A sample that must become a vertex. Candidates are compared by urgency: the most urgent candidate is the greatest.
#[derive(Clone, Copy, PartialEq)]
struct Candidate {
    error: f64,
    /// Pseudo-random rank that spreads equally urgent samples over the tile, which avoids long triangles.
    order: u32,
    sample: u32,
    triangle: u32,
    version: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_error = self.error.total_cmp(&other.error);
        by_error
            .then(self.order.cmp(&other.order))
            .then(self.sample.cmp(&other.sample))
            .then(self.triangle.cmp(&other.triangle))
            .then(self.version.cmp(&other.version))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A pseudo-random rank that is unique for each sample (the finalizer of MurmurHash3).
fn spread(sample: u32) -> u32 {
    let mut x = sample.wrapping_add(0x9e37_79b9);
    x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

/// Twice the signed area of a triangle, positive if anticlockwise. The result is exact, because coordinates are whole
/// numbers below 2^26.
#[inline]
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether `d` is inside the circle through the anticlockwise points `a`, `b` and `c` by more than the possible
/// rounding error.
fn is_in_circle(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let [a, b, c] = [a, b, c].map(|p| [p[0] - d[0], p[1] - d[1]]);
    let square = |p: [f64; 2]| p[0] * p[0] + p[1] * p[1];
    let terms = [
        (square(a), b[0] * c[1], b[1] * c[0]),
        (square(b), c[0] * a[1], c[1] * a[0]),
        (square(c), a[0] * b[1], a[1] * b[0]),
    ];
    let sum: f64 = terms.iter().map(|(square, p, q)| square * (p - q)).sum();
    let size: f64 = terms.iter().map(|(square, p, q)| square * (p.abs() + q.abs())).sum();
    sum > 1e-14 * size
}

/// Working memory of the triangulation, which is reused for all tiles.
#[derive(Default)]
pub(super) struct Triangulator {
    triangles: Vec<TileTriangle>,
    heap: BinaryHeap<Candidate>,
    /// Indices of the triangles whose candidate must be recomputed.
    pending: Vec<u32>,
    /// Edges that may need a flip: index of the triangle, and index of the edge in the triangle.
    edges: Vec<(u32, usize)>,
}

impl Triangulator {
    /// Triangulates a tile within the error limit. Returns the triangles, whose corners are in clockwise order if y
    /// points up.
    pub fn run(&mut self, tile: &mut TileSamples) -> impl Iterator<Item = [u32; 3]> {
        self.triangles.clear();
        self.heap.clear();
        let (width, height) = (tile.xs.len() as u32, tile.ys.len() as u32);
        let (last, bottom) = (width - 1, (height - 1) * width);
        self.add([0, last, bottom + last], [NONE, NONE, 1]);
        self.add([0, bottom + last, bottom], [0, NONE, NONE]);
        for corner in [0, last, bottom, bottom + last] {
            tile.roles[corner as usize] = SampleRole::Out;
        }
        loop {
            self.pending.sort_unstable();
            self.pending.dedup();
            while let Some(triangle) = self.pending.pop() {
                self.heap.extend(self.candidate(tile, triangle));
            }
            let Some(next) = self.heap.pop() else { break };
            if self.triangles[next.triangle as usize].version == next.version {
                tile.roles[next.sample as usize] = SampleRole::Out;
                self.insert(tile, next.triangle, next.sample);
            }
        }
        self.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.corners;
            [a, c, b]
        })
    }

    fn add(&mut self, corners: [u32; 3], neighbours: [u32; 3]) -> u32 {
        self.triangles.push(TileTriangle { corners, neighbours, version: 0 });
        let triangle = self.triangles.len() as u32 - 1;
        self.pending.push(triangle);
        triangle
    }

    fn set(&mut self, triangle: u32, corners: [u32; 3], neighbours: [u32; 3]) {
        let version = self.triangles[triangle as usize].version + 1;
        self.triangles[triangle as usize] = TileTriangle { corners, neighbours, version };
        self.pending.push(triangle);
    }

    /// Replaces neighbour `old` of triangle `outer` with `new`.
    fn relink(&mut self, outer: u32, old: u32, new: u32) {
        if outer != NONE {
            let neighbours = &mut self.triangles[outer as usize].neighbours;
            if let Some(edge) = neighbours.iter().position(|&n| n == old) {
                neighbours[edge] = new;
            }
        }
    }

    /// The candidate of a triangle: a needed sample inside the triangle, or else the sample whose error exceeds the
    /// limit most.
    fn candidate(&self, tile: &TileSamples, index: u32) -> Option<Candidate> {
        let triangle = &self.triangles[index as usize];
        let width = tile.xs.len();
        let corners = triangle.corners.map(|k| tile.point(k));
        let [a, b, c] = corners;
        let area = orientation(a, b, c);
        let [va, vb, vc] = triangle.corners.map(|k| tile.values[k as usize]);
        let along = ((vb - va) * (c[1] - a[1]) - (vc - va) * (b[1] - a[1])) / area;
        let down = ((vc - va) * (b[0] - a[0]) - (vb - va) * (c[0] - a[0])) / area;
        let rows = triangle.corners.map(|k| k as usize / width);
        let columns = triangle.corners.map(|k| k as usize % width);
        let (top, bottom) = (rows[0].min(rows[1]).min(rows[2]), rows[0].max(rows[1]).max(rows[2]));
        let (left, right) = (columns[0].min(columns[1]).min(columns[2]), columns[0].max(columns[1]).max(columns[2]));
        let mut farthest: Option<(f64, usize)> = None;
        let mut needed: Option<(u32, usize)> = None;
        for row in top..=bottom {
            let y = tile.ys[row];
            let (mut low, mut high) = (tile.xs[left], tile.xs[right]);
            // Samples to the left of the edge from p to q satisfy x·rise <= run, with x measured from p. The quotients
            // are exact where they are whole numbers.
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let rise = q[1] - p[1];
                let run = (q[0] - p[0]) * (y - p[1]);
                if rise > 0.0 {
                    high = high.min(p[0] + (run / rise).floor());
                } else if rise < 0.0 {
                    low = low.max(p[0] + (run / rise).ceil());
                }
            }
            let start = left + tile.xs[left..=right].partition_point(|&x| x < low);
            let value = va + down * (y - a[1]);
            for column in start..=right {
                let x = tile.xs[column];
                if x > high {
                    break;
                }
                let k = row * width + column;
                match tile.roles[k] {
                    SampleRole::Out => {}
                    SampleRole::Needed => {
                        let order = spread(k as u32);
                        if needed.is_none_or(|(other, _)| order > other) {
                            needed = Some((order, k));
                        }
                    }
                    SampleRole::Measured if needed.is_none() => {
                        let error = tile.error(k, value + along * (x - a[0]));
                        if error > tile.limit && farthest.is_none_or(|(most, _)| error > most) {
                            farthest = Some((error, k));
                        }
                    }
                    SampleRole::Measured => {}
                }
            }
        }
        let made =
            |error, order, k| Candidate { error, order, sample: k as u32, triangle: index, version: triangle.version };
        match needed {
            Some((order, k)) => Some(made(f64::INFINITY, order, k)),
            None => farthest.map(|(error, k)| made(error, 0, k)),
        }
    }

    /// Makes a sample inside a triangle, or on one of its edges, a vertex.
    fn insert(&mut self, tile: &TileSamples, index: u32, sample: u32) {
        let TileTriangle { corners: [a, b, c], neighbours: [ab, bc, ca], .. } = self.triangles[index as usize];
        let place = tile.point(sample);
        let ends = [a, b, c].map(|k| tile.point(k));
        self.edges.clear();
        let edge = (0..3).find(|&k| orientation(ends[k], ends[(k + 1) % 3], place) == 0.0);
        let Some(edge) = edge else {
            let second = self.add([b, c, sample], [bc, NONE, index]);
            let third = self.add([c, a, sample], [ca, index, second]);
            self.triangles[second as usize].neighbours[1] = third;
            self.set(index, [a, b, sample], [ab, second, third]);
            self.relink(bc, index, second);
            self.relink(ca, index, third);
            self.edges.extend([(index, 0), (second, 0), (third, 0)]);
            self.flip(tile);
            return;
        };
        // In this triangle, the edge runs from p to q; r is the opposite corner.
        let turned = |list: [u32; 3]| [list[edge], list[(edge + 1) % 3], list[(edge + 2) % 3]];
        let ([p, q, r], [beyond, qr, rp]) = (turned([a, b, c]), turned([ab, bc, ca]));
        let right = self.add([sample, q, r], [NONE, qr, index]);
        self.set(index, [p, sample, r], [NONE, right, rp]);
        self.relink(qr, index, right);
        self.edges.extend([(right, 1), (index, 2)]);
        if beyond != NONE {
            let TileTriangle { corners, neighbours, .. } = self.triangles[beyond as usize];
            let at = (0..3).find(|&k| neighbours[k] == index).unwrap_or(0);
            // In the neighbouring triangle, the edge runs from q to p; s is the opposite corner.
            let (s, ps, sq) = (corners[(at + 2) % 3], neighbours[(at + 1) % 3], neighbours[(at + 2) % 3]);
            let other = self.add([q, sample, s], [right, beyond, sq]);
            self.set(beyond, [sample, p, s], [index, ps, other]);
            self.relink(sq, beyond, other);
            self.triangles[right as usize].neighbours[0] = other;
            self.triangles[index as usize].neighbours[0] = beyond;
            self.edges.extend([(other, 2), (beyond, 1)]);
        }
        self.flip(tile);
    }

    /// Flips edges until all edges are Delaunay.
    fn flip(&mut self, tile: &TileSamples) {
        while let Some((one, edge)) = self.edges.pop() {
            let first = self.triangles[one as usize];
            let other = first.neighbours[edge];
            if other == NONE {
                continue;
            }
            let second = self.triangles[other as usize];
            let Some(at) = (0..3).find(|&k| second.neighbours[k] == one) else { continue };
            let turned = |list: [u32; 3], by: usize| [list[by], list[(by + 1) % 3], list[(by + 2) % 3]];
            // In the first triangle the edge runs from p to q, and r is the opposite corner. In the second triangle s
            // is the opposite corner.
            let ([p, q, r], [_, qr, rp]) = (turned(first.corners, edge), turned(first.neighbours, edge));
            let (s, ps, sq) =
                (second.corners[(at + 2) % 3], second.neighbours[(at + 1) % 3], second.neighbours[(at + 2) % 3]);
            let [at_p, at_q, at_r, at_s] = [p, q, r, s].map(|k| tile.point(k));
            let is_convex = orientation(at_r, at_s, at_q) > 0.0 && orientation(at_s, at_r, at_p) > 0.0;
            if !is_convex || !is_in_circle(at_p, at_q, at_r, at_s) {
                continue;
            }
            self.set(one, [r, p, s], [rp, ps, other]);
            self.set(other, [s, q, r], [sq, qr, one]);
            self.relink(ps, other, one);
            self.relink(qr, one, other);
            self.edges.extend([(one, 0), (one, 1), (other, 0), (other, 1)]);
        }
    }
}
