//! Executes the commands on construction pieces.

use crate::features::construction::commands::{PieceAction, Push, TakeImage};
use crate::features::construction::list::{TreeState, set};
use crate::features::construction::viewport::{
    Grab, grab, locked_among, look_at, push_metres, pushed, toggle_pen, transform_of,
};
use crate::frame::commands::{Command, CommandQueue};
use crate::frame::dialogs::files::{self, Files};
use crate::frame::editor::Editor;
use crate::view::{TerrainView, ViewCommand};
use talweg::construction::edit::link_group::{self, Motion};
use talweg::construction::edit::snap::{GroundBelow, drape_points, make_downhill};
use talweg::construction::edit::{self, EditError, PiecePath, Root, pick_index, points, several};
use talweg::construction::{Piece, PieceKind, Tree};

/// Distances by which an arrow key moves a piece, without and with Shift, as fractions of the side length.
const PUSH: f64 = 1.0 / 400.0;
const PUSH_FAR: f64 = 1.0 / 50.0;

/// The state that piece commands edit.
pub(super) struct Pieces<'a> {
    pub editor: &'a mut Editor,
    pub state: &'a mut TreeState,
    pub queue: &'a mut CommandQueue,
}

impl Pieces<'_> {
    /// Executes a piece command. Commands that do not apply to the current selection are ignored.
    pub(super) fn run(&mut self, action: PieceAction, stage: Option<&TerrainView>) {
        match action {
            PieceAction::Library => {
                self.state.library_folded = !self.state.library_folded;
                return;
            }
            PieceAction::Follow => {
                self.state.follows = !self.state.follows;
                return;
            }
            _ => {}
        }
        let Some((layer, tree)) = self.editor.doc.tree().map(|(layer, tree)| (layer, (**tree).clone())) else { return };
        let Some(path) = self.state.selected().cloned() else { return };
        let Some(piece) = path.piece(&tree).cloned() else { return };
        // move a copy by this offset, so that it does not cover the original
        let aside = f64::from(tree.frame.side) / 16.0;
        let all = self.state.selected_pieces();
        // the command applies to the selected point if there is one, otherwise to the piece
        let is_point = self.state.point.is_some()
            && matches!(action, PieceAction::Delete | PieceAction::Push(_) | PieceAction::PushFar(_));
        if all.len() > 1 && !is_point && self.run_on_all(action, layer, &tree, &all, aside, stage) {
            return;
        }
        match action {
            PieceAction::Rename => self.state.rename(&tree),
            PieceAction::Grab => grab(&self.editor.doc, self.state, stage, Grab::Move),
            PieceAction::Turn => grab(&self.editor.doc, self.state, stage, Grab::Turn),
            PieceAction::Scale => grab(&self.editor.doc, self.state, stage, Grab::Scale),
            PieceAction::Duplicate => {
                let seed = self.editor.doc.tree_seed(layer);
                self.change(layer, &tree, "Duplicate feature", |tree| {
                    link_group::duplicate(tree, &path, aside, seed).map(Some)
                })
            }
            PieceAction::Tie => self.link(layer, &tree, &path, &piece),
            PieceAction::Instance => {
                self.change(layer, &tree, "Add instance", |tree| link_group::instantiate(tree, &path, aside).map(Some))
            }
            PieceAction::Group(wrap) => {
                self.change(layer, &tree, "Group feature", |tree| edit::group(tree, &path, wrap).map(Some))
            }
            PieceAction::Dissolve => {
                self.change(layer, &tree, "Ungroup feature", |tree| edit::dissolve(tree, &path).map(Some))
            }
            PieceAction::Delete => self.delete(layer, &tree, &path, &piece),
            PieceAction::Hide => {
                let label = if piece.hidden { "Show feature" } else { "Hide feature" };
                let mut tree = tree.clone();
                link_group::hide(&mut tree, &path);
                self.editor.doc.edit_tree(layer, label, None, tree);
            }
            PieceAction::Lock => {
                let label = if piece.locked { "Unlock feature" } else { "Lock feature" };
                self.alter(layer, &tree, &path, label, |piece| piece.locked ^= true);
            }
            PieceAction::Look => {
                let seed = self.editor.doc.tree_seed(layer);
                let seen = stage.and_then(|stage| look_at(stage, &tree, &path, seed));
                self.queue.extend(seen.map(look));
            }
            PieceAction::Push(push) => self.push(&tree, &path, &piece, push, PUSH, stage),
            PieceAction::PushFar(push) => self.push(&tree, &path, &piece, push, PUSH_FAR, stage),
            PieceAction::Draw => toggle_pen(&self.editor.doc, self.state),
            PieceAction::Lay => self.drape_path(layer, &tree, &path),
            PieceAction::Fall => {
                let mut sunk = None;
                self.alter(layer, &tree, &path, "Run downhill", |piece| {
                    sunk = points::line_mut(piece).map(|p| make_downhill(p))
                });
                self.state.notice = sunk.map(|sunk| match sunk {
                    0 => "The line already runs downhill.".into(),
                    1 => "1 point was lowered.".into(),
                    many => format!("{many} points were lowered."),
                });
            }
            PieceAction::Bend => self.alter(layer, &tree, &path, "Shape by points", |piece| {
                if let PieceKind::Contour(contour) = &mut piece.kind
                    && contour.points.is_empty()
                {
                    points::give_points(contour);
                }
            }),
            PieceAction::ChooseImage => self.ask_which_image(),
            PieceAction::Library | PieceAction::Follow => {}
        }
    }

    /// Executes a command on several pieces. Returns whether the command applies to all of them.
    fn run_on_all(
        &mut self,
        action: PieceAction,
        layer: usize,
        tree: &Tree,
        all: &[PiecePath],
        aside: f64,
        stage: Option<&TerrainView>,
    ) -> bool {
        let seed = self.editor.doc.tree_seed(layer);
        let toggled = |(was, would): (&'static str, &'static str), is: bool| if is { was } else { would };
        match action {
            PieceAction::Duplicate => self
                .change_all(layer, tree, "Duplicate features", |tree| several::duplicate_all(tree, all, aside, seed)),
            PieceAction::Delete => self.change_all(layer, tree, "Delete features", |tree| {
                several::remove_all(tree, all).map(|next| next.into_iter().collect())
            }),
            PieceAction::Group(wrap) => self.change_all(layer, tree, "Group features", |tree| {
                several::group_all(tree, all, wrap).map(|path| vec![path])
            }),
            PieceAction::Hide | PieceAction::Lock => {
                let mut tree = tree.clone();
                let label = if action == PieceAction::Hide {
                    toggled(("Hide features", "Show features"), several::toggle_hidden(&mut tree, all))
                } else {
                    toggled(("Lock features", "Unlock features"), several::toggle_locked(&mut tree, all))
                };
                self.editor.doc.edit_tree(layer, label, None, tree);
            }
            PieceAction::Push(push) => self.push_all(tree, all, push, PUSH, stage),
            PieceAction::PushFar(push) => self.push_all(tree, all, push, PUSH_FAR, stage),
            _ => return false,
        }
        true
    }

    /// Makes an edit of several pieces. `edit` returns the pieces to select afterwards. If the edit fails, shows the
    /// reason.
    fn change_all(
        &mut self,
        layer: usize,
        tree: &Tree,
        label: &str,
        edit: impl FnOnce(&mut Tree) -> Result<Vec<PiecePath>, EditError>,
    ) {
        let mut tree = tree.clone();
        match edit(&mut tree) {
            Ok(paths) => {
                self.editor.doc.edit_tree(layer, label, None, tree);
                self.state.select_all(paths);
            }
            Err(why) => self.editor.toasts.warning(format!("{label}: {why}.")),
        }
    }

    /// Moves several pieces with an arrow key.
    fn push_all(&mut self, tree: &Tree, all: &[PiecePath], push: Push, share: f64, stage: Option<&TerrainView>) {
        if let Some(refusal) = locked_among(tree, all) {
            self.state.notice = Some(refusal);
            return;
        }
        let Some((layer, seed, transform)) = all.last().and_then(|path| transform_of(&self.editor.doc, tree, path))
        else {
            return;
        };
        let (right, away) = push.steps();
        let by = push_metres(stage, tree, right, away, share);
        let centre = all.last().and_then(|path| pick_index::centre(tree, path)).unwrap_or_default();
        let from = transform.outward(centre);
        let motion = Motion::Shift { from, to: [from[0] + by[0], from[1] + by[1]] };
        let chosen = several::outermost(tree, all);
        let grounds = if self.state.follows {
            GroundBelow::of_each(tree, &chosen, seed, self.state.program())
        } else {
            Vec::new()
        };
        let mut tree = tree.clone();
        several::move_all(&mut tree, &chosen, seed, &motion, &grounds);
        self.editor.doc.edit_tree(layer, "Push features", None, tree);
    }

    fn ask_which_image(&mut self) {
        let then = |path| TakeImage(path).into();
        let files = Files::open(&self.editor.doc, files::HEIGHTS_TITLE, files::IMAGES, then);
        self.editor.dialogs.open(files);
    }

    /// Makes an edit of one piece. `edit` returns the piece to select afterwards. If the edit fails, shows the
    /// reason.
    fn change(
        &mut self,
        layer: usize,
        tree: &Tree,
        label: &str,
        edit: impl FnOnce(&mut Tree) -> Result<Option<PiecePath>, EditError>,
    ) {
        let mut tree = tree.clone();
        match edit(&mut tree) {
            Ok(path) => {
                self.editor.doc.edit_tree(layer, label, None, tree);
                self.state.select(path);
            }
            Err(why) => self.editor.toasts.warning(format!("{label}: {why}.")),
        }
    }

    fn alter(&mut self, layer: usize, tree: &Tree, path: &PiecePath, label: &str, change: impl FnOnce(&mut Piece)) {
        set(&mut self.editor.doc, layer, tree, path, label, change);
    }

    fn delete(&mut self, layer: usize, tree: &Tree, path: &PiecePath, piece: &Piece) {
        if let Some(k) = self.state.point.filter(|_| !matches!(piece.kind, PieceKind::Image(_))) {
            let mut new = tree.clone();
            let removed = path.piece_mut(&mut new).map(|piece| points::remove_point(piece, k));
            match removed {
                Some(Ok(())) => {
                    link_group::update_linked(&mut new, piece, path, self.editor.doc.tree_seed(layer));
                    self.editor.doc.edit_tree(layer, "Delete point", None, new);
                    self.state.point = None;
                }
                Some(Err(why)) => self.editor.toasts.warning(format!("The point was not deleted: {why}.")),
                None => {}
            }
            return;
        }
        self.change(layer, tree, "Delete feature", |tree| link_group::remove_all(tree, path));
    }

    fn push(
        &mut self,
        tree: &Tree,
        path: &PiecePath,
        piece: &Piece,
        push: Push,
        share: f64,
        stage: Option<&TerrainView>,
    ) {
        if path.is_locked(tree) {
            self.state.notice = Some("The feature is locked; unlock it to move it.".into());
            return;
        }
        let (right, away) = push.steps();
        let Some((layer, seed, transform)) = transform_of(&self.editor.doc, tree, path) else { return };
        let by = push_metres(stage, tree, right, away, share);
        let centre = pick_index::centre(tree, path).unwrap_or_default();
        let is_whole = self.state.point.is_none();
        match pushed(piece, self.state.point, &transform, centre, by) {
            Ok(mut moved) => {
                if self.state.follows {
                    let below = GroundBelow::new(tree, path, seed, self.state.program());
                    let at = self.state.point;
                    if let Some(points) = points::line_mut(&mut moved) {
                        match at.and_then(|k| points.get_mut(k)) {
                            Some(point) => drape_points(std::slice::from_mut(point), |q| below.height(q)),
                            None => drape_points(points, |q| below.height(q)),
                        }
                    }
                }
                let mut tree = tree.clone();
                let from = transform.outward(centre);
                let motion = Motion::Shift { from, to: [from[0] + by[0], from[1] + by[1]] };
                // move linked pieces first, and then adapt them to the reshaped line
                let before = if is_whole { motion.applied(piece, path.root, &transform) } else { piece.clone() };
                if is_whole {
                    link_group::move_linked(&mut tree, path, seed, &motion);
                }
                if let Some(piece) = path.piece_mut(&mut tree) {
                    *piece = moved;
                }
                link_group::update_linked(&mut tree, &before, path, seed);
                self.editor.doc.edit_tree(layer, "Push feature", None, tree);
            }
            Err(why) => self.state.notice = Some(format!("Cannot move there: {why}.")),
        }
    }

    /// Links a piece with a piece of another material layer that lies at the centre of the first piece. Unlinks the
    /// piece if it is already linked.
    fn link(&mut self, layer: usize, tree: &Tree, path: &PiecePath, piece: &Piece) {
        let mut new = tree.clone();
        if !piece.link_group.is_empty() {
            link_group::unlink(&mut new, path);
            self.editor.doc.edit_tree(layer, "Unlink feature", None, new);
            return;
        }
        let seed = self.editor.doc.tree_seed(layer);
        let (Some(centre), Some(pick_index)) =
            (pick_index::centre(tree, path), self.state.view.pick_index(&self.editor.doc))
        else {
            return;
        };
        let at = edit::transform_path::TransformPath::for_piece(tree, path, seed).outward(centre);
        let is_other =
            |other: &PiecePath| matches!((other.root, path.root), (Root::Material(a), Root::Material(b)) if a != b);
        match pick_index.pieces_at(at).into_iter().map(|(other, _)| other).find(is_other) {
            Some(other) => {
                link_group::link(&mut new, &other, path);
                self.editor.doc.edit_tree(layer, "Link features", None, new);
            }
            None => {
                self.state.notice =
                    Some("Nothing to link: no feature of another material layer lies at its centre.".into())
            }
        }
    }

    fn drape_path(&mut self, layer: usize, tree: &Tree, path: &PiecePath) {
        let seed = self.editor.doc.tree_seed(layer);
        let below = GroundBelow::new(tree, path, seed, self.state.program());
        self.alter(layer, tree, path, "Snap to terrain", |piece| {
            if let Some(points) = points::line_mut(piece) {
                drape_points(points, |q| below.height(q));
            }
        });
    }
}

/// Returns the camera command that frames a box in world coordinates, given by its lowest and highest corner.
pub(super) fn look([low, high]: [[f32; 3]; 2]) -> Command {
    ViewCommand::Look { low_world: low.into(), high_world: high.into() }.into()
}
