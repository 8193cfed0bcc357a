//! The crate `talweg_ground`: files, meshes, drainage, brush strokes.

mod brushes;
mod files;
mod hydrology;
mod import;
mod mesh;
mod readers;
