//! Moves, rotates and scales pieces in the horizontal plane, and raises pieces. Only raising changes the heights of
//! pieces.

use crate::geometry::plane::{Point, add, scaled, sub};
use crate::operators::array::Arrangement;
use crate::operators::placement::Placement;
use crate::operators::scatter::ScatterRegion;
use crate::piece::{Piece, PieceKind};
use crate::primitives::curve::CurvePoint;

/// A similarity transform in the piece's parent coordinates: p ↦ about + shift + scale · R(turn) (p - about), with the
/// rotation matrix R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// Fixed point of rotation and scaling.
    pub about: Point,
    /// Rotation in degrees, from east towards south.
    pub turn: f64,
    /// Factor that multiplies distances from `about`.
    pub scale: f64,
    /// Displacement of `about`, in metres.
    pub shift: Point,
}

impl Similarity {
    /// A shift in metres to the east and south.
    pub fn shift(by: Point) -> Self {
        Self { about: [0.0; 2], turn: 0.0, scale: 1.0, shift: by }
    }

    /// A rotation about a fixed point.
    pub fn turn(about: Point, degrees: f64) -> Self {
        Self { about, turn: degrees, scale: 1.0, shift: [0.0; 2] }
    }

    /// A scaling about a fixed point.
    pub fn scale(about: Point, by: f64) -> Self {
        Self { about, turn: 0.0, scale: by, shift: [0.0; 2] }
    }

    /// The vector `v`, rotated and scaled.
    fn vector(&self, v: Point) -> Point {
        let angle = self.turn * (std::f64::consts::PI / 180.0);
        let (sin, cos) = if self.turn == 0.0 { (0.0, 1.0) } else { (libm::sin(angle), libm::cos(angle)) };
        scaled([cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]], self.scale)
    }

    /// The image of the point `p` under this transform.
    pub fn moved(&self, p: Point) -> Point {
        add(add(self.about, self.shift), self.vector(sub(p, self.about)))
    }

    fn move_place(&self, x: &mut f32, y: &mut f32) {
        let [a, b] = self.moved([f64::from(*x), f64::from(*y)]);
        (*x, *y) = (rounded_to_six_digits(a), rounded_to_six_digits(b));
    }

    fn move_points(&self, points: &mut [CurvePoint]) {
        points.iter_mut().for_each(|point| self.move_place(&mut point.at.0, &mut point.at.1));
    }

    fn length(&self, length: &mut f32) {
        *length = rounded_to_six_digits(f64::from(*length) * self.scale);
    }

    fn angle(&self, angle: &mut f32) {
        *angle = rounded_to_six_digits(wrapped(f64::from(*angle) + self.turn));
    }

    fn placement(&self, placement: &mut Placement) {
        let pivot = [f64::from(placement.pivot_x), f64::from(placement.pivot_y)];
        let there = self.moved(add(pivot, [f64::from(placement.move_x), f64::from(placement.move_y)]));
        let [x, y] = sub(there, pivot);
        (placement.move_x, placement.move_y) = (rounded_to_six_digits(x), rounded_to_six_digits(y));
        self.angle(&mut placement.turn_angle);
        self.length(&mut placement.scale);
    }

    /// The piece after this transform.
    #[must_use]
    pub fn applied(&self, piece: &Piece) -> Piece {
        let mut piece = piece.clone();
        self.apply(&mut piece);
        piece
    }

    fn apply(&self, piece: &mut Piece) {
        // transform of the pieces inside; `None` if these pieces stay in their own coordinates
        let mut inside = Some(*self);
        match &mut piece.kind {
            PieceKind::Disc(disc) => {
                self.move_place(&mut disc.x, &mut disc.y);
                self.length(&mut disc.radius);
                self.angle(&mut disc.wind_angle);
            }
            PieceKind::Curve(curve) => {
                self.move_points(&mut curve.points);
                for length in [&mut curve.settings.width, &mut curve.settings.fade, &mut curve.settings.easing] {
                    self.length(length);
                }
            }
            PieceKind::Ribbon(ribbon) => {
                self.move_points(&mut ribbon.points);
                for length in [&mut ribbon.settings.width, &mut ribbon.settings.fade, &mut ribbon.settings.length] {
                    self.length(length);
                }
            }
            PieceKind::Contour(contour) => {
                self.move_place(&mut contour.settings.x, &mut contour.settings.y);
                self.length(&mut contour.settings.radius);
                let before = contour.points.clone();
                for point in &mut contour.points {
                    let [x, y] = self.vector([f64::from(point.0), f64::from(point.1)]);
                    *point = (rounded_to_six_digits(x), rounded_to_six_digits(y));
                }
                // a tiny outline can touch itself after its points are rounded to six digits; if so, keep the old piece
                if contour.outline().is_err() {
                    contour.points = before;
                }
                // a single profile applies in all directions
                if contour.profiles.len() > 1 {
                    contour.profiles.iter_mut().for_each(|ray| self.angle(&mut ray.angle));
                }
            }
            PieceKind::Image(image) => {
                let before = image.corners;
                image.corners.iter_mut().for_each(|corner| self.move_place(&mut corner.0, &mut corner.1));
                // an image shrunk to a line or a point could not be drawn, and its file could not be read again
                if !image.is_convex() {
                    image.corners = before;
                }
            }
            PieceKind::Instance(instance) => self.placement(&mut instance.settings),
            PieceKind::Place(group) => {
                self.placement(&mut group.settings);
                inside = None;
            }
            PieceKind::Warp(group) => {
                self.move_place(&mut group.settings.x, &mut group.settings.y);
                self.length(&mut group.settings.radius);
                self.move_points(&mut group.points);
                self.angle(&mut group.settings.direction_angle);
            }
            PieceKind::Gullies(group) => self.length(&mut group.settings.size),
            PieceKind::Array(group) => {
                let settings = &mut group.settings;
                let pivot = [f64::from(settings.pivot_x), f64::from(settings.pivot_y)];
                self.move_place(&mut settings.x, &mut settings.y);
                self.move_points(&mut group.points);
                for length in [&mut settings.step_x, &mut settings.step_y, &mut settings.spacing, &mut settings.scale] {
                    self.length(length);
                }
                let is_curve = settings.arrangement == Arrangement::Curve;
                if !(is_curve && settings.follow) {
                    self.angle(&mut settings.turn_angle);
                }
                // the first copy is at the position of the pieces themselves, so the pieces must move together with the
                // array
                inside = (!is_curve).then(|| {
                    self.move_place(&mut settings.pivot_x, &mut settings.pivot_y);
                    Self::shift(sub(self.moved(pivot), pivot))
                });
            }
            PieceKind::Scatter(group) => {
                let settings = &mut group.settings;
                self.move_place(&mut settings.x, &mut settings.y);
                self.move_points(&mut group.points);
                for length in [&mut settings.radius, &mut settings.width, &mut settings.distance, &mut settings.scale] {
                    self.length(length);
                }
                if !(settings.region == ScatterRegion::Curve && settings.follow) {
                    self.angle(&mut settings.turn_angle);
                }
                inside = None;
            }
            _ => {}
        }
        if let Some(inside) = inside {
            piece.children_mut().into_iter().flatten().for_each(|child| inside.apply(child));
        }
    }
}

