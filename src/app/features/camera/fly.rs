//! Fly and Walk modes: keys move the camera through or over the terrain while the mouse turns it.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy::window::RequestRedraw;
use bevy_egui::egui::{self, Ui};
use egui::Key;
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::menu::tick;
use crate::frame::status::StatusHint;
use crate::view::{CameraBehaviour, SIDE_WORLD, ViewCamera, ViewProjection, ViewState};

/// Eye height when walking, in metres.
const EYE_METRES: f32 = 1.7;
/// Flying speed, as a fraction of the side length per second.
const FLY_SPEED: f32 = 0.08;
/// Walking speed in metres per second.
const WALK_METRES: f32 = 4.0;
/// Minimum walking speed, as a fraction of the side length per second. Without this minimum, large terrains would take
/// too long to cross.
const WALK: f32 = 0.006;
/// Speed factor while Shift is held.
const FAST: f32 = 5.0;
/// Maximum frame time in seconds. After a longer frame, the camera moves only as far as in this time.
const MAX_FRAME_SECONDS: f32 = 0.1;

/// The ways to move the camera with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlyAction {
    /// Starts or stops flying.
    Fly,
    /// Starts or stops walking.
    Walk,
}

impl FlyAction {
    pub(super) const ALL: [Self; 2] = [Self::Fly, Self::Walk];
}

impl Action for FlyAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match self {
            Self::Fly => Info::new(
                "Fly",
                "Flies the camera: W A S D move, Q and E sink and rise, drag to look around. Esc stops.",
                icon::BIRD,
                keys![SHIFT + W],
            ),
            Self::Walk => Info::new(
                "Walk",
                "Walks the camera over the terrain: W A S D move, drag to look around. Esc stops.",
                icon::PERSON_SIMPLE_WALK,
                keys![SHIFT + Q],
            ),
        }
    }
}

/// The movement mode of the camera, and the direction in which the held keys move it.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct FlyState {
    pub way: Option<FlyAction>,
    /// Direction in which the held keys move the camera: forwards, right and up, each from -1 to 1.
    pub towards: Vec3,
    pub is_fast: bool,
}

pub(super) fn run(In(action): In<FlyAction>, mut editor: ResMut<Editor>, mut state: ResMut<FlyState>) {
    if editor.doc.scene().is_planet() {
        return editor
            .toasts
            .info("Fly and Walk work on terrains only. On a planet, drag to orbit and scroll to zoom.");
    }
    state.way = if state.way == Some(action) { None } else { Some(action) };
    // flying needs a perspective projection
    editor.view.lens = ViewProjection::Perspective;
}

/// Stops flying or walking when Escape is pressed.
pub(super) fn leave(mut state: ResMut<FlyState>) -> bool {
    std::mem::take(&mut *state).way.is_some()
}

pub(super) fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, state: Res<FlyState>, mut queue: ResMut<CommandQueue>) {
    if !editor.doc.scene().is_planet() {
        for action in FlyAction::ALL {
            tick(ui, &mut queue, action, true, state.way == Some(action));
        }
    }
}

/// Reads the movement keys. While the camera flies or walks, these keys do not act as shortcuts.
pub(super) fn take_keys(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut state: ResMut<FlyState>) {
    let ctx = ui.ctx();
    if state.way.is_none() || editor.dialogs.is_open() || ctx.text_edit_focused() {
        state.towards = Vec3::ZERO;
        return;
    }
    let own = [Key::W, Key::A, Key::S, Key::D, Key::Q, Key::E];
    let (towards, is_fast) = ctx.input_mut(|input| {
        let held = |key: Key| f32::from(u8::from(input.key_down(key)));
        let towards = Vec3::new(held(Key::W) - held(Key::S), held(Key::D) - held(Key::A), held(Key::E) - held(Key::Q));
        let is_fast = input.modifiers.shift;
        // Keys with Ctrl stay shortcuts. Shift+W and Shift+Q, which stop flying and walking, are shortcuts only while
        // no movement key is held.
        let still = towards == Vec3::ZERO;
        input.events.retain(|event| match event {
            egui::Event::Key { key, modifiers, pressed: true, .. } => {
                !own.contains(key) || modifiers.command || (modifiers.shift && still)
            }
            _ => true,
        });
        (towards, is_fast)
    });
    (state.towards, state.is_fast) = (towards, is_fast);
}

