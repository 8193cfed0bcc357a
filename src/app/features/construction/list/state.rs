//! State of the construction panels: the selected pieces, and the action in progress.

use bevy::prelude::Resource;

use crate::features::construction::viewport::ViewportState;
use crate::frame::document::Document;
use crate::frame::tasks::Tasks;
use talweg::construction::Tree;
use talweg::construction::edit::library::Item;
use talweg::construction::edit::{self, PiecePath, Root};

/// A piece whose name is being edited.
#[derive(Debug)]
pub(super) struct PieceRename {
    pub(super) path: PiecePath,
    pub(super) text: String,
    pub(super) begun: bool,
}

/// State of the construction panels.
#[derive(Resource, Default)]
pub struct TreeState {
    pub(in crate::features::construction) selected: Option<PiecePath>,
    /// All selected pieces except `selected`, in the order of their selection.
    pub(in crate::features::construction) others: Vec<PiecePath>,
    /// The selected point of a line or contour, or the selected corner of an image.
    pub point: Option<usize>,
    /// Whether moved lines follow the height of the terrain.
    pub follows: bool,
    /// Whether the library is closed.
    pub library_folded: bool,
    /// The library item that is being dragged.
    pub carried: Option<Item>,
    /// Text of the status line that describes the effect of a click or drag.
    pub hint: Option<String>,
    /// Message about an action that failed, or whose effect differs from the request.
    pub(crate) notice: Option<String>,
    pub(crate) hovered: Option<PiecePath>,
    pub(crate) view: ViewportState,
    /// Index of the direction whose profile is being edited.
    pub(crate) ray: usize,
    /// Whether the list must still scroll to the selected piece.
    pub(super) is_sought: bool,
    pub(super) folded: Vec<PiecePath>,
    pub(super) renaming: Option<PieceRename>,
    pub(super) dragged: Option<PiecePath>,
    layer: Option<usize>,
}

impl TreeState {
    /// The piece that was selected last.
    pub fn selected(&self) -> Option<&PiecePath> {
        self.selected.as_ref()
    }

    /// Selects only this piece, or clears the selection.
    pub fn select(&mut self, path: Option<PiecePath>) {
        self.others.clear();
        if self.selected != path {
            (self.point, self.ray) = (None, 0);
            self.is_sought = path.is_some();
        }
        if let Some(path) = &path {
            // unfold the operators that contain the selected piece
            self.folded.retain(|folded| folded == path || !folded.holds(path));
        }
        self.selected = path;
    }

    /// Sets `tasks` as the starter of background work.
    pub fn work_with(&mut self, tasks: &Tasks) {
        self.view.work_with(tasks);
    }

    /// Whether keyboard shortcuts apply to a piece.
    pub fn is_at_work(&self) -> bool {
        self.selected.is_some()
    }

    /// Drops pieces that no longer exist from the selection and from editing. Must be called after another layer was
    /// selected or the construction tree was changed.
    pub fn follow(&mut self, document: &Document) {
        let Some((layer, tree)) = document.tree() else {
            let view = self.view.emptied();
            *self = Self { follows: self.follows, library_folded: self.library_folded, view, ..Self::default() };
            return;
        };
        if self.layer != Some(layer) {
            (self.selected, self.renaming, self.dragged) = (None, None, None);
            self.others.clear();
            self.folded.clear();
            self.layer = Some(layer);
        }
        let is_there =
            |path: &PiecePath| path.piece(tree).is_some() || matches!(path.root, Root::Material(_)) && path.is_root();
        self.others.retain(|path| path.piece(tree).is_some());
        if self.selected.as_ref().is_some_and(|path| !is_there(path)) {
            self.selected = self.others.pop();
        }
        let points =
            self.selected.as_ref().and_then(|path| path.piece(tree)).map_or(0, |p| edit::points::handles(p).len());
        self.point = self.point.filter(|&k| k < points);
        self.hovered = None;
    }

    /// Starts editing the name of the selected piece.
    pub fn rename(&mut self, tree: &Tree) {
        let Some((path, piece)) = self.selected.as_ref().and_then(|path| Some((path, path.piece(tree)?))) else {
            return;
        };
        let text = match path.root {
            Root::Definition(k) if path.is_root() => tree.definitions[k].name.clone(),
            _ => piece.name.clone(),
        };
        self.renaming = Some(PieceRename { path: path.clone(), text, begun: false });
    }

    /// The newest compiled construction tree. It may be compiled from an older version of the tree of the selected
    /// layer, but shares most parts with the current version.
    pub(crate) fn program(&self) -> Option<&talweg::construction::Program> {
        self.view.latest().map(|pick_index| &*pick_index.program)
    }

    /// Does the first of these that applies: cancels the current action, deselects the point, deselects all pieces
    /// except the last, deselects the last piece. Returns whether one of them applied.
    pub fn cancel_one(&mut self) -> bool {
        if self.renaming.take().is_some() || self.carried.take().is_some() || self.dragged.take().is_some() {
            return true;
        }
        if self.point.take().is_some() {
            return true;
        }
        if !self.others.is_empty() {
            self.others.clear();
            return true;
        }
        let had = self.selected.is_some();
        self.select(None);
        had
    }
}
