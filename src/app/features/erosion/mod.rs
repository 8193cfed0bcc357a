//! Playback of a process or generator: the bar with the playback controls, the bar with the branches of a process, and
//! the bar with the step of a generator. The document stores the playhead.

mod commands;
pub mod step_marks;
pub mod transport;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{Margin, Panel, Ui};

pub use self::commands::ErosionAction;
use self::step_marks::StepMarks;
use crate::frame::commands::{CommandApp, CommandQueue};
use crate::frame::editor::Editor;
use crate::frame::interface::bar_frame;
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::menu::{pick, tick};
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::StatusInfo;
use crate::frame::window::FrameSystems;

/// Height of the bar with the playback controls, in points.
const BAR: f32 = 40.0;
/// Height of the bar with the branches, and of the bar with the step of a generator, in points.
const BRANCHES: f32 = 34.0;

pub struct ErosionPlugin;

impl Plugin for ErosionPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<StepMarks>()
            .add_part(Slot::View, step_marks::draw)
            .add_systems(EguiPrimaryContextPass, step_marks::update_terrain_view.in_set(FrameSystems::UpdatePanels));
        app.add_actions(ErosionAction::all(), run).add_menu("Erosion", 40).add_menu_part("Erosion", 0, menu).add_panel(
            DockedPanel {
                place: 3,
                size: [600.0, BAR],
                least: [260.0, BAR],
                margin: Margin::ZERO,
                ..DockedPanel::new("timeline", "Timeline", DockEdge::Bottom)
            },
            None,
            height,
            bars,
        );
    }
}

fn run(In(action): In<ErosionAction>, mut editor: ResMut<Editor>, mut marks: ResMut<StepMarks>) {
    match action {
        ErosionAction::PlayPause => editor.doc.play_or_pause(),
        ErosionAction::StepForward => editor.doc.step(1),
        ErosionAction::StepBack => editor.doc.step(-1),
        ErosionAction::ToStart => editor.doc.seek(0),
        ErosionAction::ToEnd => editor.doc.seek(u32::MAX),
        ErosionAction::ContinueFromHere => editor.doc.continue_from_here(),
        ErosionAction::Branch => editor.doc.branch_from_here(),
        ErosionAction::ToggleStepMarks => marks.is_hidden = !marks.is_hidden,
        ErosionAction::ShowBranch(index) => editor.doc.show_branch(index),
    }
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, marks: Res<StepMarks>, mut queue: ResMut<CommandQueue>) {
    let (is_played, process) = (editor.doc.played().is_some(), editor.doc.process().is_some());
    for action in ErosionAction::PLAYING {
        pick(ui, &mut queue, action, is_played);
    }
    let has_steps = editor.doc.played_step().is_some();
    tick(ui, &mut queue, ErosionAction::ToggleStepMarks, has_steps, !marks.is_hidden);
    ui.separator();
    pick(ui, &mut queue, ErosionAction::ContinueFromHere, editor.doc.offer().is_some());
    pick(ui, &mut queue, ErosionAction::Branch, process);
}

/// Height of the bars. The playback bar is always visible, so that the view does not move when another layer is
/// selected.
fn height(editor: Res<Editor>) -> PanelShown {
    let more =
        [has_branches(&editor), editor.doc.shown_step().is_some()].map(|shown| if shown { BRANCHES } else { 0.0 });
    PanelShown::Fixed(BAR + more[0] + more[1])
}

fn has_branches(editor: &Editor) -> bool {
    editor.doc.offer().is_some() || !editor.doc.branches().is_empty()
}

fn bars(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    info: Res<StatusInfo>,
    mut marks: ResMut<StepMarks>,
    mut queue: ResMut<CommandQueue>,
) {
    let has_branches = has_branches(&editor);
    let doc = &mut editor.doc;
    Panel::bottom("transport").exact_size(BAR).frame(bar_frame()).show(ui, |ui| {
        queue.extend(transport::show(ui, doc, &info));
    });
    if doc.shown_step().is_some() {
        Panel::bottom("step").exact_size(BRANCHES).frame(bar_frame()).show(ui, |ui| {
            queue.extend(step_marks::bar(ui, doc, &mut marks));
        });
    }
    if has_branches {
        Panel::bottom("branches").exact_size(BRANCHES).frame(bar_frame()).show(ui, |ui| {
            queue.extend(transport::branches(ui, doc));
        });
    }
}
