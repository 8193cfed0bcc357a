//! The window of the curves: the choice of layers on the left, the chart on the right.

use std::collections::BTreeSet;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Button, ComboBox, Context, Label, RichText, ScrollArea, Sense, Ui, Vec2, Window, vec2};
use egui_phosphor::regular as icon;
use egui_plot::{Corner, Legend, Line, PlotPoints};

use super::CurvesAction;
use super::chart::{CurveQuantity, MOST_CURVES, inks};
use super::task::{CurvesOrder, CurvesTask};
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::theme::colour;
use crate::frame::widgets::clipped::clipped;
use crate::frame::widgets::plot;
use talweg::eval::ProcessCurve;

/// State of the window.
#[derive(Debug, Default, Resource)]
pub struct CurvesState {
    is_open: bool,
    pub quantity: CurveQuantity,
    /// Processes that the user has left out, by layer index.
    left_out: BTreeSet<usize>,
    /// Whether each process starts on the terrain below all chosen processes.
    alone: bool,
    /// The opening of the scene to which `left_out` belongs.
    opening: u64,
}

impl CurvesState {
    pub fn toggle(&mut self) {
        self.is_open = !self.is_open;
    }

    /// Closes the window; returns whether it was open.
    pub fn close(&mut self) -> bool {
        std::mem::replace(&mut self.is_open, false)
    }

    /// The request for the curves of the chosen processes.
    pub fn order(&self, document: &Document) -> CurvesOrder {
        let chosen = processes(document).into_iter().filter(|index| !self.left_out.contains(index));
        CurvesOrder { scene: document.shown_scene().0, layers: chosen.take(MOST_CURVES).collect(), alone: self.alone }
    }
}

/// Indices of the layers with a process that runs, including hidden branches.
fn processes(document: &Document) -> Vec<usize> {
    let scene = document.scene();
    let is_shown = |index: &usize| scene.layers[*index].enabled || scene.layers[*index].branch != 0;
    let runs = |index: &usize| scene.iterations(*index).is_some_and(|count| count > 0);
    (0..scene.layers.len()).filter(is_shown).filter(runs).collect()
}

/// Shows the window if it is open; returns the command of a clicked button.
pub fn show(ctx: &Context, state: &mut CurvesState, document: &Document, task: &CurvesTask) -> Option<Command> {
    const WANTED: Vec2 = vec2(900.0, 460.0);
    const LEAST: Vec2 = vec2(620.0, 300.0);
    if !state.is_open {
        return None;
    }
    if state.opening != document.openings() {
        state.opening = document.openings();
        state.left_out.clear();
    }
    let screen = ctx.viewport_rect();
    let room = (screen.size() - vec2(60.0, 110.0)).max(LEAST);
    let size = WANTED.min(room);
    let (mut is_open, mut command) = (true, None);
    Window::new("Curves together")
        .open(&mut is_open)
        .default_size(size)
        .default_pos(screen.center() - 0.5 * (size + vec2(24.0, 54.0)))
        .min_size(LEAST)
        .max_size(room)
        .constrain_to(screen)
        .show(ctx, |ui| command = contents(ui, state, document, task));
    state.is_open = is_open;
    command
}

fn contents(ui: &mut Ui, state: &mut CurvesState, document: &Document, task: &CurvesTask) -> Option<Command> {
    const CHOICE: f32 = 210.0;
    const GAP: f32 = 18.0;
    let area = ui.available_rect_before_wrap();
    let (left, right) = (area.with_max_x(area.left() + CHOICE), area.with_min_x(area.left() + CHOICE + GAP));
    ui.painter().vline(left.right() + 0.5 * GAP, area.y_range(), egui::Stroke::new(1.0, colour::line()));
    let asked = choice(&mut clipped(ui, "choice", left), state, document, task);
    let command = results(&mut clipped(ui, "results", right), state, document, task);
    ui.allocate_rect(area, Sense::hover());
    asked.or(command)
}

fn hint(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).small().color(colour::text_weak())).wrap());
}

