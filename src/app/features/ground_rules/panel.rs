//! The panel of the ground rules: the list of rules, and the settings of the selected rule.

use std::sync::Arc;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{
    Align, Color32, DragValue, Label, Layout, Rect, RichText, Sense, Slider, Stroke, StrokeKind, TextEdit, Ui, pos2,
    vec2,
};
use egui_phosphor::regular as icon;

use super::GroundRulesAction;
use super::conditions::{self, ConditionChange, distinct_names};
use super::lists;
use super::sampled::RuleCoverage;
use super::textures;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::theme::{self, ROW, colour, icon_button, paint_text};
use crate::frame::units;
use crate::frame::user_library::{LibraryContents, LibraryFolder};
use crate::frame::widgets::row::label_cell;
use crate::view::render::image_textures::swatch_of;
use talweg::appearance::encode;
use talweg::appearance::materials::textures::look_of;
use talweg::appearance_files::{
    Bands, EVERYWHERE, GROVE_WIDTHS, MOST_RULE_NAME, MOST_RULES, MOST_SCATTER_RULES, Material, MaterialRule,
    SCATTER_DENSITIES, SCATTER_SIZES, ScatterKind, ScatterRule, rule_name,
};
use talweg::nodes::Node;
use talweg::scene::{Gesture, Layer, Scene};
use talweg::terrain_attributes::drainage::flow_node;

/// The two lists of rules, each on a tab: material rules, and rules for plants and stones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleTab {
    #[default]
    Materials,
    Plants,
}

impl RuleTab {
    pub const ALL: [Self; 2] = [Self::Materials, Self::Plants];

    /// Name in menus and on the tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Materials => "Ground materials",
            Self::Plants => "Plants and stones",
        }
    }

    /// The part of a suggested file name that follows the name of the scene.
    pub(super) fn file_stem(self) -> &'static str {
        match self {
            Self::Materials => "materials",
            Self::Plants => "plants",
        }
    }

    /// The folder of the library with lists of this kind.
    pub(super) fn library_folder(self) -> LibraryFolder {
        match self {
            Self::Materials => LibraryFolder::Materials,
            Self::Plants => LibraryFolder::Plants,
        }
    }

    fn has_own(self, scene: &Scene) -> bool {
        match self {
            Self::Materials => scene.materials.is_some(),
            Self::Plants => scene.scatter.is_some(),
        }
    }
}

/// State of the ground rules panel.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct GroundRulesState {
    pub open: bool,
    pub tab: RuleTab,
    /// Index of the selected rule of each list. An index beyond the end of a list selects its last rule.
    pub selected: [usize; 2],
}

impl Default for GroundRulesState {
    fn default() -> Self {
        Self { open: false, tab: RuleTab::default(), selected: [usize::MAX; 2] }
    }
}

/// Number of visible rows of the list of rules.
const SEEN_ROWS: f32 = 7.0;

/// Shows the panel; returns the command of a clicked button.
pub fn show(
    ui: &mut Ui,
    state: &mut GroundRulesState,
    document: &mut Document,
    library: &LibraryContents,
    covers: &RuleCoverage,
) -> Option<Command> {
    let mut command = head(ui);
    ui.horizontal(|ui| {
        for tab in RuleTab::ALL {
            ui.selectable_value(&mut state.tab, tab, tab.title());
        }
    });
    command = source(ui, state.tab, document, library).or(command);
    let tab = state.tab;
    let selected = &mut state.selected[tab as usize];
    egui::ScrollArea::vertical().id_salt(("rules", tab as usize)).auto_shrink(false).show(ui, |ui| {
        ui.set_max_width(ui.available_width() - 8.0); // leave room for the scroll bar
        match tab {
            RuleTab::Materials => command = materials(ui, selected, document, covers).or(command.take()),
            RuleTab::Plants => plants(ui, selected, document, covers),
        }
    });
    command
}

fn head(ui: &mut Ui) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Ground materials").strong().size(15.0));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Command::from(GroundRulesAction::Toggle);
            let label = "Close the ground materials";
            if icon_button(ui, true, icon::X, label).on_hover_text(close.tooltip(ui.ctx())).clicked() {
                command = Some(close);
            }
        });
    });
    command
}

