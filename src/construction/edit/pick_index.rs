//! Finds the pieces at a point, and the outlines of their extents.
//!
//! A [`PickIndex`] holds every visible primitive of all material layers, with the transforms of the operators that
//! contain the primitive. The primitives in an instance are stored once per instance. Hidden and locked pieces cannot
//! be picked in the viewport.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::transform_path::TransformPath;
use super::{PiecePath, points};
use crate::check::DEEPEST;
use crate::compiled_program::Program;
use crate::geometry::path::closed_line;
use crate::geometry::plane::{Area, Point, add, higher, length, lower, scaled, sub};
use crate::materials::MaterialLayer;
use crate::operators::scatter::{ScatterRegion, ScatterSettings};
use crate::piece::{Piece, PieceKind, Tree};
use crate::primitives::leaf::Primitive as _;
use crate::sample::Detail;

/// A primitive compiled as a program of its own, which is tested for picking.
#[derive(Debug)]
struct PickShape {
    piece: Piece,
    seed: u32,
    program: Program,
    /// Area of the primitive's bounding box, in square metres of the primitive's own coordinates.
    size: f64,
}

#[derive(Debug)]
struct PickLeaf {
    /// Path that picking selects: the piece itself, or the outermost instance that shows it.
    path: PiecePath,
    transform: TransformPath,
    shape: Arc<PickShape>,
}

/// Index of the pieces that can be picked in the viewport.
#[derive(Debug)]
pub struct PickIndex {
    /// The construction tree that is indexed.
    pub tree: Arc<Tree>,
    /// Seed of the construction's random values.
    pub seed: u32,
    /// The compiled construction tree.
    pub program: Arc<Program>,
    leaves: Vec<PickLeaf>,
}

impl PickIndex {
    /// Builds the index. Shapes that the index `before` already holds are reused.
    pub fn new(tree: &Arc<Tree>, seed: u32, before: Option<&Self>) -> Self {
        let program = Program::shared(tree, seed);
        let mut pick_index = Self { tree: tree.clone(), seed, program, leaves: Vec::new() };
        for material in MaterialLayer::ALL {
            if let Some(root) = tree.root(material) {
                pick_index.gather(root, &PiecePath::material(material), None, &TransformPath::plain(seed), before, 0);
            }
        }
        pick_index
    }

    fn gather(
        &mut self,
        piece: &Piece,
        path: &PiecePath,
        copy: Option<&PiecePath>,
        transform: &TransformPath,
        before: Option<&Self>,
        depth: usize,
    ) {
        if piece.hidden || piece.locked || depth > 2 * DEEPEST {
            return;
        }
        if let PieceKind::Instance(instance) = &piece.kind {
            let tree = self.tree.clone();
            let Some(definition) = tree.definition(&instance.definition) else { return };
            let mut transform = transform.clone();
            transform.push(&instance.settings);
            // a locked definition can still be picked through its instances
            let shown = Piece { locked: false, ..definition.piece.clone() };
            self.gather(&shown, path, Some(copy.unwrap_or(path)), &transform, before, depth + 1);
            return;
        }
        // an array or a scatter is picked as a whole, through all of its copies
        let seed = if piece.repeats() { transform.seed() } else { 0 };
        if piece.takes_pieces() && !piece.repeats() {
            for (k, child) in piece.children().iter().enumerate() {
                let mut transform = transform.clone();
                transform.enter(piece, k);
                self.gather(child, &path.child(k), copy, &transform, before, depth + 1);
            }
            return;
        }
        let known = self.leaves.iter().chain(before.into_iter().flat_map(|b| &b.leaves));
        let same = |leaf: &&PickLeaf| leaf.shape.seed == seed && leaf.shape.piece.kind == piece.kind;
        let shape = known.into_iter().find(same).map(|leaf| leaf.shape.clone());
        let shape = shape.unwrap_or_else(|| Arc::new(PickShape::new(&self.tree, piece, seed)));
        self.leaves.push(PickLeaf { path: copy.unwrap_or(path).clone(), transform: transform.clone(), shape });
    }

