//! Rivers along squig curves: the water never rises downstream, never stands above its banks and has no gap.

use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, Grid, MapKind, Stream, Terrain};
use talweg::nodes::generators::squig_river::network::RiverNetwork;
use talweg::nodes::generators::squig_river::squig::TerrainEdge;
use talweg::nodes::generators::squig_river::{BankShape, RiverWidths, SquigRiver};
use talweg::nodes::generators::triangular::TriangleLayout;
use talweg::nodes::{Context, Generator, Node};
use talweg::scene::{Blend, Layer, Scene};

fn with_context<T>(samples: usize, edges: Edges, seed: u32, work: impl FnOnce(&Context) -> T) -> T {
    let control = Control::default();
    work(&Context {
        grid: Grid::new(samples, edges),
        size_metres: 8000.0,
        relief_metres: 1800.0,
        sea_level: 0.0,
        planet: None,
        scene_samples: 1025,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(seed, 1),
        control: &control,
    })
}

fn made(node: &SquigRiver, samples: usize, seed: u32) -> (Terrain, RiverNetwork) {
    with_context(samples, Edges::Open, seed, |cx| {
        let mut terrain = Terrain::flat(cx.grid);
        node.generate(cx, &mut terrain).unwrap();
        (terrain, node.network(cx).unwrap())
    })
}

/// Rivers of many kinds.
fn kinds() -> Vec<SquigRiver> {
    let plain = SquigRiver::default();
    vec![
        plain.clone(),
        SquigRiver { tributaries: 0, forks: 0, cascades: 0.0, ..plain.clone() },
        SquigRiver { cascades: 1.0, steps: 12, drop: 0.5, rivers: 4, tributaries: 9, forks: 8, ..plain.clone() },
        SquigRiver {
            entry: TerrainEdge::West,
            exit: TerrainEdge::East,
            rivers: 8,
            width: 250.0,
            depth: 40.0,
            ..plain.clone()
        },
        SquigRiver { entry: TerrainEdge::South, exit: TerrainEdge::South, detail: 5, width: 20.0, ..plain.clone() },
        SquigRiver {
            banks: BankShape::AsInPaper,
            tributaries: 0,
            forks: 0,
            cascades: 0.0,
            depth: 2.0,
            ..plain.clone()
        },
        SquigRiver { banks: BankShape::AsInPaper, rivers: 3, tributaries: 5, forks: 4, ..plain.clone() },
        growing(),
        SquigRiver { rivers: 3, forks: 4, levels_shown: 5, source_width: 0.0, ..growing() },
    ]
}

/// Rivers whose width grows with their discharge.
fn growing() -> SquigRiver {
    SquigRiver { widths: RiverWidths::Downstream, width: 300.0, depth: 20.0, tributaries: 6, ..SquigRiver::default() }
}

fn on_side(side: TerrainEdge, position: [f32; 2]) -> bool {
    match side {
        TerrainEdge::North => position[1] == 0.0,
        TerrainEdge::East => position[0] == 1.0,
        TerrainEdge::South => position[1] == 1.0,
        TerrainEdge::West => position[0] == 0.0,
    }
}

#[test]
fn courses_cross_or_join_and_their_water_never_rises() {
    let (mut joins, mut forks) = (0, 0);
    for node in kinds() {
        for seed in 0..6 {
            let network = with_context(257, Edges::Open, seed, |cx| node.network(cx).unwrap());
            let mut owners = vec![Vec::new(); network.nodes.len()];
            for (k, course) in network.centrelines.iter().enumerate() {
                course.nodes.iter().for_each(|&id| owners[id].push(k));
            }
            for (k, course) in network.centrelines.iter().enumerate() {
                let (first, last) = (course.nodes[0], course.nodes[course.nodes.len() - 1]);
                if k == 0 {
                    assert!(on_side(node.entry, network.nodes[first].position), "{seed} {node:?}");
                }
                let leaves = on_side(node.exit, network.nodes[last].position);
                assert!(leaves || owners[last].len() > 1, "course {k} ends nowhere: {seed} {node:?}");
                joins += usize::from(!leaves);
                forks += usize::from(owners[first].len() > 1);
                for pair in course.nodes.windows(2) {
                    let [from, to] = [pair[0], pair[1]].map(|id| network.nodes[id]);
                    if node.banks == BankShape::Symmetric {
                        assert!(to.level <= from.level, "{} to {}: {seed} {node:?}", from.level, to.level);
                    }
                    // The river has no gap: consecutive vertices are neighbours on the lattice.
                    let step = [0, 1].map(|a| (from.vertex[a] - to.vertex[a]).abs());
                    assert!(step[0] <= 1 && step[1] <= 1, "{from:?} {to:?}");
                }
            }
        }
    }
    assert!(joins > 60 && forks > 20, "{joins} courses join, {forks} fork");
}

