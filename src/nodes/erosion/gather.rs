//! Steps in which all cells give material to their lower neighbours at once: the common part of thermal and hydraulic
//! erosion.
//!
//! Scheme: gather, in two passes. Pass 1 computes the amount that each cell gives, and the amount per unit of level
//! difference that each neighbour gets ([`GatherLaw::give`]). In pass 2 every cell sums the amounts from its neighbours
//! ([`GatherLaw::update_row`]). A step reads the old maps and writes new ones, and the bits do not depend on the
//! threads. On a square both passes run down a band of rows together. The rows in progress hold the amounts given, and
//! the rows adjacent to a band are computed twice. On a globe each pass runs over all cells before the next pass
//! starts. The reason is that cells on another face, with other neighbours, give the amounts that cross a border.
//! Between the passes, samples on face borders get the values of the samples that they copy.
//! Boundary: nothing leaves an open edge; a wrapping square continues on the other side; a globe has no edge.

use rayon::prelude::*;

use super::buffers::{RowAccount, account, add_balance};
use crate::Context;
use talweg_ground::field::metric::{GridMetric, RowMetric};
use talweg_ground::field::topology::{EdgeFill, StencilWindow};
use talweg_ground::field::{Cancelled, Grid, Metric, Uniform};

/// Number of cells in a band. Two rows next to each band are computed twice, so bands must not be too small.
const BAND_CELLS: usize = 16 * 1024;
const BAND_ROWS: usize = 16;

/// The equations of a process with two passes, for rows of n cells. `OWN` is the number of values that a cell keeps.
/// `GIVEN` is the number of kinds of material that a cell gives to neighbours. `OUT` is the number of maps that the
/// process writes, the height first.
///
/// Levels and the given fractions (`shares`) are padded rows of n + 2 cells. Beyond an open edge a level is NaN, which
/// never compares as lower, and a fraction is 0.
pub trait GatherLaw<const OWN: usize, const GIVEN: usize, const OUT: usize>: Sync {
    /// Loads the level and the `OWN` values of each cell in row `row` of the grid.
    fn load(&self, row: usize, level: &mut [f32], own: [&mut [f32]; OWN]);

    /// Computes the depth that each cell loses (`lost`), and the volume per unit of level difference that each lower
    /// neighbour gets (`shares`). `levels` holds the levels of the row to the north, the current row and the row to the
    /// south.
    fn give<M: RowMetric>(
        &self,
        metric: M,
        levels: [&[f32]; 3],
        own: [&[f32]; OWN],
        lost: [&mut [f32]; GIVEN],
        shares: [&mut [f32]; GIVEN],
    );

