//! Sphere tracing: intersects a ray with the terrain of a construction, without a grid.
//!
//! Method: h(t) = z(t) - f(x(t), y(t)) is the height of the ray above the terrain at the distance t. u is the direction
//! of the ray: u_xy is its horizontal part, u_z its vertical part. Let λ be a bound of |∇f| over the next segment of
//! the ray, of length δ. The ray cannot hit the terrain before it has travelled the distance h / (λ |u_xy| - u_z). If
//! the denominator λ |u_xy| - u_z is not positive, the ray cannot hit within δ. The ray also cannot hit while it stays
//! above the highest ground of the segment. Each step is as long as these bounds allow. Several steps use the bound of
//! one segment while the steps remain long enough. The next segment is twice as long as the last step. The ray hits
//! where h falls below a tolerance that grows with the distance, as the size of a pixel does. With [`Bound::Table`], a
//! [`PacketTracer`] traces many rays at once, using a measured table of the ground. With [`Bound::Global`], the same λ
//! holds everywhere. This is Hart's algorithm, which is included for comparison.
//! Source: Génevaux et al. 2014, §7.1 and fig. 18; Hart 1994.

mod packet;
mod table;

pub use packet::PacketTracer;
pub use table::GroundTable;

use super::compiled_program::{NodeSelection, Program};
use super::geometry::plane::{Area, Capsule, Interval, Point, higher, length, lower};
use super::materials::MaterialLayer;
use super::sample::Detail;

/// A ray in metres: east, south, up. The direction has length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRay {
    /// Start of the ray.
    pub origin: [f64; 3],
    /// Unit direction.
    pub direction: [f64; 3],
}

impl TraceRay {
    /// The point at distance `t`, in metres.
    pub fn point(&self, t: f64) -> [f64; 3] {
        [0, 1, 2].map(|k| self.origin[k] + t * self.direction[k])
    }

    /// The range of distances at which the ray is inside a box.
    fn clip(&self, low: [f64; 3], high: [f64; 3]) -> Option<(f64, f64)> {
        let (mut from, mut to) = (0.0, f64::INFINITY);
        for k in 0..3 {
            if self.direction[k] == 0.0 {
                if self.origin[k] < low[k] || self.origin[k] > high[k] {
                    return None;
                }
                continue;
            }
            let (a, b) =
                ((low[k] - self.origin[k]) / self.direction[k], (high[k] - self.origin[k]) / self.direction[k]);
            (from, to) = (higher(from, lower(a, b)), lower(to, higher(a, b)));
        }
        (from < to).then_some((from, to))
    }
}

/// Lipschitz bounds that can limit the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The bound that a [`GroundTable`] has measured for the cell below the ray. Rays that are traced singly use the
    /// bound of the segment ahead instead.
    Table,
    /// The bound of the segment ahead.
    Local,
    /// One bound for the whole terrain.
    Global,
}

/// Surfaces that can be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedSurface {
    /// The ground including the sand and snow on it.
    Ground,
    /// The water surface; outside the shores it is below all ground.
    Water,
}

/// A sphere tracer for a construction.
#[derive(Clone)]
pub struct Tracer<'a> {
    program: &'a Program,
    whole_selection: NodeSelection,
    /// Height range of the whole surface, and its Lipschitz bound.
    range: Interval,
    steepest: f64,
    /// Lipschitz bound that limits the steps.
    pub bound: Bound,
    /// Height above the ground at which a ray counts as a hit: its value in metres at the ray's origin, and its growth
    /// per metre of distance.
    pub tolerance: (f64, f64),
    /// Growth of the sample spacing per metre of distance; noise octaves too fine for this spacing are skipped. 0 keeps
    /// all octaves.
    pub spread: f64,
    /// Level of detail κ at the eye.
    pub level: f64,
    /// Distance at which κ is half as large as at the eye, in metres of the construction; `None` keeps κ constant.
    pub half_distance: Option<f64>,
    of: TracedSurface,
    /// Height of the water surface where there is no water.
    dry: f64,
}

/// Result of tracing a ray.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trace {
    /// Distance to the terrain; `None` if the ray misses it.
    pub distance: Option<f64>,
    /// Distance at which the ray enters the terrain's bounding box, if it enters the box.
    pub entry: f64,
    /// Number of height evaluations along the ray.
    pub heights: u32,
    /// Number of evaluations of bounds along the ray.
    pub bounds: u32,
}

