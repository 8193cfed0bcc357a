//! Stream power: mountains that rise while rivers cut them.
//!
//! Law: ∂h/∂t = U - K·(A + A₀)^m·S^n + D∇²h + G·q/A, with h the height, U the uplift, A the drainage area weighted by
//! the rain, and A₀ the source area. S is the slope, m the area exponent, n the slope exponent, D the diffusivity and G
//! the `deposition`. K is given as the `erodibility` E at 1 km² on a slope of 1: K = E / (10⁶ m²)^m. The source area A₀
//! lets slopes without a channel erode at the rate of a small channel, the same at any resolution. q is the flux of
//! eroded rock: the fraction G/A of q settles (Yuan et al. 2019), and lakes catch the rock that reaches them. In steady
//! state S = ((1 + G)·U / K)^(1/n) · A^(-m/n).
//! Landslides: landslides lower slopes steeper than the talus angle within about [`SLIDE_YEARS`]; the rock is washed
//! away.
//!
//! Scheme: one step is uplift, routing, erosion, settling, diffusion. Routing
//! ([`hydrology`](talweg_ground::hydrology)): the steepest facet determines direction and slope (Tarboton's D∞), so
//! that the erosion prefers no direction of the grid. Depressions drain over their spill points, where rivers cut down
//! until the lake is gone. The still water of a lake does not erode its floor. Erosion ([`law`]) is implicit, from the
//! outlets up: each cell uses the new heights of its two receivers and is never cut below them. It is stable for any
//! time step.
//! Settling: computed down the streams, exact in volume. Diffusion: explicit up to a Courant number of ¼, beyond that
//! by the Gaussian that solves the diffusion equation; on a globe between neighbours with the conductances of
//! [`Links`]. Distances and areas are the actual distances and areas, on squares and on globes ([`FlowMesh`]).
//! From coarse to fine: time and areas are the same on every grid, and each iteration lasts one time step. With a
//! `fine_weight` of ½ the coarsest grid has half of the total time. Valleys of a coarse grid follow its rows and
//! diagonals, so they are bent by up to a cell on the way to the next grid. On planets no land is eroded below the sea
//! level; on a square a shore erodes down to the sea floor. Land that a coarse grid eroded down to the sea level would
//! drown wherever the finer terrain is lower than the coarse terrain. So on coarsest grids whose cells are wider than
//! many plains, land is kept above the sea on the way to the next grid.
//! Boundary: open edges and the sea stay at their height; if the terrain has neither, its lowest cell does. Rock that
//! reaches these outlets is lost. Visible traces of the grid: a channel is a chain of cells, and its steps are
//! multiples of 45°. Where water runs in a sheet, the strip of this sheet that crosses a cell is cos α wide, with α the
//! angle between slope and row or column. So without a source area smooth slopes erode up to 16 % less along diagonals
//! (m = ½). At equal drainage areas the erosion of a cone is the same within 2 % in all directions.
//! Source: Whipple & Tucker 1999 (the equation); Braun & Willett 2013 (implicit, in O(n)); Yuan et al. 2019 (settling).

pub mod law;
pub mod power_root;
pub mod tiles;
pub mod uplift;

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{self, WorkingMemory, exchange_maps};
use super::rock::Rock;
use super::run::ErosionRun;
use crate::filters::gauss;
use crate::multiscale::{LargestScale, StreamBeds, multiscale_params};
use crate::{
    Context, FinerGrids, MassBalance, MultiScale, NodeAreas, NodeDrainage, NodeMemory, NodeParts, OnPlanet, Pace,
    Process, Run, Traits, VoidBorder,
};
use law::{Bed, StepLaw, loss_and_gain};
use talweg_ground::field::metric::Links;
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{Basins, DInfinity, DrainedArea, FlowGraph, FlowMesh, FlowRouting};
use uplift::{Uplift, uplift_params};

