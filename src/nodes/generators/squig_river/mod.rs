//! Squig-curve rivers: triangular midpoint displacement that follows given river courses.
//!
//! Law: the terrain is that of [triangular midpoints](super::triangular), but a midpoint on a river course is not
//! random. The [`network`] gives the courses of every level, with their joins and forks.
//! - `Symmetric`: a midpoint on a river course takes the level of the water there, and new midpoints next to it are no
//!   lower. After `detail` levels the river `bed` is laid into the terrain, with the same banks on both sides.
//! - `AsInPaper`: at every level a midpoint on a river course is `depth` below its lowest neighbour off the course, and
//!   no higher than the midpoint upstream of it. `depth` is the same at every level. Rivers have low gradients, their
//!   two banks differ, and the water is a line of samples.
//!
//! Scheme: the terrain is an exact subsample at every size. Water narrower than one and a half samples is widened to
//! this width, so that the water has no gaps; a preview therefore differs near the water.
//! Boundary: river courses start and end at the edges, except that a tributary starts inside the terrain. On a wrapping
//! terrain river courses end at the seam, where the terrain continues. With one triangle (`Triangle`, the paper's own
//! mesh) the terrain is the table's lower triangle, shown as in [`Triangular`](super::triangular::Triangular). Rivers
//! enter over the left side of the triangle and leave over its base, so that a river course starts with two edges of
//! one triangle and never leaves the mesh. Terrain beyond the edges of the triangle is ignored.
//! Squares only: river courses start and end at the edges. With fewer levels than fit the grid (`levels_shown`) the
//! river courses are those of the last level, and the terrain between the points of that level is interpolated
//! bilinearly.
//! Source: Prusinkiewicz & Hammel 1993, *A Fractal Model of Mountains with Rivers*; Le Martelot 2005, §2.1.

mod bed;
pub mod network;
mod reach;
pub mod squig;

use super::midpoint::{self, Between, Distribution, MidpointLaw, MidpointLevel, Schedule};
use super::triangular::{self, TriangleLayout};
use crate::{Context, Generator, NodeMemory, NodeParts, Traits};
pub use bed::RiverWidths;
use bed::{CrossProfile, Valley};
use network::{Levees, RiverNetwork, RiverPlan, WaterProfile};
use squig::TerrainEdge;
use talweg_ground::field::{Cancelled, Edges, Grid, MapKind, Terrain};

talweg_ground::choices! {
    /// Shape of the terrain next to the water.
    BankShape {
        Symmetric "Symmetric": "A bed of the given width with the same banks on both sides.",
        AsInPaper "As in the paper": "A bed just below the lowest terrain nearby: low-gradient rivers one sample wide, with a cliff on one bank and a slope on the other.",
    }
}

