//! The effect of each brush tool on a field.
//!
//! Law, with h the value at a sample, w the weight of the stroke there, a the stroke's amount and s its strength:
//! - raise: h + a w; lower: h - a w;
//! - flatten: h + s w (level - h);
//! - slope: like flatten, with the level interpolated along the line from the start of the stroke to its end;
//! - smooth: h + s w (g - h), with g the terrain smoothed by a Gaussian whose standard deviation is the brush's detail;
//! - noise: h + a w η, with η the sum of five octaves of gradient noise at the sample's position;
//! - stamp: h + a w p, with p the value of the image, which is rotated and as wide as the brush;
//! - smear: h(q), with q traced back along the stroke: q ← q - s w Δ for each step Δ of the brush;
//! - erode: h + s w (e - h), with e the eroded terrain in the box around the stroke, [piece by piece](Stroke::pieces).
//!
//! Positions and lengths are in metres, and the number of iterations is adapted to the grid. The terrain is therefore
//! the same on any grid, except for detail finer than the grid.

use rayon::prelude::*;

use super::{Canvas, CanvasRock};
use crate::filters::gauss;
use crate::{Context, Node};
use talweg_construction::primitives::noise::ReliefNoise;
use talweg_ground::brush::{Brush, BrushErosion, BrushTool, Coverage, Stroke, StrokePoint};
use talweg_ground::field::{Cancelled, Edges, Grid, MapKind, Region, Stream, Terrain, resample};
use talweg_ground::io::raster;

/// Number of noise octaves. `NOISE_GAIN` is the amplitude of an octave relative to the previous octave.
const NOISE_OCTAVES: u32 = 5;
const NOISE_GAIN: f64 = 0.5;
/// Step length of a smear, as a fraction of the brush radius.
const SMEAR_STEP: f32 = 0.1;
/// Number of samples that a smear traces back at the same time, one per SIMD lane.
const SMEAR_LANES: usize = 16;
/// Width of the margin that the smooth tool reads around a stroke, in standard deviations of the Gaussian.
const SMOOTHING_REACH: f32 = 4.0;
/// Width of the margin around a stroke on which the erosion brush runs, as a fraction of the brush radius.
const EROSION_MARGIN: f32 = 0.5;

/// Applies a piece of a stroke to a field. Returns a region that contains all changed samples.
pub(super) fn apply(canvas: &Canvas, stroke: &Stroke, field: &mut [f32]) -> Result<Region, Cancelled> {
    let (cx, brush) = (canvas.cx, &stroke.brush);
    cx.control.check()?;
    let Some(covered) = stroke.coverage(cx.grid, cx.size_metres, cx.control)? else { return Ok(Region::none()) };
    let (amount, strength) = (brush.amount * canvas.unit, brush.strength);
    let share = |w: f32| (strength * w).min(1.0);
    let change = |field: &mut [f32], new: &(dyn Fn(f32, f32, usize, usize) -> f32 + Sync)| {
        replace_covered(canvas, &covered, field, new)
    };
    match brush.tool {
        BrushTool::Raise => change(field, &|h, w, _, _| h + amount * w)?,
        BrushTool::Lower => change(field, &|h, w, _, _| h - amount * w)?,
        BrushTool::Flatten => {
            let level = brush.level * canvas.unit;
            change(field, &|h, w, _, _| h + (level - h) * share(w))?;
        }
        BrushTool::Slope => {
            let slope = StrokeSlope::new(stroke, canvas);
            change(field, &|h, w, i, j| h + (slope.level(i, j) - h) * share(w))?;
        }
        BrushTool::Noise => {
            let noise = RoughBrush::new(brush, cx);
            change(field, &|h, w, i, j| h + amount * w * noise.value(i, j))?;
        }
        BrushTool::Stamp => {
            // The stroke has no effect without its image. The scene's list of problems reports the missing image.
            let Ok(picture) = raster(&brush.image.0) else { return Ok(Region::none()) };
            let stamp = StampTool::new(stroke, cx);
            change(field, &|h, _, i, j| h + amount * stamp.value(i, j, &|u, v| picture.bilinear(u, v)))?;
        }
        BrushTool::Smooth => {
            let reach = (SMOOTHING_REACH * brush.detail / cx.cell_metres()).ceil() as usize + 1;
            let window = Window::enclosing(&covered.region, reach, cx);
            let around = gauss::smoothed(&window.context(cx), &window.cut(field, cx.grid), brush.detail)?;
            change(field, &|h, w, i, j| h + (around[window.index(i, j)] - h) * share(w))?;
        }
        BrushTool::Smear => {
            let window = Window::enclosing(&covered.region, 2, cx);
            let (before, origins) =
                (window.cut(field, cx.grid), SmearTool::new(stroke, cx).origins(&covered.region, cx)?);
            let origin = |i: usize, j: usize| {
                let Region { rows, columns } = &covered.region;
                let k = (i - rows.start) * columns.len() + j - columns.start;
                [origins[0][k], origins[1][k]]
            };
            change(field, &|h, w, i, j| if w > 0.0 { window.bilinear(&before, origin(i, j)) } else { h })?;
        }
        BrushTool::Erode => {
            let CanvasRock::Terrain(hardness) = canvas.rock else { return Ok(Region::none()) };
            let margin = (EROSION_MARGIN * brush.radius / cx.cell_metres()).ceil() as usize + 2;
            let window = Window::enclosing(&covered.region, margin, cx);
            let eroded = window.eroded(canvas, brush, field, hardness)?;
            change(field, &|h, w, i, j| h + (eroded[window.index(i, j)] - h) * share(w))?;
        }
    }
    if cx.grid.edges == Edges::Wrap {
        cx.grid.close(field);
        return Ok(Region::whole(cx.grid));
    }
    Ok(covered.region)
}

