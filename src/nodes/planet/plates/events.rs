//! Collisions of continents, break-up of plates, and removal of plates that became too small.
//!
//! Collision: if the continents of two plates overlap by more than (450 km)², the connected land of the smaller
//! continent moves to the other plate. The overlapping parts become a single crust, so collisions consume continental
//! crust. Over the next steps, the terrain at the distance d from the overlap rises by Δz · (1 - (d/r)²)². The height
//! Δz is proportional to the square root of the land's area. The reach r is proportional to the square root of area
//! times speed. The plate that receives the land continues with the mean of both motions, weighted by area.
//! Rift: a large plate breaks across its longest extent; both parts keep their crust in place and drift apart.
//! Source: Cortial et al. 2019. In the paper the whole uplift happens at once, around the whole of the land.

use super::STEP_MA;
use super::cells::{NO_CELL, SphereCells, Vector, advanced};
use super::crust::{CrustCell, EARTH_KM, MOST_PLATES, PlateState, PlateTables};
use super::fronts::nearest_seeds;
use super::motion::CrustOverlap;
use crate::generators::octaves::NoiseFade;
use crate::generators::solid::Solid;
use talweg_ground::field::Stream;
use talweg_ground::field::vector::{cross, dot, unit};

/// Area of overlap in steradians above which two continents merge: (450 km)².
const SUTURE_AREA: f64 = (450.0 / EARTH_KM) * (450.0 / EARTH_KM);
/// Area of the moving land, in steradians, at which a collision raises the terrain by the full height: (2000 km)².
const LARGE_AREA: f64 = (2000.0 / EARTH_KM) * (2000.0 / EARTH_KM);
/// Minimum and maximum distance from the overlap within which the terrain rises, in km.
const COLLISION_REACH: [f64; 2] = [300.0, 1200.0];
/// Distance from the overlap within which the remaining sea closes, in km. `SUTURE_PASSES` is the number of cells by
/// which it closes from each side.
const SUTURE_REACH: f64 = 900.0;
const SUTURE_PASSES: usize = 4;
/// Two numbers of cells. A plate with fewer cells than the first is removed. A plate without continents is removed
/// below the second.
const LEAST_CELLS: [usize; 2] = [4, 12];
/// Minimum area of a plate that breaks apart, as a fraction of the sphere.
const LEAST_RIFT: f64 = 0.03;

/// Merges continents that collided, and returns whether any continents merged. `height` is the uplift Δz of a large
/// continent in km; `noise` varies the uplift from cell to cell.
pub fn collide(
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &mut PlateTables,
    found: &[Vec<CrustOverlap>],
    (height, noise): (f32, &[f32]),
) -> bool {
    let mut areas = std::collections::BTreeMap::<(usize, usize), f64>::new();
    for (p, found) in found.iter().enumerate() {
        for overlap in found.iter().filter(|overlap| overlap.other > p) {
            if is_land(state, tables, p, overlap.cell) && is_land(state, tables, overlap.other, overlap.other_cell) {
                *areas.entry((p, overlap.other)).or_default() += f64::from(cells.area(overlap.cell));
            }
        }
    }
    let mut meeting: Vec<_> = areas.into_iter().filter(|(_, area)| *area > SUTURE_AREA).collect();
    meeting.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut is_busy = [false; MOST_PLATES];
    for ((p, q), _) in meeting {
        if is_busy[p] || is_busy[q] {
            continue;
        }
        (is_busy[p], is_busy[q]) = (true, true);
        let touched = |from: usize, to: usize| -> Vec<u32> {
            let both = found[from].iter().filter(|overlap| overlap.other == to);
            let both =
                both.filter(|o| is_land(state, tables, from, o.cell) && is_land(state, tables, to, o.other_cell));
            both.map(|overlap| overlap.cell).collect()
        };
        let lands = [(p, q), (q, p)].map(|(from, to)| connected_land(cells, state, tables, from, &touched(from, to)));
        let [own, other] = [(p, &lands[0]), (q, &lands[1])].map(|(plate, land)| {
            land.iter().map(|&slot| f64::from(cells.area(state.plates[plate].crust[slot as usize].cell))).sum::<f64>()
        });
        let (giver, taker, land) = if own < other { (p, q, &lands[0]) } else { (q, p, &lands[1]) };
        join(cells, state, tables, (giver, taker), land, own.min(other), (height, noise));
    }
    is_busy.contains(&true)
}

fn is_land(state: &PlateState, tables: &PlateTables, plate: usize, cell: u32) -> bool {
    state.plates[plate].crust.get(tables.slot(plate, cell) as usize).is_some_and(|crust| crust.continental)
}

