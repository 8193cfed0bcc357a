//! Analytical stream power: mountains at any age in one solve, without computing earlier ages.
//!
//! Law: ∂h/∂t = U - K·(A + A₀)^m·S, the equation of [`stream_power`](super::stream_power) with slope exponent 1. Here h
//! is the height, U the uplift, K the erodibility, A the drainage area, A₀ the `source_area`, m the area exponent and S
//! the slope. A change of the base level travels upstream from the outlet. It arrives at x after the response time τ(x)
//! = ∫ dx/(K·A^m). Let t be the age. Where τ(x) ≤ t, uplift and erosion are in balance: h(x, t) = h(outlet) + ∫ U dτ.
//! Elsewhere h(x, t) = h₀(x₀) + ∫ U dτ from x₀ to x, where τ(x₀) = τ(x) - t. This is the initial terrain h₀, lifted and
//! moved upstream. So an iteration costs the same at every age, and the playhead jumps to any age at once. Erosion only
//! lowers: no height exceeds h₀ + U·t. Depressions of the initial terrain hold water up to their spill points. Their
//! floor rises with the uplift until the outflow has cut down to it. Slopes in steady state are at most as steep as the
//! talus angle, at which landslides erode the terrain as fast as it rises. At these slopes the response time of
//! landslides counts if it is shorter than the response time of the stream. Steeper slopes of the initial terrain are
//! lowered as in `stream_power`, within about [`SLIDE_YEARS`].
//!
//! Scheme: the drainage network ([`network`]) is found first, by a fixed-point iteration that starts on coarse grids.
//! Flow directions determine the drainage areas, the areas determine the heights at the network's age, and these
//! heights determine the directions again. The network is the same at all ages, so the terrain changes smoothly with
//! age. [`characteristics`] follows the stream from each cell down to x₀.
//! Boundary: open edges and the sea stay at their height; if the terrain has neither, its lowest cell does.
//! Limits: eroded rock is lost, nothing else settles and no soil creeps; other layers simulate these processes. For
//! slope exponents other than 1 there is no closed form in t. Where the network of the initial terrain differs from the
//! final network, valleys cut through the hills of the initial terrain from the first year on.
//! Source: Steer 2021, eqs. 9 to 15; Tzathas, Gailleton, Steer & Cordonnier 2024 (fixed point, from coarse to fine).

mod characteristics;
mod landslides;
mod network;

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{self, WorkingMemory, exchange_maps};
use super::rock::Rock;
use super::run::ErosionRun;
use super::stream_power::SLIDE_YEARS;
use super::stream_power::uplift::{UpliftShape, uplift_params};
use crate::multiscale::LargestScale;
use crate::{
    Context, FinerGrids, MassBalance, NodeMemory, NodeParts, OnPlanet, Pace, Process, Run, Traits, VoidBorder,
};
use network::SteadyNetwork;
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::params! {
    /// Makes mountains of any age; ten million years are computed as fast as one year. The terrain rises while streams
    /// erode it, solved in one step on the drainage network. The playhead is the age.
    AnalyticStreamPower "Mountains by age" in "Erosion", from "Steer 2021; Tzathas et al. 2024; Whipple & Tucker 1999", also "analytical stream power steady state uplift age response time chi tectonics fluvial valleys ridges" {
        /// Number of iterations, each of one time step. The age is the number of iterations times the time step. More
        /// iterations make older mountains at no cost.
        iterations: u32 = 100, 0..=10_000, slider 1..=300;
        /// Duration of one iteration. Longer time steps make older mountains.
        time_step: f32 ["years"] = 50_000.0, 1.0..=10_000_000.0, slider 1000.0..=200_000.0;
        /// Age at which the drainage network is in balance with the terrain. Low values keep the valleys of the terrain
        /// below; high values let the uplift form new valleys.
        network_age: f32 ["Ma"] = 10.0, 0.0..=1000.0, slider 0.0..=20.0;
        /// Coarsest grid of the search for the network. Large valleys form first on a coarse grid, and larger grids add
        /// finer valleys to them.
        network_scale: LargestScale = LargestScale::Samples65;
        uplift_params!();
        /// Minimum drainage area of every point. Higher values make broad smooth slopes between few valleys.
        source_area: f32 ["m²"] = 5_000.0, 0.0..=10_000_000.0, slider 0.0..=200_000.0;
        /// Steepest stable slope; landslides lower steeper slopes. At 90 any slope is stable.
        talus_angle: f32 ["°"] = 40.0, 0.0..=90.0, slider 20.0..=60.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Height of the sea: terrain at or below it neither rises nor erodes.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        presets {
            Young "Young uplift": "Gorges cut their way from the edges into terrain that still rises as a whole." { iterations = 20, time_step = 25_000.0, uplift_rate = 1.0, source_area = 5000.0 }
            Balance "In balance": "Erosion equals uplift: a dense network of valleys and sharp crests." { iterations = 200 }
            Range "Range": "A range in balance from west to east." { iterations = 200, uplift_rate = 1.2, uplift_shape = UpliftShape::EastWest, erodibility = 4.0, talus_angle = 36.0 }
            Hills "Hills": "Slow uplift, soft rock, broad slopes." { iterations = 200, uplift_rate = 0.15, erodibility = 4.0, source_area = 60_000.0, talus_angle = 28.0 }
        }
    }
}

/// The data maps of this process.
const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Flow];

