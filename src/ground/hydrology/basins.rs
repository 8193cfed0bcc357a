//! Basins: the pit that each cell drains to, the spill point and level of each basin, and the lakes.
//!
//! Law: every pit has a basin, which consists of all cells whose flow paths end at this pit. The basin [`OUTSIDE`]
//! holds all cells that drain to an outlet. The link of two basins is the lowest passage between them. Its height is
//! the minimum of max(h_a, h_b) over all pairs of neighbouring cells, with height h_a in one basin and h_b in the
//! other. A minimum spanning tree of the basins, rooted at [`OUTSIDE`], holds the lowest path out of every basin. The
//! spill level of a basin is the highest link on the basin's path. The filled surface is max(h, spill level of the
//! cell's basin), with h the height of the cell. The filled surface equals the result of priority-flood bit for bit.
//! The computing time grows linearly with the number of cells, except for the sorting of the links. Most of the work
//! runs in parallel.
//! Ties: of several links of equal height, the link with the lowest second cell wins; remaining ties are broken by cell
//! index.
//! Source: Barnes, Lehman & Mulla 2014 (the filled surface); Cordonnier, Bovy & Braun 2019 (the graph of basins).

use rayon::prelude::*;

use super::mesh::{FlowMesh, Outlets};
use crate::field::{Cancelled, Control};

/// The basin of all cells that drain to an outlet; its spill level is negative infinity.
pub const OUTSIDE: u32 = 0;

/// Number of bands of rows that are processed in parallel. It has no influence on the result.
const BANDS: usize = 16;
/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 16;
/// Number of pits for which a band caches the basin number.
const KNOWN_PITS: usize = 1 << 9;
/// Number of adjacent cells that are tested together for whether they are at a basin border.
const LINK_BLOCK: usize = 16;
/// Number of recent pairs of basins that are remembered for a band of rows, so that each link is listed only a few
/// times.
const REMEMBERED: usize = 1 << 10;

/// The spill point of a basin: water flows from cell `from` in this basin to cell `to` in the basin `into`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpillPoint {
    /// The last cell of this basin on the path of its outflow.
    pub from: u32,
    /// The first cell on the path that belongs to the receiving basin.
    pub to: u32,
    /// The basin that receives the water.
    pub into: u32,
}

/// The basins of a terrain, numbered from 1 in the order of their pits; number 0 is [`OUTSIDE`].
#[derive(Clone, Debug, Default)]
pub struct Basins {
    /// Number of the basin to which each cell belongs.
    pub basin: Vec<u32>,
    /// Height at which each basin spills over.
    pub spill_level: Vec<f32>,
    /// Spill point of each basin; the entry of [`OUTSIDE`] has no meaning.
    pub spill_point: Vec<SpillPoint>,
    /// Numbers of all basins, ordered so that each basin comes after the basin that it spills into. The first number is
    /// [`OUTSIDE`].
    pub outside_first: Vec<u32>,
}

/// A lake: the standing water of one or more basins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lake {
    /// Height of the lake's surface.
    pub level: f32,
    /// Area of the lake, in cells of the mean area.
    pub area: f64,
    /// Volume of the lake: the sum of depth times area over its cells, with the area in cells of the mean area.
    pub volume: f64,
    /// Depth at the lake's deepest cell.
    pub deepest: f32,
    /// Two cells on the path of the outflow: the first cell outside the lake, then the last cell of the lake.
    pub outlet: [u32; 2],
}

