//! Compares two terrains: A is the edited terrain, and B is another terrain.
//!
//! ```text
//! CompareAction ── actions ──▶ CompareRequest ──▶ task: CompareTask ──▶ ViewState.beside, CompareInfo ──▶ panel
//! ```

mod actions;
mod commands;
pub mod differences;
mod make;
pub mod panel;
pub mod task;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{Panel, Ui};

use self::actions::Comparison;
pub use self::commands::{CompareAction, CompareMode};
use self::panel::{CompareInfo, CompareState};
use self::task::{CompareRequest, CompareTask};
use crate::frame::commands::{Command, CommandApp, CommandQueue};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot, bar_frame};
use crate::frame::menu::{entry, pick, tick};
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::StatusInfo;
use crate::frame::window::FrameSystems;

pub struct ComparePlugin;

impl Plugin for ComparePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CompareState>()
            .init_resource::<CompareInfo>()
            .init_resource::<CompareTask>()
            .add_message::<CompareRequest>()
            .add_actions(CompareAction::all().into_iter().chain([CompareAction::NextBranch]), run)
            .add_menu("Compare", 60)
            .add_menu_part("File", 30, file_menu)
            .add_menu_part("Erosion", 10, erosion_menu)
            .add_menu_part("Compare", 0, menu)
            .add_part(Slot::Update, update_state)
            .add_part(Slot::Top, bar)
            .add_panel(
                DockedPanel {
                    size: [600.0, 170.0],
                    least: [260.0, 70.0],
                    ..DockedPanel::new("comparison", "Comparison", DockEdge::Bottom)
                },
                Some(CompareAction::Table.into()),
                |state: Res<CompareState>, info: Res<CompareInfo>| PanelShown::from(info.is_on() && state.table),
                table,
            )
            .add_part(Slot::View, over_view)
            .add_systems(PreUpdate, task::advance.in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (task::update_info.in_set(FrameSystems::UpdatePanels), task::obey.in_set(FrameSystems::Execute)),
            );
    }
}

/// Runs a compare command and forwards the chosen scene B.
fn run_compare(
    editor: &mut Editor,
    state: &mut CompareState,
    asks: &mut MessageWriter<CompareRequest>,
    act: impl FnOnce(&mut Comparison),
) {
    let mut comparison = Comparison { editor, state, requests: Vec::new() };
    act(&mut comparison);
    asks.write_batch(comparison.requests);
}

fn run(
    In(action): In<CompareAction>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<CompareState>,
    mut asks: MessageWriter<CompareRequest>,
) {
    run_compare(&mut editor, &mut state, &mut asks, |comparison| comparison.run(action));
}

fn update_state(
    _: InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<CompareState>,
    info: Res<CompareInfo>,
    mut asks: MessageWriter<CompareRequest>,
) {
    state.update(&info);
    run_compare(&mut editor, &mut state, &mut asks, |comparison| {
        comparison.follow_overlay();
        comparison.end_comparing_worlds(&info);
    });
}

fn file_menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, CompareAction::WithScene, true);
}

fn erosion_menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, CompareAction::NextBranch, !editor.doc.branches().is_empty());
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, state: Res<CompareState>, mut queue: ResMut<CommandQueue>) {
    let is_on = state.is_on();
    queue.extend(panel::choose(ui, &editor.doc));
    ui.separator();
    for mode in CompareMode::ALL {
        tick(ui, &mut queue, CompareAction::Show(mode), true, is_on && state.mode == mode);
    }
    tick(ui, &mut queue, CompareAction::Swap, is_on, state.swapped);
    tick(ui, &mut queue, CompareAction::Table, is_on, is_on && state.table);
    ui.separator();
    let toggle = Command::from(CompareAction::Toggle);
    if entry(ui, &toggle, is_on.then_some("End comparison"), true, None) {
        queue.push(toggle);
    }
}

fn bar(
    InMut(root): InMut<Ui>,
    editor: Res<Editor>,
    state: Res<CompareState>,
    info: Res<CompareInfo>,
    mut queue: ResMut<CommandQueue>,
) {
    if info.is_on() {
        Panel::top("compare").exact_size(34.0).frame(bar_frame()).show(root, |ui| {
            queue.extend(panel::bar(ui, &state, &editor.doc, &info));
        });
    }
}

fn table(InMut(ui): InMut<Ui>, info: Res<CompareInfo>) {
    panel::table(ui, &info);
}

fn over_view(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    mut state: ResMut<CompareState>,
    (info, status): (Res<CompareInfo>, Res<StatusInfo>),
    mut frame: ResMut<InterfaceFrame>,
) {
    panel::view_overlay(ui, frame.free_rect, &mut state, &editor.doc, status.legend.as_ref(), &info);
    frame.takes_pointer |= state.holds_pointer();
}
