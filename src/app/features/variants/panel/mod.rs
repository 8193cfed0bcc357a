//! The contact sheet: thumbnails of the scene with other seeds, values or presets. A click applies a variant.

mod axis;
mod ghosts;
mod prints;
mod sheet;

use std::sync::Arc;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{ComboBox, DragValue, Frame, Margin, ProgressBar, Rect, RichText, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::features::variants::panel::axis::{Seeds, SweepAxis, parameters};
use crate::features::variants::panel::ghosts::SliderPreviews;
use crate::features::variants::panel::prints::ThumbnailTextures;
use crate::features::variants::thumbnails::{VariantsInfo, Wants};
use crate::frame::document::Document;
use crate::frame::theme::colour;
use crate::frame::units;
use talweg::param::{ParamKind, ParamSpec};
use talweg::scene::Scene;
use talweg::variants::{ParamRef, SceneVariant, VariantError, presets, sweep, table};

/// The property that varies between the thumbnails of a sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VariedProperty {
    #[default]
    SceneSeed,
    LayerSeed,
    Parameter,
    TwoParameters,
    Presets,
}

impl VariedProperty {
    const ALL: [Self; 5] = [Self::SceneSeed, Self::LayerSeed, Self::Parameter, Self::TwoParameters, Self::Presets];

    fn label(self) -> &'static str {
        match self {
            Self::SceneSeed => "Scene seed",
            Self::LayerSeed => "Layer seed",
            Self::Parameter => "One parameter",
            Self::TwoParameters => "Two parameters",
            Self::Presets => "Layer presets",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::SceneSeed => "New random values in all layers: other terrains of the same kind.",
            Self::LayerSeed => "New random values in the selected layer only.",
            Self::Parameter => "One parameter from its lowest to its highest value.",
            Self::TwoParameters => "All combinations of the values of two parameters.",
            Self::Presets => "All presets of the selected layer.",
        }
    }
}

/// The reason why a sheet has no variants.
#[derive(Debug, thiserror::Error)]
enum NoVariants {
    #[error("Select a layer that draws random values, such as a noise.")]
    NotRandom,
    #[error("Select a layer.")]
    NoLayer,
    #[error("This layer has no presets. Vary one of its parameters.")]
    NoPresets,
    #[error("Nothing in this layer can be varied.")]
    NoParameters,
    #[error("Choose two different parameters.")]
    Twice,
    #[error("This cannot be varied: {0}.")]
    Other(VariantError),
}

impl From<VariantError> for NoVariants {
    fn from(error: VariantError) -> Self {
        match error {
            VariantError::Twice(_) => Self::Twice,
            VariantError::NoPresets(_) => Self::NoPresets,
            other => Self::Other(other),
        }
    }
}

/// The state of the document from which the contact sheet was made.
struct Origin {
    scene: Scene,
    layer: Option<usize>,
    solo: Option<usize>,
}

/// State of the contact sheet.
#[derive(Resource)]
pub struct VariantsState {
    pub ghosts: SliderPreviews,
    is_open: bool,
    property: VariedProperty,
    /// The axis of a sheet that varies one parameter. A table of two parameters has the axes `across` and `down`.
    single: SweepAxis,
    across: SweepAxis,
    down: SweepAxis,
    scene_seeds: Seeds,
    layer_seeds: Seeds,
    origin: Option<Origin>,
    /// Whether the user has changed the choice of the varied property.
    changed: bool,
    /// The variants as the document would apply them.
    variants: Result<Vec<SceneVariant>, NoVariants>,
    columns: Option<usize>,
    /// The variants as they are rendered: the solo layer and *Evaluate up to here* are taken into account.
    wanted: Arc<Vec<SceneVariant>>,
    prints: ThumbnailTextures,
}

impl Default for VariantsState {
    fn default() -> Self {
        Self {
            ghosts: SliderPreviews::default(),
            is_open: false,
            property: VariedProperty::default(),
            single: SweepAxis::with_steps(Seeds::COUNT),
            across: SweepAxis::with_steps(4),
            down: SweepAxis::with_steps(4),
            scene_seeds: Seeds::default(),
            layer_seeds: Seeds::default(),
            origin: None,
            changed: false,
            variants: Ok(Vec::new()),
            columns: None,
            wanted: Arc::default(),
            prints: ThumbnailTextures::default(),
        }
    }
}

