//! Arrays, scatters and stretched parts of a construction tree are compared with copies placed by hand. All evaluators
//! of a tree are compared with each other.

use talweg::construction::compiled_program::fill::{FillOptions, region_of_area};
use talweg::construction::edit::link_group::Motion;
use talweg::construction::edit::transform_path::TransformPath;
use talweg::construction::edit::{self, PiecePath, Wrap};
use talweg::construction::geometry::plane::{Area, Capsule, Point, add, length, sub};
use talweg::construction::operators::array::{Arrangement, ArraySettings};
use talweg::construction::operators::copies::Overlap;
use talweg::construction::operators::deposit::AddSettings;
use talweg::construction::operators::gullies::GullySettings;
use talweg::construction::operators::placement::Placement;
use talweg::construction::operators::replace::{Extent, ReplaceSettings};
use talweg::construction::operators::scatter::{ScatterRegion, ScatterSettings};
use talweg::construction::operators::warp::WarpSettings;
use talweg::construction::primitives::contour::{Contour, ContourSettings, Landform};
use talweg::construction::primitives::curve::CurvePoint;
use talweg::construction::primitives::disc::Disc;
use talweg::construction::primitives::ground::ReliefStyle;
use talweg::construction::trace::{TraceRay, Tracer};
use talweg::construction::{
    CopyGroup, Definition, Detail, GroundSample, Instance, MaterialLayer, OperatorGroup, Piece, PieceKind, Program,
    Tree, changed_area,
};
use talweg::field::{Control, Edges, Grid, Region};

use crate::kits::construction::Dice;

fn piece(form: PieceKind) -> Piece {
    Piece::new(form)
}

fn program(terrain: Piece) -> Program {
    let program = Program::new(&Tree { terrain, ..Tree::default() }, 1);
    assert!(program.problems.is_empty(), "{:?}", program.problems);
    program
}

fn blend(of: Vec<Piece>) -> Piece {
    piece(PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }))
}

fn replace(extent: Extent, of: Vec<Piece>) -> Piece {
    piece(PieceKind::Replace(OperatorGroup {
        settings: ReplaceSettings { extent, ..ReplaceSettings::default() },
        children: of,
    }))
}

/// Level terrain below all other primitives.
fn plain() -> Piece {
    piece(PieceKind::Disc(Disc { radius: 30_000.0, core: 0.9, height: 90.0, amplitude: 40.0, ..Disc::default() }))
}

fn hill() -> Piece {
    let hill = Disc { x: 4000.0, y: 4000.0, radius: 700.0, core: 0.4, height: 250.0, ..Disc::default() };
    piece(PieceKind::Disc(Disc { surface: ReliefStyle::Hills, amplitude: 60.0, size: 300.0, octaves: 4, ..hill }))
}

fn crater() -> Piece {
    let settings = ContourSettings {
        landform: Landform::Crater,
        x: 4000.0,
        y: 4000.0,
        height: 120.0,
        depth: 100.0,
        radius: 300.0,
        core: 1.0,
        reach: 1.75,
        ..ContourSettings::default()
    };
    piece(PieceKind::Contour(Contour { settings, ..Contour::default() }))
}

/// A group that is demanding for evaluators: a carved hill under a warp, and sand. With `by_slope` the sand is on low
/// and flat terrain, otherwise on all low terrain.
fn rich(by_slope: bool) -> Piece {
    let carved = replace(Extent::Both, vec![hill(), crater()]);
    let settings = WarpSettings { strength: 60.0, size: 500.0, ..WarpSettings::default() };
    let warped = piece(PieceKind::Warp(CopyGroup { settings, children: vec![carved], ..CopyGroup::default() }));
    let settings = AddSettings {
        by_height: true,
        height_from: 100.0,
        height_to: 220.0,
        height_feather: 60.0,
        by_slope,
        slope_to: 20.0,
        ..AddSettings::default()
    };
    let sand = Disc { x: 4100.0, y: 3900.0, radius: 500.0, core: 0.3, height: 20.0, amplitude: 5.0, ..Disc::default() };
    piece(PieceKind::Add(OperatorGroup { settings, children: vec![warped, piece(PieceKind::Disc(sand))] }))
}

