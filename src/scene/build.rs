//! What leaves the program together: build presets, kept with the scene.

use serde::{Deserialize, Serialize};

use crate::field::MIN_SAMPLES;

/// Products that are exported together from one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildPreset {
    /// What people call it.
    pub name: String,
    /// Folder that it writes into, from that of the scene file on; empty for that folder itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Names of the files without their endings: `{scene}` stands for the scene's name, `{map}` for the map's.
    #[serde(skip_serializing_if = "is_usual_pattern")]
    pub file_names: String,
    /// The program that it is for, by its id in `export::targets`; empty for none. It adds products and a text of the
    /// numbers to type.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Samples per side; without it those of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// What is written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<BuildProduct>,
    /// Heights in metres of the lowest and highest number of a 16-bit file, and of 0 and 1 where floats are normalised;
    /// without it those of the terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_range: Option<(f32, f32)>,
    /// Floats go from 0 to 1 over the range, and are not metres.
    #[serde(skip_serializing_if = "is_false")]
    pub normalised: bool,
    /// Raw files begin in the south-west and not in the north-west.
    #[serde(skip_serializing_if = "is_false")]
    pub south_first: bool,
    /// Raw files have the highest byte first.
    #[serde(skip_serializing_if = "is_false")]
    pub big_endian: bool,
    /// The green of normal maps points south, as DirectX has it, and not north.
    #[serde(skip_serializing_if = "is_false")]
    pub directx_normals: bool,
    /// Rasters are cut into tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles: Option<BuildTiles>,
    /// Height of a band, in metres, of the map of height bands; without it a sixteenth of the relief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band_metres: Option<f32>,
    /// Where a terrain lies on a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<BuildPlacement>,
    /// How a planet is laid out.
    #[serde(skip_serializing_if = "is_default")]
    pub planet: BuildPlanet,
    /// How meshes are made.
    #[serde(skip_serializing_if = "is_default")]
    pub mesh: BuildMesh,
}

/// A file, or several of one map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildProduct {
    /// Id of a map of `export::maps`, or `mesh`.
    pub what: String,
    /// Id of a format of `io::formats` or, for meshes, of `mesh::formats`.
    pub format: String,
    /// File to write; without it the name follows the pattern of the preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Square tiles of a raster, named `_x0_y0` from the north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildTiles {
    /// Samples along a side of a tile.
    pub samples: u32,
    /// Neighbours repeat the row or column between them.
    pub shared_edges: bool,
}

/// Where the south-western corner of a terrain lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildPlacement {
    /// Coordinate system in metres, as EPSG counts them.
    pub epsg: u16,
    /// Easting of the western edge.
    pub west: f64,
    /// Northing of the southern edge.
    pub south: f64,
}

/// How a planet is laid out in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildPlanet {
    /// Six faces of a cube, and not a map of all longitudes and latitudes.
    pub cube: bool,
    /// Samples of a row of the map; without it as many as the planet has around its equator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The samples of the map are points, the first row is the pole, and not areas.
    #[serde(skip_serializing_if = "is_false")]
    pub points: bool,
}

/// How meshes are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildMesh {
    /// How far the mesh may be off any sample; 0 for a mesh of all samples.
    pub error_metres: f32,
    /// With walls and a base.
    pub solid: bool,
    /// With the surface of the water.
    pub water: bool,
    /// With colours.
    pub colours: bool,
    /// Longest side of a printed model in millimetres, for STL files.
    pub print_millimetres: f32,
}

impl Default for BuildMesh {
    fn default() -> Self {
        Self { error_metres: 1.0, solid: false, water: true, colours: true, print_millimetres: 150.0 }
    }
}

/// Most samples a side of an export: larger terrains than are evaluated as a whole are built in tiles.
pub const MOST_BUILT: usize = 262_145;

/// Names of files where nothing else was chosen.
pub const USUAL_FILE_NAMES: &str = "{scene}-{map}";

impl Default for BuildPreset {
    fn default() -> Self {
        Self {
            name: String::new(),
            folder: String::new(),
            file_names: USUAL_FILE_NAMES.into(),
            target: String::new(),
            samples: None,
            products: Vec::new(),
            height_range: None,
            normalised: false,
            south_first: false,
            big_endian: false,
            directx_normals: false,
            tiles: None,
            band_metres: None,
            placement: None,
            planet: BuildPlanet::default(),
            mesh: BuildMesh::default(),
        }
    }
}

impl BuildPreset {
    /// The first number that cannot be, and what would be right: sizes within those of scenes, lengths above 0, all
    /// finite. `None` if all can be.
    pub fn wrong_number(&self) -> Option<String> {
        let is_size = |samples: u32| (MIN_SAMPLES..=MOST_BUILT).contains(&(samples as usize));
        let is_above = |number: f32| number.is_finite() && number > 0.0;
        let is_range = |(low, high): (f32, f32)| low.is_finite() && high.is_finite() && low < high;
        let is_place = |place: BuildPlacement| place.west.is_finite() && place.south.is_finite();
        let error = self.mesh.error_metres;
        let sizes = format!("give {MIN_SAMPLES} to {MOST_BUILT} samples");
        let checks = [
            (self.samples.is_none_or(is_size), "size", sizes.as_str()),
            (self.tiles.is_none_or(|tiles| is_size(tiles.samples)), "tiles", &sizes),
            (self.height_range.is_none_or(is_range), "range", "give two heights in metres, the lower first"),
            (self.placement.is_none_or(is_place), "origin", "give easting and northing in metres"),
            (self.band_metres.is_none_or(is_above), "band", "give a height in metres above 0"),
            (error.is_finite() && error >= 0.0, "mesh error", "give metres, 0 or above"),
            (is_above(self.mesh.print_millimetres), "print size", "give millimetres above 0"),
            (self.planet.width.is_none_or(|width| (4..=65_536).contains(&width)), "width", "give 4 to 65536 samples"),
        ];
        checks.into_iter().find(|(is_right, ..)| !is_right).map(|(_, name, right)| format!("{name}: {right}"))
    }
}

fn is_usual_pattern(text: &String) -> bool {
    text == USUAL_FILE_NAMES
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_false(value: &bool) -> bool {
    !value
}
