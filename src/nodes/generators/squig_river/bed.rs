//! Lays a [network of rivers](super::network) into the terrain, with the same banks on both sides.
//!
//! Law: let a point have its nearest water at distance d with the water level L, and let w be the width of the water.
//! Within w/2 the terrain is the river bed, L - depth·(1 - (2d/w)²), and the water surface is at L, level across the
//! river. Farther out, d' = d - w/2 is the distance from the water's edge, and the terrain is
//! B + max(0, h - B)·t(d'/v) + min(0, h - B)·t₂. h is the height before the river is laid, v the width of the valley's
//! side, and t from 0 to 1 the profile of the valley. t₂ is 0 within w of the water and 1 at d' = v, so low terrain
//! near the water is filled.
//!
//! B is the minimum height of the banks: B = max over all water s of L(s) - σ·max(0, |s| - 3w/2), with |s| the distance
//! to s and σ the bank's slope. B is continuous. Within w of any water B is at least as high as that water, so water is
//! never higher than its banks.
//!
//! If widths follow the water, w and the depth at a point of the river are those at the mouth times √q and q^0.4. q is
//! the discharge at the point divided by the discharge at the mouth (Leopold & Maddock 1953), linear between nodes. The
//! nearest water is then the water with the nearest edge, and B uses the width at the mouth. A spring is a point. A
//! tributary keeps its own width to its end on the centreline of the water that it joins.
//!
//! Scheme: for a small block of samples, the nearest segment and B are searched among the segments that can affect the
//! block. If d(c) is the distance of the block's centre and the block extends ρ around the centre, these are the
//! segments within d(c) + 2ρ. Segments affect B only if their bank at the centre is at most 2σρ below B. The result
//! equals a search through all segments, for any block size.
//! Boundary: on a wrapping terrain distances take the shorter way around.
//! Source of the widths: Leopold & Maddock 1953, *The hydraulic geometry of stream channels*.

use rayon::prelude::*;

use super::network::{RUN, RiverNetwork};
use super::reach::ReachBounds;
use crate::Context;
use crate::generators::octaves::NoiseFade;
use talweg_ground::field::{Cancelled, Edges};

talweg_ground::choices! {
    /// Variation of the water's width along a river.
    RiverWidths {
        Even "Even": "All rivers have the same width from source to mouth.",
        Downstream "With the water": "Rivers grow with every tributary, starting from a point at the spring.",
    }
}

talweg_ground::choices! {
    /// Profile of the valley's sides.
    Valley {
        Vee "V-shaped": "Sides that rise evenly from the water's edge.",
        Floodplain "Floodplain": "Level terrain next to the water that steepens farther out.",
        Gorge "Gorge": "Sides that are steep at the water's edge and gentler farther out.",
    }
}

/// The cross profile of a river. Lengths are fractions of the terrain's side length, heights fractions of the relief.
#[derive(Clone, Copy, Debug)]
pub struct CrossProfile {
    /// Half the width of the water, at the mouth.
    pub half: f32,
    /// Half of the minimum width of the water, below which the water would have gaps on the grid.
    pub least_half: f32,
    /// Variation of the water's width along a river.
    pub widths: RiverWidths,
    /// Discharge of a river where it enters the terrain, as a fraction of its discharge at the mouth.
    pub inflow: f32,
    /// Depth of the water on its centreline.
    pub depth: f32,
    /// Width of the valley on each side of the water.
    pub side: f32,
    /// Profile of the valley's sides.
    pub valley: Valley,
    /// Slope of the terrain between two waters of different levels.
    pub slope: f32,
}

/// A straight segment of a river between two nodes.
#[derive(Clone, Copy)]
struct Segment {
    from: [f32; 2],
    /// Vector to the lower end.
    step: [f32; 2],
    /// Reciprocal of the segment's squared length.
    inverse: f32,
    level: f32,
    fall: f32,
    /// Half width at the start of the segment, and its increase to the end. `depth` holds the same two values of the
    /// depth.
    half: [f32; 2],
    depth: [f32; 2],
}

