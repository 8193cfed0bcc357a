//! A construction tree compiled for evaluation. Compilation expands the definitions, concatenates the coordinate maps,
//! measures the curves, reads the images and computes the bounding boxes.
//!
//! A [`Program`] returns a [`sample`](Program::sample) at any point and [`bounds`](Program::bounds) over any capsule.
//! Every node has a bounding box outside which its weight is 0. Evaluation skips a node if the point is outside the
//! node's box. Skipping changes no bit of the sample. [`Program::selection`] finds the nodes that touch an area. This
//! selection is computed once for all points of a tile. Pieces that cannot be used are skipped and listed in
//! [`Program::problems`]. Examples are a piece with a missing image, and an instance without a definition.

mod build;
mod cache;
pub mod change;
pub mod fill;
mod frame;
mod node;
mod operator;
#[cfg(test)]
mod tests;

pub(crate) use build::{Builder, PieceSite};
pub(crate) use frame::NodeFrame;
pub(crate) use node::{NodeView, ProgramNode};
pub(crate) use operator::{NodeOperator, Operator};

use super::geometry::hierarchy::Hierarchy;
use super::geometry::plane::{Area, Capsule, Interval, Point, add, higher, length, scaled, sub};
use super::materials::MaterialLayer;
use super::piece::Tree;
use super::primitives::leaf::Leaf;
use super::row_samples::{PointRow, RowSamples};
use super::sample::{Detail, GroundBounds, GroundSample};

/// Number of parts into which [`Program::lipschitz`] divides a segment as long as the terrain's side. [`MOST_PARTS`] is
/// the maximum number for any segment.
const LIPSCHITZ_PARTS: f64 = 512.0;
const MOST_PARTS: usize = 96;

/// A construction tree compiled for evaluation.
#[derive(Debug)]
pub struct Program {
    pub(crate) nodes: Vec<ProgramNode>,
    pub(crate) roots: [Option<u32>; 5],
    /// Height of the terrain where there is no piece, in metres of the construction.
    pub ground: f64,
    /// Side length of the terrain, in metres of the construction.
    pub side: f64,
    /// Height of the grid value 1.0, in metres of the construction.
    pub relief: f64,
    /// Pieces that could not be used, each with its path and the reason.
    pub problems: Vec<String>,
    whole_selection: NodeSelection,
    /// Number of nodes that have children.
    slots: u32,
}

/// The children to evaluate, for each node that has children; for an array or a scatter, the copies to evaluate.
#[derive(Clone, Debug, Default)]
pub struct NodeSelection {
    spans: Vec<(u32, u32)>,
    children: Vec<u32>,
}

impl NodeSelection {
    #[inline]
    pub(crate) fn children(&self, node: &ProgramNode) -> &[u32] {
        if node.children.is_empty() {
            return &[];
        }
        let (from, to) = self.spans[node.slot as usize];
        &self.children[from as usize..to as usize]
    }

    /// Number of selected children, over all nodes.
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

impl Program {
    /// Compiles a construction tree. `seed` changes all noise.
    pub fn new(tree: &Tree, seed: u32) -> Self {
        Self::reusing(tree, seed, None)
    }

    /// Like [`new`](Self::new), but reuses the prepared primitives of `before` that the construction tree still
    /// contains.
    pub fn reusing(tree: &Tree, seed: u32, before: Option<&Program>) -> Self {
        let known = before.into_iter().flat_map(|program| &program.nodes).filter_map(|node| match &node.operator {
            Operator::Leaf(Leaf { primitive, made_of, .. }) => Some((*made_of, primitive.clone())),
            _ => None,
        });
        let mut builder = Builder::new(tree, known.collect());
        let roots = MaterialLayer::ALL.map(|material| builder.root(tree.root(material)?, NodeFrame::new(seed)));
        let Builder { nodes, mut problems, slots, .. } = builder;
        problems.dedup();
        let mut program = Self {
            nodes,
            roots,
            ground: f64::from(tree.frame.ground),
            side: f64::from(tree.frame.side),
            relief: f64::from(tree.frame.relief),
            problems,
            whole_selection: NodeSelection::default(),
            slots,
        };
        program.whole_selection = program.selection(&Area::ALL);
        program
    }

    /// The same program without any pruning: it has no bounding boxes, and discs evaluate their ground even where they
    /// have no weight. Use this only to measure how much time pruning saves: the results are the same, bit for bit.
    pub fn without_pruning(self) -> Self {
        let mut program = self.without_boxes();
        for node in &mut program.nodes {
            if let Operator::Leaf(leaf) = &mut node.operator {
                *leaf = leaf.evaluated_everywhere();
            }
        }
        program
    }

