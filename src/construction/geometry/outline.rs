//! Closed lines of any shape that does not cross itself, and the signed distance of a point from them.
//!
//! Definition: straight sides join the points in the given order. If the line is a closed Catmull-Rom curve instead,
//! the curve is flattened to straight sides. d(p) is the distance of a point p to the nearest side, negative inside.
//! The Lipschitz constant of d is 1. The depth of the shape is the radius of the largest circle inside it. Method: one
//! bounding box holds eight sides. A box is skipped if it is farther away than the nearest side found so far, and if a
//! ray from the point to the east cannot cross the box. A point is inside if this ray crosses an odd number of sides.
//! To find the depth, the search subdivides boxes, starting with the box that has the greatest upper bound of the
//! depth.
//! Source: Génevaux et al. 2014, §4.1 (closed curves).

use super::path::{CurveFit, closed_line};
use super::plane::{Area, Point, cross, dot, higher, length, scaled, sub};

/// Number of sides in a bounding box.
const RUN: usize = 8;
/// Relative tolerance of the depth.
const EXACT: f64 = 1e-4;
/// Maximum number of boxes that the search for the depth subdivides.
const MOST_DIVIDED: usize = 20_000;

/// A closed line prepared for distance queries.
#[derive(Clone, Debug)]
pub struct ClosedOutline {
    /// The corners; the last side returns to the first corner.
    corners: Vec<Point>,
    runs: Vec<Area>,
    /// Radius of the largest circle inside the outline.
    depth: f64,
}

/// Reason why points do not form an outline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutlineError {
    /// Two sides that are not adjacent meet. The two numbers say at which points the sides start, counted from 1.
    #[error("the outline crosses or touches itself after point {0} and after point {1}; move one of these points")]
    Crossing(usize, usize),
    /// The outline encloses no area.
    #[error("the outline encloses nothing; it needs at least three points that are not on one line")]
    Empty,
}

/// The vector from the nearest point of a side to `p`.
#[inline]
fn from_side(a: Point, b: Point, p: Point) -> Point {
    let (side, way) = (sub(b, a), sub(p, a));
    let t = dot(way, side) / dot(side, side);
    let t = if t > 0.0 { if t < 1.0 { t } else { 1.0 } } else { 0.0 };
    sub(way, scaled(side, t))
}

