//! Estimates the memory of an evaluation before it starts.
//!
//! The unit is a field: one 4-byte number per sample. The estimate counts the terrain below a layer, the layer's
//! result, the working memory of its node ([`NodeMemory`](crate::nodes::NodeMemory)) and its mask. It also counts the
//! layers that masks read, and the results that the caller lets a [`Store`](super::Store) keep. A [`MemoryUse`]
//! describes what the caller does with the terrain afterwards. `tests/memory.rs` measures the evaluation and this later
//! use, and requires the estimate to be within 25 %. The memory of the editor's view is derived from the source code
//! and not measured.
//!
//! The estimate is compared with the [free memory](crate::io::memory::free_memory). A request that cannot fit is
//! refused with an explanation before anything is computed.

use std::collections::{BTreeSet, HashMap};

use super::{Cache, Timeline, mix, readable_source, unread_records};
use crate::field::{MAX_SAMPLES, MIN_SAMPLES, MapKind};
use crate::io::memory::{bytes_text, free_memory, resident_memory};
use crate::nodes::Node;
use crate::scene::{AttributeReach, Layer, LayerReader, Mask, Scene, SourceId, TerrainAttribute};
use crate::terrain_attributes::drainage;

/// Size in bytes of one value of a field.
const NUMBER: f64 = 4.0;
/// Bytes for threads, tables and the scene itself, at any resolution.
const PROGRAM_BYTES: f64 = (32 << 20) as f64;
/// Safety factor: the actual use can exceed the estimate by up to this factor.
const UNCERTAINTY: f64 = 1.25;

/// The purpose of an evaluated terrain, and the additional memory that this purpose needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUse {
    /// Fields at the terrain's resolution that are needed after the evaluation.
    pub fields: f64,
    /// Bytes independent of the resolution that are needed after the evaluation.
    pub bytes: f64,
    /// Bytes that are held during the evaluation as well as afterwards.
    pub constant_bytes: f64,
    /// Number of evaluations that run at the same time.
    pub parallel_evaluations: usize,
    /// Maximum bytes cached between evaluations: for results of layers, and for states of processes.
    pub kept: [usize; 2],
    /// Maximum number of samples per side (on a planet, per side of a face) that are drawn.
    pub most_drawn: usize,
    /// Whether the terrain is for the editor, which keeps one terrain on screen while it computes the next one.
    pub is_editor: bool,
    /// Whether only the heights are used. Mass balances and the maps that erosion processes
    /// [record](MapKind::EROSION_RECORDS) are then not computed, unless heights depend on them
    /// ([`Store::for_use`](super::Store::for_use)).
    pub heights_only: bool,
}

impl MemoryUse {
    /// The terrain itself, evaluated once; nothing else is computed from it.
    pub const TERRAIN: Self = Self {
        fields: 0.0,
        bytes: 0.0,
        constant_bytes: 0.0,
        parallel_evaluations: 1,
        kept: [0; 2],
        most_drawn: MAX_SAMPLES,
        is_editor: false,
        heights_only: false,
    };
    /// Writing the terrain to a file. The heights at no-data samples are filled in a copy of the terrain.
    pub const EXPORT: Self = Self { fields: 1.0, ..Self::TERRAIN };
    /// Computing the ground types of a terrain, or the colours of a planet.
    pub const COLOURS: Self = Self { fields: 8.0, ..Self::TERRAIN };
    /// Computing all measures of a terrain; the drainage needs most of the memory.
    pub const MEASURES: Self = Self { fields: 8.6, ..Self::TERRAIN };
    /// One 3D view of the terrain. Light, slopes and colours are held in memory before they are copied to the graphics
    /// card.
    pub const VIEW: Self = Self { fields: 18.0, most_drawn: 8192, constant_bytes: VIEW_BYTES, ..Self::TERRAIN };
    /// Showing the terrain in the editor. This includes results of layers, key frames, and two views: the terrain on
    /// screen and the next terrain.
    pub const EDITOR: Self =
        Self { fields: 24.0, kept: [Cache::DEFAULT_BYTES, Timeline::DEFAULT_BYTES], is_editor: true, ..Self::VIEW };

