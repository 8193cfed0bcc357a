//! The open scene and all of its editing state: history, file, selection, solo, playback.
//!
//! The document is plain data, without engine or interface. Every change of the scene is made by [`Document::edit`], so
//! that it can be undone. [`Document::take_request`] returns the next request for the worker.

mod branches;
mod group;
mod groups;
mod layers;
mod request;
mod selected;
mod sides;
mod strokes;
mod transport;
mod tree;
mod variant;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use crate::frame::document::branches::Offer;
pub use crate::frame::document::group::Group;
pub use crate::frame::document::groups::StackPosition;
pub use crate::frame::document::sides::LayerVersions;
pub use crate::frame::document::transport::{SPEED_RANGE, STEP_SPEED_RANGE, Transport};
pub use crate::frame::document::variant::Variant;

use talweg::eval::{RequestQuality, StrokeTarget};
use talweg::field::MapKind;
use talweg::io::{FileStamp, SaveTarget};
use talweg::scene::{EditHistory, Gesture, Layer, Scene, SceneError, Warning};

/// The selected item. The panel shows its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The scene-wide settings.
    Scene,
    /// A layer, by its index from the bottom.
    Layer(usize),
}

/// The open document: the scene and its editing state.
#[derive(Debug)]
pub struct Document {
    /// The scene. The undo history and requests share it, so that an edit copies it only once.
    scene: Arc<Scene>,
    history: EditHistory,
    path: Option<PathBuf>,
    /// Number of times that a scene has replaced another scene.
    openings: u64,
    /// The scene as it was last opened or saved.
    saved: Arc<Scene>,
    /// Whether the scene differs from the saved one.
    dirty: bool,
    /// Number of times that the scene, its file or its saved state has changed.
    edits: u64,
    /// The stamp of the scene's file when it was last opened or saved.
    stamp: Option<FileStamp>,
    selection: Selection,
    /// Indices of the selected layers other than the layer in `selection`.
    others: BTreeSet<usize>,
    solo: Option<usize>,
    /// The highest evaluated layer; `None` if all layers are evaluated.
    last_evaluated: Option<usize>,
    /// Versions A and B of layers, by layer index.
    sides: BTreeMap<usize, LayerVersions>,
    transport: Transport,
    /// Number of changes that need an evaluation. Opening another scene counts as well.
    revision: u64,
    /// Revision and quality of the newest request to the worker.
    requested: Option<(u64, RequestQuality)>,
    /// Revision of the newest terrain on screen.
    shown_revision: u64,
    /// Whether a terrain of this scene has been on screen since the scene was opened.
    on_screen: bool,
    /// Revision of the newest full-resolution terrain.
    complete_revision: u64,
    /// Whether the newest change was only a move of the playhead.
    seeking: bool,
    gesture: Option<Gesture>,
    dragging: bool,
    /// The offer to continue or branch, made after a process was changed in the middle of its run.
    offer: Option<Offer>,
    /// Whether the charts need the history of the process.
    watching: bool,
    /// The point whose history the charts plot.
    charted_point: Option<[f32; 2]>,
    /// The variant of the same scene that the terrain on screen is compared with.
    variant: Option<Variant>,
    /// The stroke target of the last brush edit, and the revision of that edit.
    last_stroke_edit: Option<(u64, StrokeTarget)>,
    /// The layer whose mask is shown on the terrain.
    shown_mask: Option<usize>,
    /// The data map that is shown on the terrain while it is painted.
    shown_map: Option<MapKind>,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            scene: Arc::default(),
            history: EditHistory::default(),
            path: None,
            openings: 0,
            saved: Arc::default(),
            dirty: false,
            edits: 0,
            stamp: None,
            selection: Selection::Scene,
            others: BTreeSet::new(),
            solo: None,
            last_evaluated: None,
            sides: BTreeMap::new(),
            transport: Transport::default(),
            revision: 1,
            requested: None,
            shown_revision: 0,
            on_screen: false,
            complete_revision: 0,
            seeking: false,
            gesture: None,
            dragging: false,
            offer: None,
            watching: false,
            charted_point: None,
            variant: None,
            last_stroke_edit: None,
            shown_mask: None,
            shown_map: None,
        }
    }
}

