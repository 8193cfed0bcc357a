//! Adds, moves and removes points of curves, ribbons and contours, and moves corners of images.

use super::EditError;
use super::reshape::rounded_to_six_digits;
use crate::check::MOST_POINTS;
use crate::geometry::path::CurveFit;
use crate::geometry::plane::{Area, Point, add, dot, length, lower, scaled, sub};
use crate::operators::array::{Arrangement, ArraySettings};
use crate::operators::scatter::ScatterRegion;
use crate::operators::warp::Bend;
use crate::piece::{Piece, PieceKind};
use crate::primitives::contour::{Contour, OutlineFit};
use crate::primitives::curve::{CurveCentreline, CurvePoint, CurveSettings};
use crate::primitives::ribbon::RibbonSettings;

talweg_ground::params! {
    /// A point of a line, with the width and depth of the line at this point.
    LinePoint "Point" in "Construction", from "Génevaux et al. 2014, §4.1", also "vertex node" {
        /// Distance of the point from the west edge.
        x: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance of the point from the north edge.
        y: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Height of the line above the datum at this point; between points, the height is interpolated smoothly.
        height: f32 ["m"] = 0.0, -1.0e5..=1.0e5, slider -500.0..=2000.0;
        /// Width of the line at this point, as a multiple of its usual width.
        width: f32 = 1.0, 0.01..=100.0, slider 0.1..=4.0;
        /// Depth of the bed or height of the ridge at this point, as a multiple of the line's usual value.
        depth: f32 = 1.0, -100.0..=100.0, slider 0.0..=4.0;
    }
}

impl LinePoint {
    /// The parameters that show the values of `point`.
    pub fn from_point(point: &CurvePoint) -> Self {
        Self { x: point.at.0, y: point.at.1, height: point.height, width: point.width, depth: point.depth }
    }

    /// Writes the values into `point`.
    pub fn write(&self, point: &mut CurvePoint) {
        point.at = (self.x, self.y);
        (point.height, point.width, point.depth) = (self.height, self.width, self.depth);
    }
}

/// Number of points that a round contour gets when it is converted to an outline through points.
const ROUND: usize = 8;

/// Positions of the handles, in the piece's own coordinates: points of a line or contour, corners of an image.
pub fn handles(piece: &Piece) -> Vec<Point> {
    let place = |(x, y): (f32, f32)| [f64::from(x), f64::from(y)];
    match &piece.kind {
        PieceKind::Contour(contour) => {
            let centre = place((contour.settings.x, contour.settings.y));
            contour.points.iter().map(|&p| [centre[0] + f64::from(p.0), centre[1] + f64::from(p.1)]).collect()
        }
        PieceKind::Image(image) => image.corners.iter().map(|&corner| place(corner)).collect(),
        _ => line(piece).unwrap_or_default().iter().map(|p| place(p.at)).collect(),
    }
}

/// The points of a curve, a ribbon, an array, a scatter or a warp along a curve; `None` for other pieces.
pub fn line(piece: &Piece) -> Option<&[CurvePoint]> {
    match &piece.kind {
        PieceKind::Warp(group) if group.settings.bend != Bend::Curve => None,
        form => form.as_form().points(),
    }
}

/// The points of [`line()`], mutable.
pub fn line_mut(piece: &mut Piece) -> Option<&mut Vec<CurvePoint>> {
    match &mut piece.kind {
        PieceKind::Warp(group) if group.settings.bend != Bend::Curve => None,
        form => form.as_form_mut().points_mut(),
    }
}

/// The centreline of a piece, with its widths and heights.
pub fn centreline(piece: &Piece) -> Option<CurveCentreline> {
    let (points, settings) = match &piece.kind {
        PieceKind::Curve(curve) => (&curve.points, curve.settings.clone()),
        PieceKind::Ribbon(ribbon) => {
            // the weight ends at the edge of the image
            let RibbonSettings { width, fade, run, .. } = ribbon.settings;
            let (width, fade) = ((width - fade).max(0.05 * width), fade.min(0.95 * width));
            (&ribbon.points, CurveSettings { width, fade, run, ..CurveSettings::default() })
        }
        PieceKind::Array(group) => (&group.points, beside_copies(&group.points, group.settings.run, 0.0)),
        PieceKind::Scatter(group) => {
            (&group.points, beside_copies(&group.points, group.settings.run, group.settings.width))
        }
        PieceKind::Warp(group) if group.settings.bend == Bend::Curve => {
            (&group.points, beside_copies(&group.points, group.settings.run, group.settings.radius))
        }
        _ => return None,
    };
    (!points.is_empty()).then(|| CurveCentreline::new(points, &settings))
}

/// Curve settings whose reach is the maximum distance from a line of copies at which a click adds a point.
fn beside_copies(points: &[CurvePoint], run: CurveFit, width: f32) -> CurveSettings {
    let size = Area::enclosing(points.iter().map(|p| [f64::from(p.at.0), f64::from(p.at.1)]));
    let near = if size.is_empty() { 0.0 } else { 0.05 * length(sub(size.high, size.low)) };
    let width = width.max(near as f32).max(1.0);
    CurveSettings { width, fade: width, run, ..CurveSettings::default() }
}

