//! Hydraulic erosion by running water: virtual pipes with eight neighbours, sediment carried in flux form.
//!
//! Law. Columns of water of depth d stand on ground of height h, at the level H = h + d. A pipe joins each cell to its
//! eight neighbours; it carries the signed flux q (depth moved in an iteration) and is as deep as the water above
//! its sill max(h, h'), b, the mean of both ends, up to `pipe_depth` D. In one iteration:
//! 1. flux: q += C²·w·(b/D)·(H - H'), with w = 1/2 for straight and 1/4 for diagonal pipes, so that flow on a tilted
//!    plane follows the plane in every direction. Mei's two outflow pipes of an edge are one signed flux here: the same
//!    law with half the memory. Before that, q is drawn a little towards its neighbours along the pipe (θ = 0.9), which
//!    keeps fronts from rippling;
//! 2. K scales what leaves a cell: friction (drag v² on the depth, taken implicitly: v settles at
//!    C·√(S·d / (D·friction)) on a slope S and never overshoots), a highest speed, and the water there is;
//! 3. bed: the water can hold s_eq = capacity · ramp(d) · |q| · (sin α + sin α_min), sin α from the power Σ q·ΔH the
//!    flow spends. Less than that dissolves ground at the rate `dissolving`, more is laid down at the rate
//!    `deposition`. Neither goes beyond a fifth of the way to the lowest or highest neighbour, so neither pits nor
//!    spikes grow. Slopes beyond the talus angle slip. Running water undercuts what lies across its way: a bank slips
//!    beyond `bank_angle` already, fully where a tenth of a metre of depth crosses a cell in an iteration and where the
//!    bank lies 45° or more off the flow. The bed before and behind is no bank, or steep rivers would level it. A
//!    channel is at least as wide as the depth of its water over that slope asks for, in metres;
//! 4. transport: every flux takes its share q/d of the sediment of the cell it leaves. This upwind flux form conserves
//!    the material; the semi-Lagrangian back-trace of the papers does not;
//! 5. rain, springs, evaporation.
//!
//! Scale: an iteration is the time in which a wave in full pipes travels C = 1/2 cell, so no cell size and no depth
//! can break the bound C² < 1 of the scheme. Rates are given for a grid of 513² samples, whose iteration is
//! 1/1024 of the time a wave takes to cross the terrain; other grids scale them, so time, not iterations,
//! decides, and a grid k times finer needs k times as many iterations. Geology is sped up: a capacity of 1 means that a
//! full river on a steep slope holds its own volume of rock.
//!
//! From coarse to fine: water and suspended sediment go up with the ground; fluxes begin at nothing and follow the
//! slopes within a few iterations. Rates per time are the same, so that the finer iterations are shorter ones. Fluxes
//! that begin at nothing lead rivers across their valley floors anew: beyond 513 samples most of that is taken back in
//! the beds of trunk streams. What that adds is in the mass balance as resampled.
//!
//! What it is not: the shallow-water equations have (u·∇)u, the transport of momentum, and this law has not. Waves
//! travel at √(g·b). A dam break onto shallow water follows the fan and shock of this law (tested: the front within 1
//! %, depths within 0.3 %); from 8 m onto 4 m its front has 0.84 of Stoker's speed. On dry ground friction and the
//! highest speed √(g·D) hold the front far behind Ritter's 2·√(g·d), at 0.22 of it with the default friction, and the
//! depths just behind it ripple by up to a tenth.
//! Boundary: open edges let water run out with the slope and speed it comes with, and its sediment is lost; walls keep
//! all. A wrapping terrain has no edges.
//! Mass balance: heights are f32; what rounding keeps from the ground stays in the sediment map. Wear and deposits are
//! the net change since the start. Flow is the present discharge, as the number of cells whose rain and spring water
//! passes.
//! Directions: on cones the wear by azimuth differs by 0.2 % while the flow is smooth and by 4 % once roughness of a
//! thousandth has set off gullies (tested).
//! Squares only: a pipe carries the depth of equal cells, and waves cross all of them alike.
//! Source: Mei, Decaudin & Hu 2007; Št'ava et al. 2008; depth in the pipe and viscosity as in Bates et al. 2010 and
//! de Almeida et al. 2012.

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
use crate::{Context, MultiScale, NodeParts, NodeReach, Pace, Process, Run, Traits};
use state::LOOK;
use talweg_ground::field::{MapKind, Terrain};

talweg_ground::choices! {
    /// What happens to water at the edges of the terrain.
    Border {
        Outflow "Runs out": "Water leaves over the edges and takes its sediment along. Wrapping terrain has no edges.",
        Walls "Walls": "Water stays inside, and low edges become lakes. Wrapping terrain has no edges.",
    }
}

