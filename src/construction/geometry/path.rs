//! Curves in the horizontal plane: they run through or near points and can be eased like roads. For any point near a
//! curve, this module returns the arc length and the offset relative to the curve.
//!
//! Definition: a curve consists of cubic pieces (Catmull & Rom 1974, as Béziers) or of quadratic pieces between the
//! midpoints of the sides. These pieces are flattened to segments that are less than a thousandth of the reach away
//! from the curve. The reach is the maximum distance for queries. A point has the distance d to the nearest segment.
//! The arc length s and the offset o (to the right) of the point are weighted means. The means include all segments
//! that are at most τ (the tolerance) farther away than the nearest segment: s = Σ wₖ sₖ / Σ wₖ with wₖ = (1 - ((dₖ -
//! d)/τ)²)². Here dₖ is the distance to segment k, and sₖ is the arc length of the nearest point of this segment. The
//! mean of o uses the same weights. Between two legs of a hairpin bend the nearest point jumps from one leg to the
//! other, but the mean changes gradually. Functions of s and o therefore keep the Lipschitz property that the paper
//! requires.
//! Roads: the heading as a function of arc length is averaged twice over a given length. This turns corners and
//! circular arcs into clothoids (curvature proportional to arc length). The resulting shift of the end point is then
//! distributed smoothly along the road.
//! Lipschitz: d, sₖ and oₖ change by at most the distance that the point moves, wₖ by at most 8/(3√3)/τ times the
//! change of dₖ - d.
//! Source: Génevaux et al. 2014, §4.1 and fig. 6; Catmull & Rom 1974.

pub use super::line::closed_line;
use super::line::eased;
pub(crate) use super::line::flatten;
use super::plane::{Area, Capsule, Interval, Point, add, cross, dot, higher, length, lower, scaled, sub};

talweg_ground::choices! {
    /// Shape of a curve between its points.
    CurveFit {
        Through "Through the points": "A smooth curve through every point.",
        Near "Near the points": "A rounder curve that cuts the corners at the points instead of passing through them.",
        Straight "Straight": "Straight lines from each point to the next.",
    }
}

/// Maximum number of parts into which a long capsule is divided to compute its bounds.
const MOST_PARTS: usize = 48;
const MOST_CELLS: f64 = 128.0;
/// Side of a grid cell as a fraction of the reach. A very long path has larger cells, to limit their number.
const CELL: f64 = 0.3;
/// Maximum number of segments of a short path, whose grid has at most `PER_SEGMENT` cells for each segment.
const SHORT: usize = 128;
const PER_SEGMENT: f64 = 2.0;
/// Number of segments in one bounding box.
const RUN: usize = 8;

#[derive(Clone, Copy, Debug)]
struct PathSegment {
    from: Point,
    along: Point,
    length: f64,
    /// Arc length of the path at the start of the segment.
    start: f64,
}

impl PathSegment {
    /// Distance of the nearest point from the start of the segment, and the vector from that point to `p`.
    #[inline]
    fn nearest_on_segment(&self, p: Point) -> (f64, Point) {
        let from_start = sub(p, self.from);
        let t = dot(from_start, self.along);
        let t = if t < 0.0 {
            0.0
        } else if t > self.length {
            self.length
        } else {
            t
        };
        (t, [from_start[0] - self.along[0] * t, from_start[1] - self.along[1] * t])
    }
}

/// Position of a point relative to a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct NearestPoint {
    /// Distance to the path, in metres.
    pub distance: f64,
    /// Arc length from the start of the path, in metres.
    pub along: f64,
    /// Offset to the right, in metres; negative to the left.
    pub offset: f64,
    /// Gradient of the distance.
    pub ddistance: Point,
    /// Gradient of the arc length.
    pub dalong: Point,
    /// Gradient of the offset.
    pub doffset: Point,
}

