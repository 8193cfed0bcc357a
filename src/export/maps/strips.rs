//! Maps of a square terrain that is read in parts. Colours, ground types and climate are computed in strips of rows, in
//! windows with a halo. The results have the same bits as those of the whole terrain.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::ground::{control_bits, control_sheet, picture, splat_label, type_sheet, weight_name, weight_sheet};
use super::{ExportMap, MapRows, MapSheet};
use crate::appearance::{LegendEntry, SampledGround, TypeWeights};
use crate::field::{Cancelled, Control, Edges, Grid, Region, SquareReader, Terrain};
use crate::planet::climate::TerrainClimate;
use crate::scene::{AttributeReach, Scene};

/// Rows held in memory at a time: as many as a tile of a cloud-optimised file has.
const ROWS: usize = 512;
/// Side of a window without its halo, in samples.
const WINDOW: usize = 256;
/// Number of channels of a splat map.
pub(super) const CHANNELS: usize = 4;

/// Maps of a square terrain. Data about the whole terrain that its windows need are computed once.
pub struct SquareMaps<'a> {
    scene: &'a Scene,
    square: &'a dyn SquareReader,
    control: &'a Control,
    ground: OnceLock<SampledGround<'a>>,
    kept: OnceLock<(Vec<usize>, Vec<LegendEntry>)>,
    climate: OnceLock<TerrainClimate>,
    /// Lowest and highest temperature, and lowest and highest moisture, of samples with terrain.
    ranges: [OnceLock<(f32, f32)>; 2],
}

/// The reason why a map of `scene` cannot be computed in strips of rows, as the end of a sentence. `None` if the map
/// can be computed in this way.
pub fn reason_for_whole(map: &ExportMap, scene: &Scene) -> Option<&'static str> {
    let wraps = scene.settings.edges == Edges::Wrap;
    match map {
        ExportMap::Attribute(attribute) if attribute.reach() == AttributeReach::Horizon => {
            Some("the horizon may lie anywhere on the terrain")
        }
        ExportMap::Relief => Some("its shadows may come from anywhere on the terrain"),
        ExportMap::Mask(_) if scene.is_planet() => Some("a planet cannot be built in tiles"),
        ExportMap::Colours | ExportMap::Types | ExportMap::Splat | ExportMap::Weights | ExportMap::Control if wraps => {
            Some("the terrain wraps, so its edges have neighbours at the opposite edge")
        }
        _ => None,
    }
}

impl<'a> SquareMaps<'a> {
    /// Whether [`SquareMaps`] computes the map. The other streamed maps are computed from the value of a sample and its
    /// neighbours.
    pub fn has(map: &ExportMap) -> bool {
        use ExportMap::{Colours, Control, Moisture, Splat, Temperature, Types, Weights};
        matches!(map, Colours | Types | Splat | Weights | Control | Temperature | Moisture)
    }

    /// Whether [`SquareMaps`] computes the map as a single sheet.
    pub fn is_one_sheet(map: &ExportMap) -> bool {
        Self::has(map) && !matches!(map, ExportMap::Splat | ExportMap::Weights)
    }

    /// Prepares the maps without reading any samples yet.
    pub fn new(scene: &'a Scene, square: &'a dyn SquareReader, control: &'a Control) -> Self {
        let ranges = [const { OnceLock::new() }; 2];
        let (ground, kept, climate) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { scene, square, control, ground, kept, climate, ranges }
    }

