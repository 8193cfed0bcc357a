//! Sky view: the fraction of a uniform sky's light that reaches each sample, from 0 to 1. Other programs call it
//! ambient occlusion or sky-view factor.
//!
//! Law: the mean over sixteen directions of cos² of the horizon's elevation; level open terrain has 1.
//! Boundary: nothing beyond the terrain hides the sky.
//! Source: Steyn 1980, *The calculation of view factors from fisheye-lens photographs*; Zakšek, Oštir & Kokalj 2011.

use super::horizon::{HorizonRay, LANES, Lanes, raise_horizons};
use super::raster::{PixelGrid, Pyramid};
use crate::field::topology::{EdgeFill, FACES};
use crate::field::{Cancelled, Control, Edges, Grid, Terrain};
use crate::scene::{Scene, Settings};

/// Number of directions traced by [`sky_view`].
const VIEW_DIRECTIONS: usize = 16;
/// Width of the margin computed around a planet's face, as a fraction of the face's side.
const SKY_MARGIN: f32 = 0.125;

/// A direction of the sky, and the fraction of the sky's light that comes from it.
#[derive(Clone, Copy)]
pub struct SkyRay {
    /// The direction, and the readings along it.
    pub ray: HorizonRay,
    /// Fraction of the sky's light that comes from this direction.
    pub weight: f32,
}

impl SkyRay {
    /// One of `of` evenly spaced directions. Each has the same weight.
    pub fn new(number: usize, of: usize) -> Self {
        let angle = (number as f32 + 0.5) * (std::f32::consts::TAU / of as f32);
        let direction = [libm::cosf(angle), libm::sinf(angle)];
        let ray = HorizonRay { direction, growth: 2.0, width: 0.3, least: f32::NEG_INFINITY };
        Self { ray, weight: 1.0 / of as f32 }
    }
}

/// Fraction of the sky's light that reaches the pixels from (x, y) on: 1 on open terrain. A direction in which the
/// horizon has slope t counts 1 / (1 + t²), the fraction of a uniform sky's light that is above that horizon.
pub fn skylight(surface: &Pyramid, peak: f32, sky: &[SkyRay], x: usize, y: usize) -> Lanes {
    let mut sum = [0.0; LANES];
    for SkyRay { ray, weight } in sky {
        let mut horizon = [0.0; LANES];
        raise_horizons(surface, peak, [x, y], ray, &mut horizon);
        sum.iter_mut().zip(horizon).for_each(|(sum, horizon)| *sum += weight / (1.0 + horizon * horizon));
    }
    sum
}

/// Fraction of a uniform sky's light that reaches every sample of a square terrain, from 0 to 1: ambient occlusion.
/// Sixteen directions are traced to the horizon. Heights are not exaggerated.
///
/// # Errors
/// If the computation was cancelled.
pub fn sky_view(terrain: &Terrain, settings: &Settings, control: &Control) -> Result<Vec<f32>, Cancelled> {
    let (n, view) = (terrain.samples(), SkyView::new(terrain, settings, control)?);
    Ok(PixelGrid::of_rows(n, n, control, |row, out| view.visible_sky(row, out))?.values)
}

/// Computes [`sky_view`] in any single row.
pub struct SkyView {
    surface: Pyramid,
    peak: f32,
    sky: [SkyRay; VIEW_DIRECTIONS],
}

impl SkyView {
    /// Prepares the sky view of a square terrain.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn new(terrain: &Terrain, settings: &Settings, control: &Control) -> Result<Self, Cancelled> {
        let (surface, peak) = Pyramid::of_cell_heights(terrain, settings, control)?;
        Ok(Self { surface, peak, sky: std::array::from_fn(|k| SkyRay::new(k, VIEW_DIRECTIONS)) })
    }

    /// Fraction of the sky that is visible from each sample of a row, from 0 to 1.
    pub fn visible_sky(&self, row: usize, out: &mut [f32]) {
        for (k, out) in out.chunks_mut(LANES).enumerate() {
            let visible = skylight(&self.surface, self.peak, &self.sky, k * LANES, row);
            out.copy_from_slice(&visible[..out.len()]);
        }
    }
}

/// The visible fraction of the sky at every sample. Each face of a globe is computed with the terrain beyond its
/// borders. All cells of a globe count as equally wide. Near the corners of faces, up to a third of the horizon's
/// shading is therefore missed.
///
/// # Errors
/// If `control` is cancelled.
pub fn sky_fractions(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<f32>, Cancelled> {
    let grid = terrain.grid;
    if !grid.is_globe() {
        return sky_view(terrain, &scene.settings, control);
    }
    let n = terrain.samples();
    let margin = (SKY_MARGIN * n as f32) as usize;
    let side = n + 2 * margin;
    // Length of the side of the face with its margin, at the same scale.
    let side_metres = scene.side_metres() * (side - 1) as f32 / (n - 1) as f32;
    let settings = Settings { size_metres: side_metres, ..scene.settings.clone() };
    let mut seen = Vec::with_capacity(grid.len());
    for face in 0..FACES {
        let mut square = Terrain::flat(Grid::working(side, Edges::Open));
        square.height = grid.face_with_margin(&terrain.height, face, margin, EdgeFill::Nearest);
        // Only three faces meet at a corner of the cube. The part of the square where a fourth face would be is filled
        // with heights along the border between the two neighbouring faces.
        let (first, last) = (margin, margin + n - 1);
        for row in (0..first).chain(last + 1..side) {
            for column in (0..first).chain(last + 1..side) {
                let inner = |k: usize| k.clamp(first, last);
                let away = row.abs_diff(inner(row)).max(column.abs_diff(inner(column)));
                let beside = if column < first { first - away } else { last + away };
                square.height[row * side + column] = square.height[inner(row) * side + beside];
            }
        }
        let around = sky_view(&square, &settings, control)?;
        seen.extend((margin..margin + n).flat_map(|row| around[row * side + margin..][..n].iter().copied()));
    }
    grid.close(&mut seen);
    Ok(seen)
}
