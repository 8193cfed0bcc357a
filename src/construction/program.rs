//! A tree made ready: definitions put in, maps put together, curves measured, pictures read, boxes drawn around everything.
//!
//! A [`Program`] answers [`at`](Program::at) any place and [`over`](Program::over) any stretch. Every node knows the box outside which it
//! has no weight; nodes whose box a place is not in are not asked, which changes no bit of the answer. [`Program::within`] leaves
//! out for good what does not touch an area, for the many places of a tile.
//! What cannot be used (a picture that is not there, an instance of nothing) is left out and said in [`Program::problems`].

mod build;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use build::Builder;

use super::answer::{Answer, Bounds, Detail};
use super::blend::{self, Sum};
use super::deposit::Deposit;
use super::hierarchy::{Hierarchy, Met};
use super::piece::Tree;
use super::plane::{Affine, Area, Point, Range, Stretch, add, higher, length, scaled, sub};
use super::replace::{self, Extent};
use super::warp::Warp;
use super::{contour, curve, detail, disc, image, ribbon};

/// Parts of a way across the whole square, and of any way at the most, that [`Program::lipschitz`] looks at.
const LIPSCHITZ_PARTS: f64 = 512.0;
const MOST_PARTS: usize = 96;

/// A primitive ready to be asked, in its own metres.
#[derive(Debug)]
pub enum Leaf {
    /// A disc.
    Disc(disc::Prepared),
    /// A curve.
    Curve(curve::Prepared),
    /// A contour.
    Contour(contour::Prepared),
    /// An image.
    Image(image::Prepared),
    /// A ribbon.
    Ribbon(ribbon::Prepared),
}

impl Leaf {
    pub(super) fn area(&self) -> Area {
        match self {
            Self::Disc(leaf) => leaf.area(),
            Self::Curve(leaf) => leaf.area(),
            Self::Contour(leaf) => leaf.area(),
            Self::Image(leaf) => leaf.area(),
            Self::Ribbon(leaf) => leaf.area(),
        }
    }

    #[inline]
    pub(super) fn at<const G: bool>(&self, p: Point, detail: &Detail) -> Answer {
        match self {
            Self::Disc(leaf) => leaf.at::<G>(p, detail),
            Self::Curve(leaf) => leaf.at::<G>(p),
            Self::Contour(leaf) => leaf.at::<G>(p),
            Self::Image(leaf) => leaf.at::<G>(p),
            Self::Ribbon(leaf) => leaf.at::<G>(p),
        }
    }

    pub(super) fn over(&self, stretch: &Stretch, detail: &Detail) -> Bounds {
        match self {
            Self::Disc(leaf) => leaf.over(stretch, detail),
            Self::Curve(leaf) => leaf.over(stretch),
            Self::Contour(leaf) => leaf.over(stretch),
            Self::Image(leaf) => leaf.over(stretch),
            Self::Ribbon(leaf) => leaf.over(stretch),
        }
    }
}

/// Where a node's own metres lie in those around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// From places around to its own.
    pub(super) inward: Affine,
    /// Elevation: rise · z + lift.
    pub(super) rise: f64,
    pub(super) lift: f64,
    pub(super) stretching: f64,
    pub(super) is_plain: bool,
    seed: u32,
}

impl Frame {
    fn new(seed: u32) -> Self {
        Self { inward: Affine::IDENTITY, rise: 1.0, lift: 0.0, stretching: 1.0, is_plain: true, seed }
    }

    pub(super) fn detail(&self, detail: &Detail) -> Detail {
        Detail { spacing: detail.spacing * self.stretching, ..*detail }
    }
}

/// What a node does.
#[derive(Debug)]
pub(super) enum Operator {
    Leaf { leaf: Arc<Leaf>, made_of: u64, frame: Frame },
    Blend,
    Replace(Extent),
    Add(Deposit),
    Warp { warp: Warp, frame: Frame },
    Detail(detail::DetailSettings),
}

/// A node of the program.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) operator: Operator,
    /// Where it has weight, in the metres around it.
    pub(super) area: Area,
    /// What it is made of, without its children.
    pub(super) key: u64,
    /// The first of replace and add is the ground that the others come on.
    pub(super) children: Vec<u32>,
    /// Boxes around many children of a sum.
    pub(super) hierarchy: Hierarchy,
}

impl Node {
    pub(super) fn is_leaf(&self) -> bool {
        matches!(self.operator, Operator::Leaf { .. })
    }

    /// Whether the order of its children counts.
    pub(super) fn is_ordered(&self) -> bool {
        !matches!(self.operator, Operator::Blend)
    }

