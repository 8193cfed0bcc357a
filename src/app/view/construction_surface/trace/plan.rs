//! Plan that decides which rays advance in a frame and how far, so that each frame stays short.
//!
//! An image is computed in levels. Each level has twice as many rays per axis as the previous level, and is computed
//! band by band. In every frame, the rays of a band advance by some evaluations of the construction tree. The band is
//! complete when even the slowest ray must have arrived. The last complete level is drawn; the first level is drawn
//! while still in progress. The work per frame is adapted to the measured frame time.

use std::ops::Range;
use std::time::Instant;

use bevy::math::UVec2;

use super::GROUP;
use crate::view::render::batch::Adapter;
use crate::view::render::mesh::RenderQuality;

/// Number of evaluations after which a ray has arrived or is abandoned, including the evaluations of the surface at its
/// end point. Mirrors `MOST_EVALUATIONS` in `assets/shaders/trace.wgsl`.
const MOST_EVALUATIONS: u32 = 1024 + 8;
/// Rough mean number of evaluations per ray.
const USUAL_EVALUATIONS: u64 = 48;
/// Least and greatest work per frame, as the number of rays times the evaluations per ray.
const LEAST_WORK: u64 = 1 << 17;
const MOST_WORK: u64 = 1 << 32;
/// Smallest number of evaluations per ray in a frame.
const LEAST_EVALUATIONS: u64 = 16;
/// Distance in pixels between neighbouring rays of the coarsest level.
const COARSEST: u32 = 16;
/// Two limits of the frame time in milliseconds. After a shorter frame than the first limit, the next frame does twice
/// the work. After a longer frame than the second limit, it does half the work.
const SHORT_MS: f32 = 20.0;
const LONG_MS: f32 = 45.0;

/// The rays that advance in one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RayPass {
    /// Index of the ray buffer that the pass writes.
    pub level: usize,
    /// Distance in pixels between neighbouring rays.
    pub divisor: u32,
    /// Columns and rows of rays.
    pub size: UVec2,
    pub rows: Range<u32>,
    pub evaluations: u32,
    /// Whether the rays start in this pass. Otherwise the pass continues earlier rays.
    pub begins: bool,
}

/// The progress of an image that is being traced.
pub struct RayPlan {
    adapter: Adapter,
    work: u64,
    last: Option<Instant>,
    size: UVec2,
    finest: u32,
    /// Distance in pixels between neighbouring rays of the level in progress; 0 when the image is complete.
    divisor: u32,
    making: usize,
    has_complete: bool,
    band: Range<u32>,
    spent: u32,
}

impl RayPlan {
    pub fn new(adapter: Adapter) -> Self {
        Self {
            adapter,
            work: LEAST_WORK,
            last: None,
            size: UVec2::ONE,
            finest: 1,
            divisor: 0,
            making: 0,
            has_complete: false,
            band: 0..0,
            spent: 0,
        }
    }

    fn rays(&self, divisor: u32) -> UVec2 {
        self.size.map(|n| n.div_ceil(divisor).max(1))
    }

    /// Starts another image of `size` pixels. A buffer holds at most `most_rays` rays.
    pub fn restart(&mut self, size: UVec2, most_rays: u64) {
        self.size = size;
        let count = |plan: &Self, divisor| u64::from(plan.rays(divisor).element_product());
        let is_still = self.adapter.quality == RenderQuality::Still;
        self.finest = if self.adapter.is_software && !is_still { 4 } else { 1 };
        while count(self, self.finest) > most_rays {
            self.finest *= 2;
        }
        self.divisor = self.finest;
        while !is_still && self.divisor < COARSEST && count(self, self.divisor) * USUAL_EVALUATIONS > self.work {
            self.divisor *= 2;
        }
        (self.making, self.has_complete, self.band, self.spent) = (0, false, 0..0, 0);
    }

