//! Turns terrain into colour: palettes and hillshade, shared by the editor, the 2D map and the command line.

mod colour;
mod covers;
mod palette;
mod picture;
mod raster;
mod relief;
pub mod text;
pub mod traced;

pub use palette::{Palette, PaletteError, PaletteTable, palette, palette_names, table_of};
pub use picture::{Picture, heightmap};
pub use relief::relief;
