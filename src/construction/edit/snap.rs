//! Lines laid on the ground that is there without them, and rivers made to fall.

use std::sync::Arc;

use super::PiecePath;
use super::reshape::tidy;
use super::transform_path::TransformPath;
use crate::Program;
use crate::geometry::plane::{Point, length, sub};
use crate::piece::Tree;
use crate::primitives::curve::CurvePoint;
use crate::sample::Detail;

/// Metres that a river falls, at the least, over a metre.
const LEAST_FALL: f64 = 2e-4;
/// Metres that heights are rounded by.
const ROUNDING: f64 = 1e-3;

/// The relief without some pieces, as one of them sees it.
pub struct GroundBeneath {
    program: Arc<Program>,
    transform: TransformPath,
}

impl GroundBeneath {
    /// Without the piece at `path`. `before` is a program of a tree much like this one, to be quick.
    pub fn new(tree: &Tree, path: &PiecePath, seed: u32, before: Option<&Program>) -> Self {
        let program = Arc::new(without(tree, std::slice::from_ref(path), seed, before));
        Self { program, transform: TransformPath::for_piece(tree, path, seed) }
    }

    /// Without all of the pieces at `paths`, as each of them sees it. `before` as in [`new`](Self::new).
    pub fn of_each(tree: &Tree, paths: &[PiecePath], seed: u32, before: Option<&Program>) -> Vec<Self> {
        let program = Arc::new(without(tree, paths, seed, before));
        let seen_by = |path| Self { program: program.clone(), transform: TransformPath::for_piece(tree, path, seed) };
        paths.iter().map(seen_by).collect()
    }

    /// Height of the ground at a place of the piece's own metres, as the piece counts it.
    pub fn height(&self, q: Point) -> f64 {
        self.transform.height_inward(self.program.height(self.transform.outward(q), &Detail::FULL))
    }
}

fn without(tree: &Tree, paths: &[PiecePath], seed: u32, before: Option<&Program>) -> Program {
    let mut bare = tree.clone();
    for path in paths {
        if let Some(piece) = path.piece_mut(&mut bare) {
            piece.hidden = true;
        }
    }
    Program::reusing(&bare, seed, before)
}

/// Every point takes the height of the ground there.
pub fn lay(points: &mut [CurvePoint], ground: impl Fn(Point) -> f64) {
    for point in points {
        point.height = tidy(ground([f64::from(point.at.0), f64::from(point.at.1)]));
    }
}

/// Lowers points so that the line falls from its higher end to its lower one all the way, a little at the least.
/// Nothing is raised: a river cuts into what stands in its way. Returns how many points had to sink.
pub fn fall(points: &mut [CurvePoint]) -> usize {
    let ends = points.first().zip(points.last()).map(|(first, last)| first.height < last.height);
    let Some(backwards) = ends else { return 0 };
    let mut order: Vec<usize> = (0..points.len()).collect();
    if backwards {
        order.reverse();
    }
    let mut sunk = 0;
    for pair in order.windows(2) {
        let (above, here) = (&points[pair[0]], &points[pair[1]]);
        let point = |p: &CurvePoint| [f64::from(p.at.0), f64::from(p.at.1)];
        let most = f64::from(above.height) - LEAST_FALL * length(sub(point(above), point(here)));
        if f64::from(here.height) > most + ROUNDING {
            points[pair[1]].height = most as f32;
            sunk += 1;
        }
    }
    sunk
}