/// The list of the processes, and the button that computes their curves.
fn choice(ui: &mut Ui, state: &mut CurvesState, document: &Document, task: &CurvesTask) -> Option<Command> {
    let processes = processes(document);
    ui.label(RichText::new("Processes").strong());
    if processes.is_empty() {
        hint(ui, "Add an erosion layer, or branch an erosion, to draw its curve.");
    }
    let height = (ui.available_height() - 120.0).max(60.0);
    ScrollArea::vertical().id_salt("processes").max_height(height).show(ui, |ui| {
        let chosen = processes.iter().filter(|index| !state.left_out.contains(index)).count();
        for &index in &processes {
            let mut is_on = !state.left_out.contains(&index);
            let has_colour = is_on || chosen < MOST_CURVES;
            let name = &document.scene().layers[index].name;
            let tick = ui.add_enabled(has_colour, egui::Checkbox::new(&mut is_on, name));
            let tick = tick.on_disabled_hover_text("One chart shows at most seven curves.");
            let label = format!("Curve of {name}");
            tick.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Checkbox, has_colour, is_on, &label));
            if tick.changed() && is_on {
                state.left_out.remove(&index);
            } else if tick.changed() {
                state.left_out.insert(index);
            }
        }
    });
    ui.add_space(4.0);
    ui.checkbox(&mut state.alone, "Each on the same terrain").on_hover_text(
        "Hides the other chosen processes while one is measured, so that every process starts on the terrain below \
         them. Branches of one process always start on the same terrain.",
    );
    ui.add_space(4.0);
    if task.is_running() {
        let stop = ui.button(format!("{}  Stop", icon::STOP));
        return stop.clicked().then(|| CurvesAction::Stop.into());
    }
    let is_empty = state.order(document).layers.is_empty();
    let compute = ui.add_enabled(!is_empty, Button::new(format!("{}  Compute curves", icon::CHART_LINE)));
    let compute = compute.on_hover_text("Runs the chosen processes at full resolution and measures them.");
    compute.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, !is_empty, "Compute curves"));
    compute.clicked().then(|| CurvesAction::Compute.into())
}

/// The chart, the choice of its quantity and the buttons that save it.
fn results(ui: &mut Ui, state: &mut CurvesState, document: &Document, task: &CurvesTask) -> Option<Command> {
    let mut command = None;
    let curves = task.curves();
    ui.horizontal(|ui| {
        let combo = ComboBox::from_id_salt("quantity").selected_text(state.quantity.label()).width(170.0);
        let shown = combo.show_ui(ui, |ui| {
            for quantity in CurveQuantity::ALL {
                let option = ui.selectable_label(state.quantity == quantity, quantity.label());
                if option.on_hover_text(quantity.help()).clicked() {
                    state.quantity = quantity;
                }
            }
        });
        let combo = shown.response.on_hover_text(state.quantity.help());
        combo.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "Quantity"));
        for (action, name) in [(CurvesAction::SaveCsv, "Save CSV…"), (CurvesAction::SaveSvg, "Save SVG…")] {
            let action = Command::from(action);
            let button = ui.add_enabled(curves.is_some(), Button::new(name));
            if button.on_hover_text(action.info().tooltip).clicked() {
                command = Some(action);
            }
        }
    });
    if task.is_running() {
        hint(ui, "The curves appear when all of them are computed.");
    } else if curves.is_some_and(|(of, _)| *of != state.order(document)) {
        let text = format!("{}  The scene or the choice has changed since these curves were computed.", icon::WARNING);
        ui.label(RichText::new(text).small().color(colour::warning()));
    }
    match curves {
        Some((_, curves)) => chart(ui, curves, state.quantity),
        None => hint(ui, "Choose erosions or branches on the left and compute their curves."),
    }
    command
}

fn chart(ui: &mut Ui, curves: &[ProcessCurve], quantity: CurveQuantity) {
    let size = ui.available_size();
    let plot = plot::still("curves together", vec2(size.x, size.y.max(160.0)))
        .x_axis_label(RichText::new("Iteration").small())
        .y_axis_label(RichText::new(quantity.heading()).small())
        .legend(Legend::default().background_alpha(0.7).follow_insertion_order(true).position(Corner::RightTop));
    plot.show(ui, |ui| {
        for (curve, ink) in curves.iter().zip(inks()) {
            ui.line(Line::new(&curve.name, PlotPoints::from(quantity.points(curve))).color(ink).width(1.8));
        }
    });
}