impl Basins {
    /// The basins of a terrain with the heights `height` and the flow directions `receivers`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        mesh: &FlowMesh,
        height: &[f32],
        outlets: &Outlets,
        receivers: &[u32],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let is_outlet = |k: usize| outlets.contain(k, height[k]);
        let (basin, count) = label(mesh.grid().samples, receivers, is_outlet, control)?;
        let links = basin_links(mesh, height, &basin, control)?;
        let mut basins = Self { basin, ..Self::default() };
        basins.find_spill_points(height, count, links, control)?;
        Ok(basins)
    }

    /// Writes `height` with every depression filled to its spill level into `surface`, reusing its memory.
    pub fn write_filled(&self, height: &[f32], surface: &mut Vec<f32>) {
        let fill = |(&h, &basin): (&f32, &u32)| {
            let level = self.spill_level[basin as usize];
            if level > h { level } else { h }
        };
        height.par_iter().zip(&self.basin).map(fill).collect_into_vec(surface);
    }

    /// Returns two lists. The first gives for each basin the lake that covers it, as an index into the second, or
    /// `None`. The second holds the lakes. Basins whose water surfaces join at the same level form one lake.
    pub fn lakes(&self, mesh: &FlowMesh, height: &[f32]) -> (Vec<Option<u32>>, Vec<Lake>) {
        let mut lakes: Vec<Lake> = Vec::new();
        let mut lake_of = vec![None; self.spill_level.len()];
        for &basin in &self.outside_first[1..] {
            let (level, spill) = (self.spill_level[basin as usize], self.spill_point[basin as usize]);
            lake_of[basin as usize] = if self.spill_level[spill.into as usize] == level {
                lake_of[spill.into as usize]
            } else {
                lakes.push(Lake { level, area: 0.0, volume: 0.0, deepest: 0.0, outlet: [spill.to, spill.from] });
                Some(lakes.len() as u32 - 1)
            };
        }
        let areas = mesh.owned_areas();
        for (k, (&h, &basin)) in height.iter().zip(&self.basin).enumerate() {
            let Some(lake) = lake_of[basin as usize] else { continue };
            let lake = &mut lakes[lake as usize];
            if h < lake.level {
                let depth = lake.level - h;
                let area = areas.map_or(1.0, |areas| f64::from(areas[k]));
                lake.area += area;
                lake.volume += f64::from(depth) * area;
                lake.deepest = if depth > lake.deepest { depth } else { lake.deepest };
            }
        }
        (lake_of, lakes)
    }

    /// Finds the spill level and spill point of each basin with Kruskal's minimum spanning tree of the `links`.
    fn find_spill_points(
        &mut self,
        height: &[f32],
        count: usize,
        links: Vec<BasinLink>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let tree = BasinTree::new(&self.basin, count, links, control)?;
        self.spill_level = vec![f32::NEG_INFINITY; count];
        self.spill_point = vec![SpillPoint { from: u32::MAX, to: u32::MAX, into: OUTSIDE }; count];
        self.outside_first = vec![OUTSIDE];
        let mut next = 0;
        while let Some(&basin) = self.outside_first.get(next) {
            next += 1;
            let b = basin as usize;
            for link in tree.links_of(b) {
                let (here, there) = link.cells_from(&self.basin, basin);
                if there == self.spill_point[b].to && here == self.spill_point[b].from {
                    continue;
                }
                let other = self.basin[there as usize] as usize;
                self.spill_level[other] = level_over_sill(self.spill_level[b], height, [here, there]);
                self.spill_point[other] = SpillPoint { from: there, to: here, into: basin };
                self.outside_first.push(other as u32);
            }
        }
        Ok(())
    }
}

/// Level of water that flows from one neighbour to the other: the maximum of `level` and both heights. The result is +0
/// if that maximum is -0, so that the order of equal heights cannot change a bit.
pub(super) fn level_over_sill(level: f32, height: &[f32], [here, there]: [u32; 2]) -> f32 {
    let (a, b) = (height[here as usize], height[there as usize]);
    let sill = (if a > b { a } else { b }) + 0.0;
    if level > sill { level } else { sill }
}

/// Kruskal's minimum spanning tree of basins.
#[derive(Debug)]
pub(super) struct BasinTree {
    pub links: Vec<BasinLink>,
    /// For each basin, the index of its first entry in `links_by_basin`; at the end, the length of `links_by_basin`.
    start: Vec<u32>,
    /// For each basin in turn, the numbers of the spanning tree's links that join the basin to another.
    links_by_basin: Vec<u32>,
}

impl BasinTree {
    /// The minimum spanning tree of `count` basins, where `basin` holds the basin of each cell. The result is a forest
    /// if the `links` do not connect all basins.
    pub fn new(basin: &[u32], count: usize, mut links: Vec<BasinLink>, control: &Control) -> Result<Self, Cancelled> {
        control.check()?;
        links.par_sort_unstable();
        let mut tree = Vec::with_capacity(count);
        let mut sets = Sets::new(count);
        for (k, link) in links.iter().enumerate() {
            if k % CHECK == 0 {
                control.check()?;
            }
            if sets.join(basin[link.from as usize], basin[link.to as usize]) {
                tree.push(*link);
            }
        }
        // Enter each link of the spanning tree at both of its basins.
        let mut start = vec![0u32; count + 1];
        let ends = |link: &BasinLink| [link.from, link.to].map(|k| basin[k as usize] as usize);
        tree.iter().flat_map(ends).for_each(|basin| start[basin + 1] += 1);
        (0..count).for_each(|b| start[b + 1] += start[b]);
        let (mut slot, mut beside) = (start.clone(), vec![0u32; 2 * tree.len()]);
        for (edge, link) in tree.iter().enumerate() {
            for basin in ends(link) {
                beside[slot[basin] as usize] = edge as u32;
                slot[basin] += 1;
            }
        }
        Ok(Self { links: tree, start, links_by_basin: beside })
    }

