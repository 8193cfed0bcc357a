//! Regions: a person takes a square out of a planet as a terrain, edits it at a finer resolution, and puts it back into
//! the planet.
//!
//! [`take_patch`] samples a [`Square`] of the planet's [detail](crate::planet_detail). It makes a terrain scene that
//! reads the heights in metres and further maps such as water and moisture. The terrain has the rivers and the climate
//! of that part of the planet. [`put_patch_back`] makes a heightmap of the finished heights. A layer of the
//! planet ([`Patch`], the name of regions in files) puts the heights onto the globe and fades into the surroundings.
//!
//! The scene, its heights and each map are separate files; [`PatchFiles::save`] writes them together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::saved_files::{hashed_name, save_with_files};
use super::{Layer, Scene, SceneError};
use crate::field::{Control, MapKind, Terrain};
use crate::io::formats::RasterFormat;
use crate::io::{FileError, FileStamp, HeightSheet, SaveTarget, check_name, export_sheet};
use crate::nodes::Node;
use crate::nodes::generators::import::Import;
use crate::nodes::maps::file::MapFile;
use crate::nodes::planet::patch::Patch;
use crate::param::{ImageFile, ParamKind, WithoutRange};
use crate::planet::World;
use crate::planet::climate::Climate;
use crate::planet::square::Square;

/// The position on a planet from which a patch was taken. It is needed to put the patch back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchOrigin {
    /// File of the planet, or the name of a shipped planet.
    pub planet: String,
    /// Longitude of the centre of the square, in degrees.
    pub longitude: f64,
    /// Latitude of the centre of the square, in degrees north of the equator.
    pub latitude: f64,
}

impl PatchOrigin {
    /// The square that `patch` covers on its planet.
    pub fn square(&self, patch: &Scene) -> Square {
        Square {
            longitude: self.longitude,
            latitude: self.latitude,
            side_metres: f64::from(patch.settings.size_metres),
        }
    }

    /// Whether the planet is a file and not the name of a shipped planet.
    pub fn names_a_file(&self) -> bool {
        Path::new(&self.planet).extension().is_some()
    }

    /// Whether the longitude and latitude are valid.
    pub fn is_valid(&self) -> bool {
        self.longitude.abs() <= 180.0 && self.latitude.abs() <= 90.0
    }
}

/// The reason why a patch cannot be taken out or put back.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// The scene is a terrain, not a planet.
    #[error("this scene is a terrain; regions can only be extracted from planets")]
    NoPlanet,
    /// The scene is a planet, not a patch.
    #[error("this scene is a planet; only a region, which is a terrain, can be applied")]
    NoPatch,
    /// A square with this side length is too large to be projected onto a plane.
    #[error("a region of {asked:.0} m is too large for this planet: the largest side is {most:.0} m")]
    TooLarge {
        /// The requested side length, in metres.
        asked: f64,
        /// The largest possible side length, in metres.
        most: f64,
    },
    /// The requested file format cannot store heights in metres.
    #[error("the heightmap of a region must be a .r32 file, which stores heights in metres; {0} is not one")]
    Format(String),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Maximum side length of a patch that becomes a scene; equal to the side length of the largest terrain.
pub const LONGEST_TERRAIN_METRES: f64 = 1_000_000.0;

/// A scene and the height files that the scene reads, before they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchFiles {
    /// The scene of the patch, or the planet with the patch put back.
    pub scene: Scene,
    heights: Vec<f32>,
    samples: usize,
    relief_metres: f32,
    side_metres: f32,
    file: PathBuf,
    maps: Vec<PatchMap>,
}

/// A data map of a patch, and its file.
#[derive(Clone, Debug, PartialEq)]
struct PatchMap {
    kind: MapKind,
    values: Arc<Vec<f32>>,
    file: PathBuf,
}

