//! Hillslope creep: soil moves down every slope, the faster the steeper.
//!
//! Law: ∂h/∂t = ∇·(κ s ∇h), with κ the `diffusivity` and s the softness (1 - hardness) of the ground the soil comes from, so that
//! the hardest rock gives none and can still be buried.
//! Symbols: r = κ·Δt/Δx², Δt the `time_step`, Δx the distance between samples. Soil that has crept for a time t has spread
//! over √(2κt): 45 m in 100 000 years at 0.01 m²/year.
//!
//! Scheme: explicit. What passes between two cells is r·s·(h_n - h), times ⅔ for the four straight neighbours and ⅙ for the
//! diagonal ones, which makes the error of the second order alike in all directions (the Mehrstellen stencil). One iteration
//! is as many equal steps as keep r at or below [`STABLE`] in each. Heights are double precision inside an iteration, and
//! what single precision cuts off is kept from one iteration to the next: slow creep moves less than a last digit a year.
//! A cancelled iteration leaves the run as it was. Wear and deposits are what each iteration changed on balance.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: with r ≤ ¼ a new height is a mean of old ones with positive weights (1 - 10/3·r is the smallest), so nothing overshoots.
//! An iteration is no longer than [`FARTHEST`] allows, which bounds its steps where the scene is small or the time long.
//! Source: Culling 1960 (soil creep as diffusion); Fernandes & Dietrich 1997 (values of κ, 0.0004 to 0.036 m²/year).

use rayon::prelude::*;

use super::buffers::{self, Next, add_balance, balance};
use super::globe;
use super::rock::Rock;
use crate::field::{Cancelled, Edges, Grid, MapKind, Terrain};
use crate::nodes::{Context, Ledger, Pace, Process, Run};

crate::params! {
    /// Lets the soil creep downhill for thousands of years: crests grow round, hollows fill and small roughness goes, while the large forms stay.
    Creep "Hillslope creep" in "Erosion", from "Culling 1960; Fernandes & Dietrich 1997", also "diffusion soil smooth hills rounding solifluction frost regolith" {
        /// Iterations of one time step each. More let the ground grow rounder.
        iterations: u32 = 30, 0..=10_000, slider 1..=500;
        /// Time that passes in one iteration. Where the terrain is small an iteration stops once the soil has spread over about a hundredth of the side.
        time_step: f32 ["years"] = 5000.0, 1.0..=1_000_000.0, slider 100.0..=20_000.0;
        /// How fast the soil creeps. Dry ground has about 0.001, damp hills 0.01, ground that freezes and thaws 0.04.
        diffusivity: f32 ["m²/year"] = 0.01, 0.0..=1.0, slider 0.0..=0.05;
        /// Resistance of the rock everywhere: 0 is loose, 1 never wears. Where a layer below made a hardness map, the harder of the two counts.
        hardness: f32 = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Takes the small roughness away." { iterations = 8 }
            Natural "Natural": "Round crests above valleys that keep their form." {}
            Strong "Strong": "Broad, soft hills." { iterations = 400 }
            Dry "Dry hills": "Hardly any soil moves, and the crests stay narrow." { iterations = 20, diffusivity = 0.002 }
            Damp "Damp hills": "Thick soil under grass and woods." { iterations = 30, diffusivity = 0.02 }
            Frost "Freeze and thaw": "Frost lifts the soil every winter and the slopes flow." { iterations = 40, diffusivity = 0.04 }
        }
    }
}

/// Largest r of one step.
const STABLE: f64 = 0.25;
/// Largest √(κ·Δt) of one iteration, as a fraction of the side.
pub(super) const FARTHEST: f64 = 1.0 / 128.0;
/// Weight of a straight and of a diagonal neighbour.
const STRAIGHT: f64 = 2.0 / 3.0;
const DIAGONAL: f64 = 1.0 / 6.0;

impl Process for Creep {
    fn writes(&self) -> &'static [MapKind] {
        &WRITTEN
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn on_globe(&self) -> bool {
        true
    }

