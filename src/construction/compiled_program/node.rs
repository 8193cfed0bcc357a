//! Nodes of a program, and the functions with which an operator evaluates its children.

use super::operator::Operator;
use super::{NodeSelection, Program};
use crate::geometry::hierarchy::{Hierarchy, HitList};
use crate::geometry::plane::{Area, Capsule, Point, higher};
use crate::materials::shares::{MaterialBlend, MaterialFractions};
use crate::operators::blend::{self, BlendSum, BlendSumRow};
use crate::row_samples::{PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// A node of the program.
#[derive(Debug)]
pub(crate) struct ProgramNode {
    pub(crate) operator: Operator,
    /// Bounding box of the area where the node has weight, in the parent's coordinates.
    pub(crate) area: Area,
    /// Hash of all parameters that define the node. The children are not included.
    pub(crate) key: u64,
    /// Indices of the child nodes. The first child of a Replace or Add operator is the ground that later children
    /// replace or are added to.
    pub(crate) children: Vec<u32>,
    /// Bounding-volume hierarchy of the children; empty if there are few children.
    pub(crate) hierarchy: Hierarchy,
    /// Index among the nodes that have children.
    pub(crate) slot: u32,
    /// Whether a primitive inside the node has a material.
    pub(crate) has_material: bool,
}

impl ProgramNode {
    /// Number of copies or children from which a selection chooses.
    pub(crate) fn parts(&self) -> usize {
        let copies = self.operator.copies();
        if copies.is_empty() { self.children.len() } else { copies.len() }
    }
}

/// A node during an evaluation, with the selection of the children to evaluate.
#[derive(Clone, Copy)]
pub(crate) struct NodeView<'a> {
    pub program: &'a Program,
    pub selection: &'a NodeSelection,
    pub node: &'a ProgramNode,
}

