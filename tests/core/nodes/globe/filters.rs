//! Filters and generators on a small globe, against laws that do not depend on its six faces.

use crate::kits::globe::{
    World, angle, cone_positions, dot, made, noise, open_seams, owners, turned_field, turned_samples,
};
use crate::kits::nodes::node;
use talweg::field::{MapKind, Terrain};
use talweg::nodes::Node;
use talweg::planet::World as Kind;

/// A node, its parameters, and the maximum difference of two results as a fraction of the greatest value.
type Filtering = (&'static str, &'static [(&'static str, &'static str)], f32);

/// `terrain` with other heights.
fn with_height(terrain: &Terrain, height: Vec<f32>) -> Terrain {
    let mut other = terrain.clone();
    other.height = height;
    other
}

/// Turning the globe by a symmetry of the cube and then filtering equals filtering and then turning.
#[test]
fn a_rotated_globe_gives_a_rotated_result() {
    const SEA: (&str, &str) = ("sea_level", "8000");
    let filters: [Filtering; 5] = [
        ("FillDepressions", &[SEA], 0.0),
        ("FillDepressions", &[SEA, ("gradient", "20")], 1e-6),
        ("FillDepressions", &[SEA, ("fill_with", "Water")], 0.0),
        // At a few cells of lakes, a random number of the cell chooses one of two equally near ways out.
        ("FlowAccumulation", &[SEA, ("courses", "Steepest")], 2e-3),
        // At a few cells the turned globe divides the water differently.
        ("FlowAccumulation", &[SEA, ("courses", "Spread")], 2e-3),
    ];
    let world = World::new(33);
    let (globe, terrain) = (world.globe(), world.terrain(noise));
    let to = turned_samples(&globe, |[x, y, z]| [-y, x, z]);
    let turned = with_height(&terrain, turned_field(&globe, &to, &terrain.height));
    for (name, params, within) in filters {
        let node = node(name, params);
        let (before, after) = (made(world, &node, &turned), made(world, &node, &terrain));
        let fields = |made: &Terrain| {
            let maps = [MapKind::Water, MapKind::Flow].map(|kind| made.map(kind).map(|map| map.to_vec()));
            [Some(made.height.clone())].into_iter().chain(maps).flatten().collect::<Vec<Vec<f32>>>()
        };
        for (one, other) in fields(&before).iter().zip(fields(&after)) {
            let other = turned_field(&globe, &to, &other);
            let size = other.iter().fold(0.0f32, |most, v| most.max(v.abs()));
            let worst = one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) / size;
            println!("{name} {params:?}: {worst}");
            assert!(worst <= within, "{name} {params:?}: apart by {worst} of {size}");
        }
    }
}

/// Spikes disappear at any position, smooth terrain stays, and the median commutes with any monotonic function.
#[test]
fn the_median_removes_spikes_and_keeps_the_order() {
    let world = World::new(33);
    let (globe, median) = (world.globe(), node("Median", &[("radius", "5000")]));
    for (place, top) in cone_positions() {
        let (nearest, _) =
            owners(&globe).into_iter().min_by(|a, b| angle(a.1, top).total_cmp(&angle(b.1, top))).unwrap();
        let mut spike = world.terrain(|_| 0.5);
        spike.height[nearest] = 9.0;
        globe.grid().close(&mut spike.height);
        assert!(made(world, &median, &spike).height.iter().all(|&h| h == 0.5), "{place}");
    }
    // A step along a great circle stays in place, within one cell.
    let normal = [0.48, 0.6, 0.64];
    let step = made(world, &median, &world.terrain(|at| if dot(at, normal) > 0.0 { 1.0 } else { 0.0 }));
    let cell = std::f64::consts::FRAC_PI_2 / 32.0;
    for (k, at) in owners(&globe).into_iter().filter(|(_, at)| dot(*at, normal).abs() > 1.5 * cell) {
        assert_eq!(step.height[k] > 0.5, dot(at, normal) > 0.0, "{at:?}");
    }
    let ground = world.terrain(noise);
    let law = |h: f32| 0.2 + h * h * h;
    let lawful = with_height(&ground, ground.height.iter().copied().map(law).collect());
    let (first, last) = (made(world, &median, &lawful), made(world, &median, &ground));
    assert!(first.height.iter().zip(&last.height).all(|(&a, &b)| a == law(b)));
    // The median takes each height from within its radius, with an allowance for the distortion of the faces.
    let reach = 5000.0 / f64::from(world.radius_metres) * 1.2;
    for (k, at) in owners(&globe).into_iter().step_by(7) {
        let near = owners(&globe).into_iter().filter(|(_, there)| angle(at, *there) < reach);
        assert!(near.map(|(there, _)| ground.height[there]).any(|h| h == last.height[k]), "{at:?}");
    }
}

