//! A square terrain: its data prepared for drawing, picking, and its drawing.

pub mod bounds;
pub mod cover;
pub mod drawing;
pub mod frame;
mod land_around;
pub mod light;
pub mod lod;
pub mod metering;
pub mod parts;
pub mod patches;
pub mod pick;
pub mod plants;
pub mod site;
pub mod terrain;
pub mod void_mask;

pub use terrain::SquareTerrain;
