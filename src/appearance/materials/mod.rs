//! What the ground is made of: how it looks from near, and how much of it lies at a place.

pub(super) mod conditions;
pub(super) mod material_map;
pub(super) mod piece_materials;
pub mod textures;
