//! The surface of a globe for cameras and picking: its drawn height, and its intersection with rays.

use glam::DVec3;

use super::tiles::FineTerrain;
use talweg::field::{Globe, smooth_step};

/// The surface of a globe with its vertical exaggeration. Lengths are in metres.
#[derive(Clone, Copy)]
pub struct GlobeSurface<'a> {
    pub globe: &'a Globe,
    pub height: &'a [f32],
    /// Radius of the globe at height 0.
    pub radius: f64,
    /// Drawn height, in metres, of a terrain height of 1.
    pub relief: f64,
    /// Height of the drawn sea; `None` if no sea is drawn.
    pub sea: Option<f64>,
    /// Heights over the radius of the lowest and of the highest point of the drawn surface.
    pub range: (f64, f64),
    /// The fine terrain between the samples and its vertical exaggeration, if the fine terrain is drawn.
    pub detail: Option<(&'a FineTerrain, f64)>,
}

/// Greatest number of steps along a picking ray.
const MOST_STEPS: usize = 3000;

/// Number of steps towards the sun in the search for mountains that cast shadows.
const SHADOW_STEPS: i32 = 10;

pub(super) fn smoothstep(from: f64, to: f64, at: f64) -> f64 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    smooth_step(t)
}

impl GlobeSurface<'_> {
    /// Fraction of sunlight that mountains let through to the surface point in the direction `up`. `sun` is a unit
    /// vector. The method follows `under_mountains` in `assets/shaders/globe_shadows.wgsl`, but with fewer steps.
    pub fn sun_fraction(&self, up: DVec3, sun: DVec3) -> f64 {
        let sine = up.dot(sun);
        if !(-0.35..0.55).contains(&sine) {
            return 1.0;
        }
        let from = up * self.surface(up);
        let cell = self.radius / self.globe.samples() as f64;
        let worst = (0..SHADOW_STEPS).fold(-1.0, |worst: f64, k| {
            let way = 0.6 * cell * 1.6f64.powi(k);
            let there = from + sun * way;
            worst.max((self.surface(there) - there.length()) / way)
        });
        let shade = 1.0 - smoothstep(-0.010, 0.014, worst);
        // fade the shadows out, so that no edge is visible at the sun elevation where the search ends
        shade + (1.0 - shade) * smoothstep(0.40, 0.55, sine)
    }

    /// Vertical exaggeration of the drawn surface.
    pub fn exaggeration(&self, relief_metres: f32) -> f64 {
        self.relief / f64::from(relief_metres).max(1e-9)
    }

    /// Interpolated height of the samples in a direction, as a fraction of the relief.
    pub fn height(&self, direction: DVec3) -> f32 {
        self.globe.sample(self.height, direction.to_array())
    }

    /// Distance of the drawn surface from the centre, in a direction given by a vector of any length.
    pub fn surface(&self, direction: DVec3) -> f64 {
        let found = self.detail.and_then(|(detail, times)| Some(detail.height_metres(direction)? * times));
        let ground = found.unwrap_or_else(|| f64::from(self.height(direction)) * self.relief);
        self.radius + self.sea.map_or(ground, |sea| ground.max(sea))
    }

    /// Greatest height difference, in metres, between the fine terrain and the samples around it.
    pub fn slack(&self) -> f64 {
        self.detail.map_or(0.0, |(detail, times)| detail.slack_metres() * times)
    }

    /// The first intersection of a ray with the surface.
    pub fn pick(&self, eye: DVec3, ray: DVec3) -> Option<DVec3> {
        let outside = self.radius + self.range.1 + 1e-7 * self.radius;
        let start = if eye.length() > outside {
            let at = meet_sphere(eye, ray, outside)?;
            (at - eye).dot(ray)
        } else {
            0.0
        };
        let over = |t: f64| {
            let at = eye + ray * t;
            at.length() - self.surface(at)
        };
        let inside = self.radius + self.range.0 - 1e-7 * self.radius;
        let deepest = meet_sphere(eye, ray, inside).filter(|_| eye.length() > inside).map(|at| (at - eye).dot(ray));
        // `along` is the distance to the ray's point nearest to the centre, `half` the distance from there to the outer
        // sphere
        let along = -eye.dot(ray);
        let half = (outside * outside - (eye + ray * along).length_squared()).max(0.0).sqrt();
        let end = deepest.unwrap_or(along + half);
        let cell = self.radius / self.globe.samples() as f64;
        let (mut t, mut before) = (start, start);
        for _ in 0..MOST_STEPS {
            let height = over(t);
            if height <= 0.0 {
                return Some(self.crossing(eye, ray, before, t));
            }
            if t >= end {
                break;
            }
            before = t;
            // the step is too short for the terrain to rise to the ray, but has a minimum length, so that the search
            // ends
            t += (0.3 * height).max(1e-4 * t).max(0.02 * cell * (t / self.radius).clamp(1e-4, 1.0));
            t = t.min(end);
        }
        deepest.map(|t| eye + ray * t)
    }

    /// Surface point of the ray, found by bisection. The ray is above the surface at the distance `above`, and below it
    /// at the distance `below`.
    fn crossing(&self, eye: DVec3, ray: DVec3, mut above: f64, mut below: f64) -> DVec3 {
        for _ in 0..50 {
            let middle = 0.5 * (above + below);
            let at = eye + ray * middle;
            if at.length() > self.surface(at) { above = middle } else { below = middle }
        }
        eye + ray * below
    }
}

