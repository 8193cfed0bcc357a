//! Terrain colours without lighting, as in a texture.

use rayon::prelude::*;

use super::snow_sand::vegetated;
use super::srgb::{brighten, decode, encode, mix};
use crate::appearance::pictures::relief::{COVER, FILM, RIVER_TINT, SHORE};
use crate::appearance::{GroundShareMaps, PaletteTable, SampleCoverDepths, colours, colours_of, covered};
use crate::field::{Cancelled, Control, MapKind, Terrain, slope_degrees};
use crate::scene::Scene;

/// The sRGB colours of all samples without light and shadow. The palette or the biomes give the colour of the ground;
/// rivers, sand and snow are drawn on top. The colours are opaque. On a planet, rivers, sand and snow are not included.
///
/// # Errors
/// If the computation was cancelled.
pub fn ground_colours(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<[u8; 4]>, Cancelled> {
    if terrain.grid.is_globe() {
        return colours_of(scene, terrain, control);
    }
    let of_biomes = colours(terrain, scene, control)?;
    square_colours(scene, terrain, of_biomes.as_deref(), control)
}

/// Like [`ground_colours`], for a square terrain or a window of it, whose biome colours are already computed. The
/// colour of a sample also depends on its direct neighbours.
pub(in crate::appearance) fn square_colours(
    scene: &Scene,
    terrain: &Terrain,
    of_biomes: Option<&[[u8; 4]]>,
    control: &Control,
) -> Result<Vec<[u8; 4]>, Cancelled> {
    let (settings, table, n) = (&scene.settings, PaletteTable::for_scene(scene), terrain.samples());
    let steepness = settings.relief_over_size();
    let entry = |place: f32| {
        let [r, g, b, _] = table.lut[(place as usize).min(table.lut.len() - 1)];
        decode([r, g, b])
    };
    let [r, g, b, _] = table.rock;
    let rock = decode([r, g, b]);
    let (made, covers) = (GroundShareMaps::new(terrain), SampleCoverDepths::new(terrain, settings));
    let [water, brightness, vegetation] =
        [MapKind::Water, MapKind::Brightness, MapKind::Vegetation].map(|kind| terrain.map(kind));
    let colour = |k: usize| {
        let metres = terrain.height[k] * settings.relief_metres;
        let is_land = metres > settings.sea_level;
        let plain = || {
            let degrees = slope_degrees(terrain.grid, &terrain.height, k / n, k % n, steepness);
            let share = if is_land { table.rock_opacity(degrees) } else { 0.0 };
            mix(entry(PaletteTable::lut_index(settings, metres)), rock, share)
        };
        let ground = of_biomes.map_or_else(plain, |of_biomes| {
            let [r, g, b, _] = of_biomes[k];
            decode([r, g, b])
        });
        if !is_land {
            return encode(ground);
        }
        let ground = brighten(ground, brightness.map_or(0.0, |map| map[k]));
        let ground = made.as_ref().map_or(ground, |made| made.of_sample(k).tinted(ground));
        let ground = encode(vegetated(ground, vegetation.map_or(0.0, |map| map[k])));
        let ground = covered(ground, covers.hidden_fractions(k));
        let depth = water.map_or(0.0, |map| map[k]);
        if depth <= FILM {
            return ground;
        }
        let shown = settings.sea_level - depth * settings.relief_metres * RIVER_TINT;
        let river = entry(PaletteTable::lut_index(settings, shown).min((SHORE - 1) as f32));
        encode(mix(decode(ground), river, ((depth - FILM) / (COVER - FILM)).min(1.0)))
    };
    let opaque = |k: usize| {
        let [r, g, b] = colour(k);
        [r, g, b, 255]
    };
    let mut made = vec![[0; 4]; terrain.height.len()];
    by_rows(&mut made, n, control, opaque)?;
    Ok(made)
}

/// Fills `values` from their indices and checks `control` for cancellation after every `row` values.
pub(in crate::appearance) fn by_rows<T: Send>(
    values: &mut [T],
    row: usize,
    control: &Control,
    value: impl Fn(usize) -> T + Sync,
) -> Result<(), Cancelled> {
    values.par_chunks_mut(row).enumerate().try_for_each(|(i, values)| {
        control.check()?;
        values.iter_mut().enumerate().for_each(|(j, out)| *out = value(i * row + j));
        Ok(())
    })
}
