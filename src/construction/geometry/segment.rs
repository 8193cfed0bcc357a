//! A piece of a path: a cubic arc over a chord.
//!
//! Definition: at the distance t along the chord of length L, the arc is h(t) = L (a τ (1 - τ)² - b τ² (1 - τ)) beside
//! the chord, with τ = t / L and the slopes a and b of the line at both ends of the chord. A point x along and y beside
//! the chord has its nearest point at t = (x + a y) / (1 - (b - a) y / L). This is the point whose normal, interpolated
//! between the normals at both ends, passes through the given point. Steps of Newton's method with the slope of the
//! arc itself make it the true nearest point; they change nothing at the ends. Arcs that share an end and its slope
//! therefore share the normal there. So the nearest point moves along the path without jumps, up to the centre of
//! curvature.

use super::plane::{Interval, Point, add, cross, dot, higher, length, scaled, sub};

/// A vertex of a path with the directions of the line that arrives and of the line that leaves. They differ at corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathVertex {
    pub at: Point,
    pub arrives: Point,
    pub leaves: Point,
}

/// Maximum number of steps of Newton's method.
const STEPS: usize = 8;
/// Turn at a vertex, as the sine of the angle, from which on a vertex of a smooth line is a corner.
const CORNER: f64 = 0.6;

/// The vertices of a line, with directions. At a vertex of a smooth line, the direction is that of the circle through
/// the vertex and its two neighbours.
pub(super) fn vertices_of(line: &[Point], is_smooth: bool) -> Vec<PathVertex> {
    let chord = |k: usize| {
        let span = sub(line[k + 1], line[k]);
        (scaled(span, 1.0 / length(span)), length(span))
    };
    let last = line.len() - 1;
    let mut vertices: Vec<PathVertex> = (0..=last)
        .map(|k| {
            let (arrives, leaves) = (chord(k.max(1) - 1), chord(k.min(last - 1)));
            let is_corner = cross(arrives.0, leaves.0).abs() > CORNER || dot(arrives.0, leaves.0) < 0.0;
            if !is_smooth || is_corner || k == 0 || k == last {
                return PathVertex { at: line[k], arrives: arrives.0, leaves: leaves.0 };
            }
            let mean = add(scaled(arrives.0, leaves.1), scaled(leaves.0, arrives.1));
            let way = scaled(mean, 1.0 / length(mean));
            PathVertex { at: line[k], arrives: way, leaves: way }
        })
        .collect();
    if is_smooth && last > 1 {
        // the first and the last piece are circular: their two slopes are opposite
        let mirrored = |way: Point, chord: Point| sub(scaled(chord, 2.0 * dot(way, chord)), way);
        vertices[0].leaves = mirrored(vertices[1].arrives, chord(0).0);
        vertices[0].arrives = vertices[0].leaves;
        vertices[last].arrives = mirrored(vertices[last - 1].leaves, chord(last - 1).0);
        vertices[last].leaves = vertices[last].arrives;
    }
    vertices
}

/// The nearest point of a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathFoot {
    /// Distance along the chord, in metres.
    pub along: f64,
    /// Vector from the nearest point to the given point.
    pub away: Point,
    /// Distance of the given point beside the chord, to the right.
    pub beside: f64,
    /// 1 - (b - a) y / L: 1 on the path, 0 at the centre of curvature.
    pub spread: f64,
    /// Whether the nearest point is on the arc or at an end of it, and moves with the given point.
    pub is_between: bool,
}

/// A piece of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathSegment {
    pub from: Point,
    /// Unit vector along the chord.
    pub along: Point,
    /// Length of the chord, in metres.
    pub length: f64,
    /// Arc length of the path at the start of the piece.
    pub start: f64,
    /// Slopes of the line against the chord at the start and at the end; positive to the right.
    pub slopes: [f64; 2],
    /// Arc length per metre of the chord.
    pub stretch: f64,
    /// Radii of the largest circles that touch the line from the right and from the left, at the start and at the end,
    /// without meeting another part of the path.
    pub room: [[f64; 2]; 2],
}

impl PathSegment {
    /// The piece between two vertices; `None` if they are at the same place.
    pub fn of_vertices(a: &PathVertex, b: &PathVertex, start: f64) -> Option<Self> {
        let span = sub(b.at, a.at);
        let length = length(span);
        if length <= 0.0 {
            return None;
        }
        let along = scaled(span, 1.0 / length);
        let slope = |way: Point| {
            let ahead = higher(dot(along, way), 0.1);
            let slope = cross(along, way) / ahead;
            // straight lines are exact
            if slope.abs() < 1e-9 { 0.0 } else { slope }
        };
        let slopes = [slope(a.leaves), slope(b.arrives)];
        let [s, e] = slopes;
        let stretch = 1.0 + (2.0 * s * s - s * e + 2.0 * e * e) / 30.0;
        Some(Self { from: a.at, along, length, start, slopes, stretch, room: [[f64::INFINITY; 2]; 2] })
    }

    /// Arc length of the path at the end of the piece.
    pub fn end(&self) -> f64 {
        self.start + self.length * self.stretch
    }