/// Replaces every covered sample by the result of the function `new`. Its arguments are the old value, the weight, and
/// the row and column in the whole grid.
fn replace_covered(
    canvas: &Canvas,
    covered: &Coverage,
    field: &mut [f32],
    new: &(dyn Fn(f32, f32, usize, usize) -> f32 + Sync),
) -> Result<(), Cancelled> {
    let (n, (low, high)) = (canvas.cx.grid.samples, canvas.limits);
    let [top, left] = canvas.cx.grid.first();
    let Region { rows, columns } = &covered.region;
    let cells = &mut field[rows.start * n..rows.end * n];
    cells.par_chunks_mut(n).zip(covered.weights.par_chunks(columns.len())).enumerate().try_for_each(
        |(i, (row, weights))| {
            canvas.cx.control.check()?;
            for ((j, value), &weight) in columns.clone().zip(&mut row[columns.clone()]).zip(weights) {
                if weight > 0.0 {
                    let made = new(*value, weight, top + rows.start + i, left + j);
                    // NaN leaves the value unchanged
                    *value = if made.is_nan() { *value } else { made.clamp(low, high) };
                }
            }
            Ok(())
        },
    )
}

/// A slope between the two ends of a stroke.
struct StrokeSlope {
    from: StrokePoint,
    along: [f32; 2],
    levels: [f32; 2],
}

impl StrokeSlope {
    fn new(stroke: &Stroke, canvas: &Canvas) -> Self {
        let cell = canvas.cx.cell_metres();
        let in_samples = |p: StrokePoint| StrokePoint { x: p.x / cell, y: p.y / cell, ..p };
        let (from, to) = (in_samples(stroke.path[0]), in_samples(stroke.path[stroke.path.len() - 1]));
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let squared = dx * dx + dy * dy;
        // A stroke with a single point has the same level everywhere.
        let along = if squared > 0.0 { [dx / squared, dy / squared] } else { [0.0; 2] };
        Self { from, along, levels: [stroke.brush.level, stroke.brush.end_level].map(|level| level * canvas.unit) }
    }

    fn level(&self, i: usize, j: usize) -> f32 {
        let (x, y) = (j as f32 - self.from.x, i as f32 - self.from.y);
        let t = (x * self.along[0] + y * self.along[1]).clamp(0.0, 1.0);
        self.levels[0] + (self.levels[1] - self.levels[0]) * t
    }
}

/// The noise of the noise tool, by position on the terrain.
struct RoughBrush {
    noises: Vec<ReliefNoise>,
    waves_per_sample: f64,
}

impl RoughBrush {
    fn new(brush: &Brush, cx: &Context) -> Self {
        let noises = (0..NOISE_OCTAVES).map(|k| ReliefNoise::new(brush.seed.wrapping_mul(31).wrapping_add(k)));
        Self { noises: noises.collect(), waves_per_sample: f64::from(cx.cell_metres()) / f64::from(brush.detail) }
    }

    fn value(&self, i: usize, j: usize) -> f32 {
        let (mut sum, mut weight, mut waves) = (0.0, 1.0, self.waves_per_sample);
        for noise in &self.noises {
            sum += weight * noise.sample::<false>([j as f64 * waves, i as f64 * waves]).0;
            (weight, waves) = (weight * NOISE_GAIN, waves * 2.0);
        }
        sum as f32
    }
}

