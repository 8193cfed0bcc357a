//! One step of stream power on a bed with routed water: uplift, erosion, deposition, creep, and their mass balance.
//!
//! Erosion: the flow direction of a cell meets the far side of its facet at a point. Let x be the new fall from the
//! cell to this point, and y the old fall. Then x + c·x^n = y with the erosion coefficient c = Δt·K·A^m·erodibility /
//! (distance)^n. `stream_power` defines the symbols. For n = 1, 2 and ½ the solution has a closed form. For any other n
//! the root x comes from a table ([`PowerRoot`]).

use rayon::prelude::*;

use super::power_root::{PowerRoot, exp2, log2};
use super::uplift::Uplift;
use super::{SLIDE_YEARS, StreamPower};
use crate::Context;
use crate::erosion::rock::Rock;
use talweg_ground::field::Cancelled;
use talweg_ground::field::metric::Links;
use talweg_ground::field::topology::{EdgeFill, StencilWindow, around_row};
use talweg_ground::hydrology::{Basins, DInfinity, FlowMesh, UpstreamOrder};

/// Maximum erosion coefficient, large enough to erode a fall completely.
const MOST: f64 = 1.0e30;
/// Fraction of a lake's depth that can be filled in one step. A lake filled in one step would be exactly level.
const FILL: f32 = 0.5;
/// Largest Courant number of explicit creep.
const COURANT: f64 = 0.25;

/// The parameters of the stream power equation, with heights as fractions of the relief and lengths in cells.
pub struct StepLaw {
    /// Greatest uplift in a step, as a fraction of the relief.
    pub uplift: f32,
    settles: bool,
    m: f64,
    n: f64,
    /// Table of roots, for a slope exponent n without a closed form.
    root: Option<PowerRoot>,
    /// Erosion coefficient c for a drainage area of one cell and a distance of one cell.
    wear: f64,
    /// Source area in cells.
    source: f64,
    /// Fall over one cell at the talus angle.
    talus: f32,
    /// Fraction of the excess slope that landslides remove in a step.
    slide: f32,
    /// Height below which no land is eroded. On planets it is the sea level.
    base: f32,
    /// Diffusivity of the creep times the time step, D·Δt, in m²; `creep` is the same in cells.
    creep_metres: f64,
    creep: f64,
}

