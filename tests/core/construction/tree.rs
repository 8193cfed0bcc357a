//! Tests of construction trees: bounds, gradients, formulas of the operators, files, pruning, sphere tracing.

use crate::kits::common::random_cases;
use crate::kits::construction::{Dice, large, tree};
use proptest::prelude::*;
use talweg::construction::compiled_program::fill::{FillOptions, region_of_area};
use talweg::construction::geometry::plane::{add, length, scaled, sub};
use talweg::construction::gpu_buffer::{MAGIC, VERSION, op};
use talweg::construction::primitives::disc::Disc;
use talweg::construction::trace::{Bound, MOST_STEPS, TraceRay, Tracer};
use talweg::construction::{
    Area, Capsule, Definition, Detail, GroundSample, Instance, MaterialLayer, OperatorGroup, Piece, PieceKind, Point,
    Program, Tree, changed_area, presets,
};
use talweg::field::{Control, Edges, Grid, MapKind, Region};
use talweg::nodes::Node;
use talweg::scene::{Layer, Scene, examples};

fn details(dice: &mut Dice) -> Detail {
    match dice.next_below(3) {
        0 => Detail { level: dice.uniform(0.0, 1.0), spacing: 0.0 },
        1 => Detail::every(dice.uniform(1.0, 60.0)),
        _ => Detail::FULL,
    }
}

fn point_near(dice: &mut Dice, p: Point, most: f64) -> Point {
    let reach = most * dice.unit() * dice.unit();
    add(p, [dice.uniform(-reach, reach), dice.uniform(-reach, reach)])
}

fn spot(dice: &mut Dice) -> Point {
    [dice.uniform(0.0, 8000.0), dice.uniform(0.0, 8000.0)]
}

