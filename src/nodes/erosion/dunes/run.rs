//! A run of dunes: the state of sand and air, and the computation of one iteration.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Dunes, MOST_PRESS, PRESS, SAND_GRIP};
use crate::erosion::buffers::{WorkingMemory, exchange_maps};
use crate::erosion::cover::{CoverSlide, Layers, Slabs, exchange, surface};
use crate::erosion::rock::Rock;
use crate::erosion::run::ErosionRun;
use crate::erosion::wind::{Hop, WindLine, wind_direction};
use crate::{Context, MassBalance};
use talweg_ground::field::{Cancelled, Edges, Grid, MapKind, Terrain};

const BAND_CELLS: usize = 16 * 1024;
const BAND_ROWS: usize = 8;
/// Fraction of the excess slope (above the angle of repose) that slides in one iteration. [`MOST_CREEP`] limits the
/// fraction of the height difference that creeps on any slope.
const SLIDE_SHARE: f32 = 0.15;
const MOST_CREEP: f32 = 0.1;

/// A run of wind erosion, which carries sand over one terrain.
#[derive(Clone)]
pub struct DunesRun {
    params: Arc<Dunes>,
    slabs: Slabs,
    /// Heights of the rock without sand at the start of the run.
    bed: Arc<Vec<f32>>,
    /// Erodibility of the rock at every sample; `None` if the rock does not erode.
    erodibility: Option<Arc<Vec<f32>>>,
    /// Samples of voids at which the land ends.
    voids: Arc<Vec<u32>>,
    /// Depth of rock that layers below eroded.
    worn_before: Option<Arc<Vec<f32>>>,
    iteration: u32,
    now: Saltation,
    terrain: Terrain,
    mass_balance: MassBalance,
    next: WorkingMemory<DuneBuffers>,
}

/// The sand in the air, the wind shadow and the eroded rock.
#[derive(Clone)]
struct Saltation {
    /// Depth of sand in the air over each cell.
    flying: Vec<f32>,
    /// Height of the surface of the wind shadow; equal to the terrain where there is no shadow.
    shadow: Vec<f32>,
    /// Depth of rock that this run eroded; empty if the rock does not erode.
    eroded: Vec<f32>,
}

/// Output of a step. Empty until the first step.
#[derive(Default)]
struct DuneBuffers {
    flying: Vec<f32>,
    shadow: Vec<f32>,
    eroded: Vec<f32>,
    /// Sand in the air, passed from one part of the step to the next.
    lifted: Vec<f32>,
    left: Vec<f32>,
    height: Vec<f32>,
    sand: Vec<f32>,
    wear: Vec<f32>,
    /// For each row, the material lost, the material gained and the sand in the air.
    rows: Vec<[f64; 3]>,
    entered: Vec<f64>,
}

impl DuneBuffers {
    /// Makes the buffers large enough for `grid`; `worn` is the length of the fields of eroded rock.
    fn resize(&mut self, grid: Grid, worn: usize) {
        let Self { flying, shadow, lifted, left, height, sand, .. } = self;
        for buffer in [flying, shadow, lifted, left, height, sand] {
            buffer.resize(grid.len(), 0.0);
        }
        for buffer in [&mut self.eroded, &mut self.wear] {
            buffer.resize(worn, 0.0);
        }
        self.rows.resize(grid.samples, [0.0; 3]);
        self.entered.resize(grid.samples, 0.0);
    }
}

/// Number of rows and number of cells in a band, on a grid with `samples` per side.
fn band_size(samples: usize) -> (usize, usize) {
    let rows = (BAND_CELLS / samples).max(BAND_ROWS);
    (rows, rows * samples)
}

/// The parameters of one iteration; lengths are fractions of the relief.
struct DuneLaw {
    slabs: Slabs,
    lift: f32,
    /// Inverse of the sand depth that covers the rock completely.
    full: f32,
    rock_grip: f32,
    abrasion: f32,
    /// Factor that converts a height difference over the distance of the wind pressure to a slope as rise over run.
    steepness: f32,
    /// Fall of the shadow surface over one cell. `shelter` is the inverse of its fall over half a hop.
    shadow_fall: f32,
    shelter: f32,
    press: Hop,
    cell: Hop,
    hop: Hop,
    /// Depth of sand that each cell beyond the edge sends onto the terrain.
    outside: f32,
    turned: bool,
}

