//! Where the rivers of a planet end: fjords and deltas.

use super::rivers::{Network, PlanetRivers};
use super::rivers_valleys::Reach;
use crate::field::globe::latitude;
use crate::nodes::{Cancelled, Context};

/// How much steeper the walls of a fjord are than the sides of a valley.
const WALL: f32 = 6.0;
/// Depth of the sill at the mouth of a fjord, beside its greatest depth.
const SILL: f32 = 0.3;
/// Height of a delta above the sea at the mouth.
const PLAIN_METRES: f32 = 15.0;
/// Depth of the sea in which a delta still grows.
const SHALLOW_METRES: f32 = 250.0;
/// Smallest delta, in cells.
const LEAST_CELLS: f32 = 1.2;
const ARMS: i32 = 3;

/// Deepens the last stretch of the rivers near the poles below the sea, and says which cells that are.
///
/// Law: a river cell is a fjord where the cells between it and the sea are, and the way there along the river is shorter than
/// the length of fjords at its latitude: none at the given latitude, all of it from 10° nearer to the pole. The floor lies
/// D·(s + (1 - s)·4t(1 - t)) below the sea for the part t of that length, with a sill s at the mouth.
pub(super) fn fjords(node: &PlanetRivers, network: &Network, rivers: &[usize], reaches: &mut [Reach]) -> Vec<bool> {
    let Network { cells, routes, sea, radius_metres, .. } = network;
    let mut way = vec![0.0f32; cells.len()];
    let mut is_fjord = vec![false; cells.len()];
    for (&k, reach) in rivers.iter().zip(reaches.iter_mut()).rev() {
        let to = routes.receiver[k] as usize;
        let step = cells.around(k).into_iter().flatten().find(|&(there, _)| there == to).map_or(0.0, |(_, d)| d);
        way[k] = way[to] + step * radius_metres;
        let degrees = latitude(cells.globe().direction_of(k).map(f64::from)).abs().to_degrees() as f32;
        let cold = ((degrees - node.fjord_latitude) * 0.1).clamp(0.0, 1.0);
        let length = node.fjords * 1000.0 * cold;
        if way[k] >= length || (network.is_river[to] && !is_fjord[to]) {
            continue;
        }
        is_fjord[k] = true;
        let part = way[k] / length;
        let depth = node.fjord_depth * (SILL + (1.0 - SILL) * 4.0 * part * (1.0 - part));
        let floor = sea - depth / network.relief_metres;
        reach.bed = if floor < reach.bed { floor } else { reach.bed };
        reach.slope *= WALL;
        reach.half_width *= 0.5;
    }
    is_fjord
}

/// Lays the ground of deltas on the shallow sea floor around the mouths of great rivers.
///
/// Law: around a mouth of discharge q (in reference areas) up to R = r·q^½ away, the sea floor is raised to a plain that falls from
/// [`PLAIN_METRES`] above the sea at the mouth to as much below it at R, less the deeper the sea is and nothing from
/// [`SHALLOW_METRES`] on. Arms, courses of sea cells that lead away from the mouth, stay open.
pub(super) fn deltas(
    node: &PlanetRivers,
    network: &Network,
    rivers: &[usize],
    is_fjord: &[bool],
    ground: &mut [f32],
    cx: &Context,
) -> Result<(), Cancelled> {
    let Network { cells, routes, discharge, is_river, sea, radius_metres, relief_metres } = network;
    let globe = cells.globe();
    let cell_metres = cells.mean_area(f64::from(*radius_metres)).sqrt() as f32;
    let apart = |a: usize, b: usize| {
        let (a, b) = (globe.direction_of(a), globe.direction_of(b));
        let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        (x * x + y * y + z * z).sqrt() * radius_metres
    };
    let floor = ground.to_vec();
    let is_sea = |k: usize| floor[k] <= *sea;
    let mut raised: Vec<(usize, f32)> = Vec::new();
    let mut open = vec![false; ground.len()];
    let mut seen = vec![u32::MAX; ground.len()];
    for (number, &mouth) in rivers.iter().enumerate() {
        let to = routes.receiver[mouth] as usize;
        if is_river[to] || !is_sea(to) || is_fjord.get(mouth).copied().unwrap_or(false) {
            continue;
        }
        let radius = node.deltas * 1000.0 * discharge[mouth].sqrt();
        if radius < LEAST_CELLS * cell_metres {
            continue;
        }
        cx.control.check()?;
        for arm in 0..ARMS {
            let mut at = to;
            loop {
                open[at] = true;
                let here = apart(at, mouth);
                if here > radius {
                    break;
                }
                let choice = |&k: &usize| cx.random.unit(k as i32, arm);
                let farther = cells.beside(at).filter(|&k| is_sea(k) && apart(k, mouth) > here);
                let Some(next) = farther.reduce(|a, b| if choice(&b) > choice(&a) { b } else { a }) else { break };
                at = next;
            }
        }
        let mut front = vec![to];
        seen[to] = number as u32;
        while let Some(k) = front.pop() {
            let part = apart(k, mouth) / radius;
            if part > 1.0 {
                continue;
            }
            let plain = sea + PLAIN_METRES * (1.0 - 2.0 * part) / relief_metres;
            let shallow = (1.0 - (sea - floor[k]) * relief_metres / SHALLOW_METRES).clamp(0.0, 1.0);
            raised.push((k, floor[k] + (plain - floor[k]) * (2.0 * shallow).clamp(0.0, 1.0)));
            for there in cells.beside(k) {
                if is_sea(there) && seen[there] != number as u32 {
                    seen[there] = number as u32;
                    front.push(there);
                }
            }
        }
    }
    for (k, height) in raised {
        if !open[k] && height > ground[k] {
            ground[k] = height;
        }
    }
    Ok(())
}
