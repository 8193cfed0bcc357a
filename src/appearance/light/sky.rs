//! Daylight: the colours of the sky in every direction, of the sun, and of the light from the sky.
//!
//! The model is described in Hillaire 2020, *A Scalable and Production Ready Sky and Atmosphere Rendering Technique*:
//! air molecules (Rayleigh), haze (Mie) and ozone. Single scattering is computed along each ray, and multiple
//! scattering as a geometric series (Hillaire's equations 5 to 10). Outside the atmosphere the sun has intensity 1 in
//! every colour channel. [`Daylight`] is exposed so that level terrain under a clear sky has the same brightness at
//! every sun elevation above 25° and is slightly darker in the evening.

use std::f32::consts::{FRAC_PI_2, PI};
use std::sync::{Arc, Mutex, PoisonError};

use crate::scene::{LightSource, Settings, SkyCondition};

/// Number of azimuths of [`Daylight::map`], from the sun's azimuth to the opposite azimuth.
pub const AZIMUTHS: usize = 64;
/// Number of elevations of [`Daylight::map`]. In row k, the elevation is 90° · (k / (rows - 1))².
pub const ELEVATIONS: usize = 32;

type Rgb = [f32; 3];

const GROUND: f32 = 6_360_000.0;
const TOP: f32 = 6_460_000.0;
/// Scattering coefficient of air molecules at the ground, per metre, for red, green and blue.
const RAYLEIGH: Rgb = [5.802e-6, 13.558e-6, 33.1e-6];
const RAYLEIGH_HEIGHT: f32 = 8000.0;
/// Scattering coefficient of haze in clear air at the ground, per metre. `MIE_EXTINCTION` is the haze's extinction
/// coefficient.
const MIE: f32 = 3.996e-6;
const MIE_EXTINCTION: f32 = 4.44e-6;
const MIE_HEIGHT: f32 = 1200.0;
/// Asymmetry of the haze's phase function: 1 scatters straight forward.
const HAZE_ASYMMETRY: f32 = 0.8;
/// Absorption coefficient of ozone at a height of 25 km, per metre, for red, green and blue.
const OZONE: Rgb = [0.650e-6, 1.881e-6, 0.085e-6];
/// Strength of the white balance: 0 keeps the colour of light on level terrain, 1 makes it white.
const ADAPTED: f32 = 0.25;
/// Height of the eye above the sea, in metres.
const EYE: f32 = 500.0;
/// Fraction of the light that the ground reflects.
const GROUND_ALBEDO: f32 = 0.25;

/// Light of the sun and the sky on the terrain, and the sky in every direction. All colours are linear light, exposed
/// for the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Daylight {
    /// The sky: [`ELEVATIONS`] rows from the horizon upwards, with [`AZIMUTHS`] directions each.
    pub map: Vec<Rgb>,
    /// Sunlight on a white surface that faces the sun.
    pub sun: Rgb,
    /// Light of the whole sky on a level white surface.
    pub sky: Rgb,
    /// Extinction of the air at the ground for each colour channel, per metre.
    pub extinction: Rgb,
    /// Visibility of the stars: 0 invisible, 1 full.
    pub stars: f32,
}