/// Properties of the water at the point of a segment that is nearest to a position.
#[derive(Clone, Copy)]
struct NearestWater {
    distance: f32,
    level: f32,
    half: f32,
    depth: f32,
}

impl Segment {
    /// Returns the properties of the water at the segment's nearest point to a position.
    #[inline(always)]
    fn water(&self, x: f32, y: f32) -> NearestWater {
        let (dx, dy) = (x - self.from[0], y - self.from[1]);
        let t = ((dx * self.step[0] + dy * self.step[1]) * self.inverse).clamp(0.0, 1.0);
        let (ex, ey) = (dx - t * self.step[0], dy - t * self.step[1]);
        NearestWater {
            distance: (ex * ex + ey * ey).sqrt(),
            level: self.level - self.fall * t,
            half: self.half[0] + self.half[1] * t,
            depth: self.depth[0] + self.depth[1] * t,
        }
    }

    /// Squared distance from a position to the segment, and the water level at the nearest point.
    #[inline(always)]
    fn nearest(&self, x: f32, y: f32) -> (f32, f32) {
        let (dx, dy) = (x - self.from[0], y - self.from[1]);
        let t = ((dx * self.step[0] + dy * self.step[1]) * self.inverse).clamp(0.0, 1.0);
        let (ex, ey) = (dx - t * self.step[0], dy - t * self.step[1]);
        (ex * ex + ey * ey, self.level - self.fall * t)
    }
}

/// A group of consecutive segments with a common bounding box.
struct SegmentRun {
    first: usize,
    last: usize,
    bounds: ReachBounds,
    low: f32,
    high: f32,
}

/// Number of samples along a side of a block. It is small if samples are far apart, so that few segments affect the
/// block.
fn block(samples: usize) -> usize {
    match samples {
        ..128 => 2,
        128..512 => 4,
        _ => 8,
    }
}

/// Lays the water into `ground` and returns its depth.
pub fn fill_channels(
    cx: &Context,
    network: &RiverNetwork,
    profile: &CrossProfile,
    ground: &mut [f32],
) -> Result<Vec<f32>, Cancelled> {
    let n = cx.grid.samples;
    let block = block(n);
    let bed = RiverBed::new(network, profile, cx.grid.edges == Edges::Wrap);
    let mut water = vec![0.0; cx.grid.len()];
    let places: Vec<f32> = (0..n).map(|k| cx.grid.position(k % cx.grid.distinct_side())).collect();
    ground.par_chunks_mut(n * block).zip(water.par_chunks_mut(n * block)).enumerate().try_for_each(|(b, (h, w))| {
        let ys = &places[b * block..b * block + h.len() / n];
        let mut near = Vec::new();
        for left in (0..n).step_by(block) {
            cx.control.check()?;
            let xs = &places[left..(left + block).min(n)];
            bed.collect_near(xs, ys, &mut near);
            if near.is_empty() {
                continue;
            }
            for (r, &y) in ys.iter().enumerate() {
                let at = r * n + left;
                for ((&x, h), w) in xs.iter().zip(&mut h[at..]).zip(&mut w[at..]) {
                    (*h, *w) = bed.ground_and_water(&near, x, y, *h);
                }
            }
        }
        Ok(())
    })?;
    Ok(water)
}

struct RiverBed<'a> {
    profile: &'a CrossProfile,
    segments: Vec<Segment>,
    runs: Vec<SegmentRun>,
}

