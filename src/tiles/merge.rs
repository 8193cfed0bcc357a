//! Files made of all tiles of the result, without holding the whole: some rows of it at a time.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::{TileBuild, TileError};
use crate::export::RasterReport;
use crate::export::maps::{ExportMap, square_curvature};
use crate::export::streamed::{StreamedMap, StreamedPart, streamed_parts};
use crate::field::{Control, FieldHasher, HAS_GROUND, MapKind, Region, terrain_hash};
use crate::io::{SaveTarget, StagedFile, StagedSet};
use crate::scene::{BuildPreset, BuildTiles};
use crate::web_map::{BoxedError, RasterPyramid, WebMapReport};

/// Rows that are held at a time: those of a tile of a cloud-optimised file.
const ROWS: usize = 512;

/// What the result of a build in tiles is like as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedTerrain {
    /// Content hash, that of [`Terrain::hash`](crate::field::Terrain::hash).
    pub hash: u128,
    /// Its data maps.
    pub kinds: Vec<MapKind>,
    /// Lowest and highest number on the ground of the heights and of each data map, as the terrain holds them; of all
    /// where there is no ground at all.
    ranges: Vec<(f32, f32)>,
    /// Of its mean curvature in 1/m, once it was asked for.
    curvature: OnceLock<(f32, f32)>,
}

/// Numbers of which the lowest and the highest are wanted.
#[derive(Clone, Copy)]
struct ValueRange(f32, f32);

impl ValueRange {
    const NONE: Self = Self(f32::INFINITY, f32::NEG_INFINITY);

    fn wider(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.max(other.1))
    }

    fn add(&mut self, value: f32) {
        *self = Self(self.0.min(value), self.1.max(value));
    }
}

