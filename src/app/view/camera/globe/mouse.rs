//! Mouse control of the camera over a globe.

use bevy::input::mouse::MouseWheel;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use glam::DVec3;

use super::{GlobeCamera, GlobeDrag, ground};
use crate::view::camera::input::{CameraBehaviour, PIXELS_OF_A_LINE, ViewportArea, lines_scrolled, pane_under};
use crate::view::camera::square::ViewCamera;
use crate::view::compare::{CompareSide, Pane};
use crate::view::globe::camera::GlobePose;
use crate::view::globe::{GlobeSurface, PlanetView};
use crate::view::lens::{Lens, ViewProjection};
use crate::view::state::ViewState;
use talweg::preferences::{CameraGesture, PlanetProjection};

/// Orbits, pans and zooms the globe's camera by the mouse.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
pub fn follow_mouse(
    mut camera: ResMut<GlobeCamera>,
    mut wheel: MessageReader<MouseWheel>,
    buttons: Res<ButtonInput<MouseButton>>,
    (keys, manners): (Res<ButtonInput<KeyCode>>, Res<CameraBehaviour>),
    view: Res<ViewCamera>,
    (state, planet_view): (Res<ViewState>, Res<PlanetView>),
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let lines: f32 = wheel.read().map(lines_scrolled).sum();
    let (Some(_), Some(window)) = (state.globe_on_side(CompareSide::A), window) else { return };
    let Some(cursor) = view.cursor() else {
        camera.drag = None;
        return;
    };
    let rect = area.clamped_rect(window.size());
    let is_free = rect.contains(cursor) && !area.pointer_over_ui;
    // a drag keeps the image in which it started, even if the cursor leaves this image
    if camera.drag.is_none() {
        camera.pane = pane_under(cursor, rect, &state).unwrap_or(Pane::ALONE);
    }
    let Some(terrain) = state.globe_on_side(camera.pane.side) else { return };
    let picture = camera.pane.image_rect(rect);
    let (size, at) = (picture.size(), cursor - picture.min);
    let (lens, ground) = (
        state.layout().lens(rect.size(), ViewProjection::Perspective),
        ground(terrain, &planet_view, &state, &camera.pose),
    );
    let confined = |pose: &GlobePose| terrain.confine(pose, &planet_view.view, state.water);
    let dragging = buttons.any_pressed([MouseButton::Left, MouseButton::Middle, MouseButton::Right]);
    if !dragging {
        camera.drag = None;
    } else if camera.drag.is_none() {
        let gesture = manners.gesture(true, &buttons, &keys).filter(|_| is_free);
        let is_globe = planet_view.projection == PlanetProjection::Globe;
        let point = || anchor(&camera.pose, &lens, at, &ground);
        camera.drag = Some(match gesture {
            None => GlobeDrag::Elsewhere,
            Some(CameraGesture::Zoom) => GlobeDrag::Zoom { point: point(), under: at, from: at },
            Some(_) if !is_globe => GlobeDrag::Shift(at),
            Some(CameraGesture::Pan) => GlobeDrag::Hold(point()),
            Some(CameraGesture::Orbit) => GlobeDrag::Turn { pivot: point(), from: at },
            Some(CameraGesture::Look) => GlobeDrag::Look(at),
        });
        if is_free {
            camera.glide = None;
        }
    }
    let before = camera.pose;
    match camera.drag {
        Some(GlobeDrag::Hold(point)) => camera.pose = confined(&before.drag(&lens, point, at)),
        Some(GlobeDrag::Turn { pivot, from }) if from != at => {
            let turn = (at - from).as_dvec2() / f64::from(size.y) * std::f64::consts::PI;
            let turned = before.turn_about(pivot, -turn.x);
            camera.pose = confined(&turned.tilt_about(pivot, -turn.y, ground.radius));
            camera.drag = Some(GlobeDrag::Turn { pivot, from: at });
        }
        Some(GlobeDrag::Zoom { point, under, from }) if from != at => {
            let lines = (at.x - from.x + from.y - at.y) / PIXELS_OF_A_LINE;
            camera.zoom(terrain, (&planet_view, &state), (&lens, size), (point, under), lines);
            camera.drag = Some(GlobeDrag::Zoom { point, under, from: at });
        }
        Some(GlobeDrag::Look(from)) if from != at => {
            let turn = (at - from).as_dvec2() / f64::from(size.y) * std::f64::consts::PI;
            camera.pose = confined(&before.facing(before.heading() + turn.x, before.pitch - turn.y));
            camera.drag = Some(GlobeDrag::Look(at));
        }
        Some(GlobeDrag::Shift(from)) if from != at => {
            if planet_view.projection == PlanetProjection::Map {
                camera.map = camera.map.drag(size, from, at);
            } else {
                let turn = (at - from).as_dvec2() / f64::from(size.y) * 3.0;
                camera.orbit = camera.orbit.turned(turn.x, turn.y);
            }
            camera.drag = Some(GlobeDrag::Shift(at));
        }
        _ => {}
    }
    if lines != 0.0 && is_free {
        camera.glide = None;
        let point = anchor(&camera.pose, &lens, at, &ground);
        camera.zoom(terrain, (&planet_view, &state), (&lens, size), (point, at), lines);
    }
    // a click without motion does not count as moving the camera
    if camera.pose != before {
        camera.by_hand = true;
    }
}

/// The point that a drag holds: the surface point under the cursor. If the cursor is off the globe, it is the nearest
/// point of the globe.
fn anchor(pose: &GlobePose, lens: &Lens, at: Vec2, ground: &GlobeSurface) -> DVec3 {
    let (eye, ray) = (pose.eye(), pose.ray(lens, at));
    ground.pick(eye, ray).unwrap_or_else(|| {
        let beside = (eye - ray * eye.dot(ray).min(0.0)).normalize_or(pose.up_vector());
        beside * ground.surface(beside)
    })
}
