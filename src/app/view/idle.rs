//! Redraws the window only after a change, and lets other threads wake the window.

use std::time::Instant;

use bevy::prelude::*;
use bevy::window::RequestRedraw;
use bevy::winit::{EventLoopProxyWrapper, WinitSettings, WinitUserEvent};
use bevy_egui::{EguiInput, EguiPreUpdateSet, egui};

use super::state::{FrameStatus, ViewState};

/// Wakes the window from any thread, so that the editor runs one more update. A worker thread holds a clone.
#[derive(Resource, Clone)]
pub struct Waker(std::sync::Arc<dyn Fn() + Send + Sync>);

impl Waker {
    /// A waker that calls `ring`. In the editor, `ring` wakes the window's event loop.
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
                (drop_unchanged_modifiers, set_egui_time)
                    .chain()
                    .after(EguiPreUpdateSet::ProcessInput)
                    .before(EguiPreUpdateSet::BeginPass),
            )
            .add_systems(Last, redraw_until_shown);
    }

    /// Runs after all plugins are built, because only then is the event loop of the window known.
    fn finish(&self, app: &mut App) {
        let Some(proxy) = app.world().get_resource::<EventLoopProxyWrapper>() else { return };
        let proxy = (**proxy).clone();
        app.insert_resource(Waker::new(move || {
            // the call fails only if the window is closed
            let _ = proxy.send_event(WinitUserEvent::WakeUp);
        }));
    }
}

/// Drops repeated events of the modifier keys. bevy_egui sends such an event in every frame, and egui requests another
/// frame after every event. Without this filter, the editor would draw continuously.
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

/// Sets egui's time from a separate clock. After an idle period, Bevy's clock still holds the time of the last frame
/// before that period. A mouse press would then seem to precede its release by the whole idle period, and would not
/// count as a click.
fn set_egui_time(mut inputs: Query<&mut EguiInput>, mut begun: Local<Option<Instant>>) {
    let now = begun.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
    for mut input in &mut inputs {
        input.0.time = Some(now);
    }
}

/// Requests frames while the wanted terrain is being uploaded to the graphics card, or while an unused terrain must
/// still be removed from the card.
fn redraw_until_shown(state: Res<ViewState>, frame_status: Res<FrameStatus>, mut redraw: MessageWriter<RequestRedraw>) {
    if !frame_status.is_current(&state) {
        redraw.write(RequestRedraw);
    }
}
