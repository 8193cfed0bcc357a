//! Coastal erosion: waves undercut the cliffs, cut a platform just below the sea level, and spread the debris as a
//! beach.
//!
//! Law: every contour within reach of the waves moves landward at the speed R · E · A(z) · erodibility, that is ∂h/∂t =
//! -R E A |∇h| · erodibility with h the height. The attack is A = 1 - (z / H)² above the sea level up to the wave
//! height H, and (1 - |z| / B)² below the sea level down to the wave base B. The height z is relative to the sea level.
//! It is the height of the point nearest to the sea level on the face below the cell, after a storm has stripped up to
//! H / 2 of sand off the beach there. Above the sea level the rock behind a face counts as part of the face, so a cliff
//! keeps its speed while one of its cells is half cut. If a cell is cut down before a step ends, the rest of the step
//! acts on the cell behind it. Undercut rock collapses to the cliff angle. Sand erodes like loose ground. All eroded
//! sand and the fraction `beach_share` of the eroded rock become debris; the rest is mud and lost. Debris spreads over
//! the shore by diffusion with the diffusivity D, over √(4 D t) = `drift` in the time t of an iteration. Debris settles
//! as sand where the terrain stays gentler than the beach angle and lower than half a wave height above the sea. In
//! deeper water less debris settles.
//! Symbols: R is `retreat` (metres per iteration). E is the exposure (see `fetch`), which is 1 on a straight coast that
//! faces an open sea.
//!
//! Scheme: |∇h| is computed upwind (Rouy & Tourin 1992), so a cell never falls below its lowest neighbour and a coast
//! retreats at the same speed in every direction. An iteration takes enough steps to keep the retreat per step below
//! half a cell. Only the cells of the shore are computed, in a list in row order. Debris spreads by the
//! super-time-stepping scheme RKL1 (Meyer, Balsara & Aslam 2014): s stages reach as far as s (s + 1) / 2 explicit
//! passes. Like explicit passes, they make no amount negative.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Conservation: eroded material is lost as mud, or becomes debris and later ground again. Debris that has not settled
//! yet is in the Sediment map.
//! Retreat: a straight cliff of 40 m in cells of 10 m retreats by 0.85 to 0.95 of rate times time, at any angle to the
//! grid (tests/core/nodes/erosion/coastal.rs).
//! Stability: nothing falls below the wave base or below a neighbour, and nothing is built above the beach.
//! Squares only: the waves have one direction everywhere, and the shore is listed in rows of equal cells.
//! From coarse to fine: an iteration on a grid lasts half as long as on the next coarser grid. So coasts retreat by the
//! same number of cells on each grid, and debris drifts over 1/√2 of the distance. With a `fine_weight` of ½ the
//! coarsest grid makes three quarters of the whole retreat, and finer grids hardly move the coast. Debris is passed
//! from grid to grid; undercut cells are found anew.
//! Source: Sunamura 1992 (notch, collapse, platform); Adams et al. 2002 (fetch and wave energy); the equation of the
//! moving contours and the settling by slope are our own.

mod fetch;
mod shore;

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{WorkingMemory, add_balance, balance, exchange_maps, prepare, total};
use super::rock::Rock;
use super::run::ErosionRun;
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{
    Context, FinerGrids, MassBalance, MultiScale, NodeMemory, NodeParts, Pace, Process, Run, Traits, VoidBorder,
};
use fetch::Fetch;
use shore::{CoastalNeighbours, ShoreCells};
use talweg_ground::field::{Cancelled, Grid, MapKind, Terrain};

