//! Fits a few points to a line drawn by hand.
//!
//! Method: start with the two ends of the drawing. For a closed line, start with three points instead, a third of the
//! line's length apart. Fit the piece's own kind of curve ([`CurveFit`]) to these points. Compare each part of this
//! line with the drawing between the same two points. Add a point where the line and the drawing are farthest apart.
//! Repeat this step until the distance is within the tolerance everywhere, or until there are [`MOST_POINTS`] points.
//! Then remove every point that the tolerance does not require. Each part is compared only with its own part of the
//! drawing, so that the order of points and loops in the drawing are kept. The ends stay in place. Distances are
//! measured both ways, from the drawing to the line and from the line to the drawing. Widths, depths, profiles and
//! heights are taken from the old line at the same fraction of its length. If the piece eases its bends, easing rounds
//! the fitted line afterwards, as for any other line.
//! Source: Ramer 1972 and Douglas & Peucker 1973, applied to curves instead of chords.

use super::link_group::{self, Motion};
use super::points::{self, place_between};
use super::reshape::rounded_to_six_digits;
use super::snap::GroundBelow;
use super::transform_path::TransformPath;
use super::{EditError, PiecePath, apply_or_undo};
use crate::check::MOST_POINTS;
use crate::geometry::outline::ClosedOutline;
use crate::geometry::path::{CurveFit, closed_line, flatten};
use crate::geometry::plane::{Area, Point, add, cross, dot, higher, length, lower, scaled, sub};
use crate::operators::array::Arrangement;
use crate::operators::scatter::ScatterRegion;
use crate::operators::warp::Bend;
use crate::piece::{Piece, PieceKind, Tree};
use crate::primitives::contour::{Contour, OutlineFit};
use crate::primitives::curve::CurvePoint;

/// Fraction of the tolerance that the fit may use. The rest allows for two errors: rounding points to six digits, and
/// flattening curves to segments.
const AIM: f64 = 0.9;
/// Reach for flattening the curve, as a multiple of the tolerance. Segments are accurate to a thousandth of the reach.
const REACH: f64 = 50.0;
/// Minimum distance of a new point from both ends of the part of the stroke that it divides, as a fraction of the
/// length of this part.
const APART: f64 = 0.02;
/// Maximum overlap at either end of a closed line, as a fraction of the line's length. A line drawn by hand rarely
/// stops exactly at its start.
const OVERLAP: f64 = 0.1;
/// Maximum gap between the ends of a freehand line that counts as closed, as a multiple of the tolerance. The ends are
/// joined where they are nearest to each other.
const NEAR: f64 = 5.0;
/// Number of points of the stroke at which the scale of the operators that contain the piece is measured.
const PROBES: usize = 64;
/// Relative difference in width or depth that is large enough to keep a point.
const SEEN: f64 = 0.01;

/// A line drawn on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnLine {
    /// Points of the stroke, in order, in metres of the construction.
    pub places: Vec<Point>,
    /// Maximum distance of the fitted line from the stroke, in metres of the construction; above 0.
    pub tolerance: f64,
}

/// Kind of line that a piece draws through its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineForm {
    /// Shape of the line between its points; a closed line is either smooth through the points or straight between
    /// them.
    pub fit: CurveFit,
    /// Whether the line is closed.
    pub is_closed: bool,
}

/// A point of a fitted line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedPoint {
    /// Position in metres.
    pub at: Point,
    /// Position along the stroke as a fraction of its length, from 0 to 1.
    pub fraction: f64,
}

