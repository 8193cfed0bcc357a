//! Dimensions of pieces that can be dragged in the viewport: radii, widths, steps of arrays, stretching and shearing.
//!
//! Each dimension has a handle, whose position is in the coordinates of the piece's parent. Dragging the handle sets
//! the parameters of the dimension so that the handle follows the cursor, as far as the parameters' ranges allow.

use super::EditError;
use super::points::{centreline, line};
use super::reshape::rounded_to_six_digits;
use crate::geometry::plane::{Affine, Point, add, dot, length, scaled, sub};
use crate::operators::array::{Arrangement, ArraySettings};
use crate::operators::placement::Placement;
use crate::operators::scatter::ScatterRegion;
use crate::operators::warp::Bend;
use crate::piece::{Piece, PieceKind};

/// Draggable dimensions of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceDimension {
    /// Radius at which the piece ends.
    Radius,
    /// Distance to which the piece extends on both sides of its line.
    Width,
    /// Step from one copy to the next in an array along a line.
    Step,
    /// Step from one column of copies to the next in an array of rows and columns.
    Column,
    /// Step from one row of copies to the next in an array of rows and columns.
    Row,
    /// Centre of an array around a centre.
    Centre,
    /// Width factor from west to east, before the rotation.
    StretchX,
    /// Length factor from north to south and shear of north-south lines, before the rotation.
    StretchY,
}

/// The dimensions of a piece with the positions of their handles. `arm` is the distance in metres between the pivot and
/// the handles of a placement that is neither stretched nor sheared.
pub fn dimensions(piece: &Piece, arm: f64) -> Vec<(PieceDimension, Point)> {
    let east = |x: f32, y: f32, by: f32| [f64::from(x) + f64::from(by), f64::from(y)];
    match &piece.kind {
        PieceKind::Disc(disc) => vec![(PieceDimension::Radius, east(disc.x, disc.y, disc.radius))],
        PieceKind::Contour(contour) if contour.points.is_empty() => {
            let settings = &contour.settings;
            vec![(PieceDimension::Radius, east(settings.x, settings.y, settings.radius))]
        }
        PieceKind::Curve(curve) => beside_middle(piece, curve.settings.width),
        PieceKind::Ribbon(ribbon) => beside_middle(piece, ribbon.settings.width),
        PieceKind::Warp(group) if group.settings.bend == Bend::Twist => {
            vec![(PieceDimension::Radius, east(group.settings.x, group.settings.y, group.settings.radius))]
        }
        PieceKind::Scatter(group) => match group.settings.region {
            ScatterRegion::Circle => {
                vec![(PieceDimension::Radius, east(group.settings.x, group.settings.y, group.settings.radius))]
            }
            ScatterRegion::Curve => beside_middle(piece, group.settings.width),
            ScatterRegion::Outline => Vec::new(),
        },
        PieceKind::Array(group) => {
            let settings = &group.settings;
            let step = |x: f32, y: f32| turned(settings, [f64::from(x), f64::from(y)]);
            match settings.arrangement {
                Arrangement::Line => vec![(PieceDimension::Step, step(settings.step_x, settings.step_y))],
                Arrangement::Grid => {
                    vec![
                        (PieceDimension::Column, step(settings.step_x, 0.0)),
                        (PieceDimension::Row, step(0.0, settings.step_y)),
                    ]
                }
                Arrangement::Radial => vec![(PieceDimension::Centre, east(settings.x, settings.y, 0.0))],
                Arrangement::Curve => Vec::new(),
            }
        }
        PieceKind::Place(group) => arms(&group.settings, arm),
        PieceKind::Instance(instance) => arms(&instance.settings, arm),
        _ => Vec::new(),
    }
}