/// Moves handle `index` to a position in the piece's own coordinates.
///
/// # Errors
/// When the corners would no longer form a convex quadrangle, or when the outline would cross itself.
pub fn move_handle(piece: &mut Piece, index: usize, to: Point) -> Result<(), EditError> {
    let at = (rounded_to_six_digits(to[0]), rounded_to_six_digits(to[1]));
    match &mut piece.kind {
        PieceKind::Contour(contour) => {
            let centre = (contour.settings.x, contour.settings.y);
            let point = contour.points.get_mut(index).ok_or(EditError::Gone)?;
            let before = *point;
            *point = (
                rounded_to_six_digits(to[0] - f64::from(centre.0)),
                rounded_to_six_digits(to[1] - f64::from(centre.1)),
            );
            if contour.outline().is_err() {
                contour.points[index] = before;
                return Err(EditError::NotSimple);
            }
        }
        PieceKind::Image(image) => {
            let before = image.corners;
            *image.corners.get_mut(index).ok_or(EditError::Gone)? = at;
            if !image.is_convex() {
                image.corners = before;
                return Err(EditError::NotConvex);
            }
        }
        form => {
            let points = form.as_form_mut().points_mut().ok_or(EditError::Gone)?;
            points.get_mut(index).ok_or(EditError::Gone)?.at = at;
        }
    }
    Ok(())
}

/// Adds a point at a position in the piece's own coordinates. The point is inserted between its two neighbours along
/// the line, or at the nearer end. Returns the index of the point.
///
/// # Errors
/// When the piece has no points, or already has the maximum number.
pub fn add_point(piece: &mut Piece, at: Point) -> Result<usize, EditError> {
    if let PieceKind::Contour(contour) = &mut piece.kind {
        return add_to_contour(contour, at);
    }
    let stations = centreline(piece).map(|centreline| {
        (centreline.path.nearest_point::<false>(at).map(|near| near.along), centreline.path.stations)
    });
    let points = line_mut(piece).ok_or(EditError::Gone)?;
    if points.len() >= MOST_POINTS {
        return Err(EditError::TooManyPoints);
    }
    let place = (rounded_to_six_digits(at[0]), rounded_to_six_digits(at[1]));
    let Some((along, stations)) = stations else {
        points.push(CurvePoint::new(place.0, place.1, 0.0));
        return Ok(0);
    };
    // `at` is out of reach of the line: add the point at the nearer end
    let last = points.len() - 1;
    let away = |k: usize| length(sub(at, [f64::from(points[k].at.0), f64::from(points[k].at.1)]));
    let total = stations[last];
    let along = along.unwrap_or_else(|| if away(0) < away(last) { 0.0 } else { total });
    let (low, high) = (1e-9 * total, total * (1.0 - 1e-9));
    if along <= low || along >= high {
        let (index, end) = if along <= low && last > 0 { (0, 0) } else { (points.len(), last) };
        let new = CurvePoint { at: place, ..points[end].clone() };
        points.insert(index, new);
        return Ok(index);
    }
    let (k, new) = place_between(points, &stations, along, place);
    points.insert(k + 1, new);
    Ok(k + 1)
}

/// Index of the point before arc length `along`, and a new point there. The height, width and depth of the new point
/// are interpolated; its profile is copied from the nearer neighbour.
pub(super) fn place_between(
    points: &[CurvePoint],
    stations: &[f64],
    along: f64,
    at: (f32, f32),
) -> (usize, CurvePoint) {
    let last = points.len() - 1;
    if last == 0 {
        return (0, CurvePoint { at, ..points[0].clone() });
    }
    let k = stations.partition_point(|&s| s <= along).clamp(1, last) - 1;
    let long = stations[k + 1] - stations[k];
    let t = if long > 0.0 { (along - stations[k]) / long } else { 0.5 };
    let between = |a: f32, b: f32| rounded_to_six_digits(f64::from(a) + (f64::from(b) - f64::from(a)) * lower(t, 1.0));
    let (a, b) = (&points[k], &points[k + 1]);
    let new = CurvePoint {
        at,
        height: between(a.height, b.height),
        width: between(a.width, b.width),
        depth: between(a.depth, b.depth),
        profile: if t < 0.5 { a.profile.clone() } else { b.profile.clone() },
    };
    (k, new)
}

fn add_to_contour(contour: &mut Contour, at: Point) -> Result<usize, EditError> {
    if contour.points.is_empty() {
        give_points(contour);
    }
    if contour.points.len() >= MOST_POINTS {
        return Err(EditError::TooManyPoints);
    }
    let new = [at[0] - f64::from(contour.settings.x), at[1] - f64::from(contour.settings.y)];
    if contour.settings.outline != OutlineFit::Direction {
        let index = add_to_outline(contour, new);
        if contour.outline().is_err() {
            contour.points.remove(index);
            return Err(EditError::NotSimple);
        }
        return Ok(index);
    }
    let angle = |p: &(f32, f32)| libm::atan2(f64::from(p.1), f64::from(p.0));
    let turn = libm::atan2(new[1], new[0]);
    // points are in order around the centre: insert the new point after the last point whose direction is smaller than
    // its own
    let ahead = |p: &(f32, f32)| {
        let ahead = turn - angle(p);
        if ahead < 0.0 { ahead + std::f64::consts::TAU } else { ahead }
    };
    let nearest =
        (0..contour.points.len()).min_by(|&a, &b| ahead(&contour.points[a]).total_cmp(&ahead(&contour.points[b])));
    let index = nearest.map_or(0, |k| k + 1);
    contour.points.insert(index, (rounded_to_six_digits(new[0]), rounded_to_six_digits(new[1])));
    Ok(index)
}

