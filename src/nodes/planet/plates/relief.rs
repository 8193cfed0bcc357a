//! Changes of the crust that do not move it: uplift, erosion, subsidence, hot spots.

use rayon::prelude::*;

use super::cells::{NO_CELL, PlateAttitude, SphereCells, Vector};
use super::crust::{CrustCell, CrustLedger, EARTH_KM, NEVER, PlateState, PlateTables};
use super::motion::all_plates;
use super::{Plates, STEP_MA};
use talweg_ground::field::vector::dot;
use talweg_ground::field::{Cancelled, Control, Stream};

/// Height of the highest mountains in km, to which the erosion rate refers.
const HIGHEST_KM: f32 = 10.0;
/// Fraction of the remaining collision uplift that is applied in one step.
const RISING_SHARE: f32 = 0.25;
/// Height of continental shelves in km. `PLAIN_KM` is the height to which continents erode.
const SHELF_KM: f32 = -0.12;
const PLAIN_KM: f32 = 0.25;
/// Fraction by which shelves approach `SHELF_KM` in a step. `PLAIN_SHARE` is the fraction by which plains approach
/// `PLAIN_KM`.
const SHELF_SHARE: f32 = 0.08;
const PLAIN_SHARE: f32 = 0.03;
/// Fraction of the difference from the surrounding mean that smoothing removes from continents in a step.
const EVEN_SHARE: f32 = 0.02;
/// Height in km up to which sediment fills the sea around continents (the continental rise). `RISE_RATE` is the
/// fraction filled per step.
const CONTINENTAL_RISE_KM: f32 = -3.4;
const RISE_RATE: f32 = 0.05;
/// Minimum number of adjacent land cells at which sediment fills an ocean cell.
const ENCLOSED: u32 = 6;
/// Uplift rate, in km per Ma, above which mountains count as young.
const YOUNG: f32 = 0.01;
/// Radius of a hot spot's uplift in km, as a standard deviation. `PLUME_RATE` is its maximum uplift in km per Ma, and
/// `PLUME_TOP` the maximum height of its volcanoes above the sea in km.
const PLUME_KM: f64 = 75.0;
const PLUME_RATE: f32 = 1.6;
const PLUME_TOP: f32 = 1.5;
/// Number of substeps into which a step is divided to trace hot spots.
const PLUME_PARTS: usize = 4;

/// Increases the age of all crust by the duration of a step.
pub fn grow_older(state: &mut PlateState) {
    for plate in &mut state.plates {
        plate.crust.par_iter_mut().for_each(|crust| {
            // The relief of ocean floor is relative to normal floor of the same age, so it does not change with age.
            crust.age += STEP_MA;
            crust.orogeny = (crust.orogeny + STEP_MA).min(NEVER);
        });
    }
}

/// Applies uplift, erosion, shelf and sediment changes for one step.
pub fn change_relief(
    law: &Plates,
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &PlateTables,
    control: &Control,
) -> Result<(), Cancelled> {
    for index in 0..state.plates.len() {
        let plate = &state.plates[index];
        let mut worn = plate.crust.clone();
        let parts = worn.par_chunks_mut(2048).map(|worn| {
            control.check()?;
            let mut grown = 0.0;
            for crust in worn {
                let around = cells.neighbours(crust.cell).iter().map(|&there| tables.slot(index, there));
                let (mut land, mut sea, mut sum) = (0, 0, 0.0);
                for there in around.filter_map(|slot| plate.crust.get(slot as usize)) {
                    land += u32::from(there.continental);
                    sea += u32::from(!there.continental);
                    sum += if there.continental { there.relief } else { 0.0 };
                }
                let was_land = crust.continental;
                let mean = if land > 0 { sum / land as f32 } else { crust.relief };
                if was_land {
                    change_land(law, crust, sea, mean)
                } else {
                    change_floor(law, crust, land)
                }
                if crust.continental && !was_land {
                    grown += f64::from(cells.area(crust.cell));
                }
            }
            Ok(grown)
        });
        let grown: f64 = parts.collect::<Result<Vec<f64>, _>>()?.iter().sum();
        state.plates[index].crust = worn;
        state.ledger = CrustLedger { grown: state.ledger.grown + grown, ..state.ledger };
    }
    Ok(())
}

fn change_land(law: &Plates, crust: &mut CrustCell, sea: u32, mean: f32) {
    let rising = if crust.pending < 0.02 { crust.pending } else { RISING_SHARE * crust.pending };
    crust.pending -= rising;
    // Uplift decreases with height, because more rock slides down.
    let holds = (1.0 - crust.relief / HIGHEST_KM).clamp(0.0, 1.0);
    let mut height = crust.relief + holds * (crust.uplift * STEP_MA + rising);
    if crust.uplift > YOUNG || rising > 0.1 {
        crust.orogeny = 0.0;
    }
    height -= height.max(0.0) * (law.erosion * STEP_MA / HIGHEST_KM).min(1.0);
    if crust.uplift < YOUNG {
        if sea >= 2 {
            height += SHELF_SHARE * (SHELF_KM - height);
        } else if height < PLAIN_KM {
            height += PLAIN_SHARE * (PLAIN_KM - height);
        }
    }
    height += EVEN_SHARE * (mean - crust.relief);
    crust.relief = height.min(HIGHEST_KM);
}

