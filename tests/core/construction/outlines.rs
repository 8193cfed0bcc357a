//! Closed outlines: the distance is exact for any simple polygon, and other polygons are refused.

use talweg::construction::geometry::outline::{ClosedOutline, OutlineError};
use talweg::construction::geometry::path::CurveFit;
use talweg::construction::geometry::plane::{Point, cross, dot, length, sub};

fn star() -> Vec<Point> {
    let at = |k: usize| (k as f64 * std::f64::consts::TAU / 10.0, if k.is_multiple_of(2) { 1000.0 } else { 400.0 });
    (0..10).map(at).map(|(a, r)| [r * libm::cos(a), r * libm::sin(a)]).collect()
}

/// The signed distance by definition: the least distance from `p` to many points on every side, with the sign from the
/// winding number around `p`.
fn by_hand(points: &[Point], p: Point) -> f64 {
    let n = points.len();
    let (mut nearest, mut turns) = (f64::INFINITY, 0.0);
    for k in 0..n {
        let (a, b) = (points[k], points[(k + 1) % n]);
        for i in 0..=4000 {
            let t = f64::from(i) / 4000.0;
            nearest = nearest.min(length(sub(p, [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])])));
        }
        let (a, b) = (sub(a, p), sub(b, p));
        turns += libm::atan2(cross(a, b), dot(a, b));
    }
    if turns.abs() > 1.0 { -nearest } else { nearest }
}

#[test]
fn distances_are_exact_for_any_simple_shape() {
    let u_shape = vec![
        [0.0, 0.0],
        [900.0, 0.0],
        [900.0, 800.0],
        [600.0, 800.0],
        [600.0, 300.0],
        [300.0, 300.0],
        [300.0, 800.0],
        [0.0, 800.0],
    ];
    let square = vec![[0.0, 0.0], [1000.0, 0.0], [1000.0, 1000.0], [0.0, 1000.0]];
    for (points, depth) in [(star(), 0.0), (u_shape, 0.0), (square, 500.0)] {
        for turned in [points.clone(), points.iter().rev().copied().collect()] {
            let outline = ClosedOutline::new(&turned, CurveFit::Straight).expect("it is simple");
            for k in 0..400 {
                let p = [f64::from(k % 20) * 117.3 - 1100.0, f64::from(k / 20) * 113.9 - 1100.0];
                let (distance, gradient) = outline.distance(p);
                assert!((distance - by_hand(&turned, p)).abs() < 0.05, "{p:?}: {distance}");
                assert!((length(gradient) - 1.0).abs() < 1e-9);
            }
            assert!(depth == 0.0 || (outline.depth() - depth).abs() < 2e-4 * depth, "{}", outline.depth());
        }
    }
}

#[test]
fn a_smooth_line_goes_through_its_points_and_encloses_them() {
    let points = star();
    let outline = ClosedOutline::new(&points, CurveFit::Through).expect("it is simple");
    for &p in &points {
        assert!(outline.distance(p).0.abs() < 1e-6);
    }
    assert!(outline.corners().len() > 30 && outline.distance([0.0; 2]).0 < -350.0);
}

#[test]
fn self_crossing_or_empty_outlines_are_refused_with_a_reason() {
    let bow_tie = [[0.0, 0.0], [100.0, 100.0], [100.0, 0.0], [0.0, 100.0]];
    let refused = ClosedOutline::new(&bow_tie, CurveFit::Straight).expect_err("it crosses itself");
    assert_eq!(refused, OutlineError::Crossing(1, 3));
    assert!(refused.to_string().contains("crosses"));
    // A pentagram, the five-pointed star drawn in one stroke, crosses itself.
    let pentagram: Vec<Point> =
        (0..5).map(|k| f64::from(k) * 0.8 * std::f64::consts::PI).map(|a| [libm::cos(a), libm::sin(a)]).collect();
    for fit in [CurveFit::Straight, CurveFit::Through] {
        assert!(matches!(ClosedOutline::new(&pentagram, fit), Err(OutlineError::Crossing(..))));
    }
    let flat = [[0.0, 0.0], [50.0, 50.0], [100.0, 100.0]];
    assert!(ClosedOutline::new(&flat, CurveFit::Straight).is_err());
    assert_eq!(ClosedOutline::new(&flat[..2], CurveFit::Straight).err(), Some(OutlineError::Empty));
}
