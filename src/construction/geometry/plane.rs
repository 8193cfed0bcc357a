//! Geometry in the horizontal plane: points, boxes, capsules and affine maps. x points east and y south, in metres.

/// A point or a vector: its components to the east and to the south.
pub type Point = [f64; 2];

/// The vector sum a + b.
pub fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1]]
}

/// The vector difference a - b.
pub fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

/// The vector k · a.
pub fn scaled(a: Point, k: f64) -> Point {
    [a[0] * k, a[1] * k]
}

/// The dot product a · b.
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The cross product a × b; positive if `b` is clockwise of `a`, seen from above.
pub fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The length |a| of a vector.
pub fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The smoothstep 3t² - 2t³ of `t` clamped to [0, 1], and its derivative.
#[inline]
pub fn smooth(t: f64) -> (f64, f64) {
    if t <= 0.0 {
        (0.0, 0.0)
    } else if t >= 1.0 {
        (1.0, 0.0)
    } else {
        (t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t))
    }
}

/// An axis-aligned rectangle. It is empty if `low` exceeds `high` in a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Corner with the smallest coordinates.
    pub low: Point,
    /// Corner with the largest coordinates.
    pub high: Point,
}

impl Area {
    /// The empty rectangle.
    pub const EMPTY: Self = Self { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };
    /// A rectangle that stands for the whole plane. Its corners are finite, so that its images under affine maps are
    /// finite too.
    pub const ALL: Self = Self { low: [-1e15; 2], high: [1e15; 2] };

    /// The bounding box of a circle.
    pub fn centred(centre: Point, radius: f64) -> Self {
        Self { low: [centre[0] - radius, centre[1] - radius], high: [centre[0] + radius, centre[1] + radius] }
    }

    /// The bounding box of some points.
    pub fn enclosing(points: impl IntoIterator<Item = Point>) -> Self {
        points.into_iter().fold(Self::EMPTY, |area, p| area.union(Self { low: p, high: p }))
    }

    /// Whether the rectangle contains no point.
    pub fn is_empty(&self) -> bool {
        self.low[0] > self.high[0] || self.low[1] > self.high[1]
    }

    /// Whether `p` is inside the rectangle or on its border.
    #[inline]
    pub fn contains(&self, p: Point) -> bool {
        p[0] >= self.low[0] && p[0] <= self.high[0] && p[1] >= self.low[1] && p[1] <= self.high[1]
    }

    /// Whether both rectangles have a point in common.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        self.low[0] <= other.high[0]
            && other.low[0] <= self.high[0]
            && self.low[1] <= other.high[1]
            && other.low[1] <= self.high[1]
    }

    /// The bounding box of both rectangles.
    pub fn union(self, other: Self) -> Self {
        if other.is_empty() {
            return self;
        }
        if self.is_empty() {
            return other;
        }
        Self {
            low: [lower(self.low[0], other.low[0]), lower(self.low[1], other.low[1])],
            high: [higher(self.high[0], other.high[0]), higher(self.high[1], other.high[1])],
        }
    }

    /// The intersection of both rectangles; may be empty.
    pub fn intersection(self, other: Self) -> Self {
        Self {
            low: [higher(self.low[0], other.low[0]), higher(self.low[1], other.low[1])],
            high: [lower(self.high[0], other.high[0]), lower(self.high[1], other.high[1])],
        }
    }

    /// The rectangle enlarged by `by` on every side.
    pub fn grown(self, by: f64) -> Self {
        if self.is_empty() {
            return self;
        }
        Self { low: [self.low[0] - by, self.low[1] - by], high: [self.high[0] + by, self.high[1] + by] }
    }

    /// The centre of the rectangle.
    pub fn centre(&self) -> Point {
        [0.5 * (self.low[0] + self.high[0]), 0.5 * (self.low[1] + self.high[1])]
    }

    /// The four corners, in order around the rectangle.
    pub fn corners(&self) -> [Point; 4] {
        [self.low, [self.high[0], self.low[1]], self.high, [self.low[0], self.high[1]]]
    }

    /// Distance from `p` to the nearest point of the rectangle; 0 inside the rectangle.
    pub fn distance(&self, p: Point) -> f64 {
        self.square(p).sqrt()
    }

    /// Square of the distance that [`distance`](Self::distance) returns.
    #[inline]
    pub fn square(&self, p: Point) -> f64 {
        let gap = |k: usize| higher(higher(self.low[k] - p[k], p[k] - self.high[k]), 0.0);
        let gap = [gap(0), gap(1)];
        dot(gap, gap)
    }
}

