//! The river channels of a planet between its samples, at the actual width of the rivers.
//!
//! Network: the river network of the planet's own terrain. Water flows down the steepest slope, and out of depressions
//! over their spill points ([`FlowGraph`]). A river starts where the drainage area exceeds [`SOURCE_CELLS`] cells and
//! also the fraction [`SOURCE_SHARE`] of the planet's area.
//! Path: a river flows from cell t through cell k to cell r. Its path runs from the midpoint of t and k to the midpoint
//! of k and r. The path is a quadratic Bézier curve with control point k, so that bends and confluences are smooth.
//! Law: a drainage area with an annual runoff of 0.3 m has the discharge Q in m³/s; the river is 7·Q^½ m wide and
//! 0.27·Q^0.4 m deep. Bed and water surface never rise downstream, and the bed stays above the sea, as in
//! [`PlanetRivers`](crate::planet::rivers::PlanetRivers).
//! Source: Leopold & Maddock 1953 (the exponents). The factors are from that paper's means for rivers of the plains,
//! and 0.3 m a year is the mean runoff of Earth's land.

use rayon::prelude::*;

use talweg_ground::field::globe::direction_at;
use talweg_ground::field::vector::{squared_distance, unit};
use talweg_ground::field::{Cancelled, Control, Globe, MapKind, Terrain};
use talweg_ground::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate};

use super::coarse::{QuadPosition, quad_of};
use super::octaves::{BlockLane, BlockPoints, PART};

/// Minimum drainage area of a river, in cells of the planet. `SOURCE_SHARE` is the minimum as a fraction of the
/// planet's area. Both minima apply.
const SOURCE_CELLS: f64 = 6.0;
const SOURCE_SHARE: f64 = 3.0e-6;
/// Annual runoff from the land in metres.
const RUNOFF_METRES: f64 = 0.3;
const SECONDS_A_YEAR: f64 = 3.156e7;
/// Depth of the water as a fraction of the bed's depth. `FREEBOARD` is the height of the banks above the water as a
/// fraction of the bed's depth.
const FULL: f32 = 0.8;
const FREEBOARD: f32 = 0.1;
/// Minimum height of a bed above the sea in metres.
const ABOVE_SEA_METRES: f32 = 0.02;
/// Number of straight segments into which each Bézier curve is divided.
const PIECES: usize = 4;
/// Distance from a river within which the river shapes its valley, in cells of the planet.
const VALLEY_CELLS: f64 = 0.45;
/// Side length of a planet's smallest cells, relative to the mean side length.
const SMALLEST_CELL: f64 = 0.7;

/// Values of a quantity at the start and at the end of a piece of a river's path.
type Ends = [f32; 2];

/// A straight segment of a river's path, in metres.
#[derive(Clone, Copy, Debug)]
struct CoursePiece {
    from: [f64; 3],
    along: [f32; 3],
    /// Reciprocal of the piece's squared length.
    per_square: f32,
    bed: Ends,
    water: Ends,
    bank: Ends,
    half_width: Ends,
    /// Length of the piece plus half the width of the river, in metres.
    reach_metres: f32,
}

/// A cell that a river runs through. All values are in metres.
#[derive(Clone, Copy, Debug)]
struct CourseNode {
    bed: f32,
    water: f32,
    bank: f32,
    half_width: f32,
}

/// The river channels and lakes of a planet.
pub struct RiverCourses {
    pieces: Vec<CoursePiece>,
    /// Pairs of two numbers, in ascending order: the number of a quadrangle, and the index of a piece whose valley
    /// extends into this quadrangle.
    reached: Vec<(u32, u32)>,
    samples: usize,
    valley_metres: f32,
    lakes: Option<Vec<bool>>,
}

