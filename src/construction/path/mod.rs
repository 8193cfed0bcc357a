//! Curves on the ground plan: through points or near them, smoothed like roads, and how far a place is along and beside
//! them.
//!
//! Law: cubic pieces (Catmull & Rom 1974, as Béziers) or quadratic ones (between the middles of the sides), cut into
//! segments whose distance from the curve is below a thousandth of the reach. A place knows its distance d from the
//! nearest segment; its arc length s and its offset o to the right are means over all segments that are nearly as near,
//! s = Σ wₖ sₖ / Σ wₖ with wₖ = (1 - ((dₖ - d)/τ)²)². Between two legs of a hairpin the nearest point jumps; the mean
//! goes over from one leg to the other within τ, and what is built on s and o keeps the Lipschitz property that the
//! document asks for.
//! Roads: the heading as a function of the arc length is averaged over a length twice, which turns corners and circular
//! arcs into clothoids (curvature in proportion to the length); the drift at the end is taken back evenly.
//! Lipschitz: d, sₖ and oₖ change by no more than the way, wₖ by 8/(3√3)/τ of the change of dₖ - d.
//! Source: document 004, §4.1 and fig. 6; Catmull & Rom 1974.

use super::plane::{Area, Capsule, Interval, Point, add, cross, dot, higher, length, lower, scaled, sub};

crate::choices! {
    /// How a curve runs between its points.
    CurveFit {
        Through "Through the points": "A smooth curve through every point.",
        Near "Near the points": "A rounder curve that keeps inside the corners.",
        Straight "Straight": "Straight from point to point.",
    }
}

/// Parts of a long way that are looked at by themselves.
const MOST_PARTS: usize = 48;
const MOST_CHORDS: usize = 6000;
/// Segments of a piece at the most.
const MOST_IN_PIECE: usize = 96;
const MOST_CELLS: f64 = 128.0;
/// Side of a cell in reaches, where the path is short enough for it.
const CELL: f64 = 0.3;
/// Segments in one box.
const RUN: usize = 8;

#[derive(Clone, Copy, Debug)]
struct PathSegment {
    from: Point,
    along: Point,
    length: f64,
    /// Arc length at its beginning.
    start: f64,
}

impl PathSegment {
    /// Place on the segment from its beginning, and the way from there to `p`.
    #[inline]
    fn foot(&self, p: Point) -> (f64, Point) {
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

    #[inline]
    fn distance(&self, p: Point) -> f64 {
        length(self.foot(p).1)
    }
}

/// Where a place is beside a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct NearestPoint {
    /// Distance to the path, in metres.
    pub distance: f64,
    /// Arc length from its beginning, in metres.
    pub along: f64,
    /// Offset to the right, in metres; to the left it is below 0.
    pub offset: f64,
    /// Gradient of the distance.
    pub ddistance: Point,
    /// Gradient of the arc length.
    pub dalong: Point,
    /// Gradient of the offset.
    pub doffset: Point,
}

/// The same over a capsule: ranges, and bounds of the gradients.
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
}

/// A path as it is written down.
#[derive(Clone, Debug, PartialEq)]
pub struct PathOutline {
    /// How far from the curve places are asked for.
    pub reach: f64,
    /// τ, in metres: how much farther segments may be that count as nearly as near.
    pub tolerance: f64,
    /// x, y and arc length; segments run from one to the next.
    pub vertices: Vec<[f64; 3]>,
}

/// A curve ready to be asked.
#[derive(Clone, Debug)]
pub struct Path {
    segments: Vec<PathSegment>,
    /// Boxes around [`RUN`] segments each.
    runs: Vec<Area>,
    /// Arc length at the given points.
    pub stations: Vec<f64>,
    reach: f64,
    /// How much farther than the nearest a segment may be and still count: τ.
    tolerance: f64,
    /// Box around all places that are asked for.
    pub area: Area,
    columns: usize,
    per_cell: f64,
    /// For every cell the end of its segments in `near`.
    ends: Vec<u32>,
    near: Vec<u16>,
}

impl Path {
    /// `reach` is how far from the curve places are asked for; `smoothing` a length of arc.
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

    /// What it is made of.
    pub fn outline(&self) -> PathOutline {
        let mut vertices: Vec<[f64; 3]> = self.segments.iter().map(|c| [c.from[0], c.from[1], c.start]).collect();
        if let Some(last) = self.segments.last() {
            let end = add(last.from, scaled(last.along, last.length));
            vertices.push([end[0], end[1], last.start + last.length]);
        }
        PathOutline { reach: self.reach, tolerance: self.tolerance, vertices }
    }

