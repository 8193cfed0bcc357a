//! The mouths of the rivers of a planet: fjords and deltas.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::{Network, PlanetRivers};
use crate::Context;
use crate::water::banks::RiverCell;
use talweg_ground::field::globe::latitude;
use talweg_ground::field::{Cancelled, Globe};
use talweg_ground::hydrology::FlowMesh;

/// Slope of fjord walls, as a multiple of the slope of valley sides.
const WALL: f32 = 6.0;
/// Depth of the sill at the mouth of a fjord, as a fraction of the fjord's maximum depth.
const SILL: f32 = 0.3;
/// Height of a delta above the sea at the river mouth, in metres.
const PLAIN_METRES: f32 = 15.0;
/// Maximum depth of the sea floor on which a delta grows, in metres.
const SHALLOW_METRES: f32 = 250.0;
/// Minimum length of a delta, in cells.
const LEAST_CELLS: f32 = 1.2;
const ARMS: usize = 3;
/// Base cost of a step along an arm of a delta. A random cost of up to one is added, so a small base cost makes arms
/// wind more.
const STRAIGHT: f32 = 0.3;

/// Deepens the lowest part of the rivers near the poles below the sea, and returns which cells are fjords.
///
/// Law: a river cell is a fjord if all cells between it and the sea are fjords, and if its distance to the sea along
/// the river is less than the fjord length at its latitude. The fjord length is 0 at the given latitude, and reaches
/// its full value 10° closer to the pole. The floor is D·(s + (1 - s)·4t(1 - t)) below the sea, with D the fjord depth
/// and s [`SILL`]. t is the distance from the sill as a fraction of the fjord length. The sill is the last cell of the
/// river.
pub(super) fn fjords(node: &PlanetRivers, network: &Network, rivers: &[usize], reaches: &mut [RiverCell]) -> Vec<bool> {
    let Network { mesh, graph, sea, cell_metres, .. } = network;
    let globe = Globe::new(mesh.grid().samples);
    // Length of the river from each cell to the sea.
    let mut way = vec![0.0f32; mesh.len()];
    // Length of the river between the sill and the sea.
    let mut outside = vec![0.0f32; mesh.len()];
    let mut is_fjord = vec![false; mesh.len()];
    for (&k, reach) in rivers.iter().zip(reaches.iter_mut()).rev() {
        let to = graph.receivers[k] as usize;
        way[k] = way[to] + mesh.distance(k, to) * cell_metres;
        outside[k] = if network.is_river[to] { outside[to] } else { way[k] };
        let degrees = latitude(globe.direction_of(k).map(f64::from)).abs().to_degrees() as f32;
        let cold = ((degrees - node.fjord_latitude) * 0.1).clamp(0.0, 1.0);
        let length = node.fjords * 1000.0 * cold;
        if way[k] >= length || (network.is_river[to] && !is_fjord[to]) {
            continue;
        }
        is_fjord[k] = true;
        let part = (way[k] - outside[k]) / (length - outside[k]);
        let depth = node.fjord_depth * (SILL + (1.0 - SILL) * 4.0 * part * (1.0 - part));
        let floor = sea - depth / network.relief_metres;
        reach.bed = if floor < reach.bed { floor } else { reach.bed };
        reach.rise *= WALL;
        reach.half_width *= 0.5;
    }
    is_fjord
}

/// Deposits the land of deltas on the shallow sea floor around the mouths of great rivers.
///
/// Law: a river with discharge q (as a multiple of the reference area) has a delta of radius R = r·q^½ around its
/// mouth, with r the delta length. Within R the sea floor is raised towards a plain. The plain falls from
/// [`PLAIN_METRES`] above the sea at the mouth to the same distance below the sea at R. The rise decreases with the
/// depth of the sea, to 0 at [`SHALLOW_METRES`] and deeper. Arms stay open: they are channels of sea cells from the
/// mouth to points at R. A cell also stays open if the sea around it would otherwise be divided ([`joins_the_sea`]), so
/// a connected sea stays connected.
pub(super) fn deltas(
    node: &PlanetRivers,
    network: &Network,
    rivers: &[usize],
    is_fjord: &[bool],
    ground: &mut [f32],
    cx: &Context,
) -> Result<(), Cancelled> {
    let Network { mesh, graph, discharge, is_river, sea, cell_metres, relief_metres, .. } = network;
    let is_sea = |k: usize| ground[k] <= *sea;
    let mut raised: Vec<(usize, f32)> = Vec::new();
    let mut open = vec![false; ground.len()];
    for &mouth in rivers {
        let to = graph.receivers[mouth] as usize;
        if is_river[to] || !is_sea(to) || is_fjord.get(mouth).copied().unwrap_or(false) {
            continue;
        }
        let radius = node.deltas * 1000.0 * discharge[mouth].sqrt();
        if radius < LEAST_CELLS * cell_metres {
            continue;
        }
        cx.control.check()?;
        let from_mouth = |k: usize| network.chord_metres(k, mouth);
        let random = |k: usize| cx.random.unit(k as i32, 0);
        let bay =
            Bay::grown(to, radius, from_mouth, random, |k| mesh.existing_neighbours(k).filter(|&there| is_sea(there)));
        bay.arms(|a, b| network.chord_metres(a, b)).into_iter().for_each(|k| open[k] = true);
        for place in bay.places.iter().filter(|place| place.from_mouth <= radius) {
            let plain = sea + PLAIN_METRES * (1.0 - 2.0 * place.from_mouth / radius) / relief_metres;
            let floor = ground[place.cell];
            let shallow = (1.0 - (sea - floor) * relief_metres / SHALLOW_METRES).clamp(0.0, 1.0);
            raised.push((place.cell, floor + (plain - floor) * (2.0 * shallow).clamp(0.0, 1.0)));
        }
    }
    // The highest cells come first, so that land grows outwards from the mouths.
    raised.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for (k, height) in raised {
        let rises = height > *sea && ground[k] <= *sea;
        if !open[k] && height > ground[k] && !(rises && joins_the_sea(mesh, k, |there| ground[there] <= *sea)) {
            ground[k] = height;
        }
    }
    Ok(())
}

