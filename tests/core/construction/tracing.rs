//! Compares rays traced in packets with rays marched in small steps.

use talweg::construction::trace::{Bound, GroundTable, PacketTracer, TraceRay, Tracer};
use talweg::construction::{Detail, Program, Tree};
use talweg::nodes::Node;

use crate::kits::construction::{Dice, tree};

/// Reference ray: returns the distance to the first point below the terrain. Near the terrain the steps are at most a
/// quarter of a metre, and the last step is bisected to a millimetre.
fn marched(tracer: &PacketTracer, ray: &TraceRay, side: f64) -> Option<f64> {
    let over = |t: f64| {
        let p = ray.point(t);
        p[2] - tracer.tracer().height([p[0], p[1]], &tracer.detail(t))
    };
    let inside = |t: f64| ray.point(t)[..2].iter().all(|x| (0.0..=side).contains(x));
    let is_met = |t: f64| inside(t) && over(t) < 0.0;
    let range = tracer.tracer().range();
    let (mut t, mut before) = (0.0, 0.0);
    while t < 4.0 * side {
        let z = ray.point(t)[2];
        if !inside(t) || z > range.high {
            before = t;
            // Steps are long above the maximum height of the terrain, and short below it and across the border of the
            // square.
            t += if z > range.high { ((z - range.high) / 1.5).max(0.25) } else { 0.25 };
            continue;
        }
        if z < range.low - 1.0 {
            return None;
        }
        let here = over(t);
        if here < 0.0 {
            // The ray enters the terrain between this point and the last point above the terrain or outside the square.
            let (mut low, mut high) = (before, t);
            while high - low > 1e-3 {
                let middle = 0.5 * (low + high);
                if is_met(middle) { high = middle } else { low = middle }
            }
            return Some(high);
        }
        before = t;
        t += (here / 20.0).max(0.25);
    }
    None
}

/// Random camera rays over a square with side `side`.
fn rays(side: f64, dice: &mut Dice, count: usize) -> Vec<(TraceRay, f64, f64)> {
    let eye = [0.2 * side, 1.7 * side, 0.55 * side];
    let ray = |dice: &mut Dice| {
        let to = [dice.uniform(0.02, 0.98) * side, dice.uniform(0.02, 0.98) * side, dice.uniform(0.0, 0.08) * side];
        let way: [f64; 3] = std::array::from_fn(|k| to[k] - eye[k]);
        let long = way.iter().map(|w| w * w).sum::<f64>().sqrt();
        (TraceRay { origin: eye, direction: way.map(|w| w / long) }, 0.0, 0.0)
    };
    (0..count).map(|_| ray(dice)).collect()
}

fn packet_of(program: &Program, spread: f64, eye: [f64; 3]) -> PacketTracer<'_> {
    let mut tracer = Tracer::new(program);
    tracer.bound = Bound::Table;
    tracer.tolerance = (5e-6 * program.side, 0.0);
    tracer.spread = spread;
    PacketTracer::new(tracer, eye)
}

/// Number of rays whose end differs from the marched end by more than 10 cm of height, and the evaluations per ray. No
/// ray may end above the terrain.
fn apart(name: &str, program: &Program, spread: f64, count: usize) -> (usize, f64) {
    let mut dice = Dice::new(5);
    let rays = rays(program.side, &mut dice, count);
    let packet = packet_of(program, spread, rays[0].0.origin);
    let (mut apart, mut heights) = (0, 0);
    for ((ray, ..), trace) in rays.iter().zip(packet.trace_rays(&rays)) {
        heights += trace.heights;
        let reference = marched(&packet, ray, program.side);
        if let Some(t) = trace.distance {
            let p = ray.point(t);
            let above = p[2] - packet.tracer().height([p[0], p[1]], &packet.detail(t));
            assert!(above < 0.1, "{name}: a ray ends {above} m above the ground");
        }
        let is_apart = match (trace.distance, reference) {
            (Some(a), Some(b)) => (ray.point(a)[2] - ray.point(b)[2]).abs() > 0.1,
            (None, None) => false,
            _ => true,
        };
        apart += usize::from(is_apart);
    }
    (apart, f64::from(heights) / count as f64)
}