impl<'a> NodeView<'a> {
    /// Indices of the selected children; for an array or a scatter, indices of the selected copies.
    #[inline]
    pub fn children(self) -> &'a [u32] {
        self.selection.children(self.node)
    }

    /// A view of the node `id` of the same program, with the same selection.
    pub fn child_view(self, id: u32) -> Self {
        Self { node: &self.program.nodes[id as usize], ..self }
    }

    /// Height of the terrain where there is no piece.
    pub fn base(self) -> f64 {
        self.program.ground
    }

    /// Calls `see` with the children or copies from position `from` on, in the order of the construction tree. If there
    /// are many, children whose boxes do not satisfy `meets` are skipped.
    #[inline]
    pub fn each(self, from: usize, meets: impl Fn(&Area) -> bool, mut see: impl FnMut(u32)) {
        let (parts, hierarchy) = (self.children(), &self.node.hierarchy);
        if hierarchy.is_empty() || parts.len() < self.node.parts() {
            parts.iter().skip(from).for_each(|&part| see(part));
            return;
        }
        let mut see = |k: u32| {
            if k as usize >= from {
                see(parts[k as usize]);
            }
        };
        if let Some(met) = HitList::find(hierarchy, &meets) {
            met.positions().iter().for_each(|&k| see(k));
        } else {
            let mut positions = Vec::new();
            hierarchy.each(meets, |position| positions.push(position));
            positions.sort_unstable();
            positions.into_iter().for_each(see);
        }
    }

    /// The sample of this node at a point in its box.
    #[inline]
    pub fn sample<const G: bool>(self, p: Point, detail: &Detail) -> GroundSample {
        self.node.operator.sample::<G>(self, p, detail)
    }

    /// The sample of the child `id` at `p`; weight 0 outside the child's box.
    #[inline]
    pub fn child<const G: bool>(self, id: u32, p: Point, detail: &Detail) -> GroundSample {
        let child = self.child_view(id);
        if child.node.area.contains(p) { child.sample::<G>(p, detail) } else { GroundSample::default() }
    }

    /// The weight of the child `id` at `p`; 0 outside the child's box.
    #[inline]
    pub fn child_weight(self, id: u32, p: Point, detail: &Detail) -> f64 {
        let child = self.child_view(id);
        if child.node.area.contains(p) { child.node.operator.weight(child, p, detail) } else { 0.0 }
    }

    /// The weight of the first child.
    pub fn ground_weight(self, p: Point, detail: &Detail) -> f64 {
        self.children().first().map_or(0.0, |&child| self.child_weight(child, p, detail))
    }

    /// The sample of the first child, which is the ground that later children replace or are added to.
    pub fn ground<const G: bool>(self, p: Point, detail: &Detail) -> GroundSample {
        self.children().first().map_or_else(GroundSample::default, |&child| self.child::<G>(child, p, detail))
    }

    /// The sample of the blended children at `p`.
    pub fn sum<const G: bool>(self, p: Point, detail: &Detail) -> GroundSample {
        let mut sum = BlendSum::default();
        self.each(0, |area| area.contains(p), |child| sum.add(&self.child::<G>(child, p, detail), 1.0));
        sum.sample()
    }

    /// The weight of the blended children at `p`.
    pub fn sum_weight(self, p: Point, detail: &Detail) -> f64 {
        let mut sum = 0.0;
        self.each(0, |area| area.contains(p), |child| sum += higher(self.child_weight(child, p, detail), 0.0));
        sum
    }

    /// Bounds of this node over a capsule.
    pub fn bounds(self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        if self.node.area.meets(&capsule.area_of()) {
            self.node.operator.bounds(self, capsule, detail)
        } else {
            GroundBounds::NOTHING
        }
    }

    /// Bounds of the first child, which is the ground that later children replace or are added to.
    pub fn ground_bound(self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        self.children().first().map_or(GroundBounds::NOTHING, |&child| self.child_view(child).bounds(capsule, detail))
    }

    /// Bounds of the blend of the children.
    pub fn sum_bounds(self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let (around, mut pieces) = (capsule.area_of(), Vec::new());
        self.each(0, |area| area.meets(&around), |child| pieces.push(self.child_view(child).bounds(capsule, detail)));
        blend::bounds(&pieces)
    }

    /// Samples of this node at points inside or around its bounding box; weight 0 outside the box.
    fn row_inside(self, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        self.node.operator.row(self, row, detail, out);
        if self.node.operator.is_mapped() {
            // other nodes require a weight of 0 outside the bounding box, but rounding can make the weight positive
            // just outside
            for k in 0..row.len() {
                if !self.node.area.contains(row.point(k)) {
                    out.weight[k] = 0.0;
                }
            }
        }
    }

    /// Samples of the child `id` at the points of a row that are inside the child's box. Returns the range of these
    /// points.
    pub fn part_row(self, id: u32, row: PointRow, detail: &Detail, out: &mut RowSamples) -> Option<(usize, usize)> {
        let child = self.child_view(id);
        let span = row.span(&child.node.area)?;
        child.row_inside(row.part(span), detail, out);
        Some(span)
    }

    /// Samples of this node along a row of points; weight 0 outside the node's box.
    pub fn row(self, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        out.weight[..row.len()].fill(0.0);
        let Some(span) = row.span(&self.node.area) else { return };
        if span == (0, row.len()) {
            self.row_inside(row, detail, out);
            return;
        }
        let mut part = RowSamples::NOTHING;
        self.row_inside(row.part(span), detail, &mut part);
        let n = span.1 - span.0;
        out.height[span.0..span.1].copy_from_slice(&part.height[..n]);
        out.weight[span.0..span.1].copy_from_slice(&part.weight[..n]);
    }

    /// Samples of the first child along a row of points; height 0 where the child has no weight.
    pub fn ground_row(self, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        match self.children().first() {
            Some(&child) => self.child_view(child).row(row, detail, out),
            None => out.weight[..row.len()].fill(0.0),
        }
        for k in 0..row.len() {
            // where the weight is 0, the height is undefined: set the height to 0
            if out.weight[k] <= 0.0 {
                (out.height[k], out.weight[k]) = (0.0, 0.0);
            }
        }
    }

    /// Samples of the blended children along a row of points.
    pub fn sum_row(self, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let mut sums = BlendSumRow::NOTHING;
        for &child in self.children() {
            sums.add_child(self, (child, 1.0), row, detail);
        }
        sums.sample(row.len(), out);
    }

    /// Materials of this node at a point where it has weight.
    pub fn materials(self, p: Point, detail: &Detail) -> MaterialFractions {
        if self.node.has_material {
            self.node.operator.materials(self, p, detail)
        } else {
            MaterialFractions::default()
        }
    }

    /// Materials of the first child.
    pub fn ground_materials(self, p: Point, detail: &Detail) -> MaterialFractions {
        match self.children().first() {
            Some(&child) if self.ground_weight(p, detail) > 0.0 => self.child_view(child).materials(p, detail),
            _ => MaterialFractions::default(),
        }
    }

    /// Materials of the blend of the children.
    pub fn sum_materials(self, p: Point, detail: &Detail) -> MaterialFractions {
        let mut sum = MaterialBlend::default();
        for &child in self.children() {
            sum.add_child(self, (child, 1.0), p, detail);
        }
        sum.blended()
    }
}
