//! Plate boundaries: which plate subducts, the distance of crust from the boundary, and the uplift there.
//!
//! Uplift above subduction, per Ma: u₀ · f(d) · g(v) · h(z)², with u₀ the maximum uplift. d is the distance to the
//! plate boundary; f rises from 0 at the boundary to 1 at a third of the reach and falls to 0 at the reach. v is the
//! speed at which the plates converge, and g = v / (100 mm a year). h depends on the height z of the subducting plate,
//! from 0 at -10 km to 1 at 10 km (Cortial et al. 2019). Oceanic crust rises along a narrower line (f²), in separate
//! islands.
//! Trench: the subducting floor bends down towards the boundary by up to 3.5 km; faster plates bend deeper.

use rayon::prelude::*;

use super::cells::{NO_CELL, SphereCells, Vector, advanced};
use super::crust::{EARTH_KM, Plate, PlateState, PlateTables};
use super::motion::SLIDING;
use talweg_ground::field::vector::{dot, unit};
use talweg_ground::field::{Cancelled, Control, Stream, smooth_step};

/// Distance from a plate boundary within which mountains rise, in km.
pub const REACH_KM: f32 = 1000.0;
/// Distance from a plate boundary within which the ocean floor bends down, in km.
pub const TRENCH_KM: f32 = 160.0;
/// Depth of the trench of fast plates below the ocean floor, in km.
const TRENCH_DEPTH: f32 = 3.5;
/// Growth rate of volcanoes in oceanic arcs, relative to the growth rate of mountain ranges.
const ARC_GROWTH: f32 = 5.0;
/// Convergence speed in km per Ma to which the paper's uplift refers. At this speed trenches have their full depth.
const FULL_SPEED: f32 = 100.0;
const TRENCH_SPEED: f32 = 50.0;

/// The kind of plate boundary at a part of a plate's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// The other plate subducts.
    Overrides,
    /// This plate subducts.
    Sinks,
    /// Two continents collide.
    Collides,
    /// The plates move apart.
    Parts,
    /// The plates slide past each other.
    Slides,
}

/// A cell of a plate that borders on another plate.
#[derive(Clone, Copy, Debug)]
pub struct EdgeCell {
    /// Index of the cell's crust in its plate.
    pub slot: u32,
    /// Kind of the plate boundary at the cell.
    pub kind: EdgeKind,
    /// Speed at which the plates converge or diverge, in km per Ma.
    pub speed: f32,
    /// Height of the other plate at the boundary, in km.
    pub other_height: f32,
}

/// Returns the cells of a plate that border on another plate.
pub fn edge_cells(cells: &SphereCells, state: &PlateState, tables: &PlateTables, index: usize) -> Vec<EdgeCell> {
    let plate = &state.plates[index];
    let turn = tables.rotation(index);
    let mut rank = vec![NO_CELL; plate.crust.len()];
    let mut edge: Vec<(u32, Vector)> = Vec::new();
    for (slot, crust) in plate.crust.iter().enumerate() {
        let middle = cells.middle(crust.cell);
        let mut out = [0.0; 3];
        for &there in cells.neighbours(crust.cell) {
            if there != NO_CELL && tables.slot(index, there) == NO_CELL {
                out = advanced(out, 1.0, unit(advanced(cells.middle(there), -1.0, middle)));
            }
        }
        if dot(out, out) > 0.0 {
            rank[slot] = edge.len() as u32;
            edge.push((slot as u32, out));
        }
    }
    // The edge of the cells is a staircase, so the outward directions are smoothed.
    for _ in 0..3 {
        let even = |&(slot, out): &(u32, Vector)| {
            let around = cells.neighbours(plate.crust[slot as usize].cell).iter();
            let ranks = around.map(|&there| tables.slot(index, there)).filter(|&s| s != NO_CELL);
            let others = ranks.map(|s| rank[s as usize]).filter(|&r| r != NO_CELL);
            (slot, others.fold(out, |sum, r| advanced(sum, 1.0, edge[r as usize].1)))
        };
        edge = edge.iter().map(even).map(|(slot, out)| (slot, unit(out))).collect();
    }
    edge.iter().filter_map(|&(slot, out)| classified(cells, state, tables, index, slot, turn.outwards(out))).collect()
}

