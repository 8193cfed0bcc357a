//! Talweg.
pub mod eval;
pub mod field;
pub mod io;
pub mod look;
pub mod nodes;
pub mod param;
pub mod scene;

#[cfg(feature = "app")]
pub mod app;
