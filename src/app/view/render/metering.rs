//! Light metering on the processor: rays through the image, and the weighted mean of the light that they find.

use bevy::math::{Mat4, Vec3, Vec4};

/// Number of metering rays across the width of the image; `ROWS` is the number down its height.
pub const COLUMNS: usize = 16;
const ROWS: usize = 10;
/// Lower limit of the metered light, in stops relative to sunlit terrain.
const DARKEST_STOPS: f32 = -6.0;
/// Upper limit of the metered light, in stops relative to sunlit terrain.
const BRIGHTEST_STOPS: f32 = 1.5;
/// Directions of rays through the image, each with its weight. Weights are greatest in the centre of the image.
/// `clip_from_eye` maps positions relative to the eye to clip space, with the near plane at clip depth 1.
pub fn picture_rays(clip_from_eye: Mat4) -> Vec<(Vec3, f32)> {
    let eye_from_clip = clip_from_eye.inverse();
    let ray = |k: usize| {
        let [x, y] =
            [(k % COLUMNS, COLUMNS), (k / COLUMNS, ROWS)].map(|(at, of)| (at as f32 + 0.5) / of as f32 * 2.0 - 1.0);
        let near = eye_from_clip * Vec4::new(x, y, 1.0, 1.0);
        let weight = 1.0 - 0.5 * (x * x + y * y).min(1.0);
        ((near.truncate() / near.w).normalize_or(Vec3::NEG_Y), weight)
    };
    (0..COLUMNS * ROWS).map(ray).collect()
}

/// Weighted mean of metered light, in stops relative to sunlit level terrain.
#[derive(Default)]
pub struct MeteredLight {
    stops: f32,
    weight: f32,
}

impl MeteredLight {
    /// Adds the light that one ray found. `light` is a multiple of the light of sunlit level terrain.
    pub fn add(&mut self, light: f32, weight: f32) {
        self.stops += weight * light.max(1e-9).log2().clamp(DARKEST_STOPS, BRIGHTEST_STOPS);
        self.weight += weight;
    }

    /// The mean light in stops relative to sunlit level terrain; 0 if no light was metered.
    pub fn mean_stops(&self) -> f32 {
        if self.weight > 0.0 { self.stops / self.weight } else { 0.0 }
    }
}