/// Distance to the nearest water as a multiple of the side length, and its lowest and highest level if several points
/// are equally near. A search through all segments finds them.
fn nearest(network: &RiverNetwork, x: f64, y: f64) -> (f64, f64, f64) {
    let mut all = Vec::new();
    for course in &network.centrelines {
        for pair in course.nodes.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|id| network.nodes[id]);
            let [ax, ay, bx, by] = [a.position[0], a.position[1], b.position[0], b.position[1]].map(f64::from);
            let (ux, uy) = (bx - ax, by - ay);
            let t = (((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy).max(1e-30)).clamp(0.0, 1.0);
            let d = (x - ax - t * ux).hypot(y - ay - t * uy);
            all.push((d, f64::from(a.level) + f64::from(b.level - a.level) * t));
        }
    }
    let least = all.iter().fold(f64::MAX, |least, (d, _)| least.min(*d));
    let near = all.iter().filter(|(d, _)| *d < least + 1e-6);
    near.fold((least, f64::MAX, f64::MIN), |(d, low, high), (_, level)| (d, low.min(*level), high.max(*level)))
}

#[test]
fn water_has_the_level_of_the_nearest_course_point() {
    let is_even = |n: &SquigRiver| n.banks == BankShape::Symmetric && n.widths == RiverWidths::Even;
    for (k, node) in kinds().into_iter().filter(is_even).enumerate() {
        let (terrain, network) = made(&node, 129, k as u32);
        let water = terrain.map(MapKind::Water).unwrap();
        let half = f64::from(node.width / 2.0 / 8000.0).max(0.75 / 128.0);
        for s in 0..129 * 129 {
            let (distance, low, high) = nearest(&network, (s % 129) as f64 / 128.0, (s / 129) as f64 / 128.0);
            if (distance - half).abs() > 1e-6 {
                assert_eq!(water[s] > 0.0, distance < half, "sample {s}, {distance} from the water: {node:?}");
            }
            if distance < half - 1e-6 {
                let surface = f64::from(terrain.height[s] + water[s]);
                assert!(surface > low - 1e-4 && surface < high + 1e-4, "sample {s}: {surface}, not {low}: {node:?}");
                let depth = f64::from(node.depth / 1800.0) * (1.0 - (distance / half).powi(2));
                assert!((f64::from(water[s]) - depth).abs() < 1e-5, "sample {s}: {} is not {depth}", water[s]);
            }
        }
    }
}

