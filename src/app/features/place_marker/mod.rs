//! Marks a point in the view: the point of the charts or, without such a point, the point of the biome editor.

use bevy::ecs::system::InMut;
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{self, Color32, Pos2, Stroke, Ui};

use crate::frame::interface::{InterfaceApp, InterfaceFrame, InterfaceLayout, Slot};
use crate::frame::theme::colour;
use crate::frame::window::FrameSystems;
use crate::view::globe::PlanetView;
use crate::view::{CompareSide, GlobeCamera, GlobeProbe, Pane, Probe, ViewCamera, ViewState, ViewportArea, project};
use talweg::planet::projection::from_map;

pub struct PlaceMarkerPlugin;

impl Plugin for PlaceMarkerPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<MarkedPoint>()
            .add_part(Slot::Update, forget)
            .add_part(Slot::View, draw)
            .add_systems(EguiPrimaryContextPass, project_place.in_set(FrameSystems::UpdatePanels));
    }
}

/// A marked point: distances from the west and the north edge as fractions of the side length, from 0 to 1. On a
/// planet, they are fractions of a map of all longitudes and latitudes.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct MarkedPoint {
    point: Option<[f32; 2]>,
    is_watched: bool,
    /// Screen positions of the marked place, in logical pixels: one position for each view that shows the place.
    pub on_screen: Vec<[f32; 2]>,
}

impl MarkedPoint {
    /// Marks the point of the charts, which takes precedence over other points.
    pub fn watch(&mut self, place: Option<[f32; 2]>) {
        if place.is_some() {
            (self.point, self.is_watched) = (place, true);
        }
    }

    /// Marks a point in this frame, unless the charts have a point.
    pub fn mark(&mut self, place: Option<[f32; 2]>) {
        if !self.is_watched {
            self.point = place;
        }
    }
}

fn forget(_: InMut<Ui>, mut marked: ResMut<MarkedPoint>) {
    (marked.point, marked.is_watched) = (None, false);
}

/// Computes the screen positions of the marked point.
fn project_place(
    mut marked: ResMut<MarkedPoint>,
    view_state: Res<ViewState>,
    area: Res<ViewportArea>,
    camera: Res<ViewCamera>,
    (globe, planet_view): (Res<GlobeCamera>, Res<PlanetView>),
) {
    let Some([u, v]) = marked.point else {
        marked.on_screen.clear();
        return;
    };
    let view = Rect { min: area.min, max: area.max };
    if let Some(prepared) = view_state.globe_on_side(CompareSide::A) {
        let ground = prepared.ground_from(&planet_view.view, globe.pose.eye(), view_state.water);
        let direction = from_map([u, v].map(f64::from)).into();
        let at = project(&globe, &planet_view, &ground, view.size(), direction).map(|at| at + view.min);
        marked.on_screen = at.filter(|at| view.contains(*at)).map(|at| [at.x, at.y]).into_iter().collect();
        return;
    }
    let lens = view_state.lens(view.size());
    let seen = |pane: Pane| {
        let square = view_state.square_on_side(pane.side)?;
        let point = square.scale.world(u, v, square.terrain.height_at(u, v));
        let at = camera.pose.project(&lens, point)? + pane.image_rect(view).min;
        pane.rect(view).contains(at).then_some([at.x, at.y])
    };
    marked.on_screen = view_state.panes().into_iter().flatten().filter_map(seen).collect();
}

/// The point of the terrain at a click that does not move the camera, as fractions of the side length. On a planet, the
/// position is in fractions of a map of all longitudes and latitudes.
pub fn clicked_place(
    ctx: &egui::Context,
    layout: &InterfaceLayout,
    probe: &Probe,
    globe: &GlobeProbe,
) -> Option<[f32; 2]> {
    let at = ctx.input(|i| i.pointer.primary_clicked().then(|| i.pointer.interact_pos()).flatten())?;
    let is_free = !layout.covered && layout.free_rect.contains(at);
    let on_planet = globe.hit.map(|hit| hit.on_map());
    on_planet.or(probe.hit.map(|hit| [hit.u, hit.v])).filter(|_| is_free)
}

fn draw(InMut(ui): InMut<Ui>, frame: Res<InterfaceFrame>, marked: Res<MarkedPoint>) {
    for &at in &marked.on_screen {
        mark(ui, at, frame.free_rect);
    }
}

/// Draws the mark in the 3D view.
fn mark(ui: &Ui, at: [f32; 2], area: egui::Rect) {
    let painter = ui.painter().with_clip_rect(area);
    let at = Pos2::from(at);
    painter.circle_stroke(at, 6.0, Stroke::new(3.0, Color32::from_black_alpha(150)));
    painter.circle_stroke(at, 6.0, Stroke::new(1.5, colour::text_strong()));
    painter.circle_filled(at, 1.5, colour::text_strong());
}
