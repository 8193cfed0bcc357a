//! Terrain colours and ground types of a square terrain that is read in windows. The results in windows have the same
//! bits as the results on the whole terrain.

use std::sync::Arc;

use super::ground_types::{
    LegendEntry, kept_types, kept_weights, legend_of, material_entry, strongest_of_all, type_entry,
};
use super::{Biomes, Paint};
use crate::appearance::SurroundingHeights;
use crate::appearance::colours::ground::square_colours;
use crate::appearance::materials::material_map::{materials_ask_openness, with_window_weights};
use crate::appearance_files::Material;
use crate::field::{Cancelled, Control, SquareReader, Terrain};
use crate::planet::climate::TerrainClimate;
use crate::scene::Scene;

/// A square terrain that is coloured in windows. It holds the data about the whole terrain that every window needs: the
/// climate, if a biome table colours the terrain, and the mean heights around each position, if materials use openness.
pub struct SampledGround<'a> {
    scene: &'a Scene,
    painted: Option<(Biomes, Arc<TerrainClimate>)>,
    around: Option<SurroundingHeights>,
}

impl<'a> SampledGround<'a> {
    /// Width in samples of the halo that a window must have around the samples to colour.
    pub const HALO: usize = 4;

    /// Reads the data about the whole square terrain that the scene's colours need.
    ///
    /// # Errors
    /// As [`SquareReader::rows`].
    pub fn new(scene: &'a Scene, square: &dyn SquareReader, control: &Control) -> Result<Self, Cancelled> {
        let settings = &scene.settings;
        let weather = |biomes: Biomes| {
            let climate = &biomes.climate;
            let weather = TerrainClimate::of_square(climate, square, settings.relief_metres, settings.sea_level)?;
            Ok((biomes, Arc::new(weather)))
        };
        let painted = Biomes::for_scene(scene).map(weather).transpose()?;
        let asks = painted.is_none() && materials_ask_openness(scene);
        let around = asks.then(|| SurroundingHeights::of_square(square, settings.relief_over_size(), control));
        Ok(Self { scene, painted, around: around.transpose()? })
    }

    fn paint(&self) -> Option<Paint> {
        let (biomes, weather) = self.painted.as_ref()?;
        Some(Paint::with_weather(weather.clone(), &self.scene.settings, biomes))
    }

    /// Like [`ground_colours`](crate::appearance::ground_colours), for the samples of a window.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn colours(&self, window: &Terrain, control: &Control) -> Result<Vec<[u8; 4]>, Cancelled> {
        let of_biomes = self.paint().map(|paint| paint.colours(window, control)).transpose()?;
        square_colours(self.scene, window, of_biomes.as_deref(), control)
    }

    /// The legend of all ground types of the biome table, or of all materials if there is no biome table.
    pub fn legend(&self) -> Vec<LegendEntry> {
        match &self.painted {
            Some((biomes, _)) => (0..biomes.table.types.len()).map(|kind| type_entry(biomes, kind)).collect(),
            None => (0..Material::ALL.len()).map(material_entry).collect(),
        }
    }

    /// Index of the dominant type at each sample of a window.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn types(&self, window: &Terrain, control: &Control) -> Result<Vec<u8>, Cancelled> {
        if let Some(paint) = self.paint() {
            return paint.types(window, control);
        }
        with_window_weights(self.scene, window, self.around.as_ref(), control, |weights| {
            strongest_of_all(window, weights, control)
        })
    }

    /// The types to keep, with their legend; `counts` is the number of samples that each type dominates, out of
    /// `samples`.
    pub fn kept(&self, counts: &[u64], samples: usize) -> (Vec<usize>, Vec<LegendEntry>) {
        let (kept, all) = (kept_types(counts, samples), self.legend());
        let legend = legend_of(&kept, |kind| all[kind].clone());
        (kept, legend)
    }

    /// Weights of the types `kept` at the samples of a window, one sample after another; at each sample they add up to
    /// 255.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn weights(&self, window: &Terrain, kept: &[usize], control: &Control) -> Result<Vec<u8>, Cancelled> {
        if let Some(paint) = self.paint() {
            let all = paint.weights(window, kept, control)?;
            return Ok(all.iter().flat_map(|each| &each[..kept.len()]).copied().collect());
        }
        with_window_weights(self.scene, window, self.around.as_ref(), control, |weights| {
            kept_weights(window, weights, kept, control)
        })
    }
}
