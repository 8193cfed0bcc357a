//! Hydraulic erosion, fast form: water runs to the lowest neighbour, in place.
//!
//! Law, with the symbols of the reference form ([`hydraulic`](super::hydraulic)) and K = K_s = K_c:
//! 1. rain: w += K_r · rain map; the water holds K·s·w of sediment, taken from the ground (s: softness of the rock);
//! 2. flow, in place: d = a - a_n to the lowest of the four neighbours, a = h + w; Δw = min(w, d/2) goes there if d > 0,
//!    with the sediment in it;
//! 3. evaporation: w *= 1 - K_e, and the ground takes what the water no longer holds.
//!
//! Water holds as much as it can at any time, so the sediment follows from the water. On rock of unlike hardness
//! s is that of the cell where the water stands: water from soft rock lays the rest down when it comes to hard.
//! The document adds the merged map of water and sediment to the height; here a is the height of the water itself, as in
//! the reference form.
//! Maps as in the reference form. The Sediment map is written for whoever reads it, and holds besides what f32
//! heights cannot ([`lay_down`]), so that height and sediment together are conserved. What stood in it before
//! this layer settles in the first iteration as far as the water cannot hold it.
//! Scheme, order, boundary: [`sweep`](super::sweep).
//! Stability: a move leaves the cell no lower than the one that received; no cell gives more water than it has.
//! Bias: a cone of slope 2.4 has 2.40, 2.39 and 2.39 along 0°, 22.5° and 45°, but which of two all but equal ways the
//! water takes depends on the order: on a featureless cone three quarters of what moves is elsewhere on a mirrored terrain. On the document's kind
//! of terrain (257², its constants, 100 iterations) the result is 0.004 of the relief (rms) from that of the reference form, which
//! itself changed 0.0065; the mean slope falls by 22 % and the erosion score goes from 0.42 to 0.47, because four
//! neighbours smooth less than eight (tests/erosion_classic.rs).
//! Source: Olsen 2004; document 000, §3.3.2.

use super::buffers::{self, Next, add_balance, balance, total};
use super::silt::{WRITTEN, Weather, lay_down};
use super::sweep::{Around, Cell, Sweep, Visit, first_lowest, less};
use crate::field::{MapKind, Terrain};
use crate::nodes::{Cancelled, Context, Ledger, Process, Run};

crate::params! {
    /// Rain loosens the ground, runs to the lowest neighbour and lays it down where it dries. Faster than the full form and drier: it keeps more of the fine relief, and on even slopes the rills follow the grid.
    HydraulicFast "Hydraulic erosion, fast" in "Erosion", from "Olsen 2004; document 000, §3.3.2", also "rain water sediment dissolve gully rill wash alluvial quick optimised" {
        /// Iterations, counted at the scene's resolution. More carry the ground farther.
        iterations: u32 = 60, 0..=10_000, slider 1..=500;
        /// Water that falls in one iteration, as a fraction of the relief; where a layer below made a rain map, that much more or less. More rain fills hollows and runs farther.
        rain: f32 = 0.01, 0.0..=1.0, slider 0.0..=0.05;
        /// Ground that water dissolves and holds, as a fraction of its depth. More wears faster.
        solubility: f32 = 0.05, 0.0..=1.0, slider 0.0..=0.2;
        /// Share of the water that dries up in one iteration. The less, the farther the water runs.
        evaporation: f32 = 0.5, 0.0..=1.0, slider 0.05..=1.0;
        /// Resistance of the rock everywhere: 0 is loose, 1 never wears. Where a layer below made a hardness map, the harder of the two counts.
        hardness: f32 = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Washes the valley floors level." { iterations = 20 }
            Natural "Natural": "Washed slopes above filled hollows." {}
            Strong "Strong": "Broad floors of silt between worn flanks." { iterations = 100, solubility = 0.08 }
            Document "As published": "The constants of the source document: slow and gentle." { iterations = 100, solubility = 0.01 }
        }
    }
}

