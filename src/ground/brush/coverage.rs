//! Coverage of a brush stroke: the weight with which it acts on each sample of a square grid.
//!
//! Equation: the weight at a sample p is the maximum of pressure · f(d / r) over all points of the path. Here d is the
//! distance from p to the point of the path, and r is the radius of the brush. The falloff f is 1 up to the hardness
//! and then falls smoothly to 0 at the radius. With build-up, the weight is instead the integral of the same term along
//! the path, divided by the radius. A single pass at full pressure then results in a weight of about 1.
//!
//! Scheme: each segment of the path contributes its point nearest to p, with the pressure at that point. An integral is
//! computed as a sum over dabs, which are points of the path a tenth of the radius apart. Neither method depends on the
//! grid.
//!
//! Boundary: on a terrain with wrapping edges, a stroke continues at the opposite edge.

use std::ops::Range;

use rayon::prelude::*;

use super::path::{dabs, interpolated};
use super::{Stroke, StrokePoint};
use crate::field::{Cancelled, Control, Edges, Grid, Region, smooth_step};

/// Number of dabs per radius along a stroke with build-up.
const DABS_PER_RADIUS: f32 = 10.0;

/// Weights of a brush stroke at the samples of a region, row by row. A weight is from 0 to 1, and can exceed 1 where a
/// stroke builds up.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// The samples to which the weights belong; outside this region the stroke has no effect.
    pub region: Region,
    /// One weight per sample of the region, row by row.
    pub weights: Vec<f32>,
}

/// A straight segment of a stroke, with rounded ends, in sample units.
struct StrokeSegment {
    from: StrokePoint,
    to: StrokePoint,
    /// Brush radii at both ends of the segment.
    radius: [f32; 2],
    /// Length of path that a dab represents, divided by the brush radius; 1 without build-up.
    dab_weight: f32,
    /// Corners of the segment's bounding box.
    low: [f32; 2],
    high: [f32; 2],
}

impl StrokeSegment {
    fn weight(&self, x: f32, y: f32, hardness: f32) -> f32 {
        let (dx, dy) = (self.to.x - self.from.x, self.to.y - self.from.y);
        let along = dx * dx + dy * dy;
        let t =
            if along > 0.0 { (((x - self.from.x) * dx + (y - self.from.y) * dy) / along).clamp(0.0, 1.0) } else { 0.0 };
        let near = interpolated(self.from, self.to, t);
        let (ex, ey) = (x - near.x, y - near.y);
        let radius = self.radius[0] + (self.radius[1] - self.radius[0]) * t;
        let squared = ex * ex + ey * ey;
        if squared >= radius * radius {
            return 0.0;
        }
        near.pressure * falloff(squared.sqrt() / radius, hardness) * self.dab_weight
    }
}

/// Falloff of the brush at a distance from its centre, in radii: 1 up to the hardness, then falling smoothly to 0 at
/// distance 1.
fn falloff(distance: f32, hardness: f32) -> f32 {
    if distance <= hardness {
        return 1.0;
    }
    let t = ((1.0 - distance) / (1.0 - hardness)).clamp(0.0, 1.0);
    smooth_step(t)
}

impl Stroke {
    /// Points of the path, `spacing` radii apart, in sample units of a grid whose cells have a side of `cell_metres`.
    pub fn dabs(&self, spacing: f32, cell_metres: f32) -> Vec<StrokePoint> {
        let scaled = |(p, _): (StrokePoint, f32)| self.in_samples(p, cell_metres);
        dabs(&self.path, self.brush.radius * spacing).into_iter().map(scaled).collect()
    }

    /// Weight of a single dab at `distance` radii from its centre; 0 at a distance of 1 or more.
    pub fn dab_weight(&self, distance: f32) -> f32 {
        if distance < 1.0 { falloff(distance, self.brush.hardness) } else { 0.0 }
    }

    fn in_samples(&self, p: StrokePoint, cell_metres: f32) -> StrokePoint {
        StrokePoint { x: p.x / cell_metres, y: p.y / cell_metres, pressure: p.pressure }
    }

