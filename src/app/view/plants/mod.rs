//! Plants and stones on the ground: which of them are drawn, and their shadows.

pub mod cells;
pub mod globe;
pub mod scatter;
pub mod shadows;
pub mod square;
