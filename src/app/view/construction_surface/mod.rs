//! A construction tree as the view evaluates it: at any position, at any level of detail, in world units.
//!
//! The construction tree itself uses metres on its own square. This module maps that square to the drawn square, and
//! scales the heights by the relief of the scene. As in the node `Construction`, sand and snow raise the surface, and
//! water has a depth. The level of detail κ follows from the number of samples along the square's side: 0 for
//! [`COARSEST`] samples, rising to 1 at [`FINEST`]. These numbers are low on purpose. The sample spacing alone already
//! excludes noise wavelengths that the samples cannot resolve. Even a terrain that is only a few hundred pixels wide on
//! screen must have full detail.

pub mod adaptive;
pub mod eroded;
pub mod trace;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DVec3, Vec3};

use self::eroded::{ErodedGround, ErodedTree};
use super::mode::ViewMode;
use super::scale::SIDE_WORLD;
use talweg::construction::gpu_buffer::Buffer;
use talweg::construction::{
    Area, Capsule, Detail, GroundSample, LANES, MaterialLayer, NodeSelection, PointRow, Program, RowSamples, THRESHOLD,
    Tree, changed_area,
};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::nodes::generators::construction::Construction;
use talweg::scene::{Layer, NotSoleConstruction, Scene};

/// Number of samples along the square's side up to which κ is 0. The second constant is the number from which κ is 1.
const COARSEST: f64 = 4.0;
const FINEST: f64 = 128.0;

/// The inputs from which a [`TreeSurface`] is made.
#[derive(Clone, Debug)]
pub struct TreeRecipe {
    pub tree: Arc<Tree>,
    pub seed: u32,
    /// Factor of the level of detail κ, which is also its greatest value.
    pub level: f32,
    pub relief_over_size: f32,
    /// The construction tree with the terrain after the layers above it, if there are such layers.
    pub eroded: Option<ErodedTree>,
}

/// Why the construction tree of a scene cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The scene has no visible construction layer.
    NoTree,
    /// Other generators, a mask or a blend change the construction layer with this index.
    OtherLayers(usize),
    /// Layers above the construction layer with this index change its terrain, but rays evaluate only the construction
    /// tree.
    Eroded(usize),
    /// The graphics card has no storage buffers.
    NoStorage,
    /// The construction tree has more nested operators, or more 32-bit words, than the graphics card accepts.
    TooLarge,
    /// The scene is a planet, but construction trees describe flat terrain.
    Planet,
}

impl Unsupported {
    /// The message that the view shows for this reason.
    pub fn text(self) -> &'static str {
        match self {
            Self::NoTree => "This view mode needs a visible Construction layer. The grid is drawn instead.",
            Self::OtherLayers(_) => {
                "Other generators, a mask or a blend change the terrain of the construction tree. The grid is drawn instead."
            }
            Self::Eroded(_) => {
                "Layers above the construction tree change the terrain, but sphere tracing shows only the tree. The grid is drawn instead; adaptive tessellation shows all layers."
            }
            Self::NoStorage => {
                "This graphics card has no storage buffers, which sphere tracing needs. The grid is drawn instead; adaptive tessellation works."
            }
            Self::TooLarge => {
                "The construction tree is too deep or too large to be traced on the graphics card. The grid is drawn instead; adaptive tessellation works."
            }
            Self::Planet => "A planet cannot be drawn from a construction tree. Its grid is drawn instead.",
        }
    }
}

impl TreeRecipe {
    /// The recipe of a scene that shows a construction. Filters and erosion layers may follow it, unless `mode` traces
    /// rays. Such layers need `terrain`, the result of all layers; the function returns `None` while `terrain` is
    /// missing.
    ///
    /// # Errors
    /// If there is no construction, or if any other layer contributes to the terrain.
    pub fn from_scene(
        scene: &Scene,
        mode: ViewMode,
        terrain: Option<&Arc<Terrain>>,
    ) -> Result<Option<Self>, Unsupported> {
        if scene.is_planet() {
            return Err(Unsupported::Planet);
        }
        let is_alone = scene.only_construction().is_ok();
        let (index, construction) = scene.construction_below().map_err(|why| match why {
            NotSoleConstruction::NoConstruction => Unsupported::NoTree,
            NotSoleConstruction::Modified(index) => Unsupported::OtherLayers(index),
        })?;
        if mode.traces() && !is_alone {
            return Err(Unsupported::Eroded(index));
        }
        let layer = &scene.layers[index];
        let eroded = match terrain {
            _ if is_alone => None,
            None => return Ok(None),
            Some(terrain) => {
                let layers = vec![Layer { depth: 0, ..layer.clone() }];
                Some(ErodedTree {
                    construction_scene: Arc::new(Scene { layers, ..scene.clone() }),
                    terrain: terrain.clone(),
                })
            }
        };
        Ok(Some(Self {
            tree: construction.tree.clone(),
            seed: Construction::seed(scene.random(layer)),
            level: construction.detail,
            relief_over_size: scene.settings.relief_over_size(),
            eroded,
        }))
    }

