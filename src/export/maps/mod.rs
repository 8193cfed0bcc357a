//! All maps that can be written as a raster: heights, data maps, and maps derived from them. The command line, the
//! window and the library share one list, [`ExportMap`].
//!
//! | file | contents |
//! |---|---|
//! | `layout` | the sample, or the position on a planet, that a pixel shows |
//! | `surface` | normals |
//! | `ground` | colours, ground types, splat maps |
//! | `strips` | colours, ground types and climate of a square that is read in parts |

mod ground;
mod layout;
mod strips;
mod surface;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

pub use strips::{SquareMaps, reason_for_whole};

pub use layout::{FilePart, PixelLayout, layouts};

use crate::appearance::LegendEntry;
use crate::eval::{Store, layer_mask};
use crate::field::{Cancelled, Control, Grid, MapKind, Terrain, sampled_gradient};
use crate::io::formats::each_number;
use crate::scene::Scene;
use crate::terrain_attributes::sky_view::SkyView;
use crate::terrain_attributes::surface::square_attribute;
use crate::terrain_attributes::{AttributeReach, AttributeRows, TerrainAttribute, attribute_rows, drainage};

/// A map that a raster file can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportMap {
    /// Heights in metres.
    Heights,
    /// A data map that the layers wrote. Every terrain has the map *Flow*: if no layer wrote it, it is computed.
    Data(MapKind),
    /// A map that every terrain has, such as slope, curvature or wetness index.
    Attribute(TerrainAttribute),
    /// Surface normals.
    Normals,
    /// Index of the height band between contour lines.
    Bands,
    /// Colours of the terrain without lighting.
    Colours,
    /// The relief picture, with light and shadow.
    Relief,
    /// Index of the most frequent ground type.
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
    /// The mask of the layer with this name.
    Mask(String),
}

/// The kind of a map's values, which determines how file formats store them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapNature {
    /// Measured values: scaled to a range in integers, unchanged in floats.
    Scalar,
    /// Components of a vector from -1 to 1.
    Vector,
    /// Colours in sRGB, each channel from 0 to 255.
    Colour,
    /// An index into the map's legend.
    Index,
    /// Weights from 0 to 255 that add up to 255.
    Weights,
    /// 32-bit integers stored as the bits of floats.
    Bits,
}

impl ExportMap {
    /// Maps that any scene may have, in the order of menus; masks of layers are not included.
    pub fn all_common() -> impl Iterator<Item = Self> {
        let data = MapKind::ALL.iter().map(|&kind| Self::Data(kind));
        let attributes = TerrainAttribute::ALL.iter().map(|&attribute| Self::Attribute(attribute));
        let surface = [Self::Normals, Self::Bands];
        let ground = [Self::Colours, Self::Relief, Self::Types, Self::Splat, Self::Weights, Self::Control];
        let climate = [Self::Temperature, Self::Moisture];
        std::iter::once(Self::Heights).chain(data).chain(attributes).chain(surface).chain(ground).chain(climate)
    }

    /// All maps of a scene: data maps other than *Flow* only if a layer writes them, and masks only if they are in use.
    pub fn of_scene(scene: &Scene) -> Vec<Self> {
        let is_planet = scene.is_planet();
        let shown = || (0..scene.layers.len()).filter(|&index| scene.is_shown(index)).map(|index| &scene.layers[index]);
        let is_there = |map: &Self| match map {
            Self::Data(MapKind::Flow) => true,
            Self::Data(kind) => scene.writes_map(*kind),
            Self::Attribute(attribute) => attribute.fits(scene.settings.world),
            Self::Control => !is_planet,
            _ => true,
        };
        let masks = shown().filter(|layer| layer.mask.is_active()).map(|layer| Self::Mask(layer.name.clone()));
        Self::all_common().filter(is_there).chain(masks).collect()
    }

