//! Arrays: pieces repeated in a line, in rows and columns, around a centre, or along a curve.
//!
//! Positions, where R is a rotation:
//! - Line: copy k is at pivot + R(turn) (k · step).
//! - Grid: copy (i, j) is at pivot + R(turn) (j · step_x + i mod 2 · stagger · step_x, i · step_y).
//! - Ring of n copies: copy k is at centre + R(k · sweep / n) (pivot - centre). If the ring is not closed, the divisor
//!   is n - 1 instead of n.
//! - Curve: copy k is at arc length k · spacing, or n copies are equally spaced from the start of the curve to its end.
//!
//! If the number of copies rises, the existing copies stay in place. On rings, and on curves with a fixed number of
//! copies, all copies get a new spacing instead.
//! Source: the array command of CAD programs; Génevaux et al. 2014, §5.4.

use super::copies::{CopiesResult, CopyPosition, MOST_COPIES, NodeCopies, copy_params, copy_style, too_many};
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::path::{CurveFit, Path};
use crate::geometry::plane::{Area, Point, add, higher, length, sub};
use crate::geometry::profile::MonotoneCubic;
use crate::piece::{CopyGroup, PieceForm, piece_form, piece_points};
use crate::primitives::curve::CurvePoint;

talweg_ground::choices! {
    /// Layout of the copies: in a line, in rows and columns, around a centre or along a curve.
    Arrangement {
        Line "In a line": "Along a straight line, with the same step from each copy to the next.",
        Grid "Rows and columns": "In a grid of rows and columns.",
        Radial "Around a centre": "On a circle or on part of a circle.",
        Curve "Along a curve": "Along a curve, whose points set the height and size of the copies.",
    }
}

talweg_ground::params! {
    /// Repeats features in a line, in rows and columns, around a centre or along a curve.
    ArraySettings "Array" in "Operator", from "Génevaux et al. 2014, §5.4", also "repeat duplicate copies grid radial rows columns pattern instances" {
        /// Layout of the copies: in a line, in rows and columns, around a centre or along a curve.
        arrangement: Arrangement = Arrangement::Line;
        /// Number of copies.
        count: u32 = 5, 1..=250_000, slider 1..=100 => |a| a.arrangement != Arrangement::Grid && !(a.arrangement == Arrangement::Curve && a.by_spacing);
        /// Number of copies in each row.
        columns: u32 = 4, 1..=1000, slider 1..=50 => |a| a.arrangement == Arrangement::Grid;
        /// Number of rows of copies.
        rows: u32 = 4, 1..=1000, slider 1..=50 => |a| a.arrangement == Arrangement::Grid;
        /// Distance to the next copy or column, measured to the east before the array is rotated.
        step_x: f32 ["m"] = 800.0, -1.0e6..=1.0e6, slider -2000.0..=2000.0 => |a| matches!(a.arrangement, Arrangement::Line | Arrangement::Grid);
        /// Distance to the next copy or row, measured to the south before the array is rotated.
        step_y: f32 ["m"] = 800.0, -1.0e6..=1.0e6, slider -2000.0..=2000.0 => |a| matches!(a.arrangement, Arrangement::Line | Arrangement::Grid);
        /// Shift of every second row, as a fraction of the column spacing; at ½ the copies form a brick pattern.
        stagger: f32 ["share"] = 0.0, 0.0..=1.0 => |a| a.arrangement == Arrangement::Grid;
        /// Distance of the ring's centre from the west edge.
        x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0 => |a| a.arrangement == Arrangement::Radial;
        /// Distance of the ring's centre from the north edge.
        y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0 => |a| a.arrangement == Arrangement::Radial;
        /// Angle over which the copies are distributed; 360° is a full ring.
        sweep_angle: f32 ["°"] = 360.0, -360.0..=360.0 => |a| a.arrangement == Arrangement::Radial;
        /// Places copies at a fixed spacing along the curve instead of a fixed number of copies.
        by_spacing: bool = false => |a| a.arrangement == Arrangement::Curve;
        /// Distance between copies along the curve.
        spacing: f32 ["m"] = 400.0, 0.1..=1.0e6, slider 10.0..=2000.0 => |a| a.arrangement == Arrangement::Curve && a.by_spacing;
        /// Shape of the curve between its points.
        run: CurveFit = CurveFit::Through => |a| a.arrangement == Arrangement::Curve;
        /// Rotates the copies with the ring or the curve.
        follow: bool = true => |a| matches!(a.arrangement, Arrangement::Radial | Arrangement::Curve);
        copy_params!();
    }
}

copy_style!(ArraySettings);

/// A curve that copies follow.
pub(crate) struct CopyCurve {
    path: Path,
    height: MonotoneCubic,
    scale: MonotoneCubic,
}