impl DunesRun {
    pub fn new(params: Arc<Dunes>, cx: &Context, mut terrain: Terrain) -> Self {
        terrain.close_seam();
        let grid = terrain.grid;
        let metre = 1.0 / cx.relief_metres;
        let deepest = params.sand_metres.max(params.lift_metres) * metre;
        let slabs = Slabs::for_depth(deepest);
        let wears = params.abrasion > 0.0;
        let hop = params.saltation_metres;
        let erodibility = wears.then(|| {
            let (rock, swell) = (Rock::new(&terrain, params.hardness), Swell::new(cx, 4.0 * hop, 2));
            let mut erodibility = vec![0.0; grid.len()];
            erodibility.par_chunks_mut(grid.samples).enumerate().for_each(|(i, row)| {
                for (j, soft) in row.iter_mut().enumerate() {
                    let harder = params.unevenness * (0.5 + 0.5 * swell.height_at(i, j)).clamp(0.0, 1.0);
                    *soft = rock.erodibility(i * grid.samples + j) * (1.0 - harder);
                }
            });
            Arc::new(erodibility)
        });
        let mut bed = terrain.height.clone();
        let mut sand: Vec<f32> = match terrain.map(MapKind::Sand) {
            None => vec![0.0; grid.len()],
            // sand of the layers below also moves
            Some(map) => map.iter().map(|&depth| slabs.at_most(depth)).collect(),
        };
        bed.iter_mut().zip(&sand).for_each(|(b, s)| *b -= s);
        let mut mass_balance = MassBalance::default();
        if params.sand_metres > 0.0 {
            let (fine, wide) = (Swell::new(cx, 4.0 * hop, 0), Swell::new(cx, 12.0 * hop, 1));
            let distinct = grid.distinct_side();
            let laid = |(i, row): (usize, &mut [f32])| {
                let mut sum = 0.0;
                for (j, sand) in row.iter_mut().enumerate() {
                    let share = 1.0
                        + 0.1 * fine.height_at(i, j)
                        + params.patchiness * (0.9 * wide.height_at(i, j) + 0.2 * fine.height_at(i, j));
                    let depth = slabs.at_most(params.sand_metres * metre * share);
                    *sand += depth;
                    sum += if j < distinct { f64::from(depth) } else { 0.0 };
                }
                sum
            };
            let rows: Vec<f64> = sand.par_chunks_mut(grid.samples).enumerate().map(laid).collect();
            mass_balance.added = rows[..distinct].iter().sum();
        }
        let voids = cx.land_ends(&terrain);
        for k in voids.iter().map(|&k| k as usize) {
            mass_balance.added -= if grid.owns(k) { f64::from(sand[k]) } else { 0.0 };
            sand[k] = 0.0;
        }
        for ((h, &b), &s) in terrain.height.iter_mut().zip(&bed).zip(&sand) {
            *h = surface(b, s, 0.0);
        }
        if wears {
            terrain.map_mut(MapKind::Wear);
        }
        let worn_before = terrain.map(MapKind::Wear).filter(|_| wears).cloned();
        terrain.set_map(MapKind::Sand, Some(Arc::new(sand)));
        let worn = if wears { vec![0.0; grid.len()] } else { Vec::new() };
        let now = Saltation { flying: vec![0.0; grid.len()], shadow: terrain.height.clone(), eroded: worn };
        let bed = Arc::new(bed);
        Self {
            params,
            slabs,
            bed,
            erodibility,
            voids: Arc::new(voids),
            worn_before,
            iteration: 0,
            now,
            terrain,
            mass_balance,
            next: WorkingMemory::default(),
        }
    }

    /// Index of the alternating wind that blows in an iteration.
    fn turn(&self, iteration: u32) -> u32 {
        (iteration / self.params.season.max(1)) % self.params.winds.max(1)
    }

