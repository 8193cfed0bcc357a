//! The evaluation plan of a scene: its active layers, and the groups that start and end between them. Each layer has a
//! key of everything that its result depends on.

use std::collections::HashMap;

use super::{BaseTerrain, ContentKey, Playhead, context, readable_source};
use crate::brush::Strokes;
use crate::construction::Tree;
use crate::field::{Control, Voids};
use crate::io::{formats::ReadOptions, raster};
use crate::mesh::raster_or_mesh;
use crate::nodes::filters::group::GroupGround;
use crate::nodes::multiscale::LargestScale;
use crate::nodes::{Node, Process};
use crate::param::{ParamKind, ParamSpec, Params, Value};
use crate::scene::{Layer, LayerReader, ProcessSegment, ReferenceSource, Scene, Settings, SourceId, TerrainAttribute};

/// The terrain from which a group, or the lowest layer of a group, starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupBase {
    /// The base terrain of the scene.
    Start,
    /// Level ground.
    Level,
    /// The result of a layer.
    LayerResult(ContentKey),
}

/// An active layer, with the keys of its results.
pub(super) struct LayerStep<'a> {
    pub index: usize,
    pub layer: &'a Layer,
    /// Groups that start before this layer, outermost first. Each group stores the current terrain. Its layers continue
    /// from that terrain or from level ground.
    pub opens: Vec<GroupGround>,
    /// For each group that contains this layer and is still open after it, the terrain below the group. The outermost
    /// group is first.
    pub open: Vec<GroupBase>,
    /// Key of the terrain below the layer.
    pub terrain_below: ContentKey,
    /// Key of the layer's result.
    pub result: ContentKey,
    /// Stages of a process on this grid, in order.
    pub stages: Vec<ProcessStage<'a>>,
    /// The step after which the playhead stops a generator. `None` if the generator is complete.
    pub generator_step: Option<u32>,
    /// Whether the process has already run on a coarser grid.
    pub is_refined: bool,
    /// Whether the process runs from coarse to fine and continues on finer grids after this one.
    pub is_level: bool,
    /// Whether the playhead is on this grid or a coarser one, so that the change on this grid is temporary.
    pub is_temporary: bool,
    /// Whether the playhead is before the end of its process or generator, and this layer is that layer or above it.
    /// The result is then an intermediate state and is not cached.
    pub transient: bool,
    /// Whether the layer is above a process or generator that the playhead stops before its end. The key frames of this
    /// layer are then not cached.
    pub is_above_playhead: bool,
}

/// A stage of a process. The parameters are constant during a stage.
pub(super) struct ProcessStage<'a> {
    pub process: &'a dyn Process,
    /// Key of the stage; the number of iterations is not part of it.
    pub key: ContentKey,
    /// Iterations of the stage on this grid.
    pub iterations: u32,
}

/// The steps of all active layers, from the lowest layer up.
pub(super) fn plan(scene: &Scene, samples: usize, playhead: Option<Playhead>) -> Vec<LayerStep<'_>> {
    plan_with(scene, None, samples, playhead, &mut HashMap::new())
}

