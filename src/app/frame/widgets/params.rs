//! Rows that show and edit parameters. They are generated from the descriptions of the parameters.
//!
//! The slider covers the slider range; a typed value can be anywhere in the hard range. A double-click on the label or
//! the slider restores the default, and so does the entry of their context menu. A dot marks a value that differs from
//! the default.

use std::cell::RefCell;
use std::path::PathBuf;

use crate::frame::commands::{Action, Command, Info};
use crate::frame::dialogs::files::{self, Files};
use crate::frame::document::{Document, Group};
use crate::frame::editor::Editor;
use crate::frame::theme::{self, colour};
use crate::frame::units::{self, ShownUnit};
use crate::frame::widgets::inactive::{GroupRows, explain, greyed, reason};
use crate::frame::widgets::row::{
    Change, Choose, asks_for_reset, exact, label, reset_menu, title, tooltip, tooltip_with,
};
use crate::frame::widgets::{curve, links, number_list, sought};
use bevy::ecs::system::In;
use bevy::prelude::ResMut;
use bevy_egui::egui;
use egui::{DragValue, PointerButton, Response, Sense, Slider, SliderClamping, Ui, vec2};
use egui_phosphor::regular as icon;
use talweg::param::{About, ParamKind, ParamSpec, Params, Value};
use talweg::scene::LayerReader;

/// Minimum width of the number field, in points. Longer texts widen the field.
const VALUE_WIDTH: f32 = 74.0;

/// Shows additional content in the tooltip of a parameter's slider.
pub trait SliderPreview {
    fn show(&mut self, ui: &mut Ui, document: &Document, group: Group, param: usize);
}

/// Commands that choose an image or another scene file for a parameter of the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum ImageAction {
    Choose(Group, usize),
    Set(Group, usize, PathBuf),
}

impl Action for ImageAction {
    fn section(&self) -> &'static str {
        "Layer"
    }

    fn info(&self) -> Info {
        Info::new("Choose a file…", "Loads heights or brightness from a file.", icon::IMAGE, &[])
    }
}

/// Opens a file dialog for a parameter, or sets the parameter to a file.
pub(crate) fn run_image_action(In(action): In<ImageAction>, mut editor: ResMut<Editor>) {
    let editor = &mut *editor;
    match action {
        ImageAction::Choose(group, param) => {
            let then = move |path| ImageAction::Set(group, param, path).into();
            let params = group.params(editor.doc.scene());
            let is_scene = params.is_some_and(|params| params.about().params[param].kind == ParamKind::Scene);
            let (title, kinds) = match is_scene {
                true => (files::SCENE_TITLE, files::READ_SCENES),
                false => (files::HEIGHTS_TITLE, files::IMAGES),
            };
            editor.dialogs.open(Files::open(&editor.doc, title, kinds, then));
        }
        ImageAction::Set(group, param, path) => {
            let name = path.to_string_lossy().into_owned();
            editor.doc.set(group, param, &Value::Text(name), None);
        }
    }
}

/// Rows for the parameters of `group` that `show` accepts. Parameters without effect are greyed. Returns the
/// command that a row issued, if any.
pub fn rows(
    ui: &mut Ui,
    document: &mut Document,
    preview: &mut dyn SliderPreview,
    group: Group,
    show: impl Fn(&ParamSpec) -> bool,
) -> Option<Command> {
    let params = group.params(document.scene())?;
    let about = params.about();
    // strokes have no row: the user draws them in the view, and a list of its own shows them
    let rows = GroupRows::new(params, |spec| spec.kind != ParamKind::Strokes && show(spec));
    let mut command = None;
    rows.show(ui, |ui, index, matters| {
        let asked = if matters {
            row(ui, document, preview, group, index)
        } else {
            let greyed = greyed(ui, |ui| row(ui, document, preview, group, index));
            explain(ui, &greyed.response, &about.params[index], || {
                let mut copy = document.scene().clone();
                group.of_mut(&mut copy).and_then(|params| reason(params, index))
            });
            greyed.inner
        };
        command = command.take().or(asked);
    });
    command
}

