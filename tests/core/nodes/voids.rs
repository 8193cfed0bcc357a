//! Voids at which the land ends, for every process and every node that routes water.

use talweg::field::{Control, Edges, HAS_GROUND, MapKind, Terrain, Voids};
use talweg::nodes::{Node, NodeKind, VoidBorder};

use crate::kits::nodes::{TestScene, node};

const SAMPLES: usize = 65;
/// Iterations of each process.
const ITERATIONS: u32 = 6;

fn place(edges: Edges) -> TestScene {
    TestScene { voids: Voids::LandEnds, sea_level: -1.0, ..TestScene::new(SAMPLES, edges) }
}

/// Rows of the band of voids that divides the land into a northern and a southern part.
const BAND: std::ops::RangeInclusive<usize> = 28..=34;

fn is_void(row: usize, column: usize) -> bool {
    let (dx, dy) = (column as isize - 20, row as isize - 50);
    BAND.contains(&row) || dx * dx + dy * dy < 30 || (row, column) == (10, 40)
}

/// Mountains with a band, a disc and a single sample of voids, which have the height `hidden`.
fn mountains(place: &TestScene, hidden: f32) -> Terrain {
    let mut terrain = place.noise();
    let ground = terrain.map_mut(MapKind::Ground);
    let last = place.grid().distinct_side();
    (0..ground.len()).for_each(|k| ground[k] = f32::from(u8::from(!is_void(k / SAMPLES % last, k % SAMPLES % last))));
    for k in 0..terrain.height.len() {
        terrain.height[k] = if terrain.has_ground(k) { 0.2 + terrain.height[k] } else { hidden };
    }
    terrain
}

/// Every process, and every node that routes water, with parameters under which something happens.
fn laws() -> Vec<(String, Node)> {
    let low = ("sea_level", "-10000");
    let routes = [
        ("FlowAccumulation", vec![low]),
        ("FlowAccumulation", vec![low, ("courses", "Steepest")]),
        ("FlowAccumulation", vec![low, ("courses", "Scattered")]),
        ("FillDepressions", vec![low]),
        ("FillDepressions", vec![low, ("gradient", "1")]),
        ("FillDepressions", vec![low, ("fill_with", "Water")]),
        ("FillDepressions", vec![low, ("fill_with", "Channels")]),
        ("Lakes", vec![low, ("smallest_area", "0"), ("least_depth", "0")]),
        ("Rivers", vec![low, ("source_area", "0.2"), ("smallest_order", "1"), ("width", "200")]),
        ("StreamPower", vec![low, ("deposition", "1")]),
        ("Thermal", vec![("talus_angle", "5")]),
        ("ThermalFast", vec![("talus_angle", "5")]),
        ("ShallowWater", vec![("border", "Walls")]),
        ("ShallowWater", vec![("rain", "40"), ("springs", "3")]),
        ("Snow", vec![("snow_line", "-1000"), ("repose_angle", "10"), ("smoothing_metres", "100")]),
        ("Glacial", vec![("equilibrium_line", "500")]),
        ("Glacial", vec![("equilibrium_line", "500"), ("leave_ice", "true")]),
    ];
    let named = routes.into_iter().map(|(name, params)| (format!("{name} {params:?}"), node(name, &params)));
    let processes = Node::catalogue().into_iter().filter(|node| node.as_process().is_some());
    let on_squares = processes.filter(|node| node.traits().runs_on_square);
    named.chain(on_squares.map(|node| (node.about().name.to_string(), node))).collect()
}

/// A place whose sea is at 700 m for laws that need a sea.
fn place_of(law: &str, edges: Edges) -> TestScene {
    if law.starts_with("Coastal") { TestScene { sea_level: 700.0 / 1800.0, ..place(edges) } } else { place(edges) }
}

