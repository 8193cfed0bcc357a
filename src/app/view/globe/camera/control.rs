//! Camera control of a planet by mouse and commands.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use bevy::input::mouse::MouseWheel;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, RequestRedraw};
use glam::{DQuat, DVec2, DVec3};

use super::map::MapPose;
use super::orbit::OrbitPose;
use super::{GlobeGlide, GlobePose};
use crate::view::camera::control::{
    CameraManners, PIXELS_OF_A_LINE, ViewCamera, ViewCommand, ViewportArea, lines_scrolled, pane_under,
};
use crate::view::camera::{FIELD_OF_VIEW, Lens, ViewProjection};
use crate::view::compare::{CompareSide, Pane};
use crate::view::globe::ground::{GlobeSurface, meet_sphere};
use crate::view::globe::scenery::{LineEnds, PlanetView, PlannedScenery, Scenery};
use crate::view::globe::sun::Attitude;
use crate::view::globe::terrain::GlobeTerrain;
use crate::view::state::ViewState;
use talweg::field::globe::from_angles;
use talweg::preferences::{CameraGesture, GlobeView, PlanetProjection};

/// Radius of the sun in the sky as a chord: a little larger than true, for visibility.
const SUN_SIZE: f64 = 0.0075;

/// The point of the planet under the cursor, if any.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct GlobeProbe {
    pub hit: Option<GlobeHit>,
}

/// A point of the surface; angles are in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobeHit {
    pub latitude: f32,
    pub longitude: f32,
    pub height_metres: f32,
}

impl GlobeHit {
    /// Position on a map of all longitudes and latitudes: to the east and to the south, from 0 to 1.
    pub fn on_map(&self) -> [f32; 2] {
        [self.longitude / 360.0 + 0.5, 0.5 - self.latitude / 180.0]
    }
}

/// The cameras of a planet and their current motion.
#[derive(Resource)]
pub struct GlobeCamera {
    pub pose: GlobePose,
    pub map: MapPose,
    pub orbit: OrbitPose,
    glide: Option<GlobeGlide>,
    drag: Option<GlobeDrag>,
    /// The view size and terrain height for which the pose was framed, until the user moves the camera.
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
    /// Cameras that show the whole planet, the whole map and the whole orbit in an image of `size` pixels.
    pub fn framing(terrain: &GlobeTerrain, planet_view: &PlanetView, size: Vec2) -> Self {
        let ground = terrain.ground_from_afar(&planet_view.view, true);
        let pose = GlobePose::framing(first_sight(planet_view, terrain), ground.radius + ground.range.1, &lens(size));
        let orbit = OrbitPose::framing(&planet_view.body.attitude);
        Self { pose, map: MapPose::framing(size), map_framed: size, orbit, ..Self::default() }
    }

    /// Moves over a place; see `put_over`. Waits for the fine terrain, because heights are measured from it.
    pub fn placed_over(mut self, terrain: &GlobeTerrain, planet_view: &PlanetView, place: [f64; 5]) -> Self {
        if let Some(ground) = terrain.detail(&planet_view.view) {
            ground.detail();
        }
        self.put_over(terrain, &planet_view.view, true, place);
        self
    }

    /// Turned about the planet's axis by an angle in radians, at the same height.
    #[must_use]
    pub fn turned_round(&self, angle: f64) -> Self {
        let pose = self.pose.turn_about(DVec3::Z, angle);
        self.with_pose(pose)
    }

    /// Turned on the spot by an angle in radians.
    pub fn looking_round(&self, angle: f64) -> Self {
        self.with_pose(self.pose.facing(self.pose.heading() + angle, self.pose.pitch))
    }

    fn with_pose(&self, pose: GlobePose) -> Self {
        Self { pose, map: self.map, orbit: self.orbit, by_hand: true, ..Self::default() }
    }

    /// Moves over a place, at `height_metres` above the drawn surface. Angles are in degrees; the inclination is
    /// negative downwards.
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

    /// Zooms in by `lines` of the mouse wheel (out if negative). `point` is a point of the globe that stays at `under`
    /// in the image; on the map and in the orbit view, `under` and the centre play that part.
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
                // the exaggeration has fallen on the way down, and the surface under the cursor with it
                let place = point.normalize_or(DVec3::X);
                let sunk = place * ground(terrain, planet_view, state, &nearer).surface(place);
                let held = nearer.hold(lens, sunk, under).filter(|held| held.up_vector().dot(nearer.up_vector()) > 0.5);
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

/// The direction from which a planet is first seen. The usual one is the morning side, so that some night is visible.
/// If a direction over the day side shows much more land, that one is used.
fn first_sight(planet_view: &PlanetView, terrain: &GlobeTerrain) -> DVec3 {
    let sun = planet_view.body.attitude.to_sun().normalize_or(DVec3::X);
    let usual = (DQuat::from_rotation_z(0.75) * sun + DVec3::Z * 0.35).normalize_or(DVec3::X);
    let land = terrain.land_directions(LAND_SAMPLES);
    // each land sample counts by its projected area
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

/// Samples per side of a face that are tested for land, and how many times more land must be visible to leave the usual
/// direction.
const LAND_SAMPLES: usize = 17;
const LAND_TURNS: f64 = 1.15;

/// The surface as drawn for a pose.
pub fn ground<'a>(
    terrain: &'a GlobeTerrain,
    planet_view: &PlanetView,
    state: &ViewState,
    pose: &GlobePose,
) -> GlobeSurface<'a> {
    terrain.ground_from(&planet_view.view, pose.eye(), state.water)
}

