//! The 3D view: terrain, water and sky, drawn in one render pass with our own shaders, and the camera.
//!
//! ```text
//! worker                main world                       render world
//! RenderTerrain ─Arc─▶ ViewState ────────extract───────▶ Textures (upload in bands, swap when complete)
//!                      PlannedScenery ◀─ camera ◀─ mouse  Surface: patches, uniforms ▶ Batch of draw calls ▶ one pass
//!                      Probe ◀── pick ◀── cursor          FrameStatus (serial) ▶ redraw until it is the wanted one
//! ```
//! To show a terrain: call [`RenderTerrain::new`] on the worker, put the result into [`ViewState`] together with the
//! table of a palette, and call [`Waker::wake`]. The panels write [`ViewportArea`] in every frame and send
//! [`ViewCommand`]s. All camera systems run in [`ViewSystems`].
//!
//! ## Planet and globe, terrain and square
//! A *planet* is a world that a scene describes: its radius, air, sun and climate (see [`talweg::planet`]). A *globe*
//! is the shape of a planet's terrain: a sphere of six faces with samples ([`talweg::field::Globe`]). The surface that
//! the view draws from these samples is also called a globe ([`globe`]). In names, "planet" belongs to scenes, and
//! "globe" to grids, terrains, poses, patches and parts. The other shape of a terrain is the *square* ([`square`]).
//! Square and globe are the two implementations of [`surface::Surface`], the contract for drawing a frame.
//!
//! ## Modules
//! The list runs from the lowest level to the highest. Each module uses only modules before it in the list, and no more
//! than three files use each other in a circle. `tests/core/repository/tidy.rs` reads the list and checks both rules.
//!
//! | module | contents |
//! |---|---|
//! | [`scale`] | world space: position and scale of a square terrain |
//! | [`mode`] | how the terrain is drawn: view modes, and where an overlay's data come from |
//! | [`lens`] | projection, field of view and size of an image |
//! | [`compare`] | A and B: which part of the view shows which terrain |
//! | [`render`] | the graphics card: textures, meshes, pipelines, lists of draw calls, materials, light, exposure |
//! | [`plants`] | plants and stones on any surface, and their shadows |
//! | [`overlays`] | data maps that colour the terrain, with ramps and legends; the palette |
//! | [`render_base`] | data that all terrains prepared for drawing have |
//! | [`surface`] | the contract of the surfaces, and the drawing code that all surfaces share |
//! | [`tiles`] | tiles of fine terrain that threads compute while they are in view |
//! | [`construction_surface`] | a construction tree as a surface: tiles that follow the camera, and sphere tracing |
//! | [`square`] | a square terrain: prepared, picked, and drawn from its grid or from a construction tree |
//! | [`globe`] | a globe: prepared, picked, and drawn with its air, clouds, sea, night and stars |
//! | [`render_terrain`] | a terrain prepared for drawing, square or globe |
//! | [`state`] | the wanted state of the view, and the state that was drawn last |
//! | [`drawing`] | the systems of the render world |
//! | [`camera`] | the cameras, commands and the mouse, and what the cursor points at |
//! | [`idle`] | redraws the window only after a change |
//!
//! The view uses no meshes, materials or lights of Bevy: without a graphics card, a single pass with our own shaders is
//! much faster. The patches of squares have no skirts, because neighbouring patches meet exactly (see [`square::lod`]).

#![allow(clippy::disallowed_methods, reason = "drawing does not affect heights")]

mod camera;
mod compare;
mod construction_surface;
mod drawing;
pub mod globe;
mod idle;
mod lens;
mod mode;
mod overlays;
mod plants;
pub(crate) mod render;
mod render_base;
mod render_terrain;
mod scale;
mod square;
mod state;
mod surface;
#[cfg(test)]
mod tests;
mod tiles;

use bevy::prelude::*;

pub use camera::apply::{Hit, Probe};
pub(crate) use camera::apply::{camera_bundle, near_plane_world, place_camera};
pub use camera::command::ViewCommand;
pub use camera::globe::GlobeCamera;
pub use camera::globe::plan::scenery;
pub use camera::globe::probe::{GlobeHit, GlobeProbe, project};
pub use camera::input::{CameraBehaviour, ViewSystems, ViewportArea};
pub use camera::pose::Pose;
pub use camera::square::ViewCamera;
pub use camera::stage::{GroundPosition, TerrainView};
pub use compare::{CompareLayout, CompareSide, Pane};
#[cfg(test)]
pub use construction_surface::trace::FARTHEST_WORLD;
pub use construction_surface::trace::cost_legend;
pub use construction_surface::{TreeRecipe, TreeSurface, Unsupported};
pub use drawing::DrawPlugin;
pub(crate) use drawing::drawn_pipelines;
pub use idle::{IdlePlugin, Waker};
pub use lens::{FIELD_OF_VIEW, Lens, ViewProjection};
pub use mode::{Tint, TreeDetail, ViewMode};
pub use overlays::choice::{Overlay, OverlayChoice, ReferenceTerrain, climate_of};
pub use overlays::data::overlay_colours;
pub use overlays::legend::{Legend, Tick};
pub use overlays::ramp::Ramp;
pub use render::TerrainCamera;
pub use render::mesh::RenderQuality;
pub use render_terrain::RenderTerrain;
pub use scale::{SIDE_WORLD, WorldScale};
pub use square::SquareTerrain;
pub use state::{ComparedTerrain, FrameStatus, ViewState};

/// The view in a window. The plugin requires bevy_egui's plugin and `DefaultPlugins`.
pub struct ViewPlugin;

impl Plugin for ViewPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins((DrawPlugin::default(), camera::ViewCameraPlugin, IdlePlugin));
    }
}
