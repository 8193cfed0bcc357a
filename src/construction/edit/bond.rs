//! Pieces that go together: a lake and its water, an oasis and its palms.
//!
//! Pieces of any tier with the same bond are moved, turned, scaled and raised as one, and points of theirs that lie at the same
//! place stay there. What lies on the ground belongs to it: a piece of the relief that is taken away, copied or hidden takes the
//! others along, not the other way round.

use super::chain::Chain;
use super::reshape::{Reshape, raised, tidy};
use super::{Refusal, Root, Way, numbered, points, put_on_tier, remove, soundly};
use crate::construction::contour::Contour;
use crate::construction::piece::{Form, Piece, Tree};
use crate::construction::place::Placement;
use crate::construction::plane::{Point, add, length, sub};
use crate::construction::program::Tier;

/// Points of pieces that go together lie at the same place if they are no farther apart, beside the side of the square.
const SAME_PLACE: f64 = 1e-4;

/// What a hand does to a piece, in metres of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Moves it.
    Shift {
        /// Where it is taken.
        from: Point,
        /// Where it is put.
        to: Point,
    },
    /// Turns it around a place.
    Turn {
        /// What stays where it is.
        about: Point,
        /// Degrees, from east to south.
        degrees: f64,
    },
    /// Scales it around a place.
    Scale {
        /// What stays where it is.
        about: Point,
        /// The factor.
        by: f64,
    },
    /// Raises it by so many metres.
    Raise(f64),
}

impl Motion {
    /// The piece moved. What is laid on the ground keeps its thickness, and plants their density.
    #[must_use]
    pub fn of(&self, piece: &Piece, root: Root, chain: &Chain) -> Piece {
        match *self {
            Self::Shift { from, to } => Reshape::shift(sub(chain.inward(to), chain.inward(from))).of(piece),
            Self::Turn { about, degrees } => {
                let own = if chain.is_mirrored() { -degrees } else { degrees };
                Reshape::turn(chain.inward(about), own).of(piece)
            }
            Self::Scale { about, by } => {
                let mut piece = Reshape::scale(chain.inward(about), by).of(piece);
                if let (Root::Tier(Tier::Vegetation), Some(placement)) = (root, placement_mut(&mut piece)) {
                    placement.steepen = tidy(f64::from(placement.steepen) / by);
                }
                piece
            }
            Self::Raise(by) => match root {
                Root::Tier(Tier::Sand | Tier::Snow | Tier::Vegetation) => piece.clone(),
                _ => raised(piece, chain.rise_inward(by)),
            },
        }
    }
}

fn placement(piece: &Piece) -> Option<&Placement> {
    match &piece.form {
        Form::Place(group) => Some(&group.settings),
        Form::Instance(instance) => Some(&instance.settings),
        _ => None,
    }
}

fn placement_mut(piece: &mut Piece) -> Option<&mut Placement> {
    match &mut piece.form {
        Form::Place(group) => Some(&mut group.settings),
        Form::Instance(instance) => Some(&mut instance.settings),
        _ => None,
    }
}

/// The bonds of a piece and of all that is in it.
fn bonds(piece: &Piece) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    piece.visit(&mut |piece| {
        if !piece.bond.is_empty() && !found.contains(&piece.bond) {
            found.push(piece.bond.clone());
        }
    });
    found
}

/// Whether a piece, or one in it, goes together with others.
pub fn is_bound(piece: &Piece) -> bool {
    !bonds(piece).is_empty()
}

/// The outermost pieces that have one of these bonds.
fn bearers(tree: &Tree, bonds: &[String]) -> Vec<Way> {
    let mut found = Vec::new();
    if bonds.is_empty() {
        return found;
    }
    let tiers = Tier::ALL.map(Way::tier);
    for way in tiers.into_iter().chain((0..tree.definitions.len()).map(Way::definition)) {
        if let Some(piece) = way.of(tree) {
            gather(piece, way, bonds, &mut found);
        }
    }
    found
}

fn gather(piece: &Piece, way: Way, bonds: &[String], found: &mut Vec<Way>) {
    if bonds.contains(&piece.bond) {
        found.push(way);
        return;
    }
    for (k, child) in piece.of().iter().enumerate() {
        gather(child, way.child(k), bonds, found);
    }
}

/// The pieces that go together with the one at `way`, or with something in it.
pub fn others(tree: &Tree, way: &Way) -> Vec<Way> {
    let bonds = way.of(tree).map(bonds).unwrap_or_default();
    bearers(tree, &bonds).into_iter().filter(|other| !way.holds(other) && !other.holds(way)).collect()
}