impl CopyCurve {
    /// Prepares a curve; `None` if there are fewer than two points. `reach` is the maximum distance from the curve for
    /// queries.
    pub fn new(points: &[CurvePoint], run: CurveFit, reach: f64) -> Option<Self> {
        let places: Vec<Point> = points.iter().map(|p| [f64::from(p.at.0), f64::from(p.at.1)]).collect();
        if places.len() < 2 {
            return None;
        }
        let size = Area::enclosing(places.iter().copied());
        let path = Path::new(&places, run, 0.0, higher(reach, 1e-2 * length(sub(size.high, size.low))));
        let line = |value: &dyn Fn(&CurvePoint) -> f32| {
            let mut knots: Vec<(f64, f64)> = Vec::with_capacity(points.len());
            for (&s, point) in path.stations.iter().zip(points) {
                // skip a point at the same arc length as the previous point
                if knots.last().is_none_or(|last| s - last.0 >= 1e-6) {
                    knots.push((s, f64::from(value(point))));
                }
            }
            MonotoneCubic::from_points(&knots)
        };
        let (height, scale) = (line(&|p| p.height), line(&|p| p.width));
        Some(Self { path, height, scale })
    }

    /// Arc length of the curve in metres.
    pub fn length(&self) -> f64 {
        self.path.stations.last().copied().unwrap_or(0.0)
    }

    /// The copy at arc length `s`, `offset` metres to the right of the curve.
    pub fn copy_at(&self, s: f64, offset: f64, follow: bool, id: [i32; 2]) -> CopyPosition {
        let (at, along) = self.path.point_at(s);
        let turn = if follow { libm::atan2(along[1], along[0]) } else { 0.0 };
        let at = add(at, [-along[1] * offset, along[0] * offset]);
        CopyPosition { at, turn, scale: self.scale.sample(s).0, raise: self.height.sample(s).0, id }
    }
}

impl CopyGroup<ArraySettings> {
    /// Positions of the copies, in order.
    ///
    /// # Errors
    /// When there would be too many copies, or when the curve has fewer than two points.
    pub fn positions(&self) -> Result<Vec<CopyPosition>, String> {
        let settings = &self.settings;
        let pivot = [f64::from(settings.pivot_x), f64::from(settings.pivot_y)];
        let step = [f64::from(settings.step_x), f64::from(settings.step_y)];
        let count = settings.count as usize;
        let (columns, rows) = (settings.columns as usize, settings.rows as usize);
        let is_grid = settings.arrangement == Arrangement::Grid;
        if if is_grid { columns * rows } else { count } > MOST_COPIES {
            return Err(too_many());
        }
        let (sin, cos) = match settings.turn_angle {
            0.0 => (0.0, 1.0),
            degrees => {
                let turn = f64::from(degrees) * (std::f64::consts::PI / 180.0);
                (libm::sin(turn), libm::cos(turn))
            }
        };
        let from_pivot =
            |x: f64, y: f64, id: [i32; 2]| CopyPosition::plain(add(pivot, [cos * x - sin * y, sin * x + cos * y]), id);
        Ok(match settings.arrangement {
            Arrangement::Line => {
                (0..count).map(|k| from_pivot(k as f64 * step[0], k as f64 * step[1], [k as i32, 0])).collect()
            }
            Arrangement::Grid => {
                let copy = |i: usize, j: usize| {
                    let late = if i % 2 == 1 { f64::from(settings.stagger) } else { 0.0 };
                    from_pivot((j as f64 + late) * step[0], i as f64 * step[1], [j as i32, i as i32])
                };
                (0..rows * columns).map(|k| copy(k / columns, k % columns)).collect()
            }
            Arrangement::Radial => {
                let sweep = f64::from(settings.sweep_angle) * (std::f64::consts::PI / 180.0);
                let is_whole = settings.sweep_angle.abs() >= 360.0;
                let parts = (if is_whole { count } else { count - 1 }).max(1) as f64;
                let centre = [f64::from(settings.x), f64::from(settings.y)];
                let arm = sub(pivot, centre);
                let copy = |k: usize| {
                    let turn = sweep * k as f64 / parts;
                    let (sin, cos) = if k == 0 { (0.0, 1.0) } else { (libm::sin(turn), libm::cos(turn)) };
                    let at = add(centre, [cos * arm[0] - sin * arm[1], sin * arm[0] + cos * arm[1]]);
                    let turn = if settings.follow { turn } else { 0.0 };
                    CopyPosition { turn, ..CopyPosition::plain(at, [k as i32, 0]) }
                };
                (0..count).map(copy).collect()
            }
            Arrangement::Curve => {
                let curve = CopyCurve::new(&self.points, settings.run, 0.0)
                    .ok_or("an array along a curve needs at least two points")?;
                let long = curve.length();
                let spacing = f64::from(settings.spacing);
                let (count, step) = if settings.by_spacing {
                    (libm::floor(long / spacing + 1e-9), spacing)
                } else {
                    // the first and the last copy are at the ends of the curve
                    (count as f64 - 1.0, long / (count as f64 - 1.0).max(1.0))
                };
                if count >= MOST_COPIES as f64 {
                    return Err(too_many());
                }
                (0..=count as usize)
                    .map(|k| curve.copy_at(k as f64 * step, 0.0, settings.follow, [k as i32, 0]))
                    .collect()
            }
        })
    }
}

impl PieceForm for CopyGroup<ArraySettings> {
    piece_form!("array", settings, children);
    piece_points!();

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        NodeCopies::compile(self.copies(site.frame.seed)?, site, builder)
    }

    fn copies(&self, seed: u32) -> Option<CopiesResult> {
        let style = self.settings.style();
        Some(self.positions().map(|positions| (style.copies(&positions, seed), style.overlap)))
    }
}
