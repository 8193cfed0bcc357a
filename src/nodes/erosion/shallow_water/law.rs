//! The constants of the shallow-water equations, in grid units: cells, iterations, fractions of the relief.

use super::{Border, ShallowWater};
use crate::Context;
use talweg_ground::field::{Edges, Grid};

/// Weight of orthogonal pipes; `DIAGONAL` is the weight of diagonal pipes. STRAIGHT + 2·DIAGONAL = 1, as the flow on a
/// plane requires. Of all pairs with this sum, (2/3, 1/6) makes the wave Laplacian isotropic to fourth order. But with
/// (2/3, 1/6) flow spreads sideways less along rows than along diagonals, and on rough cones a fifth more gullies grew
/// along rows. The weights here were chosen by measuring the number of gullies in each direction.
pub const STRAIGHT: f32 = 0.5;
pub const DIAGONAL: f32 = 0.25;
/// Fraction by which a flux approaches each of its two neighbouring fluxes in an iteration: θ = 0.9 of de Almeida et
/// al. 2012.
pub const VISCOSITY: f32 = 0.05;
/// Courant number: the distance in cells that a wave travels in an iteration where the virtual pipes are at their full
/// depth.
pub const COURANT: f32 = 0.5;
/// Maximum distance in cells that water travels in an iteration.
pub const FASTEST: f32 = 0.5;
/// Maximum change of the bed height in an iteration, as a fraction of the height difference to the lowest or highest
/// neighbour.
const BED_STEP: f32 = 0.2;
/// Fraction of the height difference above the stable slope that slips in an iteration; 3/16 would overshoot.
const SLIP: f32 = 0.125;
/// Discharge per unit of width that undercuts the banks fully, as metres of water depth per cell and iteration. In this
/// unit the effect is the same on any grid.
const WASHING_METRES: f32 = 0.1;
/// Number of intervals per side of the grid for which the rates are defined.
const NOMINAL_INTERVALS: f32 = 512.0;

/// A number far below all relevant depths and fluxes; it prevents division by 0.
pub const TINY: f32 = 1e-20;

#[derive(Clone, Copy)]
pub struct ShallowWaterLaw {
    pub grid: Grid,
    pub walls: bool,
    /// Maximum depth D of a pipe.
    pub full: f32,
    /// C²/D: increase of the flux per unit of pipe depth and level difference, with C the [`COURANT`] number and D the
    /// maximum depth of a pipe.
    pub push: f32,
    /// 4·friction·cell: the factor of |q|/d² in the friction equation, with q the flux and d the water depth.
    pub drag: f32,
    pub per_cell: f32,
    pub capacity: f32,
    pub min_tilt: f32,
    pub per_shallow: f32,
    pub dissolving: f32,
    pub deposition: f32,
    pub softening: f32,
    pub bed_step: f32,
    /// Change of the bed height that is always allowed: a thousandth of the cell size.
    pub bed_least: f32,
    pub rest_straight: f32,
    pub rest_diagonal: f32,
    /// Reduction of the stable rise over one cell next to running water. It is the rise at the talus slope minus the
    /// rise at the bank slope.
    pub undercut_straight: f32,
    pub undercut_diagonal: f32,
    /// Factor from the sum of inflow and outflow to the wash; at a wash of 1 the banks are undercut fully.
    pub per_washing: f32,
    pub slip_straight: f32,
    pub slip_diagonal: f32,
    /// Fraction of the water that remains after the evaporation of an iteration.
    pub kept: f32,
}

impl ShallowWaterLaw {
    pub fn new(of: &ShallowWater, cx: &Context) -> Self {
        let per_metre = 1.0 / cx.relief_metres;
        let cell = cx.cell_metres() * per_metre;
        let time = time(cx);
        let rest = cx.rise_per_cell(of.talus_angle);
        let undercut = rest - cx.rise_per_cell(of.bank_angle);
        let undercut = if undercut > 0.0 { undercut } else { 0.0 };
        let full = of.pipe_depth * per_metre;
        // computed implicitly, so that the result stays below 1 for any rate and time
        let share = |rate: f32| rate * time / (1.0 + rate * time);
        let shallow = of.shallow_depth * per_metre;
        Self {
            grid: cx.grid,
            walls: of.border == Border::Walls,
            full,
            push: COURANT * COURANT / full,
            drag: 4.0 * of.friction * cell,
            per_cell: 1.0 / cell,
            capacity: of.sediment_capacity,
            min_tilt: libm::sinf(of.min_tilt_angle * (std::f32::consts::PI / 180.0)),
            per_shallow: 1.0 / if shallow > TINY { shallow } else { TINY },
            dissolving: share(of.dissolving),
            deposition: share(of.deposition),
            softening: of.softening,
            bed_step: BED_STEP,
            bed_least: 1e-3 * cell,
            rest_straight: rest,
            rest_diagonal: rest * std::f32::consts::SQRT_2,
            undercut_straight: undercut,
            undercut_diagonal: undercut * std::f32::consts::SQRT_2,
            per_washing: if undercut > 0.0 { 0.5 / (WASHING_METRES * per_metre) } else { 0.0 },
            slip_straight: SLIP * STRAIGHT,
            slip_diagonal: SLIP * DIAGONAL,
            kept: 1.0 / (1.0 + of.evaporation * time),
        }
    }

    /// Whether water leaves over the edges of the terrain.
    pub fn leaks(&self) -> bool {
        self.grid.edges == Edges::Open && !self.walls
    }
}

/// Duration of an iteration on this grid, relative to an iteration at 513 samples.
pub fn time(cx: &Context) -> f32 {
    NOMINAL_INTERVALS / (cx.grid.whole_samples() - 1) as f32
}