impl VariantsState {
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    pub fn open(&mut self) {
        self.is_open = true;
    }

    /// Closes the window; returns whether it was open.
    pub fn close(&mut self) -> bool {
        let was_open = std::mem::take(&mut self.is_open);
        if was_open {
            (self.origin, self.wanted) = (None, Arc::default());
            self.prints.clear();
        }
        was_open
    }

    pub fn wants(&self) -> Wants {
        Wants { sheet: self.wanted.clone(), ghosts: self.ghosts.wanted().clone() }
    }

    /// Rebuilds the sheet after the scene or the choice of the varied property has changed.
    fn follow(&mut self, ctx: &egui::Context, document: &Document) {
        let (layer, solo) = (document.selected_layer(), document.solo());
        let same_place = self.origin.as_ref().is_some_and(|origin| (origin.layer, origin.solo) == (layer, solo));
        let same_scene = self.origin.as_ref().is_some_and(|origin| origin.scene == *document.scene());
        // wait for the end of a drag
        if !self.changed && same_place && (same_scene || ctx.input(|i| i.pointer.any_down())) {
            return;
        }
        self.variants = self.vary(document.scene(), layer);
        let wanted: Vec<SceneVariant> =
            self.variants.iter().flatten().cloned().map(|v| document.variant_as_shown(v)).collect();
        // remove the old thumbnails, because they would be shown at the positions of other values
        if self.changed || !same_place || wanted.len() != self.wanted.len() {
            self.prints.clear();
        }
        self.wanted = Arc::new(wanted);
        self.origin = Some(Origin { scene: document.scene().clone(), layer, solo });
        self.changed = false;
        ctx.request_repaint();
    }

    fn vary(&mut self, scene: &Scene, layer: Option<usize>) -> Result<Vec<SceneVariant>, NoVariants> {
        let mut columns = None;
        let variants = match self.property {
            VariedProperty::SceneSeed => sweep(scene, &self.scene_seeds.sweep(scene, None)?)?,
            VariedProperty::LayerSeed => {
                let random =
                    layer.filter(|&index| scene.layers[index].node.traits().is_random).ok_or(NoVariants::NotRandom)?;
                sweep(scene, &self.layer_seeds.sweep(scene, Some(random))?)?
            }
            VariedProperty::Parameter => {
                choose_missing(&mut self.single, scene, layer, 0)?;
                sweep(scene, &self.single.sweep(scene, layer)?)?
            }
            VariedProperty::TwoParameters => {
                choose_missing(&mut self.across, scene, layer, 0)?;
                choose_missing(&mut self.down, scene, layer, 1)?;
                let (across, down) = (self.across.sweep(scene, layer)?, self.down.sweep(scene, layer)?);
                columns = Some(across.values.len());
                table(scene, &across, &down)?
            }
            VariedProperty::Presets => presets(scene, layer.ok_or(NoVariants::NoLayer)?)?,
        };
        self.columns = columns;
        Ok(variants)
    }
}

/// Ensures that the parameter of the axis exists in the current layer or scene. If it does not exist, selects the
/// available parameter at `index`.
fn choose_missing(axis: &mut SweepAxis, scene: &Scene, layer: Option<usize>, index: usize) -> Result<(), NoVariants> {
    let there = parameters(scene, layer);
    if !there.iter().any(|spec| spec.name == axis.parameter) {
        let is_number = |spec: &&&ParamSpec| matches!(spec.kind, ParamKind::Float { .. } | ParamKind::Int { .. });
        let spec = there.iter().filter(is_number).nth(index).or(there.first()).ok_or(NoVariants::NoParameters)?;
        axis.choose(spec.name);
    }
    Ok(())
}

const MARGIN: f32 = 10.0;

