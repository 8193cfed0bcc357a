//! Plates that move over the sphere for some hundred million years.
//!
//! Law, after Cortial et al. 2019: plates are rigid and turn about their poles; crust is continental or oceanic, has an
//! age, a height, and the time since mountains rose on it. Each step of 2 Ma: plates move (`motion.rs`), ocean floor
//! goes under, plates grow at the ridges; fronts (`fronts.rs`) raise arcs and ranges and pull trenches down; ground
//! rises, wears and sinks (`relief.rs`), hot spots build chains; continents collide and large plates break apart
//! (`events.rs`).
//! Ocean floor lies at -2.5 km - 0.35 km · √(age in Ma), down to -6 km (Parsons & Sclater 1977), and what rose over it
//! beyond that. Continents wear by their height.
//!
//! Scheme: each plate has cells (`cells.rs`) of its own frame, which turn with it, so that crust is moved to rounding
//! and never resampled while it stays on its plate; `detail` counts cells, whatever the resolution of the scene. The
//! ground is read from the plates after each step. Lengths and speeds are the Earth's, and scale with the radius of the
//! planet; heights are true.
//! What is kept: the area of continental crust, but for arcs that rise above the sea and floor that land encloses, what
//! collisions push onto each other, and plates of a few cells that are given up; `CrustLedger` counts them.
//! From this the paper differs: it has one Delaunay mesh that is made anew every few steps; its crust has a direction
//! of folds; its collisions act at once.
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

use crate::erosion::buffers::{self, Next, WorkingMemory, exchange_maps};
use crate::erosion::run::ErosionRun;
use crate::{Context, MassBalance, NodeParts, Pace, Process, Run, Traits};
use talweg_ground::field::{Cancelled, Globe, MapKind, Terrain};

talweg_ground::params! {
    /// Moves plates for some hundred million years: oceans open and close, ranges and island arcs rise where plates
    /// meet, continents collide and break apart.
    Plates "Plates" in "Planet", from "Cortial, Peytavie, Galin & Guérin 2019", also "tectonics tectonic continents drift subduction trench island arc ridge rift hot spot collision ocean floor age pangaea" {
        /// Steps of two million years each. A hundred open an ocean and close another.
        iterations: u32 = 100, 0..=2000, slider 1..=250;
        /// Number of plates at the beginning. Rifts add some, and small ones go under.
        plates: u32 = 16, 2..=48, slider 4..=40;
        /// Speed of fast plates. Earth's go 20 to 100 mm a year.
        speed: f32 ["mm/year"] = 60.0, 0.0..=200.0, slider 10.0..=120.0;
        /// Share of the planet that continents cover at the beginning. It counts only where the ground below has no
        /// coast: all land or all sea. Otherwise land and shelves there are the continents.
        land: f32 ["share"] = 0.33, 0.0..=1.0;
        /// How fast ground rises where fast plates go under others. 0 leaves no ranges along coasts and no island arcs.
        subduction_uplift: f32 ["mm/year"] = 0.6, 0.0..=5.0, slider 0.0..=2.0;
        /// How high the collision of two large continents raises the ground. Small lands raise less.
        collision_metres: f32 ["m"] = 3000.0, 0.0..=10_000.0, slider 0.0..=6000.0;
        /// How many plates break apart in a hundred million years, if all the planet were large plates.
        rifting: f32 ["per 100 Ma"] = 6.0, 0.0..=100.0, slider 0.0..=20.0;
        /// Number of hot spots. They stay where they are and build chains of volcanoes on the plates that pass.
        hot_spots: u32 = 14, 0..=200, slider 0..=60;
        /// How fast ground 10 km high wears; lower ground wears in proportion.
        erosion: f32 ["mm/year"] = 0.08, 0.0..=2.0, slider 0.0..=0.4;
        /// How fast what stands 4 km over the ocean floor sinks. Trenches that are no more fill seven times as fast.
        ocean_dampening: f32 ["mm/year"] = 0.04, 0.0..=2.0, slider 0.0..=0.2;
        /// Cells of the plates along a quarter of the way around, whatever the resolution. Twice as many take four
        /// times as long.
        detail: u32 = 128, 16..=256, slider 48..=192;
        presets {
            Earth "Earth": "Two hundred million years of plates like ours." {}
            Breakup "Breaking up": "Few large plates that break apart again and again." { plates = 6, rifting = 25.0 }
            Archipelago "Island arcs": "Little land among many plates, with arcs and hot spots." { plates = 32, land = 0.15, hot_spots = 40, subduction_uplift = 1.2 }
            Mountains "Collisions": "Much land on fast plates." { land = 0.5, speed = 90.0, collision_metres = 4500.0 }
        }
    }
}

/// Time of a step in Ma.
const STEP_MA: f32 = 2.0;
/// The data maps of this process, in the order of [`Next::maps`].
const WRITTEN: [MapKind; 2] = [MapKind::CrustAge, MapKind::Uplift];
/// Streams of the layer.
const ISLANDS: u64 = 0x6973_6c65;
const RIFTS: u64 = 0x7269_6674;
const PULSES: u64 = 0x7075_6c73;

impl Process for Plates {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            on_square: false,
            on_globe: true,
            is_random: true,
            reads_sea_level: true,
            working_fields: 2.2,
            fixed_bytes: 6 * u64::from(self.detail * self.detail) * (120 + 11 * u64::from(self.plates) / 2),
            parts: NodeParts::PLANET,
            ..Traits::PROCESS
        }
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn start(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
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

/// What stays the same for all of a run.
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

    /// One step of all plates.
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
        relief::wear(law, cells, state, tables, control)?;
        relief::lift_hot_spots(cells, state, tables, &self.spots, cx.random.fork(PULSES));
        state.steps += 1;
        Ok(())
    }
}

/// Plates under way.
#[derive(Clone)]
struct PlatesRun {
    law: Plates,
    /// Of the samples of a face.
    areas: Arc<Vec<f32>>,
    /// None before the first step, as the state.
    planet: Option<Arc<PlatePlanet>>,
    state: Option<PlateState>,
    /// Those of the state, or none.
    tables: WorkingMemory<Option<PlateTables>>,
    next: WorkingMemory<Next<2>>,
    terrain: Terrain,
    mass_balance: MassBalance,
}

impl ErosionRun for PlatesRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        cx.control.check()?;
        if !self.terrain.grid.is_globe() {
            return Ok(()); // evaluation leaves it out there
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
        // from here on the step cannot fail
        let Next { height, maps, accounts } = &mut *self.next;
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

    fn into_terrain(self) -> Terrain {
        self.terrain
    }

    fn own_bytes(&self) -> usize {
        self.state.as_ref().map_or(0, PlateState::bytes)
    }
}