pub(super) fn hint(_: InMut<Ui>, state: Res<FlyState>, mut hint: ResMut<StatusHint>) {
    let text = match state.way {
        None => return,
        Some(FlyAction::Fly) => "Fly: W A S D move · E rise, Q sink · Shift: faster · Drag to look around · Esc stops",
        Some(FlyAction::Walk) => "Walk: W A S D move · Shift: run · Drag to look around · Esc stops",
    };
    hint.set(Some(text.into()));
}

/// The movement of the camera in `seconds`, in world units.
fn movement(state: &FlyState, (yaw, pitch): (f32, f32), size_metres: f32, seconds: f32) -> Vec3 {
    let walks = state.way == Some(FlyAction::Walk);
    let side = SIDE_WORLD;
    let speed = if walks { (WALK_METRES / size_metres).max(WALK) * side } else { FLY_SPEED * side };
    let speed = if state.is_fast { FAST * speed } else { speed };
    let level = if walks { 0.0 } else { pitch };
    let ahead = Vec3::new(yaw.sin() * level.cos(), level.sin(), -yaw.cos() * level.cos());
    let right = Vec3::new(yaw.cos(), 0.0, yaw.sin());
    let up = if walks { 0.0 } else { state.towards.z };
    let towards = ahead * state.towards.x + right * state.towards.y + Vec3::Y * up;
    towards.normalize_or_zero() * speed * seconds.min(MAX_FRAME_SECONDS)
}

/// Moves the camera while keys are held.
pub(super) fn travel(
    state: Res<FlyState>,
    mut camera: ResMut<ViewCamera>,
    mut manners: ResMut<CameraBehaviour>,
    (view_state, editor): (Res<ViewState>, Res<Editor>),
    time: Res<Time<Real>>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if manners.flies != state.way.is_some() {
        manners.flies = state.way.is_some();
    }
    let Some(way) = state.way else { return };
    let eye_metres = (way == FlyAction::Walk).then_some(EYE_METRES);
    if state.towards == Vec3::ZERO && !(state.is_changed() && eye_metres.is_some()) {
        return;
    }
    let pose = camera.pose;
    let size_metres = editor.doc.scene().settings.size_metres;
    let by = movement(&state, (pose.yaw, pose.pitch), size_metres, time.delta_secs());
    camera.travel(&view_state, by, eye_metres);
    redraw.write(RequestRedraw);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flight_follows_the_view_and_walking_stays_level() {
        let ahead = FlyState { way: Some(FlyAction::Fly), towards: Vec3::X, is_fast: false };
        let east = std::f32::consts::FRAC_PI_2;
        let flown = movement(&ahead, (east, -0.5), 8000.0, 0.1);
        assert!(flown.x > 0.0 && flown.y < 0.0 && flown.z.abs() < 1e-4, "{flown}");
        assert!((flown.length() - FLY_SPEED * SIDE_WORLD * 0.1).abs() < 1e-3);
        let walked = movement(&FlyState { way: Some(FlyAction::Walk), ..ahead }, (east, -0.5), 8000.0, 0.1);
        assert!(walked.y == 0.0 && walked.length() < flown.length(), "{walked}");
        let fast = movement(&FlyState { is_fast: true, ..ahead }, (east, -0.5), 8000.0, 7.0);
        assert!((fast.length() / flown.length() - FAST).abs() < 1e-3, "a long frame is capped");
        let right = movement(&FlyState { towards: Vec3::Y, ..ahead }, (0.0, -0.5), 8000.0, 0.1);
        assert!(right.x > 0.0 && right.y == 0.0);
    }
}
