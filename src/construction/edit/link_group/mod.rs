//! Linked pieces: a lake and its water, an oasis and its palms.
//!
//! Pieces with the same link group, in any material layer, are moved, rotated, scaled and raised together. Points of
//! linked pieces that coincide continue to coincide. The relief piece is the linked piece of the terrain layer. Linked
//! pieces on other material layers belong to it: removing, copying or hiding the relief piece also removes, copies or
//! hides these linked pieces. The reverse is not true.

use super::reshape::{Similarity, raised, rounded_to_six_digits};
use super::transform_path::TransformPath;
use super::{EditError, PiecePath, Root, apply_or_undo, numbered, points, put_on_material, remove};
use crate::geometry::plane::{Point, add, length, sub};
use crate::materials::MaterialLayer;
use crate::operators::placement::Placement;
use crate::piece::{Piece, PieceKind, Tree};
use crate::primitives::contour::Contour;

/// Maximum distance between coincident points of linked pieces, as a fraction of the square's side.
pub(super) const SAME_PLACE: f64 = 1e-4;

/// A motion of a piece; positions and distances are in metres of the construction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Moves the piece.
    Shift {
        /// Start of the drag.
        from: Point,
        /// End of the drag.
        to: Point,
    },
    /// Rotates the piece about a point.
    Turn {
        /// Point that stays in place.
        about: Point,
        /// Angle in degrees, from east towards south.
        degrees: f64,
    },
    /// Scales the piece about a point.
    Scale {
        /// Point that stays in place.
        about: Point,
        /// Scale factor.
        by: f64,
    },
    /// Raises the piece by a height in metres.
    Raise(f64),
}

impl Motion {
    /// Returns `piece` after this motion. Sand and snow keep their thickness, and plants keep their density.
    #[must_use]
    pub fn applied(&self, piece: &Piece, root: Root, transform: &TransformPath) -> Piece {
        match *self {
            Self::Shift { from, to } => {
                Similarity::shift(sub(transform.inward(to), transform.inward(from))).applied(piece)
            }
            Self::Turn { about, degrees } => {
                let own = if transform.is_mirrored() { -degrees } else { degrees };
                Similarity::turn(transform.inward(about), own).applied(piece)
            }
            Self::Scale { about, by } => {
                let mut piece = Similarity::scale(transform.inward(about), by).applied(piece);
                if let (Root::Material(MaterialLayer::Vegetation), Some(placement)) = (root, placement_mut(&mut piece))
                {
                    placement.steepen = rounded_to_six_digits(f64::from(placement.steepen) / by);
                }
                piece
            }
            Self::Raise(by) => match root {
                Root::Material(MaterialLayer::Sand | MaterialLayer::Snow | MaterialLayer::Vegetation) => piece.clone(),
                _ => raised(piece, transform.rise_inward(by)),
            },
        }
    }
}

fn placement(piece: &Piece) -> Option<&Placement> {
    match &piece.kind {
        PieceKind::Place(group) => Some(&group.settings),
        PieceKind::Instance(instance) => Some(&instance.settings),
        _ => None,
    }
}

fn placement_mut(piece: &mut Piece) -> Option<&mut Placement> {
    match &mut piece.kind {
        PieceKind::Place(group) => Some(&mut group.settings),
        PieceKind::Instance(instance) => Some(&mut instance.settings),
        _ => None,
    }
}

/// The link groups of a piece and of all pieces inside it.
fn link_groups(piece: &Piece) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    piece.visit(&mut |piece| {
        if !piece.link_group.is_empty() && !found.contains(&piece.link_group) {
            found.push(piece.link_group.clone());
        }
    });
    found
}

/// Whether a piece, or a piece inside it, is linked.
pub fn is_bound(piece: &Piece) -> bool {
    !link_groups(piece).is_empty()
}

/// The outermost pieces that belong to one of these link groups.
fn pieces_with_groups(tree: &Tree, link_groups: &[String]) -> Vec<PiecePath> {
    let mut found = Vec::new();
    if link_groups.is_empty() {
        return found;
    }
    let materials = MaterialLayer::ALL.map(PiecePath::material);
    for path in materials.into_iter().chain((0..tree.definitions.len()).map(PiecePath::definition)) {
        if let Some(piece) = path.piece(tree) {
            gather(piece, path, link_groups, &mut found);
        }
    }
    found
}