impl Daylight {
    /// The daylight of a scene. The most recent daylight is cached.
    pub fn of_scene(settings: &Settings) -> Arc<Self> {
        /// Cache key: the bits of the sun's elevation and of the haze, and the sky condition.
        type Key = (u32, u32, SkyCondition);
        static LAST: Mutex<Option<(Key, Arc<Daylight>)>> = Mutex::new(None);
        let source = settings.light_source();
        let key = (source.elevation_degrees.to_bits(), settings.haze.to_bits(), source.sky);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, daylight)) if *known == key => daylight.clone(),
            _ => last.insert((key, Arc::new(Self::new(settings)))).1.clone(),
        }
    }

    /// Computes the daylight of a scene from the elevation of its sun and its sky condition.
    pub fn new(settings: &Settings) -> Self {
        let haze = settings.haze.max(0.0);
        let LightSource { elevation_degrees, sky, .. } = settings.light_source();
        let elevation = elevation_degrees.to_radians();
        let extinction = std::array::from_fn(|c| RAYLEIGH[c] + MIE_EXTINCTION * haze);
        let lit = |elevation: f32, sun_share: f32| {
            let air = SunlitAir::new(elevation, haze);
            let sun = air.sun_at_ground().map(|light| light * sun_share / PI);
            (air.map(), sun)
        };
        let rise = (elevation_degrees / 25.0).clamp(0.0, 1.0);
        // While the sun is near the horizon, the exposure is reduced, because a real landscape also becomes darker.
        let dusk = 0.45 + 0.55 * (elevation_degrees / 12.0).clamp(0.0, 1.0);
        let brightness = (0.95 + 0.35 * rise * (2.0 - rise)) * dusk;
        let (map, sun, target, tint, stars) = match sky {
            SkyCondition::Clear => {
                let (map, sun) = lit(elevation, 1.0);
                (map, sun, brightness, [1.0; 3], 0.0)
            }
            SkyCondition::Overcast => (overcast(), [0.10; 3], 1.15, [1.0; 3], 0.0),
            SkyCondition::Twilight => {
                let (map, _) = lit(-0.07, 0.0);
                (map, [0.0; 3], 0.45, [0.80, 0.95, 1.15], 0.25)
            }
            SkyCondition::Moonlight => {
                let (map, sun) = lit(elevation, 1.0);
                (map, sun, 0.34, [0.62, 0.82, 1.18], 1.0)
            }
        };
        let sky = irradiance(&map).map(|light| light / PI);
        let level: Rgb = std::array::from_fn(|c| sun[c] * libm::sinf(elevation).max(0.05) + sky[c]);
        let exposure = target / luminance(level).max(1e-9);
        // Eyes and cameras remove most of the tint of the light on level terrain.
        let balance: Rgb = std::array::from_fn(|c| libm::powf(luminance(level) / level[c].max(1e-9), ADAPTED));
        let exposed = |light: Rgb| std::array::from_fn(|c| light[c] * exposure * balance[c] * tint[c]);
        Self { map: map.into_iter().map(exposed).collect(), sun: exposed(sun), sky: exposed(sky), extinction, stars }
    }
}

impl Daylight {
    /// Luminance of the sky at an elevation and at an azimuth relative to the sun, both in radians. The function reads
    /// the nearest map entry.
    pub fn sky_luminance(&self, azimuth: f32, elevation: f32) -> f32 {
        let nearest = |share: f32, count: usize| (share.clamp(0.0, 1.0).sqrt() * (count - 1) as f32 + 0.5) as usize;
        let (along, up) = (nearest(azimuth.abs() / PI, AZIMUTHS), nearest(elevation / FRAC_PI_2, ELEVATIONS));
        luminance(self.map[up * AZIMUTHS + along])
    }
}

fn luminance([r, g, b]: Rgb) -> f32 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Azimuth relative to the sun, and elevation, of map entry `k` in radians. Entries are denser near the sun and near
/// the horizon, where the light changes most.
fn direction(k: usize) -> (f32, f32) {
    let along = (k % AZIMUTHS) as f32 / (AZIMUTHS - 1) as f32;
    let up = (k / AZIMUTHS) as f32 / (ELEVATIONS - 1) as f32;
    (PI * along * along, FRAC_PI_2 * up * up)
}

/// Light that a sky casts on a level surface: the integral of radiance times the sine of the elevation.
fn irradiance(map: &[Rgb]) -> Rgb {
    let mut sum = [0.0; 3];
    for (k, light) in map.iter().enumerate() {
        let (_, elevation) = direction(k);
        let column = (k % AZIMUTHS) as f32 / (AZIMUTHS - 1) as f32;
        let row = (k / AZIMUTHS) as f32 / (ELEVATIONS - 1) as f32;
        // d(elevation) = π · row / (rows - 1), d(azimuth) = 2π · column / columns. The map covers half of the circle,
        // so each entry counts for both halves.
        let solid = libm::cosf(elevation) * PI * row / (ELEVATIONS - 1) as f32 * 4.0 * PI * column / AZIMUTHS as f32;
        (0..3).for_each(|c| sum[c] += light[c] * libm::sinf(elevation) * solid);
    }
    sum
}

/// The CIE overcast sky: three times as bright at the zenith as at the horizon.
fn overcast() -> Vec<Rgb> {
    let at = |k: usize| {
        let share = (1.0 + 2.0 * libm::sinf(direction(k).1)) / 3.0;
        [0.94 * share, 0.98 * share, 1.05 * share]
    };
    (0..AZIMUTHS * ELEVATIONS).map(at).collect()
}

/// Scattering and extinction coefficients of the air, per metre.
struct Scattering {
    rayleigh: Rgb,
    mie: f32,
    extinction: Rgb,
}

