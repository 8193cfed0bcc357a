//! Rivers on a globe: they reach the sea, never climb, join, and drain all the land.

use std::collections::HashSet;

use crate::kits::nodes::{EARTH, TestScene, on_threads, set};
use talweg::field::globe::latitude;
use talweg::field::{Globe, Grid, MapKind, Terrain};
use talweg::hydrology::FlowMesh;
use talweg::nodes::Node;

const SAMPLES: usize = 65;
const SEA: f32 = 0.45;
const SOURCE_KM2: f32 = 100_000.0;

fn rivers(values: &[(&str, &str)]) -> Node {
    let mut node = Node::named("PlanetRivers").expect("in the catalogue");
    set(&mut node, "source_area", &SOURCE_KM2.to_string());
    values.iter().for_each(|(name, text)| set(&mut node, name, text));
    node
}

fn test_scene() -> TestScene {
    TestScene { sea_level: SEA, ..TestScene::globe(SAMPLES, &EARTH) }
}

/// Whether a river runs through each cell, according to the flow map.
fn is_river(mesh: &FlowMesh, made: &Terrain) -> Vec<bool> {
    let km2 = mesh.cell_metres(EARTH.side_metres()).powi(2) * 1e-6;
    let flow = made.map(MapKind::Flow).expect("the node writes the flow map");
    (0..mesh.len())
        .map(|k| mesh.grid().owns(k) && made.height[k] > SEA && flow[k] * km2 >= SOURCE_KM2 * 1.0001)
        .collect()
}

#[test]
fn every_river_reaches_the_sea_and_never_climbs() {
    let mesh = FlowMesh::new(Grid::globe(SAMPLES));
    let input = test_scene().noise();
    for (lakes, fjords) in [("false", "0"), ("false", "300"), ("true", "0")] {
        let made = test_scene().finish(&rivers(&[("lakes", lakes), ("fjords", fjords)]), &input, 0);
        let (flow, water) = (made.map(MapKind::Flow).unwrap(), made.map(MapKind::Water).unwrap());
        let rivers = is_river(&mesh, &made);
        assert!(rivers.iter().filter(|&&r| r).count() > 300, "there are rivers");
        for k in (0..mesh.len()).filter(|&k| rivers[k]) {
            // The water surface, also in lakes.
            let surface = |k: usize| if lakes == "true" { made.height[k] + water[k] } else { made.height[k] };
            let onwards = mesh
                .existing_neighbours(k)
                .any(|to| flow[to] > flow[k] && (surface(to) <= surface(k) || made.height[to] <= SEA));
            assert!(onwards, "a river ends at {k}, lakes {lakes}");
        }
        assert!(made.height.iter().all(|h| h.is_finite()) && water.iter().all(|w| *w >= 0.0));
    }
}

/// The inflow into the sea is the rain on all land, whose area is 4π minus the area of the sea.
#[test]
fn the_sea_receives_the_water_of_all_land() {
    let mesh = FlowMesh::new(Grid::globe(SAMPLES));
    let input = test_scene().noise();
    let made = test_scene().finish(&rivers(&[("fjords", "0"), ("deltas", "0")]), &input, 0);
    let flow = made.map(MapKind::Flow).unwrap();
    let (mut land, mut arrived, areas) = (0.0, 0.0, mesh.areas());
    for k in (0..mesh.len()).filter(|&k| mesh.grid().owns(k)) {
        let area = f64::from(areas[k]);
        if input.height[k] > SEA { land += area } else { arrived += f64::from(flow[k]) - area }
    }
    assert!(land > 1000.0 && (arrived / land - 1.0).abs() < 1e-4, "{arrived} of {land}");
}