fn gather(piece: &Piece, path: PiecePath, link_groups: &[String], found: &mut Vec<PiecePath>) {
    if link_groups.contains(&piece.link_group) {
        found.push(path);
        return;
    }
    for (k, child) in piece.children().iter().enumerate() {
        gather(child, path.child(k), link_groups, found);
    }
}

/// The pieces linked to the piece at `path`, or to a piece inside it.
pub fn linked_pieces(tree: &Tree, path: &PiecePath) -> Vec<PiecePath> {
    let link_groups = path.piece(tree).map(link_groups).unwrap_or_default();
    pieces_with_groups(tree, &link_groups)
        .into_iter()
        .filter(|other| !path.holds(other) && !other.holds(path))
        .collect()
}

/// Applies `motion` to the pieces that are linked to the piece at `path`, which has already moved.
pub fn move_linked(tree: &mut Tree, path: &PiecePath, seed: u32, motion: &Motion) {
    for other in linked_pieces(tree, path) {
        let transform = TransformPath::for_piece(tree, &other, seed);
        if let Some(piece) = other.piece_mut(tree) {
            *piece = motion.applied(piece, other.root, &transform);
        }
    }
}

/// Updates the linked pieces after an edit of the parameters or points at `path`; `before` is the piece before the
/// edit.
pub fn update_linked(tree: &mut Tree, before: &Piece, path: &PiecePath, seed: u32) {
    let Some(after) = path.piece(tree).cloned() else { return };
    if after == *before || linked_pieces(tree, path).is_empty() {
        return;
    }
    let transform = TransformPath::for_piece(tree, path, seed);
    for motion in motions(before, &after, &transform) {
        move_linked(tree, path, seed, &motion);
    }
    if let (PieceKind::Contour(was), PieceKind::Contour(is)) = (&before.kind, &after.kind)
        && was.points.is_empty()
        && !is.points.is_empty()
    {
        return bend(tree, path, &transform, is, seed);
    }
    let handles =
        |piece: &Piece| -> Vec<Point> { points::handles(piece).into_iter().map(|q| transform.outward(q)).collect() };
    // the points of the contour have already moved with the contour's centre
    let mut moved = before.clone();
    if let (PieceKind::Contour(old), PieceKind::Contour(new)) = (&mut moved.kind, &after.kind) {
        (old.settings.x, old.settings.y) = (new.settings.x, new.settings.y);
    }
    let (was, is) = (handles(&moved), handles(&after));
    let near = SAME_PLACE * f64::from(tree.frame.side);
    for other in linked_pieces(tree, path) {
        let transform = TransformPath::for_piece(tree, &other, seed);
        let Some(piece) = other.piece_mut(tree) else { continue };
        let own: Vec<Point> = points::handles(piece).into_iter().map(|q| transform.outward(q)).collect();
        let at = |p: Point| own.iter().position(|q| length(sub(*q, p)) <= near);
        let first = was.iter().zip(&is).position(|(a, b)| a != b).unwrap_or(was.len().min(is.len()));
        match is.len() as isize - was.len() as isize {
            0 => {
                let pairs: Vec<(usize, usize)> = (0..was.len()).filter_map(|k| Some((k, at(was[k])?))).collect();
                for (k, own_k) in pairs {
                    if was[k] != is[k] {
                        // a corner stays in place if moving it would make the image non-convex
                        let there = add(own[own_k], sub(is[k], was[k]));
                        let _ = points::move_handle(piece, own_k, transform.inward(there));
                    }
                    follow_point(piece, own_k, (&moved, &after), k);
                }
            }
            1 if was.iter().filter(|p| at(**p).is_some()).count() > 1 => {
                let _ = points::add_point(piece, transform.inward(is[first]));
            }
            -1 => {
                if let Some(k) = at(was[first]) {
                    let _ = points::remove_point(piece, k);
                }
            }
            _ => {}
        }
    }
}