    /// Numbers of the spanning tree's links that join `basin` to other basins.
    pub fn numbers_of(&self, basin: usize) -> &[u32] {
        &self.links_by_basin[self.start[basin] as usize..self.start[basin + 1] as usize]
    }

    /// Links of the spanning tree that join `basin` to other basins.
    fn links_of(&self, basin: usize) -> impl Iterator<Item = &BasinLink> {
        self.numbers_of(basin).iter().map(|&number| &self.links[number as usize])
    }
}

/// The lowest pair of neighbouring cells, one in each of two basins. Links are ordered by height, then by cell index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BasinLink {
    /// Height of the link, as bits that sort in the same order as heights. `lower` holds the height of the link's lower
    /// cell, encoded in the same way.
    pub height: u32,
    pub lower: u32,
    pub from: u32,
    pub to: u32,
}

impl BasinLink {
    /// Returns the two cells of the link: first the cell in basin `side`, then the cell in the other basin.
    #[inline]
    pub fn cells_from(&self, basin: &[u32], side: u32) -> (u32, u32) {
        if basin[self.from as usize] == side { (self.from, self.to) } else { (self.to, self.from) }
    }

    /// The link between two neighbouring cells.
    #[inline]
    pub fn of_cells(height: [f32; 2], [a, b]: [u32; 2]) -> Self {
        let [x, y] = height.map(ordered);
        Self { height: x.max(y), lower: x.min(y), from: a.min(b), to: a.max(b) }
    }
}

