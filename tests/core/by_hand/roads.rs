//! Roads (document 004, figures 20 and 21): the greatest grade along a road, and water below and through a road.

use talweg::construction::geometry::path::Path;
use talweg::construction::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use talweg::construction::{Area, Detail, MaterialLayer, Piece, PieceKind, Program, Tree};
use talweg::field::{Control, Edges, Grid};
use talweg::hydrology::{FlowMesh, Outlets, priority_flood};
use talweg::nodes::Node;
use talweg::scene::Scene;

/// The program, tree and curves of a shipped scene.
fn figure(name: &str) -> (Program, Tree, Vec<Curve>) {
    let scene = &talweg::scene::example(name).expect("a shipped scene").scene;
    let layer = &scene.layers[0];
    let Node::Construction(node) = &layer.node else { panic!("{name} is a construction") };
    let mut curves = Vec::new();
    node.tree.terrain.visit(&mut |piece| {
        if let PieceKind::Curve(curve) = &piece.kind {
            curves.push(curve.clone());
        }
    });
    (Program::new(&node.tree, 1), Tree::clone(&node.tree), curves)
}

fn path_of(curve: &Curve) -> Path {
    let points: Vec<[f64; 2]> = curve.points.iter().map(|p| [f64::from(p.at.0), f64::from(p.at.1)]).collect();
    let settings = &curve.settings;
    Path::new(&points, settings.run, f64::from(settings.easing), f64::from(settings.width + settings.fade))
}

fn length_of(path: &Path) -> f64 {
    path.stations[path.stations.len() - 1]
}

fn alone(curve: Curve) -> Tree {
    Tree { terrain: Piece::named("pass", PieceKind::Curve(curve)), ..Tree::default() }
}

/// A hairpin whose points climb up to 60 %.
fn hairpin(settings: CurveSettings) -> Curve {
    let points = [
        (1000.0, 2000.0, 100.0),
        (2000.0, 2100.0, 300.0),
        (2600.0, 2500.0, 250.0),
        (2200.0, 3000.0, 120.0),
        (1200.0, 3050.0, 420.0),
        (1000.0, 3600.0, 340.0),
    ];
    let settings = CurveSettings { cross: Cross::Road, width: 20.0, depth: 2.0, fade: 60.0, ..settings };
    Curve { points: points.map(|(x, y, z)| CurvePoint::new(x, y, z)).to_vec(), settings }
}

/// The steepest grade between positions along the centreline that are `step` metres apart.
fn steepest(path: &Path, step: f64, height: impl Fn([f64; 2]) -> Option<f64>) -> f64 {
    let count = (length_of(path) / step) as usize;
    let heights: Vec<Option<f64>> = (0..=count).map(|k| height(path.point_at(k as f64 * step).0)).collect();
    let grades = heights.windows(2).filter_map(|pair| Some((pair[1]? - pair[0]?).abs() / step));
    grades.fold(0.0, f64::max)
}

#[test]
fn a_road_obeys_its_greatest_grade() {
    for (grade, vertical_easing, easing) in [(12.0, 60.0, 0.0), (9.0, 0.0, 200.0), (25.0, 300.0, 100.0)] {
        let curve = hairpin(CurveSettings { grade, vertical_easing, easing, ..CurveSettings::default() });
        let (path, program) = (path_of(&curve), Program::new(&alone(curve), 1));
        let height = |p: [f64; 2]| Some(program.sample(p, &Detail::FULL).height);
        let found = steepest(&path, 1.0, height);
        let limit = 0.01 * f64::from(grade);
        assert!(found <= limit * (1.0 + 1e-6), "{grade} %: {found}");
        assert!(found > 0.99 * limit, "{grade} %: the points climb more: {found}");
        let ends = [0.0, length_of(&path)].map(|s| height(path.point_at(s).0).unwrap_or_default());
        assert!((ends[0] - 100.0).abs() < 1e-3 && (ends[1] - 340.0).abs() < 1e-3, "{grade} %: {ends:?}");
    }
}

