//! Rivers, tributaries and forks as one network of [squig curves](super::squig), and their water levels.
//!
//! Courses: a river course is a sequence of edges of the mesh; each split chooses one half of every edge. On the first
//! `SHARED` levels, every river chooses its halves independently. After that the choice belongs to the edge, so courses
//! that cross the same edge meet there. Two courses in one triangle share one of its edges, so courses cannot cross
//! without meeting. A course that meets another course joins it and ends. A tributary starts on another side of the
//! terrain and leaves the terrain where a river does, so it meets the network there at the latest. A fork chooses other
//! halves along a stretch of a river, and either rejoins the river farther down or leaves the terrain separately.
//!
//! Discharge: rivers bring water in where they enter, and every course gains the same discharge per unit of its length.
//! At a fork the water is divided equally. Springs have a discharge of 0.
//!
//! Water levels: along every course the water falls evenly, except that the fraction `cascades` of its fall is in
//! steps. The levels L are then lowered as little as possible, so that two conditions hold. First, water never rises
//! downstream: L(next) ≤ L(s). Second, the terrain between two reaches is at most as steep as the bank's slope σ: L(s)
//! ≤ L(t) + σ·max(0, |s - t| - reach) for reaches s and t that are far apart along the water. Both are shortest-path
//! conditions, so Dijkstra's algorithm gives the levels exactly.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::reach::{HeapLevel, ReachBounds, distance, distance_around};
use super::squig::{Edge, TerrainEdge, Vertex, edges_across, refine, turn};
use talweg_ground::field::{Cancelled, Control, Stream};

/// Number of first levels on which every river course chooses its halves of edges independently.
const SHARED: u32 = 3;
/// Number of attempts to place a fork before it is skipped.
const TRIES: u64 = 16;
/// Number of nodes or segments that are tested as a group.
pub const RUN: usize = 16;

/// The numbers of rivers, tributaries and forks to create, and the edges where rivers enter and leave the terrain.
#[derive(Clone, Copy, Debug)]
pub struct RiverPlan {
    /// Edge of the terrain where rivers enter.
    pub entry: TerrainEdge,
    /// Edge of the terrain where rivers leave.
    pub exit: TerrainEdge,
    /// Number of main rivers.
    pub rivers: u32,
    /// Number of tributaries.
    pub tributaries: u32,
    /// Number of forks.
    pub forks: u32,
    /// Whether the terrain wraps.
    pub wraps: bool,
}

/// The longitudinal profile of the water.
#[derive(Clone, Copy, Debug)]
pub struct WaterProfile {
    /// Water level where rivers enter.
    pub source: f32,
    /// Fall of the water from entry to exit.
    pub drop: f32,
    /// Fraction of the fall that is in steps.
    pub cascades: f32,
    /// Number of steps along a river.
    pub steps: u32,
}

/// Conditions on the terrain between reaches with different water levels.
#[derive(Clone, Copy, Debug)]
pub struct Levees {
    /// Distance, as a fraction of the side, below which two reaches have the same level.
    pub reach: f32,
    /// Maximum slope of the terrain between reaches that are farther apart.
    pub slope: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RiverNodeKind {
    River,
    Tributary,
    Fork,
}

/// The path of a river: its nodes from the source to the mouth. The last node can belong to another river, and so can
/// the first node of a fork.
#[derive(Clone, Debug)]
pub struct Centreline {
    /// Indices of the nodes in [`RiverNetwork::nodes`].
    pub nodes: Vec<usize>,
    kind: RiverNodeKind,
}

/// A point on the path of a river.
#[derive(Clone, Copy, Debug)]
pub struct RiverNode {
    /// The point's vertex on the lattice of the level after the last level.
    pub vertex: Vertex,
    /// Distance from the west edge and from the north edge, as fractions of the side length.
    pub position: [f32; 2],
    /// Water level at this point.
    pub level: f32,
    centreline: usize,
    /// Length of the river from its source to this point, as a fraction of the side length.
    along: f32,
}

/// Rivers with their tributaries and forks.
#[derive(Clone, Debug, Default)]
pub struct RiverNetwork {
    /// All points where a river bends or meets another river.
    pub nodes: Vec<RiverNode>,
    /// The paths of all rivers, the main rivers first.
    pub centrelines: Vec<Centreline>,
    known: HashMap<Vertex, usize>,
    next: Vec<Vec<usize>>,
}

/// Random choices that determine the river courses.
#[derive(Clone, Copy)]
struct CourseChoices(Stream);

impl CourseChoices {
    /// Returns which half of an edge on `level` the river course with the number `salt` chooses.
    fn half(self, level: u32, salt: u64, edge: Edge) -> bool {
        let [row, column] = edge.middle();
        self.0.fork(u64::from(level)).fork(salt).bits(column, row) >> 63 == 1
    }