/// A hill and a crater with gullies down their slopes.
fn gullied() -> Piece {
    let settings = GullySettings { size: 160.0, octaves: 3, depth: 20.0, ..GullySettings::default() };
    piece(PieceKind::Gullies(OperatorGroup { settings, children: vec![hill(), crater()] }))
}

fn array(settings: ArraySettings, of: Vec<Piece>) -> Piece {
    piece(PieceKind::Array(CopyGroup { settings, children: of, points: Vec::new() }))
}

fn scatter(settings: ScatterSettings, of: Vec<Piece>) -> Piece {
    piece(PieceKind::Scatter(CopyGroup { settings, children: of, points: Vec::new() }))
}

fn strewn() -> ScatterSettings {
    ScatterSettings {
        radius: 3500.0,
        distance: 700.0,
        turn_jitter: 180.0,
        scale_jitter: 0.5,
        height_jitter: 0.3,
        variants: 3,
        scale: 0.8,
        ..ScatterSettings::default()
    }
}

/// Construction trees with arrays and scatters under every operator, each with a name.
fn trees() -> Vec<(String, Tree)> {
    let mut made = Vec::new();
    for &overlap in Overlap::ALL {
        for (name, what) in [
            ("hills", hill()),
            ("craters", crater()),
            ("groups", rich(false)),
            ("slopes", rich(true)),
            ("gullies", gullied()),
        ] {
            let strewn = ScatterSettings { overlap, ..strewn() };
            let copies = || scatter(strewn.clone(), vec![what.clone()]);
            let grid = ArraySettings {
                arrangement: Arrangement::Grid,
                pivot_x: 3700.0,
                step_x: 900.0,
                step_y: 700.0,
                stagger: 0.5,
                turn_angle: 20.0,
                scale_jitter: 0.3,
                overlap,
                ..ArraySettings::default()
            };
            let placed = Placement {
                turn_angle: 25.0,
                scale: 0.8,
                stretch_x: 1.3,
                stretch_y: 0.7,
                shear_angle: 20.0,
                // The instruction buffer has only one height for empty areas: the base height of the construction tree.
                raise: if name == "groups" || name == "slopes" { 0.0 } else { 30.0 },
                pivot_x: 4000.0,
                pivot_y: 4000.0,
                ..Placement::default()
            };
            let add = |of| piece(PieceKind::Add(OperatorGroup { settings: AddSettings::default(), children: of }));
            for (under, terrain) in [
                ("blend", blend(vec![plain(), copies()])),
                ("replace", replace(Extent::Below, vec![plain(), copies()])),
                ("replace with", replace(Extent::Both, vec![hill(), array(grid.clone(), vec![what.clone()])])),
                ("add", add(vec![plain(), copies()])),
                ("place", piece(PieceKind::Place(OperatorGroup { settings: placed, children: vec![copies()] }))),
                ("array", array(ArraySettings { count: 3, ..ArraySettings::default() }, vec![copies()])),
            ] {
                made.push((format!("{name} {overlap:?} under {under}"), Tree { terrain, ..Tree::default() }));
            }
        }
    }
    made
}

fn spot(dice: &mut Dice) -> Point {
    [dice.uniform(-200.0, 8200.0), dice.uniform(-200.0, 8200.0)]
}

fn assert_near(a: &GroundSample, b: &GroundSample, what: &str) {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (1.0 + a.abs());
    let all = [
        (a.weight, b.weight),
        (a.weight_gradient[0], b.weight_gradient[0]),
        (a.weight_gradient[1], b.weight_gradient[1]),
    ];
    let there = [(a.height, b.height), (a.slope[0], b.slope[0]), (a.slope[1], b.slope[1])];
    let counts = a.weight > 1e-9;
    assert!(all.iter().all(|(a, b)| close(*a, *b)), "{what}: {a:?} {b:?}");
    assert!(!counts || there.iter().all(|(a, b)| close(*a, *b)), "{what}: {a:?} {b:?}");
}

