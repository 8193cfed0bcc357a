//! Curves in the horizontal plane: they run through or near points and can be eased like roads. For any point near a
//! curve, this module returns the arc length and the offset relative to the curve.
//!
//! Definition: a curve consists of cubic pieces (Catmull & Rom 1974, as Béziers) or of quadratic pieces between the
//! midpoints of the sides. These pieces are divided into arcs, see `segment`, that share their normals. The nearest
//! point q of the curve, its arc length s and the distance d are those of the nearest arc. The offset o is d with the
//! sign of the side: positive to the right. Beyond the ends of the curve, o is the offset from the end's tangent.
//!
//! Let ρ be the radius of the largest circle that touches the curve at q, from the side of the given point, and that
//! meets no other part of the curve. Where d = ρ, two points of the curve are equally near, as between the legs of a
//! hairpin bend, and s jumps. There s is a weighted mean s̃ over all arcs within 1.35 d. It is s̃ = Σ wₖ sₖ / Σ wₖ with
//! the weights wₖ = (1 - ((dₖ - d)/τ)²)² and τ = 0.35 d. Here dₖ is the distance to the chord of arc k, and sₖ is the
//! arc length of the nearest point of this chord. Up to d = 0.75 ρ, s is exact; from d = 0.95 ρ on, s = s̃; between,
//! s changes smoothly.
//! Functions of s and o therefore keep the Lipschitz property that the paper requires.
//! Roads: the heading as a function of arc length is averaged twice over a given length. This turns corners and
//! circular arcs into clothoids (curvature proportional to arc length). The resulting shift of the end point is then
//! distributed smoothly along the road.
//! Lipschitz: up to d = 0.75 ρ, s changes by at most 1 / (1 - d/ρ) times the distance that the point moves, and o by
//! that distance. Elsewhere the bound adds the changes of the weights and of the transition.
//! Source: Génevaux et al. 2014, §4.1 and fig. 6; Catmull & Rom 1974.

mod bounds;

pub use super::line::closed_line;
use super::line::eased;
pub(crate) use super::line::flatten;
use super::plane::{Area, Interval, Point, add, cross, dot, higher, length, lower, scaled, smooth, sub};
use super::room::with_room;
use super::segment::{PathFoot, PathSegment, vertices_of};

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
/// τ as a fraction of the distance: chords up to τ farther away than the curve take part in the mean.
const WINDOW: f64 = 0.35;
/// Fractions of the radius ρ between which the nearest point turns into the mean.
const EXACT: f64 = 0.75;
const MEAN: f64 = 0.95;
/// Maximum number of segments of a path.
const MOST_SEGMENTS: usize = 16_000;