/// Reshapes the linked round contours that have the same centre as `bent`, after `bent` was given points. Each contour
/// gets points in the same directions, scaled to its own radius.
fn bend(tree: &mut Tree, path: &PiecePath, transform: &TransformPath, bent: &Contour, seed: u32) {
    let middle_of = |contour: &Contour| [f64::from(contour.settings.x), f64::from(contour.settings.y)];
    let (middle, near) = (middle_of(bent), SAME_PLACE * f64::from(tree.frame.side));
    let points = bent.points.iter().map(|&(x, y)| transform.outward(add(middle, [f64::from(x), f64::from(y)])));
    let points: Vec<Point> = points.collect();
    for other in linked_pieces(tree, path) {
        let own = TransformPath::for_piece(tree, &other, seed);
        let Some(PieceKind::Contour(contour)) = other.piece_mut(tree).map(|piece| &mut piece.kind) else { continue };
        let (centre, radius) = (middle_of(contour), f64::from(contour.settings.radius));
        if contour.points.is_empty() && length(sub(own.outward(centre), transform.outward(middle))) <= near {
            let paths = points.iter().map(|&p| sub(own.inward(p), centre)).filter(|path| length(*path) > 0.0);
            let round = paths.map(|path| path.map(|along| rounded_to_six_digits(radius * along / length(path))));
            contour.points = round.map(|[x, y]| (x, y)).collect();
        }
    }
}

/// Applies the change in height and width of point `k` to point `own` of a linked line.
fn follow_point(piece: &mut Piece, own: usize, (before, after): (&Piece, &Piece), k: usize) {
    let (Some(a), Some(b)) = (points::line(before), points::line(after)) else { return };
    let (Some(a), Some(b)) = (a.get(k), b.get(k)) else { return };
    let Some(point) = points::line_mut(piece).and_then(|points| points.get_mut(own)) else { return };
    if a.height != b.height {
        point.height = rounded_to_six_digits(f64::from(point.height) + f64::from(b.height) - f64::from(a.height));
    }
    if a.width != b.width && a.width > 0.0 {
        point.width = rounded_to_six_digits(f64::from(point.width) * f64::from(b.width) / f64::from(a.width));
    }
}

/// The motions that turn the piece `before` into the piece `after`, found from their parameters.
fn motions(before: &Piece, after: &Piece, transform: &TransformPath) -> Vec<Motion> {
    let mut found = Vec::new();
    let outward = |x: f32, y: f32| transform.outward([f64::from(x), f64::from(y)]);
    let mut shift = |from: Point, to: Point| {
        if from != to {
            found.push(Motion::Shift { from, to });
        }
    };
    let rise = |a: f32, b: f32| transform.height_outward(f64::from(b)) - transform.height_outward(f64::from(a));
    let (mut raise, mut scale, mut turn) = (0.0, None, None);
    match (&before.kind, &after.kind) {
        (PieceKind::Contour(a), PieceKind::Contour(b)) => {
            let (a, b, is_round) = (&a.settings, &b.settings, b.points.is_empty());
            shift(outward(a.x, a.y), outward(b.x, b.y));
            raise = rise(a.height, b.height);
            scale = is_round.then(|| (outward(b.x, b.y), f64::from(b.radius) / f64::from(a.radius)));
        }
        (PieceKind::Disc(a), PieceKind::Disc(b)) => {
            shift(outward(a.x, a.y), outward(b.x, b.y));
            raise = rise(a.height, b.height);
            scale = Some((outward(b.x, b.y), f64::from(b.radius) / f64::from(a.radius)));
        }
        _ => {
            if let (Some(a), Some(b)) = (placement(before), placement(after)) {
                let at = |p: &Placement| outward(p.pivot_x + p.move_x, p.pivot_y + p.move_y);
                if (a.pivot_x, a.pivot_y) == (b.pivot_x, b.pivot_y) {
                    shift(at(a), at(b));
                    turn = Some((at(b), f64::from(b.turn_angle) - f64::from(a.turn_angle)));
                    scale = Some((at(b), f64::from(b.scale) / f64::from(a.scale)));
                    raise = rise(a.raise, b.raise);
                }
            }
        }
    }
    found.extend(turn.filter(|(_, by)| *by != 0.0).map(|(about, degrees)| Motion::Turn { about, degrees }));
    let sound = |by: f64| by.is_finite() && by > 0.0 && by != 1.0;
    found.extend(scale.filter(|(_, by)| sound(*by)).map(|(about, by)| Motion::Scale { about, by }));
    if raise != 0.0 {
        found.push(Motion::Raise(raise));
    }
    found
}

