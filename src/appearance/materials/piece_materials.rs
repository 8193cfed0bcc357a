//! What pieces of a construction make of the ground: their materials in the terrain's maps of shares.

use super::textures::look_of;
use crate::appearance::COVERS;
use crate::appearance::colours::srgb::Light;
use crate::appearance_files::Material;
use crate::field::{MapKind, Terrain};

/// The materials of the maps of [`MapKind::SHARES`].
pub const PIECE_MATERIALS: [Material; MapKind::SHARES.len()] =
    [Material::Rock, Material::Grass, Material::Sand, Material::Snow, Material::Gravel, Material::Soil];

/// Colour of a road in linear light: trodden gravel, brighter than the gravel of a river.
const ROAD: Light = [0.42, 0.38, 0.32];

/// Shares that pieces make of the ground at a place, in the order of [`MapKind::SHARES`]; they come to 1 at the most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundShares(pub [f32; MapKind::SHARES.len()]);

/// Numbers of sand and snow, which lie on the others, in the order of [`COVERS`].
const LYING: [usize; COVERS.len()] = [2, 3];

impl GroundShares {
    /// How much of the ground sand and snow hide, in the order of [`COVERS`].
    pub fn hidden(&self) -> [f32; COVERS.len()] {
        let [sand, snow] = LYING.map(|k| self.0[k]);
        [if snow < 1.0 { (sand / (1.0 - snow)).min(1.0) } else { 0.0 }, snow]
    }

    /// What rock, grass, road and bare earth add to the colour of the ground between sand and snow, in linear light,
    /// and how much of the ground's own they hide.
    pub fn tint(&self) -> (Light, f32) {
        let free = 1.0 - LYING.iter().map(|k| self.0[*k]).sum::<f32>();
        let (mut light, mut hidden) = ([0.0; 3], 0.0);
        if free <= 0.0 {
            return (light, hidden);
        }
        for (k, share) in self.0.iter().enumerate().filter(|(k, share)| !LYING.contains(k) && **share > 0.0) {
            let share = (share / free).min(1.0);
            let colour =
                if MapKind::SHARES[k] == MapKind::RoadShare { ROAD } else { look_of(PIECE_MATERIALS[k]).colour };
            (0..3).for_each(|c| light[c] += share * colour[c]);
            hidden += share;
        }
        (light, hidden.min(1.0))
    }

    /// Ground of a colour (linear light) as these make it, under what is sand and snow.
    pub fn tinted(&self, ground: Light) -> Light {
        let (light, hidden) = self.tint();
        if hidden <= 0.0 { ground } else { std::array::from_fn(|c| ground[c] * (1.0 - hidden) + light[c]) }
    }
}

/// The maps of shares of a terrain.
pub struct GroundShareMaps<'a>([Option<&'a [f32]>; MapKind::SHARES.len()]);

impl<'a> GroundShareMaps<'a> {
    /// Those of a terrain; `None` where no piece says what it is made of.
    pub fn new(terrain: &'a Terrain) -> Option<Self> {
        let maps = MapKind::SHARES.map(|kind| terrain.map(kind).map(|map| map.as_slice()));
        maps.iter().any(Option::is_some).then_some(Self(maps))
    }

    /// Shares of a sample.
    pub fn of_sample(&self, k: usize) -> GroundShares {
        GroundShares(self.0.map(|map| map.map_or(0.0, |map| map[k].clamp(0.0, 1.0))))
    }
}

/// Two shares of the ground that are hidden, one by one over the other.
pub fn hidden_by_both(first: f32, second: f32) -> f32 {
    first + second * (1.0 - first)
}
