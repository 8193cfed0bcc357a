//! Primitives of a construction tree against document 004: outlines, widths, weight maps, large numbers.

use talweg::construction::geometry::path::CurveFit;
use talweg::construction::operators::replace::ReplaceSettings;
use talweg::construction::primitives::contour::{Contour, ContourSettings, Landform, OutlineFit};
use talweg::construction::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use talweg::construction::primitives::disc::Disc;
use talweg::construction::primitives::image::{Image, ImageSettings};
use talweg::construction::{Detail, GroundSample, OperatorGroup, Piece, PieceKind, Program, Tree};
use talweg::field::{Control, Edges, Grid};
use talweg::param::ImageFile;

use crate::kits::construction::Dice;

fn alone(form: PieceKind) -> Program {
    Program::new(&Tree { terrain: Piece::new(form), ..Tree::default() }, 1)
}

fn sample_at(program: &Program, x: f64, y: f64) -> GroundSample {
    program.sample([x, y], &Detail::FULL)
}

/// Wyvill's falloff in the document, g(d) = (1 - (d/r)²)³.
fn falloff(d: f64, r: f64) -> f64 {
    let x = (d / r).clamp(0.0, 1.0);
    let t = 1.0 - x * x;
    t * t * t
}

fn contour(points: &[(f32, f32)], outline: OutlineFit) -> Contour {
    let settings = ContourSettings {
        landform: Landform::Mesa,
        x: 4000.0,
        y: 4000.0,
        height: 100.0,
        depth: 300.0,
        core: 1.0,
        reach: 1.5,
        outline,
        ..ContourSettings::default()
    };
    Contour { points: points.to_vec(), settings, ..Contour::default() }
}

const SQUARE: [(f32, f32); 4] = [(-500.0, -500.0), (500.0, -500.0), (500.0, 500.0), (-500.0, 500.0)];

/// Four corners make a square. Both the height and the weight outside depend on the distance from the sides.
#[test]
fn four_corners_make_a_square() {
    let program = alone(PieceKind::Contour(contour(&SQUARE, OutlineFit::Straight)));
    let profile = Landform::Mesa.profile().prepare();
    // The samples lie along lines from the centre to the middle of a side and to a corner. The profile is a function of
    // the distance from the outline, and begins 500 m inside it.
    for k in 0..=30 {
        let away = 30.0 * f64::from(k);
        for (dx, dy) in [(1.0, 0.0), (0.0, -1.0), (1.0, 1.0)] {
            let (x, y): (f64, f64) = (away * dx, away * dy);
            let outside = [(x.abs() - 500.0).max(0.0), (y.abs() - 500.0).max(0.0)];
            let inside = x.abs().max(y.abs()) - 500.0;
            let distance = if inside > 0.0 { (outside[0].powi(2) + outside[1].powi(2)).sqrt() } else { inside };
            let part = (1.0 + distance / 500.0).max(0.0);
            let sample = sample_at(&program, 4000.0 + x, 4000.0 + y);
            let weight = if part <= 1.0 { 1.0 } else { falloff(part - 1.0, 0.5) };
            assert!((sample.weight - weight).abs() < 1e-3, "{x} {y}: {} {weight}", sample.weight);
            if weight > 0.0 {
                let height = 100.0 + 300.0 * profile.sample(part).0;
                assert!((sample.height - height).abs() < 0.1, "{x} {y}: {} {height}", sample.height);
            }
        }
    }
}

/// A star outline keeps its tips and its notches in both orientations, also far from its centre.
#[test]
fn a_star_keeps_its_corners() {
    let arm = |k: usize| if k.is_multiple_of(2) { 1000.0 } else { 350.0 };
    let point = |k: usize, r: f64| {
        let angle = k as f64 * std::f64::consts::TAU / 10.0;
        (r * libm::cos(angle), r * libm::sin(angle))
    };
    let points: Vec<(f32, f32)> = (0..10).map(|k| point(k, arm(k))).map(|(x, y)| (x as f32, y as f32)).collect();
    let back: Vec<(f32, f32)> = points.iter().rev().copied().collect();
    for points in [&points, &back] {
        for outline in [OutlineFit::Smooth, OutlineFit::Straight] {
            let program = alone(PieceKind::Contour(contour(points, outline)));
            assert!(program.problems.is_empty());
            for k in 0..10 {
                let (x, y) = point(k, 800.0);
                let there = sample_at(&program, 4000.0 + x, 4000.0 + y);
                let is_arm = k.is_multiple_of(2);
                assert_eq!(there.weight >= 1.0, is_arm, "{k}: {}", there.weight);
            }
        }
    }
    // The star is far from the centre to which its points are relative.
    let shifted: Vec<(f32, f32)> = points.iter().map(|(x, y)| (x + 1500.0, *y)).collect();
    let program = alone(PieceKind::Contour(contour(&shifted, OutlineFit::Straight)));
    assert!(sample_at(&program, 6300.0, 4000.0).weight >= 1.0 && sample_at(&program, 4000.0, 4000.0).weight == 0.0);
}