    fn law(&self, cx: &Context) -> DuneLaw {
        let params = &*self.params;
        let grid = self.terrain.grid;
        let (metre, cell_metres) = (1.0 / cx.relief_metres, cx.cell_metres());
        let turn = self.turn(self.iteration);
        let middle = 0.5 * (params.winds.max(1) - 1) as f32;
        let wind = wind_direction(params.wind_angle + (turn as f32 - middle) * params.turn_angle);
        let press_metres = cell_metres.max(0.25 * params.saltation_metres);
        let lift_metres = params.lift_metres.min(0.25 * press_metres / PRESS);
        let hop_cells = f64::from(params.saltation_metres) / f64::from(cell_metres);
        let shadow_fall = cx.rise_per_cell(params.shadow_angle);
        let lift = self.slabs.nearest(lift_metres * metre);
        let loose = if params.sand_metres > 0.0 || params.abrasion > 0.0 || params.inflow > 0.0 { lift } else { 0.0 };
        DuneLaw {
            slabs: self.slabs,
            lift,
            full: if lift > 0.0 { 0.5 / lift } else { 0.0 },
            rock_grip: params.rock_grip,
            abrasion: params.abrasion,
            steepness: cx.relief_metres / press_metres,
            shadow_fall,
            shelter: 2.0 / (shadow_fall * (hop_cells as f32).max(1.0)),
            press: Hop::new(grid, wind, f64::from(press_metres) / f64::from(cell_metres)),
            cell: Hop::new(grid, wind, 1.0),
            hop: Hop::new(grid, wind, hop_cells),
            outside: self.slabs.at_most(params.inflow * loose / SAND_GRIP),
            turned: self.iteration == 0 || self.turn(self.iteration - 1) != turn,
        }
    }

    fn repose(&self, cx: &Context) -> CoverSlide {
        let params = &*self.params;
        // creep models reptation: a little of the lifted sand rolls downhill
        let cell = cx.cell_metres();
        let creep = 0.2 * params.lift_metres * PRESS * params.saltation_metres / (cell * cell);
        let rise = cx.rise_per_cell(params.repose_angle);
        let creep = if creep < MOST_CREEP { creep } else { MOST_CREEP };
        CoverSlide { grid: self.terrain.grid, slabs: self.slabs, rise, slide_fraction: SLIDE_SHARE, creep }
    }
}

/// The parts of an iteration. All parts write only to the buffers, which replace the state at the end.
impl DunesRun {
    /// The sand before this iteration.
    fn sand(&self) -> &[f32] {
        self.terrain.map(MapKind::Sand).expect("made at the start")
    }

    /// Lifts sand into the wind, and erodes the rock below saltating sand.
    fn lift(&self, cx: &Context, law: &DuneLaw, next: &mut DuneBuffers) -> Result<(), Cancelled> {
        let (grid, now, old_sand, old_height) = (self.terrain.grid, &self.now, self.sand(), &*self.terrain.height);
        let n = grid.samples;
        let (band, cells) = band_size(n);
        let old_shadow: &[f32] = if law.turned { old_height } else { &now.shadow };
        let erodibility = self.erodibility.as_deref();
        let DuneBuffers { lifted, left, shadow, eroded: worn, .. } = next;
        let outs = (lifted.par_chunks_mut(cells), left.par_chunks_mut(cells), shadow.par_chunks_mut(cells));
        let worn_bands = chunks_or_empty(worn, cells, grid.len());
        (outs.0, outs.1, outs.2, worn_bands).into_par_iter().enumerate().try_for_each(
            |(b, (lifted, left, shadow, worn))| {
                cx.control.check()?;
                let mut line = WindLine::new(n);
                let (mut upwind, mut behind) = (vec![0.0; n], vec![0.0; n]);
                for k in 0..lifted.len() / n {
                    let i = b * band + k;
                    law.press.upwind(old_height, i, &mut line, &mut upwind);
                    law.cell.upwind(old_shadow, i, &mut line, &mut behind);
                    let here = k * n..(k + 1) * n;
                    let from = [old_height, old_sand, &now.flying].map(|field| grid.row(field, i));
                    let to = [&mut lifted[here.clone()], &mut left[here.clone()], &mut shadow[here.clone()]];
                    law.lift(from, &upwind, &behind, to);
                    if let Some(erodibility) = erodibility {
                        let from =
                            [old_height, old_sand, &now.flying, erodibility, &now.eroded].map(|f| grid.row(f, i));
                        law.wear(from, &upwind, &shadow[here.clone()], &mut worn[here]);
                    }
                }
                Ok(())
            },
        )
    }