    fn start(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        if terrain.grid.is_globe() {
            return Box::new(globe::creep::Soil::new(self, terrain));
        }
        Box::new(Soil {
            metres: f64::from(self.diffusivity) * f64::from(self.time_step),
            rock: Rock::new(&terrain, self.hardness),
            rest: vec![0.0; terrain.grid.len()],
            terrain,
            next: Next::default(),
            scratch: Scratch::default(),
            ledger: Ledger::default(),
        })
    }
}

/// The data maps of this process, in the order of [`Next::maps`].
pub(super) const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

/// Creep under way.
struct Soil {
    /// κ·Δt, in m².
    metres: f64,
    rock: Rock,
    terrain: Terrain,
    /// What the single precision of the heights leaves out.
    rest: Vec<f32>,
    next: Next<2>,
    scratch: Scratch,
    ledger: Ledger,
}

/// What an iteration works in; empty in snapshots.
#[derive(Default)]
struct Scratch {
    now: Vec<f64>,
    later: Vec<f64>,
}

impl Run for Soil {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let n = grid.samples;
        let side = f64::from(cx.size_metres);
        let cells = (n - 1) as f64;
        let spread = (self.metres / (side * side)).min(FARTHEST * FARTHEST) * cells * cells;
        let steps = libm::ceil(spread / STABLE).max(1.0) as u32;
        let law = Law { grid, rock: &self.rock, share: spread / f64::from(steps) };

        let Scratch { now, later } = &mut self.scratch;
        now.resize(grid.len(), 0.0);
        later.resize(grid.len(), 0.0);
        let (old, rest) = (&self.terrain.height, &self.rest);
        let exact = |k: usize| f64::from(old[k]) + f64::from(rest[k]);
        cx.rows(now, |i, row| row.iter_mut().enumerate().for_each(|(j, h)| *h = exact(i * n + j)))?;
        for _ in 0..steps {
            cx.bands(later, |first, out| law.band(now, first, out))?;
            std::mem::swap(now, later);
        }

        self.next.fit(&self.terrain);
        let Next { height, maps: [wear, deposits], accounts } = &mut self.next;
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let distinct = grid.distinct();
        let rows = (height.par_chunks_mut(n), wear.par_chunks_mut(n), deposits.par_chunks_mut(n), accounts);
        rows.into_par_iter().enumerate().try_for_each(|(i, (height, wear, deposits, account))| {
            cx.control.check()?;
            let span = i * n..(i + 1) * n;
            for (k, h) in span.clone().zip(height.iter_mut()) {
                // ground that has not moved keeps its bits, the sign of a zero among them
                *h = if now[k] == exact(k) { old[k] } else { now[k] as f32 };
            }
            let old = &old[span.clone()];
            add_balance(old, height, before.map(|map| &map[span.clone()]), wear, deposits);
            let [lost, gained] = balance(&old[..distinct], &height[..distinct]);
            *account = [lost, gained, 0.0];
            Ok(())
        })?;
        // from here on the step cannot fail
        self.next.take_place(&mut self.terrain, WRITTEN, &mut self.ledger);
        let height = &self.terrain.height;
        self.rest.par_iter_mut().enumerate().for_each(|(k, rest)| *rest = (now[k] - f64::from(height[k])) as f32);
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    fn ledger(&self) -> Ledger {
        self.ledger
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self {
            rock: self.rock.clone(),
            terrain: self.terrain.clone(),
            rest: self.rest.clone(),
            next: Next::default(),
            scratch: Scratch::default(),
            ..*self
        })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes() + 4 * self.rest.len()
    }
}

struct Law<'a> {
    grid: Grid,
    rock: &'a Rock,
    /// r of one step.
    share: f64,
}

/// One row with the cell beyond each end. Beyond an open edge the ground repeats: the edge is a mirror, and what
/// crosses it one way comes back the other.
type Padded = Vec<f64>;

