//! Adaptive tessellation: a construction tree is evaluated at the vertices that the image needs, at any distance of the
//! eye.
//!
//! ```text
//! eye ─▶ quadtree (which patches, how far morphed) ─▶ tiles ─▶ instances
//!           │ missing                ▲ has
//!           ▼                        │
//!         pool (threads) ─ patches ─▶ cache (slots by last use) ─▶ atlas texture
//! ```
//! [`quadtree`] is plain logic, and [`patch`] evaluates the construction tree on the threads of
//! [`tiles`](crate::view::tiles), whose cache keeps the results. [`atlas`] holds the patches on the graphics card. All
//! these modules run in the render world, off the main thread. When the construction tree changes, patches outside the
//! changed area are kept. Patches inside the area are computed again while the old patches stay on screen. Then all new
//! patches replace the old patches in one frame.

pub mod atlas;
pub mod patch;
pub mod quadtree;
pub mod renderer;
pub mod view_surface;

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DVec2, DVec3, Mat4, Vec3};

use crate::view::construction_surface::TreeSurface;
use crate::view::render::frustum::Frustum;
use crate::view::render::mesh::RenderQuality;
use crate::view::scale::SIDE_WORLD;
use crate::view::tiles::cache::TileCache;
use crate::view::tiles::pool::Pool;
use patch::{PatchJob, TilePatch};
use quadtree::{QuadTile, Quadtree, QuadtreeContext, QuadtreePlan, TileKey};
use view_surface::{DetailByDistance, ViewSurface};

/// Target quality and limits of the adaptive tessellation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Number of quads along the side of a patch: a power of two.
    pub quads: usize,
    /// Greatest width of a quad on screen, in pixels, while nothing moves.
    pub quad_pixels: f64,
    /// Greatest width of a quad on screen, in pixels, while the eye or the terrain moves.
    pub moving_pixels: f64,
    /// Greatest total size of the patches on the graphics card, in bytes. Main memory holds a second copy of all
    /// patches.
    pub bytes: usize,
    /// Greatest speed at which the corners of patches morph, in levels of detail per second.
    pub levels_per_second: f32,
}

impl Budget {
    /// Budget for a graphics card.
    pub const FINE: Self =
        Self { quads: 32, quad_pixels: 2.0, moving_pixels: 3.5, bytes: 128 << 20, levels_per_second: 4.0 };
    /// Budget for a software renderer.
    pub const FRUGAL: Self =
        Self { quads: 16, quad_pixels: 5.0, moving_pixels: 9.0, bytes: 32 << 20, levels_per_second: 4.0 };

    pub fn slots(&self) -> u32 {
        (self.bytes / TilePatch::bytes(self.quads)) as u32
    }
}

/// Smallest range of a level, as a multiple of the side length of its patches. The range is the distance from the eye
/// up to which this level is drawn. With a smaller range, adjacent patches would request levels that differ by more
/// than one.
const LEAST_RANGE_PATCHES: f64 = 3.0;

/// Seconds without motion after which the image is drawn with the fine quads of a view at rest.
const REST_SECONDS: f32 = 0.2;

/// Number of levels by which patches out of view are coarser than visible patches. When the eye turns, these patches
/// are already present and are soon refined.
const LEVELS_UNSEEN: f32 = 2.0;
/// Factor by which the quads grow per frame while the patches exceed the budget; the second constant is the greatest
/// total factor.
const BUDGET_SCALE_STEP: f64 = 1.08;
const MOST_BUDGET_SCALE: f64 = 16.0;
/// Factor by which the enlarged quads shrink again in each frame with motion.
const BUDGET_RECOVERY: f64 = 0.995;

/// Greatest number of jobs in a request to the thread pool.
const MOST_JOBS: usize = 256;
/// Number of cache slots that the quadtree keeps free for patches that are being computed.
const SPARE: usize = 64;

/// The camera data that the tessellation needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileCamera {
    pub eye_world: DVec3,
    /// Matrix from positions relative to the eye to clip space.
    pub clip_from_eye: Mat4,
    pub pixels_per_radian: f64,
}