/// Hydraulic geometry after Leopold & Maddock 1953: widths are proportional to the square root of the discharge. The
/// discharge grows with the length of the channels upstream and is divided where a river forks.
#[test]
fn rivers_grow_with_their_water_and_springs_are_points() {
    let length = |network: &RiverNetwork, course: &[usize]| -> f64 {
        let step = |p: &[usize]| {
            let [a, b] = [p[0], p[1]].map(|id| network.nodes[id].position.map(f64::from));
            (a[0] - b[0]).hypot(a[1] - b[1])
        };
        course.windows(2).map(step).sum()
    };
    let (mut springs, mut joins) = (0, 0);
    for seed in 0..8 {
        for node in [growing(), SquigRiver { rivers: 3, forks: 0, source_width: 0.6, ..growing() }] {
            const N: usize = 513;
            let (terrain, network) = made(&node, N, seed);
            let inflow = node.source_width * node.source_width;
            let shares = network.discharges(inflow);
            // The outflow of the network equals its inflow plus the gain along every channel.
            let all: f64 = network.centrelines.iter().map(|c| length(&network, &c.nodes)).sum();
            let leaves = |c: &talweg::nodes::generators::squig_river::network::Centreline| {
                on_side(node.exit, network.nodes[*c.nodes.last().unwrap()].position)
            };
            let courses = || network.centrelines.iter().zip(&shares);
            let out: f64 = courses().filter(|(c, _)| leaves(c)).map(|(_, s)| f64::from(s[s.len() - 1])).sum();
            let most = f64::from(shares.iter().flatten().fold(0.0f32, |a, b| a.max(*b)));
            assert!((most - 1.0).abs() < 1e-6, "{most}");
            if network.centrelines.iter().filter(|c| leaves(c)).count() == 1 {
                // The inflow at the source, as a fraction of the discharge at the mouth.
                let first = f64::from(shares[0][0]);
                let enters = |c: &talweg::nodes::generators::squig_river::network::Centreline| {
                    on_side(node.entry, network.nodes[c.nodes[0]].position)
                };
                // The point where a river enters can be a fork.
                let sources = courses().filter(|(c, s)| s[0] > 0.0 && enters(c)).map(|(c, _)| c.nodes[0]);
                let rivers = sources.collect::<std::collections::HashSet<_>>().len();
                assert!((out - 1.0).abs() < 1e-4, "{out}");
                assert!((first * rivers as f64 - f64::from(inflow)).abs() < 1e-3, "{first} {rivers} {inflow}");
            }
            assert!(all > 1.0);
            let water = terrain.map(MapKind::Water).unwrap();
            // Every water sample has the depth and width of the nearest channel segment, found by a search through all
            // segments.
            let depth_of = |x: f64, y: f64| {
                let mut best = (f64::MAX, 0.0);
                for (course, shares) in courses() {
                    for (pair, share) in course.nodes.windows(2).zip(shares.windows(2)) {
                        let [a, b] = [pair[0], pair[1]].map(|id| network.nodes[id].position.map(f64::from));
                        let (ux, uy) = (b[0] - a[0], b[1] - a[1]);
                        let t = ((x - a[0]) * ux + (y - a[1]) * uy) / (ux * ux + uy * uy).max(1e-30);
                        let t = t.clamp(0.0, 1.0);
                        let d = (x - a[0] - t * ux).hypot(y - a[1] - t * uy);
                        let half = |q: f32| (f64::from(q).sqrt() * 150.0 / 8000.0).max(0.75 / 512.0);
                        let deep = |q: f32| f64::from(q).powf(0.4) * 20.0 / 1800.0;
                        let (from, to) = (share[0], share[1]);
                        let (half, deep) =
                            (half(from) + (half(to) - half(from)) * t, deep(from) + (deep(to) - deep(from)) * t);
                        if d - half < best.0 {
                            best = (d - half, deep * (1.0 - (d / half).powi(2)).max(0.0));
                        }
                    }
                }
                best
            };
            for k in (0..N * N).step_by(61) {
                let (edge, deep) = depth_of((k % N) as f64 / 512.0, (k / N) as f64 / 512.0);
                if edge.abs() > 1e-6 {
                    let there = f64::from(water[k]);
                    let deep = if edge < 0.0 { deep } else { 0.0 };
                    assert!((there - deep).abs() < 1e-5, "{seed} {k}: {there} is not {deep}, {edge} from the edge");
                }
            }
            for (course, shares) in courses() {
                let (first, last) = (course.nodes[0], course.nodes[course.nodes.len() - 1]);
                if shares[0] == 0.0 {
                    springs += 1;
                    // A spring is a point: within a disc as wide as the river mouth, only a small part is wet.
                    let at = network.nodes[first].position;
                    let radius = 0.5 * 300.0 / 8000.0;
                    let near = (0..N * N).filter(|k| {
                        let (x, y) = ((k % N) as f32 / 512.0 - at[0], (k / N) as f32 / 512.0 - at[1]);
                        x * x + y * y < radius * radius
                    });
                    let near: Vec<usize> = near.collect();
                    let alone = courses().all(|(other, _)| {
                        other.nodes.iter().skip(usize::from(other.nodes[0] == first)).all(|&id| {
                            let [x, y] = network.nodes[id].position;
                            (x - at[0]).hypot(y - at[1]) > 2.5 * radius || course.nodes.contains(&id)
                        })
                    });
                    let wet = near.iter().filter(|&&k| water[k] > 0.0).count();
                    assert!(!alone || wet * 3 < near.len(), "{seed}: {wet} of {} samples at a spring", near.len());
                }
                if !leaves(course) && !on_side(node.entry, network.nodes[first].position) {
                    joins += 1;
                    // A tributary ends within the water that it joins, and is narrower than it.
                    let trunk = courses().filter(|(other, _)| !std::ptr::eq(*other, course)).flat_map(|(other, s)| {
                        other.nodes.iter().zip(s).filter(|(id, _)| **id == last).map(|(_, q)| *q).collect::<Vec<_>>()
                    });
                    assert!(trunk.fold(0.0f32, f32::max) >= shares[shares.len() - 1], "{seed}");
                }
            }
        }
    }
    println!("{springs} springs, {joins} courses that join");
    assert!(springs > 40 && joins > 40, "{springs} {joins}");
}