    /// How far beyond a place it looks.
    pub(super) fn sight(&self) -> f64 {
        if let Operator::Add(deposit) = &self.operator { deposit.sight() } else { 0.0 }
    }

    /// Where an area inside comes to lie around the node, or the other way.
    pub(super) fn outward(&self, area: Area) -> Area {
        match &self.operator {
            Operator::Warp { warp, frame } => frame.inward.inverse().area(&warp.cover(area)),
            _ => area,
        }
    }

    fn inward(&self, area: Area) -> Area {
        match &self.operator {
            Operator::Warp { warp, frame } => warp.cover(frame.inward.area(&area)),
            _ => area,
        }
    }
}

/// The trees of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The ground.
    Terrain,
    /// Water that lies on it.
    Water,
    /// Sand that lies on it.
    Sand,
    /// Snow that lies on it.
    Snow,
    /// What grows on it.
    Vegetation,
}

impl Tier {
    /// All of them, the ground first.
    pub const ALL: [Self; 5] = [Self::Terrain, Self::Water, Self::Sand, Self::Snow, Self::Vegetation];
    /// Those that lie on the ground and raise it.
    pub const LYING: [Self; 2] = [Self::Sand, Self::Snow];
}

/// A tree ready to be asked.
#[derive(Debug)]
pub struct Program {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: [Option<u32>; 5],
    /// Height where there is nothing.
    pub ground: f64,
    /// Side of the terrain in metres of the tree.
    pub side: f64,
    /// Height that 1.0 stands for, in metres of the tree.
    pub relief: f64,
    /// What could not be used, and where.
    pub problems: Vec<String>,
    everything: Selection,
}

/// The children worth asking, by node.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    spans: Vec<(u32, u32)>,
    children: Vec<u32>,
}

impl Selection {
    #[inline]
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let (from, to) = self.spans[node as usize];
        &self.children[from as usize..to as usize]
    }

    /// How many nodes are left in it.
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

impl Program {
    /// `seed` changes all noise.
    pub fn new(tree: &Tree, seed: u32) -> Self {
        Self::after(tree, seed, None)
    }

    /// Like [`new`](Self::new); primitives that `before` has as well are not made ready again.
    pub fn after(tree: &Tree, seed: u32, before: Option<&Program>) -> Self {
        let known = before.into_iter().flat_map(|program| &program.nodes).filter_map(|node| match &node.operator {
            Operator::Leaf { leaf, made_of, .. } => Some((*made_of, leaf.clone())),
            _ => None,
        });
        let mut builder = Builder { tree, nodes: Vec::new(), problems: Vec::new(), known: known.collect(), count: 0 };
        let roots = Tier::ALL.map(|tier| builder.add(tree.root(tier)?, "Construction", Frame::new(seed), 0));
        let Builder { nodes, mut problems, .. } = builder;
        problems.dedup();
        let mut program = Self {
            nodes,
            roots,
            ground: f64::from(tree.frame.ground),
            side: f64::from(tree.frame.side),
            relief: f64::from(tree.frame.relief),
            problems,
            everything: Selection::default(),
        };
        program.everything = program.within(&Area::ALL);
        program
    }

    /// The same program with nothing left out: no boxes, and discs evaluate their ground where they have no weight as well.
    /// Only to measure what pruning saves; the bits are the same.
    pub fn without_pruning(self) -> Self {
        let mut program = self.without_boxes();
        for node in &mut program.nodes {
            if let Operator::Leaf { leaf, .. } = &mut node.operator
                && let Leaf::Disc(disc) = &**leaf
            {
                *leaf = Arc::new(Leaf::Disc(disc.asked_everywhere()));
            }
        }
        program
    }

    /// The same program without boxes: every piece is asked for its weight everywhere. Only to measure what boxes save.
    pub fn without_boxes(mut self) -> Self {
        for node in &mut self.nodes {
            (node.area, node.hierarchy) = (Area::ALL, Hierarchy::default());
        }
        self.everything = self.within(&Area::ALL);
        self
    }

    /// Nodes of the program: primitives and operators, those of instances counted each time.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the tree holds no piece.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the tree has this tier.
    pub fn has(&self, tier: Tier) -> bool {
        self.roots[tier as usize].is_some()
    }

    /// What can have weight in `area`.
    pub fn within(&self, area: &Area) -> Selection {
        let mut selection = Selection { spans: vec![(0, 0); self.nodes.len()], children: Vec::new() };
        for root in self.roots.into_iter().flatten() {
            self.select(root, *area, &mut selection);
        }
        selection
    }

