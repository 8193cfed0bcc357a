//! A terrain patch: its own vertices, and the vertices of the next coarser level that they morph into.
//!
//! Vertex (i, j) morphs into vertex (i - i mod 2, j - j mod 2), which is also a vertex of the parent patch. The
//! parent's values are copied bit for bit. A patch that has morphed into its parent's shape therefore meets the
//! parent's neighbours without a crack. The position of a vertex is a whole number of steps, which is the same in all
//! patches that contain the vertex. The slope at a vertex is computed from the heights of the two adjacent vertices, so
//! one more row of vertices around the patch is sampled. The exact slope would jump from vertex to vertex along a sharp
//! crest.

use std::sync::Arc;

use super::quadtree::TileKey;
use super::view_surface::ViewSurface;
use crate::view::construction_surface::Sample;
use crate::view::scale::SIDE_WORLD;
use crate::view::tiles::{GroundTile, TileJob};
use talweg::construction::LANES;

/// Values of a vertex: height, slope to the east, slope to the south, and depth of the water. Lengths are in world
/// units.
pub type Texel = [f32; 4];

/// A patch ready to be drawn. Immutable.
#[derive(Debug)]
pub struct TilePatch {
    pub key: TileKey,
    pub quads: usize,
    /// The texels of all vertices, row by row. Each vertex has two texels: its own, and the texel of the vertex that it
    /// morphs into.
    pub texels: Vec<Texel>,
    /// Heights of the lowest and of the highest vertex in both levels of detail, in world units.
    pub lowest_world: f32,
    pub highest_world: f32,
    /// Greatest depth of the water, in world units.
    pub wettest_world: f32,
}

impl GroundTile for TilePatch {
    type Key = TileKey;

    fn key(&self) -> TileKey {
        self.key
    }
}

/// A patch to be computed.
pub struct PatchJob {
    pub seen: ViewSurface,
    pub key: TileKey,
    /// Number of quads along the patch's side.
    pub quads: usize,
    pub parent: Option<Arc<TilePatch>>,
}

impl TileJob for PatchJob {
    type Tile = TilePatch;

    fn serial(&self) -> u64 {
        self.seen.serial
    }

    fn key(&self) -> TileKey {
        self.key
    }

    fn tile(&self, stop: &dyn Fn() -> bool) -> Option<TilePatch> {
        TilePatch::new(&self.seen, self.key, self.quads, self.parent.as_deref(), stop)
    }
}

impl TilePatch {
    /// Computes a patch. Calls `stop` before each row and returns `None` if `stop` returns true.
    pub fn new(
        seen: &ViewSurface,
        key: TileKey,
        quads: usize,
        parent: Option<&Self>,
        stop: impl Fn() -> bool,
    ) -> Option<Self> {
        let side = f64::from(SIDE_WORLD);
        let step = side / (quads as f64 * f64::from(1u32 << key.level));
        // index 0 is one step before the first vertex of the patch
        let place = |cell: u32, k: usize| (f64::from(cell) * quads as f64 + k as f64 - 1.0) * step - 0.5 * side;
        let (tree_surface, detail) = (&seen.tree_surface, seen.detail(step));
        let n = quads + 1;
        // one more vertex on every side, for the slopes
        let m = n + 2;
        let low = [place(key.column, 0), place(key.row, 0)];
        let high = [place(key.column, m - 1), place(key.row, m - 1)];
        let selection = tree_surface.selection(low, high);
        let mut samples: Vec<Sample> = Vec::with_capacity(m * m);
        let mut row: Vec<[f64; 2]> = Vec::with_capacity(m);
        for i in 0..m {
            if stop() {
                return None;
            }
            row.clear();
            row.extend((0..m).map(|j| [place(key.column, j), place(key.row, i)]));
            for part in row.chunks(LANES) {
                tree_surface.row_in(&selection, part, &detail, &mut samples);
            }
        }
        let per_way = 0.5 / step;
        let own: Vec<Texel> = (0..n * n)
            .map(|k| {
                let here = (k / n + 1) * m + k % n + 1;
                let rise = |a: usize, b: usize| ((samples[b].height - samples[a].height) * per_way) as f32;
                let slope = [rise(here - 1, here + 1), rise(here - m, here + m)];
                [samples[here].height as f32, slope[0], slope[1], samples[here].depth as f32]
            })
            .collect();
        let half = quads / 2;
        let corner = [key.row as usize % 2 * half, key.column as usize % 2 * half];
        let coarse = |i: usize, j: usize| match parent {
            Some(parent) => parent.own(corner[0] + i / 2, corner[1] + j / 2),
            None => own[i * n + j],
        };
        let mut patch = Self {
            key,
            quads,
            texels: Vec::with_capacity(2 * n * n),
            lowest_world: f32::INFINITY,
            highest_world: f32::NEG_INFINITY,
            wettest_world: f32::NEG_INFINITY,
        };
        for i in 0..n {
            for j in 0..n {
                for texel in [own[i * n + j], coarse(i, j)] {
                    patch.lowest_world = patch.lowest_world.min(texel[0]);
                    patch.highest_world = patch.highest_world.max(texel[0]);
                    patch.wettest_world = patch.wettest_world.max(texel[3]);
                    patch.texels.push(texel);
                }
            }
        }
        Some(patch)
    }

