//! Ground types of a planet or a terrain for other programs, as one index per sample or as weights.

use rayon::prelude::*;
use serde::Serialize;

use super::{Biomes, Paint};
use crate::appearance::colours::srgb::encode;
use crate::appearance::materials::material_map::with_material_weights;
use crate::appearance::materials::textures::look_of;
use crate::appearance_files::{GroundType, Material};
use crate::field::{Cancelled, Control, Terrain};
use crate::planet::projection::Equirectangular;
use crate::scene::Scene;

/// Layout in which a planet is written to an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanetLayout {
    /// A map of all longitudes and latitudes.
    Map(Equirectangular),
    /// The samples of one face; a terrain that is not a planet has the single face 0.
    Face(usize),
}

/// A ground type in the legend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LegendEntry {
    /// Pixel value of the type in an index map.
    pub index: u8,
    /// Name of the type.
    pub name: String,
    /// Colour of the type: red, green and blue in sRGB.
    pub colour: [u8; 3],
}

/// The dominant ground type at every sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMap {
    /// Index into the legend for every sample of the grid.
    pub types: Vec<u8>,
    /// The ground types, by index.
    pub legend: Vec<LegendEntry>,
}

impl TypeMap {
    /// The ground types of a scene. `None` if no biome table colours the scene.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn for_scene(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Option<Self>, Cancelled> {
        let Some(biomes) = Biomes::for_scene(scene) else { return Ok(None) };
        let types = Paint::new(terrain, &scene.settings, &biomes).types(terrain, control)?;
        Ok(Some(Self { types, legend: (0..biomes.table.types.len()).map(|k| type_entry(&biomes, k)).collect() }))
    }

    /// The dominant ground material of every sample, for a square terrain that is not coloured by a biome table.
    /// Indices are in the order of [`Material::ALL`].
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn of_materials(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Self, Cancelled> {
        let types =
            with_material_weights(scene, terrain, control, |weights| strongest_of_all(terrain, weights, control))?;
        Ok(Self { types, legend: (0..Material::ALL.len()).map(material_entry).collect() })
    }
}

/// A function that returns the weights at a sample, by sample index.
pub(in crate::appearance) type WeightsAt<'a> = &'a (dyn Fn(usize) -> [u8; MOST_WEIGHTED] + Sync);

pub(in crate::appearance) fn strongest_of_all(
    terrain: &Terrain,
    weights: WeightsAt,
    control: &Control,
) -> Result<Vec<u8>, Cancelled> {
    bytes_of_samples(terrain, 1, control, |k, out| out[0] = strongest(&weights(k)) as u8)
}

/// `each` bytes for every sample of a square terrain, filled by `make`.
fn bytes_of_samples(
    terrain: &Terrain,
    each: usize,
    control: &Control,
    make: impl Fn(usize, &mut [u8]) + Sync,
) -> Result<Vec<u8>, Cancelled> {
    let n = terrain.samples();
    let mut all = vec![0; terrain.grid.len() * each];
    all.par_chunks_mut((n * each).max(1)).enumerate().try_for_each(|(row, out)| {
        control.check()?;
        out.chunks_mut(each.max(1)).enumerate().for_each(|(column, out)| make(row * n + column, out));
        Ok(())
    })?;
    Ok(all)
}

/// The material with the greatest weight; the first if several are equal.
fn strongest(weights: &[u8; MOST_WEIGHTED]) -> usize {
    (0..Material::ALL.len()).fold(0, |most, k| if weights[k] > weights[most] { k } else { most })
}

pub(in crate::appearance) fn type_entry(biomes: &Biomes, index: usize) -> LegendEntry {
    let GroundType { name, colour, .. } = &biomes.table.types[index];
    LegendEntry { index: index as u8, name: name.clone(), colour: *colour }
}

pub(in crate::appearance) fn material_entry(index: usize) -> LegendEntry {
    let material = Material::ALL[index];
    LegendEntry { index: index as u8, name: material.label().into(), colour: encode(look_of(material).colour) }
}

/// The legend as RON: index, name and colour of every type.
pub fn legend_ron(legend: &[LegendEntry]) -> String {
    let line = |entry: &LegendEntry| {
        let [r, g, b] = entry.colour;
        format!("    (index: {}, name: {:?}, colour: \"#{r:02x}{g:02x}{b:02x}\"),\n", entry.index, entry.name)
    };
    format!("[\n{}]\n", legend.iter().map(line).collect::<String>())
}

/// Maximum number of types in a splat map. Engines can blend this many at once: four images of four channels.
pub const MOST_WEIGHTED: usize = 16;
/// Ground types that dominate on less than this fraction of the terrain are omitted from splat maps.
const LEAST_SHARE: f64 = 1.0e-4;
/// Sum of the weights at a sample.
const WHOLE: u8 = 255;

/// Weights of ground types as integers that add up to 255 at every sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeWeights {
    /// The most frequent ground types, in the order of the table, renumbered from 0.
    pub legend: Vec<LegendEntry>,
    /// The weights of every sample, one sample after another.
    weights: Vec<u8>,
}

impl TypeWeights {
    /// Creates weights of the types of `legend`. The bytes of `weights` are the weights of each sample, one sample
    /// after another.
    pub fn new(legend: Vec<LegendEntry>, weights: Vec<u8>) -> Self {
        Self { legend, weights }
    }

