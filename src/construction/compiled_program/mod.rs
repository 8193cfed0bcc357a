//! A tree compiled for evaluation: definitions expanded, maps concatenated, curves measured, images read, bounding
//! boxes computed.
//!
//! A [`Program`] returns a [`sample`](Program::sample) at any point and [`bounds`](Program::bounds) over any capsule.
//! Every node has a bounding box outside which its weight is 0. A point outside the box skips the node, which changes
//! no bit of the sample. [`Program::selection`] drops the nodes that do not touch an area once for all points of a
//! tile. Pieces that cannot be used (a missing image, an instance without a definition) are skipped and listed in
//! [`Program::problems`].

mod build;
mod cache;
pub mod change;
pub mod fill;
mod frame;
mod gullied;
mod lipschitz;
mod primitive;
mod repeated;
mod rows;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use build::Builder;
pub(super) use frame::NodeFrame;
pub use primitive::PreparedPrimitive;
pub(super) use repeated::NodeCopies;

use super::geometry::hierarchy::{Hierarchy, HitList};
use super::geometry::plane::{Area, Capsule, Interval, Point, higher};
use super::materials::MaterialLayer;
use super::operators::blend::{self, BlendSum};
use super::operators::deposit::Deposit;
use super::operators::detail;
use super::operators::ground_window::GroundWindow;
use super::operators::gullies::PreparedGullies;
use super::operators::replace::{self, Replacement};
use super::operators::warp::PreparedWarp;
use super::piece::Tree;
use super::sample::{Detail, GroundBounds, GroundSample};

/// Kind of a node, with its prepared parameters.
#[derive(Debug)]
pub(super) enum Operator {
    Leaf {
        leaf: Arc<PreparedPrimitive>,
        made_of: u64,
        frame: NodeFrame,
    },
    Blend,
    Replace(Replacement),
    Add(Deposit),
    Warp {
        warp: PreparedWarp,
        frame: NodeFrame,
    },
    Detail(detail::DetailSettings),
    Gullies {
        gullies: Box<PreparedGullies>,
        frame: NodeFrame,
    },
    /// Copies of its children.
    Repeat(NodeCopies),
}

/// A node of the program.
#[derive(Debug)]
pub(super) struct ProgramNode {
    pub(super) operator: Operator,
    /// Bounding box of its weight, in the parent's coordinates.
    pub(super) area: Area,
    /// Hash of everything that defines it, except its children.
    pub(super) key: u64,
    /// The first child of replace and add is the ground that the others are laid on.
    pub(super) children: Vec<u32>,
    /// Bounding-volume hierarchy of the children; empty if they are few.
    pub(super) hierarchy: Hierarchy,
    /// Index among the nodes that have children.
    pub(super) slot: u32,
    /// Whether a primitive in it has a material.
    pub(super) has_material: bool,
}

impl ProgramNode {
    pub(super) fn is_leaf(&self) -> bool {
        matches!(self.operator, Operator::Leaf { .. })
    }

    /// Whether the order of its children matters.
    pub(super) fn is_ordered(&self) -> bool {
        !matches!(self.operator, Operator::Blend | Operator::Repeat(_))
    }

    /// Stencil radius in metres: how far from a point it samples its children.
    pub(super) fn sight(&self) -> f64 {
        match &self.operator {
            Operator::Gullies { gullies, .. } => gullies.base,
            _ => self.window().map_or(0.0, GroundWindow::sight),
        }
    }

    /// The ground window that limits where it acts; `None` if it acts everywhere.
    pub(super) fn window(&self) -> Option<&GroundWindow> {
        match &self.operator {
            Operator::Add(deposit) => Some(&deposit.window),
            Operator::Replace(replacement) => Some(&replacement.window),
            _ => None,
        }
        .filter(|window| !window.is_open())
    }

    /// Maps an area from the children's coordinates to the parent's; `inward` does the reverse.
    pub(super) fn outward(&self, area: Area) -> Area {
        match &self.operator {
            Operator::Warp { warp, frame } => frame.inward.inverse().area(&warp.cover(area)),
            Operator::Gullies { frame, .. } => frame.area_outward(&area),
            _ => area,
        }
    }