    /// The sheets of some columns of a map for which [`has`](Self::has) is true: several for splat maps and weights.
    ///
    /// # Errors
    /// If the computation was cancelled, or the square cannot be read.
    pub fn sheets(&self, map: &ExportMap, columns: &Range<usize>) -> Result<Vec<MapSheet<'_>>, Cancelled> {
        let control = self.control;
        Ok(match map {
            ExportMap::Colours => {
                let ground = self.ground()?;
                let make = move |window: &Terrain| {
                    let colours = ground.colours(window, control)?;
                    Ok(colours.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect())
                };
                vec![picture(ExportMap::Colours, self.strip(columns, 3, make))]
            }
            ExportMap::Types => {
                let ground = self.ground()?;
                let make = move |window: &Terrain| ground.types(window, control);
                vec![type_sheet(ground.legend(), self.strip(columns, 1, make))]
            }
            ExportMap::Splat | ExportMap::Weights => {
                let (ground, (kept, legend)) = (self.ground()?, self.kept()?);
                let channels = if *map == ExportMap::Splat { CHANNELS } else { 1 };
                let sheet = |(number, part): (usize, &[LegendEntry])| {
                    let first = number * channels;
                    let make = move |window: &Terrain| {
                        let all = ground.weights(window, kept, control)?;
                        let mut out = Vec::with_capacity(all.len() / kept.len().max(1) * channels);
                        for each in all.chunks(kept.len().max(1)) {
                            out.extend((first..first + channels).map(|k| each.get(k).copied().unwrap_or(0)));
                        }
                        Ok(out)
                    };
                    let at = self.strip(columns, channels, make);
                    match channels {
                        CHANNELS => weight_sheet(splat_label(number), channels, part.to_vec(), at),
                        // The file name contains the type.
                        _ => weight_sheet(weight_name(&part[0]), channels, Vec::new(), at),
                    }
                };
                legend.chunks(channels).enumerate().map(sheet).collect()
            }
            ExportMap::Control => {
                let (ground, (kept, legend)) = (self.ground()?, self.kept()?);
                let make = move |window: &Terrain| {
                    let all = ground.weights(window, kept, control)?;
                    let each = all.chunks(kept.len().max(1)).enumerate();
                    Ok(each.map(|(k, each)| control_bits(each, window.has_ground(k))).collect::<Vec<f32>>())
                };
                vec![control_sheet(legend.clone(), self.strip(columns, 1, make))]
            }
            ExportMap::Temperature | ExportMap::Moisture => {
                let (climate, range) = (self.climate()?, self.climate_range(map)?);
                let make = self.climate_of(map, climate);
                vec![MapSheet::streamed(map, range, self.strip(columns, 1, make))]
            }
            _ => Vec::new(),
        })
    }

    /// Weights of the ground types of all samples, for several sheets of a terrain that is in memory as a whole.
    ///
    /// # Errors
    /// If the computation was cancelled, or the square cannot be read.
    pub(super) fn all_weights(&self) -> Result<TypeWeights, Cancelled> {
        let (ground, (kept, legend), side) = (self.ground()?, self.kept()?, self.square.grid().samples);
        let make = |window: &Terrain| ground.weights(window, kept, self.control);
        let strip = Strip { maps: self, columns: 0..side, each: kept.len(), make, cached: Mutex::default() };
        let mut weights = Vec::with_capacity(side * side * kept.len());
        for first in (0..side).step_by(WINDOW) {
            weights.extend(strip.computed(first..(first + WINDOW).min(side))?.numbers);
        }
        Ok(TypeWeights::new(legend.clone(), weights))
    }

    fn ground(&self) -> Result<&SampledGround<'a>, Cancelled> {
        cached(&self.ground, || SampledGround::new(self.scene, self.square, self.control))
    }

    fn climate(&self) -> Result<&TerrainClimate, Cancelled> {
        let (settings, climate) = (&self.scene.settings, self.scene.seasonal_climate());
        let made = || TerrainClimate::of_square(&climate, self.square, settings.relief_metres, settings.sea_level);
        cached(&self.climate, made)
    }

    /// The ground types that occur, found by reading all windows once.
    fn kept(&self) -> Result<&(Vec<usize>, Vec<LegendEntry>), Cancelled> {
        cached(&self.kept, || {
            let (ground, grid) = (self.ground()?, self.square.grid());
            let counted = |window: &Terrain, region: &Region| {
                let types = ground.types(window, self.control)?;
                let mut counts = vec![0u64; ground.legend().len()];
                samples_of(window, region).for_each(|k| counts[usize::from(types[k])] += 1);
                Ok(counts)
            };
            let of_all = self.windows(&(0..grid.samples), &(0..grid.samples), &counted)?;
            let mut counts = vec![0u64; ground.legend().len()];
            of_all.iter().for_each(|(_, some)| counts.iter_mut().zip(some).for_each(|(count, some)| *count += some));
            Ok(ground.kept(&counts, grid.len()))
        })
    }

    /// Temperature or moisture at the samples of a window.
    fn climate_of<'b>(
        &'b self,
        map: &ExportMap,
        climate: &'b TerrainClimate,
    ) -> impl Fn(&Terrain) -> Result<Vec<f32>, Cancelled> + Sync + 'b {
        let (is_warm, relief) = (*map == ExportMap::Temperature, self.scene.settings.relief_metres);
        move |window| {
            let (grid, n) = (window.grid, window.samples());
            let value = |(k, height): (usize, &f32)| {
                let here = climate.at_place(grid.column_position(k % n), grid.row_position(k / n), height * relief);
                if is_warm { here.celsius } else { here.moisture }
            };
            Ok(window.height.iter().enumerate().map(value).collect())
        }
    }

    /// Lowest and highest value of samples with terrain, or of all samples if none has terrain.
    fn climate_range(&self, map: &ExportMap) -> Result<(f32, f32), Cancelled> {
        cached(&self.ranges[usize::from(*map == ExportMap::Moisture)], || {
            let (climate, side) = (self.climate()?, 0..self.square.grid().samples);
            let make = self.climate_of(map, climate);
            let none = (f32::INFINITY, f32::NEG_INFINITY);
            let wider = |a: (f32, f32), b: (f32, f32)| (a.0.min(b.0), a.1.max(b.1));
            let range = |window: &Terrain, region: &Region| {
                let values = make(window)?;
                let of = |k: usize| (values[k], values[k]);
                let ground = samples_of(window, region).filter(|&k| window.has_ground(k)).map(of).fold(none, wider);
                Ok((ground, samples_of(window, region).map(of).fold(none, wider)))
            };
            let of_all = self.windows(&side, &side, &range)?;
            let (ground, all) = of_all.iter().fold((none, none), |(ground, all), (_, (of_ground, of_all))| {
                (wider(ground, *of_ground), wider(all, *of_all))
            });
            Ok(if ground.0 <= ground.1 { ground } else { all })
        })
        .copied()
    }

    /// Calls `make` for every window of some rows and columns. Returns each result with the samples that the window
    /// covers.
    fn windows<T: Send>(
        &self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        make: &(impl Fn(&Terrain, &Region) -> Result<T, Cancelled> + Sync),
    ) -> Result<Vec<(Region, T)>, Cancelled> {
        let parts = |whole: &Range<usize>| -> Vec<Range<usize>> {
            whole.clone().step_by(WINDOW).map(|first| first..(first + WINDOW).min(whole.end)).collect()
        };
        let columns = parts(columns);
        let regions = parts(rows).into_iter().flat_map(|rows| {
            columns.iter().map(move |columns| Region { rows: rows.clone(), columns: columns.clone() })
        });
        let made = |region: Region| {
            self.control.check()?;
            let window = self.square.window(window_around(self.square.grid().samples, &region))?;
            Ok((region.clone(), make(&window, &region)?))
        };
        regions.collect::<Vec<_>>().into_par_iter().map(made).collect()
    }

    /// The values of a map with `each` channels; `make` returns the values of all samples of a window, in order.
    fn strip<'b, T: Copy + Default + Into<f32> + Send + Sync + 'b>(
        &'b self,
        columns: &Range<usize>,
        each: usize,
        make: impl Fn(&Terrain) -> Result<Vec<T>, Cancelled> + Sync + 'b,
    ) -> MapRows<'b> {
        let strip = Strip { maps: self, columns: columns.clone(), each, make, cached: Mutex::default() };
        Box::new(move |row, columns, out| strip.row(row, columns, out))
    }
}

