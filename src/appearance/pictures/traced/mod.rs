//! Perspective pictures of a construction by sphere tracing, directly from the construction tree and without a grid.
//!
//! Every pixel is a ray. The ray hits the terrain, the water of the construction, the sea, the cut side of the square,
//! or the sky. Light, colours and water are computed as in the relief image. Sky and haze are added. Noise octaves
//! whose wavelength is too short for a pixel at its distance are skipped. A pixel that differs from its neighbours is
//! traced at four more positions. Each pixel is computed by itself with + - × ÷ sqrt and `libm`, so any number of
//! threads gives the same bits.

pub mod camera;
pub mod evaluations;
mod shade;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use camera::Camera;

use super::image::RgbImage;
use super::relief::shoulder;
use crate::appearance::PaletteTable;
use crate::appearance::colours::srgb::{Light, encode};
use crate::construction::geometry::plane::{Area, higher};
use crate::construction::trace::{Bound, PacketTracer, Trace, TraceRay, TracedSurface, Tracer};
use crate::construction::{MaterialLayer, NodeSelection, Program};
use crate::field::vector::dot;
use crate::field::{Cancelled, Control};
use crate::scene::Settings;
use shade::{GroundPoint, SHADED, Shade};

/// The construction to draw, and the settings of the picture.
#[derive(Clone, Copy)]
pub struct TracedScene<'a> {
    /// The compiled construction tree.
    pub program: &'a Program,
    /// Scene settings, including the sea, the sun and the scale.
    pub settings: &'a Settings,
    /// Colours by height and slope.
    pub palette: &'a PaletteTable,
    /// Level of detail κ of the construction layer.
    pub level: f64,
    /// Distance from the eye in metres at which κ is halved; `None` keeps κ the same everywhere.
    pub half_distance: Option<f64>,
    /// The Lipschitz bound that the rays use.
    pub bound: Bound,
}

/// Number of evaluations of the construction tree, summed over pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvaluationCounts {
    /// Number of evaluations of the height at a point.
    pub heights: u64,
    /// Number of evaluations of a height bound over a capsule around a part of the ray.
    pub bounds: u64,
}

impl EvaluationCounts {
    /// The sum of both counts.
    pub fn all(&self) -> u64 {
        self.heights + self.bounds
    }

    fn from_trace(trace: &Trace) -> Self {
        Self { heights: u64::from(trace.heights), bounds: u64::from(trace.bounds) }
    }

    fn plus(self, other: Self) -> Self {
        Self { heights: self.heights + other.heights, bounds: self.bounds + other.bounds }
    }
}

/// Two water levels count as equal if their difference is below this fraction of the relief.
const SAME_LEVEL: f64 = 1e-3;
/// Minimum difference between two neighbouring pixels, in linear light, at which a pixel is supersampled.
const CONTRAST: f32 = 0.06;
/// Positions traced in a supersampled pixel, relative to its centre: the corners of a rotated square.
const CLOSER: [(f64, f64); 4] = [(-0.125, -0.375), (0.375, -0.125), (0.125, 0.375), (-0.375, 0.125)];

/// Number of pixels traced together, horizontally and vertically.
const TILE: [usize; 2] = [64, 16];
/// Number of pixels side by side for which the pieces of the construction near their points are selected together.
const NEAR: usize = 16;
/// Height above the terrain, as a fraction of the side, that counts as a hit where rays use a table of bounds: 4 cm in
/// 8 km.
const TABLE_TOLERANCE: f64 = 5e-6;
/// Growth of this height with the distance, as a fraction of a pixel's width there.
const TABLE_PIXEL: f64 = 0.02;

/// Tracers of the surfaces that rays can hit.
struct SceneTracers<'a> {
    ground: PacketTracer<'a>,
    water: Option<PacketTracer<'a>>,
}

/// The surface that a ray hits.
enum SeenSurface {
    Sky,
    Cut([f64; 3]),
    Ground(GroundPoint),
    Water { p: [f64; 3], bed: f64, is_sea: bool },
}

/// A ray of the picture in the construction's coordinates, with the conversion to distances in the scene.
struct PixelRay {
    ray: TraceRay,
    /// Factor that converts distances along the ray in the scene to distances in the construction.
    per_metre: f64,
}

/// A scene to draw by ray tracing, seen by a camera.
pub struct TracedView<'a> {
    subject: TracedScene<'a>,
    camera: &'a Camera,
    width: usize,
    height: usize,
    /// Factors that convert distances in the scene to distances in the construction, horizontally and vertically.
    per_metre: [f64; 2],
    /// Width of a pixel on a plane at distance 1.
    pixel: f64,
    shade: Shade<'a>,
}

