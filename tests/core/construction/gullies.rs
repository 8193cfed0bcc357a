//! Tests gullies in a construction tree: they run down the slope of the primitives below, have the same form at any
//! resolution, and keep the weight of the primitives.

use talweg::construction::geometry::plane::{add, length, scaled, sub};
use talweg::construction::operators::gullies::GullySettings;
use talweg::construction::operators::placement::Placement;
use talweg::construction::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use talweg::construction::primitives::disc::Disc;
use talweg::construction::primitives::ground::ReliefStyle;
use talweg::construction::trace::{Bound, TraceRay, Tracer};
use talweg::construction::{Capsule, Detail, OperatorGroup, Piece, PieceKind, Point, Program, Tree, edit};

use crate::kits::construction::{Dice, gullies as any_gullies};

/// A ramp between two level sides. It rises to the east; `tangent` is the tangent of its slope angle.
fn ramp(tangent: f32) -> Piece {
    let points = vec![CurvePoint::new(0.0, 4000.0, 0.0), CurvePoint::new(8000.0, 4000.0, 8000.0 * tangent)];
    let settings =
        CurveSettings { cross: Cross::Ridge, width: 3000.0, depth: 0.0, fade: 500.0, ..CurveSettings::default() };
    Piece::new(PieceKind::Curve(Curve { points, settings }))
}

fn mountain() -> Piece {
    let disc = Disc {
        x: 4000.0,
        y: 4000.0,
        radius: 3000.0,
        core: 0.1,
        height: 900.0,
        surface: ReliefStyle::Ridged,
        amplitude: 400.0,
        size: 1500.0,
        octaves: 5,
        ..Disc::default()
    };
    Piece::new(PieceKind::Disc(disc))
}

fn gullied(settings: GullySettings, of: Vec<Piece>) -> Piece {
    Piece::new(PieceKind::Gullies(OperatorGroup { settings, children: of }))
}

fn program(terrain: Piece) -> Program {
    Program::new(&Tree { terrain, ..Tree::default() }, 5)
}

/// The height that gullies add at a point.
fn added(with: &Program, without: &Program, p: Point, detail: &Detail) -> f64 {
    with.height(p, detail) - without.height(p, detail)
}

fn places(count: usize, from: f64, to: f64) -> impl Iterator<Item = Point> {
    let mut dice = Dice::new(17);
    (0..count).map(move |_| [dice.uniform(from, to), dice.uniform(from, to)])
}

/// Gullies run downslope: they change the height much more across the slope than along it. The mean height stays, and
/// gentle slopes do not change.
#[test]
fn stripes_run_down_the_slope() {
    let settings = || GullySettings { octaves: 1, ..GullySettings::default() };
    let (with, without) = (program(gullied(settings(), vec![ramp(0.4)])), program(ramp(0.4)));
    let (mut across, mut along, mut sum, mut deepest, mut highest) = (0.0, 0.0, 0.0, 0.0f64, 0.0f64);
    for p in places(4000, 2000.0, 6000.0) {
        let at = |p| added(&with, &without, p, &Detail::FULL);
        let (here, east, south) = (at(p), at(add(p, [40.0, 0.0])), at(add(p, [0.0, 40.0])));
        (across, along, sum) = (across + (south - here).abs(), along + (east - here).abs(), sum + here);
        (deepest, highest) = (deepest.min(here), highest.max(here));
    }
    assert!(across > 3.0 * along, "across {across} along {along}");
    // Gullies raise the terrain by at most half of their depth, and lower it by at most half of their depth.
    assert!((-30.0..-25.0).contains(&deepest) && (25.0..30.0).contains(&highest), "{deepest} {highest}");
    assert!((sum / 4000.0).abs() < 2.0, "{sum}");
    let (with, without) = (program(gullied(settings(), vec![ramp(0.02)])), program(ramp(0.02)));
    // Gullies measure the slope below over a distance equal to their size.
    let half = 0.5 * f64::from(settings().size);
    let gentle = f64::from(settings().slope_from).to_radians().tan();
    let mut count = 0;
    for p in places(200, 3500.0, 4500.0) {
        let at = |by: Point| without.height(add(p, by), &Detail::FULL);
        let east = (at([half, 0.0]) - at([-half, 0.0])) / (2.0 * half);
        let south = (at([0.0, half]) - at([0.0, -half])) / (2.0 * half);
        if east.hypot(south) < gentle {
            count += 1;
            let here = added(&with, &without, p, &Detail::FULL);
            assert!(here == 0.0, "{here} m at {p:?}, slope {}", east.hypot(south));
        }
    }
    assert!(count > 50, "{count} of 200 places are gentle");
}

