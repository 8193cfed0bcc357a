//! Construction trees (document 004): images, contours and curves whose heights are known by hand.

use talweg::construction::geometry::path::{CurveFit, Path};
use talweg::construction::operators::detail::DetailSettings;
use talweg::construction::primitives::contour::{Contour, ContourSettings, Landform, OutlineFit};
use talweg::construction::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use talweg::construction::primitives::disc::Disc;
use talweg::construction::primitives::ground::ReliefStyle;
use talweg::construction::primitives::image::{Image, ImageSettings};
use talweg::construction::trace::{TraceRay, Tracer};
use talweg::construction::{Detail, GroundSample, OperatorGroup, Piece, PieceKind, Program, Tree};
use talweg::param::{ImageFile, NumberList};
use talweg::scene::Scene;

fn alone(form: PieceKind) -> Program {
    Program::new(&Tree { terrain: Piece::new(form), ..Tree::default() }, 1)
}

fn sample_at(program: &Program, at: [f64; 2]) -> GroundSample {
    program.sample(at, &Detail::FULL)
}

/// A white sample of an image gives the full height, and every other sample its share of it.
#[test]
fn an_image_gives_the_height_of_each_sample() {
    for stamp in ["stamp:mountain", "stamp:crater", "stamp:mesa"] {
        let raster = talweg::io::raster(stamp).unwrap();
        let corners = [(1000.0, 1000.0), (7000.0, 1000.0), (7000.0, 7000.0), (1000.0, 7000.0)];
        let settings = ImageSettings {
            picture: ImageFile(stamp.into()),
            height: 100.0,
            depth: 1000.0,
            ..ImageSettings::default()
        };
        let program = alone(PieceKind::Image(Image { corners, settings }));
        let step = [6000.0 / (raster.width - 1) as f64, 6000.0 / (raster.height - 1) as f64];
        let mut checked = 0;
        for (k, value) in raster.values.iter().enumerate() {
            let (column, row) = (k % raster.width, k / raster.width);
            let sample = sample_at(&program, [1000.0 + step[0] * column as f64, 1000.0 + step[1] * row as f64]);
            if sample.weight > 0.0 {
                let height = 100.0 + 1000.0 * f64::from(*value);
                assert!((sample.height - height).abs() < 1e-3, "{stamp} {column} {row}: {} {height}", sample.height);
                checked += 1;
            }
        }
        assert!(checked > raster.values.len() / 2, "{stamp}: {checked}");
    }
}

/// Four corners make a square if the scene names no outline; a scene of an earlier version keeps its round contour.
#[test]
fn a_contour_keeps_the_outline_that_was_drawn() {
    let points = vec![(-500.0, -500.0), (500.0, -500.0), (500.0, 500.0), (-500.0, 500.0)];
    let settings = ContourSettings { landform: Landform::Mesa, reach: 1.5, ..ContourSettings::default() };
    let contour = Contour { points, settings, ..Contour::default() };
    let program = alone(PieceKind::Contour(contour));
    // 490 m from the centre towards a side, and 690 m towards a corner, are both inside the square
    for (x, y) in [(490.0, 0.0), (0.0, -490.0), (488.0, 488.0), (-488.0, 488.0)] {
        assert!(sample_at(&program, [4000.0 + x, 4000.0 + y]).weight >= 1.0, "{x} {y}");
    }
    let middle = sample_at(&program, [4499.0, 4000.0]).height;
    let corner = sample_at(&program, [4499.0, 4499.0]).height;
    assert!((middle - corner).abs() < 0.5, "the side has {middle} m, the corner {corner} m");
    let piece = "(form: Contour(points: [(-500.0, -500.0), (500.0, -500.0), (500.0, 500.0), (-500.0, 500.0)]))";
    let scene = |version: &str| {
        let layer = format!("(name: \"c\", node: Construction(tree: (terrain: {piece})), seed: 1{version})");
        let (scene, _) = Scene::from_ron(&format!("(version: 1, layers: [{layer}])")).unwrap();
        let (_, construction) = scene.only_construction().unwrap();
        let PieceKind::Contour(contour) = &construction.tree.terrain.kind else { panic!("it was a contour") };
        contour.settings.outline
    };
    assert_eq!(scene(", algorithm: 3"), OutlineFit::Drawn);
    assert_eq!(scene(", algorithm: 2"), OutlineFit::Direction);
}

/// The smallest distance from `p` to a part of a path, by trying a point every metre and then every centimetre; with
/// the arc length of that point.
fn tried(path: &Path, p: [f64; 2], from: f64, to: f64) -> (f64, f64) {
    let away = |s: f64| {
        let (q, _) = path.point_at(s);
        (q[0] - p[0]).hypot(q[1] - p[1])
    };
    let nearest = |from: f64, to: f64, step: f64| {
        let places = (0..=((to - from) / step) as usize).map(|k| from + step * k as f64);
        places.map(|s| (away(s), s)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, from))
    };
    let (_, s) = nearest(from, to, 1.0);
    nearest((s - 1.0).max(from), (s + 1.0).min(to), 0.01)
}

