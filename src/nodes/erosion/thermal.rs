//! Thermal erosion, reference form: loose rock slides to the talus angle.
//!
//! Law: for a cell of height h and neighbours of height h_n at distance δ_n (1 or √2 cells), d_n = h - h_n and
//! T_n = T·δ_n, with T the rise of the talus angle over one cell. If some d_n > T_n, the cell loses
//! m = c · max(d_n - T_n), shared among the neighbours with d_n > T_n by d_n / Σ d_n. All cells at once: old heights are
//! read, new ones written.
//! On rock of softness s (1 - hardness) it loses s·m.
//! Symbols: c `rate`, T from `talus_angle`. The papers' threshold k/N is a talus angle of
//! atan(k · relief_metres / size_metres) on a grid of N cells.
//! Presets: angles of repose of dry sand 34°, wet clay 15°, chalk 45°, granite 35 to 40° after Glover, Pocket Ref (1998); of
//! talus about 37° after Chandler, Geological Society 1973.
//!
//! Scheme: gather. What a cell loses and its loss per unit of d are computed once (`Loss`), then every cell sums
//! what comes from its neighbours; rolling rows hold the losses, and the bits do not depend on the threads. Heights and
//! maps are double-buffered: a cancelled step leaves the run as it was. Wear and deposits are what each iteration
//! changed on balance, so rock that only passes a cell leaves no trace there.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: a cell never falls below its lowest neighbour and volume is kept, so heights stay bounded for any c. A hollow
//! is filled from all sides at once, so a large c overshoots: at 257² on fBm the papers' c = 0.5 moves four times
//! as much rock to and fro in iteration 50 as c = 0.3 does and is no nearer to rest after 1000.
//! Anisotropy: a cone that came to rest at slope 1 has 1.03, 1.04 and 0.99 along 0°, 22.5° and 45° with all eight neighbours;
//! 1.05, 1.27 and 1.37 with the four straight ones; 1.36, 1.24 and 1.01 with the diagonals (tests/core/erosion_classic.rs).
//! Source: Musgrave et al. 1989; Olsen 2004; document 000, §3.3.1 (there T is the same for diagonals).

use rayon::prelude::*;

use super::buffers::{self, Next, add_balance, balance, inside};
use super::globe;
use super::rock::Rock;
use crate::field::{Cancelled, Grid, MapKind, Terrain};
use crate::nodes::{Context, Ledger, Process, Run};

crate::choices! {
    /// Which cells count as neighbours.
    Neighbours {
        Moore "All 8": "All eight cells around (Moore): the roundest cones of scree.",
        VonNeumann "4 straight": "North, east, south and west (von Neumann): about half the time, slopes are steeper along diagonals.",
        Rotated "4 diagonal": "The four diagonals (rotated von Neumann): about half the time, slopes are steeper along rows.",
    }
}

crate::params! {
    /// Lets loose rock slide until no slope is steeper than the talus angle. Cliffs crumble and scree gathers at their feet; gentle ground stays as it is.
    Thermal "Thermal erosion" in "Erosion", from "Musgrave et al. 1989; Olsen 2004", also "talus scree landslide rockfall weathering crumble" {
        /// Iterations, counted at the scene's resolution. More carry the scree farther down.
        iterations: u32 = 50, 0..=10_000, slider 1..=500;
        /// Steepest slope that stays where it is. Loose rock rests at 30 to 40 degrees; on a whole planet seen from afar slopes of a degree are steep.
        talus_angle: f32 ["°"] = 34.0, 0.0..=89.0, slider 15.0..=60.0;
        /// Share of the excess height moved in one iteration. Above 0.3 the slopes ripple until they settle; near 1 they leap.
        rate: f32 = 0.3, 0.0..=1.0, slider 0.05..=0.5;
        /// Which cells count as neighbours.
        neighbours: Neighbours = Neighbours::Moore;
        /// Resistance of the rock everywhere: 0 is loose, 1 never wears. Where a layer below made a hardness map, the harder of the two counts.
        hardness: f32 = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Takes the sharpness off the crests." { iterations = 12 }
            Natural "Natural": "Scree at the foot of the cliffs." {}
            Strong "Strong": "Valleys filled with scree." { iterations = 300, talus_angle = 30.0 }
            Sand "Sand": "Dry sand, at rest at 34°." { iterations = 150 }
            Scree "Scree": "Angular stones, at rest at 37°." { iterations = 100, talus_angle = 37.0 }
            Clay "Clay": "Wet clay, which slides down to 15°." { iterations = 100, talus_angle = 15.0 }
            Chalk "Chalk": "Broken chalk, which stands at 45°." { iterations = 80, talus_angle = 45.0 }
            Granite "Granite": "Blocks of granite, at rest at 40°." { iterations = 60, talus_angle = 40.0, hardness = 0.5 }
        }
    }
}