talweg_ground::params! {
    /// Lets waves eat into the land at the sea level. Cliffs retreat and leave a shallow platform, and the debris
    /// gathers in beaches.
    Coastal "Coastal erosion" in "Erosion", from "Sunamura 1992; Adams et al. 2002", also "waves sea cliff beach shore coast bay headland abrasion" {
        /// Number of iterations. More iterations move the cliffs farther back.
        iterations: u32 = 60, 0..=10_000, slider 1..=150;
        multiscale_params!();
        /// Distance by which a straight coast of loose rock retreats in one iteration in an open sea.
        retreat: f32 ["m"] = 4.0, 0.0..=1000.0, slider 0.5..=20.0;
        /// Height that waves reach above the sea. Higher waves reach farther up gentle shores.
        wave_height: f32 ["m"] = 5.0, 0.1..=200.0, slider 1.0..=20.0;
        /// Depth below which waves do not erode the sea floor. The platform ends there.
        wave_base: f32 ["m"] = 15.0, 0.1..=1000.0, slider 2.0..=60.0;
        /// Height above the waves up to which cliffs can collapse. Higher land never collapses.
        cliff_reach: f32 ["m"] = 150.0, 0.0..=10_000.0, slider 10.0..=500.0;
        /// Steepest cliff that is stable once the waves have undercut it.
        cliff_angle: f32 ["°"] = 65.0, 10.0..=85.0 => |coast| coast.cliff_reach > 0.0;
        /// Slope of the beaches. Sand beaches slope at 1 to 3 degrees, shingle beaches at 5 to 10.
        beach_angle: f32 ["°"] = 3.0, 0.1..=30.0, slider 0.5..=15.0 => |coast| coast.beach_share > 0.0;
        /// Fraction of the eroded rock that stays on the shore as sand and shingle. The rest is mud, which is washed
        /// out to sea.
        beach_share: f32 ["share"] = 0.3, 0.0..=1.0;
        /// Distance over which debris spreads along the shore in one iteration.
        drift: f32 ["m"] = 40.0, 0.0..=10_000.0, slider 0.0..=200.0 => |coast| coast.beach_share > 0.0;
        /// Width of open water over which waves grow to their full strength. Bays and straits narrower than this are
        /// sheltered.
        fetch: f32 ["m"] = 3000.0, 1.0..=1_000_000.0, slider 200.0..=20_000.0;
        /// Direction from which the strongest waves come, clockwise from north.
        wave_azimuth: f32 ["°"] = 270.0, 0.0..=360.0 => |coast| coast.prevailing > 0.0;
        /// Strength of waves from the main direction compared with other waves. At 1 coasts turned away from the waves
        /// stay unchanged.
        prevailing: f32 ["share"] = 0.4, 0.0..=1.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "A narrow beach and low bluffs." { iterations = 20, retreat = 2.0 }
            Natural "Natural": "Cliffs behind a shallow platform." {}
            Strong "Strong": "A wide platform below high cliffs." { iterations = 120, retreat = 6.0, cliff_reach = 400.0 }
            Storm "Storm coast": "Waves from the west cut the windward shore and spare the lee." { iterations = 90, retreat = 6.0, wave_height = 8.0, prevailing = 0.9 }
            Lagoon "Sheltered beaches": "Low waves that heap sand into wide beaches." { iterations = 80, retreat = 3.0, wave_height = 3.0, wave_base = 8.0, cliff_reach = 40.0, beach_angle = 1.5, drift = 120.0 }
            AllScales "All scales": "Forms bays and headlands first, then cliffs; takes seconds at any resolution." { iterations = 40, largest_scale = LargestScale::Samples257, fine_weight = 0.5 }
        }
    }
}