/// On arcs, bends and hairpins, the nearest point is the true one, within 0.1 % of the width.
#[test]
fn the_nearest_point_of_a_curve_is_the_true_one() {
    let arc: Vec<[f64; 2]> = (0..13)
        .map(|k| f64::from(k) / 12.0 * std::f64::consts::PI)
        .map(|a| [1000.0 + 500.0 * libm::cos(a), 1000.0 + 500.0 * libm::sin(a)])
        .collect();
    let waves: Vec<[f64; 2]> = (0..9).map(|k| [250.0 * f64::from(k), if k % 2 == 0 { 0.0 } else { 180.0 }]).collect();
    let hairpin = vec![[0.0, 0.0], [500.0, 20.0], [900.0, 60.0], [900.0, 260.0], [500.0, 300.0], [0.0, 320.0]];
    for (name, points, width) in [("arc", arc, 150.0), ("waves", waves, 60.0), ("hairpin", hairpin, 60.0)] {
        let path = Path::new(&points, CurveFit::Through, 0.0, 2.0 * width);
        let end = path.stations[points.len() - 1];
        let (mut worst, mut along, mut count) = (0.0f64, 0.0f64, 0);
        for k in 0..30 {
            let s = end * (f64::from(k) + 0.5) / 30.0;
            let (q, way) = path.point_at(s);
            for step in -5..=5 {
                let d = 0.2 * width * f64::from(step);
                let p = [q[0] - way[1] * d, q[1] + way[0] * d];
                let (true_distance, true_along) = tried(&path, p, 0.0, end);
                // where another part of the curve is about as near, the nearest point is a mean
                let other = tried(&path, p, 0.0, (true_along - 2.0 * width).max(0.0))
                    .0
                    .min(tried(&path, p, (true_along + 2.0 * width).min(end), end).0);
                let near = path.nearest_point::<true>(p).unwrap();
                worst = worst.max((near.distance - true_distance).abs());
                if other > 2.5 * true_distance && true_along > 0.1 && true_along < end - 0.1 {
                    along = along.max((near.along - true_along).abs());
                    count += 1;
                }
            }
        }
        assert!(worst < 1e-3 * width, "{name}: the distance is off by {worst} m");
        assert!(along < 0.02 + 1e-3 * width, "{name}: the arc length is off by {along} m");
        assert!(count > 150, "{name}: {count}");
    }
}

/// The bed of figure 6's river is deepest on its line, and its road is highest there, also in the bends.
#[test]
fn the_deepest_line_of_a_river_lies_on_its_curve() {
    let text = include_str!("../../../saves/paper-004-fig-06-curves.ron");
    let (scene, _) = Scene::from_ron(text).unwrap();
    let (_, construction) = scene.only_construction().unwrap();
    let mut checked = 0;
    construction.tree.terrain.visit(&mut |piece| {
        let PieceKind::Curve(curve) = &piece.kind else { return };
        let points: Vec<[f64; 2]> = curve.points.iter().map(|p| [f64::from(p.at.0), f64::from(p.at.1)]).collect();
        let settings = &curve.settings;
        let path = Path::new(&points, settings.run, 0.0, f64::from(settings.width + settings.fade));
        let program = alone(piece.kind.clone());
        let sign = if settings.cross == Cross::Road { -1.0 } else { 1.0 };
        for k in 1..200 {
            let s = path.stations[points.len() - 1] * f64::from(k) / 200.0;
            let (q, way) = path.point_at(s);
            let height = |d: f64| sign * sample_at(&program, [q[0] - way[1] * d, q[1] + way[0] * d]).height;
            let deepest = (-400..=400)
                .map(|step| 0.1 * f64::from(step))
                .min_by(|a, b| height(*a).total_cmp(&height(*b)))
                .unwrap_or(f64::NAN);
            assert!(deepest.abs() < 0.15, "{}: {s} m: {deepest} m beside", piece.name);
            checked += 1;
        }
    });
    assert_eq!(checked, 2 * 199);
}