    /// Whether both recipes have the same construction tree, regardless of the layers above it.
    fn is_same_tree(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tree, &other.tree)
            && (self.seed, self.level, self.relief_over_size) == (other.seed, other.level, other.relief_over_size)
    }

    pub fn is_same(&self, other: &Self) -> bool {
        let is_same_ground = match (&self.eroded, &other.eroded) {
            (None, None) => true,
            (Some(ours), Some(theirs)) => Arc::ptr_eq(&ours.terrain, &theirs.terrain),
            _ => false,
        };
        is_same_ground && self.is_same_tree(other)
    }
}

/// The surface at one position, in world units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    pub height: f64,
    /// Depth of the water over the terrain; negative where the terrain is dry.
    pub depth: f64,
}

/// A construction tree prepared for drawing. Immutable.
#[derive(Debug)]
pub struct TreeSurface {
    /// Serial number of this tree surface. No two tree surfaces share a number.
    pub serial: u64,
    pub recipe: TreeRecipe,
    pub program: Arc<Program>,
    eroded: Option<ErodedGround>,
    whole_selection: NodeSelection,
    /// World units per metre of the construction tree, horizontally. The next field is the vertical scale.
    pub world_per_metre: f64,
    pub world_per_height_metre: f64,
    /// The construction tree encoded as 32-bit words for the graphics card.
    pub buffer: Buffer,
    /// Lower and upper bound of all heights of the surface, in world units.
    pub range_world: [f32; 2],
}

