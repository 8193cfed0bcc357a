//! The minimum spanning tree of the basins of all tiles, built from the summaries of their rims.

use super::words::{SurveyReader, WordError, pair, split, write_list};
use super::{TileRegions, cells_around, rim};
use crate::field::{Cancelled, Control};
use crate::hydrology::basins::{BasinLink, Sets, height_of};

/// Items processed between two checks for cancellation.
const CHECK: usize = 1 << 16;

/// Summary of the basins of a single tile. [`solve_spills`] reads the summaries of all tiles. Cells are numbered in the
/// whole square, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasinSummary {
    /// Number of nodes. Nodes are the labels of the rim and the forks of the spanning tree; node 0 drains to an outlet.
    pub(super) nodes: u32,
    /// Height and node of each cell on the rim, row by row.
    pub(super) rim: Vec<(f32, u32)>,
    pub(super) exits: Vec<RegionExit>,
    pub(super) links: Vec<RegionLink>,
}

/// A cell whose water flows into another tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionExit {
    pub node: u32,
    /// The cell that receives the water.
    pub to: u64,
}

/// The highest link on the path between two nodes of a tile, with heights encoded as in [`BasinLink`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionLink {
    pub ends: [u32; 2],
    pub height: u32,
    pub lower: u32,
    pub from: u64,
    pub to: u64,
}

/// The part of the solution of [`solve_spills`] that belongs to a single tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpillSolution {
    /// For each link of the tile's summary, whether the link belongs to the spanning tree of the whole square.
    pub(super) kept: Vec<bool>,
    /// For each node, its spill level. The flag says whether the node's path out of its basin uses none of the tile's
    /// links.
    pub(super) nodes: Vec<(f32, bool)>,
    /// Filled heights of the cells just outside the tile, row by row.
    pub(super) outside_heights: Vec<f32>,
}

impl BasinSummary {
    /// Encodes the summary in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = vec![u64::from(self.nodes)];
        write_list(&mut words, &self.rim, |(height, node)| [pair(height.to_bits(), *node)]);
        write_list(&mut words, &self.exits, |exit| [u64::from(exit.node), exit.to]);
        let of_link =
            |link: &RegionLink| [pair(link.ends[0], link.ends[1]), pair(link.height, link.lower), link.from, link.to];
        write_list(&mut words, &self.links, of_link);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words), for a tile whose rim has `rim` cells.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn from_words(words: &[u64], rim: usize) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self {
            nodes: reader.word()? as u32,
            rim: reader.list(|[word]| {
                let [height, node] = split(word);
                (f32::from_bits(height), node)
            })?,
            exits: reader.list(|[node, to]| RegionExit { node: node as u32, to })?,
            links: reader.list(|[ends, heights, from, to]| {
                let [height, lower] = split(heights);
                RegionLink { ends: split(ends), height, lower, from, to }
            })?,
        };
        reader.end()?;
        let mut nodes = made.rim.iter().map(|(_, node)| *node).chain(made.exits.iter().map(|exit| exit.node));
        let is_whole = nodes.all(|node| node < made.nodes)
            && made.links.iter().flat_map(|link| link.ends).all(|node| node < made.nodes)
            && made.rim.len() == rim;
        if is_whole { Ok(made) } else { Err(WordError) }
    }
}

impl SpillSolution {
    /// Encodes the solution in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.kept, |&kept| [u64::from(kept)]);
        write_list(&mut words, &self.nodes, |&(level, is_gate)| [pair(level.to_bits(), u32::from(is_gate))]);
        write_list(&mut words, &self.outside_heights, |height| [u64::from(height.to_bits())]);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn from_words(words: &[u64]) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self {
            kept: reader.list(|[kept]| kept != 0)?,
            nodes: reader.list(|[word]| {
                let [level, is_gate] = split(word);
                (f32::from_bits(level), is_gate != 0)
            })?,
            outside_heights: reader.list(|[height]| f32::from_bits(height as u32))?,
        };
        reader.end()?;
        Ok(made)
    }
}

/// A link of two basins, within a tile or across a tile border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TiledLink {
    height: u32,
    lower: u32,
    from: u64,
    to: u64,
    /// Nodes of the cells `from` and `to`. A link within a tile has the nodes at the two ends of its path instead.
    nodes: [u32; 2],
    /// The tile of the link and the number of the link in this tile. The tile is [`ACROSS`] for a link across a border.
    place: (u32, u32),
}

const ACROSS: u32 = u32::MAX;

/// Returns the solution for every tile, given the summary of each tile in the order of the tiles.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn solve_spills(
    tiles: &TileRegions,
    summaries: &[BasinSummary],
    control: &Control,
) -> Result<Vec<SpillSolution>, Cancelled> {
    let world = TiledBasins::new(tiles, summaries);
    let mut links = world.links(control)?;
    let classes = world.classes();
    control.check()?;
    links.sort_unstable();
    let mut sets = Sets::new(world.count);
    let mut tree = Vec::new();
    for (k, link) in links.into_iter().enumerate() {
        if k % CHECK == 0 {
            control.check()?;
        }
        let [a, b] = link.nodes.map(|node| classes[node as usize]);
        if sets.join(a, b) {
            tree.push(link);
        }
    }
    world.solutions(&classes, &tree, control)
}

/// The basins of all tiles, described by the summaries of the tiles.
struct TiledBasins<'a> {
    tiles: &'a TileRegions,
    summaries: &'a [BasinSummary],
    /// For each tile, the global index of the tile's node 1. Global indices count the nodes of all tiles; all tiles
    /// share node 0.
    first: Vec<u32>,
    count: usize,
}