/// Shows the window if it is open, and applies a clicked variant.
pub fn window(
    ctx: &egui::Context,
    state: &mut VariantsState,
    document: &mut Document,
    info: &VariantsInfo,
    free: Rect,
) {
    if !state.is_open {
        return;
    }
    state.follow(ctx, document);
    let screen = ctx.viewport_rect().shrink(MARGIN);
    let most = screen.size();
    let bar = Frame::window(&ctx.global_style()).inner_margin(Margin::symmetric(12, 5));
    let mut is_open = true;
    let mut adopted = None;
    egui::Window::new("Variants")
        .open(&mut is_open)
        .collapsible(false)
        .title_frame(bar)
        .default_pos(free.left_top() + vec2(MARGIN, MARGIN))
        .default_size(vec2(484.0, 610.0).min(most))
        .min_size(vec2(400.0, 300.0).min(most))
        .max_size(most)
        .constrain_to(screen)
        .show(ctx, |ui| {
            choice(ui, state, document, info);
            ui.add_space(2.0);
            adopted = contents(ui, state, document, info);
        });
    if let Some(variant) = adopted.and_then(|index| state.variants.as_ref().ok()?.get(index)) {
        document.apply_variant(variant);
    }
    if !is_open {
        state.close();
    }
}

fn contents(ui: &mut Ui, state: &mut VariantsState, document: &Document, info: &VariantsInfo) -> Option<usize> {
    let variants = match &state.variants {
        Ok(variants) => variants,
        Err(nothing) => {
            let room = ui.available_size();
            ui.allocate_ui(room, |ui| {
                ui.set_min_size(room);
                ui.centered_and_justified(|ui| ui.label(RichText::new(nothing.to_string()).color(colour::text())));
            });
            return None;
        }
    };
    // the data can still belong to the previous sheet
    let thumbnails = info.sheet.for_these(&state.wanted);
    state.prints.develop(ui.ctx(), &thumbnails);
    let sheet = sheet::Sheet { variants, thumbnails: &thumbnails, prints: &state.prints, columns: state.columns };
    sheet.show(ui, document.scene())
}

/// Shows the choice of the varied property, and the progress of the thumbnails.
fn choice(ui: &mut Ui, state: &mut VariantsState, document: &Document, info: &VariantsInfo) {
    let (scene, layer) = (document.scene(), document.selected_layer());
    ui.horizontal(|ui| {
        ui.label("Vary");
        let combo = ComboBox::from_id_salt("what").selected_text(state.property.label()).width(170.0);
        let shown = combo.show_ui(ui, |ui| {
            for what in VariedProperty::ALL {
                if ui.selectable_label(what == state.property, what.label()).on_hover_text(what.help()).clicked() {
                    state.changed |= what != state.property;
                    state.property = what;
                }
            }
        });
        shown.response.widget_info(|| named(egui::WidgetType::ComboBox, "Varied property"));
        shown.response.on_hover_text(state.property.help());
        let seeds = match state.property {
            VariedProperty::SceneSeed => Some(&mut state.scene_seeds),
            VariedProperty::LayerSeed => Some(&mut state.layer_seeds),
            _ => None,
        };
        if let Some(seeds) = seeds {
            let throw = ui.button(format!("{}  Reroll", icon::DICE_FIVE));
            throw.widget_info(|| named(egui::WidgetType::Button, "Reroll"));
            if throw.on_hover_text("Shows other seeds. The first thumbnail keeps the current seed.").clicked() {
                seeds.throw();
                state.changed = true;
            }
        }
        progress(ui, state, info);
    });
    match state.property {
        VariedProperty::Parameter => state.changed |= axis(ui, &mut state.single, "", scene, layer, 2..=25),
        VariedProperty::TwoParameters => {
            state.changed |= axis(ui, &mut state.across, "Across", scene, layer, 2..=5);
            state.changed |= axis(ui, &mut state.down, "Down", scene, layer, 2..=5);
        }
        _ => {}
    }
}

fn named(kind: egui::WidgetType, name: impl Into<String>) -> egui::WidgetInfo {
    egui::WidgetInfo::labeled(kind, true, name.into())
}