/// Rows for parameters that do not belong to a scene.
pub fn own_rows(ui: &mut Ui, params: &mut dyn Params) {
    let about = params.about();
    for (index, spec) in about.params.iter().enumerate() {
        let value = params.get(index);
        if let Some(change) = ui.push_id((about.name, spec.name), |ui| line(ui, about, spec, &value, &mut |_| ())).inner
        {
            // the value cannot be rejected, because it comes from the row of the same parameter
            let _ = params.set(index, &change.value);
        }
    }
}

/// The row of one parameter.
pub fn row(
    ui: &mut Ui,
    document: &mut Document,
    preview: &mut dyn SliderPreview,
    group: Group,
    index: usize,
) -> Option<Command> {
    let about = group.params(document.scene())?.about();
    let spec = about.params.get(index)?;
    let value = group.params(document.scene()).map(|params| params.get(index))?;
    let scope = ui.id().with((about.name, spec.name));
    let mut command = None;
    let contents = |ui: &mut Ui| match (&spec.kind, &value) {
        (ParamKind::Curve, _) => curve_rows(ui, about, spec, &value),
        (ParamKind::Image, Value::Text(name)) => links::image(ui, about, spec, name, &mut command),
        (ParamKind::Scene, Value::Text(name)) => links::scene(ui, about, spec, name, &mut command),
        (ParamKind::Layer, Value::Text(name)) => {
            let reader = match group {
                Group::Mask(layer) => Some(LayerReader::Mask(layer)),
                Group::Node(layer) => Some(LayerReader::Node(layer)),
                _ => None,
            };
            let names = || reader.map(|reader| document.scene().readable_layers(reader)).unwrap_or_default();
            links::layer(ui, about, spec, name, names)
        }
        (ParamKind::Tree, _) => links::tree(ui, about, spec, &value),
        _ => line(ui, about, spec, &value, &mut |ui: &mut Ui| preview.show(ui, document, group, index)),
    };
    let change = sought::row(ui, group, index, |ui| ui.push_id(scope, contents));
    if let Some(Change { value, gesture }) = change.inner {
        document.set(group, index, &value, gesture);
    }
    command.map(|Choose| Command::from(ImageAction::Choose(group, index)))
}

/// The row of a parameter outside the parameter groups of a scene, such as a parameter of a construction piece.
pub fn piece_row(
    ui: &mut Ui,
    about: &About,
    spec: &ParamSpec,
    value: &Value,
    choose: &mut Option<Choose>,
) -> Option<Change> {
    match (&spec.kind, value) {
        (ParamKind::Image, Value::Text(name)) => links::image(ui, about, spec, name, choose),
        _ => line(ui, about, spec, value, &mut |_| ()),
    }
}