/// Moves what goes together with the piece at `way`, which is moved itself already.
pub fn carry(tree: &mut Tree, way: &Way, seed: u32, motion: &Motion) {
    for other in others(tree, way) {
        let chain = Chain::of(tree, &other, seed);
        if let Some(piece) = other.of_mut(tree) {
            *piece = motion.of(piece, other.root, &chain);
        }
    }
}

/// Has what goes together with the piece at `way` follow an edit of its numbers or points; `before` is the piece as it was.
pub fn follow(tree: &mut Tree, before: &Piece, way: &Way, seed: u32) {
    let Some(after) = way.of(tree).cloned() else { return };
    if after == *before || others(tree, way).is_empty() {
        return;
    }
    let chain = Chain::of(tree, way, seed);
    for motion in motions(before, &after, &chain) {
        carry(tree, way, seed, &motion);
    }
    if let (Form::Contour(was), Form::Contour(is)) = (&before.form, &after.form)
        && was.points.is_empty()
        && !is.points.is_empty()
    {
        return bend(tree, way, &chain, is, seed);
    }
    let handles =
        |piece: &Piece| -> Vec<Point> { points::handles(piece).into_iter().map(|q| chain.outward(q)).collect() };
    // the points of a contour have gone along with its middle
    let mut moved = before.clone();
    if let (Form::Contour(old), Form::Contour(new)) = (&mut moved.form, &after.form) {
        (old.settings.x, old.settings.y) = (new.settings.x, new.settings.y);
    }
    let (was, is) = (handles(&moved), handles(&after));
    let near = SAME_PLACE * f64::from(tree.frame.side);
    for other in others(tree, way) {
        let chain = Chain::of(tree, &other, seed);
        let Some(piece) = other.of_mut(tree) else { continue };
        let own: Vec<Point> = points::handles(piece).into_iter().map(|q| chain.outward(q)).collect();
        let at = |p: Point| own.iter().position(|q| length(sub(*q, p)) <= near);
        let first = was.iter().zip(&is).position(|(a, b)| a != b).unwrap_or(was.len().min(is.len()));
        match is.len() as isize - was.len() as isize {
            0 => {
                let pairs: Vec<(usize, usize)> = (0..was.len()).filter_map(|k| Some((k, at(was[k])?))).collect();
                for (k, own_k) in pairs {
                    if was[k] != is[k] {
                        // corners that would fold stay
                        let there = add(own[own_k], sub(is[k], was[k]));
                        let _ = points::move_handle(piece, own_k, chain.inward(there));
                    }
                    follow_point(piece, own_k, (&moved, &after), k);
                }
            }
            1 if was.iter().filter(|p| at(**p).is_some()).count() > 1 => {
                let _ = points::add_point(piece, chain.inward(is[first]));
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

/// Gives the round contours around the middle of one that has got points points in the same directions, each at its own distance.
fn bend(tree: &mut Tree, way: &Way, chain: &Chain, bent: &Contour, seed: u32) {
    let middle_of = |contour: &Contour| [f64::from(contour.settings.x), f64::from(contour.settings.y)];
    let (middle, near) = (middle_of(bent), SAME_PLACE * f64::from(tree.frame.side));
    let points = bent.points.iter().map(|&(x, y)| chain.outward(add(middle, [f64::from(x), f64::from(y)])));
    let points: Vec<Point> = points.collect();
    for other in others(tree, way) {
        let own = Chain::of(tree, &other, seed);
        let Some(Form::Contour(contour)) = other.of_mut(tree).map(|piece| &mut piece.form) else { continue };
        let (centre, radius) = (middle_of(contour), f64::from(contour.settings.radius));
        if contour.points.is_empty() && length(sub(own.outward(centre), chain.outward(middle))) <= near {
            let ways = points.iter().map(|&p| sub(own.inward(p), centre)).filter(|way| length(*way) > 0.0);
            let round = ways.map(|way| way.map(|along| tidy(radius * along / length(way))));
            contour.points = round.map(|[x, y]| (x, y)).collect();
        }
    }
}

/// The height of a point of a line follows, and its width.
fn follow_point(piece: &mut Piece, own: usize, (before, after): (&Piece, &Piece), k: usize) {
    let (Some(a), Some(b)) = (points::line(before), points::line(after)) else { return };
    let (Some(a), Some(b)) = (a.get(k), b.get(k)) else { return };
    let Some(point) = points::line_mut(piece).and_then(|points| points.get_mut(own)) else { return };
    if a.height != b.height {
        point.height = tidy(f64::from(point.height) + f64::from(b.height) - f64::from(a.height));
    }
    if a.width != b.width && a.width > 0.0 {
        point.width = tidy(f64::from(point.width) * f64::from(b.width) / f64::from(a.width));
    }
}

/// What was done to a piece whose numbers changed, as far as that moves it.
fn motions(before: &Piece, after: &Piece, chain: &Chain) -> Vec<Motion> {
    let mut found = Vec::new();
    let place = |x: f32, y: f32| chain.outward([f64::from(x), f64::from(y)]);
    let mut shift = |from: Point, to: Point| {
        if from != to {
            found.push(Motion::Shift { from, to });
        }
    };
    let rise = |a: f32, b: f32| chain.height_outward(f64::from(b)) - chain.height_outward(f64::from(a));
    let (mut raise, mut scale, mut turn) = (0.0, None, None);
    match (&before.form, &after.form) {
        (Form::Contour(a), Form::Contour(b)) => {
            let (a, b, is_round) = (&a.settings, &b.settings, b.points.is_empty());
            shift(place(a.x, a.y), place(b.x, b.y));
            raise = rise(a.height, b.height);
            scale = is_round.then(|| (place(b.x, b.y), f64::from(b.radius) / f64::from(a.radius)));
        }
        (Form::Disc(a), Form::Disc(b)) => {
            shift(place(a.x, a.y), place(b.x, b.y));
            raise = rise(a.height, b.height);
            scale = Some((place(b.x, b.y), f64::from(b.radius) / f64::from(a.radius)));
        }
        _ => {
            if let (Some(a), Some(b)) = (placement(before), placement(after)) {
                let at = |p: &Placement| place(p.pivot_x + p.move_x, p.pivot_y + p.move_y);
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

/// Ties two pieces to each other.
pub fn tie(tree: &mut Tree, a: &Way, b: &Way) {
    let known = [a, b].into_iter().find_map(|way| way.of(tree).map(|p| p.bond.clone()).filter(|bond| !bond.is_empty()));
    let wanted = || a.of(tree).map_or_else(String::new, Piece::title).to_lowercase();
    let bond = known.unwrap_or_else(|| unused(tree, &wanted()));
    for way in [a, b] {
        if let Some(piece) = way.of_mut(tree) {
            piece.bond.clone_from(&bond);
        }
    }
}

/// Lets a piece go by itself.
pub fn untie(tree: &mut Tree, way: &Way) {
    let Some(piece) = way.of_mut(tree) else { return };
    let bond = std::mem::take(&mut piece.bond);
    // one alone is bound to nothing
    if let [left] = bearers(tree, &[bond])[..].to_vec().as_slice()
        && let Some(piece) = left.of_mut(tree)
    {
        piece.bond.clear();
    }
}

/// A bond that no piece has.
pub fn unused(tree: &Tree, wanted: &str) -> String {
    let mut taken = Vec::new();
    tree.roots().iter().for_each(|(_, root)| root.visit(&mut |piece| taken.push(piece.bond.clone())));
    let wanted = if wanted.is_empty() { "together" } else { wanted };
    numbered(wanted, |bond| taken.iter().any(|other| other == bond))
}

/// What belongs to a piece of the relief and lies on other tiers.
fn belongings(tree: &Tree, way: &Way) -> Vec<Way> {
    if way.root != Root::Tier(Tier::Terrain) {
        return Vec::new();
    }
    let is_on = |other: &Way| matches!(other.root, Root::Tier(tier) if tier != Tier::Terrain);
    others(tree, way).into_iter().filter(is_on).collect()
}

/// [`super::remove`], with what belongs to the piece and to no other.
///
/// # Errors
/// When it is not there.
pub fn remove_all(tree: &mut Tree, way: &Way) -> Result<Option<Way>, Refusal> {
    let mut loose = way.of(tree).map(bonds).unwrap_or_default();
    let is_relief = way.root == Root::Tier(Tier::Terrain);
    let next = remove(tree, way)?;
    // what something else of the relief still has stays
    loose.retain(|bond| {
        let bearers = bearers(tree, std::slice::from_ref(bond));
        is_relief && !bearers.iter().any(|way| way.root == Root::Tier(Tier::Terrain))
    });
    while let Some(way) = bearers(tree, &loose).pop() {
        remove(tree, &way)?;
        prune(tree, way.parent());
    }
    Ok(next)
}

/// Takes away operators that hold nothing any more, from the inside outwards.
fn prune(tree: &mut Tree, mut here: Option<Way>) {
    while let Some(way) = here.filter(|way| way.of(tree).is_some_and(|piece| piece.of().is_empty())) {
        if remove(tree, &way).is_err() {
            return;
        }
        here = way.parent();
    }
}

/// Shows or hides a piece with what belongs to it.
pub fn hide(tree: &mut Tree, way: &Way) {
    let Some(hidden) = way.of(tree).map(|piece| !piece.hidden) else { return };
    for way in belongings(tree, way).iter().chain([way]) {
        if let Some(piece) = way.of_mut(tree) {
            piece.hidden = hidden;
        }
    }
}

/// [`super::duplicate`], with what belongs to the piece; the copies go together with each other.
///
/// # Errors
/// When it is not there, or the tree would have too many pieces.
pub fn duplicate(tree: &mut Tree, way: &Way, by: f64, seed: u32) -> Result<Way, Refusal> {
    soundly(tree, |tree| {
        let owned = belongings(tree, way);
        let middle = Chain::of(tree, way, seed).outward([0.0; 2]);
        let copies: Vec<(Tier, Piece)> = owned
            .iter()
            .filter_map(|other| {
                let Root::Tier(tier) = other.root else { return None };
                let chain = Chain::of(tree, other, seed);
                let motion = Motion::Shift { from: middle, to: add(middle, [by; 2]) };
                let piece = motion.of(other.of(tree)?, other.root, &chain);
                // what it is in bends and moves it there as well
                Some((tier, inside(tree, other, piece)))
            })
            .collect();
        let copy = super::duplicate(tree, way, by)?;
        let mut renamed: Vec<(String, String)> = Vec::new();
        if let Some(piece) = copy.of(tree) {
            for old in bonds(piece) {
                let new = unused(tree, &old);
                renamed.push((old, new));
            }
        }
        let rename = |piece: &mut Piece| {
            piece.visit_mut(&mut |piece| {
                if let Some((_, new)) = renamed.iter().find(|(old, _)| *old == piece.bond) {
                    piece.bond.clone_from(new);
                }
            });
        };
        if let Some(piece) = copy.of_mut(tree) {
            rename(piece);
            // a copy without belongings is bound to nothing
            if copies.is_empty() {
                piece.visit_mut(&mut |piece| piece.bond.clear());
            }
        }
        for (tier, mut piece) in copies {
            rename(&mut piece);
            put_on_tier(tree, tier, piece)?;
        }
        Ok(copy)
    })
}

/// [`super::instantiate`], with what belongs to the piece: that gets a copy of its own as well, bound to the new copy.
///
/// # Errors
/// Those of [`super::instantiate`].
pub fn instantiate(tree: &mut Tree, way: &Way, by: f64) -> Result<Way, Refusal> {
    soundly(tree, |tree| {
        let owned = belongings(tree, way);
        let old = way.of(tree).map(bonds).unwrap_or_default();
        let known = tree.definitions.len();
        let copy = super::instantiate(tree, way, by)?;
        let Some(bond) = old.first().filter(|_| !owned.is_empty()).cloned() else { return Ok(copy) };
        let new = unused(tree, &bond);
        let bind = |tree: &mut Tree, first: &Way, second: &Way| {
            // what was all of a tier is now in a blend
            let first = if first.is_root() { first.child(0) } else { first.clone() };
            for (way, bond) in [(&first, &bond), (second, &new)] {
                if let Some(piece) = way.of_mut(tree) {
                    piece.bond.clone_from(bond);
                }
            }
        };
        bind(tree, way, &copy);
        // from the last on: a copy is put behind what it is a copy of
        for other in owned.iter().rev() {
            let there = super::instantiate(tree, other, by)?;
            bind(tree, other, &there);
        }
        // originals are bound to nothing: what shows them is
        for definition in tree.definitions.iter_mut().skip(known) {
            definition.piece.visit_mut(&mut |piece| {
                if old.contains(&piece.bond) {
                    piece.bond.clear();
                }
            });
        }
        Ok(copy)
    })
}

/// A piece in everything that moves and bends what is at `way`, from the inside outwards.
pub fn inside(tree: &Tree, way: &Way, piece: Piece) -> Piece {
    let mut piece = piece;
    let mut here = way.parent();
    while let Some(parent) = here {
        let form = match parent.of(tree).map(|piece| &piece.form) {
            Some(Form::Warp(group)) => {
                Some(Form::Warp(crate::construction::Group { settings: group.settings.clone(), of: vec![] }))
            }
            Some(Form::Place(group)) => {
                Some(Form::Place(crate::construction::Group { settings: group.settings.clone(), of: vec![] }))
            }
            _ => None,
        };
        if let Some(form) = form {
            let mut around = Piece::new(form);
            if let Some(children) = around.of_mut() {
                children.push(piece);
            }
            piece = around;
        }
        here = parent.parent();
    }
    piece
}

#[cfg(test)]
#[path = "bond/tests.rs"]
mod tests;
