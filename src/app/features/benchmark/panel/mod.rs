//! The benchmark window: the choice of measurements on the left, the results on the right.

mod choose;
mod extremes;
mod plots;
mod table;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Context, Label, Rect, RichText, ScrollArea, Sense, Ui, Vec2, Window, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::benchmark::panel::choose::Choice;
use crate::features::benchmark::task::{BenchInfo, BenchRequest};
use crate::frame::document::Document;
use crate::frame::theme::colour;
use crate::frame::widgets::clipped::clipped;
use talweg::benchmark::findings::Tone;
use talweg::benchmark::summary::{Column, Report};

/// A tab with one view of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Findings,
    Table,
    Growth,
    Threads,
    Extremes,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Findings, Self::Table, Self::Growth, Self::Threads, Self::Extremes];

    fn label(self) -> &'static str {
        match self {
            Self::Findings => "Findings",
            Self::Table => "Table",
            Self::Growth => "Growth",
            Self::Threads => "Threads",
            Self::Extremes => "Extremes",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Findings => "Findings, each with its confidence.",
            Self::Table => "All numbers. Click a heading to sort.",
            Self::Growth => "Run time against the number of samples, on logarithmic axes.",
            Self::Threads => "Speed-up with more threads.",
            Self::Extremes => "How the node behaves at the extremes of each parameter.",
        }
    }
}

/// State of the benchmark window.
#[derive(Resource, Debug, Default)]
pub struct BenchState {
    is_open: bool,
    choice: Choice,
    tab: Tab,
    column: Column,
    is_descending: bool,
    /// Row order of the table, with the report, sort column and sort direction from which it was computed.
    order: Option<(Arc<Report>, Column, bool, Vec<usize>)>,
    /// Index of the thread count for which the run time is plotted against the number of samples.
    threads: usize,
    /// Index of the grid size whose speed-up is plotted, counted from the largest size.
    size: usize,
    only_remarkable: bool,
    /// The longest time that drawing the window has taken in one frame.
    longest: Duration,
    /// Total time that drawing the window has taken, and the number of times it was drawn.
    drawn: (Duration, u32),
}

impl BenchState {
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Opens or closes the window.
    pub fn toggle(&mut self) {
        self.is_open = !self.is_open;
    }

    /// Closes the window; returns whether it was open.
    pub fn close(&mut self) -> bool {
        std::mem::replace(&mut self.is_open, false)
    }

    /// The longest time that drawing the window has taken in one frame.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Mean time per frame that drawing the window has taken.
    pub fn mean(&self) -> Duration {
        self.drawn.0 / self.drawn.1.max(1)
    }

    /// The rows of the table in sort order.
    fn order(&mut self, report: &Arc<Report>) -> Vec<usize> {
        let is_current = self.order.as_ref().is_some_and(|(of, column, is_descending, _)| {
            Arc::ptr_eq(of, report) && (*column, *is_descending) == (self.column, self.is_descending)
        });
        if !is_current {
            let order = report.order(self.column, self.is_descending);
            self.order = Some((report.clone(), self.column, self.is_descending, order));
        }
        self.order.as_ref().map_or_else(Vec::new, |(.., order)| order.clone())
    }
}

/// Shows the window if it is open; returns the request of a clicked button.
pub fn show(ctx: &Context, state: &mut BenchState, document: &Document, info: &BenchInfo) -> Option<BenchRequest> {
    const WANTED: Vec2 = vec2(964.0, 500.0);
    const LEAST: Vec2 = vec2(880.0, 380.0);
    if !state.is_open {
        return None;
    }
    let begun = Instant::now();
    let screen = ctx.viewport_rect();
    // leave room for the title bar, the margins and a strip of the editor
    let room = screen.size() - vec2(60.0, 110.0);
    let size = WANTED.min(room).max(LEAST);
    let mut is_open = true;
    let mut ask = None;
    Window::new("Benchmark")
        .open(&mut is_open)
        .default_size(size)
        .default_pos(screen.center() - 0.5 * (size + vec2(24.0, 54.0)))
        .min_size(LEAST)
        .max_size(room.max(LEAST))
        .constrain_to(screen)
        .show(ctx, |ui| ask = contents(ui, state, document, info));
    state.is_open = is_open;
    let spent = begun.elapsed();
    state.longest = state.longest.max(spent);
    state.drawn = (state.drawn.0 + spent, state.drawn.1.saturating_add(1));
    ask
}