impl<'a> RiverBed<'a> {
    fn new(network: &RiverNetwork, profile: &'a CrossProfile, wraps: bool) -> Self {
        let mut bed = Self { profile, segments: Vec::new(), runs: Vec::new() };
        let shares = match profile.widths {
            RiverWidths::Even => Vec::new(),
            RiverWidths::Downstream => network.discharges(profile.inflow),
        };
        // Returns the half width and the full depth of the water at a node of a river.
        let size = |course: usize, node: usize| -> [f32; 2] {
            let Some(&share) = shares.get(course).and_then(|course| course.get(node)) else {
                return [profile.half, profile.depth];
            };
            let half = profile.half * share.sqrt();
            let half = if half > profile.least_half { half } else { profile.least_half };
            [half, profile.depth * libm::powf(share, 0.4)]
        };
        let shifts: &[f32] = if wraps { &[0.0, -1.0, 1.0] } else { &[0.0] };
        for dy in shifts {
            for dx in shifts {
                for (course, centreline) in network.centrelines.iter().enumerate() {
                    for (at, pair) in centreline.nodes.windows(2).enumerate() {
                        let [[half, depth], [half_below, depth_below]] = [size(course, at), size(course, at + 1)];
                        let [a, b] = [network.nodes[pair[0]], network.nodes[pair[1]]];
                        let step = [b.position[0] - a.position[0], b.position[1] - a.position[1]];
                        let square = step[0] * step[0] + step[1] * step[1];
                        bed.segments.push(Segment {
                            from: [a.position[0] + dx, a.position[1] + dy],
                            step,
                            inverse: if square > 0.0 { 1.0 / square } else { 0.0 },
                            level: a.level,
                            fall: a.level - b.level,
                            half: [half, half_below - half],
                            depth: [depth, depth_below - depth],
                        });
                    }
                }
            }
        }
        // Beyond this distance, a segment is never the nearest water, and its water requires no bank.
        let levels = network.nodes.iter().map(|n| n.level);
        let (low, high) = levels.fold((f32::MAX, f32::MIN), |(l, h), level| (l.min(level), h.max(level)));
        let reach = 2.0 * (profile.half + profile.side) + (high - low).max(0.0) / profile.slope + 3.0 * profile.half;
        for first in (0..bed.segments.len()).step_by(RUN) {
            let last = (first + RUN).min(bed.segments.len());
            let part = &bed.segments[first..last];
            let ends = part.iter().flat_map(|s| [s.from, [s.from[0] + s.step[0], s.from[1] + s.step[1]]]);
            let bounds = ReachBounds::enclosing(ends);
            if bounds.beyond_the_square() > reach {
                continue;
            }
            bed.runs.push(SegmentRun {
                first,
                last,
                bounds,
                low: part.iter().map(|s| s.level).fold(f32::MAX, f32::min),
                high: part.iter().map(|s| s.level).fold(f32::MIN, f32::max),
            });
        }
        bed
    }

    /// Minimum height of the terrain at a distance from water of `level`.
    #[inline(always)]
    fn bank(&self, level: f32, distance: f32) -> f32 {
        level - self.profile.slope * (distance - 3.0 * self.profile.half).max(0.0)
    }

