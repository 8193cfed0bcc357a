//! Camera control by mouse and commands.

use bevy::input::mouse::{MouseScrollUnit, MouseWheel};
use bevy::prelude::*;
use bevy::window::{CursorMoved, PrimaryWindow, RequestRedraw};

use crate::view::camera::{Glide, Lens, PanPlane, Pose, ViewProjection};
use crate::view::compare::{CompareSide, Pane};
use crate::view::construction_surface::TreeSurface;
use crate::view::scale::SIDE_WORLD;
use crate::view::square::SquareTerrain;
use crate::view::state::ViewState;
use talweg::preferences::{CameraGesture, DragButton, HeldKeys, MouseStyle};

/// The system sets in which the camera moves.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewSystems {
    /// In `Update`: reads commands and the mouse.
    Input,
    /// In `PostUpdate`, before transforms are propagated: updates Bevy's camera and the point under the cursor.
    Apply,
}

/// Greatest distance of the eye from the middle of the terrain.
const FARTHEST_WORLD: f32 = 6.0 * SIDE_WORLD;

/// The part of the window that the panels leave free for the view, in logical pixels. The panels write it in every
/// frame.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct ViewportArea {
    pub min: Vec2,
    pub max: Vec2,
    /// Whether the pointer is over a menu or a window of the panels.
    pub pointer_over_ui: bool,
    /// Whether a tool uses the left button on the terrain. With Alt held, the button still moves the camera.
    pub primary_taken: bool,
}

impl Default for ViewportArea {
    fn default() -> Self {
        Self { min: Vec2::ZERO, max: Vec2::INFINITY, pointer_over_ui: false, primary_taken: false }
    }
}

impl ViewportArea {
    /// The area within a window of `size`, at least one pixel wide and high.
    pub fn clamped_rect(&self, size: Vec2) -> Rect {
        let min = self.min.clamp(Vec2::ZERO, (size - 1.0).max(Vec2::ZERO));
        Rect { min, max: self.max.min(size).max(min + 1.0) }
    }
}

/// How the camera responds to the mouse and how it moves. The `frame` module writes it.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CameraManners {
    pub mouse: MouseStyle,
    /// The camera jumps to its goal instead of gliding.
    pub jumps: bool,
    /// The camera flies or walks, so the left button looks around.
    pub flies: bool,
}

impl Default for CameraManners {
    fn default() -> Self {
        Self { mouse: MouseStyle::Talweg, jumps: false, flies: false }
    }
}

impl CameraManners {
    /// The camera gesture of a drag with the pressed button and held keys; `None` if the camera does not move.
    pub fn gesture(
        &self,
        is_planet: bool,
        buttons: &ButtonInput<MouseButton>,
        keys: &ButtonInput<KeyCode>,
    ) -> Option<CameraGesture> {
        let named = [
            (MouseButton::Left, DragButton::Left),
            (MouseButton::Middle, DragButton::Middle),
            (MouseButton::Right, DragButton::Right),
        ];
        let (_, button) = named.into_iter().find(|(button, _)| buttons.pressed(*button))?;
        let held = HeldKeys {
            shift: keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]),
            ctrl: keys.any_pressed([
                KeyCode::ControlLeft,
                KeyCode::ControlRight,
                KeyCode::SuperLeft,
                KeyCode::SuperRight,
            ]),
            alt: keys.any_pressed([KeyCode::AltLeft, KeyCode::AltRight]),
        };
        if self.flies && button == DragButton::Left && !is_planet {
            return Some(CameraGesture::Look);
        }
        self.mouse.gesture(is_planet, button, held)
    }
}

/// Pixels of a drag to the right or upwards that zoom as far as one line of the mouse wheel.
pub const PIXELS_OF_A_LINE: f32 = 24.0;

