//! The initial plates and their crust.
//!
//! Plates grow from scattered seed cells at different speeds. Noise varies the cost of growth, and continents reduce
//! it, so most plate boundaries are in the seas and are curved. If the input terrain has land and sea, its land and
//! shelves down to 200 m become continents; otherwise three-dimensional noise creates the continents. The age of ocean
//! floor is its distance from the nearest divergent boundary divided by half the speed of separation there.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::Plates;
use super::cells::{NO_CELL, PlateAttitude, SphereCells, Vector, advanced};
use super::crust::{CrustCell, EARTH_KM, MOST_PLATES, NEVER, Plate, PlateState, PlateTables, floor_height};
use super::fronts::{EdgeKind, edge_cells, nearest_seeds};
use super::relief::hot_spots;
use crate::Context;
use talweg_ground::field::vector::{cross, dot, unit};
use talweg_ground::field::{Cancelled, Control, Globe, Stream, Terrain};

/// Keys of the layer's random streams.
const SEEDS: u64 = 0x7365_6564;
const GROWTH: u64 = 0x6772_6f77;
const SPINS: u64 = 0x7370_696e;
const LANDS: u64 = 0x6c61_6e64;
/// Minimum height of continental crust in km: the edge of the shelves.
const SHELF_EDGE: f32 = -0.2;
/// The input terrain is used only if land and sea each cover at least this fraction of the planet.
const LEAST_SHARE: f64 = 0.02;
/// Initial age of continents in Ma. `UNKNOWN_FLOOR` is the age of ocean floor whose plate has no ridge nearby, and
/// `OLDEST_FLOOR` the maximum age of ocean floor.
const OLD_LAND: f32 = 500.0;
const UNKNOWN_FLOOR: f32 = 80.0;
const OLDEST_FLOOR: f32 = 180.0;
/// Width of the initial continental margin, as a difference of the noise values from which continents are made.
const MARGIN: f32 = 0.06;

/// Creates the initial plates from the input terrain.
pub fn first_state(
    law: &Plates,
    cells: &SphereCells,
    terrain: &Terrain,
    cx: &Context,
) -> Result<PlateState, Cancelled> {
    let heights = match ground_below(cells, terrain, cx)? {
        Some(heights) => heights,
        None => own_continents(law, cells, cx.random.fork(LANDS), cx.control)?,
    };
    let count = (law.plates as usize).min(MOST_PLATES);
    let owners = territories(cells, &heights, count, cx.random, cx.control)?;
    let mut state = PlateState::default();
    for index in 0..count {
        state.plates.push(Plate {
            id: index as u32,
            attitude: PlateAttitude::LEVEL,
            spin: [0.0; 3],
            crust: Vec::new(),
        });
    }
    state.next_id = count as u32;
    for (cell, (&owner, &height)) in owners.iter().zip(&heights).enumerate() {
        let mut crust = CrustCell::floor(cell as u32, UNKNOWN_FLOOR);
        if height >= SHELF_EDGE {
            crust = CrustCell { continental: true, relief: height, age: OLD_LAND, orogeny: NEVER, ..crust };
        }
        state.plates[owner as usize].crust.push(crust);
    }
    state.plates.retain(|plate| !plate.crust.is_empty());
    for plate in &mut state.plates {
        plate.spin = first_spin(law, cells, plate, cx.random.fork(SPINS));
    }
    first_ages(cells, &mut state, &heights, cx.control)?;
    Ok(state)
}

/// Positions of the layer's hot spots.
pub fn spots(law: &Plates, random: Stream) -> Vec<Vector> {
    hot_spots(law.hot_spots, random.fork(0x7370_6f74))
}

