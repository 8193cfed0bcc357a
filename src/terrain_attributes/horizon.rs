//! Horizons: the steepest rise of a surface from a pixel in one direction.
//!
//! A ray reads the surface at growing distances, in successively coarser means ([`Pyramid`]). Neighbouring pixels of a
//! row are traced together: in each step all of them read the same two rows of the same level, with the same weights.

use super::raster::{PixelGrid, Pyramid};

/// Number of neighbouring pixels that are traced together.
pub const LANES: usize = 128;
/// A value of each pixel.
pub type Lanes = [f32; LANES];
/// Distance from the pixel to the first reading, in pixels.
const NEAREST: f32 = 1.5;

/// From this number on, 2²³, floats are whole numbers; smaller whole numbers added to it are in the low bits.
const WHOLE: f32 = 8_388_608.0;
const COLUMN_BITS: u32 = (1 << 23) - 1;

/// The direction and the readings of a ray.
#[derive(Clone, Copy)]
pub struct HorizonRay {
    /// The direction to the east and to the south, as a unit vector.
    pub direction: [f32; 2],
    /// Distance of a reading divided by the distance of the previous one.
    pub growth: f32,
    /// Width over which a reading is a mean, divided by its distance.
    pub width: f32,
    /// Slope below which horizons do not matter: the ray ends where no terrain can be above this slope.
    pub least: f32,
}

/// Raises `horizon` to the slope of the horizon at each of the pixels from column `x` of row `y` on. `peak` is the
/// highest value of the surface. The result is undefined for pixels beyond the end of the row.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn raise_horizons(surface: &Pyramid, peak: f32, [x, y]: [usize; 2], ray: &HorizonRay, horizon: &mut Lanes) {
    let base = surface.base();
    let mut here = [peak; LANES];
    here.iter_mut()
        .zip(&base.values[y * base.width + x..(y + 1) * base.width])
        .for_each(|(here, value)| *here = *value);
    let mut from = [0.0; LANES];
    from.iter_mut().enumerate().for_each(|(k, from)| *from = (x + k) as f32);
    let last = [base.width - 1, base.height - 1].map(|last| last as f32);
    let mut is_open = [1u32; LANES];
    let (mut column, mut share) = ([0; LANES], [0.0; LANES]);
    let mut distance = NEAREST;
    loop {
        let mut any = 0;
        for k in 0..LANES {
            let needed = if horizon[k] > ray.least { horizon[k] } else { ray.least };
            is_open[k] &= u32::from((peak - here[k]) / distance > needed);
            any |= is_open[k];
        }
        let [east, south] = ray.direction.map(|part| part * distance);
        let row = y as f32 + south;
        if any == 0 || row < 0.0 || row > last[1] {
            return;
        }
        let (level, scale) = surface.level(level_of(distance * ray.width));
        let end = (level.width - 1) as f32;
        for k in 0..LANES {
            let place = from[k] + east;
            is_open[k] &= u32::from(place >= 0.0 && place <= last[0]);
            let place = Pyramid::place(place, scale);
            let place = if place < end { place } else { end };
            // Sums above 2^23 are whole numbers, in the low bits. A conversion to integers would not vectorise.
            let nearest = place + WHOLE - WHOLE;
            let whole = if nearest > place { nearest - 1.0 } else { nearest };
            column[k] = (whole + WHOLE).to_bits() & COLUMN_BITS;
            share[k] = place - whole;
        }
        let row = Pyramid::place(row, scale);
        let (top, below) = (row as usize, row - (row as usize) as f32);
        let [[nw, ne], [sw, se]] = [top, (top + 1).min(level.height - 1)].map(|row| side_values(level, row, &column));
        for k in 0..LANES {
            let a = nw[k] + (ne[k] - nw[k]) * share[k];
            let b = sw[k] + (se[k] - sw[k]) * share[k];
            let rise = (a + (b - a) * below - here[k]) / distance;
            horizon[k] = if is_open[k] != 0 && rise > horizon[k] { rise } else { horizon[k] };
        }
        distance *= ray.growth;
    }
}

/// The values of a row in some columns, and in the columns to the east of them.
#[inline(always)]
fn side_values(grid: &PixelGrid, row: usize, columns: &[u32; LANES]) -> [Lanes; 2] {
    let values = &grid.values[row * grid.width..(row + 1) * grid.width];
    let first = columns[0] as usize;
    let mut apart = 0;
    for (k, column) in columns.iter().enumerate() {
        apart |= column.wrapping_sub(columns[0] + k as u32);
    }
    if apart == 0
        && let Some(near) = values.get(first..first + LANES + 1)
        && let (Some(west), Some(east)) = (near.first_chunk(), near.last_chunk())
    {
        return [*west, *east];
    }
    let mut sides = [[0.0; LANES]; 2];
    for (k, &column) in columns.iter().enumerate() {
        let column = column as usize;
        sides[0][k] = values[column];
        sides[1][k] = values[(column + 1).min(grid.width - 1)];
    }
    sides
}

/// The pyramid level whose pixels are about `width` wide.
fn level_of(width: f32) -> usize {
    (width.max(1.0) as u32).ilog2() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slope of the horizon at a single pixel, reading by reading.
    fn horizon(surface: &Pyramid, peak: f32, [x, y]: [usize; 2], ray: &HorizonRay, mut horizon: f32) -> f32 {
        let here = surface.base().values[y * surface.base().width + x];
        let mut distance = NEAREST;
        while (peak - here) / distance > horizon.max(ray.least) {
            let [east, south] = ray.direction.map(|part| part * distance);
            let level = level_of(distance * ray.width);
            let Some(there) = surface.sample(level, x as f32 + east, y as f32 + south) else { break };
            horizon = horizon.max((there - here) / distance);
            distance *= ray.growth;
        }
        horizon
    }

    #[test]
    fn horizons_of_a_row_have_the_bits_of_each_horizon() {
        for (width, height) in [(1, 1), (5, 40), (150, 97), (301, 64)] {
            let hills = PixelGrid::from_fn(width, height, |x, y| {
                let (x, y) = (x as f32, y as f32);
                20.0 * libm::sinf(x * 0.09) * libm::cosf(y * 0.07) + 3.0 * libm::sinf(x * 1.3 + y)
            });
            let peak = hills.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let surface = Pyramid::new(hills);
            for (k, (growth, share, least, start)) in
                [(2.0, 0.3, f32::NEG_INFINITY, 0.0), (1.16, 0.08, 0.2, f32::NEG_INFINITY)].into_iter().enumerate()
            {
                for angle in (0..12).map(|step| step as f32 * 0.55 + k as f32) {
                    let direction = [libm::cosf(angle), libm::sinf(angle)];
                    let ray = HorizonRay { direction, growth, width: share, least };
                    for y in 0..height {
                        for first in (0..width).step_by(LANES) {
                            let mut found = [start; LANES];
                            raise_horizons(&surface, peak, [first, y], &ray, &mut found);
                            for (x, found) in (first..width).zip(found) {
                                let single = horizon(&surface, peak, [x, y], &ray, start);
                                assert_eq!(
                                    found.to_bits(),
                                    single.to_bits(),
                                    "{width} {angle} {x} {y}: {found} {single}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
