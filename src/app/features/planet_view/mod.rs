//! What the panels have for a planet: the switch between globe, map and orbit, and the settings of its picture.

use bevy_egui::egui;
use egui::{Align2, Area, Button, Frame, Id, Margin, Order, Rect, RichText, Ui, vec2};

use crate::app::features::layers::parameters::section;
use crate::app::frame::commands::{Command, GlobeWay, ViewAction};
use crate::app::frame::document::Document;
use crate::app::frame::editor::Editor;
use crate::app::frame::theme::colour;
use crate::app::frame::widgets::params::own_rows;
use crate::app::view::globe::GlobeView;

/// Height that the switch takes from the upper edge of the view.
pub const SWITCH_HEIGHT: f32 = 38.0;

/// Buttons in the upper right corner of the view; returns the command of the one that was pressed.
pub fn switch(ctx: &egui::Context, free: Rect, editor: &Editor) -> Option<Command> {
    editor.doc.scene().as_planet()?;
    let mut chosen = None;
    let area = Area::new(Id::new("ways of a planet")).order(Order::Middle).pivot(Align2::RIGHT_TOP);
    area.fixed_pos(free.right_top() + vec2(-8.0, 8.0)).constrain_to(free).show(ctx, |ui| {
        let frame = Frame::new().fill(colour::PANEL).corner_radius(5.0).inner_margin(Margin::same(3));
        frame.show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                for way in GlobeWay::ALL {
                    let command = Command::View(ViewAction::Way(way));
                    let info = command.info();
                    let text = RichText::new(format!("{}  {}", info.icon, info.label)).small();
                    let button = Button::selectable(editor.view.way == way, text);
                    let response = ui.add(button).on_hover_text(command.tooltip(ctx));
                    response.widget_info(|| {
                        let selected = editor.view.way == way;
                        egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, selected, way.label())
                    });
                    if response.clicked() {
                        chosen = Some(command);
                    }
                }
            });
        });
    });
    chosen
}

/// How a planet is drawn, below the settings of its scene.
pub fn settings(ui: &mut Ui, document: &Document, view: &mut GlobeView) {
    if document.scene().as_planet().is_none() {
        return;
    }
    section(ui, "Globe view", true, |ui| own_rows(ui, view));
}
