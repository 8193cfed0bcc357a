//! Build presets: export settings that the scene file stores.

use serde::{Deserialize, Serialize};

use crate::field::MIN_SAMPLES;

/// Products that are exported together from one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildPreset {
    /// Name of the preset in the window.
    pub name: String,
    /// Output folder, relative to the folder of the scene file; empty for the folder of the scene file itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Pattern of the file names without extensions: `{scene}` stands for the name of the scene, `{map}` for the name
    /// of the map.
    #[serde(skip_serializing_if = "is_usual_pattern")]
    pub file_names: String,
    /// Id of the target program in `export::targets`; empty for no target program. A target adds products and a text
    /// file with the settings for the import in that program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Number of samples per side of the terrain; `None` uses the scene's resolution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Products to write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<BuildProduct>,
    /// Heights in metres that the lowest and highest value of a 16-bit file represent. For normalised floats, the
    /// heights of the values 0 and 1. `None` uses the height range of the terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_range: Option<(f32, f32)>,
    /// Whether floats are written as 0 to 1 over the height range instead of metres.
    #[serde(skip_serializing_if = "is_false")]
    pub normalised: bool,
    /// Whether the first row of raw files is the southern edge of the terrain instead of the northern edge.
    #[serde(skip_serializing_if = "is_false")]
    pub south_first: bool,
    /// Whether raw files store the most significant byte first.
    #[serde(skip_serializing_if = "is_false")]
    pub big_endian: bool,
    /// Whether the green channel of normal maps points south (DirectX) instead of north.
    #[serde(skip_serializing_if = "is_false")]
    pub directx_normals: bool,
    /// The tiles into which rasters are cut; `None` writes each raster as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles: Option<BuildTiles>,
    /// Height of one band of the height-band map, in metres; `None` uses a sixteenth of the relief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band_metres: Option<f32>,
    /// Position of a square terrain on a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<BuildPlacement>,
    /// Layout of a planet in the files.
    #[serde(skip_serializing_if = "is_default")]
    pub planet: BuildPlanet,
    /// Settings of mesh files.
    #[serde(skip_serializing_if = "is_default")]
    pub mesh: BuildMesh,
}

/// One product of a build: a file, or several files of one map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildProduct {
    /// Id of a map of `export::maps`, or `mesh`.
    #[serde(rename = "what")]
    pub map: String,
    /// Id of a format of `io::formats` or, for meshes, of `mesh::formats`.
    pub format: String,
    /// Name of the file to write; `None` derives the name from the pattern of the preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Square tiles of a raster. Their file names end in `_x0_y0` and so on, with columns and rows counted from the
/// north-west corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildTiles {
    /// Number of samples along a side of a tile.
    pub samples: u32,
    /// Whether two neighbouring tiles both contain the row or column of samples on their common border.
    pub shared_edges: bool,
}

/// Map coordinates of the south-western corner of a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildPlacement {
    /// EPSG code of a coordinate system in metres.
    pub epsg: u16,
    /// Easting of the western edge, in metres.
    pub west: f64,
    /// Northing of the southern edge, in metres.
    pub south: f64,
}

/// Layout of a planet in exported files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildPlanet {
    /// Whether the build writes the six faces of a cube instead of one map of all longitudes and latitudes.
    pub cube: bool,
    /// Number of samples in a row of the map; `None` uses as many samples as the planet has around its equator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Whether the samples of the map are points instead of areas. The first row of points is at the pole.
    #[serde(skip_serializing_if = "is_false")]
    pub points: bool,
}

/// Settings of exported meshes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildMesh {
    /// Maximum height error of the mesh at any sample, in metres; 0 keeps every sample.
    pub error_metres: f32,
    /// Whether the mesh has walls and a base.
    pub solid: bool,
    /// Whether the mesh includes the water surface.
    pub water: bool,
    /// Whether the file contains vertex colours.
    pub colours: bool,
    /// Longest side of a printed model in millimetres, for STL files.
    pub print_millimetres: f32,
}

impl Default for BuildMesh {
    fn default() -> Self {
        Self { error_metres: 1.0, solid: false, water: true, colours: true, print_millimetres: 150.0 }
    }
}

/// Maximum number of samples per side of an export. A terrain that is too large to evaluate as a whole is built in
/// tiles.
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
    /// The first invalid number and the valid values for it; `None` if all numbers are valid. Sizes must be within the
    /// range of scenes, lengths must exceed 0, and all numbers must be finite.
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