/// Heights proportional to an axis are eigenfunctions of the sphere: smoothing multiplies them by exp(-σ²), and the
/// Hessian is the negative height in every direction. Measured away from face borders, where smoothing distorts the
/// result (see `gauss/globe.rs`).
#[test]
fn ridges_and_valleys_use_the_curvature_on_the_sphere() {
    const SIGMA: f64 = 0.1;
    let world = World::new(49);
    let globe = world.globe();
    let law = node("Ridges", &[("scale", "5000"), ("ridges", "0.8"), ("valleys", "0.5")]);
    for axis in [[0.0, 0.0, 1.0], [0.48, 0.6, 0.64]] {
        let ground = world.terrain(|at| dot(at, axis));
        let after = made(world, &law, &ground);
        let (mut worst, mut mean) = (0.0f64, 0.0);
        let unit = SIGMA * SIGMA * (-SIGMA * SIGMA).exp();
        let inner = |k: usize| (11..38).contains(&k);
        let samples: Vec<_> = owners(&globe).into_iter().filter(|(k, _)| inner(k / 49 % 49) && inner(k % 49)).collect();
        for &(k, at) in &samples {
            let height = dot(at, axis);
            let expected = unit * height * if height > 0.0 { 0.8 } else { 0.5 };
            let off = (f64::from(after.height[k]) - height - expected).abs() / unit;
            (worst, mean) = (worst.max(off), mean + off / samples.len() as f64);
        }
        println!("ridges: worst {worst:.4}, mean {mean:.4}");
        assert!(worst < 0.1 && mean < 0.02, "{axis:?}: {worst} at the worst, {mean} in the mean");
    }
}

/// The grown terrain equals the envelope of all paraboloids, computed one after the other.
#[test]
fn ground_grows_as_the_envelope_of_paraboloids() {
    let world = World::new(17);
    let (globe, ground) = (world.globe(), world.terrain(noise));
    let owners = owners(&globe);
    for (amount, sign) in [("20000", 1.0), ("-20000", -1.0)] {
        let grown = made(world, &node("Expander", &[("amount", amount), ("drop", "4000")]), &ground);
        let (mut worst, mut missed) = (0.0f64, 0);
        for &(k, at) in &owners {
            let stands = |&(there, top): &(usize, [f64; 3])| {
                sign * f64::from(ground.height[there]) - 0.2 * (angle(at, top) / 0.4).powi(2)
            };
            let best = owners.iter().map(stands).fold(f64::NEG_INFINITY, f64::max);
            let off = best - sign * f64::from(grown.height[k]);
            assert!(off > -1e-3 * 0.2, "higher than any paraboloid: {off}");
            worst = worst.max(off);
            missed += usize::from(off > 1e-3 * 0.2);
        }
        println!("{amount}: {worst}, {missed} of {}", owners.len());
        assert!(worst < 0.05 * 0.2 && missed * 50 < owners.len(), "{amount}: {worst}, {missed} of {}", owners.len());
    }
}

/// Position from which each sample was moved, found by applying the node to the three coordinates as heights.
fn origins(world: World, node: &Node) -> Vec<[f64; 3]> {
    let axes = [0, 1, 2].map(|axis| made(world, node, &world.terrain(|at| at[axis])).height);
    (0..axes[0].len()).map(|k| axes.each_ref().map(|axis| f64::from(axis[k]))).collect()
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value * value));
    (sum / count).sqrt()
}

