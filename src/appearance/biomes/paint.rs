//! Colours a terrain by a biome table.

use std::sync::Arc;

use rayon::prelude::*;

use super::globe::{GlobeGround, GlobeRow};
use super::model::{BiomeModel, RowBand, SiteConditions, Units};
use crate::appearance::PaletteTable;
use crate::appearance::biomes::ground_types::{MOST_WEIGHTED, whole_shares};
use crate::appearance::colours::palette::{materials_of, scatter_of};
use crate::appearance_files::BiomeTable;
use crate::field::globe::locate;
use crate::field::{Cancelled, Control, Stream, Terrain, smooth_step};
use crate::planet::climate::{Climate, ClimateTerrain, TerrainClimate};
use crate::scene::{Scene, Settings};

/// A biome table with the climate to which it is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Biomes {
    /// The ground types.
    pub table: Arc<BiomeTable>,
    /// The climate, which determines temperature and moisture.
    pub climate: Climate,
    /// Side of a flat terrain, or a quarter of a planet's circumference.
    side_metres: f32,
    is_planet: bool,
}

impl Biomes {
    /// The biomes of a scene, if its palette is a biome table.
    pub fn for_scene(scene: &Scene) -> Option<Self> {
        let table = scene.biome_table()?;
        Some(Self {
            table,
            climate: scene.seasonal_climate(),
            side_metres: scene.side_metres(),
            is_planet: scene.is_planet(),
        })
    }

    /// Whether both have the same climate on a terrain of the same size, so that only the tables differ.
    pub fn has_climate_of(&self, other: &Self) -> bool {
        self.climate == other.climate && self.side_metres == other.side_metres && self.is_planet == other.is_planet
    }

    /// The conversion of the scene's heights and slopes to the table's units.
    pub fn units(&self, settings: &Settings) -> Units {
        // The map in Petitprez 2007 shows a planet from pole to pole.
        let across_metres = if self.is_planet { 2.0 * self.side_metres } else { self.side_metres };
        Units::new(self.table.heights, settings.relief_metres, settings.sea_level, across_metres)
    }
}

impl Biomes {
    /// The biome table as a palette: its colours by height, for level terrain with medium moisture in the middle of the
    /// climate zone.
    pub fn palette(self, settings: &Settings) -> PaletteTable {
        let (relief, sea) = (settings.relief_metres, settings.sea_level);
        let units = self.units(settings);
        let law = BiomeModel::new(&self.table, &units);
        let lut = (0..512).map(|k| {
            let along = (k % 256) as f32 / 255.0;
            let metres = if k < 256 { sea - (1.0 - along) * relief } else { sea + (relief - sea).max(0.0) * along };
            // The sea level itself counts as water, so the first land colour is computed slightly above it.
            let metres = if k == 256 { metres + relief * 1.0e-5 } else { metres };
            let celsius = self.climate.celsius(metres - sea, relief);
            let place = SiteConditions {
                celsius,
                height: units.height(metres),
                slope: 0.0,
                moisture: 0.45 * self.climate.rain,
            };
            let [r, g, b] = law.colour(&place).map(|c| (c + 0.5) as u8);
            [r, g, b, 255]
        });
        let (lut, scatter, materials) =
            (lut.collect(), scatter_of(&self.table.scatter), materials_of(&self.table.materials));
        PaletteTable { lut, rock: [0; 4], rock_degrees: (0.0, 90.0), scatter, materials, biomes: Some(Arc::new(self)) }
    }
}

/// Maximum random deviation from the climate in °C. The next constant is the maximum deviation in moisture. The
/// deviations make borders between types irregular.
pub(super) const RAGGED_CELSIUS: f32 = 1.8;
pub(super) const RAGGED_MOISTURE: f32 = 0.06;
/// Number of noise waves along a side of the terrain in the first octave of the deviations.
const RAGGED_HUMPS: f32 = 9.0;
pub(super) const RAGGED_OCTAVES: usize = 4;

/// A terrain's climate and a biome table, prepared to colour any position of the terrain.
pub struct Paint {
    law: BiomeModel,
    pub(super) units: Units,
    pub(super) weather: Arc<TerrainClimate>,
    pub(super) relief_metres: f32,
    pub(super) side_metres: f32,
    pub(super) ragged: f32,
    pub(super) noise: Stream,
}

