//! What a node does, where it comes from, and all its parameters, as its own description says.

use bevy_egui::egui;
use egui::{Align, Layout, RichText, ScrollArea, Ui};

use crate::features::layers::LayerAction;
use crate::features::layers::stack::node_icon;
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, modal};
use crate::frame::theme::colour;
use crate::frame::units;
use crate::frame::widgets::row::title;
use crate::frame::widgets::scene_picture::ScenePicture;
use talweg::nodes::Node;
use talweg::nodes::help::law;
use talweg::param::{ParamKind, ParamSpec};

/// See the module.
pub struct NodePage {
    node: Box<Node>,
    pictures: Vec<ParamPictures>,
}

/// A parameter at several values, by its index; the pictures may still be on their way.
pub struct ParamPictures {
    pub param: usize,
    pub values: Vec<(String, ScenePicture)>,
}

/// Side of a picture in points.
const PICTURE: f32 = 84.0;

impl NodePage {
    /// The page of a node, which can be added from there.
    pub fn new(node: &Node, pictures: Vec<ParamPictures>) -> Self {
        Self { node: Box::new(node.clone()), pictures }
    }
}

impl Dialog for NodePage {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let about = self.node.about();
        let screen = ctx.viewport_rect().size();
        let mut answer = None;
        let modal = modal(ctx, "node page").show(ctx, |ui| {
            ui.set_width(620.0_f32.min(screen.x - 60.0));
            ui.horizontal(|ui| {
                ui.label(RichText::new(node_icon(&self.node)).size(20.0).color(colour::accent()));
                ui.heading(about.label);
                ui.label(RichText::new(about.category).color(colour::text_weak()));
            });
            ui.add_space(4.0);
            ui.label(about.help);
            if !about.source.is_empty() {
                ui.label(RichText::new(format!("After {}.", about.source)).color(colour::text_weak()));
            }
            let law = law(about.name);
            if !law.is_empty() {
                ui.add_space(4.0);
                ui.label(law);
            }
            ui.add_space(6.0);
            ScrollArea::vertical().max_height((screen.y - 260.0).max(120.0)).show(ui, |ui| {
                ui.set_width(ui.available_width() - 10.0);
                for (index, spec) in about.params.iter().enumerate() {
                    parameter(ui, spec);
                    if let Some(pictures) = self.pictures.iter().find(|pictures| pictures.param == index) {
                        row_of_pictures(ui, pictures);
                    }
                }
                if !about.presets.is_empty() {
                    ui.add_space(6.0);
                    ui.label(RichText::new("Presets").strong().color(colour::accent()));
                }
                for preset in &about.presets {
                    ui.label(RichText::new(preset.label).strong());
                    ui.label(preset.help);
                }
            });
            ui.add_space(10.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(button("Close")).clicked() || is_confirmed(ui.ctx()) {
                    answer = Some(Vec::new());
                }
                if ui.add(button("Add as a layer")).clicked() {
                    answer = Some(vec![LayerAction::Add(self.node.clone()).into()]);
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

/// What a parameter does, from a low to a high value.
fn row_of_pictures(ui: &mut Ui, pictures: &ParamPictures) {
    ui.horizontal_wrapped(|ui| {
        for (value, picture) in &pictures.values {
            ui.vertical(|ui| {
                ui.set_width(PICTURE);
                picture.show(ui, PICTURE);
                ui.add(egui::Label::new(RichText::new(value).small().color(colour::text_weak())).truncate());
            });
        }
    });
}

fn parameter(ui: &mut Ui, spec: &ParamSpec) {
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(title(spec)).strong().color(colour::text_strong()));
        ui.label(RichText::new(range(spec)).small().color(colour::text_weak()));
    });
    ui.label(spec.help);
    if let ParamKind::Choice(options) = spec.kind {
        for option in options {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(format!("   {}:", option.label)).color(colour::text_strong()));
                ui.label(option.help);
            });
        }
    }
}

/// What it is by default and how far it goes.
fn range(spec: &ParamSpec) -> String {
    let default = units::param_text(spec, &spec.default);
    match spec.kind {
        ParamKind::Float { .. } | ParamKind::Int { .. } => {
            format!("{default}, from {} {}", units::range_text(spec), units::of_param(spec).name).trim_end().into()
        }
        _ => default,
    }
}