/// Links two pieces: both get the link group that one of them already has, or a new link group.
pub fn link(tree: &mut Tree, a: &PiecePath, b: &PiecePath) {
    let known = [a, b]
        .into_iter()
        .find_map(|path| path.piece(tree).map(|p| p.link_group.clone()).filter(|link_group| !link_group.is_empty()));
    let wanted = || a.piece(tree).map_or_else(String::new, Piece::title).to_lowercase();
    let link_group = known.unwrap_or_else(|| unused(tree, &wanted()));
    for path in [a, b] {
        if let Some(piece) = path.piece_mut(tree) {
            piece.link_group.clone_from(&link_group);
        }
    }
}

/// Removes a piece from its link group.
pub fn unlink(tree: &mut Tree, path: &PiecePath) {
    let Some(piece) = path.piece_mut(tree) else { return };
    let link_group = std::mem::take(&mut piece.link_group);
    // a group with a single piece links nothing
    if let [left] = pieces_with_groups(tree, &[link_group])[..].to_vec().as_slice()
        && let Some(piece) = left.piece_mut(tree)
    {
        piece.link_group.clear();
    }
}

/// A name for a new link group: `wanted`, with a number appended if the name is in use.
pub fn unused(tree: &Tree, wanted: &str) -> String {
    let mut taken = Vec::new();
    tree.roots().iter().for_each(|(_, root)| root.visit(&mut |piece| taken.push(piece.link_group.clone())));
    let wanted = if wanted.is_empty() { "together" } else { wanted };
    numbered(wanted, |link_group| taken.iter().any(|other| other == link_group))
}

/// The pieces on other material layers that are linked to a relief piece.
pub(super) fn linked_on_other_layers(tree: &Tree, path: &PiecePath) -> Vec<PiecePath> {
    if path.root != Root::Material(MaterialLayer::Terrain) {
        return Vec::new();
    }
    let is_on =
        |other: &PiecePath| matches!(other.root, Root::Material(material) if material != MaterialLayer::Terrain);
    linked_pieces(tree, path).into_iter().filter(is_on).collect()
}

/// Like [`super::remove`], but also removes the linked pieces that belong to no other relief piece.
///
/// # Errors
/// When the piece does not exist.
pub fn remove_all(tree: &mut Tree, path: &PiecePath) -> Result<Option<PiecePath>, EditError> {
    let mut loose = path.piece(tree).map(link_groups).unwrap_or_default();
    let is_relief = path.root == Root::Material(MaterialLayer::Terrain);
    let next = remove(tree, path)?;
    // do not remove the pieces of link groups to which another relief piece still belongs
    loose.retain(|link_group| {
        let bearers = pieces_with_groups(tree, std::slice::from_ref(link_group));
        is_relief && !bearers.iter().any(|path| path.root == Root::Material(MaterialLayer::Terrain))
    });
    while let Some(path) = pieces_with_groups(tree, &loose).pop() {
        remove(tree, &path)?;
        prune(tree, path.parent());
    }
    Ok(next)
}

/// Removes operators that have become empty, from the inside outwards.
fn prune(tree: &mut Tree, mut here: Option<PiecePath>) {
    while let Some(path) = here.filter(|path| path.piece(tree).is_some_and(|piece| piece.children().is_empty())) {
        if remove(tree, &path).is_err() {
            return;
        }
        here = path.parent();
    }
}

/// Toggles the visibility of a piece and its linked pieces.
pub fn hide(tree: &mut Tree, path: &PiecePath) {
    let Some(hidden) = path.piece(tree).map(|piece| !piece.hidden) else { return };
    set_hidden(tree, path, hidden);
}

/// Sets the visibility of a piece and its linked pieces.
pub fn set_hidden(tree: &mut Tree, path: &PiecePath, hidden: bool) {
    for path in linked_on_other_layers(tree, path).iter().chain([path]) {
        if let Some(piece) = path.piece_mut(tree) {
            piece.hidden = hidden;
        }
    }
}