proptest! {
    #![proptest_config(random_cases(64))]

    #[test]
    fn no_two_places_break_a_lipschitz_bound(seed in any::<u64>()) {
        let tree = tree(seed);
        tree.check().unwrap();
        let program = Program::new(&tree, seed as u32);
        prop_assert!(program.problems.is_empty());
        let mut dice = Dice::new(seed ^ 99);
        let detail = details(&mut dice);
        for _ in 0..60 {
            let from = spot(&mut dice);
            let to = point_near(&mut dice, from, 2500.0);
            let capsule = Capsule::segment(from, to);
            let bounds = program.bounds(&capsule, &detail);
            let (range, slope) = program.surface_bounds(&capsule, &detail);
            let finer = program.lipschitz(from, to, &detail);
            prop_assert!(slope.is_finite() && finer >= 0.0);
            let slope = slope.min(finer);
            let mut last: Option<(Point, f64, f64)> = None;
            for k in 0..24 {
                let p = add(from, scaled(sub(to, from), f64::from(k) / 23.0));
                let sample = program.sample(p, &detail);
                let (height, _) = sample.surface(program.ground);
                prop_assert!(height >= range.low - 1e-6 && height <= range.high + 1e-6, "{height} {range:?}");
                prop_assert!(sample.weight >= bounds.weight.low - 1e-9 && sample.weight <= bounds.weight.high + 1e-9,
                    "weight {} {:?}", sample.weight, bounds.weight);
                if let Some((q, before, weight)) = last {
                    let way = length(sub(p, q));
                    prop_assert!((height - before).abs() <= slope * way + 1e-7, "{} over {way}: {slope}", height - before);
                    prop_assert!((sample.weight - weight).abs() <= bounds.weight_gradient * way + 1e-9);
                }
                last = Some((p, height, sample.weight));
            }
        }
        // Bounds must hold over areas as well as along segments.
        for _ in 0..10 {
            let low = spot(&mut dice);
            let area = Area { low, high: add(low, [dice.uniform(1.0, 400.0), dice.uniform(1.0, 400.0)]) };
            let slope = program.lipschitz_in(&area, &detail);
            let mut inside = || [dice.uniform(area.low[0], area.high[0]), dice.uniform(area.low[1], area.high[1])];
            for _ in 0..12 {
                let (p, q) = (inside(), inside());
                let rise = (program.height(p, &detail) - program.height(q, &detail)).abs();
                prop_assert!(rise <= slope * length(sub(p, q)) + 1e-7);
            }
        }
    }

    #[test]
    fn gradients_are_those_of_central_differences(seed in any::<u64>()) {
        let program = Program::new(&tree(seed), seed as u32);
        let mut dice = Dice::new(seed ^ 5);
        let detail = details(&mut dice);
        let (mut kinks, mut seen) = (0, 0);
        for _ in 0..80 {
            let p = spot(&mut dice);
            let sample = program.sample(p, &detail);
            if sample.weight < 1e-3 {
                continue;
            }
            seen += 1;
            let e = 1e-4;
            for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                let [before, after] = [sub(p, step), add(p, step)].map(|q| program.sample(q, &detail));
                let difference = |of: &dyn Fn(&GroundSample) -> f64| (of(&after) - of(&before)) / (2.0 * e);
                let sides = |of: &dyn Fn(&GroundSample) -> f64| ((of(&after) - of(&sample)) - (of(&sample) - of(&before))).abs() / e;
                for (of, exact) in [
                    (&(|a: &GroundSample| a.height) as &dyn Fn(&GroundSample) -> f64, sample.slope[axis]),
                    (&|a: &GroundSample| a.weight, sample.weight_gradient[axis]),
                    (&|a: &GroundSample| a.surface(program.ground).0, sample.surface(program.ground).1[axis]),
                ] {
                    // Where the one-sided derivatives differ, there is a crest, and the gradient is not defined.
                    if sides(of) > 1e-3 * (1.0 + exact.abs()) {
                        kinks += 1;
                        continue;
                    }
                    let found = difference(of);
                    prop_assert!((found - exact).abs() <= 1e-3 * (1.0 + exact.abs()), "{found} {exact} at {p:?}");
                }
            }
        }
        prop_assert!(kinks <= 2 + seen / 4, "{kinks} of {seen}");
    }

    #[test]
    fn pruning_changes_no_bit_and_only_the_changed_area_changes(seed in any::<u64>(), at in any::<prop::sample::Index>()) {
        const N: usize = 65;
        let before = tree(seed);
        let grid = Grid::new(N, Edges::Open);
        let filled = |program: &Program, pruned| {
            let mut out = vec![0.0; grid.len()];
            let sampling = FillOptions { pruned, ..FillOptions::for_material(MaterialLayer::Terrain) };
            program.fill_region(grid, &Region::whole(grid), sampling, &Control::default(), &mut out).unwrap();
            out
        };
        let old = Program::new(&before, 3);
        let mut out = filled(&old, true);
        prop_assert!(out == filled(&old, false), "pruning by tiles");
        prop_assert!(out == filled(&Program::new(&before, 3).without_pruning(), false), "pruning by boxes");
        // Row evaluation gives the same values as point evaluation.
        let step = old.side / (N - 1) as f64;
        let detail = Detail { level: 1.0, spacing: step };
        for (k, &height) in out.iter().enumerate().step_by(7) {
            let place = |i: usize| i as f64 / (N - 1) as f64 * old.side;
            let alone = old.height([place(k % N), place(k / N)], &detail) / old.relief;
            prop_assert!(alone as f32 == height, "{alone} {height}");
        }
        let mut after = before.clone();
        let count = after.terrain.count();
        let (mut k, which) = (0, at.index(count));
        after.terrain.visit_mut(&mut |piece| {
            if k == which {
                match &mut piece.kind {
                    PieceKind::Disc(disc) => disc.x += 130.0,
                    PieceKind::Curve(curve) => curve.points[0].at.0 += 90.0,
                    PieceKind::Contour(contour) => contour.settings.depth += 20.0,
                    _ => piece.hidden = true,
                }
            }
            k += 1;
        });
        let new = Program::reusing(&after, 3, Some(&old));
        if let Some(area) = changed_area(&old, &new) {
            let region = region_of_area(&area, grid, new.side);
            new.fill_region(grid, &region, FillOptions::for_material(MaterialLayer::Terrain), &Control::default(), &mut out).unwrap();
        }
        let whole = filled(&Program::new(&after, 3), true);
        let first = out.iter().zip(&whole).position(|(a, b)| a != b);
        prop_assert!(first.is_none(), "{:?}: {:?}", first, changed_area(&old, &new));
    }

    #[test]
    fn traced_rays_end_where_dense_marching_does(seed in any::<u64>()) {
        let tree = tree(seed);
        let program = Program::new(&tree, 1);
        let mut tracer = Tracer::new(&program);
        tracer.tolerance = (0.02, 0.0);
        let mut dice = Dice::new(seed ^ 17);
        for _ in 0..6 {
            let ray = any_ray(&mut dice, tracer.range().high);
            let traced = tracer.trace(&ray);
            let marched = march(&program, &ray, tracer.range().low, 0.5);
            match (traced.distance, marched) {
                // A marched ray can step over a tip that the traced ray hits, but not vice versa.
                (None, Some(t)) => {
                    let is_marched = lays_by_slope(&tree) && traced.bounds == MOST_STEPS;
                    prop_assert!(is_marched, "the march hits at {t}, but the tracer passes through");
                }
                (Some(a), _) => {
                    // Bounds of primitives blended by slope are so loose that the rest of the ray may be marched.
                    let is_marched = lays_by_slope(&tree) && traced.bounds == MOST_STEPS;
                    prop_assert!(is_marched || marched.is_none_or(|b| a <= b + 0.2), "{a} {marched:?}");
                    let above = |t: f64| {
                        let p = ray.point(t);
                        p[2] - program.height([p[0], p[1]], &Detail::FULL)
                    };
                    // The traced ray may end inside a cliff, by less than its tolerance.
                    let is_cliff = above(a - 0.05) > 0.0;
                    prop_assert!(above(a) < 0.5, "{} above", above(a));
                    prop_assert!(above(a) > -0.5 || is_cliff, "{} below", -above(a));
                }
                (None, None) => {}
            }
        }
    }
}

