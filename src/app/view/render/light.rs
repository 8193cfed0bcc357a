//! Shadows that the terrain casts in sunlight. The shadows do not depend on the eye.

use std::ops::Range;

use rayon::prelude::*;

use crate::view::scale::WorldScale;
use talweg::appearance::transposed;
use talweg::field::{Cancelled, Control, Terrain};

/// Tangent of half the angular width of the sun, which determines the width of the penumbra. The value is larger than
/// for the real sun.
const SUN_TANGENT: f32 = 0.03;

/// Greatest shadow depth that a texel can hold, as a multiple of the penumbra's width.
pub const SHADOW_RANGE: f32 = 4.0;

/// Shadow depth of every sample, as a multiple of the penumbra's width: 0 where the penumbra begins, 1 in full shadow.
/// Depths from -[`SHADOW_RANGE`] to [`SHADOW_RANGE`] are stored as 0 to 1. The shader interpolates the depth between
/// samples, so the edge of a shadow is sharper than a cell. `towards_sun` is (east, up, south).
///
/// The upper edge of the shadow is propagated away from the sun, row by row. If the sun is nearer to east or west, it
/// is propagated column by column. The edge falls by the tangent of the sun's elevation per unit of distance. One pass
/// is enough for shadows of any length.
pub fn shadow_depth(
    terrain: &Terrain,
    scale: &WorldScale,
    towards_sun: [f32; 3],
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let [east, up, south] = towards_sun;
    let level = (east * east + south * south).sqrt();
    if level < 1e-3 || scale.relief_world == 0.0 {
        return Ok(vec![0.0; terrain.height.len()]);
    }
    let by_rows = south.abs() >= east.abs();
    let (along, across) = if by_rows { (south, east) } else { (east, south) };
    let sweep = SunSweep {
        size: scale.samples,
        from_end: along > 0.0,
        shift: across / along.abs(),
        step_world: scale.cell_world * level / along.abs(),
        fall: up / level,
        cell_world: scale.cell_world,
        relief_world: scale.relief_world,
    };
    if by_rows {
        sweep.run(&terrain.height, control)
    } else {
        let lit = sweep.run(&transposed(scale.samples, &terrain.height, control)?, control)?;
        transposed(scale.samples, &lit, control)
    }
}

struct SunSweep {
    size: usize,
    /// Whether the sun is beyond the last row. The rows are then processed from the last to the first.
    from_end: bool,
    /// Number of columns that a line towards the sun crosses per row, from -1 to 1.
    shift: f32,
    step_world: f32,
    /// Height that the upper edge of a shadow loses per unit of distance.
    fall: f32,
    cell_world: f32,
    relief_world: f32,
}

/// Shadows on a section of a row. One value is added at each end as padding, a copy of its neighbour.
#[derive(Clone)]
struct Shadows {
    /// Height of the shadow's upper edge.
    top: Vec<f32>,
    /// Distance to the point of the terrain that casts the shadow.
    way: Vec<f32>,
}

impl Shadows {
    fn pad(&mut self) {
        for row in [&mut self.top, &mut self.way] {
            let last = row.len() - 1;
            row[0] = row[1];
            row[last] = row[last - 1];
        }
    }

    /// The given columns of a whole row, with padding.
    fn stretch(&self, columns: &Range<usize>) -> Self {
        let cut = |row: &[f32]| row[columns.start..columns.end + 2].to_vec();
        let mut stretch = Self { top: cut(&self.top), way: cut(&self.way) };
        stretch.pad();
        stretch
    }
}

/// Number of rows after which the threads exchange the shadows of their columns.
const BLOCK_ROWS: usize = 32;
/// Smallest number of columns per thread.
const STRIPE: usize = 384;