impl Document {
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// A counter that increases whenever another scene is opened. Edits do not change it.
    pub fn openings(&self) -> u64 {
        self.openings
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub fn selection(&self) -> Selection {
        self.selection
    }

    /// Index of the selected layer.
    pub fn selected_layer(&self) -> Option<usize> {
        match self.selection {
            Selection::Layer(index) if index < self.scene.layers.len() => Some(index),
            _ => None,
        }
    }

    pub fn select(&mut self, selection: Selection) {
        if let Selection::Layer(index) = selection
            && index >= self.scene.layers.len()
        {
            return;
        }
        let watched = self.process();
        self.selection = selection;
        self.others.clear();
        if self.watching && self.process() != watched {
            self.request_again();
        }
    }

    pub fn solo(&self) -> Option<usize> {
        self.solo
    }

    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Whether the full-resolution terrain was requested but has not arrived. If it is missing although no evaluation
    /// runs, the user has stopped the evaluation.
    pub fn is_unfinished(&self) -> bool {
        let asked_full = self
            .requested
            .is_some_and(|(revision, quality)| revision == self.revision && quality != RequestQuality::Preview);
        asked_full && self.complete_revision != self.revision
    }

    /// Whether the terrain on screen shows the current revision at full resolution, or an iteration of a running
    /// process.
    pub fn is_complete(&self) -> bool {
        self.complete_revision == self.revision
    }

    /// Whether a terrain of this scene has been on screen since the scene was opened.
    pub fn is_on_screen(&self) -> bool {
        self.on_screen
    }

    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Number of times that the scene, its file or its saved state has changed.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Whether the user drags a control or object that changes the scene.
    pub fn is_dragging(&self) -> bool {
        self.dragging
    }

    /// Whether changes would be lost if the program ended now.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// The scene's name, or the name of its file if the scene has none.
    pub fn name(&self) -> String {
        let stem = self.path.as_ref().and_then(|p| p.file_stem()).map(|s| s.to_string_lossy().into_owned());
        match stem {
            Some(stem) if self.scene.name == Scene::default().name => stem,
            _ => self.scene.name.clone(),
        }
    }

    /// The window title; a dot marks unsaved changes.
    pub fn title(&self) -> String {
        let dot = if self.is_dirty() { " •" } else { "" };
        format!("{}{dot} — Talweg", self.name())
    }

    /// Changes the scene with `change`. All edits of one gesture become one undo step.
    pub fn edit(&mut self, label: &str, gesture: Option<Gesture>, change: impl FnOnce(&mut Scene)) {
        let before = Arc::clone(&self.scene);
        change(Arc::make_mut(&mut self.scene));
        if !self.history.record(label, gesture, &before, &self.scene) {
            // restore the old reference, so that an equal construction tree does not count as changed
            self.scene = before;
            return;
        }
        self.gesture = gesture;
        self.after_change(&before);
    }

    /// Must be called once per frame, with the state of the pointer button and the focused widget. A gesture lasts
    /// while the button is down or the widget has the focus. While the button is down, only small previews are
    /// requested.
    pub fn end_frame(&mut self, pointer_down: bool, focused: Option<u64>) {
        if let Some(gesture) = self.gesture
            && !pointer_down
            && focused != Some(gesture.0)
        {
            self.history.finish_gesture();
            self.gesture = None;
        }
        self.dragging = pointer_down && self.gesture.is_some();
    }

    /// Label of the edit that [`undo`](Self::undo) would undo.
    pub fn undo_label(&self) -> Option<&str> {
        self.history.undo_label()
    }

    /// Label of the edit that [`redo`](Self::redo) would redo.
    pub fn redo_label(&self) -> Option<&str> {
        self.history.redo_label()
    }

    /// Labels of the edits that can be undone, the oldest first.
    pub fn edits_done(&self) -> Vec<&str> {
        self.history.done_labels()
    }

    /// Labels of the undone edits; the first is the next edit to redo.
    pub fn edits_undone(&self) -> Vec<&str> {
        self.history.undone_labels()
    }

    pub fn undo(&mut self) {
        if let Some(scene) = self.history.undo(&self.scene) {
            self.go_to(scene);
        }
    }

    pub fn redo(&mut self) {
        if let Some(scene) = self.history.redo(&self.scene) {
            self.go_to(scene);
        }
    }

    fn go_to(&mut self, scene: Arc<Scene>) {
        let before = std::mem::replace(&mut self.scene, scene);
        self.gesture = None;
        self.offer = None;
        self.follow(&before);
        self.after_change(&before);
    }

    /// Selects the layer that undo or redo changed. Keeps solo, playhead and variant only if the order of the layers
    /// did not change.
    fn follow(&mut self, before: &Scene) {
        self.others.clear();
        let (old, new) = (&before.layers, &self.scene.layers);
        let order = |layers: &[Layer]| layers.iter().map(|l| (l.node.about().name, l.seed)).collect::<Vec<_>>();
        if order(old) != order(new) {
            self.solo = None;
            self.variant = None;
            self.last_evaluated = None;
            self.sides.clear();
            self.transport.put_away();
        }
        let first = (0..new.len()).find(|&k| old.get(k) != Some(&new[k]));
        // if a layer was removed, select the layer below it
        let first = first.map(|k| if new.len() < old.len() { k.saturating_sub(1) } else { k });
        if let Some(first) = first {
            self.selection = Selection::Layer(first);
        } else if let Selection::Layer(index) = self.selection {
            self.selection =
                new.len().checked_sub(1).map_or(Selection::Scene, |last| Selection::Layer(index.min(last)));
        }
    }

    fn after_change(&mut self, before: &Scene) {
        self.edits += 1;
        self.dirty = is_unsaved(&self.scene, &self.saved);
        if needs_evaluation(before, &self.scene) {
            self.transport.pause();
            self.bump(false);
        }
    }

    fn bump(&mut self, seeking: bool) {
        self.revision += 1;
        self.seeking = seeking;
    }

    /// Requests an evaluation of the unchanged scene.
    pub fn recompute(&mut self) {
        self.bump(false);
    }

    /// Whether the charts need the history of the process that the playback controls show.
    pub fn is_watching(&self) -> bool {
        self.watching
    }

    /// Sets whether the charts need the history of the process that the playback controls show.
    pub fn watch(&mut self, watching: bool) {
        if self.watching != watching {
            self.watching = watching;
            self.request_again();
        }
    }

    /// The point whose history the charts plot: distances from the west and from the north edge as fractions of the
    /// side length, from 0 to 1.
    pub fn charted_point(&self) -> Option<[f32; 2]> {
        self.charted_point
    }

    /// Sets the point whose history the charts plot, or clears it.
    pub fn chart_point(&mut self, place: Option<[f32; 2]>) {
        if self.charted_point != place {
            self.charted_point = place;
            self.request_again();
        }
    }

    /// Requests the terrain on screen again, to get additional data about it. A playing process continues.
    fn request_again(&mut self) {
        self.bump(true);
    }

    /// Replaces the document by `scene`. History, selection and playback of the old scene are discarded.
    pub fn replace(&mut self, scene: Scene, path: Option<PathBuf>) {
        let selection = scene.layers.len().checked_sub(1).map_or(Selection::Scene, Selection::Layer);
        let scene = Arc::new(scene);
        *self = Self {
            saved: Arc::clone(&scene),
            scene,
            path,
            selection,
            openings: self.openings + 1,
            edits: self.edits + 1,
            revision: self.revision + 1,
            // terrains of the old scene must not be shown any more
            shown_revision: self.revision + 1,
            watching: self.watching,
            ..Self::default()
        };
    }

    /// Opens a scene file. Returns warnings about corrections that were made to the scene.
    ///
    /// # Errors
    /// If the file cannot be read. The document then does not change.
    pub fn open(&mut self, path: &Path) -> Result<Vec<Warning>, SceneError> {
        let (scene, warnings, stamp) = Scene::load_stamped(path)?;
        self.replace(scene, Some(path.into()));
        self.stamp = Some(stamp);
        Ok(warnings)
    }

    /// Restores a scene with unsaved edits. The contents of `file` count as the saved state.
    pub fn restore(&mut self, scene: Scene, file: Option<PathBuf>) {
        let saved = file.as_deref().and_then(|file| Scene::load_stamped(file).ok());
        self.replace(scene, file);
        let (saved, stamp) = saved.map(|(saved, _, stamp)| (saved, stamp)).unzip();
        self.saved = saved.map(Arc::new).unwrap_or_default();
        self.dirty = is_unsaved(&self.scene, &self.saved);
        self.stamp = stamp;
    }

    /// Replaces the scene by another scene as an edit, which can be undone. The document keeps its file.
    pub fn replace_by_edit(&mut self, label: &str, scene: Scene) {
        let before = Arc::clone(&self.scene);
        self.edit(label, None, |now| *now = scene);
        self.follow(&before);
    }

    /// The save target for `path`. The document's own file can be overwritten without a question if no other program
    /// has changed it.
    pub fn target(&self, path: &Path) -> SaveTarget {
        let target = SaveTarget::new(path);
        match self.stamp.clone().filter(|_| self.path() == Some(path)) {
            Some(stamp) => target.if_unchanged_since(stamp),
            None => target,
        }
    }

    /// Saves the scene to a file, which becomes the document's file.
    ///
    /// # Errors
    /// If the file cannot be written, or if a power failure could still undo the write. The document then stays
    /// unsaved.
    pub fn save(&mut self, to: impl Into<SaveTarget>) -> Result<(), SceneError> {
        let to = to.into();
        let saved = self.scene.save(&to);
        self.note_save(to.path(), saved)
    }

    /// Records the result of saving to `path`.
    fn note_save(&mut self, path: &Path, saved: Result<FileStamp, SceneError>) -> Result<(), SceneError> {
        let unsure = match saved {
            Ok(stamp) => {
                self.stamp = Some(stamp);
                self.saved = Arc::clone(&self.scene);
                self.dirty = false;
                None
            }
            // The file has the new contents, but a power failure could restore the old contents. Therefore the edits
            // still count as unsaved, and the journal records them as edits of this file.
            Err(SceneError::Write(error)) if error.is_replaced() => {
                self.stamp = FileStamp::read(path).ok();
                Some(error)
            }
            Err(error) => return Err(error),
        };
        self.path = Some(path.into());
        self.edits += 1;
        unsure.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// Whether `scene` differs from the saved one. Settings of the last export do not count, because an export must not
/// make a scene unsaved.
fn is_unsaved(scene: &Scene, saved: &Scene) -> bool {
    let same_builds = || Scene { builds: saved.builds.clone(), ..scene.clone() };
    scene != saved && (scene.builds == saved.builds || same_builds() != *saved)
}

/// Whether a change of the scene needs an evaluation. Changes of names, palette, biomes and materials do not need one.
/// Changes of the sun do, because light and shadows are prepared with the terrain.
fn needs_evaluation(before: &Scene, after: &Scene) -> bool {
    // name all fields, so that the compiler reports a new field that this function ignores
    let Scene {
        name: _,
        settings,
        planet,
        palette: _,
        own_palette: _,
        climate: _,
        biomes: _,
        materials: _,
        scatter: _,
        patch: _,
        builds: _,
        bookmarks: _,
        layers,
        whole: _,
    } = before;
    // a reference names a layer
    let reads = |(index, layer): (usize, &Layer)| layer.readers(index).next().is_some();
    let names_matter = layers.iter().enumerate().chain(after.layers.iter().enumerate()).any(reads);
    let same_layer = |(a, b): (&Layer, &Layer)| {
        let Layer { name, enabled, seed, node, epochs, branch, mix, mask, note: _, locked: _, depth } = a;
        (!names_matter || *name == b.name)
            && (enabled, seed, branch, depth) == (&b.enabled, &b.seed, &b.branch, &b.depth)
            && (node, epochs, mix, mask) == (&b.node, &b.epochs, &b.mix, &b.mask)
    };
    *settings != after.settings
        || *planet != after.planet
        || layers.len() != after.layers.len()
        || !layers.iter().zip(&after.layers).all(same_layer)
}

#[cfg(test)]
mod tests;
