//! The step of a generator under the playhead: its title and formula above the playback controls, and its points and
//! cells drawn over the terrain.

use bevy::ecs::system::InMut;
use bevy::prelude::*;
use bevy_egui::egui::{self, Color32, RichText, Shape, Stroke, Ui, pos2};
use egui_phosphor::regular as icon;

use super::ErosionAction;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceFrame;
use crate::frame::theme::{colour, icon_toggle};
use crate::view::{TerrainView, ViewCamera, ViewState, ViewportArea};
use talweg::eval::{Playhead, generator_step};
use talweg::nodes::GeneratorStep;

/// Number of parts of a line as long as the side of the terrain, so that the line follows the ground.
const LINE_PARTS: f32 = 48.0;
/// Radius of a point on screen, in points, and the radius if there are many points.
const RADIUS: [f32; 2] = [3.5, 1.8];
/// Number of points from which they are drawn smaller.
const MANY: usize = 400;

/// The step of a generator that is on screen.
#[derive(Resource, Default)]
pub struct StepMarks {
    /// Whether the user has turned the points and cells off.
    pub is_hidden: bool,
    /// The revision and the playhead of `step`.
    known: Option<(u64, Playhead)>,
    step: Option<GeneratorStep>,
    terrain_view: Option<TerrainView>,
}

impl StepMarks {
    /// The description of the step under the playhead; `None` if no generator is stopped by the playhead.
    pub fn step(&mut self, document: &Document) -> Option<&GeneratorStep> {
        let now = document.shown_step().map(|playhead| (document.revision(), playhead));
        if now != self.known {
            self.known = now;
            self.step = now.and_then(|(_, playhead)| generator_step(document.scene(), playhead));
        }
        self.step.as_ref()
    }
}

/// Stores how the terrain is projected in this frame.
pub fn update_terrain_view(
    mut marks: ResMut<StepMarks>,
    (view_state, camera, area): (Res<ViewState>, Res<ViewCamera>, Res<ViewportArea>),
    editor: Res<Editor>,
) {
    let is_needed = !marks.is_hidden && editor.doc.shown_step().is_some();
    if is_needed || marks.terrain_view.is_some() {
        marks.terrain_view = is_needed.then(|| TerrainView::new(&view_state, &camera, &area)).flatten();
    }
}

/// Draws the points and cells of the step over the terrain.
pub fn draw(InMut(ui): InMut<Ui>, frame: Res<InterfaceFrame>, editor: Res<Editor>, mut marks: ResMut<StepMarks>) {
    if marks.is_hidden || editor.doc.shown_step().is_none() || editor.doc.scene().is_planet() {
        return;
    }
    let Some(view) = marks.terrain_view.clone() else { return };
    let Some(step) = marks.step(&editor.doc) else { return };
    let painter = ui.painter().with_clip_rect(frame.free_rect);
    let screen = |[x, y]: [f32; 2]| view.screen([x, y].map(f64::from), 0.0).map(|[x, y]| pos2(x, y));
    for [from, to] in &step.lines {
        let run = [to[0] - from[0], to[1] - from[1]];
        let parts = (run[0].hypot(run[1]) * LINE_PARTS).ceil().max(1.0) as usize;
        let at = |k: usize| [0, 1].map(|axis| from[axis] + run[axis] * k as f32 / parts as f32);
        let line: Vec<_> = (0..=parts).filter_map(|k| screen(at(k))).collect();
        painter.add(Shape::line(line.clone(), Stroke::new(3.0, Color32::from_black_alpha(80))));
        painter.add(Shape::line(line, Stroke::new(1.5, Color32::from_white_alpha(220))));
    }
    let radius = RADIUS[usize::from(step.points.len() >= MANY)];
    for at in step.points.iter().filter_map(|&point| screen(point)) {
        painter.circle(at, radius, colour::accent(), Stroke::new(0.3 * radius, Color32::from_black_alpha(190)));
    }
}

/// Shows the bar with the title and the formula of the step; returns the command of a clicked button.
pub fn bar(ui: &mut Ui, document: &Document, marks: &mut StepMarks) -> Option<Command> {
    let is_shown = !marks.is_hidden;
    let is_planet = document.scene().is_planet();
    let step = marks.step(document)?;
    let toggle = Command::from(ErosionAction::ToggleStepMarks);
    let mut command = None;
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        let button = icon_toggle(ui, !is_planet, is_shown && !is_planet, icon::DOTS_NINE, "Points and cells");
        if button.on_hover_text(toggle.tooltip(ui.ctx())).clicked() {
            command = Some(toggle);
        }
        ui.label(RichText::new(&step.title).color(colour::text_strong()));
        let formula = egui::Label::new(RichText::new(&step.formula).color(colour::text())).truncate();
        ui.add(formula).on_hover_text(&step.formula);
    });
    command
}
