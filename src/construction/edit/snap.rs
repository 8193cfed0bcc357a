//! Drapes lines on the ground below, and lowers points of rivers so that the water flows downhill.

use std::sync::Arc;

use super::PiecePath;
use super::reshape::rounded_to_six_digits;
use super::transform_path::TransformPath;
use crate::Program;
use crate::geometry::plane::{Point, length, sub};
use crate::piece::Tree;
use crate::primitives::curve::CurvePoint;
use crate::sample::Detail;

/// Minimum slope of a river, in metres per metre.
const MIN_RIVER_SLOPE: f64 = 2e-4;
/// Rounding step of heights, in metres.
const ROUNDING: f64 = 1e-3;

/// The ground that remains without some pieces, with heights in the coordinates of one of these pieces.
pub struct GroundBelow {
    program: Arc<Program>,
    transform: TransformPath,
}

impl GroundBelow {
    /// The ground without the piece at `path`. `before` is the program of a similar construction tree, whose prepared
    /// primitives are reused.
    pub fn new(tree: &Tree, path: &PiecePath, seed: u32, before: Option<&Program>) -> Self {
        let program = Arc::new(program_without(tree, std::slice::from_ref(path), seed, before));
        Self { program, transform: TransformPath::for_piece(tree, path, seed) }
    }

    /// The ground that remains without any of the pieces at `paths`: one entry for each piece, in the coordinates of
    /// this piece. `before` is as in [`new`](Self::new).
    pub fn of_each(tree: &Tree, paths: &[PiecePath], seed: u32, before: Option<&Program>) -> Vec<Self> {
        let program = Arc::new(program_without(tree, paths, seed, before));
        let seen_by = |path| Self { program: program.clone(), transform: TransformPath::for_piece(tree, path, seed) };
        paths.iter().map(seen_by).collect()
    }

    /// Height of the ground at `q`. The height and `q` are in the piece's own coordinates.
    pub fn height(&self, q: Point) -> f64 {
        self.transform.height_inward(self.program.height(self.transform.outward(q), &Detail::FULL))
    }
}

fn program_without(tree: &Tree, paths: &[PiecePath], seed: u32, before: Option<&Program>) -> Program {
    let mut bare = tree.clone();
    for path in paths {
        if let Some(piece) = path.piece_mut(&mut bare) {
            piece.hidden = true;
        }
    }
    Program::reusing(&bare, seed, before)
}

/// Sets the height of every point to the height of the ground at the point.
pub fn drape_points(points: &mut [CurvePoint], ground: impl Fn(Point) -> f64) {
    for point in points {
        point.height = rounded_to_six_digits(ground([f64::from(point.at.0), f64::from(point.at.1)]));
    }
}

/// Lowers points so that the line falls from its higher to its lower end, with at least the minimum slope. No point is
/// raised: the river cuts into obstacles. Returns the number of points lowered.
pub fn make_downhill(points: &mut [CurvePoint]) -> usize {
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
        let most = f64::from(above.height) - MIN_RIVER_SLOPE * length(sub(point(above), point(here)));
        if f64::from(here.height) > most + ROUNDING {
            points[pair[1]].height = most as f32;
            sunk += 1;
        }
    }
    sunk
}
