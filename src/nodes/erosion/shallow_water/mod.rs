//! Hydraulic erosion by running water: virtual pipes with eight neighbours, sediment carried in flux form.
//!
//! Law. Columns of water of depth d stand on ground of height h, at the level H = h + d. A pipe joins each cell to each
//! of its eight neighbours. It carries the signed flux q (depth moved in an iteration). Its depth b is the water depth
//! above its sill max(h, h'), averaged over both ends and at most `pipe_depth` D. In one iteration:
//! 1. flux: q += C²·w·(b/D)·(H - H'), with w = 1/2 for orthogonal and 1/4 for diagonal pipes, so that flow on a tilted
//!    plane follows the plane in every direction. Mei's two outflow pipes of an edge are one signed flux here: the same
//!    equations with half the memory. Before that, q is relaxed a little towards the neighbouring fluxes along the pipe
//!    (θ = 0.9), which keeps wave fronts from rippling;
//! 2. K scales the outflow of a cell. It accounts for friction, a maximum speed, and the available water. Friction is a
//!    drag proportional to v², with v the speed of the water, and is computed implicitly: on a slope S the speed
//!    settles at C·√(S·d / (D·friction)) and never overshoots;
//! 3. bed: the water can hold s_eq = capacity · ramp(d) · |q| · (sin α + sin α_min), with α the slope angle of the
//!    flow: sin α follows from the power Σ q·ΔH of the flow. Water with less sediment dissolves ground at the rate
//!    `dissolving`; water with more deposits it at the rate `deposition`. Neither changes the bed by more than a fifth
//!    of the height difference to the lowest or highest neighbour, so neither pits nor spikes grow. Slopes beyond the
//!    talus angle slip. Running water undercuts the ground at its sides: there a bank already slips beyond
//!    `bank_angle`. This effect is full where a tenth of a metre of depth crosses a cell in an iteration and where the
//!    bank is 45° or more off the flow. The bed upstream and downstream is not a bank, or steep rivers would level it.
//!    A channel becomes at least as wide, in metres, as the depth of its water divided by the bank slope;
//! 4. transport: every flux takes the fraction q/d of the sediment of the cell that it leaves. This upwind flux form
//!    conserves the sediment; the semi-Lagrangian back-trace of the papers does not;
//! 5. rain, springs, evaporation.
//!
//! Scale: an iteration is the time in which a wave travels C = 1/2 cell through pipes of the full depth D, so no cell
//! size and no depth can break the scheme's bound C² < 1. Rates are defined for a grid of 513² samples, whose iteration
//! is 1/1024 of the time in which a wave crosses the terrain. Other grids scale the rates, so that the result depends
//! on time, not on iterations, and a grid k times finer needs k times as many iterations. Geology is sped up: a
//! capacity of 1 means that a full river on a steep slope holds its own volume of rock.
//!
//! From coarse to fine: water and suspended sediment are passed to the finer grid with the terrain; fluxes start at 0
//! and follow the slopes within a few iterations. Rates per time are the same, so that iterations on finer grids are
//! shorter. Fluxes that start at 0 send rivers along new paths across their valley floors. On grids of more than 513
//! samples a side, most of this change is undone in the beds of trunk streams. The volume that this correction adds
//! counts as `resampled` in the mass balance.
//!
//! Limits: the shallow-water equations contain (u·∇)u, the transport of momentum by the velocity u; this scheme does
//! not. Waves travel at √(g·b), with g the gravity. A dam break onto shallow water follows the fan and shock of the
//! scheme's own equations (tested: the wave front within 1 %, depths within 0.3 %). If 8 m of water break onto 4 m, the
//! front has 0.84 of Stoker's speed. On dry ground friction and the maximum speed √(g·D) hold the front far behind
//! Ritter's 2·√(g·d): at 0.22 of Ritter's speed with the default friction. The depths just behind the front ripple by
//! up to a tenth.
//! Boundary: at open edges water runs out with its slope and speed, and its sediment is lost; walls keep all water. A
//! wrapping terrain has no edges. Water, sediment and rock that move into a void are lost, at walls too; there the
//! ground of the void is as low as the lowest ground beside it.
//! Mass balance: heights are `f32`; amounts that rounding keeps from the ground stay in the Sediment map. Wear and
//! deposits are the net change since the start. Flow is the current discharge. Its unit is a cell: the number of cells
//! whose rain and spring water passes.
//! Directions: on cones the erosion by azimuth differs by 0.2 % while the flow is smooth, and by 4 % once random
//! roughness of ±0.001 of the relief has started gullies (tested).
//! Squares only: the pipes move depths, which needs equal cells, and waves cross all cells at the same speed.
//! Source: Mei, Decaudin & Hu 2007; Št'ava et al. 2008; depth in the pipe and viscosity as in Bates et al. 2010 and de
//! Almeida et al. 2012.