fn neighbours(n: usize, k: usize) -> impl Iterator<Item = usize> {
    let (i, j) = ((k / n) as i64, (k % n) as i64);
    (-1..=1i64).flat_map(move |a| (-1..=1i64).map(move |b| (i + a, j + b))).filter_map(move |(r, c)| {
        let inside = |at: i64| (0..n as i64).contains(&at);
        (inside(r) && inside(c) && (r, c) != (i, j)).then_some((r * n as i64 + c) as usize)
    })
}

#[test]
fn water_never_stands_above_its_banks() {
    for node in kinds() {
        for (samples, seed) in [(129, 3), (257, 0), (257, 1), (513, 2)] {
            let (terrain, _) = made(&node, samples, seed);
            let water = terrain.map(MapKind::Water).unwrap();
            let surface = |k: usize| terrain.height[k] + water[k];
            let mut wet = 0;
            for k in (0..samples * samples).filter(|&k| water[k] > 0.0) {
                wet += 1;
                for b in neighbours(samples, k).filter(|&b| water[b] == 0.0) {
                    let above = surface(k) - terrain.height[b];
                    assert!(above < 1e-5, "{samples}, seed {seed}, sample {k}: water {above} above {b}: {node:?}");
                }
            }
            assert!(wet > samples / 2, "{wet}");
        }
    }
}

#[test]
fn water_connects_entry_and_exit_at_every_resolution() {
    for node in kinds() {
        for samples in [129, 257, 333, 1025] {
            for seed in if samples > 1000 { 4..5 } else { 3..5 } {
                let (terrain, _) = made(&node, samples, seed);
                let water = terrain.map(MapKind::Water).unwrap();
                let on = |side: TerrainEdge, k: usize| {
                    on_side(side, [k % samples, k / samples].map(|at| at as f32 / (samples - 1) as f32))
                };
                let mut seen = vec![false; samples * samples];
                let mut open: Vec<usize> =
                    (0..samples * samples).filter(|&k| water[k] > 0.0 && on(node.entry, k)).collect();
                assert!(!open.is_empty(), "no water at the entry: {samples} {seed} {node:?}");
                let mut arrived = false;
                while let Some(k) = open.pop() {
                    if std::mem::replace(&mut seen[k], true) {
                        continue;
                    }
                    arrived |= on(node.exit, k);
                    open.extend(neighbours(samples, k).filter(|&b| water[b] > 0.0 && !seen[b]));
                }
                assert!(arrived, "a gap at {samples}, seed {seed}: {node:?}");
            }
        }
    }
}

/// For rivers with the paper's bank shape (`AsInPaper`), both the water level and the bed fall from sample to sample
/// along the channel.
#[test]
fn the_course_of_the_paper_never_rises() {
    for node in kinds().into_iter().filter(|n| n.banks == BankShape::AsInPaper) {
        for (samples, seed) in [(65, 0), (129, 1), (257, 2), (1025, 3)] {
            let (terrain, network) = made(&node, samples, seed);
            let water = terrain.map(MapKind::Water).unwrap();
            for course in &network.centrelines {
                for pair in course.nodes.windows(2) {
                    let [a, b] = [pair[0], pair[1]].map(|id| {
                        let [row, column] = network.nodes[id].vertex;
                        row as usize * samples + column as usize
                    });
                    assert!(water[a] > 0.0 && water[b] > 0.0);
                    assert!(terrain.height[b] <= terrain.height[a], "{samples} {seed}: the bed rises");
                    let surface = |k: usize| terrain.height[k] + water[k];
                    assert!(surface(b) <= surface(a) + 1e-6, "{samples} {seed}: water rises");
                }
            }
        }
    }
}

