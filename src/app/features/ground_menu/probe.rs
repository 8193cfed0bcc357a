//! The probe: the properties of the terrain at a point, and the contribution of each layer to the height of the point.
//!
//! The properties are those of the terrain on screen. For the contributions, an evaluation switches the layers on one
//! after the other. It uses a grid of at most [`SAMPLES`] per side, so that the contributions are ready soon.

use bevy::ecs::system::InMut;
use bevy::prelude::*;
use bevy_egui::egui::{self, RichText, ScrollArea, Ui, vec2};

use super::point::{GroundMenuState, PickedPoint};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceFrame;
use crate::frame::tasks::{Newest, Tasks};
use crate::frame::theme::colour;
use crate::frame::units;
use talweg::eval::{Cache, Store, Timeline, evaluate};
use talweg::field::Control;
use talweg::field::globe::from_angles;
use talweg::scene::Scene;

/// Maximum number of samples per side of the grid on which contributions are computed.
const SAMPLES: usize = 257;
/// Memory limit of the evaluation, in bytes.
const BUDGET: usize = 128 << 20;

/// Contribution of a layer to the height of a point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contribution {
    layer: String,
    /// Height that the layer adds, in metres.
    added: f32,
    /// Height above the datum after the layer was applied, in metres.
    height: f32,
}

/// The window that shows the probed point.
#[derive(Resource, Default)]
pub(super) struct ProbeWindow {
    point: Option<PickedPoint>,
    /// Names and values of the data maps at the point.
    maps: Vec<(&'static str, String)>,
    /// Samples per side of the grid on which the contributions are computed.
    samples: usize,
    contributions: Newest<(), Vec<Contribution>>,
}

impl ProbeWindow {
    /// Opens the window for a point and starts to compute the contributions of the layers.
    pub(super) fn open_at_point(
        &mut self,
        document: &Document,
        state: &GroundMenuState,
        point: &PickedPoint,
        tasks: &Tasks,
    ) {
        let scene = document.scene().clone();
        let relief = scene.settings.relief_metres;
        let maps = state.terrain.iter().flat_map(|terrain| terrain.maps()).map(|(kind, map)| {
            let value = map.get(point.sample).copied().unwrap_or_default();
            let text = if kind.is_thickness() { units::metres(value * relief, 2) } else { format!("{value:.2}") };
            (kind.label(), text)
        });
        self.maps = maps.collect();
        self.point = Some(*point);
        self.samples = scene.samples().min(SAMPLES);
        self.contributions = Newest::default();
        let (samples, place) = (self.samples, *point);
        let task = tasks.start("probe", move |control| contributions(&scene, samples, &place, control));
        self.contributions.start((), task);
    }

    /// Closes the window; returns whether it was open.
    pub(super) fn close(&mut self) -> bool {
        self.contributions.stop();
        self.point.take().is_some()
    }
}

/// Contribution of each visible layer to the height of a point; `None` if the computation was cancelled.
fn contributions(scene: &Scene, samples: usize, point: &PickedPoint, control: &Control) -> Option<Vec<Contribution>> {
    let mut store = Store::new(Cache::new(BUDGET), Timeline::new(0));
    // hide layers instead of removing them, because masks can read them
    let mut shown = scene.clone();
    shown.layers.iter_mut().for_each(|layer| layer.enabled = false);
    let (mut before, mut all) = (0.0, Vec::new());
    for (k, layer) in scene.layers.iter().enumerate().filter(|(_, layer)| layer.enabled) {
        shown.layers[k].enabled = true;
        let terrain = evaluate(&shown, samples, None, &mut store, control).ok()?.terrain;
        let share = match (terrain.grid.shape(), point.latitude_longitude) {
            (Some(globe), Some(degrees)) => {
                let [latitude, longitude] = degrees.map(|degrees| f64::from(degrees).to_radians());
                globe.sample(&terrain.height, from_angles(latitude, longitude))
            }
            _ => terrain.height_at(point.place[0], point.place[1]),
        };
        let height = share * scene.settings.relief_metres;
        all.push(Contribution { layer: layer.name.clone(), added: height - before, height });
        before = height;
    }
    Some(all)
}

/// Shows the window.
pub(super) fn window(
    InMut(ui): InMut<Ui>,
    frame: Res<InterfaceFrame>,
    mut probe: ResMut<ProbeWindow>,
    editor: Res<Editor>,
) {
    probe.contributions.receive();
    let Some(point) = probe.point else { return };
    let (ctx, free, mut is_open) = (ui.ctx().clone(), frame.free_rect, true);
    let shown = egui::Window::new("Probe").open(&mut is_open).collapsible(false).resizable(false);
    let shown = shown.default_pos(free.left_top() + vec2(12.0, 12.0)).constrain_to(ctx.viewport_rect());
    shown.show(&ctx, |ui| {
        ui.set_width(270.0);
        ui.label(point.text());
        ui.label(format!("Slope {:.1}°", point.slope_degrees));
        let height = (ctx.viewport_rect().height() - 220.0).clamp(120.0, 420.0);
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            ui.set_width(ui.available_width());
            egui::Grid::new("maps of the probe").num_columns(2).min_col_width(84.0).show(ui, |ui| {
                for (name, value) in &probe.maps {
                    ui.label(*name);
                    ui.label(value);
                    ui.end_row();
                }
            });
            layers(ui, &probe, editor.doc.scene().samples());
        });
    });
    if !is_open {
        probe.close();
    }
}

fn layers(ui: &mut Ui, probe: &ProbeWindow, samples: usize) {
    ui.add_space(6.0);
    ui.label(RichText::new("Contribution of each layer").strong());
    let Some((_, contributions)) = probe.contributions.done() else {
        ui.weak("Computing…");
        return;
    };
    egui::Grid::new("layers of the probe").num_columns(3).min_col_width(84.0).striped(true).show(ui, |ui| {
        ui.weak("Layer");
        ui.weak("Adds");
        ui.weak("Height after");
        ui.end_row();
        // use the order of the layer list, with the topmost layer first
        for contribution in contributions.iter().rev() {
            ui.add(egui::Label::new(&contribution.layer).truncate());
            let tint = if contribution.added < 0.0 { colour::warning() } else { colour::text() };
            ui.label(RichText::new(units::signed(contribution.added.into(), "m", 1)).color(tint));
            ui.label(units::metres(contribution.height, 1));
            ui.end_row();
        }
    });
    if probe.samples < samples {
        ui.weak(format!(
            "Computed at {} samples per side. Values differ slightly from the terrain on screen.",
            probe.samples
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::nodes::Node;

    #[test]
    fn layer_contributions_add_up_to_the_height() {
        let mut document = Document::default();
        for name in ["Perlin", "Terrace", "Voronoi"] {
            document.add_layer(Node::named(name).unwrap());
        }
        document.toggle_layer(1);
        let scene = document.scene();
        let control = Control::default();
        let terrain = evaluate(scene, 65, None, &mut Store::forgetful(), &control).unwrap().terrain;
        let point = PickedPoint::on_square(&terrain, &scene.settings, [0.3, 0.7]);
        let found = contributions(scene, 65, &point, &control).unwrap();
        assert_eq!(found.len(), 2, "hidden layers add nothing");
        let sum: f32 = found.iter().map(|contribution| contribution.added).sum();
        assert!((sum - point.height_metres).abs() < 1e-2, "{sum} {}", point.height_metres);
        assert_eq!(found[1].layer, "Voronoi");
    }
}
