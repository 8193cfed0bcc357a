//! Hollows: which pit each cell drains to, over which pass and at which level the water leaves, and lakes.
//!
//! Law: every pit owns a basin, the cells whose receivers lead to it; [`OUTSIDE`] is what leads to an outlet. The lowest pass
//! between two basins is the least of max(h_a, h_b) over neighbouring cells a and b of the two. A minimum spanning
//! tree of the basins, rooted outside, holds every best way out; the spill level of a basin is the highest pass on
//! its way. The filled surface is max(h, level of the cell's basin): bit for bit that of priority-flood, in linear
//! time but for the sorting of the passes, and mostly in parallel.
//! Way out: along the receivers from the pass down to the pit, reversed, so that the water of a hollow gathers at its pit and
//! climbs to the pass; each cell then has one receiver and there is no circle.
//! Of several ways over one pass the lowest cell beyond counts; further ties are broken by cell index.
//! Source: Barnes, Lehman & Mulla 2014 (the filled surface); Cordonnier, Bovy & Braun 2019 (the graph of basins).

use rayon::prelude::*;

use super::cells::{Cells, Outlets};
use super::descent::Descent;
use crate::field::{Cancelled, Control};

/// The basin of what needs no pass: its level is negative infinity.
pub const OUTSIDE: u32 = 0;

/// Bands that work side by side; how many has no influence on the result.
const BANDS: usize = 16;
/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 16;
/// Pairs of basins a band remembers, so that each pass is listed few times.
const REMEMBERED: usize = 1 << 10;

/// The way out of a basin: from its cell `from` to the cell `to` of basin `into`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    pub from: u32,
    pub to: u32,
    pub into: u32,
}

/// The basins of a terrain.
#[derive(Clone, Debug, Default)]
pub struct Basins {
    /// Basin of each cell.
    pub of: Vec<u32>,
    /// Height at which each basin spills.
    pub level: Vec<f32>,
    /// Way out of each basin; that of [`OUTSIDE`] leads nowhere.
    pub pass: Vec<Pass>,
    /// All basins, each after the one it spills into; the first is [`OUTSIDE`].
    pub outside_first: Vec<u32>,
}

/// Standing water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lake {
    /// Height of its surface.
    pub level: f32,
    /// Number of cells under water.
    pub cells: usize,
    /// Sum of the depths of its cells.
    pub volume: f64,
    /// Greatest depth.
    pub deepest: f32,
    /// First cell the water comes to when it leaves, and the last one before.
    pub outlet: [u32; 2],
}

impl Basins {
    /// The basins of `descent` on `height`.
    pub fn new(
        cells: Cells,
        height: &[f32],
        outlets: &Outlets,
        descent: &Descent,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let (of, count) = label(cells.side, &descent.receiver, |k| outlets.contain(k, height[k]), control)?;
        let passes = passes(cells, height, &of, control)?;
        Self::spanning(height, of, count, passes, control)
    }

    /// `height` with every hollow filled to the level at which it spills.
    pub fn filled(&self, height: &[f32]) -> Vec<f32> {
        let fill = |(&h, &basin): (&f32, &u32)| {
            let level = self.level[basin as usize];
            if level > h { level } else { h }
        };
        height.par_iter().zip(&self.of).map(fill).collect()
    }

    /// Turns the receivers of `descent` between each pass and its pit round, so that all water leaves.
    pub fn drain(&self, cells: Cells, descent: &mut Descent, control: &Control) -> Result<(), Cancelled> {
        self.drain_by(descent, |from, to| cells.distance(from, to), control)
    }

    /// [`drain`](Self::drain) with the distance from a cell to one beside it.
    pub(super) fn drain_by(
        &self,
        descent: &mut Descent,
        distance_to: impl Fn(usize, usize) -> f32,
        control: &Control,
    ) -> Result<(), Cancelled> {
        for (k, pass) in self.pass.iter().enumerate().skip(1) {
            if k % 1024 == 0 {
                control.check()?;
            }
            let (mut at, mut next) = (pass.from, pass.to);
            loop {
                let before = descent.receiver[at as usize];
                descent.receiver[at as usize] = next;
                if let Some(distance) = descent.distance.get_mut(at as usize) {
                    *distance = distance_to(at as usize, next as usize);
                }
                if before == at {
                    break;
                }
                (at, next) = (before, at);
            }
        }
        Ok(())
    }

