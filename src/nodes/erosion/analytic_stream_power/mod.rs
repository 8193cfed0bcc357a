//! Analytical stream power: mountains at any age in one solve, without the ages before.
//!
//! Law: ∂h/∂t = U - K·(A + A₀)^m·S, the law of [`stream_power`](super::stream_power) with slope exponent 1. Along a
//! stream upward from its outlet a change of the base level arrives after the response time τ(x) = ∫ dx/(K·A^m), and
//! with t the age
//! h(x, t) = h(outlet) + ∫ U dτ where τ(x) ≤ t (the balance of uplift and wear), and else
//! h(x, t) = h₀(x₀) + ∫ U dτ from x₀ to x, where τ(x₀) = τ(x) - t: the first ground, lifted and carried upstream.
//! So an iteration costs the same at every age, and the playhead goes to any of them at once.
//! Depressions of the first ground along the streams do not travel; they fill up with the rubble of the slopes, half of
//! each in 10 000 years.
//! Slopes at rest end at the talus angle, where landslides wear the ground as fast as it rises; the response time there
//! is the shorter one. What the first ground has that is steeper comes down as in `stream_power`, within about
//! [`SLIDE_YEARS`].
//!
//! Scheme: the drainage network ([`network`]) is found first, as a fixed point: from the flow directions areas, from
//! those the heights at the network's age, from these the directions again, on coarse grids first. The network is the
//! same at all ages, so that the ground changes smoothly with them. [`characteristics`] goes from each place down the
//! stream to x₀.
//! Boundary: open edges, the sea and on ground that has neither its lowest cell stay at their height.
//! Limits: what is worn is lost, nothing else settles and no soil creeps; other layers do that. For slope exponents
//! other than 1 there is no closed form in t. Where the network of the first ground differs from the final one, valleys
//! cut through its hills from the first year on.
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
use crate::{Context, MassBalance, NodeParts, Pace, Process, Run, Traits};
use network::SteadyNetwork;
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::Outlets;

talweg_ground::params! {
    /// Mountains at any age, as fast at ten million years as at one: the ground rises while streams cut it, solved in
    /// one step on the drainage network. The playhead is the age.
    AnalyticStreamPower "Mountains by age" in "Erosion", from "Steer 2021; Tzathas et al. 2024; Whipple & Tucker 1999", also "analytical stream power steady state uplift age response time chi tectonics fluvial valleys ridges" {
        /// Iterations of one time step each: the age is their product. More make older mountains at no cost.
        iterations: u32 = 100, 0..=10_000, slider 1..=300;
        /// Time that passes in one iteration.
        time_step: f32 ["years"] = 50_000.0, 1.0..=10_000_000.0, slider 1000.0..=200_000.0;
        /// Age at which the drainage network is in balance with the ground. Small keeps the valleys that the ground
        /// has; large finds those that the uplift makes.
        network_age: f32 ["Ma"] = 10.0, 0.0..=1000.0, slider 0.0..=20.0;
        /// Where the search for the network begins. On a coarse grid large valleys come first, and a larger size adds
        /// finer ones to them.
        network_scale: LargestScale = LargestScale::Samples65;
        uplift_params!();
        /// Area that every place drains at least. Large makes broad smooth slopes between few valleys.
        source_area: f32 ["m²"] = 5_000.0, 0.0..=10_000_000.0, slider 0.0..=200_000.0;
        /// Steepest slope that stands; landslides bring down what is steeper. 90 lets anything stand.
        talus_angle: f32 ["°"] = 40.0, 0.0..=90.0, slider 20.0..=60.0;
        /// Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map,
        /// the harder of the two counts.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Height of the sea: ground at or below it neither rises nor wears.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        presets {
            Young "Young uplift": "Gorges work their way up from the edges into ground that still rises as a whole." { iterations = 20, time_step = 25_000.0, uplift_rate = 1.0, source_area = 5000.0 }
            Balance "In balance": "As much is worn as rises: a dense net of valleys and sharp crests." { iterations = 200 }
            Range "Range": "A range in balance from west to east." { iterations = 200, uplift_rate = 1.2, uplift_shape = UpliftShape::EastWest, erodibility = 4.0, talus_angle = 36.0 }
            Hills "Hills": "Slow uplift, soft rock, broad slopes." { iterations = 200, uplift_rate = 0.15, erodibility = 4.0, source_area = 60_000.0, talus_angle = 28.0 }
        }
    }
}

