//! Packed textures with their smaller versions, ready to be uploaded.

use rayon::prelude::*;

use crate::nodes::{Cancelled, Control};

/// A square texture and its mip levels, each half the size of the one before; texels as bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Mips {
    pub levels: Vec<Mip>,
    pub texel_bytes: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Mip {
    pub size: usize,
    pub bytes: Vec<u8>,
}

impl Mips {
    /// Packs `texels`, a square of side `size`, and averages of 2 × 2 texels down to a single one.
    pub fn new<const C: usize, const N: usize>(
        size: usize,
        texels: Vec<[f32; C]>,
        pack: impl Fn([f32; C]) -> [u8; N] + Sync,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut levels = Vec::new();
        let (mut size, mut texels) = (size, texels);
        loop {
            levels.push(Mip { size, bytes: packed(size, &texels, &pack, control)? });
            if size == 1 {
                return Ok(Self { levels, texel_bytes: N });
            }
            texels = halved(size, &texels, control)?;
            size /= 2;
        }
    }

    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|mip| mip.bytes.len()).sum()
    }
}

/// The bytes of a square of texels.
pub fn packed<const C: usize, const N: usize>(
    size: usize,
    texels: &[[f32; C]],
    pack: impl Fn([f32; C]) -> [u8; N] + Sync,
    control: &Control,
) -> Result<Vec<u8>, Cancelled> {
    let mut bytes = vec![0; texels.len() * N];
    bytes.par_chunks_mut(size * N).zip(texels.par_chunks(size)).try_for_each(|(packed, row)| {
        control.check()?;
        for (out, texel) in packed.as_chunks_mut::<N>().0.iter_mut().zip(row) {
            *out = pack(*texel);
        }
        Ok(())
    })?;
    Ok(bytes)
}

/// Averages of 2 × 2 texels. Of an odd side the last row and column are left out, as graphics cards have it.
fn halved<const C: usize>(size: usize, texels: &[[f32; C]], control: &Control) -> Result<Vec<[f32; C]>, Cancelled> {
    let half = size / 2;
    let mut out = vec![[0.0; C]; half * half];
    out.par_chunks_mut(half).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        let (top, bottom) = (&texels[2 * i * size..], &texels[(2 * i + 1) * size..]);
        for (j, texel) in row.iter_mut().enumerate() {
            let mean = |k: usize| 0.25 * (top[2 * j][k] + top[2 * j + 1][k] + bottom[2 * j][k] + bottom[2 * j + 1][k]);
            *texel = std::array::from_fn(mean);
        }
        Ok(())
    })?;
    Ok(out)
}

/// Two numbers as IEEE half precision, little-endian. Tiny values become 0, huge ones 65504.
pub fn halves([x, y]: [f32; 2]) -> [u8; 4] {
    let ([a, b], [c, d]) = (half(x).to_le_bytes(), half(y).to_le_bytes());
    [a, b, c, d]
}

/// One number as IEEE half precision, little-endian.
pub fn half_bytes([x]: [f32; 1]) -> [u8; 2] {
    half(x).to_le_bytes()
}

/// Two numbers from 0 to 1 as bytes.
pub fn unit_bytes([x, y]: [f32; 2]) -> [u8; 2] {
    [x, y].map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// IEEE half precision. Tiny values become 0, huge ones 65504.
pub fn half(x: f32) -> u16 {
    let sign = ((x.to_bits() >> 16) & 0x8000) as u16;
    let magnitude = x.abs().min(65_504.0);
    if magnitude < 6.2e-5 {
        return sign;
    }
    // from exponent bias 127 to 15, rounding the 13 bits that fall away
    sign | ((magnitude.to_bits() - (112 << 23) + (1 << 12)) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision() {
        let cases = [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (0.5, 0x3800), (65_504.0, 0x7bff), (1e9, 0x7bff)];
        for (x, bits) in cases {
            assert_eq!(half(x), bits, "{x}");
        }
        assert_eq!(half(f32::NAN), 0x7bff);
        assert_eq!(half(0.1), 0x2e66);
    }

    #[test]
    fn each_level_is_the_average_of_the_one_before() {
        for size in [1, 2, 5, 8] {
            let mips = Mips::new(size, vec![[0.25, 1.0]; size * size], unit_bytes, &Control::default()).unwrap();
            assert_eq!(mips.levels.last().unwrap().size, 1);
            assert!(mips.levels.iter().all(|mip| mip.bytes.as_chunks::<2>().0.iter().all(|t| *t == [64, 255])));
        }
    }
}
