//! The panel with measures and plots of the terrain. Real terrain serves as a reference.

use std::sync::Arc;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Align, Color32, Label, Layout, Rect, RichText, Sense, Ui, pos2, vec2};
use egui_phosphor::regular as icon;
use egui_plot::{Bar, BarChart, Line, LineStyle, PlotPoints, Points};

use crate::features::measures::MeasuresAction;
use crate::features::measures::planet;
use crate::frame::commands::Command;
use crate::frame::theme::ink;
use crate::frame::theme::{colour, icon_button};
use crate::frame::units::{self, ShownUnit};
use crate::frame::widgets::{params, plot};
use talweg::eval::parity::{Parity, Verdict};
use talweg::measure::{
    Limits, MEASURES, Measure, MeasureValue, Measures, PLOTS, PlanetMeasures, PlotAxis, PlotStyle, ReferenceBand, bands,
};

/// Whether the panel is open, and the thresholds of the measures.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct MeasuresState {
    pub open: bool,
    pub limits: Limits,
}

/// The measures of the terrain on screen.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct MeasuresInfo {
    pub measures: Option<Arc<Measures>>,
    /// Measures of a planet; `None` while a terrain is on screen.
    pub planet: Option<Arc<PlanetMeasures>>,
    /// Whether the measures belong to an older terrain than the terrain on screen.
    pub stale: bool,
    /// Whether the terrain on screen is a preview.
    pub preview: bool,
    /// Accuracy of the preview compared with the full resolution; `None` until it is computed.
    pub trust: Option<PreviewAccuracy>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PreviewAccuracy {
    Coming,
    Known(Parity),
}

/// Shows the panel; returns the command of its close button.
pub fn show(ui: &mut Ui, state: &mut MeasuresState, info: &MeasuresInfo, is_planet: bool) -> Option<Command> {
    let command = head(ui, info, is_planet);
    if is_planet {
        planet::show(ui, info);
        return command;
    }
    let Some(measures) = &info.measures else {
        ui.add_space(8.0);
        ui.label(RichText::new("Measuring…").color(colour::text_weak()));
        return command;
    };
    egui::ScrollArea::vertical().id_salt("measures").auto_shrink(false).show(ui, |ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.set_max_width(ui.available_width() - 6.0); // leave room for the scroll bar
        let tint = if info.stale { colour::text_weak() } else { colour::text_strong() };
        rows(ui, MEASURES, &**measures, tint);
        ui.add_space(4.0);
        part(ui, "Plots", true, |ui| PLOTS.iter().for_each(|which| plot(ui, which, measures)));
        part(ui, "Thresholds", false, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            params::own_rows(ui, &mut state.limits);
        });
    });
    command
}

fn head(ui: &mut Ui, info: &MeasuresInfo, is_planet: bool) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Command::from(MeasuresAction::Toggle);
            if icon_button(ui, true, icon::X, "Close the measures").on_hover_text(close.tooltip(ui.ctx())).clicked() {
                command = Some(close);
            }
            if is_planet {
                planet::copy(ui, info)
            } else {
                copy(ui, info)
            }
            // shorten the heading in a narrow panel
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(RichText::new("Measures").strong().size(15.0)).truncate());
            });
        });
    });
    ui.horizontal(|ui| {
        let small = |text: String, tint: Color32| Label::new(RichText::new(text).small().color(tint)).truncate();
        if info.preview {
            let text = "Measured on the preview; full resolution follows.";
            ui.add(small(text.into(), colour::text_weak()));
            return;
        }
        match info.trust {
            _ if is_planet => {
                let tip =
                    "Samples near the corners of the six cube faces cover less area than samples at their centres.";
                ui.add(small("Samples are weighted by the area they cover.".into(), colour::text_weak()))
                    .on_hover_text(tip)
            }
            None => ui.add(small(String::new(), colour::text_weak())),
            Some(PreviewAccuracy::Coming) => {
                let tip = "The scene is computed at half its resolution and compared with the full resolution.";
                ui.add(small("Preview accuracy: computing…".into(), colour::text_weak())).on_hover_text(tip)
            }
            Some(PreviewAccuracy::Known(parity)) => {
                let (sign, tint) = match parity.verdict {
                    Verdict::True => (icon::CHECK_CIRCLE, ink::blue()),
                    Verdict::Close => (icon::INFO, colour::text()),
                    Verdict::Differs => (icon::WARNING, ink::orange()),
                };
                let rivers = parity
                    .drainage_overlap
                    .map_or(String::new(), |share| format!(", {:.0} % of rivers match", 100.0 * share));
                let text = format!(
                    "{sign}  Preview {}: {} off{rivers}",
                    parity.verdict.word(),
                    units::metres(parity.rms_metres, 1)
                );
                let tip = format!(
                    "{} At {} samples per side, heights are off by {} (root mean square) and by {} at most. The \
                     percentage is the fraction of rivers in the right place.",
                    parity.verdict.sentence(),
                    parity.half_samples,
                    units::metres(parity.rms_metres, 2),
                    units::metres(parity.greatest_metres, 1)
                );
                ui.add(small(text, tint)).on_hover_text(tip)
            }
        };
    });
    ui.separator();
    command
}

