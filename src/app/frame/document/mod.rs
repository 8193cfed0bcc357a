//! The open scene with everything that belongs to editing it: history, file, selection, solo, transport.
//!
//! Plain data, without engine and without interface. Every change goes through [`Document::edit`], so that it can be
//! undone; [`Document::take_request`] says what the worker shall compute next.

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

pub use crate::frame::document::branches::Offer;
pub use crate::frame::document::group::Group;
pub use crate::frame::document::groups::StackPlace;
pub use crate::frame::document::sides::LayerSides;
pub use crate::frame::document::transport::{SPEED_RANGE, Transport};
pub use crate::frame::document::variant::Variant;

use talweg::eval::{RequestQuality, StrokeTarget};
use talweg::field::MapKind;
use talweg::io::{FileStamp, SaveTarget};
use talweg::scene::{EditHistory, Gesture, Layer, Scene, SceneError, Warning};

/// What the parameter panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The settings of the scene.
    Scene,
    /// A layer, counted from the ground up.
    Layer(usize),
}

/// See the module.
#[derive(Debug)]
pub struct Document {
    scene: Scene,
    history: EditHistory,
    path: Option<PathBuf>,
    /// Grows with every scene that takes the place of another one.
    openings: u64,
    /// The scene as it was opened or saved last.
    saved: Scene,
    /// Grows with every change of the scene, its file, or what counts as saved.
    edits: u64,
    /// Its file as it was then.
    stamp: Option<FileStamp>,
    selection: Selection,
    /// Layers that are selected besides that one.
    others: BTreeSet<usize>,
    solo: Option<usize>,
    /// The highest layer that is evaluated, if that is not the topmost.
    end: Option<usize>,
    /// The two sides of layers that somebody compares, by their numbers.
    sides: BTreeMap<usize, LayerSides>,
    transport: Transport,
    /// Grows with every change that needs an evaluation, also from one scene to the next.
    revision: u64,
    /// Revision of the newest request, and its quality.
    asked: Option<(u64, RequestQuality)>,
    /// Revision of the newest picture on screen.
    shown: u64,
    /// Revision of the newest picture at full size.
    complete: u64,
    /// The newest change moved the playhead and nothing else.
    seeking: bool,
    gesture: Option<Gesture>,
    dragging: bool,
    /// What can be done about a process that was changed on the way.
    offer: Option<Offer>,
    /// The course of the process is wanted beside the picture.
    watching: bool,
    /// The place that is watched.
    place: Option<[f32; 2]>,
    /// What the terrain on screen is compared with, if that is the same scene.
    variant: Option<Variant>,
    /// What a brush changed last, and the revision that came of it.
    stroked: Option<(u64, StrokeTarget)>,
    /// The layer whose mask is shown on the ground.
    shown_mask: Option<usize>,
    /// The data map that is shown on the ground while it is painted.
    shown_map: Option<MapKind>,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            scene: Scene::default(),
            history: EditHistory::default(),
            path: None,
            openings: 0,
            saved: Scene::default(),
            edits: 0,
            stamp: None,
            selection: Selection::Scene,
            others: BTreeSet::new(),
            solo: None,
            end: None,
            sides: BTreeMap::new(),
            transport: Transport::default(),
            revision: 1,
            asked: None,
            shown: 0,
            complete: 0,
            seeking: false,
            gesture: None,
            dragging: false,
            offer: None,
            watching: false,
            place: None,
            variant: None,
            stroked: None,
            shown_mask: None,
            shown_map: None,
        }
    }
}

