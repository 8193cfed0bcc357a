use super::*;
use crate::geometry::path::Path;
use crate::geometry::profile::Profile;
use crate::materials::MaterialLayer;
use crate::operators::placement::Placement;
use crate::operators::scatter::ScatterSettings;
use crate::operators::warp::WarpSettings;
use crate::piece::{CopyGroup, OperatorGroup};
use crate::primitives::curve::Curve;
use talweg_ground::field::Stream;

const FITS: [CurveFit; 3] = [CurveFit::Through, CurveFit::Near, CurveFit::Straight];

/// Points of a line as if drawn by hand: each point is displaced by up to `jitter` metres.
fn drawn(count: usize, jitter: f64, at: impl Fn(f64) -> Point) -> Vec<Point> {
    let random = Stream::new(7, 1);
    let off = |k: usize, axis: i32| jitter * f64::from(random.signed(k as i32, axis)) * std::f64::consts::FRAC_1_SQRT_2;
    (0..=count).map(|k| add(at(k as f64 / count as f64), [off(k, 0), off(k, 1)])).collect()
}

fn circle(t: f64) -> Point {
    let angle = t * std::f64::consts::TAU;
    [4000.0 + 1000.0 * libm::cos(angle), 4000.0 + 1000.0 * libm::sin(angle)]
}

fn sine(t: f64) -> Point {
    [1000.0 + 6000.0 * t, 4000.0 + 700.0 * libm::sin(3.0 * std::f64::consts::TAU * t)]
}

/// A point at the fraction `t` of a zigzag with eight straight legs.
fn zigzag(t: f64) -> Point {
    let leg = 8.0 * t;
    let part = leg - libm::floor(leg);
    let up = (libm::floor(leg) as usize).is_multiple_of(2);
    [1000.0 + 6000.0 * t, 3000.0 + 1500.0 * if up { part } else { 1.0 - part }]
}

/// A point at the fraction `t` of a hairpin bend, whose second leg runs close to the first.
fn hairpin(t: f64) -> Point {
    if t < 0.5 { [1000.0 + 8000.0 * t, 3000.0] } else { [5000.0 - 8000.0 * (t - 0.5), 3000.0 + 160.0 * (t - 0.5)] }
}

fn measured(line: &[Point]) -> Vec<(f64, Point)> {
    let mut at = 0.0;
    let mut places = vec![(0.0, line[0])];
    for pair in line.windows(2) {
        at += length(sub(pair[1], pair[0]));
        places.push((at, pair[1]));
    }
    places
}

/// Points of a line, at most a metre apart.
fn dense(line: &[Point]) -> Vec<Point> {
    let mut places = vec![line[0]];
    for pair in line.windows(2) {
        let parts = length(sub(pair[1], pair[0])) as usize + 1;
        places.extend((1..=parts).map(|k| {
            let t = k as f64 / parts as f64;
            add(scaled(pair[0], 1.0 - t), scaled(pair[1], t))
        }));
    }
    places
}

/// The greatest distance between two lines, measured both ways.
fn apart(a: &[Point], b: &[Point]) -> f64 {
    let one = |from: &[Point], to: &[Point]| {
        let to = measured(to);
        dense(from).into_iter().fold(0.0, |most, p| higher(most, nearest(&to, p).0))
    };
    higher(one(a, b), one(b, a))
}

fn places(points: &[FittedPoint]) -> Vec<Point> {
    points.iter().map(|point| point.at).collect()
}

/// A line as a function from 0 (start) to 1 (end).
type Drawn<'a> = &'a dyn Fn(f64) -> Point;