/// Like [`super::duplicate`], but also copies the linked pieces. The copies are linked to each other.
///
/// # Errors
/// When the piece does not exist, or the construction tree would have too many pieces.
pub fn duplicate(tree: &mut Tree, path: &PiecePath, by: f64, seed: u32) -> Result<PiecePath, EditError> {
    apply_or_undo(tree, |tree| {
        let owned = linked_on_other_layers(tree, path);
        let middle = TransformPath::for_piece(tree, path, seed).outward([0.0; 2]);
        let copies: Vec<(MaterialLayer, Piece)> = owned
            .iter()
            .filter_map(|other| {
                let Root::Material(material) = other.root else { return None };
                let transform = TransformPath::for_piece(tree, other, seed);
                let motion = Motion::Shift { from: middle, to: add(middle, [by; 2]) };
                let piece = motion.applied(other.piece(tree)?, other.root, &transform);
                // the copy needs the same placements and warps as the original
                Some((material, wrapped_as(tree, other, piece)))
            })
            .collect();
        let copy = super::duplicate(tree, path, by)?;
        let mut renamed: Vec<(String, String)> = Vec::new();
        if let Some(piece) = copy.piece(tree) {
            for old in link_groups(piece) {
                let new = unused(tree, &old);
                renamed.push((old, new));
            }
        }
        let rename = |piece: &mut Piece| {
            piece.visit_mut(&mut |piece| {
                if let Some((_, new)) = renamed.iter().find(|(old, _)| *old == piece.link_group) {
                    piece.link_group.clone_from(new);
                }
            });
        };
        if let Some(piece) = copy.piece_mut(tree) {
            rename(piece);
            // a copy without linked pieces needs no link group
            if copies.is_empty() {
                piece.visit_mut(&mut |piece| piece.link_group.clear());
            }
        }
        for (material, mut piece) in copies {
            rename(&mut piece);
            put_on_material(tree, material, piece)?;
        }
        Ok(copy)
    })
}

/// Like [`super::instantiate`], but also copies the linked pieces, and links these copies to the new instance.
///
/// # Errors
/// The same errors as [`super::instantiate`].
pub fn instantiate(tree: &mut Tree, path: &PiecePath, by: f64) -> Result<PiecePath, EditError> {
    apply_or_undo(tree, |tree| {
        let owned = linked_on_other_layers(tree, path);
        let old = path.piece(tree).map(link_groups).unwrap_or_default();
        let known = tree.definitions.len();
        let copy = super::instantiate(tree, path, by)?;
        let Some(link_group) = old.first().filter(|_| !owned.is_empty()).cloned() else { return Ok(copy) };
        let new = unused(tree, &link_group);
        let bind = |tree: &mut Tree, first: &PiecePath, second: &PiecePath| {
            // a piece that was the root of its material layer is now inside a blend
            let first = if first.is_root() { first.child(0) } else { first.clone() };
            for (path, link_group) in [(&first, &link_group), (second, &new)] {
                if let Some(piece) = path.piece_mut(tree) {
                    piece.link_group.clone_from(link_group);
                }
            }
        };
        bind(tree, path, &copy);
        // from last to first, because each copy is inserted after its original
        for other in owned.iter().rev() {
            let there = super::instantiate(tree, other, by)?;
            bind(tree, other, &there);
        }
        // definitions have no link group: their instances have one
        for definition in tree.definitions.iter_mut().skip(known) {
            definition.piece.visit_mut(&mut |piece| {
                if old.contains(&piece.link_group) {
                    piece.link_group.clear();
                }
            });
        }
        Ok(copy)
    })
}

/// Wraps a piece in copies of the placements, warps, arrays and scatters that contain the piece at `path`, from the
/// inside outwards.
pub fn wrapped_as(tree: &Tree, path: &PiecePath, piece: Piece) -> Piece {
    let mut piece = piece;
    let mut here = path.parent();
    while let Some(parent) = here {
        let moves = |form: &PieceKind| {
            matches!(form, PieceKind::Warp(_) | PieceKind::Place(_) | PieceKind::Array(_) | PieceKind::Scatter(_))
        };
        if let Some(form) = parent.piece(tree).map(|piece| &piece.kind).filter(|form| moves(form)) {
            let mut around = Piece::new(form.clone());
            if let Some(children) = around.children_mut() {
                *children = vec![piece];
                piece = around;
            }
        }
        here = parent.parent();
    }
    piece
}

#[cfg(test)]
mod tests;