impl<'a> TiledBasins<'a> {
    fn new(tiles: &'a TileRegions, summaries: &'a [BasinSummary]) -> Self {
        let mut count = 1;
        let mut first = Vec::with_capacity(summaries.len());
        for summary in summaries {
            first.push(count);
            count += summary.nodes.max(1) - 1;
        }
        Self { tiles, summaries, first, count: count as usize }
    }

    fn node(&self, tile: usize, node: u32) -> u32 {
        if node == 0 { 0 } else { self.first[tile] + node - 1 }
    }

    /// Height and node of a cell on the rim of its tile, given by the cell's number in the whole square.
    fn rim_cell(&self, cell: u64) -> (f32, u32) {
        let (tile, number) = self.tiles.on_rim(cell);
        let (height, node) = self.summaries[tile].rim[number];
        (height, self.node(tile, node))
    }

    /// For each node, the lowest number among all nodes of the same basin.
    fn classes(&self) -> Vec<u32> {
        let mut sets = Sets::new(self.count);
        for (tile, summary) in self.summaries.iter().enumerate() {
            for exit in &summary.exits {
                sets.join(self.node(tile, exit.node), self.rim_cell(exit.to).1);
            }
        }
        (0..self.count as u32).map(|node| sets.find(node)).collect()
    }

    fn links(&self, control: &Control) -> Result<Vec<TiledLink>, Cancelled> {
        let mut links = Vec::new();
        for (tile, summary) in self.summaries.iter().enumerate() {
            control.check()?;
            links.extend(summary.links.iter().enumerate().map(|(number, link)| TiledLink {
                height: link.height,
                lower: link.lower,
                from: link.from,
                to: link.to,
                nodes: link.ends.map(|node| self.node(tile, node)),
                place: (tile as u32, number as u32),
            }));
            let region = self.tiles.region(tile);
            for (place, &(height, node)) in rim(&region).zip(&summary.rim) {
                let (from, node) = (self.tiles.cell(place), self.node(tile, node));
                // List each pair of cells only once.
                for to in
                    self.tiles.cells_beside(&region, place).map(|there| self.tiles.cell(there)).filter(|&to| to > from)
                {
                    let (other_height, other) = self.rim_cell(to);
                    if other != node {
                        let BasinLink { height, lower, .. } = BasinLink::of_cells([height, other_height], [0, 1]);
                        links.push(TiledLink { height, lower, from, to, nodes: [node, other], place: (ACROSS, 0) });
                    }
                }
            }
        }
        Ok(links)
    }

    /// The solution for each tile, from the spanning `tree` that joins the `classes` of nodes.
    fn solutions(
        &self,
        classes: &[u32],
        tree: &[TiledLink],
        control: &Control,
    ) -> Result<Vec<SpillSolution>, Cancelled> {
        let mut made: Vec<SpillSolution> = self
            .summaries
            .iter()
            .map(|summary| SpillSolution { kept: vec![false; summary.links.len()], ..SpillSolution::default() })
            .collect();
        let class = |node: u32| classes[node as usize] as usize;
        let mut start = vec![0u32; self.count + 1];
        let ends = |link: &TiledLink| link.nodes.map(class);
        tree.iter().flat_map(ends).for_each(|class| start[class + 1] += 1);
        (0..self.count).for_each(|class| start[class + 1] += start[class]);
        let (mut slot, mut beside) = (start.clone(), vec![0u32; 2 * tree.len()]);
        for (number, link) in tree.iter().enumerate() {
            for class in ends(link) {
                beside[slot[class] as usize] = number as u32;
                slot[class] += 1;
            }
        }
        drop(slot);
        let mut levels = vec![f32::NEG_INFINITY; self.count];
        let mut is_gate = vec![true; self.count];
        let mut way = vec![(0usize, usize::MAX)];
        let mut next = 0;
        while let Some(&(at, by)) = way.get(next) {
            next += 1;
            if next % CHECK == 0 {
                control.check()?;
            }
            for &number in &beside[start[at] as usize..start[at + 1] as usize] {
                let number = number as usize;
                if number == by {
                    continue;
                }
                let link = &tree[number];
                let parent = usize::from(class(link.nodes[1]) == at);
                let child = link.nodes[1 - parent];
                let sill = height_of(link.height);
                levels[class(child)] = if levels[at] > sill { levels[at] } else { sill };
                way.push((class(child), number));
                // The tile that owns a link finds the levels behind it on its own.
                is_gate[child as usize] &= link.place.0 == ACROSS;
            }
        }
        for link in tree.iter().filter(|link| link.place.0 != ACROSS) {
            made[link.place.0 as usize].kept[link.place.1 as usize] = true;
        }
        for (tile, (summary, made)) in self.summaries.iter().zip(&mut made).enumerate() {
            let told = |node: u32| {
                let node = self.node(tile, node) as usize;
                (levels[classes[node] as usize], is_gate[node])
            };
            made.nodes = (0..summary.nodes).map(told).collect();
            let filled = |place| {
                let (height, node) = self.rim_cell(self.tiles.cell(place));
                let level = levels[classes[node as usize] as usize];
                if level > height { level } else { height }
            };
            made.outside_heights = cells_around(&self.tiles.region(tile), self.tiles.samples).map(filled).collect();
        }
        Ok(made)
    }
}