    fn select(&self, id: u32, area: Area, out: &mut Selection) {
        let node = &self.nodes[id as usize];
        let inner = if node.inward_is_plain() { area } else { node.inward(area) };
        let inner = inner.grown(node.sight());
        let from = out.children.len();
        for (k, &child) in node.children.iter().enumerate() {
            // the ground of replace and add keeps its place
            if k == 0 && node.is_ordered() || self.nodes[child as usize].area.meets(&inner) {
                out.children.push(child);
            }
        }
        let to = out.children.len();
        out.spans[id as usize] = (from as u32, to as u32);
        for k in from..to {
            self.select(out.children[k], inner, out);
        }
    }

    /// The answer at `p`, in metres, with gradients if asked for. `selection` must hold what has weight there.
    #[inline]
    pub fn at_in<const G: bool>(&self, selection: &Selection, tier: Tier, p: Point, detail: &Detail) -> Answer {
        match self.roots[tier as usize] {
            Some(root) if self.nodes[root as usize].area.contains(p) => self.ask::<G>(selection, root, p, detail),
            _ => Answer::default(),
        }
    }

    /// The answer of the terrain at `p`, in metres, with gradients.
    pub fn at(&self, p: Point, detail: &Detail) -> Answer {
        self.at_in::<true>(&self.everything, Tier::Terrain, p, detail)
    }

    /// Height and gradient of the terrain's surface at `p`, also where no piece is.
    pub fn surface(&self, p: Point, detail: &Detail) -> (f64, Point) {
        self.at(p, detail).surface(self.ground)
    }

    /// Height alone.
    pub fn height(&self, p: Point, detail: &Detail) -> f64 {
        self.at_in::<false>(&self.everything, Tier::Terrain, p, detail).surface(self.ground).0
    }

    /// Height of the ground with the sand and snow that lie on it.
    pub fn covered_in(&self, selection: &Selection, p: Point, detail: &Detail) -> f64 {
        let terrain = self.at_in::<false>(selection, Tier::Terrain, p, detail).surface(self.ground).0;
        Tier::LYING.into_iter().filter(|tier| self.has(*tier)).fold(terrain, |height, tier| {
            height + higher(self.at_in::<false>(selection, tier, p, detail).surface(0.0).0, 0.0)
        })
    }

    /// Range and Lipschitz bound of [`covered_in`](Self::covered_in) over a stretch.
    pub fn covered_over_in(&self, selection: &Selection, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        let terrain = self.over_in(selection, Tier::Terrain, stretch, detail).surface(self.ground);
        Tier::LYING.into_iter().filter(|tier| self.has(*tier)).fold(terrain, |(range, slope), tier| {
            let (laid, steep) = self.over_in(selection, tier, stretch, detail).surface(0.0);
            (range.plus(Range::new(higher(laid.low, 0.0), higher(laid.high, 0.0))), slope + steep)
        })
    }

    /// Bounds of the terrain over a stretch.
    pub fn over(&self, stretch: &Stretch, detail: &Detail) -> Bounds {
        self.over_in(&self.everything, Tier::Terrain, stretch, detail)
    }

    /// What holds for all places of `stretch`, among the selected pieces.
    pub fn over_in(&self, selection: &Selection, tier: Tier, stretch: &Stretch, detail: &Detail) -> Bounds {
        match self.roots[tier as usize] {
            Some(root) => self.bound(selection, root, stretch, detail),
            None => Bounds::NOTHING,
        }
    }

    /// Range and Lipschitz bound of the terrain's surface over a stretch: the λ of sphere tracing.
    pub fn surface_over(&self, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        self.over(stretch, detail).surface(self.ground)
    }

    /// [`surface_over`](Self::surface_over) with what has weight there.
    pub fn surface_over_in(&self, selection: &Selection, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        self.over_in(selection, Tier::Terrain, stretch, detail).surface(self.ground)
    }

    /// A Lipschitz bound of the surface between two places: the greatest of the parts of the way, which are short enough for
    /// their bounds to be tight.
    pub fn lipschitz(&self, from: Point, to: Point, detail: &Detail) -> f64 {
        let way = sub(to, from);
        let parts = ((length(way) * (LIPSCHITZ_PARTS / self.side)) as usize).clamp(1, MOST_PARTS);
        let at = |k: usize| add(from, scaled(way, k as f64 / parts as f64));
        (0..parts).fold(0.0, |steepest, k| {
            // rounding moves the ends of the parts by less than this
            let part = Stretch::segment(at(k), at(k + 1)).padded(1e-9 * self.side);
            higher(steepest, self.surface_over(&part, detail).1)
        })
    }