/// Heights in metres of a position and of its four neighbours.
#[derive(Clone, Copy, Debug)]
pub struct SiteNeighbours {
    /// Height at the position.
    pub here: f32,
    /// Heights to the north, east, south and west.
    pub sides: [f32; 4],
    /// Distance to each of the neighbours, in metres.
    pub spacing_metres: f32,
}

impl Paint {
    /// Prepares to colour `terrain` with `biomes`.
    pub fn new(terrain: &Terrain, settings: &Settings, biomes: &Biomes) -> Self {
        let ground = ClimateTerrain {
            terrain,
            relief_metres: settings.relief_metres,
            sea_metres: settings.sea_level,
            side_metres: biomes.side_metres,
        };
        Self::with_weather(Arc::new(TerrainClimate::new(&biomes.climate, &ground)), settings, biomes)
    }

    /// Like [`new`](Self::new), with the already computed climate of a whole terrain. The result can then also colour
    /// windows of that terrain.
    pub fn with_weather(weather: Arc<TerrainClimate>, settings: &Settings, biomes: &Biomes) -> Self {
        let units = biomes.units(settings);
        Self {
            law: BiomeModel::new(&biomes.table, &units),
            units,
            weather,
            relief_metres: settings.relief_metres,
            side_metres: biomes.side_metres,
            ragged: biomes.climate.patchiness,
            noise: Stream::new(settings.seed, 0x00b1_00e5),
        }
    }

    /// Returns the same terrain and climate with another table. This is cheap, because the climate is not computed
    /// again.
    pub fn with_table(&self, biomes: &Biomes, settings: &Settings) -> Self {
        let units = biomes.units(settings);
        Self { law: BiomeModel::new(&biomes.table, &units), units, weather: self.weather.clone(), ..*self }
    }

    /// The conditions at a position of a flat terrain; `u` (east) and `v` (south) are from 0 to 1.
    pub fn conditions_at(&self, u: f32, v: f32, around: &SiteNeighbours) -> SiteConditions {
        let feel = self.weather.at_place(u, v, around.here);
        let (steepest, tangent) = around.slopes();
        let off = if self.ragged > 0.0 { self.ragged * ragged(self.noise, u, v) } else { 0.0 };
        SiteConditions {
            celsius: feel.celsius + off * RAGGED_CELSIUS,
            height: self.units.height(around.here),
            slope: self.units.slope(steepest, tangent),
            moisture: feel.moisture - off * RAGGED_MOISTURE,
        }
    }

    /// The biome table, prepared for computing weights and colours.
    pub fn law(&self) -> &BiomeModel {
        &self.law
    }

    /// Conversion from metres to the table's units.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// The conditions at (u, v) between samples of a square: the conditions of the nearest sample, but with the height
    /// interpolated at the position.
    pub fn conditions_on_square(&self, terrain: &Terrain, u: f32, v: f32) -> SiteConditions {
        let last = (terrain.samples() - 1) as f32;
        let index = |place: f32| (place.clamp(0.0, 1.0) * last + 0.5) as usize;
        let around = self.neighbourhood(terrain, index(v), index(u));
        self.conditions_at(u, v, &SiteNeighbours { here: terrain.height_at(u, v) * self.relief_metres, ..around })
    }

    /// The conditions at the sample of a planet that is nearest to a direction.
    pub fn conditions_on_globe(&self, terrain: &Terrain, direction: [f64; 3]) -> SiteConditions {
        let n = terrain.samples();
        let (face, u, v) = locate(direction);
        let index = |place: f64| (place * (n - 1) as f64 + 0.5) as usize;
        let (mut band, mut row) = (RowBand::new(n, &self.law), GlobeRow::new(n));
        GlobeGround::new(self, terrain).site_conditions(face * n + index(v), &mut row, &mut band);
        band.conditions(index(u))
    }

    fn neighbourhood(&self, terrain: &Terrain, row: usize, column: usize) -> SiteNeighbours {
        let (grid, n) = (terrain.grid, terrain.samples());
        let at = |i: usize, j: usize| terrain.height[i * n + j] * self.relief_metres;
        let side = |i: Option<usize>, j: Option<usize>| at(i.unwrap_or(row), j.unwrap_or(column));
        SiteNeighbours {
            here: at(row, column),
            sides: [
                side(grid.previous(row), Some(column)),
                side(Some(row), grid.next(column)),
                side(grid.next(row), Some(column)),
                side(Some(row), grid.previous(column)),
            ],
            spacing_metres: self.side_metres * grid.cell(),
        }
    }

