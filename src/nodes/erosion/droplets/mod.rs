//! Droplet erosion: single drops of rain run downhill, take up rock where they are fast and steep and drop it where
//! they slow down.
//!
//! Law, for a droplet at p with unit direction e, speed v, water w and load s, a step of length δ further down:
//! e ← (i e - (1 - i) ∇h) / |…|, p' = p + δe, fall = h(p) - h(p').
//! Uphill (fall < 0) it fills the hollow behind it, no higher than h(p'). Downhill it can carry
//! c = K · sin(max(θ, θ_min)) · v · w with tan θ = fall / δ; it takes up a share of c - s, never digging below h(p'),
//! or lays down a share of s - c, never building above h(p) + δ' tan θ_min. Then v² ← v² + g · fall / L and w = 1 - ε ·
//! way / L. It ends when it is spent (v² ≤ 0, no slope, way = L) and lays down all it carries, or at an open edge,
//! where its load is lost.
//! Symbols: i `inertia`, K `sediment_capacity`, θ_min `min_slope`, g `gravity`, ε `evaporation`, L `lifetime` (a way,
//! in metres, like the `radius` R of the ground a droplet touches: a cone of weights). Rates and inertia are meant for
//! a way of R/3, and are converted to the step: δ is R/3, but at least a cell. Every iteration rains the same depth:
//! droplets stand for the area between them, so their number changes the grain and not the depth, and a grid of any
//! resolution gets the same landscape.
//!
//! Scheme: a droplet acts on the ground at once, so the next one follows its channel; see `droplets_tiles` for how that
//! runs in parallel and gives the same bits for any number of threads. Starts are jittered in a lattice of blocks.
//! From coarse to fine: radius, way and capacity are those of the coarsest grid and halve with the cell, so that
//! droplets are as many cells wide on every grid and run and carry as far in cells; angles and rates stay. A droplet
//! knows no drained area: it leaves plains of debris without a stream, and on every grid the water would go elsewhere.
//! So trunk streams of the grid of 257 samples get channels on all finer ones, which droplets mostly spare
//! ([`StreamBeds::Incised`]). What that takes away is in the mass balance as resampled.
//! Boundary: open edges swallow droplets; on a wrapping terrain they come in on the other side.
//! Squares only: droplets that run at once wear tiles of the square that do not touch, and brushes are discs of its
//! samples.
//! Conservation: what the ground loses is measured on its stored heights and is what the droplet has more; what
//! rounding keeps from being laid down, less than a height's last bit a droplet, stays in the book as carried.
//! Stability: no step digs below the next point or builds above its own, so no droplet digs a pit; what it still
//! carries at its end is laid down in a fan of 3 R.
//! Source: Beyer 2015; Lague 2019. Metres, the sine of the slope, the two limits of height, the depth that
//! does not depend on the number, and the tiles are ours.

mod brush;
mod flight;
mod ground;
mod tiles;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::buffers::{WorkingMemory, prepare};
use super::rock::Rock;
use super::run::ErosionRun;
use crate::multiscale::{LargestScale, StreamBeds, multiscale_params};
use crate::{Context, MassBalance, MultiScale, NodeParts, Pace, Process, Run, Traits};
use brush::Tools;
use flight::{DropletLane, DropletLaw, LANES};
use ground::{SharedGround, TileGround};
use talweg_ground::field::{Cancelled, Grid, MapKind, Terrain};
use tiles::DropletTiles;