/// The kind of line that can be drawn for a piece; `None` if the piece has no line. Curves, ribbons and contours have a
/// line, as do arrays, scatters and warps along a curve, and scatters in an outline. A contour whose points are
/// directions and radii becomes a smooth outline.
pub fn line_form(piece: &Piece) -> Option<LineForm> {
    let open = |fit: CurveFit| Some(LineForm { fit, is_closed: false });
    let closed = |fit: CurveFit| Some(LineForm { fit, is_closed: true });
    match &piece.kind {
        PieceKind::Curve(curve) => open(curve.settings.run),
        PieceKind::Ribbon(ribbon) => open(ribbon.settings.run),
        PieceKind::Contour(contour) => closed(match contour.settings.outline {
            OutlineFit::Straight => CurveFit::Straight,
            OutlineFit::Drawn | OutlineFit::Smooth | OutlineFit::Direction => CurveFit::Through,
        }),
        PieceKind::Array(group) if group.settings.arrangement == Arrangement::Curve => open(group.settings.run),
        PieceKind::Warp(group) if group.settings.bend == Bend::Curve => open(group.settings.run),
        PieceKind::Scatter(group) => match group.settings.region {
            ScatterRegion::Circle => None,
            ScatterRegion::Curve => open(group.settings.run),
            ScatterRegion::Outline => closed(group.settings.run),
        },
        _ => None,
    }
}

/// The stroke, parametrised by arc length.
struct DrawnPath {
    /// Arc length and position of each point.
    places: Vec<(f64, Point)>,
    form: LineForm,
    tolerance: f64,
}

/// The largest distance between a part of the fitted line and the stroke.
struct Deviation {
    distance: f64,
    /// Arc length on the stroke at which a new point reduces this distance.
    at: f64,
}

/// Distance of `p` from a line, and the arc length of the line's nearest point.
fn nearest(line: &[(f64, Point)], p: Point) -> (f64, f64) {
    let mut best = (f64::INFINITY, 0.0);
    if let [only] = line {
        return (length(sub(p, only.1)), only.0);
    }
    for pair in line.windows(2) {
        let (side, way) = (sub(pair[1].1, pair[0].1), sub(p, pair[0].1));
        let square = dot(side, side);
        let t = if square > 0.0 { higher(lower(dot(way, side) / square, 1.0), 0.0) } else { 0.0 };
        let away = sub(way, scaled(side, t));
        let away = dot(away, away);
        if away < best.0 {
            best = (away, pair[0].0 + t * (pair[1].0 - pair[0].0));
        }
    }
    (best.0.sqrt(), best.1)
}

impl DrawnPath {
    fn new(drawn: &[Point], form: LineForm, tolerance: f64) -> Self {
        let mut drawn = drawn.to_vec();
        drawn.dedup();
        if form.is_closed {
            drawn = closed_by_hand(&drawn, NEAR * tolerance);
            drawn.extend(drawn.first().copied());
        }
        let mut places: Vec<(f64, Point)> = Vec::with_capacity(drawn.len());
        for p in drawn {
            let at = places.last().map_or(0.0, |(at, last)| at + length(sub(p, *last)));
            places.push((at, p));
        }
        Self { places, form, tolerance }
    }

    fn total(&self) -> f64 {
        self.places.last().map_or(0.0, |(at, _)| *at)
    }

    /// The point of the stroke at the arc length `s`.
    fn point_at(&self, s: f64) -> Point {
        let k = self.places.partition_point(|(at, _)| *at <= s).clamp(1, self.places.len() - 1) - 1;
        let ((from, a), (to, b)) = (self.places[k], self.places[k + 1]);
        let t = if to > from { (s - from) / (to - from) } else { 0.0 };
        add(scaled(a, 1.0 - t), scaled(b, t))
    }

    /// The stroke between two arc lengths.
    fn part(&self, from: f64, to: f64) -> Vec<(f64, Point)> {
        let inner = self.places.iter().copied().filter(|(at, _)| from < *at && *at < to);
        std::iter::once((from, self.point_at(from))).chain(inner).chain([(to, self.point_at(to))]).collect()
    }