    /// The opaque sRGB colours of all samples.
    pub fn colours(&self, terrain: &Terrain, control: &Control) -> Result<Vec<[u8; 4]>, Cancelled> {
        self.rows(terrain, control, |band, out| {
            self.law.colours(band);
            for (j, out) in out.iter_mut().enumerate() {
                let [r, g, b] = std::array::from_fn(|k| (band.rgb[k][j] + 0.5) as u8);
                *out = [r, g, b, 255];
            }
        })
    }

    /// Index in the table of the dominant type at every sample.
    pub fn types(&self, terrain: &Terrain, control: &Control) -> Result<Vec<u8>, Cancelled> {
        self.rows(terrain, control, |band, out| {
            out.iter_mut().enumerate().for_each(|(j, out)| *out = self.law.most_frequent(&band.conditions(j)) as u8);
        })
    }

    /// Weights of the types `kept` at all samples, as integers that add up to 255.
    pub(in crate::appearance) fn weights(
        &self,
        terrain: &Terrain,
        kept: &[usize],
        control: &Control,
    ) -> Result<Vec<[u8; MOST_WEIGHTED]>, Cancelled> {
        self.rows(terrain, control, |band, out| {
            let mut shares = vec![0.0; kept.len()];
            for (j, out) in out.iter_mut().enumerate() {
                let all = self.law.weights(&band.conditions(j));
                shares.iter_mut().zip(kept).for_each(|(share, &kind)| *share = all[kind]);
                *out = whole_shares(&shares);
            }
        })
    }

    /// Returns a value for every sample; `make` computes the values of one row.
    fn rows<T: Copy + Default + Send>(
        &self,
        terrain: &Terrain,
        control: &Control,
        make: impl Fn(&mut RowBand, &mut [T]) + Sync,
    ) -> Result<Vec<T>, Cancelled> {
        let (grid, n) = (terrain.grid, terrain.samples());
        let mut out = vec![T::default(); grid.len()];
        let globe = grid.is_globe().then(|| GlobeGround::new(self, terrain));
        out.par_chunks_mut(n).enumerate().try_for_each_init(
            || (RowBand::new(n, &self.law), GlobeRow::new(n)),
            |(band, row), (i, out)| {
                control.check()?;
                match &globe {
                    Some(globe) => globe.site_conditions(i, row, band),
                    None => (0..n).for_each(|j| {
                        let (u, v) = (grid.column_position(j), grid.row_position(i));
                        band.set(j, self.conditions_at(u, v, &self.neighbourhood(terrain, i, j)));
                    }),
                }
                make(band, out);
                Ok(())
            },
        )?;
        if grid.is_globe() {
            grid.close(&mut out);
        }
        Ok(out)
    }
}

impl SiteNeighbours {
    /// The greatest slope to one of the four neighbours, and the slope of the terrain, both as tangents.
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

/// The colours of all samples of a terrain. `None` if no biome table colours the scene.
///
/// # Errors
/// If the computation was cancelled.
pub fn colours(terrain: &Terrain, scene: &Scene, control: &Control) -> Result<Option<Vec<[u8; 4]>>, Cancelled> {
    let Some(biomes) = Biomes::for_scene(scene) else { return Ok(None) };
    Paint::new(terrain, &scene.settings, &biomes).colours(terrain, control).map(Some)
}

/// Noise of several octaves with mean 0, rarely outside -1 to 1.
fn ragged(noise: Stream, u: f32, v: f32) -> f32 {
    let (mut sum, mut weight, mut humps) = (0.0, 1.0, RAGGED_HUMPS);
    for octave in 0..RAGGED_OCTAVES {
        sum += weight * value_noise(noise, octave as i32 * 7919, u * humps, v * humps);
        weight *= 0.62;
        humps *= 2.17;
    }
    sum
}

/// Smoothly interpolated random lattice values from -1 to 1.
fn value_noise(noise: Stream, shift: i32, x: f32, y: f32) -> f32 {
    let (j, i) = (x as i32, y as i32);
    let (s, t) = (smooth_step(x - j as f32), smooth_step(y - i as f32));
    let at = |dx: i32, dy: i32| noise.signed(j + dx + shift, i + dy);
    let along = |dy: i32| {
        let left = at(0, dy);
        left + (at(1, dy) - left) * s
    };
    let top = along(0);
    top + (along(1) - top) * t
}
