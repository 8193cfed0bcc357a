//! Courses against what geometry says.

use super::*;

fn hairpin() -> Path {
    let points = [[0.0, 0.0], [400.0, 20.0], [480.0, 80.0], [400.0, 140.0], [0.0, 160.0]];
    Path::new(&points, CurveFit::Through, 0.0, 120.0)
}

#[test]
fn the_mean_never_jumps_between_the_legs() {
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
fn gradients_are_those_of_the_means() {
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
    let ends = (eased.segments[0].from, eased.segments.last().map(|c| add(c.from, scaled(c.along, c.length))).unwrap());
    assert!(length(sub(ends.0, points[0])) < 1e-9 && length(sub(ends.1, points[3])) < 1e-6, "{ends:?}");
    // curvature grows steadily: no segment turns by more than a few degrees
    let sharpest = eased.segments.windows(2).map(|c| cross(c[0].along, c[1].along).abs()).fold(0.0, higher);
    assert!(sharpest < 0.2, "{sharpest}");
    let corner = eased.segments.iter().map(|c| length(c.foot([500.0, 0.0]).1)).fold(f64::INFINITY, lower);
    assert!(corner > 5.0 && corner < 120.0, "{corner}");
}