impl TreeSurface {
    /// Prepares a construction tree. The preparation takes milliseconds, or no time if the tree is already compiled. A
    /// tree with erosion layers is also evaluated on the grid, unless `before` already holds these heights.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn new(recipe: TreeRecipe, before: Option<&Self>, control: &Control) -> Result<Self, Cancelled> {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let program = Program::shared(&recipe.tree, recipe.seed);
        let side = f64::from(SIDE_WORLD);
        let square = Area { low: [0.0; 2], high: [program.side; 2] };
        let everything = program.selection(&square);
        let rise = f64::from(recipe.relief_over_size) * side / program.relief;
        let whole = |material, base| {
            program.bounds_in(&everything, material, &Capsule::area(&square), &Detail::EVERY_LEVEL).surface(base).0
        };
        let mut range = whole(MaterialLayer::Terrain, program.ground);
        for material in [MaterialLayer::Sand, MaterialLayer::Snow] {
            range.high += whole(material, 0.0).high.max(0.0);
        }
        let known =
            before.filter(|before| before.recipe.is_same_tree(&recipe)).and_then(|before| before.eroded.as_ref());
        let eroded = recipe
            .eroded
            .as_ref()
            .map(|eroded| ErodedGround::new(eroded, known.map(ErodedGround::tree), control))
            .transpose()?;
        if let Some(eroded) = &eroded {
            let [low, high] = <[f32; 2]>::from(eroded.range()).map(|h| f64::from(h) * program.relief);
            (range.low, range.high) = (range.low.min(low), range.high.max(high));
        }
        Ok(Self {
            buffer: program.to_buffer(),
            range_world: [range.low, range.high].map(|z| (z * rise).clamp(-1e6, 1e6) as f32),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            whole_selection: everything,
            world_per_metre: side / program.side,
            world_per_height_metre: rise,
            program,
            eroded,
            recipe,
        })
    }

    /// The construction tree of a scene that has no other visible layer.
    #[cfg(test)]
    pub fn without_layers(scene: &Scene) -> Self {
        let recipe = TreeRecipe::from_scene(scene, ViewMode::Adaptive, None).expect("a tree").expect("alone");
        Self::untouched(recipe)
    }

    #[cfg(test)]
    pub fn untouched(recipe: TreeRecipe) -> Self {
        Self::new(recipe, None, &Control::default()).expect("never cancelled")
    }

    pub fn has_water(&self) -> bool {
        match &self.eroded {
            Some(eroded) => eroded.has_water(),
            None => self.program.has(MaterialLayer::Water),
        }
    }

    /// The level of detail for samples `spacing_world` apart.
    pub fn detail(&self, spacing_world: f64) -> Detail {
        let along = f64::from(SIDE_WORLD) / spacing_world;
        let level = ((along / COARSEST).log2() / (FINEST / COARSEST).log2()).clamp(0.0, 1.0);
        Detail { level: level * f64::from(self.recipe.level), spacing: spacing_world / self.world_per_metre }
    }

    /// Converts a world position to a position on the construction tree's own square.
    fn tree_position(&self, flat_world: [f64; 2]) -> [f64; 2] {
        flat_world.map(|at| at / self.world_per_metre + 0.5 * self.program.side)
    }

    /// The primitives of the construction tree that touch a rectangle in world space.
    pub fn selection(&self, low_world: [f64; 2], high_world: [f64; 2]) -> NodeSelection {
        self.program.selection(&Area { low: self.tree_position(low_world), high: self.tree_position(high_world) })
    }

    /// The surface at a position, computed only from the primitives of `selection`.
    pub fn sample_in(&self, selection: &NodeSelection, flat_world: [f64; 2], detail: &Detail) -> Sample {
        let p = self.tree_position(flat_world);
        if let Some(eroded) = &self.eroded {
            let tree = || self.program.surface_with_sand_and_snow_in(selection, p, detail);
            return self.sample_on(eroded, p, detail, tree);
        }
        let height = self.program.surface_with_sand_and_snow_in(selection, p, detail);
        let depth = if self.has_water() {
            depth_of(&self.program.sample_in::<false>(selection, MaterialLayer::Water, p, detail), height)
        } else {
            DRY
        };
        Sample { height: height * self.world_per_height_metre, depth: depth * self.world_per_height_metre }
    }

    /// The surface along a row of up to [`LANES`] positions, bit for bit equal to [`sample_in`](Self::sample_in).
    pub fn row_in(
        &self,
        selection: &NodeSelection,
        flat_world: &[[f64; 2]],
        detail: &Detail,
        out: &mut impl Extend<Sample>,
    ) {
        let n = flat_world.len();
        let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
        for (k, at) in flat_world.iter().enumerate() {
            [xs[k], ys[k]] = self.tree_position(*at);
        }
        let row = PointRow { xs: &xs[..n], ys: &ys[..n] };
        let mut heights = [0.0; LANES];
        if let Some(eroded) = &self.eroded {
            if self.has_detail(eroded, detail) {
                self.program.covered_row(selection, row, detail, &mut heights);
            }
            out.extend((0..n).map(|k| self.sample_on(eroded, [xs[k], ys[k]], detail, || heights[k])));
            return;
        }
        self.program.covered_row(selection, row, detail, &mut heights);
        let mut lanes = RowSamples::NOTHING;
        let has_water = self.has_water();
        if has_water {
            self.program.row_in(selection, MaterialLayer::Water, row, detail, &mut lanes);
        }
        out.extend((0..n).map(|k| {
            let depth = if has_water { depth_of(&lanes.sample(k), heights[k]) } else { DRY };
            Sample { height: heights[k] * self.world_per_height_metre, depth: depth * self.world_per_height_metre }
        }));
    }

    /// Whether the requested spacing is finer than the grid, so that the construction tree must add detail to the grid.
    fn has_detail(&self, eroded: &ErodedGround, detail: &Detail) -> bool {
        detail.spacing < eroded.cell() * self.program.side
    }

    /// The eroded surface at the position `p` on the construction tree's square. `tree` returns the height of the tree
    /// itself at this position, in metres.
    fn sample_on(&self, eroded: &ErodedGround, p: [f64; 2], detail: &Detail, tree: impl Fn() -> f64) -> Sample {
        let grid = eroded.sample(p.map(|at| at / self.program.side));
        let detail_metres = if self.has_detail(eroded, detail) {
            let raised = (grid.eroded - grid.tree) * self.program.relief;
            let shown = ErodedGround::shown_detail(raised / (eroded.cell() * self.program.side));
            shown * (tree() - grid.tree * self.program.relief)
        } else {
            0.0
        };
        let height = grid.eroded * self.program.relief + detail_metres;
        let depth = grid.depth.map_or(DRY, |depth| depth * self.program.relief - detail_metres);
        Sample { height: height * self.world_per_height_metre, depth: depth * self.world_per_height_metre }
    }

    /// The surface at a horizontal position in world space.
    pub fn sample(&self, flat_world: [f64; 2], detail: &Detail) -> Sample {
        self.sample_in(&self.whole_selection, flat_world, detail)
    }

    /// Height of the terrain or of the water surface at a position, whichever is higher. Outside the square, this is
    /// the height at the nearest edge.
    pub fn floor_world(&self, at: Vec3, spacing_world: f64) -> f32 {
        let half = 0.5 * f64::from(SIDE_WORLD);
        let flat = [f64::from(at.x).clamp(-half, half), f64::from(at.z).clamp(-half, half)];
        let sample = self.sample(flat, &self.detail(spacing_world));
        (sample.height + sample.depth.max(0.0)) as f32
    }

    /// Distance along a ray to the terrain. Each step is half the height above the terrain, so the search needs few
    /// evaluations. The search can miss features thinner than a step. For mouse picking, this is accurate enough.
    pub fn pick(&self, origin: Vec3, direction: Vec3, highest_world: f32) -> Option<f32> {
        const MOST_STEPS: usize = 160;
        let (origin, direction) = (origin.as_dvec3(), direction.as_dvec3().normalize());
        let half = 0.5 * f64::from(SIDE_WORLD);
        let (mut from, mut to) = (0.0f64, f64::INFINITY);
        for axis in [0, 2] {
            let (o, d) = (origin[axis], direction[axis]);
            if d == 0.0 && o.abs() > half {
                return None;
            }
            if d != 0.0 {
                let (a, b) = ((-half - o) / d, (half - o) / d);
                (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
            }
        }
        let top = f64::from(highest_world) + 1.0;
        if origin.y > top {
            if direction.y >= 0.0 {
                return None;
            }
            from = from.max((top - origin.y) / direction.y);
        }
        let above = |t: f64| {
            let p: DVec3 = origin + direction * t;
            p.y - self.sample([p.x, p.z], &self.detail((2e-3 * t).max(1e-6))).height
        };
        let mut t = from;
        if t > 0.0 && t < to && above(t) < -1e-3 {
            return None; // the ray entered through a side wall of the terrain block
        }
        for _ in 0..MOST_STEPS {
            if t >= to {
                return None;
            }
            let height = above(t);
            let tolerance = 1e-4 * t + 1e-6;
            if height <= tolerance {
                return Some(t as f32);
            }
            t += (0.5 * height).max(tolerance);
        }
        Some(t as f32)
    }

    /// The rectangle in world space in which this surface differs from `before`; `None` if both are equal.
    pub fn changed_from(&self, before: &Self) -> Option<[[f64; 2]; 2]> {
        let all = Some([[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]]);
        let is_eroded = self.eroded.is_some() || before.eroded.is_some();
        if (self.recipe.level, self.world_per_height_metre) != (before.recipe.level, before.world_per_height_metre)
            || is_eroded
        {
            return all;
        }
        let area = changed_area(&before.program, &self.program)?;
        let world = |p: [f64; 2]| p.map(|at| (at - 0.5 * self.program.side) * self.world_per_metre);
        Some([world(area.low), world(area.high)])
    }
}