    /// Computing the temperature and moisture of `scene`.
    pub fn climate(scene: &Scene) -> Self {
        Self { fields: if scene.is_planet() { 6.7 } else { 2.1 }, ..Self::TERRAIN }
    }

    /// Drawing a picture of `scene`; `width` and `height` are in pixels.
    pub fn picture(scene: &Scene, width: usize, height: usize) -> Self {
        let (fields, each) = if scene.is_planet() { PLANET_PICTURE } else { TERRAIN_PICTURE };
        Self { fields, bytes: (width * height) as f64 * each, ..Self::TERRAIN }
    }

    /// Adds `bytes` to the bytes needed after the evaluation.
    #[must_use]
    pub fn with_bytes(self, bytes: f64) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }
}

/// Bytes that the engine, its shaders and the graphics driver need before any terrain is shown.
const VIEW_BYTES: f64 = (384 << 20) as f64;
/// Memory to draw and write a picture of a terrain: fields of the terrain, and bytes per pixel.
const TERRAIN_PICTURE: (f64, f64) = (1.0, 12.0);
/// Memory to draw a picture of a planet: fields of the terrain, and bytes per pixel. Slopes and colours are computed
/// for every sample.
const PLANET_PICTURE: (f64, f64) = (7.0, 3.2);

/// The error for an evaluation that was refused because its memory does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct NotEnoughMemory {
    /// Samples per side; on a planet, per side of a face.
    pub samples: usize,
    /// Maximum bytes of memory that the evaluation needs.
    pub needed: u64,
    /// Bytes of free memory.
    pub free: u64,
    /// Largest number of samples per side that fits into the free memory, if any.
    pub fits: Option<usize>,
}

impl std::fmt::Display for NotEnoughMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (needed, free) = (bytes_text(self.needed), bytes_text(self.free));
        write!(f, "At {} samples this needs up to {needed} of memory, but only {free} are free; ", self.samples)?;
        match self.fits {
            Some(samples) => write!(f, "{samples} fits"),
            None => f.write_str("no smaller size fits either"),
        }
    }
}

impl std::error::Error for NotEnoughMemory {}

/// Maximum bytes that `scene` needs at `samples` per side, from the start of its evaluation to the end of its use
/// `what`.
pub fn estimate(scene: &Scene, samples: usize, what: &MemoryUse) -> u64 {
    let samples = samples.max(MIN_SAMPLES);
    let bytes = |fields: f64, samples: usize| fields * NUMBER * scene.grid(samples).len() as f64;
    let unread = if what.heights_only { unread_records(scene) } else { Vec::new() };
    let made = evaluation(scene, what, &unread, &mut HashMap::new());
    let used = bytes(what.fields, samples.min(what.most_drawn));
    let after = bytes(made.result, samples) + used + what.bytes;
    let [cache, timeline] = what.kept.map(|bytes| bytes as f64);
    let kept =
        cache.min(bytes(made.cached, samples)) + timeline.min(bytes(made.frames, samples) + made.fixed_frame_bytes);
    // The previous terrain stays on screen while the next one is computed.
    let during = bytes(made.peak, samples) + made.fixed_bytes + if what.is_editor { used } else { 0.0 };
    ((during.max(after) + kept) * what.parallel_evaluations as f64 + what.constant_bytes) as u64
}

/// Bytes of free memory that an evaluation requires: the [estimate] times the safety factor.
pub fn needed_memory(scene: &Scene, samples: usize, what: &MemoryUse) -> u64 {
    (estimate(scene, samples, what) as f64 * UNCERTAINTY + PROGRAM_BYTES) as u64
}

