//! Measures of the terrain on screen, such as slopes, peaks and drainage, compared with real terrain.
//!
//! ```text
//! document, terrain on screen ──▶ task: MeasureTask ──▶ MeasuresInfo ──▶ panel
//! ```

pub mod panel;
mod planet;
pub mod task;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::{MeasuresInfo, MeasuresState};
use self::task::MeasureTask;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::window::FrameSystems;

pub struct MeasuresPlugin;

impl Plugin for MeasuresPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<MeasuresState>()
            .init_resource::<MeasuresInfo>()
            .init_resource::<MeasureTask>()
            .add_actions([MeasuresAction::Toggle], run)
            .add_menu_part("Tools", 0, menu)
            .add_panel(
                DockedPanel {
                    place: 3,
                    size: [286.0, 320.0],
                    least: [236.0, 120.0],
                    ..DockedPanel::new("measures", "Measures", DockEdge::Right)
                },
                Some(MeasuresAction::Toggle.into()),
                |state: Res<MeasuresState>| PanelShown::from(state.open),
                measures,
            )
            .add_systems(PreUpdate, task::advance.in_set(FrameSystems::Receive))
            .add_systems(EguiPrimaryContextPass, task::update_info.in_set(FrameSystems::UpdatePanels));
    }
}

/// Commands of the measures panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuresAction {
    /// Opens or closes the measures panel.
    Toggle,
}

impl Action for MeasuresAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        Info::new(
            "Measures",
            "Measures slopes, peaks, roughness, drainage and playability of the terrain, and compares them with real \
             terrain.",
            icon::RULER,
            keys![NONE + M],
        )
    }
}

fn run(In(MeasuresAction::Toggle): In<MeasuresAction>, mut state: ResMut<MeasuresState>) {
    state.open = !state.open;
}

fn menu(InMut(ui): InMut<Ui>, state: Res<MeasuresState>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, MeasuresAction::Toggle, true, state.open);
}

fn measures(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    mut state: ResMut<MeasuresState>,
    info: Res<MeasuresInfo>,
    mut queue: ResMut<CommandQueue>,
) {
    let is_planet = editor.doc.scene().is_planet();
    queue.extend(panel::show(ui, &mut state, &info, is_planet));
}