impl StepLaw {
    /// The parameters for cells with a side of `cell` metres.
    pub fn new(law: &StreamPower, cx: &Context, cell: f64) -> Self {
        let relief = f64::from(cx.relief_metres);
        let (dt, m, n) = (f64::from(law.time_step), f64::from(law.area_exponent), f64::from(law.slope_exponent));
        let cell_area = cell * cell;
        // metres eroded per step for a drainage area of one cell on a slope of 1
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
            base: if cx.grid.is_globe() { law.sea_level / cx.relief_metres } else { f32::NEG_INFINITY },
            creep_metres,
            creep: creep_metres / cell_area,
        }
    }

    /// Erosion coefficient c of a cell that drains `area` cells. `fraction` is the point where the cell's flow
    /// direction meets the far side of its facet. `distance` to that point is given only on a globe.
    #[inline(always)]
    pub fn erosion_coefficient(&self, area: f32, fraction: f32, distance: Option<f32>, erodibility: f32) -> f32 {
        let fraction = f64::from(fraction);
        let distance = distance.map_or_else(|| (1.0 + fraction * fraction).sqrt(), f64::from);
        let wet = f64::from(area) + self.source;
        let strength = if self.m == 0.5 { wet.sqrt() } else { libm::pow(wet, self.m) };
        let along = if self.n == 1.0 { distance } else { exp2(self.n * log2(distance)) };
        coefficient(self.wear * strength / along, erodibility)
    }

    /// Computes [`erosion_coefficient`](Self::erosion_coefficient) for the cells of a row of a square. On entry `c`
    /// holds the drainage areas, which the coefficients replace.
    fn write_erosion_coefficients(&self, fractions: &[f32], erodibility: impl Fn(usize) -> f32, c: &mut [f32]) {
        if (self.m, self.n) == (0.5, 1.0) {
            return wear_by_root(self.wear, self.source, fractions, erodibility, c);
        }
        for (j, (c, &fraction)) in c.iter_mut().zip(fractions).enumerate() {
            *c = self.erosion_coefficient(*c, fraction, None, erodibility(j));
        }
    }

    /// Returns the height of a cell after erosion, from the old height `h`, the coefficient `c` and the new heights of
    /// the cell's two receivers.
    #[inline(always)]
    pub fn eroded_height(
        &self,
        h: f32,
        [one, two]: [f32; 2],
        (fraction, distance): (f32, Option<f32>),
        c: f32,
        erodibility: f32,
    ) -> f32 {
        // the height where the flow direction meets the far side of the facet
        let below = one + (two - one) * fraction;
        let floor = if below > self.base { below } else { self.base };
        if h <= floor {
            return h;
        }
        let fall = f64::from(h) - f64::from(floor);
        let mut left = self.remaining_fall(fall, f64::from(c)) as f32;
        // fraction of the excess slope that landslides remove
        let slide = self.slide * erodibility;
        let stands = match distance {
            Some(distance) => self.talus * distance,
            // no distance on a square is shorter than a cell
            None if left <= self.talus => left,
            None => self.talus * (1.0 + fraction * fraction).sqrt(),
        };
        if left > stands {
            left -= (left - stands) * slide;
        }
        let new = floor + left;
        // cells that do not erode keep their bits
        if new < h && slide > 0.0 { new } else { h }
    }

    /// Standard deviation in metres of the Gaussian filter that replaces the creep; `None` if explicit steps compute
    /// the creep.
    pub fn creep_deviation(&self) -> Option<f32> {
        (self.creep > COURANT).then(|| (2.0 * self.creep_metres).sqrt() as f32)
    }

    /// The part of `fall` that remains after erosion with coefficient `c`.
    #[inline(always)]
    fn remaining_fall(&self, fall: f64, c: f64) -> f64 {
        if let Some(root) = &self.root {
            return root.root(fall, c);
        }
        if self.n == 1.0 {
            return fall / (1.0 + c);
        }
        if self.n == 2.0 {
            return 2.0 * fall / (1.0 + (1.0 + 4.0 * c * fall).sqrt());
        }
        // n = ½: z is the square root of the result, the root of z² + c·z = fall
        let z = 2.0 * fall / (c + (c * c + 4.0 * fall).sqrt());
        z * z
    }
}

/// Height below which a cell of height `h` does not erode, if the filled surface there has the height `filled`.
pub(super) fn lake_floor(h: f32, filled: f32) -> f32 {
    if filled > h { h } else { f32::NEG_INFINITY }
}

/// Erosion coefficient c of rock of this erodibility, from the coefficient of the softest rock.
#[inline(always)]
fn coefficient(softest: f64, erodibility: f32) -> f32 {
    (softest * f64::from(erodibility)).min(MOST) as f32
}

/// Computes [`StepLaw::write_erosion_coefficients`] for the area exponent m = ½ and the slope exponent n = 1.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn wear_by_root(wear: f64, source: f64, fractions: &[f32], erodibility: impl Fn(usize) -> f32, c: &mut [f32]) {
    for (j, (c, &fraction)) in c.iter_mut().zip(fractions).enumerate() {
        let fraction = f64::from(fraction);
        let (strength, along) = ((f64::from(*c) + source).sqrt(), (1.0 + fraction * fraction).sqrt());
        *c = coefficient(wear * strength / along, erodibility(j));
    }
}

/// The bed (the terrain that rivers erode) during one time step, and its erosion coefficients.
#[derive(Default)]
pub struct Bed {
    /// Height of each cell.
    pub height: Vec<f32>,
    /// Erosion coefficient of each cell; after the erosion, the height of each cell after the creep.
    c: Vec<f32>,
    /// Height below which each cell does not erode: the old height of a lake floor, because still water does not erode;
    /// negative infinity elsewhere.
    lake_floor: Vec<f32>,
    /// The bed after the uplift and before the erosion, if deposition needs it.
    risen: Vec<f32>,
    /// Rock that reaches each cell, as a volume.
    flux: Vec<f32>,
}