impl Law<'_> {
    /// New heights of the rows from `first` on.
    fn band(&self, old: &[f64], first: usize, out: &mut [f64]) {
        let n = self.grid.samples;
        let rows = (out.len() / n) as isize;
        let first = first as isize;
        let mut heights: [Padded; 3] = std::array::from_fn(|_| vec![0.0; n + 2]);
        let load = |row: isize, to: &mut Padded| {
            let row = self.beyond(row);
            to[1..=n].copy_from_slice(self.grid.row(old, row));
            (to[0], to[n + 1]) = (old[row * n + self.beyond(-1)], old[row * n + self.beyond(n as isize)]);
        };
        load(first - 1, &mut heights[1]);
        load(first, &mut heights[2]);
        if let Some(softness) = self.rock.uniform() {
            let share = self.share * f64::from(softness);
            for ahead in 0..rows {
                heights.rotate_left(1);
                load(first + ahead + 1, &mut heights[2]);
                even(share, &heights, &mut out[ahead as usize * n..][..n]);
            }
        } else {
            let mut shares: [Padded; 3] = std::array::from_fn(|_| vec![0.0; n + 2]);
            self.load_shares(first - 1, &mut shares[1]);
            self.load_shares(first, &mut shares[2]);
            for ahead in 0..rows {
                heights.rotate_left(1);
                shares.rotate_left(1);
                load(first + ahead + 1, &mut heights[2]);
                self.load_shares(first + ahead + 1, &mut shares[2]);
                uneven(&shares, &heights, &mut out[ahead as usize * n..][..n]);
            }
        }
    }

    /// The row or column that stands at `index`, at most one beyond the edges.
    fn beyond(&self, index: isize) -> usize {
        let last = self.grid.samples as isize - 1;
        match (index.clamp(0, last) as usize, self.grid.edges) {
            (edge, Edges::Open) => edge,
            (_, Edges::Wrap) if index < 0 => last as usize - 1,
            (_, Edges::Wrap) if index > last => 1,
            (inside, Edges::Wrap) => inside,
        }
    }

    /// r·s of the cells of a row.
    fn load_shares(&self, row: isize, to: &mut Padded) {
        let first = self.grid.original(self.beyond(row)) * self.grid.samples;
        for (j, share) in to.iter_mut().enumerate() {
            let column = self.grid.original(self.beyond(j as isize - 1));
            *share = self.share * f64::from(self.rock.softness(first + column));
        }
    }
}

/// A row where all rock is alike.
fn even(share: f64, [north, mid, south]: &[Padded; 3], out: &mut [f64]) {
    let n = out.len();
    let (north, mid, south) = (&north[..n + 2], &mid[..n + 2], &south[..n + 2]);
    for (j, out) in out.iter_mut().enumerate() {
        let h = mid[j + 1];
        let straight = (north[j + 1] - h) + (south[j + 1] - h) + ((mid[j] - h) + (mid[j + 2] - h));
        let diagonal = (north[j] - h) + (south[j + 2] - h) + ((north[j + 2] - h) + (south[j] - h));
        *out = h + share * (STRAIGHT * straight + DIAGONAL * diagonal);
    }
}

/// A row of rock that differs; the softness of the higher cell counts.
fn uneven(shares: &[Padded; 3], heights: &[Padded; 3], out: &mut [f64]) {
    let n = out.len();
    let [north, mid, south] = [0, 1, 2].map(|k| (&heights[k][..n + 2], &shares[k][..n + 2]));
    for (j, out) in out.iter_mut().enumerate() {
        let (h, own) = (mid.0[j + 1], mid.1[j + 1]);
        let from = |row: (&[f64], &[f64]), at: usize| {
            let d = row.0[at] - h;
            d * if d > 0.0 { row.1[at] } else { own }
        };
        let straight = from(north, j + 1) + from(south, j + 1) + (from(mid, j) + from(mid, j + 2));
        let diagonal = from(north, j) + from(south, j + 2) + (from(north, j + 2) + from(south, j));
        *out = h + (STRAIGHT * straight + DIAGONAL * diagonal);
    }
}
