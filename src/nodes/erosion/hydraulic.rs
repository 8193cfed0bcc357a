//! Hydraulic erosion, reference form: rain dissolves the ground, runs downhill and lays it down where it dries.
//!
//! Law, for every cell at once, with four maps h, w (water), m (sediment in it) and a = h + w:
//! 1. rain: w += K_r · rain map;
//! 2. dissolving: h -= K_s·s·w, m += K_s·s·w, with s the softness of the rock;
//! 3. flow towards levelling: d_n = a - a_n to the neighbours that lie lower, Δa = a - mean of a over the cell and them
//!    = Σ d_n / (1 + their number), Δw = min(w, Δa); each gets Δw_n = Δw · d_n / Σ d_n, and with it Δm_n = m · Δw_n / w;
//! 4. evaporation: w *= 1 - K_e; what exceeds K_c·w of the sediment is laid down.
//!
//! Symbols: K_r `rain`, K_s `solubility`, K_c `sediment_capacity`, K_e `evaporation`; the documents have 0.01, 0.01, 0.01 and
//! 0.5. Water is a depth, so rain is a fraction of the relief an iteration.
//! Maps: Film (the water) and Sediment are depths and go on from those of the layers below; Flow adds, for every iteration, the
//! water that left the cell, in units of the rain of one iteration on one cell; wear and deposits are what each
//! iteration changed on balance. The water is no part of the Water map: it lies on every slope, and pictures would show a
//! flooded country.
//! The end: the last water stands where it is, and holds its sediment (K_c·w at the most, with the documents' constants a ten
//! thousandth of the relief); it is in the Sediment map and in the ledger as carried. A run does not know which
//! iteration is the last, so nothing settles by itself; another layer of this erosion with rain 0 lets it settle.
//!
//! Scheme: gather, as in [`thermal`](super::thermal): old maps are read, new ones written, rolling rows hold what cells
//! give. What f32 heights cannot hold stays in the sediment ([`lay_down`]), so that height and sediment
//! together are conserved over any number of iterations.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: a cell gives no more water than it has, so water is never negative. Neighbours level at once, so water
//! sloshes where it is deep; with evaporation that dies away.
//! Anisotropy: a cone of slope 2.4 keeps 2.39 along 0°, 22.5° and 45° alike, within 0.1 % (tests/core/erosion_classic.rs). On
//! the document's kind of terrain (257², its constants, 100 iterations) the mean slope falls by 42 % and the erosion score goes
//! from 0.42 to 0.65.
//! Source: Olsen 2004; document 000, §3.3.2.

use rayon::prelude::*;

use super::buffers::{self, Next, add_balance, balance, inside, total};
use super::globe;
use super::silt::{WRITTEN, Weather, lay_down};
use super::thermal::Neighbours;
use crate::field::{Cancelled, Grid, MapKind, Terrain};
use crate::nodes::{Context, Ledger, Process, Run};

crate::params! {
    /// Rain loosens the ground, runs downhill and lays it down where it dries. Hollows fill, valley floors level and the flanks above them steepen.
    Hydraulic "Hydraulic erosion" in "Erosion", from "Olsen 2004; document 000, §3.3.2", also "rain water sediment dissolve gully rill wash alluvial" {
        /// Iterations, counted at the scene's resolution. More carry the ground farther.
        iterations: u32 = 60, 0..=10_000, slider 1..=500;
        /// Water that falls in one iteration, as a fraction of the relief; where a layer below made a rain map, that much more or less. More rain fills hollows and runs farther.
        rain: f32 = 0.01, 0.0..=1.0, slider 0.0..=0.05;
        /// Ground that a depth of water dissolves in one iteration, as a fraction of that depth. More wears faster.
        solubility: f32 = 0.05, 0.0..=1.0, slider 0.0..=0.2;
        /// Ground that water can hold, as a fraction of its depth. The rest is laid down at once.
        sediment_capacity: f32 = 0.05, 0.0..=1.0, slider 0.0..=0.2;
        /// Share of the water that dries up in one iteration. The less, the farther the water runs.
        evaporation: f32 = 0.5, 0.0..=1.0, slider 0.05..=1.0;
        /// Which cells count as neighbours.
        neighbours: Neighbours = Neighbours::Moore;
        /// Resistance of the rock everywhere: 0 is loose, 1 never wears. Where a layer below made a hardness map, the harder of the two counts.
        hardness: f32 = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Washes the valley floors level." { iterations = 20 }
            Natural "Natural": "Washed slopes above filled hollows." {}
            Strong "Strong": "Broad floors of silt between worn flanks." { iterations = 100, solubility = 0.08, sediment_capacity = 0.08 }
            Document "As published": "The constants of the source document: slow and gentle." { iterations = 100, solubility = 0.01, sediment_capacity = 0.01 }
        }
    }
}