fn contents(ui: &mut Ui, state: &mut BenchState, document: &Document, info: &BenchInfo) -> Option<BenchRequest> {
    const CHOICE: f32 = 244.0;
    const GAP: f32 = 18.0;
    let area = ui.available_rect_before_wrap();
    let (left, right) = (area.with_max_x(area.left() + CHOICE), area.with_min_x(area.left() + CHOICE + GAP));
    ui.painter().vline(left.right() + 0.5 * GAP, area.y_range(), egui::Stroke::new(1.0, colour::line()));
    let ask = choose::show(&mut clipped(ui, "choice", left), &mut state.choice, document, info);
    results(&mut clipped(ui, "results", right), state, info);
    ui.allocate_rect(area, Sense::hover());
    ask
}

fn results(ui: &mut Ui, state: &mut BenchState, info: &BenchInfo) {
    if let Some(failure) = &info.failure {
        ui.add(Label::new(RichText::new(failure).color(colour::error())).wrap());
    }
    let Some(report) = &info.report else {
        let text = if info.underway.is_some() {
            "Results appear when all measurements are done."
        } else {
            "The lecture “Terrain in games” compares Perlin noise with midpoint displacement. Repeat that comparison \
             here, or measure any other nodes: run time with its uncertainty, memory, growth with size, speed-up with \
             threads, and whether equal inputs give bit-identical results."
        };
        ui.add_space(8.0);
        ui.add(Label::new(RichText::new(text).color(colour::text_weak())).wrap());
        return;
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for tab in Tab::ALL {
            if ui.selectable_label(state.tab == tab, tab.label()).on_hover_text(tab.help()).clicked() {
                state.tab = tab;
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (name, text, tip) in [
                ("JSON", &report.json, "Copies all results, in the format of `talweg bench --json`."),
                ("CSV", &report.csv, "Copies one row per node, size and thread count, for a spreadsheet."),
            ] {
                let button = ui.small_button(format!("{}  {name}", icon::COPY)).on_hover_text(tip);
                button.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("Copy as {name}"))
                });
                if button.clicked() {
                    ui.ctx().copy_text(text.clone());
                }
            }
        });
    });
    ui.add_space(2.0);
    match state.tab {
        Tab::Findings => findings(ui, report),
        Tab::Table => table::show(ui, state, report),
        Tab::Growth => plots::growth(ui, state, report),
        Tab::Threads => plots::speed_up(ui, state, report),
        Tab::Extremes => extremes::show(ui, state, report),
    }
}

fn findings(ui: &mut Ui, report: &Report) {
    ScrollArea::vertical().id_salt("findings").auto_shrink(false).show(ui, |ui| {
        for finding in &report.findings {
            let (symbol, tint) = match finding.tone {
                Tone::Plain => (icon::DOT_OUTLINE, colour::text()),
                Tone::Care => (icon::WARNING, colour::warning()),
                Tone::Bad => (icon::WARNING_CIRCLE, colour::error()),
            };
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(symbol).color(tint));
                ui.add(Label::new(RichText::new(&finding.text).color(tint)).wrap().selectable(true));
            });
        }
        ui.add_space(6.0);
        let found = &report.found;
        let machine = format!(
            "{}, {} at a time, {}. Talweg {}. {} repetitions; each runs all measurements in a new order.",
            found.processor.as_deref().unwrap_or("Unknown processor"),
            talweg::benchmark::summary::threads(found.processors),
            found.system,
            found.version,
            found.repetitions
        );
        ui.add(Label::new(RichText::new(machine).small().color(colour::text_weak())).wrap());
    });
}

/// A small toggle button in a row. Screen readers and tests read `name`.
fn chip(ui: &mut Ui, width: f32, is_on: bool, text: &str, name: &str, tip: &str) -> bool {
    let button = egui::Button::selectable(is_on, RichText::new(text).small()).frame_when_inactive(true);
    let response = ui.scope(|ui| {
        ui.spacing_mut().button_padding.x = 2.0;
        ui.add_sized([width, 20.0], button)
    });
    let response = response.inner.on_hover_text(tip);
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_on, name));
    response.clicked()
}

/// The rectangle of a cell of a table line, from `left` to `right`.
fn cell(line: Rect, left: f32, right: f32) -> Rect {
    Rect::from_min_max(pos2(left, line.top()), pos2(right, line.bottom()))
}