    /// Name of the map in the interface.
    pub fn name(&self) -> String {
        match self {
            Self::Heights => "Heights".into(),
            Self::Data(kind) => kind.label().into(),
            Self::Attribute(attribute) => attribute.label().into(),
            Self::Normals => "Normals".into(),
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

    /// Content of the map, in one sentence.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Heights => "Heights of the ground in metres.",
            Self::Data(kind) => kind.help(),
            Self::Attribute(attribute) => attribute.help(),
            Self::Normals => "Surface normals: east, north and up as red, green and blue.",
            Self::Bands => "Index of the band between contour lines, from the lowest ground up.",
            Self::Colours => "Colours of the ground without lighting, with rivers, snow and sand.",
            Self::Relief => "The terrain from above with light and shadow.",
            Self::Types => "The most frequent ground type of each sample, by its index in the legend.",
            Self::Splat => "Weights of ground types or materials in red, green, blue and alpha, four to a file.",
            Self::Weights => "Weights of the ground types, one greyscale file for each.",
            Self::Control => {
                "The two strongest ground types and their blend, in the bit format of Terrain3D for Godot."
            }
            Self::Temperature => "Mean annual temperature in °C.",
            Self::Moisture => "Moisture: 0 is a desert, 1 a rain forest.",
            Self::Mask(_) => "Strength of the layer at each sample, from 0 to 1.",
        }
    }

    /// The kind of the map's values.
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

    /// The unit of the map's values; empty if there is none.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Heights => "m",
            Self::Data(kind) if kind.is_thickness() => "m",
            Self::Data(MapKind::Flow) => "cells",
            Self::Attribute(attribute) => attribute.unit(),
            Self::Temperature => "°C",
            _ => "",
        }
    }
}

/// Writes the name of the map on the command line and in scene files.
impl fmt::Display for ExportMap {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Self::Heights => "heights",
            Self::Data(kind) => return out.write_str(&format!("{kind:?}").to_lowercase()),
            Self::Attribute(attribute) => attribute.id(),
            Self::Normals => "normals",
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
    /// The error for a data map that no visible layer writes; it lists the maps that are written.
    pub(super) fn not_written(map: ExportMap, scene: &Scene) -> Self {
        let there = MapKind::ALL.iter().filter(|&&kind| scene.writes_map(kind)).map(|&kind| ExportMap::Data(kind));
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
        let text = match text {
            "biomes" => "types",
            "sky-view" => "occlusion",
            text => text,
        };
        Self::all_common().find(|map| map.to_string() == text).ok_or_else(|| {
            let known: Vec<String> = Self::all_common().map(|map| map.to_string()).collect();
            format!("there is no map `{text}`; there are {} and mask:LAYER", known.join(", "))
        })
    }
}

/// The reason why a map cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// No visible layer writes the map.
    #[error("no shown layer of the scene writes the map {0}; {1}. Add a layer that writes it, or omit the map")]
    NotWritten(ExportMap, String),
    /// The map exists for square terrains only.
    #[error(
        "{0} can only be made of a terrain, and this scene is a planet. Extract a region of it first (`talweg region take`)"
    )]
    OfTerrains(ExportMap),
    /// There is no layer with this name.
    #[error("there is no layer `{0}` with a mask to write; the layers are {1}")]
    NoLayer(String, String),
    /// The computation was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The visible fraction of the sky over a square terrain, computed in strips of rows.
///
/// # Errors
/// If the computation was cancelled.
pub(super) fn sky_by_rows<'a>(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<MapSheet<'a>, Cancelled> {
    let view = SkyView::new(terrain, &scene.settings, control)?;
    let share = move |row: usize, out: &mut [f32]| view.visible_sky(row, out);
    let map = ExportMap::Attribute(TerrainAttribute::SkyView);
    Ok(MapSheet::streamed(&map, (0.0, 1.0), strips::by_rows(terrain.samples(), share)))
}

/// The index of the layer whose mask is requested.
///
/// # Errors
/// If there is no such layer; the error lists the layers.
pub fn mask_layer(scene: &Scene, name: &str) -> Result<usize, MapError> {
    let names = || scene.layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", ");
    scene.find_layer(name).map_err(|_| MapError::NoLayer(name.into(), names()))
}

/// Computes the values in some columns of a row of a map, with all channels of a pixel side by side.
pub(super) type MapRows<'a> = Box<dyn Fn(usize, Range<usize>, &mut [f32]) + Sync + 'a>;

/// A map whose values can be read row by row.
pub struct MapSheet<'a> {
    /// Label of the sheet in file names, such as `wear` or `splat0`; empty for a map that is named by its file.
    pub label: String,
    /// The kind of the sheet's values.
    pub nature: MapNature,
    /// The unit of the sheet's values.
    pub unit: &'static str,
    /// Number of channels: 1, 3 or 4.
    pub channels: usize,
    /// Lowest and highest value of the sheet, or the limits of possible values.
    pub range: (f32, f32),
    /// Ground types that the sheet's indices or channels refer to.
    pub legend: Vec<LegendEntry>,
    pub(super) rows: MapRows<'a>,
}