    /// Like [`half`](Self::half), but only on the first [`SHARED`] levels. On later levels all river courses share the
    /// choice.
    fn shared(self, level: u32, salt: u64, edge: Edge) -> bool {
        self.half(level, if level < SHARED { salt } else { 0 }, edge)
    }

    /// A random number below `count` for the river course with the number `salt`. `what` separates draws for different
    /// purposes.
    fn number_below(self, salt: u64, what: i32, count: usize) -> usize {
        (self.unit(salt, what) * count as f32) as usize
    }

    fn unit(self, salt: u64, what: i32) -> f32 {
        self.0.fork(1000 + salt).unit(what, 0)
    }
}

impl RiverNetwork {
    /// Creates the river courses after `level` splits, without water levels.
    pub fn new(plan: &RiverPlan, random: Stream, level: u32, control: &Control) -> Result<Self, Cancelled> {
        let chance = CourseChoices(random);
        let mut network = Self::default();
        let mut rivers = Vec::new();
        for k in 0..plan.rivers {
            control.check()?;
            let salt = u64::from(k) + 1;
            // Rivers enter in different eighths of the edge.
            let part = (chance.number_below(0, 0, 8) as u32 + k * 3) % 8;
            let choose = |l: u32, first: bool, _: bool, e: Edge| match first && l < SHARED {
                true => part >> (SHARED - 1 - l) & 1 == 1,
                false => chance.shared(l, salt, e),
            };
            let coarse = grow(plan.entry, plan.exit, level.min(SHARED), choose, part & 1 == 1);
            let fine = (SHARED..level).fold(coarse.clone(), |c, l| refine(&c, |_, e| chance.shared(l, salt, e)));
            network.join(&fine);
            rivers.push(coarse);
        }
        for k in 0..plan.tributaries {
            control.check()?;
            let salt = u64::from(k) + 100;
            let main = u64::from(k % plan.rivers) + 1;
            let sides: Vec<TerrainEdge> = TerrainEdge::ALL.iter().copied().filter(|&s| s != plan.exit).collect();
            let from = sides[chance.number_below(salt, 0, sides.len())];
            // At the exit, the tributary chooses the same halves of edges as the river.
            let choose = |l: u32, _: bool, last: bool, e: Edge| chance.shared(l, if last { main } else { salt }, e);
            network.flow_into(&grow(from, plan.exit, level, choose, false), chance.unit(salt, 1));
        }
        for k in 0..plan.forks {
            control.check()?;
            if level > SHARED {
                let main = &rivers[(k % plan.rivers) as usize];
                (0..TRIES).any(|attempt| {
                    let salt = 10_000 + u64::from(k) * TRIES + attempt;
                    let window = (2 + chance.number_below(salt, 0, 6)).min(main.len());
                    let first = chance.number_below(salt, 1, main.len() - window + 1);
                    // A fork has the same ends as its stretch of the river. Only where the river leaves the terrain can
                    // the fork leave separately.
                    let free = first + window == main.len();
                    let fine = (SHARED..level).fold(main[first..first + window].to_vec(), |c, l| {
                        let last = c.len() - 1;
                        let own = |i: usize| i > 0 && (i < last || free);
                        refine(&c, |i, e| chance.half(l, if own(i) { salt } else { 0 }, e))
                    });
                    network.fork(&fine, free, 1 << (level - SHARED))
                });
            }
        }
        network.set_positions(level);
        Ok(network)
    }