/// The samples of the land at which two results differ in the height or in a map.
fn differing(a: &Terrain, b: &Terrain, counts: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let differs = |k: usize| {
        a.height[k].to_bits() != b.height[k].to_bits()
            || MapKind::ALL.iter().any(|&kind| {
                let value = |terrain: &Terrain| terrain.map(kind).map_or(kind.neutral(), |map| map[k]).to_bits();
                value(a) != value(b)
            })
    };
    (0..a.height.len())
        .filter(|&k| a.has_ground(k) && counts(k) && differs(k))
        .map(|k| (k / SAMPLES, k % SAMPLES))
        .collect()
}

/// If water and rock cross voids, each law reads the heights of voids, and its result depends on them. The next test
/// uses the same terrain, so it would fail for a law that reads these heights.
#[test]
fn laws_that_cross_voids_read_their_heights() {
    let blind = |(name, law): &(String, Node)| {
        let place = TestScene { voids: Voids::Cross, ..place_of(name, Edges::Open) };
        let made = [0.3, -3.0, 0.7, 40.0].map(|hidden| place.finish(law, &mountains(&place, hidden), ITERATIONS));
        made[1..].iter().all(|other| differing(&made[0], other, |_| true).is_empty())
    };
    let blind: Vec<String> = laws().into_iter().filter(blind).map(|(name, _)| name).collect();
    assert!(blind.is_empty(), "{blind:?}");
}

