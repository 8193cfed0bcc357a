//! How a node can be computed in parts: on windows of the grid, each by itself, to the same bits as on the whole.
//!
//! A node says so in its traits, and nowhere else. A window is a [`Grid`](talweg_ground::field::Grid) that knows where it lies
//! in the whole, so the code of a node runs on it as it is. Beyond the sides of a window there is nothing; what that
//! changes reaches no farther inwards than the node looks, and is cut off.

use super::Context;
use talweg_ground::brush::Strokes;
use talweg_ground::hydrology::FlowRouting;

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
        /// Whether a process that begins with the terrain of another one under way
        /// ([`Run::into_under_way`](super::Run::into_under_way)) goes on as that would.
        resumes: bool,
        /// Whether it asks how much rain falls in all, which no part knows where a layer below made a map of rain.
        sums_rain: bool,
    },
    /// A sample follows from its place and from the water of the whole ground, which tiles work out in some stages
    /// ([`hydrology::tiled`](talweg_ground::hydrology::tiled)). It is a filter with
    /// [`apply_drained`](super::Filter::apply_drained).
    Drained(NodeDrainage),
    /// In every iteration a sample follows from its place, the water of the whole ground, and the new heights of those
    /// that it drains to. It is a process with [`as_stream_power`](super::Process::as_stream_power).
    Worn(NodeDrainage),
    /// A sample follows from its place, what lies below it there, and the lowest and the highest of all heights. It is
    /// a filter with [`apply_ranged`](super::Filter::apply_ranged).
    Ranged,
    /// A sample follows from what lies within reach of it and from the heights of the whole, smoothed, within reach. It
    /// is a filter with [`apply_smoothed`](super::Filter::apply_smoothed).
    Smoothed(NodeSmoothing),
    /// Only as a whole, for a reason that ends a sentence beginning with "because".
    Whole(&'static str),
}

impl NodeParts {
    /// Iterations that look so many cells far, and that another run can go on from.
    pub const fn iterations(cells: usize) -> Self {
        Self::Iterations { reach: NodeReach::of_cells(cells), resumes: true, sums_rain: false }
    }

    /// Whether it asks how much rain falls in all.
    pub fn sums_rain(&self) -> bool {
        matches!(self, Self::Iterations { sums_rain: true, .. })
    }

    /// Strokes of brushes.
    pub fn painted(strokes: &Strokes) -> Self {
        if strokes.act_by_place() { Self::Points } else { Self::Whole(Self::PAINTED_TOGETHER) }
    }

    /// Why strokes are laid on the whole ground, where they are.
    pub const PAINTED_TOGETHER: &'static str = "a brush that smooths, smears or erodes works on all of its stroke";
    /// Water that goes where the ground leads it.
    pub const DRAINED: Self = Self::Whole("what drains to a place comes from anywhere");
    /// Cells changed in place.
    pub const IN_PLACE: Self = Self::Whole("cells change one after the other, and each sees those before it");
    /// Nodes of planets.
    pub const PLANET: Self = Self::Whole("it runs on planets");

    /// Cells that one pass or iteration looks away from a sample on the grid of `cx`; none where it takes the whole.
    pub fn cells(&self, cx: &Context) -> Option<usize> {
        match self {
            Self::Points | Self::Ranged => Some(0),
            Self::Within(reach) | Self::Iterations { reach, .. } => Some(reach.cells(cx)),
            Self::Drained(_) | Self::Worn(_) => Some(1),
            Self::Smoothed(smoothing) => Some(smoothing.reach.cells(cx)),
            Self::Whole(_) => None,
        }
    }
}

/// What a node asks about the water of the whole ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDrainage {
    /// Height of the sea in metres.
    pub sea_metres: f32,
    /// Whether courses are drawn from the node's random stream (Rho8); otherwise the steepest neighbour is taken (D8).
    pub is_drawn: bool,
    /// Whether it asks how much ground drains through each cell, and how water gets there.
    pub areas: NodeAreas,
}

/// What a node asks about the areas that drain through cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeAreas {
    /// Nothing.
    Unasked,
    /// All water of a cell goes to its receiver.
    Undivided,
    /// It goes between two neighbours, as [`DInfinity`](talweg_ground::hydrology::DInfinity) has it.
    Divided,
}

impl NodeDrainage {
    /// How a cell chooses its receiver.
    pub fn routing(&self, cx: &Context) -> FlowRouting {
        if self.is_drawn { FlowRouting::Rho8(cx.random) } else { FlowRouting::D8 }
    }
}

/// What a node asks about the smoothed heights of the whole ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSmoothing {
    /// Standard deviation in metres, above 0.
    pub metres: f32,
    /// How far from a sample it looks at heights and smoothed heights.
    pub reach: NodeReach,
}

/// The water of the whole ground in a window.
#[derive(Clone, Debug, Default)]
pub struct DrainedGround {
    /// Heights with depressions filled, as fractions of the relief; empty where the water is divided.
    pub surface: Vec<f32>,
    /// Area of the whole that drains through each cell, weighted by the rain, in cells; empty where the node does not
    /// ask.
    pub areas: Vec<f32>,
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
