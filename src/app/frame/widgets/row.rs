//! The parts of a parameter row: name, tooltip, and reset to the default.

use bevy_egui::egui;
use egui::{DragValue, Id, RectAlign, Response, RichText, Sense, Tooltip, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::frame::document::Document;
use crate::frame::theme::{self, ICON_BUTTON, ROW, colour, icon_button};
use crate::frame::units;
use talweg::param::{About, ParamKind, ParamSpec, Value};
use talweg::scene::{Gesture, Scene};

/// A request to open a file dialog for a parameter.
pub struct Choose;

pub struct Change {
    pub value: Value,
    pub gesture: Option<Gesture>,
}

impl Change {
    pub fn at_once(value: Value) -> Self {
        Self { value, gesture: None }
    }

    pub(super) fn from_response(response: &Response, value: Value) -> Self {
        Self { value, gesture: Some(Gesture(response.id.value())) }
    }
}

/// The name of a parameter, in the name column.
pub fn label(ui: &mut Ui, about: &About, spec: &ParamSpec, value: &Value) -> Response {
    let changed = *value != spec.default;
    let response = label_cell(ui, title(spec), changed);
    tooltip(ui, response, about, spec)
}

/// Draws a name in the name column; a dot marks a changed value.
pub fn label_cell(ui: &mut Ui, text: &str, changed: bool) -> Response {
    // Tab passes over names
    let (rect, response) = ui.allocate_exact_size(vec2(label_width(ui), ROW), Sense::CLICK);
    if changed {
        let dot = egui::pos2(rect.left() + 2.0, rect.center().y);
        ui.painter().circle_filled(dot, 2.0, colour::accent());
    }
    let tint = if changed { colour::text_strong() } else { colour::text() };
    theme::paint_text(ui, rect.with_min_x(rect.left() + 9.0), text, tint, false);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, text));
    response
}

/// The name of a parameter as the panel shows it. The unit is removed, because it is shown after the value.
pub fn title(spec: &ParamSpec) -> &str {
    if spec.unit == "m" { spec.label.strip_suffix(" metres").unwrap_or(&spec.label) } else { &spec.label }
}

/// Width of the name column, in points.
pub fn label_width(ui: &Ui) -> f32 {
    (ui.available_width() * 0.38).clamp(96.0, 170.0)
}

pub fn asks_for_reset(response: &Response, spec: &ParamSpec) -> bool {
    response.double_clicked() || reset_menu(response, spec)
}

/// Whether the user chose Reset in the context menu of a widget.
pub(super) fn reset_menu(response: &Response, spec: &ParamSpec) -> bool {
    let mut reset = false;
    response.context_menu(|ui| reset = ui.button(format!("Reset to {}", shown(spec, &spec.default))).clicked());
    reset
}

/// Adds a tooltip with the description, range, default and source of a parameter.
pub(super) fn tooltip(ui: &Ui, response: Response, about: &About, spec: &ParamSpec) -> Response {
    tooltip_with(ui, response, about, spec, &mut |_| ())
}

/// The tooltip of a row. It appears to the side of the panel, so that it covers no other row.
pub(super) fn beside_the_panel<'a>(ui: &Ui, response: &'a Response) -> Tooltip<'a> {
    let row = response.rect.with_max_x(ui.clip_rect().right().max(response.rect.right()));
    let mut tooltip = Tooltip::for_enabled(response);
    tooltip.popup = tooltip.popup.anchor(row).align(RectAlign::RIGHT_START).align_alternatives(&[
        RectAlign::RIGHT_END,
        RectAlign::LEFT_START,
        RectAlign::BOTTOM_START,
    ]);
    tooltip
}

/// Whether the tooltip of a control stays hidden: from the moment the user drags the control until the pointer leaves
/// it. The tooltip would cover what the change brings up, such as the offer to continue an erosion.
fn is_just_changed(response: &Response) -> bool {
    let changed = Id::new("control changed under the pointer");
    let id = response.id;
    response.ctx.data_mut(|data| {
        if response.dragged() {
            data.insert_temp(changed, id);
        } else if data.get_temp(changed) == Some(id) && !response.contains_pointer() {
            data.remove::<Id>(changed);
        }
        data.get_temp(changed) == Some(id)
    })
}

/// Like `tooltip`, with further content below the description.
pub(super) fn tooltip_with(
    ui: &Ui,
    response: Response,
    about: &About,
    spec: &ParamSpec,
    more: &mut dyn FnMut(&mut Ui),
) -> Response {
    if is_just_changed(&response) {
        return response;
    }
    beside_the_panel(ui, &response).show(|ui| {
        ui.set_max_width(320.0);
        ui.label(RichText::new(title(spec)).strong());
        ui.label(spec.help);
        if matches!(spec.kind, ParamKind::Float { .. } | ParamKind::Int { .. } | ParamKind::Numbers { .. }) {
            ui.weak(format!("Range: {}{}", units::range_text(spec), units::of_param(spec).suffix()));
        }
        if !matches!(spec.kind, ParamKind::Curve | ParamKind::Tree | ParamKind::Strokes) {
            ui.weak(format!("Default: {}. Double-click to reset.", shown(spec, &spec.default)));
        }
        if !about.source.is_empty() {
            ui.weak(format!("Source: {}", about.source));
        }
        more(ui);
    });
    response
}

/// A value as the panel shows it.
pub fn shown(spec: &ParamSpec, value: &Value) -> String {
    match spec.kind {
        ParamKind::Curve | ParamKind::Tree | ParamKind::Strokes => "its default".into(),
        ParamKind::Numbers { .. } if *value == Value::Numbers(Vec::new()) => "an empty list".into(),
        _ if spec.is_word(value) => spec.zero.into(),
        _ => format!("{}{}", units::param_text(spec, value), units::of_param(spec).suffix()),
    }
}

/// Returns the f64 with the same shortest decimal text as `v`, so that 0.1 does not become 0.10000000149.
pub(super) fn exact(v: f32) -> f64 {
    v.to_string().parse().unwrap_or(f64::from(v))
}

/// A collapsible section of the panel.
pub fn section(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    opened_section(ui, title, open, false, contents);
}

/// Like `section`. If `must` is true, the section opens even if the user has closed it.
pub fn opened_section(ui: &mut Ui, title: &str, open: bool, must: bool, contents: impl FnOnce(&mut Ui)) {
    ui.add_space(6.0);
    ui.separator();
    egui::CollapsingHeader::new(RichText::new(title).strong())
        .id_salt(title)
        .default_open(open)
        .open(must.then_some(true))
        .show_unindented(ui, contents);
}

/// The row of a seed, with a field and a dice button.
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
        if icon_button(ui, true, icon::DICE_FIVE, "Reroll seed").on_hover_text("Picks another random seed.").clicked() {
            let thrown = rand::random_range(0..1_000_000);
            document.edit("Change seed", None, |scene| set(scene, thrown));
        }
    });
}

/// Selects the whole text of a field.
pub fn select_all(ui: &Ui, id: egui::Id, text: &str) {
    let mut edit = egui::text_edit::TextEditState::default();
    let all =
        egui::text::CCursorRange::two(egui::text::CCursor::new(0), egui::text::CCursor::new(text.chars().count()));
    edit.cursor.set_char_range(Some(all));
    edit.store(ui.ctx(), id);
}