/// The influence of rivers on the terrain at the points of a block.
pub struct RiverInfluence {
    /// Distance of the point from the nearest river bank, in metres. It is negative inside the river, and infinite if
    /// no river is near.
    pub beyond: BlockLane,
    /// Height of the bed in metres, if the point is in a river.
    pub bed: BlockLane,
    /// Height of the nearest river's water surface in metres.
    pub water: BlockLane,
    /// Weighted mean height of the surrounding banks in metres.
    pub bank: BlockLane,
    /// Actual width of the nearest river divided by its drawn width here, from 0 to 1. Narrow rivers are drawn as wide
    /// as the sample spacing.
    pub narrowness: BlockLane,
    weight: BlockLane,
}

impl Default for RiverInfluence {
    fn default() -> Self {
        let far = [f32::INFINITY; PART];
        let nothing = [0.0; PART];
        Self { beyond: far, bed: far, water: far, bank: nothing, narrowness: nothing, weight: nothing }
    }
}

/// The input from which a planet's rivers are computed.
pub struct RiverGround<'a> {
    pub terrain: &'a Terrain,
    pub mesh: &'a FlowMesh,
    pub radius_metres: f64,
    pub relief_metres: f32,
    /// Height of the sea in metres; `None` without a sea.
    pub sea_metres: Option<f32>,
}

impl RiverCourses {
    /// Returns an empty set of rivers.
    pub fn none() -> Self {
        Self { pieces: Vec::new(), reached: Vec::new(), samples: 2, valley_metres: 1.0, lakes: None }
    }

    /// Finds the rivers of a planet and computes their channels.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn new(ground: &RiverGround, control: &Control) -> Result<Self, Cancelled> {
        let RiverGround { terrain, mesh, radius_metres, relief_metres, sea_metres } = *ground;
        let sea = sea_metres.map_or(f32::NEG_INFINITY, |sea| sea / relief_metres);
        let outlets = Outlets::new(terrain.grid, &terrain.height, sea);
        let graph = FlowGraph::new(mesh, &terrain.height, &outlets, FlowRouting::D8, control)?;
        let mut areas = mesh.areas();
        if let Some(rain) = terrain.map(MapKind::Rain) {
            areas.iter_mut().zip(rain.iter()).for_each(|(area, &rain)| *area *= if rain > 0.0 { rain } else { 0.0 });
        }
        let order = accumulate(&graph.receivers, &mut areas, control)?;
        let cell_metres = f64::from(mesh.cell_metres((radius_metres * std::f64::consts::FRAC_PI_2) as f32));
        let share = SOURCE_SHARE * terrain.grid.distinct_len() as f64;
        let least = if share > SOURCE_CELLS { share } else { SOURCE_CELLS } as f32;
        let receivers = &graph.receivers;
        let is_river = |k: usize| areas[k] >= least && receivers[k] as usize != k;
        let rivers: Vec<usize> = order.iter().map(|k| k as usize).filter(|&k| is_river(k)).collect();
        let mut number = vec![u32::MAX; terrain.grid.len()];
        rivers.iter().enumerate().for_each(|(index, &k)| number[k] = index as u32);

        // The rivers are in downstream order, so that a node can be limited to the heights of the node upstream.
        let mut nodes: Vec<CourseNode> = Vec::with_capacity(rivers.len());
        let mut highest = vec![[f32::INFINITY; 2]; rivers.len()];
        let mut main = vec![u32::MAX; rivers.len()];
        for (index, &k) in rivers.iter().enumerate() {
            let discharge = f64::from(areas[k]) * cell_metres * cell_metres * RUNOFF_METRES / SECONDS_A_YEAR;
            let depth = (0.27 * libm::pow(discharge, 0.4)) as f32;
            let ground = lesser(terrain.height[k] * relief_metres, highest[index][0]);
            let floor = sea_metres.map_or(f32::NEG_INFINITY, |sea| sea + ABOVE_SEA_METRES);
            let bed = greater(ground - depth, floor);
            let water = lesser(bed + FULL * depth, highest[index][1]);
            let bank = greater(ground, water + FREEBOARD * depth);
            nodes.push(CourseNode { bed, water, bank, half_width: (3.5 * discharge.sqrt()) as f32 });
            let to = number[receivers[k] as usize];
            if to != u32::MAX {
                let next = &mut highest[to as usize];
                *next = [lesser(next[0], ground), lesser(next[1], water)];
                let before = &mut main[to as usize];
                if *before == u32::MAX || areas[rivers[*before as usize]] < areas[k] {
                    *before = index as u32;
                }
            }
        }
        control.check()?;