    /// The line as it runs, from segment to segment.
    pub fn line(&self) -> Vec<Point> {
        let end = self.segments.last().map(|segment| add(segment.from, scaled(segment.along, segment.length)));
        self.segments.iter().map(|segment| segment.from).chain(end).collect()
    }

    fn sort_into_cells(&mut self) {
        let side = sub(self.area.high, self.area.low);
        let longest = higher(side[0], side[1]);
        let cell = higher(CELL * self.reach, longest / MOST_CELLS);
        let count = |k: usize| ((side[k] / cell) as usize + 1).min(MOST_CELLS as usize + 1);
        let (columns, rows) = (count(0), count(1));
        (self.columns, self.per_cell) = (columns, 1.0 / cell);
        let half = cell * std::f64::consts::FRAC_1_SQRT_2 * (1.0 + 1e-9);
        let centre =
            |k: usize| add(self.area.low, [((k % columns) as f64 + 0.5) * cell, ((k / columns) as f64 + 0.5) * cell]);
        // at the rim segments count that are out of reach themselves
        let margin = self.reach + self.tolerance + half;
        let each = |segment: &PathSegment, see: &mut dyn FnMut(usize, f64)| {
            let around =
                Area::enclosing([segment.from, add(segment.from, scaled(segment.along, segment.length))]).grown(margin);
            let span = |k: usize, n: usize| {
                let place = |at: f64| ((at - self.area.low[k]) * self.per_cell) as usize;
                place(around.low[k])..(place(around.high[k]) + 1).min(n)
            };
            for i in span(1, rows) {
                for j in span(0, columns) {
                    let k = i * columns + j;
                    let d = segment.distance(centre(k));
                    if d <= margin {
                        see(k, d);
                    }
                }
            }
        };
        let mut nearest = vec![f64::INFINITY; columns * rows];
        for segment in &self.segments {
            each(segment, &mut |k, d| nearest[k] = lower(nearest[k], d));
        }
        let mut lists: Vec<Vec<u16>> = vec![Vec::new(); columns * rows];
        for (index, segment) in self.segments.iter().enumerate() {
            each(segment, &mut |k, d| {
                if d <= nearest[k] + 2.0 * half + self.tolerance {
                    lists[k].push(index as u16);
                }
            });
        }
        for list in lists {
            self.near.extend(list);
            self.ends.push(self.near.len() as u32);
        }
    }

    /// The segments that count at `p`, and perhaps more.
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

    /// Where `p` is, if within reach.
    #[inline]
    pub fn nearest_point<const G: bool>(&self, p: Point) -> Option<NearestPoint> {
        let candidates = self.candidates(p);
        let mut nearest = f64::INFINITY;
        for &k in candidates {
            let from_foot = self.segments[k as usize].foot(p).1;
            nearest = lower(nearest, dot(from_foot, from_foot));
        }
        let distance = nearest.sqrt();
        if distance >= self.reach {
            return None;
        }
        let farthest = distance + self.tolerance;
        let mut sum = 0.0;
        let mut near = NearestPoint { distance, ..NearestPoint::default() };
        // sums of ∇w, ∇(w s), ∇(w o), each with a part that turns with ∇d
        let (mut dsum, mut turn) = ([[0.0; 2]; 3], [0.0; 3]);
        let mut first = true;
        for &k in candidates {
            let segment = &self.segments[k as usize];
            let (t, from_foot) = segment.foot(p);
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
                // o is the distance from the whole line, beyond the ends as well
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

    /// What [`nearest_point`](Self::nearest_point) says anywhere on the capsule; `None` where all of it is out of
    /// reach. Long ways are looked at in parts: over each of them the segments that count are few.
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
            // parts out of reach have no weight, whatever their distance
            all.distance = all.distance.union(Interval::one(self.reach));
        }
        Some(all)
    }

    /// Distance from the nearest segment, and the way from its foot.
    fn nearest(&self, p: Point) -> (f64, Point) {
        let (mut nearest, mut foot) = (f64::INFINITY, [0.0; 2]);
        for (run, segments) in self.runs.iter().zip(self.segments.chunks(RUN)) {
            if run.square(p) < nearest {
                for segment in segments {
                    let from_foot = segment.foot(p).1;
                    let square = dot(from_foot, from_foot);
                    if square < nearest {
                        (nearest, foot) = (square, from_foot);
                    }
                }
            }
        }
        (nearest.sqrt(), foot)
    }