impl Process for Hydraulic {
    fn writes(&self) -> &'static [MapKind] {
        &WRITTEN
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn on_globe(&self) -> bool {
        true
    }

    fn start(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        if terrain.grid.is_globe() {
            return Box::new(globe::hydraulic::Wash::new(self, terrain));
        }
        let carried = cx.grid.sum(terrain.map(MapKind::Sediment).expect("made above"));
        Box::new(Wash {
            law: Law {
                grid: terrain.grid,
                weather: Weather::new(&terrain, self.rain, self.solubility, self.hardness),
                capacity: self.sediment_capacity,
                left: 1.0 - self.evaporation,
            },
            neighbours: self.neighbours,
            terrain,
            next: Next::default(),
            ledger: Ledger { carried, ..Ledger::default() },
            carried_before: carried,
        })
    }
}

/// Cells of a band; two rows beside a band are computed twice, so bands are not too small.
const BAND_CELLS: usize = 16 * 1024;
const BAND_ROWS: usize = 16;

/// Hydraulic erosion under way.
struct Wash {
    law: Law,
    neighbours: Neighbours,
    terrain: Terrain,
    next: Next<5>,
    /// Its `carried` has all that is in the water, whoever brought it there.
    ledger: Ledger,
    carried_before: f64,
}

impl Run for Wash {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let n = grid.samples;
        let law = &self.law;
        self.next.fit(&self.terrain);
        let Next { height, maps: [wear, deposits, water, sediment, flow], accounts } = &mut self.next;
        let old = &self.terrain.height;
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start").as_slice());
        let [old_wear, old_deposits, old_water, old_sediment, old_flow] = before;
        let was = Was { height: old, water: old_water, sediment: old_sediment, flow: old_flow };
        let band = (BAND_CELLS / n).max(BAND_ROWS);
        let cells = band * n;
        let land = (height.par_chunks_mut(cells), wear.par_chunks_mut(cells), deposits.par_chunks_mut(cells));
        let wet = (water.par_chunks_mut(cells), sediment.par_chunks_mut(cells), flow.par_chunks_mut(cells));
        (land, wet, accounts.par_chunks_mut(band)).into_par_iter().enumerate().try_for_each(
            |(b, ((height, wear, deposits), (water, sediment, flow), accounts))| {
                cx.control.check()?;
                let span = b * cells..b * cells + height.len();
                let out = Out { height, water, sediment, flow };
                match self.neighbours {
                    Neighbours::Moore => law.band::<true, true>(was, b * band, out),
                    Neighbours::VonNeumann => law.band::<true, false>(was, b * band, out),
                    Neighbours::Rotated => law.band::<false, true>(was, b * band, out),
                }
                let maps = [&old_wear[span.clone()], &old_deposits[span.clone()]];
                add_balance(&old[span.clone()], height, maps, wear, deposits);
                let rows = old[span].chunks(n).zip(height.chunks(n)).zip(sediment.chunks(n));
                for (account, ((old, new), sediment)) in accounts.iter_mut().zip(rows) {
                    let distinct = grid.distinct();
                    let [lost, gained] = balance(&old[..distinct], &new[..distinct]);
                    *account = [lost, gained, total(&sediment[..distinct])];
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
        Ledger { carried: self.ledger.carried - self.carried_before, ..self.ledger }
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self { law: self.law.clone(), terrain: self.terrain.clone(), next: Next::default(), ..*self })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}

/// The maps that a step reads.
#[derive(Clone, Copy)]
struct Was<'a> {
    height: &'a [f32],
    water: &'a [f32],
    sediment: &'a [f32],
    flow: &'a [f32],
}

/// The rows that a band writes.
struct Out<'a> {
    height: &'a mut [f32],
    water: &'a mut [f32],
    sediment: &'a mut [f32],
    flow: &'a mut [f32],
}

#[derive(Clone)]
struct Law {
    grid: Grid,
    weather: Weather,
    capacity: f32,
    /// Share of the water that does not evaporate.
    left: f32,
}

/// A row after rain and dissolving.
#[derive(Clone)]
struct Wet {
    /// Altitude a of the water, with the cell beyond each end: NaN where there is none, which compares as not lower.
    level: Vec<f32>,
    water: Vec<f32>,
    sediment: Vec<f32>,
    dissolved: Vec<f32>,
}

