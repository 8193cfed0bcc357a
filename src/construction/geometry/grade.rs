//! Heights along a road, whose grade is limited and changes gradually.
//!
//! Law: let z_k be the heights of the points at the arc lengths s_k, let g be the greatest grade, and let u be the
//! function with u_k = min_j (z_j + g |s_k - s_j|) and v the function with v_k = max_j (z_j - g |s_k - s_j|). Both obey
//! the grade. Their mean is, among all heights that obey the grade, one with the least distance from z. Both ends keep
//! their heights: the mean is clamped to the heights that a road of grade g from either end can reach. Between the
//! points, the road is straight in profile, as between the intersection points of a road plan. The mean over the
//! easing length w then turns every change of grade into a parabola of length w, as road engineers do. Near an end, the
//! road continues as its point reflection about this end, so that the end keeps its height.
//! Limit: means of straight pieces with grades up to g have grades up to g. If both ends lie farther apart in height
//! than g allows over the length of the road, the road is straight in profile, with the least possible grade.
//! Source: own, after the vertical alignment of roads; Galin et al. 2010 for the limit of the grade.

use super::plane::{higher, lower};
use super::profile::MonotoneCubic;

/// The least grade that joins both ends of a road, as rise over run: height difference over length.
pub fn least_grade(points: &[(f64, f64)]) -> f64 {
    match (points.first(), points.last()) {
        (Some(first), Some(last)) if last.0 > first.0 => (last.1 - first.1).abs() / (last.0 - first.0),
        _ => 0.0,
    }
}

/// Heights by arc length whose grade is at most `grade`, or the [`least_grade`] where that is higher. `points` are arc
/// lengths in rising order with the wanted heights, `easing` is the length over which the grade changes.
pub fn graded(points: &[(f64, f64)], grade: f64, easing: f64) -> MonotoneCubic {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return MonotoneCubic::default() };
    let total = last.0 - first.0;
    if points.len() < 2 || total <= 0.0 {
        return MonotoneCubic::from_points(points);
    }
    let limit = higher(grade, least_grade(points));
    let line = limited(points, limit);
    // without a transition, the slope of the cubic could not change
    let window = lower(higher(easing, 1e-3 * total), total);
    let half = 0.5 * window;
    // the line continued beyond its ends by point reflection
    let reflected = |point: &(f64, f64), end: &(f64, f64)| (2.0 * end.0 - point.0, 2.0 * end.1 - point.1);
    let before = line.iter().skip(1).rev().map(|point| reflected(point, &line[0]));
    let after = line.iter().rev().skip(1).map(|point| reflected(point, &last));
    let long: Vec<(f64, f64)> = before.chain(line.iter().copied()).chain(after).collect();
    // the mean is a parabola between these arc lengths
    let mut places: Vec<f64> = long.iter().flat_map(|&(s, _)| [s - half, s + half]).collect();
    places.retain(|&s| s > first.0 && s < last.0);
    places.extend([first.0, last.0]);
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| *a - *b < 1e-6 * window);
    if let Some(end) = places.last_mut() {
        *end = last.0;
    }
    let knots: Vec<[f64; 3]> = places
        .iter()
        .map(|&s| {
            let slope = (height_at(&long, s + half) - height_at(&long, s - half)) / window;
            let height = if s == first.0 {
                first.1
            } else if s == last.0 {
                last.1
            } else {
                mean(&long, s - half, s + half)
            };
            [s, height, slope.clamp(-limit, limit)]
        })
        .collect();
    MonotoneCubic::from_knots(&without_straight_knots(knots))
}

/// Heights at the points that change by at most `grade` per metre, as near to the given heights as possible.
fn limited(points: &[(f64, f64)], grade: f64) -> Vec<(f64, f64)> {
    let (first, last) = (points[0], points[points.len() - 1]);
    // the highest line below the points and the lowest line above the points that obey the grade
    let envelope = |sign: f64| -> Vec<f64> {
        let mut line: Vec<f64> = points.iter().map(|point| sign * point.1).collect();
        for k in 1..line.len() {
            line[k] = lower(line[k], line[k - 1] + grade * (points[k].0 - points[k - 1].0));
        }
        for k in (0..line.len() - 1).rev() {
            line[k] = lower(line[k], line[k + 1] + grade * (points[k + 1].0 - points[k].0));
        }
        line.into_iter().map(|y| sign * y).collect()
    };
    let (under, over) = (envelope(1.0), envelope(-1.0));
    let bounded = |(k, &(s, _)): (usize, &(f64, f64))| {
        let (ahead, behind) = (grade * (s - first.0), grade * (last.0 - s));
        let low = higher(first.1 - ahead, last.1 - behind);
        let high = lower(first.1 + ahead, last.1 + behind);
        (s, lower(higher(0.5 * (under[k] + over[k]), low), high))
    };
    points.iter().enumerate().map(bounded).collect()
}

