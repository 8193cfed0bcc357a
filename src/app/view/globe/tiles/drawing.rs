//! Selects the tiles that the patches of a frame show, and requests tiles that are not computed yet.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use bevy::math::UVec4;
use bevy::render::render_resource::TextureView;
use rayon::prelude::*;

use super::super::lod::GlobePatch;
use super::atlas::GlobeAtlas;
use super::detail_ground::FineTerrain;
use super::skirts::{PatchSpan, skirt_depths};
use super::tile::{GlobeTile, GlobeTileJob, STEPS, TILE_BYTES};
use crate::view::render::batch::DrawContext;
use crate::view::render::mesh::RenderQuality;
use crate::view::tiles::cache::TileCache;
use crate::view::tiles::pool::Pool;

/// Memory in bytes for tiles on the graphics card. The first number is enough for 1,588 tiles, which a moving view of
/// two million pixels rarely exceeds. Still images and larger views need more tiles, so the memory grows up to the
/// second number.
const TILES_BYTES: [usize; 2] = [128 << 20, 512 << 20];
/// Pixels of a moving view for which the first number is enough.
const TILES_PIXELS: usize = 1920 * 1080;
/// Fraction of the slots that no frame needs. With too few spare slots, tiles would keep evicting each other, and their
/// height ranges would be lost as well.
const SPARE_SHARE: usize = 16;
/// Greatest number of jobs in a request to the thread pool; the second constant is the greatest number of tiles
/// uploaded per frame.
const MOST_JOBS: usize = 64;
const MOST_UPLOADS: usize = 48;
/// Speed at which a new tile fades in. The number is the fraction, per second, by which the tile's own shape replaces
/// the coarser shape.
const FADE_PER_SECOND: f32 = 3.0;

/// The tiles of a patch in the form that the shader reads; see `PatchInstance` in globe.wgsl.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchTiles {
    /// First texel of the tile (two values); number of the tile's steps along the patch, or 0 without a tile; fraction
    /// of the tile's own shape that is shown.
    pub own: [f32; 4],
    /// First texel of the coarser tile (two values), number of its steps along the patch, and a flag. The flag is 1 if
    /// there is a coarser tile, and 0 if the globe's maps replace it. If the patch shows the tile of an ancestor, the
    /// flag is greater by 2, and the patch keeps this tile at any distance.
    pub coarse: [f32; 4],
    /// Depth of the skirts in metres, without exaggeration.
    pub skirt_metres: f32,
}

/// Greatest number of tiles on the graphics card.
pub const fn most_slots() -> usize {
    TILES_BYTES[1] / TILE_BYTES
}

/// Greatest number of tiles that a frame may need.
pub fn room_for_tiles(context: &DrawContext) -> usize {
    let UVec4 { z: width, w: height, .. } = context.view.viewport;
    room_for(context.quality, [width, height])
}

/// Greatest number of tiles that a frame of this quality and size in pixels may need.
pub fn room_for(quality: RenderQuality, [width, height]: [u32; 2]) -> usize {
    let [least, most] = TILES_BYTES;
    let bytes = match quality {
        RenderQuality::Still => most,
        RenderQuality::Moving | RenderQuality::Counted => {
            (least / TILES_PIXELS * width as usize * height as usize).clamp(least, most)
        }
    };
    let slots = bytes / TILE_BYTES;
    slots - slots / SPARE_SHARE
}

/// The tiles of a globe on the graphics card; see the module documentation.
pub struct TileDrawing {
    ground: Option<Arc<FineTerrain>>,
    cache: TileCache<GlobeTile>,
    pool: Pool<GlobeTileJob>,
    atlas: GlobeAtlas,
    pub has_site: bool,
    /// Tiles that are fading in, each with the fraction of its own shape that is shown.
    fading: HashMap<GlobePatch, f32>,
    waiting: Vec<Arc<GlobeTile>>,
    last: Option<Instant>,
    /// Whether no tile is missing, waiting or fading in.
    pub is_settled: bool,
}