/// Bytes of free memory, if the system reports them. For the editor this includes the memory that the editor already
/// holds, because the estimate counts it as well.
pub fn available_memory(what: &MemoryUse) -> Option<u64> {
    free_memory(if what.is_editor { resident_memory() } else { 0 })
}

/// Refuses an evaluation that does not fit into the free memory.
///
/// # Errors
/// If the evaluation needs more memory than is free; nothing has been computed yet.
pub fn check_memory(scene: &Scene, samples: usize, what: &MemoryUse) -> Result<(), NotEnoughMemory> {
    match available_memory(what) {
        Some(free) => check_free(scene, samples, what, free),
        None => Ok(()),
    }
}

/// [`check_memory`] with `free` bytes of free memory.
///
/// # Errors
/// If the evaluation needs more memory than `free`.
pub fn check_free(scene: &Scene, samples: usize, what: &MemoryUse, free: u64) -> Result<(), NotEnoughMemory> {
    let needed = needed_memory(scene, samples, what);
    if needed <= free {
        return Ok(());
    }
    let does_fit = |samples: usize| needed_memory(scene, samples, what) <= free;
    // The estimate grows with the number of samples, so a binary search works.
    let (mut fits, mut too_large) = (MIN_SAMPLES - 1, samples);
    while too_large - fits > 1 {
        let middle = fits + (too_large - fits) / 2;
        if does_fit(middle) { fits = middle } else { too_large = middle }
    }
    let round = if fits > ROUND { (fits - 1) / ROUND * ROUND + 1 } else { fits };
    Err(NotEnoughMemory { samples, needed, free, fits: (fits >= MIN_SAMPLES).then_some(round) })
}

/// Suggested numbers of samples are multiples of this number, plus 1.
const ROUND: usize = 128;

/// Memory of an evaluation, in fields.
#[derive(Clone, Copy, Debug)]
struct EvaluationFields {
    /// Maximum number of fields held at one time during the evaluation.
    peak: f64,
    /// Fields of the resulting terrain.
    result: f64,
    /// Fields of the cached results of all layers.
    cached: f64,
    /// Fields of the key frames of all processes. Each iteration has a key frame as large as the process result.
    frames: f64,
    /// Maximum bytes independent of the number of samples.
    fixed_bytes: f64,
    /// Bytes of key frames independent of the number of samples.
    fixed_frame_bytes: f64,
}