/// An array equals copies placed by hand side by side or one after the other.
#[test]
fn an_array_equals_copies_placed_by_hand() {
    let by_hand = |settings: &[Placement]| -> Vec<Piece> {
        let copy = |settings: &Placement| {
            piece(PieceKind::Instance(Instance { definition: "it".into(), settings: settings.clone() }))
        };
        settings.iter().map(copy).collect()
    };
    let pivot = |settings: Placement| Placement { pivot_x: 4000.0, pivot_y: 4000.0, ..settings };
    let line: Vec<Placement> = (0..4)
        .map(|k| pivot(Placement { move_x: 500.0 * k as f32, move_y: -300.0 * k as f32, ..Placement::default() }))
        .collect();
    let about =
        |degrees: f32| Placement { turn_angle: degrees, pivot_x: 4500.0, pivot_y: 3000.0, ..Placement::default() };
    let ring: Vec<Placement> = (0..6).map(|k| about(60.0 * k as f32)).collect();
    let mut bricks = Vec::new();
    for i in 0..3 {
        for j in 0..2 {
            let late = if i == 1 { 0.5 } else { 0.0 };
            bricks.push(pivot(Placement {
                move_x: (j as f32 + late) * 600.0,
                move_y: 450.0 * i as f32,
                ..Placement::default()
            }));
        }
    }
    let cases = [
        (ArraySettings { count: 4, step_x: 500.0, step_y: -300.0, ..ArraySettings::default() }, line),
        (
            ArraySettings {
                arrangement: Arrangement::Radial,
                count: 6,
                x: 4500.0,
                y: 3000.0,
                ..ArraySettings::default()
            },
            ring,
        ),
        (
            ArraySettings {
                arrangement: Arrangement::Grid,
                columns: 2,
                rows: 3,
                stagger: 0.5,
                step_x: 600.0,
                step_y: 450.0,
                ..ArraySettings::default()
            },
            bricks,
        ),
    ];
    for (settings, hand) in cases {
        for what in [hill(), crater()] {
            let original = vec![Definition { name: "it".into(), piece: what.clone() }];
            let tree = |terrain| Tree { terrain, definitions: original.clone(), ..Tree::default() };
            let copies = |overlap| array(ArraySettings { overlap, ..settings.clone() }, vec![what.clone()]);
            let with = |first: Piece| std::iter::once(first).chain(by_hand(&hand)).collect::<Vec<_>>();
            let pairs = [
                (blend(vec![plain(), copies(Overlap::Blend)]), blend(with(plain()))),
                (
                    replace(Extent::Below, vec![plain(), copies(Overlap::Replace)]),
                    replace(Extent::Below, with(plain())),
                ),
            ];
            for (short, long) in pairs {
                let (short, long) = (Program::new(&tree(short), 1), Program::new(&tree(long), 1));
                assert!(short.problems.is_empty() && short.len() < long.len());
                let mut dice = Dice::new(5);
                for _ in 0..600 {
                    let p = spot(&mut dice);
                    assert_near(
                        &short.sample(p, &Detail::FULL),
                        &long.sample(p, &Detail::FULL),
                        &format!("{p:?} of {:?}", settings.arrangement),
                    );
                }
            }
        }
    }
}

/// Evaluations of rows, points, tiles and boxes give the same bits for copies.
#[test]
fn copies_have_the_same_bits_in_every_evaluation() {
    let grid = Grid::new(97, Edges::Open);
    for (name, tree) in trees() {
        let program = Program::new(&tree, 3);
        assert!(program.problems.is_empty(), "{name}: {:?}", program.problems);
        let filled = |program: &Program, pruned| {
            let mut out = vec![0.0; grid.len()];
            let sampling = FillOptions { pruned, ..FillOptions::for_material(MaterialLayer::Terrain) };
            program.fill_region(grid, &Region::whole(grid), sampling, &Control::default(), &mut out).unwrap();
            out
        };
        let out = filled(&program, true);
        assert!(out == filled(&program, false), "{name}: by tiles");
        assert!(out == filled(&Program::new(&tree, 3).without_boxes(), false), "{name}: by boxes");
        let step = program.side / 96.0;
        let detail = Detail { level: 1.0, spacing: step };
        for (k, &height) in out.iter().enumerate().step_by(5) {
            let place = |i: usize| i as f64 / 96.0 * program.side;
            let alone = program.height([place(k % 97), place(k / 97)], &detail) / program.relief;
            assert!(alone as f32 == height, "{name}: {alone} {height}");
        }
        let text = tree.to_ron(0).unwrap();
        assert_eq!(Tree::from_ron(&text).unwrap(), tree, "{name}");
    }
}