    /// The weights of the ground types of a scene. If no biome table colours the scene, there are no types.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn for_scene(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Self, Cancelled> {
        let Some(biomes) = Biomes::for_scene(scene) else {
            return Ok(Self { legend: Vec::new(), weights: Vec::new() });
        };
        let paint = Paint::new(terrain, &scene.settings, &biomes);
        let mut counts = vec![0u64; biomes.table.types.len()];
        paint.types(terrain, control)?.iter().for_each(|&kind| counts[usize::from(kind)] += 1);
        let kept = kept_types(&counts, terrain.grid.len());
        let legend = legend_of(&kept, |kind| type_entry(&biomes, kind));
        let mut weights = paint.weights(terrain, &kept, control)?.into_flattened();
        // Remove the weights of types that are not kept, in place.
        for sample in 0..terrain.grid.len() {
            weights.copy_within(sample * MOST_WEIGHTED..sample * MOST_WEIGHTED + kept.len(), sample * kept.len());
        }
        weights.truncate(terrain.grid.len() * kept.len());
        weights.shrink_to_fit();
        Ok(Self { legend, weights })
    }

    /// The weights of the ground materials of a square terrain. A material is kept only if it has the greatest weight
    /// at some samples.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn of_materials(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Self, Cancelled> {
        with_material_weights(scene, terrain, control, |weights| {
            let mut counts = [0u64; Material::ALL.len()];
            strongest_of_all(terrain, weights, control)?.iter().for_each(|&kind| counts[usize::from(kind)] += 1);
            let kept = kept_types(&counts, terrain.grid.len());
            // The weights are computed a second time instead of stored, because the weights of all materials would need
            // as much memory as several height grids.
            let weights = kept_weights(terrain, weights, &kept, control)?;
            Ok(Self { legend: legend_of(&kept, material_entry), weights })
        })
    }

    /// Weights of the ground types at a sample, in the order of the legend.
    pub fn of_sample(&self, sample: usize) -> &[u8] {
        &self.weights[sample * self.legend.len()..][..self.legend.len()]
    }
}

/// Indices of the ground types to keep; `counts` is the number of samples that each type dominates, out of `samples`.
pub(in crate::appearance) fn kept_types(counts: &[u64], samples: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..counts.len()).collect();
    kept.sort_by_key(|&kind| (std::cmp::Reverse(counts[kind]), kind));
    let least = (LEAST_SHARE * samples as f64).max(1.0);
    kept.retain(|&kind| counts[kind] as f64 >= least);
    kept.truncate(MOST_WEIGHTED);
    kept.sort_unstable();
    kept
}

/// Legend entries of the kept types, renumbered from 0.
pub(in crate::appearance) fn legend_of(kept: &[usize], entry: impl Fn(usize) -> LegendEntry) -> Vec<LegendEntry> {
    kept.iter().enumerate().map(|(index, &kind)| LegendEntry { index: index as u8, ..entry(kind) }).collect()
}

/// Weights of the materials `kept` at all samples, one sample after another.
pub(in crate::appearance) fn kept_weights(
    terrain: &Terrain,
    weights: WeightsAt,
    kept: &[usize],
    control: &Control,
) -> Result<Vec<u8>, Cancelled> {
    bytes_of_samples(terrain, kept.len(), control, |k, out| {
        let all = weights(k);
        let mut shares = [0.0; MOST_WEIGHTED];
        shares.iter_mut().zip(kept).for_each(|(share, &kind)| *share = f32::from(all[kind]));
        out.copy_from_slice(&whole_shares(&shares[..kept.len()])[..kept.len()]);
    })
}

/// Converts fractions to integers that add up to [`WHOLE`], by the method of largest remainders. If no fraction is
/// above 0, the first type gets the whole weight.
pub(in crate::appearance) fn whole_shares(shares: &[f32]) -> [u8; MOST_WEIGHTED] {
    let sum: f32 = shares.iter().sum();
    let mut out = [0u8; MOST_WEIGHTED];
    if sum <= 0.0 {
        out[0] = WHOLE;
        return out;
    }
    let mut rest = [0.0f32; MOST_WEIGHTED];
    for (k, share) in shares.iter().enumerate() {
        let exact = share / sum * f32::from(WHOLE);
        out[k] = exact as u8;
        rest[k] = exact - f32::from(out[k]);
    }
    let mut missing = WHOLE.saturating_sub(out.iter().fold(0, |sum: u8, part| sum.saturating_add(*part)));
    while missing > 0 {
        let most = (0..shares.len()).fold(0, |most, k| if rest[k] > rest[most] { k } else { most });
        out[most] += 1;
        rest[most] = -1.0;
        missing -= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_shares_add_up_and_stay_near_their_values() {
        for shares in [vec![1.0, 1.0, 1.0], vec![0.0, 0.0], vec![0.2, 0.3, 0.5, 1e-7], vec![0.1; 16], vec![7.0]] {
            let whole = whole_shares(&shares);
            assert_eq!(whole.iter().map(|&part| u32::from(part)).sum::<u32>(), 255, "{shares:?}");
            let sum: f32 = shares.iter().sum();
            for (share, part) in shares.iter().zip(whole).filter(|_| sum > 0.0) {
                assert!((share / sum * 255.0 - f32::from(part)).abs() <= 1.0, "{shares:?} {whole:?}");
            }
        }
    }
}
