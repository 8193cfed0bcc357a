//! Ice flow by the shallow-ice equation, with sliding, and the transport of till by the ice.

use rayon::prelude::*;

use super::lines::{Exchange, GridLines, LANES, Lane, LineDirection, holds_any};
use crate::Context;
use talweg_ground::field::topology::EdgeFill;
use talweg_ground::field::topology::{EAST, NORTH, SOUTH, StencilWindow, WEST, around_row};
use talweg_ground::field::{Cancelled, Grid};

/// Density of ice (kg/m³) times gravity (m/s²).
const WEIGHT: f64 = 917.0 * 9.81;
/// Rate factor of temperate ice, A of Glen's law, in 1/(Pa³ s) (Cuffey & Paterson 2010).
const SOFTNESS: f64 = 2.4e-24;
/// Seconds in a year.
const YEAR: f64 = 31_556_926.0;
/// Drag on the bed, in Pa, at which the ice slides at the speed given by the parameter `sliding`.
const SLIDING_DRAG: f64 = 1.0e5;
/// The lagging thickness sets the speed of the ice. In a step it approaches the actual thickness by this fraction. The
/// flux grows with the third power of the slope, but only one of the three factors is computed implicitly. With a
/// fraction of a third, the resulting oscillation stops at once for any step length. The oscillation from the fifth
/// power of the thickness dies out.
pub const LAG_FRACTION: f64 = 1.0 / 3.0;
/// Upper limit of the sliding speed in m/year, equal to the speed of the fastest valley glaciers.
const FASTEST: f64 = 500.0;

/// Parameters of the ice flow on one grid; lengths in metres, times in years.
#[derive(Clone, Copy, Debug)]
pub struct IceFlow {
    /// The constant 2A/5 (ρg)³ of deformation, in 1/(m³ year), with A the rate factor and ρg the weight of ice.
    deformation: f64,
    /// The constant C (ρg)³ of sliding, in 1/(m² year), with C the sliding factor and ρg the weight of ice.
    sliding: f64,
    cell: f64,
    relief: f64,
}

/// Fields that set the speed of the ice. Bed and lagging thickness are fractions of the relief. The slopes of the
/// surface to the east and to the south are tangents.
#[derive(Clone, Copy)]
pub struct FlowFields<'a> {
    pub bed: &'a [f32],
    pub lagged: &'a [f32],
    pub slopes: [&'a [f32]; 2],
}

#[derive(Default)]
struct BlockMemory {
    bed: Vec<Lane>,
    lagged: Vec<Lane>,
    cross: Vec<Lane>,
    ice: Exchange,
    till: Exchange,
}

impl IceFlow {
    /// Returns the flow of ice that is `softness` times as soft as temperate ice and slides at `sliding` m/year under a
    /// drag of 100 kPa.
    pub fn new(cx: &Context, softness: f32, sliding: f32) -> Self {
        let weight = WEIGHT * WEIGHT * WEIGHT;
        Self {
            deformation: f64::from(softness) * 2.0 / 5.0 * SOFTNESS * YEAR * weight,
            sliding: f64::from(sliding) * weight / (SLIDING_DRAG * SLIDING_DRAG * SLIDING_DRAG),
            cell: f64::from(cx.cell_metres()),
            relief: f64::from(cx.relief_metres),
        }
    }

    /// Returns the sliding velocity to the east and to the south, in m/year, of ice with a thickness of `thickness`
    /// metres whose surface has the `slopes`.
    pub fn sliding_velocity(&self, thickness: f64, slopes: [f32; 2]) -> [f64; 2] {
        let [east, south] = slopes.map(f64::from);
        let slope2 = east * east + south * south;
        let drag2 = thickness * thickness * slope2;
        let speed = self.sliding * drag2 * (thickness * slope2.sqrt());
        let factor = self.sliding * drag2 * thickness * if speed > FASTEST { FASTEST / speed } else { 1.0 };
        // the minus sign makes the velocity point downhill
        [-factor * east, -factor * south]
    }

