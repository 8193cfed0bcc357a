//! Motion of plates: drift, subduction, and growth where plates move apart.
//!
//! Ocean floor below another plate's crust is removed. Below continents this always happens. Between two oceanic
//! plates, the plate whose floor was older at their first contact loses its floor. Continents stay;
//! [`events`](super::events) handles their collisions. Where no plate has crust, the adjacent plates grow cell by cell.
//! Age decreases towards the ridge by the distance divided by half the speed of separation. New crust continues this
//! decrease. Ages therefore do not depend on the position of the ridge relative to the cells. If the age would be
//! negative, the ridge has not passed the cell yet, and the cell is left to the other plate. Cells that no plate takes
//! are given to the plates in turn.

use rayon::prelude::*;

use super::STEP_MA;
use super::cells::{NO_CELL, SphereCells, Vector, advanced};
use super::crust::{CrustCell, EARTH_KM, PlateMask, PlateState, PlateTables};
use talweg_ground::field::vector::{cross, dot, unit};
use talweg_ground::field::{Cancelled, Control};

/// A cell of a plate that is above or below crust of another plate.
#[derive(Clone, Copy, Debug)]
pub struct CrustOverlap {
    /// Index of the cell, in the frame of its own plate.
    pub cell: u32,
    /// Index of the other plate.
    pub other: usize,
    /// Index of the other plate's cell, in that plate's frame.
    pub other_cell: u32,
}

/// For each plate, the cells that overlap other plates.
pub fn overlaps(
    cells: &SphereCells,
    state: &PlateState,
    tables: &PlateTables,
    control: &Control,
) -> Result<Vec<Vec<CrustOverlap>>, Cancelled> {
    let of_plate = |p: usize| {
        let turn = tables.rotation(p);
        let parts = state.plates[p].crust.par_chunks(2048).map(|crust| {
            control.check()?;
            let mut found = Vec::new();
            for crust in crust {
                let at = turn.outwards(cells.middle(crust.cell));
                for other in tables.candidates(at).remove_plate(p) {
                    if let Some(slot) = tables.find(cells, other, at) {
                        let other_cell = state.plates[other].crust[slot].cell;
                        found.push(CrustOverlap { cell: crust.cell, other, other_cell });
                    }
                }
            }
            Ok(found)
        });
        Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
    };
    (0..state.plates.len()).map(of_plate).collect()
}

/// Returns the crust in a cell of a plate, if there is any.
fn crust_of<'a>(state: &'a PlateState, tables: &PlateTables, plate: usize, cell: u32) -> Option<&'a CrustCell> {
    state.plates[plate].crust.get(tables.slot(plate, cell) as usize)
}

/// Removes subducted ocean floor.
pub fn subduct(cells: &SphereCells, state: &mut PlateState, tables: &mut PlateTables, found: &[Vec<CrustOverlap>]) {
    choose_subducting_plates(state, tables, found);
    let mut lost: Vec<Vec<bool>> = state.plates.iter().map(|plate| vec![false; plate.crust.len()]).collect();
    for (p, found) in found.iter().enumerate() {
        let id = state.plates[p].id;
        for overlap in found {
            let other = state.plates[overlap.other].id;
            let (Some(own), Some(crust)) =
                (crust_of(state, tables, p, overlap.cell), crust_of(state, tables, overlap.other, overlap.other_cell))
            else {
                continue;
            };
            if !own.continental && (crust.continental || state.subducting_plate(id, other) == Some(id)) {
                lost[p][tables.slot(p, overlap.cell) as usize] = true;
            }
        }
    }
    for (p, mut lost) in lost.into_iter().enumerate() {
        if !lost.contains(&true) {
            continue;
        }
        // Ocean floor also subducts if fewer than two cells still connect it to its plate.
        let sunk = lost.clone();
        for (slot, crust) in state.plates[p].crust.iter().enumerate() {
            let around = cells.neighbours(crust.cell).iter().map(|&there| tables.slot(p, there));
            let (mut gone, mut left) = (0, 0);
            for there in around.filter(|&there| there != NO_CELL) {
                *if sunk[there as usize] { &mut gone } else { &mut left } += 1;
            }
            lost[slot] |= !crust.continental && gone > 0 && left < 2;
        }
        let before = state.plates[p].crust.clone();
        let mut lost = lost.into_iter();
        state.plates[p].crust.retain(|_| !lost.next().unwrap_or(false));
        tables.change(p, &before, &state.plates[p]);
    }
}