fn progress(ui: &mut Ui, state: &VariantsState, info: &VariantsInfo) {
    let sheet = &info.sheet;
    if !Arc::ptr_eq(&sheet.of, &state.wanted) || sheet.is_complete() {
        return;
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let (ready, count) = (sheet.ready(), sheet.of.len());
        let bar = ProgressBar::new(ready as f32 / count as f32).desired_width(64.0).desired_height(6.0);
        let bar = ui.add(bar.fill(colour::accent()));
        let text = if info.waits { "waiting".to_string() } else { format!("{ready} of {count}") };
        bar.widget_info(|| named(egui::WidgetType::ProgressIndicator, format!("Thumbnails {text}")));
        let tip = "Number of finished thumbnails. The others wait while the terrain itself is computed.";
        ui.label(RichText::new(text).small().color(colour::text_weak())).on_hover_text(tip);
    });
}

/// Shows the row that chooses a parameter, its range and the number of values. Returns whether the user has changed the
/// row.
fn axis(
    ui: &mut Ui,
    axis: &mut SweepAxis,
    title: &str,
    scene: &Scene,
    layer: Option<usize>,
    steps: std::ops::RangeInclusive<usize>,
) -> bool {
    let mut changed = false;
    let Ok(param_ref) = ParamRef::find(scene, layer, &axis.parameter) else { return false };
    let spec = param_ref.spec();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if !title.is_empty() {
            ui.add_sized([44.0, 20.0], egui::Label::new(title));
        }
        let combo = ComboBox::from_id_salt(("parameter", title)).selected_text(&spec.label).width(130.0).truncate();
        let shown = combo.show_ui(ui, |ui| {
            for other in parameters(scene, layer) {
                if ui.selectable_label(other.name == spec.name, &other.label).on_hover_text(other.help).clicked() {
                    changed |= other.name != axis.parameter;
                    axis.choose(other.name);
                }
            }
        });
        shown.response.widget_info(|| named(egui::WidgetType::ComboBox, format!("Parameter {title}").trim()));
        shown.response.on_hover_text(spec.help);
        let (hard, slider) = match &spec.kind {
            ParamKind::Float { hard, slider } => (widened(*hard), widened(*slider)),
            ParamKind::Int { hard, slider } => ((hard.0 as f64, hard.1 as f64), (slider.0 as f64, slider.1 as f64)),
            _ => return,
        };
        let (mut from, mut to) = axis.range.unwrap_or(slider);
        let speed = (slider.1 - slider.0) / 200.0;
        for (name, end, tip) in
            [("from", &mut from, "Value of the first thumbnail."), ("to", &mut to, "Value of the last thumbnail.")]
        {
            let label = ui.label(name);
            let field =
                DragValue::new(end).range(hard.0..=hard.1).speed(speed).max_decimals(4).update_while_editing(false);
            let field = if spec.is_fraction { in_percent(field, spec) } else { units::field(field, spec.unit) };
            let field = ui.add_sized([56.0, 22.0], field).labelled_by(label.id);
            if field.on_hover_text(tip).changed() {
                changed = true;
            }
        }
        if changed && axis.parameter == spec.name {
            axis.range = Some((from, to));
        }
        let label = ui.label("in");
        let field = DragValue::new(&mut axis.steps).range(steps).speed(0.05).update_while_editing(false);
        let field = ui.add_sized([34.0, 22.0], field).labelled_by(label.id);
        changed |= field.on_hover_text("Number of values.").changed();
    });
    changed
}

/// A number field that stores a fraction, but shows and parses a percentage.
fn in_percent<'a>(field: DragValue<'a>, spec: &'a ParamSpec) -> DragValue<'a> {
    let read = |text: &str| text.trim().trim_end_matches('%').trim().replace(',', ".").parse::<f64>().ok();
    field
        .suffix("%")
        .custom_formatter(move |v, _| format!("{}", spec.shown_number(v) as f32))
        .custom_parser(move |text| read(text).filter(|v| !v.is_nan()).map(|v| spec.number_from_shown(v)))
}

/// Converts two f32 numbers to the f64 numbers with the same shortest decimal text.
fn widened((a, b): (f32, f32)) -> (f64, f64) {
    let exact = |v: f32| v.to_string().parse().unwrap_or(f64::from(v));
    (exact(a), exact(b))
}
