//! Heights resampled to the pixels of a picture, and coarser levels for tracing rays over long distances.

use rayon::prelude::*;

use crate::field::{Cancelled, Control, Terrain, catmull_rom_weights, heights_over_void};
use crate::scene::Settings;

/// Values at the pixels of a picture, row by row from the north-west corner.
#[derive(Clone, Debug)]
pub struct PixelGrid {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Values row by row from the north, `width` × `height`.
    pub values: Vec<f32>,
}

impl PixelGrid {
    /// A raster whose pixel (x, y) has the value `value(x, y)`; x is to the east, y to the south.
    pub fn from_fn(width: usize, height: usize, value: impl Fn(usize, usize) -> f32 + Sync) -> Self {
        let mut values = vec![0.0; width * height];
        values.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            row.iter_mut().enumerate().for_each(|(x, v)| *v = value(x, y));
        });
        Self { width, height, values }
    }

    /// Like [`from_fn`](Self::from_fn), but checks `control` for cancellation once per row.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn made(
        width: usize,
        height: usize,
        control: &Control,
        value: impl Fn(usize, usize) -> f32 + Sync,
    ) -> Result<Self, Cancelled> {
        Self::of_rows(width, height, control, |y, row| {
            row.iter_mut().enumerate().for_each(|(x, v)| *v = value(x, y));
        })
    }

    /// A raster whose rows `fill` computes; checks `control` for cancellation once per row.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn of_rows(
        width: usize,
        height: usize,
        control: &Control,
        fill: impl Fn(usize, &mut [f32]) + Sync,
    ) -> Result<Self, Cancelled> {
        let mut values = vec![0.0; width * height];
        values.par_chunks_mut(width).enumerate().try_for_each(|(y, row)| {
            control.check()?;
            fill(y, row);
            Ok(())
        })?;
        Ok(Self { width, height, values })
    }

    /// The heights at every pixel. If the terrain is finer than the picture, a pixel is the mean height over the
    /// pixel's area. If the terrain is coarser, the samples are interpolated by a Catmull-Rom surface, so that shading
    /// is smooth.
    ///
    /// The longer side of the picture spans the terrain; a picture that is not square shows the middle of the terrain.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn of_heights(terrain: &Terrain, width: usize, height: usize, control: &Control) -> Result<Self, Cancelled> {
        let last = (terrain.samples() - 1) as f32;
        let cells = last / width.max(height) as f32;
        let at = |pixel: f32, side: usize| last * 0.5 + (pixel - side as f32 * 0.5) * cells;
        if cells <= 1.0 {
            return Self::made(width, height, control, |x, y| {
                smooth(terrain, at(x as f32 + 0.5, width), at(y as f32 + 0.5, height))
            });
        }
        let fine = cells.ceil() as usize;
        let part = 1.0 / fine as f32;
        Self::made(width, height, control, |x, y| {
            let mut sum = 0.0;
            for b in 0..fine {
                for a in 0..fine {
                    let (px, py) = (x as f32 + (a as f32 + 0.5) * part, y as f32 + (b as f32 + 0.5) * part);
                    sum += terrain.height_at(at(px, width) / last, at(py, height) / last);
                }
            }
            sum * part * part
        })
    }

    /// The value at pixel (x, y). Outside the picture, the value of the nearest pixel.
    pub fn get(&self, x: isize, y: isize) -> f32 {
        let (x, y) = (x.clamp(0, self.width as isize - 1), y.clamp(0, self.height as isize - 1));
        self.values[y as usize * self.width + x as usize]
    }

    /// Height differences per pixel to the east and to the south.
    pub fn gradient(&self, x: usize, y: usize) -> (f32, f32) {
        let (x, y) = (x as isize, y as isize);
        let span = |at: isize, side: usize| if (at == 0) | (at + 1 == side as isize) { 1.0 } else { 0.5 };
        let dx = (self.get(x + 1, y) - self.get(x - 1, y)) * span(x, self.width);
        let dy = (self.get(x, y + 1) - self.get(x, y - 1)) * span(y, self.height);
        (dx, dy)
    }

    fn halved(&self) -> Self {
        Self::from_fn(self.width.div_ceil(2), self.height.div_ceil(2), |x, y| {
            let (x, y) = (2 * x as isize, 2 * y as isize);
            0.25 * (self.get(x, y) + self.get(x + 1, y) + self.get(x, y + 1) + self.get(x + 1, y + 1))
        })
    }
}

/// Catmull-Rom interpolation at column `x`, row `y`. Beyond its edges the terrain continues at the height of the edge.
fn smooth(terrain: &Terrain, x: f32, y: f32) -> f32 {
    let n = terrain.samples();
    let (j, i) = ((x.max(0.0) as usize).min(n - 2), (y.max(0.0) as usize).min(n - 2));
    let (wx, wy) = (x - j as f32, y - i as f32);
    let [wx, wy] = [wx, wy].map(|t| catmull_rom_weights(t.clamp(0.0, 1.0)));
    let tap = |index: usize, k: usize| (index + k).saturating_sub(1).min(n - 1);
    let mut sum = 0.0;
    for (b, weight) in wy.iter().enumerate() {
        let row = terrain.grid.row(&terrain.height, tap(i, b));
        sum += weight * wx.iter().enumerate().map(|(a, w)| w * row[tap(j, a)]).sum::<f32>();
    }
    sum
}