    /// [`nearest`](Self::nearest) by the cells; `None` where all segments are farther than the reach and τ.
    fn nearest_in_cell(&self, p: Point) -> Option<(f64, Point)> {
        let (mut nearest, mut foot) = (f64::INFINITY, [0.0; 2]);
        for &k in self.candidates(p) {
            let from_foot = self.segments[k as usize].foot(p).1;
            let square = dot(from_foot, from_foot);
            if square < nearest {
                (nearest, foot) = (square, from_foot);
            }
        }
        // a cell that misses a nearer segment is farther from it than that
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
        // Σ |∇w| over the segments that may count, and the least Σ w
        let (mut turning, mut sum, mut count) = (0.0, 0.0, 0);
        let square = window * window * (1.0 + 1e-9);
        let near = self.runs.iter().zip(self.segments.chunks(RUN)).filter(|(run, _)| run.square(middle) <= square);
        for segment in near.flat_map(|(_, segments)| segments) {
            let (t, from_foot) = segment.foot(middle);
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
            // two ways from one place differ in direction by no more than their feet lie apart
            let apart = length(sub(from_foot, foot)) + 2.0 * r;
            let far = d + nearest - 2.0 * r;
            let turn = if far > apart { 2.0 * apart / far } else { 2.0 };
            turning += 4.0 * steepest * (1.0 - steepest * steepest) / self.tolerance * turn;
            let s = Interval::new(segment.start + higher(t - r, 0.0), segment.start + lower(t + r, segment.length));
            along = along.union(s);
            offset = offset.union(Interval::centred(cross(segment.along, from_foot), r));
        }
        // one segment alone is not mixed
        let mixing = if count > 1 { turning / higher(1.0, sum) * (1.0 + 1e-9) } else { 0.0 };
        let distance = Interval::new(higher(nearest - r, 0.0), nearest + r);
        Some(NearestBounds {
            distance,
            along: along.loosened(),
            offset: offset.loosened(),
            dalong: 1.0 + mixing * (along.high - along.low),
            doffset: 1.0 + mixing * (offset.high - offset.low),
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
        }
    }
}

/// Segments of the curve, and the indices of the given points among their ends.
fn flatten(points: &[Point], run: CurveFit, reach: f64) -> (Vec<Point>, Vec<usize>) {
    let n = points.len();
    if n < 3 || run == CurveFit::Straight {
        return (points.to_vec(), (0..n).collect());
    }
    let tolerance = higher(reach * 1e-3, 1e-3);
    let room = (MOST_CHORDS / n).clamp(1, MOST_IN_PIECE);
    let mut line = vec![points[0]];
    let mut marks = vec![0];
    let piece = |b: [Point; 4], line: &mut Vec<Point>| {
        // a cubic strays from its segment by no more than a quarter of its greatest second difference, divided by the
        // square of the number of segments
        let bend = |k: usize| length(add(sub(b[k], scaled(b[k + 1], 2.0)), b[k + 2]));
        let segments = (0.75 * higher(bend(0), bend(1)) / tolerance).sqrt() as usize + 1;
        let segments = segments.min(room);
        for k in 1..=segments {
            let t = k as f64 / segments as f64;
            let mix = |a: Point, b: Point| add(scaled(a, 1.0 - t), scaled(b, t));
            let (p, q, r) = (mix(b[0], b[1]), mix(b[1], b[2]), mix(b[2], b[3]));
            line.push(mix(mix(p, q), mix(q, r)));
        }
    };
    for k in 0..n - 1 {
        let (a, b) = (points[k], points[k + 1]);
        match run {
            CurveFit::Near => {
                // half a side of a quadratic before and after every inner point
                let middle = |a: Point, b: Point| scaled(add(a, b), 0.5);
                let start = middle(a, b);
                if k == 0 {
                    line.push(start);
                }
                if k + 2 < n {
                    let to = middle(b, points[k + 2]);
                    let third = |end: Point| add(scaled(end, 1.0 / 3.0), scaled(b, 2.0 / 3.0));
                    let before = line.len();
                    piece([start, third(start), third(to), to], &mut line);
                    marks.push(usize::midpoint(before, line.len()));
                } else {
                    line.push(b);
                    marks.push(line.len() - 1);
                }
            }
            _ => {
                let before = if k > 0 { points[k - 1] } else { sub(scaled(a, 2.0), b) };
                let after = if k + 2 < n { points[k + 2] } else { sub(scaled(b, 2.0), a) };
                // tangents no longer than the side: no loops where points are unevenly spaced
                let side = length(sub(b, a));
                let held = |v: Point| {
                    let long = length(v);
                    if long > 2.0 * side && long > 0.0 { scaled(v, 2.0 * side / long) } else { v }
                };
                let (ta, tb) = (held(sub(b, before)), held(sub(after, a)));
                piece([a, add(a, scaled(ta, 1.0 / 6.0)), sub(b, scaled(tb, 1.0 / 6.0)), b], &mut line);
                marks.push(line.len() - 1);
            }
        }
    }
    (line, marks)
}

/// The corners of a closed line through `points`, exact to a thousandth of `wide`, and the indices of the given points
/// among them.
pub fn closed_line(points: &[Point], run: CurveFit, wide: f64) -> (Vec<Point>, Vec<usize>) {
    let n = points.len();
    if n < 3 || run == CurveFit::Straight {
        return (points.to_vec(), (0..n).collect());
    }
    // once around, with a point more on both sides: the curve knows its neighbours there
    let around: Vec<Point> = (0..n + 3).map(|k| points[(k + n - 1) % n]).collect();
    let (line, marks) = flatten(&around, CurveFit::Through, wide);
    (line[marks[1]..marks[n + 1]].to_vec(), marks[1..=n].iter().map(|mark| mark - marks[1]).collect())
}

/// The line with its heading averaged over `over` of arc length, twice.
fn eased(line: &[Point], marks: &[usize], over: f64) -> (Vec<Point>, Vec<usize>) {
    let mut at = vec![0.0];
    for ends in line.windows(2) {
        at.push(at[at.len() - 1] + length(sub(ends[1], ends[0])));
    }
    let total = at[at.len() - 1];
    if total <= 0.0 {
        return (line.to_vec(), marks.to_vec());
    }
    // a window longer than a third of the road would straighten it
    let over = lower(over, total / 3.0);
    let count = ((total / over * 12.0) as usize).clamp(32, MOST_CHORDS / 2);
    let step = total / count as f64;
    let mut heading = Vec::with_capacity(count);
    let (mut k, mut turned, mut last) = (0, 0.0, None::<f64>);
    for i in 0..count {
        let s = (i as f64 + 0.5) * step;
        while k + 2 < at.len() && at[k + 1] < s {
            k += 1;
        }
        let step = sub(line[k + 1], line[k]);
        let angle = libm::atan2(step[1], step[0]);
        if let Some(last) = last {
            let mut by = angle - last;
            while by > std::f64::consts::PI {
                by -= std::f64::consts::TAU;
            }
            while by < -std::f64::consts::PI {
                by += std::f64::consts::TAU;
            }
            turned += by;
        } else {
            turned = angle;
        }
        last = Some(angle);
        heading.push(turned);
    }
    let half = ((over / step * 0.5) as usize).max(1);
    for _ in 0..2 {
        let given = heading.clone();
        for (i, h) in heading.iter_mut().enumerate() {
            // a narrower window at the ends keeps their headings
            let by = half.min(i).min(count - 1 - i);
            *h = given[i - by..=i + by].iter().sum::<f64>() / (2 * by + 1) as f64;
        }
    }
    let mut made = vec![line[0]];
    for h in &heading {
        let last = made[made.len() - 1];
        made.push(add(last, [step * libm::cos(*h), step * libm::sin(*h)]));
    }
    let stations: Vec<usize> = marks.iter().map(|&m| ((at[m] / step + 0.5) as usize).min(count)).collect();
    // a rounded corner is shorter: half-way between the given points the road comes back to where it was
    let place = |s: f64| {
        let k = at.partition_point(|&a| a <= s).clamp(1, at.len() - 1) - 1;
        let long = at[k + 1] - at[k];
        let t = if long > 0.0 { (s - at[k]) / long } else { 0.0 };
        add(scaled(line[k], 1.0 - t), scaled(line[k + 1], t))
    };
    let halves = stations.windows(2).map(|s| usize::midpoint(s[0], s[1])).filter(|&i| i > 0 && i < count);
    let mut knots: Vec<usize> = std::iter::once(0).chain(halves).chain([count]).collect();
    knots.dedup();
    let drift = |axis: usize| {
        let points: Vec<(f64, f64)> =
            knots.iter().map(|&i| (i as f64, place(i as f64 * step)[axis] - made[i][axis])).collect();
        super::profile::MonotoneCubic::from_points(&points)
    };
    let (x, y) = (drift(0), drift(1));
    for (i, p) in made.iter_mut().enumerate() {
        *p = add(*p, [x.sample(i as f64).0, y.sample(i as f64).0]);
    }
    (made, stations)
}

#[cfg(test)]
mod tests;
