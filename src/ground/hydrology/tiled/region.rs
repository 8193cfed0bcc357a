//! The drainage of one tile, first computed from the tile alone and then combined with the solution of all tiles.

use std::collections::HashMap;

use super::divided::DividedRegion;
use super::flats::{FlatSolution, FlatSummary};
use super::inflow::{FlowExit, FlowSummary, InflowSolution};
use super::spills::{BasinSummary, RegionExit, RegionLink, SpillSolution};
use super::words::{SurveyReader, WordError};
use super::{TileRegions, cells_around, rim};
use crate::field::{Cancelled, Control, Grid, Region};
use crate::hydrology::basins::{BasinTree, OUTSIDE, basin_links, label, level_over_sill};
use crate::hydrology::directions::{route_downhill, route_to_pits};
use crate::hydrology::flats::Flats;
use crate::hydrology::order::accumulate;
use crate::hydrology::{DInfinity, DrainedArea, FlowMesh, FlowRouting, Outlets};

/// Marks a label that is not a node of the summary, and a missing link.
const NONE: u32 = u32::MAX;
/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 16;

/// The part of a tile's drainage that follows from the tile alone. Cells are indexed in a window around the tile.
#[derive(Debug)]
pub struct RegionDrainage {
    rectangle: TileRectangle,
    /// Receivers of the cells of the tile, before depressions are drained.
    receivers: Vec<u32>,
    /// Label of each cell of the tile, which stands for the end of the cell's flow path: [`OUTSIDE`] or a number. All
    /// window cells outside the tile have the same extra label.
    labels: Vec<u32>,
    /// Number of labels, including [`OUTSIDE`].
    count: usize,
    exits: Vec<u32>,
    tree: BasinTree,
    /// Labels that other tiles need; each is a node of the summary.
    nodes: Vec<u32>,
    /// Node number of each label; [`NONE`] if the label is not a node.
    node_of: Vec<u32>,
    /// The paths of the spanning tree that join two nodes, each with the number of its highest link.
    parts: Vec<TreePart>,
}

/// A path of the spanning tree from one node to another, and the number of the highest link on it.
#[derive(Clone, Copy, Debug)]
struct TreePart {
    ends: [u32; 2],
    highest: u32,
}

/// A tile within its window.
#[derive(Clone, Debug)]
pub(super) struct TileRectangle {
    grid: Grid,
    /// The tile, as rows and columns of the whole square.
    region: Region,
}

impl TileRectangle {
    pub(super) fn grid(&self) -> Grid {
        self.grid
    }

    pub(super) fn region(&self) -> &Region {
        &self.region
    }

    /// Row and column that cell `k` of the window has in the whole square.
    fn row_and_column(&self, k: usize) -> [usize; 2] {
        let ([top, left], n) = (self.grid.first(), self.grid.samples);
        [top + k / n, left + k % n]
    }

    /// Index in the window of the cell at this row and column of the whole square.
    pub(super) fn index(&self, [row, column]: [usize; 2]) -> usize {
        let [top, left] = self.grid.first();
        (row - top) * self.grid.samples + column - left
    }

    pub(super) fn contains(&self, k: usize) -> bool {
        let [row, column] = self.row_and_column(k);
        self.region.rows.contains(&row) && self.region.columns.contains(&column)
    }

    /// Cell number in the whole square of cell `k` of the window.
    pub(super) fn cell(&self, k: usize) -> u64 {
        let [row, column] = self.row_and_column(k);
        (row * self.grid.whole_samples() + column) as u64
    }

    /// Index in the window of the cell with number `cell` in the whole square.
    fn index_of_cell(&self, cell: u64) -> usize {
        let n = self.grid.whole_samples() as u64;
        self.index([(cell / n) as usize, (cell % n) as usize])
    }

    /// Calls `change(index, value)` for every cell of the window outside the tile.
    pub(super) fn each_outside<T>(&self, values: &mut [T], mut change: impl FnMut(usize, &mut T)) {
        let n = self.grid.samples;
        let [top, left] = self.grid.first();
        for (i, row) in values.chunks_mut(n).enumerate() {
            let columns = if self.region.rows.contains(&(top + i)) { self.region.columns.clone() } else { 0..0 };
            let (from, to) = (columns.start.saturating_sub(left).min(n), columns.end.saturating_sub(left).min(n));
            for j in (0..from).chain(to.max(from)..n) {
                change(i * n + j, &mut row[j]);
            }
        }
    }