talweg_ground::params! {
    /// Lets single drops of rain run down the slopes. They cut sharp, branching gullies and leave fans of debris at
    /// their feet.
    Droplets "Droplet erosion" in "Erosion", from "Beyer 2015; Lague 2019", also "particle hydraulic rain water gully gullies drops wgen" {
        /// Showers, one after another. More cut deeper.
        iterations: u32 = 40, 0..=10_000, slider 1..=150;
        multiscale_params!();
        /// Droplets that fall on each sample in one iteration. More make smoother gullies and take longer; the depth
        /// stays the same.
        droplets: f32 = 0.02, 0.0005..=2.0, slider 0.005..=0.1;
        /// Longest way a droplet runs. Long ways carry the debris down to the plain.
        lifetime: f32 ["m"] = 1000.0, 1.0..=100_000.0, slider 100.0..=3000.0;
        /// Half the width of the ground that a droplet wears. Wide ones make soft, broad gullies.
        radius: f32 ["m"] = 25.0, 0.0..=10_000.0, slider 5.0..=200.0;
        /// Rock that the rain of one iteration can carry on a steep slope, as a depth over the ground it fell on.
        sediment_capacity: f32 ["m"] = 1.0, 0.0..=100.0, slider 0.05..=5.0;
        /// Share of the free capacity that is taken up on the way across a third of the radius. High values cut near
        /// the crests already.
        erosion_rate: f32 ["share"] = 0.05, 0.0..=1.0, slider 0.005..=0.5;
        /// Share of the surplus that is laid down on the way across a third of the radius. Low values spread the debris
        /// far.
        deposition_rate: f32 ["share"] = 0.3, 0.0..=1.0;
        /// How much a droplet keeps its direction. High values make it shoot straight over small bumps.
        inertia: f32 = 0.1, 0.0..=0.99;
        /// Slope that gentle ground counts as. Higher values let droplets carry their load farther over plains.
        min_slope: f32 ["°"] = 1.0, 0.0..=45.0, slider 0.0..=10.0;
        /// How much a droplet speeds up downhill. Fast droplets cut deeper at the foot of long slopes.
        gravity: f32 = 4.0, 0.0..=50.0, slider 0.0..=20.0;
        /// Share of the water that is gone at the end of the way. Where it is all, a droplet drops its load bit by bit
        /// until it is dry.
        evaporation: f32 ["share"] = 0.9, 0.0..=1.0;
        /// Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map,
        /// the harder of the two counts.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "First rills on the slopes." { iterations = 10 }
            Natural "Natural": "Branching gullies with fans at their feet." {}
            Strong "Strong": "Deep gullies and sharp spurs between wide plains of debris." { iterations = 60, sediment_capacity = 2.0, deposition_rate = 0.1, min_slope = 3.0 }
            Ravines "Ravines": "Narrow ravines close together, as on bare clay." { radius = 12.0, lifetime = 500.0, sediment_capacity = 1.5 }
            Canyon "Canyon": "Few broad and deep valleys." { iterations = 60, radius = 60.0, lifetime = 2500.0, sediment_capacity = 4.0, erosion_rate = 0.03, inertia = 0.4 }
            Wash "Wash": "Rounds the slopes off and fills the hollows." { radius = 60.0, erosion_rate = 0.5, sediment_capacity = 0.5, evaporation = 0.5 }
            AllScales "All scales": "Valleys within valleys: wide ones first, then ever finer ones, at any size in seconds." { iterations = 20, largest_scale = LargestScale::Samples129, fine_weight = 0.8, radius = 150.0, lifetime = 4000.0, sediment_capacity = 7.0, erosion_rate = 0.1, inertia = 0.05, evaporation = 0.5 }
        }
    }
}

impl Process for Droplets {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            is_random: true,
            // from coarse to fine 2: trunk streams of large grids stay where they are; 3: in channels
            version: if self.largest_scale == LargestScale::OneGrid { 1 } else { 3 },
            stream_beds: StreamBeds::Incised,
            working_fields: 4.0,
            fewer_for_heights: Some(1.0),
            parts: NodeParts::Whole("droplets run one after another over ground that those before them changed"),
            ..Traits::PROCESS
        }
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

    fn start(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        prepare(&mut terrain, &WRITTEN);
        Box::new(DropletsRun {
            rock: Rock::new(&terrain, self.hardness),
            rain: terrain.map(MapKind::Rain).cloned(),
            params: self.on_level(cx.level),
            terrain,
            next: WorkingMemory::default(),
            round: 0,
            mass_balance: MassBalance::default(),
        })
    }
}