/// Reads the instructions in the 32-bit words of a program in the order of the shader, without computing heights.
/// Returns the maximum number of stack frames that are open at once.
fn read(words: &[u32]) -> u32 {
    let mut frames = 0;
    for start in words[6..11].iter().filter(|start| **start > 0) {
        let (mut pc, mut ends, mut open) = (*start as usize, Vec::new(), 0);
        loop {
            while ends.last() == Some(&pc) {
                ends.pop();
            }
            // The END instruction is the last word and has no skip count.
            let (code, skip) = (words[pc], words.get(pc + 1).map_or(0, |skip| *skip as usize));
            let size = match code {
                op::END => break assert!(ends.is_empty() && open == 0),
                op::GROUND => 1,
                op::GIVE => {
                    open -= 1;
                    1
                }
                op::LEAF | op::SHARE | op::PROBE => 7,
                op::PLACED => 16,
                op::GROUP | op::BLEND => 6,
                op::DETAIL => 8,
                op::REPLACE | op::ADD => 18,
                op::WARP => 27 + 4 * words[pc + 26] as usize,
                op::GULLIES => 22 + 5 * words[pc + 21] as usize,
                _ => panic!("no instruction {code} at {pc}"),
            };
            if !matches!(code, op::GIVE | op::GROUND) {
                assert!(
                    pc + size <= skip && ends.last().is_none_or(|end| skip <= *end),
                    "{code} at {pc} ends at {skip}"
                );
                ends.push(skip);
            }
            match code {
                op::LEAF | op::PLACED => assert!((words[13]..*start).contains(&words[pc + 6])),
                op::PROBE => {
                    assert!((*start..pc as u32).contains(&words[pc + 6]));
                    frames = frames.max(open + 1);
                }
                op::BLEND | op::REPLACE | op::ADD | op::WARP | op::DETAIL | op::GULLIES => open += 1,
                _ => {}
            }
            frames = frames.max(open);
            pc += size;
        }
    }
    frames + 1
}

