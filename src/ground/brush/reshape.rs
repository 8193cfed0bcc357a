//! Changes of a stroke's path: bending it by its handles, moving, mirroring and offsetting it.

use super::path::{StrokePoint, distance, interpolated, nearest_on_line};
use super::{MAX_POINTS, simplified};

/// Greatest distance between two handles of a path, in radii of the brush.
const HANDLE_RADII: f32 = 4.0;
/// Distance, in radii of the brush, by which a path may leave the straight lines between its handles.
const HANDLE_TOLERANCE: f32 = 0.5;
/// Greatest number of handles of a path.
const MOST_HANDLES: usize = 64;

/// A path with the handles by which people bend it: its ends, its bends, and points between them on long straight
/// parts.
#[derive(Clone, Debug, PartialEq)]
pub struct BendablePath {
    /// The points of the path. There can be more than in the given path, because every handle is a point.
    pub points: Vec<StrokePoint>,
    /// Indices of the handles in `points`, in order.
    pub handles: Vec<usize>,
}

impl BendablePath {
    /// The handles of the path of a stroke whose brush has `radius` metres.
    pub fn new(path: &[StrokePoint], radius: f32) -> Self {
        let mut tolerance = HANDLE_TOLERANCE * radius;
        let mut corners = simplified(path, radius, tolerance);
        while corners.len() > MOST_HANDLES {
            tolerance *= 1.5;
            corners = simplified(path, radius, tolerance);
        }
        let room = MOST_HANDLES.saturating_sub(corners.len());
        let length: f32 = corners.windows(2).map(|ends| distance(ends[0], ends[1])).sum();
        let spacing = (HANDLE_RADII * radius).max(length / room.max(1) as f32);
        let mut corners = corners.into_iter().peekable();
        let (mut points, mut handles) = (Vec::<StrokePoint>::new(), Vec::new());
        for &point in path {
            let is_corner = corners.next_if_eq(&point).is_some();
            if is_corner && let (Some(&last), Some(&handle)) = (points.last(), handles.last()) {
                // handles between two corners without points between them
                let count = (distance(last, point) / spacing).ceil() as usize;
                if handle + 1 == points.len() && points.len() + count < MAX_POINTS {
                    for k in 1..count {
                        handles.push(points.len());
                        points.push(interpolated(last, point, k as f32 / count as f32));
                    }
                }
            }
            if is_corner {
                handles.push(points.len());
            }
            points.push(point);
        }
        Self { points, handles }
    }

    /// The path after the handle with index `which` was moved by `by` metres to the east and to the south. The points
    /// up to the next handle on each side follow in proportion to their distance along the path.
    pub fn bent(&self, which: usize, by: [f32; 2]) -> Vec<StrokePoint> {
        let mut path = self.points.clone();
        let Some(&middle) = self.handles.get(which) else { return path };
        let mut along = vec![0.0; path.len()];
        for k in 1..path.len() {
            along[k] = along[k - 1] + distance(path[k - 1], path[k]);
        }
        let share = |end: usize, k: usize| ((along[k] - along[end]) / (along[middle] - along[end])).clamp(0.0, 1.0);
        shift(&mut path[middle], by, 1.0);
        if let Some(before) = which.checked_sub(1).and_then(|k| self.handles.get(k)).copied() {
            (before + 1..middle).for_each(|k| shift(&mut path[k], by, share(before, k)));
        }
        if let Some(&after) = self.handles.get(which + 1) {
            (middle + 1..after).for_each(|k| shift(&mut path[k], by, share(after, k)));
        }
        path
    }
}

fn shift(point: &mut StrokePoint, by: [f32; 2], share: f32) {
    point.x += by[0] * share;
    point.y += by[1] * share;
}

/// The path moved by `by` metres to the east and to the south.
pub fn moved(path: &[StrokePoint], by: [f32; 2]) -> Vec<StrokePoint> {
    let mut path = path.to_vec();
    path.iter_mut().for_each(|point| shift(point, by, 1.0));
    path
}

/// The two axes along which a path can be mirrored at the middle of the terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorAxis {
    /// West becomes east.
    WestEast,
    /// North becomes south.
    NorthSouth,
}

/// The path mirrored at the middle line of a terrain with a side of `side` metres.
pub fn mirrored(path: &[StrokePoint], axis: MirrorAxis, side: f32) -> Vec<StrokePoint> {
    let mirror = |point: &StrokePoint| match axis {
        MirrorAxis::WestEast => StrokePoint { x: side - point.x, ..*point },
        MirrorAxis::NorthSouth => StrokePoint { y: side - point.y, ..*point },
    };
    path.iter().map(mirror).collect()
}

/// The path that runs beside the given path at a distance of `metres`: on its right side, seen in the drawing direction
/// on a map whose north is up, and on its left side if `metres` is negative. Inside narrow bends, points that would be
/// nearer than that to the given path are left out, unless none would remain. A path of one point moves to the east.
pub fn offset(path: &[StrokePoint], metres: f32) -> Vec<StrokePoint> {
    // each point is compared with each part of the path
    let thinned = if path.len() > 2000 { simplified(path, metres.abs(), 0.02 * metres.abs()) } else { path.to_vec() };
    let path = thinned.as_slice();
    let direction = |k: usize| {
        let (a, b) = (path[k.saturating_sub(1)], path[(k + 1).min(path.len() - 1)]);
        let length = distance(a, b);
        // a path that turns back in one point, or has one point, has no direction there
        if length > 0.0 { [(b.x - a.x) / length, (b.y - a.y) / length] } else { [0.0, -1.0] }
    };
    let beside = |k: usize| {
        let [east, south] = direction(k);
        StrokePoint { x: path[k].x - south * metres, y: path[k].y + east * metres, ..path[k] }
    };
    let is_far = |point: &StrokePoint| path.windows(2).all(|ends| from_line(*point, ends) > 0.98 * metres.abs());
    let moved: Vec<StrokePoint> = (0..path.len()).map(beside).collect();
    let kept: Vec<StrokePoint> = moved.iter().copied().filter(is_far).collect();
    if kept.is_empty() { moved } else { kept }
}

