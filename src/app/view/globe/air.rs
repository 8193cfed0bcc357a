//! The atmosphere: single scattering by molecules (Rayleigh) and haze (Mie), in layers whose density falls
//! exponentially with height.
//!
//! The light scattered into a ray of length L is E ∫ β ρ(h) P(θ) T(eye → x) T(x → sun) dx. E is the sunlight, β the
//! scattering coefficient, h the height of the point x, and θ the angle between the sunlight and the ray. The density
//! is ρ = exp(-h / H), where H is the scale height. The phase function P is 3 (1 + cos² θ) / 16 π for molecules, and
//! Cornette and Shanks's function for haze. The transmittance T is exp(-Σ β · depth), summed over molecules and haze;
//! depth is the optical depth of the path. The shader marches along the ray. The optical depth towards the sun comes
//! from the Chapman function in closed form (its limit for large planets, with the bounds of erfc). This file repeats
//! the closed form to check it against the integral. Where the relief is exaggerated, the layers are drawn thicker by
//! the square root of the exaggeration. The mass of air above each point stays the same. Sources: Nishita et al. 1993;
//! coefficients of Bucholtz 1995 for 680, 550 and 440 nm.

/// Scattering of clear air at the Earth's surface, per metre, for red, green and blue.
const RAYLEIGH: [f64; 3] = [5.80e-6, 13.56e-6, 33.10e-6];
/// Scattering of the Earth's haze at the surface, per metre. The second constant is its extinction relative to its
/// scattering.
const MIE: f64 = 3.0e-6;
const MIE_EXTINCTION: f64 = 1.11;
/// Absorption by ozone at the Earth's surface, per metre, for red, green and blue. In this model, ozone is distributed
/// like the air. Without ozone, the sky at dusk would be green between the blue and the red near the sun.
const OZONE: [f64; 3] = [1.20e-6, 3.50e-6, 0.16e-6];
const RAYLEIGH_HEIGHT: f64 = 8000.0;
const MIE_HEIGHT: f64 = 1200.0;
/// Height of the drawn atmosphere, in scale heights. The density falls to 1/e over one scale height.
const TOP: f64 = 6.0;
/// Density of air, relative to the Earth, below which an atmosphere is invisible and not drawn.
const NOTHING: f64 = 1e-4;

/// Scattering coefficients of an atmosphere as drawn. Lengths are in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirScattering {
    /// Scattering at the surface, per metre, for red, green and blue.
    pub rayleigh: [f64; 3],
    /// Extinction of clear air at the surface, per metre: scattering plus absorption by ozone.
    pub extinction: [f64; 3],
    pub mie: f64,
    pub mie_extinction: f64,
    /// Scale heights of clear air and of haze: heights over which the density falls to 1/e.
    pub rayleigh_height: f64,
    pub mie_height: f64,
    /// Distance from the planet's centre above which there is no air.
    pub top: f64,
}

impl AirScattering {
    /// Scattering coefficients of an atmosphere; `None` if the atmosphere is invisible. `density` and `ozone` are
    /// relative to the Earth. `tint` multiplies the scattering of red, green and blue.
    pub fn new(radius: f64, density: f64, exaggeration: f64, tint: [f64; 3], ozone: f64) -> Option<Self> {
        if density < NOTHING {
            return None;
        }
        // on a very small planet, layers of the Earth's thickness would be larger than the planet
        let true_height = RAYLEIGH_HEIGHT.min(0.02 * radius);
        let rayleigh_height = true_height * exaggeration.max(1.0).sqrt().min(0.04 * radius / true_height);
        let thinner = RAYLEIGH_HEIGHT / rayleigh_height * density;
        let rayleigh: [f64; 3] = std::array::from_fn(|k| RAYLEIGH[k] * thinner * tint[k]);
        Some(Self {
            rayleigh,
            extinction: std::array::from_fn(|k| rayleigh[k] + ozone * OZONE[k] * thinner),
            mie: MIE * thinner,
            mie_extinction: MIE * MIE_EXTINCTION * thinner,
            rayleigh_height,
            mie_height: rayleigh_height * MIE_HEIGHT / RAYLEIGH_HEIGHT,
            top: radius + TOP * rayleigh_height,
        })
    }
}

/// Optical path of a ray to infinity, in scale heights of air as dense as at the ray's start. `x` is the distance of
/// the start from the centre in scale heights, and `cosine` is the cosine of the zenith angle.
#[cfg(test)]
fn chapman(x: f64, cosine: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};

    // `up` uses the known upper bound of exp(y²) erfc(y)
    let y = (0.5 * x).sqrt() * cosine.abs();
    let up = (2.0 * x).sqrt() / (y + (y * y + 4.0 / PI).sqrt());
    if cosine >= 0.0 {
        return up;
    }
    // the path down to the lowest point of the ray, and up again on the other side
    let lowest = x * (1.0 - cosine * cosine).max(0.0).sqrt();
    2.0 * (FRAC_PI_2 * lowest).sqrt() * (x - lowest).min(60.0).exp() - up
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f64 = 6_371_000.0;

    /// The optical path as [`chapman`] returns it, computed by numerical integration.
    fn integral(x: f64, cosine: f64) -> f64 {
        let steps = 400_000;
        let length = 12.0 * x.sqrt() + if cosine < 0.0 { 2.0 * x * -cosine } else { 0.0 };
        let step = length / f64::from(steps);
        (0..steps)
            .map(|k| {
                let t = (f64::from(k) + 0.5) * step;
                let r = (x * x + t * t + 2.0 * x * t * cosine).sqrt();
                (x - r).exp() * step
            })
            .sum()
    }

    #[test]
    fn depths_in_closed_form_agree_with_the_integral() {
        for x in [60.0, 220.0, 800.0] {
            for cosine in [1.0, 0.6, 0.2, 0.05, 0.0, -0.02, -0.05] {
                let (closed, summed) = (chapman(x, cosine), integral(x, cosine));
                assert!(
                    (closed / summed - 1.0).abs() < 0.06,
                    "x {x}, cosine {cosine}: the closed form is {closed}, the integral {summed}"
                );
            }
        }
    }

    #[test]
    fn exaggeration_does_not_change_the_air_above_a_point() {
        let plain = AirScattering::new(RADIUS, 1.0, 1.0, [1.0; 3], 1.0).unwrap();
        // this is the vertical optical depth for blue light at the Earth's sea level
        assert!((plain.rayleigh[2] * plain.rayleigh_height - 0.265).abs() < 0.01);
        for exaggeration in [4.0, 12.0, 100.0] {
            let air = AirScattering::new(RADIUS, 1.0, exaggeration, [1.0; 3], 1.0).unwrap();
            assert!((air.rayleigh[2] * air.rayleigh_height / 0.265 - 1.0).abs() < 0.03);
            assert!(air.top > plain.top && air.top < 1.3 * RADIUS);
        }
        assert_eq!(AirScattering::new(RADIUS, 0.0, 10.0, [1.0; 3], 1.0), None);
        assert!(AirScattering::new(1000.0, 1.0, 10.0, [1.0; 3], 1.0).unwrap().top < 1300.0);
    }
}
