//! Olsen's combined erosion: the fast thermal step on gentle slopes.
//!
//! Law: as in `lowest`. Material moves to the lowest neighbour where the drop d to it is in (0, T], with T the
//! threshold. The fast thermal erosion acts on steep slopes. Olsen's erosion acts on gentle slopes: it levels small
//! bumps and hollows, and keeps cliffs and crests. It raises the erosion score as hydraulic erosion does, in the
//! computing time of thermal erosion. Le Martelot's fast form uses the four orthogonal neighbours, Olsen's form the
//! diagonal ones. The orthogonal neighbours are the default here: a diagonal move stays on one colour of a chessboard
//! pattern, which shows as hatching on the plains.
//! Bias: the edges of the plains follow the grid. A cone of slope 2.4 has the slopes 2.20, 2.18 and 2.23 along 0°,
//! 22.5° and 45° after 50 iterations with the orthogonal neighbours (2.08, 1.94 and 1.78 with the diagonal ones). If
//! the terrain is mirrored, up to half of the moved material moves at other places
//! (tests/core/nodes/erosion/classic.rs). On the terrain of Le Martelot's figure 19 (257² samples, k = 4, 100
//! iterations) the erosion score rises from 0.559 to 0.893 (tests/core/nodes/documents.rs).
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side. Squares only, like every
//! [`sweep`](super::sweep).
//! Source: Olsen 2004; Le Martelot 2005, §3.3.3. In these papers T = k/N, with N the samples along a side. This
//! threshold corresponds to the angle atan(k · relief_metres / size_metres).

use super::lowest::{LowestNeighbourRun, LowestThreshold, MovingSlopes};
use super::talus::TalusThreshold;
use super::thermal::Neighbours;
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{Context, MultiScale, NodeParts, Process, Run, Traits};
use talweg_ground::field::Terrain;

talweg_ground::params! {
    /// Levels gentle slopes and keeps steep slopes. The plains and terraces between cliffs suit game maps. The edges of
    /// the plains follow the grid: on a cone the change of the height varies with the direction by 30 % of its mean.
    Olsen "Olsen's combined erosion" in "Erosion", from "Olsen 2004; Le Martelot 2005, §3.3.3", also "flatten playable strategy game terrain plains plateau combined" {
        /// Number of iterations, counted at the scene's resolution. More iterations make wider plains.
        iterations: u32 = 50, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Steepest slope that is still levelled. Steeper slopes stay unchanged.
        flat_angle: f32 ["°"] = 20.0, 0.0..=89.0, slider 2.0..=45.0 => |olsen| olsen.threshold == TalusThreshold::Angle;
        /// Definition of the threshold: an angle, or the constant of Le Martelot 2005.
        threshold: TalusThreshold = TalusThreshold::Angle;
        /// The constant of Le Martelot 2005: 2 to 20 in the paper's text, 4 in its figures. Higher values also level
        /// steeper slopes.
        k: f32 = 4.0, 0.0..=10_000.0, slider 0.0..=20.0 => |olsen| olsen.threshold == TalusThreshold::Document;
        /// Neighbouring cells to which material can move.
        neighbours: Neighbours = Neighbours::VonNeumann;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Smooths the valley floors." { iterations = 20, flat_angle = 15.0 }
            Natural "Natural": "Wide valleys between steep flanks." { iterations = 80, flat_angle = 28.0 }
            Strong "Strong": "Plains and cliffs." { iterations = 200, flat_angle = 40.0 }
            Document "As published": "The constants of Le Martelot 2005: k = 4, and the four straight neighbours." { iterations = 100, threshold = TalusThreshold::Document }
            AllScales "All scales": "Levels wide plains first, then terraces; takes seconds at any resolution." { iterations = 60, largest_scale = LargestScale::Samples129, flat_angle = 28.0 }
        }
    }
}

impl Process for Olsen {
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
            MovingSlopes::Gentle,
            LowestThreshold { threshold: self.threshold, angle: self.flat_angle, k: self.k },
            self.neighbours,
            self.hardness,
        ))
    }
}
