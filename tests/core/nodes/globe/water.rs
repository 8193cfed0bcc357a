//! Water on a small globe: outflow equals rain, depressions fill to their level, rivers run down.

use crate::kits::globe::{World, angle, cone_positions, made, noise, open_seams, owners};
use crate::kits::nodes::node;
use std::f64::consts::PI;
use talweg::field::{Control, Grid, MapKind, Terrain};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets};

/// All rain reaches the sea, or the lowest point if there is no sea, so the outflow is the area of the sphere.
#[test]
fn the_outflow_is_the_area_of_the_sphere() {
    let world = World::new(33);
    let globe = world.globe();
    let mut ground = world.terrain(noise);
    for is_rained_on in [false, true] {
        if is_rained_on {
            let rain: Vec<f32> = ground.height.iter().map(|h| 0.2 + h * h).collect();
            ground.map_mut(MapKind::Rain).copy_from_slice(&rain);
        }
        let fallen = match ground.map(MapKind::Rain) {
            Some(rain) => globe.sum(rain),
            None => globe.grid().distinct_len() as f64,
        };
        for courses in ["Spread", "Steepest", "Scattered"] {
            for sea in ["8000", "-90000"] {
                let routed =
                    made(world, &node("FlowAccumulation", &[("courses", courses), ("sea_level", sea)]), &ground);
                let flow = routed.map(MapKind::Flow).unwrap();
                assert_eq!((open_seams(&globe, flow), &routed.height), (0, &ground.height));
                let lowest =
                    owners(&globe).into_iter().min_by(|a, b| ground.height[a.0].total_cmp(&ground.height[b.0]));
                let leaves = |k: usize| if sea == "8000" { ground.height[k] <= 0.4 } else { k == lowest.unwrap().0 };
                let left: f64 =
                    owners(&globe).iter().filter(|(k, _)| leaves(*k)).map(|(k, _)| f64::from(flow[*k])).sum();
                assert!((left / fallen - 1.0).abs() < 1e-4, "{courses}, sea at {sea}: {left} of {fallen}");
            }
        }
    }
}

/// Height of a crater of radius ½ with a rim at 0.9, from which the terrain falls to the opposite side of the globe.
fn crater(from_middle: f64) -> f64 {
    let t = from_middle / 0.5;
    if t < 1.0 { 0.5 + 0.4 * t * t } else { 0.9 - 0.3 * (from_middle - 0.5) }
}

/// A lake in a crater has the volume and the area of its bowl at any position.
#[test]
fn lakes_fill_bowls_anywhere_on_the_globe() {
    let world = World { radius_metres: 2000.0, relief_metres: 1000.0, ..World::new(65) };
    let globe = world.globe();
    let mut volumes = Vec::new();
    for (place, middle) in cone_positions() {
        let ground = world.terrain(|at| crater(angle(at, middle)));
        let water = |name: &str, params: &[(&str, &str)]| {
            let params: Vec<(&str, &str)> = params.iter().copied().chain([("sea_level", "300")]).collect();
            let filled = made(world, &node(name, &params), &ground);
            let water = filled.map(MapKind::Water).unwrap().to_vec();
            assert_eq!(open_seams(&globe, &water), 0, "{place}");
            water
        };
        let lake = water("FillDepressions", &[("fill_with", "Water")]);
        let steradians = 4.0 * PI / globe.grid().distinct_len() as f64;
        // ∫ (0.9 - h) over the bowl; cells on the rim are missing where the water flows out.
        let steps = 1000;
        let bowl = |k: i32| {
            let theta = 0.5 * (f64::from(k) + 0.5) / f64::from(steps);
            (0.9 - crater(theta)) * 2.0 * PI * theta.sin() * 0.5 / f64::from(steps)
        };
        let bowl: f64 = (0..steps).map(bowl).sum();
        let volume = globe.sum(&lake) * steradians;
        assert!((volume / bowl - 1.0).abs() < 0.06, "{place}: {volume} of {bowl}");
        volumes.push(volume);
        let deepest = lake.iter().copied().fold(0.0, f32::max);
        assert!((deepest - 0.4).abs() < 0.02, "{place}: {deepest}");
        // `Lakes` creates the same lake, unless the lake is too small or too shallow for its limits.
        let area = 2.0 * PI * (1.0 - 0.5f64.cos()) * 4e6;
        let limit = |share: f64| (share * area).to_string();
        let whole = [("smallest_area", &*limit(0.9)), ("least_depth", "370")];
        assert_eq!(water("Lakes", &whole), lake, "{place}");
        for none in [[("smallest_area", &*limit(1.05)), whole[1]], [whole[0], ("least_depth", "430")]] {
            assert!(water("Lakes", &none).iter().all(|&depth| depth == 0.0), "{place}");
        }
        let level = made(world, &node("FillDepressions", &[("sea_level", "300")]), &ground);
        for ((h, before), depth) in level.height.iter().zip(&ground.height).zip(&lake) {
            assert!((h - before - depth).abs() < 1e-6);
        }
    }
    let mean = volumes.iter().sum::<f64>() / volumes.len() as f64;
    assert!(volumes.iter().all(|volume| (volume / mean - 1.0).abs() < 0.03), "{volumes:?}");
}

