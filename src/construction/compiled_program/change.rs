//! The area in which two versions of a construction differ. After an edit, only this area must be computed again.
//!
//! Both construction trees are traversed in parallel. Two nodes with the same key differ only where their children
//! differ. Two nodes with different keys can differ in the union of their bounding boxes. To find children that were
//! inserted, removed or moved, the traversal skips the items at the start and end that both child lists have in common.
//! The copies of arrays and scatters are compared in the same way.

use super::{Operator, Program};
use crate::geometry::plane::Area;
use crate::materials::MaterialLayer;

/// An area, in metres, that holds every point where the terrain or another material layer can differ; `None` if both
/// programs are equal.
pub fn changed_area(before: &Program, after: &Program) -> Option<Area> {
    if before.side != after.side || before.relief != after.relief || before.ground != after.ground {
        return Some(Area::ALL);
    }
    let mut area = Area::EMPTY;
    for material in MaterialLayer::ALL {
        area = area.union(match (before.roots[material as usize], after.roots[material as usize]) {
            (None, None) => Area::EMPTY,
            (Some(a), None) => before.nodes[a as usize].area,
            (None, Some(b)) => after.nodes[b as usize].area,
            (Some(a), Some(b)) => differing(before, a, after, b),
        });
    }
    (!area.is_empty()).then_some(area)
}

fn differing(before: &Program, a: u32, after: &Program, b: u32) -> Area {
    let (old, new) = (&before.nodes[a as usize], &after.nodes[b as usize]);
    if let (Operator::Repeat(was), Operator::Repeat(is)) = (&old.operator, &new.operator)
        && was.overlap == is.overlap
        && old.children.len() == new.children.len()
        && old.children.iter().zip(&new.children).all(|(a, b)| is_same(before, *a, after, *b))
    {
        let (was, is) = (&was.copies, &is.copies);
        let head = was.iter().zip(is).take_while(|(a, b)| a == b).count();
        let rest = was.len().min(is.len()) - head;
        let tail = was.iter().rev().zip(is.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let changed = was[head..was.len() - tail].iter().chain(&is[head..is.len() - tail]);
        return changed.fold(Area::EMPTY, |area, copy| area.union(copy.area));
    }
    if old.key != new.key || old.children.is_empty() {
        return if old.key == new.key { Area::EMPTY } else { old.area.union(new.area) };
    }
    let same = |a: &u32, b: &u32| is_same(before, *a, after, *b);
    let head = old.children.iter().zip(&new.children).take_while(|(a, b)| same(a, b)).count();
    let rest = old.children.len().min(new.children.len()) - head;
    let tail =
        old.children.iter().rev().zip(new.children.iter().rev()).take(rest).take_while(|(a, b)| same(a, b)).count();
    let (gone, come) = (&old.children[head..old.children.len() - tail], &new.children[head..new.children.len() - tail]);
    if gone.len() != come.len() && old.operator.is_ordered() {
        // a piece that replaced the ground or was added to it may now itself be the ground
        return old.area.union(new.area);
    }
    let mut area = Area::EMPTY;
    if gone.len() == come.len() {
        for (a, b) in gone.iter().zip(come) {
            area = area.union(differing(before, *a, after, *b));
        }
    } else {
        area = gone.iter().fold(area, |area, a| area.union(before.nodes[*a as usize].area));
        area = come.iter().fold(area, |area, b| area.union(after.nodes[*b as usize].area));
    }
    // the area is in the children's coordinates: the operator maps the area to its own coordinates
    old.operator.outward(area.grown(old.operator.sight()))
}

/// Whether two nodes are equal, with all nodes below them.
fn is_same(before: &Program, a: u32, after: &Program, b: u32) -> bool {
    let (old, new) = (&before.nodes[a as usize], &after.nodes[b as usize]);
    old.key == new.key
        && old.children.len() == new.children.len()
        && old.children.iter().zip(&new.children).all(|(a, b)| is_same(before, *a, after, *b))
}
