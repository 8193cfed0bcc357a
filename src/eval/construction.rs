//! Incremental evaluation of constructions: only samples that an edit can have changed are computed again.
//!
//! The result equals a full computation bit for bit. [`changed_area`] contains every position that can differ, and no
//! sample depends on another sample. If a scene consists of a single construction, a small change during a drag is
//! computed at full size ([`Constructions::is_small_change`]). Layers above a construction are always computed again in
//! full.

use std::sync::Arc;

use crate::construction::compiled_program::fill::region_of_area;
use crate::construction::{PieceMaterial, Program, Tree, changed_area};
use crate::field::{Cancelled, Region, Terrain};
use crate::nodes::Context;
use crate::nodes::generators::construction::Construction;
use crate::scene::{Layer, Scene};

/// Maximum number of cached construction results: one for the preview and one for the full size.
const MOST: usize = 2;
/// During a drag, a change that affects more than this fraction of the samples is computed as a preview.
const WIDEST: f64 = 0.3;

/// The last result of a construction on a grid.
struct FilledConstruction {
    construction: Construction,
    seed: u32,
    program: Arc<Program>,
    terrain: Arc<Terrain>,
}

/// Cached results of the latest evaluated constructions, newest first.
#[derive(Default)]
pub struct Constructions {
    made: Vec<FilledConstruction>,
    /// Difference between the latest result of a construction and the previous result of the same construction.
    pub newest: Option<ChangedRegion>,
    /// Whether a construction was generated since this flag was last set to false.
    pub has_run: bool,
}

/// The difference between a terrain and an earlier one.
#[derive(Clone, Debug)]
pub struct ChangedRegion {
    /// The earlier terrain.
    pub before: Arc<Terrain>,
    /// The samples that may differ.
    pub region: Region,
}

impl FilledConstruction {
    fn fits(&self, construction: &Construction, seed: u32, samples: usize) -> bool {
        let (old, new) = (&self.construction, construction);
        let terrain = &self.terrain;
        let same_grid = terrain.samples() == samples && terrain.grid.has_edge();
        same_grid && self.seed == seed && old.detail == new.detail && writes_same_maps(&old.tree, &new.tree)
    }

    /// The compiled program of a construction, and the region of the terrain that differs from the cached result.
    fn region(&self, construction: &Construction, seed: u32) -> (Arc<Program>, Region) {
        let program = Program::shared(&construction.tree, seed);
        let region = changed_area(&self.program, &program).map_or(Region { rows: 0..0, columns: 0..0 }, |area| {
            region_of_area(&area.grown(program.side * 1e-6), self.terrain.grid, program.side)
        });
        (program, region)
    }
}

/// Whether both construction trees write the same maps.
fn writes_same_maps(a: &Tree, b: &Tree) -> bool {
    let lays = |tree: &Tree| {
        crate::construction::MaterialLayer::ALL.map(|material| tree.root(material).map(|root| root.hidden))
    };
    let is_made_of = |tree: &Tree| PieceMaterial::COVERING.map(|material| tree.is_made_of(material));
    a.frame == b.frame && lays(a) == lays(b) && is_made_of(a) == is_made_of(b)
}

impl Constructions {
    /// Returns the terrain of the construction. Only samples that differ from a cached result are computed.
    ///
    /// # Errors
    /// If the computation was cancelled; the cached results then stay unchanged.
    pub fn generate(&mut self, construction: &Construction, cx: &Context) -> Result<Terrain, Cancelled> {
        self.has_run = true;
        self.newest = None;
        let seed = Construction::seed(cx.random);
        let known = self.made.iter().position(|made| made.fits(construction, seed, cx.grid.samples));
        if let Some(k) = known.filter(|_| cx.grid.has_edge()) {
            let (program, region) = self.made[k].region(construction, seed);
            let before = self.made[k].terrain.clone();
            let mut terrain = Terrain::clone(&before);
            construction.regenerate(&program, &region, cx, &mut terrain)?;
            self.made.remove(k);
            self.remember(construction, seed, program, Arc::new(terrain.clone()));
            self.newest = Some(ChangedRegion { before, region });
            return Ok(terrain);
        }
        let mut terrain = Terrain::flat(cx.grid);
        crate::nodes::Generator::generate(construction, cx, &mut terrain)?;
        if cx.grid.has_edge() {
            self.remember(construction, seed, construction.program(cx), Arc::new(terrain.clone()));
        }
        Ok(terrain)
    }

