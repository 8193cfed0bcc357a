//! Playing a process.

pub mod transport;