/// The buttons that copy the measures.
fn copy(ui: &mut Ui, info: &MeasuresInfo) {
    let Some(measures) = &info.measures else { return };
    let json = ui.small_button("JSON").on_hover_text("Copies all measures and plots as JSON, like `talweg measure`.");
    if json.clicked()
        && let Ok(text) = serde_json::to_string_pretty(&**measures)
    {
        ui.ctx().copy_text(text);
    }
    if ui.small_button("CSV").on_hover_text("Copies all measures in full precision, for a spreadsheet.").clicked() {
        ui.ctx().copy_text(measures.csv());
    }
}

/// A collapsible section.
fn part(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    let title = RichText::new(title).strong().color(colour::accent());
    egui::CollapsingHeader::new(title).default_open(open).show_unindented(ui, contents);
}

/// Shows the measures of `of`, grouped by family.
pub fn rows<T>(ui: &mut Ui, list: &[Measure<T>], of: &T, tint: Color32) {
    for family in list.chunk_by(|a, b| a.family == b.family) {
        ui.add_space(6.0);
        ui.label(RichText::new(family[0].family.label()).strong().color(colour::accent()));
        family.iter().for_each(|measure| row(ui, measure, of, tint));
    }
}

/// Shows a row with the name of a measure, the range of real terrain, and the measured value.
fn row<T>(ui: &mut Ui, measure: &Measure<T>, of: &T, tint: Color32) {
    const HEIGHT: f32 = 17.0;
    const VALUE: f32 = 92.0;
    const BAND: f32 = 52.0;
    let reading = (measure.read)(of);
    let unit = ShownUnit::of_stored(measure.unit);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    let value = Rect::from_min_max(pos2(rect.right() - VALUE, rect.top()), rect.max);
    let scale = Rect::from_min_max(pos2(value.left() - BAND, rect.top()), pos2(value.left() - 4.0, rect.bottom()));
    let published: Vec<&ReferenceBand> = bands(measure.key).collect();
    let name_end = if published.is_empty() { value.left() } else { scale.left() };
    let text = |ui: &mut Ui, rect: Rect, text: RichText, layout: Layout| {
        let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(rect).layout(layout));
        inside.add(Label::new(text).truncate().selectable(false));
    };
    let name = Rect::from_min_max(rect.min, pos2(name_end - 4.0, rect.bottom()));
    text(ui, name, RichText::new(measure.label).color(colour::text()), Layout::left_to_right(Align::Center));
    let shown = match reading {
        // show only the first digits of a hash
        MeasureValue::Hash(_) => measure.show_reading(reading).chars().take(8).collect::<String>() + "…",
        MeasureValue::Undefined(_) => "–".into(),
        MeasureValue::Number(value) => short(measure, MeasureValue::Number(unit.shown(value))) + " " + unit.name,
        _ => format!("{} {}", short(measure, reading), unit.name),
    };
    text(ui, value, RichText::new(shown.trim_end()).color(tint), Layout::right_to_left(Align::Center));
    if let (Some(band), Some(value)) = (published.first(), reading.number()) {
        draw_band(ui, scale, band, value);
    }
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::WidgetType::Label, true, format!("{} {}", measure.label, measure.show(of)))
    });
    let written = |kept: f64| unit.digits(unit.shown(kept));
    response.on_hover_ui(|ui| {
        ui.set_max_width(320.0);
        ui.label(RichText::new(measure.label).strong());
        ui.label(measure.meaning);
        match reading {
            MeasureValue::Undefined(why) => drop(ui.label(format!("No value: {why}."))),
            MeasureValue::Hash(_) => drop(ui.label(measure.show_reading(reading))),
            _ => {}
        }
        for band in &published {
            ui.add_space(4.0);
            let of = format!(
                "Real terrain: {} to {} {} ({}).",
                written(band.low),
                written(band.high),
                unit.name,
                band.terrain_kind
            );
            ui.label(RichText::new(of).color(ink::green()));
            ui.weak(band.source);
        }
        if !measure.source.is_empty() {
            ui.add_space(4.0);
            ui.weak(format!("Source: {}", measure.source));
        }
    });
}