impl Process for Coastal {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            reads_sea_level: true,
            // since version 3, debris drifts the full distance on fine grids too; since version 4, which applies only
            // to runs from coarse to fine, coasts keep their places
            version: if self.largest_scale == LargestScale::OneGrid { 3 } else { 4 },
            memory: NodeMemory::constant(6.8),
            finer_grids: FinerGrids { carries_sediment_on: true, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("its waves depend on all the open water in front of a shore")
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn void_border(&self) -> VoidBorder {
        VoidBorder::Leaving
    }

    fn start_run(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        prepare(&mut terrain, &WRITTEN);
        let mut carried_before = 0.0;
        if cx.cell_ratio > 1.0 {
            // the Sediment map holds the debris that the coarser grid passed on
            carried_before = terrain.grid.sum(terrain.map(MapKind::Sediment).expect("made above"));
        } else {
            // only debris of this process counts, so sediment that another process carries is removed from the map
            terrain.set_map(MapKind::Sediment, Some(Arc::new(vec![0.0; terrain.grid.len()])));
        }
        Box::new(CoastalRun {
            rock: Rock::new(&terrain, self.hardness),
            undercut: vec![false; terrain.grid.len()],
            params: self.on_level(cx.cell_ratio),
            voids: Arc::new(cx.land_ends(&terrain)),
            terrain,
            next: WorkingMemory::default(),
            mass_balance: MassBalance::default(),
            carried_before,
        })
    }
}

impl Coastal {
    /// Returns the parameters for a finer grid of a [multi-scale](crate::multiscale) erosion. An iteration on the finer
    /// grid is shorter, in proportion to the cell size.
    fn on_level(&self, level: f32) -> Self {
        let shorter = if level > 1.0 { 1.0 / level } else { 1.0 };
        Self { retreat: self.retreat * shorter, drift: self.drift * shorter.sqrt(), ..self.clone() }
    }
}

/// The data maps of this process. Wear and deposits record the net change of each iteration; sediment is debris that
/// has not settled yet; sand is the sand on the shore.
const WRITTEN: [MapKind; 4] = [MapKind::Wear, MapKind::Deposits, MapKind::Sediment, MapKind::Sand];

/// Maximum number of steps in an iteration. On a very fine grid, 16 steps are too few for the whole retreat, and the
/// coast retreats by half a cell per step.
const MOST_STEPS: f32 = 16.0;
/// Maximum retreat of the coast in a step, in cells.
const COURANT: f32 = 0.5;
/// Value of D t that one explicit pass of diffusion spreads, in squared cells. Up to ¼ no amount becomes negative.
const EXPLICIT: f32 = 0.2;
/// Maximum number of stages of the debris diffusion in one step: with it, debris drifts up to 40 cells in the step.
const MOST_STAGES: u32 = 64;

/// Fraction of the debris that rounding may lose or gain before the error is corrected. Debris that spreads far is so
/// uniform that its differences are rounded away, in the same direction in every pass.
const ROUNDING: f64 = 2.0e-7;

/// Adds `amount`, which rounding lost, to the cell with the most debris. If several cells have the most debris, the
/// first of them gets the amount. Returns the amount actually added.
fn correct_rounding(grid: Grid, debris: &mut [f32], amount: f64) -> f64 {
    let (n, distinct) = (grid.samples, grid.distinct_side());
    let cells = (0..distinct).flat_map(|i| (0..distinct).map(move |j| i * n + j));
    let most = cells.fold(0, |most, k| if debris[k] > debris[most] { k } else { most });
    let before = debris[most];
    let after = (f64::from(before) + amount) as f32;
    debris[most] = if after > 0.0 { after } else { 0.0 };
    let won = f64::from(debris[most]) - f64::from(before);
    grid.close(debris);
    won
}

#[derive(Clone)]
struct CoastalRun {
    params: Coastal,
    rock: Rock,
    /// Whether waves or collapse have attacked each cell. Steep neighbours above an attacked cell can fall.
    undercut: Vec<bool>,
    terrain: Terrain,
    next: WorkingMemory<CoastalBuffers>,
    mass_balance: MassBalance,
    /// Total debris in transit at the start of the run.
    carried_before: f64,
    /// Samples of voids at which the land ends.
    voids: Arc<Vec<u32>>,
}

/// Output of a step, which replaces the terrain once the step is complete. Empty until the first step.
#[derive(Default)]
struct CoastalBuffers {
    height: Vec<f32>,
    maps: [Vec<f32>; 4],
    undercut: Vec<bool>,
    shore: ShoreCells,
    fetch: Fetch,
    /// For each row, the material lost, the material gained and the debris in transit.
    rows: Vec<[f64; 3]>,
}

impl ErosionRun for CoastalRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let (n, distinct) = (grid.samples, grid.distinct_side());
        let CoastalBuffers { height, maps, undercut, shore, fetch, rows } = &mut *self.next;
        let [wear, deposits, debris, sand] = maps;
        let [old_wear, old_deposits, old_debris, old_sand] =
            WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        for (buffer, old) in
            [(&mut *height, &self.terrain.height), (&mut *debris, &**old_debris), (&mut *sand, &**old_sand)]
        {
            cx.control.check()?;
            buffer.clone_from(old);
        }
        undercut.clone_from(&self.undercut);
        let steps = (self.params.retreat / (COURANT * cx.cell_metres())).ceil();
        let steps = steps.clamp(1.0, MOST_STEPS);
        let law = CoastalLaw::new(cx, &self.params, steps);
        fetch.prepare(cx, &self.params);
        let mut washed_out = 0.0;
        for _ in 0..steps as u32 {
            shore.find(cx, &law, height, undercut)?;
            fetch.find_blocking_cells(cx, &law, height)?;
            washed_out += shore.attack(cx, &law, fetch, &self.rock, [&mut *height, &mut *sand], undercut)?;
            shore.spread(cx, &law, height, debris)?;
            for k in self.voids.iter().map(|&k| k as usize) {
                washed_out += if grid.owns(k) { f64::from(debris[k]) } else { 0.0 };
                debris[k] = 0.0;
            }
            shore.deposit_debris(cx, &law, [&mut *height, &mut *sand], debris)?;
        }
        if distinct < n {
            for field in [&mut *height, &mut *debris, &mut *sand] {
                for i in 0..distinct {
                    field[i * n + n - 1] = field[i * n];
                }
                field.copy_within(0..n, (n - 1) * n);
            }
        }
        wear.resize(grid.len(), 0.0);
        deposits.resize(grid.len(), 0.0);
        rows.resize(n, [0.0; 3]);
        let maps = (wear.par_chunks_mut(n), deposits.par_chunks_mut(n), rows.par_iter_mut());
        maps.into_par_iter().with_min_len(16).enumerate().try_for_each(|(i, (wear, deposits, mass_balance))| {
            cx.control.check()?;
            let (old, new) = (grid.row(&self.terrain.height, i), grid.row(height, i));
            add_balance(old, new, [grid.row(old_wear, i), grid.row(old_deposits, i)], wear, deposits);
            let [eroded, deposited] = balance(&old[..distinct], &new[..distinct]);
            *mass_balance = [eroded, deposited, total(&grid.row(debris, i)[..distinct])];
            Ok(())
        })?;
        let (mut mass_balance, mut carried) = ([0.0f64; 2], 0.0f64);
        for [eroded, deposited, under_way] in &rows[..distinct] {
            mass_balance = [mass_balance[0] + eroded, mass_balance[1] + deposited];
            carried += under_way;
        }
        cx.control.check()?;
        // from this line on the step cannot fail
        self.mass_balance.eroded += mass_balance[0];
        self.mass_balance.deposited += mass_balance[1];
        self.mass_balance.carried = carried - self.carried_before;
        self.mass_balance.lost += washed_out;
        let open = self.mass_balance.residual();
        if open.abs() > ROUNDING * carried {
            self.mass_balance.carried += correct_rounding(grid, debris, open);
        }
        std::mem::swap(&mut self.terrain.height, height);
        std::mem::swap(&mut self.undercut, undercut);
        exchange_maps(&mut self.terrain, WRITTEN, [wear, deposits, debris, sand]);
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }

    fn own_bytes(&self) -> usize {
        self.undercut.len()
    }
}

