//! Nodes of copies: each distinct child is prepared once; a copy is a map and a bounding box.

use super::frame::NodeFrame;
use super::{NodeSelection, Program, ProgramNode};
use crate::geometry::hierarchy::HitList;
use crate::geometry::plane::{Area, Capsule, Point};
use crate::operators::blend::{self, BlendSum};
use crate::operators::copies::{self, Overlap};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// A copy of a child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProgramCopy {
    pub(crate) frame: NodeFrame,
    /// Bounding box of its weight, in the node's coordinates.
    pub(crate) area: Area,
    /// Index of the child.
    pub(crate) child: u32,
}

/// The copies of a node, in order.
#[derive(Debug)]
pub(crate) struct NodeCopies {
    pub(crate) copies: Vec<ProgramCopy>,
    pub(crate) overlap: Overlap,
}

impl Program {
    /// Positions of a node's selected copies, in ascending order. `meets` limits them only if the node has a hierarchy
    /// and all copies are selected.
    pub(crate) fn copies_in<'a>(
        &self,
        selection: &'a NodeSelection,
        node: &ProgramNode,
        meets: impl Fn(&Area) -> bool,
        room: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        let selected = selection.children(node);
        if node.hierarchy.is_empty() || selected.len() < node.parts() {
            return selected;
        }
        node.hierarchy.each(meets, |position| room.push(position));
        room.sort_unstable();
        room
    }

    pub(super) fn sample_copies<const G: bool>(
        &self,
        selection: &NodeSelection,
        node: &ProgramNode,
        repeated: &NodeCopies,
        p: Point,
        detail: &Detail,
    ) -> GroundSample {
        let NodeCopies { copies, overlap } = repeated;
        let (mut sum, mut below) = (BlendSum::default(), GroundSample::default());
        let mut put = |k: u32| {
            let copy = &copies[k as usize];
            if !copy.area.contains(p) {
                return;
            }
            let (child, q) = (node.children[copy.child as usize], copy.frame.inward.apply(p));
            if !self.nodes[child as usize].area.contains(q) {
                return;
            }
            let own = self.ask::<G>(selection, child, q, &copy.frame.detail(detail));
            let own = copy.frame.sample_outward::<G>(own);
            match overlap {
                Overlap::Blend => sum.add(&own, 1.0),
                Overlap::Replace => below = copies::sample(&below, &own),
            }
        };
        let selected = selection.children(node);
        let is_whole = !node.hierarchy.is_empty() && selected.len() == copies.len();
        match if is_whole { HitList::find(&node.hierarchy, |area| area.contains(p)) } else { None } {
            Some(met) => met.positions().iter().for_each(|&k| put(k)),
            None => {
                self.copies_in(selection, node, |area| area.contains(p), &mut Vec::new()).iter().for_each(|&k| put(k))
            }
        }
        match overlap {
            Overlap::Blend => sum.sample(),
            Overlap::Replace => below,
        }
    }

    pub(super) fn bounds_of_copies(
        &self,
        selection: &NodeSelection,
        node: &ProgramNode,
        repeated: &NodeCopies,
        capsule: &Capsule,
        detail: &Detail,
    ) -> GroundBounds {
        let around = capsule.area_of();
        let mut room = Vec::new();
        let met = self.copies_in(selection, node, |area| area.meets(&around), &mut room);
        let there = met.iter().map(|&k| &repeated.copies[k as usize]).filter(|copy| copy.area.meets(&around));
        let bounds = there.map(|copy| {
            let (child, inner) = (node.children[copy.child as usize], copy.frame.inward.map_capsule(capsule));
            copy.frame.bounds_outward(&self.bound(selection, child, &inner, &copy.frame.detail(detail)))
        });
        let mut bounds = bounds.filter(|bounds| !bounds.is_nothing());
        match repeated.overlap {
            Overlap::Blend => blend::bounds(&bounds.collect::<Vec<_>>()),
            Overlap::Replace => match bounds.next() {
                // the first copy lies on nothing: combine it with empty ground
                Some(first) => {
                    bounds.fold(copies::bounds(&GroundBounds::NOTHING, &first), |a, b| copies::bounds(&a, &b))
                }
                None => GroundBounds::NOTHING,
            },
        }
    }
}

impl ProgramNode {
    /// Number of parts that a selection chooses from: copies, or children.
    pub(crate) fn parts(&self) -> usize {
        match &self.operator {
            super::Operator::Repeat(repeated) => repeated.copies.len(),
            _ => self.children.len(),
        }
    }
}
