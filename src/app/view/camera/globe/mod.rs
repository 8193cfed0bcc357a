//! The cameras of a planet (over its globe, over its map and of its orbit), and their motion.

pub mod commands;
pub mod mouse;
pub mod plan;
pub mod probe;

use bevy::prelude::*;
use glam::{DQuat, DVec2, DVec3};

use crate::view::compare::Pane;
use crate::view::globe::camera::map::MapPose;
use crate::view::globe::camera::orbit::OrbitPose;
use crate::view::globe::camera::{GlobeGlide, GlobePose};
use crate::view::globe::{GlobeSurface, GlobeTerrain, PlanetView};
use crate::view::lens::{FIELD_OF_VIEW, Lens};
use crate::view::state::ViewState;
use talweg::field::globe::from_angles;
use talweg::preferences::{GlobeView, PlanetProjection};

/// The cameras of a globe and their current motion.
#[derive(Resource)]
pub struct GlobeCamera {
    pub pose: GlobePose,
    pub map: MapPose,
    pub orbit: OrbitPose,
    glide: Option<GlobeGlide>,
    drag: Option<GlobeDrag>,
    /// The view size and terrain height that the pose was framed for. `None` after the user has moved the camera.
    framed: Option<(Vec2, f64)>,
    by_hand: bool,
    map_framed: Vec2,
    /// The pane of the view under the cursor.
    pane: Pane,
}

impl Default for GlobeCamera {
    fn default() -> Self {
        Self {
            pose: GlobePose::straight_down(DVec3::X, 2e7),
            map: MapPose::default(),
            orbit: OrbitPose::default(),
            glide: None,
            drag: None,
            framed: None,
            by_hand: false,
            map_framed: Vec2::ZERO,
            pane: Pane::ALONE,
        }
    }
}

impl GlobeCamera {
    /// Cameras that show the whole globe, the whole map and the whole orbit in an image of `size` pixels.
    pub fn framing(terrain: &GlobeTerrain, planet_view: &PlanetView, size: Vec2) -> Self {
        let ground = terrain.ground_from_afar(&planet_view.view, true);
        let pose =
            GlobePose::framing(initial_direction(planet_view, terrain), ground.radius + ground.range.1, &lens(size));
        let orbit = OrbitPose::framing(&planet_view.body.attitude);
        Self { pose, map: MapPose::framing(size), map_framed: size, orbit, ..Self::default() }
    }

    /// The cameras after a move to a position above a place; see `put_over`. The call waits until the fine terrain is
    /// prepared, because heights are measured from its surface.
    pub fn placed_over(mut self, terrain: &GlobeTerrain, planet_view: &PlanetView, place: [f64; 5]) -> Self {
        if let Some(ground) = terrain.detail(&planet_view.view) {
            ground.detail();
        }
        self.put_over(terrain, &planet_view.view, true, place);
        self
    }

    /// The camera raised above the drawn terrain; `None` if it is above already. The drawn tiles can be coarser than
    /// the terrain over which the camera was placed.
    pub fn raised_above(&self, terrain: &GlobeTerrain, planet_view: &PlanetView) -> Option<Self> {
        let pose = terrain.confine(&self.pose, &planet_view.view, true);
        (pose.radius > self.pose.radius + 1e-3).then(|| self.with_pose(pose))
    }

    /// The camera after a rotation about the planet's axis by `angle`, in radians. The height of the eye does not
    /// change.
    #[must_use]
    pub fn turned_round(&self, angle: f64) -> Self {
        let pose = self.pose.turn_about(DVec3::Z, angle);
        self.with_pose(pose)
    }

    /// The cameras turned on the spot by an angle in radians.
    pub fn looking_round(&self, angle: f64) -> Self {
        self.with_pose(self.pose.facing(self.pose.heading() + angle, self.pose.pitch))
    }

    fn with_pose(&self, pose: GlobePose) -> Self {
        Self { pose, map: self.map, orbit: self.orbit, by_hand: true, ..Self::default() }
    }

    /// Moves the camera to a position above a place, `height_metres` above the drawn surface. All angles are in
    /// degrees; a negative `pitch` looks downwards.
    fn put_over(
        &mut self,
        terrain: &GlobeTerrain,
        view: &GlobeView,
        with_sea: bool,
        [latitude, longitude, height_metres, heading, pitch]: [f64; 5],
    ) {
        let direction = DVec3::from(from_angles(latitude.to_radians(), longitude.to_radians()));
        let pose = GlobePose::straight_down(direction, terrain.stand(direction, height_metres, view, with_sea));
        let pose = pose.facing(heading.to_radians(), pitch.to_radians());
        self.pose = terrain.confine(&pose, view, with_sea);
        let there = MapPose { latitude: latitude.to_radians(), longitude: longitude.to_radians(), ..self.map };
        self.map = if self.map_framed == Vec2::ZERO { there } else { there.confined(self.map_framed) };
        (self.glide, self.by_hand) = (None, true);
    }

