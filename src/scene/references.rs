//! References of layers to other layers, groups and branches, also in other scene files.
//!
//! A mask or a *Reference* layer names the layer that it reads. The layer is evaluated with everything that it needs:
//! - a generator alone, without its mask and blending
//! - a layer above the reader, in a group on level terrain: with the layers under it in the outermost such group
//! - any other layer: with all layers under it
//!
//! A reference whose result needs itself is a circle, and is refused.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{Layer, Mask, Mix, Scene, Severity};
use crate::field::MapKind;
use crate::nodes::filters::group::GroupGround;
use crate::nodes::{LayerReference, Node, Reads};

/// The part of a layer that reads another layer. Plans of tiles store the mask of layer k as the number k, and the node
/// of layer k as -1 - k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub enum LayerReader {
    /// The mask of the layer with this index.
    Mask(usize),
    /// The node of the layer with this index.
    Node(usize),
}

impl LayerReader {
    /// Index of the layer.
    pub fn layer(self) -> usize {
        match self {
            Self::Mask(layer) | Self::Node(layer) => layer,
        }
    }
}

impl From<i64> for LayerReader {
    fn from(number: i64) -> Self {
        if number < 0 { Self::Node(!number as usize) } else { Self::Mask(number as usize) }
    }
}

impl From<LayerReader> for i64 {
    fn from(reader: LayerReader) -> Self {
        match reader {
            LayerReader::Mask(layer) => layer as Self,
            LayerReader::Node(layer) => !(layer as Self),
        }
    }
}

/// The whole scene from which a scene with hidden layers was made. References are looked up in the whole scene.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeScene {
    scene: Scene,
    /// The scene file from which a reference read the scene; empty for the scene that is evaluated.
    file: String,
}

/// The part of a scene that a reference reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SourcePart {
    /// The layer alone.
    Alone,
    /// The layer with the layers under it in the outermost group on level terrain.
    InGroup,
    /// The layer with all layers under it, or a whole scene.
    WithBelow,
    /// The mask of the layer, on the terrain of all layers under it.
    Mask,
}

/// Identity of the terrain that a reference reads. Within one evaluation, references with equal identities read the
/// same terrain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceId {
    file: String,
    layer: Option<usize>,
    part: SourcePart,
    /// Whether the other branches of the layer's process are hidden.
    hides_branches: bool,
}

/// The terrain that a reference reads, as a scene to evaluate.
#[derive(Clone, Debug)]
pub struct ReferenceSource {
    /// Identity of the terrain.
    pub id: SourceId,
    /// The scene whose result is read. For a mask, the result is the terrain on which the mask acts.
    pub scene: Scene,
}

impl ReferenceSource {
    /// Index of the layer whose mask is read, if a mask is read.
    pub fn mask(&self) -> Option<usize> {
        self.id.layer.filter(|_| self.id.part == SourcePart::Mask)
    }

    /// Index of the layer that is read in the scene of the reference. `None` for a layer of another scene file.
    pub fn own_layer(&self) -> Option<usize> {
        self.id.layer.filter(|_| !self.is_foreign())
    }

    /// Whether the source is in another scene file.
    pub fn is_foreign(&self) -> bool {
        !self.id.file.is_empty()
    }

    /// Name of the layer, or of the scene file, for messages.
    pub fn name(&self) -> String {
        let layer = self.id.layer.map_or("", |layer| self.scene.layers[layer].name.as_str());
        LayerReference { file: &self.id.file, layer, reads: Reads::Height, data: MapKind::Flow }.in_words()
    }

    /// Problems of a source in another scene file that change its terrain, in words.
    pub fn problems(&self) -> Vec<String> {
        if !self.is_foreign() {
            return Vec::new();
        }
        let broken = self.scene.own_problems().into_iter().filter(|problem| problem.severity == Severity::Broken);
        broken
            .map(|problem| format!("layer `{}`: {}", self.scene.layers[problem.layer].name, problem.message))
            .collect()
    }

    /// The references that an evaluation of the source evaluates.
    fn readers(&self) -> Vec<LayerReader> {
        let scene = &self.scene;
        let shown = (0..scene.layers.len())
            .filter(|&k| scene.is_shown(k) && scene.layers[k].node.fits(scene.settings.world))
            .flat_map(|k| scene.layers[k].readers(k));
        let mask = self.mask().filter(|&layer| scene.layers[layer].mask.by_layer).map(LayerReader::Mask);
        shown.chain(mask).collect()
    }
}