/// Bounds hold, gradients equal central differences, and traced rays end at the same points as rays marched in small
/// steps.
#[test]
fn copies_keep_the_promises_of_every_evaluator() {
    for (number, (name, tree)) in trees().into_iter().enumerate() {
        let program = Program::new(&tree, 3);
        let mut dice = Dice::new(number as u64 + 40);
        for _ in 0..60 {
            let p = spot(&mut dice);
            let reach = dice.uniform(1.0, 700.0);
            let q = add(p, [dice.uniform(-reach, reach), dice.uniform(-reach, reach)]);
            let detail = Detail::every(dice.uniform(0.0, 30.0));
            let capsule = Capsule::segment(p, q).padded(dice.uniform(0.0, 50.0));
            let bounds = program.bounds(&capsule, &detail);
            let (range, steepest) = program.surface_bounds(&capsule, &detail);
            for k in 0..24 {
                let t = f64::from(k) / 23.0;
                let at = add(p, [(q[0] - p[0]) * t, (q[1] - p[1]) * t]);
                let sample = program.sample(at, &detail);
                let (height, slope) = sample.surface(program.ground);
                assert!((range.low - 1e-6..=range.high + 1e-6).contains(&height), "{name}: {height} {range:?}");
                assert!(length(slope) <= steepest * (1.0 + 1e-6) + 1e-9, "{name}: {} {steepest}", length(slope));
                assert!((bounds.weight.low - 1e-9..=bounds.weight.high + 1e-9).contains(&sample.weight), "{name}");
                assert!(length(sample.weight_gradient) <= bounds.weight_gradient * (1.0 + 1e-6) + 1e-9, "{name}");
            }
        }
        let (mut kinks, mut seen, e) = (0, 0, 1e-4);
        for _ in 0..60 {
            let p = spot(&mut dice);
            let sample = program.sample(p, &Detail::FULL);
            if sample.weight < 1e-3 {
                continue;
            }
            seen += 1;
            for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                let height = |p: Point| program.height(p, &Detail::FULL);
                let (before, here, after) = (height(sub(p, step)), height(p), height(add(p, step)));
                let exact = sample.surface(program.ground).1[axis];
                if ((after - here) - (here - before)).abs() / e > 1e-3 * (1.0 + exact.abs()) {
                    kinks += 1;
                } else {
                    let found = (after - before) / (2.0 * e);
                    assert!((found - exact).abs() <= 1e-3 * (1.0 + exact.abs()), "{name}: {found} {exact} at {p:?}");
                }
            }
        }
        assert!(kinks <= 2 + seen / 4, "{name}: {kinks} of {seen}");
        let tracer = Tracer::new(&program);
        for _ in 0..12 {
            let origin = [dice.uniform(0.0, 8000.0), dice.uniform(0.0, 8000.0), tracer.range().high.min(1500.0)];
            let (turn, fall) = (dice.uniform(0.0, std::f64::consts::TAU), dice.uniform(0.1, 0.8));
            let flat = (1.0 - fall * fall).sqrt();
            let ray = TraceRay { origin, direction: [flat * libm::cos(turn), flat * libm::sin(turn), -fall] };
            let trace = tracer.trace(&ray);
            let marched = (0..20_000).map(|k| 0.5 * f64::from(k)).find(|&t| {
                let at = ray.point(t);
                let inside = (0..2).all(|k| (0.0..=program.side).contains(&at[k]));
                inside && at[2] <= tracer.height([at[0], at[1]], &tracer.detail(t))
            });
            match (trace.distance, marched) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1.0, "{name}: {a} {b}"),
                (a, b) => assert!(a.is_none() && b.is_none(), "{name}: {a:?} {b:?}"),
            }
        }
    }
}

