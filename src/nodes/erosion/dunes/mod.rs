//! Wind erosion: loose sand hops downwind, settles in wind shadows and slides at its angle of repose, and dunes grow.
//!
//! Law, per iteration: from a cell with sand of depth s the wind lifts e = E · f · (1 - σ), at most s / 2. This sand
//! joins the amount a that is already in the air above the cell. All sand in the air makes one hop of the saltation
//! length ℓ with the wind w. Where the sand lands, the fraction p of it stays, and the rest hops again in the next
//! iteration. Then the sand slides (`CoverSlide`).
//! - f = 1 + B · ∂h/∂w, from 0 to 3, with ∂h/∂w the slope along the wind: the wind presses harder on a slope that it
//!   climbs and less on a slope that it descends. This makes flat sand unstable: bedforms of wavelength near 3 ℓ, with
//!   k = 2π / wavelength, grow fastest, by E · B · k · sin(k ℓ) per iteration, and then merge.
//! - σ, from 0 to 1, is the shelter behind obstacles upwind: the height of the shadow surface above the ground, divided
//!   by the fall of the shadow surface over half a hop. The shadow surface falls at `shadow_angle` from every crest.
//! - p = p_rock + (p_sand - p_rock) · min(1, s / 2E), and p → 1 where σ → 1: sand bounces off rock and stays on sand.
//! - Bare rock under saltating sand erodes by K · erodibility · f · (1 - min(1, s / 2E)) · (1 - σ) · a. The eroded rock
//!   blows away as dust.
//!
//! Symbols: E `lift_metres`, ℓ `saltation_metres`, K `abrasion`, p_rock `rock_grip`, p_sand `SAND_GRIP`, B `PRESS`.
//! Scheme: hops are shifts of the whole field (`Hop`), in whole slabs (`Slabs`). So the sand is conserved exactly, and
//! the wind acts equally in every direction. ∂h/∂w is measured over a quarter of a hop, so that it does not depend on
//! the grid. The shadow surface is relaxed by one cell per iteration. Old states are read, new states are written; a
//! cancelled step leaves the run unchanged.
//! Boundary: sand leaves over an open edge, and `inflow` enters on the windward side; a wrapping terrain continues on
//! the other side.
//! Squares only: slabs are carried along the wind, which has one direction, and have the same volume wherever they
//! fall.
//! Stability: bedforms travel by E · B per iteration, limited to a quarter of the distance over which the slope is
//! measured.
//! Maps: [`MapKind::Sand`] is the sand on the ground, [`MapKind::Wear`] the eroded rock. Sand that is in the air at the
//! end of the run is only in the mass balance.
//! Always on one grid: the wind sets the hop length in metres, and ripples of a coarse grid would remain as dunes.
//! Source: Werner 1995 (slabs, shadow, repose); Nishimori, Yamasaki and Andersen 1998 (alternating winds); Anderson
//! 1987 (growth of bedforms); Paris et al. 2019.

mod run;

use std::sync::Arc;

use crate::{Context, NodeMemory, NodeParts, Pace, Process, Run, Traits, VoidBorder};
use run::DunesRun;
use talweg_ground::field::{MapKind, Terrain};

/// Fraction of the saltating sand that is deposited where it lands on sand (Werner 1995).
pub(super) const SAND_GRIP: f32 = 0.6;
/// Increase of the lift on a slope that the wind climbs, per unit of slope (rise over run).
pub(super) const PRESS: f32 = 5.0;
/// Maximum factor by which a slope increases the lift.
pub(super) const MOST_PRESS: f32 = 3.0;

