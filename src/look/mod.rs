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

pub(crate) use biomes::dialect;
pub use biomes::{
    Bell, BiomeError, BiomeTable, Biomes, GroundType, Heights, LEAST_TOLERANCE, Law, Level, MAX_TYPES, PREFIX, Paint,
    Place, Units, biome_names, biome_table, colours, shipped_biome_table,
};
pub use covers::{COVERS, covered, share_hidden};
pub use palette::{
    Palette, PaletteError, PaletteTable, all_palette_names, is_palette, palette, palette_names, table_of,
};
pub use picture::{Picture, heightmap};
pub use planet::{GlobeView, PlanetMap, PlanetPicture, colours_of, picture, planet_map};
pub use relief::relief;
pub use sheets::{Laid, LegendEntry, PlanetLayout, TypeMap};
