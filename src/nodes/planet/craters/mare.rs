//! Maria: basins whose uneven floors are flooded by lava.
//!
//! Law: lengths are in radii of the basin, heights in units of its depth. Noise makes the floor of a flooded basin
//! uneven; its octaves have wavelengths of 0.55 · 2⁻ᵏ. The lava surface is level out to a lava front near the crest,
//! which noise moves in and out. Beyond the front the level falls. The shore is where this level meets the terrain, and
//! has bays and islands. Buried terrain still shows a little, because thicker lava sinks more as it cools: buried
//! craters become ghost craters, and the centre of the basin sags. Wrinkle ridges form where a second noise is near 0.
//! Darkness: thin lava is less dark, because impacts mix it with the rock below. Beyond the shore, darkness fades with
//! height, since impacts scatter dark material there. Lava fields of different ages differ in darkness by a fifth to a
//! third. The numbers are our own conventions. Lunar ridges of 100 to 300 m height and 5 to 10 km width are quoted from
//! memory.

use super::shape::smooth;

/// Distance from the centre beyond which there is no lava, in basin radii.
pub const FLOOD_REACH: f32 = 2.0;
/// Number of noise octaves that make the floor uneven. `WIDEST` is the wavelength of the first octave in basin radii.
/// `ROUGHNESS` is the amplitude ratio of successive octaves. `FLOOR` holds the amplitudes in the middle and at the
/// wall, in basin depths.
const OCTAVES: u32 = 6;
const WIDEST: f32 = 0.55;
const ROUGHNESS: f32 = 0.58;
const FLOOR: [f32; 2] = [0.3, 1.1];
/// Distance by which noise moves the lava front, in basin radii.
const FRONT: f32 = 0.35;
/// Slope of the lava level beyond the lava front, in basin depths per radius.
const FALL: f32 = 3.0;
/// Thickness of the lava, in basin depths, from which the lava has its full darkness.
const THICK: f32 = 0.3;
/// Height above the lava up to which terrain is darkened, in basin depths. `AT_SHORE` is the darkness at the shore.
const DUSTED: f32 = 0.1;
const AT_SHORE: f32 = 0.25;
/// Fraction of the relief below the lava that still shows on the surface of the lava.
const SETTLED: f32 = 0.03;
/// Height of wrinkle ridges, in basin depths. `RIDGE_VALUES` is the absolute noise value below which ridges form.
/// `RIDGES` is the distance between ridges in basin radii.
const RIDGE: f32 = 0.04;
const RIDGE_VALUES: f32 = 0.07;
const RIDGES: f32 = 0.6;

/// 32 random bits of a lattice point.
#[inline(always)]
fn lattice_bits(seed: u32, [x, y, z]: [i32; 3]) -> u32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (y as u32).wrapping_mul(0x85eb_ca77)
        ^ (z as u32).wrapping_mul(0xc2b2_ae3d)
        ^ seed;
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

/// Value noise with a wavelength of 1, from -1 to 1.
fn value_noise(seed: u32, p: [f32; 3]) -> f32 {
    let low = p.map(libm::floorf);
    let cell = low.map(|x| x as i32);
    let [u, v, w] = [0, 1, 2].map(|k| {
        let t = p[k] - low[k];
        t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    });
    let corner = |c: usize| {
        let at = [0, 1, 2].map(|k| cell[k].wrapping_add((c >> k & 1) as i32));
        (lattice_bits(seed, at) >> 8) as f32 * (2.0 / 16_777_215.0) - 1.0
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let layer = |c: usize| mix(mix(corner(c), corner(c + 1), u), mix(corner(c + 2), corner(c + 3), u), v);
    mix(layer(0), layer(4), w)
}

/// A sum of octaves of [`value_noise`], about -1 to 1. Each octave has half the wavelength of the previous one. `at`
/// and `widest` are in basin radii.
fn octaves(seed: u32, at: [f32; 3], widest: f32, count: u32) -> f32 {
    let (mut sum, mut amplitude) = (0.0, 1.25 * (1.0 - ROUGHNESS));
    let mut place = at.map(|x| x / widest);
    for k in 0..count {
        sum += amplitude * value_noise(seed.wrapping_add(k.wrapping_mul(0x9e37_79b9)), place.map(|x| x + 0.37));
        amplitude *= ROUGHNESS;
        // Every octave is rotated, so that the lattice directions do not show.
        let [x, y, z] = place;
        place = [0.8 * y + 0.6 * z, 0.36 * y - 0.8 * x - 0.48 * z, 0.64 * z - 0.6 * x - 0.48 * y].map(|x| 2.0 * x);
    }
    sum
}

/// The terrain at a point after a flood: its height, and its darkness from 0 to 1.
pub struct FloodedGround {
    pub height: f32,
    pub dark: f32,
}

/// The random seed of a basin's lava.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mare {
    pub seed: u32,
}

