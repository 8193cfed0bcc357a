//! Curves together: several erosions, or branches of one erosion, in one chart over the iterations.
//!
//! ```text
//! panel: choice of layers ── CurvesAction::Compute ──▶ task: CurvesTask ──▶ chart ──▶ panel, CSV, SVG
//! ```

pub mod chart;
pub mod panel;
pub mod task;

use std::io::Write;
use std::path::PathBuf;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::CurvesState;
use self::task::CurvesTask;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info};
use crate::frame::dialogs::files::{Files, file_stem};
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::menu::pick;
use crate::frame::tasks::Tasks;
use talweg::io::write_atomically;

pub struct CurvesPlugin;

impl Plugin for CurvesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CurvesState>()
            .init_resource::<CurvesTask>()
            .add_actions([CurvesAction::Toggle], run)
            .add_window_close(|mut state: ResMut<CurvesState>| state.close())
            .add_menu_part("Erosion", 21, menu)
            .add_part(Slot::View, window);
    }
}

/// Commands of the curves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CurvesAction {
    /// Opens or closes the window.
    Toggle,
    /// Computes the curves of the chosen layers.
    Compute,
    Stop,
    /// Asks where to save all curves as a table.
    SaveCsv,
    /// Asks where to save the chart as an image.
    SaveSvg,
    WriteCsv(PathBuf),
    WriteSvg(PathBuf),
}

impl Action for CurvesAction {
    fn section(&self) -> &'static str {
        "Erosion"
    }

    fn info(&self) -> Info {
        match self {
            Self::Toggle => Info::new(
                "Curves together…",
                "Draws the slopes, volumes and run times of several erosions or branches in one chart.",
                icon::CHART_LINE_UP,
                &[],
            ),
            Self::Compute => Info::new("Compute curves", "Measures the chosen processes.", icon::CHART_LINE, &[]),
            Self::Stop => Info::new("Stop", "Stops measuring the processes.", icon::STOP, &[]),
            Self::SaveCsv | Self::WriteCsv(_) => Info::new(
                "Save curves as CSV…",
                "Saves all quantities of all curves as a table, with the units in the first row.",
                icon::TABLE,
                &[],
            ),
            Self::SaveSvg | Self::WriteSvg(_) => {
                Info::new("Save chart as SVG…", "Saves the chart as a vector image.", icon::FILE_SVG, &[])
            }
        }
    }
}

fn run(
    In(action): In<CurvesAction>,
    mut editor: ResMut<Editor>,
    (mut state, mut task): (ResMut<CurvesState>, ResMut<CurvesTask>),
    tasks: Res<Tasks>,
) {
    let editor = &mut *editor;
    match action {
        CurvesAction::Toggle => state.toggle(),
        CurvesAction::Compute => {
            if let Err(error) = task.start(state.order(&editor.doc), &tasks) {
                editor.toasts.error(with_reason("The curves were not computed", &error));
            }
        }
        CurvesAction::Stop => task.stop(),
        CurvesAction::SaveCsv => {
            let name = format!("{} curves", file_stem(&editor.doc));
            let then = |path| CurvesAction::WriteCsv(path).into();
            editor.dialogs.open(Files::save(&editor.doc, "Save curves", &name, &[("CSV table", "csv")], then));
        }
        CurvesAction::SaveSvg => {
            let name = format!("{} {}", file_stem(&editor.doc), state.quantity.label().to_lowercase());
            let then = |path| CurvesAction::WriteSvg(path).into();
            editor.dialogs.open(Files::save(&editor.doc, "Save chart", &name, &[("SVG image", "svg")], then));
        }
        CurvesAction::WriteCsv(path) => {
            let text = task.curves().map(|(_, curves)| chart::csv(curves));
            write(editor, path, text);
        }
        CurvesAction::WriteSvg(path) => {
            let text = task.curves().map(|(of, curves)| chart::svg(&of.scene.name, curves, state.quantity));
            write(editor, path, text);
        }
    }
}

/// Writes a file and shows a message.
fn write(editor: &mut Editor, path: PathBuf, text: Option<String>) {
    let Some(text) = text else { return editor.toasts.info("No curves to save. Compute them first.") };
    let name = file_name(&path);
    match write_atomically(path, |out| out.write_all(text.as_bytes())) {
        Ok(()) => editor.toasts.info(format!("Saved {name}")),
        Err(error) => editor.toasts.error(with_reason(&format!("{name} was not written"), &error)),
    }
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, CurvesAction::Toggle, true);
}

fn window(
    InMut(ui): InMut<Ui>,
    mut state: ResMut<CurvesState>,
    editor: Res<Editor>,
    mut task: ResMut<CurvesTask>,
    mut queue: ResMut<CommandQueue>,
) {
    task.receive();
    queue.extend(panel::show(ui.ctx(), &mut state, &editor.doc, &task));
}
