//! Quadtree that decides which patches are drawn, and how far each patch has morphed into the shape of the next coarser
//! level.
//!
//! A patch of level `l` is a square whose side is 2^-l times the side of the terrain. Every corner has a continuous
//! level `c`, which all patches meeting there share. Within a patch, `c` is interpolated between the four corners. A
//! vertex of a patch of level `l` has morphed by `l - c` towards the shape of level `l - 1`. Two rules always hold:
//!
//! * patches that touch, even at a corner or along a part of an edge, differ by at most one level;
//! * at a corner, `c` is at most the lowest level of the touching patches, and at least their highest level minus 1.
//!
//! So where a patch meets a coarser patch, it has the coarser shape along the whole edge. The coarser patch has not
//! begun to morph there. There are no cracks, whichever patches are still being computed. Corner levels move at a
//! limited pace towards the level that the distance from the eye demands. A patch is split only when `c` at all its
//! corners is its own level. Four patches are merged only when all their corners have the level of the merged patch. In
//! both cases the shape does not change, so no jump is visible. After Strugar, "Continuous Distance-Dependent Level of
//! Detail" (2009). In Strugar's method, the morphing depends directly on distances; here it depends on corner levels.
//! So there is no jump even if a patch is computed late, when the eye is already near.

use std::collections::{HashMap, HashSet};

/// The finest level of a patch.
pub const FINEST: u8 = 20;

/// Identifies a patch by its level and its position. The position counts patch sides from the square's north-west
/// corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TileKey {
    pub level: u8,
    pub column: u32,
    pub row: u32,
}

impl TileKey {
    pub const ROOT: Self = Self { level: 0, column: 0, row: 0 };

    pub fn parent(self) -> Option<Self> {
        let level = self.level.checked_sub(1)?;
        Some(Self { level, column: self.column / 2, row: self.row / 2 })
    }

    /// The four children: north-west, north-east, south-west, south-east.
    pub fn children(self) -> [Self; 4] {
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(j, i)| Self {
            level: self.level + 1,
            column: 2 * self.column + j,
            row: 2 * self.row + i,
        })
    }

    /// Patches of the same level that touch this patch.
    fn neighbours(self) -> impl Iterator<Item = Self> {
        let end = 1i64 << self.level;
        (-1..=1).flat_map(move |i| (-1..=1).map(move |j| (i, j))).filter_map(move |(i, j)| {
            let (column, row) = (i64::from(self.column) + j, i64::from(self.row) + i);
            let inside = (0..end).contains(&column) && (0..end).contains(&row) && (i, j) != (0, 0);
            inside.then_some(Self { level: self.level, column: column as u32, row: row as u32 })
        })
    }

    /// North-west corner and side length of the patch, as fractions of the square.
    pub fn corner_and_side(self) -> ([f64; 2], f64) {
        let side = 1.0 / f64::from(1u32 << self.level);
        ([f64::from(self.column) * side, f64::from(self.row) * side], side)
    }

    /// The four corners of the patch, in the order of [`children`](Self::children).
    fn corners(self) -> [TileCorner; 4] {
        let scale = FINEST - self.level;
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(j, i)| TileCorner((self.column + j) << scale, (self.row + i) << scale))
    }

    /// The midpoints of the patch's edges, and its centre. A split of the patch adds corners at these five points.
    fn middles(self) -> [TileCorner; 5] {
        let half = 1u32 << (FINEST - self.level - 1);
        let TileCorner(x, y) = self.corners()[0];
        [(1, 0), (0, 1), (2, 1), (1, 2), (1, 1)].map(|(j, i)| TileCorner(x + j * half, y + i * half))
    }
}

/// Position of a patch corner from the north-west corner of the square, counted in sides of the finest patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TileCorner(u32, u32);

impl TileCorner {
    fn position(self) -> [f64; 2] {
        let step = 1.0 / f64::from(1u32 << FINEST);
        [f64::from(self.0) * step, f64::from(self.1) * step]
    }
}