    /// The pieces that have weight at a point, each with its weight. The piece with the greatest weight is first. If
    /// weights are equal, the smaller piece is first.
    pub fn pieces_at(&self, p: Point) -> Vec<(PiecePath, f64)> {
        let mut found: Vec<(PiecePath, f64, f64)> = Vec::new();
        for leaf in &self.leaves {
            let weight = lower(leaf.shape.program.sample(leaf.transform.inward(p), &Detail::FULL).weight, 1.0);
            if weight <= 0.0 {
                continue;
            }
            match found.iter_mut().find(|(path, ..)| *path == leaf.path) {
                Some((_, most, _)) => *most = higher(*most, weight),
                None => found.push((leaf.path.clone(), weight, leaf.shape.size)),
            }
        }
        // weights that differ by less than is visible count as equal
        let step = |weight: f64| libm::floor(weight * 50.0);
        found.sort_by(|a, b| step(b.1).total_cmp(&step(a.1)).then(a.2.total_cmp(&b.2)));
        found.into_iter().map(|(path, weight, _)| (path, weight)).collect()
    }
}

impl PickShape {
    fn new(tree: &Tree, piece: &Piece, seed: u32) -> Self {
        let program = alone(tree, piece, piece.repeats(), seed);
        let area = root_area(&program);
        let size = if area.is_empty() { 0.0 } else { (area.high[0] - area.low[0]) * (area.high[1] - area.low[1]) };
        Self { piece: piece.clone(), seed, program, size }
    }
}

fn alone(tree: &Tree, piece: &Piece, with_originals: bool, seed: u32) -> Program {
    let definitions = if with_originals { tree.definitions.clone() } else { Vec::new() };
    let terrain = Piece { hidden: false, ..piece.clone() };
    Program::new(&Tree { frame: tree.frame.clone(), definitions, terrain, ..Tree::default() }, seed)
}

fn root_area(program: &Program) -> Area {
    program.roots[MaterialLayer::Terrain as usize].map_or(Area::EMPTY, |root| program.nodes[root as usize].area)
}

/// Bounding box of the area where a piece has weight, in the coordinates of the piece's parent.
pub fn area(tree: &Tree, path: &PiecePath) -> Area {
    path.piece(tree).map_or(Area::EMPTY, |piece| root_area(&alone(tree, piece, true, 0)))
}

/// The point about which a piece rotates, in the coordinates of the piece's parent.
pub fn centre(tree: &Tree, path: &PiecePath) -> Option<Point> {
    let piece = path.piece(tree)?;
    let middle = |area: Area| (!area.is_empty()).then(|| area.centre());
    match &piece.kind {
        PieceKind::Disc(disc) => Some([f64::from(disc.x), f64::from(disc.y)]),
        PieceKind::Contour(contour) => Some([f64::from(contour.settings.x), f64::from(contour.settings.y)]),
        PieceKind::Curve(_) | PieceKind::Ribbon(_) | PieceKind::Image(_) => {
            middle(Area::enclosing(points::handles(piece)))
        }
        PieceKind::Scatter(group) if group.settings.region == ScatterRegion::Circle => {
            Some([f64::from(group.settings.x), f64::from(group.settings.y)])
        }
        PieceKind::Array(_) | PieceKind::Scatter(_) if !points::handles(piece).is_empty() => {
            middle(Area::enclosing(points::handles(piece)))
        }
        PieceKind::Warp(group) if group.settings.bend == crate::operators::warp::Bend::Twist => {
            Some([f64::from(group.settings.x), f64::from(group.settings.y)])
        }
        _ => {
            let area = area(tree, path);
            let placement = match &piece.kind {
                PieceKind::Instance(instance) => Some(&instance.settings),
                PieceKind::Place(group) => Some(&group.settings),
                _ => None,
            };
            // prefer the existing pivot if it is inside the piece's extent
            if let Some(placement) = placement {
                let at =
                    [f64::from(placement.pivot_x + placement.move_x), f64::from(placement.pivot_y + placement.move_y)];
                if area.contains(at) {
                    return Some(at);
                }
            }
            let side = f64::from(tree.frame.side);
            // for a piece that extends beyond the square, use its visible part
            let seen = area.intersection(Area { low: [0.0; 2], high: [side; 2] });
            middle(if seen.is_empty() { area } else { seen })
        }
    }
}

