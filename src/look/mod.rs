//! Turns terrain into colour: palettes, biomes and hillshade, shared by the editor, the 2D map and the command line.

mod biomes;
mod colour;
mod conditions;
mod ground;
mod image;
mod material_map;
pub mod materials;
mod openness;
mod palette;
mod piece_materials;
mod planet;
mod raster;
mod relief;
pub mod scatter;
mod sheets;
pub mod sky;
mod snow_sand;
pub mod text;
pub mod traced;

pub use biomes::{BiomeModel, Biomes, GlobeSites, Paint, SiteConditions, Units, colours};
pub use colour::{decode, encode};
pub use conditions::{GroundConditions, SITE_MAPS, site_conditions};
pub use ground::ground_colours;
pub use image::{RgbImage, heightmap};
pub use openness::{openness, openness_blocks, transposed};
pub use palette::PaletteTable;
pub use piece_materials::{GroundShareMaps, GroundShares};
pub use planet::{GlobePerspective, PlanetImage, colours_of, planet_normals, scene_image};
pub use relief::{relief, sky_view};
pub use sheets::{LegendEntry, MOST_WEIGHTED, PlanetLayout, TypeMap, TypeWeights, legend_ron};
pub use snow_sand::{COVERS, SampleCoverDepths, covered, share_hidden};