impl Layer {
    /// The parts of the layer, with the index `index`, that read other layers.
    pub fn readers(&self, index: usize) -> impl Iterator<Item = LayerReader> + use<> {
        let node = self.node.reference().map(|_| LayerReader::Node(index));
        node.into_iter().chain(self.mask.by_layer.then_some(LayerReader::Mask(index)))
    }

    /// The references of the layer, whether or not its mask uses them.
    pub fn references(&self) -> impl Iterator<Item = LayerReference<'_>> {
        self.node.reference().into_iter().chain([self.mask.reference()])
    }
}

/// A step on the way from a reference to the layers that its source needs.
struct ReferenceStep {
    /// The source, in words.
    source: String,
    /// Whether the next reader is a part of the layer that is read.
    is_reader: bool,
    /// Name of the layer of the next reader.
    next: String,
}

impl Scene {
    /// The scene without hidden layers of an evaluation: the scene in which references are looked up.
    fn whole(&self) -> &Self {
        self.whole.as_deref().map_or(self, |whole| &whole.scene)
    }

    /// The scene file from which a reference read this scene; empty for the scene that is evaluated.
    fn own_file(&self) -> &str {
        self.whole.as_deref().map_or("", |whole| &whole.file)
    }

    /// Remembers the scene as it is, before an evaluation hides some of its layers.
    pub(super) fn keep_whole(&mut self) {
        if self.whole.is_none() {
            self.whole = Some(Arc::new(WholeScene { scene: self.clone(), file: String::new() }));
        }
    }

    /// A copy of the scene, and of the whole scene from which it was made, with another node in a layer.
    pub(crate) fn with_node(&self, layer: usize, node: &Node) -> Self {
        let mut made = self.clone();
        made.layers[layer].node = node.clone();
        if let Some(whole) = &mut made.whole {
            Arc::make_mut(whole).scene.layers[layer].node = node.clone();
        }
        made
    }

    /// A copy of this whole scene, which references read from `file`.
    fn as_source(&self, file: &str) -> Self {
        let whole = WholeScene { scene: self.clone(), file: file.into() };
        Self { whole: Some(Arc::new(whole)), ..self.clone() }
    }