    fn inward(&self, area: Area) -> Area {
        match &self.operator {
            Operator::Warp { warp, frame } => warp.cover(frame.inward.area(&area)),
            Operator::Gullies { frame, .. } if !frame.is_plain => frame.inward.area(&area),
            _ => area,
        }
    }
}

/// A tree compiled for evaluation.
#[derive(Debug)]
pub struct Program {
    pub(super) nodes: Vec<ProgramNode>,
    pub(super) roots: [Option<u32>; 5],
    /// Height where there is no piece.
    pub ground: f64,
    /// Side of the terrain in metres of the tree.
    pub side: f64,
    /// Height of the value 1.0, in metres of the tree.
    pub relief: f64,
    /// Pieces that could not be used, each with its path and the reason.
    pub problems: Vec<String>,
    everything: NodeSelection,
    /// Number of nodes that have children.
    slots: u32,
}

/// The children to evaluate, for each node that has any. For a node of copies: the copies to evaluate.
#[derive(Clone, Debug, Default)]
pub struct NodeSelection {
    spans: Vec<(u32, u32)>,
    children: Vec<u32>,
}

impl NodeSelection {
    #[inline]
    pub(super) fn children(&self, node: &ProgramNode) -> &[u32] {
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
    /// Compiles a tree. `seed` changes all noise.
    pub fn new(tree: &Tree, seed: u32) -> Self {
        Self::reusing(tree, seed, None)
    }

    /// Like [`new`](Self::new), but reuses the prepared primitives that `before` has in common.
    pub fn reusing(tree: &Tree, seed: u32, before: Option<&Program>) -> Self {
        let known = before.into_iter().flat_map(|program| &program.nodes).filter_map(|node| match &node.operator {
            Operator::Leaf { leaf, made_of, .. } => Some((*made_of, leaf.clone())),
            _ => None,
        });
        let mut builder = Builder::new(tree, known.collect());
        let roots = MaterialLayer::ALL.map(|material| builder.add(tree.root(material)?, NodeFrame::new(seed)));
        let Builder { nodes, mut problems, slots, .. } = builder;
        problems.dedup();
        let mut program = Self {
            nodes,
            roots,
            ground: f64::from(tree.frame.ground),
            side: f64::from(tree.frame.side),
            relief: f64::from(tree.frame.relief),
            problems,
            everything: NodeSelection::default(),
            slots,
        };
        program.everything = program.selection(&Area::ALL);
        program
    }

    /// The same program without any pruning: no bounding boxes, and discs evaluate their ground even where they have no
    /// weight. Only to measure how much time pruning saves; the bits are the same.
    pub fn without_pruning(self) -> Self {
        let mut program = self.without_boxes();
        for node in &mut program.nodes {
            if let Operator::Leaf { leaf, .. } = &mut node.operator
                && let PreparedPrimitive::Disc(disc) = &**leaf
            {
                *leaf = Arc::new(PreparedPrimitive::Disc(disc.asked_everywhere()));
            }
        }
        program
    }

    /// The same program without bounding boxes: every piece evaluates its weight everywhere. Only to measure how much
    /// time the boxes save.
    pub fn without_boxes(mut self) -> Self {
        for node in &mut self.nodes {
            (node.area, node.hierarchy) = (Area::ALL, Hierarchy::default());
            if let Operator::Repeat(repeated) = &mut node.operator {
                repeated.copies.iter_mut().for_each(|copy| copy.area = Area::ALL);
            }
        }
        self.everything = self.selection(&Area::ALL);
        self
    }

    /// Number of nodes: primitives and operators. Those in a definition count once per instance.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the tree holds no piece.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the tree has this material layer.
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
        let inner = if node.inward_is_plain() { area } else { node.inward(area) };
        let inner = inner.grown(node.sight());
        if node.children.is_empty() {
            return;
        }
        let from = out.children.len();
        if let Operator::Repeat(repeated) = &node.operator {
            let met = |k: &u32| repeated.copies[*k as usize].area.meets(&inner);
            if node.hierarchy.is_empty() {
                out.children.extend((0..repeated.copies.len() as u32).filter(met));
            } else {
                node.hierarchy.each(|area| area.meets(&inner), |k| out.children.extend(met(&k).then_some(k)));
                out.children[from..].sort_unstable();
            }
            out.spans[node.slot as usize] = (from as u32, out.children.len() as u32);
            // a copy may show any part of its child, so select all of it
            if out.children.len() > from {
                node.children.iter().for_each(|&child| self.select(child, Area::ALL, out));
            }
            return;
        }
        // the ground of replace and add must stay the first child
        let ground = usize::from(node.is_ordered());
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

    /// The sample at `p`, in metres, with gradients if `G`. `selection` must hold every piece that has weight there.
    #[inline]
    pub fn sample_in<const G: bool>(
        &self,
        selection: &NodeSelection,
        material: MaterialLayer,
        p: Point,
        detail: &Detail,
    ) -> GroundSample {
        match self.roots[material as usize] {
            Some(root) if self.nodes[root as usize].area.contains(p) => self.ask::<G>(selection, root, p, detail),
            _ => GroundSample::default(),
        }
    }

    /// The sample of the terrain at `p`, in metres, with gradients.
    pub fn sample(&self, p: Point, detail: &Detail) -> GroundSample {
        self.sample_in::<true>(&self.everything, MaterialLayer::Terrain, p, detail)
    }

    /// Height and gradient of the terrain's surface at `p`, even where there is no piece.
    pub fn surface(&self, p: Point, detail: &Detail) -> (f64, Point) {
        self.sample(p, detail).surface(self.ground)
    }

    /// Height of the terrain's surface at `p`.
    pub fn height(&self, p: Point, detail: &Detail) -> f64 {
        self.sample_in::<false>(&self.everything, MaterialLayer::Terrain, p, detail).surface(self.ground).0
    }

    /// Height of the ground including the sand and snow on it.
    pub fn surface_with_sand_and_snow_in(&self, selection: &NodeSelection, p: Point, detail: &Detail) -> f64 {
        let terrain = self.sample_in::<false>(selection, MaterialLayer::Terrain, p, detail).surface(self.ground).0;
        MaterialLayer::LYING.into_iter().filter(|material| self.has(*material)).fold(terrain, |height, material| {
            height + higher(self.sample_in::<false>(selection, material, p, detail).surface(0.0).0, 0.0)
        })
    }

    /// Range and Lipschitz bound of [`surface_with_sand_and_snow_in`](Self::surface_with_sand_and_snow_in) over a capsule.
    pub fn covered_bounds_in(&self, selection: &NodeSelection, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        let terrain = self.bounds_in(selection, MaterialLayer::Terrain, capsule, detail).surface(self.ground);
        MaterialLayer::LYING.into_iter().filter(|material| self.has(*material)).fold(
            terrain,
            |(range, slope), material| {
                let (laid, steep) = self.bounds_in(selection, material, capsule, detail).surface(0.0);
                (range.plus(Interval::new(higher(laid.low, 0.0), higher(laid.high, 0.0))), slope + steep)
            },
        )
    }

    /// Bounds of the terrain over a capsule.
    pub fn bounds(&self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        self.bounds_in(&self.everything, MaterialLayer::Terrain, capsule, detail)
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
            Some(root) => self.bound(selection, root, capsule, detail),
            None => GroundBounds::NOTHING,
        }
    }