/// Distance in metres of a point from the line between two points.
fn from_line(point: StrokePoint, ends: &[StrokePoint]) -> f32 {
    distance(point, nearest_on_line(point, ends[0], ends[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(points: &[[f32; 2]]) -> Vec<StrokePoint> {
        points.iter().map(|&[x, y]| StrokePoint::new(x, y)).collect()
    }

    #[test]
    fn handles_are_ends_bends_and_points_of_long_lines() {
        let bend = BendablePath::new(&path(&[[0.0, 0.0], [50.0, 1.0], [100.0, 0.0], [100.0, 100.0]]), 30.0);
        assert_eq!(
            bend.handles.iter().map(|&k| [bend.points[k].x, bend.points[k].y]).collect::<Vec<_>>(),
            [[0.0, 0.0], [100.0, 0.0], [100.0, 100.0]]
        );
        assert_eq!(bend.points.len(), 4, "the point without a handle stays");
        let long = BendablePath::new(&path(&[[0.0, 0.0], [300.0, 0.0]]), 25.0);
        assert_eq!(long.points, path(&[[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [300.0, 0.0]]));
        assert_eq!(long.handles, [0, 1, 2, 3]);
        let zigzag: Vec<[f32; 2]> = (0..1000).map(|k| [k as f32 * 10.0, (k % 2) as f32 * 100.0]).collect();
        let many = BendablePath::new(&path(&zigzag), 5.0);
        assert!(many.handles.len() <= MOST_HANDLES, "{}", many.handles.len());
        assert_eq!((many.handles.first(), many.handles.last()), (Some(&0), Some(&(many.points.len() - 1))));
        assert_eq!(BendablePath::new(&path(&[[7.0, 8.0]]), 5.0).handles, [0]);
    }

    #[test]
    fn a_moved_handle_takes_the_points_beside_it_along() {
        let bend = BendablePath {
            points: path(&[[0.0, 0.0], [50.0, 0.0], [100.0, 0.0], [175.0, 0.0], [200.0, 0.0], [300.0, 0.0]]),
            handles: vec![0, 2, 4, 5],
        };
        let expected = [[0.0, 0.0], [55.0, 20.0], [110.0, 40.0], [177.5, 10.0], [200.0, 0.0], [300.0, 0.0]];
        assert_eq!(bend.bent(1, [10.0, 40.0]), path(&expected));
        assert_eq!(bend.bent(0, [0.0, 8.0])[..3], path(&[[0.0, 8.0], [50.0, 4.0], [100.0, 0.0]]));
        assert_eq!(bend.bent(9, [1.0, 1.0]), bend.points, "there is no such handle");
    }

    #[test]
    fn mirroring_twice_gives_the_same_path() {
        let one = path(&[[10.0, 20.0], [30.0, 45.0]]);
        assert_eq!(mirrored(&one, MirrorAxis::WestEast, 100.0), path(&[[90.0, 20.0], [70.0, 45.0]]));
        assert_eq!(mirrored(&one, MirrorAxis::NorthSouth, 100.0), path(&[[10.0, 80.0], [30.0, 55.0]]));
        for axis in [MirrorAxis::WestEast, MirrorAxis::NorthSouth] {
            assert_eq!(mirrored(&mirrored(&one, axis, 100.0), axis, 100.0), one);
        }
        assert_eq!(moved(&one, [-10.0, 5.0]), path(&[[0.0, 25.0], [20.0, 50.0]]));
    }

    #[test]
    fn an_offset_path_runs_beside_the_path() {
        // drawn to the north, whose right side is east
        assert_eq!(offset(&path(&[[50.0, 90.0], [50.0, 10.0]]), 20.0), path(&[[70.0, 90.0], [70.0, 10.0]]));
        assert_eq!(offset(&path(&[[50.0, 90.0], [50.0, 10.0]]), -20.0), path(&[[30.0, 90.0], [30.0, 10.0]]));
        let circle = |radius: f32| -> Vec<StrokePoint> {
            let turn = |k: usize| k as f32 / 64.0 * std::f32::consts::TAU;
            (0..=64).map(|k| StrokePoint::new(radius * libm::cosf(turn(k)), radius * libm::sinf(turn(k)))).collect()
        };
        // clockwise on a map whose south is down: the right side is inside
        for (metres, radius) in [(30.0, 70.0), (-30.0, 130.0)] {
            let made = offset(&circle(100.0), metres);
            assert!(made.len() > 60, "{}", made.len());
            for point in made {
                assert!((libm::hypotf(point.x, point.y) - radius).abs() < 1.0, "{point:?} beside {radius}");
            }
        }
        // inside a bend that is narrower than the distance, no point comes too near
        let hairpin = path(&[[0.0, 0.0], [300.0, 0.0], [300.0, 20.0], [200.0, 20.0]]);
        assert_eq!(offset(&hairpin, 30.0), path(&[[0.0, 30.0]]));
        // unless no point would remain
        let narrow = path(&[[0.0, 0.0], [100.0, 0.0], [100.0, 20.0], [0.0, 20.0]]);
        assert_eq!(offset(&narrow, 30.0).len(), 4);
        assert_eq!(offset(&path(&[[5.0, 5.0]]), 3.0), path(&[[8.0, 5.0]]));
    }
}
