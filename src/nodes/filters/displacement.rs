//! Two fields of smooth noise that push places about.
//!
//! Law: both components are fractal gradient noise ([`lattice`](crate::nodes::generators::lattice)) of independent streams;
//! three standard deviations are the `reach`.

use crate::field::Cancelled;
use crate::nodes::Context;
use crate::nodes::generators::lattice::GradientOctave;
use crate::nodes::generators::octaves::{self, NoiseFade, Octaves};

/// A displacement in samples, to the south and to the east.
pub struct DisplacementField {
    samples: usize,
    south: Vec<f32>,
    east: Vec<f32>,
}

/// How the noise of a drift looks.
pub struct DisplacementNoise {
    /// Greatest displacement, about.
    pub reach_metres: f32,
    /// Width of the largest features.
    pub size_metres: f32,
    pub octaves: u32,
    pub persistence: f32,
}

impl DisplacementField {
    pub fn new(cx: &Context, look: &DisplacementNoise) -> Result<Self, Cancelled> {
        let law = Octaves {
            count: look.octaves,
            frequency: cx.size_metres / look.size_metres,
            lacunarity: 2.0,
            offset: [0.0; 2],
        };
        let cells = look.reach_metres / cx.size_metres * (cx.grid.samples - 1) as f32;
        let weights = octaves::weights(look.octaves, look.persistence, 2.0 * cells);
        let component = |salt: u64| {
            let octaves = GradientOctave::all(cx.grid, cx.random.fork(salt), &law, NoiseFade::Improved);
            let mut out = vec![0.0; cx.grid.len()];
            octaves::sum(cx, 0.0, &weights, || octaves.iter().map(GradientOctave::reader).collect(), &mut out)?;
            Ok(out)
        };
        Ok(Self { samples: cx.grid.samples, south: component(0)?, east: component(1)? })
    }

    /// Displacement of sample (i, j).
    pub fn displacement_at(&self, i: usize, j: usize) -> [f64; 2] {
        let k = i * self.samples + j;
        [f64::from(self.south[k]), f64::from(self.east[k])]
    }
}
