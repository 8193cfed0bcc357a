//! Tests of the crate `talweg_ground`: files, meshes, drainage and brush strokes.

mod brushes;
mod files;
mod foreign;
mod hydrology;
mod import;
mod mesh;
mod readers;
