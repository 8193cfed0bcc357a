//! Ghosts: thumbnails of the terrain with a lower and a higher value of the slider under the pointer.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, TextStyle, Ui, pos2, vec2};

use crate::features::variants::panel::prints::ThumbnailTextures;
use crate::features::variants::short_caption;
use crate::features::variants::thumbnails::{ThumbnailSet, ThumbnailState};
use crate::frame::document::{Document, Group};
use crate::frame::theme::colour;
use crate::frame::widgets::params::SliderPreview;
use talweg::param::Value;
use talweg::scene::Scene;
use talweg::variants::{ParamRef, SceneVariant, VariantSweep, sweep};

const GAP: f32 = 6.0;
/// Side length of a ghost in the tooltip, in points.
const SIDE: f32 = 100.0;

/// The parameter and scene that the ghosts belong to.
struct PreviewTarget {
    group: Group,
    param: usize,
    scene: Scene,
    solo: Option<usize>,
}

/// The ghosts of the slider under the pointer.
pub struct SliderPreviews {
    pub is_on: bool,
    aim: Option<PreviewTarget>,
    variants: Arc<Vec<SceneVariant>>,
    /// Index of the current value among the ghosts.
    present: usize,
    thumbnails: ThumbnailSet,
    prints: ThumbnailTextures,
    /// Whether a tooltip has shown the ghosts in this frame.
    seen: bool,
}

impl Default for SliderPreviews {
    fn default() -> Self {
        Self {
            is_on: true,
            aim: None,
            variants: Arc::default(),
            present: 0,
            thumbnails: ThumbnailSet::default(),
            prints: ThumbnailTextures::default(),
            seen: false,
        }
    }
}

impl SliderPreviews {
    pub fn wanted(&self) -> &Arc<Vec<SceneVariant>> {
        &self.variants
    }

    pub fn hear(&mut self, thumbnails: &ThumbnailSet) {
        self.thumbnails.clone_from(thumbnails);
    }

    /// Sets the parameter that the ghosts vary. Returns whether the parameter or the scene has changed.
    fn set_target(&mut self, document: &Document, group: Group, param: usize) -> bool {
        let solo = document.solo();
        let is_same = self.aim.as_ref().is_some_and(|aim| {
            (aim.group, aim.param, aim.solo) == (group, param, solo) && aim.scene == *document.scene()
        });
        if is_same {
            return false;
        }
        let scene = document.scene().clone();
        let (present, variants) = neighbouring_values(document, group, param).unwrap_or_default();
        (self.present, self.variants) = (present, Arc::new(variants));
        self.aim = Some(PreviewTarget { group, param, scene, solo });
        true
    }

    /// Cancels the rendering of ghosts that no tooltip has shown in this frame. Called at the end of each frame.
    pub fn end_frame(&mut self, ctx: &egui::Context) {
        if !std::mem::take(&mut self.seen) && self.aim.take().is_some() {
            self.variants = Arc::default();
            self.prints.clear();
            ctx.request_repaint();
        }
    }
}

impl SliderPreview for SliderPreviews {
    /// Shows the ghosts of a parameter in the tooltip of its slider.
    fn show(&mut self, ui: &mut Ui, document: &Document, group: Group, param: usize) {
        if !self.is_on || ui.input(|i| i.pointer.any_down()) {
            return;
        }
        self.seen = true;
        if self.set_target(document, group, param) {
            self.prints.clear();
            ui.ctx().request_repaint();
        }
        if self.variants.len() < 2 {
            return;
        }
        let thumbnails = self.thumbnails.for_these(&self.variants);
        self.prints.develop(ui.ctx(), &thumbnails);
        ui.add_space(4.0);
        let font = TextStyle::Small.resolve(ui.style());
        let line = ui.fonts_mut(|fonts| fonts.row_height(&font));
        let count = self.variants.len() as f32;
        let size = vec2(count * (SIDE + GAP) - GAP, SIDE + line + 4.0);
        let (area, _) = ui.allocate_exact_size(size, Sense::hover());
        for (k, variant) in self.variants.iter().enumerate() {
            let left = area.left() + k as f32 * (SIDE + GAP);
            let rect = Rect::from_min_size(pos2(left, area.top()), vec2(SIDE, SIDE));
            self.prints.paint(ui, rect, k, thumbnails.get(k));
            let is_present = k == self.present;
            let (line, tint) =
                if is_present { (colour::accent(), colour::text_strong()) } else { (colour::line(), colour::text()) };
            ui.painter().rect_stroke(rect, 2.0, Stroke::new(1.0, line), StrokeKind::Outside);
            let at = rect.center_bottom() + vec2(0.0, 4.0);
            let short = short_caption(variant);
            ui.painter().text(at, Align2::CENTER_TOP, &short, font.clone(), tint);
            let state = if matches!(thumbnails.get(k), ThumbnailState::Coming) { "coming" } else { "ready" };
            let response = ui.interact(rect, ui.id().with(("ghost", k)), Sense::hover());
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::WidgetType::Image, true, format!("Preview {short}: {state}"))
            });
        }
    }
}

/// Scenes with three values of a parameter: one step below the current value, the current value, and one step above it.
/// Values outside the parameter's range are omitted. Also returns the index of the current value.
fn neighbouring_values(document: &Document, group: Group, param: usize) -> Option<(usize, Vec<SceneVariant>)> {
    let scene = document.scene();
    let spec = group.params(scene)?.about().params.get(param)?;
    let layer = match group {
        Group::Settings => None,
        // there are no ghosts for these groups: the terrain does not change, or thumbnails do not support the parameter
        Group::Climate | Group::Planet => return None,
        Group::Node(layer) | Group::Mix(layer) | Group::Mask(layer) => Some(layer),
    };
    // thumbnails have a fixed resolution, and lookup by name finds only the first of two parameters with the same name
    let param_ref = ParamRef::find(scene, layer, spec.name).ok()?;
    if spec.name == "resolution" || !std::ptr::eq(param_ref.spec(), spec) {
        return None;
    }
    let [lower, higher] = param_ref.neighbours(scene, 1).ok()?;
    let present = lower.len();
    let values: Vec<Value> = [lower, vec![param_ref.value(scene)], higher].concat();
    let variants = sweep(scene, &VariantSweep { param_ref, values }).ok()?;
    Some((present, variants.into_iter().map(|variant| document.variant_as_shown(variant)).collect()))
}
