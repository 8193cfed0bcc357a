//! Material weights of a square terrain at every sample. They follow from the same rules as in the 3D view, and from
//! the construction primitives that have a material.

use super::conditions::{asks_curvature, asks_openness};
use super::piece_materials::PIECE_MATERIALS;
use crate::appearance::biomes::ground_types::{MOST_WEIGHTED, whole_shares};
use crate::appearance::{GroundConditions, GroundShareMaps, PaletteTable, SampleCoverDepths, SurroundingHeights};
use crate::appearance_files::Material;
use crate::field::{Cancelled, Control, Terrain};
use crate::scene::Scene;

/// Calls `read` with a function that returns the weights of [`Material::ALL`] at a sample of a square terrain, as
/// integers that add up to 255. The rules are applied first, then the materials of a construction's primitives, then
/// the sand and snow maps on top. Weights are computed on demand, so that no caller has to store all of them.
///
/// # Errors
/// If `control` or `read` cancels.
pub fn with_material_weights<T>(
    scene: &Scene,
    terrain: &Terrain,
    control: &Control,
    read: impl FnOnce(&(dyn Fn(usize) -> [u8; MOST_WEIGHTED] + Sync)) -> Result<T, Cancelled>,
) -> Result<T, Cancelled> {
    let table = PaletteTable::for_scene(scene);
    let bands = table.materials.0.iter().map(|rule| &rule.bands);
    let ground = GroundConditions::new(terrain, &scene.settings, &table, bands, control)?;
    weights_on(scene, terrain, &table, &ground, read)
}

/// Like [`with_material_weights`], for a window of a square terrain. `around` returns the openness of the window's
/// samples.
///
/// # Errors
/// If `control` or `read` cancels.
pub fn with_window_weights<T>(
    scene: &Scene,
    window: &Terrain,
    around: Option<&SurroundingHeights>,
    control: &Control,
    read: impl FnOnce(&(dyn Fn(usize) -> [u8; MOST_WEIGHTED] + Sync)) -> Result<T, Cancelled>,
) -> Result<T, Cancelled> {
    let table = PaletteTable::for_scene(scene);
    let openness = around.map(|around| around.openness(window.grid.first(), window.samples(), &window.height, control));
    let is_curved = table.materials.0.iter().any(|rule| asks_curvature(&rule.bands));
    let ground = GroundConditions::in_window(window, &scene.settings, &table, None, (openness.transpose()?, is_curved));
    weights_on(scene, window, &table, &ground, read)
}

/// Whether the materials of a scene depend on the openness of the terrain.
pub fn materials_ask_openness(scene: &Scene) -> bool {
    PaletteTable::for_scene(scene).materials.0.iter().any(|rule| asks_openness(&rule.bands))
}

fn weights_on<T>(
    scene: &Scene,
    terrain: &Terrain,
    table: &PaletteTable,
    ground: &GroundConditions,
    read: impl FnOnce(&(dyn Fn(usize) -> [u8; MOST_WEIGHTED] + Sync)) -> Result<T, Cancelled>,
) -> Result<T, Cancelled> {
    const { assert!(Material::ALL.len() <= MOST_WEIGHTED) };
    let (settings, rules, n) = (&scene.settings, &table.materials, terrain.samples());
    let made = GroundShareMaps::new(terrain);
    let covers = SampleCoverDepths::from_maps(terrain, settings);
    read(&|k: usize| {
        let place = [terrain.grid.column_position(k % n), terrain.grid.row_position(k / n)];
        let mut shares = rules.fractions(ground.values(place));
        if let Some(made) = made.as_ref().map(|made| made.of_sample(k).0) {
            let left = (1.0 - made.iter().sum::<f32>()).max(0.0);
            shares.iter_mut().for_each(|share| *share *= left);
            PIECE_MATERIALS.iter().zip(made).for_each(|(material, share)| shares[*material as usize] += share);
        }
        for (hidden, material) in covers.hidden_fractions(k).into_iter().zip([Material::Sand, Material::Snow]) {
            shares.iter_mut().for_each(|share| *share *= 1.0 - hidden);
            shares[material as usize] += hidden;
        }
        whole_shares(&shares)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, MapKind};
    use crate::scene::Settings;

    #[test]
    fn cliffs_are_rock_and_snow_lies_on_all() {
        let settings = Settings { size_metres: 1000.0, relief_metres: 500.0, sea_level: 0.0, ..Settings::default() };
        let scene = Scene { settings, palette: "alpine".into(), ..Scene::default() };
        // Half of the terrain is level, the other half is a cliff of 76 degrees.
        let mut terrain =
            Terrain::from_fn(129, Edges::Open, |u, _| if u < 0.5 { 0.02 } else { 0.02 + 8.0 * (u - 0.5) });
        let control = Control::default();
        let strongest = |weights: &[u8; MOST_WEIGHTED]| (0..MOST_WEIGHTED).max_by_key(|k| weights[*k]);
        let all = |terrain: &Terrain| {
            with_material_weights(&scene, terrain, &control, |weights| {
                Ok((0..129 * 129).map(weights).collect::<Vec<_>>())
            })
        };
        let bare = all(&terrain).unwrap();
        assert!(bare.iter().all(|each| each.iter().map(|w| u32::from(*w)).sum::<u32>() == 255));
        let row = 64 * 129;
        assert_eq!(strongest(&bare[row + 100]), Some(Material::Rock as usize));
        assert_ne!(strongest(&bare[row + 30]), Some(Material::Rock as usize));
        // Three metres of snow cover the terrain.
        terrain.map_mut(MapKind::Snow).fill(3.0 / 500.0);
        let snowed = all(&terrain).unwrap();
        assert!(snowed.iter().all(|each| each[Material::Snow as usize] > 245));
    }
}
