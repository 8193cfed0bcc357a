//! Plots of the run time against the number of samples on logarithmic axes, and of the speed-up against the thread
//! count.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Color32, Label, RichText, Ui, Vec2b, vec2};
use egui_plot::{
    Bar, BarChart, Corner, GridInput, GridMark, HoverPosition, Legend, Line, LineStyle, MarkerShape, Plot, PlotPoints,
    Points, VLine,
};

use crate::features::benchmark::panel::{BenchState, chip};
use crate::frame::theme::colour;
use crate::frame::theme::ink;
use crate::frame::widgets::plot;
use talweg::benchmark::summary::{Report, growth as growth_of, threads, three, time};
use talweg::benchmark::{BenchCell, Findings};

/// Maximum number of nodes plotted at once.
const MOST_SHOWN: usize = 7;

/// Plot colours that can be told apart with red-green colour blindness (Okabe & Ito 2008), each with a marker shape.
fn inks() -> [(Color32, MarkerShape); MOST_SHOWN] {
    [
        (ink::blue(), MarkerShape::Circle),
        (ink::orange(), MarkerShape::Square),
        (ink::green(), MarkerShape::Diamond),
        (ink::rose(), MarkerShape::Up),
        (ink::yellow(), MarkerShape::Down),
        (ink::vermilion(), MarkerShape::Left),
        (colour::text(), MarkerShape::Right),
    ]
}

/// The plotted nodes: the first nodes of the table in sort order.
fn shown<'a>(state: &mut BenchState, report: &'a Arc<Report>) -> Vec<&'a Findings> {
    let mut subjects = Vec::new();
    for row in state.order(report) {
        let subject = report.rows[row].subject;
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
        if subjects.len() == MOST_SHOWN {
            break;
        }
    }
    // sort the nodes, so that each keeps its colour when the table is sorted differently
    subjects.sort_unstable();
    subjects.into_iter().map(|subject| &report.found.subjects[subject]).collect()
}

fn hint(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).small().color(colour::text_weak())).wrap());
}

/// Shows a hint if the plot omits some of the nodes.
fn say_what_is_left_out(ui: &mut Ui, report: &Report) {
    if report.found.subjects.len() > MOST_SHOWN {
        hint(ui, "Only the first seven nodes of the table are plotted. Sort the table to plot others.");
    }
}

fn blank(id: &str, ui: &Ui) -> Plot<'static> {
    let size = ui.available_size();
    plot::still(id, vec2(size.x, size.y.max(120.0))).allow_axis_zoom_drag(false).legend(
        Legend::default()
            .text_style(egui::TextStyle::Small)
            .background_alpha(0.7)
            .follow_insertion_order(true)
            .position(Corner::RightBottom),
    )
}

fn samples(side: usize) -> f64 {
    ((side * side) as f64).log10()
}

