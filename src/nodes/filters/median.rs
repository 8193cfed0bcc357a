//! Median: every sample takes the median height of its surroundings.
//!
//! Law: out = the median of all samples within `radius`. For an even number of samples it is the lower of the two
//! middle heights. The result is exact. A radius below one cell changes nothing.
//! Scheme: heights are sorted once and replaced by unique ranks. A disc slides along each row. The ranks of the samples
//! in the disc are stored as a bit set with a count of the ranks in every block of 1024. In this set the new median is
//! only a few 64-bit words away from the previous median (after Huang et al. 1979). Each step adds the samples at the
//! front edge of the disc and removes those at the rear edge, so the cost grows with the radius in cells. On 1025²
//! samples and 2 threads the filter takes about 35 ms + 6 ms per cell of radius. To bound the cost, the radius is
//! limited to 1/16 of a side.
//! Boundary: at an open edge the disc is cut off. On wrapping grids the disc continues on the opposite side. On a globe
//! it continues along the rows and columns of the adjacent face; these lines converge, so the disc is up to 30 %
//! narrower near face borders. At the corners of the cube a part of the disc has no samples. A sample that several
//! faces share takes the lowest of their medians.
//! Source: Tukey 1977; Huang, Yang & Tang 1979.

use rayon::prelude::*;

use super::height_order::HeightOrder;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, StencilRadius, Traits};
use talweg_ground::field::topology::EdgeFill;
use talweg_ground::field::{Cancelled, Edges, Grid, Terrain};

talweg_ground::params! {
    /// Removes spikes and pits narrower than the radius; cliffs and terrace edges stay sharp. A large radius takes
    /// long.
    Median "Median" in "Filter", from "Tukey 1977; Huang et al. 1979", also "despeckle denoise spikes outliers smooth clean edges" {
        /// Radius of the disc around each point whose median height replaces the point's height, at most 1/16 of the
        /// side: larger values remove wider spikes.
        radius: f32 ["m"] = 60.0, 0.0..=1_000_000.0, slider 0.0..=500.0;
    }
}

/// Maximum radius as a fraction of the side.
const FARTHEST: f32 = 1.0 / 16.0;
/// Number of rows that use the same rank set, so that the memory of the set is allocated once for all of them.
const ROWS: usize = 8;