/// The lower of two numbers; neither is NaN.
#[inline]
pub fn lower(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The higher of two numbers; neither is NaN.
#[inline]
pub fn higher(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The interval from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Interval {
    /// The empty interval.
    pub const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// The interval from `low` to `high`.
    pub fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// The interval that holds only `value`.
    pub fn one(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// The interval from `middle` - `by` to `middle` + `by`.
    pub fn centred(middle: f64, by: f64) -> Self {
        Self { low: middle - by, high: middle + by }
    }

    /// The smallest interval that contains both intervals.
    pub fn union(self, other: Self) -> Self {
        Self { low: lower(self.low, other.low), high: higher(self.high, other.high) }
    }

    /// The intersection of both intervals. The intervals must meet, apart from rounding errors. If a gap separates
    /// them, the result is this gap.
    pub fn intersection(self, other: Self) -> Self {
        let (low, high) = (higher(self.low, other.low), lower(self.high, other.high));
        if low <= high { Self { low, high } } else { Self { low: high, high: low } }
    }

    /// The sum of both intervals, in interval arithmetic.
    pub fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    /// The interval with both ends multiplied by `k`, in ascending order.
    pub fn times(self, k: f64) -> Self {
        if k < 0.0 {
            Self { low: self.high * k, high: self.low * k }
        } else {
            Self { low: self.low * k, high: self.high * k }
        }
    }

    /// The product of both intervals, in interval arithmetic.
    pub fn product(self, other: Self) -> Self {
        let all = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        all.into_iter().fold(Self::EMPTY, |range, v| range.union(Self::one(v)))
    }

    /// Greatest absolute value of a number in the interval.
    pub fn max_abs(&self) -> f64 {
        higher(self.low.abs(), self.high.abs())
    }

    /// Greatest difference between a number in one interval and a number in the other.
    pub fn spread(&self, other: &Self) -> f64 {
        higher(higher(self.high - other.low, other.high - self.low), 0.0)
    }
}

/// A region to which a bound applies: all points within the distance `pad` of the segment from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Start of the segment.
    pub from: Point,
    /// End of the segment.
    pub to: Point,
    /// Radius around the segment, in metres.
    pub pad: f64,
}

impl Capsule {
    /// The segment from `from` to `to`, as a capsule of radius 0.
    pub fn segment(from: Point, to: Point) -> Self {
        Self { from, to, pad: 0.0 }
    }

    /// A capsule that is a disc: a segment of length 0.
    pub fn disc(centre: Point, radius: f64) -> Self {
        Self { from: centre, to: centre, pad: radius }
    }

    /// The disc that contains `area`.
    pub fn area(area: &Area) -> Self {
        Self::disc(area.centre(), 0.5 * length(sub(area.high, area.low)))
    }

    /// Midpoint of the segment.
    pub fn middle(&self) -> Point {
        scaled(add(self.from, self.to), 0.5)
    }

    /// Radius of a circle around the midpoint that contains the capsule.
    pub fn radius(&self) -> f64 {
        0.5 * length(sub(self.to, self.from)) + self.pad
    }

    /// The bounding box of the capsule.
    pub fn area_of(&self) -> Area {
        Area::enclosing([self.from, self.to]).grown(self.pad)
    }

    /// The capsule with its radius increased by `by` metres.
    pub fn padded(self, by: f64) -> Self {
        Self { pad: self.pad + by, ..self }
    }

    /// Range of the distances from `centre` to the points of the capsule.
    pub fn distances(&self, centre: Point) -> Interval {
        let (a, along) = (sub(centre, self.from), sub(self.to, self.from));
        let square = dot(along, along);
        let t = if square > 0.0 { (dot(a, along) / square).clamp(0.0, 1.0) } else { 0.0 };
        let nearest = length(sub(a, scaled(along, t)));
        let farthest = higher(length(a), length(sub(centre, self.to)));
        Interval::new(higher(nearest - self.pad, 0.0), farthest + self.pad)
    }
}

/// An affine map: p ↦ matrix · p + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Rows of the matrix.
    pub rows: [Point; 2],
    /// Translation, applied after the matrix.
    pub offset: Point,
}

impl Affine {
    /// The identity map.
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0], [0.0, 1.0]], offset: [0.0, 0.0] };

    /// The image of the point `p` under this map.
    #[inline]
    pub fn apply(&self, p: Point) -> Point {
        [dot(self.rows[0], p) + self.offset[0], dot(self.rows[1], p) + self.offset[1]]
    }

    /// Transforms a gradient `g` from the map's target coordinates to its source coordinates, with the transposed
    /// matrix.
    #[inline]
    pub fn pull_back(&self, g: Point) -> Point {
        [self.rows[0][0] * g[0] + self.rows[1][0] * g[1], self.rows[0][1] * g[0] + self.rows[1][1] * g[1]]
    }

    /// The composition: first `self`, then `next`.
    pub fn then(&self, next: &Self) -> Self {
        let column = |k: usize| [self.rows[0][k], self.rows[1][k]];
        let row = |r: Point| [dot(r, column(0)), dot(r, column(1))];
        Self { rows: [row(next.rows[0]), row(next.rows[1])], offset: next.apply(self.offset) }
    }

    /// Determinant: the factor by which the map scales areas; negative for a reflection.
    pub fn determinant(&self) -> f64 {
        cross(self.rows[0], self.rows[1])
    }

    /// The inverse map; the determinant must not be 0.
    pub fn inverse(&self) -> Self {
        let d = self.determinant();
        let [[a, b], [c, e]] = self.rows;
        let back = Self { rows: [[e / d, -b / d], [-c / d, a / d]], offset: [0.0, 0.0] };
        let offset = back.apply(self.offset);
        Self { offset: [-offset[0], -offset[1]], ..back }
    }

    /// Greatest factor by which the map stretches a length (its spectral norm), rounded up slightly.
    pub fn stretching(&self) -> f64 {
        let [[a, b], [c, d]] = self.rows;
        let (sum, det) = (a * a + b * b + c * c + d * d, a * d - b * c);
        let root = higher(sum * sum - 4.0 * det * det, 0.0).sqrt();
        (0.5 * (sum + root)).sqrt() * (1.0 + 1e-12)
    }

    /// The bounding box of the image of `area` under this map.
    pub fn area(&self, area: &Area) -> Area {
        if area.is_empty() { *area } else { Area::enclosing(area.corners().map(|p| self.apply(p))) }
    }

    /// A capsule that contains the image of `capsule` under this map.
    pub fn map_capsule(&self, capsule: &Capsule) -> Capsule {
        Capsule { from: self.apply(capsule.from), to: self.apply(capsule.to), pad: capsule.pad * self.stretching() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_maps_go_back_and_follow_each_other() {
        let a = Affine { rows: [[0.3, -2.0], [1.5, 0.4]], offset: [7.0, -3.0] };
        let b = Affine { rows: [[1.0, 0.2], [-0.1, 0.8]], offset: [-1.0, 2.0] };
        let p = [12.5, -4.0];
        let (there, chained) = (b.apply(a.apply(p)), a.then(&b).apply(p));
        assert!(length(sub(there, chained)) < 1e-12);
        assert!(length(sub(a.inverse().apply(a.apply(p)), p)) < 1e-12);
        // the norm is the maximum of the stretching over all directions: no direction exceeds it, and one direction
        // comes close
        let longest = (0..3600).map(|k| f64::from(k) * std::f64::consts::TAU / 3600.0).fold(0.0, |longest, angle| {
            let v = [libm::cos(angle), libm::sin(angle)];
            higher(longest, length(sub(a.apply(v), a.offset)))
        });
        assert!(longest <= a.stretching() && longest > a.stretching() * 0.99999);
    }

    #[test]
    fn capsule_distances_enclose_those_to_its_points() {
        let capsule = Capsule { from: [0.0, 0.0], to: [10.0, 0.0], pad: 1.0 };
        assert_eq!(capsule.distances([5.0, 5.0]), Interval::new(4.0, 50.0f64.sqrt() + 1.0));
        assert_eq!(capsule.distances([5.0, 0.5]).low, 0.0);
    }
}