mod bed;
mod flux;
mod law;
mod rows;
mod run;
mod state;
mod supply;
mod sweep;
mod transport;

use crate::multiscale::{LargestScale, StreamBeds, multiscale_params};
use crate::{
    Context, FinerGrids, MultiScale, NodeMemory, NodeParts, Pace, Process, Run, StencilRadius, Traits, VoidBorder,
};
use state::STENCIL_RADIUS;
use talweg_ground::field::{MapKind, Terrain};

talweg_ground::choices! {
    /// Behaviour of water at the edges of the terrain.
    Border {
        Outflow "Runs out": "Water leaves over the edges and takes its sediment along. Wrapping terrain has no edges.",
        Walls "Walls": "Water stays inside, and low edges become lakes. Wrapping terrain has no edges.",
    }
}

talweg_ground::params! {
    /// Lets rain gather into rivers that cut valleys and deposit fans and lake beds. The water keeps moving while you
    /// watch.
    ShallowWater "Hydraulic erosion (shallow water)" in "Erosion", from "Mei et al. 2007; Št'ava et al. 2008", also "river erosion hydraulic shallow water virtual pipes rain rivers valleys canyon flood lakes springs" {
        /// Number of iterations, counted at the scene's resolution. With more iterations rivers grow longer and cut
        /// deeper.
        iterations: u32 = 300, 0..=10_000, slider 1..=1000;
        multiscale_params!();
        /// Rain in one iteration on a grid of 513 samples per side. More rain makes wider rivers and larger lakes.
        rain: f32 ["mm"] = 2.0, 0.0..=10_000.0, slider 0.0..=20.0;
        /// Number of springs, placed at random on high ground. More springs start more rivers.
        springs: u32 = 0, 0..=64, slider 0..=24;
        /// Water of all springs together, as the equivalent depth of rain over the whole terrain.
        spring_flow: f32 ["mm"] = 1.0, 0.0..=10_000.0, slider 0.0..=20.0 => |water| water.springs > 0;
        /// Fraction of the water that evaporates in one iteration. Higher values keep rivers short and lakes small.
        evaporation: f32 ["share"] = 0.003, 0.0..=1.0, slider 0.0..=0.05;
        /// Depth above which water runs no faster. Lower values make small rivers run as fast as large ones.
        pipe_depth: f32 ["m"] = 10.0, 0.01..=10_000.0, slider 1.0..=50.0;
        /// How much the ground slows the water down. Higher values make rivers deeper and slower.
        friction: f32 = 0.02, 0.0..=10.0, slider 0.0..=0.2;
        /// How much rock the water can hold. Higher values cut deeper valleys and build larger fans.
        sediment_capacity: f32 = 50.0, 0.0..=1000.0, slider 0.0..=200.0;
        /// Minimum slope for the carrying capacity of water. Higher values let rivers cut into plains and lake beds.
        min_tilt_angle: f32 ["°"] = 0.5, 0.0..=45.0, slider 0.0..=5.0 => |water| {
            water.dissolving > 0.0 && water.sediment_capacity > 0.0
        };
        /// Water shallower than this erodes less. Higher values spare the hillsides and erode only along rivers.
        shallow_depth: f32 ["m"] = 0.5, 0.0..=1000.0, slider 0.0..=5.0;
        /// Fraction of the unused capacity that the water fills with rock in one iteration. Higher values erode faster.
        dissolving: f32 = 0.2, 0.0..=10.0, slider 0.0..=0.5;
        /// Fraction of the excess sediment that the water deposits in one iteration. With lower values rivers carry the
        /// sediment farther.
        deposition: f32 = 0.1, 0.0..=10.0, slider 0.0..=0.5;
        /// Weakening of hard rock below water. Higher values let rivers cut faster into hard rock.
        softening: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Steepest stable slope. The banks of rivers collapse until they have this slope.
        talus_angle: f32 ["°"] = 52.0, 0.0..=89.0, slider 15.0..=80.0;
        /// Steepest stable bank next to running water. Lower values make more banks collapse, and rivers become
        /// wider than they are deep.
        bank_angle: f32 ["°"] = 25.0, 0.0..=89.0, slider 5.0..=60.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Behaviour of water at the edges of the terrain.
        border: Border = Border::Outflow;
        presets {
            Light "Light rain": "Fine gullies on the slopes." { iterations = 250, rain = 1.5, sediment_capacity = 40.0, shallow_depth = 0.3 }
            Natural "Natural": "Valleys, gullies and fans." {}
            Strong "Strong": "Wide valleys between eroded hills." { iterations = 600, rain = 3.0, sediment_capacity = 80.0, talus_angle = 42.0 }
            Canyon "Canyon": "Deep gorges with steep walls." { iterations = 600, sediment_capacity = 100.0, shallow_depth = 2.0, talus_angle = 65.0, bank_angle = 45.0 }
            Flood "Flood": "Broad rivers and full lakes." { iterations = 400, rain = 12.0, evaporation = 0.0, sediment_capacity = 15.0 }
            Springs "Springs": "A few rivers from high springs." { iterations = 600, rain = 0.0, springs = 16, spring_flow = 0.5, sediment_capacity = 15.0, talus_angle = 45.0 }
            AllScales "All scales": "Forms large rivers first, then their tributaries; takes seconds at any resolution." { iterations = 200, largest_scale = LargestScale::Samples257, fine_weight = 0.6 }
        }
    }
}