impl Process for AnalyticStreamPower {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            is_random: true,
            // On one grid, version 2 sums drainage areas in bands of consecutive cells, and version 3 sums them as
            // whole numbers. From coarse to fine, version 3 keeps the valleys of large grids in place, and version 4
            // sums areas as whole numbers. Version 4 (5 from coarse to fine) limits heights to initial height plus
            // uplift. Since version 5 (6 from coarse to fine) water leaves lakes and flats on the nearest way. Since
            // version 6 (7 from coarse to fine) streams follow the steeper receiver of the divided flow, and summits do
            // not sink.
            version: if self.network_scale == LargestScale::OneGrid { 6 } else { 7 },
            on_planet: Some(OnPlanet { more_fields: 2.5, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(14.5),
            finer_grids: FinerGrids { follows_grid: true, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("the search for its drainage network needs the whole terrain")
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn void_border(&self) -> VoidBorder {
        VoidBorder::Leaving
    }

    fn start_run(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        let base = Arc::new(terrain.clone());
        Box::new(AnalyticStreamPowerRun {
            law: self.clone(),
            base,
            network: None,
            terrain,
            iteration: 0,
            mass_balance: MassBalance::default(),
            scratch: WorkingMemory::default(),
        })
    }
}

/// A run, whose state is the terrain at one age.
#[derive(Clone)]
struct AnalyticStreamPowerRun {
    law: AnalyticStreamPower,
    /// The initial terrain with its data maps.
    base: Arc<Terrain>,
    /// The network, found in the first step; all ages share it.
    network: Option<Arc<SteadyNetwork>>,
    terrain: Terrain,
    iteration: u32,
    mass_balance: MassBalance,
    scratch: WorkingMemory<AnalyticScratch>,
}

/// Working memory of a step; it holds no data between steps.
#[derive(Default)]
struct AnalyticScratch {
    height: Vec<f32>,
    /// The next wear map.
    wear: Vec<f32>,
    /// Working memory of the landslides.
    next: Vec<f32>,
    rows: Vec<[f64; 2]>,
}

impl ErosionRun for AnalyticStreamPowerRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let (law, base) = (&self.law, &*self.base);
        let grid = base.grid;
        let network = match &self.network {
            Some(network) => network.clone(),
            None => self.network.insert(Arc::new(SteadyNetwork::find(law, cx, base)?)).clone(),
        };
        let age = f64::from(law.time_step) * f64::from(self.iteration + 1);
        let AnalyticScratch { height, wear, next, rows } = &mut *self.scratch;
        let outlets = cx.outlets(base, &base.height, law.sea_level / cx.relief_metres);
        let risen = f64::from(law.uplift_rate) * 1.0e-3 * age / f64::from(cx.relief_metres);
        let uplift = |k: usize| match outlets.contain(k, base.height[k]) {
            true => 0.0,
            false => risen * f64::from(network.uplift.relative_uplift(k)),
        };
        let limit = |k: usize| (f64::from(base.height[k]) + uplift(k)) as f32;
        let grounds = [&network.filled_base, &network.steady].map(Vec::as_slice);
        network.characteristics.heights(cx, grounds, limit, age, height)?;
        if law.talus_angle < 89.9 {
            let (slides, rock) = ((age / (age + SLIDE_YEARS)) as f32, Rock::new(base, law.hardness));
            let share = |k: usize| slides * rock.erodibility(k);
            landslides::lower_steep_slopes(cx, network.mesh().metric(), law.talus_angle, share, height, [wear, next])?;
        }
        grid.close(height);

        let before = base.map(MapKind::Wear).expect("made at the start");
        let areas = network.mesh().owned_areas();
        let n = grid.samples;
        wear.resize(grid.len(), 0.0);
        rows.resize(grid.rows(), [0.0; 2]);
        let new = &*height;
        let buffers = (wear.par_chunks_mut(n), &mut *rows);
        buffers.into_par_iter().enumerate().try_for_each(|(i, (wear, sums))| {
            cx.control.check()?;
            *sums = [0.0; 2];
            for (j, wear) in wear.iter_mut().enumerate() {
                let k = i * n + j;
                let up = uplift(k);
                let eroded = f64::from(base.height[k]) + up - f64::from(new[k]);
                *wear = before[k] + if eroded > 0.0 { eroded as f32 } else { 0.0 };
                // without `areas`, all samples of a square have the same area, except that copies have none
                let own = areas.map_or(if j < grid.distinct_side() { 1.0 } else { 0.0 }, |areas| f64::from(areas[k]));
                sums[0] += eroded * own;
                sums[1] += up * own;
            }
            Ok(())
        })?;
        // from this line on the step cannot fail
        grid.close(wear);
        let mut mass_balance = MassBalance::default();
        for [eroded, added] in &rows[..grid.distinct_rows()] {
            mass_balance.eroded += eroded;
            mass_balance.added += added;
        }
        mass_balance.lost = mass_balance.eroded;
        self.mass_balance = mass_balance;
        self.iteration += 1;
        std::mem::swap(&mut self.terrain.height, height);
        exchange_maps(&mut self.terrain, [MapKind::Wear], [wear]);
        self.terrain.set_map(MapKind::Flow, Some(network.area.clone()));
        Ok(())
    }

    fn jump(&mut self, iterations: u32) -> bool {
        self.iteration = iterations;
        true
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }
}