/// The information about patches and eye that the quadtree requires.
pub trait QuadtreeContext {
    /// Whether the patch is ready to be drawn.
    fn has(&self, key: TileKey) -> bool;
    /// Continuous level demanded at the point of the patch that is nearest to the eye.
    fn wanted(&self, key: TileKey) -> f32;
    /// Continuous level demanded at a position of the square, on the surface of the computed patch `key`.
    fn wanted_at(&self, place: [f64; 2], key: TileKey) -> f32;
    fn is_visible(&self, key: TileKey) -> bool;
}

/// A patch to be drawn, with the morph fraction of each corner towards the next coarser level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadTile {
    pub key: TileKey,
    pub morphs: [f32; 4],
}

/// The result of one step of the quadtree.
#[derive(Clone, Debug, Default)]
pub struct QuadtreePlan {
    pub tiles: Vec<QuadTile>,
    /// Patches that must be computed, the most urgent patch first.
    pub missing: Vec<TileKey>,
    /// Whether the next step can give a different result.
    pub is_moving: bool,
    /// Whether the plan needs more patches than fit into memory.
    pub is_full: bool,
}

/// The quadtree of one view; see the module documentation.
#[derive(Debug, Default)]
pub struct Quadtree {
    /// Patches that are replaced by their four children.
    split: HashSet<TileKey>,
    levels: HashMap<TileCorner, f32>,
    /// Split patches that must not be merged, because their neighbours are finer.
    forced_splits: HashSet<TileKey>,
}

/// The patches that touch a corner.
struct Touch {
    lowest: u8,
    highest: u8,
    /// One of the touching patches.
    patch: TileKey,
    /// Level that the corner must reach before a touching patch can be split; 0 if no patch waits to be split.
    raised: f32,
}

/// A patch is split when the demanded level exceeds the patch's own level. A split patch is merged again only when the
/// demanded level is below the patch's own level by this difference.
const HYSTERESIS: f32 = 0.1;
const NEAR: f32 = 1e-3;

impl Quadtree {
    /// All patches of the quadtree: the drawn patches and the patches replaced by their children.
    pub fn keys(&self) -> impl Iterator<Item = TileKey> {
        let children = self.split.iter().flat_map(|key| key.children());
        std::iter::once(TileKey::ROOT).chain(children)
    }

    fn exists(&self, key: TileKey) -> bool {
        key.parent().is_none_or(|parent| self.split.contains(&parent))
    }

    fn leaves(&self) -> Vec<TileKey> {
        let mut out = Vec::with_capacity(3 * self.split.len() + 1);
        let mut open = vec![TileKey::ROOT];
        while let Some(key) = open.pop() {
            if self.split.contains(&key) { open.extend(key.children()) } else { out.push(key) }
        }
        out
    }

