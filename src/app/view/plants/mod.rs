//! Plants and stones on the terrain: selection of the drawn ones, and their shadows.

pub mod cells;
pub mod scatter;
pub mod shadows;
