//! Random values that depend on a position, and never on the order of the calls.

/// A stream of random values addressed by lattice position: the same position gives the same value at any resolution
/// and with any number of threads. The bits are mixed by the finaliser of SplitMix64 (Steele et al. 2014).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Stream {
    /// The random stream of one layer in a scene.
    pub fn new(scene_seed: u32, layer_seed: u32) -> Self {
        Self(mix(u64::from(scene_seed) << 32 | u64::from(layer_seed)).wrapping_add(GOLDEN))
    }

    /// An independent stream for one octave or level; `salt` is its number.
    pub fn fork(self, salt: u64) -> Self {
        Self(mix(self.0 ^ mix(salt.wrapping_add(GOLDEN))).wrapping_add(GOLDEN))
    }

    /// 64 random bits that belong to the lattice position (x, y).
    #[inline(always)]
    pub fn bits(self, x: i32, y: i32) -> u64 {
        let place = (x as u32 as u64) << 32 | y as u32 as u64;
        mix(self.0 ^ mix(place.wrapping_add(GOLDEN)))
    }

    /// A uniformly distributed value in [0, 1), which is a multiple of 2^-24.
    #[inline(always)]
    pub fn unit(self, x: i32, y: i32) -> f32 {
        (self.bits(x, y) >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// A uniformly distributed value in [-1, 1).
    #[inline(always)]
    pub fn signed(self, x: i32, y: i32) -> f32 {
        self.unit(x, y) * 2.0 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These bits must never change, or old scenes would change.
    #[test]
    fn random_numbers_match_golden_values() {
        let stream = Stream::new(7, 3);
        let drawn = [stream.bits(0, 0), stream.bits(1, 0), stream.bits(0, 1), stream.fork(5).bits(-1, -1)];
        assert_eq!(drawn, GOLDEN_BITS, "{drawn:#x?}");
    }
    const GOLDEN_BITS: [u64; 4] =
        [0x8031_4f90_8146_5d3f, 0x372a_7568_1662_f542, 0xbf69_9829_7bc8_05e1, 0xcfb6_12f4_fc3c_57cb];

    #[test]
    fn random_numbers_are_uniform_over_a_patch() {
        let stream = Stream::new(1, 2);
        let mut bins = [0u32; 16];
        for y in 0..256 {
            for x in 0..256 {
                bins[(stream.unit(x, y) * 16.0) as usize] += 1;
            }
        }
        // The test draws 65536 values into 16 bins. Chi-squared with 15 degrees of freedom exceeds 37.7 with a
        // probability of 0.1 %.
        let chi: f64 = bins.iter().map(|&b| f64::from(b) - 4096.0).map(|d| d * d / 4096.0).sum();
        assert!(chi < 37.7, "{chi}");
    }
}
