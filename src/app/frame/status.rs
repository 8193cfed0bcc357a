//! The status bar at the bottom: shows running work, the terrain on screen, and the point under the cursor.

use std::sync::Arc;
use std::time::Duration;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Align, Layout, ProgressBar, RichText, Ui};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Command, ComputeAction};
use crate::frame::document::Document;
use crate::frame::theme::{colour, sized_icon_toggle};
use crate::frame::units::{self, ShownUnit};
use crate::view::Legend;
use talweg::eval::Insight;
use talweg::scene::Problem;

/// The layer that the running evaluation computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerProgress {
    pub layer: usize,
    pub layers: usize,
    /// Fraction of the layer that is done.
    pub fraction: f32,
    pub preview: bool,
    pub elapsed: Duration,
}

/// The point under the cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnderCursor {
    pub height_metres: f32,
    /// Distance from the west edge, in metres.
    pub east_metres: f32,
    /// Distance from the north edge, in metres.
    pub south_metres: f32,
    /// Latitude and longitude in degrees, on a planet.
    pub latitude_longitude: Option<[f32; 2]>,
}

/// Background work other than the evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Description and progress of the work.
    pub text: String,
    /// Fraction of the work that is done; `None` if the work cannot be cancelled.
    pub done: Option<f32>,
}

/// Data about the evaluation and the view that the panels show.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct StatusInfo {
    pub running: Option<LayerProgress>,
    /// Background work other than the evaluation; the bar shows the first entry.
    pub activities: Vec<Activity>,
    /// Whether the evaluation was stopped, so that the terrain on screen does not match the scene.
    pub stopped: bool,
    /// Duration of the newest full-resolution evaluation.
    pub last_evaluation: Option<Duration>,
    /// Samples per side of the terrain on screen.
    pub samples: Option<usize>,
    /// Whether the terrain on screen is a preview.
    pub preview: bool,
    /// Heights of the lowest and highest point on screen, in metres.
    pub range_metres: Option<(f32, f32)>,
    pub cursor: Option<UnderCursor>,
    /// The legend of the overlay on screen.
    pub legend: Option<Arc<Legend>>,
    /// Findings about the newest full-resolution terrain.
    pub insight: Arc<Insight>,
    /// Problems with files and layers of the scene.
    pub problems: Arc<Vec<Problem>>,
}

/// A hint about the effect of a click or drag. It replaces the other text of the status bar.
#[derive(Resource, Default)]
pub struct StatusHint {
    next: Option<String>,
    shown: Option<String>,
}

impl StatusHint {
    /// Sets the hint that the next frame shows; `None` clears it.
    pub fn set(&mut self, hint: Option<String>) {
        self.next = hint;
    }

    /// Whether the hint has been set but not shown yet.
    pub(super) fn is_new(&self) -> bool {
        self.next != self.shown
    }

    pub(super) fn next_text(&mut self) -> Option<String> {
        self.shown = self.next.take();
        self.shown.clone()
    }
}

/// Height of the contents of the bar, in points. Nothing in the bar is higher, so that the panels above stay in place
/// when work starts or ends.
pub const INNER_HEIGHT: f32 = 22.0;
/// The bar does not show evaluations that are shorter than this duration, because it would flicker.
const QUIET: Duration = Duration::from_millis(120);

/// Draws the status bar and returns the command of its button if the user clicked it. `hint` describes the effect of a
/// click or drag and replaces the other text.
pub fn show(ui: &mut Ui, document: &Document, info: &StatusInfo, hint: Option<&str>) -> Option<Command> {
    let mut command = None;
    // the contents cannot enlarge the bar
    let bar = egui::Rect::from_min_size(ui.cursor().min, egui::vec2(ui.available_width(), INNER_HEIGHT));
    ui.allocate_rect(bar, egui::Sense::hover());
    let inner = egui::UiBuilder::new().max_rect(bar).layout(Layout::left_to_right(Align::Center));
    ui.scope_builder(inner, |ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
        let running = info.running.filter(|running| running.elapsed >= QUIET);
        let computing = running.map(|r| (r.layer as f32 + r.fraction) / r.layers.max(1) as f32);
        if let Some(done) = computing.or(info.activities.iter().find_map(|activity| activity.done)) {
            let cancel = Command::from(ComputeAction::Cancel);
            let button = sized_icon_toggle(ui, INNER_HEIGHT, (true, false), icon::X, "Cancel");
            if button.on_hover_text(cancel.tooltip(ui.ctx())).clicked() {
                command = Some(cancel);
            }
            ui.scope(|ui| {
                ui.visuals_mut().extreme_bg_color = colour::control();
                ui.add(ProgressBar::new(done).desired_width(90.0).desired_height(6.0).fill(colour::accent()));
            });
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            facts(ui, document, info);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = hint.map_or_else(|| activity(document, info, running), str::to_string);
                let label = egui::Label::new(RichText::new(&text).color(colour::text())).truncate();
                ui.add(label);
            });
        });
    });
    command
}