talweg_ground::params! {
    /// Carries loose sand over the ground with the wind and piles it up into dunes. The layer can add sand first, and
    /// windblown sand can erode bare rock.
    Dunes "Wind erosion (dunes)" in "Erosion", from "Werner 1995; Nishimori et al. 1998; Paris et al. 2019", also "sand desert aeolian barchan transverse star seif yardang saltation sahara" {
        /// Number of iterations. More iterations let the dunes grow, merge and travel.
        iterations: u32 = 300, 0..=10_000, slider 1..=1000;
        /// Direction from which the wind blows, clockwise from north: 270 is a west wind. Crests form across the wind.
        wind_angle: f32 ["°"] = 250.0, 0.0..=360.0 => |dunes| dunes.lift_metres > 0.0;
        /// Number of alternating winds. One wind forms crests across it. Two winds form ridges between their
        /// directions. Three or more winds form star dunes.
        winds: u32 = 1, 1..=8 => |dunes| dunes.lift_metres > 0.0;
        /// Angle between one wind and the next wind. At 120, three winds blow from all sides.
        turn_angle: f32 ["°"] = 90.0, 0.0..=180.0 => |dunes| dunes.winds > 1;
        /// Number of iterations for which each wind blows before the next wind.
        season: u32 = 15, 1..=1000, slider 1..=60 => |dunes| dunes.winds > 1;
        /// Mean depth of sand laid on the ground at the start. Little sand leaves single dunes on bare ground; much
        /// sand buries the ground.
        sand_metres: f32 ["m"] = 14.0, 0.0..=1000.0, slider 0.0..=50.0;
        /// Unevenness of the sand laid at the start. At 0 it is a uniform layer, at 1 heaps with bare ground between
        /// them.
        patchiness: f32 ["share"] = 0.3, 0.0..=1.0 => |dunes| dunes.sand_metres > 0.0;
        /// Depth of sand that the wind lifts from level ground in one iteration. With higher values, as in a stronger
        /// wind, dunes grow and travel faster.
        lift_metres: f32 ["m"] = 0.3, 0.0..=5.0, slider 0.02..=1.0;
        /// Length of a hop of the sand. It sets the distance between dunes: crests start about three hops apart, and
        /// the distance grows as dunes merge.
        saltation_metres: f32 ["m"] = 70.0, 1.0..=2000.0, slider 10.0..=200.0;
        /// Fraction of the windblown sand that stays where it lands on bare rock; on sand it is 60 %. Low values keep
        /// the ground between dunes bare.
        rock_grip: f32 ["share"] = 0.35, 0.0..=1.0 => |dunes| dunes.lift_metres > 0.0;
        /// Angle at which a wind shadow descends behind a crest. Smaller angles shelter longer lee sides and make the
        /// dunes stand farther apart.
        shadow_angle: f32 ["°"] = 15.0, 1.0..=60.0, slider 5.0..=30.0 => |dunes| dunes.lift_metres > 0.0;
        /// Steepest slope at which sand stays in place; the lee sides of dunes have this slope.
        repose_angle: f32 ["°"] = 34.0, 5.0..=60.0, slider 20.0..=45.0;
        /// Sand that enters over the open windward edges, as a fraction of the sand that a saturated wind carries.
        inflow: f32 ["share"] = 1.0, 0.0..=1.0 => |dunes| dunes.lift_metres > 0.0;
        /// Rock that windblown sand erodes from bare ground, as a fraction of the passing sand. Higher values carve the
        /// rock into ribs along the wind.
        abrasion: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Variation of the rock's hardness from place to place. Hard spots shelter the ground behind them.
        unevenness: f32 ["share"] = 0.5, 0.0..=1.0 => |dunes| dunes.abrasion > 0.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0 => |dunes| dunes.abrasion > 0.0;
        presets {
            Light "Sand sheet": "Low waves of sand, as after a few windy days." { iterations = 80, sand_metres = 6.0, lift_metres = 0.2 }
            Transverse "Transverse dunes": "A sand sea: long crests across a steady wind." { iterations = 400, sand_metres = 18.0, patchiness = 0.1, saltation_metres = 60.0 }
            Barchans "Barchans": "Little sand on bare ground gathers in crescents whose horns point downwind." {
                iterations = 400, sand_metres = 3.5, patchiness = 0.9, saltation_metres = 65.0, inflow = 0.35, rock_grip = 0.12
            }
            Seif "Long ridges": "Two alternating winds draw the sand out into ridges between them." {
                iterations = 600, winds = 2, turn_angle = 110.0, season = 20, sand_metres = 12.0, inflow = 0.3, rock_grip = 0.2
            }
            Star "Star dunes": "Alternating winds from all sides pile the sand up into tall, star-shaped dunes." {
                iterations = 900, winds = 3, turn_angle = 120.0, season = 60, sand_metres = 7.0, patchiness = 0.8, saltation_metres = 90.0, inflow = 0.2, rock_grip = 0.12
            }
            Yardangs "Yardangs": "Windblown sand carves soft rock into ribs along the wind." {
                iterations = 300, sand_metres = 0.0, inflow = 1.0, rock_grip = 0.0, abrasion = 0.6, unevenness = 0.6
            }
        }
    }
}

impl Process for Dunes {
    fn traits(&self) -> Traits {
        Traits {
            writes: if self.abrasion > 0.0 { &[MapKind::Sand, MapKind::Wear] } else { &[MapKind::Sand] },
            is_random: true,
            // Since version 2 sand slides equally fast in all directions of the grid.
            version: 2,
            memory: NodeMemory::constant(if self.abrasion > 0.0 { 14.0 } else { 9.0 }),
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("its sand can fly across the whole terrain")
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

    fn start_run(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run> {
        Box::new(DunesRun::new(Arc::new(self.clone()), cx, terrain))
    }
}
