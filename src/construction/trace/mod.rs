//! Sphere tracing: where a ray meets the terrain of a construction, without a grid.
//!
//! Law: h(t) = z(t) - f(x(t), y(t)). With λ a bound of |∇f| over the next stretch δ of the ray, the terrain is not met
//! before h / (λ |u_xy| - u_z), nor within δ where that denominator is not above 0, nor where the ray stays above the
//! highest ground of the stretch. The least of these is gone; steps by the bound of one stretch follow each other as
//! long as they get on. The next stretch is twice as long as the last step. A ray has met the terrain where h falls
//! below a tolerance that grows with the distance, as a pixel does.
//! With [`Bound::Table`] a [`PacketTracer`] follows many rays at once, by what it has measured of the ground.
//! With [`Bound::Global`] one λ holds for everything: Hart's algorithm, to compare with.
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
    /// Where it begins.
    pub origin: [f64; 3],
    /// Where it goes; of length 1.
    pub direction: [f64; 3],
}

impl TraceRay {
    /// The place after `t` metres.
    pub fn point(&self, t: f64) -> [f64; 3] {
        [0, 1, 2].map(|k| self.origin[k] + t * self.direction[k])
    }

    /// Where the ray is in a box.
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

/// Which Lipschitz bound steps are taken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// What a [`GroundTable`] has measured of the cell; of single rays that of the stretch ahead.
    Table,
    /// That of the stretch ahead.
    Local,
    /// That of everything.
    Global,
}

/// Which surface is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedSurface {
    /// The ground with what lies on it.
    Ground,
    /// The water, which falls off to below all ground beside its shores.
    Water,
}

/// How a construction is traced.
#[derive(Clone)]
pub struct Tracer<'a> {
    program: &'a Program,
    everything: NodeSelection,
    /// Heights of all the terrain, and its Lipschitz bound.
    range: Interval,
    steepest: f64,
    /// Which Lipschitz bound the steps follow.
    pub bound: Bound,
    /// Height above the ground that counts as meeting it, in metres at the ray's origin, and by how much it grows per
    /// metre.
    pub tolerance: (f64, f64),
    /// Samples that would show what a ray sees, per metre of its way: octaves finer than that are left out. 0 keeps
    /// all.
    pub spread: f64,
    /// Level of detail κ before the eye.
    pub level: f64,
    /// Distance at which κ is half of that, in metres of the tree; without one it is the same everywhere.
    pub half_distance: Option<f64>,
    of: TracedSurface,
    /// Height of the water where there is none.
    dry: f64,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trace {
    /// Distance to the terrain; `None` if the ray leaves it behind.
    pub distance: Option<f64>,
    /// Distance to the box around the terrain, if it is met.
    pub entry: f64,
    /// How often the tree was asked for a height.
    pub heights: u32,
    /// How often it was asked for a bound.
    pub bounds: u32,
}

/// A ray that has asked for as many bounds is marched for the rest of its way, in steps of `STRIDE`. Few do, and only
/// where pieces are laid by slope: bounds are loose there, and steps by them thousandths of the height.
pub const MOST_STEPS: u32 = 20_000;
/// Step, in metres, of a ray that is marched; where its pixel covers more, half of that.
const STRIDE: f64 = 0.2;
/// Share of a stretch that a step by its bound has gone, and that is left, for another step by the same bound: below
/// that a bound of what is ahead is worth asking for.
const SAME_BOUND: f64 = 0.3;

impl<'a> Tracer<'a> {
    /// A tracer of the ground of `program`.
    pub fn new(program: &'a Program) -> Self {
        Self::for_surface(program, TracedSurface::Ground)
    }

