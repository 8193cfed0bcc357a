//! The receivers of each cell, stored as cell indices or as directions packed into one byte.

use rayon::prelude::*;

/// `N` receivers of every cell; a cell from which nothing flows is its own receiver.
pub trait Receivers<const N: usize>: Sync {
    /// Number of cells.
    fn cells(&self) -> usize;
    /// The receivers of cell `k`.
    fn receivers(&self, k: usize) -> [u32; N];
}

impl<const N: usize> Receivers<N> for [[u32; N]] {
    fn cells(&self) -> usize {
        self.len()
    }

    #[inline]
    fn receivers(&self, k: usize) -> [u32; N] {
        self[k]
    }
}

/// Reinterprets a list of single receivers as lists of length one.
pub(super) fn single(receivers: &[u32]) -> &[[u32; 1]] {
    receivers.as_chunks().0
}

/// Two receivers of every cell in one byte. Each half of the byte holds the position of a receiver in the 3 × 3 block
/// of cells around the cell, in grid order. Receivers outside this block, across seams and borders of faces, are listed
/// separately.
#[derive(Clone, Debug, Default)]
pub struct NeighbourReceivers {
    codes: Vec<u8>,
    /// For each position in the 3 × 3 block around a cell, the cell index at this position minus the index of the
    /// centre.
    steps: [u32; 16],
    /// Cells with separately listed receivers, in the order of their index.
    listed: Vec<ListedCell>,
}

/// The index of a cell and its two receivers.
type ListedCell = (u32, [u32; 2]);

/// Code of a cell with separately listed receivers.
const LISTED: u8 = 0xff;
/// Code of a cell that is its own receiver: both halves hold the centre of the 3 × 3 block.
const OWN: u8 = 0x44;

impl NeighbourReceivers {
    /// Encodes the receivers that `route_row(number, row, receivers)` writes for each row in `rows`. A row has
    /// `samples` cells.
    ///
    /// # Errors
    /// Returns the error of `route_row`.
    pub(super) fn by_rows<T: Send, E: Send>(
        &mut self,
        samples: usize,
        rows: Vec<T>,
        route_row: impl Fn(usize, T, &mut [[u32; 2]]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.step_in_rows(samples);
        self.codes.resize(rows.len() * samples, 0);
        let encode_row = |receivers: &mut Vec<[u32; 2]>, (number, (row, codes)): (usize, (T, &mut [u8]))| {
            receivers.resize(samples, [0; 2]);
            route_row(number, row, receivers)?;
            let first = (number * samples) as u32;
            encode(receivers, first, samples as u32, codes);
            if !codes.contains(&LISTED) {
                return Ok(Vec::new());
            }
            let cells = codes.iter().zip(&*receivers).zip(first..);
            let listed = cells.filter(|((code, _), _)| **code == LISTED).map(|((_, tos), k)| (k, *tos)).collect();
            Ok(listed)
        };
        let rows = rows.into_par_iter().zip(self.codes.par_chunks_mut(samples)).enumerate();
        let listed: Vec<Vec<ListedCell>> = rows.map_init(Vec::new, encode_row).collect::<Result<_, E>>()?;
        self.listed = listed.concat();
        Ok(())
    }

    /// Decodes the [`codes`](Self::codes) of the cells of a square; `None` if a receiver is outside the square.
    pub(super) fn from_codes(samples: usize, codes: Vec<u8>) -> Option<Self> {
        let mut made = Self { codes, ..Self::default() };
        made.step_in_rows(samples);
        let last = samples - 1;
        let leads_within = |(k, &code): (usize, &u8)| {
            let (row, column) = (k / samples, k % samples);
            let is_there = |code: u8| match (code / 3, code % 3) {
                (0, _) if row == 0 => false,
                (2, _) if row == last => false,
                (_, 0) if column == 0 => false,
                (_, 2) if column == last => false,
                (down, _) => down < 3,
            };
            is_there(code & 0x0f) && is_there(code >> 4)
        };
        let is_whole = made.codes.len() == samples * samples && made.codes.par_iter().enumerate().all(leads_within);
        is_whole.then_some(made)
    }

    /// The codes of all cells of a square that does not wrap.
    pub(super) fn codes(&self) -> &[u8] {
        debug_assert!(self.listed.is_empty());
        &self.codes
    }

    /// Makes cell `k` its own receiver, so that nothing flows from it.
    pub(super) fn set_end(&mut self, k: usize) {
        self.codes[k] = OWN;
    }

    /// Computes the index offsets for a grid with rows of `samples` cells.
    fn step_in_rows(&mut self, samples: usize) {
        let step = |code: usize| ((code / 3) * samples + code % 3).wrapping_sub(samples + 1) as u32;
        self.steps = std::array::from_fn(|code| if code < 9 { step(code) } else { 0 });
    }

    /// Whether cell `k` is its own receiver, so that nothing flows from it.
    #[inline]
    pub fn is_end(&self, k: usize) -> bool {
        match self.codes[k] {
            LISTED => self.receivers(k) == [k as u32; 2],
            code => code == OWN,
        }
    }
}

/// Writes the codes of consecutive cells with the given receivers, starting at cell `first`. Rows have `samples` cells.
/// The code is [`LISTED`] where the receivers cannot be encoded.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn encode(receivers: &[[u32; 2]], first: u32, samples: u32, codes: &mut [u8]) {
    for ((code, tos), k) in codes.iter_mut().zip(receivers).zip(first..) {
        let [low, high] = [code_of(tos[0].wrapping_sub(k), samples), code_of(tos[1].wrapping_sub(k), samples)];
        let both = low | high << 4;
        *code = if low == NO_CODE || high == NO_CODE { LISTED } else { both as u8 };
    }
}