    /// The same program without bounding boxes: every piece evaluates its weight everywhere. Use this only to measure
    /// how much time the boxes save.
    pub fn without_boxes(mut self) -> Self {
        for node in &mut self.nodes {
            (node.area, node.hierarchy) = (Area::ALL, Hierarchy::default());
            if let Operator::Repeat(repeated) = &mut node.operator {
                repeated.copies.iter_mut().for_each(|copy| copy.area = Area::ALL);
            }
        }
        self.whole_selection = self.selection(&Area::ALL);
        self
    }

    /// Number of nodes: primitives and operators. Nodes of a definition count once per instance.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the program has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the construction has this material layer.
    pub fn has(&self, material: MaterialLayer) -> bool {
        self.roots[material as usize].is_some()
    }

    /// The nodes that can have weight in `area`.
    pub fn selection(&self, area: &Area) -> NodeSelection {
        let mut selection = NodeSelection { spans: vec![(0, 0); self.slots as usize], children: Vec::new() };
        for root in self.roots.into_iter().flatten() {
            self.select(root, *area, &mut selection);
        }
        selection
    }

    fn select(&self, id: u32, area: Area, out: &mut NodeSelection) {
        let node = &self.nodes[id as usize];
        if node.children.is_empty() {
            return;
        }
        let inner = node.operator.inward(area).grown(node.operator.sight());
        let from = out.children.len();
        let copies = node.operator.copies();
        if !copies.is_empty() {
            let met = |k: &u32| copies[*k as usize].area.meets(&inner);
            if node.hierarchy.is_empty() {
                out.children.extend((0..copies.len() as u32).filter(met));
            } else {
                node.hierarchy.each(|area| area.meets(&inner), |k| out.children.extend(met(&k).then_some(k)));
                out.children[from..].sort_unstable();
            }
            out.spans[node.slot as usize] = (from as u32, out.children.len() as u32);
            // a copy can show any part of its child, so select all pieces of the child
            if out.children.len() > from {
                node.children.iter().for_each(|&child| self.select(child, Area::ALL, out));
            }
            return;
        }
        // the ground, which the operators Replace and Add read, must stay the first child
        let ground = usize::from(node.operator.is_ordered());
        out.children.extend(&node.children[..ground]);
        let met = |k: usize| k >= ground && self.nodes[node.children[k] as usize].area.meets(&inner);
        if node.hierarchy.is_empty() {
            out.children.extend((0..node.children.len()).filter(|&k| met(k)).map(|k| node.children[k]));
        } else {
            let mut positions = Vec::new();
            node.hierarchy.each(|area| area.meets(&inner), |k| positions.extend(met(k as usize).then_some(k)));
            positions.sort_unstable();
            out.children.extend(positions.into_iter().map(|k| node.children[k as usize]));
        }
        let to = out.children.len();
        out.spans[node.slot as usize] = (from as u32, to as u32);
        for k in from..to {
            self.select(out.children[k], inner, out);
        }
    }

    /// The sample at `p`, in metres, with gradients if `G` is true. `selection` must hold every piece that has weight
    /// at `p`.
    #[inline]
    pub fn sample_in<const G: bool>(
        &self,
        selection: &NodeSelection,
        material: MaterialLayer,
        p: Point,
        detail: &Detail,
    ) -> GroundSample {
        match self.roots[material as usize] {
            Some(root) if self.nodes[root as usize].area.contains(p) => {
                self.view(selection, root).sample::<G>(p, detail)
            }
            _ => GroundSample::default(),
        }
    }

    /// A view of node `id` that evaluates only the children in `selection`.
    #[inline]
    pub(crate) fn view<'a>(&'a self, selection: &'a NodeSelection, id: u32) -> NodeView<'a> {
        NodeView { program: self, selection, node: &self.nodes[id as usize] }
    }

    /// The sample of the terrain at `p`, in metres, with gradients.
    pub fn sample(&self, p: Point, detail: &Detail) -> GroundSample {
        self.sample_in::<true>(&self.whole_selection, MaterialLayer::Terrain, p, detail)
    }

    /// Height and gradient of the terrain's surface at `p`, even where there is no piece.
    pub fn surface(&self, p: Point, detail: &Detail) -> (f64, Point) {
        self.sample(p, detail).surface(self.ground)
    }

    /// Height of the terrain's surface at `p`.
    pub fn height(&self, p: Point, detail: &Detail) -> f64 {
        self.sample_in::<false>(&self.whole_selection, MaterialLayer::Terrain, p, detail).surface(self.ground).0
    }

    /// Height of the ground at `p`, including the sand and snow on it.
    pub fn surface_with_sand_and_snow_in(&self, selection: &NodeSelection, p: Point, detail: &Detail) -> f64 {
        let terrain = self.sample_in::<false>(selection, MaterialLayer::Terrain, p, detail).surface(self.ground).0;
        MaterialLayer::RAISING.into_iter().filter(|material| self.has(*material)).fold(terrain, |height, material| {
            height + higher(self.sample_in::<false>(selection, material, p, detail).surface(0.0).0, 0.0)
        })
    }

