//! The window in which the user chooses a square of a planet, its outline on the globe, and the checks before a patch
//! is applied.

use std::path::{Path, PathBuf};

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{
    Button, Color32, CursorIcon, DragValue, Grid, Order, Rect, RichText, Shape, Slider, Stroke, Ui, Window, pos2, vec2,
};

use crate::features::patch::task::{PatchOrder, PatchedPlanet};
use crate::frame::document::Document;
use crate::frame::theme::{self, colour};
use crate::frame::units::{self, rounded_distance};
use talweg::field::globe::from_angles;
use talweg::planet::square::Square;
use talweg::scene::LONGEST_TERRAIN_METRES;
use talweg::scene::{Scene, example};

/// Available numbers of samples per side.
const SAMPLES: [usize; 4] = [257, 513, 1025, 2049];
/// Default side length of a square, as a fraction of the planet's radius: 800 km on Earth.
const FIRST_SHARE: f64 = 0.1256;

/// State of the window in which the user chooses a square of a planet.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct PatchState {
    open: bool,
    /// Whether the square must be centred on the view when the window is shown.
    fresh: bool,
    pub longitude: f64,
    pub latitude: f64,
    pub side_km: f64,
    pub samples: usize,
    /// While the user drags the square: longitude and latitude of its centre minus those of the grabbed point, in
    /// degrees.
    grip: Option<[f64; 2]>,
    /// The planet with an applied patch, until the planet is opened.
    pub(crate) patched: Option<PatchedPlanet>,
}

impl Default for PatchState {
    fn default() -> Self {
        let (longitude, latitude, side_km) = (0.0, 0.0, 0.0);
        Self { open: false, fresh: false, longitude, latitude, side_km, samples: 1025, grip: None, patched: None }
    }
}

impl PatchState {
    pub fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn open(&mut self) {
        (self.open, self.fresh) = (true, true);
    }

    /// Closes the window; returns whether it was open.
    pub fn close(&mut self) -> bool {
        std::mem::take(&mut self.open)
    }

    pub fn square(&self) -> Square {
        Square { longitude: self.longitude, latitude: self.latitude, side_metres: 1000.0 * self.side_km }
    }
}

/// Data about the view of the planet.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct PatchInfo {
    /// Longitude and latitude of the view centre, in degrees.
    pub looks_at: Option<[f64; 2]>,
    /// Longitude and latitude of the point under the pointer, in degrees.
    pub under_pointer: Option<[f64; 2]>,
    /// The visible lines of the square's outline, in points.
    pub border: Vec<Vec<[f32; 2]>>,
}

/// Shows the window while it is open; returns whether to extract the square.
pub fn window(ctx: &egui::Context, state: &mut PatchState, doc: &Document, info: &PatchInfo, free: Rect) -> bool {
    let Some(planet) = doc.scene().as_planet() else {
        state.open = false;
        return false;
    };
    if !state.open {
        return false;
    }
    let radius = f64::from(planet.radius_metres);
    let longest_km = Square::longest_side(radius).min(LONGEST_TERRAIN_METRES) / 1000.0;
    if std::mem::take(&mut state.fresh) {
        look_here(state, info);
        if state.side_km <= 0.0 || state.side_km > longest_km {
            state.side_km = FIRST_SHARE * radius / 1000.0;
        }
    }
    let (mut open, mut chosen) = (true, false);
    let window = Window::new("Extract region").open(&mut open).collapsible(false).resizable(false);
    window.default_pos(free.left_top() + vec2(12.0, 12.0)).constrain_to(free).show(ctx, |ui| {
        ui.set_width(300.0);
        fields(ui, state, longest_km);
        ui.add_space(4.0);
        let own = f64::from(planet.side_metres()) / (doc.scene().samples() - 1) as f64;
        let step = 1000.0 * state.side_km / (state.samples - 1) as f64;
        let text = format!("Sample spacing: {} (planet: {}).", rounded_distance(step), rounded_distance(own));
        ui.label(RichText::new(text).small().color(colour::text_weak()));
        if doc.path().is_none() {
            let text = "The planet has no file yet. It will be saved beside the region, so that the region can be \
                        applied to it.";
            ui.label(RichText::new(text).small().color(colour::text_weak()));
        } else if doc.is_dirty() {
            let text = "The region includes unsaved changes of the planet. Save the planet before you apply the \
                        region.";
            ui.label(RichText::new(text).small().color(colour::warning()));
        }
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            let take = Button::new(RichText::new("Extract…").color(colour::text_strong())).fill(colour::accent_deep());
            let tip = "Computes the planet at full resolution, saves the square as a terrain scene and opens it.";
            chosen = ui.add(take).on_hover_text(tip).clicked();
            let here = ui.button("Use view centre").on_hover_text("Moves the square to the centre of the view.");
            if here.clicked() {
                look_here(state, info);
            }
        });
    });
    state.open = open;
    chosen
}