const HEIGHTS: usize = 32;
const COSINES: usize = 64;

/// The atmosphere, lit by the sun at one position.
struct SunlitAir {
    sun_elevation: f32,
    haze: f32,
    /// Transmittance between space and a position in the air, by height and by the cosine of the angle to the vertical.
    through: Vec<Rgb>,
    /// Light from multiple scattering, by height above the ground.
    multiple: [Rgb; HEIGHTS],
}

impl SunlitAir {
    fn new(sun_elevation: f32, haze: f32) -> Self {
        let mut air = Self { sun_elevation, haze, through: Vec::new(), multiple: [[0.0; 3]; HEIGHTS] };
        air.through = (0..HEIGHTS * COSINES)
            .map(|k| {
                let radius = GROUND + height_of(k / COSINES);
                air.transmittance(radius, cosine_of(k % COSINES))
            })
            .collect();
        air.multiple = std::array::from_fn(|k| air.scattered_more_than_once(height_of(k)));
        air
    }

    fn scattering(&self, height: f32) -> Scattering {
        let thin = libm::expf(-height / RAYLEIGH_HEIGHT);
        let hazy = self.haze * libm::expf(-height / MIE_HEIGHT);
        let ozone = (1.0 - (height - 25_000.0).abs() / 15_000.0).max(0.0);
        let rayleigh = RAYLEIGH.map(|b| b * thin);
        let extinction = std::array::from_fn(|c| rayleigh[c] + MIE_EXTINCTION * hazy + OZONE[c] * ozone);
        Scattering { rayleigh, mie: MIE * hazy, extinction }
    }

    /// Fraction of the light from space that reaches a position; 0 if the ray passes through the ground.
    fn transmittance(&self, radius: f32, cosine: f32) -> Rgb {
        const STEPS: usize = 40;
        if way_to_ground(radius, cosine).is_some() {
            return [0.0; 3];
        }
        let step = way_out(radius, cosine) / STEPS as f32;
        let mut depth = [0.0; 3];
        for k in 0..STEPS {
            let (there, _) = advanced_along_ray(radius, cosine, (k as f32 + 0.5) * step);
            let air = self.scattering(there - GROUND);
            (0..3).for_each(|c| depth[c] += air.extinction[c] * step);
        }
        depth.map(|d| libm::expf(-d))
    }

    /// Transmittance between space and a position, read from the table.
    fn sun_through(&self, radius: f32, cosine: f32) -> Rgb {
        let at = libm::sqrtf(((radius - GROUND) / (TOP - GROUND)).clamp(0.0, 1.0)) * (HEIGHTS - 1) as f32;
        let of = (0.5 + 0.5 * root(cosine)).clamp(0.0, 1.0) * (COSINES - 1) as f32;
        let (i, j) = ((at as usize).min(HEIGHTS - 2), (of as usize).min(COSINES - 2));
        let (s, t) = (at - i as f32, of - j as f32);
        let entry = |i: usize, j: usize, c: usize| self.through[i * COSINES + j][c];
        std::array::from_fn(|c| {
            let low = entry(i, j, c) + (entry(i, j + 1, c) - entry(i, j, c)) * t;
            let high = entry(i + 1, j, c) + (entry(i + 1, j + 1, c) - entry(i + 1, j, c)) * t;
            low + (high - low) * s
        })
    }

    fn sun_at_ground(&self) -> Rgb {
        self.sun_through(GROUND + EYE, libm::sinf(self.sun_elevation))
    }

    fn multiple_at(&self, height: f32) -> Rgb {
        let at = libm::sqrtf((height / (TOP - GROUND)).clamp(0.0, 1.0)) * (HEIGHTS - 1) as f32;
        let k = (at as usize).min(HEIGHTS - 2);
        std::array::from_fn(|c| self.multiple[k][c] + (self.multiple[k + 1][c] - self.multiple[k][c]) * (at - k as f32))
    }

    /// Hillaire's equations 5 to 10: light of the second scattering order, times the sum of the series of all later
    /// orders.
    fn scattered_more_than_once(&self, height: f32) -> Rgb {
        const ROWS: usize = 8;
        let radius = GROUND + height.max(10.0);
        let (mut second, mut again) = ([0.0; 3], [0.0; 3]);
        for k in 0..ROWS * ROWS {
            let cosine = 1.0 - 2.0 * ((k / ROWS) as f32 + 0.5) / ROWS as f32;
            let azimuth = 2.0 * PI * ((k % ROWS) as f32 + 0.5) / ROWS as f32;
            let ray = self.ray(radius, cosine, azimuth, 20, None);
            (0..3).for_each(|c| {
                second[c] += ray.light[c] / (ROWS * ROWS) as f32;
                again[c] += ray.scattered[c] / (ROWS * ROWS) as f32;
            });
        }
        std::array::from_fn(|c| second[c] / (1.0 - again[c].min(0.95)))
    }