    /// Range and Lipschitz bound of the terrain's surface over a capsule: the λ of sphere tracing.
    pub fn surface_bounds(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        self.bounds(capsule, detail).surface(self.ground)
    }

    pub(super) fn ask<const G: bool>(
        &self,
        selection: &NodeSelection,
        id: u32,
        p: Point,
        detail: &Detail,
    ) -> GroundSample {
        let node = &self.nodes[id as usize];
        let there = |child: &u32| self.nodes[*child as usize].area.contains(p);
        let first = |p: Point, children: &[u32]| match children.first() {
            Some(child) if self.nodes[*child as usize].area.contains(p) => self.ask::<G>(selection, *child, p, detail),
            _ => GroundSample::default(),
        };
        match &node.operator {
            Operator::Leaf { leaf, frame, .. } if frame.is_plain => leaf.sample::<G>(p, detail),
            Operator::Leaf { leaf, frame, .. } => {
                let own = leaf.sample::<G>(frame.inward.apply(p), &frame.detail(detail));
                frame.sample_outward::<G>(own)
            }
            Operator::Blend => self.sum::<G>(selection, id, p, detail),
            Operator::Repeat(repeated) => self.sample_copies::<G>(selection, node, repeated, p, detail),
            Operator::Gullies { gullies, frame } => {
                self.sample_gullies::<G>(selection, node, (gullies, frame), p, detail)
            }
            Operator::Replace(Replacement { extent, window }) => {
                let children = selection.children(node);
                let mut below = first(p, children);
                let mut share = None;
                let mut put = |child: u32| {
                    let mut above = self.ask::<G>(selection, child, p, detail);
                    if above.weight > 0.0 && !window.is_open() {
                        let ground = |q| first(q, children).surface(self.ground);
                        let share = *share.get_or_insert_with(|| window.share::<G>(p, ground));
                        above = GroundWindow::held(&above, share);
                    }
                    below = replace::sample(&below, &above, *extent);
                };
                match self.met(node, children, |area| area.contains(p)) {
                    Some(met) => {
                        let above = met.positions().iter().filter(|&&k| k > 0).map(|&k| children[k as usize]);
                        above.filter(|child| there(child)).for_each(&mut put);
                    }
                    None => children.iter().skip(1).filter(|child| there(child)).for_each(|&child| put(child)),
                }
                below
            }
            Operator::Add(deposit) => {
                let children = selection.children(node);
                let mut below = deposit.ground(&first(p, children));
                let mut share = None;
                for child in children.iter().skip(1).filter(|child| there(child)) {
                    let laid = self.ask::<G>(selection, *child, p, detail);
                    if laid.weight <= 0.0 {
                        continue;
                    }
                    let share = *share.get_or_insert_with(|| {
                        deposit.window.share::<G>(p, |q| first(q, children).surface(self.ground))
                    });
                    below = deposit.sample(&below, &laid, share);
                }
                below
            }
            Operator::Warp { warp, frame } => {
                let (q, jacobian) = warp.displace::<G>(frame.inward.apply(p));
                let detail = frame.detail(detail);
                let own = self.sum::<G>(selection, id, q, &detail);
                if !G {
                    return own;
                }
                let pull = |g: Point| frame.inward.pull(jacobian.pull(g));
                GroundSample { slope: pull(own.slope), fade: pull(own.fade), ..own }
            }
            Operator::Detail(settings) => {
                let share = settings.share(detail.level);
                let mut sum = BlendSum::default();
                for child in selection.children(node).iter().filter(|child| there(child)) {
                    let share = node.child_fraction(*child, share);
                    if share > 0.0 {
                        sum.add(&self.ask::<G>(selection, *child, p, detail), share);
                    }
                }
                sum.sample()
            }
        }
    }

