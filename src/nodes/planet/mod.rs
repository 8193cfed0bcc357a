//! Nodes that make planets.
