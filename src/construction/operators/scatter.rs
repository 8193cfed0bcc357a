//! The scatter operator: pieces repeated at random inside a circle or an outline, or along a curve.
//!
//! Positions: inside an area, copies are at the points of a [Poisson-disc set](super::poisson_disc) with the given
//! minimum distance. Along a curve, copy k is at the arc length (k + ½ + ⅓ r) · distance, where r is random between -1
//! and 1. Its offset from the curve is random, up to the width. The density is the fraction of these positions that get
//! a copy, chosen at random. The positions do not depend on the size of the region: a larger area, a longer curve or a
//! higher density only adds copies.
//! Source: Cook 1986 and Wei 2008, see [`poisson_disc`](super::poisson_disc).

use super::array::CopyCurve;
use super::copies::{CopiesResult, CopyPosition, MOST_COPIES, NodeCopies, copy_params, copy_style, too_many};
use super::poisson_disc::poisson_disc_points;
use crate::compiled_program::{Builder, PieceSite};
use crate::geometry::path::{CurveFit, closed_line};
use crate::geometry::plane::{Area, Point, add, dot, higher, length, sub};
use crate::piece::{CopyGroup, PieceForm, piece_form, piece_points};
use talweg_ground::field::Stream;

talweg_ground::choices! {
    /// Region in which the copies are placed: a circle, an outline or both sides of a curve.
    ScatterRegion {
        Circle "In a circle": "At random positions around a centre.",
        Outline "Inside an outline": "At random positions inside a closed line through points.",
        Curve "Along a curve": "On both sides of a curve, whose points set the height and size of the copies.",
    }
}

talweg_ground::params! {
    /// Repeats features, such as boulders, dunes or craters, at random positions inside a circle or an outline, or
    /// along a curve.
    ScatterSettings "Scatter" in "Operator", from "Cook 1986, Stochastic sampling", also "strew distribute random copies blue noise poisson disc boulders rocks craters instances" {
        /// Region in which the copies are placed: a circle, an outline or both sides of a curve.
        region: ScatterRegion = ScatterRegion::Circle;
        /// Distance of the circle's centre from the west edge; the random positions move with the centre.
        x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Distance of the circle's centre from the north edge; the random positions move with the centre.
        y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Radius of the circle in which the copies are placed.
        radius: f32 ["m"] = 2000.0, 0.1..=1.0e6, slider 50.0..=8000.0 => |s| s.region == ScatterRegion::Circle;
        /// Maximum distance of copies to either side of the curve.
        width: f32 ["m"] = 200.0, 0.0..=1.0e5, slider 0.0..=2000.0 => |s| s.region == ScatterRegion::Curve;
        /// Shape of the line between its points.
        run: CurveFit = CurveFit::Through => |s| s.region != ScatterRegion::Circle;
        /// Rotates the copies with the curve.
        follow: bool = true => |s| s.region == ScatterRegion::Curve;
        /// Minimum distance between copies; along a curve, the mean distance.
        distance: f32 ["m"] = 300.0, 0.1..=1.0e6, slider 10.0..=2000.0;
        /// Fraction of the positions that get a copy; a lower value removes copies at random.
        density: f32 ["share"] = 1.0, 0.0..=1.0;
        copy_params!();
    }
}

copy_style!(ScatterSettings);

/// Whether `p` is inside a closed line: counts the sides that a ray to the west crosses.
fn is_inside(corners: &[Point], p: Point) -> bool {
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    sides.fold(false, |inside, (a, b)| {
        let is_crossed = (a[1] > p[1]) != (b[1] > p[1]);
        inside != (is_crossed && p[0] > a[0] + (b[0] - a[0]) * ((p[1] - a[1]) / (b[1] - a[1])))
    })
}

impl CopyGroup<ScatterSettings> {
    /// Positions of the copies, with random values from `seed`.
    ///
    /// # Errors
    /// When there would be too many copies, or when the curve or outline has too few points.
    pub fn positions(&self, seed: u32) -> Result<Vec<CopyPosition>, String> {
        let settings = &self.settings;
        let random = Stream::new(seed, settings.seed).fork(0x5ca7);
        let (kept, density) = (random.fork(1), settings.density);
        let distance = f64::from(settings.distance);
        let centre = [f64::from(settings.x), f64::from(settings.y)];
        let within = |area: Area, is_in: &dyn Fn(Point) -> bool| {
            let (low, high) = (sub(area.low, centre), sub(area.high, centre));
            let places = poisson_disc_points(low, high, distance, random.fork(0)).ok_or_else(too_many)?;
            let places = places.into_iter().map(|place| CopyPosition::plain(add(centre, place.at), place.cell));
            Ok::<Vec<CopyPosition>, String>(places.filter(|place| is_in(place.at)).collect())
        };
        let mut places = match settings.region {
            ScatterRegion::Circle => {
                let radius = f64::from(settings.radius);
                let is_in = |p: Point| {
                    let way = sub(p, centre);
                    dot(way, way) <= radius * radius
                };
                within(Area::centred(centre, radius), &is_in)?
            }
            ScatterRegion::Outline => {
                let points = self.corners();
                if points.len() < 3 {
                    return Err("a scatter inside an outline needs at least three points".into());
                }
                let size = Area::enclosing(points.iter().copied());
                let (corners, _) = closed_line(&points, settings.run, higher(length(sub(size.high, size.low)), 1e-3));
                within(Area::enclosing(corners.iter().copied()), &|p| is_inside(&corners, p))?
            }
            ScatterRegion::Curve => {
                let width = f64::from(settings.width);
                let curve = CopyCurve::new(&self.points, settings.run, width)
                    .ok_or("a scatter along a curve needs at least two points")?;
                let count = libm::floor(curve.length() / distance);
                if count > MOST_COPIES as f64 {
                    return Err(too_many());
                }
                let [along, beside] = [2, 3].map(|salt| random.fork(salt));
                let place = |k: i32| {
                    let s = (f64::from(k) + 0.5 + f64::from(along.signed(k, 0)) / 3.0) * distance;
                    curve.copy_at(s, f64::from(beside.signed(k, 0)) * width, settings.follow, [k, 0])
                };
                (0..count as i32).map(place).collect()
            }
        };
        places.retain(|place| kept.unit(place.id[0], place.id[1]) < density);
        if places.len() > MOST_COPIES { Err(too_many()) } else { Ok(places) }
    }
}

impl PieceForm for CopyGroup<ScatterSettings> {
    piece_form!("scatter", settings, children);
    piece_points!();

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        NodeCopies::compile(self.copies(site.frame.seed)?, site, builder)
    }

    fn copies(&self, seed: u32) -> Option<CopiesResult> {
        let style = self.settings.style();
        Some(self.positions(seed).map(|positions| (style.copies(&positions, seed), style.overlap)))
    }
}