    /// Returns a copy of `receivers` in which no water leaves the tile. Cells whose receiver is outside the tile become
    /// their own receivers, and so do all cells outside the tile. Also returns the cells whose receiver is outside the
    /// tile.
    fn inner(&self, receivers: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut inner = receivers.to_vec();
        self.each_outside(&mut inner, |k, to| *to = k as u32);
        let mut exits = Vec::new();
        for place in rim(&self.region) {
            let k = self.index(place);
            if !self.contains(inner[k] as usize) {
                inner[k] = k as u32;
                exits.push(k as u32);
            }
        }
        (inner, exits)
    }
}

impl RegionDrainage {
    /// The drainage of the tile `region` of the whole square. `height` is given on `grid`, a window that extends one
    /// cell beyond the tile on every side, except at the edges of the square.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        grid: Grid,
        region: Region,
        height: &[f32],
        outlets: &Outlets,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let (mesh, rectangle) = (FlowMesh::new(grid), TileRectangle { grid, region });
        let mut receivers = Vec::new();
        route_to_pits(&mesh, height, outlets, &mut receivers, control)?;
        let (inner, exits) = rectangle.inner(&receivers);
        let is_outlet = |k: usize| !rectangle.contains(k) || outlets.contain(k, height[k]);
        let (mut labels, count) = label(grid.samples, &inner, is_outlet, control)?;
        drop(inner);
        let beyond = count as u32;
        rectangle.each_outside(&mut labels, |_, label| *label = beyond);
        let mut links = basin_links(&mesh, height, &labels, control)?;
        links.retain(|link| [link.from, link.to].iter().all(|&k| labels[k as usize] != beyond));
        let tree = BasinTree::new(&labels, count, links, control)?;
        let mut made = Self {
            rectangle,
            receivers,
            labels,
            count,
            exits,
            tree,
            nodes: Vec::new(),
            node_of: vec![NONE; count],
            parts: Vec::new(),
        };
        made.contract();
        Ok(made)
    }

    /// Reduces the spanning tree to the nodes and paths that other tiles need.
    fn contract(&mut self) {
        let mut terminals = vec![OUTSIDE];
        terminals.extend(rim(&self.rectangle.region).map(|place| self.labels[self.rectangle.index(place)]));
        terminals.sort_unstable();
        terminals.dedup();
        for label in terminals {
            self.add_node(label);
        }
        // A walk along the spanning tree fills the list `way`: each label in the order of arrival, with the link
        // through which the walk came. The walk starts at [`OUTSIDE`] or, in a tile without an outlet, at the label of
        // a cell on the rim.
        let root = self.nodes.iter().copied().find(|&label| !self.tree.numbers_of(label as usize).is_empty());
        let mut way = vec![(root.unwrap_or(OUTSIDE), NONE)];
        let mut next = 0;
        while let Some(&(label, by)) = way.get(next) {
            next += 1;
            for &number in self.tree.numbers_of(label as usize).iter().filter(|&&number| number != by) {
                way.push((self.label_beyond(number, label), number));
            }
        }
        // The loop runs from the leaves back to the root. For each label, `behind` holds the nodes that represent the
        // labels farther from the root, each with the highest link on the path to the node.
        let mut behind: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
        for &(label, by) in way.iter().rev() {
            let found = behind.remove(&label).unwrap_or_default();
            if self.node_of[label as usize] == NONE && found.len() > 1 {
                self.add_node(label);
            }
            let node = self.node_of[label as usize];
            let passed = if node == NONE {
                found.first().copied()
            } else {
                self.parts.extend(found.iter().map(|&(end, highest)| TreePart { ends: [end, node], highest }));
                Some((node, NONE))
            };
            if let (Some((end, highest)), true) = (passed, by != NONE) {
                let is_higher = highest == NONE || self.tree.links[by as usize] > self.tree.links[highest as usize];
                let highest = if is_higher { by } else { highest };
                behind.entry(self.label_beyond(by, label)).or_default().push((end, highest));
            }
        }
    }

    fn add_node(&mut self, label: u32) {
        self.node_of[label as usize] = self.nodes.len() as u32;
        self.nodes.push(label);
    }

    /// The label at the other end of a link of the spanning tree, as seen from `label`.
    fn label_beyond(&self, number: u32, label: u32) -> u32 {
        let (_, there) = self.tree.links[number as usize].cells_from(&self.labels, label);
        self.labels[there as usize]
    }

    /// Summary of the tile's basins for [`solve_spills`](super::solve_spills). `height` must be the height from which
    /// this drainage was computed.
    pub fn summary(&self, height: &[f32]) -> BasinSummary {
        let cell = |k: u32| self.rectangle.cell(k as usize);
        let node = |k: u32| self.node_of[self.labels[k as usize] as usize];
        let on_rim = |place| {
            let k = self.rectangle.index(place);
            (height[k], node(k as u32))
        };
        let part = |part: &TreePart| {
            let link = self.tree.links[part.highest as usize];
            RegionLink {
                ends: part.ends,
                height: link.height,
                lower: link.lower,
                from: cell(link.from),
                to: cell(link.to),
            }
        };
        BasinSummary {
            nodes: self.nodes.len() as u32,
            rim: rim(&self.rectangle.region).map(on_rim).collect(),
            exits: self
                .exits
                .iter()
                .map(|&k| RegionExit { node: node(k), to: cell(self.receivers[k as usize]) })
                .collect(),
            links: self.parts.iter().map(part).collect(),
        }
    }

    /// The filled surface of the tile as part of the whole square, from the solution that
    /// [`solve_spills`](super::solve_spills) returned.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn fill(self, height: &[f32], solution: &SpillSolution, control: &Control) -> Result<FilledRegion, Cancelled> {
        let cut: std::collections::HashSet<u32> =
            self.parts.iter().zip(&solution.kept).filter(|(_, kept)| !**kept).map(|(part, _)| part.highest).collect();
        let mut levels = vec![f32::NEG_INFINITY; self.count];
        let mut is_known = vec![false; self.count];
        let mut way = Vec::with_capacity(self.count);
        for (&label, &(level, is_gate)) in self.nodes.iter().zip(&solution.nodes) {
            if is_gate {
                (levels[label as usize], is_known[label as usize]) = (level, true);
                way.push(label);
            }
        }
        let mut next = 0;
        while let Some(&label) = way.get(next) {
            next += 1;
            if next % 1024 == 0 {
                control.check()?;
            }
            for &number in self.tree.numbers_of(label as usize).iter().filter(|number| !cut.contains(number)) {
                let (here, there) = self.tree.links[number as usize].cells_from(&self.labels, label);
                let other = self.labels[there as usize] as usize;
                if !is_known[other] {
                    is_known[other] = true;
                    levels[other] = level_over_sill(levels[label as usize], height, [here, there]);
                    way.push(other as u32);
                }
            }
        }
        let Self { rectangle, labels, .. } = self;
        let fill = |(&h, &label): (&f32, &u32)| match levels.get(label as usize) {
            Some(&level) if level > h => level,
            _ => h,
        };
        let mut surface: Vec<f32> = height.iter().zip(&labels).map(fill).collect();
        let around = cells_around(&rectangle.region, rectangle.grid.whole_samples());
        around.zip(&solution.outside_heights).for_each(|(place, &filled)| surface[rectangle.index(place)] = filled);
        Ok(FilledRegion { rectangle, surface })
    }
}

