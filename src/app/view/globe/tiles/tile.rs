//! A tile: heights, slopes, water and colours of a patch, at a finer spacing than the samples of the globe.

use std::sync::Arc;

use glam::DVec3;

use super::super::face::{axes, fitted_gradient, tangents};
use super::super::lod::GlobePatch;
use super::detail_ground::FineTerrain;
use super::plants::PlantedTile;
use crate::view::render::mips::{from_half, half};
use crate::view::tiles::{GroundTile, TileJob};
use talweg::appearance::GlobeSites;
use talweg::field::globe::direction_at;

/// Number of sample intervals along the side of a tile.
pub const STEPS: usize = 64;
/// Number of samples along the side of a tile.
pub const SIDE: usize = STEPS + 1;

/// A tile ready to be drawn. Immutable.
pub struct GlobeTile {
    pub patch: GlobePatch,
    /// Heights of the surface in metres, row by row. The surface is the water where there is any, otherwise the
    /// terrain.
    pub heights: Vec<f32>,
    /// Slopes along rows and columns, height above sea level in kilometres, and fraction of surface water, in half
    /// precision.
    pub shape: Vec<[u16; 4]>,
    /// sRGB-encoded colours; the fourth byte is the curvature, see [`curvature_byte`].
    pub colours: Vec<[u8; 4]>,
    /// Tree crowns above the terrain, in the format of `Canopy::texel`.
    pub canopy: Vec<[u8; 4]>,
    /// Fractions of deposits, erosion, vegetation and hardness for the material rules; empty on a globe without these
    /// maps.
    pub site: Vec<[u8; 4]>,
    pub lowest_metres: f32,
    pub highest_metres: f32,
}

/// Size of a tile on the graphics card in bytes, without `site`, which few globes have.
pub const TILE_BYTES: usize = SIDE * SIDE * (4 + 8 + 4 + 4);

/// Packs a curvature measure into a byte. The measure is the height of a sample above the mean of its four neighbours.
/// The measure is a multiple of the sample spacing, from -0.25 to 0.25. The mean curvature is twice the measure divided
/// by the spacing. Mirrors `curvature_of` in `assets/shaders/globe_ground.wgsl`.
fn curvature_byte(bend: f32) -> u8 {
    (128.0 + 508.0 * bend).clamp(0.0, 255.0).round() as u8
}

/// Unpacks the curvature measure; inverse of [`curvature_byte`].
fn bend_of(byte: u8) -> f32 {
    (f32::from(byte) - 128.0) / 508.0
}

impl GlobeTile {
    /// Computes a tile. Polls `stop` frequently and returns `None` if `stop` returns true.
    pub fn new(ground: &FineTerrain, patch: GlobePatch, stop: &dyn Fn() -> bool) -> Option<Self> {
        let detail = ground.detail()?;
        // one more sample on every side, because slopes are computed from adjacent samples
        const WIDE: usize = SIDE + 2;
        let place = |k: usize| (k as f64 - 1.0) / STEPS as f64;
        let directions: Vec<[f64; 3]> = (0..WIDE * WIDE)
            .map(|k| {
                let (u, v) = patch.face_position(place(k % WIDE), place(k / WIDE));
                direction_at(patch.face as usize, u, v)
            })
            .collect();
        let spacing = ground.spacing_metres(patch.level);
        let samples = detail.samples_on_this_thread(&directions, spacing, stop)?;
        let height = |k: usize| samples[k].height_metres + samples[k].water_metres;
        let axes = axes(patch.face as usize);
        let sea = ground.sea_metres.unwrap_or(0.0) as f32;
        let mut points = [(); 3].map(|()| Vec::with_capacity(SIDE * SIDE));
        let (mut heights, mut steepness) = (Vec::with_capacity(SIDE * SIDE), Vec::with_capacity(SIDE * SIDE));
        let mut shape = Vec::with_capacity(SIDE * SIDE);
        for i in 1..=SIDE {
            if stop() {
                return None;
            }
            for k in (1..=SIDE).map(|j| i * WIDE + j) {
                let here = DVec3::from(directions[k]);
                let step = |from: usize, to: usize| {
                    let way = (DVec3::from(directions[to]) - DVec3::from(directions[from])) * ground.radius_metres;
                    (way, f64::from(height(to) - height(from)))
                };
                let gradient = fitted_gradient(&[step(k - 1, k + 1), step(k - WIDE, k + WIDE)]);
                let (first, second) = tangents(axes, here);
                let slopes = [first, second].map(|along| gradient.dot(along) as f32);
                let texel = [slopes[0], slopes[1], (height(k) - sea) * 1e-3, samples[k].water_share];
                shape.push(texel.map(|value| if value.is_finite() { half(value) } else { 0 }));
                (0..3).for_each(|axis| points[axis].push(directions[k][axis] as f32));
                heights.push(height(k));
                steepness.push(gradient.length() as f32);
            }
        }
        let places = GlobeSites {
            directions: points.each_ref().map(Vec::as_slice),
            metres: &heights,
            slopes: &steepness,
            spacing_metres: spacing as f32,
        };
        let bent = |row: usize, column: usize| {
            let k = (row + 1) * WIDE + column + 1;
            let around = height(k - 1) + height(k + 1) + height(k - WIDE) + height(k + WIDE);
            curvature_byte((height(k) - 0.25 * around) / spacing as f32)
        };
        let painted = ground.painter.colours(&places).into_iter().enumerate();
        let colours = painted.map(|(k, [r, g, b])| [r, g, b, bent(k / SIDE, k % SIDE)]).collect();
        let bytes = |share: f32| (share * 255.0 + 0.5) as u8;
        let inner = (0..SIDE * SIDE).map(|k| directions[(k / SIDE + 1) * WIDE + k % SIDE + 1]);
        let site = ground.site().map(|site| inner.map(|direction| site(direction).map(bytes)).collect());
        let lowest_metres = heights.iter().copied().fold(f32::INFINITY, f32::min);
        let highest_metres = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut tile = Self {
            patch,
            heights,
            shape,
            colours,
            canopy: Vec::new(),
            site: site.unwrap_or_default(),
            lowest_metres,
            highest_metres,
        };
        tile.canopy = PlantedTile::new(ground, &tile).canopy(stop)?;
        Some(tile)
    }

