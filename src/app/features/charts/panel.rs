//! Charts that plot a process over its iterations: mass balance, slopes, and the history of one point.

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Color32, Rect, RichText, Sense, Ui, UiBuilder, pos2, vec2};
use egui_phosphor::regular as icon;
use egui_plot::{Corner, Legend, Line, LineStyle, PlotPoints, VLine};

use crate::frame::document::Document;
use crate::frame::status::StatusInfo;
use crate::frame::theme::ink;
use crate::frame::theme::{colour, icon_button};
use crate::frame::units::{self, ShownUnit};
use crate::frame::widgets::plot;
use talweg::eval::{Moment, PositionProbe, ProcessHistory};
use talweg::nodes::MassBalance;

/// State of the charts panel.
#[derive(Debug, Default, Resource)]
pub struct Charts {
    /// Whether to show the mass balance of each iteration instead of the total so far.
    each: bool,
    curve: ErosionChart,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ErosionChart {
    #[default]
    Score,
    Slope,
    Change,
}

impl ErosionChart {
    const ALL: [Self; 3] = [Self::Score, Self::Slope, Self::Change];

    fn label(self) -> &'static str {
        match self {
            Self::Score => "Erosion score",
            Self::Slope => "Mean height step",
            Self::Change => "Change",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Score => {
                "Standard deviation of the slopes divided by their mean. Higher means flatter areas between steeper \
                 relief (Olsen 2004). Measured at the key frames, before the layer's mask is applied."
            }
            Self::Slope => {
                "Mean and standard deviation of the greatest height difference to the four neighbours. Measured at \
                 the key frames, before the layer's mask is applied."
            }
            Self::Change => "Mean height change per iteration.",
        }
    }
}

/// Shows the three charts side by side; they scroll if there is not enough room.
pub fn show(ui: &mut Ui, document: &mut Document, charts: &mut Charts, info: &StatusInfo) {
    let (room, size) = (ui.available_width(), vec2(ui.available_width().max(LEAST_WIDTH), ui.available_height()));
    if room >= LEAST_WIDTH {
        return columns(ui, size, document, charts, info);
    }
    let height = size.y - ui.spacing().scroll.bar_width;
    let scroll = egui::ScrollArea::horizontal().id_salt("charts").max_height(size.y);
    scroll.show(ui, |ui| columns(ui, vec2(size.x, height), document, charts, info));
}

/// Gap between two charts, in points.
const GAP: f32 = 14.0;
/// Minimum width of all three charts together, in points.
const LEAST_WIDTH: f32 = 3.0 * 150.0 + 2.0 * GAP;

fn columns(ui: &mut Ui, size: egui::Vec2, document: &mut Document, charts: &mut Charts, info: &StatusInfo) {
    let relief = f64::from(document.scene().settings.relief_metres);
    let here = f64::from(document.process_iteration());
    let area = Rect::from_min_size(ui.cursor().min, size);
    let width = (area.width() - 2.0 * GAP) / 3.0;
    let watched = document.process().map(|(layer, _)| layer);
    let history = info
        .insight
        .history
        .as_ref()
        .filter(|h| Some(h.layer) == watched && h.moments.iter().any(|moment| moment.iteration > 0));
    for k in 0..3 {
        // use a child `Ui`, so that a long line is clipped and does not push the next chart away
        let left = area.left() + k as f32 * (width + GAP);
        let rect = Rect::from_min_max(pos2(left, area.top()), pos2(left + width, area.bottom()));
        let mut column = ui.new_child(UiBuilder::new().id_salt(k).max_rect(rect));
        column.shrink_clip_rect(rect);
        match k {
            0 => mass_balance(&mut column, charts, history, relief, here),
            1 => curve(&mut column, charts, history, relief, here),
            _ => {
                let levels = history.map_or(&[][..], |history| &history.levels);
                point_section(&mut column, document, info.insight.probe.as_ref(), levels, relief, here);
            }
        }
    }
    ui.allocate_rect(area, Sense::hover());
}

fn heading(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).small().strong().color(colour::text()));
}

fn hint(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.add(egui::Label::new(RichText::new(text).color(colour::text_weak())).wrap());
}