    /// The texel of the vertex in row `i` and column `j`.
    pub fn own(&self, i: usize, j: usize) -> Texel {
        self.texels[2 * (i * (self.quads + 1) + j)]
    }

    /// Size in bytes of a patch with this many quads along its side. The graphics card and main memory each hold one
    /// copy.
    pub fn bytes(quads: usize) -> usize {
        (quads + 1) * (quads + 1) * 2 * size_of::<Texel>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::construction_surface::adaptive::view_surface::DetailByDistance;
    use crate::view::construction_surface::{TreeRecipe, TreeSurface};
    use talweg::construction::presets;

    fn seen() -> ViewSurface {
        let recipe = TreeRecipe { tree: presets::valley(), seed: 3, level: 1.0, relief_over_size: 0.225, eroded: None };
        ViewSurface::new(Arc::new(TreeSurface::untouched(recipe)), None)
    }

    #[test]
    fn touching_patches_share_the_bits_of_their_edge() {
        let seen = seen();
        let make =
            |key, parent: Option<&TilePatch>| TilePatch::new(&seen, key, 16, parent, || false).expect("not stopped");
        let root = make(TileKey::ROOT, None);
        let children = TileKey::ROOT.children().map(|key| make(key, Some(&root)));
        let [a, b, ..] = &children;
        let grandchildren = b.key.children().map(|key| make(key, Some(b)));
        for k in 0..=16 {
            assert_eq!(a.own(k, 16), b.own(k, 0), "two patches of the same level differ at their border");
            // the west children of b, when fully morphed, meet patch a, which is not morphed
            let fine = &grandchildren[if k < 8 { 0 } else { 2 }];
            let i = 2 * (k % 8);
            let morphed = fine.texels[2 * (i * 17) + 1];
            if k < 16 {
                assert_eq!(morphed, a.own(k, 16), "a fine patch differs from the coarse patch at its border");
            }
        }
        // a fully morphed vertex with odd indices is at the preceding vertex with even indices
        let fine = &grandchildren[0];
        assert_eq!(fine.texels[2 * (3 * 17 + 5) + 1], b.own(1, 2));
    }

    /// Plateaus at 100 and 900 m, the second from κ = 0.6 on and the first up to κ = 0.2.
    #[test]
    fn a_level_of_detail_changes_with_the_distance() {
        use talweg::construction::operators::detail::DetailSettings;
        use talweg::construction::primitives::{disc::Disc, ground::ReliefStyle};
        use talweg::construction::{OperatorGroup, Piece, PieceKind, Tree};

        let plateau = |height: f32| {
            let level = Disc { radius: 30_000.0, core: 0.9, height, surface: ReliefStyle::Level, ..Disc::default() };
            Piece::new(PieceKind::Disc(level))
        };
        let settings = DetailSettings { from: 0.2, to: 0.6 };
        let terrain =
            Piece::new(PieceKind::Detail(OperatorGroup { settings, children: vec![plateau(100.0), plateau(900.0)] }));
        let tree = Arc::new(Tree { terrain, ..Tree::default() });
        let recipe = TreeRecipe { tree, seed: 3, level: 1.0, relief_over_size: 0.225, eroded: None };
        let tree_surface = Arc::new(TreeSurface::untouched(recipe));
        // patches of level 4 with 16 quads: 256 steps along the side, drawn at a quarter of the side
        let key = TileKey { level: 4, column: 5, row: 6 };
        let side = f64::from(SIDE_WORLD);
        let metres = |half: Option<f64>| {
            let by_distance = half.map(|half| DetailByDistance::new(half * side, 64.0));
            let seen = ViewSurface::new(tree_surface.clone(), by_distance);
            let patch = TilePatch::new(&seen, key, 16, None, || false).expect("not stopped");
            f64::from(patch.own(7, 9)[0]) / tree_surface.world_per_height_metre
        };
        // κ is 1, 0.5, 0.3 and 0.2
        for (half, height) in
            [(None, 900.0), (Some(0.25), 700.0), (Some(0.25 * (3.0f64 / 7.0).sqrt()), 300.0), (Some(0.125), 100.0)]
        {
            assert!((metres(half) - height).abs() < 0.1, "{half:?}: {} instead of {height}", metres(half));
        }
    }

    #[test]
    fn a_patch_computation_can_be_cancelled() {
        assert!(TilePatch::new(&seen(), TileKey::ROOT, 16, None, || true).is_none());
    }
}
