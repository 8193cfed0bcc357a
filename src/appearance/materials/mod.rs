//! Ground materials: their textures for close-up views, and the fraction of each material at each position.

pub(super) mod conditions;
pub mod image_texture;
pub(super) mod material_map;
pub(super) mod piece_materials;
pub mod texture_cache;
pub mod texture_files;
pub mod textures;
