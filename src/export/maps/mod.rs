//! Everything that can leave as a raster: heights, data maps, and what is worked out from them. One list,
//! [`ExportMap`], for the command line, the window and the library.
//!
//! | file | what it holds |
//! |---|---|
//! | `layout` | which sample, or which place of a planet, a pixel shows |
//! | `surface` | slope, curvature, normals, sky view |
//! | `ground` | colours, ground types, splat maps |
//! | `strips` | colours, ground types and climate of a square that is read in parts |

mod ground;
mod layout;
mod strips;
mod surface;

use std::fmt;
use std::str::FromStr;

pub use strips::{SquareMaps, reason_of_whole};
pub(crate) use surface::square_curvature;

pub use layout::{FilePart, PixelLayout, layouts};

use crate::appearance::{LegendEntry, SkyView};
use crate::eval::{Store, layer_mask};
use crate::field::{Cancelled, Control, Grid, MapKind, Terrain, gradient_degrees, sampled_gradient};
use crate::scene::Scene;

/// Something that a raster file can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportMap {
    /// Heights in metres.
    Heights,
    /// A data map that the layers wrote.
    Data(MapKind),
    /// Slope in degrees.
    Slope,
    /// Mean curvature in 1/m, above 0 on crests.
    Curvature,
    /// Directions of the ground.
    Normals,
    /// Share of the sky that is seen: ambient occlusion.
    SkyView,
    /// Number of the height band between contour lines.
    Bands,
    /// Colours of the ground without light.
    Colours,
    /// The relief picture, with light and shadow.
    Relief,
    /// Number of the most frequent ground type.
    Types,
    /// Weights of the ground types, four to a file.
    Splat,
    /// Weights of the ground types, one to a file.
    Weights,
    /// The control map of Terrain3D for Godot.
    Control,
    /// Temperature in °C.
    Temperature,
    /// Moisture from 0 to 1.
    Moisture,
    /// Where the layer of that name acts.
    Mask(String),
}

/// What the numbers of a map are, which decides how formats hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapNature {
    /// Measured numbers, over a range in whole numbers and as they are in floats.
    Scalar,
    /// Parts of a vector from -1 to 1.
    Vector,
    /// sRGB from 0 to 255.
    Colour,
    /// A number in a legend.
    Index,
    /// Weights from 0 to 255 that add up to 255.
    Weights,
    /// Whole numbers of 32 bits in the place of floats.
    Bits,
}

impl ExportMap {
    /// Those that any scene may have, in the order of menus; masks of layers come behind them.
    pub fn common() -> impl Iterator<Item = Self> {
        let data = MapKind::ALL.iter().map(|&kind| Self::Data(kind));
        let surface = [Self::Slope, Self::Curvature, Self::Normals, Self::SkyView, Self::Bands];
        let ground = [Self::Colours, Self::Relief, Self::Types, Self::Splat, Self::Weights, Self::Control];
        let climate = [Self::Temperature, Self::Moisture];
        std::iter::once(Self::Heights).chain(data).chain(surface).chain(ground).chain(climate)
    }

    /// All that a scene can have: without data maps that no layer writes, with the masks that are in use.
    pub fn of_scene(scene: &Scene) -> Vec<Self> {
        let is_planet = scene.settings.is_planet();
        let shown = || (0..scene.layers.len()).filter(|&index| scene.is_shown(index)).map(|index| &scene.layers[index]);
        let is_there = |map: &Self| match map {
            Self::Data(kind) => shown().any(|layer| layer.node.traits().writes.contains(kind)),
            Self::Control => !is_planet,
            _ => true,
        };
        let masks = shown().filter(|layer| layer.mask.is_active()).map(|layer| Self::Mask(layer.name.clone()));
        Self::common().filter(is_there).chain(masks).collect()
    }

    /// What people call it.
    pub fn name(&self) -> String {
        match self {
            Self::Heights => "Heights".into(),
            Self::Data(kind) => kind.label().into(),
            Self::Slope => "Slope".into(),
            Self::Curvature => "Curvature".into(),
            Self::Normals => "Normals".into(),
            Self::SkyView => "Ambient occlusion".into(),
            Self::Bands => "Height bands".into(),
            Self::Colours => "Colours".into(),
            Self::Relief => "Shaded relief".into(),
            Self::Types => "Ground types".into(),
            Self::Splat => "Splat maps".into(),
            Self::Weights => "Weights of ground types".into(),
            Self::Control => "Terrain3D control map".into(),
            Self::Temperature => "Temperature".into(),
            Self::Moisture => "Moisture".into(),
            Self::Mask(layer) => format!("Mask of {layer}"),
        }
    }