#[test]
fn fjords_lie_on_cold_coasts_and_deltas_in_the_sea() {
    let mesh = FlowMesh::new(Grid::globe(SAMPLES));
    let input = test_scene().noise();
    let plain = test_scene().finish(&rivers(&[("fjords", "0"), ("deltas", "0")]), &input, 0);
    let fjords = test_scene().finish(&rivers(&[("fjords", "1000"), ("deltas", "0")]), &input, 0);
    let deltas = test_scene().finish(&rivers(&[("fjords", "0"), ("deltas", "900")]), &input, 0);
    let (mut drowned, mut grown, globe) = (0, 0, Globe::new(SAMPLES));
    for k in (0..mesh.len()).filter(|&k| mesh.grid().owns(k)) {
        let degrees = latitude(globe.direction_of(k).map(f64::from)).to_degrees().abs();
        assert!(plain.height[k] > SEA || input.height[k] <= SEA, "without fjords the sea stays where it is");
        if fjords.height[k] <= SEA && input.height[k] > SEA {
            drowned += 1;
            assert!(degrees > 40.0, "a fjord at {degrees}");
        }
        if deltas.height[k] != plain.height[k] {
            assert!(deltas.height[k] > plain.height[k] && input.height[k] <= SEA, "deltas grow in the sea");
            grown += usize::from(deltas.height[k] > SEA);
        }
    }
    assert!(drowned > 20, "{drowned} cells of fjords");
    assert!(grown > 3, "{grown} cells of new land");
}

/// Samples per side of a face: enough for the shape of fjords and deltas. A cell is 78 km wide.
const FINE: usize = 129;

fn fine() -> TestScene {
    TestScene { samples: FINE, scene_samples: FINE, ..test_scene() }
}

const SEEDS: [u32; 4] = [1, 2, 3, 4];

fn land(seed: u32) -> Terrain {
    TestScene { seed, ..fine() }.noise()
}

/// Connected components of cells.
fn pieces(mesh: &FlowMesh, is_in: &dyn Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut seen = vec![false; mesh.len()];
    let mut all = Vec::new();
    for start in (0..mesh.len()).filter(|&k| mesh.grid().owns(k) && is_in(k)) {
        let (mut piece, mut next) = (Vec::new(), vec![start]);
        while let Some(k) = next.pop() {
            if !std::mem::replace(&mut seen[k], true) {
                piece.push(k);
                next.extend(mesh.existing_neighbours(k).filter(|&there| is_in(there)));
            }
        }
        if !piece.is_empty() {
            all.push(piece);
        }
    }
    all
}

/// A fjord is a drowned valley: narrow, between walls, open to the sea over a sill, and deepest inside.
#[test]
fn fjords_are_narrow_deep_and_have_a_sill() {
    SEEDS.into_iter().for_each(fjords_of);
}

fn fjords_of(seed: u32) {
    let mesh = FlowMesh::new(Grid::globe(FINE));
    let input = land(seed);
    let made = fine().finish(&rivers(&[("fjords", "1200"), ("fjord_depth", "500"), ("deltas", "0")]), &input, 0);
    let depth = |k: usize| f64::from((SEA - made.height[k]) * fine().relief_metres);
    let is_old_sea = |k: usize| input.height[k] <= SEA;
    let is_fjord = |k: usize| made.height[k] <= SEA && !is_old_sea(k);
    let found = pieces(&mesh, &is_fjord);
    let (mut long, mut silled) = (0, 0);
    let (mut beside, mut walls, mut count) = (0, 0.0, 0);
    for piece in &found {
        let mouths: Vec<usize> =
            piece.iter().copied().filter(|&k| mesh.existing_neighbours(k).any(is_old_sea)).collect();
        assert!(!mouths.is_empty(), "a fjord of {} cells that the sea cannot enter", piece.len());
        for &k in piece {
            assert!((0.0..=501.0).contains(&depth(k)), "{} m deep", depth(k));
            let around: Vec<usize> = mesh.existing_neighbours(k).collect();
            beside += around.iter().filter(|&&there| is_fjord(there)).count();
            let land: Vec<f64> = around.iter().map(|&there| -depth(there)).filter(|&metres| metres > 0.0).collect();
            walls += land.iter().sum::<f64>() / land.len().max(1) as f64 + depth(k);
            count += 1;
        }
        let deepest = piece.iter().map(|&k| depth(k)).fold(0.0, f64::max);
        long += usize::from(piece.len() >= 8);
        let sill = mouths.iter().map(|&k| depth(k)).fold(f64::INFINITY, f64::min);
        silled += usize::from(piece.len() >= 8 && deepest > 150.0 && sill < 0.7 * deepest);
    }
    let (beside, walls) = (beside as f64 / f64::from(count), walls / f64::from(count));
    println!("{} fjords, {long} long, {silled} with a sill; {beside:.2} of 8 drowned, walls {walls:.0} m", found.len());
    assert!(long >= 5 && silled == long, "{silled} of {long} have a sill");
    // A cell in a line has two neighbours of its kind; a cell in a broad bay has five or more.
    assert!(beside < 3.5, "{beside} of eight neighbours are drowned too");
    assert!(walls > 500.0, "walls rise {walls} m above the floor");
}