/// Like [`plan`], on the base terrain `base`. `sources` holds known keys of terrains that references read, so that the
/// function follows each chain of references only once.
pub(super) fn plan_with<'a>(
    scene: &'a Scene,
    base: Option<&BaseTerrain>,
    samples: usize,
    playhead: Option<Playhead>,
    sources: &mut HashMap<SourceId, u128>,
) -> Vec<LayerStep<'a>> {
    let settings = &scene.settings;
    let mut key = base_key(scene, base, samples);
    let level = key.join(b"level ground");
    let control = Control::default();
    let mut transient = false;
    let mut steps = Vec::new();
    let (mut ground, mut opens, mut open) = (GroupBase::Start, Vec::new(), Vec::new());
    for (index, layer) in scene.layers.iter().enumerate() {
        for group in scene.groups_beginning_at(index).into_iter().filter_map(|group| scene.group(group)) {
            opens.push(group.ground);
            open.push((ground, key));
            if group.ground == GroupGround::Level {
                (ground, key) = (GroupBase::Level, level);
            }
        }
        // A group that does not blend with the terrain below changes nothing itself, so it is skipped.
        let is_opened = scene.group(index).is_some() && !scene.blends_with_below(index);
        if is_opened || !scene.is_shown(index) || !layer.node.fits(scene.settings.world) {
            continue;
        }
        let (above, beneath) = (transient, key);
        if scene.blends_with_below(index)
            && let Some((_, below)) = open.pop()
        {
            key = key.join(b"on").join(&below.bits().to_le_bytes());
        }
        let cx = context(scene, samples, layer, &control);
        let is_on_the_way = |p: &Playhead| scene.timeline_end(index).is_some_and(|end| p.iteration < end);
        let stop = playhead.filter(|p| p.layer == index).filter(is_on_the_way).map(|p| p.iteration);
        transient |= stop.is_some();
        let (mut left, generator_step) = match layer.node.as_process() {
            Some(_) => (stop, None),
            None => (None, stop),
        };
        let mut stages: Vec<ProcessStage> = Vec::new();
        let mut node = node_key(key, &layer.node, layer.seed, settings);
        if let Some(source) = readable_source(scene, LayerReader::Node(index)) {
            node = node.join(&source_key(&source, base, samples, sources).to_le_bytes());
        }
        if let Some(step) = generator_step {
            node = node.join(b"step").join(&step.to_le_bytes());
        }
        let levels = layer.levels(samples);
        let finest = levels.len().saturating_sub(1);
        let mut gone = key;
        for (k, (level, on_level)) in levels.into_iter().enumerate() {
            for ProcessSegment { node: stage_node, process, iterations } in on_level {
                let run = left.map_or(iterations, |left| left.min(iterations));
                left = left.map(|left| left - run);
                if run == 0 && (k < finest || !stages.is_empty()) {
                    continue; // the playhead is before this stage
                }
                node = node_key(gone, stage_node, layer.seed, settings);
                if k < finest {
                    gone = node.join(&(level.samples as u64).to_le_bytes()).join(&run.to_le_bytes());
                    continue;
                }
                let iterations = match layer.multiscale().largest {
                    LargestScale::OneGrid => {
                        cx.iterations(run, process.pace()).min(cx.iterations(iterations, process.pace()))
                    }
                    _ => run,
                };
                stages.push(ProcessStage { process, key: node, iterations });
                gone = stages.last().map_or(gone, ProcessStage::result);
            }
        }
        key = layer_key(stages.last().map_or(node, ProcessStage::result), layer, settings);
        if let Some(source) = readable_source(scene, LayerReader::Mask(index)) {
            key = key.join(&source_key(&source, base, samples, sources).to_le_bytes());
        }
        let is_level = layer.multiscale().largest.samples().is_some_and(|coarsest| coarsest <= samples);
        let (is_refined, is_cut) = (finest > 0, left == Some(0));
        ground = GroupBase::LayerResult(key);
        steps.push(LayerStep {
            index,
            layer,
            opens: std::mem::take(&mut opens),
            open: open.iter().map(|(base, _)| *base).collect(),
            terrain_below: beneath,
            result: key,
            stages,
            generator_step,
            is_refined,
            is_level,
            is_temporary: is_cut,
            transient,
            is_above_playhead: above,
        });
    }
    steps
}

/// Key of the base terrain of a scene, below its lowest layer.
fn base_key(scene: &Scene, base: Option<&BaseTerrain>, samples: usize) -> ContentKey {
    let settings = &scene.settings;
    let mut key = ContentKey::start(&[
        &(scene.grid(samples).samples as u64).to_le_bytes(),
        &settings.resolution.to_le_bytes(),
        &[settings.edges as u8],
        &settings.size_metres.to_le_bytes(),
        &settings.relief_metres.to_le_bytes(),
        &settings.seed.to_le_bytes(),
    ]);
    if settings.voids != Voids::Cross {
        key = key.join(b"land ends at voids");
    }
    if let Some(planet) = scene.as_planet() {
        key = key.join(&planet.radius_metres.to_le_bytes()).join(&planet.atmosphere.to_le_bytes());
    }
    if let Some(base) = base {
        key = key.join(&base.hash().to_le_bytes());
    }
    key
}

