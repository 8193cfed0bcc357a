//! Formulas of the channels that an erosion process keeps from one grid to the next finer grid
//! ([`multiscale`](crate::multiscale)).

pub mod incised_channels;
pub mod stream_courses;
pub mod trunk_streams;
