//! Perspective pictures of a construction, by sphere tracing: straight from the tree, without a grid.
//!
//! Every pixel is a ray. It meets the ground, the water of the construction, the sea, the cut side of the square, or
//! the sky. Light, colours and water are those of the relief picture; beside it there are sky and haze. Octaves too
//! fine for the pixel at its distance are left out. Pixels that differ from their neighbours are traced at four more
//! places. Each pixel is computed by itself with + - × ÷ sqrt and `libm`: the same bits for any number of threads.

pub mod camera;
pub mod evaluations;
mod shade;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use camera::Camera;

use super::PaletteTable;
use super::colour::{Light, encode};
use super::image::RgbImage;
use super::relief::shoulder;
use crate::construction::plane::higher;
use crate::construction::trace::{Bound, TraceRay, TracedSurface, Tracer};
use crate::construction::{MaterialLayer, Program};
use crate::field::{Cancelled, Control};
use crate::scene::Settings;
use shade::Shade;

/// What is drawn and how.
#[derive(Clone, Copy)]
pub struct TracedScene<'a> {
    /// The compiled tree.
    pub program: &'a Program,
    /// Sea, sun and scale.
    pub settings: &'a Settings,
    /// Colours by height and slope.
    pub palette: &'a PaletteTable,
    /// Level of detail κ of the layer.
    pub level: f64,
    /// Which Lipschitz bound the rays follow.
    pub bound: Bound,
}

/// How often the tree was asked, in all pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvaluationCounts {
    /// Evaluations of a height.
    pub heights: u64,
    /// Evaluations of a bound over a capsule.
    pub bounds: u64,
}

impl EvaluationCounts {
    /// Both together.
    pub fn all(&self) -> u64 {
        self.heights + self.bounds
    }

    fn plus(self, other: Self) -> Self {
        Self { heights: self.heights + other.heights, bounds: self.bounds + other.bounds }
    }
}

/// Difference of two levels, as a share of the relief, that is none.
const SAME_LEVEL: f64 = 1e-3;
/// Difference of two neighbours, in linear light, from which on a pixel is looked at more closely.
const CONTRAST: f32 = 0.06;
/// Places of a pixel that is looked at closely, from its middle: a turned square.
const CLOSER: [(f64, f64); 4] = [(-0.125, -0.375), (0.375, -0.125), (0.125, 0.375), (-0.375, 0.125)];

/// A ray of the picture in metres of the scene and in those of the tree.
struct PixelRay {
    ray: TraceRay,
    /// Metres of the tree in one of the scene along the ray.
    per_metre: f64,
}

/// A subject before a camera.
pub struct TracedView<'a> {
    subject: TracedScene<'a>,
    camera: &'a Camera,
    width: usize,
    height: usize,
    /// Metres of the tree in one of the scene, on the plan and upwards.
    per_metre: [f64; 2],
    /// Width of a pixel at distance 1.
    pixel: f64,
    shade: Shade<'a>,
}

impl<'a> TracedView<'a> {
    /// The view of `camera` with so many pixels.
    pub fn new(subject: TracedScene<'a>, camera: &'a Camera, width: usize, height: usize) -> Self {
        let per_metre = [
            subject.program.side / f64::from(subject.settings.size_metres),
            subject.program.relief / f64::from(subject.settings.relief_metres),
        ];
        let pixel = camera.pixel(height);
        Self { subject, camera, width, height, per_metre, pixel, shade: Shade::new(subject, per_metre) }
    }

    fn pixel_ray(&self, x: f64, y: f64) -> PixelRay {
        self.pixel_ray_along(self.camera.eye, self.camera.direction(x, y, self.width, self.height))
    }