impl Process for Thermal {
    fn writes(&self) -> &'static [MapKind] {
        &WRITTEN
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn on_globe(&self) -> bool {
        true
    }

    fn start(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        if terrain.grid.is_globe() {
            return Box::new(globe::thermal::Slide::new(self, terrain));
        }
        Box::new(Slide {
            talus_angle: self.talus_angle,
            rate: self.rate,
            neighbours: self.neighbours,
            rock: Rock::new(&terrain, self.hardness),
            terrain,
            next: Next::default(),
            ledger: Ledger::default(),
        })
    }
}

/// The data maps of this process, in the order of [`Next::maps`].
pub(super) const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

/// Cells of a band; the rows beside a band are computed twice, so bands are not too small.
const BAND_CELLS: usize = 16 * 1024;
const BAND_ROWS: usize = 16;

/// Thermal erosion under way.
struct Slide {
    talus_angle: f32,
    rate: f32,
    neighbours: Neighbours,
    rock: Rock,
    terrain: Terrain,
    next: Next<2>,
    ledger: Ledger,
}

impl Run for Slide {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let n = grid.samples;
        let rise = cx.rise_per_cell(self.talus_angle);
        let (straight, diagonal) = (rise, rise * std::f32::consts::SQRT_2);
        let law = Law { grid, rate: self.rate, rock: &self.rock, straight, diagonal };
        self.next.fit(&self.terrain);
        let Next { height, maps: [wear, deposits], accounts } = &mut self.next;
        let old = &self.terrain.height;
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let band = (BAND_CELLS / n).max(BAND_ROWS);
        let cells = band * n;
        let bands = (height.par_chunks_mut(cells), wear.par_chunks_mut(cells), deposits.par_chunks_mut(cells));
        (bands.0, bands.1, bands.2, accounts.par_chunks_mut(band)).into_par_iter().enumerate().try_for_each(
            |(b, (height, wear, deposits, accounts))| {
                cx.control.check()?;
                match self.neighbours {
                    Neighbours::Moore => law.band::<true, true>(old, b * band, height),
                    Neighbours::VonNeumann => law.band::<true, false>(old, b * band, height),
                    Neighbours::Rotated => law.band::<false, true>(old, b * band, height),
                }
                let span = b * cells..b * cells + height.len();
                add_balance(&old[span.clone()], height, before.map(|map| &map[span.clone()]), wear, deposits);
                let distinct = grid.distinct();
                for ((account, old), new) in accounts.iter_mut().zip(old[span].chunks(n)).zip(height.chunks(n)) {
                    let [lost, gained] = balance(&old[..distinct], &new[..distinct]);
                    *account = [lost, gained, 0.0];
                }
                Ok(())
            },
        )?;
        // from here on the step cannot fail
        self.next.take_place(&mut self.terrain, WRITTEN, &mut self.ledger);
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    fn ledger(&self) -> Ledger {
        self.ledger
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self { rock: self.rock.clone(), terrain: self.terrain.clone(), next: Next::default(), ..*self })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}

struct Law<'a> {
    grid: Grid,
    rate: f32,
    rock: &'a Rock,
    /// Height difference at rest to a neighbour on the same row or column.
    straight: f32,
    diagonal: f32,
}

/// One row with the cell beyond each end: NaN where there is none, which compares as no slope.
type Padded = Vec<f32>;

/// What the cells of a row lose, padded like the heights.
#[derive(Clone)]
struct Loss {
    total: Vec<f32>,
    /// Loss per unit of height difference, to each lower neighbour beyond the threshold.
    share: Padded,
}