/// A function that returns a value of a square at a row and column.
pub(crate) type SquareValues<'a> = &'a (dyn Fn(usize, usize) -> f32 + Sync);

/// A square terrain that is not in memory as a whole; its values are read one by one.
pub(crate) struct SampledSquare<'a> {
    pub scene: &'a Scene,
    pub grid: Grid,
    /// Lowest and highest result of `value` on terrain, in the terrain's own units. For an attribute without
    /// [limits](TerrainAttribute::limits), the lowest and highest value of the attribute.
    pub range: (f32, f32),
    /// Returns the value at a row and column in the terrain's own units: the height, or the value of the requested data
    /// map.
    pub value: SquareValues<'a>,
    /// Returns the flow in cells at a row and column, if the map needs it.
    pub flow: Option<SquareValues<'a>>,
    pub band_metres: f32,
}

impl<'a> SampledSquare<'a> {
    /// Whether a map can be computed from the value of a sample and the values of its neighbours, with the flow at the
    /// sample.
    pub fn has(map: &ExportMap) -> bool {
        use ExportMap::{Attribute, Bands, Data, Heights, Normals};
        match map {
            Heights | Data(_) | Normals | Bands => true,
            Attribute(attribute) => attribute.reach() != AttributeReach::Horizon,
            _ => false,
        }
    }

    /// The sheet of a map for which [`has`](Self::has) is true. For any other map, the sheet contains the results of
    /// `value`.
    pub fn sheet(&self, map: &ExportMap) -> MapSheet<'a> {
        let (value, grid, settings) = (self.value, self.grid, &self.scene.settings);
        let steepness = settings.relief_over_size();
        let gradient = move |row: usize, column: usize| sampled_gradient(grid, value, row, column);
        let kind = if let ExportMap::Data(kind) = map { Some(*kind) } else { None };
        let is_mask = matches!(map, ExportMap::Mask(_));
        let scale = if !is_mask && kind.is_none_or(MapKind::is_thickness) { settings.relief_metres } else { 1.0 };
        let range = (self.range.0 * scale, self.range.1 * scale);
        match map {
            ExportMap::Attribute(attribute) => {
                let (scene, attribute, flow) = (self.scene, *attribute, self.flow);
                let at = move |row, column, _| sampled_attribute(scene, grid, attribute, (value, flow), [row, column]);
                MapSheet::streamed(map, attribute.limits().unwrap_or(self.range), Box::new(each_number(at)))
            }
            ExportMap::Normals => surface::normal_sheet(surface::each_normal(move |row, column| {
                surface::normal(gradient(row, column), steepness)
            })),
            ExportMap::Bands => {
                ground::band_sheet(range, self.band_metres, move |row, column| value(row, column) * scale)
            }
            _ => {
                let range = if is_mask || kind.is_some_and(MapKind::is_fraction) { (0.0, 1.0) } else { range };
                MapSheet::streamed(map, range, Box::new(each_number(move |row, column, _| value(row, column) * scale)))
            }
        }
    }
}

/// An attribute of a square at a row and column, from functions that return the height in the terrain's own units and
/// the flow in cells. Without the flow that the attribute needs, or for an attribute that depends on the horizon, the
/// result is not-a-number.
pub(crate) fn sampled_attribute(
    scene: &Scene,
    grid: Grid,
    attribute: TerrainAttribute,
    (height, flow): (SquareValues, Option<SquareValues>),
    [row, column]: [usize; 2],
) -> f32 {
    let cell = scene.side_metres() * grid.cell();
    let of_flow = |flow: f32| match attribute {
        TerrainAttribute::DrainageArea => drainage::area(flow, cell),
        TerrainAttribute::Wetness => {
            let (east, south) = sampled_gradient(grid, height, row, column);
            let tangent = (east * east + south * south).sqrt() * scene.settings.relief_over_size();
            drainage::wetness_of_flow(flow, tangent, cell)
        }
        _ => f32::NAN,
    };
    let local = square_attribute(scene, grid, attribute, height, [row, column]);
    local.unwrap_or_else(|| flow.map_or(f32::NAN, |flow| of_flow(flow(row, column))))
}

