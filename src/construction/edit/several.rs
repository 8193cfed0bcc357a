//! Edits several pieces at once: move, remove, copy, hide, lock, group under an operator.
//!
//! A selected piece inside another selected piece counts only as part of the outer piece. A piece linked to a selected
//! piece is edited once, even if it is selected too.

use super::link_group::{self, Motion};
use super::snap::{GroundBelow, drape_points};
use super::transform_path::TransformPath;
use super::{EditError, PiecePath, Root, Wrap, apply_or_undo, pick_index, points, remove_piece, wrap_root};
use crate::geometry::plane::{Area, Point};
use crate::materials::MaterialLayer;
use crate::piece::{CopyGroup, OperatorGroup, Piece, PieceKind, Tree};

/// The selected pieces that are inside no other selected piece, without duplicates, in the order of the construction
/// tree.
pub fn outermost(tree: &Tree, paths: &[PiecePath]) -> Vec<PiecePath> {
    let root = |path: &PiecePath| match path.root {
        Root::Material(material) => (0, material as usize),
        Root::Definition(index) => (1, index),
    };
    let mut all: Vec<PiecePath> = paths.iter().filter(|path| path.piece(tree).is_some()).cloned().collect();
    all.sort_by(|a, b| root(a).cmp(&root(b)).then_with(|| a.steps.cmp(&b.steps)));
    // in this order, a piece directly precedes the pieces inside it
    all.dedup_by(|inner, outer| outer.holds(inner));
    all
}

/// The [`outermost`] pieces, except linked pieces that are copied, hidden and removed together with another selected
/// piece.
fn owners(tree: &Tree, paths: &[PiecePath]) -> Vec<PiecePath> {
    let all = outermost(tree, paths);
    let owned: Vec<PiecePath> = all.iter().flat_map(|path| link_group::linked_on_other_layers(tree, path)).collect();
    all.into_iter().filter(|path| !owned.iter().any(|owned| owned.holds(path))).collect()
}

/// The paths from last to first, so that an edit at one path keeps the remaining paths valid. Paths in other material
/// layers come before paths in the terrain layer. The paths of whole definitions come last.
fn backwards(mut paths: Vec<PiecePath>) -> Vec<PiecePath> {
    let rank = |path: &PiecePath| match (path.root, path.is_root()) {
        (Root::Definition(_), true) => 2,
        (Root::Material(MaterialLayer::Terrain), _) => 1,
        _ => 0,
    };
    paths.reverse();
    paths.sort_by_key(rank);
    paths
}

/// Moves pieces together with the pieces linked to them. Lines among the [`outermost`] pieces are draped on the
/// terrain. `grounds` holds the ground below each outermost piece, or is empty.
pub fn move_all(tree: &mut Tree, paths: &[PiecePath], seed: u32, motion: &Motion, grounds: &[GroundBelow]) {
    let chosen = outermost(tree, paths);
    let with_others: Vec<PiecePath> =
        chosen.iter().flat_map(|path| link_group::linked_pieces(tree, path)).chain(chosen.iter().cloned()).collect();
    let moved = outermost(tree, &with_others);
    let transforms: Vec<TransformPath> = moved.iter().map(|path| TransformPath::for_piece(tree, path, seed)).collect();
    for (path, transform) in moved.iter().zip(&transforms) {
        if let Some(piece) = path.piece_mut(tree) {
            *piece = motion.applied(piece, path.root, transform);
        }
    }
    for (path, ground) in chosen.iter().zip(grounds) {
        let Some(piece) = path.piece_mut(tree) else { continue };
        let before = piece.clone();
        if let Some(line) = points::line_mut(piece) {
            drape_points(line, |q| ground.height(q));
            link_group::update_linked(tree, &before, path, seed);
        }
    }
}

