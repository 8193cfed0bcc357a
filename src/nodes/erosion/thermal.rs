//! Thermal erosion, reference form: loose rock slides to the talus angle.
//!
//! Law: for a cell of height h and neighbours of height h_n at distance δ_n (1 or √2 cells), d_n = h - h_n and
//! T_n = T·δ_n, with T the rise of the talus angle over one cell. If some d_n > T_n, the cell loses
//! m = c · max(d_n - T_n), shared among the neighbours with d_n > T_n by d_n / Σ d_n. All cells at once: old heights are
//! read, new ones written.
//! Symbols: c `rate`, T from `talus_angle`. The papers' threshold k/N is a talus angle of
//! atan(k · relief_metres / size_metres) on a grid of N cells.
//!
//! Scheme: gather. What a cell loses and its loss per unit of d are computed once (`Loss`), then every cell sums
//! what comes from its neighbours; rolling rows hold the losses, and the bits do not depend on the threads. Heights and
//! maps are double-buffered: a cancelled step leaves the run as it was. Wear and deposits are what each iteration
//! changed on balance, so rock that only passes a cell leaves no trace there.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: a cell never falls below its lowest neighbour and volume is kept, so heights stay bounded for any c. A hollow
//! is filled from all sides at once, so a large c overshoots: at 257² on fBm the papers' c = 0.5 moves four times
//! as much rock to and fro in iteration 50 as c = 0.3 does and is no nearer to rest after 1000.
//! Source: Musgrave et al. 1989; Olsen 2004; document 000, §3.3.1 (there T is the same for diagonals).

use std::sync::Arc;

use rayon::prelude::*;

use crate::field::{Grid, MapKind, Terrain};
use crate::nodes::{Cancelled, Context, Ledger, Process, Run};

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
        /// Steepest slope that stays where it is. Loose rock rests at 30 to 40 degrees.
        talus_angle: f32 ["°"] = 34.0, 0.0..=89.0, slider 15.0..=60.0;
        /// Share of the excess height moved in one iteration. Above 0.3 the slopes ripple until they settle; near 1 they leap.
        rate: f32 = 0.3, 0.0..=1.0, slider 0.05..=0.5;
        /// Which cells count as neighbours.
        neighbours: Neighbours = Neighbours::Moore;
        presets {
            Light "Light": "Takes the sharpness off the crests." { iterations = 12 }
            Natural "Natural": "Scree at the foot of the cliffs." {}
            Strong "Strong": "Valleys filled with scree." { iterations = 300, talus_angle = 30.0 }
            Sand "Sand": "Dry sand, at rest at 32°." { iterations = 150, talus_angle = 32.0 }
        }
    }
}

impl Process for Thermal {
    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn start(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        terrain.close_seam();
        for kind in WRITTEN {
            if terrain.map(kind).is_none() {
                terrain.map_mut(kind);
            }
        }
        Box::new(Slide {
            talus_angle: self.talus_angle,
            rate: self.rate,
            neighbours: self.neighbours,
            terrain,
            next: Buffers::default(),
            ledger: Ledger::default(),
        })
    }
}

/// The data maps of this process, in the order of [`Buffers::maps`].
const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

/// Cells of a band; the rows beside a band are computed twice, so bands are not too small.
const BAND_CELLS: usize = 16 * 1024;
const BAND_ROWS: usize = 16;

/// Thermal erosion under way.
struct Slide {
    talus_angle: f32,
    rate: f32,
    neighbours: Neighbours,
    terrain: Terrain,
    next: Buffers,
    ledger: Ledger,
}

/// What a step writes; it takes the terrain's place when the step is whole. Empty until the first step.
#[derive(Default)]
struct Buffers {
    height: Vec<f32>,
    maps: [Vec<f32>; 2],
    /// What each row lost and gained.
    rows: Vec<[f64; 2]>,
}

impl Run for Slide {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let (n, len) = (grid.samples, grid.len());
        let rise = cx.rise_per_cell(self.talus_angle);
        let law = Law { grid, rate: self.rate, straight: rise, diagonal: rise * std::f32::consts::SQRT_2 };
        let Buffers { height, maps: [wear, deposits], rows } = &mut self.next;
        for buffer in [&mut *height, &mut *wear, &mut *deposits] {
            buffer.resize(len, 0.0);
        }
        rows.resize(n, [0.0; 2]);
        let old = &self.terrain.height;
        let [old_wear, old_deposits] = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let band = (BAND_CELLS / n).max(BAND_ROWS);
        let cells = band * n;
        let bands = (height.par_chunks_mut(cells), wear.par_chunks_mut(cells), deposits.par_chunks_mut(cells));
        (bands.0, bands.1, bands.2, rows.par_chunks_mut(band)).into_par_iter().enumerate().try_for_each(
            |(b, (height, wear, deposits, rows))| {
                cx.control.check()?;
                match self.neighbours {
                    Neighbours::Moore => law.band::<true, true>(old, b * band, height),
                    Neighbours::VonNeumann => law.band::<true, false>(old, b * band, height),
                    Neighbours::Rotated => law.band::<false, true>(old, b * band, height),
                }
                let span = b * cells..b * cells + height.len();
                let old = &old[span.clone()];
                add_balance(old, height, &old_wear[span.clone()], wear, |fall| if fall > 0.0 { fall } else { 0.0 });
                add_balance(old, height, &old_deposits[span], deposits, |fall| if fall < 0.0 { -fall } else { 0.0 });
                let distinct = grid.distinct();
                for ((row, old), new) in rows.iter_mut().zip(old.chunks(n)).zip(height.chunks(n)) {
                    *row = balance(&old[..distinct], &new[..distinct]);
                }
                Ok(())
            },
        )?;
        // from here on the step cannot fail
        for [eroded, deposited] in &rows[..grid.distinct()] {
            self.ledger.eroded += eroded;
            self.ledger.deposited += deposited;
        }
        std::mem::swap(&mut self.terrain.height, height);
        for (kind, map) in WRITTEN.into_iter().zip([wear, deposits]) {
            let former = self.terrain.set_map(kind, Some(Arc::new(std::mem::take(map))));
            // a map that a snapshot shares stays with it
            *map = former.and_then(|shared| Arc::try_unwrap(shared).ok()).unwrap_or_default();
        }
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    fn ledger(&self) -> Ledger {
        self.ledger
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self { terrain: self.terrain.clone(), next: Buffers::default(), ..*self })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}

