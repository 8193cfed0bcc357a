//! Traces packets of rays with a [`GroundTable`], evaluating the construction tree at many points at once.
//!
//! Method: the residual is the difference between the ground and a cell's bilinear ground. A ray descends the pyramid
//! of maximum heights until its height above the bilinear ground is no more than the bound of the residual. At this
//! distance t₀ the construction tree is evaluated, which yields the residual r₀. From t₀, the ray is clear as long as
//! z(t) - b(t) - r₀ > λ |u_xy| (t - t₀), where z is the height of the ray, b the bilinear ground, u_xy the horizontal
//! part of the ray's direction and λ the slope of the residual. b is quadratic along the ray, so the end of the clear
//! segment is the root of a quadratic. This is the step of [`Tracer`], applied to the ground minus its coarse shape. A
//! ray hits the ground in two cases only. Either an evaluated point of the ground is below the ray by less than the
//! tolerance, or bisection between a point above and a point below the ground reaches this tolerance. A ray that needs
//! too many evaluations continues in growing steps until it hits or leaves the ground. All rays of a packet that wait
//! for a height are evaluated in rows of [`LANES`] points. The grouping of rays changes no bit of the results.

use super::table::{CellPatch, GroundTable};
use super::{Bound, Trace, TraceRay, Tracer};
use crate::geometry::plane::{Point, higher, length, lower};
use crate::row_samples::{LANES, PointRow};
use crate::sample::Detail;

/// Number of evaluations after which the steps of a ray grow.
const MOST_NORMAL_STEPS: u32 = 48;

/// Traces many rays at once, with a table of the ground.
pub struct PacketTracer<'a> {
    tracer: Tracer<'a>,
    /// The measured table; `None` if every ray is traced singly with proven bounds.
    table: Option<GroundTable>,
}

/// State of a ray in the packet.
struct RayLane {
    ray: TraceRay,
    /// Length of the horizontal part of the ray's direction.
    flat: f64,
    /// Start of the ray, in cells to the east and south. `way` is the direction in cells per metre, and `per_cell` the
    /// number of metres per cell.
    from: [f64; 2],
    way: [f64; 2],
    per_cell: [f64; 2],
    /// A small distance that moves the ray just over the edge of a cell.
    nudge: f64,
    t: f64,
    to: f64,
    /// Sample spacing at the start, added to the spacing that grows with the distance.
    spacing: f64,
    level: usize,
    /// Distance at which the residual is known, and its value.
    known: Option<(f64, f64)>,
    /// Last distance at which the ray is known to be above the ground. `below` is the first distance at which the ray
    /// is known to be below the ground.
    above: f64,
    below: Option<f64>,
    cell: (usize, usize),
    trace: Trace,
    is_done: bool,
}

/// The first t from 0 to `to` at which a + b t + c t² is not positive.
#[inline]
fn first_below(a: f64, b: f64, c: f64, to: f64) -> Option<f64> {
    if a <= 0.0 {
        return Some(0.0);
    }
    let square = b * b - 4.0 * a * c;
    if square < 0.0 {
        return None;
    }
    let under = square.sqrt() - b;
    let root = 2.0 * a / under;
    (under > 0.0 && root <= to).then_some(root)
}

impl<'a> PacketTracer<'a> {
    /// A packet tracer for rays from `eye`, in metres of the construction. A table is built if the tracer's bound is
    /// [`Bound::Table`].
    pub fn new(tracer: Tracer<'a>, eye: [f64; 3]) -> Self {
        let table = (tracer.bound == Bound::Table).then(|| GroundTable::new(&tracer, eye));
        Self { tracer, table }
    }

    /// The tracer of single rays with proven bounds.
    pub fn tracer(&self) -> &Tracer<'a> {
        &self.tracer
    }

    /// Detail of the ground at distance `t`.
    pub fn detail(&self, t: f64) -> Detail {
        if self.table.is_some() { self.tracer.finer_detail(t, 0.0) } else { self.tracer.detail(t) }
    }

    /// Number of evaluations of the construction tree for the table.
    pub fn table_evaluations(&self) -> u64 {
        if self.table.is_some() { GroundTable::EVALUATIONS } else { 0 }
    }

    /// Traces rays, each with its start distance and sample spacing, as for [`Tracer::trace_from`].
    pub fn trace_rays(&self, rays: &[(TraceRay, f64, f64)]) -> Vec<Trace> {
        let tracer = &self.tracer;
        match &self.table {
            Some(table) => Packet { tracer, table }.trace_rays(rays),
            None => rays.iter().map(|(ray, start, spacing)| tracer.trace_from(ray, *start, *spacing)).collect(),
        }
    }

    /// Traces rays that start close above the ground, each with its sample spacing and the height of the ground at its
    /// start, which is therefore not evaluated again.
    pub fn trace_from_ground(&self, rays: &[(TraceRay, f64, f64)]) -> Vec<Trace> {
        let tracer = &self.tracer;
        let Some(table) = &self.table else {
            return rays.iter().map(|(ray, spacing, _)| tracer.trace_from(ray, 0.0, *spacing)).collect();
        };
        let packet = Packet { tracer, table };
        let lane = |&(ray, spacing, ground): &(TraceRay, f64, f64)| {
            let residual = ground - table.height([ray.origin[0], ray.origin[1]]);
            RayLane { known: Some((0.0, residual)), ..packet.lane(ray, 0.0, spacing) }
        };
        packet.trace_lanes(rays.iter().map(lane).collect())
    }

    /// Heights of the surface at points, each for its own sample spacing, which must not be much smaller than a cell of
    /// the table. The table's bilinear heights are the result, since they have this resolution; without a table, the
    /// construction tree is evaluated. The second result is the number of these evaluations.
    pub fn coarse_heights<const N: usize>(&self, places: &[(Point, f64); N]) -> ([f64; N], u64) {
        match &self.table {
            Some(table) => (places.map(|(p, _)| table.height(p)), 0),
            None => {
                (places.map(|(p, spacing)| self.tracer.height(p, &self.tracer.finer_detail(0.0, spacing))), N as u64)
            }
        }
    }
}