/// The content of a cell; the first call computes it.
fn cached<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, Cancelled>) -> Result<&T, Cancelled> {
    match cell.get() {
        Some(there) => Ok(there),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

/// The window of a square with `samples` per side that contains all data for the values of a region.
fn window_around(samples: usize, region: &Region) -> Grid {
    let halo = SampledGround::HALO;
    let side = (region.rows.len().max(region.columns.len()) + 2 * halo).min(samples);
    let first = |start: usize| start.saturating_sub(halo).min(samples - side);
    // None of these maps reads across the edges of a wrapping square.
    Grid::working(samples, Edges::Open).window([first(region.rows.start), first(region.columns.start)], side)
}

/// The indices in a window at which the samples of a region are.
fn samples_of<'a>(window: &Terrain, region: &'a Region) -> impl Iterator<Item = usize> + 'a {
    let ([top, left], n) = (window.grid.first(), window.samples());
    region.rows.clone().flat_map(move |row| region.columns.clone().map(move |column| (row - top) * n + column - left))
}

/// Some columns of a map; one band of rows is held in memory.
struct Strip<'a, 'm, T, F> {
    maps: &'a SquareMaps<'m>,
    columns: Range<usize>,
    each: usize,
    make: F,
    cached: Mutex<Arc<CachedStrip<T>>>,
}

