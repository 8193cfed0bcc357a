//! Plants and stones on the terrain: selection of the drawn objects, and shadows of the objects.

pub mod cells;
pub mod scatter;
pub mod shadows;