/// The bits of `h` as an integer that sorts in the same order as the heights.
#[inline]
pub fn ordered(h: f32) -> u32 {
    // Adding 0 turns -0 into +0, so that both zeros count as the same height.
    let bits = (h + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The height that [`ordered`] converted into these bits.
pub(super) fn height_of(ordered: u32) -> f32 {
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

/// Returns the basin of each cell and the number of basins, including [`OUTSIDE`]. Each row of the grid has `side`
/// cells.
pub(super) fn label(
    side: usize,
    receiver: &[u32],
    is_outlet: impl Fn(usize) -> bool + Sync,
    control: &Control,
) -> Result<(Vec<u32>, usize), Cancelled> {
    let len = receiver.len();
    let band = (len / side).div_ceil(BANDS).max(8) * side;
    // For each cell, `end` holds the cell where the flow path ends or leaves the band.
    let mut end = vec![u32::MAX; len];
    end.par_chunks_mut(band).enumerate().try_for_each(|(b, end)| {
        let start = b * band;
        let mut way = Vec::new();
        for k in 0..end.len() {
            if k % CHECK == 0 {
                control.check()?;
            }
            // For most cells the receiver is a neighbour whose `end` is already known.
            let next = (receiver[start + k] as usize).wrapping_sub(start);
            if let Some(&known) = end.get(next)
                && known != u32::MAX
                && end[k] == u32::MAX
            {
                end[k] = known;
                continue;
            }
            let mut at = k;
            let found = loop {
                if end[at] != u32::MAX {
                    break end[at];
                }
                way.push(at);
                let to = receiver[start + at] as usize;
                if to == start + at || !(start..start + end.len()).contains(&to) {
                    break to as u32;
                }
                at = to - start;
            };
            way.drain(..).for_each(|at| end[at] = found);
        }
        Ok(())
    })?;
    // The pits are sorted by cell index, so that a binary search finds the number of a pit.
    let pits: Vec<u32> = (0..len)
        .into_par_iter()
        .with_min_len(CHECK)
        .filter(|&k| receiver[k] as usize == k && !is_outlet(k))
        .map(|k| k as u32)
        .collect();
    let mut of = vec![OUTSIDE; len];
    of.par_chunks_mut(band).enumerate().try_for_each(|(b, of)| {
        control.check()?;
        let mut known = [(u32::MAX, OUTSIDE); KNOWN_PITS];
        // These variables cache the last pit, because neighbouring cells usually drain to the same pit.
        let (mut last, mut number) = (u32::MAX, OUTSIDE);
        for (basin, &to) in of.iter_mut().zip(&end[b * band..]) {
            if to != last {
                let mut at = to;
                while receiver[at as usize] != at {
                    at = end[at as usize];
                }
                let known = &mut known[at as usize % KNOWN_PITS];
                if known.0 != at {
                    *known = (at, pits.binary_search(&at).map_or(OUTSIDE, |number| number as u32 + 1));
                }
                (last, number) = (to, known.1);
            }
            *basin = number;
        }
        Ok(())
    })?;
    Ok((of, pits.len() + 1))
}

/// For each cell of a block, a number that is not 0 if one of the cell's neighbours is in another basin. `around` holds
/// the neighbours of the first cell.
fn borders(basin: &[u32], first: usize, around: [usize; 4]) -> [u32; LINK_BLOCK] {
    let block = |from: usize| -> &[u32; LINK_BLOCK] { basin[from..].first_chunk().expect("a whole block") };
    let (here, around) = (block(first), around.map(block));
    std::array::from_fn(|k| around.iter().fold(0, |differs, beside| differs | (here[k] ^ beside[k])))
}

/// The lowest link between each two neighbouring basins; the list can hold a link more than once.
pub(super) fn basin_links(
    mesh: &FlowMesh,
    height: &[f32],
    basin: &[u32],
    control: &Control,
) -> Result<Vec<BasinLink>, Cancelled> {
    let grid = mesh.grid();
    let (n, rows) = (grid.samples, grid.rows());
    let band = rows.div_ceil(BANDS).max(8);
    let found: Result<Vec<Vec<BasinLink>>, Cancelled> = (0..rows.div_ceil(band))
        .into_par_iter()
        .map(|b| {
            let mut table = LinkTable::default();
            for row in b * band..((b + 1) * band).min(rows) {
                control.check()?;
                let start = row * n;
                // The range extends from the first to the last inner cell of the row, if the row has inner cells.
                let mut inner = (start..start + n).filter(|&k| mesh.is_inner(k));
                let counted = inner.next().map_or(start..start, |first| first..2 * start + n - first);
                let forwards = |k: usize| [k + 1, k + n - 1, k + n, k + n + 1];
                let blocks = counted.len() / LINK_BLOCK;
                for first in (0..blocks).map(|block| counted.start + block * LINK_BLOCK) {
                    let borders = borders(basin, first, forwards(first));
                    for k in (first..).zip(borders).filter(|(_, is_border)| *is_border != 0).map(|(k, _)| k) {
                        forwards(k).into_iter().for_each(|there| table.look(height, basin, k, there));
                    }
                }
                for k in counted.start + blocks * LINK_BLOCK..counted.end {
                    forwards(k).into_iter().for_each(|there| table.look(height, basin, k, there));
                }
                // Inner cells test only the neighbours that come later in the grid. Each cell along the rim therefore
                // tests all of its neighbours.
                for k in (start..counted.start).chain(counted.end..start + n).filter(|&k| grid.owns(k)) {
                    mesh.existing_neighbours(k).for_each(|there| table.look(height, basin, k, there));
                }
            }
            Ok(table.links())
        })
        .collect();
    Ok(found?.concat())
}

/// Links found in a band. Links between the same two basins share one slot of a small table, which keeps the lowest
/// link.
struct LinkTable {
    slots: Vec<Option<([u32; 2], BasinLink)>>,
    links: Vec<BasinLink>,
}

impl Default for LinkTable {
    fn default() -> Self {
        Self { slots: vec![None; REMEMBERED], links: Vec::new() }
    }
}

impl LinkTable {
    #[inline(always)]
    fn look(&mut self, height: &[f32], basin: &[u32], a: usize, b: usize) {
        let (one, two) = (basin[a], basin[b]);
        if one != two {
            self.keep(height, [one, two], a, b);
        }
    }

    fn keep(&mut self, height: &[f32], [one, two]: [u32; 2], a: usize, b: usize) {
        let link = BasinLink::of_cells([height[a], height[b]], [a as u32, b as u32]);
        let pair = if one < two { [one, two] } else { [two, one] };
        let hash = pair[0].wrapping_mul(0x9e37_79b1) ^ pair[1].wrapping_mul(0x85eb_ca77);
        let slot = &mut self.slots[(hash >> 22) as usize % REMEMBERED];
        match slot {
            Some((known, lowest)) if *known == pair => {
                if link < *lowest {
                    *lowest = link;
                }
            }
            _ => {
                if let Some((_, lowest)) = slot.replace((pair, link)) {
                    self.links.push(lowest);
                }
            }
        }
    }

    fn links(mut self) -> Vec<BasinLink> {
        self.links.extend(self.slots.into_iter().flatten().map(|(_, link)| link));
        self.links
    }
}

/// Disjoint sets (union-find) with path halving.
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    #[inline]
    pub fn find(&mut self, of: u32) -> u32 {
        let mut at = of;
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    /// Joins the sets of `a` and `b`; returns whether they were separate.
    #[inline]
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
