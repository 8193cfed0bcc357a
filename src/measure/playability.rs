//! Fractions of the land that a character can cross and build on.
//!
//! Land counts as playable up to the slope [`Limits::playable_slope`], and as flat up to [`Limits::flat_slope`]. Cells
//! that share a side belong to the same region, also across the edges of a wrapping terrain.
//!
//! Source: Le Martelot 2005, §3.3.3, and Olsen 2004: units need one large region of gentle slope, buildings need flat
//! areas.

use super::Limits;
use super::ground::DistinctSamples;
use crate::field::{Cancelled, Control};

/// Playable and flat fractions of the land, and the sizes of their connected regions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playability {
    /// Fraction of the land that is playable.
    pub playable_fraction: f64,
    /// Fraction of the playable land that belongs to its largest connected region; `None` if no land is playable.
    pub connected_fraction: Option<f64>,
    /// Area in km² of the largest connected region that is flat enough to build on.
    pub largest_flat_km2: f64,
}

/// Computes the playability from the steepness of the cells; `None` if there is no land.
pub fn playability(
    ground: &DistinctSamples,
    degrees: &[f32],
    limits: &Limits,
    control: &Control,
) -> Result<Option<Playability>, Cancelled> {
    let Some(land) = ground.land else { return Ok(None) };
    let find = |limit: f32| {
        let is_inside = |k: usize| degrees[k] <= limit && ground.is_land(k);
        regions(ground.cells.side, ground.cells.wraps, is_inside, control)
    };
    let (playable, flat) = rayon::join(|| find(limits.playable_slope), || find(limits.flat_slope));
    let (playable, flat) = (playable?, flat?);
    Ok(Some(Playability {
        playable_fraction: playable.cells as f64 / land.cells as f64,
        connected_fraction: (playable.cells > 0).then(|| playable.largest as f64 / playable.cells as f64),
        largest_flat_km2: flat.largest as f64 * ground.cell_km2(),
    }))
}

/// Number of cells in all regions, and in the largest region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionSizes {
    /// Number of cells in all regions.
    pub cells: usize,
    /// Number of cells in the largest region.
    pub largest: usize,
}

/// A run of consecutive cells of a row that all belong to the same region.
#[derive(Clone, Copy)]
struct RowRun {
    from: usize,
    /// Column after the last cell of the run.
    to: usize,
    set: u32,
}

/// Returns the sizes of the connected regions of the cells for which `is_inside` is true, on a square of `side` ×
/// `side` cells. Each row is divided into runs of cells for which `is_inside` is true. A run joins the regions of the
/// runs that it touches in the previous row.
pub fn regions(
    side: usize,
    wraps: bool,
    is_inside: impl Fn(usize) -> bool,
    control: &Control,
) -> Result<RegionSizes, Cancelled> {
    let mut sets = DisjointSets::default();
    let (mut first, mut before, mut here) = (Vec::new(), Vec::<RowRun>::new(), Vec::<RowRun>::new());
    for row in 0..side {
        if row % 16 == 0 {
            control.check()?;
        }
        here.clear();
        let mut from = None;
        for j in 0..=side {
            match (from, j < side && is_inside(row * side + j)) {
                (None, true) => from = Some(j),
                (Some(start), false) => {
                    here.push(RowRun { from: start, to: j, set: sets.add(j - start) });
                    from = None;
                }
                _ => {}
            }
        }
        if let ([a, ..], [.., b]) = (&here[..], &here[..])
            && wraps
            && a.from == 0
            && b.to == side
        {
            sets.join(a.set, b.set);
        }
        sets.join_touching(&before, &here);
        if row == 0 {
            first.clone_from(&here);
        }
        std::mem::swap(&mut before, &mut here);
    }
    if wraps {
        sets.join_touching(&before, &first);
    }
    Ok(RegionSizes { cells: sets.cells.iter().sum(), largest: sets.largest() })
}

/// Disjoint sets of runs, with the number of cells in each set.
#[derive(Default)]
struct DisjointSets {
    above: Vec<u32>,
    cells: Vec<usize>,
}

impl DisjointSets {
    fn add(&mut self, cells: usize) -> u32 {
        self.above.push(self.above.len() as u32);
        self.cells.push(cells);
        self.above.len() as u32 - 1
    }

    fn find(&mut self, of: u32) -> u32 {
        let mut at = of;
        while self.above[at as usize] != at {
            let next = self.above[self.above[at as usize] as usize];
            self.above[at as usize] = next;
            at = next;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            let (low, high) = (a.min(b) as usize, a.max(b) as usize);
            self.above[high] = low as u32;
            self.cells[low] += std::mem::take(&mut self.cells[high]);
        }
    }

    /// Joins the touching runs of two neighbouring rows, both sorted by column.
    fn join_touching(&mut self, one: &[RowRun], other: &[RowRun]) {
        let mut start = 0;
        for a in one {
            while start < other.len() && other[start].to <= a.from {
                start += 1;
            }
            for b in other[start..].iter().take_while(|b| b.from < a.to) {
                self.join(a.set, b.set);
            }
        }
    }

    fn largest(&self) -> usize {
        self.cells.iter().copied().max().unwrap_or(0)
    }
}