/// Shows whether the rules belong to the scene or to the palette, with buttons for files and for the reset.
fn source(ui: &mut Ui, tab: RuleTab, document: &mut Document, library: &LibraryContents) -> Option<Command> {
    let mut command = None;
    let has_own = tab.has_own(document.scene());
    ui.horizontal(|ui| {
        let text = if has_own {
            "Scene rules. They stay when you change the palette."
        } else {
            "Palette rules; editing creates a scene copy."
        };
        let width = ui.available_width() - 3.0 * (26.0 + ui.spacing().item_spacing.x);
        ui.add_sized(vec2(width, 30.0), Label::new(RichText::new(text).small().color(colour::text_weak())).wrap());
        command = lists::menu(ui, tab, document, library);
        let buttons = [
            (icon::FOLDER_OPEN, Command::from(GroundRulesAction::Open(tab))),
            (icon::FLOPPY_DISK, Command::from(GroundRulesAction::Save(tab))),
        ];
        for (symbol, asked) in buttons {
            let label = asked.info().label;
            if icon_button(ui, true, symbol, &label).on_hover_text(asked.tooltip(ui.ctx())).clicked() {
                command = Some(asked);
            }
        }
    });
    // reserve the space of the button while it is hidden, so that nothing moves during a drag
    let back = egui::Button::new(format!("{}  Reset to palette rules", icon::ARROW_COUNTER_CLOCKWISE));
    let back = ui.add_visible(has_own, back);
    if back.on_hover_text("Deletes the rules of the scene and uses those of the palette.").clicked() {
        document.edit("Reset to palette rules", None, |scene| match tab {
            RuleTab::Materials => scene.materials = None,
            RuleTab::Plants => scene.scatter = None,
        });
    }
    command
}

/// Changes the material rules. Rules that equal those of the palette are not stored in the scene.
pub(super) fn change_materials(
    document: &mut Document,
    label: &str,
    gesture: Option<Gesture>,
    act: impl FnOnce(&mut Vec<MaterialRule>),
) {
    document.edit(label, gesture, |scene: &mut Scene| {
        let mut rules = scene.material_rules();
        act(&mut Arc::make_mut(&mut rules).0);
        scene.materials = (rules != scene.palette_materials()).then_some(rules);
    });
}

/// Changes the rules for plants and stones. Rules that equal those of the palette are not stored in the scene.
pub(super) fn change_plants(
    document: &mut Document,
    label: &str,
    gesture: Option<Gesture>,
    act: impl FnOnce(&mut Vec<ScatterRule>),
) {
    document.edit(label, gesture, |scene: &mut Scene| {
        let mut rules = scene.scatter_rules();
        act(&mut Arc::make_mut(&mut rules).0);
        scene.scatter = (rules != scene.palette_scatter()).then_some(rules);
    });
}

fn materials(ui: &mut Ui, selected: &mut usize, document: &mut Document, covers: &RuleCoverage) -> Option<Command> {
    let rules = document.scene().material_rules();
    *selected = (*selected).min(rules.0.len() - 1);
    let shares = covers.of_materials(&rules);
    let mut names = distinct_names(rules.0.iter().map(|rule| (rule.material.label(), &rule.bands))).into_iter();
    let rows = rules.0.iter().enumerate().map(|(k, rule)| RuleRow {
        name: shown_name(&rule.name, names.next()),
        rgb: rule.textures.as_ref().and_then(swatch_of).or_else(|| Some(encode(look_of(rule.material).colour))),
        note: shares.map_or_else(String::new, |shares| percent(shares[k])),
    });
    let tip = "This rule covers the rules below it. The number is the fraction of the map where it is visible.";
    list(ui, selected, &rows.collect::<Vec<_>>(), tip);
    if let Some(edit) = buttons(ui, RuleTab::Materials, *selected, rules.0.len()) {
        let (name, bands) = (String::new(), [EVERYWHERE; _]);
        let (material, textures) = (Material::Gravel, None);
        let fresh = MaterialRule { name, material, max_fraction: 1.0, tint: 0.3, textures, bands };
        change_materials(document, edit.label(), None, |rules| *selected = edit.done(rules, *selected, fresh));
        return None;
    }
    ui.separator();
    let (at, rule) = (*selected, rules.0[*selected].clone());
    ui.push_id(("material", at), |ui| material(ui, document, at, &rule, covers)).inner
}