fn figure(name: &str) -> (Tree, u32) {
    let scene = &talweg::scene::example(name).expect("a shipped scene").scene;
    let layer = &scene.layers[0];
    let Node::Construction(node) = &layer.node else { panic!("{name} is a construction") };
    (Tree::clone(&node.tree), 1)
}

/// The five figures of the document's table 2: traced pictures equal marched pictures within 10 cm, with at most twelve
/// evaluations per ray. The test runs once with full detail and once with the level of detail of a pixel.
#[test]
fn packets_end_where_a_march_ends_in_every_figure() {
    let names = ["01-lake-in-the-mountains", "03-river-in-rough-relief", "20-coast", "21-mountain-road", "22-oasis"];
    for name in names {
        let (tree, seed) = figure(&format!("paper-004-fig-{name}"));
        let program = Program::new(&tree, seed);
        for spread in [0.0, 0.5 * 0.73 / 1080.0] {
            let count = 160;
            let (apart, mean) = apart(name, &program, spread, count);
            let pixels = 1920.0 * 1080.0;
            let with_table = mean + GroundTable::EVALUATIONS as f64 / pixels;
            println!(
                "{name}, spread {spread:.1e}: {apart} of {count} apart, {mean:.1} evaluations a ray, {with_table:.1} with the table"
            );
            assert!(apart * 80 <= count, "{name}: {apart} of {count} rays end elsewhere");
            assert!(with_table <= 12.0, "{name}: {with_table} evaluations a ray");
        }
    }
}

/// Pictures read the heights around a point, which hide a part of the sky, from the table. At the nearest distance that
/// they test, the angle under which such a height is seen differs from the exact angle by 0.5° on average.
#[test]
fn coarse_heights_of_a_table_equal_the_ground() {
    let names = ["01-lake-in-the-mountains", "03-river-in-rough-relief", "20-coast", "21-mountain-road", "22-oasis"];
    for name in names {
        let (tree, seed) = figure(&format!("paper-004-fig-{name}"));
        let program = Program::new(&tree, seed);
        let eye = [0.5 * program.side, 0.5 * program.side, 3.0 * program.relief];
        let table = packet_of(&program, 0.0, eye);
        let exact = PacketTracer::new(Tracer::new(&program), eye);
        let distance = 0.006 * program.side;
        let mut dice = Dice::new(7);
        let mut angles: Vec<f64> = (0..2000)
            .map(|_| {
                let p = [dice.unit() * program.side, dice.unit() * program.side];
                let place = [(p, 0.15 * distance)];
                let ([read], [evaluated]) = (table.coarse_heights(&place).0, exact.coarse_heights(&place).0);
                ((read - evaluated).abs() / distance).atan().to_degrees()
            })
            .collect();
        angles.sort_by(f64::total_cmp);
        let mean = angles.iter().sum::<f64>() / angles.len() as f64;
        println!("{name}: mean {mean:.2}°, 99 % below {:.2}°, all {:.2}°", angles[1980], angles[1999]);
        assert!(mean < 0.5 && angles[1980] < 3.0, "{name}: {mean}°, {}°", angles[1980]);
    }
}

#[test]
fn packets_through_any_tree_end_where_a_march_ends() {
    let (mut sum, mut all) = (0, 0);
    for seed in 0..12 {
        let program = Program::new(&tree(seed), seed as u32);
        let count = 60;
        let (apart, mean) = apart(&format!("tree {seed}"), &program, 0.0, count);
        println!("tree {seed}: {apart} of {count} apart, {mean:.1} evaluations a ray");
        (sum, all) = (sum + apart, all + count);
    }
    assert!(sum * 50 <= all, "{sum} of {all} rays end elsewhere");
}

