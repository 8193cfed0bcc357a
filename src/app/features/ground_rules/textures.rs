//! The textures of a material rule: image files instead of the built-in texture.

use std::path::Path;

use bevy_egui::egui;
use egui::{DragValue, Label, RichText, Ui};
use egui_phosphor::regular as icon;

use super::GroundRulesAction;
use super::panel::{change_materials, number};
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::theme::{colour, icon_button};
use crate::frame::units;
use crate::frame::widgets::row::label_cell;
use crate::view::render::image_textures::texture_error;
use talweg::appearance_files::{
    MOST_TEXTURE_SETS, MaterialRule, RecognisedTextures, TEXTURE_METRES, TextureMap, TextureSet,
};

/// Gives a rule the textures to which `image` belongs. The rule keeps the size of its previous textures.
pub(super) fn apply(editor: &mut Editor, at: usize, image: &Path) {
    let RecognisedTextures { mut set, unused } = match TextureSet::of_image(image) {
        Ok(found) => found,
        Err(error) => return editor.toasts.error(with_reason("The rule keeps its textures", &error)),
    };
    let rules = editor.doc.scene().material_rules();
    let Some(rule) = rules.0.get(at) else { return };
    if let Some(before) = &rule.textures {
        set.metres = before.metres;
    }
    let sets = rules.texture_sets();
    let is_last_use =
        rules.0.iter().filter(|other| other.textures.is_some() && other.textures == rule.textures).count() == 1;
    if !sets.contains(&&set) && sets.len() - usize::from(is_last_use) >= MOST_TEXTURE_SETS {
        let text = format!(
            "The rules already use {MOST_TEXTURE_SETS} texture sets, which is the limit. Remove the textures of another \
             rule first."
        );
        return editor.toasts.error(text);
    }
    let maps = maps_of(&set);
    let ignored: Vec<String> = unused.iter().map(|path| file_name(path)).collect();
    let rest = if ignored.is_empty() { String::new() } else { format!(" Not used: {}.", ignored.join(", ")) };
    editor.toasts.info(format!("Textures of “{}”: {maps}.{rest}", set.label()));
    change_materials(&mut editor.doc, "Choose textures", None, |rules| {
        // the images show their own colours at first
        if rules[at].textures.is_none() {
            rules[at].tint = 1.0;
        }
        rules[at].textures = Some(set);
    });
}

/// The names of the maps of a set.
fn maps_of(set: &TextureSet) -> String {
    let maps = TextureMap::ALL.iter().filter(|map| set.file(**map).is_some());
    maps.map(|map| map.label().to_lowercase()).collect::<Vec<_>>().join(", ")
}

/// Shows the textures of a rule, with their settings. Returns the command of a clicked button.
pub(super) fn rows(ui: &mut Ui, document: &mut Document, at: usize, rule: &MaterialRule) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        let tip = "Image files that replace the built-in texture and its colour.";
        label_cell(ui, "Textures", false).on_hover_text(tip);
        let choose = Command::from(GroundRulesAction::ChooseTextures(at));
        let name = rule.textures.as_ref().map_or_else(|| "Built-in".into(), TextureSet::label);
        let width = ui.available_width() - if rule.textures.is_some() { 32.0 } else { 0.0 };
        let button = egui::Button::new(format!("{}  {name}", icon::IMAGE_SQUARE)).truncate();
        let button = ui.add_sized([width, ui.spacing().interact_size.y], button);
        button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Choose textures"));
        let files = rule.textures.as_ref().map_or_else(String::new, |set| format!("\n\n{}", maps_of(set)));
        if button.on_hover_text(format!("{}{files}", choose.info().tooltip)).clicked() {
            command = Some(choose);
        }
        if rule.textures.is_some() && icon_button(ui, true, icon::X, "Remove textures").clicked() {
            change_materials(document, "Remove textures", None, |rules| rules[at].textures = None);
        }
    });
    let Some(set) = &rule.textures else { return command };
    if let Some(reason) = texture_error(set) {
        ui.add(Label::new(RichText::new(reason).small().color(colour::error())).wrap());
    }
    ui.horizontal(|ui| {
        let mut metres = set.metres;
        let [least, most] = TEXTURE_METRES;
        let speed = 0.02 * f64::from(metres);
        let field = DragValue::new(&mut metres).speed(speed).range(least..=most).max_decimals(2);
        let tip = "Length of the images on the ground.";
        if let Some(gesture) = number(ui, "Texture size", tip, units::field(field, "m")) {
            change_set(document, "Change texture size", Some(gesture), set, |set| set.metres = metres);
        }
    });
    if set.file(TextureMap::Normal).is_some() {
        let mut is_directx = set.is_directx;
        let tick = ui.checkbox(&mut is_directx, "DirectX normals");
        let tip = "Green in the normal map points down, as in DirectX. Change this if bumps look like dents.";
        if tick.on_hover_text(tip).changed() {
            change_set(document, "Change normals", None, set, |set| set.is_directx = is_directx);
        }
    }
    command
}

/// Changes a texture set in all rules that use it.
fn change_set(
    document: &mut Document,
    label: &str,
    gesture: Option<talweg::scene::Gesture>,
    set: &TextureSet,
    act: impl Fn(&mut TextureSet),
) {
    change_materials(document, label, gesture, |rules| {
        rules.iter_mut().filter_map(|rule| rule.textures.as_mut()).filter(|other| *other == set).for_each(act);
    });
}
