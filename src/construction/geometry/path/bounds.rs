//! Bounds of the position relative to a path over a capsule.
//!
//! Where all points of the capsule are closer to the path than 0.75 ρ, the nearest point is unique and moves along the
//! path by at most 1 / (1 - d/ρ) times the distance that the point moves. Elsewhere, the bounds hold for the mean and
//! for the transition to it: the weights of the mean change by at most 1.54 times the change of their argument.

use super::{EXACT, MEAN, MOST_PARTS, NearestBounds, Path, RUN, WINDOW};
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, cross, dot, higher, length, lower, scaled, sub};

impl Path {
    /// Bounds of [`nearest_point`](Self::nearest_point) over the capsule; `None` if the whole capsule is farther away
    /// than the reach. A long capsule is divided into parts, because fewer segments affect each part.
    pub fn nearest_bounds(&self, capsule: &Capsule) -> Option<NearestBounds> {
        let span = sub(capsule.to, capsule.from);
        let parts = ((length(span) / (0.6 * self.tolerance)) as usize + 1).min(MOST_PARTS);
        let mut all: Option<NearestBounds> = None;
        let mut leaves = false;
        for k in 0..parts {
            let at = |k: usize| add(capsule.from, scaled(span, k as f64 / parts as f64));
            let part = Capsule { from: at(k), to: at(k + 1), pad: capsule.pad };
            match self.nearest_bounds_of_part(&part) {
                Some(one) => all = Some(all.map_or(one, |all| all.union(&one))),
                None => leaves = true,
            }
        }
        let mut all = all?;
        if leaves {
            // parts farther away than the reach have no weight, so the bound of their distance need not be exact
            all.distance = all.distance.union(Interval::one(self.reach));
        }
        Some(all)
    }

    /// Distance from `p` to the nearest of the given runs of segments.
    fn distance_to(&self, p: Point, runs: impl Iterator<Item = usize>) -> f64 {
        let mut nearest = f64::INFINITY;
        for run in runs {
            if self.runs[run].square(p) < nearest {
                for segment in self.run(run) {
                    let away = segment.nearest(p).away;
                    nearest = lower(nearest, dot(away, away));
                }
            }
        }
        nearest.sqrt()
    }

    fn nearest_bounds_of_part(&self, capsule: &Capsule) -> Option<NearestBounds> {
        let rounded = 1.0 + self.unevenness;
        let (middle, r) = (capsule.middle(), capsule.radius() * rounded * (1.0 + 1e-9));
        if !self.area.meets(&Area::centred(middle, r)) {
            return None;
        }
        let everywhere = || self.distance_to(middle, 0..self.runs.len());
        let nearest = if self.area.contains(middle) {
            // segments that are not stored in the cell are farther away than the reach and τ
            let found = self.distance_to(middle, self.candidates(middle).iter().map(|&index| usize::from(index)));
            match found {
                found if found <= self.reach + self.tolerance => found,
                _ if r <= self.tolerance => return None,
                _ => everywhere(),
            }
        } else {
            everywhere()
        };
        if nearest - r >= self.reach {
            return None;
        }
        let near = self.parts_near(middle, r, nearest);
        let distance = Interval::new(higher(nearest * (1.0 - self.unevenness * self.unevenness) - r, 0.0), nearest + r);
        let distance = distance.widened_for_rounding();
        let low = if near.offset.low <= 0.0 && near.offset.high >= 0.0 {
            0.0
        } else {
            lower(near.offset.low.abs(), near.offset.high.abs())
        };
        let beside = Interval::new(low, near.offset.max_abs()).widened_for_rounding();
        if distance.high < EXACT * near.room {
            return Some(NearestBounds {
                distance,
                along: near.along.widened_for_rounding(),
                offset: near.offset.widened_for_rounding(),
                beside,
                dalong: near.steepest * rounded * (1.0 + 1e-9),
                doffset: rounded * (1.0 + 1e-9),
                is_mixed: false,
            });
        }
        let along = near.along.union(near.window);
        // in the transition, ρ is between d / 0.95 and d / 0.75; elsewhere the mean alone counts
        let least = higher(distance.low, higher(EXACT * near.room, 0.02 * self.reach));
        let window = higher(WINDOW * least, 1e-9);
        let mixing = 1.54 * near.turning / window;
        let transition = 1.5 / (MEAN - EXACT) * (rounded + 7.5 * MEAN * near.change) * MEAN / least;
        let spread = along.high - along.low;
        Some(NearestBounds {
            distance,
            along: along.widened_for_rounding(),
            offset: Interval::new(-distance.high, distance.high).widened_for_rounding(),
            beside: beside.union(distance),
            dalong: 5.5 + (mixing + transition) * spread,
            doffset: 4.0 + rounded + (mixing + transition) * 2.0 * distance.high,
            is_mixed: true,
        })
    }