/// A camera command from a menu or a shortcut.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub enum ViewCommand {
    /// Frames the whole terrain from the current direction.
    Frame,
    Perspective,
    Top,
    FromSouth,
    FromEast,
    FromNorth,
    FromWest,
    /// Frames a box in world space from the current direction.
    Look {
        low_world: Vec3,
        high_world: Vec3,
    },
    /// Moves to a pose over a terrain: the eye in world space, heading and inclination in radians.
    Stand {
        eye_world: Vec3,
        yaw: f32,
        pitch: f32,
    },
    /// Moves over a place of a planet: latitude, longitude, metres above the surface, heading and inclination. Angles
    /// are in degrees.
    Over {
        place: [f64; 5],
    },
}

impl ViewCommand {
    /// Heading and inclination in degrees; `None` keeps the current ones.
    fn direction(self) -> Option<(f32, f32)> {
        match self {
            Self::Frame | Self::Look { .. } | Self::Over { .. } | Self::Stand { .. } => None,
            Self::Perspective => Some((32.0, -27.0)),
            Self::Top => Some((0.0, -90.0)),
            Self::FromSouth => Some((0.0, -18.0)),
            Self::FromEast => Some((270.0, -18.0)),
            Self::FromNorth => Some((180.0, -18.0)),
            Self::FromWest => Some((90.0, -18.0)),
        }
    }

    /// Whether the command is a view from the side.
    fn is_side(self) -> bool {
        matches!(self, Self::FromSouth | Self::FromEast | Self::FromNorth | Self::FromWest)
    }

    /// The box to bring into view. `low` and `high` bound the terrain.
    fn seen(self, low: Vec3, high: Vec3) -> (Vec3, Vec3) {
        match self {
            Self::Look { low_world, high_world } => (low_world, high_world),
            _ => (low, high),
        }
    }

    /// The pose after the command, which frames the box between two corners. An orthographic view from the side is an
    /// elevation, so it looks horizontally.
    pub fn pose(self, now: &Pose, (low, high): (Vec3, Vec3), lens: &Lens, projection: ViewProjection) -> Pose {
        if let Self::Stand { eye_world, yaw, pitch } = self {
            return Pose { eye_world, yaw, pitch };
        }
        let (low, high) = self.seen(low, high);
        let (yaw, pitch) = self
            .direction()
            .map_or((now.yaw, now.pitch.min(-0.1)), |(yaw, pitch)| (yaw.to_radians(), pitch.to_radians()));
        let is_elevation = self.is_side() && projection == ViewProjection::Orthographic;
        let pitch = if is_elevation { 0.0 } else { pitch };
        Pose::framing(low, high, yaw, pitch, lens)
    }
}

/// The camera of the view and its current motion.
#[derive(Resource)]
pub struct ViewCamera {
    pub pose: Pose,
    /// The projection that the pose was made for. The projection of the view may have changed since then.
    projection: ViewProjection,
    glide: Option<Glide>,
    drag: Option<CameraDrag>,
    cursor: Option<Vec2>,
    framed: Framed,
    /// The terrain under the cursor, and the top left corner of its image.
    picture: (CompareSide, Vec2),
}

/// If the top or the bottom of a terrain moves by less than this, the terrain is not framed again.
const UNNOTICED_WORLD: f32 = 0.08 * SIDE_WORLD;

/// Whether the camera frames the terrain automatically, which ends when the user moves the camera.
#[derive(Clone, Copy, PartialEq)]
enum Framed {
    NotYet,
    /// The camera frames a terrain between these heights in a view of this size.
    For {
        size: Vec2,
        heights_world: Vec2,
    },
    /// The user has moved the camera.
    ByHand,
}

impl Default for ViewCamera {
    fn default() -> Self {
        let pose = Pose { eye_world: Vec3::new(0.0, SIDE_WORLD, 2.0 * SIDE_WORLD), yaw: 0.0, pitch: -0.5 };
        Self {
            pose,
            projection: ViewProjection::Perspective,
            glide: None,
            drag: None,
            cursor: None,
            framed: Framed::NotYet,
            picture: (CompareSide::A, Vec2::ZERO),
        }
    }
}

impl ViewCamera {
    /// The cursor, in pixels from the top left corner of the window.
    pub fn cursor(&self) -> Option<Vec2> {
        self.cursor
    }