#[test]
fn drawn_lines_are_fitted_within_tolerance_by_few_points() {
    let lines: [(&str, Drawn<'_>, [usize; 3]); 4] = [
        ("circle", &circle, [20, 28, 30]),
        ("sine", &sine, [28, 42, 38]),
        ("zigzag", &zigzag, [20, 20, 12]),
        ("hairpin", &hairpin, [5, 6, 5]),
    ];
    for (name, at, most) in lines {
        let hand = drawn(400, 6.0, at);
        for (k, fit) in FITS.into_iter().enumerate() {
            let form = LineForm { fit, is_closed: false };
            let points = fitted(&hand, form, 20.0, &[]);
            let line = Path::new(&places(&points), fit, 0.0, 300.0).line();
            let away = apart(&line, &hand);
            println!("{name} {fit:?}: {} points, {away:.1} m", points.len());
            assert!(away <= 20.0, "{name} {fit:?}: {away} m with {} points", points.len());
            assert!(points.len() <= most[k], "{name} {fit:?}: {} points", points.len());
            // the fitted line has the ends and the order of the stroke
            assert_eq!((points[0].at, points[points.len() - 1].at), (hand[0], hand[400]));
            assert!(points.windows(2).all(|pair| pair[0].fraction < pair[1].fraction));
            // a smaller tolerance needs more points
            assert!(fitted(&hand, form, 8.0, &[]).len() >= points.len());
        }
    }
}

#[test]
fn rough_lines_stop_at_the_point_limit_and_dots_give_none() {
    let form = LineForm { fit: CurveFit::Through, is_closed: false };
    let rough = drawn(900, 300.0, sine);
    assert_eq!(fitted(&rough, form, 0.01, &[]).len(), MOST_POINTS);
    for nothing in [vec![], vec![[3.0, 4.0]], vec![[3.0, 4.0]; 5]] {
        assert_eq!(fitted(&nothing, form, 1.0, &[]), []);
        assert_eq!(fitted(&nothing, LineForm { is_closed: true, ..form }, 1.0, &[]), []);
    }
    // a straight stroke needs only two points, wherever the hand rested while drawing
    let rested = [vec![[0.0, 0.0]; 9], vec![[500.0, 0.0]; 9], vec![[900.0, 1.0]; 3]].concat();
    assert_eq!(places(&fitted(&rested, form, 5.0, &[])), [[0.0, 0.0], [900.0, 1.0]]);
    // a fraction in `kept` always gets a point
    let kept = fitted(&rested, form, 5.0, &[0.25]);
    assert!(kept.len() == 3 && (kept[1].fraction - 0.25).abs() < 1e-12, "{kept:?}");
}

#[test]
fn closed_lines_are_fitted_and_overlapping_ends_cut() {
    for fit in [CurveFit::Through, CurveFit::Straight] {
        let form = LineForm { fit, is_closed: true };
        // strokes drawn by hand that stop short of their own start, meet it, or overlap it on the outside or inside
        for (share, off) in [(0.97, 0.0), (1.0, 0.0), (1.04, 30.0), (1.02, 10.0), (1.05, -40.0)] {
            let spiral = |t: f64| {
                let [x, y] = circle(t * share);
                [x + off * t * libm::cos(t), y - off * t]
            };
            let hand = drawn(300, 5.0, spiral);
            let points = fitted(&hand, form, 20.0, &[]);
            let outline = ClosedOutline::new(&places(&points), fit).unwrap();
            let corners = [outline.corners(), &outline.corners()[..1]].concat();
            let loop_of = closed_by_hand(&hand, NEAR * 20.0);
            let away = apart(&corners, &[&loop_of[..], &loop_of[..1]].concat());
            println!("{fit:?} {share}: {} points, {away:.1} m", points.len());
            assert!(away <= 20.0 && points.len() <= 28, "{fit:?} {share}: {} points, {away} m", points.len());
        }
    }
}

fn tree_of(piece: Piece) -> (Tree, PiecePath) {
    let group = OperatorGroup { children: vec![piece], ..OperatorGroup::default() };
    (Tree { terrain: Piece::new(PieceKind::Blend(group)), ..Tree::default() }, terrain(&[0]))
}

fn terrain(steps: &[usize]) -> PiecePath {
    PiecePath { steps: steps.to_vec(), ..PiecePath::material(MaterialLayer::Terrain) }
}

fn line(places: Vec<Point>) -> DrawnLine {
    DrawnLine { places, tolerance: 10.0 }
}

#[test]
fn widths_and_profiles_are_transferred_by_relative_length() {
    let own = Profile(vec![(0.0, -1.0), (1.0, 0.0)]);
    let at = |x: f32, height: f32| CurvePoint::new(x, 1000.0, height);
    let old = vec![
        CurvePoint { width: 0.5, ..at(1000.0, 300.0) },
        CurvePoint { width: 2.0, depth: 3.0, profile: Some(own.clone()), ..at(2000.0, 260.0) },
        CurvePoint { width: 1.0, ..at(5000.0, 100.0) },
    ];
    let (mut tree, path) = tree_of(Piece::new(PieceKind::Curve(Curve { points: old, ..Curve::default() })));
    // the new line runs straight south and is eight times as long: the point with a width of its own stays at a quarter
    // of the length
    let n = redraw(&mut tree, &path, &line(vec![[4000.0, 0.0], [4000.0, 8000.0]]), 0, None).unwrap();
    let points = points::line(path.piece(&tree).unwrap()).unwrap().to_vec();
    assert_eq!((n, points.len()), (3, 3));
    assert_eq!(points.iter().map(|p| p.at).collect::<Vec<_>>(), [(4000.0, 0.0), (4000.0, 2000.0), (4000.0, 8000.0)]);
    assert_eq!(
        points.iter().map(|p| (p.height, p.width, p.depth)).collect::<Vec<_>>(),
        [(300.0, 0.5, 1.0), (260.0, 2.0, 3.0), (100.0, 1.0, 1.0)]
    );
    assert_eq!(points[1].profile, Some(own));
    // if a ground is given, the points get the height of this ground
    let bare = GroundBelow::new(&tree, &path, 0, None);
    redraw(&mut tree, &path, &line(drawn(60, 0.0, sine)), 0, Some(&bare)).unwrap();
    let points = points::line(path.piece(&tree).unwrap()).unwrap();
    let ground = |p: &CurvePoint| bare.height([f64::from(p.at.0), f64::from(p.at.1)]);
    assert!(points.iter().all(|p| (f64::from(p.height) - ground(p)).abs() < 0.1), "{points:?}");
}

#[test]
fn only_pieces_with_a_line_can_be_drawn() {
    let warp =
        CopyGroup { settings: WarpSettings { bend: Bend::Curve, ..WarpSettings::default() }, ..CopyGroup::default() };
    let scatter = |region| {
        let settings = ScatterSettings { region, ..ScatterSettings::default() };
        PieceKind::Scatter(CopyGroup { settings, ..CopyGroup::default() })
    };
    for (form, is_closed) in [
        (PieceKind::Curve(Curve::default()), Some(false)),
        (PieceKind::Ribbon(Default::default()), Some(false)),
        (PieceKind::Contour(Contour::default()), Some(true)),
        (PieceKind::Warp(warp), Some(false)),
        (scatter(ScatterRegion::Curve), Some(false)),
        (scatter(ScatterRegion::Outline), Some(true)),
        (scatter(ScatterRegion::Circle), None),
        (PieceKind::Array(CopyGroup::default()), None),
        (PieceKind::Disc(Default::default()), None),
        (PieceKind::default(), None),
    ] {
        let piece = Piece::new(form);
        assert_eq!(line_form(&piece).map(|form| form.is_closed), is_closed, "{:?}", piece.kind);
        let (mut tree, path) = tree_of(piece);
        let before = tree.clone();
        let shape: fn(f64) -> Point = if is_closed == Some(true) { circle } else { sine };
        let made = redraw(&mut tree, &path, &line(drawn(200, 3.0, shape)), 0, None);
        match is_closed {
            Some(_) => assert_eq!(points::handles(path.piece(&tree).unwrap()).len(), made.unwrap()),
            None => assert!(made == Err(EditError::Gone) && tree == before),
        }
    }
}

#[test]
fn a_contour_that_crosses_itself_is_refused() {
    let (mut tree, path) = tree_of(Piece::new(PieceKind::Contour(Contour::default())));
    let before = tree.clone();
    let eight = |t: f64| {
        let angle = t * std::f64::consts::TAU;
        [4000.0 + 1500.0 * libm::sin(angle), 4000.0 + 900.0 * libm::sin(2.0 * angle)]
    };
    assert_eq!(redraw(&mut tree, &path, &line(drawn(200, 0.0, eight)), 0, None), Err(EditError::NotSimple));
    assert_eq!(redraw(&mut tree, &path, &line(vec![[0.0, 0.0], [900.0, 0.0]]), 0, None), Err(EditError::NotSimple));
    assert_eq!(redraw(&mut tree, &path, &line(vec![[1.0, 1.0]; 3]), 0, None), Err(EditError::TooFewPoints));
    assert_eq!(tree, before);
    // the centroid of a crescent is outside, so its centre must be another point inside
    let crescent = |t: f64| {
        let around = |radius: f64, t: f64| {
            let angle = 5.0 * t - 2.5;
            [4000.0 + radius * libm::cos(angle), 4000.0 + radius * libm::sin(angle)]
        };
        if t < 0.5 { around(2000.0, 2.0 * t) } else { around(1500.0, 2.0 - 2.0 * t) }
    };
    redraw(&mut tree, &path, &line(drawn(300, 3.0, crescent)), 0, None).unwrap();
    let PieceKind::Contour(contour) = &path.piece(&tree).unwrap().kind else { panic!("it is a contour") };
    assert_eq!(contour.settings.outline, OutlineFit::Smooth);
    assert!(contour.outline().unwrap().unwrap().distance([0.0; 2]).0 < -100.0, "{:?}", contour.settings);
}

#[test]
fn inside_operators_the_line_lies_where_it_was_drawn() {
    let settings = Placement { move_x: 700.0, turn_angle: 30.0, scale: 2.5, ..Placement::default() };
    let river = Piece::new(PieceKind::Curve(Curve::default()));
    let place = Piece::new(PieceKind::Place(OperatorGroup { settings, children: vec![river] }));
    let warp = WarpSettings { radius: 3000.0, ..WarpSettings::default() };
    let warped =
        Piece::new(PieceKind::Warp(CopyGroup { settings: warp, children: vec![place], ..CopyGroup::default() }));
    let (mut tree, _) = tree_of(warped);
    let path = terrain(&[0, 0, 0]);
    let hand = drawn(300, 3.0, sine);
    redraw(&mut tree, &path, &line(hand.clone()), 3, None).unwrap();
    let transform = TransformPath::for_piece(&tree, &path, 3);
    let inner = points::centreline(path.piece(&tree).unwrap()).unwrap().path.line();
    let outer: Vec<Point> = dense(&inner).into_iter().map(|q| transform.outward(q)).collect();
    let away = apart(&outer, &hand);
    assert!(away <= 10.0, "{away} m");
}

#[test]
fn redrawn_lakes_and_rivers_keep_their_water() {
    use crate::compiled_program::Program;
    use crate::edit::library::{Item, add_item};
    let shapes: [(Item, Drawn<'_>); 2] = [(Item::Lake, &circle), (Item::River, &sine)];
    for (item, shape) in shapes {
        let mut tree = Tree::default();
        let program = Program::new(&tree, 0);
        let path = add_item(&mut tree, item, [4000.0, 4000.0], None, &program, 0).unwrap();
        let water = link_group::linked_pieces(&tree, &path).remove(0);
        let heights = |tree: &Tree, path: &PiecePath| -> Vec<f32> {
            points::line(path.piece(tree).unwrap()).unwrap_or_default().iter().map(|p| p.height).collect()
        };
        let below = heights(&tree, &water).first().zip(heights(&tree, &path).first()).map(|(a, b)| a - b);
        redraw(&mut tree, &path, &line(drawn(200, 3.0, shape)), 0, None).unwrap();
        let [own, theirs] = [&path, &water].map(|path| points::handles(path.piece(&tree).unwrap()));
        assert!(own.len() == theirs.len() && own.len() > 5, "{item:?}");
        assert!(own.iter().zip(&theirs).all(|(a, b)| length(sub(*a, *b)) < 0.1), "{item:?}: {own:?} {theirs:?}");
        if let Some(below) = below {
            let pairs = heights(&tree, &water).into_iter().zip(heights(&tree, &path));
            assert!(pairs.into_iter().all(|(a, b)| (a - b - below).abs() < 0.01));
        }
    }
}
