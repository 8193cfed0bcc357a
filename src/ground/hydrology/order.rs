//! The order of the cells along the flow, and parallel traversals in this order. Sums propagate downstream, values
//! propagate upstream.
//!
//! Scheme: the list of cells is halved by index, again and again, down to bands of at most [`LEAST_BAND`] cells. A band
//! first takes all cells whose whole upstream area is within the band. From every cell without donors, a walk follows
//! the receivers downstream. The walk continues as long as the current cell was the last donor that the next cell
//! waited for. So neighbours on the same stream are adjacent in the order, and loops along it use the cache well.
//!
//! A cell that waits for water from another band belongs to the smallest wider band that holds all its donors. So the
//! two halves of a band can be traversed in parallel. A downstream traversal visits the halves before the band's own
//! cells, and an upstream traversal visits them after. Only the few cells along trunk streams remain for the wide
//! bands. Flow across the border of a band is passed on in a list. Bands depend only on the number of cells, so sums
//! are added in the same order with any number of threads.
//! Source: Braun & Willett 2013 (the stack, a different order for the same purpose); Barnes 2016 (flow across the
//! borders of tiles, passed on in lists).

use std::ops::AddAssign;

use super::receivers::{Receivers, single};
use crate::field::{Cancelled, Control};

/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 15;
/// Bands of at most this many cells are not halved.
const LEAST_BAND: usize = 1 << 16;
/// Donor count that marks a cell which a walk has already passed.
const PASSED: u8 = u8::MAX;

/// The order of all cells of a grid in which each cell comes after all cells that drain to it.
///
/// The order is built for one or two receivers per cell. The receivers must lead without cycles to cells that are their
/// own receivers. The traversals must be given the same receivers as [`new`](Self::new).
#[derive(Clone, Debug, Default)]
pub struct UpstreamOrder(CellBand);

/// A band of cells with consecutive indices, and its two halves unless the band is small.
#[derive(Clone, Debug, Default)]
struct CellBand {
    /// Index of the first cell of the band.
    start: usize,
    /// The cells that wait for water across the border between the two halves. A band without halves lists all its
    /// cells.
    own: Vec<u32>,
    /// Receivers outside this band of cells inside it, with repetitions. The receivers of cells in the halves come
    /// first, then the receivers of `own`.
    leaving: Vec<u32>,
    halves: Option<Box<[CellBand; 2]>>,
}

impl UpstreamOrder {
    /// The order of the cells of a flow graph with `N` `receivers` for each cell.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new<const N: usize>(receivers: &(impl Receivers<N> + ?Sized), control: &Control) -> Result<Self, Cancelled> {
        Self::with_downstream_sums(receivers, &mut vec![NoHolding; receivers.cells()], control, |_, _| [NoHolding; N])
    }

    /// Builds the order as [`new`](Self::new) does and runs [`traverse_downstream`](Self::traverse_downstream) in the
    /// same pass, with the same bits. `visit(cell, held)` gets the amount of the cell: its initial value in `held` plus
    /// the inflow.
    ///
    /// # Errors
    /// Fails if the run is cancelled; some cells have been visited by then.
    pub fn with_downstream_sums<const N: usize, A: Copy + AddAssign + Send>(
        receivers: &(impl Receivers<N> + ?Sized),
        held: &mut [A],
        control: &Control,
        visit: impl Fn(usize, A) -> [A; N] + Sync,
    ) -> Result<Self, Cancelled> {
        Self::from_builder(&OrderBuilder { receivers, least: LEAST_BAND, control, visit }, held)
    }

    fn from_builder<
        const N: usize,
        R: Receivers<N> + ?Sized,
        A: Copy + AddAssign + Send,
        V: Fn(usize, A) -> [A; N] + Sync,
    >(
        builder: &OrderBuilder<N, R, V>,
        held: &mut [A],
    ) -> Result<Self, Cancelled> {
        let mut donors = vec![0; builder.receivers.cells()];
        builder.count_donors(0, &mut donors)?;
        Ok(Self(CellBand::new(builder, 0, &mut donors, held)?.0))
    }

    /// Iterates over the cells in this order. The reversed iterator returns each cell before all cells that drain to
    /// it.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        let mut bands = Vec::new();
        self.0.list(&mut bands);
        bands.into_iter().flatten().copied()
    }

    /// Visits each cell after all cells that drain to it. `visit(cell, held, own)` gets the amount of the cell (its
    /// initial value in `held` plus the inflow) and the cell's entry in `own`. It returns the amount for each receiver.
    /// Cells that are their own receivers are not visited; their inflow stays in `held`.
    ///
    /// # Errors
    /// Fails if the run is cancelled; some cells have been visited by then.
    pub fn traverse_downstream<const N: usize, A: Copy + AddAssign + Send, T: Send>(
        &self,
        receivers: &(impl Receivers<N> + ?Sized),
        held: &mut [A],
        own: &mut [T],
        control: &Control,
        visit: impl Fn(usize, A, &mut T) -> [A; N] + Sync,
    ) -> Result<(), Cancelled> {
        self.0.downstream(receivers, held, own, control, &visit).map(|_| ())
    }

    /// Visits each cell after its receivers. `visit(cell, value, below)` gets the value of the cell and the values of
    /// its receivers, and returns the new value of the cell. A cell that is its own receiver gets its own value as
    /// `below`.
    ///
    /// # Errors
    /// Fails if the run is cancelled; some cells have been visited by then.
    pub fn traverse_upstream<const N: usize>(
        &self,
        receivers: &(impl Receivers<N> + ?Sized),
        values: &mut [f32],
        control: &Control,
        visit: impl Fn(usize, f32, [f32; N]) -> f32 + Sync,
    ) -> Result<(), Cancelled> {
        self.0.upstream(receivers, values, Vec::new(), control, &visit)
    }
}

