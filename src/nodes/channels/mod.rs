//! Laws of the channels that an erosion keeps from one grid to the next finer one
//! ([`multiscale`](crate::multiscale)).

pub mod incised_channels;
pub mod stream_courses;
pub mod trunk_streams;
