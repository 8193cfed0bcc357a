//! Drainage of terrain on squares and globes: the flow graph, its basins and depressions, lakes and streams.
//!
//! All functions work on a [`FlowMesh`]: the cells of a grid with their neighbours, distances and areas. Water leaves
//! at [`Outlets`]: open edges and cells at or below the sea, or, if the terrain has neither, its lowest cell. Every
//! other cell of a [`FlowGraph`] has exactly one receiver, even on level terrain.
//!
//! ```text
//!  height ─▶ basins: pits, spill points and levels ─▶ filled surface, lakes
//!                                                        │
//!                                                        ▼
//!            FlowGraph: one receiver each, downhill (D8, Rho8) or out of a flat ─▶ DInfinity: two receivers each
//!                                                        │                             │
//!                                                        ▼                             ▼
//!                                                        upstream order: areas, streams, erosion
//! ```
//! [`depressions`] returns the depth of every depression, independent of the flow graph. On inverted terrain this depth
//! is the prominence of a peak. [`tiled`] computes the drainage tile by tile. Parallel loops write each cell once;
//! sequential loops run in index order. Areas are summed as whole numbers ([`DrainedArea`]). The results therefore have
//! the same bits with any number of threads.

mod basins;
mod d_infinity;
mod depressions;
mod directions;
mod drained_area;
mod facets;
mod flats;
mod graph;
mod mesh;
mod order;
mod priority_flood;
mod receivers;
mod strahler;
pub mod tiled;

pub use basins::{Basins, Lake, OUTSIDE, SpillPoint};
pub use d_infinity::DInfinity;
pub use depressions::{Depression, depressions};
pub use directions::FlowRouting;
pub use drained_area::DrainedArea;
pub use graph::FlowGraph;
pub use mesh::{FlowMesh, LandBorder, Outlets};
pub use order::{UpstreamOrder, accumulate};
pub use priority_flood::priority_flood;
pub use receivers::{NeighbourReceivers, Receivers};
pub use strahler::strahler_orders;
