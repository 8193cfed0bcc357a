//! Evaluates the layers of a scene on one grid. Coarse-to-fine processes continue from the coarser grids.

use std::collections::HashMap;
use std::sync::Arc;

use super::mask::{self, MaskFields};
use super::multiscale::LevelChange;
use super::plan::{GroupBase, LayerStep, plan_with};
use super::run::{run_node, trunk_streams_to_keep};
use super::store::CachedPrefix;
use super::{BaseTerrain, Playhead, Store, context, mix, readable_source};
use crate::field::{Cancelled, Control, Edges, Grid, Terrain};
use crate::nodes::channels::trunk_streams::TrunkStreams;
use crate::nodes::filters::group::GroupGround;
use crate::nodes::multiscale::coarser_samples;
use crate::nodes::{Context, MassBalance, Node, ReadTerrain};
use crate::scene::{LayerReader, Scene, SourceId};

/// A scene to evaluate on one grid.
#[derive(Clone, Copy)]
pub(super) struct LevelTask<'a> {
    pub scene: &'a Scene,
    /// The terrain below the lowest layer; level ground at height 0 if there is none.
    pub base: Option<&'a BaseTerrain>,
    pub samples: usize,
    pub playhead: Option<Playhead>,
    /// If set, only the changes of processes up to this layer are computed, because a finer grid needs them. The
    /// terrain itself need not be computed.
    pub topmost: Option<usize>,
    /// Whether the scene comes from another file, so that its layers are not those that the user sees.
    pub is_foreign: bool,
    pub control: &'a Control,
}

/// Known terrains that references read, by identity.
pub(super) type SourceTerrains = HashMap<SourceId, Arc<Terrain>>;

/// The terrain that a reference reads, shared with other references.
pub(super) struct SharedSource {
    terrain: Arc<Terrain>,
    relief_metres: f32,
}

impl SharedSource {
    /// The terrain for the node or the mask that reads it.
    pub fn as_read(&self) -> ReadTerrain<'_> {
        ReadTerrain { terrain: &self.terrain, relief_metres: self.relief_metres }
    }
}

/// The result of an evaluation on one grid.
pub(super) struct LevelResult {
    pub terrain: Arc<Terrain>,
    /// Mass balances of the processes that ran, by layer index.
    pub mass_balances: Vec<(usize, MassBalance)>,
    /// Changes that coarse-to-fine processes made, by layer index.
    pub changes: HashMap<usize, LevelChange>,
}

impl<'a> LevelTask<'a> {
    /// The whole scene on its base terrain, without a playhead.
    pub fn whole(scene: &'a Scene, samples: usize, control: &'a Control) -> Self {
        Self { scene, base: None, samples, playhead: None, topmost: None, is_foreign: false, control }
    }

    /// Evaluates the layers, from the lowest up.
    ///
    /// # Errors
    /// If the evaluation was cancelled.
    pub fn evaluate(&self, store: &mut Store) -> Result<LevelResult, Cancelled> {
        self.evaluate_with(&mut HashMap::new(), store)
    }

    /// The terrain that `reader` reads, on this grid. If the reference reads a mask, the heights are its weights.
    /// `None` if the reference is not set or cannot be read. `sources` holds known terrains of references.
    ///
    /// # Errors
    /// If the evaluation was cancelled.
    pub fn read(
        &self,
        reader: LayerReader,
        sources: &mut SourceTerrains,
        store: &mut Store,
    ) -> Result<Option<SharedSource>, Cancelled> {
        let Some(source) = readable_source(self.scene, reader) else { return Ok(None) };
        let relief_metres = source.scene.settings.relief_metres;
        if let Some(terrain) = sources.get(&source.id) {
            return Ok(Some(SharedSource { terrain: terrain.clone(), relief_metres }));
        }
        let base = self.base.filter(|_| !source.is_foreign());
        let is_foreign = source.is_foreign();
        let level = LevelTask { scene: &source.scene, base, playhead: None, topmost: None, is_foreign, ..*self };
        let mut terrain = level.evaluate_with(sources, store)?.terrain;
        if let Some(layer) = source.mask() {
            terrain = Arc::new(level.mask(layer, &terrain, sources, store)?);
        }
        sources.insert(source.id, terrain.clone());
        Ok(Some(SharedSource { terrain, relief_metres }))
    }

