//! What lies or grows on the ground and hides its colour: snow, sand and plants, from the terrain's maps.

use super::srgb::{Light, brighten, decode, encode, mix};
use crate::appearance::materials::piece_materials::{GroundShareMaps, GroundShares, hidden_by_both};
use crate::appearance::pictures::raster::PixelGrid;
use crate::field::{Cancelled, Control, MapKind, Terrain};
use crate::scene::Settings;

/// Colour of a cover (sRGB), and the depth in metres at which the ground shows through by half; later ones lie on top.
pub const COVERS: [(MapKind, [u8; 3], f32); 2] =
    [(MapKind::Sand, [222, 186, 132], 0.4), (MapKind::Snow, [240, 244, 248], 0.25)];

/// Light that plants leave of the ground, and how much of it they hide at the most; as `with_plants` in
/// `assets/shaders/colours.wgsl`.
const PLANTS: (Light, f32) = ([0.055, 0.086, 0.030], 0.85);

/// Ground of a colour (linear light) on which plants grow as densely as the map of vegetation says, 0 to 1.
pub fn vegetated(ground: Light, density: f32) -> Light {
    let t = (density / 0.9).clamp(0.0, 1.0);
    mix(ground, PLANTS.0, PLANTS.1 * t * t * (3.0 - 2.0 * t))
}

/// How much of the ground a cover hides that is `depth` half-depths deep.
pub fn share_hidden(depth: f32) -> f32 {
    let square = depth * depth;
    square / (1.0 + square)
}

/// An sRGB colour of the ground under covers that hide such shares of it, in the order of [`COVERS`].
pub fn covered(ground: [u8; 3], shares: [f32; COVERS.len()]) -> [u8; 3] {
    let lying = COVERS.iter().zip(shares);
    encode(lying.fold(decode(ground), |below, ((_, colour, _), share)| mix(below, decode(*colour), share)))
}

/// How much of the ground sand and snow hide at the samples of a terrain: what lies there, and what pieces of a
/// construction are made of.
pub struct SampleCoverDepths<'a> {
    /// Depths, with how many half-depths they count.
    lying: [Option<(&'a [f32], f32)>; COVERS.len()],
    made: Option<GroundShareMaps<'a>>,
}

impl<'a> SampleCoverDepths<'a> {
    /// Those of a terrain.
    pub fn new(terrain: &'a Terrain, settings: &Settings) -> Self {
        let per_half = |half_metres: f32| settings.relief_metres / half_metres;
        let lying = COVERS.map(|(kind, _, half)| terrain.map(kind).map(|map| (map.as_slice(), per_half(half))));
        let is_covered = [MapKind::SandShare, MapKind::SnowShare].iter().any(|kind| terrain.map(*kind).is_some());
        Self { lying, made: is_covered.then(|| GroundShareMaps::new(terrain)).flatten() }
    }

    /// What lies there alone.
    pub(in crate::appearance) fn lying(terrain: &'a Terrain, settings: &Settings) -> Self {
        Self { made: None, ..Self::new(terrain, settings) }
    }

    /// Whether nothing hides the ground anywhere.
    pub fn is_empty(&self) -> bool {
        self.made.is_none() && self.lying.iter().all(Option::is_none)
    }

    /// Shares of the ground that are hidden at a sample, in the order of [`COVERS`].
    pub fn shares(&self, k: usize) -> [f32; COVERS.len()] {
        let made = self.made.as_ref().map(|made| made.of_sample(k).hidden());
        std::array::from_fn(|cover| {
            let lying =
                self.lying[cover].map_or(0.0, |(depths, per_half)| share_hidden((depths[k] * per_half).max(0.0)));
            made.map_or(lying, |made| hidden_by_both(made[cover], lying))
        })
    }
}

/// Depths under the pixels of a picture.
pub struct PixelCoverDepths {
    /// Colour, depth in metres over half-depth; later ones lie on top.
    lying: Vec<(Light, PixelGrid)>,
    /// How bright the ground itself is.
    brightness: Option<PixelGrid>,
    /// How densely plants grow there.
    vegetation: Option<PixelGrid>,
    /// What pieces of a construction are made of.
    made: Option<[Option<PixelGrid>; MapKind::SHARES.len()]>,
}

impl PixelCoverDepths {
    /// What lies on the ground of `terrain`, snow and sand among it, on the pixels of a picture.
    ///
    /// # Errors
    /// When `control` says so.
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
        for &(kind, colour, half_metres) in &COVERS {
            let Some(map) = terrain.map(kind) else { continue };
            let mut raster = pixels(map)?;
            raster.values.iter_mut().for_each(|depth| *depth = (*depth * (relief_metres / half_metres)).max(0.0));
            lying.push((decode(colour), raster));
        }
        let of = |kind| terrain.map(kind).map(|map| pixels(map)).transpose();
        let (brightness, vegetation) = (of(MapKind::Brightness)?, of(MapKind::Vegetation)?);
        let mut made = MapKind::SHARES.map(|_| None);
        for (share, kind) in made.iter_mut().zip(MapKind::SHARES) {
            *share = of(kind)?;
        }
        let made = made.iter().any(Option::is_some).then_some(made);
        Ok(Self { lying, brightness, vegetation, made })
    }

    /// The colour of ground of colour `ground` at pixel (x, y), seen through what lies on it.
    pub fn covered(&self, ground: Light, x: usize, y: usize) -> Light {
        let ground = self.brightness.as_ref().map_or(ground, |map| brighten(ground, map.values[y * map.width + x]));
        let at = |map: &PixelGrid| map.values[y * map.width + x];
        let made = self.made.as_ref().map(|maps| {
            GroundShares(maps.each_ref().map(|map| map.as_ref().map_or(0.0, |map| at(map).clamp(0.0, 1.0))))
        });
        let ground = made.map_or(ground, |made| made.tinted(ground));
        let ground = self.vegetation.as_ref().map_or(ground, |map| vegetated(ground, map.values[y * map.width + x]));
        let ground = made.map_or(ground, |made| {
            COVERS
                .iter()
                .zip(made.hidden())
                .fold(ground, |below, ((_, colour, _), share)| mix(below, decode(*colour), share))
        });
        self.lying.iter().fold(ground, |below, (colour, depth)| {
            let depth = depth.values[y * depth.width + x];
            mix(below, *colour, share_hidden(depth))
        })
    }
}
