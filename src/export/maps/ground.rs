//! Ground cover: colours, ground types, splat maps.
//!
//! Ground types are those of the biome table that colours the scene. A square terrain with a palette uses the materials
//! of the 3D view instead of ground types, by the same rules.

use std::borrow::Cow;
use std::sync::Arc;

use super::layout::{self, PixelLayout};
use super::strips::{CHANNELS, SquareMaps};
use super::{ExportMap, MapNature, MapRows, MapSheet, MapSource, scaled};
use crate::appearance::{
    LegendEntry, PaletteTable, PlanetImage, RgbImage, TypeMap, TypeWeights, ground_colours, relief,
};
use crate::appearance_files::BIOME_PREFIX;
use crate::field::{Cancelled, Control, Terrain};
use crate::io::formats::each_number;
use crate::scene::Scene;

/// Table of ground types for planets whose scene has no biome table.
const USUAL_TYPES: &str = "earth";

/// The map of height bands: each value is the index of the band between two contour lines. Indices are limited to 255.
pub(super) fn bands<'a>(source: &MapSource<'a>, layout: &'a PixelLayout) -> MapSheet<'a> {
    let (terrain, relief) = (source.terrain, source.scene.settings.relief_metres);
    let range = layout::range(terrain, &scaled(terrain.height.as_slice(), relief));
    let at = move |row, column| terrain.height[layout.nearest(row, column)] * relief;
    band_sheet(range, source.band_metres, at)
}

/// Like [`bands`], with bands of `step` metres. `at` returns heights in metres, which lie between `low` and `high`.
pub(super) fn band_sheet<'a>(
    (low, high): (f32, f32),
    step: f32,
    at: impl Fn(usize, usize) -> f32 + Sync + 'a,
) -> MapSheet<'a> {
    let first = libm::floorf(low / step);
    let number = move |metres: f32| (libm::floorf(metres / step) - first).clamp(0.0, 255.0);
    MapSheet {
        label: ExportMap::Bands.to_string(),
        nature: MapNature::Index,
        unit: "",
        channels: 1,
        range: (0.0, number(high)),
        legend: Vec::new(),
        rows: Box::new(each_number(move |row, column, _| number(at(row, column)))),
    }
}

pub(super) fn colours<'a>(
    scene: &Scene,
    terrain: &Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<MapSheet<'a>, Cancelled> {
    let colours = ground_colours(scene, terrain, control)?;
    let at = move |row, column, channel: usize| f32::from(colours[layout.nearest(row, column)][channel]);
    Ok(picture(ExportMap::Colours, Box::new(each_number(at))))
}

/// The relief picture, with a pixel for every sample. On a planet, each pixel is drawn for the direction that it shows.
pub(super) fn relief_picture<'a>(
    scene: &'a Scene,
    terrain: &'a Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<MapSheet<'a>, Cancelled> {
    if terrain.grid.is_globe() {
        let image = PlanetImage::new(scene, terrain, control)?;
        let colour = move |row, column| layout.direction(row, column).map_or([0; 3], |at| image.relief_colour(at));
        return Ok(picture(
            ExportMap::Relief,
            Box::new(move |row, columns, out| {
                for (out, column) in out.as_chunks_mut::<3>().0.iter_mut().zip(columns) {
                    *out = colour(row, column).map(f32::from);
                }
            }),
        ));
    }
    let n = terrain.samples();
    let RgbImage { rgb, .. } = relief(terrain, &scene.settings, &PaletteTable::for_scene(scene), [n; 2], control)?;
    let at = move |row, column, channel| f32::from(rgb[(row * n + column) * 3 + channel]);
    Ok(picture(ExportMap::Relief, Box::new(each_number(at))))
}

pub(super) fn picture(map: ExportMap, rows: MapRows) -> MapSheet {
    MapSheet {
        label: map.to_string(),
        nature: MapNature::Colour,
        unit: "",
        channels: 3,
        range: (0.0, 255.0),
        legend: Vec::new(),
        rows,
    }
}

/// Returns the scene. A planet without a biome table gets the default table.
fn with_planet_types(scene: &Scene) -> Cow<'_, Scene> {
    if !scene.is_planet() || scene.biome_table().is_some() {
        return Cow::Borrowed(scene);
    }
    Cow::Owned(Scene { palette: format!("{BIOME_PREFIX}{USUAL_TYPES}"), ..scene.clone() })
}

pub(super) fn types<'a>(
    scene: &Scene,
    terrain: &Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<MapSheet<'a>, Cancelled> {
    let of_table = TypeMap::for_scene(&with_planet_types(scene), terrain, control)?;
    let TypeMap { types, legend } = match of_table {
        Some(types) => types,
        None => TypeMap::of_materials(scene, terrain, control)?,
    };
    let at = move |row, column, _| f32::from(types[layout.nearest(row, column)]);
    Ok(type_sheet(legend, Box::new(each_number(at))))
}

