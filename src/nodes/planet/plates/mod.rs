//! Plate tectonics: plates that move over the sphere for some hundred million years.
//!
//! Law, after Cortial et al. 2019: plates are rigid and rotate about their poles. Crust is continental or oceanic, and
//! has an age, a height and the time since its last orogeny. Each step of 2 Ma moves the plates (`motion.rs`): ocean
//! floor subducts, and plates grow at the ridges. Plate boundaries (`fronts.rs`) raise arcs and ranges and deepen
//! trenches. The crust rises, erodes and sinks, and hot spots build island chains (`relief.rs`). Continents collide and
//! large plates break apart (`events.rs`). Ocean floor is at -2.5 km - 0.35 km · √(age in Ma), down to -6 km (Parsons &
//! Sclater 1977), plus any relief built on top. Continents erode in proportion to their height.
//!
//! Scheme: each plate has cells (`cells.rs`) in its own frame, which rotates with the plate. Crust therefore moves
//! exactly, up to rounding, and is never resampled while it stays on its plate. `detail` sets the number of cells,
//! independent of the scene's resolution. The terrain is sampled from the plates after each step. Lengths and speeds
//! are given for the Earth, and scale with the radius of the planet; heights do not scale.
//! Conservation: the area of continental crust is conserved, with four exceptions: arcs that rise above the sea, ocean
//! floor enclosed by land, overlaps in collisions, and plates of a few cells that are removed. `CrustLedger` records
//! these exceptions. Differences from the paper: the paper rebuilds a single Delaunay mesh every few steps, its crust
//! has a direction of folds, and its collisions act at once.
//! Source: Cortial, Peytavie, Galin & Guérin 2019, *Procedural Tectonic Planets*; Parsons & Sclater 1977.

mod cells;
mod crust;
mod events;
mod fronts;
mod motion;
mod relief;
mod start;
mod surface;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use cells::{PlateAttitude, SphereCells, Vector};
use crust::{EARTH_KM, PlateState, PlateTables};
use surface::CrustSurface;

use crate::erosion::buffers::{self, NextState, WorkingMemory, exchange_maps};
use crate::erosion::run::ErosionRun;
use crate::{Context, MassBalance, NodeMemory, NodeParts, OnPlanet, Pace, Process, Run, Traits};
use talweg_ground::field::{Cancelled, Globe, MapKind, Terrain};

talweg_ground::params! {
    /// Moves plates for some hundred million years: oceans open and close, mountain ranges and island arcs rise where
    /// plates meet, continents collide and break apart.
    Plates "Plates" in "Planet", from "Cortial, Peytavie, Galin & Guérin 2019", also "tectonics tectonic continents drift subduction trench island arc ridge rift hot spot collision ocean floor age pangaea" {
        /// Number of steps of two million years each. A hundred steps open one ocean and close another.
        iterations: u32 = 100, 0..=2000, slider 1..=250;
        /// Initial number of plates. Rifts add plates, and subduction removes small plates.
        plates: u32 = 16, 2..=48, slider 4..=40;
        /// Speed of fast plates. Earth's plates move at 20 to 100 mm a year.
        speed: f32 ["mm/year"] = 60.0, 0.0..=200.0, slider 10.0..=120.0;
        /// Initial fraction of the planet that continents cover. It is only used if the input terrain is all land or
        /// all sea; otherwise the land and shelves of the input terrain become the continents.
        land: f32 ["share"] = 0.33, 0.0..=1.0;
        /// Uplift rate where fast plates subduct. At 0 no coastal ranges and island arcs form.
        subduction_uplift: f32 ["mm/year"] = 0.6, 0.0..=5.0, slider 0.0..=2.0;
        /// Uplift from the collision of two large continents. Small continents cause less uplift.
        collision_metres: f32 ["m"] = 3000.0, 0.0..=10_000.0, slider 0.0..=6000.0;
        /// Number of plates that would break apart in a hundred million years if large plates covered the whole planet.
        rifting: f32 ["per 100 Ma"] = 6.0, 0.0..=100.0, slider 0.0..=20.0;
        /// Number of hot spots. They stay in place and build chains of volcanoes on the passing plates.
        hot_spots: u32 = 14, 0..=200, slider 0..=60;
        /// Erosion rate at a height of 10 km. Lower land erodes more slowly, in proportion to its height.
        erosion: f32 ["mm/year"] = 0.08, 0.0..=2.0, slider 0.0..=0.4;
        /// Rate at which relief 4 km above the ocean floor sinks. Inactive trenches fill seven times as fast.
        ocean_dampening: f32 ["mm/year"] = 0.04, 0.0..=2.0, slider 0.0..=0.2;
        /// Number of cells of the plates along a quarter of the circumference, independent of the resolution. Twice as
        /// many cells take four times as long.
        detail: u32 = 128, 16..=256, slider 48..=192;
        presets {
            Earth "Earth": "Two hundred million years of Earth-like plates." {}
            Breakup "Breaking up": "Few large plates that break apart repeatedly." { plates = 6, rifting = 25.0 }
            Archipelago "Island arcs": "Many plates with little land, island arcs and hot spots." { plates = 32, land = 0.15, hot_spots = 40, subduction_uplift = 1.2 }
            Mountains "Collisions": "Much land on fast plates." { land = 0.5, speed = 90.0, collision_metres = 4500.0 }
        }
    }
}

