//! Drawing only when something changed, and being woken from other threads.

use std::time::Instant;

use bevy::prelude::*;
use bevy::window::RequestRedraw;
use bevy::winit::{EventLoopProxyWrapper, WinitSettings, WinitUserEvent};
use bevy_egui::{EguiInput, EguiPreUpdateSet, egui};

use super::state::{FrameStatus, ViewState};

/// Wakes the window from any thread: the editor runs one more update. Clone it into the worker.
#[derive(Resource, Clone)]
pub struct Waker(std::sync::Arc<dyn Fn() + Send + Sync>);

impl Waker {
    /// Rings when it wakes; the window's own wakes the window.
    pub fn new(ring: impl Fn() + Send + Sync + 'static) -> Self {
        Self(std::sync::Arc::new(ring))
    }

    pub fn wake(&self) {
        (self.0)();
    }
}

pub struct IdlePlugin;

impl Plugin for IdlePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(WinitSettings::desktop_app())
            .add_systems(
                PreUpdate,
                (drop_unchanged_modifiers, tell_time)
                    .chain()
                    .after(EguiPreUpdateSet::ProcessInput)
                    .before(EguiPreUpdateSet::BeginPass),
            )
            .add_systems(Last, redraw_until_shown);
    }

    /// The window's loop is known once all plugins are built.
    fn finish(&self, app: &mut App) {
        let Some(proxy) = app.world().get_resource::<EventLoopProxyWrapper>() else { return };
        let proxy = (**proxy).clone();
        app.insert_resource(Waker::new(move || {
            // fails only when the window is gone
            let _ = proxy.send_event(WinitUserEvent::WakeUp);
        }));
    }
}

/// bevy_egui tells egui of the modifier keys in every frame, and egui asks for another frame after every event.
fn drop_unchanged_modifiers(mut inputs: Query<&mut EguiInput>, mut last: Local<egui::Modifiers>) {
    for mut input in &mut inputs {
        let mut known = *last;
        input.0.events.retain(|event| match event {
            egui::Event::ModifiersChanged(now) => std::mem::replace(&mut known, *now) != *now,
            _ => true,
        });
        *last = known;
    }
}

/// bevy_egui tells egui the time of Bevy's clock, which after a rest still holds the frame before it: a press would be
/// older than its release by the whole rest, and no click.
fn tell_time(mut inputs: Query<&mut EguiInput>, mut begun: Local<Option<Instant>>) {
    let now = begun.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
    for mut input in &mut inputs {
        input.0.time = Some(now);
    }
}

/// Keeps frames coming while a terrain that should be shown is on its way to the graphics card, or one on its way from
/// it.
fn redraw_until_shown(state: Res<ViewState>, frame_status: Res<FrameStatus>, mut redraw: MessageWriter<RequestRedraw>) {
    if !frame_status.is_current(&state) {
        redraw.write(RequestRedraw);
    }
}