#[test]
fn the_coarse_result_resembles_the_fine_one() {
    for node in kinds() {
        let ((coarse, _), (fine, _)) = (made(&node, 129, 5), made(&node, 513, 5));
        let mut squares = 0.0;
        for (k, h) in coarse.height.iter().enumerate() {
            squares += f64::from(h - fine.height[(k / 129) * 4 * 513 + (k % 129) * 4]).powi(2);
        }
        let rms = (squares / coarse.height.len() as f64).sqrt();
        assert!(rms < 0.01, "{rms}: {node:?}");
    }
}

#[test]
fn cascades_gather_the_fall_in_few_places() {
    let share_in_steepest_tenth = |cascades: f32| {
        let node = SquigRiver { cascades, steps: 5, tributaries: 0, forks: 0, drop: 0.3, ..SquigRiver::default() };
        let network = with_context(257, Edges::Open, 3, |cx| node.network(cx).unwrap());
        let course = &network.centrelines[0].nodes;
        let mut falls: Vec<f32> =
            course.windows(2).map(|p| network.nodes[p[0]].level - network.nodes[p[1]].level).collect();
        falls.sort_by(|a, b| b.total_cmp(a));
        falls[..falls.len() / 10].iter().sum::<f32>() / falls.iter().sum::<f32>()
    };
    let [gentle, mixed, steep] = [0.0, 0.5, 1.0].map(share_in_steepest_tenth);
    println!("the steepest tenth has {gentle:.2}, {mixed:.2} and {steep:.2} of the fall");
    assert!(gentle < 0.35 && mixed > gentle + 0.1 && steep > 0.95, "{gentle} {mixed} {steep}");
}

/// Rivers blended with Perlin noise, the noise alone, and the rivers alone.
fn blended(blend: Blend) -> (Terrain, Terrain, Terrain) {
    let river = Layer::new(Node::SquigRiver(SquigRiver::default()), 2);
    let ground = Layer::new(Node::named("Perlin").unwrap(), 1);
    let run = |layers: Vec<Layer>| {
        let mut scene = Scene { layers, ..Scene::default() };
        scene.settings.resolution = 129;
        let done = evaluate(&scene, 129, None, &mut Store::forgetful(), &Control::default()).unwrap();
        Terrain::clone(&done.terrain)
    };
    let mut top = river.clone();
    top.mix.blend = blend;
    (run(vec![ground.clone(), top]), run(vec![ground]), run(vec![river]))
}

#[test]
fn water_follows_the_blend_of_the_ground() {
    for blend in Blend::ALL.iter().copied() {
        let (both, below, made) = blended(blend);
        assert!(below.map(MapKind::Water).is_none());
        let (water, own) = (both.map(MapKind::Water).unwrap(), made.map(MapKind::Water).unwrap());
        let mut wet = 0;
        for k in 0..129 * 129 {
            let (a, b, w) = (below.height[k], made.height[k], own[k]);
            assert!(water[k] >= 0.0);
            wet += usize::from(water[k] > 0.0);
            match blend {
                Blend::Replace | Blend::Add => assert_eq!(water[k], w),
                Blend::Subtract => assert_eq!(water[k], 0.0),
                Blend::Multiply => assert!((water[k] - (a * w).max(0.0)).abs() < 1e-6),
                Blend::Max => assert!((water[k] - (w - (a - b).max(0.0)).max(0.0)).abs() < 1e-6),
                Blend::Min => assert!((water[k] - w.min((a - b).max(0.0))).abs() < 1e-6),
                // Away from the seam the smooth modes equal the sharp modes.
                Blend::SmoothMin | Blend::SmoothMax => assert!(water[k] <= w * 1.5 + 1e-6),
            }
        }
        assert!(wet > 5 || blend == Blend::Subtract, "{blend:?}: {wet}");
    }
}