/// The adaptive tessellation of one view; see the module documentation.
pub struct Tessellation {
    pub budget: Budget,
    /// The surface on screen.
    seen: Option<ViewSurface>,
    quadtree: Quadtree,
    cache: TileCache<TilePatch>,
    pool: Pool<PatchJob>,
    arriving: Option<ArrivingTree>,
    tiles: Vec<QuadTile>,
    /// Patches that were requested in the last step. A computed patch stays in the cache until its three siblings are
    /// also present.
    wanted: Vec<TileKey>,
    /// The camera of the last frame; `rest_seconds` is the number of seconds since the eye or the terrain last moved.
    last: Option<TileCamera>,
    rest_seconds: f32,
    /// Factor by which quads are larger than the budget requests, so that the available patches suffice for the whole
    /// image.
    budget_scale: f64,
    /// Whether no patch is missing and nothing moves.
    pub is_settled: bool,
}

/// The patches of a newer tree surface, shown once all needed patches are present.
struct ArrivingTree {
    seen: ViewSurface,
    patches: HashMap<TileKey, Arc<TilePatch>>,
    changed: Option<[[f64; 2]; 2]>,
}

impl ArrivingTree {
    fn is_changed(&self, key: TileKey) -> bool {
        let Some([low, high]) = self.changed else { return false };
        let (corner, side) = world_of(key);
        (0..2).all(|k| corner[k] <= high[k] && low[k] <= corner[k] + side)
    }
}

/// North-west corner and side length of a patch in world units.
fn world_of(key: TileKey) -> ([f64; 2], f64) {
    let whole = f64::from(SIDE_WORLD);
    let (corner, side) = key.corner_and_side();
    (corner.map(|at| (at - 0.5) * whole), side * whole)
}

/// A patch to upload to the graphics card.
pub struct Upload {
    pub slot: u32,
    pub patch: Arc<TilePatch>,
}

impl Tessellation {
    pub fn new(budget: Budget, quality: RenderQuality) -> Self {
        Self {
            budget,
            seen: None,
            quadtree: Quadtree::default(),
            cache: TileCache::new(budget.slots()),
            pool: Pool::new(quality),
            arriving: None,
            tiles: Vec::new(),
            wanted: Vec::new(),
            last: None,
            // start at rest, so that a still image without earlier frames is drawn finely at once
            rest_seconds: REST_SECONDS,
            budget_scale: 1.0,
            is_settled: false,
        }
    }

    /// Advances by `seconds` towards showing `wanted` from `camera`. At the distance `half_world` from the eye, in
    /// world units, the level of detail is 0.5; with `None` it is full at any distance. Returns the patches to upload.
    pub fn advance(
        &mut self,
        wanted: &Arc<TreeSurface>,
        half_world: Option<f64>,
        camera: &TileCamera,
        seconds: f32,
    ) -> Vec<Upload> {
        let by_distance =
            half_world.map(|half| DetailByDistance::new(half, camera.pixels_per_radian / self.budget.quad_pixels));
        let is_edited = self.seen.as_ref().is_some_and(|shown| !shown.is_of(wanted, by_distance));
        let is_still = self.last.replace(*camera).is_none_or(|last| last == *camera) && !is_edited;
        self.rest_seconds = if is_still { self.rest_seconds + seconds } else { 0.0 };
        let is_resting = self.rest_seconds >= REST_SECONDS;
        if !is_still {
            self.budget_scale = (self.budget_scale * BUDGET_RECOVERY).max(1.0);
        }
        let pixels = if is_resting { self.budget.quad_pixels } else { self.budget.moving_pixels };
        let quad_pixels = pixels * self.budget_scale;
        // mark used patches before the cache receives new patches, which could otherwise evict patches of the last step
        self.cache.use_now(self.quadtree.keys().chain(self.wanted.iter().copied()));
        let mut uploads = self.receive();
        uploads.extend(self.swap_tree_surface(wanted, by_distance));
        if let Some(arriving) = &self.arriving {
            let job = |key: TileKey| {
                let parent = key.parent().and_then(|parent| arriving.patches.get(&parent)).cloned();
                PatchJob { seen: arriving.seen.clone(), key, quads: self.budget.quads, parent }
            };
            let lacking = self.missing_patches(arriving);
            self.pool.set_jobs(arriving.seen.serial, lacking.into_iter().take(MOST_JOBS).map(job));
        }
        let Some(seen) = self.seen.clone() else {
            self.is_settled = false;
            return uploads;
        };
        let view = TileView {
            cache: &self.cache,
            camera,
            frustum: Frustum::new(camera.clip_from_eye),
            range: f64::from(SIDE_WORLD)
                * (camera.pixels_per_radian / (self.budget.quads as f64 * quad_pixels)).max(LEAST_RANGE_PATCHES),
        };
        let pace = seconds * self.budget.levels_per_second;
        let most = (self.cache.slots() as usize).saturating_sub(SPARE);
        let QuadtreePlan { tiles, missing, is_moving, is_full } = self.quadtree.step(&view, pace, most);
        // enlarge the quads only after all patches requested earlier have arrived
        let is_strained = is_full && !is_moving && missing.is_empty() && self.budget_scale < MOST_BUDGET_SCALE;
        if is_strained {
            self.budget_scale *= BUDGET_SCALE_STEP;
        }
        self.tiles = tiles.into_iter().filter(|tile| view.is_visible(tile.key)).collect();
        self.is_settled = missing.is_empty() && !is_moving && !is_strained && self.arriving.is_none() && is_resting;
        if self.arriving.is_none() {
            let job = |key: TileKey| {
                let parent = key.parent().and_then(|parent| self.cache.get(parent)).cloned();
                PatchJob { seen: seen.clone(), key, quads: self.budget.quads, parent }
            };
            self.pool.set_jobs(seen.serial, missing.iter().copied().take(MOST_JOBS).map(job));
            self.wanted = missing;
        }
        uploads
    }