impl Process for ShallowWater {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Water, MapKind::Sediment, MapKind::Flow, MapKind::Wear, MapKind::Deposits],
            is_random: self.springs > 0,
            // version 3 applies only to runs from coarse to fine, in which trunk streams keep their places on large
            // grids
            version: if self.largest_scale == LargestScale::OneGrid { 2 } else { 3 },
            // with springs, the water supply needs one more field
            memory: NodeMemory {
                extra_when_kept: 7.0,
                saved_without_records: Some(0.0),
                state_fields: run::STATE_FIELDS,
                ..NodeMemory::constant(if self.springs > 0 { 6.0 } else { 5.0 })
            },
            finer_grids: FinerGrids {
                stream_beds: StreamBeds::Preserved,
                carries_sediment_on: true,
                ..FinerGrids::DEFAULT
            },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.springs {
            // one cell more than a step reads: the ground of a void follows from the cells around it
            0 => NodeParts::Iterations {
                reach: StencilRadius::of_cells(STENCIL_RADIUS + 1),
                resumes: true,
                sums_rain: true,
            },
            _ => NodeParts::WholeTerrain("its springs are chosen among high places of the whole terrain"),
        }
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn pace(&self) -> Pace {
        Pace::Wave
    }

    fn void_border(&self) -> VoidBorder {
        VoidBorder::Own
    }

    fn start_run(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run> {
        Box::new(run::ShallowWaterRun::new(self, cx, terrain))
    }
}