impl Document {
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// A number that another scene changes, and no edit.
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
            self.look_again();
        }
    }

    pub fn solo(&self) -> Option<usize> {
        self.solo
    }

    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Whether the full size was asked for and has not come; if nothing is being computed, it was stopped.
    pub fn is_unfinished(&self) -> bool {
        let asked_full = self
            .asked
            .is_some_and(|(revision, quality)| revision == self.revision && quality != RequestQuality::Preview);
        asked_full && self.complete != self.revision
    }

    /// Whether what is on screen is this revision at full size, or on its way through a process.
    pub fn is_complete(&self) -> bool {
        self.complete == self.revision
    }

    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Grows with every change of the scene, its file, or what counts as saved.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Whether the pointer drags something that changes the scene.
    pub fn is_dragging(&self) -> bool {
        self.dragging
    }

    /// Whether something would be lost if the program ended now.
    pub fn is_dirty(&self) -> bool {
        self.scene != self.saved
    }

    /// The scene's name; its file's name while it has none of its own.
    pub fn name(&self) -> String {
        let stem = self.path.as_ref().and_then(|p| p.file_stem()).map(|s| s.to_string_lossy().into_owned());
        match stem {
            Some(stem) if self.scene.name == Scene::default().name => stem,
            _ => self.scene.name.clone(),
        }
    }

    /// Title of the window; a dot marks unsaved changes.
    pub fn title(&self) -> String {
        let dot = if self.is_dirty() { " •" } else { "" };
        format!("{}{dot} — Talweg", self.name())
    }

    /// Changes the scene. Edits of one gesture become one undo step.
    pub fn edit(&mut self, label: &str, gesture: Option<Gesture>, change: impl FnOnce(&mut Scene)) {
        let before = self.scene.clone();
        change(&mut self.scene);
        if before == self.scene {
            // what is shared stays shared: nobody takes an equal tree for another one
            self.scene = before;
            return;
        }
        self.history.record(label, gesture, &before, &self.scene);
        self.gesture = gesture;
        self.after_change(&before);
    }

    /// Tells the document, once a frame, whether the pointer is down and which widget has the keyboard. A gesture lasts
    /// while either of the two holds; while the pointer is down small previews are enough.
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

    /// What [`undo`](Self::undo) would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.history.undo_label()
    }

    /// What [`redo`](Self::redo) would bring back.
    pub fn redo_label(&self) -> Option<&str> {
        self.history.redo_label()
    }

    /// The edits that led here, the oldest first; no more than undo goes back.
    pub fn edits_done(&self) -> Vec<&str> {
        self.history.done_labels()
    }

    /// The edits that were undone, the one that redo brings back first.
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

    fn go_to(&mut self, scene: Scene) {
        let before = std::mem::replace(&mut self.scene, scene);
        self.gesture = None;
        self.offer = None;
        self.follow(&before);
        self.after_change(&before);
    }

    /// Selects what undo or redo changed; solo, playhead and variant stay only if the stack kept its order.
    fn follow(&mut self, before: &Scene) {
        self.others.clear();
        let (old, new) = (&before.layers, &self.scene.layers);
        let order = |layers: &[Layer]| layers.iter().map(|l| (l.node.about().name, l.seed)).collect::<Vec<_>>();
        if order(old) != order(new) {
            self.solo = None;
            self.variant = None;
            self.end = None;
            self.sides.clear();
            self.transport.put_away();
        }
        let first = (0..new.len()).find(|&k| old.get(k) != Some(&new[k]));
        // where a layer went away, the one below it, which it was added to
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
        if needs_evaluation(before, &self.scene) {
            self.transport.pause();
            self.bump(false);
        }
    }

    fn bump(&mut self, seeking: bool) {
        self.revision += 1;
        self.seeking = seeking;
    }

    /// Asks for the present scene once more.
    pub fn recompute(&mut self) {
        self.bump(false);
    }

    /// Whether the course of the process is wanted beside the picture.
    pub fn is_watching(&self) -> bool {
        self.watching
    }

    /// Wants the course of the process, or no longer.
    pub fn watch(&mut self, watching: bool) {
        if self.watching != watching {
            self.watching = watching;
            self.look_again();
        }
    }

    /// The place that is watched: to the east and to the south, from 0 to 1.
    pub fn place(&self) -> Option<[f32; 2]> {
        self.place
    }

    /// Watches a place, or none.
    pub fn watch_place(&mut self, place: Option<[f32; 2]>) {
        if self.place != place {
            self.place = place;
            self.look_again();
        }
    }

    /// Asks for what is shown once more, to learn more about it; what plays goes on.
    fn look_again(&mut self) {
        self.bump(true);
    }

    /// Begins anew with `scene`; nothing of the old one is kept.
    pub fn replace(&mut self, scene: Scene, path: Option<PathBuf>) {
        let selection = scene.layers.len().checked_sub(1).map_or(Selection::Scene, Selection::Layer);
        *self = Self {
            saved: scene.clone(),
            scene,
            path,
            selection,
            openings: self.openings + 1,
            edits: self.edits + 1,
            revision: self.revision + 1,
            // nothing of the old scene is shown any more
            shown: self.revision + 1,
            watching: self.watching,
            ..Self::default()
        };
    }

    /// Opens a scene file.
    ///
    /// # Errors
    /// When it cannot be read; the document stays as it was.
    pub fn open(&mut self, path: &Path) -> Result<Vec<Warning>, SceneError> {
        let (scene, warnings, stamp) = Scene::load_stamped(path)?;
        self.replace(scene, Some(path.into()));
        self.stamp = Some(stamp);
        Ok(warnings)
    }

    /// Goes on with a scene whose edits were not saved; what is in its file counts as saved.
    pub fn restore(&mut self, scene: Scene, file: Option<PathBuf>) {
        let saved = file.as_deref().and_then(|file| Scene::load_stamped(file).ok());
        self.replace(scene, file);
        let (saved, stamp) = saved.map(|(saved, _, stamp)| (saved, stamp)).unzip();
        self.saved = saved.unwrap_or_default();
        self.stamp = stamp;
    }

    /// Puts another scene in place of this one, as an edit: the file stays, and it can be undone.
    pub fn replace_by_edit(&mut self, label: &str, scene: Scene) {
        let before = self.scene.clone();
        self.edit(label, None, |now| *now = scene);
        self.follow(&before);
    }

    /// Where `path` is written: if it is the document's file, only as long as no other program has changed it.
    pub fn target(&self, path: &Path) -> SaveTarget {
        let target = SaveTarget::new(path);
        match self.stamp.clone().filter(|_| self.path() == Some(path)) {
            Some(stamp) => target.if_unchanged_since(stamp),
            None => target,
        }
    }

    /// Saves to a file, which becomes the document's.
    ///
    /// # Errors
    /// When it cannot be written, or perhaps not for ever; the document stays unsaved.
    pub fn save(&mut self, to: impl Into<SaveTarget>) -> Result<(), SceneError> {
        let to = to.into();
        let saved = self.scene.save(&to);
        self.note_save(to.path(), saved)
    }

    /// Takes in how saving to `path` went.
    fn note_save(&mut self, path: &Path, saved: Result<FileStamp, SceneError>) -> Result<(), SceneError> {
        let unsure = match saved {
            Ok(stamp) => {
                self.stamp = Some(stamp);
                self.saved = self.scene.clone();
                None
            }
            // the file is the new one and no other program's, but after a power failure the old one may be back: the
            // edits count as unsaved, and the journal keeps them as those of this file
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

/// Whether the worker has something to do: names, palette, biomes and materials are none of its business; the sun is,
/// because its light and shadows are prepared with the terrain.
fn needs_evaluation(before: &Scene, after: &Scene) -> bool {
    let essence = |scene: &Scene| {
        let mut scene = scene.clone();
        scene.name.clear();
        scene.palette.clear();
        (scene.climate, scene.biomes, scene.patch) = (None, None, None);
        (scene.materials, scene.scatter) = (None, None);
        scene.bookmarks.clear();
        scene.layers.iter_mut().for_each(|layer| (layer.note, layer.locked) = (String::new(), false));
        // a mask may read a layer by its name
        if !scene.layers.iter().any(|layer| layer.mask.by_layer) {
            scene.layers.iter_mut().for_each(|layer| layer.name.clear());
        }
        scene
    };
    essence(before) != essence(after)
}

#[cfg(test)]
mod tests;