/// This test only reads the 32-bit words. Tests of the editor compare the heights that the shader computes from them.
#[test]
fn words_of_any_tree_can_be_read() {
    let scenes = paper_trees().into_iter().map(|(_, tree)| tree);
    for tree in (0..60).map(tree).chain(scenes) {
        let buffer = Program::new(&tree, 7).to_buffer();
        assert_eq!((buffer.words[0], buffer.words[1]), (MAGIC, VERSION));
        assert_eq!(buffer.words[2] as usize, buffer.words.len());
        assert_eq!(buffer.bytes().len(), buffer.words.len() * 4);
        // the frames around the terrain below a probe count twice
        let frames = read(&buffer.words);
        assert!((frames..=2 * frames).contains(&buffer.words[11]), "{frames} {}", buffer.words[11]);
    }
}

fn any_ray(dice: &mut Dice, top: f64) -> TraceRay {
    let target = spot(dice);
    let origin = [dice.uniform(0.0, 8000.0), dice.uniform(0.0, 8000.0), top + dice.uniform(50.0, 2500.0)];
    let way = [target[0] - origin[0], target[1] - origin[1], dice.uniform(-100.0, 300.0) - origin[2]];
    let long = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt();
    TraceRay { origin, direction: way.map(|w| w / long) }
}

/// First point of the ray below the terrain, found in small steps.
fn march(program: &Program, ray: &TraceRay, bottom: f64, step: f64) -> Option<f64> {
    let mut t = 0.0;
    loop {
        let p = ray.point(t);
        if p[2] < bottom - 1.0 || t > 30_000.0 {
            return None;
        }
        let inside = (0.0..=program.side).contains(&p[0]) && (0.0..=program.side).contains(&p[1]);
        if inside {
            let above = p[2] - program.height([p[0], p[1]], &Detail::FULL);
            if above < 0.0 {
                return Some(t);
            }
            // No slope of the random trees exceeds 20.
            t += (above / 25.0).max(step);
        } else {
            t += step;
        }
    }
}

/// Whether the tree blends by slope or has gullies. Differences of gradients are bounded only by twice the gradient.
fn lays_by_slope(tree: &Tree) -> bool {
    let mut found = false;
    for (_, root) in tree.roots() {
        root.visit(&mut |piece| {
            found |= match &piece.kind {
                PieceKind::Add(group) => group.settings.by_slope,
                PieceKind::Replace(group) => group.settings.by_slope,
                PieceKind::Gullies(_) => true,
                _ => false,
            };
        });
    }
    found
}

fn stretches(tree: &Tree) -> bool {
    let is_even = |piece: &Piece| match &piece.kind {
        PieceKind::Place(group) => group.settings.stretch_x == group.settings.stretch_y,
        _ => true,
    };
    let mut found = false;
    for (_, root) in tree.roots() {
        root.visit(&mut |piece| found |= !is_even(piece));
    }
    found
}

/// Ratio of the bound to the greatest gradient on short and long segments. The mean over all segments of all
/// construction trees is logarithmic, so that one loose bound does not hide a hundred tight ones. Two kinds of trees
/// are excluded because their bounds are safe but loose: trees blended by slope, and trees stretched unevenly. In an
/// uneven stretch the bound applies to the direction of strongest stretch.
#[test]
fn bounds_are_tight_within_a_factor_of_about_four_on_average() {
    let (mut sum, mut count) = (0.0, 0.0);
    let mut ratios = Vec::new();
    for seed in 0..120 {
        let tree = tree(seed);
        if lays_by_slope(&tree) || stretches(&tree) {
            continue;
        }
        let mut kinds = Vec::new();
        tree.terrain.visit(&mut |piece| kinds.push(piece.kind()));
        kinds.sort_unstable();
        kinds.dedup();
        let program = Program::new(&tree, 1);
        let mut dice = Dice::new(seed + 1000);
        let (mut own, mut of) = (0.0, 0.0);
        for _ in 0..60 {
            let from = spot(&mut dice);
            let to = point_near(&mut dice, from, 1000.0);
            let slope = program.lipschitz(from, to, &Detail::FULL);
            let steepest = (0..=100)
                .map(|k| program.surface(add(from, scaled(sub(to, from), f64::from(k) / 100.0)), &Detail::FULL).1)
                .fold(0.0, |most: f64, gradient| most.max(length(gradient)));
            // The ratio is undefined on level terrain.
            if steepest > 1e-3 {
                (own, of) = (own + (slope / steepest).ln(), of + 1.0);
            }
        }
        (sum, count) = (sum + own, count + of);
        ratios.push(((own / f64::max(of, 1.0)).exp(), kinds));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, kinds) in &ratios[..ratios.len().min(5)] {
        println!("loosest: {ratio:.1} {}", kinds.join(" "));
    }
    let (mean, median) = ((sum / count).exp(), ratios[ratios.len() / 2].0);
    println!("bounds are {mean:.2} times the steepest slope on average; median of the trees {median:.2}");
    assert!(mean < 4.1, "{mean}");
}