impl TileBuild {
    /// Reads all tiles of the result once.
    ///
    /// # Errors
    /// When one is not there, is not whole or cannot be read, or it was cancelled.
    pub fn merged(&self, control: &Control) -> Result<MergedTerrain, TileError> {
        let (plan, samples) = (&self.plan, self.plan.samples);
        self.check_result(control)?;
        let mut kinds = Vec::new();
        let (mut hashers, mut on_ground, mut of_all) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..samples).step_by(ROWS) {
            control.check()?;
            let rows = Region { rows: first..(first + ROWS).min(samples), columns: 0..samples };
            let (found, fields) = self.store.fields(plan, plan.result, &rows)?;
            if first == 0 {
                kinds = found;
                hashers = vec![FieldHasher::new(samples); fields.len()];
                on_ground = vec![ValueRange::NONE; fields.len()];
                of_all = on_ground.clone();
            }
            let ground = ground_index(&kinds).map(|index| fields[index].clone());
            for (number, field) in fields.iter().enumerate() {
                hashers[number].add(field);
                for (k, &value) in field.iter().enumerate() {
                    of_all[number].add(value);
                    if ground.as_ref().is_none_or(|ground| ground[k] >= HAS_GROUND) {
                        on_ground[number].add(value);
                    }
                }
            }
        }
        let maps = kinds.iter().copied().zip(hashers.iter().skip(1).map(FieldHasher::hash));
        let hash = terrain_hash(hashers.first().map_or(0, FieldHasher::hash), maps);
        let chosen = |(ground, all): (&ValueRange, &ValueRange)| {
            let ValueRange(low, high) = if ground.0 <= ground.1 { *ground } else { *all };
            (low, high)
        };
        let ranges = on_ground.iter().zip(&of_all).map(chosen).collect();
        Ok(MergedTerrain { hash, kinds, ranges, curvature: OnceLock::new() })
    }

    /// Lowest and highest mean curvature on the ground, of all where there is no ground at all: a look at all rows,
    /// once.
    fn curvature_range(&self, merged: &MergedTerrain, control: &Control) -> Result<(f32, f32), TileError> {
        if let Some(range) = merged.curvature.get() {
            return Ok(*range);
        }
        let (plan, samples, grid) = (&self.plan, self.plan.samples, self.scene.grid(self.plan.samples));
        let ground = ground_index(&merged.kinds);
        // beyond what is held lie the rows that join the edges of a terrain that repeats
        let beyond = ResultRows::new(self, 0, None, 0..samples);
        let (mut on_ground, mut of_all) = (ValueRange::NONE, ValueRange::NONE);
        for first in (0..samples).step_by(ROWS) {
            control.check()?;
            let last = (first + ROWS).min(samples);
            let held = first.saturating_sub(1)..(last + 1).min(samples);
            let (_, fields) =
                self.store.fields(plan, plan.result, &Region { rows: held.clone(), columns: 0..samples })?;
            let value = |row: usize, column: usize| match held.contains(&row) {
                true => fields[0][(row - held.start) * samples + column],
                false => beyond.value(row, column),
            };
            let has_ground = |row: usize, column: usize| {
                ground.is_none_or(|index| fields[index][(row - held.start) * samples + column] >= HAS_GROUND)
            };
            let of_row = |row: usize| {
                let (mut on_ground, mut of_all) = (ValueRange::NONE, ValueRange::NONE);
                for column in 0..samples {
                    let curvature = square_curvature(&self.scene, grid, &value, row, column);
                    of_all.add(curvature);
                    if has_ground(row, column) {
                        on_ground.add(curvature);
                    }
                }
                (on_ground, of_all)
            };
            let none = || (ValueRange::NONE, ValueRange::NONE);
            let both = |a: (ValueRange, ValueRange), b: (ValueRange, ValueRange)| (a.0.wider(b.0), a.1.wider(b.1));
            let found = (first..last).into_par_iter().map(of_row).reduce(none, both);
            (on_ground, of_all) = both((on_ground, of_all), found);
        }
        beyond.check()?;
        let ValueRange(low, high) = if on_ground.0 <= on_ground.1 { on_ground } else { of_all };
        Ok(*merged.curvature.get_or_init(|| (low, high)))
    }

    /// Whether all tiles of the result are there and whole.
    fn check_result(&self, control: &Control) -> Result<(), TileError> {
        let (plan, stage) = (&self.plan, self.plan.result.stage());
        let tiles = plan.tiles(stage);
        for place in (0..tiles * tiles).map(|tile| [tile / tiles, tile % tiles]) {
            control.check()?;
            if self.store.hash(plan, plan.result, place)?.is_none() {
                let path = self.store.path(plan.result, place);
                return Err(TileError::Missing { product: plan.result, place, path });
            }
        }
        Ok(())
    }

    /// Writes a map of the result that was `merged`, in the format of the ending of `to`, as one file or cut into
    /// tiles: one that follows from a sample and those beside it
    /// ([`is_streamed`](crate::export::streamed::is_streamed)).
    ///
    /// # Errors
    /// When the result has no such map, a tile cannot be read, or a file cannot be written; nothing was replaced then.
    pub fn write_merged(
        &self,
        merged: &MergedTerrain,
        map: &ExportMap,
        to: &SaveTarget,
        tiling: Option<BuildTiles>,
        control: &Control,
    ) -> Result<Vec<RasterReport>, TileError> {
        let (preset, mut reports, mut set) = (BuildPreset::default(), Vec::new(), StagedSet::default());
        for part in streamed_parts(to, self.plan.samples, tiling)? {
            control.check()?;
            let (report, staged) = self.stage_part(merged, &preset, map, &part, control)?;
            reports.push(report);
            set.push(staged);
        }
        set.commit()?;
        Ok(reports)
    }

    /// Writes the heights of the result as a pyramid of tiles for maps in browsers into the new folder `folder`,
    /// without holding the whole.
    ///
    /// # Errors
    /// When the terrain has no place on the map, a tile cannot be read, or the folder cannot be written.
    pub fn write_pyramid(
        &self,
        merged: &MergedTerrain,
        pyramid: &RasterPyramid,
        folder: &Path,
        control: &Control,
    ) -> Result<WebMapReport, TileError> {
        let (plan, relief) = (&self.plan, self.scene.settings.relief_metres);
        let ground = ground_index(&merged.kinds);
        let metres = |rows: Range<usize>, columns: Range<usize>| -> Result<Vec<f32>, BoxedError> {
            let wanted = Region { rows, columns };
            if ground.is_none() {
                let heights = self.store.heights(plan, plan.result, &wanted)?;
                return Ok(heights.iter().map(|height| height * relief).collect());
            }
            let (_, fields) = self.store.fields(plan, plan.result, &wanted)?;
            let there = ground.and_then(|index| fields.get(index));
            let here = |(k, height): (usize, &f32)| {
                if there.is_none_or(|ground| ground[k] >= HAS_GROUND) { height * relief } else { f32::NAN }
            };
            Ok(fields.first().into_iter().flatten().enumerate().map(here).collect())
        };
        let cell = f64::from(self.scene.grid(plan.samples).cell());
        Ok(pyramid.write_streamed(plan.samples, cell, &metres, folder, control)?)
    }

    /// Writes a part of a map of the result that was `merged` beside the file of that name that may be there.
    ///
    /// # Errors
    /// When the result has no such map, a tile cannot be read, or the file cannot be written.
    pub(super) fn stage_part(
        &self,
        merged: &MergedTerrain,
        preset: &BuildPreset,
        map: &ExportMap,
        part: &StreamedPart,
        control: &Control,
    ) -> Result<(RasterReport, StagedFile), TileError> {
        let field = match *map {
            ExportMap::Data(kind) => {
                1 + merged.kinds.iter().position(|&there| there == kind).ok_or(TileError::NoMap(kind))?
            }
            _ => 0,
        };
        let [_, left, _, columns] = part.part;
        // slopes and curvature look at the samples beside
        let columns = left.saturating_sub(1)..(left + columns + 1).min(self.plan.samples);
        let rows = ResultRows::new(self, field, ground_index(&merged.kinds), columns);
        let value = |row: usize, column: usize| rows.value(row, column);
        let has_ground = |row: usize, column: usize| rows.has_ground(row, column);
        let streamed = StreamedMap {
            scene: &self.scene,
            samples: self.plan.samples,
            hash: merged.hash,
            preset,
            map,
            range: match map {
                ExportMap::Curvature => self.curvature_range(merged, control)?,
                _ => merged.ranges[field],
            },
            value: &value,
            ground: if rows.ground.is_some() { Some(&has_ground) } else { None },
            control,
        };
        let staged = streamed.stage(part);
        rows.check()?;
        Ok(staged?)
    }
}