    /// Stores the patches that the threads have finished, and returns the patches to upload.
    fn receive(&mut self) -> Vec<Upload> {
        let mut uploads = Vec::new();
        for (serial, patch) in self.pool.take_finished() {
            let patch = Arc::new(patch);
            match &mut self.arriving {
                Some(arriving) if arriving.seen.serial == serial => {
                    arriving.patches.insert(patch.key, patch);
                }
                _ if self.seen.as_ref().is_some_and(|seen| seen.serial == serial) => {
                    if let Some(slot) = self.cache.insert(patch.clone()) {
                        uploads.push(Upload { slot, patch });
                    }
                }
                _ => {}
            }
        }
        uploads
    }

    /// Patches of the quadtree that are not yet computed for the newer tree surface, although their parents are. Coarse
    /// patches come first.
    fn missing_patches(&self, arriving: &ArrivingTree) -> Vec<TileKey> {
        let there = |key: &TileKey| arriving.patches.contains_key(key);
        let mut keys: Vec<TileKey> = self
            .quadtree
            .keys()
            .filter(|key| !there(key) && key.parent().is_none_or(|parent| there(&parent)))
            .collect();
        keys.sort();
        keys
    }

    /// Switches to a newer tree surface when all of its patches are present. A switch that has begun is finished even
    /// if a still newer surface is wanted. Otherwise, a new surface in every frame would prevent all switches.
    fn swap_tree_surface(&mut self, wanted: &Arc<TreeSurface>, by_distance: Option<DetailByDistance>) -> Vec<Upload> {
        if self.arriving.is_none() && self.seen.as_ref().is_none_or(|shown| !shown.is_of(wanted, by_distance)) {
            let changed = match self.seen.as_ref().filter(|shown| shown.by_distance == by_distance) {
                Some(shown) => wanted.changed_from(&shown.tree_surface),
                None => Some([[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]]),
            };
            let seen = ViewSurface::new(wanted.clone(), by_distance);
            let mut arriving = ArrivingTree { seen, patches: HashMap::new(), changed };
            for key in self.quadtree.keys() {
                if let Some(patch) = self.cache.get(key).filter(|_| !arriving.is_changed(key)) {
                    arriving.patches.insert(key, patch.clone());
                }
            }
            self.arriving = Some(arriving);
        }
        let Some(arriving) = &self.arriving else { return Vec::new() };
        if self.quadtree.keys().any(|key| !arriving.patches.contains_key(&key)) {
            return Vec::new();
        }
        let Some(arriving) = self.arriving.take() else { return Vec::new() };
        self.cache.retain(|patch| arriving.patches.contains_key(&patch.key) || !arriving.is_changed(patch.key));
        let mut uploads = Vec::new();
        for (key, patch) in arriving.patches {
            if self.cache.get(key).is_none_or(|shown| !Arc::ptr_eq(shown, &patch))
                && let Some(slot) = self.cache.insert(patch.clone())
            {
                uploads.push(Upload { slot, patch });
            }
        }
        self.seen = Some(arriving.seen);
        uploads
    }

