//! A terrain painted by a biome table.

use std::sync::Arc;

use rayon::prelude::*;

use super::law::{Band, Law, Place, Units};
use super::table::{BiomeTable, biome_table};
use crate::field::{Stream, Terrain};
use crate::look::PaletteTable;
use crate::nodes::{Cancelled, Control};
use crate::planet::climate::{Climate, Ground, Weather};
use crate::scene::{Scene, Settings};

/// A biome table with the climate it is used in.
#[derive(Clone, Debug, PartialEq)]
pub struct Biomes {
    pub table: Arc<BiomeTable>,
    pub climate: Climate,
}

impl Biomes {
    /// The biomes of a scene, if it has a biome table for a palette.
    pub fn of(scene: &Scene) -> Option<Self> {
        let table = scene.biome_table()?;
        let climate = scene.climate.clone().unwrap_or_else(|| table.climate.clone());
        Some(Self { table, climate })
    }

    /// The shipped table of that name, with the climate of a scene.
    pub fn named(name: &str, scene: &Scene) -> Option<Self> {
        let table = biome_table(name)?;
        let climate = scene.climate.clone().unwrap_or_else(|| table.climate.clone());
        Some(Self { table, climate })
    }
}

impl Biomes {
    /// The table as a palette: its colours by height on level ground of middling moisture, in the middle of the climate.
    pub fn palette(self, settings: &Settings) -> PaletteTable {
        let (relief, sea) = (settings.relief_metres, settings.sea_level);
        let units = Units::new(self.table.heights, relief, sea, settings.size_metres);
        let law = Law::new(&self.table, &units);
        let lut = (0..512).map(|k| {
            let along = (k % 256) as f32 / 255.0;
            let metres = if k < 256 { sea - (1.0 - along) * relief } else { sea + (relief - sea).max(0.0) * along };
            // a hair above the sea there is land
            let metres = if k == 256 { metres + relief * 1.0e-5 } else { metres };
            let celsius = self.climate.celsius(metres - sea, relief);
            let place = Place { celsius, height: units.height(metres), slope: 0.0, moisture: 0.45 * self.climate.rain };
            let [r, g, b] = law.colour(&place).map(|c| (c + 0.5) as u8);
            [r, g, b, 255]
        });
        PaletteTable { lut: lut.collect(), rock: [0; 4], rock_degrees: (0.0, 90.0), biomes: Some(Arc::new(self)) }
    }
}

/// Ground for the border of types: how far a place may be off, in °C and in moisture.
const RAGGED_CELSIUS: f32 = 1.8;
const RAGGED_MOISTURE: f32 = 0.06;
/// Humps of the first octave on a side, and how much finer and weaker the next ones are.
const RAGGED_HUMPS: f32 = 9.0;
const RAGGED_OCTAVES: usize = 4;

/// Everything that is needed to colour any place of a terrain.
pub struct Paint {
    law: Law,
    units: Units,
    weather: Arc<Weather>,
    relief_metres: f32,
    side_metres: f32,
    ragged: f32,
    noise: Stream,
}

/// The ground around a place: heights in metres, north, east, south and west, and how far away these are.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    pub here: f32,
    pub sides: [f32; 4],
    pub spacing_metres: f32,
}

impl Paint {
    pub fn new(terrain: &Terrain, settings: &Settings, biomes: &Biomes) -> Self {
        let side_metres = settings.size_metres;
        let ground = Ground {
            terrain,
            relief_metres: settings.relief_metres,
            sea_metres: settings.sea_level,
            side_metres,
            tilt_degrees: None,
        };
        let units = Units::new(biomes.table.heights, settings.relief_metres, settings.sea_level, side_metres);
        Self {
            law: Law::new(&biomes.table, &units),
            units,
            weather: Arc::new(Weather::new(&biomes.climate, &ground)),
            relief_metres: settings.relief_metres,
            side_metres,
            ragged: biomes.climate.patchiness,
            noise: Stream::new(settings.seed, 0x0b10_0e5),
        }
    }

    /// The same ground with another table in the same climate, which costs nothing.
    pub fn with_table(&self, table: &BiomeTable, settings: &Settings) -> Self {
        let units = Units::new(table.heights, settings.relief_metres, settings.sea_level, settings.size_metres);
        Self { law: Law::new(table, &units), units, weather: self.weather.clone(), ..*self }
    }