talweg_ground::params! {
    /// Lets rain gather into rivers that cut valleys and lay down fans and lake beds. The water keeps moving while you
    /// watch.
    ShallowWater "Hydraulic erosion (shallow water)" in "Erosion", from "Mei et al. 2007; Št'ava et al. 2008", also "river erosion hydraulic shallow water virtual pipes rain rivers valleys canyon flood lakes springs" {
        /// Iterations, counted at the scene's resolution. More let rivers grow longer and cut deeper.
        iterations: u32 = 300, 0..=10_000, slider 1..=1000;
        multiscale_params!();
        /// Rain in one iteration of a terrain of 513 samples. More rain makes wider rivers and larger lakes.
        rain: f32 ["mm"] = 2.0, 0.0..=10_000.0, slider 0.0..=20.0;
        /// Number of springs, at high places that the seed draws.
        springs: u32 = 0, 0..=64, slider 0..=24;
        /// Water of all springs together, as if it fell as rain everywhere.
        spring_flow: f32 ["mm"] = 1.0, 0.0..=10_000.0, slider 0.0..=20.0 => |water| water.springs > 0;
        /// Share of the water that dries up in one iteration. More keeps rivers short and lakes small.
        evaporation: f32 ["share"] = 0.003, 0.0..=1.0, slider 0.0..=0.05;
        /// Depth above which water runs no faster. Smaller values make small rivers run as fast as large ones.
        pipe_depth: f32 ["m"] = 10.0, 0.01..=10_000.0, slider 1.0..=50.0;
        /// How much the ground slows the water down. Rough ground has deep slow rivers.
        friction: f32 = 0.02, 0.0..=10.0, slider 0.0..=0.2;
        /// How much rock the water can hold. More cuts deeper valleys and builds larger fans.
        sediment_capacity: f32 = 50.0, 0.0..=1000.0, slider 0.0..=200.0;
        /// Slope that water on level ground works with. More lets rivers cut into plains and lake beds.
        min_tilt_angle: f32 ["°"] = 0.5, 0.0..=45.0, slider 0.0..=5.0;
        /// Water shallower than this wears the ground less. More leaves the hillsides alone and digs only where rivers
        /// run.
        shallow_depth: f32 ["m"] = 0.5, 0.0..=1000.0, slider 0.0..=5.0;
        /// How fast the water takes up what it can hold, as a share in one iteration.
        dissolving: f32 = 0.2, 0.0..=10.0, slider 0.0..=0.5;
        /// How fast it drops what it cannot hold, as a share in one iteration. Less carries it farther out.
        deposition: f32 = 0.1, 0.0..=10.0, slider 0.0..=0.5;
        /// How much standing water weakens hard rock.
        softening: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Steepest slope that stays where it is. The banks of rivers fall in until they rest at it.
        talus_angle: f32 ["°"] = 52.0, 0.0..=89.0, slider 15.0..=80.0;
        /// Steepest bank that stands beside running water. Gentler banks fall in and make rivers wider than they are
        /// deep.
        bank_angle: f32 ["°"] = 25.0, 0.0..=89.0, slider 5.0..=60.0;
        /// Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map,
        /// the harder of the two counts.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// What happens to water at the edges of the terrain.
        border: Border = Border::Outflow;
        presets {
            Light "Light rain": "Fine gullies on the slopes." { iterations = 250, rain = 1.5, sediment_capacity = 40.0, shallow_depth = 0.3 }
            Natural "Natural": "Valleys, gullies and fans." {}
            Strong "Strong": "Wide valleys between worn hills." { iterations = 600, rain = 3.0, sediment_capacity = 80.0, talus_angle = 42.0 }
            Canyon "Canyon": "Deep gorges with steep walls." { iterations = 600, sediment_capacity = 100.0, shallow_depth = 2.0, talus_angle = 65.0, bank_angle = 45.0 }
            Flood "Flood": "Broad rivers and full lakes." { iterations = 400, rain = 12.0, evaporation = 0.0, sediment_capacity = 15.0 }
            Springs "Springs": "A few rivers from high springs." { iterations = 600, rain = 0.0, springs = 16, spring_flow = 0.5, sediment_capacity = 15.0, talus_angle = 45.0 }
            AllScales "All scales": "Large rivers first, then their tributaries, at any size in seconds." { iterations = 200, largest_scale = LargestScale::Samples257, fine_weight = 0.6 }
        }
    }
}

impl Process for ShallowWater {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Water, MapKind::Sediment, MapKind::Flow, MapKind::Wear, MapKind::Deposits],
            is_random: self.springs > 0,
            // from coarse to fine 3: trunk streams of large grids stay where they are
            version: if self.largest_scale == LargestScale::OneGrid { 2 } else { 3 },
            stream_beds: StreamBeds::Held,
            // springs make a field of what arrives
            working_fields: if self.springs > 0 { 6.0 } else { 5.0 },
            more_when_kept: 7.0,
            fewer_for_heights: Some(0.0),
            state_fields: run::UNDER_WAY,
            carries_sediment_on: true,
            parts: match self.springs {
                0 => NodeParts::Iterations { reach: NodeReach::of_cells(LOOK), resumes: true, sums_rain: true },
                _ => NodeParts::Whole("its springs are the highest of places all over the ground"),
            },
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
        Pace::Wave
    }

    fn start(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run> {
        Box::new(run::ShallowWaterRun::new(self, cx, terrain))
    }
}