/// Decides which of two oceanic plates subducts when they first meet: the plate with the older floor.
fn choose_subducting_plates(state: &mut PlateState, tables: &PlateTables, found: &[Vec<CrustOverlap>]) {
    let mut older = std::collections::BTreeMap::<(u32, u32), f64>::new();
    for (p, found) in found.iter().enumerate() {
        for overlap in found.iter().filter(|overlap| overlap.other > p) {
            let (a, b) = (state.plates[p].id, state.plates[overlap.other].id);
            let crust =
                [(p, overlap.cell), (overlap.other, overlap.other_cell)].map(|(p, c)| crust_of(state, tables, p, c));
            if let [Some(own), Some(other)] = crust
                && !own.continental
                && !other.continental
                && state.subducting_plate(a, b).is_none()
            {
                let by = f64::from(own.age - other.age);
                *older.entry((a.min(b), a.max(b))).or_default() += if a < b { by } else { -by };
            }
        }
    }
    for ((a, b), by) in older {
        state.sinking.insert((a, b), if by >= 0.0 { a } else { b });
    }
}

/// Returns the nearest other plate within six cells of a position, and the direction to that plate. The direction is
/// zero if the other plate is on all sides.
pub fn nearest_plate(cells: &SphereCells, tables: &PlateTables, plate: usize, at: Vector) -> Option<(usize, Vector)> {
    let aside = if at[2].abs() < 0.8 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let east = unit(cross(aside, at));
    let north = cross(at, east);
    let mut found: Option<(usize, Vector)> = None;
    for step in 1..=6 {
        let had_any = found.is_some();
        for (x, y) in DIRECTIONS {
            let to = advanced(east.map(|e| e * x), y, north);
            let there = unit(advanced(at, f64::from(step) * cells.spacing(), to));
            let others = tables.candidates(there).remove_plate(plate);
            if let Some((other, _)) = tables.find_any(cells, others, there) {
                let (nearest, sum) = found.get_or_insert((other, [0.0; 3]));
                if *nearest == other {
                    *sum = advanced(*sum, 1.0, to);
                }
            }
        }
        // The edge of a plate is jagged, so the direction is the mean over two rings of cells.
        if had_any {
            break;
        }
    }
    found.map(|(other, sum)| (other, unit(sum)))
}

/// Unit vectors in eight directions of the plane: the axes first, then the diagonals.
const DIRECTIONS: [(f64, f64); 8] = {
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (D, D), (-D, D), (-D, -D), (D, -D)]
};

/// Speed, in km per Ma, above which two plates count as converging or diverging. Slower plates slide past each other.
pub const SLIDING: f64 = 1.0;