/// Position of a point relative to a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct NearestPoint {
    /// Distance to the path, in metres.
    pub distance: f64,
    /// Arc length from the start of the path, in metres.
    pub along: f64,
    /// Offset to the right, in metres; negative to the left.
    pub offset: f64,
    /// Distance beside the path, in metres: the absolute offset where all parts of the path are on one side.
    pub beside: f64,
    /// Gradient of the distance.
    pub ddistance: Point,
    /// Gradient of the arc length.
    pub dalong: Point,
    /// Gradient of the offset.
    pub doffset: Point,
    /// Gradient of the distance beside the path.
    pub dbeside: Point,
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
    /// Range of the distance beside the path.
    pub beside: Interval,
    /// Bound of the gradient of the arc length.
    pub dalong: f64,
    /// Bound of the gradients of the offset and of the distance beside the path.
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
    /// Position of the vertices; consecutive vertices bound a segment.
    pub vertices: Vec<Point>,
    /// Slopes at the start and at the end of every segment against its chord.
    pub slopes: Vec<[f64; 2]>,
    /// Radii ρ of every segment: on the right at its start and end, then on the left.
    pub rooms: Vec<[f64; 4]>,
    /// Boxes around consecutive segments, and the arc length at the start of each box.
    pub runs: Vec<(Area, f64)>,
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
    /// τ at the maximum distance, in metres.
    tolerance: f64,
    /// Bound of the error with which the gradient of the offset is a unit vector.
    unevenness: f64,
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
        // the arc lengths of the given points do not depend on how the arcs are divided
        let is_smooth = run != CurveFit::Straight || smoothing > 0.0;
        let mut kept: Vec<Point> = Vec::with_capacity(line.len());
        let marks: Vec<usize> = {
            let mut at = Vec::with_capacity(line.len());
            for &p in &line {
                if kept.last().is_none_or(|&last| length(sub(p, last)) > 0.0) {
                    kept.push(p);
                }
                at.push(kept.len() - 1);
            }
            marks.iter().map(|&k| at[k]).collect()
        };
        let (segments, stations) = if kept.len() < 2 {
            let from = kept.first().copied().unwrap_or([0.0; 2]);
            let room = [[f64::INFINITY; 2]; 2];
            let (along, slopes) = ([1.0, 0.0], [0.0; 2]);
            let point = PathSegment { from, along, length: 0.0, start: 0.0, slopes, stretch: 1.0, room };
            (vec![point], vec![0.0; marks.len()])
        } else {
            let vertices = vertices_of(&kept, is_smooth);
            let places: Vec<Point> = marks.iter().map(|&k| kept[k]).collect();
            let segments = with_room(vertices, reach / EXACT * 1.02, reach, MOST_SEGMENTS);
            let mut stations = Vec::with_capacity(places.len());
            let mut k = 0;
            for place in places {
                // dividing pieces keeps the given points as vertices, in their order
                while k < segments.len() && segments[k].from != place {
                    k += 1;
                }
                stations
                    .push(segments.get(k).map_or_else(|| segments[segments.len() - 1].end(), |segment| segment.start));
            }
            (segments, stations)
        };
        let runs: Vec<Area> = segments.chunks(RUN).map(area_of_run).collect();
        let area = runs.iter().copied().fold(Area::EMPTY, Area::union).grown(reach);
        let uneven = |segment: &PathSegment| {
            let [a, b] = segment.slopes;
            let steepest = higher(a.abs(), b.abs());
            0.75 * (a + b).abs() + steepest * steepest
        };
        let unevenness = 2.5 * segments.iter().map(uneven).fold(0.0, higher);
        let mut path = Self {
            segments,
            runs,
            stations,
            reach,
            tolerance: WINDOW * reach,
            unevenness,
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
        let starts = self.segments.iter().step_by(RUN).map(|segment| segment.start);
        let radii = |segment: &PathSegment| {
            let [[a, b], [c, d]] = segment.room;
            [a, b, c, d].map(|room| lower(room, 1e9))
        };
        PathGeometry {
            reach: self.reach,
            vertices: self.line(),
            slopes: self.segments.iter().map(|segment| segment.slopes).collect(),
            rooms: self.segments.iter().map(radii).collect(),
            runs: self.runs.iter().copied().zip(starts).collect(),
        }
    }

    /// The point at arc length `s`, clamped to the path, and the unit direction there.
    pub fn point_at(&self, s: f64) -> (Point, Point) {
        let k = self.segments.partition_point(|segment| segment.start <= s).max(1) - 1;
        let segment = &self.segments[k];
        let t = higher(lower((s - segment.start) / segment.stretch, segment.length), 0.0);
        if segment.length <= 0.0 {
            return (segment.from, segment.along);
        }
        (segment.point(t), segment.direction(t))
    }

    /// Length of the path, in metres.
    fn total(&self) -> f64 {
        self.segments.last().map_or(0.0, PathSegment::end)
    }

    /// The vertices of the path, in order.
    pub fn line(&self) -> Vec<Point> {
        let end = self.segments.last().map(PathSegment::chord_end);
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
                    let way = segment.nearest(centre(k)).away;
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
    fn run(&self, index: usize) -> &[PathSegment] {
        let from = index * RUN;
        &self.segments[from..(from + RUN).min(self.segments.len())]
    }

    /// Position of `p` relative to the path; `None` if `p` is farther away than the reach.
    #[inline]
    pub fn nearest_point<const G: bool>(&self, p: Point) -> Option<NearestPoint> {
        let candidates = self.candidates(p);
        let (mut nearest, mut found, mut foot) = (f64::INFINITY, 0, PathFoot::default());
        for &index in candidates {
            if self.runs[usize::from(index)].square(p) < nearest {
                for (k, segment) in (usize::from(index) * RUN..).zip(self.run(usize::from(index))) {
                    let own = segment.nearest(p);
                    let square = dot(own.away, own.away);
                    if square < nearest {
                        (nearest, found, foot) = (square, k, own);
                    }
                }
            }
        }
        let foot = self.segments[found].refined(p, foot);
        let distance = dot(foot.away, foot.away).sqrt();
        if nearest.is_infinite() || distance >= self.reach {
            return None;
        }
        let (mut near, room, droom) = self.exact::<G>(found, &foot, distance);
        // the point is inside the circle without other parts of the path
        if distance < EXACT * room || distance <= 0.0 {
            return Some(near);
        }
        self.turn_into_mean::<G>(p, candidates, (room, droom), &mut near);
        Some(near)
    }

    /// The position relative to the nearest point `foot` of segment `found`; and the radius ρ there with its gradient.
    #[inline]
    fn exact<const G: bool>(&self, found: usize, foot: &PathFoot, distance: f64) -> (NearestPoint, f64, Point) {
        let segment = &self.segments[found];
        let (t, away) = (foot.along, foot.away);
        let is_between = foot.is_between && segment.length > 0.0;
        let (rise, slope) = if segment.length > 0.0 { segment.arc(t) } else { (0.0, 0.0) };
        let side = usize::from(foot.beside < rise);
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let (room, droom) = segment.room_at(side, t);
        let along = segment.start + t * segment.stretch;
        let mut near =
            NearestPoint { distance, along, offset: sign * distance, beside: distance, ..NearestPoint::default() };
        let is_start = found == 0 && t <= 0.0;
        let is_end = found + 1 == self.segments.len() && t >= segment.length;
        let is_beyond = is_start || is_end;
        // the slope of the line at the end of the path
        let way = if is_beyond && segment.length > 0.0 { segment.direction(t) } else { segment.along };
        if is_beyond {
            near.offset = cross(way, away);
            near.beside = near.offset.abs();
        }
        let mut dt = [0.0; 2];
        if G {
            let right = segment.right();
            if is_between {
                dt = scaled(add(segment.along, scaled(right, slope)), 1.0 / foot.spread);
            }
            if distance > 0.0 {
                let unit = scaled(away, 1.0 / distance);
                let drift = if is_between { dot(unit, segment.along) + slope * dot(unit, right) } else { 0.0 };
                near.ddistance = sub(unit, scaled(dt, drift));
                near.doffset = scaled(near.ddistance, sign);
                near.dbeside = near.ddistance;
            } else {
                near.doffset = right;
                near.dbeside = right;
            }
            if is_beyond {
                near.doffset = [-way[1], way[0]];
                near.dbeside = if near.offset < 0.0 { scaled(near.doffset, -1.0) } else { near.doffset };
            }
            near.dalong = scaled(dt, segment.stretch);
        }
        (near, room, if is_between { scaled(dt, droom) } else { [0.0; 2] })
    }

    /// Turns the nearest point into a mean over all parts of the path that are almost as near.
    fn turn_into_mean<const G: bool>(
        &self,
        p: Point,
        candidates: &[u16],
        (room, droom): (f64, Point),
        near: &mut NearestPoint,
    ) {
        let d = near.distance;
        let x = if room > 0.0 { (d / room - EXACT) / (MEAN - EXACT) } else { 1.0 };
        let (share, dshare) = smooth(x);
        let farthest = d * (1.0 + WINDOW);
        let (mut sum, mut along, mut side) = (0.0, 0.0, 0.0);
        // sums of ∇w, ∇(w s) and ∇(w o/d)
        let mut dsum = [[0.0; 2]; 3];
        let counts = |index: &&u16| self.runs[usize::from(**index)].square(p) < farthest * farthest;
        for segment in candidates.iter().filter(counts).flat_map(|&index| self.run(usize::from(index))) {
            let (t, away) = segment.nearest_on_chord(p);
            let square = dot(away, away);
            if square >= farthest * farthest || square <= 0.0 {
                continue;
            }
            let own = square.sqrt();
            let x = higher(own / d - 1.0, 0.0) / WINDOW;
            let part = 1.0 - x * x;
            let (w, s) = (part * part, segment.start + t * segment.stretch);
            let o = cross(segment.along, away) / own;
            sum += w;
            along += w * s;
            side += w * o;
            if G {
                let unit = scaled(away, 1.0 / own);
                let dx = if x > 0.0 {
                    scaled(sub(unit, scaled(near.ddistance, own / d)), 1.0 / (d * WINDOW))
                } else {
                    [0.0; 2]
                };
                let dw = scaled(dx, -4.0 * x * part);
                let is_between = t > 0.0 && t < segment.length;
                let ds = if is_between { scaled(segment.along, segment.stretch) } else { [0.0; 2] };
                let dside =
                    if is_between { [0.0; 2] } else { scaled(sub(segment.right(), scaled(unit, o)), 1.0 / own) };
                for (k, (value, change)) in [(1.0, [0.0; 2]), (s, ds), (o, dside)].into_iter().enumerate() {
                    dsum[k] = add(dsum[k], add(scaled(dw, value), scaled(change, w)));
                }
            }
        }
        if sum <= 0.0 {
            return;
        }
        let per_sum = 1.0 / sum;
        let (s, mean) = (along * per_sum, side * per_sum);
        // chords at the edge of the window are seen at an angle: a path that is all on one side counts fully
        let limited = (mean * (1.0 + WINDOW)).clamp(-1.0, 1.0);
        if G {
            let ds = scaled(sub(dsum[1], scaled(dsum[0], s)), per_sum);
            let dside = if limited.abs() < 1.0 {
                scaled(sub(dsum[2], scaled(dsum[0], mean)), per_sum * (1.0 + WINDOW))
            } else {
                [0.0; 2]
            };
            let turn = if room > 0.0 {
                let dx = sub(scaled(near.ddistance, 1.0 / room), scaled(droom, d / (room * room)));
                scaled(dx, dshare / (MEAN - EXACT))
            } else {
                [0.0; 2]
            };
            let mixed = |own: Point, value: f64, other: Point, with: f64| {
                add(add(own, scaled(sub(other, own), share)), scaled(turn, with - value))
            };
            let other = add(scaled(near.ddistance, limited), scaled(dside, d));
            near.doffset = mixed(near.doffset, near.offset, other, d * limited);
            near.dbeside = mixed(near.dbeside, near.beside, near.ddistance, d);
            near.dalong = mixed(near.dalong, near.along, ds, s);
        }
        near.along += share * (s - near.along);
        near.offset += share * (d * limited - near.offset);
        near.beside += share * (d - near.beside);
    }
}