/// Bounds of a [`NearestPoint`] over a capsule: the ranges of its values, and bounds of their gradients.
#[derive(Clone, Copy, Debug)]
pub struct NearestBounds {
    /// Range of the distance.
    pub distance: Interval,
    /// Range of the arc length.
    pub along: Interval,
    /// Range of the offset.
    pub offset: Interval,
    /// Bound of the gradient of the arc length.
    pub dalong: f64,
    /// Bound of the gradient of the offset.
    pub doffset: f64,
    /// Whether several segments are averaged. If not, the gradients of distance and offset are perpendicular to the
    /// gradient of the arc length, wherever the gradient of the arc length is not 0.
    pub is_mixed: bool,
}

impl NearestBounds {
    /// Bound of the gradient of a function of two variables: `along` bounds its derivative by the arc length, `across`
    /// its derivative by the offset or the distance.
    pub fn slope(&self, along: f64, across: f64) -> f64 {
        if self.is_mixed { along + across } else { (along * along + across * across).sqrt() * (1.0 + 1e-9) }
    }
}

/// The geometry of a path, for the GPU buffer and for comparisons.
#[derive(Clone, Debug, PartialEq)]
pub struct PathGeometry {
    /// Maximum distance from the curve for queries, in metres.
    pub reach: f64,
    /// τ, in metres: segments up to τ farther away than the nearest segment take part in the mean.
    pub tolerance: f64,
    /// x, y and arc length of the vertices; consecutive vertices bound a segment.
    pub vertices: Vec<[f64; 3]>,
}

/// A curve prepared for queries.
#[derive(Clone, Debug)]
pub struct Path {
    segments: Vec<PathSegment>,
    /// Bounding boxes of [`RUN`] segments each.
    runs: Vec<Area>,
    /// Arc lengths at the points from which the path was built.
    pub stations: Vec<f64>,
    reach: f64,
    /// τ, in metres: segments up to τ farther away than the nearest segment take part in the mean.
    tolerance: f64,
    /// Bounding box of all points within the reach of the path.
    pub area: Area,
    columns: usize,
    per_cell: f64,
    /// For every grid cell, the index in `near` after the last of the cell's runs.
    ends: Vec<u32>,
    near: Vec<u16>,
}

impl Path {
    /// Builds the path through or near `points`. `reach` is the maximum distance from the curve for queries.
    /// `smoothing` is the arc length over which bends are eased.
    pub fn new(points: &[Point], run: CurveFit, smoothing: f64, reach: f64) -> Self {
        let (mut line, mut marks) = flatten(points, run, reach);
        if smoothing > 0.0 && line.len() > 2 {
            (line, marks) = eased(&line, &marks, smoothing);
        }
        let mut segments: Vec<PathSegment> = Vec::with_capacity(line.len());
        let mut lengths = vec![0.0];
        for ends in line.windows(2) {
            let span = sub(ends[1], ends[0]);
            let (start, long) = (lengths[lengths.len() - 1], length(span));
            lengths.push(start + long);
            if long > 0.0 {
                segments.push(PathSegment { from: ends[0], along: scaled(span, 1.0 / long), length: long, start });
            }
        }
        if segments.is_empty() {
            let from = line.first().copied().unwrap_or([0.0; 2]);
            segments.push(PathSegment { from, along: [1.0, 0.0], length: 0.0, start: 0.0 });
        }
        let stations = marks.iter().map(|&k| lengths[k]).collect();
        let area = Area::enclosing(line.iter().copied()).grown(reach);
        let ends = |segment: &PathSegment| [segment.from, add(segment.from, scaled(segment.along, segment.length))];
        let runs = segments.chunks(RUN).map(|run| Area::enclosing(run.iter().flat_map(ends))).collect();
        let mut path = Self {
            segments,
            runs,
            stations,
            reach,
            tolerance: 0.35 * reach,
            area,
            columns: 1,
            per_cell: 0.0,
            ends: Vec::new(),
            near: Vec::new(),
        };
        path.sort_into_cells();
        path
    }

    /// The geometry of the path, for the GPU buffer and for comparisons.
    pub fn outline(&self) -> PathGeometry {
        let mut vertices: Vec<[f64; 3]> = self.segments.iter().map(|c| [c.from[0], c.from[1], c.start]).collect();
        if let Some(last) = self.segments.last() {
            let end = add(last.from, scaled(last.along, last.length));
            vertices.push([end[0], end[1], last.start + last.length]);
        }
        PathGeometry { reach: self.reach, tolerance: self.tolerance, vertices }
    }