/// An outline in the horizontal plane, in metres of the construction.
#[derive(Clone, Debug, PartialEq)]
pub struct PickOutline {
    /// Vertices of the outline, in order.
    pub places: Vec<Point>,
    /// Whether the last vertex connects to the first.
    pub closed: bool,
    /// Whether the outline is the line that a piece follows. Otherwise it is the edge of the piece's extent.
    pub inner: bool,
}

/// Maximum number of primitives whose outlines are drawn.
const MOST_LEAVES: usize = 48;

/// Outlines of a piece's extent, and the lines through its points.
pub fn outlines(tree: &Tree, path: &PiecePath, seed: u32) -> Vec<PickOutline> {
    let mut out = Vec::new();
    if let Some(piece) = path.piece(tree) {
        let mut left = MOST_LEAVES;
        walk(tree, piece, &TransformPath::for_piece(tree, path, seed), &mut left, 0, &mut out);
    }
    out
}

fn walk(
    tree: &Tree,
    piece: &Piece,
    transform: &TransformPath,
    left: &mut usize,
    depth: usize,
    out: &mut Vec<PickOutline>,
) {
    if depth > 2 * DEEPEST || *left == 0 {
        return;
    }
    if let PieceKind::Instance(instance) = &piece.kind {
        if let Some(definition) = tree.definition(&instance.definition) {
            let mut transform = transform.clone();
            transform.push(&instance.settings);
            walk(tree, &definition.piece, &transform, left, depth + 1, out);
        }
        return;
    }
    if let Some(Ok((copies, _))) = piece.copies(transform.seed()) {
        of_leaf(piece).into_iter().for_each(|line| out.push(placed_outside(line, transform)));
        for copy in copies {
            let mut transform = transform.clone();
            transform.push_copy(&copy);
            piece.children().iter().for_each(|child| walk(tree, child, &transform, left, depth + 1, out));
        }
        return;
    }
    if piece.takes_pieces() {
        for (k, child) in piece.children().iter().enumerate().filter(|(_, child)| !child.hidden) {
            let mut transform = transform.clone();
            transform.enter(piece, k);
            walk(tree, child, &transform, left, depth + 1, out);
        }
        return;
    }
    *left -= 1;
    out.extend(of_leaf(piece).into_iter().map(|line| placed_outside(line, transform)));
}

/// Converts an outline from the piece's own coordinates to metres of the construction.
fn placed_outside(mut line: PickOutline, transform: &TransformPath) -> PickOutline {
    line.places.iter_mut().for_each(|place| *place = transform.outward(*place));
    line
}

const ROUND: usize = 96;

fn ring_points(at: impl Fn(f64) -> Point) -> Vec<Point> {
    (0..ROUND).map(|k| at(k as f64 / ROUND as f64 * TAU)).collect()
}