/// Maximum number of steps that use bounds. A ray that needs more steps is marched the rest of the way in steps of
/// `STRIDE`. Few rays need more steps, and only where a ground window limits a piece to a range of slopes. The bounds
/// there are so loose that each step is only thousandths of the ray's height above the ground.
pub const MOST_STEPS: u32 = 20_000;
/// Minimum step of a marched ray, in metres. The step is half the sample spacing if this is larger.
const STRIDE: f64 = 0.2;
/// Another step uses the same bound only if the last step covered at least this fraction of the segment, and at least
/// this fraction remains. Otherwise computing a new bound for the segment ahead saves time.
const SAME_BOUND: f64 = 0.3;

impl<'a> Tracer<'a> {
    /// A tracer of the ground of `program`.
    pub fn new(program: &'a Program) -> Self {
        Self::for_surface(program, TracedSurface::Ground)
    }

    /// A tracer of the given surface.
    pub fn for_surface(program: &'a Program, of: TracedSurface) -> Self {
        let side = program.side;
        let square = Area { low: [0.0; 2], high: [side; 2] };
        let everything = program.selection(&square);
        let whole = Capsule::area(&square);
        let dry = program.covered_bounds_in(&everything, &whole, &Detail::EVERY_LEVEL).0.low - 1.0;
        let mut tracer = Self {
            program,
            whole_selection: everything,
            range: Interval::one(dry),
            steepest: 0.0,
            bound: Bound::Local,
            tolerance: (1e-6 * side, 0.0),
            spread: 0.0,
            level: 1.0,
            half_distance: None,
            of,
            dry,
        };
        (tracer.range, tracer.steepest) = tracer.bounds(&whole, &Detail::EVERY_LEVEL);
        if !tracer.steepest.is_finite() {
            tracer.steepest = tracer.steepest_of_parts(&square);
        }
        tracer
    }

    /// Height of the surface at `p`.
    pub fn height(&self, p: Point, detail: &Detail) -> f64 {
        match self.of {
            TracedSurface::Ground => self.program.surface_with_sand_and_snow_in(&self.whole_selection, p, detail),
            TracedSurface::Water => {
                self.program
                    .sample_in::<false>(&self.whole_selection, MaterialLayer::Water, p, detail)
                    .surface(self.dry)
                    .0
            }
        }
    }

    fn bounds(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        match self.of {
            TracedSurface::Ground => self.program.covered_bounds_in(&self.whole_selection, capsule, detail),
            TracedSurface::Water => {
                self.program.bounds_in(&self.whole_selection, MaterialLayer::Water, capsule, detail).surface(self.dry)
            }
        }
    }

    /// Level of detail at which a ray from the eye evaluates the ground at distance `t`.
    pub fn detail(&self, t: f64) -> Detail {
        self.detail_of(self.spread * t)
    }

    /// Level of detail for samples `spacing` metres apart: κ = level / (1 + (t/half_distance)²), where t is the
    /// distance at which a ray uses this spacing. κ is C∞ and falls with the distance, as in §6 of the paper. Rays from
    /// the eye and their shadow rays use the same κ, because both depend only on the spacing at the point.
    fn detail_of(&self, spacing: f64) -> Detail {
        let level = match self.half_distance {
            Some(half) if self.spread > 0.0 => {
                let t = spacing / (self.spread * half);
                self.level / (1.0 + t * t)
            }
            _ => self.level,
        };
        Detail { level, spacing }
    }

    /// Level of detail at distance `t` for a ray that starts with samples `spacing` metres apart. The spacing is
    /// rounded down to one of four values per doubling, so that many rays of a packet use the same level of detail.
    fn finer_detail(&self, t: f64, spacing: f64) -> Detail {
        /// Mask of all bits of an `f64` below the two highest bits of its mantissa.
        const FINER: u64 = (1 << 50) - 1;
        let exact = spacing + self.spread * t;
        self.detail_of(f64::from_bits(exact.to_bits() & !FINER))
    }

    /// Proven range of the surface heights, in metres.
    pub fn range(&self) -> Interval {
        self.range
    }

    /// Lipschitz bound of the whole surface.
    pub fn steepest(&self) -> f64 {
        self.steepest
    }

    /// Traces `ray` from its origin until it hits or leaves the terrain.
    pub fn trace(&self, ray: &TraceRay) -> Trace {
        self.trace_from(ray, 0.0, 0.0)
    }

