//! A square of a planet as a terrain of its own: taken out, worked on at a finer resolution, and put back.
//!
//! [`take_patch`] samples the planet's heights in a [`Square`] into a heightmap in metres and makes a terrain scene
//! that imports it; what the planet's samples do not resolve is added as fractal relief that fades out towards the
//! edges, so that the surroundings stay the boundary. [`put_patch_back`] writes the finished heights as a heightmap and
//! adds a layer to the planet that lays them onto the globe, fading into the surroundings
//! ([`Patch`]).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Blend, Layer, Scene};
use crate::field::{Edges, Globe, Grid, Terrain};
use crate::io::{FileError, HeightSheet, HeightmapFormat, export_sheet};
use crate::nodes::Node;
use crate::nodes::generators::import::Import;
use crate::nodes::generators::perlin::Perlin;
use crate::nodes::planet::patch::Patch;
use crate::param::ImageFile;
use crate::planet::World;
use crate::planet::square::Square;

/// Where a patch was taken from, so that it finds its way back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchOrigin {
    /// File of the planet, or the name of a shipped one.
    pub planet: String,
    /// Middle of the square, in degrees.
    pub longitude: f64,
    /// Degrees to the north of the equator.
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

    /// Whether the planet is a file; otherwise it is the name of a shipped one.
    pub fn names_a_file(&self) -> bool {
        Path::new(&self.planet).extension().is_some()
    }

    /// Whether the angles are those of a place.
    pub fn is_sound(&self) -> bool {
        self.longitude.abs() <= 180.0 && self.latitude.abs() <= 90.0
    }
}

/// Why a square cannot be taken or put back.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// The scene is a terrain.
    #[error("this scene is a terrain; a patch is taken from a planet")]
    NoPlanet,
    /// The scene is a planet.
    #[error("this scene is a planet; a patch is a terrain that was taken from one")]
    NoPatch,
    /// A square of this side cannot be laid flat.
    #[error(
        "a patch of {asked:.0} m does not lie flat on a planet whose half circumference is {most:.0} m; take a smaller one"
    )]
    TooLarge {
        /// The side that was asked for, in metres.
        asked: f64,
        /// The largest side that can be, in metres.
        most: f64,
    },
    /// The heights would be kept in a format without metres.
    #[error("the heightmap of a patch must be a .r32 file, which keeps heights in metres; {0} is none")]
    Format(String),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Longest side of a patch that is kept as a scene: the largest terrain there is.
pub const LONGEST_TERRAIN_METRES: f64 = 1_000_000.0;

/// Takes a square out of an evaluated planet: writes its heights to `heights` (.r32) and gives the scene of a terrain
/// of `samples` per side that begins with them and remembers that it came from the planet `from` (a file, or the name
/// of a shipped planet).
///
/// # Errors
/// If the scene is no planet, the square too large, or the file cannot be written.
pub fn take_patch(
    planet: &Scene,
    terrain: &Terrain,
    square: Square,
    samples: usize,
    from: &Path,
    heights: &Path,
) -> Result<Scene, PatchError> {
    let Some(about) = planet.as_planet() else { return Err(PatchError::NoPlanet) };
    let radius = f64::from(about.radius_metres);
    let most = Square::longest_side(radius);
    if square.side_metres > most {
        return Err(PatchError::TooLarge { asked: square.side_metres, most });
    }
    if HeightmapFormat::for_path(heights)? != HeightmapFormat::R32 {
        return Err(PatchError::Format(heights.display().to_string()));
    }
    // as fine as the planet's own samples, at least 33: more would only repeat them
    let step_metres = f64::from(about.side_metres()) / (terrain.samples() - 1) as f64;
    let own = ((2.0 * square.side_metres / step_metres) as usize + 1).clamp(33, samples.max(33));
    let globe = Globe::new(terrain.samples());
    let cut = Terrain::from_fn(own, Edges::Open, |u, v| {
        globe.sample(&terrain.height, square.direction(radius, f64::from(u), f64::from(v)))
    });
    write(&cut, planet.settings.relief_metres, square.side_metres as f32, heights)?;
    let mut scene = Scene { name: format!("Patch of {}", planet.name), ..planet.clone() };
    scene.patch = Some(PatchOrigin {
        planet: from.to_string_lossy().into_owned(),
        longitude: square.longitude,
        latitude: square.latitude,
    });
    scene.settings.world = World::Terrain;
    scene.settings.size_metres = square.side_metres as f32;
    scene.settings.resolution = samples as u32;
    scene.layers = vec![Layer {
        name: "Planet".into(),
        ..Layer::new(
            Node::Import(Import { file: ImageFile(heights.to_string_lossy().into_owned()), ..Import::default() }),
            1,
        )
    }];
    scene.layers.extend(detail(planet, square, step_metres));
    Ok(scene)
}

/// Relief finer than the planet's samples, fading out towards the edges.
fn detail(planet: &Scene, square: Square, step_metres: f64) -> Option<Layer> {
    let frequency = (square.side_metres / (2.0 * step_metres)) as f32;
    if frequency < 0.5 {
        return None;
    }
    // steep enough to be seen, low enough to leave the planet's own relief in charge
    let amplitude = (0.06 * 2.0 * step_metres / f64::from(planet.settings.relief_metres)).min(0.08) as f32;
    let noise = Perlin { frequency, octaves: 7, persistence: 0.5, amplitude, base: 0.0, ..Perlin::default() };
    let mut layer = Layer { name: "Fine relief".into(), ..Layer::new(Node::Perlin(noise), 2) };
    layer.mix.blend = Blend::Add;
    layer.mask.by_height = true;
    layer.mask.height_from = planet.settings.sea_level;
    layer.mask.height_to = 100_000.0;
    layer.mask.height_feather = 200.0;
    Some(layer)
}

/// Puts an evaluated patch back: writes its heights to `heights` (.r32) and gives the planet with a layer that lays
/// them onto the globe.
///
/// # Errors
/// If the first scene is no planet or the second is one, or the file cannot be written.
pub fn put_patch_back(
    planet: &Scene,
    square: Square,
    patch: &Scene,
    terrain: &Terrain,
    heights: &Path,
) -> Result<Scene, PatchError> {
    if planet.as_planet().is_none() {
        return Err(PatchError::NoPlanet);
    }
    if patch.as_planet().is_some() {
        return Err(PatchError::NoPatch);
    }
    if HeightmapFormat::for_path(heights)? != HeightmapFormat::R32 {
        return Err(PatchError::Format(heights.display().to_string()));
    }
    write(terrain, patch.settings.relief_metres, patch.settings.size_metres, heights)?;
    let mut scene = planet.clone();
    let node = Patch {
        file: ImageFile(heights.to_string_lossy().into_owned()),
        longitude: square.longitude as f32,
        latitude: square.latitude as f32,
        side_metres: square.side_metres as f32,
        ..Patch::default()
    };
    let name = scene.unused_name(&patch.name);
    scene.layers.push(Layer { name, ..Layer::new(Node::Patch(node), scene.unused_seed()) });
    Ok(scene)
}

fn write(terrain: &Terrain, relief_metres: f32, side_metres: f32, path: &Path) -> Result<(), FileError> {
    let grid: Grid = terrain.grid;
    let sheet = HeightSheet {
        width: grid.samples,
        heights: &terrain.height,
        range: terrain.range(),
        relief_metres,
        cell_metres: side_metres * grid.cell(),
    };
    export_sheet(&sheet, path).map(|_| ())
}