    /// Moves at once to a position given by metres from the west edge, from the north edge and above the terrain, with
    /// heading and tilt in degrees. Returns false if there is no terrain.
    pub fn stand(&mut self, state: &ViewState, [east, south, above, heading, tilt]: [f32; 5]) -> bool {
        let Some(square) = state.square_of(CompareSide::A) else { return false };
        let scale = &square.scale;
        let [x, z] = [east, south].map(|metres| metres / scale.metres_per_world - 0.5 * SIDE_WORLD);
        let at = Vec3::new(x, 0.0, z);
        let ground = match &state.tree_surface {
            Some(tree_surface) => tree_surface.floor_world(at, 1e-3),
            None => scale.floor_world(&square.terrain, at),
        };
        let eye_world = at.with_y(ground + above / scale.metres_per_world);
        self.stand_at(Pose { eye_world, yaw: heading.to_radians(), pitch: tilt.to_radians() }, state);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
        true
    }

    /// Sets a pose in perspective. In an orthographic view, the next frame converts it.
    fn stand_at(&mut self, pose: Pose, state: &ViewState) {
        self.pose = confined(pose, ViewProjection::Perspective, state);
        self.projection = ViewProjection::Perspective;
    }

    /// The projection that the pose is made for.
    pub fn projection(&self) -> ViewProjection {
        self.projection
    }

    /// The pose that gives the same view in perspective.
    pub fn perspective_pose(&self, state: &ViewState) -> Pose {
        self.projected(ViewProjection::Perspective, state)
    }

    /// The pose that gives the same view in another projection: objects in the middle of the image keep their size.
    fn projected(&self, to: ViewProjection, state: &ViewState) -> Pose {
        if to == self.projection {
            return self.pose;
        }
        let ahead = self.pose.forward();
        let middle = bounds_world(state).map_or(Vec3::ZERO, |(low, high)| 0.5 * (low + high));
        let distance = state.pick(CompareSide::A, self.pose.eye_world, ahead).unwrap_or_else(|| {
            ahead.dot(middle - self.pose.eye_world).max(0.05 * SIDE_WORLD * self.projection.distance_factor())
        });
        self.pose.projected(distance, self.projection, to)
    }

    /// Moves at once to a given pose in perspective.
    pub fn put(&mut self, pose: Pose) {
        (self.pose, self.projection) = (pose, ViewProjection::Perspective);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
    }

    /// Frames the next terrain as a whole.
    pub fn frame_anew(&mut self) {
        (self.glide, self.drag, self.framed) = (None, None, Framed::NotYet);
    }

    /// Moves over another place, given as fractions of the side to the east and to the south. Height and heading stay,
    /// unless the terrain is in the way.
    pub fn move_over(&mut self, state: &ViewState, [u, v]: [f32; 2]) {
        let mut pose = self.perspective_pose(state);
        (pose.eye_world.x, pose.eye_world.z) = ((u - 0.5) * SIDE_WORLD, (v - 0.5) * SIDE_WORLD);
        self.stand_at(pose, state);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
    }

    /// Moves by a vector in world space, as far as the terrain allows. When walking, `eye_metres` is the height of the
    /// eye above the terrain, kept as closely as the samples allow.
    pub fn travel(&mut self, state: &ViewState, way_world: Vec3, eye_metres: Option<f32>) {
        let mut pose = self.perspective_pose(state);
        pose.eye_world += way_world;
        if let (Some(metres), Some(square)) = (eye_metres, state.square_of(CompareSide::A)) {
            let ground = match &state.tree_surface {
                Some(tree_surface) => tree_surface.floor_world(pose.eye_world, 1e-3),
                None => square.scale.floor_world(&square.terrain, pose.eye_world),
            };
            pose.eye_world.y = ground + metres / square.scale.metres_per_world;
        }
        self.stand_at(pose, state);
        (self.glide, self.framed) = (None, Framed::ByHand);
    }

