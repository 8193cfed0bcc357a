//! Input that all cameras share: the free area of the window, mouse gestures and the mouse wheel.

use bevy::input::mouse::{MouseScrollUnit, MouseWheel};
use bevy::prelude::*;

use crate::view::compare::Pane;
use crate::view::state::ViewState;
use talweg::preferences::{CameraGesture, DragButton, HeldKeys, MouseStyle};

/// The system sets that read input and move the camera.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewSystems {
    /// Runs in `Update`: reads commands and the mouse.
    Input,
    /// Runs in `PostUpdate`, before Bevy propagates transforms: updates Bevy's camera and the point under the cursor.
    Apply,
}

/// The part of the window that the panels leave free for the view, in logical pixels. The panels write it in every
/// frame.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct ViewportArea {
    pub min: Vec2,
    pub max: Vec2,
    /// Whether the pointer is over a menu or a window of the panels.
    pub pointer_over_ui: bool,
    /// Whether a tool uses the left mouse button on the terrain. With Alt held, the left button still moves the camera.
    pub primary_taken: bool,
}

impl Default for ViewportArea {
    fn default() -> Self {
        Self { min: Vec2::ZERO, max: Vec2::INFINITY, pointer_over_ui: false, primary_taken: false }
    }
}

impl ViewportArea {
    /// The free area within a window of `size`, at least one pixel wide and high.
    pub fn clamped_rect(&self, size: Vec2) -> Rect {
        let min = self.min.clamp(Vec2::ZERO, (size - 1.0).max(Vec2::ZERO));
        Rect { min, max: self.max.min(size).max(min + 1.0) }
    }
}

/// How the camera responds to the mouse and moves. The `frame` module writes these settings.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CameraBehaviour {
    pub mouse: MouseStyle,
    /// Whether the camera jumps to its goal instead of gliding.
    pub jumps: bool,
    /// Whether the camera flies or walks. If so, a drag with the left button turns the view direction.
    pub flies: bool,
}

impl Default for CameraBehaviour {
    fn default() -> Self {
        Self { mouse: MouseStyle::Talweg, jumps: false, flies: false }
    }
}

impl CameraBehaviour {
    /// The camera gesture for the pressed mouse button and the held keys; `None` if they do not move the camera.
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

/// Length of a zoom drag, in pixels, that zooms as far as one line of the mouse wheel. A drag to the right or upwards
/// zooms in.
pub const PIXELS_OF_A_LINE: f32 = 24.0;

/// Number of lines by which the mouse wheel was turned.
pub fn lines_scrolled(wheel: &MouseWheel) -> f32 {
    match wheel.unit {
        MouseScrollUnit::Line => wheel.y,
        MouseScrollUnit::Pixel => wheel.y / 48.0,
    }
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

/// The pane under the cursor and the rectangle of the whole view, in a window of this size; `None` if the cursor is not
/// over the view.
pub fn pane_at_cursor(cursor: Vec2, window: Vec2, area: &ViewportArea, state: &ViewState) -> Option<(Pane, Rect)> {
    let rect = area.clamped_rect(window);
    if !rect.contains(cursor) || area.pointer_over_ui {
        return None;
    }
    Some((pane_under(cursor, rect, state)?, rect))
}