/// Heights of the input terrain in km above the sea; `None` if the terrain lacks land or sea.
fn ground_below(cells: &SphereCells, terrain: &Terrain, cx: &Context) -> Result<Option<Vec<f32>>, Cancelled> {
    let globe = Globe::new(terrain.samples());
    let km = cx.relief_metres * 0.001;
    let mut heights = vec![0.0; cells.count()];
    heights.par_chunks_mut(4096).enumerate().try_for_each(|(part, heights)| {
        cx.control.check()?;
        for (k, height) in heights.iter_mut().enumerate() {
            let at = globe.sample(&terrain.height, cells.middle((part * 4096 + k) as u32));
            *height = ((at - cx.sea_level) * km).clamp(-11.0, 9.0);
        }
        Ok(())
    })?;
    let land = |&(cell, &height): &(usize, &f32)| if height > 0.0 { f64::from(cells.area(cell as u32)) } else { 0.0 };
    let share = heights.iter().enumerate().map(|at| land(&at)).sum::<f64>() / (4.0 * std::f64::consts::PI);
    Ok((LEAST_SHARE..=1.0 - LEAST_SHARE).contains(&share).then_some(heights))
}

/// Creates continents from noise, as heights in km. They cover the fraction `law.land` of the planet.
fn own_continents(law: &Plates, cells: &SphereCells, random: Stream, control: &Control) -> Result<Vec<f32>, Cancelled> {
    let octaves = [(1.1, 1.0), (2.2, 0.55), (4.4, 0.35), (8.8, 0.2), (17.6, 0.12), (35.2, 0.08)];
    let noise = cells.noise(random, &octaves, control)?;
    let mut order: Vec<u32> = (0..cells.count() as u32).collect();
    order.par_sort_by(|&a, &b| noise[b as usize].total_cmp(&noise[a as usize]).then(a.cmp(&b)));
    let mut left = f64::from(law.land) * 4.0 * std::f64::consts::PI;
    let mut level = f32::INFINITY;
    for &cell in &order {
        if left <= 0.0 {
            break;
        }
        left -= f64::from(cells.area(cell));
        level = noise[cell as usize];
    }
    let height = |noise: f32| {
        let above = noise - level;
        if above >= 0.0 {
            SHELF_EDGE + 0.9 * (above / 0.12).min(1.0) + 0.8 * above
        } else {
            -6.0 * (-above / MARGIN).min(1.0) - 0.3
        }
    };
    Ok(noise.into_iter().map(height).collect())
}

/// An entry of the growth queue: a cell that a plate can take. The entry with the lowest cost is first.
#[derive(PartialEq)]
struct GrowthStep {
    cost: f32,
    cell: u32,
    plate: u32,
}

impl Eq for GrowthStep {}

impl PartialOrd for GrowthStep {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GrowthStep {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.cell.cmp(&self.cell)).then(other.plate.cmp(&self.plate))
    }
}

/// Assigns a plate to every cell.
fn territories(
    cells: &SphereCells,
    heights: &[f32],
    count: usize,
    random: Stream,
    control: &Control,
) -> Result<Vec<u32>, Cancelled> {
    let growth = random.fork(GROWTH);
    let octaves = [(2.0, 1.0), (4.0, 0.7), (8.0, 0.5), (16.0, 0.35)];
    let hardship: Vec<f32> = cells
        .noise(growth, &octaves, control)?
        .into_iter()
        .zip(heights)
        .map(|(noise, &height)| {
            let on_land = if height >= SHELF_EDGE { 0.45 } else { 1.0 };
            on_land * (1.0 + 2.2 * noise).clamp(0.15, 3.0)
        })
        .collect();
    let seeds = scattered_seeds(cells, count, random.fork(SEEDS));
    let mut owners = vec![NO_CELL; cells.count()];
    let mut open: BinaryHeap<GrowthStep> = BinaryHeap::new();
    for (plate, &cell) in seeds.iter().enumerate() {
        open.push(GrowthStep { cost: 0.0, cell, plate: plate as u32 });
    }
    let mut settled = 0;
    while let Some(GrowthStep { cost, cell, plate }) = open.pop() {
        if owners[cell as usize] != NO_CELL {
            continue;
        }
        owners[cell as usize] = plate;
        settled += 1;
        if settled % 8192 == 0 {
            control.check()?;
        }
        // The fastest plates grow three times as fast as the slowest.
        let speed = 0.5 + growth.unit(plate as i32, 7);
        let here = cells.middle(cell);
        for &there in cells.neighbours(cell) {
            if there != NO_CELL && owners[there as usize] == NO_CELL {
                let way = advanced(cells.middle(there), -1.0, here);
                let length = dot(way, way).sqrt() as f32;
                let hard = 0.5 * (hardship[cell as usize] + hardship[there as usize]);
                open.push(GrowthStep { cost: cost + length * hard / speed, cell: there, plate });
            }
        }
    }
    Ok(owners)
}