    /// The work of the next frame; `None` when the image is complete.
    pub fn next(&mut self) -> Option<RayPass> {
        let now = Instant::now();
        let since = self.last.replace(now).map(|last| 1e3 * now.duration_since(last).as_secs_f32());
        if self.is_done() {
            self.last = None;
            return None;
        }
        match since {
            Some(ms) if ms < SHORT_MS => self.work = (2 * self.work).min(MOST_WORK),
            Some(ms) if ms > LONG_MS => self.work = (self.work / 2).max(LEAST_WORK),
            _ => {}
        }
        let size = self.rays(self.divisor);
        // software renderers abort long loops, so limit the evaluations per frame
        let most = if self.adapter.is_software { 2 * LEAST_EVALUATIONS } else { u64::from(MOST_EVALUATIONS) };
        let is_still = self.adapter.quality == RenderQuality::Still;
        let work = if is_still { MOST_WORK } else { self.work };
        let evaluations = (work / u64::from(size.element_product())).clamp(LEAST_EVALUATIONS, most) as u32;
        let begins = self.spent == 0;
        if begins {
            let rows = (work / u64::from(evaluations * size.x)).min(u64::from(size.y)) as u32;
            let rows = (rows / GROUP * GROUP).max(GROUP);
            self.band = self.band.end..(self.band.end + rows).min(size.y);
        }
        let pass =
            RayPass { level: self.making, divisor: self.divisor, size, rows: self.band.clone(), evaluations, begins };
        self.spent += evaluations;
        if self.spent >= MOST_EVALUATIONS {
            self.spent = 0;
            if self.band.end >= size.y {
                self.has_complete = true;
                self.band = 0..0;
                self.making = 1 - self.making;
                self.divisor = if self.divisor == self.finest { 0 } else { self.divisor / 2 };
            }
        }
        Some(pass)
    }

    /// Index of the ray buffer to draw.
    pub fn shown(&self) -> usize {
        if self.has_complete { 1 - self.making } else { self.making }
    }

    pub fn is_done(&self) -> bool {
        self.divisor == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every ray of every level gets all of its evaluations, however the work is split into frames. The finest level is
    /// the last.
    #[test]
    fn every_ray_gets_all_its_evaluations() {
        let adapters = [
            (RenderQuality::Moving, true),
            (RenderQuality::Moving, false),
            (RenderQuality::Still, true),
            (RenderQuality::Still, false),
        ];
        for (quality, is_software) in adapters {
            let mut plan = RayPlan::new(Adapter { quality, is_software });
            plan.restart(UVec2::new(331, 203), 1 << 20);
            let (mut reached, mut divisor, mut frames) = (vec![0u32; 203], 0, 0);
            while let Some(pass) = plan.next() {
                frames += 1;
                assert!(frames < 20_000, "the plan never ends");
                if pass.divisor != divisor {
                    assert!(divisor == 0 || pass.divisor == divisor / 2);
                    assert!(divisor == 0 || reached.iter().all(|spent| *spent >= MOST_EVALUATIONS));
                    (reached, divisor) = (vec![0; pass.size.y as usize], pass.divisor);
                }
                for row in pass.rows.clone() {
                    assert_eq!(pass.begins, reached[row as usize] == 0);
                    reached[row as usize] += pass.evaluations;
                }
                let work = u64::from(pass.size.x * pass.rows.len() as u32 * pass.evaluations);
                let least = u64::from(GROUP * pass.size.x) * LEAST_EVALUATIONS;
                assert!(quality == RenderQuality::Still || work <= plan.work.max(least) || work <= 2 * LEAST_WORK);
            }
            assert!(reached.iter().all(|spent| *spent >= MOST_EVALUATIONS));
            assert_eq!(divisor, if is_software && quality == RenderQuality::Moving { 4 } else { 1 });
        }
    }

    #[test]
    fn a_plan_has_no_more_rays_than_its_buffer() {
        let mut plan = RayPlan::new(Adapter { quality: RenderQuality::Still, is_software: false });
        plan.restart(UVec2::new(4000, 2000), 1 << 21);
        assert_eq!(plan.next().map(|pass| pass.divisor), Some(2));
    }
}
