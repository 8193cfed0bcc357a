//! Layer sets for growing mountains. A set consists of an uplift map and a stream power layer above it. The uplift map
//! is painted or made of curves.

use talweg::construction::presets;
use talweg::nodes::Node;
use talweg::nodes::erosion::stream_power::StreamPower;
use talweg::nodes::generators::construction::Construction;
use talweg::nodes::generators::perlin::Perlin;
use talweg::nodes::maps::painted::PaintedMap;
use talweg::nodes::maps::uplift::UpliftMap;
use talweg::nodes::multiscale::LargestScale;
use talweg::scene::{Layer, Scene, Settings};

/// The source of the uplift map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpliftSource {
    /// The user paints the map with brush strokes.
    Strokes,
    /// Ridges and rivers of a construction determine the map.
    Curves,
}

impl UpliftSource {
    pub const ALL: [Self; 2] = [Self::Strokes, Self::Curves];
}

/// Initial height of the base above the sea, as a fraction of the relief.
const PLAIN: f32 = 0.03;
/// Height of the construction at which uplift is fastest, as a fraction of the relief.
const FASTEST: f32 = 0.4;
/// Number of iterations, and duration of one iteration in years.
const AGE: (u32, f32) = (60, 8000.0);

/// The layers of a set from the bottom up, and the index of the layer that the user edits.
pub fn layers(scene: &Scene, source: UpliftSource) -> (Vec<Layer>, usize) {
    let settings = &scene.settings;
    let plain = settings.sea_level + PLAIN * settings.relief_metres;
    let mut layers = Vec::new();
    match source {
        UpliftSource::Strokes => {
            // add a base above sea level, because terrain at sea level is not uplifted
            if scene.layers.is_empty() {
                let base = plain / settings.relief_metres;
                let ground = Perlin { frequency: 5.0, octaves: 8, amplitude: 0.04, base, ..Perlin::default() };
                layers.push(named("Plain", Node::Perlin(ground)));
            }
            layers.push(named("Painted uplift", Node::PaintedMap(PaintedMap::default())));
        }
        UpliftSource::Curves => {
            let curves = Construction { tree: presets::uplift(), ..Construction::default() };
            layers.push(named("Ridges and rivers", Node::Construction(curves)));
            let map = UpliftMap { low: 0.0, high: FASTEST * settings.relief_metres, kept: 0.05, level: plain };
            layers.push(named("Uplift", Node::UpliftMap(map)));
        }
    }
    let worked_on = layers.iter().position(|layer| !matches!(layer.node, Node::Perlin(_))).unwrap_or_default();
    layers.push(named("Mountains", Node::StreamPower(stream_power(settings))));
    (layers, worked_on)
}

fn named(name: &str, node: Node) -> Layer {
    Layer { name: name.into(), ..Layer::new(node, 0) }
}

/// A stream power node. Its uplift rate lets the mountains finally reach almost the height scale of the scene.
fn stream_power(settings: &Settings) -> StreamPower {
    let (iterations, time_step) = AGE;
    let uplift_rate = 1000.0 * settings.relief_metres / (iterations as f32 * time_step);
    StreamPower {
        iterations,
        time_step,
        uplift_rate,
        erodibility: 1.4 * uplift_rate,
        largest_scale: LargestScale::Samples129,
        fine_weight: 0.5,
        source_area: 5000.0,
        diffusivity: 0.004,
        talus_angle: 36.0,
        sea_level: settings.sea_level,
        ..StreamPower::default()
    }
}