/// Draws one row. `more` draws further content into the tooltip of a slider.
fn line(ui: &mut Ui, about: &About, spec: &ParamSpec, value: &Value, more: &mut dyn FnMut(&mut Ui)) -> Option<Change> {
    ui.horizontal(|ui| {
        let label = label(ui, about, spec, value);
        let mut change = None;
        let mut resets = asks_for_reset(&label, spec);
        match (&spec.kind, value) {
            (ParamKind::Float { hard, slider }, Value::Float(v)) => {
                let as_f64 = |(a, b): (f32, f32)| (exact(a), exact(b));
                let (number, reset) = number(ui, about, spec, &label, exact(*v), [*hard, *slider].map(as_f64), more);
                change = number.map(|(response, v)| Change::from_response(&response, Value::Float(v as f32)));
                resets |= reset;
            }
            (ParamKind::Int { hard, slider }, Value::Int(v)) => {
                let as_f64 = |(a, b): (i64, i64)| (a as f64, b as f64);
                let (number, reset) = number(ui, about, spec, &label, *v as f64, [*hard, *slider].map(as_f64), more);
                change = number.map(|(response, v)| Change::from_response(&response, Value::Int(v.round() as i64)));
                resets |= reset;
            }
            (ParamKind::Numbers { .. }, Value::Numbers(_)) => {
                let (field, typed) = number_list::field(ui, spec, value);
                let field = tooltip(ui, field.labelled_by(label.id), about, spec);
                resets |= reset_menu(&field, spec);
                match typed {
                    Some(Ok(numbers)) => change = Some(Change::at_once(numbers)),
                    Some(Err(refused)) => ui.data_mut(|data| _ = data.insert_temp(refusal_id(), refused)),
                    None => {}
                }
            }
            (ParamKind::Bool, Value::Bool(on)) => {
                let mut on = *on;
                let response = ui.checkbox(&mut on, "").labelled_by(label.id);
                sought::offer_focus(&response);
                change = response.changed().then(|| Change::at_once(Value::Bool(on)));
            }
            (ParamKind::Choice(options), Value::Choice(chosen)) => {
                let text = options.get(*chosen).map_or("", |option| option.label);
                let width = ui.available_width();
                let combo = egui::ComboBox::from_id_salt("choice").selected_text(text).width(width).truncate();
                let shown = combo.show_ui(ui, |ui| {
                    for (k, option) in options.iter().enumerate() {
                        if ui.selectable_label(k == *chosen, option.label).on_hover_text(option.help).clicked() {
                            change = Some(Change::at_once(Value::Choice(k)));
                        }
                    }
                });
                let help = options.get(*chosen).map_or("", |option| option.help);
                sought::offer_focus(&shown.response);
                shown.response.labelled_by(label.id).on_hover_text(help);
            }
            _ => {}
        }
        if resets { Some(Change::at_once(spec.default.clone())) } else { change }
    })
    .inner
}

/// Draws a slider and a number field. Returns the change with the control that made it, and whether to restore the
/// default.
fn number(
    ui: &mut Ui,
    about: &About,
    spec: &ParamSpec,
    label: &Response,
    value: f64,
    [hard, slider]: [(f64, f64); 2],
    more: &mut dyn FnMut(&mut Ui),
) -> (Option<(Response, f64)>, bool) {
    let whole = matches!(spec.kind, ParamKind::Int { .. });
    // from this line on, numbers are in the shown unit
    let unit = ShownUnit::of_stored(spec.unit);
    let [value, least, most] = [value, hard.0, hard.1].map(|kept| unit.shown(kept));
    let slider = (unit.shown(slider.0), unit.shown(slider.1));
    let logarithmic = slider.0 > 0.0 && slider.1 / slider.0 >= 50.0;
    let field_width = field_width(ui, spec, value);
    let width = (ui.available_width() - field_width - ui.spacing().item_spacing.x).max(40.0);
    let mut slid = value;
    let widget = Slider::new(&mut slid, slider.0..=slider.1)
        .logarithmic(logarithmic)
        .step_by(if whole { 1.0 } else { 0.0 })
        .clamping(SliderClamping::Edits);
    let rail = theme::slider(ui, true, width, widget).labelled_by(label.id);
    sought::offer_focus(&rail);
    let double = ui.input(|i| i.pointer.button_double_clicked(PointerButton::Primary)) && rail.contains_pointer();
    // a slider treats every button press as a drag and does not report clicks
    let rail = tooltip_with(ui, rail.interact(Sense::click()), about, spec, more);
    let right = PointerButton::Secondary;
    let asks_menu = ui.input(|i| i.pointer.button_down(right) || i.pointer.button_released(right));
    let menu = reset_menu(&rail, spec);
    let field = field(ui, field_width, spec, value, (least, most), slider, logarithmic).labelled_by(label.id);
    let typed = field.inner;
    let field = tooltip(ui, field.response, about, spec);
    let reset = double || menu || reset_menu(&field, spec);
    let change =
        if slid != value && !asks_menu { Some((rail, slid)) } else { (typed != value).then_some((field, typed)) };
    (change.map(|(response, shown)| (response, unit.kept(shown).clamp(hard.0, hard.1))), reset)
}

struct Field {
    response: Response,
    inner: f64,
}

impl Field {
    fn labelled_by(self, id: egui::Id) -> Self {
        Self { response: self.response.labelled_by(id), ..self }
    }
}

/// Whether the field shows the word for 0 in place of the number.
fn is_word(spec: &ParamSpec, value: f64) -> bool {
    spec.is_word(&Value::Float(value as f32))
}