impl<'a> TracedView<'a> {
    /// Creates the view of `camera` with `width` × `height` pixels.
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
        let per_metre = dot(scaled, scaled).sqrt();
        let ray = TraceRay { origin: [eye[0] * k, eye[1] * k, eye[2] * up], direction: scaled.map(|c| c / per_metre) };
        PixelRay { ray, per_metre }
    }

    /// A tracer for rays from the camera, with the resolution of a pixel.
    fn tracer(&self, of: TracedSurface) -> PacketTracer<'a> {
        let mut tracer = Tracer::for_surface(self.subject.program, of);
        tracer.bound = self.subject.bound;
        tracer.level = self.subject.level;
        let [k, up] = self.per_metre;
        tracer.half_distance = self.subject.half_distance.map(|metres| metres * k);
        // At a grazing angle a pixel covers more terrain than its width. The tracer's resolution is half the width of
        // that terrain: this keeps more detail, although the detail can flicker.
        tracer.spread = 0.5 * self.pixel * k / higher(k, up);
        tracer.tolerance = match tracer.bound {
            Bound::Table => {
                (TABLE_TOLERANCE * self.subject.program.side, TABLE_PIXEL * self.pixel * up / higher(k, up))
            }
            _ => (1e-7 * self.subject.program.side, 0.25 * self.pixel * up / higher(k, up)),
        };
        let eye = self.camera.eye;
        PacketTracer::new(tracer, [eye[0] * k, eye[1] * k, eye[2] * up])
    }

    /// Draws the picture and reports the finished fraction to `show`.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn draw(
        &self,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
    ) -> Result<(RgbImage, EvaluationCounts), Cancelled> {
        let (width, height) = (self.width, self.height);
        let water = self.subject.program.has(MaterialLayer::Water).then(|| self.tracer(TracedSurface::Water));
        let tracers = SceneTracers { ground: self.tracer(TracedSurface::Ground), water };
        let middle = |&(x, y): &(usize, usize)| (x as f64 + 0.5, y as f64 + 0.5);
        let first = self.tiles(control, &|share| show(0.7 * share), |pixels| {
            self.trace_colours(&tracers, &pixels.iter().map(middle).collect::<Vec<_>>())
        })?;
        let at = |x: usize, y: usize| first[y * width + x].0;
        let stands_out = |x: usize, y: usize| {
            let here = at(x, y);
            let around = [(x.saturating_sub(1), y), (x + 1, y), (x, y.saturating_sub(1)), (x, y + 1)];
            around.into_iter().filter(|&(x, y)| x < width && y < height).any(|(x, y)| {
                let there = at(x, y);
                (0..3).any(|k| (here[k] - there[k]).abs() > CONTRAST)
            })
        };
        let all = self.tiles(control, &|share| show(0.7 + 0.3 * share), |pixels| {
            let places: Vec<(f64, f64)> = pixels
                .iter()
                .filter(|&&(x, y)| stands_out(x, y))
                .flat_map(|pixel| CLOSER.map(|(dx, dy)| (middle(pixel).0 + dx, middle(pixel).1 + dy)))
                .collect();
            let closer = self.trace_colours(&tracers, &places);
            let mut closer = closer.chunks_exact(CLOSER.len());
            pixels
                .iter()
                .map(|&(x, y)| {
                    let mut pixel = first[y * width + x];
                    if stands_out(x, y) {
                        for (more, by) in closer.next().expect("one result for each supersampled pixel") {
                            pixel = (std::array::from_fn(|k| pixel.0[k] + more[k]), pixel.1.plus(*by));
                        }
                        pixel.0 = pixel.0.map(|c| c * 0.2);
                    }
                    pixel
                })
                .collect()
        })?;
        let before =
            tracers.ground.table_evaluations() + tracers.water.as_ref().map_or(0, PacketTracer::table_evaluations);
        let of_tables = EvaluationCounts { heights: before, bounds: 0 };
        let asked = all.iter().fold(of_tables, |sum, pixel| sum.plus(pixel.1));
        let image = RgbImage::from_fn(width, height, |x, y| encode(all[y * width + x].0.map(shoulder)));
        Ok((image, asked))
    }

    /// Returns the number of evaluations of the construction tree by the first ray of each pixel. The second result is
    /// the number of evaluations needed beforehand to build the table of bounds.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn evaluations(
        &self,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
    ) -> Result<(Vec<EvaluationCounts>, u64), Cancelled> {
        let tracer = self.tracer(TracedSurface::Ground);
        let pixels = self.tiles(control, show, |pixels| {
            let ray = |&(x, y): &(usize, usize)| (self.pixel_ray(x as f64 + 0.5, y as f64 + 0.5).ray, 0.0, 0.0);
            tracer
                .trace_rays(&pixels.iter().map(ray).collect::<Vec<_>>())
                .iter()
                .map(EvaluationCounts::from_trace)
                .collect()
        })?;
        Ok((pixels, tracer.table_evaluations()))
    }

    /// Computes all pixels, one tile at a time.
    fn tiles<T: Send + Clone + Default>(
        &self,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
        of_pixels: impl Fn(&[(usize, usize)]) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, Cancelled> {
        let mut all = vec![T::default(); self.width * self.height];
        let done = AtomicUsize::new(0);
        all.par_chunks_mut(self.width * TILE[1]).enumerate().try_for_each(|(band, rows)| {
            let count = rows.len() / self.width;
            for left in (0..self.width).step_by(TILE[0]) {
                control.check()?;
                let right = (left + TILE[0]).min(self.width);
                let pixels: Vec<(usize, usize)> =
                    (0..count).flat_map(|y| (left..right).map(move |x| (x, band * TILE[1] + y))).collect();
                for (&(x, y), value) in pixels.iter().zip(of_pixels(&pixels)) {
                    rows[(y - band * TILE[1]) * self.width + x] = value;
                }
            }
            let rows = done.fetch_add(count, Ordering::Relaxed) + count;
            show(rows as f32 / self.height as f32);
            Ok(())
        })?;
        Ok(all)
    }

    /// The colours seen at positions of the picture.
    fn trace_colours(&self, tracers: &SceneTracers, places: &[(f64, f64)]) -> Vec<(Light, EvaluationCounts)> {
        let shade = &self.shade;
        let rays: Vec<PixelRay> = places.iter().map(|&(x, y)| self.pixel_ray(x, y)).collect();
        let from_eye = |pixel: &PixelRay| (pixel.ray, 0.0, 0.0);
        let ground = tracers.ground.trace_rays(&rays.iter().map(from_eye).collect::<Vec<_>>());
        let mut asked: Vec<EvaluationCounts> = ground.iter().map(EvaluationCounts::from_trace).collect();
        let mut nearest: Vec<f64> = ground.iter().map(|trace| trace.distance.unwrap_or(f64::INFINITY)).collect();
        let water = self.water(tracers, &rays, &nearest, &mut asked);
        let single = tracers.ground.tracer();
        let mut seen = Vec::with_capacity(rays.len());
        let mut near = NodeSelection::default();
        for (k, pixel) in rays.iter().enumerate() {
            if k % NEAR == 0 {
                near = self.selection_near(&rays[k..], &nearest[k..]);
            }
            let mut of_water = None;
            if let Some(t) = water[k] {
                let p = pixel.ray.point(t);
                nearest[k] = t;
                // Water of the construction at sea level counts as the sea.
                let is_sea = (p[2] - shade.sea()).abs() < SAME_LEVEL * self.subject.program.relief;
                of_water = Some((p, is_sea));
            }
            if of_water.is_none_or(|(_, is_sea)| !is_sea)
                && let Some(t) = self.sea(single, &pixel.ray, nearest[k])
            {
                nearest[k] = t;
                of_water = Some((pixel.ray.point(t), true));
            }
            let detail = tracers.ground.detail(nearest[k]);
            let p = pixel.ray.point(nearest[k]);
            seen.push(if let Some((p, is_sea)) = of_water {
                asked[k].heights += 1;
                SeenSurface::Water { p, bed: shade.bed(single, p, &detail), is_sea }
            } else if nearest[k].is_infinite() {
                SeenSurface::Sky
            } else if nearest[k] == ground[k].entry
                && nearest[k] > 0.0
                && p[2] - single.height([p[0], p[1]], &detail) < -0.002 * self.subject.program.relief
            {
                SeenSurface::Cut(p)
            } else {
                asked[k].heights += 1;
                SeenSurface::Ground(shade.ground(&near, [p[0], p[1]], detail))
            });
        }
        let lit = self.sunlit(tracers, &seen, &nearest, &mut asked);
        let sky = self.skylight(tracers, &seen, &mut asked);
        let light = |k: usize| {
            let direction = self.camera.direction(places[k].0, places[k].1, self.width, self.height);
            let light = match &seen[k] {
                SeenSurface::Sky => return shade.sky(direction),
                SeenSurface::Cut(p) => shade.cut(*p),
                SeenSurface::Ground(ground) => shade.lit_ground(ground, lit[k], sky[k]),
                SeenSurface::Water { p, bed, is_sea } => {
                    let detail = tracers.ground.detail(nearest[k]);
                    shade.water(*p, (*bed, detail), direction, *is_sea, lit[k])
                }
            };
            shade.through_air(light, direction, nearest[k] / rays[k].per_metre)
        };
        (0..rays.len()).map(|k| (light(k), asked[k])).collect()
    }

    /// The pieces of the construction at the ends of the first [`NEAR`] rays.
    fn selection_near(&self, rays: &[PixelRay], nearest: &[f64]) -> NodeSelection {
        let program = self.subject.program;
        let hits = rays.iter().zip(nearest).take(NEAR).filter(|(_, t)| t.is_finite());
        let area = Area::enclosing(hits.map(|(pixel, &t)| pixel.ray.point(t)).map(|[x, y, _]| [x, y]));
        program.selection(&area.grown(1e-9 * program.side))
    }

    /// Fraction of the sunlight that reaches the visible surfaces.
    fn sunlit(
        &self,
        tracers: &SceneTracers,
        seen: &[SeenSurface],
        nearest: &[f64],
        asked: &mut [EvaluationCounts],
    ) -> Vec<f32> {
        let mut lit = vec![SHADED; seen.len()];
        let (mut of, mut rays) = (Vec::new(), Vec::new());
        for (k, seen) in seen.iter().enumerate() {
            let (ray, detail, ground) = match seen {
                SeenSurface::Ground(ground) => {
                    (self.shade.sun_ray(ground.place, ground.slope), ground.detail, ground.place[2])
                }
                SeenSurface::Water { p, bed, .. } => {
                    (self.shade.sun_ray(*p, [0.0; 2]), tracers.ground.detail(nearest[k]), *bed)
                }
                SeenSurface::Sky | SeenSurface::Cut(_) => continue,
            };
            if let Some(ray) = ray {
                of.push(k);
                rays.push((ray, detail.spacing, ground));
            }
        }
        for (k, trace) in of.into_iter().zip(tracers.ground.trace_from_ground(&rays)) {
            asked[k] = asked[k].plus(EvaluationCounts::from_trace(&trace));
            lit[k] = if trace.distance.is_some_and(|t| t > 0.0) { SHADED } else { 1.0 };
        }
        lit
    }

    /// Fraction of the sky light that reaches the visible terrain.
    fn skylight(&self, tracers: &SceneTracers, seen: &[SeenSurface], asked: &mut [EvaluationCounts]) -> Vec<f32> {
        let visible_sky = |(seen, asked): (&SeenSurface, &mut EvaluationCounts)| {
            let SeenSurface::Ground(ground) = seen else { return 1.0 };
            let (around, evaluations) = tracers.ground.coarse_heights(&self.shade.sky_places(ground));
            asked.heights += evaluations;
            self.shade.skylight(ground, &around)
        };
        seen.iter().zip(asked).map(visible_sky).collect()
    }

    /// Distances along the rays at which they hit the water of the construction; hits beyond `nearest` do not count.
    fn water(
        &self,
        tracers: &SceneTracers,
        rays: &[PixelRay],
        nearest: &[f64],
        asked: &mut [EvaluationCounts],
    ) -> Vec<Option<f64>> {
        let mut met = vec![None; rays.len()];
        let Some(water) = &tracers.water else { return met };
        let mut going: Vec<(usize, f64)> = (0..rays.len()).map(|k| (k, 0.0)).collect();
        // Near its shores the water surface is below the terrain. A ray that hits the water surface at such a position
        // has not hit visible water, so the search continues behind it.
        for _ in 0..8 {
            let traces = water.trace_rays(&going.iter().map(|&(k, from)| (rays[k].ray, from, 0.0)).collect::<Vec<_>>());
            let mut left = Vec::new();
            for ((k, _), trace) in going.into_iter().zip(traces) {
                asked[k] = asked[k].plus(EvaluationCounts::from_trace(&trace));
                let Some(t) = trace.distance.filter(|&t| t < nearest[k]) else { continue };
                let p = rays[k].ray.point(t);
                if self.shade.is_wet([p[0], p[1]], &water.detail(t)) {
                    met[k] = Some(t);
                } else {
                    left.push((k, t + 0.01 * self.subject.program.side));
                }
            }
            going = left;
        }
        met
    }

    /// Distance along the ray at which it hits the sea; `None` if the hit is beyond `nearest`.
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
        // The block of terrain hides the sea below it.
        let is_open = if inside { self.shade.is_below_sea(tracer, [p[0], p[1]], t) } else { self.shade.is_island() };
        is_open.then_some(t)
    }
}
