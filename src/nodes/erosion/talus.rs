//! From which difference of height on loose rock slides: the threshold that thermal erosion and Olsen's share.

use crate::Context;
use talweg_ground::field::metric::GridMetric;

talweg_ground::choices! {
    /// What loose rock rests at.
    TalusThreshold {
        Document "k / N": "As Le Martelot 2005 has it: a drop of k / N of the relief to any neighbour, diagonal or not, with N samples a side.",
        Angle "Talus angle": "The same slope in all directions: over a diagonal, which is longer, the drop may be greater.",
    }
}

/// Least drop to neighbours that slides, as fractions of the relief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TalusRise {
    /// Over a unit of distance: a cell of a square, the radius of a globe.
    pub per_unit: f32,
    /// Whether diagonal neighbours count as if they were as near as straight ones.
    pub diagonals_alike: bool,
}

impl TalusRise {
    /// The same for straight and for diagonal neighbours, each over a unit of the distance that they have.
    #[inline]
    pub fn over_distances(self) -> [f32; 2] {
        let diagonal = if self.diagonals_alike { self.per_unit / std::f32::consts::SQRT_2 } else { self.per_unit };
        [self.per_unit, diagonal]
    }
}

impl TalusThreshold {
    /// The threshold of `talus_angle` in degrees or of the documents' `k`, on the grid of `cx`.
    pub fn rise(self, cx: &Context, metric: &GridMetric, talus_angle: f32, k: f32) -> TalusRise {
        let unit_metres = metric.unit_metres(cx.grid, cx.size_metres);
        match self {
            Self::Angle => TalusRise { per_unit: cx.rise_over(talus_angle, unit_metres), diagonals_alike: false },
            Self::Document => {
                // units in a cell's side, of which a side of the terrain has one less than samples
                let units = cx.cell_metres() / unit_metres;
                TalusRise { per_unit: k / (cx.grid.whole_samples() as f32 * units), diagonals_alike: true }
            }
        }
    }
}