impl TileDrawing {
    /// An empty set of tiles. `has_site` decides whether its tiles have a site texture.
    pub fn new(has_site: bool, context: &DrawContext) -> Self {
        let slots = (TILES_BYTES[0] / TILE_BYTES) as u32;
        Self {
            ground: None,
            cache: TileCache::new(slots),
            pool: Pool::new(context.quality),
            atlas: GlobeAtlas::new(slots, has_site, context.device),
            has_site,
            fading: HashMap::new(),
            waiting: Vec::new(),
            last: None,
            is_settled: false,
        }
    }

    /// Textures of heights, shape, colours, canopy and site.
    pub fn views(&self) -> &[TextureView; 5] {
        &self.atlas.views
    }

    /// Advances by one frame: uploads new tiles and requests missing tiles. `needed` holds the tiles that the patches
    /// need, as [`needed_tiles`] returns them. Returns the tiles to draw for each patch, in the order of the patches.
    /// `of_maps` returns the height range of a patch that the globe's maps show, in metres.
    pub fn advance(
        &mut self,
        ground: &Arc<FineTerrain>,
        (patches, needed): (&[GlobePatch], &[GlobePatch]),
        of_maps: &dyn Fn(GlobePatch) -> [f64; 2],
        context: &DrawContext,
    ) -> Vec<PatchTiles> {
        let now = Instant::now();
        let seconds = self.last.replace(now).map_or(0.0, |last| now.duration_since(last).as_secs_f32()).min(0.25);
        let pace = if context.quality == RenderQuality::Still { 1.0 } else { FADE_PER_SECOND * seconds };
        self.switch_terrain(ground);
        self.grow(needed.len(), context);
        let first = ground.first_level();
        self.cache.use_now(needed.iter().copied());
        self.fading.values_mut().for_each(|shown| *shown += pace);
        self.fading.retain(|_, shown| *shown < 1.0);
        if context.quality == RenderQuality::Still {
            // a still image waits for all tiles of a level; with their heights, the next frame finds the visible tiles
            // of the next level
            let missing: Vec<GlobePatch> =
                next_missing(needed, first, |patch| self.cache.get(patch).is_some()).collect();
            if !missing.is_empty() {
                // prepare the detail before the tiles, because jobs that wait for it would block the threads that
                // prepare it
                let _ = ground.detail();
            }
            let made = missing.par_iter().filter_map(|&patch| GlobeTile::new(ground, patch, &|| false));
            self.waiting = made.map(Arc::new).collect();
        }
        let has_changed = self.receive(ground, context);
        let on_the_way: HashSet<GlobePatch> = self.waiting.iter().map(|tile| tile.patch).collect();
        let jobs = next_missing(needed, first, |patch| self.cache.get(patch).is_some())
            .filter(|patch| !on_the_way.contains(patch));
        let jobs: Vec<_> = jobs.take(MOST_JOBS).map(|patch| GlobeTileJob { ground: ground.clone(), patch }).collect();
        self.pool.set_jobs(ground.serial, jobs.into_iter());
        if has_changed {
            ground.show(self.cache.tiles().map(|tile| (tile.patch, tile.clone())).collect());
        }
        let is_missing = needed.iter().any(|patch| self.cache.get(*patch).is_none());
        // new heights can change the selection of patches in the next frame
        self.is_settled = !is_missing && !has_changed && self.fading.is_empty() && self.waiting.is_empty();
        self.tiles_of_all(patches, first, of_maps)
    }

    /// Makes room for `needed` tiles.
    fn grow(&mut self, needed: usize, context: &DrawContext) {
        let wanted = (needed + needed / (SPARE_SHARE - 1) + 1) as u32;
        if wanted <= self.cache.slots() {
            return;
        }
        // grow in large steps, because all tiles must be written again
        self.cache.grow((wanted + wanted / 2).min(most_slots() as u32).max(wanted));
        self.atlas = GlobeAtlas::new(self.cache.slots(), self.has_site, context.device);
        for tile in self.cache.tiles() {
            if let Some(slot) = self.cache.slot(tile.patch) {
                self.atlas.write(slot, tile, context.queue);
            }
        }
    }