/// Lets plates grow into areas without crust.
pub fn grow(
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &mut PlateTables,
    control: &Control,
) -> Result<(), Cancelled> {
    let count = state.plates.len();
    let empty_around = |tables: &PlateTables, p: usize, cell: u32| {
        let around = cells.neighbours(cell).iter().copied();
        around.filter(|&there| there != NO_CELL && tables.slot(p, there) == NO_CELL).collect::<Vec<u32>>()
    };
    let mut rims: Vec<Vec<u32>> = (0..count)
        .into_par_iter()
        .map(|p| state.plates[p].crust.iter().flat_map(|crust| empty_around(tables, p, crust.cell)).collect())
        .collect();
    // At first no plate grows beyond the ridge. Later the remaining cells go to the plates in turn.
    let mut within_ridge = true;
    for ring in 0..MOST_RINGS {
        let mut has_grown = false;
        for turn in 0..count {
            control.check()?;
            let p = if (ring + state.steps).is_multiple_of(2) { turn } else { count - 1 - turn };
            let mut rim = std::mem::take(&mut rims[p]);
            rim.sort_unstable();
            rim.dedup();
            rim.retain(|&cell| tables.slot(p, cell) == NO_CELL);
            let mut grown = Vec::new();
            for &cell in &rim {
                let at = tables.rotation(p).outwards(cells.middle(cell));
                let others = tables.candidates(at).remove_plate(p);
                if tables.find_any(cells, others, at).is_none() {
                    grown.extend(new_crust(cells, state, tables, (p, cell, at), within_ridge));
                }
            }
            rims[p] = if within_ridge { rim } else { Vec::new() };
            has_grown |= !grown.is_empty();
            for crust in grown {
                state.plates[p].crust.push(crust);
                tables.add(cells, p, &state.plates[p]);
                rims[p].extend(empty_around(tables, p, crust.cell));
            }
        }
        if !has_grown && !within_ridge {
            break;
        }
        within_ridge &= has_grown;
    }
    Ok(())
}

/// Maximum number of cells by which a plate grows in a step.
const MOST_RINGS: u32 = 48;

/// The crust that a plate adds in an empty cell, or `None` if the plate does not grow there.
fn new_crust(
    cells: &SphereCells,
    state: &PlateState,
    tables: &PlateTables,
    (plate, cell, at): (usize, u32, Vector),
    within_ridge: bool,
) -> Option<CrustCell> {
    let own = &state.plates[plate];
    let around = cells.neighbours(cell).iter().map(|&there| tables.slot(plate, there));
    let around: Vec<&CrustCell> =
        around.filter_map(|slot| own.crust.get(slot as usize)).filter(|crust| !crust.continental).collect();
    let mean = |of: &dyn Fn(&CrustCell) -> f64| around.iter().map(|c| of(c)).sum::<f64>() / around.len() as f64;
    if let Some((other, to)) = nearest_plate(cells, tables, plate, at) {
        let (here, there) = (own.velocity(at), state.plates[other].velocity(at));
        // Seen from this plate, the ridge moves at half the speed of the other plate.
        let ridge: Vector = std::array::from_fn(|k| 0.5 * (there[k] - here[k]));
        let opening = 2.0 * dot(ridge, to) * EARTH_KM;
        if opening > SLIDING {
            if around.is_empty() {
                return Some(CrustCell::floor(cell, 0.5 * STEP_MA));
            }
            let ridge = tables.rotation(plate).inwards(ridge);
            let middle = cells.middle(cell);
            let age = mean(&|crust| {
                let way = advanced(middle, -1.0, cells.middle(crust.cell));
                f64::from(crust.age) - dot(way, ridge) / dot(ridge, ridge)
            });
            let is_beyond = within_ridge && age < 0.0;
            return (!is_beyond).then(|| CrustCell::floor(cell, (age as f32).clamp(0.0, STEP_MA)));
        }
        if around.is_empty() && opening < -SLIDING {
            return None;
        }
    }
    if around.is_empty() {
        return Some(CrustCell::floor(cell, HOLE_MA));
    }
    Some(CrustCell {
        relief: mean(&|crust| f64::from(crust.relief)) as f32,
        orogeny: mean(&|crust| f64::from(crust.orogeny)) as f32,
        ..CrustCell::floor(cell, mean(&|crust| f64::from(crust.age)) as f32)
    })
}

/// Age in Ma of the ocean floor that fills holes away from ridges.
const HOLE_MA: f32 = 30.0;

/// The set of the first `count` plates.
pub fn all_plates(count: usize) -> PlateMask {
    PlateMask(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
}