    /// Largest distance between the fitted line and the stroke, for each part.
    fn strays(&self, chosen: &[f64]) -> Vec<Deviation> {
        let points: Vec<Point> = chosen.iter().map(|&s| self.point_at(s)).collect();
        let reach = REACH * self.tolerance;
        let mut ends = chosen.to_vec();
        let (mut line, mut marks) = if self.form.is_closed {
            closed_line(&points, self.form.fit, reach)
        } else {
            flatten(&points, self.form.fit, reach)
        };
        if self.form.is_closed {
            line.extend(line.first().copied());
            marks.push(line.len() - 1);
            ends.push(self.total());
        }
        // a line of the kind `Near` does not pass through its points, so compare with the neighbouring parts as well
        let slack = usize::from(self.form.fit == CurveFit::Near);
        let last = ends.len() - 1;
        (0..last)
            .map(|k| {
                let (from, to) = (k.saturating_sub(slack), (k + 1 + slack).min(last));
                let own: Vec<(f64, Point)> = self.part(ends[k], ends[k + 1]);
                let around = if slack == 0 { own.clone() } else { self.part(ends[from], ends[to]) };
                let curve: Vec<(f64, Point)> = line[marks[from]..=marks[to]].iter().map(|p| (0.0, *p)).collect();
                let mut worst = Deviation { distance: 0.0, at: 0.5 * (ends[k] + ends[k + 1]) };
                for (at, p) in own {
                    let distance = nearest(&curve, p).0;
                    if distance > worst.distance {
                        worst = Deviation { distance, at };
                    }
                }
                for p in &line[marks[k]..=marks[k + 1]] {
                    let (distance, at) = nearest(&around, *p);
                    if distance > worst.distance {
                        worst = Deviation { distance, at };
                    }
                }
                // keep new points inside the part, away from its ends
                let apart = APART * (ends[k + 1] - ends[k]);
                if !(ends[k] + apart..=ends[k + 1] - apart).contains(&worst.at) {
                    worst.at = 0.5 * (ends[k] + ends[k + 1]);
                }
                worst
            })
            .collect()
    }

    /// Arc lengths of a few points through which the fitted line is within the tolerance; `kept` is always included.
    fn chosen(&self, kept: &[f64]) -> Vec<f64> {
        let total = self.total();
        let mut chosen = if self.form.is_closed { vec![0.0, total / 3.0, total / 1.5] } else { vec![0.0, total] };
        chosen.extend(kept.iter().copied().filter(|s| 0.0 < *s && *s < total).take(MOST_POINTS - chosen.len()));
        chosen.sort_by(f64::total_cmp);
        chosen.dedup();
        let aim = AIM * self.tolerance;
        while chosen.len() < MOST_POINTS {
            let strays = self.strays(&chosen);
            let Some((k, worst)) = strays.iter().enumerate().max_by(|a, b| a.1.distance.total_cmp(&b.1.distance))
            else {
                break;
            };
            let end = chosen.get(k + 1).copied().unwrap_or(total);
            if worst.distance <= aim || end - chosen[k] <= 1e-9 * total {
                break;
            }
            chosen.insert(k + 1, worst.at);
        }
        let fits = |chosen: &[f64]| self.strays(chosen).iter().all(|stray| stray.distance <= aim);
        let least = if self.form.is_closed { 3 } else { 2 };
        let mut k = 1;
        while k < chosen.len() && chosen.len() > least && fits(&chosen) {
            let is_end = !self.form.is_closed && k + 1 == chosen.len();
            let s = chosen[k];
            if !is_end && !kept.contains(&s) {
                let without: Vec<f64> = chosen.iter().copied().filter(|other| *other != s).collect();
                if fits(&without) {
                    chosen = without;
                    continue;
                }
            }
            k += 1;
        }
        chosen
    }
}

/// Closes a loop drawn by hand and drops the overlap. The stroke's first and last sections can cross several times: the
/// closed loop starts and ends at the crossing farthest from the stroke's start. If these sections do not cross but
/// pass within `near` metres of each other, they are joined at their nearest points.
fn closed_by_hand(drawn: &[Point], near: f64) -> Vec<Point> {
    let mut at = vec![0.0];
    for pair in drawn.windows(2) {
        at.push(at[at.len() - 1] + length(sub(pair[1], pair[0])));
    }
    let total = at[at.len() - 1];
    let sides = drawn.len().saturating_sub(1);
    let beginning = (0..sides).take_while(|&i| at[i] <= OVERLAP * total).count();
    let end = (0..sides).find(|&j| at[j + 1] >= (1.0 - OVERLAP) * total).unwrap_or(sides);
    for i in (0..beginning).rev() {
        for j in end.max(i + 2)..sides {
            let (a, c) = (drawn[i], drawn[j]);
            let (ab, cd) = (sub(drawn[i + 1], a), sub(drawn[j + 1], c));
            let turn = cross(ab, cd);
            if turn == 0.0 {
                continue;
            }
            let (t, u) = (cross(sub(c, a), cd) / turn, cross(sub(c, a), ab) / turn);
            if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
                let there = add(a, scaled(ab, t));
                return std::iter::once(there).chain(drawn[i + 1..=j].iter().copied()).collect();
            }
        }
    }
    let mut best = (near, 0, sides);
    for i in 0..beginning {
        for j in end.max(i + 2)..drawn.len() {
            let away = length(sub(drawn[i], drawn[j]));
            if away < best.0 {
                best = (away, i, j);
            }
        }
    }
    let mut drawn = drawn[best.1..drawn.len().min(best.2 + 1)].to_vec();
    while drawn.len() > 1 && drawn[0] == drawn[drawn.len() - 1] {
        drawn.pop();
    }
    drawn
}