    /// Advances one step: splits and merges patches, and moves corner levels by at most `pace` levels. The quadtree
    /// keeps at most `most` patches. The root patch must be computed.
    pub fn step(&mut self, around: &impl QuadtreeContext, pace: f32, most: usize) -> QuadtreePlan {
        let joined = self.join(around);
        let held = std::mem::take(&mut self.forced_splits);
        let leaves = self.leaves();
        let mut wanting: Vec<(f32, bool, TileKey)> = leaves
            .iter()
            .filter(|key| key.level < FINEST)
            .map(|&key| (around.wanted(key) - f32::from(key.level), around.is_visible(key), key))
            .filter(|(urgency, ..)| *urgency > 0.0)
            .collect();
        wanting.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)).then(a.2.cmp(&b.2)));
        let mut missing = Vec::new();
        let mut raised = HashSet::new();
        let (mut is_busy, mut is_full) = (joined, false);
        for (.., key) in wanting {
            // the limit also includes patches that are requested but not yet computed
            if 4 * self.split.len() + 5 + missing.len() > most {
                // keep the earlier forced splits, which would otherwise be merged and split again and again
                self.forced_splits.extend(held);
                is_full = true;
                break;
            }
            is_busy = true;
            self.divide(key, around, &mut missing, &mut raised);
        }
        let mut seen = HashSet::new();
        missing.retain(|key| seen.insert(*key));
        self.forced_splits.retain(|key| self.split.contains(key));
        let (tiles, is_moving) = self.update_corner_levels(around, &raised, pace);
        QuadtreePlan { tiles, missing, is_moving: is_moving || is_busy, is_full }
    }

    /// Splits a patch if possible, after splitting its coarser neighbours. Adds the patches that must first be computed
    /// to `missing`. Returns whether the patch is split.
    fn divide(
        &mut self,
        key: TileKey,
        around: &impl QuadtreeContext,
        missing: &mut Vec<TileKey>,
        raised: &mut HashSet<TileKey>,
    ) -> bool {
        if self.split.contains(&key) {
            return true;
        }
        let mut ready = true;
        let coarse: HashSet<TileKey> =
            key.neighbours().filter(|beside| !self.exists(*beside)).filter_map(TileKey::parent).collect();
        for beside in coarse {
            self.forced_splits.insert(beside);
            ready &= self.divide(beside, around, missing, raised);
        }
        self.forced_splits.extend(key.neighbours().filter_map(TileKey::parent));
        for child in key.children() {
            if !around.has(child) {
                missing.push(child);
                ready = false;
            }
        }
        raised.insert(key);
        let own = f32::from(key.level);
        ready &= key.corners().iter().all(|corner| self.levels.get(corner).is_none_or(|c| *c >= own - NEAR));
        if ready {
            self.split.insert(key);
            for corner in key.middles() {
                self.levels.entry(corner).or_insert(own);
            }
        }
        ready
    }

    /// Merges the children of patches that are finer than demanded, once the children have morphed into the merged
    /// shape. Returns whether any children were merged.
    fn join(&mut self, around: &impl QuadtreeContext) -> bool {
        let before = self.split.len();
        let mut joinable: Vec<TileKey> = self.split.iter().copied().collect();
        joinable.sort_by(|a, b| b.cmp(a));
        for key in joinable {
            let own = f32::from(key.level);
            if around.wanted(key) > own - HYSTERESIS || self.forced_splits.contains(&key) {
                continue;
            }
            let is_low = key.children().iter().all(|child| !self.split.contains(child));
            // after the merge, no patch of level l + 2 may touch the merged patch of level l
            let beside_is_low = || {
                let low = |beside: TileKey| {
                    !self.split.contains(&beside)
                        || beside.children().iter().all(|child| !self.split.contains(child) || !touch(*child, key))
                };
                key.neighbours().all(low)
            };
            let has_shape = || {
                let corners = key.corners().into_iter().chain(key.middles());
                corners.into_iter().all(|corner| self.levels.get(&corner).is_none_or(|c| *c <= own + NEAR))
            };
            if is_low && beside_is_low() && (has_shape() || !around.is_visible(key)) {
                self.split.remove(&key);
            }
        }
        self.split.len() != before
    }

    /// Moves the corner levels, drops corners that no longer exist, and returns the drawn tiles and whether any corner
    /// moves.
    fn update_corner_levels(
        &mut self,
        around: &impl QuadtreeContext,
        raised: &HashSet<TileKey>,
        pace: f32,
    ) -> (Vec<QuadTile>, bool) {
        let leaves = self.leaves();
        let mut touches: HashMap<TileCorner, Touch> = HashMap::with_capacity(2 * leaves.len());
        for &key in &leaves {
            for corner in key.corners() {
                let touch = touches.entry(corner).or_insert(Touch {
                    lowest: key.level,
                    highest: key.level,
                    patch: key,
                    raised: 0.0,
                });
                touch.lowest = touch.lowest.min(key.level);
                touch.highest = touch.highest.max(key.level);
                if raised.contains(&key) {
                    touch.raised = touch.raised.max(f32::from(key.level));
                }
            }
        }
        for &key in &leaves {
            if key.level < FINEST {
                for middle in &key.middles()[..4] {
                    if let Some(touch) = touches.get_mut(middle) {
                        touch.lowest = touch.lowest.min(key.level);
                    }
                }
            }
        }
        let mut is_moving = false;
        let mut levels = HashMap::with_capacity(touches.len());
        for (corner, touch) in &touches {
            let (low, high) = (f32::from(touch.highest) - 1.0, f32::from(touch.lowest));
            let target = around.wanted_at(corner.position(), touch.patch).max(touch.raised).clamp(low.min(high), high);
            let from = self.levels.get(corner).copied().unwrap_or(low).clamp(low.min(high), high);
            let to = target.clamp(from - pace, from + pace);
            is_moving |= to != target;
            levels.insert(*corner, to);
        }
        self.levels = levels;
        let tiles = leaves.into_iter().map(|key| {
            let morph = |corner: TileCorner| (f32::from(key.level) - self.levels[&corner]).clamp(0.0, 1.0);
            QuadTile { key, morphs: if key.level == 0 { [0.0; 4] } else { key.corners().map(morph) } }
        });
        (tiles.collect(), is_moving)
    }
}

