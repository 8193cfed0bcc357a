//! Finds the place on a globe under the cursor, and the image position of a place on a globe.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use glam::DVec3;

use super::{GlobeCamera, ground, lens};
use crate::view::camera::input::{ViewportArea, pane_at_cursor};
use crate::view::camera::square::ViewCamera;
use crate::view::globe::ground::meet_sphere;
use crate::view::globe::{GlobeSurface, PlanetView};
use crate::view::lens::ViewProjection;
use crate::view::state::ViewState;
use talweg::preferences::PlanetProjection;

/// The point of the globe under the cursor, if there is one.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct GlobeProbe {
    pub hit: Option<GlobeHit>,
}

/// A point of the globe's surface. Angles are in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobeHit {
    pub latitude: f32,
    pub longitude: f32,
    pub height_metres: f32,
}

impl GlobeHit {
    /// Position on a map of all longitudes and latitudes. Both numbers, to the east and to the south, are from 0 to 1.
    pub fn on_map(&self) -> [f32; 2] {
        [self.longitude / 360.0 + 0.5, 0.5 - self.latitude / 180.0]
    }
}

/// Finds the surface point under the cursor.
pub fn update_probe(
    mut probe: ResMut<GlobeProbe>,
    camera: Res<GlobeCamera>,
    view: Res<ViewCamera>,
    state: Res<ViewState>,
    planet_view: Res<PlanetView>,
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let found = || {
        let cursor = view.cursor()?;
        let (pane, rect) = pane_at_cursor(cursor, window.as_ref()?.size(), &area, &state)?;
        let terrain = state.globe_on_side(pane.side)?;
        let ground = ground(terrain, &planet_view, &state, &camera.pose);
        let picture = pane.image_rect(rect);
        let (size, at) = (picture.size(), cursor - picture.min);
        let direction = match planet_view.projection {
            PlanetProjection::Globe => ground.pick(
                camera.pose.eye(),
                camera.pose.ray(&state.layout().lens(rect.size(), ViewProjection::Perspective), at),
            )?,
            PlanetProjection::Map => camera.map.direction(size, at)?,
            PlanetProjection::Orbit => return None,
        };
        Some(hit(&ground, direction, terrain.relief_metres))
    };
    probe.set_if_neq(GlobeProbe { hit: found() });
}

fn hit(ground: &GlobeSurface, direction: DVec3, relief_metres: f32) -> GlobeHit {
    let direction = direction.normalize_or(DVec3::X);
    GlobeHit {
        latitude: direction.z.asin().to_degrees() as f32,
        longitude: direction.y.atan2(direction.x).to_degrees() as f32,
        height_metres: ground.height(direction) * relief_metres,
    }
}

/// Position, in an image of `size`, of a place on the globe. `None` if the globe hides the place.
pub fn project(
    camera: &GlobeCamera,
    planet_view: &PlanetView,
    ground: &GlobeSurface,
    size: Vec2,
    direction: DVec3,
) -> Option<Vec2> {
    match planet_view.projection {
        PlanetProjection::Map => Some(camera.map.project(size, direction)),
        PlanetProjection::Orbit => None,
        PlanetProjection::Globe => {
            let (eye, point) = (camera.pose.eye(), direction * ground.surface(direction));
            let first = meet_sphere(eye, (point - eye).normalize(), ground.radius + ground.range.0)?;
            let is_hidden = (first - eye).length() < 0.98 * (point - eye).length();
            if is_hidden { None } else { camera.pose.project(&lens(size), point) }
        }
    }
}