    /// The lake that covers each basin (an index in the list, or none), and the lakes: basins whose water is
    /// joined at one level are one lake.
    pub fn lakes(&self, height: &[f32]) -> (Vec<Option<u32>>, Vec<Lake>) {
        let mut lakes: Vec<Lake> = Vec::new();
        let mut of = vec![None; self.level.len()];
        for &basin in &self.outside_first[1..] {
            let (level, pass) = (self.level[basin as usize], self.pass[basin as usize]);
            of[basin as usize] = if self.level[pass.into as usize] == level {
                of[pass.into as usize]
            } else {
                lakes.push(Lake { level, cells: 0, volume: 0.0, deepest: 0.0, outlet: [pass.to, pass.from] });
                Some(lakes.len() as u32 - 1)
            };
        }
        for (&h, &basin) in height.iter().zip(&self.of) {
            let Some(lake) = of[basin as usize] else { continue };
            let lake = &mut lakes[lake as usize];
            if h < lake.level {
                let depth = lake.level - h;
                lake.cells += 1;
                lake.volume += f64::from(depth);
                lake.deepest = if depth > lake.deepest { depth } else { lake.deepest };
            }
        }
        (of, lakes)
    }

    /// The basins `of` the cells, with levels and ways out by Kruskal's minimum spanning tree of the `passes`.
    pub(super) fn spanning(
        height: &[f32],
        of: Vec<u32>,
        count: usize,
        passes: Vec<Saddle>,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut basins = Self { of, ..Self::default() };
        basins.span(height, count, passes, control)?;
        Ok(basins)
    }

    fn span(
        &mut self,
        height: &[f32],
        count: usize,
        mut passes: Vec<Saddle>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        control.check()?;
        passes.par_sort_unstable();
        let mut tree = Vec::with_capacity(count);
        let mut sets = Sets::new(count);
        for (k, pass) in passes.iter().enumerate() {
            if k % CHECK == 0 {
                control.check()?;
            }
            if sets.join(self.of[pass.from as usize], self.of[pass.to as usize]) {
                tree.push(*pass);
            }
        }
        // both ends of every kept pass, basin by basin
        let mut start = vec![0u32; count + 1];
        let ends = |pass: &Saddle| [pass.from, pass.to].map(|k| self.of[k as usize] as usize);
        tree.iter().flat_map(ends).for_each(|basin| start[basin + 1] += 1);
        (0..count).for_each(|b| start[b + 1] += start[b]);
        let (mut slot, mut beside) = (start.clone(), vec![0u32; 2 * tree.len()]);
        for (edge, pass) in tree.iter().enumerate() {
            for basin in ends(pass) {
                beside[slot[basin] as usize] = edge as u32;
                slot[basin] += 1;
            }
        }
        self.level = vec![f32::NEG_INFINITY; count];
        self.pass = vec![Pass { from: u32::MAX, to: u32::MAX, into: OUTSIDE }; count];
        self.outside_first = vec![OUTSIDE];
        let mut next = 0;
        while let Some(&basin) = self.outside_first.get(next) {
            next += 1;
            let b = basin as usize;
            for &edge in &beside[start[b] as usize..start[b + 1] as usize] {
                let saddle = tree[edge as usize];
                let (here, there) = if self.of[saddle.from as usize] == basin {
                    (saddle.from, saddle.to)
                } else {
                    (saddle.to, saddle.from)
                };
                if there == self.pass[b].to && here == self.pass[b].from {
                    continue;
                }
                let (a, h) = (height[here as usize], height[there as usize]);
                let sill = if a > h { a } else { h };
                let other = self.of[there as usize] as usize;
                self.level[other] = if self.level[b] > sill { self.level[b] } else { sill };
                self.pass[other] = Pass { from: there, to: here, into: basin };
                self.outside_first.push(other as u32);
            }
        }
        Ok(())
    }
}

/// A pass between two basins, ordered by height and then by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Saddle {
    /// Bits of the height, in the order of the heights, and of the lower of the two cells.
    height: u32,
    lower: u32,
    pub from: u32,
    pub to: u32,
}

