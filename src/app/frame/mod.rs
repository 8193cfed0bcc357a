//! The frame around the features: window, document, evaluation, commands, background tasks, dialogs, menus, status.
//!
//! ```text
//! PreUpdate                window::receive      terrains of the evaluation → document, ViewState
//!                          FrameSystems::Receive  features take the results of their tasks
//! EguiPrimaryContextPass   UpdatePanels         features and the frame update the data that the panels show
//!                          Draw                 interface::draw: panels → edits, commands
//!                          Execute              features start the requested work
//!                          Send                 the document's request → evaluation
//!                          Settle               work that depends on whether the evaluation is busy
//! PostUpdate               window::pace         sets when the next frame comes
//! ```
//! A feature is a Bevy plugin that registers its commands ([`commands::CommandApp`]), its panels and menu entries
//! ([`interface::InterfaceApp`]) and its systems ([`window::FrameSystems`]), and starts background work with
//! [`tasks::Tasks`]. The frame does not depend on any feature.

pub mod actions;
pub mod commands;
pub mod crash_report;
pub mod dialogs;
pub mod document;
pub mod editor;
pub mod evaluation;
pub mod focus;
pub mod graphics;
pub mod interface;
pub mod keyboard;
pub mod launch;
pub mod menu;
pub mod menu_bar;
pub mod panels;
mod pointer;
pub mod status;
pub mod tasks;
pub mod theme;
pub mod toasts;
mod typed_ahead;
pub mod units;
pub mod user_library;
pub mod widgets;
pub mod window;

use bevy::asset::AssetEventSystems;
use bevy::camera::CameraUpdateSystems;
use bevy::input::keyboard::KeyboardInput;
use bevy::prelude::*;
use bevy_egui::egui::Margin;
use bevy_egui::{EguiInputSet, EguiPostUpdateSet, EguiPreUpdateSet, EguiPrimaryContextPass};

use self::actions::{CancelWork, QuitRequested};
use self::commands::{CommandApp, CommandQueue, ComputeAction, EditAction, FileAction, Proceed};
use self::evaluation::EvaluationClient;
use self::interface::InterfaceApp;
use self::panels::{DockEdge, DockedPanel, PanelAction, PanelApp, PanelShown};
use self::window::FrameSystems;
use crate::view::ViewSystems;

/// Plugin of the frame. Registers the frame's own commands and menus.
pub struct FramePlugin;

impl Plugin for FramePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CommandQueue>()
            .init_resource::<interface::InterfaceLayout>()
            .init_resource::<status::StatusInfo>()
            .init_resource::<status::StatusHint>()
            .init_resource::<tasks::Tasks>()
            .init_resource::<typed_ahead::TypedAhead>()
            .init_resource::<window::FrameCost>()
            .init_resource::<window::Pacing>()
            .init_resource::<window::Quitting>()
            .add_message::<CancelWork>()
            .add_message::<QuitRequested>()
            .add_actions(FileAction::all(), actions::file)
            .add_actions::<Proceed, _>([], actions::proceed)
            .add_actions(EditAction::ALL, actions::edit)
            .add_actions(ComputeAction::ALL, actions::compute)
            .add_actions([], widgets::params::run_image_action)
            .add_actions([PanelAction::Reset, PanelAction::Next, PanelAction::Previous], panels::run_action)
            .add_panel(
                DockedPanel {
                    place: 2,
                    size: [329.0, 380.0],
                    least: [280.0, 120.0],
                    margin: Margin { left: 10, right: 4, top: 4, bottom: 4 },
                    ..DockedPanel::new("parameters", "Parameters", DockEdge::Left)
                },
                None,
                || PanelShown::Open,
                interface::parameters,
            )
            .add_menu("File", 0)
            .add_menu_part("File", 0, menu::file)
            .add_menu_part("File", 100, menu::quit)
            .add_menu("Edit", 10)
            .add_menu_part("Edit", 0, menu::edit)
            .add_menu_part("Layer", 100, menu::recompute)
            .add_menu_part("View", 90, panels::menu)
            .add_systems(First, (window::begin_frame, window::repaint_resized))
            .add_systems(
                PreUpdate,
                keyboard::read
                    .in_set(EguiInputSet::ReadBevyMessages)
                    .run_if(resource_exists::<Messages<KeyboardInput>>),
            )
            .add_systems(
                PreUpdate,
                pointer::split.after(EguiPreUpdateSet::ProcessInput).before(EguiPreUpdateSet::BeginPass),
            )
            .add_systems(
                PreUpdate,
                (
                    window::ask_before_closing,
                    window::receive.run_if(resource_exists::<EvaluationClient>).before(FrameSystems::Receive),
                )
                    .chain(),
            )
            .configure_sets(PreUpdate, FrameSystems::Receive.run_if(resource_exists::<EvaluationClient>))
            .configure_sets(
                EguiPrimaryContextPass,
                (
                    FrameSystems::UpdatePanels,
                    FrameSystems::Draw,
                    FrameSystems::Execute,
                    FrameSystems::Send,
                    FrameSystems::Settle,
                )
                    .chain()
                    .run_if(resource_exists::<EvaluationClient>),
            )
            .add_systems(
                EguiPrimaryContextPass,
                (
                    window::update_status
                        .before(FrameSystems::UpdatePanels)
                        .run_if(resource_exists::<EvaluationClient>),
                    window::draw.in_set(FrameSystems::Draw),
                    (window::apply_view_settings, window::cancel).in_set(FrameSystems::Execute),
                    window::note_quit.after(FrameSystems::Draw).before(FrameSystems::Execute),
                    window::send.in_set(FrameSystems::Send),
                    window::update_window.in_set(FrameSystems::Settle),
                ),
            )
            // Panels are drawn before the view, because the view uses the rectangle that they leave in the same frame.
            // New glyphs, for example after a change of the scale, are drawn in the frame that creates them.
            .configure_sets(
                PostUpdate,
                (
                    ViewSystems::Apply.after(EguiPostUpdateSet::EndPass),
                    AssetEventSystems.after(EguiPostUpdateSet::PostProcessOutput),
                ),
            )
            .add_systems(PostUpdate, window::pace.after(ViewSystems::Apply).run_if(resource_exists::<EvaluationClient>))
            .add_systems(PostUpdate, window::fit_to_card.before(CameraUpdateSystems))
            .add_systems(Last, window::end_frame);
    }
}