/// Warped terrain stays on the sphere, moves by the given distance at every position, and does not tear at the borders
/// of the faces.
#[test]
fn warped_ground_moves_along_the_sphere() {
    let world = World::new(33);
    let globe = world.globe();
    let from = origins(world, &node("Warp", &[("amount", "4000"), ("size", "12000"), ("octaves", "1")]));
    let reach = 4000.0 / f64::from(world.radius_metres);
    let owners = owners(&globe);
    let way = |&(k, at): &(usize, [f64; 3])| angle(from[k], at);
    assert!(owners.iter().all(|&(k, _)| (dot(from[k], from[k]).sqrt() - 1.0).abs() < 0.01));
    assert!(owners.iter().all(|owner| way(owner) < 1.8 * reach));
    // Three standard deviations of each of three components equal the reach, and two components lie along the surface.
    let expected = reach * 2f64.sqrt() / 3.0;
    let on_corners = |at: [f64; 3]| at.iter().all(|c| c.abs() > 0.4);
    let all = root_mean_square(owners.iter().map(way));
    let corners = root_mean_square(owners.iter().filter(|(_, at)| on_corners(*at)).map(way));
    assert!((all / expected - 1.0).abs() < 0.2, "{all}, {expected} expected");
    assert!((corners / all - 1.0).abs() < 0.2, "{corners} at the corners, {all} in the mean");
    for &(k, at) in &owners {
        for there in globe.grid().neighbours(k).into_iter().flatten() {
            let apart = owners.binary_search_by_key(&there, |(k, _)| *k).map(|k| angle(owners[k].1, at)).unwrap();
            assert!(angle(from[k], from[there]) < 2.5 * apart, "torn at {at:?}");
        }
    }
}

#[test]
fn perturbed_heights_come_from_within_the_magnitude() {
    let world = World::new(33);
    let globe = world.globe();
    let owners = owners(&globe);
    let radius = 8000.0 / f64::from(world.radius_metres);
    let cell = std::f64::consts::FRAC_PI_2 / 32.0;
    let from = origins(world, &node("Perturbation", &[("magnitude", "8000")]));
    let ways: Vec<f64> = owners.iter().map(|&(k, at)| angle(from[k], at)).collect();
    assert!(ways.iter().all(|&way| way < radius + 0.75 * cell), "to the nearest sample, no farther");
    for &(k, at) in owners.iter().step_by(5) {
        let nearest = owners.iter().map(|(_, there)| angle(*there, from[k])).fold(9.0, f64::min);
        assert!(nearest < 1e-3 * cell, "{at:?} comes from between samples");
    }
    // Displacements are uniform in a disc: the mean square distance is half the squared radius, on every face.
    for face in 0..6 {
        let on_face = owners.iter().zip(&ways).filter(|((k, _), _)| k / (33 * 33) == face).map(|(_, &way)| way);
        let share = root_mean_square(on_face) / (radius / 2f64.sqrt());
        assert!((share - 1.0).abs() < 0.1, "face {face}: {share}");
    }
    let mean: [f64; 3] = std::array::from_fn(|axis| {
        owners.iter().map(|&(k, at)| from[k][axis] - at[axis]).sum::<f64>() / owners.len() as f64
    });
    assert!(mean.iter().all(|part| part.abs() < 0.05 * radius), "a drift of {mean:?}");
    let smooth =
        origins(world, &node("Perturbation", &[("magnitude", "8000"), ("displacement", "Noise"), ("size", "9000")]));
    assert!(owners.iter().all(|&(k, at)| angle(smooth[k], at) < radius + 0.1 * cell));
}

/// Rings lie around the axis, and noise has the same height and roughness on every face and at the corners.
#[test]
fn library_noises_are_read_on_the_sphere() {
    let world = World::new(65);
    let (globe, flat) = (world.globe(), world.terrain(|_| 0.0));
    let rings = node("NoiseLibrary", &[("function", "Cylinders"), ("octaves", "1"), ("frequency", "4")]);
    let rings = made(world, &rings, &flat);
    for (k, [x, y, _]) in owners(&globe) {
        let turns = 4.0 * std::f64::consts::FRAC_2_PI * x.hypot(y);
        let expected = 0.5 + 0.5 * (1.0 - 4.0 * (turns - turns.round()).abs());
        assert!((f64::from(rings.height[k]) - expected).abs() < 1e-4, "{k}: {} is not {expected}", rings.height[k]);
    }
    for function in ["SuperSimplex", "OpenSimplex", "Surflets"] {
        let noise = node("NoiseLibrary", &[("function", function), ("octaves", "1"), ("frequency", "14")]);
        let made = made(world, &noise, &flat);
        let deviation = |chosen: &dyn Fn([f64; 3]) -> bool| {
            let chosen = owners(&globe).into_iter().filter(|(_, at)| chosen(*at));
            root_mean_square(chosen.map(|(k, _)| f64::from(made.height[k]) - 0.5))
        };
        let expected = 0.25 / 2f64.sqrt();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let found = deviation(&|at| at[axis] * side > 0.7);
                assert!((found / expected - 1.0).abs() < 0.25, "{function}, {axis} {side}: {found} for {expected}");
            }
        }
        let corners = deviation(&|at| at.iter().all(|c| c.abs() > 0.4));
        assert!((corners / expected - 1.0).abs() < 0.25, "{function} at the corners: {corners} for {expected}");
    }
}

