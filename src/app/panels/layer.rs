//! The selected layer: what it is, its parameters, its seed, how it mixes, and where it acts.

use bevy_egui::egui;
use egui::{DragValue, RichText, Ui, vec2};
use egui_phosphor::regular as icon;

use super::params::{label_cell, rows};
use super::stack::node_icon;
use crate::app::document::{Document, Group};
use crate::app::theme::{ICON_BUTTON, colour, icon_button};
use crate::nodes::Work;
use crate::scene::{Blend, Gesture, Scene};

/// Shows layer `index`.
pub fn show(ui: &mut Ui, document: &mut Document, index: usize) {
    let Some(layer) = document.scene().layers.get(index).cloned() else { return };
    let about = layer.node.about();
    ui.horizontal(|ui| {
        ui.label(RichText::new(node_icon(&layer.node)).size(20.0).color(colour::ACCENT));
        ui.add(egui::Label::new(RichText::new(about.label).strong().size(15.0)).truncate());
    });
    ui.label(about.help);
    if !about.source.is_empty() {
        ui.label(RichText::new(format!("After {}", about.source)).small().color(colour::TEXT_WEAK));
    }
    ui.add_space(6.0);
    // ids of the rows belong to the layer's node, so that a drag never lands on another layer
    ui.push_id((index, about.name), |ui| {
        rows(ui, document, Group::Node(index), |_| true);
        let seed = layer.seed;
        let tip = "Chooses the random values of this layer. Layers with the same seed draw the same ones.";
        if layer.node.is_random() {
            seed_row(ui, document, seed, tip, move |scene, seed| {
                if let Some(layer) = scene.layers.get_mut(index) {
                    layer.seed = seed;
                }
            });
        }
        section(ui, "Mix", true, |ui| {
            let generator = matches!(layer.node.work(), Work::Generator(_));
            let smooth = generator && matches!(layer.mix.blend, Blend::SmoothMin | Blend::SmoothMax);
            rows(ui, document, Group::Mix(index), |spec| match spec.name {
                "blend" => generator,
                "smoothness" => smooth,
                _ => true,
            });
        });
        section(ui, "Mask", layer.mask.is_active(), |ui| {
            let mask = &layer.mask;
            rows(ui, document, Group::Mask(index), |spec| match spec.name {
                "invert" => mask.is_active(),
                name if name.starts_with("height_") => mask.by_height,
                name if name.starts_with("slope_") => mask.by_slope,
                _ => true,
            });
        });
    });
}

/// A part of the panel that can be folded.
pub fn section(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    ui.add_space(6.0);
    ui.separator();
    egui::CollapsingHeader::new(RichText::new(title).strong())
        .id_salt(title)
        .default_open(open)
        .show_unindented(ui, contents);
}

/// A seed: typed, or thrown with the dice.
pub fn seed_row(ui: &mut Ui, document: &mut Document, seed: u32, tip: &str, set: impl Fn(&mut Scene, u32)) {
    ui.horizontal(|ui| {
        let label = label_cell(ui, "Seed", false).on_hover_text(tip);
        let mut typed = seed;
        let size = vec2(ui.available_width() - ICON_BUTTON - ui.spacing().item_spacing.x, ui.spacing().interact_size.y);
        let field = ui.add_sized(size, DragValue::new(&mut typed).speed(0.1).update_while_editing(false));
        let field = field.labelled_by(label.id).on_hover_text(tip);
        if typed != seed {
            document.edit("Change seed", Some(Gesture(field.id.value())), |scene| set(scene, typed));
        }
        if icon_button(ui, true, icon::DICE_FIVE, "Random seed").on_hover_text("Throws another seed.").clicked() {
            let thrown = rand::random_range(0..1_000_000);
            document.edit("Change seed", None, |scene| set(scene, thrown));
        }
    });
}
