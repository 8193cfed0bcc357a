//! Voronoi relief: heights from the distances to scattered points.
//!
//! Law: h = base + amplitude · Σ cₙ·Dₙ, n = 1 … 8, with Dₙ the distance to the n-th nearest feature point (Euclidean,
//! or its square) in units of the mean spacing 1/√points. c₁ = -1, c₂ = 1 makes mountains: 0 on the borders between
//! regions, highest at the points. c₁ = 1 alone makes pits at the points, c₁ = -1 alone peaks.
//! Region map: all samples with the same nearest point have a common factor that multiplies the sum. The factor is
//! random in [0, 1), or either 0 or 1. Some mountains sink or vanish, and the passages between the other mountains
//! widen.
//! Points: at random, or one in each cell of a square lattice, moved from the cell's centre by `jitter`.
//!
//! Scheme: for a small block of samples, distances are computed only to the points that can affect the block. Let R be
//! the distance from the block's centre to its n-th nearest point, and let the block extend ρ around the centre. The n
//! nearest points of every sample are then within R + 2ρ of the centre; a bucket grid (`nearest`) finds these points.
//! The result is bit for bit the same as that of a search through all points (tested), for any block size.
//! Boundary: by default open terrains have no points beyond their edges, so the regions on the rim extend too far. With
//! `rim` set to `GoesOn` there are as many points per area outside as inside, and the rim looks like the inside:
//! lattice cells continue, or each of the eight adjacent squares has its own random points. These points extend
//! outwards by one side length or 8 mean spacings, whichever is less. This almost always includes all points that
//! affect the terrain. On wrapping terrains the distance takes the shorter way around, and each point counts once. On a
//! globe the points are on the sphere (`globe`). If there are fewer points than n, Dₙ is 0: a single point makes a
//! cone.
//! Source: Worley 1996; Olsen 2004; Le Martelot 2005, §1.2 and §3.3.3.

mod globe;
mod nearest;
mod sphere_points;

use crate::{Context, Generator, OnPlanet, Traits};
use nearest::{Buckets, FeaturePoint};
use talweg_ground::field::{Cancelled, Edges, Stream};

talweg_ground::choices! {
    /// The measure of the distance between a sample and a feature point.
    DistanceMetric {
        Euclidean "Euclidean": "The plain distance: straight slopes.",
        Squared "Squared": "The square of the distance: faster, with hollow slopes and steep peaks.",
    }
}

talweg_ground::choices! {
    /// Distribution of the feature points.
    Scatter {
        Random "Random": "Random positions: some regions are small, some large.",
        Lattice "Lattice": "One point in each cell of a square lattice: regions of similar size. The number of points is rounded to a square number.",
    }
}

talweg_ground::choices! {
    /// The factor by which the relief of each region is multiplied.
    Regions {
        Alike "Alike": "Every region keeps its height.",
        Uniform "Uniform": "Every region has a random height, from 0 to full.",
        TwoValued "Kept or sunk": "Each region, at random, keeps its relief or becomes level.",
    }
}

talweg_ground::choices! {
    /// The points beyond the open edges of a terrain.
    VoronoiRim {
        Ends "Ends": "No points beyond the edges: the regions along the edges are longer than those inside.",
        GoesOn "Continues": "As many points per area beyond the edges as inside: the terrain is part of a larger terrain.",
    }
}

talweg_ground::params! {
    /// Mountains, cells or cones around scattered points.
    Voronoi "Voronoi" in "Cells", from "Worley 1996; Olsen 2004", also "cellular worley cells crystals islands plates" {
        /// Number of feature points. Each point makes one mountain; more points make smaller mountains.
        points: u32 = 40, 1..=65_536, slider 4..=1000;
        /// Distribution of the feature points.
        scatter: Scatter = Scatter::Lattice;
        /// Distance of the points from the centres of their lattice cells: 0 gives a regular pattern.
        jitter: f32 ["share"] = 0.85, 0.0..=1.0 => |voronoi| voronoi.scatter == Scatter::Lattice;
        /// Measure of distance: the plain distance or its square.
        metric: DistanceMetric = DistanceMetric::Euclidean;
        /// Weight of the distance to the nearest point. With values below 0 the points are peaks, with values above 0
        /// pits.
        c1: f32 = -1.0, -10.0..=10.0, slider -2.0..=2.0;
        /// Weight of the distance to the second nearest point. With the opposite sign of the first weight, it makes
        /// sharp ridges.
        c2: f32 = 1.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(2);
        /// Weight of the distance to the third nearest point.
        c3: f32 = 0.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(3);
        /// Weight of the distance to the fourth nearest point.
        c4: f32 = 0.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(4);
        /// Weight of the distance to the fifth nearest point. Farther points contribute rounder shapes.
        c5: f32 = 0.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(5);
        /// Weight of the distance to the sixth nearest point.
        c6: f32 = 0.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(6);
        /// Weight of the distance to the seventh nearest point.
        c7: f32 = 0.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(7);
        /// Weight of the distance to the eighth nearest point.
        c8: f32 = 0.0, -10.0..=10.0, slider -2.0..=2.0 => |voronoi| voronoi.can_have(8);
        /// Points beyond open edges. Wrapping terrains and planets have no edges.
        rim: VoronoiRim = VoronoiRim::Ends;
        /// Factor by which the region around each point is multiplied. Lowered regions leave wide passages between the
        /// other regions.
        regions: Regions = Regions::Alike;
        /// Fraction of the regions that keep their height.
        kept: f32 ["share"] = 0.6, 0.0..=1.0 => |voronoi| voronoi.regions == Regions::TwoValued;
        /// Height of the result, as a fraction of the relief.
        amplitude: f32 = 0.75, -10.0..=10.0, slider 0.0..=2.0;
        /// Height where the weighted sum of the distances is 0, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.5;
    }
}

