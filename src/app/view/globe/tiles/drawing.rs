//! Selects the tiles that the patches of a frame show, and requests tiles that are not computed yet.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use bevy::render::render_resource::TextureView;
use rayon::prelude::*;

use super::super::lod::GlobePatch;
use super::atlas::GlobeAtlas;
use super::detail_ground::FineTerrain;
use super::tile::{GlobeTile, GlobeTileJob, STEPS, TILE_BYTES};
use crate::view::render::batch::DrawContext;
use crate::view::render::mesh::RenderQuality;
use crate::view::tiles::cache::TileCache;
use crate::view::tiles::pool::Pool;

/// Memory in bytes for tiles on the graphics card, enough for 1,588 tiles. A view over mountains needs up to 1,400
/// tiles before their height ranges show which hills hide others. With too little memory, tiles would keep evicting
/// each other, and their height ranges would be lost as well.
const TILES_BYTES: usize = 128 << 20;
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
        let slots = (TILES_BYTES / TILE_BYTES) as u32;
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

    /// Advances by one frame: uploads new tiles and requests missing tiles. Returns the tiles to draw for each patch,
    /// in the order of the patches.
    pub fn advance(
        &mut self,
        ground: &Arc<FineTerrain>,
        patches: &[GlobePatch],
        context: &DrawContext,
    ) -> Vec<PatchTiles> {
        let now = Instant::now();
        let seconds = self.last.replace(now).map_or(0.0, |last| now.duration_since(last).as_secs_f32()).min(0.25);
        let pace = if context.quality == RenderQuality::Still { 1.0 } else { FADE_PER_SECOND * seconds };
        self.switch_terrain(ground);
        let first = ground.first_level();
        let needed = needed_tiles(patches, first, self.cache.slots() as usize);
        self.cache.use_now(needed.iter().copied());
        self.fading.values_mut().for_each(|shown| *shown += pace);
        self.fading.retain(|_, shown| *shown < 1.0);
        let is_missing = |cache: &TileCache<GlobeTile>, patch: &GlobePatch| cache.get(*patch).is_none();
        if context.quality == RenderQuality::Still {
            // a still image waits for all tiles
            let missing: Vec<GlobePatch> =
                needed.iter().copied().filter(|patch| is_missing(&self.cache, patch)).collect();
            if !missing.is_empty() {
                // prepare the detail before the tiles, because jobs that wait for it would block the threads that
                // prepare it
                let _ = ground.detail();
            }
            let made = missing.par_iter().filter_map(|&patch| GlobeTile::new(ground, patch, &|| false));
            self.waiting = made.map(Arc::new).collect();
        }
        let has_changed = self.receive(ground, context);
        let missing: Vec<GlobePatch> = needed.into_iter().filter(|patch| is_missing(&self.cache, patch)).collect();
        let on_the_way: HashSet<GlobePatch> = self.waiting.iter().map(|tile| tile.patch).collect();
        let jobs = missing.iter().filter(|patch| !on_the_way.contains(patch)).take(MOST_JOBS);
        let jobs: Vec<_> = jobs.map(|&patch| GlobeTileJob { ground: ground.clone(), patch }).collect();
        self.pool.set_jobs(ground.serial, jobs.into_iter());
        if has_changed {
            ground.show(self.cache.tiles().map(|tile| (tile.patch, tile.clone())).collect());
        }
        self.is_settled = missing.is_empty() && self.fading.is_empty() && self.waiting.is_empty();
        patches.iter().map(|&patch| self.tiles_of(patch, first)).collect()
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

    fn tiles_of(&self, patch: GlobePatch, first: u32) -> PatchTiles {
        let Some((tile, parent)) = shown_tiles(patch, first, |tile| self.cache.get(tile).is_some()) else {
            return PatchTiles::default();
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
        PatchTiles { own: [x, y, steps, shown], coarse }
    }
}

/// The tiles that the patches show or morph into, coarse tiles first. If there is no room for all tiles, the finest are
/// dropped, and no patch waits for them.
fn needed_tiles(patches: &[GlobePatch], first: u32, room: usize) -> Vec<GlobePatch> {
    let own = patches.iter().flat_map(|patch| patch.ancestors().take(2)).filter(|patch| patch.level >= first);
    let mut needed: Vec<GlobePatch> = own.collect();
    needed.sort_unstable();
    needed.dedup();
    needed.truncate(room);
    needed
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
    fn coarse_tiles_load_first_and_within_the_capacity() {
        let patches: Vec<GlobePatch> =
            (0..64).map(|k| GlobePatch { level: 8 + (k & 1), face: 0, row: k / 8, column: k % 8 }).collect();
        let all = needed_tiles(&patches, 0, usize::MAX);
        assert!(all.is_sorted_by_key(|patch| patch.level) && all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert!(patches.iter().all(|patch| all.contains(patch) && all.contains(&patch.ancestors().nth(1).unwrap())));
        assert_eq!(needed_tiles(&patches, 0, 20), all[..20]);
        assert!(needed_tiles(&patches, 9, usize::MAX).iter().all(|patch| patch.level == 9));
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
