//! Maps between a piece's own coordinates and those of the construction, through every placement, warp and instance
//! that contains the piece.
//!
//! These are the maps that [`Program`](crate::Program) concatenates, including the inverse map ω⁻¹ of a warp. A twist
//! is inverted exactly, because it preserves the distance of each point from the centre. To invert a warp by noise, p
//! is replaced by q - (ω⁻¹(p) - p) repeatedly. This iteration converges to the point p with ω⁻¹(p) = q, because the
//! displacement never folds the ground.

use super::{PiecePath, Root};
use crate::geometry::plane::{Affine, Point, add, sub};
use crate::operators::copies::Copy;
use crate::operators::placement::{Placement, varied};
use crate::operators::warp::PreparedWarp;
use crate::piece::{Piece, PieceKind, Tree};

/// Number of iterations that invert a warp by noise. Each iteration reduces the error to less than two thirds of its
/// previous value.
const STEPS: usize = 24;

#[derive(Clone, Debug)]
enum Link {
    Map { inward: Affine, outward: Affine },
    Warp(PreparedWarp),
}

/// The transforms of all operators that contain a piece, from the root down.
#[derive(Clone, Debug)]
pub struct TransformPath {
    links: Vec<Link>,
    rise: f64,
    lift: f64,
    seed: u32,
}

impl TransformPath {
    /// The coordinates of the construction itself, without any transform.
    pub fn plain(seed: u32) -> Self {
        Self { links: Vec::new(), rise: 1.0, lift: 0.0, seed }
    }

    /// The transforms of all operators that contain the piece at `path`. A piece in a definition uses the first
    /// instance of that definition.
    pub fn for_piece(tree: &Tree, path: &PiecePath, seed: u32) -> Self {
        Self::nested(tree, path, seed, 0)
    }

    fn nested(tree: &Tree, path: &PiecePath, seed: u32, depth: usize) -> Self {
        let mut transform = Self::plain(seed);
        if let Root::Definition(index) = path.root
            && depth < crate::check::DEEPEST
            && let Some(copy) = first_copy(tree, index)
        {
            transform = Self::nested(tree, &copy, seed, depth + 1);
            if let Some(Piece { kind: PieceKind::Instance(instance), .. }) = copy.piece(tree) {
                transform.push(&instance.settings);
            }
        }
        let mut here = PiecePath { root: path.root, steps: Vec::new() };
        for &k in &path.steps {
            if let Some(piece) = here.piece(tree) {
                transform.enter(piece, k);
            }
            here.steps.push(k);
        }
        transform
    }

    /// The transforms of all operators that contain child `at` of `parent`.
    pub fn for_child(tree: &Tree, parent: &PiecePath, at: usize, seed: u32) -> Self {
        let mut transform = Self::for_piece(tree, parent, seed);
        if let Some(piece) = parent.piece(tree) {
            transform.enter(piece, at);
        }
        transform
    }

    /// Appends the transform from a piece to its child `k`. For an array or a scatter, this is the transform of the
    /// first copy.
    pub fn enter(&mut self, piece: &Piece, k: usize) {
        match &piece.kind {
            PieceKind::Place(group) => self.push(&group.settings),
            PieceKind::Array(_) | PieceKind::Scatter(_) => {
                if let Some(copy) = piece.first_copy(self.seed) {
                    self.push_copy(&copy);
                }
            }
            PieceKind::Warp(group) => self.links.push(Link::Warp(group.prepare(self.seed))),
            // an added height is relative to the ground, so the lift of the operators around it does not apply
            PieceKind::Add(_) if k > 0 => self.lift = 0.0,
            _ => {}
        }
    }

    /// Appends the transform of a placement.
    pub fn push(&mut self, placement: &Placement) {
        self.push_map(placement.map(), placement.heights(), placement.variation);
    }

    /// Appends the transform of a copy of an array or a scatter.
    pub fn push_copy(&mut self, copy: &Copy) {
        self.push_map(copy.map, (copy.height_scale, copy.lift), copy.variant);
    }

    fn push_map(&mut self, outward: Affine, (rise, lift): (f64, f64), variation: u32) {
        self.links.push(Link::Map { inward: outward.inverse(), outward });
        self.lift += self.rise * lift;
        self.rise *= rise;
        self.seed = varied(self.seed, variation);
    }

    /// Seed of the piece's random values.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Maps a point from the construction's coordinates to the piece's.
    pub fn inward(&self, p: Point) -> Point {
        self.links.iter().fold(p, |p, link| match link {
            Link::Map { inward, .. } => inward.apply(p),
            Link::Warp(warp) => warp.displace::<false>(p).0,
        })
    }

    /// Maps a point from the piece's coordinates to the construction's.
    pub fn outward(&self, q: Point) -> Point {
        self.links.iter().rev().fold(q, |q, link| match link {
            Link::Map { outward, .. } => outward.apply(q),
            Link::Warp(warp) => unbent(warp, q),
        })
    }

    /// Converts a height from the construction's coordinates to the piece's.
    pub fn height_inward(&self, z: f64) -> f64 {
        if self.rise == 0.0 { 0.0 } else { (z - self.lift) / self.rise }
    }

    /// Converts a height from the piece's coordinates to the construction's.
    pub fn height_outward(&self, z: f64) -> f64 {
        z * self.rise + self.lift
    }

    /// Converts a height difference from the construction's coordinates to the piece's.
    pub fn rise_inward(&self, by: f64) -> f64 {
        if self.rise == 0.0 { 0.0 } else { by / self.rise }
    }

    /// Whether the transforms mirror the piece.
    pub fn is_mirrored(&self) -> bool {
        let flips =
            self.links.iter().filter(|link| matches!(link, Link::Map { inward, .. } if inward.determinant() < 0.0));
        flips.count() % 2 == 1
    }
}

/// The point p that the inverse warp maps to `q`: ω⁻¹(p) = q.
fn unbent(warp: &PreparedWarp, q: Point) -> Point {
    if let PreparedWarp::Twist { centre, angle, falloff } = warp {
        let path = sub(q, *centre);
        let turn = angle * falloff.sample(crate::geometry::plane::length(path)).0;
        let (sin, cos) = (libm::sin(turn), libm::cos(turn));
        return add(*centre, [cos * path[0] + sin * path[1], cos * path[1] - sin * path[0]]);
    }
    (0..STEPS).fold(q, |p, _| sub(add(p, q), warp.displace::<false>(p).0))
}

/// The first instance of a definition, searching the material layers before other definitions.
fn first_copy(tree: &Tree, index: usize) -> Option<PiecePath> {
    let name = &tree.definitions.get(index)?.name;
    let materials = crate::MaterialLayer::ALL.map(PiecePath::material);
    let originals = (0..tree.definitions.len()).filter(|&k| k != index).map(PiecePath::definition);
    materials.into_iter().chain(originals).find_map(|root| {
        let piece = root.piece(tree)?;
        copy_in(piece, &root, name)
    })
}

fn copy_in(piece: &Piece, path: &PiecePath, name: &str) -> Option<PiecePath> {
    if matches!(&piece.kind, PieceKind::Instance(instance) if instance.definition == *name) {
        return Some(path.clone());
    }
    piece.children().iter().enumerate().find_map(|(k, child)| copy_in(child, &path.child(k), name))
}
