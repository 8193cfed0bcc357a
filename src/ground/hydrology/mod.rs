//! Where water goes: the flow graph of a terrain, its basins and depressions, lakes and streams, on squares and on
//! globes.
//!
//! Everything works on a [`FlowMesh`], the cells of a grid with their neighbours, distances and areas. Water leaves at
//! [`Outlets`]: the open edges, what lies at or below the sea and, on ground that has neither, its lowest cell. Heights
//! are compared with ties broken by index, so every cell that is no outlet and no pit has exactly one receiver, also on
//! level ground.
//!
//! ```text
//!  height ─▶ flow directions (D8, Rho8) ─▶ basins: pits, spill points and levels ─▶ FlowGraph: receivers without pits
//!                                               │ filled surface, lakes                │
//!                                               ▼                                      ▼
//!                                  DInfinity: two receivers each         upstream order: areas, streams, erosion
//! ```
//! [`depressions`] tells how deep every depression is by itself, and on ground turned upside down how prominent every
//! peak. [`tiled`] works all this out tile by tile. Parallel parts write each cell once; what is sequential runs in
//! index order. Areas are added as whole numbers ([`DrainedArea`]). No bit depends on the threads.

mod basins;
mod d_infinity;
mod depressions;
mod directions;
mod drained_area;
mod facets;
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
pub use directions::{FlowRouting, flow_directions};
pub use drained_area::DrainedArea;
pub use graph::FlowGraph;
pub use mesh::{FlowMesh, Outlets};
pub use order::{UpstreamOrder, accumulate};
pub use priority_flood::priority_flood;
pub use receivers::{NeighbourReceivers, Receivers};
pub use strahler::strahler_orders;