/// Inserts a point into the nearest side of the outline and returns its index.
fn add_to_outline(contour: &mut Contour, new: Point) -> usize {
    let n = contour.points.len();
    let place = |k: usize| [f64::from(contour.points[k % n].0), f64::from(contour.points[k % n].1)];
    let away = |k: usize| {
        let (side, way) = (sub(place(k + 1), place(k)), sub(new, place(k)));
        let long = dot(side, side);
        let t = if long > 0.0 { (dot(way, side) / long).clamp(0.0, 1.0) } else { 0.0 };
        length(sub(way, scaled(side, t)))
    };
    let index = (0..n).min_by(|&a, &b| away(a).total_cmp(&away(b))).map_or(0, |k| k + 1);
    contour.points.insert(index, (rounded_to_six_digits(new[0]), rounded_to_six_digits(new[1])));
    index
}

/// Turns a round contour into an outline through points on its circle, in order.
pub fn give_points(contour: &mut Contour) {
    contour.settings.outline = OutlineFit::Smooth;
    let radius = f64::from(contour.settings.radius);
    contour.points = round(radius).map(|(x, y)| (rounded_to_six_digits(x), rounded_to_six_digits(y))).collect();
}

/// Adds a default curve or outline to an array, a scatter or a warp if its settings need a line that is missing. The
/// new setting is thus visible at once, and the line can be edited.
pub fn give_line(piece: &mut Piece) {
    let line = |from: Point, to: Point| {
        let at = |k: usize| add(from, scaled(sub(to, from), 0.5 * k as f64));
        (0..3).map(at).map(|[x, y]| CurvePoint::new(rounded_to_six_digits(x), rounded_to_six_digits(y), 0.0)).collect()
    };
    match &mut piece.kind {
        PieceKind::Array(group) if group.settings.arrangement == Arrangement::Curve && group.points.len() < 2 => {
            let ArraySettings { pivot_x, pivot_y, step_x, step_y, count, .. } = group.settings;
            let from = [f64::from(pivot_x), f64::from(pivot_y)];
            let way = scaled([f64::from(step_x), f64::from(step_y)], f64::from(count.saturating_sub(1).max(1)));
            let way = if length(way) > 0.0 { way } else { [f64::from(group.settings.spacing), 0.0] };
            group.points = line(from, add(from, way));
        }
        PieceKind::Warp(group) if group.settings.bend == Bend::Curve && group.points.len() < 2 => {
            let (x, y) = (f64::from(group.settings.x), f64::from(group.settings.y));
            let radius = f64::from(group.settings.radius);
            group.points = line([x - radius, y], [x + radius, y]);
        }
        PieceKind::Scatter(group) => {
            let (x, y) = (f64::from(group.settings.x), f64::from(group.settings.y));
            let radius = f64::from(group.settings.radius);
            match group.settings.region {
                ScatterRegion::Curve if group.points.len() < 2 => {
                    group.points = line([x - radius, y], [x + radius, y]);
                }
                ScatterRegion::Outline if group.points.len() < 3 => {
                    let point = |(east, south)| {
                        CurvePoint::new(rounded_to_six_digits(x + east), rounded_to_six_digits(y + south), 0.0)
                    };
                    group.points = round(radius).map(point).collect();
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// Points on a circle around the origin.
fn round(radius: f64) -> impl Iterator<Item = (f64, f64)> {
    let angle = |k: usize| k as f64 / ROUND as f64 * std::f64::consts::TAU;
    (0..ROUND).map(angle).map(move |angle| (radius * libm::cos(angle), radius * libm::sin(angle)))
}

/// Removes the point `index` of a line or contour.
///
/// # Errors
/// When the piece would have too few points.
pub fn remove_point(piece: &mut Piece, index: usize) -> Result<(), EditError> {
    if let PieceKind::Contour(contour) = &mut piece.kind {
        if contour.points.len() <= 3 {
            return Err(EditError::TooFewPoints);
        }
        if index >= contour.points.len() {
            return Err(EditError::Gone);
        }
        let taken = contour.points.remove(index);
        if contour.outline().is_err() {
            contour.points.insert(index, taken);
            return Err(EditError::NotSimple);
        }
        return Ok(());
    }
    let points = line_mut(piece).ok_or(EditError::Gone)?;
    if points.len() <= 2 {
        return Err(EditError::TooFewPoints);
    }
    if index >= points.len() {
        return Err(EditError::Gone);
    }
    points.remove(index);
    Ok(())
}