/// Whether two sides have a point in common.
fn meet([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let turn = |a: Point, b: Point, p: Point| cross(sub(b, a), sub(p, a));
    let (c1, d1, a1, b1) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    let between = |a: Point, b: Point, p: Point| Area::enclosing([a, b]).contains(p);
    (c1 * d1 < 0.0 && a1 * b1 < 0.0)
        || (c1 == 0.0 && between(a, b, c))
        || (d1 == 0.0 && between(a, b, d))
        || (a1 == 0.0 && between(c, d, a))
        || (b1 == 0.0 && between(c, d, b))
}

impl ClosedOutline {
    /// The line through `points`: either straight from each point to the next, or a smooth curve
    /// ([`CurveFit::Through`]).
    ///
    /// # Errors
    /// When the line crosses or touches itself, or encloses no area.
    pub fn new(points: &[Point], fit: CurveFit) -> Result<Self, OutlineError> {
        let mut given: Vec<(usize, Point)> = points.iter().copied().enumerate().collect();
        given.dedup_by(|a, b| a.1 == b.1);
        while given.len() > 1 && given[0].1 == given[given.len() - 1].1 {
            given.pop();
        }
        if given.len() < 3 {
            return Err(OutlineError::Empty);
        }
        let places: Vec<Point> = given.iter().map(|(_, p)| *p).collect();
        let around = Area::enclosing(places.iter().copied());
        let wide = length(sub(around.high, around.low));
        let (corners, marks) = closed_line(&places, fit, 0.25 * wide);
        let runs = runs_of(&corners);
        let mut outline = Self { corners, runs, depth: 0.0 };
        if let Some((a, b)) = outline.crossing() {
            let number = |side: usize| given[marks.partition_point(|&mark| mark <= side) - 1].0 + 1;
            return Err(OutlineError::Crossing(number(a), number(b)));
        }
        outline.depth = outline.deepest(&around);
        if outline.depth > 1e-9 * wide { Ok(outline) } else { Err(OutlineError::Empty) }
    }

    fn side(&self, k: usize) -> [Point; 2] {
        let next = if k + 1 < self.corners.len() { k + 1 } else { 0 };
        [self.corners[k], self.corners[next]]
    }

    /// The first two non-adjacent sides that meet, or adjacent sides that overlap.
    fn crossing(&self) -> Option<(usize, usize)> {
        let n = self.corners.len();
        (0..n).find_map(|a| {
            let [from, to] = self.side(a);
            let [_, after] = self.side((a + 1) % n);
            let (one, next) = (sub(to, from), sub(after, to));
            if cross(one, next) == 0.0 && dot(one, next) < 0.0 {
                return Some((a, (a + 1) % n));
            }
            let around = Area::enclosing([from, to]);
            let may_meet = |run: &usize| around.meets(&self.runs[*run]);
            ((a + 2) / RUN..self.runs.len())
                .filter(may_meet)
                .flat_map(|run| (run * RUN).max(a + 2)..((run + 1) * RUN).min(n))
                .filter(|&b| (b + 1) % n != a)
                .find(|&b| around.meets(&Area::enclosing(self.side(b))) && meet([from, to], self.side(b)))
                .map(|b| (a, b))
        })
    }

    /// Radius of the largest circle inside the outline.
    fn deepest(&self, around: &Area) -> f64 {
        let size = sub(around.high, around.low);
        let half = 0.5 * higher(size[0], size[1]);
        // returns the centre and the half side of the box, the depth at the centre, and an upper bound of the depth in
        // the box
        let look = |middle: Point, half: f64| {
            let depth = -self.distance(middle).0;
            (middle, half, depth, depth + half * std::f64::consts::SQRT_2)
        };
        let mut boxes = vec![look(around.centre(), half)];
        let mut best = higher(boxes[0].2, 0.0);
        for _ in 0..MOST_DIVIDED {
            let Some(next) = (0..boxes.len()).max_by(|&a, &b| boxes[a].3.total_cmp(&boxes[b].3)) else { break };
            let (middle, half, _, most) = boxes.swap_remove(next);
            if most <= best * (1.0 + EXACT) || most <= 1e-9 * size[0] {
                break;
            }
            for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
                let part = look([middle[0] + x * half, middle[1] + y * half], 0.5 * half);
                best = higher(best, part.2);
                if part.3 > best * (1.0 + EXACT) {
                    boxes.push(part);
                }
            }
        }
        best
    }

    /// Radius of the largest circle inside the outline, in metres.
    pub fn depth(&self) -> f64 {
        self.depth
    }

    /// The corners of the outline, in order.
    pub fn corners(&self) -> &[Point] {
        &self.corners
    }

    /// The bounding box of the outline.
    pub fn area(&self) -> Area {
        self.runs.iter().copied().fold(Area::EMPTY, Area::union)
    }

    /// Signed distance of `p` from the line, negative inside, and its gradient.
    pub fn distance(&self, p: Point) -> (f64, Point) {
        let n = self.corners.len();
        let (mut nearest, mut way, mut is_inside) = (f64::INFINITY, [0.0; 2], false);
        for (number, run) in self.runs.iter().enumerate() {
            let may_cross = run.low[1] <= p[1] && p[1] <= run.high[1] && p[0] <= run.high[0];
            if !may_cross && run.square(p) >= nearest {
                continue;
            }
            for k in number * RUN..((number + 1) * RUN).min(n) {
                let [a, b] = self.side(k);
                let from = from_side(a, b, p);
                let square = dot(from, from);
                if square < nearest {
                    (nearest, way) = (square, from);
                }
                if (a[1] > p[1]) != (b[1] > p[1]) {
                    let east = a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                    is_inside ^= p[0] < east;
                }
            }
        }
        let distance = nearest.sqrt();
        let sign = if is_inside { -1.0 } else { 1.0 };
        let gradient = if distance > 0.0 { scaled(way, sign / distance) } else { [0.0; 2] };
        (sign * distance, gradient)
    }
}

fn runs_of(corners: &[Point]) -> Vec<Area> {
    let n = corners.len();
    let ends = |from: usize| (from..(from + RUN).min(n) + 1).map(|k| corners[k % n]);
    (0..n).step_by(RUN).map(|from| Area::enclosing(ends(from))).collect()
}