fn look_here(state: &mut PatchState, info: &PatchInfo) {
    if let Some([longitude, latitude]) = info.looks_at {
        (state.longitude, state.latitude) = (rounded(longitude), rounded(latitude));
    }
}

/// Rounds degrees to a hundredth, because further digits would not be useful.
fn rounded(degrees: f64) -> f64 {
    (100.0 * degrees).round() / 100.0
}

fn fields(ui: &mut Ui, state: &mut PatchState, longest_km: f64) {
    Grid::new("patch").num_columns(2).spacing([10.0, 6.0]).show(ui, |ui| {
        let degrees = |ui: &mut Ui, name: &str, value: &mut f64, most: f64, tip: &str| {
            let label = ui.label(name);
            let field = DragValue::new(value).range(-most..=most).speed(0.2).max_decimals(3).suffix("°");
            ui.add(field).labelled_by(label.id).on_hover_text(tip);
            ui.end_row();
        };
        degrees(ui, "Longitude", &mut state.longitude, 180.0, "Longitude of the square's centre; east is positive.");
        degrees(ui, "Latitude", &mut state.latitude, 90.0, "Latitude of the square's centre; north is positive.");
        let label = ui.label("Side");
        ui.horizontal(|ui| {
            let range = longest_km * 1e-4..=longest_km;
            let rail = Slider::new(&mut state.side_km, range.clone()).logarithmic(true);
            theme::slider(ui, true, 120.0, rail).labelled_by(label.id).on_hover_text("Side length of the square.");
            ui.add(units::field(DragValue::new(&mut state.side_km).range(range).speed(1.0).max_decimals(2), "km"));
        });
        ui.end_row();
        ui.label("Samples").on_hover_text("Samples per side of the terrain. Twice as many take four times as long.");
        ui.horizontal(|ui| {
            for samples in SAMPLES {
                ui.selectable_value(&mut state.samples, samples, samples.to_string());
            }
        });
        ui.end_row();
    });
}

/// Draws the visible lines of the square's outline.
pub fn outline(ui: &Ui, lines: &[Vec<[f32; 2]>], free: Rect) {
    let painter = ui.painter().with_clip_rect(free);
    for line in lines {
        let points: Vec<_> = line.iter().map(|&[x, y]| pos2(x, y)).collect();
        painter.add(Shape::line(points.clone(), Stroke::new(4.0, Color32::from_black_alpha(150))));
        painter.add(Shape::line(points, Stroke::new(1.8, colour::warning())));
    }
}