/// A transform mirrors the planet, turns it around 0° N 0° E, and moves it to the south and then to the east.
#[test]
fn a_transform_rotates_the_whole_planet() {
    let world = World::new(49);
    let globe = world.globe();
    let quarter = made(world, &node("Transform", &[("angle", "90")]), &world.terrain(noise));
    // Clockwise seen from above: north becomes east.
    let to = turned_samples(&globe, |[x, y, z]| [x, z, -y]);
    let expected = turned_field(&globe, &to, &world.terrain(noise).height);
    let worst = quarter.height.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "{worst}");

    let smooth = |[x, y, z]: [f64; 3]| 0.3 * x * y + 0.2 * z - 0.4 * y * z + 0.1 * x;
    let metres = |radians: f64| (radians * f64::from(world.radius_metres)).to_string();
    let (south, east) = (0.3f64, 1.1f64);
    let params = [("angle", "40"), ("mirror_x", "true"), ("move_y", &*metres(south)), ("move_x", &*metres(east))];
    let moved = made(world, &node("Transform", &params), &world.terrain(smooth));
    for (_, at) in owners(&globe).into_iter().step_by(11) {
        let [x, y, z] = [at[0], -at[1], at[2]];
        let (sin, cos) = 40f64.to_radians().sin_cos();
        let [x, y, z] = [x, y * cos + z * sin, z * cos - y * sin];
        let [x, y, z] = [x * south.cos() + z * south.sin(), y, z * south.cos() - x * south.sin()];
        let there = [x * east.cos() - y * east.sin(), x * east.sin() + y * east.cos(), z];
        let found = f64::from(globe.sample(&moved.height, there));
        assert!((found - smooth(at)).abs() < 2e-3, "{at:?} went to {there:?}: {found} is not {}", smooth(at));
    }
    let still = made(world, &node("Transform", &[("scale", "2"), ("outside", "Flat")]), &world.terrain(noise));
    assert_eq!(still.height, world.terrain(noise).height, "scaling does not change the size of a planet");
}

/// Winds distribute the rain, and none is lost.
#[test]
fn rain_on_a_planet_has_the_given_amount() {
    let world = World::new(33);
    let (globe, ground) = (world.globe(), world.terrain(|at| noise(at) - 0.5));
    let rain = made(world, &node("Rain", &[("amount", "2"), ("growth_with_height", "0"), ("shadow", "1")]), &ground);
    let map = rain.map(MapKind::Rain).unwrap();
    assert_eq!((open_seams(&globe, map), &rain.height), (0, &ground.height));
    let mean = globe.sum(map) / globe.grid().distinct_len() as f64;
    assert!((mean - 2.0).abs() < 1e-3, "{mean}");
    let (low, high) = map.iter().fold((f32::MAX, 0.0f32), |(low, high), &r| (low.min(r), high.max(r)));
    assert!(low >= 0.0 && high > 2.0 * low, "from {low} to {high}");
    let even = made(world, &node("Rain", &[("shadow", "0"), ("growth_with_height", "0.1")]), &ground);
    for (h, rain) in ground.height.iter().zip(even.map(MapKind::Rain).unwrap().iter()) {
        assert!((rain - (1.0 + 0.1 * 20.0 * h.max(0.0))).abs() < 1e-5);
    }
}

/// A node that planets ignore explains the reason in its file.
#[test]
fn nodes_that_need_a_square_say_why() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nodes");
    let catalogue = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
    let mut refused = 0;
    for node in Node::catalogue().into_iter().filter(|node| !node.fits(Kind::Planet)) {
        let end = format!("::{}:", node.about().name);
        let line = catalogue.lines().find(|line| line.contains(&end)).unwrap_or_else(|| panic!("{end}")).trim();
        let path = folder.join(line.split(&end).next().unwrap().replace("::", "/"));
        let text =
            [path.with_extension("rs"), path.join("mod.rs")].iter().find_map(|p| std::fs::read_to_string(p).ok());
        let head: String = text.unwrap().lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.contains("Squares only"), "{} does not say why it needs a square", node.about().name);
        refused += 1;
    }
    assert!(refused > 0);
}