impl Droplets {
    /// On a finer grid of a [multi-scale](crate::multiscale) erosion droplets are smaller: as many cells wide,
    /// running as far and carrying as much in cells.
    fn on_level(&self, level: f32) -> Self {
        Self {
            radius: self.radius / level,
            lifetime: self.lifetime / level,
            sediment_capacity: self.sediment_capacity / level,
            ..self.clone()
        }
    }
}

/// The data maps of this process: wear and deposits are what each iteration
/// changed on balance; flow is the water that passed, in cell areas and summed over the iterations; sediment is the
/// load that passed in the last one.
const WRITTEN: [MapKind; 4] = [MapKind::Wear, MapKind::Deposits, MapKind::Flow, MapKind::Sediment];

/// Rows that a thread folds at once.
const BAND_ROWS: usize = 16;

/// Droplet erosion under way.
#[derive(Clone)]
struct DropletsRun {
    params: Droplets,
    rock: Rock,
    rain: Option<Arc<Vec<f32>>>,
    terrain: Terrain,
    next: WorkingMemory<DropletBuffers>,
    /// Iterations done: each has droplets of its own.
    round: u32,
    mass_balance: MassBalance,
}

/// What a step works on. Empty until the first step.
#[derive(Default)]
struct DropletBuffers {
    ground: Option<SharedGround>,
    /// What each row lost and gained.
    rows: Vec<[f64; 2]>,
}

impl ErosionRun for DropletsRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let level = if cx.level == 1.0 { cx.random } else { cx.random.fork(u64::from(cx.level.to_bits()) << 32) };
        let tiles_random = level.fork(u64::from(self.round));
        let notes_flow = self.terrain.map(MapKind::Flow).is_some();
        let ground = self.next.ground.get_or_insert_with(|| SharedGround::new(grid, notes_flow));
        ground.load(cx, &self.terrain.height)?;
        let law = DropletLaw::new(cx, &self.params);
        let tools = Tools::new(law.radius);
        let (side, reach) = (ground.side, law.reach(&tools));
        let (ground, tiles) = (&*ground, DropletTiles::new(side, grid, self.params.droplets, reach, tiles_random));
        let (erodibility, rain) = (self.rock.uniform(), self.rain.as_deref());
        let falling = |start: [f32; 2]| {
            let rain = rain.map_or(1.0, |map| rain_at(grid, map, start));
            (rain > 0.0).then_some((start, tiles.area * rain))
        };
        let (mut lost, mut dust) = (0.0f64, 0.0f64);
        for colour in tiles.colours() {
            let ends = colour.par_chunks(LANES).map(|group| {
                let mut lanes: Vec<_> = group
                    .iter()
                    .map(|tile| {
                        let patch = TileGround::take(ground, &self.rock, tiles.spans(tile, side, grid, reach));
                        DropletLane::new(patch, tiles.starts(tile).filter_map(falling))
                    })
                    .collect();
                law.run(cx, ground, &tools, erodibility, &mut lanes)?;
                lanes.iter().for_each(|lane| lane.patch.give_back(ground));
                Ok(lanes.iter().map(|lane| [lane.lost, lane.dust]).collect::<Vec<_>>())
            });
            for [over, left] in ends.collect::<Result<Vec<_>, Cancelled>>()?.into_iter().flatten() {
                lost += over;
                dust += left;
            }
        }
        // from here on the step cannot fail
        self.fold();
        for [eroded, deposited] in &self.next.rows[..grid.distinct()] {
            self.mass_balance.eroded += eroded;
            self.mass_balance.deposited += deposited;
        }
        self.mass_balance.lost += lost;
        self.mass_balance.carried += dust;
        self.round += 1;
        Ok(())
    }

    fn leave_out(&mut self, records: &[MapKind]) {
        records.iter().for_each(|&kind| drop(self.terrain.set_map(kind, None)));
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_terrain(self) -> Terrain {
        self.terrain
    }
}

