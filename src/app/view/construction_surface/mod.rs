//! A construction tree as the view asks it: in units of the world that is drawn, at any place, as finely as wanted.
//!
//! The tree answers in metres of its own square; here its square is the one that is drawn, and its heights count in the
//! relief of the scene, as in the node `Construction`: sand and snow raise the ground, water has a depth.
//! The level of detail κ follows the distance between the samples: 0 where the square has [`COARSEST`] of them along a
//! side, 1 from [`FINEST`] on. That is few: waves too short for the samples are left out by the distance itself, and
//! what is as large on the screen as a thumb shall have all of its forms.

pub mod adaptive;
pub mod trace;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DVec3, Vec3};

use super::scale::SIDE_WORLD;
use talweg::construction::gpu_buffer::Buffer;
use talweg::construction::{
    Area, Capsule, Detail, GroundSample, LANES, MaterialLayer, NodeSelection, PointRow, Program, RowSamples, THRESHOLD,
    Tree, changed_area,
};
use talweg::nodes::generators::construction::Construction;
use talweg::scene::{NotAlone, Scene};

/// Samples along a side at which a tree shows its plain forms, and from which on everything.
const COARSEST: f64 = 4.0;
const FINEST: f64 = 128.0;

/// What a tree surface is made of.
#[derive(Clone, Debug)]
pub struct TreeRecipe {
    pub tree: Arc<Tree>,
    pub seed: u32,
    /// Greatest level of detail.
    pub level: f32,
    pub relief_over_size: f32,
}

/// Why a scene cannot be shown by its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// There is no construction.
    NoTree,
    /// What is seen is not the tree of this layer alone.
    NotAlone(usize),
    /// The graphics card has no storage buffers.
    NoStorage,
    /// The tree has more operators in each other, or more words, than the graphics card takes.
    TooLarge,
    /// Trees are of a flat ground.
    Planet,
}

impl Unsupported {
    /// What is said over the view.
    pub fn text(self) -> &'static str {
        match self {
            Self::NoTree => {
                "This way of looking needs a Construction layer, and the scene shows none: the grid is drawn instead."
            }
            Self::NotAlone(_) => {
                "Other layers, a mask or a mix change what the tree makes: the grid is drawn instead of the tree."
            }
            Self::NoStorage => {
                "This graphics card has no storage buffers, which sphere tracing needs: the grid is drawn instead. Adaptive tessellation works."
            }
            Self::TooLarge => {
                "The tree is too deep or too large to be traced on the graphics card: the grid is drawn instead. Adaptive tessellation works."
            }
            Self::Planet => "A planet is not drawn from a tree: its grid is drawn instead.",
        }
    }
}

impl TreeRecipe {
    /// The recipe of a scene that shows a construction and nothing else.
    ///
    /// # Errors
    /// When there is none, or more than that.
    pub fn from_scene(scene: &Scene) -> Result<Self, Unsupported> {
        if scene.as_planet().is_some() {
            return Err(Unsupported::Planet);
        }
        let (index, construction) = scene.only_construction().map_err(|why| match why {
            NotAlone::NoConstruction => Unsupported::NoTree,
            NotAlone::Beside(index) => Unsupported::NotAlone(index),
        })?;
        Ok(Self {
            tree: construction.tree.clone(),
            seed: Construction::seed(scene.random(&scene.layers[index])),
            level: construction.detail,
            relief_over_size: scene.settings.relief_over_size(),
        })
    }

    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tree, &other.tree)
            && (self.seed, self.level, self.relief_over_size) == (other.seed, other.level, other.relief_over_size)
    }
}

/// The ground at one place, in units of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    pub height: f64,
    /// Slope to the east and to the south, as tangents.
    pub slope: [f64; 2],
    /// How far the water stands over the ground; below 0 where it is dry.
    pub depth: f64,
}

/// A tree ready to be drawn. Never changes.
#[derive(Debug)]
pub struct TreeSurface {
    /// Different for every one made.
    pub serial: u64,
    pub recipe: TreeRecipe,
    pub program: Arc<Program>,
    everything: NodeSelection,
    /// World units in a metre of the tree, along the ground and upwards.
    pub per_metre: f64,
    pub rise: f64,
    /// The tree as words.
    pub buffer: Buffer,
    /// No ground is lower or higher.
    pub range_world: [f32; 2],
}