impl SunSweep {
    /// Computes the shadow depths row by row, because each row depends on the previous row. The threads divide the
    /// columns among them. Within a block of rows, each thread also computes the neighbouring columns that influence
    /// its own columns. The number of these neighbouring columns grows by one per row, on one side.
    fn run(&self, height: &[f32], control: &Control) -> Result<Vec<f32>, Cancelled> {
        let n = self.size;
        // zeroed memory costs nothing until it is written
        let mut lit = vec![0.0; height.len()];
        let first = if self.from_end { n - 1 } else { 0 };
        let mut front = Shadows { top: vec![0.0; n + 2], way: vec![0.0; n + 2] };
        for (top, h) in front.top[1..].iter_mut().zip(&height[first * n..][..n]) {
            *top = h * self.relief_world;
        }
        front.pad();
        let stripe = n.div_ceil((n / STRIPE).max(1));
        for block in (1..n).step_by(BLOCK_ROWS) {
            control.check()?;
            let rows = block..(block + BLOCK_ROWS).min(n);
            let span = if self.from_end { n - rows.end..n - rows.start } else { rows.clone() };
            let mut stripes: Vec<Vec<&mut [f32]>> = (0..n.div_ceil(stripe)).map(|_| Vec::new()).collect();
            for row in lit[span.start * n..span.end * n].chunks_mut(n) {
                for (own, part) in stripes.iter_mut().zip(row.chunks_mut(stripe)) {
                    own.push(part);
                }
            }
            let heights = &height[span.start * n..span.end * n];
            let done: Vec<Shadows> = stripes
                .into_par_iter()
                .enumerate()
                .map(|(k, rows)| self.stripe(&front, heights, k * stripe, rows))
                .collect();
            for (k, shadows) in done.iter().enumerate() {
                let (start, width) = (k * stripe + 1, shadows.top.len());
                front.top[start..start + width].copy_from_slice(&shadows.top);
                front.way[start..start + width].copy_from_slice(&shadows.way);
            }
            front.pad();
        }
        Ok(lit)
    }