/// Drags the handle of a dimension to the position `to`, in the coordinates of the piece's parent. `arm` is as in
/// [`dimensions`].
///
/// # Errors
/// When the piece has no such dimension.
pub fn set_dimension(piece: &mut Piece, dimension: PieceDimension, to: Point, arm: f64) -> Result<(), EditError> {
    let away = |x: f32, y: f32| rounded_to_six_digits(length(sub(to, [f64::from(x), f64::from(y)])).max(0.1));
    let beside = |piece: &Piece| {
        let (at, right) = middle_of_line(piece).ok_or(EditError::Gone)?;
        Ok::<f32, EditError>(rounded_to_six_digits((dot(sub(to, at), right) / dot(right, right)).abs().max(0.1)))
    };
    let beside = if dimension == PieceDimension::Width { beside(piece)? } else { 0.0 };
    match (&mut piece.kind, dimension) {
        (PieceKind::Disc(disc), PieceDimension::Radius) => disc.radius = away(disc.x, disc.y),
        (PieceKind::Contour(contour), PieceDimension::Radius) => {
            contour.settings.radius = away(contour.settings.x, contour.settings.y);
        }
        (PieceKind::Warp(group), PieceDimension::Radius) => {
            group.settings.radius = away(group.settings.x, group.settings.y);
        }
        (PieceKind::Scatter(group), PieceDimension::Radius) => {
            group.settings.radius = away(group.settings.x, group.settings.y);
        }
        (PieceKind::Curve(curve), PieceDimension::Width) => curve.settings.width = beside,
        (PieceKind::Ribbon(ribbon), PieceDimension::Width) => ribbon.settings.width = beside,
        (PieceKind::Scatter(group), PieceDimension::Width) => group.settings.width = beside,
        (PieceKind::Array(group), dimension) => {
            let settings = &mut group.settings;
            let [x, y] = unturned(settings, to);
            match dimension {
                PieceDimension::Step => {
                    (settings.step_x, settings.step_y) = (rounded_to_six_digits(x), rounded_to_six_digits(y))
                }
                PieceDimension::Column => settings.step_x = rounded_to_six_digits(x),
                PieceDimension::Row => settings.step_y = rounded_to_six_digits(y),
                PieceDimension::Centre => {
                    (settings.x, settings.y) = (rounded_to_six_digits(to[0]), rounded_to_six_digits(to[1]))
                }
                _ => return Err(EditError::Gone),
            }
        }
        (PieceKind::Place(group), dimension) => drag_arm(&mut group.settings, dimension, to, arm)?,
        (PieceKind::Instance(instance), dimension) => drag_arm(&mut instance.settings, dimension, to, arm)?,
        _ => return Err(EditError::Gone),
    }
    Ok(())
}

/// The dimension as display text, for example `Radius 850 m`.
pub fn dimension_text(piece: &Piece, dimension: PieceDimension) -> String {
    let radius = |metres: f32| format!("Radius {metres:.0} m");
    let width = |metres: f32| format!("Width {metres:.0} m to each side");
    let stretched = |settings: &Placement| match dimension {
        PieceDimension::StretchX => format!("Width {:.0} %", settings.stretch_x * 100.0),
        _ => format!("Length {:.0} %, sheared by {:.0}°", settings.stretch_y * 100.0, settings.shear_angle),
    };
    match &piece.kind {
        PieceKind::Disc(disc) => radius(disc.radius),
        PieceKind::Contour(contour) => radius(contour.settings.radius),
        PieceKind::Warp(group) => radius(group.settings.radius),
        PieceKind::Scatter(group) if dimension == PieceDimension::Radius => radius(group.settings.radius),
        PieceKind::Scatter(group) => width(group.settings.width),
        PieceKind::Curve(curve) => width(curve.settings.width),
        PieceKind::Ribbon(ribbon) => width(ribbon.settings.width),
        PieceKind::Array(group) => {
            let ArraySettings { step_x, step_y, x, y, .. } = group.settings;
            match dimension {
                PieceDimension::Column => format!("Columns {:.0} m apart", step_x.abs()),
                PieceDimension::Row => format!("Rows {:.0} m apart", step_y.abs()),
                PieceDimension::Centre => format!("Centre {x:.0} m from the west edge, {y:.0} m from the north edge"),
                _ => format!("Each copy {step_x:.0} m east, {step_y:.0} m south of the previous one"),
            }
        }
        PieceKind::Place(group) => stretched(&group.settings),
        PieceKind::Instance(instance) => stretched(&instance.settings),
        _ => String::new(),
    }
}