    /// Zooms in by `lines` of the mouse wheel, or out if `lines` is negative. Over the globe, `point` stays at the
    /// image position `under`. The map zooms about the place at `under`, and the orbit view about its centre.
    fn zoom(
        &mut self,
        terrain: &GlobeTerrain,
        (planet_view, state): (&PlanetView, &ViewState),
        (lens, size): (&Lens, Vec2),
        (point, under): (DVec3, Vec2),
        lines: f32,
    ) {
        let factor = 0.86f64.powf(f64::from(lines.clamp(-10.0, 10.0)));
        match planet_view.projection {
            PlanetProjection::Globe => {
                let radius = ground(terrain, planet_view, state, &self.pose).radius;
                let nearer = self.pose.approach(lens, point, under, factor, radius);
                // the vertical exaggeration falls as the camera descends, which lowers the surface under the cursor
                let place = point.normalize_or(DVec3::X);
                let sunk = place * ground(terrain, planet_view, state, &nearer).surface(place);
                let held = nearer
                    .turned_under_cursor(lens, sunk, under)
                    .filter(|held| held.up_vector().dot(nearer.up_vector()) > 0.5);
                self.pose = terrain.confine(&held.unwrap_or(nearer), &planet_view.view, state.water);
            }
            PlanetProjection::Map => self.map = self.map.zoom(size, under, factor),
            PlanetProjection::Orbit => self.orbit = self.orbit.zoomed(factor),
        }
    }

    /// Whether the camera glides to another pose.
    pub fn is_gliding(&self) -> bool {
        self.glide.is_some()
    }
}

#[derive(Clone, Copy)]
enum GlobeDrag {
    /// This point of the globe stays under the cursor.
    Hold(DVec3),
    /// The camera orbits about a point.
    Turn { pivot: DVec3, from: Vec2 },
    /// The camera zooms towards a point or away from it.
    Zoom { point: DVec3, under: Vec2, from: Vec2 },
    /// The camera turns on the spot.
    Look(Vec2),
    /// The map or the orbit view is panned.
    Shift(Vec2),
    /// The drag started over a panel, so the camera ignores it.
    Elsewhere,
}

fn lens(size: Vec2) -> Lens {
    Lens { fov_y: FIELD_OF_VIEW, size }
}

/// The direction from which a planet is first seen. By default the camera is above the morning side, so that some night
/// is visible. If much more land is visible from another direction over the day side, that direction is used.
fn initial_direction(planet_view: &PlanetView, terrain: &GlobeTerrain) -> DVec3 {
    let sun = planet_view.body.attitude.to_sun().normalize_or(DVec3::X);
    let usual = (DQuat::from_rotation_z(0.75) * sun + DVec3::Z * 0.35).normalize_or(DVec3::X);
    let land = terrain.land_directions(LAND_SAMPLES);
    // each land sample counts by its projected area as seen from `from`
    let seen = |from: DVec3| land.iter().map(|place| place.dot(from).max(0.0)).sum::<f64>();
    let lit = (-4..=4).flat_map(|row| {
        let latitude = f64::from(row) * 0.12;
        (-6..=6).map(move |column| (latitude, f64::from(column) * 0.12))
    });
    let turned = lit.map(|(latitude, turn)| {
        let around = DQuat::from_rotation_z(turn) * sun;
        let level = around.truncate().normalize_or(DVec2::X);
        let height = (around.z.clamp(-1.0, 1.0).asin() + latitude).clamp(-1.2, 1.2);
        (level * height.cos()).extend(height.sin())
    });
    let best = turned.max_by(|a, b| seen(*a).total_cmp(&seen(*b))).unwrap_or(usual);
    if seen(best) > LAND_TURNS * seen(usual) { best } else { usual }
}

/// `LAND_SAMPLES` is the number of samples per side of a face that are tested for land. The default direction is
/// replaced only if another direction shows at least `LAND_TURNS` times as much land.
const LAND_SAMPLES: usize = 17;
const LAND_TURNS: f64 = 1.15;

/// The surface of the globe as the view draws it for this pose.
fn ground<'a>(
    terrain: &'a GlobeTerrain,
    planet_view: &PlanetView,
    state: &ViewState,
    pose: &GlobePose,
) -> GlobeSurface<'a> {
    terrain.ground_from(&planet_view.view, pose.eye(), state.water)
}
