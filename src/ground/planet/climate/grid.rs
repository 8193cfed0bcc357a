//! A coarse grid over a terrain or a planet, on which the climate is computed.

use rayon::prelude::*;

use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// Values on a grid of `width` × `height` cells. The grid covers a flat terrain, or the longitudes and latitudes of a
/// planet.
#[derive(Clone, Debug)]
pub struct ClimateGrid {
    /// Number of values per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Whether the columns wrap around, as longitudes do. The first and last column are then half a cell from the
    /// border.
    pub round: bool,
    /// The values, row by row from the north-west corner.
    pub values: Vec<f32>,
}

impl ClimateGrid {
    /// A grid whose values are a function of row and column.
    pub fn from_fn(width: usize, height: usize, round: bool, value: impl Fn(usize, usize) -> f32 + Sync) -> Self {
        let mut values = vec![0.0; width * height];
        values.par_chunks_mut(width).enumerate().for_each(|(i, row)| {
            row.iter_mut().enumerate().for_each(|(j, out)| *out = value(i, j));
        });
        Self { width, height, round, values }
    }

    /// A grid of the same shape with other values.
    pub fn map(&self, value: impl Fn(usize, usize) -> f32 + Sync) -> Self {
        Self::from_fn(self.width, self.height, self.round, value)
    }

    /// The values of one row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    /// Latitude of a row of a planet's grid, in radians; rows run from north to south.
    pub fn latitude(&self, row: usize) -> f32 {
        FRAC_PI_2 - (row as f32 + 0.5) * PI / self.height as f32
    }

    /// Bilinearly interpolated value at column `x`, row `y`; clamped beyond the first and last row and column.
    #[inline]
    fn value(&self, x: f32, y: f32) -> f32 {
        let hold = |place: f32, last: usize| {
            let place = if place > 0.0 { place } else { 0.0 };
            if place < last as f32 { place } else { last as f32 }
        };
        let y = hold(y, self.height - 1);
        let i = (y as usize).min(self.height - 2);
        let (j, right, part) = if self.round {
            let x = if x < 0.0 { x + self.width as f32 } else { x };
            let j = (x as usize).min(self.width - 1);
            (j, if j + 1 == self.width { 0 } else { j + 1 }, x - j as f32)
        } else {
            let x = hold(x, self.width - 1);
            let j = (x as usize).min(self.width - 2);
            (j, j + 1, x - j as f32)
        };
        let (top, bottom) = (&self.values[i * self.width..], &self.values[(i + 1) * self.width..]);
        let a = top[j] + (top[right] - top[j]) * part;
        let b = bottom[j] + (bottom[right] - bottom[j]) * part;
        a + (b - a) * (y - i as f32)
    }

    /// Value at a position on a flat terrain, both coordinates from 0 to 1.
    #[inline]
    pub fn at_place(&self, u: f32, v: f32) -> f32 {
        self.value(u * (self.width - 1) as f32, v * (self.height - 1) as f32)
    }

    /// Value at a longitude and a latitude, both in radians, by bilinear interpolation.
    #[inline]
    pub fn at_angles(&self, longitude: f32, latitude: f32) -> f32 {
        let x = (longitude + PI) * (self.width as f32 / TAU) - 0.5;
        self.value(x, (FRAC_PI_2 - latitude) * (self.height as f32 / PI) - 0.5)
    }

    /// The grid blurred with a radius of about `radius` cells: three passes of a box filter along each axis.
    pub fn blurred(&self, radius: usize) -> Self {
        let mut from = self.clone();
        for _ in 0..3 {
            let (w, h, r) = (self.width as isize, self.height as isize, radius as isize);
            let share = 1.0 / (2 * r + 1) as f32;
            let column = |j: isize| if self.round { j.rem_euclid(w) } else { j.clamp(0, w - 1) } as usize;
            let across = from.map(|i, j| (-r..=r).map(|d| from.row(i)[column(j as isize + d)]).sum::<f32>() * share);
            let line = |i: isize| i.clamp(0, h - 1) as usize;
            from = from.map(|i, j| (-r..=r).map(|d| across.row(line(i as isize + d))[j]).sum::<f32>() * share);
        }
        from
    }
}