    /// The reference of `reader`.
    pub fn reference(&self, reader: LayerReader) -> Option<LayerReference<'_>> {
        let layer = self.layers.get(reader.layer())?;
        match reader {
            LayerReader::Mask(_) => layer.mask.by_layer.then(|| layer.mask.reference()),
            LayerReader::Node(_) => layer.node.reference(),
        }
    }

    /// The terrain that `reader` reads; `None` while no layer is chosen. The scene may be one of which an evaluation
    /// has hidden layers.
    ///
    /// # Errors
    /// If no such layer exists, the other scene cannot be read, or the result of the layer needs the reader itself; the
    /// message gives the reason.
    pub fn source(&self, reader: LayerReader) -> Result<Option<ReferenceSource>, String> {
        let Some(source) = self.source_unchecked(reader)? else { return Ok(None) };
        let goal = (self.own_file().to_string(), reader);
        let mut steps = Vec::new();
        if !leads_to(&source, &goal, &mut HashSet::new(), &mut steps) {
            return Ok(Some(source));
        }
        let last = steps.len() - 1;
        let way: String = steps
            .iter()
            .enumerate()
            .map(|(k, ReferenceStep { source, is_reader, next })| match (k == last, is_reader) {
                (true, true) => "this layer".into(),
                (true, false) => format!("{source}, which needs this layer"),
                (false, true) => format!("{source}, which reads "),
                (false, false) => format!("{source}, which needs layer `{next}`, which reads "),
            })
            .collect();
        Err(format!("{} reads {way}; this is a circle, so {}; choose another layer", subject(reader), effect(reader)))
    }

    /// Like [`source`](Self::source), but a circle is not found.
    fn source_unchecked(&self, reader: LayerReader) -> Result<Option<ReferenceSource>, String> {
        let Some(reference) = self.reference(reader).filter(LayerReference::is_set) else { return Ok(None) };
        let (who, effect) = (subject(reader), effect(reader));
        let (index, name) = (reader.layer(), reference.layer);
        let is_here = reference.file.is_empty();
        let file = if is_here { self.own_file() } else { reference.file };
        let other = if is_here { None } else { Some(scene_of_file(file)) };
        let other = other.transpose().map_err(|error| format!("{who} cannot read a scene: {error}; {effect}"))?;
        let whole = other.as_deref().unwrap_or(self.whole());
        let (own, others) = (&self.settings, &whole.settings);
        if own.world != others.world || !self.is_planet() && own.edges != others.edges {
            let setting = if own.world == others.world { "edges" } else { "world" };
            let source = reference.in_words();
            return Err(format!("{who} reads {source}, whose scene has another setting of `{setting}`, so {effect}"));
        }
        let named = |k: &usize| !(is_here && *k == index) && whole.layers[*k].name == name;
        let from = if is_here { index } else { whole.layers.len() };
        let found = (0..from).rev().find(named).or_else(|| (from..whole.layers.len()).find(named));
        if found.is_none() && !name.is_empty() {
            let source = reference.in_words();
            return Err(format!("{who} reads {source}, which does not exist, so {effect}; choose another layer"));
        }
        // Masks have always evaluated a hidden branch on top of the shown branch; old scenes keep their terrain.
        let hides_branches = matches!(reader, LayerReader::Node(_)) || reference.reads == Reads::Mask;
        let mut scene = whole.as_source(file);
        let part = match found {
            Some(layer) => scene.reduce_to(layer, layer > from, reference.reads == Reads::Mask, hides_branches),
            None => SourcePart::WithBelow,
        };
        let id = SourceId { file: file.into(), layer: found, part, hides_branches };
        Ok(Some(ReferenceSource { id, scene }))
    }

    /// Hides the layers that the result, or the mask, of a layer does not need.
    fn reduce_to(&mut self, layer: usize, is_above: bool, reads_mask: bool, hides_branches: bool) -> SourcePart {
        if hides_branches {
            let was_shown = self.layers[layer].enabled;
            self.show_layer(layer);
            self.layers[layer].enabled = was_shown;
        }
        if reads_mask {
            self.hide_from(layer);
            return SourcePart::Mask;
        }
        let on_level = |k: &usize| self.group(*k).is_some_and(|group| group.ground == GroupGround::Level);
        let around = self.groups_around(layer);
        let outermost = [layer].into_iter().chain(around).rfind(on_level).filter(|_| is_above);
        let part = if self.layers[layer].node.makes_heights() {
            self.hide_others(layer);
            SourcePart::Alone
        } else if let Some(group) = outermost {
            let start = self.block(group).start;
            self.layers[..start].iter_mut().for_each(|below| below.enabled = false);
            self.hide_above(layer);
            SourcePart::InGroup
        } else {
            self.hide_above(layer);
            SourcePart::WithBelow
        };
        let read = &mut self.layers[layer];
        read.enabled = true;
        if part == SourcePart::Alone || outermost == Some(layer) {
            (read.mix, read.mask) = (Mix::default(), Mask::default());
        }
        part
    }

    /// Names of the layers that `reader` can read, from the lowest. If it reads another scene file, these are the
    /// layers of that scene.
    pub fn readable_layers(&self, reader: LayerReader) -> Vec<String> {
        let index = reader.layer();
        let Some(layer) = self.layers.get(index) else { return Vec::new() };
        let reference = match reader {
            LayerReader::Mask(_) => Some(layer.mask.reference()),
            LayerReader::Node(_) => layer.node.reference(),
        };
        let Some(reference) = reference else { return Vec::new() };
        if !reference.file.is_empty() {
            let scene = scene_of_file(reference.file);
            return scene
                .map(|scene| scene.layers.iter().map(|layer| layer.name.clone()).collect())
                .unwrap_or_default();
        }
        let mut tried = self.clone();
        tried.layers[index].mask.by_layer |= matches!(reader, LayerReader::Mask(_));
        let mut is_readable = |name: &str| {
            tried.rename_reference(reader, name);
            tried.source(reader).is_ok()
        };
        let names = self.layers.iter().enumerate().filter(|(k, _)| *k != index).map(|(_, layer)| &layer.name);
        names.filter(|name| is_readable(name)).cloned().collect()
    }

    fn rename_reference(&mut self, reader: LayerReader, name: &str) {
        let layer = &mut self.layers[reader.layer()];
        match (reader, &mut layer.node) {
            (LayerReader::Mask(_), _) => layer.mask.layer.0 = name.into(),
            (LayerReader::Node(_), Node::Reference(node)) => node.source.0 = name.into(),
            (LayerReader::Node(_), _) => {}
        }
    }

    /// Updates the references to a layer of this scene, after the layer was renamed from `old` to `new`.
    pub fn follow_rename(&mut self, old: &str, new: &str) {
        for layer in &mut self.layers {
            if layer.mask.layer.0 == old && layer.mask.layer_file.0.is_empty() {
                layer.mask.layer.0 = new.into();
            }
            if let Node::Reference(node) = &mut layer.node
                && node.source.0 == old
                && node.source_file.0.is_empty()
            {
                node.source.0 = new.into();
            }
        }
    }

    /// The scenes of other files that the references of this scene read, directly and through other scenes. Files that
    /// cannot be read are left out.
    pub fn scenes_read(&self) -> Vec<(PathBuf, Arc<Self>)> {
        let mut found: Vec<(PathBuf, Arc<Self>)> = Vec::new();
        let mut files: Vec<String> = self.scene_files();
        while let Some(file) = files.pop() {
            if found.iter().all(|(path, _)| *path != Path::new(&file))
                && let Ok(scene) = scene_of_file(&file)
            {
                files.extend(scene.scene_files());
                found.push((file.into(), scene));
            }
        }
        found
    }

    /// All files that the scene reads: the files that it names, and those that the scenes name which it reads.
    pub fn files_read(&self) -> Vec<PathBuf> {
        let mut files = self.files();
        for (path, scene) in self.scenes_read() {
            files.extend([path].into_iter().chain(scene.files()));
        }
        files.sort();
        files.dedup();
        files
    }

    /// Paths of the scene files that the active references of the layers name.
    fn scene_files(&self) -> Vec<String> {
        let readers = self.layers.iter().enumerate().flat_map(|(index, layer)| layer.readers(index));
        let files = readers.filter_map(|reader| self.reference(reader)).map(|reference| reference.file.to_string());
        files.filter(|file| !file.is_empty()).collect()
    }
}

