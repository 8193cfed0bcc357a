//! The minimum spanning tree of the basins of all tiles, from what each tells of its rim.

use super::words::{SurveyReader, WordError, pair, split, write_list};
use super::{TileRegions, cells_around, rim};
use crate::field::{Cancelled, Control};
use crate::hydrology::basins::{BasinLink, Sets, height_of};

/// Items done between two looks at the stop flag.
const CHECK: usize = 1 << 16;

/// What a tile tells of its basins. Cells are those of the whole, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasinSummary {
    /// Labels and forks; 0 is what drains to an outlet.
    pub(super) nodes: u32,
    /// Height and node of each cell on the rim, row by row.
    pub(super) rim: Vec<(f32, u32)>,
    pub(super) exits: Vec<RegionExit>,
    pub(super) links: Vec<RegionLink>,
}

/// A cell whose water goes on in another tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionExit {
    pub node: u32,
    pub cell: u64,
    /// The cell that gets it.
    pub to: u64,
}

/// The highest link on the way between two nodes of a tile, as [`BasinLink`] has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionLink {
    pub ends: [u32; 2],
    pub height: u32,
    pub lower: u32,
    pub from: u64,
    pub to: u64,
}

/// What a tile is told of the basins of the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpillSolution {
    /// Of each link of its summary, whether it belongs to the tree of the whole.
    pub(super) kept: Vec<bool>,
    /// Of each node, the level at which its water spills, and whether the way out leads to it over none of the links.
    pub(super) nodes: Vec<(f32, bool)>,
    /// Cells of the tile from which the way down is turned round, and where the water of the first goes.
    pub(super) turns: Vec<[u64; 2]>,
    /// Heights of the cells of other tiles beside it with depressions filled, row by row.
    pub(super) beside: Vec<f32>,
}

impl BasinSummary {
    /// As words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = vec![u64::from(self.nodes)];
        write_list(&mut words, &self.rim, |(height, node)| [pair(height.to_bits(), *node)]);
        write_list(&mut words, &self.exits, |exit| [u64::from(exit.node), exit.cell, exit.to]);
        let of_link =
            |link: &RegionLink| [pair(link.ends[0], link.ends[1]), pair(link.height, link.lower), link.from, link.to];
        write_list(&mut words, &self.links, of_link);
        words
    }

    /// From [`to_words`](Self::to_words), of a tile whose rim has `rim` cells.
    ///
    /// # Errors
    /// When they are no such words.
    pub fn from_words(words: &[u64], rim: usize) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self {
            nodes: reader.word()? as u32,
            rim: reader.list(|[word]| {
                let [height, node] = split(word);
                (f32::from_bits(height), node)
            })?,
            exits: reader.list(|[node, cell, to]| RegionExit { node: node as u32, cell, to })?,
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
    /// As words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.kept, |&kept| [u64::from(kept)]);
        write_list(&mut words, &self.nodes, |&(level, is_gate)| [pair(level.to_bits(), u32::from(is_gate))]);
        write_list(&mut words, &self.turns, |turn| *turn);
        write_list(&mut words, &self.beside, |height| [u64::from(height.to_bits())]);
        words
    }

    /// From [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// When they are no such words.
    pub fn from_words(words: &[u64]) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self {
            kept: reader.list(|[kept]| kept != 0)?,
            nodes: reader.list(|[word]| {
                let [level, is_gate] = split(word);
                (f32::from_bits(level), is_gate != 0)
            })?,
            turns: reader.list(|turn| turn)?,
            beside: reader.list(|[height]| f32::from_bits(height as u32))?,
        };
        reader.end()?;
        Ok(made)
    }
}

/// A link of two basins, somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WorldLink {
    height: u32,
    lower: u32,
    from: u64,
    to: u64,
    /// Nodes of `from` and `to`; of a link of a tile those of its ends.
    nodes: [u32; 2],
    /// Tile and number of the link there; [`ACROSS`] for one over a border.
    place: (u32, u32),
}

const ACROSS: u32 = u32::MAX;

/// What every tile is told, from what all of them tell, each of the region of its number.
///
/// # Errors
/// When it was cancelled.
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

/// All tiles together.
struct TiledBasins<'a> {
    tiles: &'a TileRegions,
    summaries: &'a [BasinSummary],
    /// Number of the first node of each tile but the one outside, which is 0 for all.
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

    /// Height and node of a cell on the rim of its tile.
    fn rim_cell(&self, cell: u64) -> (f32, u32) {
        let (tile, number) = self.tiles.on_rim(cell);
        let (height, node) = self.summaries[tile].rim[number];
        (height, self.node(tile, node))
    }

    /// Nodes that are one basin have one number, the least of theirs.
    fn classes(&self) -> Vec<u32> {
        let mut sets = Sets::new(self.count);
        for (tile, summary) in self.summaries.iter().enumerate() {
            for exit in &summary.exits {
                sets.join(self.node(tile, exit.node), self.rim_cell(exit.to).1);
            }
        }
        (0..self.count as u32).map(|node| sets.find(node)).collect()
    }

    fn links(&self, control: &Control) -> Result<Vec<WorldLink>, Cancelled> {
        let mut links = Vec::new();
        for (tile, summary) in self.summaries.iter().enumerate() {
            control.check()?;
            links.extend(summary.links.iter().enumerate().map(|(number, link)| WorldLink {
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
                // each pair once
                for to in
                    self.tiles.cells_beside(&region, place).map(|there| self.tiles.cell(there)).filter(|&to| to > from)
                {
                    let (other_height, other) = self.rim_cell(to);
                    if other != node {
                        let BasinLink { height, lower, .. } = BasinLink::of_cells([height, other_height], [0, 1]);
                        links.push(WorldLink { height, lower, from, to, nodes: [node, other], place: (ACROSS, 0) });
                    }
                }
            }
        }
        Ok(links)
    }

    /// What each tile is told of the `tree`, which joins the `classes` of nodes.
    fn solutions(
        &self,
        classes: &[u32],
        tree: &[WorldLink],
        control: &Control,
    ) -> Result<Vec<SpillSolution>, Cancelled> {
        let mut made: Vec<SpillSolution> = self
            .summaries
            .iter()
            .map(|summary| SpillSolution { kept: vec![false; summary.links.len()], ..SpillSolution::default() })
            .collect();
        let class = |node: u32| classes[node as usize] as usize;
        let mut start = vec![0u32; self.count + 1];
        let ends = |link: &WorldLink| link.nodes.map(class);
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
        let mut exits = vec![None; self.count];
        for (tile, summary) in self.summaries.iter().enumerate() {
            summary.exits.iter().for_each(|exit| exits[self.node(tile, exit.node) as usize] = Some(exit));
        }
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
                let mut turn = |from: u64, to: u64| {
                    let (tile, _) = self.tiles.on_rim(from);
                    made[tile].turns.push([from, to]);
                };
                if link.place.0 == ACROSS {
                    let [to, from] = if parent == 0 { [link.from, link.to] } else { [link.to, link.from] };
                    turn(from, to);
                } else {
                    // its own tile finds the cells
                    is_gate[child as usize] = false;
                }
                // on the way down the tiles beyond have cells to turn too
                let mut node = child;
                while let Some(exit) = exits[node as usize] {
                    turn(exit.to, exit.cell);
                    node = self.rim_cell(exit.to).1;
                }
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
            made.beside = cells_around(&self.tiles.region(tile), self.tiles.samples).map(filled).collect();
        }
        Ok(made)
    }
}
