//! The benchmark: measures the run time and memory use of nodes.
//!
//! ```text
//! panel: choice of measurements ── BenchRequest ──▶ task: BenchTask ──▶ BenchInfo: report, findings ──▶ panel
//! ```

pub mod panel;
pub mod task;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::BenchState;
use self::task::{BenchInfo, BenchRequest, BenchTask};
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::menu::pick;
use crate::frame::window::FrameSystems;

pub struct BenchPlugin;

impl Plugin for BenchPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<BenchState>()
            .init_resource::<BenchInfo>()
            .init_resource::<BenchTask>()
            .add_message::<BenchRequest>()
            .add_actions([BenchAction::Toggle], run)
            .add_window_close(|mut state: ResMut<BenchState>| state.close())
            .add_menu("Tools", 80)
            .add_menu_part("Tools", 10, menu)
            .add_part(Slot::View, window)
            .add_systems(PreUpdate, task::advance.in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (task::update_info.in_set(FrameSystems::UpdatePanels), task::obey.in_set(FrameSystems::Execute)),
            );
    }
}

/// Commands of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchAction {
    /// Opens or closes the benchmark window.
    Toggle,
}

impl Action for BenchAction {
    fn section(&self) -> &'static str {
        "Help"
    }

    fn info(&self) -> Info {
        Info::new(
            "Benchmark…",
            "Measures the run time and memory use of nodes, and how both scale with resolution and threads.",
            icon::TIMER,
            keys![COMMAND_SHIFT + B],
        )
    }
}

fn run(In(BenchAction::Toggle): In<BenchAction>, mut state: ResMut<BenchState>) {
    state.toggle();
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, BenchAction::Toggle, true);
}

fn window(
    InMut(ui): InMut<Ui>,
    mut state: ResMut<BenchState>,
    editor: Res<Editor>,
    info: Res<BenchInfo>,
    mut asks: MessageWriter<BenchRequest>,
) {
    asks.write_batch(panel::show(ui.ctx(), &mut state, &editor.doc, &info));
}
