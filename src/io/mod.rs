//! Heightmaps in and out.
