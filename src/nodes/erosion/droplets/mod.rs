//! Droplet erosion: single droplets of rain run downhill, pick up rock where they are fast and steep, and deposit it
//! where they slow down.
//!
//! Law: a droplet at the point p has the unit direction e, speed v, water w and load s. It moves in steps of length δ
//! on terrain of height h: e ← (i e - (1 - i) ∇h) / |…|, p' = p + δe, fall = h(p) - h(p'). Uphill (fall < 0) the
//! droplet fills the hollow behind it, no higher than h(p'). Downhill its capacity is c = K · sin(max(θ, θ_min)) · v ·
//! w with tan θ = fall / δ. Below capacity the droplet picks up a fraction of c - s and never digs below h(p'). Above
//! capacity it deposits a fraction of s - c and never builds above h(p) + δ' tan θ_min, with δ' the radius of the
//! brush. Then v² grows by g · fall / L, and w = 1 - ε · path / L, where path is the distance run so far. The droplet
//! ends when it is spent (v² ≤ 0, no slope, path = L). Then it deposits its whole load. At an open edge it ends as
//! well, and its load is lost.
//! Symbols: i `inertia`, K `sediment_capacity`, θ_min `min_slope`, g `gravity`, ε `evaporation`. L is `lifetime` (a
//! path length in metres). R is `radius` (the radius in metres of the cone of weights that a droplet changes). Rates
//! and inertia are defined for a path of R/3 and converted to the step: δ is R/3, but at least one cell. Every
//! iteration rains the same depth of water. Each droplet represents the area around its start. So the number of
//! droplets changes the grain of the terrain but not the depth of erosion, and grids of any resolution produce the same
//! landscape.
//!
//! Scheme: a droplet changes the terrain at once, so the next droplet follows its channel. `tiles` describes how
//! droplets run in parallel with the same bits for any number of threads. Each droplet starts at a random point in one
//! block of a lattice.
//! From coarse to fine: radius, path length and capacity have the set values on the coarsest grid and halve with the
//! cell size. So droplets have the same width in cells on every grid, and run and carry equally far in cells. Angles
//! and rates are the same on every grid. A droplet does not know its drainage area. It leaves plains of debris without
//! a stream, and on every grid the water would take another path. So trunk streams of the grid of 257 samples a side
//! get channels on all finer grids, and droplets mostly spare these channels ([`StreamBeds::Incised`]). The volume
//! removed for these channels counts as `resampled` in the mass balance.
//! Boundary: droplets end at open edges and at voids; on a wrapping terrain they re-enter on the other side. Load that
//! a brush deposits in a void is lost.
//! Squares only: droplets that run in parallel work on square tiles that do not touch, and brushes are discs of samples
//! of the square.
//! Conservation: the load of a droplet equals the loss of the terrain, measured on its stored heights. Rounding
//! prevents the deposition of some load, less than the last bit of a height per droplet. This load counts as carried in
//! the mass balance.
//! Stability: no step digs below the next point of the path or builds above its own point, so no droplet digs a pit.
//! The load that remains at the end is deposited in a fan of radius 3 R.
//! Source: Beyer 2015; Lague 2019. Metres, the sine of the slope, the two height limits, the depth independent of the
//! number of droplets, and the tiles are our own.

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
use crate::{
    Context, FinerGrids, MassBalance, MultiScale, NodeMemory, NodeParts, Pace, Process, Run, Traits, VoidBorder,
};
use brush::DropletBrushes;
use flight::{DropletLane, DropletLaw, LANES};
use ground::{SharedGround, TileGround};
use talweg_ground::field::{Cancelled, Grid, MapKind, Terrain};
use tiles::DropletTiles;

