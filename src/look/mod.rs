//! Turns terrain into colour: palettes, biomes and hillshade, shared by the editor, the 2D map and the command line.

mod biomes;
mod colour;
mod covers;
mod palette;
mod picture;
mod planet;
mod raster;
mod relief;
mod sheets;
pub mod text;
pub mod traced;

pub use biomes::{BiomeModel, Biomes, Paint, SiteConditions, Units, colours};
pub use covers::{COVERS, share_hidden};
pub use palette::PaletteTable;
pub use picture::{RgbImage, heightmap};
pub use planet::{GlobePerspective, PlanetImage, PlanetMap, colours_of, picture, planet_map};
pub use relief::relief;
pub use sheets::{LegendEntry, PlanetLayout, RowMajor, TypeMap};
