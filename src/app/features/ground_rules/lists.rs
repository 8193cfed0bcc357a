//! The menu of the lists of rules: those that are built in, and those of the user's library.

use std::path::Path;

use bevy_egui::egui;
use egui::containers::menu::MenuButton;
use egui::{RichText, Ui};
use egui_phosphor::regular as icon;

use super::GroundRulesAction;
use super::panel::{RuleTab, change_materials, change_plants};
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::editor::capitalised;
use crate::frame::theme::colour;
use crate::frame::user_library::LibraryContents;
use talweg::appearance_files::{MaterialRules, ScatterRules, material_list_names, scatter_names};

/// The menu of the built-in lists of rules and of those in the library.
pub fn menu(ui: &mut Ui, tab: RuleTab, document: &mut Document, library: &LibraryContents) -> Option<Command> {
    let mut command = None;
    let button = egui::Button::new(RichText::new(icon::BOOKS).size(16.0)).frame_when_inactive(false);
    let (button, _) = MenuButton::from_button(button).ui(ui, |ui| {
        let heading = |ui: &mut Ui, text: &str| ui.label(RichText::new(text).small().color(colour::text_weak()));
        heading(ui, "Built-in rules");
        let names: Vec<String> = match tab {
            RuleTab::Materials => material_list_names().into_iter().map(String::from).collect(),
            RuleTab::Plants => scatter_names(),
        };
        for name in names {
            if ui.button(capitalised(&name.replace('-', " "))).clicked() {
                take_built_in(document, tab, &name);
            }
        }
        let own: Vec<(&str, &Path)> = match tab {
            RuleTab::Materials => library.materials.iter().map(|file| (file.name.as_str(), &*file.path)).collect(),
            RuleTab::Plants => library.plants.iter().map(|file| (file.name.as_str(), &*file.path)).collect(),
        };
        ui.separator();
        if !own.is_empty() {
            heading(ui, "Your rules");
        }
        for (name, path) in own {
            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                command = Some(GroundRulesAction::OpenFrom(tab, path.into()).into());
            }
        }
        let save = Command::from(GroundRulesAction::SaveToLibrary(tab));
        let info = save.info();
        if ui.button(format!("{}  {}", info.icon, info.label)).on_hover_text(info.tooltip).clicked() {
            command = Some(save);
        }
    });
    let label = "Choose rules";
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label));
    button.on_hover_text("Replaces the rules by built-in rules or by rules of your library.");
    command
}

/// Replaces the rules of the scene by the built-in list called `name`.
fn take_built_in(document: &mut Document, tab: RuleTab, name: &str) {
    let label = format!("Choose {}", tab.title().to_lowercase());
    match tab {
        RuleTab::Materials => {
            if let Some(list) = MaterialRules::named(name) {
                change_materials(document, &label, None, |rules| rules.clone_from(&list.0));
            }
        }
        RuleTab::Plants => {
            if let Some(list) = ScatterRules::named(name) {
                change_plants(document, &label, None, |rules| rules.clone_from(&list.0));
            }
        }
    }
}