talweg_ground::params! {
    /// Lets single droplets of rain run down the slopes. They cut sharp, branching gullies and leave fans of debris at
    /// their feet.
    Droplets "Droplet erosion" in "Erosion", from "Beyer 2015; Lague 2019", also "particle hydraulic rain water gully gullies drops wgen" {
        /// Number of showers of droplets, one after another. More showers cut deeper.
        iterations: u32 = 40, 0..=10_000, slider 1..=150;
        multiscale_params!();
        /// Mean number of droplets per sample in one iteration. More droplets make smoother gullies and take longer to
        /// compute; the depth of erosion stays the same.
        droplets: f32 = 0.02, 0.0005..=2.0, slider 0.005..=0.1;
        /// Longest path of a droplet. Long paths carry the debris farther down to the plain.
        lifetime: f32 ["m"] = 1000.0, 1.0..=100_000.0, slider 100.0..=3000.0;
        /// Radius of the disc of terrain that a droplet erodes. Higher values make soft, broad gullies.
        radius: f32 ["m"] = 25.0, 0.0..=10_000.0, slider 5.0..=200.0;
        /// Rock that the rain of one iteration can carry on a steep slope, as a depth over the area on which the rain
        /// fell.
        sediment_capacity: f32 ["m"] = 1.0, 0.0..=100.0, slider 0.05..=5.0 => |drops| drops.erosion_rate > 0.0;
        /// Fraction of the unused capacity that a droplet fills on a path of a third of the radius. High values cut
        /// even close to the crests.
        erosion_rate: f32 ["share"] = 0.05, 0.0..=1.0, slider 0.005..=0.5;
        /// Fraction of the excess load that is deposited on a path of a third of the radius. Low values spread the
        /// debris far.
        deposition_rate: f32 ["share"] = 0.3, 0.0..=1.0 => |drops| {
            drops.erosion_rate > 0.0 && drops.sediment_capacity > 0.0
        };
        /// Resistance of a droplet to changes of direction. High values make droplets run straight over small bumps.
        inertia: f32 = 0.1, 0.0..=0.99;
        /// Minimum slope used for the carrying capacity. Higher values let droplets carry their load farther over
        /// plains.
        min_slope: f32 ["°"] = 1.0, 0.0..=45.0, slider 0.0..=10.0 => |drops| {
            drops.erosion_rate > 0.0 && drops.sediment_capacity > 0.0
        };
        /// Increase of a droplet's speed on the way downhill. Fast droplets cut deeper at the foot of long slopes.
        gravity: f32 = 4.0, 0.0..=50.0, slider 0.0..=20.0;
        /// Fraction of the water that has evaporated at the end of the path. At 1 a droplet deposits its load little by
        /// little until it is dry.
        evaporation: f32 ["share"] = 0.9, 0.0..=1.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0 => |drops| drops.erosion_rate > 0.0 && drops.sediment_capacity > 0.0;
        presets {
            Light "Light": "First rills on the slopes." { iterations = 10 }
            Natural "Natural": "Branching gullies with fans at their feet." {}
            Strong "Strong": "Deep gullies and sharp spurs between wide plains of debris." { iterations = 60, sediment_capacity = 2.0, deposition_rate = 0.1, min_slope = 3.0 }
            Ravines "Ravines": "Narrow ravines close together, as on bare clay." { radius = 12.0, lifetime = 500.0, sediment_capacity = 1.5 }
            Canyon "Canyon": "Few broad and deep valleys." { iterations = 60, radius = 60.0, lifetime = 2500.0, sediment_capacity = 4.0, erosion_rate = 0.03, inertia = 0.4 }
            Wash "Wash": "Rounds the slopes off and fills the hollows." { radius = 60.0, erosion_rate = 0.5, sediment_capacity = 0.5, evaporation = 0.5 }
            AllScales "All scales": "Forms wide valleys first, then ever finer valleys within them; takes seconds at any resolution." { iterations = 20, largest_scale = LargestScale::Samples129, fine_weight = 0.8, radius = 150.0, lifetime = 4000.0, sediment_capacity = 7.0, erosion_rate = 0.1, inertia = 0.05, evaporation = 0.5 }
        }
    }
}

impl Process for Droplets {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            is_random: true,
            // only from coarse to fine: since version 2 trunk streams keep their places on large grids; since version 3
            // they also get channels
            version: if self.largest_scale == LargestScale::OneGrid { 1 } else { 3 },
            // without records, the peak is at the start, which makes all maps before it knows that nothing reads them
            memory: NodeMemory { saved_without_records: Some(0.0), ..NodeMemory::constant(4.0) },
            finer_grids: FinerGrids { stream_beds: StreamBeds::Incised, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("each droplet runs over terrain that earlier droplets changed")
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
        Box::new(DropletsRun {
            rock: Rock::new(&terrain, self.hardness),
            rain: terrain.map(MapKind::Rain).cloned(),
            params: self.on_level(cx.cell_ratio),
            terrain,
            next: WorkingMemory::default(),
            round: 0,
            mass_balance: MassBalance::default(),
        })
    }
}

impl Droplets {
    /// Returns the parameters for a finer grid of a [multi-scale](crate::multiscale) erosion. Droplets are smaller on a
    /// finer grid: their width, path length and load stay the same in cells.
    fn on_level(&self, level: f32) -> Self {
        Self {
            radius: self.radius / level,
            lifetime: self.lifetime / level,
            sediment_capacity: self.sediment_capacity / level,
            ..self.clone()
        }
    }
}

/// The data maps of this process. Wear and deposits record the net change of each iteration. Flow is the water that
/// passed a cell, measured as the number of cells whose rain adds up to it and summed over the iterations. Sediment is
/// the load that passed in the last iteration.
const WRITTEN: [MapKind; 4] = [MapKind::Wear, MapKind::Deposits, MapKind::Flow, MapKind::Sediment];

/// Number of rows that a thread processes together in [`DropletsRun::store_results`].
const BAND_ROWS: usize = 16;

