//! Streams as chains of cells. For every cell they determine how far a change of the base level has travelled after a
//! given time.
//!
//! Of the donors of a cell, the donor with the largest drainage area continues the cell's stream upstream. A chain runs
//! from a spring down to the last cell before a larger stream. Cells are numbered chain by chain from the mouth
//! upstream, and each chain comes after the chain that it flows into. So cells farther down a stream have smaller
//! numbers, and the response time grows with the number along a chain. A binary search in each chain on the way
//! downstream finds a point with a given response time. There are at most log₂(cells) chains on the way.

use rayon::prelude::*;

use crate::Context;
use talweg_ground::field::{Cancelled, Control};
use talweg_ground::hydrology::UpstreamOrder;

/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 15;
/// Value of a cell index or number where there is no cell.
const NOBODY: u32 = u32::MAX;

/// The streams of a terrain, with response times. The module documentation describes how cells are numbered.
pub struct Characteristics {
    /// Cell index of each number.
    cells: Vec<u32>,
    /// Number of each cell, by cell index.
    numbers: Vec<u32>,
    /// For each cell number, the number of the most downstream cell of the chain.
    mouths: Vec<u32>,
    /// For each cell number, the number of the cell's receiver; the entry of an outlet is its own number.
    receivers: Vec<u32>,
    /// Years that a change at the outlet takes to reach each cell, by cell number. They never decrease upstream.
    response: Vec<f32>,
}

impl Characteristics {
    /// Builds the streams of `receivers`. Of several donors, the donor with the greatest `area` continues the stream.
    /// `response` holds the response time of each cell in years, and `years(cell, receiver)` is the time that a change
    /// takes from the receiver to the cell.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        receivers: Vec<u32>,
        area: &[f32],
        response: Vec<f32>,
        years: impl Fn(usize, usize) -> f32,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let len = receivers.len();
        let mut largest_donor = vec![NOBODY; len];
        for (k, &to) in receivers.iter().enumerate() {
            if k % CHECK == 0 {
                control.check()?;
            }
            let known = largest_donor[to as usize];
            if to as usize != k && (known == NOBODY || area[k] > area[known as usize]) {
                largest_donor[to as usize] = k as u32;
            }
        }
        let order = UpstreamOrder::new(receivers.as_chunks::<1>().0, control)?;
        let (mut cells, mut numbers) = (Vec::with_capacity(len), vec![NOBODY; len]);
        let (mut mouths, mut below) = (Vec::with_capacity(len), Vec::with_capacity(len));
        for (done, mouth) in order.iter().rev().enumerate() {
            if done % CHECK == 0 {
                control.check()?;
            }
            let to = receivers[mouth as usize] as usize;
            if to != mouth as usize && largest_donor[to] == mouth {
                continue; // this cell is not the mouth of a chain
            }
            let first = cells.len() as u32;
            let mut at = mouth;
            while at != NOBODY {
                let number = cells.len() as u32;
                numbers[at as usize] = number;
                cells.push(at);
                mouths.push(first);
                below.push(if number > first { number - 1 } else { numbers[to] });
                at = largest_donor[at as usize];
            }
        }
        drop((order, largest_donor));
        let mut response: Vec<f32> = cells.par_iter().map(|&k| response[k as usize]).collect();
        for (k, &to) in below.iter().enumerate() {
            if k % CHECK == 0 {
                control.check()?;
            }
            // The response times come from two receivers of each cell, these streams from one. If the other receiver
            // responds much earlier, a summit would sink to the height of its receiver. Springs, such as summits,
            // therefore respond at least as late as their own stream makes them.
            let is_spring = mouths.get(k + 1).is_none_or(|&mouth| mouth as usize == k + 1);
            let own = if is_spring { years(cells[k] as usize, cells[to as usize] as usize) } else { 0.0 };
            let least = response[to as usize] + own;
            response[k] = if response[k] > least { response[k] } else { least };
        }
        Ok(Self { cells, numbers, mouths, receivers: below, response })
    }

    /// Raises each cell that is lower than the terrain downstream of it to the height of that terrain, but at most to
    /// the height that `limit` returns for the cell.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn fill(&self, limit: impl Fn(usize) -> f32, heights: &mut [f32], control: &Control) -> Result<(), Cancelled> {
        for (cells, below) in self.cells.chunks(CHECK).zip(self.receivers.chunks(CHECK)) {
            control.check()?;
            for (&k, &to) in cells.iter().zip(below) {
                let (floor, limit) = (heights[self.cells[to as usize] as usize], limit(k as usize));
                let h = &mut heights[k as usize];
                let wanted = if floor > *h { floor } else { *h };
                *h = if wanted < limit { wanted } else { limit };
            }
        }
        Ok(())
    }

    /// Writes the heights at an `age` in years. They follow from the initial heights with [water](Self::fill) in their
    /// depressions, and from the steady-state heights. The difference of the two moves upstream. No height exceeds
    /// `limit`, the initial height plus the uplift.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn heights(
        &self,
        cx: &Context,
        [filled, steady]: [&[f32]; 2],
        limit: impl Fn(usize) -> f32,
        age: f64,
        heights: &mut Vec<f32>,
    ) -> Result<(), Cancelled> {
        heights.resize(filled.len(), 0.0);
        let (n, age) = (cx.grid.samples, age as f32);
        let excess = |number: usize| filled[self.cells[number] as usize] - steady[self.cells[number] as usize];
        cx.rows(heights, |row, cells| {
            for (j, height) in cells.iter_mut().enumerate() {
                let k = row * n + j;
                let number = self.numbers[k] as usize;
                let wanted = self.response[number] - age;
                *height = steady[k];
                if wanted > 0.0 {
                    let (above, share) = self.point_with_response(number, wanted);
                    let (high, low) = (excess(above), excess(self.receivers[above] as usize));
                    *height += high + (low - high) * share;
                }
            }
        })?;
        self.fill(limit, heights, cx.control)
    }

    /// Finds the point downstream of the cell `number` with the response time `wanted`, which is above 0 and below the
    /// response time of the cell. Returns the number of the last cell before that point, and the point's position
    /// between this cell (0) and the cell's receiver (1).
    fn point_with_response(&self, number: usize, wanted: f32) -> (usize, f32) {
        let mut top = number;
        loop {
            let mouth = self.mouths[top] as usize;
            let next = self.receivers[mouth] as usize;
            if self.response[mouth] >= wanted && self.response[next] >= wanted && next != mouth {
                top = next;
                continue;
            }
            // the first cell of the chain whose response time is at least `wanted`
            let chain = &self.response[mouth..=top];
            let above = mouth + chain.partition_point(|&years| years < wanted);
            let above = above.min(top);
            let (high, low) = (self.response[above], self.response[self.receivers[above] as usize]);
            let share = if high > low { (high - wanted) / (high - low) } else { 0.0 };
            return (above, share);
        }
    }
}