/// Fits a few points to a stroke, so that the fitted line and the stroke are nowhere farther apart than `tolerance`
/// metres. The method is described in the module docs. `kept` lists fractions of the length, from 0 to 1, at which
/// there is always a point. Returns no points if the stroke has no length.
pub fn fitted(drawn: &[Point], form: LineForm, tolerance: f64, kept: &[f64]) -> Vec<FittedPoint> {
    let stroke = DrawnPath::new(drawn, form, tolerance);
    let total = stroke.total();
    if !(total > 0.0 && tolerance > 0.0) {
        return Vec::new();
    }
    let kept: Vec<f64> = kept.iter().map(|share| share * total).collect();
    let chosen = stroke.chosen(&kept);
    chosen.into_iter().map(|s| FittedPoint { at: stroke.point_at(s), fraction: s / total }).collect()
}

/// The tolerance in the piece's coordinates, for the direction and the point at which operators enlarge the piece most.
fn tolerance_inside(line: &DrawnLine, transform: &TransformPath) -> f64 {
    let h = line.tolerance;
    let stride = line.places.len().div_ceil(PROBES).max(1);
    let least = line.places.iter().step_by(stride).fold(f64::INFINITY, |least, &p| {
        let q = transform.inward(p);
        let [a, b] = [[h, 0.0], [0.0, h]].map(|step| scaled(sub(transform.inward(add(p, step)), q), 1.0 / h));
        let (sum, turn) = (dot(a, a) + dot(b, b), cross(a, b));
        let square = 0.5 * (sum - higher(sum * sum - 4.0 * turn * turn, 0.0).sqrt());
        lower(least, higher(square, 0.0).sqrt())
    });
    if least.is_finite() && least > 0.0 { h * least } else { h }
}

/// Replaces the line of the piece at `path` by a drawn line. The heights of the points are read from `ground`, if
/// given. Otherwise they are taken from the old line at the same fraction of its length, as are the widths, depths and
/// profiles. The centre of a contour moves to the centroid of the new outline. A linked piece with the same line gets
/// the new line too. Returns the number of points.
///
/// # Errors
/// When the piece has no line, the stroke has no length, or a contour would cross itself or enclose nothing. The
/// construction tree then stays unchanged.
pub fn redraw(
    tree: &mut Tree,
    path: &PiecePath,
    line: &DrawnLine,
    seed: u32,
    ground: Option<&GroundBelow>,
) -> Result<usize, EditError> {
    apply_or_undo(tree, |tree| {
        let piece = path.piece(tree).ok_or(EditError::Gone)?.clone();
        let form = line_form(&piece).ok_or(EditError::Gone)?;
        let transform = TransformPath::for_piece(tree, path, seed);
        let drawn: Vec<Point> = line.places.iter().map(|&p| transform.inward(p)).collect();
        let tolerance = tolerance_inside(line, &transform);
        let kept = if form.is_closed { Vec::new() } else { kept_shares(&piece) };
        let points = fitted(&drawn, form, tolerance, &kept);
        if points.len() < if form.is_closed { 3 } else { 2 } {
            return Err(EditError::TooFewPoints);
        }
        let mut new = piece.clone();
        match &mut new.kind {
            PieceKind::Contour(contour) => {
                outline_contour(contour, &points.iter().map(|point| point.at).collect::<Vec<_>>())?;
            }
            _ => {
                let mut placed = along_old(&piece, &points);
                if let Some(ground) = ground {
                    super::snap::drape_points(&mut placed, |q| ground.height(q));
                }
                *points::line_mut(&mut new).ok_or(EditError::Gone)? = placed;
            }
        }
        let others = link_group::linked_pieces(tree, path);
        for other in others {
            follow(tree, &other, (&piece, &new), (&transform, &points), seed);
        }
        *path.piece_mut(tree).ok_or(EditError::Gone)? = new;
        Ok(points.len())
    })
}