    /// Discards all tiles if `ground` is another terrain.
    fn switch_terrain(&mut self, ground: &Arc<FineTerrain>) {
        if self.ground.as_ref().is_some_and(|shown| shown.serial == ground.serial) {
            return;
        }
        if let Some(before) = self.ground.replace(ground.clone())
            && !before.has_shape_of(ground)
        {
            before.give_up();
        }
        self.cache.retain(|_| false);
        self.fading.clear();
        self.waiting.clear();
    }

    /// Uploads finished tiles. Returns whether there were any.
    fn receive(&mut self, ground: &FineTerrain, context: &DrawContext) -> bool {
        let done = self.pool.take_finished().into_iter().filter(|(serial, _)| *serial == ground.serial);
        self.waiting.extend(done.map(|(_, tile)| Arc::new(tile)));
        let most = if context.quality == RenderQuality::Still { usize::MAX } else { MOST_UPLOADS };
        let count = self.waiting.len().min(most);
        for tile in self.waiting.drain(..count) {
            if let Some(slot) = self.cache.insert(tile.clone()) {
                self.atlas.write(slot, &tile, context.queue);
                if context.quality != RenderQuality::Still {
                    self.fading.insert(tile.patch, 0.0);
                }
            }
        }
        count > 0
    }

    /// The tiles of all patches, with skirts where two neighbours do not share their edge.
    fn tiles_of_all(
        &self,
        patches: &[GlobePatch],
        first: u32,
        of_maps: &dyn Fn(GlobePatch) -> [f64; 2],
    ) -> Vec<PatchTiles> {
        let (mut all, spans): (Vec<PatchTiles>, Vec<PatchSpan>) =
            patches.iter().map(|&patch| self.tiles_of(patch, first, of_maps)).unzip();
        for (tiles, depth) in all.iter_mut().zip(skirt_depths(&spans)) {
            tiles.skirt_metres = depth;
        }
        all
    }

    fn tiles_of(
        &self,
        patch: GlobePatch,
        first: u32,
        of_maps: &dyn Fn(GlobePatch) -> [f64; 2],
    ) -> (PatchTiles, PatchSpan) {
        let cap = patch.cap();
        let Some((tile, parent)) = shown_tiles(patch, first, |tile| self.cache.get(tile).is_some()) else {
            let span = PatchSpan { cap, metres: of_maps(patch), is_own: patch.level < first };
            return (PatchTiles::default(), span);
        };
        let place = |tile: GlobePatch| {
            let corner = self.cache.slot(tile).map_or([0.0; 2], |slot| self.atlas.corner(slot));
            let (within, span) = patch.place_in(&tile);
            let [x, y] = [0, 1].map(|axis| corner[axis] + within[axis] * STEPS as f32);
            [x, y, span * STEPS as f32]
        };
        let ([x, y, steps], shown) = (place(tile), self.fading.get(&tile).copied().unwrap_or(1.0));
        let held = if tile == patch { 0.0 } else { 2.0 };
        let coarse = parent.map(place).map_or([0.0, 0.0, 0.0, held], |[x, y, steps]| [x, y, steps, 1.0 + held]);
        let range = |tile: GlobePatch| {
            let tile = self.cache.get(tile)?;
            Some([tile.lowest_metres, tile.highest_metres].map(f64::from))
        };
        let ([low, high], [least, most]) =
            (range(tile).unwrap_or_else(|| of_maps(patch)), parent.and_then(range).unwrap_or_else(|| of_maps(patch)));
        let span = PatchSpan { cap, metres: [low.min(least), high.max(most)], is_own: tile == patch && shown >= 1.0 };
        (PatchTiles { own: [x, y, steps, shown], coarse, skirt_metres: 0.0 }, span)
    }
}