/// Removes pieces, together with the linked pieces that belong to no other piece. Returns the path to select next.
///
/// # Errors
/// When one of the pieces does not exist.
pub fn remove_all(tree: &mut Tree, paths: &[PiecePath]) -> Result<Option<PiecePath>, EditError> {
    apply_or_undo(tree, |tree| {
        let mut next = None;
        let all = backwards(owners(tree, paths));
        // removing one definition changes the indices of others, so remember definitions by name
        let name = |tree: &Tree, path: &PiecePath| match path.root {
            Root::Definition(index) if path.is_root() => tree.definitions.get(index).map(|other| other.name.clone()),
            _ => None,
        };
        let names: Vec<Option<String>> = all.iter().map(|path| name(tree, path)).collect();
        for (path, name) in all.iter().zip(names) {
            next = match name {
                Some(name) => match tree.definitions.iter().position(|other| other.name == name) {
                    Some(index) => link_group::remove_all(tree, &PiecePath::definition(index))?,
                    None => next,
                },
                None => link_group::remove_all(tree, path)?,
            };
        }
        Ok(next.filter(|path: &PiecePath| path.piece(tree).is_some()))
    })
}

/// Inserts a copy after each piece, shifted by `by` metres to the south-east, with its linked pieces. Returns the
/// copies in the order of `paths`.
///
/// # Errors
/// When one of the pieces does not exist, or the construction tree would have too many pieces.
pub fn duplicate_all(tree: &mut Tree, paths: &[PiecePath], by: f64, seed: u32) -> Result<Vec<PiecePath>, EditError> {
    apply_or_undo(tree, |tree| {
        let mut copies: Vec<(usize, PiecePath, Piece)> = Vec::new();
        for path in backwards(owners(tree, paths)) {
            let copy = link_group::duplicate(tree, &path, by, seed)?;
            let place = paths.iter().position(|other| *other == path).unwrap_or(paths.len());
            let piece = copy.piece(tree).ok_or(EditError::Gone)?.clone();
            copies.push((place, copy, piece));
        }
        copies.sort_by_key(|(place, ..)| *place);
        // inserting a copy shifts the indices of later siblings: find each copy again
        let mut found: Vec<PiecePath> = Vec::new();
        for (_, path, piece) in &copies {
            let root = PiecePath { root: path.root, steps: Vec::new() };
            let is_it = |path: &PiecePath| path.piece(tree) == Some(piece) && !found.contains(path);
            found.extend(if is_it(path) { Some(path.clone()) } else { first_of(tree, root, &is_it) });
        }
        Ok(found)
    })
}

/// The first piece at or under `path` for which `is_it` is true.
fn first_of(tree: &Tree, path: PiecePath, is_it: &impl Fn(&PiecePath) -> bool) -> Option<PiecePath> {
    if is_it(&path) {
        return Some(path);
    }
    let count = path.piece(tree).map_or(0, |piece| piece.children().len());
    (0..count).find_map(|k| first_of(tree, path.child(k), is_it))
}

/// If all given pieces are visible, hides them and the pieces linked to them. Otherwise shows all of these pieces.
/// Returns whether the pieces are hidden now.
pub fn toggle_hidden(tree: &mut Tree, paths: &[PiecePath]) -> bool {
    let all = outermost(tree, paths);
    let hides = all.iter().all(|path| path.piece(tree).is_some_and(|piece| !piece.hidden));
    all.iter().for_each(|path| link_group::set_hidden(tree, path, hides));
    hides
}

/// Locks pieces, or unlocks them if all are locked. Returns whether the pieces are locked now.
pub fn toggle_locked(tree: &mut Tree, paths: &[PiecePath]) -> bool {
    let all = outermost(tree, paths);
    let locks = !all.iter().all(|path| path.piece(tree).is_some_and(|piece| piece.locked));
    for path in all {
        if let Some(piece) = path.piece_mut(tree) {
            piece.locked = locks;
        }
    }
    locks
}

/// Wraps a piece in an operator and returns the operator's path.
///
/// # Errors
/// When the piece does not exist, or operators would be nested too deeply.
pub fn group(tree: &mut Tree, path: &PiecePath, wrap: Wrap) -> Result<PiecePath, EditError> {
    let pivot = pick_index::centre(tree, path).unwrap_or_default();
    apply_or_undo(tree, |tree| {
        wrap_root(tree, path, wrap)?;
        put_pivot(&mut path.piece_mut(tree).ok_or(EditError::Gone)?.kind, pivot);
        Ok(path.clone())
    })
}