fn sample_of(of: Vec<Piece>, p: Point) -> GroundSample {
    let tree = Tree {
        terrain: Piece::new(PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() })),
        ..Tree::default()
    };
    Program::new(&tree, 1).sample(p, &Detail::FULL)
}

#[test]
fn blends_are_commutative_and_associative() {
    let mut dice = Dice::new(4);
    for _ in 0..200 {
        let pieces: Vec<Piece> =
            (0..4).map(|_| Piece::new(PieceKind::Disc(crate::kits::construction::disc(&mut dice)))).collect();
        let p = spot(&mut dice);
        let group = |of: &[Piece]| {
            Piece::new(PieceKind::Blend(OperatorGroup { children: of.to_vec(), ..OperatorGroup::default() }))
        };
        let plain = sample_of(pieces.clone(), p);
        let turned = sample_of(pieces.iter().rev().cloned().collect(), p);
        let grouped = sample_of(vec![group(&pieces[..2]), group(&pieces[2..])], p);
        for other in [turned, grouped] {
            assert!((plain.height - other.height).abs() < 1e-9 && (plain.weight - other.weight).abs() < 1e-12);
            assert!(length(sub(plain.slope, other.slope)) < 1e-9);
        }
    }
}

#[test]
fn distant_pieces_do_not_affect_each_other() {
    let disc = |x, y| Disc { x, y, radius: 1500.0, height: 300.0, ..Disc::default() };
    let (near, far) =
        (Piece::new(PieceKind::Disc(disc(2000.0, 2000.0))), Piece::new(PieceKind::Disc(disc(6000.0, 6000.0))));
    let mut dice = Dice::new(8);
    for _ in 0..2000 {
        let p = spot(&mut dice);
        let both = sample_of(vec![near.clone(), far.clone()], p);
        let [a, b] = [&near, &far].map(|one| sample_of(vec![one.clone()], p));
        assert!(a.weight == 0.0 || b.weight == 0.0);
        let alone = if a.weight > 0.0 { a } else { b };
        assert_eq!((both.weight, both.surface(-7.0).0), (alone.weight, alone.surface(-7.0).0));
    }
}

#[test]
fn an_edited_definition_changes_every_instance() {
    let instance = |move_x: f32| {
        let mut instance = Instance { definition: "hill".into(), ..Instance::default() };
        instance.settings.move_x = move_x;
        Piece::new(PieceKind::Instance(instance))
    };
    let hill = |height| Disc { x: 0.0, y: 4000.0, radius: 800.0, core: 0.5, height, ..Disc::default() };
    let mut tree = Tree::default();
    tree.definitions.push(Definition { name: "hill".into(), piece: Piece::new(PieceKind::Disc(hill(100.0))) });
    let of = [1500.0, 4000.0, 6500.0].map(instance).to_vec();
    tree.terrain = Piece::new(PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }));
    let heights = |tree: &Tree| {
        let program = Program::new(tree, 1);
        [1500.0, 4000.0, 6500.0].map(|x| program.height([x, 4000.0], &Detail::FULL))
    };
    let before = heights(&tree);
    tree.definitions[0].piece = Piece::new(PieceKind::Disc(hill(250.0)));
    let after = heights(&tree);
    for k in 0..3 {
        assert!((before[0] - before[k]).abs() < 1e-9 && (after[k] - before[k] - 150.0).abs() < 1e-9);
    }
}