/// The data maps of this process.
const WRITTEN: [MapKind; 3] = [MapKind::Wear, MapKind::Deposits, MapKind::Flow];

impl Process for AnalyticStreamPower {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            on_globe: true,
            is_random: true,
            // 2: what comes together is added band by band, 3: and as whole numbers; from coarse to fine 3: valleys of
            // large grids stay where they are, 4: areas are whole numbers
            version: if self.network_scale == LargestScale::OneGrid { 3 } else { 4 },
            working_fields: 14.5,
            more_on_planets: 2.5,
            follows_grid: true,
            parts: NodeParts::Whole("its network is looked for in rounds over all of the ground"),
            ..Traits::PROCESS
        }
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn start(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
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

/// Mountains at an age.
#[derive(Clone)]
struct AnalyticStreamPowerRun {
    law: AnalyticStreamPower,
    /// The first ground, with the maps that it came with.
    base: Arc<Terrain>,
    /// Found in the first step; all ages share it.
    network: Option<Arc<SteadyNetwork>>,
    terrain: Terrain,
    iteration: u32,
    mass_balance: MassBalance,
    scratch: WorkingMemory<AnalyticScratch>,
}

/// What a step works with; nothing in it outlives the step.
#[derive(Default)]
struct AnalyticScratch {
    height: Vec<f32>,
    /// The next state of the maps of wear and deposits.
    maps: [Vec<f32>; 2],
    rows: Vec<[f64; 3]>,
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
        let AnalyticScratch { height, maps, rows } = &mut *self.scratch;
        let grounds = [&base.height, &network.filled_base, &network.steady].map(Vec::as_slice);
        network.characteristics.heights(cx, grounds, age, height)?;
        if law.talus_angle < 89.9 {
            let (slides, rock) = ((age / (age + SLIDE_YEARS)) as f32, Rock::new(base, law.hardness));
            let share = |k: usize| slides * rock.erodibility(k);
            landslides::bring_down(cx, network.mesh().metric(), law.talus_angle, share, height, maps)?;
        }
        grid.close(height);

        let outlets = Outlets::new(grid, &base.height, law.sea_level / cx.relief_metres);
        let risen = f64::from(law.uplift_rate) * 1.0e-3 * age / f64::from(cx.relief_metres);
        let before =
            [MapKind::Wear, MapKind::Deposits].map(|kind| base.map(kind).expect("made at the start").as_slice());
        let areas = network.mesh().owned_areas();
        let n = grid.samples;
        maps.iter_mut().for_each(|map| map.resize(grid.len(), 0.0));
        rows.resize(grid.rows(), [0.0; 3]);
        let [wear, deposits] = maps;
        let buffers = (wear.par_chunks_mut(n), deposits.par_chunks_mut(n), &mut *rows);
        let (old, new) = (&base.height, &*height);
        buffers.into_par_iter().enumerate().try_for_each(|(i, (wear, deposits, sums))| {
            cx.control.check()?;
            *sums = [0.0; 3];
            for j in 0..n {
                let k = i * n + j;
                let rises = !outlets.contain(k, old[k]);
                let up = if rises { risen * f64::from(network.uplift.share(k)) } else { 0.0 };
                let fall = f64::from(old[k]) + up - f64::from(new[k]);
                let (lost, won) = if fall > 0.0 { (fall, 0.0) } else { (0.0, -fall) };
                wear[j] = before[0][k] + lost as f32;
                deposits[j] = before[1][k] + won as f32;
                // without areas the samples of a square that are no copies count alike
                let own = areas.map_or(if j < grid.distinct() { 1.0 } else { 0.0 }, |areas| f64::from(areas[k]));
                sums[0] += lost * own;
                sums[1] += won * own;
                sums[2] += up * own;
            }
            Ok(())
        })?;
        // from here on the step cannot fail
        maps.iter_mut().for_each(|map| grid.close(map));
        let mut mass_balance = MassBalance::default();
        for [eroded, deposited, added] in &rows[..grid.distinct_rows()] {
            mass_balance.eroded += eroded;
            mass_balance.deposited += deposited;
            mass_balance.added += added;
        }
        mass_balance.lost = mass_balance.eroded - mass_balance.deposited;
        self.mass_balance = mass_balance;
        self.iteration += 1;
        std::mem::swap(&mut self.terrain.height, height);
        exchange_maps(&mut self.terrain, [MapKind::Wear, MapKind::Deposits], maps);
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

    fn into_terrain(self) -> Terrain {
        self.terrain
    }
}
