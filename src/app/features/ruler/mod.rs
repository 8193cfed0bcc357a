//! The ruler: a line on the terrain, with its length, its height profile, and the area that it encloses.
//!
//! The user adds points by clicks in the view or on the map. During a comparison, the ruler also measures the volume
//! between the two terrains within the enclosed area.

mod panel;

use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{self, Color32, Pos2, Shape, Stroke, Ui, pos2};
use egui_phosphor::regular as icon;

use crate::features::place_marker::MarkedPoint;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::StatusHint;
use crate::frame::theme::colour;
use crate::frame::window::FrameSystems;
use crate::view::{CompareSide, TerrainView, ViewCamera, ViewState, ViewportArea};
use talweg::field::Terrain;
use talweg::measure::{EnclosedVolume, GroundProfile, TerrainScale, enclosed_area, enclosed_volume};
use talweg::scene::Surroundings;

pub struct RulerPlugin;

impl Plugin for RulerPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Ruler>()
            .add_actions(RulerAction::ALL, run)
            .add_mode_exit(leave)
            .add_menu_part("Tools", 10, menu)
            .add_panel(
                DockedPanel {
                    place: 1,
                    size: [600.0, 150.0],
                    least: [260.0, 110.0],
                    ..DockedPanel::new("ruler", "Ruler", DockEdge::Bottom)
                },
                Some(RulerAction::Toggle.into()),
                |ruler: Res<Ruler>| PanelShown::from(ruler.is_active),
                panel,
            )
            .add_part(Slot::View, over_view)
            .add_systems(EguiPrimaryContextPass, update_terrain_view.in_set(FrameSystems::UpdatePanels));
    }
}

/// Commands of the ruler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulerAction {
    /// Activates or closes the ruler.
    Toggle,
    /// Removes the last point of the line.
    Shorten,
    /// Removes all points of the line.
    Clear,
}

impl RulerAction {
    const ALL: [Self; 3] = [Self::Toggle, Self::Shorten, Self::Clear];
}

impl Action for RulerAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match self {
            Self::Toggle => Info::new(
                "Ruler",
                "Measures along a line: click in the view or on the map to add points.",
                icon::RULER,
                keys![NONE + U],
            ),
            Self::Shorten => {
                Info::new("Remove last ruler point", "Removes the last point of the line.", icon::BACKSPACE, &[])
            }
            Self::Clear => Info::new("Clear ruler", "Removes all points of the line.", icon::ERASER, &[]),
        }
    }
}

/// A terrain with the scale of its heights and lengths.
pub type RulerGround = (Arc<Terrain>, TerrainScale);

/// The line of the ruler, the terrains that it measures, and the measured values.
#[derive(Resource, Default)]
pub struct Ruler {
    is_active: bool,
    /// Points of the line: distances from the west and the north edge as fractions of the side length.
    points: Vec<[f32; 2]>,
    /// The terrain on screen, and the terrain that it is compared with.
    pub grounds: [Option<RulerGround>; 2],
    terrain_view: Option<TerrainView>,
    known: Option<Measured>,
    /// The point of the terrain that belongs to the pointer position on the profile.
    hovered: Option<[f32; 2]>,
}

/// The measured values of a line, and the inputs from which they were computed.
struct Measured {
    points: Vec<[f32; 2]>,
    grounds: [Option<RulerGround>; 2],
    profile: GroundProfile,
    area_m2: f64,
    volume: Option<EnclosedVolume>,
}

impl Ruler {
    /// Whether the ruler is shown and accepts points.
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// The points of the line: distances from the west and the north edge as fractions of the side length.
    pub fn points(&self) -> &[[f32; 2]] {
        if self.is_active { &self.points } else { &[] }
    }

    /// Appends a point to the line.
    pub fn add(&mut self, place: [f32; 2]) {
        self.points.push(place);
    }

    /// Measures the line on the current terrain.
    fn measured(&mut self) -> Option<&Measured> {
        let same = |a: &Option<RulerGround>, b: &Option<RulerGround>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(&a.0, &b.0) && a.1 == b.1,
            (a, b) => a.is_none() && b.is_none(),
        };
        let is_known = self.known.as_ref().is_some_and(|known| {
            known.points == self.points && (0..2).all(|k| same(&known.grounds[k], &self.grounds[k]))
        });
        if !is_known {
            let (terrain, scale) = self.grounds[0].as_ref()?;
            let closed = self.points.len() > 2;
            let volume = self.grounds[1].as_ref().filter(|_| closed);
            let volume = volume.map(|(b, of)| enclosed_volume((b, *of), (terrain, *scale), &self.points));
            self.known = Some(Measured {
                points: self.points.clone(),
                grounds: self.grounds.clone(),
                profile: GroundProfile::new(terrain, *scale, &self.points),
                area_m2: if closed { enclosed_area(&self.points, scale.size_metres) } else { 0.0 },
                volume,
            });
        }
        self.known.as_ref()
    }
}

