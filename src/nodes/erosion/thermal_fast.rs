//! Thermal erosion, fast form: half of the drop moves to the lowest neighbour, in place.
//!
//! Law: as in `lowest`. Material moves to the lowest neighbour where the slope to it is steeper than the talus angle.
//! There are four optimisations over the reference form ([`thermal`](super::thermal)). Only the four diagonal
//! neighbours count. The lowest neighbour gets all the material. The amount is the largest possible, d/2 with d the
//! drop. Heights are updated in place, in the order of `sweep`, so later cells read heights that have already changed.
//! Bias: halving the drop of a slope above the talus angle overshoots, so slopes come to rest at 0.6 to 0.95 of the
//! angle, in fine streaks along the neighbour directions. With diagonal moves only, material stays on one colour of a
//! chessboard pattern. A cone that should rest at slope 1 has the slopes 0.90, 0.84 and 0.71 along 0°, 22.5° and 45°
//! with the diagonal neighbours. The slopes are 0.68, 0.88 and 0.95 with the orthogonal neighbours, and 0.71, 0.68 and
//! 0.61 with all eight. The order of the cells is visible too. The result on a mirrored terrain differs from the
//! mirrored result by a tenth to a fifth of the change (tests/core/nodes/erosion/classic.rs).
//! A cone of slope 1.25 that erodes at 34° with 500 iterations is 333 to 386 m high along the ring halfway down, 337 to
//! 457 m with the orthogonal neighbours and 303 to 350 m with all eight. The reference form leaves 450 to 462 m there
//! (tests/core/by_hand/fast_forms.rs).
//! Cost: at 257² samples on one thread an iteration takes 0.32 ms with the diagonal and 0.34 ms with the orthogonal
//! neighbours. The reference form takes 0.28 ms with either, because it computes many cells at once, which cells that
//! change in place do not allow (`talweg bench Thermal:neighbours=VonNeumann ThermalFast:neighbours=VonNeumann --sizes
//! 257 --threads 1`).
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side. Squares only, like every
//! [`sweep`](super::sweep).
//! Source: Olsen 2004; Le Martelot 2005, §3.3.1. In the paper T = k/N is the same for diagonal neighbours, with N the
//! samples along a side. The talus angle is atan(k · relief_metres / size_metres).

use super::lowest::{LowestNeighbourRun, LowestThreshold, MovingSlopes};
use super::talus::TalusThreshold;
use super::thermal::Neighbours;
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{Context, MultiScale, NodeParts, Process, Run, Traits};
use talweg_ground::field::Terrain;

talweg_ground::params! {
    /// Lets loose rock slide to the lowest neighbour: the fast form of the papers, for comparison. In Talweg, Thermal
    /// erosion takes less time for an iteration with the same neighbours. Here slopes come to rest up to a third too
    /// gentle, in fine streaks along the grid. Erosion follows the grid, too: on a cone the change of the height varies
    /// with the direction by 58 % of its mean. At rest, heights at the same distance from the tip of a cone 1,000 m
    /// high differ by about 50 m.
    ThermalFast "Thermal erosion, fast" in "Erosion", from "Olsen 2004; Le Martelot 2005, §3.3.1", also "talus scree landslide rockfall weathering crumble quick optimised" {
        /// Number of iterations, counted at the scene's resolution. More iterations carry the scree farther down.
        iterations: u32 = 50, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Steepest slope on which rock stays in place. Loose rock rests at 30 to 40 degrees.
        talus_angle: f32 ["°"] = 34.0, 0.0..=89.0, slider 15.0..=60.0 => |thermal| thermal.threshold == TalusThreshold::Angle;
        /// Definition of the threshold: an angle, or the constant of Le Martelot 2005.
        threshold: TalusThreshold = TalusThreshold::Angle;
        /// The constant of Le Martelot 2005: 2 to 20 in the paper's text, 4 in its figures. Higher values leave steeper
        /// slopes.
        k: f32 = 4.0, 0.0..=10_000.0, slider 0.0..=20.0 => |thermal| thermal.threshold == TalusThreshold::Document;
        /// Neighbouring cells to which material can move.
        neighbours: Neighbours = Neighbours::Rotated;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Blunts the crests." { iterations = 8 }
            Natural "Natural": "Scree at the foot of the cliffs." {}
            Strong "Strong": "Valleys filled with scree." { iterations = 200, talus_angle = 30.0 }
            Document "As published": "The constants of Le Martelot 2005: k = 4, and the four straight neighbours." { iterations = 100, threshold = TalusThreshold::Document, neighbours = Neighbours::VonNeumann }
            AllScales "All scales": "Forms long scree slopes first, then short ones; takes seconds at any resolution." { largest_scale = LargestScale::Samples129 }
        }
    }
}

impl Process for ThermalFast {
    fn traits(&self) -> Traits {
        Traits { writes: &super::lowest::WRITTEN, ..Traits::PROCESS }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::CHANGES_IN_PLACE
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn start_run(&self, _cx: &Context, terrain: Terrain) -> Box<dyn Run> {
        Box::new(LowestNeighbourRun::start(
            terrain,
            MovingSlopes::Steep,
            LowestThreshold { threshold: self.threshold, angle: self.talus_angle, k: self.k },
            self.neighbours,
            self.hardness,
        ))
    }
}