    /// Writes the new maps of row `row` of the grid, from the amounts that its cells keep and receive.
    fn update_row<M: RowMetric>(&self, row: usize, metric: M, cells: Settling<'_, OWN, GIVEN>, out: [&mut [f32]; OUT]);
}

/// Input of the second pass for one row.
#[derive(Clone, Copy)]
pub struct Settling<'a, const OWN: usize, const GIVEN: usize> {
    pub levels: [&'a [f32]; 3],
    pub own: [&'a [f32]; OWN],
    pub lost: [&'a [f32]; GIVEN],
    pub shares: [[&'a [f32]; 3]; GIVEN],
}

/// Output of a step, and the old heights, wear and deposits from which it is computed.
pub struct GatherStep<'a, const OUT: usize> {
    pub out: [&'a mut [f32]; OUT],
    /// Index in `out` of the map of the carried material; `None` if nothing is carried.
    pub carried: Option<usize>,
    /// New map of wear; `deposits` is the new map of deposits.
    pub wear: &'a mut [f32],
    pub deposits: &'a mut [f32],
    pub accounts: &'a mut [RowAccount],
    pub old_height: &'a [f32],
    /// Old map of wear and old map of deposits.
    pub old_balance: [&'a [f32]; 2],
}

/// Working fields of a step on a globe; empty on squares and in snapshots.
pub struct Fields<const OWN: usize, const GIVEN: usize> {
    level: Vec<f32>,
    own: [Vec<f32>; OWN],
    lost: [Vec<f32>; GIVEN],
    shares: [Vec<f32>; GIVEN],
}

impl<const OWN: usize, const GIVEN: usize> Default for Fields<OWN, GIVEN> {
    fn default() -> Self {
        let none = |_| Vec::new();
        Self {
            level: Vec::new(),
            own: std::array::from_fn(none),
            lost: std::array::from_fn(none),
            shares: std::array::from_fn(none),
        }
    }
}

/// Runs one step of the process on the grid of `cx`.
pub fn step<const OWN: usize, const GIVEN: usize, const OUT: usize>(
    cx: &Context,
    metric: &GridMetric,
    law: &impl GatherLaw<OWN, GIVEN, OUT>,
    fields: &mut Fields<OWN, GIVEN>,
    step: GatherStep<'_, OUT>,
) -> Result<(), Cancelled> {
    match metric {
        GridMetric::Uniform => in_bands(cx, law, step),
        GridMetric::Spherical(metric) => in_passes(cx, &**metric, law, fields, step),
    }
}

/// Splits each field into blocks of `cells` cells.
fn pieces<const K: usize>(fields: [&mut [f32]; K], cells: usize) -> Vec<[&mut [f32]; K]> {
    let count = fields.first().map_or(0, |field| field.len().div_ceil(cells));
    let mut chunks = fields.map(|field| field.chunks_mut(cells));
    (0..count).map(|_| chunks.each_mut().map(|chunks| chunks.next().expect("fields of one size"))).collect()
}

fn row_mut<'a, const K: usize>(fields: &'a mut [&mut [f32]; K], row: usize, n: usize) -> [&'a mut [f32]; K] {
    fields.each_mut().map(|field| &mut field[row * n..][..n])
}

/// Runs both passes together, band by band of a square.
fn in_bands<const OWN: usize, const GIVEN: usize, const OUT: usize>(
    cx: &Context,
    law: &impl GatherLaw<OWN, GIVEN, OUT>,
    step: GatherStep<'_, OUT>,
) -> Result<(), Cancelled> {
    let GatherStep { out, carried, wear, deposits, accounts, old_height, old_balance } = step;
    let (grid, n) = (cx.grid, cx.grid.samples);
    let rows = (BAND_CELLS / n).max(BAND_ROWS);
    let cells = rows * n;
    let bands =
        (pieces(out, cells), wear.par_chunks_mut(cells), deposits.par_chunks_mut(cells), accounts.par_chunks_mut(rows));
    bands.into_par_iter().enumerate().try_for_each(|(b, (mut out, wear, deposits, accounts))| {
        cx.control.check()?;
        square_band(grid, law, b * rows, &mut out);
        let span = b * cells..b * cells + wear.len();
        let old = &old_height[span.clone()];
        add_balance(old, out[0], old_balance.map(|map| &map[span.clone()]), wear, deposits);
        for (k, to) in accounts.iter_mut().enumerate() {
            let row = |field: usize| &out[field][k * n..][..n];
            *to = account(grid, None, &old[k * n..][..n], row(0), carried.map(row));
        }
        Ok(())
    })
}

/// Level and own values of one row of the terrain, as [`GatherLaw::load`] returns them.
struct Loaded<const OWN: usize> {
    level: Vec<f32>,
    own: [Vec<f32>; OWN],
}

/// Amounts that a row of a square gives, as [`GatherLaw::give`] returns them.
struct RowFractions<const GIVEN: usize> {
    lost: [Vec<f32>; GIVEN],
    shares: [Vec<f32>; GIVEN],
}

/// Writes the new maps of a band of rows of a square; its first row is row `first`.
fn square_band<const OWN: usize, const GIVEN: usize, const OUT: usize>(
    grid: Grid,
    law: &impl GatherLaw<OWN, GIVEN, OUT>,
    first: usize,
    out: &mut [&mut [f32]; OUT],
) {
    let n = grid.samples;
    // with r = first + ahead, `loaded` holds rows r - 1 … r + 2 and `given` holds rows r - 1 … r + 1
    let mut loaded: [Loaded<OWN>; 4] =
        std::array::from_fn(|_| Loaded { level: vec![f32::NAN; n + 2], own: std::array::from_fn(|_| vec![0.0; n]) });
    let mut given: [RowFractions<GIVEN>; 3] = std::array::from_fn(|_| RowFractions {
        lost: std::array::from_fn(|_| vec![0.0; n]),
        shares: std::array::from_fn(|_| vec![0.0; n + 2]),
    });
    let pad = |row: &mut [f32], none: f32| {
        let beyond = |index: Option<usize>, row: &[f32]| index.map_or(none, |j| row[j + 1]);
        (row[0], row[n + 1]) = (beyond(grid.previous(0), row), beyond(grid.next(n - 1), row));
    };
    let load = |row: isize, to: &mut Loaded<OWN>| match grid.row_beyond(row) {
        None => to.level.fill(f32::NAN),
        Some(row) => {
            law.load(row, &mut to.level[1..=n], to.own.each_mut().map(|own| &mut own[..]));
            pad(&mut to.level, f32::NAN);
        }
    };
    load(first as isize - 2, &mut loaded[2]);
    load(first as isize - 1, &mut loaded[3]);
    for ahead in -2..(out[0].len() / n) as isize {
        loaded.rotate_left(1);
        given.rotate_left(1);
        load(first as isize + ahead + 2, &mut loaded[3]);
        let [north, here, south, beyond] = &loaded;
        let RowFractions { lost, shares } = &mut given[2];
        law.give(
            Uniform,
            [&here.level, &south.level, &beyond.level],
            south.own.each_ref().map(|own| &own[..]),
            lost.each_mut().map(|lost| &mut lost[..]),
            shares.each_mut().map(|share| &mut share[1..=n]),
        );
        shares.iter_mut().for_each(|share| pad(share, 0.0));
        if ahead >= 0 {
            let cells = Settling {
                levels: [&north.level, &here.level, &south.level],
                own: here.own.each_ref().map(|own| &own[..]),
                lost: given[1].lost.each_ref().map(|lost| &lost[..]),
                shares: std::array::from_fn(|kind| given.each_ref().map(|row| &row.shares[kind][..])),
            };
            law.update_row(first + ahead as usize, Uniform, cells, row_mut(out, ahead as usize, n));
        }
    }
}

/// Runs the two passes one after the other, each over all cells.
fn in_passes<M: Metric, const OWN: usize, const GIVEN: usize, const OUT: usize>(
    cx: &Context,
    metric: &M,
    law: &impl GatherLaw<OWN, GIVEN, OUT>,
    fields: &mut Fields<OWN, GIVEN>,
    step: GatherStep<'_, OUT>,
) -> Result<(), Cancelled> {
    let GatherStep { mut out, carried, wear, deposits, accounts, old_height, old_balance } = step;
    let (grid, n) = (cx.grid, cx.grid.samples);
    let Fields { level, own, lost, shares } = fields;
    let all = std::iter::once(&mut *level).chain(&mut *own).chain(&mut *lost).chain(&mut *shares);
    all.for_each(|field| field.resize(grid.len(), 0.0));
    let rows = (BAND_CELLS / n).max(BAND_ROWS);
    let cells = rows * n;

    let bands = (pieces([&mut level[..]], cells), pieces(own.each_mut().map(|own| &mut own[..]), cells));
    bands.into_par_iter().enumerate().try_for_each(|(b, ([level], mut own))| {
        cx.control.check()?;
        for (k, level) in level.chunks_mut(n).enumerate() {
            law.load(b * rows + k, level, row_mut(&mut own, k, n));
        }
        Ok(())
    })?;
    grid.close(level);

    let own = own.each_ref().map(|own| &own[..]);
    let bands = (
        pieces(lost.each_mut().map(|lost| &mut lost[..]), cells),
        pieces(shares.each_mut().map(|share| &mut share[..]), cells),
    );
    bands.into_par_iter().enumerate().try_for_each(|(b, (mut lost, mut shares))| {
        cx.control.check()?;
        let mut levels = StencilWindow::new(grid, EdgeFill::Value(f32::NAN), level, b * rows);
        for k in 0..lost[0].len() / n {
            let row = b * rows + k;
            levels.advance(level);
            let own = own.map(|own| grid.row(own, row));
            law.give(metric.row(row), levels.rows(), own, row_mut(&mut lost, k, n), row_mut(&mut shares, k, n));
        }
        Ok(())
    })?;
    shares.iter_mut().for_each(|share| grid.close(share));

    let (lost, shares) = (lost.each_ref().map(|lost| &lost[..]), shares.each_ref().map(|share| &share[..]));
    let bands = (
        pieces(out.each_mut().map(|out| &mut **out), cells),
        wear.par_chunks_mut(cells),
        deposits.par_chunks_mut(cells),
        accounts.par_chunks_mut(rows),
    );
    bands.into_par_iter().enumerate().try_for_each(|(b, (mut out, wear, deposits, accounts))| {
        cx.control.check()?;
        let mut levels = StencilWindow::new(grid, EdgeFill::Value(f32::NAN), level, b * rows);
        let mut windows = shares.map(|share| StencilWindow::new(grid, EdgeFill::Value(0.0), share, b * rows));
        let balances = wear.chunks_mut(n).zip(deposits.chunks_mut(n)).zip(accounts);
        for (k, ((wear, deposits), to)) in balances.enumerate() {
            let row = b * rows + k;
            levels.advance(level);
            windows.iter_mut().zip(shares).for_each(|(window, share)| window.advance(share));
            let cells = Settling {
                levels: levels.rows(),
                own: own.map(|own| grid.row(own, row)),
                lost: lost.map(|lost| grid.row(lost, row)),
                shares: windows.each_ref().map(StencilWindow::rows),
            };
            law.update_row(row, metric.row(row), cells, row_mut(&mut out, k, n));
            // samples that copy another face have no area of their own; they get the values of the samples that they
            // copy
            let made = |field: usize| &out[field][k * n..][..n];
            let old = grid.row(old_height, row);
            add_balance(old, made(0), old_balance.map(|map| grid.row(map, row)), wear, deposits);
            *to = account(grid, metric.owned_areas(row), old, made(0), carried.map(made));
        }
        Ok(())
    })?;
    out.iter_mut().for_each(|field| grid.close(field));
    grid.close(wear);
    grid.close(deposits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::topology::around_row;
    use talweg_ground::field::{Control, Edges, Stream};

    /// Equations for tests, in which every cell gives lower neighbours a fraction of the height difference.
    struct Levelling<'a> {
        grid: Grid,
        height: &'a [f32],
    }

    impl GatherLaw<1, 1, 1> for Levelling<'_> {
        fn load(&self, row: usize, level: &mut [f32], [own]: [&mut [f32]; 1]) {
            level.copy_from_slice(self.grid.row(self.height, row));
            own.fill(0.25);
        }

        fn give<M: RowMetric>(
            &self,
            metric: M,
            levels: [&[f32]; 3],
            [own]: [&[f32]; 1],
            [lost]: [&mut [f32]; 1],
            [shares]: [&mut [f32]; 1],
        ) {
            let around = around_row(levels);
            for j in 0..lost.len() {
                let falls = around.map(|row| levels[1][j + 1] - row[j]).map(|d| if d > 0.0 { d } else { 0.0 });
                let (sum, most) = falls.into_iter().fold((0.0, 0.0f32), |(sum, most), d| (sum + d, most.max(d)));
                lost[j] = own[j] * most;
                shares[j] = if sum > 0.0 { lost[j] * metric.area(j) / sum } else { 0.0 };
            }
        }

        fn update_row<M: RowMetric>(&self, row: usize, metric: M, cells: Settling<'_, 1, 1>, [out]: [&mut [f32]; 1]) {
            let Settling { levels, own: [own], lost: [lost], shares: [shares] } = cells;
            assert!(own.iter().all(|&share| share == 0.25));
            assert_eq!(&levels[1][1..=out.len()], self.grid.row(self.height, row));
            let (levels_around, shares) = (around_row(levels), around_row(shares));
            for j in 0..out.len() {
                let here = levels[1][j + 1];
                let come = (0..8).map(|k| shares[k][j] * (levels_around[k][j] - here).max(0.0)).sum::<f32>();
                out[j] = here - (lost[j] - come / metric.area(j));
            }
        }
    }

    /// Returns the new heights after one step, and the sums of loss and gain over all rows.
    fn stepped(grid: Grid, metric: Option<&GridMetric>) -> (Vec<f32>, [f64; 2]) {
        let control = Control::default();
        let random = Stream::new(3, 5);
        let mut height: Vec<f32> = (0..grid.len()).map(|k| random.unit(k as i32, 0)).collect();
        grid.close(&mut height);
        let cx = Context {
            grid,
            size_metres: 8000.0,
            relief_metres: 1800.0,
            sea_level: 0.0,
            planet: None,
            scene_samples: grid.samples,
            cell_ratio: 1.0,
            voids: Default::default(),
            random,
            control: &control,
        };
        let zero = vec![0.0; grid.len()];
        let (mut out, mut wear, mut deposits) = (zero.clone(), zero.clone(), zero.clone());
        let mut accounts = vec![[0.0; 3]; grid.rows()];
        let law = Levelling { grid, height: &height };
        let task = GatherStep {
            out: [&mut out],
            carried: None,
            wear: &mut wear,
            deposits: &mut deposits,
            accounts: &mut accounts,
            old_height: &height,
            old_balance: [&zero, &zero],
        };
        match metric {
            Some(metric) => step(&cx, metric, &law, &mut Fields::default(), task).unwrap(),
            None => in_passes(&cx, &Uniform, &law, &mut Fields::default(), task).unwrap(),
        }
        let mass_balance =
            accounts[..grid.distinct_rows()].iter().fold([0.0; 2], |sum, row| [sum[0] + row[0], sum[1] + row[1]]);
        (out, mass_balance)
    }

    #[test]
    fn bands_and_passes_have_the_same_bits_and_nothing_is_lost() {
        for edges in [Edges::Open, Edges::Wrap] {
            for n in [2, 5, 40, 300] {
                let grid = Grid::new(n, edges);
                let (bands, mass_balance) = stepped(grid, Some(&GridMetric::Uniform));
                let (passes, _) = stepped(grid, None);
                let bits = |field: &[f32]| field.iter().map(|h| h.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&bands), bits(&passes), "{grid:?}");
                assert!(
                    (mass_balance[0] - mass_balance[1]).abs() <= 1e-5 * mass_balance[0],
                    "{grid:?}: {mass_balance:?}"
                );
            }
        }
        let grid = Grid::globe(24);
        let (height, mass_balance) = stepped(grid, Some(&GridMetric::new(grid)));
        assert!((mass_balance[0] - mass_balance[1]).abs() < 1e-5 * mass_balance[0], "{mass_balance:?}");
        assert!((0..grid.len()).all(|k| height[k].to_bits() == height[grid.owner(k)].to_bits()));
    }
}
