//! How much memory something takes, known before it is begun.
//!
//! An evaluation is counted in fields, one number of 4 bytes for each sample: what lies below a layer, what the layer
//! makes, what its node works with ([`Traits::working_fields`](crate::nodes::Traits)), its mask, the layers that masks
//! read, and what the caller lets a [`Store`](super::Store) keep. What is done with the terrain then is a
//! [`MemoryUse`]. `tests/memory.rs` measures both and holds the estimate within 25 %; what the editor's view takes is
//! counted from its sources and not measured.
//!
//! The estimate is compared with what is [free](crate::io::memory::free_memory), so that what cannot fit is refused
//! with a sentence before anything is computed.

use std::collections::{BTreeSet, HashMap};

use super::{Cache, Timeline, mask_scene, mix, unread_records};
use crate::field::{MAX_SAMPLES, MIN_SAMPLES, MapKind};
use crate::io::memory::{bytes_text, free_memory, resident_memory};
use crate::nodes::{Node, Work};
use crate::scene::{Layer, Mask, Scene};

/// Bytes of a number in a field.
const NUMBER: f64 = 4.0;
/// What threads, tables and the scene itself take, whatever the size.
const PROGRAM_BYTES: f64 = (32 << 20) as f64;
/// The estimate may be too low by so much; what is free must be enough all the same.
const UNCERTAINTY: f64 = 1.25;

/// What is done with a terrain, and what that takes beside the evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUse {
    /// Fields of the terrain's own size, once it is evaluated.
    pub fields: f64,
    /// Bytes whatever the terrain's size, once it is evaluated.
    pub bytes: f64,
    /// Bytes that are held all the while.
    pub beside: f64,
    /// Evaluations that run at a time.
    pub at_once: usize,
    /// What evaluation keeps from one time to the next, in bytes at the most: results of layers, states of processes.
    pub kept: [usize; 2],
    /// Samples along a side (of a planet along a face) that are drawn at the most.
    pub most_drawn: usize,
    /// Whether it is the editor, which holds the terrain on screen while it makes the next one.
    pub is_editor: bool,
    /// Whether it reads neither mass balances nor what erosions [record](MapKind::RECORDS): what heights do not depend
    /// on is not made then ([`Store::for_use`](super::Store::for_use)).
    pub heights_alone: bool,
}

impl MemoryUse {
    /// The terrain alone, evaluated once.
    pub const TERRAIN: Self = Self {
        fields: 0.0,
        bytes: 0.0,
        beside: 0.0,
        at_once: 1,
        kept: [0; 2],
        most_drawn: MAX_SAMPLES,
        is_editor: false,
        heights_alone: false,
    };
    /// Written to a file: heights of places without ground are filled in a copy.
    pub const EXPORT: Self = Self { fields: 1.0, ..Self::TERRAIN };
    /// Ground types, or the colours of a planet.
    pub const COLOURS: Self = Self { fields: 8.0, ..Self::TERRAIN };
    /// All measures of a terrain: what drains where is most of it.
    pub const MEASURES: Self = Self { fields: 8.6, ..Self::TERRAIN };
    /// The 3D view, drawn once: light, slopes, colours, on the way to the graphics card.
    pub const VIEW: Self = Self { fields: 18.0, most_drawn: 8192, beside: VIEW_BYTES, ..Self::TERRAIN };
    /// The editor: results of layers, key frames, and the view of the terrain on screen and of the next one.
    pub const EDITOR: Self =
        Self { fields: 24.0, kept: [Cache::DEFAULT_BYTES, Timeline::DEFAULT_BYTES], is_editor: true, ..Self::VIEW };

    /// Temperature and moisture of `scene`.
    pub fn climate(scene: &Scene) -> Self {
        Self { fields: if scene.settings.is_planet() { 6.7 } else { 2.1 }, ..Self::TERRAIN }
    }

    /// A picture of `scene` of that many pixels.
    pub fn picture(scene: &Scene, width: usize, height: usize) -> Self {
        let (fields, each) = if scene.settings.is_planet() { PLANET_PICTURE } else { TERRAIN_PICTURE };
        Self { fields, bytes: (width * height) as f64 * each, ..Self::TERRAIN }
    }

    /// With so many bytes more once the terrain is evaluated.
    #[must_use]
    pub fn with_bytes(self, bytes: f64) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }
}

/// What the engine, its shaders and the driver of the graphics card take before there is a terrain.
const VIEW_BYTES: f64 = (384 << 20) as f64;
/// Fields of the terrain, and bytes of each pixel, that a picture takes while it is drawn and written.
const TERRAIN_PICTURE: (f64, f64) = (1.0, 12.0);
/// As much for a picture of a planet, whose slopes and colours are worked out for every sample.
const PLANET_PICTURE: (f64, f64) = (7.0, 3.2);