/// A line of the mass balance: name, colour, and function that returns the value.
type Account = (&'static str, Color32, fn(&MassBalance) -> f64);

fn mass_balance(ui: &mut Ui, charts: &mut Charts, history: Option<&ProcessHistory>, relief: f64, here: f64) {
    /// Width of the text of the mass-balance residual, in points. Its last digits can be cut off.
    const RESIDUAL: f32 = 56.0;
    ui.horizontal_wrapped(|ui| {
        heading(ui, &ShownUnit::of_stored("m").heading("Material"));
        for (each, text) in [(false, "total"), (true, "per iteration")] {
            if ui.selectable_label(charts.each == each, RichText::new(text).small()).clicked() {
                charts.each = each;
            }
        }
        let has_room = ui.available_width() > RESIDUAL;
        if let Some(last) = history.and_then(|h| Some((h.moments.last()?, h))).filter(|_| has_room) {
            let open = last.0.mass_balance.residual() / last.1.cells.max(1) as f64 * relief;
            let unit = ShownUnit::of_stored("m");
            let text = format!("residual {:.1e}{}", unit.shown(open), unit.suffix());
            let label = egui::Label::new(RichText::new(text).small().color(colour::text_weak())).truncate();
            ui.add(label).on_hover_text(
                "Material missing from the mass balance: eroded minus deposited, carried and lost. Only rounding \
                 errors remain.",
            );
        }
    });
    let Some(history) = history else {
        return hint(ui, "Nothing to plot yet. Play the erosion or wait until it is computed.");
    };
    let mean = ShownUnit::of_stored("m").shown(relief) / history.cells.max(1) as f64;
    let accounts: [Account; 6] = [
        ("eroded", ink::orange(), |b| b.eroded),
        ("deposited", ink::green(), |b| b.deposited),
        ("carried", ink::blue(), |b| b.carried),
        ("lost", ink::rose(), |b| b.lost),
        ("added", ink::yellow(), |b| b.added),
        ("interpolated", ink::vermilion(), |b| b.resampled),
    ];
    let used = accounts.into_iter().filter(|(_, _, of)| history.moments.iter().any(|m| of(&m.mass_balance) != 0.0));
    let lines: Vec<ChartLine> = used
        .map(|(name, tint, of)| {
            let each = |k: usize| {
                let before = k.checked_sub(1).map(|k| &history.moments[k]);
                let steps = history.moments[k].iteration - before.map_or(0, |m| m.iteration);
                (of(&history.moments[k].mass_balance) - before.map_or(0.0, |m| of(&m.mass_balance)))
                    / f64::from(steps.max(1))
            };
            let value = |k: usize| if charts.each { each(k) } else { of(&history.moments[k].mass_balance) };
            let at = |k: usize| [f64::from(history.moments[k].iteration), value(k) * mean];
            (name.into(), tint, (0..history.moments.len()).map(at).collect())
        })
        .collect();
    plot(ui, "books", here, &history.levels, lines);
}

fn curve(ui: &mut Ui, charts: &mut Charts, history: Option<&ProcessHistory>, relief: f64, here: f64) {
    // wrap the row, because the column is narrow if the measures panel is open
    ui.horizontal_wrapped(|ui| {
        for which in ErosionChart::ALL {
            let label = ui.selectable_label(charts.curve == which, RichText::new(which.label()).small());
            if label.on_hover_text(which.help()).clicked() {
                charts.curve = which;
            }
        }
    });
    let Some(history) = history else { return };
    let measured = |of: &dyn Fn(&talweg::measure::Slopes) -> f64| -> Vec<[f64; 2]> {
        let point = |m: &Moment| Some([f64::from(m.iteration), of(m.slopes.as_ref()?)]);
        history.moments.iter().filter_map(point).collect()
    };
    let (height, small) = (ShownUnit::of_stored("m"), ShownUnit::of_stored("mm"));
    let lines = match charts.curve {
        ErosionChart::Score => vec![("score".into(), ink::blue(), measured(&|s| s.erosion_score()))],
        ErosionChart::Slope => vec![
            (height.heading("mean"), ink::blue(), measured(&|s| height.shown(s.mean * relief))),
            (height.heading("deviation"), ink::orange(), measured(&|s| height.shown(s.deviation * relief))),
        ],
        ErosionChart::Change => {
            let change = |k: usize| small.shown(history.change(k) * relief * 1000.0);
            let at = |k: usize| [f64::from(history.moments[k].iteration), change(k)];
            let name = format!("{} per iteration", small.name);
            vec![(name, ink::orange(), (0..history.moments.len()).map(at).collect())]
        }
    };
    plot(ui, "curve", here, &history.levels, lines);
}

fn point_section(
    ui: &mut Ui,
    document: &mut Document,
    probe: Option<&PositionProbe>,
    levels: &[u32],
    relief: f64,
    here: f64,
) {
    ui.horizontal(|ui| {
        heading(ui, "Point");
        if let Some([u, v]) = document.charted_point() {
            let size = document.scene().settings.size_metres;
            let text = match document.scene().as_planet() {
                Some(_) => crate::frame::status::angles(90.0 - 180.0 * v, 360.0 * u - 180.0),
                None => format!("{} east, {} south", units::metres(u * size, 0), units::metres(v * size, 0)),
            };
            ui.label(RichText::new(text).small().color(colour::text_weak()));
            if icon_button(ui, true, icon::X, "Clear point").on_hover_text("Stops plotting the point.").clicked() {
                document.chart_point(None);
            }
        }
    });
    let Some(probe) = probe.filter(|_| document.charted_point().is_some()) else {
        return hint(
            ui,
            "Click a point in the view to plot its height over the iterations and list each layer's contribution.",
        );
    };
    let width = ui.available_width();
    let height = ui.available_height();
    ui.horizontal_top(|ui| {
        ui.allocate_ui(vec2(width * 0.56, height), |ui| {
            let unit = ShownUnit::of_stored("m");
            let height = |&(at, h): &(u32, f32)| [f64::from(at), unit.shown(f64::from(h) * relief)];
            let heights = probe.heights.iter().map(height).collect();
            plot(ui, "course", here, levels, vec![(unit.heading("height"), ink::blue(), heights)]);
        });
        let list = egui::ScrollArea::vertical().id_salt("contributions").auto_shrink(false);
        let contributions = |ui: &mut Ui| {
            let mut below = 0.0;
            for &(index, height) in &probe.layers {
                let height = f64::from(height) * relief;
                let name = document.scene().layers.get(index).map_or("", |layer| layer.name.as_str());
                let change = RichText::new(format!("{}  {name}", units::signed(height - below, "m", 1)))
                    .small()
                    .color(colour::text());
                ui.add(egui::Label::new(change).truncate())
                    .on_hover_text(format!("Height after this layer: {}.", units::metres(height, 2)));
                below = height;
            }
            ui.label(
                RichText::new(format!("= {}", units::metres(below, 1))).small().strong().color(colour::text_strong()),
            );
        };
        list.show(ui, |ui| ui.vertical(contributions));
    });
}

/// A line of a chart: name, colour, and values over the iterations.
type ChartLine = (String, Color32, Vec<[f64; 2]>);

/// Draws values over the iterations. A mark shows the playhead, and fainter marks show where a finer grid starts.
fn plot(ui: &mut Ui, id: &str, here: f64, levels: &[u32], lines: Vec<ChartLine>) {
    // use the width of the column, even if the heading is wider
    let width = ui.clip_rect().right() - ui.cursor().left();
    let size = vec2(ui.available_width().min(width), ui.available_height());
    let mut plot =
        plot::still(id, vec2(size.x, size.y.max(60.0))).set_margin_fraction(vec2(0.02, 0.08)).y_axis_min_width(34.0);
    if lines.len() > 1 {
        plot = plot.legend(
            Legend::default().text_style(egui::TextStyle::Small).background_alpha(0.5).position(Corner::LeftTop),
        );
    }
    plot.show(ui, |ui| {
        for &begin in levels.iter().skip(1) {
            let line = VLine::new("", f64::from(begin)).color(colour::text_weak().gamma_multiply(0.4)).width(1.0);
            ui.vline(line.style(LineStyle::dotted_dense()).allow_hover(false));
        }
        ui.vline(VLine::new("", here).color(colour::text_weak()).width(1.0).allow_hover(false));
        for (name, tint, points) in lines {
            // dash the deposition curve, because it often coincides with the erosion curve
            let style = if name == "deposited" { LineStyle::dashed_loose() } else { LineStyle::Solid };
            ui.line(Line::new(name, PlotPoints::from(points)).color(tint).width(1.6).style(style));
        }
    });
}

/// Returns a word and a sentence that say how fast a process still changes. They compare the current change per
/// iteration with the greatest change so far. `None` before the first iteration.
pub fn pace_word(history: &ProcessHistory) -> Option<(&'static str, &'static str)> {
    /// Below this fraction of its greatest change per iteration, the process counts as slowing.
    const SLOWING: f64 = 0.2;
    const SETTLED: f64 = 0.005;
    let newest = history.moments.len().checked_sub(1).filter(|&k| history.moments[k].iteration > 0)?;
    let most = (0..=newest).map(|k| history.change(k)).fold(0.0, f64::max);
    let now = history.change(newest);
    Some(if most <= 0.0 || now <= most * SETTLED {
        ("settled", "The height change per iteration is below 0.5 % of its peak.")
    } else if now <= most * SLOWING {
        ("slowing", "The height change per iteration is below a fifth of its peak.")
    } else {
        ("eroding", "Each iteration still changes the terrain considerably.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace_label(changes: &[f64]) -> Option<&'static str> {
        let mut eroded = 0.0;
        let moments = changes.iter().enumerate().map(|(k, change)| {
            eroded += change;
            let mass_balance = MassBalance { eroded, deposited: eroded, ..MassBalance::default() };
            Moment { iteration: k as u32 + 1, mass_balance, slopes: None }
        });
        pace_word(&ProcessHistory { moments: moments.collect(), cells: 1, ..ProcessHistory::default() })
            .map(|(word, _)| word)
    }

    #[test]
    fn a_process_is_eroding_slowing_or_settled() {
        assert_eq!(pace_label(&[]), None);
        assert_eq!(pace_label(&[1.0, 0.9, 0.8]), Some("eroding"));
        assert_eq!(pace_label(&[1.0, 0.5, 0.1]), Some("slowing"));
        assert_eq!(pace_label(&[1.0, 0.1, 0.001]), Some("settled"));
        assert_eq!(pace_label(&[0.0, 0.0]), Some("settled"));
    }
}