    /// Traces a ray from distance `start`. Noise octaves too fine for samples `spacing` metres apart are skipped from
    /// the start: a shadow ray that starts on distant ground must not hit detail that was not visible there.
    pub fn trace_from(&self, ray: &TraceRay, start: f64, spacing: f64) -> Trace {
        let mut trace = Trace::default();
        let side = self.program.side;
        let Some((from, to)) = ray.clip([0.0, 0.0, self.range.low - 1.0], [side, side, self.range.high + 1.0]) else {
            return trace;
        };
        let [_, _, rise] = ray.direction;
        let flat = length([ray.direction[0], ray.direction[1]]);
        let mut t = higher(from, start);
        trace.entry = from;
        let mut capsule = (to - from) / 8.0;
        for _ in 0..MOST_STEPS {
            if t >= to {
                return trace;
            }
            let detail = self.detail_of(spacing + self.spread * t);
            let at = ray.point(t);
            let ahead = lower(capsule, to - t);
            let mut clear = 0.0;
            let mut closing = self.steepest * flat - rise;
            // end of the segment for which the bound holds
            let mut end = to;
            if self.bound != Bound::Global {
                end = t + ahead;
                let last = ray.point(end);
                trace.bounds += 1;
                let segment = Capsule::segment([at[0], at[1]], [last[0], last[1]]);
                let (range, slope) = self.bounds(&segment, &detail);
                if lower(at[2], last[2]) > range.high {
                    // the ray is above the highest ground of the segment: skip the whole segment
                    t += ahead;
                    capsule = 2.0 * ahead;
                    continue;
                }
                closing = slope * flat - rise;
                if rise < 0.0 {
                    clear = (at[2] - range.high) / -rise;
                }
            }
            // reuse the bound while steps are long and much of the segment remains
            let enough = SAME_BOUND * (end - t);
            loop {
                let at = ray.point(t);
                trace.heights += 1;
                let above = at[2] - self.height([at[0], at[1]], &detail);
                let tolerance = self.tolerance.0 + self.tolerance.1 * t;
                if above < tolerance {
                    trace.distance = Some(t);
                    return trace;
                }
                let safe = if closing > 0.0 { lower(end - t, above / closing) } else { end - t };
                // a minimum step, so that a ray close to the ground comes within the tolerance in few steps
                let step = higher(higher(safe, clear), 0.5 * tolerance);
                t += step;
                capsule = 2.0 * step;
                clear = 0.0;
                if self.bound == Bound::Global || step < enough || end - t < enough {
                    break;
                }
            }
        }
        match self.bound {
            Bound::Table | Bound::Local => self.march(ray, t, to, spacing, trace),
            // the ray used all steps without a hit, so it counts as a miss
            Bound::Global => trace,
        }
    }

    /// Marches the rest of the ray without bounds. The march can miss features thinner than a step, but its hits are as
    /// accurate as other hits.
    fn march(&self, ray: &TraceRay, from: f64, to: f64, spacing: f64, mut trace: Trace) -> Trace {
        let mut t = from;
        while t < to {
            let detail = self.detail_of(spacing + self.spread * t);
            let tolerance = self.tolerance.0 + self.tolerance.1 * t;
            let mut above = |t: f64| {
                trace.heights += 1;
                let at = ray.point(t);
                at[2] - self.height([at[0], at[1]], &detail)
            };
            let next = t + higher(STRIDE, 0.5 * detail.spacing);
            if above(next) < tolerance {
                let (mut low, mut high) = (t, next);
                // 52 halvings reach the last bit of an `f64`
                for _ in 0..52 {
                    if high - low <= 0.5 * tolerance {
                        break;
                    }
                    let middle = 0.5 * (low + high);
                    if above(middle) < tolerance { high = middle } else { low = middle }
                }
                trace.distance = Some(high);
                return trace;
            }
            t = next;
        }
        trace
    }

    /// Lipschitz bound of an area whose own bound is infinite: the maximum of the bounds of its parts.
    fn steepest_of_parts(&self, square: &Area) -> f64 {
        const PARTS: usize = 64;
        let step = (square.high[0] - square.low[0]) / PARTS as f64;
        (0..PARTS * PARTS).fold(0.0, |steepest, k| {
            let low = [square.low[0] + (k % PARTS) as f64 * step, square.low[1] + (k / PARTS) as f64 * step];
            let part = Area { low, high: [low[0] + step, low[1] + step] };
            higher(steepest, self.bounds(&Capsule::area(&part), &Detail::EVERY_LEVEL).1)
        })
    }
}