impl Process for HydraulicFast {
    fn writes(&self) -> &'static [MapKind] {
        &WRITTEN
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn start(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        let carried = cx.grid.sum(terrain.map(MapKind::Sediment).expect("made above"));
        let weather = Weather::new(&terrain, self.rain, self.solubility, self.hardness);
        Box::new(Trickle {
            left: 1.0 - self.evaporation,
            weather,
            terrain,
            next: Next::default(),
            even: Sweep::default(),
            uneven: Sweep::default(),
            ledger: Ledger { carried, ..Ledger::default() },
            carried_before: carried,
        })
    }
}

/// What a cell of the sweep holds: altitude a and depth of the water, and the water that left; on rock of unlike hardness also the sediment that
/// came with water less what went.
const LEVEL: usize = 0;
const WATER: usize = 1;
const GIVEN: usize = 2;
const SEDIMENT: usize = 3;

/// Fast hydraulic erosion under way.
struct Trickle {
    weather: Weather,
    /// Share of the water that does not evaporate.
    left: f32,
    terrain: Terrain,
    next: Next<5>,
    /// On rock of the same hardness everywhere; the other stays empty.
    even: Sweep<3>,
    uneven: Sweep<4>,
    /// Its `carried` has all that is in the water, whoever brought it there.
    ledger: Ledger,
    carried_before: f64,
}

impl Run for Trickle {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let Self { weather, left, terrain, next, even, uneven, .. } = self;
        let flow = Flow { weather, left: *left, terrain };
        if weather.rock.uniform().is_some() {
            flow.scan(cx, even, next)?;
        } else {
            flow.scan(cx, uneven, next)?;
        }
        next.take_place(terrain, WRITTEN, &mut self.ledger);
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    fn ledger(&self) -> Ledger {
        Ledger { carried: self.ledger.carried - self.carried_before, ..self.ledger }
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self {
            weather: self.weather.clone(),
            terrain: self.terrain.clone(),
            next: Next::default(),
            even: Sweep::default(),
            uneven: Sweep::default(),
            ..*self
        })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}

/// One iteration.
struct Flow<'a> {
    weather: &'a Weather,
    left: f32,
    terrain: &'a Terrain,
}

impl Flow<'_> {
    fn map(&self, kind: MapKind, row: usize) -> &[f32] {
        self.terrain.grid.row(self.terrain.map(kind).expect("made at the start"), row)
    }

    fn scan<const P: usize>(&self, cx: &Context, sweep: &mut Sweep<P>, next: &mut Next<5>) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let n = grid.samples;
        next.fit(self.terrain);
        let Next { height, maps: [wear, deposits, water, sediment, flow], accounts } = &mut *next;
        let land = height.chunks_mut(n).zip(wear.chunks_mut(n)).zip(deposits.chunks_mut(n));
        let wet = water.chunks_mut(n).zip(sediment.chunks_mut(n)).zip(flow.chunks_mut(n));
        sweep.run(cx, self, land.zip(wet).zip(accounts), |i, cells, out| {
            let ((((height, wear), deposits), ((water, sediment), flow)), account) = out;
            self.dry(i, cells, [height, water, sediment, flow]);
            if cells.len() < n {
                [&mut *height, water, sediment, flow].into_iter().for_each(|row| row[n - 1] = row[0]);
            }
            let old = grid.row(&self.terrain.height, i);
            let maps = [self.map(MapKind::Wear, i), self.map(MapKind::Deposits, i)];
            add_balance(old, height, maps, wear, deposits);
            let [lost, gained] = balance(&old[..cells.len()], &height[..cells.len()]);
            *account = [lost, gained, total(&sediment[..cells.len()])];
        })?;
        next.repeat_first_row(grid);
        Ok(())
    }

    /// Evaporates and lays down along row `i`.
    fn dry<const P: usize>(&self, i: usize, cells: &[Cell<P>], [height, water, sediment, flow]: [&mut [f32]; 4]) {
        let grid = self.terrain.grid;
        let n = cells.len();
        let h = &grid.row(&self.terrain.height, i)[..n];
        let [w, m, passed] = [MapKind::Film, MapKind::Sediment, MapKind::Flow].map(|kind| &self.map(kind, i)[..n]);
        let [height, water, sediment, flow] = [height, water, sediment, flow].map(|row| &mut row[..n]);
        let (mut rain, mut solubility) = (vec![0.0; n], vec![0.0; n]);
        self.weather.row(grid, i, &mut rain, &mut solubility);
        let (rain, solubility) = (&rain[..n], &solubility[..n]);
        let unit = 1.0 / self.weather.unit_of_flow();
        // first what must be picked from the cells, then all that runs along rows
        for (j, cell) in cells.iter().enumerate() {
            water[j] = cell.get(WATER);
            flow[j] = passed[j] + cell.get(GIVEN) * unit;
            if P > SEDIMENT {
                sediment[j] = cell.get(SEDIMENT);
            }
        }
        if P <= SEDIMENT {
            for (came, (((solubility, now), w), rain)) in
                sediment.iter_mut().zip(solubility.iter().zip(&*water).zip(w).zip(rain))
            {
                *came = solubility * (now - (w + rain));
            }
        }
        precipitate(h, m, solubility, self.left, water, height, sediment);
    }
}

