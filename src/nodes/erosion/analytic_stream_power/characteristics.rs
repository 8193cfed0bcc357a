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
use talweg_ground::hydrology::{FlowMesh, UpstreamOrder};

/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 15;
/// Value of a cell index or number where there is no cell.
const NOBODY: u32 = u32::MAX;
/// Time in years in which half of a depression is filled.
const FILL_YEARS: f64 = 10_000.0;

/// The streams of a terrain, with response times and heights. The module documentation describes how cells are
/// numbered.
pub struct Characteristics {
    /// Cell index of each number.
    cells: Vec<u32>,
    /// Number of each cell, by cell index.
    numbers: Vec<u32>,
    /// For each number, the number of the most downstream cell of the chain.
    mouths: Vec<u32>,
    /// For each number, the number of the cell's receiver; the entry of an outlet is its own number.
    receivers: Vec<u32>,
    /// Years that a change at the outlet takes to travel to each cell, by number.
    response: Vec<f32>,
    /// Steady-state height above the outlet along these streams, as a fraction of the relief, by number.
    rise: Vec<f32>,
}

impl Characteristics {
    /// Builds the streams of `receivers`. Of several donors, the donor with the greatest `area` continues the stream.
    /// `reach` returns two values for a cell: the years that a change takes per cell of distance, and the steady-state
    /// rise over that distance. Outlets stay at the heights of `base`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        mesh: &FlowMesh,
        receivers: Vec<u32>,
        [area, base]: [&[f32]; 2],
        reach: impl Fn(usize) -> [f32; 2] + Sync,
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
        let to_next = |&k: &u32| {
            let distance = mesh.distance(k as usize, receivers[k as usize] as usize);
            reach(k as usize).map(|over_a_cell| over_a_cell * distance)
        };
        let (mut response, mut rise): (Vec<f32>, Vec<f32>) =
            cells.par_iter().map(to_next).map(|[years, rise]| (years, rise)).unzip();
        for (k, &to) in below.iter().enumerate() {
            if k % CHECK == 0 {
                control.check()?;
            }
            let is_outlet = to as usize == k;
            response[k] = if is_outlet { 0.0 } else { response[to as usize] + response[k] };
            rise[k] = if is_outlet { base[cells[k] as usize] } else { rise[to as usize] + rise[k] };
        }
        Ok(Self { cells, numbers, mouths, receivers: below, response, rise })
    }

    /// Fills depressions of `heights` along the streams. A cell that is lower than the terrain downstream of it is
    /// raised by the fraction `share` of the height difference.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn fill(&self, share: f32, heights: &mut [f32], control: &Control) -> Result<(), Cancelled> {
        for (cells, below) in self.cells.chunks(CHECK).zip(self.receivers.chunks(CHECK)) {
            control.check()?;
            for (&k, &to) in cells.iter().zip(below) {
                let floor = heights[self.cells[to as usize] as usize];
                let h = &mut heights[k as usize];
                let missing = floor - *h;
                *h = if missing > 0.0 { *h + missing * share } else { *h };
            }
        }
        Ok(())
    }

    /// Writes the heights at an `age` in years. They follow from the heights at the `beginning`, the same heights
    /// [`filled`](Self::fill), and the steady-state heights. The filled terrain moves upstream. Its depressions stay in
    /// place and fill up, as do depressions that form where the terrain downstream rises faster. The steady-state
    /// terrain differs from the rise along these streams, because the streams follow the eight grid directions. This
    /// difference is added gradually as the wave of erosion approaches.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn heights(
        &self,
        cx: &Context,
        [beginning, filled, steady]: [&[f32]; 3],
        age: f64,
        heights: &mut Vec<f32>,
    ) -> Result<(), Cancelled> {
        heights.resize(beginning.len(), 0.0);
        let open = (FILL_YEARS / (FILL_YEARS + age)) as f32;
        let (n, age) = (cx.grid.samples, age as f32);
        let less = |number: usize| filled[self.cells[number] as usize] - self.rise[number];
        cx.rows(heights, |row, cells| {
            for (j, height) in cells.iter_mut().enumerate() {
                let k = row * n + j;
                let number = self.numbers[k] as usize;
                let wanted = self.response[number] - age;
                *height = if wanted <= 0.0 {
                    steady[k]
                } else {
                    let (above, share) = self.point_with_response(number, wanted);
                    let (high, low) = (less(above), less(self.receivers[above] as usize));
                    let carried = self.rise[number] + (high + (low - high) * share);
                    let come = age / self.response[number];
                    carried + (steady[k] - self.rise[number]) * come + (beginning[k] - filled[k]) * open
                };
            }
        })?;
        self.fill(1.0 - open, heights, cx.control)
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