#[derive(Clone)]
struct DropletsRun {
    params: Droplets,
    rock: Rock,
    rain: Option<Arc<Vec<f32>>>,
    terrain: Terrain,
    next: WorkingMemory<DropletBuffers>,
    /// Number of completed iterations. Each iteration has different random droplets.
    round: u32,
    mass_balance: MassBalance,
}

/// Working memory of a step. Empty until the first step.
#[derive(Default)]
struct DropletBuffers {
    ground: Option<SharedGround>,
    /// Loss and gain of each row.
    rows: Vec<[f64; 2]>,
}

impl ErosionRun for DropletsRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let level =
            if cx.cell_ratio == 1.0 { cx.random } else { cx.random.fork(u64::from(cx.cell_ratio.to_bits()) << 32) };
        let tiles_random = level.fork(u64::from(self.round));
        let has_maps = [MapKind::Flow, MapKind::Sediment].map(|kind| self.terrain.map(kind).is_some());
        let ground =
            self.next.ground.get_or_insert_with(|| SharedGround::new(grid, &cx.land_ends(&self.terrain), has_maps));
        ground.load(cx, &self.terrain.height)?;
        let law = DropletLaw::new(cx, &self.params);
        let tools = DropletBrushes::new(law.radius);
        let (side, reach) = (ground.side, law.reach(&tools));
        let tiles = DropletTiles::new(side, grid, self.params.droplets, reach, tiles_random);
        let (erodibility, rain) = (self.rock.uniform(), self.rain.as_deref());
        let falling = |start: [f32; 2]| {
            let rain = rain.map_or(1.0, |map| rain_at(grid, map, start));
            (rain > 0.0).then_some((start, tiles.area * rain))
        };
        let (mut lost, mut dust) = (0.0f64, 0.0f64);
        for colour in tiles.colours() {
            let before = &*ground;
            let ends = colour.par_chunks(LANES).map(|group| {
                let mut lanes: Vec<_> = group
                    .iter()
                    .map(|tile| {
                        let patch = TileGround::copy_from(before, &self.rock, tiles.spans(tile, side, grid, reach));
                        DropletLane::new(patch, tiles.starts(tile).filter_map(falling))
                    })
                    .collect();
                law.run(cx, before, &tools, erodibility, &mut lanes)?;
                Ok(lanes.into_iter().map(|lane| (lane.patch, [lane.lost, lane.dust])).collect::<Vec<_>>())
            });
            let ends = ends.collect::<Result<Vec<_>, Cancelled>>()?.into_iter().flatten().collect::<Vec<_>>();
            ground.take_over(&ends.iter().map(|(patch, _)| patch).collect::<Vec<_>>());
            for (_, [over, left]) in ends {
                lost += over;
                dust += left;
            }
        }
        // from this line on the step cannot fail
        self.store_results();
        for [eroded, deposited] in &self.next.rows[..grid.distinct_side()] {
            self.mass_balance.eroded += eroded;
            self.mass_balance.deposited += deposited;
        }
        self.mass_balance.lost += lost;
        self.mass_balance.carried += dust;
        self.round += 1;
        Ok(())
    }

    fn drop_records(&mut self, records: &[MapKind]) {
        records.iter().for_each(|&kind| drop(self.terrain.set_map(kind, None)));
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }
}

impl DropletsRun {
    /// Updates heights, maps and mass balance from the shared terrain that the droplets changed. The update works in
    /// place, so that no field exists twice. It takes only a moment, so it cannot be cancelled.
    fn store_results(&mut self) {
        let grid = self.terrain.grid;
        let (n, distinct) = (grid.samples, grid.distinct_side());
        let DropletBuffers { ground, rows } = &mut *self.next;
        let ground = ground.as_ref().expect("the droplets ran on it");
        rows.resize(n, [0.0; 2]);
        let mut maps = WRITTEN.map(|kind| {
            // a map that a snapshot shares stays with the snapshot; a map that no node or export reads does not exist
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
                let of = |field: &[AtomicU32], out: &mut [f32]| {
                    repeat(
                        field[from..from + distinct].iter().map(|cell| f32::from_bits(cell.load(Ordering::Relaxed))),
                        out,
                    );
                };
                let [wear, deposits, flow, sediment] =
                    maps.each_mut().map(|map| map.as_mut().map(|map| &mut map[own.clone()]));
                let height = &mut height[own];
                repeat(ground.height[from..from + distinct].iter().copied(), &mut made);
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

/// Copies the distinct cells of a row to `out`; samples beyond the end of the row repeat its first cells.
fn repeat(cells: impl Iterator<Item = f32> + Clone, out: &mut [f32]) {
    out.iter_mut().zip(cells.clone().chain(cells)).for_each(|(out, cell)| *out = cell);
}

/// Value of the rain map at the sample nearest to a point (x, y in cells).
fn rain_at(grid: Grid, map: &[f32], [x, y]: [f32; 2]) -> f32 {
    let last = grid.samples - 1;
    map[((y + 0.5) as usize).min(last) * grid.samples + ((x + 0.5) as usize).min(last)]
}