fn field_width(ui: &Ui, spec: &ParamSpec, value: f64) -> f32 {
    let unit = units::of_param(spec);
    let text =
        if is_word(spec, value) { spec.zero.into() } else { unit.digits(spec.shown_number(value)) + &unit.suffix() };
    let font = egui::TextStyle::Button.resolve(ui.style());
    let text_width = ui.painter().layout_no_wrap(text, font, colour::text()).size().x;
    (text_width + 2.0 * ui.spacing().button_padding.x).clamp(VALUE_WIDTH, 140.0)
}

fn field(
    ui: &mut Ui,
    width: f32,
    spec: &ParamSpec,
    value: f64,
    hard: (f64, f64),
    slider: (f64, f64),
    logarithmic: bool,
) -> Field {
    let whole = matches!(spec.kind, ParamKind::Int { .. });
    let speed = match (whole, logarithmic) {
        (_, true) => (value.abs() * 0.01).max(slider.0 * 0.01),
        (true, _) => ((slider.1 - slider.0) / 400.0).clamp(0.05, 1.0),
        (false, _) => (slider.1 - slider.0) / 400.0,
    };
    let mut typed = value;
    let unit = units::of_param(spec);
    let written = |v: f64| match whole {
        _ if is_word(spec, v) => spec.zero.into(),
        true => format!("{v:.0}"),
        false => unit.digits(spec.shown_number(v)),
    };
    let refused: RefCell<Option<String>> = RefCell::default();
    let widget = DragValue::new(&mut typed)
        .range(hard.0..=hard.1)
        .clamp_existing_to_range(false)
        .speed(speed)
        .max_decimals(if whole { 0 } else { 6 })
        .suffix(if is_word(spec, value) { String::new() } else { unit.suffix() })
        .update_while_editing(false)
        .custom_formatter(|v, _| written(v))
        .custom_parser(|text| {
            // after a unit conversion, the text shows fewer digits than the value, so an unchanged text must keep the
            // value
            let is_untouched = text.trim() == written(value);
            let is_zero = !spec.zero.is_empty() && text.trim().eq_ignore_ascii_case(spec.zero);
            let read = match (is_untouched, is_zero) {
                (true, _) => Some(value),
                (_, true) => Some(0.0),
                _ => unit.read(text).map(|shown| spec.number_from_shown(shown)),
            };
            *refused.borrow_mut() = refusal(text.trim(), read, spec, hard);
            read
        });
    let response = ui.add_sized(vec2(width, ui.spacing().interact_size.y), widget);
    if let Some(refused) = refused.take() {
        ui.data_mut(|data| data.insert_temp(refusal_id(), refused));
    }
    Field { response, inner: typed }
}

/// Returns the message why a typed value was rejected or clamped.
fn refusal(text: &str, read: Option<f64>, spec: &ParamSpec, (least, most): (f64, f64)) -> Option<String> {
    let name = title(spec);
    match read {
        None => Some(format!("“{text}” is not a number. {name} was not changed.")),
        Some(v) if v < least || v > most => {
            let range = units::range_text(spec);
            Some(format!(
                "{name} ranges from {range}{}. It was set to the nearest value.",
                units::of_param(spec).suffix()
            ))
        }
        Some(_) => None,
    }
}

fn refusal_id() -> egui::Id {
    egui::Id::new("refused number")
}

/// Returns the message why the last typed value was rejected or clamped, and clears it.
pub fn take_refusal(ctx: &egui::Context) -> Option<String> {
    ctx.data_mut(|data| data.remove_temp(refusal_id()))
}

fn curve_rows(ui: &mut Ui, about: &About, spec: &ParamSpec, value: &Value) -> Option<Change> {
    let Value::Curve(points) = value else { return None };
    let label = label(ui, about, spec, value);
    if asks_for_reset(&label, spec) {
        return Some(Change::at_once(spec.default.clone()));
    }
    let edited = curve::editor(ui, title(spec), points)?;
    Some(Change { value: Value::Curve(edited.curve), gesture: edited.gesture })
}
