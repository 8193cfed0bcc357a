//! Drainage areas as whole numbers, whose sums are the same in any order and are never rounded.

use std::ops::AddAssign;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// Number of units in a cell of the mean area. The largest possible sum is 2⁶² units: all cells of the largest terrain,
/// each with the rain [`MOST_RAIN`].
const UNITS: f64 = (1 << 20) as f64;
/// Upper limit of the rain, as a multiple of the mean rain.
const MOST_RAIN: f32 = 1024.0;

/// Drainage area of a cell, in units of 2⁻²⁰ cells. The number is stored as two halves, low and high, so that a list of
/// areas can be converted in place to single precision ([`into_cells`](Self::into_cells)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct DrainedArea([u32; 2]);

impl DrainedArea {
    /// An area of `units` units, each 2⁻²⁰ of a mean cell.
    #[inline]
    pub fn of_units(units: u64) -> Self {
        Self([units as u32, (units >> 32) as u32])
    }

    /// An area of `cells` cells of the mean area, rounded to units.
    #[inline]
    pub fn of_cells(cells: f32) -> Self {
        Self::of_units((f64::from(cells) * UNITS + 0.5) as u64)
    }

    /// Area of a cell weighted by `rain`, a multiple of the mean rain that is clamped to 0 … 1024.
    #[inline]
    pub fn under_rain(cell: f32, rain: f32) -> Self {
        let falling = if rain > 0.0 { rain.min(MOST_RAIN) } else { 0.0 };
        Self::of_cells(cell * falling)
    }

    /// The area in units of 2⁻²⁰ cells.
    #[inline]
    pub fn units(self) -> u64 {
        u64::from(self.0[0]) | u64::from(self.0[1]) << 32
    }

    /// The area in cells of the mean area.
    #[inline]
    pub fn cells(self) -> f32 {
        // The number of units fits into a signed integer, which a single instruction converts to floating point.
        (self.units() as i64 as f64 * (1.0 / UNITS)) as f32
    }

    /// Splits the area into two parts, of which the second is the fraction `share` of the area; `share` is from 0 to 1.
    #[inline]
    pub fn divided(self, share: f32) -> [Self; 2] {
        let units = self.units();
        let aside = (units as i64 as f64 * f64::from(share) + 0.5) as i64 as u64;
        let aside = if aside < units { aside } else { units };
        [Self::of_units(units - aside), Self::of_units(aside)]
    }

    /// Converts the areas to cells of the mean area, which halves the memory.
    pub fn into_cells(areas: Vec<Self>) -> Vec<f32> {
        let count = areas.len();
        let mut words: Vec<u32> = bytemuck::cast_vec::<_, [u32; 2]>(areas).into_flattened();
        // First move the results of each block to the start of the block, then join the results of all blocks.
        words.par_chunks_mut(2 * BLOCK).for_each(|block| {
            for k in 0..block.len() / 2 {
                block[k] = Self([block[2 * k], block[2 * k + 1]]).cells().to_bits();
            }
        });
        for first in (BLOCK..count).step_by(BLOCK) {
            words.copy_within(2 * first..2 * first + BLOCK.min(count - first), first);
        }
        words.truncate(count);
        words.shrink_to_fit();
        bytemuck::cast_vec(words)
    }
}

/// Number of areas that are converted together.
const BLOCK: usize = 1 << 16;

impl AddAssign for DrainedArea {
    #[inline]
    fn add_assign(&mut self, more: Self) {
        *self = Self::of_units(self.units() + more.units());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_of_parts_add_up_to_the_whole_in_any_order() {
        for units in [0, 1, 2, 1 << 20, 3 << 20, (1 << 53) + 1, (1 << 62) - 1] {
            let area = DrainedArea::of_units(units);
            for share in [0.0, 1.0e-9, 0.25, 1.0 / 3.0, 0.999_999_94, 1.0] {
                let [rest, aside] = area.divided(share);
                assert_eq!(rest.units() + aside.units(), units, "{share}");
                let exact = units as f64 * f64::from(share);
                assert!((aside.units() as f64 - exact).abs() <= 0.5 + exact * 1.0e-15, "{units} {share}");
            }
            assert_eq!(area.divided(0.0)[0], area);
        }
        assert_eq!(DrainedArea::of_cells(1.0).cells(), 1.0);
        // Adding one cell to a very large area is exact; single precision would round the sum.
        let mut many = DrainedArea::of_units(1 << 50);
        many += DrainedArea::of_cells(1.0);
        assert_eq!(many.units(), (1 << 50) + (1 << 20));
        let [none, most] = [f32::NAN, f32::INFINITY].map(|rain| DrainedArea::under_rain(2.0, rain).cells());
        assert_eq!((none, most), (0.0, 2048.0));
        assert_eq!(DrainedArea::under_rain(0.5, 3.0).cells(), 1.5);
    }

    #[test]
    fn areas_become_cells_in_their_own_memory() {
        for count in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 77] {
            let areas: Vec<_> =
                (0..count).map(|k| DrainedArea::of_units(k as u64 * 0x1234_5678_9abc % (1 << 50))).collect();
            let expected: Vec<f32> = areas.iter().map(|area| area.cells()).collect();
            assert_eq!(DrainedArea::into_cells(areas), expected);
        }
    }
}