talweg_ground::params! {
    /// Rough terrain generated together with its rivers, which wind from edge to edge, join and fork.
    SquigRiver "Squig-curve rivers" in "Fractal", from "Prusinkiewicz & Hammel 1993; Le Martelot 2005, §2.1", also "river valley water stream tributary delta waterfall cascade midpoint displacement triangle fractal" {
        /// Area that is split: the whole terrain, or a single triangle. Rivers cross the triangle from its left side to
        /// its base.
        layout: TriangleLayout = TriangleLayout::Square;
        /// Edge of the terrain where rivers enter, at a random point.
        entry: TerrainEdge = TerrainEdge::North => |river| river.layout == TriangleLayout::Square;
        /// Edge of the terrain where rivers leave, at a random point.
        exit: TerrainEdge = TerrainEdge::South => |river| river.layout == TriangleLayout::Square;
        /// Number of rivers. Rivers that meet continue as one river.
        rivers: u32 = 1, 1..=8;
        /// Number of smaller rivers that flow into the rivers.
        tributaries: u32 = 4, 0..=16 => |river| river.layout == TriangleLayout::Square;
        /// Number of branches that leave a river and rejoin it, or leave the terrain separately. A branch without room
        /// is skipped.
        forks: u32 = 1, 0..=8 => |river| river.layout == TriangleLayout::Square;
        /// Number of times that the river courses are split: few splits make straight rivers, many splits make small
        /// bends. With banks as in the paper, the courses are split as often as the triangles.
        detail: u32 = 6, 3..=8 => |river| river.banks == BankShape::Symmetric;
        /// Level of the water where rivers enter, as a fraction of the relief.
        source_height: f32 = 0.32, -10.0..=10.0, slider 0.0..=1.0 => |river| river.banks == BankShape::Symmetric;
        /// Fall of the water from entry to exit, as a fraction of the relief.
        drop: f32 = 0.15, 0.0..=10.0, slider 0.0..=1.0 => |river| river.banks == BankShape::Symmetric;
        /// Fraction of the fall that is in cascades: 0 is a gentle river, 1 is still water between waterfalls.
        cascades: f32 ["share"] = 0.35, 0.0..=1.0 => |river| {
            river.banks == BankShape::Symmetric && river.drop > 0.0
        };
        /// Number of cascades along a river.
        steps: u32 = 6, 1..=64, slider 1..=20 => |river| {
            river.banks == BankShape::Symmetric && river.drop > 0.0 && river.cascades > 0.0
        };
        /// Shape of the terrain next to the water.
        banks: BankShape = BankShape::Symmetric;
        /// Width of the water. If the width grows downstream, this is the width at the mouth.
        width: f32 ["m"] = 60.0, 0.1..=5000.0, slider 5.0..=400.0 => |river| river.banks == BankShape::Symmetric;
        /// Variation of the water's width along a river.
        widths: RiverWidths = RiverWidths::Even => |river| river.banks == BankShape::Symmetric;
        /// Width of a river where it enters, as a fraction of the width at its mouth.
        source_width: f32 ["share"] = 0.4, 0.0..=0.95 => |river| {
            river.banks == BankShape::Symmetric && river.widths == RiverWidths::Downstream
        };
        /// Depth of the water in the middle of a river. Water is at least 0.1 m deep, so that a river is always drawn.
        depth: f32 ["m"] = 8.0, 0.0..=1000.0, slider 0.0..=60.0;
        /// Profile of the valley's sides.
        valley: Valley = Valley::Vee => |river| river.banks == BankShape::Symmetric;
        /// Width of the valley on each side of the water. The river does not affect the terrain beyond.
        valley_width: f32 ["m"] = 700.0, 0.0..=100_000.0, slider 0.0..=4000.0 => |river| river.banks == BankShape::Symmetric;
        /// Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.01..=1.0 => |river| river.amplitude != 0.0;
        /// Decrease of the displacement from level to level.
        schedule: Schedule = Schedule::Smoothness => |river| river.amplitude != 0.0;
        /// Distribution of the random displacement.
        distribution: Distribution = Distribution::Uniform => |river| river.amplitude != 0.0;
        /// Maximum displacement of the first midpoints at smoothness 1, as a fraction of the relief.
        amplitude: f32 = 0.5, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean initial height of the four corners, as a fraction of the relief.
        corners: f32 = 0.42, -10.0..=10.0, slider 0.0..=1.0;
        /// Maximum random deviation of each corner from the mean height of the corners, as a fraction of the relief.
        corner_spread: f32 = 0.2, 0.0..=10.0, slider 0.0..=1.0;
        /// Maximum number of splits of triangles and river courses. Small values show the first steps of the method.
        levels_shown: u32 = midpoint::ALL_LEVELS, 1..=midpoint::ALL_LEVELS;
    }
}

/// Slope of the terrain between two waters of different levels.
const BANK_SLOPE: f32 = 0.5;
/// Key of the random stream for the river courses; levels of the terrain use lower numbers.
const COURSES: u64 = 1 << 32;
/// Minimum half width of water in samples. Every point of a line has a sample within 0.71 of a sample spacing, so water
/// of this width has no gaps.
const LEAST_HALF: f32 = 0.75;
/// Minimum depth of the water in metres. Shallower water would not be drawn.
const LEAST_DEPTH: f32 = 0.1;