/// The box of a run of segments, with their arcs.
fn area_of_run(run: &[PathSegment]) -> Area {
    let ends = run.iter().flat_map(|segment| [segment.from, segment.chord_end()]);
    Area::enclosing(ends).grown(run.iter().map(PathSegment::bulge).fold(0.0, higher))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::plane::Capsule;

    fn hairpin() -> Path {
        let points = [[0.0, 0.0], [400.0, 20.0], [480.0, 80.0], [400.0, 140.0], [0.0, 160.0]];
        Path::new(&points, CurveFit::Through, 0.0, 120.0)
    }

    #[test]
    fn arc_lengths_never_jump_between_the_legs() {
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
    fn gradients_match_differences() {
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
                    + error(a.beside, b.beside, near.dbeside[axis])
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
        let ends = (eased.segments[0].from, eased.segments.last().map(PathSegment::chord_end).unwrap());
        assert!(length(sub(ends.0, points[0])) < 1e-9 && length(sub(ends.1, points[3])) < 1e-6, "{ends:?}");
        // the curvature of an eased path changes gradually: no segment turns by more than a few degrees from the
        // previous segment
        let sharpest = eased.segments.windows(2).map(|c| cross(c[0].along, c[1].along).abs()).fold(0.0, higher);
        assert!(sharpest < 0.2, "{sharpest}");
        let corner = eased.segments.iter().map(|c| length(c.nearest([500.0, 0.0]).away)).fold(f64::INFINITY, lower);
        assert!(corner > 5.0 && corner < 120.0, "{corner}");
    }
}
