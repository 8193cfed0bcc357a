//! Carries out camera commands over a globe.

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy::window::{PrimaryWindow, RequestRedraw};
use glam::DVec3;

use super::{GlobeCamera, initial_direction, lens};
use crate::view::camera::command::ViewCommand;
use crate::view::camera::input::{CameraBehaviour, ViewportArea};
use crate::view::compare::CompareSide;
use crate::view::globe::camera::map::MapPose;
use crate::view::globe::camera::orbit::OrbitPose;
use crate::view::globe::camera::{GlobeGlide, GlobePose};
use crate::view::globe::{Attitude, GlobeSurface, PlanetView};
use crate::view::lens::Lens;
use crate::view::state::ViewState;
use talweg::preferences::PlanetProjection;

/// Carries out camera commands over a globe; starts and continues glides.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
pub fn obey_commands(
    mut commands: MessageReader<ViewCommand>,
    mut camera: ResMut<GlobeCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    planet_view: Res<PlanetView>,
    (area, manners): (Res<ViewportArea>, Res<CameraBehaviour>),
    time: Res<Time<Real>>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let (Some(terrain), Some(window)) = (state.globe_on_side(CompareSide::A), window) else { return };
    let size = area.clamped_rect(window.size()).size();
    let ground = terrain.ground_from_afar(&planet_view.view, state.water);
    let highest = ground.radius + ground.range.1;
    let confined = |pose: &GlobePose| terrain.confine(pose, &planet_view.view, state.water);
    let other_planet = camera.framed.is_some_and(|(_, radius)| radius != ground.radius);
    if other_planet {
        camera.by_hand = false;
    }
    if !camera.by_hand && camera.framed != Some((size, ground.radius)) {
        camera.pose = GlobePose::framing(initial_direction(&planet_view, terrain), highest, &lens(size));
        camera.orbit = OrbitPose::framing(&planet_view.body.attitude);
        camera.framed = Some((size, ground.radius));
    }
    if camera.map_framed != size {
        let is_whole = camera.map == MapPose::default() || camera.map == MapPose::framing(camera.map_framed);
        camera.map = if is_whole { MapPose::framing(size) } else { camera.map.confined(size) };
        camera.map_framed = size;
    }
    let mut seconds = time.delta_secs();
    for &command in commands.read() {
        if let ViewCommand::Over { place } = command {
            camera.put_over(terrain, &planet_view.view, state.water, place);
            redraw.write(RequestRedraw);
            continue;
        }
        match planet_view.projection {
            PlanetProjection::Globe => {
                let first = initial_direction(&planet_view, terrain);
                let to = confined(&commanded(command, &camera.pose, &ground, first, &lens(size)));
                if manners.jumps {
                    (camera.pose, camera.glide) = (to, None);
                } else {
                    camera.glide = Some(GlobeGlide::new(camera.pose, to, ground.radius));
                }
                camera.by_hand = true;
                seconds = 0.0;
            }
            PlanetProjection::Map => camera.map = MapPose::framing(size),
            PlanetProjection::Orbit => camera.orbit = around_orbit(command, camera.orbit, &planet_view.body.attitude),
        }
        redraw.write(RequestRedraw);
    }
    if let Some(mut glide) = camera.glide.take() {
        let (pose, is_finished) = glide.advance(seconds);
        camera.pose = confined(&pose);
        if !is_finished {
            camera.glide = Some(glide);
            redraw.write(RequestRedraw);
        }
    }
}

/// The pose of the camera after a command.
fn commanded(command: ViewCommand, now: &GlobePose, ground: &GlobeSurface, first: DVec3, lens: &Lens) -> GlobePose {
    let highest = ground.radius + ground.range.1;
    let down = |heading: f64| {
        // near the surface the camera looks towards the horizon, and from far away it looks down on the land
        let pitch = if now.radius < 1.05 * ground.radius { now.pitch.clamp(-0.5, -0.12) } else { now.pitch.min(-1.2) };
        now.facing(heading, pitch)
    };
    match command {
        ViewCommand::Frame | ViewCommand::Look { .. } | ViewCommand::Over { .. } | ViewCommand::Stand { .. } => {
            GlobePose::framing(now.up_vector(), highest, lens)
        }
        ViewCommand::Perspective => GlobePose::framing(first, highest, lens),
        ViewCommand::Top => now.facing(0.0, -FRAC_PI_2),
        ViewCommand::FromSouth => down(0.0),
        ViewCommand::FromWest => down(FRAC_PI_2),
        ViewCommand::FromNorth => down(2.0 * FRAC_PI_2),
        ViewCommand::FromEast => down(-FRAC_PI_2),
    }
}

fn around_orbit(command: ViewCommand, now: OrbitPose, attitude: &Attitude) -> OrbitPose {
    let first = OrbitPose::framing(attitude);
    match command {
        ViewCommand::Frame
        | ViewCommand::Perspective
        | ViewCommand::Look { .. }
        | ViewCommand::Over { .. }
        | ViewCommand::Stand { .. } => first,
        ViewCommand::Top => OrbitPose { height: 1.5, ..now },
        ViewCommand::FromSouth => OrbitPose { yaw: 0.0, ..now },
        ViewCommand::FromWest => OrbitPose { yaw: FRAC_PI_2, ..now },
        ViewCommand::FromNorth => OrbitPose { yaw: 2.0 * FRAC_PI_2, ..now },
        ViewCommand::FromEast => OrbitPose { yaw: 3.0 * FRAC_PI_2, ..now },
    }
}