/// Key of the random stream for the region map.
pub(super) const REGIONS: u64 = 2;
/// First key of the random streams for the points beyond open edges.
const BEYOND: u64 = 16;
/// Distance, in mean spacings, up to which points beyond open edges are created; about 200 points are within this
/// distance of a position.
const MARGIN_SPACINGS: f32 = 8.0;

impl Generator for Voronoi {
    fn traits(&self) -> Traits {
        let points = match self.scatter {
            Scatter::Random => self.points as usize,
            Scatter::Lattice => self.lattice_side().pow(2) as usize,
        };
        // Version 2 differs only where points are missing.
        let version = if points < self.farthest() { 2 } else { 1 };
        Traits { version, on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        if cx.grid.is_globe() {
            return self.fill_globe(cx, out);
        }
        let wraps = cx.grid.edges == Edges::Wrap;
        let mut points = self.feature_points(cx.random);
        let within = points.len();
        let margin = if wraps { 0.0 } else { self.margin(within) };
        if margin > 0.0 {
            points.extend(self.points_beyond(cx.random, margin));
        }
        let buckets = Buckets::new(&points, within, margin, wraps);
        let values = cx.random.fork(REGIONS);
        match self.farthest() {
            8 => self.relief::<8>(cx, &buckets, values, out),
            7 => self.relief::<7>(cx, &buckets, values, out),
            6 => self.relief::<6>(cx, &buckets, values, out),
            5 => self.relief::<5>(cx, &buckets, values, out),
            4 => self.relief::<4>(cx, &buckets, values, out),
            3 => self.relief::<3>(cx, &buckets, values, out),
            2 => self.relief::<2>(cx, &buckets, values, out),
            _ => self.relief::<1>(cx, &buckets, values, out),
        }
    }
}

impl Voronoi {
    /// The weights of the distances, starting with the nearest point.
    fn coefficients(&self) -> [f32; 8] {
        [self.c1, self.c2, self.c3, self.c4, self.c5, self.c6, self.c7, self.c8]
    }

    /// Whether a terrain or planet with these parameters can have `count` points. The lattice of a planet has points on
    /// every face.
    fn can_have(&self, count: usize) -> bool {
        self.scatter == Scatter::Lattice || self.rim == VoronoiRim::GoesOn || self.points as usize >= count
    }

    /// Number of nearest points that a sample needs, at least 1.
    fn farthest(&self) -> usize {
        self.coefficients().iter().rposition(|&c| c != 0.0).map_or(1, |last| last + 1)
    }

    /// Width of the margin with points beyond open edges, as a fraction of the side, for `count` points on the terrain.
    fn margin(&self, count: usize) -> f32 {
        match self.rim {
            VoronoiRim::Ends => 0.0,
            VoronoiRim::GoesOn => (MARGIN_SPACINGS / (count as f32).sqrt()).min(1.0),
        }
    }

    /// The feature points outside the unit square, within `margin` of the square along either axis.
    pub fn points_beyond(&self, random: Stream, margin: f32) -> Vec<FeaturePoint> {
        let is_beyond = |p: &FeaturePoint| {
            p.iter().all(|x| (-margin..=1.0 + margin).contains(x)) && p.iter().any(|x| !(0.0..=1.0).contains(x))
        };
        match self.scatter {
            Scatter::Random => {
                let around =
                    (0..9).filter(|&square| square != 4).map(|square| (square, square % 3 - 1, square / 3 - 1));
                around
                    .flat_map(|(square, x, y)| {
                        let own = random.fork(BEYOND + square as u64);
                        (0..self.points as i32)
                            .map(move |k| [x as f32 + own.unit(k, 0), y as f32 + own.unit(k, 1)])
                            .filter(is_beyond)
                    })
                    .collect()
            }
            Scatter::Lattice => {
                let side = self.lattice_side();
                let cells = libm::ceilf(margin * side as f32) as i32;
                let around = -cells..side + cells;
                let is_within = |x: i32, y: i32| (0..side).contains(&x) && (0..side).contains(&y);
                around
                    .clone()
                    .flat_map(|y| around.clone().map(move |x| (x, y)))
                    .filter(|&(x, y)| !is_within(x, y))
                    .map(|(x, y)| self.in_cell(random, side, x, y))
                    .collect()
            }
        }
    }