    /// Fraction of a sample's area that is under surface water.
    pub fn water_share(&self, sample: usize) -> f32 {
        from_half(self.shape[sample][3])
    }

    /// Mean curvature in 1/km at a sample, positive where the terrain is convex, for samples `spacing_metres` apart.
    pub fn curvature(&self, sample: usize, spacing_metres: f64) -> f32 {
        2000.0 * bend_of(self.colours[sample][3]) / spacing_metres as f32
    }

    /// Bilinear height at a position within the tile. `u` and `v` are fractions of the side of the whole face, along
    /// its rows and along its columns.
    pub fn height_at(&self, u: f64, v: f64) -> f32 {
        let tiles = f64::from(1u32 << self.patch.level);
        let at = |place: f64, tile: u32| {
            let x = ((place * tiles - f64::from(tile)) * STEPS as f64).clamp(0.0, STEPS as f64);
            let low = (x as usize).min(STEPS - 1);
            (low, (x - low as f64) as f32)
        };
        let ((j, right), (i, down)) = (at(u, self.patch.column), at(v, self.patch.row));
        let along = |k: usize| self.heights[k] + (self.heights[k + 1] - self.heights[k]) * right;
        let (top, bottom) = (along(i * SIDE + j), along((i + 1) * SIDE + j));
        top + (bottom - top) * down
    }
}

impl GroundTile for GlobeTile {
    type Key = GlobePatch;

    fn key(&self) -> GlobePatch {
        self.patch
    }
}

/// A tile to be computed.
pub struct GlobeTileJob {
    pub ground: Arc<FineTerrain>,
    pub patch: GlobePatch,
}

impl TileJob for GlobeTileJob {
    type Tile = GlobeTile;

    fn serial(&self) -> u64 {
        self.ground.serial
    }

    fn key(&self) -> GlobePatch {
        self.patch
    }

