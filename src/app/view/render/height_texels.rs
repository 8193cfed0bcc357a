//! Heights of a square as stored in its texture: 16 bits per sample, with a separate range for each run of samples in a
//! row.
//!
//! A row of the texture holds its samples first, then one 16-bit value for every run of [`RUN`] samples. Twelve bits of
//! this value are the lower end of the run's range, as a fraction of the range of the whole terrain. The other 4 bits
//! say how often the terrain's range is halved to get the run's range. `height_at` in assets/shaders/common.wgsl reads
//! these values. On a terrain 3,000 m high, the height steps are 3 mm in a run whose range is a sixteenth of the
//! terrain's range.

use rayon::prelude::*;

use talweg::field::{Cancelled, Control, Region};

/// Number of consecutive samples in a row that share a height range.
const RUN: usize = 64;

/// The texels of all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightTexels {
    samples: usize,
    /// Lowest and highest height of the terrain.
    range: (f32, f32),
    words: Vec<u16>,
}

impl HeightTexels {
    /// Packs the heights of a square with this many samples per side; `range` holds its lowest and highest height.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn new(samples: usize, heights: &[f32], range: (f32, f32), control: &Control) -> Result<Self, Cancelled> {
        let mut own = Self { samples, range, words: vec![0; samples * columns(samples)] };
        own.write(heights, 0..samples, control)?;
        Ok(own)
    }

    /// The texels for new heights, which differ from the packed heights only within a region.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn renewed(
        &self,
        heights: &[f32],
        range: (f32, f32),
        region: &Region,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        if range != self.range {
            return Self::new(self.samples, heights, range, control);
        }
        let mut own = self.clone();
        own.write(heights, region.rows.clone(), control)?;
        Ok(own)
    }

    fn write(&mut self, heights: &[f32], rows: std::ops::Range<usize>, control: &Control) -> Result<(), Cancelled> {
        let (n, (low, high)) = (self.samples, self.range);
        let scale = if high > low { (high - low).recip() } else { 0.0 };
        let words = &mut self.words[rows.start * columns(n)..rows.end * columns(n)];
        let heights = &heights[rows.start * n..rows.end * n];
        words.par_chunks_mut(columns(n)).zip(heights.par_chunks(n)).try_for_each(|(words, heights)| {
            control.check()?;
            let (words, ranges) = words.split_at_mut(n);
            for ((words, heights), range) in words.chunks_mut(RUN).zip(heights.chunks(RUN)).zip(ranges) {
                *range = pack_run(heights, (low, scale), words);
            }
            Ok(())
        })
    }

    /// Number of texels per row.
    pub fn columns(&self) -> usize {
        columns(self.samples)
    }

    pub fn rows(&self) -> usize {
        self.samples
    }

    /// The bytes of all texels, row by row.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }
}

fn columns(samples: usize) -> usize {
    samples + samples.div_ceil(RUN)
}

/// Packs the heights of a run into 16-bit words and returns the run's encoded range.
fn pack_run(heights: &[f32], (low, scale): (f32, f32), words: &mut [u16]) -> u16 {
    let share = |height: f32| ((height - low) * scale).clamp(0.0, 1.0);
    let (least, most) = heights
        .iter()
        .fold((1.0f32, 0.0f32), |(least, most), height| (least.min(share(*height)), most.max(share(*height))));
    let begin = (least * 4096.0).min(4095.0) as u16;
    let base = f32::from(begin) / 4096.0;
    let mut halvings = 0u16;
    while halvings < 15 && most - base < 0.5f32.powi(i32::from(halvings) + 1) {
        halvings += 1;
    }
    let steps = 65535.0 * 2.0f32.powi(i32::from(halvings));
    for (word, height) in words.iter_mut().zip(heights) {
        *word = ((share(*height) - base) * steps + 0.5) as u16;
    }
    begin << 4 | halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height as `height_at` computes it, as a fraction of the relief.
    fn unpacked(texels: &HeightTexels, i: usize, j: usize) -> f32 {
        let row = &texels.words[i * texels.columns()..];
        let range = row[texels.samples + j / RUN];
        let share = f32::from(range >> 4) / 4096.0 + f32::from(row[j]) / 65535.0 * 0.5f32.powi(i32::from(range & 15));
        texels.range.0 + (texels.range.1 - texels.range.0) * share
    }

    fn greatest_error(n: usize, heights: &[f32], range: (f32, f32)) -> f32 {
        let texels = HeightTexels::new(n, heights, range, &Control::default()).unwrap();
        (0..n * n).map(|k| (unpacked(&texels, k / n, k % n) - heights[k]).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn smooth_terrain_is_finer_than_16_bits_of_its_range() {
        let n = 193;
        let slope: Vec<f32> = (0..n * n).map(|k| -0.2 + (k / n) as f32 / (n - 1) as f32 * 1.5).collect();
        let step = 1.5 / 65535.0;
        assert!(greatest_error(n, &slope, (-0.2, 1.3)) < step / 100.0, "level along its rows");
        let hills: Vec<f32> = (0..n * n).map(|k| 0.5 + 0.5 * ((k % n) as f32 * 0.02).sin()).collect();
        assert!(greatest_error(n, &hills, (0.0, 1.0)) < 0.6 / 65535.0);
        let noise: Vec<f32> = (0..n * n).map(|k| (k * 7919 % 10007) as f32 / 10006.0).collect();
        assert!(greatest_error(n, &noise, (0.0, 1.0)) < 0.6 / 65535.0, "as rough as can be");
    }

    #[test]
    fn flat_and_extreme_heights_are_packed() {
        assert_eq!(greatest_error(65, &vec![0.37; 65 * 65], (0.37, 0.37)), 0.0);
        let odd = [f32::NAN, f32::INFINITY, -1e30, 1e30];
        let heights: Vec<f32> = (0..81).map(|k| odd[k % 4]).collect();
        assert!(HeightTexels::new(9, &heights, (f32::MAX, f32::MIN), &Control::default()).is_ok());
        assert!(HeightTexels::new(9, &heights, (-1e30, 1e30), &Control::default()).is_ok());
    }

    #[test]
    fn an_updated_region_equals_a_full_packing() {
        let n = 130;
        let before: Vec<f32> = (0..n * n).map(|k| (k % 97) as f32 / 96.0).collect();
        let mut after = before.clone();
        let region = Region { rows: 20..40, columns: 50..90 };
        region.rows.clone().for_each(|i| region.columns.clone().for_each(|j| after[i * n + j] = 0.25));
        let old = HeightTexels::new(n, &before, (0.0, 1.0), &Control::default()).unwrap();
        for range in [(0.0, 1.0), (-0.5, 1.0)] {
            let new = old.renewed(&after, range, &region, &Control::default()).unwrap();
            assert_eq!(new, HeightTexels::new(n, &after, range, &Control::default()).unwrap());
        }
    }
}