    /// The point at arc length `s`, clamped to the path, and the unit direction there.
    pub fn point_at(&self, s: f64) -> (Point, Point) {
        let k = self.segments.partition_point(|segment| segment.start <= s).max(1) - 1;
        let segment = &self.segments[k];
        let t = higher(lower(s - segment.start, segment.length), 0.0);
        (add(segment.from, scaled(segment.along, t)), segment.along)
    }

    /// The vertices of the path, in order.
    pub fn line(&self) -> Vec<Point> {
        let end = self.segments.last().map(|segment| add(segment.from, scaled(segment.along, segment.length)));
        self.segments.iter().map(|segment| segment.from).chain(end).collect()
    }

    /// Stores for every grid cell the runs of segments that can affect points in this cell.
    fn sort_into_cells(&mut self) {
        let side = sub(self.area.high, self.area.low);
        let longest = higher(side[0], side[1]);
        let cell = higher(CELL * self.reach, longest / MOST_CELLS);
        // a few large cells suffice for a short path
        let is_short = self.segments.len() <= SHORT;
        let cells = PER_SEGMENT * self.segments.len() as f64;
        let cell = if is_short { higher(cell, (side[0] * side[1] / cells).sqrt()) } else { cell };
        let count = |k: usize| ((side[k] / cell) as usize + 1).min(MOST_CELLS as usize + 1);
        let (columns, rows) = (count(0), count(1));
        (self.columns, self.per_cell) = (columns, 1.0 / cell);
        let half = cell * std::f64::consts::FRAC_1_SQRT_2 * (1.0 + 1e-9);
        let centre =
            |k: usize| add(self.area.low, [((k % columns) as f64 + 0.5) * cell, ((k / columns) as f64 + 0.5) * cell]);
        // at the edge of the reach, segments up to τ beyond the reach take part in the mean
        let margin = self.reach + self.tolerance + half;
        let each = |run: &Area, see: &mut dyn FnMut(usize, f64)| {
            let around = run.grown(margin);
            let span = |k: usize, n: usize| {
                let place = |at: f64| ((at - self.area.low[k]) * self.per_cell) as usize;
                place(around.low[k])..(place(around.high[k]) + 1).min(n)
            };
            for i in span(1, rows) {
                for j in span(0, columns) {
                    let k = i * columns + j;
                    let square = run.square(centre(k));
                    if square <= margin * margin {
                        see(k, square);
                    }
                }
            }
        };
        // for each cell, an upper bound of the distance from its centre to the line
        let mut nearest = vec![f64::INFINITY; columns * rows];
        for (run, segments) in self.runs.iter().zip(self.segments.chunks(RUN)) {
            each(run, &mut |k, _| {
                for segment in [&segments[0], &segments[segments.len() / 2], &segments[segments.len() - 1]] {
                    let way = segment.nearest_on_segment(centre(k)).1;
                    nearest[k] = lower(nearest[k], dot(way, way));
                }
            });
        }
        let mut farthest: Vec<f64> = nearest.iter().map(|square| square.sqrt() + 2.0 * half + self.tolerance).collect();
        farthest.iter_mut().for_each(|d| *d *= *d);
        let mut met = Vec::new();
        for (index, run) in self.runs.iter().enumerate() {
            each(run, &mut |k, square| {
                if square <= farthest[k] {
                    met.push((k as u32, index as u16));
                }
            });
        }
        // counting sort by cell, which keeps the runs of a cell in order
        self.ends = vec![0; columns * rows];
        met.iter().for_each(|(k, _)| self.ends[*k as usize] += 1);
        let mut end = 0;
        for count in &mut self.ends {
            end += *count;
            *count = end - *count;
        }
        self.near = vec![0; met.len()];
        for (k, run) in met {
            let place = &mut self.ends[k as usize];
            self.near[*place as usize] = run;
            *place += 1;
        }
    }