/// A delta is land beyond the old coast, near the mouth of a large river, with arms through which the river continues.
#[test]
fn deltas_are_land_around_mouths_with_open_arms() {
    SEEDS.into_iter().for_each(deltas_of);
}

fn deltas_of(seed: u32) {
    const REACH_KM: f64 = 500.0;
    let mesh = FlowMesh::new(Grid::globe(FINE));
    let mut input = land(seed);
    // A shallow sea on all sides.
    input.height.iter_mut().for_each(|h| *h = if *h < SEA { SEA - (SEA - *h) * 0.02 } else { *h });
    let with = |deltas: &str| fine().finish(&rivers(&[("fjords", "0"), ("deltas", deltas)]), &input, 0);
    let (plain, made) = (with("0"), with("500"));
    let is_new = |k: usize| made.height[k] > SEA && input.height[k] <= SEA;
    let flow = plain.map(MapKind::Flow).unwrap();
    let km2 = f64::from(mesh.cell_metres(EARTH.side_metres())).powi(2) * 1e-6;
    let is_land = |k: usize| input.height[k] > SEA;
    let mouths: Vec<(usize, f64)> = (0..mesh.len())
        // Cells where the water continues into the sea.
        .filter(|&k| {
            mesh.grid().owns(k)
                && is_land(k)
                && mesh.existing_neighbours(k).any(|to| !is_land(to) && flow[to] >= flow[k])
        })
        .map(|k| (k, REACH_KM * (f64::from(flow[k]) * km2 * 1e-6).sqrt()))
        .collect();
    let cell_km = f64::from(mesh.cell_metres(EARTH.side_metres())) * 1e-3;
    let apart = |a: usize, b: usize| f64::from(mesh.straight_distance(a, b)) * cell_km;
    let (mut near, mut whole) = (0, 0);
    for k in (0..mesh.len()).filter(|&k| mesh.grid().owns(k) && made.height[k] != plain.height[k]) {
        assert!(made.height[k] > plain.height[k] && !is_land(k));
        assert!(mouths.iter().any(|&(mouth, reach)| apart(k, mouth) <= reach * 1.001), "no river reaches {k}");
        let metres = f64::from((made.height[k] - SEA) * fine().relief_metres);
        assert!(metres <= 15.01, "a delta is flat: {metres} m");
        whole += 1;
        near += usize::from(metres > 0.0);
    }
    let lands = pieces(&mesh, &is_new);
    let large: Vec<&Vec<usize>> = lands.iter().filter(|piece| piece.len() >= 4).collect();
    let joined = large.iter().filter(|piece| piece.iter().any(|&k| mesh.existing_neighbours(k).any(is_land))).count();
    // The river continues through the arms: a path over water leads from its mouth to the open sea.
    let (mut rivers, mut reached, mut forked) = (0, 0, 0);
    for &(mouth, reach) in mouths.iter().filter(|(_, reach)| *reach > 600.0) {
        let inside = |k: usize| apart(k, mouth) <= reach;
        let grown = (0..mesh.len()).filter(|&k| mesh.grid().owns(k) && is_new(k) && inside(k)).count();
        let is_water = |k: usize| made.height[k] <= SEA;
        let comes_out = |is_water: &dyn Fn(usize) -> bool| {
            let (mut seen, mut next) = (HashSet::new(), vec![mouth]);
            while let Some(k) = next.pop() {
                if !inside(k) {
                    return true;
                }
                if seen.insert(k) {
                    next.extend(mesh.existing_neighbours(k).filter(|&there| is_water(there)));
                }
            }
            false
        };
        // A bay that has no outlet before the delta grows has none afterwards.
        if grown < 6 || !comes_out(&|k| !is_land(k)) {
            continue;
        }
        rivers += 1;
        reached += usize::from(comes_out(&is_water));
        // Channels of open water that cross the delta plain half-way out.
        let crosses = |k: usize| is_water(k) && !is_land(k) && (0.3..0.55).contains(&(apart(k, mouth) / reach));
        forked += usize::from(pieces(&mesh, &crosses).len() >= 2);
    }
    println!(
        "{whole} cells raised, {near} above the sea, {} pieces, {} large, {joined} at the coast; {rivers} great rivers, {reached} go on, {forked} fork",
        lands.len(),
        large.len()
    );
    assert!(near > 30 && large.len() >= 3 && joined * 10 >= large.len() * 9, "{joined} of {}", large.len());
    assert!(rivers >= 3 && reached == rivers && forked * 2 >= rivers, "{reached} and {forked} of {rivers}");
    for sea in pieces(&mesh, &|k| !is_land(k)) {
        let of_it: HashSet<usize> = sea.into_iter().collect();
        let left = pieces(&mesh, &|k| made.height[k] <= SEA && of_it.contains(&k)).len();
        assert!(left <= 1, "a sea of {} cells was split into {left} parts", of_it.len());
    }
}