/// Shows the settings of the selected material rule. Returns the command of a clicked button.
fn material(
    ui: &mut Ui,
    document: &mut Document,
    at: usize,
    rule: &MaterialRule,
    covers: &RuleCoverage,
) -> Option<Command> {
    if let Some((name, gesture)) = name_row(ui, &rule.name, rule.material.label()) {
        change_materials(document, "Rename rule", Some(gesture), |rules| rules[at].name = name);
    }
    ui.horizontal(|ui| {
        label_cell(ui, "Material", false);
        let combo = egui::ComboBox::from_id_salt("material").width(ui.available_width()).truncate();
        let combo = combo.selected_text(rule.material.label()).show_ui(ui, |ui| {
            for material in Material::ALL.iter().copied() {
                let entry = ui.selectable_label(material == rule.material, material.label());
                if entry.on_hover_text(material.help()).clicked() && material != rule.material {
                    change_materials(document, "Change material", None, |rules| rules[at].material = material);
                }
            }
        });
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "Material"));
        combo.response.on_hover_text(rule.material.help());
    });
    let command = textures::rows(ui, document, at, rule);
    let tip = "Higher values show more of the material's own colour and less of the palette colour.";
    if let Some((tint, gesture)) = share_row(ui, "Own colour", tip, rule.tint) {
        change_materials(document, "Change own colour", gesture, |rules| rules[at].tint = tint);
    }
    if at == 0 {
        let text =
            "The first rule always applies to the whole terrain, so it has no coverage setting and no conditions.";
        ui.add(Label::new(RichText::new(text).small().color(colour::text_weak())).wrap());
        return command;
    }
    let tip = "Coverage where all conditions are met. The rest shows the rules below.";
    if let Some((share, gesture)) = share_row(ui, "Coverage", tip, rule.max_fraction) {
        change_materials(document, "Change coverage", gesture, |rules| rules[at].max_fraction = share);
    }
    let wants_flow = conditions_of(ui, &rule.bands, covers, |label, gesture, bands| {
        change_materials(document, label, gesture, |rules| rules[at].bands = bands);
    });
    if wants_flow {
        add_flow_layer(document);
    }
    command
}

fn plants(ui: &mut Ui, selected: &mut usize, document: &mut Document, covers: &RuleCoverage) {
    let rules = document.scene().scatter_rules();
    *selected = (*selected).min(rules.0.len().saturating_sub(1));
    let mut names = distinct_names(rules.0.iter().map(|rule| (rule.kind.label(), &rule.bands))).into_iter();
    let rows: Vec<RuleRow> = rules
        .0
        .iter()
        .map(|rule| RuleRow {
            name: shown_name(&rule.name, names.next()),
            rgb: None,
            note: covers.of_bands(&rule.bands).map_or_else(String::new, percent),
        })
        .collect();
    if rows.is_empty() {
        ui.label("No plants or stones yet. Add a rule for each kind.");
    }
    let tip = "The rules are independent. The number is the fraction of the map that meets the conditions.";
    list(ui, selected, &rows, tip);
    if let Some(edit) = buttons(ui, RuleTab::Plants, *selected, rules.0.len()) {
        let mut bands = [EVERYWHERE; _];
        bands[0] = [-1e9, -1e9, 30.0, 40.0];
        let (name, kind) = (String::new(), ScatterKind::Conifer);
        let fresh = ScatterRule { name, kind, density: 100.0, size: (5.0, 15.0), groves: None, bands };
        change_plants(document, edit.label(), None, |rules| *selected = edit.done(rules, *selected, fresh));
        return;
    }
    let Some(rule) = rules.0.get(*selected).cloned() else { return };
    ui.separator();
    let at = *selected;
    ui.push_id(("plant", at), |ui| plant(ui, document, at, &rule, covers));
}