    /// Number of lattice cells along a side.
    fn lattice_side(&self) -> i32 {
        (self.points as f32).sqrt().round().max(1.0) as i32
    }

    /// Returns the feature point of a lattice cell. The cell can be beyond the edges.
    fn in_cell(&self, random: Stream, side: i32, x: i32, y: i32) -> FeaturePoint {
        let at = |cell: i32, random: f32| (cell as f32 + 0.5 + self.jitter * (random - 0.5)) / side as f32;
        [at(x, random.fork(1).unit(x, y)), at(y, random.fork(0).unit(x, y))]
    }

    /// Returns all feature points in the unit square.
    pub fn feature_points(&self, random: Stream) -> Vec<FeaturePoint> {
        match self.scatter {
            Scatter::Random => (0..self.points as i32).map(|k| [random.unit(k, 0), random.unit(k, 1)]).collect(),
            Scatter::Lattice => {
                let side = self.lattice_side();
                (0..side * side).map(|k| self.in_cell(random, side, k % side, k / side)).collect()
            }
        }
    }

    /// Returns the factor by which the relief of the region around `point` is multiplied.
    pub fn region(&self, values: Stream, point: FeaturePoint) -> f32 {
        self.factor(values.unit(point[0].to_bits() as i32, point[1].to_bits() as i32))
    }

    /// Converts a random value to the factor of a region.
    pub(super) fn factor(&self, value: f32) -> f32 {
        match self.regions {
            Regions::Alike => 1.0,
            Regions::Uniform => value,
            Regions::TwoValued => f32::from(value < self.kept),
        }
    }

    /// Computes the heights from the K nearest points of each sample.
    fn relief<const K: usize>(
        &self,
        cx: &Context,
        buckets: &Buckets,
        values: Stream,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        // The last row and column of a wrapping grid are equal to the first row and column.
        let places = |first: usize| -> Vec<f32> {
            (0..n).map(|k| cx.grid.position(first + k % cx.grid.distinct_side())).collect()
        };
        let [rows, columns] = cx.grid.first().map(places);
        let spacing = (cx.grid.whole_samples() as f32 / (buckets.count() as f32).sqrt()) as usize;
        let side = (spacing / 2).next_power_of_two().clamp(4, 32);
        cx.bands_of(side, out, |first, cells| {
            let ys = &rows[first..first + cells.len() / n];
            let (mut candidates, mut factors) = (Vec::new(), Vec::new());
            for left in (0..n).step_by(side) {
                let xs = &columns[left..(left + side).min(n)];
                buckets.candidates(xs, ys, K, &mut candidates);
                factors.clear();
                if self.regions != Regions::Alike {
                    factors.extend(candidates.iter().map(|&point| self.region(values, point)));
                }
                for (row, &y) in cells.chunks_mut(n).zip(ys) {
                    let span = &mut row[left..left + xs.len()];
                    self.span::<K>(buckets, &candidates, xs, y, span);
                    if !factors.is_empty() {
                        self.sink(buckets.wraps(), &candidates, &factors, xs, y, span);
                    }
                }
            }
        })
    }

    /// Computes the heights of consecutive samples of a row, a few at a time.
    fn span<const K: usize>(
        &self,
        buckets: &Buckets,
        candidates: &[FeaturePoint],
        xs: &[f32],
        y: f32,
        out: &mut [f32],
    ) {
        const LANES: usize = 8;
        for (xs, out) in xs.chunks(LANES).zip(out.chunks_mut(LANES)) {
            let mut lane = [xs[0]; LANES];
            lane[..xs.len()].copy_from_slice(xs);
            let squares = if buckets.wraps() {
                nearest_squares::<K, LANES, true>(candidates, &lane, y)
            } else {
                nearest_squares::<K, LANES, false>(candidates, &lane, y)
            };
            let heights = self.heights(&squares, buckets.count() as f32);
            out.copy_from_slice(&heights[..xs.len()]);
        }
    }

