//! A terrain ready for the screen, of either surface: what the worker makes and what the graphics card gets.

use std::sync::Arc;

use super::globe::terrain::GlobeTerrain;
use super::render_base::RenderBase;
use super::square::SquareTerrain;
use crate::view::overlays::overlay::{OverlayChoice, climate_of};
use crate::view::render::texels::{TerrainMap, Texels};
use talweg::appearance::{PaletteTable, SiteConditions};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::planet::projection::from_map;
use talweg::scene::Scene;

/// A terrain ready to be drawn. Plain data that never changes; clones share it.
#[derive(Clone)]
pub enum RenderTerrain {
    Square(Arc<SquareTerrain>),
    Globe(Arc<GlobeTerrain>),
}

impl RenderTerrain {
    /// Works out what the screen needs of a scene's terrain; call it on the worker. Of a square it takes about 10 ms a
    /// million samples and core. A planet is painted with the colours of its scene, whatever `choice` says.
    ///
    /// # Errors
    /// When `control` says so; it is asked every few milliseconds.
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

    /// What both surfaces have.
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

    /// The same ground under another overlay, or with other biomes. Cheap beside [`new`](Self::new): the rest is
    /// shared.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn with_overlay(&self, choice: &OverlayChoice, control: &Control) -> Result<Self, Cancelled> {
        Ok(match self {
            Self::Square(terrain) => Self::Square(Arc::new(terrain.with_overlay(choice, control)?)),
            Self::Globe(terrain) => Self::Globe(Arc::new(terrain.with_overlay(choice, control)?)),
        })
    }

    /// What the ground consists of at a place of the square, or of a map of the planet, both from 0 to 1, if it is
    /// coloured by biomes.
    pub fn biome_weights(&self, u: f32, v: f32) -> Option<(SiteConditions, Vec<f32>)> {
        let base = self.base();
        let paint = &base.biomes.as_ref()?.paint;
        let place = match self {
            Self::Square(_) => paint.place_on(&base.terrain, u, v),
            Self::Globe(_) => paint.place_around(&base.terrain, from_map([u, v].map(f64::from))),
        };
        let weights = paint.law().weights(&place);
        Some((place, weights))
    }

    /// Faces that its textures have.
    pub fn faces(&self) -> usize {
        match self {
            Self::Square(_) => 1,
            Self::Globe(_) => talweg::field::topology::FACES,
        }
    }

    /// The texels of a texture, if the terrain has it.
    pub fn texels(&self, map: TerrainMap) -> Option<Texels> {
        match self {
            Self::Square(terrain) if map == TerrainMap::Heights => Some(Texels::Heights(terrain.heights.clone())),
            Self::Square(terrain) => {
                terrain.mips(map).map(|mips| Texels::Square(mips, terrain.levels_left_out()[map as usize]))
            }
            Self::Globe(terrain) => match map {
                TerrainMap::Heights => Some(Texels::FaceHeights(terrain.terrain.clone())),
                TerrainMap::Slopes => Some(Texels::Faces(terrain.shape.clone())),
                TerrainMap::Colours => Some(Texels::Faces(terrain.colours.clone())),
                _ => None,
            },
        }
    }

    /// Memory of its textures on the graphics card.
    pub fn texture_bytes(&self) -> usize {
        TerrainMap::ALL.into_iter().filter_map(|map| self.texels(map)).map(|texels| texels.bytes()).sum()
    }
}
