//! Rows for parameters that refer to a file, to another layer, or to a construction.

use bevy_egui::egui;
use egui::{RichText, Ui};
use egui_phosphor::regular as icon;

use crate::frame::theme::colour;
use crate::frame::user_library::LibraryContents;
use crate::frame::widgets::row::{Change, Choose, asks_for_reset, label};
use crate::frame::widgets::stamp_picture;
use talweg::construction::Tree;
use talweg::io::{HeightStamp, built_in_stamps};
use talweg::param::{About, ParamSpec, Value};

/// The row of a parameter that refers to an image: a file, a built-in stamp or a stamp of the user's library.
pub fn image(ui: &mut Ui, about: &About, spec: &ParamSpec, name: &str, choose: &mut Option<Choose>) -> Option<Change> {
    ui.horizontal(|ui| {
        let value = Value::Text(name.into());
        let label = label(ui, about, spec, &value);
        let mut change = asks_for_reset(&label, spec).then(|| Change::at_once(spec.default.clone()));
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt("image").selected_text(shown(name)).width(width).truncate();
        let combo = combo.height(LIST_HEIGHT);
        let combo = combo.show_ui(ui, |ui| {
            ui.set_min_width(180.0);
            if ui.selectable_label(false, format!("{}  Choose a file…", icon::FOLDER_OPEN)).clicked() {
                *choose = Some(Choose);
            }
            if ui.selectable_label(name.is_empty(), "None").clicked() {
                change = Some(Change::at_once(Value::Text(String::new())));
            }
            ui.separator();
            ui.label(RichText::new("Built-in stamps").small().color(colour::text_weak()));
            let library = LibraryContents::shown_in(ui.ctx());
            let own: Vec<_> = library.stamps.iter().map(|own| own.stamp).collect();
            let mut clicked = stamp_grid(ui, name, &built_in_stamps().iter().collect::<Vec<_>>());
            if !own.is_empty() {
                ui.label(RichText::new("Your stamps").small().color(colour::text_weak()));
                clicked = stamp_grid(ui, name, &own).or(clicked);
            }
            if let Some(stamp) = clicked {
                change = Some(Change::at_once(Value::Text(stamp.name.clone())));
            }
        });
        let tip = if name.is_empty() { spec.help } else { name };
        combo.response.labelled_by(label.id).on_hover_text(tip);
        change
    })
    .inner
}

/// Height of the list of images in points.
const LIST_HEIGHT: f32 = 460.0;
/// Width of the cell of a stamp in points.
const STAMP_CELL_WIDTH: f32 = 92.0;

/// Pictures of stamps, of which the one called `name` is marked. Returns the clicked stamp.
fn stamp_grid(ui: &mut Ui, name: &str, stamps: &[&'static HeightStamp]) -> Option<&'static HeightStamp> {
    let mut clicked = None;
    ui.spacing_mut().item_spacing = egui::vec2(2.0, 2.0);
    for row in stamps.chunks(3) {
        ui.horizontal(|ui| {
            for &stamp in row {
                if stamp_cell(ui, stamp, stamp.name == name).clicked() {
                    clicked = Some(stamp);
                    ui.close();
                }
            }
        });
    }
    clicked
}

fn stamp_cell(ui: &mut Ui, stamp: &'static HeightStamp, is_selected: bool) -> egui::Response {
    let response = stamp_picture::cell(ui, stamp, STAMP_CELL_WIDTH, egui::Sense::click(), is_selected);
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_selected, &stamp.title));
    response.on_hover_text(&stamp.name)
}

/// The displayed name: a file without its folder, or the title of a stamp.
fn shown(name: &str) -> String {
    match built_in_stamps().iter().find(|stamp| stamp.name == name) {
        Some(stamp) => stamp.title.clone(),
        None if name.is_empty() => "None".into(),
        None => std::path::Path::new(name).file_name().map_or_else(|| name.into(), |n| n.display().to_string()),
    }
}

/// The row of a parameter that refers to another scene file.
pub fn scene(ui: &mut Ui, about: &About, spec: &ParamSpec, name: &str, choose: &mut Option<Choose>) -> Option<Change> {
    ui.horizontal(|ui| {
        let value = Value::Text(name.into());
        let label = label(ui, about, spec, &value);
        let mut change = asks_for_reset(&label, spec).then(|| Change::at_once(spec.default.clone()));
        let text = if name.is_empty() { "This scene".into() } else { shown(name) };
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt("scene").selected_text(text).width(width).truncate();
        let combo = combo.show_ui(ui, |ui| {
            ui.set_min_width(180.0);
            if ui.selectable_label(false, format!("{}  Choose a scene file…", icon::FOLDER_OPEN)).clicked() {
                *choose = Some(Choose);
            }
            if ui.selectable_label(name.is_empty(), "This scene").clicked() {
                change = Some(Change::at_once(Value::Text(String::new())));
            }
        });
        let tip = if name.is_empty() { spec.help } else { name };
        combo.response.labelled_by(label.id).on_hover_text(tip);
        change
    })
    .inner
}

/// The row of a parameter that refers to one of the layers in `names`, which are found when the list is open.
pub fn layer(
    ui: &mut Ui,
    about: &About,
    spec: &ParamSpec,
    name: &str,
    names: impl FnOnce() -> Vec<String>,
) -> Option<Change> {
    ui.horizontal(|ui| {
        let value = Value::Text(name.into());
        let label = label(ui, about, spec, &value);
        let mut change = asks_for_reset(&label, spec).then(|| Change::at_once(spec.default.clone()));
        let text = if name.is_empty() { "None" } else { name };
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt("layer").selected_text(text).width(width).truncate();
        let combo = combo.show_ui(ui, |ui| {
            let names = names();
            for choice in [""].into_iter().chain(names.iter().map(String::as_str)) {
                let text = if choice.is_empty() { "None" } else { choice };
                if ui.selectable_label(choice == name, text).clicked() {
                    change = Some(Change::at_once(Value::Text(choice.into())));
                }
            }
            if names.is_empty() {
                ui.weak("No other layer can be read.");
            }
        });
        combo.response.labelled_by(label.id).on_hover_text(spec.help);
        change
    })
    .inner
}

/// The row of a parameter that holds a construction: either a built-in or a custom construction.
pub fn tree(ui: &mut Ui, about: &About, spec: &ParamSpec, value: &Value) -> Option<Change> {
    let composed = about.presets.iter().filter_map(|preset| {
        let (_, value) = preset.values.iter().find(|(name, _)| *name == spec.name)?;
        Some((preset, value))
    });
    let composed: Vec<_> = composed.collect();
    let change = ui.horizontal(|ui| {
        let label = label(ui, about, spec, value);
        let mut change = asks_for_reset(&label, spec).then(|| Change::at_once(spec.default.clone()));
        let text = composed.iter().find(|(_, is)| *is == value).map_or("Custom", |(preset, _)| preset.label);
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt("tree").selected_text(text).width(width).truncate();
        let combo = combo.show_ui(ui, |ui| {
            for (preset, made) in &composed {
                if ui.selectable_label(*made == value, preset.label).on_hover_text(preset.help).clicked() {
                    change = Some(Change::at_once((*made).clone()));
                }
            }
        });
        combo.response.labelled_by(label.id).on_hover_text(spec.help);
        change
    });
    let pieces = value.structured::<Tree>().map_or(0, |tree| tree.count());
    let pieces = if pieces == 1 { "1 feature".into() } else { format!("{pieces} features") };
    ui.weak(format!("{pieces}. Select one in the list above or in the view to edit it."));
    change.inner
}