/// An octave with a wavelength below two samples is absent, and an octave with a wavelength of four samples or more is
/// complete. At level of detail κ = 0 only the octave with the longest wavelength stays.
#[test]
fn invisible_octaves_fade_out() {
    let at = |octaves: u32, detail: &Detail| {
        let settings = GullySettings { size: 400.0, octaves, ..GullySettings::default() };
        let (with, without) = (program(gullied(settings, vec![ramp(0.4)])), program(ramp(0.4)));
        places(60, 2500.0, 5500.0).map(|p| added(&with, &without, p, detail)).collect::<Vec<_>>()
    };
    let every = Detail::every;
    assert!(at(4, &every(200.0)).iter().all(|raised| *raised == 0.0));
    assert_eq!(at(4, &every(100.0)), at(1, &Detail::FULL));
    assert_eq!(at(4, &every(50.0)), at(2, &Detail::FULL));
    assert_ne!(at(4, &every(45.0)), at(2, &Detail::FULL));
    assert_eq!(at(4, &every(12.5)), at(4, &Detail::FULL));
    assert_eq!(at(4, &Detail { level: 0.0, spacing: 0.0 }), at(1, &Detail::FULL));
    assert_eq!(at(4, &Detail { level: 1.0 / 3.0, spacing: 0.0 }), at(2, &Detail::FULL));
}

/// Gullies keep the weight of the primitives below. Where this weight is 0, there is no terrain.
#[test]
fn gullies_keep_the_weight_of_the_pieces() {
    let (with, without) = (program(gullied(GullySettings::default(), vec![mountain()])), program(mountain()));
    let mut raised = 0;
    for p in places(3000, -500.0, 8500.0) {
        let (a, b) = (with.sample(p, &Detail::FULL), without.sample(p, &Detail::FULL));
        assert_eq!((a.weight, a.weight_gradient), (b.weight, b.weight_gradient));
        assert!(a.height.is_finite() && a.slope.iter().all(|s| s.is_finite()));
        assert!(a.weight > 0.0 || a == b);
        raised += usize::from(a.weight > 0.5 && a.height != b.height);
    }
    assert!(raised > 150, "{raised}");
}

/// Gullies move, turn, scale, mirror and rise together with their primitives.
#[test]
fn gullies_move_with_a_placement() {
    let settings = Placement {
        move_x: 700.0,
        move_y: -300.0,
        turn_angle: 35.0,
        scale: 0.7,
        steepen: 1.4,
        raise: 60.0,
        mirror: true,
        pivot_x: 4000.0,
        pivot_y: 4000.0,
        ..Placement::default()
    };
    let (map, (rise, lift)) = (settings.map(), settings.heights());
    let piece = || gullied(GullySettings::default(), vec![mountain()]);
    let there = program(Piece::new(PieceKind::Place(OperatorGroup { settings, children: vec![piece()] })));
    let here = program(piece());
    let mut seen = 0;
    for p in places(800, 1500.0, 6500.0) {
        let (own, placed) = (here.sample(p, &Detail::FULL), there.sample(map.apply(p), &Detail::FULL));
        assert!((own.weight - placed.weight).abs() < 1e-9);
        // Gullies follow the slope of the surface, which sinks to the base height of the construction tree. They do not
        // follow the slope of the primitive itself.
        if [[250.0, 0.0], [-250.0, 0.0], [0.0, 250.0], [0.0, -250.0]]
            .iter()
            .all(|step| here.sample(add(p, *step), &Detail::FULL).weight > 0.5)
        {
            seen += 1;
            assert!((own.height * rise + lift - placed.height).abs() < 1e-6, "{own:?} {placed:?}");
        }
    }
    assert!(seen > 100, "{seen}");
}