/// The stamp tool: adds a copy of the image at every point of a stroke.
struct StampTool {
    points: Vec<StrokePoint>,
    radius: f32,
    turn: [f32; 2],
    stroke: Stroke,
}

impl StampTool {
    fn new(stroke: &Stroke, cx: &Context) -> Self {
        let (cell, angle) = (cx.cell_metres(), stroke.brush.angle * (std::f32::consts::PI / 180.0));
        let points = stroke.path.iter().map(|p| StrokePoint { x: p.x / cell, y: p.y / cell, ..*p }).collect();
        let turn = [libm::cosf(angle), libm::sinf(angle)];
        Self { points, radius: stroke.brush.radius / cell, turn, stroke: stroke.clone() }
    }

    fn value(&self, i: usize, j: usize, picture: &dyn Fn(f32, f32) -> f32) -> f32 {
        let mut sum = 0.0;
        for point in &self.points {
            let radius = self.radius * if self.stroke.brush.pressure_widens { point.pressure } else { 1.0 };
            let (x, y) = ((j as f32 - point.x) / radius, (i as f32 - point.y) / radius);
            let weight = self.stroke.dab_weight((x * x + y * y).sqrt()) * point.pressure;
            if weight > 0.0 {
                let [cos, sin] = self.turn;
                let (u, v) = (cos * x + sin * y, cos * y - sin * x);
                sum += weight * picture(0.5 + 0.5 * u, 0.5 + 0.5 * v);
            }
        }
        sum
    }
}

/// The smear tool: drags the terrain along a stroke.
struct SmearTool {
    /// Positions of the brush, each with the step that moved the brush to this position, in reverse order.
    steps: Vec<(StrokePoint, [f32; 2])>,
    radius: f32,
    stroke: Stroke,
}

impl SmearTool {
    fn new(stroke: &Stroke, cx: &Context) -> Self {
        let dabs = stroke.dabs(SMEAR_STEP, cx.cell_metres());
        let step = |ends: &[StrokePoint]| (ends[1], [ends[1].x - ends[0].x, ends[1].y - ends[0].y]);
        let steps = dabs.windows(2).rev().map(step).collect();
        Self { steps, radius: stroke.brush.radius / cx.cell_metres(), stroke: stroke.clone() }
    }

    /// Returns the positions from which the samples of a region were dragged. The first array holds the column
    /// coordinates, the second the row coordinates, both in row order.
    fn origins(&self, region: &Region, cx: &Context) -> Result<[Vec<f32>; 2], Cancelled> {
        let width = region.columns.len();
        let mut origins = [0, 1].map(|_| vec![0.0; width * region.rows.len()]);
        let [xs, ys] = &mut origins;
        xs.par_chunks_mut(width).zip(ys.par_chunks_mut(width)).enumerate().try_for_each(|(i, (xs, ys))| {
            cx.control.check()?;
            ys.fill((region.rows.start + i) as f32);
            xs.iter_mut().zip(region.columns.clone()).for_each(|(x, j)| *x = j as f32);
            xs.chunks_mut(SMEAR_LANES).zip(ys.chunks_mut(SMEAR_LANES)).for_each(|(xs, ys)| self.follow_back(xs, ys));
            Ok(())
        })?;
        Ok(origins)
    }

    /// Traces the positions of at most [`SMEAR_LANES`] samples back along the stroke, in parallel lanes.
    fn follow_back(&self, xs: &mut [f32], ys: &mut [f32]) {
        let (mut x, mut y) = ([0.0f32; SMEAR_LANES], [0.0f32; SMEAR_LANES]);
        x[..xs.len()].copy_from_slice(xs);
        y[..ys.len()].copy_from_slice(ys);
        let squared_radius = self.radius * self.radius;
        for (at, [dx, dy]) in &self.steps {
            let squared: [f32; SMEAR_LANES] = std::array::from_fn(|k| {
                let (ex, ey) = (x[k] - at.x, y[k] - at.y);
                ex * ex + ey * ey
            });
            if squared.iter().all(|&squared| squared >= squared_radius) {
                continue;
            }
            for k in 0..SMEAR_LANES {
                if squared[k] < squared_radius {
                    let weight = self.stroke.dab_weight(squared[k].sqrt() / self.radius) * at.pressure;
                    x[k] -= self.stroke.brush.strength * weight * dx;
                    y[k] -= self.stroke.brush.strength * weight * dy;
                }
            }
        }
        xs.copy_from_slice(&x[..xs.len()]);
        ys.copy_from_slice(&y[..ys.len()]);
    }
}