/// A straight curve keeps its grade up to both ends, whatever the number of its points.
#[test]
fn a_straight_curve_keeps_its_grade() {
    for count in [2, 3, 7] {
        let point = |k: usize| {
            let x = 1000.0 + 4000.0 * k as f32 / (count - 1) as f32;
            CurvePoint::new(x, 2000.0, 0.1 * (x - 1000.0))
        };
        for run in [CurveFit::Through, CurveFit::Straight, CurveFit::Near] {
            let settings = CurveSettings { cross: Cross::Bank, run, ..CurveSettings::default() };
            let program = alone(PieceKind::Curve(Curve { points: (0..count).map(point).collect(), settings }));
            for k in 0..=400 {
                let x = 1000.0 + 10.0 * f64::from(k);
                for y in [1860.0, 2000.0, 2075.0, 2250.0] {
                    let sample = sample_at(&program, [x, y]);
                    let height = 0.1 * (x - 1000.0);
                    assert!((sample.height - height).abs() < 0.01, "{count} {run:?} {x} {y}: {}", sample.height);
                    if x > 1000.0 && x < 5000.0 {
                        assert!((sample.slope[0] - 0.1).abs() < 1e-4 && sample.slope[1].abs() < 1e-4);
                    }
                }
            }
        }
    }
}

/// Where two straight legs meet, the cross section has no bulge: the height is the profile of the distance.
#[test]
fn joints_of_straight_legs_have_no_bulge() {
    let points = [(1000.0, 4000.0), (4000.0, 4000.0), (6000.0, 1500.0)];
    let points = points.map(|(x, y)| CurvePoint::new(x, y, 200.0)).to_vec();
    let settings = CurveSettings { run: CurveFit::Straight, ..CurveSettings::default() };
    let profile = Cross::River.profile().prepare();
    let program = alone(PieceKind::Curve(Curve { points, settings }));
    let long = 2000.0f64.hypot(2500.0);
    let leg = [2000.0 / long, -2500.0 / long];
    for i in -14..=14 {
        for j in -14..=14 {
            let p = [10.0 * f64::from(i), 10.0 * f64::from(j)];
            let first = if p[0] < 0.0 { p[1].abs() } else { p[0].hypot(p[1]) };
            let t = p[0] * leg[0] + p[1] * leg[1];
            let second = if t > 0.0 { (p[0] * leg[1] - p[1] * leg[0]).abs() } else { p[0].hypot(p[1]) };
            let height = 200.0 + 30.0 * profile.sample(first.min(second) / 150.0).0;
            let sample = sample_at(&program, [4000.0 + p[0], 4000.0 + p[1]]);
            assert!((sample.height - height).abs() < 1e-6, "{p:?}: {} instead of {height}", sample.height);
        }
    }
}

/// Level ground of the given height, with weight 1 around the middle of the square.
fn plateau(height: f32) -> Piece {
    Piece::new(PieceKind::Disc(Disc {
        radius: 9000.0,
        core: 0.9,
        height,
        surface: ReliefStyle::Level,
        ..Disc::default()
    }))
}

/// Two plateaus of 100 m and 900 m that the level of detail switches between 0.2 and 0.6.
fn switched() -> Tree {
    let settings = DetailSettings { from: 0.2, to: 0.6 };
    let children = vec![plateau(100.0), plateau(900.0)];
    Tree { terrain: Piece::new(PieceKind::Detail(OperatorGroup { settings, children })), ..Tree::default() }
}

/// f = (1 - t) f_A + t f_B and α = (1 - t) α_A + t α_B, with t = 1 - (k_B - κ)/(k_B - k_A).
#[test]
fn levels_of_detail_mix_the_heights() {
    let program = Program::new(&switched(), 1);
    for (level, height) in
        [(0.0, 100.0), (0.2, 100.0), (0.3, 300.0), (0.4, 500.0), (0.5, 700.0), (0.6, 900.0), (1.0, 900.0)]
    {
        let sample = program.sample([4000.0, 4000.0], &Detail { level, spacing: 0.0 });
        assert!((sample.height - height).abs() < 1e-3, "{level}: {} instead of {height}", sample.height);
        assert!((sample.weight - 1.0).abs() < 1e-9, "{level}: {}", sample.weight);
    }
}