    /// Carries the sand in the air by one hop, and settles a part of it.
    fn hop_and_settle(&self, cx: &Context, law: &DuneLaw, next: &mut DuneBuffers) -> Result<(), Cancelled> {
        let (grid, old_height) = (self.terrain.grid, &*self.terrain.height);
        let n = grid.samples;
        let (band, cells) = band_size(n);
        let DuneBuffers { lifted, left, shadow, flying, entered, .. } = next;
        let (lifted, shadow) = (&**lifted, &**shadow);
        let outs = (left.par_chunks_mut(cells), flying.par_chunks_mut(cells), entered.par_chunks_mut(band));
        outs.into_par_iter().enumerate().try_for_each(|(b, (left, flying, entered))| {
            cx.control.check()?;
            let mut line = WindLine::new(n);
            let mut arriving = vec![0.0; n];
            for (k, entered) in entered.iter_mut().enumerate() {
                let i = b * band + k;
                *entered = law.hop.carry(law.slabs, lifted, law.outside, i, &mut line, &mut arriving);
                let here = k * n..(k + 1) * n;
                let from = [old_height, shadow].map(|field| grid.row(field, i));
                law.deposit_row(from, &arriving, [&mut left[here.clone()], &mut flying[here]]);
            }
            Ok(())
        })
    }

    /// Lets sand slide where it is steeper than the angle of repose, and computes the new surface.
    fn slide(&self, cx: &Context, repose: &CoverSlide, next: &mut DuneBuffers) -> Result<(), Cancelled> {
        let (grid, now, old_sand) = (self.terrain.grid, &self.now, self.sand());
        let n = grid.samples;
        let (band, cells) = band_size(n);
        let DuneBuffers { left, flying, eroded: worn, height, sand, wear, rows, .. } = next;
        let (bed, worn, flying) = (&**self.bed, &**worn, &**flying);
        let worn_part = (!worn.is_empty()).then_some(worn);
        let layers = Layers { bed, eroded: worn_part, cover: left };
        let before = self.worn_before.as_deref();
        let outs = (height.par_chunks_mut(cells), sand.par_chunks_mut(cells), rows.par_chunks_mut(band));
        let wear_bands = chunks_or_empty(wear, cells, grid.len());
        (outs.0, outs.1, outs.2, wear_bands).into_par_iter().enumerate().try_for_each(
            |(b, (height, sand, rows, wear))| {
                cx.control.check()?;
                repose.slide(layers, b * band, sand);
                let distinct = grid.distinct_side();
                for (k, account) in rows.iter_mut().enumerate() {
                    let i = b * band + k;
                    let here = k * n..(k + 1) * n;
                    let (height, sand) = (&mut height[here.clone()], &sand[here.clone()]);
                    let (bed, was) = (grid.row(bed, i), grid.row(old_sand, i));
                    let [eroded, deposited] = match worn_part {
                        None => {
                            height.iter_mut().zip(bed).zip(sand).for_each(|((h, &b), &s)| *h = surface(b, s, 0.0));
                            exchange(was[..distinct].iter().copied(), sand[..distinct].iter().copied())
                        }
                        Some(worn) => {
                            let (worn, had) = (grid.row(worn, i), grid.row(&now.eroded, i));
                            let before = before.map(|w| grid.row(w, i)).expect("kept where rock wears");
                            let wear = &mut wear[here];
                            for j in 0..n {
                                height[j] = surface(bed[j], sand[j], worn[j]);
                                wear[j] = before[j] + worn[j];
                            }
                            let ground = |s: &f32, w: &f32| s - w;
                            let old = was[..distinct].iter().zip(had).map(|(s, w)| ground(s, w));
                            exchange(old, sand[..distinct].iter().zip(worn).map(|(s, w)| ground(s, w)))
                        }
                    };
                    let carried = grid.row(flying, i)[..distinct].iter().map(|&a| f64::from(a)).sum();
                    *account = [eroded, deposited, carried];
                }
                Ok(())
            },
        )
    }

    /// Removes the sand that has moved into voids. The mass balance counts it as lost, because it is not deposited.
    fn empty_voids(&self, fields: [&mut [f32]; 2]) {
        for field in fields {
            self.voids.iter().for_each(|&k| field[k as usize] = 0.0);
        }
    }

    /// Removes the sand that slid into voids, after the mass balance has counted it as deposited.
    fn lose_sand_of_voids(&mut self) {
        let (grid, bed) = (self.terrain.grid, &self.bed);
        for k in self.voids.iter().map(|&k| k as usize) {
            let DuneBuffers { sand, height, .. } = &mut *self.next;
            let slid = if grid.owns(k) { f64::from(sand[k]) } else { 0.0 };
            (sand[k], height[k]) = (0.0, surface(bed[k], 0.0, 0.0));
            self.mass_balance.deposited -= slid;
            self.mass_balance.lost += slid;
        }
    }

