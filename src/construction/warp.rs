//! Warping: pieces bent by noise, or twisted about a centre.
//!
//! Law: f = f_A ∘ ω⁻¹, α = α_A ∘ ω⁻¹. Noise: ω⁻¹(p) = p + strength · (η₁, η₂)(p / size), where strength is held below
//! the size at which the map would fold (0.24 size, 1/(√2 λ_η)). Twist: ω⁻¹(p) = c + R(angle · g(d)) (p - c), d = |p -
//! c|, g Wyvill's: always one to one.
//! Gradient: ∇f = ∇f_A J with the Jacobian of ω⁻¹. Lipschitz: λ_A times the greatest stretching of J.
//! Source: document 004, §5.4 and fig. 14.

use super::falloff::Falloff;
use super::noise::{ReliefNoise, STEEPEST};
use super::plane::{Affine, Area, Capsule, Point, add, higher, length, lower, scaled, sub};

crate::choices! {
    /// How the ground is bent.
    Bend {
        Noise "Noise": "Pushed to and fro: straight things wander, repeated ones differ.",
        Twist "Twist": "Turned about a centre, most in the middle.",
    }
}

crate::params! {
    /// Bends pieces sideways, so that they look less regular.
    WarpSettings "Warp" in "Operator", from "document 004, fig. 14", also "deform distort twist swirl noise bend" {
        /// How the ground is bent.
        bend: Bend = Bend::Noise;
        /// Greatest distance by which noise pushes. It is held below 0.24 of the size, beyond which the ground would
        /// fold.
        strength: f32 ["m"] = 120.0, 0.0..=1.0e6, slider 0.0..=1000.0;
        /// Distance over which the push changes.
        size: f32 ["m"] = 900.0, 0.1..=1.0e6, slider 20.0..=4000.0;
        /// By how much a twist turns its middle.
        turn_angle: f32 ["°"] = 90.0, -720.0..=720.0, slider -180.0..=180.0;
        /// Where the middle of a twist lies, from the west edge.
        x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Where the middle of a twist lies, from the north edge.
        y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance from the middle where a twist ends.
        radius: f32 ["m"] = 2000.0, 0.1..=1.0e6, slider 50.0..=8000.0;
        /// Chooses the noise.
        seed: u32 = 1, 0..=1_000_000, slider 0..=100;
    }
}

/// Share of the size that noise may push by.
pub const FARTHEST: f64 = 0.24;

/// ω⁻¹.
#[derive(Clone, Debug)]
pub enum PreparedWarp {
    /// Places are displaced by noise.
    Noise {
        /// Greatest displacement, about, in metres.
        strength: f64,
        /// Waves for a metre.
        per_size: f64,
        /// Displacement to the east and to the south.
        noises: [ReliefNoise; 2],
    },
    /// Places are turned around a centre, less and less with the distance.
    Twist {
        /// What the rest turns around.
        centre: Point,
        /// Angle at the centre, in radians.
        angle: f64,
        /// How the angle falls with the distance.
        falloff: Falloff,
    },
}

impl WarpSettings {
    /// The warp with the random values of `seed`.
    pub fn prepare(&self, seed: u32) -> PreparedWarp {
        match self.bend {
            Bend::Noise => {
                let size = f64::from(self.size);
                let seed = seed ^ self.seed.wrapping_mul(0x85eb_ca77);
                PreparedWarp::Noise {
                    strength: lower(f64::from(self.strength), FARTHEST * size),
                    per_size: 1.0 / size,
                    noises: [
                        ReliefNoise::new(seed.wrapping_add(0x1234_5678)),
                        ReliefNoise::new(seed.wrapping_add(0x8765_4321)),
                    ],
                }
            }
            Bend::Twist => PreparedWarp::Twist {
                centre: [f64::from(self.x), f64::from(self.y)],
                angle: f64::from(self.turn_angle) * (std::f64::consts::PI / 180.0),
                falloff: Falloff { core: 0.0, radius: f64::from(self.radius) },
            },
        }
    }
}