impl Filter for Median {
    fn traits(&self) -> Traits {
        Traits {
            previews_exactly: false,
            on_planet: Some(OnPlanet { version: 1, more_fields: -4.0, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(4.0),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::Within(StencilRadius { max_sides: FARTHEST, ..StencilRadius::of_metres(self.radius, 1) })
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let sides = (self.radius / cx.size_metres).min(FARTHEST);
        let disc = DiscRows::new(f64::from(sides) * (cx.grid.whole_samples() - 1) as f64);
        if disc.reach() == 0 {
            return Ok(());
        }
        let n = cx.grid.samples;
        let order = HeightOrder::new(cx, &terrain.height)?;
        if cx.grid.is_globe() {
            let margin = disc.reach();
            let square = Grid::working(n + 2 * margin, Edges::Open);
            for (face, cells) in terrain.height.chunks_mut(n * n).enumerate() {
                let ranks = cx.grid.face_with_margin(&order.rank, face, margin, EdgeFill::Value(NO_RANK));
                disc.filter::<true>(cx, square, Ranks { ranks: &ranks, sorted: &order.sorted }, margin, cells)?;
            }
            let lowest = |values: &[f32]| values.iter().fold(f32::INFINITY, |low, &h| if h < low { h } else { low });
            cx.grid.merge_copies(&mut terrain.height, lowest);
        } else {
            let ranks = Ranks { ranks: &order.rank, sorted: &order.sorted };
            disc.filter::<false>(cx, cx.grid, ranks, 0, &mut terrain.height)?;
        }
        terrain.close_seam();
        Ok(())
    }
}

/// Marks a position without a sample.
const NO_RANK: u32 = u32::MAX;

/// Ranks of the samples of a square among all heights in ascending order.
#[derive(Clone, Copy)]
struct Ranks<'a> {
    ranks: &'a [u32],
    sorted: &'a [f32],
}

/// Half width of each row of a disc, from north to south.
struct DiscRows(Vec<usize>);

impl DiscRows {
    fn new(radius: f64) -> Self {
        let reach = radius as i64;
        let half = |k: i64| (radius * radius - (k * k) as f64).sqrt() as usize;
        Self((-reach..=reach).map(half).collect())
    }

    fn reach(&self) -> usize {
        self.0.len() / 2
    }

    /// Writes the medians of a square, except for a margin of `margin` samples along its edges. With `HOLES` some
    /// positions have no rank.
    fn filter<const HOLES: bool>(
        &self,
        cx: &Context,
        grid: Grid,
        ranks: Ranks,
        margin: usize,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let n = grid.samples - 2 * margin;
        out.par_chunks_mut(n * ROWS).enumerate().try_for_each(|(band, cells)| {
            let mut set = RankSet::new(ranks.sorted.len());
            cells.chunks_mut(n).enumerate().try_for_each(|(k, row)| {
                cx.control.check()?;
                self.slide::<HOLES>(grid, ranks, &mut set, margin + band * ROWS + k, margin, row);
                Ok(())
            })
        })
    }

    /// Writes the medians of row `i`, starting at column `margin`. Expects an empty `set` and leaves it empty.
    fn slide<const HOLES: bool>(
        &self,
        grid: Grid,
        ranks: Ranks,
        set: &mut RankSet,
        i: usize,
        margin: usize,
        out: &mut [f32],
    ) {
        let n = grid.distinct_side() as i64;
        let (first, end) = (margin as i64, n - margin as i64);
        let sorted = ranks.sorted;
        let has_rank = |rank: u32| !HOLES || rank != NO_RANK;
        let inside = |k: i64| match grid.edges {
            Edges::Open => (0..n).contains(&k).then_some(k as usize),
            Edges::Wrap => Some(k.rem_euclid(n) as usize),
        };
        let rows: Vec<(&[u32], i64)> = (self.0.iter().enumerate())
            .filter_map(|(k, &half)| {
                let row = inside(i as i64 + k as i64 - self.reach() as i64)?;
                Some((grid.row(ranks.ranks, row), half as i64))
            })
            .collect();
        for &(ranks, half) in &rows {
            let before = (first - half..first + half).filter_map(inside).map(|j| ranks[j]);
            before.filter(|&rank| has_rank(rank)).for_each(|rank| set.insert(rank));
        }
        for (j, h) in (first..end).zip(out.iter_mut()) {
            for &(ranks, half) in &rows {
                if let Some(entering) = inside(j + half).filter(|&k| has_rank(ranks[k])) {
                    set.insert(ranks[entering]);
                }
            }
            *h = sorted[set.middle() as usize];
            for &(ranks, half) in &rows {
                if let Some(leaving) = inside(j - half).filter(|&k| has_rank(ranks[k])) {
                    set.remove(ranks[leaving]);
                }
            }
        }
        for &(ranks, half) in &rows {
            let after = (end - half..end + half).filter_map(inside).map(|j| ranks[j]);
            after.filter(|&rank| has_rank(rank)).for_each(|rank| set.remove(rank));
        }
    }
}

/// Number of low bits of a rank that identify the rank within its block. A block has one count and 16 words of 64 bits.
const BLOCK_BITS: u32 = 10;
const BLOCK_WORDS: usize = 1 << (BLOCK_BITS - 6);

/// A set of ranks. `below` is the number of its members in the blocks before `block`, the block of the last median.
struct RankSet {
    words: Vec<u64>,
    counts: Vec<u32>,
    block: usize,
    below: u32,
    len: u32,
}

impl RankSet {
    fn new(ranks: usize) -> Self {
        let blocks = ranks.div_ceil(1 << BLOCK_BITS);
        Self { words: vec![0; blocks * BLOCK_WORDS], counts: vec![0; blocks], block: 0, below: 0, len: 0 }
    }

    #[inline(always)]
    fn insert(&mut self, rank: u32) {
        let block = (rank >> BLOCK_BITS) as usize;
        self.words[(rank >> 6) as usize] |= 1 << (rank & 63);
        self.counts[block] += 1;
        self.below += u32::from(block < self.block);
        self.len += 1;
    }

    #[inline(always)]
    fn remove(&mut self, rank: u32) {
        let block = (rank >> BLOCK_BITS) as usize;
        self.words[(rank >> 6) as usize] &= !(1 << (rank & 63));
        self.counts[block] -= 1;
        self.below -= u32::from(block < self.block);
        self.len -= 1;
    }

    /// Returns the median rank: for an even number of members, the lower of the two middle ranks. The set must not be
    /// empty.
    fn middle(&mut self) -> u32 {
        let before = (self.len - 1) / 2;
        while self.below > before {
            self.block -= 1;
            self.below -= self.counts[self.block];
        }
        while self.below + self.counts[self.block] <= before {
            self.below += self.counts[self.block];
            self.block += 1;
        }
        let mut rest = before - self.below;
        let mut word = self.block * BLOCK_WORDS;
        while rest >= self.words[word].count_ones() {
            rest -= self.words[word].count_ones();
            word += 1;
        }
        let mut bits = self.words[word];
        (0..rest).for_each(|_| bits &= bits - 1);
        word as u32 * 64 + bits.trailing_zeros()
    }
}