/// Counts the fields needed to evaluate the stack for `what`. The recorded maps in `unread` are not counted. `read`
/// holds the fields of each terrain that a reference reads.
fn evaluation(
    scene: &Scene,
    what: &MemoryUse,
    unread: &[MapKind],
    read: &mut HashMap<SourceId, f64>,
) -> EvaluationFields {
    let mut maps = BTreeSet::<u8>::new();
    let peak = 1.0 + read.values().sum::<f64>();
    let mut made =
        EvaluationFields { peak, result: 1.0, cached: 0.0, frames: 0.0, fixed_bytes: 0.0, fixed_frame_bytes: 0.0 };
    let mut held = 0.0;
    // The terrain below a group stays in memory until the group is blended with that terrain.
    let mut bases = Vec::new();
    for (index, layer) in scene.layers.iter().enumerate() {
        bases.extend(scene.groups_beginning_at(index).iter().map(|_| made.result));
        if !scene.is_shown(index) || !layer.node.fits(scene.settings.world) {
            continue;
        }
        let below = bases.iter().sum::<f64>();
        if scene.blends_with_below(index) {
            bases.pop();
        }
        let mut written: BTreeSet<u8> = written(scene, layer).collect();
        if layer.node.reference().is_some() && readable_source(scene, LayerReader::Node(index)).is_none() {
            written.clear(); // a layer that cannot read changes nothing
        }
        let leaves_out = layer.node.traits().memory.saved_without_records.is_some();
        written.retain(|map| !leaves_out || unread.iter().all(|&kind| kind as u8 != *map));
        let new = 1.0 + written.len() as f64;
        if let Some(source) = source_peak(scene, LayerReader::Node(index), what, unread, read) {
            made.peak = made.peak.max(below + made.result + source);
        }
        let beneath = below + made.result + read.values().sum::<f64>();
        let working = working_fields(scene, layer, what);
        let stages = layer.stages(scene.samples());
        // The result of one stage stays in memory while the next stage runs.
        let between = if stages.len() > 1 { new } else { 0.0 };
        let joined = if layer.node.makes_heights() && !maps.is_empty() { 1.0 } else { 0.0 };
        // The terrain below is released before an erosion process runs, if nothing else owns it.
        let given_back = if mix::is_opaque_process(layer) { 1.0 } else { 0.0 };
        let mut peak = beneath - given_back + new + between + working.max(joined);
        if let Some(source) = source_peak(scene, LayerReader::Mask(index), what, unread, read) {
            peak = peak.max(made.result + new + source);
        }
        let beneath = below + made.result + read.values().sum::<f64>();
        peak = peak.max(beneath + new + mask_fields(scene, layer));
        maps.extend(written);
        made.peak = made.peak.max(peak);
        made.result = 1.0 + maps.len() as f64;
        made.cached += new;
        for stage in &stages {
            let fixed = stage.node.traits().memory.fixed_bytes as f64;
            made.fixed_frame_bytes += 0.2 * fixed * f64::from(stage.iterations);
        }
        made.fixed_bytes = made.fixed_bytes.max(layer.node.traits().memory.fixed_bytes as f64);
        let levels = layer.levels(scene.samples());
        let full = scene.grid(scene.samples()).len() as f64;
        for (level, stages) in &levels {
            let share = scene.grid(level.samples).len() as f64 / full;
            made.frames += stages.iter().map(|stage| f64::from(stage.iterations)).sum::<f64>() * new * share;
        }
        if levels.len() > 1 {
            // The change on the coarser grid stays in memory until the process starts. The change on this grid needs
            // memory until the process starts on the next finer grid.
            held += new / 4.0;
            made.peak = made.peak.max(beneath + new + 1.5);
        }
    }
    made.peak += held;
    made
}

/// Peak fields of the evaluation of the terrain that `reader` reads, if it reads one that is not in `read` yet. Adds
/// the fields of its result to `read`. The peak includes the results of layers that were read earlier.
fn source_peak(
    scene: &Scene,
    reader: LayerReader,
    what: &MemoryUse,
    unread: &[MapKind],
    read: &mut HashMap<SourceId, f64>,
) -> Option<f64> {
    let source = readable_source(scene, reader).filter(|source| !read.contains_key(&source.id))?;
    let made = evaluation(&source.scene, what, unread, read);
    let mask = source.mask().map(|layer| 1.0 + mask_fields(&source.scene, &source.scene.layers[layer]));
    read.insert(source.id, if mask.is_some() { 1.0 } else { made.result });
    Some(made.peak.max(made.result + mask.unwrap_or(0.0)))
}

fn written(scene: &Scene, layer: &Layer) -> impl Iterator<Item = u8> {
    let stages = layer.stages(scene.samples()).into_iter().map(|stage| stage.node.traits());
    let all: Vec<u8> = stages.chain([layer.node.traits()]).flat_map(|traits| map_numbers(traits.writes)).collect();
    all.into_iter()
}

fn map_numbers(kinds: &'static [MapKind]) -> impl Iterator<Item = u8> {
    kinds.iter().map(|&kind| kind as u8)
}

/// Working fields of a layer's node, in addition to its input and result.
fn working_fields(scene: &Scene, layer: &Layer, what: &MemoryUse) -> f64 {
    let world = scene.settings.world;
    let stages = layer.stages(scene.samples());
    let all = stages.iter().map(|stage| stage.node).chain([&layer.node]);
    let is_kept = what.kept[1] > 0;
    let fields = |node: &Node| {
        let traits = node.traits();
        let kept = if is_kept { traits.memory.extra_when_kept } else { 0.0 };
        let left_out = traits.memory.saved_without_records.filter(|_| what.heights_only).unwrap_or(0.0);
        f64::from(traits.working_fields_in(world) + kept - left_out)
    };
    all.map(fields).fold(0.0, f64::max)
}

