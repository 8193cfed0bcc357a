//! One step of stream power on a bed whose water is routed: uplift, wear, settling, creep, and the account of it.
//!
//! Wear: with x the fall to the new height where the way down meets the far side of its facet and y the fall before, x + c·x^n = y, where
//! c = Δt·K·A^m·softness / (distance)^n. For n = 1, 2 and ½ it has a closed form. For any other n the root comes from a
//! table ([`PowerRoot`]).

use rayon::prelude::*;

use super::power_root::{PowerRoot, exp2, log2};
use super::rock::Rock;
use super::stream_power::{SLIDE_YEARS, StreamPower};
use super::uplift::Uplift;
use crate::field::Cancelled;
use crate::hydrology::{Basins, Cells, Spread};
use crate::nodes::Context;
use crate::nodes::filters::gauss;

/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 15;
/// A coefficient that wears everything there is to wear.
pub(super) const MOST: f64 = 1.0e30;
/// Share of a lake's depth that can be filled in one step; what is filled at once would be level to the bit.
pub(super) const FILL: f32 = 0.5;
/// Largest Courant number of explicit creep.
pub(super) const COURANT: f64 = 0.25;

/// The law in heights and cells.
pub struct Forces {
    /// Greatest uplift of a step.
    pub uplift: f32,
    settles: bool,
    m: f64,
    n: f64,
    /// For an n without a closed form.
    root: Option<PowerRoot>,
    /// c of one cell area (in cells) on one cell of distance.
    wear: f64,
    /// Source area in cells.
    source: f64,
    /// Fall over one cell at the talus angle.
    pub(super) talus: f32,
    /// Share of what is too steep that comes down.
    pub(super) slide: f32,
    /// Creep's D·Δt in m², and per square cell.
    pub(super) creep_metres: f64,
    pub(super) creep: f64,
}

impl Forces {
    /// The law on cells with sides of `cell` metres.
    pub fn new(law: &StreamPower, cx: &Context, cell: f64) -> Self {
        let relief = f64::from(cx.relief_metres);
        let (dt, m, n) = (f64::from(law.time_step), f64::from(law.area_exponent), f64::from(law.slope_exponent));
        let cell_area = cell * cell;
        // metres a step for one cell area on a slope of 1
        let metres = dt * f64::from(law.erodibility) * 1.0e-3 * libm::pow(cell_area / 1.0e6, m);
        let creep_metres = f64::from(law.diffusivity) * dt;
        let talus = if law.talus_angle < 89.9 { cx.rise_over(law.talus_angle, cell as f32) } else { f32::INFINITY };
        Self {
            uplift: (f64::from(law.uplift_rate) * 1.0e-3 * dt / relief) as f32,
            settles: law.deposition > 0.0,
            m,
            n,
            root: (![0.5, 1.0, 2.0].contains(&n)).then(|| PowerRoot::new(n)),
            wear: metres * libm::pow(relief / cell, n) / relief,
            source: f64::from(law.source_area) / cell_area,
            talus,
            slide: (dt / (dt + SLIDE_YEARS)) as f32,
            creep_metres,
            creep: creep_metres / cell_area,
        }
    }

    /// c for an area and a distance in cells.
    #[inline]
    pub(super) fn coefficient(&self, area: f64, distance: f64) -> f64 {
        let wet = area + self.source;
        let strength = if self.m == 0.5 { wet.sqrt() } else { libm::pow(wet, self.m) };
        let along = if self.n == 1.0 { distance } else { exp2(self.n * log2(distance)) };
        self.wear * strength / along
    }

    /// The fall that is left of `fall` after wear of coefficient `c`.
    #[inline]
    pub(super) fn worn(&self, fall: f64, c: f64) -> f64 {
        if let Some(root) = &self.root {
            return root.of(fall, c);
        }
        if self.n == 1.0 {
            return fall / (1.0 + c);
        }
        if self.n == 2.0 {
            return 2.0 * fall / (1.0 + (1.0 + 4.0 * c * fall).sqrt());
        }
        // n = ½; in the root z: z² + c·z = fall
        let z = 2.0 * fall / (c + (c * c + 4.0 * fall).sqrt());
        z * z
    }
}

/// The ground of a step, in cells, and what wears it.
#[derive(Default)]
pub struct Bed {
    pub height: Vec<f32>,
    /// Coefficient of each cell's wear.
    c: Vec<f32>,
    /// Share of what is too steep that comes down in each cell.
    slide: Vec<f32>,
    /// The ground before it is worn, where settling asks for it.
    risen: Vec<f32>,
    /// Rock that comes to each cell.
    flux: Vec<f32>,
    next: Vec<f32>,
}

impl Bed {
    /// Lifts the ground; outlets stay.
    pub fn rise(
        &mut self,
        cx: &Context,
        cells: Cells,
        old: &[f32],
        flow: &Spread,
        forces: &Forces,
        uplift: &Uplift,
    ) -> Result<(), Cancelled> {
        let (side, n) = (cells.side, cx.grid.samples);
        self.height.resize(cells.len(), 0.0);
        self.height.par_chunks_mut(side).enumerate().try_for_each(|(i, row)| {
            cx.control.check()?;
            for (j, h) in row.iter_mut().enumerate() {
                let k = i * side + j;
                let rises = flow.receivers[k][0] as usize != k;
                *h = old[k] + if rises { forces.uplift * uplift.at(i * n + j) } else { 0.0 };
            }
            Ok(())
        })?;
        if forces.settles {
            self.risen.clone_from(&self.height);
        }
        Ok(())
    }