/// The number rounded to six significant digits. This precision suffices for a dragged value and keeps files readable.
pub fn rounded_to_six_digits(v: f64) -> f32 {
    if v == 0.0 || !v.is_finite() {
        return v as f32;
    }
    let unit = libm::pow(10.0, libm::floor(libm::log10(v.abs())) - 5.0);
    (libm::round(v / unit) * unit) as f32
}

/// The angle wrapped to the range from -180 to 180 degrees.
pub fn wrapped(degrees: f64) -> f64 {
    degrees - 360.0 * libm::floor((degrees + 180.0) / 360.0)
}

/// The piece raised by `by` metres. Pieces added to other ground keep their thickness.
#[must_use]
pub fn raised(piece: &Piece, by: f64) -> Piece {
    let mut piece = piece.clone();
    raise(&mut piece, by as f32);
    piece
}

fn raise(piece: &mut Piece, by: f32) {
    let lift = |height: &mut f32| *height = rounded_to_six_digits(f64::from(*height) + f64::from(by));
    // number of the pieces inside that are raised, and the height by which they are raised, in metres of their own
    // coordinates
    let (mut count, mut inside) = (usize::MAX, by);
    match &mut piece.kind {
        PieceKind::Disc(disc) => lift(&mut disc.height),
        PieceKind::Curve(curve) => curve.points.iter_mut().for_each(|point| lift(&mut point.height)),
        PieceKind::Ribbon(ribbon) => ribbon.points.iter_mut().for_each(|point| lift(&mut point.height)),
        PieceKind::Contour(contour) => lift(&mut contour.settings.height),
        PieceKind::Image(image) => lift(&mut image.settings.height),
        PieceKind::Instance(instance) => lift(&mut instance.settings.raise),
        PieceKind::Place(group) => {
            lift(&mut group.settings.raise);
            count = 0;
        }
        PieceKind::Add(_) => count = 1,
        PieceKind::Array(group) => inside /= group.settings.scale,
        PieceKind::Scatter(group) => inside /= group.settings.scale,
        _ => {}
    }
    piece.children_mut().into_iter().flatten().take(count).for_each(|child| raise(child, inside));
}