    /// The blend of the children at `p`. A hierarchy finds only the children whose boxes hold `p`; they keep the order
    /// of the tree.
    fn sum<const G: bool>(&self, selection: &NodeSelection, id: u32, p: Point, detail: &Detail) -> GroundSample {
        let node = &self.nodes[id as usize];
        let children = selection.children(node);
        let mut sum = BlendSum::default();
        let mut add = |child: u32| {
            if self.nodes[child as usize].area.contains(p) {
                sum.add(&self.ask::<G>(selection, child, p, detail), 1.0);
            }
        };
        match self.met(node, children, |area| area.contains(p)) {
            Some(met) => met.positions().iter().for_each(|&k| add(children[k as usize])),
            None => children.iter().for_each(|&child| add(child)),
        }
        sum.sample()
    }

    /// Positions of the children whose boxes satisfy `meets`; `None` if the caller must test them one by one.
    #[inline]
    fn met(&self, node: &ProgramNode, children: &[u32], meets: impl Fn(&Area) -> bool) -> Option<HitList> {
        let is_whole = !node.hierarchy.is_empty() && children.len() == node.children.len();
        if is_whole { HitList::find(&node.hierarchy, meets) } else { None }
    }

    fn bound(&self, selection: &NodeSelection, id: u32, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let node = &self.nodes[id as usize];
        if !node.area.meets(&capsule.area_of()) {
            return GroundBounds::NOTHING;
        }
        let each = |children: &[u32], capsule: &Capsule, detail: &Detail| -> Vec<GroundBounds> {
            children
                .iter()
                .map(|&child| self.bound(selection, child, capsule, detail))
                .filter(|bounds| !bounds.is_nothing())
                .collect()
        };
        match &node.operator {
            Operator::Leaf { leaf, frame, .. } if frame.is_plain => leaf.bounds(capsule, detail),
            Operator::Leaf { leaf, frame, .. } => {
                let own = leaf.bounds(&frame.inward.map_capsule(capsule), &frame.detail(detail));
                frame.bounds_outward(&own)
            }
            Operator::Blend => self.sum_bounds(selection, id, capsule, detail),
            Operator::Repeat(repeated) => self.bounds_of_copies(selection, node, repeated, capsule, detail),
            Operator::Gullies { gullies, frame } => {
                self.bounds_of_gullies(selection, node, (gullies, frame), capsule, detail)
            }
            Operator::Replace(Replacement { extent, window }) => {
                let children = selection.children(node);
                let mut below = self.first_bound(selection, children, capsule, detail);
                let around = capsule.area_of();
                let mut share = None;
                let mut put = |child: u32| {
                    let mut above = self.bound(selection, child, capsule, detail);
                    if !window.is_open() && !above.is_nothing() {
                        let over = || self.share_over(selection, children, window, capsule, detail);
                        above = GroundWindow::held_bounds(&above, *share.get_or_insert_with(over));
                    }
                    below = replace::bounds(&below, &above, *extent);
                };
                match self.met(node, children, |area| area.meets(&around)) {
                    Some(met) => met.positions().iter().filter(|&&k| k > 0).for_each(|&k| put(children[k as usize])),
                    None => children.iter().skip(1).for_each(|&child| put(child)),
                }
                below
            }
            Operator::Add(deposit) => {
                let children = selection.children(node);
                let below = self.first_bound(selection, children, capsule, detail);
                let mut below = deposit.ground_bounds(&below);
                let laid = each(children.get(1..).unwrap_or(&[]), capsule, detail);
                if laid.is_empty() {
                    return below;
                }
                let share = self.share_over(selection, children, &deposit.window, capsule, detail);
                for piece in &laid {
                    below = deposit.bounds(&below, piece, share);
                }
                below
            }
            Operator::Warp { warp, frame } => {
                let (inner, stretching) = warp.displaced(&frame.inward.map_capsule(capsule));
                let own = self.sum_bounds(selection, id, &inner, &frame.detail(detail));
                let by = stretching * frame.stretching;
                GroundBounds { slope: own.slope * by, fade: own.fade * by, laid: own.laid * by, ..own }
            }
            Operator::Detail(settings) => {
                let share = settings.share(detail.level);
                let (first, last) = (node.children[0], node.children[node.children.len() - 1]);
                let mut pieces = Vec::with_capacity(2);
                if share < 1.0 && first != last {
                    pieces.push(detail::shared(&self.bound(selection, first, capsule, detail), 1.0 - share));
                }
                if share > 0.0 || first == last {
                    let share = if first == last { 1.0 } else { share };
                    pieces.push(detail::shared(&self.bound(selection, last, capsule, detail), share));
                }
                blend::bounds(&pieces)
            }
        }
    }

