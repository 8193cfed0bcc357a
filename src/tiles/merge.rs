//! Writes files from all tiles of the result, in strips of rows, without holding the whole terrain in memory.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::result_rows::{FieldSource, ROWS, ResultRows, ResultSquare};
use super::{TileBuild, TileError};
use crate::export::maps::{ExportMap, SampledSquare, SquareMaps, SquareValues, mask_layer, sampled_attribute};
use crate::export::streamed::{StreamedProduct, StreamedSquare, streamed_parts};
use crate::export::{ExportError, ExportReport, ExportRequest};
use crate::field::{Control, FieldHasher, HAS_GROUND, MapKind, Region, terrain_hash};
use crate::io::{SaveTarget, StagedSet};
use crate::scene::{AttributeReach, BuildTiles, TerrainAttribute};
use crate::web_map::{BoxedError, RasterPyramid, WebMapReport};

/// Rows of all fields held in memory at a time while the result is hashed.
const HASHED_ROWS: usize = 64;

/// Properties of the whole result of a build in tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedTerrain {
    /// Content hash, equal to [`Terrain::hash`](crate::field::Terrain::hash) of the whole terrain.
    pub hash: u128,
    /// The data maps of the result.
    pub kinds: Vec<MapKind>,
    /// Lowest and highest value of the heights and of each data map, in the terrain's own units. Only samples with
    /// terrain count, or all samples if none has terrain.
    ranges: Vec<(f32, f32)>,
    /// Lowest and highest value of each attribute. The first request computes them.
    attributes: [OnceLock<(f32, f32)>; TerrainAttribute::ALL.len()],
    /// Content hashes of the heights and of each data map.
    hashes: Vec<u128>,
}

/// The lowest and the highest value of a field.
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

impl MergedTerrain {
    /// The index of a data map among the fields of the result, where field 0 is the heights.
    pub(super) fn field(&self, kind: MapKind) -> Option<usize> {
        field_index(&self.kinds, kind)
    }

    /// Content hash of the result without the data map `kind`.
    pub(super) fn hash_without(&self, kind: MapKind) -> u128 {
        let maps = self.kinds.iter().copied().zip(self.hashes.iter().skip(1).copied());
        terrain_hash(self.hashes.first().copied().unwrap_or(0), maps.filter(|(there, _)| *there != kind))
    }
}

fn field_index(kinds: &[MapKind], kind: MapKind) -> Option<usize> {
    kinds.iter().position(|&there| there == kind).map(|index| 1 + index)
}

impl TileBuild {
    /// Reads all tiles of the result once, for its hash and ranges.
    ///
    /// # Errors
    /// If a tile is missing, incomplete or unreadable, or reading was cancelled.
    pub fn merged(&self, control: &Control) -> Result<MergedTerrain, TileError> {
        let (plan, samples) = (&self.plan, self.plan.samples);
        self.check_result(control)?;
        let mut kinds = Vec::new();
        let (mut hashers, mut on_ground, mut of_all) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..samples).step_by(HASHED_ROWS) {
            control.check()?;
            let rows = Region { rows: first..(first + HASHED_ROWS).min(samples), columns: 0..samples };
            let (found, fields) = self.store.fields(plan, plan.result, &rows)?;
            if first == 0 {
                kinds = found;
                hashers = vec![FieldHasher::new(samples); fields.len()];
                on_ground = vec![ValueRange::NONE; fields.len()];
                of_all = on_ground.clone();
            }
            let ground = field_index(&kinds, MapKind::Ground).map(|index| fields[index].clone());
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
        let hashes: Vec<u128> = hashers.iter().map(FieldHasher::hash).collect();
        let maps = kinds.iter().copied().zip(hashes.iter().skip(1).copied());
        let hash = terrain_hash(hashes.first().copied().unwrap_or(0), maps);
        let chosen = |(ground, all): (&ValueRange, &ValueRange)| {
            let ValueRange(low, high) = if ground.0 <= ground.1 { *ground } else { *all };
            (low, high)
        };
        let ranges = on_ground.iter().zip(&of_all).map(chosen).collect();
        Ok(MergedTerrain { hash, kinds, ranges, attributes: [const { OnceLock::new() }; _], hashes })
    }