/// Carries out commands; starts and continues glides.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
pub fn obey_commands(
    mut commands: MessageReader<ViewCommand>,
    mut camera: ResMut<GlobeCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    planet_view: Res<PlanetView>,
    (area, manners): (Res<ViewportArea>, Res<CameraManners>),
    time: Res<Time<Real>>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let (Some(terrain), Some(window)) = (state.globe_of(CompareSide::A), window) else { return };
    let size = area.clamped_rect(window.size()).size();
    let ground = terrain.ground_from_afar(&planet_view.view, state.water);
    let highest = ground.radius + ground.range.1;
    let confined = |pose: &GlobePose| terrain.confine(pose, &planet_view.view, state.water);
    let other_planet = camera.framed.is_some_and(|(_, radius)| radius != ground.radius);
    if other_planet {
        camera.by_hand = false;
    }
    if !camera.by_hand && camera.framed != Some((size, ground.radius)) {
        camera.pose = GlobePose::framing(first_sight(&planet_view, terrain), highest, &lens(size));
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
                let first = first_sight(&planet_view, terrain);
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

/// The pose after a command.
fn commanded(command: ViewCommand, now: &GlobePose, ground: &GlobeSurface, first: DVec3, lens: &Lens) -> GlobePose {
    let highest = ground.radius + ground.range.1;
    let down = |heading: f64| {
        // near the surface look across the land, from far away look down on it
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

/// Orbits, pans and zooms by the mouse.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
pub fn follow_mouse(
    mut camera: ResMut<GlobeCamera>,
    mut wheel: MessageReader<MouseWheel>,
    buttons: Res<ButtonInput<MouseButton>>,
    (keys, manners): (Res<ButtonInput<KeyCode>>, Res<CameraManners>),
    view: Res<ViewCamera>,
    (state, planet_view): (Res<ViewState>, Res<PlanetView>),
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let lines: f32 = wheel.read().map(lines_scrolled).sum();
    let (Some(_), Some(window)) = (state.globe_of(CompareSide::A), window) else { return };
    let Some(cursor) = view.cursor() else {
        camera.drag = None;
        return;
    };
    let rect = area.clamped_rect(window.size());
    let is_free = rect.contains(cursor) && !area.pointer_over_ui;
    // a drag stays with the image in which it started, wherever the cursor goes
    if camera.drag.is_none() {
        camera.pane = pane_under(cursor, rect, &state).unwrap_or(Pane::ALONE);
    }
    let Some(terrain) = state.globe_of(camera.pane.side) else { return };
    let picture = camera.pane.picture(rect);
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

/// The point that a drag holds: the surface under the cursor, or the nearest point of the globe if the cursor is off
/// it.
fn anchor(pose: &GlobePose, lens: &Lens, at: Vec2, ground: &GlobeSurface) -> DVec3 {
    let (eye, ray) = (pose.eye(), pose.ray(lens, at));
    ground.pick(eye, ray).unwrap_or_else(|| {
        let beside = (eye - ray * eye.dot(ray).min(0.0)).normalize_or(pose.up_vector());
        beside * ground.surface(beside)
    })
}

/// Plans the planet images to draw, and requests a frame if they changed.
pub fn plan(
    mut planned: ResMut<PlannedScenery>,
    mut camera: ResMut<GlobeCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    planet_view: Res<PlanetView>,
) {
    if state.globe_of(CompareSide::A).is_none() {
        if planned.0.iter().any(Option::is_some) {
            *planned = PlannedScenery::default();
        }
        return;
    }
    let pose = CompareSide::BOTH
        .into_iter()
        .filter_map(|side| state.globe_of(side))
        .fold(camera.pose, |pose, terrain| terrain.confine(&pose, &planet_view.view, state.water));
    if pose != camera.pose {
        camera.pose = pose;
    }
    let sides = CompareSide::BOTH
        .map(|side| state.globe_of(side).map(|terrain| Arc::new(scenery(&camera, terrain, &planet_view, state.water))));
    if planned.0 != sides {
        planned.0 = sides;
        redraw.write(RequestRedraw);
    }
}

/// The planet image of a camera.
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
        // a light behind the left shoulder
        (up + pose.stand * DVec3::new(-0.45, 0.0, -0.40)).normalize()
    };
    let mut scenery = Scenery {
        projection: planet_view.projection,
        body: planet_view.body,
        view: GlobeView { exaggeration: ground.exaggeration(terrain.relief_metres) as f32, ..planet_view.view.clone() },
        water,
        eye: pose.eye(),
        rotation: pose.rotation(),
        near: (0.1 * above).max(0.3 * super::clearance(&ground)),
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
        let rect = area.clamped_rect(window.as_ref()?.size());
        if !rect.contains(cursor) || area.pointer_over_ui {
            return None;
        }
        let pane = pane_under(cursor, rect, &state)?;
        let terrain = state.globe_of(pane.side)?;
        let ground = ground(terrain, &planet_view, &state, &camera.pose);
        let picture = pane.picture(rect);
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

/// Position of a place of the planet in an image of `size`, if it is not behind the globe.
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