/// What the cells of a row give.
#[derive(Clone)]
struct Given {
    water: Vec<f32>,
    sediment: Vec<f32>,
    /// Water and sediment per unit of level difference to each lower neighbour; padded like the level.
    water_share: Vec<f32>,
    sediment_share: Vec<f32>,
}

impl Law {
    /// New maps of the rows from `first` on.
    fn band<const STRAIGHT: bool, const DIAGONAL: bool>(&self, was: Was, first: usize, out: Out) {
        let n = self.grid.samples;
        let row = || vec![0.0; n];
        let wet = Wet { level: vec![f32::NAN; n + 2], water: row(), sediment: row(), dissolved: row() };
        let given =
            Given { water: row(), sediment: row(), water_share: vec![0.0; n + 2], sediment_share: vec![0.0; n + 2] };
        // rows r - 1 … r + 2 of the one and r - 1 … r + 1 of the other, with r = first + ahead
        let mut wets = [wet.clone(), wet.clone(), wet.clone(), wet];
        let mut gifts = [given.clone(), given.clone(), given];
        let mut weather = (row(), row());
        self.load(was, first as isize - 2, &mut weather, &mut wets[2]);
        self.load(was, first as isize - 1, &mut weather, &mut wets[3]);
        for ahead in -2..(out.height.len() / n) as isize {
            wets.rotate_left(1);
            gifts.rotate_left(1);
            self.load(was, first as isize + ahead + 2, &mut weather, &mut wets[3]);
            let [north, mid, south, beyond] = &wets;
            self.give::<STRAIGHT, DIAGONAL>([&mid.level, &south.level, &beyond.level], south, &mut gifts[2]);
            if ahead >= 0 {
                let at = ahead as usize * n;
                let old = (first + ahead as usize) * n;
                let row = Out {
                    height: &mut out.height[at..][..n],
                    water: &mut out.water[at..][..n],
                    sediment: &mut out.sediment[at..][..n],
                    flow: &mut out.flow[at..][..n],
                };
                let levels = [&north.level, &mid.level, &south.level];
                let (heights, flows) = (&was.height[old..][..n], &was.flow[old..][..n]);
                let Out { height, water, sediment, flow } = row;
                settle_row::<STRAIGHT, DIAGONAL>(
                    self,
                    levels,
                    mid,
                    &gifts,
                    (heights, flows),
                    height,
                    water,
                    sediment,
                    flow,
                );
            }
        }
    }

    /// Rains on row `row`, which may lie one or two beyond the edge, and dissolves.
    fn load(&self, was: Was, row: isize, (rain, solubility): &mut (Vec<f32>, Vec<f32>), out: &mut Wet) {
        let n = self.grid.samples;
        let Some(row) = inside(self.grid, row) else {
            out.level.fill(f32::NAN);
            return;
        };
        self.weather.row(self.grid, row, rain, solubility);
        let [h, w, m] = [was.height, was.water, was.sediment].map(|field| &self.grid.row(field, row)[..n]);
        let (rain, solubility, level) = (&rain[..n], &solubility[..n], &mut out.level[1..=n]);
        let (water, sediment, dissolved) = (&mut out.water[..n], &mut out.sediment[..n], &mut out.dissolved[..n]);
        for j in 0..n {
            water[j] = w[j] + rain[j];
            dissolved[j] = solubility[j] * water[j];
            sediment[j] = m[j] + dissolved[j];
            level[j] = (h[j] - dissolved[j]) + water[j];
        }
        let beyond = |index: Option<usize>, level: &[f32]| index.map_or(f32::NAN, |j| level[j + 1]);
        out.level[0] = beyond(self.grid.before(0), &out.level);
        out.level[n + 1] = beyond(self.grid.after(n - 1), &out.level);
    }

    fn give<const STRAIGHT: bool, const DIAGONAL: bool>(&self, levels: [&Vec<f32>; 3], wet: &Wet, given: &mut Given) {
        let n = self.grid.samples;
        let Given { water, sediment, water_share, sediment_share } = given;
        let shares = (&mut water_share[1..=n], &mut sediment_share[1..=n]);
        give_row::<STRAIGHT, DIAGONAL>(levels, wet, water, sediment, shares.0, shares.1);
        for share in [water_share, sediment_share] {
            let beyond = |index: Option<usize>, share: &[f32]| index.map_or(0.0, |j| share[j + 1]);
            share[0] = beyond(self.grid.before(0), share);
            share[n + 1] = beyond(self.grid.after(n - 1), share);
        }
    }
}