/// A square window of a grid around a stroke.
struct Window {
    row: usize,
    column: usize,
    samples: usize,
}

impl Window {
    /// The square window around a region with a margin of `margin` samples, limited to the grid.
    fn enclosing(region: &Region, margin: usize, cx: &Context) -> Self {
        let n = cx.grid.samples;
        let samples = (region.rows.len().max(region.columns.len()) + 2 * margin).clamp(2, n);
        let first = |span: &std::ops::Range<usize>| {
            let spare = samples - span.len().min(samples);
            span.start.saturating_sub(spare / 2).min(n - samples)
        };
        Self { row: first(&region.rows), column: first(&region.columns), samples }
    }

    fn index(&self, i: usize, j: usize) -> usize {
        (i - self.row) * self.samples + j - self.column
    }

    fn cut(&self, field: &[f32], grid: Grid) -> Vec<f32> {
        let rows = self.row..self.row + self.samples;
        let columns = self.column..self.column + self.samples;
        rows.flat_map(|row| grid.row(field, row)[columns.clone()].iter().copied()).collect()
    }

    fn bilinear(&self, cut: &[f32], [x, y]: [f32; 2]) -> f32 {
        let last = (self.samples - 1) as f32;
        let place = |at: f32, first: usize| {
            let at = (at - first as f32).clamp(0.0, last);
            let whole = (at as usize).min(self.samples - 2);
            (whole, at - whole as f32)
        };
        let ((j, fx), (i, fy)) = (place(x, self.column), place(y, self.row));
        let at = |i: usize, j: usize| cut[i * self.samples + j];
        let (above, below) =
            (at(i, j) * (1.0 - fx) + at(i, j + 1) * fx, at(i + 1, j) * (1.0 - fx) + at(i + 1, j + 1) * fx);
        above * (1.0 - fy) + below * fy
    }

    /// A context that treats the window as a separate terrain.
    fn context<'a>(&self, cx: &Context<'a>) -> Context<'a> {
        let ratio = (cx.scene_samples - 1) as f64 / (cx.grid.samples - 1) as f64;
        Context {
            grid: Grid::working(self.samples, Edges::Open),
            size_metres: cx.cell_metres() * (self.samples - 1) as f32,
            scene_samples: ((self.samples - 1) as f64 * ratio).round() as usize + 1,
            cell_ratio: 1.0,
            ..*cx
        }
    }

    /// Returns the terrain in the window after the brush's erosion.
    fn eroded(
        &self,
        canvas: &Canvas,
        brush: &Brush,
        field: &[f32],
        hardness: Option<&[f32]>,
    ) -> Result<Vec<f32>, Cancelled> {
        let grid = Grid::working(field.len().isqrt(), Edges::Open);
        let whole = self.context(canvas.cx);
        let worked = Grid::working(self.samples.min(canvas.erosion_samples), Edges::Open);
        let cx = Context { grid: worked, random: Stream::new(brush.seed, 0), ..whole };
        let cut = self.cut(field, grid);
        let mut ground = Terrain::flat(cx.grid);
        ground.height = resample(whole.grid, worked, &cut, cx.control)?;
        if let Some(hardness) = hardness {
            let hardness = resample(whole.grid, worked, &self.cut(hardness, grid), cx.control)?;
            ground.map_mut(MapKind::Hardness).copy_from_slice(&hardness);
        }
        let before = ground.height.clone();
        let node = match brush.erosion {
            BrushErosion::Droplets => "Droplets",
            BrushErosion::Thermal => "Thermal",
            BrushErosion::Creep => "Creep",
            BrushErosion::StreamPower => "StreamPower",
        };
        let Some(node) = Node::named(node) else { return Ok(cut) };
        let Some(process) = node.as_process() else { return Ok(cut) };
        let mut run = process.start(&cx, ground);
        for _ in 0..cx.iterations(brush.iterations, process.pace()) {
            cx.control.check()?;
            run.step(&cx)?;
        }
        let made = &run.terrain().height;
        if worked == whole.grid {
            return Ok(made.clone());
        }
        let change: Vec<f32> = made.iter().zip(before).map(|(made, before)| made - before).collect();
        let change = resample(worked, whole.grid, &change, cx.control)?;
        Ok(cut.iter().zip(change).map(|(h, change)| h + change).collect())
    }
}