/// The handle at the distance `width` to the right of a line's midpoint.
fn beside_middle(piece: &Piece, width: f32) -> Vec<(PieceDimension, Point)> {
    let place = |(at, right)| (PieceDimension::Width, add(at, scaled(right, f64::from(width))));
    middle_of_line(piece).map(place).into_iter().collect()
}

/// The midpoint of a line through points, and a vector to the right. The length of this vector is the factor by which
/// the points scale the line's width there.
fn middle_of_line(piece: &Piece) -> Option<(Point, Point)> {
    let centreline = centreline(piece)?;
    let half = 0.5 * centreline.path.stations.last()?;
    let (at, along) = centreline.path.point_at(half);
    let (begin, here) = (centreline.width.sample(0.0).0, centreline.width.sample(half).0);
    let wider = match &piece.kind {
        // the widths of a scatter's points scale the copies, not the line
        PieceKind::Scatter(_) => 1.0,
        _ => here / begin * f64::from(line(piece)?.first()?.width),
    };
    Some((at, scaled([-along[1], along[0]], wider)))
}

/// Position of the copy that is one step `[x, y]` away from the first copy of an array.
fn turned(settings: &ArraySettings, [x, y]: Point) -> Point {
    let (sin, cos) = sin_cos(settings.turn_angle);
    add([f64::from(settings.pivot_x), f64::from(settings.pivot_y)], [cos * x - sin * y, sin * x + cos * y])
}

/// The step from the first copy of an array to the position `to`.
fn unturned(settings: &ArraySettings, to: Point) -> Point {
    let (sin, cos) = sin_cos(settings.turn_angle);
    let [x, y] = sub(to, [f64::from(settings.pivot_x), f64::from(settings.pivot_y)]);
    [cos * x + sin * y, cos * y - sin * x]
}

fn sin_cos(degrees: f32) -> (f64, f64) {
    let angle = f64::from(degrees) * (std::f64::consts::PI / 180.0);
    (libm::sin(angle), libm::cos(angle))
}

/// The handles for stretching: the ends of two arms. Before stretching, these ends are `arm` metres to the east and to
/// the south of the pivot.
fn arms(settings: &Placement, arm: f64) -> Vec<(PieceDimension, Point)> {
    let (map, arm) = (settings.map(), arm / f64::from(settings.scale));
    let end = |by: Point| map.apply(add([f64::from(settings.pivot_x), f64::from(settings.pivot_y)], by));
    vec![(PieceDimension::StretchX, end([arm, 0.0])), (PieceDimension::StretchY, end([0.0, arm]))]
}

fn drag_arm(settings: &mut Placement, dimension: PieceDimension, to: Point, arm: f64) -> Result<(), EditError> {
    let plain = Placement { stretch_x: 1.0, stretch_y: 1.0, shear_angle: 0.0, scale: 1.0, ..settings.clone() };
    let back: Affine = plain.map().inverse();
    let [x, y] = sub(back.apply(to), [f64::from(settings.pivot_x), f64::from(settings.pivot_y)]);
    match dimension {
        PieceDimension::StretchX => settings.stretch_x = rounded_to_six_digits((x / arm).max(0.01)),
        PieceDimension::StretchY => {
            let y = y.max(0.01 * arm);
            // in the parent's coordinates, a mirrored arm leans in the opposite direction
            let lean = if settings.mirror { -x } else { x };
            settings.stretch_y = rounded_to_six_digits(y / arm);
            settings.shear_angle =
                rounded_to_six_digits(libm::atan2(lean, y) * (180.0 / std::f64::consts::PI)).clamp(-80.0, 80.0);
        }
        _ => return Err(EditError::Gone),
    }
    Ok(())
}