/// When a scatter grows, only new copies are computed, and existing copies stay.
#[test]
fn a_scatter_that_grows_keeps_its_copies() {
    let tree = |radius: f32, density: f32| {
        let settings = ScatterSettings { radius, density, distance: 300.0, scale: 0.3, ..strewn() };
        Tree { terrain: replace(Extent::Below, vec![plain(), scatter(settings, vec![hill()])]), ..Tree::default() }
    };
    let copies = |tree: &Tree| tree.terrain.children()[1].copies(3).unwrap().unwrap().0;
    let (small, large, thin) = (copies(&tree(1200.0, 1.0)), copies(&tree(2500.0, 1.0)), copies(&tree(2500.0, 0.4)));
    assert!(small.len() > 20 && large.len() > 3 * small.len(), "{} {}", small.len(), large.len());
    assert!(small.iter().all(|copy| large.contains(copy)) && thin.iter().all(|copy| large.contains(copy)));
    let share = thin.len() as f64 / large.len() as f64;
    assert!((0.25..0.55).contains(&share), "{share}");
    // A longer curve gives its array more copies.
    let along = |last: f32| {
        let points = vec![CurvePoint::new(500.0, 500.0, 100.0), CurvePoint::new(last, 500.0, 300.0)];
        let settings = ScatterSettings { region: ScatterRegion::Curve, distance: 120.0, ..strewn() };
        let group = CopyGroup { settings, points, children: vec![hill()] };
        group.positions(3).unwrap().iter().map(|place| place.at).collect::<Vec<_>>()
    };
    let (short, long) = (along(3000.0), along(6000.0));
    assert!(short.len() > 15 && long.len() > short.len());
    assert!(short.iter().zip(&long).all(|(a, b)| length(sub(*a, *b)) < 1e-9));

    let (before, after) = (Program::new(&tree(1200.0, 1.0), 3), Program::new(&tree(1260.0, 1.0), 3));
    let grid = Grid::new(129, Edges::Open);
    let filled = |program: &Program, region: &Region, out: &mut Vec<f32>| {
        let options = FillOptions::for_material(MaterialLayer::Terrain);
        program.fill_region(grid, region, options, &Control::default(), out).unwrap();
    };
    let (mut out, mut whole) = (vec![0.0; grid.len()], vec![0.0; grid.len()]);
    filled(&before, &Region::whole(grid), &mut out);
    filled(&after, &Region::whole(grid), &mut whole);
    assert!(out != whole);
    let area = changed_area(&before, &after).expect("there are new copies");
    filled(&after, &region_of_area(&area, grid, after.side), &mut out);
    assert!(out == whole);
    // Two programs of the same construction tree have no changed area between them.
    assert_eq!(changed_area(&before, &Program::new(&tree(1200.0, 1.0), 3)), None);
}