talweg_ground::params! {
    /// Raises the terrain while streams cut it, over hundreds of thousands of years. Branching valleys and sharp
    /// divides form, and mountain ranges grow.
    StreamPower "Uplift and stream power" in "Erosion", from "Braun & Willett 2013; Whipple & Tucker 1999; Yuan et al. 2019", also "mountain building erosion stream power uplift tectonics fluvial landscape evolution rivers valleys ridges orogeny incision" {
        /// Number of iterations, each of one time step. More iterations make the mountain range older.
        iterations: u32 = 40, 0..=10_000, slider 1..=300;
        multiscale_params!();
        /// Duration of one iteration. Longer time steps make the mountain range older.
        time_step: f32 ["years"] = 2000.0, 1.0..=1_000_000.0, slider 100.0..=20_000.0;
        uplift_params!();
        /// Exponent of the slope in the erosion: how strongly steepness increases it. Above 1, steps in a river erode
        /// away quickly.
        slope_exponent: f32 = 1.0, 0.25..=4.0, slider 0.5..=2.0 => |streams| streams.erodibility > 0.0;
        /// Minimum drainage area of every point. Higher values make broad smooth slopes between few valleys.
        source_area: f32 ["m²"] = 20_000.0, 0.0..=10_000_000.0, slider 0.0..=200_000.0 => |streams| {
            streams.erodibility > 0.0 && streams.area_exponent > 0.0
        };
        /// Tendency of the eroded rock to settle. At 0 rivers carry all the rock away; at 1 they build fans and fill
        /// basins.
        deposition: f32 = 0.0, 0.0..=10.0, slider 0.0..=2.0;
        /// Speed of the soil creep. Higher values round the crests more.
        diffusivity: f32 ["m²/year"] = 0.01, 0.0..=100.0, slider 0.0..=0.2;
        /// Steepest stable slope; landslides lower steeper slopes. At 90 any slope is stable.
        talus_angle: f32 ["°"] = 45.0, 0.0..=90.0, slider 20.0..=60.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Height of the sea: terrain at or below it neither rises nor erodes.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        presets {
            Light "Light": "Draws a first network of valleys on the terrain below." { iterations = 12, uplift_rate = 0.2, erodibility = 4.0, source_area = 5000.0, diffusivity = 0.002, talus_angle = 42.0 }
            Natural "Natural": "Ridges and valleys that hardly move any more." { iterations = 60, erodibility = 4.0, source_area = 5000.0, diffusivity = 0.004, talus_angle = 42.0 }
            Strong "Strong": "Deep valleys between eroded mountains." { iterations = 120, erodibility = 8.0, source_area = 6000.0, diffusivity = 0.008, talus_angle = 32.0 }
            YoungRange "Young range": "Fast uplift: steep flanks, narrow gorges and high crests." { iterations = 100, uplift_rate = 1.6, erodibility = 5.0, source_area = 5000.0, diffusivity = 0.006, talus_angle = 38.0 }
            OldRange "Old range": "The uplift is over: wide valleys, round crests." { iterations = 120, time_step = 4000.0, uplift_rate = 0.05, erodibility = 4.0, source_area = 15_000.0, diffusivity = 0.006, talus_angle = 30.0 }
            Canyons "Plateau canyons": "Gorges cut their way back into a high plain." { iterations = 80, uplift_rate = 1.0, erodibility = 4.0, slope_exponent = 1.5, source_area = 2000.0, talus_angle = 60.0, diffusivity = 0.0 }
            Hills "Hills": "Soft, rounded hills and gentle hollows." { iterations = 60, time_step = 2500.0, uplift_rate = 0.1, erodibility = 4.0, source_area = 60_000.0, diffusivity = 0.008, talus_angle = 30.0 }
            AllScales "All scales": "Forms the network of large valleys first, then ever finer ones; takes seconds at any resolution." { iterations = 60, largest_scale = LargestScale::Samples129, fine_weight = 0.5, erodibility = 4.0, source_area = 5000.0, diffusivity = 0.004, talus_angle = 42.0 }
        }
    }
}

/// Time in which landslides remove most of the excess slope.
pub const SLIDE_YEARS: f64 = 10_000.0;

/// The data maps of this process.
const WRITTEN: [MapKind; 3] = [MapKind::Wear, MapKind::Deposits, MapKind::Flow];

