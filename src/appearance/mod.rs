//! Turns terrain into colour: palettes, biomes and hillshade, shared by the editor, the 2D map and the command line.
//!
//! | folder | contents |
//! |---|---|
//! | `biomes` | terrain colours from biomes; ground types for other programs |
//! | `colours` | sRGB and linear light, palettes by height, terrain colours without lighting |
//! | [`light`] | the sky, daylight, openness of the terrain to the sky |
//! | [`materials`] | ground materials such as rock, grass and sand: their textures, and their fractions at each position |
//! | [`scatter`] | positions and shapes of plants and stones |
//! | [`pictures`] | relief images, planets, ray-traced views, text in pictures |

mod biomes;
mod colours;
pub mod light;
pub mod materials;
pub mod pictures;
pub mod scatter;

pub use biomes::ground_types::{LegendEntry, MOST_WEIGHTED, PlanetLayout, TypeMap, TypeWeights, legend_ron};
pub use biomes::{BiomeModel, Biomes, GlobeSites, Paint, SampledGround, SiteConditions, Units, colours};
use colours::ground::by_rows;
pub use colours::ground::ground_colours;
pub use colours::palette::PaletteTable;
pub use colours::snow_sand::{COVERS, SampleCoverDepths, covered, hidden_fraction};
pub use colours::srgb::{decode, encode};
pub use light::openness::{SurroundingHeights, openness, openness_blocks, transposed};
pub use materials::conditions::{GroundConditions, SITE_MAPS, globe_site, site_conditions};
pub use materials::piece_materials::{CoverFractions, GroundShareMaps};
pub use pictures::image::{RgbImage, heightmap};
pub use pictures::planet::{GlobePerspective, PlanetImage, colours_of, planet_normals, scene_image};
pub use pictures::relief::relief;
pub use pictures::request::{MOST_PIXELS, PictureError, PictureRequest, PictureStyle, check_picture};