/// f = c_z + Σ aᵢ η((p - c)·sᵢ) bᵢ(κ) with lists of aᵢ, 1/sᵢ and the intervals of bᵢ (§6, figure 16).
#[test]
fn a_disc_sums_the_octaves_of_its_lists() {
    let disc = |heights: &[f32], sizes: &[f32], from: &[f32], to: &[f32]| {
        let disc = Disc { radius: 30_000.0, core: 0.9, height: 500.0, octaves: 3, roughness: 0.0, ..Disc::default() };
        alone(PieceKind::Disc(Disc {
            octave_heights: NumberList(heights.into()),
            octave_sizes: NumberList(sizes.into()),
            fade_from: NumberList(from.into()),
            fade_to: NumberList(to.into()),
            ..disc
        }))
    };
    let (sizes, from, to) = ([700.0, 1300.0, 200.0], [0.1, 0.5, 0.2], [0.3, 0.9, 0.4]);
    let all = disc(&[100.0, -40.0, 25.0], &sizes, &from, &to);
    let octaves = [[100.0, 0.0, 0.0], [0.0, -40.0, 0.0], [0.0, 0.0, 25.0]].map(|one| disc(&one, &sizes, &[], &[]));
    let factor = |k: usize, level: f64| {
        let t = ((level - f64::from(from[k])) / f64::from(to[k] - from[k])).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let mut differs = 0;
    for k in 0..200 {
        let p = [2000.0 + 17.0 * f64::from(k), 5000.0 - 9.0 * f64::from(k)];
        for level in [0.0, 0.1, 0.25, 0.35, 0.5, 0.7, 0.9, 1.0] {
            let height = all.sample(p, &Detail { level, spacing: 0.0 }).height;
            let parts = octaves.iter().map(|octave| sample_at(octave, p).height - 500.0).enumerate();
            let by_hand = 500.0 + parts.map(|(k, part)| part * factor(k, level)).sum::<f64>();
            assert!((height - by_hand).abs() < 1e-3, "{p:?}, κ = {level}: {height} instead of {by_hand}");
            differs += usize::from((height - 500.0).abs() > 1.0);
        }
    }
    assert!(differs > 800, "the octaves are visible in {differs} of 1,600 samples");
    // a twice as wide octave is the same noise at half the distance from the centre
    let wide = disc(&[100.0, 0.0, 0.0], &[1400.0], &[], &[]);
    let narrow = disc(&[100.0, 0.0, 0.0], &[700.0], &[], &[]);
    for k in 1..50 {
        let d = 31.0 * f64::from(k);
        let twice = sample_at(&wide, [4000.0 + 2.0 * d, 4000.0 - d]).height;
        assert!((sample_at(&narrow, [4000.0 + d, 4000.0 - 0.5 * d]).height - twice).abs() < 1e-6);
    }
}

#[test]
fn an_empty_interval_of_an_octave_is_refused() {
    let tree = |lists: &str| Tree::from_ron(&format!("(terrain: (form: Disc({lists})))"));
    let error = tree("fade_from: [0.1, 0.5], fade_to: [0.3, 0.5]").unwrap_err();
    assert!(error.contains("`fade_from` (0.5) must be lower than `fade_to` (0.5)"), "{error}");
    // a number without its other end has no effect
    let height = |lists: &str| {
        let program = Program::new(&tree(lists).unwrap(), 1);
        program.sample([4100.0, 3900.0], &Detail { level: 0.5, spacing: 0.0 }).height
    };
    assert_eq!(height("fade_from: [0.1, 0.2], fade_to: [0.3]"), height("fade_from: [0.1], fade_to: [0.3]"));
    // in the window, the numbers are moved apart
    let mut disc = Disc::default();
    (disc.fade_from, disc.fade_to) = (NumberList(vec![1.0, 0.2]), NumberList(vec![0.5, 0.4]));
    let (mended, moved) = Tree { terrain: Piece::new(PieceKind::Disc(disc)), ..Tree::default() }.sanitised();
    let PieceKind::Disc(disc) = &mended.terrain.kind else { panic!("it was a disc") };
    assert_eq!((&disc.fade_from.0, &disc.fade_to.0), (&vec![0.99, 0.2], &vec![1.0, 0.4]));
    assert_eq!(moved.len(), 2);
}

/// Rays meet the ground at every level of detail: neither piece is outside the range of heights.
#[test]
fn rays_meet_the_ground_at_every_level_of_detail() {
    let program = Program::new(&switched(), 1);
    for (level, height) in [(0.0, 100.0), (0.3, 300.0), (0.45, 600.0), (1.0, 900.0)] {
        let mut tracer = Tracer::new(&program);
        tracer.level = level;
        assert!(tracer.range().low <= 100.0 && tracer.range().high >= 900.0, "{:?}", tracer.range());
        let slanting = 1.0 / 2.0f64.sqrt();
        let ray = TraceRay { origin: [4000.0, 2000.0, 2500.0], direction: [0.0, slanting, -slanting] };
        let distance = tracer.trace(&ray).distance.expect("the ray meets the plateau");
        let met = 2500.0 - distance * slanting;
        assert!((met - height).abs() < 0.1, "{level}: {met} instead of {height}");
    }
}

#[test]
fn an_empty_range_of_levels_is_refused() {
    let piece = "(form: Detail(settings: (from: 0.7, to: 0.7), of: [(form: Disc()), (form: Disc())]))";
    let error = Tree::from_ron(&format!("(terrain: {piece})")).unwrap_err();
    assert!(error.contains("level of detail") && error.contains("`to` (0.7)"), "{error}");
}
