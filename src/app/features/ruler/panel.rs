//! The panel of the ruler: measured values and height profile.

use bevy_egui::egui;
use egui::{Align, Layout, RichText, Ui, UiBuilder, vec2};
use egui_phosphor::regular as icon;
use egui_plot::{Line, PlotPoints, VLine};

use super::{Ruler, RulerAction};
use crate::frame::commands::{Action, CommandQueue};
use crate::frame::theme::{colour, icon_button, ink};
use crate::frame::units::{self, ShownUnit};
use crate::frame::widgets::plot::still;
use talweg::measure::ProfilePoint;

/// Width of the number column, in points.
const NUMBERS: f32 = 250.0;

/// Shows the numbers and the profile. Returns the point of the terrain that belongs to the pointer position on the
/// profile.
pub(super) fn show(ui: &mut Ui, ruler: &mut Ruler, queue: &mut CommandQueue) -> Option<[f32; 2]> {
    let area = ui.available_rect_before_wrap();
    if area.width() < NUMBERS + 80.0 {
        // show only the numbers, because there is not enough room for the profile
        numbers(ui, ruler, queue);
        return None;
    }
    let (left, right) = area.split_left_right_at_x(area.left() + NUMBERS.min(0.6 * area.width()));
    let mut column = ui.new_child(UiBuilder::new().id_salt("numbers").max_rect(left));
    column.shrink_clip_rect(left);
    numbers(&mut column, ruler, queue);
    let mut plot = ui.new_child(UiBuilder::new().id_salt("profile").max_rect(right));
    let hovered = profile(&mut plot, ruler);
    ui.allocate_rect(area, egui::Sense::hover());
    hovered
}

fn numbers(ui: &mut Ui, ruler: &mut Ruler, queue: &mut CommandQueue) {
    let count = ruler.points.len();
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Ruler").strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(8.0);
            for (action, symbol, enabled) in [
                (RulerAction::Toggle, icon::X, true),
                (RulerAction::Clear, icon::ERASER, count > 0),
                (RulerAction::Shorten, icon::BACKSPACE, count > 0),
            ] {
                let label = if action == RulerAction::Toggle { "Close the ruler".into() } else { action.info().label };
                let button = icon_button(ui, enabled, symbol, &label);
                if button.on_hover_text(action.tooltip(ui.ctx())).clicked() {
                    queue.push(action);
                }
            }
        });
    });
    let Some(measured) = ruler.measured().filter(|measured| measured.points.len() > 1) else {
        ui.weak("Click two points on the terrain.");
        return;
    };
    let profile = &measured.profile;
    let level = profile.level_metres();
    let mut lines = vec![
        ("Horizontal length", units::distance(level, 1)),
        ("Surface length", units::distance(profile.surface_metres, 1)),
        (
            "Ascent, descent",
            format!("{}, {}", units::distance(profile.climb_metres, 1), units::distance(profile.descent_metres, 1)),
        ),
    ];
    if let (Some(first), Some(last)) = (profile.points.first(), profile.points.last()) {
        let rise = last.height_metres - first.height_metres;
        let slope = if level > 0.0 { (rise / level).atan().to_degrees() } else { 0.0 };
        lines.push(("End to end", format!("{}, {slope:+.1}°", units::signed(rise, "m", 1))));
    }
    if measured.area_m2 > 0.0 {
        lines.push(("Enclosed area", units::area(measured.area_m2)));
    }
    if let Some(volume) = measured.volume {
        lines.push((
            "Above B, below B",
            format!("{}, {}", units::volume(volume.gained_m3), units::volume(volume.lost_m3)),
        ));
    }
    egui::Grid::new("numbers of the ruler").num_columns(2).min_row_height(17.0).show(ui, |ui| {
        for (name, value) in lines {
            ui.label(RichText::new(name).small().color(colour::text_weak()));
            ui.label(RichText::new(value).small());
            ui.end_row();
        }
    });
}

fn profile(ui: &mut Ui, ruler: &mut Ruler) -> Option<[f32; 2]> {
    let hovered = ruler.hovered;
    let measured = ruler.measured().filter(|measured| measured.points.len() > 1)?;
    let profile = &measured.profile;
    let unit = ShownUnit::of_stored("m");
    let shown = |point: &ProfilePoint| [point.along_metres, point.height_metres].map(|metres| unit.shown(metres));
    let points: Vec<[f64; 2]> = profile.points.iter().map(shown).collect();
    let low = points.iter().fold(f64::INFINITY, |low, point| low.min(point[1]));
    let here = hovered.and_then(|place| profile.points.iter().find(|point| point.place == place));
    let size = vec2(ui.available_width(), ui.available_height());
    let plot = still("profile of the ruler", size);
    let plot = match size.x > 240.0 {
        true => plot
            .x_axis_label(format!("distance along the line, {}", unit.name))
            .y_axis_label(format!("height, {}", unit.name)),
        false => plot,
    };
    let shown = plot.show(ui, |plot| {
        let line = Line::new("Height", PlotPoints::from(points)).color(ink::blue()).width(1.8);
        plot.line(line.fill(low as f32));
        if let Some(point) = here {
            let text = format!("{} at {}", units::metres(point.height_metres, 1), units::metres(point.along_metres, 1));
            plot.vline(VLine::new(text, unit.shown(point.along_metres)).color(colour::text_weak()));
        }
    });
    let at = shown.response.hover_pos()?;
    let point = profile.nearest(unit.kept(shown.transform.value_from_position(at).x))?;
    let text = format!(
        "Height {} at {} along the line",
        units::metres(point.height_metres, 1),
        units::metres(point.along_metres, 1)
    );
    shown.response.on_hover_text_at_pointer(text);
    Some(point.place)
}
