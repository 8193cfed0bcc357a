//! Drawing on the graphics card: textures, meshes, pipelines, lists of draw calls, light and auto exposure.

pub mod auto_exposure;
pub mod batch;
pub mod frustum;
pub mod ground_materials;
pub mod height_texels;
pub mod image_textures;
pub mod light;
pub mod mesh;
pub mod metering;
pub mod mips;
pub mod pipelines;
pub mod rules_text;
pub mod scene_needs;
pub mod shader_text;
pub mod sky_texture;
pub mod surface_water;
pub mod texels;
pub mod textures;

use bevy::prelude::Component;
use bevy::render::extract_component::ExtractComponent;

/// Marks the camera of the view.
#[derive(Component, Clone, Copy, Default, ExtractComponent)]
pub struct TerrainCamera;
