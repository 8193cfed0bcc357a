//! Finds the widget of a step on the screen, draws a frame around it, and finds a free place for the tour's window.
//!
//! The widgets are found by their accessible names, as scripts find them ([`crate::features::drive`]).

use bevy_egui::egui::{self, accesskit};
use egui::{Context, Id, LayerId, Order, Pos2, Rect, Stroke, StrokeKind, Vec2, WidgetRect, pos2, vec2};

use super::goals::TourTarget;
use crate::frame::theme::colour;

/// The part of the view at which the tour points, as a fraction of the view.
const VIEW_PART: f32 = 0.4;
/// Distance of the frame from the widget, in points.
const GAP: f32 = 3.0;
/// Distance of the window of the tour from the edges, in points.
const MARGIN: f32 = 12.0;
/// Distance between two tried places of the window, in points.
const STEP: f32 = 20.0;

/// The id of the window of the tour.
pub(super) fn window_id() -> Id {
    Id::new("tour")
}

/// A widget that was drawn in this frame.
pub(super) struct FoundWidget {
    /// Index of the widget among the targets.
    pub index: usize,
    pub id: Id,
    pub layer: LayerId,
    /// The visible part of the widget. It has no area if the widget is scrolled out of sight.
    pub rect: Rect,
}

impl FoundWidget {
    /// Whether at least half of the widget's height is visible.
    pub fn is_in_sight(&self, whole: Rect) -> bool {
        self.rect.is_positive() && self.rect.height() >= 0.5 * whole.height()
    }
}

/// Role and name of a widget.
struct WidgetName {
    role: accesskit::Role,
    own: Option<String>,
    named_by: Option<accesskit::NodeId>,
}

/// Returns the first of the targets that is drawn in this frame, and its whole rectangle. Of two widgets with the same
/// name, the upper one counts, such as the entry of an open menu.
pub(super) fn find(ctx: &Context, targets: &[TourTarget], view: Rect) -> Option<(FoundWidget, Rect)> {
    let drawn: Vec<WidgetRect> = ctx.viewport(|viewport| {
        let layers = viewport.this_pass.widgets.layers();
        layers.flat_map(|(_, widgets)| widgets).filter(|w| w.sense.interactive()).copied().collect()
    });
    let name_of = |id: Id| {
        ctx.accesskit_node_builder(id, |node| WidgetName {
            role: node.role(),
            own: node.label().or_else(|| node.value()).map(str::to_string),
            named_by: node.labelled_by().first().copied(),
        })
    };
    let named: Vec<(WidgetRect, WidgetName)> =
        drawn.into_iter().filter_map(|widget| Some((widget, name_of(widget.id)?))).collect();
    let name = |name: &WidgetName| match name.named_by {
        Some(label) => {
            let label = named.iter().find(|(widget, _)| widget.id.accesskit_id() == label);
            label.and_then(|(_, name)| name.own.clone())
        }
        None => name.own.clone(),
    };
    targets.iter().enumerate().find_map(|(index, target)| {
        let (sought, is_slider) = match target {
            TourTarget::View => {
                let rect = Rect::from_center_size(view.center(), VIEW_PART * view.size());
                return Some((FoundWidget { index, id: Id::NULL, layer: LayerId::background(), rect }, rect));
            }
            TourTarget::Button(name) => (name, false),
            TourTarget::Slider(name) => (name, true),
        };
        // the text of a button can begin with its icon
        let has_name = |name: &str| name == sought || name.split_once("  ").is_some_and(|(_, text)| text == sought);
        let fits = |found: &&(WidgetRect, WidgetName)| {
            let (widget, of) = found;
            let fits_role = match of.role {
                accesskit::Role::Slider => is_slider,
                accesskit::Role::Label => false,
                _ => !is_slider,
            };
            fits_role && widget.layer_id.id != window_id() && name(of).is_some_and(|name| has_name(&name))
        };
        let (widget, _) = named.iter().filter(fits).max_by_key(|(widget, _)| widget.layer_id.order)?;
        let found = FoundWidget { index, id: widget.id, layer: widget.layer_id, rect: widget.interact_rect };
        Some((found, widget.rect))
    })
}

/// Whether nothing but the window of the tour is drawn over the middle of the widget.
pub(super) fn is_uncovered(ctx: &Context, found: &FoundWidget) -> bool {
    let over = ctx.layer_id_at(found.rect.center());
    over.is_none_or(|over| over == found.layer || over.id == window_id() || over.order <= found.layer.order)
}