/// Lets the user drag the square over the planet. Returns whether the left button belongs to the square. Meanwhile, the
/// planet must not turn.
pub fn drag_square(ui: &Ui, state: &mut PatchState, doc: &Document, info: &PatchInfo, free: Rect) -> bool {
    let planet = doc.scene().as_planet().filter(|_| state.open);
    let (Some(planet), Some([longitude, latitude])) = (planet, info.under_pointer) else {
        state.grip = None;
        return false;
    };
    let (pressed, down) = ui.input(|input| (input.pointer.primary_pressed(), input.pointer.primary_down()));
    let at = ui.ctx().pointer_latest_pos().filter(|at| free.contains(*at));
    let is_over_view = at.and_then(|at| ui.ctx().layer_id_at(at)).is_none_or(|layer| layer.order == Order::Background);
    let direction = from_angles(latitude.to_radians(), longitude.to_radians());
    let place = state.square().position(f64::from(planet.radius_metres), direction);
    let is_inside = place.is_some_and(|place| place.iter().all(|at| (0.0..=1.0).contains(at)));
    let is_grabbed = at.is_some() && is_over_view && is_inside;
    if pressed && is_grabbed {
        state.grip = Some([state.longitude - longitude, state.latitude - latitude]);
    }
    state.grip = state.grip.filter(|_| down);
    if let Some([east, north]) = state.grip {
        state.longitude = rounded((longitude + east + 180.0).rem_euclid(360.0) - 180.0);
        state.latitude = rounded((latitude + north).clamp(-90.0, 90.0));
    }
    if is_grabbed || state.grip.is_some() {
        ui.set_cursor_icon(if state.grip.is_some() { CursorIcon::Grabbing } else { CursorIcon::Grab });
    }
    is_grabbed || state.grip.is_some()
}

/// The order that applies the patch in the scene to its planet, or the reason why this is impossible.
pub(super) fn put_back_order(document: &Document) -> Result<PatchOrder, PatchReturnError> {
    let scene = document.scene();
    if scene.is_planet() {
        return Err(PatchReturnError::Planet);
    }
    let origin = scene.patch.as_ref().ok_or(PatchReturnError::NoPatch)?;
    let (planet, file) = if origin.names_a_file() {
        let path = Path::new(&origin.planet);
        let (planet, _) =
            Scene::load(path).map_err(|e| PatchReturnError::Unread(origin.planet.clone(), e.to_string()))?;
        (planet, Some(path.to_path_buf()))
    } else {
        let shipped = example(&origin.planet).ok_or_else(|| PatchReturnError::Unknown(origin.planet.clone()))?;
        (shipped.scene.clone(), None)
    };
    if !planet.is_planet() {
        return Err(PatchReturnError::Terrain(origin.planet.clone()));
    }
    // write to the folder of the planet's file, or to the folder of the patch if the planet is built in
    let beside = file.as_deref().or(document.path()).ok_or(PatchReturnError::Unsaved)?;
    let of = document.path().and_then(Path::file_stem).map_or("region".into(), |stem| stem.to_string_lossy());
    let heights = heights_beside(&absolute(beside), &of);
    Ok(PatchOrder::Put { patch: scene.clone(), planet, file, square: origin.square(scene), heights })
}

/// Why the patch in a scene cannot be applied to a planet.
#[derive(Debug, thiserror::Error)]
pub(super) enum PatchReturnError {
    #[error("This scene is a planet. Open a region that was extracted from it, then apply that region.")]
    Planet,
    #[error("This scene was not extracted from a planet, so there is nothing to apply it to.")]
    NoPatch,
    #[error("Cannot open the planet {0} that this region was extracted from: {1}.")]
    Unread(String, String),
    #[error("This region was extracted from the example “{0}”, which was not found.")]
    Unknown(String),
    #[error("{0} is now a terrain. A region can be applied to a planet only.")]
    Terrain(String),
    #[error("Save the region first: its heights for the planet are written beside its file.")]
    Unsaved,
}

/// The absolute form of a path.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// The path of a file for heights in the folder of the scene file. The file name has no content hash.
fn heights_beside(scene: &Path, of: &str) -> PathBuf {
    let stem = scene.file_stem().unwrap_or_default().to_string_lossy();
    scene.with_file_name(format!("{stem}-{of}.r32"))
}