/// Fractions of the old line's length at points whose width, depth or profile differs from values interpolated between
/// the neighbours.
fn kept_shares(piece: &Piece) -> Vec<f64> {
    let (Some(old), Some(centreline)) = (points::line(piece), points::centreline(piece)) else { return Vec::new() };
    let stations = &centreline.path.stations;
    let total = stations.last().copied().unwrap_or(0.0);
    if total <= 0.0 {
        return Vec::new();
    }
    let says_more = |k: usize| {
        let (a, here, b) = (&old[k - 1], &old[k], &old[k + 1]);
        let long = stations[k + 1] - stations[k - 1];
        let t = if long > 0.0 { (stations[k] - stations[k - 1]) / long } else { 0.5 };
        let differs = |a: f32, here: f32, b: f32| {
            let between = f64::from(a) + t * (f64::from(b) - f64::from(a));
            (f64::from(here) - between).abs() > SEEN * higher(between.abs(), f64::from(here).abs())
        };
        differs(a.width, here.width, b.width)
            || differs(a.depth, here.depth, b.depth)
            || here.profile != a.profile
            || here.profile != b.profile
    };
    (1..old.len().saturating_sub(1)).filter(|&k| says_more(k)).map(|k| stations[k] / total).collect()
}

/// New points with the heights, widths, depths and profiles of the old line at the same fractions of the line's length.
fn along_old(piece: &Piece, points: &[FittedPoint]) -> Vec<CurvePoint> {
    let old = points::line(piece).unwrap_or_default();
    let stations = points::centreline(piece).map_or_else(Vec::new, |centreline| centreline.path.stations);
    let total = stations.last().copied().unwrap_or(0.0);
    let at = |q: Point| (rounded_to_six_digits(q[0]), rounded_to_six_digits(q[1]));
    let new = |point: &FittedPoint| {
        if old.is_empty() {
            CurvePoint::new(rounded_to_six_digits(point.at[0]), rounded_to_six_digits(point.at[1]), 0.0)
        } else {
            place_between(old, &stations, point.fraction * total, at(point.at)).1
        }
    };
    points.iter().map(new).collect()
}

/// Sets the outline of a contour to a line through `points`, and moves the contour's centre to the centroid of the
/// outline.
fn outline_contour(contour: &mut Contour, points: &[Point]) -> Result<(), EditError> {
    let fit = match contour.settings.outline {
        OutlineFit::Straight => CurveFit::Straight,
        OutlineFit::Drawn | OutlineFit::Smooth | OutlineFit::Direction => CurveFit::Through,
    };
    let outline = ClosedOutline::new(points, fit).map_err(|_| EditError::NotSimple)?;
    let centre = middle_of(&outline);
    let settings = &mut contour.settings;
    if fit == CurveFit::Through {
        settings.outline = OutlineFit::Smooth;
    }
    (settings.x, settings.y) = (rounded_to_six_digits(centre[0]), rounded_to_six_digits(centre[1]));
    let centre = [f64::from(settings.x), f64::from(settings.y)];
    contour.points = points
        .iter()
        .map(|&p| sub(p, centre))
        .map(|[x, y]| (rounded_to_six_digits(x), rounded_to_six_digits(y)))
        .collect();
    // rounding to six digits can still make the outline touch itself
    contour.outline().map(drop).map_err(|_| EditError::NotSimple)
}

