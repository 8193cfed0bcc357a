//! Build presets: export settings that are saved with the scene.

use serde::{Deserialize, Serialize};

use crate::field::MIN_SAMPLES;

/// Products that are exported together from one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildPreset {
    /// Name shown to the user.
    pub name: String,
    /// Output folder, relative to the folder of the scene file; empty for that folder itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Pattern of the file names without extensions: `{scene}` stands for the scene's name, `{map}` for the map's.
    #[serde(skip_serializing_if = "is_usual_pattern")]
    pub file_names: String,
    /// Id of the target program in `export::targets`; empty for none. A target adds products and a text file with the
    /// import settings to type in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Samples per side; `None` uses the scene's resolution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Products to write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<BuildProduct>,
    /// Heights in metres of the lowest and highest value of a 16-bit file, and of 0 and 1 where floats are normalised;
    /// `None` uses the terrain's own range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_range: Option<(f32, f32)>,
    /// Floats are written as 0 to 1 over the height range instead of metres.
    #[serde(skip_serializing_if = "is_false")]
    pub normalised: bool,
    /// Raw files begin in the south-west instead of the north-west.
    #[serde(skip_serializing_if = "is_false")]
    pub south_first: bool,
    /// Raw files store the highest byte first.
    #[serde(skip_serializing_if = "is_false")]
    pub big_endian: bool,
    /// The green channel of normal maps points south (DirectX) instead of north.
    #[serde(skip_serializing_if = "is_false")]
    pub directx_normals: bool,
    /// How rasters are cut into tiles; `None` writes them whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles: Option<BuildTiles>,
    /// Height of one band of the height-band map, in metres; `None` uses a sixteenth of the relief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band_metres: Option<f32>,
    /// Map coordinates of a terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<BuildPlacement>,
    /// Layout of a planet.
    #[serde(skip_serializing_if = "is_default")]
    pub planet: BuildPlanet,
    /// Settings of meshes.
    #[serde(skip_serializing_if = "is_default")]
    pub mesh: BuildMesh,
}

/// One product: a file, or several files of one map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildProduct {
    /// Id of a map of `export::maps`, or `mesh`.
    pub what: String,
    /// Id of a format of `io::formats` or, for meshes, of `mesh::formats`.
    pub format: String,
    /// File to write; `None` names it after the pattern of the preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Square tiles of a raster, named `_x0_y0` from the north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildTiles {
    /// Samples along a side of a tile.
    pub samples: u32,
    /// Neighbouring tiles both contain the row or column between them.
    pub shared_edges: bool,
}

/// Map coordinates of the south-western corner of a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildPlacement {
    /// EPSG code of a coordinate system in metres.
    pub epsg: u16,
    /// Easting of the western edge.
    pub west: f64,
    /// Northing of the southern edge.
    pub south: f64,
}

/// Layout of a planet in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildPlanet {
    /// Writes the six faces of a cube instead of one map of all longitudes and latitudes.
    pub cube: bool,
    /// Samples in a row of the map; `None` uses as many as the planet has around its equator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The samples of the map are points, with the pole as the first row, instead of areas.
    #[serde(skip_serializing_if = "is_false")]
    pub points: bool,
}

/// Settings of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildMesh {
    /// Maximum height error of the mesh at any sample; 0 keeps every sample.
    pub error_metres: f32,
    /// Adds walls and a base.
    pub solid: bool,
    /// Adds the water surface.
    pub water: bool,
    /// Writes vertex colours.
    pub colours: bool,
    /// Longest side of a printed model in millimetres, for STL files.
    pub print_millimetres: f32,
}

impl Default for BuildMesh {
    fn default() -> Self {
        Self { error_metres: 1.0, solid: false, water: true, colours: true, print_millimetres: 150.0 }
    }
}

/// Maximum samples per side of an export. Terrains too large to evaluate as a whole are built in tiles.
pub const MAX_EXPORT_SAMPLES: usize = 262_145;

/// Default pattern of file names.
pub const DEFAULT_FILE_NAMES: &str = "{scene}-{map}";

impl Default for BuildPreset {
    fn default() -> Self {
        Self {
            name: String::new(),
            folder: String::new(),
            file_names: DEFAULT_FILE_NAMES.into(),
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
    /// The first invalid number and the valid values for it; `None` if all are valid. Sizes must be within the range of
    /// scenes, lengths above 0, and everything finite.
    pub fn wrong_number(&self) -> Option<String> {
        let is_size = |samples: u32| (MIN_SAMPLES..=MAX_EXPORT_SAMPLES).contains(&(samples as usize));
        let is_above = |number: f32| number.is_finite() && number > 0.0;
        let is_range = |(low, high): (f32, f32)| low.is_finite() && high.is_finite() && low < high;
        let is_place = |place: BuildPlacement| place.west.is_finite() && place.south.is_finite();
        let error = self.mesh.error_metres;
        let sizes = format!("give {MIN_SAMPLES} to {MAX_EXPORT_SAMPLES} samples");
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
    text == DEFAULT_FILE_NAMES
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_false(value: &bool) -> bool {
    !value
}