#[test]
fn a_self_crossing_outline_is_refused_with_a_reason() {
    let bow_tie = [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]];
    let tree = Tree {
        terrain: Piece::named("lake", PieceKind::Contour(contour(&bow_tie, OutlineFit::Straight))),
        ..Tree::default()
    };
    let error = tree.check().expect_err("it crosses itself").to_string();
    assert!(error.contains("lake") && error.contains("crosses"), "{error}");
    assert!(Program::new(&tree, 1).problems.iter().any(|problem| problem.contains("crosses")));
    // With [`OutlineFit::Direction`] the bow tie becomes a circle about its centre, as in older versions, and a report
    // says so.
    let by_direction = alone(PieceKind::Contour(contour(&bow_tie, OutlineFit::Direction)));
    assert!(by_direction.problems.iter().any(|problem| problem.contains("set the outline")));
    let mut piece = Piece::new(PieceKind::Contour(contour(&SQUARE, OutlineFit::Straight)));
    let refused = talweg::construction::edit::points::move_handle(&mut piece, 0, [9000.0, 4100.0]);
    assert!(refused.is_err(), "a corner moved across the opposite side");
    assert_eq!(piece, Piece::new(PieceKind::Contour(contour(&SQUARE, OutlineFit::Straight))));
}

/// The weight is 1 up to the local width of the curve, and falls off over the fade.
#[test]
fn a_narrowing_curve_has_its_widths() {
    let mut points = vec![CurvePoint::new(1000.0, 4000.0, 300.0), CurvePoint::new(7000.0, 4000.0, 300.0)];
    points[1].width = 0.05;
    let settings = CurveSettings { cross: Cross::Bank, width: 400.0, fade: 200.0, ..CurveSettings::default() };
    let program = alone(PieceKind::Curve(Curve { points, settings }));
    for (x, width) in [(1000.0, 400.0), (7000.0, 20.0)] {
        for k in 0..40 {
            let d = 15.0 * f64::from(k);
            let weight = if d <= width { 1.0 } else { falloff(d - width, 200.0) };
            let found = sample_at(&program, x, 4000.0 + d).weight;
            assert!((found - weight).abs() < 1e-6, "{d} m beside the line at {x}: {found} {weight}");
        }
    }
}