    /// What it holds, in one sentence.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Heights => "Heights of the ground in metres.",
            Self::Data(kind) => kind.help(),
            Self::Slope => "Slope of the ground, from 0° to 90°.",
            Self::Curvature => "Mean curvature in 1/m: above 0 on crests, below 0 in valleys.",
            Self::Normals => "Directions of the ground: east, north and up as red, green and blue.",
            Self::SkyView => "Share of the sky that is seen from the ground, from 0 to 1.",
            Self::Bands => "Number of the band between contour lines, from the lowest ground up.",
            Self::Colours => "Colours of the ground without light, with rivers, snow and sand.",
            Self::Relief => "The terrain from above with light and shadow.",
            Self::Types => "The ground type that is most frequent in each place, by its number in the legend.",
            Self::Splat => "Weights of ground types or materials in red, green, blue and alpha, four to a file.",
            Self::Weights => "Weights of the ground types, one grey file for each.",
            Self::Control => "The two strongest ground types and their blend, in the bits of Terrain3D for Godot.",
            Self::Temperature => "Mean temperature of the year in °C.",
            Self::Moisture => "Moisture: 0 is a desert, 1 a rain forest.",
            Self::Mask(_) => "Where the layer acts, from 0 to 1.",
        }
    }

    /// What its numbers are.
    pub fn nature(&self) -> MapNature {
        match self {
            Self::Normals => MapNature::Vector,
            Self::Colours | Self::Relief => MapNature::Colour,
            Self::Types | Self::Bands => MapNature::Index,
            Self::Splat | Self::Weights => MapNature::Weights,
            Self::Control => MapNature::Bits,
            _ => MapNature::Scalar,
        }
    }

    /// Unit of its numbers; empty where there is none.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Heights => "m",
            Self::Data(kind) if kind.is_thickness() => "m",
            Self::Data(MapKind::Flow) => "cells",
            Self::Slope => "°",
            Self::Curvature => "1/m",
            Self::Temperature => "°C",
            _ => "",
        }
    }
}

/// What the command line and scene files call it.
impl fmt::Display for ExportMap {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Self::Heights => "heights",
            Self::Data(kind) => return out.write_str(&format!("{kind:?}").to_lowercase()),
            Self::Slope => "slope",
            Self::Curvature => "curvature",
            Self::Normals => "normals",
            Self::SkyView => "occlusion",
            Self::Bands => "bands",
            Self::Colours => "colours",
            Self::Relief => "relief",
            Self::Types => "types",
            Self::Splat => "splat",
            Self::Weights => "weights",
            Self::Control => "control",
            Self::Temperature => "temperature",
            Self::Moisture => "moisture",
            Self::Mask(layer) => return write!(out, "mask:{layer}"),
        })
    }
}

impl MapError {
    /// No shown layer of `scene` writes `map`: with those that its layers write.
    pub(super) fn not_written(map: ExportMap, scene: &Scene) -> Self {
        let there = ExportMap::of_scene(scene).into_iter().filter(|map| matches!(map, ExportMap::Data(_)));
        let there: Vec<String> = there.map(|map| map.to_string()).collect();
        let text = match there.is_empty() {
            true => "its layers write no data maps".to_string(),
            false => format!("its layers write {}", there.join(", ")),
        };
        Self::NotWritten(map, text)
    }
}

impl FromStr for ExportMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(layer) = text.strip_prefix("mask:") {
            return Ok(Self::Mask(layer.into()));
        }
        let text = if text == "biomes" { "types" } else { text };
        Self::common().find(|map| map.to_string() == text).ok_or_else(|| {
            let known: Vec<String> = Self::common().map(|map| map.to_string()).collect();
            format!("there is no map `{text}`; there are {} and mask:LAYER", known.join(", "))
        })
    }
}

/// Why a map cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// No shown layer wrote it.
    #[error("no shown layer of the scene writes the map {0}; {1}. Add a layer that does, or leave the map out")]
    NotWritten(ExportMap, String),
    /// It is of squares alone.
    #[error("{0} is made of terrains; this scene is a planet. Extract a region of it first (`talweg patch take`)")]
    OfTerrains(ExportMap),
    /// There is no such layer.
    #[error("there is no layer `{0}` whose mask could be written; the layers are {1}")]
    NoLayer(String, String),
    /// It was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The share of the sky that is seen from a square, some rows at a time.