    /// Turns on the spot to a heading in radians, clockwise from north.
    pub fn turn_to(&mut self, state: &ViewState, yaw: f32) {
        let pose = self.perspective_pose(state);
        self.stand_at(Pose { yaw: yaw.rem_euclid(std::f32::consts::TAU), ..pose }, state);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
    }

    /// Whether the camera glides to another pose.
    pub fn is_gliding(&self) -> bool {
        self.glide.is_some()
    }
}

#[derive(Clone, Copy)]
enum CameraDrag {
    Rotate {
        pivot_world: Vec3,
        from: Vec2,
    },
    Pan {
        grabbed_world: Vec3,
        plane: PanPlane,
    },
    Zoom {
        anchor_world: Vec3,
        from: Vec2,
    },
    Look {
        from: Vec2,
    },
    /// The drag started over a panel or has no meaning here, so the camera ignores it.
    Elsewhere,
}

/// The pane of the view under the cursor, or the nearest pane.
pub fn pane_under(cursor: Vec2, view: Rect, state: &ViewState) -> Option<Pane> {
    let panes = state.panes().into_iter().flatten();
    panes.min_by(|a, b| {
        let away = |pane: &Pane| {
            let rect = pane.rect(view);
            (rect.min.x - cursor.x).max(cursor.x - rect.max.x)
        };
        away(a).total_cmp(&away(b))
    })
}