    /// Indices of all runs of segments that can affect `p`; the list can also contain runs that do not affect `p`.
    #[inline]
    fn candidates(&self, p: Point) -> &[u16] {
        if !self.area.contains(p) {
            return &[];
        }
        let place = |k: usize| ((p[k] - self.area.low[k]) * self.per_cell) as usize;
        let (i, j) = (place(1), place(0).min(self.columns - 1));
        let k = (i * self.columns + j).min(self.ends.len() - 1);
        let first = if k == 0 { 0 } else { self.ends[k - 1] as usize };
        &self.near[first..self.ends[k] as usize]
    }

    /// The segments of a run.
    #[inline]
    fn run(&self, index: u16) -> &[PathSegment] {
        let from = usize::from(index) * RUN;
        &self.segments[from..(from + RUN).min(self.segments.len())]
    }

    /// Position of `p` relative to the path; `None` if `p` is farther away than the reach.
    #[inline]
    pub fn nearest_point<const G: bool>(&self, p: Point) -> Option<NearestPoint> {
        let candidates = self.candidates(p);
        let mut nearest = f64::INFINITY;
        for &index in candidates {
            if self.runs[usize::from(index)].square(p) < nearest {
                for segment in self.run(index) {
                    let from_foot = segment.nearest_on_segment(p).1;
                    nearest = lower(nearest, dot(from_foot, from_foot));
                }
            }
        }
        let distance = nearest.sqrt();
        if distance >= self.reach {
            return None;
        }
        let farthest = distance + self.tolerance;
        let mut sum = 0.0;
        let mut near = NearestPoint { distance, ..NearestPoint::default() };
        // sums of ∇w, ∇(w s), ∇(w o); the part of each sum that is proportional to ∇d is stored separately in `turn`
        let (mut dsum, mut turn) = ([[0.0; 2]; 3], [0.0; 3]);
        let mut first = true;
        let counts = |index: &&u16| self.runs[usize::from(**index)].square(p) < farthest * farthest;
        for segment in candidates.iter().filter(counts).flat_map(|&index| self.run(index)) {
            let (t, from_foot) = segment.nearest_on_segment(p);
            let square = dot(from_foot, from_foot);
            if square >= farthest * farthest {
                continue;
            }
            let d = square.sqrt();
            let x = (d - distance) / self.tolerance;
            let part = 1.0 - x * x;
            let (w, s, o) = (part * part, segment.start + t, cross(segment.along, from_foot));
            sum += w;
            near.along += w * s;
            near.offset += w * o;
            if G {
                let inside = t > 0.0 && t < segment.length;
                let unit = if d > 0.0 { scaled(from_foot, 1.0 / d) } else { [0.0; 2] };
                if first && square == nearest {
                    near.ddistance = unit;
                    first = false;
                }
                let dw = -4.0 * x * part / self.tolerance;
                for (k, value) in [1.0, s, o].into_iter().enumerate() {
                    dsum[k] = add(dsum[k], scaled(unit, dw * value));
                    turn[k] -= dw * value;
                }
                if inside {
                    dsum[1] = add(dsum[1], scaled(segment.along, w));
                }
                // the offset o is measured from the infinite line, even beyond the ends of the segment
                dsum[2] = add(dsum[2], scaled([-segment.along[1], segment.along[0]], w));
            }
        }
        let per_sum = 1.0 / sum;
        near.along *= per_sum;
        near.offset *= per_sum;
        if G {
            let full = |k: usize| add(dsum[k], scaled(near.ddistance, turn[k]));
            let dw = full(0);
            near.dalong = scaled(sub(full(1), scaled(dw, near.along)), per_sum);
            near.doffset = scaled(sub(full(2), scaled(dw, near.offset)), per_sum);
        }
        Some(near)
    }

    /// Bounds of [`nearest_point`](Self::nearest_point) over the capsule; `None` if the whole capsule is farther away
    /// than the reach. A long capsule is divided into parts, because fewer segments affect each part.
    pub fn nearest_bounds(&self, capsule: &Capsule) -> Option<NearestBounds> {
        let span = sub(capsule.to, capsule.from);
        let parts = ((length(span) / (0.6 * self.tolerance)) as usize + 1).min(MOST_PARTS);
        let mut all: Option<NearestBounds> = None;
        let mut leaves = false;
        for k in 0..parts {
            let at = |k: usize| add(capsule.from, scaled(span, k as f64 / parts as f64));
            let part = Capsule { from: at(k), to: at(k + 1), pad: capsule.pad };
            match self.nearest_bounds_of_part(&part) {
                Some(one) => all = Some(all.map_or(one, |all| all.union(&one))),
                None => leaves = true,
            }
        }
        let mut all = all?;
        if leaves {
            // parts farther away than the reach have no weight, so the bound of their distance need not be exact
            all.distance = all.distance.union(Interval::one(self.reach));
        }
        Some(all)
    }