        let globe = Globe::new(terrain.samples());
        let place = |k: usize| {
            globe.exact_direction(
                k / globe.samples().pow(2),
                k / globe.samples() % globe.samples(),
                k % globe.samples(),
            )
        };
        let mut course = CourseWriter { pieces: Vec::new(), radius: radius_metres };
        let middle = |a: [f64; 3], b: [f64; 3]| unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
        let mut has_source = vec![true; rivers.len()];
        for (index, &k) in rivers.iter().enumerate() {
            let (here, node) = (place(k), nodes[index]);
            let to = receivers[k] as usize;
            let there = place(to);
            let out = middle(here, there);
            if has_source[index] {
                course.line([here, out], [node, mean(node, downstream_node(&nodes, &number, to, node))]);
            }
            match number[to] {
                // the last piece of a river continues into the sea
                u32::MAX => course.line([out, there], [node, node]),
                next => {
                    has_source[next as usize] = false;
                    let receiver = receivers[to] as usize;
                    let is_main = main[next as usize] == index as u32;
                    let own = nodes[next as usize];
                    let beyond = downstream_node(&nodes, &number, receiver, own);
                    let ends = [mean(node, own), mean(own, beyond)];
                    let width = |end: CourseNode| CourseNode { half_width: node.half_width, ..end };
                    // a river that joins a larger one keeps its width
                    let ends = [
                        width(ends[0]),
                        if is_main { CourseNode { half_width: own.half_width, ..ends[1] } } else { width(ends[1]) },
                    ];
                    course.curve([out, there, middle(there, place(receiver))], [ends[0], own, ends[1]]);
                }
            }
        }
        let valley_metres = (VALLEY_CELLS * cell_metres) as f32;
        let mut courses = Self {
            pieces: course.pieces,
            reached: Vec::new(),
            samples: terrain.samples(),
            valley_metres,
            lakes: terrain.map(MapKind::Water).and_then(|water| lakes(&graph, terrain, water)),
        };
        courses.register();
        Ok(courses)
    }

    /// Distance from the banks within which a river shapes its valley.
    pub fn valley_metres(&self) -> f32 {
        self.valley_metres
    }

    /// Takes the list of the cells in depressions that hold water according to the water map; `None` if no cell does.
    pub fn take_lakes(&mut self) -> Option<Vec<bool>> {
        self.lakes.take()
    }

    fn quad_number(&self, [face, row, column]: QuadPosition) -> u32 {
        ((face * self.samples + row) * self.samples + column) as u32
    }

    /// Finds all quadrangles that a river piece can influence: each has a point within the valley of the piece.
    fn register(&mut self) {
        let quads = self.samples - 1;
        let cell_metres = f64::from(self.valley_metres) / VALLEY_CELLS;
        let reached_by = |index: usize, piece: &CoursePiece| {
            let middle: [f64; 3] = std::array::from_fn(|k| piece.from[k] + 0.5 * f64::from(piece.along[k]));
            let half = 0.5 / f64::from(piece.per_square).sqrt();
            let wide = f64::from(greater(piece.half_width[0], piece.half_width[1]));
            let reach = f64::from(self.valley_metres) + half + wide;
            let [face, row, column] = quad_of(self.samples, middle);
            // Beyond the border of a face its grid continues, and the adjacent face's grid is skewed relative to the
            // continued grid.
            let around = (reach / (SMALLEST_CELL * cell_metres)).ceil() as i32;
            let place = |first: usize, k: i32| (first as f64 + 0.5 + 0.49 * f64::from(k)) / quads as f64;
            let mut found = Vec::new();
            for i in -2 * around - 1..=2 * around + 1 {
                for j in -2 * around - 1..=2 * around + 1 {
                    let quad = quad_of(self.samples, direction_at(face, place(column, j), place(row, i)));
                    found.push(self.quad_number(quad));
                }
            }
            found.sort_unstable();
            found.dedup();
            found.into_iter().map(move |quad| (quad, index as u32))
        };
        let mut reached: Vec<(u32, u32)> =
            (self.pieces.par_iter().enumerate()).flat_map_iter(|(index, piece)| reached_by(index, piece)).collect();
        reached.par_sort_unstable();
        self.reached = reached;
    }

    /// Adds the influence of the rivers at the points `run` of a block, which are all in the quadrangle `quad`. `up`
    /// holds the unit normals of the planet at the points. Rivers are drawn at least 2 · `least_metres` wide.
    pub fn reach(
        &self,
        quad: QuadPosition,
        points: &BlockPoints,
        up: &[BlockLane; 3],
        run: std::ops::Range<usize>,
        least_metres: f32,
        out: &mut RiverInfluence,
    ) {
        let number = self.quad_number(quad);
        let first = self.reached.partition_point(|&(quad, _)| quad < number);
        let middle: [f64; 3] = [0, 1, 2].map(|axis| points[axis][run.start]);
        let span = run
            .clone()
            .map(|k| squared_distance(middle, [0, 1, 2].map(|axis| points[axis][k])))
            .fold(0.0, f64::max)
            .sqrt();
        for &(_, index) in self.reached[first..].iter().take_while(|&&(quad, _)| quad == number) {
            let piece = &self.pieces[index as usize];
            // Beyond this distance the piece has no influence.
            let far = span + f64::from(piece.reach_metres + self.valley_metres + least_metres);
            if squared_distance(middle, piece.from) > far * far {
                continue;
            }
            reach(piece, points, up, run.clone(), [least_metres, self.valley_metres], out);
        }
        for k in run {
            if out.weight[k] > 0.0 {
                out.bank[k] /= out.weight[k];
            }
        }
    }
}