    /// Moves ice (in metres) and till (in any unit) for `years` along the lines of `lines`, and writes the result to
    /// `outs`. Returns the amounts of ice and of till that left over open edges.
    pub fn pass(
        &self,
        cx: &Context,
        lines: &GridLines,
        years: f64,
        fields: FlowFields,
        [ice, till]: [&[f64]; 2],
        outs: &mut [Vec<Lane>; 2],
    ) -> Result<[f64; 2], Cancelled> {
        let cross = fields.slopes[if lines.direction() == LineDirection::EastWest { 1 } else { 0 }];
        let gone = lines.blocks(cx, outs, |memory: &mut BlockMemory, block, [ice_out, till_out]| {
            for buffer in [&mut memory.bed, &mut memory.lagged, &mut memory.cross] {
                buffer.resize(lines.cells, [0.0; LANES]);
            }
            lines.load(block, ice, 1.0, ice_out);
            lines.load(block, till, 1.0, till_out);
            lines.load(block, fields.lagged, self.relief, &mut memory.lagged);
            if !memory.lagged.iter().any(holds_any) {
                return [0.0; 2];
            }
            lines.load(block, fields.bed, self.relief, &mut memory.bed);
            lines.load(block, cross, 1.0, &mut memory.cross);
            self.exchange(lines.wraps, years, memory);
            memory.ice.solve(lines.wraps, ice_out);
            memory.till.solve(lines.wraps, till_out);
            let ends = [0, lines.cells - 1];
            let off = |exchange: &Exchange, held: &[Lane]| {
                let left = |lane: usize| {
                    ends.iter().zip(&exchange.edge_loss).map(|(&k, off)| off[lane] * held[k][lane]).sum::<f64>()
                };
                lines.lanes(block).map(left).sum::<f64>()
            };
            [off(&memory.ice, ice_out), off(&memory.till, till_out)]
        })?;
        Ok(gone.iter().fold([0.0; 2], |sum, gone| [sum[0] + gone[0], sum[1] + gone[1]]))
    }

    /// Computes the exchange between the cells of a block of lines in `years`.
    ///
    /// The flux D (s_l - s_r) / Δx² is the difference of two terms: κ (s_l - b_r) of the higher cell l and κ H_r of the
    /// lower cell r. Here s is the surface, b the bed, H the thickness, D the diffusivity, Δx the cell size and κ = D
    /// Δt / Δx². The new thicknesses are used instead of the old ones, so each cell gives a fraction, 0 or above, of
    /// its new content. D uses the thickness of the higher cell, extrapolated to the face with van Leer's limiter, so
    /// that bare ground gives nothing.
    fn exchange(&self, wraps: bool, years: f64, memory: &mut BlockMemory) {
        let BlockMemory { bed, lagged, cross, ice, till } = memory;
        let cells = bed.len();
        ice.reset(cells);
        till.reset(cells);
        let per_cell = 1.0 / self.cell;
        let share = years * per_cell * per_cell;
        let diffusivity = |thickness: f64, slope2: f64| {
            let square = thickness * thickness;
            slope2 * square * square * (self.deformation * thickness + self.sliding)
        };
        let faces = if wraps { cells } else { cells - 1 };
        for k in 0..faces {
            let next = if k + 1 < cells { k + 1 } else { 0 };
            let before = if k > 0 {
                k - 1
            } else if wraps {
                cells - 1
            } else {
                0
            };
            let after = if next + 1 < cells {
                next + 1
            } else if wraps {
                0
            } else {
                next
            };
            let (b0, b1) = (&bed[k], &bed[next]);
            let (h0, h1, h_before, h_after) = (&lagged[k], &lagged[next], &lagged[before], &lagged[after]);
            // no ice flows between two cells of bare ground
            if !holds_any(h0) && !holds_any(h1) {
                continue;
            }
            let (c0, c1) = (&cross[k], &cross[next]);
            let (on, back) = (&mut ice.onward[k], &mut ice.back[k]);
            let (till_on, till_back) = (&mut till.onward[k], &mut till.back[k]);
            for lane in 0..LANES {
                let (b0, b1, h0, h1) = (b0[lane], b1[lane], h0[lane], h1[lane]);
                let (s0, s1) = (b0 + h0, b1 + h1);
                let onward = s0 > s1;
                let up = if onward { h0 } else { h1 };
                let beyond = if onward { h_before[lane] } else { h_after[lane] };
                let (rise, fall) = (up - beyond, if onward { h1 - h0 } else { h0 - h1 });
                let product = rise * fall;
                let limited = product / (rise + fall);
                let face = up + if product > 0.0 { limited } else { 0.0 };
                let (c0, c1) = (c0[lane] * c0[lane], c1[lane] * c1[lane]);
                let beside = if onward { c0 } else { c1 };
                let least = if h0 < h1 { h0 } else { h1 };
                let beside = if least > 0.0 { 0.5 * (c0 + c1) } else { beside };
                let slope = (s0 - s1) * per_cell;
                let kappa = share * diffusivity(face, slope * slope + beside);
                let ratio = kappa / up;
                let per_up = if up > 0.0 { ratio } else { 0.0 };
                let drop = if onward { s0 - s1 } else { s1 - s0 };
                let gives = per_up * if onward { s0 - b1 } else { s1 - b0 };
                let carries = per_up * drop;
                on[lane] = if onward { gives } else { kappa };
                back[lane] = if onward { kappa } else { gives };
                till_on[lane] = if onward { carries } else { 0.0 };
                till_back[lane] = if onward { 0.0 } else { carries };
            }
        }
        if wraps || cells < 2 {
            return;
        }
        // beyond an open edge the surface continues with the slope just inside the edge
        for (end, (edge, inner)) in [(0, 1), (cells - 1, cells - 2)].into_iter().enumerate() {
            for lane in 0..LANES {
                let h = lagged[edge][lane];
                let drop = bed[inner][lane] + lagged[inner][lane] - bed[edge][lane] - h;
                let slope = drop * per_cell;
                if drop > 0.0 && h > 0.0 {
                    let beside = cross[edge][lane];
                    let rate = share * diffusivity(h, slope * slope + beside * beside) * drop / h;
                    ice.edge_loss[end][lane] = rate;
                    till.edge_loss[end][lane] = rate;
                }
            }
        }
    }