#[derive(Default)]
struct CachedStrip<T> {
    rows: Range<usize>,
    numbers: Vec<T>,
}

impl<T, F> Strip<'_, '_, T, F>
where
    T: Copy + Default + Into<f32> + Send + Sync,
    F: Fn(&Terrain) -> Result<Vec<T>, Cancelled> + Sync,
{
    /// Copies the numbers in some columns of a row to `out`.
    fn row(&self, row: usize, columns: Range<usize>, out: &mut [f32]) {
        let copy = |held: &CachedStrip<T>, out: &mut [f32]| {
            let first = (row - held.rows.start) * self.columns.len() + columns.start - self.columns.start;
            let numbers = held.numbers.get(first * self.each..).unwrap_or_default();
            out.iter_mut().zip(numbers).for_each(|(out, &number)| *out = number.into());
        };
        let held = self.cached.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if held.rows.contains(&row) {
            return copy(&held, out);
        }
        let first = row / ROWS * ROWS;
        let rows = first..(first + ROWS).min(self.maps.square.grid().samples);
        // After a failure the file is discarded, so its values do not matter.
        let made = self.computed(rows.clone()).unwrap_or(CachedStrip { rows, numbers: Vec::new() });
        copy(&made, out);
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(made);
    }

    fn computed(&self, rows: Range<usize>) -> Result<CachedStrip<T>, Cancelled> {
        let own = |window: &Terrain, region: &Region| {
            let all = (self.make)(window)?;
            let each = self.each;
            Ok(samples_of(window, region).flat_map(|k| &all[k * each..(k + 1) * each]).copied().collect::<Vec<T>>())
        };
        let parts = self.maps.windows(&rows, &self.columns, &own)?;
        let mut made = vec![T::default(); rows.len() * self.columns.len() * self.each];
        for (region, numbers) in &parts {
            let width = region.columns.len() * self.each;
            for (row, numbers) in region.rows.clone().zip(numbers.chunks(width.max(1))) {
                let place = (row - rows.start) * self.columns.len() + region.columns.start - self.columns.start;
                made[place * self.each..][..width].copy_from_slice(numbers);
            }
        }
        Ok(CachedStrip { rows, numbers: made })
    }
}

/// Number of rows that the threads share as one strip, when the whole terrain is in memory.
const ROWS_TOGETHER: usize = 64;

/// Values of a square with `samples` per side, computed in strips of rows on all threads; `fill` computes a row.
pub(super) fn by_rows<'a>(samples: usize, fill: impl Fn(usize, &mut [f32]) + Send + Sync + 'a) -> MapRows<'a> {
    let held = Mutex::new(CachedStrip::<f32>::default());
    Box::new(move |row, columns, out| {
        let copy = |held: &CachedStrip<f32>, out: &mut [f32]| {
            out.copy_from_slice(&held.numbers[(row - held.rows.start) * samples..][columns.clone()]);
        };
        let there = held.lock().unwrap_or_else(PoisonError::into_inner);
        if there.rows.contains(&row) {
            return copy(&there, out);
        }
        drop(there);
        let first = row / ROWS_TOGETHER * ROWS_TOGETHER;
        let rows = first..(first + ROWS_TOGETHER).min(samples);
        let mut numbers = vec![0.0; rows.len() * samples];
        numbers.par_chunks_mut(samples).zip(rows.clone()).for_each(|(out, row)| fill(row, out));
        let made = CachedStrip { rows, numbers };
        copy(&made, out);
        *held.lock().unwrap_or_else(PoisonError::into_inner) = made;
    })
}