impl Generator for SquigRiver {
    fn traits(&self) -> Traits {
        // Water is never narrower than a sample, so a preview is not exact.
        let fields = if self.banks == BankShape::AsInPaper { 3.1 } else { 1.1 };
        Traits {
            writes: if self.is_single() { &[MapKind::Water, MapKind::Ground] } else { &[MapKind::Water] },
            previews_exactly: false,
            memory: NodeMemory::constant(fields),
            version: 2,
            ..Traits::GENERATOR
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("its rivers cross the whole terrain")
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let mut terrain = Terrain::flat(cx.grid);
        self.generate(cx, &mut terrain)?;
        out.copy_from_slice(&terrain.height);
        Ok(())
    }

    fn generate(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let edges = if self.is_single() { Edges::Open } else { cx.grid.edges };
        let full = Grid::working((1 << self.levels(cx)) + 1, edges);
        let on = Context { grid: full, ..*cx };
        if self.is_single() {
            let [table, water] = self.tables(&on)?;
            triangular::shear(cx, full.samples, &table, &mut terrain.height)?;
            triangular::shear(cx, full.samples, &water, terrain.map_mut(MapKind::Water))?;
            return triangular::outline(cx, terrain.map_mut(MapKind::Ground));
        }
        match self.banks {
            BankShape::Symmetric => {
                let [height, water] = self.tables(cx)?;
                terrain.height = height;
                *terrain.map_mut(MapKind::Water) = water;
            }
            BankShape::AsInPaper => {
                // The river network belongs to the whole table; grids of other sizes are interpolated from the table.
                let [table, water] = self.tables(&on)?;
                midpoint::resample(cx, full, &table, midpoint::in_square, &mut terrain.height)?;
                midpoint::resample(cx, full, &water, midpoint::in_square, terrain.map_mut(MapKind::Water))?;
                if full.samples != cx.grid.samples && self.levels(cx) == midpoint::levels(cx.grid) {
                    let (law, levels) = (self.law(), self.levels(cx));
                    let between =
                        Between::new(cx, &law, law.finest(0, levels), triangular::split, midpoint::in_square)?;
                    let water = terrain.map(MapKind::Water).cloned().unwrap_or_default();
                    between.displace(cx, full, |k| water[k] == 0.0, &mut terrain.height)?;
                }
            }
        }
        Ok(())
    }
}

impl SquigRiver {
    fn is_single(&self) -> bool {
        self.layout == TriangleLayout::Triangle
    }

    /// Depth of the water in the middle of a river, as a fraction of the relief.
    fn water_depth(&self, cx: &Context) -> f32 {
        self.depth.max(LEAST_DEPTH) / cx.relief_metres
    }

    /// Number of splits that a grid shows.
    fn levels(&self, cx: &Context) -> u32 {
        midpoint::levels(cx.grid).min(self.levels_shown)
    }

    /// Heights and water depths on the grid of `cx`. With a single triangle, only the values below the diagonal are
    /// valid.
    fn tables(&self, cx: &Context) -> Result<[Vec<f32>; 2], Cancelled> {
        let mut ground = vec![0.0; cx.grid.len()];
        self.ground(cx, &mut ground)?;
        let water = match self.banks {
            BankShape::Symmetric => bed::fill_channels(cx, &self.network(cx)?, &self.profile(cx), &mut ground)?,
            BankShape::AsInPaper => self.lines_of_water(cx, self.levels(cx), &ground)?,
        };
        Ok([ground, water])
    }

    fn law(&self) -> MidpointLaw {
        MidpointLaw {
            displacement: self.amplitude * self.smoothness,
            smoothness: self.smoothness,
            schedule: self.schedule,
            distribution: self.distribution,
            levels_shown: self.levels_shown,
            is_rough_between: true,
        }
    }

    fn plan(&self, cx: &Context) -> RiverPlan {
        let wraps = cx.grid.edges == Edges::Wrap;
        if self.is_single() {
            let (entry, exit) = (TerrainEdge::West, TerrainEdge::South);
            return RiverPlan { entry, exit, rivers: self.rivers, tributaries: 0, forks: 0, wraps: false };
        }
        RiverPlan {
            entry: self.entry,
            exit: self.exit,
            rivers: self.rivers,
            tributaries: self.tributaries,
            forks: self.forks,
            wraps,
        }
    }

