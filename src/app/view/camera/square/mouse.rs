//! Mouse control of the camera over a square.

use bevy::input::mouse::MouseWheel;
use bevy::prelude::*;
use bevy::window::{CursorMoved, PrimaryWindow};

use super::confine::{clearance_world, confined};
use super::{CameraDrag, Framed, ViewCamera};
use crate::view::camera::input::{CameraBehaviour, PIXELS_OF_A_LINE, ViewportArea, lines_scrolled, pane_under};
use crate::view::camera::pose::{PanPlane, Pose};
use crate::view::compare::CompareSide;
use crate::view::lens::Lens;
use crate::view::scale::SIDE_WORLD;
use crate::view::square::SquareTerrain;
use crate::view::state::ViewState;
use talweg::preferences::CameraGesture;

/// Orbits, pans and zooms the square's camera by the mouse.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
pub fn follow_mouse(
    mut camera: ResMut<ViewCamera>,
    mut wheel: MessageReader<MouseWheel>,
    mut moved: MessageReader<CursorMoved>,
    buttons: Res<ButtonInput<MouseButton>>,
    (keys, manners): (Res<ButtonInput<KeyCode>>, Res<CameraBehaviour>),
    state: Res<ViewState>,
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let Some(window) = window else { return };
    // outside the window, the mouse position is known only during a drag
    let beyond = moved.read().last().map(|moved| moved.position);
    let lines: f32 = wheel.read().map(lines_scrolled).sum();
    let dragging = buttons.any_pressed([MouseButton::Left, MouseButton::Middle, MouseButton::Right]);
    camera.cursor = window.cursor_position().or(if dragging { beyond.or(camera.cursor) } else { None });
    if state.square_on_side(CompareSide::A).is_none() {
        return;
    }
    let Some(cursor) = camera.cursor else {
        camera.drag = None;
        return;
    };
    let rect = area.clamped_rect(window.size());
    let is_free = rect.contains(cursor) && !area.pointer_over_ui;
    // a drag keeps the image in which it started, even if the cursor leaves this image
    if camera.drag.is_none() || !dragging {
        let Some(pane) = pane_under(cursor, rect, &state) else { return };
        camera.picture = (pane.side, pane.image_rect(rect).min);
    }
    let (side, origin) = camera.picture;
    let Some(square) = state.square_on_side(side) else { return };
    let (lens, at) = (state.lens(rect.size()), cursor - origin);

    if !dragging {
        camera.drag = None;
    } else if camera.drag.is_none() {
        let alt = keys.any_pressed([KeyCode::AltLeft, KeyCode::AltRight]);
        let is_taken = area.primary_taken && buttons.pressed(MouseButton::Left) && !alt;
        let gesture = manners.gesture(false, &buttons, &keys).filter(|_| is_free && !is_taken);
        let point = || anchor(&camera.pose, &lens, at, side, &state);
        camera.drag = Some(match gesture {
            None => CameraDrag::Elsewhere,
            Some(CameraGesture::Orbit) => CameraDrag::Rotate { pivot_world: point(), from: at },
            Some(CameraGesture::Pan) => {
                CameraDrag::Pan { grabbed_world: point(), plane: pan_plane(&camera.pose, &lens, at) }
            }
            Some(CameraGesture::Zoom) => CameraDrag::Zoom { anchor_world: point(), from: at },
            Some(CameraGesture::Look) => CameraDrag::Look { from: at },
        });
        if is_free {
            camera.glide = None;
        }
    }
    let pose = camera.pose;
    match camera.drag {
        Some(CameraDrag::Rotate { pivot_world, from }) if from != at => {
            let turn = (at - from) / lens.size.y * std::f32::consts::PI;
            camera.pose = turned(&pose, pivot_world, turn, &state);
            camera.drag = Some(CameraDrag::Rotate { pivot_world, from: at });
        }
        Some(CameraDrag::Pan { grabbed_world, plane }) => {
            camera.pose = confined(pose.pan_to(&lens, grabbed_world, at, plane), state.projection, &state);
        }
        Some(CameraDrag::Zoom { anchor_world, from }) if from != at => {
            let lines = (at.x - from.x + from.y - at.y) / PIXELS_OF_A_LINE;
            camera.pose = zoomed(&pose, anchor_world, lines, square, &state);
            camera.drag = Some(CameraDrag::Zoom { anchor_world, from: at });
        }
        Some(CameraDrag::Look { from }) if from != at => {
            let turn = (at - from) / lens.size.y * std::f32::consts::PI;
            camera.pose = pose.rotate_about(pose.eye_world, turn.x, -turn.y);
            camera.drag = Some(CameraDrag::Look { from: at });
        }
        _ => {}
    }
    // a click without motion does not count as moving the camera
    if camera.pose != pose {
        camera.framed = Framed::ByHand;
    }
    if lines != 0.0 && is_free {
        camera.glide = None;
        camera.framed = Framed::ByHand;
        let anchor_world = anchor(&camera.pose, &lens, at, side, &state);
        camera.pose = zoomed(&camera.pose, anchor_world, lines, square, &state);
    }
}