/// The sea around a river mouth: the connected sea cells within a radius of the mouth, and the cells just beyond.
struct Bay {
    places: Vec<SeaCell>,
    radius: f32,
}

/// A cell of the sea, on a path from a river mouth.
struct SeaCell {
    cell: usize,
    from_mouth: f32,
    /// Index of the previous cell on the path of least cost from the mouth. The first cell refers to itself.
    before: usize,
}

impl Bay {
    /// Finds the cells connected to `start` within `radius` of the mouth. Each step of a path costs [`STRAIGHT`] plus a
    /// random number.
    fn grown<B: Iterator<Item = usize>>(
        start: usize,
        radius: f32,
        from_mouth: impl Fn(usize) -> f32,
        random: impl Fn(usize) -> f32,
        beside: impl Fn(usize) -> B,
    ) -> Self {
        let mut places: Vec<SeaCell> = Vec::new();
        let mut settled = HashSet::new();
        // Costs are positive, so their bit patterns have the same order as the costs.
        let mut front = BinaryHeap::from([Reverse((0u32, start, 0))]);
        while let Some(Reverse((cost, cell, before))) = front.pop() {
            if !settled.insert(cell) {
                continue;
            }
            let place = SeaCell { cell, from_mouth: from_mouth(cell), before };
            if place.from_mouth <= radius {
                let ways = beside(cell).filter(|there| !settled.contains(there));
                let further = |there| f32::to_bits(f32::from_bits(cost) + STRAIGHT + random(there));
                front.extend(ways.map(|there| Reverse((further(there), there, places.len()))));
            }
            places.push(place);
        }
        Self { places, radius }
    }

    /// Returns the cells of the delta's arms: paths to [`ARMS`] points beyond the radius, each as far as possible from
    /// the others. If the sea ends before the radius, there is a single path to the farthest point of the sea.
    fn arms(&self, apart: impl Fn(usize, usize) -> f32) -> Vec<usize> {
        let beyond = |place: &usize| self.places[*place].from_mouth > self.radius;
        let mut ends: Vec<usize> = (0..self.places.len()).filter(beyond).collect();
        if ends.is_empty() {
            let farther = |a: &usize, b: &usize| self.places[*a].from_mouth.total_cmp(&self.places[*b].from_mouth);
            ends.extend((0..self.places.len()).max_by(farther));
        }
        let mut open = Vec::new();
        // The first point found is chosen first. Each further choice is the point farthest from all chosen points.
        let mut nearest = vec![f32::INFINITY; ends.len()];
        let mut next = Some(0);
        for _ in 0..ARMS {
            let Some(end) = next else { break };
            for (distance, &other) in nearest.iter_mut().zip(&ends) {
                *distance = distance.min(apart(self.places[ends[end]].cell, self.places[other].cell));
            }
            let mut at = ends[end];
            loop {
                open.push(self.places[at].cell);
                if self.places[at].before == at {
                    break;
                }
                at = self.places[at].before;
            }
            next = (0..ends.len()).filter(|&e| nearest[e] > 0.0).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]));
        }
        open
    }
}

/// Whether the sea cells around cell `k` are connected only through `k`, judging by the neighbours of `k` alone.
///
/// Cells become land one after another, and only if this function returns false for them. The sea is therefore never
/// divided (simple points; Rosenfeld 1970).
fn joins_the_sea(mesh: &FlowMesh, k: usize, is_sea: impl Fn(usize) -> bool) -> bool {
    let around: Vec<usize> = mesh.existing_neighbours(k).filter(|&there| is_sea(there)).collect();
    let mut reached = vec![false; around.len()];
    let mut front: Vec<usize> = (!around.is_empty()).then_some(0).into_iter().collect();
    while let Some(from) = front.pop() {
        if !std::mem::replace(&mut reached[from], true) {
            let beside = |&to: &usize| mesh.existing_neighbours(around[from]).any(|there| there == around[to]);
            front.extend((0..around.len()).filter(beside));
        }
    }
    reached.contains(&false)
}