    /// End point of the chord.
    pub fn chord_end(&self) -> Point {
        add(self.from, scaled(self.along, self.length))
    }

    /// Change of the slope per metre of the chord.
    pub fn bend(&self) -> f64 {
        (self.slopes[1] - self.slopes[0]) / self.length
    }

    /// Unit vector to the right of the chord.
    pub fn right(&self) -> Point {
        [-self.along[1], self.along[0]]
    }

    /// Distance of the arc beside the chord at `t`, and the slope there.
    #[inline]
    pub fn arc(&self, t: f64) -> (f64, f64) {
        let [a, b] = self.slopes;
        if a == 0.0 && b == 0.0 {
            return (0.0, 0.0);
        }
        let x = t / self.length;
        let y = 1.0 - x;
        let slope = a * y * (1.0 - 3.0 * x) + b * x * (3.0 * x - 2.0);
        (self.length * x * y * (a * y - b * x), slope)
    }

    /// Change of the arc's slope per metre of the chord at `t`.
    fn curve(&self, t: f64) -> f64 {
        let x = t / self.length;
        let [a, b] = self.slopes;
        (a * (6.0 * x - 4.0) + b * (6.0 * x - 2.0)) / self.length
    }

    /// Point of the arc at `t`.
    pub fn point(&self, t: f64) -> Point {
        add(self.from, add(scaled(self.along, t), scaled(self.right(), self.arc(t).0)))
    }

    /// Unit direction of the line at `t`, with the slope interpolated between the ends.
    pub fn direction(&self, t: f64) -> Point {
        let slope = self.slopes[0] + self.bend() * t;
        scaled(add(self.along, scaled(self.right(), slope)), 1.0 / (1.0 + slope * slope).sqrt())
    }

    /// Greatest distance of the arc from its chord.
    pub fn bulge(&self) -> f64 {
        self.length * (self.slopes[0].abs() + self.slopes[1].abs()) * (4.0 / 27.0)
    }

    /// The nearest point of the piece to `p`.
    #[inline]
    pub fn nearest(&self, p: Point) -> PathFoot {
        let way = sub(p, self.from);
        let (x, y) = (dot(way, self.along), cross(self.along, way));
        let spread = 1.0 - self.bend() * y;
        let t = if spread > 0.0 {
            (x + self.slopes[0] * y) / spread
        } else if x + x < self.length {
            0.0
        } else {
            self.length
        };
        let is_between = spread > 0.0 && t >= 0.0 && t <= self.length;
        let t = self.held(t);
        let away = self.turned([x - t, y - self.arc(t).0]);
        PathFoot { along: t, away, beside: y, spread, is_between }
    }

    fn held(&self, t: f64) -> f64 {
        if t < 0.0 {
            0.0
        } else if t > self.length {
            self.length
        } else {
            t
        }
    }

    /// The vector with the given parts along the chord and to its right.
    fn turned(&self, [u, v]: Point) -> Point {
        [self.along[0] * u - self.along[1] * v, self.along[1] * u + self.along[0] * v]
    }

    /// The true nearest point to `p` of the arc, near the point `foot`.
    #[inline]
    pub fn refined(&self, p: Point, foot: PathFoot) -> PathFoot {
        if !foot.is_between || self.slopes == [0.0; 2] {
            return foot;
        }
        let x = dot(sub(p, self.from), self.along);
        let (mut t, mut spread) = (foot.along, foot.spread);
        for step in 0..=STEPS {
            let (rise, slope) = self.arc(t);
            let left = foot.beside - rise;
            let turn = 1.0 + slope * slope - self.curve(t) * left;
            // near the centre of curvature, the first guess is as good
            if turn <= 0.05 {
                break;
            }
            spread = turn;
            let next = self.held(t + (x - t + slope * left) / turn);
            if step == STEPS || (next - t).abs() <= 1e-12 * self.length {
                break;
            }
            t = next;
        }
        PathFoot { along: t, away: self.turned([x - t, foot.beside - self.arc(t).0]), spread, ..foot }
    }

    /// Distance of the chord's nearest point from the start of the chord, and the vector from that point to `p`.
    #[inline]
    pub fn nearest_on_chord(&self, p: Point) -> (f64, Point) {
        let way = sub(p, self.from);
        let t = dot(way, self.along);
        let t = if t < 0.0 {
            0.0
        } else if t > self.length {
            self.length
        } else {
            t
        };
        (t, [way[0] - self.along[0] * t, way[1] - self.along[1] * t])
    }

    /// Arc lengths of the path for a range of distances along the chord.
    pub fn lengths(&self, range: Interval) -> Interval {
        Interval::new(self.start + range.low * self.stretch, self.start + range.high * self.stretch)
    }

    /// Radius of the largest circle that touches the line at `t` on a side (0 right, 1 left), and its change per metre
    /// of the chord.
    #[inline]
    pub fn room_at(&self, side: usize, t: f64) -> (f64, f64) {
        let [a, b] = self.room[side];
        if self.length <= 0.0 || a == b {
            return (a, 0.0);
        }
        let slope = (b - a) / self.length;
        (a + slope * t, slope)
    }
}