/// Key of the terrain or of the mask that a reference reads.
fn source_key(
    source: &ReferenceSource,
    base: Option<&BaseTerrain>,
    samples: usize,
    sources: &mut HashMap<SourceId, u128>,
) -> u128 {
    if let Some(&known) = sources.get(&source.id) {
        return known;
    }
    let base = base.filter(|_| !source.is_foreign());
    let result = plan_with(&source.scene, base, samples, None, sources).last().map(|step| step.result);
    let key = match source.mask() {
        None => result.map_or(0, ContentKey::bits),
        Some(index) => {
            let layer = &source.scene.layers[index];
            let below = result.unwrap_or_else(|| base_key(&source.scene, base, samples));
            let below = below.join(b"mask").join(&layer.seed.to_le_bytes());
            let mut key = layer_key(below, layer, &source.scene.settings);
            if let Some(read) = readable_source(&source.scene, LayerReader::Mask(index)) {
                key = key.join(&source_key(&read, base, samples, sources).to_le_bytes());
            }
            key.bits()
        }
    };
    sources.insert(source.id.clone(), key);
    key
}

impl LayerStep<'_> {
    /// Key of the change of a process on this grid and all coarser ones.
    pub fn change_key(&self) -> Option<ContentKey> {
        Some(self.stages.last()?.result().join(b"change"))
    }
}

impl ProcessStage<'_> {
    /// Key of the result of the stage, after its last iteration.
    pub fn result(&self) -> ContentKey {
        self.key.join(&self.iterations.to_le_bytes())
    }
}

/// Key of the node's result on the terrain below; the number of iterations is not part of it.
pub(super) fn node_key(beneath: ContentKey, node: &Node, seed: u32, settings: &Settings) -> ContentKey {
    let about = node.about();
    let mut key =
        beneath.join(about.name.as_bytes()).join(&node.traits().version.to_le_bytes()).join(&seed.to_le_bytes());
    for (k, spec) in about.params.iter().enumerate() {
        if !is_reference(&spec.kind) && (spec.name != "iterations" || node.as_process().is_none()) {
            key = param_key(key, spec, &node.params().get(k), node.read_options());
        }
    }
    for name in node.file_dependencies() {
        key = key.join(&raster(&name).map_or(0, |raster| raster.hash).to_le_bytes());
    }
    let reads_sea_level = node.traits().reads_sea_level_in(settings.world);
    if reads_sea_level { key.join(&settings.sea_level.to_le_bytes()) } else { key }
}

/// Key after adding the parameters of a group to `key`.
pub(super) fn node_values_key(key: ContentKey, group: &dyn Params) -> ContentKey {
    let specs = group.about().params.iter().enumerate();
    specs.fold(key, |key, (k, spec)| param_key(key, spec, &group.get(k), ReadOptions::default()))
}

/// Key after adding a parameter to `key`; a file is added by its contents, not its name.
pub(super) fn param_key(key: ContentKey, spec: &ParamSpec, value: &Value, layout: ReadOptions) -> ContentKey {
    let key = match value.structured::<Strokes>() {
        // The hash of strokes is already known, and their text may be long.
        Some(strokes) => key.join(&strokes.key().to_le_bytes()),
        None => key.join(spec.show(value).as_bytes()),
    };
    match (&spec.kind, value) {
        (ParamKind::Image, Value::Text(name)) if !name.is_empty() => {
            key.join(&raster_or_mesh(name, layout).map_or(0, |raster| raster.hash).to_le_bytes())
        }
        (ParamKind::Strokes, strokes) => strokes
            .structured::<Strokes>()
            .iter()
            .flat_map(|strokes| strokes.image_files())
            .fold(key, |key, file| key.join(&raster(&file.0).map_or(0, |raster| raster.hash).to_le_bytes())),
        (ParamKind::Tree, tree) => tree
            .structured::<Tree>()
            .iter()
            .flat_map(|tree| tree.image_files())
            .fold(key, |key, file| key.join(&raster(&file.0).map_or(0, |raster| raster.hash).to_le_bytes())),
        _ => key,
    }
}