impl Bed {
    /// Raises the bed by the uplift of one time step, from the heights `old`. Outlets keep their height. On entry the
    /// bed holds the filled surface, which is above the lake floors.
    pub fn rise(
        &mut self,
        cx: &Context,
        old: &[f32],
        flow: &DInfinity,
        forces: &StepLaw,
        uplift: &Uplift,
    ) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        self.lake_floor.resize(old.len(), 0.0);
        let rows = self.height.par_chunks_mut(n).zip(self.lake_floor.par_chunks_mut(n));
        rows.enumerate().try_for_each(|(i, (row, floors))| {
            cx.control.check()?;
            for (j, (h, floor)) in row.iter_mut().zip(floors).enumerate() {
                let k = i * n + j;
                *floor = lake_floor(old[k], *h);
                let rises = !flow.receivers.is_end(k);
                *h = old[k] + if rises { forces.uplift * uplift.relative_uplift(k) } else { 0.0 };
            }
            Ok(())
        })?;
        if forces.settles {
            self.risen.clone_from(&self.height);
        }
        Ok(())
    }

    /// Computes the erosion coefficient of every cell from its drainage area. Unless the areas are `kept` for later,
    /// their memory is reused.
    pub fn prepare(
        &mut self,
        cx: &Context,
        flow: &DInfinity,
        (area, kept): (&mut Vec<f32>, bool),
        forces: &StepLaw,
        rock: &Rock,
    ) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        match kept {
            true => self.c.clone_from(area),
            false => std::mem::swap(&mut self.c, area),
        }
        self.c.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
            cx.control.check()?;
            let (first, fractions) = (i * n, &flow.fraction[i * n..][..n]);
            match (flow.distance.get(first..first + n), rock.uniform()) {
                (Some(distances), _) => {
                    for (j, c) in row.iter_mut().enumerate() {
                        *c = forces.erosion_coefficient(
                            *c,
                            fractions[j],
                            Some(distances[j]),
                            rock.erodibility(first + j),
                        );
                    }
                }
                (None, Some(erodibility)) => forces.write_erosion_coefficients(fractions, |_| erodibility, row),
                (None, None) => forces.write_erosion_coefficients(fractions, |j| rock.erodibility(first + j), row),
            }
            // outlets do not erode, so their coefficient is 0
            for j in (0..n).filter(|j| flow.receivers.is_end(first + j)) {
                row[j] = 0.0;
            }
            Ok(())
        })
    }

    /// Erodes the bed, from the outlets upstream.
    pub fn wear(
        &mut self,
        cx: &Context,
        flow: &DInfinity,
        order: &UpstreamOrder,
        forces: &StepLaw,
        rock: &Rock,
    ) -> Result<(), Cancelled> {
        let Self { height, c, lake_floor, .. } = self;
        order.traverse_upstream(&flow.receivers, height, cx.control, |k, h, below| {
            let way = (flow.fraction[k], flow.distance.get(k).copied());
            let new = forces.eroded_height(h, below, way, c[k], rock.erodibility(k));
            if new > lake_floor[k] { new } else { lake_floor[k] }
        })
    }

    /// Frees the memory that only the erosion needs.
    pub fn free_erosion_memory(&mut self) {
        (self.c, self.lake_floor, self.risen, self.flux) = Default::default();
    }

    /// Deposits part of the rock eroded by `wear` downstream. Lakes catch all rock that reaches them, up to `FILL` of
    /// their depth.
    pub fn deposit(
        &mut self,
        cx: &Context,
        (mesh, flow, basins): (&FlowMesh, &DInfinity, &Basins),
        order: &UpstreamOrder,
        area: &[f32],
        deposition: f32,
    ) -> Result<(), Cancelled> {
        let Self { height, risen, flux, .. } = self;
        let areas = mesh.owned_areas();
        let own_area = |k: usize| areas.map_or(1.0, |areas| areas[k]);
        flux.clear();
        flux.extend(risen.iter().zip(&*height).enumerate().map(|(k, (before, now))| (before - now) * own_area(k)));
        order.traverse_downstream(&flow.receivers, flux, height, cx.control, |k, flux, height| {
            if flux <= 0.0 {
                return [0.0; 2];
            }
            let own = own_area(k);
            let depth = basins.spill_level[basins.basin[k] as usize] - *height;
            let settles = if depth > 0.0 {
                let room = depth * FILL;
                if flux < room * own { flux / own } else { room }
            } else {
                flux * (deposition / (area[k] + deposition * own))
            };
            let new = *height + settles;
            // rock that the rounding of the height did not store moves downstream
            let on = flux - (new - *height) * own;
            let aside = on * flow.fraction[k];
            *height = new;
            [on - aside, aside]
        })
    }

    /// Moves soil by creep. On a globe soil moves between neighbours with the given `conductances`. Cells for which
    /// `rests` is true, the outlets, keep their height. The seams of the bed must be closed. `smooth` is the bed
    /// smoothed with the standard deviation of [`creep_deviation`](StepLaw::creep_deviation), if there is one.
    pub fn creep(
        &mut self,
        cx: &Context,
        (mesh, conductances): (&FlowMesh, Option<&Links>),
        smooth: Option<Vec<f32>>,
        rests: impl Fn(usize) -> bool + Sync,
        (forces, rock): (&StepLaw, &Rock),
    ) -> Result<(), Cancelled> {
        if forces.creep == 0.0 {
            return Ok(());
        }
        let (grid, old) = (cx.grid, &self.height);
        let n = grid.samples;
        self.c.resize(grid.len(), 0.0);
        cx.bands(&mut self.c, |first, out| {
            let mut window = StencilWindow::new(grid, EdgeFill::Nearest, old, first);
            for (row, new) in (first..).zip(out.chunks_mut(n)) {
                let here = grid.row(old, row);
                if let Some(smooth) = &smooth {
                    new.iter_mut().zip(grid.row(smooth, row)).zip(here).for_each(|((new, s), h)| *new = s - h);
                } else if let Some((conductances, areas)) = conductances.zip(mesh.owned_areas()) {
                    window.advance(old);
                    new.fill(0.0);
                    for (there, links) in around_row(window.rows()).into_iter().zip(conductances.around_row(row)) {
                        exchange(here, there, links, new);
                    }
                    // samples that copy another face have no area; `close` sets them later
                    let rate = |area: f32| if area > 0.0 { forces.creep as f32 / area } else { 0.0 };
                    new.iter_mut().zip(grid.row(areas, row)).for_each(|(new, &area)| *new *= rate(area));
                } else {
                    window.advance(old);
                    mean_difference(window.rows(), (forces.creep / 6.0) as f32, new);
                }
                for (j, (new, &h)) in new.iter_mut().zip(here).enumerate() {
                    let k = row * n + j;
                    *new = if rests(k) { h } else { h + *new * rock.erodibility(k) };
                }
            }
        })?;
        std::mem::swap(&mut self.height, &mut self.c);
        Ok(())
    }
}