/// The filled surface of a tile as part of the whole square. Cells are indexed in a window around the tile.
#[derive(Debug)]
pub struct FilledRegion {
    rectangle: TileRectangle,
    /// Heights of the tile and of the cells just outside the tile, with depressions filled.
    pub surface: Vec<f32>,
}

impl FilledRegion {
    /// The receivers of the tile's cells on the slopes of the filled surface, and the flat cells.
    fn downhill(
        &self,
        outlets: &Outlets,
        routing: FlowRouting,
        control: &Control,
    ) -> Result<(Vec<u32>, Flats), Cancelled> {
        let (mesh, mut receivers) = (FlowMesh::new(self.rectangle.grid), Vec::new());
        route_downhill(&mesh, &self.surface, outlets, routing, &mut receivers, control)?;
        let is_candidate = |k: usize| self.rectangle.contains(k) && !outlets.contain(k, self.surface[k]);
        let flats = Flats::find(&receivers, is_candidate);
        Ok((receivers, flats))
    }

    /// Summary of the flats at the tile's rim for [`solve_flats`](super::solve_flats).
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn flats(&self, outlets: &Outlets, routing: FlowRouting, control: &Control) -> Result<FlatSummary, Cancelled> {
        let (_, mut flats) = self.downhill(outlets, routing, control)?;
        let (mesh, samples) = (FlowMesh::new(self.rectangle.grid), self.rectangle.grid.whole_samples());
        // Whether cells outside the tile are flat is not known here, so none of them counts as outflow.
        cells_around(&self.rectangle.region, samples)
            .for_each(|place| flats.mark_outside(self.rectangle.index(place), 1));
        let mut is_found = vec![false; self.surface.len()];
        let mut found: Vec<u32> = rim(&self.rectangle.region)
            .map(|place| self.rectangle.index(place))
            .filter(|&k| flats.contains(k))
            .map(|k| k as u32)
            .collect();
        found.iter().for_each(|&k| is_found[k as usize] = true);
        let mut next = 0;
        while let Some(&k) = found.get(next) {
            next += 1;
            if next % CHECK == 0 {
                control.check()?;
            }
            for there in mesh.existing_neighbours(k as usize) {
                if flats.contains(there) && self.rectangle.contains(there) && !is_found[there] {
                    is_found[there] = true;
                    found.push(there as u32);
                }
            }
        }
        let in_tile = |&k: &u32| {
            let [row, column] = self.rectangle.row_and_column(k as usize);
            let Region { rows, columns } = &self.rectangle.region;
            ((row - rows.start) * columns.len() + column - columns.start) as u32
        };
        let cells = self.rectangle.region.rows.len() * self.rectangle.region.columns.len();
        let mut flat = vec![0u64; if found.is_empty() { 0 } else { cells.div_ceil(64) }];
        found.iter().map(in_tile).for_each(|k| flat[k as usize / 64] |= 1 << (k % 64));
        let starts = flats.at_outflow(&mesh, &self.surface);
        Ok(FlatSummary {
            rim: rim(&self.rectangle.region).map(|place| self.surface[self.rectangle.index(place)]).collect(),
            flat,
            starts: starts.iter().filter(|&&k| is_found[k as usize]).map(in_tile).collect(),
        })
    }

