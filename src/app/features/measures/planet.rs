//! The measures of a planet, and its hypsometric curve.

use bevy_egui::egui;
use egui::{Label, RichText, Ui, vec2};
use egui_plot::{HLine, Line, LineStyle, PlotPoints};

use crate::features::measures::panel::{MeasuresInfo, rows};
use crate::frame::theme::colour;
use crate::frame::theme::ink;
use crate::frame::units::ShownUnit;
use crate::frame::widgets::plot;
use talweg::measure::{PLANET_MEASURES, PlanetMeasures};

/// Shows the measures of the planet, each with its meaning, and the hypsometric curve.
pub fn show(ui: &mut Ui, info: &MeasuresInfo) {
    let Some(measures) = &info.planet else {
        ui.add_space(8.0);
        ui.label(RichText::new("Measuring…").color(colour::text_weak()));
        return;
    };
    let tint = if info.stale { colour::text_weak() } else { colour::text_strong() };
    egui::ScrollArea::vertical().id_salt("measures of a planet").auto_shrink(false).show(ui, |ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
        ui.spacing_mut().item_spacing.y = 3.0;
        ui.set_max_width(ui.available_width() - 6.0); // leave room for the scroll bar
        rows(ui, PLANET_MEASURES, measures, tint);
        ui.add_space(8.0);
        curve(ui, measures);
    });
}

/// The buttons that copy the measures.
pub fn copy(ui: &mut Ui, info: &MeasuresInfo) {
    let Some(measures) = &info.planet else { return };
    let json = ui.small_button("JSON").on_hover_text("Copies all measures as JSON, like `talweg measure`.");
    if json.clicked()
        && let Ok(text) = serde_json::to_string_pretty(&**measures)
    {
        ui.ctx().copy_text(text);
    }
}

/// Points of the hypsometric curve: the percentage of the planet's area above a height, and this height in kilometres.
pub fn hypsometric_curve(measures: &PlanetMeasures) -> Vec<[f64; 2]> {
    let bands = measures.hypsometry.len() as f64;
    let span = measures.highest_metres - measures.lowest_metres;
    let mut above = 0.0;
    let mut points = vec![[0.0, measures.highest_metres / 1000.0]];
    for (k, share) in measures.hypsometry.iter().enumerate().rev() {
        above += share;
        points.push([100.0 * above, (measures.lowest_metres + span * k as f64 / bands) / 1000.0]);
    }
    points
}

fn curve(ui: &mut Ui, measures: &PlanetMeasures) {
    let meaning = "Fraction of the planet above each height. The curve of the Earth has two flat parts: the \
                   continents and the ocean floor.";
    ui.label(RichText::new("Hypsometric curve").strong().color(colour::text())).on_hover_text(meaning);
    let unit = ShownUnit::of_stored("km");
    let plot = plot::still("hypsometry", vec2(ui.available_width(), 170.0)).y_axis_min_width(30.0);
    plot.show(ui, |ui| {
        // sea level is where the curve reaches the percentage of land
        if measures.land_share > 0.0 && measures.land_share < 1.0 {
            let sea = unit.shown(height_of_share(measures));
            ui.hline(HLine::new("sea", sea).color(ink::orange()).width(1.0).style(LineStyle::dashed_loose()));
        }
        let curve = hypsometric_curve(measures).into_iter().map(|[share, height]| [share, unit.shown(height)]);
        let points = PlotPoints::from(curve.collect::<Vec<_>>());
        ui.line(Line::new("hypsometric curve", points).color(ink::blue()).width(1.8));
    });
    let caption = format!(
        "vertical: {}  ·  horizontal: fraction of the planet above it, %  ·  dashed: sea level",
        unit.heading("height")
    );
    ui.add(Label::new(RichText::new(caption).color(colour::text_weak())).wrap());
}

/// Height of sea level in kilometres. It is computed from the mean depth of the sea, the mean height of the land, and
/// the mean height of the whole planet.
fn height_of_share(measures: &PlanetMeasures) -> f64 {
    let land = measures.land_share;
    let over = measures.mean_land_metres.unwrap_or(0.0) * land;
    let under = measures.mean_depth_metres.unwrap_or(0.0) * (1.0 - land);
    (measures.mean_metres - over + under) / 1000.0
}