/// Indices of the continental crust of a plate that is connected to the cells `from`, in ascending order.
fn connected_land(
    cells: &SphereCells,
    state: &PlateState,
    tables: &PlateTables,
    plate: usize,
    from: &[u32],
) -> Vec<u32> {
    let crust = &state.plates[plate].crust;
    let mut is_found = vec![false; crust.len()];
    let mut open: Vec<u32> = from.to_vec();
    while let Some(cell) = open.pop() {
        let slot = tables.slot(plate, cell);
        if slot != NO_CELL && crust[slot as usize].continental && !is_found[slot as usize] {
            is_found[slot as usize] = true;
            open.extend(cells.neighbours(cell).iter().filter(|&&there| there != NO_CELL));
        }
    }
    (0..crust.len() as u32).filter(|&slot| is_found[slot as usize]).collect()
}

/// Moves `land`, a part of one plate's crust, to the other plate of the collision.
fn join(
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &mut PlateTables,
    (giver, taker): (usize, usize),
    land: &[u32],
    area: f64,
    (height, noise): (f32, &[f32]),
) {
    let whole = state.plates[taker].area(cells);
    let before = [giver, taker].map(|plate| state.plates[plate].crust.clone());
    let mut goes = vec![false; before[0].len()];
    land.iter().for_each(|&slot| goes[slot as usize] = true);
    // Cells of the receiving plate that the land can overlap.
    let mut covered: Vec<u32> = Vec::new();
    for &slot in land {
        let at = tables.rotation(giver).outwards(cells.middle(before[0][slot as usize].cell));
        let cell = cells.cell(tables.rotation(taker).inwards(at)) as u32;
        covered.push(cell);
        covered.extend(cells.neighbours(cell).iter().filter(|&&there| there != NO_CELL));
    }
    covered.sort_unstable();
    covered.dedup();
    let (mut seeds, mut won, mut middle) = (Vec::new(), 0.0, [0.0; 3]);
    for cell in covered {
        let at = tables.rotation(taker).outwards(cells.middle(cell));
        let Some(from) = tables.find(cells, giver, at).filter(|&slot| goes[slot]) else { continue };
        let brought = CrustCell { cell, ..before[0][from] };
        let slot = tables.slot(taker, cell);
        let crust = &mut state.plates[taker].crust;
        match crust.get_mut(slot as usize) {
            Some(own) if own.continental => {
                own.relief = own.relief.max(brought.relief);
                seeds.push(slot);
                middle = advanced(middle, 1.0, at);
            }
            Some(own) => {
                *own = brought;
                won += f64::from(cells.area(cell));
            }
            None => {
                crust.push(brought);
                won += f64::from(cells.area(cell));
            }
        }
    }
    state.ledger.consumed += area - won;
    let mut leaving = goes.into_iter();
    state.plates[giver].crust.retain(|_| !leaving.next().unwrap_or(false));
    for (plate, before) in [giver, taker].into_iter().zip(&before) {
        tables.change(plate, before, &state.plates[plate]);
    }
    close_suture(cells, state, tables, taker, &seeds);
    let at = unit(middle);
    let meeting = advanced(state.plates[giver].velocity(at), -1.0, state.plates[taker].velocity(at));
    let speed = dot(meeting, meeting).sqrt() * EARTH_KM;
    let share = area / LARGE_AREA;
    let reach = (COLLISION_REACH[1] * (share * speed / 100.0).sqrt()).clamp(COLLISION_REACH[0], COLLISION_REACH[1]);
    let reach = (reach / EARTH_KM) as f32;
    let rise = height * share.sqrt().clamp(0.25, 1.5) as f32;
    let plate = &state.plates[taker];
    let found = nearest_seeds(cells, tables, taker, plate, &seeds, reach);
    for (crust, (_, distance)) in state.plates[taker].crust.iter_mut().zip(found) {
        if crust.continental && distance < reach {
            let t = 1.0 - (distance / reach) * (distance / reach);
            crust.pending += rise * t * t * (1.0 + 1.3 * noise[crust.cell as usize]).clamp(0.3, 2.0);
        }
    }
    // From now on both parts move together, as one plate.
    let part = area / (area + whole).max(f64::MIN_POSITIVE);
    let (from, to) = (state.plates[giver].spin, state.plates[taker].spin);
    state.plates[taker].spin = std::array::from_fn(|k| to[k] + part * (from[k] - to[k]));
}

/// Closes the remaining sea between two merged continents, near their contact. Ocean floor turns into land if most of
/// its neighbours are land.
fn close_suture(cells: &SphereCells, state: &mut PlateState, tables: &PlateTables, plate: usize, seeds: &[u32]) {
    let reach = (SUTURE_REACH / EARTH_KM) as f32;
    let near = nearest_seeds(cells, tables, plate, &state.plates[plate], seeds, reach);
    for _ in 0..SUTURE_PASSES {
        let crust = &state.plates[plate].crust;
        let raised: Vec<(usize, f32)> = (0..crust.len())
            .filter(|&slot| near[slot].1 < reach && !crust[slot].continental)
            .filter_map(|slot| {
                let around = cells.neighbours(crust[slot].cell).iter().map(|&there| tables.slot(plate, there));
                let land = around.filter_map(|slot| crust.get(slot as usize)).filter(|there| there.continental);
                let (sum, count) = land.fold((0.0, 0u8), |(sum, count), there| (sum + there.relief, count + 1));
                (count >= 4).then(|| (slot, sum / f32::from(count)))
            })
            .collect();
        for (slot, height) in raised {
            let crust = &mut state.plates[plate].crust[slot];
            (crust.continental, crust.relief) = (true, height);
            state.ledger.grown += f64::from(cells.area(crust.cell));
        }
    }
}