    fn remember(&mut self, construction: &Construction, seed: u32, program: Arc<Program>, terrain: Arc<Terrain>) {
        self.made.retain(|made| made.terrain.samples() != terrain.samples());
        self.made.insert(0, FilledConstruction { construction: construction.clone(), seed, program, terrain });
        self.made.truncate(MOST);
    }

    /// Makes the newest cached result share the memory of `terrain`. The cached result equals `terrain`, which has
    /// other owners as well.
    pub fn reuse_allocation(&mut self, terrain: &Arc<Terrain>) {
        if let Some(made) = self.made.first_mut().filter(|made| made.terrain.samples() == terrain.samples()) {
            made.terrain = terrain.clone();
        }
    }

    /// Whether the change from the cached result to this scene is small enough to be computed at full size right away.
    pub fn is_small_change(&self, scene: &Scene) -> bool {
        let Some((layer, construction)) = sole_construction(scene) else { return false };
        let seed = Construction::seed(scene.random(layer));
        let samples = scene.samples();
        let made = self.made.iter().find(|made| made.fits(construction, seed, samples));
        made.is_some_and(|made| {
            let (_, region) = made.region(construction, seed);
            (region.len() as f64) < WIDEST * (samples * samples) as f64
        })
    }
}

/// The construction that makes the whole terrain of the scene. `None` if other layers contribute or the edges wrap.
pub fn sole_construction(scene: &Scene) -> Option<(&Layer, &Construction)> {
    let grid = scene.grid(scene.samples());
    let (index, construction) = scene.only_construction().ok().filter(|_| grid.has_edge())?;
    Some((&scene.layers[index], construction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construction::edit::PiecePath;
    use crate::construction::edit::reshape::Similarity;
    use crate::construction::{MaterialLayer, presets};
    use crate::eval::{Store, evaluate};
    use crate::field::{Control, Edges};
    use crate::nodes::Node;

    fn scene(tree: &Arc<Tree>) -> Scene {
        let mut scene = Scene::default();
        scene.settings.resolution = 129;
        let node = Node::Construction(Construction { tree: tree.clone(), ..Construction::default() });
        scene.layers.push(Layer::new(node, 3));
        scene
    }

    #[test]
    fn a_moved_piece_gives_the_bits_of_a_full_evaluation() {
        for (name, preset) in presets::all() {
            let mut store = Store::default();
            let mut tree = (*preset).clone();
            let run =
                |scene: &Scene, store: &mut Store| evaluate(scene, 129, None, store, &Control::default()).unwrap();
            run(&scene(&Arc::new(tree.clone())), &mut store);
            for k in 0..6 {
                // The edited primitive is the last and most deeply nested node of the tree of one material layer. The
                // loop takes each material layer in turn.
                let materials: Vec<MaterialLayer> =
                    MaterialLayer::ALL.into_iter().filter(|t| tree.root(*t).is_some()).collect();
                let mut path = PiecePath::material(materials[k % materials.len()]);
                while let Some(last) = path.piece(&tree).map(|piece| piece.children().len()).filter(|&count| count > 0)
                {
                    path = path.child(last - 1);
                }
                let piece = path.piece_mut(&mut tree).unwrap();
                *piece = Similarity::shift([310.0, -170.0 * k as f64]).applied(piece);
                let changed = scene(&Arc::new(tree.clone()));
                let live = run(&changed, &mut store);
                let fresh = run(&changed, &mut Store::forgetful());
                assert_eq!(live.terrain, fresh.terrain, "{name}, edit {k}");
                let patch = live.patch.expect("only a part was computed");
                let n = 129;
                for (cell, (a, b)) in live.terrain.height.iter().zip(&patch.before.height).enumerate() {
                    let inside = patch.region.rows.contains(&(cell / n)) && patch.region.columns.contains(&(cell % n));
                    assert!(inside || a == b, "{name}: cell {cell} differs and is not in {:?}", patch.region);
                }
            }
        }
    }

    #[test]
    fn only_a_construction_alone_is_shown_at_full_size() {
        let plain = scene(&presets::moon());
        assert!(sole_construction(&plain).is_some());
        let mut more = plain.clone();
        more.layers.push(Layer::new(Node::named("Thermal").unwrap(), 1));
        assert!(sole_construction(&more).is_none());
        more.layers[1].enabled = false;
        assert!(sole_construction(&more).is_some());
        more.settings.edges = Edges::Wrap;
        assert!(sole_construction(&more).is_none());
        let store = Store::default();
        assert!(!store.constructions.is_small_change(&plain), "no earlier result exists");
    }
}
