//! Colours and normals of the ground of a planet.

use super::frame;
use crate::appearance::biomes::ground_types::PlanetLayout;
use crate::appearance::colours::srgb::{decode, encode, mix};
use crate::appearance::pictures::image::RgbImage;
use crate::appearance::{PaletteTable, biomes, by_rows};
use crate::field::globe::{direction_at, locate_fast};
use crate::field::{Cancelled, Control, Globe, Terrain, globe_gradient};
use crate::scene::Scene;

/// The sRGB colours of all samples of a planet, from the scene's palette or biome table.
///
/// # Errors
/// If the computation was cancelled.
pub fn colours_of(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<[u8; 4]>, Cancelled> {
    if let Some(colours) = biomes::colours(terrain, scene, control)? {
        return Ok(colours);
    }
    let (globe, steepness) = (Globe::new(terrain.samples()), scene.settings.relief_metres / scene.planet.radius_metres);
    let slope = |k: usize| globe_gradient(&globe, &terrain.height, k).map(|s| s * steepness);
    let mut slopes = vec![[0.0f32; 3]; terrain.height.len()];
    by_rows(&mut slopes, globe.samples(), control, slope)?;
    palette_colours(scene, terrain, &slopes, 1.0, control)
}

/// Colours by height and steepness, for a scene with a palette and no biome table.
pub(super) fn palette_colours(
    scene: &Scene,
    terrain: &Terrain,
    slopes: &[[f32; 3]],
    lift: f32,
    control: &Control,
) -> Result<Vec<[u8; 4]>, Cancelled> {
    let (table, settings) = (PaletteTable::for_scene(scene), &scene.settings);
    let colour = |k: usize| {
        let metres = terrain.height[k] * settings.relief_metres;
        let place = PaletteTable::lut_index(settings, metres) as usize;
        let [x, y, z] = slopes[k].map(|s| s * lift);
        let degrees = libm::atanf((x * x + y * y + z * z).sqrt()).to_degrees();
        let rock = if metres > settings.sea_level { table.rock_opacity(degrees) } else { 0.0 };
        let [r, g, b, _] = table.rock;
        let [h, s, t, _] = table.lut[place.min(511)];
        let [r, g, b] = encode(mix(decode([h, s, t]), decode([r, g, b]), rock));
        [r, g, b, 255]
    };
    let mut colours = vec![[0; 4]; terrain.height.len()];
    by_rows(&mut colours, terrain.samples(), control, colour)?;
    Ok(colours)
}

/// Surface normals of a planet for other programs. On a map, red, green and blue are east, north and up. On faces, red
/// is the direction of increasing columns, green the direction of decreasing rows, and blue is up.
///
/// # Errors
/// If the computation was cancelled.
pub fn planet_normals(
    scene: &Scene,
    terrain: &Terrain,
    layout: PlanetLayout,
    control: &Control,
) -> Result<RgbImage, Cancelled> {
    let globe = Globe::new(terrain.samples());
    let n = globe.samples();
    let steepness = scene.settings.relief_metres / scene.planet.radius_metres;
    let normal = |k: usize, right: [f64; 3], up: [f64; 3]| {
        let slope = globe_gradient(&globe, &terrain.height, k).map(|s| f64::from(s * steepness));
        let along = |axis: [f64; 3]| (0..3).map(|c| slope[c] * axis[c]).sum::<f64>();
        let (x, y) = (-along(right), -along(up));
        let length = (x * x + y * y + 1.0).sqrt();
        [x / length, y / length, 1.0 / length].map(|c| ((c * 0.5 + 0.5) * 255.0 + 0.5) as u8)
    };
    match layout {
        PlanetLayout::Face(face) => RgbImage::drawn(n, n, control, |column, row| {
            let here = globe.exact_direction(face, row, column);
            let (right, up) = face_frame(face, here);
            normal((face * n + row) * n + column, right, up)
        }),
        PlanetLayout::Map(map) => {
            let directions = map.directions();
            RgbImage::drawn(map.width, map.height, control, |column, row| {
                let direction = directions.direction(column, row);
                let (face, u, v) = locate_fast(direction);
                let index = |t: f64| (t * (n - 1) as f64 + 0.5) as usize;
                let (east, north) = frame(direction);
                normal((face * n + index(v)) * n + index(u), east, north)
            })
        }
    }
}

/// Two unit vectors tangent to the sphere: the direction of increasing columns of a face, and the direction of
/// decreasing rows.
fn face_frame(face: usize, here: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let tangent = |axis: [f64; 3]| {
        let along: f64 = (0..3).map(|k| axis[k] * here[k]).sum();
        let flat: [f64; 3] = std::array::from_fn(|k| axis[k] - along * here[k]);
        let length = flat.iter().map(|c| c * c).sum::<f64>().sqrt();
        flat.map(|c| c / length)
    };
    let right = tangent(std::array::from_fn(|k| direction_at(face, 1.0, 0.5)[k] - direction_at(face, 0.0, 0.5)[k]));
    let up = [
        here[1] * right[2] - here[2] * right[1],
        here[2] * right[0] - here[0] * right[2],
        here[0] * right[1] - here[1] * right[0],
    ];
    (right, up)
}