/// Sets the centre about which an operator rotates, warps or repeats.
fn put_pivot(form: &mut PieceKind, pivot: Point) {
    let pivot = pivot.map(|v| v as f32);
    let both = [pivot[0], pivot[1], pivot[0], pivot[1]];
    match form {
        PieceKind::Place(OperatorGroup { settings: s, .. }) => [s.pivot_x, s.pivot_y] = pivot,
        PieceKind::Warp(CopyGroup { settings: s, .. }) => [s.x, s.y] = pivot,
        PieceKind::Array(CopyGroup { settings: s, .. }) => [s.pivot_x, s.pivot_y, s.x, s.y] = both,
        PieceKind::Scatter(CopyGroup { settings: s, .. }) => [s.pivot_x, s.pivot_y, s.x, s.y] = both,
        _ => {}
    }
}

/// Wraps pieces in one operator, at the position of the last piece. Returns the operator's path.
///
/// # Errors
/// When the pieces are not siblings in one operator, or operators would be nested too deeply.
pub fn group_all(tree: &mut Tree, paths: &[PiecePath], wrap: Wrap) -> Result<PiecePath, EditError> {
    let all = outermost(tree, paths);
    if let [only] = all.as_slice() {
        return group(tree, only, wrap);
    }
    let last = all.last().ok_or(EditError::Gone)?;
    let parent = last.parent().ok_or(EditError::NotBeside)?;
    if all.iter().any(|path| path.parent().as_ref() != Some(&parent)) {
        return Err(EditError::NotBeside);
    }
    let centres = Area::enclosing(all.iter().filter_map(|path| pick_index::centre(tree, path)));
    let pivot = if centres.is_empty() { [0.0; 2] } else { centres.centre() };
    apply_or_undo(tree, |tree| {
        let mut of = Vec::with_capacity(all.len());
        for path in all.iter().rev() {
            of.push(remove_piece(tree, path)?);
        }
        of.reverse();
        let mut form = wrap.wrapped(of);
        put_pivot(&mut form, pivot);
        let at = last.index() + 1 - all.len();
        let children = parent.piece_mut(tree).and_then(Piece::children_mut).ok_or(EditError::Gone)?;
        children.insert(at, Piece::new(form));
        Ok(parent.child(at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled_program::Program;
    use crate::edit::library::{Item, add_item};
    use crate::primitives::disc::Disc;

    fn disc(name: &str, x: f32) -> Piece {
        Piece::named(name, PieceKind::Disc(Disc { x, ..Disc::default() }))
    }

    fn blend(name: &str, of: Vec<Piece>) -> Piece {
        Piece::named(name, PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }))
    }

    /// A construction tree with the pieces a, b (which holds c and d) and e.
    fn tree() -> Tree {
        let inner = blend("b", vec![disc("c", 200.0), disc("d", 300.0)]);
        Tree { terrain: blend("", vec![disc("a", 100.0), inner, disc("e", 400.0)]), ..Tree::default() }
    }

    fn path(steps: &[usize]) -> PiecePath {
        PiecePath { steps: steps.to_vec(), ..PiecePath::material(MaterialLayer::Terrain) }
    }

    fn names(piece: &Piece) -> Vec<String> {
        let mut names = Vec::new();
        piece.visit(&mut |piece| names.push(piece.title()));
        names
    }

    fn east(tree: &Tree, steps: &[usize]) -> f64 {
        pick_index::centre(tree, &path(steps)).unwrap()[0]
    }

    #[test]
    fn nested_selections_count_once() {
        let mut tree = tree();
        let paths = [path(&[2]), path(&[1, 1]), path(&[1]), path(&[2]), path(&[9])];
        assert_eq!(outermost(&tree, &paths), [path(&[1]), path(&[2])]);
        let motion = Motion::Shift { from: [0.0; 2], to: [50.0, 0.0] };
        move_all(&mut tree, &paths, 0, &motion, &[]);
        let all = [east(&tree, &[0]), east(&tree, &[1, 0]), east(&tree, &[1, 1]), east(&tree, &[2])];
        assert_eq!(all, [100.0, 250.0, 350.0, 450.0]);
    }

    #[test]
    fn pieces_are_removed_and_copied_together() {
        let mut tree = tree();
        let copies = duplicate_all(&mut tree, &[path(&[2]), path(&[0]), path(&[1, 0])], 10.0, 0).unwrap();
        assert_eq!(names(&tree.terrain), ["Blend", "a", "a 2", "b", "c", "c 2", "d", "e", "e 2"]);
        let titles: Vec<String> = copies.iter().map(|path| path.piece(&tree).unwrap().title()).collect();
        assert_eq!(titles, ["e 2", "a 2", "c 2"]);
        let next = remove_all(&mut tree, &[path(&[0]), path(&[2, 0]), path(&[2, 1]), path(&[3])]).unwrap();
        assert_eq!(
            (names(&tree.terrain), next),
            (vec!["Blend", "a 2", "b", "d", "e 2"].into_iter().map(String::from).collect(), Some(path(&[0])))
        );
    }

    #[test]
    fn several_pieces_toggle_until_all_are_hidden_or_locked() {
        let mut tree = tree();
        let both = [path(&[0]), path(&[2])];
        link_group::hide(&mut tree, &both[0]);
        assert!(!toggle_hidden(&mut tree, &both), "one is hidden: both are shown");
        assert!(toggle_hidden(&mut tree, &both) && both.iter().all(|path| path.piece(&tree).unwrap().hidden));
        both[1].piece_mut(&mut tree).unwrap().locked = true;
        assert!(toggle_locked(&mut tree, &both) && both.iter().all(|path| path.is_locked(&tree)));
        assert!(!toggle_locked(&mut tree, &both) && !both.iter().any(|path| path.is_locked(&tree)));
    }

    #[test]
    fn siblings_go_into_an_operator_and_others_do_not() {
        let mut tree = tree();
        let before = tree.clone();
        assert_eq!(group_all(&mut tree, &[path(&[0]), path(&[1, 1])], Wrap::Blend), Err(EditError::NotBeside));
        let roots = [path(&[]), PiecePath::definition(0)];
        assert_eq!(group_all(&mut tree, &[], Wrap::Blend), Err(EditError::Gone));
        assert_eq!(tree, before);
        let there = group_all(&mut tree, &[path(&[2]), path(&[0])], Wrap::Place).unwrap();
        assert_eq!(
            (names(&tree.terrain), there),
            (["Blend", "b", "c", "d", "Place", "a", "e"].map(String::from).to_vec(), path(&[1]))
        );
        let PieceKind::Place(group) = &tree.terrain.children()[1].kind else { panic!("it is a place") };
        assert_eq!(group.settings.pivot_x, 250.0, "between both");
        // a single piece is wrapped in place
        assert_eq!(group_all(&mut tree, &roots, Wrap::Add), Ok(path(&[])));
    }

    #[test]
    fn a_lake_and_its_water_count_once() {
        let mut tree = Tree::default();
        let program = Program::new(&tree, 0);
        let lake = add_item(&mut tree, Item::Lake, [4000.0, 4000.0], None, &program, 0).unwrap();
        let water = link_group::linked_pieces(&tree, &lake).remove(0);
        let both = [lake.clone(), water.clone()];
        let centre = |tree: &Tree, path: &PiecePath| pick_index::centre(tree, path).unwrap();
        move_all(&mut tree, &both, 0, &Motion::Shift { from: [0.0; 2], to: [100.0, 0.0] }, &[]);
        assert_eq!((centre(&tree, &lake), centre(&tree, &water)), ([4100.0, 4000.0], [4100.0, 4000.0]));
        let count = tree.count();
        let copies = duplicate_all(&mut tree, &both, 10.0, 0).unwrap();
        assert!(copies.len() == 1 && tree.count() == count + 2, "{copies:?}, {} of {count}", tree.count());
        assert!(toggle_hidden(&mut tree, &both) && water.piece(&tree).unwrap().hidden);
        remove_all(&mut tree, &both).unwrap();
        assert_eq!(tree.count(), count, "the originals are removed, and the copy is kept");
    }
}