/// Depth, in metres, that stands for "no water".
const DRY: f64 = -50.0;

/// Depth of the water at a position; see [`Sample::depth`].
fn depth_of(water: &GroundSample, height: f64) -> f64 {
    if water.weight <= 0.0 {
        return DRY;
    }
    let depth = water.height - height;
    let missing = THRESHOLD - water.weight;
    if missing > 0.0 { depth.min(0.0) + DRY * missing / THRESHOLD } else { depth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::construction::presets;
    use talweg::nodes::Node;
    use talweg::scene::{Layer, Settings};

    pub fn scene(name: &str) -> Scene {
        talweg::scene::example(name).expect("a built-in example").scene.clone()
    }

    fn evaluated(scene: &Scene, samples: usize) -> Arc<Terrain> {
        let mut store = talweg::eval::Store::forgetful();
        talweg::eval::evaluate(scene, samples, None, &mut store, &Control::default()).expect("never cancelled").terrain
    }

    #[test]
    fn terrain_without_a_tree_is_refused() {
        let recipe = |scene: &Scene, mode| TreeRecipe::from_scene(scene, mode, None).map(|recipe| recipe.is_some());
        let adaptive = |scene: &Scene| recipe(scene, ViewMode::Adaptive);
        let mut scene = scene("paper-004-fig-12-craters");
        assert_eq!(adaptive(&scene), Ok(true));
        let node = |name: &str| Layer::new(Node::named(name).expect("a node"), 3);
        scene.layers.push(node("Thermal"));
        assert_eq!(adaptive(&scene), Ok(false), "the recipe waits for the terrain");
        assert_eq!(recipe(&scene, ViewMode::Traced), Err(Unsupported::Eroded(0)));
        scene.layers.push(node("Perlin"));
        assert_eq!(adaptive(&scene), Err(Unsupported::OtherLayers(0)));
        scene.layers[1].enabled = false;
        scene.layers[2].enabled = false;
        assert_eq!(recipe(&scene, ViewMode::Traced), Ok(true));
        scene.layers[0].mask.by_height = true;
        assert_eq!(adaptive(&scene), Err(Unsupported::OtherLayers(0)));
        scene.layers[0].enabled = false;
        assert_eq!(adaptive(&scene), Err(Unsupported::NoTree));
    }

    #[test]
    fn eroded_terrain_has_grid_heights_and_tree_detail_between() {
        let mut scene = scene("paper-004-fig-03-river-in-rough-relief");
        scene.layers.push(Layer::new(Node::named("Thermal").expect("a node"), 3));
        const N: usize = 129;
        let terrain = evaluated(&scene, N);
        let recipe = TreeRecipe::from_scene(&scene, ViewMode::Adaptive, Some(&terrain)).expect("a tree").expect("made");
        let eroded = TreeSurface::untouched(recipe.clone());
        scene.layers.pop();
        let (plain, tree_on_grid) = (TreeSurface::without_layers(&scene), evaluated(&scene, N));
        let relief_world = f64::from(scene.settings.relief_over_size() * SIDE_WORLD);
        let cell_world = f64::from(SIDE_WORLD) / (N - 1) as f64;
        let at = |k: usize, by: [f64; 2]| {
            let cells = [k % N, k / N];
            [0, 1].map(|axis| (cells[axis] as f64 + by[axis]) * cell_world - 0.5 * f64::from(SIDE_WORLD))
        };
        let (coarse, as_grid, fine) = (eroded.detail(4.0 * cell_world), eroded.detail(cell_world), eroded.detail(0.01));
        // sums of roughness. `cut`: over incised cells, the roughness of the construction tree and its change by
        // erosion. `buried`: over buried cells, the roughness before and after
        let (mut cut, mut buried) = ([0.0f64; 2], [0.0f64; 2]);
        for k in (0..N * N).filter(|k| k % N != N - 1 && k / N != N - 1) {
            let wanted = f64::from(terrain.height[k]) * relief_world;
            for detail in [&coarse, &as_grid] {
                let apart = (eroded.sample(at(k, [0.0; 2]), detail).height - wanted).abs();
                assert!(apart < 1e-4, "{k}: {apart} beside a sample");
            }
            let here = at(k, [0.5; 2]);
            let roughness = |surface: &TreeSurface| {
                let height = |e: f64| surface.sample([here[0] + e * cell_world, here[1]], &fine).height;
                height(0.05) + height(-0.05) - 2.0 * height(0.0)
            };
            let (with, without) = (roughness(&eroded), roughness(&plain));
            // height changes by erosion and deposition at the four corners of the cell, as multiples of the cell size
            let raised = [0, 1, N, N + 1].map(|by| terrain.height[k + by] - tree_on_grid.height[k + by]);
            let raised = raised.map(|by| f64::from(by) * relief_world / cell_world);
            if raised.iter().all(|by| *by <= 0.0) {
                cut = [cut[0] + without.abs(), cut[1] + (with - without).abs()];
            } else if raised.iter().all(|by| *by > 1.5 * eroded::BURYING_CELLS) {
                buried = [buried[0] + without.abs(), buried[1] + with.abs()];
            }
        }
        assert!(cut[0] > 0.0 && cut[1] < 0.2 * cut[0], "{cut:?}");
        assert!(buried[0] > 0.0 && buried[1] < 0.3 * buried[0], "{buried:?}");
        // a second surface reuses the heights of the construction tree on the grid
        let again = TreeSurface::new(recipe, Some(&eroded), &Control::default()).expect("never cancelled");
        let tree = |surface: &TreeSurface| surface.eroded.as_ref().expect("eroded").tree().clone();
        assert!(Arc::ptr_eq(&tree(&again), &tree(&eroded)));
    }

    #[test]
    fn a_row_has_the_bits_of_its_points() {
        for name in ["paper-004-fig-12-craters", "paper-004-fig-22-oasis", "paper-004-fig-03-river-in-rough-relief"] {
            let tree_surface = TreeSurface::without_layers(&scene(name));
            let (low, side) = ([-140.0, 60.0], 220.0);
            let selection = tree_surface.selection(low, low.map(|at| at + side));
            let detail = tree_surface.detail(side / 34.0);
            for i in 0..35 {
                let row: Vec<[f64; 2]> = (0..35)
                    .map(|j| [low[0] + side * f64::from(j) / 34.0, low[1] + side * f64::from(i) / 34.0])
                    .collect();
                let mut samples = Vec::new();
                tree_surface.row_in(&selection, &row, &detail, &mut samples);
                for (at, sample) in row.iter().zip(&samples) {
                    let alone = tree_surface.sample_in(&selection, *at, &detail);
                    assert_eq!((sample.height, sample.depth), (alone.height, alone.depth), "{name} {at:?}");
                }
            }
        }
    }

    #[test]
    fn the_surface_has_the_heights_of_the_node() {
        for name in ["paper-004-fig-12-craters", "paper-004-fig-22-oasis", "paper-004-fig-21-mountain-road"] {
            let scene = scene(name);
            let (terrain, tree_surface) = (evaluated(&scene, 129), TreeSurface::without_layers(&scene));
            let spacing = f64::from(SIDE_WORLD) / 128.0;
            // use the level of detail κ that the node `Construction` uses
            let detail = Detail { level: f64::from(tree_surface.recipe.level), ..tree_surface.detail(spacing) };
            let relief_world = scene.settings.relief_over_size() * SIDE_WORLD;
            for k in 0..129 * 129 {
                let flat = [(k % 129) as f64 * spacing - 500.0, (k / 129) as f64 * spacing - 500.0];
                let sample = tree_surface.sample(flat, &detail);
                let height = terrain.height[k] * relief_world;
                assert!((sample.height - f64::from(height)).abs() < 1e-4, "{name} {k}: {} {height}", sample.height);
                let water = terrain.map(talweg::field::MapKind::Water).map_or(0.0, |map| map[k] * relief_world);
                assert!(
                    (sample.depth.max(0.0) - f64::from(water)).abs() < 1e-4,
                    "{name} {k}: {} {water}",
                    sample.depth
                );
            }
        }
    }

    #[test]
    fn rays_end_on_the_ground() {
        let recipe = TreeRecipe {
            tree: presets::volcano(),
            seed: 7,
            level: 1.0,
            relief_over_size: Settings::default().relief_over_size(),
            eroded: None,
        };
        let tree_surface = TreeSurface::untouched(recipe);
        let detail = tree_surface.detail(1.0);
        for k in 0..400 {
            let flat = [f64::from(k % 20) * 47.3 - 470.0, f64::from(k / 20) * 47.9 - 470.0];
            let sample = tree_surface.sample(flat, &detail);
            let from = Vec3::new(flat[0] as f32, 600.0, 500.0);
            let down = (Vec3::new(flat[0] as f32, sample.height as f32, flat[1] as f32) - from).normalize();
            if let Some(t) = tree_surface.pick(from, down, 300.0) {
                let p = from + down * t;
                let ground = tree_surface.floor_world(p, 1e-2);
                assert!((p.y - ground).abs() < 3.0 || ground > p.y, "{p} {ground}");
            }
        }
    }
}
