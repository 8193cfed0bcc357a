//! Circles that touch a path without meeting another part of it. Inside them the nearest point of the path is unique.
//!
//! Formula: the circle that touches the line at γ with the unit normal n, and that passes through another point q of
//! the path, has the radius |q - γ|² / (2 (q - γ)·n). The smallest of these radii and of the radii of curvature is the
//! radius of the largest empty circle. Its centre is on the medial axis of the path.
//! Source: Ma, Bae & Choi 2012 (shrinking balls).

use super::plane::{Area, Point, add, cross, dot, higher, length, lower, scaled, sub};
use super::segment::{PathSegment, PathVertex};

/// Sine of the turn from which on a vertex is a corner, at which two parts of the path meet.
const TURN: f64 = 0.01;
/// Greatest difference between a radius and the interpolated radius, as a fraction of the radius.
const PRECISE: f64 = 0.05;
/// Maximum number of times that pieces are divided to interpolate the radii precisely.
const ROUNDS: usize = 6;
/// Shortest piece that is divided, as a fraction of the reach.
const SHORTEST: f64 = 0.05;

/// Computes the radii of all pieces up to `most`, and divides pieces along which the radius does not change linearly.
/// `limit` is the greatest number of pieces.
pub(super) fn with_room(mut vertices: Vec<PathVertex>, most: f64, reach: f64, limit: usize) -> Vec<PathSegment> {
    let mut segments = segments_of(&vertices);
    for round in 0..=ROUNDS {
        measure(&mut segments, &vertices, most);
        if round == ROUNDS || segments.len() * 2 > limit {
            break;
        }
        let field = RoomField::new(&segments, most);
        let uneven = |k: &usize| {
            let segment = &segments[*k];
            if segment.length < SHORTEST * reach {
                return false;
            }
            let middle = 0.5 * segment.length;
            let (at, way) = (segment.point(middle), segment.direction(middle));
            (0..2).any(|side| {
                let guess = 0.5 * (segment.room[side][0] + segment.room[side][1]);
                let real = lower(field.radius(at, normal(way, side), [*k, *k]), curvature_radius(segment, side));
                (lower(real, most) - guess).abs() > PRECISE * lower(real, guess)
            })
        };
        let split: Vec<usize> = (0..segments.len()).filter(uneven).collect();
        if split.is_empty() {
            break;
        }
        let mut divided = Vec::with_capacity(vertices.len() + split.len());
        let mut next = split.into_iter().peekable();
        for (k, vertex) in vertices.into_iter().enumerate() {
            divided.push(vertex);
            if next.next_if_eq(&k).is_some() {
                let (at, way) = (segments[k].point(0.5 * segments[k].length), segments[k].tangent());
                divided.push(PathVertex { at, arrives: way, leaves: way });
            }
        }
        vertices = divided;
        segments = segments_of(&vertices);
    }
    segments
}

impl PathSegment {
    /// Unit direction of the arc in its middle.
    fn tangent(&self) -> Point {
        let slope = self.arc(0.5 * self.length).1;
        scaled(add(self.along, scaled(self.right(), slope)), 1.0 / (1.0 + slope * slope).sqrt())
    }
}

/// The pieces between the vertices, with their arc lengths.
pub(super) fn segments_of(vertices: &[PathVertex]) -> Vec<PathSegment> {
    let mut start = 0.0;
    let piece = |pair: &[PathVertex]| {
        let segment = PathSegment::of_vertices(&pair[0], &pair[1], start)?;
        start = segment.end();
        Some(segment)
    };
    vertices.windows(2).filter_map(piece).collect()
}

/// Unit vector to the right (side 0) or to the left (side 1) of a direction.
fn normal(way: Point, side: usize) -> Point {
    if side == 0 { [-way[1], way[0]] } else { [way[1], -way[0]] }
}

/// Radius of curvature of a piece if it bends to a side; infinite if it does not.
fn curvature_radius(segment: &PathSegment, side: usize) -> f64 {
    let bend = if side == 0 { segment.bend() } else { -segment.bend() };
    if bend > 0.0 { 1.0 / bend } else { f64::INFINITY }
}

/// The pieces of a path with bounding boxes, in which circles are measured.
struct RoomField<'a> {
    segments: &'a [PathSegment],
    boxes: Vec<Area>,
    most: f64,
}

const IN_BOX: usize = 8;

impl<'a> RoomField<'a> {
    fn new(segments: &'a [PathSegment], most: f64) -> Self {
        let ends = |segment: &PathSegment| [segment.from, segment.chord_end()];
        let boxes = segments.chunks(IN_BOX).map(|run| Area::enclosing(run.iter().flat_map(ends))).collect();
        Self { segments, boxes, most }
    }