    /// Collects the segments that affect a block of samples. No segments are collected if the block is beyond all
    /// valleys.
    fn collect_near(&self, xs: &[f32], ys: &[f32], near: &mut Vec<Segment>) {
        near.clear();
        // The last sample of a wrapping row repeats the first, so the block can extend from one end of the row to the
        // other.
        let span = |places: &[f32]| {
            let (low, high) = places.iter().fold((f32::MAX, f32::MIN), |(l, h), &p| (l.min(p), h.max(p)));
            ((low + high) * 0.5, (high - low) * 0.5)
        };
        let ((x, rx), (y, ry)) = (span(xs), span(ys));
        let reach = (rx * rx + ry * ry).sqrt() * 1.001 + 1e-6;
        let centre = [x, y];
        let (mut distance, mut bank) = (f32::MAX, f32::MIN);
        for run in &self.runs {
            let far = run.bounds.far(centre);
            distance = distance.min(far);
            bank = bank.max(self.bank(run.low, far + reach));
        }
        let edge = self.profile.half + self.profile.side;
        // Narrow water can have a nearer edge than wide water, although its centreline is farther away.
        let slack = match self.profile.widths {
            RiverWidths::Even => 0.0,
            RiverWidths::Downstream => self.profile.half,
        };
        let mut nearest = f32::MAX;
        for run in &self.runs {
            let gap = run.bounds.distance_from(centre, false);
            nearest = nearest.min(gap);
            if gap <= distance + slack + 2.0 * reach || self.bank(run.high, (gap - reach).max(0.0)) >= bank {
                near.extend_from_slice(&self.segments[run.first..run.last]);
            }
        }
        if nearest > edge + reach {
            near.clear();
            return;
        }
        let mut own = (f32::MAX, f32::MIN);
        for segment in near.iter() {
            let d = segment.nearest(x, y).0.sqrt();
            own = (own.0.min(d), own.1.max(self.bank(segment.level, d + reach)));
        }
        if own.0 > edge + reach {
            near.clear();
            return;
        }
        near.retain(|segment| {
            let d = segment.nearest(x, y).0.sqrt();
            d <= own.0 + slack + 2.0 * reach || self.bank(segment.level, (d - reach).max(0.0)) >= own.1
        });
    }

    /// Used for equal widths: finds the water whose centreline is nearest to a position, and the minimum height of the
    /// terrain there.
    #[inline(always)]
    fn nearest_course(&self, near: &[Segment], x: f32, y: f32) -> (NearestWater, f32) {
        let CrossProfile { half, depth, .. } = *self.profile;
        let (mut least, mut level, mut bank) = (f32::MAX, 0.0, f32::MIN);
        for segment in near {
            let (square, there) = segment.nearest(x, y);
            if square < least {
                (least, level) = (square, there);
            }
            let asked = self.bank(segment.level, square.sqrt());
            bank = if asked > bank { asked } else { bank };
        }
        (NearestWater { distance: least.sqrt(), level, half, depth }, bank)
    }

    /// Finds the water whose edge is nearest to a position, and the minimum height of the terrain there.
    #[inline(always)]
    fn nearest_edge(&self, near: &[Segment], x: f32, y: f32) -> (NearestWater, f32) {
        let mut nearest = NearestWater { distance: f32::MAX, level: 0.0, half: 0.0, depth: 0.0 };
        let mut bank = f32::MIN;
        for segment in near {
            let water = segment.water(x, y);
            if water.distance - water.half < nearest.distance - nearest.half {
                nearest = water;
            }
            let asked = self.bank(segment.level, water.distance);
            bank = if asked > bank { asked } else { bank };
        }
        (nearest, bank)
    }

    /// Terrain height and water depth at a position whose terrain height without the river is `height`.
    #[inline(always)]
    fn ground_and_water(&self, near: &[Segment], x: f32, y: f32, height: f32) -> (f32, f32) {
        let CrossProfile { side, valley, .. } = *self.profile;
        let (NearestWater { distance, level, half, depth }, bank) = match self.profile.widths {
            RiverWidths::Even => self.nearest_course(near, x, y),
            RiverWidths::Downstream => self.nearest_edge(near, x, y),
        };
        if distance < half {
            let across = distance / half;
            let deep = depth * (1.0 - across * across);
            return (level - deep, deep);
        }
        let out = distance - half;
        if out >= side {
            return (height, 0.0);
        }
        let t = out / side;
        let rise = match valley {
            Valley::Vee => t * (1.0 + t - t * t),
            Valley::Floodplain => NoiseFade::Classic.weight(t),
            Valley::Gorge => t * (2.0 - t),
        };
        let level_ground = 2.0 * self.profile.half;
        let fill = NoiseFade::Classic.weight(((out - level_ground) / (side - level_ground)).clamp(0.0, 1.0));
        (bank + (height - bank) * if height > bank { rise } else { fill }, 0.0)
    }
}