/// Returns loss and gain of a cell whose height changes from `old` to `new` in a step with the uplift `up`.
pub fn loss_and_gain(old: f32, up: f32, new: f32) -> [f64; 2] {
    let fall = f64::from(old) + f64::from(up) - f64::from(new);
    if fall > 0.0 { [fall, 0.0] } else { [0.0, -fall] }
}

/// Writes `rate` times the weighted sum of the height differences from each cell of a row to its eight neighbours, on a
/// square. Orthogonal neighbours have the weight 4, diagonal neighbours the weight 1.
fn mean_difference([north, here, south]: [&[f32]; 3], rate: f32, out: &mut [f32]) {
    let n = out.len();
    let (north, here, south) = (&north[..n + 2], &here[..n + 2], &south[..n + 2]);
    for (j, out) in out.iter_mut().enumerate() {
        let h = here[j + 1];
        let straight = (north[j + 1] + south[j + 1]) + (here[j] + here[j + 2]);
        let diagonal = (north[j] + north[j + 2]) + (south[j] + south[j + 2]);
        *out = rate * (4.0 * (straight - 4.0 * h) + (diagonal - 4.0 * h));
    }
}

/// Adds the flow from the neighbours in one direction to `gained`, for a row of cells on a globe.
fn exchange(here: &[f32], there: &[f32], links: &[f32], gained: &mut [f32]) {
    let n = here.len();
    let (there, links, gained) = (&there[..n], &links[..n], &mut gained[..n]);
    for j in 0..n {
        gained[j] += links[j] * (there[j] - here[j]);
    }
}