/// The tracer and the table of the ground that all rays of a packet share.
struct Packet<'a> {
    tracer: &'a Tracer<'a>,
    table: &'a GroundTable,
}

impl Packet<'_> {
    fn trace_rays(&self, rays: &[(TraceRay, f64, f64)]) -> Vec<Trace> {
        self.trace_lanes(rays.iter().map(|&(ray, start, spacing)| self.lane(ray, start, spacing)).collect())
    }

    fn trace_lanes(&self, mut lanes: Vec<RayLane>) -> Vec<Trace> {
        let mut waiting: Vec<usize> = (0..lanes.len()).collect();
        loop {
            waiting.retain(|&k| {
                let lane = &mut lanes[k];
                !lane.is_done && (lane.below.is_some() || self.advance(lane))
            });
            if waiting.is_empty() {
                return lanes.iter().map(|lane| lane.trace).collect();
            }
            // put rays with the same level of detail next to each other, so that rows are long
            let spacing = |&k: &usize| self.tracer.finer_detail(lanes[k].t, lanes[k].spacing).spacing.to_bits();
            waiting.sort_by_cached_key(|k| (spacing(k), *k));
            let mut from = 0;
            while from < waiting.len() {
                let detail = |k: usize| self.tracer.finer_detail(lanes[k].t, lanes[k].spacing);
                let first = detail(waiting[from]);
                let same = waiting[from..].iter().take(LANES).take_while(|&&k| detail(k) == first);
                let to = from + same.count();
                self.evaluate_rays(&mut lanes, &waiting[from..to]);
                from = to;
            }
        }
    }

    fn lane(&self, ray: TraceRay, start: f64, spacing: f64) -> RayLane {
        let side = self.tracer.program.side;
        // the tracer's proven range also includes ground that the table missed
        let range = self.tracer.range();
        let clip = ray.clip([0.0, 0.0, range.low - 1.0], [side, side, range.high + 1.0]);
        let (from, to) = clip.unwrap_or((0.0, 0.0));
        let t = higher(from, start);
        let flat = length([ray.direction[0], ray.direction[1]]);
        let cells = 1.0 / self.table.cell;
        let way = [0, 1].map(|k| ray.direction[k] * cells);
        RayLane {
            flat,
            from: [0, 1].map(|k| ray.origin[k] * cells),
            way,
            per_cell: way.map(|way| 1.0 / way),
            nudge: 1e-10 * side / higher(flat, 1e-6),
            ray,
            t,
            to,
            spacing,
            level: GroundTable::LEVELS - 1,
            known: None,
            above: t,
            below: None,
            cell: (0, 0),
            trace: Trace { entry: from, ..Trace::default() },
            is_done: clip.is_none() || t >= to,
        }
    }

    /// Advances the ray to the next point to evaluate; false if the ray has left the terrain's square.
    fn advance(&self, lane: &mut RayLane) -> bool {
        let table = self.table;
        let ray = lane.ray;
        let nudge = lane.nudge;
        let last = GroundTable::count(0) as i32 - 1;
        while lane.t < lane.to {
            let mut cell = [0; 2];
            let mut end = lane.to;
            for (k, index) in cell.iter_mut().enumerate() {
                let (from, way) = (lane.from[k], lane.way[k]);
                // rounding can put the point just outside the first or last cell
                *index = ((from + way * (lane.t + nudge)) as i32).clamp(0, last) >> lane.level;
                if way != 0.0 {
                    let edge = (*index + i32::from(way > 0.0)) << lane.level;
                    end = lower(end, (f64::from(edge) - from) * lane.per_cell[k]);
                }
            }
            end = higher(end, lane.t + nudge);
            let [j, i] = cell.map(|index| index as usize);
            let z = |t: f64| ray.origin[2] + ray.direction[2] * t;
            if lower(z(lane.t), z(end)) > table.highest(lane.level, i, j) {
                lane.t = end;
                lane.level = (lane.level + 1).min(GroundTable::LEVELS - 1);
                continue;
            }
            if lane.level > 0 {
                lane.level -= 1;
                continue;
            }
            lane.cell = (i, j);
            if let Some(at) = self.nearest_ground(lane, end) {
                lane.t = at;
                return true;
            }
            lane.t = end;
        }
        lane.is_done = true;
        false
    }

    /// First distance up to `end`, within the cell, at which the bounds no longer prove that the ray is above the
    /// ground.
    #[inline]
    fn nearest_ground(&self, lane: &RayLane, end: f64) -> Option<f64> {
        let (i, j) = lane.cell;
        let (patch, residual) = (self.table.patch(i, j), self.table.residual(i, j));
        let [b0, b1, b2] = self.over_patch(lane, &patch);
        let (most, steep) = (f64::from(residual.most), f64::from(residual.slope) * lane.flat);
        let mut t = 0.0;
        let long = end - lane.t;
        // two bounds say how far the ray is clear of the ground: the residual's magnitude, and the slope of the
        // residual from the last known point. The ray advances by both in turn. A few rounds suffice, and stopping
        // early is always safe
        for _ in 0..4 {
            t += first_below(b0 + t * (b1 + t * b2) - most, b1 + 2.0 * t * b2, b2, long - t)?;
            let Some((at, known)) = lane.known else { break };
            let gone = lane.t + t - at;
            let left = b0 + t * (b1 + t * b2) - known - steep * gone;
            if left <= 0.0 {
                break;
            }
            t += first_below(left, b1 + 2.0 * t * b2 - steep, b2, long - t)?;
        }
        Some(lane.t + t)
    }

    /// Height of the ray above the cell's bilinear ground, as coefficients of a quadratic in the distance from
    /// `lane.t`.
    #[inline]
    fn over_patch(&self, lane: &RayLane, patch: &CellPatch) -> [f64; 3] {
        let (i, j) = lane.cell;
        let [du, dv] = lane.way;
        let (u, v) = (lane.from[0] + du * lane.t - j as f64, lane.from[1] + dv * lane.t - i as f64);
        let z = lane.ray.origin[2] + lane.ray.direction[2] * lane.t;
        [
            z - patch.height - patch.east * u - patch.south * v - patch.both * u * v,
            lane.ray.direction[2] - patch.east * du - patch.south * dv - patch.both * (u * dv + v * du),
            -patch.both * du * dv,
        ]
    }

    /// Evaluates the construction tree at the points of rays that share one level of detail.
    fn evaluate_rays(&self, lanes: &mut [RayLane], waiting: &[usize]) {
        let (mut xs, mut ys, mut heights) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let n = waiting.len();
        for (place, &k) in waiting.iter().enumerate() {
            let p = lanes[k].ray.point(lanes[k].t);
            (xs[place], ys[place]) = (p[0], p[1]);
        }
        let first = &lanes[waiting[0]];
        let detail = self.tracer.finer_detail(first.t, first.spacing);
        self.tracer.heights_around(PointRow { xs: &xs[..n], ys: &ys[..n] }, &detail, &mut heights);
        for (place, &k) in waiting.iter().enumerate() {
            self.update_with_height(&mut lanes[k], heights[place]);
        }
    }

    /// Updates a ray with the height of the ground at the ray's current point.
    fn update_with_height(&self, lane: &mut RayLane, height: f64) {
        lane.trace.heights += 1;
        let over = lane.ray.origin[2] + lane.ray.direction[2] * lane.t - height;
        let tolerance = self.tracer.tolerance.0 + self.tracer.tolerance.1 * lane.t;
        if over < tolerance && (over > -tolerance || lane.t <= lane.trace.entry) {
            (lane.trace.distance, lane.is_done) = (Some(lane.t), true);
            return;
        }
        if over < 0.0 {
            // the ray is deeper below the ground than the table's bounds allow: bisect back to the last point above the
            // ground
            lane.below = Some(lane.t);
        } else {
            lane.above = lane.t;
        }
        if let Some(below) = lane.below {
            let middle = 0.5 * (lane.above + below);
            if below - lane.above <= 0.25 * tolerance || middle <= lane.above || middle >= below {
                (lane.trace.distance, lane.is_done) = (Some(below), true);
            }
            lane.t = middle;
            return;
        }
        let patch = self.table.patch(lane.cell.0, lane.cell.1);
        let bilinear = self.over_patch(lane, &patch)[0];
        lane.known = Some((lane.t, bilinear - over));
        // a minimum step, which grows once the ray has needed many evaluations
        let late = f64::from(lane.trace.heights.saturating_sub(MOST_NORMAL_STEPS)) / 16.0;
        let least = 0.5 * tolerance * (1.0 + late * late * late);
        let residual = self.table.residual(lane.cell.0, lane.cell.1);
        let steepest = (f64::from(residual.slope) + 1.0) * lane.flat + lane.ray.direction[2].abs();
        lane.t += least / higher(steepest, 1.0);
    }
}