/// Shows the settings of the selected rule for plants or stones.
fn plant(ui: &mut Ui, document: &mut Document, at: usize, rule: &ScatterRule, covers: &RuleCoverage) {
    if let Some((name, gesture)) = name_row(ui, &rule.name, rule.kind.label()) {
        change_plants(document, "Rename rule", Some(gesture), |rules| rules[at].name = name);
    }
    ui.horizontal(|ui| {
        label_cell(ui, "Kind", false);
        let combo = egui::ComboBox::from_id_salt("kind").width(ui.available_width()).truncate();
        let combo = combo.selected_text(rule.kind.label()).show_ui(ui, |ui| {
            for kind in ScatterKind::ALL.iter().copied() {
                let entry = ui.selectable_label(kind == rule.kind, kind.label());
                if entry.on_hover_text(kind.help()).clicked() && kind != rule.kind {
                    change_plants(document, "Change kind", None, |rules| rules[at].kind = kind);
                }
            }
        });
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "Kind"));
        combo.response.on_hover_text(rule.kind.help());
    });
    let [least, most] = SCATTER_DENSITIES;
    let tip = "Number per hectare where all conditions are met. Higher values take longer to draw.";
    ui.horizontal(|ui| {
        let mut density = rule.density;
        let field = DragValue::new(&mut density).speed(f64::from(0.01 * rule.density).max(0.01)).range(least..=most);
        if let Some(gesture) = number(ui, "Density", tip, field.max_decimals(2).suffix(" per hectare")) {
            change_plants(document, "Change density", Some(gesture), |rules| rules[at].density = density);
        }
    });
    let [least, most] = SCATTER_SIZES;
    let set_least: fn(&mut ScatterRule, f32) = |rule, size| rule.size = (size, rule.size.1.max(size));
    let set_most: fn(&mut ScatterRule, f32) = |rule, size| rule.size = (rule.size.0.min(size), size);
    let sizes = [
        ("Minimum height", "Height of the smallest plants or stones.", set_least),
        ("Maximum height", "Height of the largest plants or stones.", set_most),
    ];
    for ((label, tip, set), mut size) in sizes.into_iter().zip([rule.size.0, rule.size.1]) {
        ui.horizontal(|ui| {
            let field = DragValue::new(&mut size).speed(0.05).range(least..=most).max_decimals(2);
            if let Some(gesture) = number(ui, label, tip, units::field(field, "m")) {
                change_plants(document, "Change size", Some(gesture), |rules| set(&mut rules[at], size));
            }
        });
    }
    let mut in_groves = rule.groves.is_some();
    let tick = ui.checkbox(&mut in_groves, "In groves");
    if tick.on_hover_text("Places them in groups with open terrain between.").changed() {
        let groves = in_groves.then_some((200.0, 0.5));
        change_plants(document, "Toggle groves", None, |rules| rules[at].groves = groves);
    }
    if let Some((mut width, share)) = rule.groves.filter(|_| in_groves) {
        let [least, most] = GROVE_WIDTHS;
        ui.horizontal(|ui| {
            let field = DragValue::new(&mut width).speed(1.0).range(least..=most).max_decimals(0);
            let tip = "Approximate width of a grove.";
            if let Some(gesture) = number(ui, "Grove width", tip, units::field(field, "m")) {
                change_plants(document, "Change groves", Some(gesture), |rules| {
                    rules[at].groves = Some((width, share))
                });
            }
        });
        let tip = "Fraction of the terrain that groves cover.";
        if let Some((share, gesture)) = share_row(ui, "Grove coverage", tip, share) {
            change_plants(document, "Change groves", gesture, |rules| rules[at].groves = Some((width, share)));
        }
    }
    let wants_flow = conditions_of(ui, &rule.bands, covers, |label, gesture, bands| {
        change_plants(document, label, gesture, |rules| rules[at].bands = bands);
    });
    if wants_flow {
        add_flow_layer(document);
    }
}

/// Shows the conditions of a rule, and calls `apply` with new bands. Returns whether the user wants a layer that
/// computes the flow.
fn conditions_of(
    ui: &mut Ui,
    bands: &Bands,
    covers: &RuleCoverage,
    mut apply: impl FnMut(&str, Option<Gesture>, Bands),
) -> bool {
    ui.add_space(4.0);
    ui.label(RichText::new("Conditions").strong());
    if bands.iter().all(|band| *band == EVERYWHERE) {
        let text = "None: the rule applies everywhere.";
        ui.label(RichText::new(text).small().color(colour::text_weak()));
    }
    match conditions::rows(ui, bands, covers.missing.as_ref()) {
        Some(ConditionChange::Band(change)) => apply(change.label, change.gesture, change.bands),
        Some(ConditionChange::AddFlow) => return true,
        None => {}
    }
    false
}

