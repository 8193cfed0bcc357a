//! Colours, biomes and rules for materials.

mod biomes;
mod ground_rules;
mod pictures;