    /// The weights of the mask of layer `index` on the terrain `beneath`, as heights.
    fn mask(
        &self,
        index: usize,
        beneath: &Terrain,
        sources: &mut SourceTerrains,
        store: &mut Store,
    ) -> Result<Terrain, Cancelled> {
        let layer = &self.scene.layers[index];
        let read = self.read(LayerReader::Mask(index), sources, store)?;
        let cx = context(self.scene, self.samples, layer, self.control);
        let read = read.as_ref().map(SharedSource::as_read);
        let mut made = Terrain::flat(cx.grid);
        let strokes = &mut store.strokes;
        let known = MaskFields::of_terrain(self.scene, &layer.mask, beneath, self.control)?;
        made.height = mask::weights(&cx, &layer.mask, beneath, read, strokes, known)?;
        Ok(made)
    }

    /// Like [`evaluate`](Self::evaluate). `sources` holds known terrains that references read.
    fn evaluate_with(&self, sources: &mut SourceTerrains, store: &mut Store) -> Result<LevelResult, Cancelled> {
        let mut steps = plan_with(self.scene, self.base, self.samples, self.playhead, &mut HashMap::new());
        steps.retain(|step| self.topmost.is_none_or(|topmost| step.index <= topmost));
        let mut changes = HashMap::new();
        let CachedPrefix { steps: first, result, bases } = self.known_result(&steps, &mut changes, store)?;
        let steps = &steps[first..];
        let mut coarse = self.coarser_changes(steps, store)?;
        let made = LevelResult { terrain: result, mass_balances: Vec::new(), changes };
        let mut run = LevelRun { level: self, store, sources, bases, made };
        for step in steps {
            run.add_layer(step, coarse.remove(&step.index))?;
        }
        self.control.check()?;
        Ok(run.made)
    }

    /// Finds the cached result among `steps` that is highest in the stack. If only changes are needed, the function
    /// adds the cached changes to `changes`, and the returned result is below all layers with uncached changes.
    fn known_result(
        &self,
        steps: &[LayerStep],
        changes: &mut HashMap<usize, LevelChange>,
        store: &mut Store,
    ) -> Result<CachedPrefix, Cancelled> {
        let mut most = steps.len();
        if self.topmost.is_some() {
            for (k, step) in steps.iter().enumerate().filter(|(_, step)| step.is_level) {
                match store.change(step) {
                    Some(change) => drop(changes.insert(step.index, change)),
                    None => most = most.min(k),
                }
            }
            if most == steps.len() {
                return Ok(CachedPrefix { steps: most, result: Arc::new(no_terrain()), bases: Vec::new() });
            }
        }
        let ground = |of| self.ground(of);
        match store.highest_known(&steps[..most], &ground)? {
            Some(known) => Ok(known),
            None => Ok(CachedPrefix { steps: 0, result: ground(GroupBase::Start)?, bases: Vec::new() }),
        }
    }

    /// Returns the changes that the processes of `steps` made on the next coarser grid, by layer index.
    fn coarser_changes(
        &self,
        steps: &[LayerStep],
        store: &mut Store,
    ) -> Result<HashMap<usize, LevelChange>, Cancelled> {
        let refined = steps.iter().rfind(|step| step.is_refined);
        let (Some(refined), Some(samples)) = (refined, coarser_samples(self.samples)) else {
            return Ok(HashMap::new());
        };
        Ok(Self { samples, topmost: Some(refined.index), ..*self }.evaluate(store)?.changes)
    }

    /// Reports the layer that is evaluated now, unless it is a layer of another scene.
    fn enter(&self, step: &LayerStep) {
        if !self.is_foreign {
            self.control.enter_layer(step.index);
        }
    }

    /// The terrain that `of` names, if it is not the result of a layer: the base terrain or level ground.
    fn ground(&self, of: GroupBase) -> Result<Arc<Terrain>, Cancelled> {
        let grid = self.scene.grid(self.samples);
        match (of, self.base) {
            (GroupBase::Start, Some(base)) => base.resampled_to(grid, self.control),
            _ => Ok(Arc::new(Terrain::flat(grid))),
        }
    }
}

/// A small placeholder, used where no terrain is needed.
fn no_terrain() -> Terrain {
    Terrain::flat(Grid::new(2, Edges::Open))
}

/// An evaluation on one grid, in progress.
struct LevelRun<'a> {
    level: &'a LevelTask<'a>,
    store: &'a mut Store,
    /// Known terrains that references read.
    sources: &'a mut SourceTerrains,
    /// The terrains below the open groups, outermost group first.
    bases: Vec<Arc<Terrain>>,
    /// The result of the layers evaluated so far.
    made: LevelResult,
}