/// Table tiles for graphics cards: no terrain exceeds the height and slope bounds of its tile, except at rare positions
/// that were not sampled.
#[test]
fn table_tiles_bound_the_ground_and_its_slopes() {
    for name in ["paper-004-fig-01-lake-in-the-mountains", "paper-004-fig-22-oasis"] {
        let (tree, seed) = figure(name);
        let program = Program::new(&tree, seed);
        let tracer = Tracer::new(&program);
        let tiles = GroundTable::new(&tracer, [0.0; 3]).tiles();
        assert_eq!(tiles.len(), 2 * GroundTable::TILES);
        let (highest, slopes) = tiles.split_at(GroundTable::TILES);
        for values in [highest, slopes] {
            let (finest, above) = values.split_at(256 * 256);
            for (k, whole) in above[..128 * 128].iter().enumerate() {
                let at = k / 128 * 2 * 256 + k % 128 * 2;
                let four = [finest[at], finest[at + 1], finest[at + 256], finest[at + 257]];
                assert_eq!(*whole, four.into_iter().fold(f32::MIN, f32::max), "{name}: {k}");
            }
            assert_eq!(
                values[values.len() - 1],
                finest.iter().copied().fold(f32::MIN, f32::max),
                "the last is the whole"
            );
        }
        let (mut dice, wide) = (Dice::new(3), program.side / 256.0);
        let tile = |p: [f64; 2]| (p[1] / wide) as usize * 256 + (p[0] / wide) as usize;
        let height = |p: [f64; 2]| tracer.height(p, &Detail::FULL);
        let (mut out, mut steeper, count) = (0, 0, 4000);
        for _ in 0..count {
            let a = [0, 1].map(|_| dice.uniform(0.01, 0.99) * program.side);
            let b = a.map(|x| x + dice.uniform(-1.5, 1.5));
            let far = ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt();
            let bound = f64::from(slopes[tile(a)].max(slopes[tile(b)]));
            out += usize::from(height(a) > f64::from(highest[tile(a)]) + 0.01);
            steeper += usize::from((height(a) - height(b)).abs() > bound * far + 0.01);
        }
        println!("{name}: {out} out of their tile, {steeper} steeper, of {count}");
        assert!(out <= 2 && steeper <= 8, "{name}: {out} out of their tile, {steeper} steeper");
    }
}

/// The result of a ray has the same bits whether it is traced alone or with others in a packet.
#[test]
fn a_ray_ends_equally_alone_and_in_a_packet() {
    let (tree, seed) = figure("paper-004-fig-22-oasis");
    let program = Program::new(&tree, seed);
    let mut dice = Dice::new(9);
    let rays = rays(program.side, &mut dice, 200);
    let packet = packet_of(&program, 1e-3, rays[0].0.origin);
    let together = packet.trace_rays(&rays);
    let mut turned = rays.clone();
    turned.reverse();
    let mut back = packet.trace_rays(&turned);
    back.reverse();
    assert_eq!(together, back);
    for (ray, trace) in rays.iter().zip(&together) {
        assert_eq!(packet.trace_rays(std::slice::from_ref(ray)), [*trace]);
    }
    assert!(together.iter().filter(|trace| trace.distance.is_some()).count() > 150);
}