impl TreeSurface {
    /// Takes milliseconds, unless evaluation or picking has compiled the tree.
    pub fn new(recipe: TreeRecipe) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let program = Program::shared(&recipe.tree, recipe.seed);
        let side = f64::from(SIDE_WORLD);
        let square = Area { low: [0.0; 2], high: [program.side; 2] };
        let everything = program.selection(&square);
        let rise = f64::from(recipe.relief_over_size) * side / program.relief;
        let whole = |material, base| {
            program.bounds_in(&everything, material, &Capsule::area(&square), &Detail::FULL).surface(base).0
        };
        let mut range = whole(MaterialLayer::Terrain, program.ground);
        for material in [MaterialLayer::Sand, MaterialLayer::Snow] {
            range.high += whole(material, 0.0).high.max(0.0);
        }
        Self {
            buffer: program.to_buffer(),
            range_world: [range.low, range.high].map(|z| (z * rise).clamp(-1e6, 1e6) as f32),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            everything,
            per_metre: side / program.side,
            rise,
            program,
            recipe,
        }
    }

    pub fn has_water(&self) -> bool {
        self.program.has(MaterialLayer::Water)
    }

    /// The detail of samples `spacing` apart.
    pub fn detail(&self, spacing_world: f64) -> Detail {
        let along = f64::from(SIDE_WORLD) / spacing_world;
        let level = ((along / COARSEST).log2() / (FINEST / COARSEST).log2()).clamp(0.0, 1.0);
        Detail { level: level * f64::from(self.recipe.level), spacing: spacing_world / self.per_metre }
    }

    /// A place of the world on the tree's square.
    fn place(&self, flat_world: [f64; 2]) -> [f64; 2] {
        flat_world.map(|at| at / self.per_metre + 0.5 * self.program.side)
    }

    /// The pieces that touch a square of the world.
    pub fn selection(&self, low_world: [f64; 2], high_world: [f64; 2]) -> NodeSelection {
        self.program.selection(&Area { low: self.place(low_world), high: self.place(high_world) })
    }

    /// The ground at a place, asking only the pieces of a selection.
    pub fn sample_in(&self, selection: &NodeSelection, flat_world: [f64; 2], detail: &Detail) -> Sample {
        let p = self.place(flat_world);
        let ground = self.program.sample_in::<true>(selection, MaterialLayer::Terrain, p, detail);
        let (mut height, mut slope) = ground.surface(self.program.ground);
        for material in [MaterialLayer::Sand, MaterialLayer::Snow] {
            if self.program.has(material) {
                let (laid, dlaid) = self.program.sample_in::<true>(selection, material, p, detail).surface(0.0);
                if laid > 0.0 {
                    height += laid;
                    slope = [slope[0] + dlaid[0], slope[1] + dlaid[1]];
                }
            }
        }
        let steep = self.rise / self.per_metre;
        let depth = if self.has_water() { self.depth(selection, p, height, detail) } else { DRY };
        Sample { height: height * self.rise, slope: slope.map(|s| s * steep), depth: depth * self.rise }
    }

    /// The same without slopes along a row of up to [`LANES`] places, with the same bits.
    pub fn level_row_in(
        &self,
        selection: &NodeSelection,
        flat_world: &[[f64; 2]],
        detail: &Detail,
        out: &mut impl Extend<Sample>,
    ) {
        let n = flat_world.len();
        let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
        for (k, at) in flat_world.iter().enumerate() {
            [xs[k], ys[k]] = self.place(*at);
        }
        let row = PointRow { xs: &xs[..n], ys: &ys[..n] };
        let mut lanes = RowSamples::NOTHING;
        let mut heights = [0.0; LANES];
        self.program.covered_row(selection, row, detail, &mut heights);
        let has_water = self.has_water();
        if has_water {
            self.program.row_in(selection, MaterialLayer::Water, row, detail, &mut lanes);
        }
        out.extend((0..n).map(|k| {
            let depth = if has_water { depth_of(&lanes.sample(k), heights[k]) } else { DRY };
            Sample { height: heights[k] * self.rise, slope: [0.0; 2], depth: depth * self.rise }
        }));
    }

    /// Metres of water over the ground. Where the tree has no water it is dry, the more so the less water there is: the
    /// edge of a piece of water is where its weight ends.
    fn depth(&self, selection: &NodeSelection, p: [f64; 2], height: f64, detail: &Detail) -> f64 {
        depth_of(&self.program.sample_in::<false>(selection, MaterialLayer::Water, p, detail), height)
    }

    /// The ground at a place.
    pub fn sample(&self, flat_world: [f64; 2], detail: &Detail) -> Sample {
        self.sample_in(&self.everything, flat_world, detail)
    }

    /// Height of what carries the eye at a place: ground or water. Beyond the square, that of its edge.
    pub fn floor_world(&self, at: Vec3, spacing_world: f64) -> f32 {
        let half = 0.5 * f64::from(SIDE_WORLD);
        let flat = [f64::from(at.x).clamp(-half, half), f64::from(at.z).clamp(-half, half)];
        let sample = self.sample(flat, &self.detail(spacing_world));
        (sample.height + sample.depth.max(0.0)) as f32
    }

    /// Distance along a ray of length 1 to the ground, found with few heights: steps of half the height over it, which
    /// may miss what is thinner than they are. For the mouse, that will do.
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
            return None; // through a side of the block
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

    /// The square of the world in which this ground differs from that of `before`; `None` if there is none.
    pub fn changed_from(&self, before: &Self) -> Option<[[f64; 2]; 2]> {
        let all = Some([[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]]);
        if (self.recipe.level, self.rise) != (before.recipe.level, before.rise) {
            return all;
        }
        let area = changed_area(&before.program, &self.program)?;
        let world = |p: [f64; 2]| p.map(|at| (at - 0.5 * self.program.side) * self.per_metre);
        Some([world(area.low), world(area.high)])
    }
}