#[test]
fn land_does_not_depend_on_heights_of_voids() {
    let mut wrong = Vec::new();
    for edges in [Edges::Open, Edges::Wrap] {
        for (name, law) in laws() {
            let place = place_of(&name, edges);
            let starts = [0.3, -3.0, 40.0].map(|hidden| mountains(&place, hidden));
            let made = starts.each_ref().map(|start| place.finish(&law, start, ITERATIONS));
            for (start, made) in starts.iter().zip(&made) {
                let kept = (0..made.height.len()).all(|k| made.has_ground(k) || made.height[k] == start.height[k]);
                if !kept || made.map(MapKind::Ground) != start.map(MapKind::Ground) {
                    wrong.push(format!("{name} {edges:?}: a void changes"));
                }
                if made.height.iter().chain(made.maps().flat_map(|(_, map)| &**map)).any(|value| !value.is_finite()) {
                    wrong.push(format!("{name} {edges:?}: not a number"));
                }
            }
            for other in &made[1..] {
                let found = differing(&made[0], other, |_| true);
                if !found.is_empty() {
                    wrong.push(format!("{name} {edges:?}: {} samples differ, first {:?}", found.len(), found[0]));
                }
            }
            let start = &starts[0];
            let is_same = differing(start, &made[0], |_| true).is_empty();
            let idle = ["FillDepressions", "Olsen"].iter().any(|idle| name.starts_with(idle));
            if is_same && !idle {
                wrong.push(format!("{name} {edges:?}: nothing happens"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A mountain more on the northern side of a band changes no bit on the southern side. Laws whose voids continue the
/// land smoothly are left out: the heights of their voids follow from both sides.
#[test]
fn land_does_not_depend_on_land_beyond_a_void() {
    let mut wrong = Vec::new();
    for (name, law) in laws() {
        let border = law.as_process().map_or(VoidBorder::Outlets, |process| process.void_border());
        let reads_far = name.contains("springs") || border == VoidBorder::Leaving;
        if reads_far {
            continue;
        }
        let place = place_of(&name, Edges::Open);
        let start = mountains(&place, 0.3);
        let mut other = start.clone();
        (0..27 * SAMPLES).filter(|&k| start.has_ground(k)).for_each(|k| other.height[k] += 0.002 * (k % 17) as f32);
        let [one, two] = [&start, &other].map(|start| place.finish(&law, start, ITERATIONS));
        let found = differing(&one, &two, |k| k / SAMPLES > *BAND.end());
        if !found.is_empty() {
            wrong.push(format!("{name}: {} samples differ, first {:?}", found.len(), found[0]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mass_balances_close_beside_voids() {
    let control = Control::default();
    let mut wrong = Vec::new();
    for edges in [Edges::Open, Edges::Wrap] {
        for (name, law) in laws() {
            let NodeKind::Process(process) = law.work() else { continue };
            let place = place_of(&name, edges);
            let (cx, start) = (place.context(&control), mountains(&place, 0.3));
            for in_place in [false, true] {
                let mut run = process.start(&cx, start.clone());
                let mut earlier = run.snapshot();
                for _ in 0..ITERATIONS {
                    if in_place { run.step_in_place(&cx) } else { run.step(&cx) }.unwrap();
                    earlier.step(&cx).unwrap();
                }
                let balance = run.mass_balance();
                let [before, after] = [&start, run.terrain()].map(|terrain| cx.grid.sum(&terrain.height));
                let scale = 1.0e-6 * before.abs();
                let open = after - before - balance.ground_change();
                if balance.residual().abs() > scale || open.abs() > scale || balance.lost < -scale {
                    wrong.push(format!("{name} {edges:?}: {balance:?}, open {open:e}"));
                }
                if *earlier.terrain() != *run.terrain() {
                    wrong.push(format!("{name} {edges:?}: a snapshot or a step in place differs"));
                }
                let shown = run.terrain().clone();
                if shown != run.into_terrain() {
                    wrong.push(format!("{name} {edges:?}: the last terrain differs from the shown terrain"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A pyramid of voids in a plain: nothing leaves an open edge in these laws, so nothing leaves the land, and the plain
/// gains nothing.
#[test]
fn rock_of_a_void_does_not_slide_onto_land() {
    let place = place(Edges::Open);
    let mut start = Terrain::flat(place.grid());
    for k in 0..start.height.len() {
        let inside = (20..45).contains(&(k / SAMPLES)) && (20..45).contains(&(k % SAMPLES));
        start.height[k] = if inside { 0.5 } else { 0.1 };
        start.map_mut(MapKind::Ground)[k] = f32::from(u8::from(!inside));
    }
    for (name, params) in [
        ("Thermal", &[("talus_angle", "10")][..]),
        ("ThermalFast", &[("talus_angle", "10")]),
        ("Olsen", &[]),
        ("Creep", &[]),
        ("Hydraulic", &[("rain", "0")]),
        ("HydraulicFast", &[("rain", "0")]),
        ("Snow", &[("snow_line", "50000")]),
        ("StreamPower", &[("uplift_rate", "0"), ("sea_level", "-10000")]),
    ] {
        let made = place.finish(&node(name, params), &start, 20);
        assert_eq!(made.height, start.height, "{name}");
        let crossed = TestScene { voids: Voids::Cross, ..place }.finish(&node(name, params), &start, 20);
        let is_idle = ["Snow", "Hydraulic", "HydraulicFast", "Olsen", "Creep"].contains(&name);
        assert!(is_idle || crossed.height != start.height, "{name}");
    }
    assert!(start.map(MapKind::Ground).unwrap().iter().any(|&ground| ground < HAS_GROUND));
}

/// The filters that read neighbours still read the heights of voids; the help of the setting names them.
#[test]
fn filters_that_read_the_heights_of_voids_are_known() {
    let place = place(Edges::Open);
    let starts = [0.3, -3.0].map(|hidden| mountains(&place, hidden));
    let mut reading = Vec::new();
    for law in Node::catalogue() {
        if !matches!(law.work(), NodeKind::Filter(_)) || !law.traits().runs_on_square {
            continue;
        }
        let made = starts.each_ref().map(|start| place.finish(&law, start, 0));
        let moves = law.about().name == "Transform";
        if !moves && !differing(&made[0], &made[1], |_| true).is_empty() {
            reading.push(law.about().name);
        }
    }
    assert_eq!(reading, READING);
}

/// Filters that read the heights of voids.
const READING: &[&str] = &["Craters", "RiverWalk", "Blur", "Sharpen", "Ridges", "Warp", "Gullies", "Rain"];