/// The height and slope of gullies stay within the bounds, over short and long distances.
#[test]
fn bounds_hold_over_any_ground() {
    let mut dice = Dice::new(4);
    let (mut tightness, mut count) = (0.0, 0);
    for round in 0..40 {
        let of = vec![if round % 3 == 0 { ramp(0.5) } else { mountain() }];
        let program = program(gullied(any_gullies(&mut dice), of));
        for k in 0..60 {
            let p = [dice.uniform(1500.0, 6500.0), dice.uniform(1500.0, 6500.0)];
            let reach = [2.0, 30.0, 500.0][k % 3];
            let q = add(p, [dice.uniform(-reach, reach), dice.uniform(-reach, reach)]);
            let detail = [Detail::FULL, Detail::every(20.0)][k % 2];
            let capsule = Capsule::segment(p, q).padded(if k % 5 == 0 { 0.3 * reach } else { 0.0 });
            let bounds = program.bounds(&capsule, &detail);
            let mut steepest = 0.0f64;
            for k in 0..40 {
                let angle = f64::from(k) * 2.4;
                let aside = scaled([libm::cos(angle), libm::sin(angle)], capsule.pad * f64::from(k % 7) / 6.0);
                let at = add(add(p, scaled(sub(q, p), f64::from(k) / 39.0)), aside);
                let sample = program.sample(at, &detail);
                if sample.weight <= 0.0 {
                    continue;
                }
                let slope = length(sample.slope);
                steepest = steepest.max(slope);
                let is_within = sample.height >= bounds.height.low - 1e-6 && sample.height <= bounds.height.high + 1e-6;
                assert!(is_within, "{} beyond {:?}", sample.height, bounds.height);
                assert!(slope <= bounds.slope * (1.0 + 1e-6) + 1e-9, "{slope} beyond {}", bounds.slope);
                assert!(sample.weight * slope <= bounds.weighted_slope * (1.0 + 1e-6) + 1e-9);
            }
            if steepest > 0.0 && bounds.slope.is_finite() {
                (tightness, count) = (tightness + libm::log(bounds.slope / steepest), count + 1);
            }
        }
    }
    let ratio = libm::exp(tightness / f64::from(count));
    assert!(ratio < 18.0, "bounds are {ratio:.1} times the steepest slopes");
    println!("bounds are {ratio:.1} times the steepest slopes, on average");
}

/// A ray that steps by proven bounds ends at the same point as a ray marched in small steps. The test also limits the
/// number of evaluations.
#[test]
fn rays_end_on_the_ground() {
    let program = program(gullied(GullySettings::default(), vec![mountain()]));
    let mut tracer = Tracer::new(&program);
    tracer.bound = Bound::Local;
    (tracer.tolerance, tracer.spread) = ((0.05, 0.0), 1e-3);
    let (mut dice, mut asked, mut met) = (Dice::new(8), 0, 0);
    for _ in 0..60 {
        let origin = [dice.uniform(500.0, 1500.0), dice.uniform(500.0, 7500.0), 1800.0];
        let target = [dice.uniform(2500.0, 5500.0), dice.uniform(2500.0, 5500.0), 300.0];
        let way = [0, 1, 2].map(|k| target[k] - origin[k]);
        let long = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt();
        let ray = TraceRay { origin, direction: way.map(|w| w / long) };
        let trace = tracer.trace(&ray);
        asked += trace.bounds;
        let marched = (0..40_000).map(|k| 0.25 * f64::from(k)).find(|&t| {
            let at = ray.point(t);
            at[2] <= tracer.height([at[0], at[1]], &tracer.detail(t))
        });
        match (trace.distance, marched) {
            (Some(a), Some(b)) => {
                met += 1;
                assert!((a - b).abs() < 1.5, "{a} {b}");
            }
            (a, b) => assert!(a.is_none() && b.is_none(), "{a:?} {b:?}"),
        }
    }
    assert!(met > 40, "{met}");
    println!("{} bounds a ray", asked / 60);
    assert!(asked < 60 * 1500, "{asked}");
}

/// Gullies that a user adds to a primitive are read back from the text of the scene.
#[test]
fn gullies_around_a_piece_are_read_back_from_text() {
    let mut tree = Tree { terrain: mountain(), ..Tree::default() };
    let root = edit::PiecePath::material(talweg::construction::MaterialLayer::Terrain);
    edit::group(&mut tree, &root, edit::Wrap::Gullies).unwrap();
    let PieceKind::Gullies(group) = &mut tree.terrain.kind else { panic!("{:?}", tree.terrain) };
    group.settings.depth = 75.0;
    let text = tree.to_ron(0).unwrap();
    assert!(text.contains("Gullies(") && text.contains("depth: 75.0"), "{text}");
    assert_eq!(Tree::from_ron(&text).unwrap(), tree);
    edit::dissolve(&mut tree, &root).unwrap();
    assert_eq!(tree.terrain, mountain());
}