/// Adds a layer on top that computes the flow from the heights.
fn add_flow_layer(document: &mut Document) {
    let scene = document.scene();
    let mut layer = Layer::new(Node::FlowAccumulation(flow_node(&scene.settings)), scene.unused_seed());
    layer.name = scene.unused_name(&layer.name);
    document.insert("Add Flow", scene.layers.len(), layer);
}

/// Shows a fraction from 0 to 1 in percent. Returns the new value if the user has changed it.
fn share_row(ui: &mut Ui, label: &str, tip: &str, share: f32) -> Option<(f32, Option<Gesture>)> {
    let shown = f64::from(share) * 100.0;
    let (mut dragged, mut typed, mut changed) = (shown, shown, None);
    ui.horizontal(|ui| {
        let name = label_cell(ui, label, false).on_hover_text(tip);
        let width = ui.available_width() - 58.0;
        // use a slider without steps, because steps would round a value that was not changed
        let rail = theme::slider(ui, true, width, Slider::new(&mut dragged, 0.0..=100.0));
        rail.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Slider, true, format!("{label} slider")));
        let field = DragValue::new(&mut typed).range(0.0..=100.0).max_decimals(1).suffix("%");
        let field = ui.add(field).labelled_by(name.id);
        if rail.changed() {
            changed = Some((dragged.round(), rail.id));
        } else if field.changed() {
            changed = Some((typed, field.id));
        }
    });
    changed.map(|(percent, id)| ((percent / 100.0) as f32, Some(Gesture(id.value()))))
}

/// The name of a rule in the list: its own name or, if it has none, the description by its conditions.
fn shown_name(own: &str, description: Option<String>) -> String {
    if own.is_empty() { description.unwrap_or_default() } else { own.into() }
}

/// Shows the field for the rule's own name. Returns the new name when the user has finished typing.
fn name_row(ui: &mut Ui, name: &str, hint: &str) -> Option<(String, Gesture)> {
    ui.horizontal(|ui| {
        let tip = "Name of the rule in this list. Without a name, the list shows what the rule places, and where.";
        let label = label_cell(ui, "Name", !name.is_empty()).on_hover_text(tip);
        let id = ui.id().with("typed name");
        let mut typed = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| name.into());
        let edit = TextEdit::singleline(&mut typed).hint_text(hint).char_limit(MOST_RULE_NAME);
        let field = ui.add(edit.desired_width(f32::INFINITY)).labelled_by(label.id).on_hover_text(tip);
        if field.has_focus() {
            ui.data_mut(|data| data.insert_temp(id, typed));
            return None;
        }
        ui.data_mut(|data| data.remove::<String>(id));
        let given = rule_name(&typed);
        (field.lost_focus() && given != name).then(|| (given, Gesture(field.id.value())))
    })
    .inner
}

/// Shows a number field with a label. Returns the gesture if the user has changed the number.
pub(super) fn number(ui: &mut Ui, label: &str, tip: &str, field: DragValue) -> Option<Gesture> {
    let name = label_cell(ui, label, false).on_hover_text(tip);
    let size = vec2(ui.available_width(), ui.spacing().interact_size.y);
    let field = ui.add_sized(size, field).labelled_by(name.id).on_hover_text(tip);
    field.changed().then(|| Gesture(field.id.value()))
}

fn percent(share: f32) -> String {
    if share > 0.0 && share < 0.005 { "< 1 %".into() } else { format!("{:.0} %", share * 100.0) }
}

/// A row of the list.
struct RuleRow {
    name: String,
    rgb: Option<[u8; 3]>,
    note: String,
}