impl PatchFiles {
    /// Prepares the heights and maps of `terrain`, for files with the name `wanted` plus a hash of the values.
    fn new(terrain: &Terrain, relief_metres: f32, side_metres: f32, wanted: &Path) -> Result<Self, PatchError> {
        check_name(wanted)?;
        if RasterFormat::for_path(wanted)?.id != "r32" {
            return Err(PatchError::Format(wanted.display().to_string()));
        }
        let stem = wanted.file_stem().unwrap_or_default().to_string_lossy();
        let named = |stem: &str, values: &[f32], unit: f32| {
            let mut hash = Xxh3::new();
            hash.update(&(terrain.grid.samples as u64).to_le_bytes());
            values.iter().for_each(|&value| hash.update(&(value * unit).to_le_bytes()));
            wanted.with_file_name(hashed_name(stem, hash.digest(), "r32"))
        };
        let file = named(&stem, &terrain.height, relief_metres);
        let map = |(kind, values): (MapKind, &Arc<Vec<f32>>)| PatchMap {
            kind,
            values: values.clone(),
            file: named(&map_stem(&stem, kind), values, unit_of(kind, relief_metres)),
        };
        let maps = terrain.maps().map(map).collect();
        let heights = terrain.height.clone();
        let samples = terrain.grid.samples;
        Ok(Self { scene: Scene::default(), heights, samples, relief_metres, side_metres, file, maps })
    }

    /// Discards the maps and keeps the heights.
    fn without_maps(self) -> Self {
        Self { maps: Vec::new(), ..self }
    }

    fn image(&self) -> ImageFile {
        ImageFile(self.file.to_string_lossy().into_owned())
    }

    /// Path of the file with the heights; absolute if the requested path was absolute.
    pub fn heights(&self) -> &Path {
        &self.file
    }

    /// Kind and file of each map that accompanies the heights.
    pub fn maps(&self) -> impl Iterator<Item = (MapKind, &Path)> {
        self.maps.iter().map(|map| (map.kind, map.file.as_path()))
    }

    /// Writes the heights and the maps, for a scene that is saved later.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_heights(&self) -> Result<(), FileError> {
        for map in &self.maps {
            self.write(&map.file, &map.values, unit_of(map.kind, self.relief_metres))?;
        }
        self.write(&self.file, &self.heights, self.relief_metres)
    }

    /// Writes the values, multiplied by `unit`, to a file.
    fn write(&self, file: &Path, values: &[f32], unit: f32) -> Result<(), FileError> {
        let range = values.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)));
        let sheet = HeightSheet {
            width: self.samples,
            heights: values,
            range,
            relief_metres: unit,
            cell_metres: self.side_metres / (self.samples - 1).max(1) as f32,
        };
        // Overwriting is safe: a file with the same hash in its name holds the same values.
        export_sheet(&sheet, SaveTarget::new(file).over_read_only(true).over_links(true)).map(|_| ())
    }

    /// All files except the scene file.
    fn files(&self) -> impl Iterator<Item = &Path> + Clone {
        std::iter::once(self.file.as_path()).chain(self.maps.iter().map(|map| map.file.as_path()))
    }

    /// Writes the heights, the maps and then the scene, as [`save_with_files`] does.
    ///
    /// # Errors
    /// When one of the files cannot be written.
    pub fn save(&self, to: impl Into<SaveTarget>) -> Result<FileStamp, SceneError> {
        save_with_files(&self.scene, &to.into(), self.files(), || self.write_heights())
    }
}

/// Factor for the values of a map in its file: thicknesses are stored in metres, other maps unchanged.
fn unit_of(kind: MapKind, relief_metres: f32) -> f32 {
    if kind.is_thickness() { relief_metres } else { 1.0 }
}

/// The file stem of a map, made from the stem of the heights.
pub(super) fn map_stem(stem: &str, kind: MapKind) -> String {
    format!("{stem}-{}", format!("{kind:?}").to_lowercase())
}