#[test]
fn errors_in_a_tree_are_reported_with_their_path() {
    let error = |text: &str| Tree::from_ron(text).unwrap_err();
    let cycle = error(
        r#"(definitions: [
            (name: "a", piece: (form: Blend(of: [(form: Instance(definition: "b"))]))),
            (name: "b", piece: (name: "back", form: Instance(definition: "a"))),
        ], terrain: (form: Instance(definition: "a")))"#,
    );
    assert!(
        cycle.contains("the definition would contain itself")
            && cycle.contains("Construction / ")
            && cycle.contains("a → b"),
        "{cycle}"
    );
    let missing =
        error(r#"(terrain: (name: "hills", form: Blend(of: [(form: Disc()), (form: Instance(definition: "rock"))])))"#);
    assert_eq!(missing, "Construction / blend 'hills' / instance 2: there is no definition 'rock'");
    let newer = error("(version: 2)");
    assert!(newer.contains("version 2"), "{newer}");
    let scene = "(version: 1, layers: [(node: Construction(tree: (terrain: (form: Disc(radios: 3.0)))))])";
    let unknown = Scene::from_ron(scene).unwrap_err().to_string();
    assert!(unknown.contains("radios") && unknown.contains("line 1"), "{unknown}");
    let scene = r#"(version: 1, layers: [(node: Construction(tree: (terrain: (name: "hills", form: Blend(of: [
        (form: Disc()), (form: Disc()), (form: Disc(radius: -5.0)),
    ])))))])"#;
    let (read, warnings) = Scene::from_ron(scene).unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].0.contains("Construction / blend 'hills' / disc 3: radius") && warnings[0].0.contains("-5"),
        "{warnings:?}"
    );
    let Node::Construction(node) = &read.layers[0].node else { panic!("it is a construction") };
    let PieceKind::Disc(disc) = &node.tree.terrain.children()[2].kind else { panic!("it is a disc") };
    assert_eq!(disc.radius, 0.1);
}

/// Programs can contain cycles of definitions; files cannot. The evaluation does not hang, and the scene reports the
/// error.
#[test]
fn a_program_leaves_out_cycles_and_reports_them() {
    let mut tree = Tree::default();
    let instance = Piece::new(PieceKind::Instance(Instance { definition: "a".into(), ..Instance::default() }));
    tree.terrain = instance.clone();
    let of = vec![instance.clone(), instance];
    tree.definitions.push(Definition {
        name: "a".into(),
        piece: Piece::new(PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() })),
    });
    assert!(tree.check().unwrap_err().to_string().contains("contain itself"));
    let program = Program::new(&tree, 1);
    assert!(!program.problems.is_empty() && program.height([1.0, 2.0], &Detail::FULL) == 0.0);
}

#[test]
fn levels_of_detail_blend_without_a_jump() {
    let program = Program::new(&tree(12), 1);
    let mut last: Option<Vec<f64>> = None;
    for k in 0..=400 {
        let detail = Detail { level: f64::from(k) / 400.0, spacing: 0.0 };
        let heights: Vec<f64> =
            (0..64).map(|k| program.height([f64::from(k % 8) * 990.0, f64::from(k / 8) * 990.0], &detail)).collect();
        if let Some(last) = &last {
            let step = heights.iter().zip(last).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(step < 25.0, "{step} at {k}");
        }
        last = Some(heights);
    }
}

#[test]
fn a_hundred_and_fifty_primitives_are_64_kilobytes_of_text() {
    let tree = large(150);
    let text = tree.to_ron(0).unwrap();
    println!("{} pieces: {} bytes of RON", tree.count(), text.len());
    assert!(text.len() < 64 * 1024, "{}", text.len());
    let buffer = Program::new(&tree, 1).to_buffer();
    assert!(buffer.bytes().len() < 112 * 1024, "{}", buffer.bytes().len());
    assert_eq!(Tree::from_ron(&text).unwrap(), tree);
}