/// Bits of `h` that compare as the heights do.
#[inline]
pub fn ordered(h: f32) -> u32 {
    // the two zeros are one height
    let bits = (h + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// Basin of each cell, and how many there are. Rows have `side` cells.
pub(super) fn label(
    side: usize,
    receiver: &[u32],
    is_outlet: impl Fn(usize) -> bool,
    control: &Control,
) -> Result<(Vec<u32>, usize), Cancelled> {
    let len = receiver.len();
    let band = (len / side).div_ceil(BANDS).max(8) * side;
    // where the way of each cell ends or leaves its band
    let mut end = vec![u32::MAX; len];
    end.par_chunks_mut(band).enumerate().try_for_each(|(b, end)| {
        let start = b * band;
        let mut way = Vec::new();
        for k in 0..end.len() {
            if k % CHECK == 0 {
                control.check()?;
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
    let mut name = vec![OUTSIDE; len];
    let mut count = 1;
    for (k, &to) in receiver.iter().enumerate() {
        if to as usize == k && !is_outlet(k) {
            name[k] = count;
            count += 1;
        }
    }
    let mut of = vec![OUTSIDE; len];
    of.par_chunks_mut(band).enumerate().try_for_each(|(b, of)| {
        control.check()?;
        for (basin, &to) in of.iter_mut().zip(&end[b * band..]) {
            let mut at = to;
            while receiver[at as usize] != at {
                at = end[at as usize];
            }
            *basin = name[at as usize];
        }
        Ok(())
    })?;
    Ok((of, count as usize))
}

/// The lowest passes between basins, some of them more than once.
pub(super) fn passes(cells: Cells, height: &[f32], of: &[u32], control: &Control) -> Result<Vec<Saddle>, Cancelled> {
    let side = cells.side;
    let band = side.div_ceil(BANDS).max(8);
    let found: Result<Vec<Vec<Saddle>>, Cancelled> = (0..side.div_ceil(band))
        .into_par_iter()
        .map(|b| {
            let mut list = Listing::default();
            for row in b * band..((b + 1) * band).min(side) {
                control.check()?;
                let here = row * side;
                let mut look = |j: usize, there: usize| list.look(height, of, here + j, there);
                (1..side).for_each(|j| look(j - 1, here + j));
                if cells.wraps {
                    look(side - 1, here);
                }
                let Some(below) = cells.along(row, 1).map(|row| row * side) else { continue };
                for j in 0..side {
                    look(j, below + j);
                    for step in [-1, 1] {
                        if let Some(column) = cells.along(j, step) {
                            look(j, below + column);
                        }
                    }
                }
            }
            Ok(list.finish())
        })
        .collect();
    Ok(found?.concat())
}

/// Passes of a band. Those between the same two basins meet in one slot of a small table, where the lowest stays.
pub(super) struct Listing {
    slots: Vec<Option<([u32; 2], Saddle)>>,
    passes: Vec<Saddle>,
}

impl Default for Listing {
    fn default() -> Self {
        Self { slots: vec![None; REMEMBERED], passes: Vec::new() }
    }
}

impl Listing {
    #[inline]
    pub fn look(&mut self, height: &[f32], of: &[u32], a: usize, b: usize) {
        let (one, two) = (of[a], of[b]);
        if one == two {
            return;
        }
        let (x, y) = (height[a], height[b]);
        let (x, y) = (ordered(x), ordered(y));
        let saddle = Saddle { height: x.max(y), lower: x.min(y), from: a.min(b) as u32, to: a.max(b) as u32 };
        let pair = if one < two { [one, two] } else { [two, one] };
        let hash = pair[0].wrapping_mul(0x9e37_79b1) ^ pair[1].wrapping_mul(0x85eb_ca77);
        let slot = &mut self.slots[(hash >> 22) as usize % REMEMBERED];
        match slot {
            Some((known, lowest)) if *known == pair => {
                if saddle < *lowest {
                    *lowest = saddle;
                }
            }
            _ => {
                if let Some((_, lowest)) = slot.replace((pair, saddle)) {
                    self.passes.push(lowest);
                }
            }
        }
    }

    pub fn finish(mut self) -> Vec<Saddle> {
        self.passes.extend(self.slots.into_iter().flatten().map(|(_, saddle)| saddle));
        self.passes
    }
}

/// Disjoint sets with path halving.
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub fn find(&mut self, of: u32) -> u32 {
        let mut at = of;
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    /// Joins the sets of `a` and `b`; whether they were two.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
