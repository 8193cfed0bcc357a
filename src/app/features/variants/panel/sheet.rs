//! Lays out the thumbnails of a contact sheet in rows and columns.

use bevy_egui::egui;
use egui::{Align2, FontId, Rect, Response, RichText, Sense, Stroke, StrokeKind, TextStyle, Ui, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::variants::panel::prints::ThumbnailTextures;
use crate::features::variants::thumbnails::{ThumbnailSet, ThumbnailState};
use crate::features::variants::{caption, short_caption};
use crate::frame::theme::colour;
use crate::frame::units;
use talweg::scene::Scene;
use talweg::variants::{KeyFigures, SceneVariant};

const GAP: f32 = 6.0;
/// Height of the caption below a thumbnail, in points.
const CAPTION: f32 = 17.0;
/// Height of the line below the sheet, in points.
const FOOT: f32 = 18.0;
const LEAST: f32 = 48.0;

/// The data of a contact sheet that is drawn.
pub struct Sheet<'a> {
    pub variants: &'a [SceneVariant],
    pub thumbnails: &'a ThumbnailSet,
    pub prints: &'a ThumbnailTextures,
    /// Number of columns; `None` for the number that makes the thumbnails largest.
    pub columns: Option<usize>,
}

impl Sheet<'_> {
    /// Shows the sheet in the available space. Returns the index of the clicked variant. A frame marks the variant that
    /// equals `scene`.
    pub fn show(&self, ui: &mut Ui, scene: &Scene) -> Option<usize> {
        let area = ui.available_rect_before_wrap();
        let count = self.variants.len().max(1);
        let share = |room: f32, parts: usize| (room + GAP) / parts as f32 - GAP;
        let side_in = |columns: usize| {
            let rows = count.div_ceil(columns);
            share(area.width(), columns).min(share(area.height() - FOOT, rows) - CAPTION)
        };
        // choose the number of columns that makes the thumbnails largest; if several are equal, choose the smallest
        // number
        let best = || (1..=count).rev().max_by(|&a, &b| side_in(a).total_cmp(&side_in(b)));
        let columns = self.columns.or_else(best).unwrap_or(1).clamp(1, count);
        let side = side_in(columns).max(LEAST).floor();
        let wide = columns as f32 * (side + GAP) - GAP;
        let left = area.left() + ((area.width() - wide) * 0.5).max(0.0).floor();
        let mut clicked = None;
        for (k, variant) in self.variants.iter().enumerate() {
            let at = vec2((k % columns) as f32 * (side + GAP), (k / columns) as f32 * (side + CAPTION + GAP));
            let cell = Rect::from_min_size(pos2(left, area.top()) + at, vec2(side, side + CAPTION));
            let response = ui.interact(cell, ui.id().with(("variant", k)), Sense::click());
            let is_present = variant.scene == *scene;
            self.cell(ui, cell, k, &response, is_present);
            response.widget_info(|| {
                let name = format!("Variant {}", caption(variant));
                egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_present, name)
            });
            if response.clicked() {
                clicked = Some(k);
            }
            let thumbnail = self.thumbnails.get(k);
            response.on_hover_ui(|ui| show_tooltip(ui, variant, thumbnail, is_present));
        }
        let foot = pos2(left, area.bottom() - FOOT * 0.5);
        let font = TextStyle::Small.resolve(ui.style());
        let text = "Number: erosion score. Click to apply the variant.";
        ui.painter().text(foot, Align2::LEFT_CENTER, text, font, colour::text_weak());
        ui.allocate_rect(area, Sense::hover());
        clicked
    }

    fn cell(&self, ui: &Ui, cell: Rect, index: usize, response: &Response, is_present: bool) {
        let picture = cell.with_max_y(cell.max.y - CAPTION);
        self.prints.paint(ui, picture, index, self.thumbnails.get(index));
        if let ThumbnailState::Drawn(thumbnail) = self.thumbnails.get(index) {
            score(ui, picture, &thumbnail.key_figures);
        }
        let (width, tint) = match (is_present, response.hovered() || response.has_focus()) {
            (true, _) => (2.0, colour::accent()),
            (false, true) => (1.5, colour::text_strong()),
            (false, false) => (1.0, colour::line()),
        };
        ui.painter().rect_stroke(picture, 2.0, Stroke::new(width, tint), StrokeKind::Outside);
        let short = short_caption(&self.variants[index]);
        let text = if is_present { format!("{} {short}", icon::CHECK) } else { short };
        let color = if is_present { colour::text_strong() } else { colour::text() };
        let format = egui::TextFormat { font_id: TextStyle::Small.resolve(ui.style()), color, ..Default::default() };
        let mut job = egui::text::LayoutJob::single_section(text, format);
        job.wrap = egui::text::TextWrapping::truncate_at_width(picture.width());
        let galley = ui.painter().layout_job(job);
        let room = (picture.width() - galley.size().x).max(0.0);
        ui.painter().galley(pos2(picture.left() + 0.5 * room, picture.bottom() + 2.0), galley, color);
    }
}

/// Draws the erosion score in a corner of the thumbnail.
fn score(ui: &Ui, picture: Rect, glance: &KeyFigures) {
    let text = format!("{:.2}", glance.erosion_score);
    let galley = ui.painter().layout_no_wrap(text, FontId::proportional(10.5), colour::text_strong());
    let rect = Rect::from_min_max(picture.max - galley.size() - vec2(8.0, 3.0), picture.max - vec2(2.0, 1.0));
    ui.painter().rect_filled(rect, 3.0, colour::deep().gamma_multiply(0.8));
    ui.painter().galley(rect.center() - 0.5 * galley.size(), galley, colour::text_strong());
}

/// Shows the tooltip of a thumbnail.
fn show_tooltip(ui: &mut Ui, variant: &SceneVariant, thumbnail: &ThumbnailState, is_present: bool) {
    ui.label(RichText::new(caption(variant)).strong());
    match thumbnail {
        ThumbnailState::Coming => {
            ui.weak("Not drawn yet.");
        }
        ThumbnailState::Broken => {
            ui.label("This variant could not be computed. This is a bug in Talweg; please report it.");
        }
        ThumbnailState::Drawn(thumbnail) => {
            let glance = &thumbnail.key_figures;
            ui.label(format!("Erosion score {:.2}", glance.erosion_score));
            ui.label(format!("Mean slope {:.0}°", glance.mean_slope_degrees));
            ui.label(format!(
                "From {} to {}",
                units::metres(glance.min_metres, 0),
                units::metres(glance.max_metres, 0)
            ));
            ui.weak("Measured on the thumbnail.");
        }
    }
    ui.weak(if is_present {
        "This is the current version."
    } else {
        "Click to apply; Undo restores the current version."
    });
}