#[test]
fn covering_terrain_hides_water_and_a_mask_reveals_it() {
    let river = Layer::new(Node::SquigRiver(SquigRiver::default()), 2);
    let mut cover = Layer::new(Node::named("Perlin").unwrap(), 1);
    let run = |cover: &Layer| {
        let mut scene = Scene { layers: vec![river.clone(), cover.clone()], ..Scene::default() };
        scene.settings.resolution = 129;
        let done = evaluate(&scene, 129, None, &mut Store::forgetful(), &Control::default()).unwrap();
        done.terrain.map(MapKind::Water).map_or(0.0, |w| w.iter().map(|&w| f64::from(w)).sum::<f64>())
    };
    cover.mix.opacity = 0.5;
    let half = run(&cover);
    cover.mix.opacity = 1.0;
    let none = run(&cover);
    cover.mix.blend = Blend::Add;
    let all = run(&cover);
    assert!(none == 0.0 && all > 0.0 && (half / all - 0.5).abs() < 1e-3, "{none} {half} {all}");
}

#[test]
fn wrapping_rivers_leave_no_seam() {
    for node in kinds() {
        for samples in [100, 129] {
            with_context(samples, Edges::Wrap, 2, |cx| {
                let mut terrain = Terrain::flat(cx.grid);
                node.generate(cx, &mut terrain).unwrap();
                let water = terrain.map(MapKind::Water).unwrap();
                for k in 0..samples {
                    for field in [&terrain.height, &**water] {
                        assert_eq!(field[k].to_bits(), field[(samples - 1) * samples + k].to_bits(), "{node:?}");
                        assert_eq!(
                            field[k * samples].to_bits(),
                            field[k * samples + samples - 1].to_bits(),
                            "{node:?}"
                        );
                    }
                }
            });
        }
    }
}

/// Figure 9 of Le Martelot: the river of one triangle enters over its left side and leaves over its base. Elsewhere it
/// stays inside the triangle, and there is no water beyond the edges.
#[test]
fn a_triangle_river_runs_down_inside_from_side_to_base() {
    let samples = 129;
    for banks in [BankShape::AsInPaper, BankShape::Symmetric] {
        for seed in 1..=6 {
            let node = SquigRiver { layout: TriangleLayout::Triangle, banks, depth: 20.0, ..SquigRiver::default() };
            let (terrain, network) = made(&node, samples, seed);
            assert!(network.nodes.len() > 20, "{banks:?} {seed}");
            // In the table, the triangle is the part below the diagonal.
            assert!(network.nodes.iter().all(|node| node.vertex[1] <= node.vertex[0]), "{banks:?} {seed}");
            let on_side = network.nodes.iter().filter(|node| node.vertex[1] == 0).count();
            let lowest = network.nodes.iter().map(|node| node.vertex[0]).max().unwrap();
            let on_base = network.nodes.iter().filter(|node| node.vertex[0] == lowest).count();
            assert!(on_side == 1 && on_base == 1, "{banks:?} {seed}: in {on_side}, out {on_base} times");
            let [ground, water] = [MapKind::Ground, MapKind::Water].map(|kind| terrain.map(kind).unwrap());
            let share = ground.iter().sum::<f32>() / ground.len() as f32;
            assert!((share - 0.5).abs() < 0.02, "{share} of the square is ground");
            let wet: Vec<usize> = (0..water.len()).filter(|&k| water[k] > 0.0).collect();
            assert!(!wet.is_empty() && wet.iter().all(|&k| ground[k] > 0.0), "{banks:?} {seed}");
            // Bed heights near both ends of the channel: in the rows before and after its middle.
            let rows = |k: &usize| k / samples;
            let (first, last) = (wet.iter().map(rows).min().unwrap(), wet.iter().map(rows).max().unwrap());
            assert_eq!(last, samples - 1, "{banks:?} {seed}: it ends on the base");
            let end = |row: usize| {
                let beds = wet.iter().filter(|k| rows(k) == row).map(|&k| terrain.height[k]);
                beds.fold(f32::MAX, f32::min)
            };
            assert!(end(last) <= end(first) + 1e-6, "{banks:?} {seed}: {} → {}", end(first), end(last));
        }
    }
}
