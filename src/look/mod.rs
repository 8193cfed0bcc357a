//! Turns terrain into colour: palettes and hillshade, shared by the editor, the 2D map and the command line.

mod palette;

pub use palette::{Palette, PaletteTable, palette, palette_names};