fn change_floor(law: &Plates, crust: &mut CrustCell, land: u32) {
    let rise = crust.uplift * STEP_MA;
    crust.relief += rise;
    if crust.uplift > YOUNG {
        crust.orogeny = 0.0;
    }
    // Relief of 4 km sinks at the rate of the parameter; trenches fill seven times as fast.
    let sunk = (law.ocean_dampening * STEP_MA / 4.0).min(1.0);
    crust.relief -= if crust.relief > 0.0 { crust.relief * sunk } else { crust.relief * (7.0 * sunk).min(1.0) };
    let height = crust.height();
    if land > 0 && height < CONTINENTAL_RISE_KM {
        crust.relief += RISE_RATE * land as f32 / 8.0 * 2.0 * (CONTINENTAL_RISE_KM - height);
    }
    // Sediment fills ocean cells that are enclosed by land.
    if land >= ENCLOSED {
        (crust.continental, crust.relief) = (true, SHELF_KM);
        return;
    }
    // An island arc that rises above the sea becomes continental.
    if crust.uplift > YOUNG && height > 0.0 {
        (crust.continental, crust.relief) = (true, height);
    }
    crust.relief = crust.relief.clamp(-8.0, 16.0);
}

/// Returns `count` random positions of hot spots, as unit vectors.
pub fn hot_spots(count: u32, random: Stream) -> Vec<Vector> {
    let place = |k: i32| {
        let z = f64::from(random.signed(k, 0));
        let around = f64::from(random.unit(k, 1)) * std::f64::consts::TAU;
        let level = (1.0 - z * z).max(0.0).sqrt();
        [level * libm::cos(around), level * libm::sin(around), z]
    };
    (0..count as i32).map(place).collect()
}

/// Raises the crust that passed over the hot spots during the last step.
pub fn lift_hot_spots(
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &PlateTables,
    spots: &[Vector],
    random: Stream,
) {
    for (&spot, k) in spots.iter().zip(0..) {
        // The activity of a hot spot varies from step to step, so that separate volcanoes form.
        let pulse = random.unit(k, state.steps as i32);
        let pulse = 0.25 + 2.25 * pulse * pulse;
        for part in 0..PLUME_PARTS {
            let ago = f64::from(STEP_MA) * (part as f64 + 0.5) / PLUME_PARTS as f64;
            // Crust that was above the hot spot `ago` million years before the end of the step has since moved with its
            // plate.
            let over = all_plates(state.plates.len()).find_map(|p| {
                let at = PlateAttitude::turn(state.plates[p].spin.map(|x| x * ago)).matrix().outwards(spot);
                tables.find(cells, p, at).map(|_| (p, tables.rotation(p).inwards(at)))
            });
            if let Some((p, at)) = over {
                lift(cells, state, tables, (p, at), pulse);
            }
        }
    }
}

/// Raises the crust of a plate around a position in its frame.
fn lift(cells: &SphereCells, state: &mut PlateState, tables: &PlateTables, (plate, at): (usize, Vector), pulse: f32) {
    let width = (PLUME_KM / EARTH_KM).max(0.8 * cells.spacing());
    let middle = cells.cell(at) as u32;
    let mut near: Vec<u32> = vec![middle];
    for _ in 0..2 {
        let around: Vec<u32> = near.iter().flat_map(|&cell| *cells.neighbours(cell)).collect();
        near.extend(around.into_iter().filter(|&cell| cell != NO_CELL));
        near.sort_unstable();
        near.dedup();
    }
    for cell in near {
        let slot = tables.slot(plate, cell);
        let Some(crust) = state.plates[plate].crust.get_mut(slot as usize) else { continue };
        let square = 2.0 - 2.0 * dot(cells.middle(cell), at);
        let weight = libm::exp(-0.5 * square / (width * width)) as f32;
        let height = crust.height();
        // This factor keeps the rock volume constant where cells are wider than the plume.
        let narrow = (PLUME_KM / EARTH_KM / width) as f32;
        let rise = PLUME_RATE * STEP_MA / PLUME_PARTS as f32 * pulse * weight * narrow * narrow;
        let rise = (rise * if crust.continental { 0.2 } else { 1.0 }).min((PLUME_TOP - height).max(0.0));
        crust.relief += rise;
        if rise > 0.1 {
            crust.orogeny = 0.0;
        }
    }
}