///
/// # Errors
/// When it was cancelled.
pub(super) fn sky_by_rows<'a>(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<MapSheet<'a>, Cancelled> {
    let view = SkyView::new(terrain, &scene.settings, control)?;
    let share = move |row, column| view.share(row, column);
    Ok(MapSheet::streamed(&ExportMap::SkyView, (0.0, 1.0), strips::by_rows(terrain.samples(), share)))
}

/// The index of the layer whose mask is asked for.
///
/// # Errors
/// When there is no such layer, with those that there are.
pub fn mask_layer(scene: &Scene, name: &str) -> Result<usize, MapError> {
    let names = || scene.layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", ");
    scene.find_layer(name).map_err(|_| MapError::NoLayer(name.into(), names()))
}

/// The number of a row, a column and a channel.
pub(super) type NumberAt<'a> = Box<dyn Fn(usize, usize, usize) -> f32 + Sync + 'a>;

/// A map, ready to be asked for its numbers.
pub struct MapSheet<'a> {
    /// What stands in the file's name for it, such as `wear` or `splat0`; empty for a map that is named by its file.
    pub label: String,
    /// Whether its pixels are measured numbers, colours or indices.
    pub nature: MapNature,
    /// Unit of its numbers.
    pub unit: &'static str,
    /// 1, 3 or 4.
    pub channels: usize,
    /// Lowest and highest number, or the limits of what it can be.
    pub range: (f32, f32),
    /// Types by number.
    pub legend: Vec<LegendEntry>,
    pub(super) at: NumberAt<'a>,
}

/// A square terrain whose numbers are asked for one by one, where it is not held as a whole.
pub(crate) struct SampledSquare<'a> {
    pub scene: &'a Scene,
    pub grid: Grid,
    /// Lowest and highest number of what `value` gives, on the ground, as the terrain holds them; of curvature its own,
    /// in 1/m.
    pub range: (f32, f32),
    /// The number at a row and column, as the terrain holds it: heights, or those of the data map that is asked for.
    pub value: &'a (dyn Fn(usize, usize) -> f32 + Sync),
    pub band_metres: f32,
}

impl<'a> SampledSquare<'a> {
    /// Whether a map follows from a number and those beside it.
    pub fn has(map: &ExportMap) -> bool {
        use ExportMap::{Bands, Curvature, Data, Heights, Normals, Slope};
        matches!(map, Heights | Data(_) | Slope | Curvature | Normals | Bands)
    }

    /// A map that it [has](Self::has); numbers as they are of any other.
    pub fn sheet(&self, map: &ExportMap) -> MapSheet<'a> {
        let (value, grid, settings) = (self.value, self.grid, &self.scene.settings);
        let steepness = settings.relief_over_size();
        let gradient = move |row: usize, column: usize| sampled_gradient(grid, value, row, column);
        let kind = if let ExportMap::Data(kind) = map { Some(*kind) } else { None };
        let is_mask = matches!(map, ExportMap::Mask(_));
        let scale = if !is_mask && kind.is_none_or(MapKind::is_thickness) { settings.relief_metres } else { 1.0 };
        let range = (self.range.0 * scale, self.range.1 * scale);
        match map {
            ExportMap::Slope => {
                let at = move |row, column, _| gradient_degrees(gradient(row, column), steepness);
                MapSheet::streamed(map, (0.0, 90.0), Box::new(at))
            }
            ExportMap::Curvature => {
                let scene = self.scene;
                let at = move |row, column, _| surface::square_curvature(scene, grid, value, row, column);
                MapSheet::streamed(map, self.range, Box::new(at))
            }
            ExportMap::Normals => surface::normal_sheet(Box::new(move |row, column, channel| {
                surface::normal(gradient(row, column), steepness)[channel]
            })),
            ExportMap::Bands => {
                ground::band_sheet(range, self.band_metres, move |row, column| value(row, column) * scale)
            }
            _ => {
                let range = if is_mask || kind.is_some_and(MapKind::is_share) { (0.0, 1.0) } else { range };
                MapSheet::streamed(map, range, Box::new(move |row, column, _| value(row, column) * scale))
            }
        }
    }
}

impl<'a> MapSheet<'a> {
    /// Measured numbers between the ends of `range` that are asked for one by one.
    fn streamed(map: &ExportMap, range: (f32, f32), at: NumberAt<'a>) -> Self {
        Self {
            label: map.to_string().replace(':', "-"),
            nature: MapNature::Scalar,
            unit: map.unit(),
            channels: 1,
            range,
            legend: Vec::new(),
            at,
        }
    }
}