impl LevelRun<'_> {
    /// Evaluates the next layer. `coarse` is the layer's change on the next coarser grid, if the layer ran there.
    fn add_layer(&mut self, step: &LayerStep, coarse: Option<LevelChange>) -> Result<(), Cancelled> {
        let LevelTask { scene, samples, topmost, control, .. } = *self.level;
        control.check()?;
        self.level.enter(step);
        let cx = context(scene, samples, step.layer, control);
        self.open_groups(step)?;
        let streams = coarse.as_ref().and_then(|coarse| coarse.streams.clone());
        let is_level = step.is_level && (topmost.is_some() || samples < scene.samples());
        // Drop our reference first. If nothing else owns the terrain, the erosion process then reuses it instead of
        // copying it.
        let given = match mix::is_opaque_process(step.layer) && !is_level {
            true => std::mem::replace(&mut self.made.terrain, Arc::new(no_terrain())),
            false => self.made.terrain.clone(),
        };
        let read = self.read(step, LayerReader::Node(step.index))?;
        let read = read.as_ref().map(SharedSource::as_read);
        let (mut result, mass_balance) = run_node(step, &cx, given, coarse, read, self.store)?;
        self.close_group(step, &cx, &mut result)?;
        if is_level {
            self.record_change(step, &cx, &result, mass_balance.unwrap_or_default(), streams)?;
        }
        let read = self.read(step, LayerReader::Mask(step.index))?;
        let known = MaskFields::of_terrain(scene, &step.layer.mask, &self.made.terrain, control)?;
        let strokes = &mut self.store.strokes;
        mix::apply_opacity_and_mask(
            &cx,
            step.layer,
            &self.made.terrain,
            read.as_ref().map(SharedSource::as_read),
            strokes,
            known,
            &mut result,
        )?;
        let mass_balance = mass_balance.filter(|_| !self.store.heights_only);
        self.made.mass_balances.extend(mass_balance.map(|balance| (step.index, balance)));
        self.made.terrain = Arc::new(result);
        if !step.transient && !self.store.transient {
            self.store.cache.insert(step.result, &self.made.terrain);
        }
        Ok(())
    }

    /// Stores the current terrain for each group that starts before this layer.
    fn open_groups(&mut self, step: &LayerStep) -> Result<(), Cancelled> {
        for begins in &step.opens {
            self.bases.push(self.made.terrain.clone());
            if *begins == GroupGround::Level {
                self.made.terrain = self.level.ground(GroupBase::Level)?;
            }
        }
        Ok(())
    }

    /// Blends the `result` of a group with the terrain below the group. Does nothing if this layer is not a group.
    fn close_group(&mut self, step: &LayerStep, cx: &Context, result: &mut Terrain) -> Result<(), Cancelled> {
        if matches!(step.layer.node, Node::LayerGroup(_))
            && let Some(base) = self.bases.pop()
        {
            self.made.terrain = base;
            mix::blend_generator(cx, &step.layer.mix, &self.made.terrain, result)?;
        }
        Ok(())
    }

    /// Records the change that a process made on this grid and all coarser grids; the process starts from it on a finer
    /// grid. `streams` are the trunk streams, if a coarser grid has already determined them.
    fn record_change(
        &mut self,
        step: &LayerStep,
        cx: &Context,
        result: &Terrain,
        mass_balance: MassBalance,
        streams: Option<Arc<TrunkStreams>>,
    ) -> Result<(), Cancelled> {
        let written = step.layer.node.traits().writes;
        let mut change = LevelChange::from_terrains(&self.made.terrain, result, written, mass_balance);
        change.streams = match streams {
            None => trunk_streams_to_keep(step.layer, cx, result)?,
            streams => streams,
        };
        if !step.is_temporary && !step.is_above_playhead && !self.store.transient {
            self.store.keep_change(step, &change);
        }
        self.made.changes.insert(step.index, change);
        Ok(())
    }

    /// The terrain that the node or the mask of this layer reads.
    fn read(&mut self, step: &LayerStep, reader: LayerReader) -> Result<Option<SharedSource>, Cancelled> {
        let read = self.level.read(reader, self.sources, self.store)?;
        if read.is_some() {
            self.level.enter(step);
        }
        Ok(read)
    }
}