impl DropletsRun {
    /// Makes heights, maps and mass balance of what the droplets left on the ground: in their place, which takes a
    /// moment and is not broken off, so that nothing is there twice.
    fn fold(&mut self) {
        let grid = self.terrain.grid;
        let (n, distinct) = (grid.samples, grid.distinct());
        let DropletBuffers { ground, rows } = &mut *self.next;
        let ground = ground.as_ref().expect("the droplets ran on it");
        rows.resize(n, [0.0; 2]);
        let mut maps = WRITTEN.map(|kind| {
            // one that a snapshot shares stays with it; there is none where nobody reads it
            self.terrain.set_map(kind, None).map(Arc::unwrap_or_clone)
        });
        let cells = BAND_ROWS * n;
        let mut parts = maps.each_mut().map(|map| map.as_mut().map(|map| map.chunks_mut(cells)));
        let bands =
            (0..n.div_ceil(BAND_ROWS)).map(|_| parts.each_mut().map(|part| part.as_mut().and_then(Iterator::next)));
        let bands: Vec<[Option<&mut [f32]>; 4]> = bands.collect();
        let heights = (self.terrain.height.par_chunks_mut(cells), rows.par_chunks_mut(BAND_ROWS));
        (heights, bands).into_par_iter().enumerate().for_each(|(b, ((height, rows), mut maps))| {
            let mut made = vec![0.0; n];
            for (r, mass_balance) in rows.iter_mut().enumerate() {
                let (own, from) = (r * n..(r + 1) * n, ((b * BAND_ROWS + r) % distinct) * distinct);
                let of = |field: &[AtomicU32], out: &mut [f32]| read(&field[from..from + distinct], out);
                let [wear, deposits, flow, sediment] =
                    maps.each_mut().map(|map| map.as_mut().map(|map| &mut map[own.clone()]));
                let height = &mut height[own];
                of(&ground.height, &mut made);
                *mass_balance = [0.0; 2];
                let falls = |of: &mut [f32], sign: f32| {
                    for (sum, (&old, &new)) in of.iter_mut().zip(height.iter().zip(&made)) {
                        let fall = sign * (old - new);
                        *sum += if fall > 0.0 { fall } else { 0.0 };
                    }
                };
                wear.into_iter().for_each(|wear| falls(wear, 1.0));
                deposits.into_iter().for_each(|deposits| falls(deposits, -1.0));
                for (old, &new) in height[..distinct].iter().zip(&made) {
                    let fall = f64::from(*old) - f64::from(new);
                    mass_balance[usize::from(fall < 0.0)] += fall.abs();
                }
                height.copy_from_slice(&made);
                if let Some(flow) = flow {
                    of(&ground.flow, &mut made);
                    flow.iter_mut().zip(&made).for_each(|(flow, passed)| *flow += passed);
                }
                if let Some(sediment) = sediment {
                    of(&ground.load, sediment);
                }
            }
        });
        for (kind, map) in WRITTEN.into_iter().zip(maps) {
            self.terrain.set_map(kind, map.map(Arc::new));
        }
    }
}

/// Copies a row of shared cells; what is beyond its end repeats the first.
fn read(cells: &[AtomicU32], out: &mut [f32]) {
    for (out, cell) in out.iter_mut().zip(cells.iter().chain(cells)) {
        *out = f32::from_bits(cell.load(Ordering::Relaxed));
    }
}

/// The rain map at the sample nearest to a start.
fn rain_at(grid: Grid, map: &[f32], [x, y]: [f32; 2]) -> f32 {
    let last = grid.samples - 1;
    map[((y + 0.5) as usize).min(last) * grid.samples + ((x + 0.5) as usize).min(last)]
}
