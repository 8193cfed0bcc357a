//! How a node can be computed in parts: window by window, with the same result, bit by bit, as on the whole terrain.
//!
//! A node declares this with the function `parts` of its trait. A window is a [`Grid`](talweg_ground::field::Grid) that
//! knows its position in the whole terrain, so a node's code runs unchanged on a window. A window has no samples beyond
//! its sides. The resulting errors reach inwards no farther than the node's stencil, and the margin with these errors
//! is cut off.

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
    /// A sample depends on the input within the stencil radius.
    Within(StencilRadius),
    /// In each iteration of a process, a sample depends on the previous state within the stencil radius.
    Iterations {
        /// Stencil radius of an iteration.
        reach: StencilRadius,
        /// Whether a process that starts on the saved state of another run
        /// ([`Run::into_resumable_state`](super::Run::into_resumable_state)) continues exactly as that run would.
        resumes: bool,
        /// Whether the process needs the total rainfall, which a part does not know if a layer below wrote a rain map.
        sums_rain: bool,
    },
    /// A sample depends on its position and on the drainage of the whole terrain, which the tiles compute in several
    /// stages ([`hydrology::tiled`](talweg_ground::hydrology::tiled)).
    Drained(NodeDrainage, &'a dyn DrainedFilter),
    /// In every iteration a sample depends on its position, on the drainage of the whole terrain, and on the new height
    /// of the sample that receives its water.
    StreamPower(NodeDrainage, &'a StreamPower),
    /// A sample depends on its position, on the input there, and on the lowest and the highest height of the whole
    /// terrain.
    Ranged(&'a dyn RangedFilter),
    /// A sample depends on the input and on the smoothed heights of the whole terrain, both within the stencil radius.
    Smoothed(NodeSmoothing, &'a dyn SmoothedFilter),
    /// The node runs only on the whole terrain. The text gives the reason and follows the word "because".
    WholeTerrain(&'static str),
}

/// A filter that can be computed in a window, given the drainage of the whole terrain.
pub trait DrainedFilter: Filter {
    /// Applies the filter as [`apply`](Filter::apply) does, in a window of a terrain with the drainage `water`.
    fn apply_drained(&self, cx: &Context, water: WindowDrainage, terrain: &mut Terrain) -> Result<(), Cancelled>;
}

/// A filter that can be computed in a window, given the lowest and the highest height of the whole terrain.
pub trait RangedFilter: Filter {
    /// Applies the filter as [`apply`](Filter::apply) does, in a window of the terrain. `range` is the range of the
    /// whole terrain ([`Terrain::range`]).
    fn apply_ranged(&self, cx: &Context, range: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled>;
}

/// A filter that can be computed in a window, given the smoothed heights of the whole terrain.
pub trait SmoothedFilter: Filter {
    /// Applies the filter as [`apply`](Filter::apply) does, in a window of the terrain with the smoothed heights
    /// `smooth`.
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
        if strokes.are_pointwise() { Self::Points } else { Self::WholeTerrain(Self::WHOLE_STROKE_REASON) }
    }

    /// The reason why strokes with a brush that reads neighbouring samples need the whole terrain.
    pub const WHOLE_STROKE_REASON: &'static str =
        "a brush that smooths, smears or erodes changes the whole stroke at once";
    /// The parts of a node that routes water over the terrain.
    pub const DRAINED: Self = Self::WholeTerrain("water can reach a sample from anywhere on the terrain");
    /// The parts of a node that changes cells in place.
    pub const CHANGES_IN_PLACE: Self =
        Self::WholeTerrain("it changes cells one after another, and each cell reads the earlier changes");
    /// The parts of a node that runs on planets only.
    pub const PLANET: Self = Self::WholeTerrain("it runs on planets");

    /// Stencil radius of one pass or iteration, in cells of the grid of `cx`; `None` if the node needs the whole
    /// terrain.
    pub fn cells(&self, cx: &Context) -> Option<usize> {
        match self {
            Self::Points | Self::Ranged(_) => Some(0),
            Self::Within(reach) | Self::Iterations { reach, .. } => Some(reach.cells(cx)),
            Self::Drained(..) | Self::StreamPower(..) => Some(1),
            Self::Smoothed(smoothing, _) => Some(smoothing.reach.cells(cx)),
            Self::WholeTerrain(_) => None,
        }
    }
}

/// Drainage of the whole terrain that a node needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDrainage {
    /// Height of the sea surface in metres.
    pub sea_metres: f32,
    /// Whether the node's random stream chooses the cell that receives a cell's water (Rho8). Otherwise each cell
    /// drains to its steepest neighbour (D8).
    pub is_drawn: bool,
    /// The drainage areas that the node needs.
    pub areas: NodeAreas,
}

/// The drainage areas that a node needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeAreas {
    /// The node needs no drainage areas.
    NotNeeded,
    /// The drainage areas if all water of a cell flows to a single cell.
    Undivided,
    /// The drainage areas if the water of a cell is divided between two neighbours, as in
    /// [`DInfinity`](talweg_ground::hydrology::DInfinity).
    Divided,
}

impl NodeDrainage {
    /// The method that chooses the cell that receives a cell's water.
    pub fn routing(&self, cx: &Context) -> FlowRouting {
        if self.is_drawn { FlowRouting::Rho8(cx.random) } else { FlowRouting::D8 }
    }
}

/// Smoothed heights of the whole terrain that a node needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSmoothing {
    /// Standard deviation in metres, above 0.
    pub metres: f32,
    /// Radius around a sample within which the node reads heights and smoothed heights.
    pub reach: StencilRadius,
}

/// The drainage of the whole terrain, cut out for a window.
#[derive(Clone, Debug, Default)]
pub struct WindowDrainage {
    /// Heights with filled depressions, as fractions of the relief; empty if the water is divided.
    pub surface: Vec<f32>,
    /// Drainage area of each cell in the whole terrain, weighted by rain, in cells; empty if the node does not need it.
    pub areas: Vec<f32>,
}

/// A stencil radius: the sum of a part in cells, a part in metres and a part in square metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StencilRadius {
    /// Part of the radius in cells.
    pub cells: usize,
    /// Part of the radius in metres.
    pub metres: f32,
    /// Upper limit of the radius's part in metres, as a fraction of the terrain's side length.
    pub max_sides: f32,
    /// Part of the radius in square metres. It adds one cell for each time that the area of a cell fits into it, like
    /// the steps of explicit diffusion.
    pub square_metres: f32,
}

impl StencilRadius {
    /// A fixed number of cells on any grid.
    pub const fn of_cells(cells: usize) -> Self {
        Self { cells, metres: 0.0, max_sides: f32::INFINITY, square_metres: 0.0 }
    }

    /// A radius in metres plus a number of cells.
    pub const fn of_metres(metres: f32, cells: usize) -> Self {
        Self { metres, ..Self::of_cells(cells) }
    }

    /// The radius in cells of the grid of `cx`, rounded up.
    pub fn cells(&self, cx: &Context) -> usize {
        let cell = f64::from(cx.size_metres) / (cx.grid.whole_samples() - 1) as f64;
        let sides = f64::from(self.metres) / f64::from(cx.size_metres);
        let metres = sides.min(f64::from(self.max_sides)) * f64::from(cx.size_metres);
        let cells = metres / cell + f64::from(self.square_metres) / (cell * cell);
        // the cast saturates
        (libm::ceil(cells) as usize).saturating_add(self.cells)
    }
}