/// What the cells of a row give to their neighbours. A function of its own, as is the next, so that the compiler sees that the
/// slices it writes do not overlap.
#[inline(never)]
fn give_row<const STRAIGHT: bool, const DIAGONAL: bool>(
    [north, mid, south]: [&Vec<f32>; 3],
    wet: &Wet,
    water_out: &mut [f32],
    sediment_out: &mut [f32],
    water_share: &mut [f32],
    sediment_share: &mut [f32],
) {
    let n = water_out.len();
    let (north, mid, south) = (&north[..n + 2], &mid[..n + 2], &south[..n + 2]);
    let (water, sediment) = (&wet.water[..n], &wet.sediment[..n]);
    let (sediment_out, water_share, sediment_share) =
        (&mut sediment_out[..n], &mut water_share[..n], &mut sediment_share[..n]);
    for j in 0..n {
        let a = mid[j + 1];
        let (mut sum, mut count) = (0.0f32, 1.0f32);
        let mut look = |neighbour: f32| {
            let d = a - neighbour;
            sum += if d > 0.0 { d } else { 0.0 };
            count += if d > 0.0 { 1.0 } else { 0.0 };
        };
        if STRAIGHT {
            look(north[j + 1]);
            look(mid[j]);
            look(mid[j + 2]);
            look(south[j + 1]);
        }
        if DIAGONAL {
            look(north[j]);
            look(north[j + 2]);
            look(south[j]);
            look(south[j + 2]);
        }
        let levelling = sum / count;
        let moved = if water[j] < levelling { water[j] } else { levelling };
        let share = if sum > 0.0 { moved / sum } else { 0.0 };
        let content = if water[j] > 0.0 { sediment[j] / water[j] } else { 0.0 };
        water_out[j] = moved;
        sediment_out[j] = content * moved;
        water_share[j] = share;
        sediment_share[j] = content * share;
    }
}

/// New maps of a row from what its cells keep and what comes.
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "each is a row")]
fn settle_row<const STRAIGHT: bool, const DIAGONAL: bool>(
    law: &Law,
    [north, mid, south]: [&Vec<f32>; 3],
    wet: &Wet,
    gifts: &[Given; 3],
    (heights, flows): (&[f32], &[f32]),
    height: &mut [f32],
    water_left: &mut [f32],
    sediment: &mut [f32],
    flow: &mut [f32],
) {
    let n = heights.len();
    let (north, mid, south) = (&north[..n + 2], &mid[..n + 2], &south[..n + 2]);
    let [n_water, water, s_water] = gifts.each_ref().map(|g| &g.water_share[..n + 2]);
    let [n_silt, silt, s_silt] = gifts.each_ref().map(|g| &g.sediment_share[..n + 2]);
    let (water_out, sediment_out) = (&gifts[1].water[..n], &gifts[1].sediment[..n]);
    let (own_water, own_sediment, dissolved) = (&wet.water[..n], &wet.sediment[..n], &wet.dissolved[..n]);
    let flows = &flows[..n];
    let (height, water_left, sediment, flow) =
        (&mut height[..n], &mut water_left[..n], &mut sediment[..n], &mut flow[..n]);
    let (capacity, left, unit) = (law.capacity, law.left, 1.0 / law.weather.unit_of_flow());
    for j in 0..n {
        let a = mid[j + 1];
        let (mut water_in, mut sediment_in) = (0.0f32, 0.0f32);
        let mut take = |neighbour: f32, water: f32, silt: f32| {
            let d = neighbour - a;
            // chosen before it is multiplied: the loop has no branch
            let d = if d > 0.0 { d } else { 0.0 };
            water_in += water * d;
            sediment_in += silt * d;
        };
        if STRAIGHT {
            take(north[j + 1], n_water[j + 1], n_silt[j + 1]);
            take(mid[j], water[j], silt[j]);
            take(mid[j + 2], water[j + 2], silt[j + 2]);
            take(south[j + 1], s_water[j + 1], s_silt[j + 1]);
        }
        if DIAGONAL {
            take(north[j], n_water[j], n_silt[j]);
            take(north[j + 2], n_water[j + 2], n_silt[j + 2]);
            take(south[j], s_water[j], s_silt[j]);
            take(south[j + 2], s_water[j + 2], s_silt[j + 2]);
        }
        let w = ((own_water[j] - water_out[j]) + water_in) * left;
        let m = (own_sediment[j] - sediment_out[j]) + sediment_in;
        let most = capacity * w;
        let kept = if m < most { m } else { most };
        (height[j], sediment[j]) = lay_down(heights[j], m - dissolved[j], kept);
        water_left[j] = w;
        flow[j] = flows[j] + water_out[j] * unit;
    }
}
