use super::*;
use crate::geometry::plane::cross;

#[test]
fn warps_are_one_to_one_and_have_their_jacobian() {
    let bends = [
        WarpSettings { strength: 1e6, size: 500.0, ..WarpSettings::default() },
        WarpSettings {
            bend: Bend::Twist,
            turn_angle: 400.0,
            x: 100.0,
            y: -50.0,
            radius: 800.0,
            ..WarpSettings::default()
        },
        WarpSettings {
            bend: Bend::Picture,
            strength: 1e6,
            direction_angle: 30.0,
            x: 100.0,
            y: -50.0,
            radius: 900.0,
            picture: ImageFile("stamp:mountain".into()),
            ..WarpSettings::default()
        },
        WarpSettings { bend: Bend::Curve, strength: 1e6, radius: 500.0, ..WarpSettings::default() },
    ];
    for settings in bends {
        let points = vec![
            CurvePoint::new(-600.0, -500.0, 0.0),
            CurvePoint::new(100.0, -300.0, 0.0),
            CurvePoint::new(500.0, 600.0, 0.0),
        ];
        let warp = CopyGroup { settings, points, children: Vec::new() }.prepare(3);
        for k in 0..4000 {
            let p = [f64::from(k % 61) * 31.7 - 900.0, f64::from(k % 83) * 23.1 - 900.0];
            let (_, jacobian) = warp.displace::<true>(p);
            let (mut xs, mut ys) = ([p[0], p[0] + 40.0], [p[1], p[1]]);
            warp.displace_row(&mut xs, &mut ys);
            for (k, x) in [p[0], p[0] + 40.0].into_iter().enumerate() {
                let alone = warp.displace::<false>([x, p[1]]).0;
                assert_eq!([xs[k], ys[k]].map(f64::to_bits), alone.map(f64::to_bits));
            }
            assert!(cross(jacobian.rows[0], jacobian.rows[1]) > 0.0);
            let (there, stretching) = warp.displaced(&Capsule::disc(p, 3.0));
            let aside = add(p, [2.1, -2.1]);
            let off = length(sub(warp.displace::<false>(aside).0, there.middle()));
            assert!(off <= there.radius() * (1.0 + 1e-9), "{off} beyond {}", there.radius());
            let covered = warp.cover(Area::centred(p, 1.0));
            assert!(covered.contains(warp.displace::<false>(p).0));
            assert!(jacobian.stretching() <= stretching * (1.0 + 1e-9), "{} {stretching}", jacobian.stretching());
            let e = 1e-4;
            for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                let slope = scaled(
                    sub(warp.displace::<false>(add(p, step)).0, warp.displace::<false>(sub(p, step)).0),
                    0.5 / e,
                );
                assert!(length(sub(slope, [jacobian.rows[0][axis], jacobian.rows[1][axis]])) < 1e-5);
            }
        }
    }
}

#[test]
fn curves_drag_by_strength_and_pictures_push_by_brightness() {
    let line = |x: f32| CurvePoint::new(x, 0.0, 0.0);
    let settings = WarpSettings { bend: Bend::Curve, strength: 60.0, radius: 400.0, ..WarpSettings::default() };
    let drag = CopyGroup { settings, points: vec![line(-2000.0), line(2000.0)], children: Vec::new() }.prepare(1);
    for (y, share) in [(0.0, 1.0), (200.0, 0.75 * 0.75 * 0.75 * 0.75f64.sqrt()), (400.0, 0.0)] {
        let (q, _) = drag.displace::<false>([30.0, y]);
        // the integral of the falloff g along a chord at distance y from the centre is (1 - (y/r)²)^3.5 times the
        // integral along the chord through the centre
        assert!((30.0 - q[0] - 60.0 * share).abs() < 0.3 && q[1] == y, "{y}: {q:?}");
    }
    assert_eq!(drag.displace::<false>([3000.0, 0.0]).0, [3000.0, 0.0]);
    let file = ImageFile("stamp:mountain".into());
    let raster = ImageSampler::new(talweg_ground::io::raster(&file.0).unwrap());
    let bend = Bend::Picture;
    let settings = WarpSettings { bend, picture: file, strength: 20.0, radius: 1000.0, ..WarpSettings::default() };
    let push = CopyGroup { settings: WarpSettings { x: 0.0, y: 0.0, ..settings }, ..Default::default() }.prepare(1);
    let value = raster.sample(0.6, 0.45).0;
    let (q, _) = push.displace::<false>([200.0, -100.0]);
    assert!((200.0 - q[0] - 20.0 * (2.0 * value - 1.0)).abs() < 1e-9 && q[1] == -100.0, "{q:?} {value}");
}