/// Writes a data map: what it was, plus `part` of the fall of each cell.
fn add_balance(old: &[f32], new: &[f32], before: &[f32], map: &mut [f32], part: impl Fn(f32) -> f32) {
    for (((map, before), old), new) in map.iter_mut().zip(before).zip(old).zip(new) {
        *map = before + part(old - new);
    }
}

/// What a row lost and what it gained, measured on the heights. Eight partial sums, always combined in the same order.
fn balance(old: &[f32], new: &[f32]) -> [f64; 2] {
    let (mut net, mut gross) = ([0.0f64; 8], [0.0f64; 8]);
    let mut add = |k: usize, old: f32, new: f32| {
        let fall = f64::from(old) - f64::from(new);
        net[k] += fall;
        gross[k] += fall.abs();
    };
    let ((olds, last_old), (news, last_new)) = (old.as_chunks::<8>(), new.as_chunks::<8>());
    for (old, new) in olds.iter().zip(news) {
        for k in 0..8 {
            add(k, old[k], new[k]);
        }
    }
    for (k, (&old, &new)) in last_old.iter().zip(last_new).enumerate() {
        add(k, old, new);
    }
    let (net, gross) = (net.iter().sum::<f64>(), gross.iter().sum::<f64>());
    [(gross + net) * 0.5, (gross - net) * 0.5]
}

struct Law {
    grid: Grid,
    rate: f32,
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

impl Law {
    /// New heights of the rows from `first` on.
    fn band<const STRAIGHT: bool, const DIAGONAL: bool>(&self, old: &[f32], first: usize, out: &mut [f32]) {
        let n = self.grid.samples;
        // rows r - 1 … r + 2 of heights and r - 1 … r + 1 of losses, with r = first + ahead
        let mut heights: [Padded; 4] = std::array::from_fn(|_| vec![f32::NAN; n + 2]);
        let mut losses: [Loss; 3] = std::array::from_fn(|_| Loss { total: vec![0.0; n], share: vec![0.0; n + 2] });
        self.load(old, first as isize - 2, &mut heights[2]);
        self.load(old, first as isize - 1, &mut heights[3]);
        for ahead in -2..(out.len() / n) as isize {
            heights.rotate_left(1);
            losses.rotate_left(1);
            self.load(old, first as isize + ahead + 2, &mut heights[3]);
            let [north, mid, south, beyond] = &heights;
            self.losses::<STRAIGHT, DIAGONAL>([mid, south, beyond], &mut losses[2]);
            if ahead >= 0 {
                let row = &mut out[ahead as usize * n..][..n];
                self.settle::<STRAIGHT, DIAGONAL>([north, mid, south], &losses, row);
            }
        }
    }

    /// Copies row `row`, which may lie one or two beyond the edge, with its neighbours beyond the ends.
    fn load(&self, old: &[f32], row: isize, out: &mut Padded) {
        let n = self.grid.samples;
        let Some(row) = self.inside(row) else {
            out.fill(f32::NAN);
            return;
        };
        let cells = self.grid.row(old, row);
        out[1..=n].copy_from_slice(cells);
        let beyond = |index: Option<usize>| index.map_or(f32::NAN, |j| cells[j]);
        (out[0], out[n + 1]) = (beyond(self.grid.before(0)), beyond(self.grid.after(n - 1)));
    }

    fn inside(&self, row: isize) -> Option<usize> {
        let last = self.grid.samples as isize - 1;
        let mut at = row.clamp(0, last) as usize;
        for _ in row..0 {
            at = self.grid.before(at)?;
        }
        for _ in last..row {
            at = self.grid.after(at)?;
        }
        Some(at)
    }

    fn losses<const STRAIGHT: bool, const DIAGONAL: bool>(&self, [north, mid, south]: [&Padded; 3], loss: &mut Loss) {
        let n = self.grid.samples;
        let (north, mid, south) = (&north[..n + 2], &mid[..n + 2], &south[..n + 2]);
        let (total, share) = (&mut loss.total[..n], &mut loss.share[1..=n]);
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
            let moved = self.rate * most;
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