/// Scrolls a widget into sight in the frame that begins.
pub(super) fn scroll_to(ctx: &Context, id: Id) {
    let request = accesskit::ActionRequest {
        action: accesskit::Action::ScrollIntoView,
        target_tree: accesskit::TreeId::ROOT,
        target_node: id.accesskit_id(),
        data: None,
    };
    ctx.input_mut(|input| input.events.push(egui::Event::AccessKitActionRequest(request)));
}

/// Draws the frame around the widget, above everything else.
pub(super) fn outline(ctx: &Context, rect: Rect) -> Rect {
    let rect = rect.expand(GAP).intersect(ctx.viewport_rect());
    let painter = ctx.layer_painter(LayerId::new(Order::Tooltip, Id::new("target of the tour")));
    painter.rect_stroke(rect, 5.0, Stroke::new(5.0, colour::accent().gamma_multiply(0.3)), StrokeKind::Outside);
    painter.rect_stroke(rect, 5.0, Stroke::new(2.0, colour::accent()), StrokeKind::Outside);
    rect
}

/// The open menus, windows and messages of the last frame, without the window of the tour.
pub(super) fn windows(ctx: &Context) -> Vec<Rect> {
    ctx.memory(|memory| {
        let is_window = |layer: &LayerId| {
            matches!(layer.order, Order::Middle | Order::Foreground)
                && layer.id != window_id()
                && memory.areas().visible_last_frame(layer)
        };
        memory.layer_ids().filter(is_window).filter_map(|layer| memory.area_rect(layer.id)).collect()
    })
}

/// A position for a window of this size, which is at `now`. The window stays there if it overlaps neither the target
/// nor another window. Otherwise it moves to a corner of the view, or to another free place. Without a free place, it
/// covers as little as possible, and rather another window than the target.
pub(super) fn place(
    view: Rect,
    screen: Rect,
    size: Vec2,
    now: Option<Pos2>,
    target: Option<Rect>,
    others: &[Rect],
) -> Pos2 {
    let overlap = |at: Pos2, other: &Rect| {
        let common = Rect::from_min_size(at, size).intersect(*other);
        if common.is_positive() { common.area() } else { 0.0 }
    };
    let cost = |at: &Pos2| {
        let of_target = target.map_or(0.0, |target| overlap(*at, &target));
        100.0 * of_target + others.iter().map(|other| overlap(*at, other)).sum::<f32>()
    };
    let corners = |rect: Rect| {
        let (low, high) = (rect.shrink(MARGIN).min, rect.shrink(MARGIN).max - size);
        [pos2(low.x, high.y), pos2(high.x, high.y), pos2(high.x, low.y), pos2(low.x, low.y)]
    };
    let room = screen.shrink(MARGIN / 2.0);
    let count = |length: f32| (length / STEP).floor().max(0.0) as usize + 1;
    let (across, down) = (count(room.width() - size.x), count(room.height() - size.y));
    let grid = (0..across * down).map(|k| room.min + STEP * vec2((k % across) as f32, (k / across) as f32));
    let is_inside = |at: &Pos2| room.expand(1.0).contains_rect(Rect::from_min_size(*at, size));
    let tried = now.into_iter().chain(corners(view)).chain(corners(screen)).filter(is_inside).chain(grid);
    let mut best = (f32::INFINITY, room.min);
    for at in tried {
        let found = cost(&at);
        if found < best.0 {
            best = (found, at);
        }
        if found == 0.0 {
            break;
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_stays_unless_it_covers_something() {
        let screen = Rect::from_min_size(Pos2::ZERO, vec2(1280.0, 720.0));
        let view = Rect::from_min_max(pos2(330.0, 60.0), pos2(1280.0, 690.0));
        let size = vec2(330.0, 150.0);
        let first = place(view, screen, size, None, None, &[]);
        assert_eq!(first, pos2(342.0, 528.0), "the lower left corner of the view");
        let far = Rect::from_min_size(pos2(10.0, 10.0), vec2(50.0, 50.0));
        assert_eq!(place(view, screen, size, Some(first), Some(far), &[]), first);
        let under = Rect::from_min_size(pos2(400.0, 600.0), vec2(50.0, 50.0));
        let moved = place(view, screen, size, Some(first), Some(under), &[]);
        assert!(!Rect::from_min_size(moved, size).intersects(under));
        assert_eq!(place(view, screen, size, Some(moved), Some(far), &[]), moved, "it does not return");
        // a dialog in the middle of a small window leaves no room: the window then covers the dialog, not the target
        let small = Rect::from_min_size(Pos2::ZERO, vec2(640.0, 400.0));
        let (dialog, target) = (small.shrink(20.0), Rect::from_min_size(pos2(40.0, 340.0), vec2(90.0, 28.0)));
        let at = place(small, small, size, None, Some(target), &[dialog]);
        assert!(!Rect::from_min_size(at, size).intersects(target), "{at}");
    }
}