/// Why something is not begun.
#[derive(Clone, Debug, PartialEq)]
pub struct NotEnoughMemory {
    /// Samples per side, of a planet per side of a face.
    pub samples: usize,
    /// Bytes that it takes at the most.
    pub needed: u64,
    /// Bytes that are free.
    pub free: u64,
    /// Most samples per side that fit, if any do.
    pub fits: Option<usize>,
}

impl std::fmt::Display for NotEnoughMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (needed, free) = (bytes_text(self.needed), bytes_text(self.free));
        write!(f, "At {} samples this needs up to {needed}, {free} are free; ", self.samples)?;
        match self.fits {
            Some(samples) => write!(f, "{samples} fits"),
            None => f.write_str("no smaller size fits either"),
        }
    }
}

impl std::error::Error for NotEnoughMemory {}

/// Bytes that `scene` takes at `samples` per side, at the most, from its evaluation to the end of what is done with it.
pub fn estimate(scene: &Scene, samples: usize, what: &MemoryUse) -> u64 {
    let samples = samples.clamp(MIN_SAMPLES, MAX_SAMPLES);
    let bytes = |fields: f64, samples: usize| fields * NUMBER * scene.grid(samples).len() as f64;
    let unread = if what.heights_alone { unread_records(scene) } else { Vec::new() };
    let made = evaluation(scene, what, &unread, &mut HashMap::new());
    let used = bytes(what.fields, samples.min(what.most_drawn));
    let after = bytes(made.result, samples) + used + what.bytes;
    let [cache, timeline] = what.kept.map(|bytes| bytes as f64);
    let kept =
        cache.min(bytes(made.cached, samples)) + timeline.min(bytes(made.frames, samples) + made.fixed_frame_bytes);
    // while the next terrain is computed the last one is on screen
    let during = bytes(made.peak, samples) + made.fixed_bytes + if what.is_editor { used } else { 0.0 };
    ((during.max(after) + kept) * what.at_once as f64 + what.beside) as u64
}

/// Bytes that must be free for it: the [estimate] with what it may be too low by.
pub fn needed_memory(scene: &Scene, samples: usize, what: &MemoryUse) -> u64 {
    (estimate(scene, samples, what) as f64 * UNCERTAINTY + PROGRAM_BYTES) as u64
}

/// Bytes that are free for it, where the system tells: of the editor with what it holds already, which the estimate
/// counts.
pub fn memory_at_hand(what: &MemoryUse) -> Option<u64> {
    free_memory(if what.is_editor { resident_memory() } else { 0 })
}

/// Refuses what does not fit into the memory that is free.
///
/// # Errors
/// When more is needed than there is; nothing was done yet.
pub fn check_memory(scene: &Scene, samples: usize, what: &MemoryUse) -> Result<(), NotEnoughMemory> {
    match memory_at_hand(what) {
        Some(free) => check_free(scene, samples, what, free),
        None => Ok(()),
    }
}

/// [`check_memory`] where `free` bytes are free.
///
/// # Errors
/// When more is needed.
pub fn check_free(scene: &Scene, samples: usize, what: &MemoryUse, free: u64) -> Result<(), NotEnoughMemory> {
    let needed = needed_memory(scene, samples, what);
    if needed <= free {
        return Ok(());
    }
    let does_fit = |samples: usize| needed_memory(scene, samples, what) <= free;
    // the estimate grows with the size
    let (mut fits, mut too_large) = (MIN_SAMPLES - 1, samples);
    while too_large - fits > 1 {
        let middle = fits + (too_large - fits) / 2;
        if does_fit(middle) { fits = middle } else { too_large = middle }
    }
    let round = if fits > ROUND { (fits - 1) / ROUND * ROUND + 1 } else { fits };
    Err(NotEnoughMemory { samples, needed, free, fits: (fits >= MIN_SAMPLES).then_some(round) })
}

/// Sizes that fit are told as multiples of this and one.
const ROUND: usize = 128;

/// What an evaluation takes, in fields.
#[derive(Clone, Copy, Debug)]
struct EvaluationFields {
    /// At its peak.
    peak: f64,
    /// The terrain that it makes.
    result: f64,
    /// Results of all layers.
    cached: f64,
    /// Key frames of all processes, one for every iteration, as large as what they make.
    frames: f64,
    /// Bytes at its peak whatever the number of samples.
    fixed_bytes: f64,
    /// As many of key frames.
    fixed_frame_bytes: f64,
}