    /// Range and Lipschitz bound, over a capsule, of the height that
    /// [`surface_with_sand_and_snow_in`](Self::surface_with_sand_and_snow_in) returns.
    pub fn covered_bounds_in(&self, selection: &NodeSelection, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        let terrain = self.bounds_in(selection, MaterialLayer::Terrain, capsule, detail).surface(self.ground);
        MaterialLayer::RAISING.into_iter().filter(|material| self.has(*material)).fold(
            terrain,
            |(range, slope), material| {
                let (laid, steep) = self.bounds_in(selection, material, capsule, detail).surface(0.0);
                (range.plus(Interval::new(higher(laid.low, 0.0), higher(laid.high, 0.0))), slope + steep)
            },
        )
    }

    /// Bounds of the terrain over a capsule.
    pub fn bounds(&self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        self.bounds_in(&self.whole_selection, MaterialLayer::Terrain, capsule, detail)
    }

    /// Bounds of the selected pieces of a material layer over `capsule`.
    pub fn bounds_in(
        &self,
        selection: &NodeSelection,
        material: MaterialLayer,
        capsule: &Capsule,
        detail: &Detail,
    ) -> GroundBounds {
        match self.roots[material as usize] {
            Some(root) => self.view(selection, root).bounds(capsule, detail),
            None => GroundBounds::NOTHING,
        }
    }

    /// Range of the terrain's surface height over a capsule, and its Lipschitz bound: λ in the equations of sphere
    /// tracing.
    pub fn surface_bounds(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        self.bounds(capsule, detail).surface(self.ground)
    }

    /// A Lipschitz bound of the surface between two points: the maximum of the bounds of short parts of the segment.
    /// Bounds of short parts are tighter than a bound of the whole segment.
    pub fn lipschitz(&self, from: Point, to: Point, detail: &Detail) -> f64 {
        let segment = sub(to, from);
        let parts = ((length(segment) * (LIPSCHITZ_PARTS / self.side)) as usize).clamp(1, MOST_PARTS);
        let at = |k: usize| add(from, scaled(segment, k as f64 / parts as f64));
        (0..parts).fold(0.0, |steepest, k| {
            // the padding is larger than the rounding error of the end points
            let part = Capsule::segment(at(k), at(k + 1)).padded(1e-9 * self.side);
            higher(steepest, self.surface_bounds(&part, detail).1)
        })
    }

    /// A Lipschitz bound of the surface over an area.
    pub fn lipschitz_in(&self, area: &Area, detail: &Detail) -> f64 {
        self.surface_bounds(&Capsule::area(area), detail).1
    }

    /// Samples of a material layer along a row of up to [`LANES`](crate::row_samples::LANES) points, without gradients.
    /// `selection` must hold every piece that has weight at these points.
    pub fn row_in(
        &self,
        selection: &NodeSelection,
        material: MaterialLayer,
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        out.weight[..row.len()].fill(0.0);
        if let Some(root) = self.roots[material as usize] {
            self.view(selection, root).row(row, detail, out);
        }
    }

    /// Heights of the ground including sand and snow, along a row of up to [`LANES`](crate::row_samples::LANES) points.
    /// These heights equal the results of [`surface_with_sand_and_snow_in`](Self::surface_with_sand_and_snow_in).
    pub fn covered_row(&self, selection: &NodeSelection, row: PointRow, detail: &Detail, out: &mut [f64]) {
        let mut lanes = RowSamples::NOTHING;
        self.row_in(selection, MaterialLayer::Terrain, row, detail, &mut lanes);
        for (k, height) in out.iter_mut().enumerate().take(row.len()) {
            *height = lanes.sample(k).surface(self.ground).0;
        }
        for material in MaterialLayer::RAISING.into_iter().filter(|material| self.has(*material)) {
            self.row_in(selection, material, row, detail, &mut lanes);
            for (k, height) in out.iter_mut().enumerate().take(row.len()) {
                *height += higher(lanes.sample(k).surface(0.0).0, 0.0);
            }
        }
    }

    /// Heights of the water surface along a row of points; the value `dry` where there is no water.
    pub fn water_row(&self, selection: &NodeSelection, row: PointRow, detail: &Detail, dry: f64, out: &mut [f64]) {
        let mut lanes = RowSamples::NOTHING;
        self.row_in(selection, MaterialLayer::Water, row, detail, &mut lanes);
        for (k, height) in out.iter_mut().enumerate().take(row.len()) {
            *height = lanes.sample(k).surface(dry).0;
        }
    }
}