/// The grade changes gradually: between positions one metre apart, by at most the difference of two grades per easing.
#[test]
fn a_road_eases_every_change_of_grade() {
    let curve = hairpin(CurveSettings { vertical_easing: 200.0, ..CurveSettings::default() });
    let (path, program) = (path_of(&curve), Program::new(&alone(curve), 1));
    let count = length_of(&path) as usize;
    let height = |k: usize| program.sample(path.point_at(k as f64).0, &Detail::FULL).height;
    let heights: Vec<f64> = (0..=count).map(height).collect();
    for three in heights.windows(3) {
        let change = (three[2] - 2.0 * three[1] + three[0]).abs();
        assert!(change <= 0.24 / 200.0 * 1.05, "{change}");
    }
}

#[test]
fn roads_of_earlier_scenes_keep_their_profile() {
    let grade_of = |algorithm: &str| {
        let node = "Construction(tree: (terrain: (form: Curve(points: [(at: (0.0, 0.0)), (at: (900.0, 0.0), \
                    height: 500.0)], settings: (cross: Road)))))";
        let layer = format!("(name: \"a\", node: {node}, seed: 1, {algorithm})");
        let (scene, warnings) = Scene::from_ron(&format!("(version: 1, saved: true, layers: [{layer}])")).unwrap();
        let Node::Construction(made) = &scene.layers[0].node else { panic!("a construction") };
        let PieceKind::Curve(curve) = &made.tree.terrain.kind else { panic!("a curve") };
        (curve.settings.grade, warnings.len())
    };
    assert_eq!(grade_of("algorithm: 3"), (0.0, 0));
    assert_eq!(grade_of("algorithm: 4"), (12.0, 0));
    // without a limit, the height runs through every point
    let curve = hairpin(CurveSettings { grade: 0.0, ..CurveSettings::default() });
    let program = Program::new(&alone(curve.clone()), 1);
    for point in &curve.points {
        let sample = program.sample([f64::from(point.at.0), f64::from(point.at.1)], &Detail::FULL);
        assert!((sample.height - f64::from(point.height)).abs() < 1e-3, "{point:?}: {}", sample.height);
    }
}

#[test]
fn an_impossible_grade_is_told_with_the_least() {
    let points = vec![CurvePoint::new(1000.0, 1000.0, 0.0), CurvePoint::new(1000.0, 1800.0, 200.0)];
    let settings = CurveSettings { cross: Cross::Road, ..CurveSettings::default() };
    let notes = alone(Curve { points: points.clone(), settings: settings.clone() }).road_notes();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("Construction / curve 'pass'") && notes[0].contains("at least 25.0 %"), "{notes:?}");
    // a road without a limit has no note, and neither has a road that can keep its limit
    for grade in [0.0, 25.1] {
        let settings = CurveSettings { grade, ..settings.clone() };
        assert_eq!(alone(Curve { points: points.clone(), settings }).road_notes(), [""; 0]);
    }
    let mut scene = talweg::scene::example("paper-004-fig-06-curves").expect("a shipped scene").scene.clone();
    let tree = alone(Curve { points, settings });
    if let Node::Construction(node) = &mut scene.layers[0].node {
        node.tree = std::sync::Arc::new(tree);
    }
    assert!(scene.problems().iter().any(|problem| problem.message.contains("25.0 %")), "{:?}", scene.problems());
}