    fn profile(&self, cx: &Context) -> CrossProfile {
        let least = LEAST_HALF * cx.grid.cell();
        let half = (0.5 * self.width / cx.size_metres).max(least).min(0.25);
        CrossProfile {
            half,
            least_half: least.min(half),
            widths: self.widths,
            // Widths are proportional to the square root of the discharge.
            inflow: self.source_width * self.source_width,
            depth: self.water_depth(cx),
            side: (self.valley_width / cx.size_metres).max(4.0 * half),
            valley: self.valley,
            slope: BANK_SLOPE * cx.size_metres / cx.relief_metres,
        }
    }

    /// Returns the river courses that carry water. With symmetric banks, they are the courses of the last split, with
    /// their water levels. With banks as in the paper, they are the courses that run through the samples of the grid.
    pub fn network(&self, cx: &Context) -> Result<RiverNetwork, Cancelled> {
        match self.banks {
            BankShape::Symmetric => self.network_of(cx, self.splits()),
            BankShape::AsInPaper => self.network_of(cx, self.levels(cx).saturating_sub(1)),
        }
    }

    /// Number of splits of river courses with symmetric banks.
    fn splits(&self) -> u32 {
        self.detail.min(self.levels_shown - 1)
    }

    fn network_of(&self, cx: &Context, level: u32) -> Result<RiverNetwork, Cancelled> {
        let plan = self.plan(cx);
        let random = cx.random.fork(COURSES);
        let mut network = RiverNetwork::new(&plan, random, level, cx.control)?;
        if self.banks == BankShape::Symmetric {
            let fall = WaterProfile {
                source: self.source_height,
                drop: self.drop,
                cascades: self.cascades,
                steps: self.steps,
            };
            network.set_initial_levels(&fall, random.fork(COURSES));
            let profile = self.profile(cx);
            let holding = Levees { reach: 4.0 * profile.half, slope: profile.slope };
            network.lower_levels(Some(holding), plan.wraps, cx.control)?;
        }
        Ok(network)
    }

    /// Computes the terrain, level by level, with the midpoints on river courses.
    fn ground(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let corners = midpoint::corners(cx, self.corners, self.corner_spread);
        let split = |level: &MidpointLevel, coarse: &[f32], fine: &mut [f32]| {
            match self.layout {
                TriangleLayout::Square => triangular::split(level, coarse, fine)?,
                TriangleLayout::Triangle => triangular::split_single(level, coarse, fine)?,
            }
            let mesh = MidpointTable::new(level, self.is_single());
            let number = level.number - 1;
            match self.banks {
                BankShape::Symmetric if number <= self.splits() => {
                    mesh.set_water_levels(&self.network_of(cx, number)?, fine);
                }
                BankShape::Symmetric => {}
                BankShape::AsInPaper => {
                    let mut network = self.network_of(cx, number)?;
                    mesh.apply_paper_rule(&mut network, self.water_depth(cx), fine, cx)?;
                }
            }
            Ok(())
        };
        midpoint::subdivide(cx, &self.law(), 0, corners, split, midpoint::in_square, out)
    }