fn activity(document: &Document, info: &StatusInfo, running: Option<LayerProgress>) -> String {
    if let Some(running) = running {
        let layer = document.scene().layers.get(running.layer);
        let what = layer.map_or_else(String::new, |layer| format!(": {}", layer.name));
        let small = if running.preview { "Preview, layer" } else { "Layer" };
        return format!("{small} {} of {}{what}", running.layer + 1, running.layers);
    }
    if let Some(activity) = info.activities.first() {
        return activity.text.clone();
    }
    if info.stopped {
        return "Stopped: the view is out of date. Press F5 to compute the scene".into();
    }
    if let (true, Some((layer, _))) = (document.transport().is_playing(), document.played()) {
        return format!("Playing {}", document.scene().layers[layer].name);
    }
    if let Some(solo) = document.solo().and_then(|index| document.scene().layers.get(index)) {
        return format!("Solo: {}", solo.name);
    }
    match info.last_evaluation {
        Some(time) => format!("Ready, computed in {}", duration(time)),
        None => "Ready".into(),
    }
}

/// Shows facts about the terrain and the cursor from right to left, the most important first.
fn facts(ui: &mut Ui, document: &Document, info: &StatusInfo) {
    ui.spacing_mut().item_spacing.x = 14.0;
    let unit = ShownUnit::of_stored("m");
    if let Some((low, high)) = info.range_metres {
        fact(
            ui,
            &format!("{:.0} to {}", unit.shown(f64::from(low)), units::metres(high, 0)),
            "Lowest and highest point of the terrain.",
        );
    }
    if let Some(samples) = info.samples {
        let full = document.scene().samples();
        let (note, tip) = if info.preview {
            (" preview", format!("A preview is on screen. The full resolution is {full} × {full}."))
        } else {
            ("", "Resolution of the terrain on screen.".into())
        };
        let faces = if document.scene().is_planet() { "6 × " } else { "" };
        fact(ui, &format!("{faces}{samples} × {samples}{note}"), &tip);
    }
    if let Some(cursor) = info.cursor {
        match cursor.latitude_longitude {
            Some([latitude, longitude]) => {
                fact(ui, &angles(latitude, longitude), "Latitude and longitude under the cursor.");
            }
            None => {
                let (east, south) = (cursor.east_metres, cursor.south_metres);
                let tip = "Position under the cursor: distance east and south of the north-west corner.";
                fact(ui, &format!("{:.0}, {}", unit.shown(f64::from(east)), units::metres(south, 0)), tip);
            }
        }
        let height = RichText::new(units::metres(cursor.height_metres, 1)).color(colour::text_strong());
        ui.label(height).on_hover_text("Height under the cursor.");
    }
}

/// Formats latitude and longitude, given in degrees, with the letters N, S, E and W.
pub fn angles(latitude: f32, longitude: f32) -> String {
    let (north, east) = (if latitude < 0.0 { "S" } else { "N" }, if longitude < 0.0 { "W" } else { "E" });
    format!("{:.2}° {north}, {:.2}° {east}", latitude.abs(), longitude.abs())
}

fn fact(ui: &mut Ui, text: &str, tip: &str) {
    ui.label(RichText::new(text).color(colour::text_weak())).on_hover_text(tip);
}

fn duration(time: Duration) -> String {
    match time.as_millis() {
        ms if ms < 1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", time.as_secs_f32()),
    }
}
