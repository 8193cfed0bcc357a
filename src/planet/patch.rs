//! A square of a planet as a terrain of its own: taken out, worked on at a finer resolution, and put back.
//!
//! The square is laid on the tangent plane in its middle: north is up, and distances along the ground from the middle are
//! true in every direction (azimuthal equidistant projection). [`take`] samples the planet's heights there into a heightmap in metres and
//! makes a terrain scene that imports it; what the planet's samples do not resolve is added as fractal relief that fades out
//! towards the edges, so that the surroundings stay the boundary. [`put_back`] writes the finished heights as a heightmap and
//! adds a layer to the planet that lays them onto the globe, fading into the surroundings
//! ([`Patch`](crate::nodes::planet::patch::Patch)).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::field::globe::{from_angles, latitude, longitude};
use crate::field::{Edges, Globe, Grid, Terrain};
use crate::io::{FileError, HeightSheet, HeightmapFormat, export_sheet};
use crate::nodes::Node;
use crate::nodes::generators::import::Import;
use crate::nodes::generators::perlin::Perlin;
use crate::nodes::planet::patch::Patch;
use crate::param::ImageFile;
use crate::scene::{Blend, Layer, Scene, World};

/// A square on a planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square {
    /// Its middle, in degrees.
    pub longitude: f64,
    /// Degrees to the north of the equator.
    pub latitude: f64,
    /// Side of the square.
    pub side_metres: f64,
}

/// Where a patch was taken from, so that it finds its way back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// File of the planet, or the name of a shipped one.
    pub planet: String,
    /// Middle of the square, in degrees.
    pub longitude: f64,
    /// Degrees to the north of the equator.
    pub latitude: f64,
}

impl Origin {
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

/// Largest share of half the way around that a square may span: beyond, its corners lie too far round the planet.
const MOST: f64 = 0.5;

/// Longest side of a patch that is kept as a scene: the largest terrain there is.
pub const LONGEST_TERRAIN_METRES: f64 = 1_000_000.0;

impl Square {
    /// Longest side that a square may have on a planet.
    pub fn longest_side(radius_metres: f64) -> f64 {
        std::f64::consts::PI * radius_metres * MOST
    }

    /// Points along its border, so many on each side; the last is the first.
    pub fn border(&self, radius_metres: f64, per_side: usize) -> Vec<[f64; 3]> {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        let step = |k: usize| k as f64 / per_side as f64;
        let sides = corners.windows(2).flat_map(|pair| {
            let ((u, v), (to_u, to_v)) = (pair[0], pair[1]);
            (0..per_side).map(move |k| (u + (to_u - u) * step(k), v + (to_v - v) * step(k)))
        });
        sides.chain([corners[0]]).map(|(u, v)| self.direction(radius_metres, u, v)).collect()
    }

    /// Unit vector of the place (u, v) of the square: to the east and to the south, from 0 to 1.
    pub fn direction(&self, radius_metres: f64, u: f64, v: f64) -> [f64; 3] {
        let (east, south) = ((u - 0.5) * self.side_metres, (v - 0.5) * self.side_metres);
        let distance = (east * east + south * south).sqrt();
        let middle = self.middle();
        if distance == 0.0 {
            return middle;
        }
        let (right, up) = self.axes();
        let angle = distance / radius_metres;
        let (along, out) = (libm::sin(angle) / distance, libm::cos(angle));
        std::array::from_fn(|k| middle[k] * out + (right[k] * east - up[k] * south) * along)
    }

    /// The place of a direction in the square, and whether it lies on its side of the planet.
    pub fn place(&self, radius_metres: f64, direction: [f64; 3]) -> Option<[f64; 2]> {
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (right, up) = self.axes();
        let (out, east, north) = (dot(direction, self.middle()), dot(direction, right), dot(direction, up));
        if out < -0.5 {
            return None;
        }
        let level = (east * east + north * north).sqrt();
        let metres = if level < 1.0e-15 { radius_metres } else { radius_metres * libm::atan2(level, out) / level };
        Some([0.5 + east * metres / self.side_metres, 0.5 - north * metres / self.side_metres])
    }

    /// The square around a direction.
    pub fn around(direction: [f64; 3], side_metres: f64) -> Self {
        Self { longitude: longitude(direction).to_degrees(), latitude: latitude(direction).to_degrees(), side_metres }
    }

    fn middle(&self) -> [f64; 3] {
        from_angles(self.latitude.to_radians(), self.longitude.to_radians())
    }

    /// East and north in the middle.
    fn axes(&self) -> ([f64; 3], [f64; 3]) {
        let [x, y, z] = self.middle();
        let around = self.longitude.to_radians();
        let east = [-libm::sin(around), libm::cos(around), 0.0];
        (east, [y * east[2] - z * east[1], z * east[0] - x * east[2], x * east[1] - y * east[0]])
    }
}

/// Takes a square out of an evaluated planet: writes its heights to `heights` (.r32) and gives the scene of a terrain of
/// `samples` per side that begins with them and remembers that it came from the planet `from` (a file, or the name of a
/// shipped planet).
///
/// # Errors
/// If the scene is no planet, the square too large, or the file cannot be written.
pub fn take(
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
    if HeightmapFormat::of(heights)? != HeightmapFormat::R32 {
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
    scene.patch = Some(Origin {
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

/// Puts an evaluated patch back: writes its heights to `heights` (.r32) and gives the planet with a layer that lays them onto the globe.
///
/// # Errors
/// If the first scene is no planet or the second is one, or the file cannot be written.
pub fn put_back(
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
    if HeightmapFormat::of(heights)? != HeightmapFormat::R32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_directions_are_inverse_and_north_is_up() {
        let square = Square { longitude: 170.0, latitude: 60.0, side_metres: 2.0e6 };
        let radius = 6.371e6;
        for (u, v) in [(0.5, 0.5), (0.0, 0.0), (1.0, 0.3), (0.2, 0.9)] {
            let [x, y] = square.place(radius, square.direction(radius, u, v)).unwrap();
            assert!((x - u).abs() < 1e-9 && (y - v).abs() < 1e-9, "{u}, {v} became {x}, {y}");
        }
        assert!(latitude(square.direction(radius, 0.5, 0.0)) > latitude(square.direction(radius, 0.5, 0.5)));
        // true distance: half the side to the north is 1000 km
        let up = latitude(square.direction(radius, 0.5, 0.0)) - 60f64.to_radians();
        assert!((up * radius - 1.0e6).abs() < 1.0);
        assert_eq!(square.place(radius, square.direction(radius, 0.5, 0.5).map(|c| -c)), None);
    }
}