/// An empty amount, for callers that need only the order and pass no amounts.
#[derive(Clone, Copy)]
struct NoHolding;

impl AddAssign for NoHolding {
    fn add_assign(&mut self, _: Self) {}
}

/// The inputs from which an order is built.
struct OrderBuilder<'a, const N: usize, R: ?Sized, V> {
    receivers: &'a R,
    /// Bands of at most this many cells are not halved.
    least: usize,
    control: &'a Control,
    /// Function that returns the amounts that a cell passes to its receivers.
    visit: V,
}

/// Position of cell `k` in a band of `len` cells that starts at `start`; `None` if the cell is outside the band.
#[inline]
fn band_position(k: u32, start: usize, len: usize) -> Option<usize> {
    let place = (k as usize).wrapping_sub(start);
    (place < len).then_some(place)
}

impl<const N: usize, R: Receivers<N> + ?Sized, V: Sync> OrderBuilder<'_, N, R, V> {
    /// The position at which a band of `len` cells is halved; `None` if the band is small enough to stay whole.
    fn middle(&self, len: usize) -> Option<usize> {
        (len > self.least).then_some(len / 2)
    }

    /// Counts, for each cell of a band, how often other cells of the band have it as a receiver. Returns the receivers
    /// outside the band.
    fn count_donors(&self, start: usize, donors: &mut [u8]) -> Result<Vec<u32>, Cancelled> {
        self.control.check()?;
        let len = donors.len();
        let mut leaving = Vec::new();
        let Some(middle) = self.middle(len) else {
            for k in 0..len {
                for to in self.receivers.receivers(start + k) {
                    match band_position(to, start, len) {
                        Some(at) => donors[at] += u8::from(at != k),
                        None => leaving.push(to),
                    }
                }
            }
            return Ok(leaving);
        };
        let (low, high) = donors.split_at_mut(middle);
        let (low, high) = rayon::join(|| self.count_donors(start, low), || self.count_donors(start + middle, high));
        for to in low?.into_iter().chain(high?) {
            match band_position(to, start, len) {
                Some(at) => donors[at] += 1,
                None => leaving.push(to),
            }
        }
        Ok(leaving)
    }
}

impl CellBand {
    /// Builds the band of the cells from index `start`. `donors` holds the donor counts of these cells and `held` their
    /// amounts. Returns the band and its outflow, in the order of `leaving`. Cells that the band takes have no donors
    /// left.
    fn new<const N: usize, R: Receivers<N> + ?Sized, A: Copy + AddAssign + Send, V: Fn(usize, A) -> [A; N] + Sync>(
        builder: &OrderBuilder<N, R, V>,
        start: usize,
        donors: &mut [u8],
        held: &mut [A],
    ) -> Result<(Self, Vec<A>), Cancelled> {
        builder.control.check()?;
        let len = donors.len();
        let mut band = Self { start, ..Self::default() };
        let mut given = Vec::new();
        let Some(middle) = builder.middle(len) else {
            band.own.reserve(len);
            let mut ready = Vec::new();
            for k in 0..len {
                if donors[k] == 0 {
                    ready.push((start + k) as u32);
                    band.walk(builder, donors, held, &mut ready, &mut given)?;
                }
            }
            band.shrink();
            return Ok((band, given));
        };
        let (donors_low, donors_high) = donors.split_at_mut(middle);
        let (held_low, held_high) = held.split_at_mut(middle);
        let (low, high) = rayon::join(
            || Self::new(builder, start, donors_low, held_low),
            || Self::new(builder, start + middle, donors_high, held_high),
        );
        let ((low, from_low), (high, from_high)) = (low?, high?);
        let halves = Box::new([low, high]);
        let mut ready = Vec::new();
        let tos = halves.iter().flat_map(|half| &half.leaving);
        for (amount, &to) in from_low.into_iter().chain(from_high).zip(tos) {
            let Some(at) = band_position(to, start, len) else {
                band.leaving.push(to);
                given.push(amount);
                continue;
            };
            held[at] += amount;
            donors[at] -= 1;
            if donors[at] == 0 {
                ready.push(to);
            }
        }
        ready.reverse();
        band.walk(builder, donors, held, &mut ready, &mut given)?;
        band.halves = Some(halves);
        band.shrink();
        Ok((band, given))
    }