    fn tile(&self, stop: &dyn Fn() -> bool) -> Option<GlobeTile> {
        GlobeTile::new(&self.ground, self.patch, stop)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::view::globe::terrain::GlobeTerrain;
    use crate::view::overlays::choice::OverlayChoice;
    use talweg::appearance::PaletteTable;
    use talweg::appearance::scatter::PlantedGround;
    use talweg::field::{Control, Grid, MapKind, Terrain};

    pub fn ground() -> Arc<FineTerrain> {
        let scene = talweg::scene::example("earthlike").expect("shipped").scene.clone();
        let mut store = talweg::eval::Store::forgetful();
        let terrain = talweg::eval::evaluate(&scene, 65, None, &mut store, &Control::default()).unwrap().terrain;
        let (radius, table) = (f64::from(scene.planet.radius_metres), PaletteTable::for_scene(&scene));
        let choice = OverlayChoice { biomes: table.biomes.clone(), ..OverlayChoice::default() };
        let source = (radius, Some(scene.detail_source()));
        let globe =
            GlobeTerrain::new(&terrain, &scene.settings, source, &table.into(), &choice, &Control::default()).unwrap();
        globe.detail(&talweg::preferences::GlobeView::default()).expect("it has detail").clone()
    }

    /// A tile holds the values of the planet's maps, which the material rules read.
    #[test]
    fn tiles_have_the_site_of_their_planet() {
        assert!(
            tile(&ground(), patches(9).next().unwrap()).site.is_empty(),
            "the globe has no maps for the site values"
        );
        let mut terrain = Terrain::flat(Grid::globe(17));
        terrain.map_mut(MapKind::Vegetation).fill(0.4);
        let scene = talweg::scene::example("earthlike").expect("shipped").scene.clone();
        let table = PaletteTable::for_scene(&scene);
        let choice = OverlayChoice { biomes: table.biomes.clone(), ..OverlayChoice::default() };
        let source = (6e6, Some(scene.detail_source()));
        let planet =
            GlobeTerrain::new(&Arc::new(terrain), &scene.settings, source, &table.into(), &choice, &Control::default());
        let planet = planet.unwrap();
        let ground = planet.detail(&talweg::preferences::GlobeView::default()).expect("it has detail");
        let tile = tile(ground, patches(9).nth(1).unwrap());
        assert!(tile.site.len() == SIDE * SIDE && tile.site.iter().all(|site| *site == [0, 0, 102, 0]));
        let values = PlantedTile::new(ground, &tile).values([0.3, 0.6]);
        assert!((values[6] - 0.4).abs() < 1e-6, "{values:?}");
    }

    fn tile(ground: &FineTerrain, patch: GlobePatch) -> GlobeTile {
        GlobeTile::new(ground, patch, &|| false).expect("not stopped")
    }

    /// Patches over mountains and coasts, inside faces and at their edges.
    fn patches(level: u32) -> impl Iterator<Item = GlobePatch> {
        let last = (1 << level) - 2;
        (0..6).map(move |k| GlobePatch {
            level,
            face: k,
            row: (k * 977 + 40) % last,
            column: [last, k * 613 % last][k as usize & 1],
        })
    }

    #[test]
    fn neighbours_share_borders_and_tiles_have_the_detail() {
        let ground = ground();
        let detail = ground.detail().unwrap();
        for patch in patches(12) {
            let here = tile(&ground, patch);
            let (right, down) =
                (GlobePatch { column: patch.column + 1, ..patch }, GlobePatch { row: patch.row + 1, ..patch });
            let (right, down) = (tile(&ground, right), tile(&ground, down));
            for k in 0..SIDE {
                let pairs = [(k * SIDE + STEPS, &right, k * SIDE), (STEPS * SIDE + k, &down, k)];
                for (own, other, its) in pairs {
                    assert_eq!(here.heights[own].to_bits(), other.heights[its].to_bits(), "{patch:?}, {k}");
                    assert_eq!(here.colours[own], other.colours[its]);
                    assert_eq!(here.shape[own], other.shape[its]);
                }
            }
            let (u, v) = patch.face_position(0.25, 0.75);
            let spacing = ground.spacing_metres(patch.level);
            let sample = detail.samples_at(&[direction_at(patch.face as usize, u, v)], spacing)[0];
            let found = here.height_at(u, v);
            let (low, high) = (here.lowest_metres, here.highest_metres);
            assert!((found - sample.height_metres - sample.water_metres).abs() < 1e-3 * (1.0 + high - low), "{found}");
            assert!(low <= found && found <= high);
        }
    }

    /// The height range that decides the culling of a patch must contain the heights of all finer tiles.
    #[test]
    fn finer_tiles_stay_in_their_known_range_and_none_is_missed() {
        let ground = ground();
        for level in [6, 9, 12] {
            for patch in patches(level) {
                let here = tile(&ground, patch);
                let finest = (0..5).fold(patch, |patch, k| GlobePatch {
                    level: patch.level + 1,
                    row: 2 * patch.row + (k & 1),
                    column: 2 * patch.column + (k >> 1 & 1),
                    ..patch
                });
                let fine = tile(&ground, finest);
                ground.show([(patch, Arc::new(here))].into());
                let (low, high) = ground.ranges()(finest).expect("the height range of the enclosing tile is known");
                let (lowest, highest) = (f64::from(fine.lowest_metres), f64::from(fine.highest_metres));
                assert!(low <= lowest && highest <= high, "{finest:?}: {lowest} to {highest}, known {low} to {high}");
            }
        }
    }

    #[test]
    fn heights_come_from_the_finest_visible_tile_or_the_detail() {
        let ground = ground();
        let patch = patches(11).next().unwrap();
        let (u, v) = patch.face_position(0.3, 0.6);
        let direction = DVec3::from(direction_at(patch.face as usize, u, v));
        assert_eq!(ground.height_metres(direction), None, "the detail is not prepared yet");
        ground.detail().unwrap();
        let alone = ground.height_metres(direction).expect("of the detail");
        let shown = tile(&ground, patch);
        let height = f64::from(shown.height_at(u, v));
        ground.show([(patch, Arc::new(shown))].into());
        assert_eq!(ground.height_metres(direction), Some(height));
        assert!((height - alone).abs() < 3.0 * ground.spacing_metres(patch.level), "{height} and {alone}");
    }

    #[test]
    fn a_tile_that_is_no_longer_wanted_is_cancelled() {
        let ground = ground();
        assert!(GlobeTile::new(&ground, patches(10).next().unwrap(), &|| true).is_none());
    }
}
