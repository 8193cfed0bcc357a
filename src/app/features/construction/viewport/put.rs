//! Places new pieces in the view, and moves pieces with the arrow keys.

use crate::features::construction::library::item_noun;
use crate::features::construction::viewport::*;

/// Shows where a dragged library item would be placed.
pub(crate) fn show_carried(ui: &Ui, document: &Document, state: &mut TreeState, stage: &TerrainView, free: Rect) {
    let (Some(item), Some(at)) = (state.carried, ui.ctx().pointer_latest_pos()) else { return };
    let Some((_, tree)) = document.tree() else { return };
    let place = stage.ground([at.x, at.y]).filter(|_| free.contains(at));
    let Some(place) = place else {
        state.hint = Some(format!("Drag the {} onto the terrain", item_noun(item)));
        return;
    };
    let (metres, radius) = (metres(tree), item.radius(tree.frame.side));
    let centre = metres.metres(place);
    let ring = (0..64).map(|k| {
        let angle = f64::from(k) / 64.0 * std::f64::consts::TAU;
        [centre[0] + radius * angle.cos(), centre[1] + radius * angle.sin()]
    });
    let outline = PickOutline { places: ring.collect(), closed: true, inner: false };
    let painter = ui.painter().with_clip_rect(free);
    for (line, _) in drape(stage, tree, vec![outline]) {
        stroke(&painter, &line, 1.8, colour::accent());
    }
    state.hint = Some(format!("Release to place {} here, Esc to cancel", item_noun(item)));
}

/// Places a library item on the terrain. If the position is `None`, the item is placed at the centre of the view.
pub fn place_piece(
    document: &mut Document,
    state: &mut TreeState,
    stage: Option<&TerrainView>,
    free: Rect,
    item: Item,
    at: Option<Pos2>,
) {
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return };
    if at.is_some_and(|at| !free.contains(at)) {
        return;
    }
    let middle = free.center();
    let target = at.unwrap_or(middle);
    let place = stage.and_then(|stage| stage.ground([target.x, target.y]));
    let place = match (place, at) {
        (Some(place), _) => place,
        (None, None) => [0.5, 0.5],
        (None, Some(_)) => {
            state.notice = Some("Nothing was placed: there is no terrain under the pointer.".into());
            return;
        }
    };
    let seed = document.tree_seed(layer);
    let near = state.selected().cloned();
    let mut new = (*tree).clone();
    let p = metres(&tree).metres(place);
    let Some(pick_index) = state.view.pick_index(document) else {
        state.view.waiting = Some(Waiting::Put(item, at));
        return;
    };
    match library::add_item(&mut new, item, p, near.as_ref(), &pick_index.program, seed) {
        Ok(path) => {
            document.edit_tree(layer, &format!("Place {}", item_noun(item)), None, new);
            state.select(Some(path));
        }
        Err(why) => state.notice = Some(format!("Nothing was placed: {why}.")),
    }
}

/// The transform of the selected piece with its layer and seed, for edits other than drags.
pub fn transform_of(document: &Document, tree: &Tree, path: &PiecePath) -> Option<(usize, u32, TransformPath)> {
    let (layer, _) = document.tree()?;
    let seed = document.tree_seed(layer);
    Some((layer, seed, TransformPath::for_piece(tree, path, seed)))
}

/// The displacement of a piece by an arrow key, in metres of the construction tree. Its direction is the compass
/// direction closest to the direction on screen.
pub fn push_metres(stage: Option<&TerrainView>, tree: &Tree, right: i32, away: i32, share: f64) -> Point {
    let yaw = stage.map_or(0.0, |stage| f64::from(stage.pose.yaw));
    let quarter = (yaw / std::f64::consts::FRAC_PI_2).round() as i64;
    // convert the screen directions (to the right, away from the viewer) to east and south; the camera heading is
    // rounded to quarter turns
    let (mut east, mut south) = (f64::from(right), f64::from(-away));
    for _ in 0..quarter.rem_euclid(4) {
        (east, south) = (-south, east);
    }
    let by = f64::from(tree.frame.side) * share;
    [east * by, south * by]
}

/// Returns the piece after an edit that moves it.
pub fn pushed(
    piece: &Piece,
    point: Option<usize>,
    transform: &TransformPath,
    centre: Point,
    by: Point,
) -> Result<Piece, EditError> {
    if let Some((k, start)) = point.and_then(|k| Some((k, points::handles(piece).get(k).copied()?))) {
        let mut piece = piece.clone();
        let there = transform.inward(add(transform.outward(start), by));
        return points::move_handle(&mut piece, k, there).map(|()| piece);
    }
    let there = transform.inward(add(transform.outward(centre), by));
    Ok(Similarity::shift(sub(there, centre)).applied(piece))
}
