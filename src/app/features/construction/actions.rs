//! What the commands for pieces do.

use crate::app::features::construction::commands::{PieceAction, Push, TakePicture};
use crate::app::features::construction::list::{TreeState, set};
use crate::app::features::construction::viewport::{Grab, chain_of, grab, look_at, push_metres, pushed};
use crate::app::frame::commands::{Command, CommandQueue};
use crate::app::frame::dialogs::files::{self, Files};
use crate::app::frame::editor::Editor;
use crate::app::view::{Stage, ViewCommand};
use crate::construction::edit::bond::{self, Motion};
use crate::construction::edit::snap::{Below, fall, lay};
use crate::construction::edit::{self, Refusal, Root, Way, outlook, points};
use crate::construction::{Form, Piece, Tree};

/// Share of the side that an arrow key pushes by; with Shift.
const PUSH: f64 = 1.0 / 400.0;
const PUSH_FAR: f64 = 1.0 / 50.0;

/// What the commands for pieces change.
pub(super) struct Pieces<'a> {
    pub editor: &'a mut Editor,
    pub state: &'a mut TreeState,
    pub queue: &'a mut CommandQueue,
}

impl Pieces<'_> {
    /// Carries out a command for pieces. What does not apply at the moment is ignored.
    pub(super) fn run(&mut self, action: PieceAction, stage: Option<&Stage>) {
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
        let Some(way) = self.state.selected().cloned() else { return };
        let Some(piece) = way.of(&tree).cloned() else { return };
        // a copy lies beside, not on, what it is a copy of
        let aside = f64::from(tree.frame.side) / 16.0;
        match action {
            PieceAction::Rename => self.state.rename(&tree),
            PieceAction::Grab => grab(&self.editor.doc, &mut self.state, stage, Grab::Move),
            PieceAction::Turn => grab(&self.editor.doc, &mut self.state, stage, Grab::Turn),
            PieceAction::Scale => grab(&self.editor.doc, &mut self.state, stage, Grab::Scale),
            PieceAction::Duplicate => {
                let seed = self.editor.doc.tree_seed(layer);
                self.change(layer, &tree, "Duplicate piece", |tree| bond::duplicate(tree, &way, aside, seed).map(Some))
            }
            PieceAction::Tie => self.tie(layer, &tree, &way, &piece),
            PieceAction::Instance => {
                self.change(layer, &tree, "Linked copy", |tree| bond::instantiate(tree, &way, aside).map(Some))
            }
            PieceAction::Group(wrap) => {
                self.change(layer, &tree, "Group piece", |tree| edit::group(tree, &way, wrap).map(Some))
            }
            PieceAction::Dissolve => {
                self.change(layer, &tree, "Dissolve operator", |tree| edit::dissolve(tree, &way).map(Some))
            }
            PieceAction::Delete => self.delete(layer, &tree, &way, &piece),
            PieceAction::Hide => {
                let label = if piece.hidden { "Show piece" } else { "Hide piece" };
                let mut tree = tree.clone();
                bond::hide(&mut tree, &way);
                self.editor.doc.edit_tree(layer, label, None, tree);
            }
            PieceAction::Lock => {
                let label = if piece.locked { "Unlock piece" } else { "Lock piece" };
                self.alter(layer, &tree, &way, label, |piece| piece.locked ^= true);
            }
            PieceAction::Look => {
                let seed = self.editor.doc.tree_seed(layer);
                let seen = stage.and_then(|stage| look_at(stage, &tree, &way, seed));
                self.queue.extend(seen.map(look));
            }
            PieceAction::Push(push) => self.push(&tree, &way, &piece, push, PUSH, stage),
            PieceAction::PushFar(push) => self.push(&tree, &way, &piece, push, PUSH_FAR, stage),
            PieceAction::Lay => self.lay(layer, &tree, &way),
            PieceAction::Fall => {
                let mut sunk = None;
                self.alter(layer, &tree, &way, "Run downhill", |piece| sunk = points::line_mut(piece).map(|p| fall(p)));
                self.state.notice = sunk.map(|sunk| match sunk {
                    0 => "The line falls already.".into(),
                    1 => "1 point was lowered.".into(),
                    many => format!("{many} points were lowered."),
                });
            }
            PieceAction::Bend => self.alter(layer, &tree, &way, "Shape by points", |piece| {
                if let Form::Contour(contour) = &mut piece.form
                    && contour.points.is_empty()
                {
                    points::give_points(contour);
                }
            }),
            PieceAction::ChoosePicture => self.ask_which_picture(),
            PieceAction::Library | PieceAction::Follow => {}
        }
    }

    fn ask_which_picture(&mut self) {
        let then = |path| TakePicture(path).into();
        let files = Files::open(&self.editor.doc, files::HEIGHTS_TITLE, files::IMAGES, then);
        self.editor.dialogs.open(files);
    }

    /// Makes an edit that says what to select then; one that is refused is said.
    fn change(
        &mut self,
        layer: usize,
        tree: &Tree,
        label: &str,
        edit: impl FnOnce(&mut Tree) -> Result<Option<Way>, Refusal>,
    ) {
        let mut tree = tree.clone();
        match edit(&mut tree) {
            Ok(way) => {
                self.editor.doc.edit_tree(layer, label, None, tree);
                self.state.select(way);
            }
            Err(why) => self.editor.toasts.warning(format!("{label}: {why}.")),
        }
    }

    fn alter(&mut self, layer: usize, tree: &Tree, way: &Way, label: &str, change: impl FnOnce(&mut Piece)) {
        set(&mut self.editor.doc, layer, tree, way, label, change);
    }

    fn delete(&mut self, layer: usize, tree: &Tree, way: &Way, piece: &Piece) {
        if let Some(k) = self.state.point.filter(|_| !matches!(piece.form, Form::Image(_))) {
            let mut new = tree.clone();
            let removed = way.of_mut(&mut new).map(|piece| points::remove_point(piece, k));
            match removed {
                Some(Ok(())) => {
                    bond::follow(&mut new, piece, way, self.editor.doc.tree_seed(layer));
                    self.editor.doc.edit_tree(layer, "Delete point", None, new);
                    self.state.point = None;
                }
                Some(Err(why)) => self.editor.toasts.warning(format!("The point stays: {why}.")),
                None => {}
            }
            return;
        }
        self.change(layer, tree, "Delete piece", |tree| bond::remove_all(tree, way));
    }

    fn push(&mut self, tree: &Tree, way: &Way, piece: &Piece, push: Push, share: f64, stage: Option<&Stage>) {
        if way.is_locked(tree) {
            self.state.notice = Some("The piece is locked: it stays where it is.".into());
            return;
        }
        let (right, away) = match push {
            Push::Left => (-1, 0),
            Push::Right => (1, 0),
            Push::Away => (0, 1),
            Push::Near => (0, -1),
        };
        let Some((layer, seed, chain)) = chain_of(&self.editor.doc, tree, way) else { return };
        let by = push_metres(stage, tree, right, away, share);
        let centre = outlook::centre(tree, way).unwrap_or_default();
        let is_whole = self.state.point.is_none();
        match pushed(piece, self.state.point, &chain, centre, by) {
            Ok(mut moved) => {
                if self.state.follows {
                    let below = Below::new(tree, way, seed, self.state.program());
                    let at = self.state.point;
                    if let Some(points) = points::line_mut(&mut moved) {
                        match at.and_then(|k| points.get_mut(k)) {
                            Some(point) => lay(std::slice::from_mut(point), |q| below.height(q)),
                            None => lay(points, |q| below.height(q)),
                        }
                    }
                }
                let mut tree = tree.clone();
                let from = chain.outward(centre);
                let motion = Motion::Shift { from, to: [from[0] + by[0], from[1] + by[1]] };
                // what goes together with it is moved as it is, and then follows how it is laid
                let before = if is_whole { motion.of(piece, way.root, &chain) } else { piece.clone() };
                if is_whole {
                    bond::carry(&mut tree, way, seed, &motion);
                }
                if let Some(piece) = way.of_mut(&mut tree) {
                    *piece = moved;
                }
                bond::follow(&mut tree, &before, way, seed);
                self.editor.doc.edit_tree(layer, "Push piece", None, tree);
            }
            Err(why) => self.state.notice = Some(format!("Not there: {why}.")),
        }
    }

    /// Ties the piece to the one of another tier that lies at its middle, or lets it go by itself.
    fn tie(&mut self, layer: usize, tree: &Tree, way: &Way, piece: &Piece) {
        let mut new = tree.clone();
        if !piece.bond.is_empty() {
            bond::untie(&mut new, way);
            self.editor.doc.edit_tree(layer, "Untie piece", None, new);
            return;
        }
        let seed = self.editor.doc.tree_seed(layer);
        let (Some(centre), Some(outlook)) = (outlook::centre(tree, way), self.state.view.outlook(&self.editor.doc))
        else {
            return;
        };
        let at = edit::chain::Chain::of(tree, way, seed).outward(centre);
        let is_other = |other: &Way| matches!((other.root, way.root), (Root::Tier(a), Root::Tier(b)) if a != b);
        match outlook.at(at).into_iter().map(|(other, _)| other).find(is_other) {
            Some(other) => {
                bond::tie(&mut new, &other, way);
                self.editor.doc.edit_tree(layer, "Tie pieces", None, new);
            }
            None => self.state.notice = Some("At its middle lies no piece of another tier to go together with.".into()),
        }
    }

    fn lay(&mut self, layer: usize, tree: &Tree, way: &Way) {
        let seed = self.editor.doc.tree_seed(layer);
        let below = Below::new(tree, way, seed, self.state.program());
        self.alter(layer, tree, way, "Lay on the ground", |piece| {
            if let Some(points) = points::line_mut(piece) {
                lay(points, |q| below.height(q));
            }
        });
    }
}

/// The command that brings a box of the world into view: its lowest and highest corner.
pub(super) fn look([low, high]: [[f32; 3]; 2]) -> Command {
    ViewCommand::Look { low_world: low.into(), high_world: high.into() }.into()
}