/// The centroid of an outline or, if the centroid is outside, a point deep inside.
fn middle_of(outline: &ClosedOutline) -> Point {
    let corners = outline.corners();
    let (from, n) = (corners[0], corners.len());
    let (mut area, mut sum) = (0.0, [0.0; 2]);
    for k in 0..n {
        let (a, b) = (sub(corners[k], from), sub(corners[(k + 1) % n], from));
        let twice = cross(a, b);
        area += twice;
        sum = add(sum, scaled(add(a, b), twice / 3.0));
    }
    let centre = if area == 0.0 { from } else { add(from, scaled(sum, 1.0 / area)) };
    if outline.distance(centre).0 < 0.0 {
        return centre;
    }
    let Area { low, high } = outline.area();
    let place = |k: usize| {
        let share = |k: usize| (k as f64 + 0.5) / 24.0;
        [low[0] + (high[0] - low[0]) * share(k % 24), low[1] + (high[1] - low[1]) * share(k / 24)]
    };
    let places = (0..24 * 24).map(place).map(|p| (outline.distance(p).0, p));
    places.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(centre, |(_, p)| p)
}

/// Updates a piece that is linked to the redrawn piece. If both pieces had the same line, the linked piece gets the new
/// line. Otherwise the linked piece moves by the same distance as the centre of the redrawn contour.
fn follow(
    tree: &mut Tree,
    other: &PiecePath,
    (was, is): (&Piece, &Piece),
    (transform, points): (&TransformPath, &[FittedPoint]),
    seed: u32,
) {
    let own = TransformPath::for_piece(tree, other, seed);
    let near = link_group::SAME_PLACE * f64::from(tree.frame.side);
    let Some(piece) = other.piece_mut(tree) else { return };
    let there = |q: Point| own.inward(transform.outward(q));
    let is_same = |a: Point, b: Point| length(sub(own.outward(a), transform.outward(b))) <= near;
    let (theirs, ours) = (points::handles(piece), points::handles(was));
    let has_line = theirs.len() == ours.len() && theirs.iter().zip(&ours).all(|(a, b)| is_same(*a, *b));
    if let (PieceKind::Contour(old), PieceKind::Contour(new)) = (&was.kind, &is.kind) {
        let middle = |contour: &Contour| [f64::from(contour.settings.x), f64::from(contour.settings.y)];
        match &mut piece.kind {
            PieceKind::Contour(contour) if has_line && is_same(middle(contour), middle(old)) => {
                // a linked round contour can have a different radius: keep the ratio of the two radii
                let wide = if ours.is_empty() {
                    f64::from(contour.settings.radius) / f64::from(old.settings.radius)
                } else {
                    1.0
                };
                let centre = there(middle(new));
                let mut bent = contour.clone();
                bent.settings.outline = new.settings.outline;
                (bent.settings.x, bent.settings.y) =
                    (rounded_to_six_digits(centre[0]), rounded_to_six_digits(centre[1]));
                let around = points.iter().map(|point| scaled(sub(there(point.at), centre), wide));
                bent.points = around.map(|[x, y]| (rounded_to_six_digits(x), rounded_to_six_digits(y))).collect();
                if bent.outline().is_ok() {
                    *contour = bent;
                }
            }
            _ => {
                let (from, to) = (transform.outward(middle(old)), transform.outward(middle(new)));
                *piece = Motion::Shift { from, to }.applied(piece, other.root, &own);
            }
        }
        return;
    }
    if !has_line || line_form(piece).is_none_or(|form| form.is_closed) || ours.is_empty() {
        return;
    }
    // keep the height difference between the linked line and the redrawn line
    let placed: Vec<FittedPoint> = points.iter().map(|point| FittedPoint { at: there(point.at), ..*point }).collect();
    let (before, mut after) = (along_old(was, points), along_old(piece, &placed));
    for (point, (before, now)) in after.iter_mut().zip(before.iter().zip(points::line(is).unwrap_or_default())) {
        point.height =
            rounded_to_six_digits(f64::from(point.height) + f64::from(now.height) - f64::from(before.height));
    }
    if let Some(line) = points::line_mut(piece) {
        *line = after;
    }
}

#[cfg(test)]
mod tests;