    /// Distance from `p` to the nearest segment, and the vector from the nearest point of the segment to `p`.
    fn nearest(&self, p: Point) -> (f64, Point) {
        let (mut nearest, mut foot) = (f64::INFINITY, [0.0; 2]);
        for (run, segments) in self.runs.iter().zip(self.segments.chunks(RUN)) {
            if run.square(p) < nearest {
                for segment in segments {
                    let from_foot = segment.nearest_on_segment(p).1;
                    let square = dot(from_foot, from_foot);
                    if square < nearest {
                        (nearest, foot) = (square, from_foot);
                    }
                }
            }
        }
        (nearest.sqrt(), foot)
    }

    /// [`nearest`](Self::nearest), found through the grid cells; `None` if all segments are farther away than the reach
    /// plus τ.
    fn nearest_in_cell(&self, p: Point) -> Option<(f64, Point)> {
        let (mut nearest, mut foot) = (f64::INFINITY, [0.0; 2]);
        for &index in self.candidates(p) {
            if self.runs[usize::from(index)].square(p) >= nearest {
                continue;
            }
            for segment in self.run(index) {
                let from_foot = segment.nearest_on_segment(p).1;
                let square = dot(from_foot, from_foot);
                if square < nearest {
                    (nearest, foot) = (square, from_foot);
                }
            }
        }
        // segments that are not stored in the cell are farther away than this distance
        let nearest = nearest.sqrt();
        (nearest <= self.reach + self.tolerance).then_some((nearest, foot))
    }

    fn nearest_bounds_of_part(&self, capsule: &Capsule) -> Option<NearestBounds> {
        let (middle, r) = (capsule.middle(), capsule.radius() * (1.0 + 1e-9));
        if !self.area.meets(&Area::centred(middle, r)) {
            return None;
        }
        let found = if self.area.contains(middle) { self.nearest_in_cell(middle) } else { Some(self.nearest(middle)) };
        let (nearest, foot) = match found {
            Some(found) => found,
            None if r <= self.tolerance => return None,
            None => self.nearest(middle),
        };
        if nearest - r >= self.reach {
            return None;
        }
        let window = nearest + self.tolerance + 2.0 * r;
        let (mut along, mut offset) = (Interval::EMPTY, Interval::EMPTY);
        // bound of Σ |∇w| over the segments that can take part in the mean, and the minimum of Σ w
        let (mut turning, mut sum, mut count) = (0.0, 0.0, 0);
        let square = window * window * (1.0 + 1e-9);
        let near = self.runs.iter().zip(self.segments.chunks(RUN)).filter(|(run, _)| run.square(middle) <= square);
        for segment in near.flat_map(|(_, segments)| segments) {
            let (t, from_foot) = segment.nearest_on_segment(middle);
            let d = length(from_foot);
            if d > window {
                continue;
            }
            count += 1;
            let x = Interval::new(
                higher((d - nearest - 2.0 * r) / self.tolerance, 0.0),
                lower((d - nearest + 2.0 * r) / self.tolerance, 1.0),
            );
            let part = 1.0 - x.high * x.high;
            sum += part * part;
            let steepest = lower(higher(0.577_350_269_189_625_8, x.low), x.high);
            // the directions from two nearest points to one point differ by at most the distance between those points
            let apart = length(sub(from_foot, foot)) + 2.0 * r;
            let far = d + nearest - 2.0 * r;
            let turn = if far > apart { 2.0 * apart / far } else { 2.0 };
            turning += 4.0 * steepest * (1.0 - steepest * steepest) / self.tolerance * turn;
            let s = Interval::new(segment.start + higher(t - r, 0.0), segment.start + lower(t + r, segment.length));
            along = along.union(s);
            offset = offset.union(Interval::centred(cross(segment.along, from_foot), r));
        }
        // a single segment is not averaged
        let mixing = if count > 1 { turning / higher(1.0, sum) * (1.0 + 1e-9) } else { 0.0 };
        let distance = Interval::new(higher(nearest - r, 0.0), nearest + r);
        Some(NearestBounds {
            distance,
            along: along.widened_for_rounding(),
            offset: offset.widened_for_rounding(),
            dalong: 1.0 + mixing * (along.high - along.low),
            doffset: 1.0 + mixing * (offset.high - offset.low),
            is_mixed: count > 1,
        })
    }
}