/// Duration of a step in Ma.
const STEP_MA: f32 = 2.0;
/// The data maps that this process writes, in the order of [`NextState::maps`].
const WRITTEN: [MapKind; 2] = [MapKind::CrustAge, MapKind::Uplift];
/// Keys of the layer's random streams.
const ISLANDS: u64 = 0x6973_6c65;
const RIFTS: u64 = 0x7269_6674;
const PULSES: u64 = 0x7075_6c73;

impl Process for Plates {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            runs_on_square: false,
            is_random: true,
            reads_sea_level: true,
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory {
                fixed_bytes: 6 * u64::from(self.detail * self.detail) * (120 + 11 * u64::from(self.plates) / 2),
                ..NodeMemory::constant(2.2)
            },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::PLANET
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn start_run(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        Box::new(PlatesRun {
            law: self.clone(),
            areas: Arc::new(Globe::new(cx.grid.samples).areas()),
            planet: None,
            state: None,
            tables: WorkingMemory::default(),
            next: WorkingMemory::default(),
            terrain,
            mass_balance: MassBalance::default(),
        })
    }
}

/// Data of the planet that stay constant during a run.
#[derive(Debug)]
struct PlatePlanet {
    cells: SphereCells,
    spots: Vec<Vector>,
    islands: Vec<f32>,
}

impl PlatePlanet {
    fn new(law: &Plates, cx: &Context) -> Result<Self, Cancelled> {
        let cells = SphereCells::new(law.detail as usize, cx.control)?;
        let islands = fronts::island_noise(&cells, cx.random.fork(ISLANDS), cx.control)?;
        Ok(Self { cells, spots: start::spots(law, cx.random), islands })
    }

    /// Advances all plates by one step.
    fn step(
        &self,
        law: &Plates,
        state: &mut PlateState,
        tables: &mut PlateTables,
        cx: &Context,
    ) -> Result<(), Cancelled> {
        let (cells, control) = (&self.cells, cx.control);
        events::drop_small(cells, state, tables);
        let fast = f64::from(law.speed) / EARTH_KM;
        events::break_apart(cells, state, tables, (law.rifting, fast), cx.random.fork(RIFTS));
        for plate in &mut state.plates {
            let turn = PlateAttitude::turn(plate.spin.map(|x| x * f64::from(STEP_MA)));
            plate.attitude = plate.attitude.followed(turn);
        }
        tables.move_to(cells, &state.plates, control)?;
        relief::grow_older(state);
        let found = motion::overlaps(cells, state, tables, control)?;
        if events::collide(cells, state, tables, &found, (law.collision_metres * 0.001, &self.islands)) {
            tables.move_to(cells, &state.plates, control)?;
        }
        motion::subduct(cells, state, tables, &found);
        motion::grow(cells, state, tables, control)?;
        fronts::raise_fronts(cells, state, tables, law.subduction_uplift, &self.islands, control)?;
        relief::change_relief(law, cells, state, tables, control)?;
        relief::lift_hot_spots(cells, state, tables, &self.spots, cx.random.fork(PULSES));
        state.steps += 1;
        Ok(())
    }
}

/// A running plate simulation.
#[derive(Clone)]
struct PlatesRun {
    law: Plates,
    /// Areas of the samples of one cube face.
    areas: Arc<Vec<f32>>,
    /// The constant data of the planet. Like the state, it is `None` before the first step.
    planet: Option<Arc<PlatePlanet>>,
    state: Option<PlateState>,
    /// Tables that belong to the state; `None` if the tables have to be rebuilt.
    tables: WorkingMemory<Option<PlateTables>>,
    next: WorkingMemory<NextState<2>>,
    terrain: Terrain,
    mass_balance: MassBalance,
}

impl ErosionRun for PlatesRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        cx.control.check()?;
        if !self.terrain.grid.is_globe() {
            return Ok(()); // On squares, evaluation skips the layer.
        }
        let planet = match &self.planet {
            Some(planet) => planet.clone(),
            None => Arc::new(PlatePlanet::new(&self.law, cx)?),
        };
        self.planet = Some(planet.clone());
        let cells = &planet.cells;
        let mut state = match &self.state {
            Some(state) => state.clone(),
            None => start::first_state(&self.law, cells, &self.terrain, cx)?,
        };
        let mut tables = match self.tables.take() {
            Some(tables) => tables,
            None => PlateTables::new(cells, &state.plates, cx.control)?,
        };
        planet.step(&self.law, &mut state, &mut tables, cx)?;
        self.next.fit(&self.terrain);
        let surface = CrustSurface::new(cells, &state, &tables);
        surface::write(&surface, (cx, &self.areas), &self.terrain.height, &mut self.next)?;
        // After this line the step cannot fail.
        let NextState { height, maps, accounts } = &mut *self.next;
        for [lost, gained, _] in accounts {
            self.mass_balance.eroded += *lost;
            self.mass_balance.lost += *lost;
            self.mass_balance.added += *gained;
        }
        std::mem::swap(&mut self.terrain.height, height);
        exchange_maps(&mut self.terrain, WRITTEN, maps);
        (self.state, *self.tables) = (Some(state), Some(tables));
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }

    fn own_bytes(&self) -> usize {
        self.state.as_ref().map_or(0, PlateState::bytes)
    }
}