/// Copies along a curve are evenly spaced along its length. They have its height and turn with its direction.
#[test]
fn copies_follow_a_curve() {
    let points = vec![CurvePoint::new(1000.0, 1000.0, 100.0), CurvePoint::new(1000.0, 5000.0, 300.0)];
    let settings = ArraySettings { arrangement: Arrangement::Curve, count: 5, ..ArraySettings::default() };
    let group = |settings: ArraySettings| CopyGroup { settings, points: points.clone(), children: vec![hill()] };
    let places = group(settings.clone()).positions().unwrap();
    for (k, place) in places.iter().enumerate() {
        assert!(length(sub(place.at, [1000.0, 1000.0 + 1000.0 * k as f64])) < 1e-9, "{place:?}");
        // The curve runs south, which is a quarter turn.
        assert!((place.turn - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    }
    let raise = |k: usize| places[k].raise;
    assert!((raise(0), raise(4)) == (100.0, 300.0) && raise(1) > 100.0 && raise(1) < raise(2) && raise(3) < 300.0);
    let spaced = ArraySettings { by_spacing: true, spacing: 300.0, follow: false, ..settings };
    let places = group(spaced).positions().unwrap();
    assert!(places.len() == 14 && places.iter().all(|place| place.turn == 0.0));
    assert!(places.windows(2).all(|two| (length(sub(two[1].at, two[0].at)) - 300.0).abs() < 1e-9));
}

/// Impossible copies are reported with their path in the tree, and the rest of the tree is evaluated.
#[test]
fn impossible_copies_are_left_out_and_reported() {
    let dense = ScatterSettings { distance: 0.1, radius: 1.0e6, ..ScatterSettings::default() };
    let many = ArraySettings { arrangement: Arrangement::Grid, columns: 1000, rows: 1000, ..ArraySettings::default() };
    let line = ArraySettings { arrangement: Arrangement::Curve, ..ArraySettings::default() };
    for (copies, says) in [
        (scatter(dense, vec![hill()]), "more than"),
        (array(many, vec![hill()]), "more than"),
        (array(line, vec![hill()]), "two points"),
        (scatter(ScatterSettings { region: ScatterRegion::Outline, ..strewn() }, vec![hill()]), "three points"),
    ] {
        let tree = Tree { terrain: blend(vec![plain(), Piece { name: "strewn".into(), ..copies }]), ..Tree::default() };
        let program = Program::new(&tree, 1);
        let said = program.problems.iter().any(|problem| problem.contains(says) && problem.contains("strewn"));
        assert!(said, "{:?}", program.problems);
        assert!(program.sample([4000.0; 2], &Detail::FULL).weight > 0.5);
    }
}

/// Moving, turning or scaling an array or a scatter by hand moves its copies with it.
#[test]
fn arrays_and_scatters_are_moved_whole() {
    let points =
        || [(2000.0, 3000.0), (4000.0, 2500.0), (5500.0, 4500.0)].map(|(x, y)| CurvePoint::new(x, y, 50.0)).to_vec();
    let curve = ArraySettings { arrangement: Arrangement::Curve, count: 7, ..ArraySettings::default() };
    let along = ScatterSettings { region: ScatterRegion::Curve, ..strewn() };
    let forms = [
        PieceKind::Array(CopyGroup { settings: ArraySettings::default(), points: vec![], children: vec![crater()] }),
        PieceKind::Array(CopyGroup {
            settings: ArraySettings { arrangement: Arrangement::Grid, ..ArraySettings::default() },
            points: vec![],
            children: vec![crater()],
        }),
        PieceKind::Array(CopyGroup {
            settings: ArraySettings { arrangement: Arrangement::Radial, x: 3000.0, ..ArraySettings::default() },
            points: vec![],
            children: vec![crater()],
        }),
        PieceKind::Array(CopyGroup { settings: curve, points: points(), children: vec![crater()] }),
        PieceKind::Scatter(CopyGroup { settings: along, points: points(), children: vec![crater()] }),
    ];
    let about = [3500.0, 4200.0];
    let transform = TransformPath::plain(3);
    for form in forms {
        let before = piece(form);
        for motion in [
            Motion::Shift { from: [0.0; 2], to: [300.0, -200.0] },
            Motion::Turn { about, degrees: 35.0 },
            Motion::Scale { about, by: 1.5 },
        ] {
            let root = PiecePath::material(MaterialLayer::Terrain).root;
            let after = motion.applied(&before, root, &transform);
            let goes = |p: Point| match motion {
                Motion::Shift { from, to } => add(p, sub(to, from)),
                Motion::Turn { degrees, .. } => {
                    let angle = degrees.to_radians();
                    let (sin, cos, way) = (libm::sin(angle), libm::cos(angle), sub(p, about));
                    add(about, [cos * way[0] - sin * way[1], sin * way[0] + cos * way[1]])
                }
                Motion::Scale { by, .. } => add(about, sub(p, about).map(|v| v * by)),
                Motion::Raise(_) => p,
            };
            let copies = |piece: &Piece| piece.copies(3).unwrap().unwrap().0;
            let middle = |piece: &Piece| {
                let PieceKind::Contour(crater) = &piece.children()[0].kind else { panic!("it is a crater") };
                [f64::from(crater.settings.x), f64::from(crater.settings.y)]
            };
            let (old, new) = (copies(&before), copies(&after));
            assert_eq!(old.len(), new.len());
            for (a, b) in old.iter().zip(&new) {
                let (a, b) = (goes(a.map.apply(middle(&before))), b.map.apply(middle(&after)));
                // Parameters are written with six digits, so positions differ by up to 0.1 m.
                assert!(length(sub(a, b)) < 0.1, "{motion:?} of {:?}: {a:?} {b:?}", before.kind());
            }
        }
    }
    // When the editor wraps a primitive in an array, the first copy stays in place.
    let mut tree = Tree { terrain: blend(vec![plain(), hill()]), ..Tree::default() };
    let path = PiecePath::material(MaterialLayer::Terrain).child(1);
    edit::group(&mut tree, &path, Wrap::Array).unwrap();
    let inside = TransformPath::for_piece(&tree, &path.child(0), 3);
    assert!(length(sub(inside.inward([4100.0, 3900.0]), [4100.0, 3900.0])) < 1e-9);
    assert!(edit::dissolve(&mut tree, &path).is_err());
    assert!(edit::pick_index::area(&tree, &path).contains([4000.0 + 4.0 * 800.0; 2]));
}

/// A placement stretches and shears a square mesa into the parallelogram given by the matrix.
#[test]
fn a_placement_stretches_and_shears() {
    let level = Disc { x: 4000.0, y: 4000.0, radius: 1000.0, height: 100.0, amplitude: 0.0, ..Disc::default() };
    let placed = |settings: Placement| {
        let settings = Placement { pivot_x: 4000.0, pivot_y: 4000.0, ..settings };
        program(piece(PieceKind::Place(OperatorGroup {
            settings,
            children: vec![piece(PieceKind::Disc(level.clone()))],
        })))
    };
    let plain = placed(Placement::default());
    let settings =
        Placement { stretch_x: 2.0, stretch_y: 0.5, shear_angle: 45.0, turn_angle: 90.0, ..Placement::default() };
    let skewed = placed(settings);
    let mut dice = Dice::new(8);
    for _ in 0..300 {
        let way = [dice.uniform(-1000.0, 1000.0), dice.uniform(-1000.0, 1000.0)];
        // The placement first stretches and shears by x' = 2 x + y' tan 45° and y' = y / 2, then makes a quarter turn
        // from east to south.
        let (x, y) = (2.0 * way[0] + 0.5 * way[1], 0.5 * way[1]);
        let there = skewed.sample([4000.0 - y, 4000.0 + x], &Detail::FULL);
        let here = plain.sample([4000.0 + way[0], 4000.0 + way[1]], &Detail::FULL);
        assert!((there.weight - here.weight).abs() < 1e-9, "{way:?}: {} {}", there.weight, here.weight);
        assert_eq!(there.height > 0.0, here.height > 0.0);
    }
    // The placement multiplies the slope bound by 1 / (the smallest singular value of its matrix), and no more.
    let area = Area::centred([4000.0; 2], 3000.0);
    let (bare, more) =
        (plain.bounds(&Capsule::area(&area), &Detail::FULL), skewed.bounds(&Capsule::area(&area), &Detail::FULL));
    let (a, b, c) = (2.0f64, 0.5f64, 0.5f64);
    let (sum, det) = (a * a + b * b + c * c, a * c);
    let least = (0.5 * (sum - (sum * sum - 4.0 * det * det).sqrt())).sqrt();
    assert!(
        (more.weight_gradient - bare.weight_gradient / least).abs() < 1e-6 * more.weight_gradient,
        "{} {}",
        more.weight_gradient,
        bare.weight_gradient / least
    );
}