impl PreparedWarp {
    /// ω⁻¹(p), and its Jacobian as the matrix of an affine map.
    #[inline]
    pub fn displace<const G: bool>(&self, p: Point) -> (Point, Affine) {
        match self {
            Self::Noise { strength, per_size, noises } => {
                let q = scaled(p, *per_size);
                let (x, dx) = noises[0].sample::<G>(q);
                let (y, dy) = noises[1].sample::<G>([q[0] + 0.5, q[1] + 0.5]);
                let k = strength * per_size;
                let rows = [[1.0 + k * dx[0], k * dx[1]], [k * dy[0], 1.0 + k * dy[1]]];
                (add(p, [strength * x, strength * y]), Affine { rows, offset: [0.0; 2] })
            }
            Self::Twist { centre, angle, falloff } => {
                let offset = sub(p, *centre);
                let d = length(offset);
                let (g, dg) = falloff.sample(d);
                if g <= 0.0 {
                    return (p, Affine::IDENTITY);
                }
                let (sin, cos) = (libm::sin(angle * g), libm::cos(angle * g));
                let turned = [cos * offset[0] - sin * offset[1], sin * offset[0] + cos * offset[1]];
                let side = [-turned[1], turned[0]];
                let k = if d > 0.0 { angle * dg / d } else { 0.0 };
                let rows = [
                    [cos + side[0] * k * offset[0], -sin + side[0] * k * offset[1]],
                    [sin + side[1] * k * offset[0], cos + side[1] * k * offset[1]],
                ];
                (add(*centre, turned), Affine { rows, offset: [0.0; 2] })
            }
        }
    }

    /// Where a capsule comes to lie, and the greatest stretching of an offset in it.
    pub fn displaced(&self, capsule: &Capsule) -> (Capsule, f64) {
        let r = capsule.radius();
        let stretching = match self {
            Self::Noise { strength, per_size, noises } => {
                let waves = |by: f64| Capsule::disc(add(scaled(capsule.middle(), *per_size), [by, by]), r * per_size);
                let (x, y) = (noises[0].bounds(&waves(0.0)).1, noises[1].bounds(&waves(0.5)).1);
                1.0 + strength * per_size * (x * x + y * y).sqrt()
            }
            Self::Twist { centre, angle, falloff } => {
                let d = capsule.distances(*centre);
                let slope = falloff.bounds(d).1;
                // the norm of a shear by k is k/2 + √(1 + k²/4)
                let k = angle.abs() * slope * lower(d.high, falloff.radius);
                0.5 * k + (1.0 + 0.25 * k * k).sqrt()
            }
        };
        (
            Capsule::disc(self.displace::<false>(capsule.middle()).0, r * stretching * (1.0 + 1e-9)),
            stretching * (1.0 + 1e-9),
        )
    }

    /// Holds every place that an area goes to, there or back again.
    pub fn cover(&self, area: Area) -> Area {
        match self {
            Self::Noise { strength, .. } => area.grown(*strength),
            Self::Twist { centre, falloff, .. } => {
                if area.is_empty() || area.distance(*centre) >= falloff.radius {
                    return area;
                }
                let farthest = area.corners().into_iter().fold(0.0, |far, p| higher(far, length(sub(p, *centre))));
                area.union(Area::centred(*centre, lower(farthest, falloff.radius)))
            }
        }
    }
}

/// The map never folds: the greatest slope of both pushes together stays below 1.
const _: () = assert!(FARTHEST * STEEPEST * std::f64::consts::SQRT_2 < 1.0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construction::plane::cross;

    #[test]
    fn warps_are_one_to_one_and_have_their_jacobian() {
        let bends = [
            WarpSettings { strength: 1e6, size: 500.0, ..WarpSettings::default() },
            WarpSettings {
                bend: Bend::Twist,
                turn_angle: 400.0,
                x: 100.0,
                y: -50.0,
                radius: 800.0,
                ..WarpSettings::default()
            },
        ];
        for settings in bends {
            let warp = settings.prepare(3);
            for k in 0..4000 {
                let p = [f64::from(k % 61) * 31.7 - 900.0, f64::from(k % 83) * 23.1 - 900.0];
                let (_, jacobian) = warp.displace::<true>(p);
                assert!(cross(jacobian.rows[0], jacobian.rows[1]) > 0.0);
                let (_, stretching) = warp.displaced(&Capsule::disc(p, 3.0));
                assert!(jacobian.stretching() <= stretching * (1.0 + 1e-9), "{} {stretching}", jacobian.stretching());
                let e = 1e-4;
                for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                    let slope = scaled(
                        sub(warp.displace::<false>(add(p, step)).0, warp.displace::<false>(sub(p, step)).0),
                        0.5 / e,
                    );
                    assert!(length(sub(slope, [jacobian.rows[0][axis], jacobian.rows[1][axis]])) < 1e-5);
                }
            }
        }
    }
}