/// Depth, in metres, where there is no water at all.
const DRY: f64 = -50.0;

/// See [`TreeSurface::depth`].
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
        talweg::scene::example(name).expect("a shipped scene").scene.clone()
    }

    #[test]
    fn only_a_tree_alone_can_be_shown() {
        let mut scene = scene("paper-004-fig-12-craters");
        assert!(TreeRecipe::from_scene(&scene).is_ok());
        let is_other = |node: &Node| !matches!(node, Node::Construction(_));
        let other = Node::catalogue().into_iter().find(is_other).expect("there are other nodes");
        scene.layers.push(Layer::new(other, 3));
        assert_eq!(TreeRecipe::from_scene(&scene).err(), Some(Unsupported::NotAlone(0)));
        scene.layers[1].enabled = false;
        assert!(TreeRecipe::from_scene(&scene).is_ok());
        scene.layers[0].mask.by_height = true;
        assert_eq!(TreeRecipe::from_scene(&scene).err(), Some(Unsupported::NotAlone(0)));
        scene.layers[0].enabled = false;
        assert_eq!(TreeRecipe::from_scene(&scene).err(), Some(Unsupported::NoTree));
    }

    #[test]
    fn a_row_has_the_bits_of_its_places() {
        for name in ["paper-004-fig-12-craters", "paper-004-fig-22-oasis", "paper-004-fig-03-river-in-rough-relief"] {
            let tree_surface = TreeSurface::new(TreeRecipe::from_scene(&scene(name)).expect("a tree alone"));
            let (low, side) = ([-140.0, 60.0], 220.0);
            let selection = tree_surface.selection(low, low.map(|at| at + side));
            let detail = tree_surface.detail(side / 34.0);
            for i in 0..35 {
                let row: Vec<[f64; 2]> = (0..35)
                    .map(|j| [low[0] + side * f64::from(j) / 34.0, low[1] + side * f64::from(i) / 34.0])
                    .collect();
                let mut samples = Vec::new();
                tree_surface.level_row_in(&selection, &row, &detail, &mut samples);
                for (at, sample) in row.iter().zip(&samples) {
                    let alone = tree_surface.sample_in(&selection, *at, &detail);
                    assert_eq!((sample.height, sample.depth), (alone.height, alone.depth), "{name} {at:?}");
                }
            }
        }
    }

    #[test]
    fn it_is_the_ground_that_the_node_makes() {
        for name in ["paper-004-fig-12-craters", "paper-004-fig-22-oasis", "paper-004-fig-21-mountain-road"] {
            let scene = scene(name);
            let evaluated = talweg::eval::evaluate(
                &scene,
                129,
                None,
                &mut talweg::eval::Store::forgetful(),
                &talweg::field::Control::default(),
            )
            .expect("nobody stops it");
            let terrain = evaluated.terrain;
            let tree_surface = TreeSurface::new(TreeRecipe::from_scene(&scene).expect("a tree alone"));
            let spacing = f64::from(SIDE_WORLD) / 128.0;
            // κ as the node has it
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
    fn slopes_are_those_of_the_heights_and_rays_end_on_the_ground() {
        let recipe = TreeRecipe {
            tree: presets::volcano(),
            seed: 7,
            level: 1.0,
            relief_over_size: Settings::default().relief_over_size(),
        };
        let tree_surface = TreeSurface::new(recipe);
        let detail = tree_surface.detail(1.0);
        let mut apart = 0;
        for k in 0..400 {
            let flat = [f64::from(k % 20) * 47.3 - 470.0, f64::from(k / 20) * 47.9 - 470.0];
            let sample = tree_surface.sample(flat, &detail);
            let e = 1e-4;
            for axis in 0..2 {
                let step = |by: f64| {
                    let mut at = flat;
                    at[axis] += by;
                    tree_surface.sample(at, &detail).height
                };
                apart += usize::from(((step(e) - step(-e)) / (2.0 * e) - sample.slope[axis]).abs() > 1e-2);
            }
            let from = Vec3::new(flat[0] as f32, 600.0, 500.0);
            let down = (Vec3::new(flat[0] as f32, sample.height as f32, flat[1] as f32) - from).normalize();
            if let Some(t) = tree_surface.pick(from, down, 300.0) {
                let p = from + down * t;
                let ground = tree_surface.floor_world(p, 1e-2);
                assert!((p.y - ground).abs() < 3.0 || ground > p.y, "{p} {ground}");
            }
        }
        assert!(apart < 8, "{apart}");
    }
}
