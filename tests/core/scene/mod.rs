//! Scenes: their files, edits and patches.

mod edits;
mod patches;
mod references;
mod scenes;
mod stamps;
