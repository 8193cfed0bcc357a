//! Splits the pointer input of a slow frame, so that a press acts on what was under the pointer.
//!
//! egui looks up the widget that is pressed at the pointer's last position in the frame. If a frame is slow, the
//! pointer has left the widget by then. So a frame ends with a press, and what comes after it waits for the next frame.

use bevy::prelude::*;
use bevy::window::RequestRedraw;
use bevy_egui::{EguiInput, PrimaryEguiContext, egui};

/// Keeps the input after the first press of a frame for the next frame.
pub(super) fn split(
    context: Option<Single<&mut EguiInput, With<PrimaryEguiContext>>>,
    mut later: Local<Vec<egui::Event>>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    let Some(mut input) = context else { return };
    let mut events = std::mem::take(&mut *later);
    events.append(&mut input.events);
    *later = after_press(&mut events);
    input.events = events;
    if !later.is_empty() {
        redraw.write(RequestRedraw);
    }
}

/// Takes the events after the first press out of a list of events.
fn after_press(events: &mut Vec<egui::Event>) -> Vec<egui::Event> {
    let is_press = |event: &egui::Event| matches!(event, egui::Event::PointerButton { pressed: true, .. });
    events.iter().position(is_press).map(|press| events.split_off(press + 1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Id, Modifiers, PointerButton, Pos2, RawInput, Rect, Sense, pos2, vec2};

    use super::*;

    /// The button that a drag from the first button over the second one takes.
    fn dragged(frames: Vec<Vec<Event>>) -> Option<&'static str> {
        let ctx = egui::Context::default();
        let mut dragged = None;
        for events in [vec![vec![]], frames].concat() {
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(200.0, 100.0)));
            let _ = ctx.run_ui(RawInput { events, screen_rect, ..RawInput::default() }, |ui| {
                for (k, name) in ["first", "second"].into_iter().enumerate() {
                    let place = Rect::from_min_size(pos2(0.0, 40.0 * k as f32), vec2(200.0, 40.0));
                    if ui.interact(place, Id::new(name), Sense::click_and_drag()).drag_started() {
                        dragged = dragged.or(Some(name));
                    }
                }
            });
        }
        dragged
    }

    #[test]
    fn a_quick_drag_takes_the_button_where_it_began() {
        let button = |pos, pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        let (from, over, to) = (pos2(20.0, 20.0), pos2(20.0, 60.0), pos2(150.0, 90.0));
        let whole = vec![Event::PointerMoved(from), button(from, true), Event::PointerMoved(over)];
        let (on, end) = (vec![Event::PointerMoved(to)], vec![button(to, false)]);
        assert_eq!(dragged(vec![whole.clone(), on.clone(), end.clone()]), Some("second"), "without the split");
        let mut press = whole;
        let moved = after_press(&mut press);
        assert_eq!(dragged(vec![press, moved, on, end]), Some("first"));
    }

    #[test]
    fn every_event_arrives_once_and_in_order() {
        let press = |pressed| Event::PointerButton {
            pos: Pos2::ZERO,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        let all = vec![press(true), press(false), Event::Copy, press(true), Event::Cut, press(false)];
        let (mut frame, mut seen) = (all.clone(), Vec::new());
        while !frame.is_empty() {
            let later = after_press(&mut frame);
            seen.push(frame.len());
            frame = later;
        }
        assert_eq!(seen, [1, 3, 2]);
    }
}
