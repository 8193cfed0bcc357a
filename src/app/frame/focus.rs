//! The keyboard focus: the frame around the focused widget, and the keys that move the focus to another panel or to the
//! parameters.

use bevy_egui::egui;
use egui::{Context, FocusDirection, Id, Key, Modifiers, Order, Popup, Pos2, Rect, Response, Stroke, StrokeKind};

use super::theme::colour;

/// The panels and parameters of a frame, which can get the focus.
#[derive(Clone, Default)]
struct FocusTargets {
    /// Number of the frame.
    frame: u64,
    /// The contents of the visible panels.
    panels: Vec<Rect>,
    /// The first control of each parameter, in drawing order.
    parameters: Vec<(Id, Rect)>,
}

impl FocusTargets {
    fn update<R>(ctx: &Context, change: impl FnOnce(&mut Self) -> R) -> R {
        let frame = ctx.cumulative_frame_nr();
        ctx.data_mut(|data| {
            let targets: &mut Self = data.get_temp_mut_or_default(Id::new("targets of the focus"));
            if targets.frame != frame {
                *targets = Self { frame, ..Self::default() };
            }
            change(targets)
        })
    }
}

/// Records the contents of a panel that is drawn in this frame.
pub(super) fn note_panel(ctx: &Context, contents: Rect) {
    FocusTargets::update(ctx, |targets| targets.panels.push(contents));
}

/// Records the first control of a parameter. If it has just got the focus, its panel scrolls to it.
pub fn note_parameter(control: &Response) {
    if control.enabled() {
        FocusTargets::update(&control.ctx, |targets| targets.parameters.push((control.id, control.rect)));
    }
    if control.gained_focus() {
        control.scroll_to_me(None);
    }
}

/// If Tab is pressed while no widget has the focus, gives the focus to the first parameter in the panels. Otherwise Tab
/// would lead to the menu bar, which has a key of its own.
pub(super) fn take_tab(ctx: &Context) {
    let is_free = ctx.memory(|memory| memory.focused().is_none() && memory.top_modal_layer().is_none());
    if !is_free || Popup::is_any_open(ctx) {
        return;
    }
    let targets: Option<FocusTargets> = ctx.data(|data| data.get_temp(Id::new("targets of the focus")));
    let Some((first, _)) = targets.and_then(|targets| targets.parameters.first().copied()) else { return };
    if ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Tab)) {
        ctx.memory_mut(|memory| {
            memory.move_focus(FocusDirection::None);
            memory.request_focus(first);
        });
    }
}

/// Gives the focus to the next or the previous panel, from left to right and from top to bottom: to the first parameter
/// of the panel, or to its first control if it has no parameters.
pub(super) fn enter_panel(ctx: &Context, is_forward: bool) {
    let mut targets = FocusTargets::update(ctx, |targets| targets.clone());
    targets.panels.sort_by(|a, b| (a.min.x, a.min.y).partial_cmp(&(b.min.x, b.min.y)).expect("finite positions"));
    let first_of = |panel: &Rect| {
        let parameter = targets.parameters.iter().find(|(_, rect)| panel.contains(rect.center()));
        parameter.map(|(id, _)| *id).or_else(|| first_control(ctx, *panel))
    };
    let panels: Vec<(Rect, Id)> = targets.panels.iter().filter_map(|panel| Some((*panel, first_of(panel)?))).collect();
    let now = last_place(ctx).and_then(|at| panels.iter().position(|(panel, _)| panel.contains(at)));
    let count = panels.len();
    let next = match (now, is_forward) {
        (None, true) => 0,
        (None, false) => count.saturating_sub(1),
        (Some(now), true) => (now + 1) % count,
        (Some(now), false) => (now + count - 1) % count,
    };
    if let Some((_, control)) = panels.get(next) {
        ctx.memory_mut(|memory| memory.request_focus(*control));
        ctx.request_repaint();
    }
}

/// The first control of a panel that can have the focus.
fn first_control(ctx: &Context, panel: Rect) -> Option<Id> {
    ctx.viewport(|viewport| {
        let layers = viewport.this_pass.widgets.layers().filter(|(layer, _)| layer.order == Order::Background);
        let mut widgets = layers.flat_map(|(_, widgets)| widgets);
        // a widget as large as the panel is its scroll area
        let is_control = |w: &&egui::WidgetRect| {
            let is_inside = panel.contains(w.rect.center()) && w.rect.height() < 0.5 * panel.height().max(100.0);
            w.enabled && w.sense.is_focusable() && w.sense.senses_click() && is_inside
        };
        widgets.find(is_control).map(|w| w.id)
    })
}

fn place_id() -> Id {
    Id::new("last place of the focus")
}

/// The centre of the widget that had the focus last.
fn last_place(ctx: &Context) -> Option<Pos2> {
    ctx.data(|data| data.get_temp(place_id()))
}

/// Draws a frame around the widget that has the focus. A text field shows the focus by its cursor.
pub(super) fn outline(ctx: &Context) {
    let focused = ctx.memory(|memory| memory.focused());
    let place = focused.and_then(|id| ctx.viewport(|viewport| viewport.this_pass.widgets.get(id).copied()));
    let Some(widget) = place else { return };
    ctx.data_mut(|data| data.insert_temp(place_id(), widget.rect.center()));
    if !ctx.text_edit_focused() {
        let painter = ctx.layer_painter(widget.layer_id).with_clip_rect(widget.interact_rect.expand(4.0));
        let stroke = Stroke::new(1.5, colour::accent());
        painter.rect_stroke(widget.rect.expand(2.0), 4, stroke, StrokeKind::Inside);
    }
}