/// Rays do not pass through a wall that is thinner than a cell of the table. The slopes of the paper scenes do not test
/// this case.
#[test]
fn a_thin_wall_stops_rays() {
    use talweg::construction::operators::replace::ReplaceSettings;
    use talweg::construction::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
    use talweg::construction::primitives::disc::Disc;
    use talweg::construction::primitives::ground::ReliefStyle;
    use talweg::construction::{OperatorGroup, Piece, PieceKind};
    let plain = Disc { radius: 20_000.0, core: 0.9, height: 100.0, surface: ReliefStyle::ALL[0], ..Disc::default() };
    let settings = CurveSettings { cross: Cross::Bank, width: 6.0, depth: 0.0, fade: 6.0, ..CurveSettings::default() };
    let wall =
        Curve { points: vec![CurvePoint::new(500.0, 4000.0, 160.0), CurvePoint::new(7500.0, 4100.0, 160.0)], settings };
    let of = vec![Piece::new(PieceKind::Disc(plain)), Piece::new(PieceKind::Curve(wall))];
    let group = OperatorGroup { settings: ReplaceSettings::default(), children: of };
    let tree = Tree { terrain: Piece::new(PieceKind::Replace(group)), ..Tree::default() };
    let program = Program::new(&tree, 1);
    let eye = [4000.0, 7500.0, 140.0];
    let packet = packet_of(&program, 0.0, eye);
    let aimed: Vec<(TraceRay, f64, f64)> = (0..200)
        .map(|k| {
            let to = [1500.0 + 25.0 * f64::from(k), 4000.0, 150.0];
            let way: [f64; 3] = std::array::from_fn(|k| to[k] - eye[k]);
            let long = way.iter().map(|w| w * w).sum::<f64>().sqrt();
            (TraceRay { origin: eye, direction: way.map(|w| w / long) }, 0.0, 0.0)
        })
        .collect();
    let traces = packet.trace_rays(&aimed);
    let through =
        traces.iter().zip(&aimed).filter(|(trace, (ray, ..))| trace.distance.is_none_or(|t| ray.point(t)[1] < 3900.0));
    assert_eq!(through.count(), 0);
}

/// The level of detail at distance t along a ray is κ = 1/(1 + (t/half)²), so it is 1/2 at the distance `half`. With
/// and without a table of bounds, rays end on terrain with the level of detail of their distance, and distant terrain
/// has no detail.
#[test]
fn the_level_of_detail_falls_with_the_distance_along_a_ray() {
    let (tree, seed) = figure("paper-004-fig-03-river-in-rough-relief");
    let program = Program::new(&tree, seed);
    let half = 0.5 * program.side;
    let rays = rays(program.side, &mut Dice::new(11), 80);
    let tracer = |bound| {
        let mut tracer = Tracer::new(&program);
        (tracer.bound, tracer.spread, tracer.half_distance) = (bound, 1e-5, Some(half));
        // Single rays advance by their tolerance and can overshoot more than once.
        let tolerance = if bound == Bound::Table { 5e-6 } else { 6e-7 };
        tracer.tolerance = (tolerance * program.side, 0.0);
        PacketTracer::new(tracer, rays[0].0.origin)
    };
    for bound in [Bound::Table, Bound::Local] {
        let packet = tracer(bound);
        let (mut met, mut apart, mut plain) = (0, 0, 0);
        for ((ray, ..), trace) in rays.iter().zip(packet.trace_rays(&rays)) {
            let reference = marched(&packet, ray, program.side);
            let Some(t) = trace.distance else {
                apart += usize::from(reference.is_some());
                continue;
            };
            met += 1;
            let (p, detail) = (ray.point(t), packet.detail(t));
            // The level of detail takes four values per doubling of the distance.
            let (near, far) = (t / half * 0.8, t / half);
            let kappa = |x: f64| 1.0 / (1.0 + x * x);
            assert!((kappa(far) - 1e-9..=kappa(near)).contains(&detail.level), "{t}: {}", detail.level);
            let height = |detail| packet.tracer().height([p[0], p[1]], &detail);
            assert!(p[2] - height(detail) < 0.1, "{bound:?}: {} m above", p[2] - height(detail));
            plain +=
                usize::from((height(detail) - height(Detail { level: 1.0, ..detail })).abs() > 1.2e-4 * program.side);
            apart += usize::from(reference.is_none_or(|b| (p[2] - ray.point(b)[2]).abs() > 0.1));
        }
        assert!(met > 40 && apart <= 1, "{bound:?}: {met} rays meet the ground, {apart} elsewhere than a march");
        assert!(plain > met / 3, "{bound:?}: {plain} of {met}");
    }
    // Terrain at the camera has full detail.
    assert_eq!(tracer(Bound::Local).detail(0.0).level, 1.0);
}
