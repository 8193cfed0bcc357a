//! The path of a stroke: points with pressure, written `x,y` or `x,y,pressure` and separated by spaces.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use super::{FARTHEST_METRES, MAX_POINTS};

/// A point of a stroke, with the pen pressure at the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrokePoint {
    /// Distance in metres east of the western edge.
    pub x: f32,
    /// Distance in metres south of the northern edge.
    pub y: f32,
    /// Pen pressure, from 0 to 1.
    pub pressure: f32,
}

impl StrokePoint {
    /// A point with full pressure.
    pub fn new(x: f32, y: f32) -> Self {
        Self { x, y, pressure: 1.0 }
    }

    /// The point with its numbers clamped to their ranges; `None` if a number is not finite.
    pub(super) fn sanitised(self) -> Option<Self> {
        let is_number = self.x.is_finite() && self.y.is_finite() && self.pressure.is_finite();
        let within = |v: f32| v.clamp(-FARTHEST_METRES, FARTHEST_METRES);
        is_number.then(|| Self { x: within(self.x), y: within(self.y), pressure: self.pressure.clamp(0.0, 1.0) })
    }

    /// The point rounded to the precision that a brush of `radius` metres needs. Rounding keeps files short.
    #[must_use]
    pub fn rounded(self, radius: f32) -> Self {
        let digits = libm::exp10((2.0 - libm::log10(f64::from(radius.max(1e-3)))).ceil().clamp(-3.0, 4.0));
        let round = |v: f32| ((f64::from(v) * digits).round() / digits) as f32;
        Self { x: round(self.x), y: round(self.y), pressure: (self.pressure * 100.0).round() / 100.0 }
    }
}

/// Distance in metres from one point to another.
pub(super) fn distance(a: StrokePoint, b: StrokePoint) -> f32 {
    ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).sqrt()
}

/// Points `spacing` metres apart along a path, including the ends of the path. Each point is returned with the length
/// of path in metres that it represents.
pub(super) fn dabs(path: &[StrokePoint], spacing: f32) -> Vec<(StrokePoint, f32)> {
    let length = length(path);
    let count = ((length / spacing).ceil() as usize).min(MAX_POINTS);
    let (Some(&first), true) = (path.first(), count > 0) else {
        return path.first().map(|&point| (point, 0.0)).into_iter().collect();
    };
    let step = length / count as f32;
    let mut made = vec![(first, step)];
    let mut gone = 0.0;
    for ends in path.windows(2) {
        let along = distance(ends[0], ends[1]);
        while made.len() < count && made.len() as f32 * step <= gone + along {
            let t = if along > 0.0 { ((made.len() as f32 * step - gone) / along).clamp(0.0, 1.0) } else { 0.0 };
            made.push((interpolated(ends[0], ends[1], t), step));
        }
        gone += along;
    }
    made.push((path[path.len() - 1], step));
    // Each of the two end points represents half the path length that an inner point represents.
    let last = made.len() - 1;
    (made[0].1, made[last].1) = (0.5 * step, 0.5 * step);
    made
}

/// A path cut into pieces of `length` metres along the path; the last piece is the remainder. Each piece starts where
/// the previous piece ends. Extending a path does not change its earlier pieces.
pub(super) fn pieces(path: &[StrokePoint], length: f32) -> Vec<Vec<StrokePoint>> {
    let Some(&first) = path.first() else { return Vec::new() };
    let (mut made, mut piece, mut gone) = (Vec::new(), vec![first], 0.0);
    for ends in path.windows(2) {
        let mut from = ends[0];
        let mut along = distance(from, ends[1]);
        while gone + along > length {
            let cut = interpolated(from, ends[1], ((length - gone) / along).clamp(0.0, 1.0));
            piece.push(cut);
            made.push(std::mem::replace(&mut piece, vec![cut]));
            (from, along, gone) = (cut, distance(cut, ends[1]), 0.0);
        }
        piece.push(ends[1]);
        gone += along;
    }
    made.push(piece);
    made
}

/// Length of a path in metres.
pub(super) fn length(path: &[StrokePoint]) -> f32 {
    path.windows(2).map(|ends| distance(ends[0], ends[1])).sum()
}

/// A linearly interpolated point between two points.
pub(super) fn interpolated(a: StrokePoint, b: StrokePoint, t: f32) -> StrokePoint {
    let mix = |a: f32, b: f32| a + (b - a) * t;
    StrokePoint { x: mix(a.x, b.x), y: mix(a.y, b.y), pressure: mix(a.pressure, b.pressure) }
}

/// The point nearest to `p` on the line from `a` to `b`, with the pressure that the line has there.
pub(super) fn nearest_on_line(p: StrokePoint, a: StrokePoint, b: StrokePoint) -> StrokePoint {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let along = dx * dx + dy * dy;
    let t = if along > 0.0 { (((p.x - a.x) * dx + (p.y - a.y) * dy) / along).clamp(0.0, 1.0) } else { 0.0 };
    interpolated(a, b, t)
}

/// Few points of `path` that approximate it, chosen by the algorithm of Ramer 1972 and Douglas & Peucker 1973. They
/// approximate the path within `tolerance` metres, and the pressure along the path within `tolerance` / `radius`.
pub fn simplified(path: &[StrokePoint], radius: f32, tolerance: f32) -> Vec<StrokePoint> {
    let mut kept = vec![false; path.len()];
    let mut open = vec![(0, path.len().saturating_sub(1))];
    while let Some((first, last)) = open.pop() {
        if path.is_empty() {
            break;
        }
        (kept[first], kept[last]) = (true, true);
        let off = |k: usize| {
            let p = path[k];
            let near = nearest_on_line(p, path[first], path[last]);
            let pressed = (p.pressure - near.pressure).abs() * radius;
            distance(p, near).max(pressed)
        };
        let farthest = (first + 1..last).map(|k| (off(k), k)).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((distance, k)) = farthest
            && distance > tolerance
        {
            open.push((first, k));
            open.push((k, last));
        }
    }
    path.iter().zip(kept).filter_map(|(&point, kept)| kept.then_some(point)).collect()
}

pub(super) fn path_text(path: &[StrokePoint]) -> String {
    let point = |p: &StrokePoint| match p.pressure {
        1.0 => format!("{},{}", p.x, p.y),
        pressure => format!("{},{},{pressure}", p.x, p.y),
    };
    path.iter().map(point).collect::<Vec<_>>().join(" ")
}

fn parsed(text: &str) -> Result<Vec<StrokePoint>, String> {
    let mut path = Vec::new();
    for point in text.split_whitespace() {
        let numbers: Result<Vec<f32>, _> = point.split(',').map(str::parse).collect();
        let found = match numbers.as_deref() {
            Ok(&[x, y]) => StrokePoint::new(x, y),
            Ok(&[x, y, pressure]) => StrokePoint { x, y, pressure },
            _ => {
                let short: String = point.chars().take(40).collect();
                return Err(format!(
                    "`{short}` is not a point of a stroke: write metres to the east and to the south as x,y, followed by the pressure from 0 to 1 if it is not 1"
                ));
            }
        };
        if path.len() == MAX_POINTS {
            return Err(format!("the stroke has more than {MAX_POINTS} points, which is the maximum"));
        }
        path.push(found);
    }
    Ok(path)
}

pub(super) fn serialize<S: Serializer>(path: &[StrokePoint], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<StrokePoint>, D::Error> {
    parsed(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}