pub fn growth(ui: &mut Ui, state: &mut BenchState, report: &Arc<Report>) {
    let found = &report.found;
    state.threads = state.threads.min(found.threads.len().saturating_sub(1));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (k, &count) in found.threads.iter().enumerate() {
            let name = format!("Plot {}", threads(count));
            if chip(ui, 74.0, state.threads == k, &threads(count), &name, "Plots the run times with this thread count.")
            {
                state.threads = k;
            }
        }
        ui.add_space(6.0);
        hint(ui, "Bars: confidence interval of the median. Lines: fitted power law.");
    });
    say_what_is_left_out(ui, report);
    let on = found.threads.get(state.threads).copied().unwrap_or(1);
    let subjects = shown(state, report);
    let named: Vec<(String, &Findings, Vec<&BenchCell>)> = subjects
        .into_iter()
        .map(|subject| {
            let cells = subject.cells.iter().filter(|c| c.threads == on && c.milliseconds.low > 0.0).collect();
            let power = growth_of(subject, on).and_then(|g| g.time).map_or_else(String::new, |law| {
                let error = law.standard_error.map_or_else(String::new, |error| format!(" ± {error:.2}"));
                format!(": side^{:.2}{error}", law.exponent)
            });
            (format!("{}{power}", subject.name), subject, cells)
        })
        .collect();
    let sides = found.sizes.clone();
    let step = sides.windows(2).map(|pair| samples(pair[1]) - samples(pair[0])).fold(1.0, f64::min);
    let marks = sides.clone();
    let label = |name: &str, index: usize| {
        let (_, subject, cells) = named.iter().find(|(title, ..)| title == name)?;
        let (cell, t) = (cells.get(index)?, cells.get(index)?.milliseconds);
        let range = if t.confidence > 0.0 { format!("\n{} to {}", time(t.low), time(t.high)) } else { String::new() };
        Some(format!("{}, {}\n{}{range}", subject.name, subject.grid(cell.samples), time(t.median)))
    };
    let plot = blank("benchmark growth", ui)
        .set_margin_fraction(vec2(0.06, 0.1))
        .x_axis_label(RichText::new("samples (side²), logarithmic scale").small())
        .y_axis_label(RichText::new("run time, logarithmic scale").small())
        .y_axis_min_width(52.0)
        .x_grid_spacer(move |_| marks.iter().map(|&n| GridMark { value: samples(n), step_size: step }).collect())
        .x_axis_formatter(move |mark, _| {
            let side = sides.iter().find(|&&n| (samples(n) - mark.value).abs() < 1e-6);
            side.map_or_else(String::new, |n| format!("{n}²"))
        })
        .y_grid_spacer(decades)
        .y_axis_formatter(|mark, _| tick(mark.value))
        .label_formatter(|at| match at {
            HoverPosition::NearDataPoint { plot_name, index, .. } => label(plot_name, *index),
            HoverPosition::Elsewhere { .. } => None,
        });
    plot.show(ui, |ui| {
        for ((name, subject, cells), (tint, shape)) in named.iter().zip(inks()) {
            if let Some(ends) = fitted(subject, on, cells) {
                let line = Line::new(name, PlotPoints::from(ends.to_vec())).color(tint).width(1.2);
                ui.line(line.style(LineStyle::dashed_dense()).allow_hover(false));
            }
            for cell in cells {
                let t = cell.milliseconds;
                let ends = vec![[samples(cell.samples), t.low.log10()], [samples(cell.samples), t.high.log10()]];
                ui.line(Line::new(name, PlotPoints::from(ends)).color(tint).width(2.4).allow_hover(false));
            }
            let points: Vec<[f64; 2]> =
                cells.iter().map(|cell| [samples(cell.samples), cell.milliseconds.median.log10()]).collect();
            ui.points(Points::new(name, PlotPoints::from(points)).color(tint).shape(shape).radius(4.5));
        }
    });
}

/// The end points of the fitted power law, in the logarithmic coordinates of the plot. The line passes through the mean
/// of all measured points.
fn fitted(subject: &Findings, on: usize, cells: &[&BenchCell]) -> Option<[[f64; 2]; 2]> {
    let law = growth_of(subject, on)?.time?;
    let n = cells.len() as f64;
    let x = cells.iter().map(|cell| samples(cell.samples)).sum::<f64>() / n;
    let y = cells.iter().map(|cell| cell.milliseconds.median.log10()).sum::<f64>() / n;
    let sides = cells.iter().map(|cell| cell.samples);
    // the exponent refers to the number of samples per side, but the axis shows its square, the total number of samples
    let at = |side: usize| [samples(side), y + 0.5 * law.exponent * (samples(side) - x)];
    Some([at(sides.clone().min()?), at(sides.max()?)])
}

/// Grid lines at 1, 2, … 9 of every decade. The step size of a grid line determines whether it gets a label.
fn decades(input: GridInput) -> Vec<GridMark> {
    let (first, last) = (input.bounds.0.floor() as i32, input.bounds.1.ceil() as i32);
    if last - first > 24 {
        return Vec::new();
    }
    let steps = [1.0, 0.3, 0.05, 0.05, 0.3, 0.05, 0.05, 0.05, 0.05];
    (first..=last)
        .flat_map(|k| {
            let value = move |m: usize| f64::from(k) + ((m + 1) as f64).log10();
            steps.iter().enumerate().map(move |(m, &step_size)| GridMark { value: value(m), step_size })
        })
        // labels of grid lines beyond the bounds would lie outside the plot
        .filter(|mark| (input.bounds.0..=input.bounds.1).contains(&mark.value))
        .collect()
}

/// Formats the time at a grid line, given as the logarithm of milliseconds, with few digits.
fn tick(log_milliseconds: f64) -> String {
    let microseconds = 10.0_f64.powf(log_milliseconds + 3.0);
    match microseconds {
        t if t >= 0.999e6 => format!("{:.0} s", t / 1e6),
        t if t >= 0.999e3 => format!("{:.0} ms", t / 1e3),
        t if t >= 0.999 => format!("{t:.0} µs"),
        t => format!("{:.0} ns", t * 1e3),
    }
}