    /// The segments that can be nearest to a point of a disc, and those that can take part in a mean.
    fn parts_near(&self, middle: Point, r: f64, nearest: f64) -> PathParts {
        let (first, second) = (nearest + 2.0 * r, (nearest + r) * (1.0 + WINDOW) + r);
        let limit = higher(first, second) * (1.0 + 1e-9);
        let mut parts = PathParts {
            along: Interval::EMPTY,
            window: Interval::EMPTY,
            offset: Interval::EMPTY,
            room: f64::INFINITY,
            steepest: 1.0,
            change: 0.0,
            turning: 0.0,
        };
        let (mut count, mut sum) = (0.0, 0.0);
        let runs =
            self.runs.iter().zip(self.segments.chunks(RUN)).filter(|(run, _)| run.square(middle) <= limit * limit);
        for segment in runs.flat_map(|(_, segments)| segments) {
            let (on_chord, from_chord) = segment.nearest_on_chord(middle);
            let to_chord = length(from_chord);
            if to_chord <= second * (1.0 + 1e-9) {
                let range = Interval::new(higher(on_chord - r, 0.0), lower(on_chord + r, segment.length));
                parts.window = parts.window.union(segment.lengths(range));
                count += 1.0;
                let x = (to_chord - nearest + 2.0 * r) / (WINDOW * higher(nearest - r, 1e-12));
                sum += if x < 1.0 { (1.0 - x * x) * (1.0 - x * x) } else { 0.0 };
            }
            if to_chord > first + 2.0 * segment.bulge() {
                continue;
            }
            let foot = segment.nearest(middle);
            if length(foot.away) > first * (1.0 + self.unevenness) {
                continue;
            }
            let bend = segment.bend();
            // the arc bends most at its ends
            let uneven = 3.0 * (segment.slopes[0] + segment.slopes[1]).abs() / higher(segment.length, 1e-12);
            let spread = foot.spread - bend.abs() * r - uneven * (nearest + r);
            let steepest = 1.0 + segment.slopes[0].abs() + segment.slopes[1].abs();
            let whole = Interval::new(0.0, segment.length);
            let range = if spread > 0.05 {
                // the true nearest point is this far from the one with an interpolated normal
                let drift = 0.75 * (segment.slopes[0] + segment.slopes[1]).abs() * (nearest + r)
                    + (steepest - 1.0) * segment.bulge();
                let way = steepest / spread * (r + drift);
                parts.steepest = higher(parts.steepest, steepest * segment.stretch / spread);
                Interval::centred(foot.along, way).intersection(whole)
            } else {
                parts.room = 0.0;
                whole
            };
            parts.along = parts.along.union(segment.lengths(range));
            let sides = [foot.beside + r >= -segment.bulge(), foot.beside - r <= segment.bulge()];
            for (side, is_there) in sides.into_iter().enumerate() {
                if is_there {
                    let [a, b] = [segment.room_at(side, range.low).0, segment.room_at(side, range.high).0];
                    parts.room = lower(parts.room, lower(a, b));
                    parts.change = higher(parts.change, segment.room_at(side, 0.0).1.abs());
                }
            }
            // the refined nearest point can be this much closer than the first guess
            let away = Interval::new(higher(nearest * (1.0 - self.unevenness * self.unevenness) - r, 0.0), nearest + r);
            if sides[0] {
                parts.offset = parts.offset.union(away);
            }
            if sides[1] {
                parts.offset = parts.offset.union(away.times(-1.0));
            }
            for (is_end, t) in [
                (segment.start <= 0.0 && range.low <= 0.0, 0.0),
                (segment.end() >= self.total() && range.high >= segment.length, segment.length),
            ] {
                if is_end {
                    let way = if segment.length > 0.0 { segment.direction(t) } else { segment.along };
                    let end = add(segment.from, scaled(segment.along, t));
                    parts.offset = parts.offset.union(Interval::centred(cross(way, sub(middle, end)), r));
                }
            }
        }
        parts.turning = 4.0 * count / higher(1.0, sum);
        parts
    }
}

/// Parts of a path near a disc.
struct PathParts {
    /// Arc lengths of the points that can be nearest to a point of the disc.
    along: Interval,
    /// Arc lengths of the points that can take part in a mean.
    window: Interval,
    offset: Interval,
    /// Smallest radius ρ at a nearest point.
    room: f64,
    /// Bound of the change of the arc length per metre, where the nearest point is exact.
    steepest: f64,
    /// Greatest change of the radius ρ per metre of the path.
    change: f64,
    /// Bound of Σ |∇w| / Σ w, times the distance over which a weight falls from 1 to 0.
    turning: f64,
}

impl NearestBounds {
    fn union(&self, other: &Self) -> Self {
        Self {
            distance: self.distance.union(other.distance),
            along: self.along.union(other.along),
            offset: self.offset.union(other.offset),
            beside: self.beside.union(other.beside),
            dalong: higher(self.dalong, other.dalong),
            doffset: higher(self.doffset, other.doffset),
            is_mixed: self.is_mixed || other.is_mixed,
        }
    }
}