/// Goes through the stack as evaluation for `what` does, which leaves the records `unread` out. `read` has the layers
/// that masks read, by their index, with the fields of each.
fn evaluation(scene: &Scene, what: &MemoryUse, unread: &[MapKind], read: &mut HashMap<usize, f64>) -> EvaluationFields {
    let mut maps = BTreeSet::<u8>::new();
    let peak = 1.0 + read.values().sum::<f64>();
    let mut made =
        EvaluationFields { peak, result: 1.0, cached: 0.0, frames: 0.0, fixed_bytes: 0.0, fixed_frame_bytes: 0.0 };
    let mut held = 0.0;
    // what groups lie on is there until they are joined with it
    let mut bases = Vec::new();
    for (index, layer) in scene.layers.iter().enumerate() {
        bases.extend(scene.groups_beginning_at(index).iter().map(|_| made.result));
        if !scene.is_shown(index) || !layer.node.fits(scene.settings.world) {
            continue;
        }
        let below = bases.iter().sum::<f64>();
        if scene.joins_grounds(index) {
            bases.pop();
        }
        let mut written: BTreeSet<u8> = written(scene, layer).collect();
        let leaves_out = layer.node.traits().fewer_for_heights.is_some();
        written.retain(|map| !leaves_out || unread.iter().all(|&kind| kind as u8 != *map));
        let new = 1.0 + written.len() as f64;
        let beneath = below + made.result + read.values().sum::<f64>();
        let working = working_fields(scene, layer, what);
        let stages = layer.stages(scene.samples());
        // what a stretch of a process has made is there while the next one runs
        let between = if stages.len() > 1 { new } else { 0.0 };
        let joined = if matches!(layer.node.work(), Work::Generator(_)) && !maps.is_empty() { 1.0 } else { 0.0 };
        // the heights beneath are given back before an erosion runs, where nothing asks for them any more
        let given_back = if mix::is_opaque_process(layer) { 1.0 } else { 0.0 };
        let mut peak = beneath - given_back + new + between + working.max(joined);
        if let Some((source, alone)) = mask_scene(scene, index)
            && !read.contains_key(&source)
        {
            // its peak counts the layers that were read before
            let source_made = evaluation(&alone, what, unread, read);
            peak = peak.max(made.result + new + source_made.peak);
            read.insert(source, source_made.result);
        }
        let beneath = below + made.result + read.values().sum::<f64>();
        peak = peak.max(beneath + new + mask_fields(scene, layer));
        maps.extend(written);
        made.peak = made.peak.max(peak);
        made.result = 1.0 + maps.len() as f64;
        made.cached += new;
        for stage in &stages {
            let fixed = stage.node.traits().fixed_bytes as f64;
            made.fixed_frame_bytes += 0.2 * fixed * f64::from(stage.iterations);
        }
        made.fixed_bytes = made.fixed_bytes.max(layer.node.traits().fixed_bytes as f64);
        let levels = layer.levels(scene.samples());
        let full = scene.grid(scene.samples()).len() as f64;
        for (level, stages) in &levels {
            let share = scene.grid(level.samples).len() as f64 / full;
            made.frames += stages.iter().map(|stage| f64::from(stage.iterations)).sum::<f64>() * new * share;
        }
        if levels.len() > 1 {
            // the change of the grid before is there until the process begins, then also on the way to this grid
            held += new / 4.0;
            made.peak = made.peak.max(beneath + new + 1.5);
        }
    }
    made.peak += held;
    made
}

fn written(scene: &Scene, layer: &Layer) -> impl Iterator<Item = u8> {
    let stages = layer.stages(scene.samples()).into_iter().map(|stage| stage.node.traits());
    let all: Vec<u8> = stages.chain([layer.node.traits()]).flat_map(|traits| map_numbers(traits.writes)).collect();
    all.into_iter()
}

fn map_numbers(kinds: &'static [MapKind]) -> impl Iterator<Item = u8> {
    kinds.iter().map(|&kind| kind as u8)
}

/// Fields that the node of a layer works with, beyond what it is given and what it makes.
fn working_fields(scene: &Scene, layer: &Layer, what: &MemoryUse) -> f64 {
    let world = scene.settings.world;
    let stages = layer.stages(scene.samples());
    let all = stages.iter().map(|stage| stage.node).chain([&layer.node]);
    let is_kept = what.kept[1] > 0;
    let fields = |node: &Node| {
        let traits = node.traits();
        let kept = if is_kept { traits.more_when_kept } else { 0.0 };
        let left_out = traits.fewer_for_heights.filter(|_| what.heights_alone).unwrap_or(0.0);
        f64::from(traits.working_fields_in(world) + kept - left_out)
    };
    all.map(fields).fold(0.0, f64::max)
}

/// Fields that weighing with opacity and mask takes.
fn mask_fields(scene: &Scene, layer: &Layer) -> f64 {
    let Mask { by_curvature, by_noise, soften_metres, .. } = &layer.mask;
    let is_active = layer.mask.is_active();
    let most = [(is_active, 1.0), (*by_noise, 2.0), (*by_curvature, 3.1), (is_active && *soften_metres > 0.0, 3.1)];
    let weights = most.into_iter().filter(|(on, _)| *on).map(|(_, fields)| fields).fold(0.0, f64::max);
    // one map after the other is copied
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
    fn what_does_not_fit_is_refused_with_both_numbers_and_the_largest_size_that_fits() {
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