    fn id(&self, edge: Edge) -> Option<usize> {
        self.known.get(&edge.middle()).copied()
    }

    /// Adds a river course along `edges`. All edges except the first and the last must be new in the network.
    fn add(&mut self, edges: &[Edge], kind: RiverNodeKind) {
        let centreline = self.centrelines.len();
        let mut nodes = Vec::with_capacity(edges.len());
        for edge in edges {
            let id = self.id(*edge).unwrap_or_else(|| {
                let vertex = edge.middle();
                self.nodes.push(RiverNode { vertex, position: [0.0; 2], level: 0.0, centreline, along: 0.0 });
                self.next.push(Vec::new());
                self.known.insert(vertex, self.nodes.len() - 1);
                self.nodes.len() - 1
            });
            nodes.push(id);
        }
        for pair in nodes.windows(2) {
            self.next[pair[0]].push(pair[1]);
        }
        self.centrelines.push(Centreline { nodes, kind });
    }

    /// Adds a river along `edges`, down to the first point that is already part of the network.
    fn join(&mut self, edges: &[Edge]) {
        let end = edges.iter().position(|&e| self.id(e).is_some()).map_or(edges.len(), |k| k + 1);
        if end > 1 || self.nodes.is_empty() {
            self.add(&edges[..end], RiverNodeKind::River);
        }
    }

    /// Adds a tributary along `edges`, down to the first point of the network. The fraction `cut` shortens its upper
    /// part.
    fn flow_into(&mut self, edges: &[Edge], cut: f32) {
        if let Some(end) = edges.iter().position(|&e| self.id(e).is_some()) {
            let start = (end as f32 * cut * 0.7) as usize;
            if end >= start + 2 {
                self.add(&edges[start..=end], RiverNodeKind::Tributary);
            }
        }
    }

    /// Adds a fork: the longest stretch of `edges` between two points of the network. With `free`, the stretch can also
    /// lead from a point of the network out of the terrain. The second point must not be upstream of the first. Returns
    /// false if no stretch has at least `least` new nodes.
    fn fork(&mut self, edges: &[Edge], free: bool, least: usize) -> bool {
        let mut best = 0..0;
        let mut from = None;
        for (k, edge) in edges.iter().enumerate() {
            let known = self.id(*edge);
            if let Some(start) = from.filter(|&s| known.is_some() || (free && k + 1 == edges.len() && s < k)) {
                let fits = match (known, self.id(edges[start])) {
                    (Some(to), Some(at)) => to != at && !self.drains_to(to, at),
                    _ => true,
                };
                if fits && k - start > least.max(2) && k - start > best.len() {
                    best = start..k + 1;
                }
            }
            if known.is_some() {
                from = Some(k);
            }
        }
        if !best.is_empty() {
            self.add(&edges[best.clone()], RiverNodeKind::Fork);
        }
        !best.is_empty()
    }