impl Mare {
    /// Extra height of the basin's floor at the point `at`, in basin depths. `at` is the vector from the basin's
    /// centre, in radii, and `distance` is its length.
    pub fn unevenness(self, at: [f32; 3], distance: f32) -> f32 {
        let fade = 1.0 - smooth(1.0, 1.7, distance);
        if fade <= 0.0 {
            return 0.0;
        }
        let most = FLOOR[0] + (FLOOR[1] - FLOOR[0]) * smooth(0.3, 0.9, distance);
        most * fade * octaves(self.seed, at, WIDEST, OCTAVES)
    }

    /// Terrain at a point after a flood to `level` in a basin of depth `depth`; `h` is the height before the flood.
    pub fn flooded(self, at: [f32; 3], distance: f32, (level, depth): (f32, f32), h: f32) -> FloodedGround {
        if distance >= FLOOD_REACH || depth <= 0.0 {
            return FloodedGround { height: h, dark: 0.0 };
        }
        let front = 1.0 + FRONT * octaves(self.seed ^ 0x51ed, at, WIDEST, 4);
        let beyond = distance - front;
        let level = level - if beyond > 0.0 { FALL * depth * beyond } else { 0.0 };
        let over = (level - h) / depth;
        if over <= -DUSTED {
            return FloodedGround { height: h, dark: 0.0 };
        }
        let fields = octaves(self.seed ^ 0xf1e1d, at, 0.8, 4);
        let tone = 1.0 - 0.35 * smooth(-0.1, 0.3, fields);
        if over <= 0.0 {
            let near = 1.0 + over / DUSTED;
            return FloodedGround { height: h, dark: tone * AT_SHORE * near * near };
        }
        let dark = tone * (AT_SHORE + (1.0 - AT_SHORE) * smooth(0.0, THICK, over));
        let ridges = octaves(self.seed ^ 0x21d6e, at, RIDGES, 3).abs();
        let ridge = RIDGE * (1.0 - smooth(0.0, RIDGE_VALUES, ridges)) * smooth(0.0, 0.1, over);
        FloodedGround { height: level + depth * (ridge - SETTLED * over), dark }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a smooth round bowl the lava is level, and its shore is longer than a circle of the same area.
    #[test]
    fn the_shore_has_bays_and_the_lava_is_level() {
        let mare = Mare { seed: 9 };
        let n = 400;
        let (mut inside, mut turns, mut heights, mut tones) = (0, 0, Vec::new(), Vec::new());
        let mut row_before = vec![false; n];
        for i in 0..n {
            let mut before = false;
            for (j, above) in row_before.iter_mut().enumerate() {
                let at = [i, j].map(|k| (k as f32 / (n - 1) as f32 - 0.5) * 3.0);
                let distance = (at[0] * at[0] + at[1] * at[1]).sqrt();
                let place = [at[0], at[1], 0.0];
                // The terrain is a bowl of depth 1 with a rim at height 0.2 and plains at 0.
                let bowl = if distance < 1.0 { 1.2 * distance * distance - 1.0 } else { 0.2 / (distance * distance) };
                let h = bowl + mare.unevenness(place, distance);
                let made = mare.flooded(place, distance, (-0.3, 1.0), h);
                assert!((0.0..=1.0).contains(&made.dark) && made.height >= h - 1e-6);
                let wet = made.height > h;
                turns += usize::from(wet != before) + usize::from(wet != *above);
                inside += usize::from(wet);
                if wet && distance < 0.4 {
                    heights.push(made.height);
                    tones.push(made.dark);
                }
                (before, *above) = (wet, wet);
            }
        }
        // A circle with the same area as the lava crosses the rows and columns of a grid 8 r times, with r its radius
        // in samples.
        let circle = 8.0 * (inside as f64 / std::f64::consts::PI).sqrt();
        let longer = turns as f64 / circle;
        assert!(longer > 1.25 && longer < 6.0, "the shore is {longer} times as long as a circle");
        heights.sort_by(f32::total_cmp);
        let (low, high) = (heights[heights.len() / 20], heights[heights.len() * 19 / 20]);
        assert!(high - low < 0.1, "{low} to {high} of a depth of 1");
        let (least, most) = tones.iter().fold((f32::MAX, 0.0f32), |(a, b), &t| (a.min(t), b.max(t)));
        assert!(most - least > 0.15, "fields of lava are {least} to {most} dark");
    }

    #[test]
    fn noise_is_the_same_across_cells_and_within_one() {
        for k in 0..3000 {
            let at = [0.013 * k as f32 - 20.0, 0.7 - 0.0071 * k as f32, 0.3];
            let (here, aside) = (octaves(3, at, 0.5, 5), octaves(3, [at[0] + 1e-4, at[1], at[2]], 0.5, 5));
            assert!(here.abs() <= 1.25 && (here - aside).abs() < 0.02, "{here} {aside}");
        }
    }
}