    /// What the law asks about a place of a flat terrain, both coordinates from 0 to 1.
    pub fn place(&self, u: f32, v: f32, around: &Around) -> Place {
        let feel = self.weather.at_place(u, v, around.here);
        let (steepest, tangent) = around.slopes();
        let off = if self.ragged > 0.0 { self.ragged * ragged(self.noise, u, v) } else { 0.0 };
        Place {
            celsius: feel.celsius + off * RAGGED_CELSIUS,
            height: self.units.height(around.here),
            slope: self.units.slope(steepest, tangent),
            moisture: feel.moisture - off * RAGGED_MOISTURE,
        }
    }

    /// The law of the table.
    pub fn law(&self) -> &Law {
        &self.law
    }

    pub fn units(&self) -> &Units {
        &self.units
    }

    /// What the law asks about the ground between samples: of the nearest one, with its height at the place.
    pub fn place_on(&self, terrain: &Terrain, u: f32, v: f32) -> Place {
        let last = (terrain.samples() - 1) as f32;
        let index = |place: f32| (place.clamp(0.0, 1.0) * last + 0.5) as usize;
        let around = self.around(terrain, index(v), index(u));
        self.place(u, v, &Around { here: terrain.height_at(u, v) * self.relief_metres, ..around })
    }

    fn around(&self, terrain: &Terrain, row: usize, column: usize) -> Around {
        let (grid, n) = (terrain.grid, terrain.samples());
        let at = |i: usize, j: usize| terrain.height[i * n + j] * self.relief_metres;
        let side = |i: Option<usize>, j: Option<usize>| at(i.unwrap_or(row), j.unwrap_or(column));
        Around {
            here: at(row, column),
            sides: [
                side(grid.before(row), Some(column)),
                side(Some(row), grid.after(column)),
                side(grid.after(row), Some(column)),
                side(Some(row), grid.before(column)),
            ],
            spacing_metres: self.side_metres * grid.cell(),
        }
    }

    /// The sRGB colours of all samples; opaque.
    pub fn colours(&self, terrain: &Terrain, control: &Control) -> Result<Vec<[u8; 4]>, Cancelled> {
        let n = terrain.samples();
        let mut out = vec![[0; 4]; terrain.grid.len()];
        out.par_chunks_mut(n).enumerate().try_for_each_init(
            || Band::new(n, &self.law),
            |band, (i, row)| {
                control.check()?;
                for (j, place) in band.places.iter_mut().enumerate() {
                    let (u, v) = (terrain.grid.position(j), terrain.grid.position(i));
                    *place = self.place(u, v, &self.around(terrain, i, j));
                }
                self.law.colours(band);
                for (j, out) in row.iter_mut().enumerate() {
                    let [r, g, b] = std::array::from_fn(|k| (band.rgb[k][j] + 0.5) as u8);
                    *out = [r, g, b, 255];
                }
                Ok(())
            },
        )?;
        Ok(out)
    }
}

impl Around {
    /// The greatest slope to one of the four neighbours, and the slope of the ground; as tangents.
    fn slopes(&self) -> (f32, f32) {
        let per_metre = 1.0 / self.spacing_metres;
        let steepest = self.sides.iter().fold(0.0, |most: f32, side| {
            let step = (side - self.here).abs();
            if step > most { step } else { most }
        });
        let [north, east, south, west] = self.sides;
        let (dx, dy) = (0.5 * (east - west), 0.5 * (south - north));
        (steepest * per_metre, (dx * dx + dy * dy).sqrt() * per_metre)
    }
}

/// The colours of all samples of a terrain, if the scene is coloured by a biome table.
pub fn colours(terrain: &Terrain, scene: &Scene) -> Option<Vec<[u8; 4]>> {
    let biomes = Biomes::of(scene)?;
    Paint::new(terrain, &scene.settings, &biomes).colours(terrain, &Control::default()).ok()
}

/// Noise of some octaves around 0, seldom beyond ±1.
fn ragged(noise: Stream, u: f32, v: f32) -> f32 {
    let (mut sum, mut weight, mut humps) = (0.0, 1.0, RAGGED_HUMPS);
    for octave in 0..RAGGED_OCTAVES {
        sum += weight * value_noise(noise, octave as i32 * 7919, u * humps, v * humps);
        weight *= 0.62;
        humps *= 2.17;
    }
    sum
}

/// Smooth random values of a lattice, from -1 to 1.
fn value_noise(noise: Stream, shift: i32, x: f32, y: f32) -> f32 {
    let (j, i) = (x as i32, y as i32);
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (s, t) = (smooth(x - j as f32), smooth(y - i as f32));
    let at = |dx: i32, dy: i32| noise.signed(j + dx + shift, i + dy);
    let along = |dy: i32| {
        let left = at(0, dy);
        left + (at(1, dy) - left) * s
    };
    let top = along(0);
    top + (along(1) - top) * t
}
