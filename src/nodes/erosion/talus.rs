//! The height difference above which loose rock slides: the threshold of thermal erosion and of Olsen's erosion.

use crate::Context;
use talweg_ground::field::metric::GridMetric;

talweg_ground::choices! {
    /// Definitions of the steepest stable slope of loose rock.
    TalusThreshold {
        Document "k / N": "As in Le Martelot 2005: a drop of k / N of the relief to any neighbour, diagonal or not, with N samples a side.",
        Angle "Talus angle": "The same slope in all directions: over a diagonal, which is longer, a greater drop is stable.",
    }
}

/// The threshold of thermal erosion: the least drop to a neighbour at which rock slides, as a fraction of the relief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TalusRise {
    /// Drop per unit of distance; the unit is a cell on a square, the radius on a globe.
    pub per_unit: f32,
    /// Whether a diagonal neighbour has the same threshold as an orthogonal neighbour, although it is farther away.
    pub diagonals_alike: bool,
}

impl TalusRise {
    /// The threshold per unit of actual distance, first for orthogonal and then for diagonal neighbours.
    #[inline]
    pub fn over_distances(self) -> [f32; 2] {
        let diagonal = if self.diagonals_alike { self.per_unit / std::f32::consts::SQRT_2 } else { self.per_unit };
        [self.per_unit, diagonal]
    }
}

impl TalusThreshold {
    /// Returns the threshold on the grid of `cx`. It follows from `talus_angle` in degrees, or from the constant `k` of
    /// Le Martelot 2005.
    pub fn rise(self, cx: &Context, metric: &GridMetric, talus_angle: f32, k: f32) -> TalusRise {
        let unit_metres = metric.unit_metres(cx.grid, cx.size_metres);
        match self {
            Self::Angle => TalusRise { per_unit: cx.rise_over(talus_angle, unit_metres), diagonals_alike: false },
            Self::Document => {
                // side of a cell in units of distance; N counts samples, which is one more than the cells along a side
                let units = cx.cell_metres() / unit_metres;
                TalusRise { per_unit: k / (cx.grid.whole_samples() as f32 * units), diagonals_alike: true }
            }
        }
    }
}
