//! A read-only drawing of the stack as a graph: which layer continues which, and which layer reads which. A click
//! selects a layer; the stack stays the one way to edit.

pub mod layout;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use egui::epaint::CubicBezierShape;
use egui::{Align2, Button, Color32, FontId, Rect, RichText, Stroke, pos2, vec2};
use egui_phosphor::regular as icon;

use self::layout::{GraphEdge, GraphLayout, GraphNode};
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info};
use crate::frame::document::Selection;
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::theme::{colour, icon_button};

pub struct GraphPlugin;

impl Plugin for GraphPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<GraphPanel>()
            .add_actions([GraphAction::Toggle], run)
            .add_menu_part("View", 21, menu)
            .add_panel(
                DockedPanel {
                    place: 2,
                    size: [380.0, 360.0],
                    least: [240.0, 160.0],
                    ..DockedPanel::new("graph", "Graph", DockEdge::Right)
                },
                Some(GraphAction::Toggle.into()),
                |panel: Res<GraphPanel>| PanelShown::from(panel.is_open),
                show,
            );
    }
}

/// Commands of the graph of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphAction {
    /// Opens or closes the graph.
    Toggle,
}

impl Action for GraphAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        Info::new(
            "Graph",
            "Draws which layer continues which, and which layers read others. Click a layer to select it.",
            icon::TREE_STRUCTURE,
            &[],
        )
    }
}

/// Whether the graph is open, and the part of it that is visible.
#[derive(Resource)]
struct GraphPanel {
    is_open: bool,
    visible: Rect,
}

impl Default for GraphPanel {
    fn default() -> Self {
        Self { is_open: false, visible: Rect::ZERO }
    }
}

fn run(In(GraphAction::Toggle): In<GraphAction>, mut panel: ResMut<GraphPanel>) {
    panel.is_open = !panel.is_open;
    panel.visible = Rect::ZERO;
}

fn menu(InMut(ui): InMut<Ui>, panel: Res<GraphPanel>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, GraphAction::Toggle, true, panel.is_open);
}

fn show(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut panel: ResMut<GraphPanel>,
    mut queue: ResMut<CommandQueue>,
) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Graph").color(colour::text_strong()).strong());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let close = icon_button(ui, true, icon::X, "Close the graph");
            if close.on_hover_text(GraphAction::Toggle.tooltip(ui.ctx())).clicked() {
                queue.push(GraphAction::Toggle);
            }
            let fit = icon_button(ui, true, icon::CORNERS_OUT, "Show the whole graph");
            if fit.on_hover_text("Shows the whole graph. Scroll to zoom; drag to move.").clicked() {
                panel.visible = Rect::ZERO;
            }
        });
    });
    let layout = GraphLayout::new(editor.doc.scene());
    if layout.nodes.is_empty() {
        ui.label(RichText::new("The scene has no layers.").color(colour::text_weak()));
        return;
    }
    let selected = editor.doc.selected_layers();
    let scene = egui::Scene::new().zoom_range(0.1..=2.0).max_inner_size(layout.size());
    let clicked = scene.show(ui, &mut panel.visible, |ui| draw(ui, &layout, &selected)).inner;
    if let Some(layer) = clicked {
        editor.doc.select(Selection::Layer(layer));
    }
}

/// Draws the graph. Returns the index of the layer that was clicked.
fn draw(ui: &mut Ui, layout: &GraphLayout, selected: &[usize]) -> Option<usize> {
    layout.edges.iter().for_each(|edge| draw_edge(ui, layout, edge));
    let mut clicked = None;
    for node in &layout.nodes {
        let is_selected = node.layer.is_some_and(|layer| selected.contains(&layer));
        let tint = if node.is_shown { colour::text() } else { colour::text_weak() };
        let text = RichText::new(&node.name).color(if is_selected { colour::text_strong() } else { tint });
        let text = if node.is_shown { text } else { text.italics() };
        let button = ui.put(node.area, Button::selectable(is_selected, text).frame_when_inactive(true).truncate());
        button.widget_info(|| {
            let name = format!("Graph: {}", node.name);
            egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, is_selected, name)
        });
        if button.on_hover_text(tip(node)).clicked() {
            clicked = node.layer.or(clicked);
        }
    }
    clicked
}

fn tip(node: &GraphNode) -> String {
    let mut tip = match (node.layer, node.is_shown) {
        (None, _) => "Another scene file.".to_string(),
        (_, true) => "Click to select the layer.".into(),
        (_, false) => "Hidden. Click to select the layer.".into(),
    };
    node.problems.iter().for_each(|problem| tip += &format!("\n{problem}"));
    tip
}

/// Draws an edge: a straight arrow for a layer that continues the layer below, and a curve with its value for a layer
/// that reads another.
fn draw_edge(ui: &Ui, layout: &GraphLayout, edge: &GraphEdge) {
    let (from, to) = (layout.nodes[edge.from].area, layout.nodes[edge.to].area);
    let painter = ui.painter();
    let Some(value) = &edge.value else {
        let stroke = Stroke::new(1.5, colour::text_weak());
        let x = to.left() + layout::STEM;
        painter.line_segment([pos2(x, from.top()), pos2(x, to.bottom())], stroke);
        arrow_head(ui, pos2(x, to.bottom()), vec2(0.0, -1.0), stroke.color);
        return;
    };
    let stroke = Stroke::new(1.5, colour::accent());
    let is_beside = from.right() < to.left();
    let (start, end) = match is_beside {
        true => (from.right_center(), to.left_center()),
        false => (from.right_center(), to.right_center() + vec2(0.0, 4.0)),
    };
    let bulge = if is_beside { 30.0 } else { edge.bulge };
    let turn = if is_beside { end - vec2(bulge, 0.0) } else { end + vec2(bulge, 0.0) };
    let points = [start, start + vec2(bulge, 0.0), turn, end];
    let curve = CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke);
    let (at, side) = match is_beside {
        true => (end - vec2(9.0, 3.0), Align2::RIGHT_BOTTOM),
        false => (curve.sample(0.5) + vec2(3.0, 0.0), Align2::LEFT_CENTER),
    };
    painter.add(curve);
    arrow_head(ui, end, vec2(if is_beside { 1.0 } else { -1.0 }, 0.0), stroke.color);
    painter.text(at, side, value, FontId::proportional(11.0), colour::text());
}

/// Draws the head of an arrow that ends at `tip` and points along `towards`.
fn arrow_head(ui: &Ui, tip: egui::Pos2, towards: egui::Vec2, colour: Color32) {
    let side = vec2(-towards.y, towards.x) * 3.5;
    let back = tip - towards * 7.0;
    let corners = vec![tip, back + side, back - side];
    ui.painter().add(egui::Shape::convex_polygon(corners, colour, Stroke::NONE));
}