    /// Lowest and highest value of an attribute. Only samples with terrain count, or all samples if none has terrain.
    /// The first call reads all rows, later calls reuse its result.
    fn attribute_range(
        &self,
        merged: &MergedTerrain,
        attribute: TerrainAttribute,
        control: &Control,
    ) -> Result<(f32, f32), TileError> {
        if let Some(limits) = attribute.limits() {
            return Ok(limits);
        }
        let known = &merged.attributes[attribute as usize];
        if let Some(range) = known.get() {
            return Ok(*range);
        }
        let (plan, samples, grid) = (&self.plan, self.plan.samples, self.scene.grid(self.plan.samples));
        let (ground, flow) = (merged.field(MapKind::Ground), self.flow_field(merged, attribute)?);
        // Reads rows outside the held band: the neighbours across the seam of a wrapping terrain.
        let beyond = ResultRows::new(self, FieldSource { product: plan.result, field: 0 }, None, 0..samples);
        let (mut on_ground, mut of_all) = (ValueRange::NONE, ValueRange::NONE);
        for first in (0..samples).step_by(ROWS) {
            control.check()?;
            let last = (first + ROWS).min(samples);
            let held = first.saturating_sub(1)..(last + 1).min(samples);
            let around = Region { rows: held.clone(), columns: 0..samples };
            let is_read = |field: usize, _: &[MapKind]| field == 0 || [ground, flow].contains(&Some(field));
            let (_, fields) = self.store.some_fields(plan, plan.result, &around, &is_read)?;
            let index = |row: usize, column: usize| (row - held.start) * samples + column;
            let value = |row: usize, column: usize| match held.contains(&row) {
                true => fields[0][index(row, column)],
                false => beyond.value(row, column),
            };
            let flow_at = flow.map(|flow| {
                let (fields, index) = (&fields, &index);
                move |row: usize, column: usize| fields[flow][index(row, column)]
            });
            let flow_at = flow_at.as_ref().map(|at| at as SquareValues);
            let has_ground = |row: usize, column: usize| {
                ground.is_none_or(|ground| fields[ground][index(row, column)] >= HAS_GROUND)
            };
            let of_row = |row: usize| {
                let (mut on_ground, mut of_all) = (ValueRange::NONE, ValueRange::NONE);
                for column in 0..samples {
                    let at = sampled_attribute(&self.scene, grid, attribute, (&value, flow_at), [row, column]);
                    of_all.add(at);
                    if has_ground(row, column) {
                        on_ground.add(at);
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
        Ok(*known.get_or_init(|| (low, high)))
    }

    /// The index of the flow among the fields of the result, if an attribute is computed from the flow.
    ///
    /// # Errors
    /// If the attribute needs the flow and the result does not have it.
    fn flow_field(&self, merged: &MergedTerrain, attribute: TerrainAttribute) -> Result<Option<usize>, TileError> {
        if attribute.reach() != AttributeReach::Drainage {
            return Ok(None);
        }
        let missing = || TileError::NoFlow(ExportMap::Attribute(attribute).to_string());
        merged.field(MapKind::Flow).map(Some).ok_or_else(missing)
    }

    /// Writes a map of the `merged` result as one file, or cut into tiles; the ending of `to` chooses the format. Splat
    /// maps and weights become several files with a legend.
    ///
    /// # Errors
    /// If the result has no such map, or the map can only be made of the whole terrain
    /// ([`is_streamed`](crate::export::streamed::is_streamed)). Also if a tile cannot be read or a file cannot be
    /// written. No file was replaced in that case.
    pub fn write_merged(
        &self,
        merged: &MergedTerrain,
        map: &ExportMap,
        to: &SaveTarget,
        tiling: Option<BuildTiles>,
        control: &Control,
    ) -> Result<ExportReport, TileError> {
        let request = ExportRequest { tiles: tiling, ..ExportRequest::default() };
        let product = StreamedProduct::new(map, &self.scene, to.path())?;
        let target = |path: &Path| to.with_path(path);
        let files = self.streamed(merged, &request, &target, control);
        let (mut report, mut set) = (ExportReport::default(), StagedSet::default());
        let square = ResultSquare::new(self, merged);
        let maps = SquareMaps::new(&self.scene, &square, control);
        self.stage_product(merged, &files, (&maps, &square), &product, (&mut report, &mut set))?;
        set.commit()?;
        Ok(report)
    }

    /// The writer for maps of the result.
    pub(super) fn streamed<'a>(
        &'a self,
        merged: &MergedTerrain,
        request: &'a ExportRequest,
        target: &'a dyn Fn(&Path) -> SaveTarget,
        control: &'a Control,
    ) -> StreamedSquare<'a> {
        StreamedSquare { scene: &self.scene, samples: self.plan.samples, hash: merged.hash, request, target, control }
    }

    /// Writes the heights of the result as a pyramid of tiles for maps in browsers into the new folder `folder`,
    /// without holding the whole terrain in memory.
    ///
    /// # Errors
    /// If the terrain does not fit on the map, a tile cannot be read, or the folder cannot be written.
    pub fn write_pyramid(
        &self,
        merged: &MergedTerrain,
        pyramid: &RasterPyramid,
        folder: &Path,
        control: &Control,
    ) -> Result<WebMapReport, TileError> {
        let (plan, relief) = (&self.plan, self.scene.settings.relief_metres);
        let ground = merged.field(MapKind::Ground);
        let metres = |rows: Range<usize>, columns: Range<usize>| -> Result<Vec<f32>, BoxedError> {
            let wanted = Region { rows, columns };
            if ground.is_none() {
                let heights = self.store.heights(plan, plan.result, &wanted)?;
                return Ok(heights.iter().map(|height| height * relief).collect());
            }
            let (_, fields) =
                self.store.some_fields(plan, plan.result, &wanted, &|field, _| field == 0 || Some(field) == ground)?;
            let there = ground.and_then(|index| fields.get(index));
            let here = |(k, height): (usize, &f32)| {
                if there.is_none_or(|ground| ground[k] >= HAS_GROUND) { height * relief } else { f32::NAN }
            };
            Ok(fields.first().into_iter().flatten().enumerate().map(here).collect())
        };
        let cell = f64::from(self.scene.grid(plan.samples).cell());
        Ok(pyramid.write_streamed(plan.samples, cell, &metres, folder, control)?)
    }

    /// Writes all files of a product of the `merged` result, without replacing existing files of the same names yet.
    ///
    /// # Errors
    /// If the result has no such map, a tile cannot be read, or the file cannot be written.
    pub(super) fn stage_product(
        &self,
        merged: &MergedTerrain,
        files: &StreamedSquare,
        (maps, square): (&SquareMaps, &ResultSquare),
        product: &StreamedProduct,
        (report, set): (&mut ExportReport, &mut StagedSet),
    ) -> Result<(), TileError> {
        let (map, control, ground) = (&product.map, files.control, merged.field(MapKind::Ground));
        for part in streamed_parts(files.request, self.plan.samples)? {
            control.check()?;
            let [_, left, _, columns] = part.part;
            let columns = left..left + columns;
            // Slope and curvature also read the neighbouring samples.
            let around = columns.start.saturating_sub(1)..(columns.end + 1).min(self.plan.samples);
            let rows = ResultRows::new(self, self.source(merged, map)?, ground, around);
            let has_ground = |row: usize, column: usize| rows.has_ground(row, column);
            let has_ground = ground.map(|_| &has_ground as &(dyn Fn(usize, usize) -> bool + Sync));
            let value = |row: usize, column: usize| rows.value(row, column);
            if SquareMaps::has(map) {
                let sheets = maps.sheets(map, &columns).map_err(|cancelled| square.error(cancelled))?;
                for sheet in &sheets {
                    let staged = files.stage(product, sheet, &part, has_ground, (&mut *report, &mut *set));
                    square.check()?;
                    staged?;
                }
            } else {
                let flow = match map {
                    ExportMap::Attribute(attribute) => self.flow_field(merged, *attribute)?,
                    _ => None,
                };
                let flow = flow.map(|field| FieldSource { product: self.plan.result, field });
                let flow = flow.map(|source| ResultRows::new(self, source, None, columns.clone()));
                let flow_at = flow.as_ref().map(|rows| |row: usize, column: usize| rows.value(row, column));
                let sampled = SampledSquare {
                    scene: &self.scene,
                    grid: self.scene.grid(self.plan.samples),
                    range: match map {
                        ExportMap::Attribute(attribute) => self.attribute_range(merged, *attribute, control)?,
                        ExportMap::Mask(_) => (0.0, 1.0),
                        _ => merged.ranges[rows.source.field],
                    },
                    value: &value,
                    flow: flow_at.as_ref().map(|at| at as SquareValues),
                    band_metres: files.band_metres(),
                };
                let staged = files.stage(product, &sampled.sheet(map), &part, has_ground, (&mut *report, &mut *set));
                rows.check()?;
                flow.as_ref().map_or(Ok(()), ResultRows::check)?;
                staged?;
            }
            rows.check()?;
        }
        Ok(())
    }

    /// The field in the tile store from which a map is computed.
    fn source(&self, merged: &MergedTerrain, map: &ExportMap) -> Result<FieldSource, TileError> {
        let field = match map {
            ExportMap::Data(MapKind::Flow) => {
                merged.field(MapKind::Flow).ok_or_else(|| TileError::NoFlow(map.to_string()))?
            }
            ExportMap::Data(kind) => merged.field(*kind).ok_or(TileError::NoMap(*kind))?,
            ExportMap::Mask(name) => {
                let layer = mask_layer(&self.scene, name).map_err(ExportError::from)?;
                let mask = self.plan.masks.iter().find(|mask| mask.layer == layer);
                let product = mask.ok_or_else(|| self.no_mask(name))?.product;
                return Ok(FieldSource { product, field: 0 });
            }
            _ => 0,
        };
        Ok(FieldSource { product: self.plan.result, field })
    }

    /// The error for a mask that the plan does not keep; it lists the masks that the plan keeps.
    fn no_mask(&self, name: &str) -> TileError {
        let names: Vec<&str> = self.plan.masks.iter().map(|mask| mask.name.as_str()).collect();
        let known =
            if names.is_empty() { "it keeps none".into() } else { format!("it keeps those of {}", names.join(", ")) };
        TileError::NoMask { layer: name.into(), known }
    }
}