    /// Computes the slopes of the ice surface to the east and to the south, as rise over run. `surface` and `thickness`
    /// are fractions of the relief. Bare rock that rises above the neighbouring ice does not count, because the ice
    /// only leans on it.
    pub fn slopes(
        &self,
        cx: &Context,
        [surface, thickness]: [&[f32]; 2],
        [east, south]: [&mut [f32]; 2],
    ) -> Result<(), Cancelled> {
        let (grid, n) = (cx.grid, cx.grid.samples);
        let per_cell = (self.relief / self.cell) as f32;
        let rows = BAND_ROWS;
        let bands = (east.par_chunks_mut(rows * n), south.par_chunks_mut(rows * n));
        bands.into_par_iter().enumerate().try_for_each(|(band, (east, south))| {
            cx.control.check()?;
            let first = band * rows;
            let mut surfaces = StencilWindow::new(grid, EdgeFill::Value(f32::NAN), surface, first);
            let mut ices = StencilWindow::new(grid, EdgeFill::Value(0.0), thickness, first);
            for (east, south) in east.chunks_mut(n).zip(south.chunks_mut(n)) {
                surfaces.advance(surface);
                ices.advance(thickness);
                let (levels, ice) = (around_row(surfaces.rows()), around_row(ices.rows()));
                let (own, own_ice) = (surfaces.here(), ices.here());
                for j in 0..n {
                    let (s, h) = (own[j], own_ice[j]);
                    let part = |ahead: usize, behind: usize| {
                        let side = |direction: usize| {
                            let d = levels[direction][j] - s;
                            let is_wall = h > 0.0 && ice[direction][j] <= 0.0 && d > 0.0;
                            // NaN marks a neighbour beyond an open edge
                            if is_wall || d.is_nan() { (0.0, 0.0) } else { (d, 1.0f32) }
                        };
                        let ((a, counts), (b, more)) = (side(ahead), side(behind));
                        let sides = counts + more;
                        if sides > 0.0 { (a - b) * per_cell / sides } else { 0.0 }
                    };
                    east[j] = part(EAST, WEST);
                    south[j] = part(SOUTH, NORTH);
                }
            }
            Ok(())
        })
    }

    /// Spreads `field` along the lines of `lines` over a distance of `metres`. If `ice` is given, the distance is
    /// `metres` per metre of ice thickness, and values spread only between ice-covered cells. The sum of the field is
    /// conserved.
    pub fn spread(
        &self,
        cx: &Context,
        lines: &GridLines,
        metres: f64,
        ice: Option<&[f64]>,
        field: &[f64],
        outs: &mut [Vec<Lane>; 1],
    ) -> Result<(), Cancelled> {
        let share = metres * metres / (self.cell * self.cell);
        lines.blocks(cx, outs, |memory: &mut BlockMemory, block, [out]| {
            let BlockMemory { lagged: thickness, ice: exchange, .. } = memory;
            thickness.clear();
            thickness.resize(lines.cells, [1.0; LANES]);
            if let Some(ice) = ice {
                lines.load(block, ice, 1.0, thickness);
            }
            lines.load(block, field, 1.0, out);
            if !out.iter().any(holds_any) {
                return;
            }
            exchange.reset(lines.cells);
            for k in 0..lines.cells {
                let next = if k + 1 < lines.cells { k + 1 } else { 0 };
                let (one, other) = (&thickness[k], &thickness[next]);
                let passed: Lane = std::array::from_fn(|lane| share * one[lane] * other[lane]);
                (exchange.onward[k], exchange.back[k]) = (passed, passed);
            }
            exchange.solve(lines.wraps, out);
        })?;
        Ok(())
    }
}

/// Rows between two checks for cancellation.
pub const BAND_ROWS: usize = 8;

/// Copies a field of blocks back to the grid. On a wrapping terrain it also fills the copies on the last row and
/// column.
pub fn unpack(cx: &Context, lines: &GridLines, blocks: &[Lane], field: &mut [f64]) -> Result<(), Cancelled> {
    let grid: Grid = cx.grid;
    cx.rows(field, |i, row| {
        lines.unload_row(blocks, grid.original(i), row);
        row[grid.samples - 1] = row[grid.original(grid.samples - 1)];
    })
}
