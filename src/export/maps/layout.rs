//! The sample of a terrain, or the position on a planet, that each pixel of a map shows.

use std::ops::Range;

use rayon::prelude::*;

use super::MapRows;
use crate::appearance::PlanetLayout;
use crate::field::globe::locate_fast;
use crate::field::{Globe, HAS_GROUND, MapKind, Terrain};
use crate::io::formats::each_number;
use crate::planet::projection::{Directions, Equirectangular, FACE_NAMES};

/// The pixels of a sheet, and the samples or positions that they show.
pub struct PixelLayout {
    /// The layout of a planet; a terrain that is not a planet counts as face 0.
    pub planet: PlanetLayout,
    /// Samples per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Samples per side of the terrain.
    samples: usize,
    /// Unit vectors of the pixels of a planet's map.
    directions: Option<Directions>,
    globe: Option<Globe>,
}

/// The part of a map that a file shows: `None` for the whole map, or the name of a cube face.
pub type FilePart = Option<&'static str>;

/// The sheets of a terrain or planet, each with the part of the map that it shows.
pub fn layouts(terrain: &Terrain, map: Option<Equirectangular>) -> Vec<(FilePart, PixelLayout)> {
    match map {
        _ if !terrain.grid.is_globe() => vec![(None, PixelLayout::new(terrain, PlanetLayout::Face(0)))],
        Some(map) => vec![(None, PixelLayout::new(terrain, PlanetLayout::Map(map)))],
        None => (0..FACE_NAMES.len())
            .map(|face| (Some(FACE_NAMES[face]), PixelLayout::new(terrain, PlanetLayout::Face(face))))
            .collect(),
    }
}

impl PixelLayout {
    /// The pixels of a layout of `terrain`.
    pub fn new(terrain: &Terrain, planet: PlanetLayout) -> Self {
        let samples = terrain.samples();
        let (width, height, directions) = match planet {
            PlanetLayout::Face(_) => (samples, samples, None),
            PlanetLayout::Map(map) => (map.width, map.height, Some(map.directions())),
        };
        let globe = terrain.grid.is_globe().then(|| Globe::new(samples));
        Self { planet, width, height, samples, directions, globe }
    }

    /// The sample nearest to a pixel.
    pub fn nearest(&self, row: usize, column: usize) -> usize {
        let n = self.samples;
        match (&self.directions, self.planet) {
            (Some(directions), _) => {
                let (face, u, v) = locate_fast(directions.direction(column, row));
                let index = |t: f64| (t * (n - 1) as f64 + 0.5) as usize;
                (face * n + index(v)) * n + index(u)
            }
            (None, PlanetLayout::Face(face)) => (face * n + row) * n + column,
            (None, PlanetLayout::Map(_)) => 0,
        }
    }

    /// The unit vector of a pixel of a planet; `None` for a terrain.
    pub(super) fn direction(&self, row: usize, column: usize) -> Option<[f64; 3]> {
        match (&self.directions, self.planet) {
            (Some(directions), _) => Some(directions.direction(column, row)),
            (None, PlanetLayout::Face(face)) => Some(self.globe.as_ref()?.exact_direction(face, row, column)),
            (None, PlanetLayout::Map(_)) => None,
        }
    }

    /// The values at the pixels: the values of samples or, on maps of planets, interpolated values.
    pub(super) fn rows<'a>(&'a self, terrain: &Terrain, values: impl SampleValues + 'a) -> MapRows<'a> {
        match (&self.directions, &self.globe) {
            (Some(directions), Some(globe)) => {
                let mut field = vec![0.0; terrain.grid.len()];
                let n = self.samples;
                let rows = field.par_chunks_mut(n).enumerate();
                rows.for_each(|(row, out)| values(row * n..(row + 1) * n, out));
                Box::new(each_number(move |row, column, _| globe.sample(&field, directions.direction(column, row))))
            }
            _ => Box::new(move |row, columns, out| {
                let first = self.nearest(row, columns.start);
                values(first..first + columns.len(), out);
            }),
        }
    }
}

/// Computes the values of consecutive samples of one row.
pub(super) trait SampleValues: Fn(Range<usize>, &mut [f32]) + Send + Sync {}

impl<T: Fn(Range<usize>, &mut [f32]) + Send + Sync> SampleValues for T {}

/// Lowest and highest value of samples with terrain, or of all samples if none has terrain.
pub(super) fn range(terrain: &Terrain, values: &impl SampleValues) -> (f32, f32) {
    let ground = terrain.map(MapKind::Ground);
    let is_empty = ground.is_some_and(|map| map.iter().all(|&share| share < HAS_GROUND));
    let (ground, n) = (ground.filter(|_| !is_empty), terrain.samples());
    let wider = |(low, high): (f32, f32), (a, b): (f32, f32)| (low.min(a), high.max(b));
    let none = (f32::INFINITY, f32::NEG_INFINITY);
    let of_row = |out: &mut Vec<f32>, row: usize| {
        let samples = row * n..(row + 1) * n;
        values(samples.clone(), out);
        let of = |range, value: &f32| wider(range, (*value, *value));
        match ground {
            None => out.iter().fold(none, of),
            Some(ground) => {
                let there = out.iter().zip(&ground[samples]).filter(|(_, share)| **share >= HAS_GROUND);
                there.map(|(value, _)| value).fold(none, of)
            }
        }
    };
    (0..terrain.grid.rows()).into_par_iter().map_init(|| vec![0.0; n], of_row).reduce(|| none, wider)
}