/// A raster with successively coarser levels of means. A ray reads coarser levels with growing distance, so each
/// reading is a mean over a wider area.
pub struct Pyramid {
    levels: Vec<PixelGrid>,
}

impl Pyramid {
    /// Creates the levels by halving `base` again and again, down to a single pixel.
    pub fn new(base: PixelGrid) -> Self {
        let mut levels = vec![base];
        while let Some(last) = levels.last().filter(|l| l.width.max(l.height) > 4) {
            levels.push(last.halved());
        }
        Self { levels }
    }

    /// The heights of a square terrain in cell widths, and the highest of them. Over voids, the surface is that of
    /// [`heights_over_void`].
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn of_cell_heights(
        terrain: &Terrain,
        settings: &Settings,
        control: &Control,
    ) -> Result<(Self, f32), Cancelled> {
        let n = terrain.samples();
        let filled = heights_over_void(terrain);
        let heights = filled.as_ref().unwrap_or(&terrain.height);
        let scale = settings.relief_over_size() / terrain.grid.cell();
        let surface = PixelGrid::made(n, n, control, |x, y| heights[y * n + x] * scale)?;
        let peak = surface.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Ok((Self::new(surface), peak))
    }

    /// The finest level.
    pub fn base(&self) -> &PixelGrid {
        &self.levels[0]
    }

    /// The means over about 2^`level` pixels, and the number of their pixels per pixel of the base. Levels coarser than
    /// the coarsest are the coarsest.
    pub fn level(&self, level: usize) -> (&PixelGrid, f32) {
        let level = level.min(self.levels.len() - 1);
        (&self.levels[level], 1.0 / (1u32 << level) as f32)
    }

    /// The row or column of a level at row or column `base` of the base.
    #[inline(always)]
    pub fn place(base: f32, scale: f32) -> f32 {
        let place = (base + 0.5) * scale - 0.5;
        if place > 0.0 { place } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    impl Pyramid {
        /// The mean over about 2^`level` pixels around (x, y), interpolated bilinearly; `None` outside the picture.
        pub fn sample(&self, level: usize, x: f32, y: f32) -> Option<f32> {
            let base = self.base();
            if !(x >= 0.0 && y >= 0.0 && x <= (base.width - 1) as f32 && y <= (base.height - 1) as f32) {
                return None;
            }
            let (raster, scale) = self.level(level);
            let (x, y) = (Self::place(x, scale), Self::place(y, scale));
            let (j, i) = (x as isize, y as isize);
            let (fx, fy) = (x - j as f32, y - i as f32);
            let side = |i: isize| raster.get(j, i) + (raster.get(j + 1, i) - raster.get(j, i)) * fx;
            Some(side(i) + (side(i + 1) - side(i)) * fy)
        }
    }

    #[test]
    fn a_plane_stays_a_plane_at_any_size() {
        let plane = Terrain::from_fn(65, Edges::Open, |u, v| 2.0 * u - v);
        for (width, height) in [(16, 16), (64, 64), (200, 200), (100, 40), (40, 100), (1, 1)] {
            let raster = PixelGrid::of_heights(&plane, width, height, &Control::default()).unwrap();
            let side = width.max(height) as f32;
            for y in 0..height {
                for x in 0..width {
                    let u = 0.5 + (x as f32 + 0.5 - width as f32 * 0.5) / side;
                    let v = 0.5 + (y as f32 + 0.5 - height as f32 * 0.5) / side;
                    let edge = 0.03; // beyond the outermost samples the interpolated surface is level
                    assert!((raster.values[y * width + x] - (2.0 * u - v)).abs() < edge, "{width}×{height} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn the_mean_survives_shrinking_and_the_pyramid() {
        let checks = Terrain::from_fn(129, Edges::Open, |u, v| f32::from(((u + v) * 128.0 + 0.5) as u8 % 2));
        let raster = PixelGrid::of_heights(&checks, 16, 16, &Control::default()).unwrap();
        assert!(raster.values.iter().all(|h| (h - 0.5).abs() < 0.05), "{:?}", raster.values);
        let pyramid = Pyramid::new(PixelGrid::from_fn(37, 19, |x, _| x as f32));
        assert_eq!(pyramid.sample(0, 12.0, 7.0), Some(12.0));
        assert!((pyramid.sample(2, 12.0, 7.0).unwrap() - 12.0).abs() < 0.01);
        assert_eq!(pyramid.sample(0, 36.5, 7.0), None);
    }
}