/// Evaporates along a row; `sediment` holds what came with water and becomes what stays in it. A function of its own, so
/// that the compiler sees that the slices do not overlap.
#[inline(never)]
fn precipitate(
    h: &[f32],
    m: &[f32],
    solubility: &[f32],
    left: f32,
    water: &mut [f32],
    height: &mut [f32],
    sediment: &mut [f32],
) {
    let n = h.len();
    let (m, solubility) = (&m[..n], &solubility[..n]);
    let (water, height, sediment) = (&mut water[..n], &mut height[..n], &mut sediment[..n]);
    for j in 0..n {
        water[j] *= left;
        (height[j], sediment[j]) = lay_down(h[j], m[j] + sediment[j], solubility[j] * water[j]);
    }
}

impl<const P: usize> Visit<P> for Flow<'_> {
    fn load(&self, row: usize, cells: &[Cell<P>]) {
        let grid = self.terrain.grid;
        let h = grid.row(&self.terrain.height, row);
        let (w, m) = (self.map(MapKind::Film, row), self.map(MapKind::Sediment, row));
        let n = cells.len();
        let (mut rain, mut solubility) = (vec![0.0; n], vec![0.0; n]);
        self.weather.row(grid, row, &mut rain, &mut solubility);
        for ((((cell, h), w), m), (rain, solubility)) in
            cells.iter().zip(h).zip(w).zip(m).zip(rain.iter().zip(&solubility))
        {
            let water = w + rain;
            cell.set(WATER, water);
            cell.set(LEVEL, (h - (solubility * water - m)) + water);
            if P > SEDIMENT {
                cell.set(SEDIMENT, 0.0);
            }
        }
    }

    #[inline(always)]
    fn visit(&self, k: usize, around: Around<P>) {
        let [[_, north, _], [west, cell, east], [_, south, _]] = around;
        let level = cell.get(LEVEL);
        let bottom = less(less(north.get(LEVEL), west.get(LEVEL)), less(east.get(LEVEL), south.get(LEVEL)));
        let lowest = first_lowest(LEVEL, [north, west, east, south]);
        // without a branch: where water runs cannot be foretold, and it runs nearly everywhere
        let (water, levelling) = (cell.get(WATER), (level - bottom) * 0.5);
        let levelling = if levelling > 0.0 { levelling } else { 0.0 };
        let moved = if water < levelling { water } else { levelling };
        cell.set(GIVEN, moved);
        cell.set(LEVEL, level - moved);
        cell.set(WATER, water - moved);
        lowest.set(LEVEL, lowest.get(LEVEL) + moved);
        lowest.set(WATER, lowest.get(WATER) + moved);
        if P > SEDIMENT {
            let sediment = self.weather.solubility(k) * moved;
            cell.set(SEDIMENT, cell.get(SEDIMENT) - sediment);
            lowest.set(SEDIMENT, lowest.get(SEDIMENT) + sediment);
        }
    }
}
