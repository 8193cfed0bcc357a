//! Polylines: curves through or near points, closed curves, and roads with eased bends.

use super::path::CurveFit;
use crate::geometry::plane::{Point, add, higher, length, lower, scaled, sub};
use crate::geometry::profile::MonotoneCubic;

/// Maximum number of segments of a line.
const MOST_CHORDS: usize = 6000;
/// Maximum number of segments into which one cubic or quadratic curve piece is flattened.
const MOST_IN_PIECE: usize = 96;

/// Flattens a curve to a polyline, accurate to a thousandth of `reach`. Also returns the indices of the given points
/// among the vertices of the polyline.
pub(crate) fn flatten(points: &[Point], run: CurveFit, reach: f64) -> (Vec<Point>, Vec<usize>) {
    let n = points.len();
    if n < 3 || run == CurveFit::Straight {
        return (points.to_vec(), (0..n).collect());
    }
    let tolerance = higher(reach * 1e-3, 1e-3);
    let room = (MOST_CHORDS / n).clamp(1, MOST_IN_PIECE);
    let mut line = vec![points[0]];
    let mut marks = vec![0];
    // flattens a piece; a point of the line is at the parameter `split`
    let piece = |b: [Point; 4], split: f64, line: &mut Vec<Point>| {
        // the distance of a cubic from its chord is at most a quarter of its greatest second difference, divided by the
        // square of the number of segments
        let bend = |k: usize| length(add(sub(b[k], scaled(b[k + 1], 2.0)), b[k + 2]));
        let segments = (0.75 * higher(bend(0), bend(1)) / tolerance).sqrt() as usize + 1;
        let segments = segments.min(room);
        let part = |k: usize| k as f64 / segments as f64;
        let half = |k: usize| if k <= segments { part(k) * split } else { split + part(k - segments) * (1.0 - split) };
        for k in 1..=if split < 1.0 { 2 * segments } else { segments } {
            let t = if split < 1.0 { half(k) } else { part(k) };
            let mix = |a: Point, b: Point| add(scaled(a, 1.0 - t), scaled(b, t));
            let (p, q, r) = (mix(b[0], b[1]), mix(b[1], b[2]), mix(b[2], b[3]));
            line.push(mix(mix(p, q), mix(q, r)));
        }
    };
    for k in 0..n - 1 {
        let (a, b) = (points[k], points[k + 1]);
        match run {
            CurveFit::Near => {
                // each inner point is the control point of a quadratic between the midpoints of the two sides that meet
                // at the point
                let middle = |a: Point, b: Point| scaled(add(a, b), 0.5);
                let start = middle(a, b);
                if k == 0 {
                    line.push(start);
                }
                if k + 2 < n {
                    let to = middle(b, points[k + 2]);
                    let third = |end: Point| add(scaled(end, 1.0 / 3.0), scaled(b, 2.0 / 3.0));
                    // points on a straight line lie on the curve, at this parameter
                    let [near, far] = [length(sub(start, b)).sqrt(), length(sub(to, b)).sqrt()];
                    let split = if near > 0.0 && far > 0.0 { near / (near + far) } else { 0.5 };
                    let before = line.len();
                    piece([start, third(start), third(to), to], split, &mut line);
                    marks.push(before + (line.len() - before) / 2 - 1);
                } else {
                    line.push(b);
                    marks.push(line.len() - 1);
                }
            }
            _ => {
                let before = if k > 0 { points[k - 1] } else { sub(scaled(a, 2.0), b) };
                let after = if k + 2 < n { points[k + 2] } else { sub(scaled(b, 2.0), a) };
                // limit the tangents to the length of the side from `a` to `b`: longer tangents would form loops
                // between unevenly spaced points
                let side = length(sub(b, a));
                let held = |v: Point| {
                    let long = length(v);
                    if long > 2.0 * side && long > 0.0 { scaled(v, 2.0 * side / long) } else { v }
                };
                let (ta, tb) = (held(sub(b, before)), held(sub(after, a)));
                piece([a, add(a, scaled(ta, 1.0 / 6.0)), sub(b, scaled(tb, 1.0 / 6.0)), b], 1.0, &mut line);
                marks.push(line.len() - 1);
            }
        }
    }
    (line, marks)
}

/// The corners of a closed line through `points`, accurate to a thousandth of `wide`. Also returns the indices of the
/// given points among the corners.
pub fn closed_line(points: &[Point], run: CurveFit, wide: f64) -> (Vec<Point>, Vec<usize>) {
    let n = points.len();
    if n < 3 || run == CurveFit::Straight {
        return (points.to_vec(), (0..n).collect());
    }
    // repeat points beyond both ends of the list, so that the points where the curve closes have neighbours on both
    // sides
    let around: Vec<Point> = (0..n + 3).map(|k| points[(k + n - 1) % n]).collect();
    let (line, marks) = flatten(&around, CurveFit::Through, wide);
    (line[marks[1]..marks[n + 1]].to_vec(), marks[1..=n].iter().map(|mark| mark - marks[1]).collect())
}

/// The line with its heading averaged twice over the arc length `over`. Also returns the new indices of the given
/// points.
pub(super) fn eased(line: &[Point], marks: &[usize], over: f64) -> (Vec<Point>, Vec<usize>) {
    let mut at = vec![0.0];
    for ends in line.windows(2) {
        at.push(at[at.len() - 1] + length(sub(ends[1], ends[0])));
    }
    let total = at[at.len() - 1];
    if total <= 0.0 {
        return (line.to_vec(), marks.to_vec());
    }
    // an averaging window longer than a third of the road would straighten the whole road
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
            // a narrower window near the ends preserves the headings at the ends
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
    // rounded corners shorten the line: move it back onto the original line halfway between each two given points
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
        MonotoneCubic::from_points(&points)
    };
    let (x, y) = (drift(0), drift(1));
    for (i, p) in made.iter_mut().enumerate() {
        *p = add(*p, [x.sample(i as f64).0, y.sample(i as f64).0]);
    }
    (made, stations)
}