/// Marks a receiver outside the 3 × 3 block around its cell.
const NO_CODE: u32 = 0x0f;

/// The position, in the 3 × 3 block around a cell, of the neighbour whose index differs by `step`. Rows have `samples`
/// cells. Returns [`NO_CODE`] if no position has this offset. The code has no branches, so that many cells are
/// processed at once.
#[inline(always)]
fn code_of(step: u32, samples: u32) -> u32 {
    let here = step.wrapping_add(1);
    let (north, south) = (here.wrapping_add(samples), here.wrapping_sub(samples));
    let code = if south < 3 { south + 6 } else { NO_CODE };
    let code = if north < 3 { north } else { code };
    if here < 3 { here + 3 } else { code }
}

impl Receivers<2> for NeighbourReceivers {
    fn cells(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    fn receivers(&self, k: usize) -> [u32; 2] {
        let code = self.codes[k];
        if code == LISTED {
            let found = self.listed.binary_search_by_key(&(k as u32), |(cell, _)| *cell);
            return self.listed[found.expect("every cell with this code is listed")].1;
        }
        let to = |code: u8| (k as u32).wrapping_add(self.steps[usize::from(code & 0x0f)]);
        [to(code), to(code >> 4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_lists_return_the_written_receivers() {
        for samples in [2, 3, 5, 40] {
            let cells = (samples * samples) as u32;
            let written = |k: u32| -> [u32; 2] {
                let by = |step: i64| (i64::from(k) + step).rem_euclid(i64::from(cells)) as u32;
                let n = samples as i64;
                let steps = [-n - 1, -n, 1 - n, -1, 0, 1, n - 1, n, n + 1, 2, -2 * n, n * n - 1];
                let at = |turn: u32| by(steps[(k + turn) as usize % steps.len()]);
                if k.is_multiple_of(7) { [k; 2] } else { [at(0), at(k / 12 % 5)] }
            };
            let mut receivers = NeighbourReceivers::default();
            let write = |row: usize, (): (), out: &mut [[u32; 2]]| {
                out.iter_mut().zip((row * samples) as u32..).for_each(|(to, k)| *to = written(k));
                Ok::<(), ()>(())
            };
            receivers.by_rows(samples, vec![(); samples], write).unwrap();
            assert_eq!(receivers.cells(), cells as usize);
            assert!(receivers.listed.len() < cells as usize / 2, "most receivers fit in a byte");
            for k in 0..cells {
                assert_eq!(receivers.receivers(k as usize), written(k), "{k} of {samples}");
                assert_eq!(receivers.is_end(k as usize), written(k) == [k; 2]);
            }
        }
        assert_eq!(NeighbourReceivers::default().by_rows(2, vec![(); 2], |_, (), _| Err("stopped")), Err("stopped"));
    }
}