    /// A Lipschitz bound of the surface over an area.
    pub fn lipschitz_in(&self, area: &Area, detail: &Detail) -> f64 {
        self.surface_over(&Stretch::area(area), detail).1
    }

    fn ask<const G: bool>(&self, selection: &Selection, id: u32, p: Point, detail: &Detail) -> Answer {
        let node = &self.nodes[id as usize];
        let there = |child: &u32| self.nodes[*child as usize].area.contains(p);
        let first = |p: Point, children: &[u32]| match children.first() {
            Some(child) if self.nodes[*child as usize].area.contains(p) => self.ask::<G>(selection, *child, p, detail),
            _ => Answer::default(),
        };
        match &node.operator {
            Operator::Leaf { leaf, frame, .. } if frame.is_plain => leaf.at::<G>(p, detail),
            Operator::Leaf { leaf, frame, .. } => {
                let own = leaf.at::<G>(frame.inward.at(p), &frame.detail(detail));
                let height = own.height * frame.rise + frame.lift;
                if !G {
                    return Answer { height, ..own };
                }
                let slope = frame.inward.pull(own.slope).map(|s| s * frame.rise);
                Answer { height, weight: own.weight, slope, fade: frame.inward.pull(own.fade) }
            }
            Operator::Blend => self.sum::<G>(selection, id, p, detail),
            Operator::Replace(extent) => {
                let children = selection.of(id);
                let mut below = first(p, children);
                for child in children.iter().skip(1).filter(|child| there(child)) {
                    below = replace::answer(&below, &self.ask::<G>(selection, *child, p, detail), *extent);
                }
                below
            }
            Operator::Add(deposit) => {
                let children = selection.of(id);
                let mut below = deposit.ground(&first(p, children));
                let mut share = None;
                for child in children.iter().skip(1).filter(|child| there(child)) {
                    let laid = self.ask::<G>(selection, *child, p, detail);
                    if laid.weight <= 0.0 {
                        continue;
                    }
                    let share = *share
                        .get_or_insert_with(|| deposit.share::<G>(p, |q| first(q, children).surface(self.ground)));
                    below = deposit.answer(&below, &laid, share);
                }
                below
            }
            Operator::Warp { warp, frame } => {
                let (q, jacobian) = warp.at::<G>(frame.inward.at(p));
                let detail = frame.detail(detail);
                let own = self.sum::<G>(selection, id, q, &detail);
                if !G {
                    return own;
                }
                let pull = |g: Point| frame.inward.pull(jacobian.pull(g));
                Answer { slope: pull(own.slope), fade: pull(own.fade), ..own }
            }
            Operator::Detail(settings) => {
                let share = settings.share(detail.level);
                let mut sum = Sum::default();
                for child in selection.of(id).iter().filter(|child| there(child)) {
                    let share = node.share_of(*child, share);
                    if share > 0.0 {
                        sum.add(&self.ask::<G>(selection, *child, p, detail), share);
                    }
                }
                sum.answer()
            }
        }
    }

    /// The children blended at `p`. With a hierarchy only those are looked at whose boxes `p` is in; the order stays that of the tree.
    fn sum<const G: bool>(&self, selection: &Selection, id: u32, p: Point, detail: &Detail) -> Answer {
        let node = &self.nodes[id as usize];
        let children = selection.of(id);
        let mut sum = Sum::default();
        let mut add = |child: u32| {
            if self.nodes[child as usize].area.contains(p) {
                sum.add(&self.ask::<G>(selection, child, p, detail), 1.0);
            }
        };
        match self.met(node, children, |area| area.contains(p)) {
            Some(met) => met.positions().iter().for_each(|&k| add(children[k as usize])),
            None => children.iter().for_each(|&child| add(child)),
        }
        sum.answer()
    }

    /// Positions of the children whose boxes `meets` holds for; `None` where they are to be looked at one by one.
    #[inline]
    fn met(&self, node: &Node, children: &[u32], meets: impl Fn(&Area) -> bool) -> Option<Met> {
        let is_whole = !node.hierarchy.is_empty() && children.len() == node.children.len();
        if is_whole { Met::of(&node.hierarchy, meets) } else { None }
    }