/// Returns the plate boundary at an edge cell; `None` if no other plate is near. `out` is the direction out of the
/// plate, in the world.
fn classified(
    cells: &SphereCells,
    state: &PlateState,
    tables: &PlateTables,
    index: usize,
    slot: u32,
    out: Vector,
) -> Option<EdgeCell> {
    let plate = &state.plates[index];
    let crust = &plate.crust[slot as usize];
    let at = tables.rotation(index).outwards(cells.middle(crust.cell));
    let beside = [1.2, 2.0, 2.8].iter().find_map(|&steps| {
        let there = unit(advanced(at, steps * cells.spacing(), out));
        tables.find_any(cells, tables.candidates(there).remove_plate(index), there)
    });
    let (other, other_slot) = beside?;
    let (other_plate, other_crust) = (&state.plates[other], &state.plates[other].crust[other_slot]);
    let speed = dot(advanced(plate.velocity(at), -1.0, other_plate.velocity(at)), out) * EARTH_KM;
    let kind = if speed > SLIDING {
        match (crust.continental, other_crust.continental) {
            (true, true) => EdgeKind::Collides,
            (true, false) => EdgeKind::Overrides,
            (false, true) => EdgeKind::Sinks,
            (false, false) => match state.subducting_plate(plate.id, other_plate.id) {
                Some(id) if id == plate.id => EdgeKind::Sinks,
                Some(_) => EdgeKind::Overrides,
                None => EdgeKind::Slides,
            },
        }
    } else if speed < -SLIDING {
        EdgeKind::Parts
    } else {
        EdgeKind::Slides
    };
    Some(EdgeCell { slot, kind, speed: speed.abs() as f32, other_height: other_crust.height() })
}

/// Finds the nearest of `seeds` within `reach` for each crust cell of a plate. Returns the seed's index in `seeds`
/// ([`NO_CELL`] if no seed is near) and the distance in radians.
pub fn nearest_seeds(
    cells: &SphereCells,
    tables: &PlateTables,
    index: usize,
    plate: &Plate,
    seeds: &[u32],
    reach: f32,
) -> Vec<(u32, f32)> {
    let mut found = vec![(NO_CELL, f32::INFINITY); plate.crust.len()];
    let middles: Vec<[f32; 3]> =
        seeds.iter().map(|&slot| cells.middle(plate.crust[slot as usize].cell).map(|x| x as f32)).collect();
    let mut front: Vec<u32> = Vec::new();
    for (rank, &slot) in seeds.iter().enumerate() {
        found[slot as usize] = (rank as u32, 0.0);
        front.push(slot);
    }
    let mut next = Vec::new();
    while !front.is_empty() {
        for &slot in &front {
            let (rank, _) = found[slot as usize];
            let seed = middles[rank as usize];
            for &there in cells.neighbours(plate.crust[slot as usize].cell) {
                let there_slot = tables.slot(index, there);
                if there_slot == NO_CELL {
                    continue;
                }
                let middle = cells.middle(there).map(|x| x as f32);
                let [x, y, z]: [f32; 3] = std::array::from_fn(|k| middle[k] - seed[k]);
                let distance = (x * x + y * y + z * z).sqrt();
                let best = &mut found[there_slot as usize];
                if distance < best.1 && distance <= reach {
                    *best = (rank, distance);
                    next.push(there_slot);
                }
            }
        }
        std::mem::swap(&mut front, &mut next);
        next.clear();
    }
    found
}

/// Uplift at the distance `x` from the plate boundary, as a fraction of the maximum. `x` is a multiple of the reach;
/// the maximum is at a third of the reach.
pub fn uplift_profile(x: f32) -> f32 {
    let smooth = |t: f32| {
        let t = t.clamp(0.0, 1.0);
        smooth_step(t)
    };
    if x < 1.0 / 3.0 { smooth(3.0 * x) } else { smooth(1.5 * (1.0 - x)) }
}

/// Depth of the trench at the distance `x` from the plate boundary, as a fraction of its full depth. `x` is in trench
/// widths.
pub fn trench_profile(x: f32) -> f32 {
    let t = (1.0 - x).clamp(0.0, 1.0);
    smooth_step(t)
}

