//! Packed textures with their mip levels, ready for upload.

use rayon::prelude::*;

use talweg::field::Region;
use talweg::field::{Cancelled, Control};

/// A square texture and its mip levels, each half the size of the previous level. Texels are stored as bytes.
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
    /// Packs `texels`, a square of side length `size`. For the mip levels, averages 2 × 2 texels repeatedly down to a
    /// single texel.
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

    /// A copy with recomputed texels in a region. The mip levels of the region are averaged from packed texels, which
    /// is accurate enough for a copy that is shown only briefly.
    pub fn renewed<const C: usize, const N: usize>(
        &self,
        region: &Region,
        texel: impl Fn(usize, usize) -> [f32; C] + Sync,
        (pack, unpack): (impl Fn([f32; C]) -> [u8; N] + Sync, impl Fn([u8; N]) -> [f32; C]),
    ) -> Self {
        let mut mips = self.clone();
        if region.is_empty() {
            return mips;
        }
        let size = mips.levels[0].size;
        let (mut rows, mut columns) = (region.rows.clone(), region.columns.clone());
        let band = &mut mips.levels[0].bytes[rows.start * size * N..rows.end * size * N];
        band.par_chunks_mut(size * N).enumerate().for_each(|(k, row)| {
            for (j, out) in row.as_chunks_mut::<N>().0.iter_mut().enumerate().skip(columns.start).take(columns.len()) {
                *out = pack(texel(rows.start + k, j));
            }
        });
        for level in 1..mips.levels.len() {
            let (fine, coarse) = mips.levels.split_at_mut(level);
            let (fine, coarse) = (&fine[level - 1], &mut coarse[0]);
            rows = rows.start / 2..rows.end.div_ceil(2).min(coarse.size);
            columns = columns.start / 2..columns.end.div_ceil(2).min(coarse.size);
            let (from, to) = (fine.bytes.as_chunks::<N>().0, coarse.bytes.as_chunks_mut::<N>().0);
            for i in rows.clone() {
                for j in columns.clone() {
                    let four = [(0, 0), (0, 1), (1, 0), (1, 1)]
                        .map(|(a, b)| unpack(from[(2 * i + a) * fine.size + 2 * j + b]));
                    to[i * coarse.size + j] =
                        pack(std::array::from_fn(|c| 0.25 * four.iter().map(|t| t[c]).sum::<f32>()));
                }
            }
        }
        mips
    }

    /// Size in bytes of all levels except the `finest` finest levels.
    pub fn bytes_without(&self, finest: usize) -> usize {
        self.levels.iter().skip(finest).map(|mip| mip.bytes.len()).sum()
    }
}

/// Packs a square of texels into bytes.
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

/// Averages of 2 × 2 texels. If the side length is odd, the last row and column are dropped, as on graphics cards.
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

/// Two numbers as IEEE half precision, little-endian. Tiny values become 0; values that are too large become 65504.
pub fn halves([x, y]: [f32; 2]) -> [u8; 4] {
    let ([a, b], [c, d]) = (half(x).to_le_bytes(), half(y).to_le_bytes());
    [a, b, c, d]
}

/// One number as IEEE half precision, little-endian.
pub fn half_bytes([x]: [f32; 1]) -> [u8; 2] {
    half(x).to_le_bytes()
}

/// Numbers from 0 to 1 as bytes.
pub fn unit_bytes<const N: usize>(values: [f32; N]) -> [u8; N] {
    values.map(|value| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// Inverse of [`unit_bytes`].
pub fn from_unit_bytes<const N: usize>(bytes: [u8; N]) -> [f32; N] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

/// Inverse of [`halves`].
pub fn from_halves([a, b, c, d]: [u8; 4]) -> [f32; 2] {
    [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])].map(from_half)
}

pub fn from_half(bits: u16) -> f32 {
    let (sign, magnitude) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
    if magnitude == 0 { f32::from_bits(sign) } else { f32::from_bits(sign | ((magnitude << 13) + (112 << 23))) }
}

/// A number as IEEE half precision. Tiny values become 0; values that are too large become 65504.
pub fn half(x: f32) -> u16 {
    let sign = ((x.to_bits() >> 16) & 0x8000) as u16;
    let magnitude = x.abs().min(65_504.0);
    if magnitude < 6.2e-5 {
        return sign;
    }
    // change the exponent bias from 127 to 15, and round the 13 dropped bits
    sign | ((magnitude.to_bits() - (112 << 23) + (1 << 12)) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_have_their_known_bits() {
        let cases = [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (0.5, 0x3800), (65_504.0, 0x7bff), (1e9, 0x7bff)];
        for (x, bits) in cases {
            assert_eq!(half(x), bits, "{x}");
        }
        assert_eq!(half(f32::NAN), 0x7bff);
        assert_eq!(half(0.1), 0x2e66);
    }

    #[test]
    fn half_floats_convert_back_within_their_precision() {
        for x in [0.0, 1.0, -2.0, 0.1, 1234.5, -0.000_1] {
            assert!((from_half(half(x)) - x).abs() <= 6e-4 * x.abs(), "{x}");
        }
    }

    #[test]
    fn an_updated_region_equals_a_full_rebuild() {
        let size = 37;
        let texel = |by: f32| move |i: usize, j: usize| [0.5 + 0.4 * (by + i as f32 * 0.3).sin(), 0.02 * j as f32];
        let all = |f: &dyn Fn(usize, usize) -> [f32; 2]| -> Vec<[f32; 2]> {
            (0..size * size).map(|k| f(k / size, k % size)).collect()
        };
        let region = Region { rows: 5..21, columns: 30..37 };
        let (old, new) = (texel(0.0), texel(1.0));
        let mixed = |i: usize, j: usize| {
            if region.rows.contains(&i) && region.columns.contains(&j) { new(i, j) } else { old(i, j) }
        };
        let control = Control::default();
        let before = Mips::new(size, all(&old), unit_bytes, &control).unwrap();
        let expected = Mips::new(size, all(&mixed), unit_bytes, &control).unwrap();
        let renewed = before.renewed(&region, new, (unit_bytes, from_unit_bytes));
        assert_eq!(renewed.levels[0], expected.levels[0]);
        for (a, b) in renewed.levels.iter().zip(&expected.levels) {
            assert!(a.bytes.iter().zip(&b.bytes).all(|(a, b)| a.abs_diff(*b) <= 3));
        }
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
