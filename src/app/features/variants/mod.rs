//! Thumbnails of variants of the scene: other seeds, values and presets. A contact sheet and the tooltips of sliders
//! show them.
//!
//! ```text
//! panel: requested variants ──▶ thumbnails: ThumbnailService ──▶ VariantsInfo ──▶ panel
//! ```

pub mod panel;
pub mod thumbnails;

use std::time::Instant;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::VariantsState;
use self::thumbnails::{ThumbnailClient, VariantsInfo};
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::tick;
use crate::frame::tasks::{Busy, Tasks};
use crate::frame::units;
use crate::frame::window::{FrameCost, FrameSystems};
use crate::view::Waker;
use talweg::param::{ParamSpec, Value};
use talweg::variants::SceneVariant;

pub struct VariantsPlugin;

impl Plugin for VariantsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<VariantsState>()
            .init_resource::<VariantsInfo>()
            .add_actions([VariantsAction::Sheet, VariantsAction::SliderGhosts], run)
            .add_window_close(|mut state: ResMut<VariantsState>| state.close())
            .add_menu_part("Layer", 10, menu)
            .add_menu_part("View", 10, ghosts_menu)
            .add_part(Slot::Update, update_ghosts)
            .add_part(Slot::Window, window)
            .add_part(Slot::End, end)
            .add_systems(Startup, start)
            .add_systems(
                EguiPrimaryContextPass,
                (receive.in_set(FrameSystems::UpdatePanels), order.in_set(FrameSystems::Settle))
                    .run_if(resource_exists::<ThumbnailClient>),
            );
    }
}

/// A short description of the changes of a variant, in the preferred units.
fn caption(variant: &SceneVariant) -> String {
    described(variant, &variant.caption, |spec, value| {
        format!("{} {}", spec.label, units::param_with_unit(spec, value))
    })
}

/// The changed values of a variant without parameter names, in the preferred units.
pub fn short_caption(variant: &SceneVariant) -> String {
    described(variant, &variant.short, units::param_with_unit)
}

/// Describes the changes of a variant. A preset is described by its name, and a changed value by the text of `says`.
fn described(variant: &SceneVariant, preset: &str, says: impl Fn(&ParamSpec, &Value) -> String) -> String {
    let changes = variant.changes.iter().map(|(param_ref, value)| says(param_ref.spec(), value));
    if variant.changes.is_empty() { preset.into() } else { changes.collect::<Vec<_>>().join(", ") }
}

/// Commands that show variants of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantsAction {
    /// Opens or closes the contact sheet.
    Sheet,
    /// Shows or hides thumbnails of lower and higher values in the tooltips of sliders.
    SliderGhosts,
}

impl Action for VariantsAction {
    fn section(&self) -> &'static str {
        match self {
            Self::Sheet => "Layer",
            Self::SliderGhosts => "View",
        }
    }

    fn info(&self) -> Info {
        match self {
            Self::Sheet => Info::new(
                "Variants…",
                "Shows other seeds, values and presets as thumbnails. Click one to apply it.",
                icon::GRID_NINE,
                keys![NONE + V],
            ),
            Self::SliderGhosts => Info::new(
                "Previews on sliders",
                "Shows thumbnails of lower and higher values while the pointer rests on a slider.",
                icon::IMAGES,
                &[],
            ),
        }
    }
}

fn start(mut commands: Commands, waker: Res<Waker>) {
    let waker = waker.clone();
    commands.insert_resource(ThumbnailClient::new(move || waker.wake()));
}

fn run(In(action): In<VariantsAction>, mut state: ResMut<VariantsState>) {
    match action {
        VariantsAction::Sheet => {
            if !state.close() {
                state.open();
            }
        }
        VariantsAction::SliderGhosts => state.ghosts.is_on ^= true,
    }
}

fn menu(InMut(ui): InMut<Ui>, state: Res<VariantsState>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    tick(ui, &mut queue, VariantsAction::Sheet, true, state.is_open());
}

fn ghosts_menu(InMut(ui): InMut<Ui>, state: Res<VariantsState>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, VariantsAction::SliderGhosts, true, state.ghosts.is_on);
}

fn update_ghosts(_: InMut<Ui>, mut state: ResMut<VariantsState>, info: Res<VariantsInfo>) {
    state.ghosts.hear(&info.ghosts);
}

fn window(
    InMut(ui): InMut<Ui>,
    mut state: ResMut<VariantsState>,
    mut editor: ResMut<Editor>,
    info: Res<VariantsInfo>,
    frame: Res<InterfaceFrame>,
) {
    panel::window(ui.ctx(), &mut state, &mut editor.doc, &info, frame.free_rect);
}

fn end(InMut(ui): InMut<Ui>, mut state: ResMut<VariantsState>) {
    state.ghosts.end_frame(ui.ctx());
}

/// Takes finished thumbnails.
fn receive(mut service: ResMut<ThumbnailClient>, mut info: ResMut<VariantsInfo>, mut cost: ResMut<FrameCost>) {
    let begun = Instant::now();
    service.receive();
    *info = service.info();
    cost.note("variants", begun.elapsed());
}

/// Requests the thumbnails that the panels need. Thumbnails of the contact sheet wait while the evaluation is busy.
fn order(
    mut service: ResMut<ThumbnailClient>,
    state: Res<VariantsState>,
    (mut evaluation, editor): (ResMut<EvaluationClient>, Res<Editor>),
    (tasks, mut busy): (Res<Tasks>, Local<Option<Busy>>),
    mut cost: ResMut<FrameCost>,
) {
    let begun = Instant::now();
    let is_busy = evaluation.is_busy() || editor.doc.transport().is_playing();
    service.want(&state.wants(), is_busy);
    *busy = service.is_busy().then(|| tasks.busy());
    cost.note("variants", begun.elapsed());
}