    /// The drainage of the tile as part of the whole square, from the `solution` that
    /// [`solve_flats`](super::solve_flats) returned. `height` must be the height from which the surface was computed.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn drain(
        self,
        height: &[f32],
        outlets: &Outlets,
        routing: FlowRouting,
        solution: &FlatSolution,
        control: &Control,
    ) -> Result<DrainedRegion, Cancelled> {
        let (mut receivers, mut flats) = self.downhill(outlets, routing, control)?;
        let Self { rectangle, surface } = self;
        if !flats.cells.is_empty() {
            let mesh = FlowMesh::new(rectangle.grid);
            let around = cells_around(&rectangle.region, rectangle.grid.whole_samples());
            for (place, &distance) in around.zip(&solution.around).filter(|(_, distance)| **distance > 0) {
                flats.mark_outside(rectangle.index(place), distance);
            }
            let mut starts: Vec<(u32, u32)> = flats.at_outflow(&mesh, &surface).into_iter().map(|k| (1, k)).collect();
            let on_rim = rim(&rectangle.region).zip(&solution.rim).filter(|(_, distance)| **distance > 0);
            starts.extend(on_rim.map(|(place, &distance)| (distance, rectangle.index(place) as u32)));
            flats.measure(&mesh, starts, control)?;
            flats.drain(&mesh, [height, &surface], &mut receivers);
        }
        Ok(DrainedRegion { rectangle, receivers, surface })
    }
}

