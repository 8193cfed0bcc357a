//! Rain, solubility and deposition of sediment: the common part of the hydraulic erosion processes.

use super::rock::Rock;
use talweg_ground::field::{Grid, MapKind, Terrain};

/// The data maps that the hydraulic erosion processes write.
pub const WRITTEN: [MapKind; 5] = [MapKind::Wear, MapKind::Deposits, MapKind::Film, MapKind::Sediment, MapKind::Flow];

/// Lower limit of the unit in which the flow map measures water.
const LEAST_RAIN: f32 = 1.0e-6;

/// Fraction of the relief by which the terrain may sink into the water before a note warns the user.
const MOST_GROUND_IN_WATER: f64 = 0.1;

/// A note for the user if the water collects so much that the ground sinks by a large part of the relief.
///
/// Each iteration adds `rain`, then the fraction `evaporation` of all water leaves. After n iterations the mean depth
/// is w = rain · Σ (1 - evaporation)ᵏ with k = 1 … n. The water holds up to `capacity` · w of the ground.
pub fn runaway_note(iterations: u32, rain: f32, evaporation: f32, capacity: f32) -> Option<String> {
    let left = f64::from(1.0 - evaporation);
    let sum = match left < 1.0 {
        true => left * (1.0 - libm::pow(left, f64::from(iterations))) / (1.0 - left),
        false => f64::from(iterations),
    };
    let water = f64::from(rain) * sum;
    let ground = f64::from(capacity) * water;
    (ground > MOST_GROUND_IN_WATER).then(|| {
        format!(
            "too little water evaporates: after {iterations} iterations the water is {water:.1} times as deep as the \
             relief and holds ground {ground:.2} times as deep, by which the terrain sinks; raise the evaporation or \
             lower the rain"
        )
    })
}

/// Rain and solubility of every cell.
#[derive(Clone)]
pub struct CellWeather {
    /// Depth of water that falls on a cell in one iteration, if there is no rain map.
    pub rain: f32,
    rain_map: Option<std::sync::Arc<Vec<f32>>>,
    pub solubility: f32,
    pub rock: Rock,
}

impl CellWeather {
    pub fn new(terrain: &Terrain, rain: f32, solubility: f32, hardness: f32) -> Self {
        Self { rain, rain_map: terrain.map(MapKind::Rain).cloned(), solubility, rock: Rock::new(terrain, hardness) }
    }

    /// Depth of water that falls on cell `k` in one iteration.
    #[inline(always)]
    pub fn rain(&self, k: usize) -> f32 {
        match &self.rain_map {
            None => self.rain,
            Some(map) => self.rain * if map[k] > 0.0 { map[k] } else { 0.0 },
        }
    }

    /// Depth of material that a unit of water depth dissolves in cell `k`.
    #[inline(always)]
    pub fn solubility(&self, k: usize) -> f32 {
        self.solubility * self.rock.erodibility(k)
    }

    /// Loads the rain and solubility along row `row` of the grid.
    pub fn row(&self, grid: Grid, row: usize, rain: &mut [f32], solubility: &mut [f32]) {
        let first = grid.original(row) * grid.samples;
        if self.rain_map.is_none() && self.rock.uniform().is_some() {
            rain.fill(self.rain);
            solubility.fill(self.solubility(0));
            return;
        }
        for (j, (rain, solubility)) in rain.iter_mut().zip(solubility).enumerate() {
            let k = first + grid.original(j);
            (*rain, *solubility) = (self.rain(k), self.solubility(k));
        }
    }

    /// Depth of water that the flow map counts as 1: the rain of one iteration.
    pub fn unit_of_flow(&self) -> f32 {
        if self.rain > LEAST_RAIN { self.rain } else { LEAST_RAIN }
    }
}

/// Deposits sediment on a cell of height `h`, whose water has `material` of sediment and can keep `kept` of it. Returns
/// the new height and the sediment that stays in the water.
///
/// Height plus sediment is conserved to the last bit of the sediment: amounts too small for the digits of a height stay
/// in the water.
#[inline(always)]
pub fn lay_down(h: f32, material: f32, kept: f32) -> (f32, f32) {
    // in this order of operations a cell where nothing happens keeps its bits, including the sign of zero
    let laid = h - (kept - material);
    let left = material - (laid - h);
    // if rounding deposited more than the water had, use the next lower height
    let lower = laid - laid.abs() * f32::EPSILON;
    let laid = if left < 0.0 { lower } else { laid };
    (laid, material - (laid - h))
}
