//! Sampled terrain: the grid, its neighbours and its metric, heights and data maps, resampling, slope, random numbers,
//! and the cancellation flag that every evaluation checks.
//!
//! Heights are fractions of the relief, and positions are fractions of the terrain's side length. Row 0 is the north
//! edge, column 0 the west edge.

mod control;
pub mod globe;
mod grid;
pub mod metric;
mod random;
mod region;
mod resample;
mod slope;
mod smooth_step;
mod square;
mod terrain;
pub mod topology;
pub mod vector;
mod void_edge;

pub use control::{Cancelled, Control};
pub use globe::Globe;
pub use grid::{Edges, Grid, MAX_SAMPLES, MIN_SAMPLES};
pub use metric::{Metric, Spherical, Uniform};
pub use random::Stream;
pub use region::Region;
pub use resample::{
    DISPLACEMENT_HALO, GridDisplacement, catmull_rom_weights, input_samples, resample, resample_displaced,
};
pub use slope::{
    globe_gradient, globe_slope_degrees, gradient, gradient_degrees, inner_columns, sampled_gradient, slope_degrees,
    slopes_of_row,
};
pub use smooth_step::smooth_step;
pub use square::SquareReader;
pub use terrain::{FieldHasher, HAS_GROUND, MapKind, Terrain, Voids, bilinear, cell_and_fraction, terrain_hash};
pub use topology::{Adjacency, DIRECTIONS};
pub use void_edge::heights_over_void;