    /// The sky in every direction from the ground.
    fn map(&self) -> Vec<Rgb> {
        let at = |k: usize| {
            let (azimuth, elevation) = direction(k);
            self.ray(GROUND + EYE, libm::sinf(elevation), azimuth, 40, Some(())).light
        };
        (0..AZIMUTHS * ELEVATIONS).map(at).collect()
    }

    /// Light along a ray. With `sky`, phase functions apply and multiple scattering is added. Without `sky`, scattering
    /// is isotropic and the ground reflects light.
    fn ray(&self, radius: f32, cosine: f32, azimuth: f32, steps: usize, sky: Option<()>) -> RayLight {
        let to_ground = way_to_ground(radius, cosine).filter(|_| sky.is_none());
        let length = to_ground.unwrap_or_else(|| way_out(radius, cosine.max(if sky.is_some() { 0.0 } else { -1.0 })));
        let (sun_up, sun_level) = (libm::sinf(self.sun_elevation), libm::cosf(self.sun_elevation));
        let level = libm::sqrtf((1.0 - cosine * cosine).max(0.0));
        let towards = sun_up * cosine + sun_level * level * libm::cosf(azimuth);
        let (mut light, mut scattered, mut through) = ([0.0; 3], [0.0; 3], [1.0; 3]);
        let mut before = 0.0;
        for k in 0..steps {
            // Steps along the ray are short near the eye and become longer with distance.
            let share = (k + 1) as f32 / steps as f32;
            let end = length * share * share;
            let (middle, step) = (0.5 * (before + end), end - before);
            before = end;
            let (there, _) = advanced_along_ray(radius, cosine, middle);
            let air = self.scattering((there - GROUND).max(0.0));
            // Cosine of the angle between the sun and the vertical at the middle of the step.
            let sun = (radius * sun_up + middle * towards) / there;
            let sunlight = self.sun_through(there, sun);
            let multiple = if sky.is_some() { self.multiple_at(there - GROUND) } else { [0.0; 3] };
            for c in 0..3 {
                let whole = air.rayleigh[c] + air.mie;
                let phased = match sky {
                    Some(()) => air.rayleigh[c] * rayleigh_phase(towards) + air.mie * mie_phase(towards),
                    None => whole / (4.0 * PI),
                };
                let passed = libm::expf(-air.extinction[c] * step);
                let reach = through[c] * (1.0 - passed) / air.extinction[c].max(1e-12);
                light[c] += reach * (phased * sunlight[c] + whole * multiple[c]);
                scattered[c] += reach * whole;
                through[c] *= passed;
            }
        }
        if to_ground.is_some() {
            let sunlight = self.sun_through(GROUND, sun_up);
            (0..3).for_each(|c| light[c] += through[c] * sunlight[c] * sun_up.max(0.0) * GROUND_ALBEDO / PI);
        }
        RayLight { light, scattered }
    }
}

struct RayLight {
    light: Rgb,
    /// Fraction of isotropically scattered light that is scattered a second time.
    scattered: Rgb,
}

fn rayleigh_phase(cosine: f32) -> f32 {
    3.0 / (16.0 * PI) * (1.0 + cosine * cosine)
}

/// The phase function of haze by Cornette and Shanks.
fn mie_phase(cosine: f32) -> f32 {
    let g = HAZE_ASYMMETRY;
    let away = 1.0 + g * g - 2.0 * g * cosine;
    3.0 / (8.0 * PI) * (1.0 - g * g) * (1.0 + cosine * cosine) / ((2.0 + g * g) * away * libm::sqrtf(away))
}

/// Height above the ground of a row of the tables; rows are closely spaced near the ground.
fn height_of(row: usize) -> f32 {
    let share = row as f32 / (HEIGHTS - 1) as f32;
    (TOP - GROUND) * share * share
}

/// Cosine of the angle to the vertical in a column of the table; columns are closely spaced near the horizon.
fn cosine_of(column: usize) -> f32 {
    let x = 2.0 * column as f32 / (COSINES - 1) as f32 - 1.0;
    x * x.abs()
}

