//! Displacement fields made of smooth noise.
//!
//! Law: each component of the displacement is fractal gradient noise ([`GradientNoise`]) with its own random stream. On
//! a square there are two components, around a globe three components in space. `reach_metres` is three standard
//! deviations of the displacement. On a globe the vertical component is dropped.

use crate::Context;
use crate::generators::gradient_noise::GradientNoise;
use crate::generators::octaves::{self, NoiseFade, Octaves};
use crate::generators::warp::DomainWarp;
use talweg_ground::field::Cancelled;

/// A displacement in samples. Its components point to the south and to the east on a square, and along the axes of
/// space on a globe.
pub struct DisplacementField {
    samples: usize,
    components: Vec<Vec<f32>>,
}

/// Parameters of the displacement noise.
pub struct DisplacementNoise {
    /// Approximate maximum displacement, in metres.
    pub reach_metres: f32,
    /// Width of the largest features of the noise, in metres.
    pub size_metres: f32,
    pub octaves: u32,
    pub persistence: f32,
}

/// Upper bound of the displacement in metres. `reach_metres` is three standard deviations of the displacement.
pub fn displacement_limit(reach_metres: f32, octaves: u32, persistence: f32) -> f32 {
    // Gradient noise stays within ±√½, so a displacement along two axes is at most as long as the sum of the weights.
    octaves::weights(octaves, persistence, 2.0 * reach_metres.abs()).iter().sum::<f32>() * 1.0001
}

impl DisplacementField {
    pub fn new(cx: &Context, look: &DisplacementNoise) -> Result<Self, Cancelled> {
        let law = Octaves {
            count: look.octaves,
            frequency: cx.size_metres / look.size_metres,
            lacunarity: 2.0,
            offset: [0.0; 2],
        };
        let cells = look.reach_metres / cx.size_metres * (cx.grid.whole_samples() - 1) as f32;
        let weights = octaves::weights(look.octaves, look.persistence, 2.0 * cells);
        let component = |salt: u64| {
            let noise = GradientNoise::new(cx.grid, cx.random.fork(salt), &law, NoiseFade::Improved, DomainWarp::NONE);
            let mut out = vec![0.0; cx.grid.len()];
            noise.sum(cx, 0.0, &weights, &mut out)?;
            Ok(out)
        };
        let count = if cx.grid.is_globe() { 3 } else { 2 };
        let components = (0..count).map(component).collect::<Result<_, Cancelled>>()?;
        Ok(Self { samples: cx.grid.samples, components })
    }

    /// Displacement of sample `index` of a globe, tangential to the surface and in radii of the globe. `direction` is
    /// the direction of the sample from the globe's centre.
    pub fn along_ground(&self, index: usize, direction: [f64; 3]) -> [f64; 3] {
        let cell = std::f64::consts::FRAC_PI_2 / (self.samples - 1) as f64;
        let push: [f64; 3] = std::array::from_fn(|axis| f64::from(self.components[axis][index]) * cell);
        let up: f64 = push.iter().zip(direction).map(|(a, b)| a * b).sum();
        std::array::from_fn(|axis| push[axis] - up * direction[axis])
    }

    /// Displacement of sample (i, j) of a square, in samples: to the south, then to the east.
    pub fn displacement_at(&self, i: usize, j: usize) -> [f64; 2] {
        let k = i * self.samples + j;
        [0, 1].map(|axis| f64::from(self.components[axis][k]))
    }
}