/// Takes a square out of an evaluated planet at `samples` (at least 2) per side. Returns the heights of the square, for
/// files with the name `heights` (.r32) plus a hash, and a terrain scene that reads these files. The scene stores that
/// it came from the planet `from` (a file, or the name of a shipped planet).
/// [`PlanetDetail::square`](crate::planet_detail::PlanetDetail::square) computes the surface and its maps. Rivers enter
/// and leave the square at the positions of the planet's rivers.
///
/// # Errors
/// When the scene is not a planet, the square is too large, or the file is not a .r32 file.
pub fn take_patch(
    planet: &Scene,
    terrain: &Terrain,
    square: Square,
    samples: usize,
    from: &Path,
    heights: &Path,
) -> Result<PatchFiles, PatchError> {
    let Some(about) = planet.as_planet() else { return Err(PatchError::NoPlanet) };
    check_name(from)?;
    let radius = f64::from(about.radius_metres);
    let most = Square::longest_side(radius);
    if square.side_metres > most {
        return Err(PatchError::TooLarge { asked: square.side_metres, most });
    }
    let control = Control::default();
    // This control is never cancelled, so the error cannot occur.
    let cut = planet.detail(terrain, &control).and_then(|detail| detail.square(&square, samples, &control));
    let Ok(cut) = cut else { return Err(PatchError::NoPlanet) };
    let files = PatchFiles::new(&cut, planet.settings.relief_metres, square.side_metres as f32, heights)?;
    let mut scene = Scene { name: format!("Region of {}", planet.name), ..planet.clone() };
    scene.patch = Some(PatchOrigin {
        planet: from.to_string_lossy().into_owned(),
        longitude: square.longitude,
        latitude: square.latitude,
    });
    scene.climate = Some(Climate {
        latitude: square.latitude as f32,
        latitude_span: ((square.side_metres / radius).to_degrees() as f32).clamp(0.0, 180.0),
        ..planet.seasonal_climate()
    });
    scene.settings.world = World::Terrain;
    scene.settings.size_metres = square.side_metres as f32;
    scene.settings.resolution = samples as u32;
    let import = Node::Import(Import { file: files.image(), ..Import::default() });
    scene.layers = vec![Layer { name: "Planet".into(), ..Layer::new(import, 1) }];
    for (kind, file) in files.maps() {
        let name = match MapKind::kind() {
            ParamKind::Choice(choices) => choices[kind as usize].label,
            _ => "Map",
        };
        let node = Node::MapFile(MapFile { file: ImageFile(file.to_string_lossy().into_owned()), kind });
        let seed = scene.unused_seed();
        scene.layers.push(Layer { name: name.into(), ..Layer::new(node, seed) });
    }
    Ok(PatchFiles { scene, ..files })
}

/// Puts an evaluated region back into the planet that it was taken from. Returns the heights of the region, for a file
/// with the name `heights` (.r32) plus a hash. Returns also the planet, with a layer that puts these heights onto the
/// globe. If the planet already has a layer for the same square, that layer gets the new heights; otherwise the layer
/// is new and the topmost.
///
/// # Errors
/// When the first scene is not a planet, the second scene is a planet, or the file is not a .r32 file.
pub fn put_patch_back(
    planet: &Scene,
    square: Square,
    patch: &Scene,
    terrain: &Terrain,
    heights: &Path,
) -> Result<PatchFiles, PatchError> {
    if !planet.is_planet() {
        return Err(PatchError::NoPlanet);
    }
    if patch.is_planet() {
        return Err(PatchError::NoPatch);
    }
    let (relief, side) = (patch.settings.relief_metres, patch.settings.size_metres);
    let files = PatchFiles::new(terrain, relief, side, heights)?.without_maps();
    let mut scene = planet.clone();
    let node = Patch {
        file: files.image(),
        longitude: square.longitude as f32,
        latitude: square.latitude as f32,
        side_metres: square.side_metres as f32,
        ..Patch::default()
    };
    let applied = scene.layers.iter_mut().rev().find_map(|layer| match &mut layer.node {
        Node::Patch(applied) if is_same_square(applied, &node) => Some(applied),
        _ => None,
    });
    match applied {
        Some(applied) => applied.file = node.file,
        None => {
            let name = scene.unused_name(&patch.name);
            scene.layers.push(Layer { name, ..Layer::new(Node::Patch(node), scene.unused_seed()) });
        }
    }
    Ok(PatchFiles { scene, ..files })
}

/// Whether two layers put heights into the same square.
fn is_same_square(a: &Patch, b: &Patch) -> bool {
    (a.longitude, a.latitude, a.side_metres) == (b.longitude, b.latitude, b.side_metres)
}
