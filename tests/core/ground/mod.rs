//! Tests of the crate `talweg_ground`: files, meshes, drainage and brush strokes.

mod brushes;
mod files;
mod hydrology;
mod import;
mod mesh;
mod readers;
