//! Snow, sand and plants from the terrain's maps, which hide the colour of the ground below.

use super::srgb::{Light, brighten, decode, encode, mix};
use crate::appearance::materials::piece_materials::{CoverFractions, GroundShareMaps, combined_cover};
use crate::field::{Cancelled, Control, MapKind, Terrain};
use crate::scene::Settings;
use crate::terrain_attributes::raster::PixelGrid;

/// The sand and snow covers: the data map of each, its colour (sRGB) and the depth in metres at which it hides half of
/// the ground. Later covers are on top of earlier ones.
pub const COVERS: [(MapKind, [u8; 3], f32); 2] =
    [(MapKind::Sand, [222, 186, 132], 0.4), (MapKind::Snow, [240, 244, 248], 0.25)];

/// Colour of plants in linear light, and the maximum fraction of the ground that they hide. Both must equal the values
/// in `with_plants` in `src/app/assets/shaders/colours.wgsl`.
const PLANTS: (Light, f32) = ([0.055, 0.086, 0.030], 0.85);

/// The colour of ground (linear light) under plants of the given density, 0 to 1.
pub fn vegetated(ground: Light, density: f32) -> Light {
    let t = (density / 0.9).clamp(0.0, 1.0);
    mix(ground, PLANTS.0, PLANTS.1 * t * t * (3.0 - 2.0 * t))
}

/// Fraction of the ground that a cover hides. A `depth` of 1 is the depth that hides half of the ground.
pub fn hidden_fraction(depth: f32) -> f32 {
    let square = depth * depth;
    square / (1.0 + square)
}

/// An sRGB colour of ground under covers; `shares` are the hidden fractions, in the order of [`COVERS`].
pub fn covered(ground: [u8; 3], shares: [f32; COVERS.len()]) -> [u8; 3] {
    let lying = COVERS.iter().zip(shares);
    encode(lying.fold(decode(ground), |below, ((_, colour, _), share)| mix(below, decode(*colour), share)))
}

/// The colour of ground (linear light) under plants and covers in a picture without crowns: plants of the given density
/// stand on sand, and snow covers both. `shares` are the hidden fractions, in the order of [`COVERS`].
pub fn covered_with_plants(ground: Light, density: f32, shares: [f32; COVERS.len()]) -> Light {
    COVERS.iter().zip(shares).fold(ground, |below, ((kind, colour, _), share)| {
        let below = if *kind == MapKind::Snow { vegetated(below, density) } else { below };
        mix(below, decode(*colour), share)
    })
}