    /// Adds the moved material to the mass balance. All sums are sums of whole slabs, and are exact.
    fn update_mass_balance(&mut self) {
        let grid = self.terrain.grid;
        let DuneBuffers { rows, entered, .. } = &*self.next;
        let entered: f64 = if grid.edges == Edges::Open { entered.iter().sum() } else { 0.0 };
        let [mut eroded, mut deposited, mut carried] = [0.0; 3];
        for row in &rows[..grid.distinct_side()] {
            eroded += row[0];
            deposited += row[1];
            carried += row[2];
        }
        let mass_balance = &mut self.mass_balance;
        // sand that blows in over an edge counts as if it were added at the edge and lifted at once
        mass_balance.added += entered;
        mass_balance.eroded += eroded + entered;
        mass_balance.deposited += deposited;
        mass_balance.lost += (eroded + entered - deposited) - (carried - mass_balance.carried);
        mass_balance.carried = carried;
    }

    /// Makes the buffers the new state.
    fn exchange_buffers(&mut self) {
        let DuneBuffers { flying, shadow, eroded: worn, height, sand, wear, .. } = &mut *self.next;
        std::mem::swap(&mut self.now.flying, flying);
        std::mem::swap(&mut self.now.shadow, shadow);
        std::mem::swap(&mut self.now.eroded, worn);
        std::mem::swap(&mut self.terrain.height, height);
        exchange_maps(&mut self.terrain, [MapKind::Sand], [sand]);
        if self.erodibility.is_some() {
            exchange_maps(&mut self.terrain, [MapKind::Wear], [wear]);
        }
    }
}

impl ErosionRun for DunesRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let (law, repose) = (self.law(cx), self.repose(cx));
        self.next.resize(self.terrain.grid, self.now.eroded.len());
        let mut next = std::mem::take(&mut *self.next);
        let stepped = self
            .lift(cx, &law, &mut next)
            .and_then(|()| self.hop_and_settle(cx, &law, &mut next))
            .map(|()| self.empty_voids([&mut next.left, &mut next.flying]))
            .and_then(|()| self.slide(cx, &repose, &mut next));
        *self.next = next;
        stepped?;
        self.update_mass_balance();
        self.lose_sand_of_voids();
        self.exchange_buffers();
        self.iteration += 1;
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }

    fn own_bytes(&self) -> usize {
        let own = self.now.flying.len() + self.now.shadow.len() + self.now.eroded.len();
        // the rock is not counted, because all snapshots of a run share it
        4 * own
    }
}

/// Bands of `cells` values of a field; empty bands if the field is not kept.
fn chunks_or_empty(field: &mut [f32], cells: usize, len: usize) -> Vec<&mut [f32]> {
    if field.is_empty() {
        return (0..len.div_ceil(cells)).map(|_| <&mut [f32]>::default()).collect();
    }
    field.chunks_mut(cells).collect()
}

impl DuneLaw {
    /// Factor f by which the wind's pressure changes the lift. `rise` is the height of the cell above the ground
    /// upwind.
    #[inline(always)]
    fn pressure(&self, rise: f32) -> f32 {
        let press = 1.0 + PRESS * self.steepness * rise;
        let press = if press > 0.0 { press } else { 0.0 };
        if press < MOST_PRESS { press } else { MOST_PRESS }
    }

    /// Fraction of the wind from which a point is sheltered, if it is this far `below` the surface of the wind shadow.
    #[inline(always)]
    fn sheltered(&self, below: f32) -> f32 {
        let shelter = below * self.shelter;
        if shelter < 1.0 { shelter } else { 1.0 }
    }

    /// Fraction of the rock that sand of depth `sand` covers.
    #[inline(always)]
    fn hidden(&self, sand: f32) -> f32 {
        let hidden = sand * self.full;
        if hidden < 1.0 { hidden } else { 1.0 }
    }

    fn lift(
        &self,
        [height, sand, flying]: [&[f32]; 3],
        upwind: &[f32],
        behind: &[f32],
        [lifted, left, shadow]: [&mut [f32]; 3],
    ) {
        let n = height.len();
        let (sand, flying, upwind, behind) = (&sand[..n], &flying[..n], &upwind[..n], &behind[..n]);
        let (lifted, left, shadow) = (&mut lifted[..n], &mut left[..n], &mut shadow[..n]);
        for j in 0..n {
            let (h, falling) = (height[j], behind[j] - self.shadow_fall);
            let surface = if falling > h { falling } else { h };
            shadow[j] = surface;
            let wanted = self.lift * self.pressure(h - upwind[j]) * (1.0 - self.sheltered(surface - h));
            let most = 0.5 * sand[j];
            let taken = self.slabs.at_most(if wanted < most { wanted } else { most });
            left[j] = sand[j] - taken;
            lifted[j] = flying[j] + taken;
        }
    }