/// The tiles from level `first` on that the patches show or morph into, and all tiles around these, coarse tiles first.
/// The heights of a tile decide which finer patches within it are visible.
pub fn needed_tiles(patches: &[GlobePatch], first: u32) -> Vec<GlobePatch> {
    let mut needed: HashSet<GlobePatch> = HashSet::with_capacity(2 * patches.len());
    for patch in patches {
        let _ = patch.ancestors().take_while(|patch| patch.level >= first).all(|patch| needed.insert(patch));
    }
    let mut needed: Vec<GlobePatch> = needed.into_iter().collect();
    needed.sort_unstable();
    needed
}

/// The needed tiles that are missing although the tiles around them are present. Finer tiles are not computed yet,
/// because the heights of these tiles decide which of the finer tiles are visible.
pub fn next_missing(
    needed: &[GlobePatch],
    first: u32,
    is_there: impl Fn(GlobePatch) -> bool + Copy,
) -> impl Iterator<Item = GlobePatch> {
    let is_next = move |patch: &GlobePatch| {
        !is_there(*patch) && (patch.level <= first || patch.ancestors().nth(1).is_none_or(is_there))
    };
    needed.iter().copied().filter(is_next)
}

/// The tile that a patch shows, and the coarser tile that it morphs into if the coarser level has tiles. Preferably
/// these are the patch's own tile and its parent's tile. If one of them is missing, the function returns the nearest
/// pair of a tile and its parent among the ancestors. Tiles start at level `first`.
fn shown_tiles(
    patch: GlobePatch,
    first: u32,
    is_there: impl Fn(GlobePatch) -> bool,
) -> Option<(GlobePatch, Option<GlobePatch>)> {
    let around = patch.ancestors().take_while(|tile| tile.level >= first).filter(|&tile| is_there(tile));
    around.map(|tile| (tile, tile.ancestors().nth(1).filter(|parent| parent.level >= first))).find(|(_, parent)| {
        // a tile morphs into its parent's tile, so it is not shown until the parent's tile is present
        parent.is_none_or(&is_there)
    })
}

impl Drop for TileDrawing {
    fn drop(&mut self) {
        if let Some(ground) = &self.ground {
            ground.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tiles_around_a_patch_are_needed_coarse_tiles_first() {
        let patches: Vec<GlobePatch> =
            (0..64).map(|k| GlobePatch { level: 8 + (k & 1), face: 0, row: k / 8, column: k % 8 }).collect();
        let all = needed_tiles(&patches, 0);
        assert!(all.is_sorted_by_key(|patch| patch.level) && all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert!(patches.iter().all(|patch| patch.ancestors().all(|tile| all.contains(&tile))));
        assert!(needed_tiles(&patches, 9).iter().all(|patch| patch.level == 9));
    }

    #[test]
    fn a_patch_shows_the_nearest_pair_of_tiles_around_it() {
        let patch = GlobePatch { level: 9, face: 2, row: 300, column: 17 };
        let at = |level: u32| patch.ancestors().find(|patch| patch.level == level).unwrap();
        let shown = |there: &[u32]| {
            let found = shown_tiles(patch, 5, |tile| there.contains(&tile.level) && tile == at(tile.level));
            found.map(|(tile, parent)| (tile.level, parent.map(|parent| parent.level)))
        };
        assert_eq!(shown(&[]), None);
        assert_eq!(shown(&[9]), None, "a tile waits for its parent");
        assert_eq!(shown(&[8, 9]), Some((9, Some(8))));
        assert_eq!(shown(&[6, 7, 9]), Some((7, Some(6))));
        assert_eq!(shown(&[5]), Some((5, None)), "the first level with tiles morphs into the maps");
        assert_eq!(shown(&[3, 4]), None, "coarser levels have no tiles");
        let (within, span) = patch.place_in(&at(7));
        assert_eq!((within, span), ([0.25, 0.0], 0.25));
    }
}