pub(super) fn type_sheet(legend: Vec<LegendEntry>, rows: MapRows) -> MapSheet {
    MapSheet {
        label: ExportMap::Types.to_string(),
        nature: MapNature::Index,
        unit: "",
        channels: 1,
        range: (0.0, legend.len().saturating_sub(1) as f32),
        legend,
        rows,
    }
}

/// Splat maps with four types per sheet; unused channels of the last sheet are 0.
pub(super) fn splat<'a>(
    scene: &Scene,
    terrain: &Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<Vec<MapSheet<'a>>, Cancelled> {
    let weights = Arc::new(type_weights(scene, terrain, control)?);
    let sheets = weights.legend.chunks(CHANNELS).enumerate().map(|(sheet, part)| {
        let (legend, weights) = (part.to_vec(), weights.clone());
        let at = move |row, column, channel: usize| {
            let number = sheet * CHANNELS + channel;
            f32::from(weights.of_sample(layout.nearest(row, column)).get(number).copied().unwrap_or(0))
        };
        weight_sheet(splat_label(sheet), CHANNELS, legend, Box::new(each_number(at)))
    });
    Ok(sheets.collect())
}

pub(super) fn splat_label(sheet: usize) -> String {
    format!("{}{sheet}", ExportMap::Splat)
}

/// Weight maps with one type per sheet.
pub(super) fn weights<'a>(
    scene: &Scene,
    terrain: &Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<Vec<MapSheet<'a>>, Cancelled> {
    let weights = Arc::new(type_weights(scene, terrain, control)?);
    let sheets = weights.legend.iter().map(|entry| {
        let (weights, number) = (weights.clone(), usize::from(entry.index));
        let at = move |row, column, _| f32::from(weights.of_sample(layout.nearest(row, column))[number]);
        // The file name contains the type.
        weight_sheet(weight_name(entry), 1, Vec::new(), Box::new(each_number(at)))
    });
    Ok(sheets.collect())
}

pub(super) fn weight_name(entry: &LegendEntry) -> String {
    let plain: String = entry.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("weight-{:02}-{}", entry.index, plain.to_lowercase())
}

/// The control map of Terrain3D (described in its document *Control map format*), as floats with these bits: the
/// strongest type in bits 27 to 31, the second in 22 to 26, the fraction of the second in 14 to 21, a hole in bit 2.
pub(super) fn control<'a>(
    scene: &Scene,
    terrain: &'a Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<MapSheet<'a>, Cancelled> {
    let weights = type_weights(scene, terrain, control)?;
    let legend = weights.legend.clone();
    let at = move |row, column, _| {
        let k = layout.nearest(row, column);
        control_bits(weights.of_sample(k), terrain.has_ground(k))
    };
    Ok(control_sheet(legend, Box::new(each_number(at))))
}

/// A value of the control map from the weights of a sample.
pub(super) fn control_bits(each: &[u8], has_ground: bool) -> f32 {
    let strongest = |but: Option<usize>| {
        let others = (0..each.len()).filter(|&kind| Some(kind) != but);
        others.reduce(|most, kind| if each[kind] > each[most] { kind } else { most })
    };
    let base = strongest(None).unwrap_or(0);
    let over = strongest(Some(base)).unwrap_or(base);
    let weight = |kind: usize| each.get(kind).map_or(0.0, |&weight| f32::from(weight));
    let blend = if over == base { 0.0 } else { weight(over) / (weight(base) + weight(over)) };
    let hole = u32::from(!has_ground);
    f32::from_bits((base as u32) << 27 | (over as u32) << 22 | ((blend * 255.0 + 0.5) as u32) << 14 | hole << 2)
}

pub(super) fn control_sheet(legend: Vec<LegendEntry>, rows: MapRows) -> MapSheet {
    MapSheet {
        label: ExportMap::Control.to_string(),
        nature: MapNature::Bits,
        unit: "",
        channels: 1,
        range: (0.0, 0.0),
        legend,
        rows,
    }
}

pub(super) fn weight_sheet(label: String, channels: usize, legend: Vec<LegendEntry>, rows: MapRows) -> MapSheet {
    MapSheet { label, nature: MapNature::Weights, unit: "", channels, range: (0.0, 255.0), legend, rows }
}

/// Weights of the ground types of all samples. Only types that occur are kept, sorted by their total weight.
fn type_weights(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<TypeWeights, Cancelled> {
    if terrain.grid.has_edge() {
        return SquareMaps::new(scene, terrain, control).all_weights();
    }
    let scene = &*with_planet_types(scene);
    if scene.biome_table().is_none() {
        return TypeWeights::of_materials(scene, terrain, control);
    }
    TypeWeights::for_scene(scene, terrain, control)
}
