//! Mountains that grow where people say: a map of the uplift, painted or laid out with curves, and stream power above.

use talweg::construction::presets;
use talweg::nodes::Node;
use talweg::nodes::erosion::stream_power::StreamPower;
use talweg::nodes::generators::construction::Construction;
use talweg::nodes::generators::perlin::Perlin;
use talweg::nodes::maps::painted::PaintedMap;
use talweg::nodes::maps::uplift::UpliftMap;
use talweg::nodes::multiscale::LargestScale;
use talweg::scene::{Layer, Scene, Settings};

/// What says where the ground rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpliftSource {
    /// Strokes of a brush.
    Strokes,
    /// Ridges and rivers of a construction.
    Curves,
}

impl UpliftSource {
    pub const ALL: [Self; 2] = [Self::Strokes, Self::Curves];
}

/// Height above the sea that the ground begins at, as a share of the relief.
const PLAIN: f32 = 0.03;
/// Share of the relief of a construction that rises fastest.
const FASTEST: f32 = 0.4;
/// Iterations, and the years of one.
const AGE: (u32, f32) = (60, 8000.0);

/// The layers from the ground up, and which of them people work on.
pub fn layers(scene: &Scene, source: UpliftSource) -> (Vec<Layer>, usize) {
    let settings = &scene.settings;
    let plain = settings.sea_level + PLAIN * settings.relief_metres;
    let mut layers = Vec::new();
    match source {
        UpliftSource::Strokes => {
            // ground at the height of the sea does not rise
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

/// As fast as lets mountains come near the height scale in the end.
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