    fn bound(&self, selection: &Selection, id: u32, stretch: &Stretch, detail: &Detail) -> Bounds {
        let node = &self.nodes[id as usize];
        if !node.area.meets(&stretch.area_of()) {
            return Bounds::NOTHING;
        }
        let each = |children: &[u32], stretch: &Stretch, detail: &Detail| -> Vec<Bounds> {
            children
                .iter()
                .map(|&child| self.bound(selection, child, stretch, detail))
                .filter(|bounds| !bounds.is_nothing())
                .collect()
        };
        match &node.operator {
            Operator::Leaf { leaf, frame, .. } if frame.is_plain => leaf.over(stretch, detail),
            Operator::Leaf { leaf, frame, .. } => {
                let own = leaf.over(&frame.inward.stretch(stretch), &frame.detail(detail));
                let steep = frame.stretching * frame.rise.abs();
                Bounds {
                    height: own.height.times(frame.rise).plus(Range::one(frame.lift)).loosened(),
                    weight: own.weight,
                    slope: own.slope * steep,
                    fade: own.fade * frame.stretching,
                    laid: own.laid * steep,
                }
            }
            Operator::Blend => self.sum_bounds(selection, id, stretch, detail),
            Operator::Replace(extent) => {
                let children = selection.of(id);
                let mut below = self.first_bound(selection, children, stretch, detail);
                for child in children.iter().skip(1) {
                    below = replace::bounds(&below, &self.bound(selection, *child, stretch, detail), *extent);
                }
                below
            }
            Operator::Add(deposit) => {
                let children = selection.of(id);
                let below = self.first_bound(selection, children, stretch, detail);
                let mut below = deposit.ground_bounds(&below);
                let laid = each(children.get(1..).unwrap_or(&[]), stretch, detail);
                if laid.is_empty() {
                    return below;
                }
                let wide = stretch.padded(deposit.sight());
                let ground = self.first_bound(selection, children, &wide, detail).surface(self.ground);
                let middle = stretch.middle();
                let steep = deposit.steepness(middle, |q| match children.first() {
                    Some(child) if self.nodes[*child as usize].area.contains(q) => {
                        self.ask::<false>(selection, *child, q, detail).surface(self.ground).0
                    }
                    _ => self.ground,
                });
                let share = deposit.share_over(ground, steep, stretch.radius());
                for piece in &laid {
                    below = deposit.bounds(&below, piece, share);
                }
                below
            }
            Operator::Warp { warp, frame } => {
                let (inner, stretching) = warp.over(&frame.inward.stretch(stretch));
                let own = self.sum_bounds(selection, id, &inner, &frame.detail(detail));
                let by = stretching * frame.stretching;
                Bounds { slope: own.slope * by, fade: own.fade * by, laid: own.laid * by, ..own }
            }
            Operator::Detail(settings) => {
                let share = settings.share(detail.level);
                let (first, last) = (node.children[0], node.children[node.children.len() - 1]);
                let mut pieces = Vec::with_capacity(2);
                if share < 1.0 && first != last {
                    pieces.push(detail::shared(&self.bound(selection, first, stretch, detail), 1.0 - share));
                }
                if share > 0.0 || first == last {
                    let share = if first == last { 1.0 } else { share };
                    pieces.push(detail::shared(&self.bound(selection, last, stretch, detail), share));
                }
                blend::bounds(&pieces)
            }
        }
    }

    /// Bounds of the children's blend.
    fn sum_bounds(&self, selection: &Selection, id: u32, stretch: &Stretch, detail: &Detail) -> Bounds {
        let children = selection.of(id);
        let around = stretch.area_of();
        let mut pieces = Vec::new();
        let mut add = |child: u32| {
            let bounds = self.bound(selection, child, stretch, detail);
            if !bounds.is_nothing() {
                pieces.push(bounds);
            }
        };
        match self.met(&self.nodes[id as usize], children, |area| area.meets(&around)) {
            Some(met) => met.positions().iter().for_each(|&k| add(children[k as usize])),
            None => children.iter().for_each(|&child| add(child)),
        }
        blend::bounds(&pieces)
    }

    fn first_bound(&self, selection: &Selection, children: &[u32], stretch: &Stretch, detail: &Detail) -> Bounds {
        children.first().map_or(Bounds::NOTHING, |&child| self.bound(selection, child, stretch, detail))
    }
}

impl Node {
    /// Share of a child of a level of detail whose second piece has `share`: pieces between the first and the last never show.
    pub(super) fn share_of(&self, child: u32, share: f64) -> f64 {
        let last = self.children.len() - 1;
        match self.children.iter().position(|&c| c == child) {
            Some(0) if last > 0 => 1.0 - share,
            Some(k) if k == last => share,
            _ => 0.0,
        }
    }

    fn inward_is_plain(&self) -> bool {
        !matches!(self.operator, Operator::Warp { .. })
    }
}