/// First intersection of a ray with a sphere around the centre. If the eye is inside the sphere, this is the point
/// where the ray leaves the sphere.
pub fn meet_sphere(eye: DVec3, ray: DVec3, radius: f64) -> Option<DVec3> {
    let along = -eye.dot(ray);
    // squared distance of the ray from the centre, computed without cancellation of large squares
    let beside = (eye + ray * along).length_squared();
    let half = radius * radius - beside;
    if half < 0.0 {
        return None;
    }
    let half = half.sqrt();
    let near = if eye.length() >= radius { along - half } else { along + half };
    (near > 0.0).then(|| eye + ray * near)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::view::globe::bounds::FaceBounds;

    pub struct Sphere {
        pub globe: Globe,
        pub height: Vec<f32>,
        pub radius: f64,
    }

    impl Sphere {
        pub fn ground(&self, exaggeration: f64) -> GlobeSurface<'_> {
            let relief = 8000.0 * exaggeration;
            let (low, high) = FaceBounds::new(self.globe.samples(), &self.height).whole();
            let range = (f64::from(low) * relief, f64::from(high) * relief);
            GlobeSurface {
                globe: &self.globe,
                height: &self.height,
                radius: self.radius,
                relief,
                sea: None,
                range,
                detail: None,
            }
        }
    }

    /// A rough globe as large as the Earth.
    pub fn sphere() -> Sphere {
        let globe = Globe::new(65);
        let height = (0..globe.len())
            .map(|k| {
                let [x, y, z] = globe.direction_of(k);
                0.4 + 0.3 * (9.0 * x).sin() * (7.0 * y).cos() + 0.2 * (23.0 * z + 5.0 * x).sin()
            })
            .collect();
        Sphere { globe, height, radius: 6_371_000.0 }
    }

    #[test]
    fn picking_finds_the_place_again() {
        let planet = sphere();
        let ground = planet.ground(12.0);
        for k in 0..400 {
            let t = f64::from(k);
            let direction = DVec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 0.31).sin()).normalize_or(DVec3::X);
            let point = direction * ground.surface(direction);
            // the ray is so steep that no terrain is between the eye and the point
            let aside = direction.any_orthonormal_vector();
            let height = [200.0, 3e4, 2e6, 4e7][k as usize % 4];
            let eye = point + (direction + 0.05 * aside) * height;
            let found = ground.pick(eye, (point - eye).normalize()).expect("the ray hits the surface");
            let away = found.distance(point);
            assert!(away < 1e-3 * height + 1.0, "the hit point is {away} m off, seen from {height} m");
            let (latitude, longitude) = (found.normalize().z.asin(), found.y.atan2(found.x));
            assert!((latitude - direction.z.asin()).abs() < 1e-5 + 1e-3 * height / planet.radius);
            let turn = (longitude - direction.y.atan2(direction.x)).rem_euclid(std::f64::consts::TAU);
            assert!(
                turn.min(std::f64::consts::TAU - turn) * direction.truncate().length()
                    < 1e-5 + 1e-3 * height / planet.radius
            );
        }
        let eye = DVec3::X * 2e7;
        assert_eq!(ground.pick(eye, DVec3::X), None);
        assert_eq!(ground.pick(eye, DVec3::new(-0.5, 1.0, 0.0).normalize()), None);
    }

    #[test]
    fn ground_tiles_have_the_range_of_their_samples() {
        for n in [2, 9, 10, 33, 100] {
            let globe = Globe::new(n);
            let height: Vec<f32> = (0..globe.len()).map(|k| ((k * 7919) % 1000) as f32).collect();
            let bounds = FaceBounds::new(n, &height);
            for (k, &here) in height.iter().enumerate() {
                let (face, i, j) = (k / (n * n), k / n % n, k % n);
                for level in 0..6 {
                    let tiles = f64::from(1u32 << level);
                    let tile = |k: usize| (((k as f64 / (n - 1) as f64) * tiles) as u32).min((1 << level) - 1);
                    let (low, high) = bounds.range(face, level, tile(i), tile(j));
                    assert!(low <= here && here <= high);
                }
            }
            let (low, high) = bounds.whole();
            assert!(height.iter().all(|h| (low..=high).contains(h)));
        }
    }
}