/// The weight of an image is the weight in its map times the weight of its border. The map is sampled at the same
/// positions as the heights.
#[test]
fn an_image_has_the_weights_of_its_map() {
    let image = |weights: &str, picture: &str| {
        let settings = ImageSettings {
            picture: ImageFile(picture.into()),
            height: 0.0,
            depth: 1.0,
            weights: ImageFile(weights.into()),
            ..ImageSettings::default()
        };
        alone(PieceKind::Image(Image { settings, ..Image::default() }))
    };
    let (plain, mapped) = (image("", "stamp:mountain"), image("stamp:mesa", "stamp:mountain"));
    let map = image("", "stamp:mesa");
    let mut dice = Dice::new(4);
    let mut seen = [0; 2];
    for _ in 0..500 {
        let (x, y) = (dice.uniform(2500.0, 5500.0), dice.uniform(2500.0, 5500.0));
        let (a, b, m) = (sample_at(&plain, x, y), sample_at(&mapped, x, y), sample_at(&map, x, y));
        if a.weight > 0.0 {
            assert!((b.weight - a.weight * m.height.clamp(0.0, 1.0)).abs() < 1e-9);
            assert!(b.weight == 0.0 || a.height == b.height);
            seen[usize::from(b.weight > 0.5)] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
    let missing = image("no such file.png", "stamp:mountain");
    assert!(missing.problems.iter().any(|problem| problem.contains("no such file")));
}

/// A hundred thousand discs, blended and replacing each other: all exist, and bounding boxes change no bit.
#[test]
fn a_hundred_thousand_pieces_are_all_evaluated() {
    let mut dice = Dice::new(11);
    let disc = |dice: &mut Dice| {
        let (x, y) = dice.position();
        let radius = dice.number(15.0, 40.0);
        let height = dice.number(100.0, 300.0);
        Piece::new(PieceKind::Disc(Disc { x, y, radius, height, amplitude: 0.0, core: 0.5, ..Disc::default() }))
    };
    let plain = Piece::new(PieceKind::Disc(Disc { radius: 30_000.0, core: 0.9, height: 90.0, ..Disc::default() }));
    for count in [100_000, 3_000] {
        let mut of = vec![plain.clone()];
        of.extend((1..count).map(|_| disc(&mut dice)));
        let group = OperatorGroup { settings: ReplaceSettings::default(), children: of.clone() };
        let blend = OperatorGroup { children: of, ..OperatorGroup::default() };
        for form in [PieceKind::Replace(group), PieceKind::Blend(blend)] {
            let program = alone(form);
            assert!(program.problems.is_empty(), "{:?}", program.problems);
            assert_eq!(program.len(), count + 1);
            let grid = Grid::new(65, Edges::Open);
            let mut heights = vec![0.0f32; grid.len()];
            let whole = talweg::field::Region::whole(grid);
            let options = talweg::construction::compiled_program::fill::FillOptions::for_material(
                talweg::construction::MaterialLayer::Terrain,
            );
            program.fill_region(grid, &whole, options, &Control::default(), &mut heights).expect("not cancelled");
            let step = program.side / 64.0;
            let detail = Detail::every(step);
            for k in (0..grid.len()).step_by(97) {
                let p = [(k % 65) as f64 * step, (k / 65) as f64 * step];
                assert_eq!(heights[k].to_bits(), ((program.height(p, &detail) / program.relief) as f32).to_bits());
            }
            if count < 10_000 {
                let slow = program.without_boxes();
                for k in (0..grid.len()).step_by(397) {
                    let p = [(k % 65) as f64 * step, (k / 65) as f64 * step];
                    assert_eq!(heights[k].to_bits(), ((slow.height(p, &detail) / slow.relief) as f32).to_bits());
                }
            }
        }
    }
}

/// Returns 1 from `from` to `to`. Outside it falls by 3t² - 2t³ to 0, over the width `below` on the lower side and
/// `above` on the upper side.
fn band(x: f64, from: f64, to: f64, below: f64, above: f64) -> f64 {
    let t = if x < from {
        1.0 - (from - x) / below
    } else if x > to {
        1.0 - (x - to) / above
    } else {
        1.0
    };
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A primitive B replaces terrain A only within a range of heights and slopes: f = f_A + α_B H S (f_B - f_A), with the
/// heights f, the weight α_B of B, and the weights H and S of the two ranges. Row evaluation gives the same bits as
/// point evaluation, and bounds hold.
#[test]
fn a_replacement_acts_within_heights_and_slopes() {
    use talweg::construction::compiled_program::fill::FillOptions;
    use talweg::construction::{Area, Capsule, MaterialLayer};
    use talweg::field::Region;
    let hills = Disc { x: 4000.0, y: 4000.0, radius: 9000.0, core: 0.9, height: 300.0, ..Disc::default() };
    let hills = Piece::new(PieceKind::Disc(Disc { amplitude: 300.0, size: 1500.0, octaves: 2, ..hills }));
    let top =
        Disc { x: 4000.0, y: 4000.0, radius: 4500.0, core: 0.6, height: 900.0, amplitude: 0.0, ..Disc::default() };
    let top = Piece::new(PieceKind::Disc(top));
    let settings = ReplaceSettings {
        by_height: true,
        height_from: 200.0,
        height_to: 420.0,
        height_feather: 60.0,
        by_slope: true,
        slope_from: 4.0,
        slope_to: 24.0,
        slope_feather: 3.0,
        base: 50.0,
        ..ReplaceSettings::default()
    };
    let group = OperatorGroup { settings, children: vec![hills.clone(), top.clone()] };
    let [program, ground, above] = [PieceKind::Replace(group), hills.kind, top.kind].map(alone);
    let tan = |degrees: f64| degrees.to_radians().tan();
    let (mut acts, mut partly) = (0, 0);
    for k in 0..900 {
        let (x, y) = (1000.0 + 200.0 * f64::from(k % 30), 1000.0 + 200.0 * f64::from(k / 30));
        let (f, b) = (sample_at(&ground, x, y), sample_at(&above, x, y));
        let height = |dx: f64, dy: f64| sample_at(&ground, x + dx, y + dy).height;
        let across = [height(50.0, 0.0) - height(-50.0, 0.0), height(0.0, 50.0) - height(0.0, -50.0)];
        let slope = (across[0].powi(2) + across[1].powi(2)).sqrt() / 100.0;
        let by_slope = band(slope, tan(4.0), tan(24.0), tan(4.0) - tan(1.0), tan(27.0) - tan(24.0));
        let share = b.weight.min(1.0) * band(f.height, 200.0, 420.0, 60.0, 60.0) * by_slope;
        let found = sample_at(&program, x, y);
        let expected = f.height + share * (b.height - f.height);
        // Parameters and the tangents of their angles are stored in single precision.
        assert!((found.height - expected).abs() < 0.02, "{x} {y}: {} and not {expected}", found.height);
        assert_eq!(found.weight, f.weight);
        acts += usize::from(share > 0.99);
        partly += usize::from((0.05..0.95).contains(&share));
        let e = 1e-3;
        let slopes = [0, 1].map(|axis| {
            let step = if axis == 0 { (e, 0.0) } else { (0.0, e) };
            (sample_at(&program, x + step.0, y + step.1).height - sample_at(&program, x - step.0, y - step.1).height)
                / (2.0 * e)
        });
        assert!((0..2).all(|k| (slopes[k] - found.slope[k]).abs() < 2e-3), "{slopes:?} {:?}", found.slope);
        let bounds = program.bounds(&Capsule::disc([x, y], 40.0), &Detail::FULL);
        let steep = (found.slope[0].powi(2) + found.slope[1].powi(2)).sqrt();
        assert!(bounds.slope >= steep && bounds.height.low <= found.height && bounds.height.high >= found.height);
    }
    assert!(acts > 40 && partly > 60, "{acts} {partly}");
    let grid = Grid::new(129, Edges::Open);
    let mut rows = vec![0.0; grid.len()];
    let options = FillOptions::for_material(MaterialLayer::Terrain);
    program.fill_region(grid, &Region::whole(grid), options, &Control::default(), &mut rows).unwrap();
    let (everything, step) = (program.selection(&Area::ALL), program.side / 128.0);
    for (k, row) in rows.iter().enumerate().step_by(5) {
        let place = [(k % 129) as f64, (k / 129) as f64].map(|i| i / 128.0 * program.side);
        let sample = program.sample_in::<false>(&everything, MaterialLayer::Terrain, place, &Detail::every(step));
        assert_eq!(*row, (sample.surface(program.ground).0 / program.relief) as f32);
    }
}

/// Table 1 of the document counts the primitives and operators of figures 1, 3, 20, 21 and 22, and names their areas in
/// km². Figure 22 shows instances of deformed mountains. There a placed instance is an operator, and the placed
/// construction tree counts once.
#[test]
fn figures_have_the_counts_and_areas_of_the_document() {
    use talweg::nodes::Node;
    let tree = |name: &str| {
        let scene = &talweg::scene::example(name).expect("a shipped scene").scene;
        let Node::Construction(node) = &scene.layers[0].node else { panic!("{name} is a construction") };
        Tree::clone(&node.tree)
    };
    let count = |tree: &Tree, is_it: &dyn Fn(&Piece) -> bool| {
        let mut count = 0;
        tree.roots().iter().for_each(|(_, root)| root.visit(&mut |piece| count += usize::from(is_it(piece))));
        count
    };
    let primitive = |piece: &Piece| piece.children().is_empty() && !matches!(piece.kind, PieceKind::Instance(_));
    for (name, primitives, operators) in [
        ("01-lake-in-the-mountains", 70, 9),
        ("03-river-in-rough-relief", 20, 3),
        ("20-coast", 78, 10),
        ("21-mountain-road", 148, 9),
    ] {
        let tree = tree(&format!("paper-004-fig-{name}"));
        assert_eq!(count(&tree, &primitive), primitives, "{name}");
        assert_eq!(count(&tree, &|piece| !piece.children().is_empty()), operators, "{name}");
        let program = Program::new(&tree, 1);
        assert!(program.problems.is_empty(), "{:?}", program.problems);
    }
    for (name, area) in [
        ("01-lake-in-the-mountains", 4.0),
        ("03-river-in-rough-relief", 1.0),
        ("20-coast", 7.0),
        ("21-mountain-road", 0.3),
        ("22-oasis", 5.0),
    ] {
        let name = format!("paper-004-fig-{name}");
        let side = f64::from(tree(&name).frame.side);
        assert!((side * side * 1e-6 / area - 1.0).abs() < 0.01, "{name}: {side} m");
        let scene = &talweg::scene::example(&name).expect("a shipped scene").scene;
        assert_eq!(f64::from(scene.side_metres()), side, "{name}: one metre of the tree is one metre of the scene");
    }
    // about twenty quadratic curves make the road: one for each inner point
    let mut quadratics = 0;
    tree("paper-004-fig-21-mountain-road").terrain.visit(&mut |piece| {
        if let PieceKind::Curve(curve) = &piece.kind {
            assert_eq!(curve.settings.run, CurveFit::Near);
            quadratics += curve.points.len() - 2;
        }
    });
    assert_eq!(quadratics, 22);
    let oasis = tree("paper-004-fig-22-oasis");
    let is_warp = |name: &str| oasis.definition(name).is_some_and(|d| matches!(d.piece.kind, PieceKind::Warp(_)));
    let instances = count(&oasis, &|piece| match &piece.kind {
        PieceKind::Instance(instance) => is_warp(&instance.definition),
        _ => false,
    });
    assert_eq!(instances, 7);
    assert_eq!(count(&oasis, &primitive), 10);
    assert_eq!(count(&oasis, &|piece| !primitive(piece)), 46);
}

/// A river with levees has a bed with steep sides and banks above the surrounding terrain. At its end the height has no
/// step.
#[test]
fn a_river_with_levees_stands_in_banks() {
    let points = [CurvePoint::new(0.0, 4000.0, 200.0), CurvePoint::new(8000.0, 4000.0, 200.0)];
    let settings = CurveSettings { cross: Cross::Levee, width: 100.0, depth: 10.0, ..CurveSettings::default() };
    let program = alone(PieceKind::Curve(Curve { points: points.to_vec(), settings }));
    let rise = |away: f64| sample_at(&program, 4000.0, 4000.0 + away).height - 200.0;
    assert!((rise(0.0) + 10.0).abs() < 1e-6, "the bed has another depth than its parameter: {}", rise(0.0));
    let across: Vec<f64> = (0..=100).map(|metre| rise(f64::from(metre))).collect();
    let (bank, crest) =
        across.iter().enumerate().fold((0, f64::MIN), |best, (k, &rise)| if rise > best.1 { (k, rise) } else { best });
    assert!((55..=70).contains(&bank) && (1.0..2.0).contains(&crest), "a levee of {crest} m at {bank} m");
    assert!(across[..bank].windows(2).all(|pair| pair[0] <= pair[1]), "up to the crest: {across:?}");
    assert!(across[bank..].windows(2).all(|pair| pair[0] >= pair[1]), "and down from it: {across:?}");
    assert!(across[100].abs() < 0.02, "level with the ground where the shape ends: {}", across[100]);
    // The cross-section has the same height on both sides of the river.
    assert!((1..100).all(|metre| (rise(f64::from(metre)) - rise(-f64::from(metre))).abs() < 1e-9));
}

/// Figure 9: the image of a ridge or a river, repeated along a curve, has no seam in height or slope.
#[test]
fn strips_meet_in_height_and_slope() {
    for name in ["ridge-strip", "river-strip"] {
        let strip = talweg::io::raster(&format!("stamp:{name}")).unwrap();
        let (width, height) = (strip.width, strip.height);
        let value = |row: usize, column: usize| f64::from(strip.filled()[row * width + column]);
        let (mut over, mut inside) = (0.0f64, 0.0f64);
        for row in 0..height {
            // The second difference at the seam is compared with the second differences at all other columns.
            let bend = |a: usize, b: usize, c: usize| (value(row, a) - 2.0 * value(row, b) + value(row, c)).abs();
            over = over.max(bend(width - 2, width - 1, 0)).max(bend(width - 1, 0, 1));
            inside = (1..width - 1).fold(inside, |most, k| most.max(bend(k - 1, k, k + 1)));
        }
        assert!(over <= inside, "{name}: {over} at the seam, {inside} elsewhere");
        assert!(inside > 0.0, "{name} is not level");
    }
}
