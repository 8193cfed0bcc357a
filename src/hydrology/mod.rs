//! Where water goes: directions, hollows, areas, lakes and streams on a grid.
//!
//! Everything works on [`Cells`], the distinct samples of a grid. Water leaves at [`Outlets`]: the open edges, what lies at or
//! below the sea and, on a wrapping terrain without a sea, its lowest cell. Heights are compared with ties broken by index, so
//! every cell that is no outlet and no pit has exactly one receiver, also on level ground.
//!
//! ```text
//!  height ─▶ descent: receivers (steepest, scattered) ─▶ basins: pits, passes, spill levels ─▶ receivers without pits
//!                                                           │ filled surface, lakes                │
//!                                                           ▼                                      ▼
//!                                              spread: D∞ on the filled surface        order: areas, streams, erosion
//! ```
//! [`hollows`] tells how deep every hollow is by itself, and on ground turned upside down how prominent every peak.
//! [`GlobeCells`] are the samples of a globe, and [`GlobeRoutes`] the same work on them.
//! Parallel parts write each cell once; what is sequential runs in index order. No bit depends on the threads.

mod basins;
mod cells;
mod descent;
mod flood;
mod globe;
mod hollows;
mod network;
mod order;
mod spread;

pub use basins::{Basins, Lake, OUTSIDE, Pass};
pub use cells::{AROUND, Cells, Outlets};
pub use descent::{Descent, Steering};
pub use flood::flooded;
pub use globe::{GlobeCells, GlobeRoutes};
pub use hollows::{Hollow, hollows};
pub use network::strahler;
pub use order::{accumulate, upstream_first};
pub use spread::Spread;
