//! Applies the preferences to the window and the 3D view.

use bevy::prelude::*;
use bevy::window::{PrimaryWindow, RequestRedraw, WindowScaleFactorChanged};
use bevy_egui::EguiOutput;

use super::PreferencesState;
use crate::frame::editor::Editor;
use crate::view::{CameraBehaviour, ViewportArea};
use talweg::io::memory::{limit_memory, memory_limit};

/// Minimum window size in points; below it, controls become unreachable. In a small window, the interface is scaled
/// down below the preferred size.
pub const LEAST_POINTS: [f32; 2] = [640.0, 400.0];

/// Scale of the interface in a window that measures `size` points at the default scale.
pub fn scale_in(preferred_percent: f32, size: Vec2) -> f32 {
    let most = (size / Vec2::from(LEAST_POINTS)).min_element().max(0.75);
    (preferred_percent / 100.0).min(most)
}

/// Applies the interface size to panels and view together, before either is laid out.
pub(super) fn size(
    editor: Res<Editor>,
    mut state: ResMut<PreferencesState>,
    window: Single<(Entity, &mut Window), With<PrimaryWindow>>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    mut area: ResMut<ViewportArea>,
    mut changed: MessageWriter<WindowScaleFactorChanged>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    let (entity, mut window) = window.into_inner();
    // wait for the end of a drag, because a new size would move the dragged item away from the pointer
    if buttons.is_some_and(|buttons| buttons.get_pressed().next().is_some()) {
        return;
    }
    let base = window.resolution.base_scale_factor();
    let scale = scale_in(editor.interface.scale, window.physical_size().as_vec2() / base);
    state.drawn_percent = Some(100.0 * scale);
    let wanted = ((scale - 1.0).abs() > 1e-3).then_some(base * scale);
    if window.resolution.scale_factor_override() != wanted {
        let before = window.scale_factor();
        window.resolution.set_scale_factor_override(wanted);
        // until the panels are laid out, keep the size of the view in pixels
        let points = before / window.scale_factor();
        (area.min, area.max) = (area.min * points, area.max * points);
        let scale_factor = window.scale_factor().into();
        changed.write(WindowScaleFactorChanged { window: entity, scale_factor });
        redraw.write(RequestRedraw);
    }
}

/// Sends the new size to egui before the panels are laid out. Otherwise egui would use the size of the previous frame.
pub(super) fn panels(mut contexts: Query<(&Camera, &mut EguiOutput)>) {
    for (camera, mut output) in &mut contexts {
        output.pixels_per_point = camera.target_scaling_factor().unwrap_or(output.pixels_per_point);
    }
}

/// Applies the preferred mouse style and camera motion to the view.
pub(super) fn manners(editor: Res<Editor>, mut manners: ResMut<CameraBehaviour>) {
    let preferred = &editor.interface;
    let (mouse, jumps, flies) = (preferred.mouse_style, preferred.reduced_motion, manners.flies);
    manners.set_if_neq(CameraBehaviour { mouse, jumps, flies });
}

/// Applies the memory limit of the preferences. A limit from the command line takes precedence.
pub(super) fn memory(editor: Res<Editor>, mut given: Local<Option<bool>>, mut set: Local<f32>) {
    let is_given = *given.get_or_insert_with(|| memory_limit().is_some());
    if !is_given && *set != editor.interface.memory_limit {
        *set = editor.interface.memory_limit;
        limit_memory((f64::from(*set) * f64::from(1u32 << 30)) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_window_keeps_room_for_its_panels() {
        assert_eq!(scale_in(150.0, Vec2::new(1280.0, 720.0)), 1.5);
        assert_eq!(scale_in(200.0, Vec2::new(1024.0, 640.0)), 1.6);
        assert_eq!(scale_in(75.0, Vec2::new(300.0, 200.0)), 0.75);
        assert_eq!(scale_in(100.0, Vec2::new(300.0, 200.0)), 0.75);
    }
}
