//! Conversion between sRGB bytes, which files and pictures store, and linear light, in which colours are mixed.

use std::sync::LazyLock;

/// Linear light of every sRGB byte (IEC 61966-2-1).
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let c = byte as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
    })
});

/// sRGB bytes at equal steps of the square root of linear light. The steps are small enough for dark colours.
static ENCODED: LazyLock<[u8; 4096]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let root = k as f32 / 4095.0;
        let c = root * root;
        let s = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * libm::powf(c, 1.0 / 2.4) - 0.055 };
        (s * 255.0 + 0.5) as u8
    })
});

/// Red, green and blue as linear light from 0 to 1.
pub type Light = [f32; 3];

/// Linear light of an sRGB colour.
pub fn decode(srgb: [u8; 3]) -> Light {
    srgb.map(|byte| LINEAR[usize::from(byte)])
}

/// The sRGB colour of `light`; brighter light is clipped to white.
pub fn encode(light: Light) -> [u8; 3] {
    light.map(|c| ENCODED[(c.clamp(0.0, 1.0).sqrt() * 4095.0 + 0.5) as usize])
}

/// Linear interpolation: `a` at t = 0, `b` at t = 1.
pub fn mix(a: Light, b: Light, t: f32) -> Light {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t)
}

/// The colour of ground whose value in the brightness map is `brightness`: brighter above 0, darker below 0.
pub fn brighten(ground: Light, brightness: f32) -> Light {
    if brightness > 0.0 {
        mix(ground, [0.9; 3], 0.6 * brightness.min(1.0))
    } else {
        ground.map(|c| c * (1.0 + 0.6 * brightness.max(-1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_decode_and_encode() {
        for byte in 0..=255u8 {
            assert_eq!(encode(decode([byte; 3])), [byte; 3]);
        }
        assert_eq!(encode([-1.0, 2.0, 0.0]), [0, 255, 0]);
    }
}