    /// Radius of the largest circle, up to the maximum, that touches the path at `at` from the side of `normal`. The
    /// pieces from `own[0]` to `own[1]` do not count.
    fn radius(&self, at: Point, normal: Point, own: [usize; 2]) -> f64 {
        let mut inverse = 1.0 / self.most;
        let centre = |inverse: f64| add(at, scaled(normal, 1.0 / inverse));
        for (run, area) in self.boxes.iter().enumerate() {
            if area.square(centre(inverse)) * inverse * inverse >= 1.0 {
                continue;
            }
            let from = run * IN_BOX;
            for (k, segment) in self.segments.iter().enumerate().skip(from).take(IN_BOX) {
                if k < own[0] || k > own[1] {
                    inverse = higher(inverse, inverse_radius(segment, at, normal));
                }
            }
        }
        1.0 / inverse
    }

    /// Half the distance from the end of the path to the nearest part of the path in the half-plane ahead.
    fn radius_ahead(&self, at: Point, ahead: Point, own: usize) -> f64 {
        let mut radius = self.most;
        for (k, segment) in self.segments.iter().enumerate() {
            let away = segment.nearest_on_chord(at).1;
            let distance = length(away);
            if k != own && -dot(away, ahead) > 0.01 * distance {
                radius = lower(radius, 0.5 * distance);
            }
        }
        radius
    }
}

/// 1 / radius of the circle that touches a line at `at` from the side of `normal` and that also touches the chord of a
/// piece; 0 if the chord is on the other side.
fn inverse_radius(segment: &PathSegment, at: Point, normal: Point) -> f64 {
    let way = sub(segment.from, at);
    let (rise, before) = (dot(segment.along, normal), dot(way, normal));
    let (ahead, square) = (dot(way, segment.along), dot(way, way));
    let value = |t: f64| {
        let far = square + t * (2.0 * ahead + t);
        if far > 0.0 { 2.0 * (before + rise * t) / far } else { 0.0 }
    };
    let mut most = higher(higher(value(0.0), value(segment.length)), 0.0);
    // the value is greatest where rise t² + 2 before t - (rise square - 2 before ahead) = 0
    let root = before * before + rise * (rise * square - 2.0 * before * ahead);
    if root > 0.0 && rise != 0.0 {
        for sign in [-1.0, 1.0] {
            let t = (sign * root.sqrt() - before) / rise;
            if t > 0.0 && t < segment.length {
                most = higher(most, value(t));
            }
        }
    } else if rise == 0.0 && -ahead > 0.0 && -ahead < segment.length {
        most = higher(most, value(-ahead));
    }
    most
}

/// Measures the radii at both ends of every piece.
fn measure(segments: &mut [PathSegment], vertices: &[PathVertex], most: f64) {
    let last = segments.len() - 1;
    let mut found = vec![[[most; 2]; 2]; segments.len()];
    let field = RoomField::new(segments, most);
    let turn =
        |k: usize| cross(field.segments[k].direction(field.segments[k].length), field.segments[k + 1].direction(0.0));
    let is_corner = |k: usize| {
        let (a, b) = (&field.segments[k], &field.segments[k + 1]);
        turn(k).abs() > TURN || dot(a.direction(a.length), b.direction(0.0)) < 0.0
    };
    let at_end = |k: usize, end: usize, side: usize, own: [usize; 2]| {
        let segment = &field.segments[k];
        let (at, t) = if end == 0 { (segment.from, 0.0) } else { (segment.chord_end(), segment.length) };
        lower(field.radius(at, normal(segment.direction(t), side), own), curvature_radius(segment, side))
    };
    for side in [0, 1] {
        for k in 0..last {
            let own = [k, k + 1];
            let (before, after) = (at_end(k, 1, side, own), at_end(k + 1, 0, side, own));
            // between the normals of a corner, the nearest point is the corner itself
            let inside = is_corner(k) && (turn(k) > 0.0) == (side == 0);
            let room = if inside { 0.0 } else { lower(before, after) };
            (found[k][side][1], found[k + 1][side][0]) = (room, room);
        }
        found[0][side][0] = at_end(0, 0, side, [0, 0]);
        found[last][side][1] = at_end(last, 1, side, [last, last]);
    }
    if let (Some(first), Some(end)) = (vertices.first(), vertices.last()) {
        for (k, vertex, place, sign) in [(0, first, 0, -1.0), (last, end, 1, 1.0)] {
            let ahead = scaled(if place == 0 { vertex.leaves } else { vertex.arrives }, sign);
            let room = lower(field.radius_ahead(vertex.at, ahead, k), lower(found[k][0][place], found[k][1][place]));
            (found[k][0][place], found[k][1][place]) = (room, room);
        }
    }
    for (segment, room) in segments.iter_mut().zip(found) {
        segment.room = room;
    }
}