/// Shows the list of rules. The last rule is on top, because its material covers the others. Scrolls to a newly
/// selected rule.
fn list(ui: &mut Ui, selected: &mut usize, rows: &[RuleRow], tip: &str) {
    let height = SEEN_ROWS.min(rows.len() as f32) * (ROW - 2.0);
    let key = ui.id().with("revealed");
    let revealed: Option<usize> = ui.data(|data| data.get_temp(key));
    ui.data_mut(|data| data.insert_temp(key, *selected));
    egui::ScrollArea::vertical().id_salt("list").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (k, row) in rows.iter().enumerate().rev() {
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW - 2.0), Sense::click());
            let on = *selected == k;
            let name = format!("Rule {}: {}", k + 1, row.name);
            response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, on, &name));
            if on {
                ui.painter().rect(rect, 4.0, colour::accent_deep(), Stroke::NONE, StrokeKind::Inside);
            } else if response.hovered() {
                ui.painter().rect_filled(rect, 4.0, colour::raised());
            }
            let mut left = rect.left() + 6.0;
            if let Some([r, g, b]) = row.rgb {
                let swatch = Rect::from_min_size(pos2(left, rect.center().y - 7.0), vec2(22.0, 14.0));
                ui.painter().rect_filled(swatch, 3.0, Color32::from_rgb(r, g, b));
                left += 30.0;
            }
            let tint = if on { colour::text_strong() } else { colour::text() };
            let room = Rect::from_min_max(pos2(left, rect.top()), pos2(rect.right() - 52.0, rect.bottom()));
            paint_text(ui, room, &row.name, tint, false);
            let font = egui::TextStyle::Small.resolve(ui.style());
            let at = pos2(rect.right() - 6.0, rect.center().y);
            ui.painter().text(at, egui::Align2::RIGHT_CENTER, &row.note, font, colour::text_weak());
            if on && revealed != Some(k) {
                response.scroll_to_me(None);
            }
            if response.on_hover_text(tip).clicked() {
                *selected = k;
            }
        }
    });
}

/// An edit of the list of rules, made by a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListEdit {
    Add,
    Duplicate,
    Remove,
    Raise,
    Lower,
}

impl ListEdit {
    fn label(self) -> &'static str {
        match self {
            Self::Add => "Add rule",
            Self::Duplicate => "Duplicate rule",
            Self::Remove => "Remove rule",
            Self::Raise | Self::Lower => "Move rule",
        }
    }

    /// Applies the edit to a list; returns the index to select afterwards.
    fn done<T: Clone>(self, rules: &mut Vec<T>, at: usize, fresh: T) -> usize {
        let above = (at + 1).min(rules.len());
        match self {
            Self::Add => rules.insert(above, fresh),
            Self::Duplicate => rules.insert(above, rules[at].clone()),
            Self::Remove => {
                rules.remove(at);
                return at.min(rules.len().saturating_sub(1));
            }
            Self::Raise => rules.swap(at, at + 1),
            Self::Lower => {
                rules.swap(at, at - 1);
                return at - 1;
            }
        }
        above
    }
}

/// The buttons below the list of a tab, which has `count` rules.
fn buttons(ui: &mut Ui, tab: RuleTab, at: usize, count: usize) -> Option<ListEdit> {
    let (least, most, [raises, lowers]) = match tab {
        RuleTab::Materials => (
            1,
            MOST_RULES,
            [
                "Moves the rule up, so that it covers the rule above.",
                "Moves the rule down, so that the rule below covers it.",
            ],
        ),
        RuleTab::Plants => (0, MOST_SCATTER_RULES, ["Changes only the order of the list."; 2]),
    };
    let mut asked = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let mut ask = |ui: &mut Ui, enabled, symbol, label: &str, tip: &str, edit| {
            if icon_button(ui, enabled, symbol, label).on_hover_text(tip).clicked() {
                asked = Some(edit);
            }
        };
        let room = count < most;
        ask(ui, room, icon::PLUS, "Add rule", "Adds a rule above the selected one.", ListEdit::Add);
        let is_any = count > 0;
        let tip = "Adds a copy above the rule.";
        ask(ui, room && is_any, icon::COPY, "Duplicate rule", tip, ListEdit::Duplicate);
        let tip = "Removes the rule.";
        ask(ui, count > least, icon::TRASH, "Remove rule", tip, ListEdit::Remove);
        ask(ui, at + 1 < count, icon::ARROW_UP, "Move rule up", raises, ListEdit::Raise);
        ask(ui, at > 0, icon::ARROW_DOWN, "Move rule down", lowers, ListEdit::Lower);
        if !room {
            ui.label(RichText::new(format!("At most {most} rules are possible.")).small().color(colour::text_weak()));
        }
    });
    asked
}
