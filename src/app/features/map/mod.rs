//! The 2D map beside the view. It shows relief, contour lines with heights, the overlay, the camera and the ruler.
//!
//! ```text
//! terrain on screen, palette, overlay ──▶ task: MapTask ──▶ MapPicture ──▶ panel
//! camera, probe ──▶ MapLink ──▶ panel ──▶ MapRequest ──▶ camera
//! ```

mod contours;
mod panel;
mod picture;

use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy::window::RequestRedraw;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

pub use self::contours::ContourLabel;
pub use self::picture::MapPicture;
use crate::features::ground_menu::GroundMenuState;
use crate::features::place_marker::MarkedPoint;
use crate::features::ruler::Ruler;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::window::FrameSystems;
use crate::view::{Probe, SIDE_WORLD, ViewCamera, ViewState, ViewportArea};
use talweg::preferences::UnitSystem;

pub struct MapPlugin;

impl Plugin for MapPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<MapState>()
            .init_resource::<MapLink>()
            .init_resource::<picture::MapTask>()
            .add_message::<MapRequest>()
            .add_actions([MapAction::Toggle], run)
            .add_menu_part("View", 20, menu)
            .add_panel(
                DockedPanel {
                    place: 1,
                    size: [380.0, 320.0],
                    least: [260.0, 160.0],
                    ..DockedPanel::new("map", "2D map", DockEdge::Right)
                },
                Some(MapAction::Toggle.into()),
                |state: Res<MapState>| PanelShown::from(state.is_open),
                show,
            )
            .add_systems(PreUpdate, picture::advance.in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (update_link.in_set(FrameSystems::UpdatePanels), obey.in_set(FrameSystems::Execute)),
            );
    }
}

/// Commands of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapAction {
    /// Opens or closes the map panel.
    Toggle,
}

impl Action for MapAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        Info::new(
            "2D map",
            "Shows the terrain from above, with contour lines, the overlay, the camera and the ruler.",
            icon::MAP_TRIFOLD,
            keys![SHIFT + M],
        )
    }
}

/// The colouring of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapStyle {
    /// The colours of the scene with shading.
    #[default]
    Relief,
    /// Light and shadow without colours.
    Hillshade,
    /// Grey levels that become brighter with height.
    Heights,
}

impl MapStyle {
    /// All styles with their labels.
    const ALL: [(Self, &'static str); 3] =
        [(Self::Relief, "Relief"), (Self::Hillshade, "Hillshade"), (Self::Heights, "Heights")];
}

/// State of the map.
#[derive(Resource)]
pub struct MapState {
    pub is_open: bool,
    pub style: MapStyle,
    pub contours: bool,
    /// Contour interval in metres; 0 until the user has chosen an interval.
    pub interval: f32,
    /// Unit system in which the contour interval is a round number.
    units: UnitSystem,
    pub picture: Option<Arc<MapPicture>>,
    drawn: panel::DrawnMap,
}

impl Default for MapState {
    fn default() -> Self {
        Self {
            is_open: false,
            style: MapStyle::default(),
            contours: true,
            interval: 0.0,
            units: UnitSystem::Metric,
            picture: None,
            drawn: panel::DrawnMap::default(),
        }
    }
}

/// Data that links the map and the view.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct MapLink {
    /// The camera: position, heading, and half of the field of view. The position is a distance from the west and the
    /// north edge, as fractions of the side length. The two angles are in radians.
    pub camera: Option<([f32; 2], f32, f32)>,
    /// The point of the terrain under the pointer in the view, as fractions of the side length.
    pub pointer: Option<[f32; 2]>,
}

/// Requests that the map sends to the view.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub enum MapRequest {
    /// Moves the camera above a point, given as fractions of the side length from the west and the north edge.
    MoveCamera([f32; 2]),
    /// Turns the camera to a heading, in radians clockwise from north.
    TurnCamera(f32),
}

fn run(In(MapAction::Toggle): In<MapAction>, mut state: ResMut<MapState>) {
    state.is_open = !state.is_open;
}

fn menu(InMut(ui): InMut<Ui>, state: Res<MapState>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    tick(ui, &mut queue, MapAction::Toggle, true, state.is_open);
}

fn update_link(
    mut link: ResMut<MapLink>,
    (camera, view_state, area): (Res<ViewCamera>, Res<ViewState>, Res<ViewportArea>),
    probe: Res<Probe>,
) {
    let pose = camera.perspective_pose(&view_state);
    let place = [pose.eye_world.x, pose.eye_world.z].map(|at| at / SIDE_WORLD + 0.5);
    let lens = view_state.lens(area.max - area.min);
    let half = ((0.5 * lens.fov_y).tan() * lens.aspect()).atan();
    link.camera = half.is_finite().then_some((place, pose.yaw, half));
    link.pointer = probe.hit.map(|hit| [hit.u, hit.v]);
}

fn obey(
    mut requests: MessageReader<MapRequest>,
    mut camera: ResMut<ViewCamera>,
    view_state: Res<ViewState>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    for request in requests.read() {
        match *request {
            MapRequest::MoveCamera(place) => camera.move_over(&view_state, place),
            MapRequest::TurnCamera(yaw) => camera.turn_to(&view_state, yaw),
        }
        redraw.write(RequestRedraw);
    }
}

#[allow(clippy::too_many_arguments, reason = "a Bevy system has one argument per input")]
fn show(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    mut state: ResMut<MapState>,
    link: Res<MapLink>,
    (mut ruler, mut ground_menu): (ResMut<Ruler>, ResMut<GroundMenuState>),
    mut marked: ResMut<MarkedPoint>,
    mut requests: MessageWriter<MapRequest>,
    mut queue: ResMut<CommandQueue>,
) {
    let mut hands = panel::MapHands {
        link: &link,
        ruler: &mut ruler,
        ground_menu: &mut ground_menu,
        requests: &mut requests,
        queue: &mut queue,
    };
    marked.mark(panel::show(ui, &mut state, &mut hands, &editor));
}