/// Height of a line with straight pieces at `s`.
fn height_at(line: &[(f64, f64)], s: f64) -> f64 {
    let k = line.partition_point(|point| point.0 <= s).clamp(1, line.len() - 1);
    let (a, b) = (line[k - 1], line[k]);
    a.1 + (b.1 - a.1) * ((s - a.0) / (b.0 - a.0))
}

/// Mean height of a line with straight pieces between two arc lengths.
fn mean(line: &[(f64, f64)], from: f64, to: f64) -> f64 {
    let inner = line.iter().map(|point| point.0).filter(|&s| s > from && s < to);
    let places: Vec<f64> = std::iter::once(from).chain(inner).chain([to]).collect();
    let area = |pair: &[f64]| 0.5 * (height_at(line, pair[0]) + height_at(line, pair[1])) * (pair[1] - pair[0]);
    places.windows(2).map(area).sum::<f64>() / (to - from)
}

/// The knots (arc length, height, slope) without those between two straight pieces of the same grade.
fn without_straight_knots(knots: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    let mut kept: Vec<[f64; 3]> = Vec::with_capacity(knots.len());
    let is_same = |a: &[f64; 3], b: &[f64; 3]| (a[2] - b[2]).abs() < 1e-9;
    for (k, knot) in knots.iter().enumerate() {
        let is_straight = knots.get(k + 1).is_some_and(|next| is_same(knot, next))
            && kept.last().is_some_and(|last| {
                is_same(last, knot) && (last[1] + last[2] * (knot[0] - last[0]) - knot[1]).abs() < 1e-6
            });
        if !is_straight {
            kept.push(*knot);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steepest(line: &MonotoneCubic, from: f64, to: f64) -> f64 {
        (1..10_000).fold(0.0, |most, k| higher(most, line.sample(from + (to - from) * f64::from(k) * 1e-4).1.abs()))
    }

    #[test]
    fn grades_stay_below_the_limit_and_ends_stay() {
        let hills = [(0.0, 100.0), (200.0, 180.0), (450.0, 90.0), (700.0, 95.0), (900.0, 240.0), (1500.0, 160.0)];
        for grade in [0.05, 0.08, 0.12, 0.3] {
            for easing in [0.0, 40.0, 300.0, 5000.0] {
                let line = graded(&hills, grade, easing);
                assert!(steepest(&line, 0.0, 1500.0) <= grade * (1.0 + 1e-9), "{grade} {easing}");
                assert!((line.sample(0.0).0 - 100.0).abs() < 1e-9 && (line.sample(1500.0).0 - 160.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn heights_that_obey_the_grade_stay() {
        let gentle = [(0.0, 0.0), (300.0, 15.0), (600.0, 10.0), (1000.0, 60.0)];
        let line = graded(&gentle, 0.13, 50.0);
        for s in [30.0, 150.0, 270.0, 330.0, 450.0, 570.0, 630.0, 800.0] {
            let straight = height_at(&gentle, s);
            assert!((line.sample(s).0 - straight).abs() < 1e-9, "{s}: {} {straight}", line.sample(s).0);
        }
        // the vertical curve misses the intersection point by |g₂ - g₁| w / 8
        let miss = line.sample(600.0).0 - 10.0;
        assert!((miss - (0.125 + 5.0 / 300.0) * 50.0 / 8.0).abs() < 1e-9, "{miss}");
    }

    #[test]
    fn an_impossible_grade_becomes_the_least_possible() {
        let steep = [(0.0, 0.0), (100.0, 80.0), (400.0, 100.0)];
        assert!((least_grade(&steep) - 0.25).abs() < 1e-12);
        let line = graded(&steep, 0.12, 60.0);
        for s in [1.0, 60.0, 100.0, 250.0, 399.0] {
            let (y, dy) = line.sample(s);
            assert!((y - 0.25 * s).abs() < 1e-6 && (dy - 0.25).abs() < 1e-9, "{s}: {y} {dy}");
        }
    }
}
