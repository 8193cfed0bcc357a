//! Sorts heights in ascending order, exactly and without comparisons.
//!
//! Scheme: each height is converted to an integer that has the same order as the heights. A stable radix sort orders
//! these integers in three passes of 11 bits each. To find a single height, a selection reads 11 bits at a time and
//! does not sort.

use crate::Context;
use talweg_ground::field::{Cancelled, Grid};

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Number of heights processed between two checks of the stop flag.
const BLOCK: usize = 1 << 16;

/// Converts a height to an integer with the same order: a higher height has a larger integer.
fn key(height: f32) -> u32 {
    let bits = height.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn height_of(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

fn digit(key: u32, pass: u32) -> usize {
    (key >> (pass * DIGIT_BITS)) as usize % DIGITS
}

/// Heights in ascending order, and the rank of each sample in this order.
pub struct HeightOrder {
    pub sorted: Vec<f32>,
    pub rank: Vec<u32>,
}

impl HeightOrder {
    /// Sorts `field`. Equal heights keep their order in the field.
    pub fn new(cx: &Context, field: &[f32]) -> Result<Self, Cancelled> {
        let mut counts = [[0u32; DIGITS]; 3];
        let mut from: Vec<u64> = Vec::with_capacity(field.len());
        for (b, block) in field.chunks(BLOCK).enumerate() {
            cx.control.check()?;
            for (k, &h) in block.iter().enumerate() {
                let key = key(h);
                (0..3).for_each(|pass| counts[pass as usize][digit(key, pass)] += 1);
                from.push(u64::from(key) << 32 | (b * BLOCK + k) as u64);
            }
        }
        let mut to = vec![0u64; field.len()];
        for pass in 0..3 {
            let next = &mut counts[pass as usize];
            let mut sum = 0;
            for count in next.iter_mut() {
                sum += std::mem::replace(count, sum);
            }
            for block in from.chunks(BLOCK) {
                cx.control.check()?;
                for &entry in block {
                    let place = &mut next[digit((entry >> 32) as u32, pass)];
                    to[*place as usize] = entry;
                    *place += 1;
                }
            }
            std::mem::swap(&mut from, &mut to);
        }
        drop(to);
        let (mut sorted, mut rank) = (Vec::with_capacity(field.len()), vec![0; field.len()]);
        for block in from.chunks(BLOCK) {
            cx.control.check()?;
            for &entry in block {
                rank[entry as u32 as usize] = sorted.len() as u32;
                sorted.push(height_of((entry >> 32) as u32));
            }
        }
        Ok(Self { sorted, rank })
    }
}

/// Number of samples that [`nth`] ranks: the distinct samples, and on a globe also the duplicates on face borders.
pub fn count(grid: Grid) -> usize {
    grid.distinct_rows() * grid.distinct_side()
}

/// The height with rank `below`, counted from 0, among the [`count`] samples in ascending order.
pub fn nth(cx: &Context, field: &[f32], below: usize) -> Result<f32, Cancelled> {
    let distinct = cx.grid.distinct_side();
    let (mut found, mut below) = (0u32, below);
    for pass in (0..3).rev() {
        let mut counts = [0usize; DIGITS];
        let known = (pass + 1) * DIGIT_BITS;
        for i in 0..cx.grid.distinct_rows() {
            cx.control.check()?;
            for &h in &cx.grid.row(field, i)[..distinct] {
                let key = key(h);
                if u64::from(key ^ found) >> known == 0 {
                    counts[digit(key, pass)] += 1;
                }
            }
        }
        let mut d = 0;
        while below >= counts[d] {
            below -= counts[d];
            d += 1;
        }
        found |= (d as u32) << (pass * DIGIT_BITS);
    }
    Ok(height_of(found))
}
