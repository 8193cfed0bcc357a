//! The effect of ice on rock: the ice erodes its bed, the walls next to it collapse, and its till settles.
//!
//! Heights are stored in single precision. The rounding error counts as washed away, so that the mass balance closes.

use rayon::prelude::*;

use super::flow::BAND_ROWS;
use crate::Context;
use crate::erosion::rock::Rock;
use talweg_ground::field::metric::RowMetric;
use talweg_ground::field::topology::{
    EAST, EdgeFill, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, StencilWindow, WEST, around_row,
};
use talweg_ground::field::{Cancelled, Grid, Uniform};

/// Range to which the factor 1 + `floor_radius` · ∇²b is clamped, with b the height of the bed.
const CONSTRICTION: [f64; 2] = [0.6, 1e6];
/// Slope, as rise over run, above which a steeper bed does not erode faster.
const STEEPEST: f64 = 4.0;
/// Fraction of the excess height (above a stable wall) that falls in one iteration of rockfall.
const FALLING: f64 = 0.25;
/// Ice thickness in metres above which the ice carries away rock that falls on it.
const CARRYING_METRES: f64 = 1.0;

/// Parameters of the bed's erosion in one iteration; depths are fractions of the relief.
pub struct BedWear<'a> {
    /// Eroded depth at a sliding speed of 100 m/year.
    pub depth: f64,
    /// Exponent of the sliding speed.
    pub exponent: f64,
    /// Deepest erosion in one iteration, at right angles to the bed: the limit per metre of ice, and the total limit.
    pub deepest: [f64; 2],
    /// Curvature scale of the valley floor, from the radius in cells of a floor that erodes half as fast as a level
    /// floor. The value is this radius times the relief, divided by the cell size.
    pub rounding: f64,
    /// Maximum depth of till deposited in one iteration.
    pub most_laid: f64,
    /// Fraction of the eroded rock that stays in the ice; water washes the rest away.
    pub till_share: f64,
    /// The relief divided by the cell size.
    pub per_cell: f64,
    /// Erodibility of the rock.
    pub rock: &'a Rock,
}

impl BedWear<'_> {
    /// Writes the new bed: eroded by ice that slides at `speed` m/year, and raised by the deposited till `laid`. Eroded
    /// rock is added to `till`. Returns the amount washed away over the distinct samples.
    ///
    /// Ice erodes at right angles to its bed, so that a slope sinks faster than level ground. Only lower neighbours
    /// count (upwind): the walls of a valley retreat, and its floor becomes an arc.
    pub fn wear(
        &self,
        cx: &Context,
        bed: &[f32],
        [ice, speed, laid]: [&[f64]; 3],
        new: &mut [f32],
        till: &mut [f64],
    ) -> Result<f64, Cancelled> {
        let (grid, n) = (cx.grid, cx.grid.samples);
        let worn = |row: usize, beds: [&[f32]; 3], new: &mut [f32], till: &mut [f64]| {
            let (levels, own) = (around_row(beds), &beds[1][1..=n]);
            let first = grid.original(row) * n;
            let mut washed = 0.0;
            for j in 0..n {
                let k = row * n + j;
                let h = own[j];
                let (mut fall, speed) = (0.0, speed[k]);
                if speed > 0.0 {
                    let drop = |one: usize, other: usize| {
                        let (a, b) = (h - levels[one][j], h - levels[other][j]);
                        let most = if a > b { a } else { b };
                        f64::from(if most > 0.0 { most } else { 0.0 }) * self.per_cell
                    };
                    let (east, south) = (drop(EAST, WEST), drop(NORTH, SOUTH));
                    let slope2 = east * east + south * south;
                    let slope2 = if slope2 < STEEPEST * STEEPEST { slope2 } else { STEEPEST * STEEPEST };
                    let around = |direction: usize| f64::from(levels[direction][j] - h);
                    let straight = around(EAST) + around(WEST) + (around(NORTH) + around(SOUTH));
                    let diagonal = around(NORTH_EAST) + around(SOUTH_WEST) + (around(NORTH_WEST) + around(SOUTH_EAST));
                    let constriction = 1.0 + self.rounding * (2.0 / 3.0 * straight + 1.0 / 6.0 * diagonal);
                    let speed = speed / constriction.clamp(CONSTRICTION[0], CONSTRICTION[1]);
                    let power =
                        if self.exponent == 1.0 { 0.01 * speed } else { libm::pow(0.01 * speed, self.exponent) };
                    let depth = self.depth * power * f64::from(self.rock.erodibility(first + grid.original(j)));
                    let depth = depth.min(self.deepest[0] * ice[k]).min(self.deepest[1]);
                    fall = depth * (1.0 + slope2).sqrt();
                }
                let (brought, laid) = (laid[k], laid[k].min(self.most_laid));
                new[j] = if fall == laid { h } else { (f64::from(h) + (laid - fall)) as f32 };
                let kept = self.till_share * fall;
                till[j] += kept;
                if j < grid.distinct_side() {
                    // the loss of the ground, minus the till that the ice picked up, plus the till that the ice
                    // deposited
                    washed += (f64::from(h) - f64::from(new[j])) - (kept - brought);
                }
            }
            washed
        };
        banded(cx, [bed], new, till, |row, [beds], new, till| worn(row, beds, new, till))
    }
}