/// Level terrain around one low point rises by the gradient times the distance to this point. The distance is measured
/// along steps between neighbours, in eight directions, or six where three faces meet.
#[test]
fn filled_terrain_rises_with_the_distance_to_its_outlet() {
    let world = World { radius_metres: 2000.0, relief_metres: 1000.0, ..World::new(33) };
    let globe = world.globe();
    let law = node("FillDepressions", &[("gradient", "10"), ("sea_level", "499.95")]);
    for (place, middle) in cone_positions() {
        let (low, bottom) = owners(&globe)
            .into_iter()
            .min_by(|a, b| angle(a.1, middle).total_cmp(&angle(b.1, middle)))
            .expect("a globe has samples");
        let mut ground = world.terrain(|_| 0.5);
        ground.height[low] = 0.4999;
        globe.grid().close(&mut ground.height);
        let filled = made(world, &law, &ground);
        let (mut sum, mut count) = (0.0, 0.0);
        for (k, at) in owners(&globe).into_iter().filter(|(_, at)| angle(*at, bottom) > 0.3) {
            let share = (f64::from(filled.height[k]) - 0.4999) / (0.02 * angle(at, bottom));
            assert!((0.985..1.17).contains(&share), "{place}: {share}");
            (sum, count) = (sum + share, count + 1.0);
        }
        assert!(sum / count < 1.09, "{place}: {} in the mean", sum / count);
    }
}

/// Bed depths match their discharge, and all beds lead to the sea without a pit.
#[test]
fn rivers_cut_their_beds_and_lead_to_the_sea() {
    let world = World::new(33);
    let globe = world.globe();
    let ground = world.terrain(noise);
    let rivers = node(
        "Rivers",
        &[("sea_level", "8000"), ("source_area", "60"), ("depth", "40"), ("lakes", "false"), ("bank_angle", "89")],
    );
    let cut = made(world, &rivers, &ground);
    let (flow, water) = (cut.map(MapKind::Flow).unwrap(), cut.map(MapKind::Water).unwrap());
    assert_eq!(open_seams(&globe, flow) + open_seams(&globe, water), 0);
    let filled = made(world, &node("FillDepressions", &[("sea_level", "8000")]), &ground);
    let cell_km2 = 4.0 * PI * 2.5e3 / globe.grid().distinct_len() as f64;
    let channels: Vec<usize> = owners(&globe)
        .into_iter()
        .map(|(k, _)| k)
        .filter(|&k| f64::from(flow[k]) * cell_km2 >= 60.0 && ground.height[k] > 0.4)
        .collect();
    assert!(channels.len() > 200, "{}", channels.len());
    // Lakes keep their floors.
    let beds: Vec<usize> = channels.iter().copied().filter(|&k| filled.height[k] == ground.height[k]).collect();
    let mut as_deep = 0;
    for &k in &beds {
        let depth = 40.0 * (f64::from(flow[k]) * cell_km2 / 10.0).powf(0.4) / 20_000.0;
        let bed = f64::from(filled.height[k] - cut.height[k]);
        assert!(bed > depth - 1e-5, "{k}: {bed} deep, {depth} asked for");
        as_deep += usize::from(bed < depth + 1e-5);
        assert!(water[k] > 0.0, "{k} is dry");
    }
    assert!(as_deep * 10 > 9 * beds.len(), "{as_deep} of {} are as deep as they should be", beds.len());
    assert!(cut.height.iter().zip(&ground.height).all(|(cut, before)| cut <= before));
    assert_eq!(pits_along(&cut, &beds), 0);
    assert!(pits_along(&ground, &channels) > 0, "the terrain had pits before the rivers");
}

/// Number of pits among the cells of `channels`.
fn pits_along(terrain: &Terrain, channels: &[usize]) -> usize {
    let mesh = FlowMesh::new(Grid::globe(terrain.samples()));
    let outlets = Outlets::new(mesh.grid(), &terrain.height, 0.4);
    let control = Control::default();
    let graph = FlowGraph::new(&mesh, &terrain.height, &outlets, FlowRouting::D8, &control).unwrap();
    let filled = &graph.surface;
    channels.iter().filter(|&&k| filled[k] > terrain.height[k]).count()
}
