//! The 3D view: terrain, water and sky, drawn in one render pass with our own shaders, and the camera.
//!
//! ```text
//! worker                main world                      render world
//! RenderTerrain ─Arc─▶ ViewState ────────extract─────▶ Textures (upload in bands, swap when complete)
//!                      ViewCommand, mouse ▶ camera      surface: patches, uniforms ▶ Batch of draw calls ▶ one pass
//!                      Probe ◀── pick ◀── cursor        FrameStatus (serial) ▶ redraw until it is the wanted one
//! ```
//! A square terrain ([`square`], [`square::drawing`]) and a planet ([`globe`]) are two surfaces in the same pipeline
//! ([`render`]). They differ in projection, distances, camera and shader entry points.
//!
//! To show a terrain: call [`RenderTerrain::new`] on the worker, put the result into [`ViewState`] together with the
//! table of a palette, and call [`Waker::wake`]. The panels write [`ViewportArea`] in every frame and send
//! [`ViewCommand`]s. All camera systems run in [`ViewSystems`].
//!
//! Deliberately absent: meshes, materials and lights of Bevy, because a single pass with its own shaders is much faster
//! without a graphics card; and skirts, because neighbouring patches meet exactly (see [`square::lod`]).

#![allow(clippy::disallowed_methods, reason = "drawing does not affect heights")]

mod camera;
mod compare;
mod construction_surface;
pub mod globe;
mod idle;
mod mode;
mod overlays;
mod plants;
pub(crate) mod render;
mod render_base;
mod render_terrain;
mod scale;
mod square;
mod state;
mod tiles;

use bevy::prelude::*;
use bevy::transform::TransformSystems;

pub use camera::apply::{Hit, Probe};
pub(crate) use camera::apply::{camera_bundle, near_world, place};
pub use camera::control::{CameraManners, ViewCamera, ViewCommand, ViewSystems, ViewportArea};
pub use camera::stage::{GroundPosition, Stage};
pub use camera::{Lens, Pose, ViewProjection};
pub use compare::{CompareLayout, CompareSide, ComparedTerrain, Pane};
#[cfg(test)]
pub use construction_surface::trace::FARTHEST_WORLD;
pub use construction_surface::trace::cost_legend;
pub use construction_surface::{TreeRecipe, TreeSurface, Unsupported};
pub use idle::{IdlePlugin, Waker};
pub use mode::{RayDetail, ViewMode};
pub use overlays::legend::{Legend, Tick};
pub use overlays::overlay::{Overlay, OverlayChoice, Reference, climate_of, overlay_colours};
pub use overlays::ramp::Ramp;
pub use render::mesh::RenderQuality;
pub use render::{DrawPlugin, TerrainCamera};
pub use render_terrain::RenderTerrain;
pub use scale::{SIDE_WORLD, WorldScale};
pub use square::{SquareTerrain, Tint};
pub use state::{FrameStatus, ViewState};

/// The view in a window. Needs the plugin of bevy_egui and `DefaultPlugins`.
pub struct ViewPlugin;

impl Plugin for ViewPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins((DrawPlugin::default(), globe::GlobePlugin, IdlePlugin))
            .add_message::<ViewCommand>()
            .init_resource::<ViewCamera>()
            .init_resource::<ViewportArea>()
            .init_resource::<CameraManners>()
            .init_resource::<Probe>()
            .add_systems(Startup, camera::apply::spawn_camera)
            .add_systems(
                Update,
                (camera::control::obey_commands, camera::control::follow_mouse).chain().in_set(ViewSystems::Input),
            )
            .add_systems(
                PostUpdate,
                (camera::apply::apply_camera, camera::apply::update_probe)
                    .chain()
                    .in_set(ViewSystems::Apply)
                    .before(TransformSystems::Propagate)
                    .before(bevy::camera::CameraUpdateSystems),
            )
            .add_systems(Last, camera::apply::redraw_when_area_changes);
    }
}