/// Formats a value with its significant digits, if they fit.
fn short<T>(measure: &Measure<T>, reading: MeasureValue) -> String {
    match reading {
        MeasureValue::Number(value) if value.abs() >= 1.0e6 => format!("{value:.0}"),
        MeasureValue::Number(value) if value.abs() >= 100.0 => format!("{value:.1}"),
        _ => measure.show_reading(reading),
    }
}

/// Draws the reference range of real terrain and the position of the measured value. The diagram is three times as wide
/// as the published range, which is centred in it.
fn draw_band(ui: &Ui, rect: Rect, band: &ReferenceBand, value: f64) {
    let span = band.high - band.low;
    let place = |v: f64| {
        let share = ((v - (band.low - span)) / (3.0 * span)).clamp(0.0, 1.0);
        rect.left() + rect.width() * share as f32
    };
    let line = Rect::from_x_y_ranges(rect.x_range(), rect.center().y - 2.0..=rect.center().y + 2.0);
    ui.painter().rect_filled(line, 2.0, colour::line());
    let real = Rect::from_x_y_ranges(place(band.low)..=place(band.high), line.y_range());
    ui.painter().rect_filled(real, 2.0, ink::green());
    let inside = value >= band.low && value <= band.high;
    let at = pos2(place(value), rect.center().y);
    ui.painter().circle_filled(at, 4.0, colour::panel());
    ui.painter().circle_filled(at, 3.0, if inside { colour::text_strong() } else { ink::orange() });
}

/// Converts a value on a plot axis to the preferred unit.
fn on_axis((axis, unit): (&PlotAxis, ShownUnit), kept: f64) -> f64 {
    if axis.is_log { kept + unit.shown(1.0).log10() } else { unit.shown(kept) }
}

fn plot(ui: &mut Ui, which: &'static talweg::measure::Plot, of: &Measures) {
    let axes = [&which.x, &which.y].map(|axis| (axis, ShownUnit::of_stored(axis.unit)));
    let shown = |point: [f64; 2]| std::array::from_fn(|k| on_axis(axes[k], point[k]));
    let points: Vec<[f64; 2]> = (which.points)(of).iter().map(|point| shown(*point)).collect();
    ui.add_space(5.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new(which.label).strong().color(colour::text())).on_hover_text(which.meaning);
        if !points.is_empty() {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let copy = icon_button(ui, true, icon::COPY, &format!("Copy {}", which.label));
                if copy.on_hover_text("Copies the points as CSV.").clicked() {
                    ui.ctx().copy_text(which.csv(of));
                }
            });
        }
    });
    if points.is_empty() {
        ui.label(RichText::new("No data for this terrain.").color(colour::text_weak()));
        return;
    }
    let drawn = plot::still(which.key, vec2(ui.available_width(), 112.0)).y_axis_min_width(30.0);
    drawn.show(ui, |ui| match which.drawing {
        PlotStyle::Bars => {
            let width = points.windows(2).map(|pair| pair[1][0] - pair[0][0]).fold(f64::MAX, f64::min);
            let width = if points.len() > 1 { width } else { 1.0 };
            let bar = |&[x, y]: &[f64; 2]| Bar::new(x, y).width(width).fill(ink::blue()).stroke(egui::Stroke::NONE);
            ui.bar_chart(BarChart::new(which.label, points.iter().map(bar).collect()).color(ink::blue()));
        }
        PlotStyle::Curve => ui.line(Line::new(which.label, PlotPoints::from(points)).color(ink::blue()).width(1.6)),
        PlotStyle::Fit => {
            let kept = (which.points)(of);
            if let (Some(line), Some(first), Some(last)) = ((which.line)(of), kept.first(), kept.last()) {
                let ends = [first[0], last[0]].map(|x| shown([x, line.value(x)]));
                let fit = Line::new("fitted line", PlotPoints::from(ends.to_vec())).color(ink::orange()).width(1.4);
                ui.line(fit.style(LineStyle::dashed_loose()));
            }
            ui.points(Points::new(which.label, PlotPoints::from(points)).color(ink::blue()).radius(2.2));
        }
    });
    let [across, up] = axes.map(|(axis, unit)| unit.heading(axis.label));
    let mut caption = format!("vertical: {up}  ·  horizontal: {across}");
    if let Some(line) = (which.line)(of) {
        caption += &format!("  ·  slope {:.2}, R² {:.3}", line.slope, line.r_squared);
    }
    ui.add(Label::new(RichText::new(caption).color(colour::text_weak())).wrap());
}
