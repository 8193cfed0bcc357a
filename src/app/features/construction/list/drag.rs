//! Dragging of rows: the target under the pointer, and the move of the piece to it.

use bevy_egui::egui::{self, CursorIcon, Rect, Stroke, StrokeKind, Ui};

use super::rows::{PieceRow, title_of};
use super::{HEIGHT, INDENT, TreeState};
use crate::frame::document::Document;
use crate::frame::theme::colour;
use talweg::construction::edit::{self, PiecePath, Spot, may_relocate};
use talweg::construction::{Piece, Tree};

/// The place where the dragged piece would be inserted.
enum DropTarget {
    /// Insertion at a spot of the tree, above the row with the given index. The line that marks the spot is indented to
    /// the given depth.
    Between(Spot, usize, usize),
    Into(Spot, usize),
}

#[allow(clippy::too_many_arguments, reason = "one function handles all drags")]
pub(super) fn drag(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    tree: &Tree,
    layer: usize,
    rows: &[PieceRow],
    from: &PiecePath,
    top: f32,
    across: egui::Rangef,
) {
    let Some(at) = ui.ctx().pointer_latest_pos() else { return };
    ui.set_cursor_icon(CursorIcon::Grabbing);
    let landing = landing(rows, (at.y - top) / HEIGHT);
    let line = |k: usize, depth: usize, tint| {
        let (y, left) = (top + k as f32 * HEIGHT, across.min + 18.0 + depth as f32 * INDENT);
        ui.painter().hline(left..=across.max, y, Stroke::new(2.0, tint));
    };
    let spot = landing.map(|landing| {
        let (DropTarget::Between(spot, ..) | DropTarget::Into(spot, _)) = &landing;
        let allowed = may_relocate(tree, from, spot);
        let tint = if allowed.is_ok() { colour::accent() } else { colour::error() };
        match &landing {
            DropTarget::Between(_, k, depth) => line(*k, *depth, tint),
            DropTarget::Into(_, k) => {
                let rect = Rect::from_x_y_ranges(across, top + *k as f32 * HEIGHT..=top + (*k + 1) as f32 * HEIGHT);
                ui.painter().rect_stroke(rect, 4.0, Stroke::new(2.0, tint), StrokeKind::Inside);
            }
        }
        let parent = spot.parent.piece(tree).map_or_else(String::new, |piece| title_of(tree, &spot.parent, piece));
        state.hint = Some(match &allowed {
            Ok(()) => format!("Release to move it into {parent}, position {}", spot.at + 1),
            Err(why) => format!("Cannot move there: {why}"),
        });
        (spot.clone(), allowed.is_ok())
    });
    if ui.input(|i| !i.pointer.any_down()) {
        state.dragged = None;
        if let Some((spot, true)) = spot {
            let mut tree = tree.clone();
            if let Ok(there) = edit::relocate(&mut tree, from, &spot) {
                document.edit_tree(layer, "Move feature in the tree", None, tree);
                state.select(Some(there));
            }
        }
    }
}

/// The target of a drop at a height of `y` rows below the top of the list.
fn landing(rows: &[PieceRow], y: f32) -> Option<DropTarget> {
    let k = (y.max(0.0) as usize).min(rows.len().checked_sub(1)?);
    let part = y - k as f32;
    let row = &rows[k];
    let takes = row.piece.is_some_and(Piece::takes_pieces);
    let into = || {
        let at = row.piece.map_or(0, |piece| piece.children().len());
        DropTarget::Into(Spot { parent: row.path.clone(), at }, k)
    };
    if row.path.is_root() || takes && (0.3..0.7).contains(&part) {
        return Some(into());
    }
    let parent = row.path.parent()?;
    if part < 0.5 {
        return Some(DropTarget::Between(Spot { parent, at: row.path.index() }, k, row.depth));
    }
    // the first member of an unfolded operator is the next row
    let next = rows.get(k + 1).filter(|next| row.path.holds(&next.path));
    if next.is_some() {
        return Some(DropTarget::Between(Spot { parent: row.path.clone(), at: 0 }, k + 1, row.depth + 1));
    }
    Some(DropTarget::Between(Spot { parent, at: row.path.index() + 1 }, k + 1, row.depth))
}