/// Distance from a river, as a fraction of its valley width, within which this river outweighs all other rivers.
const DOMINANCE_DISTANCE: f32 = 1.0e-3;

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn reach(
    piece: &CoursePiece,
    points: &BlockPoints,
    up: &[BlockLane; 3],
    run: std::ops::Range<usize>,
    widths: [f32; 2],
    out: &mut RiverInfluence,
) {
    if run == (0..PART) {
        for k in 0..PART {
            reach_point(piece, points, up, k, widths, out);
        }
    } else {
        for k in run {
            reach_point(piece, points, up, k, widths, out);
        }
    }
}

#[inline(always)]
fn reach_point(
    piece: &CoursePiece,
    points: &BlockPoints,
    up: &[BlockLane; 3],
    k: usize,
    [least, valley]: [f32; 2],
    out: &mut RiverInfluence,
) {
    let [ax, ay, az] = piece.along;
    let [x, y, z] = [0, 1, 2].map(|axis| (points[axis][k] - piece.from[axis]) as f32);
    let share = (x * ax + y * ay + z * az) * piece.per_square;
    let share = if share > 0.0 { share } else { 0.0 };
    let share = if share < 1.0 { share } else { 1.0 };
    let [x, y, z] = [x - share * ax, y - share * ay, z - share * az];
    let high = x * up[0][k] + y * up[1][k] + z * up[2][k];
    let square = x * x + y * y + z * z - high * high;
    let square = if square > 0.0 { square } else { 0.0 };
    let between = |ends: Ends| ends[0] + (ends[1] - ends[0]) * share;
    let half_width = between(piece.half_width);
    let drawn = if half_width > least { half_width } else { least };
    let beyond = square.sqrt() - drawn;
    let (bed, water, bank) = (between(piece.bed), between(piece.water), between(piece.bank));
    let is_nearer = beyond < out.beyond[k];
    let is_inside = beyond <= 0.0;
    let lower = if bed < out.bed[k] { bed } else { out.bed[k] };
    out.bed[k] = if is_inside { lower } else { out.bed[k] };
    out.water[k] = if is_nearer { water } else { out.water[k] };
    out.narrowness[k] = if is_nearer { half_width / drawn } else { out.narrowness[k] };
    out.beyond[k] = if is_nearer { beyond } else { out.beyond[k] };
    let way = if beyond > 0.0 { beyond / valley } else { 0.0 };
    let rest = if way < 1.0 { 1.0 - way } else { 0.0 };
    let weight = rest / (way + DOMINANCE_DISTANCE);
    let weight = weight * weight;
    let weight = weight * weight;
    out.bank[k] += weight * bank;
    out.weight[k] += weight;
}