/// The construction trees of the document: those of all scenes in `saves/` named after it, and the composed primitives.
fn paper_trees() -> Vec<(String, Tree)> {
    let of_scenes = examples().iter().filter(|e| e.name.starts_with("paper-004")).filter_map(|example| {
        let node = &example.scene.layers.first()?.node;
        if let Node::Construction(node) = node {
            Some((example.name.to_string(), Tree::clone(&node.tree)))
        } else {
            None
        }
    });
    of_scenes.chain(presets::all().into_iter().map(|(name, tree)| (name.to_string(), Tree::clone(&tree)))).collect()
}

#[test]
fn local_bounds_halve_the_evaluations_of_sphere_tracing() {
    for (name, tree) in paper_trees() {
        let program = Program::new(&tree, 1);
        let mut asked = [0u64; 2];
        for (k, bound) in [Bound::Local, Bound::Global].into_iter().enumerate() {
            let mut tracer = Tracer::new(&program);
            let scale = program.side / 8000.0;
            (tracer.bound, tracer.tolerance) = (bound, (0.05 * scale, 1e-4));
            let mut dice = Dice::new(21);
            for _ in 0..60 {
                let mut ray = any_ray(&mut dice, (tracer.range().high / scale).min(2500.0));
                ray.origin = ray.origin.map(|x| x * scale);
                let trace = tracer.trace(&ray);
                asked[k] += u64::from(trace.heights + trace.bounds);
            }
        }
        let ratio = asked[0] as f64 / asked[1] as f64;
        println!("{name}: {} against {}, {ratio:.3}", asked[0], asked[1]);
        assert!(ratio < 0.5, "{name}: {ratio}");
    }
}

#[test]
fn the_node_writes_water_sand_and_plants_as_maps() {
    let layers = vec![Layer::new(Node::named("Construction").unwrap(), 1)];
    let mut scene = Scene { layers, ..Scene::default() };
    let node = &mut scene.layers[0].node;
    let preset = node.about().preset("Oasis").unwrap();
    node.adopt(preset);
    let made =
        talweg::eval::evaluate(&scene, 129, None, &mut talweg::eval::Store::forgetful(), &Control::default()).unwrap();
    let lake = made.terrain.map(MapKind::Water).unwrap();
    let wet = lake.iter().filter(|&&d| d > 0.0).count();
    assert!(wet > 100 && wet < 2000, "{wet}");
    let plants = made.terrain.map(MapKind::Vegetation).unwrap();
    assert!(plants.iter().all(|v| (0.0..=1.0).contains(v)) && plants.iter().any(|&v| v > 0.5));
}

#[test]
fn cut_out_pieces_end_where_their_weight_is_a_half() {
    const N: usize = 129;
    let mut scene = Scene { layers: vec![Layer::new(Node::named("Construction").unwrap(), 1)], ..Scene::default() };
    let made = |scene: &Scene| {
        talweg::eval::evaluate(scene, N, None, &mut talweg::eval::Store::forgetful(), &Control::default()).unwrap()
    };
    let whole = made(&scene);
    assert!(whole.terrain.map(MapKind::Ground).is_none());
    scene.set("1.cut_out=true").unwrap();
    let cut = made(&scene);
    assert_eq!(cut.terrain.height, whole.terrain.height, "heights stay as they are");
    let Node::Construction(construction) = &scene.layers[0].node else { unreachable!("the layer is a construction") };
    let random = talweg::field::Stream::new(scene.settings.seed, 1);
    let program = Program::new(&construction.tree, random.bits(0, 0) as u32);
    let side = program.side;
    let missing = cut.terrain.void_samples();
    let mut without = 0;
    for k in 0..N * N {
        let at = |index: usize| index as f64 / (N - 1) as f64 * side;
        let weight = program.sample([at(k % N), at(k / N)], &Detail::every(side / (N - 1) as f64)).weight;
        without += usize::from(weight < 0.5);
        // A sample exactly on the outline can be rounded to either side.
        assert!(cut.terrain.has_ground(k) == (weight >= 0.5) || (weight - 0.5).abs() < 1e-6, "{k}: {weight}");
    }
    assert!(missing.abs_diff(without) < 3 && missing > 0 && missing < N * N, "{missing} {without}");
}
