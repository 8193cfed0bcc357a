//! Everything the screen needs of a terrain, worked out by the worker so that the main thread only swaps a pointer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bounds::Bounds;
use super::light;
use super::mips::{Mips, halves, unit_bytes};
use super::pick::Ground;
use super::scale::Scale;
use crate::field::{Grid, Terrain, gradient};
use crate::scene::Settings;

/// The widest texture that every graphics card takes.
const MAX_DRAWN_SAMPLES: usize = 8192;

/// A terrain ready to be drawn. Plain data, made by [`prepare`]; never changes.
pub struct Prepared {
    /// Different for every one made.
    pub serial: u64,
    /// The heights that are drawn: the terrain given, or fewer samples of it if it is too large for the screen.
    pub terrain: Arc<Terrain>,
    pub scale: Scale,
    /// Lowest and highest height, as fractions of the relief.
    pub range: (f32, f32),
    pub bounds: Bounds,
    /// Slopes to the east and to the south, as tangents in half precision.
    pub slopes: Mips,
    /// Sunlight and openness, as bytes.
    pub light: Mips,
    /// Towards the sun: east, up, south.
    pub towards_sun: [f32; 3],
}

/// Works out what the screen needs. Takes about 10 ms a million samples and core; call it on the worker.
pub fn prepare(terrain: &Arc<Terrain>, settings: &Settings) -> Prepared {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    let terrain = drawn(terrain, MAX_DRAWN_SAMPLES);
    let scale = Scale::new(&terrain, settings);
    let towards_sun = settings.sun_direction();
    let (sunlight, ((bounds, slopes), openness)) = rayon::join(
        || light::sunlight(&terrain, &scale, towards_sun),
        || rayon::join(|| (Bounds::new(&terrain), slopes(&terrain, settings)), || light::openness(&terrain, &scale)),
    );
    let both = sunlight.into_par_iter().zip(openness).map(|(sun, open)| [sun, open]).collect();
    Prepared {
        serial: SERIAL.fetch_add(1, Ordering::Relaxed),
        range: terrain.range(),
        bounds,
        slopes,
        light: Mips::new(scale.samples, both, unit_bytes),
        towards_sun,
        scale,
        terrain,
    }
}

impl Prepared {
    /// The terrain as the picker sees it.
    pub fn ground(&self) -> Ground<'_> {
        Ground { terrain: &self.terrain, scale: &self.scale, bounds: &self.bounds }
    }

    /// Memory of its textures on the graphics card.
    pub fn texture_bytes(&self) -> usize {
        4 * self.terrain.height.len() + self.slopes.bytes() + self.light.bytes()
    }
}

/// The terrain itself, or every second, third, … sample of it.
fn drawn(terrain: &Arc<Terrain>, most: usize) -> Arc<Terrain> {
    let last = terrain.samples() - 1;
    let stride = last.div_ceil(most - 1);
    if stride == 1 {
        return terrain.clone();
    }
    let grid = Grid::new(last / stride + 1, terrain.grid.edges);
    let mut fewer = Terrain::flat(grid);
    fewer.height.par_chunks_mut(grid.samples).enumerate().for_each(|(i, row)| {
        for (j, height) in row.iter_mut().enumerate() {
            *height = terrain.height_at(grid.position(j), grid.position(i));
        }
    });
    Arc::new(fewer)
}

fn slopes(terrain: &Terrain, settings: &Settings) -> Mips {
    let (grid, n) = (terrain.grid, terrain.samples());
    let steepness = settings.relief_over_size();
    let across = steepness * 0.5 * (n - 1) as f32;
    let mut texels = vec![[0.0; 2]; grid.len()];
    texels.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        let edge = |j: usize| {
            let (x, y) = gradient(grid, &terrain.height, i, j);
            [x * steepness, y * steepness]
        };
        if i == 0 || i == n - 1 {
            row.iter_mut().enumerate().for_each(|(j, slope)| *slope = edge(j));
            return;
        }
        let (north, here, south) =
            (grid.row(&terrain.height, i - 1), grid.row(&terrain.height, i), grid.row(&terrain.height, i + 1));
        for j in 1..n - 1 {
            row[j] = [(here[j + 1] - here[j - 1]) * across, (south[j] - north[j]) * across];
        }
        row[0] = edge(0);
        row[n - 1] = edge(n - 1);
    });
    Mips::new(n, texels, halves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    #[test]
    fn any_size_can_be_prepared() {
        for samples in [2, 3, 8, 33, 100] {
            let terrain = Arc::new(Terrain::from_fn(samples, Edges::Open, |u, v| u * v));
            let prepared = prepare(&terrain, &Settings::default());
            assert_eq!(prepared.scale.samples, samples);
            assert_eq!(prepared.slopes.levels[0].bytes.len(), samples * samples * 4);
            assert!(Arc::ptr_eq(&prepared.terrain, &terrain));
        }
    }

    #[test]
    fn a_terrain_too_large_for_the_screen_is_drawn_with_fewer_samples() {
        let large = Arc::new(Terrain::from_fn(33, Edges::Open, |u, v| u + v));
        let fewer = drawn(&large, 32);
        assert_eq!(fewer.samples(), 17);
        assert_eq!(fewer.height[17 * 17 - 1], 2.0);
        assert_eq!(fewer.height[1], large.height[2]);
        assert_eq!(drawn(&Arc::new(Terrain::from_fn(100, Edges::Open, |u, _| u)), 32).samples(), 25);
    }

    #[test]
    fn wild_heights_do_no_harm() {
        let odd = [f32::NAN, f32::INFINITY, -1e30, 1e30];
        let terrain = Arc::new(Terrain::from_fn(9, Edges::Open, |u, v| odd[((u + 2.0 * v) * 8.0) as usize % 4]));
        let prepared = prepare(&terrain, &Settings::default());
        assert_eq!(prepared.light.levels.len(), 4);
    }
}
