//! The panel of the selected layer: description, parameters, seed, blending and mask.

use bevy_egui::egui;
use egui::{RichText, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::features::brush::{self, BrushState};
use crate::features::layers::stack::node_icon;
use crate::features::layers::{LayerAction, LayerTextAction};
use crate::frame::commands::Command;
use crate::frame::document::{Document, Group};
use crate::frame::theme::colour;
use crate::frame::user_library::OwnPreset;
use crate::frame::widgets::params::{SliderPreview, rows};
use crate::frame::widgets::row::{opened_section, section, seed_row};
use crate::frame::widgets::shipped_pictures::{PictureSubject, ShippedPicture};
use crate::frame::widgets::sought;
use talweg::eval::StrokeTarget;
use talweg::nodes::Node;
use talweg::scene::{Blend, Layer, Problem};

/// Shows the parameters of layer `index`. Returns the command that a row issued, if any.
pub fn show(
    ui: &mut Ui,
    document: &mut Document,
    index: usize,
    problems: &[Problem],
    preview: &mut dyn SliderPreview,
    brush: &mut BrushState,
    own: &[OwnPreset],
) -> Option<Command> {
    let layer = document.scene().layers.get(index).cloned()?;
    let about = layer.node.about();
    let mut command = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new(node_icon(&layer.node)).size(20.0).color(colour::accent()));
        ui.add(egui::Label::new(RichText::new(about.label).strong().size(15.0)).truncate());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| sides(ui, document, index));
    });
    ui.label(about.help);
    if !about.source.is_empty() {
        ui.label(RichText::new(format!("Source: {}", about.source)).small().color(colour::text_weak()));
    }
    for problem in problems.iter().filter(|problem| problem.layer == index) {
        let text = format!("{}  {}.", icon::WARNING, problem.message);
        ui.add(egui::Label::new(RichText::new(text).color(colour::warning())).wrap());
    }
    if !layer.note.is_empty() {
        let text = format!("{}  {}", icon::NOTE, layer.note);
        let note = ui.add(egui::Label::new(RichText::new(text).italics()).wrap().sense(egui::Sense::click()));
        if note.on_hover_text("Note about the layer. Click to edit.").clicked() {
            command = Some(LayerAction::Note.into());
        }
    }
    if layer.locked {
        ui.horizontal(|ui| {
            ui.label(RichText::new(format!("{}  Locked: unlock the layer to edit it.", icon::LOCK_SIMPLE)));
            if ui.button("Unlock").clicked() {
                command = Some(LayerAction::Lock.into());
            }
        });
        ui.disable();
    }
    ui.add_space(6.0);
    // include the node of the layer in the ids of the rows, so that a drag never changes another layer
    ui.push_id((index, about.name), |ui| {
        let forgotten = presets(ui, document, index, &layer, own);
        if !layer.epochs.is_empty() {
            parameter_epochs(ui, document, index, &layer);
        }
        let asked = rows(ui, document, preview, Group::Node(index), |_| true);
        command = command.take().or(forgotten).or(asked);
        let asked = brush::panel::show(ui, document, brush, StrokeTarget::Layer(index));
        command = command.take().or(asked);
        let seed = layer.seed;
        let tip = "Seed of the random values of this layer. Layers with the same seed use the same values.";
        if layer.node.traits().is_random {
            seed_row(ui, document, seed, tip, move |scene, seed| {
                if let Some(layer) = scene.layers.get_mut(index) {
                    layer.seed = seed;
                }
            });
        }
        if document.tree().is_some() {
            section(ui, "Units and scale", false, |ui| crate::features::construction::piece::frame(ui, document));
        }
        let must = |ui: &Ui, group| sought::is_within(ui.ctx(), group);
        let seeks_mix = must(ui, Group::Mix(index));
        opened_section(ui, "Blending", true, seeks_mix, |ui| {
            let _ = rows(ui, document, preview, Group::Mix(index), |spec| shows_mix(&layer, spec.name));
        });
        let paints_mask = brush.target(document) == Some(StrokeTarget::Mask(index));
        let seeks_mask = must(ui, Group::Mask(index)) || paints_mask;
        opened_section(ui, "Mask", layer.mask.is_active(), seeks_mask, |ui| {
            if layer.mask.is_active() {
                brush::panel::mask_row(ui, document, index);
            }
            let asked = rows(ui, document, preview, Group::Mask(index), |_| true);
            let painted = ui.push_id("mask", |ui| brush::panel::show(ui, document, brush, StrokeTarget::Mask(index)));
            command = command.take().or(asked).or(painted.inner);
        });
    });
    command
}