/// Values for the whole shore, in units of the grid: lengths in cells, heights as fractions of the relief.
pub struct CoastalLaw {
    /// Neighbours of cells.
    pub ring: CoastalNeighbours,
    /// Height of the sea level.
    pub sea: f32,
    /// Height up to which waves reach.
    pub crest: f32,
    /// Height of the top of the highest cliffs that can collapse.
    pub top: f32,
    /// Height of the top of the beaches.
    pub berm: f32,
    /// Height above which terrain is higher than the beaches and blocks the waves.
    pub flooded: f32,
    /// Depth of sand that a storm strips off the beach.
    pub mobile: f32,
    /// Fraction of the eroded rock that becomes sand.
    pub beach_share: f32,
    /// Height of the wave base, below which waves erode nothing.
    pub base: f32,
    /// Retreat in one step, in cells.
    pub retreat: f32,
    /// Rise over one cell of the steepest stable cliff.
    pub cliff: f32,
    /// Rise over one cell of the beach.
    pub beach: f32,
    /// Number of stages of the debris diffusion in one step.
    pub stages: u32,
    /// Value of D t of all stages together, in squared cells.
    pub diffusion: f32,
}

impl CoastalLaw {
    fn new(cx: &Context, params: &Coastal, steps: f32) -> Self {
        let height = |metres: f32| metres / cx.relief_metres;
        let cell = cx.cell_metres();
        let retreat = params.retreat / (cell * steps);
        // 4 D t = drift², in squared cells and for one step
        let spread = params.drift / cell;
        let diffusion = spread * spread * 0.25 / steps;
        let reach = |stages: u32| EXPLICIT * (stages * (stages + 1) / 2) as f32;
        let stages = (1..MOST_STAGES).find(|&stages| reach(stages) >= diffusion).unwrap_or(MOST_STAGES);
        let most = reach(stages);
        Self {
            ring: CoastalNeighbours::new(cx.grid),
            sea: cx.sea_level,
            crest: cx.sea_level + height(params.wave_height),
            top: cx.sea_level + height(params.wave_height + params.cliff_reach),
            berm: cx.sea_level + 0.5 * height(params.wave_height),
            flooded: cx.sea_level + 0.6 * height(params.wave_height),
            mobile: 0.5 * height(params.wave_height),
            beach_share: params.beach_share,
            base: cx.sea_level - height(params.wave_base),
            retreat: if retreat > COURANT { COURANT } else { retreat },
            cliff: cx.rise_per_cell(params.cliff_angle),
            beach: cx.rise_per_cell(params.beach_angle),
            stages: if diffusion > 0.0 { stages } else { 0 },
            diffusion: if diffusion > most { most } else { diffusion },
        }
    }

    /// Strength of the waves' attack A at a height, from 0 to 1.
    pub fn attack(&self, height: f32) -> f32 {
        let z = height - self.sea;
        if z > 0.0 {
            let part = z / (self.crest - self.sea);
            let left = 1.0 - part * part;
            return if left > 0.0 { left } else { 0.0 };
        }
        let left = 1.0 - z / (self.base - self.sea);
        if left > 0.0 { left * left } else { 0.0 }
    }

    /// Fraction of the debris that can settle at a height: 1 on the shore, 0 at the wave base.
    pub fn calm(&self, height: f32) -> f32 {
        let z = height - self.sea;
        let calm = 1.0 - if z < 0.0 { z / (self.base - self.sea) } else { 0.0 };
        if calm > 0.0 { calm } else { 0.0 }
    }
}