/// Returns for each cell whether it belongs to a depression that contains water; `None` if there is no such cell.
fn lakes(graph: &FlowGraph, terrain: &Terrain, water: &[f32]) -> Option<Vec<bool>> {
    let mut filled = graph.surface.clone();
    terrain.grid.close(&mut filled);
    let cells = water.iter().zip(filled).zip(&terrain.height);
    let is_lake: Vec<bool> = cells.map(|((&depth, filled), &ground)| depth > 0.0 && filled > ground).collect();
    is_lake.contains(&true).then_some(is_lake)
}

/// Returns the node of the cell `to` downstream, or `otherwise` if no river runs through that cell.
fn downstream_node(nodes: &[CourseNode], number: &[u32], to: usize, otherwise: CourseNode) -> CourseNode {
    nodes.get(number[to] as usize).copied().unwrap_or(otherwise)
}

fn mean(a: CourseNode, b: CourseNode) -> CourseNode {
    let half = |a: f32, b: f32| 0.5 * (a + b);
    CourseNode {
        bed: half(a.bed, b.bed),
        water: half(a.water, b.water),
        bank: half(a.bank, b.bank),
        half_width: half(a.half_width, b.half_width),
    }
}

struct CourseWriter {
    pieces: Vec<CoursePiece>,
    radius: f64,
}

impl CourseWriter {
    /// Adds a straight river segment (a chord) between two points on the sphere, which are given as unit vectors.
    fn line(&mut self, [from, to]: [[f64; 3]; 2], [a, b]: [CourseNode; 2]) {
        let from = from.map(|x| x * self.radius);
        let along: [f32; 3] = std::array::from_fn(|k| (to[k] * self.radius - from[k]) as f32);
        let square = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
        if square > 0.0 {
            self.pieces.push(CoursePiece {
                from,
                along,
                per_square: 1.0 / square,
                bed: [a.bed, b.bed],
                water: [a.water, b.water],
                bank: [a.bank, b.bank],
                half_width: [a.half_width, b.half_width],
                reach_metres: square.sqrt() + greater(a.half_width, b.half_width),
            });
        }
    }

    /// Adds a river piece as a quadratic Bézier curve. Heights follow the curve; widths vary linearly from end to end.
    fn curve(&mut self, places: [[f64; 3]; 3], nodes: [CourseNode; 3]) {
        let weights = |k: usize| {
            let t = k as f64 / PIECES as f64;
            [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t]
        };
        let place = |k: usize| {
            let w = weights(k);
            unit(std::array::from_fn(|axis| (0..3).map(|p| w[p] * places[p][axis]).sum()))
        };
        let node = |k: usize| {
            let w = weights(k).map(|w| w as f32);
            let of = |value: fn(&CourseNode) -> f32| (0..3).map(|p| w[p] * value(&nodes[p])).sum::<f32>();
            let share = k as f32 / PIECES as f32;
            let half_width = nodes[0].half_width + (nodes[2].half_width - nodes[0].half_width) * share;
            CourseNode { bed: of(|n| n.bed), water: of(|n| n.water), bank: of(|n| n.bank), half_width }
        };
        (0..PIECES).for_each(|k| self.line([place(k), place(k + 1)], [node(k), node(k + 1)]));
    }
}

fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