impl<'a> MapSheet<'a> {
    /// A sheet of measured values between the ends of `range`.
    fn streamed(map: &ExportMap, range: (f32, f32), rows: MapRows<'a>) -> Self {
        Self {
            label: map.to_string().replace(':', "-"),
            nature: MapNature::Scalar,
            unit: map.unit(),
            channels: 1,
            range,
            legend: Vec::new(),
            rows,
        }
    }
}

/// A terrain to export, with its scene and options.
#[derive(Clone, Copy)]
pub struct MapSource<'a> {
    /// The scene of the terrain.
    pub scene: &'a Scene,
    /// Heights and data maps.
    pub terrain: &'a Terrain,
    /// Height of a band in metres, for [`ExportMap::Bands`].
    pub band_metres: f32,
}

impl<'a> MapSource<'a> {
    /// The sheets of a map: several for splat maps and weights, one for every other map.
    ///
    /// # Errors
    /// If the scene has no such map, or the computation was cancelled.
    pub fn sheets(
        &self,
        map: &ExportMap,
        layout: &'a PixelLayout,
        control: &Control,
    ) -> Result<Vec<MapSheet<'a>>, MapError> {
        let (scene, terrain) = (self.scene, self.terrain);
        let is_planet = scene.is_planet();
        let relief = scene.settings.relief_metres;
        if is_planet && !ExportMap::of_scene(scene).contains(map) && !matches!(map, ExportMap::Data(_)) {
            return Err(MapError::OfTerrains(map.clone()));
        }
        Ok(match map {
            ExportMap::Heights => {
                let height = &terrain.height;
                vec![self.scalar(map, layout, None, scaled(height.as_slice(), relief))]
            }
            ExportMap::Data(kind) => {
                let values = match terrain.map(*kind) {
                    Some(written) => written.clone(),
                    None if *kind == MapKind::Flow => drainage::flow(scene, terrain, control)?,
                    None => return Err(MapError::not_written(map.clone(), scene)),
                };
                let scale = if kind.is_thickness() { relief } else { 1.0 };
                let range = kind.is_fraction().then_some((0.0, 1.0));
                vec![self.scalar(map, layout, range, scaled(SharedField(values), scale))]
            }
            ExportMap::Attribute(attribute) => {
                let rows: AttributeRows<'a> = attribute_rows(scene, terrain, *attribute, control)?;
                vec![self.scalar(map, layout, attribute.limits(), rows)]
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
                vec![self.scalar(map, layout, None, scaled(celsius, 1.0))]
            }
            ExportMap::Moisture => {
                let moisture = scene.climate_fields(terrain, control)?.moisture;
                vec![self.scalar(map, layout, None, scaled(moisture, 1.0))]
            }
            ExportMap::Mask(name) => {
                let index = mask_layer(scene, name)?;
                let weights = layer_mask(scene, index, terrain.samples(), &mut Store::forgetful(), control)?.weights;
                vec![self.scalar(map, layout, Some((0.0, 1.0)), scaled(weights, 1.0))]
            }
        })
    }

    /// A sheet of measured values; `range` is set if the values have fixed limits.
    fn scalar(
        &self,
        map: &ExportMap,
        layout: &'a PixelLayout,
        range: Option<(f32, f32)>,
        values: impl layout::SampleValues + 'a,
    ) -> MapSheet<'a> {
        let range = range.unwrap_or_else(|| layout::range(self.terrain, &values));
        MapSheet::streamed(map, range, layout.rows(self.terrain, values))
    }
}

/// A field that is shared with a terrain.
struct SharedField(Arc<Vec<f32>>);

impl AsRef<[f32]> for SharedField {
    fn as_ref(&self) -> &[f32] {
        &self.0
    }
}

/// The values of `field`, times `scale`.
fn scaled(field: impl AsRef<[f32]> + Send + Sync, scale: f32) -> impl layout::SampleValues {
    move |samples: Range<usize>, out: &mut [f32]| {
        out.iter_mut().zip(&field.as_ref()[samples]).for_each(|(out, value)| *out = value * scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_is_parsed_from_its_name() {
        for map in ExportMap::all_common().chain([ExportMap::Mask("Ä b".into())]) {
            assert_eq!(map.to_string().parse::<ExportMap>().unwrap(), map);
            assert!(map.help().ends_with('.') && !map.name().is_empty());
        }
        let said = "nothing".parse::<ExportMap>().unwrap_err();
        assert!(said.contains("occlusion") && said.contains("mask:LAYER"), "{said}");
    }
}