    /// Computes the coefficient of the wear in every cell.
    pub fn prepare(
        &mut self,
        cx: &Context,
        cells: Cells,
        flow: &Spread,
        area: &[f32],
        forces: &Forces,
        rock: &Rock,
    ) -> Result<(), Cancelled> {
        let (side, n) = (cells.side, cx.grid.samples);
        self.c.resize(cells.len(), 0.0);
        self.slide.resize(cells.len(), 0.0);
        let rows = self.c.par_chunks_mut(side).zip(self.slide.par_chunks_mut(side));
        rows.enumerate().try_for_each(|(i, (row, slides))| {
            cx.control.check()?;
            for (j, (c, slide)) in row.iter_mut().zip(slides).enumerate() {
                let k = i * side + j;
                let tangent = f64::from(flow.tangent[k]);
                let distance = (1.0 + tangent * tangent).sqrt();
                let softness = rock.erodibility(i * n + j);
                *c = (forces.coefficient(f64::from(area[k]), distance) * f64::from(softness)).min(MOST) as f32;
                *slide = forces.slide * softness;
            }
            Ok(())
        })
    }

    /// Wears the bed, from the outlets up.
    pub fn wear(&mut self, cx: &Context, flow: &Spread, order: &[u32], forces: &Forces) -> Result<(), Cancelled> {
        for block in order.rchunks(CHECK) {
            cx.control.check()?;
            for &k in block.iter().rev() {
                let k = k as usize;
                let ([first, second], tangent) = (flow.receivers[k], flow.tangent[k]);
                let (one, two) = (self.height[first as usize], self.height[second as usize]);
                // the height where the way down meets the far side of the facet
                let (h, floor) = (self.height[k], one + (two - one) * tangent);
                if h <= floor {
                    continue;
                }
                let fall = f64::from(h) - f64::from(floor);
                let mut left = forces.worn(fall, f64::from(self.c[k])) as f32;
                let stands = forces.talus * (1.0 + tangent * tangent).sqrt();
                if left > stands {
                    left -= (left - stands) * self.slide[k];
                }
                let new = floor + left;
                // what is not worn keeps its bits
                self.height[k] = if new < h && self.slide[k] > 0.0 { new } else { h };
            }
        }
        Ok(())
    }

    /// Lets part of the rock that `wear` took settle downstream, and all that lakes hold.
    pub fn settle(
        &mut self,
        cx: &Context,
        flow: &Spread,
        order: &[u32],
        area: &[f32],
        basins: &Basins,
        deposition: f32,
    ) -> Result<(), Cancelled> {
        let Self { height, risen, flux, .. } = self;
        flux.clear();
        flux.extend(risen.iter().zip(&*height).map(|(before, now)| before - now));
        for block in order.chunks(CHECK) {
            cx.control.check()?;
            for &k in block {
                let k = k as usize;
                let [first, second] = flow.receivers[k].map(|to| to as usize);
                if first == k || flux[k] <= 0.0 {
                    continue;
                }
                let depth = basins.level[basins.of[k] as usize] - height[k];
                let settles = if depth > 0.0 {
                    let room = depth * FILL;
                    if flux[k] < room { flux[k] } else { room }
                } else {
                    flux[k] * (deposition / (area[k] + deposition))
                };
                let new = height[k] + settles;
                // what the rounding of the height kept back goes on
                let on = flux[k] - (new - height[k]);
                let aside = on * flow.tangent[k];
                flux[first] += on - aside;
                flux[second] += aside;
                height[k] = new;
            }
        }
        Ok(())
    }

    /// Lets the soil creep; outlets stay.
    pub fn creep(
        &mut self,
        cx: &Context,
        cells: Cells,
        flow: &Spread,
        forces: &Forces,
        rock: &Rock,
    ) -> Result<(), Cancelled> {
        if forces.creep == 0.0 {
            return Ok(());
        }
        let (side, n) = (cells.side, cx.grid.samples);
        let old = &self.height;
        let smooth = if forces.creep > COURANT {
            let mut field = vec![0.0; cx.grid.len()];
            cells.scatter(old, &mut field);
            Some(gauss::smoothed(cx, &field, (2.0 * forces.creep_metres).sqrt() as f32)?)
        } else {
            None
        };
        let (rate, last) = ((forces.creep / 6.0) as f32, side - 1);
        self.next.resize(cells.len(), 0.0);
        self.next.par_chunks_mut(side).enumerate().try_for_each(|(i, row)| {
            cx.control.check()?;
            let [north, mid, south] = [-1, 0, 1].map(|step| &old[cells.along(i, step).unwrap_or(i) * side..][..side]);
            for (j, new) in row.iter_mut().enumerate() {
                let (k, h) = (i * side + j, mid[j]);
                *new = h;
                if flow.receivers[k][0] as usize == k {
                    continue;
                }
                let change = match &smooth {
                    Some(smooth) => smooth[i * n + j] - h,
                    None => {
                        let (w, e) = if j > 0 && j < last {
                            (j - 1, j + 1)
                        } else {
                            (cells.along(j, -1).unwrap_or(j), cells.along(j, 1).unwrap_or(j))
                        };
                        let straight = (north[j] + south[j]) + (mid[w] + mid[e]);
                        let diagonal = (north[w] + north[e]) + (south[w] + south[e]);
                        rate * (4.0 * (straight - 4.0 * h) + (diagonal - 4.0 * h))
                    }
                };
                *new = h + change * rock.erodibility(i * n + j);
            }
            Ok(())
        })?;
        std::mem::swap(&mut self.height, &mut self.next);
        Ok(())
    }
}