    /// Frees the unused capacity of the lists.
    fn shrink(&mut self) {
        self.own.shrink_to_fit();
        self.leaving.shrink_to_fit();
    }

    /// Takes the cells of the list `ready` into the band, starting with the last cell. Also takes all cells that become
    /// ready as a result.
    #[inline]
    fn walk<const N: usize, R: Receivers<N> + ?Sized, A: Copy + AddAssign + Send, V: Fn(usize, A) -> [A; N] + Sync>(
        &mut self,
        builder: &OrderBuilder<N, R, V>,
        donors: &mut [u8],
        held: &mut [A],
        ready: &mut Vec<u32>,
        leaving: &mut Vec<A>,
    ) -> Result<(), Cancelled> {
        let (start, len) = (self.start, donors.len());
        while let Some(k) = ready.pop() {
            let at = k as usize - start;
            donors[at] = PASSED;
            self.own.push(k);
            if self.own.len().is_multiple_of(CHECK) {
                builder.control.check()?;
            }
            let tos = builder.receivers.receivers(k as usize);
            if tos == [k; N] {
                continue;
            }
            for (amount, to) in (builder.visit)(k as usize, held[at]).into_iter().zip(tos) {
                let Some(at) = band_position(to, start, len) else {
                    self.leaving.push(to);
                    leaving.push(amount);
                    continue;
                };
                held[at] += amount;
                donors[at] -= 1;
                if donors[at] == 0 {
                    ready.push(to);
                }
            }
        }
        Ok(())
    }

    /// Collects the cell lists of this band and of its halves, in traversal order.
    fn list<'a>(&'a self, lists: &mut Vec<&'a [u32]>) {
        self.halves.iter().flat_map(|halves| &**halves).for_each(|half| half.list(lists));
        lists.push(&self.own);
    }

    /// Runs [`UpstreamOrder::traverse_downstream`] in this band. Returns the outflow in the order of `leaving`.
    fn downstream<const N: usize, A: Copy + AddAssign + Send, T: Send, V: Fn(usize, A, &mut T) -> [A; N] + Sync>(
        &self,
        receivers: &(impl Receivers<N> + ?Sized),
        held: &mut [A],
        own: &mut [T],
        control: &Control,
        visit: &V,
    ) -> Result<Vec<A>, Cancelled> {
        let (start, len) = (self.start, held.len());
        let mut leaving = Vec::with_capacity(self.leaving.len());
        if let Some(halves) = &self.halves {
            let middle = halves[1].start - start;
            let ((held_low, held_high), (own_low, own_high)) = (held.split_at_mut(middle), own.split_at_mut(middle));
            let (low, high) = rayon::join(
                || halves[0].downstream(receivers, held_low, own_low, control, visit),
                || halves[1].downstream(receivers, held_high, own_high, control, visit),
            );
            let tos = halves.iter().flat_map(|half| &half.leaving);
            for (given, &to) in low?.into_iter().chain(high?).zip(tos) {
                match band_position(to, start, len) {
                    Some(at) => held[at] += given,
                    None => leaving.push(given),
                }
            }
        }
        for block in self.own.chunks(CHECK) {
            control.check()?;
            for &k in block {
                let (at, tos) = (k as usize - start, receivers.receivers(k as usize));
                if tos == [k; N] {
                    continue;
                }
                let given = visit(k as usize, held[at], &mut own[at]);
                for (given, to) in given.into_iter().zip(tos) {
                    match band_position(to, start, len) {
                        Some(at) => held[at] += given,
                        None => leaving.push(given),
                    }
                }
            }
        }
        Ok(leaving)
    }

    /// Runs [`UpstreamOrder::traverse_upstream`] in this band; `beyond` holds the values of the cells in `leaving`.
    fn upstream<const N: usize, V: Fn(usize, f32, [f32; N]) -> f32 + Sync>(
        &self,
        receivers: &(impl Receivers<N> + ?Sized),
        values: &mut [f32],
        mut beyond: Vec<f32>,
        control: &Control,
        visit: &V,
    ) -> Result<(), Cancelled> {
        let (start, len) = (self.start, values.len());
        for block in self.own.rchunks(CHECK) {
            control.check()?;
            for &k in block.iter().rev() {
                let (mut below, tos) = ([0.0; N], receivers.receivers(k as usize));
                // An indexed loop: iterating backwards through two zipped lists would take longer than the visit
                // itself.
                for side in (0..N).rev() {
                    below[side] = match band_position(tos[side], start, len) {
                        Some(at) => values[at],
                        None => beyond.pop().expect("a value for each receiver beyond the band"),
                    };
                }
                let at = k as usize - start;
                values[at] = visit(k as usize, values[at], below);
            }
        }
        let Some(halves) = &self.halves else { return Ok(()) };
        let mut beyond = beyond.into_iter();
        let mut handed = halves.each_ref().map(|half| {
            let value = |&to: &u32| match band_position(to, start, len) {
                Some(at) => values[at],
                None => beyond.next().expect("a value for each receiver beyond the band"),
            };
            half.leaving.iter().map(value).collect::<Vec<_>>()
        });
        let (low, high) = values.split_at_mut(halves[1].start - start);
        let [for_low, for_high] = handed.each_mut().map(std::mem::take);
        let (low, high) = rayon::join(
            || halves[0].upstream(receivers, low, for_low, control, visit),
            || halves[1].upstream(receivers, high, for_high, control, visit),
        );
        low.and(high)
    }
}

