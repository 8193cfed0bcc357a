//! How a node can be computed in parts: window by window, with the same result, bit by bit, as on the whole terrain.
//!
//! A node declares this only in its traits. A window is a [`Grid`](talweg_ground::field::Grid) that knows its position
//! in the whole terrain, so a node's code runs on it unchanged. A window has no samples beyond its sides. The resulting
//! errors reach inwards no farther than the node's stencil, and this margin is cut off.

use super::erosion::stream_power::StreamPower;
use super::{Context, Filter};
use talweg_ground::brush::Strokes;
use talweg_ground::field::{Cancelled, Terrain};
use talweg_ground::hydrology::FlowRouting;

/// How a node can be computed in parts.
#[derive(Clone, Copy)]
pub enum NodeParts<'a> {
    /// A sample depends on its position and on the input at that position.
    Points,
    /// A sample depends on the input within reach.
    Within(StencilRadius),
    /// In each iteration of a process, a sample depends on the previous state within reach.
    Iterations {
        /// Stencil radius of an iteration.
        reach: StencilRadius,
        /// Whether a process that starts on the saved state of another run
        /// ([`Run::into_under_way`](super::Run::into_under_way)) continues exactly as that run would.
        resumes: bool,
        /// Whether the process needs the total rainfall, which a part does not know if a layer below wrote a rain map.
        sums_rain: bool,
    },
    /// A sample depends on its position and on the drainage of the whole terrain, which the tiles compute in several
    /// stages ([`hydrology::tiled`](talweg_ground::hydrology::tiled)).
    Drained(NodeDrainage, &'a dyn DrainedFilter),
    /// In every iteration a sample depends on its position, the drainage of the whole terrain, and the new heights of
    /// the samples that it drains to.
    Worn(NodeDrainage, &'a StreamPower),
    /// A sample depends on its position, the input there, and the lowest and the highest of all heights.
    Ranged(&'a dyn RangedFilter),
    /// A sample depends on the input and on the smoothed heights of the whole terrain, both within reach.
    Smoothed(NodeSmoothing, &'a dyn SmoothedFilter),
    /// The node runs only on the whole terrain. The text gives the reason and follows the word "because".
    Whole(&'static str),
}

/// A filter that can be computed in a window, given the drainage of the whole terrain.
pub trait DrainedFilter: Filter {
    /// As [`apply`](Filter::apply) in a window of the terrain with that drainage.
    fn apply_drained(&self, cx: &Context, water: WindowDrainage, terrain: &mut Terrain) -> Result<(), Cancelled>;
}

/// A filter that can be computed in a window, given the lowest and the highest height of the whole terrain.
pub trait RangedFilter: Filter {
    /// As [`apply`](Filter::apply) in a window of the terrain; `range` is that of the whole ([`Terrain::range`]).
    fn apply_ranged(&self, cx: &Context, range: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled>;
}

/// A filter that can be computed in a window, given the smoothed heights of the whole terrain.
pub trait SmoothedFilter: Filter {
    /// As [`apply`](Filter::apply) in a window of the terrain with those smoothed heights.
    fn apply_smoothed(&self, cx: &Context, smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled>;
}

impl NodeParts<'_> {
    /// A resumable process with a stencil radius of `cells` per iteration.
    pub const fn iterations(cells: usize) -> Self {
        Self::Iterations { reach: StencilRadius::of_cells(cells), resumes: true, sums_rain: false }
    }

    /// Whether the process needs the total rainfall.
    pub fn sums_rain(&self) -> bool {
        matches!(self, Self::Iterations { sums_rain: true, .. })
    }

    /// How brush strokes can be computed in parts.
    pub fn painted(strokes: &Strokes) -> Self {
        if strokes.are_pointwise() { Self::Points } else { Self::Whole(Self::WHOLE_STROKE_REASON) }
    }

    /// The reason why strokes with such a brush need the whole terrain.
    pub const WHOLE_STROKE_REASON: &'static str =
        "a brush that smooths, smears or erodes changes the whole stroke at once";
    /// For nodes that route water over the terrain.
    pub const DRAINED: Self = Self::Whole("water can reach a sample from anywhere on the terrain");
    /// For nodes that change cells in place.
    pub const CHANGES_IN_PLACE: Self =
        Self::Whole("it changes cells one after another, and each cell reads the earlier changes");
    /// For nodes that run on planets only.
    pub const PLANET: Self = Self::Whole("it runs on planets");

    /// Stencil radius of one pass or iteration in cells of the grid of `cx`; `None` if the node needs the whole
    /// terrain.
    pub fn cells(&self, cx: &Context) -> Option<usize> {
        match self {
            Self::Points | Self::Ranged(_) => Some(0),
            Self::Within(reach) | Self::Iterations { reach, .. } => Some(reach.cells(cx)),
            Self::Drained(..) | Self::Worn(..) => Some(1),
            Self::Smoothed(smoothing, _) => Some(smoothing.reach.cells(cx)),
            Self::Whole(_) => None,
        }
    }
}

/// Drainage of the whole terrain that a node needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDrainage {
    /// Height of the sea surface in metres.
    pub sea_metres: f32,
    /// Whether receivers are drawn from the node's random stream (Rho8); otherwise each cell drains to its steepest
    /// neighbour (D8).
    pub is_drawn: bool,
    /// The drainage areas that the node needs.
    pub areas: NodeAreas,
}

/// The drainage areas that a node needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeAreas {
    /// No drainage areas.
    Unasked,
    /// All water of a cell flows to its receiver.
    Undivided,
    /// The water of a cell is divided between two neighbours, as in [`DInfinity`](talweg_ground::hydrology::DInfinity).
    Divided,
}

impl NodeDrainage {
    /// The method by which each cell chooses its receiver.
    pub fn routing(&self, cx: &Context) -> FlowRouting {
        if self.is_drawn { FlowRouting::Rho8(cx.random) } else { FlowRouting::D8 }
    }
}

/// Smoothed heights of the whole terrain that a node needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSmoothing {
    /// Standard deviation in metres, above 0.
    pub metres: f32,
    /// Stencil radius around a sample, both for heights and for smoothed heights.
    pub reach: StencilRadius,
}

/// The drainage of the whole terrain, in a window.
#[derive(Clone, Debug, Default)]
pub struct WindowDrainage {
    /// Heights with filled depressions, as fractions of the relief; empty if the water is divided.
    pub surface: Vec<f32>,
    /// Drainage area of each cell in the whole terrain, weighted by rain, in cells; empty if the node does not need it.
    pub areas: Vec<f32>,
}

/// A stencil radius: the sum of the contributions below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StencilRadius {
    /// Radius in cells.
    pub cells: usize,
    /// Radius in metres.
    pub metres: f32,
    /// Upper limit of the radius in metres, as a fraction of the terrain's side.
    pub most_sides: f32,
    /// Radius in square metres: one cell for each time that the area of a cell fits into it, like the steps of explicit
    /// diffusion.
    pub square_metres: f32,
}

impl StencilRadius {
    /// A fixed number of cells on any grid.
    pub const fn of_cells(cells: usize) -> Self {
        Self { cells, metres: 0.0, most_sides: f32::INFINITY, square_metres: 0.0 }
    }

    /// A radius in metres plus a number of cells.
    pub const fn of_metres(metres: f32, cells: usize) -> Self {
        Self { metres, ..Self::of_cells(cells) }
    }

    /// The radius in cells of the grid of `cx`, rounded up.
    pub fn cells(&self, cx: &Context) -> usize {
        let cell = f64::from(cx.size_metres) / (cx.grid.whole_samples() - 1) as f64;
        let sides = f64::from(self.metres) / f64::from(cx.size_metres);
        let metres = sides.min(f64::from(self.most_sides)) * f64::from(cx.size_metres);
        let cells = metres / cell + f64::from(self.square_metres) / (cell * cell);
        // the cast saturates
        (libm::ceil(cells) as usize).saturating_add(self.cells)
    }
}