/// Number of fields needed to apply opacity and mask.
fn mask_fields(scene: &Scene, layer: &Layer) -> f64 {
    let Mask { by_curvature, by_noise, soften_metres, .. } = &layer.mask;
    let is_active = layer.mask.is_active();
    let reach = layer.mask.attribute_read().map(TerrainAttribute::reach);
    // The attribute is held beside the weights.
    let held = if reach.is_some() { 1.0 } else { 0.0 };
    let most = [
        (is_active, 1.0 + held),
        (*by_noise, 2.0 + held),
        (*by_curvature, 3.1 + held),
        (is_active && *soften_metres > 0.0, 3.1),
        (reach == Some(AttributeReach::Horizon), 2.4),
        (layer.mask.reads_flow(), drainage::flow_fields(scene)),
    ];
    let weights = most.into_iter().filter(|(on, _)| *on).map(|(_, fields)| fields).fold(0.0, f64::max);
    // The maps are copied one at a time.
    let copy = if (is_active || layer.mix.opacity < 1.0) && written(scene, layer).next().is_some() { 1.0 } else { 0.0 };
    weights.max(if is_active { 1.0 } else { 0.0 } + copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(nodes: &[&str]) -> Scene {
        let layer = |name: &&str| Layer::new(Node::named(name).unwrap(), 1);
        Scene { layers: nodes.iter().map(layer).collect(), ..Scene::default() }
    }

    #[test]
    fn oversized_scenes_are_refused_with_the_largest_fitting_size() {
        let scene = scene(&["Perlin", "Hydraulic"]);
        let refused = check_free(&scene, 16_384, &MemoryUse::TERRAIN, 4 << 30).unwrap_err();
        let fits = refused.fits.unwrap();
        assert!(check_free(&scene, fits, &MemoryUse::TERRAIN, 4 << 30).is_ok());
        assert!(check_free(&scene, fits + 2 * ROUND, &MemoryUse::TERRAIN, 4 << 30).is_err());
        let text = refused.to_string();
        assert!(text.starts_with("At 16384 samples this needs up to ") && text.contains("4.0 GiB are free"), "{text}");
        assert!(text.ends_with(&format!("{fits} fits")), "{text}");
        let refused = check_free(&scene, 513, &MemoryUse::TERRAIN, 1 << 20).unwrap_err();
        assert!(refused.to_string().ends_with("no smaller size fits either"), "{refused}");
    }

    #[test]
    fn more_layers_maps_and_uses_take_more() {
        let bytes = |scene: &Scene, what: &MemoryUse| estimate(scene, 1025, what);
        let (plain, eroded) = (scene(&["Perlin"]), scene(&["Perlin", "Hydraulic"]));
        assert!(bytes(&plain, &MemoryUse::TERRAIN) < bytes(&eroded, &MemoryUse::TERRAIN));
        assert!(bytes(&eroded, &MemoryUse::TERRAIN) < bytes(&eroded, &MemoryUse::EDITOR));
        let mut read = eroded.clone();
        let mask = Mask { by_layer: true, layer: crate::param::LayerName("Perlin noise".into()), ..Mask::default() };
        read.layers.push(Layer { mask, ..Layer::new(Node::named("Blur").unwrap(), 1) });
        read.layers[0].name = "Perlin noise".into();
        assert!(bytes(&eroded, &MemoryUse::TERRAIN) <= bytes(&read, &MemoryUse::TERRAIN));
        let mut hidden = eroded.clone();
        hidden.layers[1].enabled = false;
        assert_eq!(bytes(&hidden, &MemoryUse::TERRAIN), bytes(&plain, &MemoryUse::TERRAIN));
    }
}
