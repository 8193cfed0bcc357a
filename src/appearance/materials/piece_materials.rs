//! Materials of a construction's primitives, from the terrain's share maps.

use super::textures::look_of;
use crate::appearance::COVERS;
use crate::appearance::colours::srgb::Light;
use crate::appearance_files::Material;
use crate::field::{MapKind, Terrain};

/// The materials whose fractions are in the maps of [`MapKind::COVER_FRACTIONS`], in the same order.
pub const PIECE_MATERIALS: [Material; MapKind::COVER_FRACTIONS.len()] =
    [Material::Rock, Material::Grass, Material::Sand, Material::Snow, Material::Gravel, Material::Soil];

/// Colour of a road in linear light: trodden gravel, brighter than river gravel.
const ROAD: Light = [0.42, 0.38, 0.32];

/// Fractions of the ground that have the material of a construction's primitive, in the order of
/// [`MapKind::COVER_FRACTIONS`]. Their sum is at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CoverFractions(pub [f32; MapKind::COVER_FRACTIONS.len()]);

/// Indices of sand and snow in the fractions, in the order of [`COVERS`]. Sand and snow are on top of the other
/// materials.
const LYING: [usize; COVERS.len()] = [2, 3];

impl CoverFractions {
    /// Fractions of the ground that sand and snow hide, in the order of [`COVERS`].
    pub fn hidden(&self) -> [f32; COVERS.len()] {
        let [sand, snow] = LYING.map(|k| self.0[k]);
        [if snow < 1.0 { (sand / (1.0 - snow)).min(1.0) } else { 0.0 }, snow]
    }

    /// The colours of rock, grass, road and bare earth in linear light, weighted by their fractions and added up. Also
    /// returns the fraction of the ground's own colour that they hide. Fractions refer to ground without sand and snow.
    pub fn tint(&self) -> (Light, f32) {
        let free = 1.0 - LYING.iter().map(|k| self.0[*k]).sum::<f32>();
        let (mut light, mut hidden) = ([0.0; 3], 0.0);
        if free <= 0.0 {
            return (light, hidden);
        }
        for (k, share) in self.0.iter().enumerate().filter(|(k, share)| !LYING.contains(k) && **share > 0.0) {
            let share = (share / free).min(1.0);
            let colour = if MapKind::COVER_FRACTIONS[k] == MapKind::RoadShare {
                ROAD
            } else {
                look_of(PIECE_MATERIALS[k]).colour
            };
            (0..3).for_each(|c| light[c] += share * colour[c]);
            hidden += share;
        }
        (light, hidden.min(1.0))
    }

    /// The colour `ground` (linear light), tinted by rock, grass, road and bare earth, before sand and snow cover it.
    pub fn tinted(&self, ground: Light) -> Light {
        let (light, hidden) = self.tint();
        if hidden <= 0.0 { ground } else { std::array::from_fn(|c| ground[c] * (1.0 - hidden) + light[c]) }
    }
}

/// The share maps of a terrain.
pub struct GroundShareMaps<'a>([Option<&'a [f32]>; MapKind::COVER_FRACTIONS.len()]);

impl<'a> GroundShareMaps<'a> {
    /// The share maps of a terrain; `None` if no primitive has a material.
    pub fn new(terrain: &'a Terrain) -> Option<Self> {
        let maps = MapKind::COVER_FRACTIONS.map(|kind| terrain.map(kind).map(|map| map.as_slice()));
        maps.iter().any(Option::is_some).then_some(Self(maps))
    }

    /// Fractions of the primitives' materials at a sample.
    pub fn of_sample(&self, k: usize) -> CoverFractions {
        CoverFractions(self.0.map(|map| map.map_or(0.0, |map| map[k].clamp(0.0, 1.0))))
    }
}

/// Fraction of the ground that two overlapping covers hide together. One cover hides the fraction `first`, the other
/// hides the fraction `second`.
pub fn combined_cover(first: f32, second: f32) -> f32 {
    first + second * (1.0 - first)
}