    /// The patches in view that are drawn, with their slots in the atlas.
    pub fn tiles(&self) -> impl Iterator<Item = (&QuadTile, u32, &Arc<TilePatch>)> {
        self.tiles.iter().filter_map(|tile| Some((tile, self.cache.slot(tile.key)?, self.cache.get(tile.key)?)))
    }

    /// The tree surface on screen.
    pub fn tree_surface(&self) -> Option<&Arc<TreeSurface>> {
        self.seen.as_ref().map(|seen| &seen.tree_surface)
    }

    /// Size of all cached patches in bytes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.cache.len() * TilePatch::bytes(self.budget.quads)
    }
}

/// The cached patches and the camera, in the form that the quadtree reads.
struct TileView<'a> {
    cache: &'a TileCache<TilePatch>,
    camera: &'a TileCamera,
    frustum: Frustum,
    /// Distance from the eye, in world units, up to which the root patch is fine enough.
    range: f64,
}

impl TileView<'_> {
    fn level_at(&self, distance_world: f64) -> f32 {
        (self.range / distance_world.max(1e-9)).log2() as f32
    }

    /// Lowest and highest corner of the box around a patch, relative to the eye.
    fn bounding_box(&self, key: TileKey) -> (DVec3, DVec3) {
        let (corner, side) = world_of(key);
        let (low, high) = match self.cache.get(key) {
            Some(patch) => (f64::from(patch.lowest_world), f64::from(patch.highest_world)),
            None => (-1e6, 1e6),
        };
        let flat = DVec2::from(corner);
        let low = DVec3::new(flat.x, low, flat.y) - self.camera.eye_world;
        (low, DVec3::new(low.x + side, high - self.camera.eye_world.y, low.z + side))
    }
}

impl QuadtreeContext for TileView<'_> {
    fn has(&self, key: TileKey) -> bool {
        self.cache.get(key).is_some()
    }

    fn wanted(&self, key: TileKey) -> f32 {
        let (low, high) = self.bounding_box(key);
        let level = self.level_at(DVec3::ZERO.clamp(low, high).length());
        if self.is_visible(key) { level } else { level - LEVELS_UNSEEN }
    }

    fn wanted_at(&self, place: [f64; 2], key: TileKey) -> f32 {
        let whole = f64::from(SIDE_WORLD);
        let at = place.map(|at| (at - 0.5) * whole);
        let height = self.cache.get(key).map_or(0.0, |patch| {
            let (corner, side) = key.corner_and_side();
            let vertex = |k: usize| if place[k] > corner[k] + 0.5 * side { patch.quads } else { 0 };
            f64::from(patch.own(vertex(1), vertex(0))[0])
        });
        self.level_at((DVec3::new(at[0], height, at[1]) - self.camera.eye_world).length())
    }

    fn is_visible(&self, key: TileKey) -> bool {
        let (low, high) = self.bounding_box(key);
        // the bounds of patches on the border must also contain the side walls and the water
        let end = (1u32 << key.level) - 1;
        let on_border = key.column == 0 || key.row == 0 || key.column == end || key.row == end;
        let (down, up) = if on_border { (1e4, 1e4) } else { (0.0, 100.0) };
        let margin = 1e-3 * (high - low);
        let low = low - margin - DVec3::new(0.0, down, 0.0);
        let high = high + margin + DVec3::new(0.0, up, 0.0);
        self.frustum.meets(as_vec3(low), as_vec3(high))
    }
}