impl NearestBounds {
    fn union(&self, other: &Self) -> Self {
        Self {
            distance: self.distance.union(other.distance),
            along: self.along.union(other.along),
            offset: self.offset.union(other.offset),
            dalong: higher(self.dalong, other.dalong),
            doffset: higher(self.doffset, other.doffset),
            is_mixed: self.is_mixed || other.is_mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hairpin() -> Path {
        let points = [[0.0, 0.0], [400.0, 20.0], [480.0, 80.0], [400.0, 140.0], [0.0, 160.0]];
        Path::new(&points, CurveFit::Through, 0.0, 120.0)
    }

    #[test]
    fn the_mean_never_jumps_between_the_legs() {
        let path = hairpin();
        let mut last: Option<NearestPoint> = None;
        for k in 0..=4000 {
            let p = [150.0, f64::from(k) * 0.04];
            let near = path.nearest_point::<true>(p).unwrap();
            if let Some(last) = last {
                let bound = path.nearest_bounds(&Capsule::segment([150.0, p[1] - 0.04], p)).unwrap();
                assert!((near.along - last.along).abs() <= bound.dalong * 0.04 + 1e-9);
                assert!((near.offset - last.offset).abs() <= bound.doffset * 0.04 + 1e-9);
                assert!(bound.along.low <= near.along && near.along <= bound.along.high);
            }
            last = Some(near);
        }
    }

    #[test]
    fn gradients_are_those_of_the_means() {
        let path = hairpin();
        let e = 1e-5;
        let mut kinks = 0;
        for k in 0..2000 {
            let p = [f64::from(k % 53) * 9.1 - 20.0, f64::from(k % 97) * 2.3 - 40.0];
            let Some(near) = path.nearest_point::<true>(p) else { continue };
            for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                let (Some(a), Some(b)) =
                    (path.nearest_point::<false>(add(p, step)), path.nearest_point::<false>(sub(p, step)))
                else {
                    continue;
                };
                let error = |x: f64, y: f64, g: f64| ((x - y) / (2.0 * e) - g).abs();
                let worst = error(a.along, b.along, near.dalong[axis])
                    + error(a.offset, b.offset, near.doffset[axis])
                    + error(a.distance, b.distance, near.ddistance[axis]);
                kinks += usize::from(worst > 1e-3);
            }
        }
        assert!(kinks < 20, "{kinks}");
    }

    #[test]
    fn roads_lose_their_corners_and_keep_their_ends() {
        let points = [[0.0, 0.0], [500.0, 0.0], [500.0, 500.0], [1000.0, 500.0]];
        let eased = Path::new(&points, CurveFit::Straight, 150.0, 50.0);
        let ends =
            (eased.segments[0].from, eased.segments.last().map(|c| add(c.from, scaled(c.along, c.length))).unwrap());
        assert!(length(sub(ends.0, points[0])) < 1e-9 && length(sub(ends.1, points[3])) < 1e-6, "{ends:?}");
        // the curvature of an eased path changes gradually: no segment turns by more than a few degrees from the
        // previous segment
        let sharpest = eased.segments.windows(2).map(|c| cross(c[0].along, c[1].along).abs()).fold(0.0, higher);
        assert!(sharpest < 0.2, "{sharpest}");
        let corner =
            eased.segments.iter().map(|c| length(c.nearest_on_segment([500.0, 0.0]).1)).fold(f64::INFINITY, lower);
        assert!(corner > 5.0 && corner < 120.0, "{corner}");
    }
}