    /// Multiplies the relief by the factor of the nearest of `points`. If two points are equally near, the smaller
    /// factor counts.
    fn sink(&self, wraps: bool, points: &[FeaturePoint], factors: &[f32], xs: &[f32], y: f32, out: &mut [f32]) {
        let apart = |a: f32, b: f32| if wraps { axis_distance::<true>(a, b) } else { axis_distance::<false>(a, b) };
        for (h, &x) in out.iter_mut().zip(xs) {
            let (mut least, mut factor) = (f32::INFINITY, 1.0);
            for (point, &own) in points.iter().zip(factors) {
                let (across, down) = (apart(x, point[0]), apart(y, point[1]));
                let square = across * across + down * down;
                if square < least || (square == least && own < factor) {
                    (least, factor) = (square, own);
                }
            }
            *h = self.base + (*h - self.base) * factor;
        }
    }

    /// Computes heights by the formula of the module docs, given the squares of the K smallest distances of each
    /// sample.
    pub(super) fn heights<const K: usize, const LANES: usize>(
        &self,
        squares: &[[f32; LANES]; K],
        count: f32,
    ) -> [f32; LANES] {
        let coefficients = self.coefficients();
        let mut sum = [0.0; LANES];
        for (squares, c) in squares.iter().zip(coefficients) {
            for l in 0..LANES {
                // A square is infinite if there are too few points. The missing point then does not count.
                let square = if squares[l] < f32::INFINITY { squares[l] * count } else { 0.0 };
                sum[l] += c * if self.metric == DistanceMetric::Squared { square } else { square.sqrt() };
            }
        }
        sum.map(|s| self.base + self.amplitude * s)
    }
}

/// Returns the squares of the K smallest distances from each (x, y), in ascending order.
#[inline(always)]
fn nearest_squares<const K: usize, const LANES: usize, const WRAP: bool>(
    points: &[FeaturePoint],
    xs: &[f32; LANES],
    y: f32,
) -> [[f32; LANES]; K] {
    let mut least = [[f32::INFINITY; LANES]; K];
    for point in points {
        let across = axis_distance::<WRAP>(y, point[1]);
        let across = across * across;
        let mut square = [0.0; LANES];
        for l in 0..LANES {
            let d = axis_distance::<WRAP>(xs[l], point[0]);
            square[l] = d * d + across;
        }
        for least in &mut least {
            for l in 0..LANES {
                let (a, b) = (least[l], square[l]);
                least[l] = if a < b { a } else { b };
                square[l] = if a < b { b } else { a };
            }
        }
    }
    least
}

/// Distance along one axis; on wrapping terrains the shorter way around.
#[inline(always)]
fn axis_distance<const WRAP: bool>(a: f32, b: f32) -> f32 {
    let d = (a - b).abs();
    if WRAP && 1.0 - d < d { 1.0 - d } else { d }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::{Control, Grid};

    #[test]
    fn blocks_give_the_bits_of_a_search_through_all_points() {
        for (points, samples, scatter) in [
            (1, 33, Scatter::Random),
            (3, 50, Scatter::Random),
            (400, 100, Scatter::Random),
            (5000, 65, Scatter::Lattice),
        ] {
            for (edges, rim) in
                [(Edges::Open, VoronoiRim::Ends), (Edges::Wrap, VoronoiRim::Ends), (Edges::Open, VoronoiRim::GoesOn)]
            {
                let node = Voronoi { points, scatter, c3: 0.5, c4: -1.5, c6: 0.7, c8: -0.3, rim, ..Voronoi::default() };
                let control = Control::default();
                let cx = Context {
                    grid: Grid::new(samples, edges),
                    size_metres: 1000.0,
                    relief_metres: 100.0,
                    sea_level: 0.0,
                    planet: None,
                    scene_samples: samples,
                    cell_ratio: 1.0,
                    voids: Default::default(),
                    random: Stream::new(5, 6),
                    control: &control,
                };
                let mut out = vec![0.0; cx.grid.len()];
                node.fill(&cx, &mut out).unwrap();
                let mut all = node.feature_points(cx.random);
                let count = all.len() as f32;
                if rim == VoronoiRim::GoesOn {
                    all.extend(node.points_beyond(cx.random, node.margin(all.len())));
                }
                for (k, &h) in out.iter().enumerate() {
                    let place = |index: usize| cx.grid.position(index % cx.grid.distinct_side());
                    let (x, y) = (place(k % samples), place(k / samples));
                    let squares = match edges {
                        Edges::Open => nearest_squares::<8, 1, false>(&all, &[x], y),
                        Edges::Wrap => nearest_squares::<8, 1, true>(&all, &[x], y),
                    };
                    assert_eq!(h, node.heights(&squares, count)[0], "{points} {edges:?} {rim:?} {k}");
                }
            }
        }
    }
}