/// Computes uplift and trenches of every plate. `uplift` is the maximum uplift u₀ in km per Ma.
pub fn raise_fronts(
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &PlateTables,
    uplift: f32,
    islands: &[f32],
    control: &Control,
) -> Result<(), Cancelled> {
    let made: Vec<Vec<(f32, f32)>> = (0..state.plates.len())
        .into_par_iter()
        .map(|index| {
            control.check()?;
            let edge = edge_cells(cells, state, tables, index);
            let rates = uplift_rates(cells, state, tables, index, &edge, uplift, islands);
            control.check()?;
            Ok(rates.into_iter().zip(trenches(cells, state, tables, index, &edge)).collect())
        })
        .collect::<Result<_, _>>()?;
    for (plate, made) in state.plates.iter_mut().zip(made) {
        for (crust, (rate, trench)) in plate.crust.iter_mut().zip(made) {
            crust.uplift = rate;
            if !crust.continental && trench > 0.0 {
                crust.relief = crust.relief.min(-trench);
            }
        }
    }
    Ok(())
}

fn uplift_rates(
    cells: &SphereCells,
    state: &PlateState,
    tables: &PlateTables,
    index: usize,
    edge: &[EdgeCell],
    uplift: f32,
    islands: &[f32],
) -> Vec<f32> {
    let plate = &state.plates[index];
    let mut rates = vec![0.0f32; plate.crust.len()];
    let lifting: Vec<&EdgeCell> =
        edge.iter().filter(|at| matches!(at.kind, EdgeKind::Overrides | EdgeKind::Collides)).collect();
    if uplift <= 0.0 || lifting.is_empty() {
        return rates;
    }
    let seeds: Vec<u32> = lifting.iter().map(|at| at.slot).collect();
    let reach = REACH_KM / EARTH_KM as f32;
    let found = nearest_seeds(cells, tables, index, plate, &seeds, reach);
    for (crust, ((rank, distance), rate)) in plate.crust.iter().zip(found.into_iter().zip(&mut rates)) {
        if rank == NO_CELL {
            continue;
        }
        let front = lifting[rank as usize];
        let shape = uplift_profile(distance / reach);
        let under = ((front.other_height + 10.0) / 20.0).clamp(0.0, 1.0);
        let noise = islands[crust.cell as usize];
        let along = match crust.continental {
            true => shape * (1.0 + 1.2 * noise).clamp(0.3, 2.0),
            false => ARC_GROWTH * shape * shape * (0.6 + 3.0 * noise).clamp(0.0, 2.0),
        };
        *rate = uplift * along * (front.speed / FULL_SPEED).min(2.0) * under * under;
    }
    // Neighbouring parts of a plate boundary differ; smoothing reduces the differences.
    for _ in 0..2 {
        rates = (0..rates.len())
            .map(|slot| {
                let around = cells.neighbours(plate.crust[slot].cell).iter().map(|&there| tables.slot(index, there));
                let (sum, count) = around
                    .filter(|&there| there != NO_CELL)
                    .fold((2.0 * rates[slot], 2.0), |(sum, count), there| (sum + rates[there as usize], count + 1.0));
                sum / count
            })
            .collect();
    }
    rates
}

fn trenches(
    cells: &SphereCells,
    state: &PlateState,
    tables: &PlateTables,
    index: usize,
    edge: &[EdgeCell],
) -> Vec<f32> {
    let plate = &state.plates[index];
    let sinking: Vec<&EdgeCell> = edge.iter().filter(|at| at.kind == EdgeKind::Sinks).collect();
    let seeds: Vec<u32> = sinking.iter().map(|at| at.slot).collect();
    let reach = TRENCH_KM / EARTH_KM as f32;
    let found = nearest_seeds(cells, tables, index, plate, &seeds, reach);
    let depth = |(rank, distance): (u32, f32)| {
        let speed = sinking.get(rank as usize).map_or(0.0, |at| at.speed);
        TRENCH_DEPTH * (speed / TRENCH_SPEED).min(1.0) * trench_profile(distance / reach)
    };
    found.into_iter().map(depth).collect()
}

/// Computes noise for every cell of a plate's frame. The noise divides arcs into islands and ranges into sections.
pub fn island_noise(cells: &SphereCells, random: Stream, control: &Control) -> Result<Vec<f32>, Cancelled> {
    let octaves = [(14.0, 1.0), (28.0, 0.5)];
    cells.noise(random, &octaves, control)
}
