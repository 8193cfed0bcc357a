//! Where plates meet: which goes under, how far crust is from the front, what rises there.
//!
//! Uplift over subduction, in a Ma: u₀ · f(d) · g(v) · h(z)², with d the distance to the front, f from 0 at the front
//! to 1 at a third of the reach and 0 at the reach, g = v / 100 mm a year, h the height of what goes under, from 0 at
//! -10 km to 1 at 10 km (Cortial et al. 2019). Oceanic crust rises along a narrower line (f²), in separate islands.
//! Trench: the floor that goes under hangs down towards the front, by up to 3.5 km, the faster the deeper.

use rayon::prelude::*;

use super::cells::{NO_CELL, SphereCells, Vector, advanced, dot, unit};
use super::crust::{EARTH_KM, Plate, PlateState, PlateTables};
use super::motion::SLIDING;
use talweg_ground::field::{Cancelled, Control, Stream};

/// How far from a front mountains rise, in km.
pub const REACH_KM: f32 = 1000.0;
/// How far from a front the floor bends down, in km.
pub const TRENCH_KM: f32 = 160.0;
/// How deep the trench of fast plates lies below the floor, in km.
const TRENCH_DEPTH: f32 = 3.5;
/// How many times as fast as ranges the volcanoes of oceanic arcs grow.
const ARC_GROWTH: f32 = 5.0;
/// Speed of the paper's uplift, and of trenches of full depth, in km in a Ma.
const FULL_SPEED: f32 = 100.0;
const TRENCH_SPEED: f32 = 50.0;

/// What happens at a piece of the edge of a plate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// The other plate goes under.
    Overrides,
    /// It goes under the other plate.
    Sinks,
    /// Continents meet.
    Collides,
    /// Plates part.
    Parts,
    /// Plates slide along each other.
    Slides,
}

/// A cell at the edge of its plate.
#[derive(Clone, Copy, Debug)]
pub struct EdgeCell {
    /// Index of its crust.
    pub slot: u32,
    /// What happens.
    pub kind: EdgeKind,
    /// How fast the plates meet, in km in a Ma.
    pub speed: f32,
    /// Height of the other plate there, in km.
    pub other_height: f32,
}

/// The edge of a plate where another one is beside it.
pub fn edge_cells(cells: &SphereCells, state: &PlateState, tables: &PlateTables, index: usize) -> Vec<EdgeCell> {
    let plate = &state.plates[index];
    let turn = tables.turn(index);
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
    // the steps of the edge are evened out
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

/// What happens at a cell whose plate ends in the direction `out` of the world.
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
    let at = tables.turn(index).outwards(cells.middle(crust.cell));
    let beside = [1.2, 2.0, 2.8].iter().find_map(|&steps| {
        let there = unit(advanced(at, steps * cells.spacing(), out));
        tables.find_any(cells, tables.candidates(there).without(index), there)
    });
    let (other, other_slot) = beside?;
    let (other_plate, other_crust) = (&state.plates[other], &state.plates[other].crust[other_slot]);
    let speed = dot(advanced(plate.velocity(at), -1.0, other_plate.velocity(at)), out) * EARTH_KM;
    let kind = if speed > SLIDING {
        match (crust.continental, other_crust.continental) {
            (true, true) => EdgeKind::Collides,
            (true, false) => EdgeKind::Overrides,
            (false, true) => EdgeKind::Sinks,
            (false, false) => match state.sinks(plate.id, other_plate.id) {
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

/// For all crust of a plate the nearest of some of its cells, within reach: its rank among `seeds` ([`NO_CELL`] where
/// there is none) and the distance in radians.
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

/// Share of the uplift at a distance of x reaches from the front: 1 at a third of the reach.
pub fn uplift_profile(x: f32) -> f32 {
    let smooth = |t: f32| {
        let t = t.clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    if x < 1.0 / 3.0 { smooth(3.0 * x) } else { smooth(1.5 * (1.0 - x)) }
}

/// How deep the floor hangs down at a distance of x trench widths, as a share.
pub fn trench_profile(x: f32) -> f32 {
    let t = (1.0 - x).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Finds uplift and trenches of every plate. `uplift` is u₀ in km in a Ma.
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
    // neighbouring pieces of a front differ; the ground above does not show them
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

/// Noise that breaks arcs into islands and ranges into parts, for every cell of a plate's frame.
pub fn island_noise(cells: &SphereCells, random: Stream, control: &Control) -> Result<Vec<f32>, Cancelled> {
    let octaves = [(14.0, 1.0), (28.0, 0.5)];
    cells.noise(random, &octaves, control)
}