/// Fractions of the ground that sand and snow hide at the samples of a terrain. Both the cover maps and the materials
/// of a construction's primitives count.
pub struct SampleCoverDepths<'a> {
    /// Depth map of each cover. The factor converts its values to multiples of the depth that hides half of the ground.
    depth_maps: [Option<(&'a [f32], f32)>; COVERS.len()],
    fraction_maps: Option<GroundShareMaps<'a>>,
}

impl<'a> SampleCoverDepths<'a> {
    /// The covers of a terrain, from its depth maps and from the materials of a construction's primitives.
    pub fn new(terrain: &'a Terrain, settings: &Settings) -> Self {
        let per_half = |half_metres: f32| settings.relief_metres / half_metres;
        let lying = COVERS.map(|(kind, _, half)| terrain.map(kind).map(|map| (map.as_slice(), per_half(half))));
        let is_covered = [MapKind::SandShare, MapKind::SnowShare].iter().any(|kind| terrain.map(*kind).is_some());
        Self { depth_maps: lying, fraction_maps: is_covered.then(|| GroundShareMaps::new(terrain)).flatten() }
    }

    /// The covers from the depth maps only, without the materials of a construction's primitives.
    pub(in crate::appearance) fn from_maps(terrain: &'a Terrain, settings: &Settings) -> Self {
        Self { fraction_maps: None, ..Self::new(terrain, settings) }
    }

    /// Whether no cover hides any ground.
    pub fn is_empty(&self) -> bool {
        self.fraction_maps.is_none() && self.depth_maps.iter().all(Option::is_none)
    }

    /// Fractions of the ground that the covers hide at sample `k`, in the order of [`COVERS`].
    pub fn hidden_fractions(&self, k: usize) -> [f32; COVERS.len()] {
        let made = self.fraction_maps.as_ref().map(|made| made.of_sample(k).hidden());
        std::array::from_fn(|cover| {
            let lying = self.depth_maps[cover]
                .map_or(0.0, |(depths, per_half)| hidden_fraction((depths[k] * per_half).max(0.0)));
            made.map_or(lying, |made| combined_cover(made[cover], lying))
        })
    }
}

/// Cover depths at the pixels of a picture.
pub struct PixelCoverDepths {
    /// The covers, and their depths as multiples of the depth that hides half of the ground.
    depth_maps: Vec<(MapKind, PixelGrid)>,
    /// Brightness of the ground below the covers.
    brightness: Option<PixelGrid>,
    /// Density of plants.
    vegetation: Option<PixelGrid>,
    /// Fractions of the materials of a construction's primitives.
    fraction_maps: Option<[Option<PixelGrid>; MapKind::COVER_FRACTIONS.len()]>,
}

impl PixelCoverDepths {
    /// The covers of `terrain` at the pixels of a picture.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn new(
        terrain: &Terrain,
        relief_metres: f32,
        [width, height]: [usize; 2],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let pixels = |map: &[f32]| {
            let mut field = Terrain::flat(terrain.grid);
            field.height.copy_from_slice(map);
            PixelGrid::of_heights(&field, width, height, control)
        };
        let mut lying = Vec::new();
        for &(kind, _, half_metres) in &COVERS {
            let Some(map) = terrain.map(kind) else { continue };
            let mut raster = pixels(map)?;
            raster.values.iter_mut().for_each(|depth| *depth = (*depth * (relief_metres / half_metres)).max(0.0));
            lying.push((kind, raster));
        }
        let of = |kind| terrain.map(kind).map(|map| pixels(map)).transpose();
        let (brightness, vegetation) = (of(MapKind::Brightness)?, of(MapKind::Vegetation)?);
        let mut made = MapKind::COVER_FRACTIONS.map(|_| None);
        for (share, kind) in made.iter_mut().zip(MapKind::COVER_FRACTIONS) {
            *share = of(kind)?;
        }
        let made = made.iter().any(Option::is_some).then_some(made);
        Ok(Self { depth_maps: lying, brightness, vegetation, fraction_maps: made })
    }

    /// The colour `ground` at pixel (x, y), seen through the covers.
    pub fn covered(&self, ground: Light, x: usize, y: usize) -> Light {
        let ground = self.brightness.as_ref().map_or(ground, |map| brighten(ground, map.values[y * map.width + x]));
        let at = |map: &PixelGrid| map.values[y * map.width + x];
        let made = self.fraction_maps.as_ref().map(|maps| {
            CoverFractions(maps.each_ref().map(|map| map.as_ref().map_or(0.0, |map| at(map).clamp(0.0, 1.0))))
        });
        let ground = made.map_or(ground, |made| made.tinted(ground));
        let mut shares = made.map_or([0.0; COVERS.len()], |made| made.hidden());
        for (kind, depth) in &self.depth_maps {
            if let Some(share) = COVERS.iter().position(|cover| cover.0 == *kind).and_then(|k| shares.get_mut(k)) {
                *share = combined_cover(*share, hidden_fraction(at(depth)));
            }
        }
        covered_with_plants(ground, self.vegetation.as_ref().map_or(0.0, at), shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plants_show_on_sand_and_not_on_snow() {
        let ground = [0.2, 0.1, 0.05];
        let bare = |shares| covered_with_plants(ground, 0.0, shares);
        let grown = |shares| covered_with_plants(ground, 1.0, shares);
        let apart = |a: Light, b: Light| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart(bare([1.0, 0.0]), decode(COVERS[0].1)) < 1e-6);
        assert!(apart(grown([1.0, 0.0]), vegetated(decode(COVERS[0].1), 1.0)) < 1e-6);
        assert!(apart(grown([1.0, 0.0]), bare([1.0, 0.0])) > 0.3, "plants on sand");
        assert!(apart(grown([0.0, 1.0]), bare([0.0, 1.0])) < 1e-6, "plants under snow");
    }
}