    /// Bounds of the blend of the children.
    fn sum_bounds(&self, selection: &NodeSelection, id: u32, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let node = &self.nodes[id as usize];
        let children = selection.children(node);
        let around = capsule.area_of();
        let mut pieces = Vec::new();
        let mut add = |child: u32| {
            let bounds = self.bound(selection, child, capsule, detail);
            if !bounds.is_nothing() {
                pieces.push(bounds);
            }
        };
        match self.met(node, children, |area| area.meets(&around)) {
            Some(met) => met.positions().iter().for_each(|&k| add(children[k as usize])),
            None => children.iter().for_each(|&child| add(child)),
        }
        blend::bounds(&pieces)
    }
}

impl ProgramNode {
    /// Fraction of a child of a level-of-detail node, where the last child has the fraction `share`. Children between
    /// the first and the last never show.
    pub(super) fn child_fraction(&self, child: u32, share: f64) -> f64 {
        let last = self.children.len() - 1;
        match self.children.iter().position(|&c| c == child) {
            Some(0) if last > 0 => 1.0 - share,
            Some(k) if k == last => share,
            _ => 0.0,
        }
    }

    fn inward_is_plain(&self) -> bool {
        !matches!(self.operator, Operator::Warp { .. } | Operator::Gullies { .. })
    }
}
