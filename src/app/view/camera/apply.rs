//! Applies the camera pose to Bevy's camera, and finds the terrain point under the cursor.

use bevy::camera::Viewport;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::window::{PrimaryWindow, RequestRedraw};

use super::input::{ViewportArea, pane_at_cursor};
use super::pose::Pose;
use super::square::ViewCamera;
use super::square::confine::{clearance_world, confined};
use crate::view::compare::CompareSide;
use crate::view::construction_surface::TreeSurface;
use crate::view::lens::FIELD_OF_VIEW;
use crate::view::render::TerrainCamera;
use crate::view::render::mesh::RenderQuality;
use crate::view::scale::SIDE_WORLD;
use crate::view::square::SquareTerrain;
use crate::view::state::ViewState;

/// The terrain point under the cursor, if there is one.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Probe {
    pub hit: Option<Hit>,
}

/// A point on the terrain surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Position on the square from its north-west corner: 0 to 1, eastwards and southwards.
    pub u: f32,
    pub v: f32,
    pub height_metres: f32,
    /// Position in metres east and south of the square's north-west corner.
    pub position_metres: [f32; 2],
}

/// The components of the view's camera.
pub fn camera_bundle(quality: RenderQuality, adapter: Option<&RenderAdapterInfo>) -> impl Bundle + use<> {
    let msaa = if quality.is_frugal(adapter) { Msaa::Off } else { Msaa::Sample4 };
    (
        TerrainCamera,
        Camera3d::default(),
        Camera { order: 0, clear_color: ClearColorConfig::Custom(BACKGROUND), ..default() },
        Projection::Perspective(PerspectiveProjection { fov: FIELD_OF_VIEW, near: 0.5, ..default() }),
        Tonemapping::None,
        DebandDither::Disabled,
        msaa,
    )
}

/// Background colour before the first terrain is drawn.
const BACKGROUND: Color = Color::srgb(0.50, 0.55, 0.60);

pub fn spawn_camera(mut commands: Commands, quality: Res<RenderQuality>, adapter: Option<Res<RenderAdapterInfo>>) {
    commands.spawn(camera_bundle(*quality, adapter.as_deref()));
}

/// Moves Bevy's camera to a pose. `near` is the distance of the near plane in world units, and `fov` is the vertical
/// field of view in radians.
pub fn place_camera(pose: &Pose, (near, fov): (f32, f32), transform: &mut Transform, projection: &mut Projection) {
    *transform = Transform { translation: pose.eye_world, rotation: pose.rotation(), scale: Vec3::ONE };
    if let Projection::Perspective(perspective) = projection {
        (perspective.near, perspective.fov) = (near, fov);
    }
}

/// Distance of the near plane from the eye, in world units. The near plane is nearer to the eye than any visible
/// terrain.
pub fn near_plane_world<'a>(
    pose: &Pose,
    terrains: impl IntoIterator<Item = &'a SquareTerrain>,
    tree_surface: Option<&TreeSurface>,
) -> f32 {
    let near = |square: &SquareTerrain| {
        let over_top = pose.eye_world.y - square.scale.top_world();
        let floor = match tree_surface {
            Some(tree_surface) => tree_surface.floor_world(pose.eye_world, 1e-4),
            None => square.floor_world(pose.eye_world),
        };
        let above = (pose.eye_world.y - floor).max(0.0);
        (0.2 * clearance_world(square, tree_surface)).max(0.1 * over_top.min(above)).max(1e-4)
    };
    terrains.into_iter().map(near).reduce(f32::min).unwrap_or(0.5)
}

/// Sets the viewport, the pose and the projection of Bevy's camera.
pub fn apply_camera(
    mut view: ResMut<ViewCamera>,
    mut cameras: Query<(&mut Camera, &mut Transform, &mut Projection), With<TerrainCamera>>,
    state: Res<ViewState>,
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let (Some(window), Ok((mut camera, mut transform, mut projection))) = (window, cameras.single_mut()) else {
        return;
    };
    let size = window.physical_size();
    if size.min_element() > 0 {
        let rect = area.clamped_rect(window.size());
        let pixels = window.scale_factor();
        let min = (rect.min * pixels).round().as_uvec2().min(size - 1);
        let max = (rect.max * pixels).round().as_uvec2().clamp(min + 1, size.max(min + 1));
        camera.viewport = Some(Viewport { physical_position: min, physical_size: max - min, ..default() });
    }
    if state.square_on_side(CompareSide::A).is_none() {
        return;
    }
    let pose = confined(view.pose, state.projection, &state);
    if pose != view.pose {
        view.pose = pose;
    }
    let near = near_plane_world(&pose, state.squares(), state.tree_surface.as_deref());
    place_camera(&pose, (near, state.projection.field_of_view()), &mut transform, &mut projection);
}

/// Finds the terrain under the cursor.
pub fn update_probe(
    mut probe: ResMut<Probe>,
    view: Res<ViewCamera>,
    state: Res<ViewState>,
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let found = || {
        let cursor = view.cursor()?;
        let (pane, rect) = pane_at_cursor(cursor, window.as_ref()?.size(), &area, &state)?;
        let square = state.square_on_side(pane.side)?;
        let ray = view.pose.ray(&state.lens(rect.size()), cursor - pane.image_rect(rect).min);
        let point = state.pick(pane.side, view.pose.eye_world, ray).map(|t| view.pose.eye_world + ray * t)?;
        let (uv, scale) = (square.scale.uv(point), &square.scale);
        let side_metres = SIDE_WORLD * scale.metres_per_world;
        Some(Hit {
            u: uv.x,
            v: uv.y,
            height_metres: point.y * scale.metres_per_world,
            position_metres: [uv.x * side_metres, uv.y * side_metres],
        })
    };
    probe.set_if_neq(Probe { hit: found() });
}

/// Requests another frame if the panels have changed the area that they leave free for the view. Panels are laid out
/// only after the camera has moved.
pub fn redraw_when_area_changes(
    area: Res<ViewportArea>,
    mut last: Local<Option<Rect>>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    let now = Rect { min: area.min, max: area.max };
    if last.replace(now) != Some(now) {
        redraw.write(RequestRedraw);
    }
}
