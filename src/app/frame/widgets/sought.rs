//! Highlights the parameter that the user found with the search. The section of the parameter opens and the panel
//! scrolls to it. Until the next click, the parameter has the keyboard focus and a frame around it.

use bevy_egui::egui;
use egui::{Align, Context, Id, InnerResponse, Key, Stroke, StrokeKind, Ui};

use crate::frame::document::Group;
use crate::frame::focus;
use crate::frame::theme::colour;

#[derive(Clone, Copy, PartialEq)]
struct Sought {
    group: Group,
    index: usize,
    /// Number of further frames in which the panel scrolls to the parameter and focuses it. More than one frame is
    /// needed, because a dialog that has just closed keeps the focus for a frame.
    frames_left: u8,
}

impl Sought {
    fn is_found(&self) -> bool {
        self.frames_left == 0
    }
}

fn id() -> Id {
    Id::new("parameter that the search found")
}

fn now(ctx: &Context) -> Option<Sought> {
    ctx.data(|data| data.get_temp(id()))
}

/// Starts to scroll to a parameter and to highlight it.
pub fn seek(ctx: &Context, group: Group, index: usize) {
    ctx.data_mut(|data| data.insert_temp(id(), Sought { group, index, frames_left: 3 }));
}

/// Whether the panel must still scroll to a parameter of `group`. The section of the group must then be open.
pub fn is_within(ctx: &Context, group: Group) -> bool {
    now(ctx).is_some_and(|sought| sought.group == group && !sought.is_found())
}

/// Stops highlighting the parameter. Called after a click or Escape.
pub fn forget(ctx: &Context) {
    let is_over = ctx.input(|input| input.pointer.any_pressed() || input.key_pressed(Key::Escape));
    if is_over && now(ctx).is_some_and(|sought| sought.is_found()) {
        ctx.data_mut(|data| data.remove::<Sought>(id()));
    }
}

/// Draws the row of a parameter. If the search found this parameter, scrolls to it and draws a frame around it.
pub fn row<R>(
    ui: &mut Ui,
    group: Group,
    index: usize,
    contents: impl FnOnce(&mut Ui) -> InnerResponse<R>,
) -> InnerResponse<R> {
    let sought = now(ui.ctx()).filter(|sought| sought.group == group && sought.index == index);
    let Some(sought) = sought else { return contents(ui) };
    if !sought.is_found() {
        ui.data_mut(|data| data.insert_temp(focus_id(), ()));
    }
    let drawn = contents(ui);
    let rect = drawn.response.rect.expand2(egui::vec2(2.0, 1.0));
    ui.painter().rect_stroke(rect, 4.0, Stroke::new(1.5, colour::accent()), StrokeKind::Outside);
    if !sought.is_found() {
        ui.scroll_to_rect(rect, Some(Align::Center));
        ui.data_mut(|data| {
            data.remove::<()>(focus_id());
            data.insert_temp(id(), Sought { frames_left: sought.frames_left - 1, ..sought });
        });
        ui.ctx().request_repaint();
    }
    drawn
}

fn focus_id() -> Id {
    Id::new("keyboard focus on the parameter that the search found")
}

/// Gives the keyboard focus to the first widget of the row that the search found. The keys that move the focus find the
/// parameter by this widget, too.
pub fn offer_focus(response: &egui::Response) {
    focus::note_parameter(response);
    let ctx = &response.ctx;
    let is_wanted = ctx.data_mut(|data| data.remove_temp::<()>(focus_id()).is_some());
    if is_wanted {
        response.request_focus();
    }
}
