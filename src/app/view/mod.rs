//! The 3D view: terrain, water and sky, drawn by one pass of our own, and the orbit camera.
//!
//! ```text
//! worker                main world                      render world
//! RenderTerrain ─Arc─▶ ViewState ────────extract─────▶ Textures (upload in bands, swap when complete)
//!                      ViewCommand, mouse ▶ camera      surface: patches, uniforms ▶ Batch of draw calls ▶ one pass
//!                      Probe ◀── pick ◀── cursor        FrameStatus (serial) ▶ redraw until it is the wanted one
//! ```
//! A square ([`square`], [`square_drawing`]) and a planet ([`globe`]) are two surfaces of that one chain ([`draw`]):
//! they differ in projection, distances, camera and shader entry points.
//!
//! To show a terrain: call [`RenderTerrain::new`] on the worker, put the result into [`ViewState`] with the table of a
//! palette, and [`Waker::wake`]. The panels write [`ViewportArea`] in every frame and send [`ViewCommand`]s. Everything
//! the camera does happens in [`ViewSystems`].
//!
//! Deliberately absent: meshes, materials and lights of Bevy (a single pass with its own shaders is much faster
//! without a graphics card), skirts (neighbouring patches meet exactly, see [`lod`]).

#![allow(clippy::disallowed_methods, reason = "no height depends on how it is drawn")]

mod adaptive;
mod apply;
mod batch;
mod bounds;
mod camera;
mod compare;
mod control;
mod cover;
mod draw;
mod frame;
pub mod globe;
mod ground_materials;
mod idle;
mod legend;
mod light;
pub mod lod;
mod mesh;
mod mips;
mod mode;
mod overlay;
mod palette;
mod pick;
mod pipelines;
mod plant_shadows;
mod ramp;
mod render_base;
mod render_terrain;
mod scale;
mod scatter;
mod shader_text;
mod site;
mod sky_texture;
mod square;
mod square_drawing;
mod stage;
mod state;
mod surface_water;
mod texels;
mod textures;
mod tile_renderer;
mod tiles;
mod trace;
mod tree_surface;
mod void_mask;

use bevy::prelude::*;
use bevy::transform::TransformSystems;

pub use apply::{Hit, Probe};
pub(crate) use apply::{camera_bundle, near_world, place};
pub use camera::{Lens, Pose};
pub use compare::{CompareLayout, CompareSide, ComparedTerrain, Pane};
pub use control::{CameraManners, ViewCamera, ViewCommand, ViewSystems, ViewportArea};
pub use draw::{DrawPlugin, TerrainCamera};
pub use idle::{IdlePlugin, Waker};
pub use legend::{Legend, Tick};
pub use mesh::RenderQuality;
pub use mode::ViewMode;
pub use overlay::{Overlay, OverlayChoice, Reference, climate_of, overlay_colours};
pub use ramp::Ramp;
pub use render_terrain::RenderTerrain;
pub use scale::{SIDE_WORLD, WorldScale};
pub use square::{SquareTerrain, Tint};
pub use stage::{GroundPosition, Stage};
pub use state::{FrameStatus, ViewState};
#[cfg(test)]
pub use trace::FARTHEST_WORLD;
pub use trace::cost_legend;
pub use tree_surface::{TreeRecipe, TreeSurface, Unsupported};

/// The view in a window. Needs bevy_egui's plugin and `DefaultPlugins`.
pub struct ViewPlugin;

impl Plugin for ViewPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins((DrawPlugin::default(), globe::GlobePlugin, IdlePlugin))
            .add_message::<ViewCommand>()
            .init_resource::<ViewCamera>()
            .init_resource::<ViewportArea>()
            .init_resource::<CameraManners>()
            .init_resource::<Probe>()
            .add_systems(Startup, apply::spawn_camera)
            .add_systems(Update, (control::obey_commands, control::follow_mouse).chain().in_set(ViewSystems::Input))
            .add_systems(
                PostUpdate,
                (apply::apply_camera, apply::update_probe)
                    .chain()
                    .in_set(ViewSystems::Apply)
                    .before(TransformSystems::Propagate)
                    .before(bevy::camera::CameraUpdateSystems),
            )
            .add_systems(Last, apply::redraw_when_area_changes);
    }
}
