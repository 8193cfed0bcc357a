//! Talweg: a real-time 3D terrain editor. The architecture page is being written.
#[cfg(feature = "app")]
pub mod app;
pub mod eval;
pub mod field;
pub mod io;
pub mod look;
pub mod nodes;
pub mod param;
pub mod scene;