    fn segments(&self, cell_metres: f32) -> Vec<StrokeSegment> {
        let brush = &self.brush;
        let segment = |a: StrokePoint, b: StrokePoint, share: f32| {
            let [from, to] = [a, b].map(|p| self.in_samples(p, cell_metres));
            let radius =
                [a, b].map(|p| brush.radius / cell_metres * if brush.pressure_widens { p.pressure } else { 1.0 });
            let wide = radius[0].max(radius[1]);
            let low = [from.x.min(to.x) - wide, from.y.min(to.y) - wide];
            let high = [from.x.max(to.x) + wide, from.y.max(to.y) + wide];
            StrokeSegment { from, to, radius, dab_weight: share, low, high }
        };
        match self.path.as_slice() {
            [] => Vec::new(),
            [only] => vec![segment(*only, *only, 1.0)],
            path if brush.build_up => {
                let dabs = dabs(path, brush.radius / DABS_PER_RADIUS);
                dabs.into_iter().map(|(p, metres)| segment(p, p, metres / brush.radius)).collect()
            }
            path => path.windows(2).map(|ends| segment(ends[0], ends[1], 1.0)).collect(),
        }
    }

    /// The coverage of the stroke on a square with a side length of `side_metres`. If `grid` is a window of the square,
    /// rows and columns of the region are counted within the window. Returns `None` if the stroke does not touch the
    /// grid.
    ///
    /// # Errors
    /// When `control` was cancelled.
    pub fn coverage(&self, grid: Grid, side_metres: f32, control: &Control) -> Result<Option<Coverage>, Cancelled> {
        let mut segments = self.segments(side_metres * grid.cell());
        let last = (grid.whole_samples() - 1) as f32;
        if grid.edges == Edges::Wrap {
            // Copies of the stroke are shifted by one side length, so that a part beyond an edge appears at the
            // opposite edge.
            let shifts = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| [dx as f32 * last, dy as f32 * last]));
            let whole = std::mem::take(&mut segments);
            for [dx, dy] in shifts {
                let moved = |p: StrokePoint| StrokePoint { x: p.x + dx, y: p.y + dy, ..p };
                segments.extend(whole.iter().map(|s| StrokeSegment {
                    from: moved(s.from),
                    to: moved(s.to),
                    low: [s.low[0] + dx, s.low[1] + dy],
                    high: [s.high[0] + dx, s.high[1] + dy],
                    ..*s
                }));
            }
        }
        let [top, left] = grid.first();
        let windows = [left..left + grid.samples, top..top + grid.samples];
        let end = if grid.edges == Edges::Wrap { last - 1.0 } else { last };
        segments.retain(|s| (0..2).all(|k| s.high[k] >= 0.0 && s.low[k] <= end));
        if segments.is_empty() {
            return Ok(None);
        }
        let span = |k: usize| {
            let low = segments.iter().fold(end, |low, s| low.min(s.low[k])).max(0.0).ceil() as usize;
            let high = segments.iter().fold(0.0f32, |high, s| high.max(s.high[k])).min(end).floor() as usize;
            low.max(windows[k].start)..(high + 1).max(low).min(windows[k].end)
        };
        let (columns, rows) = (span(0), span(1));
        if columns.is_empty() || rows.is_empty() {
            return Ok(None);
        }
        let width = columns.len();
        let mut weights = vec![0.0f32; width * rows.len()];
        let (hardness, builds_up) = (self.brush.hardness, self.brush.build_up);
        weights.par_chunks_mut(width).enumerate().try_for_each(|(i, row)| {
            control.check()?;
            let y = (rows.start + i) as f32;
            for segment in segments.iter().filter(|s| s.low[1] <= y && y <= s.high[1]) {
                let from = (segment.low[0].ceil().max(columns.start as f32)) as usize;
                let to = (segment.high[0].floor().max(-1.0) as isize + 1).min(columns.end as isize).max(0) as usize;
                for j in from..to.max(from) {
                    let weight = segment.weight(j as f32, y, hardness);
                    let out = &mut row[j - columns.start];
                    *out = if builds_up { *out + weight } else { out.max(weight) };
                }
            }
            Ok(())
        })?;
        let within = |span: Range<usize>, first: usize| span.start - first..span.end - first;
        Ok(Some(Coverage { region: Region { rows: within(rows, top), columns: within(columns, left) }, weights }))
    }
}