/// Outlines of a primitive, an array or a scatter, in its own coordinates.
fn of_leaf(piece: &Piece) -> Vec<PickOutline> {
    let closed = |places| PickOutline { places, closed: true, inner: false };
    match &piece.kind {
        PieceKind::Disc(disc) => {
            let (centre, radius) = ([f64::from(disc.x), f64::from(disc.y)], f64::from(disc.radius));
            vec![closed(ring_points(|a| add(centre, scaled([libm::cos(a), libm::sin(a)], radius))))]
        }
        PieceKind::Contour(contour) => {
            let prepared = contour.prepare();
            let line = PickOutline { places: prepared.ring(1.0, ROUND), closed: true, inner: true };
            // the extent around an outline in the order of its points is drawn as a bounding box
            let is_in_order = contour.outline().is_ok_and(|outline| outline.is_some());
            let end =
                if is_in_order { prepared.area().corners().to_vec() } else { prepared.ring(prepared.reach(), ROUND) };
            vec![closed(end), line]
        }
        PieceKind::Image(image) => {
            let corners = image.corners.map(|(x, y)| [f64::from(x), f64::from(y)]);
            let side = |k: usize| {
                let (a, b) = (corners[k], corners[(k + 1) % 4]);
                (0..16).map(move |i| add(a, scaled(sub(b, a), f64::from(i) / 16.0)))
            };
            vec![closed((0..4).flat_map(side).collect())]
        }
        PieceKind::Curve(_) | PieceKind::Ribbon(_) => beside_line(piece),
        PieceKind::Scatter(group) => {
            let ScatterSettings { region, x, y, radius, run, .. } = group.settings;
            let (centre, radius) = ([f64::from(x), f64::from(y)], f64::from(radius));
            let round = ring_points(|a| add(centre, scaled([libm::cos(a), libm::sin(a)], radius)));
            let corners: Vec<Point> = points::handles(piece);
            let size = Area::enclosing(corners.iter().copied());
            match region {
                ScatterRegion::Circle => vec![PickOutline { places: round, closed: true, inner: true }],
                ScatterRegion::Outline if corners.len() > 2 => {
                    let places = closed_line(&corners, run, length(sub(size.high, size.low))).0;
                    vec![PickOutline { places, closed: true, inner: true }]
                }
                _ => middle_line(piece),
            }
        }
        PieceKind::Array(_) => middle_line(piece),
        _ => Vec::new(),
    }
}

/// The line that copies follow.
fn middle_line(piece: &Piece) -> Vec<PickOutline> {
    let line = points::centreline(piece).map(|centreline| centreline.path.line());
    line.map(|places| PickOutline { places, closed: false, inner: true }).into_iter().collect()
}

/// Maximum number of vertices of a line's outline; further vertices are dropped.
const MOST_PLACES: usize = 240;

fn beside_line(piece: &Piece) -> Vec<PickOutline> {
    let Some(centreline) = points::centreline(piece) else { return Vec::new() };
    let all = centreline.path.line();
    let stride = all.len().div_ceil(MOST_PLACES).max(1);
    let last = all.len() - 1;
    let line: Vec<Point> = (0..all.len()).filter(|k| k % stride == 0 || *k == last).map(|k| all[k]).collect();
    let reach = centreline.falloff.radius * (1.0 - 1e-6);
    let heading = |k: usize| {
        let (a, b) = (line[k.saturating_sub(1)], line[(k + 1).min(line.len() - 1)]);
        let step = sub(b, a);
        let long = length(step);
        if long > 0.0 { scaled(step, 1.0 / long) } else { [1.0, 0.0] }
    };
    // drop vertices of the edge on the inside of sharp bends, where another part of the line is closer than the reach
    let is_edge =
        |p: &Point| centreline.path.nearest_point::<false>(*p).is_none_or(|near| near.distance > 0.97 * reach);
    let side = |k: usize, by: f64| {
        let along = heading(k);
        add(line[k], scaled([-along[1], along[0]], by))
    };
    let cap = |k: usize, from: f64| {
        let along = heading(k);
        (0..=12).map(move |i| (k, along, from + f64::from(i) / 12.0 * std::f64::consts::PI))
    };
    let on_cap = |(k, along, a): (usize, Point, f64)| {
        let (sin, cos) = (libm::sin(a), libm::cos(a));
        add(line[k], scaled([along[0] * cos - along[1] * sin, along[0] * sin + along[1] * cos], reach))
    };
    let (quarter, end) = (0.5 * std::f64::consts::PI, line.len() - 1);
    let left = (0..line.len()).map(|k| side(k, -reach));
    let right = (0..line.len()).rev().map(|k| side(k, reach));
    let places: Vec<Point> = left
        .chain(cap(end, -quarter).map(on_cap))
        .chain(right)
        .chain(cap(0, quarter).map(on_cap))
        .filter(is_edge)
        .collect();
    vec![PickOutline { places, closed: true, inner: false }, PickOutline { places: line, closed: false, inner: true }]
}