/// Returns the cells from which plates grow. Each is the random candidate that is farthest from the earlier cells.
fn scattered_seeds(cells: &SphereCells, count: usize, random: Stream) -> Vec<u32> {
    let mut seeds: Vec<u32> = Vec::new();
    for k in 0..count as i32 {
        let draw = |attempt: i32| {
            let z = f64::from(random.signed(k, 2 * attempt));
            let around = f64::from(random.unit(k, 2 * attempt + 1)) * std::f64::consts::TAU;
            let level = (1.0 - z * z).max(0.0).sqrt();
            cells.cell([level * libm::cos(around), level * libm::sin(around), z]) as u32
        };
        let nearest = |cell: u32| {
            let at = cells.middle(cell);
            let near = |&seed: &u32| {
                let way = advanced(cells.middle(seed), -1.0, at);
                dot(way, way)
            };
            seeds.iter().map(near).fold(f64::INFINITY, f64::min)
        };
        let best = (0..3).map(draw).max_by(|&a, &b| nearest(a).total_cmp(&nearest(b)).then(a.cmp(&b)));
        seeds.extend(best);
    }
    seeds
}

/// Returns a random rotation for a plate: a random direction at 40 to 100 % of the speed of fast plates, plus a small
/// rotation about the plate's centre.
fn first_spin(law: &Plates, cells: &SphereCells, plate: &Plate, random: Stream) -> Vector {
    let draw = |k: i32| f64::from(random.signed(plate.id as i32, k));
    let centre = plate.crust.iter().fold([0.0; 3], |sum, crust| advanced(sum, 1.0, cells.middle(crust.cell)));
    let centre = unit(centre);
    let way = unit(cross(centre, unit([draw(0), draw(1), draw(2)])));
    let speed = f64::from(law.speed) / EARTH_KM;
    let share = 0.7 + 0.3 * draw(3);
    let pole = cross(centre, way).map(|x| x * speed * share);
    advanced(pole, 0.4 * speed * draw(4), centre)
}

/// Sets the initial age of the ocean floor. Also sets its relief: the height of the input terrain above normal floor of
/// that age.
fn first_ages(
    cells: &SphereCells,
    state: &mut PlateState,
    heights: &[f32],
    control: &Control,
) -> Result<(), Cancelled> {
    let tables = PlateTables::new(cells, &state.plates, control)?;
    let found: Vec<Vec<f32>> = (0..state.plates.len())
        .into_par_iter()
        .map(|index| {
            control.check()?;
            let plate = &state.plates[index];
            let edge = edge_cells(cells, state, &tables, index);
            let ridges: Vec<_> = edge.iter().filter(|at| at.kind == EdgeKind::Parts).collect();
            let seeds: Vec<u32> = ridges.iter().map(|at| at.slot).collect();
            let near = nearest_seeds(cells, &tables, index, plate, &seeds, 2.0);
            let age = |(rank, distance): (u32, f32)| match ridges.get(rank as usize) {
                // The minimum speed limits the age of ocean floor at slow ridges.
                Some(ridge) => distance * EARTH_KM as f32 / (0.5 * ridge.speed).max(15.0),
                None => UNKNOWN_FLOOR,
            };
            Ok(near.into_iter().map(age).collect())
        })
        .collect::<Result<_, _>>()?;
    for (plate, ages) in state.plates.iter_mut().zip(found) {
        for (crust, age) in plate.crust.iter_mut().zip(ages) {
            if !crust.continental {
                crust.age = age.min(OLDEST_FLOOR);
                crust.relief = heights[crust.cell as usize].max(-8.0) - floor_height(crust.age);
                if heights[crust.cell as usize] < -6.2 {
                    crust.relief = 0.0;
                }
            }
        }
    }
    Ok(())
}