/// Parameters of the collapse of steep walls.
pub struct Rockfall {
    /// Rise of the steepest stable wall over one cell, as a fraction of the relief.
    pub rise: f32,
    /// Rise of the steepest stable slope of freshly deposited till. `loose_depth` is the depth of till above which the
    /// ground counts as loose.
    pub loose_rise: f32,
    pub loose_depth: f64,
}

impl Rockfall {
    /// Writes the loss of every cell per unit of excess height. The excess height is the height above the steepest
    /// stable wall that starts at a lower neighbour. The value is negative for freshly deposited till.
    pub fn loss_factors(&self, cx: &Context, bed: &[f32], laid: &[f64], shares: &mut [f32]) -> Result<(), Cancelled> {
        let (grid, n) = (cx.grid, cx.grid.samples);
        cx.bands_of(BAND_ROWS, shares, |first, out| {
            let mut beds = StencilWindow::new(grid, EdgeFill::Nearest, bed, first);
            for (row, out) in (first..).zip(out.chunks_mut(n)) {
                beds.advance(bed);
                let laid = &laid[row * n..][..n];
                let (levels, own) = (around_row(beds.rows()), beds.here());
                for (j, out) in out.iter_mut().enumerate() {
                    let (mut sum, mut most) = (0.0f64, 0.0f64);
                    for (direction, level) in levels.iter().enumerate() {
                        let excess = self.excess(direction, own[j] - level[j], laid[j] > self.loose_depth);
                        sum += excess;
                        most = if excess > most { excess } else { most };
                    }
                    let share = if sum > 0.0 { (FALLING * most / sum) as f32 } else { 0.0 };
                    *out = if laid[j] > self.loose_depth { -share } else { share };
                }
            }
        })
    }

    #[inline(always)]
    fn excess(&self, direction: usize, drop: f32, is_loose: bool) -> f64 {
        let rise = if is_loose { self.loose_rise } else { self.rise };
        let excess = f64::from(drop) - f64::from(rise * Uniform.distance(direction, 0));
        if excess > 0.0 { excess } else { 0.0 }
    }

    /// Writes the bed after the rockfall. Rock that falls on ice of `thickness` is added to `till`. Returns the amount
    /// of rock lost by rounding.
    pub fn fall(
        &self,
        cx: &Context,
        [bed, shares]: [&[f32]; 2],
        thickness: &[f64],
        new: &mut [f32],
        till: &mut [f64],
    ) -> Result<f64, Cancelled> {
        let (grid, n) = (cx.grid, cx.grid.samples);
        banded(cx, [bed, shares], new, till, |row, [beds, shares], new, till| {
            let (levels, own) = (around_row(beds), &beds[1][1..=n]);
            let (givers, own_share) = (around_row(shares), &shares[1][1..=n]);
            let mut cut = 0.0;
            for j in 0..n {
                let h = own[j];
                let (mut lost, mut gained) = (0.0, 0.0);
                for direction in 0..8 {
                    let d = h - levels[direction][j];
                    let falls =
                        |share: f32, drop: f32| f64::from(share.abs()) * self.excess(direction, drop, share < 0.0);
                    lost += falls(own_share[j], d);
                    gained += falls(givers[direction][j], -d);
                }
                let on_ice = thickness[row * n + j] > CARRYING_METRES;
                let (kept, change) = if on_ice { (gained, -lost) } else { (0.0, gained - lost) };
                new[j] = if change == 0.0 { h } else { (f64::from(h) + change) as f32 };
                till[j] += kept;
                if j < grid.distinct_side() {
                    cut += (f64::from(h) - f64::from(new[j])) - (lost - gained) - kept;
                }
            }
            cut
        })
    }
}

/// Runs `work` on bands of rows. `work` gets each row of `read` with the neighbouring rows. Returns the sum of the
/// results of `work` over the distinct rows.
fn banded<const FIELDS: usize>(
    cx: &Context,
    read: [&[f32]; FIELDS],
    new: &mut [f32],
    till: &mut [f64],
    work: impl Fn(usize, [[&[f32]; 3]; FIELDS], &mut [f32], &mut [f64]) -> f64 + Sync,
) -> Result<f64, Cancelled> {
    let grid: Grid = cx.grid;
    let n = grid.samples;
    let mut sums = vec![0.0; n];
    let bands = (new.par_chunks_mut(BAND_ROWS * n), till.par_chunks_mut(BAND_ROWS * n), sums.par_chunks_mut(BAND_ROWS));
    bands.into_par_iter().enumerate().try_for_each(|(band, (new, till, sums))| {
        cx.control.check()?;
        let first = band * BAND_ROWS;
        let mut windows = read.map(|field| StencilWindow::new(grid, EdgeFill::Nearest, field, first));
        for (k, ((new, till), sum)) in new.chunks_mut(n).zip(till.chunks_mut(n)).zip(sums).enumerate() {
            windows.iter_mut().zip(read).for_each(|(window, field)| window.advance(field));
            *sum = work(first + k, windows.each_ref().map(StencilWindow::rows), new, till);
        }
        Ok(())
    })?;
    Ok(sums[..grid.distinct_rows()].iter().sum())
}