/// The number of the map that says where there is ground, among the fields of which the first are the heights.
fn ground_index(kinds: &[MapKind]) -> Option<usize> {
    kinds.iter().position(|&kind| kind == MapKind::Ground).map(|index| 1 + index)
}

/// Some columns of a field of the result, of which some rows are held.
struct ResultRows<'a> {
    build: &'a TileBuild,
    field: usize,
    ground: Option<usize>,
    columns: Range<usize>,
    held: Mutex<HeldRows>,
}

#[derive(Default)]
struct HeldRows {
    rows: Range<usize>,
    fields: Vec<Vec<f32>>,
    failed: Option<TileError>,
}

impl<'a> ResultRows<'a> {
    fn new(build: &'a TileBuild, field: usize, ground: Option<usize>, columns: Range<usize>) -> Self {
        Self { build, field, ground, columns, held: Mutex::default() }
    }

    fn number(&self, field: usize, row: usize, column: usize) -> f32 {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.rows.contains(&row) {
            let plan = &self.build.plan;
            let first = row / ROWS * ROWS;
            // and those beside, for slopes
            held.rows = first.saturating_sub(1)..(first + ROWS + 1).min(plan.samples);
            let wanted = Region { rows: held.rows.clone(), columns: self.columns.clone() };
            match self.build.store.fields(plan, plan.result, &wanted) {
                Ok((_, fields)) => held.fields = fields,
                Err(error) => {
                    held.failed = Some(error);
                    held.fields.clear();
                }
            }
        }
        let index = (row - held.rows.start) * self.columns.len() + column - self.columns.start;
        // what could not be read is told afterwards, and nothing is written
        held.fields.get(field).map_or(0.0, |field| field[index])
    }

    fn value(&self, row: usize, column: usize) -> f32 {
        self.number(self.field, row, column)
    }

    fn has_ground(&self, row: usize, column: usize) -> bool {
        self.ground.is_none_or(|ground| self.number(ground, row, column) >= HAS_GROUND)
    }

    /// What kept rows from being read.
    fn check(&self) -> Result<(), TileError> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).failed.take().map_or(Ok(()), Err)
    }
}