/// The road of figure 21 climbs at most 12 %, on its curve and on a grid of heights.
#[test]
fn the_road_of_figure_21_obeys_12_percent() {
    let (program, tree, curves) = figure("paper-004-fig-21-mountain-road");
    assert_eq!(tree.road_notes(), [""; 0]);
    let roads: Vec<&Curve> = curves.iter().filter(|curve| curve.settings.cross == Cross::Road).collect();
    assert!(!roads.is_empty());
    let side = program.side;
    let samples = 1025;
    let spacing = side / (samples - 1) as f64;
    for road in roads {
        let path = path_of(road);
        let inside = |p: [f64; 2]| p.iter().all(|x| (0.0..=side).contains(x));
        let height = |p: [f64; 2]| inside(p).then(|| program.height(p, &Detail::FULL));
        let exact = steepest(&path, 0.25, height);
        assert!(exact <= 0.1205, "{exact}");
        // bilinear between the samples of a grid, over 4 m
        let on_grid = |p: [f64; 2]| {
            let cell = p.map(|x| (x / spacing).floor().clamp(0.0, (samples - 2) as f64));
            let [u, v] = [0, 1].map(|k| p[k] / spacing - cell[k]);
            let at = |i: f64, j: f64| {
                program.height([(cell[0] + j) * spacing, (cell[1] + i) * spacing], &Detail::every(spacing))
            };
            inside(p).then(|| {
                let (top, bottom) =
                    (at(0.0, 0.0) * (1.0 - u) + at(0.0, 1.0) * u, at(1.0, 0.0) * (1.0 - u) + at(1.0, 1.0) * u);
                top * (1.0 - v) + bottom * v
            })
        };
        let gridded = steepest(&path, 4.0, on_grid);
        println!("{:.0} m of road: {exact:.4} on the curve, {gridded:.4} on the grid", length_of(&path));
        assert!(gridded <= 0.1225, "{gridded}");
    }
}

/// The deepest water that a depression fill leaves along the river of a tree, in metres.
fn deepest_lake(program: &Program, river: &Curve) -> f64 {
    let n = 1025;
    let spacing = program.side / (n - 1) as f64;
    let place = |k: usize| [(k % n) as f64 * spacing, (k / n) as f64 * spacing];
    let heights: Vec<f32> = (0..n * n).map(|k| program.height(place(k), &Detail::every(spacing)) as f32).collect();
    let (grid, control) = (Grid::new(n, Edges::Open), Control::default());
    let outlets = Outlets::new(grid, &heights, 0.0);
    let level = priority_flood(&FlowMesh::new(grid), &heights, &outlets, 0.0, &control).unwrap();
    let path = path_of(river);
    let mut deepest = 0.0f32;
    for k in 0..=(length_of(&path) / spacing) as usize {
        let p = path.point_at(k as f64 * spacing).0;
        let [j, i] = p.map(|x| (x / spacing).round().clamp(0.0, (n - 1) as f64) as usize);
        deepest = deepest.max(level[i * n + j] - heights[i * n + j]);
    }
    f64::from(deepest)
}

/// The river of figure 20 runs through a ford of the road. With the road last, as an earlier version of the scene had
/// it, the road dams the river, and a note says so.
#[test]
fn the_river_of_figure_20_reaches_the_sea() {
    let (program, tree, curves) = figure("paper-004-fig-20-coast");
    assert_eq!(tree.road_notes(), [""; 0]);
    let river = curves.iter().find(|curve| curve.settings.cross == Cross::River).expect("a river");
    let passes = deepest_lake(&program, river);
    let mut dammed = tree;
    let PieceKind::Replace(group) = &mut dammed.terrain.kind else { panic!("the terrain is a replacement") };
    let road = group.children.iter().position(|piece| piece.name == "road").expect("a road");
    let road = group.children.remove(road);
    group.children.push(road);
    let stopped = deepest_lake(&Program::new(&dammed, 1), river);
    println!("deepest lake on the river: {passes:.2} m, with the road last {stopped:.2} m");
    assert!(passes < 0.3, "{passes} m of water stand on the river");
    assert!(stopped > 0.4, "{stopped} m of water stand behind the road");
    let notes = dammed.road_notes();
    assert!(notes.len() == 1 && notes[0].contains("dams curve 'river'"), "{notes:?}");
    // the water of the ford lies above the bed, and the road crosses it without a step
    let ford = [river.points[4].at.0, river.points[4].at.1].map(f64::from);
    let everything = program.selection(&Area::ALL);
    let water = program.sample_in::<false>(&everything, MaterialLayer::Water, ford, &Detail::FULL).height;
    let bed = program.height(ford, &Detail::FULL);
    assert!((0.2..1.0).contains(&(water - bed)), "the ford is {} m deep", water - bed);
}