pub fn speed_up(ui: &mut Ui, state: &mut BenchState, report: &Arc<Report>) {
    let found = &report.found;
    let Some((&least, more)) = found.threads.split_first().filter(|(_, more)| !more.is_empty()) else {
        hint(ui, "Only one thread count was measured. Choose two or more to see the speed-up.");
        return;
    };
    let last = found.sizes.len().saturating_sub(1);
    state.size = state.size.min(last);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (k, &n) in found.sizes.iter().enumerate() {
            let name = format!("Plot size {n}");
            if chip(ui, 48.0, last - state.size == k, &format!("{n}²"), &name, "Plots the speed-up at this size.") {
                state.size = last - k;
            }
        }
        ui.add_space(6.0);
        hint(ui, "Light lines: confidence interval of the median. Left of 1, more threads are slower.");
    });
    say_what_is_left_out(ui, report);
    let side = found.sizes.get(last - state.size).copied().unwrap_or(0);
    let subjects = shown(state, report);
    let names: Vec<String> = subjects.iter().map(|subject| shortened(&subject.name)).collect();
    let (count, first) = (subjects.len(), threads(least));
    let axis = format!("speed-up over {first}, at {side}²");
    let plot = blank("benchmark threads", ui)
        .set_margin_fraction(vec2(0.04, 0.06))
        .include_x(0.0)
        .include_x(1.1)
        .include_y(0.6)
        .include_y(0.4 - count as f64)
        .x_axis_label(RichText::new(axis).small())
        .x_grid_spacer(egui_plot::uniform_grid_spacer(|_| [5.0, 1.0, 0.25]))
        .x_axis_formatter(|mark, _| ((mark.value * 100.0).round() / 100.0).to_string())
        .y_axis_min_width(130.0)
        .show_grid(Vec2b::new(true, false))
        .y_grid_spacer(move |_| (0..count).map(|k| GridMark { value: -(k as f64), step_size: 1.0 }).collect())
        .y_axis_formatter(move |mark, _| names.get((-mark.value).round() as usize).cloned().unwrap_or_default())
        .label_formatter(|_| None)
        .legend(Legend::default().text_style(egui::TextStyle::Small).background_alpha(0.7).position(Corner::RightTop));
    plot.show(ui, |ui| {
        ui.vline(VLine::new("", 1.0).color(colour::text_weak()).width(1.0).allow_hover(false));
        let height = 0.8 / more.len() as f64;
        for (j, (&many, (tint, _))) in more.iter().zip(inks()).enumerate() {
            let place = |k: usize| -(k as f64) + 0.4 - (j as f64 + 0.5) * height;
            let cells: Vec<(usize, &BenchCell)> =
                subjects.iter().enumerate().filter_map(|(k, s)| Some((k, s.cell(side, many)?))).collect();
            let bars = cells.iter().map(|(k, cell)| {
                let told =
                    format!("{}, {}: {} times as fast", subjects[*k].name, threads(many), three(cell.speed_up.median));
                Bar::new(place(*k), cell.speed_up.median)
                    .width(0.86 * height)
                    .fill(tint.gamma_multiply(0.75))
                    .name(told)
            });
            let chart = BarChart::new(threads(many), bars.collect()).color(tint).horizontal();
            ui.bar_chart(chart.element_formatter(Box::new(|bar, _| bar.name.clone())));
            for (k, cell) in cells.iter().filter(|(_, cell)| cell.speed_up.confidence > 0.0) {
                let ends = vec![[cell.speed_up.low, place(*k)], [cell.speed_up.high, place(*k)]];
                let line = Line::new("", PlotPoints::from(ends)).color(colour::text_strong()).width(2.0);
                ui.line(line.allow_hover(false));
            }
        }
    });
}

/// Shortens a node name so that it fits next to the bars.
fn shortened(name: &str) -> String {
    const MOST: usize = 22;
    if name.chars().count() <= MOST {
        return name.into();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decade_has_nine_lines_and_round_labels() {
        let marks = decades(GridInput { bounds: (-1.0, 1.2), base_step_size: 0.01 });
        let labels: Vec<String> = marks.iter().filter(|m| m.step_size == 1.0).map(|m| tick(m.value)).collect();
        assert_eq!(labels, ["100 µs", "1 ms", "10 ms"]);
        assert_eq!(marks.len(), 19, "no label outside the plot");
        let middle: Vec<String> = marks[9..18].iter().filter(|m| m.step_size == 0.3).map(|m| tick(m.value)).collect();
        assert_eq!(middle, ["2 ms", "5 ms"]);
        assert!(marks.windows(2).all(|pair| pair[0].value < pair[1].value));
    }
}