/// The pose after zooming towards a point by `lines` of the mouse wheel, or away from the point if `lines` is negative.
/// The zoom stops at the smallest allowed distance from the terrain.
fn zoomed(pose: &Pose, anchor_world: Vec3, lines: f32, square: &SquareTerrain, state: &ViewState) -> Pose {
    let distance = pose.eye_world.distance(anchor_world).max(1e-3);
    let nearest = (2.0 * clearance_world(square, state.tree_surface.as_deref())).min(distance);
    let factor = 0.88f32.powf(lines.clamp(-10.0, 10.0)).max(nearest / distance);
    confined(pose.zoom_towards(anchor_world, factor), state.projection, state)
}

/// The plane in which panning moves the eye: horizontal, unless the ray through the cursor is almost horizontal.
fn pan_plane(pose: &Pose, lens: &Lens, at: Vec2) -> PanPlane {
    if pose.ray(lens, at).normalize().y < -0.3 { PanPlane::Level } else { PanPlane::Picture }
}

/// The point that a drag holds: the terrain or sea point under the cursor. If the cursor is on neither, the drag holds
/// a point on the cursor's ray, about as far away as the terrain's centre.
fn anchor(pose: &Pose, lens: &Lens, at: Vec2, side: CompareSide, state: &ViewState) -> Vec3 {
    let Some(square) = state.square_on_side(side) else { return Vec3::ZERO };
    let (scale, ray) = (&square.scale, pose.ray(lens, at).normalize());
    let ground = state.pick(side, pose.eye_world, ray);
    let level = |height: f32| {
        let distance = (height - pose.eye_world.y) / ray.y;
        (distance > 0.0 && scale.is_inside(pose.eye_world + ray * distance)).then_some(distance)
    };
    let sea = if scale.has_sea() { level(scale.sea_world) } else { None };
    let surface = [ground, sea].into_iter().flatten().reduce(f32::min);
    let (low, high) = scale.bounds_world();
    let middle = 0.5 * (low + high);
    let distance =
        surface.or_else(|| level(middle.y)).unwrap_or_else(|| pose.eye_world.distance(middle).max(0.05 * SIDE_WORLD));
    pose.eye_world + ray * distance
}

/// The pose after an orbit about a pivot. If terrain is in the way, only the heading changes.
fn turned(pose: &Pose, pivot_world: Vec3, turn: Vec2, state: &ViewState) -> Pose {
    let both = pose.rotate_about(pivot_world, turn.x, -turn.y);
    if confined(both, state.projection, state) == both {
        return both;
    }
    confined(pose.rotate_about(pivot_world, turn.x, 0.0), state.projection, state)
}