#[test]
fn faces_agree_and_threads_change_no_bit() {
    for name in ["PlanetRivers", "RiverWalk"] {
        for samples in [2, 3, 5, 40] {
            for sea_level in [SEA, -10.0, 10.0] {
                let place = TestScene { samples, scene_samples: samples, sea_level, ..test_scene() };
                let (node, input) = (Node::named(name).unwrap(), place.noise());
                let [one, two] = [1, 2].map(|threads| on_threads(threads, || place.finish(&node, &input, 0)));
                assert!(one == two, "{name} at {samples}");
                let grid = Grid::globe(samples);
                for field in [&one.height, one.map(MapKind::Water).unwrap().as_ref(), one.map(MapKind::Flow).unwrap()] {
                    assert!(field.iter().all(|v| v.is_finite()));
                    let owner = |k: usize| field[grid.owner(k)];
                    assert!((0..field.len()).all(|k| field[k].to_bits() == owner(k).to_bits()), "{name} at {samples}");
                }
            }
        }
    }
}

/// The document's walk lowers every visited point by one step's depth, and changes nothing else.
#[test]
fn a_walk_lowers_every_visited_point() {
    for place in
        [test_scene(), TestScene { sea_level: SEA, planet: None, ..TestScene::new(65, talweg::field::Edges::Wrap) }]
    {
        let mut node = Node::named("RiverWalk").unwrap();
        set(&mut node, "depth_metres", "10");
        let input = place.noise();
        let made = place.finish(&node, &input, 0);
        let flow = made.map(MapKind::Flow).unwrap();
        let step = 10.0 / place.relief_metres;
        for (k, (before, after)) in input.height.iter().zip(&made.height).enumerate() {
            assert!((before - after - step * flow[k]).abs() < 1e-5, "{k}: {before} {after} {}", flow[k]);
            assert!(flow[k] == 0.0 || *before > SEA, "the sea is left alone");
        }
        let visited = flow.iter().filter(|&&f| f > 0.0).count();
        assert!(visited > 400 && flow.iter().any(|&f| f >= 3.0), "rivers run and meet: {visited}");
    }
}