    /// Whether the water of node `from` reaches node `to`.
    fn drains_to(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&self.next[at]);
            }
        }
        false
    }

    /// Sets the positions of the nodes: on the lattice, then smoothed twice along each river course. An end of a course
    /// moves only if another course passes through it.
    fn set_positions(&mut self, level: u32) {
        let cell = 1.0 / (1u32 << (level + 1)) as f32;
        for node in &mut self.nodes {
            node.position = [node.vertex[1] as f32 * cell, node.vertex[0] as f32 * cell];
        }
        for _ in 0..2 {
            let old: Vec<[f32; 2]> = self.nodes.iter().map(|n| n.position).collect();
            for centreline in &self.centrelines {
                for three in centreline.nodes.windows(3) {
                    let [a, b, c] = [old[three[0]], old[three[1]], old[three[2]]];
                    self.nodes[three[1]].position = std::array::from_fn(|k| (a[k] + 2.0 * b[k] + c[k]) * 0.25);
                }
            }
        }
        for (k, centreline) in self.centrelines.iter().enumerate() {
            let mut along = 0.0;
            for pair in centreline.nodes.windows(2) {
                along += distance(self.nodes[pair[0]].position, self.nodes[pair[1]].position);
                let node = &mut self.nodes[pair[1]];
                if node.centreline == k {
                    node.along = along;
                }
            }
        }
    }

    /// Returns the discharge at every node of every river course, as a fraction of the maximum of the network. Where a
    /// course joins another course, the discharge of its last node is only its own water. A single river that enters
    /// the terrain brings the fraction `inflow` of its discharge at the exit; `inflow` is at least 0 and below 1.
    pub fn discharges(&self, inflow: f32) -> Vec<Vec<f32>> {
        let apart = |a: usize, b: usize| distance(self.nodes[a].position, self.nodes[b].position);
        let length: f32 = self.centrelines.iter().flat_map(|c| c.nodes.windows(2)).map(|p| apart(p[0], p[1])).sum();
        let rivers = self.centrelines.iter().filter(|c| c.kind == RiverNodeKind::River).count().max(1);
        let mut water = vec![0.0; self.nodes.len()];
        for river in self.centrelines.iter().filter(|c| c.kind == RiverNodeKind::River) {
            water[river.nodes[0]] = length * inflow / (1.0 - inflow) / rivers as f32;
        }
        // Nodes are visited in downstream order, each after all nodes above it. Merged courses pass a node only once.
        let mut above = vec![0u32; self.nodes.len()];
        self.next.iter().flatten().for_each(|&below| above[below] += 1);
        let mut ready: Vec<usize> = (0..self.nodes.len()).filter(|&id| above[id] == 0).collect();
        while let Some(id) = ready.pop() {
            let share = water[id] / self.next[id].len().max(1) as f32;
            for &below in &self.next[id] {
                water[below] += share + apart(id, below);
                above[below] -= 1;
                if above[below] == 0 {
                    ready.push(below);
                }
            }
        }
        let most = water.iter().fold(f32::MIN_POSITIVE, |most: f32, &w| if w > most { w } else { most });
        let of_course = |(k, centreline): (usize, &Centreline)| -> Vec<f32> {
            let nodes = &centreline.nodes;
            let mut own: Vec<f32> = nodes.iter().map(|&id| water[id] / most).collect();
            if let [.., from, to] = nodes[..]
                && self.nodes[to].centreline != k
            {
                own[nodes.len() - 1] = (water[from] / self.next[from].len() as f32 + apart(from, to)) / most;
            }
            own
        };
        self.centrelines.iter().enumerate().map(of_course).collect()
    }

    /// Sets the initial water level of every node.
    pub fn set_initial_levels(&mut self, fall: &WaterProfile, random: Stream) {
        let length = |centreline: &Centreline, nodes: &[RiverNode]| -> f32 {
            centreline.nodes.windows(2).map(|p| distance(nodes[p[0]].position, nodes[p[1]].position)).sum()
        };
        let Some(first) = self.centrelines.first() else { return };
        let river = length(first, &self.nodes).max(1e-3);
        for (k, centreline) in self.centrelines.iter().enumerate() {
            let own = length(centreline, &self.nodes);
            let (first, last) = (centreline.nodes[0], centreline.nodes[centreline.nodes.len() - 1]);
            let joins = |id: usize| (self.nodes[id].centreline != k).then(|| self.nodes[id].level);
            let low = joins(last).unwrap_or(fall.source - fall.drop);
            let high = match centreline.kind {
                RiverNodeKind::River => fall.source,
                // Upper courses are steeper, but their springs are no higher than the source of the rivers.
                RiverNodeKind::Tributary => (low + fall.drop * own / river * 1.6).min(fall.source),
                RiverNodeKind::Fork => joins(first).unwrap_or(fall.source),
            }
            .max(low);
            let share = (own / river).clamp(0.0, 1.0);
            let steps = libm::rintf(fall.steps as f32 * share).max(1.0);
            let step = |j: f32| (j + 0.5 + 0.6 * (random.fork(k as u64).unit(j as i32, 0) - 0.5)) / steps;
            let mut along = 0.0;
            let mut passed = 0.0;
            let count = centreline.nodes.len();
            for i in 0..count {
                let id = centreline.nodes[i];
                if i > 0 {
                    along += distance(self.nodes[centreline.nodes[i - 1]].position, self.nodes[id].position);
                }
                let part = if own > 0.0 { (along / own).min(1.0) } else { 0.0 };
                while passed < steps && step(passed) <= part {
                    passed += 1.0;
                }
                let fallen = (1.0 - fall.cascades) * part + fall.cascades * passed / steps;
                if self.nodes[id].centreline == k {
                    self.nodes[id].level = high + (low - high) * fallen;
                }
            }
        }
    }

    /// Lowers water levels until water never rises downstream, and the terrain between reaches can hold the water.
    pub fn lower_levels(&mut self, banks: Option<Levees>, wraps: bool, control: &Control) -> Result<(), Cancelled> {
        let runs: Vec<ReachBounds> =
            self.nodes.chunks(RUN).map(|run| ReachBounds::enclosing(run.iter().map(|n| n.position))).collect();
        let mut highest: Vec<f32> =
            self.nodes.chunks(RUN).map(|run| run.iter().map(|n| n.level).fold(f32::MIN, f32::max)).collect();
        let mut done = vec![false; self.nodes.len()];
        let mut open: BinaryHeap<Reverse<(HeapLevel, usize)>> =
            self.nodes.iter().enumerate().map(|(id, n)| Reverse((HeapLevel(n.level), id))).collect();
        let mut settled = 0u32;
        while let Some(Reverse((HeapLevel(level), id))) = open.pop() {
            if std::mem::replace(&mut done[id], true) {
                continue;
            }
            settled += 1;
            if settled.is_multiple_of(256) {
                control.check()?;
            }
            let here = self.nodes[id];
            for k in 0..self.next[id].len() {
                let next = self.next[id][k];
                if self.nodes[next].level > level {
                    self.nodes[next].level = level;
                    open.push(Reverse((HeapLevel(level), next)));
                }
            }
            let Some(banks) = banks else { continue };
            let above = |distance: f32| level + banks.slope * (distance - banks.reach).max(0.0);
            for (r, run) in runs.iter().enumerate() {
                if highest[r] <= level || highest[r] <= above(run.distance_from(here.position, wraps)) {
                    continue;
                }
                let mut most = f32::MIN;
                for other in r * RUN..((r + 1) * RUN).min(self.nodes.len()) {
                    let node = &mut self.nodes[other];
                    if node.level > level {
                        let apart = distance_around(here.position, node.position, wraps);
                        let far = node.centreline != here.centreline
                            || (node.along - here.along).abs() > 2.0 * apart + 3.0 * banks.reach;
                        if far && node.level > above(apart) {
                            node.level = above(apart);
                            open.push(Reverse((HeapLevel(node.level), other)));
                        }
                    }
                    most = most.max(node.level);
                }
                highest[r] = most;
            }
        }
        Ok(())
    }
}

/// Creates a river course from side to side after `level` splits. `choose(level, first, last, edge)` returns whether
/// the course takes the half at the edge's second end.
fn grow(
    entry: TerrainEdge,
    exit: TerrainEdge,
    level: u32,
    choose: impl Fn(u32, bool, bool, Edge) -> bool,
    back: bool,
) -> Vec<Edge> {
    let (mut centreline, start) = match entry == exit && level > 0 {
        true => (turn(entry, back), 1),
        false => (edges_across(entry, exit), 0),
    };
    for l in start..level {
        let last = centreline.len() - 1;
        centreline = refine(&centreline, |k, e| choose(l, k == 0, k == last, e));
    }
    centreline
}