fn run(In(action): In<RulerAction>, mut ruler: ResMut<Ruler>) {
    match action {
        RulerAction::Toggle => ruler.is_active = !ruler.is_active,
        RulerAction::Shorten => drop(ruler.points.pop()),
        RulerAction::Clear => ruler.points.clear(),
    }
}

/// Closes the ruler when Escape is pressed.
fn leave(mut ruler: ResMut<Ruler>) -> bool {
    std::mem::replace(&mut ruler.is_active, false)
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, ruler: Res<Ruler>, mut queue: ResMut<CommandQueue>) {
    let is_square = !editor.doc.scene().is_planet();
    tick(ui, &mut queue, RulerAction::Toggle, is_square, ruler.is_active);
}

fn update_terrain_view(
    mut ruler: ResMut<Ruler>,
    (view_state, camera, area): (Res<ViewState>, Res<ViewCamera>, Res<ViewportArea>),
    (evaluation, editor): (Res<EvaluationClient>, Res<Editor>),
) {
    if !ruler.is_active {
        return;
    }
    ruler.terrain_view = TerrainView::new(&view_state, &camera, &area);
    let scale = TerrainScale::for_scene(editor.doc.scene());
    let is_square = |terrain: &&Arc<Terrain>| !terrain.grid.is_globe();
    let own = evaluation.terrain.as_ref().filter(is_square).map(|terrain| (terrain.clone(), scale));
    let other = view_state.square_on_side(CompareSide::B).map(|square| {
        let relief_metres = square.settings.relief_metres;
        (square.terrain.clone(), TerrainScale { relief_metres, ..scale })
    });
    ruler.grounds = [own, other];
}

/// Draws the line over the terrain, and adds points when the user clicks.
fn over_view(
    InMut(ui): InMut<Ui>,
    frame: Res<InterfaceFrame>,
    mut editor: ResMut<Editor>,
    mut ruler: ResMut<Ruler>,
    mut hint: ResMut<StatusHint>,
) {
    if !ruler.is_active || editor.doc.scene().is_planet() {
        return;
    }
    let ctx = ui.ctx().clone();
    let Some(stage) = ruler.terrain_view.clone() else { return };
    let clicked = ctx.input(|i| i.pointer.primary_clicked().then(|| i.pointer.interact_pos()).flatten());
    let is_free = |at: &egui::Pos2| {
        let layer = ctx.layer_id_at(*at);
        frame.free_rect.contains(*at) && layer.is_none_or(|layer| layer.order == egui::Order::Background)
    };
    if let Some(at) = clicked.filter(is_free).filter(|_| !frame.takes_primary && !editor.dialogs.is_open()) {
        match stage.ground([at.x, at.y]) {
            Some(place) => ruler.add(place.map(|share| share as f32)),
            None => {
                editor.toasts.info("This point is not on the terrain. The land around the terrain is not measured.")
            }
        }
    }
    let painter = ui.painter().with_clip_rect(frame.free_rect);
    // points of a straight line on the terrain, dense enough to follow it
    let on_ground = |[from, to]: [[f32; 2]; 2]| -> Vec<Pos2> {
        const STEPS: usize = 64;
        let place =
            |k: usize| [0, 1].map(|axis| f64::from(from[axis] + (to[axis] - from[axis]) * k as f32 / STEPS as f32));
        (0..=STEPS).filter_map(|k| stage.screen(place(k), 0.0)).map(|[x, y]| pos2(x, y)).collect()
    };
    if editor.doc.scene().settings.surroundings == Surroundings::Land {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        for k in 0..4 {
            let edge = on_ground([corners[k], corners[(k + 1) % 4]]);
            painter.add(Shape::line(edge, Stroke::new(1.5, Color32::from_white_alpha(150))));
        }
    }
    for pair in ruler.points.windows(2) {
        let line = on_ground([pair[0], pair[1]]);
        painter.add(Shape::line(line.clone(), Stroke::new(4.0, Color32::from_black_alpha(130))));
        painter.add(Shape::line(line, Stroke::new(2.0, colour::accent())));
    }
    for place in &ruler.points {
        if let Some([x, y]) = stage.screen(place.map(f64::from), 0.0) {
            painter.circle(pos2(x, y), 4.0, colour::accent(), Stroke::new(1.5, Color32::WHITE));
        }
    }
    hint.set(Some("Click on the terrain to add a point · Esc closes the ruler".into()));
}

fn panel(
    InMut(ui): InMut<Ui>,
    mut ruler: ResMut<Ruler>,
    mut marked: ResMut<MarkedPoint>,
    mut queue: ResMut<CommandQueue>,
) {
    ruler.hovered = panel::show(ui, &mut ruler, &mut queue);
    marked.mark(ruler.hovered);
}