/// Breaks up large plates at random. If large plates covered the whole planet, about `rate` of them would break in 100
/// Ma. `speed` is the speed of fast plates in radians per Ma.
pub fn break_apart(
    cells: &SphereCells,
    state: &mut PlateState,
    tables: &mut PlateTables,
    (rate, speed): (f32, f64),
    random: Stream,
) {
    for index in 0..state.plates.len() {
        let plate = &state.plates[index];
        let stream = random.fork(u64::from(plate.id)).fork(u64::from(state.steps));
        let share = plate.area(cells) / (4.0 * std::f64::consts::PI);
        let chance = f64::from(rate) * f64::from(STEP_MA) / 100.0 * share;
        if share < LEAST_RIFT || f64::from(stream.unit(0, 0)) >= chance || state.plates.len() >= MOST_PLATES {
            continue;
        }
        let before = plate.crust.clone();
        let Some((centre, across, sides)) = halves(cells, &before, stream) else { continue };
        let mut parted = plate.clone();
        let mut sides = sides.into_iter();
        let (kept, gone): (Vec<_>, Vec<_>) = before.iter().copied().partition(|_| !sides.next().unwrap_or(false));
        (state.plates[index].crust, parted.crust) = (kept, gone);
        let turn = tables.rotation(index);
        let (centre, across) = (turn.outwards(centre), turn.outwards(across));
        let half = speed * (0.25 + 0.2 * f64::from(stream.unit(1, 0)));
        let pole = unit(cross(centre, across));
        state.plates[index].spin = advanced(state.plates[index].spin, -half, pole);
        parted.spin = advanced(parted.spin, half, pole);
        parted.id = state.next_id;
        state.next_id += 1;
        tables.change(index, &before, &state.plates[index]);
        tables.push(cells, &parted);
        state.plates.push(parted);
    }
}

/// Returns the centre of a plate, the direction of its longest extent there, and for each cell whether it is on the far
/// side of the centre. `None` if nearly all cells are on one side.
fn halves(cells: &SphereCells, crust: &[CrustCell], stream: Stream) -> Option<(Vector, Vector, Vec<bool>)> {
    let sum = crust.iter().fold([0.0; 3], |sum, c| advanced(sum, f64::from(cells.area(c.cell)), cells.middle(c.cell)));
    let centre = unit(sum);
    let farthest = |from: Vector| {
        let apart = |c: &CrustCell| dot(cells.middle(c.cell), from);
        let far = crust.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)).then(a.cell.cmp(&b.cell)));
        far.map(|c| cells.middle(c.cell))
    };
    let one = farthest(centre)?;
    let other = farthest(one)?;
    let across = advanced(other, -1.0, one);
    let across = unit(advanced(across, -dot(across, centre), centre));
    let bend = [0, 1, 2].map(|k| Solid::new(stream.fork(k), f32::from(2u8 << k), NoiseFade::Improved));
    let sides: Vec<bool> = crust
        .iter()
        .map(|c| {
            let middle = cells.middle(c.cell);
            let place = middle.map(|x| x as f32);
            let noise: f32 =
                bend.iter().zip([0.5, 0.25, 0.12]).map(|(noise, weight)| weight * noise.value_at(place)).sum();
            dot(middle, across) + f64::from(noise) > 0.0
        })
        .collect();
    let far = sides.iter().filter(|&&far| far).count();
    (5 * far > sides.len() && 5 * far < 4 * sides.len()).then_some((centre, across, sides))
}

/// Removes plates that became too small.
pub fn drop_small(cells: &SphereCells, state: &mut PlateState, tables: &mut PlateTables) {
    let mut index = 0;
    while index < state.plates.len() {
        let crust = &state.plates[index].crust;
        let land: Vec<f64> = crust.iter().filter(|c| c.continental).map(|c| f64::from(cells.area(c.cell))).collect();
        if crust.len() < LEAST_CELLS[usize::from(land.is_empty())] {
            state.ledger.dropped += land.iter().sum::<f64>();
            state.plates.remove(index);
            tables.remove(index);
        } else {
            index += 1;
        }
    }
    let ids: Vec<u32> = state.plates.iter().map(|plate| plate.id).collect();
    state.sinking.retain(|(a, b), _| ids.contains(a) && ids.contains(b));
}
