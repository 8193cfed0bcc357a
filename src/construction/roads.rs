//! Notes about roads: a road that is steeper than its greatest grade, and a road that dams a river.

use super::geometry::grade::least_grade;
use super::geometry::plane::{Area, Point, cross, sub};
use super::piece::{Piece, PieceKind, Tree};
use super::primitives::curve::{Cross, Curve, CurveCentreline};

/// Number of consecutive segments that share one bounding box in the search for crossings.
const RUN: usize = 16;
/// Height of a road above a river bed up to which water passes, in metres: less than a bed of stones.
const PASSABLE: f64 = 0.5;

/// A curve of the terrain, with its path in the tree.
struct PlacedCurve<'a> {
    at: String,
    curve: &'a Curve,
    line: CurveCentreline,
}

impl Tree {
    /// Notes about roads whose result differs from their settings. Each note is a sentence that says where, what and
    /// what to do:
    /// - a road whose ends lie too far apart in height for its greatest grade;
    /// - a road that crosses an earlier river of the same *Replace* operator and fills the bed.
    ///
    /// A crossing is found in the frame of its operator; curves inside copies and warps count for the grade only.
    pub fn road_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (name, root) in self.roots() {
            let at = if name.is_empty() { "Construction".to_string() } else { format!("Construction / {name}") };
            add_notes(root, &format!("{at} / {}", root.label(0)), &mut notes);
        }
        notes
    }
}

fn add_notes(piece: &Piece, at: &str, notes: &mut Vec<String>) {
    if piece.hidden {
        return;
    }
    if let PieceKind::Curve(curve) = &piece.kind
        && curve.settings.has_graded_profile()
        && curve.points.len() > 1
    {
        let least = 100.0 * least_grade(&CurveCentreline::new(&curve.points, &curve.settings).wanted_heights);
        let grade = curve.settings.grade;
        if least > f64::from(grade) * (1.0 + 1e-6) {
            notes.push(format!(
                "{at}: the ends of the road need a grade of at least {least:.1} %, more than its greatest grade of \
                 {grade} %; make the road longer, or bring its ends closer in height"
            ));
        }
    }
    if let PieceKind::Replace(group) = &piece.kind {
        let mut rivers: Vec<PlacedCurve> = Vec::new();
        for (k, child) in group.children.iter().enumerate() {
            let mut curves = Vec::new();
            collect(child, &format!("{at} / {}", child.label(k)), &mut curves);
            let is_road = |curve: &Curve| curve.settings.cross == Cross::Road;
            for road in curves.iter().filter(|placed| is_road(placed.curve)) {
                notes.extend(rivers.iter().filter_map(|river| dammed(road, river)));
            }
            let is_river = |curve: &Curve| {
                matches!(curve.settings.cross, Cross::River | Cross::Levee) && curve.settings.depth > 0.0
            };
            rivers.extend(curves.into_iter().filter(|placed| is_river(placed.curve)));
        }
    }
    for (k, child) in piece.children().iter().enumerate() {
        add_notes(child, &format!("{at} / {}", child.label(k)), notes);
    }
}

/// Collects the roads and rivers inside `piece` that keep the frame of the piece.
fn collect<'a>(piece: &'a Piece, at: &str, found: &mut Vec<PlacedCurve<'a>>) {
    if piece.hidden {
        return;
    }
    match &piece.kind {
        PieceKind::Curve(curve)
            if curve.points.len() > 1 && matches!(curve.settings.cross, Cross::Road | Cross::River | Cross::Levee) =>
        {
            let line = CurveCentreline::new(&curve.points, &curve.settings);
            found.push(PlacedCurve { at: at.to_string(), curve, line });
        }
        PieceKind::Blend(_) | PieceKind::Replace(_) => {
            for (k, child) in piece.children().iter().enumerate() {
                collect(child, &format!("{at} / {}", child.label(k)), found);
            }
        }
        _ => {}
    }
}

/// The note about the first place where `road` fills the bed of `river`.
fn dammed(road: &PlacedCurve, river: &PlacedCurve) -> Option<String> {
    let crossing = |(along_road, along_river, p): &(f64, f64, Point)| {
        let bed = river.line.height.sample(*along_river).0 - river.line.depth.sample(*along_river).0;
        let above = road.line.height.sample(*along_road).0 - bed;
        (above > PASSABLE).then_some((above, *p))
    };
    let (above, p) = crossings(&road.line, &river.line).iter().find_map(crossing)?;
    Some(format!(
        "{}: the road dams {} at ({:.0}, {:.0}), {above:.1} m above its bed; move the river below the road in the list, \
         so that its bed runs through the road",
        road.at,
        river.at.rsplit(" / ").next().unwrap_or_default(),
        p[0],
        p[1],
    ))
}

/// The crossings of two curves: the arc length of the crossing along each curve, and its position.
fn crossings(a: &CurveCentreline, b: &CurveCentreline) -> Vec<(f64, f64, Point)> {
    let (first, second) = (a.path.line(), b.path.line());
    let boxed = |line: &[Point]| -> Vec<(usize, usize, Area)> {
        let last = line.len().saturating_sub(1);
        let run = |from: usize| (from, (from + RUN).min(last));
        (0..last)
            .step_by(RUN)
            .map(run)
            .map(|(from, to)| (from, to, Area::enclosing(line[from..=to].iter().copied())))
            .collect()
    };
    let others = boxed(&second);
    let mut found = Vec::new();
    for (from, to, area) in boxed(&first) {
        for (other_from, other_to, _) in others.iter().filter(|other| area.meets(&other.2)) {
            for pair in first[from..=to].windows(2) {
                for other in second[*other_from..=*other_to].windows(2) {
                    let (u, v, w) = (sub(pair[1], pair[0]), sub(other[1], other[0]), sub(other[0], pair[0]));
                    let area = cross(u, v);
                    if area == 0.0 {
                        continue;
                    }
                    let (t, s) = (cross(w, v) / area, cross(w, u) / area);
                    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s) {
                        let p = [pair[0][0] + t * u[0], pair[0][1] + t * u[1]];
                        let along = |line: &CurveCentreline| line.path.nearest_point::<false>(p).map(|near| near.along);
                        if let (Some(here), Some(there)) = (along(a), along(b)) {
                            found.push((here, there, p));
                        }
                    }
                }
            }
        }
    }
    found
}
