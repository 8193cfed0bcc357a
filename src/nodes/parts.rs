//! How a node can be computed in parts: on windows of the grid, each by itself, to the same bits as on the whole.
//!
//! A node says so in its traits, and nowhere else. A window is a [`Grid`](crate::field::Grid) that knows where it lies
//! in the whole, so the code of a node runs on it as it is. Beyond the sides of a window there is nothing; what that
//! changes reaches no farther inwards than the node looks, and is cut off.

use super::Context;

/// How a node can be computed in parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeParts {
    /// A sample follows from its place and from what lies below it there.
    Points,
    /// A sample follows from what lies within reach.
    Within(NodeReach),
    /// After an iteration of a process a sample follows from what lay within reach before it.
    Iterations {
        /// How far an iteration looks.
        reach: NodeReach,
        /// Whether a process that begins with the terrain of another one under way goes on as that would: then all its
        /// state is heights and data maps.
        resumes: bool,
    },
    /// Only as a whole, for a reason that ends a sentence beginning with "because".
    Whole(&'static str),
}

impl NodeParts {
    /// Gaussian filters are recursive along whole lines.
    pub const SMOOTHED: Self = Self::Whole("its smoothing runs along whole rows and columns");
    /// Midpoint displacement.
    pub const SUBDIVIDED: Self = Self::Whole("it divides the whole side again and again");
    /// Strokes of brushes.
    pub const PAINTED: Self = Self::Whole("strokes of a brush are laid on the whole ground");
    /// Water that goes where the ground leads it.
    pub const DRAINED: Self = Self::Whole("what drains to a place comes from anywhere");
    /// Cells changed in place.
    pub const IN_PLACE: Self = Self::Whole("cells change one after the other, and each sees those before it");
    /// Nodes of planets.
    pub const PLANET: Self = Self::Whole("it runs on planets");

    /// Cells that one pass or iteration looks away from a sample on the grid of `cx`; none where it takes the whole.
    pub fn cells(&self, cx: &Context) -> Option<usize> {
        match self {
            Self::Points => Some(0),
            Self::Within(reach) | Self::Iterations { reach, .. } => Some(reach.cells(cx)),
            Self::Whole(_) => None,
        }
    }
}

/// How far something looks: the sum of all these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeReach {
    /// Cells.
    pub cells: usize,
    /// Metres.
    pub metres: f32,
    /// Shares of a side, at the most: it never looks farther than that and the cells.
    pub most_sides: f32,
    /// Square metres: a cell for every time that the area of a cell goes into them, as explicit diffusion has steps.
    pub square_metres: f32,
}

impl NodeReach {
    /// A number of cells on any grid.
    pub const fn of_cells(cells: usize) -> Self {
        Self { cells, metres: 0.0, most_sides: f32::INFINITY, square_metres: 0.0 }
    }

    /// Metres, and a number of cells beyond.
    pub const fn of_metres(metres: f32, cells: usize) -> Self {
        Self { metres, ..Self::of_cells(cells) }
    }

    /// As cells of the grid of `cx`, rounded up.
    pub fn cells(&self, cx: &Context) -> usize {
        let cell = f64::from(cx.size_metres) / (cx.grid.whole_samples() - 1) as f64;
        let sides = f64::from(self.metres) / f64::from(cx.size_metres);
        let metres = sides.min(f64::from(self.most_sides)) * f64::from(cx.size_metres);
        let cells = metres / cell + f64::from(self.square_metres) / (cell * cell);
        // casts saturate
        (libm::ceil(cells) as usize).saturating_add(self.cells)
    }
}