impl Law<'_> {
    /// New heights of the rows from `first` on.
    fn band<const STRAIGHT: bool, const DIAGONAL: bool>(&self, old: &[f32], first: usize, out: &mut [f32]) {
        let n = self.grid.samples;
        // rows r - 1 … r + 2 of heights and r - 1 … r + 1 of losses, with r = first + ahead
        let mut heights: [Padded; 4] = std::array::from_fn(|_| vec![f32::NAN; n + 2]);
        let mut losses: [Loss; 3] = std::array::from_fn(|_| Loss { total: vec![0.0; n], share: vec![0.0; n + 2] });
        // share of the excess that each cell of row r + 1 moves
        let mut rates = vec![self.rate * self.rock.uniform().unwrap_or(1.0); n];
        self.load(old, first as isize - 2, &mut heights[2]);
        self.load(old, first as isize - 1, &mut heights[3]);
        for ahead in -2..(out.len() / n) as isize {
            heights.rotate_left(1);
            losses.rotate_left(1);
            self.load(old, first as isize + ahead + 2, &mut heights[3]);
            let [north, mid, south, beyond] = &heights;
            self.load_rates(first as isize + ahead + 1, &mut rates);
            self.losses::<STRAIGHT, DIAGONAL>([mid, south, beyond], &rates, &mut losses[2]);
            if ahead >= 0 {
                let row = &mut out[ahead as usize * n..][..n];
                self.settle::<STRAIGHT, DIAGONAL>([north, mid, south], &losses, row);
            }
        }
    }

    /// Copies row `row`, which may lie one or two beyond the edge, with its neighbours beyond the ends.
    fn load(&self, old: &[f32], row: isize, out: &mut Padded) {
        let n = self.grid.samples;
        let Some(row) = inside(self.grid, row) else {
            out.fill(f32::NAN);
            return;
        };
        let cells = self.grid.row(old, row);
        out[1..=n].copy_from_slice(cells);
        let beyond = |index: Option<usize>| index.map_or(f32::NAN, |j| cells[j]);
        (out[0], out[n + 1]) = (beyond(self.grid.before(0)), beyond(self.grid.after(n - 1)));
    }

    /// Sets the rates of row `row`, where they are not the same everywhere.
    fn load_rates(&self, row: isize, rates: &mut [f32]) {
        if self.rock.uniform().is_some() {
            return;
        }
        let Some(row) = inside(self.grid, row) else { return };
        let first = self.grid.original(row) * self.grid.samples;
        for (j, rate) in rates.iter_mut().enumerate() {
            *rate = self.rate * self.rock.softness(first + self.grid.original(j));
        }
    }

    fn losses<const STRAIGHT: bool, const DIAGONAL: bool>(
        &self,
        [north, mid, south]: [&Padded; 3],
        rates: &[f32],
        loss: &mut Loss,
    ) {
        let n = self.grid.samples;
        let (north, mid, south) = (&north[..n + 2], &mid[..n + 2], &south[..n + 2]);
        let (total, share, rates) = (&mut loss.total[..n], &mut loss.share[1..=n], &rates[..n]);
        for j in 0..n {
            let h = mid[j + 1];
            let (mut sum, mut most) = (0.0f32, 0.0f32);
            let mut look = |neighbour: f32, threshold: f32| {
                let d = h - neighbour;
                let excess = d - threshold;
                sum += if excess > 0.0 { d } else { 0.0 };
                most = if excess > most { excess } else { most };
            };
            if STRAIGHT {
                look(north[j + 1], self.straight);
                look(mid[j], self.straight);
                look(mid[j + 2], self.straight);
                look(south[j + 1], self.straight);
            }
            if DIAGONAL {
                look(north[j], self.diagonal);
                look(north[j + 2], self.diagonal);
                look(south[j], self.diagonal);
                look(south[j + 2], self.diagonal);
            }
            let moved = rates[j] * most;
            total[j] = moved;
            share[j] = if sum > 0.0 { moved / sum } else { 0.0 };
        }
        let beyond = |index: Option<usize>, share: &[f32]| index.map_or(0.0, |j| share[j + 1]);
        loss.share[0] = beyond(self.grid.before(0), &loss.share);
        loss.share[n + 1] = beyond(self.grid.after(n - 1), &loss.share);
    }

    fn settle<const STRAIGHT: bool, const DIAGONAL: bool>(
        &self,
        [north, mid, south]: [&Padded; 3],
        [from_north, own, from_south]: &[Loss; 3],
        out: &mut [f32],
    ) {
        let n = self.grid.samples;
        let (north, mid, south) = (&north[..n + 2], &mid[..n + 2], &south[..n + 2]);
        let (n_share, share, s_share) = (&from_north.share[..n + 2], &own.share[..n + 2], &from_south.share[..n + 2]);
        let total = &own.total[..n];
        let out = &mut out[..n];
        for j in 0..n {
            let h = mid[j + 1];
            let mut gained = 0.0f32;
            let mut take = |neighbour: f32, share: f32, threshold: f32| {
                let d = neighbour - h;
                // chosen before it is multiplied: the loop has no branch
                gained += share * if d - threshold > 0.0 { d } else { 0.0 };
            };
            if STRAIGHT {
                take(north[j + 1], n_share[j + 1], self.straight);
                take(mid[j], share[j], self.straight);
                take(mid[j + 2], share[j + 2], self.straight);
                take(south[j + 1], s_share[j + 1], self.straight);
            }
            if DIAGONAL {
                take(north[j], n_share[j], self.diagonal);
                take(north[j + 2], n_share[j + 2], self.diagonal);
                take(south[j], s_share[j], self.diagonal);
                take(south[j + 2], s_share[j + 2], self.diagonal);
            }
            // one subtraction of the balance, so that a cell where nothing moves keeps its bits
            out[j] = h - (total[j] - gained);
        }
    }
}