    /// Returns the depth of the water on the river courses of the last level. The water reaches up to the lowest
    /// terrain next to it, and its surface never rises downstream.
    fn lines_of_water(&self, cx: &Context, levels: u32, table: &[f32]) -> Result<Vec<f32>, Cancelled> {
        let mut water = vec![0.0; table.len()];
        if levels == 0 {
            return Ok(water);
        }
        let mut network = self.network_of(cx, levels - 1)?;
        let wraps = cx.grid.edges == Edges::Wrap;
        let mesh = MidpointTable { side: cx.grid.samples, wraps, is_single: self.is_single() };
        let depth = self.water_depth(cx);
        let on = mesh.marks(&network);
        for node in &mut network.nodes {
            let ground = table[mesh.index(node.vertex)];
            let banks = mesh.neighbours(node.vertex).filter(|&k| !on[k]).map(|k| table[k]);
            node.level = banks.fold(ground + depth, f32::min);
        }
        network.lower_levels(None, mesh.wraps, cx.control)?;
        for node in &network.nodes {
            mesh.set(&mut water, node.vertex, (node.level - table[mesh.index(node.vertex)]).max(0.0));
        }
        Ok(water)
    }
}

/// A table of midpoints, with access to neighbours.
struct MidpointTable {
    side: usize,
    wraps: bool,
    /// Whether points above the diagonal are ignored.
    is_single: bool,
}

impl MidpointTable {
    fn new(level: &MidpointLevel, is_single: bool) -> Self {
        Self { side: 2 * level.half + 1, wraps: level.wraps(), is_single }
    }

    fn index(&self, vertex: [i32; 2]) -> usize {
        vertex[0] as usize * self.side + vertex[1] as usize
    }

    /// The eight samples around a vertex. If the table wraps, these include samples across the seam.
    fn neighbours(&self, vertex: [i32; 2]) -> impl Iterator<Item = usize> + '_ {
        let last = self.side as i32 - 1;
        (0..9).filter(|&k| k != 4).filter_map(move |k| {
            let [row, column] = [vertex[0] + k / 3 - 1, vertex[1] + k % 3 - 1];
            let place = |at: i32| if self.wraps { at.rem_euclid(last) } else { at };
            let (row, column) = (place(row), place(column));
            let is_there = (0..=last).contains(&row) && (0..=last).contains(&column);
            (is_there && (!self.is_single || column <= row)).then(|| self.index([row, column]))
        })
    }

    /// Writes `value` to a vertex, and to its duplicates beyond the seam.
    fn set(&self, table: &mut [f32], vertex: [i32; 2], value: f32) {
        let last = self.side as i32 - 1;
        let twins = |at: i32| if self.wraps && at % last == 0 { [0, last] } else { [at, at] };
        for row in twins(vertex[0]) {
            for column in twins(vertex[1]) {
                table[self.index([row, column])] = value;
            }
        }
    }

    fn marks(&self, network: &RiverNetwork) -> Vec<bool> {
        let mut on = vec![0.0; self.side * self.side];
        network.nodes.iter().for_each(|node| self.set(&mut on, node.vertex, 1.0));
        on.into_iter().map(|m| m > 0.0).collect()
    }

    /// Sets midpoints on river courses to the water level. New midpoints next to a river course are raised to at least
    /// this level.
    fn set_water_levels(&self, network: &RiverNetwork, fine: &mut [f32]) {
        for node in &network.nodes {
            for k in self.neighbours(node.vertex) {
                let vertex = [(k / self.side) as i32, (k % self.side) as i32];
                if vertex.iter().any(|at| at % 2 == 1) && fine[k] < node.level {
                    self.set(fine, vertex, node.level);
                }
            }
        }
        network.nodes.iter().for_each(|node| self.set(fine, node.vertex, node.level));
    }

    /// Applies the paper's rule: a midpoint on a river course is `depth` below its lowest neighbour off the river
    /// course. This gives the water a bed. The midpoint is also no higher than the previous midpoint upstream.
    fn apply_paper_rule(
        &self,
        network: &mut RiverNetwork,
        depth: f32,
        fine: &mut [f32],
        cx: &Context,
    ) -> Result<(), Cancelled> {
        let on = self.marks(network);
        for node in &mut network.nodes {
            let beside = self.neighbours(node.vertex).filter(|&k| !on[k]).map(|k| fine[k]);
            let lowest = beside.fold(f32::MAX, f32::min);
            let lowest = if lowest == f32::MAX { fine[self.index(node.vertex)] } else { lowest };
            node.level = lowest - depth;
        }
        network.lower_levels(None, self.wraps, cx.control)?;
        network.nodes.iter().for_each(|node| self.set(fine, node.vertex, node.level));
        Ok(())
    }
}
