//! Rivers on a globe: they reach the sea, never climb, join, and account for all the land.

mod node_kit;

use node_kit::{EARTH, Place, on_threads, set};
use talweg::field::globe::latitude;
use talweg::field::{MapKind, Terrain};
use talweg::hydrology::GlobeCells;
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

fn place() -> Place {
    Place { sea_level: SEA, ..Place::globe(SAMPLES, &EARTH) }
}

/// Whether a river runs through each cell, from the map of the flow.
fn is_river(cells: &GlobeCells, made: &Terrain) -> Vec<bool> {
    let km2 = (cells.mean_area(f64::from(EARTH.radius_metres)) * 1e-6) as f32;
    let flow = made.map(MapKind::Flow).expect("it writes it");
    (0..cells.len()).map(|k| cells.owns(k) && made.height[k] > SEA && flow[k] * km2 >= SOURCE_KM2 * 1.0001).collect()
}

#[test]
fn every_river_reaches_the_sea_and_never_climbs() {
    let cells = GlobeCells::new(SAMPLES);
    let input = place().noise();
    for (lakes, fjords) in [("false", "0"), ("false", "300"), ("true", "0")] {
        let made = place().finish(&rivers(&[("lakes", lakes), ("fjords", fjords)]), &input, 0);
        let (flow, water) = (made.map(MapKind::Flow).unwrap(), made.map(MapKind::Water).unwrap());
        let rivers = is_river(&cells, &made);
        assert!(rivers.iter().filter(|&&r| r).count() > 300, "there are rivers");
        for k in (0..cells.len()).filter(|&k| rivers[k]) {
            // the surface of its water, also in lakes
            let surface = |k: usize| if lakes == "true" { made.height[k] + water[k] } else { made.height[k] };
            let onwards = cells
                .around(k)
                .into_iter()
                .flatten()
                .any(|(to, _)| flow[to] > flow[k] && (surface(to) <= surface(k) || made.height[to] <= SEA));
            assert!(onwards, "a river ends at {k}, lakes {lakes}");
        }
        assert!(made.height.iter().all(|h| h.is_finite()) && water.iter().all(|w| *w >= 0.0));
    }
}

/// What runs into the sea is the rain of all the land: 4π less the sea.
#[test]
fn the_sea_gets_the_water_of_all_the_land() {
    let cells = GlobeCells::new(SAMPLES);
    let input = place().noise();
    let made = place().finish(&rivers(&[("fjords", "0"), ("deltas", "0")]), &input, 0);
    let flow = made.map(MapKind::Flow).unwrap();
    let (mut land, mut arrived) = (0.0, 0.0);
    for k in (0..cells.len()).filter(|&k| cells.owns(k)) {
        let area = f64::from(cells.area(k));
        if input.height[k] > SEA { land += area } else { arrived += f64::from(flow[k]) - area }
    }
    assert!(land > 1000.0 && (arrived / land - 1.0).abs() < 1e-4, "{arrived} of {land}");
}

#[test]
fn fjords_lie_on_cold_coasts_and_deltas_in_the_sea() {
    let cells = GlobeCells::new(SAMPLES);
    let input = place().noise();
    let plain = place().finish(&rivers(&[("fjords", "0"), ("deltas", "0")]), &input, 0);
    let fjords = place().finish(&rivers(&[("fjords", "1000"), ("deltas", "0")]), &input, 0);
    let deltas = place().finish(&rivers(&[("fjords", "0"), ("deltas", "900")]), &input, 0);
    let (mut drowned, mut grown) = (0, 0);
    for k in (0..cells.len()).filter(|&k| cells.owns(k)) {
        let degrees = latitude(cells.globe().direction_of(k).map(f64::from)).to_degrees().abs();
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

#[test]
fn faces_agree_and_threads_do_not_matter() {
    for name in ["PlanetRivers", "RiverWalk"] {
        for samples in [2, 3, 5, 40] {
            for sea_level in [SEA, -10.0, 10.0] {
                let place = Place { samples, scene_samples: samples, sea_level, ..place() };
                let (node, input) = (Node::named(name).unwrap(), place.noise());
                let [one, two] = [1, 2].map(|threads| on_threads(threads, || place.finish(&node, &input, 0)));
                assert!(one == two, "{name} at {samples}");
                let cells = GlobeCells::new(samples);
                for field in [&one.height, one.map(MapKind::Water).unwrap().as_ref(), one.map(MapKind::Flow).unwrap()] {
                    assert!(field.iter().all(|v| v.is_finite()));
                    let owner = |k: usize| field[cells.globe().owner(k)];
                    assert!((0..field.len()).all(|k| field[k].to_bits() == owner(k).to_bits()), "{name} at {samples}");
                }
            }
        }
    }
}

/// The document's walk takes a step's depth from every point that it visits, and nothing else.
#[test]
fn a_walk_lowers_what_it_visits() {
    for place in [place(), Place { sea_level: SEA, planet: None, ..Place::new(65, talweg::field::Edges::Wrap) }] {
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