/// Whether two patches touch.
fn touch(a: TileKey, b: TileKey) -> bool {
    let span = |key: TileKey| {
        let scale = FINEST - key.level;
        [key.column, key.row].map(|at| (at << scale, (at + 1) << scale))
    };
    span(a).into_iter().zip(span(b)).all(|((a, b), (c, d))| a <= d && c <= b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulated eye over the square. The patches that it lacks arrive a few at a time.
    struct Eye {
        at: [f64; 3],
        there: HashSet<TileKey>,
    }

    impl Eye {
        fn new(at: [f64; 3]) -> Self {
            Self { at, there: HashSet::from([TileKey::ROOT]) }
        }

        fn level(&self, way: [f64; 2]) -> f32 {
            let distance = (way[0] * way[0] + way[1] * way[1] + self.at[2] * self.at[2]).sqrt();
            (6.0 / distance).log2() as f32
        }
    }

    impl QuadtreeContext for Eye {
        fn has(&self, key: TileKey) -> bool {
            self.there.contains(&key)
        }

        fn wanted(&self, key: TileKey) -> f32 {
            let (low, side) = key.corner_and_side();
            self.level([0, 1].map(|k| (low[k] - self.at[k]).max(self.at[k] - low[k] - side).max(0.0)))
        }

        fn wanted_at(&self, place: [f64; 2], _: TileKey) -> f32 {
            self.level([0, 1].map(|k| place[k] - self.at[k]))
        }

        fn is_visible(&self, _: TileKey) -> bool {
            true
        }
    }

    /// Checks that each position is drawn once and that neighbours have the same shape along the edges that they share.
    fn check(quadtree: &Quadtree, plan: &QuadtreePlan) {
        let leaves: HashMap<TileKey, [f32; 4]> = plan.tiles.iter().map(|tile| (tile.key, tile.morphs)).collect();
        let area: f64 = leaves.keys().map(|key| key.corner_and_side().1.powi(2)).sum();
        assert!((area - 1.0).abs() < 1e-9, "every position is drawn once");
        let all: Vec<TileKey> = leaves.keys().copied().collect();
        for &a in &all {
            for &b in &all {
                if a != b && touch(a, b) {
                    assert!(a.level.abs_diff(b.level) <= 1, "{a:?} {b:?}");
                    // the finer patch has the coarser patch's shape at the corners of the shared edge
                    if a.level > b.level {
                        for (corner, morph) in a.corners().into_iter().zip(leaves[&a]) {
                            let on_b = {
                                let scale = FINEST - b.level;
                                let inside = |at: u32, cell: u32| at >= cell << scale && at <= (cell + 1) << scale;
                                inside(corner.0, b.column) && inside(corner.1, b.row)
                            };
                            assert!(!on_b || morph == 1.0, "{a:?} {b:?} {corner:?} {morph}");
                        }
                        for (corner, morph) in b.corners().into_iter().zip(leaves[&b]) {
                            let on_a = a.corners().contains(&corner);
                            assert!(!on_a || morph == 0.0, "{a:?} {b:?} {corner:?} {morph}");
                        }
                    }
                }
            }
        }
        assert!(quadtree.keys().count() >= all.len());
    }

    /// The morphed level at a position. The test checks that it changes little per step, because splits and merges must
    /// be invisible.
    fn level_at(plan: &QuadtreePlan, place: [f64; 2]) -> f32 {
        let tile = plan
            .tiles
            .iter()
            .find(|tile| {
                let (low, side) = tile.key.corner_and_side();
                (0..2).all(|k| place[k] >= low[k] && place[k] < low[k] + side)
            })
            .expect("every position is drawn");
        let (low, side) = tile.key.corner_and_side();
        let [u, v] = [0, 1].map(|k| ((place[k] - low[k]) / side) as f32);
        let [a, b, c, d] = tile.morphs;
        let morph = (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v;
        f32::from(tile.key.level) - morph
    }

    #[test]
    fn a_flight_with_late_patches_has_no_cracks_or_pops() {
        const PACE: f32 = 0.25;
        let mut eye = Eye::new([0.3, 0.4, 2.0]);
        let mut quadtree = Quadtree::default();
        let places: Vec<[f64; 2]> =
            (0..400).map(|k| [f64::from(k % 20) * 0.0499, f64::from(k / 20) * 0.0499]).collect();
        let mut before: Option<Vec<f32>> = None;
        let mut deepest = 0;
        for frame in 0..300 {
            let t = f64::from(frame) / 300.0;
            // the eye descends to the surface, moves along it, and rises again
            let height = if t < 0.8 { 2.0 * (-9.0 * t).exp() } else { 2.0 * (-9.0 * (1.6 - t).max(0.0)).exp() };
            eye.at = [0.3 + 0.3 * t, 0.4 + 0.05 * t, height.max(2e-3)];
            let plan = quadtree.step(&eye, PACE, 4000);
            if frame % 5 == 0 {
                check(&quadtree, &plan);
            }
            deepest = deepest.max(plan.tiles.iter().map(|tile| tile.key.level).max().unwrap_or(0));
            let now: Vec<f32> = places.iter().map(|place| level_at(&plan, *place)).collect();
            if let Some(before) = before.replace(now.clone()) {
                for ((a, b), place) in before.iter().zip(&now).zip(&places) {
                    assert!((a - b).abs() <= PACE + 1e-3, "frame {frame}, {place:?}: from {a} to {b}");
                }
            }
            // a few of the missing patches arrive
            eye.there.extend(plan.missing.iter().take(12));
        }
        assert!(deepest >= 7, "{deepest}");
    }

    #[test]
    fn a_still_view_has_every_patch_and_a_distant_view_one() {
        let mut eye = Eye::new([0.7, 0.2, 0.05]);
        let mut quadtree = Quadtree::default();
        let mut plan = QuadtreePlan::default();
        for _ in 0..60 {
            plan = quadtree.step(&eye, 1e9, 4000);
            eye.there.extend(&plan.missing);
        }
        assert!(plan.missing.is_empty() && !plan.is_moving);
        for tile in &plan.tiles {
            assert!(eye.wanted(tile.key) <= f32::from(tile.key.level) + 1e-3, "{tile:?}");
        }
        let near = level_at(&plan, [0.7, 0.2]);
        assert!((near - eye.level([0.0; 2])).abs() < 0.6, "{near}");
        eye.at = [0.5, 0.5, 50.0];
        for _ in 0..60 {
            plan = quadtree.step(&eye, 1e9, 4000);
        }
        assert_eq!(plan.tiles.len(), 1);
    }

    #[test]
    fn the_quadtree_keeps_its_patch_limit() {
        let mut eye = Eye::new([0.7, 0.2, 1e-4]);
        let mut quadtree = Quadtree::default();
        for _ in 0..80 {
            let plan = quadtree.step(&eye, 1e9, 200);
            assert!(quadtree.keys().count() <= 200);
            check(&quadtree, &plan);
            eye.there.extend(&plan.missing);
        }
    }
}
