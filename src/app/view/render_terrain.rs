//! A terrain prepared for drawing, square or globe. A worker thread prepares the data, and the view uploads the data to
//! the graphics card.

use std::sync::Arc;

use super::globe::GlobeTerrain;
use super::overlays::choice::{OverlayChoice, climate_of};
use super::render_base::RenderBase;
use super::square::SquareTerrain;
use talweg::appearance::{PaletteTable, SiteConditions};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::planet::projection::from_map;
use talweg::scene::Scene;

/// A terrain prepared for drawing. The data are immutable, and clones share them.
#[derive(Clone)]
pub enum RenderTerrain {
    Square(Arc<SquareTerrain>),
    Globe(Arc<GlobeTerrain>),
}

impl RenderTerrain {
    /// Prepares a scene's terrain for drawing; call it on a worker thread. A square takes about 10 ms per million
    /// samples on one core. A globe always has the colours of its scene and ignores the overlay in `choice`.
    ///
    /// # Errors
    /// If `control` cancels. The function polls `control` every few milliseconds.
    pub fn new(
        terrain: &Arc<Terrain>,
        scene: &Scene,
        choice: &OverlayChoice,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let choice = OverlayChoice { climate: Some(climate_of(scene)), ..choice.clone() };
        let Some(planet) = scene.as_planet() else {
            return Ok(Self::Square(Arc::new(SquareTerrain::new(terrain, &scene.settings, &choice, control)?)));
        };
        let table = PaletteTable::for_scene(scene);
        let choice = OverlayChoice { biomes: table.biomes.clone(), ..choice };
        let radius = f64::from(planet.radius_metres);
        let globe = GlobeTerrain::new(
            terrain,
            &scene.settings,
            (radius, Some(scene.detail_source())),
            &table.into(),
            &choice,
            control,
        )?;
        Ok(Self::Globe(Arc::new(globe)))
    }

    /// The data that squares and globes have in common.
    pub fn base(&self) -> &RenderBase {
        match self {
            Self::Square(terrain) => terrain,
            Self::Globe(terrain) => terrain,
        }
    }

    pub fn square(&self) -> Option<&Arc<SquareTerrain>> {
        match self {
            Self::Square(terrain) => Some(terrain),
            Self::Globe(_) => None,
        }
    }

    pub fn globe(&self) -> Option<&Arc<GlobeTerrain>> {
        match self {
            Self::Square(_) => None,
            Self::Globe(terrain) => Some(terrain),
        }
    }

    /// The same terrain with another overlay or other biomes. The call is cheaper than [`new`](Self::new), because both
    /// terrains share all other data.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn with_overlay(&self, choice: &OverlayChoice, control: &Control) -> Result<Self, Cancelled> {
        Ok(match self {
            Self::Square(terrain) => Self::Square(Arc::new(terrain.with_overlay(choice, control)?)),
            Self::Globe(terrain) => Self::Globe(Arc::new(terrain.with_overlay(choice, control)?)),
        })
    }

    /// Site conditions and biome weights at a position, if the terrain is coloured by biomes. `u` and `v` range from 0
    /// to 1 across the square or the map of the globe.
    pub fn biome_weights(&self, u: f32, v: f32) -> Option<(SiteConditions, Vec<f32>)> {
        let base = self.base();
        let paint = &base.biomes.as_ref()?.paint;
        let place = match self {
            Self::Square(_) => paint.conditions_on_square(&base.terrain, u, v),
            Self::Globe(_) => paint.conditions_on_globe(&base.terrain, from_map([u, v].map(f64::from))),
        };
        let weights = paint.law().weights(&place);
        Some((place, weights))
    }
}