    /// Erodes the rock below saltating sand.
    fn wear(
        &self,
        [height, sand, flying, erodibility, had]: [&[f32]; 5],
        upwind: &[f32],
        shadow: &[f32],
        worn: &mut [f32],
    ) {
        let n = height.len();
        let (sand, flying, erodibility, had) = (&sand[..n], &flying[..n], &erodibility[..n], &had[..n]);
        let (upwind, shadow) = (&upwind[..n], &shadow[..n]);
        let worn = &mut worn[..n];
        for j in 0..n {
            let h = height[j];
            let open = (1.0 - self.sheltered(shadow[j] - h)) * (1.0 - self.hidden(sand[j]));
            let attack = self.abrasion * erodibility[j] * self.pressure(h - upwind[j]) * open;
            let taken = self.slabs.at_most(attack * flying[j]);
            worn[j] = had[j] + taken;
        }
    }

    fn deposit_row(&self, [height, shadow]: [&[f32]; 2], arriving: &[f32], [sand, flying]: [&mut [f32]; 2]) {
        let n = height.len();
        let (shadow, arriving) = (&shadow[..n], &arriving[..n]);
        let (sand, flying) = (&mut sand[..n], &mut flying[..n]);
        for j in 0..n {
            let open = self.rock_grip + (SAND_GRIP - self.rock_grip) * self.hidden(sand[j]);
            let stays = open + (1.0 - open) * self.sheltered(shadow[j] - height[j]);
            let settled = self.slabs.nearest(arriving[j] * stays);
            sand[j] += settled;
            flying[j] = arriving[j] - settled;
        }
    }
}

/// A sum of waves with random directions: smooth random values with mean 0 and variance 1, the same at any resolution.
/// On a wrapping terrain the waves continue across the edges.
struct Swell {
    /// Cosine and sine of every wave along the columns; `rows` holds those along the rows.
    columns: Vec<[f32; 2 * WAVES]>,
    rows: Vec<[f32; 2 * WAVES]>,
}

/// Number of waves in a swell.
const WAVES: usize = 24;

impl Swell {
    /// Waves with wavelengths around `metres`, from two thirds of `metres` to twice `metres`.
    fn new(cx: &Context, metres: f32, salt: u64) -> Self {
        let random = cx.random.fork(salt);
        let count = f64::from(cx.size_metres) / f64::from(metres);
        let tau = 2.0 * std::f64::consts::PI;
        let unit = |wave: usize, which: i32| f64::from(random.unit(wave as i32, which));
        let waves: [[f64; 3]; WAVES] = std::array::from_fn(|k| {
            let (angle, length) = (tau * unit(k, 0), count * (0.5 + unit(k, 1)));
            let whole = |v: f64| v.round().clamp(-1.0e6, 1.0e6);
            [whole(length * libm::cos(angle)), whole(length * libm::sin(angle)), tau * unit(k, 2)]
        });
        let amplitude = libm::sqrt(2.0 / WAVES as f64);
        let last = (cx.grid.samples - 1) as f64;
        let table = |axis: usize| {
            (0..cx.grid.samples)
                .map(|index| {
                    let mut entry = [0.0; 2 * WAVES];
                    for (k, wave) in waves.iter().enumerate() {
                        // whole turns are dropped, so that opposite edges of a wrapping terrain have the same bits
                        let turns = wave[axis] * index as f64 / last;
                        let phase = tau * (turns - turns.floor());
                        let (phase, size) = if axis == 0 { (phase + wave[2], amplitude) } else { (phase, 1.0) };
                        entry[k] = (size * libm::cos(phase)) as f32;
                        entry[WAVES + k] = (size * libm::sin(phase)) as f32;
                    }
                    entry
                })
                .collect()
        };
        Self { columns: table(0), rows: table(1) }
    }

    fn height_at(&self, row: usize, column: usize) -> f32 {
        let (a, b) = (&self.columns[column], &self.rows[row]);
        let mut sums = [0.0f32; 8];
        for k in (0..WAVES).step_by(8) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum += a[k + lane] * b[k + lane] - a[WAVES + k + lane] * b[WAVES + k + lane];
            }
        }
        ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
    }
}