    fn pixel_ray_along(&self, eye: [f64; 3], direction: [f64; 3]) -> PixelRay {
        let [k, up] = self.per_metre;
        let scaled = [direction[0] * k, direction[1] * k, direction[2] * up];
        let per_metre = (scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2]).sqrt();
        let ray = TraceRay { origin: [eye[0] * k, eye[1] * k, eye[2] * up], direction: scaled.map(|c| c / per_metre) };
        PixelRay { ray, per_metre }
    }

    /// A tracer for rays like this one: as fine as a pixel.
    fn tracer(&self, of: TracedSurface) -> Tracer<'a> {
        let mut tracer = Tracer::for_surface(self.subject.program, of);
        tracer.bound = self.subject.bound;
        tracer.level = self.subject.level;
        let [k, up] = self.per_metre;
        // seen at a slant a pixel covers more ground than it is wide; half its width keeps what could flicker
        tracer.spread = 0.5 * self.pixel * k / higher(k, up);
        tracer.tolerance = (1e-7 * self.subject.program.side, 0.25 * self.pixel * up / higher(k, up));
        tracer
    }

    /// Draws the picture. `show` is told the share that is done.
    ///
    /// # Errors
    /// When the control was cancelled.
    pub fn draw(
        &self,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
    ) -> Result<(RgbImage, EvaluationCounts), Cancelled> {
        let (width, height) = (self.width, self.height);
        let tracers = [self.tracer(TracedSurface::Ground), self.tracer(TracedSurface::Water)];
        let first =
            self.rows(control, &|share| show(0.7 * share), |x, y| self.look(&tracers, x as f64 + 0.5, y as f64 + 0.5))?;
        let at = |x: usize, y: usize| first[y * width + x].0;
        let stands_out = |x: usize, y: usize| {
            let here = at(x, y);
            let around = [(x.saturating_sub(1), y), (x + 1, y), (x, y.saturating_sub(1)), (x, y + 1)];
            around.into_iter().filter(|&(x, y)| x < width && y < height).any(|(x, y)| {
                let there = at(x, y);
                (0..3).any(|k| (here[k] - there[k]).abs() > CONTRAST)
            })
        };
        let all = self.rows(control, &|share| show(0.7 + 0.3 * share), |x, y| {
            let (mut light, mut asked) = first[y * width + x];
            if stands_out(x, y) {
                for (dx, dy) in CLOSER {
                    let (more, by) = self.look(&tracers, x as f64 + 0.5 + dx, y as f64 + 0.5 + dy);
                    light = std::array::from_fn(|k| light[k] + more[k]);
                    asked = asked.plus(by);
                }
                light = light.map(|c| c * 0.2);
            }
            (light, asked)
        })?;
        let asked = all.iter().fold(EvaluationCounts::default(), |sum, pixel| sum.plus(pixel.1));
        let image = RgbImage::from_fn(width, height, |x, y| encode(all[y * width + x].0.map(shoulder)));
        Ok((image, asked))
    }

    /// How often each pixel's first ray asks the tree.
    ///
    /// # Errors
    /// When the control was cancelled.
    pub fn evaluations(
        &self,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
    ) -> Result<Vec<EvaluationCounts>, Cancelled> {
        let tracer = self.tracer(TracedSurface::Ground);
        self.rows(control, show, |x, y| {
            let trace = tracer.trace(&self.pixel_ray(x as f64 + 0.5, y as f64 + 0.5).ray);
            EvaluationCounts { heights: u64::from(trace.heights), bounds: u64::from(trace.bounds) }
        })
    }

    fn rows<T: Send + Clone + Default>(
        &self,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
        pixel: impl Fn(usize, usize) -> T + Sync,
    ) -> Result<Vec<T>, Cancelled> {
        let mut all = vec![T::default(); self.width * self.height];
        let done = AtomicUsize::new(0);
        all.par_chunks_mut(self.width).enumerate().try_for_each(|(y, row)| {
            for (x, one) in row.iter_mut().enumerate() {
                if x % 64 == 0 {
                    control.check()?;
                }
                *one = pixel(x, y);
            }
            let rows = done.fetch_add(1, Ordering::Relaxed) + 1;
            show(rows as f32 / self.height as f32);
            Ok(())
        })?;
        Ok(all)
    }

    /// What is seen at a place of the picture.
    fn look(&self, tracers: &[Tracer; 2], x: f64, y: f64) -> (Light, EvaluationCounts) {
        let direction = self.camera.direction(x, y, self.width, self.height);
        let pixel_ray = self.pixel_ray(x, y);
        let mut asked = EvaluationCounts::default();
        let ground = tracers[0].trace(&pixel_ray.ray);
        asked = asked.plus(EvaluationCounts { heights: u64::from(ground.heights), bounds: u64::from(ground.bounds) });
        let (mut nearest, mut is_sea) = (f64::INFINITY, false);
        let mut light = self.shade.sky(direction);
        if let Some(t) = ground.distance {
            nearest = t;
            let detail = tracers[0].detail(t);
            let p = pixel_ray.ray.point(t);
            let is_cut = t == ground.entry && t > 0.0 && {
                let above = p[2] - tracers[0].height([p[0], p[1]], &detail);
                above < -0.002 * self.subject.program.relief
            };
            light = if is_cut {
                self.shade.cut(p)
            } else {
                self.shade.ground(&tracers[0], [p[0], p[1]], &detail, &mut asked)
            };
        }
        if self.subject.program.has(MaterialLayer::Water)
            && let Some((t, more)) = self.water(&tracers[1], &pixel_ray, nearest)
        {
            asked = asked.plus(more);
            nearest = t;
            let p = pixel_ray.ray.point(t);
            // water of the construction that stands as high as the sea is the sea
            is_sea = (p[2] - self.shade.sea()).abs() < SAME_LEVEL * self.subject.program.relief;
            light = self.shade.water(&tracers[0], p, direction, is_sea, &tracers[0].detail(t), &mut asked);
        }
        if !is_sea && let Some(t) = self.sea(&tracers[0], &pixel_ray.ray, nearest) {
            nearest = t;
            let p = pixel_ray.ray.point(t);
            light = self.shade.water(&tracers[0], p, direction, true, &tracers[0].detail(t), &mut asked);
        }
        if nearest.is_finite() {
            light = self.shade.through_air(light, direction, nearest / pixel_ray.per_metre);
        }
        (light, asked)
    }

    /// Where the ray meets the water of the construction before `nearest`.
    fn water(&self, tracer: &Tracer, pixel_ray: &PixelRay, nearest: f64) -> Option<(f64, EvaluationCounts)> {
        let mut asked = EvaluationCounts::default();
        let mut from = 0.0;
        // beside its shores the water's surface falls below the ground: what is met there is none
        for _ in 0..8 {
            let trace = tracer.trace_from(&pixel_ray.ray, from, 0.0);
            asked = asked.plus(EvaluationCounts { heights: u64::from(trace.heights), bounds: u64::from(trace.bounds) });
            let t = trace.distance.filter(|&t| t < nearest)?;
            let p = pixel_ray.ray.point(t);
            if self.shade.is_wet([p[0], p[1]], &tracer.detail(t)) {
                return Some((t, asked));
            }
            from = t + 0.01 * self.subject.program.side;
        }
        None
    }

    /// Where the ray meets the sea before `nearest`.
    fn sea(&self, tracer: &Tracer, ray: &TraceRay, nearest: f64) -> Option<f64> {
        let level = self.shade.sea();
        if ray.direction[2] >= 0.0 || ray.origin[2] <= level {
            return None;
        }
        let t = (level - ray.origin[2]) / ray.direction[2];
        let p = ray.point(t);
        let side = self.subject.program.side;
        let inside = (0.0..=side).contains(&p[0]) && (0.0..=side).contains(&p[1]);
        if t >= nearest {
            return None;
        }
        // the block of ground hides what is below it
        let is_open = if inside { self.shade.is_below_sea(tracer, [p[0], p[1]], t) } else { self.shade.is_island() };
        is_open.then_some(t)
    }
}