    /// A tracer of another surface.
    pub fn for_surface(program: &'a Program, of: TracedSurface) -> Self {
        let side = program.side;
        let square = Area { low: [0.0; 2], high: [side; 2] };
        let everything = program.selection(&square);
        let whole = Capsule::area(&square);
        let dry = program.covered_bounds_in(&everything, &whole, &Detail::FULL).0.low - 1.0;
        let mut tracer = Self {
            program,
            everything,
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
        (tracer.range, tracer.steepest) = tracer.bounds(&whole, &Detail::FULL);
        if !tracer.steepest.is_finite() {
            tracer.steepest = tracer.steepest_of_parts(&square);
        }
        tracer
    }

    /// Height of the surface at a place.
    pub fn height(&self, p: Point, detail: &Detail) -> f64 {
        match self.of {
            TracedSurface::Ground => self.program.covered_in(&self.everything, p, detail),
            TracedSurface::Water => {
                self.program.sample_in::<false>(&self.everything, MaterialLayer::Water, p, detail).surface(self.dry).0
            }
        }
    }

    fn bounds(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        match self.of {
            TracedSurface::Ground => self.program.covered_bounds_in(&self.everything, capsule, detail),
            TracedSurface::Water => {
                self.program.bounds_in(&self.everything, MaterialLayer::Water, capsule, detail).surface(self.dry)
            }
        }
    }

    /// How finely the ground is asked at a distance.
    pub fn detail(&self, t: f64) -> Detail {
        self.detail_of(self.spread * t)
    }

    /// The detail of samples `spacing` apart: κ = level / (1 + (t/half_distance)²) at the distance t at which a ray
    /// asks for such samples, C∞ and falling with the distance as in the document's §6. All that a ray from the eye
    /// sees and what shadows it is asked at the same κ, since both have the spacing of the place.
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

    /// The same for rays that already ask for samples `spacing` apart. Rays of a packet ask together: the spacing is
    /// rounded down to one of four steps of a doubling, so that many of them ask alike.
    fn finer_detail(&self, t: f64, spacing: f64) -> Detail {
        /// All bits of a double but the first two of the fraction.
        const FINER: u64 = (1 << 50) - 1;
        let exact = spacing + self.spread * t;
        self.detail_of(f64::from_bits(exact.to_bits() & !FINER))
    }

    /// Lowest and highest ground there may be.
    pub fn range(&self) -> Interval {
        self.range
    }

    /// The bound of everything.
    pub fn steepest(&self) -> f64 {
        self.steepest
    }

    /// Follows `ray` from its origin to the ground or past it.
    pub fn trace(&self, ray: &TraceRay) -> Trace {
        self.trace_from(ray, 0.0, 0.0)
    }

    /// What a ray meets from a distance on. Octaves that samples `spacing` apart would not show are left out from the
    /// start: a ray that leaves ground seen from afar must not meet what was not seen.
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
            // as far as the bound holds
            let mut end = to;
            if self.bound != Bound::Global {
                end = t + ahead;
                let last = ray.point(end);
                trace.bounds += 1;
                let segment = Capsule::segment([at[0], at[1]], [last[0], last[1]]);
                let (range, slope) = self.bounds(&segment, &detail);
                if lower(at[2], last[2]) > range.high {
                    // above everything: there is no need to know how far
                    t += ahead;
                    capsule = 2.0 * ahead;
                    continue;
                }
                closing = slope * flat - rise;
                if rise < 0.0 {
                    clear = (at[2] - range.high) / -rise;
                }
            }
            // several steps by one bound, as long as they are long and much of the stretch is left
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
                // a step is never nothing: the tolerance is passed in one of them
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
            // it has not arrived: what lies there is not known
            Bound::Global => trace,
        }
    }

    /// Goes on without bounds: it may step over what is thinner than its steps, and ends no farther above the ground
    /// than others.
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
                // as often as halves a double to its last bit
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

    /// The greatest bound of the parts of an area, where the whole has none.
    fn steepest_of_parts(&self, square: &Area) -> f64 {
        const PARTS: usize = 64;
        let step = (square.high[0] - square.low[0]) / PARTS as f64;
        (0..PARTS * PARTS).fold(0.0, |steepest, k| {
            let low = [square.low[0] + (k % PARTS) as f64 * step, square.low[1] + (k / PARTS) as f64 * step];
            let part = Area { low, high: [low[0] + step, low[1] + step] };
            higher(steepest, self.bounds(&Capsule::area(&part), &Detail::FULL).1)
        })
    }
}