/// Whether a parameter names another layer. The result of that layer is hashed, not its name.
fn is_reference(kind: &ParamKind) -> bool {
    matches!(kind, ParamKind::Layer | ParamKind::Scene)
}

fn layer_key(node: ContentKey, layer: &Layer, settings: &Settings) -> ContentKey {
    let mut key = node;
    for group in [&layer.mix as &dyn Params, &layer.mask] {
        for (k, spec) in group.about().params.iter().enumerate() {
            // An unused picture is not hashed.
            let counts = match spec.kind {
                ParamKind::Image => layer.mask.by_image,
                _ => !is_reference(&spec.kind),
            };
            if counts {
                key = param_key(key, spec, &group.get(k), ReadOptions::default());
            }
        }
    }
    // Settings that the maps depend on which the mask reads.
    if layer.mask.reads_flow() {
        key = key.join(&settings.sea_level.to_le_bytes());
    }
    match layer.mask.attribute_read() {
        Some(TerrainAttribute::DaySunshine) => {
            key.join(&settings.latitude.to_le_bytes()).join(&settings.day.to_le_bytes())
        }
        Some(TerrainAttribute::YearSunshine) => key.join(&settings.latitude.to_le_bytes()),
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Store, evaluate, scene_beneath, scene_up_to};
    use super::*;
    use crate::field::Terrain;
    use crate::scene::Blend;

    fn run(scene: &Scene, playhead: Option<Playhead>, store: &mut Store) -> Arc<Terrain> {
        evaluate(scene, scene.samples(), playhead, store, &Control::default()).unwrap().terrain
    }

    /// A scene of two generators, a filter, a group and another filter. `depths` holds the group depth of each layer.
    /// Each layer has its own seed.
    fn grouped(depths: [u32; 5]) -> Scene {
        let mut scene = Scene::default();
        scene.settings.resolution = 65;
        for (k, (name, depth)) in
            ["Perlin", "Ridged", "Terrace", "LayerGroup", "Blur"].into_iter().zip(depths).enumerate()
        {
            scene.layers.push(Layer { depth, ..Layer::new(Node::named(name).unwrap(), k as u32 + 1) });
        }
        scene.layers[1].mix.blend = Blend::Add;
        scene
    }

    #[test]
    fn a_plain_group_changes_no_bit() {
        let mut plain = grouped([0, 1, 1, 0, 0]);
        let whole = run(&plain, None, &mut Store::forgetful());
        plain.layers.remove(3);
        plain.clamp_depths();
        assert_eq!(whole, run(&plain, None, &mut Store::forgetful()));
        // A hidden group does not affect any key.
        let mut hidden = grouped([0, 1, 1, 0, 0]);
        hidden.layers[3].enabled = false;
        plain.layers.drain(1..3);
        assert_eq!(run(&hidden, None, &mut Store::forgetful()), run(&plain, None, &mut Store::forgetful()));
    }

    #[test]
    fn a_group_blends_its_result_over_the_terrain_below() {
        let fresh = |scene: &Scene| run(scene, None, &mut Store::forgetful());
        let mut scene = grouped([0, 1, 1, 0, 0]);
        scene.layers.truncate(4);
        let (inside, below) = (fresh(&scene), {
            let mut below = scene.clone();
            below.layers.truncate(1);
            fresh(&below)
        });
        scene.layers[3].mix.opacity = 0.25;
        let mixed = fresh(&scene);
        for k in 0..mixed.height.len() {
            let expected = below.height[k] + (inside.height[k] - below.height[k]) * 0.25;
            assert!((mixed.height[k] - expected).abs() < 1e-6, "{k}");
        }
        // A group that starts from level ground makes its own terrain, so every blend mode applies to it.
        scene.layers[3].mix.opacity = 1.0;
        scene.layers[3].mix.blend = Blend::Max;
        scene.set("4.ground=Level").unwrap();
        let mut alone = scene.clone();
        alone.layers.truncate(3);
        alone.layers.remove(0);
        alone.clamp_depths();
        let (alone, highest) = (fresh(&alone), fresh(&scene));
        for k in 0..highest.height.len() {
            assert_eq!(highest.height[k], alone.height[k].max(below.height[k]), "{k}");
        }
        assert!(highest.height.iter().zip(&below.height).any(|(a, b)| a != b));
        assert!(highest.height.iter().zip(&alone.height).any(|(a, b)| a != b));
        // The mask of a group reads the terrain below the group.
        scene.layers[3].mix.blend = Blend::Replace;
        scene.set("4.by_height=true").unwrap();
        scene.set("4.height_feather=0").unwrap();
        scene.set("4.height_to=100000").unwrap();
        let masked = fresh(&scene);
        for k in 0..masked.height.len() {
            let from = if below.height[k] * scene.settings.relief_metres >= scene.layers[3].mask.height_from {
                &alone
            } else {
                &below
            };
            assert!((masked.height[k] - from.height[k]).abs() < 1e-6, "{k}");
        }
        // A group without layers contains level ground.
        let mut empty = grouped([0, 0, 0, 0, 0]);
        empty.layers.drain(1..3);
        empty.set("2.ground=Level").unwrap();
        assert!(fresh(&empty).height.iter().all(|h| *h == 0.0));
    }

    #[test]
    fn nested_groups_give_the_same_bits_from_any_cache_state() {
        let mut scene = grouped([1, 2, 2, 1, 1]);
        scene.layers.push(Layer { depth: 0, ..Layer::new(Node::named("LayerGroup").unwrap(), 9) });
        scene.layers.push(Layer::new(Node::named("Levels").unwrap(), 10));
        scene.layers.insert(0, Layer { depth: 1, ..Layer::new(Node::named("Voronoi").unwrap(), 11) });
        scene.clamp_depths();
        assert_eq!(scene.layers.iter().map(|layer| layer.depth).collect::<Vec<_>>(), [1, 1, 2, 2, 1, 1, 0, 0]);
        for group in [4, 6] {
            scene.layers[group].mix.opacity = 0.5;
        }
        scene.set("7.ground=Level").unwrap();
        let mut store = Store::default();
        let mut check = |scene: &Scene, what: &str| {
            assert_eq!(run(scene, None, &mut store), run(scene, None, &mut Store::forgetful()), "{what}");
        };
        check(&scene, "whole");
        let edits = [
            "8.opacity=0.5",
            "7.opacity=0.75",
            "6.opacity=0.25",
            "5.opacity=0.75",
            "4.opacity=0.5",
            "3.opacity=0.5",
            "2.seed=77",
            "5.ground=Level",
            "7.ground=Below",
            "5.enabled=false",
            "5.enabled=true",
            "1.enabled=false",
        ];
        for edit in edits {
            scene.set(edit).unwrap();
            check(&scene, edit);
            for layer in (0..scene.layers.len()).rev() {
                check(&scene_up_to(&scene, layer), &format!("{edit}, up to {layer}"));
                check(&scene_beneath(&scene, layer), &format!("{edit}, beneath {layer}"));
            }
        }
    }

    #[test]
    fn an_erosion_in_a_group_plays_and_runs_multiscale() {
        let mut scene = grouped([0, 0, 0, 0, 0]);
        scene.settings.resolution = 129;
        scene.layers.truncate(1);
        scene.layers.push(Layer { depth: 1, ..Layer::new(Node::named("Thermal").unwrap(), 2) });
        scene.set("2.iterations=12").unwrap();
        scene.set("2.talus_angle=10").unwrap();
        scene.layers.insert(2, Layer::new(Node::named("LayerGroup").unwrap(), 7));
        scene.layers[2].mix.opacity = 0.5;
        let fresh = |scene: &Scene, playhead| run(scene, playhead, &mut Store::forgetful());
        let mut store = Store::default();
        for largest in ["OneGrid", "Samples33"] {
            let known = scene.set(&format!("2.largest_scale={largest}")).is_ok();
            for iteration in [3, 99, 0, 12, 7] {
                let playhead = Some(Playhead { layer: 1, iteration });
                assert_eq!(run(&scene, playhead, &mut store), fresh(&scene, playhead), "{largest} {iteration}");
            }
            assert!(known || largest != "OneGrid");
        }
        let whole = fresh(&scene, None);
        let mut below = scene.clone();
        below.layers.truncate(1);
        assert_ne!(whole, fresh(&below, None));
    }
}
