//! Plans the images of globes, which the render world then draws.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::window::RequestRedraw;
use glam::DVec3;

use super::GlobeCamera;
use crate::view::compare::CompareSide;
use crate::view::globe::camera::clearance;
use crate::view::globe::camera::orbit::LineEnds;
use crate::view::globe::{GlobeTerrain, PlanetView, PlannedScenery, Scenery};
use crate::view::state::ViewState;
use talweg::preferences::{GlobeView, PlanetProjection};

/// Radius of the sun's disc in the sky, as a chord of the unit sphere. The disc is a little larger than the real sun,
/// for visibility.
const SUN_SIZE: f64 = 0.0075;

/// Plans the images of the globes in the view, and requests a frame if an image changed.
pub fn plan(
    mut planned: ResMut<PlannedScenery>,
    mut camera: ResMut<GlobeCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    planet_view: Res<PlanetView>,
) {
    if state.globe_on_side(CompareSide::A).is_none() {
        if planned.0.iter().any(Option::is_some) {
            *planned = PlannedScenery::default();
        }
        return;
    }
    let pose = CompareSide::BOTH
        .into_iter()
        .filter_map(|side| state.globe_on_side(side))
        .fold(camera.pose, |pose, terrain| terrain.confine(&pose, &planet_view.view, state.water));
    if pose != camera.pose {
        camera.pose = pose;
    }
    let sides = CompareSide::BOTH.map(|side| {
        state.globe_on_side(side).map(|terrain| Arc::new(scenery(&camera, terrain, &planet_view, state.water)))
    });
    if planned.0 != sides {
        planned.0 = sides;
        redraw.write(RequestRedraw);
    }
}

/// The planned image of a globe, seen from a camera.
pub fn scenery(camera: &GlobeCamera, terrain: &GlobeTerrain, planet_view: &PlanetView, water: bool) -> Scenery {
    let (pose, attitude) = (&camera.pose, &planet_view.body.attitude);
    let ground = match planet_view.projection {
        PlanetProjection::Globe => terrain.ground_from(&planet_view.view, pose.eye(), water),
        PlanetProjection::Map | PlanetProjection::Orbit => terrain.ground_from_afar(&planet_view.view, water),
    };
    let up = pose.up_vector();
    let above = pose.radius - ground.surface(up);
    let sun = if planet_view.view.night_side {
        attitude.to_sun()
    } else {
        // the light comes from behind the viewer's left shoulder
        (up + pose.orientation * DVec3::new(-0.45, 0.0, -0.40)).normalize()
    };
    let mut scenery = Scenery {
        projection: planet_view.projection,
        body: planet_view.body,
        view: GlobeView { exaggeration: ground.exaggeration(terrain.relief_metres) as f32, ..planet_view.view.clone() },
        water,
        eye: pose.eye(),
        rotation: pose.rotation(),
        // nearer than any terrain: below the highest terrain, a wall can be beside the eye
        near: (0.1 * above.min(pose.radius - ground.radius - ground.range.1)).max(0.3 * clearance(&ground)),
        sun,
        sun_from_eye: sun,
        sun_size: if planet_view.view.night_side { SUN_SIZE } else { 0.0 },
        sky_turn: attitude.turn(),
        map: camera.map,
        map_width: f64::from(camera.map_framed.x),
        lines: LineEnds::new(),
    };
    if planet_view.projection == PlanetProjection::Orbit {
        let view = camera.orbit.view(attitude, ground.radius);
        scenery.eye = view.eye;
        scenery.rotation = view.rotation;
        scenery.near = 0.02 * ground.radius;
        scenery.sun = attitude.to_sun();
        scenery.sun_from_eye = view.sun_from_eye;
        scenery.sun_size = view.sun_size;
        scenery.lines = view.lines;
    }
    scenery
}