/// Whether the panel has a row for blending parameter `name` of a layer. Layers that neither make heights nor are
/// groups always replace the terrain below.
pub fn shows_mix(layer: &Layer, name: &str) -> bool {
    let generator = layer.node.makes_heights() || matches!(layer.node, Node::LayerGroup(_));
    match name {
        "blend" => generator,
        "smoothness" => generator && matches!(layer.mix.blend, Blend::SmoothMin | Blend::SmoothMax),
        _ => true,
    }
}

/// Side length of the picture of a preset in points.
const PICTURE: f32 = 32.0;

/// Shows the presets of the node. A click applies a preset.
fn presets(ui: &mut Ui, document: &mut Document, index: usize, layer: &Layer, own: &[OwnPreset]) -> Option<Command> {
    let about = layer.node.about();
    let own = || own.iter().filter(|preset| preset.contents.node.about().name == about.name);
    if about.presets.is_empty() && own().next().is_none() {
        return None;
    }
    let mut command = None;
    let present = layer.node.matching_preset().map(|preset| preset.name);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for preset in &about.presets {
            let on = present == Some(preset.name);
            let chip = match ShippedPicture::find(PictureSubject::Preset(&layer.node, preset)) {
                Some(picture) => egui::Button::image_and_text(picture.widget(ui.ctx(), PICTURE), preset.label),
                None => egui::Button::new(preset.label),
            };
            let chip = ui
                .add(chip.selected(on).corner_radius(6))
                .on_hover_text(format!("{} Sets every parameter below.", preset.help));
            chip.widget_info(|| {
                let name = format!("Preset {}", preset.label);
                egui::WidgetInfo::selected(egui::WidgetType::Button, true, on, name)
            });
            if chip.clicked() {
                document.apply_preset(index, preset);
            }
        }
        for preset in own() {
            let kept = &preset.contents;
            let on = (&kept.node, &kept.mix, &kept.mask) == (&layer.node, &layer.mix, &layer.mask);
            let text = format!("{} {}", icon::BOOKMARK_SIMPLE, preset.name);
            let chip = ui.add(egui::Button::new(text).selected(on).corner_radius(10));
            chip.widget_info(|| {
                let name = format!("Your preset {}", preset.name);
                egui::WidgetInfo::selected(egui::WidgetType::Button, true, on, name)
            });
            let tip = "Your preset: sets every parameter, blending and mask. Right-click to delete it.";
            let chip = chip.on_hover_text(tip);
            if chip.clicked() {
                document.apply_own_preset(index, &preset.name, kept);
            }
            chip.context_menu(|ui| {
                if ui.button(format!("{}  Delete this preset", icon::TRASH)).clicked() {
                    command = Some(LayerTextAction::ForgetPreset(preset.path.clone()).into());
                    ui.close();
                }
            });
        }
    });
    ui.add_space(4.0);
    command
}

/// Shows the two versions of the layer, A and B. The active version is marked. A click switches to the other version.
fn sides(ui: &mut Ui, document: &mut Document, index: usize) {
    let shown = document.shown_side(index);
    ui.spacing_mut().item_spacing.x = 2.0;
    for (side, name, tip) in [
        (1, "B", "Shows version B, which starts as a copy of A. Both last until the scene is closed."),
        (0, "A", "Shows version A, the layer before you created B."),
    ] {
        let is_on = shown.unwrap_or(0) == side;
        let button = ui.add(egui::Button::new(name).selected(is_on && shown.is_some()).small());
        button.widget_info(|| {
            egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_on, format!("Version {name} of the layer"))
        });
        if button.on_hover_text(tip).clicked() {
            document.show_version(index, side);
        }
    }
}

/// Shows how many iterations of a process ran with earlier parameters, and a button that clears these epochs.
fn parameter_epochs(ui: &mut Ui, document: &mut Document, index: usize, layer: &Layer) {
    let gone = layer.epochs.iter().fold(0u32, |sum, epoch| sum.saturating_add(epoch.iterations));
    ui.horizontal(|ui| {
        let text = format!("Continues from iteration {gone}");
        let tip = "Earlier iterations used other parameters. The number of iterations below is added to them.";
        ui.label(RichText::new(format!("{}  {text}", icon::GIT_BRANCH)).color(colour::accent())).on_hover_text(tip);
        if ui.button("Clear").on_hover_text("Restarts from the input terrain with the parameters below.").clicked() {
            document.edit("Clear earlier parameters", None, |scene| scene.layers[index].epochs.clear());
        }
    });
}