/// Adds to every cell the amounts of its donors. If all cells start with 1, the result counts the cells that drain
/// through each cell, itself included. Whole numbers up to 2²⁴ are exact in `f32`. Returns the order in which the
/// amounts of the cells were added.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn accumulate<A: Copy + AddAssign + Send>(
    receivers: &[u32],
    held: &mut [A],
    control: &Control,
) -> Result<UpstreamOrder, Cancelled> {
    UpstreamOrder::with_downstream_sums(single(receivers), held, control, |_, held| [held])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Stream;

    const CELLS: usize = 1500;

    /// Gives each cell two receivers with a smaller height, either nearby or anywhere in the grid. The lowest cell and
    /// some other cells are their own receivers.
    fn receivers(seed: u32) -> Vec<[u32; 2]> {
        let random = Stream::new(seed, 3);
        let height = |k: usize| random.unit(k as i32, 0);
        (0..CELLS)
            .map(|k| {
                let lower = |try_: i32| {
                    let reach = if try_ % 5 == 4 { CELLS as f32 } else { 40.0 };
                    let step = (random.unit(k as i32, 2 + try_) - 0.5) * reach;
                    let there = (k as f32 + step).clamp(0.0, CELLS as f32 - 1.0) as usize;
                    (height(there) < height(k)).then_some(there as u32)
                };
                let mut found = (0..20).filter_map(lower);
                let first = found.next().filter(|_| height(k) > 0.02);
                let second = found.next().or(first);
                first.zip(second).map_or([k as u32; 2], |(first, second)| [first, second])
            })
            .collect()
    }

    /// Each cell receives the amounts of its donors in list order, as in a sequential run.
    #[test]
    fn bands_of_any_size_visit_each_cell_once_after_its_donors() {
        let control = Control::default();
        for (seed, least) in [(1, 1), (2, 7), (3, 100), (4, 800), (5, CELLS)] {
            let receivers = receivers(seed);
            // The amounts are whole numbers, so that the order of the sums does not matter.
            let given = |k: usize, held: f32| {
                let aside = (held * (k % 3) as f32 * 0.5).floor();
                [held - aside, aside]
            };
            let builder = OrderBuilder { receivers: &receivers[..], least, control: &control, visit: given };
            let holdings: Vec<f32> = (0..CELLS).map(|k| (k % 4) as f32).collect();
            let mut on_the_way = holdings.clone();
            let order = UpstreamOrder::from_builder(&builder, &mut on_the_way).unwrap();
            let mut turn = vec![usize::MAX; CELLS];
            for (number, k) in order.iter().enumerate() {
                assert_eq!(turn[k as usize], usize::MAX, "{k} twice");
                turn[k as usize] = number;
            }
            for (k, tos) in receivers.iter().enumerate() {
                assert!(
                    tos.iter().all(|&to| to as usize == k || turn[k] < turn[to as usize]),
                    "{k} of bands of {least}"
                );
            }
            assert!(order.iter().rev().eq(order.iter().collect::<Vec<_>>().into_iter().rev()));

            let mut expected = holdings.clone();
            for k in order.iter().map(|k| k as usize).filter(|&k| receivers[k] != [k as u32; 2]) {
                let given = given(k, expected[k]);
                receivers[k].into_iter().zip(given).for_each(|(to, given)| expected[to as usize] += given);
            }
            assert_eq!(on_the_way, expected);
            let mut held = holdings;
            let mut passed = vec![f32::NAN; CELLS];
            let visit = |k: usize, held: f32, passed: &mut f32| {
                *passed = held;
                given(k, held)
            };
            order.traverse_downstream(&receivers[..], &mut held, &mut passed, &control, visit).unwrap();
            assert_eq!(held, expected);
            for k in 0..CELLS {
                let is_end = receivers[k] == [k as u32; 2];
                assert!(if is_end { passed[k].is_nan() } else { passed[k] == expected[k] }, "{k}");
            }

            // The values equal the values of a sequential run bit for bit, because no sums are involved.
            let value = |k: usize, own: f32, [one, two]: [f32; 2]| own * 0.37 + one * 0.5 + two * (k % 7) as f32 * 0.05;
            let mut expected: Vec<f32> = (0..CELLS).map(|k| (k % 11) as f32).collect();
            let mut values = expected.clone();
            for k in order.iter().rev().map(|k| k as usize) {
                expected[k] = value(k, expected[k], receivers[k].map(|to| expected[to as usize]));
            }
            order.traverse_upstream(&receivers[..], &mut values, &control, value).unwrap();
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn single_receivers_are_summed_over_all_bands() {
        let control = Control::default();
        let receivers: Vec<[u32; 1]> = receivers(6).into_iter().map(|[first, _]| [first]).collect();
        let builder = OrderBuilder { receivers: &receivers[..], least: 50, control: &control, visit: |_, held| [held] };
        let mut held = vec![1.0; CELLS];
        UpstreamOrder::from_builder(&builder, &mut held).unwrap();
        let mut expected = vec![0.0; CELLS];
        for k in 0..CELLS {
            let mut at = k;
            loop {
                expected[at] += 1.0;
                let to = receivers[at][0] as usize;
                if to == at {
                    break;
                }
                at = to;
            }
        }
        assert_eq!(held, expected);
        // The test includes a single band that holds all cells.
        let mut counted = vec![1u32; CELLS];
        accumulate(receivers.as_flattened(), &mut counted, &control).unwrap();
        assert!(counted.iter().zip(&expected).all(|(&counted, &expected)| counted as f32 == expected));
    }

    /// Sums computed while the order is built are rounded in the same order as sums computed along the finished order.
    #[test]
    fn sums_during_ordering_have_the_bits_of_sums_along_the_order() {
        let control = Control::default();
        let given = |k: usize, held: f32| {
            let aside = held * (k % 7) as f32 * 0.13;
            [held - aside, aside]
        };
        for (seed, least) in [(8, 1), (9, 90), (10, CELLS)] {
            let receivers = receivers(seed);
            let builder = OrderBuilder { receivers: &receivers[..], least, control: &control, visit: given };
            let mut on_the_way: Vec<f32> = (0..CELLS).map(|k| 0.1 + (k % 13) as f32 * 0.3).collect();
            let mut after = on_the_way.clone();
            let order = UpstreamOrder::from_builder(&builder, &mut on_the_way).unwrap();
            let visit = |k: usize, held: f32, (): &mut ()| given(k, held);
            order.traverse_downstream(&receivers[..], &mut after, &mut [(); CELLS], &control, visit).unwrap();
            assert!(on_the_way.iter().zip(&after).all(|(a, b)| a.to_bits() == b.to_bits()), "bands of {least}");
        }
    }

    #[test]
    fn a_cancelled_ordering_ends() {
        let control = Control::default();
        let receivers = receivers(7);
        let order = UpstreamOrder::new(&receivers[..], &control).unwrap();
        control.cancel();
        assert!(UpstreamOrder::new(&receivers[..], &control).is_err());
        let (mut held, mut own) = (vec![1.0; CELLS], vec![(); CELLS]);
        assert!(order.traverse_downstream(&receivers[..], &mut held, &mut own, &control, |_, _, ()| [0.0; 2]).is_err());
        assert!(order.traverse_upstream(&receivers[..], &mut held, &control, |_, own, _| own).is_err());
    }
}