/// The reader in a message.
fn subject(reader: LayerReader) -> &'static str {
    match reader {
        LayerReader::Mask(_) => "the mask",
        LayerReader::Node(_) => "the layer",
    }
}

/// The effect of a reference that cannot be read.
fn effect(reader: LayerReader) -> &'static str {
    match reader {
        LayerReader::Mask(_) => "this condition has no effect",
        LayerReader::Node(_) => "it has no effect",
    }
}

/// Whether an evaluation of `source` needs the reference `goal`, which is a reader in a file. If so, `steps` is the way
/// to it.
fn leads_to(
    source: &ReferenceSource,
    goal: &(String, LayerReader),
    visited: &mut HashSet<(String, LayerReader)>,
    steps: &mut Vec<ReferenceStep>,
) -> bool {
    for reader in source.readers() {
        let id = (source.id.file.clone(), reader);
        steps.push(ReferenceStep {
            source: source.name(),
            is_reader: source.id.layer == Some(reader.layer()),
            next: source.scene.layers[reader.layer()].name.clone(),
        });
        if id == *goal {
            return true;
        }
        if visited.insert(id)
            && let Ok(Some(next)) = source.scene.source_unchecked(reader)
            && leads_to(&next, goal, visited, steps)
        {
            return true;
        }
        steps.pop();
    }
    false
}

/// A scene file as it was read, with the modification time and length that it had.
type StampedScene = ((SystemTime, u64), Arc<Scene>);

/// The scenes that references read, by path. A file is read again only after it has changed.
static READ_FILES: Mutex<Option<HashMap<PathBuf, StampedScene>>> = Mutex::new(None);

/// Maximum number of scenes kept between evaluations.
const MOST_FILES: usize = 32;

/// The scene in a file.
fn scene_of_file(file: &str) -> Result<Arc<Scene>, String> {
    let path = Path::new(file);
    let stamp = std::fs::metadata(path).and_then(|meta| Ok((meta.modified()?, meta.len())));
    let stamp = stamp.map_err(|error| format!("{file}: {error}"))?;
    let lock = || READ_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, scene)) = lock().get_or_insert_default().get(path)
        && *known == stamp
    {
        return Ok(scene.clone());
    }
    let (scene, _) = Scene::load(path).map_err(|error| error.to_string())?;
    let scene = Arc::new(scene);
    let mut lock = lock();
    let files = lock.get_or_insert_default();
    if files.len() >= MOST_FILES {
        files.clear();
    }
    files.insert(path.into(), (stamp, scene.clone()));
    Ok(scene)
}