impl Process for StreamPower {
    fn traits(&self) -> Traits {
        // On one grid: since version 2 ranges fade towards open edges, and erosion with a slope exponent other than ½,
        // 1 and 2 reads its roots from a table. Since version 3 drainage areas are added in bands of consecutive cells,
        // since version 4 as whole numbers. From coarse to fine: since version 4 valleys keep their places on large
        // grids, since version 5 also trunk streams. Since version 6 areas are whole numbers. On planets: since version
        // 1 water is divided between two neighbours, as on squares. Since version 3 rivers run down to the sea level,
        // and land stays land on the next grid. The last version of each routes water out of lakes and flats on the
        // nearest way.
        Traits {
            writes: &WRITTEN,
            is_random: self.uplift_rate > 0.0 && self.uplift_variation > 0.0,
            version: if self.largest_scale == LargestScale::OneGrid { 5 } else { 7 },
            on_planet: Some(OnPlanet {
                version: 3,
                keep_land_above: Some(self.sea_level),
                more_fields: 4.3,
                ..OnPlanet::DEFAULT
            }),
            memory: NodeMemory {
                extra_when_kept: 3.0,
                saved_without_records: Some(if self.deposition > 0.0 { 0.0 } else { 0.7 }),
                ..NodeMemory::constant(if self.deposition > 0.0 { 9.9 } else { 7.1 })
            },
            finer_grids: FinerGrids {
                stream_beds: StreamBeds::WithoutNewDetail,
                follows_grid: true,
                ..FinerGrids::DEFAULT
            },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match tiles::is_tiled(self) {
            true => {
                let areas = NodeAreas::Divided;
                NodeParts::StreamPower(NodeDrainage { sea_metres: self.sea_level, is_drawn: false, areas }, self)
            }
            false => NodeParts::WholeTerrain("its settling sediment must follow all streams in order"),
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

    fn void_border(&self) -> VoidBorder {
        VoidBorder::Outlets
    }

    fn start_run(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        let grid = terrain.grid;
        Box::new(StreamPowerRun {
            law: self.clone(),
            rock: Rock::new(&terrain, self.hardness),
            rain: terrain.map(MapKind::Rain).cloned(),
            mesh: Arc::new(FlowMesh::new(grid)),
            conductances: grid.shape().map(|globe| Arc::new(Links::conductances(&globe))),
            uplift: None,
            terrain,
            scratch: WorkingMemory::default(),
            mass_balance: MassBalance::default(),
        })
    }
}

#[derive(Clone)]
struct StreamPowerRun {
    law: StreamPower,
    rock: Rock,
    rain: Option<Arc<Vec<f32>>>,
    mesh: Arc<FlowMesh>,
    /// Conductances of a globe; `None` on a square.
    conductances: Option<Arc<Links>>,
    /// The uplift of every sample, computed in the first step.
    uplift: Option<Arc<Uplift>>,
    terrain: Terrain,
    scratch: WorkingMemory<Scratch>,
    mass_balance: MassBalance,
}

/// Working memory of a step; it holds no data between steps.
#[derive(Default)]
struct Scratch {
    graph: FlowGraph,
    flow: DInfinity,
    bed: Bed,
    drained: Vec<DrainedArea>,
    /// Drainage area of each cell, which becomes the next flow map.
    area: Vec<f32>,
    rows: Vec<[f64; 3]>,
}

impl StreamPowerRun {
    /// Runs one iteration. If `is_brief`, each part frees its working memory as soon as it is done, and the next
    /// iteration allocates it anew.
    fn iterate(&mut self, cx: &Context, is_brief: bool) -> Result<(), Cancelled> {
        let (law, mesh, grid) = (&self.law, &*self.mesh, self.terrain.grid);
        let uplift = match &self.uplift {
            Some(uplift) => uplift.clone(),
            None => {
                let made = Uplift::new(cx, law.uplift_shape, law.uplift_variation, self.terrain.map(MapKind::Uplift))?;
                self.uplift.insert(Arc::new(made)).clone()
            }
        };
        let Scratch { graph, flow, bed, drained, area, rows } = &mut *self.scratch;
        let old = &self.terrain.height;
        let outlets = cx.outlets(&self.terrain, old, law.sea_level / cx.relief_metres);
        graph.route(mesh, old, &outlets, FlowRouting::D8, cx.control)?;
        if is_brief && law.deposition == 0.0 {
            graph.basins = Basins::default();
        }
        flow.route(mesh, &graph.surface, &outlets, &graph.receivers, cx.control)?;
        // the memory of the surface becomes the memory of the bed
        bed.height = std::mem::take(&mut graph.surface);
        if is_brief {
            graph.receivers = Vec::new();
        }
        mesh.write_rained_areas(self.rain.as_ref().map(|rain| &***rain), drained);
        // the second receiver gets the fraction at which the flow direction meets the line between the two receivers,
        // so that the mean direction of the water is the flow direction
        let order = flow.accumulate(&flow.fraction, drained, cx.control)?;
        if is_brief {
            *area = DrainedArea::into_cells(std::mem::take(drained));
        } else {
            area.resize(drained.len(), 0.0);
            area.par_iter_mut().zip(&*drained).for_each(|(area, drained)| *area = drained.cells());
        }

        let forces = StepLaw::new(law, cx, f64::from(mesh.cell_metres(cx.size_metres)));
        bed.rise(cx, old, flow, &forces, &uplift)?;
        let is_flow_read = self.terrain.map(MapKind::Flow).is_some();
        bed.prepare(cx, flow, (area, is_flow_read || law.deposition > 0.0), &forces, &self.rock)?;
        bed.wear(cx, flow, &order, &forces, &self.rock)?;
        if law.deposition > 0.0 {
            bed.deposit(cx, (mesh, flow, &graph.basins), &order, area, law.deposition)?;
        }
        drop(order);
        if is_brief {
            flow.fraction = Vec::new();
            bed.free_erosion_memory();
        }
        grid.close(&mut bed.height);
        let smooth =
            forces.creep_deviation().map(|deviation| gauss::smoothed(cx, &bed.height, deviation)).transpose()?;
        let rests = |k: usize| flow.receivers.is_end(k);
        bed.creep(cx, (mesh, self.conductances.as_deref()), smooth, rests, (&forces, &self.rock))?;
        grid.close(&mut bed.height);

        let n = grid.samples;
        // from this line on the step cannot fail: maps change in place, so that no map exists twice
        let mut maps = [MapKind::Wear, MapKind::Deposits].map(|kind| {
            // a map that a snapshot shares stays with the snapshot; a map that no node or export reads does not exist
            self.terrain.set_map(kind, None).map(Arc::unwrap_or_clone)
        });
        let (old, new, receivers, areas) = (&self.terrain.height, &bed.height, &flow.receivers, mesh.owned_areas());
        rows.resize(grid.rows(), [0.0; 3]);
        let mut parts = maps.each_mut().map(|map| map.as_mut().map(|map| map.chunks_mut(n)));
        let cut: Vec<[Option<&mut [f32]>; 2]> =
            (0..grid.rows()).map(|_| parts.each_mut().map(|part| part.as_mut().and_then(Iterator::next))).collect();
        cut.into_par_iter().zip(&mut *rows).enumerate().for_each(|(i, ([mut wear, mut deposits], sums))| {
            *sums = [0.0; 3];
            for j in 0..n {
                let k = i * n + j;
                let up = if receivers.is_end(k) { 0.0 } else { forces.uplift * uplift.relative_uplift(k) };
                let [lost, won] = loss_and_gain(old[k], up, new[k]);
                if let Some(wear) = &mut wear {
                    wear[j] += lost as f32;
                }
                if let Some(deposits) = &mut deposits {
                    deposits[j] += won as f32;
                }
                // without `areas`, all samples of a square have the same area, except that copies have none
                let own = areas.map_or(if j < grid.distinct_side() { 1.0 } else { 0.0 }, |areas| f64::from(areas[k]));
                sums[0] += lost * own;
                sums[1] += won * own;
                sums[2] += f64::from(up) * own;
            }
        });
        maps.iter_mut().flatten().for_each(|map| grid.close(map));
        for [eroded, deposited, added] in &rows[..grid.distinct_rows()] {
            self.mass_balance.eroded += eroded;
            self.mass_balance.deposited += deposited;
            self.mass_balance.added += added;
        }
        self.mass_balance.lost = self.mass_balance.eroded - self.mass_balance.deposited;
        std::mem::swap(&mut self.terrain.height, &mut bed.height);
        let [wear, deposits] = maps.map(|map| map.map(Arc::new));
        self.terrain.set_map(MapKind::Wear, wear);
        self.terrain.set_map(MapKind::Deposits, deposits);
        if is_flow_read {
            grid.close(area);
            exchange_maps(&mut self.terrain, [MapKind::Flow], [area]);
        }
        Ok(())
    }
}

impl ErosionRun for StreamPowerRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.iterate(cx, false)
    }

    fn advance_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let done = self.iterate(cx, true);
        self.scratch = WorkingMemory::default();
        done
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

    fn own_bytes(&self) -> usize {
        self.uplift.as_ref().map_or(0, |uplift| uplift.bytes())
    }
}