/// Carries out commands; starts and continues glides.
pub fn obey_commands(
    mut commands: MessageReader<ViewCommand>,
    mut camera: ResMut<ViewCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    (area, manners): (Res<ViewportArea>, Res<CameraManners>),
    time: Res<Time<Real>>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let (Some((low, high)), Some(window)) = (bounds_world(&state), window) else { return };
    // frame by the whole area: a change of the comparison layout must not frame the terrain again
    let size = area.clamped_rect(window.size()).size();
    let lens = state.lens(size);
    // the first frames are drawn before the panels have reported the free area
    let heights_world = Vec2::new(low.y, high.y);
    let fits = match camera.framed {
        Framed::ByHand => true,
        Framed::NotYet => false,
        Framed::For { size: known, heights_world: framed } => {
            size == known && (heights_world - framed).abs().max_element() < UNNOTICED_WORLD
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
            camera.put(Pose { eye_world, yaw, pitch });
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

/// The box around all visible terrains.
fn bounds_world(state: &ViewState) -> Option<(Vec3, Vec3)> {
    let boxes = state.squares().map(|square| square.scale.bounds_world());
    boxes.reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))
}

/// Orbits, pans and zooms by the mouse.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
pub fn follow_mouse(
    mut camera: ResMut<ViewCamera>,
    mut wheel: MessageReader<MouseWheel>,
    mut moved: MessageReader<CursorMoved>,
    buttons: Res<ButtonInput<MouseButton>>,
    (keys, manners): (Res<ButtonInput<KeyCode>>, Res<CameraManners>),
    state: Res<ViewState>,
    area: Res<ViewportArea>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let Some(window) = window else { return };
    // outside the window, the position of the cursor is known only during a drag
    let beyond = moved.read().last().map(|moved| moved.position);
    let lines: f32 = wheel.read().map(lines_scrolled).sum();
    let dragging = buttons.any_pressed([MouseButton::Left, MouseButton::Middle, MouseButton::Right]);
    camera.cursor = window.cursor_position().or(if dragging { beyond.or(camera.cursor) } else { None });
    if state.square_of(CompareSide::A).is_none() {
        return;
    }
    let Some(cursor) = camera.cursor else {
        camera.drag = None;
        return;
    };
    let rect = area.clamped_rect(window.size());
    let is_free = rect.contains(cursor) && !area.pointer_over_ui;
    // a drag stays with the image in which it started, wherever the cursor goes
    if camera.drag.is_none() || !dragging {
        let Some(pane) = pane_under(cursor, rect, &state) else { return };
        camera.picture = (pane.side, pane.picture(rect).min);
    }
    let (side, origin) = camera.picture;
    let Some(square) = state.square_of(side) else { return };
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

/// The pose after zooming towards a point by `lines` of the mouse wheel (away if negative), as near as the terrain
/// allows.
fn zoomed(pose: &Pose, anchor_world: Vec3, lines: f32, square: &SquareTerrain, state: &ViewState) -> Pose {
    let distance = pose.eye_world.distance(anchor_world).max(1e-3);
    let nearest = (2.0 * clearance_world(square, state.tree_surface.as_deref())).min(distance);
    let factor = 0.88f32.powf(lines.clamp(-10.0, 10.0)).max(nearest / distance);
    confined(pose.zoom_towards(anchor_world, factor), state.projection, state)
}

/// Lines that the wheel was turned.
pub fn lines_scrolled(wheel: &MouseWheel) -> f32 {
    match wheel.unit {
        MouseScrollUnit::Line => wheel.y,
        MouseScrollUnit::Pixel => wheel.y / 48.0,
    }
}

/// The plane of panning: horizontal, unless the view looks along the terrain.
fn pan_plane(pose: &Pose, lens: &Lens, at: Vec2) -> PanPlane {
    if pose.ray(lens, at).normalize().y < -0.3 { PanPlane::Level } else { PanPlane::Picture }
}

/// The point that a drag holds: the terrain or the sea under the cursor, or otherwise a point at a similar distance.
fn anchor(pose: &Pose, lens: &Lens, at: Vec2, side: CompareSide, state: &ViewState) -> Vec3 {
    let Some(square) = state.square_of(side) else { return Vec3::ZERO };
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

/// The pose after an orbit about a pivot. The tilt is dropped if the terrain is in the way.
fn turned(pose: &Pose, pivot_world: Vec3, turn: Vec2, state: &ViewState) -> Pose {
    let both = pose.rotate_about(pivot_world, turn.x, -turn.y);
    if confined(both, state.projection, state) == both {
        return both;
    }
    confined(pose.rotate_about(pivot_world, turn.x, 0.0), state.projection, state)
}

/// Smallest distance between the eye and the terrain: some centimetres for a tree, which is exact down to the pebbles.
pub fn clearance_world(square: &SquareTerrain, tree_surface: Option<&TreeSurface>) -> f32 {
    let nearest_metres = if tree_surface.is_some() { NEAREST_TO_TREE_METRES } else { NEAREST_METRES };
    (nearest_metres / square.scale.metres_per_world).clamp(1e-3, 4.0)
}

/// Smallest distance of the eye from a grid terrain, and from a construction tree.
const NEAREST_METRES: f32 = 0.3;
const NEAREST_TO_TREE_METRES: f32 = 0.06;

/// Lifts the eye out of terrain and water, and keeps it within reach of all visible terrains.
pub fn confined(pose: Pose, projection: ViewProjection, state: &ViewState) -> Pose {
    let farthest = FARTHEST_WORLD * projection.distance_factor();
    state.squares().fold(pose, |pose, square| {
        let is_edited = state.square_of(CompareSide::A).is_some_and(|edited| std::ptr::eq(&**edited, square));
        confined_by(pose, farthest, square, state.tree_surface.as_deref().filter(|_| is_edited))
    })
}

fn confined_by(pose: Pose, farthest: f32, square: &SquareTerrain, tree_surface: Option<&TreeSurface>) -> Pose {
    let scale = &square.scale;
    let mut eye = pose.eye_world.clamp_length_max(farthest + scale.top_world().abs());
    let mut floor = scale.base_world;
    if scale.is_inside(eye) {
        floor = match tree_surface {
            Some(tree_surface) => tree_surface.floor_world(eye, 1e-4),
            None => scale.drawn_ground_world(&square.terrain, eye) + square.surface_water_world(eye),
        };
        if scale.has_sea() {
            floor = floor.max(scale.sea_world);
        }
    }
    eye.y = eye.y.max(floor + clearance_world(square, tree_surface));
    Pose { eye_world: eye, ..pose }
}