fn as_vec3(at: DVec3) -> Vec3 {
    at.as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::construction_surface::TreeRecipe;
    use talweg::construction::{Tree, presets};

    fn tree_surface(tree: Arc<Tree>) -> Arc<TreeSurface> {
        let recipe = TreeRecipe { tree, seed: 3, level: 1.0, relief_over_size: 0.225, eroded: None };
        Arc::new(TreeSurface::untouched(recipe))
    }

    const LOOK: TileCamera =
        TileCamera { eye_world: DVec3::new(40.0, 90.0, 60.0), clip_from_eye: Mat4::IDENTITY, pixels_per_radian: 400.0 };
    const SMALL: Budget =
        Budget { quads: 8, quad_pixels: 14.0, moving_pixels: 28.0, bytes: 6 << 20, levels_per_second: 4.0 };

    fn camera() -> TileCamera {
        let projection = Mat4::perspective_infinite_reverse_rh(0.6, 1.5, 0.1);
        let clip_from_eye = projection * Mat4::look_to_rh(Vec3::ZERO, Vec3::new(0.1, -0.5, -1.0), Vec3::Y);
        TileCamera { clip_from_eye, ..LOOK }
    }

    fn run_until_settled(tessellation: &mut Tessellation, wanted: &Arc<TreeSurface>, camera: &TileCamera) -> usize {
        let mut uploads = 0;
        // the loop reaches this limit only if the tessellation never settles
        for _ in 0..100_000 {
            uploads += tessellation.advance(wanted, None, camera, 1e9).len();
            if tessellation.is_settled {
                return uploads;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        panic!("the tessellation never settles");
    }

    #[test]
    fn patches_settle_in_budget_and_small_edits_recompute_few() {
        let tree = presets::valley();
        let first = tree_surface(tree.clone());
        let mut tessellation = Tessellation::new(SMALL, RenderQuality::Moving);
        let camera = camera();
        let all = run_until_settled(&mut tessellation, &first, &camera);
        assert!(tessellation.bytes() <= SMALL.bytes && tessellation.tiles().count() > 30);
        let mut changed = (*tree).clone();
        let disc = talweg::construction::Piece {
            kind: talweg::construction::PieceKind::Disc(talweg::construction::primitives::disc::Disc {
                x: 600.0,
                y: 700.0,
                radius: 300.0,
                ..Default::default()
            }),
            ..Default::default()
        };
        changed.terrain = talweg::construction::Piece {
            kind: talweg::construction::PieceKind::Blend(talweg::construction::OperatorGroup {
                children: vec![changed.terrain.clone(), disc],
                ..Default::default()
            }),
            ..Default::default()
        };
        let second = tree_surface(Arc::new(changed));
        assert!(second.changed_from(&first).is_some());
        let again = run_until_settled(&mut tessellation, &second, &camera);
        assert!(tessellation.tree_surface().is_some_and(|shown| shown.serial == second.serial));
        assert!(again > 0 && again <= all + 8, "{again} of {all} patches are computed again");
        let same = tree_surface(second.recipe.tree.clone());
        assert!(same.changed_from(&second).is_none());
        assert_eq!(run_until_settled(&mut tessellation, &same, &camera), 0, "an unchanged tree computes nothing");
    }

    #[test]
    fn a_small_view_near_the_ground_settles_with_few_patches() {
        let tree_surface = tree_surface(presets::volcano());
        let mut tessellation = Tessellation::new(SMALL, RenderQuality::Moving);
        let ground = tree_surface.floor_world(Vec3::new(0.0, 0.0, 125.0), 1e-4);
        let eye_world = DVec3::new(0.0, f64::from(ground) + 2.0 * tree_surface.world_per_metre, 125.0);
        let made = run_until_settled(
            &mut tessellation,
            &tree_surface,
            &TileCamera { eye_world, pixels_per_radian: 60.0, ..camera() },
        );
        assert!(made < 1500, "{made}");
    }

    #[test]
    fn a_moving_view_draws_fewer_patches_than_a_still_one() {
        let tree_surface = tree_surface(presets::valley());
        let mut tessellation = Tessellation::new(SMALL, RenderQuality::Moving);
        let mut camera = camera();
        run_until_settled(&mut tessellation, &tree_surface, &camera);
        let still = tessellation.tiles().count();
        let mut moving = still;
        for _ in 0..400 {
            camera.eye_world.x += 1e-3;
            tessellation.advance(&tree_surface, None, &camera, 0.02);
            assert!(!tessellation.is_settled);
            moving = tessellation.tiles().count();
        }
        assert!(moving * 5 < still * 4, "{moving} patches while moving, {still} at rest");
        run_until_settled(&mut tessellation, &tree_surface, &camera);
        assert!(tessellation.tiles().count() * 10 > still * 9);
    }

    #[test]
    fn a_small_budget_coarsens_the_view_without_gaps() {
        let tree_surface = tree_surface(presets::valley());
        let ground = f64::from(tree_surface.floor_world(Vec3::new(40.0, 0.0, 60.0), 1e-3));
        for (part, above) in [(2, 0.5), (2, 20.0), (4, 20.0)] {
            let poor = Budget { bytes: SMALL.bytes / part, quad_pixels: 6.0, moving_pixels: 12.0, ..SMALL };
            let mut tessellation = Tessellation::new(poor, RenderQuality::Moving);
            let eye_world = LOOK.eye_world.with_y(ground + above);
            let camera = TileCamera { eye_world, ..camera() };
            run_until_settled(&mut tessellation, &tree_surface, &camera);
            let strain = tessellation.budget_scale;
            assert!(tessellation.bytes() <= poor.bytes && strain > 1.0 && strain < MOST_BUDGET_SCALE, "{strain}");
            // near the eye and far from it, quads are about the same number of pixels wide
            let widths = tessellation.tiles().map(|(tile, _, patch)| {
                let (corner, side) = world_of(tile.key);
                let low = DVec3::new(corner[0], f64::from(patch.lowest_world), corner[1]) - eye_world;
                let high = DVec3::new(corner[0] + side, f64::from(patch.highest_world), corner[1] + side) - eye_world;
                side / 8.0 / DVec3::ZERO.clamp(low, high).length().max(0.02) * camera.pixels_per_radian
            });
            let widest = widths.fold(0.0, f64::max);
            assert!(
                widest < 2.0 * poor.quad_pixels * strain,
                "the widest quad has {widest} pixels at strain {strain}, {above} above the terrain"
            );
        }
    }

    #[test]
    fn drawn_patches_stay_in_the_cache_wherever_the_eye_moves() {
        let tree_surface = tree_surface(presets::valley());
        let poor = Budget { bytes: SMALL.bytes / 3, quad_pixels: 6.0, moving_pixels: 12.0, ..SMALL };
        let mut tessellation = Tessellation::new(poor, RenderQuality::Moving);
        let ground = f64::from(tree_surface.floor_world(Vec3::new(40.0, 0.0, 60.0), 1e-3));
        // the camera moves back and forth, so that earlier patches are needed again while other patches are evicted
        for step in 0..24u32 {
            let east = f64::from(step * 7 % 12) * 3.0;
            let above = if step % 3 == 0 { 12.0 } else { 0.5 };
            let eye_world = DVec3::new(30.0 + east, ground + above, 60.0);
            let camera = TileCamera { eye_world, ..camera() };
            for _ in 0..100_000 {
                tessellation.advance(&tree_surface, None, &camera, 0.1);
                assert_eq!(tessellation.tiles().count(), tessellation.tiles.len(), "holes in step {step}");
                if tessellation.is_settled {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            assert!(tessellation.is_settled);
        }
    }

    #[test]
    fn patches_near_the_ground_are_centimetres_wide() {
        let tree_surface = tree_surface(presets::volcano());
        let mut tessellation = Tessellation::new(SMALL, RenderQuality::Moving);
        let ground = tree_surface.floor_world(Vec3::new(40.0, 0.0, 60.0), 1e-4);
        // the eye is ten centimetres above the terrain
        let eye_world = DVec3::new(40.0, f64::from(ground) + 0.1 * tree_surface.world_per_metre, 60.0);
        run_until_settled(&mut tessellation, &tree_surface, &TileCamera { eye_world, ..camera() });
        let finest = tessellation.quadtree.keys().map(|key| key.level).max().unwrap_or(0);
        let spacing_metres = 1000.0 / tree_surface.world_per_metre / (8.0 * f64::from(1u32 << finest));
        assert!(spacing_metres < 0.01, "the spacing near the eye is {spacing_metres} m");
    }
}