    /// Computes a block of rows for the columns from `start` on. `lit` receives the depths, and its row length is the
    /// number of columns. Returns the shadows on the last row.
    fn stripe(&self, front: &Shadows, heights: &[f32], start: usize, mut lit: Vec<&mut [f32]>) -> Shadows {
        let n = self.size;
        let width = lit.first().map_or(0, |row| row.len());
        let whole = self.shift.floor().min(0.0);
        let part = self.shift - whole;
        let heard = if whole < 0.0 {
            start.saturating_sub(BLOCK_ROWS)..start + width
        } else {
            start..(start + width + BLOCK_ROWS).min(n)
        };
        let (wide, own) = (heard.len(), start - heard.start..start - heard.start + width);
        let left = usize::from(whole >= 0.0);
        let drop = self.step_world * self.fall;
        let mut before = front.stretch(&heard);
        let mut here = before.clone();
        let mut shade = vec![0.0; wide];
        let count = lit.len();
        for k in 0..count {
            let row = if self.from_end { count - 1 - k } else { k };
            let heights = &heights[row * n..][heard.clone()];
            let (top_a, top_b) = (&before.top[left..left + wide], &before.top[left + 1..left + 1 + wide]);
            let (way_a, way_b) = (&before.way[left..left + wide], &before.way[left + 1..left + 1 + wide]);
            let (tops, ways) = (&mut here.top[1..=wide], &mut here.way[1..=wide]);
            for j in 0..wide {
                let top = top_a[j] + (top_b[j] - top_a[j]) * part - drop;
                let way = way_a[j] + (way_b[j] - way_a[j]) * part + self.step_world;
                let ground = heights[j] * self.relief_world;
                let penumbra = SUN_TANGENT * way + 0.35 * self.cell_world * self.fall;
                shade[j] = (0.5 + (top - ground) / (2.0 * SHADOW_RANGE * penumbra)).clamp(0.0, 1.0);
                let is_dark = top > ground;
                tops[j] = if is_dark { top } else { ground };
                ways[j] = if is_dark { way } else { 0.0 };
            }
            lit[row].copy_from_slice(&shade[own.clone()]);
            here.pad();
            std::mem::swap(&mut before, &mut here);
        }
        let columns = own.start + 1..own.end + 1;
        Shadows { top: before.top[columns.clone()].to_vec(), way: before.way[columns].to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::Edges;
    use talweg::scene::Settings;

    /// A wall in the middle of the square, 100 world units high. The square has 129 × 129 samples.
    fn wall() -> (Terrain, WorldScale) {
        let settings = Settings { size_metres: 1000.0, relief_metres: 100.0, ..Settings::default() };
        let terrain =
            Terrain::from_fn(129, Edges::Open, |u, v| f32::from((u - 0.5).abs() < 0.02 && (v - 0.5).abs() < 0.3));
        let scale = WorldScale::new(&terrain, &settings);
        (terrain, scale)
    }

    #[test]
    fn shadow_length_follows_the_elevation_of_the_sun() {
        let (terrain, scale) = wall();
        let half = std::f32::consts::FRAC_1_SQRT_2;
        for (sun, side) in [([half, half, 0.0], -1), ([-half, half, 0.0], 1)] {
            let depth = shadow_depth(&terrain, &scale, sun, &Control::default()).unwrap();
            // with the sun at an elevation of 45°, a wall of 100 units casts a shadow of 100 units, or 12.8 cells
            let at = |cells: i32| 2.0 * SHADOW_RANGE * (depth[(64 * 129 + 64 + side * cells) as usize] - 0.5);
            assert!(at(8) > 0.8, "{}", at(8));
            assert!(at(18) < 0.1 && at(-8) < 0.1);
        }
    }

    /// Reference implementation, which processes each row over its whole width and on one thread.
    fn plain_sweep(sweep: &SunSweep, height: &[f32]) -> Vec<f32> {
        let n = sweep.size;
        let mut lit = vec![0.0; n * n];
        let row_at = |k: usize| if sweep.from_end { n - 1 - k } else { k };
        let mut top: Vec<f32> = (0..n).map(|j| height[row_at(0) * n + j] * sweep.relief_world).collect();
        let mut way = vec![0.0; n];
        let whole = sweep.shift.floor().min(0.0);
        for k in 1..n {
            let at = |row: &[f32], j: usize| {
                let low = (j as i32 + whole as i32).clamp(0, n as i32 - 1) as usize;
                let high = (j as i32 + whole as i32 + 1).clamp(0, n as i32 - 1) as usize;
                row[low] + (row[high] - row[low]) * (sweep.shift - whole)
            };
            let (mut tops, mut ways) = (vec![0.0; n], vec![0.0; n]);
            for j in 0..n {
                let (top, way) = (at(&top, j) - sweep.step_world * sweep.fall, at(&way, j) + sweep.step_world);
                let ground = height[row_at(k) * n + j] * sweep.relief_world;
                let penumbra = SUN_TANGENT * way + 0.35 * sweep.cell_world * sweep.fall;
                lit[row_at(k) * n + j] = (0.5 + (top - ground) / (2.0 * SHADOW_RANGE * penumbra)).clamp(0.0, 1.0);
                (tops[j], ways[j]) = if top > ground { (top, way) } else { (ground, 0.0) };
            }
            (top, way) = (tops, ways);
        }
        lit
    }

    #[test]
    fn stripes_give_the_same_result_as_whole_rows() {
        for (n, shift) in [(1000, 0.7), (1000, -0.7), (1153, 1.0), (1153, -1.0), (770, 0.0), (5, 0.4), (2, -0.2)] {
            for from_end in [false, true] {
                let (step_world, cell_world) = (1.3, 1.0);
                let sweep =
                    SunSweep { size: n, from_end, shift, step_world, fall: 0.2, cell_world, relief_world: 60.0 };
                let rough = |k: usize| ((k % n) as f32 * 0.13).sin() + ((k / n) as f32 * 0.07).cos();
                let height: Vec<f32> = (0..n * n).map(rough).collect();
                let lit = sweep.run(&height, &Control::default()).unwrap();
                assert!(lit == plain_sweep(&sweep, &height), "{n} samples, shift {shift}");
            }
        }
    }

    #[test]
    fn a_plane_casts_no_shadow_on_itself() {
        let plane = Terrain::from_fn(65, Edges::Open, |u, _| 0.1 * u);
        let scale = WorldScale::new(&plane, &Settings::default());
        let sun = [0.5, 0.5, 0.707];
        assert!(shadow_depth(&plane, &scale, sun, &Control::default()).unwrap().iter().all(|depth| *depth <= 0.5));
    }
}