/// A terrain to be exported, with the scene that made it.
#[derive(Clone, Copy)]
pub struct MapSource<'a> {
    /// What made it.
    pub scene: &'a Scene,
    /// Heights and data maps.
    pub terrain: &'a Terrain,
    /// Height of a band in metres, for [`ExportMap::Bands`].
    pub band_metres: f32,
}

impl<'a> MapSource<'a> {
    /// The sheets of a map: several of splat maps, one of every other.
    ///
    /// # Errors
    /// When the scene has no such map, or it was cancelled.
    pub fn sheets(
        &self,
        map: &ExportMap,
        layout: &'a PixelLayout,
        control: &Control,
    ) -> Result<Vec<MapSheet<'a>>, MapError> {
        let (scene, terrain) = (self.scene, self.terrain);
        let is_planet = scene.settings.is_planet();
        let relief = scene.settings.relief_metres;
        if is_planet && !ExportMap::of_scene(scene).contains(map) && !matches!(map, ExportMap::Data(_)) {
            return Err(MapError::OfTerrains(map.clone()));
        }
        Ok(match map {
            ExportMap::Heights => {
                let height = &terrain.height;
                vec![self.scalar(map, layout, None, move |k| height[k] * relief)]
            }
            ExportMap::Data(kind) => {
                let values = terrain.map(*kind).ok_or_else(|| MapError::not_written(map.clone(), scene))?;
                let scale = if kind.is_thickness() { relief } else { 1.0 };
                let range = kind.is_share().then_some((0.0, 1.0));
                vec![self.scalar(map, layout, range, move |k| values[k] * scale)]
            }
            ExportMap::Slope => vec![self.scalar(map, layout, Some((0.0, 90.0)), surface::slope(scene, terrain))],
            ExportMap::Curvature => vec![self.scalar(map, layout, None, surface::curvature(scene, terrain))],
            ExportMap::SkyView => {
                let seen = surface::sky(scene, terrain, control)?;
                vec![self.scalar(map, layout, Some((0.0, 1.0)), move |k| seen[k])]
            }
            ExportMap::Normals => vec![surface::normals(scene, terrain, layout, control)?],
            ExportMap::Bands => vec![ground::bands(self, layout)],
            ExportMap::Colours => vec![ground::colours(scene, terrain, layout, control)?],
            ExportMap::Relief => vec![ground::relief_picture(scene, terrain, layout, control)?],
            ExportMap::Types => vec![ground::types(scene, terrain, layout, control)?],
            ExportMap::Splat => ground::splat(scene, terrain, layout, control)?,
            ExportMap::Weights => ground::weights(scene, terrain, layout, control)?,
            ExportMap::Control => vec![ground::control(scene, terrain, layout, control)?],
            ExportMap::Temperature => {
                let celsius = scene.climate_fields(terrain, control)?.celsius;
                vec![self.scalar(map, layout, None, move |k| celsius[k])]
            }
            ExportMap::Moisture => {
                let moisture = scene.climate_fields(terrain, control)?.moisture;
                vec![self.scalar(map, layout, None, move |k| moisture[k])]
            }
            ExportMap::Mask(name) => {
                let index = mask_layer(scene, name)?;
                let weights = layer_mask(scene, index, terrain.samples(), &mut Store::forgetful(), control)?.weights;
                vec![self.scalar(map, layout, Some((0.0, 1.0)), move |k| weights[k])]
            }
        })
    }

    /// A map of measured numbers; `range` where they have limits of their own.
    fn scalar(
        &self,
        map: &ExportMap,
        layout: &'a PixelLayout,
        range: Option<(f32, f32)>,
        value: impl Fn(usize) -> f32 + Send + Sync + 'a,
    ) -> MapSheet<'a> {
        let range = range.unwrap_or_else(|| layout::range(self.terrain, &value));
        MapSheet::streamed(map, range, layout.numbers(self.terrain, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_is_parsed_from_its_name() {
        for map in ExportMap::common().chain([ExportMap::Mask("Ä b".into())]) {
            assert_eq!(map.to_string().parse::<ExportMap>().unwrap(), map);
            assert!(map.help().ends_with('.') && !map.name().is_empty());
        }
        let said = "nothing".parse::<ExportMap>().unwrap_err();
        assert!(said.contains("occlusion") && said.contains("mask:LAYER"), "{said}");
    }
}