/// The inverse of the square in [`cosine_of`].
fn root(cosine: f32) -> f32 {
    libm::sqrtf(cosine.abs()).copysign(cosine)
}

/// Distance along a ray to the top of the atmosphere.
fn way_out(radius: f32, cosine: f32) -> f32 {
    let along = radius * cosine;
    libm::sqrtf((along * along + (TOP - radius) * (TOP + radius)).max(0.0)) - along
}

/// Distance along a ray to the ground, if the ray hits it.
fn way_to_ground(radius: f32, cosine: f32) -> Option<f32> {
    let along = radius * cosine;
    let square = along * along - (radius - GROUND) * (radius + GROUND);
    (cosine < 0.0 && square >= 0.0).then(|| -along - libm::sqrtf(square))
}

/// Distance from the planet's centre and cosine of the ray's angle to the vertical, after the distance `way` along the
/// ray.
fn advanced_along_ray(radius: f32, cosine: f32, way: f32) -> (f32, f32) {
    let there = libm::sqrtf((radius * radius + way * way + 2.0 * radius * cosine * way).max(0.0));
    (there, (radius * cosine + way) / there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daylight(sun_elevation: f32, sky: SkyCondition) -> Daylight {
        Daylight::new(&Settings { sun_elevation, sky, ..Settings::default() })
    }

    fn entry_of(daylight: &Daylight, azimuth: usize, row: usize) -> Rgb {
        daylight.map[row * AZIMUTHS + azimuth]
    }

    #[test]
    fn zenith_light_is_attenuated_by_the_optical_depth() {
        // According to Bodhaine et al. 1999, the vertical optical depth of clean air is 0.0975 at 550 nm. The test
        // compares this value with the green channel.
        let air = SunlitAir::new(FRAC_PI_2, 0.0);
        let [_, green, _] = air.transmittance(GROUND, 1.0);
        let ozone = 1.881e-6 * 15_000.0;
        assert!((-libm::logf(green) - 13.558e-6 * RAYLEIGH_HEIGHT - ozone).abs() < 0.01, "{green}");
    }

    #[test]
    fn the_day_is_blue_and_the_evening_sun_red() {
        let noon = daylight(60.0, SkyCondition::Clear);
        let [r, g, b] = entry_of(&noon, 32, ELEVATIONS - 1);
        assert!(b > 1.8 * r && b > g, "{r} {g} {b}");
        let evening = daylight(5.0, SkyCondition::Clear);
        let warmth = |light: &Daylight| light.sun[0] / light.sun[2];
        assert!(warmth(&evening) > 2.0 * warmth(&noon));
        // The horizon is brighter towards the sun than away from it.
        assert!(luminance(entry_of(&evening, 0, 3)) > 1.3 * luminance(entry_of(&evening, AZIMUTHS - 1, 3)));
        // At a clear noon most light is from the sun: the ratio of sky light to sunlight is between 1 : 12 and 1 : 4.
        let share = luminance(noon.sky) / (luminance(noon.sun) * 0.866);
        assert!((0.06..0.40).contains(&share), "{share}");
    }

    #[test]
    fn each_sky_exposes_level_ground_as_specified() {
        let level = |elevation: f32, sky| {
            let light = daylight(elevation, sky);
            luminance(light.sky) + luminance(light.sun) * libm::sinf(elevation.to_radians()).max(0.05)
        };
        assert!((level(60.0, SkyCondition::Clear) - 1.3).abs() < 0.1);
        assert!(level(5.0, SkyCondition::Clear) < level(30.0, SkyCondition::Clear));
        assert!(level(40.0, SkyCondition::Moonlight) < 0.4 * level(40.0, SkyCondition::Overcast));
        for sky in SkyCondition::ALL {
            for elevation in [1.0, 10.0, 45.0, 90.0] {
                let light = daylight(elevation, *sky);
                let all = light.map.iter().chain([&light.sun, &light.sky]).flatten();
                assert!(all.copied().all(|c| c.is_finite() && (0.0..500.0).contains(&c)), "{sky:?} {elevation}");
            }
        }
    }

    #[test]
    fn an_even_sky_lights_level_ground_with_pi() {
        let even = vec![[1.0; 3]; AZIMUTHS * ELEVATIONS];
        assert!((irradiance(&even)[1] - PI).abs() < 0.03, "{:?}", irradiance(&even));
    }
}
