//! Carries out camera commands over a square.

use bevy::prelude::*;
use bevy::window::{PrimaryWindow, RequestRedraw};

use super::{Framed, ViewCamera, bounds_world};
use crate::view::camera::command::ViewCommand;
use crate::view::camera::input::{CameraBehaviour, ViewportArea};
use crate::view::camera::pose::{Glide, Pose};
use crate::view::lens::ViewProjection;
use crate::view::scale::SIDE_WORLD;
use crate::view::state::ViewState;

/// Smallest change of the terrain's top or bottom, in world units, after which the camera frames the terrain again.
const REFRAME_THRESHOLD_WORLD: f32 = 0.08 * SIDE_WORLD;

/// Carries out camera commands over a square; starts and continues glides.
pub fn obey_commands(
    mut commands: MessageReader<ViewCommand>,
    mut camera: ResMut<ViewCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    (area, manners): (Res<ViewportArea>, Res<CameraBehaviour>),
    time: Res<Time<Real>>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let (Some((low, high)), Some(window)) = (bounds_world(&state), window) else { return };
    // use the size of the whole view: a change of the comparison layout must not make the camera frame the terrain
    // again
    let size = area.clamped_rect(window.size()).size();
    let lens = state.lens(size);
    // compare the view size as well, because the first frames are drawn before the panels have reported the free area
    let heights_world = Vec2::new(low.y, high.y);
    let fits = match camera.framed {
        Framed::ByHand => true,
        Framed::NotYet => false,
        Framed::For { size: known, heights_world: framed } => {
            size == known && (heights_world - framed).abs().max_element() < REFRAME_THRESHOLD_WORLD
        }
    };
    if camera.projection != state.projection {
        (camera.pose, camera.glide) = (camera.projected(state.projection, &state), None);
        camera.projection = state.projection;
        redraw.write(RequestRedraw);
    }
    if !fits {
        camera.pose = ViewCommand::Perspective.pose(&camera.pose, (low, high), &lens, state.projection);
        camera.framed = Framed::For { size, heights_world };
    }
    let mut seconds = time.delta_secs();
    for command in commands.read() {
        if let ViewCommand::Stand { eye_world, yaw, pitch } = *command
            && state.projection == ViewProjection::Orthographic
        {
            camera.jump_to(Pose { eye_world, yaw, pitch });
            redraw.write(RequestRedraw);
            continue;
        }
        let there = command.pose(&camera.pose, (low, high), &lens, state.projection);
        let (from, to) = command.seen(low, high);
        if manners.jumps {
            (camera.pose, camera.glide) = (there, None);
            redraw.write(RequestRedraw);
        } else {
            camera.glide = Some(Glide::new(camera.pose, there, 0.5 * (from + to)));
        }
        camera.framed = Framed::ByHand;
        // the glide starts now, not at the last frame
        seconds = 0.0;
    }
    if let Some(mut glide) = camera.glide.take() {
        let (pose, is_finished) = glide.advance(seconds);
        camera.pose = pose;
        if !is_finished {
            camera.glide = Some(glide);
            redraw.write(RequestRedraw);
        }
    }
}