/// The drainage of a tile as part of the whole square. Cells are indexed in a window around the tile.
#[derive(Debug)]
pub struct DrainedRegion {
    rectangle: TileRectangle,
    /// Receivers of the cells of the tile; no cell is a pit.
    receivers: Vec<u32>,
    /// Heights of the tile and of the cells just outside the tile, with depressions filled.
    pub surface: Vec<f32>,
}

impl DrainedRegion {
    /// The tile's drainage with the water of each cell divided between two receivers. The facets of the filled surface
    /// determine the division.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn divided(self, outlets: &Outlets, control: &Control) -> Result<DividedRegion, Cancelled> {
        let Self { rectangle, receivers, surface } = self;
        let flow = DInfinity::new(&FlowMesh::new(rectangle.grid), &surface, outlets, &receivers, control)?;
        drop(surface);
        Ok(DividedRegion::new(rectangle, flow))
    }

    /// For each cell, the area of the tile that drains through it, plus the inflow from other tiles.
    fn gathered(
        &self,
        inner: &[u32],
        rain: Option<&[f32]>,
        inflow: Option<&InflowSolution>,
        control: &Control,
    ) -> Result<Vec<DrainedArea>, Cancelled> {
        let mut held = Vec::new();
        FlowMesh::new(self.rectangle.grid).write_rained_areas(rain, &mut held);
        self.rectangle.each_outside(&mut held, |_, held| *held = DrainedArea::default());
        for &(cell, area) in inflow.iter().flat_map(|inflow| &inflow.cells) {
            held[self.rectangle.index_of_cell(cell)] += area;
        }
        accumulate(inner, &mut held, control)?;
        Ok(held)
    }

    /// Summary of the tile's flow for [`solve_inflows`](super::solve_inflows). Areas are weighted by the `rain` that
    /// falls on the window.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn summary(&self, rain: Option<&[f32]>, control: &Control) -> Result<FlowSummary, Cancelled> {
        let (inner, exits) = self.rectangle.inner(&self.receivers);
        let held = self.gathered(&inner, rain, None, control)?;
        let mut is_exit = vec![false; inner.len()];
        exits.iter().for_each(|&k| is_exit[k as usize] = true);
        let (names, _) = label(self.rectangle.grid.samples, &inner, |k| !is_exit[k], control)?;
        let exit = |&k: &u32| FlowExit {
            to: self.rectangle.cell(self.receivers[k as usize] as usize),
            area: held[k as usize],
        };
        Ok(FlowSummary {
            // The number of an exit equals its label, because labels and exits are both in the order of the cells.
            rim: rim(&self.rectangle.region).map(|place| names[self.rectangle.index(place)]).collect(),
            exits: exits.iter().map(exit).collect(),
        })
    }

    /// Drainage area in the whole square of each cell of the tile, including the cell's own area. Areas are weighted by
    /// the `rain` that falls on the window, and are 0 outside the tile.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn areas(
        &self,
        rain: Option<&[f32]>,
        inflow: &InflowSolution,
        control: &Control,
    ) -> Result<Vec<DrainedArea>, Cancelled> {
        self.gathered(&self.rectangle.inner(&self.receivers).0, rain, Some(inflow), control)
    }
}

impl SpillSolution {
    /// Whether the sizes and cells of this solution match the drainage of a tile.
    #[inline]
    pub fn fits(&self, region: &RegionDrainage, tiles: &TileRegions) -> bool {
        self.kept.len() == region.parts.len()
            && self.nodes.len() == region.nodes.len()
            && self.outside_heights.len() == cells_around(&region.rectangle.region, tiles.samples).count()
    }
}

impl DividedRegion {
    /// Decodes the 64-bit words of [`write_words`](Self::write_words), for the tile `region` in the window `grid`.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn of_tile(grid: Grid, region: Region, reader: &mut SurveyReader) -> Result<Self, WordError> {
        Self::read_words(TileRectangle { grid, region }, reader)
    }
}
