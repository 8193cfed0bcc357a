//! Dependence of every erosion on the directions of the grid, measured on a cone.
//!
//! A cone has no directions, so what a law does to it on a ring must not depend on the direction from the tip. The
//! change is added over several seeds. Its fourth and eighth harmonics are the directions of a square grid.

use super::cone::harmonics;
use crate::kits::common::path;
use crate::kits::nodes::{TestScene, node};
use talweg::field::{Edges, MapKind, Terrain};
use talweg::nodes::Node;

const SAMPLES: usize = 129;
/// Largest harmonic of a law that follows no direction of the grid, as a fraction of the mean change.
const MOST: f64 = 0.05;

/// A cone 1 km high with its tip in the middle of the square.
#[derive(Clone, Copy)]
struct Cone {
    /// Side length of the square in metres.
    size: f32,
    /// Fraction of the way from the middle to the edge at which the height is 0.
    foot: f32,
    /// Height of the sea in metres.
    sea: f32,
}

/// A slope of 15.5°, like that of a mountain.
const GENTLE: Cone = Cone { size: 8000.0, foot: 0.9, sea: -1000.0 };
/// The same cone as an island.
const ISLAND: Cone = Cone { sea: 400.0, ..GENTLE };
/// A slope of 51°, on which loose rock and snow slide.
const STEEP: Cone = Cone { size: 1600.0, foot: 1.0, sea: -1000.0 };

impl Cone {
    /// The start of a law, and its place.
    fn start(self, seed: u32) -> (TestScene, Terrain) {
        let place = TestScene {
            size_metres: self.size,
            relief_metres: 1000.0,
            sea_level: self.sea / 1000.0,
            seed,
            ..TestScene::new(SAMPLES, Edges::Open)
        };
        let middle = (SAMPLES / 2) as f32;
        let mut cone = Terrain::flat(place.grid());
        for (k, h) in cone.height.iter_mut().enumerate() {
            let distance = ((k % SAMPLES) as f32 - middle).hypot((k / SAMPLES) as f32 - middle);
            *h = 1.0 - distance / (middle * self.foot);
        }
        (place, cone)
    }

    /// What `law` changes on this cone, added over eight seeds: the snow of *Snow*, the height for other laws.
    fn change(self, law: &Node) -> Vec<f32> {
        let mut changes = vec![0.0; SAMPLES * SAMPLES];
        for seed in 0..8 {
            let (place, start) = self.start(seed);
            let made = place.finish(law, &start, u32::MAX);
            let snow = made.map(MapKind::Snow).filter(|_| law.about().name == "Snow");
            let [new, old] = match snow {
                Some(snow) => [&snow[..], &[0.0; SAMPLES * SAMPLES]],
                None => [&made.height[..], &start.height],
            };
            for (change, (new, old)) in changes.iter_mut().zip(new.iter().zip(old)) {
                *change += new - old;
            }
        }
        changes
    }
}

/// A law on a cone: its name, its parameters and the cone.
type Case = (&'static str, &'static [(&'static str, &'static str)], Cone);

/// All processes on squares, with their default parameters or those of the table in the docs. *Wind erosion* follows
/// the wind and *Plates* needs a planet.
const CASES: [Case; 13] = [
    ("Droplets", &[], GENTLE),
    ("ShallowWater", &[], GENTLE),
    ("StreamPower", &[("uplift_rate", "0"), ("diffusivity", "0"), ("sea_level", "-10000")], GENTLE),
    (
        "AnalyticStreamPower",
        &[("uplift_rate", "0"), ("iterations", "2"), ("time_step", "50000"), ("sea_level", "-10000")],
        GENTLE,
    ),
    ("Thermal", &[], STEEP),
    ("Creep", &[], GENTLE),
    ("Coastal", &[("prevailing", "0")], ISLAND),
    ("Glacial", &[("equilibrium_line", "500")], GENTLE),
    ("Snow", &[("snow_line", "200"), ("drift", "0")], STEEP),
    ("Hydraulic", &[], GENTLE),
    ("HydraulicFast", &[], GENTLE),
    ("ThermalFast", &[], STEEP),
    ("Olsen", &[], GENTLE),
];

/// The docs give both figures of every law. Where one is above the limit, the help of the node gives the larger one.
#[test]
fn erosion_on_a_cone_follows_the_grid_as_the_docs_say() {
    let docs = std::fs::read_to_string(path("docs/by-hand.md")).unwrap();
    let mut wrong = Vec::new();
    for (name, params, cone) in CASES {
        let law = node(name, params);
        // on an island, the ring around its shore
        let ring = if cone.sea > 0.0 { 28.0..42.0 } else { 12.0..50.0 };
        let found = harmonics(&cone.change(&law), SAMPLES, ring);
        let label = law.about().label;
        let measured = format!("| {label} | {:.3} | {:.3} |", found[0], found[1]);
        if !docs.lines().any(|line| line == measured) {
            wrong.push(measured);
        }
        let largest = found[0].max(found[1]);
        let help = law.about().help;
        let told = help.contains(&format!("varies with the direction by {:.0} %", 100.0 * largest));
        if told != (largest > MOST) || help.contains("varies with the direction") != told {
            wrong.push(format!("the help of {label}, {largest:.3}: {help}"));
        }
    }
    assert!(wrong.is_empty(), "docs/by-hand.md and the help must say what was measured:\n{}", wrong.join("\n"));
}
